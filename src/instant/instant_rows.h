/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of an instant: those of a step, with velocities u = J v + drift and their rates. */
#ifndef SS_INSTANT_INSTANT_ROWS_H
#define SS_INSTANT_INSTANT_ROWS_H

#include "model/data.h"
#include "stickslip/instant.h"

/* A closed contact, a joint, a limit that is reached, joint friction, a motor, a support point. */
typedef struct ss_instant_block {
    ss_block_kind   kind;
    ss_instant_mode mode; /* of what holds (joints): sticks */
    ss_row_source   source;
    int32_t         index; /* of the contact, joint or support point                        */
    int32_t         part;  /* of the joint: which of its coordinates                        */
    int32_t         row;   /* among d->rows                                                 */
    int32_t         dim;
    double          mu, bound; /* newtons */
    int32_t         sides;
    int32_t         body[SS_ROW_SIDES]; /* moving bodies, -1 where there is none              */
    double          slip[5]; /* where it slides: unit vector of the slip, friction rows     */
    ss_vec3         t, o;    /* tangents of a contact                                       */
    uint64_t        key;     /* identity                                                    */
    double          none;    /* a velocity below this is none                               */
    bool            faint;   /* slides in several directions by little more, or less        */
} ss_instant_block;

typedef struct ss_instant_rows {
    int32_t           nblocks;
    ss_instant_block *blocks;   /* those that take part; contacts first                       */
    ss_contact       *contacts; /* (contact_count) all that were found                        */
    int32_t           contact_count;
    double           *u;      /* (d->rows.nrows) velocities                                   */
    double           *k;      /* (d->rows.nrows) du/dt = J dv/dt + k                          */
    double           *a_free; /* (nv) accelerations without contact and joint forces          */
    double            damped_by_drives; /* what dampers do to driven bodies, W                */
    int32_t           separating;
    int32_t           ties; /* pairs that touch at corners, of whose directions one was taken */
} ss_instant_rows;

/*
 * The rows at the state; what steps of `resolution` seconds leave at closed contacts is none. All
 * memory is the scratch of d, which it resets; SS_ERR_SCRATCH: too small. d->rows and d->contacts
 * are those of the state.
 */
ss_status ss_instant_gather(const ss_model *m, ss_data *d, double resolution, ss_instant_rows *out);

/*
 * The same with what takes part, and how, given (count entries, by key) instead of read off the
 * velocities; of what slides, `slip` tells the sense, and the direction as long as there is no
 * slip. Joints always take part. *missing: entries that were not found. Without `rates` k is zero.
 */
typedef struct ss_instant_given {
    const ss_mode_entry *modes;
    int32_t              count;
    bool                 rates;
    int32_t              missing;
} ss_instant_given;
ss_status ss_instant_gather_as(const ss_model *m, ss_data *d, ss_instant_given *given,
                               ss_instant_rows *out);

/* The direction of slip of an entry in the rows of the block as they are now. */
void ss_instant_slip_of(const ss_mode_entry *as, const ss_instant_block *b, double slip[5]);

/* Why the model has no forces at an instant; NULL: it has. */
const char *ss_instant_refuses(const ss_model *m);

/* y := M^-1 x over the coordinates (dof) of one body. */
void ss_instant_by_mass(const ss_model *m, const ss_data *d, int32_t body, const double *x,
                        double *y);

#endif
