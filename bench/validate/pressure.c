/* SPDX-License-Identifier: Apache-2.0 */
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
    int i0 = (int)floor((box.low.x - com.x) / cell), i1 = (int)ceil((box.high.x - com.x) / cell);
    int j0 = (int)floor((box.low.y - com.y) / cell), j1 = (int)ceil((box.high.y - com.y) / cell);
    p->count = 0;
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

static double at(const pressure_law *law, double x, double y)
{
    return pow(hypot(x, y), law->exponent) *
           exp(law->tilt_x * x + law->tilt_y * y + law->stretch * (x * x - y * y) +
               law->shear * 2 * x * y);
}

bool pressure_sample(pressure *p, const ss_vec3 *outline, int32_t count, ss_vec3 com, double weight,
                     const pressure_law *law, double length, int wanted)
{
    double cell = sqrt(area_of(outline, count) / wanted), sum = 0;
    if (!place_points(p, outline, count, com, cell)) {
        return false;
    }
    for (int32_t i = 0; i < p->count; i++) {
        p->forces[i] =
            at(law, (p->points[i].x - com.x) / length, (p->points[i].y - com.y) / length);
        sum += p->forces[i];
    }
    for (int32_t i = 0; i < p->count; i++) {
        p->forces[i] *= weight / sum;
        p->points[i] = ss_axpy(com, exp(law->reach), ss_sub(p->points[i], com));
    }
    return isfinite(sum) && sum > 0;
}
