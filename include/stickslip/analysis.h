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

/* What one contact of the last step may carry, all other laws and the motion being kept. */
typedef struct ss_force_range {
    int32_t contact;
    int32_t count;           /* rows: normal, t, o, ... as in ss_contact_info                */
    double  low[6], high[6]; /* impulses, N s                                                */
    bool    unique;          /* low and high agree for every row                             */
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

#ifdef __cplusplus
}
#endif
#endif
