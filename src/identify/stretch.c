/* SPDX-License-Identifier: Apache-2.0 */
#include "identify/stretch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "identify/tolerances.h"

/* ---- unknowns ---- */

static int32_t count_coordinates(const ss_identify *p)
{
    int32_t count = 0;
    for (int32_t s = 0; s < p->start_count; s++) {
        for (int q = 0; q < SS_Q_COUNT; q++) {
            count += (p->starts[s].free & (1u << q)) != 0;
        }
    }
    return count;
}

static bool name_coordinate(const ss_unknowns *u, ss_pool *pool, int32_t c)
{
    char text[192];
    int  ok = 1;
    snprintf(text, sizeof text, "%.150s.%s", u->p->bodies[u->body[c]],
             ss_quantity_names[u->quantity[c]]);
    u->names[u->value_count + c] = ss_pool_text(pool, text, &ok);
    return ok;
}

static bool add_coordinates(ss_unknowns *u, ss_pool *pool)
{
    const ss_identify *p = u->p;
    for (int32_t s = 0; s < p->start_count; s++) {
        for (int q = 0; q < SS_Q_COUNT; q++) {
            if ((p->starts[s].free & (1u << q)) != 0) {
                int32_t c      = u->coordinate_count++;
                u->body[c]     = p->starts[s].body;
                u->quantity[c] = (ss_quantity)q;
                if (!name_coordinate(u, pool, c)) {
                    return false;
                }
            }
        }
    }
    return true;
}

ss_status ss_unknowns_make(const ss_identify *p, ss_pool *pool, ss_unknowns *out)
{
    size_t n = (size_t)p->parameter_count + 1, c = (size_t)count_coordinates(p) + 1;
    *out = (ss_unknowns){.p        = p,
                         .value    = ss_pool_alloc(pool, n, sizeof *out->value),
                         .body     = ss_pool_alloc(pool, c, sizeof *out->body),
                         .quantity = ss_pool_alloc(pool, c, sizeof *out->quantity),
                         .names    = ss_pool_alloc(pool, n + c, sizeof *out->names)};
    bool made =
        out->value != NULL && out->body != NULL && out->quantity != NULL && out->names != NULL;
    for (int32_t i = 0; made && i < p->parameter_count; i++) {
        if (p->parameters[i].kind != SS_PARAMETER_START) {
            out->names[out->value_count]   = p->parameters[i].name;
            out->value[out->value_count++] = i;
        }
    }
    if (!made || !add_coordinates(out, pool)) {
        return ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
    }
    out->count = out->value_count + out->coordinate_count;
    return SS_OK;
}

bool ss_unknowns_use(const ss_unknowns *u, int32_t i, int32_t trial)
{
    int32_t k = i < u->value_count ? u->p->parameters[u->value[i]].trial : trial;
    return k < 0 || k == trial;
}

/* The parameter that is a coordinate's start in a recording. */
static const ss_parameter *start_of(const ss_unknowns *u, int32_t c, int32_t trial)
{
    for (int32_t i = 0; i < u->p->parameter_count; i++) {
        const ss_parameter *a = &u->p->parameters[i];
        if (a->kind == SS_PARAMETER_START && a->trial == trial && a->body == u->body[c] &&
            a->quantity == u->quantity[c]) {
            return a;
        }
    }
    return NULL; /* every free coordinate has one in every recording */
}

double ss_unknowns_scale(const ss_unknowns *u, int32_t coordinate, int32_t trial)
{
    return start_of(u, coordinate, trial)->scale;
}

double ss_unknowns_walk(const ss_unknowns *u, int32_t i)
{
    const ss_filter_def *f = &u->p->search.filter;
    if (i < u->value_count) {
        const ss_parameter *a = &u->p->parameters[u->value[i]];
        return a->nuisance ? 0 : f->drift * (a->high - a->low);
    }
    return f->walk[ss_quantity_unit(u->quantity[i - u->value_count])];
}

/* The slope of a column over samples from `first` to before `end`; the time that they cover. */
static double slope_of(const ss_identify *p, const ss_recorded *r, int32_t column, int32_t first,
                       int32_t end, double *time)
{
    double n = 0, st = 0, sy = 0, stt = 0, sty = 0;
    *time = 0;
    for (int32_t i = first; i < end && i < r->count; i++) {
        double y = r->y[(ptrdiff_t)i * p->column_count + column], t = r->t[i] - r->t[first];
        if (!isnan(y)) {
            n += 1;
            st += t;
            sy += y;
            stt += t * t;
            sty += t * y;
            *time = t;
        }
    }
    double det = n * stt - st * st;
    return det > 0 ? (n * sty - st * sy) / det : NAN;
}

/* The column of a body that a rate is the slope of, or that a coordinate itself is; -1: none. */
static int32_t column_of(const ss_identify *p, int32_t body, ss_quantity q)
{
    for (int32_t c = 0; c < p->column_count; c++) {
        if (p->columns[c].body == body && p->columns[c].quantity == q) {
            return c;
        }
    }
    return -1;
}

static ss_quantity base_of(ss_quantity q)
{
    return q >= SS_Q_VX && q <= SS_Q_VZ ? (ss_quantity)(q - SS_Q_VX + SS_Q_X)
           : q == SS_Q_W                ? SS_Q_ANGLE
                                        : q;
}

/*
 * A start comes from a line through n samples within T seconds. These samples are used again, so
 * that its deviation is WIDER times the line's own: sigma for a position, sqrt(12/n) sigma/T for a
 * rate. What moves under forces is no line: with a rate that changes by D over the samples after
 * them, rates at the start are off by about D/2 and positions by D T/12, and twice that is added.
 */
static double start_deviation(const ss_identify *p, const ss_recorded *r, const ss_parameter *a)
{
    enum { WIDER = 3 };
    ss_quantity  base   = base_of(a->quantity);
    ss_unit_kind unit   = ss_quantity_unit(a->quantity);
    int32_t      column = column_of(p, a->body, base), n = p->start_samples;
    bool         rate = base != a->quantity;
    if (column_of(p, a->body, a->quantity) >= 0 && unit != SS_UNIT_LENGTH &&
        unit != SS_UNIT_ANGLE) {
        return WIDER * p->sigma[unit]; /* a rate that is recorded itself */
    }
    if (column < 0) {
        return a->scale; /* recorded nowhere: anything up to its scale */
    }
    double time, later, sigma = p->sigma[ss_quantity_unit(base)];
    double change = slope_of(p, r, column, 0, n, &time);
    change        = fabs(slope_of(p, r, column, n, 2 * n, &later) - change);
    if (isnan(change) || !(time > 0)) {
        return a->scale; /* too few samples for two lines */
    }
    double own = WIDER * (rate ? sqrt(12.0 / n) * sigma / time : sigma);
    return own + change * (rate ? 1 : time / 6);
}

void ss_unknowns_start(const ss_unknowns *u, int32_t trial, double *x, double *deviation)
{
    for (int32_t c = 0; c < u->coordinate_count; c++) {
        const ss_parameter *a = start_of(u, c, trial);
        x[c]                  = a->start;
        deviation[c]          = start_deviation(u->p, &u->p->trials[trial], a);
    }
}

/* ---- stretches ---- */

ss_status ss_stretch_open(ss_identify_worker *w, const ss_unknowns *u, int32_t trial,
                          const double *theta, ss_stretch *out)
{
    *out        = (ss_stretch){.w = w, .u = u, .trial = trial, .theta = theta};
    out->bodies = ss_alloc(w->ctx, (size_t)u->p->body_count + 1, sizeof *out->bodies);
    out->shown  = ss_alloc(w->ctx, (size_t)u->p->column_count + 1, sizeof *out->shown);
    if (out->bodies == NULL || out->shown == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_identify_open(w, trial, theta, &out->m, &out->d));
    out->size = ss_state_size(out->m);
    return SS_OK;
}

void ss_stretch_close(ss_stretch *s)
{
    ss_context *ctx = s->w->ctx;
    ss_data_destroy(s->d);
    ss_model_destroy(s->m);
    ss_free(ctx, s->bodies, ((size_t)s->u->p->body_count + 1) * sizeof *s->bodies);
    ss_free(ctx, s->shown, ((size_t)s->u->p->column_count + 1) * sizeof *s->shown);
}

ss_status ss_stretch_put(ss_stretch *s, const double *state, const double *x)
{
    const ss_unknowns *u = s->u;
    SS_TRY(ss_state_set(s->m, s->d, state));
    for (int32_t c = 0; c < u->coordinate_count; c++) {
        ss_body_state b;
        int32_t       body = s->w->index[u->body[c]];
        SS_TRY(ss_data_body(s->m, s->d, body, &b));
        ss_identify_put(&b, u->quantity[c], x[c]);
        SS_TRY(ss_data_set_body(s->m, s->d, body, &b));
    }
    return SS_OK;
}

ss_status ss_stretch_get(const ss_stretch *s, double *state, double *x)
{
    const ss_unknowns *u = s->u;
    if (state != NULL) {
        SS_TRY(ss_state_get(s->m, s->d, state));
    }
    for (int32_t c = 0; x != NULL && c < u->coordinate_count; c++) {
        ss_body_state b;
        SS_TRY(ss_data_body(s->m, s->d, s->w->index[u->body[c]], &b));
        x[c] = ss_identify_coordinate(&b, u->quantity[c]);
    }
    return SS_OK;
}

ss_status ss_stretch_advance(ss_stretch *s, int32_t from, int32_t to)
{
    const ss_recorded *r    = &s->u->p->trials[s->trial];
    double             most = ss_model_simulation(s->m)->step;
    for (int32_t i = from; i < to; i++) {
        double  dt    = r->t[i + 1] - r->t[i];
        int64_t steps = (int64_t)fmax(ceil(dt / most - SS_ON_STEP), 1);
        for (int64_t k = 0; k < steps; k++) {
            SS_TRY(ss_step(s->m, s->d, dt / (double)steps));
        }
        if (s->w->interrupt != NULL && *s->w->interrupt != 0) {
            return ss_fail(s->w->ctx, SS_ERR_INTERRUPTED, "interrupted");
        }
    }
    return SS_OK;
}

ss_status ss_stretch_residuals(ss_stretch *s, int32_t sample, double *r)
{
    const ss_identify *p = s->u->p;
    for (int32_t b = 0; b < p->body_count; b++) {
        SS_TRY(ss_data_body(s->m, s->d, s->w->index[b], &s->bodies[b]));
    }
    ss_identify_differ(p, s->trial, s->theta, sample, s->bodies, s->shown, r);
    return SS_OK;
}
