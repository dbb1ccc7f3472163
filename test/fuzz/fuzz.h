/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share. */
#ifndef SS_TEST_FUZZ_H
#define SS_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "stickslip/problem_file.h"

/* What libFuzzer, or fuzz_replay.c in its place, calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touch every number of a problem that was read: bad sizes and pointers show under sanitizers. */
static inline void fuzz_use(const ss_stored_problem *p)
{
    const ss_problem *problem = &p->problem;
    size_t            n = (size_t)ss_problem_size(problem), nv = (size_t)ss_problem_size_v(problem);
    double           *z    = calloc(n + nv + 1, sizeof *z);
    double           *work = calloc(ss_residual_work(problem) + 1, sizeof *work);
    if (z != NULL && work != NULL && !(ss_residual(problem, z, z + n, work) >= 0)) {
        abort(); /* a residual is a number that is not negative */
    }
    for (size_t i = 0; p->order != NULL && z != NULL && i < n; i++) {
        z[p->order[i]] = 1;
    }
    free(z);
    free(work);
}

#endif
