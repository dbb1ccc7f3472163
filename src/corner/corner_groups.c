/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corners: complementarity. Pairs of which all branches were taken, as groups of normal impulses in
 * the numbers of the polygon's LCP: problem/reduce_corner.c makes a disjunction of them. The scale
 * of its constants is the fastest that a gap of the pair can open or close, and what it starts
 * from.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "problem/reduce.h"

/* Place of a contact's block among the island's, -1: it is in another. */
static int32_t place_in(const ss_data *d, const ss_island *isl, int32_t contact)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->source == SS_ROWS_CONTACT && b->index == contact) {
            return i;
        }
    }
    return -1;
}

static double speed_scale(const ss_model *m, const ss_data *d, const ss_corner *x, double h)
{
    int32_t a = m->geoms[x->geom_a].body, b = m->geoms[x->geom_b].body;
    double  far = h * ss_approach_bound(m, d, a, b);
    for (int32_t i = 0; i < x->count; i++) {
        far = fmax(far, fabs(d->corners.contacts[x->first + i].gap));
    }
    return 4 * far / h;
}

/* False: no room. */
static bool fill_group(const ss_model *m, ss_data *d, const ss_island *isl, const ss_cone *cone,
                       const ss_corner *x, ss_corner_group *g)
{
    const ss_contact *c = d->corners.contacts + x->first;
    g->branches         = 0;
    g->start            = ss_arena_alloc(&d->scratch, (size_t)x->count + 1, sizeof *g->start);
    g->normal           = ss_arena_alloc(&d->scratch, (size_t)x->count, sizeof *g->normal);
    g->speed            = speed_scale(m, d, x, d->corners.step);
    if (!g->start || !g->normal) {
        return false;
    }
    for (int32_t i = 0; i < x->count; i++) {
        if (i == 0 || c[i].branch != c[i - 1].branch) {
            g->start[g->branches++] = i;
        }
        int32_t place = place_in(d, isl, d->corners.at[x->first + i]);
        g->normal[i]  = ss_reduce_polygon_start(cone, &m->polygon, place);
    }
    g->start[g->branches] = x->count;
    return true;
}

ss_status ss_corner_groups(const ss_model *m, ss_data *d, const ss_island *isl, const ss_cone *cone,
                           ss_corner_group **groups, int32_t *count)
{
    const ss_corners *k = &d->corners;
    *count              = 0;
    *groups             = ss_arena_alloc(&d->scratch, (size_t)k->count + 1, sizeof **groups);
    if (*groups == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < k->count; i++) {
        const ss_corner *x = &k->items[i];
        if (!x->present || !x->whole || place_in(d, isl, k->at[x->first]) < 0) {
            continue;
        }
        if (!fill_group(m, d, isl, cone, x, &(*groups)[*count])) {
            return SS_ERR_SCRATCH;
        }
        (*count)++;
    }
    return SS_OK;
}
