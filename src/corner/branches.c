/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Corners: where free space is not convex (thesis 3.2). Two convex solids are apart at the end of a
 * step when one of the directions that can separate them does, that is when
 *
 *   max_f s_f >= 0,   s_f = min_i psi_fi     (f: branches of the pair, i: contacts of a branch)
 *
 * with psi_fi = psi + h n.(relative velocity) the gap of the contact at the end of the step, and
 * impulses act on branches with s_f = max s = 0 alone ((3.3) to (3.5), with friction in each
 * contact). A disjunction, so it has no convex form; but given which branches are taken, the step
 * is the ordinary one with their contacts and no others. So it is solved in rounds:
 *
 *   1. take the branch through which the two would meet: of those that separate them at the start
 *      of the step, the one that does so longest at the present velocities; when they overlap, the
 *      one that does so least;
 *   2. solve the step;
 *   3. a branch that carries an impulse while another has s > 0 at the end was held by the
 *      extension of its face: take that other one and go to 2.
 *
 * Only branches that free space leads to within the step are asked (reachable.c). Which choices
 * follow each other, and what happens when they repeat: branch_search.c.
 *
 * corners: convex takes every branch that separates the pair at the start and whose face can be
 * reached within the step, all together: free space is cut down to a convex part of itself.
 *
 * docs/theory/corners.md has the derivation and examples.
 */
#include <math.h>
#include <string.h>

#include "corner/branches.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "model/axes.h"

/* ---- branches of a pair -------------------------------------------------------------------- */

double ss_pair_size(const ss_model *m, const ss_contact *c)
{
    double a = m->geoms[c->geom_a].radius, b = m->geoms[c->geom_b].radius;
    double low = fmin(a, b);
    return low > 0 ? low : fmax(a, b);
}

/* Which of two directions comes first where nothing else tells: the same for (a, b) and (b, a). */
static int compare_axes(ss_vec3 x, ss_vec3 y)
{
    const double parts[4] = {fabs(x.z) - fabs(y.z), fabs(x.y) - fabs(y.y), fabs(x.x) - fabs(y.x),
                             x.x * x.y + x.y * x.z + x.z * x.x -
                                 (y.x * y.y + y.y * y.z + y.z * y.x)};
    for (int i = 0; i < 4; i++) {
        if (fabs(parts[i]) > ss_corner_rounding) {
            return parts[i] > 0 ? 1 : -1;
        }
    }
    return 0;
}

/* ---- the first choice ---------------------------------------------------------------------- */

/* What a branch does if the velocities stay as they are. */
typedef struct outlook {
    double  now;    /* least gap, kinematic bodies at the end of their step                      */
    double  before; /* the same at the start of the step                                         */
    double  after;  /* and at its end                                                            */
    double  time;   /* when it stops separating, in steps; INFINITY: not within this one         */
    ss_vec3 axis;
} outlook;

static outlook look_ahead(const ss_model *m, const ss_data *d, const ss_contact *c, ss_branch b,
                          double h, double tiny)
{
    outlook o     = {INFINITY, INFINITY, INFINITY, INFINITY, c[b.first].normal};
    double  flush = ss_flush_depth(m, &d->corners, &c[b.first]);
    for (int32_t i = b.first; i < b.end; i++) {
        double before = ss_contact_apart(m, d, &c[i], h);
        double driven = m->driven ? ss_driven_approach(m, d, &c[i], h) : 0;
        double rate   = ss_opening_rate(m, d, &c[i], d->state.twist) + driven;
        double after  = ss_gap_at_end(before, rate, h);
        double error  = fmin(flush, fmax(-before, 0)); /* of steps, and no step in a floor */
        bool   end    = m->driven && ss_contact_is_uneven(m, d, &c[i]);
        o.now         = fmin(o.now, end ? c[i].gap : before);
        before += error;
        after += error;
        o.before = fmin(o.before, before);
        o.after  = fmin(o.after, after);
        if (after < -tiny) {
            o.time = fmin(o.time, before > after ? fmax(before, 0) / (before - after) : 0);
        }
    }
    return o;
}

static bool is_better(const outlook *x, const outlook *y, double tiny)
{
    bool apart_x = x->before >= -tiny, apart_y = y->before >= -tiny;
    if (apart_x != apart_y) {
        return apart_x;
    }
    if (apart_x && x->time != y->time) {
        return x->time > y->time;
    }
    double dx = apart_x ? x->after - y->after : x->now - y->now;
    return fabs(dx) > tiny ? dx > 0 : compare_axes(x->axis, y->axis) > 0;
}

/* Does a branch that leads out separate them when the step begins? */
static bool is_open_way(const ss_model *m, const ss_data *d, const ss_contact *c, int32_t count,
                        double h, double tiny)
{
    for (int32_t i = 0; i < count;) {
        ss_branch b = ss_branch_at(c, count, i);
        if (c[i].shut == 0 && !c[i].inner && look_ahead(m, d, c, b, h, tiny).before >= -tiny) {
            return true;
        }
        i = b.end;
    }
    return false;
}

/* Lengths that are none beside the seams of a pair; 0: there are none that lead into one. */
static double shut_by(const ss_contact *c, int32_t count)
{
    double most = 0;
    for (int32_t i = 0; i < count; i++) {
        most = fmax(most, c[i].shut);
    }
    return most;
}

static uint64_t first_choice(const ss_model *m, const ss_data *d, const ss_contact *c,
                             int32_t count, double h)
{
    double   tiny = ss_corner_rounding * ss_pair_size(m, c);
    outlook  best = {0};
    uint64_t name = 0;
    /* along the plane of a seam a point gets in between two pieces: not as long as it is out, to
       what counts as a length there */
    double slot = shut_by(c, count);
    bool   out  = slot > 0 && is_open_way(m, d, c, count, h, fmax(tiny, slot));
    for (ss_branch b = ss_branch_at(c, count, 0);; b = ss_branch_at(c, count, b.end)) {
        outlook o = look_ahead(m, d, c, b, h, tiny);
        /* a cut through a solid touches nothing: it must separate them all through the step */
        bool able = !c[b.first].inner || (o.before >= -tiny && o.time == INFINITY);
        able      = able && !(out && c[b.first].shut > 0);
        if (able && (name == 0 || is_better(&o, &best, tiny))) {
            best = o;
            name = c[b.first].branch;
        }
        if (b.end == count) {
            return name;
        }
    }
}

/* ---- what is taken ------------------------------------------------------------------------- */

static bool has_branch(const ss_contact *c, int32_t count, uint64_t name)
{
    for (int32_t i = 0; i < count; i++) {
        if (c[i].branch == name) {
            return true;
        }
    }
    return false;
}

/* The pair's entry, from an earlier round or new; NULL: no room for it. */
static ss_corner *entry_of(ss_corners *k, const ss_contact *c)
{
    for (int32_t i = 0; i < k->count; i++) {
        ss_corner *x = &k->items[i];
        if (x->geom_a == c->geom_a && x->geom_b == c->geom_b) {
            return x;
        }
    }
    k->wanted = k->count + 1;
    if (k->count == k->capacity) {
        return NULL;
    }
    ss_corner *x = &k->items[k->count++];
    *x           = (ss_corner){.geom_a = c->geom_a, .geom_b = c->geom_b};
    return x;
}

/* corners: complementarity leaves the choice to the problem, where that stays small. */
static bool is_small(const ss_contact *c, int32_t count)
{
    enum { MAX_WHOLE = 8 };
    for (int32_t i = 0; i < count; i++) {
        if (c[i].inner || c[i].shut > 0) {
            return false;
        }
    }
    return count <= MAX_WHOLE;
}

static ss_status take_exact(const ss_model *m, ss_data *d, const ss_contact *c, int32_t count,
                            int32_t first, double h)
{
    ss_corner *x = entry_of(&d->corners, c);
    if (x == NULL) {
        return SS_ERR_SCRATCH;
    }
    x->first   = first;
    x->count   = count;
    x->present = true;
    if (x->taken[0] == 0 || !has_branch(c, count, x->taken[0])) {
        x->start = x->taken[0] = first_choice(m, d, c, count, h);
        x->taken[1]            = 0;
        x->whole               = ss_corners_of(m)->posed && is_small(c, count);
    }
    for (int32_t i = 0; i < count; i++) {
        bool taken               = ss_corner_takes(x, &c[i]) && !c[i].inner;
        d->corners.at[first + i] = taken ? d->contacts.count : -1;
        if (taken) {
            d->contacts.items[d->contacts.count++] = c[i];
        }
    }
    return SS_OK;
}

static double least_gap(const ss_contact *c, ss_branch b)
{
    double low = INFINITY;
    for (int32_t i = b.first; i < b.end; i++) {
        low = fmin(low, c[i].gap);
    }
    return low;
}

/* Convex: every branch that separates them now, as far as its face can be reached. */
static void take_convex(const ss_model *m, ss_data *d, const ss_contact *c, int32_t count, double h)
{
    double   tiny = ss_corner_rounding * ss_pair_size(m, c);
    uint64_t one  = first_choice(m, d, c, count, h);
    for (int32_t i = 0; i < count;) {
        ss_branch b     = ss_branch_at(c, count, i);
        bool      apart = least_gap(c, b) >= -tiny;
        for (; i < b.end; i++) {
            bool face = !c[i].inner && !c[i].beside;
            if (!c[i].inner && (c[i].branch == one || (apart && face))) {
                d->contacts.items[d->contacts.count++] = c[i];
            }
        }
    }
}

int32_t ss_pair_end(const ss_contact *c, int32_t count, int32_t i)
{
    int32_t end = i + 1;
    while (end < count && c[end].branch != 0 && c[end].geom_a == c[i].geom_a &&
           c[end].geom_b == c[i].geom_b) {
        end++;
    }
    return end;
}

/* Does a branch that leads out separate them now? */
static bool is_out_by_gaps(const ss_contact *c, int32_t count, double tiny)
{
    for (int32_t i = 0; i < count;) {
        ss_branch b = ss_branch_at(c, count, i);
        if (c[i].shut == 0 && !c[i].inner && least_gap(c, b) >= -tiny) {
            return true;
        }
        i = b.end;
    }
    return false;
}

/* Of branches that separate alike; of faces in one plane the one that something is over. */
static bool comes_first(const ss_contact *x, const ss_contact *y)
{
    int order = compare_axes(x->normal, y->normal);
    return order > 0 || (order == 0 && y->beside && !x->beside);
}

double ss_widest_gap(const ss_model *m, const ss_contact *c, int32_t count, int32_t *first)
{
    double  tiny = ss_corner_rounding * ss_pair_size(m, c), best = -INFINITY;
    bool    out = is_out_by_gaps(c, count, fmax(tiny, shut_by(c, count)));
    int32_t at  = -1;
    for (int32_t i = 0; i < count;) {
        ss_branch b    = ss_branch_at(c, count, i);
        double    wide = c[i].inner || (out && c[i].shut > 0) ? -INFINITY : least_gap(c, b);
        if (at < 0 || wide > best + tiny || (wide >= best - tiny && comes_first(&c[i], &c[at]))) {
            best = wide;
            at   = i;
        }
        i = b.end;
    }
    *first = at;
    return best;
}

/* The branch that separates most, and by how much. */
static uint64_t widest_branch(const ss_model *m, const ss_contact *c, int32_t count, double *gap)
{
    int32_t at;
    *gap = ss_widest_gap(m, c, count, &at);
    return c[at].branch;
}

/* Two bodies overlap when none of their branches separates them. Driven ones have moved already. */
static void note_overlap(const ss_model *m, ss_data *d, const ss_contact *c, int32_t count)
{
    double gap;
    if (m->bodies[m->geoms[c->geom_a].body].type != SS_BODY_KINEMATIC &&
        m->bodies[m->geoms[c->geom_b].body].type != SS_BODY_KINEMATIC) {
        widest_branch(m, c, count, &gap);
        d->corners.overlap = isfinite(gap) ? fmax(d->corners.overlap, -gap) : d->corners.overlap;
    }
}

ss_status ss_take_branches(const ss_model *m, ss_data *d, double h)
{
    ss_corners *k     = &d->corners;
    int32_t     count = d->contacts.count, i = 0;
    k->contact_count = 0;
    k->step          = h;
    k->overlap       = 0;
    for (int32_t j = 0; j < k->count; j++) {
        k->items[j].present = false;
    }
    while (i < count && d->contacts.items[i].branch == 0) {
        i++;
    }
    if (i == count) {
        return SS_OK;
    }
    if (!ss_note_flush(m, d)) {
        return SS_ERR_SCRATCH;
    }
    int32_t     n   = count - i;
    ss_contact *all = ss_arena_alloc(&d->scratch, (size_t)n, sizeof *all);
    k->at           = ss_arena_alloc(&d->scratch, (size_t)n, sizeof *k->at);
    k->contacts     = all;
    if (!all || !k->at) {
        return SS_ERR_SCRATCH;
    }
    memcpy(all, d->contacts.items + i, (size_t)n * sizeof *all);
    d->contacts.count = i;
    for (int32_t j = 0; j < n;) {
        int32_t end = j + 1;
        if (all[j].branch == 0) {
            d->contacts.items[d->contacts.count++] = all[j];
        } else if (ss_corners_of(m)->together) {
            end = ss_pair_end(all, n, j);
            ss_note_apart(m, d, all + j, end - j, h);
            note_overlap(m, d, all + j, end - j);
            take_convex(m, d, all + j, ss_keep_reachable(m, d, all + j, end - j, h), h);
        } else {
            end = ss_pair_end(all, n, j);
            ss_note_apart(m, d, all + j, end - j, h);
            note_overlap(m, d, all + j, end - j);
            SS_TRY(take_exact(m, d, all + j, ss_keep_reachable(m, d, all + j, end - j, h), j, h));
            k->contact_count = n;
        }
        j = end;
    }
    return SS_OK;
}

/* Does a branch with another normal separate a pair as far as the widest does? */
static bool is_tie(const ss_model *m, const ss_contact *c, int32_t count, uint64_t widest,
                   double gap)
{
    double  tiny = ss_corner_rounding * ss_pair_size(m, c);
    int32_t at   = 0;
    while (c[at].branch != widest) {
        at++;
    }
    for (int32_t i = 0; i < count;) {
        ss_branch b     = ss_branch_at(c, count, i);
        ss_vec3   apart = ss_sub(c[i].normal, c[at].normal);
        if (!c[i].inner && c[i].shut == 0 && least_gap(c, b) >= gap - tiny &&
            ss_norm(apart) > ss_corner_rounding) {
            return true;
        }
        i = b.end;
    }
    return false;
}

/* The contact of the same branch that has these features, or the first of that branch; -1: none. */
static int32_t find_taken(const ss_contact_list *list, const ss_contact *c)
{
    int32_t of_branch = -1;
    for (int32_t i = 0; i < list->count; i++) {
        const ss_contact *x = &list->items[i];
        if (x->geom_a != c->geom_a || x->geom_b != c->geom_b) {
            continue;
        }
        if (x->feature_a == c->feature_a && x->feature_b == c->feature_b) {
            return i; /* perhaps of another branch that has them too */
        }
        of_branch = of_branch < 0 && x->branch == c->branch ? i : of_branch;
    }
    return of_branch;
}

void ss_find_taken(ss_data *d)
{
    ss_corners *k = &d->corners;
    for (int32_t j = 0; j < k->count && k->contact_count > 0; j++) {
        const ss_corner *x = &k->items[j];
        for (int32_t i = x->first; x->present && i < x->first + x->count; i++) {
            k->at[i] = k->at[i] >= 0 ? find_taken(&d->contacts, &k->contacts[i]) : -1;
        }
    }
}

void ss_take_widest_branches(const ss_model *m, ss_data *d)
{
    ss_contact *all   = d->contacts.items;
    int32_t     count = d->contacts.count, kept = 0;
    d->corners.ties = 0;
    for (int32_t i = 0; i < count;) {
        int32_t  end = all[i].branch == 0 ? i + 1 : ss_pair_end(all, count, i);
        double   gap;
        uint64_t name = all[i].branch == 0 ? 0 : widest_branch(m, all + i, end - i, &gap);
        if (name != 0) {
            d->corners.ties += is_tie(m, all + i, end - i, name, gap);
        }
        for (; i < end; i++) {
            if (all[i].branch == name) {
                all[kept++] = all[i];
            }
        }
    }
    d->contacts.count = kept;
}
