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

/* What is pushed along is over the seam by the end of a step, or by its middle, and not by both. */
static void what_speeds_up_passes_a_seam(void **state)
{
    (void)state;
    static const char *const floors[] = {
        "box: {size: [4, 4, 1], position: [0, 0, -0.5]}",
        "union: [{box: {size: [2, 4, 1], position: [-1, 0, -0.5]}},"
        "{box: {size: [2, 4, 1], position: [1, 0, -0.5]}}]"};
    static const char text[] =
        "gravity: [5, 1, -9.81]\n"
        "materials: {default: {friction: 0.2}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {%s}}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [%.17g, 0.1, 0],\n"
        "     velocity: [1, 0.1, 0]}\n"
        "simulation: {step: 0.01, duration: 1}\n";
    for (int k = 0; k < 200; k++) { /* over a step's way before the seam */
        ss_body_state s[2];
        for (int i = 0; i < 2; i++) {
            char scene[SCENE];
            snprintf(scene, sizeof scene, text, floors[i], -0.1 + 0.0001 * k);
            s[i] = end_of(scene, 20);
        }
        assert_near(ss_norm(ss_sub(s[0].position, s[1].position)), 0, 1e-7);
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

/* ---- round bodies ----------------------------------------------------------------------------
 */

enum { LONG = 16384, LONGER = LONG + SCENE };

/* Whole steps: what is compared here is how bodies go on, not when they strike. */
static const char round_on[] = "gravity: [0, 0, -9.81]\n"
                               "materials: {default: {friction: %g}}\n"
                               "bodies:\n"
                               "  - {name: ground, type: static, shape: {%s}}\n"
                               "  - {name: body, type: dynamic, mass: 1, shape: {%s},\n"
                               "     position: [%.17g, 0.01, %.17g], velocity: [%g, %g, 0]}\n"
                               "simulation: {step: %g, duration: 1, max_splits: 0}\n";

/* Boxes side by side, 0.13 wide, or 0.2 wide so that they overlap. */
static void write_planks(char *out, size_t size, double wide)
{
    size_t at = (size_t)snprintf(out, size, "union: [");
    for (int i = 0; i < 16; i++) {
        at += (size_t)snprintf(out + at, size - at,
                               "%s{box: {size: [%g, 4, 1], position: [%g, 0, -0.5]}}",
                               i ? ", " : "", wide, -1 + 0.13 * i);
    }
    snprintf(out + at, size - at, "]");
}

/* Without friction nothing slows what slides: no edge of a plank is an edge of the floor. */
static void round_bodies_slide_over_flush_planks(void **state)
{
    (void)state;
    static const char *const bodies[3] = {"sphere: {radius: 0.05}",
                                          "ellipsoid: {radii: [0.06, 0.04, 0.05]}",
                                          "capsule: {radius: 0.05, length: 0.2, quat_wxyz: "
                                          "[0.70710678118654757, 0.70710678118654757, 0, 0]}"};
    static const double      speeds[2] = {3, 10}, steps[2] = {0.01, 0.002}, wide[2] = {0.13, 0.2};
    for (int k = 0; k < 24; k++) {
        char   floor[LONG], scene[LONGER];
        double v = speeds[k & 1], h = steps[k >> 1 & 1];
        int    count = (int)(0.6 / v / h + 0.5);
        write_planks(floor, sizeof floor, wide[k >> 2 & 1]);
        snprintf(scene, sizeof scene, round_on, 0.0, floor, bodies[k >> 3], -0.31, 0.05, v, 0.1, h);
        ss_body_state s = end_of(scene, count);
        assert_near(s.position.x, -0.31 + v * h * count, 1e-9);
        assert_near(s.position.z, 0.05, 1e-9);
        assert_near(s.velocity.x, v, 1e-9);
    }
}

/* The ends of cylinders, among each other and with boxes: their rims are no edges of the floor. */
static void round_bodies_slide_over_flush_ends(void **state)
{
    (void)state;
    static const char *const floors[2] = {
        "union: [{cylinder: {radius: 0.4, length: 1, position: [-0.5, 0, -0.5]}}, {cylinder: "
        "{radius: 0.4, length: 1, position: [0, 0, -0.5]}}, {cylinder: {radius: 0.4, length: 1, "
        "position: [0.5, 0, -0.5]}}]",
        "union: [{cylinder: {radius: 0.2, length: 1, position: [0, 0, -0.5]}}, {box: {size: [2, 2, "
        "1], position: [-1, 0, -0.5]}}, {box: {size: [2, 2, 1], position: [1, 0, -0.5]}}]"};
    static const char *const bodies[2] = {"sphere: {radius: 0.05}",
                                          "ellipsoid: {radii: [0.06, 0.04, 0.05]}"};
    for (int k = 0; k < 8; k++) {
        char   scene[SCENE];
        double h     = k & 4 ? 0.01 : 0.002;
        int    count = (int)(0.06 / h + 0.5);
        snprintf(scene, sizeof scene, round_on, 0.0, floors[k & 1], bodies[k >> 1 & 1], -0.31, 0.05,
                 10.0, 0.1, h);
        ss_body_state s = end_of(scene, count);
        assert_near(s.position.x, -0.31 + 10 * h * count, 1e-9);
        assert_near(s.position.z, 0.05, 1e-9);
        assert_near(s.velocity.x, 10, 1e-9);
    }
}

/* Corner i of a ring of nine. */
static ss_vec3 on_ring(int i, double radius, double height)
{
    double angle = 2 * 3.141592653589793 * (i + 0.2) / 9;
    return ss_v3(radius * cos(angle), radius * sin(angle), height);
}

static size_t write_corner(char *out, size_t size, size_t at, ss_vec3 x)
{
    return at + (size_t)snprintf(out + at, size - at, "[%.17g, %.17g, %.17g], ", x.x, x.y, x.z);
}

/* A dome with nine sides: the hull of its wedges `first` to `last`. */
static size_t write_wedges(char *out, size_t size, size_t at, int first, int last)
{
    at += (size_t)snprintf(out + at, size - at, "convex: {points: [");
    for (int i = first; i <= last; i++) {
        at = write_corner(out, size, at, on_ring(i, 0.3, 0));
        at = write_corner(out, size, at, on_ring(i, 0.2, 0.12));
        at = write_corner(out, size, at, on_ring(i, 0.3, -0.1));
    }
    at = write_corner(out, size, at, ss_v3(0, 0, 0.16));
    return at + (size_t)snprintf(out + at, size - at, "[0, 0, -0.1]]}");
}

static void write_dome(char *out, size_t size, bool cut)
{
    size_t at = (size_t)snprintf(out, size, cut ? "union: [" : "");
    for (int i = 0; i < 9 && cut; i++) {
        at += (size_t)snprintf(out + at, size - at, i ? ", {" : "{");
        at = write_wedges(out, size, at, i, i + 1);
        at += (size_t)snprintf(out + at, size - at, "}");
    }
    at = cut ? at : write_wedges(out, size, at, 0, 8);
    snprintf(out + at, size - at, cut ? "]" : "");
}

/* What rolls over the ridges of a dome rolls so over those of a dome that is cut into wedges. */
static void round_bodies_roll_over_ridges(void **state)
{
    (void)state;
#ifndef SS_HAVE_QHULL
    skip();
#endif
    static const char *const bodies[]  = {"sphere: {radius: 0.02}", "sphere: {radius: 0.06}",
                                          "capsule: {radius: 0.02, length: 0.04}",
                                          "ellipsoid: {radii: [0.02, 0.026, 0.016]}"};
    static const double      way[3][2] = {{0.2, 0.1}, {-0.7, 0.7}, {1, -3}};
    for (int k = 0; k < 12; k++) {
        char          ground[LONG], scene[LONGER];
        ss_body_state s[2];
        for (int cut = 0; cut < 2; cut++) {
            write_dome(ground, sizeof ground, cut);
            snprintf(scene, sizeof scene, round_on, k % 2 ? 0.3 : 0.0, ground, bodies[k / 3], 0.06,
                     0.24, way[k % 3][0], way[k % 3][1], 0.002);
            s[cut] = end_of(scene, 100);
        }
        assert_near(ss_norm(ss_sub(s[0].position, s[1].position)), 0, 1e-8);
    }
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

/* ---- pieces with sides and cuts in one line ------------------------------------------------- */

enum { OUTLINE = 12 };

typedef struct outline {
    int    count;
    double at[OUTLINE][2];
} outline;

static const outline tee   = {8,
                              {{-0.012, -0.012},
                               {0.012, -0.012},
                               {0.012, -0.0024},
                               {0.0024, -0.0024},
                               {0.0024, 0.012},
                               {-0.0024, 0.012},
                               {-0.0024, -0.0024},
                               {-0.012, -0.0024}}};
static const outline cross = {12,
                              {{-0.0036, -0.012},
                               {0.0036, -0.012},
                               {0.0036, -0.0036},
                               {0.012, -0.0036},
                               {0.012, 0.0036},
                               {0.0036, 0.0036},
                               {0.0036, 0.012},
                               {-0.0036, 0.012},
                               {-0.0036, 0.0036},
                               {-0.012, 0.0036},
                               {-0.012, -0.0036},
                               {-0.0036, -0.0036}}};

static const char *write_outline(char *out, size_t size, const outline *o)
{
    size_t at = (size_t)snprintf(out, size, "polygon: {points: [");
    for (int i = 0; i < o->count; i++) {
        at += (size_t)snprintf(out + at, size - at, "%s[%.17g, %.17g]", i ? ", " : "", o->at[i][0],
                               o->at[i][1]);
    }
    snprintf(out + at, size - at, "]}");
    return out;
}

/* How deep x is inside an outline, by its sides alone; 0: outside. */
static double depth_in(const outline *o, double x, double y)
{
    bool   inside = false;
    double least  = INFINITY;
    for (int i = 0; i < o->count; i++) {
        const double *a = o->at[i], *b = o->at[(i + 1) % o->count];
        double        u = b[0] - a[0], v = b[1] - a[1];
        double        t = fmin(fmax(((x - a[0]) * u + (y - a[1]) * v) / (u * u + v * v), 0), 1);
        bool          crosses = (a[1] > y) != (b[1] > y) && x < a[0] + u * (y - a[1]) / v;
        inside                = inside != crosses;
        least                 = fmin(least, hypot(x - a[0] - t * u, y - a[1] - t * v));
    }
    return inside ? least : 0;
}

/* Along the flange of a T the web stops a point, whose cut from the flange is in the flange's line.
 */
static void points_stop_at_the_web_of_a_tee(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\nbodies:\n"
        "  - {name: tee, type: static, shape: {%s}, angle: %.17g}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [%.17g, %.17g], "
        "velocity: [%.17g, %.17g]}\n"
        "simulation: {step: %g, duration: 0.1}\n";
    for (int k = 0; k < 32; k++) {
        char   shape[SCENE / 2], scene[SCENE];
        double angle = 0.4 * k, c = cos(angle), s = sin(angle), side = k & 1 ? 1 : -1;
        double x = side * (0.008 + 0.0001 * k), y = -0.0024, v = -0.3 * side;
        double h = k & 2 ? 0.005 : 0.001;
        snprintf(scene, sizeof scene, text, write_outline(shape, sizeof shape, &tee), angle,
                 c * x - s * y, s * x + c * y, c * v, s * v, h);
        ss_body_state e = end_of(scene, (int)(0.1 / h + 0.5));
        assert_near(c * e.position.x + s * e.position.y, side * 0.0024, 1e-9);
        assert_near(-s * e.position.x + c * e.position.y, y, 1e-9);
    }
}

/* How deep the deepest point of `body' is in `cross'. */
static double deepest_point(const world *w)
{
    static const double points[3][2] = {{0.0096, 0.0015}, {-0.0096, 0.0015}, {0, -0.009}};
    ss_body_state       o = body_named(w, "cross"), b = body_named(w, "body");
    double c = cos(b.angle), s = sin(b.angle), C = cos(o.angle), S = sin(o.angle), deepest = 0;
    for (int i = 0; i < 3; i++) {
        double u = b.position.x + c * points[i][0] - s * points[i][1] - o.position.x;
        double v = b.position.y + s * points[i][0] + c * points[i][1] - o.position.y;
        deepest  = fmax(deepest, depth_in(&cross, C * u + S * v, C * v - S * u));
    }
    return deepest;
}

/* Into valleys points go by what a step is off its path, h^2 w^2 r: no further, and not along cuts.
 */
static void points_stay_out_of_a_cross(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
        "  - {name: cross, type: static, shape: {%s}, angle: %.17g}\n"
        "  - {name: body, type: dynamic, mass: 0.9, inertia: 8e-5, com: [0, 0], shape: {points: "
        "{points: [[0.0096, 0.0015], [-0.0096, 0.0015], [0, -0.009]]}}, position: [%.17g, 0.039], "
        "angle: %.17g, velocity: [%.17g, 0]}\n"
        "simulation: {step: 0.01, duration: 0.25}\n";
    static const double from[][4] = {
        {2.3897878201916285, -0.0075453363507059805, 0.3256228090697162, 0.046660017073447385},
        {2.4, -0.0075, 0.5, 0.05},
        {0.8, 0.003, -1, 0.02},
        {0.7, -0.004, 2, 0.1}};
    for (size_t k = 0; k < sizeof from / sizeof from[0]; k++) {
        char shape[SCENE / 2], scene[SCENE];
        snprintf(scene, sizeof scene, text, write_outline(shape, sizeof shape, &cross), from[k][0],
                 from[k][1], from[k][2], from[k][3]);
        world w = open_scene(scene);
        for (int i = 0; i < 25; i++) {
            run(&w, 0.01, 1);
            assert_true(deepest_point(&w) < 2e-4);
            /* what is told is at least half of it (ss_gap_of_joined) */
            assert_true(deepest_point(&w) <= 2 * ss_data_report(w.data)->penetration + 1e-9);
        }
        close_world(&w);
    }
}

/* What is in the body just above a cut is as deep as the surface is far, not as the cut's line. */
static void depths_are_those_of_the_body(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\nbodies:\n"
        "  - {name: cross, type: static, shape: {%s}}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [%.17g, %.17g]}\n"
        "simulation: {step: 0.0001, duration: 1, allow_overlap: true}\n";
    static const double at[][2] = {
        {-0.0019, -0.0035957}, {0.0004, -0.0035957}, {-0.0035957, 0.0011}, {0.0035957, -0.002}};
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
        char shape[SCENE / 2], scene[SCENE];
        snprintf(scene, sizeof scene, text, write_outline(shape, sizeof shape, &cross), at[k][0],
                 at[k][1]);
        world     w    = open_scene(scene);
        double    deep = depth_in(&cross, at[k][0], at[k][1]);
        ss_status done = ss_step(w.model, w.data, 1e-4);
        /* a lower bound within a factor of two, or the step is refused for it */
        assert_true(done != SS_OK || ss_data_report(w.data)->penetration >= deep / 2);
        close_world(&w);
    }
}

/* A polygon with many sides and the same cut into triangles, as a disc and an ellipse see it. */
static void discs_roll_over_ridges(void **state)
{
    (void)state;
    static const char *const bodies[] = {"disc: {radius: 0.04}",
                                         "superellipse: {radii: [0.04, 0.028], e: 1}"};
    static const char        text[]   = "dimension: 2\ngravity: [0, -9.81]\n"
                                        "materials: {default: {friction: %g}}\nbodies:\n"
                                        "  - {name: ground, type: static, shape: {%s}}\n"
                                        "  - {name: body, type: dynamic, mass: 1, shape: {%s},\n"
                                        "     position: [0.05, 0.4], velocity: [%g, 0]}\n"
                                        "simulation: {step: 0.0005, duration: 1, max_splits: 0}\n";
    for (int k = 0; k < 8; k++) {
        char   whole[LONG], cut[LONG], scene[LONGER];
        size_t w = (size_t)snprintf(whole, LONG, "polygon: {points: ["), c = 0;
        c += (size_t)snprintf(cut, LONG, "union: [");
        for (int i = 0; i <= 14; i++) {
            double a = 3.141592653589793 * i / 14, b = 3.141592653589793 * (i + 1) / 14;
            w += (size_t)snprintf(whole + w, LONG - w, "%s[%.17g, %.17g]", i ? ", " : "",
                                  0.5 * cos(a), 0.3 * sin(a));
            c += i == 14 ? 0
                         : (size_t)snprintf(cut + c, LONG - c,
                                            "%s{polygon: {points: [[0, 0], [%.17g, %.17g], [%.17g, "
                                            "%.17g]]}}",
                                            i ? ", " : "", 0.5 * cos(a), 0.3 * sin(a), 0.5 * cos(b),
                                            0.3 * sin(b));
        }
        snprintf(whole + w, LONG - w, "]}");
        snprintf(cut + c, LONG - c, "]");
        double friction = k & 1 ? 0.3 : 0.0, v = k & 2 ? 1 : -0.3;
        snprintf(scene, sizeof scene, text, friction, whole, bodies[k / 4], v);
        ss_body_state s = end_of(scene, 450);
        snprintf(scene, sizeof scene, text, friction, cut, bodies[k / 4], v);
        ss_body_state t = end_of(scene, 450);
        /* the step in which an ellipse goes from piece to piece is of first order */
        assert_near(ss_norm(ss_sub(s.position, t.position)), 0, k < 4 ? 1e-9 : 5e-5);
    }
}

/* A box at rest where vertices of the floor's outline lie between its corners. */
static void vertices_on_a_straight_side_are_not_there(void **state)
{
    (void)state;
    static const char *const outlines[] = {
        "[-0.5, 0], [0.05, 0], [3, 0], [3, -0.3], [-0.5, -0.3]",
        "[-0.5, 0], [-0.07, 0], [0.03, 0], [0.13, 0], [3, 0], [3, -0.3], [0, -0.1], [-0.5, -0.3]"};
    static const char *const models[] = {"{level: impulse}", "{level: acceleration}",
                                         "{inertia: quasistatic}"};
    for (int i = 0; i < 6; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "materials: {default: {friction: 0.3}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {polygon: {points: [%s]}}}\n"
                 "  - {name: b, type: dynamic, shape: {box: {size: [0.2, 0.1]}}, mass: 1, "
                 "position: [0.03, 0.05]}\n"
                 "simulation: {step: 0.01, model: %s}\n",
                 outlines[i % 2], models[i / 2]);
        world w;
        open_text(&w, text);
        run(&w, 0.01, 10);
        ss_body_state b = body_named(&w, "b");
        assert_near(b.position.x, 0.03, 1e-12);
        assert_near(b.position.y, 0.05, 1e-12);
        assert_near(b.angle, 0, 1e-12);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_stay_in_a_corner),
        cmocka_unit_test(balls_stay_in_a_corner),
        cmocka_unit_test(a_seam_in_the_floor_is_not_there),
        cmocka_unit_test(what_speeds_up_passes_a_seam),
        cmocka_unit_test(a_seam_in_a_wall_is_not_there),
        cmocka_unit_test(the_rest_of_a_face_is_surface),
        cmocka_unit_test(round_bodies_slide_over_flush_planks),
        cmocka_unit_test(round_bodies_slide_over_flush_ends),
        cmocka_unit_test(round_bodies_roll_over_ridges),
        cmocka_unit_test(corners_hold_in_the_plane),
        cmocka_unit_test(points_stop_at_the_web_of_a_tee),
        cmocka_unit_test(points_stay_out_of_a_cross),
        cmocka_unit_test(depths_are_those_of_the_body),
        cmocka_unit_test(discs_roll_over_ridges),
        cmocka_unit_test(vertices_on_a_straight_side_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
