/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What several lines of the certificate ask for, computed once a step. Velocities of rows:
 *
 *   J w   with w = (v + v+)/2, or v+ in models without momentum: what works are measured with
 *   J v+  what laws speak of
 *
 * by sides, since the work on each body is asked for as well as that of the row. And y, by which
 * bodies were moved: w where they move smoothly in the sense of integrator: midpoint, else v+.
 *
 * And, computed from forces and impulses alone, by how much they change momenta; what rows did as
 * bodies moved, p.(J y); kinetic energies before and after; and in which book a body's energies are
 * summed up: that of its island, or its own.
 *
 * And how fast a body may be in the step, which rounding is judged by: the sum of its speeds before
 * and after, and of what forces alone, those of motors of limited force among them, would make it.
 * Of driven bodies how fast they are driven.
 */
#ifndef SS_CERTIFY_RATES_H
#define SS_CERTIFY_RATES_H

#include "model/data.h"

/* m/s and rad/s */
typedef struct ss_speed {
    double move, turn;
} ss_speed;

typedef struct ss_rates {
    double *w, *y; /* (nv)                                                                      */
    double *push;  /* (nv) h F + J'p: what forces and impulses change of the momentum           */
    double *mean;  /* (2 nrows) J w of the first body of row i at 2i, of the second at 2i + 1; a
                      wide row goes on where the next one would be                              */
    double *end;   /* (2 nrows) J v+, likewise. 0: no body there, or a contact without impulse   */
    double *work;  /* (nrows) p (J y)                                                            */
    double *done;  /* (nb) p.(J w) of all rows on a body                                          */
    double *before, *after; /* (nb) kinetic energies                                             */
    double  rounding, unsure; /* energies: what is rounding; what motion errors can do (ledger.c) */
    ss_speed *speed; /* (nb) how fast a body may be in the step                                   */
    int32_t  *book; /* (nb) of island_count + nb: an island's, or behind them a body's in none    */
} ss_rates;

/* In the scratch of the data, from its trial state; but for what the ledger finds. */
ss_status ss_rates_of_step(const ss_model *m, ss_data *d, double h, ss_rates *out);

/* What a torque on a body changes of its angular velocity, per second. */
ss_vec3 ss_turned_by(const ss_model *m, const ss_data *d, int32_t body, ss_vec3 torque);

/* p.(J y) of a block. */
static inline double ss_block_work(const ss_rates *x, const ss_row_block *b)
{
    double sum = 0;
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        sum += x->work[row];
    }
    return sum;
}

/* J w or J v+ (x: `mean` or `end`) of a row. */
static inline double ss_rate_of(const double *x, int32_t row)
{
    return x[2 * (size_t)row] + x[2 * (size_t)row + 1];
}

/* The same of what holds joints: wide rows too. */
static inline double ss_held_rate_of(const double *x, const ss_row_block *b, int32_t row)
{
    return ss_rate_of(x, row) + (b->sides > 2 ? ss_rate_of(x, row + 1) : 0);
}

/* Does a block do anything? Friction may have acted before its slip ended within the step
   (midpoint/reversals.c) at a contact that bears no load when the step ends. */
static inline bool ss_block_pushes(const ss_data *d, const ss_row_block *b)
{
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        if (d->rows.impulse[row] != 0) {
            return true;
        }
    }
    return false;
}

#endif
