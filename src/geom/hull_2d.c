/* SPDX-License-Identifier: Apache-2.0 */
/* Convex hull in the plane: sort by x, then walk along the lower and the upper chain. */
#include <stdlib.h>

#include "geom/hull.h"

static int by_xy(const void *a, const void *b)
{
    const ss_vec3 *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return (p->y > q->y) - (p->y < q->y);
}

static double turn(ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Add p to a chain that starts at `first`, dropping what no longer turns left. */
static int32_t extend(ss_vec3 *chain, int32_t n, int32_t first, ss_vec3 p)
{
    while (n >= first + 2 && turn(chain[n - 2], chain[n - 1], p) <= 0) {
        n--;
    }
    chain[n] = p;
    return n + 1;
}

ss_status ss_hull_build_2d(ss_geom_set *set, const ss_vec3 *points, int32_t count, const char *what,
                           const ss_polyhedron **out)
{
    ss_vec3 *sorted = ss_geom_memory(set, (size_t)count, sizeof *sorted);
    ss_vec3 *chain  = ss_geom_memory(set, 2 * (size_t)count + 2, sizeof *chain);
    int32_t  n      = 0;
    if (sorted == NULL || chain == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a hull of %d points", count);
    }
    for (int32_t i = 0; i < count; i++) {
        sorted[i] = ss_v3(points[i].x, points[i].y, 0);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_xy);
    for (int32_t i = 0; i < count; i++) {
        n = extend(chain, n, 0, sorted[i]);
    }
    int32_t upper = n - 1;
    for (int32_t i = count - 2; i >= 0; i--) {
        n = extend(chain, n, upper, sorted[i]);
    }
    if (n - 1 < 3) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "%s: its points span no area", what);
    }
    return ss_polygon_make(set, chain, n - 1, out);
}
