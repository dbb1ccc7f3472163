/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the narrow phase share: shapes at frames, contacts out, and what must hold. */
#ifndef SS_TEST_COLLIDE_H
#define SS_TEST_COLLIDE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/contact.h"
#include "collide/feature.h"
#include "geom/geom.h"
#include "random.h"

/* Builds without an optional library skip what needs it, aloud. */
#ifdef SS_HAVE_QHULL
enum { WITH_HULLS = 1 };
#else
enum { WITH_HULLS = 0 };
#endif
#if defined(SS_HAVE_ASSIMP) && defined(SS_HAVE_QHULL)
enum { WITH_MESHES = 1 };
#else
enum { WITH_MESHES = 0 };
#endif

static inline void needs(int available, const char *what)
{
    if (!available) {
        print_message("SKIPPED: this build has no %s\n", what);
        skip();
    }
}

/* One shape that compiles to one geom. */
typedef struct solid {
    ss_context *ctx;
    ss_geom_set set;
    int         dimension;
} solid;

static inline solid solid_make(const ss_shape_def *def, int dimension)
{
    solid s = {.ctx = ss_context_create(NULL), .dimension = dimension};
    if (ss_geom_build(s.ctx, def, dimension, &s.set) != SS_OK) {
        fail_msg("%s", ss_context_message(s.ctx));
    }
    return s;
}

static inline void solid_free(solid *s)
{
    ss_geom_free(&s->set);
    ss_context_destroy(s->ctx);
}

static inline solid box_solid(double x, double y, double z)
{
    ss_shape_def def = {.type = "box", .params = {.box = {{x, y, z}}}};
    return solid_make(&def, z == 0 ? 2 : 3);
}

static inline solid ball_solid(double radius, int dimension)
{
    ss_shape_def def = {.type = dimension == 2 ? "disc" : "sphere", .params = {.sphere = {radius}}};
    return solid_make(&def, dimension);
}

static inline solid plane_solid(ss_vec3 normal, double offset, int dimension)
{
    ss_shape_def def = {.type   = dimension == 2 ? "halfplane" : "plane",
                        .params = {.plane = {normal, offset}}};
    return solid_make(&def, dimension);
}

static inline solid point_solid(int dimension)
{
    ss_shape_def def = {.type = "point"};
    return solid_make(&def, dimension);
}

static inline ss_frame frame_at(double x, double y, double z)
{
    ss_frame f = {{x, y, z}, ss_mat3_identity()};
    return f;
}

static inline ss_frame frame_turned(double x, double y, double z, ss_vec3 rotation)
{
    ss_frame f = {{x, y, z}, ss_mat3_from_quat(ss_quat_from_rotation(rotation))};
    return f;
}

enum { MAX_CONTACTS = 256 };

typedef struct result {
    ss_contact c[MAX_CONTACTS];
    int32_t    count;
} result;

static inline double distance(ss_vec3 a, ss_vec3 b)
{
    return ss_norm(ss_sub(a, b));
}

/* What every contact must satisfy, whatever the shapes. */
static inline void check_contact(const ss_contact *c, double reach)
{
    assert_true(fabs(ss_norm(c->normal) - 1) < 1e-12);
    double gap = ss_dot(c->normal, ss_sub(c->point_b, c->point_a));
    assert_true(fabs(gap - c->gap) < 1e-12 * (1 + ss_norm(c->point_a)));
    assert_true(c->gap <= reach);
    /* the points lie on one line along the normal */
    ss_vec3 along = ss_axpy(c->point_a, c->gap, c->normal);
    assert_true(distance(along, c->point_b) < 1e-9 * (1 + fabs(c->gap) + ss_norm(c->point_a)));
}

/* Collide a with b, handing them over in the order the pair table wants; a stays a in the result.
 */
static inline result collide(const solid *a, ss_frame fa, const solid *b, ss_frame fb, double reach)
{
    result          r;
    ss_contact_list list = {.items = r.c, .capacity = MAX_CONTACTS, .geom_a = 1, .geom_b = 2};
    const ss_geom  *ga = &a->set.geoms[0], *gb = &b->set.geoms[0];
    int             swap;
    ss_pair_fn      fn = ss_pair_find(ga->cls, gb->cls, a->dimension, &swap);
    assert_non_null(fn);
    fa = ss_frame_mul(&fa, &ga->local);
    fb = ss_frame_mul(&fb, &gb->local);
    if (swap) {
        fn(gb, &fb, ga, &fa, reach, &list);
    } else {
        fn(ga, &fa, gb, &fb, reach, &list);
    }
    assert_true(list.count <= MAX_CONTACTS);
    r.count = list.count;
    for (int32_t i = 0; i < r.count; i++) {
        ss_contact *c = &r.c[i];
        check_contact(c, reach);
        if (swap) {
            ss_vec3  point   = c->point_a;
            uint32_t feature = c->feature_a;
            c->point_a = c->point_b, c->point_b = point;
            c->feature_a = c->feature_b, c->feature_b = feature;
            c->normal = ss_neg(c->normal);
        }
    }
    return r;
}

static inline void assert_near(double x, double expected, double tolerance)
{
    if (!(fabs(x - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g (tolerance %g)", x, expected, tolerance);
    }
}

static inline void assert_vec_near(ss_vec3 x, ss_vec3 e, double tolerance)
{
    if (!(distance(x, e) <= tolerance)) {
        fail_msg("(%.17g, %.17g, %.17g) is not (%.17g, %.17g, %.17g)", x.x, x.y, x.z, e.x, e.y,
                 e.z);
    }
}

/* The least gap of the branch that separates most, or INFINITY. */
static inline double least_gap(const result *r)
{
    double best = -INFINITY, low = INFINITY;
    for (int32_t i = 0; i < r->count; i++) {
        low = fmin(low, r->c[i].gap);
        if (i + 1 == r->count || r->c[i + 1].branch != r->c[i].branch) {
            best = fmax(best, low);
            low  = INFINITY;
        }
    }
    return r->count > 0 ? best : INFINITY;
}

static inline double uniform(uint64_t *state)
{
    return random_between(state, -1, 1);
}

static inline ss_vec3 random_vec(uint64_t *state)
{
    double x = uniform(state), y = uniform(state), z = uniform(state);
    return ss_v3(x, y, z);
}

static inline ss_mat3 random_rotation(uint64_t *state)
{
    ss_quat q = {uniform(state), uniform(state), uniform(state), uniform(state)};
    return ss_mat3_from_quat(ss_quat_unit(q));
}

static inline ss_vec3 world_support(const solid *s, const ss_frame *f, ss_vec3 d)
{
    const ss_geom *g  = &s->set.geoms[0];
    ss_frame       at = ss_frame_mul(f, &g->local);
    return ss_to_world(&at, g->cls->support(g, ss_tmul(&at.R, d)));
}

static inline double separation(const solid *a, const ss_frame *fa, const solid *b,
                                const ss_frame *fb, ss_vec3 n)
{
    return ss_dot(n, ss_sub(world_support(b, fb, ss_neg(n)), world_support(a, fa, n)));
}

/* How directions are sampled: all around, then near the best within less and less. */
typedef struct sampling {
    int    around;
    double widest, narrowest;
} sampling;

/* The largest separation by sampling directions and narrowing in: slow and independent. */
static inline double largest_separation(const solid *a, const ss_frame *fa, const solid *b,
                                        const ss_frame *fb, sampling how)
{
    uint64_t seed = 42;
    ss_vec3  best = {1, 0, 0};
    double   g    = -INFINITY;
    for (int i = 0; i < how.around; i++) {
        ss_vec3 n = ss_unit(random_vec(&seed));
        double  x = separation(a, fa, b, fb, n);
        if (x > g) {
            g    = x;
            best = n;
        }
    }
    for (double width = how.widest; width > how.narrowest; width *= 0.75) {
        for (int i = 0; i < 16; i++) {
            ss_vec3 n = ss_unit(ss_axpy(best, width, random_vec(&seed)));
            double  x = separation(a, fa, b, fb, n);
            if (x > g) {
                g    = x;
                best = n;
            }
        }
    }
    return g;
}

/* The contact with the least gap of the branch that separates most. */
static inline const ss_contact *deepest(const result *r)
{
    const ss_contact *best = NULL, *low = &r->c[0];
    for (int32_t i = 0; i < r->count; i++) {
        low = r->c[i].gap < low->gap ? &r->c[i] : low;
        if (i + 1 == r->count || r->c[i + 1].branch != r->c[i].branch) {
            best = best == NULL || low->gap > best->gap ? low : best;
            low  = &r->c[i + 1 < r->count ? i + 1 : i];
        }
    }
    return best;
}

/* Same contacts (features and numbers) in the same order. */
static inline void assert_same_contacts(const result *x, const result *y, double tolerance)
{
    assert_int_equal(x->count, y->count);
    for (int32_t i = 0; i < x->count; i++) {
        assert_int_equal(x->c[i].feature_a, y->c[i].feature_a);
        assert_int_equal(x->c[i].feature_b, y->c[i].feature_b);
        assert_vec_near(x->c[i].normal, y->c[i].normal, tolerance);
        assert_vec_near(x->c[i].point_a, y->c[i].point_a, tolerance);
        assert_vec_near(x->c[i].point_b, y->c[i].point_b, tolerance);
    }
}

#endif
