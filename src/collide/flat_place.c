/* SPDX-License-Identifier: Apache-2.0 */
#include "collide/flat_place.h"

#include "collide/core.h"
#include "collide/feature.h"
#include "collide/tolerances.h"

/* Numbers of features from here on are the ends of flat places. */
enum { FIRST_END = 1 << 20, ENDS_MAX = 4 };

typedef struct place {
    ss_core    core[2];    /* of a and b                            */
    bool       endless[2]; /* a plane                               */
    ss_contact at;
    ss_vec3    n[2]; /* outward normals of the two            */
    double     size; /* of the smaller one                    */
} place;

static void enter(place *p, int side, const ss_geom *g, const ss_frame *f)
{
    p->endless[side] = g->cls->support == NULL;
    p->n[side]       = side == 0 ? p->at.normal : ss_neg(p->at.normal);
    if (!p->endless[side]) {
        p->core[side] = ss_core_of(g, f);
    }
}

/* How far the place of a shape goes from the contact towards t; `end`: where it ends. */
static double extent(const place *p, int side, ss_vec3 t, ss_vec3 *end)
{
    const ss_core *c = &p->core[side];
    ss_vec3        x = side == 0 ? p->at.point_a : p->at.point_b;
    if (p->endless[side]) {
        *end = x;
        return INFINITY;
    }
    ss_vec3 d  = ss_unit(ss_axpy(p->n[side], SS_FLAT_TILT, t));
    ss_vec3 to = ss_sub(ss_axpy(ss_core_support(c, d), c->radius, d), x);
    *end       = ss_axpy(to, -ss_dot(to, p->n[side]), p->n[side]); /* in the tangent plane */
    return ss_dot(*end, t);
}

/* The end of the flat place towards t, from the contact; false: it is curved there. */
static bool end_of(const place *p, ss_vec3 t, ss_vec3 *end)
{
    ss_vec3 ends[2];
    double  far[2] = {extent(p, 0, t, &ends[0]), extent(p, 1, t, &ends[1])};
    int     near   = far[0] <= far[1] ? 0 : 1;
    *end           = ends[near];
    return far[near] >= SS_FLAT_RADIUS * SS_FLAT_TILT * p->size;
}

/* Tangents that belong to a body, so that the place does not depend on the axes of the world. */
static int tangents(const place *p, bool planar, ss_vec3 t[2])
{
    ss_vec3 n = p->at.normal;
    if (planar) {
        t[0] = ss_v3(-n.y, n.x, 0);
        return 1;
    }
    const ss_mat3 *R    = &p->core[p->endless[0] ? 1 : 0].f->R;
    ss_vec3        best = ss_v3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        ss_vec3 axis   = ss_v3(R->m[k], R->m[k + 3], R->m[k + 6]);
        ss_vec3 across = ss_axpy(axis, -ss_dot(axis, n), n);
        best           = ss_norm(across) > ss_norm(best) + SS_LEVEL ? across : best;
    }
    t[0] = ss_unit(best);
    t[1] = ss_cross(n, t[0]);
    return 2;
}

static void push_end(const place *p, int k, ss_vec3 end, ss_contact_list *out)
{
    const ss_contact *c    = &p->at;
    uint32_t          name = ss_feature(SS_FEATURE_VERTEX, FIRST_END + k);
    bool              of_a = !p->endless[0] && p->core[0].kind != SS_CORE_POLYHEDRON;
    ss_contact_push(out, of_a ? name : c->feature_a, of_a ? c->feature_b : name,
                    ss_add(c->point_a, end), ss_add(c->point_b, end), c->normal, c->gap);
}

/* Both ends along a tangent, or none. */
static int ends_along(const place *p, ss_vec3 t, ss_vec3 ends[2])
{
    return end_of(p, t, &ends[0]) && end_of(p, ss_neg(t), &ends[1]) ? 2 : 0;
}

/* Only what has a smooth surface can be flat to rounding without being a face. */
static bool is_smooth(const ss_geom *g)
{
    return g->cls->support != NULL && ss_core_of(g, &(ss_frame){0}).kind == SS_CORE_SMOOTH;
}

void ss_spread_flat_place(const ss_geom *a, const ss_frame *fa, const ss_geom *b,
                          const ss_frame *fb, bool planar, int32_t first, ss_contact_list *out)
{
    if (out->count != first + 1 || out->count > out->capacity || (!is_smooth(a) && !is_smooth(b))) {
        return;
    }
    place p = {.at = out->items[first], .size = fmin(a->radius, b->radius)};
    enter(&p, 0, a, fa);
    enter(&p, 1, b, fb);
    ss_vec3 t[2], ends[ENDS_MAX];
    int     count = 0;
    for (int i = 0, n = tangents(&p, planar, t); i < n; i++) {
        count += ends_along(&p, t[i], ends + count);
    }
    if (count > 0) {
        out->count  = first;
        out->geom_a = p.at.geom_a;
        out->geom_b = p.at.geom_b;
    }
    for (int k = 0; k < count; k++) {
        push_end(&p, k, ends[k], out);
    }
}
