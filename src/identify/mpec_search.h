/* SPDX-License-Identifier: Apache-2.0 */
/* Identification as one nonlinear program with complementarity: method `mpec`. */
#ifndef SS_IDENTIFY_MPEC_SEARCH_H
#define SS_IDENTIFY_MPEC_SEARCH_H

#include "identify/fit.h"
#include "nlp/nlp.h"

typedef struct ss_mpec_result {
    ss_nlp_result nlp;
    int32_t       variables; /* states, forces, noise and parameters, without slacks */
    double        apart; /* largest distance of its positions from those of the run, over the extent
                            of the recording */
} ss_mpec_result;

/* From theta, which becomes the best. SS_ERR_INPUT: the scene is none that can be posed. */
ss_status ss_mpec_search(ss_fitter *f, double *theta, ss_mpec_result *out);

#endif
