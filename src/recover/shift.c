/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlaps are corrected in position, apart from momentum. Rows do not push them apart (the gap
 * term of a contact that overlaps is zero: rows/contact_rows.c); after the step the bodies are
 * moved by the least displacement x, measured by A, that takes overlaps out and makes no new ones:
 *
 *   min x'A x / 2   subject to   J_n x >= r,   J_joint x = 0
 *
 *   r = min(depth, h k s + h^2 (w_a^2 r_a + w_b^2 r_b))    of contacts that overlap, s: the smaller
 *       body's size: an overlap shrinks at k = 1 body size a second (of that, the last term is what
 *       turning made in this step), so that one of a hundredth of a body is gone after 10 ms. What
 *       happens to parts of millimetres and below happens faster, within the time sqrt(s/g) that a
 *       fall of their size takes: k = sqrt(g/s)/32 where that is more, g being the acceleration by
 *       the forces of the step;
 *   r = -gap    of contacts that are open: they may close, no more.
 *
 * x = A^-1 J'l with l >= 0 by Gauss-Seidel (Cottle, Pang, Stone 1992, 5.2), started from zero: each
 * sweep lowers the distance to the solution, so ending early corrects less, never wrongly by much.
 * What it leaves is judged by the true gaps (certify/gaps_joints.c) like any other motion.
 * Velocities are not touched.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/tolerances.h"
#include "recover/shift.h"
#include "recover/tolerances.h"

/* Large piles, which are solved to a motion error, get a few sweeps a step: the next ones go on. */
enum { MOST_SWEEPS = 200, PILE_SWEEPS = 4 };

static double body_size(const ss_model *m, int32_t body)
{
    double size = m->shapes[body].size;
    return size > 0 ? size : INFINITY;
}

double ss_shift_size(const ss_model *m, int32_t a, int32_t b)
{
    double size = ss_min(body_size(m, a), body_size(m, b));
    return isfinite(size) ? size : m->length;
}

static double turned_off(const ss_model *m, const ss_data *d, int32_t body, double h)
{
    if (m->bodies[body].type == SS_BODY_STATIC) {
        return 0;
    }
    ss_vec3 w = d->twist_next[body].w;
    return h * h * ss_turned_way(ss_dot(w, w), m->bodies[body].extent);
}

/* How deep a contact is at the end of the step, as far as it is the pair that overlaps. */
static double depth_of(const ss_shifting *s, const ss_contact *c, const ss_row_block *b)
{
    double depth = -(c->gap + s->h * (s->d->rows.velocity[b->row] + b->bends));
    if (b->spring > 0) {
        const ss_spring *x = &s->d->springs.items[b->spring - 1];
        return depth - x->rest - x->law->max_deflection; /* of the core */
    }
    return c->branch == 0 || depth < 0 ? depth : ss_min(depth, ss_max(-c->apart, 0));
}

/* How fast forces alone make a body. */
static double acceleration(const ss_shifting *s, int32_t body)
{
    const ss_body *b = &s->m->bodies[body];
    return ss_body_moves(b) ? b->inv_mass * ss_norm(s->d->applied[body].force) : 0;
}

double ss_shift_rate(const ss_shifting *s, int32_t a, int32_t o)
{
    double g = ss_max(acceleration(s, a), acceleration(s, o)), size = ss_shift_size(s->m, a, o);
    return size * ss_max(1, SS_SHRINKS_IN_FALL * sqrt(g / size));
}

/* J x >= this. */
static double wanted(const ss_shifting *s, const ss_contact *c, const ss_row_block *b)
{
    const ss_model *m = s->m;
    int32_t         a = m->geoms[c->geom_a].body, o = m->geoms[c->geom_b].body;
    double          depth = depth_of(s, c, b);
    if (depth > SS_OVERLAP_ROUNDING * m->length) {
        double most = s->h * ss_shift_rate(s, a, o) + turned_off(m, s->d, a, s->h) +
                      turned_off(m, s->d, o, s->h);
        return ss_min(depth, most);
    }
    return ss_min(depth, 0);
}

/* Which islands have something to correct. */
static bool find_overlaps(ss_shifting *s)
{
    ss_data *d = s->d;
    memset(s->island, 0, (size_t)d->island_count * sizeof *s->island);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_CONTACT) {
            double r = wanted(s, &d->contacts.items[b->index], b);
            if (r > 0) {
                s->island[b->island] = true;
                s->largest           = ss_max(s->largest, r);
            }
        }
    }
    return s->largest > 0;
}

static double response(const ss_shifting *s, const ss_shift_row *x)
{
    double w = 0;
    for (int side = 0; side < x->sides; side++) {
        ptrdiff_t at = (ptrdiff_t)side * s->m->dof;
        w += x->body[side] >= 0 ? x->by[side] * ss_dot_dof(x->J + at, x->Y + at, s->m->dof) : 0;
    }
    return w;
}

/* J x of a row for a displacement x of all bodies. */
double ss_shift_along(const ss_shifting *s, const ss_shift_row *row, const double *x)
{
    double sum = 0;
    for (int side = 0; side < row->sides; side++) {
        if (row->body[side] >= 0) {
            const double *of = x + s->m->bodies[row->body[side]].v_start;
            sum += ss_dot_dof(row->J + (ptrdiff_t)side * s->m->dof, of, s->m->dof);
        }
    }
    return sum;
}

ss_shift_row ss_shift_row_of(const ss_shifting *s, const ss_row_block *b, int32_t row, double r)
{
    return (ss_shift_row){.sides = b->sides,
                          .body  = b->body,
                          .J     = ss_row_side(s->m, &s->d->rows, row, 0),
                          .Y     = ss_response_side(s->m, s->d, row, 0),
                          .r     = r,
                          .brief = !ss_island_exact(s->m, &s->d->islands[b->island])};
}

void ss_shift_add(ss_shifting *s, ss_shift_row row)
{
    for (int side = 0; side < row.sides; side++) {
        row.by[side] = s->even && row.body[side] >= 0 ? s->m->bodies[row.body[side]].mass : 1;
    }
    double w = response(s, &row);
    if (w > 0) {
        for (int side = 0; side < row.sides; side++) {
            row.of[side] = row.body[side] >= 0 ? s->m->bodies[row.body[side]].v_start : -1;
        }
        row.inv_w           = 1 / w;
        s->rows[s->count++] = row;
    }
}

void ss_shift_add_joint(ss_shifting *s, const ss_row_block *b)
{
    for (int32_t k = 0; k < b->dim; k++) {
        ss_shift_row row = ss_shift_row_of(s, b, b->row + k, 0);
        row.equal        = true;
        ss_shift_add(s, row);
    }
}

static void add_rows(ss_shifting *s)
{
    const ss_data *d = s->d;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (!s->island[b->island]) {
            continue;
        }
        if (b->source == SS_ROWS_CONTACT) {
            ss_shift_add(s,
                         ss_shift_row_of(s, b, b->row, wanted(s, &d->contacts.items[b->index], b)));
        } else if (b->source == SS_ROWS_JOINT) {
            ss_shift_add_joint(s, b);
        }
    }
}

/* One row of a sweep; returns how far it moved the contact. */
static inline double relax(const ss_shifting *s, ss_shift_row *x)
{
    const int32_t dof = s->m->dof;
    double        sum = 0;
    for (int side = 0; side < x->sides; side++) {
        sum += x->of[side] >= 0 ? ss_dot_dof(x->J + (ptrdiff_t)side * dof, s->x + x->of[side], dof)
                                : 0;
    }
    double l = x->l + (x->r - sum) * x->inv_w;
    l        = x->equal ? l : ss_max(l, 0);
    if (l == x->l) {
        return 0;
    }
    double change = l - x->l;
    x->l          = l;
    for (int side = 0; side < x->sides; side++) {
        if (x->of[side] >= 0) {
            ss_add_dof(s->x + x->of[side], x->by[side] * change, x->Y + (ptrdiff_t)side * dof, dof);
        }
    }
    return fabs(change) / x->inv_w;
}

/* One sweep there and one back, so that no side comes first; returns the largest move. */
static double there_and_back(ss_shifting *s, bool all)
{
    double moved = 0;
    for (int32_t i = 0; i < s->count; i++) {
        moved = all || !s->rows[i].brief ? ss_max(moved, relax(s, &s->rows[i])) : moved;
    }
    for (int32_t i = s->count - 1; i >= 0; i--) {
        moved = all || !s->rows[i].brief ? ss_max(moved, relax(s, &s->rows[i])) : moved;
    }
    return moved;
}

static void sweep(ss_shifting *s)
{
    double moved = INFINITY;
    for (int k = 0; k < MOST_SWEEPS && moved > SS_SHIFT_SETTLED * s->largest; k++) {
        moved = there_and_back(s, s->all || k < PILE_SWEEPS);
    }
}

static void move_body(const ss_shifting *s, int32_t i)
{
    const ss_model *m = s->m;
    const ss_body  *b = &m->bodies[i];
    const double   *x = s->x + b->v_start;
    ss_pose        *p = &s->d->pose_next[i];
    p->p              = ss_add(p->p, ss_v3(x[0], x[1], m->dimension == 3 ? x[2] : 0));
    if (b->dof < m->dof) {
        return;
    }
    if (m->dimension == 2) {
        p->angle += x[2];
    } else {
        ss_turn_in_place(b, ss_v3(x[3], x[4], x[5]), p, &s->d->twist_next[i]);
    }
}

void ss_begin_corrections(ss_data *d)
{
    d->shift.any   = false;
    d->shift.put   = false;
    d->shift.moved = d->pose_next;
}

void ss_keep_bare_poses(const ss_model *m, ss_data *d)
{
    if (!d->shift.any) {
        memcpy(d->shift.bare, d->pose_next, (size_t)m->nb * sizeof *d->shift.bare);
        memset(d->shift.by, 0, (size_t)m->nv * sizeof *d->shift.by);
        d->shift.moved = d->shift.bare;
        d->shift.any   = true;
    }
}

void ss_shift_move(ss_shifting *s)
{
    const ss_model *m = s->m;
    ss_data        *d = s->d;
    sweep(s);
    if (!s->all) {
        ss_shift_limit(s);
    }
    ss_keep_bare_poses(m, d);
    for (int32_t i = 0; i < m->nv; i++) {
        d->shift.by[i] += s->x[i];
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            move_body(s, i);
        }
    }
}

bool ss_shift_room(ss_shifting *s, int32_t rows)
{
    s->rows = ss_arena_alloc(&s->d->scratch, (size_t)rows, sizeof *s->rows);
    s->x    = ss_arena_alloc(&s->d->scratch, (size_t)s->m->nv, sizeof *s->x);
    if (!s->rows || !s->x) {
        return false;
    }
    memset(s->x, 0, (size_t)s->m->nv * sizeof *s->x);
    return true;
}

ss_status ss_shift_overlaps(const ss_model *m, ss_data *d, double h)
{
    ss_shifting s = {.m = m, .d = d, .h = h};
    if (m->as_printed || d->contacts.count == 0) {
        return SS_OK;
    }
    size_t mark = ss_arena_mark(&d->scratch);
    s.island    = ss_arena_alloc(&d->scratch, (size_t)d->island_count, sizeof *s.island);
    if (s.island == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (find_overlaps(&s)) {
        if (!ss_shift_room(&s, d->rows.nrows)) {
            return SS_ERR_SCRATCH;
        }
        add_rows(&s);
        ss_shift_move(&s);
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
