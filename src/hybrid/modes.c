/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes at a state. Those that were there before an event, changed as the event says, hold if the
 * forces that follow from them show nothing (hybrid_watch.c). Otherwise the complementarity problem
 * of the instant is solved; of several solutions the one is taken that constrains the motion least
 * (Gauss: least sum of c.W c), or that which was asked for. Where there is none, that is Painleve's
 * paradox, and the run ends: an impact without a collision would have to follow.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "instant/tolerances.h"
#include "rows/sliding_law.h"
#include "sim/sim.h"

ss_mode_entry *ss_hybrid_mode(ss_hybrid *h, uint64_t key)
{
    for (int32_t i = 0; i < h->mode_count; i++) {
        if (h->modes[i].key == key) {
            return &h->modes[i];
        }
    }
    return NULL;
}

bool ss_hybrid_is_lost(const ss_hybrid *h, uint64_t key)
{
    for (int32_t i = 0; i < h->lost_count; i++) {
        if (h->lost[i] == key) {
            return true;
        }
    }
    return false;
}

/* The oldest is forgotten where there are too many. */
void ss_hybrid_lose(ss_hybrid *h, uint64_t key)
{
    if (h->lost_count == SS_LOST_MOST) {
        memmove(h->lost, h->lost + 1, (SS_LOST_MOST - 1) * sizeof *h->lost);
        h->lost_count--;
    }
    h->lost[h->lost_count++] = key;
}

static ss_status reserve(ss_data *d, int32_t wanted)
{
    ss_hybrid *h  = d->hybrid;
    int        ok = 1;
    h->modes      = ss_array_grow(d->ctx, h->modes, &h->mode_capacity, wanted, wanted + 16,
                                  sizeof *h->modes, &ok);
    return ok ? SS_OK : ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d modes", (int)wanted);
}

/* ---- carried on ---- */

/* The mode of a block that it had, or takes on by the event; false: it is not known. */
static bool carry(const ss_hybrid *h, const ss_mode_entry *had, const ss_instant_block *b,
                  const ss_happening *after, ss_mode_entry *to, bool *drop)
{
    bool me = after != NULL && after->key == b->key;
    *drop   = (me && after->kind == SS_EVENT_LEAVES) || ss_hybrid_is_lost(h, b->key);
    if (had == NULL) {
        return *drop;
    }
    *to = *had;
    if (me && after->kind == SS_EVENT_SLIPS) {
        to->mode = SS_INSTANT_SLIDES;
        memcpy(to->slip, after->slip, sizeof to->slip);
        to->t = after->t;
        return true;
    }
    if (me && !*drop) {
        return false;
    }
    if (b->mode == SS_INSTANT_SLIDES) { /* by its velocity */
        memcpy(to->slip, b->slip, sizeof to->slip);
        to->t = b->t;
        return had->mode == SS_INSTANT_SLIDES;
    }
    return true;
}

/* Fills `list` (room for all blocks) with what goes on; *known: it is known of all. */
static int32_t carry_on(ss_hybrid *h, const ss_instant_rows *r, const ss_happening *after,
                        ss_mode_entry *list, bool *known)
{
    int32_t count = 0;
    *known        = true;
    for (int32_t i = 0; i < r->nblocks; i++) {
        const ss_instant_block *b = &r->blocks[i];
        bool                    drop;
        if (b->kind != SS_BLOCK_EQUALITY) {
            *known = carry(h, ss_hybrid_mode(h, b->key), b, after, &list[count], &drop) && *known;
            count += !drop;
        }
    }
    return count;
}

/* ---- by complementarity ---- */

static double constraint(const ss_instant_island *isl, const ss_instant_motion *x)
{
    double sum = 0;
    for (int32_t i = 0; i < isl->p.rows; i++) {
        sum += x->force[i] * (x->a[i] - isl->p.q[i]);
    }
    return sum;
}

/* The motion of an island in which constraints do least. */
static int32_t least_of(const ss_instant_island *isl)
{
    int32_t best = 0;
    for (int32_t i = 1; i < isl->count; i++) {
        bool less = constraint(isl, &isl->motions[i]) < constraint(isl, &isl->motions[best]);
        best      = less ? i : best;
    }
    return best;
}

static double friction_norm(const ss_instant_block *b, const double *x)
{
    double sum = 0;
    for (int32_t k = b->kind == SS_BLOCK_CONE ? 1 : 0; k < b->dim; k++) {
        sum += x[k] * x[k];
    }
    return sqrt(sum);
}

/* Sizes of an island's forces and accelerations in a motion, and of the scene. */
typedef struct sizes {
    double force, a, length;
} sizes;

static sizes sizes_of(const ss_model *m, const ss_instant_rows *r, const ss_instant_island *isl,
                      const ss_instant_motion *x)
{
    const ss_instant_problem *p = &isl->p;
    sizes                     s = {0, 0, m->length};
    for (int32_t i = 0; i < p->rows; i++) {
        s.force = fmax(s.force, fabs(x->force[i]));
        s.a     = fmax(s.a, fabs(p->q[i]) + fabs(x->a[i]));
    }
    /* Where nothing pushes, friction with a bound still tells what is rounding: what it could do */
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_instant_block *b    = &r->blocks[p->which[k]];
        size_t                  rows = (size_t)p->rows;
        for (int32_t c = 0; b->kind == SS_BLOCK_DISK && c < b->dim; c++) {
            s.a = fmax(s.a, b->bound * p->W[(size_t)(p->first[k] + c) * (rows + 1)]);
        }
    }
    return s;
}

/*
 * What is pushed apart (by a) while it still approaches, by less than counts as an impact, dips
 * below zero: it goes on touching until its velocity is taken from it (project.c).
 */
static bool dips(double length, double u, double a)
{
    return u < 0 && u * u > 2 * a * SS_HYBRID_SHOWS * length;
}

/* The mode that a block of velocities u has in a motion. */
static void mode_in(const ss_instant_block *b, const double *force, const double *a,
                    const double *u, sizes s, const ss_happening *after, ss_mode_entry *to)
{
    int32_t first = b->kind == SS_BLOCK_CONE ? 1 : 0;
    bool    sided = b->kind != SS_BLOCK_DISK;
    bool    none  = sided && !(force[0] > SS_INSTANT_SAME * s.force);
    bool    ended = after != NULL && after->key == b->key && after->kind == SS_EVENT_LEAVES;
    *to           = (ss_mode_entry){.key = b->key, .mode = b->mode, .t = b->t};
    memcpy(to->slip, b->slip, sizeof to->slip);
    bool apart = a[0] > SS_HYBRID_MOVES * s.a && !dips(s.length, u[0], a[0]);
    if (none && (ended || apart)) {
        to->mode = SS_INSTANT_LEAVES;
        return;
    }
    double moves = friction_norm(b, a);
    if (b->mode == SS_INSTANT_STICKS && b->kind != SS_BLOCK_UNILATERAL &&
        moves > SS_HYBRID_MOVES * s.a) {
        to->mode = SS_INSTANT_SLIDES;
        for (int32_t k = first; k < b->dim; k++) {
            to->slip[k - first] = a[k] / moves;
        }
    }
}

static ss_status no_motion(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                           const ss_instant_island *isl)
{
    const ss_instant_problem *p = &isl->p;
    for (int32_t j = 0; j < p->n; j++) {
        int32_t                 at  = p->which[p->block[j]];
        const ss_instant_block *b   = &r->blocks[at];
        double                  all = p->cone.W.dense[j + (size_t)j * (size_t)p->cone.W.ld];
        if (b->source == SS_ROWS_CONTACT && b->mode == SS_INSTANT_SLIDES && all <= 0) {
            const ss_contact *c      = &r->contacts[b->index];
            double            border = b->mu * p->smooth[j] / (p->smooth[j] - all);
            return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                           "t = %.9g: Painleve's paradox: no contact forces obey the laws where "
                           "'%s' slides on '%s' (friction %g, from %g on none may): an impact "
                           "without a collision would follow",
                           d->state.t, m->bodies[m->geoms[c->geom_b].body].name,
                           m->bodies[m->geoms[c->geom_a].body].name, b->mu, border);
        }
    }
    d->hybrid->stuck = isl->exists != SS_NO || ss_hybrid_just_bridged(d->hybrid, d->state.t);
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                   isl->exists == SS_NO
                       ? "t = %.9g: no forces obey the laws of contact at this instant"
                       : "t = %.9g: no forces were found that obey the laws of contact at this "
                         "instant",
                   d->state.t);
}

static ss_status pose_islands(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                              ss_instant_island **out, int32_t *count)
{
    int32_t *of = ss_arena_alloc(&d->scratch, (size_t)r->nblocks + 1, sizeof *of);
    if (of == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_instant_islands(m, d, r, of, count));
    *out = ss_arena_alloc(&d->scratch, (size_t)*count + 1, sizeof **out);
    if (*out == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(*out, 0, ((size_t)*count + 1) * sizeof **out);
    for (int32_t i = 0; i < *count; i++) {
        SS_TRY(ss_instant_pose(m, d, r, of, i, &(*out)[i].p));
    }
    return SS_OK;
}

/* Modes of an island in one of its motions. */
static void take_motion(const ss_model *m, ss_hybrid *h, const ss_instant_rows *r,
                        const ss_instant_island *isl, int32_t motion, const ss_happening *after)
{
    const ss_instant_motion *x = &isl->motions[motion];
    sizes                    s = sizes_of(m, r, isl, x);
    for (int32_t k = 0; k < isl->p.nblocks; k++) {
        const ss_instant_block *b     = &r->blocks[isl->p.which[k]];
        int32_t                 first = isl->p.first[k];
        if (b->kind != SS_BLOCK_EQUALITY) {
            mode_in(b, x->force + first, x->a + first, r->u + b->row, s, after,
                    &h->modes[h->mode_count]);
            h->mode_count += h->modes[h->mode_count].mode != SS_INSTANT_LEAVES;
        }
    }
}

/* "rod leaves floor, ..": what contacts of islands with several motions do in the one taken. */
static void describe(const ss_model *m, const ss_instant_rows *r, const ss_instant_island *isl,
                     int32_t motion, const ss_happening *after, ss_fork *fork)
{
    const ss_instant_motion *x    = &isl->motions[motion];
    size_t                   used = strlen(fork->what);
    for (int32_t k = 0; k < isl->p.nblocks; k++) {
        const ss_instant_block *b = &r->blocks[isl->p.which[k]];
        ss_mode_entry           mode;
        if (b->source != SS_ROWS_CONTACT || used + 1 >= sizeof fork->what) {
            continue;
        }
        const ss_contact *c = &r->contacts[b->index];
        mode_in(b, x->force + isl->p.first[k], x->a + isl->p.first[k], r->u + b->row,
                sizes_of(m, r, isl, x), after, &mode);
        int more = snprintf(fork->what + used, sizeof fork->what - used, "%s%s %s %s",
                            used > 0 ? ", " : "", m->bodies[m->geoms[c->geom_b].body].name,
                            ss_instant_mode_text((ss_instant_mode)mode.mode),
                            m->bodies[m->geoms[c->geom_a].body].name);
        used += more > 0 ? (size_t)more : 0;
    }
}

/* The number of a motion of the whole counts through those of its islands, the first fastest. */
static ss_status take_motions(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                              const ss_instant_island *isl, int32_t count,
                              const ss_happening *after)
{
    ss_hybrid *h     = d->hybrid;
    ss_fork    fork  = {.time = d->state.t, .motions = 1, .complete = true};
    int32_t    least = 0;
    for (int32_t i = 0; i < count; i++) {
        if (fork.motions > SS_FORK_MOTIONS / isl[i].count) {
            return ss_fail(d->ctx, SS_ERR_UNSUPPORTED,
                           "t = %.9g: more than %d motions obey the laws", d->state.t,
                           SS_FORK_MOTIONS);
        }
        least += fork.motions * least_of(&isl[i]);
        fork.motions *= isl[i].count;
        fork.complete = fork.complete && isl[i].complete;
    }
    fork.least    = least;
    fork.taken    = ss_hybrid_choose(h, fork.motions, least);
    int32_t left  = fork.taken;
    h->mode_count = 0;
    for (int32_t i = 0; i < count; i++) {
        take_motion(m, h, r, &isl[i], left % isl[i].count, after);
        if (isl[i].count > 1) {
            describe(m, r, &isl[i], left % isl[i].count, after, &fork);
        }
        left /= isl[i].count;
    }
    h->several = fork.motions > h->several ? fork.motions : h->several;
    return fork.motions > 1 ? ss_hybrid_note_fork(d, &fork) : SS_OK;
}

/* Forces of all rows in the least motion of each island. */
static ss_status least_forces(ss_data *d, const ss_instant_rows *r, const ss_instant_island *isl,
                              int32_t count, double **out)
{
    size_t n = (size_t)d->rows.nrows + 1;
    *out     = ss_arena_alloc(&d->scratch, n, sizeof **out);
    if (*out == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(*out, 0, n * sizeof **out);
    for (int32_t i = 0; i < count; i++) {
        const ss_instant_motion *x = &isl[i].motions[least_of(&isl[i])];
        for (int32_t k = 0; k < isl[i].p.nblocks; k++) {
            const ss_instant_block *b = &r->blocks[isl[i].p.which[k]];
            memcpy(*out + b->row, x->force + isl[i].p.first[k], (size_t)b->dim * sizeof **out);
        }
    }
    return SS_OK;
}

/* The motions of all islands, under the loads of joints that come out. */
static ss_status move_islands(const ss_model *m, ss_data *d, ss_instant_rows *r,
                              ss_instant_island **isl, int32_t *count)
{
    bool agree = false;
    for (int32_t times = 1; !agree; times++) {
        size_t  mark = ss_arena_mark(&d->scratch);
        double *force;
        SS_TRY(pose_islands(m, d, r, isl, count));
        for (int32_t i = 0; i < *count; i++) {
            SS_TRY(ss_instant_move_island(d->hybrid->instant, m, d, r, false, &(*isl)[i]));
            if ((*isl)[i].count == 0) {
                return no_motion(m, d, r, &(*isl)[i]);
            }
        }
        SS_TRY(least_forces(d, r, *isl, *count, &force));
        SS_TRY(ss_hybrid_loads_agree(m, d, r, force, times, &agree));
        if (!agree) {
            ss_arena_release(&d->scratch, mark);
        }
    }
    return SS_OK;
}

static ss_status solve(const ss_model *m, ss_data *d, ss_instant_rows *r, const ss_happening *after)
{
    ss_hybrid         *h = d->hybrid;
    ss_instant_island *isl;
    int32_t            count;
    SS_TRY(move_islands(m, d, r, &isl, &count));
    h->unique = SS_YES;
    for (int32_t i = 0; i < count; i++) {
        h->unique   = isl[i].count > 1 ? SS_NO : isl[i].complete ? h->unique : SS_UNDECIDED;
        h->residual = fmax(h->residual, isl[i].residual);
    }
    return take_motions(m, d, r, isl, count, after);
}

/* ---- moves, where forces are not unique ---- */

/* The block of an island that moves most in a motion, over what counts as moving; *most so far. */
static void find_moving(const ss_model *m, const ss_instant_rows *r, const ss_instant_island *isl,
                        double *most, ss_happening *out)
{
    const ss_instant_motion *x     = isl->motions;
    double                   small = SS_HYBRID_MOVES * sizes_of(m, r, isl, x).a;
    for (int32_t k = 0; k < isl->p.nblocks; k++) {
        const ss_instant_block *b      = &r->blocks[isl->p.which[k]];
        const double           *a      = x->a + isl->p.first[k];
        int32_t                 first  = b->kind == SS_BLOCK_CONE ? 1 : 0;
        bool                    sided  = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
        bool                    rubs   = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_DISK;
        bool                    sticks = rubs && b->mode == SS_INSTANT_STICKS;
        double opens = sided ? fabs(a[0]) / small : 0, slip = sticks ? friction_norm(b, a) : 0;
        if (!(fmax(opens, slip / small) > *most)) {
            continue;
        }
        bool leaves = opens > slip / small;
        *most       = fmax(opens, slip / small);
        *out        = (ss_happening){.kind  = leaves ? SS_EVENT_LEAVES : SS_EVENT_SLIPS,
                                     .key   = b->key,
                                     .value = -*most,
                                     .t     = b->t};
        for (int32_t c = first; !leaves && c < b->dim; c++) {
            out->slip[c - first] = a[c] / slip;
        }
    }
}

static bool any_of(const ss_instant_island *isl, const bool *marked)
{
    for (int32_t k = 0; k < isl->p.nblocks; k++) {
        if (marked[isl->p.which[k]]) {
            return true;
        }
    }
    return false;
}

ss_status ss_hybrid_moves(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                          const bool *doubtful, ss_happening *out)
{
    ss_instant_island *isl;
    int32_t            count;
    double             most = 1;
    SS_TRY(pose_islands(m, d, r, &isl, &count));
    for (int32_t i = 0; i < count; i++) {
        if (!any_of(&isl[i], doubtful)) {
            continue;
        }
        SS_TRY(ss_instant_move_island(d->hybrid->instant, m, d, r, true, &isl[i]));
        if (isl[i].count == 0) { /* none: what follows is found, or told, at the event */
            *out = (ss_happening){
                .kind = SS_EVENT_SLIPS, .key = r->blocks[isl[i].p.which[0]].key, .value = -1};
            return SS_OK;
        }
        find_moving(m, r, &isl[i], &most, out);
    }
    return SS_OK;
}

/* ---- all together ---- */

/* What does not touch, although it seems to, bears nothing: with it in the problem another would
   seem to bear nothing in its place. */
static void leave_out_lost(const ss_hybrid *h, ss_instant_rows *r)
{
    int32_t left = 0;
    for (int32_t i = 0; i < r->nblocks; i++) {
        if (!ss_hybrid_is_lost(h, r->blocks[i].key)) {
            r->blocks[left++] = r->blocks[i];
        }
    }
    r->nblocks = left;
}

/* For an impact: all that touches does, and no more is said. */
static void touch_all(ss_hybrid *h, const ss_instant_rows *r)
{
    h->mode_count = 0;
    for (int32_t i = 0; i < r->nblocks; i++) {
        bool sided = r->blocks[i].kind == SS_BLOCK_CONE || r->blocks[i].kind == SS_BLOCK_UNILATERAL;
        if (sided) {
            h->modes[h->mode_count++] =
                (ss_mode_entry){.key = r->blocks[i].key, .mode = SS_INSTANT_SMOOTH};
        }
    }
}

/* What has broken loose is no longer held by static friction. */
static void tear(const ss_model *m, const ss_happening *after, ss_instant_rows *r)
{
    for (int32_t i = 0; after != NULL && after->kind == SS_EVENT_SLIPS && i < r->nblocks; i++) {
        ss_instant_block *b = &r->blocks[i];
        if (b->key == after->key && b->source == SS_ROWS_CONTACT && b->mode == SS_INSTANT_STICKS) {
            b->mu *= ss_sliding_part(ss_model_law(m, &r->contacts[b->index]), 0);
        }
    }
}

static ss_status find(const ss_model *m, ss_data *d, const ss_happening *after, bool carried,
                      bool *known, bool *strikes)
{
    ss_hybrid      *h = d->hybrid;
    ss_instant_rows r;
    SS_TRY(ss_instant_gather(m, d, 0, &r));
    *strikes = false;
    for (int32_t i = 0; i < r.nblocks; i++) {
        if (r.blocks[i].mode == SS_INSTANT_STRIKES && ss_hybrid_is_lost(h, r.blocks[i].key)) {
            r.blocks[i].mode = SS_INSTANT_SMOOTH;
        }
        if (r.blocks[i].mode == SS_INSTANT_STRIKES) {
            h->striking = r.blocks[i].key;
            ss_event e  = ss_hybrid_who(m, d, &r, r.blocks[i].key);
            e.kind      = SS_EVENT_IMPACT;
            *strikes    = true;
            SS_TRY(ss_hybrid_note(d, &e));
        }
    }
    SS_TRY(reserve(d, r.nblocks + 1));
    if (*strikes) {
        touch_all(h, &r);
        return SS_OK;
    }
    if (!carried) {
        leave_out_lost(h, &r);
        tear(m, after, &r);
        return solve(m, d, &r, after);
    }
    ss_mode_entry *list = ss_arena_alloc(&d->scratch, (size_t)r.nblocks + 1, sizeof *list);
    if (list == NULL) {
        return SS_ERR_SCRATCH;
    }
    int32_t count = carry_on(h, &r, after, list, known);
    if (*known) {
        memcpy(h->modes, list, (size_t)count * sizeof *list);
        h->mode_count = count;
    }
    return SS_OK;
}

static ss_status find_with_room(const ss_model *m, ss_data *d, const ss_happening *after,
                                bool carried, bool *known, bool *strikes)
{
    ss_status status = SS_ERR_SCRATCH;
    int32_t   events = d->hybrid->event_count;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        d->hybrid->event_count = events;
        status                 = find(m, d, after, carried, known, strikes);
    }
    return status;
}

/*
 * Where one corner of a box begins to slip, the others do too: at the event itself they are at
 * their bounds, and stick still as far as complementarity tells. What the forces after the event
 * show of them is done at once. False: they show something else.
 */
static bool slips_along(ss_hybrid *h, const ss_happening *after, const ss_happening *shown)
{
    ss_mode_entry *e = ss_hybrid_mode(h, shown->key);
    if (after == NULL || after->kind != SS_EVENT_SLIPS || shown->kind != SS_EVENT_SLIPS ||
        e == NULL || e->mode != SS_INSTANT_STICKS) {
        return false;
    }
    e->mode = SS_INSTANT_SLIDES;
    memcpy(e->slip, shown->slip, sizeof e->slip);
    e->t = shown->t;
    return true;
}

ss_status ss_hybrid_find_modes(const ss_model *m, ss_data *d, const ss_happening *after,
                               bool *strikes)
{
    ss_hybrid *h     = d->hybrid;
    bool       known = false;
    ss_flow    flow;
    SS_TRY(find_with_room(m, d, after, true, &known, strikes));
    if (*strikes) {
        return SS_OK;
    }
    while (known) {
        ss_hybrid_read(m, d, h->y_mid);
        SS_TRY(ss_hybrid_flow(m, d, d->state.t, h->y_mid, h->k[0], &flow));
        if (flow.finite && !flow.lost && flow.happens.kind < 0) {
            return SS_OK;
        }
        known = flow.finite && !flow.lost && slips_along(h, after, &flow.happens);
    }
    return find_with_room(m, d, after, false, &known, strikes);
}
