/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Straight parts that lie nearly along each other: sides of cylinders, capsules, edges of
 * polyhedra.
 *
 * Where two lines with directions e and u cross, the direction that separates them is e x u, and a
 * turn by w h moves it by w h / sin(e, u): with lines that are nearly parallel, the contact at the
 * crossing says little about the end of the step, because the place where they are nearest runs
 * along them within it. Then every end of either line that lies beside the other one has a contact
 * of its own, the true distance of that end:
 *
 *   m = direction from the line (through x along e, thickness r) to the end, square to e
 *   psi = m.(c - x) - r - s - rho sqrt(1 - (m.u)^2)
 *
 * for an end at c that is a ball of radius s (a vertex: 0) or the flat end, a disc of radius rho
 * square to u, of a cylinder. The distance is the largest psi over m, and where it is taken
 *
 *   m ~ (c - x + rho (m.u) u / sqrt(1 - (m.u)^2)) without its part along e,
 *
 * which is iterated: m.u is small, of the order of the angle between the lines.
 *
 * An edge of a polyhedron is nearest only in directions between the normals of its faces; beyond
 * them the end is over the face, and m is its normal.
 */
#include "collide/along.h"

#include "collide/feature.h"
#include "collide/tolerances.h"
#include "geom/polyhedron.h"

typedef struct straight {
    ss_vec3        p[2], e; /* ends, and the direction from the first to the second, unit        */
    double         length;
    double         ball, disc; /* radius of round ends, of flat ones; either is the thickness     */
    uint32_t       whole, end[2]; /* features                                                */
    const ss_core *of;            /* an edge: of this polyhedron, else NULL                  */
    int32_t        face[2];       /* .. between these faces                                  */
    ss_vec3        normal[2];
} straight;

typedef struct setting {
    const ss_convex_result *best;
    double                  reach, tiny;
    ss_contact_list        *out;
} setting;

static ss_vec3 square_to(ss_vec3 x, ss_vec3 e)
{
    return ss_axpy(x, -ss_dot(x, e), e);
}

/* The axis of a capsule, or of a cylinder whose side looks along d. False: there is none. */
static bool round_line(const ss_core *c, ss_vec3 d, straight *out)
{
    ss_vec3 u    = ss_v3(c->f->R.m[2], c->f->R.m[5], c->f->R.m[8]);
    double  half = 0.5 * c->g->params.capsule.length;
    bool    flat = c->kind == SS_CORE_CYLINDER;
    if (!(half > 0) || (flat && fabs(ss_dot(u, d)) > SS_FACING)) {
        return false;
    }
    *out = (straight){.p      = {ss_axpy(c->f->p, -half, u), ss_axpy(c->f->p, half, u)},
                      .e      = u,
                      .length = 2 * half,
                      .ball   = c->radius,
                      .disc   = flat ? c->g->params.capsule.radius : 0,
                      .whole  = ss_feature(flat ? SS_FEATURE_FACE : SS_FEATURE_EDGE, 2),
                      .end    = {SS_FEATURE_VERTEX, SS_FEATURE_VERTEX + 1}};
    return true;
}

/* Edge i of a polyhedron; false: it has a side along which a solid was cut, or no length. */
static bool edge_line(const ss_core *c, int32_t i, straight *out)
{
    const ss_polyhedron *p = c->g->poly;
    const int32_t       *w = p->edges + 4 * (ptrdiff_t)i;
    if (ss_is_cut(p, w[2]) || ss_is_cut(p, w[3])) {
        return false;
    }
    *out = (straight){
        .p      = {ss_to_world(c->f, p->vertices[w[0]]), ss_to_world(c->f, p->vertices[w[1]])},
        .of     = c,
        .face   = {w[2], w[3]},
        .normal = {ss_mul(&c->f->R, p->normals[w[2]]), ss_mul(&c->f->R, p->normals[w[3]])},
        .whole  = ss_feature(SS_FEATURE_EDGE, i),
        .end    = {ss_vertex_feature(p, w[0]), ss_vertex_feature(p, w[1])}};
    ss_vec3 d   = ss_sub(out->p[1], out->p[0]);
    out->length = ss_norm(d);
    out->e      = ss_scale(1 / out->length, d);
    return out->length > 0;
}

/* Do its faces look along m, square to it, give or take an angle? */
static bool edge_looks(const straight *s, ss_vec3 m, double slack)
{
    double between = ss_dot(s->normal[0], s->normal[1]) - slack;
    return ss_dot(m, s->normal[0]) >= between && ss_dot(m, s->normal[1]) >= between;
}

/* The direction from the line to the end that is the distance. */
static ss_vec3 direction_to_end(const straight *line, const straight *of, ss_vec3 off)
{
    enum { ITERATIONS = 4 };
    ss_vec3 m = ss_unit(off);
    for (int i = 0; of->disc > 0 && i < ITERATIONS; i++) {
        double along = ss_dot(m, of->e);
        double pull  = of->disc * along / sqrt(fmax(1 - along * along, SS_ALONG));
        m            = ss_unit(ss_add(off, ss_scale(pull, square_to(of->e, line->e))));
    }
    return m;
}

/* The point of the end's surface that is furthest against m. */
static ss_vec3 surface_of_end(const straight *of, int i, ss_vec3 m)
{
    ss_vec3 x = ss_axpy(of->p[i], -of->ball, m);
    return of->disc > 0 ? ss_axpy(x, -of->disc, ss_unit(square_to(m, of->e))) : x;
}

/*
 * Is m a direction in which the edge is nearest? Otherwise it becomes the normal of the face that
 * the end is over. False: it is over neither.
 */
static bool turn_to_face(const straight *edge, const straight *of, int i, ss_vec3 *m, uint32_t *on)
{
    const ss_core *c = edge->of;
    *on              = edge->whole;
    if (c == NULL || edge_looks(edge, *m, 0)) {
        return true;
    }
    int side = ss_dot(*m, edge->normal[1]) > ss_dot(*m, edge->normal[0]);
    *m       = edge->normal[side];
    *on      = ss_face_feature(c->g->poly, edge->face[side]);
    return ss_polyhedron_over_face(c->g->poly, edge->face[side],
                                   ss_to_body(c->f, surface_of_end(of, i, *m)));
}

/* Does the foot of x lie on the line, `inset` away from its ends at least? */
static bool is_beside(const straight *line, ss_vec3 x, double inset)
{
    double foot = ss_dot(ss_sub(x, line->p[0]), line->e);
    return foot >= inset && foot <= line->length - inset;
}

/*
 * End i of `of` beside the line. line_first: the line is of body a. Feet within `inset` of the
 * line's ends are left to its own ends. What would be nearer than the bodies are is no distance
 * between them.
 */
static void end_beside(const setting *s, const straight *line, const straight *of, int i,
                       bool line_first, double inset)
{
    ss_vec3 off = square_to(ss_sub(of->p[i], line->p[0]), line->e), n = s->best->normal;
    if (!(ss_norm(off) > 0)) {
        return;
    }
    ss_vec3  m = direction_to_end(line, of, off);
    uint32_t on_line;
    if (!turn_to_face(line, of, i, &m, &on_line) ||
        ss_dot(m, line_first ? n : ss_neg(n)) < SS_FACING) {
        return;
    }
    ss_vec3 surface = surface_of_end(of, i, m);
    double  gap     = ss_dot(m, ss_sub(surface, line->p[0])) - line->ball - line->disc;
    if (gap > s->reach || gap < s->best->gap - s->tiny || !is_beside(line, surface, inset)) {
        return;
    }
    ss_vec3 facing = ss_axpy(surface, -gap, m);
    if (line_first) {
        ss_contact_push(s->out, on_line, of->end[i], facing, surface, m, gap);
    } else {
        ss_contact_push(s->out, of->end[i], on_line, surface, facing, ss_neg(m), gap);
    }
}

static void ends_of_both(const setting *s, const straight *a, const straight *b)
{
    if (ss_norm(ss_cross(a->e, b->e)) > SS_ALONG_SINE) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        end_beside(s, b, a, i, false, 0);
        end_beside(s, a, b, i, true, s->tiny);
    }
}

/* Every edge of the polyhedron that looks at the line, with the line. */
static void edges_along(const setting *s, const ss_core *poly, const straight *line, bool first)
{
    ss_vec3 n = first ? s->best->normal : ss_neg(s->best->normal);
    for (int32_t i = 0; i < poly->g->poly->edge_count; i++) {
        straight edge;
        if (!edge_line(poly, i, &edge) || ss_norm(ss_cross(edge.e, line->e)) > SS_ALONG_SINE ||
            !edge_looks(&edge, ss_unit(square_to(n, edge.e)), SS_ALONG_SINE)) {
            continue;
        }
        if (first) {
            ends_of_both(s, &edge, line);
        } else {
            ends_of_both(s, line, &edge);
        }
    }
}

static bool has_line(const ss_core *c)
{
    return c->kind == SS_CORE_SEGMENT || c->kind == SS_CORE_CYLINDER;
}

/* Is the place where they are nearest between two of the contacts from `first` on? */
static bool is_amid(const setting *s, int32_t first)
{
    const ss_contact_list *l   = s->out;
    int32_t                end = l->count < l->capacity ? l->count : l->capacity;
    for (int32_t i = first; i < end; i++) {
        ss_vec3 way = ss_sub(l->items[i].point_a, s->best->point_a);
        for (int32_t k = first; k < i; k++) {
            if (ss_dot(way, ss_sub(l->items[k].point_a, s->best->point_a)) < 0) {
                return true;
            }
        }
    }
    return false;
}

bool ss_along_ends(const ss_core *a, const ss_core *b, const ss_convex_result *best, double reach,
                   double tiny, ss_contact_list *out)
{
    setting  s     = {best, reach, tiny, out};
    int32_t  first = out->count;
    straight x, y;
    bool     of_a = has_line(a) && round_line(a, best->normal, &x),
         of_b     = has_line(b) && round_line(b, best->normal, &y);
    if (of_a && of_b) {
        ends_of_both(&s, &x, &y);
    } else if (of_b && a->kind == SS_CORE_POLYHEDRON) {
        edges_along(&s, a, &y, true);
    } else if (of_a && b->kind == SS_CORE_POLYHEDRON) {
        edges_along(&s, b, &x, false);
    }
    return is_amid(&s, first);
}
