/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any convex shape against any other: the contact at the least separation (convex_pair.c), and,
 * where straight or flat parts lie along each other (a capsule or a cylinder on a face, a cylinder
 * on its end), the corners of that patch, so that what lies on something lies still. When a corner
 * of the patch attains the least separation, it stands for it.
 *
 * Near an edge of a polyhedron the faces that the other shape can come to lie on within the step
 * are branches of their own: without them the direction of the edge would hold what slides onto a
 * face.
 */
#include "collide/along.h"
#include "collide/convex_pair.h"
#include "collide/feature.h"
#include "collide/pairs.h"
#include "collide/tolerances.h"
#include "geom/cover.h"

typedef struct pair {
    const ss_core          *a, *b;
    const ss_convex_result *best;
    double                  reach, size, tiny; /* size: of the smaller shape */
    double                  slack;             /* inclination whose far side is in reach */
    bool                    planar;
    ss_contact_list        *out;
} pair;

/* Two straight lines along each other: the ends of their overlap. False: they are inclined. */
static bool lines_along(const pair *s, const ss_flat *a, const ss_flat *b)
{
    ss_vec3 u = ss_sub(a->p[1], a->p[0]), v = ss_sub(b->p[1], b->p[0]), n = s->best->normal;
    double  length = ss_norm(u);
    if (ss_norm(ss_cross(u, v)) > SS_ALONG * length * ss_norm(v)) {
        return false;
    }
    u         = ss_scale(1 / length, u);
    double t0 = ss_dot(u, ss_sub(b->p[0], a->p[0])), t1 = ss_dot(u, ss_sub(b->p[1], a->p[0]));
    int    b_low = t0 < t1 ? 0 : 1;
    double low = fmax(0, fmin(t0, t1)), high = fmin(length, fmax(t0, t1));
    for (int i = 0; high - low > s->tiny && i < 2; i++) {
        double  t = i ? high : low;
        ss_vec3 x = ss_axpy(a->p[0], t, u), y = ss_axpy(b->p[b_low], t - fmin(t0, t1), u);
        double  gap  = ss_dot(n, ss_sub(y, x)) - a->radius - b->radius;
        ss_vec3 on_a = ss_axpy(x, a->radius, n);
        if (gap <= s->reach) {
            bool     end_of_a = i ? high == length : low == 0;
            uint32_t fa       = end_of_a ? ss_feature(SS_FEATURE_VERTEX, i) : a->face;
            uint32_t fb       = end_of_a ? b->face : ss_feature(SS_FEATURE_VERTEX, i ^ b_low);
            ss_contact_push(s->out, fa, fb, on_a, ss_axpy(on_a, gap, n), n, gap);
        }
    }
    return true;
}

/* What is nearly straight along something else. */
static void nearly_along(const pair *s)
{
    s->out->amid = ss_along_ends(s->a, s->b, s->best, s->reach, s->tiny, s->out);
}

static bool is_inclined(const pair *s, const ss_flat *face)
{
    return ss_norm(ss_cross(s->best->normal, face->normal)) > s->slack;
}

/* What lies flat or straight along something else. */
static void flat_contacts(const pair *s)
{
    ss_flat a, b;
    ss_core_flat(s->a, s->best->normal, s->slack, &a);
    ss_core_flat(s->b, ss_neg(s->best->normal), s->slack, &b);
    if (a.count < 2 || b.count < 2) {
        return;
    }
    if (a.count == 2 && b.count == 2 && !s->planar) {
        if (!lines_along(s, &a, &b)) {
            nearly_along(s);
        }
        return;
    }
    /* a face so inclined that its far side is out of reach does not lie on anything, but what lies
       on the other may be one of its edges */
    bool     line   = (a.count == 2 || b.count == 2) && !s->planar;
    bool     of_b   = (a.count == 2 && !s->planar) || (!line && !s->planar && is_inclined(s, &a));
    bool     off    = is_inclined(s, of_b ? &b : &a) || (s->planar && is_inclined(s, &b));
    ss_patch p      = {.r         = of_b ? &b : &a,
                       .o         = of_b ? &a : &b,
                       .flipped   = of_b,
                       .reach     = s->reach,
                       .best      = s->best->gap,
                       .tiny      = s->tiny,
                       .skip_r    = -1,
                       .skip_o    = -1,
                       .one_sided = of_b && !line,
                       .out       = s->out};
    int32_t  before = s->out->count;
    if (!off) {
        ss_patch_corners(&p);
    }
    if (line && s->out->count < before + 2) { /* off the face, or on its border */
        nearly_along(s);
    }
}

/* Does one of the contacts from `first` on attain this separation? */
static bool attained(const pair *s, int32_t first, double gap)
{
    int32_t end = s->out->count < s->out->capacity ? s->out->count : s->out->capacity;
    for (int32_t i = first; i < end; i++) {
        if (s->out->items[i].gap <= gap + s->tiny) {
            return true;
        }
    }
    return false;
}

/* ---- faces beside the direction that separates most ----------------------------------------- */

/*
 * What is on neither side of an edge yet: x, the furthest point against the face, and for straight
 * or flat parts every end in reach, since any of them may be the furthest when the step ends.
 */
static void emit_ends(const pair *s, const ss_patch *p, ss_vec3 x, double radius)
{
    const ss_flat *r = p->r, *o = p->o;
    int32_t        before = s->out->count;
    for (int32_t i = 0; !s->planar && o->count > 1 && i < o->count; i++) {
        if (ss_dot(r->normal, o->p[i]) - r->offset - o->radius <= s->reach) {
            s->out->beside = ss_flat_outside(r, o->p[i]) > s->reach + s->tiny;
            ss_patch_emit_on_r(p, ss_feature(SS_FEATURE_VERTEX, o->id[i]), i, o->p[i], o->radius);
        }
    }
    if (s->out->count == before) {
        s->out->beside = !s->planar && ss_flat_outside(r, x) > s->reach + s->tiny;
        ss_patch_emit_on_r(p, SS_FEATURE_SURFACE, -1, x, radius);
    }
    s->out->beside = false;
}

/* Is a straight line beside the outline of the face as a whole? Then all of it has to stay above
   the plane, or another direction separates. */
static bool is_outside(const ss_flat *face, const ss_flat *line)
{
    for (int32_t i = 0; line->count == 2 && i < face->count; i++) {
        if (ss_dot(face->outward[i], ss_sub(line->p[0], face->p[i])) > 0 &&
            ss_dot(face->outward[i], ss_sub(line->p[1], face->p[i])) > 0) {
            return true;
        }
    }
    return false;
}

/*
 * The contacts of face f of the polyhedron c with o. None where o is round and has its furthest
 * point x off the face by more than the reach: it is not touched there in the step, and says
 * nothing of what else may be. On what is nearly flat x runs far with the turn of the face, which
 * then seems to open at that arm times the rate of the turn: the edge of a box that turned into the
 * side of a superellipse went on into it.
 */
static void face_branch(const pair *s, const ss_core *c, const ss_core *o, int32_t f, ss_vec3 x)
{
    bool    of_b = c == s->b;
    ss_flat r, flat;
    ss_flat_of_face(c->g->poly, f, c->f, &r);
    ss_core_flat(o, ss_neg(r.normal), s->slack, &flat);
    bool beside = ss_flat_outside(&r, x) > s->reach + s->tiny;
    if (beside && flat.count < 2) {
        return;
    }
    int32_t  before = s->out->count;
    ss_patch p      = {.r         = &r,
                       .o         = &flat,
                       .flipped   = of_b,
                       .reach     = s->reach,
                       .beyond    = ss_contact_beyond(s->out, s->reach),
                       .best      = ss_dot(r.normal, x) - o->radius - r.offset,
                       .tiny      = s->tiny,
                       .skip_r    = -1,
                       .skip_o    = -1,
                       .one_sided = true,
                       .out       = s->out};
    r.face          = ss_face_feature(c->g->poly, f);
    s->out->branch  = of_b ? ss_branch_name(0, r.face) : ss_branch_name(r.face, 0);
    bool over       = s->planar || !beside;
    if (flat.count > 1 && !s->planar && over && !is_outside(&r, &flat)) {
        ss_patch_corners(&p);
    }
    if (s->out->count == before) {
        emit_ends(s, &p, x, o->radius);
    }
    if (!attained(s, before, p.best)) { /* a curved rim between the ends */
        s->out->beside = !over;
        ss_patch_emit_on_r(&p, SS_FEATURE_SURFACE, -1, x, o->radius);
        s->out->beside = false;
    }
}

/* Could o come to lie on face f within the step? x: its furthest point against the face. */
static bool face_matters(const pair *s, const ss_core *c, const ss_core *o, int32_t f, ss_vec3 *x)
{
    const ss_polyhedron *p    = c->g->poly;
    ss_vec3              n    = ss_mul(&c->f->R, p->normals[f]);
    ss_vec3              from = ss_to_world(c->f, p->vertices[p->face_vertices[p->face_start[f]]]);
    *x                        = ss_core_support(o, ss_neg(n));
    double gap                = ss_dot(n, ss_sub(*x, from)) - o->radius;
    return gap >= -s->reach && gap <= s->reach && !ss_is_cut(p, f) &&
           ss_norm(ss_cross(n, s->best->normal)) > SS_ALONG;
}

static void face_branches(const pair *s, const ss_core *c, const ss_core *o)
{
    const ss_polyhedron *p     = c->g->poly;
    int32_t              faces = 0;
    if (c->kind == SS_CORE_POLYHEDRON) {
        faces = p->neighbours.onward_end > 0 ? p->neighbours.onward_end : p->face_count;
    }
    for (int32_t f = 0; f < faces; f++) {
        ss_vec3 x;
        if (face_matters(s, c, o, f, &x)) {
            face_branch(s, c, o, f, x);
        }
    }
}

/* The branches beside the contacts from `first` on, which become one too if there are any. */
static void add_branches(const pair *s, int32_t first)
{
    int32_t end = s->out->count;
    face_branches(s, s->a, s->b);
    face_branches(s, s->b, s->a);
    for (int32_t i = first; s->out->branch != 0 && i < end && i < s->out->capacity; i++) {
        s->out->items[i].branch = ss_branch_name(s->best->feature_a, s->best->feature_b);
    }
    s->out->branch = 0;
}

/* ---- where the surface of the body goes on past a piece (geom/neighbour.h) ------------------- */

/* Is what of o can touch the plane of a neighbour's face f within the step over that face? */
static bool lies_over(const pair *s, const ss_core *c, const ss_core *o, int32_t f)
{
    const ss_polyhedron *p        = c->g->poly;
    double               rounding = p->neighbours.rounding;
    ss_flat              face, flat;
    ss_flat_of_face(p, f, c->f, &face);
    ss_vec3 x = ss_core_support(o, ss_neg(face.normal));
    if (ss_dot(face.normal, o->f->p) <= face.offset || ss_flat_outside(&face, x) >= -rounding) {
        return false;
    }
    ss_core_flat(o, ss_neg(face.normal), s->slack, &flat);
    for (int32_t i = 0; flat.count > 1 && i < flat.count; i++) {
        if (ss_dot(face.normal, flat.p[i]) - face.offset - flat.radius <= s->reach &&
            ss_flat_outside(&face, flat.p[i]) >= -rounding) {
            return false;
        }
    }
    return true;
}

/* Is o over the piece's own face in the plane of f as well? Then each of the two would leave it to
   the other. */
static bool lies_over_own(const ss_core *c, const ss_core *o, int32_t f)
{
    const ss_polyhedron *p = c->g->poly;
    ss_vec3              x = ss_core_support(o, ss_neg(ss_mul(&c->f->R, p->normals[f])));
    for (int32_t own = 0; own < p->face_count; own++) {
        ss_flat face;
        if (ss_norm(ss_sub(p->normals[own], p->normals[f])) > SS_PARALLEL) {
            continue;
        }
        ss_flat_of_face(p, own, c->f, &face);
        if (ss_flat_outside(&face, x) <= p->neighbours.rounding) {
            return true;
        }
    }
    return false;
}

/* Does o meet a neighbour of c before anything of c? */
static bool is_neighbours(const pair *s, const ss_core *c, const ss_core *o)
{
    if (c->kind != SS_CORE_POLYHEDRON) {
        return false;
    }
    for (int32_t f = c->g->poly->face_count; f < c->g->poly->neighbours.flush_end; f++) {
        if (lies_over(s, c, o, f) && !lies_over_own(c, o, f)) {
            return true;
        }
    }
    return false;
}

/* Is what of o can touch the plane of the cover within the step over it? */
static bool lies_over_cover(const pair *s, const ss_core *c, const ss_core *o, const ss_cover *over)
{
    ss_vec3 n = ss_mul(&c->f->R, over->normal), at = ss_to_world(c->f, over->at);
    ss_vec3 x = ss_to_body(c->f, ss_core_support(o, ss_neg(n)));
    ss_flat flat;
    if (ss_dot(n, ss_sub(o->f->p, at)) <= 0 || ss_cover_outside(over, x) >= -over->rounding ||
        ss_over_own_face(c->g, over, x)) {
        return false;
    }
    ss_core_flat(o, ss_neg(n), s->slack, &flat);
    for (int32_t i = 0; flat.count > 1 && i < flat.count; i++) {
        if (ss_dot(n, ss_sub(flat.p[i], at)) - flat.radius <= s->reach &&
            ss_cover_outside(over, ss_to_body(c->f, flat.p[i])) >= -over->rounding) {
            return false;
        }
    }
    return true;
}

static bool is_covered(const pair *s, const ss_core *c, const ss_core *o)
{
    for (const ss_cover *over = c->g->covers; over != NULL; over = over->next) {
        if (lies_over_cover(s, c, o, over)) {
            return true;
        }
    }
    return false;
}

static double gap_of(SS_GAP_ARGS, bool planar)
{
    ss_core          ca = ss_core_of(a, fa), cb = ss_core_of(b, fb);
    ss_convex_result best;
    ss_convex_separation(&ca, &cb, planar, enough, &best);
    *normal = best.normal;
    return best.gap;
}

double ss_gap_convex(SS_GAP_ARGS)
{
    return gap_of(a, fa, b, fb, enough, normal, false);
}

double ss_gap_convex_2d(SS_GAP_ARGS)
{
    return gap_of(a, fa, b, fb, enough, normal, true);
}

/* Products that it takes to ask a shape for the point that lies furthest in a direction. */
static double work_of(const ss_core *c)
{
    bool iterates = c->kind == SS_CORE_SOLID || c->g->params.formula_body != NULL;
    return iterates ? SS_WORK_ITERATED : SS_WORK_CLOSED;
}

static void collide_cores(const ss_core *a, const ss_core *b, double reach, ss_contact_list *out,
                          bool planar)
{
    ss_convex_result best;
    if (ss_convex_separation(a, b, planar, reach, &best) == SS_CONVEX_MISS) {
        return;
    }
    double  size = fmin(a->g->radius, b->g->radius), tiny = SS_LENGTH_ROUNDING * size;
    pair    s     = {a, b, &best, reach, size, tiny, (reach + tiny) / size, planar, out};
    int32_t first = out->count;
    if (is_neighbours(&s, a, b) || is_neighbours(&s, b, a) || is_covered(&s, a, b) ||
        is_covered(&s, b, a)) {
        return;
    }
    flat_contacts(&s);
    if (!attained(&s, first, best.gap)) {
        ss_contact_push(out, best.feature_a, best.feature_b, best.point_a, best.point_b,
                        best.normal, best.gap);
    }
    out->amid = false;
    add_branches(&s, first);
}

static void collide(SS_PAIR_ARGS, bool planar)
{
    ss_core ca = ss_core_of(a, fa), cb = ss_core_of(b, fb);
    int32_t asked[2] = {0, 0};
    ss_vec3 between  = ss_sub(fb->p, fa->p);
    double  far      = a->radius + b->radius + reach;
    if (ss_dot(between, between) > far * far) {
        return;
    }
    ca.asked = &asked[0];
    cb.asked = &asked[1];
    collide_cores(&ca, &cb, reach, out, planar);
    out->work += asked[0] * work_of(&ca) + asked[1] * work_of(&cb);
}

void ss_pair_convex(SS_PAIR_ARGS)
{
    collide(a, fa, b, fb, reach, out, false);
}

void ss_pair_convex_2d(SS_PAIR_ARGS)
{
    collide(a, fa, b, fb, reach, out, true);
}
