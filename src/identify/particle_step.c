/* SPDX-License-Identifier: Apache-2.0 */
/* One particle of a filter from sample to sample, and all of them side by side (particles.c). */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "identify/swarm.h"
#include "linalg/dense.h"
#include "study/philox.h"
#include "study/quantile.h"

/* ---- random numbers ---- */

double ss_swarm_uniform(const ss_swarm *s, int32_t particle, ss_draw why, int32_t unknown)
{
    static const uint32_t salt[] = {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
    uint32_t name = ss_philox_name(unknown >= 0 ? s->u->names[unknown] : "particles") ^ salt[why];
    double   u[2];
    ss_philox_uniform(s->f->p->study->seed, (uint64_t)particle, name, s->moment, u);
    return u[0];
}

double ss_swarm_normal(const ss_swarm *s, int32_t particle, ss_draw why, int32_t unknown)
{
    return ss_normal_quantile(ss_swarm_uniform(s, particle, why, unknown));
}

/* Mirrored at the bounds until it lies between them. */
static double mirror(double x, double low, double high)
{
    double width = high - low, at = fmod(x - low, 2 * width);
    at = at < 0 ? at + 2 * width : at;
    return low + (at > width ? 2 * width - at : at);
}

double ss_swarm_within(const ss_swarm *s, int32_t unknown, double x)
{
    if (unknown >= s->nv) {
        return x;
    }
    int32_t i = s->u->value[unknown];
    return mirror(x, s->f->low[i], s->f->high[i]);
}

/* The parameters of the scene that a particle means. */
static void spread(const ss_swarm *s, int32_t particle, double *theta)
{
    for (int32_t i = 0; i < s->f->p->parameter_count; i++) {
        theta[i] = s->f->p->parameters[i].start;
    }
    for (int32_t i = 0; i < s->nv; i++) {
        theta[s->u->value[i]] = s->z[(ptrdiff_t)particle * s->n + i];
    }
}

/* Every particle at the start of the recording, in its scene. */
static ss_status start_particle(ss_swarm *s, ss_identify_worker *w, int32_t j, double *theta)
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

/* ---- one particle from sample to sample ---- */

/* Work of one thread. */
typedef struct scratch {
    double *theta;             /* (parameters)               */
    double *r, *x, *up, *down; /* (columns), (nx), (columns + nx) twice */
    double *X, *Y, *V, *K;     /* (nx x nx), (columns x nx), (columns x columns), (nx)  */
    double *memory;
    size_t  room;
} scratch;

static ss_status make_scratch(const ss_swarm *s, ss_context *ctx, scratch *k)
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
static ss_status go(const ss_swarm *s, ss_stretch *one, const double *state, const double *x,
                    double *r, double *to)
{
    SS_TRY(ss_stretch_put(one, state, x));
    if (s->sample > 0) {
        SS_TRY(ss_stretch_advance(one, s->sample - 1, s->sample));
    }
    SS_TRY(ss_stretch_get(one, NULL, to));
    return ss_stretch_residuals(one, s->sample, r);
}

static double time_passed(const ss_swarm *s)
{
    const double *t = s->f->p->trials[s->trial].t;
    return s->sample > 0 ? t[s->sample] - t[s->sample - 1] : 0;
}

/* kind: bootstrap */
static ss_status step_point(ss_swarm *s, ss_stretch *one, int32_t j, scratch *k, double *chance)
{
    double *z = s->z + (ptrdiff_t)j * s->n + s->nv, *state = s->state + (ptrdiff_t)j * s->size;
    double  root  = sqrt(time_passed(s));
    bool    moved = false;
    SS_TRY(go(s, one, state, z, k->r, z));
    SS_TRY(ss_stretch_get(one, state, NULL));
    for (int32_t c = 0; c < s->nx; c++) {
        double walk = ss_unknowns_walk(s->u, s->nv + c) * root;
        if (walk > 0) {
            z[c] += walk * ss_swarm_normal(s, j, SS_DRAW_WALK, s->nv + c);
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
static void refactor(const ss_swarm *s, const double *X, const double *walk2, double *S)
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

/*
 * Differences along the columns of S, divided: of where the particle goes (X, `goes`: over the way
 * to the sample) or of the residuals where it is (Y).
 */
static ss_status differ(const ss_swarm *s, ss_stretch *one, const double *state, const double *x,
                        const double *S, bool goes, scratch *k)
{
    const double c  = sqrt(3);
    int32_t      nc = s->f->p->column_count, nx = s->nx, rows = goes ? nx : nc;
    double      *to    = goes ? k->X : k->Y;
    ptrdiff_t    first = goes ? nc : 0; /* of what differs, behind the residuals or these */
    for (int32_t j = 0; j < nx; j++) {
        double *ends[2] = {k->up, k->down};
        for (int side = 0; side < 2; side++) {
            for (int32_t i = 0; i < nx; i++) {
                k->K[i] = x[i] + (side == 0 ? c : -c) * S[i + (ptrdiff_t)j * nx];
            }
            if (goes) {
                SS_TRY(go(s, one, state, k->K, ends[side], ends[side] + nc));
            } else {
                SS_TRY(ss_stretch_put(one, state, k->K));
                SS_TRY(ss_stretch_residuals(one, s->sample, ends[side]));
            }
        }
        for (int32_t i = 0; i < rows; i++) {
            to[i + (ptrdiff_t)j * rows] = (k->up[first + i] - k->down[first + i]) / (2 * c);
        }
    }
    return SS_OK;
}

/* The sample is taken: x and S change, and *chance is the logarithm of what it makes of w. */
static bool take_sample(const ss_swarm *s, scratch *k, double *x, double *S, double *chance)
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
static void shrink(const ss_swarm *s, scratch *k, double *S)
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
static ss_status step_gaussian(ss_swarm *s, ss_stretch *one, int32_t j, scratch *k, double *chance)
{
    double *x = s->z + (ptrdiff_t)j * s->n + s->nv, *state = s->state + (ptrdiff_t)j * s->size;
    double *S  = s->C + (ptrdiff_t)j * s->nx * s->nx;
    double  dt = time_passed(s);
    if (s->sample > 0) {
        SS_TRY(differ(s, one, state, x, S, true, k));
        for (int32_t c = 0; c < s->nx; c++) {
            double walk = ss_unknowns_walk(s->u, s->nv + c);
            k->K[c]     = walk * walk * dt;
        }
        refactor(s, k->X, k->K, S);
    }
    SS_TRY(go(s, one, state, x, k->r, x));
    SS_TRY(ss_stretch_get(one, state, NULL));
    SS_TRY(differ(s, one, state, x, S, false, k));
    if (!take_sample(s, k, x, S, chance)) {
        return ss_fail(one->w->ctx, SS_ERR_CERTIFICATE, "a residual is not finite");
    }
    shrink(s, k, S);
    return SS_OK;
}

static ss_status step_particle(ss_swarm *s, ss_identify_worker *w, int32_t j, scratch *k)
{
    ss_stretch one;
    double     chance = -INFINITY;
    double     root   = sqrt(time_passed(s));
    for (int32_t i = 0; i < s->nv; i++) {
        double walk = ss_unknowns_walk(s->u, i) * root;
        if (walk > 0) {
            double *z = &s->z[(ptrdiff_t)j * s->n + i];
            *z        = ss_swarm_within(s, i, *z + walk * ss_swarm_normal(s, j, SS_DRAW_WALK, i));
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
ss_status ss_swarm_step(ss_swarm *s, bool first)
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
