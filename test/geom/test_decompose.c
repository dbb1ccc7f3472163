/* SPDX-License-Identifier: Apache-2.0 */
/* Solids that are not convex, cut into convex pieces: the same points, within the stated error. */
#include <unistd.h>

#include "core/constants.h"
#include "geom/geom_test.h"
#include "world.h"

static char cache[] = "/tmp/ss_pieces_XXXXXX";

typedef struct mesh_text {
    ss_vec3 v[4000];
    int32_t t[3 * 6000];
    int32_t vertices, triangles;
} mesh_text;

static void add_quad(mesh_text *m, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t corners[6] = {a, b, c, a, c, d};
    memcpy(m->t + 3 * (size_t)m->triangles, corners, sizeof corners);
    m->triangles += 2;
}

static void write_obj(const mesh_text *m, const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int32_t i = 0; i < m->vertices; i++) {
        fprintf(f, "v %.17g %.17g %.17g\n", m->v[i].x, m->v[i].y, m->v[i].z);
    }
    for (int32_t i = 0; i < m->triangles; i++) {
        fprintf(f, "f %d %d %d\n", m->t[3 * i] + 1, m->t[3 * i + 1] + 1, m->t[3 * i + 2] + 1);
    }
    fclose(f);
}

/* Does the ray from x along d enter the solid more often than it leaves it? */
static bool inside_mesh(const mesh_text *m, ss_vec3 x, ss_vec3 d)
{
    int crossings = 0;
    for (int32_t i = 0; i < m->triangles; i++) {
        ss_vec3 a = m->v[m->t[3 * i]], e = ss_sub(m->v[m->t[3 * i + 1]], a),
                f = ss_sub(m->v[m->t[3 * i + 2]], a), s = ss_sub(x, a), p = ss_cross(d, f);
        double det = ss_dot(e, p), u = ss_dot(s, p) / det, w = ss_dot(d, ss_cross(s, e)) / det;
        double far = ss_dot(f, ss_cross(s, e)) / det;
        crossings += u >= 0 && w >= 0 && u + w <= 1 && far > 0 ? (det < 0 ? 1 : -1) : 0;
    }
    return crossings > 0;
}

/* The largest depth of x below the surface of one of the pieces; negative outside all. */
static double depth_in_pieces(const ss_geom_set *set, ss_vec3 x)
{
    double deepest = -INFINITY;
    for (int32_t k = 0; k < set->count; k++) {
        const ss_polyhedron *p     = set->geoms[k].poly;
        double               least = INFINITY;
        for (int32_t f = 0; f < p->face_count; f++) {
            least = fmin(least, p->offsets[f] - ss_dot(p->normals[f], x));
        }
        deepest = fmax(deepest, least);
    }
    return deepest;
}

static double pieces_volume(const ss_geom_set *set)
{
    double sum = 0;
    for (int32_t k = 0; k < set->count; k++) {
        sum += ss_mass_polyhedron(set->geoms[k].poly, 3).volume;
    }
    return sum;
}

static ss_vec3 random_point(uint64_t *seed, double reach)
{
    double x = uniform(seed), y = uniform(seed), z = uniform(seed);
    return ss_scale(reach, ss_v3(x, y, z));
}

/* Points apart from every surface by more than `near` are where the mesh says. */
static void assert_same_points(const mesh_text *m, const ss_geom_set *set, double reach,
                               uint64_t *seed)
{
    for (int i = 0; i < 300; i++) {
        ss_vec3 x     = random_point(seed, reach);
        double  depth = depth_in_pieces(set, x);
        if (fabs(depth) > 1e-6 * reach) {
            assert_int_equal(depth > 0, inside_mesh(m, x, ss_unit(ss_v3(0.31, 0.52, 0.79))));
        }
    }
}

static ss_status build_mesh(ss_context *ctx, const char *path, double error, ss_geom_set *set)
{
    ss_shape_def def = {.type = "mesh", .file = path, .params = {.mesh = {.error = error}}};
    return ss_geom_build(ctx, &def, 3, set);
}

static void name_file(char *path)
{
    sprintf(path, "/tmp/ss_decompose_%ld.obj", (long)getpid());
}

/* ---- solids of unit cubes -------------------------------------------------------------------- */

enum { GRID = 3 };

static bool filled(uint32_t cubes, int x, int y, int z)
{
    bool in = x >= 0 && y >= 0 && z >= 0 && x < GRID && y < GRID && z < GRID;
    return in && (cubes >> (x + GRID * (y + GRID * z)) & 1);
}

static int32_t corner(int x, int y, int z)
{
    return x + (GRID + 1) * (y + (GRID + 1) * z);
}

static void add_side(mesh_text *m, int x, int y, int z, int axis, int up)
{
    int at[3] = {x, y, z}, u[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    at[axis] += up;
    u[(axis + 1) % 3] = v[(axis + 2) % 3] = 1;
    int32_t c[4];
    for (int k = 0; k < 4; k++) {
        int a = k == 1 || k == 2, b = k >= 2;
        c[k] = corner(at[0] + a * u[0] + b * v[0], at[1] + a * u[1] + b * v[1],
                      at[2] + a * u[2] + b * v[2]);
    }
    if (up) {
        add_quad(m, c[0], c[1], c[2], c[3]);
    } else {
        add_quad(m, c[0], c[3], c[2], c[1]);
    }
}

/* The sides between filled and empty cubes, turned and shifted by a frame. */
static void cubes_mesh(uint32_t cubes, const ss_frame *f, mesh_text *m)
{
    m->triangles = 0;
    m->vertices  = (GRID + 1) * (GRID + 1) * (GRID + 1);
    for (int i = 0; i < m->vertices; i++) {
        int n   = GRID + 1;
        m->v[i] = ss_to_world(f, ss_v3(i % n - 1.5, i / n % n - 1.5, i / (n * n) - 1.5));
    }
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        int at[3] = {i % GRID, i / GRID % GRID, i / (GRID * GRID)};
        for (int k = 0; k < 6 && filled(cubes, at[0], at[1], at[2]); k++) {
            int axis = k / 2, up = k % 2, next[3] = {at[0], at[1], at[2]};
            next[axis] += up ? 1 : -1;
            if (!filled(cubes, next[0], next[1], next[2])) {
                add_side(m, at[0], at[1], at[2], axis, up);
            }
        }
    }
}

static int count_bits(uint32_t x)
{
    int n = 0;
    for (; x != 0; x &= x - 1) {
        n++;
    }
    return n;
}

static void solids_of_cubes_are_cut_exactly(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    static mesh_text m;
    uint64_t         seed = 5;
    char             path[100];
    int              done = 0;
    name_file(path);
    for (int trial = 0; trial < 200; trial++) {
        uint32_t cubes = 0;
        double   fill  = 0.8 * uniform(&seed);
        for (int i = 0; i < GRID * GRID * GRID; i++) {
            cubes |= (uint32_t)(uniform(&seed) < fill) << i;
        }
        ss_vec3  axis = random_point(&seed, 1), at = random_point(&seed, 0.3);
        ss_quat  turned = ss_quat_unit((ss_quat){uniform(&seed), axis.x, axis.y, axis.z});
        ss_frame f      = {at, ss_mat3_from_quat(turned)};
        cubes_mesh(cubes, &f, &m);
        write_obj(&m, path);
        ss_context *ctx = ss_context_create(NULL);
        ss_geom_set set;
        if (cubes != 0 &&
            build_mesh(ctx, path, 0, &set) == SS_OK) { /* else two cubes share but an edge */
            assert_near(pieces_volume(&set), count_bits(cubes), 1e-9);
            assert_near(set.mass.volume, count_bits(cubes), 1e-9);
            assert_same_points(&m, &set, 2.5, &seed);
            ss_geom_free(&set);
            done++;
        } else {
            assert_true(cubes == 0 || strstr(ss_context_message(ctx), "not closed") != NULL);
        }
        ss_context_destroy(ctx);
    }
    remove(path);
    assert_true(done >= 20);
}

/* ---- a ring ---------------------------------------------------------------------------------- */

enum { AROUND = 28, ACROSS = 14 };

static ss_vec3 ring_point(double u, double v)
{
    double r = 1 + 0.4 * cos(v);
    return ss_v3(r * cos(u), r * sin(u), 0.4 * sin(v));
}

static void ring_mesh(mesh_text *m)
{
    m->vertices = m->triangles = 0;
    for (int i = 0; i < AROUND; i++) {
        for (int j = 0; j < ACROSS; j++) {
            int i1 = (i + 1) % AROUND, j1 = (j + 1) % ACROSS;
            m->v[m->vertices++] = ring_point(2 * SS_PI * i / AROUND, 2 * SS_PI * j / ACROSS);
            add_quad(m, i * ACROSS + j, i1 * ACROSS + j, i1 * ACROSS + j1, i * ACROSS + j1);
        }
    }
}

/* A ring within errors: no point of its surface is deeper in than stated, none left out. */
static void a_ring_stays_within_its_error(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    static mesh_text m;
    char             path[100];
    int32_t          last = 1000;
    name_file(path);
    ring_mesh(&m);
    write_obj(&m, path);
    for (double error = 0.02; error < 0.2; error *= 2.5) {
        ss_context *ctx = ss_context_create(NULL);
        ss_geom_set set;
        if (build_mesh(ctx, path, error, &set) != SS_OK) {
            fail_msg("%s", ss_context_message(ctx));
        }
        for (int32_t t = 0; t < m.triangles; t++) {
            const int32_t *c = m.t + 3 * (size_t)t;
            ss_vec3 middle   = ss_scale(1.0 / 3, ss_add(m.v[c[0]], ss_add(m.v[c[1]], m.v[c[2]])));
            double  depth    = depth_in_pieces(&set, middle);
            if (depth > error || depth < -1e-6) {
                fail_msg("error %g: triangle %d has depth %g", error, t, depth);
            }
        }
        assert_true(set.count > 4 && set.count < last);
        last = set.count;
        ss_geom_free(&set);
        ss_context_destroy(ctx);
    }
    remove(path);
}

/* Kept pieces are the same to the bit; damaged files are as good as none. */
static void kept_pieces_are_the_same(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    static mesh_text m;
    char             path[100], command[200];
    ss_geom_set      set[3];
    ss_context      *ctx = ss_context_create(NULL);
    name_file(path);
    ring_mesh(&m);
    write_obj(&m, path);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(build_mesh(ctx, path, 0.11, &set[i]), SS_OK);
        if (i == 1) { /* the third finds files that are cut off */
            sprintf(command, "for f in %s/*; do truncate -s -8 $f; done", cache);
            assert_int_equal(system(command), 0);
        }
        assert_int_equal(set[i].count, set[0].count);
        for (int32_t k = 0; k < set[i].count; k++) {
            const ss_polyhedron *p = set[i].geoms[k].poly, *q = set[0].geoms[k].poly;
            assert_int_equal(p->vertex_count, q->vertex_count);
            assert_memory_equal(p->vertices, q->vertices,
                                (size_t)p->vertex_count * sizeof *p->vertices);
        }
    }
    for (int i = 0; i < 3; i++) {
        ss_geom_free(&set[i]);
    }
    remove(path);
    ss_context_destroy(ctx);
}

/* Cutting ends where it has taken the work that it may, and tells by what name. */
static void cutting_has_a_limit(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    static mesh_text m;
    char             path[100];
    static const struct {
        double limit, error;
    } tried[] = {{1e4, 0.05}, {1e6, 0.05}, {1e6, 0}, {1e7, 0.05}};
    name_file(path);
    ring_mesh(&m);
    write_obj(&m, path);
    for (int i = 0; i < 4; i++) {
        ss_context  *ctx = ss_context_create(NULL);
        ss_geom_set  set;
        ss_shape_def def = {
            .type = "mesh", .file = path, .params = {.mesh = {tried[i].error, tried[i].limit}}};
        assert_int_equal(ss_geom_build(ctx, &def, 3, &set), SS_ERR_INTERRUPTED);
        assert_non_null(strstr(ss_context_message(ctx), "takes more work than"));
        ss_context_destroy(ctx);
    }
    remove(path);
}

/* An angle of two bars as a mesh and as a union of boxes: tossed, they move alike (without
 * friction, whose torque depends on how redundant contacts share the load). */
static const char *const toss =
    "materials: {default: {friction: 0}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, type: dynamic, density: 100, shape: {%s}, position: [0, 0, 1.5],\n"
    "     quat_wxyz: [0.8, 0.3, -0.4, 0.1], velocity: [0.5, 0, -1], angular_velocity: [0, 2, 1]}\n";

static void angle_mesh(mesh_text *m)
{
    const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    m->vertices = m->triangles = 0;
    for (int z = 0; z < 2; z++) {
        for (int i = 0; i < 6; i++) {
            m->v[m->vertices++] = ss_v3(outline[i][0], outline[i][1], z);
        }
    }
    for (int i = 0; i < 6; i++) {
        int j = (i + 1) % 6;
        add_quad(m, i, j, j + 6, i + 6);
    }
    add_quad(m, 0, 3, 2, 1);
    add_quad(m, 0, 5, 4, 3);
    add_quad(m, 6, 7, 8, 9);
    add_quad(m, 6, 9, 10, 11);
}

static void a_mesh_moves_like_its_union(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    static mesh_text m;
    char             path[100], shape[300], text[1500];
    world            w[2];
    name_file(path);
    angle_mesh(&m);
    write_obj(&m, path);
    for (int i = 0; i < 2; i++) {
        sprintf(shape, "mesh: {file: %s}", path);
        sprintf(text, toss,
                i == 0 ? shape
                       : "union: {parts: [{box: {size: [1, 2, 1], position: [0.5, 1, 0.5]}}, "
                         "{box: {size: [1, 1, 1], position: [1.5, 0.5, 0.5]}}]}");
        open_text(&w[i], text);
        run(&w[i], 0.005, 100);
    }
    ss_body_state a = body(&w[0], 1), b = body(&w[1], 1);
    assert_vec_near(a.position, b.position, 1e-7);
    assert_near(a.quat_wxyz.w, b.quat_wxyz.w, 1e-7);
    close_world(&w[0]);
    close_world(&w[1]);
    remove(path);
}

static void what_takes_too_many_pieces_is_refused(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    ss_shape_def def = {.type = "mesh", .file = "x.obj", .params = {.mesh = {.error = -1}}};
    assert_refused(&def, 3, SS_ERR_INPUT, "error must be >= 0, got -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_of_cubes_are_cut_exactly),
        cmocka_unit_test(a_ring_stays_within_its_error),
        cmocka_unit_test(kept_pieces_are_the_same),
        cmocka_unit_test(a_mesh_moves_like_its_union),
        cmocka_unit_test(what_takes_too_many_pieces_is_refused),
        cmocka_unit_test(cutting_has_a_limit),
    };
    if (mkdtemp(cache) == NULL || setenv("STICKSLIP_CACHE", cache, 1) != 0) {
        return 1;
    }
    int  failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    sprintf(command, "rm -r %s", cache);
    return system(command) != 0 || failed;
}
