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
 * bodies moved, p.(J y); kinetic energies and angular momenta before and after, and what gravity
 * did; and in which book a body's energies are summed up: that of its island, or its own.
 *
 * And how fast a body may be in the step, which rounding is judged by: the sum of its speeds before
 * and after, and of what forces alone, those of motors of limited force among them, would make it.
 * Of driven bodies how fast they are driven. That is worked out when it is first asked for.
 */
#ifndef SS_CERTIFY_RATES_H
#define SS_CERTIFY_RATES_H

#include "model/data.h"

/* m/s and rad/s */
typedef struct ss_speed {
    double move, turn;
} ss_speed;

/* What is summed up of an island, or of a body in none. */
typedef struct ss_book {
    double worked; /* p.(J y) of its rows */
    /* ledger.c: what contacts took, what their normal rows and limits did, and what w makes of
       gravity, turning, joints and springs where it stops */
    double lost, hit, halved;
    double jerked; /* .. what joints took of velocities that they do not let bodies have */
    /* gain.c: what nothing put in; work of friction of smooth motion, of all contacts together:
       forces that stick may press against each other, and one's gain is another's loss */
    double made, rubbed;
    bool   strikes; /* loaded contacts take energy */
    /* .. and of all its bodies together: by how much their kinetic energy grew, what gravity did,
       and other forces */
    double grown, fallen, pushed;
    /* scheme.c: what no force and no impulse explains, and what may be beyond rounding */
    bool   drags;
    double error, allowed;
} ss_book;

typedef struct ss_rates {
    double *w, *y; /* (nv)                                                                      */
    double *push;  /* (nv) h F + J'p: what forces and impulses change of the momentum           */
    double *mean;  /* (2 nrows) J w of the first body of row i at 2i, of the second at 2i + 1; a
                      wide row goes on where the next one would be                              */
    double  *end;  /* (2 nrows) J v+, likewise. 0: no body there, or a contact without impulse  */
    double  *work; /* (nrows) p (J y)                                                            */
    double  *done; /* (nb) p.(J w) of all rows on a body                                         */
    double  *before, *after; /* (nb) kinetic energies                                            */
    ss_vec3 *spun, *spins; /* (nb) angular momenta of moving bodies about their centres, likewise */
    double  *forced, *weighed; /* (nb) h F.y of all forces on a body, and of its weight */
    double  *fallen; /* (nb) m g.dx, dx without what was moved apart                      */
    double  *turned; /* (nb) r.w (ledger.c)                                               */
    double   rounding, unsure; /* energies: rounding; what motion errors can do (ledger.c)       */
    double   kinetic; /* its change, where it takes no part: of models without momentum           */
    double   sprung; /* what springs store beyond the work done on them (ledger.c)                */
    ss_speed *speed; /* (nb) how fast a body may be in the step: ss_speeds_of()         */
    bool      has_speeds; /* .. they are there                                               */
    bool     *acts;       /* (nblocks) it is no contact without impulse                     */
    int32_t  *book; /* (nb) of moving bodies: their island's, or behind those one of their own    */
    ss_book *books; /* (book_count) summed up by ledger.c, gain.c and scheme.c, once              */
    int32_t  book_count;
} ss_rates;

/* In the scratch of the data, from its trial state; but for what the ledger finds. */
ss_status ss_rates_of_step(const ss_model *m, ss_data *d, double h, ss_rates *out);

/* (nb) */
const ss_speed *ss_speeds_of(const ss_model *m, const ss_data *d, double h, ss_rates *x);

/* What a torque on a body changes of its angular velocity, per second; 0 of particles. */
static inline ss_vec3 ss_turned_by(const ss_model *m, const ss_data *d, int32_t body,
                                   ss_vec3 torque)
{
    const ss_body *b = &m->bodies[body];
    return b->round ? ss_scale(b->inv_inertia.m[8], torque) : ss_mul(&d->inv_inertia[body], torque);
}

/* The angular momentum of a body that turns by w where the step begins; 0 of particles. */
static inline ss_vec3 ss_spin_of(const ss_model *m, const ss_data *d, int32_t body, ss_vec3 w)
{
    const ss_body *b = &m->bodies[body];
    return b->round ? ss_scale(b->inertia.m[8], w) : ss_mul(&d->inertia[body], w);
}

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
