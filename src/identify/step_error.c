/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the step of the runs adds. Noise and recordings are the same for every step, so that what is
 * found with steps h and h/2 differs by the error of the steps alone, b(h) - b(h/2):
 *
 *   D1 = theta(h) - theta(h/2),   D2 = theta(h/2) - theta(h/4),   |b(h)| <= max(2 |D1|, 4 |D2|)
 *
 * For methods of first order both are |b(h)|, for those of higher order they are more. Where
 * impacts fall on steps b(h) = h x(h) with an x that jumps about: then one of the two may be small
 * by chance, both rarely are (docs/theory/identification.md).
 */
#include <math.h>
#include <string.h>

#include "identify/fit.h"

enum { HALVINGS = 2, ITERATIONS = 10 };

/* theta becomes what is found with that many halvings; false: there are no such runs. */
static ss_status search_finer(ss_fitter *f, int32_t halvings, double *theta, bool *found)
{
    ss_fit            fit = {.until = INFINITY, .iterations = ITERATIONS, .halvings = halvings};
    ss_squares_result best;
    ss_status         status = ss_fit_minimise(f, &fit, theta, NULL, &best);
    for (int32_t i = 0; i < f->threads; i++) {
        f->workers[i].halvings = 0;
    }
    *found = status == SS_OK && isfinite(best.cost);
    return status;
}

ss_status ss_step_error(ss_fitter *f, const double *theta, double *error)
{
    size_t    n      = (size_t)f->p->parameter_count;
    double   *at     = ss_alloc(f->ctx, 2 * n + 1, sizeof *at);
    double   *before = at != NULL ? at + n : NULL;
    bool      found  = true;
    ss_status status = at != NULL ? SS_OK : ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    f->doing         = "steps";
    if (at != NULL) {
        memcpy(at, theta, n * sizeof *at);
        memset(error, 0, n * sizeof *error);
    }
    for (int32_t k = 1; status == SS_OK && k <= HALVINGS; k++) {
        memcpy(before, at, n * sizeof *at);
        status = search_finer(f, k, at, &found);
        for (size_t i = 0; i < n; i++) {
            double b = ldexp(fabs(before[i] - at[i]), k);
            error[i] = found ? fmax(error[i], b) : NAN;
        }
        if (!found) {
            break;
        }
    }
    ss_free(f->ctx, at, (2 * n + 1) * sizeof *at);
    return status;
}

void ss_include_step_error(const ss_fitter *f, const double *error, ss_certainty *out)
{
    for (int32_t i = 0; i < f->p->parameter_count; i++) {
        ss_certainty *c = &out[i];
        c->step_error   = error[i];
        if (!isnan(error[i])) {
            c->low  = fmax(c->low - error[i], f->low[i]);
            c->high = fmin(c->high + error[i], f->high[i]);
            c->bootstrap_low -= error[i]; /* NAN, where none was asked for */
            c->bootstrap_high += error[i];
        }
    }
}
