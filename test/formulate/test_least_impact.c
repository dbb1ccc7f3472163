/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts that may end in several ways (formulate/least_impact.c): bodies on a corner that are
 * struck elsewhere, with large friction. The least outcome is taken at every step and in every
 * order of the bodies, and the run says that there are others.
 */
#include "world.h"

enum { TEXT = 1200 };

typedef struct ending {
    double kinetic;
    int    several; /* steps whose motion is not the only one */
    double way;     /* to another outcome: speed of its fastest body */
} ending;

static void note_other(const world *w, ending *x)
{
    ss_body_motion way[3];
    assert_int_equal(ss_motion_unique(w->model, w->data, way), SS_MOTION_NOT_UNIQUE);
    for (int i = 0; i < 3; i++) {
        x->way = fmax(x->way, ss_norm(way[i].velocity));
    }
    x->several++;
}

static ending end_of(const char *law, const char *first, const char *second, const char *set)
{
    static const char floor[] =
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n";
    world  w;
    char   text[TEXT + 100];
    ending x = {0};
    snprintf(text, sizeof text,
             "dimension: 2\nmaterials: {default: {%s}}\nbodies:\n%s%s%ssimulation: {%s}\n", law,
             floor, first, second, set);
    open_text(&w, text);
    double h = ss_model_simulation(w.model)->step;
    for (int i = 0; i < (int)(0.06 / h + 0.5); i++) {
        run(&w, h, 1);
        if (ss_data_report(w.data)->motion == SS_MOTION_NOT_UNIQUE) {
            note_other(&w, &x);
        }
    }
    x.kinetic = ss_data_energy(w.model, w.data).kinetic;
    close_world(&w);
    return x;
}

/* By steps, by events, and with the two the other way round. */
static void is_the_least(const char *law, const char *a, const char *b, double kinetic)
{
    static const char *const sets[] = {"step: 0.01", "step: 0.005", "step: 0.0025", "step: 0.001",
                                       "step: 0.001, model: {level: acceleration}"};
    for (int i = 0; i < 10; i++) {
        ending x = end_of(law, i % 2 ? a : b, i % 2 ? b : a, sets[i / 2]);
        assert_near(x.kinetic, kinetic, 1e-3 * kinetic);
        assert_true(x.several >= 1);             /* by events what follows may have several too */
        assert_true(x.way > 0.1 && x.way < 1.5); /* no coordinate is faster than 1 */
    }
}

/* 220 J at half of the steps before. */
static void newton_with_restitution(void **state)
{
    (void)state;
    is_the_least(
        "friction: 2, restitution: 0.9",
        "  - {name: a, type: dynamic, mass: 0.565027, position: [-0.160238035716744, "
        "0.2452092780],\n"
        "     shape: {box: {size: [0.559715, 0.173014]}}, angle: 5.59099707816984}\n",
        "  - {name: b, type: dynamic, mass: 3.00834, position: [0.00119095317960, "
        "0.848323757105],\n"
        "     shape: {box: {size: [0.570266, 0.0338773]}}, angle: 0.940441528343902,\n"
        "     velocity: [-9.96455997600926, -15.9105134971664], angular_velocity: -1.3003573549}\n",
        131.12);
}

/* 64 J */
static void a_polygon(void **state)
{
    (void)state;
    is_the_least(
        "friction: 5, restitution: 0.9",
        "  - {name: a, type: dynamic, mass: 1.16986, position: [0.0737482048606592, "
        "0.1226122533],\n"
        "     shape: {polygon: {points: [[-0.00607004223, 0.137033319], [-0.0722380986, "
        "0.1066044],\n"
        "     [-0.141118621, -0.0236240783], [0.169214098, -0.135493586]]}},\n"
        "     angle: 0.863425208676147}\n",
        "  - {name: b, type: dynamic, mass: 3.32093, position: [0.390481946550098, "
        "0.67751630158],\n"
        "     shape: {box: {size: [0.416313, 0.326381]}}, angle: 4.34934222882315,\n"
        "     velocity: [-3.1677543794617, -13.4845951582779], angular_velocity: -3.16920343203}\n",
        164.96);
}

/* 19 J */
static void poisson_without_restitution(void **state)
{
    (void)state;
    is_the_least(
        "friction: 5, restitution: 0, impact: poisson",
        "  - {name: a, type: dynamic, mass: 4.38019, position: [-0.122191593097611, "
        "0.21951398519],\n"
        "     shape: {box: {size: [0.333417, 0.375901]}}, angle: 4.37509870773027}\n",
        "  - {name: b, type: dynamic, mass: 2.37068, position: [-0.851276183908969, "
        "0.32776219169],\n"
        "     shape: {box: {size: [0.138143, 0.266239]}}, angle: 3.81125719357763,\n"
        "     velocity: [19.5964442837109, -4.14088456170376], angular_velocity: -1.64833828305}\n",
        135.31);
}

/* The same blow with little friction has one outcome. */
static void one_outcome_is_no_choice(void **state)
{
    (void)state;
    ending x = end_of(
        "friction: 0.3, restitution: 0.9",
        "  - {name: a, type: dynamic, mass: 0.565027, position: [-0.160238035716744, "
        "0.2452092780],\n"
        "     shape: {box: {size: [0.559715, 0.173014]}}, angle: 5.59099707816984}\n",
        "  - {name: b, type: dynamic, mass: 3.00834, position: [0.00119095317960, "
        "0.848323757105],\n"
        "     shape: {box: {size: [0.570266, 0.0338773]}}, angle: 0.940441528343902,\n"
        "     velocity: [-9.96455997600926, -15.9105134971664], angular_velocity: -1.3003573549}\n",
        "step: 0.005");
    assert_int_equal(x.several, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_with_restitution),
        cmocka_unit_test(a_polygon),
        cmocka_unit_test(poisson_without_restitution),
        cmocka_unit_test(one_outcome_is_no_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
