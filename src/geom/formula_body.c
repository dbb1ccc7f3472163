/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heights, rays and support points of a body f(x) <= 0 with f convex and twice differentiable.
 *
 * Ray: f(c + k u) is convex in k, so Newton's method from outside comes down to the surface and
 * never steps over it; it starts on the bounds, where f > 0.
 *
 * Support point: max d.x on f = 0. There d = lambda grad f, lambda > 0. With n the unit normal at
 * a point of the surface, e_i its tangents and B_ij = e_i' Hess f e_j / |grad f| the curvature,
 * Newton's step along the tangents is
 *
 *   (d.n) B t = (e_i.d),
 *
 * taken and brought back to the surface along the ray from the origin. It counts if it leads
 * further along d or turns the normal towards d; otherwise, and where the curvature vanishes
 * (x^4 + y^4 = 1 at its axes), some is added to B, more from try to try (Levenberg, Marquardt). The
 * start is the furthest of the points that are kept.
 */
#include "geom/formula_body.h"

#include "core/compare.h"
#include "geom/tolerances.h"

ss_jet ss_body_at(const ss_formula_body *b, ss_vec3 x, int order)
{
    const double at[3] = {x.x + b->origin.x, x.y + b->origin.y,
                          b->dimension == 2 ? 0 : x.z + b->origin.z};
    return ss_formula_at(&b->f, at, order);
}

static ss_vec3 gradient(const ss_jet *j)
{
    return ss_v3(j->g[0], j->g[1], j->g[2]);
}

double ss_body_height(const ss_formula_body *b, ss_vec3 x, ss_vec3 *normal)
{
    ss_jet  j     = ss_body_at(b, x, 1);
    ss_vec3 g     = gradient(&j);
    double  steep = ss_norm(g);
    if (!(steep > 0)) { /* the lowest point: any direction */
        *normal = ss_v3(1, 0, 0);
        return -b->size;
    }
    *normal = ss_scale(1 / steep, g);
    return j.v / steep;
}

/* Where the ray c + k u leaves the bounds. */
static double box_exit(const ss_formula_body *b, ss_vec3 c, ss_vec3 u)
{
    const double low[3] = {b->low.x, b->low.y, b->low.z}, from[3] = {c.x, c.y, c.z};
    const double high[3] = {b->high.x, b->high.y, b->high.z}, along[3] = {u.x, u.y, u.z};
    double       k = INFINITY;
    for (int i = 0; i < (b->dimension == 2 ? 2 : 3); i++) {
        double to = along[i] > 0 ? high[i] : low[i];
        k         = along[i] != 0 ? fmin(k, (to - from[i]) / along[i]) : k;
    }
    return k;
}

/* From c + k u, outside (or inside within rounding: the first step then leads out), to the surface.
 */
static double come_down(const ss_formula_body *b, ss_vec3 c, ss_vec3 u, double k)
{
    enum { MAX_STEPS = 200 };
    for (int i = 0; i < MAX_STEPS; i++) {
        ss_jet j    = ss_body_at(b, ss_axpy(c, k, u), 1);
        double step = j.v / ss_dot(gradient(&j), u);
        if (!(step > SS_OVAL_SETTLED * k) && !(i == 0 && step < 0)) {
            break;
        }
        k -= step;
    }
    return k;
}

double ss_body_exit(const ss_formula_body *b, ss_vec3 c, ss_vec3 u)
{
    double k = box_exit(b, c, u);
    return isfinite(k) ? come_down(b, c, u, k) : INFINITY;
}

/* A point of the surface, as the search for a support point sees it. */
typedef struct place {
    ss_vec3 x, n, across; /* across: what d has along the surface */
    ss_jet  j;
    double  along, steep; /* d.n, |grad f| */
} place;

static place look(const ss_formula_body *b, ss_vec3 x, ss_vec3 d)
{
    place p  = {.x = x, .j = ss_body_at(b, x, 2)};
    p.n      = gradient(&p.j);
    p.steep  = ss_norm(p.n);
    p.n      = ss_scale(1 / p.steep, p.n);
    p.along  = ss_dot(d, p.n);
    p.across = ss_axpy(d, -p.along, p.n);
    p.across = ss_axpy(p.across, -ss_dot(p.across, p.n), p.n); /* what the difference left of n */
    return p;
}

static double bend(const place *p, ss_vec3 a, ss_vec3 b)
{
    const double *h = p->j.h;
    ss_vec3 Hb = ss_v3(h[0] * b.x + h[3] * b.y + h[5] * b.z, h[3] * b.x + h[1] * b.y + h[4] * b.z,
                       h[5] * b.x + h[4] * b.y + h[2] * b.z);
    return ss_dot(a, Hb) / p->steep;
}

/* Newton's step along the tangents with `stiff` added to the curvature; no longer than the body. */
static ss_vec3 tangent_step(const ss_formula_body *b, const place *p, double stiff)
{
    ss_vec3 e  = b->dimension == 2 ? ss_v3(-p->n.y, p->n.x, 0) : ss_unit(p->across), t;
    double  aa = bend(p, e, e) + stiff, most = 0.5 * b->size;
    double  k = ss_dot(e, p->across) / ss_max(p->along, SS_FACING_LEAST * ss_norm(p->across));
    if (b->dimension == 2) {
        t = ss_scale(k / aa, e);
    } else { /* e lies along `across`: the right side has no part along o */
        ss_vec3 o  = ss_cross(p->n, e);
        double  ao = bend(p, e, o), oo = bend(p, o, o) + stiff, det = aa * oo - ao * ao;
        t = ss_axpy(ss_scale(k * oo / det, e), -k * ao / det, o);
    }
    double length = ss_norm(t);
    return length > most ? ss_scale(most / length, t) : t;
}

/* Back to the surface along the ray from the origin. x is outside, or within rounding of it. */
static ss_vec3 onto(const ss_formula_body *b, ss_vec3 x)
{
    ss_vec3 o = {0, 0, 0};
    return ss_scale(come_down(b, o, x, fmin(1, box_exit(b, o, x))), x);
}

/* Of the points that are kept. */
static ss_vec3 furthest_kept(const ss_formula_body *b, ss_vec3 d)
{
    int32_t first = 0;
    double  most  = ss_dot(d, b->point[0]);
    for (int32_t i = 1; i < b->point_count; i++) {
        double along = ss_dot(d, b->point[i]);
        if (along > most) {
            most  = along;
            first = i;
        }
    }
    return b->point[first];
}

ss_vec3 ss_body_support(const ss_formula_body *b, ss_vec3 d)
{
    enum { MAX_STEPS = 100, MAX_TRIES = 30 };
    const double softest = SS_BODY_SOFT / b->size;
    place        now     = look(b, furthest_kept(b, d), d);
    double       least = SS_BODY_TURN * ss_norm(d), stiff = softest;
    for (int i = 0; i < MAX_STEPS && ss_norm(now.across) > least; i++) {
        bool better = false;
        stiff       = ss_max(stiff / 256, softest);
        for (int k = 0; k < MAX_TRIES && !better; k++) {
            place next = look(b, onto(b, ss_add(now.x, tangent_step(b, &now, stiff))), d);
            better     = ss_dot(d, next.x) > ss_dot(d, now.x) ||
                     (next.along > 0 && ss_norm(next.across) < 0.9 * ss_norm(now.across));
            now   = better ? next : now;
            stiff = better ? stiff : 16 * stiff;
        }
        if (!better) {
            break;
        }
    }
    return now.x;
}
