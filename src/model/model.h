/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled model: constant after ss_model_compile, shared by threads. Bodies are described in
 * their centre-of-mass frame; the scene's body frame differs from it by `com` alone.
 */
#ifndef SS_MODEL_MODEL_H
#define SS_MODEL_MODEL_H

#include "collide/contact.h"
#include "core/pool.h"
#include "expr/expr.h"
#include "geom/geom.h"
#include "model/friction_place.h"
#include "model/rows.h"
#include "model/scene.h"
#include "model/track.h"
#include "problem/reduce.h"
#include "stickslip/sim.h"

/* Where a body is: centre of mass, orientation; in 2D the angle too, which is not wrapped. */
typedef struct ss_pose {
    ss_vec3 p;
    ss_quat q;
    double  angle;
} ss_pose;

/* How it moves: velocity of the centre of mass, angular velocity, world axes. */
typedef struct ss_twist {
    ss_vec3 v, w;
} ss_twist;

/* A force at the centre of mass and a torque, world axes. */
typedef struct ss_wrench {
    ss_vec3 force, torque;
} ss_wrench;

/* An expression, and whose it is: "scene.yaml:4:5: force 'push'". */
typedef struct ss_expression {
    const char *text, *owner;
    bool        timed; /* a number at each time; otherwise a function of the state */
} ss_expression;

/* A value that may depend on time: a number, or an expression of the data's environment. */
typedef struct ss_timed {
    double  number;
    int32_t expr; /* index into model->expressions, -1: the number counts */
} ss_timed;

/* Motion of a kinematic body. */
typedef struct ss_motion {
    ss_timed              position[3];
    ss_timed              angle;
    ss_timed              quat[4];
    ss_timed              euler[3];
    bool                  by_quat;  /* orientation from quat, otherwise from angle (about z)     */
    bool                  by_euler; /* orientation from euler                                    */
    const ss_place_track *place;    /* position from here; NULL: from the above          */
    const ss_turn_track  *turn;     /* orientation from here; NULL: from the above       */
    bool                  uniform;  /* no motion given: the starting velocities stay as they are  */
    ss_time_fn            fn;       /* instead of the expressions                                 */
    void                 *fn_user;
} ss_motion;

typedef struct ss_body {
    const char   *name;
    const char   *where; /* "file:line:column" for messages, or NULL                */
    ss_body_type  type;
    int32_t       v_start; /* first velocity coordinate, -1: it has none             */
    int32_t       dof;     /* velocity coordinates that count: 6, 3, 2 or 0          */
    double        mass, inv_mass;
    ss_mat3       inertia, inv_inertia; /* about the centre of mass, body axes       */
    bool          round;                /* inertia is a multiple of the identity (always in 2D)   */
    ss_vec3       com;                  /* in the scene's body frame                              */
    ss_pose       start_pose;
    ss_twist      start_twist;
    ss_vec3       surface_velocity;
    bool          drifts; /* kinematic, or its surface moves: contacts on it have a drift */
    ss_vec3       friction_direction; /* zero: none */
    ss_motion     motion;
    int32_t       geom_first, geom_count;
    int32_t       group;
    bool          no_collide;
    double        damping_linear, damping_angular;
    const double *damping; /* (dof x dof) E in body axes; NULL: the two numbers say it   */
    double resists_linear, resists_angular; /* inertia: damped: |v| <= |F| / the first, |w| <= |T| /
                                               the second; what coupling adds is left out */
    void  *settings; /* of the kind that a plug-in brought; NULL: it is of the library's    */
    bool   tied;     /* a joint holds it, or a force that depends on where it is acts on it */
    bool   jointed;  /* a joint holds it                                                    */
    bool   alone;    /* nothing acts on it but its weight, drag and contacts                */
    bool   aside;    /* of a model for some bodies (sim/groups.c): it is not one of them     */
    double extent;   /* largest distance of its shape from the centre of mass  */
} ss_body;

/*
 * How a contact gives: p = h (K x + C dx/dt) by the deflection x = (normal, t, o). The normal force
 * of K is f(x) = K_nn x^exponent; of two surfaces in series, from `turn` on one of them is down to
 * its core, and it is stiff2 (x - shift)^exponent.
 */
typedef struct ss_compliance {
    double K[9], C[9];
    double exponent;
    double max_deflection; /* INFINITY: no core */
    double turn, stiff2, shift;
    bool   coupled; /* K or C has entries beside the diagonal */
    int    springs; /* along a side of a patch */
    double spread;  /* length over which springs of a patch pull each other along */
} ss_compliance;

/* What two materials give together. */
typedef struct ss_pair_law {
    double mu, restitution; /* mu: of what sticks, and of what slides where they are the same */
    double kinetic;  /* friction of what slides over that of what sticks; 1: they are one   */
    double stribeck; /* m/s: how fast the one becomes the other (rows/sliding_law.h); 0: a
                        jump                                                                */
    bool    poisson; /* the restitution is of impulses, not of speeds                             */
    double  axes[5]; /* of the friction ellipsoid: t, o, torsion, rolling about t and o         */
    int32_t dim;     /* rows of a contact: 1 (no friction), 2 (2D), 3, 4 (torsion), 6 (rolling) */
    bool    round;   /* the axes of t and o are 1                                               */
    ss_vec3 friction_direction; /* zero: none */
    const ss_compliance *gives; /* NULL: it is rigid */
    /* factors of mu that vary with place, of the surfaces of geom a and b; NULL: none */
    const ss_friction_place *place[2];
    bool                     place_is_pair; /* said of the pair: no mean is taken */
} ss_pair_law;

/* A point at which a planar body lies on a surface, with its normal force on one that is still. */
typedef struct ss_support_point {
    int32_t                  body, ground; /* ground: whose surface it is; -1: nobody's */
    ss_vec3                  point;        /* from the centre of mass, body axes */
    double                   mu, normal_force;
    ss_vec3                  axis;    /* of friction mu, in the axes of the ground */
    double                   across;  /* friction along the other axis over mu; 1: it is a disk */
    bool                     turns;   /* the axis is in the axes of the body instead */
    double                   torsion; /* largest moment over largest force, m; 0: no third row */
    const ss_friction_place *place;   /* times mu, in the frame of the ground; NULL: none */
} ss_support_point;

/* The points of a body whose normal forces change: on a surface that accelerates across the plane,
   or because forces act on the body above it. */
typedef struct ss_support_lift {
    int32_t  body, ground, first, count;
    ss_timed lift[3]; /* across, about x, about y */
    double   gravity;
    double   load; /* and where it presses, from the centre of mass, body axes */
    ss_vec3  load_point;
    double   inertia[2]; /* across the plane, body axes */
    bool     tilts;      /* forces act above the surface: contacts, and all others at the mass */
    double   push_height, mass_height;
    double   reach; /* of the farthest point from the centre of mass */
} ss_support_lift;

struct ss_force_class;

struct ss_force_view;
struct ss_load;

/* A force of the scene; which fields count is told by its class. */
typedef struct ss_force {
    const struct ss_force_class *cls;
    const char                  *name;
    int32_t       body[2];  /* constant, controller: [0]; spring: both, -1: the world */
    ss_vec3       point[2]; /* from the centre of mass, body axes; of the world: in the world */
    ss_timed      force[3], torque[3];
    double        stiffness, damping, rest_length;
    bool          axial;
    int32_t       give_rows; /* rows of what it adds by moving within a step     */
    bool          follows;   /* it changes as the bodies move within a step       */
    int32_t       joint;     /* controller: -1: it acts on the body           */
    int32_t       function;  /* controller: index into model->expressions, -1: control counts */
    ss_control_fn control;
    void         *control_user;
    /* controller: what it keeps from step to step, at `memory_first` of the state's memory */
    const char *memory_names[SS_CONTROLLER_MEMORY];
    double      memory[SS_CONTROLLER_MEMORY]; /* at the start */
    int32_t     memory_first, memory_count;
    struct {
        const char *name;
        int (*load)(const void *settings, const struct ss_force_view *now, struct ss_load *load);
        void *settings;
    } plugin; /* what a plug-in brought (force/force_plugin.c) */
} ss_force;

struct ss_joint_class;

/* What acts along one coordinate of a joint. */
typedef struct ss_joint_coordinate {
    double        friction;
    bool          limited;
    double        lower, upper;
    ss_motor_kind motor;
    ss_timed      target;
    double        motor_max; /* INFINITY: unlimited */
    double        stiffness, damping, rest;
} ss_joint_coordinate;

/* A joint that is coupled with another; NULL: none. */
struct ss_joint;
struct ss_joint_form;
typedef struct ss_coupled {
    const struct ss_joint      *joint;
    const struct ss_joint_form *form;
    int32_t                     index;
} ss_coupled;

/* Two frames, one in each body, that coincide at the start (of a distance joint: its two ends). */
typedef struct ss_joint {
    const struct ss_joint_class *cls;
    const char                  *name;
    const char                  *where; /* "file:line:column: ", or empty                 */
    int32_t                      sides; /* bodies: 2; couplings in which more than two move: 4  */
    int32_t                      body[SS_ROW_SIDES]; /* -1: the world, or none               */
    ss_frame                     at[2];  /* in the centre-of-mass frame; world: in the world */
    double                       length; /* distance: what is kept                         */
    int32_t                      held;   /* equality rows; 0 when limits or springs replace them */
    double                       friction_coefficient, friction_radius;
    bool                         gives; /* it has springs or dampers, and a body that moves    */
    ss_joint_coordinate          coordinate[SS_JOINT_COORDINATES];
    ss_coupled                   coupled[2]; /* couplings: lead and follower */
    double                       ratio;      /* of the follower to the lead   */
} ss_joint;

/* Two bodies that do not collide because they are joined; first < second. */
typedef struct ss_body_pair {
    int32_t first, second;
} ss_body_pair;

/* Which routine collides two geoms; index a * geom_class_count + b, see ss_model.pair_fn. */
typedef struct ss_pair_entry {
    ss_pair_fn fn;
    ss_gap_fn  gap;
    bool       swap;
} ss_pair_entry;

struct ss_model {
    ss_context                   *ctx; /* memory only: never written through after compilation */
    ss_pool                       pool;
    const char                   *name;
    int                           dimension;
    int32_t                       dof; /* velocity coordinates stored per moving body: 6 or 3 */
    ss_vec3                       gravity;
    ss_simulation_def             simulation;
    const struct ss_gap_class    *gap; /* values of these axes, the library's or a plug-in's */
    const struct ss_joints_class *joints_axis;
    ss_polygon                    polygon;        /* of cones with sides                        */
    double                        polygon_inside; /* radius of the largest circle in it         */
    int32_t                       nb, nv, ng;
    uint64_t                      parts;  /* a sum of kinds and names of bodies and joints */
    ss_body                      *bodies; /* (nb) */
    ss_geom                      *geoms;  /* (ng) */
    ss_geom_set                  *shapes; /* (nb) owners of the polyhedra; count 0: no shape      */
    int32_t          *geom_class;         /* (ng) index of the geom's class among those used     */
    int32_t           geom_class_count;
    ss_pair_entry    *pair_fn; /* (geom_class_count^2)                                */
    double            length;  /* size of the scene's smallest moving part (metres)   */
    int32_t           material_count;
    ss_pair_law      *pair_law; /* (material_count^2)                                  */
    ss_support_point *supports; /* (support_count) */
    int32_t           support_count, support_rows;
    ss_support_lift  *lifts; /* (lift_count) supports whose normal forces change */
    int32_t           lift_count;
    ss_force         *forces;
    int32_t           force_count;
    int32_t           memory_count; /* numbers that all controllers keep together */
    ss_joint         *joints;
    int32_t           joint_count;
    int32_t           joint_blocks, joint_rows; /* that the joints make in every step */
    int32_t           give_blocks, give_rows;   /* that springs and dampers make      */
    bool              joint_springs;            /* some joint has a spring or damper  */
    bool              joint_loads;              /* some friction depends on the load  */
    bool              tilts;                    /* some normal forces depend on pushes */
    bool              full_matrices;            /* some bodies have a damping matrix  */
    bool              poisson;                  /* some impacts are by Poisson's law  */
    bool              bounces;                  /* some pair has restitution          */
    bool              placed;                   /* some friction varies with place    */
    bool              two_frictions;            /* some friction is static or kinetic */
    bool              directed;                 /* some friction has a direction      */
    int32_t           bounded;                  /* shapes that end: all but planes    */
    bool              compliant;                /* some contacts give                 */
    bool              controlled;               /* some forces may depend on all bodies */
    bool              driven;                   /* some bodies are kinematic          */
    bool              drives;                   /* .. or have surfaces that move      */
    bool as_printed; /* psi/h and phi/h correct overlaps and joints by momentum, as the papers
                        print it; else they are moved back in position after the step        */
    ss_body_pair    *joined; /* (joined_count) sorted */
    int32_t          joined_count;
    ss_expression   *expressions; /* compiled anew by each data (Lua is not shared)        */
    int32_t          expression_count, expression_capacity;
    ss_param        *params;
    int32_t          param_count;
    const ss_table **tables; /* (table_count) functions that expressions may call */
    int32_t          table_count;
};

/* Can these two bodies collide at all? (types, groups, filters) */
bool ss_model_may_collide(const ss_model *m, int32_t body_a, int32_t body_b);

static inline bool ss_body_moves(const ss_body *b)
{
    return b->v_start >= 0;
}

/* Does drag act on it? */
static inline bool ss_body_drags(const ss_body *b)
{
    return b->damping_linear > 0 || b->damping_angular > 0 || b->damping != NULL;
}

static inline const ss_pair_law *ss_model_law(const ss_model *m, const ss_contact *c)
{
    return &m->pair_law[m->geoms[c->geom_a].material * m->material_count +
                        m->geoms[c->geom_b].material];
}

/*
 * How deep two geoms may be in each other because their surfaces give: down to the core, where
 * there is none half the smaller body, from where the overlap no longer tells who pushes whom.
 */
static inline double ss_model_gives(const ss_model *m, int32_t geom_a, int32_t geom_b)
{
    const ss_geom     *a = &m->geoms[geom_a], *b = &m->geoms[geom_b];
    const ss_pair_law *law = &m->pair_law[a->material * m->material_count + b->material];
    double             x = m->shapes[a->body].size, y = m->shapes[b->body].size;
    if (law->gives == NULL) {
        return 0;
    }
    double size = x > 0 && (x < y || !(y > 0)) ? x : y;
    return law->gives->max_deflection < size / 2 || !(size > 0) ? law->gives->max_deflection
                                                                : size / 2;
}

/* Do they give all the way, with no core beneath? */
static inline bool ss_model_coreless(const ss_model *m, int32_t geom_a, int32_t geom_b)
{
    const ss_pair_law *law =
        &m->pair_law[m->geoms[geom_a].material * m->material_count + m->geoms[geom_b].material];
    return law->gives != NULL && law->gives->max_deflection > ss_model_gives(m, geom_a, geom_b);
}

#endif
