/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two flat parts that face each other: face F (normal n) of the reference body and face G (normal
 * m), or a straight line, of the other. The patch is their overlap seen along n, and its corners
 * carry the contact:
 *   (F, v)   corners of G over F:            normal n,  gap n.v - o_F
 *   (v, G)   corners of F over G:            normal -m, gap m.v - o_G
 *   (e, e')  sides of F and G that cross:    normal n,  gap along n
 * "Over" includes what lies outside the outline by no more than `beyond`: for polyhedra that is the
 * reach, since it can get there within the step. Left out is what other contacts make redundant:
 *   - when all corners of one face touch the other, they span the patch alone;
 *   - a corner of F with a touching corner of G no further away than that;
 *   - a crossing whose end that sticks out touches: it lies between two contacts on one edge; and
 *     one at an end that touches, wherever rounding puts it.
 */
#include "collide/patch.h"

#include "collide/feature.h"
#include "collide/tolerances.h"

void ss_flat_finish(ss_flat *flat, ss_vec3 normal)
{
    double far   = -INFINITY;
    flat->normal = normal;
    flat->side   = flat->count == 2;
    for (int32_t i = 0; i < flat->count; i++) {
        ss_vec3 next     = flat->p[i + 1 < flat->count ? i + 1 : 0];
        ss_vec3 along    = ss_sub(next, flat->p[i]);
        flat->outward[i] = ss_unit(flat->side ? ss_neg(along) : ss_cross(along, normal));
        far              = fmax(far, ss_dot(normal, flat->p[i]));
    }
    flat->offset = far;
}

void ss_flat_of_face(const ss_polyhedron *p, int32_t f, const ss_frame *at, ss_flat *out)
{
    int32_t first = p->face_start[f], corners = p->face_start[f + 1] - first;
    out->count  = corners < SS_FLAT_MAX ? corners : SS_FLAT_MAX;
    out->radius = 0;
    out->face   = ss_feature(SS_FEATURE_FACE, f);
    out->poly   = p;
    out->round  = false;
    for (int32_t i = 0; i < out->count; i++) {
        int32_t v  = p->face_vertices[first + (int32_t)((int64_t)i * corners / out->count)];
        out->id[i] = v;
        out->p[i]  = ss_to_world(at, p->vertices[v]);
    }
    ss_flat_finish(out, ss_mul(&at->R, p->normals[f]));
}

double ss_flat_outside(const ss_flat *face, ss_vec3 x)
{
    double far = -INFINITY;
    for (int32_t i = 0; i < face->count; i++) {
        far = fmax(far, ss_dot(face->outward[i], ss_sub(x, face->p[i])));
    }
    return far;
}

static double height(const ss_flat *face, ss_vec3 x)
{
    return ss_dot(face->normal, x) - face->offset;
}

/* Over the face, two inclined faces may overlap more than the bodies do; beside it they may not. */
bool ss_patch_meets(const ss_patch *s, const ss_flat *face, ss_vec3 x, double radius)
{
    double gap = height(face, x) - radius - face->radius;
    if (gap > s->reach || gap < s->best - s->reach - s->tiny) {
        return false;
    }
    return ss_flat_outside(face, x) <= (gap < s->best - s->tiny ? 0 : s->beyond + s->tiny);
}

static void push(const ss_patch *s, uint32_t feature_r, uint32_t feature_o, ss_vec3 on_r,
                 ss_vec3 on_o, ss_vec3 n, double gap)
{
    if (s->flipped) {
        ss_contact_push(s->out, feature_o, feature_r, on_o, on_r, ss_neg(n), gap);
    } else {
        ss_contact_push(s->out, feature_r, feature_o, on_r, on_o, n, gap);
    }
}

/* What turning the rim about its axis does not change; n: from r to o. */
static ss_vec3 roll_at(const ss_patch *s, const ss_flat *rim, int32_t corner, ss_vec3 x, ss_vec3 n)
{
    if (!rim->round || corner < 0) {
        return ss_v3(0, 0, 0);
    }
    return ss_contact_roll(rim->centre[corner], rim->normal, x, s->flipped ? ss_neg(n) : n);
}

void ss_patch_emit_on_r(const ss_patch *s, uint32_t feature, int32_t corner, ss_vec3 x,
                        double radius)
{
    ss_vec3 n = s->r->normal, surface = ss_axpy(x, -radius, n);
    double  gap  = height(s->r, x) - radius - s->r->radius;
    s->out->roll = corner < 0 ? ss_v3(0, 0, 0) : roll_at(s, s->o, corner, x, n);
    push(s, s->r->face, feature, ss_axpy(surface, -gap, n), surface, n, gap);
    s->out->roll = ss_v3(0, 0, 0);
}

void ss_patch_emit_on_o(const ss_patch *s, uint32_t feature, int32_t corner, ss_vec3 x,
                        double radius)
{
    ss_vec3 m = s->o->normal, surface = ss_axpy(x, -radius, m);
    double  gap  = height(s->o, x) - radius - s->o->radius;
    s->out->roll = corner < 0 ? ss_v3(0, 0, 0) : roll_at(s, s->r, corner, x, ss_neg(m));
    push(s, feature, s->o->face, surface, ss_axpy(surface, -gap, m), ss_neg(m), gap);
    s->out->roll = ss_v3(0, 0, 0);
}

static bool all_meet(const ss_patch *s, const ss_flat *corners, const ss_flat *face)
{
    for (int32_t i = 0; i < corners->count; i++) {
        if (!ss_patch_meets(s, face, corners->p[i], corners->radius)) {
            return false;
        }
    }
    return true;
}

/* Is there a corner of o that touches r in reach of x, seen along n? */
static bool corner_of_o_near(const ss_patch *s, ss_vec3 x)
{
    ss_vec3 n    = s->r->normal;
    double  near = s->beyond + s->tiny;
    for (int32_t i = 0; i < s->o->count; i++) {
        ss_vec3 d = ss_sub(s->o->p[i], x);
        d         = ss_axpy(d, -ss_dot(d, n), n);
        if (ss_dot(d, d) <= near * near && ss_patch_meets(s, s->r, s->o->p[i], s->o->radius)) {
            return true;
        }
    }
    return false;
}

static void corners_of_o(const ss_patch *s)
{
    for (int32_t i = 0; i < s->o->count; i++) {
        if (ss_patch_meets(s, s->r, s->o->p[i], s->o->radius)) {
            ss_patch_emit_on_r(s, ss_feature(SS_FEATURE_VERTEX, s->o->id[i]), i, s->o->p[i],
                               s->o->radius);
        }
    }
}

static void corners_of_r(const ss_patch *s)
{
    for (int32_t i = 0; i < s->r->count; i++) {
        ss_vec3 x = s->r->p[i];
        if (ss_patch_meets(s, s->o, x, s->r->radius) && !corner_of_o_near(s, x)) {
            ss_patch_emit_on_o(s, ss_feature(SS_FEATURE_VERTEX, s->r->id[i]), i, x, s->r->radius);
        }
    }
}

/* The number of side i -> i + 1 of a flat part. */
static int32_t side_number(const ss_flat *flat, int32_t i)
{
    const ss_polyhedron *p = flat->poly;
    if (p == NULL) {
        return flat->id[i];
    }
    int32_t v0 = flat->id[i], v1 = flat->id[i + 1 < flat->count ? i + 1 : 0];
    int32_t low = v0 < v1 ? v0 : v1, high = v0 < v1 ? v1 : v0;
    for (int32_t e = 0; e < p->edge_count; e++) {
        if (p->edges[4 * e] == low && p->edges[4 * e + 1] == high) {
            return e;
        }
    }
    return v0; /* a side between corners that were left out of a very large face */
}

/* On the side i -> i + 1 of a flat part: with the centre of whichever end is on the rim. */
static ss_vec3 roll_on_side(const ss_patch *s, const ss_flat *rim, int32_t i, ss_vec3 x, ss_vec3 n)
{
    if (!rim->round) {
        return ss_v3(0, 0, 0);
    }
    ss_vec3 off = ss_sub(rim->centre[i], rim->p[i]);
    return roll_at(s, rim, ss_dot(off, off) > 0 ? i : i + 1 < rim->count ? i + 1 : 0, x, n);
}

static void emit_crossing(const ss_patch *s, int32_t i, int32_t j, ss_vec3 x, ss_vec3 y, double gap)
{
    ss_vec3 n  = s->r->normal;
    int32_t er = side_number(s->r, i), eo = side_number(s->o, j);
    if (er != s->skip_r || eo != s->skip_o) {
        s->out->roll = ss_add(roll_on_side(s, s->r, i, x, n), roll_on_side(s, s->o, j, y, n));
        push(s, ss_feature(SS_FEATURE_EDGE, er), ss_feature(SS_FEATURE_EDGE, eo),
             ss_axpy(x, s->r->radius, n), ss_axpy(y, -s->o->radius, n), n, gap);
        s->out->roll = ss_v3(0, 0, 0);
    }
}

/*
 * Of a side, from 0 to 1, with its ends. Where a corner passes over a side of the other, the one of
 * its two sides that crosses hands over to the next: at the corner itself both do, not neither.
 */
static bool is_within(double part, double slack)
{
    return part >= -slack && part <= 1 + slack;
}

/* The side i of r against the side j of o. */
static void cross_sides(const ss_patch *s, int32_t i, int32_t j)
{
    ss_vec3 n    = s->r->normal;
    ss_vec3 p[2] = {s->r->p[i], s->r->p[i + 1 < s->r->count ? i + 1 : 0]};
    ss_vec3 q[2] = {s->o->p[j], s->o->p[j + 1 < s->o->count ? j + 1 : 0]};
    ss_vec3 dp = ss_sub(p[1], p[0]), dq = ss_sub(q[1], q[0]), w = ss_sub(q[0], p[0]);
    double  det = ss_dot(n, ss_cross(dp, dq));
    if (fabs(det) <= SS_PARALLEL * ss_norm(dp) * ss_norm(dq)) {
        return;
    }
    double on_p = ss_dot(n, ss_cross(w, dq)) / det, on_q = ss_dot(n, ss_cross(w, dp)) / det;
    double end_p = s->tiny / ss_norm(dp), end_q = s->tiny / ss_norm(dq);
    if (!is_within(on_p, end_p) || !is_within(on_q, end_q)) {
        return;
    }
    ss_vec3 x = ss_axpy(p[0], on_p, dp), y = ss_axpy(q[0], on_q, dq);
    double  gap = ss_dot(n, ss_sub(y, x)) - s->r->radius - s->o->radius;
    if (gap > s->reach || gap < s->best - s->reach - s->tiny) {
        return;
    }
    /* seen along n, F runs counter-clockwise and G clockwise */
    int q_out = ss_dot(s->r->outward[i], w) > 0 ? 0 : 1;
    int p_out = ss_dot(ss_cross(dq, n), w) > 0 ? 0 : 1;
    q_out     = is_within(on_q, -end_q) ? q_out : on_q > 0.5;
    p_out     = is_within(on_p, -end_p) ? p_out : on_p > 0.5;
    if (ss_patch_meets(s, s->r, q[q_out], s->o->radius) ||
        (s->o->count > 2 && !s->one_sided && ss_patch_meets(s, s->o, p[p_out], s->r->radius))) {
        return;
    }
    emit_crossing(s, i, j, x, y, gap);
}

static void crossings(const ss_patch *s)
{
    int32_t sides = s->o->count > 2 ? s->o->count : 1;
    for (int32_t i = 0; i < s->r->count; i++) {
        for (int32_t j = 0; j < sides; j++) {
            cross_sides(s, i, j);
        }
    }
}

void ss_patch_corners(const ss_patch *s)
{
    bool face    = s->o->count > 2 || s->o->side;
    bool whole_o = all_meet(s, s->o, s->r);
    bool whole_r = !whole_o && face && !s->one_sided && all_meet(s, s->r, s->o);
    if (!whole_r) {
        corners_of_o(s);
    }
    if (whole_r) {
        for (int32_t i = 0; i < s->r->count; i++) {
            ss_patch_emit_on_o(s, ss_feature(SS_FEATURE_VERTEX, s->r->id[i]), i, s->r->p[i],
                               s->r->radius);
        }
    } else if (!whole_o && face && !s->one_sided) {
        corners_of_r(s);
    }
    if (!whole_o && !whole_r) {
        crossings(s);
    }
}
