/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dupont's matrix D of contacts that slide or are smooth: a = D z + q.
 *
 * Painleve: D_ii = n - mu f of a sliding contact vanishes at mu = n/f. P-matrix and boundary layers
 * (layers.c) are asked of the matrix of all islands, block-diagonal.
 */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "instant/tolerances.h"

/* N_ii of a sliding contact with and without its friction, joints holding. */
void ss_instant_painleve(ss_instant *s, const ss_instant_rows *r, const ss_instant_problem *p)
{
    for (int32_t j = 0; j < p->n; j++) {
        int32_t                 at = p->which[p->block[j]];
        const ss_instant_block *b  = &r->blocks[at];
        if (!ss_instant_is_contact(r, at) || b->mode != SS_INSTANT_SLIDES) {
            continue;
        }
        /* The column of the contact is n - mu f: with mu = 0 it is that of its normal row alone. */
        double              all   = p->cone.W.dense[j + (size_t)j * (size_t)p->cone.W.ld];
        double              plain = p->smooth[j];
        double              drag  = b->mu > 0 ? (plain - all) / b->mu : 0;
        ss_instant_contact *c     = &s->contacts[at];
        c->painleve               = plain > 0 ? all / plain : 1;
        c->mu_border              = drag > SS_INSTANT_BORDER * plain ? plain / drag : INFINITY;
        s->verdict->painleve      = fmin(s->verdict->painleve, c->painleve);
        if (c->mu_border - c->mu < s->verdict->mu_border) {
            s->verdict->mu_border = c->mu_border - c->mu;
        }
    }
}

/* Block-diagonal over the islands. */
void ss_instant_add_layers(ss_instant *s, const ss_instant_rows *r, const ss_instant_problem *p)
{
    int32_t n = s->layer_count, all = n + p->n;
    if (all > SS_INSTANT_LAYERS) {
        s->layer_count = SS_INSTANT_LAYERS + 1;
        return;
    }
    double D[SS_INSTANT_LAYERS * SS_INSTANT_LAYERS] = {0};
    for (int32_t j = 0; j < all; j++) {
        for (int32_t i = 0; i < all; i++) {
            bool old = i < n && j < n, new = i >= n &&j >= n;
            D[i + j * all] = old ? s->D[i + j * n]
                             : new
                                 ? p->cone.W.dense[(i - n) + (size_t)(j - n) * (size_t)p->cone.W.ld]
                                 : 0;
        }
    }
    memcpy(s->D, D, sizeof D);
    for (int32_t j = 0; j < p->n; j++) {
        int32_t at              = p->which[p->block[j]];
        s->layer_contact[n + j] = ss_instant_is_contact(r, at) ? at : -1;
    }
    s->layer_count = all;
}

/* For the c^2/k that was given, if any. */
static ss_answer stable_for(const ss_instant *s, double critical, const char **why)
{
    if (isnan(critical)) {
        *why = "not applicable: contacts depend on each other";
        return SS_UNDECIDED;
    }
    if (critical == 0 || isinf(critical)) {
        return critical == 0 ? SS_YES : SS_NO;
    }
    if (!isnan(s->layers)) {
        return s->layers > critical ? SS_YES : SS_NO;
    }
    *why = "it depends on c^2/k of the contacts";
    return SS_UNDECIDED;
}

ss_status ss_instant_judge_layers(ss_instant *s)
{
    ss_instant_verdict *v = s->verdict;
    if (v->sticking > 0 || v->other > 0) {
        v->p_matrix_why = v->stable_why = "not applicable: some contacts or joints stick";
        return SS_OK;
    }
    if (s->layer_count == 0) {
        v->p_matrix_why = v->stable_why = "not applicable: nothing touches";
        return SS_OK;
    }
    if (s->layer_count > SS_INSTANT_LAYERS) {
        v->p_matrix_why = v->stable_why = "not applicable: too many contacts";
        return SS_OK;
    }
    SS_TRY(ss_pmatrix(s->ctx, s->D, s->layer_count, &v->p_matrix));
    SS_TRY(ss_layer_stability(s->ctx, s->D, s->layer_count, &v->critical, NULL));
    v->stable = stable_for(s, v->critical, &v->stable_why);
    return SS_OK;
}

/* ---- of the contacts that bear forces ---- */

static const ss_instant_force *force_of(const ss_instant *s, int32_t solution, int32_t contact)
{
    return &s->forces[solution * s->contact_count + contact];
}

/* The rows and columns of D whose contacts bear forces in the solution. */
static int32_t active_layers(const ss_instant *s, int32_t solution, double *A)
{
    int32_t keep[SS_INSTANT_LAYERS], n = 0;
    for (int32_t i = 0; i < s->layer_count; i++) {
        int32_t contact = s->layer_contact[i];
        if (contact >= 0 && force_of(s, solution, contact)->mode != SS_INSTANT_LEAVES) {
            keep[n++] = i;
        }
    }
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            A[i + j * n] = s->D[keep[i] + keep[j] * s->layer_count];
        }
    }
    return n;
}

ss_status ss_instant_active_at(const ss_instant *s, int32_t solution, ss_instant_active *out)
{
    double A[SS_INSTANT_LAYERS * SS_INSTANT_LAYERS];
    if (s == NULL || out == NULL || solution < 0 || solution >= s->solution_count) {
        return SS_ERR_ARGUMENT;
    }
    *out = (ss_instant_active){.stable = SS_UNDECIDED, .critical = NAN};
    for (int32_t i = 0; i < s->contact_count; i++) {
        out->contacts += force_of(s, solution, i)->mode != SS_INSTANT_LEAVES;
    }
    if (out->contacts == 0) {
        out->why = "not applicable: no contact bears a force";
        return SS_OK;
    }
    if (s->last.p_matrix_why != NULL) { /* something sticks, or there are too many */
        out->why = s->last.p_matrix_why;
        return SS_OK;
    }
    int32_t n = active_layers(s, solution, A);
    SS_TRY(ss_layer_stability(s->ctx, A, n, &out->critical, NULL));
    out->reached = !isnan(out->critical);
    out->stable  = stable_for(s, out->critical, &out->why);
    return SS_OK;
}
