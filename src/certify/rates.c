/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/rates.h"

#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "model/axes.h"

/* Contacts without an impulse do no work: nobody asks how fast they are. */
static bool is_asked(const ss_data *d, const ss_row_block *b)
{
    if (b->source != SS_ROWS_CONTACT || b->spring > 0) {
        return true;
    }
    return ss_block_pushes(d, b);
}

/* Velocities of the rows of a block on one side, J'p, and the works of their impulses. */
static void add_side(const ss_model *m, const ss_data *d, const ss_row_block *b, int side,
                     ss_rates *out)
{
    const int32_t body = b->body[side], dof = m->dof, start = m->bodies[body].v_start;
    const double *w = out->w + start, *v = d->v_next + start;
    const double *J     = ss_row_side(m, &d->rows, b->row, side);
    const double *moved = d->midpoint.smooth[body] ? w : v;
    double       *push = out->push + start, done = 0;
    for (int32_t row = b->row; row < b->row + b->dim; row++, J += 2 * (size_t)dof) {
        double p = d->rows.impulse[row], mean = ss_dot_dof(J, w, dof), end = ss_dot_dof(J, v, dof);
        out->mean[2 * (size_t)row + side] = mean;
        out->end[2 * (size_t)row + side]  = end;
        out->work[row] += p * (moved == w ? mean : end);
        done += p * mean;
        ss_add_dof(push, p, J, dof);
    }
    out->done[body] += done;
}

static void add_block(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_rates *out)
{
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            add_side(m, d, b, side, out);
        }
    }
}

static void find_books(const ss_model *m, const ss_data *d, int32_t *book)
{
    for (int32_t i = 0; i < m->nb; i++) {
        book[i] = d->island_count + i;
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        for (int32_t k = 0; k < d->islands[i].body_count; k++) {
            book[d->islands[i].bodies[k]] = i;
        }
    }
}

/* The mean of the velocities right before and right after its impact, which works with. */
static void add_timing(const ss_model *m, const ss_data *d, int32_t i, double h, double *w)
{
    ss_twist  a     = ss_free_acceleration(m, d, i);
    ss_wrench timed = {a.v, a.w};
    double    more[6];
    ss_wrench_to_vector(m, &timed, d->midpoint.flight[i].until - 0.5 * h, more);
    ss_add_dof(w, 1, more, m->dof);
}

/* Of bodies: h F, w, y, and kinetic energies. */
static void find_motions(const ss_model *m, const ss_data *d, double h, ss_rates *out)
{
    const bool momentum = ss_inertia_of(m)->momentum;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            ss_wrench_to_vector(m, &d->applied[i], h, out->push + b->v_start);
            for (int32_t k = b->v_start; k < b->v_start + m->dof; k++) {
                out->w[k] = momentum ? 0.5 * (d->v_now[k] + d->v_next[k]) : d->v_next[k];
            }
            if (d->midpoint.flight[i].is) {
                add_timing(m, d, i, h, out->w + b->v_start);
            }
            memcpy(out->y + b->v_start, (d->midpoint.smooth[i] ? out->w : d->v_next) + b->v_start,
                   (size_t)m->dof * sizeof *out->y);
            out->before[i] = ss_kinetic_energy(m, b, &d->state.pose[i], &d->state.twist[i]);
            out->after[i]  = ss_kinetic_energy(m, b, &d->pose_next[i], &d->twist_next[i]);
        }
    }
}

ss_vec3 ss_turned_by(const ss_model *m, const ss_data *d, int32_t body, ss_vec3 torque)
{
    const ss_body *b = &m->bodies[body];
    if (b->dof < m->dof) {
        return ss_v3(0, 0, 0);
    }
    return m->dimension == 3 ? ss_mul(&d->inv_inertia[body], torque)
                             : ss_scale(b->inv_inertia.m[8], torque);
}

static ss_speed speed_of(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    const ss_body *b = &m->bodies[i];
    if (!ss_body_moves(b)) {
        bool            driven = b->type == SS_BODY_KINEMATIC;
        const ss_twist *x      = &d->twist_next[i];
        return driven ? (ss_speed){ss_norm(x->v), ss_norm(x->w)} : (ss_speed){0, 0};
    }
    ss_twist  now = ss_twist_from_vector(m, b->dof, d->v_now + b->v_start);
    ss_twist  end = ss_twist_from_vector(m, b->dof, d->v_next + b->v_start);
    ss_wrench F   = d->applied[i];
    return (ss_speed){
        ss_norm(now.v) + ss_norm(end.v) + h * b->inv_mass * ss_norm(F.force),
        ss_norm(now.w) + ss_norm(end.w) + h * ss_norm(ss_turned_by(m, d, i, F.torque)),
    };
}

/* Motors of limited force are forces. */
static void add_motor(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_speed *speed)
{
    for (int side = 0; side < b->sides; side++) {
        int32_t i = b->body[side];
        if (i >= 0) {
            ss_twist J =
                ss_twist_from_vector(m, m->bodies[i].dof, ss_row_side(m, &d->rows, b->row, side));
            speed[i].move += b->bound * m->bodies[i].inv_mass * ss_norm(J.v);
            speed[i].turn += b->bound * ss_norm(ss_turned_by(m, d, i, J.w));
        }
    }
}

static ss_status make_room(const ss_model *m, ss_data *d, ss_rates *out)
{
    const size_t rows = (size_t)d->rows.nrows, nb = (size_t)m->nb;
    out->w     = ss_arena_alloc(&d->scratch, 3 * (size_t)m->nv + 3 * nb + 5 * rows, sizeof *out->w);
    out->book  = ss_arena_alloc(&d->scratch, nb, sizeof *out->book);
    out->speed = ss_arena_alloc(&d->scratch, nb, sizeof *out->speed);
    if (!out->w || !out->book || !out->speed) {
        return SS_ERR_SCRATCH;
    }
    out->y      = out->w + m->nv;
    out->push   = out->y + m->nv;
    out->before = out->push + m->nv;
    out->after  = out->before + nb;
    out->done   = out->after + nb;
    out->mean   = out->done + nb;
    out->end    = out->mean + 2 * rows;
    out->work   = out->end + 2 * rows;
    memset(out->done, 0, (nb + 5 * rows) * sizeof *out->done);
    return SS_OK;
}

ss_status ss_rates_of_step(const ss_model *m, ss_data *d, double h, ss_rates *out)
{
    SS_TRY(make_room(m, d, out));
    find_books(m, d, out->book);
    find_motions(m, d, h, out);
    for (int32_t i = 0; d->rows.nblocks > 0 && i < m->nb; i++) { /* asked for of rows alone */
        out->speed[i] = speed_of(m, d, i, h);
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (is_asked(d, b)) {
            add_block(m, d, b, out);
        }
        if (b->source == SS_ROWS_MOTOR && b->kind == SS_BLOCK_DISK) {
            add_motor(m, d, b, out->speed);
        }
    }
    return SS_OK;
}
