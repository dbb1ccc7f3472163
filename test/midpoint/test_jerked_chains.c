/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load falls past the end of its chain of light links and pulls it straight. Joints that hold do
 * no work: the links whip, the load turns round within microseconds, and all energy is kept.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "joint/mechanism.h"

enum { LINKS_MOST = 12, TEXT = 1 << 14 };

typedef struct chain {
    int         links;
    double      load, angle; /* kg; rad from hanging straight down */
    int         dimension;
    const char *joint;
} chain;

static const double LINK = 0.01, LENGTH = 1, GRAVITY = 9.81; /* kg, m, m/s^2 */

/* A point at a part of the chain's length, for a scene. */
static const char *point(const chain *c, double part, char *to, size_t size)
{
    double x = LENGTH * part * sin(c->angle), y = -LENGTH * part * cos(c->angle);
    if (c->dimension == 2) {
        snprintf(to, size, "[%.17g, %.17g]", x, y);
    } else {
        snprintf(to, size, "[%.17g, 0, %.17g]", x, y);
    }
    return to;
}

static void write_body(const chain *c, int i, char *to, size_t size)
{
    bool   load = i == c->links;
    char   at[80];
    double mass = load ? c->load : LINK, part = load ? 1 : (i + 0.5) / c->links;
    double radius = load ? 0.1 : 0.4 / c->links;
    snprintf(to, size,
             "  - {name: b%d, type: dynamic, mass: %g, position: %s, shape: {%s: {radius: %g}}, "
             "collide: false}\n",
             i, mass, point(c, part, at, sizeof at), c->dimension == 2 ? "disc" : "sphere", radius);
}

static void write_joint(const chain *c, int i, char *to, size_t size)
{
    char at[80], before[16] = "world";
    if (i > 0) {
        snprintf(before, sizeof before, "b%d", i - 1);
    }
    snprintf(to, size, "  - {name: j%d, type: %s, bodies: [%s, b%d], anchor: %s}\n", i, c->joint,
             before, i, point(c, (double)i / c->links, at, sizeof at));
}

static void open_chain(world *w, const chain *c)
{
    char   text[TEXT];
    size_t n = (size_t)snprintf(text, sizeof text, "dimension: %d\nbodies:\n", c->dimension);
    for (int i = 0; i <= c->links; i++, n += strlen(text + n)) {
        write_body(c, i, text + n, sizeof text - n);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "joints:\n");
    for (int i = 0; i <= c->links; i++, n += strlen(text + n)) {
        write_joint(c, i, text + n, sizeof text - n);
    }
    snprintf(text + n, sizeof text - n, "simulation: {step: 0.001, duration: 1}\n");
    open_text(w, text);
}

/* Closing joints took 4 and 10 % of it in the first second. */
static void a_chain_that_is_pulled_straight_keeps_its_energy(void **state)
{
    (void)state;
    const chain chains[] = {{5, 1, 2.8, 2, "revolute"}, {10, 10, 2.5, 3, "spherical"}};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        world w;
        open_chain(&w, &chains[i]);
        double all = chains[i].load * GRAVITY * LENGTH * (1 - cos(chains[i].angle));
        run(&w, 0.001, 1000);
        double lost = -ss_data_energy(w.model, w.data).integration;
        assert_true(fabs(lost) < 0.01 * all);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_that_is_pulled_straight_keeps_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
