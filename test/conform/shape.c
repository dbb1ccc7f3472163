/* SPDX-License-Identifier: Apache-2.0 */
/* What every shape in the list must satisfy. A shape without a sample here fails. */
#include <stdio.h>
#include <unistd.h>

#include "collide/collide_test.h"

static const ss_vec3 corners[] = {
    {0, 0, 0}, {1, 0, 0.1}, {0, 1.2, 0}, {0.1, 0, 1}, {0.8, 0.9, 0.7}};
static const ss_vec3 bounds[]  = {{-2, -2, -2}, {2, 2, 3}};
static const ss_vec3 outline[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
static const ss_shape_def parts_3d[] = {
    {.type = "box", .params = {.box = {{1, 2, 1}}}},
    {.type = "box", .params = {.box = {{2, 1, 1}}}, .position = {0.2, 0.3, 0.1}}};
static const ss_shape_def cut_3d[] = {{.type = "cylinder", .params = {.capsule = {0.5, 1.4}}},
                                      {.type = "plane", .params = {.plane = {{1, 0.2, 0.3}, 0.2}}}};
static const ss_shape_def cut_2d[] = {
    {.type = "disc", .params = {.sphere = {0.7}}},
    {.type = "halfplane", .params = {.plane = {{1, 0.2, 0}, 0.3}}}};
static const ss_shape_def parts_2d[] = {
    {.type = "box", .params = {.box = {{1, 2, 0}}}},
    {.type = "box", .params = {.box = {{2, 1, 0}}}, .position = {0.2, 0.3, 0}}};

/* A tetrahedron in a file. */
static const char *mesh_file(void)
{
    static char path[64];
    sprintf(path, "/tmp/ss_conform_%ld.obj", (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    fclose(f);
    return path;
}

static ss_shape_def sample(const char *name, int dimension)
{
    ss_shape_def defs[] = {
        {.type = "plane", .params = {.plane = {{1, 2, 3}, 0.5}}},
        {.type = "halfplane", .params = {.plane = {{1, 2, 0}, 0.5}}},
        {.type = "sphere", .params = {.sphere = {0.7}}},
        {.type = "disc", .params = {.sphere = {0.7}}},
        {.type = "point"},
        {.type = "box", .params = {.box = {{1, 2, 3}}}},
        {.type = "capsule", .params = {.capsule = {0.4, 1.1}}},
        {.type = "cylinder", .params = {.capsule = {0.4, 1.1}}},
        {.type = "ellipsoid", .params = {.ellipsoid = {{0.5, 1, 0.7}, 0, 0}}},
        {.type = "superellipsoid", .params = {.ellipsoid = {{0.5, 1, 0.7}, 0.6, 1.4}}},
        {.type = "superellipse", .params = {.ellipsoid = {{0.5, 1, 0}, 0, 0.6}}},
        {.type = "convex", .points = corners, .point_count = 5},
        {.type = "mesh", .file = mesh_file()},
        {.type = "points", .points = corners, .point_count = 5},
        {.type = "polygon", .points = outline, .point_count = 6},
        {.type = "union", .parts = dimension == 2 ? parts_2d : parts_3d, .part_count = 2},
        {.type = "intersection", .parts = dimension == 2 ? cut_2d : cut_3d, .part_count = 2},
        {.type        = "implicit",
         .params      = {.formula = dimension == 2 ? "x^2*exp(0.3*y) + y^2 - 0.5"
                                                   : "x^2*exp(0.3*y) + y^2 + (z - 1)^4 - 0.5"},
         .points      = bounds,
         .point_count = 2},
    };
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; i++) {
        if (strcmp(defs[i].type, name) == 0) {
            return defs[i];
        }
    }
    fail_msg("shape '%s' has no sample in test/conform/shape.c", name);
    return defs[0];
}

static ss_vec3 random_direction(uint64_t *seed, int dimension)
{
    ss_vec3 d = random_vec(seed);
    return ss_unit(ss_v3(d.x, d.y, dimension == 2 ? 0 : d.z));
}

/* Support points are extreme, lie in the box and in the sphere, in any frame. */
static void check_extent(const ss_geom *g, int dimension)
{
    uint64_t seed = 1;
    for (int k = 0; g->cls->support != NULL && k < 30; k++) {
        ss_frame f = {random_vec(&seed), dimension == 2 ? ss_mat3_from_angle(3 * uniform(&seed))
                                                        : random_rotation(&seed)};
        ss_aabb  box;
        g->cls->bounds(g, &f, &box);
        for (int i = 0; i < 30; i++) {
            ss_vec3 d = random_direction(&seed, dimension), x = g->cls->support(g, d);
            ss_vec3 y = g->cls->support(g, random_direction(&seed, dimension));
            ss_vec3 w = ss_to_world(&f, x);
            assert_true(ss_dot(d, x) >= ss_dot(d, y) - 1e-12);
            assert_true(ss_norm(x) <= g->radius + 1e-12);
            assert_true(w.x >= box.low.x - 1e-12 && w.x <= box.high.x + 1e-12);
            assert_true(w.y >= box.low.y - 1e-12 && w.y <= box.high.y + 1e-12);
            assert_true(w.z >= box.low.z - 1e-12 && w.z <= box.high.z + 1e-12);
        }
    }
}

/* A rigid body: positive volume; each moment below the sum of the other two. */
static void check_mass(const ss_mass *m, int dimension)
{
    const double *I = m->inertia.m;
    assert_true(m->volume > 0 && I[8] > 0);
    assert_true(dimension == 2 || (I[0] > 0 && I[4] > 0 && I[0] + I[4] > I[8] &&
                                   I[4] + I[8] > I[0] && I[8] + I[0] > I[4]));
    assert_near(I[1], I[3], 1e-12);
}

static void check_fields(const ss_shape_class *cls)
{
    for (const ss_field *f = cls->fields; f != NULL && f->name != NULL; f++) {
        assert_true(f->doc != NULL && strlen(f->doc) > 5);
        assert_true(f->dimensions == 2 || f->dimensions == 3 || f->dimensions == 5);
        assert_true(f->offset < sizeof(ss_shape_def));
    }
}

static void check_shape(const ss_shape_class *cls, int dimension)
{
    ss_shape_def def      = sample(cls->name, dimension);
    solid        s        = solid_make(&def, dimension);
    bool         massless = cls == &ss_shape_plane || cls == &ss_shape_halfplane ||
                    cls == &ss_shape_point || cls == &ss_shape_points;
    assert_ptr_equal(ss_shape_find(NULL, cls->name, dimension), cls);
    check_fields(cls);
    for (int32_t i = 0; i < s.set.count; i++) {
        check_extent(&s.set.geoms[i], dimension);
    }
    if (massless) {
        assert_near(s.set.mass.volume, 0, 0);
    } else {
        check_mass(&s.set.mass, dimension);
        assert_true(s.set.size > 0);
    }
    solid_free(&s);
}

static void every_shape_is_sound(void **state)
{
    (void)state;
    for (int32_t i = 0; i < ss_shape_count(NULL); i++) {
        const ss_shape_class *cls = ss_shape_at(NULL, i);
        if ((cls == &ss_shape_mesh && !WITH_MESHES) || (cls == &ss_shape_convex && !WITH_HULLS)) {
            print_message("SKIPPED: this build cannot make '%s'\n", cls->name);
            continue;
        }
        for (int dimension = 2; dimension <= 3; dimension++) {
            if (cls->dimensions == 5 || cls->dimensions == dimension) {
                check_shape(cls, dimension);
            }
        }
    }
    assert_null(ss_shape_at(NULL, -1));
    assert_null(ss_shape_at(NULL, ss_shape_count(NULL)));
    assert_null(ss_shape_find(NULL, "sphere", 2));
    remove(mesh_file());
}

static bool touches(const ss_shape_class *cls, int dimension)
{
    return cls->bounds != NULL && (cls->dimensions == 5 || cls->dimensions == dimension);
}

/* Every pair has a routine, but planes with planes and points with points. */
static void every_pair_has_a_routine(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int32_t i = 0; i < ss_shape_count(NULL); i++) {
            for (int32_t j = 0; j < ss_shape_count(NULL); j++) {
                const ss_shape_class *a = ss_shape_at(NULL, i), *b = ss_shape_at(NULL, j);
                int                   swap, back;
                if (!touches(a, dimension) || !touches(b, dimension)) {
                    continue;
                }
                bool never = (a->support == NULL && b->support == NULL) ||
                             (a == &ss_shape_point && b == &ss_shape_point);
                ss_pair_fn fn = ss_pair_find(a, b, dimension, &swap);
                assert_int_equal(fn == NULL, never);
                assert_ptr_equal(ss_pair_find(b, a, dimension, &back), fn);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_sound),
        cmocka_unit_test(every_pair_has_a_routine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
