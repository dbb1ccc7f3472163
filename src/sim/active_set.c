/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The active set of Berard's simulator (thesis 4.1): every pair of features of two bodies whose gap
 * is at most `reach` in the present state, touching or not. It is looked for beside the step, in
 * memory of its own: contacts, rows and problems of the last step stay as they are.
 */
#include <math.h>

#include "core/array.h"
#include "dynamics/stages.h"
#include "model/model.h"
#include "sim/sim.h"

static ss_status make(const ss_model *m, ss_data *d)
{
    ss_active *a = &d->near;
    if (a->broad != NULL) {
        return SS_OK;
    }
    a->frame = a->frame != NULL ? a->frame : ss_alloc(d->ctx, (size_t)m->ng, sizeof *a->frame);
    a->boxes = a->boxes != NULL ? a->boxes : ss_alloc(d->ctx, (size_t)m->ng, sizeof *a->boxes);
    if (a->frame == NULL || a->boxes == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the active set");
    }
    return ss_broadphase_create(d->ctx, m->ng, &a->broad);
}

/* Half of the reach for each of two boxes, and all of it where the other one is not grown. */
static void place(const ss_model *m, ss_data *d, int32_t g, double reach)
{
    ss_active     *a     = &d->near;
    const ss_geom *geom  = &m->geoms[g];
    ss_frame       frame = ss_pose_frame(m, &d->state.pose[geom->body]);
    ss_vec3        r     = ss_v3(reach, reach, reach);
    a->frame[g]          = ss_frame_mul(&frame, &geom->local);
    if (geom->cls->bounds == NULL) {
        a->boxes[g].low  = ss_v3(-INFINITY, -INFINITY, -INFINITY);
        a->boxes[g].high = ss_v3(INFINITY, INFINITY, INFINITY);
        return;
    }
    geom->cls->bounds(geom, &a->frame[g], &a->boxes[g]);
    a->boxes[g].low  = ss_sub(a->boxes[g].low, ss_scale(0.5, r));
    a->boxes[g].high = ss_add(a->boxes[g].high, ss_scale(0.5, r));
}

#define GROW(items, capacity, wanted)                                                              \
    ((items) = ss_array_grow(d->ctx, items, &(capacity), wanted, (wanted) + (wanted) / 2 + 16,     \
                             sizeof *(items), &ok))

static ss_status find_pairs(const ss_model *m, ss_data *d, int32_t *count)
{
    ss_active *a  = &d->near;
    int        ok = 1;
    SS_TRY(ss_broadphase_pairs(a->broad, a->boxes, ss_geoms_may_collide, m, a->pairs,
                               a->pair_capacity, count));
    if (*count > a->pair_capacity) {
        GROW(a->pairs, a->pair_capacity, *count);
        if (!ok) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d pairs", *count);
        }
        SS_TRY(ss_broadphase_pairs(a->broad, a->boxes, ss_geoms_may_collide, m, a->pairs,
                                   a->pair_capacity, count));
    }
    return SS_OK;
}

static void collide(const ss_model *m, ss_data *d, int32_t pairs, double reach)
{
    ss_active *a  = &d->near;
    a->list.count = 0;
    for (int32_t i = 0; i < pairs; i++) {
        int32_t              first = a->pairs[i].a, second = a->pairs[i].b;
        const ss_pair_entry *entry =
            &m->pair_fn[m->geom_class[first] * m->geom_class_count + m->geom_class[second]];
        a->list.geom_a = entry->swap ? second : first;
        a->list.geom_b = entry->swap ? first : second;
        entry->fn(&m->geoms[a->list.geom_a], &a->frame[a->list.geom_a], &m->geoms[a->list.geom_b],
                  &a->frame[a->list.geom_b], reach, &a->list);
    }
}

static void tell(const ss_model *m, const ss_contact *c, ss_feature_pair *out)
{
    *out = (ss_feature_pair){.body_a    = m->geoms[c->geom_a].body,
                             .body_b    = m->geoms[c->geom_b].body,
                             .geom_a    = c->geom_a,
                             .geom_b    = c->geom_b,
                             .feature_a = c->feature_a,
                             .feature_b = c->feature_b,
                             .point_a   = c->point_a,
                             .point_b   = c->point_b,
                             .normal    = c->normal,
                             .gap       = c->gap,
                             .branch_a  = (uint32_t)(c->branch >> 32),
                             .branch_b  = (uint32_t)c->branch};
}

ss_status ss_data_active_set(const ss_model *m, ss_data *d, double reach, ss_feature_pair *out,
                             int32_t capacity, int32_t *count)
{
    int32_t pairs = 0;
    int     ok    = 1;
    SS_TRY(ss_data_given(m, d, count));
    *count = 0;
    if (!(reach >= 0) || !isfinite(reach) || capacity < 0 || (out == NULL && capacity > 0)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT,
                       "the active set needs a reach >= 0 in metres and room for what it finds");
    }
    SS_TRY(make(m, d));
    for (int32_t g = 0; g < m->ng; g++) {
        place(m, d, g, reach);
    }
    SS_TRY(find_pairs(m, d, &pairs));
    collide(m, d, pairs, reach);
    if (d->near.list.count > d->near.list.capacity) {
        GROW(d->near.list.items, d->near.list.capacity, d->near.list.count);
        if (!ok) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the active set");
        }
        collide(m, d, pairs, reach);
    }
    /* pairs give what lies further off too, where they have to know it */
    for (int32_t i = 0; i < d->near.list.count; i++) {
        const ss_contact *c = &d->near.list.items[i];
        if (c->gap > reach || c->inner || c->beside) {
            continue;
        }
        if (*count < capacity) {
            tell(m, c, &out[*count]);
        }
        (*count)++;
    }
    return SS_OK;
}
