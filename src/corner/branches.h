/* SPDX-License-Identifier: Apache-2.0 */
/* Branches of a pair: what the files of this folder share. */
#ifndef SS_CORNER_BRANCHES_H
#define SS_CORNER_BRANCHES_H

#include "corner/tolerances.h"
#include "dynamics/stages.h"

/* A branch: contacts first .. end - 1 of the pair's. */
typedef struct ss_branch {
    int32_t first, end;
} ss_branch;

static inline ss_branch ss_branch_at(const ss_contact *c, int32_t count, int32_t first)
{
    ss_branch b = {first, first + 1};
    while (b.end < count && c[b.end].branch == c[first].branch) {
        b.end++;
    }
    return b;
}

/* Of the smaller shape, which what is rounding is measured by. */
double ss_pair_size(const ss_model *m, const ss_contact *c);

/* Does the pair take this contact's branch in this round? */
static inline bool ss_corner_takes(const ss_corner *x, const ss_contact *c)
{
    return x->whole || c->branch == x->taken[0] || (x->taken[1] != 0 && c->branch == x->taken[1]);
}

/* Contacts of one pair from i on that belong to branches end here. */
int32_t ss_pair_end(const ss_contact *c, int32_t count, int32_t i);

/* By how much the branch that separates a pair most does, and its first contact. */
double ss_widest_gap(const ss_model *m, const ss_contact *c, int32_t count, int32_t *at);

/* flush.c: all pairs that overlap, of the contacts as they were found; false: no room. Then, how
   deep the two may be along the normal of c because one of them is that deep in something flush. */
bool   ss_note_flush(const ss_model *m, ss_data *d);
double ss_flush_depth(const ss_model *m, const ss_corners *k, const ss_contact *c);

/*
 * Of a pair's contacts, those of branches that free space leads to within the step stay, in their
 * order. Returns how many.
 */
int32_t ss_keep_reachable(const ss_model *m, const ss_data *d, ss_contact *c, int32_t count,
                          double h);

#endif
