/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do contacts obey their laws with the velocities at the end of the step? The first certificate
 * judges u = W p + q of the problem; here, of every contact that bears a load, u = J v+ + bias is
 * computed from v+ itself, and v+ is that of the trial state:
 *
 *   normal     p_n u_n = 0
 *   friction   |p_t| <= mu p_n,      p_t.u_t = -mu p_n |u_t|    (sliding with less friction, or
 * with one in another direction, shows)
 *
 * And the bias of the friction rows, from which slip is counted, has to be what it may be: the
 * drift of the surfaces; of an impact at its time within the step what forces do after it; in the
 * middle of a step what turning adds, or the slip of its start, so that the law speaks of the mean
 * slip; and a slide that friction does not see, because gaps of
 * second order have to close (formulate/closing.c). Such a slide is of the size of the gaps psi
 * that contacts of the same island had at the start of the step, if they bear a load:
 *
 *   |slide| <= SS_SLIDE_REACH max |psi|/h
 *
 * Anything more is motion along the surfaces that no law has seen: the residual of the problem is
 * none, momenta are explained, friction takes energy, and the motion is wrong.
 */
#include <math.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"
#include "rows/contact_state.h"

/* An island: how fast gaps of loaded contacts may close, the largest speed in play and the largest
   impulse, and the energy that closing joints took out. */
typedef struct around {
    double closing, speed, impulse, closed;
} around;

static bool is_judged(const ss_data *d, const ss_row_block *b)
{
    return b->source == SS_ROWS_CONTACT && b->spring == 0 && d->rows.impulse[b->row] > 0;
}

/* How fast points of a body may be in the step. */
static double body_speed(const ss_model *m, const ss_speed *speed, int32_t i)
{
    double extent = m->bodies[i].extent;
    return speed[i].move + (isfinite(extent) ? extent : 0) * speed[i].turn;
}

/* Of two bodies that touch, how fast the faster one is driven; 0: neither is. */
static double driven_speed(const ss_model *m, const ss_speed *speed, const ss_contact *c)
{
    int32_t body[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    double  most    = 0;
    for (int k = 0; k < 2; k++) {
        bool driven = m->bodies[body[k]].type == SS_BODY_KINEMATIC;
        most        = driven ? ss_max(most, body_speed(m, speed, body[k])) : most;
    }
    return most;
}

static around look_around(const ss_model *m, const ss_data *d, const ss_island *isl, double h,
                          const ss_speed *speed)
{
    around x = {.closed = isl->closed_most + isl->turned_most};
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (is_judged(d, b)) {
            const ss_contact *c      = &d->contacts.items[b->index];
            bool              driven = m->driven && ss_contact_is_uneven(m, d, c);
            double            apart  = driven ? 0 : fabs(ss_contact_apart(m, d, c, h));
            x.closing                = ss_max(x.closing, apart / h);
            x.impulse                = ss_max(x.impulse, d->rows.impulse[b->row]);
            x.speed = driven ? ss_max(x.speed, driven_speed(m, speed, c)) : x.speed;
        }
    }
    for (int32_t i = 0; i < isl->body_count; i++) {
        x.speed = ss_max(x.speed, body_speed(m, speed, isl->bodies[i]));
    }
    return x;
}

/* ---- what slip is counted from --------------------------------------------------------------- */

/* Friction rows along the surface: up to this one. */
static int32_t slide_end(const ss_model *m, const ss_row_block *b)
{
    return b->row + (b->dim < m->dimension ? b->dim : m->dimension);
}

/* What is in the bias of the friction rows and may not be there; middle: of a step. */
static double hidden(const ss_model *m, const ss_data *d, const ss_row_block *b, bool middle,
                     double h)
{
    double sum = 0;
    for (int32_t row = b->row + 1; row < slide_end(m, b); row++) {
        double more = d->rows.bias[row] - d->rows.drift[row] + ss_after_impact(m, d, b, row, h);
        more -= middle ? d->midpoint.shift[row] : 0;
        sum += more * more;
    }
    return sqrt(sum);
}

/* The same if the law speaks of the mean slip. */
static double hidden_in_mean(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    double sum = 0;
    for (int32_t row = b->row + 1; row < slide_end(m, b); row++) {
        double drift = d->rows.drift[row];
        double more  = d->rows.bias[row] - drift;
        more -= drift + ss_row_rate(m, d, b, row, d->v_now);
        sum += more * more;
    }
    return sqrt(sum);
}

static void judge_slide(const ss_model *m, const ss_data *d, const ss_row_block *b, const around *x,
                        double h, ss_fault *fault)
{
    bool   middle  = ss_block_in_middle(d, b);
    double allowed = (middle ? 0 : SS_SLIDE_REACH * x->closing) + SS_LAW_OFF * x->speed;
    double slide   = hidden(m, d, b, middle, h);
    if (slide > allowed && middle) {
        slide = ss_min(slide, hidden_in_mean(m, d, b));
    }
    if (!(slide <= allowed) && ss_slip_shows(m, slide, ss_slip_time(m, d, h))) {
        const ss_contact *c = &d->contacts.items[b->index];
        *fault              = (ss_fault){SS_FAULT_SLIDE,
                                         slide,
                                         allowed,
                                         NULL,
                                         {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body}};
    }
}

/* ---- the law --------------------------------------------------------------------------------- */

/*
 * Work by which a contact of a pile that is solved to a motion error may miss its law: with
 * velocities that are known to v, p_n v, and 2 mu p_n v of friction, whose direction goes with
 * them.
 */
static double unsure(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    const ss_island *isl = &d->islands[b->island];
    double           v   = ss_island_exact(m, isl) ? 0 : isl->solution.missed;
    return (1 + 2 * b->mu) * d->rows.impulse[b->row] * v;
}

/* What friction did before slip ended within the step is no part of the law of its end. */
static double rubbed_before(const ss_data *d, int32_t row)
{
    return d->midpoint.rubbed != NULL ? d->midpoint.rubbed[row] : 0;
}

static double kept_after(const ss_data *d, const ss_row_block *b)
{
    return d->midpoint.kept != NULL ? d->midpoint.kept[b - d->rows.blocks] : 1;
}

/*
 * The most power that friction of size 1 takes from the slip u of n rows. Of the ball |u|; of sides
 * that of a corner, which are those of the polygon in the first two rows and, where one stands
 * alone or for torsion and rolling, 1 and -1 in each (problem/reduce_polygon.c).
 */
static double most_taken(const ss_model *m, int32_t n, const double *u)
{
    double square = 0, most = 0;
    for (int32_t k = 0; k < n; k++) {
        square += u[k] * u[k];
        most = n < 2 || k >= 2 ? ss_max(most, fabs(u[k])) : most;
    }
    if (!ss_cone_of(m)->flat) {
        return sqrt(square);
    }
    for (int32_t j = 0; n >= 2 && j < m->polygon.count; j++) {
        const double *corner = m->polygon.corner[j];
        most                 = ss_max(most, -(corner[0] * u[0] + corner[1] * u[1]));
    }
    return most;
}

/* By how much a contact misses its law: p_n |u_n| + mu p_n g(u_t) + p_t.u_t, g as above. */
static double missed(const ss_model *m, const ss_data *d, const ss_row_block *b,
                     const ss_rates *rates)
{
    const double *p       = d->rows.impulse + b->row;
    double        normal  = ss_rate_of(rates->end, b->row) + d->rows.bias[b->row];
    double        slip[5] = {0}, work = 0;
    for (int32_t k = 1; k < b->dim; k++) {
        slip[k - 1] = ss_rate_of(rates->end, b->row + k) + d->rows.bias[b->row + k];
        work += (p[k] - rubbed_before(d, b->row + k)) * slip[k - 1];
    }
    double most = b->mu * kept_after(d, b) * p[0] * most_taken(m, b->dim - 1, slip);
    return p[0] * fabs(normal) + ss_max(most + work, 0);
}

/* The momentum of the lighter body of a block, as it is or as forces would make it. */
static double own_momentum(const ss_model *m, const ss_row_block *b, const ss_speed *speed)
{
    double least = INFINITY;
    for (int side = 0; side < 2; side++) {
        int32_t i = b->body[side];
        least     = i >= 0 ? ss_min(least, m->bodies[i].mass * body_speed(m, speed, i)) : least;
    }
    return least;
}

static void judge_law(const ss_model *m, const ss_data *d, const ss_row_block *b, const around *x,
                      const ss_rates *rates, ss_fault *fault)
{
    double off     = missed(m, d, b, rates);
    double allowed = SS_LAW_OFF * x->impulse * x->speed;
    if (off <= allowed) {
        return;
    }
    allowed += SS_LAW_NONE * own_momentum(m, b, rates->speed) * x->speed + unsure(m, d, b);
    if (!(off <= allowed)) {
        const ss_contact *c = &d->contacts.items[b->index];
        *fault              = (ss_fault){
                         SS_FAULT_LAW, off, allowed, NULL, {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body}};
    }
}

/* By how much the velocity of the trial state is not that of the rows. */
static double off_rows(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_body *b = &m->bodies[i];
    ss_twist       v = ss_twist_from_vector(m, b->dof, d->v_next + b->v_start);
    return ss_norm(ss_sub(d->twist_next[i].v, v.v));
}

/* It is, but for what closing joints took out. */
static void judge_state(const ss_model *m, const ss_data *d, int32_t i, const around *x,
                        ss_fault *fault)
{
    double off   = off_rows(m, d, i);
    double slack = SS_LAW_OFF * x->speed;
    if (!(off <= slack) && !(off <= slack + sqrt(2 * x->closed * m->bodies[i].inv_mass))) {
        *fault = (ss_fault){SS_FAULT_MOMENTUM, off / x->speed, SS_LAW_OFF, NULL, {i, -1}};
    }
}

/* ---- islands --------------------------------------------------------------------------------- */

static void judge_island(const ss_model *m, const ss_data *d, const ss_island *isl, double h,
                         ss_rates *rates, ss_fault *fault)
{
    around x = look_around(m, d, isl, h, ss_speeds_of(m, d, h, rates));
    for (int32_t i = 0; i < isl->body_count && fault->kind == SS_FAULT_NONE; i++) {
        judge_state(m, d, isl->bodies[i], &x, fault);
    }
    for (int32_t i = 0; i < isl->block_count && fault->kind == SS_FAULT_NONE; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (!is_judged(d, b)) {
            continue;
        }
        judge_slide(m, d, b, &x, h, fault);
        if (fault->kind == SS_FAULT_NONE) {
            judge_law(m, d, b, &x, rates, fault);
        }
    }
}

/*
 * Most islands do without all that may be allowed: with no more than the speed that forces would
 * give one of their bodies, and the impulse of each contact itself.
 */
static bool is_lawful(const ss_model *m, const ss_data *d, const ss_island *isl, double h,
                      const ss_rates *rates)
{
    int32_t first = isl->body_count > 0 ? isl->bodies[0] : -1;
    if (first < 0) {
        return false;
    }
    double off = SS_LAW_OFF * h * m->bodies[first].inv_mass * ss_norm(d->applied[first].force);
    for (int32_t i = 0; i < isl->body_count; i++) {
        if (!(off_rows(m, d, isl->bodies[i]) <= off)) {
            return false;
        }
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (is_judged(d, b) && !(hidden(m, d, b, ss_block_in_middle(d, b), h) <= off &&
                                 missed(m, d, b, rates) <= off * d->rows.impulse[b->row])) {
            return false;
        }
    }
    return true;
}

/* Impacts that take no time, and phases of one, have laws of their own; a step that was taken
   before its problem was solved is marked as such. */
void ss_check_laws(const ss_model *m, const ss_data *d, double h, ss_rates *rates, ss_fault *fault)
{
    if (!ss_inertia_of(m)->momentum || ss_geometry_of(m)->at_end || d->at_impact != NULL ||
        d->impact.phase != SS_PHASE_WHOLE || d->effort.over) {
        return;
    }
    for (int32_t i = 0; i < d->island_count && fault->kind == SS_FAULT_NONE; i++) {
        if (!is_lawful(m, d, &d->islands[i], h, rates)) {
            judge_island(m, d, &d->islands[i], h, rates, fault);
        }
    }
}
