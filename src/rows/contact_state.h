/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a block of rows does at the end of a step, decided once for reports, run files, analysis and
 * the methods that work on what a solution holds at zero:
 *
 *   open       no normal impulse
 *   at limit   friction uses all of its bound, mu p_n or the disk's
 *   slips      it is at its limit and slides, by more than rounding
 *   sticks     it is loaded and does not slip
 *   closed     the gap at the end of the step, as far as it is linear, is none
 */
#ifndef SS_ROWS_CONTACT_STATE_H
#define SS_ROWS_CONTACT_STATE_H

#include <math.h>

#include "core/constants.h"
#include "core/elementary.h"
#include "dynamics/coordinates.h"
#include "model/axes.h"
#include "rows/tolerances.h"

/* The first friction row of a block: a cone's row 0 is its normal. Its dim: it has none. */
static inline int32_t ss_friction_start(const ss_row_block *b)
{
    return b->kind == SS_BLOCK_CONE ? 1 : b->kind == SS_BLOCK_DISK ? 0 : b->dim;
}

/* Length of the friction part of the block's impulses or velocities x. */
static inline double ss_friction_norm(const ss_row_block *b, const double *x)
{
    double square = 0;
    for (int32_t k = ss_friction_start(b); k < b->dim; k++) {
        square += x[k] * x[k];
    }
    return sqrt(square);
}

/* Largest friction with the block's impulses p. */
static inline double ss_friction_bound(const ss_row_block *b, const double *p)
{
    return b->kind == SS_BLOCK_CONE ? b->mu * p[0] : b->bound;
}

/* Friction that rounding of the normal impulse hides: where mu is nearly none, its bound is less.
 */
static inline double ss_friction_unseen(const ss_row_block *b, const double *p)
{
    return b->kind == SS_BLOCK_CONE ? SS_FRICTION_UNSEEN * p[0] : 0;
}

/*
 * The part of its bound up to which friction certainly sticks. On a polygon, whose edges lie
 * inside the circle, that is less: friction in the middle of an edge is at its limit too.
 */
static inline double ss_sticking_part(const ss_model *m)
{
    bool flat = m->dimension == 3 && ss_cone_of(m)->flat;
    return SS_STICKING_PART * (flat ? m->polygon_inside : 1);
}

static inline bool ss_at_limit(const ss_model *m, const ss_row_block *b, const double *p)
{
    double certain = ss_sticking_part(m) * ss_friction_bound(b, p);
    return ss_friction_norm(b, p) >= certain - ss_friction_unseen(b, p);
}

/* The time over which rounding of positions is no slip: an impact takes none, and has none. */
static inline double ss_slip_time(const ss_model *m, const ss_data *d, double h)
{
    return d->at_impact != NULL ? m->simulation.step : h;
}

/* Is a speed of slip more than the rounding of positions over a step? */
static inline bool ss_slip_shows(const ss_model *m, double speed, double h)
{
    return speed > SS_STILL_PART * (speed + m->length / h);
}

/* Impulses and velocities of a block in the last step, which took h. */
static inline bool ss_block_slips(const ss_model *m, const ss_data *d, const ss_row_block *b,
                                  double h)
{
    return ss_friction_start(b) < b->dim && ss_at_limit(m, b, d->rows.impulse + b->row) &&
           ss_slip_shows(m, ss_friction_norm(b, d->rows.velocity + b->row), h);
}

static inline ss_contact_state ss_block_state(const ss_model *m, const ss_data *d,
                                              const ss_row_block *b, double h)
{
    if (!(d->rows.impulse[b->row] > 0)) {
        return SS_CONTACT_OPEN;
    }
    bool smooth = ss_friction_start(b) == b->dim; /* nothing holds it */
    return smooth || ss_block_slips(m, d, b, h) ? SS_CONTACT_SLIP : SS_CONTACT_STICK;
}

/* The gap at the end of the step, from the rows of the last step. */
static inline double ss_block_gap(const ss_data *d, const ss_row_block *b, double h)
{
    return ss_gap_at_end(d->contacts.items[b->index].gap, d->rows.velocity[b->row], h);
}

/* Is a gap none? */
static inline bool ss_gap_closed(const ss_model *m, double gap)
{
    return gap <= SS_TOUCH_PART * m->length;
}

#endif
