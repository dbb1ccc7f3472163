/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work that a step may take, in products of two numbers that its solvers count
 * (ss_solver_worked) and that a round costs by itself: counted, so that a step ends at the same
 * place on every machine and with any number of threads (step_limit goes by the clock).
 *
 * It grows with the problems of the step. With n unknowns and e entries of its matrix, n e is n^3
 * of a dense one: a few factorisations, or n sweeps of a sparse one. Two bounds:
 *
 *   an attempt at a step that can still be cut   max(SS_LABOUR_MOST, SS_LABOUR_SIZE sum n e), of
 *                                                few bodies and contacts SS_LABOUR_EACH for each
 *   all attempts at a step, whole and in parts   SS_LABOUR_ATTEMPTS times that, or work_limit
 *
 * What reaches the first is cut: halves touch less. What reaches the second is not solved within
 * the work allowed, and on_failure says what follows; a step that is to be marked is then taken as
 * it is after one more attempt, within the first bound.
 *
 * Cuts that only serve how well a motion is followed, and that no certificate asks for (points of
 * contact that run, ropes that turn: midpoint.c), end at SS_LABOUR_FOLLOWED for each of them: what
 * is left of the step is taken in parts as long as they are by then.
 *
 * Islands that are solved side by side do not know what the others take: each may use what is left
 * when the round begins, on one thread as on many, and the sum is looked at when all are done.
 */
#include "sim/step.h"

#include "core/compare.h"
#include "model/axes.h"
#include "problem/residual.h"
#include "sim/tolerances.h"

/* sum n e */
static double size_of_problems(const ss_data *d)
{
    double sum = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_problem *p = &d->islands[i].reduced;
        sum += ss_problem_size(p) * ss_problem_entries(p);
    }
    return sum;
}

/* Of one attempt that is not the last word. */
static double most_of_attempt(const ss_data *d)
{
    const ss_effort *e    = &d->effort;
    double           told = d->model->simulation.work_limit / SS_LABOUR_ATTEMPTS;
    double           most = ss_min(SS_LABOUR_MOST, SS_LABOUR_EACH * e->parts);
    return told > 0 ? told : ss_max(most, SS_LABOUR_SIZE * e->size);
}

static double most_of_step(const ss_data *d)
{
    return SS_LABOUR_ATTEMPTS * most_of_attempt(d);
}

/* Is there another way, or is what there is taken in any case? */
static bool may_end_early(const ss_data *d)
{
    return ss_solver_common(d->solver)->brief || d->cut.marks;
}

static void set_limit(ss_data *d, double products)
{
    ss_solver_common(d->solver)->work_limit = products;
    if (d->balancer != NULL) {
        ss_solver_common(d->balancer)->work_limit = products;
    }
    for (int32_t i = 0; i + 1 < d->threads; i++) {
        ss_solver_common(d->workers[i].solver)->work_limit = products;
    }
}

/* Bodies and contacts of small scenes, which may be followed as closely as this many. */
enum { FOLLOWED_FEW = 100 };

void ss_allow_work(const ss_model *m, ss_data *d)
{
    ss_effort *e     = &d->effort;
    double     parts = m->nb + d->contacts.count;
    e->size          = ss_max(e->size, size_of_problems(d));
    e->parts         = ss_max(e->parts, parts);
    e->products += SS_LABOUR_ROUND * parts;
    double most = SS_LABOUR_FOLLOWED * ss_max(e->parts, FOLLOWED_FEW);
    e->closer   = e->spent + e->products <= most;
    double left = may_end_early(d) ? most_of_attempt(d) : most_of_step(d) - e->spent;
    set_limit(d, ss_max(left - e->products, 1)); /* 0 would be none */
}

void ss_count_attempt(ss_data *d)
{
    d->effort.spent += d->effort.products;
    d->effort.products = 0;
}

/* A step that is to be marked ends with what there is. */
static ss_status end_early(ss_data *d, double most)
{
    if (d->cut.marks) {
        d->effort.over = true;
        return SS_OK;
    }
    d->motions.unheld = d->opposed = d->prox.restless = -1; /* nothing was found out */
    d->pushed_hard                                    = false;
    return ss_fail(
        d->ctx, SS_ERR_CERTIFICATE,
        "t = %g: not solved within the work allowed, %.3g products (simulation: work_limit)",
        d->state.t, most);
}

ss_status ss_not_laborious(ss_data *d)
{
    const ss_effort *e    = &d->effort;
    double           most = most_of_attempt(d), all = most_of_step(d);
    if (!d->cut.marks && e->spent + e->products > all) {
        d->effort.exhausted = true;
        return end_early(d, all);
    }
    return may_end_early(d) && e->products > most ? end_early(d, most) : SS_OK;
}
