/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four-bar linkages that pass a change point, where all links are in one line and two branches of
 * motions cross. They go on along the branch that they come by, which is known in closed form: the
 * angle of the second crank is a function of that of the first. Steps are such that the point is at
 * the end of one, in its middle, within rounding of these, and elsewhere.
 */
#include "joint/mechanism.h"

static const double CRANK = 1, SPEED = 4;

/* Pivots of the two cranks are `ground` apart, the second crank is `second` long. */
typedef struct four_bar {
    const char *name;
    double      ground, second;
    double (*follower)(const struct four_bar *l, double crank);
} four_bar;

static double parallel(const four_bar *l, double crank)
{
    (void)l;
    return crank;
}

static double antiparallel(const four_bar *l, double crank)
{
    return -2 * atan((l->ground + CRANK) / (l->ground - CRANK) * tan(0.5 * crank));
}

/* The far corner of a kite is on the line from the first pivot that halves the crank's angle. */
static double in_kite(const four_bar *l, double crank)
{
    double half = 0.5 * crank, s = sin(half);
    double r = cos(half) + sqrt(l->second * l->second - s * s);
    return atan2(r * s, r * cos(half) - l->ground);
}

/* The coupler is 2 long whatever the ground is: of the two places of its far end, next to that of a
   parallelogram. */
static double nearly_parallel(const four_bar *l, double crank)
{
    double angle = crank;
    for (int k = 0; k < 50; k++) { /* Newton's method for |Q - P|^2 = 4 */
        double x = l->ground + cos(angle) - cos(crank), y = sin(angle) - sin(crank);
        angle -= (x * x + y * y - 4) / (2 * (y * cos(angle) - x * sin(angle)));
    }
    return angle;
}

static const four_bar LINKAGES[] = {
    {"parallelogram", 2, 1, parallel},
    {"parallelogram with a short coupler", 0.5, 1, parallel},
    {"antiparallelogram", 2, 1, antiparallel},
    {"kite", 1, 2, in_kite},
};

static void add_link(world *w, const char *name, double mass, double moment, ss_vec3 from,
                     ss_vec3 to, const ss_vec3 v[2], double spin)
{
    ss_body_def def      = ss_body_def_default();
    def.name             = name;
    def.mass             = mass;
    def.inertia_set      = true;
    def.inertia          = ss_mat3_diagonal(0.7 * moment, 0.9 * moment, moment);
    def.position         = ss_scale(0.5, ss_add(from, to));
    def.velocity         = ss_scale(0.5, ss_add(v[0], v[1]));
    def.angular_velocity = ss_v3(0, 0, spin);
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

static void add_hinge(world *w, const char *name, const char *a, const char *b, ss_vec3 at)
{
    ss_joint_def j = joint_def(name, "revolute", a, b, at);
    j.axis         = ss_v3(0, 0, w->dimension == 3 ? 1 : 0);
    check(w, ss_scene_add_joint(w->scene, &j));
}

static ss_vec3 end_of(double pivot, double length, double angle)
{
    return ss_v3(pivot + length * cos(angle), length * sin(angle), 0);
}

/* Its cranks at the angles th[2] turn at w[2]; masses of cranks 1 and `second`, of the coupler 2.
 */
static void open_four_bar(world *w, int dimension, const four_bar *l, const double th[2],
                          const double rate[2], double second)
{
    ss_vec3 O = ss_v3(0, 0, 0), G = ss_v3(l->ground, 0, 0);
    ss_vec3 P = end_of(0, CRANK, th[0]), Q = end_of(l->ground, l->second, th[1]);
    ss_vec3 vP = ss_cross(ss_v3(0, 0, rate[0]), P);
    ss_vec3 vQ = ss_cross(ss_v3(0, 0, rate[1]), ss_sub(Q, G));
    ss_vec3 PQ = ss_sub(Q, P), turn = ss_cross(PQ, ss_sub(vQ, vP));
    open_world(w, dimension, "auto");
    w->sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
    add_link(w, "a", 1, 0.1, O, P, (ss_vec3[]){{0, 0, 0}, vP}, rate[0]);
    add_link(w, "b", second, 0.1, G, Q, (ss_vec3[]){{0, 0, 0}, vQ}, rate[1]);
    add_link(w, "c", 2, 0.5, P, Q, (ss_vec3[]){vP, vQ}, turn.z / ss_dot(PQ, PQ));
    add_hinge(w, "j1", "world", "a", O);
    add_hinge(w, "j2", "world", "b", G);
    add_hinge(w, "j3", "a", "c", P);
    add_hinge(w, "j4", "b", "c", Q);
}

static double turned(const world *w, const char *name)
{
    ss_body_state b = body_named(w, name);
    return w->dimension == 2 ? b.angle : 2 * atan2(b.quat_wxyz.z, b.quat_wxyz.w);
}

static double spin_of(const world *w, const char *name)
{
    return body_named(w, name).angular_velocity.z;
}

/* From `before` steps before the point, at constant speed of the crank, to seven steps later. */
static void pass(int dimension, const four_bar *l, double h, double before, double speed)
{
    const double e = 1e-6, th = -before * h * speed;
    const double at[2]   = {th, l->follower(l, th)};
    const double ratio   = (l->follower(l, th + e) - l->follower(l, th - e)) / (2 * e);
    const double rate[2] = {speed, speed * ratio};
    world        w;
    open_four_bar(&w, dimension, l, at, rate, 1);
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
    start(&w);
    double energy = total_energy(&w);
    run(&w, h, (int)before + 7);
    double crank = at[0] + turned(&w, "a"), off = at[1] + turned(&w, "b") - l->follower(l, crank);
    if (!(fabs(off) < 1e-6) || !(fabs(total_energy(&w) - energy) < 2e-2 * energy)) {
        fail_msg("%s in %dD, h = %g, %g steps before: off its branch by %g, energy %g of %g",
                 l->name, dimension, h, before, off, total_energy(&w), energy);
    }
    assert_true(crank * speed > 0);
    close_world(&w);
}

static void linkages_keep_to_their_branch(void **state)
{
    (void)state;
    static const double before[] = {3,    3.5,        3 + 1e-12,  3 - 1e-12, 3 + 1e-9, 3.5 + 1e-9,
                                    3.25, 3.5 - 1e-6, 3.5 + 1e-4, 3 - 1e-3,  3.49,     3.8};
    static const double steps[]  = {0.02, 0.01, 0.003, 0.001};
    for (size_t i = 0; i < sizeof LINKAGES / sizeof *LINKAGES; i++) {
        for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
            for (size_t n = 0; n < sizeof steps / sizeof *steps; n++) {
                pass(2, &LINKAGES[i], steps[n], before[k], SPEED);
                pass(2, &LINKAGES[i], steps[n], before[k], -SPEED);
            }
            pass(3, &LINKAGES[i], 0.01, before[k], SPEED);
        }
    }
}

/*
 * A parallelogram whose ground is longer than its coupler, if only by a little: its second crank
 * would have to be 1 + ground from the first pivot to pass the line, and reaches 1 + 2. It turns
 * back, and the first passes. Where the ground is shorter, the first turns back. There is no other
 * motion, and a step that goes straight on is on a branch that nothing leads to.
 */
static void pass_nearly(int dimension, double off, double h, double before)
{
    const four_bar l = {"near parallelogram", 2 * (1 + off), 1, nearly_parallel};
    const double   e = 1e-6, th = -before * h * SPEED;
    const double   at[2]   = {th, l.follower(&l, th)};
    const double   ratio   = (l.follower(&l, th + e) - l.follower(&l, th - e)) / (2 * e);
    const double   rate[2] = {SPEED, SPEED * ratio};
    world          w;
    open_four_bar(&w, dimension, &l, at, rate, 1);
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
    start(&w);
    double energy = total_energy(&w);
    run(&w, h, (int)before + 7);
    double crank = at[0] + turned(&w, "a"), second = at[1] + turned(&w, "b");
    bool   right = off > 0 ? crank > 0 && second < 0 : crank < 0 && second > 0;
    if (!right || !(fabs(total_energy(&w) - energy) < 3e-2 * energy)) {
        fail_msg("off by %g in %dD, h = %g, %g steps before: cranks at %g and %g, energy %g of %g",
                 off, dimension, h, before, crank, second, total_energy(&w), energy);
    }
    close_world(&w);
}

static void near_parallelograms_turn_where_they_must(void **state)
{
    (void)state;
    static const double off[]    = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    static const double before[] = {3, 3.2, 3.5, 3.77};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                pass_nearly(2, sign * off[i], 0.02, before[k]);
                pass_nearly(2, sign * off[i], 0.003, 20 + before[k]);
                pass_nearly(3, sign * off[i], 0.01, 5 + before[k]);
            }
        }
    }
}

/* At rest where branches cross, forces that lead along neither leave a choice that nobody can make:
   the run ends by name. Those that lead along one (links of equal weight) leave none. */
static void who_begins_there_is_told(void **state)
{
    (void)state;
    const double none[2] = {0, 0};
    world        w;
    open_four_bar(&w, 2, &LINKAGES[0], none, none, 5);
    ss_scene_set_gravity(w.scene, ss_v3(0, -9.81, 0));
    start(&w);
    assert_int_equal(ss_step(w.model, w.data, 0.01), SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "may go on in several ways"));
    close_world(&w);
    open_four_bar(&w, 2, &LINKAGES[0], none, none, 1);
    ss_scene_set_gravity(w.scene, ss_v3(0, -9.81, 0));
    start(&w);
    run(&w, 0.01, 10);
    assert_near(turned(&w, "a"), turned(&w, "b"), 1e-9);
    assert_true(turned(&w, "a") < -0.05);
    close_world(&w);
}

/* A joint at the centre of mass of a link, but for rounding, has no arm to measure its opening by.
 */
static void joints_at_centres_of_mass(void **state)
{
    (void)state;
    const double th = 0.3, at[2] = {th, th}, rate[2] = {SPEED, SPEED};
    ss_vec3      A = end_of(0, 0.5 * CRANK, th), B = end_of(2, 0.5 * CRANK, th);
    ss_vec3      v = ss_cross(ss_v3(0, 0, SPEED), A);
    world        w;
    open_four_bar(&w, 2, &LINKAGES[0], at, rate, 1);
    add_link(&w, "d", 1, 0.1, A, B, (ss_vec3[]){v, v}, 0);
    add_hinge(&w, "j5", "a", "d", ss_axpy(A, 1e-16, ss_v3(1, 1, 0)));
    add_hinge(&w, "j6", "b", "d", ss_axpy(B, 1e-15, ss_v3(1, 1, 0)));
    start(&w);
    run(&w, 0.01, 50);
    assert_near(turned(&w, "a"), turned(&w, "b"), 1e-9);
    close_world(&w);
}

/*
 * Wheels on a line, with cranks of 0.1 m that a rod couples: one freedom, of the moment
 * I = n I_wheel + m R^2. A motor on the first with the torque I a at most brings it from rest to
 * the velocity w in the time w/a, a whole number of steps, and keeps it there: the angle is
 * w (t - |w|/2a).
 */
static const double WHEEL_CRANK = 0.1, WHEEL_APART = 0.3, WHEEL = 0.0144, ROD = 1;

typedef struct drive {
    double velocity, acceleration; /* of the motor; 0: it is there at once, with no bound */
    double phase;                  /* of the cranks at the start                         */
} drive;

static void add_wheel(world *w, const drive *m, int k, int cranks, ss_vec3 at)
{
    char   name[16], hinge[16];
    double moment = cranks * WHEEL + ROD * WHEEL_CRANK * WHEEL_CRANK;
    double rate   = m->acceleration > 0 ? 0 : m->velocity;
    snprintf(name, sizeof name, "w%d", k);
    snprintf(hinge, sizeof hinge, "h%d", k);
    add_link(w, name, 2, WHEEL, at, at, (ss_vec3[]){{0, 0, 0}, {0, 0, 0}}, rate);
    ss_joint_def j = joint_def(hinge, "revolute", "world", name, at);
    j.axis         = ss_v3(0, 0, w->dimension == 3 ? 1 : 0);
    if (k == 0) {
        j.coordinate[0].motor         = SS_MOTOR_VELOCITY;
        j.coordinate[0].target.number = m->velocity;
        j.coordinate[0].motor_max     = moment * m->acceleration;
    }
    check(w, ss_scene_add_joint(w->scene, &j));
}

/* All angles of the cranks once the time has passed, next to w (t - |w|/2a). */
static void drive_wheels(int dimension, int cranks, const drive *m, double h, int steps)
{
    ss_vec3 pin  = ss_v3(WHEEL_CRANK * cos(m->phase), WHEEL_CRANK * sin(m->phase), 0);
    double  rate = m->acceleration > 0 ? 0 : m->velocity;
    ss_vec3 v    = ss_cross(ss_v3(0, 0, rate), pin);
    ss_vec3 end  = ss_axpy(pin, WHEEL_APART * (cranks - 1), ss_v3(1, 0, 0));
    char    name[16], hinge[16];
    world   w;
    open_world(&w, dimension, "auto");
    w.sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
    add_link(&w, "rod", ROD, 0.02, pin, end, (ss_vec3[]){v, v}, 0);
    for (int k = 0; k < cranks; k++) {
        ss_vec3 at = ss_v3(WHEEL_APART * k, 0, 0);
        add_wheel(&w, m, k, cranks, at);
        snprintf(name, sizeof name, "w%d", k);
        snprintf(hinge, sizeof hinge, "p%d", k);
        add_hinge(&w, hinge, name, "rod", ss_add(at, pin));
    }
    start(&w);
    run(&w, h, steps);
    double late = m->acceleration > 0 ? 0.5 * fabs(m->velocity) / m->acceleration : 0;
    double want = m->velocity * (steps * h - late), turn = m->velocity * h;
    bool bounded = m->acceleration > 0; /* reactions of 1/eps at a pass: it is late by a part of */
    double late_by = bounded ? fabs(turn) / 20 : 1e-5; /* a step; the velocity is of second order */
    double slow_by = bounded ? 0.2 * turn * turn : 1e-5;
    for (int k = 0; k < cranks; k++) {
        snprintf(name, sizeof name, "w%d", k);
        double off = remainder(turned(&w, name) - want, 2 * acos(-1)), spin = spin_of(&w, name);
        if (!(fabs(off) < late_by) || !(fabs(spin - m->velocity) < slow_by)) {
            fail_msg("%d cranks in %dD, motor %g (%g), phase %g, h = %g: %s is off by %g and %g",
                     cranks, dimension, m->velocity, m->acceleration, m->phase, h, name, off,
                     spin - m->velocity);
        }
    }
    close_world(&w);
}

static void motors_turn_linkages_through_their_points(void **state)
{
    (void)state;
    static const double steps[]  = {0.01, 0.005, 0.002};
    static const double phases[] = {0.3, 1.918, 2.9};
    for (int cranks = 2; cranks <= 4; cranks++) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            for (size_t k = 0; k < sizeof phases / sizeof *phases; k++) {
                const drive bounded = {5, 50, phases[k]}, back = {-8, 40, phases[k]};
                const drive unlimited = {5, 0, phases[k]};
                int         count     = (int)lround(1.1 / steps[i]);
                drive_wheels(2, cranks, &bounded, steps[i], count);
                drive_wheels(2, cranks, &back, steps[i], count);
                drive_wheels(2, cranks, &unlimited, steps[i], count);
            }
        }
        drive_wheels(3, cranks, &(drive){5, 50, 0.3}, 0.01, 110);
        drive_wheels(3, cranks, &(drive){5, 0, 0.3}, 0.01, 110);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkages_keep_to_their_branch),
        cmocka_unit_test(near_parallelograms_turn_where_they_must),
        cmocka_unit_test(who_begins_there_is_told),
        cmocka_unit_test(joints_at_centres_of_mass),
        cmocka_unit_test(motors_turn_linkages_through_their_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
