/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function given by points (x_i, y_i), x increasing: what a recording gives, or a curve that no
 * formula describes.
 *
 *   step    y_i on [x_i, x_i+1)
 *   linear  straight lines
 *   cubic   the spline with two continuous derivatives; ends are "not a knot" (the third derivative
 *           is continuous at the second and the last but one point), so that cubics are reproduced;
 *           three points give their parabola
 *
 * Before the first and after the last point the function keeps its end values; with a period it
 * repeats instead, and the last point is followed by the first one, a period later.
 */
#ifndef SS_EXPR_POINT_TABLE_H
#define SS_EXPR_POINT_TABLE_H

#include <stdint.h>

typedef enum ss_table_kind { SS_TABLE_CUBIC, SS_TABLE_LINEAR, SS_TABLE_STEP } ss_table_kind;

typedef struct ss_point_table {
    const double *x, *y;
    const double *slope; /* (count) cubic: dy/dx at the points; otherwise NULL */
    int32_t       count; /* with a period: the closing point is among them */
    ss_table_kind kind;
    double        period; /* 0: none */
} ss_point_table;

double ss_point_table_value(const ss_point_table *table, double x);

/* In which of its pieces x lies, counted from the first on through all periods; of a spline, which
   bends nowhere else: before, within or after its points, and within with a period. */
double ss_point_table_piece(const ss_point_table *table, double x);

/*
 * Slopes of the cubic through `count` >= 2 points; `work` has room for 3 count. With `periodic` the
 * last point is the first one again.
 */
void ss_point_table_slopes(const double *x, const double *y, int32_t count, int periodic,
                           double *slope, double *work);

#endif
