/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Particle filters. Many particles, each with values theta of its own (drawn evenly between their
 * bounds) and a state, are stepped by the engine from sample to sample, and weighed by how well
 * they explain what was measured. Two kinds:
 *
 *   bootstrap       a particle's state is a point (Gordon, Salmond, Smith, 1993):
 *                     w *= exp(-|r|^2 / 2)
 *   rao-blackwell   .. is a normal distribution (x, C = S S') that is carried along with it, so
 *                   that the values alone are sampled.
 *
 * The second takes divided differences (Norgaard, Poulsen, Ravn, "New developments in state
 * estimation for nonlinear systems", Automatica 36, 2000) along the columns s_j of S, c^2 = 3:
 *
 *   X_j = (Phi(x + c s_j) - Phi(x - c s_j)) / 2c
 *   Y_j = (r(x + c s_j) - r(x - c s_j)) / 2c
 *
 * From sample to sample C = X X' + Q; with V = Y Y' + 1 a sample makes
 *
 *   w *= exp(-r'V^-1 r / 2) / sqrt(det V)
 *   x -= S Y'V^-1 r
 *   C  = S S' - S Y'V^-1 Y S'
 *
 * Exact where Phi is linear: while no contact of the spread changes its state.
 *
 * Where fewer than a part of the particles is effective (1 / sum w^2), they are drawn anew in
 * proportion to their weights (systematically), each from a kernel around where it was that leaves
 * mean and covariance of all as they are (Liu, West, 2001),
 *
 *   z = a z + (1 - a) mean + k N(0, Cov),      a = sqrt(1 - k^2)
 *
 * so that values which do not change stay in the cloud without a drift of their own; of states that
 * are distributions the middles x are drawn with the values. What would
 * leave its bounds is mirrored at them: no particle lies outside, none is put on the bound, and an
 * even distribution stays even. Random numbers are functions of (seed, particle, what, moment).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "identify/swarm.h"
#include "identify/tolerances.h"
#include "study/quantile.h"
#include "study/trial.h"

static ss_status no_memory(const ss_swarm *s)
{
    return ss_fail(s->f->ctx, SS_ERR_MEMORY, "out of memory");
}

/* ---- a recording's start ---- */

static void draw_values(ss_swarm *s, int32_t trial)
{
    for (int32_t i = 0; i < s->nv; i++) {
        int32_t of = s->f->p->parameters[s->u->value[i]].trial;
        if (of != trial && !(trial == 0 && of < 0)) {
            continue; /* goes on as the recordings before left it */
        }
        double low = s->f->low[s->u->value[i]], high = s->f->high[s->u->value[i]];
        for (int32_t j = 0; j < s->count; j++) {
            s->z[(ptrdiff_t)j * s->n + i] =
                low + ss_swarm_uniform(s, j, SS_DRAW_START, i) * (high - low);
        }
    }
}

static void draw_states(ss_swarm *s, const double *x, const double *deviation)
{
    for (int32_t j = 0; j < s->count; j++) {
        double *z = s->z + (ptrdiff_t)j * s->n + s->nv;
        for (int32_t c = 0; c < s->nx; c++) {
            z[c] = x[c];
            if (s->gaussian) {
                s->C[((ptrdiff_t)j * s->nx + c) * s->nx + c] = deviation[c];
            } else {
                z[c] += deviation[c] * ss_swarm_normal(s, j, SS_DRAW_START, s->nv + c);
            }
        }
    }
}

static ss_status find_size(ss_swarm *s, double *theta)
{
    ss_stretch one;
    for (int32_t i = 0; i < s->f->p->parameter_count; i++) {
        theta[i] = s->f->p->parameters[i].start;
    }
    ss_status status = ss_stretch_open(&s->f->workers[0], s->u, s->trial, theta, &one);
    s->size          = one.size;
    ss_stretch_close(&one);
    return status == SS_OK
               ? SS_OK
               : ss_fail(s->f->ctx, status, "no run can be made from where the search starts: %s",
                         ss_context_message(s->f->workers[0].ctx));
}

static ss_status make_room(ss_swarm *s)
{
    size_t count = (size_t)s->count, C = s->gaussian ? (size_t)s->nx * (size_t)s->nx : 0;
    s->C           = ss_pool_alloc(s->pool, count * C + 1, sizeof *s->C);
    s->other_C     = ss_pool_alloc(s->pool, count * C + 1, sizeof *s->C);
    s->state       = ss_pool_alloc(s->pool, count * (size_t)s->size + 1, sizeof *s->state);
    s->other_state = ss_pool_alloc(s->pool, count * (size_t)s->size + 1, sizeof *s->state);
    bool made = s->C != NULL && s->other_C != NULL && s->state != NULL && s->other_state != NULL;
    return made ? SS_OK : no_memory(s);
}

/* ---- weights ---- */

/* Logarithms into shares; the effective number. */
static ss_status normalise(ss_swarm *s, double *effective)
{
    double most = -INFINITY, sum = 0, squares = 0;
    for (int32_t j = 0; j < s->count; j++) {
        most = fmax(most, s->weight[j]);
    }
    if (!isfinite(most)) {
        return ss_fail(s->f->ctx, SS_ERR_INPUT, "no particle explains '%s' up to %g s: %s",
                       s->f->p->trials[s->trial].name, s->f->p->trials[s->trial].t[s->sample],
                       s->f->message[0] != '\0' ? s->f->message : "all are too far away");
    }
    for (int32_t j = 0; j < s->count; j++) {
        s->weight[j] = ss_exp(s->weight[j] - most);
        sum += s->weight[j];
    }
    for (int32_t j = 0; j < s->count; j++) {
        s->weight[j] /= sum;
        squares += s->weight[j] * s->weight[j];
    }
    *effective = 1 / squares;
    return SS_OK;
}

/* `wanted` particles in proportion to their weights; `at` in (0, 1). */
static void pick(const ss_swarm *s, int32_t wanted, double at, int32_t *out)
{
    double  sum = s->weight[0];
    int32_t j   = 0;
    for (int32_t k = 0; k < wanted; k++) {
        double target = (k + at) / wanted;
        while (sum < target && j + 1 < s->count) {
            sum += s->weight[++j];
        }
        out[k] = j;
    }
}

static void mean_of(const ss_swarm *s, double *mean)
{
    for (int32_t i = 0; i < s->n; i++) {
        mean[i] = 0;
        for (int32_t j = 0; j < s->count; j++) {
            mean[i] += s->weight[j] * s->z[(ptrdiff_t)j * s->n + i];
        }
    }
}

/* Does the kernel move it? Values of other recordings stay. The middle of a state that is carried
   as a distribution moves with the values that it belongs to: its covariance with them says how. */
static bool moves(const ss_swarm *s, int32_t i)
{
    return ss_unknowns_use(s->u, i, s->trial);
}

/* The factor (n x n) of the covariance of all that the kernel moves. */
static void factor_spread(const ss_swarm *s, const double *mean, double *L)
{
    int32_t n = s->n;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b <= a; b++) {
            double sum = 0;
            for (int32_t j = 0; j < s->count; j++) {
                const double *z = s->z + (ptrdiff_t)j * n;
                sum += s->weight[j] * (z[a] - mean[a]) * (z[b] - mean[b]);
            }
            sum = moves(s, a) && moves(s, b) ? sum * (a == b ? 1 + SS_DEFINITE : 1) : 0;
            for (int32_t k = 0; k < b; k++) {
                sum -= L[a + (ptrdiff_t)k * n] * L[b + (ptrdiff_t)k * n];
            }
            double pivot            = L[b + (ptrdiff_t)b * n];
            L[a + (ptrdiff_t)b * n] = a == b ? sqrt(fmax(sum, 0)) : pivot > 0 ? sum / pivot : 0;
        }
    }
}

/* How wide the kernel is, in deviations: as told, or by the rule of Silverman ("Density estimation
   for statistics and data analysis", 1986) for so many particles and dimensions. */
static double kernel_width(const ss_swarm *s)
{
    double told = s->f->p->search.filter.kernel, d = 0;
    for (int32_t i = 0; i < s->n; i++) {
        d += moves(s, i);
    }
    return told >= 0 ? told : fmin(ss_pow(4 / (s->count * (d + 2)), 1 / (d + 4)), 0.9);
}

static void draw_kernel(ss_swarm *s, int32_t j, const double *mean, const double *L, double k)
{
    double  a = sqrt(1 - k * k);
    double *z = s->z + (ptrdiff_t)j * s->n;
    for (int32_t i = s->n - 1; i >= 0; i--) {
        double away = 0;
        for (int32_t l = 0; moves(s, i) && l <= i; l++) {
            away += L[i + (ptrdiff_t)l * s->n] * ss_swarm_normal(s, j, SS_DRAW_KERNEL, l);
        }
        if (moves(s, i)) {
            z[i] = ss_swarm_within(s, i, a * z[i] + (1 - a) * mean[i] + k * away);
        }
    }
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a        = *b;
    *b        = c;
}

static void copy_parents(ss_swarm *s)
{
    size_t n = (size_t)s->n, size = (size_t)s->size;
    size_t C = s->gaussian ? (size_t)s->nx * (size_t)s->nx : 0;
    for (int32_t j = 0; j < s->count; j++) {
        size_t from = (size_t)s->parent[j], to = (size_t)j;
        memcpy(s->other_z + to * n, s->z + from * n, n * sizeof *s->z);
        memcpy(s->other_state + to * size, s->state + from * size, size * sizeof *s->state);
        memcpy(s->other_C + to * C, s->C + from * C, C * sizeof *s->C);
    }
    swap(&s->z, &s->other_z);
    swap(&s->state, &s->other_state);
    swap(&s->C, &s->other_C);
}

static ss_status resample(ss_swarm *s)
{
    ss_pool pool = {.ctx = s->f->ctx};
    size_t  n    = (size_t)s->n;
    double *mean = ss_pool_alloc(&pool, n + n * n + 1, sizeof *mean);
    if (mean == NULL) {
        return no_memory(s);
    }
    mean_of(s, mean);
    factor_spread(s, mean, mean + n);
    pick(s, s->count, ss_swarm_uniform(s, 0, SS_DRAW_RESAMPLE, -1), s->parent);
    copy_parents(s);
    double width = kernel_width(s);
    for (int32_t j = 0; j < s->count; j++) {
        s->weight[j] = 1.0 / s->count;
        draw_kernel(s, j, mean, mean + n, width);
    }
    ss_pool_free(&pool);
    return SS_OK;
}

/* ---- what is known ---- */

/* The unknown `i` of particles in rising order, into s->order. */
static void sort_by(ss_swarm *s, int32_t i)
{
    /* heapsort: the same for equal values on every machine, and no comparison needs a global */
    for (int32_t j = 0; j < s->count; j++) {
        s->order[j] = j;
    }
#define KEY(k) s->z[(ptrdiff_t)s->order[k] * s->n + i]
    for (int32_t start = s->count / 2, end = s->count; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            int32_t last  = s->order[--end];
            s->order[end] = s->order[0];
            s->order[0]   = last;
        }
        for (int32_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            child += child + 1 < end && KEY(child) < KEY(child + 1);
            if (KEY(root) >= KEY(child)) {
                break;
            }
            int32_t other   = s->order[root];
            s->order[root]  = s->order[child];
            s->order[child] = other;
        }
    }
#undef KEY
}

/* Where the weights of particles in their order reach p. */
static double quantile(const ss_swarm *s, int32_t i, double p)
{
    double  sum = 0;
    int32_t k   = -1;
    while (k + 1 < s->count && sum < p) {
        sum += s->weight[s->order[++k]];
    }
    return s->z[(ptrdiff_t)s->order[k < 0 ? 0 : k] * s->n + i];
}

static double deviation_of(const ss_swarm *s, int32_t i, double mean)
{
    double squares = 0;
    for (int32_t j = 0; j < s->count; j++) {
        double d = s->z[(ptrdiff_t)j * s->n + i] - mean, own = 0;
        for (int32_t k = 0; s->gaussian && i >= s->nv && k < s->nx; k++) {
            double S = s->C[((ptrdiff_t)j * s->nx + k) * s->nx + i - s->nv];
            own += S * S;
        }
        squares += s->weight[j] * (d * d + own);
    }
    return sqrt(squares);
}

static void fill_moment(ss_swarm *s, ss_moment *m, double effective)
{
    double tail  = (1 - s->f->p->confidence.level) / 2;
    m->effective = effective;
    mean_of(s, m->value);
    for (int32_t i = 0; i < s->n; i++) {
        m->deviation[i] = deviation_of(s, i, m->value[i]);
        if (s->gaussian && i >= s->nv) {
            double half = ss_normal_quantile(1 - tail) * m->deviation[i];
            m->low[i]   = m->value[i] - half;
            m->high[i]  = m->value[i] + half;
        } else {
            sort_by(s, i);
            m->low[i]  = quantile(s, i, tail);
            m->high[i] = quantile(s, i, 1 - tail);
        }
        if (!ss_unknowns_use(s->u, i, s->trial)) {
            m->value[i] = m->deviation[i] = m->low[i] = m->high[i] = NAN;
        }
    }
    pick(s, m->kept, 0.5, s->order);
    for (int32_t k = 0; k < m->kept; k++) {
        memcpy(m->cloud + (ptrdiff_t)k * s->n, s->z + (ptrdiff_t)s->order[k] * s->n,
               (size_t)s->n * sizeof *m->cloud);
    }
}

/* Density at a bound against the highest, in bins of half a deviation. */
static void judge_ends(const ss_swarm *s, int32_t i, double deviation, bool open[2])
{
    enum { BINS = 100 };
    int32_t parameter = s->u->value[i];
    double  low = s->f->low[parameter], width = s->f->high[parameter] - low, bins[BINS] = {0};
    int32_t count = (int32_t)fmin(fmax(ceil(2 * width / fmax(deviation, width / BINS)), 2), BINS);
    double  most  = 0;
    for (int32_t j = 0; j < s->count; j++) {
        double at = (s->z[(ptrdiff_t)j * s->n + i] - low) / width * count;
        bins[(int32_t)fmin(fmax(at, 0), count - 1)] += s->weight[j];
    }
    for (int32_t b = 0; b < count; b++) {
        most = fmax(most, bins[b]);
    }
    open[0] = bins[0] >= SS_OPEN_DENSITY * most;
    open[1] = bins[count - 1] >= SS_OPEN_DENSITY * most;
}

static void conclude(const ss_swarm *s, const ss_moment *m, double *theta, ss_certainty *out)
{
    for (int32_t i = 0; i < s->nv; i++) {
        int32_t parameter = s->u->value[i];
        double  width     = s->f->high[parameter] - s->f->low[parameter];
        bool    open[2], use = ss_unknowns_use(s->u, i, s->trial);
        if (!use) {
            continue; /* its own recording had the last word */
        }
        judge_ends(s, i, m->deviation[i], open);
        bool nothing     = m->deviation[i] >= SS_SPREAD_UNKNOWN * width / sqrt(12);
        theta[parameter] = m->value[i];
        out[parameter] =
            (ss_certainty){.deviation      = m->deviation[i],
                           .low            = m->low[i],
                           .high           = m->high[i],
                           .bootstrap_low  = NAN,
                           .bootstrap_high = NAN,
                           .determined     = nothing || (open[0] && open[1]) ? SS_DETERMINED_NOT
                                             : open[0]                       ? SS_DETERMINED_ABOVE
                                             : open[1]                       ? SS_DETERMINED_BELOW
                                                                             : SS_DETERMINED_BOTH};
    }
}

/* ---- recordings ---- */

static ss_status take(ss_swarm *s)
{
    const ss_filter_def *d         = &s->f->p->search.filter;
    double               effective = 0;
    for (int32_t j = 0; j < s->count; j++) {
        s->weight[j] = ss_ln(s->weight[j]);
    }
    SS_TRY(ss_swarm_step(s, false));
    SS_TRY(normalise(s, &effective));
    int32_t    kept = d->clouds < s->count ? d->clouds : s->count;
    ss_moment *m    = ss_history_add(s->h, s->trial, s->sample, kept);
    if (m == NULL) {
        return no_memory(s);
    }
    fill_moment(s, m, effective);
    m->resampled = effective < d->resample * s->count;
    s->moment++;
    return m->resampled ? resample(s) : SS_OK;
}

static ss_status start_trial(ss_swarm *s, int32_t trial, double *work)
{
    s->trial  = trial;
    s->sample = 0;
    SS_TRY(find_size(s, work));
    SS_TRY(make_room(s));
    ss_unknowns_start(s->u, trial, work, work + s->nx);
    draw_values(s, trial);
    draw_states(s, work, work + s->nx);
    s->moment++;
    return ss_swarm_step(s, true);
}

static ss_status follow(ss_swarm *s, int32_t trial, double *theta, ss_certainty *out)
{
    size_t  room     = 2 * (size_t)s->nx + (size_t)s->f->p->parameter_count + 1;
    ss_pool pool     = {.ctx = s->f->ctx};
    double *work     = ss_pool_alloc(&pool, room, sizeof *work);
    s->pool          = &pool;
    ss_status status = work != NULL ? start_trial(s, trial, work) : no_memory(s);
    for (; status == SS_OK && s->sample < s->f->p->trials[trial].count; s->sample++) {
        status = take(s);
    }
    if (status == SS_OK) {
        s->sample--;
        conclude(s, &s->h->moments[s->h->count - 1], theta, out);
    }
    ss_pool_free(&pool);
    s->pool = NULL;
    return status;
}

ss_status ss_particle_search(ss_fitter *f, ss_history *h, double *theta, ss_certainty *out)
{
    const ss_unknowns *u     = &h->unknowns;
    ss_pool            pool  = {.ctx = f->ctx};
    size_t             count = (size_t)f->p->search.filter.particles, n = (size_t)u->count;
    ss_swarm           s = {.f        = f,
                            .u        = u,
                            .h        = h,
                            .n        = u->count,
                            .nv       = u->value_count,
                            .nx       = u->coordinate_count,
                            .count    = f->p->search.filter.particles,
                            .gaussian = f->p->search.filter.kind == SS_PARTICLE_GAUSSIAN,
                            .z        = ss_pool_alloc(&pool, count * n + 1, sizeof *s.z),
                            .other_z  = ss_pool_alloc(&pool, count * n + 1, sizeof *s.z),
                            .weight   = ss_pool_alloc(&pool, count, sizeof *s.weight),
                            .parent   = ss_pool_alloc(&pool, count, sizeof *s.parent),
                            .order    = ss_pool_alloc(&pool, count, sizeof *s.order)};
    bool               made =
        s.z != NULL && s.other_z != NULL && s.weight != NULL && s.parent != NULL && s.order != NULL;
    ss_status status = made ? SS_OK : no_memory(&s);
    for (int32_t j = 0; status == SS_OK && j < s.count; j++) {
        s.weight[j] = 1.0 / s.count;
    }
    f->doing = "particles";
    for (int32_t k = 0; status == SS_OK && k < f->p->trial_count; k++) {
        status = follow(&s, k, theta, out);
    }
    ss_pool_free(&pool);
    return status;
}
