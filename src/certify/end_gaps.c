/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of geometry: implicit: 0 <= p_n _|_ psi(q') >= 0 at the configuration q' that the
 * step ends with, by gaps that are measured there, apart from the rows.
 */
#include <math.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/gaps.h"

/* What gaps of a pair are measured by: the smaller body, or the scene where there are points. */
static double pair_size(const ss_model *m, const ss_pair *p)
{
    double a = m->shapes[m->geoms[p->a].body].size, b = m->shapes[m->geoms[p->b].body].size;
    double size = ss_min(a > 0 ? a : INFINITY, b > 0 ? b : INFINITY);
    return isfinite(size) ? size : m->length;
}

/* Does any contact of the pair bear a load? The list is sorted as the pairs are. */
static bool pushes(const ss_data *d, const ss_pair *p, int32_t *at)
{
    bool loaded = false;
    while (*at < d->contacts.count && ss_is_of_pair(&d->contacts.items[*at], p)) {
        loaded = loaded || d->rows.impulse[d->rows.blocks[*at].row] > 0;
        ++*at;
    }
    return loaded;
}

ss_status ss_check_end_gaps(const ss_model *m, ss_data *d, ss_fault *fault)
{
    size_t    mark   = ss_arena_mark(&d->scratch);
    ss_frame *frames = ss_arena_alloc(&d->scratch, (size_t)m->ng, sizeof *frames);
    int32_t   at     = 0;
    if (frames == NULL) {
        return SS_ERR_SCRATCH;
    }
    ss_place_geoms(m, d->pose_next, frames);
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *p       = &d->pairs[i];
        double         allowed = SS_END_GAP * pair_size(m, p);
        bool           loaded  = pushes(d, p, &at);
        double         gap     = ss_geom_gap(m, frames, p->a, p->b, loaded ? INFINITY : 0, NULL);
        double         gives   = m->compliant ? ss_model_gives(m, p->a, p->b) : 0;
        loaded                 = loaded && !(gives > 0);
        gap += gives; /* down to the core */
        int32_t a = m->geoms[p->a].body, b = m->geoms[p->b].body;
        if (gap < -allowed && -gap > fault->size) {
            *fault = (ss_fault){SS_FAULT_OVERLAP, -gap, allowed, NULL, {a, b}};
        } else if (loaded && gap > allowed && gap > fault->size) {
            *fault = (ss_fault){SS_FAULT_HOVER, gap, allowed, NULL, {a, b}};
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
