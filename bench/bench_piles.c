/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Piles to rest, and the broad phase of many bodies. One line for each stretch of a run: time of a
 * step, sweeps, steps cut, kinetic energy, how far bodies moved in it (median, most), the largest
 * rise of energy in a step over the energy at the start.
 *
 * usage: bench_piles SCENE [SECONDS [C]]
 *
 *   pour-N    N spheres in a box, as in bench/peers/scenes.c (100, 1000, 4000, 10000)
 *   boxes-N   N boxes of three kinds, likewise
 *   wall      200 bricks, 20 a course
 *   bin       300 mixed shapes: boxes, hulls, cylinders, capsules, ellipsoids, unions
 *   broad     the broad phase alone, 1e3 to 1e5 bodies
 *
 * Exit code 1: a step failed, or energy rose by more than RISE.
 */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collide/broadphase.h"
#include "stickslip/stickslip.h"

/* Of the energy at the start, in one step. */
static const double RISE = 1e-6;

typedef struct text {
    char  *at;
    size_t used, room;
} text;

static void put(text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t n = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    if (t->used + n > t->room) {
        t->room = 2 * (t->used + n);
        t->at   = realloc(t->at, t->room);
    }
    if (t->at == NULL) {
        abort();
    }
    t->used += (size_t)vsnprintf(t->at + t->used, t->room - t->used, format, args);
    va_end(args);
}

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Uniform in -1 .. 1: bench/peers/scenes.c has the same. */
static double jitter(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void put_box(text *t, double half)
{
    static const char *const walls[] = {"1, 0, 0", "-1, 0, 0", "0, 1, 0", "0, -1, 0"};
    put(t, "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    for (int i = 0; half > 0 && i < 4; i++) {
        put(t, "  - {name: wall%d, type: static, shape: {plane: {normal: [%s], offset: %.17g}}}\n",
            i, walls[i], -half);
    }
}

/* Bodies along an edge of the box that they are poured into. */
static int side_of(int count)
{
    return count <= 100 ? 5 : count <= 1000 ? 10 : count <= 4000 ? 16 : 22;
}

/* Where body i stands above the floor of the box: layers of cells, a little off. */
typedef struct place {
    double x, y, z;
} place;

static place place_of(int i, int side, uint64_t *seed)
{
    int    layer = i / (side * side), cell = i % (side * side);
    double x = 0.22 * (cell % side - 0.5 * (side - 1)) + 0.005 * jitter(seed);
    double y = 0.22 * (cell / side - 0.5 * (side - 1)) + 0.005 * jitter(seed);
    return (place){x, y, 0.3 + 0.22 * layer};
}

static void put_pour(text *t, int count)
{
    int      side = side_of(count);
    uint64_t seed = 1;
    put(t, "materials: {default: {friction: 0.5}}\nbodies:\n");
    put_box(t, 0.11 * side + 0.01);
    for (int i = 0; i < count; i++) {
        place at = place_of(i, side, &seed);
        put(t,
            "  - {name: b%d, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, "
            "position: [%.17g, %.17g, %.17g]}\n",
            i, at.x, at.y, at.z);
    }
}

/* Boxes of three kinds, 1 kg each, else as put_pour: those of bench/peers. */
static void put_boxes(text *t, int count)
{
    static const char *edges[] = {"0.16, 0.16, 0.16", "0.2, 0.14, 0.1", "0.12, 0.18, 0.14"};
    int                side    = side_of(count);
    uint64_t           seed    = 1;
    put(t, "materials: {default: {friction: 0.5}}\nbodies:\n");
    put_box(t, 0.11 * side + 0.01);
    for (int i = 0; i < count; i++) {
        place  at = place_of(i, side, &seed);
        double a = jitter(&seed), b = jitter(&seed), c = jitter(&seed);
        put(t,
            "  - {name: b%d, type: dynamic, mass: 1, shape: {box: {size: [%s]}}, "
            "position: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n",
            i, edges[i % 3], at.x, at.y, at.z, a, b, c);
    }
}

/* Courses of 20 bricks of 0.2 x 0.1 x 0.065 m, 2 mm apart, each shifted by half a brick. */
static void put_wall(text *t)
{
    enum { COURSE = 20, COURSES = 10 };
    put(t, "materials: {default: {friction: 0.6}}\nbodies:\n");
    put_box(t, 0);
    for (int i = 0; i < COURSE * COURSES; i++) {
        int course = i / COURSE;
        put(t,
            "  - {name: brick%d, type: dynamic, density: 1800, shape: {box: {size: [0.2, 0.1, "
            "0.065]}}, position: [%.17g, 0, %.17g]}\n",
            i, 0.202 * (i % COURSE) + (course % 2) * 0.101, 0.0325 + 0.065 * course);
    }
}

/* One of six kinds of shapes of about 0.1 m. */
static void put_shape(text *t, int kind, uint64_t *seed)
{
    double a = 0.05 * (1 + 0.3 * jitter(seed)), b = 0.05 * (1 + 0.3 * jitter(seed)),
           c = 0.05 * (1 + 0.3 * jitter(seed));
    switch (kind) {
    case 0:
        put(t, "{box: {size: [%g, %g, %g]}}", 2 * a, 2 * b, 2 * c);
        return;
    case 1:
        put(t, "{convex: {points: [");
        for (int i = 0; i < 12; i++) {
            double x = jitter(seed), y = jitter(seed), z = jitter(seed);
            double s = 0.06 / sqrt(x * x + y * y + z * z);
            put(t, "%s[%.17g, %.17g, %.17g]", i > 0 ? ", " : "", s * x, s * y, s * z);
        }
        put(t, "]}}");
        return;
    case 2:
        put(t, "{cylinder: {radius: %g, length: %g}}", a, 2 * b);
        return;
    case 3:
        put(t, "{capsule: {radius: %g, length: %g}}", 0.7 * a, 1.5 * b);
        return;
    case 4:
        put(t, "{ellipsoid: {radii: [%g, %g, %g]}}", a, b, c);
        return;
    default:
        put(t,
            "{union: [{sphere: {radius: %g, position: [0, 0, 0.05]}}, {sphere: {radius: %g, "
            "position: [0, 0, -0.05]}}, {capsule: {radius: 0.02, length: 0.1}}]}",
            0.9 * a, 0.8 * b);
    }
}

static void put_bin(text *t)
{
    enum { SIDE = 8, BODIES = 300 };
    uint64_t seed = 3;
    put(t, "materials: {default: {friction: 0.4}}\nbodies:\n");
    put_box(t, 0.11 * SIDE);
    for (int i = 0; i < BODIES; i++) {
        int layer = i / (SIDE * SIDE), cell = i % (SIDE * SIDE);
        put(t, "  - {name: b%d, type: dynamic, density: 1000, shape: ", i);
        put_shape(t, i % 6, &seed);
        put(t, ", position: [%.17g, %.17g, %.17g], ", 0.22 * (cell % SIDE - 0.5 * (SIDE - 1)),
            0.22 * (cell / SIDE - 0.5 * (SIDE - 1)), 0.15 + 0.22 * layer);
        double e1 = 3 * jitter(&seed), e2 = 3 * jitter(&seed);
        put(t, "euler: [%.17g, %.17g, 0]}\n", e1, e2);
    }
}

typedef struct world {
    ss_context *ctx;
    ss_scene   *scene;
    ss_model   *model;
    ss_data    *data;
    int32_t     bodies;
} world;

static bool open_world(world *w, const char *scene)
{
    *w = (world){.ctx = ss_context_create(NULL)};
    return ss_scene_load_text(w->ctx, scene, strlen(scene), "pile.yaml", NULL, 0, &w->scene) ==
               SS_OK &&
           ss_model_compile(w->ctx, w->scene, &w->model) == SS_OK &&
           ss_data_create(w->ctx, w->model, &w->data) == SS_OK;
}

static void close_world(world *w)
{
    ss_data_destroy(w->data);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
    ss_context_destroy(w->ctx);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* How far bodies moved since `was`, which becomes where they are: sorted in `moved`. */
static void measure_moves(const world *w, ss_vec3 *was, double *moved)
{
    for (int32_t i = 0; i < w->bodies; i++) {
        ss_body_state x;
        ss_data_body(w->model, w->data, i, &x);
        moved[i] = ss_norm(ss_sub(x.position, was[i]));
        was[i]   = x.position;
    }
    qsort(moved, (size_t)w->bodies, sizeof *moved, ascending);
}

/* One stretch of a run. */
typedef struct stretch {
    double seconds, rise, worst, deepest;
    long   sweeps;
    int    steps, cut;
} stretch;

static bool one_step(world *w, double h, double *energy, stretch *s)
{
    double    start  = cpu();
    ss_status status = ss_step(w->model, w->data, h);
    s->seconds += cpu() - start;
    if (status != SS_OK) {
        fprintf(stderr, "bench_piles: %s\n", ss_context_message(w->ctx));
        return false;
    }
    const ss_step_report *r   = ss_data_report(w->data);
    ss_energy             e   = ss_data_energy(w->model, w->data);
    double                now = e.kinetic + e.potential;
    s->rise                   = fmax(s->rise, now - *energy);
    s->worst                  = fmax(s->worst, r->motion_error);
    s->deepest                = fmax(s->deepest, r->penetration);
    s->sweeps += r->iterations;
    s->cut += r->splits > 0;
    s->steps++;
    *energy = now;
    return true;
}

static int play(world *w, double h, double duration)
{
    enum { STRETCH = 100 };
    w->bodies     = ss_model_body_count(w->model);
    ss_vec3  *was = calloc((size_t)w->bodies, sizeof *was);
    double   *by  = calloc((size_t)w->bodies, sizeof *by);
    ss_energy e   = ss_data_energy(w->model, w->data);
    double    now = e.kinetic + e.potential, scale = fabs(now), cpu_all = 0, rise = 0;
    bool      fine = was != NULL && by != NULL;
    stretch   s    = {0};
    int       cut  = 0;
    printf("%8s %9s %8s %6s %5s %9s %9s %9s %9s %9s %9s\n", "t (s)", "ms/step", "sweeps", "rows",
           "cut", "c", "overlap", "kinetic", "median", "most", "rise");
    if (fine) {
        measure_moves(w, was, by);
    }
    for (int i = 1; fine && i <= (int)lround(duration / h); i++) {
        fine = one_step(w, h, &now, &s);
        if (!fine || i % STRETCH != 0) {
            continue;
        }
        measure_moves(w, was, by);
        printf("%8.2f %9.3f %8.1f %6d %5d %9.1e %9.1e %9.1e %9.1e %9.1e %9.1e\n", i * h,
               1e3 * s.seconds / s.steps, (double)s.sweeps / s.steps, ss_data_report(w->data)->rows,
               s.cut, s.worst, s.deepest, ss_data_energy(w->model, w->data).kinetic,
               by[w->bodies / 2], by[w->bodies - 1], s.rise / scale);
        fflush(stdout);
        cpu_all += s.seconds;
        rise = fmax(rise, s.rise / scale);
        cut += s.cut;
        s = (stretch){0};
    }
    printf("%.1f s of CPU time, %d steps cut, largest rise %.1e: %s\n", cpu_all, cut, rise,
           !fine         ? "a step FAILED"
           : rise > RISE ? "energy GREW"
                         : "good");
    free(was);
    free(by);
    return fine && rise <= RISE ? 0 : 1;
}

/* ---- broad phase ------------------------------------------------------------------------------
 */

/* Boxes of spheres in a cubic pile, moved a little in each step as those of a pile that settles. */
static void move_boxes(int32_t count, int32_t side, uint64_t *seed, ss_vec3 *at, ss_aabb *boxes,
                       bool first)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t x = i % side, y = i / side % side, z = i / side / side;
        ss_vec3 by = ss_v3(0.002 * jitter(seed), 0.002 * jitter(seed), 0.002 * jitter(seed));
        at[i]      = first ? ss_v3(0.2 * x, 0.2 * y, 0.2 * z) : ss_add(at[i], by);
        boxes[i] =
            (ss_aabb){ss_sub(at[i], ss_v3(0.1, 0.1, 0.1)), ss_add(at[i], ss_v3(0.1, 0.1, 0.1))};
    }
}

static int measure_broad(int32_t count)
{
    enum { STEPS = 20 };
    int32_t        side = (int32_t)ceil(cbrt(count)), room = 20 * count, pairs = 0;
    ss_context    *ctx   = ss_context_create(NULL);
    ss_vec3       *at    = malloc((size_t)count * sizeof *at);
    ss_aabb       *boxes = malloc((size_t)count * sizeof *boxes);
    ss_pair       *list  = malloc((size_t)room * sizeof *list);
    ss_broadphase *bp    = NULL;
    uint64_t       seed  = 1;
    double         spent = 0;
    bool           fine  = at && boxes && list && ss_broadphase_create(ctx, count, &bp) == SS_OK;
    for (int k = 0; fine && k <= STEPS; k++) { /* the first builds the tree */
        move_boxes(count, side, &seed, at, boxes, k == 0);
        double start = cpu();
        fine         = ss_broadphase_pairs(bp, boxes, NULL, NULL, list, room, &pairs) == SS_OK;
        spent += k > 0 ? cpu() - start : 0;
    }
    if (fine) {
        printf("%8d bodies %9d pairs %9.3f ms a step %7.1f ns a body\n", count, pairs,
               1e3 * spent / STEPS, 1e9 * spent / STEPS / count);
    }
    ss_broadphase_destroy(bp);
    free(at);
    free(boxes);
    free(list);
    ss_context_destroy(ctx);
    return fine ? 0 : 1;
}

static int all_broad(void)
{
    int bad = 0;
    for (int32_t n = 1000; n <= 100000; n *= 10) {
        bad += measure_broad(n) + (n < 100000 ? measure_broad(3 * n) : 0);
    }
    return bad > 0;
}

int main(int argc, char **argv)
{
    const char *name     = argc > 1 ? argv[1] : "";
    double      duration = argc > 2 ? strtod(argv[2], NULL) : 0,
           c             = argc > 3 ? strtod(argv[3], NULL) : 1e-2;
    text   t             = {0};
    double h             = 0.005;
    if (strcmp(name, "broad") == 0) {
        return all_broad();
    }
    put(&t, "name: %s\n", name);
    if (strncmp(name, "pour-", 5) == 0 && atoi(name + 5) > 0) {
        put_pour(&t, atoi(name + 5));
        duration = duration > 0 ? duration : 4;
    } else if (strncmp(name, "boxes-", 6) == 0 && atoi(name + 6) > 0) {
        put_boxes(&t, atoi(name + 6));
        duration = duration > 0 ? duration : 2;
    } else if (strcmp(name, "wall") == 0) {
        put_wall(&t);
        duration = duration > 0 ? duration : 5;
    } else if (strcmp(name, "bin") == 0) {
        put_bin(&t);
        duration = duration > 0 ? duration : 5;
        h        = 0.004;
    } else {
        fprintf(stderr, "usage: bench_piles pour-N|boxes-N|wall|bin|broad [SECONDS [C]]\n");
        free(t.at);
        return 2;
    }
    put(&t, "simulation: {step: %g, duration: %g, accuracy: {motion: %g}}\n", h, duration, c);
    world w;
    int   code = 2;
    if (open_world(&w, t.at)) {
        code = play(&w, h, duration);
    } else {
        fprintf(stderr, "bench_piles: %s\n", ss_context_message(w.ctx));
    }
    close_world(&w);
    free(t.at);
    return code;
}
