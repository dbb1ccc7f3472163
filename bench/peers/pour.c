/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s7: spheres poured into a box. Time is the mean of the last 50 steps, when the pile rests.
 *
 * Engines that solve every step exactly need minutes to hours to get there, so settings marked
 * PEER_EXACT begin at the state that an earlier run of another setting left in the folder of late
 * states (PEER_LATE) and are clocked from there, for as many of the last steps as fit into their
 * time.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum { LAST = 50, WALLS = 5 };

static const double H = 0.005, DURATION = 2, RADIUS = 0.1;
static const double WHOLE_LIMIT = 25, LATE_LIMIT = 6; /* seconds of CPU time */

static void late_name(const peer_run *r, char *name, size_t size)
{
    snprintf(name, size, "%s/%s.txt", r->late_states, r->scene);
}

static void save_late(const peer_run *r, void *world, int bodies)
{
    char       name[512];
    peer_state x;
    late_name(r, name, sizeof name);
    FILE *file = fopen(name, "wx"); /* the first engine that gets here decides */
    if (file == NULL && errno == EEXIST) {
        return;
    }
    if (file == NULL) {
        fprintf(stderr, "cannot write %s\n", name);
        return;
    }
    for (int i = WALLS; i < bodies; i++) {
        r->engine->get(world, i, &x);
        const double *p = x.position, *v = x.velocity, *w = x.spin;
        fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", p[0], p[1], p[2],
                v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    fclose(file);
}

/* Spheres look the same however they are turned, so the orientation is left out. */
static bool load_late(const peer_run *r, peer_world *w)
{
    char name[512];
    late_name(r, name, sizeof name);
    FILE *file = fopen(name, "r");
    bool  ok   = file != NULL;
    for (int i = WALLS; ok && i < w->body_count; i++) {
        double *p = w->bodies[i].position, *v = w->bodies[i].velocity, *s = w->bodies[i].spin;
        ok = fscanf(file, "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &p[0], &p[1], &p[2], &v[0], &v[1],
                    &v[2], &s[0], &s[1], &s[2]) == 9;
    }
    if (file != NULL) {
        fclose(file);
    }
    return ok;
}

/* Deepest overlap of spheres with each other and with the walls, by looking at every pair. */
static double penetration(const peer_run *r, void *world, int bodies, double wall)
{
    double  deepest = 0;
    double *p       = malloc((size_t)bodies * 3 * sizeof *p);
    for (int i = WALLS; p != NULL && i < bodies; i++) {
        peer_state x;
        r->engine->get(world, i, &x);
        for (int k = 0; k < 3; k++) {
            p[3 * i + k] = x.position[k];
        }
        double *a = &p[3 * i];
        deepest   = fmax(deepest, RADIUS - a[2]);
        deepest   = fmax(deepest, fmax(fabs(a[0]), fabs(a[1])) + RADIUS - wall);
        for (int j = WALLS; j < i; j++) {
            double d[3]   = {a[0] - p[3 * j], a[1] - p[3 * j + 1], a[2] - p[3 * j + 2]};
            double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (square < 4 * RADIUS * RADIUS) {
                deepest = fmax(deepest, 2 * RADIUS - sqrt(square));
            }
        }
    }
    free(p);
    return deepest;
}

static double fastest(const peer_run *r, void *world, int bodies)
{
    double most = 0;
    for (int i = WALLS; i < bodies; i++) {
        peer_state x;
        r->engine->get(world, i, &x);
        most = fmax(most, sqrt(x.velocity[0] * x.velocity[0] + x.velocity[1] * x.velocity[1] +
                               x.velocity[2] * x.velocity[2]));
    }
    return most;
}

typedef struct pour {
    int    steps, bodies, clocked, done;
    double wall, seconds, deepest, limit;
    double recent[LAST]; /* seconds of the last steps, in turn */
    bool   writes, out_of_time;
} pour;

static bool pour_step(peer_run *r, void *world, pour *w, int step)
{
    double start = peer_seconds();
    bool   ok    = r->engine->step(world);
    double spent = peer_seconds() - start;
    r->seconds += spent;
    w->recent[w->done++ % LAST] = spent;
    if (r->engine->residual != NULL) {
        r->worst_residual = fmax(r->worst_residual, r->engine->residual(world));
    }
    if (step > w->steps - LAST) {
        w->seconds += spent;
        w->clocked++;
    }
    if (w->writes && step == w->steps - LAST) {
        save_late(r, world, w->bodies);
    }
    if (step % 10 == 0 || step > w->steps - 3) {
        w->deepest = fmax(w->deepest, penetration(r, world, w->bodies, w->wall));
    }
    w->out_of_time = r->seconds > w->limit;
    return ok;
}

/* How far a run came that was stopped before its end, and what its last steps took. */
static void show_stopped(const peer_run *r, const pour *w)
{
    int    count = w->done < LAST ? w->done : LAST;
    double sum   = 0;
    for (int i = 0; i < count; i++) {
        sum += w->recent[i];
    }
    peer_emit(r, "stopped_at_s", H * w->done);
    peer_emit(r, "stopped_ms_per_step", 1e3 * sum / count);
    peer_emit(r, "stopped_penetration_m", w->deepest);
}

static void show(const peer_run *r, void *world, const pour *w)
{
    if (w->clocked > 0) {
        peer_emit(r, "ms_per_step", 1e3 * w->seconds / w->clocked);
        peer_emit(r, "penetration_m", w->deepest);
        peer_emit(r, "fastest_at_end", fastest(r, world, w->bodies));
        peer_emit(r, "steps_clocked", w->clocked);
    }
    if (w->out_of_time) {
        peer_emit(r, "out_of_time", r->seconds);
        if (w->clocked == 0) {
            show_stopped(r, w);
        }
    }
    if (!isnan(r->worst_residual)) {
        peer_emit(r, "residual", r->worst_residual);
    }
}

static void play(peer_run *r, const peer_scene *s, pour *w, int first)
{
    void *world       = r->engine->create(&s->world, r->setting);
    bool  ok          = world != NULL;
    r->seconds        = 0;
    r->worst_residual = r->engine->residual != NULL ? 0 : NAN;
    for (int step = first; ok && step <= s->steps && !w->out_of_time; step++) {
        ok = pour_step(r, world, w, step);
    }
    if (!ok) {
        peer_emit_trouble(r);
    } else {
        show(r, world, w);
    }
    if (world != NULL) {
        r->engine->destroy(world);
    }
}

static void run_pour(peer_run *r, int count, int per_side)
{
    peer_scene s;
    bool       exact = (r->engine->settings[r->setting].can & PEER_EXACT) != 0;
    r->h             = H;
    r->apart         = 0;
    if (!peer_make_pour(&s, H, DURATION, count, per_side)) {
        return;
    }
    pour w = {.steps  = s.steps,
              .bodies = s.world.body_count,
              .wall   = peer_pour_half_width(per_side),
              .limit  = exact ? LATE_LIMIT : WHOLE_LIMIT,
              .writes = !exact && r->late_states != NULL};
    if (!exact) {
        play(r, &s, &w, 1);
    } else if (r->late_states != NULL && load_late(r, &s.world)) {
        play(r, &s, &w, s.steps - LAST + 1);
    }
    peer_scene_free(&s);
}

void peer_run_pour_100(peer_run *r)
{
    run_pour(r, 100, 5);
}

void peer_run_pour_400(peer_run *r)
{
    run_pour(r, 400, 8);
}

void peer_run_pour_1000(peer_run *r)
{
    run_pour(r, 1000, 10);
}

void peer_run_pour_4000(peer_run *r)
{
    run_pour(r, 4000, 16);
}
