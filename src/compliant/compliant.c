/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of contacts that give (compliant.h). */
#include "compliant/compliant.h"

#include <math.h>

#include "compliant/layer.h"
#include "compliant/tolerances.h"
#include "core/compare.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "rows/contact_state.h"

extern const ss_reason ss_reason_compliant;

static bool concerns(const ss_model *m)
{
    return m->compliant;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->springs.count     = 0;
    d->springs.exchanges = 0;
}

static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(ss_find_springs(m, d, h));
    SS_TRY(ss_factor_layers(d));
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->spring > 0) {
            ss_spring_rows(m, d, b, &d->springs.items[b->spring - 1], h);
        }
    }
    return SS_OK;
}

/* What is told of the rows: how fast the gap opens, and how fast the surfaces slip. */
static void measure(const ss_model *m, ss_data *d, const ss_row_block *b, const ss_spring *s,
                    double h)
{
    double carried           = ss_in_middle(m, d, &d->contacts.items[b->index])
                                   ? ss_spring_carried(m, d, b, h) /* else the gap has it */
                                   : 0;
    d->rows.velocity[b->row] = ss_row_rate(m, d, b, b->row, d->v_next) + carried;
    for (int32_t i = 1; i < s->dim; i++) {
        int32_t row = b->row + i;
        double  u   = ss_row_rate(m, d, b, row, d->v_next);
        if (s->mean) {
            u = 0.5 * (u + ss_row_rate(m, d, b, row, d->v_now));
        }
        d->rows.velocity[row] =
            u + d->rows.drift[row] + s->scale[i] * (s->end[i] - s->start[i]) / h;
    }
}

/* The law of this round was that of bodies that move by their mean velocity. Do they? */
static bool law_fits(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s)
{
    bool smooth = ss_integrator_of(m)->second;
    for (int side = 0; side < 2; side++) {
        smooth = smooth && (b->body[side] < 0 || d->midpoint.smooth[b->body[side]]);
    }
    if (s->mean && !smooth) {
        s->first = true;
    }
    return !s->mean || smooth;
}

/* Impulse of the spring where the contact is down to its core. */
static double impulse_at_core(const ss_spring *s, double h)
{
    const ss_compliance *c = s->law;
    double               d = c->max_deflection, slope;
    double mean = s->mean ? ss_spring_mean(c, s->start[0], d, &slope) : ss_spring_force(c, d);
    double p    = h * mean + c->C[0] * (d - s->start[0]);
    for (int32_t i = 1; i < s->dim; i++) {
        double x = s->mean ? 0.5 * (s->start[i] + s->end[i]) : s->end[i];
        p += h * c->K[i] * x + c->C[i] * (s->end[i] - s->start[i]);
    }
    return ss_max(p, 0);
}

/*
 * Cores that overlap are moved apart in position, not by their rows, so that such a contact may
 * leave its core and end the step beyond it all the same: then its spring is as deep as it goes.
 */
static bool core_fits(const ss_data *d, const ss_row_block *b, ss_spring *s, double h)
{
    double most = s->law->max_deflection, p = d->rows.impulse[b->row];
    bool   holds = s->core ? p >= (1 - SS_CORE_LEAVES) * impulse_at_core(s, h)
                           : !(p > 0) || s->end[0] <= (1 + SS_CORE_NEAR) * ss_max(most, s->overlap);
    if (holds && !s->core) {
        ss_spring_stop(s, h);
    }
    s->wrong = !holds;
    return holds;
}

/*
 * Which contacts are down to their cores is a complementarity problem over the others' solution.
 * All that are wrong change at once, which is mostly right; where that goes round in circles, the
 * last one alone (least-index pivoting: Murty 1974), which comes to an end.
 *
 * A core that is reached in the step has the law of its end, because it stops what comes there,
 * v' = -(psi + d)/h, while a motion by means goes on: it would end half way, -h (v + v')/2 deep,
 * with the deflection d and the energy V(d) of a place where it is not.
 */
static bool is_reached(const ss_spring *s)
{
    return s->start[0] < (1 - SS_CORE_NEAR) * s->law->max_deflection;
}

static void exchange_cores(ss_data *d)
{
    ss_spring *last = NULL;
    bool       all  = d->springs.exchanges < SS_CORES_TOGETHER;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        int32_t    k = d->rows.blocks[i].spring;
        ss_spring *s = k > 0 ? &d->springs.items[k - 1] : NULL;
        if (s == NULL || !s->wrong) {
            continue;
        }
        s->wrong = false;
        s->core  = all ? !s->core : s->core;
        s->first = s->first || (s->core && is_reached(s));
        last     = s;
    }
    if (last != NULL) {
        last->core  = all ? last->core : !last->core;
        last->first = last->first || !all;
        d->springs.exchanges++;
    }
}

static bool slides_now(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return b->dim > 1 && d->rows.impulse[b->row] > 0 && ss_at_limit(m, b, d->rows.impulse + b->row);
}

/* Does friction slide as the round assumed? Only the law over the step cares. */
static bool sliding_fits(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s)
{
    bool slides = slides_now(m, d, b);
    if (!s->mean || slides == s->slides || s->turns >= 2) {
        return true;
    }
    s->slides = slides;
    s->turns++;
    return false;
}

static bool is_linear(const ss_spring *s, double x, double y)
{
    return s->law->exponent == 1 && x >= 0 && y >= 0 && ss_max(x, y) < s->law->turn;
}

/* How far rounding may move the end of a contact: velocities of bodies are known to rounding. */
static double point_noise(const ss_data *d, const ss_row_block *b, double h)
{
    double speed = 0;
    for (int side = 0; side < 2; side++) {
        speed += b->body[side] < 0 ? 0 : d->speed[b->body[side]];
    }
    return SS_POINT_NOISE * h * speed;
}

/* Was the law linear about the point where it ended, or is it linear anyway? */
static bool point_fits(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s,
                       double h)
{
    double gap = ss_spring_gap(m, d, b, h), depth = ss_depth_at_end(m, d, b, s, h);
    double y = s->mean ? depth : ss_max(s->end[0], 0), at = s->at;
    double noise = point_noise(d, b, h);
    if (s->core) {
        return true;
    }
    s->at = y;
    if (!s->mean) {
        at = ss_max(at, 0);
        return is_linear(s, at, y) ||
               fabs(y - at) <= SS_POINT_SETTLED * (fabs(y) + fabs(gap)) + noise;
    }
    bool open = gap >= 0 && depth <= 0; /* at its end as at its start */
    if (open || (is_linear(s, at, y) && gap <= 0)) {
        return true;
    }
    return fabs(y - at) <= SS_POINT_SETTLED * (fabs(y + gap) + fabs(gap)) + noise;
}

/* Springs of a layer have the law over the step while all of them are pressed and none slides. */
static bool layer_fits(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s)
{
    bool pressed = d->rows.impulse[b->row] > 0 && !slides_now(m, d, b);
    s->first     = s->first || (s->mean && !pressed);
    return !s->mean || pressed;
}

static bool spring_fits(const ss_model *m, ss_data *d, const ss_row_block *b, ss_spring *s,
                        double h)
{
    ss_spring_end(m, d, b, s, h);
    measure(m, d, b, s, h);
    if (s->layer >= 0) {
        return law_fits(m, d, b, s) && layer_fits(m, d, b, s);
    }
    return law_fits(m, d, b, s) && core_fits(d, b, s, h) && sliding_fits(m, d, b, s) &&
           point_fits(m, d, b, s, h);
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    bool fits = true;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->spring > 0) {
            fits = spring_fits(m, d, b, &d->springs.items[b->spring - 1], h) && fits;
        }
    }
    exchange_cores(d);
    ss_settle_layers(d, h);
    if (fits) {
        return SS_HOLDS;
    }
    if (d->midpoint.pass > 0) {
        ss_go_to_middle(m, d, h); /* joints go on from the state that this round led to */
    }
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    return SS_AGAIN;
}

const ss_reason ss_reason_compliant = {.name          = "the deflection of a contact",
                                       .concerns      = concerns,
                                       .begin         = begin,
                                       .rows          = rows,
                                       .check         = check,
                                       .when_all_hold = true};
