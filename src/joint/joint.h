/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a joint: one file in src/joint, one line in joint_list.h.
 *
 * A joint has a frame A in body a and a frame B in body b, with origins p_a, p_b and axes a_i, b_j
 * (i, j = 0, 1, 2 for x, y, z). It is described by scalars of the two frames, which it holds at
 * zero, lets slip under friction, or offers as coordinates to limits, motors and springs. Each
 * scalar s has
 *
 *   ds/dt = linear_b.v_b - linear_a.v_a + angular_b.w_b - angular_a.w_a
 *
 * with v the velocities of the centres of mass; of all but couplings linear_a = linear_b. Couplings
 * in which more than two bodies move have `more` of the third and fourth: force.v + torque.w. In 3D
 * the joint's axis is z; in 2D joints turn about z and slide along x.
 */
#ifndef SS_JOINT_JOINT_H
#define SS_JOINT_JOINT_H

#include "model/data.h"
#include "model/model.h"

typedef enum ss_scalar_kind {
    SS_SCALAR_POINT,    /* a_i.(p_b - p_a)                                             */
    SS_SCALAR_DOT,      /* a_i.b_j                                                     */
    SS_SCALAR_ANGLE,    /* atan2(a_i.b_j, a_k.b_l): an angle, whole turns apart        */
    SS_SCALAR_SWING,    /* the angle between a_i and b_i, 0 to pi                      */
    SS_SCALAR_TURN,     /* no scalar, only a rate: a_i.(w_b - w_a)                     */
    SS_SCALAR_DISTANCE, /* |p_b - p_a|                                                 */
    SS_SCALAR_OFFSET,   /* |p_b - p_a| - length                                        */
    SS_SCALAR_COUPLED   /* coordinate of one joint - ratio x that of another           */
} ss_scalar_kind;

typedef struct ss_scalar {
    ss_scalar_kind kind;
    int            i, j, k, l;
} ss_scalar;

/* A joint in one dimension (2 or 3). */
typedef struct ss_joint_form {
    int32_t   held; /* scalars that are zero             */
    ss_scalar hold[6];
    int32_t   groups; /* of rows that dry friction couples */
    int32_t   group_dim[SS_JOINT_COORDINATES];
    ss_scalar slip[SS_JOINT_COORDINATES];  /* rates that friction opposes, group by group */
    bool      turns[SS_JOINT_COORDINATES]; /* group by group: friction is a torque        */
    int32_t   coordinates;
    ss_scalar coordinate[SS_JOINT_COORDINATES];
    bool      loosened; /* limits or a spring take the place of what is held */
    bool      couples;  /* it is one of two other joints, not of two bodies  */
} ss_joint_form;

typedef struct ss_joint_class {
    const char          *name;
    const char          *summary;       /* one line for lists and docs          */
    const ss_joint_form *form2, *form3; /* NULL: does not exist in 2D (3D)      */
} ss_joint_class;

const ss_joint_class *ss_joint_find(const char *name);
int32_t               ss_joint_class_count(void);
const ss_joint_class *ss_joint_class_at(int32_t index);

/* The coordinates of a joint among those of all joints. */
static inline ptrdiff_t ss_joint_first(int32_t joint)
{
    return (ptrdiff_t)SS_JOINT_COORDINATES * joint;
}

static inline const ss_joint_form *ss_joint_form_of(const ss_model *m, const ss_joint *j)
{
    return m->dimension == 3 ? j->cls->form3 : j->cls->form2;
}

/* Does a driven body move in it, or in what it couples? */
bool ss_joint_driven(const ss_model *m, const ss_joint *j);

/* The two frames in the world, and the centres of mass (of the world: its origin). */
typedef struct ss_joint_place {
    ss_frame a, b;
    ss_vec3  centre_a, centre_b;
    double   length;
    /* couplings */
    const ss_joint *joint;
    ss_frame        body[2][2]; /* of the joints that are coupled: frames of their two bodies */
    double          last[2];    /* their coordinates at the start of the step, turns counted  */
} ss_joint_place;

/* Where rows of joints are taken, but for driven bodies in the middle of a step: where contacts
   are, or at the trial state (implicit/joints_at_end.h). */
static inline const ss_frame *ss_joint_frames(const ss_data *d)
{
    return d->ending.pass > 0 ? d->ending.frame : d->frame;
}

/* Is it a rod, or a rope or strut: two points at a distance? */
static inline bool ss_joint_is_distance(const ss_model *m, const ss_joint *j)
{
    const ss_joint_form *form = ss_joint_form_of(m, j);
    return form->coordinates == 1 && form->coordinate[0].kind == SS_SCALAR_DISTANCE;
}

/* From the centre-of-mass frames of the two bodies; that of the world is not looked at. Not for
   couplings. */
ss_joint_place ss_joint_place_at(const ss_joint *j, const ss_frame *a, const ss_frame *b);

/* The same with the frames of all bodies, indexed by body, and the coordinates of all joints at the
   start of the step. */
ss_joint_place ss_joint_place_in(const ss_joint *j, const ss_frame *frames, const double *values);

/* integrator: midpoint: do bodies of it take this step as one of first order, from where they are?
 */
bool ss_joint_waits(const ss_model *m, const ss_data *d, const ss_joint *j);

/* The same for the rows and forces of this round: driven bodies at the end of the step; in the
   passes of integrator: midpoint, for joints of bodies that move smoothly, in its middle. */
ss_joint_place ss_joint_place_now(const ss_model *m, const ss_data *d, const ss_joint *j);

/* A scalar and its rate's coefficients. */
typedef struct ss_scalar_row {
    double    value;
    ss_vec3   linear_a, linear_b, angular_a, angular_b;
    ss_wrench more[SS_ROW_SIDES - 2]; /* couplings alone: of others they are not set */
} ss_scalar_row;

/* What it has of the velocity of one of its bodies, which is what a unit force of it does to that
   body. */
static inline ss_wrench ss_scalar_side(const ss_scalar_row *s, int side)
{
    if (side == 0) {
        return (ss_wrench){ss_neg(s->linear_a), ss_neg(s->angular_a)};
    }
    return side == 1 ? (ss_wrench){s->linear_b, s->angular_b} : s->more[side - 2];
}

ss_scalar_row ss_scalar_eval(const ss_scalar *s, const ss_joint_place *p);

/* That of a coupling (coupling.c). */
ss_scalar_row ss_coupled_row(const ss_joint_place *p);
/* .. and its rate from the velocities of the two bodies of the joint that leads, and of the one
   that follows. */
double ss_coupled_rate(const ss_joint_place *p, const ss_twist (*twist)[2]);

/* The rate of a scalar from the velocities of the two bodies. */
double ss_scalar_rate(const ss_scalar_row *row, const ss_twist *a, const ss_twist *b);

/* A force or torque along a scalar, on body b; the opposite on a. `applied` is indexed by body. */
void ss_joint_push(const ss_joint *j, const ss_scalar_row *row, double force, ss_wrench *applied);

/* The whole-turn neighbour of an angle that is nearest to `last`. Other scalars are left alone. */
double ss_scalar_unwrapped(const ss_scalar *s, double value, double last);

#endif
