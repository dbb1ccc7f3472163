/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How sure. Near the optimum the cost is C(theta) = C_min + (du)'J'J(du), so that with noise of
 * variance s^2 the estimate has the covariance s^2 (J'J)^-1 (linear model). Further away the
 * profile likelihood counts: for each value v of a parameter all others are searched for anew, and
 *
 *   z(v) = sign(v - best) sqrt((C(v) - C_min) / s^2)
 *
 * is where Student's distribution (normal, where s is known) has its quantiles; z is a straight
 * line for linear models, so that secants find the ends of the interval in two or three steps
 * (Bates and Watts, "Nonlinear regression analysis", 1988, chapter 6). A profile that stays below
 * the quantile up to a bound says that the data do not tell the parameter from its bound.
 */
#include <math.h>
#include <string.h>

#include "identify/fit.h"
#include "identify/tolerances.h"
#include "linalg/dense.h"
#include "study/quantile.h"

/* What the linear model says. */
typedef struct linear {
    int32_t n;
    double *L;     /* (n x n) factor of J'J, unit rows for what is blind */
    double *unit;  /* (n) */
    bool   *blind; /* (n) nothing depends on it */
} linear;

/* J'J with the rows and columns of blind parameters those of the identity. What tells less of a
   parameter than the noise hides is nothing, in whatever units the noise was told. */
static void fill_factor(const double *A, double noise, linear *l)
{
    int32_t n = l->n;
    memcpy(l->L, A, (size_t)n * (size_t)n * sizeof *l->L);
    for (int32_t i = 0; i < n; i++) {
        double *pivot = &l->L[i + (ptrdiff_t)i * n];
        l->blind[i]   = !(sqrt(*pivot) * SS_BLIND > noise);
        for (int32_t j = 0; l->blind[i] && j < n; j++) {
            l->L[i + (ptrdiff_t)j * n] = l->L[j + (ptrdiff_t)i * n] = 0;
        }
        *pivot = l->blind[i] ? 1 : *pivot;
    }
}

/* Parameters that can stand in for each other have no inverse: a trace of damping gives them one,
   with deviations far beyond any bound. */
static void factorise(const double *A, double noise, linear *l)
{
    double damping = 0;
    bool   done    = false;
    while (!done && damping < 1) {
        fill_factor(A, noise, l);
        for (int32_t i = 0; i < l->n; i++) {
            l->L[i + (ptrdiff_t)i * l->n] *= 1 + damping;
        }
        done    = ss_dense_cholesky(l->n, l->L, l->n);
        damping = damping > 0 ? 100 * damping : SS_COLLINEAR;
    }
}

/* Column i of (J'J)^-1 into l->unit. */
static void solve_unit(linear *l, int32_t i)
{
    memset(l->unit, 0, (size_t)l->n * sizeof *l->unit);
    l->unit[i] = 1;
    ss_dense_cholesky_solve(l->n, l->L, l->n, l->unit);
}

static void linear_model(const ss_fitter *f, const double *A, double noise, linear *l,
                         ss_certainty *out, double *correlation)
{
    int32_t n = l->n;
    factorise(A, noise, l);
    for (int32_t i = 0; i < n; i++) {
        solve_unit(l, i);
        double var       = l->unit[i];
        out[i].deviation = l->blind[i] ? INFINITY : noise * sqrt(var) * f->scale[i];
        for (int32_t j = 0; j < n; j++) {
            correlation[i + (ptrdiff_t)j * n] = l->blind[i] || l->blind[j] ? NAN : l->unit[j];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (i != j) {
                correlation[i + (ptrdiff_t)j * n] /=
                    sqrt(correlation[i + (ptrdiff_t)i * n] * correlation[j + (ptrdiff_t)j * n]);
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        correlation[i + (ptrdiff_t)i * n] = l->blind[i] ? NAN : 1;
    }
}

/* ---- the profile ---- */

typedef struct profile {
    ss_fitter    *f;
    const double *best;
    double       *theta; /* (n) */
    bool         *fixed; /* (n) */
    double        cost, noise, quantile;
    int32_t       parameter;
    bool          better; /* a lower cost was met: */
    double       *there;  /* (n) with these values; or NULL */
    double        least;
    ss_certainty *kept; /* where it was followed */
} profile;

/* Points in the order of their values. */
static void keep_point(ss_certainty *c, double value, double height)
{
    if (c->profile_count == SS_PROFILE_MOST || !isfinite(height)) {
        return;
    }
    int32_t i = c->profile_count++;
    for (; i > 0 && c->profile[i - 1].value > value; i--) {
        c->profile[i] = c->profile[i - 1];
    }
    c->profile[i] = (ss_profile_point){value, height};
}

static ss_status height(profile *p, double value, double *z)
{
    ss_squares_result result;
    ss_fit            fit  = {.fixed = p->fixed, .until = INFINITY, .iterations = 30};
    p->theta[p->parameter] = value;
    SS_TRY(ss_fit_minimise(p->f, &fit, p->theta, NULL, &result));
    double more = (result.cost - p->cost) / (p->noise * p->noise);
    if (more < -SS_PROFILE_ENOUGH && result.cost < p->least) {
        p->better = true;
        p->least  = result.cost;
        if (p->there != NULL) {
            memcpy(p->there, p->theta, (size_t)p->f->p->parameter_count * sizeof *p->there);
        }
    }
    *z = isfinite(more) ? sqrt(fmax(more, 0)) : INFINITY;
    keep_point(p->kept, value, *z);
    return SS_OK;
}

/* One end of the interval, in the direction `way`; *open: the bound is reached before it. */
static ss_status find_end(profile *p, double deviation, int way, double *end, bool *open)
{
    enum { SECANTS = 12 };
    int32_t i     = p->parameter;
    double  limit = way > 0 ? p->f->high[i] : p->f->low[i], best = p->best[i];
    double  inner = 0, outer = INFINITY; /* distances known to lie inside and outside */
    double  reach = fabs(limit - best), far = p->quantile * deviation;
    *open = false;
    memcpy(p->theta, p->best, (size_t)p->f->p->parameter_count * sizeof *p->theta);
    for (int k = 0; k < SECANTS; k++) {
        double z = 0, at = fmin(isfinite(far) ? far : reach, reach);
        if (at <= inner || at >= outer) {
            at = isfinite(outer) ? (inner + outer) / 2 : fmin(2 * inner, reach);
        }
        SS_TRY(height(p, best + way * at, &z));
        *end = best + way * at;
        if (fabs(z - p->quantile) <= SS_PROFILE_ENOUGH * p->quantile) {
            return SS_OK;
        }
        if (z < p->quantile && at >= reach) {
            *open = true;
            return SS_OK;
        }
        inner = z < p->quantile ? at : inner;
        outer = z < p->quantile ? outer : at;
        far   = z > 0 && isfinite(z) ? at * p->quantile / z : 2 * at;
    }
    return SS_OK;
}

static ss_determined verdict(bool open_low, bool open_high)
{
    return open_low && open_high ? SS_DETERMINED_NOT
           : open_low            ? SS_DETERMINED_ABOVE
           : open_high           ? SS_DETERMINED_BELOW
                                 : SS_DETERMINED_BOTH;
}

static ss_status follow_profile(profile *p, int32_t i, ss_certainty *c)
{
    bool open_low = false, open_high = false;
    p->parameter = i;
    p->kept      = c;
    p->fixed[i]  = true;
    keep_point(c, p->best[i], 0);
    SS_TRY(find_end(p, c->deviation, -1, &c->low, &open_low));
    SS_TRY(find_end(p, c->deviation, 1, &c->high, &open_high));
    p->fixed[i]   = false;
    c->determined = verdict(open_low, open_high);
    return SS_OK;
}

/* Where no profile is followed. */
static void linear_interval(const ss_fitter *f, int32_t i, double best, double quantile,
                            ss_certainty *c)
{
    double half = quantile * c->deviation;
    bool   lost = !(c->deviation < SS_BLIND * f->scale[i]);
    c->low      = fmax(best - half, f->low[i]);
    c->high     = fmin(best + half, f->high[i]);
    c->determined =
        lost ? SS_DETERMINED_NOT : verdict(best - half<f->low[i], best + half> f->high[i]);
}

static bool at_bound(const ss_fitter *f, int32_t i, double value)
{
    double width = f->high[i] - f->low[i];
    return isfinite(width) &&
           (value - f->low[i] <= SS_AT_BOUND * width || f->high[i] - value <= SS_AT_BOUND * width);
}

/* ---- both ---- */

static ss_status intervals(profile *p, ss_certainty *out)
{
    const ss_identify *id = p->f->p;
    for (int32_t i = 0; i < id->parameter_count; i++) {
        linear_interval(p->f, i, p->best[i], p->quantile, &out[i]);
        out[i].at_bound      = at_bound(p->f, i, p->best[i]);
        out[i].profile_count = 0;
        if (id->confidence.profile && !id->parameters[i].nuisance) {
            SS_TRY(follow_profile(p, i, &out[i]));
        }
    }
    return SS_OK;
}

ss_status ss_confidence(ss_fitter *f, const double *theta, const double *A, double cost,
                        double noise, double degrees, ss_certainty *out, double *correlation,
                        bool *better, double *there)
{
    size_t    n      = (size_t)f->p->parameter_count;
    ss_pool   pool   = {.ctx = f->ctx};
    linear    l      = {.n     = (int32_t)n,
                        .L     = ss_pool_alloc(&pool, n * n + 1, sizeof *l.L),
                        .unit  = ss_pool_alloc(&pool, n + 1, sizeof *l.unit),
                        .blind = ss_pool_alloc(&pool, n + 1, sizeof *l.blind)};
    double    tail   = (1 + f->p->confidence.level) / 2;
    profile   p      = {.f        = f,
                        .best     = theta,
                        .theta    = ss_pool_alloc(&pool, n + 1, sizeof *p.theta),
                        .fixed    = ss_pool_alloc(&pool, n + 1, sizeof *p.fixed),
                        .cost     = cost,
                        .least    = cost,
                        .there    = there,
                        .noise    = noise,
                        .quantile = f->p->sigma_known ? ss_normal_quantile(tail)
                                                      : ss_student_quantile(tail, degrees)};
    ss_status status = SS_OK;
    if (l.L == NULL || l.unit == NULL || l.blind == NULL || p.theta == NULL || p.fixed == NULL) {
        status = ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    }
    if (status == SS_OK) {
        linear_model(f, A, noise, &l, out, correlation);
        status = intervals(&p, out);
    }
    *better = p.better;
    ss_pool_free(&pool);
    return status;
}
