/* SPDX-License-Identifier: Apache-2.0 */
/* contact: compliant and patch on driven bodies: as on static ones, wherever these go. */
#include "world.h"

/* What lands on a floor that gives: its kind and motion; shapes of both and the model. */
static void open_landing(world *w, const char *floor, const char *const *shape, double vx,
                         double vy)
{
    char text[1024];
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, -9.81]\n"
             "materials:\n  default: {friction: 0.3}\n"
             "  soft: {friction: 0.3, compliance: {stiffness: [10000, 6000], damping: 3}}\n"
             "bodies:\n"
             "  - {name: floor, %s, material: soft, shape: {%s}}\n"
             "  - {name: a, type: dynamic, mass: 1, shape: {%s}, position: [0, 0.2],\n"
             "     angle: 0.02, velocity: [%.17g, %.17g], angular_velocity: 0.3}\n"
             "simulation: {model: {contact: %s}}\n",
             floor, shape[0], shape[1], vx, vy, shape[2]);
    open_text(w, text);
}

#define AT_REST   "type: static, position: [0, -0.5]"
#define STANDING  "type: kinematic, motion: {x: 0, y: -0.5}"
#define IN_MOTION "type: kinematic, motion: {x: \"0.7*t\", y: \"-0.5+0.4*t\"}"

static void a_floor_is_the_same_still_driven_or_in_even_motion(void **state)
{
    (void)state;
    static const char *shapes[][3] = {
        {"box: {size: [20, 1]}", "disc: {radius: 0.1}", "compliant"},
        {"box: {size: [20, 1]}", "box: {size: [0.2, 0.1]}", "compliant"},
        {"halfplane: {normal: [0, 1], offset: 0.5}", "box: {size: [0.2, 0.1]}", "patch"}};
    const double h     = 2e-3;
    const int    steps = 200;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        world rests, stands, moves;
        open_landing(&rests, AT_REST, shapes[i], 0.5, -0.4);
        open_landing(&stands, STANDING, shapes[i], 0.5, -0.4);
        open_landing(&moves, IN_MOTION, shapes[i], 1.2, 0);
        run(&rests, h, steps);
        run(&stands, h, steps);
        run(&moves, h, steps);
        ss_body_state a = body(&rests, 1), b = body(&stands, 1), c = body(&moves, 1);
        assert_near(b.position.x, a.position.x, 1e-14);
        assert_near(b.position.y, a.position.y, 1e-14);
        assert_near(b.angle, a.angle, 1e-13);
        assert_near(c.position.x - 0.7 * h * steps, a.position.x, 1e-7);
        assert_near(c.position.y - 0.4 * h * steps, a.position.y, 1e-7);
        assert_near(c.angle, a.angle, 1e-6);
        close_world(&rests);
        close_world(&stands);
        close_world(&moves);
    }
}

/* Without damping an elastic bounce returns the speed, after half a swing of a mass on a spring. */
static void a_bounce_off_a_standing_plate_is_elastic(void **state)
{
    (void)state;
    static const char *models[] = {"compliant", "patch"};
    for (int i = 0; i < 2; i++) {
        char  text[512];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\n"
                 "materials: {default: {friction: 0.3, compliance: {stiffness: 20000}}}\n"
                 "bodies:\n"
                 "  - {name: floor, " STANDING ", shape: {box: {size: [20, 1]}}}\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     position: [0, 0.1], velocity: [0, -1]}\n"
                 "simulation: {model: {contact: %s}}\n",
                 models[i]);
        open_text(&w, text);
        run(&w, 5e-3, 20);
        double half = acos(-1) / sqrt(10000); /* two surfaces of 20000 N/m, in series */
        assert_near(body(&w, 1).velocity.y, 1, 1e-12);
        assert_near(body(&w, 1).position.y, 0.1 + 0.1 - half, 1e-3);
        close_world(&w);
    }
}

/* y'' = -g + max(0, k (s - y) + c (s' - y')) above the plate s(t), by Runge and Kutta. */
typedef struct bounce {
    double y, v;
} bounce;

static const double STIFF = 10000, SHAKES = 15, HIGH = 0.01;

static bounce slope(double t, bounce x)
{
    double depth = HIGH * sin(SHAKES * t) + 0.1 - x.y;
    return (bounce){x.v, -9.81 + (depth > 0 ? STIFF * depth : 0)};
}

static bounce beside(bounce x, double h, bounce k)
{
    return (bounce){x.y + h * k.y, x.v + h * k.v};
}

static double bounced(double T)
{
    const int    n = 400000;
    const double h = T / n;
    bounce       x = {0.15, -0.4};
    for (int i = 0; i < n; i++) {
        double t = i * h;
        bounce a = slope(t, x), b = slope(t + h / 2, beside(x, h / 2, a));
        bounce c = slope(t + h / 2, beside(x, h / 2, b)), d = slope(t + h, beside(x, h, c));
        x.y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
        x.v += h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v);
    }
    return x.y;
}

static void on_a_shaken_plate_bounces_are_of_second_order(void **state)
{
    (void)state;
    static const char SHAKEN[] =
        "dimension: 2\ngravity: [0, -9.81]\n"
        "materials: {default: {friction: 0.3}, soft: {compliance: {stiffness: 10000}}}\n"
        "bodies:\n"
        "  - {name: floor, type: kinematic, material: soft, shape: {box: {size: [20, 1]}},\n"
        "     motion: {x: 0, y: \"-0.5+0.01*sin(15*t)\"}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
        "     position: [0, 0.15], velocity: [0, -0.4]}\n"
        "simulation: {model: {contact: compliant}}\n";
    const double T = 0.4, end = bounced(T);
    double       off[2];
    for (int i = 0; i < 2; i++) {
        double h = i == 0 ? 2e-3 : 1e-3;
        world  w;
        open_text(&w, SHAKEN);
        run(&w, h, (int)lround(T / h));
        off[i] = fabs(body(&w, 1).position.y - end);
        close_world(&w);
    }
    print_message("off by %.2e, %.2e m\n", off[0], off[1]);
    assert_true(off[0] < 2e-4 && off[1] < 0.3 * off[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_floor_is_the_same_still_driven_or_in_even_motion),
        cmocka_unit_test(a_bounce_off_a_standing_plate_is_elastic),
        cmocka_unit_test(on_a_shaken_plate_bounces_are_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
