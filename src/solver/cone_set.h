/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of a cone problem for a set: which blocks are open, stick and slip, and how the load
 * is shared where that is open. The rows that laws hold at zero,
 *
 *   E = normals of closed contacts, all rows of what sticks, equality rows,
 *
 * depend on each other where four corners of a box touch a plane: W_EE is singular, and the load
 * can be shared otherwise without any of these rows noticing. Where something slips as well, its
 * friction points elsewhere for another share, and the bodies move otherwise. Methods then end at
 * the answer that their start, the order of the contacts and rounding lead to. The rule instead:
 * the share of contacts that all give a little, in proportion to what their impulse does to them,
 *
 *   u_i = -e w_i r_i  in E,   e -> 0,
 *
 * w the size of the block's W. With l in the null space of W_EE, in units r' = sqrt(w) r and
 * u' = u / sqrt(w), l'u' = 0 for every r (W is positive semidefinite), so that l'r' = 0 for every
 * e > 0 and in the limit. That makes as many equations as unknowns:
 *
 *   rows of E that others do not make    u' = 0         (Cholesky with pivots tells which)
 *   the others                           l'r' = 0       one l each
 *   slip                                 r'_f = mu r'_n y / |y|,   y = r'_f - u'_f
 *
 * solved by Newton's method. What the rule pulls at opens, what closes is closed, and so on, until
 * the laws hold.
 *
 * A contact may be at its limit of friction and yet not slide, because others that stick hold the
 * body: of those that give a little it slides by order e, s times as far as it would give,
 *
 *   creep    u_f = -e s w r_f,   |r_f| = mu r_n,   s >= 1.
 *
 * Its rows stay in E with s r'_f in the place of r'_f, and s is an unknown more.
 * At an instant (hybrid/load_shares.c) u are accelerations, and what slides does so in a direction
 * that is known, whatever they are: r_f = -mu r_n slip.
 *
 * Nothing in it depends on the order of the contacts or on the axes of friction, and
 * no term on a diagonal makes rounding larger (cone_small.c has one, and moves along the null space
 * by its rounding over 1e-8). Where nothing slips every share moves the bodies in the same way.
 */
#ifndef SS_SOLVER_CONE_SET_H
#define SS_SOLVER_CONE_SET_H

#include <stdbool.h>

#include "core/arena.h"
#include "stickslip/problem.h"

enum { SS_SET_OPEN, SS_SET_STICK, SS_SET_SLIP, SS_SET_CREEP };

/* Directions in which blocks slide already. */
typedef struct ss_known_slips {
    const bool   *known; /* (nblocks)                                   */
    const double *slip;  /* (n) unit vectors; zero: there is no friction */
} ss_known_slips;

typedef struct ss_cone_set {
    const ss_cone *p;
    ss_known_slips slides; /* all NULL: none is known */
    int32_t        n;
    double        *W, *q;    /* (n x n, n) in units of r' and u'                    */
    double        *unit;     /* (n) sqrt(w)                                         */
    double        *r, *u;    /* (n)                                                 */
    double        *F, *z;    /* (n + nblocks, n) what laws miss, directions of slip */
    double        *s;        /* (nblocks) of what creeps, else 1                    */
    double        *J, *step; /* ((n + nblocks)^2, n + nblocks)                      */
    double        *C, *left; /* (n x n, n) W_EE                                     */
    int32_t       *pivot, *perm;
    int32_t       *row;   /* (n) rows that are not open ..                       */
    int32_t       *held;  /* (n) .. and places in this list of the rows of E     */
    int32_t       *creep; /* (n) of each row in the list: its block, where that creeps, or -1 */
    int32_t       *extra; /* (nblocks) the unknown s of blocks that creep                     */
    int32_t        rows, helds, rank, unknowns;
    unsigned char *mode;   /* (nblocks)                                           */
    bool           creeps; /* what sticks beyond its limit creeps, else slips   */
    bool           other;  /* the set that was chosen last is another than before */
    double         e;      /* u' is that of contacts that give: W + e I           */
    bool           parts;  /* .. and rows that depend on others have velocities of their own */
    double         stake;  /* the largest r' and q' of a block                    */
    double         miss;   /* the largest of F before the last step               */
    int32_t        steps;  /* of Newton's method so far                          */
    double         products;
} ss_cone_set;

/* Local form, dense W, no axes, few rows. */
bool ss_cone_set_takes(const ss_cone *p);
/* False: the arena is too small. */
bool ss_cone_set_make(ss_cone_set *s, const ss_cone *p, ss_arena *a);
/* W, q and the impulses r in units of the set; false: a block has no W. */
bool ss_cone_set_begin(ss_cone_set *s, const double *r);
/* u' of r'. */
void ss_cone_set_velocities(ss_cone_set *s);

/* The set that r' and u' tell. True: something slips. */
bool ss_cone_set_choose(ss_cone_set *s);
/* Is the share of the load open in the set? */
bool ss_cone_set_is_open(ss_cone_set *s);
/* From the modes and r': the answer of the rule, in at most so many sets. False: none was found. */
bool ss_cone_set_settle(ss_cone_set *s, int sets);
/*
 * e > 0: the answer by Newton's method from r', with modes as r' and u' tell in each step. False:
 * it does not settle.
 */
bool ss_cone_set_descend(ss_cone_set *s);
/* Slip of a block that slips, in parts of its friction; 0: it does not; INFINITY: it is known. */
double ss_cone_set_slide(const ss_cone_set *s, int32_t k);
/* Of an answer that was found: are rows that others make zero as well, and does what slips slide?
 */
bool ss_cone_set_holds(const ss_cone_set *s);

#endif
