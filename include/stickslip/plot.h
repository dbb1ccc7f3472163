/* SPDX-License-Identifier: Apache-2.0 */
/* Curves as SVG: pictures for papers that need no browser. */
#ifndef STICKSLIP_PLOT_H
#define STICKSLIP_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_curve {
    const char   *label;
    const double *x, *y; /* (count) points that are not finite make gaps */
    size_t        count;
} ss_curve;

typedef struct ss_plot {
    const char     *title, *x_label, *y_label; /* NULL: none */
    const ss_curve *curves;
    int32_t         curve_count;
    bool            log_x, log_y; /* values <= 0 make gaps                               */
    bool            stairs;       /* each value holds until the next                     */
} ss_plot;

/* The plots below each other, in one picture. */
SS_API ss_status ss_plot_write(ss_context *ctx, const ss_plot *plots, int32_t count,
                               const char *path);
/* The same into a file that is open; what became of the writing is the caller's to ask. */
SS_API ss_status ss_plot_print(ss_context *ctx, const ss_plot *plots, int32_t count, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
