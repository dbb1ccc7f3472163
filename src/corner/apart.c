/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a pair with several branches is apart when the step begins, driven bodies at its start:
 * max_f min_i psi_fi (corner/branches.c). Each contact of the pair carries it, because a branch
 * with a negative gap is no overlap as long as another one separates the pair.
 */
#include <math.h>

#include "dynamics/passage.h"
#include "dynamics/stages.h"

void ss_note_apart(const ss_model *m, const ss_data *d, ss_contact *c, int32_t count, double h)
{
    double apart = -INFINITY;
    for (int32_t i = 0; i < count;) {
        double   least  = INFINITY;
        uint64_t branch = c[i].branch;
        for (; i < count && c[i].branch == branch; i++) {
            least = fmin(least, ss_contact_apart(m, d, &c[i], h));
        }
        apart = fmax(apart, least);
    }
    for (int32_t i = 0; i < count; i++) {
        c[i].apart = apart;
    }
}
