/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gilbert, Johnson, Keerthi: a simplex of support points of b - a moves towards the origin. With v
 * its point nearest to the origin and w the support point in direction -v, v.(v - w) bounds how
 * much nearer the set can come. The callers polish the direction to rounding (convex_pair.c), so a
 * loose bound is enough here.
 *
 * G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, chapter 4.
 */
#include "collide/gjk.h"
#include "collide/tolerances.h"

#include <stdbool.h>

enum { MAX_ITERATIONS = 64 };

typedef struct simplex {
    ss_vec3 p[4];
    int     n;
} simplex;

static ss_vec3 nearest_on_segment(simplex *s)
{
    ss_vec3 a = s->p[0], ab = ss_sub(s->p[1], a);
    double  t = -ss_dot(a, ab), length = ss_dot(ab, ab);
    if (t <= 0 || length == 0) {
        s->n = 1;
        return a;
    }
    if (t >= length) {
        s->p[0] = s->p[1];
        s->n    = 1;
        return s->p[0];
    }
    return ss_axpy(a, t / length, ab);
}

static ss_vec3 keep_two(simplex *s, ss_vec3 a, ss_vec3 b)
{
    s->p[0] = a;
    s->p[1] = b;
    s->n    = 2;
    return nearest_on_segment(s);
}

/* Regions of the triangle: a side is kept when the origin lies outside it. */
static ss_vec3 nearest_on_triangle(simplex *s)
{
    ss_vec3 a = s->p[0], b = s->p[1], c = s->p[2];
    ss_vec3 n  = ss_cross(ss_sub(b, a), ss_sub(c, a));
    double  nn = ss_dot(n, n);
    double  u = ss_dot(n, ss_cross(b, c)), v = ss_dot(n, ss_cross(c, a)),
           w = ss_dot(n, ss_cross(a, b)); /* barycentric coordinates times nn */
    if (nn > 0 && u >= 0 && v >= 0 && w >= 0) {
        return ss_scale(ss_dot(n, a) / nn, n);
    }
    ss_vec3 corner[3] = {a, b, c}, best = a;
    simplex kept  = {{a}, 1};
    double  least = INFINITY;
    for (int i = 0; i < 3; i++) {
        simplex side = *s;
        ss_vec3 x    = keep_two(&side, corner[i], corner[(i + 1) % 3]);
        if (ss_dot(x, x) < least) {
            least = ss_dot(x, x);
            best  = x;
            kept  = side;
        }
    }
    *s = kept;
    return best;
}

/* Is the origin on the other side of face abc than d? */
static bool outside_of(ss_vec3 a, ss_vec3 b, ss_vec3 c, ss_vec3 d)
{
    ss_vec3 n = ss_cross(ss_sub(b, a), ss_sub(c, a));
    return -ss_dot(a, n) * ss_dot(ss_sub(d, a), n) <= 0;
}

static ss_vec3 nearest_on_tetrahedron(simplex *s)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    simplex          whole = *s, kept = *s;
    ss_vec3          best  = {0, 0, 0};
    double           least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const int *f = faces[i];
        if (!outside_of(whole.p[f[0]], whole.p[f[1]], whole.p[f[2]], whole.p[f[3]])) {
            continue;
        }
        simplex face = {{whole.p[f[0]], whole.p[f[1]], whole.p[f[2]]}, 3};
        ss_vec3 x    = nearest_on_triangle(&face);
        if (ss_dot(x, x) < least) {
            least = ss_dot(x, x);
            best  = x;
            kept  = face;
        }
    }
    *s = kept;
    return best;
}

/* The point of the simplex nearest to the origin; corners that do not carry it are dropped. */
static ss_vec3 nearest(simplex *s)
{
    switch (s->n) {
    case 1:
        return s->p[0];
    case 2:
        return nearest_on_segment(s);
    case 3:
        return nearest_on_triangle(s);
    default:
        return nearest_on_tetrahedron(s);
    }
}

static bool is_corner(const simplex *s, ss_vec3 w)
{
    for (int i = 0; i < s->n; i++) {
        if (s->p[i].x == w.x && s->p[i].y == w.y && s->p[i].z == w.z) {
            return true;
        }
    }
    return false;
}

ss_vec3 ss_gjk(ss_gjk_support support, const void *user, ss_vec3 start, double far)
{
    simplex s = {{support(user, ss_neg(start))}, 1};
    ss_vec3 v = s.p[0];
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double  vv = ss_dot(v, v);
        ss_vec3 w  = support(user, ss_neg(v));
        double  vw = ss_dot(v, w);
        if (vv == 0 || vv - vw <= SS_GJK_ACCURACY * vv || is_corner(&s, w) ||
            (vw > 0 && vw * vw > far * far * vv)) {
            break;
        }
        s.p[s.n++] = w;
        v          = nearest(&s);
        if (s.n == 4) {
            return ss_v3(0, 0, 0); /* the origin is inside */
        }
    }
    return v;
}
