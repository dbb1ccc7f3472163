/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The axes of a model: each value of each axis is a table of functions, in a file of its own with a
 * line in axis_list.h. Code that depends on an axis asks the class of the model's value, never
 * which value it is.
 */
#ifndef SS_MODEL_AXES_H
#define SS_MODEL_AXES_H

#include "model/data.h"

/* A value of the inertia axis. */
typedef struct ss_inertia_class {
    const char *name;
    /* Fill d->matrix and d->v_free; in rounds after the first, from the round before. */
    ss_status (*assemble)(const ss_model *m, ss_data *d, double h);
    /* d->v_next is what the impulses make of the bodies: the last word on it. NULL: none. */
    ss_status (*velocities)(const ss_model *m, ss_data *d, double h);
    /* After the last round: of several motions, the one to take. NULL: a matrix leaves no choice.
     */
    ss_status (*choose)(const ss_model *m, ss_data *d, double h, bool *changed);
    /* How fast any point of a moving body may become in the step, if nothing hits it. */
    double (*speed_bound)(const ss_model *m, const ss_data *d, int32_t body, double h);
    bool momentum; /* velocities last from step to step: impacts, gaps of second order           */
    bool medium;   /* how fast a load alone moves a body is known: v_free                        */
    bool balanced; /* there is no matrix: what is certified is the balance of forces (balance.c) */
} ss_inertia_class;

/*
 * A value of the cone axis: from a cone problem of an island (as it is, or with its equality rows
 * eliminated) to what is solved, and back. SS_ERR_SCRATCH: no room.
 */
typedef struct ss_cone_class {
    const char     *name;
    bool            flat;   /* the set of friction forces is m->polygon; otherwise it is round */
    bool            around; /* the polygon is drawn around the circle, with two sides a direction */
    ss_problem_type poses;  /* what the solver is given                                        */
    /* Fill `out`, and in x the guess that belongs to the reactions r of the cone problem. */
    ss_status (*reduce)(const ss_model *m, ss_data *d, const ss_island *isl, const ss_cone *cone,
                        const double *r, ss_problem *out, ss_solution *x);
    /* Variables z of the reduced problem from reactions r; local form. */
    ss_status (*forth)(const ss_model *m, ss_data *d, const ss_cone *cone, const double *r,
                       double *z);
    /* Reactions from the variables of the reduced problem. */
    void (*back)(const ss_model *m, const ss_cone *cone, const double *z, double *r);
    /* What of the scene it cannot be combined with, and what would work; NULL: it can. */
    const char *(*refuses)(const ss_scene *scene);
} ss_cone_class;

/* A value of the gap axis. */
typedef struct ss_gap_class {
    const char *name;
    /* What a step sees of the gap of a contact: it moves no further along the normal. */
    double (*seen)(double gap);
    /* The value that a step falls back on when it has no solution; NULL: none. */
    const struct ss_gap_class *without;
    bool kept; /* overlaps count too, so they can be corrected in position instead */
} ss_gap_class;

/* A value of the corners axis. */
typedef struct ss_corners_class {
    const char *name;
    bool        together; /* every face in reach holds, extended: free space is made convex      */
    bool        posed;    /* all branches are in the problem, which itself decides               */
    /* What of the scene it cannot be combined with, and what would work; NULL: it can. */
    const char *(*refuses)(const ss_scene *scene);
} ss_corners_class;

/* A value of the joints axis. */
typedef struct ss_joints_class {
    const char *name;
    /* The bias of a held row whose opening is phi and opens at `rate`. */
    double (*bias)(double phi, double rate, double h);
    bool by_rate; /* `bias` looks at the rate */
    /* Bodies of the trial state moved onto the joints; NULL: they stay where they are. */
    ss_status (*close)(const ss_model *m, ss_data *d, double h);
} ss_joints_class;

/* A value of the integrator axis. */
typedef struct ss_integrator_class {
    const char *name;
    bool second; /* smooth motion is of second order: rounds in the middle of the step      */
    /* After the last round: joints closed in position, apart from momentum. NULL: their rows did.
     */
    ss_status (*close)(const ss_model *m, ss_data *d);
    /* And again, positions alone, where overlaps were moved apart; NULL if `close` is. */
    ss_status (*close_again)(const ss_model *m, ss_data *d);
    /* What of the scene it cannot be combined with, and what would work; NULL: it can. */
    const char *(*refuses)(const ss_scene *scene);
} ss_integrator_class;

/* A value of the geometry axis (implicit/). */
typedef struct ss_geometry_class {
    const char *name;
    bool        at_end; /* rounds take it from the trial state until that is where the step ends */
    /* What of the scene it cannot be combined with, and what would work; NULL: it can. */
    const char *(*refuses)(const ss_scene *scene);
} ss_geometry_class;

/* A value of the contact axis (compliant/). */
typedef struct ss_contact_class {
    const char *name;
    bool        gives; /* the compliance of materials counts */
    /* Contacts -> more of them, over the patches that they outline, for a step h. NULL: they stay
       as they are. */
    ss_status (*refine)(const ss_model *m, ss_data *d, double h);
    /* What of the scene it cannot be combined with, and what would work; NULL: it can. */
    const char *(*refuses)(const ss_scene *scene);
} ss_contact_class;

/* A value of the level axis (sim/, hybrid/). */
typedef struct ss_level_class {
    const char *name;
    bool        instants; /* forces at instants: what is defined by steps alone has no law there */
    /* Takes the state over h by itself; on failure the state is what it was. NULL: the stages of
       one step do (sim/step.c). */
    ss_status (*step)(const ss_model *m, ss_data *d, double h);
    /* What it keeps in d->hybrid; NULL: nothing. */
    ss_status (*open)(const ss_model *m, ss_data *d);
    void (*close)(ss_data *d);
    /* What of the scene it cannot be combined with, and what would work; NULL: it can. */
    const char *(*refuses)(const ss_scene *scene);
} ss_level_class;

#define SS_INERTIA(name, ...)      extern const ss_inertia_class ss_inertia_##name;
#define SS_CONE_AXIS(name, ...)    extern const ss_cone_class ss_cone_##name;
#define SS_GAP(name, ...)          extern const ss_gap_class ss_gap_##name;
#define SS_CORNERS(name, ...)      extern const ss_corners_class ss_corners_##name;
#define SS_JOINTS(name, ...)       extern const ss_joints_class ss_joints_##name;
#define SS_INTEGRATOR(name, ...)   extern const ss_integrator_class ss_integrator_##name;
#define SS_CONTACT_AXIS(name, ...) extern const ss_contact_class ss_contact_##name;
#define SS_GEOMETRY(name, ...)     extern const ss_geometry_class ss_geometry_##name;
#define SS_LEVEL_AXIS(name, ...)   extern const ss_level_class ss_level_##name;
#include "model/axis_list.h"

/* The classes of all values, by their enums (scene.h). */
extern const ss_inertia_class *const    ss_inertia_axis[];
extern const ss_cone_class *const       ss_cone_axis[];
extern const ss_gap_class *const        ss_gap_axis[];
extern const ss_corners_class *const    ss_corners_axis[];
extern const ss_joints_class *const     ss_joints_axis[];
extern const ss_integrator_class *const ss_integrator_axis[];
extern const ss_geometry_class *const   ss_geometry_axis[];
extern const ss_contact_class *const    ss_contact_axis[];
extern const ss_level_class *const      ss_level_axis[];

/* The classes of the values that a model has of the axes on which plug-ins may have their own; of
   those, in memory of its own (model/axis_plugins.c). SS_ERR_MEMORY: there is none. */
ss_status ss_take_axes(ss_model *m);

/* The integrator that a scene names; NULL: it leaves the choice to the compiler. */
static inline const ss_integrator_class *ss_integrator_named(const ss_axes *axes)
{
    return ss_integrator_axis[axes->integrator];
}

/* The integrator of a scene: the one that it names; else midpoint, unless the other axes want
   euler. A level that steps by itself starts the model of a step as midpoint does. */
ss_integrator_kind ss_integrator_chosen(const ss_scene *scene);

/* The model's own. */
static inline const ss_inertia_class *ss_inertia_of(const ss_model *m)
{
    return ss_inertia_axis[m->simulation.axes.inertia];
}

static inline const ss_cone_class *ss_cone_of(const ss_model *m)
{
    return ss_cone_axis[m->simulation.axes.cone];
}

static inline const ss_gap_class *ss_gap_of(const ss_model *m)
{
    return m->gap;
}

static inline const ss_corners_class *ss_corners_of(const ss_model *m)
{
    return ss_corners_axis[m->simulation.axes.corners];
}

static inline const ss_joints_class *ss_joints_of(const ss_model *m)
{
    return m->joints_axis;
}

static inline const ss_integrator_class *ss_integrator_of(const ss_model *m)
{
    return ss_integrator_axis[m->simulation.axes.integrator];
}

static inline const ss_geometry_class *ss_geometry_of(const ss_model *m)
{
    return ss_geometry_axis[m->simulation.axes.geometry];
}

static inline const ss_contact_class *ss_contact_of(const ss_model *m)
{
    return ss_contact_axis[m->simulation.axes.contact];
}

static inline const ss_level_class *ss_level_of(const ss_model *m)
{
    return ss_level_axis[m->simulation.axes.level];
}

/* Are joints, springs and dampers taken where the step ends, by rounds of their own
   (implicit/joints_at_end.h)? Those of geometry: implicit are by its rounds. */
static inline bool ss_joints_at_end(const ss_model *m)
{
    return ss_inertia_of(m)->medium && m->joint_count + m->give_rows > 0 &&
           !ss_geometry_of(m)->at_end;
}

#endif
