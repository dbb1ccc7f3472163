/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error of the time-stepping itself, island by island and of both signs. With y the velocity
 * that moved the bodies (certify/rates.h) and M (v+ - v) = h F + J'p + r, a step leaves
 *
 *   s = dT - h F.y - p.(J y)
 *
 * of kinetic energy that no force and no impulse explains. In a step of first order y = v+. With
 * D = M^-1 (h F + J'p), what forces and impulses change of the velocity, and r the gyroscopic
 * impulse of the free turn of the body (r.(v + M^-1 r/2) = 0),
 *
 *   s = -|v+ - v|_M^2/2 + r.v+ = -|D|_M^2/2,
 *
 * impacts or not; in one of second order y = (v + v+)/2, and only terms of third order are left.
 * Closing joints at the end takes |dv|_M^2/2 of the velocities it takes out. So every step, of
 * every integrator, keeps
 *
 *   |s| <= |D|_M^2/2 + (what closing joints may take).
 *
 * Drag is in r and takes energy: islands with bodies that it acts on are judged by what they gain,
 * and so are models without momentum, which have no dT and no square: nothing may be gained there.
 * What springs store beyond the work that was done on them (dq'K dq/2) is judged one by one, by
 * elastic.c and gain.c. docs/theory/motion-certificate.md derives it.
 */
#include <math.h>
#include <string.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "model/axes.h"

typedef struct scheme {
    const ss_model *m;
    ss_data        *d;
    double          h;
    const ss_rates *rates;
    bool            momentum;
    ss_book        *books; /* of the rates */
} scheme;

/* P'M^-1 P/2 of a body with P = h F + J'p. */
static double half_square(const scheme *a, int32_t i)
{
    const ss_body *b   = &a->m->bodies[i];
    ss_twist       P   = ss_twist_from_vector(a->m, b->dof, a->rates->push + b->v_start);
    double         sum = b->inv_mass * ss_dot(P.v, P.v);
    if (b->dof == a->m->dof) {
        sum += ss_dot(P.w, ss_turned_by(a->m, a->d, i, P.w));
    }
    return 0.5 * sum;
}

/*
 * Steps of first order of integrator: midpoint turn a body freely under the torque T (exp(h m) I w'
 * = I w + h T, m = (w + w')/2: r.m = 0) and add the impulses to that: r.v+ has r.(I^-1 h T)/2 more.
 */
static double turned_by_torque(const scheme *a, int32_t i)
{
    const ss_data *d = a->d;
    const ss_body *b = &a->m->bodies[i];
    if (a->m->dimension == 2 || b->round || b->dof < a->m->dof || d->midpoint.smooth[i] ||
        !ss_integrator_of(a->m)->second) {
        return 0;
    }
    const double *now = d->v_now + b->v_start, *end = d->v_next + b->v_start;
    const double *push = a->rates->push + b->v_start;
    ss_vec3       dw   = ss_v3(end[3] - now[3], end[4] - now[4], end[5] - now[5]);
    ss_vec3       r    = ss_sub(ss_mul(&d->inertia[i], dw), ss_v3(push[3], push[4], push[5]));
    return 0.5 * a->h * fabs(ss_dot(r, ss_mul(&d->inv_inertia[i], d->applied[i].torque)));
}

/* dT - h F.y of a body. */
static void add_body(scheme *a, int32_t i, ss_book *of)
{
    of->error -= a->rates->forced[i];
    of->error += a->momentum ? a->rates->after[i] - a->rates->before[i] : 0;
    of->drags = of->drags || ss_body_drags(&a->m->bodies[i]) || !a->momentum;
}

static bool is_in_step(const scheme *a, int32_t i)
{
    return ss_body_moves(&a->m->bodies[i]) && !ss_sleeps(a->d, i);
}

static void find_errors(scheme *a)
{
    const ss_data *d = a->d;
    for (int32_t i = 0; i < d->island_count; i++) {
        a->books[i].error -= d->islands[i].closed_by_drives + d->islands[i].turned_back;
        a->books[i].error -= a->books[i].worked;
    }
    for (int32_t i = 0; i < a->m->nb; i++) {
        if (is_in_step(a, i)) {
            add_body(a, i, &a->books[a->rates->book[i]]);
        }
    }
}

/* Half squares, and what closing joints may take. */
static void find_allowed(scheme *a)
{
    const ss_data *d = a->d;
    for (int32_t i = 0; i < d->island_count; i++) {
        a->books[i].allowed += d->islands[i].closed_most + ss_unsure_of(a->m, d, &d->islands[i]);
    }
    for (int32_t i = 0; a->momentum && i < a->m->nb; i++) {
        if (is_in_step(a, i)) {
            a->books[a->rates->book[i]].allowed += half_square(a, i) + turned_by_torque(a, i);
        }
    }
}

/* Each island by itself. */
static void judge_islands(const scheme *a, ss_fault *fault)
{
    for (int32_t i = 0; i < a->rates->book_count; i++) {
        const ss_book *of      = &a->books[i];
        double         size    = of->drags ? of->error : fabs(of->error);
        double         allowed = (1 + SS_SCHEME_SLACK) * of->allowed + a->rates->rounding;
        if (!(size <= allowed)) {
            *fault = (ss_fault){SS_FAULT_ENERGY, of->error, allowed, "the time-stepping", {-1, -1}};
            return;
        }
    }
}

void ss_check_scheme(const ss_model *m, ss_data *d, double h, const ss_rates *rates,
                     ss_fault *fault)
{
    scheme a   = {.m = m, .d = d, .h = h, .rates = rates, .books = rates->books};
    a.momentum = ss_inertia_of(m)->momentum;
    if (fault->kind != SS_FAULT_NONE) {
        return;
    }
    find_errors(&a);
    judge_islands(&a, fault);
    if (fault->kind != SS_FAULT_NONE) { /* smooth steps do with rounding */
        *fault = (ss_fault){SS_FAULT_NONE, 0, 0, NULL, {-1, -1}};
        find_allowed(&a);
        judge_islands(&a, fault);
    }
}
