/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models without momentum: nothing keeps a step from going as far as rows that are linear in it
 * balance. What balances there is an equilibrium of the rows, not of the bodies, unless the way to
 * it is short. Two things are judged, both at the end of the step.
 *
 * A contact that bears a load is closed: gaps that turning and passing along curved surfaces leave
 * are of second order, as overlaps are (gaps_joints.c), and so is what is allowed. A pair is asked
 * for its true gap; where it has several contacts one of them may be closed and others not, so that
 * there the points of each are followed as well.
 *
 * Equilibria that follow each other (quasistatic): a body moves because something is driven, by
 *
 *   D = what driven bodies, surfaces and motors do in the step, gaps and openings that the step
 *       began with, and what springs give,
 *
 * and its way X goes to zero with D. Levers make it a few times D, for as long as they last, so
 * that X goes on as in the last step; where they turn over (a rod that is pushed along itself
 * begins to rise) it is sqrt(D L). What does not shrink with D has left its equilibrium and falls
 * to another one: nothing balances it on its way. Steps that go further than
 *
 *   X <= SS_REACH_DRIVEN D + SS_REACH_GOES_ON h |v-|
 *
 * are cut, which costs levers that begin to move a few attempts, and their smallest parts may have
 * X <= SS_REACH_TURNS sqrt(D L), L the size of the body. Only what steps made goes on: what the
 * scene or a program gave a body as a velocity means nothing to it, and takes it nowhere.
 */
#include <math.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"
#include "rows/contact_state.h"

/* ---- loaded contacts are closed -------------------------------------------------------------- */

static bool bears(const ss_data *d, const ss_row_block *b, double load)
{
    return b->source == SS_ROWS_CONTACT && b->spring == 0 &&
           d->rows.impulse[b->row] > SS_LAW_NONE * load;
}

static double largest_load(const ss_data *d)
{
    double load = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        load = b->source == SS_ROWS_CONTACT ? ss_max(load, d->rows.impulse[b->row]) : load;
    }
    return load;
}

/* Where a point of a body that was at x is at the end of the step; driven bodies are there. */
static ss_vec3 carried(const ss_model *m, const ss_data *d, int32_t body, ss_vec3 x)
{
    if (!ss_body_moves(&m->bodies[body])) {
        return x;
    }
    ss_frame from = ss_pose_frame(m, &d->state.pose[body]);
    ss_frame to   = ss_pose_frame(m, &d->pose_next[body]);
    return ss_to_world(&to, ss_to_body(&from, x));
}

/* The gap between the points of a contact. */
static double gap_of_points(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    ss_vec3 a = carried(m, d, m->geoms[c->geom_a].body, c->point_a);
    ss_vec3 b = carried(m, d, m->geoms[c->geom_b].body, c->point_b);
    return ss_dot(c->normal, ss_sub(b, a));
}

static bool same_pair(const ss_contact *a, const ss_contact *b)
{
    return a->geom_a == b->geom_a && a->geom_b == b->geom_b;
}

/* Has the pair of this contact others? The list is sorted by pairs. */
static bool has_company(const ss_contact_list *all, int32_t i)
{
    return (i > 0 && same_pair(&all->items[i - 1], &all->items[i])) ||
           (i + 1 < all->count && same_pair(&all->items[i + 1], &all->items[i]));
}

static double open_by(const ss_model *m, const ss_data *d, const ss_frame *frames, int32_t contact)
{
    const ss_contact *c    = &d->contacts.items[contact];
    double            pair = ss_geom_gap(m, frames, c->geom_a, c->geom_b, INFINITY, NULL);
    return has_company(&d->contacts, contact) ? ss_max(pair, gap_of_points(m, d, c)) : pair;
}

ss_status ss_check_loaded_gaps(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    size_t    mark   = ss_arena_mark(&d->scratch);
    ss_frame *frames = ss_arena_alloc(&d->scratch, (size_t)m->ng, sizeof *frames);
    double    load   = largest_load(d);
    if (frames == NULL) {
        return SS_ERR_SCRATCH;
    }
    ss_place_geoms(m, d->pose_next, frames);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (!bears(d, b, load)) {
            continue;
        }
        const ss_contact *c         = &d->contacts.items[b->index];
        int32_t           bodies[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
        double            allowed   = ss_left_by_step(m, d, bodies[0], bodies[1], h);
        double            gap       = open_by(m, d, frames, b->index);
        if (gap > allowed && gap > fault->size) {
            *fault = (ss_fault){SS_FAULT_HOVER, gap, allowed, NULL, {bodies[0], bodies[1]}};
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

/* ---- bodies go no further than what is driven takes them ------------------------------------- */

static double size_of(const ss_model *m, int32_t body)
{
    return m->shapes[body].size > 0 ? m->shapes[body].size : m->length;
}

/* The most that points of a driven body, or of its surface, move by next to a body. */
static double way_of_driven(const ss_model *m, const ss_data *d, int32_t driven, int32_t body,
                            double h)
{
    const ss_body  *b   = &m->bodies[driven];
    const ss_twist *t   = &d->twist_next[driven];
    double          way = ss_norm(b->surface_velocity);
    if (b->type == SS_BODY_KINEMATIC) {
        double apart = ss_norm(ss_sub(d->frame[driven].p, d->frame[body].p));
        way += ss_norm(t->v) + (apart + ss_body_arm(m, body)) * ss_norm(t->w);
    }
    return h * way;
}

/* The largest coefficient of a row, all coordinates having the unit of a length. */
static double row_size(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row)
{
    const double *J    = ss_row_side(m, &d->rows, row, 0);
    double        size = 0;
    for (int side = 0; side < b->sides; side++, J += m->dof) {
        for (int32_t c = 0; b->body[side] >= 0 && c < m->dof; c++) {
            size = ss_max(size, fabs(J[c]) / ss_coordinate_scale(m, b->body[side], c));
        }
    }
    return size;
}

/* What was open or overlapped when the step began is closed or moved apart in it, up to a part of
   the smaller body. */
static double most_closed(const ss_model *m, const ss_data *d, const ss_row_block *b, double bias)
{
    double size = INFINITY;
    for (int side = 0; side < b->sides; side++) {
        size = b->body[side] >= 0 ? ss_min(size, size_of(m, b->body[side])) : size;
    }
    bool apart = b->kind != SS_BLOCK_EQUALITY && bias > 0;
    bool bears = d->rows.impulse[b->row] > 0;
    return size * (!apart ? SS_LEFT_REACH : bears ? SS_REACH_SETTLES : 0);
}

/* Rows of friction ask nothing beyond what their surfaces do. */
static int32_t rows_that_ask(const ss_row_block *b)
{
    bool holds = b->source == SS_ROWS_JOINT || b->source == SS_ROWS_MOTOR;
    bool stops =
        b->source == SS_ROWS_CONTACT || b->source == SS_ROWS_LOWER || b->source == SS_ROWS_UPPER;
    return holds ? b->dim : stops ? 1 : 0;
}

/* What takes bodies along in a step: drives go on, what was open is closed once. */
typedef struct taken {
    double driven, closed;
} taken;

static void add_block(const ss_model *m, const ss_data *d, const ss_row_block *b, double h,
                      taken *sum)
{
    for (int32_t k = 0; k < rows_that_ask(b); k++) {
        double bias = d->rows.bias[b->row + k], size = row_size(m, d, b, b->row + k);
        double way = size > 0 ? h * fabs(bias) / size : 0;
        if (b->source == SS_ROWS_MOTOR) {
            sum->driven = ss_max(sum->driven, way);
        } else {
            sum->closed = ss_max(sum->closed, ss_min(way, most_closed(m, d, b, bias)));
        }
    }
    for (int32_t k = 0; d->rows.give != NULL && k < b->dim; k++) {
        double give = d->rows.give[b->row + k] * d->rows.impulse[b->row + k];
        sum->closed = ss_max(sum->closed, h * fabs(give));
    }
}

static taken taken_by_rows(const ss_model *m, const ss_data *d, double h)
{
    taken sum = {0, 0};
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        add_block(m, d, &d->rows.blocks[i], h, &sum);
    }
    return sum;
}

static double driven_by(const ss_model *m, const ss_data *d, int32_t body, const taken *by,
                        double h)
{
    double most = by->driven;
    for (int32_t i = 0; i < m->nb; i++) {
        most = m->bodies[i].drifts ? ss_max(most, way_of_driven(m, d, i, body, h)) : most;
    }
    return most;
}

/* How far a body may go. */
static double reach_of(const ss_model *m, const ss_data *d, int32_t body, const taken *by, double h)
{
    double was[6] = {0}, size = ss_max(size_of(m, body), ss_body_arm(m, body));
    if (!ss_velocities_given(m, d)) {
        ss_twist_to_vector(m, &d->state.twist[body], was);
    }
    double driven = driven_by(m, d, body, by, h);
    double reach  = SS_REACH_DRIVEN * (driven + by->closed);
    reach += SS_REACH_GOES_ON * h * ss_speed_of(m, body, was);
    if (d->cut.part.smallest) {
        reach = ss_max(reach, SS_REACH_TURNS * sqrt(driven * size));
    }
    return reach + SS_REACH_ROUNDING * size;
}

void ss_check_reach(const ss_model *m, const ss_data *d, double h, ss_fault *fault)
{
    const taken by = taken_by_rows(m, d, h);
    for (int32_t i = 0; i < m->nb; i++) {
        if (!ss_body_moves(&m->bodies[i])) {
            continue;
        }
        double way   = h * ss_speed_of(m, i, d->v_next + m->bodies[i].v_start);
        double reach = reach_of(m, d, i, &by, h);
        if (way > reach && way > fault->size) {
            const char *where = driven_by(m, d, i, &by, h) > 0
                                    ? "within reach of what is driven"
                                    : "near where it is, and nothing is driven";
            *fault            = (ss_fault){SS_FAULT_FALLS, way, reach, where, {i, -1}};
        }
    }
}
