/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separation of two convex shapes.
 *
 * With the support points s_a(n), s_b(-n), every unit vector n gives a lower bound of the gap,
 *     g(n) = n.(s_b(-n) - s_a(n)),
 * and the gap is its maximum: the distance when the shapes are apart, minus the least penetration
 * when they overlap. Nothing happens at g = 0, so touching shapes are no special case.
 *
 * A first direction comes from GJK on the shapes, or on copies shrunk about their centres when they
 * touch or overlap. Then the maximum is taken over the features near that direction: for a face n
 * is its normal; for an edge n is perpendicular to it; for points, rims and smooth surfaces the
 * maximum is where the residual F(n) = r - (r.n) n,   r = s_b(-n) - s_a(n) vanishes, found in
 * closed form for fixed points and by Newton's method otherwise, until rounding. Every candidate is
 * judged by g of the whole shapes, so a wrong feature can only lose. The search is repeated around
 * the best direction until it stays.
 */
#include "collide/convex_pair.h"

#include "collide/feature.h"
#include "collide/foot.h"
#include "collide/gjk.h"
#include "collide/tolerances.h"
#include "core/elementary.h"
#include "geom/solid.h"

enum { MAX_ROUNDS = 12, MAX_NEWTON = 40, MAX_HALVINGS = 8 };

typedef struct search {
    const ss_core *a, *b;
    bool           planar;
    double         size;   /* of the smaller shape         */
    double         shrink; /* of the copies that GJK sees  */
    /* best so far */
    ss_vec3 n;
    double  g;
    ss_mode ma, mb;
    bool    converged;
    bool    matching; /* the features are those that are extreme along n */
    bool    settled;  /* nothing separates by more                       */
} search;

static double separation_along(const search *s, ss_vec3 n)
{
    ss_vec3 r = ss_sub(ss_core_support(s->b, ss_neg(n)), ss_core_support(s->a, n));
    return ss_dot(n, r) - s->a->radius - s->b->radius;
}

/* ---- a first direction ----------------------------------------------------------------------- */

static ss_vec3 shrunk(const ss_core *c, ss_vec3 d, double k)
{
    return ss_axpy(c->centre, k, ss_sub(ss_core_support(c, d), c->centre));
}

static ss_vec3 difference_support(const void *user, ss_vec3 d)
{
    const search *s = user;
    return ss_sub(shrunk(s->b, d, s->shrink), shrunk(s->a, ss_neg(d), s->shrink));
}

/* far: what lies further apart than this along the direction is not looked at more closely. */
static ss_vec3 first_direction(search *s, double far)
{
    static const double shrinks[] = {1, 0.9, 0.7, 0.4, 0.1};
    ss_vec3             between   = ss_sub(s->b->centre, s->a->centre);
    if (ss_norm(between) <= SS_PARALLEL * s->size) {
        return ss_v3(1, 0, 0); /* concentric: every direction is as good */
    }
    for (size_t i = 0; i < sizeof shrinks / sizeof shrinks[0]; i++) {
        s->shrink = shrinks[i];
        ss_vec3 v = ss_gjk(difference_support, s, between, i == 0 ? far : INFINITY);
        if (ss_norm(v) > SS_COPIES_APART * s->size) {
            return ss_unit(v);
        }
    }
    return ss_unit(between);
}

/* ---- the direction that belongs to a pair of features ---------------------------------------- */

/* Directions to which n must be square. */
typedef struct constraint {
    ss_vec3 e[2];
    int     count;
} constraint;

static void constrain(constraint *c, ss_vec3 e)
{
    if (c->count == 1 && ss_norm(ss_cross(c->e[0], e)) <= SS_PARALLEL) {
        return; /* parallel to the one that is there */
    }
    c->e[c->count++] = e;
}

static constraint constraints_of(const search *s, const ss_mode *ma, const ss_mode *mb)
{
    constraint c = {.count = 0};
    if (s->planar) {
        constrain(&c, ss_v3(0, 0, 1));
    }
    if (ma->kind == SS_MODE_LINE) {
        constrain(&c, ma->e);
    }
    if (mb->kind == SS_MODE_LINE && c.count < 2) {
        constrain(&c, mb->e);
    }
    return c;
}

/* r without its parts along the constraints. */
static ss_vec3 free_part(const constraint *c, ss_vec3 r)
{
    if (c->count == 2) {
        ss_vec3 n = ss_unit(ss_cross(c->e[0], c->e[1]));
        return ss_scale(ss_dot(r, n), n);
    }
    return c->count == 1 ? ss_axpy(r, -ss_dot(r, c->e[0]), c->e[0]) : r;
}

static bool is_fixed(const ss_mode *m)
{
    return m->kind == SS_MODE_POINT || m->kind == SS_MODE_LINE;
}

typedef struct newton {
    const search     *s;
    const ss_mode    *ma, *mb;
    const constraint *c;
} newton;

/* F(n): what r has besides its part along n, in the free directions. */
static ss_vec3 residual(const newton *t, ss_vec3 n, double *along)
{
    ss_vec3 r = ss_sub(ss_mode_point(t->s->b, t->mb, ss_neg(n)), ss_mode_point(t->s->a, t->ma, n));
    r         = free_part(t->c, r);
    *along    = ss_dot(r, n);
    return ss_axpy(r, -*along, n);
}

/* One or two unit vectors perpendicular to n and to the constraint. */
static int tangents(const constraint *c, ss_vec3 n, ss_vec3 t[2])
{
    if (c->count == 1) {
        t[0] = ss_unit(ss_cross(c->e[0], n));
        return 1;
    }
    ss_vec3 helper = fabs(n.x) < 0.6 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0);
    t[0]           = ss_unit(ss_cross(n, helper));
    t[1]           = ss_cross(n, t[0]);
    return 2;
}

/* How F changes with n: along one or two tangents. */
typedef struct derivative {
    ss_vec3 tan[2], dF[2];
    int     count; /* 0: not known */
} derivative;

static derivative derive(const newton *t, ss_vec3 n)
{
    derivative D;
    double     unused;
    D.count = tangents(t->c, n, D.tan);
    for (int j = 0; j < D.count; j++) {
        ss_vec3 up   = residual(t, ss_unit(ss_axpy(n, SS_NEWTON_DIFFERENCE, D.tan[j])), &unused);
        ss_vec3 down = residual(t, ss_unit(ss_axpy(n, -SS_NEWTON_DIFFERENCE, D.tan[j])), &unused);
        D.dF[j]      = ss_scale(0.5 / SS_NEWTON_DIFFERENCE, ss_sub(up, down));
    }
    return D;
}

/* Newton's step (x along the tangents), or the gradient's when Newton's does not climb. */
static ss_vec3 newton_step(const derivative *D, ss_vec3 F)
{
    const ss_vec3 *tan = D->tan, *dF = D->dF;
    double         f0 = ss_dot(tan[0], F), a = ss_dot(tan[0], dF[0]);
    if (D->count == 1) {
        double x = a < 0 ? -f0 / a : copysign(0.1, f0);
        return ss_scale(x, tan[0]);
    }
    double f1 = ss_dot(tan[1], F), b = ss_dot(tan[0], dF[1]), c = ss_dot(tan[1], dF[0]),
           d = ss_dot(tan[1], dF[1]), det = a * d - b * c;
    double x = (-f0 * d + f1 * b) / det, y = (-f1 * a + f0 * c) / det;
    if (!(det > 0) || !(a < 0) || !isfinite(x) || !isfinite(y)) { /* not a maximum nearby */
        double norm = ss_hypot(f0, f1);
        x = 0.1 * f0 / norm, y = 0.1 * f1 / norm;
    }
    return ss_axpy(ss_scale(x, tan[0]), y, tan[1]);
}

/*
 * Climb to F(n) = 0. True when F has become rounding. A derivative costs four times as much as F,
 * and near the end one of before is as good: it is kept while steps by it win a digit each.
 */
static bool climb(const newton *t, ss_vec3 *n)
{
    double     g, tolerance = SS_NEWTON_ROUNDING * t->s->size;
    ss_vec3    F = residual(t, *n, &g);
    derivative D = {.count = 0};
    for (int i = 0; i < MAX_NEWTON && ss_norm(F) > tolerance; i++) {
        double before = ss_norm(F);
        bool   fresh  = D.count == 0;
        if (fresh) {
            D = derive(t, *n);
        }
        ss_vec3 step   = newton_step(&D, F);
        double  k      = fmin(1, 0.5 / ss_norm(step));
        bool    better = false;
        for (int j = 0; j < (fresh ? MAX_HALVINGS : 1) && !better; j++, k *= 0.5) {
            ss_vec3 trial = ss_unit(ss_axpy(*n, k, step));
            double  g_trial;
            ss_vec3 F_trial = residual(t, trial, &g_trial);
            better = ss_norm(F_trial) < ss_norm(F) || g_trial > g + SS_NEWTON_GAIN * t->s->size;
            if (better) {
                *n = trial;
                F  = F_trial;
                g  = g_trial;
            }
        }
        if (!better && (fresh || before <= SS_NEWTON_NEARLY * tolerance)) {
            break;
        }
        if (!(ss_norm(F) < SS_NEWTON_KEEPS * before)) {
            D.count = 0;
        }
    }
    return ss_norm(F) <= SS_NEWTON_LOOSE * tolerance;
}

/* Can the feature be extreme in direction d? */
static bool allows(const ss_mode *m, ss_vec3 d)
{
    if (m->kind == SS_MODE_FACE) {
        return ss_norm(ss_sub(d, m->e)) <= SS_PARALLEL;
    }
    return m->kind != SS_MODE_LINE || fabs(ss_dot(d, m->e)) <= SS_PARALLEL;
}

/*
 * A fixed point over a rim: from the point of the circle nearest to it. Newton's method has little
 * to go by where the two nearly touch.
 */
static bool over_rim(const search *s, const ss_mode *rim, const ss_mode *point, ss_vec3 *n)
{
    ss_vec3 from = ss_sub(point->x, rim->x);
    ss_vec3 flat = ss_axpy(from, -ss_dot(from, rim->e), rim->e);
    if (ss_norm(flat) <= SS_PARALLEL * rim->radius) {
        return false; /* on the axis: all of the rim is as near */
    }
    ss_vec3 r = ss_sub(from, ss_scale(rim->radius, ss_unit(flat)));
    *n        = ss_unit(r);
    return ss_norm(r) > SS_NEWTON_ROUNDING * s->size;
}

static bool is_point_over_rim(const search *s, const ss_mode *ma, const ss_mode *mb, ss_vec3 *n)
{
    bool    rim_a = ma->kind == SS_MODE_RIM && mb->kind == SS_MODE_POINT;
    bool    rim_b = mb->kind == SS_MODE_RIM && ma->kind == SS_MODE_POINT;
    ss_vec3 d;
    if (!(rim_a && over_rim(s, ma, mb, &d)) && !(rim_b && over_rim(s, mb, ma, &d))) {
        return false;
    }
    *n = ss_dot(d, *n) < 0 ? ss_neg(d) : d;
    return true;
}

/* The direction for a pair of features, starting from n. False: they have none. */
static bool direction_of(const search *s, const ss_mode *ma, const ss_mode *mb, ss_vec3 *n,
                         bool *converged)
{
    *converged = true;
    if (ma->kind == SS_MODE_FACE) {
        *n = ma->e;
        return allows(mb, ss_neg(*n));
    }
    if (mb->kind == SS_MODE_FACE) {
        *n = ss_neg(mb->e);
        return allows(ma, *n);
    }
    constraint c = constraints_of(s, ma, mb);
    if (c.count == 2) {
        ss_vec3 cross = ss_unit(ss_cross(c.e[0], c.e[1]));
        *n            = ss_dot(cross, *n) < 0 ? ss_neg(cross) : cross;
        return true;
    }
    if (is_fixed(ma) && is_fixed(mb)) {
        ss_vec3 r = free_part(&c, ss_sub(mb->x, ma->x));
        *n        = ss_unit(r);
        return ss_norm(r) > SS_NEWTON_ROUNDING * s->size;
    }
    ss_vec3 start = free_part(&c, *n);
    newton  t     = {s, ma, mb, &c};
    if (ss_norm(start) < 0.1) {
        return false;
    }
    *n         = ss_unit(start);
    *converged = climb(&t, n) || is_point_over_rim(s, ma, mb, n);
    return true;
}

static bool has_a_point(const ss_mode *m)
{
    return m->kind != SS_MODE_FACE && m->kind != SS_MODE_LINE;
}

/* Does the feature's point, or its line, lie furthest in direction d? A face does. */
static bool is_extreme(const search *s, const ss_core *c, const ss_mode *m, ss_vec3 d)
{
    if (m->kind == SS_MODE_FACE) {
        return true;
    }
    /* further than the shape: on the extension of a feature that something else cuts off */
    ss_vec3 beyond = ss_sub(ss_mode_point(c, m, d), ss_core_support(c, d));
    return fabs(ss_dot(d, beyond)) <= SS_PARALLEL * s->size;
}

/*
 * True: it is the best so far. Every direction counts, but one that belongs to its features
 * replaces an equal one that only happened to be found with features that lie elsewhere.
 */
static bool offer(search *s, const ss_mode *ma, const ss_mode *mb, ss_vec3 n, bool converged)
{
    double g = separation_along(s, n), tolerance = SS_NEWTON_ROUNDING * s->size;
    if (g < s->g - tolerance || (s->matching && g <= s->g + tolerance)) {
        return false;
    }
    bool matching = is_extreme(s, s->a, ma, n) && is_extreme(s, s->b, mb, ss_neg(n));
    if (!matching && g <= s->g + tolerance) {
        return false;
    }
    s->g         = g;
    s->n         = n;
    s->ma        = *ma;
    s->mb        = *mb;
    s->converged = converged;
    s->matching  = matching;
    return matching;
}

/* Points of both whose distance is the separation: no direction separates by more. */
static bool is_nearest(const search *s, const ss_mode *ma, const ss_mode *mb)
{
    if (!has_a_point(ma) || !has_a_point(mb) || !s->matching || !s->converged) {
        return false;
    }
    ss_vec3 n = s->n;
    ss_vec3 r = ss_sub(ss_mode_point(s->b, mb, ss_neg(n)), ss_mode_point(s->a, ma, n));
    return ss_norm(ss_axpy(r, -ss_dot(r, n), n)) <= 100 * SS_NEWTON_ROUNDING * s->size;
}

/* No direction separates the face and the point x of the other shape, furthest against it, by more;
   where they overlap, x has no shorter way out than by this face. */
static bool is_best_face(const search *s, const ss_core *c, const ss_mode *face, const ss_core *o,
                         ss_vec3 x)
{
    if (s->g >= -SS_TOUCHING * s->size) {
        return ss_mode_is_under(c, face, x);
    }
    return ss_mode_is_nearest(c, face, ss_axpy(x, -o->radius, face->e), -s->g);
}

/* Can no other feature be better? */
static bool settles(const search *s, const ss_mode *ma, const ss_mode *mb)
{
    if (s->g >= -SS_TOUCHING * s->size && is_nearest(s, ma, mb)) {
        return true;
    }
    if (ma->kind == SS_MODE_FACE) {
        ss_vec3 x = mb->kind == SS_MODE_FACE ? mb->x : ss_mode_point(s->b, mb, ss_neg(ma->e));
        return is_best_face(s, s->a, ma, s->b, x);
    }
    return mb->kind == SS_MODE_FACE &&
           is_best_face(s, s->b, mb, s->a, ss_mode_point(s->a, ma, ss_neg(mb->e)));
}

/* All pairs of features around the best direction. True: the search is over. */
static bool round_of(search *s)
{
    ss_mode ma[SS_MODES_MAX], mb[SS_MODES_MAX];
    ss_vec3 n    = s->n;
    ss_vec3 on_a = ss_core_support(s->a, n), on_b = ss_core_support(s->b, ss_neg(n));
    int32_t na = ss_core_modes(s->a, n, on_b, ma), nb = ss_core_modes(s->b, ss_neg(n), on_a, mb);
    for (int32_t i = 0; i < na; i++) {
        for (int32_t j = 0; j < nb; j++) {
            ss_vec3 d = n;
            bool    converged;
            if (direction_of(s, &ma[i], &mb[j], &d, &converged) &&
                offer(s, &ma[i], &mb[j], d, converged) && settles(s, &ma[i], &mb[j])) {
                return true;
            }
        }
    }
    return false;
}

/* Rounds from direction n until it stays. */
static void search_from(search *s, ss_vec3 n)
{
    double last = -INFINITY;
    bool   over = false;
    s->n        = n;
    s->g        = -INFINITY;
    s->matching = false;
    for (int i = 0; i < MAX_ROUNDS && !over && (i == 0 || s->g > last || !s->matching); i++) {
        last = s->g;
        over = round_of(s);
    }
    s->settled = over;
}

/*
 * Shrunk copies tell little of thin shapes that overlap: those of two plates that cross near an
 * edge may lie beside each other. The axes of both shapes tell more: the normals of faces and ends,
 * and of smooth shapes the principal directions.
 */
static void try_axis(const search *s, ss_vec3 n, double *best, ss_vec3 *at)
{
    for (int sign = 0; sign < 2; sign++, n = ss_neg(n)) {
        double g = s->planar && n.z != 0 ? -INFINITY : separation_along(s, n);
        if (g > *best) {
            *best = g;
            *at   = n;
        }
    }
}

static void try_axes(const search *s, const ss_core *c, double *best, ss_vec3 *at)
{
    const ss_mat3       *R = &c->f->R;
    const ss_polyhedron *p = c->kind == SS_CORE_POLYHEDRON ? c->g->poly : NULL;
    for (int32_t f = 0; p != NULL && f < p->face_count; f++) {
        if (!ss_is_cut(p, f)) {
            try_axis(s, ss_mul(R, p->normals[f]), best, at);
        }
    }
    const ss_solid *cut = c->kind == SS_CORE_SOLID ? c->g->params.solid : NULL;
    for (int32_t i = 0; cut != NULL && i < cut->facet_count; i++) {
        try_axis(s, ss_mul(R, cut->surfaces[cut->facets[i].surface].normal), best, at);
    }
    for (int i = 0; p == NULL && i < (s->planar ? 2 : 3); i++) {
        try_axis(s, ss_mul(R, ss_v3(i == 0, i == 1, i == 2)), best, at);
    }
}

/* The search again from the best axis, if that separates more than what was found. */
static void search_from_axes(search *s)
{
    double  best = s->g;
    ss_vec3 at   = s->n;
    try_axes(s, s->a, &best, &at);
    try_axes(s, s->b, &best, &at);
    if (best > s->g) {
        search_from(s, at);
    }
}

/* ---- the points ------------------------------------------------------------------------------ */

/* Nearest points of two lines that are not parallel. */
static ss_vec3 foot_on_line(const ss_mode *on, const ss_mode *of)
{
    ss_vec3 w = ss_sub(of->x, on->x);
    double  c = ss_dot(on->e, of->e);
    double  t = (ss_dot(w, on->e) - c * ss_dot(w, of->e)) / (1 - c * c);
    return ss_axpy(on->x, t, on->e);
}

/* The feature that is a point tells where; of two lines, their nearest points. */
static void place(const search *s, ss_convex_result *out)
{
    ss_vec3 n     = s->n;
    bool    lines = s->ma.kind == SS_MODE_LINE && s->mb.kind == SS_MODE_LINE &&
                 ss_norm(ss_cross(s->ma.e, s->mb.e)) > SS_PARALLEL;
    if (has_a_point(&s->ma)) {
        out->point_a = ss_axpy(ss_mode_point(s->a, &s->ma, n), s->a->radius, n);
        out->point_b = ss_axpy(out->point_a, s->g, n);
        return;
    }
    ss_vec3 x;
    if (lines) {
        x = ss_axpy(foot_on_line(&s->mb, &s->ma), -s->mb.radius, n);
    } else if (has_a_point(&s->mb)) {
        x = ss_mode_point(s->b, &s->mb, ss_neg(n));
    } else {
        x = ss_core_support(s->b, ss_neg(n)); /* they lie on each other: any common point */
    }
    out->point_b = ss_axpy(x, -s->b->radius, n);
    out->point_a = ss_axpy(out->point_b, -s->g, n);
}

/* ---- places on shapes that are flat in places ------------------------------------------------ */

/*
 * Where no direction was found to rounding: the point of the shape c by its own surface (foot.c), o
 * and its feature being the other. The direction that belongs to it separates no less than the best
 * one so far, or is none.
 */
static bool stands_on(const search *s, const ss_core *c, const ss_core *o, const ss_mode *feature,
                      ss_convex_result *out)
{
    bool    first = c == s->a;
    ss_vec3 N = first ? s->n : ss_neg(s->n), x = ss_core_support(c, N);
    bool    point = feature->kind != SS_MODE_FACE;
    if (c->kind != SS_CORE_SMOOTH || c->g->cls->surface == NULL || !point ||
        !ss_foot_on_flat(c, o, feature, s->planar, s->size, &x, &N)) {
        return false;
    }
    ss_vec3 n = first ? N : ss_neg(N);
    double  g = separation_along(s, n);
    if (g < s->g - SS_NEWTON_LOOSE * SS_NEWTON_ROUNDING * s->size) {
        return false;
    }
    out->normal  = n;
    out->gap     = g;
    out->point_a = first ? x : ss_axpy(x, -g, n);
    out->point_b = first ? ss_axpy(x, g, n) : x;
    return true;
}

static bool is_sound(const ss_convex_result *r)
{
    return isfinite(r->gap) && fabs(ss_norm(r->normal) - 1) < SS_UNIT_ERROR &&
           isfinite(r->point_a.x) && isfinite(r->point_a.y) && isfinite(r->point_a.z);
}

ss_convex_verdict ss_convex_separation(const ss_core *a, const ss_core *b, bool planar,
                                       double reach, ss_convex_result *out)
{
    search s    = {.a = a, .b = b, .planar = planar, .size = fmin(a->g->radius, b->g->radius)};
    s.size      = s.size > 0 ? s.size : fmax(a->g->radius, b->g->radius);
    ss_vec3 n   = first_direction(&s, fmax(reach, 0) + a->radius + b->radius);
    out->normal = n;
    out->gap    = separation_along(&s, n);
    if (out->gap > reach) {
        return SS_CONVEX_MISS;
    }
    search_from(&s, n);
    if (s.g < -SS_TOUCHING * s.size && !s.settled) {
        search_from_axes(&s);
    }
    out->normal = s.n;
    out->gap    = s.g;
    if (s.g > reach) {
        return SS_CONVEX_MISS;
    }
    out->feature_a = s.ma.feature;
    out->feature_b = s.mb.feature;
    place(&s, out);
    bool found =
        s.converged || stands_on(&s, s.a, s.b, &s.mb, out) || stands_on(&s, s.b, s.a, &s.ma, out);
    return found && s.matching && is_sound(out) ? SS_CONVEX_HIT : SS_CONVEX_UNDECIDED;
}
