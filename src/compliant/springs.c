/* SPDX-License-Identifier: Apache-2.0 */
/* Deflections are state: found again by the identity of their contacts, kept when a step ends. */
#include <math.h>

#include "compliant/compliant.h"
#include "compliant/layer.h"
#include "compliant/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "rows/contact_state.h"

static ss_spring *known_spring(ss_data *d, uint64_t key, int32_t *cursor)
{
    ss_springs *x = &d->springs;
    for (int32_t k = 0; k < x->count; k++) {
        int32_t i = *cursor + k < x->count ? *cursor + k : *cursor + k - x->count;
        if (x->items[i].key == key) {
            *cursor = i + 1 < x->count ? i + 1 : 0;
            return &x->items[i];
        }
    }
    return NULL;
}

double ss_spring_carried(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    return m->driven ? ss_driven_approach(m, d, &d->contacts.items[b->index], h) : 0;
}

static const ss_deflection *kept_deflection(const ss_data *d, uint64_t key, int32_t *cursor)
{
    const ss_state *s = &d->state;
    for (int32_t k = 0; k < s->deflection_count; k++) {
        int32_t n = s->deflection_count, i = *cursor + k < n ? *cursor + k : *cursor + k - n;
        if (s->deflection[i].key == key) {
            *cursor = i + 1 < n ? i + 1 : 0;
            return &s->deflection[i];
        }
    }
    return NULL;
}

/* J M^-1 J' of the normal row, with inertia in world axes. */
static double mobility(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    const double *J   = ss_row_side(m, &d->rows, b->row, 0);
    double        sum = 0;
    for (int side = 0; side < 2; side++, J += m->dof) {
        if (b->body[side] < 0) {
            continue;
        }
        const ss_body *body = &m->bodies[b->body[side]];
        const ss_mat3 *B    = &d->inv_inertia[b->body[side]];
        if (m->dimension == 2) {
            sum += body->inv_mass * (J[0] * J[0] + J[1] * J[1]) + B->m[8] * J[2] * J[2];
            continue;
        }
        ss_vec3 turn = ss_v3(J[3], J[4], J[5]);
        sum += body->inv_mass * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2]);
        sum += body->dof == 6 ? ss_dot(turn, ss_mul(B, turn)) : 0;
    }
    return sum;
}

/* Is the law over the step of any use? Damping that stops the motion within the step rings. */
static bool steps_over(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_spring *s, double h)
{
    return h * s->law->C[0] * mobility(m, d, b) > SS_DAMPED_OUT;
}

/* A spring of a patch has its share of the stiffness and of the damping; one that begins deeper has
   its core as much sooner. */
static const ss_compliance *share_of(const ss_compliance *whole, double share, double rest,
                                     ss_compliance *own)
{
    if ((share == 0 || share == 1) && rest == 0) {
        return whole;
    }
    *own = *whole;
    own->max_deflection -= rest;
    if (share == 0) {
        return own;
    }
    for (int i = 0; i < 9; i++) {
        own->K[i] *= share;
        own->C[i] *= share;
    }
    own->stiff2 *= share;
    return own;
}

static double rest_of(const ss_data *d, const ss_row_block *b)
{
    return b->spring > 0 ? d->springs.items[b->spring - 1].rest : 0;
}

double ss_spring_gap(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    const ss_contact *c   = &d->contacts.items[b->index];
    double            gap = c->gap + rest_of(d, b);
    return ss_in_middle(m, d, c) ? gap : gap - h * ss_spring_carried(m, d, b, h);
}

double ss_gap_unmoved(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    const ss_contact *c   = &d->contacts.items[b->index];
    double            gap = c->gap + rest_of(d, b);
    return ss_in_middle(m, d, c) ? gap + h * ss_spring_carried(m, d, b, h) : gap;
}

/* Gaps of contacts at the end of the step (geometry: implicit) as these see it. */
static double gap_at_start(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    double own = d->implicit.pass > 0 ? ss_row_rate(m, d, b, b->row, d->implicit.v) : 0;
    return ss_spring_gap(m, d, b, h) - h * own;
}

/*
 * What the state has of a spring. It goes on if it is the same one: with the same share, at the
 * same place of the bodies. If not, its energy is handed over like that of others (hand_over.c).
 */
static void take_kept(ss_spring *s, const ss_contact *c, const ss_deflection *kept)
{
    bool same = kept != NULL && (s->layer >= 0 || (kept->share == c->share && !c->drifts));
    s->normal = same ? kept->normal : 0;
    s->stored = same ? kept->energy : 0;
    s->fresh  = !same && s->overlap > 0 && s->layer < 0;
    s->known  = kept != NULL;
    if (kept != NULL) {
        double stiffer = c->share > kept->share && kept->share > 0 ? c->share / kept->share : 1;
        s->along       = ss_scale(1 / sqrt(stiffer), kept->along);
        s->rest        = ss_min(kept->rest, s->overlap);
    }
}

/* A spring of this step, before anything is known of it but its contact and the state. */
static void find_spring(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s,
                        const ss_deflection *kept, double h)
{
    const ss_contact *c = &d->contacts.items[b->index];
    s->key              = b->key;
    s->share            = c->share;
    s->body[0]          = m->geoms[c->geom_a].body;
    s->body[1]          = m->geoms[c->geom_b].body;
    s->dim              = b->dim < 3 ? b->dim : 3;
    s->overlap          = ss_max(-gap_at_start(m, d, b, h), 0);
    s->law              = ss_model_law(m, c)->gives;
    s->law              = s->layer >= 0 ? s->law : share_of(s->law, s->share, 0, &s->own);
    take_kept(s, c, kept);
}

static void start_spring(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s,
                         double h)
{
    const ss_compliance *whole = ss_model_law(m, &d->contacts.items[b->index])->gives;
    bool                 open  = s->layer >= 0 && ss_spring_gap(m, d, b, h) > 0;
    s->law   = s->layer >= 0 ? whole : share_of(whole, s->share, s->rest, &s->own);
    s->first = !ss_integrator_of(m)->second || open || steps_over(m, d, b, s, h);
    s->at    = -ss_gap_at_end(ss_gap_unmoved(m, d, b, h), ss_spring_rate(m, d, b, b->row), h);
    s->slides =
        b->dim > 1 && d->rows.impulse[b->row] > 0 && ss_at_limit(m, b, d->rows.impulse + b->row);
    s->core = s->normal >= (1 - SS_CORE_NEAR) * s->law->max_deflection &&
              d->rows.impulse[b->row] > h * ss_spring_force(s->law, s->law->max_deflection);
    s->ready = true;
}

/* The deflection at the start in the axes of this round; what overlaps is deflected. */
static void place_spring(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s,
                         double h)
{
    double             overlap = ss_max(-gap_at_start(m, d, b, h), 0);
    const ss_contact  *c       = &d->contacts.items[b->index];
    const ss_pair_law *law     = ss_model_law(m, c);
    ss_vec3            e[2], flat = ss_axpy(s->along, -ss_dot(s->along, c->normal), c->normal);
    double             size = ss_norm(s->along), left = ss_norm(flat);
    ss_contact_frame(m, c, &e[0], &e[1]);
    flat        = left > 0 ? ss_scale(size / left, flat) : flat; /* it turns with the normal */
    s->start[0] = ss_max(s->normal, ss_min(overlap, s->law->max_deflection));
    s->overlap  = overlap;
    s->scale[0] = 1;
    for (int32_t i = 1; i < 3; i++) {
        s->start[i] = i < s->dim ? ss_dot(flat, e[i - 1]) : 0;
        s->scale[i] = law->axes[i - 1];
    }
}

static bool both_smooth(const ss_data *d, const ss_row_block *b)
{
    for (int side = 0; side < 2; side++) {
        if (b->body[side] >= 0 && !d->midpoint.smooth[b->body[side]]) {
            return false;
        }
    }
    return true;
}

/* Which law it takes in this round, and from where. */
static void set_spring(const ss_model *m, ss_data *d, ss_row_block *b, double h)
{
    ss_spring *s = &d->springs.items[b->spring - 1];
    b->strikes   = s->first && s->core; /* an impact with the core */
    s->mean      = !s->first && (d->midpoint.pass == 0 || both_smooth(d, b));
    place_spring(m, d, b, s, h);
}

ss_status ss_find_springs(const ss_model *m, ss_data *d, double h)
{
    int32_t cursor = 0, kept = 0, layers = 0;
    bool    keeps_energy = ss_inertia_of(m)->momentum && !d->placed;
    if (d->contacts.count > d->springs.capacity ||
        d->contacts.count > d->state.deflection_capacity) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < d->contacts.count; i++) {
        ss_row_block *b = &d->rows.blocks[i];
        if (ss_model_law(m, &d->contacts.items[i])->gives == NULL) {
            continue;
        }
        ss_spring *s = known_spring(d, b->key, &cursor);
        if (s == NULL && d->springs.count == d->springs.capacity) {
            return SS_ERR_SCRATCH;
        }
        int32_t layer = ss_layer_of_contact(&d->springs, i, &layers);
        if (s == NULL) {
            s  = &d->springs.items[d->springs.count++];
            *s = (ss_spring){.layer = layer};
            find_spring(m, d, b, s, kept_deflection(d, b->key, &kept), h);
        }
        s->layer  = layer;
        s->cell   = layer >= 0 ? i - d->springs.layers[layer].first : 0;
        b->spring = 1 + (int32_t)(s - d->springs.items);
    }
    if (keeps_energy) {
        ss_hand_over(m, d);
    }
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->spring > 0 && !d->springs.items[b->spring - 1].ready) {
            start_spring(m, d, b, &d->springs.items[b->spring - 1], h);
        }
    }
    ss_layers_agree(d);
    for (int32_t i = 0; i < d->contacts.count; i++) {
        if (d->rows.blocks[i].spring > 0) {
            set_spring(m, d, &d->rows.blocks[i], h);
        }
    }
    return SS_OK;
}

void ss_keep_deflections(const ss_model *m, ss_data *d)
{
    d->state.deflection_count = 0;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->spring == 0) {
            continue;
        }
        const ss_spring *s = &d->springs.items[b->spring - 1];
        if (s->end[0] == 0 && s->end[1] == 0 && s->end[2] == 0 && s->rest == 0) {
            continue;
        }
        ss_deflection *x = &d->state.deflection[d->state.deflection_count++];
        ss_vec3        t, o;
        ss_contact_frame(m, &d->contacts.items[i], &t, &o);
        *x = (ss_deflection){
            .key = b->key, .rest = s->rest, .share = s->share, .body = {s->body[0], s->body[1]}};
        x->normal = s->end[0];
        x->along  = ss_add(ss_scale(s->end[1], t), ss_scale(s->end[2], o));
        x->energy = s->energy;
    }
}

/* What contacts of a layer store by overlapping at the start: of links one half each. */
static void start_layers(const ss_model *m, ss_data *d, const int32_t *at)
{
    for (int32_t k = 0; k < d->springs.link_count; k++) {
        const ss_link *link  = &d->springs.links[k];
        ss_deflection *a     = at[link->a] >= 0 ? &d->state.deflection[at[link->a]] : NULL;
        ss_deflection *b     = at[link->b] >= 0 ? &d->state.deflection[at[link->b]] : NULL;
        double         x     = (a != NULL ? a->normal : 0) - (b != NULL ? b->normal : 0);
        double         K     = ss_model_law(m, &d->contacts.items[link->a])->gives->K[0];
        ss_deflection *of[2] = {a != NULL ? a : b, b != NULL ? b : a};
        for (int i = 0; i < 2 && of[i] != NULL; i++) {
            of[i]->energy += 0.25 * link->weight * K * x * x;
        }
    }
}

ss_status ss_start_deflections(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    d->rows.nblocks = d->contacts.count; /* what room is asked for */
    int32_t *at     = ss_arena_alloc(&d->scratch, (size_t)d->contacts.count, sizeof *at);
    if (d->contacts.count > d->state.deflection_capacity || at == NULL) {
        return SS_ERR_SCRATCH;
    }
    d->state.deflection_count = 0;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        at[i]                    = -1;
        const ss_contact    *c   = &d->contacts.items[i];
        const ss_compliance *law = ss_model_law(m, c)->gives;
        if (law != NULL && c->gap < 0) {
            ss_compliance own;
            double        x  = ss_min(-c->gap, law->max_deflection);
            law              = share_of(law, c->share, 0, &own);
            at[i]            = d->state.deflection_count;
            ss_deflection *y = &d->state.deflection[d->state.deflection_count++];
            *y               = (ss_deflection){.key    = ss_contact_key(c),
                                               .normal = x,
                                               .energy = ss_spring_energy(law, x),
                                               .share  = c->share,
                                               .body   = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body}};
        }
    }
    start_layers(m, d, at);
    return SS_OK;
}
