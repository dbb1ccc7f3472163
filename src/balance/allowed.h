/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The motions of an island that its equality rows J_e v = 0 allow (joints, couplings, motors of
 * unlimited force; rows that give hold nothing), and what forces are to them. With a basis
 * Y_i = A^-1 J_i' of the responses of these rows, J_i Y_j = 1 where i = j and 0 otherwise:
 *
 *   v - sum Y_i (J_i v)       the allowed motion nearest to v, measured by A
 *   f - sum J_i' (Y_i'f)      what of a force does work in allowed motions; the rest the rows bear
 *
 * All in coordinates of one unit: rotations times the body's arm, torques over it.
 */
#ifndef SS_BALANCE_ALLOWED_H
#define SS_BALANCE_ALLOWED_H

#include "formulate/formulate.h"

typedef struct ss_allowed {
    const ss_model  *m;
    const ss_data   *d;
    const ss_island *isl;
    int32_t          n;    /* velocity coordinates of the island                             */
    int32_t          rank; /* rows that do not depend on those before them                   */
    double          *J;    /* (rank x n)                                                      */
    double          *Y;    /* (rank x n)                                                      */
    double          *R;    /* (rank x rank) column k: the row behind basis vector k in the basis */
    int32_t         *row;  /* (rank) .. that row, counted in the island                       */
    double          *work; /* (rank)                                                          */
} ss_allowed;

/* Is it one of the rows that hold? Does it bear like a contact: one way, if it touches? */
bool ss_block_holds(const ss_row_block *b);
bool ss_block_one_way(const ss_row_block *b);

/* `also` (rows of the island): further rows that hold; NULL: none. Needs the responses of the rows.
   SS_ERR_SCRATCH: no room. */
ss_status ss_allowed_find(const ss_model *m, ss_data *d, const ss_island *isl, const bool *also,
                          ss_allowed *out);

void ss_allowed_force(const ss_allowed *a, double *f);
void ss_allowed_motion(const ss_allowed *a, double *v);

/* r (of all rows of the island): impulses of the rows that hold with J_e'r = f, for an f of which
   nothing does work in allowed motions. Rows that depend on others get none. */
void ss_allowed_reactions(const ss_allowed *a, const double *f, double *r);

/* What a unit impulse of a block's first row pushes with: 1 of contacts, of torques over the arm.
 */
double ss_block_push(const ss_model *m, const ss_data *d, const ss_row_block *b);

/* A row's J' and its response, in these coordinates: added to `to`. */
void ss_add_scaled_row(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                       double factor, double *to);
void ss_add_scaled_response(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                            double factor, double *to);

#endif
