/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of one body that lie on each other: to points, too, they are one body. */
#include <string.h>

#include "world.h"

static world open_scene(const char *text)
{
    world w = {.ctx = ss_context_create(NULL)};
    check(&w, load_world(&w, text, NULL, 0));
    return w;
}

static ss_body_state end_of(const char *text, int steps)
{
    world w = open_scene(text);
    run(&w, ss_model_simulation(w.model)->step, steps);
    ss_body_state s = body_named(&w, "body");
    close_world(&w);
    return s;
}

/* ---- the corner of a room -------------------------------------------------------------------- */

/* Coordinates of the room as those of the world: permuted and mirrored. */
typedef struct view {
    int axis[3], sign[3];
} view;

static view view_at(int i)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    view             v            = {.sign = {i & 1 ? -1 : 1, i & 2 ? -1 : 1, i & 4 ? -1 : 1}};
    memcpy(v.axis, orders[i / 8], sizeof v.axis);
    return v;
}

static const char *put(char *out, size_t size, const view *v, double x, double y, double z,
                       bool length)
{
    const double in[3]   = {x, y, z};
    double       seen[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        seen[v->axis[k]] = (length ? 1 : v->sign[k]) * in[k];
    }
    snprintf(out, size, "[%.17g, %.17g, %.17g]", seen[0], seen[1], seen[2]);
    return out;
}

enum { PLACE = 96, SCENE = 2048 };

typedef struct solid {
    double size[3], at[3];
} solid;

static void write_room(char *out, const view *v, const solid *parts, const char *body,
                       const double *from, const double *speed)
{
    char   a[PLACE], b[PLACE];
    size_t used = 0;
    used += (size_t)snprintf(out, SCENE,
                             "gravity: %s\nmaterials: {default: {friction: 0}}\nbodies:\n"
                             "  - name: room\n    type: static\n    shape:\n      union:\n",
                             put(a, sizeof a, v, 3, 2, -6, false));
    for (int k = 0; k < 3; k++) {
        const double *s = parts[k].size, *at = parts[k].at;
        used += (size_t)snprintf(out + used, SCENE - used,
                                 "        - {box: {size: %s, position: %s}}\n",
                                 put(a, sizeof a, v, s[0], s[1], s[2], true),
                                 put(b, sizeof b, v, at[0], at[1], at[2], false));
    }
    snprintf(out + used, SCENE - used,
             "  - {name: body, %s, position: %s, velocity: %s}\n"
             "simulation: {step: 0.01, duration: 1}\n",
             body, put(a, sizeof a, v, from[0], from[1], from[2], false),
             put(b, sizeof b, v, speed[0], speed[1], speed[2], false));
}

/* Floor z = 0, walls x = 0 and y = 0, cut in two ways. */
static const solid rooms[2][3] = {
    {{{2, 2, 1}, {0, 0, -0.5}}, {{1, 2, 1}, {0.5, 0, 0.5}}, {{1, 1, 1}, {-0.5, 0.5, 0.5}}},
    {{{1, 2, 2}, {0.5, 0, 0}}, {{1, 2, 1}, {-0.5, 0, -0.5}}, {{1, 1, 1}, {-0.5, 0.5, 0.5}}}};

static const char point[] = "type: particle, mass: 1, shape: {point: {}}";
static const char ball[]  = "type: dynamic, mass: 1, shape: {sphere: {radius: 0.001}}";

/* Without friction everything ends in the corner, where all three forces press. */
static void falls_into_corner(const char *body, double radius)
{
    static const double from[5][3] = {
        {-0.5, -0.3, 0}, {-0.5, 0, 0.4}, {0, -0.3, 0.3}, {-0.4, 0, 0}, {-0.3, -0.3, 0.3}};
    static const double speed[5][3] = {{1, 0.4, 0}, {2, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, -1}};
    for (int i = 0; i < 48 * 10; i++) {
        view   v = view_at(i / 10);
        int    k = i % 5;
        char   text[SCENE];
        double at[3] = {from[k][0] - radius, from[k][1] - radius, from[k][2] + radius};
        write_room(text, &v, rooms[i / 5 % 2], body, at, speed[k]);
        ss_body_state s       = end_of(text, 100);
        const double  x[3]    = {s.position.x, s.position.y, s.position.z};
        const double  goal[3] = {-radius, -radius, radius};
        for (int c = 0; c < 3; c++) {
            assert_near(v.sign[c] * x[v.axis[c]], goal[c], 1e-9);
        }
    }
}

static void points_stay_in_a_corner(void **state)
{
    (void)state;
    falls_into_corner(point, 0);
}

static void balls_stay_in_a_corner(void **state)
{
    (void)state;
    falls_into_corner(ball, 0.001);
}

/* ---- flush faces ------------------------------------------------------------------------------
 */

static const char floor_of[] =
    "gravity: [0, 0, -9.81]\n"
    "materials: {default: {friction: 0.2}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {union: [%s]}, quat_wxyz: [0.8, 0, 0, 0.6]}\n"
    "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [%.17g, %.17g, 0],\n"
    "     velocity: [%.17g, %.17g, 0]}\n"
    "simulation: {step: 0.01, duration: 1, model: {integrator: euler}}\n"; /* at corners all are */

/* Along a seam, across it, and through the point where four pieces meet: as on one box. */
static void a_seam_in_the_floor_is_not_there(void **state)
{
    (void)state;
    static const char   one[]     = "{box: {size: [4, 4, 1], position: [0, 0, -0.5]}}";
    static const char   four[]    = "{box: {size: [2, 2, 1], position: [1, 1, -0.5]}},"
                                    "{box: {size: [2, 2, 1], position: [-1, 1, -0.5]}},"
                                    "{box: {size: [2, 2, 1], position: [1, -1, -0.5]}},"
                                    "{box: {size: [2, 2, 1], position: [-1, -1, -0.5]}}";
    static const double way[4][4] = {
        {-0.9, 0, 1.9, 0}, {-0.9, -0.9, 1.3, 1.3}, {0.1, -0.8, 0.01, 1.8}, {0, -0.9, 0, 1.7}};
    for (int k = 0; k < 4; k++) {
        /* the seams lie along (0.28, 0.96) and across it */
        double x = 0.28 * way[k][0] - 0.96 * way[k][1], y = 0.96 * way[k][0] + 0.28 * way[k][1];
        double u = 0.28 * way[k][2] - 0.96 * way[k][3], v = 0.96 * way[k][2] + 0.28 * way[k][3];
        char   cut[SCENE], whole[SCENE];
        snprintf(cut, sizeof cut, floor_of, four, x, y, u, v);
        snprintf(whole, sizeof whole, floor_of, one, x, y, u, v);
        ss_body_state a = end_of(cut, 100), b = end_of(whole, 100);
        assert_near(ss_norm(ss_sub(a.position, b.position)), 0, 1e-9);
        assert_near(ss_norm(ss_sub(a.velocity, b.velocity)), 0, 1e-9);
    }
}

/* Two boxes on each other make one wall: what is pressed at the height of the seam stays outside.
 */
static void a_seam_in_a_wall_is_not_there(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [5, 0, 0]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: wall, type: static, shape: {union: [{box: {size: [1, 2, 1], position: [0.5, 0, "
        "0.5]}}, {box: {size: [1, 2, 1], position: [0.5, 0, -0.5]}}]}}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [%g, 0.1, 0],\n"
        "     velocity: [%g, 0.3, 0]}\n"
        "simulation: {step: 0.01, duration: 1}\n";
    for (int k = 0; k < 4; k++) {
        char scene[SCENE];
        snprintf(scene, sizeof scene, text, k & 1 ? -0.2 : 0, k & 2 ? 3.0 : 0);
        ss_body_state s = end_of(scene, 100);
        assert_near(s.position.x, 0, 1e-9);
        assert_near(s.position.y, 0.4, 1e-9);
        assert_near(s.position.z, 0, 1e-9);
    }
}

/* Faces that lie on each other in part: the rest of both is surface. */
static void the_rest_of_a_face_is_surface(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, %g]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: steps, type: static, shape: {union: [{box: {size: [2, 2, 1], position: [0, 0, "
        "-0.5]}}, {box: {size: [2, 2, 1], position: [1, 0, 0.5]}}]}}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [%g, 0.1, 0],\n"
        "     velocity: [%g, 0, 0]}\n"
        "simulation: {step: 0.01, duration: 1}\n";
    char up[SCENE], down[SCENE];
    snprintf(down, sizeof down, text, -9.81, -0.5, 2.0); /* on the lower box, against the upper */
    snprintf(up, sizeof up, text, 9.81, 1.5, -2.0);      /* under the upper box, back            */
    ss_body_state a = end_of(down, 100), b = end_of(up, 100);
    assert_near(a.position.x, 0, 1e-9);
    assert_near(a.position.z, 0, 1e-9);
    assert_near(b.position.x, 1, 1e-9);
    assert_near(b.position.z, 0, 1e-9);
}

/* ---- the plane --------------------------------------------------------------------------------
 */

static void corners_hold_in_the_plane(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "{polygon: {points: [[-1, -1], [1, -1], [1, 1], [0, 1], [0, 0], [-1, 0]]}}",
        "{union: [{box: {size: [2, 1], position: [0, -0.5]}}, {box: {size: [1, 1], position: [0.5, "
        "0.5]}}]}",
        "{union: [{box: {size: [1, 1], position: [-0.5, -0.5]}}, {box: {size: [1, 2], position: "
        "[0.5, 0]}}]}"};
    static const double way[3][4] = {{-0.5, 0, 1, 0}, {0, 0.5, 0, -1}, {-0.3, 0.4, 1, 0}};
    static const char   text[] =
        "dimension: 2\ngravity: [3, -5]\nmaterials: {default: {friction: 0}}\nbodies:\n"
        "  - {name: corner, type: static, shape: %s}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [%g, %g], "
        "velocity: [%g, %g]}\n"
        "simulation: {step: 0.01, duration: 1}\n";
    for (int k = 0; k < 9; k++) {
        const double *w = way[k / 3];
        char          scene[SCENE];
        snprintf(scene, sizeof scene, text, shapes[k % 3], w[0], w[1], w[2], w[3]);
        ss_body_state s = end_of(scene, 100);
        assert_near(s.position.x, 0, 1e-9);
        assert_near(s.position.y, 0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_stay_in_a_corner),
        cmocka_unit_test(balls_stay_in_a_corner),
        cmocka_unit_test(a_seam_in_the_floor_is_not_there),
        cmocka_unit_test(a_seam_in_a_wall_is_not_there),
        cmocka_unit_test(the_rest_of_a_face_is_surface),
        cmocka_unit_test(corners_hold_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
