/* SPDX-License-Identifier: Apache-2.0 */
/* Every joint of the list, in every dimension it has: rates, closure, momentum, reactions. */
#include "joint/joint.h"

#include "joint/mechanism.h"
#include "random.h"

static ss_vec3 draw3(uint64_t *seed)
{
    double x = random_between(seed, -1, 1), y = random_between(seed, -1, 1),
           z = random_between(seed, -1, 1);
    return ss_v3(x, y, z);
}

static ss_vec3 flat(ss_vec3 a, int dimension)
{
    return dimension == 3 ? a : ss_v3(a.x, a.y, 0);
}

static ss_vec3 about_z(ss_vec3 a, int dimension)
{
    return dimension == 3 ? a : ss_v3(0, 0, a.z);
}

static ss_mat3 rotation(ss_vec3 r)
{
    return ss_mat3_from_quat(ss_quat_from_rotation(r));
}

/* A body's frame moved by a twist over time e. */
static ss_frame moved(const ss_frame *f, const ss_twist *w, double e)
{
    ss_frame out  = *f;
    ss_mat3  turn = rotation(ss_scale(e, w->w));
    out.p         = ss_axpy(f->p, e, w->v);
    out.R         = ss_mat3_mul(&turn, &f->R);
    return out;
}

/* ds/dt from the row against central differences of s, open joints included. */
static void check_scalar(const ss_scalar *s, int dimension, uint64_t *seed)
{
    if (s->kind == SS_SCALAR_TURN) {
        return; /* a rate of nothing */
    }
    ss_joint j = {.body = {0, 1}, .length = 0.7};
    ss_frame a = {flat(draw3(seed), dimension), rotation(about_z(draw3(seed), dimension))};
    ss_frame b = {flat(draw3(seed), dimension), rotation(about_z(draw3(seed), dimension))};
    for (int side = 0; side < 2; side++) {
        j.at[side].p = flat(draw3(seed), dimension);
        j.at[side].R = rotation(about_z(ss_scale(0.3, draw3(seed)), dimension));
    }
    ss_twist       va    = {flat(draw3(seed), dimension), about_z(draw3(seed), dimension)};
    ss_twist       vb    = {flat(draw3(seed), dimension), about_z(draw3(seed), dimension)};
    const double   e     = 1e-5;
    ss_joint_place place = ss_joint_place_at(&j, &a, &b);
    ss_scalar_row  row   = ss_scalar_eval(s, &place);
    double         side[2];
    for (int k = 0; k < 2; k++) {
        double         step = k == 0 ? -e : e;
        ss_frame       fa = moved(&a, &va, step), fb = moved(&b, &vb, step);
        ss_joint_place p = ss_joint_place_at(&j, &fa, &fb);
        side[k]          = ss_scalar_unwrapped(s, ss_scalar_eval(s, &p).value, row.value);
    }
    double difference = (side[1] - side[0]) / (2 * e);
    assert_near(ss_scalar_rate(&row, &va, &vb), difference, 1e-7 * (1 + fabs(difference)));
}

static void rates_are_those_of_finite_differences(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int32_t c = 0; c < ss_joint_class_count(); c++) {
        const ss_joint_class *cls = ss_joint_class_at(c);
        for (int dimension = 2; dimension <= 3; dimension++) {
            const ss_joint_form *f = dimension == 3 ? cls->form3 : cls->form2;
            for (int round = 0; f != NULL && !f->couples && round < 50; round++) {
                for (int32_t i = 0; i < f->held; i++) {
                    check_scalar(&f->hold[i], dimension, &seed);
                }
                for (int32_t i = 0; i < f->coordinates; i++) {
                    check_scalar(&f->coordinate[i], dimension, &seed);
                }
            }
        }
    }
}

static void add_free_body(world *w, int dimension, const char *name, ss_vec3 position,
                          uint64_t *seed)
{
    ss_body_def def      = ss_body_def_default();
    def.name             = name;
    def.mass             = 1 + 0.5 * random_between(seed, -1, 1);
    def.inertia_set      = true;
    def.inertia          = ss_mat3_diagonal(0.3, 0.4, 0.5);
    def.position         = position;
    def.velocity         = flat(draw3(seed), dimension);
    def.angular_velocity = about_z(draw3(seed), dimension);
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

/* Two bodies in space, joined, moving as they like; seed decides how. */
static void open_pair(world *w, const ss_joint_class *cls, int dimension, ss_joints_kind axis,
                      uint64_t seed)
{
    open_world(w, dimension, "nsgs");
    w->sim.axes.joints = axis;
    ss_scene_set_gravity(w->scene, ss_v3(0, 0, 0));
    add_free_body(w, dimension, "a", ss_v3(0, 0, 0), &seed);
    add_free_body(w, dimension, "b", ss_v3(1, 0.2, 0), &seed);
    ss_joint_def j = joint_def("j", cls->name, "a", "b", flat(ss_v3(0.5, 0.3, 0.1), dimension));
    j.anchor_b     = flat(ss_v3(0.9, 0.1, 0.2), dimension);
    j.anchor_b_set = strcmp(cls->name, "distance") == 0;
    j.axis         = flat(ss_v3(0.2, 0.3, 1), dimension);
    check(w, ss_scene_add_joint(w->scene, &j));
    start(w);
}

/* Linear momentum, and angular momentum about the origin. */
static void momentum(const world *w, ss_vec3 *linear, ss_vec3 *angular)
{
    *linear = *angular = ss_v3(0, 0, 0);
    for (int32_t i = 0; i < 2; i++) {
        ss_body_state s;
        ss_data_body(w->model, w->data, i, &s);
        double  m  = ss_model_mass(w->model, i);
        ss_mat3 I  = ss_mat3_diagonal(0.3, 0.4, 0.5);
        ss_mat3 R  = ss_mat3_from_quat(s.quat_wxyz);
        ss_vec3 Iw = ss_mul(&R, ss_mul(&I, ss_tmul(&R, s.angular_velocity)));
        *linear    = ss_axpy(*linear, m, s.velocity);
        *angular   = ss_add(*angular, ss_axpy(Iw, m, ss_cross(s.position, s.velocity)));
    }
}

static void joints_close_and_keep_momentum(void **state)
{
    (void)state;
    for (int32_t c = 0; c < ss_joint_class_count(); c++) {
        const ss_joint_class *cls = ss_joint_class_at(c);
        for (int dimension = 2; dimension <= 3; dimension++) {
            const ss_joint_form *form = dimension == 3 ? cls->form3 : cls->form2;
            if (form == NULL || form->couples) { /* of two bodies: test/joint/test_coupling.c */
                continue;
            }
            world   w;
            ss_vec3 p0, l0, p1, l1;
            double  open[2];
            for (int k = 0; k < 2; k++) {
                double h = k == 0 ? 2e-3 : 1e-3;
                open_pair(&w, cls, dimension, SS_JOINTS_STABILISED, 7);
                run(&w, h, 1); /* the first step makes the velocities fit the joint */
                open[k] = 0;
                for (int i = 0; i < (int)lround(1 / h); i++) {
                    run(&w, h, 1);
                    open[k] = fmax(open[k], ss_data_report(w.data)->joint_error);
                }
                close_world(&w);
            }
            open_pair(&w, cls, dimension, SS_JOINTS_PROJECTED, 7);
            momentum(&w, &p0, &l0);
            double worst = 0;
            for (int i = 0; i < 1000; i++) {
                run(&w, 1e-3, 1);
                worst = fmax(worst, ss_data_report(w.data)->joint_error);
            }
            momentum(&w, &p1, &l1);
            print_message("%dD %-11s opens %.1e m, order %.2f; projected %.1e m; momentum %.1e, "
                          "%.1e\n",
                          dimension, cls->name, open[1], log2(open[0] / open[1]), worst,
                          ss_norm(ss_sub(p1, p0)), ss_norm(ss_sub(l1, l0)));
            assert_true(open[1] < 1e-4);
            assert_true(open[1] < 1e-9 || fabs(log2(open[0] / open[1]) - 2) < 0.15);
            assert_true(worst < 1e-9);
            assert_true(ss_norm(ss_sub(p1, p0)) < 1e-12);
            /* An explicit position update turns angular momentum at order h, never the linear. */
            assert_true(ss_norm(ss_sub(l1, l0)) < 5e-3);
            close_world(&w);
        }
    }
}

/* A body that hangs still: the joint carries its weight, and the torque of a weight off the axis.
 */
static void reactions_carry_the_weight(void **state)
{
    (void)state;
    static const char *const types[] = {"fixed", "revolute", "prismatic", "universal", "spherical"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        world w;
        open_world(&w, 3, "nsgs");
        add_rod(&w, "rod", ss_v3(0, 0, 0), ss_v3(0, 0, -1), 2);
        ss_joint_def j = joint_def("j", types[i], "world", "rod", ss_v3(0, 0, 0));
        j.axis         = ss_v3(0, 1, 0); /* horizontal: gravity does not move it */
        check(&w, ss_scene_add_joint(w.scene, &j));
        start(&w);
        run(&w, 1e-3, 100);
        ss_joint_info info;
        ss_data_joint(w.model, w.data, 0, &info);
        assert_near(info.force.z, 2 * 9.81, 1e-9);
        assert_near(ss_norm(info.torque), 0, 1e-9);
        assert_true(info.unique);
        close_world(&w);
    }
    /* Held at one end, horizontal: the clamp carries the moment m g l/2 as well. */
    world w;
    open_world(&w, 3, "nsgs");
    add_rod(&w, "rod", ss_v3(0, 0, 0), ss_v3(1, 0, 0), 2);
    ss_joint_def j = joint_def("j", "fixed", "world", "rod", ss_v3(0, 0, 0));
    check(&w, ss_scene_add_joint(w.scene, &j));
    start(&w);
    run(&w, 1e-3, 100);
    ss_joint_info info;
    ss_data_joint(w.model, w.data, 0, &info);
    assert_near(info.force.z, 2 * 9.81, 1e-9);
    assert_near(info.torque.y, -9.81, 1e-9);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_finite_differences),
        cmocka_unit_test(joints_close_and_keep_momentum),
        cmocka_unit_test(reactions_carry_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
