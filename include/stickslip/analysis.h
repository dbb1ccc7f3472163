/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the model itself rather than about one run: is there one answer, and which of its
 * parts are certain?
 */
#ifndef STICKSLIP_ANALYSIS_H
#define STICKSLIP_ANALYSIS_H

#include "stickslip/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_answer { SS_NO, SS_YES, SS_UNDECIDED } ss_answer;

/*
 * Is A (n x n, column-major, leading dimension n) a P-matrix, that is, are all its principal minors
 * positive? Exactly then LCP(q, A) has one solution for every q. Undecided for n > 24: the test
 * looks at 2^n minors. `scale`: minors below 1e-12 of the product of the diagonal count as zero.
 */
SS_API ss_status ss_pmatrix(ss_context *ctx, const double *A, int32_t n, ss_answer *answer);

/* A step as a mixed complementarity problem, and how its solution went. */
typedef struct ss_mcp_step {
    int32_t    unknowns; /* velocities; per contact nearest points, impulses, multipliers       */
    int32_t    contacts; /* pairs that can meet within the step                                 */
    ss_outcome outcome;
    double     residual;
    int32_t    iterations;
} ss_mcp_step;

/*
 * The step of geometry: implicit that would come next, posed as in the thesis ((3.82), (3.83)):
 * with the nearest points at its end among the unknowns, solved by Newton's method. `motion` (one
 * entry per body) is what bodies do at its end. Nothing is changed but what the last step told of
 * its contacts. It is a second route to what ss_step() finds by rounds (docs/theory/implicit.md).
 * Rigid contacts of planes and shapes with one smooth surface, no joints: SS_ERR_UNSUPPORTED
 * otherwise.
 */
SS_API ss_status ss_analyze_implicit(const ss_model *m, ss_data *d, double h,
                                     ss_body_motion *motion, ss_mcp_step *out);

/*
 * Is the motion of the last step the only one? That of ss_motion_unique(), and with inertia or
 * damping: could the contacts share the load otherwise, so that friction moves the bodies in
 * another way? Not unique: direction[body] (one per body, or NULL) is a way in which the velocities
 * can change, its fastest point at 1 m/s. Undecided: something is at the border of sliding or of
 * being loaded, or there are more than 600 rows. Only motions near by are looked for.
 */
SS_API ss_status ss_analyze_motion(const ss_model *m, const ss_data *d, ss_motion_verdict *out,
                                   ss_body_motion *direction);

/* What one contact of the last step may carry, all other laws and the motion being kept. */
typedef struct ss_force_range {
    int32_t contact;
    int32_t count;           /* rows: normal, t, o, ... as in ss_contact_info                */
    double  low[6], high[6]; /* impulses, N s                                                */
    bool    unique;          /* low and high agree for every row                             */
    bool    normal_unique;   /* .. for the normal force                                      */
} ss_force_range;

/*
 * For each contact of the last step the range of its impulses over all sets of impulses that give
 * the same motion and obey the same laws: the rigid model cannot tell them apart. Friction circles
 * are replaced by inscribed polygons with 32 corners, so ranges may be half a per cent too narrow.
 * Writes at most `capacity` of them; ss_data_contact_count says how many there are.
 * SS_ERR_UNSUPPORTED when this build has no LP solver.
 */
SS_API ss_status ss_analyze_forces(const ss_model *m, const ss_data *d, ss_force_range *out,
                                   int32_t capacity);

/* The sliding contacts of the last step as one LCP in their normal forces. */
typedef struct ss_sliding_verdict {
    int32_t   contacts; /* that slide                                                             */
    ss_answer p_matrix; /* yes: normal forces exist and are unique, whatever the load (Dupont)    */
    double    lowest;   /* smallest diagonal entry over the frictionless one; <= 0: Painleve      */
} ss_sliding_verdict;

/*
 * N = J_n M^-1 (J_n - mu J_f d)', d the direction of slip: the matrix of the normal accelerations
 * when the sliding contacts keep sliding. A P-matrix means one solution for every load; a diagonal
 * entry that is not positive is Painleve's paradox.
 */
SS_API ss_status ss_analyze_sliding(const ss_model *m, const ss_data *d, ss_sliding_verdict *out);

/*
 * The friction cone of the closed contacts of the last step: all forces that they can exert on the
 * moving bodies (Gavrea, section 3). Joints bear what they must; friction of known bounds
 * (supports, joints) takes no part in pointedness, and helps to hold the load.
 */
typedef struct ss_hold_verdict {
    int32_t   contacts; /* that touch at the start of the step, or push at its end              */
    bool      at_rest;  /* nothing that a contact touches moves                                 */
    ss_answer pointed;  /* no: nonzero contact forces cancel (wedging is possible)              */
    ss_answer held;     /* pointed: can contact forces balance what acts on the bodies?         */
    ss_hold   hold;     /* the two together, and rest; for models with momentum too             */
} ss_hold_verdict;

/*
 * `forces` (capacity x 6, as the impulses of ss_contact_info, in N) are the witness: not pointed:
 * forces of which the normal ones add up to 1 N, and which cancel; jammed: those that balance the
 * load. Else they are zero. May be NULL.
 */
SS_API ss_status ss_analyze_hold(const ss_model *m, const ss_data *d, ss_hold_verdict *out,
                                 double (*forces)[6], int32_t capacity);

/*
 * Is x'A x >= 0 for all x >= 0 (A: n x n, column-major)? No: `x` (n, may be NULL) is one with
 * x'A x < 0. Exact for up to 16 rows that remain when those which cannot matter are left out;
 * above, undecided unless A is positive semidefinite on them.
 */
SS_API ss_status ss_copositive(ss_context *ctx, const double *A, int32_t n, ss_answer *answer,
                               double *x);

/*
 * Gavrea's condition for the last step to have a solution that Lemke's method finds: the matrix of
 * its LCP is copositive and the friction cone is pointed.
 */
typedef struct ss_solvable_verdict {
    ss_answer copositive; /* of every island's LCP; quadratic cones: with any polygon drawn in */
    ss_answer pointed;
    ss_answer solvable; /* yes: both hold; else undecided: the condition is sufficient only      */
} ss_solvable_verdict;

SS_API ss_status ss_analyze_solvable(const ss_model *m, const ss_data *d, ss_solvable_verdict *out);

#ifdef __cplusplus
}
#endif
#endif
