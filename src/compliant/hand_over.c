/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts of two bodies change while they are pressed: one feature takes over from another; the
 * outline of a patch becomes another one, whose springs have other shares; or it moves over the
 * bodies, and its springs with it. A spring that is new where surfaces overlap already would bring
 * the energy of its overlap with it, out of nothing. What there is for it is what those that are
 * gone between the same two bodies had stored:
 *
 *   V_gone = sum over gone,      V_new = sum V_i(x_i),      x_i = (overlap_i - rest_i, along_i)
 *
 * rest_i is the overlap at which a spring begins, 0 unless this says otherwise. Where V_new >
 * V_gone they start at lambda x_i with V(lambda x) <= V_gone: V grows at least with lambda^q, q =
 * min(2, 1 + exponent), so
 *
 *   lambda = (V_gone/V_new)^(1/q),      rest_i' = overlap_i - lambda (overlap_i - rest_i)
 *
 * and where V_new < V_gone, rest_i' = mu rest_i with the least mu that there is energy for; what is
 * left then is lost. rest is lost, too, as surfaces come apart (rest <= overlap), and the core
 * stays where it is (max_deflection of the spring is less by rest). Along the surface springs that
 * nobody knows start like those that are gone in the mean, so that what friction holds is still
 * held.
 *
 * Without momentum springs balance loads and energies are not kept: nothing is handed over there.
 */
#include <math.h>

#include "compliant/compliant.h"
#include "core/compare.h"
#include "core/elementary.h"
#include "dynamics/stages.h"

static double part(double share)
{
    return share > 0 ? share : 1; /* 0: it is all of it */
}

static bool is_between(const ss_deflection *x, const ss_spring *s)
{
    return x->body[0] == s->body[0] && x->body[1] == s->body[1];
}

static ss_spring *spring_of(ss_data *d, int32_t contact)
{
    int32_t k = d->rows.blocks[contact].spring;
    return k > 0 ? &d->springs.items[k - 1] : NULL;
}

/* Is the deflection one that a spring of this round goes on with? */
static bool goes_on(ss_data *d, const ss_deflection *x)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_spring *s = spring_of(d, i);
        if (s != NULL && s->key == x->key) {
            return !s->fresh;
        }
    }
    return false;
}

/* What is gone between the bodies of a spring: its energy, and how it was deflected along. */
static double gone_from(ss_data *d, const ss_spring *s, ss_vec3 *along)
{
    double energy = 0, sum = 0;
    *along = ss_v3(0, 0, 0);
    for (int32_t i = 0; i < d->state.deflection_count; i++) {
        const ss_deflection *x = &d->state.deflection[i];
        if (is_between(x, s) && !goes_on(d, x)) {
            energy += x->energy;
            sum += part(x->share);
            *along = ss_axpy(*along, part(x->share), x->along);
        }
    }
    *along = sum > 0 ? ss_scale(1 / sum, *along) : *along;
    return energy;
}

/* Is there a spring at the contact, new like s and between the same bodies? */
static ss_spring *like_at(ss_data *d, int32_t contact, const ss_spring *s)
{
    ss_spring *o = spring_of(d, contact);
    bool       like =
        o != NULL && o->fresh && !o->ready && o->body[0] == s->body[0] && o->body[1] == s->body[1];
    return like ? o : NULL;
}

/* V of what is new like s, with `mu` of their rest. */
static double energy_with(const ss_model *m, ss_data *d, const ss_spring *s, double mu)
{
    double sum = 0;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_spring *o = like_at(d, i, s);
        if (o != NULL) {
            ss_vec3 t, w;
            ss_contact_frame(m, &d->contacts.items[i], &t, &w);
            double x[3] = {o->overlap - mu * o->rest, ss_dot(o->along, t), ss_dot(o->along, w)};
            sum += ss_deflection_energy(o->law, x, o->dim);
        }
    }
    return sum;
}

/* The least part of their rest that there is energy for. */
enum { HALVINGS = 30 };
static double least_rest(const ss_model *m, ss_data *d, const ss_spring *s, double gone)
{
    double low = 0, high = 1;
    if (energy_with(m, d, s, 0) <= gone) {
        return 0;
    }
    for (int k = 0; k < HALVINGS; k++) {
        double mu                                         = 0.5 * (low + high);
        *(energy_with(m, d, s, mu) > gone ? &low : &high) = mu;
    }
    return high;
}

/* Sets what is new between two bodies to as much of its overlap as there is energy for. */
static void share_out(const ss_model *m, ss_data *d, const ss_spring *s)
{
    double  power = 2;
    ss_vec3 along;
    double  gone = gone_from(d, s, &along);
    for (int32_t i = 0; i < d->contacts.count; i++) {
        ss_vec3    n = d->contacts.items[i].normal;
        ss_spring *o = like_at(d, i, s);
        if (o != NULL) {
            o->along = o->known ? o->along : ss_axpy(along, -ss_dot(along, n), n);
            power    = ss_min(power, 1 + o->law->exponent);
        }
    }
    double need = energy_with(m, d, s, 1), lambda = 1, mu = 1;
    if (need > gone) {
        lambda = ss_pow(gone / need, 1 / power);
    } else {
        mu = least_rest(m, d, s, gone);
    }
    for (int32_t i = 0; i < d->contacts.count; i++) {
        ss_spring *o = like_at(d, i, s);
        if (o != NULL) {
            o->rest   = lambda < 1 ? o->overlap - lambda * (o->overlap - o->rest) : mu * o->rest;
            o->along  = ss_scale(lambda, o->along);
            o->handed = true;
        }
    }
}

void ss_hand_over(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_spring *s = spring_of(d, i);
        if (s != NULL && s->fresh && !s->ready && !s->handed) {
            share_out(m, d, s);
        }
    }
}
