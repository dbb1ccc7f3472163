/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Particle filters. Many particles, each with values theta of its own (drawn evenly between their
 * bounds) and a state, are stepped by the engine from sample to sample, and weighed by how well
 * they explain what was measured. Two kinds:
 *
 *   bootstrap       a particle's state is a point (Gordon, Salmond, Smith, 1993):
 *                     w *= exp(-|r|^2 / 2)
 *   rao-blackwell   .. is a normal distribution (x, C = S S') that is carried along with it, so
 * that the values alone are sampled. Divided differences (Norgaard, Poulsen, Ravn, "New
 * developments in state estimation for nonlinear systems", Automatica 36, 2000) along the columns
 * s_j of S, c^2 = 3: X_j = (Phi(x + c s_j) - Phi(x - c s_j)) / 2c,     C = X X' + Q Y_j = (r(x + c
 * s_j) - r(x - c s_j)) / 2c,         V = Y Y' + 1 w *= exp(-r'V^-1 r / 2) / sqrt(det V) x -= S Y'
 * V^-1 r,                                 C = S S' - S Y' V^-1 Y S' Exact where Phi is linear:
 * while no contact of the spread changes its state.
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
#include "identify/filter.h"
#include "identify/tolerances.h"
#include "linalg/dense.h"
#include "study/philox.h"
#include "study/quantile.h"
#include "study/trial.h"

/* What random numbers are for. */
typedef enum purpose { DRAW_START, DRAW_WALK, DRAW_KERNEL, DRAW_RESAMPLE } purpose;

typedef struct swarm {
    ss_fitter         *f;
    const ss_unknowns *u;
    ss_history        *h;
    ss_pool           *pool; /* of one recording */
    int32_t            n, nv, nx, count, size;
    int32_t            trial, sample;
    uint32_t           moment; /* over all recordings */
    bool               gaussian;
    double            *z, *other_z;         /* (count x n) values, coordinates             */
    double            *C, *other_C;         /* (count x nx x nx) gaussian: factor S         */
    double            *state, *other_state; /* (count x size)                               */
    double            *weight;              /* (count) logarithm, then share                */
    int32_t           *parent;              /* (count)                                      */
    int32_t           *order;               /* (count) */
} swarm;

static ss_status no_memory(const swarm *s)
{
    return ss_fail(s->f->ctx, SS_ERR_MEMORY, "out of memory");
}

/* ---- random numbers ---- */

static double uniform(const swarm *s, int32_t particle, purpose why, int32_t unknown)
{
    static const uint32_t salt[] = {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
    uint32_t name = ss_philox_name(unknown >= 0 ? s->u->names[unknown] : "particles") ^ salt[why];
    double   u[2];
    ss_philox_uniform(s->f->p->study->seed, (uint64_t)particle, name, s->moment, u);
    return u[0];
}

static double normal(const swarm *s, int32_t particle, purpose why, int32_t unknown)
{
    return ss_normal_quantile(uniform(s, particle, why, unknown));
}

/* Mirrored at the bounds until it lies between them. */
static double mirror(double x, double low, double high)
{
    double width = high - low, at = fmod(x - low, 2 * width);
    at = at < 0 ? at + 2 * width : at;
    return low + (at > width ? 2 * width - at : at);
}

static double within(const swarm *s, int32_t unknown, double x)
{
    if (unknown >= s->nv) {
        return x;
    }
    int32_t i = s->u->value[unknown];
    return mirror(x, s->f->low[i], s->f->high[i]);
}

/* ---- a recording's start ---- */

static void draw_values(swarm *s, int32_t trial)
{
    for (int32_t i = 0; i < s->nv; i++) {
        int32_t of = s->f->p->parameters[s->u->value[i]].trial;
        if (of != trial && !(trial == 0 && of < 0)) {
            continue; /* goes on as the recordings before left it */
        }
        double low = s->f->low[s->u->value[i]], high = s->f->high[s->u->value[i]];
        for (int32_t j = 0; j < s->count; j++) {
            s->z[(ptrdiff_t)j * s->n + i] = low + uniform(s, j, DRAW_START, i) * (high - low);
        }
    }
}

static void draw_states(swarm *s, const double *x, const double *deviation)
{
    for (int32_t j = 0; j < s->count; j++) {
        double *z = s->z + (ptrdiff_t)j * s->n + s->nv;
        for (int32_t c = 0; c < s->nx; c++) {
            z[c] = x[c];
            if (s->gaussian) {
                s->C[((ptrdiff_t)j * s->nx + c) * s->nx + c] = deviation[c];
            } else {
                z[c] += deviation[c] * normal(s, j, DRAW_START, s->nv + c);
            }
        }
    }
}

/* The parameters of the scene that a particle means. */
static void spread(const swarm *s, int32_t particle, double *theta)
{
    for (int32_t i = 0; i < s->f->p->parameter_count; i++) {
        theta[i] = s->f->p->parameters[i].start;
    }
    for (int32_t i = 0; i < s->nv; i++) {
        theta[s->u->value[i]] = s->z[(ptrdiff_t)particle * s->n + i];
    }
}

/* Every particle at the start of the recording, in its scene. */
static ss_status start_particle(swarm *s, ss_identify_worker *w, int32_t j, double *theta)
{
    ss_stretch one;
    spread(s, j, theta);
    ss_status status = ss_stretch_open(w, s->u, s->trial, theta, &one);
    if (status == SS_OK) {
        status = ss_stretch_get(&one, s->state + (ptrdiff_t)j * s->size, NULL);
    }
    ss_stretch_close(&one);
    return status;
}

static ss_status find_size(swarm *s, double *theta)
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

static ss_status make_room(swarm *s)
{
    size_t count = (size_t)s->count, C = s->gaussian ? (size_t)s->nx * (size_t)s->nx : 0;
    s->C           = ss_pool_alloc(s->pool, count * C + 1, sizeof *s->C);
    s->other_C     = ss_pool_alloc(s->pool, count * C + 1, sizeof *s->C);
    s->state       = ss_pool_alloc(s->pool, count * (size_t)s->size + 1, sizeof *s->state);
    s->other_state = ss_pool_alloc(s->pool, count * (size_t)s->size + 1, sizeof *s->state);
    bool made = s->C != NULL && s->other_C != NULL && s->state != NULL && s->other_state != NULL;
    return made ? SS_OK : no_memory(s);
}

/* ---- one particle from sample to sample ---- */

/* Work of one thread. */
typedef struct scratch {
    double *theta;             /* (parameters)               */
    double *r, *x, *up, *down; /* (columns), (nx), (columns + nx) twice */
    double *X, *Y, *V, *K;     /* (nx x nx), (columns x nx), (columns x columns), (nx)  */
    double *memory;
    size_t  room;
} scratch;

static ss_status make_scratch(const swarm *s, ss_context *ctx, scratch *k)
{
    size_t nc = (size_t)s->f->p->column_count, nx = (size_t)s->nx;
    size_t n  = (size_t)s->f->p->parameter_count;
    k->room   = n + nc + nx + 2 * (nc + nx) + nx * nx + nc * nx + nc * nc + nx + nc + 1;
    k->memory = ss_alloc(ctx, k->room, sizeof *k->memory);
    if (k->memory == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    k->theta = k->memory;
    k->r     = k->theta + n;
    k->x     = k->r + nc;
    k->up    = k->x + nx;
    k->down  = k->up + nc + nx;
    k->X     = k->down + nc + nx;
    k->Y     = k->X + nx * nx;
    k->V     = k->Y + nc * nx;
    k->K     = k->V + nc * nc;
    return SS_OK;
}

/* From the last sample to this one (the first is where it starts): coordinates and residuals. */
static ss_status go(const swarm *s, ss_stretch *one, const double *state, const double *x,
                    double *r, double *to)
{
    SS_TRY(ss_stretch_put(one, state, x));
    if (s->sample > 0) {
        SS_TRY(ss_stretch_advance(one, s->sample - 1, s->sample));
    }
    SS_TRY(ss_stretch_get(one, NULL, to));
    return ss_stretch_residuals(one, s->sample, r);
}

static double time_passed(const swarm *s)
{
    const double *t = s->f->p->trials[s->trial].t;
    return s->sample > 0 ? t[s->sample] - t[s->sample - 1] : 0;
}

/* kind: bootstrap */
static ss_status step_point(swarm *s, ss_stretch *one, int32_t j, scratch *k, double *chance)
{
    double *z = s->z + (ptrdiff_t)j * s->n + s->nv, *state = s->state + (ptrdiff_t)j * s->size;
    double  root  = sqrt(time_passed(s));
    bool    moved = false;
    SS_TRY(go(s, one, state, z, k->r, z));
    SS_TRY(ss_stretch_get(one, state, NULL));
    for (int32_t c = 0; c < s->nx; c++) {
        double walk = ss_unknowns_walk(s->u, s->nv + c) * root;
        if (walk > 0) {
            z[c] += walk * normal(s, j, DRAW_WALK, s->nv + c);
            moved = true;
        }
    }
    if (moved) {
        SS_TRY(ss_stretch_put(one, state, z));
        SS_TRY(ss_stretch_residuals(one, s->sample, k->r));
    }
    *chance = 0;
    for (int32_t i = 0; i < s->f->p->column_count; i++) {
        *chance -= k->r[i] * k->r[i] / 2;
    }
    return SS_OK;
}

/* The lower factor of X X' + Q, in place of X (nx x nx). */
static void refactor(const swarm *s, const double *X, const double *walk2, double *S)
{
    int32_t n = s->nx;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = i == j && walk2 != NULL ? walk2[i] : 0;
            for (int32_t k = 0; k < n; k++) {
                sum += X[i + (ptrdiff_t)k * n] * X[j + (ptrdiff_t)k * n];
            }
            for (int32_t k = 0; k < j; k++) {
                sum -= S[i + (ptrdiff_t)k * n] * S[j + (ptrdiff_t)k * n];
            }
            if (i == j) {
                S[i + (ptrdiff_t)i * n] = sqrt(fmax(sum, 0));
            } else {
                double pivot            = S[j + (ptrdiff_t)j * n];
                S[i + (ptrdiff_t)j * n] = pivot > 0 ? sum / pivot : 0;
                S[j + (ptrdiff_t)i * n] = 0;
            }
        }
    }
}

/* Columns X and Y of the divided differences. */
static ss_status differences(const swarm *s, ss_stretch *one, const double *state, const double *x,
                             const double *S, scratch *k)
{
    const double c  = sqrt(3);
    int32_t      nc = s->f->p->column_count, nx = s->nx;
    for (int32_t j = 0; j < nx; j++) {
        double *ends[2] = {k->up, k->down};
        for (int side = 0; side < 2; side++) {
            for (int32_t i = 0; i < nx; i++) {
                k->K[i] = x[i] + (side == 0 ? c : -c) * S[i + (ptrdiff_t)j * nx];
            }
            SS_TRY(go(s, one, state, k->K, ends[side], ends[side] + nc));
        }
        for (int32_t i = 0; i < nx; i++) {
            k->X[i + (ptrdiff_t)j * nx] = (k->up[nc + i] - k->down[nc + i]) / (2 * c);
        }
    }
    return SS_OK;
}

/* What residuals are along the columns of S around the end. */
static ss_status look_around(const swarm *s, ss_stretch *one, const double *state, const double *x,
                             const double *S, scratch *k)
{
    const double c  = sqrt(3);
    int32_t      nc = s->f->p->column_count, nx = s->nx;
    for (int32_t j = 0; j < nx; j++) {
        double *ends[2] = {k->up, k->down};
        for (int side = 0; side < 2; side++) {
            for (int32_t i = 0; i < nx; i++) {
                k->K[i] = x[i] + (side == 0 ? c : -c) * S[i + (ptrdiff_t)j * nx];
            }
            SS_TRY(ss_stretch_put(one, state, k->K));
            SS_TRY(ss_stretch_residuals(one, s->sample, ends[side]));
        }
        for (int32_t i = 0; i < nc; i++) {
            k->Y[i + (ptrdiff_t)j * nc] = (k->up[i] - k->down[i]) / (2 * c);
        }
    }
    return SS_OK;
}

/* The sample is taken: x and S change, and *chance is the logarithm of what it makes of w. */
static bool take_sample(const swarm *s, scratch *k, double *x, double *S, double *chance)
{
    int32_t nc = s->f->p->column_count, nx = s->nx;
    double *e = k->K + nx;
    for (int32_t i = 0; i < nc; i++) {
        for (int32_t j = 0; j < nc; j++) {
            double sum = i == j;
            for (int32_t l = 0; l < nx; l++) {
                sum += k->Y[i + (ptrdiff_t)l * nc] * k->Y[j + (ptrdiff_t)l * nc];
            }
            k->V[i + (ptrdiff_t)j * nc] = sum;
        }
        e[i] = k->r[i];
    }
    if (!ss_dense_cholesky(nc, k->V, nc)) {
        return false;
    }
    *chance = 0;
    ss_dense_cholesky_solve(nc, k->V, nc, e);
    for (int32_t i = 0; i < nc; i++) {
        *chance -= k->r[i] * e[i] / 2 + ss_ln(k->V[i + (ptrdiff_t)i * nc]);
    }
    /* (1 - Y'V^-1Y) has the factor M with S M the new one; S and M are small */
    for (int32_t j = 0; j < nx; j++) {
        k->K[j] = 0;
        for (int32_t i = 0; i < nc; i++) {
            k->K[j] += k->Y[i + (ptrdiff_t)j * nc] * e[i];
        }
    }
    for (int32_t i = 0; i < nx; i++) {
        for (int32_t j = 0; j < nx; j++) {
            x[i] -= S[i + (ptrdiff_t)j * nx] * k->K[j];
        }
    }
    return true;
}

/* S (1 - Y'V^-1Y) S', factorised. */
static void shrink(const swarm *s, scratch *k, double *S)
{
    int32_t nc = s->f->p->column_count, nx = s->nx;
    double *W = k->X; /* the factor of 1 - Y'V^-1Y, then S times it */
    for (int32_t j = 0; j < nx; j++) {
        double *e = k->up;
        memcpy(e, k->Y + (ptrdiff_t)j * nc, (size_t)nc * sizeof *e);
        ss_dense_cholesky_solve(nc, k->V, nc, e);
        for (int32_t i = 0; i < nx; i++) {
            double sum = i == j;
            for (int32_t l = 0; l < nc; l++) {
                sum -= k->Y[l + (ptrdiff_t)i * nc] * e[l];
            }
            W[i + (ptrdiff_t)j * nx] = sum;
        }
    }
    if (nx == 0 || !ss_dense_cholesky(nx, W, nx)) {
        return; /* rounding: the sample told nothing that shows */
    }
    for (int32_t i = nx - 1; i >= 0; i--) { /* rows of S times the lower W, from the last on */
        for (int32_t j = 0; j < nx; j++) {
            double sum = 0;
            for (int32_t l = j; l < nx; l++) {
                sum += S[i + (ptrdiff_t)l * nx] * W[l + (ptrdiff_t)j * nx];
            }
            k->down[j] = sum;
        }
        for (int32_t j = 0; j < nx; j++) {
            S[i + (ptrdiff_t)j * nx] = k->down[j];
        }
    }
}

/* kind: rao-blackwell */
static ss_status step_gaussian(swarm *s, ss_stretch *one, int32_t j, scratch *k, double *chance)
{
    double *x = s->z + (ptrdiff_t)j * s->n + s->nv, *state = s->state + (ptrdiff_t)j * s->size;
    double *S  = s->C + (ptrdiff_t)j * s->nx * s->nx;
    double  dt = time_passed(s);
    if (s->sample > 0) {
        SS_TRY(differences(s, one, state, x, S, k));
        for (int32_t c = 0; c < s->nx; c++) {
            double walk = ss_unknowns_walk(s->u, s->nv + c);
            k->K[c]     = walk * walk * dt;
        }
        refactor(s, k->X, k->K, S);
    }
    SS_TRY(go(s, one, state, x, k->r, x));
    SS_TRY(ss_stretch_get(one, state, NULL));
    SS_TRY(look_around(s, one, state, x, S, k));
    if (!take_sample(s, k, x, S, chance)) {
        return ss_fail(one->w->ctx, SS_ERR_CERTIFICATE, "a residual is not finite");
    }
    shrink(s, k, S);
    return SS_OK;
}

static ss_status step_particle(swarm *s, ss_identify_worker *w, int32_t j, scratch *k)
{
    ss_stretch one;
    double     chance = -INFINITY;
    double     root   = sqrt(time_passed(s));
    for (int32_t i = 0; i < s->nv; i++) {
        double walk = ss_unknowns_walk(s->u, i) * root;
        if (walk > 0) {
            double *z = &s->z[(ptrdiff_t)j * s->n + i];
            *z        = within(s, i, *z + walk * normal(s, j, DRAW_WALK, i));
        }
    }
    spread(s, j, k->theta);
    ss_status status = ss_stretch_open(w, s->u, s->trial, k->theta, &one);
    if (status == SS_OK) {
        status = s->gaussian ? step_gaussian(s, &one, j, k, &chance)
                             : step_point(s, &one, j, k, &chance);
    }
    ss_stretch_close(&one);
    s->weight[j] += status == SS_OK && !isnan(chance) ? chance : -INFINITY;
    return status;
}

/* Particles start (first) or go on to the sample, side by side. */
static ss_status step_all(swarm *s, bool first)
{
    ss_fitter *f = s->f;
    f->failed    = SS_OK;
#pragma omp parallel num_threads(f->threads)
    {
        ss_identify_worker *w    = ss_fitter_worker(f);
        scratch             k    = {0};
        ss_status           made = make_scratch(s, w->ctx, &k);
#pragma omp for schedule(dynamic, 8)
        for (int32_t j = 0; j < s->count; j++) {
            ss_status status = made;
            if (made == SS_OK) {
                status = first ? start_particle(s, w, j, k.theta) : step_particle(s, w, j, &k);
            }
            if (status != SS_OK) {
#pragma omp critical(ss_identify)
                ss_fitter_note(f, w->ctx, status);
                if (first) {
                    s->weight[j] = 0;
                }
            }
        }
        ss_free(w->ctx, k.memory, k.room * sizeof *k.memory);
    }
    return ss_fitter_after(f, s->gaussian ? (int64_t)s->count * (2 * s->nx + 1) : s->count);
}

/* ---- weights ---- */

/* Logarithms into shares; the effective number. */
static ss_status normalise(swarm *s, double *effective)
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
static void pick(const swarm *s, int32_t wanted, double at, int32_t *out)
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

static void mean_of(const swarm *s, double *mean)
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
static bool moves(const swarm *s, int32_t i)
{
    return ss_unknowns_use(s->u, i, s->trial);
}

/* The factor (n x n) of the covariance of all that the kernel moves. */
static void factor_spread(const swarm *s, const double *mean, double *L)
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
static double kernel_width(const swarm *s)
{
    double told = s->f->p->search.filter.kernel, d = 0;
    for (int32_t i = 0; i < s->n; i++) {
        d += moves(s, i);
    }
    return told >= 0 ? told : fmin(ss_pow(4 / (s->count * (d + 2)), 1 / (d + 4)), 0.9);
}

static void draw_kernel(swarm *s, int32_t j, const double *mean, const double *L, double k)
{
    double  a = sqrt(1 - k * k);
    double *z = s->z + (ptrdiff_t)j * s->n;
    for (int32_t i = s->n - 1; i >= 0; i--) {
        double away = 0;
        for (int32_t l = 0; moves(s, i) && l <= i; l++) {
            away += L[i + (ptrdiff_t)l * s->n] * normal(s, j, DRAW_KERNEL, l);
        }
        if (moves(s, i)) {
            z[i] = within(s, i, a * z[i] + (1 - a) * mean[i] + k * away);
        }
    }
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a        = *b;
    *b        = c;
}

static void copy_parents(swarm *s)
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

static ss_status resample(swarm *s)
{
    ss_pool pool = {.ctx = s->f->ctx};
    size_t  n    = (size_t)s->n;
    double *mean = ss_pool_alloc(&pool, n + n * n + 1, sizeof *mean);
    if (mean == NULL) {
        return no_memory(s);
    }
    mean_of(s, mean);
    factor_spread(s, mean, mean + n);
    pick(s, s->count, uniform(s, 0, DRAW_RESAMPLE, -1), s->parent);
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
static void sort_by(swarm *s, int32_t i)
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
static double quantile(const swarm *s, int32_t i, double p)
{
    double  sum = 0;
    int32_t k   = -1;
    while (k + 1 < s->count && sum < p) {
        sum += s->weight[s->order[++k]];
    }
    return s->z[(ptrdiff_t)s->order[k < 0 ? 0 : k] * s->n + i];
}

static double deviation_of(const swarm *s, int32_t i, double mean)
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

static void fill_moment(swarm *s, ss_moment *m, double effective)
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
static void judge_ends(const swarm *s, int32_t i, double deviation, bool open[2])
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

static void conclude(const swarm *s, const ss_moment *m, double *theta, ss_certainty *out)
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

static ss_status take(swarm *s)
{
    const ss_filter_def *d         = &s->f->p->search.filter;
    double               effective = 0;
    for (int32_t j = 0; j < s->count; j++) {
        s->weight[j] = ss_ln(s->weight[j]);
    }
    SS_TRY(step_all(s, false));
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

static ss_status start_trial(swarm *s, int32_t trial, double *work)
{
    s->trial  = trial;
    s->sample = 0;
    SS_TRY(find_size(s, work));
    SS_TRY(make_room(s));
    ss_unknowns_start(s->u, trial, work, work + s->nx);
    draw_values(s, trial);
    draw_states(s, work, work + s->nx);
    s->moment++;
    return step_all(s, true);
}

static ss_status follow(swarm *s, int32_t trial, double *theta, ss_certainty *out)
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
    return status;
}

ss_status ss_particle_search(ss_fitter *f, ss_history *h, double *theta, ss_certainty *out)
{
    const ss_unknowns *u     = &h->unknowns;
    ss_pool            pool  = {.ctx = f->ctx};
    size_t             count = (size_t)f->p->search.filter.particles, n = (size_t)u->count;
    swarm              s = {.f        = f,
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
