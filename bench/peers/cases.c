/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scenes, each with its exact answer: run at every step size, started exactly touching, 1e-9
 * apart and 1e-9 overlapping, and compared at the end of every step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static const double G = 9.81, PI = 3.14159265358979323846;
static const double APART[] = {0, 1e-9, -1e-9};

enum { STARTS = 3, MOST_BODIES = 32 };

static double largest(double a, double b)
{
    return isnan(b) ? NAN : fmax(a, b);
}

static double distance(const double *a, const double *b)
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static peer_state state_of(const peer_run *r, void *world, int body)
{
    peer_state x;
    r->engine->get(world, body, &x);
    return x;
}

/* How far the last positions of the three starts are from each other. */
typedef struct endings {
    int    bodies;
    double position[STARTS][MOST_BODIES][3];
} endings;

static void keep_ending(endings *e, int start, const peer_run *r, void *world, int bodies)
{
    e->bodies = bodies;
    for (int i = 0; i < bodies; i++) {
        peer_state x = state_of(r, world, i);
        memcpy(e->position[start][i], x.position, sizeof x.position);
    }
}

static void emit_spread(peer_run *r, const endings *e)
{
    double spread = 0;
    for (int i = 0; i < e->bodies; i++) {
        spread = largest(spread, distance(e->position[0][i], e->position[1][i]));
        spread = largest(spread, distance(e->position[0][i], e->position[2][i]));
    }
    r->apart = 0;
    peer_emit(r, "spread_of_starts_m", spread);
}

static void emit_residual(const peer_run *r)
{
    if (!isnan(r->worst_residual)) {
        peer_emit(r, "residual", r->worst_residual);
    }
}

/*
 * Runs one scene from the three starts. make() builds it, see() watches the steps through `watch`,
 * show() prints what was seen. The watch begins with the fields of its type zero.
 */
typedef struct watch {
    int        bodies, steps, start;
    peer_scene scene;
    endings    end;
    double     a, b, c;     /* what the scene measures          */
    double (*reference)[3]; /* the two spheres' velocities      */
    double angle, tilt;     /* parameters of the scene          */
} watch;

typedef bool (*make_fn)(watch *w, double h, double apart);
typedef void (*show_fn)(const peer_run *r, const watch *w);

static void from_three_starts(peer_run *r, double h, watch *w, make_fn make, peer_observe see,
                              show_fn show)
{
    bool all = true;
    r->h     = h;
    for (w->start = 0; w->start < STARTS; w->start++) {
        w->a = w->b = w->c = 0;
        r->apart           = APART[w->start];
        if (!make(w, h, r->apart)) {
            return;
        }
        w->bodies = w->scene.world.body_count;
        w->steps  = w->scene.steps;
        if (peer_simulate(r, &w->scene, see, w)) {
            show(r, w);
            emit_residual(r);
        } else {
            all = false;
        }
        peer_scene_free(&w->scene);
    }
    if (all) {
        emit_spread(r, &w->end);
    }
}

static void at_end(watch *w, const peer_run *r, void *world, int step)
{
    if (step == w->steps) {
        keep_ending(&w->end, w->start, r, world, w->bodies);
    }
}

/* ---- s1: a sphere that slides, then rolls; s1b: the same at 17 degrees --------------------------
 */

static bool make_sphere(watch *w, double h, double apart)
{
    return peer_make_sphere(&w->scene, h, 0.6, apart, w->angle);
}

static void see_sphere(void *user, const peer_run *r, void *world, int step)
{
    watch     *w = user;
    peer_state x = state_of(r, world, PEER_BALL);
    double     t = step * r->h, mu = 0.2;
    bool       rolls = t >= 4 / (7 * mu * G);
    double     v = rolls ? 10.0 / 7 : 2 - mu * G * t, spin = rolls ? 10.0 / 7 : 2.5 * mu * G * t;
    double     along[3] = {v * cos(w->angle), v * sin(w->angle), 0};
    double     turn[3]  = {-spin * sin(w->angle), spin * cos(w->angle), 0};
    w->a                = largest(w->a, distance(x.velocity, along));
    w->b                = largest(w->b, distance(x.spin, turn));
    if (!rolls) {
        double heading = atan2(x.velocity[1], x.velocity[0]);
        w->c           = largest(w->c, fabs(heading - w->angle) * 180 / PI);
    }
    at_end(w, r, world, step);
}

static void show_sphere(const peer_run *r, const watch *w)
{
    peer_emit(r, "velocity_error", w->a);
    peer_emit(r, "spin_error", w->b);
    peer_emit(r, "direction_error_deg", w->c);
}

static void run_sphere(peer_run *r)
{
    static const double steps[] = {0.12, 0.01, 0.001};
    for (int i = 0; i < 3; i++) {
        watch w = {0};
        from_three_starts(r, steps[i], &w, make_sphere, see_sphere, show_sphere);
    }
}

static void run_oblique(peer_run *r)
{
    static const double steps[] = {0.12, 0.01, 0.001};
    for (int i = 0; i < 3; i++) {
        watch w = {.angle = 17 * PI / 180};
        from_three_starts(r, steps[i], &w, make_sphere, see_sphere, show_sphere);
    }
}

/* ---- s2: rolling keeps its energy ---------------------------------------------------------------
 */

static bool make_rolling(watch *w, double h, double apart)
{
    return peer_make_rolling(&w->scene, h, 10, apart);
}

static void see_rolling(void *user, const peer_run *r, void *world, int step)
{
    watch     *w       = user;
    peer_state x       = state_of(r, world, PEER_BALL);
    double     zero[3] = {0}, first = 0.5 * 9 + 0.2 * 9;
    double energy = 0.5 * pow(distance(x.velocity, zero), 2) + 0.2 * pow(distance(x.spin, zero), 2);
    w->a          = largest(w->a, fabs(energy - first) / first);
    at_end(w, r, world, step);
}

static void show_rolling(const peer_run *r, const watch *w)
{
    peer_emit(r, "energy_drift", w->a);
}

static void run_rolling(peer_run *r)
{
    watch w = {0};
    from_three_starts(r, 0.01, &w, make_rolling, see_rolling, show_rolling);
}

/* ---- s3: a box on a slope just below and just above its friction angle --------------------------
 */

static bool make_slope(watch *w, double h, double apart)
{
    return peer_make_slope(&w->scene, h, w->tilt > atan(0.5) ? 2 : 10, apart, w->tilt);
}

static void see_slope(void *user, const peer_run *r, void *world, int step)
{
    watch     *w     = user;
    peer_state x     = state_of(r, world, PEER_BALL);
    double     t     = step * r->h;
    double     v     = fmax(0, G * (sin(w->tilt) - 0.5 * cos(w->tilt)) * t);
    double     in[3] = {v, 0, 0};
    w->a             = largest(w->a, distance(x.velocity, in));
    w->b             = largest(w->b, fmax(fabs(x.position[0]), fabs(x.position[1])));
    w->c             = v > 0 ? w->a / v : 0;
    at_end(w, r, world, step);
}

static void show_slope(const peer_run *r, const watch *w)
{
    if (w->tilt > atan(0.5)) {
        peer_emit(r, "speed_error", w->a);
        peer_emit(r, "speed_error_relative", w->c);
    } else {
        peer_emit(r, "creep_m", w->b);
    }
}

static void run_slope(peer_run *r)
{
    const char *name = r->scene;
    for (int i = 0; i < 2; i++) {
        watch below = {.tilt = atan(0.5) - 0.01}, above = {.tilt = atan(0.5) + 0.01};
        r->scene = "s3-below";
        from_three_starts(r, i == 0 ? 0.01 : 0.001, &below, make_slope, see_slope, show_slope);
        r->scene = "s3-above";
        from_three_starts(r, i == 0 ? 0.01 : 0.001, &above, make_slope, see_slope, show_slope);
    }
    r->scene = name;
}

/* ---- s4: a sphere on two spheres ----------------------------------------------------------------
 */

static bool make_two_spheres(watch *w, double h, double apart)
{
    return peer_make_two_spheres(&w->scene, h, 3, apart);
}

static void see_two_spheres(void *user, const peer_run *r, void *world, int step)
{
    watch     *w = user;
    peer_state x = state_of(r, world, PEER_BALL);
    w->a         = largest(w->a, distance(x.velocity, w->reference[step]));
    at_end(w, r, world, step);
}

static void show_two_spheres(const peer_run *r, const watch *w)
{
    peer_emit(r, "velocity_error", w->a);
}

static void run_two_spheres(peer_run *r)
{
    for (int i = 0; i < 2; i++) {
        watch  w     = {0};
        double h     = i == 0 ? 0.01 : 0.001;
        int    count = (int)lround(3 / h) + 1;
        w.reference  = malloc((size_t)count * sizeof *w.reference);
        if (w.reference != NULL && peer_two_spheres_reference(h, count, w.reference)) {
            from_three_starts(r, h, &w, make_two_spheres, see_two_spheres, show_two_spheres);
        }
        free(w.reference);
    }
}

/* ---- s5: stacks ---------------------------------------------------------------------------------
 */

static bool make_ten(watch *w, double h, double apart)
{
    return peer_make_stack(&w->scene, h, 5, apart, 10, 1);
}

static bool make_heavy(watch *w, double h, double apart)
{
    return peer_make_stack(&w->scene, h, 5, apart, 2, 1000);
}

static bool make_heaviest(watch *w, double h, double apart)
{
    return peer_make_stack(&w->scene, h, 5, apart, 2, 1e6);
}

static void see_stack(void *user, const peer_run *r, void *world, int step)
{
    watch *w = user;
    for (int i = 1; i < w->bodies; i++) {
        peer_state x = state_of(r, world, i);
        w->a         = largest(w->a, hypot(x.position[0], x.position[1]));
        w->b         = largest(w->b, i - 0.5 - x.position[2]);
    }
    at_end(w, r, world, step);
}

static void show_stack(const peer_run *r, const watch *w)
{
    peer_emit(r, "drift_m", w->a);
    peer_emit(r, "sag_m", w->b);
}

static void run_stack(peer_run *r)
{
    watch w = {0};
    from_three_starts(r, 0.01, &w, make_ten, see_stack, show_stack);
}

static void run_heavy(peer_run *r)
{
    watch       one = {0}, two = {0};
    const char *name = r->scene;
    r->scene         = "s5m-1e3";
    from_three_starts(r, 0.01, &one, make_heavy, see_stack, show_stack);
    r->scene = "s5m-1e6";
    from_three_starts(r, 0.01, &two, make_heaviest, see_stack, show_stack);
    r->scene = name;
}

/* ---- s6, s9: a double pendulum and a chain of twenty rods
 * ---------------------------------------- */

typedef struct rods {
    peer_scene scene;
    double     lowest, first; /* energies                        */
    double     joint, energy; /* worst distance and energy drift */
} rods;

/* Where a body's point (given at the start, in the world) is now; bodies start unturned. */
static void carried(const peer_body *body, const peer_state *x, const double *start, double *out)
{
    const double *q    = x->quat_wxyz;
    double        d[3] = {start[0] - body->position[0], start[1] - body->position[1],
                          start[2] - body->position[2]};
    double u[3] = {q[2] * d[2] - q[3] * d[1], q[3] * d[0] - q[1] * d[2], q[1] * d[1] - q[2] * d[0]};
    out[0]      = x->position[0] + d[0] + 2 * (q[0] * u[0] + q[2] * u[2] - q[3] * u[1]);
    out[1]      = x->position[1] + d[1] + 2 * (q[0] * u[1] + q[3] * u[0] - q[1] * u[2]);
    out[2]      = x->position[2] + d[2] + 2 * (q[0] * u[2] + q[1] * u[1] - q[2] * u[0]);
}

static void see_rods(void *user, const peer_run *r, void *world, int step)
{
    rods             *w      = user;
    const peer_world *s      = &w->scene.world;
    double            energy = 0, zero[3] = {0}, tip[3] = {0};
    (void)step;
    for (int i = 0; i < s->body_count; i++) {
        const peer_body *body = &s->bodies[i];
        peer_state       x    = state_of(r, world, i);
        double           here[3];
        carried(body, &x, s->hinges[i].anchor, here);
        w->joint = largest(w->joint, distance(here, tip));
        if (i + 1 < s->body_count) {
            carried(body, &x, s->hinges[i + 1].anchor, tip);
        }
        energy += 0.5 * body->mass * pow(distance(x.velocity, zero), 2) +
                  0.5 * body->inertia * pow(distance(x.spin, zero), 2) +
                  body->mass * G * x.position[2];
    }
    w->energy = largest(w->energy, fabs(energy - w->first) / (w->first - w->lowest));
}

static void run_rods(peer_run *r, double duration, int count, double length, double angle)
{
    rods w   = {0};
    r->h     = 0.001;
    r->apart = 0;
    if (!peer_make_rods(&w.scene, r->h, duration, count, length, angle)) {
        return;
    }
    for (int i = 0; i < count; i++) {
        w.first += G * w.scene.world.bodies[i].position[2];
        w.lowest -= G * (i + 0.5) * length;
    }
    if (peer_simulate(r, &w.scene, see_rods, &w)) {
        peer_emit(r, "joint_drift_m", w.joint);
        peer_emit(r, "energy_drift", w.energy);
        peer_emit(r, "us_per_step", 1e6 * r->seconds / w.scene.steps);
        emit_residual(r);
    }
    peer_scene_free(&w.scene);
}

static void run_pendulum(peer_run *r)
{
    run_rods(r, 10, 2, 1, PI / 2);
}

static void run_chain(peer_run *r)
{
    run_rods(r, 5, 20, 0.5, PI / 4);
}

/* ---- s8: speed ----------------------------------------------------------------------------------
 */

/*
 * Time of a step: three parts of at least half a second of CPU time each (the clock of some
 * machines ticks in 4 ms), and the median part, because the machine may be busy with other things.
 */
enum { RATE_CHUNK = 1000, RATE_PARTS = 3 };

static const double RATE_SECONDS = 0.5, RATE_H = 1e-4;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void push_plate(const peer_run *r, void *world, int step)
{
    double force[3] = {peer_plate_acceleration((step - 0.5) * r->h), 0, 0};
    r->engine->push(world, PEER_BALL, force);
}

/* Chunks of steps until the part is long enough. False: the engine gave up. */
static bool rate_part(const peer_run *r, void *world, int *step, bool shaken, double *per_step)
{
    bool   ok    = true;
    int    first = *step;
    double start = peer_seconds(), spent = 0;
    while (ok && spent < RATE_SECONDS) {
        for (int i = 0; i < RATE_CHUNK && ok; i++) {
            ++*step;
            if (shaken) {
                push_plate(r, world, *step);
            }
            ok = r->engine->step(world);
        }
        spent = peer_seconds() - start;
    }
    *per_step = spent / (*step - first);
    return ok;
}

static void rate(peer_run *r, peer_scene *s, bool shaken)
{
    double part[RATE_PARTS];
    int    step = 0;
    r->h        = RATE_H;
    r->apart    = 0;
    void *world = r->engine->create(&s->world, r->setting);
    bool  ok    = world != NULL;
    for (int i = 0; ok && i < RATE_PARTS; i++) {
        ok = rate_part(r, world, &step, shaken, &part[i]);
    }
    if (world != NULL) {
        r->engine->destroy(world);
    }
    if (ok) {
        qsort(part, RATE_PARTS, sizeof *part, by_size);
        peer_emit(r, "us_per_step", 1e6 * part[RATE_PARTS / 2]);
    }
    peer_scene_free(s);
}

static void run_rate_sphere(peer_run *r)
{
    peer_scene s;
    if (peer_make_sphere(&s, RATE_H, 10, 0, 0)) {
        rate(r, &s, false);
    }
}

static void run_rate_box(peer_run *r)
{
    peer_scene s;
    if (peer_make_slope(&s, RATE_H, 10, 0, 0)) {
        rate(r, &s, false);
    }
}

static void run_rate_disc(peer_run *r)
{
    peer_scene s;
    if (peer_make_disc(&s, RATE_H, 10)) {
        rate(r, &s, false);
    }
}

static void run_rate_square(peer_run *r)
{
    peer_scene s;
    if (peer_make_square(&s, RATE_H, 10)) {
        rate(r, &s, false);
    }
}

/* Friction takes what it can from the velocity that the box would have without. */
static void see_plate(void *user, const peer_run *r, void *world, int step)
{
    watch     *w      = user;
    peer_state x      = state_of(r, world, PEER_BALL);
    double     free_v = w->b + r->h * peer_plate_acceleration((step - 0.5) * r->h);
    double     most   = 0.3 * G * r->h;
    w->b              = fabs(free_v) <= most ? 0 : free_v - copysign(most, free_v);
    double exact[3]   = {w->b, 0, 0};
    w->a              = largest(w->a, distance(x.velocity, exact));
    push_plate(r, world, step + 1);
}

static void run_plate(peer_run *r)
{
    watch w  = {0};
    r->h     = RATE_H;
    r->apart = 0;
    if (!peer_make_plate(&w.scene, RATE_H, 2, 0)) {
        return;
    }
    r->first_push = push_plate;
    bool ok       = peer_simulate(r, &w.scene, see_plate, &w);
    r->first_push = NULL;
    if (ok) {
        peer_emit(r, "velocity_error", w.a);
        emit_residual(r);
        rate(r, &w.scene, true);
    } else {
        peer_scene_free(&w.scene);
    }
}

/* ---- s10: Painlevé's rod ------------------------------------------------------------------------
 */

static bool make_painleve(watch *w, double h, double apart)
{
    return peer_make_painleve(&w->scene, h, 0.1, apart, w->angle);
}

static void see_painleve(void *user, const peer_run *r, void *world, int step)
{
    watch     *w       = user;
    peer_state x       = state_of(r, world, PEER_BALL);
    double     zero[3] = {0};
    double energy = 0.5 * pow(distance(x.velocity, zero), 2) + pow(distance(x.spin, zero), 2) / 6 +
                    G * x.position[2];
    w->a = step == 1 ? energy : w->a;
    w->b = energy;
    w->c = step == 1 ? energy : largest(w->c, energy);
    at_end(w, r, world, step);
}

static void show_painleve(const peer_run *r, const watch *w)
{
    peer_emit(r, "energy_after_one_step", w->a);
    peer_emit(r, "energy_at_end", w->b);
    peer_emit(r, "energy_highest", w->c);
}

static void run_painleve(peer_run *r)
{
    const char *name = r->scene;
    watch       low = {.angle = 0.5}, high = {.angle = 1.5};
    r->scene = "s10-0.5";
    from_three_starts(r, 0.001, &low, make_painleve, see_painleve, show_painleve);
    r->scene = "s10-1.5";
    from_three_starts(r, 0.001, &high, make_painleve, see_painleve, show_painleve);
    r->scene = name;
}

const peer_case peer_cases[] = {
    {"s1", PEER_CAN_3D, run_sphere},
    {"s1b", PEER_CAN_3D, run_oblique},
    {"s2", PEER_CAN_3D, run_rolling},
    {"s3", PEER_CAN_3D, run_slope},
    {"s4", PEER_CAN_3D, run_two_spheres},
    {"s5", PEER_CAN_3D | PEER_CAN_BOXES, run_stack},
    {"s5m", PEER_CAN_3D | PEER_CAN_BOXES, run_heavy},
    {"s6", PEER_CAN_HINGES, run_pendulum},
    {"s9", PEER_CAN_HINGES, run_chain},
    {"s7-100", PEER_CAN_3D | PEER_CAN_PILES, peer_run_pour_100},
    {"s7-400", PEER_CAN_3D | PEER_CAN_PILES, peer_run_pour_400},
    {"s7-1000", PEER_CAN_3D | PEER_CAN_PILES, peer_run_pour_1000},
    {"s7-4000", PEER_CAN_3D | PEER_CAN_PILES, peer_run_pour_4000},
    {"s8", PEER_CAN_3D, run_rate_sphere},
    {"s8box", PEER_CAN_3D, run_rate_box},
    {"s8plate", PEER_CAN_3D, run_plate},
    {"s8disc-2d", PEER_CAN_2D, run_rate_disc},
    {"s8box-2d", PEER_CAN_2D, run_rate_square},
    {"s10", PEER_CAN_3D, run_painleve},
    {"s11-100", PEER_CAN_3D | PEER_CAN_PILES, peer_run_spheres_100},
    {"s11-1000", PEER_CAN_3D | PEER_CAN_PILES, peer_run_spheres_1000},
    {"s11-4000", PEER_CAN_3D | PEER_CAN_PILES, peer_run_spheres_4000},
    {"s12-100", PEER_CAN_3D | PEER_CAN_BOX_PILES, peer_run_boxes_100},
    {"s12-1000", PEER_CAN_3D | PEER_CAN_BOX_PILES, peer_run_boxes_1000},
    {"s12-4000", PEER_CAN_3D | PEER_CAN_BOX_PILES, peer_run_boxes_4000},
    {"s13", PEER_CAN_3D | PEER_CAN_BOX_PILES, peer_run_wall},
};
const int peer_case_count = (int)(sizeof peer_cases / sizeof *peer_cases);
