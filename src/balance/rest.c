/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies at rest stay at rest where they can (docs/theory/rest.md).
 *
 * With friction a step may have several solutions. A pile of logs may rest, or its lowest row may
 * be pushed apart: both balance, and which one a solver finds is chance. For an island that was at
 * rest and whose solution moves, rest is looked for:
 *
 *   find p in the friction cones of the touching contacts with  J'p = -M v_free,        (1)
 *
 * a convex question, answered by nonnegative least squares over the edges of the cones (in space of
 * a polygon of 16 sides drawn into each). Its p must then pass the certificate of the step as any
 * solution must.
 *
 * Not every such p is one that nature finds: a box between two walls that it merely touches could
 * be held by them if they pressed, but nothing ever made them press. Rest is taken only if the load
 * presses the contacts that bear it: if there is a virtual motion w with
 *
 *   F'w > 0,   J_n w < 0 at every contact with p_n > 0.                                  (2)
 *
 * By Gordan's theorem there is none exactly if some y >= 0, not zero, has
 * y_0 F - sum y_i J_n,i' = 0: the point of the convex hull of these vectors that is nearest to the
 * origin is the origin. Otherwise that point is a w (Lawson and Hanson 1974, chapter 23). Contacts
 * with y_i > 0 press only against each other or against the load. As long as all of them bear there
 * is no w, so rest is looked for without them all, and then without each of them in turn, until (2)
 * holds or (1) fails.
 *
 * What joints, motors and supports bear is asked for where a quasistatic step has come to rest by
 * itself: rows that hold a joint push both ways, friction with a bound g (of joints, motors,
 * supports) as far as sum x_k + s = g with a slack s >= 0.
 *
 * Where the load alone closes no contact, v_free itself solves the step. The contacts that it opens
 * then bear nothing: w could press them by a turn that the load does not make.
 */
#include <math.h>
#include <string.h>

#include "balance/tolerances.h"
#include "core/compare.h"
#include "core/elementary.h"
#include "formulate/formulate.h"
#include "linalg/nnls.h"

/* Balances that are tried: of islands with few contacts more. */
enum { SIDES = 16, CONTACTS_MAX = 120, TRIES = 8, FEW_CONTACTS = 24, FEW_TRIES = 48 };

/* An island for which rest is looked for. */
typedef struct seat {
    const ss_model  *m;
    ss_data         *d;
    const ss_island *isl;
    bool             joined; /* joints, motors and supports bear as well         */
    int32_t          bodies; /* velocity coordinates of its bodies               */
    int32_t          rows;   /* .. and one for each bound of friction            */
    double           fall;   /* how fast the load alone would make its bodies    */
    double          *load;   /* (rows) M v_free, torques over the body's arm     */
    bool            *may;    /* (block_count) it touches, and may bear            */
    double          *A;      /* (rows x columns) edges of the cones              */
    int32_t         *block;  /* (columns) block that a column belongs to         */
    int32_t *push;     /* (columns) row of its block, of those that bear both ways; -1: a slack */
    double (*edge)[2]; /* (columns) friction beside a normal force of 1    */
    int32_t  columns;
    double  *x, *left, *r;
    double  *work; /* of least squares */
    int32_t *iwork;
    int32_t  tries; /* balances that may still be tried */
} seat;

static double size_of(const ss_model *m, int32_t body, const double *v)
{
    double arm = ss_body_arm(m, body), size = 0;
    for (int32_t c = 0; c < m->bodies[body].dof; c++) {
        size = ss_max(size, fabs(v[c]) * (c < m->dimension ? 1 : arm));
    }
    return size;
}

/* ---- is rest a question here? --------------------------------------------------------------- */

static bool was_at_rest(seat *s)
{
    double speed = 0;
    s->fall      = 0;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i], at = s->m->bodies[body].v_start;
        if (s->d->matrix[body].full != NULL) {
            return false;
        }
        speed   = ss_max(speed, size_of(s->m, body, s->d->v_now + at));
        s->fall = ss_max(s->fall, size_of(s->m, body, s->d->v_free + at));
    }
    /* without momentum it does not matter how the bodies came here */
    return ss_inertia_of(s->m)->balanced || speed <= ss_rest_speed * s->fall;
}

/* Rows that bear both ways: what holds joints, and friction inside a bound. */
static bool both_ways(const ss_row_block *b)
{
    return b->kind == SS_BLOCK_EQUALITY || b->kind == SS_BLOCK_DISK;
}

/* Has it a place among what may bear? A contact always, other rows where they are asked. */
static bool is_asked_of(const seat *s, const ss_row_block *b)
{
    if (b->source == SS_ROWS_CONTACT) {
        return !both_ways(b);
    }
    bool gives = b->source == SS_ROWS_GIVE || b->source == SS_ROWS_REBOUND;
    return s->joined && !gives && !(b->kind == SS_BLOCK_DISK && b->dim > 2);
}

/* At rest every law must hold: nothing overlaps, nothing drifts under what touches it. */
static bool rest_obeys_laws(const seat *s)
{
    double tiny = ss_rest_speed * s->fall;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b    = &s->d->rows.blocks[s->isl->blocks[i]];
        const double       *bias = s->d->rows.bias + b->row;
        if (!is_asked_of(s, b) || bias[0] < -tiny || (both_ways(b) && bias[0] > tiny)) {
            return false;
        }
        s->may[i] = bias[0] <= tiny;
        for (int32_t k = 1; s->may[i] && k < b->dim; k++) {
            if (fabs(bias[k]) > tiny) {
                return false;
            }
        }
    }
    return true;
}

/* How fast the load alone opens a contact. */
static double free_rate(const seat *s, const ss_row_block *b)
{
    const ss_model *m   = s->m;
    const double   *J   = ss_row_side(m, &s->d->rows, b->row, 0);
    double          sum = 0;
    for (int side = 0; side < 2; side++, J += m->dof) {
        if (b->body[side] >= 0) {
            sum += ss_dot_dof(J, s->d->v_free + m->bodies[b->body[side]].v_start, m->dof);
        }
    }
    return sum;
}

/* Where v_free solves the step, what it opens may bear nothing. */
static void let_go_what_opens(const seat *s)
{
    double tiny = ss_rest_moves * s->fall;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        if (s->may[i] && free_rate(s, &s->d->rows.blocks[s->isl->blocks[i]]) < -tiny) {
            return;
        }
    }
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        s->may[i] = s->may[i] && free_rate(s, &s->d->rows.blocks[s->isl->blocks[i]]) <= tiny;
    }
}

/* v_free + A^-1 J'p of the solution, into d->motions.other of the island's bodies. */
static double motion_of(const seat *s, const double *r)
{
    const ss_model *m = s->m;
    double         *v = s->d->motions.other, speed = 0;
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
        speed        = ss_max(speed, size_of(m, body, v + m->bodies[body].v_start));
    }
    return speed;
}

/* ---- (1) ------------------------------------------------------------------------------------ */

static double arm_of(const seat *s, int32_t body, int32_t c)
{
    return c < s->m->dimension ? 1 : ss_body_arm(s->m, body);
}

static void gather_load(seat *s)
{
    const ss_model *m = s->m;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t               body = s->isl->bodies[i];
        const ss_body_matrix *A    = &s->d->matrix[body];
        const double         *v    = s->d->v_free + m->bodies[body].v_start;
        double               *to   = s->load + (ptrdiff_t)i * m->dof;
        for (int32_t c = 0; c < m->dimension; c++) {
            to[c] = A->linear * v[c];
        }
        if (m->dof == 3) {
            to[2] = A->angular.m[8] * v[2];
        } else {
            ss_vec3 t = ss_mul(&A->angular, ss_v3(v[3], v[4], v[5]));
            to[3]     = t.x;
            to[4]     = t.y;
            to[5]     = t.z;
        }
        for (int32_t c = 0; c < m->dof; c++) {
            to[c] = c < m->bodies[body].dof ? to[c] / arm_of(s, body, c) : 0;
        }
    }
}

static double norm(int32_t n, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* column += factor J' of a row. */
static void add_row(const seat *s, const ss_row_block *b, int32_t row, double factor,
                    double *column)
{
    const ss_model *m = s->m;
    const double   *J = ss_row_side(m, &s->d->rows, row, 0);
    for (int side = 0; side < b->sides; side++, J += m->dof) {
        if (b->body[side] >= 0) {
            double *to = column + (ptrdiff_t)s->d->local[b->body[side]] * m->dof;
            for (int32_t c = 0; c < m->bodies[b->body[side]].dof; c++) {
                to[c] += factor * J[c] / arm_of(s, b->body[side], c);
            }
        }
    }
}

/* A column of rows that bear both ways: t of row k and o of the next one, within a bound. */
static void add_push(seat *s, int32_t i, int32_t k, double t, double o, int32_t bound)
{
    const ss_row_block *b      = &s->d->rows.blocks[s->isl->blocks[i]];
    double             *column = s->A + (ptrdiff_t)s->columns * s->rows;
    memset(column, 0, (size_t)s->rows * sizeof *column);
    if (k >= 0) {
        add_row(s, b, b->row + k, t, column);
    }
    if (k >= 0 && o != 0) {
        add_row(s, b, b->row + k + 1, o, column);
    }
    if (bound >= 0) { /* in the units of the load, as the balance is */
        column[s->bodies + bound] = norm(s->bodies, s->load) / b->bound;
    }
    s->block[s->columns]   = i;
    s->push[s->columns]    = k;
    s->edge[s->columns][0] = t;
    s->edge[s->columns][1] = o;
    s->columns++;
}

static void add_pushes(seat *s, int32_t i, int32_t bound)
{
    const ss_row_block *b    = &s->d->rows.blocks[s->isl->blocks[i]];
    const double        turn = 6.283185307179586 / SIDES;
    for (int32_t k = 0; bound < 0 && k < b->dim; k++) {
        add_push(s, i, k, 1, 0, -1);
        add_push(s, i, k, -1, 0, -1);
    }
    if (bound < 0 || !(b->bound > 0)) {
        return; /* friction without a bound to speak of holds nothing */
    }
    for (int32_t k = 0; k < (b->dim == 1 ? 2 : SIDES); k++) {
        add_push(s, i, 0, ss_cos(turn * k * (b->dim == 1 ? SIDES / 2 : 1)),
                 b->dim == 1 ? 0 : ss_sin(turn * k), bound);
    }
    add_push(s, i, -1, 0, 0, bound); /* the slack */
}

static void add_edge(seat *s, int32_t i, double t, double o)
{
    const ss_row_block *b      = &s->d->rows.blocks[s->isl->blocks[i]];
    double             *column = s->A + (ptrdiff_t)s->columns * s->rows;
    memset(column, 0, (size_t)s->rows * sizeof *column);
    add_row(s, b, b->row, 1, column);
    if (b->dim > 1) {
        add_row(s, b, b->row + 1, t, column);
    }
    if (b->dim > 2) {
        add_row(s, b, b->row + 2, o, column);
    }
    s->block[s->columns]   = i;
    s->push[s->columns]    = 0;
    s->edge[s->columns][0] = t;
    s->edge[s->columns][1] = o;
    s->columns++;
}

static void gather_edges(seat *s)
{
    const double turn  = 6.283185307179586 / SIDES;
    int32_t      bound = 0;
    s->columns         = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        if (both_ways(b)) {
            add_pushes(s, i, b->kind == SS_BLOCK_DISK ? bound++ : -1);
            continue;
        }
        int32_t sides = b->dim == 1 || b->mu == 0 ? 1 : b->dim == 2 ? 2 : SIDES;
        for (int32_t k = 0; s->may[i] && k < sides; k++) {
            double mu = sides > 1 ? b->mu : 0;
            add_edge(s, i, sides == 2 ? (k == 0 ? mu : -mu) : mu * ss_cos(turn * k),
                     sides == 2 ? 0 : mu * ss_sin(turn * k));
        }
    }
}

/* What a column of rows that bear both ways adds to their reactions; a slack adds nothing. */
static void add_reaction(const seat *s, int32_t column, int32_t dim, double *r)
{
    int32_t k = s->push[column];
    for (int32_t c = 0; k >= 0 && c < 2 && k + c < dim; c++) {
        r[k + c] += s->x[column] * s->edge[column][c];
    }
}

/* Reactions r, block by block in the order of the island, that balance the load. */
static bool balance(seat *s)
{
    double *b = s->left + s->rows;
    for (int32_t i = 0; i < s->rows; i++) {
        b[i] = i < s->bodies ? -s->load[i] : norm(s->bodies, s->load);
    }
    gather_edges(s);
    if (s->columns == 0 ||
        !ss_nnls(s->rows, s->columns, s->A, b, s->x, s->left, s->work, s->iwork) ||
        norm(s->rows, s->left) > ss_rest_balance * norm(s->bodies, s->load)) {
        return false;
    }
    memset(s->r, 0, (size_t)s->isl->row_count * sizeof *s->r);
    for (int32_t k = 0; k < s->columns; k++) {
        double *r   = s->r;
        int32_t dim = 0;
        for (int32_t i = 0; i <= s->block[k]; i++) {
            r += dim;
            dim = s->d->rows.blocks[s->isl->blocks[i]].dim;
        }
        if (both_ways(&s->d->rows.blocks[s->isl->blocks[s->block[k]]])) {
            add_reaction(s, k, dim, r);
            continue;
        }
        r[0] += s->x[k];
        for (int32_t c = 1; c < dim && c < 3; c++) {
            r[c] += s->x[k] * s->edge[k][c - 1];
        }
    }
    return true;
}

/* ---- (2) ------------------------------------------------------------------------------------ */

/* A column of (2), of length 1, with the 1 of the convex combination below it. */
static void put_direction(const seat *s, int32_t k, int32_t block, double *column)
{
    double *to = column + (ptrdiff_t)k * (s->rows + 1);
    memset(to, 0, ((size_t)s->rows + 1) * sizeof *to);
    if (block < 0) {
        memcpy(to, s->load, (size_t)s->rows * sizeof *to);
    } else {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[block]];
        add_row(s, b, b->row, -1, to);
    }
    double length = norm(s->rows, to);
    for (int32_t i = 0; i < s->rows; i++) {
        to[i] /= length;
    }
    to[s->rows] = 1;
}

/* Does the load press every contact that bears? If not, `against`: those with y > 0. */
static bool is_pressed(seat *s, bool *against)
{
    int32_t n    = 0;
    double  most = 0;
    for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
        most = ss_max(most, s->r[row]);
        row += s->d->rows.blocks[s->isl->blocks[i]].dim;
    }
    put_direction(s, n++, -1, s->A);
    for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
        if (s->r[row] > ss_rest_balance * most) {
            s->block[n] = i;
            put_direction(s, n++, i, s->A);
        }
        row += s->d->rows.blocks[s->isl->blocks[i]].dim;
    }
    double *b = s->left + s->rows + 1;
    memset(b, 0, (size_t)s->rows * sizeof *b);
    b[s->rows] = 1;
    if (!ss_nnls(s->rows + 1, n, s->A, b, s->x, s->left, s->work, s->iwork)) {
        return false;
    }
    if (norm(s->rows + 1, s->left) > ss_rest_pressed) {
        return true;
    }
    for (int32_t k = 1; k < n; k++) {
        against[s->block[k]] = s->x[k] > ss_rest_balance;
    }
    return false;
}

/* ---- the island ------------------------------------------------------------------------------ */

static bool make_room(seat *s)
{
    ss_arena *a    = &s->d->scratch;
    int32_t   cols = 1, bounds = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        cols += both_ways(b) ? 2 * b->dim + SIDES + 1 : s->m->dimension == 2 ? 2 : SIDES;
        bounds += b->kind == SS_BLOCK_DISK;
    }
    s->bodies   = s->isl->body_count * s->m->dof;
    s->rows     = s->bodies + (s->joined ? bounds : 0);
    size_t rows = (size_t)s->rows + 1, n = (size_t)cols;
    s->load  = ss_arena_alloc(a, rows, sizeof *s->load);
    s->may   = ss_arena_alloc(a, (size_t)s->isl->block_count, sizeof *s->may);
    s->A     = ss_arena_alloc(a, rows * n, sizeof *s->A);
    s->block = ss_arena_alloc(a, n, sizeof *s->block);
    s->push  = ss_arena_alloc(a, n, sizeof *s->push);
    s->edge  = ss_arena_alloc(a, n, sizeof *s->edge);
    s->x     = ss_arena_alloc(a, n, sizeof *s->x);
    s->left  = ss_arena_alloc(a, 2 * rows, sizeof *s->left);
    s->r     = ss_arena_alloc(a, (size_t)s->isl->row_count, sizeof *s->r);
    s->work  = ss_arena_alloc(a, ss_nnls_work(s->rows + 1, cols), sizeof *s->work);
    s->iwork = ss_arena_alloc(a, 2 * n, sizeof *s->iwork);
    s->tries = s->isl->block_count > FEW_CONTACTS ? TRIES : FEW_TRIES;
    return s->load && s->may && s->A && s->block && s->push && s->edge && s->x && s->left && s->r &&
           s->work && s->iwork;
}

static ss_status find_rest(seat *s, bool *found);

/* .. without those of `against` that are to go: all, or one of them. */
static ss_status find_rest_without(seat *s, const bool *against, int32_t one, bool *found)
{
    size_t mark = ss_arena_mark(&s->d->scratch), n = (size_t)s->isl->block_count;
    bool  *may = ss_arena_alloc(&s->d->scratch, n, sizeof *may);
    if (may == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(may, s->may, n * sizeof *may);
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        s->may[i] = s->may[i] && !(one < 0 ? against[i] : i == one);
    }
    SS_TRY(find_rest(s, found));
    memcpy(s->may, may, n * sizeof *may);
    ss_arena_release(&s->d->scratch, mark);
    return SS_OK;
}

/* Reactions of rest that the load presses, in s->r. */
static ss_status find_rest(seat *s, bool *found)
{
    *found = false;
    if (s->tries-- <= 0 || !balance(s)) {
        return SS_OK;
    }
    size_t mark = ss_arena_mark(&s->d->scratch), n = (size_t)s->isl->block_count;
    bool  *against = ss_arena_alloc(&s->d->scratch, n, sizeof *against);
    if (against == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(against, 0, n * sizeof *against);
    *found = is_pressed(s, against);
    if (!*found) {
        SS_TRY(find_rest_without(s, against, -1, found));
    }
    for (int32_t i = 0; !*found && i < s->isl->block_count; i++) {
        if (against[i]) {
            SS_TRY(find_rest_without(s, against, i, found));
        }
    }
    ss_arena_release(&s->d->scratch, mark);
    return SS_OK;
}

/* Do forces balance at all, if only some that nothing makes? */
static bool balances_by_preload(seat *s)
{
    return rest_obeys_laws(s) && balance(s);
}

/* The reactions as a solution of the island's problem, if the certificate agrees. */
static ss_status take(const seat *s, ss_island *isl, bool *taken)
{
    const ss_model *m    = s->m;
    ss_arena       *a    = &s->d->scratch;
    ss_solution     x    = isl->solution;
    size_t          n    = (size_t)ss_problem_size(&isl->reduced);
    size_t          nv   = (size_t)ss_problem_size_v(&isl->reduced);
    double         *work = ss_arena_alloc(a, ss_residual_work(&isl->reduced), sizeof *work);
    x.z                  = ss_arena_alloc(a, n, sizeof *x.z);
    x.v                  = ss_arena_alloc(a, nv, sizeof *x.v);
    if (!work || !x.z || !x.v) {
        return SS_ERR_SCRATCH;
    }
    memset(x.v, 0, nv * sizeof *x.v);
    SS_TRY(ss_cone_of(m)->forth(m, s->d, &isl->cone.as.cone, s->r, x.z));
    x.residual = ss_residual(&isl->reduced, x.z, x.v, work);
    x.outcome  = SS_SOLVED;
    *taken     = x.residual <= m->simulation.tolerance;
    if (*taken) {
        isl->solution = x;
    }
    return SS_OK;
}

/* One body on one other: what holds it presses it down, and there is nothing to choose from. */
static bool is_simple(const ss_data *d, const ss_island *isl)
{
    if (isl->body_count != 1 || isl->block_count == 0) {
        return isl->block_count == 0;
    }
    const ss_row_block *first = &d->rows.blocks[isl->blocks[0]];
    const ss_row_block *last  = &d->rows.blocks[isl->blocks[isl->block_count - 1]];
    if (first->source != SS_ROWS_CONTACT || last->source != SS_ROWS_CONTACT) {
        return true;
    }
    const ss_contact *x = &d->contacts.items[first->index], *y = &d->contacts.items[last->index];
    return x->geom_a == y->geom_a && x->geom_b == y->geom_b;
}

/* The other solution, its fastest point at 1 m/s; or nothing. */
static void tell_other(const seat *s, double speed, bool taken)
{
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        double *v = s->d->motions.other + s->m->bodies[s->isl->bodies[i]].v_start;
        for (int32_t c = 0; c < s->m->dof; c++) {
            v[c] = taken ? v[c] / speed : 0;
        }
    }
    s->d->motions.rested = s->d->motions.rested || taken;
}

/* From which part of its fall on an island counts as moving: what is solved up to a motion error
   creeps by as much without having another solution. */
static double least_motion(const ss_model *m, const ss_island *isl)
{
    return ss_island_by_motion(m, isl) ? ss_max(ss_rest_moves, isl->solution.enough)
                                       : ss_rest_moves;
}

static ss_status rest_island(const ss_model *m, ss_data *d, ss_island *isl)
{
    seat s = {.m = m, .d = d, .isl = isl};
    if (isl->block_count > CONTACTS_MAX || isl->eliminated != NULL || isl->by_velocity ||
        !was_at_rest(&s)) {
        return SS_OK;
    }
    if (!make_room(&s)) {
        return SS_ERR_SCRATCH;
    }
    if (!rest_obeys_laws(&s)) {
        return SS_OK;
    }
    if (!d->motions.rested) {
        memset(d->motions.other, 0, (size_t)m->nv * sizeof *d->motions.other);
    }
    ss_cone_of(m)->back(m, &isl->cone.as.cone, isl->solution.z, s.r);
    double speed = motion_of(&s, s.r);
    bool   taken = false;
    if (speed > least_motion(m, isl) * s.fall) {
        bool found;
        gather_load(&s);
        let_go_what_opens(&s);
        SS_TRY(find_rest(&s, &found));
        if (found) {
            SS_TRY(take(&s, isl, &taken));
        }
        if (!taken && ss_inertia_of(m)->balanced && balances_by_preload(&s)) {
            d->motions.preload = true;
        }
    }
    tell_other(&s, speed, taken);
    return SS_OK;
}

/* h F, torques over the body's arm. */
static void gather_forces(seat *s, double h)
{
    const ss_model *m = s->m;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i];
        double  f[6];
        ss_wrench_to_vector(m, &s->d->applied[body], h, f);
        for (int32_t c = 0; c < m->dof; c++) {
            bool has                           = c < m->bodies[body].dof;
            s->load[(ptrdiff_t)i * m->dof + c] = has ? f[c] / arm_of(s, body, c) : 0;
        }
    }
}

ss_status ss_hold_at_rest(const ss_model *m, ss_data *d, ss_island *isl, double h, bool *held)
{
    seat s = {.m = m, .d = d, .isl = isl, .joined = true};
    *held  = false;
    if (isl->block_count > CONTACTS_MAX || !was_at_rest(&s)) {
        return SS_OK;
    }
    if (!make_room(&s)) {
        return SS_ERR_SCRATCH;
    }
    if (!rest_obeys_laws(&s)) {
        return SS_OK;
    }
    gather_forces(&s, h);
    *held = balance(&s);
    for (int32_t i = 0, row = 0; *held && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(d->rows.impulse + b->row, s.r + row, (size_t)b->dim * sizeof *s.r);
        row += b->dim;
    }
    for (int32_t i = 0; *held && i < isl->body_count; i++) {
        memset(d->v_next + m->bodies[isl->bodies[i]].v_start, 0,
               (size_t)m->bodies[isl->bodies[i]].dof * sizeof *d->v_next);
    }
    return SS_OK;
}

/* Rounds without a matrix begin at rest: what holds it in the first of them balances. */
static bool is_asked(const ss_model *m, const ss_data *d)
{
    if (ss_inertia_of(m)->balanced) {
        return !d->prox.direct && d->prox.begun && !isfinite(d->prox.change);
    }
    return ss_inertia_of(m)->momentum && d->impact.phase == SS_PHASE_WHOLE;
}

ss_status ss_take_rest(const ss_model *m, ss_data *d)
{
    bool asked = is_asked(m, d) && !ss_corners_of(m)->posed && !m->compliant; /* one solution */
    d->motions.rested  = false;
    d->motions.preload = d->motions.preload && !asked;
    for (int32_t i = 0; asked && i < d->island_count; i++) {
        if (!is_simple(d, &d->islands[i])) {
            SS_TRY(rest_island(m, d, &d->islands[i]));
        }
    }
    return SS_OK;
}
