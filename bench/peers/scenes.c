/* SPDX-License-Identifier: Apache-2.0 */
/* The scenes that every engine runs, as plain descriptions; docs/benchmarks/peers.md lists them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static const double G = 9.81, PI = 3.14159265358979323846;

static bool scene_init(peer_scene *s, double h, double duration, int bodies, int hinges)
{
    memset(s, 0, sizeof *s);
    s->steps            = (int)lround(duration / h);
    s->world.h          = h;
    s->world.dimension  = 3;
    s->world.gravity[2] = -G;
    s->world.bodies     = calloc((size_t)bodies, sizeof *s->world.bodies);
    s->world.hinges     = calloc((size_t)(hinges > 0 ? hinges : 1), sizeof *s->world.hinges);
    return s->world.bodies != NULL && s->world.hinges != NULL;
}

void peer_scene_free(peer_scene *s)
{
    free(s->world.bodies);
    free(s->world.hinges);
    memset(s, 0, sizeof *s);
}

static peer_body *add_body(peer_scene *s, peer_shape shape, double mass)
{
    peer_body *body = &s->world.bodies[s->world.body_count++];
    body->shape     = shape;
    body->mass      = mass;
    return body;
}

static void set3(double *to, double x, double y, double z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static void add_plane(peer_scene *s, double x, double y, double z, double offset)
{
    peer_body *plane = add_body(s, PEER_PLANE, 0);
    set3(plane->size, x, y, z);
    plane->offset = offset;
}

static peer_body *add_sphere(peer_scene *s, double mass, double radius, double x, double y,
                             double z)
{
    peer_body *ball = add_body(s, PEER_SPHERE, mass);
    ball->size[0]   = radius;
    ball->inertia   = 0.4 * mass * radius * radius;
    set3(ball->position, x, y, z);
    return ball;
}

static peer_body *add_box(peer_scene *s, double mass, double a, double b, double c, double z)
{
    peer_body *box = add_body(s, PEER_BOX, mass);
    set3(box->size, a, b, c);
    set3(box->inertia3, mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12,
         mass * (a * a + b * b) / 12);
    set3(box->position, 0, 0, z);
    return box;
}

bool peer_make_sphere(peer_scene *s, double h, double duration, double apart, double angle)
{
    if (!scene_init(s, h, duration, 2, 0)) {
        return false;
    }
    s->world.mu = 0.2;
    add_plane(s, 0, 0, 1, 0);
    set3(add_sphere(s, 1, 1, 0, 0, 1 + apart)->velocity, 2 * cos(angle), 2 * sin(angle), 0);
    return true;
}

bool peer_make_rolling(peer_scene *s, double h, double duration, double apart)
{
    if (!scene_init(s, h, duration, 2, 0)) {
        return false;
    }
    s->world.mu = 0.4;
    add_plane(s, 0, 0, 1, 0);
    peer_body *ball = add_sphere(s, 1, 1, 0, 0, 1 + apart);
    set3(ball->velocity, 3, 0, 0);
    set3(ball->spin, 0, 3, 0);
    return true;
}

bool peer_make_slope(peer_scene *s, double h, double duration, double apart, double tilt)
{
    if (!scene_init(s, h, duration, 2, 0)) {
        return false;
    }
    s->world.mu = 0.5;
    set3(s->world.gravity, G * sin(tilt), 0, -G * cos(tilt));
    add_plane(s, 0, 0, 1, 0);
    add_box(s, 1, 1, 1, 0.2, 0.1 + apart);
    return true;
}

bool peer_make_two_spheres(peer_scene *s, double h, double duration, double apart)
{
    if (!scene_init(s, h, duration, 3, 0)) {
        return false;
    }
    s->world.mu = 0.2;
    set3(s->world.gravity, 1, 2.6, -9.81);
    add_sphere(s, 0, 10, 0, 0, 0);
    /* The centre is 11 from one fixed centre and 10 from the other, plus what lies between. */
    double d = 11.4, r1 = 11 + apart, r2 = 10 + apart;
    double y = (d * d + r1 * r1 - r2 * r2) / (2 * d);
    add_sphere(s, 1, 1, 0, y, sqrt(r1 * r1 - y * y));
    add_sphere(s, 0, 9, 0, d, 0);
    return true;
}

bool peer_make_stack(peer_scene *s, double h, double duration, double apart, int count,
                     double top_mass)
{
    if (!scene_init(s, h, duration, count + 1, 0)) {
        return false;
    }
    s->world.mu = 0.5;
    add_plane(s, 0, 0, 1, 0);
    for (int i = 0; i < count; i++) {
        add_box(s, i == count - 1 ? top_mass : 1, 1, 1, 1, 0.5 + i + apart * (i + 1));
    }
    return true;
}

bool peer_make_rods(peer_scene *s, double h, double duration, int count, double length,
                    double angle)
{
    if (!scene_init(s, h, duration, count, count)) {
        return false;
    }
    double dx = length * sin(angle), dz = -length * cos(angle);
    for (int i = 0; i < count; i++) {
        peer_body *rod = add_body(s, PEER_NO_SHAPE, 1);
        rod->inertia   = length * length / 12;
        set3(rod->position, (i + 0.5) * dx, 0, (i + 0.5) * dz);
        peer_hinge *hinge = &s->world.hinges[s->world.hinge_count++];
        hinge->a          = i - 1;
        hinge->b          = i;
        set3(hinge->anchor, i * dx, 0, i * dz);
    }
    return true;
}

double peer_pour_half_width(int per_side)
{
    return 0.11 * per_side + 0.01;
}

/* Uniform in -1 .. 1: a linear congruence (Knuth's MMIX constants), the same on every machine. */
static double jitter(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void add_tray(peer_scene *s, double wall)
{
    add_plane(s, 0, 0, 1, 0);
    add_plane(s, 1, 0, 0, -wall);
    add_plane(s, -1, 0, 0, -wall);
    add_plane(s, 0, 1, 0, -wall);
    add_plane(s, 0, -1, 0, -wall);
}

bool peer_make_pour(peer_scene *s, double h, double duration, int count, int per_side)
{
    if (!scene_init(s, h, duration, count + 5, 0)) {
        return false;
    }
    double   wall = peer_pour_half_width(per_side);
    uint64_t seed = 1;
    s->world.mu   = 0.5;
    s->world.many = true;
    add_tray(s, wall);
    for (int i = 0; i < count; i++) {
        int    layer = i / (per_side * per_side), cell = i % (per_side * per_side);
        double x = 0.22 * (cell % per_side - 0.5 * (per_side - 1)) + 0.005 * jitter(&seed);
        double y = 0.22 * (cell / per_side - 0.5 * (per_side - 1)) + 0.005 * jitter(&seed);
        add_sphere(s, 1, 0.1, x, y, 0.3 + 0.22 * layer);
    }
    return true;
}

bool peer_make_boxes(peer_scene *s, double h, double duration, int count, int per_side)
{
    static const double edges[3][3] = {{0.16, 0.16, 0.16}, {0.2, 0.14, 0.1}, {0.12, 0.18, 0.14}};
    uint64_t            seed        = 1;
    if (!scene_init(s, h, duration, count + 5, 0)) {
        return false;
    }
    s->world.mu   = 0.5;
    s->world.many = true;
    add_tray(s, peer_pour_half_width(per_side));
    for (int i = 0; i < count; i++) {
        int           layer = i / (per_side * per_side), cell = i % (per_side * per_side);
        const double *e   = edges[i % 3];
        double        x   = 0.22 * (cell % per_side - 0.5 * (per_side - 1)) + 0.005 * jitter(&seed);
        double        y   = 0.22 * (cell / per_side - 0.5 * (per_side - 1)) + 0.005 * jitter(&seed);
        peer_body    *box = add_box(s, 1, e[0], e[1], e[2], 0.3 + 0.22 * layer);
        box->position[0]  = x;
        box->position[1]  = y;
        set3(box->spin, jitter(&seed), jitter(&seed), jitter(&seed));
    }
    return true;
}

bool peer_make_wall(peer_scene *s, double h, double duration)
{
    enum { COURSE = 20, COURSES = 10 };
    if (!scene_init(s, h, duration, COURSE * COURSES + 1, 0)) {
        return false;
    }
    s->world.mu   = 0.6;
    s->world.many = true;
    add_plane(s, 0, 0, 1, 0);
    for (int i = 0; i < COURSE * COURSES; i++) {
        int        course  = i / COURSE;
        peer_body *brick   = add_box(s, 2.34, 0.2, 0.1, 0.065, 0.0325 + 0.065 * course);
        brick->position[0] = 0.202 * (i % COURSE) + (course % 2) * 0.101;
    }
    return true;
}

double peer_plate_acceleration(double t)
{
    double omega = 4 * PI;
    return -(4 * cos(omega * t) + 2 * cos(2 * omega * t));
}

bool peer_make_plate(peer_scene *s, double h, double duration, double apart)
{
    if (!scene_init(s, h, duration, 2, 0)) {
        return false;
    }
    s->world.mu = 0.3;
    add_plane(s, 0, 0, 1, 0);
    add_box(s, 1, 1, 1, 0.2, 0.1 + apart);
    return true;
}

bool peer_make_painleve(peer_scene *s, double h, double duration, double apart, double mu)
{
    if (!scene_init(s, h, duration, 2, 0)) {
        return false;
    }
    /* The lower end stands at the origin; the rod leans back by 30 degrees, against the motion. */
    double lean = PI / 6, r = 0.01;
    s->world.mu = mu;
    add_plane(s, 0, 0, 1, 0);
    peer_body *rod = add_sphere(s, 1, r, -sin(lean), 0, r + cos(lean) + apart);
    rod->inertia   = 1.0 / 3;
    set3(rod->shape_at, sin(lean), 0, -cos(lean));
    set3(rod->velocity, 3, 0, 0);
    return true;
}

static bool flat_init(peer_scene *s, double h, double duration)
{
    if (!scene_init(s, h, duration, 2, 0)) {
        return false;
    }
    s->world.dimension = 2;
    set3(s->world.gravity, 0, -G, 0);
    add_plane(s, 0, 1, 0, 0);
    return true;
}

bool peer_make_disc(peer_scene *s, double h, double duration)
{
    if (!flat_init(s, h, duration)) {
        return false;
    }
    s->world.mu     = 0.2;
    peer_body *disc = add_sphere(s, 1, 1, 0, 1, 0);
    disc->inertia   = 0.5;
    set3(disc->velocity, 2, 0, 0);
    return true;
}

bool peer_make_square(peer_scene *s, double h, double duration)
{
    if (!flat_init(s, h, duration)) {
        return false;
    }
    s->world.mu    = 0.5;
    peer_body *box = add_body(s, PEER_BOX, 1);
    set3(box->size, 1, 0.2, 0);
    set3(box->position, 0, 0.1, 0);
    box->inertia = (1 + 0.04) / 12;
    return true;
}
