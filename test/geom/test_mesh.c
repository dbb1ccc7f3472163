/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh files: closed ones are solids, open ones are refused, junk never gets through. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "geom/geom_test.h"

static const int32_t cube_faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static ss_vec3 cube_vertex(int i, ss_vec3 at, double half)
{
    return ss_add(at, ss_v3(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half));
}

static FILE *create(char *path, const char *suffix)
{
    sprintf(path, "/tmp/ss_mesh_%ld%s", (long)getpid(), suffix);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

/* An STL cube; `skip` leaves out one triangle, `inward` turns it inside out. */
static void stl_cube(FILE *f, ss_vec3 at, double half, int skip, bool inward)
{
    fprintf(f, "solid cube\n");
    for (int t = 0; t < 12; t++) {
        if (t == skip) {
            continue;
        }
        fprintf(f, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            ss_vec3 v = cube_vertex(cube_faces[t][inward ? 2 - k : k], at, half);
            fprintf(f, "vertex %g %g %g\n", v.x, v.y, v.z);
        }
        fprintf(f, "endloop\nendfacet\n");
    }
    fprintf(f, "endsolid cube\n");
}

typedef struct log_text {
    char text[2000];
} log_text;

static void keep_log(void *user, ss_log_level level, const char *message)
{
    log_text *l = user;
    (void)level;
    strncat(l->text, message, sizeof l->text - strlen(l->text) - 2);
    strcat(l->text, "\n");
}

static ss_status read_mesh(const char *type, const char *path, double scale, ss_geom_set *set,
                           ss_context *ctx, log_text *log)
{
    ss_shape_def def = {.type = type, .file = path, .scale = scale};
    log->text[0]     = '\0';
    ss_context_set_log(ctx, keep_log, log);
    return ss_geom_build(ctx, &def, 3, set);
}

static void closed_meshes_are_solids(void **state)
{
    (void)state;
    needs(WITH_MESHES, "assimp or no qhull");
    char        path[100];
    ss_context *ctx = ss_context_create(NULL);
    ss_geom_set set;
    log_text    log;
    for (int inward = 0; inward < 2; inward++) {
        FILE *f = create(path, ".stl");
        stl_cube(f, ss_v3(1, 2, 3), 500, -1, inward);
        fclose(f);
        assert_int_equal(read_mesh("mesh", path, 0.001, &set, ctx, &log), SS_OK);
        assert_non_null(strstr(log.text, "is convex"));
        assert_int_equal(strstr(log.text, "inwards") != NULL, inward);
        assert_int_equal(set.count, 1);
        assert_int_equal(set.geoms[0].poly->vertex_count, 8);
        assert_int_equal(set.geoms[0].poly->face_count, 6);
        assert_near(set.mass.volume, 1, 1e-6);
        assert_near(set.mass.inertia.m[0], 1 / 6.0, 1e-6);
        assert_vec_near(set.mass.centre, ss_v3(0.001, 0.002, 0.003), 1e-6);
        ss_geom_free(&set);
        remove(path);
    }
    ss_context_destroy(ctx);
}

static void open_meshes_are_refused(void **state)
{
    (void)state;
    needs(WITH_MESHES, "assimp or no qhull");
    char        path[100];
    ss_context *ctx = ss_context_create(NULL);
    ss_geom_set set;
    log_text    log;
    FILE       *f = create(path, ".stl");
    stl_cube(f, ss_v3(0, 0, 0), 1, 5, false);
    fclose(f);
    assert_int_equal(read_mesh("mesh", path, 1, &set, ctx, &log), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "not closed: 3 of its 33"));
    /* its hull is still there for who asks for it */
    assert_int_equal(read_mesh("convex", path, 1, &set, ctx, &log), SS_OK);
    assert_non_null(strstr(log.text, "hull of its 8 vertices"));
    assert_near(set.mass.volume, 8, 1e-6);
    ss_geom_free(&set);
    remove(path);
    assert_int_equal(read_mesh("mesh", path, 1, &set, ctx, &log), SS_ERR_INPUT);
    ss_context_destroy(ctx);
}

/* Two cubes in one file are two convex parts; an L prism is cut into two. */
static void parts_are_told_apart_and_cut(void **state)
{
    (void)state;
    needs(WITH_MESHES, "assimp or no qhull");
    char        path[100];
    ss_context *ctx = ss_context_create(NULL);
    ss_geom_set set;
    log_text    log;
    FILE       *f = create(path, ".stl");
    stl_cube(f, ss_v3(0, 0, 0), 1, -1, false);
    stl_cube(f, ss_v3(5, 0, 0), 1, -1, false);
    fclose(f);
    assert_int_equal(read_mesh("mesh", path, 1, &set, ctx, &log), SS_OK);
    assert_int_equal(set.count, 2);
    assert_near(set.mass.volume, 16, 1e-5);
    assert_vec_near(set.mass.centre, ss_v3(2.5, 0, 0), 1e-6);
    ss_geom_free(&set);
    remove(path);
    f = create(path, ".obj");
    for (int z = 0; z < 2; z++) {
        fprintf(f, "v 0 0 %d\nv 2 0 %d\nv 2 1 %d\nv 1 1 %d\nv 1 2 %d\nv 0 2 %d\n", z, z, z, z, z,
                z);
    }
    fprintf(f, "f 1 4 2\nf 2 4 3\nf 1 6 4\nf 4 6 5\nf 7 8 10\nf 8 9 10\nf 7 10 12\nf 10 11 12\n");
    for (int i = 1; i <= 6; i++) {
        int j = i % 6 + 1;
        fprintf(f, "f %d %d %d\nf %d %d %d\n", i, j, j + 6, i, j + 6, i + 6);
    }
    fclose(f);
    assert_int_equal(read_mesh("mesh", path, 1, &set, ctx, &log), SS_OK);
    assert_non_null(strstr(log.text, "is not convex"));
    assert_non_null(strstr(log.text, "2 convex pieces"));
    assert_int_equal(set.count, 2);
    assert_near(set.mass.volume, 3, 1e-6);
    ss_geom_free(&set);
    remove(path);
    ss_context_destroy(ctx);
}

/* Files with bytes changed or cut off: a status and a message, never a crash. */
static void damaged_files_are_survived(void **state)
{
    (void)state;
    needs(WITH_MESHES, "assimp or no qhull");
    char        path[100], text[6000];
    ss_context *ctx = ss_context_create(NULL);
    ss_geom_set set;
    log_text    log;
    uint64_t    seed = 8;
    FILE       *f    = create(path, ".stl");
    stl_cube(f, ss_v3(0, 0, 0), 1, -1, false);
    fclose(f);
    f             = fopen(path, "r");
    size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    for (int i = 0; i < 150; i++) {
        char changed[6000];
        memcpy(changed, text, length);
        size_t keep =
            i % 3 == 0 ? length / 2 + (size_t)(fabs(uniform(&seed)) * (double)length / 2) : length;
        for (int k = 0; k < 4; k++) {
            changed[(size_t)(fabs(uniform(&seed)) * (double)(length - 1))] =
                (char)(127 * uniform(&seed));
        }
        f = fopen(path, "w");
        fwrite(changed, 1, keep, f);
        fclose(f);
        ss_status done = read_mesh("mesh", path, 1, &set, ctx, &log);
        if (done == SS_OK) {
            assert_true(set.mass.volume > 0);
            ss_geom_free(&set);
        } else {
            assert_true(strlen(ss_context_message(ctx)) > 10);
        }
    }
    remove(path);
    ss_context_destroy(ctx);
}

/* A COLLADA cube whose z axis points up. */
static void dae_cube(FILE *f, ss_vec3 at, double half)
{
    fprintf(f, "<?xml version='1.0'?>\n"
               "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n"
               "<asset><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>"
               "<source id='p'><float_array id='a' count='24'>");
    for (int i = 0; i < 8; i++) {
        ss_vec3 v = cube_vertex(i, at, half);
        fprintf(f, "%g %g %g ", v.x, v.y, v.z);
    }
    fprintf(f, "</float_array><technique_common><accessor source='#a' count='8' stride='3'>"
               "<param name='X' type='float'/><param name='Y' type='float'/>"
               "<param name='Z' type='float'/></accessor></technique_common></source>"
               "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
               "<triangles count='12'><input semantic='VERTEX' source='#v' offset='0'/><p>");
    for (int t = 0; t < 12; t++) {
        fprintf(f, "%d %d %d ", cube_faces[t][0], cube_faces[t][1], cube_faces[t][2]);
    }
    fprintf(f, "</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>"
               "<visual_scene id='s'><node id='n'><instance_geometry url='#g'/></node>"
               "</visual_scene></library_visual_scenes>"
               "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n");
}

static void up_stays_up(void **state)
{
    (void)state;
    needs(WITH_MESHES, "assimp or no qhull");
    char        path[100];
    ss_context *ctx = ss_context_create(NULL);
    ss_geom_set set;
    log_text    log;
    FILE       *f = create(path, ".dae");
    dae_cube(f, ss_v3(1, 2, 3), 0.5);
    fclose(f);
    assert_int_equal(read_mesh("mesh", path, 1, &set, ctx, &log), SS_OK);
    assert_vec_near(set.mass.centre, ss_v3(1, 2, 3), 1e-6);
    assert_near(set.mass.volume, 1, 1e-6);
    ss_geom_free(&set);
    remove(path);
    ss_context_destroy(ctx);
}

static void put(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(bytes, 1, size, f);
    fclose(f);
}

static double volume_of(ss_context *ctx, const char *path, double scale)
{
    ss_geom_set set;
    log_text    log;
    assert_int_equal(read_mesh("mesh", path, scale, &set, ctx, &log), SS_OK);
    double volume = set.mass.volume;
    ss_geom_free(&set);
    return volume;
}

/* The same cube as binary STL (whose header begins with "solid") and as OBJ with quadrilaterals,
 * indices from the end, textures and normals. */
static void every_format_gives_the_cube(void **state)
{
    (void)state;
    needs(WITH_MESHES, "assimp or no qhull");
    ss_context   *ctx = ss_context_create(NULL);
    unsigned char stl[84 + 12 * 50];
    const char    path[] = "test_mesh.bin";
    memset(stl, 0, sizeof stl);
    memcpy(stl, "solid", 5);
    stl[80] = 12;
    for (int t = 0; t < 12; t++) {
        for (int k = 0; k < 3; k++) {
            ss_vec3 v    = cube_vertex(cube_faces[t][k], ss_v3(0, 0, 0), 1);
            float   x[3] = {(float)v.x, (float)v.y, (float)v.z};
            memcpy(stl + 84 + 50 * t + 12 + 12 * k, x, sizeof x);
        }
    }
    put(path, stl, sizeof stl);
    assert_true(fabs(volume_of(ctx, path, 0.5) - 1) < 1e-12);
    static const char obj[] =
        "# a cube\no cube\nv -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\n"
        "v -1 -1 1\r\nv 1 -1 1\r\nv -1 1 1 1.0\nv 1 1 1\nvn 0 0 1\nvt 0 0\n"
        "f 1/1/1 3/1/1 4/1/1 2/1/1\nf 5//1 6//1 8//1 7//1\nf 1 2 6 5\n"
        "f -6 -2 -1 -5\ng side\ns off\nusemtl x\nf 1/1 5/1 7/1 3/1\nf 2 4 8 6";
    put(path, obj, sizeof obj - 1);
    assert_true(fabs(volume_of(ctx, path, 1) - 8) < 1e-12);
    remove(path);
    ss_context_destroy(ctx);
}

static void hostile_files_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 99\n",
        "ply\nformat ascii 1.0\nelement vertex 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
        "v 0 0 0\nf 0 0 0\n",
        "v 0 0 0\nf -2 -1 1\n",
        "v 0 0 0\nf 99999999999999999999 1 1\n",
        "v 0 0\n",
        "v nan 0 0\nv 1e999 0 0\n",
        "v 0 0 0\ncurv 1 2 3\n",
        "solid\nfacet\nvertex 1 2 3\nvertex 1 2 x\n",
        "solid\nvertex 1 2 3\nendfacet\n",
        "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nvertex 1 0 0\n",
        "solid\n\xff\xfe\n",
        "solid",
        "<?xml version='1.0'?><svg/>",
        "",
    };
    ss_context *ctx    = ss_context_create(NULL);
    const char  path[] = "test_mesh.txt";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ss_geom_set set;
        log_text    log;
        put(path, texts[i], strlen(texts[i]));
        assert_int_equal(read_mesh("mesh", path, 1, &set, ctx, &log), SS_ERR_INPUT);
    }
    remove(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    ss_geom_set set;
    log_text    log;
    assert_int_equal(read_mesh("mesh", path, 1, &set, ctx, &log), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "is not a file"));
    remove(path);
    assert_int_equal(read_mesh("mesh", "/dev/zero", 1, &set, ctx, &log), SS_ERR_INPUT);
    ss_context_destroy(ctx);
}

/* COLLADA: a node that contains itself, a stride of 2^31, 20 000 nested nodes. */
static const char dae_start[] =
    "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
    "version=\"1.4.1\"><asset/><library_geometries><geometry id=\"g\"><mesh><source id=\"p\">"
    "<float_array id=\"pa\" count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common>"
    "<accessor source=\"#pa\" count=\"3\" stride=\"%s\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"
    "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/>"
    "</vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
    "<p>0 1 %s</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>"
    "<visual_scene id=\"s\"><node id=\"n\"><instance_geometry url=\"#g\"/>";
static const char dae_end[] = "</node></visual_scene></library_visual_scenes><scene>"
                              "<instance_visual_scene url=\"#s\"/></scene></COLLADA>";

static void hostile_collada_ends_in_a_message(void **state)
{
    (void)state;
    static const struct {
        const char *stride, *index;
        int         nested;
        const char *inside;
    } cases[]          = {{"3", "2", 0, "<instance_node url=\"#n\"/>"},
                          {"2147483648", "2", 0, ""},
                          {"3", "99999", 0, ""},
                          {"3", "2", 20000, ""},
                          {"0", "2", 0, ""}};
    ss_context *ctx    = ss_context_create(NULL);
    const char  path[] = "test_mesh.dae";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ss_geom_set set;
        log_text    log;
        FILE       *f = fopen(path, "w");
        fprintf(f, dae_start, cases[i].stride, cases[i].index);
        for (int k = 0; k < cases[i].nested; k++) {
            fputs("<node>", f);
        }
        fputs(cases[i].inside, f);
        for (int k = 0; k < cases[i].nested; k++) {
            fputs("</node>", f);
        }
        fputs(dae_end, f);
        fclose(f);
        ss_status status = read_mesh("mesh", path, 1, &set, ctx, &log);
        assert_true(status == SS_ERR_INPUT || status == SS_ERR_UNSUPPORTED);
        assert_true(strlen(ss_context_message(ctx)) > 10);
    }
    remove(path);
    ss_context_destroy(ctx);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they let it take all */

/* Forty nodes, each with two of the next: 2^40 triangles in 3 kB. The file is refused before the
 * process that reads it has taken much. */
static void instances_of_instances_are_bounded(void **state)
{
    (void)state;
    enum { DEPTH = 40, KIB_MOST = 1 << 20 };
    static const char path[] = "test_mesh_instances.dae";
    ss_context       *ctx    = ss_context_create(NULL);
    ss_geom_set       set;
    log_text          log;
    struct rusage     used;
    FILE             *f = fopen(path, "w");
    fprintf(f, dae_start, "3", "2");
    fputs("<instance_node url=\"#k0\"/></node></visual_scene></library_visual_scenes>"
          "<library_nodes>",
          f);
    for (int k = 0; k < DEPTH; k++) {
        fprintf(f,
                "<node id=\"k%d\"><instance_node url=\"#k%d\"/><instance_node url=\"#k%d\"/>"
                "</node>",
                k, k + 1, k + 1);
    }
    fprintf(f,
            "<node id=\"k%d\"><instance_geometry url=\"#g\"/></node></library_nodes><scene>"
            "<instance_visual_scene url=\"#s\"/></scene></COLLADA>",
            DEPTH);
    fclose(f);
    ss_status status = read_mesh("mesh", path, 1, &set, ctx, &log);
    remove(path);
    assert_true(status == SS_ERR_INPUT || status == SS_ERR_UNSUPPORTED);
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    assert_in_range(used.ru_maxrss, 0, KIB_MOST);
    ss_context_destroy(ctx);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_meshes_are_solids),
        cmocka_unit_test(open_meshes_are_refused),
        cmocka_unit_test(up_stays_up),
        cmocka_unit_test(parts_are_told_apart_and_cut),
        cmocka_unit_test(damaged_files_are_survived),
        cmocka_unit_test(every_format_gives_the_cube),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(hostile_collada_ends_in_a_message),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(instances_of_instances_are_bounded),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
