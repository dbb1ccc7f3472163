/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The share of a load where that is open. Modes say which rows have no acceleration; where these
 * rows depend on each other (a box on four corners, a shoe on a guide with friction that lies on a
 * wheel) many forces give that, and two things tell them apart. Forces have their bounds, which no
 * equation of the modes knows: friction of 0.2 N does not bear 10 N because it is in line with a
 * contact that bears as much. And where something slides its friction follows its share, so that
 * the bodies accelerate otherwise for another one. Taken is what impulses of a step have too
 * (solver/cone_set.h): the limit of contacts and joints that all give a little,
 *
 *   a_i = -e w_i c_i  in the rows that modes hold,   e -> 0,   with c in its cones and disks,
 *
 * over all rows of the island, joints included, with friction of what slides along its slip.
 */
#include <math.h>
#include <string.h>

#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "solver/cone_path.h"

/* Sets that are tried from the least forces. */
enum { SETS = 24 };

/* The island's rows as a problem of their own, and what slides in it. */
typedef struct whole {
    ss_cone        cone;
    ss_known_slips slides;
} whole;

static ss_status pose(ss_data *d, const ss_instant_rows *r, const ss_instant_problem *p, whole *out)
{
    size_t    n = (size_t)p->rows + 1, count = (size_t)p->nblocks + 1;
    ss_block *blocks = ss_arena_alloc(&d->scratch, count, sizeof *blocks);
    bool     *known  = ss_arena_alloc(&d->scratch, count, sizeof *known);
    double   *slip   = ss_arena_alloc(&d->scratch, n, sizeof *slip);
    if (blocks == NULL || known == NULL || slip == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(slip, 0, n * sizeof *slip);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_instant_block *b     = &r->blocks[p->which[k]];
        int32_t                 first = b->kind == SS_BLOCK_CONE ? 1 : 0;
        bool                    rubs  = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_DISK;
        blocks[k]                     = (ss_block){b->kind, p->first[k], b->dim, b->mu, b->bound};
        known[k]                      = rubs && b->mode != SS_INSTANT_STICKS;
        for (int32_t i = first; known[k] && i < b->dim; i++) {
            slip[p->first[k] + i] = b->slip[i - first];
        }
    }
    out->slides = (ss_known_slips){known, slip};
    out->cone =
        (ss_cone){.n = p->rows, .nblocks = p->nblocks, .blocks = blocks, .q = p->q, .W = {0}};
    out->cone.W = (ss_matrix){.rows = p->rows, .cols = p->rows, .dense = p->W, .ld = p->rows};
    return SS_OK;
}

/* From the least forces, whose rows have no acceleration: what is beyond its bound gives way. */
static bool settle_near(ss_cone_set *s)
{
    ss_cone_set_choose(s);
    s->creeps  = true;
    bool found = ss_cone_set_settle(s, SETS) && ss_cone_set_holds(s);
    s->creeps  = false;
    return found;
}

/* Do rows that the modes hold have no acceleration in it? */
static bool keeps_modes(const ss_cone_set *s, const ss_instant_rows *r, const ss_instant_problem *p)
{
    double worst = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_instant_block *b     = &r->blocks[p->which[k]];
        bool                    slips = b->kind == SS_BLOCK_DISK || b->kind == SS_BLOCK_CONE;
        int32_t                 first = b->kind == SS_BLOCK_CONE ? 1 : 0;
        int32_t                 rows  = slips && b->mode != SS_INSTANT_STICKS ? first : b->dim;
        for (int32_t i = p->first[k]; i < p->first[k] + rows; i++) {
            worst = fmax(worst, fabs(s->u[i]));
        }
    }
    return worst <= SS_HYBRID_MOVES * s->stake;
}

ss_status ss_hybrid_share(ss_data *d, const ss_instant_rows *r, const ss_instant_problem *p,
                          double *force, bool *found)
{
    ss_cone_set s;
    whole       all;
    *found = false;
    SS_TRY(pose(d, r, p, &all));
    if (!ss_cone_set_takes(&all.cone)) {
        return SS_OK;
    }
    if (!ss_cone_set_make(&s, &all.cone, &d->scratch)) {
        return SS_ERR_SCRATCH;
    }
    s.slides = all.slides;
    if (!ss_cone_set_begin(&s, force)) {
        return SS_OK;
    }
    bool there = settle_near(&s);
    if (!there && !ss_cone_path(&s, &d->scratch, &there)) {
        return SS_ERR_SCRATCH;
    }
    *found = there && keeps_modes(&s, r, p);
    for (int32_t i = 0; *found && i < p->rows; i++) {
        force[i] = s.r[i] / s.unit[i];
    }
    return SS_OK;
}
