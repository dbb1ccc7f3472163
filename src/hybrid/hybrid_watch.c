/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a state shows that its modes do not allow, the quantity that has become negative first:
 *
 *   c_n                    of what touches          it leaves
 *   mu c_n - |c_f|, bound - |c_f|   of what sticks  it slips
 *   slip along its sense   of what slides           it sticks (or slides back)
 *   gap, while it closes   of what is open          an impact, or it lands
 *
 * Where forces are not unique, the first two may fail although other forces would do: whether what
 * touches then moves is asked of the complementarity problem (modes.c). So it is of what sticks and
 * accelerates all the same: friction that does nothing at an instant, since joints hold what it
 * would hold, does something at the next.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "instant/tolerances.h"
#include "model/axes.h"

static ss_event who_is(const ss_model *m, const ss_instant_rows *r, const ss_row_block *b,
                       bool contact)
{
    ss_event e = {.body_a = -1, .body_b = -1, .joint = -1, .support = -1};
    if (contact) {
        e.body_a = m->geoms[r->contacts[b->index].geom_a].body;
        e.body_b = m->geoms[r->contacts[b->index].geom_b].body;
    } else if (b->source == SS_ROWS_SUPPORT) {
        e.support = b->index;
    } else {
        e.joint = b->index;
    }
    return e;
}

ss_event ss_hybrid_who(const ss_model *m, const ss_data *d, const ss_instant_rows *r, uint64_t key)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        if (d->rows.blocks[i].key == key) {
            return who_is(m, r, &d->rows.blocks[i], i < r->contact_count);
        }
    }
    return (ss_event){.body_a = -1, .body_b = -1, .joint = -1, .support = -1};
}

static void show(ss_happening *out, int kind, uint64_t key, double value)
{
    if (out->kind < 0) {
        *out = (ss_happening){.kind = kind, .key = key, .value = value};
    }
}

static double length_of(const double *x, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* The largest friction minus the friction there is; of a polygon, its gauge. */
static double room(const ss_model *m, const ss_instant_block *b, const double *c)
{
    int32_t first = b->kind == SS_BLOCK_CONE ? 1 : 0, n = b->dim - first;
    double  most = b->kind == SS_BLOCK_CONE ? b->mu * c[0] : b->bound;
    if (n < 2 || b->kind != SS_BLOCK_CONE || !ss_cone_of(m)->flat) {
        return most - length_of(c + first, n);
    }
    double beta[SS_POLYGON_MAX + 6], sum = 0;
    ss_polygon_split(&m->polygon, n, c + first, beta);
    for (int32_t i = 0; i < ss_polygon_directions(&m->polygon, n); i++) {
        sum += beta[i];
    }
    return most - sum;
}

/* Forces of what touches. */
static void watch_force(const ss_model *m, const ss_instant_block *b, const double *c, double size,
                        ss_happening *out)
{
    bool    one_sided = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
    bool    sticks    = b->mode == SS_INSTANT_STICKS && b->kind != SS_BLOCK_UNILATERAL;
    int32_t first     = b->kind == SS_BLOCK_CONE ? 1 : 0;
    if (one_sided && c[0] < -SS_HYBRID_SHOWS * size) {
        show(out, SS_EVENT_LEAVES, b->key, c[0]);
        return;
    }
    double left = sticks ? room(m, b, c) : 0;
    if (out->kind < 0 && left < -SS_HYBRID_SHOWS * size) {
        double friction = length_of(c + first, b->dim - first);
        show(out, SS_EVENT_SLIPS, b->key, left);
        out->t = b->t;
        for (int32_t k = first; k < b->dim; k++) {
            out->slip[k - first] = -c[k] / friction;
        }
    }
}

static void watch_slip(const ss_hybrid *h, const ss_instant_block *b, const double *u,
                       ss_happening *out)
{
    int32_t first = b->kind == SS_BLOCK_CONE ? 1 : 0;
    double  along = 0;
    for (int32_t i = 0; i < h->mode_count; i++) {
        if (h->modes[i].key == b->key) {
            double slip[5];
            ss_instant_slip_of(&h->modes[i], b, slip);
            for (int32_t k = first; k < b->dim; k++) {
                along += u[k] * slip[k - first];
            }
        }
    }
    if (along < -SS_HYBRID_SHOWS / SS_INSTANT_STILL * b->none) {
        show(out, SS_EVENT_STICKS, b->key, along);
    }
}

static bool takes_part(const ss_instant_rows *r, uint64_t key)
{
    for (int32_t i = 0; i < r->nblocks; i++) {
        if (r->blocks[i].key == key) {
            return true;
        }
    }
    return false;
}

/* How far below zero a gap shows. One that cannot be met at this time is looked at again where it
   is deeper than what geometry leaves. */
static double shows_from(const ss_model *m, const ss_data *d, uint64_t key)
{
    bool lost = ss_hybrid_is_lost(d->hybrid, key);
    return -(lost ? SS_HYBRID_DEEP : SS_HYBRID_SHOWS) * m->length;
}

/* Gaps of what is open. */
static void watch_gaps(const ss_model *m, const ss_data *d, const ss_instant_rows *r, ss_near *near,
                       ss_happening *out)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b       = &d->rows.blocks[i];
        bool                contact = i < r->contact_count;
        if (!contact && b->source != SS_ROWS_LOWER && b->source != SS_ROWS_UPPER) {
            continue;
        }
        const ss_contact *c = contact ? &r->contacts[i] : NULL;
        double            gap =
            contact ? c->gap : d->rows.bias[b->row] * SS_INSTANT_NO_TIME * m->simulation.step;
        bool real = !contact || (!c->beside && !c->inner);
        if (!real || takes_part(r, b->key)) {
            continue;
        }
        if (near->count < SS_NEAR_MOST) {
            near->key[near->count]    = b->key;
            near->gap[near->count]    = gap;
            near->rate[near->count++] = r->u[b->row];
        }
        if (gap < shows_from(m, d, b->key) && r->u[b->row] < 0) {
            show(out, SS_EVENT_IMPACT, b->key, gap);
            out->rate = out->key == b->key ? r->u[b->row] : out->rate;
        }
    }
}

ss_status ss_hybrid_watch(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                          const ss_solved *x, ss_near *near, ss_happening *out)
{
    bool  any      = false;
    bool *doubtful = ss_arena_alloc(&d->scratch, (size_t)r->nblocks + 1, sizeof *doubtful);
    if (doubtful == NULL) {
        return SS_ERR_SCRATCH;
    }
    out->kind = -1;
    watch_gaps(m, d, r, near, out);
    for (int32_t i = 0; i < r->nblocks; i++) {
        const ss_instant_block *b     = &r->blocks[i];
        ss_happening            doubt = {.kind = -1};
        doubtful[i]                   = false;
        if (b->kind == SS_BLOCK_EQUALITY) {
            continue;
        }
        watch_force(m, b, x->force + b->row, x->size[i], x->loose[i] ? &doubt : out);
        doubtful[i] = doubt.kind >= 0 || x->idle[i];
        any         = any || doubtful[i];
        if (b->mode == SS_INSTANT_SLIDES && out->kind < 0) {
            watch_slip(d->hybrid, b, r->u + b->row, out);
        }
    }
    if (out->kind < 0 && any) {
        SS_TRY(ss_hybrid_moves(m, d, r, doubtful, out));
    }
    if (out->kind >= 0) {
        out->who      = ss_hybrid_who(m, d, r, out->key);
        out->who.kind = (ss_event_kind)out->kind;
    }
    return SS_OK;
}

void ss_hybrid_watch_bounce(const ss_model *m, const ss_data *d, const ss_instant_rows *r,
                            const double *a, ss_bounce *out)
{
    for (int32_t i = 0; i < r->contact_count; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        const ss_contact   *c = &r->contacts[i];
        double              u = r->u[b->row], rate = r->k[b->row];
        if (c->gap > SS_HYBRID_TOUCHES * m->length || c->beside || c->inner || !(u > 0) ||
            takes_part(r, b->key)) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            if (b->body[side] >= 0) {
                rate += ss_dot_dof(ss_row_side(m, &d->rows, b->row, side),
                                   a + m->bodies[b->body[side]].v_start, m->dof);
            }
        }
        double e = ss_model_law(m, c)->restitution;
        if (rate < 0 && e < 1 && 0.5 * u * u < -rate * SS_HYBRID_BOUNCE * m->length) {
            *out = (ss_bounce){true, b->key, -2 * u / rate / (1 - e), who_is(m, r, b, true)};
            out->who.kind = SS_EVENT_RESTS;
            return;
        }
    }
}
