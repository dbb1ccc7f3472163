/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the analysis of an instant is made of, for the files that are one: the motions of an island
 * (instant_motions.c), Painleve and boundary layers (instant_stability.c), the friction cone
 * (instant_cone.c), what is handed out (instant_results.c), the problem as an LCP (instant_lcp.c),
 * and the verdict over all of it (instant.c).
 */
#ifndef SS_INSTANT_INSTANT_PARTS_H
#define SS_INSTANT_INSTANT_PARTS_H

#include "instant/instant_problem.h"
#include "stickslip/lcp.h"

enum {
    SS_INSTANT_MOTIONS     = 64,
    SS_INSTANT_LAYERS      = 24,
    SS_INSTANT_COORDINATES = 240,
    SS_INSTANT_OPENED      = 240 /* unknowns of which it is asked what a solution leaves open, and
                                     whether the bodies can be held */
};

struct ss_instant {
    ss_context         *ctx;
    ss_solver          *all, *any; /* enumerate, auto */
    double              layers, resolution;
    int32_t             most;
    ss_instant_verdict *verdict; /* that is being made */
    int32_t             nb, contact_count, solution_count;
    ss_instant_contact *contacts;
    ss_instant_force   *forces;     /* (SS_INSTANT_MOTIONS x contact_count) */
    ss_body_motion     *motions;    /* (SS_INSTANT_MOTIONS x nb)            */
    ss_body_motion     *low, *high; /* the same: how far they reach      */
    bool                judging;    /* all that can be said is wanted, not only a motion */
    double (*witness)[6];
    int32_t            contact_room;
    double             D[SS_INSTANT_LAYERS * SS_INSTANT_LAYERS];
    int32_t            layer_count;
    int32_t            layer_contact[SS_INSTANT_LAYERS]; /* whose row it is; -1: of no contact */
    ss_instant_verdict last;                             /* what was said of the state         */
    /* the LCP that was asked for; in the scratch of the data */
    ss_instant_rows    posed_rows;
    ss_instant_problem posed;
    ss_phantom         phantom;
    bool               by_box, plain;
};
/* One solution of an island: unknowns, and which of them a continuum leaves alone. */
typedef struct ss_instant_motion {
    double    *z;          /* (n)                            */
    double    *force;      /* (rows)                         */
    double    *a;          /* (rows) accelerations           */
    ss_answer *fixed;      /* (n) unknowns that are unique */
    bool       roams;      /* it is one of a continuum of motions */
    double    *low, *high; /* (nv) how far these reach beside it; NULL: not known, or it is alone */
} ss_instant_motion;

typedef struct ss_instant_island {
    ss_instant_problem p;
    ss_instant_motion  motions[SS_INSTANT_MOTIONS];
    int32_t            count;
    bool               searched;         /* for all of its motions              */
    bool               complete, varies; /* varies: some forces are not unique */
    bool               roams;            /* a motion is one of a continuum    */
    bool               determined;       /* the motion determines all forces, other motions or no */
    ss_answer          exists;
    double             residual;
} ss_instant_island;

/* instant.c: room for the results of so many contacts; the verdict before anything is known. */
ss_status          ss_instant_make_room(ss_instant *s, int32_t contacts);
ss_instant_verdict ss_instant_undecided(void);

/* instant_results.c: the contacts of the rows; is a block one of them (contacts come first)? */
void ss_instant_list_contacts(ss_instant *s, const ss_model *m, const ss_instant_rows *r);
bool ss_instant_is_contact(const ss_instant_rows *r, int32_t block);
/* Solution number `solution` of the whole: choice[i] of island i. */
ss_status ss_instant_put_motion(ss_instant *s, const ss_model *m, ss_data *d,
                                const ss_instant_rows *r, const ss_instant_island *isl,
                                const int32_t *choice, int32_t count, int32_t solution);
/* All solutions of the whole: one of each island, in every combination. */
ss_status ss_instant_list_solutions(ss_instant *s, const ss_model *m, ss_data *d,
                                    const ss_instant_rows *r, const ss_instant_island *isl,
                                    int32_t count);

/* instant_stability.c: how far each sliding contact is from Painleve's border. */
void ss_instant_painleve(ss_instant *s, const ss_instant_rows *r, const ss_instant_problem *p);
/* Adds an island to the matrix of the layers; judges them when all islands are in. */
void ss_instant_add_layers(ss_instant *s, const ss_instant_rows *r, const ss_instant_problem *p);
ss_status ss_instant_judge_layers(ss_instant *s);

/* instant_motions.c: rank of A (rows x cols, row-major, destroyed) by full pivoting. */
int32_t ss_instant_rank(double *A, int32_t rows, int32_t cols);
/* Does the island consist of unilateral unknowns alone? */
bool ss_instant_nothing_sticks(const ss_instant_problem *p);
/* The island's LCP; `plain`: its unknowns are those of the cone problem. */
ss_status ss_instant_reduce(const ss_model *m, ss_data *d, const ss_instant_problem *p, bool *plain,
                            ss_lcp *out);
/* Adds the motion of unknowns z to the island's. */
ss_status ss_instant_add_motion(ss_data *d, const ss_instant_rows *r, ss_instant_island *isl,
                                const double *z);
/* instant_freedom.c: what a motion leaves open: a piece of the island's LCP, and a solution of its
   cone problem. */
ss_status ss_instant_open_piece(const ss_instant *s, const ss_model *m, ss_data *d,
                                const ss_instant_rows *r, const ss_lcp *lcp, bool plain,
                                const ss_lcp_piece *piece, ss_instant_island *isl,
                                ss_instant_motion *x);
ss_status ss_instant_open_solution(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                                   ss_instant_island *isl, ss_instant_motion *x);
/* instant_held.c: forces with which all contacts of a problem stay closed and none begins to slip,
   as its unknowns z (n), and the residual: not finite where none were found. */
ss_status ss_instant_find_held(ss_data *d, const ss_instant_problem *p, double *z,
                               double *residual);
/* Finds all motions of an island, or one where there are too many unknowns. */
ss_status ss_instant_judge_island(ss_instant *s, const ss_model *m, ss_data *d,
                                  const ss_instant_rows *r, ss_instant_island *isl);

/* The same for those who go on with one motion: round cones in space are not cut to polygons first;
   `one`: all of them are not wanted. */
ss_status ss_instant_move_island(ss_instant *s, const ss_model *m, ss_data *d,
                                 const ss_instant_rows *r, bool one, ss_instant_island *isl);

/* instant_cone.c: is the cone of the wrenches of all closed contacts pointed? */
ss_status ss_instant_judge_cone(ss_instant *s, const ss_model *m, ss_data *d,
                                const ss_instant_rows *r);

#endif
