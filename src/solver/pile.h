/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Piles: cone problems in global form whose blocks act on one or two bodies each, with one mass
 * matrix per body. docs/theory/piles.md derives the method; pile_build.c puts the problem into
 * packs, pile_sweep.c sweeps over them, pile.c decides when it is enough.
 */
#ifndef SS_SOLVER_PILE_H
#define SS_SOLVER_PILE_H

#include <stdbool.h>

#include "core/arena.h"
#include "stickslip/problem.h"

/* Eight contacts side by side. Operations on it are those on floats, lane by lane, and nothing
   else: no sums across lanes, no fused products, so that every processor gives the same bits. */
typedef float ss_lanes __attribute__((vector_size(32)));

/* SS_PILE_ROWS: of one block, at most; scenes make six. SS_PILE_STRIDE: room of a body among the
   velocities, with 1 / sqrt(mass) at SS_PILE_LIGHT. */
enum { SS_LANES = 8, SS_PILE_ROWS = 16, SS_PILE_STRIDE = 8, SS_PILE_LIGHT = 6 };

/* What the last visit of a block found; it decides whether momentum goes on. */
typedef enum ss_pile_state { SS_PILE_OPEN, SS_PILE_STICK, SS_PILE_SLIP } ss_pile_state;

/*
 * Eight contacts with friction that share no body: in space (3 rows, bodies of 3 + 3 coordinates)
 * or in the plane (2 rows, 2 + 1). Every contact pushes its `plus` body along the rows' directions
 * and its `minus` body the other way; a missing body is the one past the end, which nothing moves.
 * Sizes are those of space; in the plane the first entries count.
 */
typedef struct ss_pack {
    ss_lanes direction[3][3];   /* row, axis                                                    */
    ss_lanes lever_minus[3][3]; /* of the turning of either body, in its scaled coordinates     */
    ss_lanes lever_plus[3][3];
    ss_lanes r[3], change[3], push[3]; /* reaction; changes by the last sweep and by momentum   */
    ss_lanes age, state;               /* sweeps since momentum began; ss_pile_state            */
    ss_lanes S[3], k[2], inv;          /* of the local problem: cone_block.c; 00, 01, 11 of S   */
    ss_lanes stick[3];                 /* S^-1                                                  */
    ss_lanes mu, q[3], weight;
    int32_t  minus[SS_LANES], plus[SS_LANES], block[SS_LANES]; /* block: -1 where there is none */
} ss_pack;

/* A block of any other kind. */
typedef struct ss_pile_block {
    const ss_block *block;
    int32_t         body[2]; /* -1: none                                                       */
    double         *H;       /* (dim x sides x dof) columns of H in scaled coordinates          */
    double         *data;    /* for ss_block_solve                                              */
    double         *r, *change, *push; /* (dim)                                                 */
    double          weight, age;
    ss_pile_state   state;
} ss_pile_block;

/*
 * The coordinates of a body are scaled by M = C C': v' = C'v, so that an impulse r of a row h moves
 * them by h' r with h' = C^-1 h, the same that gives the row's velocity h'.v'.
 */
typedef struct ss_pile {
    const ss_cone *p;
    int32_t        dof, bodies; /* coordinates of a body                                */
    float         *v;           /* ((bodies + 1) x SS_PILE_STRIDE) scaled               */
    double        *fine;        /* the same in double, where float is too coarse; NULL  */
    double        *root;        /* (bodies x dof x dof) C^-1, by columns                  */
    bool          *plain;       /* (bodies) one mass for all directions, no coupling    */
    double        *rhs;         /* (nv) scratch                                         */
    int32_t        colours;
    int32_t       *pack_at, *block_at; /* (colours + 1) first pack and block of each            */
    ss_pack       *packs;
    ss_pile_block *blocks;
    int32_t        threads;
    double         scale; /* what motion errors are parts of, m/s                               */
} ss_pile;

typedef enum ss_pile_result {
    SS_PILE_READY,
    SS_PILE_SCRATCH, /* the arena is too small                                            */
    SS_PILE_REFUSED  /* the problem is of another form                                    */
} ss_pile_result;

/* Packs and blocks of p, without reactions; fine: all in double, and no packs. */
ss_pile_result ss_pile_build(ss_pile *x, const ss_cone *p, bool fine, ss_arena *a);

/* Reactions into the packs, and back. Momentum is forgotten. */
void ss_pile_put(ss_pile *x, const double *r);
void ss_pile_get(const ss_pile *x, double *r);

/* v (nv) that belongs to the reactions r: M v = f + H r to rounding. */
void ss_pile_velocities(const ss_pile *x, const double *r, double *v);
/* The velocities of the sweeps become those of the reactions r. */
void ss_pile_refresh(ss_pile *x, const double *r);

/* The largest velocity that terms of a contact add up from: rounding is a part of it. */
double ss_pile_stake(const ss_pile *x);

/* One sweep; the largest change of a reaction, as the velocity that it gives its own contact. */
double ss_pile_sweep(ss_pile *x);

/* By how much the laws of blocks are missed now, m/s: the motion error without its scale, as far as
   the numbers of sweeps tell. */
double ss_pile_missed(ss_pile *x);

/* Momentum of every block by itself, after a sweep. */
void ss_pile_push(ss_pile *x);

#endif
