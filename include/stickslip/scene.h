/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scene is what a person describes: bodies, materials, forces and how to simulate them. It can be
 * edited; ss_model_compile() (sim.h) turns it into a constant model. Scene files (scene_file.h) are
 * read through the same calls. Every pointer in a definition is copied.
 */
#ifndef STICKSLIP_SCENE_H
#define STICKSLIP_SCENE_H

#include <stdbool.h>

#include "stickslip/base.h"
#include "stickslip/math3.h"
#include "stickslip/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_scene ss_scene;

/* Public handles are one-field structs by value; zero is null. */
typedef struct ss_body_id {
    int32_t index1; /* index + 1 */
} ss_body_id;

typedef enum ss_body_type {
    SS_BODY_STATIC,
    SS_BODY_KINEMATIC,
    SS_BODY_DYNAMIC,
    SS_BODY_PARTICLE
} ss_body_type;

/* A number, or an expression of time (and of the scene's params) in Lua syntax. */
typedef struct ss_value {
    double      number;
    const char *expression; /* NULL: the number counts */
} ss_value;

/* A function of time given in C: fills `count` values. Nonzero stops the step. */
typedef int (*ss_time_fn)(void *user, double t, double *values, int32_t count);

typedef enum ss_motion_axes { SS_MOTION_WORLD, SS_MOTION_BODY } ss_motion_axes;

/*
 * Turning about two axes in turn adds up to a turn about the third (coning): kept, as the angular
 * velocity says, or removed, so that the orientation is periodic.
 */
typedef enum ss_coning { SS_CONING_KEEP, SS_CONING_REMOVE } ss_coning;

/*
 * How a kinematic body moves. Unset entries keep their starting value. Its place is given by
 * position or integrated from velocity or acceleration, its orientation by angle, quat_wxyz or
 * euler or integrated from angular_velocity or angular_acceleration. Without a period integrals
 * begin with the body's starting state; with one they have zero mean: the body swings about its
 * starting pose (docs/theory/prescribed-motion.md).
 */
typedef struct ss_motion_def {
    ss_value       position[3];
    bool           position_set[3];
    ss_value       angle; /* 2D, or rotation about z in 3D when quat is not set */
    bool           angle_set;
    ss_value       quat_wxyz[4]; /* 3D; made unit                                      */
    bool           quat_set;
    ss_value       euler[3]; /* 3D: about the fixed axes x, y, z in this order         */
    bool           euler_set;
    ss_value       velocity[3], acceleration[3]; /* world axes                         */
    bool           velocity_set, acceleration_set;
    ss_value       angular_velocity[3], angular_acceleration[3]; /* 2D: z              */
    bool           angular_velocity_set, angular_acceleration_set;
    ss_motion_axes axes;   /* of what is angular                                  */
    double         period; /* s; 0: none                                          */
    ss_coning      coning;
    /* Instead of all that: x, y, z, then angle (2D) or quaternion w, x, y, z (3D). */
    ss_time_fn fn;
    void      *fn_user;
} ss_motion_def;

/* A setting of what a plug-in brings (stickslip/plugin.h): its name and value, both as text. */
typedef struct ss_setting {
    const char *name, *value;
} ss_setting;

/*
 * Friction that varies with place: a factor of the coefficient, as a formula of x, y (and z), or as
 * values at the points of a grid, bilinear between them and constant beyond. In the frame of the
 * body whose material it is (of a pair: of the body with the first of its two materials; of a
 * support: of the surface), at the touching point. Neither formula nor values: none.
 */
typedef enum ss_friction_frame { SS_FRICTION_BODY, SS_FRICTION_WORLD } ss_friction_frame;
typedef enum ss_friction_axes { SS_FRICTION_XY, SS_FRICTION_XZ, SS_FRICTION_YZ } ss_friction_axes;
typedef struct ss_friction_place_def {
    const char       *formula;
    const double     *values; /* (ny x nx), >= 0                                     */
    const double     *x, *y;  /* (nx), (ny) increasing; ny 0: it is the same along y */
    int32_t           nx, ny;
    ss_friction_axes  axes;  /* which coordinates x and y are                        */
    ss_friction_frame frame; /* of maps                                              */
} ss_friction_place_def;

/*
 * A planar body that lies on a surface: points with known normal forces and friction (2.5D).
 * Three points get their forces from equilibrium; more need normal_forces. Points with `torsion`
 * are patches, each with an ellipsoid of friction forces and moments: one of them carries all.
 */
typedef struct ss_support_def {
    const ss_vec3 *points; /* (point_count) in the body frame; z ignored             */
    int32_t        point_count;
    const double  *friction; /* (friction_count) one for all, or one per point       */
    int32_t        friction_count;
    double         friction_across; /* with one friction: that along the second axis of an ellipse,
                                       `friction` being along the first; 0: it is a circle   */
    double        friction_angle;   /* of the first axis, from x of the surface (of `on`)    */
    bool          friction_turns;   /* the axes are those of the body, and turn with it      */
    const double *torsion;          /* (torsion_count) metres, one for all or one per point: the
                                       largest moment of a point over its largest force      */
    int32_t               torsion_count; /* 0: points resist no turning                      */
    ss_friction_place_def place;         /* times this, at each point                             */
    const double         *normal_forces; /* (point_count) newtons; NULL: from equilibrium    */
    double                gravity;       /* m/s^2, across the plane                          */
    double                load;          /* newtons pressing down at load_point as well      */
    ss_vec3               load_point;    /* in the body frame                                */
    const char           *on;            /* the body whose surface it lies on, static with a
                                            surface_velocity or kinematic; NULL: nothing moves */
    ss_value lift[3]; /* that surface's acceleration across the plane, m/s^2, at the
                         origin of `on`, and its angular accelerations about x and y */
    bool   lift_set;
    double inertia_across[2]; /* of the body about its x and y; 0: half of its inertia */
    double push_height;       /* m above the surface, where contacts push the body: they shift its
                                 weight from point to point                            */
    double mass_height;       /* .. and that of its centre of mass, where all else acts */
} ss_support_def;

typedef struct ss_body_def {
    const char           *name; /* unique, required                                      */
    ss_body_type          type;
    const ss_shape_def   *shape;    /* NULL: no contact                                      */
    const char           *material; /* NULL: "default"                                       */
    double                mass;     /* 0: from density (or the default density) and shape    */
    double                density;  /* 0: 1000 kg/m^3 (2D: kg/m^2)                           */
    bool                  inertia_set;
    ss_mat3               inertia; /* about the centre of mass, body axes; 2D: zz           */
    bool                  com_set;
    ss_vec3               com; /* centre of mass in the body frame; else from the shape */
    ss_vec3               position;
    ss_quat               orientation; /* all zero means the identity                         */
    double                angle;       /* 2D                                                  */
    ss_vec3               velocity;    /* of the body frame's origin                          */
    ss_vec3               angular_velocity;   /* world axes; 2D: z                              */
    ss_vec3               surface_velocity;   /* of a belt, in the world                        */
    ss_vec3               friction_direction; /* first friction direction at its contacts     */
    ss_motion_def         motion;          /* kinematic bodies                                    */
    int32_t               group;           /* bodies of the same group != 0 do not collide        */
    bool                  no_collide;      /* collide: false                                      */
    const char           *where;           /* "file:line:column" for messages, or NULL            */
    const ss_support_def *support;         /* NULL: none; 2D only                                */
    double                damping_linear;  /* N s/m: resists motion through the medium           */
    double                damping_angular; /* N m s                                              */
    const double
        *damping_matrix;        /* instead: symmetric, positive semidefinite, in body axes at the
                                   centre of mass, a row per velocity coordinate (2D: x, y, angle;
                                   3D: x, y, z and turns about them; particles: x, y, z); or NULL */
    int32_t     damping_size;   /* its rows                                                    */
    const char *kind;           /* of a plug-in, instead of `type`; or NULL                   */
    const ss_setting *settings; /* (setting_count) of that kind                           */
    int32_t           setting_count;
} ss_body_def;

SS_API ss_body_def ss_body_def_default(void);

/* What restitution is a ratio of: speeds (Newton) or impulses of the two phases (Poisson). */
typedef enum ss_impact_kind {
    SS_IMPACT_ANY, /* a material: what the other says, else Newton; a pair: combine as usual */
    SS_IMPACT_NEWTON,
    SS_IMPACT_POISSON /* wins where two materials disagree; with inertia: dynamic only */
} ss_impact_kind;

/*
 * How a surface gives (contact: compliant): force K x + C dx/dt by the deflection x along normal, t
 * and o, down to a rigid core. Matrices row by row; symmetric, K positive definite over the
 * directions of the scene, C positive semidefinite. All of K zero: it does not give. Two surfaces
 * that give are in series. 2D: the rows and columns of o do not count.
 */
typedef struct ss_compliance_def {
    double stiffness[9];   /* N/m; with an exponent, the normal one N/m^exponent             */
    double damping[9];     /* N s/m                                                          */
    double max_deflection; /* m, along the normal, from where it is rigid; 0: no such core   */
    double exponent;       /* of the normal force, k x^exponent (Hertz: 1.5); 0: 1           */
    double springs; /* contact: patch: along a side of a patch, 1 to 16; 0: 4; of two surfaces
                       the larger number counts                                              */
    double spread; /* contact: patch: m, how far a pressed spring pulls its neighbours down; 0: each
                      gives by itself; of two surfaces that give both have the same         */
} ss_compliance_def;

/*
 * Friction of what slides, where it is less than that of what sticks: mu(v) = kinetic + (static -
 * kinetic) exp(-(v/stribeck)^2) at the slip v; stribeck 0: kinetic as soon as it slides
 * (docs/theory/friction.md).
 */
typedef struct ss_sliding_def {
    bool   set;      /* false: one coefficient for both  */
    double kinetic;  /* 0 .. the static one              */
    double stribeck; /* m/s                              */
} ss_sliding_def;

typedef struct ss_material_def {
    const char           *name;
    double                friction;    /* Coulomb's coefficient >= 0, of what sticks */
    ss_sliding_def        sliding;     /* .. and of what slides                      */
    ss_friction_place_def place;       /* times this, where it touches              */
    double                restitution; /* 0 .. 1                                    */
    ss_impact_kind        impact;
    /* Semi-axes of the friction ellipsoid over mu p_n: t, o (1 without unit), torsion and rolling
       (metres; 0: no such friction). All zero means 1, 1, 0, 0. 2D: the first alone. */
    double            ellipsoid[4];
    ss_compliance_def compliance; /* of the surface; all zero: rigid */
} ss_material_def;

/* Overrides what two materials give together. */
typedef struct ss_pair_def {
    const char           *between[2];
    double                friction;    /* < 0: combine as usual (geometric mean) */
    ss_sliding_def        sliding;     /* with friction >= 0                     */
    ss_friction_place_def place;       /* likewise                               */
    double                restitution; /* < 0: combine as usual (maximum)        */
    ss_impact_kind        impact;
    ss_vec3               friction_direction; /* zero: none                      */
    double                ellipsoid[4];       /* all zero: combine as usual      */
    ss_compliance_def     compliance; /* of the pair; all zero: combine as usual (in series) */
} ss_pair_def;

struct ss_model;
struct ss_data;

/*
 * A controller in C: fills `count` values (force and torque on a body, world axes, at the centre of
 * mass; 2D: fx, fy, torque; on a joint: one force or torque along its coordinate) from the state at
 * the start of the step. Nonzero stops the step. It must not remember anything between calls, or a
 * restored run will differ.
 */
typedef int (*ss_control_fn)(void *user, const struct ss_model *m, const struct ss_data *d,
                             double t, double *values, int32_t count);

/*
 * What acts on bodies besides gravity, contacts and joints:
 *   constant    `force` and `torque` on `body`; entries may be expressions of t
 *   spring      between `bodies` at `anchors`: stiffness, rest_length, damping
 *   damper      the same without stiffness
 *   controller  a function of time and state, on `body` or along the coordinate of `joint`
 */
enum { SS_CONTROLLER_MEMORY = 16 }; /* numbers that a controller may keep */

typedef struct ss_force_def {
    const char   *name;
    const char   *type;
    const char   *body;
    ss_value      force[3];   /* world axes                                             */
    ss_value      torque[3];  /* 2D: only [2]                                           */
    ss_vec3       point;      /* of application, in the body frame                      */
    bool          point_set;  /* otherwise at the centre of mass                        */
    const char   *bodies[2];  /* spring, damper; "world" is allowed for one of them     */
    ss_vec3       anchors[2]; /* in the body frames; of the world: in the world         */
    double        stiffness, damping;
    double        rest_length;
    bool          rest_set; /* otherwise the length at the start                       */
    bool          axial;    /* the damper acts along the line only, not in all directions */
    const char   *joint;    /* controller: the joint it drives                         */
    const char   *function; /* controller: "function(t, s) return ... end" in Lua      */
    ss_control_fn control;  /* controller: in C instead                               */
    void         *control_user;
    /* Numbers that a controller in Lua keeps from step to step, and their start: the fields of the
     * third argument of its function. They belong to the state: saved, restored, hashed. */
    const char       *memory_names[SS_CONTROLLER_MEMORY];
    double            memory[SS_CONTROLLER_MEMORY];
    int32_t           memory_count;
    const char       *where;    /* "file:line:column" for messages, or NULL                 */
    const ss_setting *settings; /* (setting_count) of a type that a plug-in brings      */
    int32_t           setting_count;
} ss_force_def;

/* What drives a coordinate of a joint. */
typedef enum ss_motor_kind { SS_MOTOR_NONE, SS_MOTOR_VELOCITY, SS_MOTOR_POSITION } ss_motor_kind;

/* What acts along one coordinate of a joint (docs/theory/joints.md lists them for each type). */
typedef struct ss_joint_coordinate_def {
    double        friction; /* largest dry friction force (slide) or torque (turn), >= 0      */
    bool          limited;
    double        lower, upper; /* m or rad, measured from the start; distance: the length     */
    ss_motor_kind motor;
    ss_value      target;    /* velocity or position of the motor, may be an expression of t */
    double        motor_max; /* its largest force or torque; 0: unlimited                    */
    double        stiffness, damping; /* of a spring along the coordinate                     */
    double        rest;     /* where the spring is at rest, m or rad from the start            */
    bool          rest_set; /* otherwise at the start; distance: at its starting length        */
} ss_joint_coordinate_def;

enum { SS_JOINT_COORDINATES = 3 };

typedef struct ss_joint_def {
    const char *name;         /* unique, required                                               */
    const char *type;         /* "revolute", "prismatic", ...                                   */
    const char *bodies[2];    /* a and b; "world" is allowed for one of them                    */
    ss_vec3     anchor;       /* in the world, at the start; distance: the end on a             */
    bool        anchor_set;   /* otherwise the origin of b (of a, when b is the world)       */
    ss_vec3     anchor_b;     /* distance: the end on b                                      */
    bool        anchor_b_set; /* otherwise the origin of b                                   */
    ss_vec3     axis;  /* in the world, at the start; zero: z (2D prismatic: x)              */
    ss_vec3     axis2; /* universal: of b, perpendicular to the first; zero: any           */
    /* Load-dependent friction: the bound grows by coefficient x reaction force (x radius for
       torques). */
    double                  friction_coefficient;
    double                  friction_radius; /* of the bearing; 0: 1 m                       */
    bool                    collide;         /* the two bodies may touch                     */
    ss_joint_coordinate_def coordinate[SS_JOINT_COORDINATES];
    const char             *where; /* "file:line:column" for messages, or NULL               */
    /* Couplings: the second joint's coordinate is ratio times that of the first. `bodies` is not
       looked at. */
    const char *joints[2];
    double      ratio;
} ss_joint_def;

/* The model: one word per axis (docs/theory/models.md). */
typedef enum ss_cone_kind { SS_CONE_QUADRATIC, SS_CONE_POLYGON, SS_CONE_BOX } ss_cone_kind;
typedef enum ss_corners_kind {
    SS_CORNERS_EXACT,
    SS_CORNERS_CONVEX,
    SS_CORNERS_COMPLEMENTARITY
} ss_corners_kind;
typedef enum ss_gap_kind { SS_GAP_POSITION, SS_GAP_VELOCITY } ss_gap_kind;
typedef enum ss_joints_kind {
    SS_JOINTS_STABILISED,
    SS_JOINTS_PROJECTED,
    SS_JOINTS_BAUMGARTE
} ss_joints_kind;
/* Where gaps, normals and wrenches are taken. */
typedef enum ss_geometry_kind { SS_GEOMETRY_EXPLICIT, SS_GEOMETRY_IMPLICIT } ss_geometry_kind;
/* What happens at a contact besides friction. */
typedef enum ss_contact_kind {
    SS_CONTACT_RIGID,
    SS_CONTACT_COMPLIANT,
    SS_CONTACT_PATCH
} ss_contact_kind;
/* How a step takes positions and velocities forward in time; 0: the default for the inertia. */
typedef enum ss_integrator_kind {
    SS_INTEGRATOR_DEFAULT,
    SS_INTEGRATOR_MIDPOINT,
    SS_INTEGRATOR_EULER
} ss_integrator_kind;
/* What is asked of an instant: impulses over a step, or forces and accelerations. */
typedef enum ss_level_kind { SS_LEVEL_IMPULSE, SS_LEVEL_ACCELERATION } ss_level_kind;
typedef enum ss_inertia_kind {
    SS_INERTIA_DYNAMIC,
    SS_INERTIA_QUASISTATIC,
    SS_INERTIA_DAMPED
} ss_inertia_kind;

typedef struct ss_axes {
    ss_inertia_kind    inertia;
    ss_cone_kind       cone;
    int32_t            cone_directions; /* of the polygon, >= 3; of the box, >= 2 */
    ss_gap_kind        gap;
    ss_joints_kind     joints;
    ss_corners_kind    corners;
    ss_integrator_kind integrator;
    ss_geometry_kind   geometry;
    ss_contact_kind    contact;
    ss_level_kind      level;
    /* Values of plug-ins (stickslip/plugin.h), which then count instead; NULL: none. */
    const struct ss_axis_kind *own_gap, *own_joints;
} ss_axes;

/* What follows when a step fails a certificate even when it is cut; RETRY is another word for STOP.
 */
typedef enum ss_on_failure { SS_FAILURE_STOP, SS_FAILURE_RETRY, SS_FAILURE_MARK } ss_on_failure;

/* Do steps end where something touches for the first time? */
typedef enum ss_advance { SS_ADVANCE_FIXED, SS_ADVANCE_EVENT } ss_advance;
/*
 * How exactly the problem of a step is solved. Exact: to the tolerance. Motion: until every contact
 * obeys its law after a change of its velocity by at most a part of what forces change in the step
 * (the motion error c, docs/theory/residuals.md). Auto: exact for islands that are solved so at
 * little cost, motion for larger ones; reports say which it was.
 */
typedef enum ss_accuracy { SS_ACCURACY_AUTO, SS_ACCURACY_EXACT, SS_ACCURACY_MOTION } ss_accuracy;

typedef struct ss_simulation_def {
    double      step;     /* h, seconds                                             */
    double      duration; /* seconds                                                */
    double      start;    /* t at the start, seconds                                */
    ss_axes     axes;
    const char *solver;    /* NULL: "auto"                                           */
    double      tolerance; /* of the certificate: largest residual of a step; 0: 1e-9     */
    double      target;    /* residual that the solver aims at; 0: a thousandth of that   */
    ss_accuracy accuracy;
    double      motion;    /* auto, motion: largest motion error that is enough; 0: 1e-2       */
    double      error;     /* largest error of positions over a run, metres: steps (at most `step`
                              long) are chosen for it; 0: steps of `step`. Runs only (ss_run)      */
    ss_advance    advance; /* event: a step is taken in parts that end at impacts            */
    ss_on_failure on_failure;
    int32_t       max_splits;    /* how often a step that fails a certificate is halved       */
    double        settle;        /* start from rest: at most this many seconds are spent on it */
    bool          allow_overlap; /* start although bodies overlap                      */
    bool          sleep;      /* islands at rest are left out of steps until something wakes them */
    double        step_limit; /* seconds of computing that a step may take; 0: any       */
    double        work_limit; /* products that solvers may take for a step, all attempts at it
                                 together; 0: by the size of its problems                */
    double      step_budget;  /* seconds after which a step is taken as it is; 0: none  */
    bool        verdicts;     /* judge the state before each step (ss_step_verdict)     */
    double      layers;       /* c^2/k of contacts for verdicts of stability; 0: not known */
    const char *where;        /* "file:line:column" for messages, or NULL           */
} ss_simulation_def;

SS_API ss_simulation_def ss_simulation_def_default(void);

SS_API ss_status ss_scene_create(ss_context *ctx, int dimension, ss_scene **out);
SS_API void      ss_scene_destroy(ss_scene *scene);
SS_API ss_status ss_scene_set_name(ss_scene *scene, const char *name);
SS_API void      ss_scene_set_gravity(ss_scene *scene, ss_vec3 gravity);
SS_API ss_status ss_scene_set_simulation(ss_scene *scene, const ss_simulation_def *def);
SS_API ss_status ss_scene_add_body(ss_scene *scene, const ss_body_def *def, ss_body_id *id);
/* The material "default" exists from the start (friction 0.5); adding it again replaces it. */
SS_API ss_status ss_scene_add_material(ss_scene *scene, const ss_material_def *def);
SS_API ss_status ss_scene_add_pair(ss_scene *scene, const ss_pair_def *def);
SS_API ss_status ss_scene_add_force(ss_scene *scene, const ss_force_def *def);
/* The types that ss_force_def.type may name: built in, then registered with the context. */
SS_API int32_t     ss_force_type_count(const ss_context *ctx);
SS_API const char *ss_force_type_name(const ss_context *ctx, int32_t index);
SS_API ss_status   ss_scene_add_joint(ss_scene *scene, const ss_joint_def *def);
/* The types that ss_joint_def.type may name, and what they do in one line. */
SS_API int32_t     ss_joint_type_count(void);
SS_API const char *ss_joint_type_name(int32_t index);
SS_API const char *ss_joint_type_summary(int32_t index);
/* Names usable in expressions. */
SS_API ss_status ss_scene_set_param(ss_scene *scene, const char *name, double value);

/*
 * A function given by points, which expressions call by its name: "push(t)". The points are copied.
 * Outside of them it keeps its end values, unless it has a period.
 */
typedef enum ss_interpolation {
    SS_INTERPOLATION_CUBIC, /* a spline with two continuous derivatives */
    SS_INTERPOLATION_LINEAR,
    SS_INTERPOLATION_STEP /* each value holds until the next point */
} ss_interpolation;

typedef struct ss_table_def {
    const char      *name;
    const double    *x, *y; /* (count) x increasing                                     */
    int32_t          count; /* at least 2                                               */
    ss_interpolation interpolation;
    double           period; /* > last x - first x: it repeats; 0: it does not          */
} ss_table_def;

SS_API ss_status ss_scene_add_table(ss_scene *scene, const ss_table_def *def);

/*
 * Where the scene came from, for recorders and messages; texts are copied, NULL is allowed. `text`
 * has `length` bytes; `resolved` is the same scene with its expressions evaluated.
 */
SS_API ss_status ss_scene_set_source(ss_scene *scene, const char *path, const char *text,
                                     size_t length, const char *resolved);

/* As they are in the scene: setting others replaces them. */
SS_API const char              *ss_scene_name(const ss_scene *scene);
SS_API const ss_simulation_def *ss_scene_simulation(const ss_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
