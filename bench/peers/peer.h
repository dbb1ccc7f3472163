/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring engines against each other: what a world is, what an engine must be able to do, and
 * what is measured. An engine is one file that defines `peer_engine_here`; it is built into a
 * program of its own (engines bring clashing symbols, and one that aborts must not take the others
 * along) which runs the scenes of scenes.c and prints one CSV line for each measured value.
 *
 * Units are SI; 3D worlds have z up, 2D worlds use x, y and the angle about z.
 */
#ifndef SS_BENCH_PEER_H
#define SS_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_shape { PEER_NO_SHAPE, PEER_PLANE, PEER_SPHERE, PEER_BOX } peer_shape;

typedef struct peer_body {
    peer_shape shape;
    double     size[3]; /* sphere: radius; box: edges; plane: its unit normal out of the solid */
    double     offset;  /* plane: normal.x = offset                                           */
    double     shape_at[3]; /* place of the shape in the body, whose origin is its centre of mass */
    double     mass;        /* 0: the body is fixed                                               */
    double     inertia;     /* the same about every axis, unless set below                        */
    double     inertia3[3]; /* principal values, all zero: use inertia                            */
    double     position[3];
    double     quat_wxyz[4]; /* all zero: not turned */
    double     velocity[3], spin[3];
} peer_body;

/* A hinge about y through a point; body -1 is the world. */
typedef struct peer_hinge {
    int    a, b;
    double anchor[3];
} peer_hinge;

typedef struct peer_world {
    int         dimension;
    double      gravity[3];
    double      mu; /* between any two bodies */
    double      h;
    bool        many; /* a pile: engines may choose other settings of memory, never of accuracy */
    int         body_count, hinge_count;
    peer_body  *bodies;
    peer_hinge *hinges;
} peer_world;

typedef struct peer_state {
    double position[3], quat_wxyz[4];
    double velocity[3], spin[3]; /* of the centre of mass, world axes */
} peer_state;

/*
 * A contact of the last step as the engine saw it: the impulse on body b (its opposite on a; -1:
 * any fixed body) and the relative velocity b - a at the end of the step, in one frame whose first
 * axis is the normal from a to b.
 */
typedef struct peer_contact {
    int    a, b;
    double point[3], normal[3], gap; /* when the engine found it */
    double impulse[3], velocity[3];
} peer_contact;

enum { /* what a setting of an engine can do */
       PEER_CAN_3D        = 1u << 0,
       PEER_CAN_2D        = 1u << 1,
       PEER_CAN_BOXES     = 1u << 2, /* boxes on boxes           */
       PEER_CAN_HINGES    = 1u << 3,
       PEER_CAN_PILES     = 1u << 4, /* up to 4000 bodies        */
       PEER_EXACT         = 1u << 5, /* solves each step exactly: slow, starts piles late */
       PEER_CAN_BOX_PILES = 1u << 6,
       PEER_CAN_ALL_3D =
           PEER_CAN_3D | PEER_CAN_BOXES | PEER_CAN_HINGES | PEER_CAN_PILES | PEER_CAN_BOX_PILES
};

typedef struct peer_setting {
    const char *name;
    unsigned    can;
} peer_setting;

typedef struct peer_engine {
    const char         *name;
    const peer_setting *settings;
    int                 setting_count;
    /* NULL when the engine cannot make this world after all. */
    void *(*create)(const peer_world *w, int setting);
    /* A force at the centre of mass during the next step. */
    void (*push)(void *engine, int body, const double force[3]);
    /* One step of w->h. False: the engine gave up. */
    bool (*step)(void *engine);
    void (*get)(void *engine, int body, peer_state *out);
    /* Certificate of the last step, or NULL for engines that have none. */
    double (*residual)(void *engine);
    void (*destroy)(void *engine);
    /* Contacts of the last step, up to `room`; how many there are, or NULL. */
    int (*contacts)(void *engine, peer_contact *out, int room);
    /* Why create or step failed last, as a metric's name ("unstable"), or NULL: nobody knows. */
    const char *(*trouble)(void);
} peer_engine;

extern const peer_engine peer_engine_here;

/* ---- scenes.c ---------------------------------------------------------------------------------
 */

/* Bodies with a name in a fixed place of the array. */
enum { PEER_FLOOR = 0, PEER_BALL = 1 };

typedef struct peer_scene {
    peer_world world;
    int        steps;
} peer_scene;

/* Every maker takes h and `apart`: the distance at which touching bodies start (0, 1e-9, -1e-9). */
bool peer_make_sphere(peer_scene *s, double h, double duration, double apart, double angle);
bool peer_make_rolling(peer_scene *s, double h, double duration, double apart);
/* A flat box; gravity leans towards +x by `tilt`. */
bool peer_make_slope(peer_scene *s, double h, double duration, double apart, double tilt);
bool peer_make_two_spheres(peer_scene *s, double h, double duration, double apart);
/* count unit cubes of 1 kg, the uppermost of `top_mass`. */
bool peer_make_stack(peer_scene *s, double h, double duration, double apart, int count,
                     double top_mass);
bool peer_make_rods(peer_scene *s, double h, double duration, int count, double length,
                    double angle);
bool peer_make_pour(peer_scene *s, double h, double duration, int count, int per_side);
/* Boxes of three kinds, else as peer_make_pour; and a wall of 200 bricks. */
bool peer_make_boxes(peer_scene *s, double h, double duration, int count, int per_side);
bool peer_make_wall(peer_scene *s, double h, double duration);
bool peer_make_plate(peer_scene *s, double h, double duration, double apart);
bool peer_make_painleve(peer_scene *s, double h, double duration, double apart, double mu);
/* The sphere and the box of the plane, in two dimensions. */
bool peer_make_disc(peer_scene *s, double h, double duration);
bool peer_make_square(peer_scene *s, double h, double duration);
void peer_scene_free(peer_scene *s);

/* Acceleration of the shaken plate's box at time t, seen from the plate. */
double peer_plate_acceleration(double t);
/* Half of the inner width of the box that the spheres are poured into. */
double peer_pour_half_width(int per_side);

/* ---- precision.c ------------------------------------------------------------------------------
 */

/* Fills impulse and velocity of a contact (a, b, point, normal given) from an impulse in world axes
   and the states of the bodies (a fixed one: NULL). */
void peer_contact_frame(peer_contact *c, const double *impulse, const peer_state *a,
                        const peer_state *b);

/* ---- two_spheres.c ----------------------------------------------------------------------------
 */

/* Velocity of the sphere on two spheres in the limit h -> 0, at t = 0, dt, ..., (count - 1) dt. */
bool peer_two_spheres_reference(double dt, int count, double (*velocity)[3]);

#ifdef __cplusplus
}
#endif
#endif
