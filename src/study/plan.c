/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a plan. Plans grow by one action at a time. At each length, `samples` random
 * actions are tried after the beginnings that were kept, and `width` of the new beginnings are
 * kept: half of them those with the smallest errors, half as they came, because the way that gets
 * nearest at first need not lead to the goal. The best few are improved as whole plans: the errors
 * of all runs (plan.h), stacked as e(u) with u the plan's numbers as shares of their bounds, are
 * made small by damped Newton steps of least length (Levenberg, Marquardt)
 *
 *   s = -(J'J + d tr(J'J) I)^-1 J'e,      J by finite differences, several d at once, the best
 * taken,
 *
 * (numbers that would leave their bounds are held there and the rest solved again), on each rung in
 * turn. The first plan without an error above 1 on the last rung is the plan, so
 * that the shortest is found first. Nothing depends on the number of threads: what is tried next
 * follows from results, never from who computed them.
 */
#include "study/plan_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/context.h"
#include "study/philox.h"
#include "study/tolerances.h"

/* ---- beginnings ---- */

ss_plan_node *ss_plan_node_new(ss_plan *p)
{
    size_t per = (size_t)p->study->carry_count * sizeof(ss_body_state) +
                 (size_t)p->study->measure_count * sizeof(double);
    size_t runs = (size_t)p->runs;
    char  *all  = ss_alloc(p->ctx, 1, sizeof(ss_plan_node) + runs * (sizeof(ss_plan_state) + per));
    if (all == NULL) {
        return NULL;
    }
    ss_plan_node *n = (ss_plan_node *)all;
    n->states       = (ss_plan_state *)(all + sizeof *n);
    char *room      = (char *)(n->states + runs);
    for (size_t i = 0; i < runs; i++, room += per) {
        n->states[i].bodies   = (ss_body_state *)room;
        n->states[i].measures = (double *)(n->states[i].bodies + p->study->carry_count);
    }
    return n;
}

void ss_plan_node_free(ss_plan *p, ss_plan_node *n)
{
    size_t per = (size_t)p->study->carry_count * sizeof(ss_body_state) +
                 (size_t)p->study->measure_count * sizeof(double);
    if (n != NULL) {
        ss_free(p->ctx, n, sizeof *n + (size_t)p->runs * (sizeof(ss_plan_state) + per));
    }
}

void ss_plan_node_copy(const ss_plan *p, const ss_plan_node *from, ss_plan_node *to)
{
    memcpy(to->steps, from->steps, sizeof to->steps);
    to->length = from->length;
    to->size   = from->size;
    to->worst  = from->worst;
    for (int32_t i = 0; i < p->runs; i++) {
        to->states[i].failed = from->states[i].failed;
        memcpy(to->states[i].bodies, from->states[i].bodies,
               (size_t)p->study->carry_count * sizeof(ss_body_state));
        memcpy(to->states[i].measures, from->states[i].measures,
               (size_t)p->study->measure_count * sizeof(double));
    }
}

double ss_plan_error_of(const ss_plan *p, const ss_plan_node *n, int32_t run, int32_t goal)
{
    const ss_goal *g = &p->study->goals[goal];
    double         e = n->states[run].measures[g->measure] / g->tolerance;
    return n->states[run].failed || isnan(e) ? INFINITY : e;
}

static void weigh(const ss_plan *p, ss_plan_node *n)
{
    double sum = 0, worst = 0;
    for (int32_t i = 0; i < p->runs; i++) {
        for (int32_t g = 0; g < p->study->goal_count; g++) {
            double e = fabs(ss_plan_error_of(p, n, i, g));
            sum += e * e;
            worst = fmax(worst, e);
        }
    }
    n->size  = sqrt(sum / (p->runs * p->study->goal_count));
    n->worst = worst;
}

/* ---- doing plans, many at once ---- */

/* What the plan does from action `from` on; the states are those before it. */
static ss_status follow(ss_plan *p, ss_plan_worker *w, ss_plan_node *n, int32_t rung, int32_t from)
{
    for (int32_t k = from; k < n->length; k++) {
        if (!p->fixed) {
            ss_plan_look(p->study, &n->states[0], &n->steps[k]);
        }
        for (int32_t i = 0; i < p->runs; i++) {
            SS_TRY(ss_plan_act(w, rung, i, &n->steps[k], k == 0, &n->states[i]));
            if (n->states[i].failed && !p->judging) {
                n->size = n->worst = INFINITY; /* what fails once is no plan */
                return SS_OK;
            }
        }
    }
    weigh(p, n);
    return SS_OK;
}

static void count_simulated(ss_plan *p, ss_plan_node **nodes, int32_t count, int32_t from)
{
    for (int32_t i = 0; i < count; i++) {
        p->simulated += (int64_t)p->runs * (from >= 0 ? nodes[i]->length - from : 1);
    }
}

ss_status ss_plan_follow_all(ss_plan *p, ss_plan_node **nodes, int32_t count, int32_t rung,
                             int32_t from)
{
    ss_status first = SS_OK;
    count_simulated(p, nodes, count, from);
    if (ss_plan_journal_take(p, nodes, count, rung, from)) {
        return SS_OK;
    }
    uint64_t key = p->journal != NULL ? ss_plan_journal_key(p, nodes, count, rung, from) : 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(p->worker_count)
    for (int32_t i = 0; i < count; i++) {
        int me = 0;
#ifdef SS_HAVE_OPENMP
        me = omp_get_thread_num();
#endif
        ss_plan_worker *w = &p->workers[me];
        if (w->interrupt != NULL && *w->interrupt != 0) {
            continue;
        }
        int32_t   start  = from >= 0 ? from : nodes[i]->length - 1;
        ss_status status = follow(p, w, nodes[i], rung, start);
        if (status != SS_OK) {
#pragma omp critical(ss_plan)
            if (first == SS_OK) {
                first = ss_fail(p->ctx, status, "%s", ss_context_message(w->ctx));
            }
        }
    }
    const volatile sig_atomic_t *stop = p->workers[0].interrupt;
    if (first == SS_OK && stop != NULL && *stop != 0) {
        return ss_fail(p->ctx, SS_ERR_INTERRUPTED, "interrupted");
    }
    return first == SS_OK ? ss_plan_journal_add(p, nodes, count, key) : first;
}

ss_status ss_plan_root(ss_plan *p, int32_t rung, ss_plan_node *n)
{
    for (int32_t i = 0; i < p->runs; i++) {
        ss_status status = ss_plan_begin(&p->workers[0], rung, i, &n->states[i]);
        if (status != SS_OK) {
            return ss_fail(p->ctx, status, "%s", ss_context_message(p->workers[0].ctx));
        }
    }
    return SS_OK;
}

/* ---- random actions ---- */

static double share(const ss_plan *p, uint64_t sample, uint32_t name)
{
    double u[2];
    ss_philox_uniform(p->study->seed, sample, name, 0, u);
    return u[0];
}

static int32_t pick(double u, int64_t count)
{
    int64_t i = (int64_t)(u * (double)count);
    return (int32_t)(i < count ? i : count - 1);
}

static void draw_step(const ss_plan *p, uint64_t sample, ss_plan_step *step)
{
    const ss_study *s = p->study;
    *step             = (ss_plan_step){
                    .action = pick(share(p, sample, ss_philox_name("plan: action")), s->action_count)};
    const ss_action *a = &s->actions[step->action];
    for (int32_t i = 0; i < a->choice_count; i++) {
        const ss_variable *v = &a->choices[i];
        double             u = share(p, sample, v->name);
        step->x[i]           = v->kind == SS_VARY_CHOICE ? v->leaves[pick(u, v->count)]
                                                         : v->low + u * (v->high - v->low);
    }
}

/* ---- keeping some ---- */

static int by_size(const void *a, const void *b)
{
    const ss_plan_node *x = *(ss_plan_node *const *)a, *y = *(ss_plan_node *const *)b;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size)
                              : (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b)
{
    const ss_plan_node *x = *(ss_plan_node *const *)a, *y = *(ss_plan_node *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Puts the beginnings to keep in front, the nearest first; returns how many. */
static int32_t choose(ss_plan_node **list, int32_t count, int32_t width)
{
    qsort(list, (size_t)count, sizeof(ss_plan_node *), by_size);
    while (count > 0 && !isfinite(list[count - 1]->size)) {
        count--;
    }
    int32_t nearest = width - width / 2;
    if (count <= width) {
        return count;
    }
    qsort(list + nearest, (size_t)(count - nearest), sizeof(ss_plan_node *), by_number);
    return width;
}

/* ---- Newton's method ---- */

enum { NUMBERS_MAX = SS_PLAN_LENGTH * SS_PLAN_CHOICES, TRIES = 4 };

typedef struct newton {
    ss_plan      *p;
    int32_t       rung, n, m;                             /* numbers, errors                     */
    int32_t       step[NUMBERS_MAX], choice[NUMBERS_MAX]; /* of number i */
    double       *J, *A, *e, *g;                          /* (m x n), (n x n), (m), (n)          */
    double        change[NUMBERS_MAX], moved[NUMBERS_MAX];
    bool          held[NUMBERS_MAX];
    ss_plan_node *root, **trial; /* (n or TRIES at least)               */
    int32_t       trial_count;
} newton;

static const ss_variable *variable_of(const newton *x, const ss_plan_node *n, int32_t i)
{
    const ss_plan_step *step = &n->steps[x->step[i]];
    return &x->p->study->actions[step->action].choices[x->choice[i]];
}

static void list_numbers(newton *x, const ss_plan_node *n)
{
    for (int32_t k = 0; k < n->length; k++) {
        const ss_action *a = &x->p->study->actions[n->steps[k].action];
        for (int32_t c = 0; c < a->choice_count; c++) {
            if (a->choices[c].kind == SS_VARY_BOUNDS) {
                x->step[x->n]     = k;
                x->choice[x->n++] = c;
            }
        }
    }
}

static void errors(const newton *x, const ss_plan_node *n, double *e)
{
    int32_t goals = x->p->study->goal_count;
    for (int32_t i = 0; i < x->m; i++) {
        e[i] = ss_plan_error_of(x->p, n, i / goals, i % goals);
    }
}

/* Node `to` is plan `n` from the start, with number i (none: -1) changed. */
static void prepare(newton *x, const ss_plan_node *n, ss_plan_node *to)
{
    ss_plan_node_copy(x->p, x->root, to);
    memcpy(to->steps, n->steps, sizeof to->steps);
    to->length = n->length;
}

static ss_status jacobian(newton *x, const ss_plan_node *n)
{
    for (int32_t i = 0; i < x->n; i++) {
        const ss_variable *v    = variable_of(x, n, i);
        double            *at   = &x->trial[i]->steps[x->step[i]].x[x->choice[i]];
        double             most = SS_PLAN_CHANGE * (v->high - v->low);
        prepare(x, n, x->trial[i]);
        double was   = *at;
        *at          = was + most <= v->high ? was + most : was - most;
        x->change[i] = (*at - was) / (v->high - v->low);
    }
    SS_TRY(ss_plan_follow_all(x->p, x->trial, x->n, x->rung, 0));
    errors(x, n, x->e);
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t r = 0; r < x->m; r++) {
            int32_t goals = x->p->study->goal_count;
            double  there = ss_plan_error_of(x->p, x->trial[i], r / goals, r % goals);
            double  slope = (there - x->e[r]) / x->change[i];
            x->J[(ptrdiff_t)r * x->n + i] = isfinite(slope) ? slope : 0;
        }
    }
    return SS_OK;
}

/* Solves A g = g in place, A positive definite; false: it is not. */
static bool solve_symmetric(double *A, double *g, int32_t n)
{
    if (!ss_cholesky(A, n)) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            g[i] -= A[i * n + j] * g[j];
        }
        g[i] /= A[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < n; j++) {
            g[i] -= A[j * n + i] * g[j];
        }
        g[i] /= A[i * n + i];
    }
    return true;
}

/* s = -(J'J + d tr I)^-1 J'e into g for the numbers that are free; those at their bounds have the
   displacement `moved` already. False: there is no step. */
static bool newton_step(newton *x, double damping)
{
    int32_t n     = x->n;
    double  trace = 0;
    memset(x->A, 0, (size_t)n * (size_t)n * sizeof *x->A);
    memset(x->g, 0, (size_t)n * sizeof *x->g);
    for (int32_t r = 0; r < x->m; r++) {
        const double *row = x->J + (ptrdiff_t)r * n;
        double        e   = x->e[r];
        for (int32_t i = 0; i < n; i++) {
            e += x->held[i] ? row[i] * x->moved[i] : 0;
        }
        for (int32_t i = 0; i < n; i++) {
            x->g[i] -= x->held[i] ? 0 : row[i] * e;
            for (int32_t j = 0; j <= i && !x->held[i]; j++) {
                x->A[i * n + j] += x->held[j] ? 0 : row[i] * row[j];
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        trace += x->A[i * n + i];
    }
    for (int32_t i = 0; i < n; i++) {
        x->A[i * n + i] = x->held[i] ? 1 : x->A[i * n + i] + damping * trace;
    }
    return trace > 0 && isfinite(trace) && solve_symmetric(x->A, x->g, n);
}

/* Holds numbers at the bounds that the step would take them beyond; did it hold another one? */
static bool hold_at_bounds(newton *x, const ss_plan_node *n)
{
    bool more = false;
    for (int32_t i = 0; i < x->n; i++) {
        const ss_variable *v    = variable_of(x, n, i);
        double             at   = n->steps[x->step[i]].x[x->choice[i]];
        double             wide = v->high - v->low, to = at + x->g[i] * wide;
        if (!x->held[i] && (to < v->low || to > v->high)) {
            x->held[i]  = true;
            x->moved[i] = ((to < v->low ? v->low : v->high) - at) / wide;
            more        = true;
        }
    }
    return more;
}

/* The step within the bounds, into moved; false: there is none. */
static bool bounded_step(newton *x, const ss_plan_node *n, double damping)
{
    memset(x->held, 0, sizeof x->held);
    memset(x->moved, 0, sizeof x->moved);
    do {
        if (!newton_step(x, damping)) {
            break; /* all are held, or no free one has an effect */
        }
    } while (hold_at_bounds(x, n));
    bool any = false;
    for (int32_t i = 0; i < x->n; i++) {
        x->moved[i] = x->held[i] ? x->moved[i] : isfinite(x->g[i]) ? x->g[i] : 0;
        any         = any || x->moved[i] != 0;
    }
    return any;
}

/* Plans with several dampings; the best one, or NULL. */
static ss_status try_steps(newton *x, const ss_plan_node *n, double damping, ss_plan_node **best)
{
    int32_t count = 0;
    *best         = NULL;
    for (int32_t k = 0; k < TRIES; k++, damping *= 30) {
        if (!bounded_step(x, n, damping)) {
            continue;
        }
        ss_plan_node *to = x->trial[count++];
        prepare(x, n, to);
        for (int32_t i = 0; i < x->n; i++) {
            const ss_variable *v  = variable_of(x, n, i);
            double            *at = &to->steps[x->step[i]].x[x->choice[i]];
            *at = fmin(fmax(*at + x->moved[i] * (v->high - v->low), v->low), v->high);
        }
    }
    SS_TRY(ss_plan_follow_all(x->p, x->trial, count, x->rung, 0));
    for (int32_t k = 0; k < count; k++) {
        if (x->trial[k]->size < (*best != NULL ? (*best)->size : n->size)) {
            *best = x->trial[k];
        }
    }
    return SS_OK;
}

static ss_status newton_room(newton *x, ss_plan_node *n)
{
    ss_plan *p = x->p;
    list_numbers(x, n);
    x->m           = p->runs * p->study->goal_count;
    x->trial_count = x->n > TRIES ? x->n : TRIES;
    size_t numbers = (size_t)x->n + 1;
    x->J           = ss_pool_alloc(&p->scratch, (size_t)x->m * numbers, sizeof *x->J);
    x->A           = ss_pool_alloc(&p->scratch, numbers * numbers, sizeof *x->A);
    x->e           = ss_pool_alloc(&p->scratch, (size_t)x->m, sizeof *x->e);
    x->g           = ss_pool_alloc(&p->scratch, numbers, sizeof *x->g);
    x->trial       = ss_pool_alloc(&p->scratch, (size_t)x->trial_count, sizeof(ss_plan_node *));
    x->root        = ss_plan_node_new(p);
    bool ok = x->J != NULL && x->A != NULL && x->e != NULL && x->g != NULL && x->root != NULL;
    for (int32_t i = 0; x->trial != NULL && i < x->trial_count; i++) {
        x->trial[i] = ss_plan_node_new(p);
        ok          = ok && x->trial[i] != NULL;
    }
    return ok && x->trial != NULL ? SS_OK : ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
}

static ss_status newton_loop(newton *x, ss_plan_node *n, double enough)
{
    SS_TRY(ss_plan_root(x->p, x->rung, x->root));
    prepare(x, n, x->trial[0]);
    SS_TRY(ss_plan_follow_all(x->p, x->trial, 1, x->rung, 0));
    ss_plan_node_copy(x->p, x->trial[0], n);
    for (int32_t i = 0;
         i < x->p->method.steps && n->worst > enough && isfinite(n->size) && x->n > 0; i++) {
        ss_plan_node *better = NULL;
        double        before = n->size;
        SS_TRY(jacobian(x, n));
        SS_TRY(try_steps(x, n, SS_PLAN_DAMPING, &better));
        if (better == NULL) {
            return SS_OK;
        }
        ss_plan_node_copy(x->p, better, n);
        if (n->size > (1 - SS_PLAN_GAIN) * before) {
            return SS_OK;
        }
    }
    return SS_OK;
}

static ss_status improve(ss_plan *p, ss_plan_node *n, int32_t rung, double enough)
{
    newton   *x      = ss_alloc(p->ctx, 1, sizeof *x);
    ss_status status = x != NULL ? SS_OK : ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
    if (status == SS_OK) {
        x->p    = p;
        x->rung = rung;
        status  = newton_room(x, n);
    }
    if (status == SS_OK) {
        status = newton_loop(x, n, enough);
    }
    for (int32_t i = 0; x != NULL && x->trial != NULL && i < x->trial_count; i++) {
        ss_plan_node_free(p, x->trial[i]);
    }
    if (x != NULL) {
        ss_plan_node_free(p, x->root);
        ss_free(p->ctx, x, sizeof *x);
    }
    ss_pool_free(&p->scratch);
    p->scratch = (ss_pool){.ctx = p->ctx};
    return status;
}

/* ---- the search ---- */

static void tell(const ss_plan *p, int32_t length)
{
    if (p->def->progress != NULL) {
        p->def->progress(p->def->progress_user, length, p->simulated,
                         p->best->length > 0 ? p->best->worst : INFINITY);
    }
}

/* Up the rungs while the plan stays near; keeps it when it is the best so far. */
static ss_status refine(ss_plan *p, const ss_plan_node *from, ss_plan_node *n)
{
    int32_t last = p->study->rung_count - 1;
    ss_plan_node_copy(p, from, n);
    for (int32_t r = 0; r <= last; r++) {
        SS_TRY(improve(p, n, r, r < last ? 1 : SS_PLAN_ENOUGH));
        bool hopeless = !isfinite(n->size) || (r < last && n->size > SS_PLAN_NEAR);
        if (hopeless && p->best->length > 0) {
            return SS_OK;
        }
    }
    if (p->best->length == 0 || n->worst < p->best->worst) {
        ss_plan_node_copy(p, n, p->best);
    }
    return SS_OK;
}

/* New beginnings after those that were kept, in list (samples); kept ones are freed. */
static ss_status grow(ss_plan *p, ss_plan_node **kept, int32_t kept_count, int32_t length,
                      ss_plan_node **list)
{
    for (int32_t i = 0; i < p->method.samples; i++) {
        list[i] = ss_plan_node_new(p);
        if (list[i] == NULL) {
            return ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
        }
        ss_plan_node_copy(p, kept[i % kept_count], list[i]);
        list[i]->number = i;
        list[i]->length = length;
        draw_step(p, ((uint64_t)length << 32) + (uint64_t)i, &list[i]->steps[length - 1]);
    }
    return ss_plan_follow_all(p, list, p->method.samples, 0, -1);
}

static void drop(ss_plan *p, ss_plan_node **list, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        ss_plan_node_free(p, list[i]);
        list[i] = NULL;
    }
}

static ss_status try_length(ss_plan *p, ss_plan_node **list, int32_t kept, int32_t length)
{
    ss_plan_node *n      = ss_plan_node_new(p);
    ss_status     status = n != NULL ? SS_OK : ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
    for (int32_t i = 0; status == SS_OK && i < p->method.refine && i < kept; i++) {
        status = refine(p, list[i], n);
        tell(p, length);
        if (p->best->worst <= 1 && p->best->length > 0) {
            break;
        }
    }
    ss_plan_node_free(p, n);
    return status;
}

static ss_status search_lengths(ss_plan *p, ss_plan_node **kept, ss_plan_node **list)
{
    const ss_study *s     = p->study;
    int32_t         count = 1;
    for (int32_t length = 1; length <= s->length[1] && count > 0; length++) {
        ss_status status = grow(p, kept, count, length, list);
        drop(p, kept, 0, count);
        memcpy(kept, list, (size_t)p->method.samples * sizeof *kept);
        memset(list, 0, (size_t)p->method.samples * sizeof *list);
        SS_TRY(status);
        count = choose(kept, p->method.samples, p->method.width);
        drop(p, kept, count, p->method.samples);
        tell(p, length);
        if (length >= s->length[0]) {
            SS_TRY(try_length(p, kept, count, length));
        }
        if (p->best->length > 0 && p->best->worst <= 1) {
            return SS_OK;
        }
    }
    return SS_OK;
}

ss_status ss_plan_search(ss_plan *p)
{
    size_t room =
        (size_t)(p->method.samples > p->method.width ? p->method.samples : p->method.width);
    ss_plan_node **kept = ss_alloc(p->ctx, room, sizeof *kept);
    ss_plan_node **list = ss_alloc(p->ctx, room, sizeof *list);
    ss_status      status =
        kept != NULL && list != NULL ? SS_OK : ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
    if (status == SS_OK) {
        kept[0] = ss_plan_node_new(p);
        status  = kept[0] != NULL ? ss_plan_root(p, 0, kept[0])
                                  : ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
    }
    if (status == SS_OK) {
        status = search_lengths(p, kept, list);
    }
    if (kept != NULL) {
        drop(p, kept, 0, (int32_t)room);
        ss_free(p->ctx, kept, room * sizeof *kept);
    }
    if (list != NULL) {
        drop(p, list, 0, (int32_t)room);
        ss_free(p->ctx, list, room * sizeof *list);
    }
    return status;
}
