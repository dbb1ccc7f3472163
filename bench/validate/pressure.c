/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With weights w_i = |r_i|^k on the grid, the forces are N_i = w_i (a + b x_i + c y_i), seen from
 * the centre of mass, where (a, b, c) solve
 *
 *   sum N_i = W,   sum N_i x_i = 0,   sum N_i y_i = 0.
 */
#include "pressure.h"

#include <math.h>

static bool inside(const ss_vec3 *outline, int32_t count, double x, double y)
{
    bool in = false;
    for (int32_t i = 0, j = count - 1; i < count; j = i++) {
        const ss_vec3 *a = &outline[i], *b = &outline[j];
        if ((a->y > y) != (b->y > y) && x < (b->x - a->x) * (y - a->y) / (b->y - a->y) + a->x) {
            in = !in;
        }
    }
    return in;
}

static double area_of(const ss_vec3 *outline, int32_t count)
{
    double twice = 0;
    for (int32_t i = 0, j = count - 1; i < count; j = i++) {
        twice += outline[j].x * outline[i].y - outline[i].x * outline[j].y;
    }
    return fabs(twice) / 2;
}

static ss_aabb bounds_of(const ss_vec3 *outline, int32_t count)
{
    ss_aabb box = {outline[0], outline[0]};
    for (int32_t i = 1; i < count; i++) {
        box.low.x  = fmin(box.low.x, outline[i].x);
        box.low.y  = fmin(box.low.y, outline[i].y);
        box.high.x = fmax(box.high.x, outline[i].x);
        box.high.y = fmax(box.high.y, outline[i].y);
    }
    return box;
}

/* Middles of the cells of a grid about the centre of mass. */
static bool place_points(pressure *p, const ss_vec3 *outline, int32_t count, ss_vec3 com,
                         double cell)
{
    ss_aabb box = bounds_of(outline, count);
    int     i0 = (int)floor((box.low.x - com.x) / cell), i1 = (int)ceil((box.high.x - com.x) / cell);
    int     j0 = (int)floor((box.low.y - com.y) / cell), j1 = (int)ceil((box.high.y - com.y) / cell);
    p->count   = 0;
    for (int i = i0; i <= i1; i++) {
        for (int j = j0; j <= j1; j++) {
            double x = com.x + (i + 0.5) * cell, y = com.y + (j + 0.5) * cell;
            if (!inside(outline, count, x, y)) {
                continue;
            }
            if (p->count == PRESSURE_POINTS) {
                return false;
            }
            p->points[p->count++] = ss_v3(x, y, 0);
        }
    }
    return p->count > 3;
}

static bool solve_3(double A[3][4])
{
    for (int k = 0; k < 3; k++) {
        if (!(fabs(A[k][k]) > 0)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            double f = i == k ? 0 : A[i][k] / A[k][k];
            for (int c = k; c < 4; c++) {
                A[i][c] -= f * A[k][c];
            }
        }
    }
    return true;
}

static bool balance(pressure *p, ss_vec3 com, double weight)
{
    double A[3][4] = {{0, 0, 0, weight}};
    for (int32_t i = 0; i < p->count; i++) {
        double m[3] = {1, p->points[i].x - com.x, p->points[i].y - com.y};
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                A[r][c] += p->forces[i] * m[r] * m[c];
            }
        }
    }
    bool ok = solve_3(A);
    for (int32_t i = 0; ok && i < p->count; i++) {
        double tilt = A[0][3] / A[0][0] + A[1][3] / A[1][1] * (p->points[i].x - com.x) +
                      A[2][3] / A[2][2] * (p->points[i].y - com.y);
        p->forces[i] *= tilt;
        ok = p->forces[i] >= 0;
    }
    return ok;
}

bool pressure_sample(pressure *p, const ss_vec3 *outline, int32_t count, ss_vec3 com, double weight,
                     double exponent, int wanted)
{
    double cell = sqrt(area_of(outline, count) / wanted);
    if (!place_points(p, outline, count, com, cell)) {
        return false;
    }
    for (int32_t i = 0; i < p->count; i++) {
        double r     = hypot(p->points[i].x - com.x, p->points[i].y - com.y) / cell;
        p->forces[i] = pow(r, exponent);
    }
    return balance(p, com, weight);
}
