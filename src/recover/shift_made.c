/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlaps that a step made by itself.
 *
 * Where the true gaps at the end of a step fail the certificate, rows that are linear in the step
 * have missed what is not: the point at which a flat side of a superellipsoid touches runs across
 * it within the step, however short the step is. Then overlaps that the step made are taken out
 * where they are (ss_shift_made):
 *
 *   J'_n x >= depth - max(depth before - h s, 0)      J': at the end of the step
 *
 * with contacts that are found there anew, and contacts of other pairs as in shift.c. Moving bodies
 * apart lifts some of them, so that more than a small part of a body is not moved: such steps are
 * cut, which makes it less.
 *
 * Sweeps do not lift 1 kg off the grain of a milligram that it presses onto the floor. In the
 * smallest part of a step, which is not cut, displacements are therefore measured as if all bodies
 * had one mass: the heavy one gives way as much as the grain.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/gaps.h"
#include "dynamics/tolerances.h"
#include "recover/shift.h"

/* A contact at the end of the step, with the rows that it has there. */
typedef struct fresh_contact {
    int32_t body[2];
    double  J[12], Y[12];
    double  r;
} fresh_contact;

typedef struct making {
    ss_shifting     s;
    const ss_frame *was, *now; /* (ng) of geoms before the step, and where it left them */
    ss_contact     *contacts;  /* (SS_PAIR_CONTACTS) of one pair */
    fresh_contact  *fresh;     /* (room) */
    int32_t         count, room;
    int32_t        *deep; /* (pair_count) the pairs that have fresh contacts, deep_count of them */
    int32_t         deep_count;
} making;

/* The normal row of a contact where the step left the bodies (rows/contact_rows.c). */
static void put_normal(const making *k, const ss_contact *c, fresh_contact *f)
{
    const ss_model *m = k->s.m;
    for (int side = 0; side < 2; side++) {
        int32_t        body = m->geoms[side == 0 ? c->geom_a : c->geom_b].body;
        const ss_body *b    = &m->bodies[body];
        f->body[side]       = ss_body_moves(b) ? body : -1;
        if (!ss_body_moves(b)) {
            continue;
        }
        double *J   = f->J + (ptrdiff_t)side * m->dof;
        ss_vec3 arm = ss_sub(side == 0 ? c->point_a : c->point_b, k->s.d->pose_next[body].p);
        ss_vec3 n = ss_scale(side == 0 ? -1 : 1, c->normal), w = ss_cross(arm, n);
        ss_vec3 roll = ss_scale(side == 0 ? 1 : -1, c->roll);
        w            = b->dof < m->dof ? ss_v3(0, 0, 0) : ss_add(w, roll);
        if (m->dimension == 3) {
            memcpy(J, (double[]){n.x, n.y, n.z, w.x, w.y, w.z}, 6 * sizeof *J);
        } else {
            memcpy(J, (double[]){n.x, n.y, w.z}, 3 * sizeof *J);
        }
        ss_body_response(&k->s.d->matrix[body], J, f->Y + (ptrdiff_t)side * m->dof, m->dof);
    }
}

/* How much of a pair's depth goes: what the step made, and of the rest what a step may take. */
static void add_fresh(making *k, int32_t index, double target)
{
    const ss_pair *pair  = &k->s.d->pairs[index];
    int32_t        count = ss_geom_contacts(k->s.m, k->now, pair->a, pair->b, k->contacts);
    for (int32_t i = 0; i < count && k->count < k->room; i++) {
        const ss_contact *c = &k->contacts[i];
        fresh_contact    *f = &k->fresh[k->count];
        put_normal(k, c, f);
        f->r = -target - c->gap;
        k->count += f->body[0] >= 0 || f->body[1] >= 0;
        k->s.largest = ss_max(k->s.largest, f->r);
    }
    if (count > 0) {
        k->deep[k->deep_count++] = index;
    }
}

/* False: the step made more of an overlap than may be moved away. */
static bool find_made(making *k)
{
    const ss_model *m = k->s.m;
    const ss_data  *d = k->s.d;
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *p     = &d->pairs[i];
        double         gives = m->compliant ? ss_model_gives(m, p->a, p->b) : 0; /* to the core */
        double         depth = -ss_geom_gap(m, k->now, p->a, p->b, 0, NULL) - gives;
        bool           soft  = m->compliant && ss_model_coreless(m, p->a, p->b);
        if (soft || depth <= SS_OVERLAP_ROUNDING * m->length) {
            continue; /* what gives is not taken apart: its overlap is a deflection */
        }
        int32_t a = m->geoms[p->a].body, b = m->geoms[p->b].body;
        double  size = ss_shift_size(m, a, b), rate = ss_shift_rate(&k->s, a, b);
        double  before = -ss_geom_gap(m, k->was, p->a, p->b, 0, NULL) - gives;
        double  target = ss_max(0, before - k->s.h * rate);
        double  most   = d->cut.part.smallest ? SS_OVERLAP_MADE_LAST : SS_OVERLAP_MADE;
        if (depth > target + most * size) {
            return false;
        }
        if (depth > target) {
            add_fresh(k, i, gives + target);
        }
    }
    return true;
}

static bool is_deep(const making *k, const ss_contact *c)
{
    for (int32_t i = 0; i < k->deep_count; i++) {
        const ss_pair *p = &k->s.d->pairs[k->deep[i]];
        if ((p->a == c->geom_a && p->b == c->geom_b) || (p->b == c->geom_a && p->a == c->geom_b)) {
            return true;
        }
    }
    return false;
}

/* Contacts of the other pairs may close, no more; joints stay as they are. */
static void add_others(making *k)
{
    ss_shifting   *s = &k->s;
    const ss_data *d = s->d;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        const ss_contact   *c = &d->contacts.items[b->index];
        if (b->spring > 0) {
            continue;
        }
        if (b->source == SS_ROWS_CONTACT && !is_deep(k, c)) {
            ss_shift_row row = ss_shift_row_of(s, b, b->row, 0);
            double       gap = c->gap + s->h * d->rows.velocity[b->row];
            gap += d->shift.any ? ss_shift_along(s, &row, d->shift.by) : 0;
            row.r = -ss_max(gap, 0);
            ss_shift_add(s, row);
        } else if (b->source == SS_ROWS_JOINT) {
            ss_shift_add_joint(s, b);
        }
    }
}

static bool make_fresh_room(making *k)
{
    const ss_model *m       = k->s.m;
    ss_arena       *scratch = &k->s.d->scratch;
    ss_frame       *was     = ss_arena_alloc(scratch, (size_t)m->ng, sizeof *was);
    ss_frame       *now     = ss_arena_alloc(scratch, (size_t)m->ng, sizeof *now);
    k->room                 = 4 * k->s.d->pair_count + SS_PAIR_CONTACTS;
    k->contacts             = ss_arena_alloc(scratch, SS_PAIR_CONTACTS, sizeof *k->contacts);
    k->fresh                = ss_arena_alloc(scratch, (size_t)k->room, sizeof *k->fresh);
    k->deep                 = ss_arena_alloc(scratch, (size_t)k->s.d->pair_count, sizeof *k->deep);
    if (!was || !now || !k->contacts || !k->fresh || !k->deep ||
        !ss_shift_room(&k->s, k->s.d->rows.nrows + k->room)) {
        return false;
    }
    ss_place_geoms(m, k->s.d->state.pose, was);
    ss_place_geoms(m, k->s.d->pose_next, now);
    k->was = was;
    k->now = now;
    return true;
}

ss_status ss_shift_made(const ss_model *m, ss_data *d, double h, bool *moved)
{
    making k = {
        .s = {.m = m, .d = d, .h = h, .even = d->cut.part.smallest, .all = d->cut.part.exactly}};
    size_t mark = ss_arena_mark(&d->scratch);
    if (!make_fresh_room(&k)) {
        return SS_ERR_SCRATCH;
    }
    *moved = find_made(&k) && k.count > 0;
    if (*moved) {
        for (int32_t i = 0; i < k.count; i++) {
            const fresh_contact *f = &k.fresh[i];
            ss_shift_add(
                &k.s, (ss_shift_row){.sides = 2, .body = f->body, .J = f->J, .Y = f->Y, .r = f->r});
        }
        add_others(&k);
        ss_shift_move(&k.s);
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
