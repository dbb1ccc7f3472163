/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/rates.h"

#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "model/axes.h"

/* Contacts without an impulse do no work: nobody asks how fast they are. */
static bool acts(const ss_data *d, const ss_row_block *b)
{
    return b->source != SS_ROWS_CONTACT || b->spring > 0 || ss_block_pushes(d, b);
}

/* Velocities of the rows of a block on one side, J'p, and the works of their impulses. */
static void add_side(const ss_model *m, const ss_data *d, const ss_row_block *b, int side,
                     ss_rates *out)
{
    const int32_t body = b->body[side], dof = m->dof, start = m->bodies[body].v_start;
    const double *w = out->w + start, *v = d->v_next + start;
    const double *J     = ss_row_side(m, &d->rows, b->row, side);
    const double *moved = d->midpoint.smooth[body] ? w : v;
    double       *push = out->push + start, done = 0, worked = 0;
    for (int32_t row = b->row; row < b->row + b->dim; row++, J += 2 * (size_t)dof) {
        double p = d->rows.impulse[row], mean = ss_dot_dof(J, w, dof), end = ss_dot_dof(J, v, dof);
        out->mean[2 * (size_t)row + side] = mean;
        out->end[2 * (size_t)row + side]  = end;
        double work                       = p * (moved == w ? mean : end);
        out->work[row] += work;
        worked += work;
        done += p * mean;
        ss_add_dof(push, p, J, dof);
    }
    out->done[body] += done;
    out->books[b->island].worked += worked;
}

static void add_block(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_rates *out)
{
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            add_side(m, d, b, side, out);
        }
    }
}

/* The books of islands; how many bodies are in one. */
static int32_t find_islands(const ss_data *d, int32_t *book)
{
    int32_t count = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        for (int32_t k = 0; k < d->islands[i].body_count; k++, count++) {
            book[d->islands[i].bodies[k]] = i;
        }
    }
    return count;
}

static void find_books(const ss_model *m, const ss_data *d, ss_rates *out)
{
    out->book_count = d->island_count;
    if (find_islands(d, out->book) * m->dof == m->nv) {
        return; /* nothing moves by itself */
    }
    for (int32_t i = 0; i < m->nb; i++) {
        out->book[i] = ss_body_moves(&m->bodies[i]) ? -1 : 0;
    }
    find_islands(d, out->book);
    for (int32_t i = 0; i < m->nb; i++) {
        out->book[i] = out->book[i] < 0 ? out->book_count++ : out->book[i];
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

/* Does it turn and move as it did where the energies of `x` were found? */
static bool is_same(const ss_had *x, const ss_quat *q, const ss_twist *t)
{
    return x->q.w == q->w && x->q.x == q->x && x->q.y == q->y && x->q.z == q->z &&
           x->t.w.x == t->w.x && x->t.w.y == t->w.y && x->t.w.z == t->w.z && x->t.v.x == t->v.x &&
           x->t.v.y == t->v.y && x->t.v.z == t->v.z;
}

static void find_before(const ss_data *d, const ss_body *b, int32_t i, ss_rates *out)
{
    const ss_pose  *at = &d->state.pose[i];
    const ss_twist *t  = &d->state.twist[i];
    const ss_had   *x  = &d->had[i];
    if (!b->round && is_same(x, &at->q, t)) {
        out->before[i] = x->energy;
        out->spun[i]   = x->spin;
    } else {
        out->before[i] = ss_kinetic_energy_and_spin(b, at, t, &out->spun[i]);
    }
}

static void find_after(ss_data *d, const ss_body *b, int32_t i, ss_rates *out)
{
    const ss_pose  *at = &d->pose_next[i];
    const ss_twist *t  = &d->twist_next[i];
    out->after[i]      = ss_kinetic_energy_and_spin(b, at, t, &out->spins[i]);
    if (!b->round) {
        d->had[i] = (ss_had){at->q, *t, out->after[i], out->spins[i]};
    }
}

/* Of bodies: h F, w, y, and energies. */
static void find_motions(const ss_model *m, ss_data *d, double h, ss_rates *out)
{
    const double *other = ss_inertia_of(m)->momentum ? d->v_now : d->v_next;
    const bool    flat  = m->dimension == 2;
    for (int32_t k = 0; k < m->nv; k++) {
        out->w[k] = out->y[k] = 0.5 * (other[k] + d->v_next[k]);
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            ss_wrench_to_vector(m, &d->applied[i], h, out->push + b->v_start);
            if (d->midpoint.flight[i].is) {
                add_timing(m, d, i, h, out->w + b->v_start);
            }
            if (d->midpoint.flight[i].is || !d->midpoint.smooth[i]) {
                memcpy(out->y + b->v_start,
                       (d->midpoint.smooth[i] ? out->w : d->v_next) + b->v_start,
                       (size_t)m->dof * sizeof *out->y);
            }
            const double *y = out->y + b->v_start;
            out->forced[i]  = ss_dot_dof(out->push + b->v_start, y, b->dof);
            out->weighed[i] = h * b->mass * ss_dot(m->gravity, ss_v3(y[0], y[1], flat ? 0 : y[2]));
            find_before(d, b, i, out);
            find_after(d, b, i, out);
            ss_vec3 dx     = ss_sub(d->shift.moved[i].p, d->state.pose[i].p);
            out->fallen[i] = b->mass * ss_dot(m->gravity, dx);
        }
    }
}

static ss_speed speed_of(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    const ss_body *b = &m->bodies[i];
    if (!ss_body_moves(b)) {
        bool            driven = b->type == SS_BODY_KINEMATIC;
        const ss_twist *x      = &d->twist_next[i];
        return driven ? (ss_speed){ss_norm(x->v), ss_norm(x->w)} : (ss_speed){0, 0};
    }
    ss_twist  now = d->state.twist[i];
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

const ss_speed *ss_speeds_of(const ss_model *m, const ss_data *d, double h, ss_rates *x)
{
    for (int32_t i = 0; !x->has_speeds && i < m->nb; i++) {
        x->speed[i] = speed_of(m, d, i, h);
    }
    for (int32_t i = 0; !x->has_speeds && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_MOTOR && b->kind == SS_BLOCK_DISK) {
            add_motor(m, d, b, x->speed);
        }
    }
    x->has_speeds = true;
    return x->speed;
}

static ss_status make_room(const ss_model *m, ss_data *d, ss_rates *out)
{
    const size_t rows = (size_t)d->rows.nrows, nb = (size_t)m->nb, nv = (size_t)m->nv;
    const size_t blocks = (size_t)d->rows.nblocks, most = (size_t)d->island_count + nb;
    const size_t zeros = most * sizeof(ss_book) + (nb + 5 * rows) * sizeof(double);
    const size_t numbers =
        (3 * nv + 6 * nb) * sizeof(double) + nb * sizeof(ss_speed) + 2 * nb * sizeof(ss_vec3);
    const size_t bytes = zeros + numbers + nb * sizeof(int32_t) + blocks * sizeof(bool);
    out->books         = ss_arena_alloc(&d->scratch, bytes, 1);
    if (out->books == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(out->books, 0, zeros);
    out->done       = (double *)(out->books + most);
    out->mean       = out->done + nb;
    out->end        = out->mean + 2 * rows;
    out->work       = out->end + 2 * rows;
    out->w          = out->work + rows;
    out->y          = out->w + nv;
    out->push       = out->y + nv;
    out->before     = out->push + nv;
    out->after      = out->before + nb;
    out->fallen     = out->after + nb;
    out->turned     = out->fallen + nb;
    out->forced     = out->turned + nb;
    out->weighed    = out->forced + nb;
    out->speed      = (ss_speed *)(out->weighed + nb);
    out->spun       = (ss_vec3 *)(out->speed + nb);
    out->spins      = out->spun + nb;
    out->book       = (int32_t *)(out->spins + nb);
    out->acts       = (bool *)(out->book + nb);
    out->has_speeds = false;
    return SS_OK;
}

ss_status ss_rates_of_step(const ss_model *m, ss_data *d, double h, ss_rates *out)
{
    SS_TRY(make_room(m, d, out));
    find_books(m, d, out);
    find_motions(m, d, h, out);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        out->acts[i]          = acts(d, b);
        if (out->acts[i]) {
            add_block(m, d, b, out);
        }
    }
    return SS_OK;
}
