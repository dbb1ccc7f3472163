/* SPDX-License-Identifier: Apache-2.0 */
/* Friction of joints that follows their load: rounds agree also where friction is most of the load,
   and where joints that stick share what they do in many ways. */
#include "world.h"

/*
 * A rod on a hinge, no gravity: I w' = -c r R with R = m l sqrt(w^4 + w'^2). With k = m l c r/I the
 * rounds go R := sqrt(A^2 + k^2 R^2), and w' = -b w^2, b = k/sqrt(1 - k^2), so w = w0/(1 + b w0 t).
 */
static double turns_at(double k, double h, double T)
{
    const double m = 2, l = 0.5, inertia = 0.1, about = inertia + m * l * l;
    char         text[700];
    world        w;
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, 0]\nbodies:\n"
             "  - {name: a, type: dynamic, mass: %g, inertia: %g, position: [%g, 0],\n"
             "     velocity: [0, %g], angular_velocity: 3}\n"
             "joints:\n"
             "  - {name: j, type: revolute, bodies: [world, a], anchor: [0, 0],\n"
             "     friction_coefficient: 0.9, friction_radius: %.17g}\n"
             "simulation: {step: 0.01, duration: 1}\n",
             m, inertia, l, 3 * l, k * about / (m * l * 0.9));
    open_text(&w, text);
    run(&w, h, (int)(T / h + 0.5));
    double turns = body_named(&w, "a").angular_velocity.z;
    close_world(&w);
    return turns;
}

static void friction_may_be_most_of_the_load(void **state)
{
    static const double part[] = {0.1, 0.5, 0.9, 0.99};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double b = part[i] / sqrt(1 - part[i] * part[i]), T = 0.2;
        const double exact = 3 / (1 + b * 3 * T);
        double       whole = turns_at(part[i], 0.002, T) - exact;
        double       half  = turns_at(part[i], 0.001, T) - exact;
        assert_near(whole, 0, 2e-3 * exact);
        assert_near(half, 0, 0.3 * fabs(whole) + 1e-9);
    }
}

/* Runs to its end, with joints closed and no energy gained. */
static void runs(const char *text, double h, int steps)
{
    world w;
    open_text(&w, text);
    ss_energy e    = ss_data_energy(w.model, w.data);
    double    most = e.kinetic + e.potential;
    for (int i = 0; i < steps; i++) {
        check(&w, ss_step(w.model, w.data, h));
        e = ss_data_energy(w.model, w.data);
        assert_true(e.kinetic + e.potential <= most + 1e-3 * fabs(most));
        assert_true(ss_data_report(w.data)->joint_error < 1e-9);
    }
    close_world(&w);
}

/* Linkages of one freedom that come to rest, with all of their joints sticking: the torques of four
   joints do what one of them could, and the loads are as they share it. */
static void linkages_come_to_rest(void **state)
{
    (void)state;
    runs("dimension: 3\nbodies:\n"
         "  - {name: a, type: dynamic, collide: false, mass: 0.118064,\n"
         "     shape: {box: {size: [0.178501, 0.039667, 0.039667]}},\n"
         "     position: [0.049803569641857177, 0, 0.085754279797877045],\n"
         "     quat_wxyz: [0.86666506669367882, 0, -0.49889043102954095, 0]}\n"
         "  - {name: b, type: dynamic, collide: false, mass: 0.118064,\n"
         "     shape: {box: {size: [0.178501, 0.039667, 0.039667]}},\n"
         "     position: [0.21483986700695307, 0, 0.14366230766366442],\n"
         "     quat_wxyz: [0.99298077915547944, 0, 0.11827583112274898, 0]}\n"
         "  - {name: c, type: dynamic, collide: false, mass: 0.118064,\n"
         "     shape: {box: {size: [0.178501, 0.039667, 0.039667]}},\n"
         "     position: [0.29607117621143975, 0, 0.022659759157287448],\n"
         "     quat_wxyz: [0.57320651448958326, 0, 0.81941094192517538, 0]}\n"
         "joints:\n"
         "  - {name: i, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0],\n"
         "     friction_coefficient: 0.05687, friction_radius: 0.03756}\n"
         "  - {name: j, type: revolute, bodies: [a, b], axis: [0, 1, 0],\n"
         "     anchor: [0.099607139283714355, 0, 0.17150855959575409],\n"
         "     friction_coefficient: 0.433, friction_radius: 0.05031}\n"
         "  - {name: k, type: revolute, bodies: [b, c], axis: [0, 1, 0], friction: 0.02625,\n"
         "     anchor: [0.33007259473019179, 0, 0.11581605573157473],\n"
         "     friction_coefficient: 0.06245, friction_radius: 0.01395, limits: [-1.667, 1.513]}\n"
         "  - {name: l, type: revolute, bodies: [c, world], axis: [0, 1, 0],\n"
         "     anchor: [0.26206975769268775, 0, -0.070496537416999835],\n"
         "     friction_coefficient: 0.3919, friction_radius: 0.1779}\n"
         "simulation: {step: 0.0055488, duration: 1}\n",
         0.0055488, 150);
    runs(
        "dimension: 2\nbodies:\n"
        "  - {name: a, type: dynamic, collide: false, mass: 8.87736, angle: 1.3500125582086395,\n"
        "     shape: {box: {size: [0.0270888, 0.00601974]}},\n"
        "     position: [0.0032957217610795671, 0.014684034257695135]}\n"
        "  - {name: b, type: dynamic, collide: false, mass: 8.87736, angle: -0.55995459919166035,\n"
        "     shape: {box: {size: [0.0270888, 0.00601974]}},\n"
        "     position: [0.01549948406928678, 0.023783740020793788]}\n"
        "  - {name: c, type: dynamic, collide: false, mass: 8.87736, angle: -1.1070476251923493,\n"
        "     shape: {box: {size: [0.0270888, 0.00601974]}},\n"
        "     position: [0.031139154936473384, 0.0047395527883917462]}\n"
        "joints:\n"
        "  - {name: i, type: revolute, bodies: [world, a], anchor: [0, 0],\n"
        "     friction_coefficient: 0.1447, friction_radius: 0.02049}\n"
        "  - {name: j, type: revolute, bodies: [a, b],\n"
        "     anchor: [0.0065914435221591343, 0.029368068515390269]}\n"
        "  - {name: k, type: revolute, bodies: [b, c],\n"
        "     anchor: [0.024407524616414426, 0.018199411526197307],\n"
        "     friction_coefficient: 0.1811, friction_radius: 0.02225}\n"
        "  - {name: l, type: revolute, bodies: [c, world],\n"
        "     anchor: [0.037870785256532341, -0.0087203059494138143],\n"
        "     friction_coefficient: 0.459, friction_radius: 0.003716}\n"
        "simulation: {step: 0.00163629, duration: 1}\n",
        0.00163629, 150);
}

/* Two bars on a hinge that were thrown, and come to lie on the floor, with friction and without. */
static void what_lies_on_the_floor_settles(void **state)
{
    (void)state;
    char text[1200];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: %g}}\nbodies:\n"
                 "  - {name: floor, type: static,\n"
                 "     shape: {halfplane: {normal: [0, 1], offset: -0.458289}}}\n"
                 "  - {name: a, type: dynamic, group: 1, mass: 0.0218186,\n"
                 "     position: [0.01895273946092723, -0.084214760767488572],\n"
                 "     velocity: [-1.5297891538687969, 1.0166288059268118],\n"
                 "     angle: -1.3494319485087531, shape: {box: {size: [0.155378, 0.0345284]}}}\n"
                 "  - {name: b, type: dynamic, group: 1, mass: 0.0218186,\n"
                 "     position: [0.070395995602538314, -0.24840263320397077],\n"
                 "     velocity: [-1.5297891538687969, 1.0166288059268118],\n"
                 "     angle: -1.1848982014742397, shape: {box: {size: [0.155378, 0.0345284]}}}\n"
                 "joints:\n"
                 "  - {name: j, type: revolute, bodies: [a, b],\n"
                 "     anchor: [0.03790547892185446, -0.16842952153497714],\n"
                 "     friction_coefficient: 0.07849, friction_radius: 0.06885}\n"
                 "simulation: {step: 0.00556739, duration: 1}\n",
                 i == 0 ? 0.0 : 0.3);
        runs(text, 0.00556739, 140);
    }
}

/* A pendulum whose hinge rubs by its load swings beside what is in `more`. */
static world swinging(const char *bodies, const char *joints)
{
    char  text[1500];
    world w;
    snprintf(text, sizeof text,
             "dimension: 2\nmaterials: {default: {friction: 0.3, restitution: 0.8}}\nbodies:\n"
             "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
             "  - {name: p, type: dynamic, shape: {box: {size: [0.4, 0.05]}}, mass: 1, position: "
             "[0.2, 2], collide: false}\n%sjoints:\n"
             "  - {name: j, type: revolute, bodies: [world, p], anchor: [0, 2], "
             "friction_coefficient: 0.2, friction_radius: 0.05}\n%s"
             "simulation: {step: 0.001, duration: 1}\n",
             bodies, joints);
    open_text(&w, text);
    return w;
}

/* Angle after so many steps of h, each followed by one of `then`. */
static double swings_to(world w, double h, double then, int steps)
{
    for (int i = 0; i < steps; i++) {
        check(&w, ss_step(w.model, w.data, h));
        if (then > 0) {
            check(&w, ss_step(w.model, w.data, then));
        }
    }
    double angle = body_named(&w, "p").angle;
    close_world(&w);
    return angle;
}

/* Steps that other bodies cut, into parts of next to nothing, have the friction of whole ones. */
static void loads_do_not_know_of_parts(void **state)
{
    static const struct {
        const char *bodies, *joints;
    } others[] = {
        {"  - {name: q, type: dynamic, shape: {disc: {radius: 0.05}}, mass: 1, position: [-3, "
         "0.9]}\n",
         "  - {name: k, type: prismatic, bodies: [world, q], axis: [0, 1]}\n"},
        {"  - {name: k, type: kinematic, shape: {box: {size: [0.1, 0.1]}}, motion: {x: '-5 + "
         "(t < 0.4013 and 0 or t - 0.4013)', y: 5}}\n",
         ""},
        {"  - {name: q, type: dynamic, shape: {box: {size: [0.1, 0.1]}}, mass: 1, position: [-3, "
         "0.6], angle: 0.2}\n",
         ""},
    };
    (void)state;
    double alone = swings_to(swinging("", ""), 1e-3, 0, 600);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double beside = swings_to(swinging(others[i].bodies, others[i].joints), 1e-3, 0, 600);
        assert_near(beside, alone, 1e-6);
    }
    /* Steps that a program chooses so, too: they are 1e-4 longer together. */
    double uneven = swings_to(swinging("", ""), 1e-3, 1e-7, 600);
    assert_near(uneven, alone, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_may_be_most_of_the_load),
        cmocka_unit_test(linkages_come_to_rest),
        cmocka_unit_test(what_lies_on_the_floor_settles),
        cmocka_unit_test(loads_do_not_know_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
