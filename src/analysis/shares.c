/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the motion of a step the only one? With a matrix A, that of masses or of a medium, the motion
 * follows from the impulses, v+ = A^-1 (b + J'p), but where contacts depend on each other the
 * impulses are not unique, and where their friction points different ways another share of the load
 * makes another motion: a box that slides and turns on four corners. To first order, changes of p
 *
 *   sliding contact      along (1, -mu d), d its direction of slip
 *   sticking contact     any, inside its cone;  joints: any;  disks: any, inside their bound
 *
 * that leave the velocities alone which the laws hold at zero (normals of closed contacts, all rows
 * of what sticks, joints) give other solutions of the step. If one of them changes A^-1 J'p, the
 * motion is not unique. That p is at no border makes it certain; if nothing changes even with
 * those at a border, closed and unloaded or at the limit of sticking, there is no other motion
 * near by. Between the two it is undecided. Slips turn by what velocities change, of order h: that
 * moves the directions a little, and does not make them fewer.
 */
#include <math.h>
#include <string.h>

#include "analysis/tolerances.h"
#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "linalg/basis.h"
#include "linalg/vector.h"
#include "model/axes.h"
#include "rows/contact_state.h"
#include "stickslip/analysis.h"

/* Impulses of which it is asked: the work grows with the third power. */
enum { COLUMNS_MOST = 600 };

typedef struct column {
    const ss_row_block *b;
    double              p[6]; /* impulses of its rows */
} column;

/* Changes of the impulses: those of columns, that keep what is in the basis Q. */
typedef struct changes {
    const ss_model *m;
    const ss_data  *d;
    bool            borders; /* what is at a border takes part */
    double          load;    /* the largest impulse */
    int32_t         n, rank;
    column         *columns;
    double         *v;       /* (nv x n) what they do to the velocities */
    double         *Q, *row; /* (n x n, n) */
} changes;

/* ---- what a block can do ---- */

typedef enum hold {
    HOLD_NONE,   /* open, or a known force */
    HOLD_SLIDES, /* along its cone */
    HOLD_STICKS  /* all ways */
} hold;

typedef struct role {
    hold is;
    bool border; /* one-sided: unloaded, or at the limit of sticking */
} role;

static bool is_closed(const changes *x, const ss_row_block *b)
{
    return b->source != SS_ROWS_CONTACT ||
           ss_gap_closed(x->m, ss_block_gap(x->d, b, x->d->report.step));
}

static role role_of(const changes *x, const ss_row_block *b)
{
    const double *p = x->d->rows.impulse + b->row, *u = x->d->rows.velocity + b->row;
    double        h      = x->d->report.step;
    bool          pushes = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
    bool          loaded = !pushes || p[0] > SS_ONE_FORCE * x->load;
    if (b->spring != 0 || (pushes && !loaded && !is_closed(x, b))) {
        return (role){HOLD_NONE, false}; /* what gives has the force of its deflection */
    }
    if (ss_friction_start(b) == b->dim) {
        return (role){b->kind == SS_BLOCK_UNILATERAL ? HOLD_SLIDES : HOLD_STICKS, !loaded};
    }
    bool limit = !loaded || ss_at_limit(x->m, b, p);
    if (limit && ss_slip_shows(x->m, ss_friction_norm(b, u), h)) {
        return (role){b->kind == SS_BLOCK_CONE ? HOLD_SLIDES : HOLD_NONE, !loaded};
    }
    return (role){HOLD_STICKS, limit};
}

/* ---- columns ---- */

static void add_column(changes *x, const ss_row_block *b, int32_t k)
{
    column *c = &x->columns[x->n++];
    *c        = (column){.b = b};
    c->p[k]   = 1;
}

/* The ray of a sliding contact: its impulses, or where they are none by its slip. */
static void add_ray(changes *x, const ss_row_block *b, bool loaded)
{
    const double *p = x->d->rows.impulse + b->row, *u = x->d->rows.velocity + b->row;
    double        speed = ss_friction_norm(b, u);
    add_column(x, b, 0);
    for (int32_t k = 1; k < b->dim; k++) {
        x->columns[x->n - 1].p[k] = loaded ? p[k] / p[0] : -b->mu * u[k] / speed;
    }
}

static void list_columns(changes *x)
{
    x->n = 0;
    for (int32_t i = 0; i < x->d->rows.nblocks; i++) {
        const ss_row_block *b  = &x->d->rows.blocks[i];
        role                is = role_of(x, b);
        if (is.border && !x->borders) {
            continue;
        }
        if (is.is == HOLD_SLIDES) {
            add_ray(x, b, !is.border);
        }
        for (int32_t k = 0; is.is == HOLD_STICKS && k < b->dim; k++) {
            add_column(x, b, k);
        }
    }
}

/* Y = A^-1 J' of one body. By the masses where there is momentum: not every level has a matrix. */
static void respond(const ss_model *m, const ss_data *d, int32_t body, const double *J, double *Y)
{
    if (ss_inertia_of(m)->momentum) {
        const ss_body *b     = &m->bodies[body];
        bool           turns = b->dof == m->dof;
        ss_body_matrix A     = {.inv_linear = b->inv_mass};
        if (turns) {
            A.inv_angular = m->dimension == 3 ? d->inv_inertia[body] : b->inv_inertia;
        }
        ss_body_response(&A, J, Y, m->dof);
        return;
    }
    ss_body_response(&d->matrix[body], J, Y, m->dof);
}

static void find_velocities(changes *x)
{
    const ss_model *m = x->m;
    memset(x->v, 0, (size_t)m->nv * (size_t)x->n * sizeof *x->v);
    for (int32_t j = 0; j < x->n; j++) {
        const ss_row_block *b = x->columns[j].b;
        double             *v = x->v + (ptrdiff_t)j * m->nv;
        for (int32_t k = 0; k < b->dim; k++) {
            for (int side = 0; side < b->sides; side++) {
                double Y[6];
                if (b->body[side] >= 0) {
                    respond(m, x->d, b->body[side], ss_row_side(m, &x->d->rows, b->row + k, side),
                            Y);
                    ss_add_dof(v + m->bodies[b->body[side]].v_start, x->columns[j].p[k], Y, m->dof);
                }
            }
        }
    }
}

/* ---- rows ---- */

/* x->row: the velocity of a row of a block by each column. */
static double rates(changes *x, const ss_row_block *b, int32_t k)
{
    const ss_model *m = x->m;
    for (int32_t j = 0; j < x->n; j++) {
        const double *v = x->v + (ptrdiff_t)j * m->nv;
        x->row[j]       = 0;
        for (int side = 0; side < b->sides; side++) {
            if (b->body[side] >= 0) {
                x->row[j] += ss_dot_dof(ss_row_side(m, &x->d->rows, b->row + k, side),
                                        v + m->bodies[b->body[side]].v_start, m->dof);
            }
        }
    }
    return ss_vector_norm(x->n, x->row);
}

static void keep(changes *x, const ss_row_block *b, int32_t k)
{
    double size = rates(x, b, k);
    for (int32_t j = 0; size > 0 && j < x->n; j++) {
        x->row[j] /= size;
    }
    if (size > 0) {
        ss_basis_add(x->n, x->Q, &x->rank, x->row, SS_SHARES_RANK);
    }
}

/* What laws hold at zero; of what is at the limit of sticking, its slip need not be asked. */
static void keep_what_holds(changes *x)
{
    x->rank = 0;
    for (int32_t i = 0; i < x->d->rows.nblocks; i++) {
        const ss_row_block *b     = &x->d->rows.blocks[i];
        role                is    = role_of(x, b);
        bool                slips = is.is == HOLD_SLIDES || (is.border && x->borders);
        int32_t             count = slips ? ss_friction_start(b) : b->dim;
        for (int32_t k = 0; is.is != HOLD_NONE && k < count; k++) {
            keep(x, b, k);
        }
    }
}

/* Do the changes that are left move anything? Rows span all that impulses do to the bodies. */
static bool they_move(changes *x)
{
    double most = 0, size = 0;
    for (int32_t i = 0; i < x->d->rows.nblocks; i++) {
        const ss_row_block *b = &x->d->rows.blocks[i];
        for (int32_t k = 0; k < b->dim; k++) {
            size = fmax(size, rates(x, b, k));
            ss_basis_leave(x->n, x->Q, x->rank, x->row);
            ss_basis_leave(x->n, x->Q, x->rank, x->row);
            most = fmax(most, ss_vector_norm(x->n, x->row));
        }
    }
    return most > SS_SHARES_SAME * size;
}

static bool look(changes *x, bool borders)
{
    x->borders = borders;
    list_columns(x);
    find_velocities(x);
    keep_what_holds(x);
    return they_move(x);
}

/* ---- the answer ---- */

static double fastest_point(const ss_model *m, const double *v)
{
    double fastest = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            ss_twist w = ss_twist_from_vector(m, m->bodies[i].dof, v + m->bodies[i].v_start);
            fastest    = fmax(fastest, ss_norm(w.v) + ss_body_arm(m, i) * ss_norm(w.w));
        }
    }
    return fastest;
}

/* The change that moves most, of those that are left; v (nv). */
static void most_moving(changes *x, double *v, double *other)
{
    double most = 0;
    ss_basis_complete(x->n, x->Q, x->rank);
    for (int32_t q = x->rank; q < x->n; q++) {
        memset(other, 0, (size_t)x->m->nv * sizeof *other);
        for (int32_t j = 0; j < x->n; j++) {
            ss_vector_add(x->m->nv, other, x->Q[j + (ptrdiff_t)q * x->n],
                          x->v + (ptrdiff_t)j * x->m->nv);
        }
        double fastest = fastest_point(x->m, other);
        if (fastest > most) {
            most = fastest;
            memcpy(v, other, (size_t)x->m->nv * sizeof *v);
        }
    }
    for (int32_t k = 0; most > 0 && k < x->m->nv; k++) {
        v[k] /= most;
    }
}

/* At the origins of the bodies' frames. */
static void put_direction(const changes *x, const double *v, ss_body_motion *direction)
{
    for (int32_t i = 0; i < x->m->nb; i++) {
        const ss_body *b = &x->m->bodies[i];
        direction[i]     = (ss_body_motion){{0, 0, 0}, {0, 0, 0}};
        if (ss_body_moves(b)) {
            ss_twist w   = ss_twist_from_vector(x->m, b->dof, v + b->v_start);
            ss_vec3  arm = ss_mul(&x->d->frame[i].R, b->com);
            direction[i] = (ss_body_motion){ss_sub(w.v, ss_cross(w.w, arm)), w.w};
        }
    }
}

static ss_motion_verdict judge(changes *x, double *v, ss_body_motion *direction)
{
    memset(v, 0, (size_t)x->m->nv * sizeof *v);
    if (look(x, false)) {
        most_moving(x, v, v + x->m->nv);
        if (direction != NULL) {
            put_direction(x, v, direction);
        }
        return SS_MOTION_NOT_UNIQUE;
    }
    return look(x, true) ? SS_MOTION_UNDECIDED : SS_MOTION_UNIQUE;
}

ss_status ss_analyze_motion(const ss_model *m, const ss_data *d, ss_motion_verdict *out,
                            ss_body_motion *direction)
{
    changes x = {.m = m, .d = d};
    *out      = ss_motion_unique(m, d, direction);
    if (*out != SS_MOTION_UNIQUE || ss_inertia_of(m)->balanced) {
        return SS_OK;
    }
    for (int32_t i = 0; i < d->rows.nrows; i++) {
        x.load = fmax(x.load, fabs(d->rows.impulse[i]));
    }
    if (d->rows.nrows > COLUMNS_MOST) {
        *out = SS_MOTION_UNDECIDED;
        return SS_OK;
    }
    size_t n = (size_t)d->rows.nrows + 1, nv = (size_t)m->nv, room = nv * n + n * n + n + 2 * nv;
    x.columns = ss_alloc(d->ctx, n, sizeof *x.columns);
    x.v       = ss_alloc(d->ctx, room, sizeof *x.v);
    if (x.columns != NULL && x.v != NULL) {
        x.Q   = x.v + nv * n;
        x.row = x.Q + n * n;
        *out  = judge(&x, x.row + n, direction);
    }
    bool ok = x.columns != NULL && x.v != NULL;
    ss_free(d->ctx, x.columns, n * sizeof *x.columns);
    ss_free(d->ctx, x.v, room * sizeof *x.v);
    return ok ? SS_OK : ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d rows", d->rows.nrows);
}
