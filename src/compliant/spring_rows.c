/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A law p = A y + r of the deflection y at the end -> rows (compliant.h). Directions are n, t, o;
 * rows of friction are multiplied by the axes e of the ellipsoid (contact_rows.c), so their impulse
 * is p/e and their matrix e G e'.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "compliant/compliant.h"
#include "compliant/layer.h"
#include "compliant/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "linalg/mat3.h"

double ss_spring_rate(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row)
{
    const double *J = ss_row_side(m, &d->rows, row, 0);
    double        u = 0, v[6];
    for (int side = 0; side < 2; side++, J += m->dof) {
        if (b->body[side] >= 0) {
            ss_twist_to_vector(m, &d->state.twist[b->body[side]], v);
            u += ss_dot_dof(J, v, m->dof);
        }
    }
    return u;
}

/* Inverse of the leading `n` rows and columns from `from` on; zero elsewhere. */
static void invert(const double *A, int32_t from, int32_t n, double *G)
{
    ss_mat3 M = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int32_t i = from; i < n; i++) {
        for (int32_t j = from; j < n; j++) {
            M.m[3 * i + j] = A[3 * i + j];
        }
    }
    ss_mat3 inverse = ss_mat3_inverse(&M);
    memset(G, 0, 9 * sizeof *G);
    for (int32_t i = from; i < n; i++) {
        for (int32_t j = from; j < n; j++) {
            G[3 * i + j] = inverse.m[3 * i + j];
        }
    }
}

/* A slope that is there: at a touch, and for powers at zero, there is none. */
static double certain_slope(const ss_spring *s, double slope, double reach)
{
    double stiff = ss_spring_slope(s->law, reach);
    return ss_max(slope, SS_SLOPE_LEAST * (stiff > 0 ? stiff : s->law->K[0]));
}

/* p = A y + r at the end of the step. */
static void law_at_end(const ss_spring *s, double h, double reach, double *A, double *r)
{
    const ss_compliance *c  = s->law;
    double               at = ss_max(s->at, 0), f = ss_spring_force(c, at);
    double               slope = certain_slope(s, ss_spring_slope(c, at), reach);
    for (int32_t i = 0; i < s->dim; i++) {
        r[i] = 0;
        for (int32_t j = 0; j < s->dim; j++) {
            A[3 * i + j] = h * c->K[3 * i + j] + c->C[3 * i + j];
            r[i] -= c->C[3 * i + j] * s->start[j];
        }
    }
    A[0] = h * slope + c->C[0];
    r[0] += h * (f - slope * at);
}

/* The rows along t and o over the step: the mean of the spring, or where it slides its end. */
static void law_along(const ss_spring *s, double h, double *A, double *r)
{
    const ss_compliance *c    = s->law;
    double               part = s->slides ? 1 : 0.5;
    for (int32_t i = 1; i < s->dim; i++) {
        r[i] = 0;
        for (int32_t j = 1; j < s->dim; j++) {
            double K = c->K[3 * i + j], C = c->C[3 * i + j];
            A[3 * i + j] = part * h * K + C;
            r[i] += ((1 - part) * h * K - C) * s->start[j];
        }
    }
}

/* p = A y + r over the step, y = (-psi', x_t', x_o'). */
static void law_over_step(const ss_spring *s, double h, double depth, double reach, double *A,
                          double *r)
{
    const ss_compliance *c = s->law;
    double               slope, at = s->at;
    if (depth <= 0) {
        at = ss_max(at, 0); /* open, and still open at the point: linear from the touch on */
    }
    double f      = ss_spring_mean(c, depth, at, &slope);
    bool   inside = at > 0;
    slope         = certain_slope(s, slope, reach);
    law_along(s, h, A, r);
    A[0] = h * slope + (inside ? c->C[0] : 0);
    r[0] = h * (f - slope * at) - c->C[0] * s->start[0];
    for (int32_t i = 1; i < s->dim; i++) {
        double K = c->K[i], C = c->C[i];
        A[i] = A[3 * i] = inside ? 0.5 * h * K + C : 0;
        r[0] += inside ? (0.5 * h * K - C) * s->start[i] : 0;
        r[i] += (0.5 * h * K - C) * s->start[0];
    }
}

/* Down to the core: x_n' = d is known, the law speaks of t and o. */
static void law_at_core(const ss_spring *s, double h, double *A, double *r)
{
    const ss_compliance *c = s->law;
    double               d = c->max_deflection;
    if (s->mean) {
        law_along(s, h, A, r);
    }
    for (int32_t i = 1; i < s->dim; i++) {
        double from = s->mean ? 0.5 * (s->start[0] + d) : d;
        if (!s->mean) {
            r[i] = 0;
            for (int32_t j = 1; j < s->dim; j++) {
                A[3 * i + j] = h * c->K[3 * i + j] + c->C[3 * i + j];
                r[i] -= c->C[3 * i + j] * s->start[j];
            }
        }
        r[i] += h * c->K[3 * i] * from + c->C[3 * i] * (d - s->start[0]);
    }
}

/* Of pressures (layer.c): the whole patch's law, linear, with means or of the end. */
static void law_of_layer(const ss_spring *s, double h, double *A, double *r)
{
    const ss_compliance *c    = s->law;
    double               part = s->mean ? 0.5 : 1;
    for (int32_t i = 0; i < s->dim; i++) {
        for (int32_t j = 0; j < s->dim; j++) {
            double K = c->K[3 * i + j], C = c->C[3 * i + j];
            A[3 * i + j] = part * h * K + C;
            r[i] += ((1 - part) * h * K - C) * s->start[j];
        }
    }
}

/* Law -> G, r of the spring, and the part G r of the biases. */
static void linear_law(ss_spring *s, double h, double depth, double reach)
{
    double A[9] = {0};
    memset(s->r, 0, sizeof s->r);
    if (s->layer >= 0) {
        law_of_layer(s, h, A, s->r);
    } else if (s->core) {
        law_at_core(s, h, A, s->r);
    } else if (s->mean) {
        law_over_step(s, h, depth, reach, A, s->r);
    } else {
        law_at_end(s, h, reach, A, s->r);
    }
    invert(A, s->core ? 1 : 0, s->dim, s->G);
}

static double part_of_bias(const ss_spring *s, int32_t i)
{
    return s->G[3 * i] * s->r[0] + s->G[3 * i + 1] * s->r[1] + s->G[3 * i + 2] * s->r[2];
}

/* The gap of the core, as rows of rigid contacts have it. */
static double core_bias(const ss_model *m, const ss_spring *s, double gap, double carried, double h)
{
    double left = gap + s->law->max_deflection;
    return (m->as_printed ? left : ss_max(left, 0)) / h + carried;
}

void ss_spring_rows(const ss_model *m, ss_data *d, const ss_row_block *b, ss_spring *s, double h)
{
    double gap = ss_spring_gap(m, d, b, h), unmoved = ss_gap_unmoved(m, d, b, h);
    double times = s->mean ? 2 / h : 1 / h, rate = ss_spring_rate(m, d, b, b->row);
    double reach = ss_max(ss_max(-gap, -ss_gap_at_end(unmoved, rate, h)), fabs(s->at));
    linear_law(s, h, -gap, reach);
    double  own  = s->layer >= 0 ? ss_layer_own(d, s) : 1;
    double *bias = d->rows.bias + b->row, *give = d->rows.give + b->row;
    bias[0] = s->core ? core_bias(m, s, gap, ss_spring_carried(m, d, b, h), h)
                      : (s->mean ? rate : 0) + times * (unmoved - part_of_bias(s, 0));
    give[0] = s->core ? 0 : times * own * s->G[0];
    for (int32_t i = 1; i < s->dim; i++) {
        double e     = s->scale[i];
        double drift = (s->mean ? 2 : 1) * d->rows.drift[b->row + i];
        double start = s->mean ? ss_spring_rate(m, d, b, b->row + i) : 0;
        bias[i]      = start + drift - e * times * (s->start[i] + part_of_bias(s, i));
        give[i]      = e * e * times * own * s->G[4 * i];
    }
    for (int32_t i = 0; i < 9; i++) {
        s->G_rows[i] = times * own * s->scale[i / 3] * s->scale[i % 3] * s->G[i];
    }
}

double ss_depth_at_end(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_spring *s, double h)
{
    double rate = ss_row_rate(m, d, b, b->row, d->v_next);
    if (s->mean) {
        rate = 0.5 * (rate + ss_spring_rate(m, d, b, b->row));
    }
    return -(ss_gap_unmoved(m, d, b, h) + h * rate);
}

/* A surface that nothing touches relaxes by its own damper, or at once. */
static double relaxed(const ss_spring *s, double h)
{
    const ss_compliance *c = s->law;
    if (!(c->C[0] > 0) || !(s->start[0] > 0)) {
        return 0;
    }
    return s->start[0] * c->C[0] / (c->C[0] + h * ss_spring_force(c, s->start[0]) / s->start[0]);
}

/* What acts on the spring: its own impulse, or all of its layer's. */
static void pressure(const ss_data *d, const ss_row_block *b, const ss_spring *s, double *push)
{
    if (s->layer >= 0) {
        ss_layer_pressure(d, s, push);
        return;
    }
    for (int32_t i = 0; i < s->dim; i++) {
        push[i] = s->scale[i] * d->rows.impulse[b->row + i];
    }
}

/* Energy that the dampers of a spring took. */
static double damped_energy(const ss_spring *s, double h)
{
    double sum = 0;
    for (int32_t i = 0; i < s->dim; i++) {
        for (int32_t j = 0; j < s->dim; j++) {
            sum += s->law->C[3 * i + j] * (s->end[i] - s->start[i]) * (s->end[j] - s->start[j]);
        }
    }
    return sum / h;
}

static void note_energies(ss_spring *s, double h)
{
    s->energy = ss_deflection_energy(s->law, s->end, s->dim);
    s->change = s->energy - s->stored;
    s->damped = damped_energy(s, h);
}

void ss_spring_end(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s,
                   double h)
{
    const double *p     = d->rows.impulse + b->row;
    double        depth = ss_depth_at_end(m, d, b, s, h);
    double        push[3];
    pressure(d, b, s, push);
    for (int32_t i = 0; i < 3; i++) {
        s->end[i] = 0;
        for (int32_t j = 0; j < s->dim; j++) {
            s->end[i] += s->G[3 * i + j] * (push[j] - s->r[j]);
        }
    }
    if (s->layer >= 0) {
        return; /* it may be deflected without a touch; energies: ss_settle_layers() */
    }
    if (s->core) {
        s->end[0] = s->law->max_deflection;
    } else if (p[0] > 0) {
        s->end[0] = ss_max(s->mean ? depth : s->end[0], 0);
    } else {
        s->end[0] = ss_max(ss_max(depth, 0), relaxed(s, h));
        s->end[1] = s->end[2] = 0; /* nothing holds it along the surface */
    }
    note_energies(s, h);
}

void ss_spring_stop(ss_spring *s, double h)
{
    if (s->end[0] > s->law->max_deflection) {
        s->end[0] = s->law->max_deflection;
        note_energies(s, h);
    }
}
