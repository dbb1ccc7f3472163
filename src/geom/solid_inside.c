/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A point inside all surfaces, by the ellipsoid method: K lies in an ellipsoid E with centre c and
 * matrix P. If c is outside a surface, with height h > 0 and normal n there, K lies in the part of
 * E with n.(x - c) <= -h'; the smallest ellipsoid around that part is the next E. Its volume falls
 * by a factor of at least exp(-1/8) in each step, so that a K with any volume is found, and an E
 * that has become too small says that there is none.
 *
 * R. G. Bland, D. Goldfarb, M. J. Todd, The ellipsoid method: a survey, Operations Research 29,
 * 1981.
 */
#include "geom/solid.h"
#include "geom/tolerances.h"

/* The cut that goes deepest, or none when x is inside all. */
static double deepest_cut(const ss_solid *s, ss_vec3 x, ss_vec3 *normal)
{
    double far = -INFINITY;
    *normal    = ss_v3(1, 0, 0);
    for (int32_t i = 0; i < s->surface_count; i++) {
        ss_vec3 n;
        double  h = ss_surface_height(&s->surfaces[i], x, &n);
        if (h > far) {
            far     = h;
            *normal = n;
        }
    }
    return far;
}

/* The ellipsoid (c, P) cut through its centre by n; dimension k. */
static bool cut(ss_vec3 *c, ss_mat3 *P, ss_vec3 n, double k)
{
    ss_vec3 Pn    = ss_mul(P, n);
    double  width = sqrt(ss_dot(n, Pn));
    if (!(width > 0)) {
        return false;
    }
    ss_vec3 b    = ss_scale(1 / width, Pn);
    double  grow = k * k / (k * k - 1), less = 2 / (k + 1);
    *c                = ss_axpy(*c, -1 / (k + 1), b);
    const double v[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 9; i++) {
        P->m[i] = grow * (P->m[i] - less * v[i / 3] * v[i % 3]);
    }
    return true;
}

bool ss_solid_find_inside(const ss_solid *s, ss_vec3 start, double size, ss_vec3 *inside)
{
    enum { MAX_STEPS = 600 };
    const double least = SS_EMPTY;
    bool         flat  = s->dimension == 2;
    ss_vec3      c     = start;
    ss_mat3      P     = ss_mat3_diagonal(size * size, size * size, flat ? 0 : size * size);
    for (int i = 0; i < MAX_STEPS; i++) {
        ss_vec3 n;
        double  h     = deepest_cut(s, c, &n);
        double  width = sqrt(fmax(0, ss_dot(n, ss_mul(&P, n))));
        if (h < 0 && -h > least * size) {
            *inside = c;
            return true;
        }
        /* outside by more than the ellipsoid is wide, or no room left along n */
        if (h > width || width <= least * size || !cut(&c, &P, n, flat ? 2 : 3)) {
            return false;
        }
    }
    return false;
}
