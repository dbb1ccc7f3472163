/* SPDX-License-Identifier: Apache-2.0 */
/* Cores of convex shapes, their features and their flat parts. */
#include "collide/core.h"
#include "core/constants.h"

#include "collide/feature.h"
#include "collide/tolerances.h"
#include "core/elementary.h"
#include "geom/geom.h"
#include "geom/polyhedron.h"
#include "geom/solid.h"

ss_core ss_core_of(const ss_geom *g, const ss_frame *f)
{
    ss_core c = {.kind = SS_CORE_SMOOTH, .g = g, .f = f, .radius = 0, .centre = f->p};
    if (ss_is_ball(g) || g->cls == &ss_shape_point) {
        c.kind   = SS_CORE_POINT;
        c.radius = g->params.sphere.radius;
    } else if (g->cls == &ss_shape_capsule) {
        c.kind   = SS_CORE_SEGMENT;
        c.radius = g->params.capsule.radius;
    } else if (g->cls == &ss_shape_cylinder) {
        c.kind = SS_CORE_CYLINDER;
    } else if (g->cls == &ss_shape_intersection) {
        c.kind = SS_CORE_SOLID;
    } else if (g->poly != NULL) {
        c.kind   = SS_CORE_POLYHEDRON;
        c.centre = ss_to_world(f, g->poly->centre);
    }
    return c;
}

static ss_vec3 axis_of(const ss_frame *f)
{
    return ss_v3(f->R.m[2], f->R.m[5], f->R.m[8]);
}

static double half_length(const ss_core *c)
{
    return 0.5 * c->g->params.capsule.length;
}

static void count_asked(const ss_core *c)
{
    if (c->asked != NULL) {
        ++*c->asked;
    }
}

ss_vec3 ss_core_support(const ss_core *c, ss_vec3 d)
{
    count_asked(c);
    if (c->kind == SS_CORE_POINT) {
        return c->f->p;
    }
    if (c->kind == SS_CORE_SEGMENT) {
        ss_vec3 u = axis_of(c->f);
        return ss_axpy(c->f->p, copysign(half_length(c), ss_dot(u, d)), u);
    }
    return ss_to_world(c->f, c->g->cls->support(c->g, ss_tmul(&c->f->R, d)));
}

/* ---- features ------------------------------------------------------------------------------ */

typedef struct mode_list {
    ss_mode *modes;
    int32_t  count;
} mode_list;

static void add(mode_list *l, ss_mode m)
{
    if (l->count < SS_MODES_MAX) {
        l->modes[l->count++] = m;
    }
}

static int32_t furthest_vertex(const ss_polyhedron *p, ss_vec3 d)
{
    int32_t best = 0;
    for (int32_t i = 1; i < p->vertex_count; i++) {
        if (ss_dot(d, p->vertices[i]) > ss_dot(d, p->vertices[best])) {
            best = i;
        }
    }
    return best;
}

static double distance_from_segment(ss_vec3 from, ss_vec3 to, ss_vec3 x)
{
    ss_vec3 along = ss_sub(to, from);
    double  t     = ss_dot(ss_sub(x, from), along) / ss_dot(along, along);
    return ss_norm(ss_sub(x, ss_axpy(from, t < 0 ? 0 : t > 1 ? 1 : t, along)));
}

/* An end of the side of face f that is nearest to x: the nearer one. */
static int32_t corner_near(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    int32_t from = p->face_vertices[p->face_start[f + 1] - 1], best = from;
    double  least = INFINITY;
    for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
        int32_t        to   = p->face_vertices[i];
        const ss_vec3 *v    = p->vertices;
        double         away = distance_from_segment(v[from], v[to], x);
        if (away < least) {
            least = away;
            best  = ss_norm(ss_sub(x, v[from])) < ss_norm(ss_sub(x, v[to])) ? from : to;
        }
        from = to;
    }
    return best;
}

/* Of an edge or of more that lies square to d, the furthest vertex that is nearest to x. */
static int32_t nearest_of_furthest(const ss_polyhedron *p, ss_vec3 d, ss_vec3 x, double rounding)
{
    int32_t best  = furthest_vertex(p, d);
    double  least = INFINITY, far = ss_dot(d, p->vertices[best]) - rounding;
    for (int32_t i = 0; i < p->vertex_count; i++) {
        double away = ss_norm(ss_sub(p->vertices[i], x));
        if (ss_dot(d, p->vertices[i]) >= far && away < least) {
            least = away;
            best  = i;
        }
    }
    return best;
}

/* The furthest vertex; where many are as far, one that belongs to what is nearest to x. */
static int32_t furthest_towards(const ss_polyhedron *p, ss_vec3 d, ss_vec3 x, double rounding)
{
    for (int32_t f = 0; f < p->face_count; f++) {
        if (ss_norm(ss_sub(p->normals[f], d)) <= SS_PARALLEL) {
            return corner_near(p, f, x);
        }
    }
    return nearest_of_furthest(p, d, x, rounding);
}

static bool face_has(const ss_polyhedron *p, int32_t f, int32_t vertex)
{
    for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
        if (p->face_vertices[i] == vertex) {
            return true;
        }
    }
    return false;
}

/* The furthest vertex with the faces and edges around it that look along d at all. */
static void polyhedron_modes(const ss_core *c, ss_vec3 d, ss_vec3 towards, mode_list *l)
{
    const ss_polyhedron *p      = c->g->poly;
    ss_vec3              inside = ss_tmul(&c->f->R, d);
    int32_t v = furthest_towards(p, inside, ss_to_body(c->f, towards), SS_PARALLEL * c->g->radius);
    ss_vec3 x = ss_to_world(c->f, p->vertices[v]);
    for (int32_t f = 0; f < p->face_count; f++) {
        if (!ss_is_cut(p, f) && ss_dot(p->normals[f], inside) > 0.1 && face_has(p, f, v)) {
            add(l, (ss_mode){SS_MODE_FACE, x, ss_mul(&c->f->R, p->normals[f]), 0,
                             ss_face_feature(p, f)});
        }
    }
    for (int32_t e = 0; e < p->edge_count; e++) {
        const int32_t *w = p->edges + 4 * e;
        if (w[0] == v || w[1] == v) {
            ss_vec3 along = ss_unit(ss_sub(p->vertices[w[1]], p->vertices[w[0]]));
            if (fabs(ss_dot(along, inside)) < 0.9) {
                add(l, (ss_mode){SS_MODE_LINE, x, ss_mul(&c->f->R, along), 0,
                                 ss_feature(SS_FEATURE_EDGE, e)});
            }
        }
    }
    add(l, (ss_mode){SS_MODE_POINT, x, {0, 0, 0}, 0, ss_vertex_feature(p, v)});
}

/* Ends 0 (low z) and 1 of segments and cylinders; 2 is what lies between them. */
static void segment_modes(const ss_core *c, ss_vec3 d, ss_vec3 towards, mode_list *l)
{
    ss_vec3 u    = axis_of(c->f);
    bool    lies = fabs(ss_dot(u, d)) <= SS_PARALLEL; /* then both ends are as far */
    int32_t end  = (lies ? ss_dot(u, ss_sub(towards, c->f->p)) : ss_dot(u, d)) > 0;
    ss_vec3 x    = ss_axpy(c->f->p, end ? half_length(c) : -half_length(c), u);
    add(l, (ss_mode){SS_MODE_LINE, c->f->p, u, 0, ss_feature(SS_FEATURE_EDGE, 2)});
    add(l, (ss_mode){SS_MODE_POINT, x, {0, 0, 0}, 0, ss_feature(SS_FEATURE_VERTEX, end)});
}

static void cylinder_modes(const ss_core *c, ss_vec3 d, mode_list *l)
{
    ss_vec3 u = axis_of(c->f);
    double  r = c->g->params.capsule.radius;
    for (int32_t end = 0; end < 2; end++) {
        ss_vec3 out = end ? u : ss_neg(u), x = ss_axpy(c->f->p, half_length(c), out);
        if (ss_dot(out, d) > 0.1) {
            add(l, (ss_mode){SS_MODE_FACE, x, out, 0, ss_feature(SS_FEATURE_FACE, end)});
        }
    }
    add(l, (ss_mode){SS_MODE_LINE, c->f->p, u, r, ss_feature(SS_FEATURE_FACE, 2)});
    for (int32_t end = 0; end < 2; end++) {
        ss_vec3 out = end ? u : ss_neg(u), x = ss_axpy(c->f->p, half_length(c), out);
        if (ss_dot(out, d) > -0.1) {
            add(l, (ss_mode){SS_MODE_RIM, x, u, r, ss_feature(SS_FEATURE_EDGE, end)});
        }
    }
}

/* Features further than this part of the size from the furthest point are not tried. */
static const double nearby = 0.1, as_far = 0.05;

/* Flat facets of a solid, straight creases, and straight lines on its cylinders. */
static void facet_modes(const ss_core *c, const ss_solid *s, ss_vec3 d, ss_vec3 x, mode_list *l)
{
    for (int32_t i = 0; i < s->facet_count; i++) {
        const ss_surface *plane = &s->surfaces[s->facets[i].surface];
        if (ss_dot(plane->normal, d) > 0.1 &&
            ss_dot(plane->normal, x) > plane->offset - nearby * s->size) {
            add(l, (ss_mode){SS_MODE_FACE, ss_to_world(c->f, s->outlines[s->facets[i].first].x),
                             ss_mul(&c->f->R, plane->normal), 0, ss_feature(SS_FEATURE_FACE, i)});
        }
    }
}

static void line_modes(const ss_core *c, const ss_solid *s, ss_vec3 d, ss_vec3 x, mode_list *l)
{
    for (int32_t i = 0; i < s->crease_count; i++) {
        const ss_crease *k    = &s->creases[i];
        ss_vec3          from = s->crease_points[k->first];
        if (k->straight && fabs(ss_dot(k->e, d)) < 0.9 &&
            ss_norm(ss_cross(k->e, ss_sub(x, from))) < nearby * s->size) {
            add(l, (ss_mode){SS_MODE_LINE, ss_to_world(c->f, from), ss_mul(&c->f->R, k->e), 0,
                             ss_feature(SS_FEATURE_EDGE, i)});
        }
    }
    for (int32_t i = 0; i < s->curved_count; i++) {
        const ss_surface *round = &s->surfaces[i];
        ss_vec3           u     = axis_of(&round->at), n;
        if ((round->endless || round->kind == SS_SURFACE_CAPSULE) && fabs(ss_dot(u, d)) < 0.9 &&
            ss_surface_height(round, x, &n) > -nearby * s->size) {
            add(l, (ss_mode){SS_MODE_LINE, ss_to_world(c->f, round->at.p), ss_mul(&c->f->R, u),
                             round->radius, ss_feature(SS_FEATURE_SURFACE, i)});
        }
    }
}

/* Corners and creases that are nearly as far along d as the furthest point, and patches near it. */
static void round_modes(const ss_core *c, const ss_solid *s, ss_vec3 d, ss_vec3 furthest,
                        mode_list *l)
{
    double        least = ss_dot(d, furthest) - as_far * s->size;
    const ss_vec3 none  = {0, 0, 0};
    for (int32_t i = 0; i < s->corner_count; i++) {
        if (ss_dot(d, s->corners[i]) >= least) {
            add(l, (ss_mode){SS_MODE_POINT, ss_to_world(c->f, s->corners[i]), none, 0,
                             ss_feature(SS_FEATURE_VERTEX, i)});
        }
    }
    for (int32_t i = 0; i < s->crease_count; i++) {
        ss_vec3 peaks[4];
        int32_t count = ss_solid_peaks(s, i, d, least, peaks, 4);
        for (int32_t k = 0; k < count; k++) {
            add(l, (ss_mode){SS_MODE_CREASE, ss_to_world(c->f, peaks[k]), none, 0,
                             ss_feature(SS_FEATURE_EDGE, i)});
        }
    }
    for (int32_t i = 0; i < s->curved_count; i++) {
        ss_vec3 n;
        if (!s->surfaces[i].endless &&
            ss_surface_height(&s->surfaces[i], furthest, &n) > -nearby * s->size) {
            add(l, (ss_mode){SS_MODE_PATCH, c->f->p, none, 0, ss_feature(SS_FEATURE_SURFACE, i)});
        }
    }
}

static void solid_modes(const ss_core *c, ss_vec3 d, mode_list *l)
{
    const ss_solid *s      = c->g->params.solid;
    ss_vec3         inside = ss_tmul(&c->f->R, d);
    ss_vec3         far    = ss_solid_support(s, inside).x;
    facet_modes(c, s, inside, far, l);
    line_modes(c, s, inside, far, l);
    round_modes(c, s, inside, far, l);
}

int32_t ss_core_modes(const ss_core *c, ss_vec3 d, ss_vec3 towards, ss_mode modes[SS_MODES_MAX])
{
    mode_list l = {modes, 0};
    switch (c->kind) {
    case SS_CORE_POINT:
        add(&l, (ss_mode){SS_MODE_POINT, c->f->p, {0, 0, 0}, 0, SS_FEATURE_SURFACE});
        break;
    case SS_CORE_SEGMENT:
        segment_modes(c, d, towards, &l);
        break;
    case SS_CORE_POLYHEDRON:
        polyhedron_modes(c, d, towards, &l);
        break;
    case SS_CORE_CYLINDER:
        cylinder_modes(c, d, &l);
        break;
    case SS_CORE_SMOOTH:
        add(&l, (ss_mode){SS_MODE_SMOOTH, c->f->p, {0, 0, 0}, 0, SS_FEATURE_SURFACE});
        break;
    case SS_CORE_SOLID:
        solid_modes(c, d, &l);
        break;
    }
    return l.count;
}

/* Of a patch or a crease as if nothing else cut it off. */
static ss_vec3 solid_point(const ss_core *c, const ss_mode *m, ss_vec3 d)
{
    const ss_solid *s      = c->g->params.solid;
    int32_t         index  = (int32_t)(m->feature & SS_FEATURE_INDEX_MASK);
    ss_vec3         inside = ss_tmul(&c->f->R, d), x = ss_to_body(c->f, m->x);
    count_asked(c);
    if (m->kind == SS_MODE_PATCH) {
        ss_surface_support(&s->surfaces[index], inside, &x);
    } else {
        ss_solid_follow(s, index, inside, &x);
    }
    return ss_to_world(c->f, x);
}

ss_vec3 ss_mode_point(const ss_core *c, const ss_mode *m, ss_vec3 d)
{
    switch (m->kind) {
    case SS_MODE_LINE:
        return ss_axpy(m->x, m->radius, d);
    case SS_MODE_POINT:
        return m->x;
    case SS_MODE_RIM:
        return ss_axpy(m->x, m->radius, ss_unit(ss_axpy(d, -ss_dot(d, m->e), m->e)));
    case SS_MODE_PATCH:
    case SS_MODE_CREASE:
        return solid_point(c, m, d);
    case SS_MODE_FACE:
    case SS_MODE_SMOOTH:
        break;
    }
    return ss_core_support(c, d);
}

static bool over_facet(const ss_solid *s, int32_t facet, ss_vec3 x)
{
    int32_t           i     = s->facets[facet].surface;
    const ss_surface *plane = &s->surfaces[i];
    ss_vec3           foot  = ss_axpy(x, plane->offset - ss_dot(plane->normal, x), plane->normal);
    return ss_solid_height(s, foot, i) <= 0;
}

/* How deep x is inside the nearest of the planes of all faces but one. */
static double depth_beside(const ss_polyhedron *p, int32_t face, ss_vec3 x)
{
    double least = INFINITY;
    for (int32_t f = 0; f < p->face_count; f++) {
        ss_vec3 on = p->vertices[p->face_vertices[p->face_start[f]]];
        least      = f == face ? least : fmin(least, ss_dot(p->normals[f], ss_sub(on, x)));
    }
    return least;
}

bool ss_mode_is_nearest(const ss_core *c, const ss_mode *face, ss_vec3 x, double depth)
{
    ss_vec3 inside = ss_to_body(c->f, x);
    if (c->kind == SS_CORE_CYLINDER) {
        double half = half_length(c), r = c->g->params.capsule.radius;
        return depth <= fmin(half, r - ss_hypot(inside.x, inside.y));
    }
    return c->kind == SS_CORE_POLYHEDRON && c->g->poly->edge_count > 0 &&
           depth <=
               depth_beside(c->g->poly, (int32_t)(face->feature & SS_FEATURE_INDEX_MASK), inside);
}

bool ss_mode_is_under(const ss_core *c, const ss_mode *face, ss_vec3 x)
{
    ss_vec3 inside = ss_to_body(c->f, x);
    if (c->kind == SS_CORE_SOLID) {
        return over_facet(c->g->params.solid, (int32_t)(face->feature & SS_FEATURE_INDEX_MASK),
                          inside);
    }
    if (c->kind == SS_CORE_CYLINDER) {
        return ss_hypot(inside.x, inside.y) <= c->g->params.capsule.radius;
    }
    /* the pieces of polygons carry other numbers, and 2D searches are short */
    return c->g->poly->edge_count > 0 &&
           ss_polyhedron_over_face(c->g->poly, (int32_t)(face->feature & SS_FEATURE_INDEX_MASK),
                                   inside);
}

/* ---- flat parts ---------------------------------------------------------------------------- */

ss_vec3 ss_rim_point(const ss_geom *cylinder, int32_t i)
{
    double angle = 2 * SS_PI * (i % SS_RIM_POINTS) / SS_RIM_POINTS;
    double r = cylinder->params.capsule.radius, half = 0.5 * cylinder->params.capsule.length;
    return ss_v3(r * ss_cos(angle), r * ss_sin(angle), i < SS_RIM_POINTS ? -half : half);
}

/* The end that looks along d, counter-clockwise from outside. */
static void flat_end(const ss_core *c, ss_vec3 u, int32_t end, ss_flat *out)
{
    out->count = SS_RIM_POINTS;
    out->face  = ss_feature(SS_FEATURE_FACE, end);
    for (int32_t i = 0; i < SS_RIM_POINTS; i++) {
        int32_t k      = end ? SS_RIM_POINTS + i : SS_RIM_POINTS - 1 - i;
        out->id[i]     = k;
        out->p[i]      = ss_to_world(c->f, ss_rim_point(c->g, k));
        out->centre[i] = c->f->p;
    }
    out->round = true;
    ss_flat_finish(out, end ? u : ss_neg(u));
}

/* The straight line on the side of a cylinder, or the core of a capsule. */
static void straight_line(const ss_core *c, ss_vec3 u, ss_vec3 d, ss_flat *out)
{
    double  r    = c->kind == SS_CORE_CYLINDER ? c->g->params.capsule.radius : 0;
    ss_vec3 side = ss_unit(ss_axpy(d, -ss_dot(d, u), u));
    ss_vec3 mid  = ss_axpy(c->f->p, r, side);
    out->count   = 2;
    out->face    = ss_feature(SS_FEATURE_EDGE, 2);
    out->p[0]    = ss_axpy(mid, -half_length(c), u);
    out->p[1]    = ss_axpy(mid, half_length(c), u);
    out->id[0]   = 0;
    out->id[1]   = 1;
}

static int32_t face_along(const ss_polyhedron *p, ss_vec3 d)
{
    int32_t best = 0;
    for (int32_t f = 1; f < p->face_count; f++) {
        if (ss_dot(d, p->normals[f]) > ss_dot(d, p->normals[best])) {
            best = f;
        }
    }
    return best;
}

static void flat_of_facet(const ss_core *c, const ss_solid *s, int32_t facet, ss_flat *out)
{
    const ss_facet *f = &s->facets[facet];
    out->count        = f->count < SS_FLAT_MAX ? f->count : SS_FLAT_MAX;
    out->face         = ss_feature(SS_FEATURE_FACE, facet);
    for (int32_t i = 0; i < out->count; i++) {
        const ss_outline_point *p =
            &s->outlines[f->first + (int32_t)((int64_t)i * f->count / out->count)];
        out->id[i]     = p->id;
        out->p[i]      = ss_to_world(c->f, p->x);
        out->centre[i] = p->id < s->corner_count ? out->p[i] : ss_to_world(c->f, p->centre);
    }
    out->round = true;
    ss_flat_finish(out, ss_mul(&c->f->R, s->surfaces[f->surface].normal));
}

static void flat_of_line(const ss_core *c, ss_vec3 p, ss_vec3 q, uint32_t feature, ss_flat *out)
{
    out->count = 2;
    out->face  = feature;
    out->p[0]  = ss_to_world(c->f, p);
    out->p[1]  = ss_to_world(c->f, q);
    out->id[0] = 0;
    out->id[1] = 1;
}

/* The line on a cylinder or capsule that looks along d, as far as it is on the solid. */
static bool line_on_round(const ss_solid *s, int32_t surface, ss_vec3 d, ss_vec3 p[2])
{
    const ss_surface *round = &s->surfaces[surface];
    ss_vec3           u = axis_of(&round->at), side = ss_unit(ss_axpy(d, -ss_dot(d, u), u));
    ss_vec3           x = ss_axpy(round->at.p, round->radius, side);
    double            t[2];
    if (!ss_solid_chord(s, x, u, surface, t)) {
        return false;
    }
    if (!round->endless) {
        t[0] = fmax(t[0], -round->half);
        t[1] = fmin(t[1], round->half);
    }
    p[0] = ss_axpy(x, t[0], u);
    p[1] = ss_axpy(x, t[1], u);
    return t[1] > t[0];
}

/* A straight line of the solid that is furthest in direction d, or nearly so. */
static void straight_part(const ss_core *c, const ss_solid *s, ss_vec3 d, ss_flat *out)
{
    double  far = ss_dot(d, ss_solid_support(s, d).x), least = SS_FACING;
    ss_vec3 p[2];
    for (int32_t i = 0; i < s->curved_count; i++) {
        const ss_surface *round = &s->surfaces[i];
        double            tilt  = fabs(ss_dot(axis_of(&round->at), d));
        if ((round->endless || round->kind == SS_SURFACE_CAPSULE) && tilt < least &&
            line_on_round(s, i, d, p)) {
            least = tilt;
            flat_of_line(c, p[0], p[1], ss_feature(SS_FEATURE_SURFACE, i), out);
        }
    }
    for (int32_t i = 0; i < s->crease_count; i++) {
        const ss_vec3 *end  = s->crease_points + s->creases[i].first;
        double         tilt = s->creases[i].straight ? fabs(ss_dot(s->creases[i].e, d)) : INFINITY;
        if (tilt < least &&
            fmax(ss_dot(d, end[0]), ss_dot(d, end[1])) >= far - SS_LENGTH_ROUNDING * s->size) {
            least = tilt;
            flat_of_line(c, end[0], end[1], ss_feature(SS_FEATURE_EDGE, i), out);
        }
    }
}

static void solid_flat(const ss_core *c, ss_vec3 d, double slack, ss_flat *out)
{
    const ss_solid *s      = c->g->params.solid;
    ss_vec3         inside = ss_tmul(&c->f->R, d);
    int32_t         best   = -1;
    double          most   = SS_FACING;
    for (int32_t i = 0; i < s->facet_count; i++) {
        double along = ss_dot(s->surfaces[s->facets[i].surface].normal, inside);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    bool inclined = best < 0 || sqrt(fmax(0, 1 - most * most)) > slack;
    if (s->dimension == 3 && inclined) { /* on a line or a rim */
        straight_part(c, s, inside, out);
    } else if (best >= 0) {
        flat_of_facet(c, s, best, out);
    }
}

void ss_core_flat(const ss_core *c, ss_vec3 d, double slack, ss_flat *out)
{
    ss_vec3 u    = axis_of(c->f);
    double  tilt = ss_dot(u, d);
    out->poly    = NULL;
    out->radius  = c->radius;
    out->count   = 1;
    out->side    = false;
    out->round   = false;
    if (c->kind == SS_CORE_SOLID) {
        solid_flat(c, d, slack, out);
    } else if (c->kind == SS_CORE_POLYHEDRON) {
        ss_flat_of_face(c->g->poly, face_along(c->g->poly, ss_tmul(&c->f->R, d)), c->f, out);
    } else if (c->kind == SS_CORE_CYLINDER && fabs(tilt) > SS_FACING) {
        if (sqrt(fmax(0, 1 - tilt * tilt)) <= slack) { /* else it is on its rim */
            flat_end(c, u, tilt > 0, out);
        }
    } else if (c->kind == SS_CORE_CYLINDER || c->kind == SS_CORE_SEGMENT) {
        straight_line(c, u, d, out);
    }
}
