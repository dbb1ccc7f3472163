/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An island for which rest is looked for, and the questions that are asked of it (rest.c puts them
 * in order): does rest obey the laws (rest_laws.c), what load must be borne (rest_load.c), which
 * impulses balance it (rest_balance.c), does it press what bears them (rest_pressed.c), and in the
 * motion that it would make too (idle.c).
 */
#ifndef SS_BALANCE_SEAT_H
#define SS_BALANCE_SEAT_H

#include "balance/allowed.h"
#include "formulate/formulate.h"

/* Ways of pushing that may be taken from one friction with a bound: a line has two. */
enum { SS_SEAT_CUTS = 2 };

/* Directions of friction that are added to each polygon where it is too narrow: the first leaves
   2e-4 of 2 %. */
enum { SS_SEAT_STEEPER = 4 };

/* An island for which rest is looked for. */
typedef struct ss_seat {
    const ss_model  *m;
    ss_data         *d;
    const ss_island *isl;
    ss_allowed       allowed; /* what joints leave of its motions                             */
    int32_t          bodies;  /* velocity coordinates of its bodies                           */
    int32_t          rows;    /* .. and one for each bound of friction                        */
    double           fall;    /* how fast the load alone would make its bodies                */
    double          *load;    /* (bodies) M v_free, torques over the body's arm, and what acts
                                 at rest whatever else does                                   */
    double *pull;             /* (bodies) .. of that, what does work in allowed motions       */
    double *v;                /* (nv) the solution that was found                             */
    double *known;            /* (row_count) impulses that rest leaves no choice of           */
    bool   *may;              /* (block_count) it touches, and may bear                       */
    double *shut;             /* (block_count x SS_SEAT_CUTS x 3) directions, such that friction
                                 with a bound may push along none that has a part along them   */
    size_t   cuts;            /* its length                                                   */
    double  *A;               /* (rows x columns) edges of the cones                          */
    int32_t *block;           /* (columns) block that a column belongs to                     */
    double (*edge)[3];        /* (columns) impulses of its first rows; all zero: a slack      */
    int32_t columns;
    double (
        *steep)[3]; /* (block_count x SS_SEAT_STEEPER) edges that are added to those of a polygon */
    int32_t  steeper; /* .. how many of each block                                              */
    double  *x, *left, *r;
    double  *work; /* of least squares */
    int32_t *iwork;
    int32_t  tries;    /* balances that may still be tried                    */
    double   may_cost; /* products that least squares may still make          */
    double   turn;     /* .. that one column costs in the problem at hand      */
} ss_seat;

static inline const ss_row_block *ss_seat_block(const ss_seat *s, int32_t i)
{
    return &s->d->rows.blocks[s->isl->blocks[i]];
}

/* ---- rest_laws.c ---- */

/* Did its bodies stand at the start of the step, and in its middle? s->fall is found. */
bool ss_seat_was_at_rest(ss_seat *s);

/* Can every law hold at rest? s->may: what may bear; s->known: what rest leaves no choice of. */
bool ss_rest_obeys_laws(const ss_seat *s);

/* May the step have more than one motion? */
bool ss_seat_may_have_several(const ss_seat *s);

/* v_free + A^-1 J'r of the bodies, into s->v. Gives the speed of the fastest. */
double ss_seat_motion(const ss_seat *s, const double *r);

/* ---- rest_load.c ---- */

/* A v of a body. */
void ss_seat_momentum(const ss_seat *s, int32_t body, const double *v, double *to);

/* s->load and s->pull: of the velocities without contact; of the forces, times h. */
void ss_seat_gather_load(ss_seat *s);
void ss_seat_gather_forces(ss_seat *s, double h);

/* ---- rest_balance.c ---- */

/* Room to ask whether rest obeys the laws; and to look for it, *few: it is not too much. The second
   finds what joints allow. SS_ERR_SCRATCH: no room. */
ss_status ss_seat_make_room(ss_seat *s);
ss_status ss_seat_make_room_to_look(ss_seat *s, bool *few);

/* Least squares over x >= 0 from x as it is (linalg/nnls.h). False: none found, or not with the
   work that is left. */
bool ss_seat_least_squares(ss_seat *s, int32_t rows, int32_t columns, const double *A,
                           const double *b, double *x, double *left, double *work, int32_t *iwork);

/* Directions of friction: ends of a line (dim 1), corners of a polygon (2), of a polyhedron (3).
   Gives their number. */
enum { SS_DISK_SIDES = 16, SS_BALL_RINGS = 7, SS_BALL_EDGES = SS_BALL_RINGS * SS_DISK_SIDES + 2 };
int32_t ss_disk_edges(int32_t dim, double edge[SS_BALL_EDGES][3]);

/* Reactions s->r, block by block in the order of the island, that balance the load: any, or with
   little more than it takes. False: there are none. */
bool ss_seat_balance(ss_seat *s);
bool ss_seat_balance_frugally(ss_seat *s);

/* ---- idle.c ---- */

/* s->may := false of contacts and limits that may bear nothing at rest, because the load does not
   press them in the motion that it makes. SS_ERR_SCRATCH: no room. */
ss_status ss_seat_let_go_idle(ss_seat *s);

/* ---- rest_pressed.c ---- */

/* Reactions of rest that the load presses, in s->r. SS_ERR_SCRATCH: no room. */
ss_status ss_seat_find_pressed(ss_seat *s, bool *found);

#endif
