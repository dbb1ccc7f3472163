/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wedging and jamming (Gavrea, section 3; Whitney 1982; docs/theory/wedging-jamming.md), told by
 * the friction cone FC of the closed contacts (contact_cone.c):
 *
 *   wedging   FC holds a line: contact forces that are not all zero cancel, so that contacts can
 *             press against each other with no load and may resist any
 *   jamming   FC is pointed and nothing moves: the forces of the step, which are in FC, balance
 *             the load, and a load of another direction would move the bodies
 *
 * FC is looked at where the step starts (Gavrea's q^l) and with the contacts that are closed where
 * it ends; one of them not pointed is wedging.
 */
#include "analysis/hold.h"

#include <math.h>
#include <string.h>

#include "analysis/contact_cone.h"
#include "analysis/tolerances.h"
#include "dynamics/coordinates.h"
#include "model/axes.h"

/* Islands with more closed contacts are not judged in every step while a run goes on; nor, where a
   step failed, with more than the second. */
enum { CONTACTS_MAX = 48, CONTACTS_FAILED = 500 };

/* Which contacts are looked at, how much wider than they are, and how many at most. */
typedef struct look {
    ss_moment when;
    double    wider;
    int32_t   most;
} look;

/*
 * Does nothing move? In a medium the measure is how fast the load alone would move the bodies;
 * otherwise a step's motion is compared with the size of things.
 */
static bool at_rest(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double speed = 0, alone = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        int32_t at = m->bodies[isl->bodies[i]].v_start;
        speed      = fmax(speed, ss_speed_of(m, isl->bodies[i], d->v_next + at));
        alone      = fmax(alone, ss_speed_of(m, isl->bodies[i], d->v_free + at));
    }
    return speed <=
           (ss_inertia_of(m)->medium ? SS_HOLD_SLOW * alone : SS_HOLD_STILL * m->length / d->part);
}

static ss_hold together(ss_answer pointed, bool rest, bool loaded)
{
    if (pointed != SS_YES) {
        return pointed == SS_NO ? SS_HOLD_WEDGED : SS_HOLD_UNDECIDED;
    }
    return rest && loaded ? SS_HOLD_JAMMED : SS_HOLD_FREE;
}

/* One contact cannot press against itself, unless a joint lends a hand. */
static bool trivially_pointed(const ss_cone_size *s)
{
    return s->closed <= 1 && s->joint_rows == 0;
}

/* ---- every step ---- */

/* Cones a little wider than they are, for what is wedged at the limit of friction. */
static void widen(ss_contact_cone *c, double by)
{
    for (int32_t i = 0; i < c->sum.count; i++) {
        c->pieces[i].mu *= 1 + by;
    }
}

static ss_status judge_cone(const ss_model *m, ss_data *d, const ss_island *isl,
                            const ss_cone_size *size, const look *at, ss_hold *hold)
{
    bool            rest = at_rest(m, d, isl), trivial = trivially_pointed(size);
    ss_contact_cone c;
    if (size->closed == 0) {
        *hold = SS_HOLD_UNTESTED;
    } else if (size->closed > at->most) {
        *hold = SS_HOLD_UNDECIDED;
    } else if (trivial && !rest) {
        *hold = SS_HOLD_FREE;
    } else {
        size_t mark = ss_arena_mark(&d->scratch);
        SS_TRY(ss_contact_cone_gather(m, d, isl, at->when, &d->scratch, &c));
        widen(&c, at->wider);
        *hold = together(trivial ? SS_YES : ss_cone_pointed(&c.sum, c.work, NULL, NULL), rest,
                         c.loaded > 0);
        ss_arena_release(&d->scratch, mark);
    }
    return SS_OK;
}

static ss_status judge_island(const ss_model *m, ss_data *d, const ss_island *isl, ss_hold *hold)
{
    ss_cone_size start = ss_contact_cone_size(m, d, isl, SS_AT_START);
    ss_cone_size end   = ss_contact_cone_size(m, d, isl, SS_AT_END);
    SS_TRY(judge_cone(m, d, isl, &end, &(look){SS_AT_END, 0, CONTACTS_MAX}, hold));
    if (start.closed > 1 && (start.closed != end.closed || start.which != end.which)) {
        ss_hold before;
        SS_TRY(judge_cone(m, d, isl, &start, &(look){SS_AT_START, 0, CONTACTS_MAX}, &before));
        *hold = before > *hold ? before : *hold;
    }
    return SS_OK;
}

ss_status ss_judge_hold(const ss_model *m, ss_data *d)
{
    if (ss_inertia_of(m)->momentum) {
        return SS_OK;
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_hold hold;
        SS_TRY(judge_island(m, d, &d->islands[i], &hold));
        d->report.hold = hold > d->report.hold ? hold : d->report.hold;
    }
    return SS_OK;
}

/* Touching at the start, or bearing load in what a solver left behind. */
static ss_status judge_unsolved(const ss_model *m, ss_data *d, const ss_island *isl, bool *wedged)
{
    static const look looks[] = {{SS_AT_START, SS_WEDGED_NEARLY, CONTACTS_FAILED},
                                 {SS_WHERE_LOADED, SS_WEDGED_NEARLY, CONTACTS_FAILED}};
    for (int i = 0; i < 2 && !*wedged; i++) {
        ss_cone_size size = ss_contact_cone_size(m, d, isl, looks[i].when);
        ss_hold      hold = SS_HOLD_UNTESTED;
        SS_TRY(judge_cone(m, d, isl, &size, &looks[i], &hold));
        *wedged = hold == SS_HOLD_WEDGED;
    }
    return SS_OK;
}

ss_status ss_wedged_unsolved(const ss_model *m, ss_data *d, bool *wedged)
{
    *wedged = false;
    for (int32_t i = 0; i < d->island_count && !*wedged; i++) {
        if (d->islands[i].solution.outcome != SS_SOLVED) {
            SS_TRY(judge_unsolved(m, d, &d->islands[i], wedged));
        }
    }
    return SS_OK;
}

const char *ss_hold_text(ss_hold hold)
{
    static const char *const names[SS_HOLD_COUNT] = {"untested", "free", "undecided", "jammed",
                                                     "wedged"};
    return names[hold];
}

/* ---- the same question asked from outside, with the forces ---- */

typedef struct question {
    const ss_model *m;
    const ss_data  *d;
    double (*forces)[6];
    int32_t   capacity;
    ss_arena *a;
} question;

/* Forces of one contact, undoing the scale of friction ellipsoids (rows/contact_rows.c:
 * scale_rows). */
static void put_forces(const question *q, const ss_row_block *b, const double *p, double factor)
{
    if (q->forces == NULL || b->source != SS_ROWS_CONTACT || b->index >= q->capacity) {
        return;
    }
    const double *axes = ss_model_law(q->m, &q->d->contacts.items[b->index])->axes;
    for (int32_t k = 0; k < b->dim && k < 6; k++) {
        q->forces[b->index][k] = p[k] * factor * (k > 0 ? axes[k - 1] : 1);
    }
}

/* The witness of an island: forces that cancel, or those that bear the load. */
static void write_witness(const question *q, const ss_contact_cone *c, ss_hold hold,
                          const double *cancel)
{
    for (int32_t i = 0; i < c->sum.count; i++) {
        const ss_row_block *b = &q->d->rows.blocks[c->block[i]];
        if (hold == SS_HOLD_WEDGED) {
            put_forces(q, b, cancel + 6 * (ptrdiff_t)i, 1);
        } else if (hold == SS_HOLD_JAMMED) {
            put_forces(q, b, q->d->rows.impulse + b->row, 1 / q->d->part);
        }
    }
}

/*
 * Do forces of a pointed cone, and bounded ones, balance the load? Exactly if the cone with the
 * load as one more edge is not pointed. All is measured against the load.
 */
static ss_answer balances(ss_contact_cone *c)
{
    if (!(c->loaded > 0)) {
        return SS_YES;
    }
    for (int32_t i = 0; i < c->sum.n; i++) {
        c->load[i] /= c->loaded;
    }
    for (int32_t i = 0; i < c->set.count; i++) {
        c->disk_bound[i] /= c->loaded;
    }
    c->sum.load      = &c->set;
    ss_answer answer = ss_cone_pointed(&c->sum, c->work, NULL, NULL);
    return answer == SS_YES ? SS_NO : answer == SS_NO ? SS_YES : SS_UNDECIDED;
}

static ss_status ask_cone(const question *q, const ss_island *isl, ss_moment when,
                          ss_hold_verdict *out)
{
    ss_contact_cone c;
    SS_TRY(ss_contact_cone_gather(q->m, q->d, isl, when, q->a, &c));
    double *cancel = ss_arena_alloc(q->a, 6 * (size_t)c.sum.count + 1, sizeof *cancel);
    if (cancel == NULL) {
        return SS_ERR_SCRATCH;
    }
    *out         = (ss_hold_verdict){.contacts = c.sum.count, .held = SS_UNDECIDED};
    out->at_rest = at_rest(q->m, q->d, isl);
    out->pointed = ss_cone_pointed(&c.sum, c.work, cancel, NULL);
    if (c.sum.count > 0) {
        out->hold = together(out->pointed, out->at_rest, c.loaded > 0);
    }
    if (out->pointed == SS_YES) {
        out->held = balances(&c);
    }
    write_witness(q, &c, out->hold, cancel);
    return SS_OK;
}

/* The cone where the step starts counts if it is the worse one. */
static ss_status ask_island(const question *q, const ss_island *isl, ss_hold_verdict *out)
{
    ss_hold_verdict start;
    SS_TRY(ask_cone(q, isl, SS_AT_END, out));
    if (out->hold < SS_HOLD_WEDGED) {
        SS_TRY(ask_cone(q, isl, SS_AT_START, &start));
        if (start.hold > out->hold) {
            *out = start;
        }
    }
    return SS_OK;
}

/* No before undecided before yes. */
static ss_answer worse(ss_answer a, ss_answer b)
{
    if (a == SS_NO || b == SS_NO) {
        return SS_NO;
    }
    return a == SS_UNDECIDED ? a : b;
}

static void merge(ss_hold_verdict *all, const ss_hold_verdict *one)
{
    all->contacts += one->contacts;
    all->at_rest = all->at_rest && one->at_rest;
    all->pointed = worse(all->pointed, one->pointed);
    all->held    = worse(all->held, one->held);
    all->hold    = one->hold > all->hold ? one->hold : all->hold;
}

static ss_status ask(const question *q, ss_hold_verdict *out)
{
    *out = (ss_hold_verdict){.at_rest = true, .pointed = SS_YES, .held = SS_YES};
    if (q->forces != NULL) {
        memset(q->forces, 0, (size_t)q->capacity * sizeof *q->forces);
    }
    for (int32_t i = 0; i < q->d->island_count; i++) {
        ss_hold_verdict one;
        size_t          mark = ss_arena_mark(q->a);
        SS_TRY(ask_island(q, &q->d->islands[i], &one));
        ss_arena_release(q->a, mark);
        if (one.contacts > 0) {
            merge(out, &one);
        }
    }
    return SS_OK;
}

ss_status ss_analyze_hold(const ss_model *m, const ss_data *d, ss_hold_verdict *out,
                          double (*forces)[6], int32_t capacity)
{
    ss_arena  a      = {0};
    question  q      = {m, d, forces, capacity, &a};
    ss_status status = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        ss_arena_reset(&a);
        status = ask(&q, out);
        if (status == SS_ERR_SCRATCH) {
            SS_TRY(ss_arena_grow(d->ctx, &a));
        }
    }
    ss_arena_free(d->ctx, &a);
    return status;
}
