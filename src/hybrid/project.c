/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the integrator leaves in gaps, joints and velocities that must be zero is taken out along
 * the reactions: with the rows J of what is held,
 *
 *   q := q - M^-1 J' l,  J M^-1 J' l = gap;      v := v - M^-1 J' l,  J M^-1 J' l = u
 *
 * Gaps and joints in position, and in velocity also the friction rows of what sticks. It is of the
 * size of the integrator's error.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "instant/tolerances.h"
#include "sim/sim.h"

typedef struct projection {
    const ss_model        *m;
    ss_data               *d;
    const ss_instant_rows *r;
    ss_instant_problem     p;
    double                *open, *rate;   /* (rows) */
    bool                  *placed, *held; /* (rows) held in position; in velocity */
} projection;

/* How far a row is open. */
static double opening(const projection *x, const ss_instant_block *b, int32_t k, const double *phi)
{
    double h = SS_INSTANT_NO_TIME * x->m->simulation.step;
    if (b->source == SS_ROWS_CONTACT) {
        return x->r->contacts[b->index].gap;
    }
    return b->source == SS_ROWS_JOINT ? phi[k] : x->d->rows.bias[b->row + k] * h;
}

static bool in_position(const ss_model *m, const ss_instant_block *b, int32_t k, int32_t part)
{
    switch (b->source) {
    case SS_ROWS_CONTACT:
        return k == 0;
    case SS_ROWS_JOINT:
    case SS_ROWS_LOWER:
    case SS_ROWS_UPPER:
        return true;
    case SS_ROWS_MOTOR:
        return b->kind == SS_BLOCK_EQUALITY &&
               m->joints[b->index].coordinate[part].motor == SS_MOTOR_POSITION;
    case SS_ROWS_FRICTION:
    case SS_ROWS_SUPPORT:
    case SS_ROWS_GIVE:
    case SS_ROWS_REBOUND:
        break;
    }
    return false;
}

static int32_t part_of(const ss_data *d, uint64_t key)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        if (d->rows.blocks[i].key == key) {
            return d->rows.blocks[i].part;
        }
    }
    return 0;
}

static void fill(projection *x)
{
    const ss_instant_problem *p = &x->p;
    for (int32_t i = 0; i < p->nblocks; i++) {
        const ss_instant_block *b = &x->r->blocks[p->which[i]];
        double                  phi[6];
        bool                    sticks = b->mode == SS_INSTANT_STICKS;
        if (b->source == SS_ROWS_JOINT) {
            ss_joint_error(x->m, x->d, b->index, phi);
        }
        for (int32_t k = 0; k < b->dim; k++) {
            int32_t at    = p->first[i] + k;
            bool    first = k == 0 && b->kind != SS_BLOCK_DISK;
            x->placed[at] = in_position(x->m, b, k, part_of(x->d, b->key));
            x->held[at]   = b->kind == SS_BLOCK_EQUALITY || first || sticks;
            x->open[at]   = x->placed[at] ? opening(x, b, k, phi) : 0;
            x->rate[at]   = x->r->u[b->row + k];
        }
    }
}

/* l over the rows that `takes` marks, zero elsewhere. */
static ss_status solve(projection *x, const bool *takes, const double *from, double *l)
{
    size_t   rows = (size_t)x->p.rows, n = 0;
    int32_t *at = ss_arena_alloc(&x->d->scratch, rows + 1, sizeof *at);
    for (size_t i = 0; at != NULL && i < rows; i++) {
        if (takes[i]) {
            at[n++] = (int32_t)i;
        }
    }
    double *A = ss_arena_alloc(&x->d->scratch, n * n + 1, sizeof *A);
    double *w = ss_arena_alloc(&x->d->scratch, n * n + 8 * n + 8, sizeof *w);
    if (at == NULL || A == NULL || w == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *q = w + n * n + 6 * n, *z = q + n;
    for (size_t j = 0; j < n; j++) {
        q[j] = from[at[j]];
        for (size_t i = 0; i < n; i++) {
            A[i + j * n] = x->p.W[(size_t)at[i] + (size_t)at[j] * rows];
        }
    }
    ss_least_norm((int32_t)n, A, q, z, w);
    memset(l, 0, rows * sizeof *l);
    for (size_t i = 0; i < n; i++) {
        l[at[i]] = z[i];
    }
    return SS_OK;
}

static void move(const ss_model *m, ss_data *d, const double *by)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        ss_twist s = ss_twist_from_vector(m, b->dof, by + b->v_start);
        ss_pose *p = &d->state.pose[i];
        p->p       = ss_add(p->p, s.v);
        p->angle += s.w.z;
        if (m->dimension == 3 && (s.w.x != 0 || s.w.y != 0 || s.w.z != 0)) {
            p->q = ss_quat_unit(ss_quat_mul(ss_quat_from_rotation(s.w), p->q));
        }
    }
}

static void speed_up(const ss_model *m, ss_data *d, const double *by)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            ss_twist s          = ss_twist_from_vector(m, b->dof, by + b->v_start);
            d->state.twist[i].v = ss_add(d->state.twist[i].v, s.v);
            d->state.twist[i].w = ss_add(d->state.twist[i].w, s.w);
        }
    }
}

static ss_status island(projection *x, const int32_t *of, int32_t which, double *shift,
                        double *kick)
{
    SS_TRY(ss_instant_pose(x->m, x->d, x->r, of, which, &x->p));
    size_t rows = (size_t)x->p.rows + 1;
    x->open     = ss_arena_alloc(&x->d->scratch, rows, sizeof *x->open);
    x->rate     = ss_arena_alloc(&x->d->scratch, rows, sizeof *x->rate);
    x->placed   = ss_arena_alloc(&x->d->scratch, rows, sizeof *x->placed);
    x->held     = ss_arena_alloc(&x->d->scratch, rows, sizeof *x->held);
    double *l   = ss_arena_alloc(&x->d->scratch, rows, sizeof *l);
    if (!x->open || !x->rate || !x->placed || !x->held || !l) {
        return SS_ERR_SCRATCH;
    }
    fill(x);
    SS_TRY(solve(x, x->placed, x->open, l));
    ss_instant_push(x->m, x->d, x->r, &x->p, l, shift);
    SS_TRY(solve(x, x->held, x->rate, l));
    ss_instant_push(x->m, x->d, x->r, &x->p, l, kick);
    return SS_OK;
}

/* Shifts and kicks (nv each) that put bodies onto what `count` modes and the joints hold. */
static ss_status corrections(const ss_model *m, ss_data *d, int32_t modes, double **out)
{
    ss_hybrid       *h     = d->hybrid;
    ss_instant_given given = {.modes = h->modes, .count = modes, .rates = false};
    ss_instant_rows  r;
    int32_t          count;
    memcpy(d->pose_next, d->state.pose, (size_t)m->nb * sizeof *d->pose_next);
    SS_TRY(ss_instant_gather_as(m, d, &given, &r));
    int32_t *of   = ss_arena_alloc(&d->scratch, (size_t)r.nblocks + 1, sizeof *of);
    double  *both = ss_arena_alloc(&d->scratch, 2 * (size_t)m->nv + 1, sizeof *both);
    if (of == NULL || both == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(both, 0, 2 * (size_t)m->nv * sizeof *both);
    SS_TRY(ss_instant_islands(m, d, &r, of, &count));
    for (int32_t i = 0; i < count; i++) {
        projection x = {.m = m, .d = d, .r = &r};
        SS_TRY(island(&x, of, i, both, both + m->nv));
    }
    *out = both;
    return SS_OK;
}

static ss_status project(const ss_model *m, ss_data *d, bool velocities)
{
    double *both;
    SS_TRY(corrections(m, d, d->hybrid->mode_count, &both));
    move(m, d, both);
    if (velocities) {
        speed_up(m, d, both + m->nv);
    }
    return SS_OK;
}

/* By joints alone: friction that sticks gives way to an impact. */
static ss_status look_at_joints(const ss_model *m, ss_data *d, bool *torn)
{
    double *both;
    SS_TRY(corrections(m, d, 0, &both));
    for (int32_t i = 0; i < m->nb && !*torn; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            ss_twist kick = ss_twist_from_vector(m, b->dof, both + m->nv + b->v_start);
            *torn =
                ss_hybrid_changes(d->hybrid, m->length, &d->state.twist[i], &kick, SS_HYBRID_TORN);
        }
    }
    return SS_OK;
}

ss_status ss_hybrid_torn(const ss_model *m, ss_data *d, bool *torn)
{
    ss_status status = m->joint_count > 0 ? SS_ERR_SCRATCH : SS_OK;
    *torn            = false;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        status = look_at_joints(m, d, torn);
    }
    return status;
}

ss_status ss_hybrid_project(const ss_model *m, ss_data *d, bool velocities)
{
    ss_status status = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        status = project(m, d, velocities);
    }
    return status;
}
