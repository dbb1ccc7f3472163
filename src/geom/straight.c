/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vertices at which the outline of a polygon goes straight on.
 *
 * Two sides in one line are one face with one normal. As two, they would be two branches (ways to
 * be apart from the polygon), each of which carries only what is over its own part: a box that
 * stands over the vertex between them would have the one or the other, never both of its ends.
 *
 * From a corner on, a vertex is dropped when it and all that were dropped since the last one kept
 * lie on the line from that to the next vertex, to SS_PLANES_ROUNDING of the polygon's size, and
 * the outline goes forward along it. So a fine arc stays: what is dropped adds up to no more than
 * rounding. The walk begins at the vertex farthest from the first: no vertex on a straight side is
 * farther than both of its ends.
 */
#include "geom/straight.h"

#include <math.h>
#include <string.h>

#include "geom/tolerances.h"

/* Does the outline run straight from vertex a to vertex c (both counted on round the polygon)? */
static bool is_straight(const ss_vec3 *v, int32_t n, int32_t a, int32_t c, double rounding)
{
    ss_vec3 from = v[a % n], along = ss_sub(v[c % n], from);
    double  most = rounding * ss_norm(along);
    for (int32_t k = a + 1; k <= c; k++) {
        ss_vec3 x = v[k % n], off = ss_cross(along, ss_sub(x, from));
        if (fabs(off.z) > most || !(ss_dot(ss_sub(x, v[(k - 1) % n]), along) > 0)) {
            return false;
        }
    }
    return true;
}

static int32_t farthest(const ss_vec3 *v, int32_t n, double *distance)
{
    int32_t far = 0;
    *distance   = 0;
    for (int32_t i = 1; i < n; i++) {
        double r  = ss_norm(ss_sub(v[i], v[0]));
        far       = r > *distance ? i : far;
        *distance = fmax(r, *distance);
    }
    return far;
}

ss_status ss_drop_straight(ss_geom_set *set, ss_vec3 *v, int32_t *count)
{
    int32_t n = *count, kept = 0;
    bool   *drop = ss_geom_memory(set, (size_t)n, sizeof *drop);
    double  size;
    if (drop == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a polygon of %d vertices", n);
    }
    int32_t first = farthest(v, n, &size), last = first;
    memset(drop, 0, (size_t)n * sizeof *drop);
    for (int32_t i = first + 1; i < first + n; i++) {
        drop[i % n] = is_straight(v, n, last, i + 1, SS_PLANES_ROUNDING * size);
        last        = drop[i % n] ? last : i;
    }
    for (int32_t i = 0; i < n; i++) {
        v[kept] = v[i];
        kept += !drop[i];
    }
    *count = kept;
    return SS_OK;
}
