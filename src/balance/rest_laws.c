/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is rest a question for an island (rest.c)? Its bodies stand, and every law can hold while they
 * do: contacts and limits do not overlap, nothing drifts under what bears, joints are closed. What
 * drifts under friction with a bound, motors that have not arrived and rows that give push by an
 * impulse that is known.
 */
#include <math.h>
#include <string.h>

#include "balance/seat.h"
#include "balance/tolerances.h"
#include "core/compare.h"
#include "linalg/vector.h"

static double speed_of(const ss_model *m, int32_t body, const double *v)
{
    double arm = ss_body_arm(m, body), size = 0;
    for (int32_t c = 0; c < m->bodies[body].dof; c++) {
        size = ss_max(size, fabs(v[c]) * (c < m->dimension ? 1 : arm));
    }
    return size;
}

/* How fast motors of limited force that have not arrived, and friction of what drifts, would make a
   body: they push as hard as they can. */
static double pushed(const ss_seat *s)
{
    double most = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = ss_seat_block(s, i);
        if (b->kind != SS_BLOCK_DISK ||
            ss_vector_norm(b->dim, s->d->rows.bias + b->row) <= ss_rest_speed * s->fall) {
            continue;
        }
        for (int side = 0; side < b->sides; side++) {
            const double *Y = ss_response_side(s->m, s->d, b->row, side);
            if (b->body[side] >= 0) {
                most = ss_max(most, b->bound * speed_of(s->m, b->body[side], Y));
            }
        }
    }
    return most;
}

/* .. at the start of the step, and in its middle, where rows are those of the pass before. */
bool ss_seat_was_at_rest(ss_seat *s)
{
    const double *middle = s->d->midpoint.pass > 0 ? s->d->midpoint.v : s->d->v_now;
    double        speed  = 0;
    s->fall              = 0;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i], at = s->m->bodies[body].v_start;
        speed   = ss_max(speed, speed_of(s->m, body, s->d->v_now + at));
        speed   = ss_max(speed, speed_of(s->m, body, middle + at));
        s->fall = ss_max(s->fall, speed_of(s->m, body, s->d->v_free + at));
    }
    s->fall = ss_max(s->fall, pushed(s));
    /* without momentum it does not matter how the bodies came here */
    return ss_inertia_of(s->m)->balanced || speed <= ss_rest_speed * s->fall;
}

static bool is_asked_of(const ss_row_block *b)
{
    return b->source != SS_ROWS_REBOUND && (b->source != SS_ROWS_CONTACT || ss_block_one_way(b)) &&
           !(b->kind == SS_BLOCK_DISK && b->dim > 3);
}

/* At rest a contact or limit may not overlap, nor anything drift under a contact that bears. */
static bool one_way_obeys(const ss_seat *s, int32_t i, double tiny)
{
    const ss_row_block *b    = ss_seat_block(s, i);
    const double       *bias = s->d->rows.bias + b->row;
    s->may[i]                = bias[0] <= tiny;
    for (int32_t k = 1; s->may[i] && k < b->dim; k++) {
        if (fabs(bias[k]) > tiny) {
            return false;
        }
    }
    return bias[0] >= -tiny;
}

static bool joint_obeys(const ss_seat *s, const ss_row_block *b, double tiny)
{
    for (int32_t k = 0; k < b->dim; k++) {
        if (fabs(s->d->rows.bias[b->row + k]) > tiny) {
            return false;
        }
    }
    return true;
}

/*
 * Friction inside a bound, and motors of limited force: at rest against what drifts, or short of
 * what the motor is to do, they push as hard as they can, u = bias, p = -bound bias/|bias|.
 */
static void know_disk(const ss_seat *s, int32_t i, double tiny, double *known)
{
    const ss_row_block *b     = ss_seat_block(s, i);
    const double       *bias  = s->d->rows.bias + b->row;
    double              drift = ss_vector_norm(b->dim, bias);
    s->may[i]                 = b->bound > 0 && drift <= tiny;
    for (int32_t k = 0; k < b->dim && drift > tiny; k++) {
        known[k] = -b->bound * bias[k] / drift;
    }
}

/* Rows that give: u = bias + give p = 0. */
static void know_giving(const ss_seat *s, const ss_row_block *b, double *known)
{
    for (int32_t k = 0; k < b->dim; k++) {
        known[k] = -s->d->rows.bias[b->row + k] / s->d->rows.give[b->row + k];
    }
}

/* Can every law hold at rest? What may bear, and what rest leaves no choice of. */
bool ss_rest_obeys_laws(const ss_seat *s)
{
    double tiny = ss_rest_speed * s->fall, *known = s->known;
    memset(known, 0, (size_t)s->isl->row_count * sizeof *known);
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b     = ss_seat_block(s, i);
        bool                holds = ss_block_holds(b);
        s->may[i]                 = false;
        if (!is_asked_of(b) || (ss_block_one_way(b) && !one_way_obeys(s, i, tiny)) ||
            (holds && !joint_obeys(s, b, tiny))) {
            return false;
        }
        if (b->kind == SS_BLOCK_DISK) {
            know_disk(s, i, tiny, known);
        } else if (b->kind == SS_BLOCK_EQUALITY && !holds) {
            know_giving(s, b, known);
        }
        known += b->dim;
    }
    return true;
}

/*
 * Without friction of contacts that touch a step with momentum has one motion: the minimum of
 * |v - v_free|^2/2, measured by M, plus |J v + bias| times its bound of every friction whose bound
 * is known, over the velocities that joints, contacts and limits allow.
 */
bool ss_seat_may_have_several(const ss_seat *s)
{
    bool several = ss_inertia_of(s->m)->balanced;
    for (int32_t i = 0; i < s->isl->block_count && !several; i++) {
        const ss_row_block *b = ss_seat_block(s, i);
        several               = s->may[i] && b->kind == SS_BLOCK_CONE && b->mu > 0;
    }
    return several;
}

/* v_free + A^-1 J'p of the solution, into s->v of the island's bodies. */
double ss_seat_motion(const ss_seat *s, const double *r)
{
    const ss_model *m = s->m;
    double         *v = s->v, speed = 0;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t at = m->bodies[s->isl->bodies[i]].v_start;
        memcpy(v + at, s->d->v_free + at, (size_t)m->dof * sizeof *v);
    }
    for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++, row++) {
            const double *Y = ss_response_side(m, s->d, b->row + k, 0);
            for (int side = 0; side < b->sides; side++, Y += m->dof) {
                if (b->body[side] >= 0) {
                    ss_add_dof(v + m->bodies[b->body[side]].v_start, r[row], Y, m->dof);
                }
            }
        }
    }
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i];
        speed        = ss_max(speed, speed_of(m, body, v + m->bodies[body].v_start));
    }
    return speed;
}
