/* SPDX-License-Identifier: Apache-2.0 */
#include "model/friction_place.h"

/* The cell that v lies in, 0 .. n - 2, and how far along it, 0 .. 1; n = 1: there is none. */
static int32_t cell_of(const double *x, int32_t n, double v, double *along)
{
    int32_t low = 0, high = n - 1;
    *along = 0;
    if (n < 2 || v <= x[0]) {
        return 0;
    }
    if (v >= x[n - 1]) {
        *along = 1;
        return n - 2;
    }
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        low            = x[middle] <= v ? middle : low;
        high           = x[middle] <= v ? high : middle;
    }
    *along = (v - x[low]) / (x[high] - x[low]);
    return low;
}

/* Between the values at both ends of a cell of row j; the last column has no next one. */
static double along_row(const ss_friction_place *f, int32_t j, int32_t i, double s)
{
    const double *row = f->values + (size_t)j * (size_t)f->nx;
    return s > 0 ? row[i] + s * (row[i + 1] - row[i]) : row[i];
}

double ss_friction_at(const ss_friction_place *f, ss_vec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    double       s, t;
    if (f->by_formula) {
        return ss_formula_at(&f->formula, at, 0).v;
    }
    int32_t i   = cell_of(f->x, f->nx, at[f->axes[0]], &s);
    int32_t j   = cell_of(f->y, f->ny, at[f->axes[1]], &t);
    double  low = along_row(f, j, i, s);
    return t > 0 ? low + t * (along_row(f, j + 1, i, s) - low) : low;
}
