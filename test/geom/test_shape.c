/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions that make no sense are refused by name; hulls, intersections and polygons are right.
 */
#include "geom/geom_test.h"

static const ss_vec3 flat_points[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.3, 0.2, 0}};
static const ss_vec3 nan_points[]  = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}};
static const ss_vec3 bow_tie[]     = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
static const ss_vec3 twice[]       = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const ss_vec3 a_line[]      = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};

static void nonsense_is_refused(void **state)
{
    (void)state;
    ss_shape_def dot = {.type = "point"};
    const struct {
        ss_shape_def def;
        int          dimension;
        ss_status    status;
        const char  *word;
    } cases[] = {
        {{.type = "blob"}, 3, SS_ERR_INPUT, "blob"},
        {{.type = NULL}, 3, SS_ERR_INPUT, "no 3D shape"},
        {{.type = "disc", .params = {.sphere = {1}}}, 3, SS_ERR_INPUT, "3D"},
        {{.type = "sphere", .params = {.sphere = {0}}}, 3, SS_ERR_INPUT, "radius"},
        {{.type = "sphere", .params = {.sphere = {-1}}}, 3, SS_ERR_INPUT, "radius"},
        {{.type = "sphere", .params = {.sphere = {NAN}}}, 3, SS_ERR_INPUT, "radius"},
        {{.type = "sphere", .params = {.sphere = {INFINITY}}}, 3, SS_ERR_INPUT, "radius"},
        {{.type = "box", .params = {.box = {{1, 0, 1}}}}, 3, SS_ERR_INPUT, "size"},
        {{.type = "plane"}, 3, SS_ERR_INPUT, "normal"},
        {{.type = "plane", .params = {.plane = {{0, 0, 1}, NAN}}}, 3, SS_ERR_INPUT, "offset"},
        {{.type = "halfplane", .params = {.plane = {{0, 0, 1}, 0}}}, 2, SS_ERR_INPUT, "normal"},
        {{.type = "capsule", .params = {.capsule = {1, 0}}}, 3, SS_ERR_INPUT, "length"},
        {{.type = "superellipsoid", .params = {.ellipsoid = {{1, 1, 1}, 3, 1}}},
         3,
         SS_ERR_INPUT,
         "e1"},
        {{.type = "convex"}, 3, SS_ERR_INPUT, "points or file"},
        {{.type = "convex", .points = nan_points, .point_count = 4}, 3, SS_ERR_INPUT, "points"},
        {{.type = "mesh"}, 3, SS_ERR_INPUT, "file"},
        {{.type = "mesh", .file = "x.stl", .scale = -1}, 3, SS_ERR_INPUT, "scale"},
        {{.type = "polygon", .points = bow_tie, .point_count = 4}, 2, SS_ERR_INPUT, "cross"},
        {{.type = "polygon", .points = twice, .point_count = 4}, 2, SS_ERR_INPUT, "the same"},
        {{.type = "polygon", .points = bow_tie, .point_count = 2}, 2, SS_ERR_INPUT, "3 to"},
        {{.type = "polygon", .points = a_line, .point_count = 3}, 2, SS_ERR_INPUT, "area"},
        {{.type = "union"}, 3, SS_ERR_INPUT, "parts"},
        {{.type = "points"}, 3, SS_ERR_INPUT, "points"},
        {{.type = "intersection", .parts = &dot, .part_count = 1}, 3, SS_ERR_INPUT, "no inside"},
        {{.type = "sphere", .params = {.sphere = {1}}, .position = {NAN, 0, 0}},
         3,
         SS_ERR_INPUT,
         "position"},
        {{.type = "disc", .params = {.sphere = {1}}, .orientation = {1, 1, 0, 0}},
         2,
         SS_ERR_INPUT,
         "z only"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused(&cases[i].def, cases[i].dimension, cases[i].status, cases[i].word);
    }
}

static void hulls_without_volume_are_refused(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    ss_shape_def far_boxes[2] = {
        {.type = "box", .params = {.box = {{1, 1, 1}}}},
        {.type = "box", .params = {.box = {{1, 1, 1}}}, .position = {3, 0, 0}}};
    ss_shape_def few  = {.type = "convex", .points = flat_points, .point_count = 3};
    ss_shape_def flat = {.type = "convex", .points = flat_points, .point_count = 5};
    ss_shape_def none = {.type = "intersection", .parts = far_boxes, .part_count = 2};
    assert_refused(&few, 3, SS_ERR_INPUT, "4 points");
    assert_refused(&flat, 3, SS_ERR_INPUT, "volume");
    assert_refused(&none, 3, SS_ERR_INPUT, "overlap");
}

static void cycles_end(void **state)
{
    (void)state;
    ss_shape_def self = {.type = "union", .part_count = 1};
    self.parts        = &self;
    assert_refused(&self, 3, SS_ERR_INPUT, "nested");
}

static void parts_inherit_and_override_materials(void **state)
{
    (void)state;
    ss_shape_def inner[2] = {{.type = "sphere", .params = {.sphere = {1}}},
                             {.type = "sphere", .params = {.sphere = {1}}, .material = "ice"}};
    ss_shape_def outer    = {.type = "union", .parts = inner, .part_count = 2, .material = "steel"};
    solid        s        = solid_make(&outer, 3);
    assert_string_equal(s.set.materials[0], "steel");
    assert_string_equal(s.set.materials[1], "ice");
    solid_free(&s);
}

/* ---- hulls --------------------------------------------------------------------------------- */

static void check_polyhedron(const ss_polyhedron *p)
{
    assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
    for (int32_t f = 0; f < p->face_count; f++) {
        assert_near(ss_norm(p->normals[f]), 1, 1e-12);
        for (int32_t i = 0; i < p->vertex_count; i++) {
            assert_true(ss_dot(p->normals[f], p->vertices[i]) <= p->offsets[f] + 1e-9);
        }
    }
    for (int32_t e = 0; e < p->edge_count; e++) {
        const int32_t *x     = p->edges + 4 * e;
        ss_vec3        along = ss_sub(p->vertices[x[1]], p->vertices[x[0]]);
        /* left x right runs along the edge */
        assert_true(ss_dot(along, ss_cross(p->normals[x[2]], p->normals[x[3]])) > 0);
    }
}

static void hull_of_a_cube_is_a_cube(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    ss_vec3 p[8 + 12 + 6 + 1];
    int32_t n = 0;
    for (int i = 0; i < 27; i++) { /* corners, mid-edges, mid-faces and the centre */
        p[n++] = ss_v3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    }
    ss_shape_def         def = {.type = "convex", .points = p, .point_count = n};
    solid                s   = solid_make(&def, 3);
    const ss_polyhedron *q   = s.set.geoms[0].poly;
    assert_int_equal(q->vertex_count, 8);
    assert_int_equal(q->face_count, 6);
    assert_int_equal(q->edge_count, 12);
    check_polyhedron(q);
    assert_mass(&s.set.mass, 8, ss_v3(0, 0, 0), 16 / 3.0, 16 / 3.0, 16 / 3.0, 1e-13);
    solid_free(&s);
}

static void hulls_of_random_points_hold_them(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    uint64_t seed = 3;
    for (int k = 0; k < 30; k++) {
        ss_vec3 p[60];
        for (int i = 0; i < 60; i++) {
            p[i] = random_vec(&seed);
            p[i] = k % 2 ? ss_unit(p[i]) : p[i];
        }
        ss_shape_def         def = {.type = "convex", .points = p, .point_count = 60};
        solid                s   = solid_make(&def, 3);
        const ss_polyhedron *q   = s.set.geoms[0].poly;
        check_polyhedron(q);
        for (int i = 0; i < 60; i++) {
            for (int32_t f = 0; f < q->face_count; f++) {
                assert_true(ss_dot(q->normals[f], p[i]) <= q->offsets[f] + 1e-12);
            }
        }
        solid_free(&s);
    }
}

/* A cube cut by a plane through three corners, and a wedge in the plane. */
static void intersections_cut(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    ss_shape_def parts[2] = {
        {.type = "box", .params = {.box = {{2, 2, 2}}}},
        {.type = "plane", .params = {.plane = {{1, 1, 1}, 0.577350269189626}}}};
    ss_shape_def cut = {.type = "intersection", .parts = parts, .part_count = 2};
    solid        s   = solid_make(&cut, 3);
    check_polyhedron(s.set.geoms[0].poly);
    assert_int_equal(s.set.geoms[0].poly->face_count, 7);
    assert_near(s.set.mass.volume, 8 - 8.0 / 6, 1e-9);
    solid_free(&s);
    ss_shape_def flat[2] = {{.type = "box", .params = {.box = {{2, 2, 0}}}},
                            {.type = "halfplane", .params = {.plane = {{1, 1, 0}, 0}}}};
    ss_shape_def wedge   = {.type = "intersection", .parts = flat, .part_count = 2};
    s                    = solid_make(&wedge, 2);
    assert_int_equal(s.set.geoms[0].poly->vertex_count, 3);
    assert_near(s.set.mass.volume, 2, 1e-12);
    solid_free(&s);
}

/* ---- polygons ------------------------------------------------------------------------------ */

static void check_pieces(const solid *s, int32_t sides)
{
    int32_t outer = 0;
    for (int32_t i = 0; i < s->set.count; i++) {
        const ss_polyhedron *p = s->set.geoms[i].poly;
        for (int32_t f = 0; f < p->face_count; f++) {
            outer += p->face_ids == NULL || p->face_ids[f] >= 0;
            for (int32_t v = 0; v < p->vertex_count; v++) { /* convex */
                assert_true(ss_dot(p->normals[f], p->vertices[v]) <= p->offsets[f] + 1e-12);
            }
        }
    }
    assert_int_equal(outer, sides); /* each side of the polygon belongs to exactly one piece */
}

static void nonconvex_polygons_are_cut_into_convex_pieces(void **state)
{
    (void)state;
    ss_vec3 L[] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
    ss_vec3 back[6], star[20];
    double  star_area = 0;
    for (int i = 0; i < 6; i++) {
        back[i] = L[5 - i];
    }
    for (int i = 0; i < 20; i++) {
        double r = i % 2 ? 1 : 2.5, t = 0.31415926535897931 * i;
        star[i] = ss_v3(r * cos(t), r * sin(t), 0);
        star_area += 0.5 * 2.5 * sin(0.31415926535897931);
    }
    const struct {
        const ss_vec3 *p;
        int32_t        n;
        double         area;
    } cases[] = {{L, 6, 5}, {back, 6, 5}, {star, 20, star_area}};
    for (int i = 0; i < 3; i++) {
        ss_shape_def def = {.type = "polygon", .points = cases[i].p, .point_count = cases[i].n};
        solid        s   = solid_make(&def, 2);
        assert_true(s.set.count > 1);
        assert_near(s.set.mass.volume, cases[i].area, 1e-12);
        check_pieces(&s, cases[i].n);
        solid_free(&s);
    }
    ss_shape_def def = {.type = "polygon", .points = L, .point_count = 6};
    solid        s   = solid_make(&def, 2);
    assert_int_equal(s.set.count, 2);
    assert_vec_near(s.set.mass.centre, ss_v3((3 * 1.5 + 2 * 0.5) / 5, (3 * 0.5 + 2 * 2) / 5, 0),
                    1e-12);
    solid_free(&s);
}

/* A polygon with vertices between its corners, turned, is that of its corners alone. */
static void vertices_on_straight_sides_are_none(void **state)
{
    (void)state;
    static const ss_vec3 square[]  = {{1, 0, 0}, {2, 0, 0},   {2, 2, 0}, {0, 2, 0},
                                      {0, 1, 0}, {0, 0.3, 0}, {0, 0, 0}, {0.7, 0, 0}};
    static const ss_vec3 ell[]     = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {3, 1, 0}, {2, 1, 0},
                                      {1, 1, 0}, {1, 3, 0}, {0, 3, 0}, {0, 1, 0}};
    static const ss_vec3 shallow[] = {{0, 0, 0}, {1, -1e-6, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    static const struct {
        const ss_vec3 *p;
        int32_t        n, corners;
        double         area;
    } cases[] = {{square, 8, 4, 4}, {ell, 9, 6, 5}, {shallow, 5, 5, 4 + 1e-6}};
    for (int i = 0; i < 3; i++) {
        for (double turn = 0; turn < 6; turn += 0.37) {
            ss_vec3 p[9];
            for (int k = 0; k < cases[i].n; k++) {
                ss_vec3 x = cases[i].p[k];
                p[k] =
                    ss_v3(cos(turn) * x.x - sin(turn) * x.y, sin(turn) * x.x + cos(turn) * x.y, 0);
            }
            ss_shape_def def = {.type = "polygon", .points = p, .point_count = cases[i].n};
            solid        s   = solid_make(&def, 2);
            assert_near(s.set.mass.volume, cases[i].area, 1e-12);
            check_pieces(&s, cases[i].corners);
            solid_free(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(hulls_without_volume_are_refused),
        cmocka_unit_test(cycles_end),
        cmocka_unit_test(parts_inherit_and_override_materials),
        cmocka_unit_test(hull_of_a_cube_is_a_cube),
        cmocka_unit_test(hulls_of_random_points_hold_them),
        cmocka_unit_test(intersections_cut),
        cmocka_unit_test(nonconvex_polygons_are_cut_into_convex_pieces),
        cmocka_unit_test(vertices_on_straight_sides_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
