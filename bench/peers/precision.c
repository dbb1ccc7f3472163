/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and precision in piles: s11 (spheres), s12 (boxes), s13 (a wall of bricks). All settings of
 * all engines take the same steps from the same state, which stickslip's motion-0.1 leaves in
 * the folder of late states (the wall starts as it is built; a pile that has not settled in its
 * time is taken as it is then), and are judged by one measure, the motion error c of
 * docs/theory/piles.md, from their own contacts, impulses and velocities:
 *
 *   c = max_b w_b |F_b| / (g h),   F_b = r_b - P(r_b - (u_b + mu |u_t| n)/w_b)
 *
 * with P the projection onto the cone of friction, w_b the largest diagonal entry of W of contact
 * b, and u_b the relative velocity at the end of the step, plus gap/h along the normal where the
 * contact was open. What holds bodies up must hold them up: an engine that reports
 * no contact where weight is borne is not found out here, but its overlap tells.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "vectors.h"

enum {
    MOST_ATTEMPTS           = 100,
    FIRST                   = 8,
    STEPS                   = 24,
    JUDGED_EVERY            = 4,
    MOST_CONTACTS_OF_A_BODY = 24,
    NUMBERS                 = 13
};

static const double H = 0.005, G = 9.81;
static const double CLOCKED = 0.25; /* s of CPU time that are clocked at least */
static const double SETTLE = 1.2, SETTLE_LIMIT = 90, LIMIT = 6; /* s; of CPU time */

/* ---- vectors ----------------------------------------------------------------------------------
 */

/* Two unit vectors square to n. */
static void tangents(const double *n, double *s, double *t)
{
    double help[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
    cross(n, help, s);
    double length = sqrt(dot(s, s));
    for (int k = 0; k < 3; k++) {
        s[k] /= length;
    }
    cross(n, s, t);
}

static void point_velocity(const peer_state *x, const double *point, double sign, double *out)
{
    double arm[3], turn[3];
    for (int k = 0; k < 3; k++) {
        arm[k] = point[k] - x->position[k];
    }
    cross(x->spin, arm, turn);
    for (int k = 0; k < 3; k++) {
        out[k] += sign * (x->velocity[k] + turn[k]);
    }
}

void peer_contact_frame(peer_contact *c, const double *impulse, const peer_state *a,
                        const peer_state *b)
{
    double s[3], t[3], v[3] = {0};
    tangents(c->normal, s, t);
    if (a != NULL) {
        point_velocity(a, c->point, -1, v);
    }
    if (b != NULL) {
        point_velocity(b, c->point, 1, v);
    }
    const double *axes[3] = {c->normal, s, t};
    for (int k = 0; k < 3; k++) {
        c->impulse[k]  = dot(axes[k], impulse);
        c->velocity[k] = dot(axes[k], v);
    }
}

static void turn_matrix(const double *q, double R[3][3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, m, sizeof m);
}

typedef struct placed {
    const peer_body *body;
    peer_state       x;
    double           R[3][3], radius;
} placed;

static void place(const peer_run *r, void *world, const peer_world *w, placed *all)
{
    for (int i = 0; i < w->body_count; i++) {
        const double *s = w->bodies[i].size;
        all[i].body     = &w->bodies[i];
        all[i].radius   = w->bodies[i].shape == PEER_SPHERE ? s[0] : 0.5 * sqrt(dot(s, s));
        if (w->bodies[i].shape != PEER_PLANE) {
            r->engine->get(world, i, &all[i].x);
            turn_matrix(all[i].x.quat_wxyz, all[i].R);
        }
    }
}

/* ---- the motion error -------------------------------------------------------------------------
 */

/* What an impulse along `axis` at the point does to the body there, per unit. */
static double response(const placed *at, const double *point, const double *axis)
{
    const peer_body *body = at->body;
    double           arm[3], lever[3], sum = 1 / body->mass;
    for (int k = 0; k < 3; k++) {
        arm[k] = point[k] - at->x.position[k];
    }
    cross(arm, axis, lever);
    for (int k = 0; k < 3; k++) {
        double along   = at->R[0][k] * lever[0] + at->R[1][k] * lever[1] + at->R[2][k] * lever[2];
        double inertia = body->inertia3[0] > 0 ? body->inertia3[k] : body->inertia;
        sum += along * along / inertia;
    }
    return sum;
}

/* Largest diagonal entry of W of the contact; 0: nothing moves. */
static double weight(const peer_world *w, const placed *all, const peer_contact *c)
{
    double axes[3][3], most = 0;
    memcpy(axes[0], c->normal, sizeof axes[0]);
    tangents(c->normal, axes[1], axes[2]);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int side = 0; side < 2; side++) {
            int body = side == 0 ? c->a : c->b;
            if (body >= 0 && w->bodies[body].mass > 0) {
                sum += response(&all[body], c->point, axes[k]);
            }
        }
        most = fmax(most, sum);
    }
    return most;
}

/* |r - P(r - z)| of a cone */
static double missed(const double *r, const double *u, double mu, double w)
{
    double z[3]    = {r[0] - (u[0] + mu * hypot(u[1], u[2])) / w, r[1] - u[1] / w, r[2] - u[2] / w};
    double tangent = hypot(z[1], z[2]), p[3] = {0, 0, 0};
    if (tangent <= mu * z[0]) {
        memcpy(p, z, sizeof p);
    } else if (mu * tangent > -z[0]) {
        double t = (z[0] + mu * tangent) / (1 + mu * mu);
        p[0]     = t;
        p[1]     = mu * t * z[1] / tangent;
        p[2]     = mu * t * z[2] / tangent;
    }
    return sqrt((r[0] - p[0]) * (r[0] - p[0]) + (r[1] - p[1]) * (r[1] - p[1]) +
                (r[2] - p[2]) * (r[2] - p[2]));
}

static double motion_error(const peer_run *r, void *world, const peer_world *w, const placed *all,
                           peer_contact *found, int room)
{
    int    count = r->engine->contacts(world, found, room);
    double most  = 0;
    for (int i = 0; i < count && i < room; i++) {
        peer_contact *c  = &found[i];
        double        wb = weight(w, all, c);
        double u[3] = {c->velocity[0] + fmax(c->gap, 0) / w->h, c->velocity[1], c->velocity[2]};
        if (wb > 0) {
            most = fmax(most, wb * missed(c->impulse, u, w->mu, wb) / (G * w->h));
        }
    }
    return most;
}

/* ---- overlaps ---------------------------------------------------------------------------------
 */

/* How far a body reaches along an axis. */
static double extent(const peer_body *body, const double R[3][3], const double *axis)
{
    if (body->shape == PEER_SPHERE) {
        return body->size[0] * sqrt(dot(axis, axis));
    }
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum +=
            0.5 * body->size[k] * fabs(R[0][k] * axis[0] + R[1][k] * axis[1] + R[2][k] * axis[2]);
    }
    return sum;
}

static double overlap_along(const placed *a, const placed *b, const double *between,
                            const double *axis)
{
    double length = sqrt(dot(axis, axis));
    if (length < 1e-9) {
        return INFINITY;
    }
    return (extent(a->body, a->R, axis) + extent(b->body, b->R, axis) - fabs(dot(axis, between))) /
           length;
}

/* By the axis that separates most: faces of boxes, crossing edges, centres of spheres. */
static double overlap(const placed *a, const placed *b)
{
    double between[3], least = INFINITY;
    for (int k = 0; k < 3; k++) {
        between[k] = b->x.position[k] - a->x.position[k];
    }
    double far = a->radius + b->radius;
    if (dot(between, between) >= far * far) {
        return 0;
    }
    if (a->body->shape == PEER_SPHERE) {
        return overlap_along(a, b, between, between);
    }
    for (int i = 0; i < 3; i++) {
        double ai[3] = {a->R[0][i], a->R[1][i], a->R[2][i]};
        double bi[3] = {b->R[0][i], b->R[1][i], b->R[2][i]};
        least        = fmin(least, overlap_along(a, b, between, ai));
        least        = fmin(least, overlap_along(a, b, between, bi));
        for (int j = 0; j < 3; j++) {
            double bj[3] = {b->R[0][j], b->R[1][j], b->R[2][j]}, edge[3];
            cross(ai, bj, edge);
            least = fmin(least, overlap_along(a, b, between, edge));
        }
    }
    return fmax(least, 0);
}

static double overlap_with_plane(const placed *a, const peer_body *plane)
{
    return plane->offset + extent(a->body, a->R, plane->size) - dot(plane->size, a->x.position);
}

static double deepest(const peer_world *w, const placed *all)
{
    double most = 0;
    for (int i = 0; i < w->body_count; i++) {
        for (int j = 0; j < i && w->bodies[i].shape != PEER_PLANE; j++) {
            bool plane = w->bodies[j].shape == PEER_PLANE;
            most       = fmax(most, plane ? overlap_with_plane(&all[i], &w->bodies[j])
                                          : overlap(&all[i], &all[j]));
        }
    }
    return most;
}

/* ---- the state that all begin with ------------------------------------------------------------
 */

static void state_name(const peer_run *r, char *name, size_t size)
{
    snprintf(name, size, "%s/%s.txt", r->late_states, r->scene);
}

static bool load_state(const peer_run *r, peer_world *w)
{
    char name[512];
    state_name(r, name, sizeof name);
    FILE *file = fopen(name, "r");
    bool  ok   = file != NULL;
    for (int i = 0; ok && i < w->body_count; i++) {
        peer_body *b = &w->bodies[i];
        double     n[NUMBERS];
        for (int k = 0; ok && b->mass > 0 && k < NUMBERS; k++) {
            ok = fscanf(file, "%lf", &n[k]) == 1;
        }
        if (ok && b->mass > 0) {
            memcpy(b->position, n, sizeof b->position);
            memcpy(b->quat_wxyz, n + 3, sizeof b->quat_wxyz);
            memcpy(b->velocity, n + 7, sizeof b->velocity);
            memcpy(b->spin, n + 10, sizeof b->spin);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return ok;
}

static void save_state(const peer_run *r, void *world, const peer_world *w)
{
    char name[512];
    state_name(r, name, sizeof name);
    FILE *file = fopen(name, "w");
    for (int i = 0; file != NULL && i < w->body_count; i++) {
        peer_state x;
        double     n[NUMBERS];
        if (w->bodies[i].mass > 0) {
            r->engine->get(world, i, &x);
            memcpy(n, x.position, sizeof x.position);
            memcpy(n + 3, x.quat_wxyz, sizeof x.quat_wxyz);
            memcpy(n + 7, x.velocity, sizeof x.velocity);
            memcpy(n + 10, x.spin, sizeof x.spin);
            for (int k = 0; k < NUMBERS; k++) {
                fprintf(file, "%.17g%c", n[k], k + 1 < NUMBERS ? ' ' : '\n');
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* stickslip lets the pile settle, once, with the setting that is fastest, as far as time allows. */
static void settle(const peer_run *r, const peer_scene *s)
{
    if (strcmp(r->engine->name, "stickslip") != 0) {
        return;
    }
    int fastest = r->setting;
    for (int i = 0; i < r->engine->setting_count; i++) {
        fastest = strcmp(r->engine->settings[i].name, "motion-0.1") == 0 ? i : fastest;
    }
    void  *world = r->engine->create(&s->world, fastest);
    double start = peer_seconds();
    bool   ok    = world != NULL;
    int    steps = 0;
    while (ok && steps < (int)lround(SETTLE / H) && peer_seconds() - start < SETTLE_LIMIT) {
        ok = r->engine->step(world);
        steps++;
    }
    if (ok) {
        save_state(r, world, &s->world);
        peer_emit(r, "settled_s", steps * H);
    }
    if (world != NULL) {
        r->engine->destroy(world);
    }
}

/* ---- the steps --------------------------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct judged {
    double seconds, error[STEPS], deepest;
    int    clocked, count;
    bool   again; /* the same steps once more, for the clock alone */
} judged;

static bool judged_step(const peer_run *r, void *world, const peer_world *w, int step, judged *j)
{
    double start = peer_seconds();
    bool   ok    = r->engine->step(world);
    if (step >= FIRST) {
        j->seconds += peer_seconds() - start;
        j->clocked++;
    }
    if (!ok || j->again || step < FIRST || step % JUDGED_EVERY != 0) {
        return ok;
    }
    int           room  = MOST_CONTACTS_OF_A_BODY * w->body_count;
    peer_contact *found = calloc((size_t)room, sizeof *found);
    placed       *all   = calloc((size_t)w->body_count, sizeof *all);
    if (found != NULL && all != NULL) {
        place(r, world, w, all);
        j->error[j->count++] = motion_error(r, world, w, all, found, room);
        j->deepest           = fmax(j->deepest, deepest(w, all));
    }
    free(found);
    free(all);
    return ok;
}

/* One attempt at the steps, in a world of its own; false: the engine gave up. */
static bool attempt(const peer_run *r, const peer_world *w, double start, judged *j)
{
    void *world = r->engine->create(w, r->setting);
    bool  ok    = world != NULL;
    for (int step = 0; ok && step < STEPS && peer_seconds() - start < LIMIT; step++) {
        ok = judged_step(r, world, w, step, j);
    }
    if (world != NULL) {
        r->engine->destroy(world);
    }
    return ok;
}

/* Clocks of processes may tick in 4 ms: short steps are taken again from the start, a few times. */
static void take_steps(const peer_run *r, const peer_world *w)
{
    judged j     = {0};
    double start = peer_seconds();
    bool   ok    = attempt(r, w, start, &j);
    j.again      = true;
    for (int i = 1; ok && i < MOST_ATTEMPTS && j.clocked > 0 && j.seconds < CLOCKED; i++) {
        ok = attempt(r, w, start, &j);
    }
    if (ok && j.count > 0) {
        qsort(j.error, (size_t)j.count, sizeof *j.error, ascending);
        peer_emit(r, "ms_per_step", 1e3 * j.seconds / j.clocked);
        peer_emit(r, "motion_error", j.error[j.count / 2]);
        peer_emit(r, "penetration_m", j.deepest);
        peer_emit(r, "steps_clocked", j.clocked);
    } else if (ok) {
        peer_emit(r, "out_of_time", peer_seconds() - start);
    } else {
        peer_emit_trouble(r);
    }
}

static void run_settled(peer_run *r, peer_scene *s)
{
    r->h     = H;
    r->apart = 0;
    if (r->engine->contacts != NULL && r->late_states != NULL) {
        if (!load_state(r, &s->world)) {
            settle(r, s);
        }
        if (load_state(r, &s->world)) {
            take_steps(r, &s->world);
        }
    }
    peer_scene_free(s);
}

static void run_spheres(peer_run *r, int count, int per_side)
{
    peer_scene s;
    if (peer_make_pour(&s, H, SETTLE, count, per_side)) {
        run_settled(r, &s);
    }
}

static void run_boxes(peer_run *r, int count, int per_side)
{
    peer_scene s;
    if (peer_make_boxes(&s, H, SETTLE, count, per_side)) {
        run_settled(r, &s);
    }
}

void peer_run_spheres_100(peer_run *r)
{
    run_spheres(r, 100, 5);
}

void peer_run_spheres_1000(peer_run *r)
{
    run_spheres(r, 1000, 10);
}

void peer_run_spheres_4000(peer_run *r)
{
    run_spheres(r, 4000, 16);
}

void peer_run_boxes_100(peer_run *r)
{
    run_boxes(r, 100, 5);
}

void peer_run_boxes_1000(peer_run *r)
{
    run_boxes(r, 1000, 10);
}

void peer_run_boxes_4000(peer_run *r)
{
    run_boxes(r, 4000, 16);
}

void peer_run_wall(peer_run *r)
{
    peer_scene s;
    r->h     = H;
    r->apart = 0;
    if (r->engine->contacts != NULL && peer_make_wall(&s, H, SETTLE)) {
        take_steps(r, &s.world);
        peer_scene_free(&s);
    }
}
