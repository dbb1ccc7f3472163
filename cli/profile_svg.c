/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stickslip/plot.h"

enum { LABEL_SIZE = 64 };

/* Times below a tick of the clock are equal, not infinitely better. */
static double ratio(double seconds, double best)
{
    const double tick = 1e-7;
    return fmax(seconds, tick) / fmax(best, tick);
}

static double best_time(const ss_profile *p, size_t problem)
{
    double best = INFINITY;
    for (size_t s = 0; s < p->solvers; s++) {
        double t = p->seconds[problem * p->solvers + s];
        best     = t >= 0 ? fmin(best, t) : best;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ratios of one solver, ascending; returns how many problems it solved. */
static size_t ratios_of(const ss_profile *p, size_t solver, double *out)
{
    size_t count = 0;
    for (size_t k = 0; k < p->problems; k++) {
        double t = p->seconds[k * p->solvers + solver];
        if (t >= 0) {
            out[count++] = ratio(t, best_time(p, k));
        }
    }
    qsort(out, count, sizeof *out, ascending);
    return count;
}

/* Where the axis ends: beyond the slowest of all. */
static double slowest(const ss_profile *p, double *scratch)
{
    double end = 2;
    for (size_t s = 0; s < p->solvers; s++) {
        size_t count = ratios_of(p, s, scratch);
        end          = count > 0 ? fmax(end, 1.1 * scratch[count - 1]) : end;
    }
    return end;
}

/* From (1, 0), a step up at every ratio, and on to the end; `problems + 2` points at most. */
static size_t stairs_of(const ss_profile *p, size_t solver, double end, double *x, double *y)
{
    size_t count = ratios_of(p, solver, x + 1);
    x[0]         = 1;
    y[0]         = 0;
    for (size_t k = 1; k <= count; k++) {
        y[k] = (double)k / (double)p->problems;
    }
    x[count + 1] = end;
    y[count + 1] = y[count];
    return count;
}

static ss_status draw(ss_context *ctx, const ss_profile *p, const char *path, ss_curve *curves,
                      double *points, char (*labels)[LABEL_SIZE])
{
    size_t room = p->problems + 2;
    double end  = slowest(p, points);
    char   title[96];
    for (size_t s = 0; s < p->solvers; s++) {
        double *x = points + 2 * room * s, *y = x + room;
        size_t  solved = stairs_of(p, s, end, x, y);
        snprintf(labels[s], LABEL_SIZE, "%.40s (%zu of %zu)", p->names[s], solved, p->problems);
        curves[s] = (ss_curve){labels[s], x, y, solved + 2};
    }
    snprintf(title, sizeof title, "Share of %zu problem%s solved", p->problems,
             p->problems == 1 ? "" : "s");
    const ss_plot plot = {.title       = title,
                          .x_label     = "at most this many times slower than the fastest solver",
                          .y_label     = "share",
                          .curves      = curves,
                          .curve_count = (int32_t)p->solvers,
                          .log_x       = true,
                          .stairs      = true};
    return ss_plot_write(ctx, &plot, 1, path);
}

ss_status ss_profile_write(ss_context *ctx, const ss_profile *p, const char *path)
{
    ss_curve *curves          = calloc(p->solvers + 1, sizeof *curves);
    double   *points          = calloc(2 * (p->solvers + 1) * (p->problems + 2), sizeof *points);
    char(*labels)[LABEL_SIZE] = calloc(p->solvers + 1, sizeof *labels);
    ss_status status          = curves != NULL && points != NULL && labels != NULL
                                    ? draw(ctx, p, path, curves, points, labels)
                                    : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the profile");
    free(curves);
    free(points);
    free(labels);
    return status;
}
