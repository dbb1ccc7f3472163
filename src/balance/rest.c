/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies at rest stay at rest where they can (docs/theory/rest.md).
 *
 * With friction a step may have several solutions. A pile of logs may rest, or its lowest row may
 * be pushed apart: both balance, and which one a solver finds is chance. For an island that was at
 * rest and whose solution moves, or was not found, rest is looked for:
 *
 *   find p of the touching contacts and limits in their cones, of friction with a bound within it,
 *   r of the rows that hold joints of any sign, with  J'p + J_e'r = -F,  F = M v_free    (1)
 *
 * a convex question (rest_balance.c). F has in it what acts at rest whatever else does: motors of
 * limited force that have not arrived, friction of surfaces that drift, both at their bound. p and
 * r must pass the certificate of the step as any solution must.
 *
 * Not every such p is one that nature finds: a box between two walls that it merely touches could
 * be held by them if they pressed, but nothing ever made them press. Rest is taken only if the load
 * presses the contacts that bear it: if there is a virtual motion along the load that closes them
 * all (rest_pressed.c).
 *
 * That may be a motion that the load does not make. So contacts that the load leaves idle in the
 * motion that it does make (rival.c) bear nothing at rest, unless that motion would press them by
 * itself (idle.c).
 */
#include <math.h>
#include <string.h>

#include "balance/seat.h"
#include "balance/tolerances.h"
#include "core/compare.h"
#include "linalg/vector.h"

/* Islands with more blocks than this are large: rest that was looked for in vain is not looked for
   again in the rounds of a step, nor without momentum, where it is a question in every step. */
enum { BLOCKS_LARGE = 120 };

/* Do forces balance at all, if only some that nothing makes? */
static bool balances_by_preload(ss_seat *s)
{
    return ss_rest_obeys_laws(s) && ss_seat_balance(s);
}

/* The reactions as a solution of the island's problem, if the certificate agrees. */
static ss_status take(const ss_seat *s, ss_island *isl, bool *taken)
{
    const ss_model *m    = s->m;
    ss_arena       *a    = &s->d->scratch;
    ss_solution     x    = isl->solution;
    size_t          n    = (size_t)ss_problem_size(&isl->reduced);
    size_t          nv   = (size_t)ss_problem_size_v(&isl->reduced);
    double         *work = ss_arena_alloc(a, ss_residual_work(&isl->reduced), sizeof *work);
    ss_seat         held = *s; /* s->v is the other motion, which is told */
    held.v               = ss_arena_alloc(a, (size_t)m->nv, sizeof *held.v);
    x.z                  = ss_arena_alloc(a, n, sizeof *x.z);
    x.v                  = ss_arena_alloc(a, nv, sizeof *x.v);
    if (!work || !x.z || !x.v || !held.v) {
        return SS_ERR_SCRATCH;
    }
    memset(x.v, 0, nv * sizeof *x.v);
    SS_TRY(ss_cone_of(m)->forth(m, s->d, &isl->cone.as.cone, s->r, x.z));
    x.residual = ss_residual(&isl->reduced, x.z, x.v, work);
    x.outcome  = SS_SOLVED;
    *taken     = x.residual <= m->simulation.tolerance;
    if (*taken) {
        isl->solution = x;
        isl->rests =
            ss_inertia_of(m)->balanced || ss_seat_motion(&held, s->r) <= ss_rest_rounding * s->fall;
    }
    return SS_OK;
}

/*
 * No contact, and so one motion (blocks of contacts come first); or one body on one other: what
 * holds it presses it down, and there is nothing to choose from.
 */
static bool is_simple(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    if (isl->block_count == 0) {
        return true;
    }
    const ss_row_block *first = &d->rows.blocks[isl->blocks[0]];
    const ss_row_block *last  = &d->rows.blocks[isl->blocks[isl->block_count - 1]];
    if (first->source != SS_ROWS_CONTACT) {
        return ss_inertia_of(m)->momentum;
    }
    if (isl->body_count != 1 || last->source != SS_ROWS_CONTACT) {
        return false;
    }
    const ss_contact *x = &d->contacts.items[first->index], *y = &d->contacts.items[last->index];
    return x->geom_a == y->geom_a && x->geom_b == y->geom_b;
}

/* The other solution, its fastest point at 1 m/s; or nothing. */
static void tell_other(const ss_seat *s, double speed, bool taken)
{
    ss_motions *told = &s->d->motions;
    if (!told->rested) {
        memset(told->other, 0, (size_t)s->m->nv * sizeof *told->other);
    }
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t at = s->m->bodies[s->isl->bodies[i]].v_start;
        for (int32_t c = 0; c < s->m->dof; c++) {
            told->other[at + c] = taken ? s->v[at + c] / speed : 0;
        }
    }
    told->rested = told->rested || taken;
}

/* Where joints leave nothing of the load, they bear it alone; a solver may still fail there. */
static bool held_by_joints(ss_seat *s, bool *found)
{
    double load = ss_vector_norm(s->bodies, s->load), pull = ss_vector_norm(s->bodies, s->pull);
    *found = false;
    if (!(pull <= ss_rest_balance * load)) {
        return false;
    }
    memset(s->may, 0, (size_t)s->isl->block_count * sizeof *s->may);
    *found = ss_seat_balance(s);
    return true;
}

/* Is it worth to look? Rounds ask again, of rows that hardly differ. */
static bool may_be_found(const ss_seat *s)
{
    return s->isl->block_count <= BLOCKS_LARGE ||
           (ss_inertia_of(s->m)->momentum && s->d->motions.moves != s->isl->bodies[0] + 1);
}

/* Rest, if it is found and certified. */
static ss_status look_for_rest(ss_seat *s, ss_island *isl, bool *taken)
{
    bool found;
    *taken = false;
    if (!may_be_found(s)) {
        return SS_OK;
    }
    SS_TRY(ss_seat_make_room_to_look(s, &found));
    if (!found) {
        return SS_OK;
    }
    ss_seat_gather_load(s);
    if (!held_by_joints(s, &found)) {
        SS_TRY(ss_seat_let_go_idle(s));
        SS_TRY(ss_seat_find_pressed(s, &found));
    }
    if (found) {
        SS_TRY(take(s, isl, taken));
    }
    s->d->motions.moves = *taken ? 0 : isl->bodies[0] + 1;
    if (!*taken && ss_inertia_of(s->m)->balanced && balances_by_preload(s)) {
        s->d->motions.preload = true;
    }
    return SS_OK;
}

/*
 * What held the bodies in the last step holds them still, if it balances the load: these impulses
 * were made, whatever else would have to be pressed by the load.
 */
static ss_status hold_as_before(ss_seat *s, ss_island *isl, bool *taken)
{
    size_t  n      = (size_t)isl->row_count;
    double *solved = ss_arena_alloc(&s->d->scratch, n, sizeof *solved);
    if (solved == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(solved, s->r, n * sizeof *solved);
    for (int32_t i = 0, row = 0; i < isl->block_count; row += ss_seat_block(s, i++)->dim) {
        const ss_row_block *b = ss_seat_block(s, i);
        memcpy(s->r + row, s->d->rows.impulse + b->row, (size_t)b->dim * sizeof *s->r);
    }
    if (ss_seat_motion(s, s->r) <= ss_rest_moves * s->fall) {
        SS_TRY(take(s, isl, taken));
    }
    memcpy(s->r, solved, n * sizeof *solved);
    ss_seat_motion(s, s->r);
    return SS_OK;
}

static ss_status rest_island(const ss_model *m, ss_data *d, ss_island *isl)
{
    ss_seat s = {.m = m, .d = d, .isl = isl};
    if (!ss_seat_was_at_rest(&s)) {
        return SS_OK;
    }
    SS_TRY(ss_seat_make_room(&s));
    bool solved = ss_island_exact(m, isl) || ss_island_by_motion(m, isl), taken = false;
    if (!ss_rest_obeys_laws(&s) || (solved && !ss_seat_may_have_several(&s))) {
        return SS_OK;
    }
    ss_cone_of(m)->back(m, &isl->cone.as.cone, isl->solution.z, s.r);
    double speed = ss_seat_motion(&s, s.r);
    bool   moves = speed > ss_rest_moves * s.fall;
    if (ss_inertia_of(m)->momentum && (!solved || moves)) {
        SS_TRY(hold_as_before(&s, isl, &taken));
    }
    if ((moves || !solved) && !taken) {
        SS_TRY(look_for_rest(&s, isl, &taken));
    }
    /* an exact answer may be rest by itself: what rounding left would grow */
    isl->rests = isl->rests || (ss_inertia_of(m)->momentum && ss_island_exact(m, isl) &&
                                speed <= ss_rest_rounding * s.fall);
    if (moves && solved) { /* otherwise what was told stands */
        tell_other(&s, speed, taken);
    }
    return SS_OK;
}

ss_status ss_hold_at_rest(const ss_model *m, ss_data *d, ss_island *isl, double h, bool *held)
{
    ss_seat s   = {.m = m, .d = d, .isl = isl};
    bool    few = false;
    *held       = false;
    if (!may_be_found(&s) || !ss_seat_was_at_rest(&s)) {
        return SS_OK;
    }
    SS_TRY(ss_seat_make_room(&s));
    if (ss_rest_obeys_laws(&s)) {
        SS_TRY(ss_seat_make_room_to_look(&s, &few));
    }
    if (!few) {
        return SS_OK;
    }
    ss_seat_gather_forces(&s, h);
    *held = ss_seat_balance(&s);
    for (int32_t i = 0, row = 0; *held && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(d->rows.impulse + b->row, s.r + row, (size_t)b->dim * sizeof *s.r);
        row += b->dim;
    }
    for (int32_t i = 0; *held && i < isl->body_count; i++) {
        memset(d->v_next + m->bodies[isl->bodies[i]].v_start, 0,
               (size_t)m->bodies[isl->bodies[i]].dof * sizeof *d->v_next);
    }
    return SS_OK;
}

/* Rounds without a matrix begin at rest: what holds it in the first of them balances. */
static bool is_asked(const ss_model *m, const ss_data *d)
{
    if (ss_inertia_of(m)->balanced) {
        return !d->prox.direct && d->prox.begun && !isfinite(d->prox.change);
    }
    return ss_inertia_of(m)->momentum && d->impact.phase == SS_PHASE_WHOLE;
}

ss_status ss_take_rest(const ss_model *m, ss_data *d)
{
    bool asked = is_asked(m, d) && !ss_corners_of(m)->posed && !m->compliant; /* one solution */
    d->motions.rested  = d->motions.rested && asked && d->rounds.round > 0;
    d->motions.preload = d->motions.preload && !asked;
    d->motions.moves   = d->rounds.round > 0 ? d->motions.moves : 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        d->islands[i].rests = false;
    }
    for (int32_t i = 0; asked && i < d->island_count; i++) {
        if (!is_simple(m, d, &d->islands[i])) {
            SS_TRY(rest_island(m, d, &d->islands[i]));
        }
    }
    return SS_OK;
}
