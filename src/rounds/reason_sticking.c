/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static and kinetic friction (rows/sliding_law.h). Between the two coefficients both laws have an
 * answer: a block on a slope of an angle between them may rest, and may slide. What a contact did
 * tells which one counts (docs/theory/friction.md):
 *
 *   it stuck at the end of the last step: it sticks within mu_s p_n; where that does not hold it,
 *     it slides with mu(v). A step of first order leaves what sticks to a driven body with the mean
 *     velocity of that, half a step behind: such slip that only becomes less is caught up with, not
 *     torn. How far behind is part of the state: where the velocity of a driven body jumps, slip is
 *     more than that, and real
 *   it slid, with u at the start of the step: it slides with mu(|u|), until its slip would turn
 *     against u within the step: there it has been at rest, and is asked as one that stuck
 *
 * A contact that was not loaded in the last step stuck if its slip is none. A round assumes who
 * sticks, by which coefficient its cone has, and a contact changes its mind at most twice a step:
 * once it could not be held by mu_s it slides. So the rounds end. Sticking lasts from step to step
 * and is part of the state.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "linalg/vector.h"
#include "rounds/sticking.h"
#include "rounds/tolerances.h"
#include "rows/contact_state.h"
#include "rows/sliding_law.h"

extern const ss_reason ss_reason_sticking;

static bool concerns(const ss_model *m)
{
    return m->two_frictions;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->sticking.count = 0;
}

static bool has_two(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return b->source == SS_ROWS_CONTACT && b->kind == SS_BLOCK_CONE &&
           ss_model_law(m, &d->contacts.items[b->index])->kinetic < 1;
}

/* Keys of two lists mostly come in the same order: the search begins after the last one found. */
static int32_t find_key(const void *items, size_t size, int32_t count, uint64_t key,
                        int32_t *cursor)
{
    for (int32_t k = 0; k < count; k++) {
        int32_t  i = *cursor + k < count ? *cursor + k : *cursor + k - count;
        uint64_t here;
        memcpy(&here, (const char *)items + (size_t)i * size, sizeof here);
        if (here == key) {
            *cursor = i + 1 < count ? i + 1 : 0;
            return i;
        }
    }
    return -1;
}

/* The velocity that a driven body has at the start of the step, beyond its mean over the step. */
static ss_twist beyond_mean(const ss_model *m, ss_data *d, int32_t body, double h)
{
    ss_twist from, to, none = {{0, 0, 0}, {0, 0, 0}};
    if (m->bodies[body].type != SS_BODY_KINEMATIC || d->at_impact != NULL ||
        ss_driven_twists(m, d, body, h, &from, &to) != SS_OK) {
        return none;
    }
    return ss_twist_mixed(1, &from, -1, &d->twist_next[body]);
}

/* The same as a velocity of a contact: b's less a's, at the contact. */
static ss_twist contact_beyond_mean(const ss_model *m, ss_data *d, const ss_contact *c, double h)
{
    const int32_t body[2]  = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    const ss_vec3 point[2] = {c->point_a, c->point_b};
    ss_twist      sum      = {{0, 0, 0}, {0, 0, 0}};
    for (int side = 0; side < 2; side++) {
        ss_twist t = beyond_mean(m, d, body[side], h);
        t.v        = ss_add(t.v, ss_cross(t.w, ss_sub(point[side], d->frame[body[side]].p)));
        sum        = ss_twist_mixed(1, &sum, side == 0 ? -1 : 1, &t);
    }
    return sum;
}

/* The slip at the start of the step, in the block's rows. */
static void slip_at_start(const ss_model *m, ss_data *d, const ss_row_block *b, double h,
                          ss_sticking_now *x)
{
    const ss_contact  *c      = &d->contacts.items[b->index];
    const ss_pair_law *law    = ss_model_law(m, c);
    bool               driven = ss_contact_is_uneven(m, d, c);
    ss_twist           beyond = driven ? contact_beyond_mean(m, d, c, h) : (ss_twist){0};
    ss_vec3            e[3]   = {c->normal};
    double             square = 0;
    ss_contact_frame(m, c, &e[1], &e[2]);
    x->sure = SS_PARABOLA_OFF * (ss_norm(beyond.v) + ss_norm(beyond.w) * m->length);
    for (int32_t k = 1; k < b->dim; k++) {
        double scale     = law->dim > 3 || !law->round ? law->axes[k - 1] : 1;
        double u         = d->rows.drift[b->row + k];
        x->beyond[k - 1] = scale * (k < 3 ? ss_dot(e[k], beyond.v) : ss_dot(e[k - 3], beyond.w));
        u += x->beyond[k - 1];
        for (int side = 0; side < 2; side++) {
            double v[6];
            if (b->body[side] >= 0) {
                ss_twist_to_vector(m, &d->state.twist[b->body[side]], v);
                u += ss_dot_dof(ss_row_side(m, &d->rows, b->row + k, side), v, m->dof);
            }
        }
        x->slip[k - 1] = u;
        square += u * u;
    }
    x->speed = sqrt(square);
}

/* How fast forces alone make the bodies of a block in the step. */
static double pushed(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    double most = 0;
    for (int side = 0; side < 2; side++) {
        if (b->body[side] >= 0) {
            const ss_body *of  = &m->bodies[b->body[side]];
            ss_twist       end = ss_twist_from_vector(m, of->dof, d->v_free + of->v_start);
            ss_vec3        by  = ss_sub(end.v, d->state.twist[b->body[side]].v);
            most               = fmax(most, ss_norm(by));
        }
    }
    return most;
}

/*
 * Does a contact at its limit slip? Rounding of positions over a step, which is no slip elsewhere,
 * is the faster the shorter the step is: what is torn off slowly would have static friction until
 * its slip exceeds that, at 1e-8 s for milliseconds. Only what driven bodies do comes from places.
 */
static bool slips_now(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    if (ss_block_slips(m, d, b, ss_slip_time(m, d, h))) {
        return true;
    }
    return ss_island_exact(m, &d->islands[b->island]) && d->at_impact == NULL &&
           !ss_contact_is_uneven(m, d, &d->contacts.items[b->index]) &&
           ss_at_limit(m, b, d->rows.impulse + b->row) &&
           ss_friction_norm(b, d->rows.velocity + b->row) > SS_TORN_PART * pushed(m, d, b);
}

/* Is slip no more than what a surface that moves on smoothly leaves behind? `left` is what the last
   step did. */
static bool is_behind(const ss_row_block *b, const ss_sticking_now *x, double left)
{
    double change = ss_vector_norm(b->dim - 1, x->beyond);
    return x->speed <= SS_BEHIND_MOST * (left + change);
}

/* What a contact is taken for at the beginning. */
static void meet(const ss_model *m, ss_data *d, const ss_row_block *b, double h, int32_t *cursor,
                 ss_sticking_now *x)
{
    const ss_state *s = &d->state;
    *x                = (ss_sticking_now){.key = b->key};
    int32_t i = find_key(s->sticking, sizeof *s->sticking, s->sticking_count, b->key, cursor);
    slip_at_start(m, d, b, h, x);
    bool slips = ss_slip_shows(m, x->speed, ss_slip_time(m, d, h)) && x->speed > x->sure;
    x->sticks  = i >= 0 ? s->sticking[i].sticks != 0 : !slips;
    x->late    = x->sticks && slips && is_behind(b, x, s->sticking[i].behind);
}

static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    int32_t known = 0, memory = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_REBOUND) { /* friction of what an impact returns, after contacts */
            b->bound = d->rows.blocks[b->index].mu * d->impact.rows.blocks[b->index].rebound;
        }
        if (!has_two(m, d, b)) {
            continue;
        }
        ss_sticking *s  = &d->sticking;
        int32_t      at = find_key(s->items, sizeof *s->items, s->count, b->key, &known);
        if (at < 0 && s->count == s->capacity) {
            return SS_ERR_SCRATCH;
        }
        if (at < 0) {
            at = s->count++;
            meet(m, d, b, h, &memory, &s->items[at]);
        }
        const ss_sticking_now *x   = &s->items[at];
        const ss_pair_law     *law = ss_model_law(m, &d->contacts.items[b->index]);
        b->mu *= x->sticks ? 1 : ss_sliding_part(law, x->speed);
    }
    return SS_OK;
}

/*
 * The slip at the end of the step. Rows of what slides all the time speak of its mean; those of a
 * step of first order of the mean velocity of driven bodies, which is as far from that of the end
 * as from that of the start.
 */
static void slip_at_end(const ss_model *m, const ss_data *d, const ss_row_block *b,
                        const ss_sticking_now *x, double *u)
{
    int32_t body   = ss_block_mover(b);
    bool    middle = d->midpoint.pass > 0 && d->midpoint.smooth[body];
    for (int32_t k = 1; k < b->dim; k++) {
        int32_t row = b->row + k;
        u[k - 1]    = ss_row_rate(m, d, b, row, d->v_next) + d->rows.drift[row];
        u[k - 1] += middle ? d->midpoint.shift[row] : -x->beyond[k - 1];
    }
}

/* Does the slip go against what it was? */
static bool turned(const ss_model *m, const ss_data *d, const ss_row_block *b,
                   const ss_sticking_now *x)
{
    double u[5] = {0};
    slip_at_end(m, d, b, x, u);
    return ss_vector_dot(b->dim - 1, x->slip, u) <= 0;
}

/* Slip of what is behind that only becomes less. */
static bool catches_up(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_sticking_now *x, double *left)
{
    double u[5] = {0};
    slip_at_end(m, d, b, x, u);
    *left = ss_vector_norm(b->dim - 1, u);
    return x->sticks && x->late && *left < x->speed;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    int32_t known   = 0;
    bool    changed = false;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (!has_two(m, d, b) || !(d->rows.impulse[b->row] > 0)) {
            continue;
        }
        ss_sticking     *s     = &d->sticking;
        int32_t          at    = find_key(s->items, sizeof *s->items, s->count, b->key, &known);
        ss_sticking_now *x     = &s->items[at];
        bool             slips = slips_now(m, d, b, h);
        double           left;
        if (x->sticks && slips && !catches_up(m, d, b, x, &left)) {
            x->sticks = false;
            x->torn   = true;
            changed   = true;
        } else if (!x->sticks && !x->torn && slips && turned(m, d, b, x)) {
            x->sticks = true;
            changed   = true;
        }
    }
    if (changed) {
        ss_rounds_change_contacts(m, d, SS_CONTACTS_MORE);
    }
    return changed ? SS_AGAIN : SS_HOLDS;
}

/* What the next step has to know of a contact. What sticks is at the mean velocity of a surface. */
static ss_sticking_entry to_remember(const ss_model *m, const ss_data *d, const ss_row_block *b,
                                     const ss_sticking_now *x, double h)
{
    ss_sticking_entry e = {.key = b->key, .sticks = true};
    if (!catches_up(m, d, b, x, &e.behind)) {
        e.sticks = !slips_now(m, d, b, h);
        e.behind = e.sticks ? ss_vector_norm(b->dim - 1, x->beyond) : 0;
    }
    return e;
}

void ss_keep_sticking(const ss_model *m, ss_data *d, double h)
{
    ss_state *s       = &d->state;
    int32_t   known   = 0;
    s->sticking_count = 0;
    for (int32_t i = 0; d->at_impact == NULL && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (has_two(m, d, b) && d->rows.impulse[b->row] > 0) {
            const ss_sticking *now = &d->sticking;
            int32_t at = find_key(now->items, sizeof *now->items, now->count, b->key, &known);
            const ss_sticking_now none = {.key = b->key};
            s->sticking[s->sticking_count++] =
                to_remember(m, d, b, at >= 0 ? &now->items[at] : &none, h);
        }
    }
}

const ss_reason ss_reason_sticking = {.name          = "what sticks",
                                      .concerns      = concerns,
                                      .begin         = begin,
                                      .rows          = rows,
                                      .check         = check,
                                      .when_all_hold = true};
