/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies at rest stay at rest where they can (docs/theory/rest.md).
 *
 * With friction a step may have several solutions. A pile of logs may rest, or its lowest row may
 * be pushed apart: both balance, and which one a solver finds is chance. For an island that was at
 * rest and whose solution moves, rest is looked for:
 *
 *   find p of the touching contacts and limits in their cones, of friction with a bound within it,
 *   r of the rows that hold joints of any sign, with  J'p + J_e'r = -F,  F = M v_free    (1)
 *
 * a convex question. F has in it what acts at rest whatever else does: motors of limited force that
 * have not arrived, friction of surfaces that drift, both at their bound. What of F and J' joints
 * leave is found first (allowed.h); then p by nonnegative least squares over the edges of the cones
 * (in space of a polygon of 16 sides drawn into each, of balls a polyhedron), friction within a
 * bound g as far as sum x_k + s = g with a slack s >= 0; then r. p and r must pass the certificate
 * of the step as any solution must.
 *
 * Not every such p is one that nature finds: a box between two walls that it merely touches could
 * be held by them if they pressed, but nothing ever made them press. Rest is taken only if the load
 * presses the contacts that bear it: if there is a virtual motion w with
 *
 *   J_e w = 0,  F'w > 0,  J_n w < 0 at every contact and limit with p_n > 0,             (2)
 *   p.J w <= 0 for friction with a bound: it holds, it does not push.
 *
 * By the theorem of the alternative (Gordan, Motzkin) there is none exactly if some y, z >= 0,
 * y not zero, has y_0 F - sum y_i J_n,i' - sum z_k J_k'p_k = 0 in what joints leave of these
 * vectors: the point nearest to the origin, with sum y = 1, is the origin. Otherwise that point is
 * a w (Lawson and Hanson 1974, chapter 23). What has y_i > 0 or z_k > 0 presses only against each
 * other or against the load. As long as all of it bears there is no w, so rest is looked for
 * without it all, and then without each of it in turn, until (2) holds or (1) fails.
 *
 * w may be a motion that the load does not make. So contacts that the load leaves idle in the
 * motion that was found bear nothing at rest, unless that motion would press them by itself
 * (idle.c).
 */
#include <math.h>
#include <string.h>

#include "balance/allowed.h"
#include "balance/idle.h"
#include "balance/tolerances.h"
#include "core/compare.h"
#include "core/elementary.h"
#include "formulate/formulate.h"
#include "linalg/nnls.h"
#include "linalg/vector.h"

/* Blocks and entries of (1) up to which rest is looked for; balances that are tried: of islands
   with few blocks more. */
enum { BLOCKS_MAX = 120, ENTRIES_MAX = 4000000, TRIES = 8, FEW_BLOCKS = 24, FEW_TRIES = 48 };

/* Directions of friction in a plane; in space that many around each of some circles of latitude,
   and the poles. */
enum { SIDES = 16, LATITUDES = 7, BALL = LATITUDES * SIDES + 2 };

/* An island for which rest is looked for. */
typedef struct seat {
    const ss_model  *m;
    ss_data         *d;
    const ss_island *isl;
    ss_allowed       allowed; /* what joints leave of its motions                             */
    int32_t          bodies;  /* velocity coordinates of its bodies                           */
    int32_t          rows;    /* .. and one for each bound of friction                        */
    double           fall;    /* how fast the load alone would make its bodies                */
    double          *load;    /* (bodies) M v_free, torques over the body's arm, and what acts
                                 at rest whatever else does                                   */
    double  *pull;            /* (bodies) .. of that, what does work in allowed motions       */
    double  *v;               /* (nv) the solution that was found                             */
    double  *known;           /* (row_count) impulses that rest leaves no choice of           */
    bool    *may;             /* (block_count) it touches, and may bear                       */
    double  *A;               /* (rows x columns) edges of the cones                          */
    int32_t *block;           /* (columns) block that a column belongs to                     */
    double (*edge)[3];        /* (columns) impulses of its first rows; all zero: a slack      */
    int32_t  columns;
    double  *x, *left, *r;
    double  *work; /* of least squares */
    int32_t *iwork;
    int32_t  tries; /* balances that may still be tried */
} seat;

static const ss_row_block *block_of(const seat *s, int32_t i)
{
    return &s->d->rows.blocks[s->isl->blocks[i]];
}

static double size_of(const ss_model *m, int32_t body, const double *v)
{
    double arm = ss_body_arm(m, body), size = 0;
    for (int32_t c = 0; c < m->bodies[body].dof; c++) {
        size = ss_max(size, fabs(v[c]) * (c < m->dimension ? 1 : arm));
    }
    return size;
}

/* ---- is rest a question here? --------------------------------------------------------------- */

/* .. at the start of the step, and in its middle, where rows are those of the pass before. */
static bool was_at_rest(seat *s)
{
    const double *middle = s->d->midpoint.pass > 0 ? s->d->midpoint.v : s->d->v_now;
    double        speed  = 0;
    s->fall              = 0;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i], at = s->m->bodies[body].v_start;
        speed   = ss_max(speed, size_of(s->m, body, s->d->v_now + at));
        speed   = ss_max(speed, size_of(s->m, body, middle + at));
        s->fall = ss_max(s->fall, size_of(s->m, body, s->d->v_free + at));
    }
    /* without momentum it does not matter how the bodies came here */
    return ss_inertia_of(s->m)->balanced || speed <= ss_rest_speed * s->fall;
}

static bool is_asked_of(const ss_row_block *b)
{
    return b->source != SS_ROWS_REBOUND && (b->source != SS_ROWS_CONTACT || ss_block_one_way(b)) &&
           !(b->kind == SS_BLOCK_DISK && b->dim > 3);
}

/* At rest a contact or limit may not overlap, nor anything drift under a contact that bears. */
static bool one_way_obeys(const seat *s, int32_t i, double tiny)
{
    const ss_row_block *b    = block_of(s, i);
    const double       *bias = s->d->rows.bias + b->row;
    s->may[i]                = bias[0] <= tiny;
    for (int32_t k = 1; s->may[i] && k < b->dim; k++) {
        if (fabs(bias[k]) > tiny) {
            return false;
        }
    }
    return bias[0] >= -tiny;
}

static bool joint_obeys(const seat *s, const ss_row_block *b, double tiny)
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
static void know_disk(const seat *s, int32_t i, double tiny, double *known)
{
    const ss_row_block *b     = block_of(s, i);
    const double       *bias  = s->d->rows.bias + b->row;
    double              drift = ss_vector_norm(b->dim, bias);
    s->may[i]                 = b->bound > 0 && drift <= tiny;
    for (int32_t k = 0; k < b->dim && drift > tiny; k++) {
        known[k] = -b->bound * bias[k] / drift;
    }
}

/* Rows that give: u = bias + give p = 0. */
static void know_giving(const seat *s, const ss_row_block *b, double *known)
{
    for (int32_t k = 0; k < b->dim; k++) {
        known[k] = -s->d->rows.bias[b->row + k] / s->d->rows.give[b->row + k];
    }
}

/* Can every law hold at rest? What may bear, and what rest leaves no choice of. */
static bool rest_obeys_laws(const seat *s)
{
    double tiny = ss_rest_speed * s->fall, *known = s->known;
    memset(known, 0, (size_t)s->isl->row_count * sizeof *known);
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b     = block_of(s, i);
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
static bool may_have_several(const seat *s)
{
    bool several = ss_inertia_of(s->m)->balanced;
    for (int32_t i = 0; i < s->isl->block_count && !several; i++) {
        const ss_row_block *b = block_of(s, i);
        several               = s->may[i] && b->kind == SS_BLOCK_CONE && b->mu > 0;
    }
    return several;
}

/* column += factor J' of a row. */
static void add_row(const seat *s, const ss_row_block *b, int32_t row, double factor,
                    double *column)
{
    ss_add_scaled_row(s->m, s->d, b, row, factor, column);
}

/* v_free + A^-1 J'p of the solution, into s->v of the island's bodies. */
static double motion_of(const seat *s, const double *r)
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
        speed        = ss_max(speed, size_of(m, body, v + m->bodies[body].v_start));
    }
    return speed;
}

/* ---- the load ------------------------------------------------------------------------------- */

static double arm_of(const seat *s, int32_t body, int32_t c)
{
    return ss_coordinate_scale(s->m, body, c);
}

/* A v of a body. */
static void momentum_of(const seat *s, int32_t body, const double *v, double *to)
{
    const ss_model       *m = s->m;
    const ss_body_matrix *A = &s->d->matrix[body];
    if (A->full != NULL) {
        for (int32_t c = 0; c < m->dof; c++) {
            to[c] = ss_dot_dof(A->full + (ptrdiff_t)c * m->dof, v, m->dof);
        }
        return;
    }
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
}

/* To the load: what acts at rest whatever else does; then what of it joints leave. */
static void finish_load(seat *s)
{
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += block_of(s, i++)->dim) {
        const ss_row_block *b = block_of(s, i);
        for (int32_t c = 0; c < b->dim; c++) {
            if (s->known[row + c] != 0) {
                add_row(s, b, b->row + c, s->known[row + c], s->load);
            }
        }
    }
    memcpy(s->pull, s->load, (size_t)s->bodies * sizeof *s->pull);
    ss_allowed_force(&s->allowed, s->pull);
}

static void gather_load(seat *s)
{
    const ss_model *m = s->m;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i];
        double *to   = s->load + (ptrdiff_t)i * m->dof;
        momentum_of(s, body, s->d->v_free + m->bodies[body].v_start, to);
        for (int32_t c = 0; c < m->dof; c++) {
            to[c] = c < m->bodies[body].dof ? to[c] / arm_of(s, body, c) : 0;
        }
    }
    finish_load(s);
}

/* ---- (1), by least squares ------------------------------------------------------------------- */

/* A column of block i: impulses `edge` of its first rows, within bound number `bound` (-1: none).
 */
static void add_column(seat *s, int32_t i, const double edge[3], int32_t bound)
{
    const ss_row_block *b      = block_of(s, i);
    double             *column = s->A + (ptrdiff_t)s->columns * s->rows;
    memset(column, 0, (size_t)s->rows * sizeof *column);
    for (int32_t c = 0; c < b->dim && c < 3; c++) {
        if (edge[c] != 0) {
            add_row(s, b, b->row + c, edge[c], column);
        }
    }
    ss_allowed_force(&s->allowed, column);
    if (bound >= 0) { /* in the units of the load, as the balance is */
        column[s->bodies + bound] = ss_vector_norm(s->bodies, s->load) / b->bound;
    }
    s->block[s->columns] = i;
    memcpy(s->edge[s->columns], edge, sizeof s->edge[0]);
    s->columns++;
}

static const double side_turn = 6.283185307179586 / SIDES; /* between two of its directions */

/* Directions of friction with a bound: ends of a line, a polygon, a polyhedron. */
static void add_disk(seat *s, int32_t i, int32_t bound)
{
    int32_t      dim   = block_of(s, i)->dim;
    const double no[3] = {0};
    for (int32_t k = 0; k < 2 && dim != 2; k++) { /* in space: the poles */
        double edge[3]         = {0};
        edge[dim == 1 ? 0 : 2] = k == 0 ? 1 : -1;
        add_column(s, i, edge, bound);
    }
    for (int32_t k = 0; k < SIDES && dim == 2; k++) {
        add_column(s, i, (double[3]){ss_cos(side_turn * k), ss_sin(side_turn * k), 0}, bound);
    }
    for (int32_t k = 0; k < LATITUDES * SIDES && dim == 3; k++) {
        double up = side_turn * (k / SIDES - LATITUDES / 2), c = ss_cos(up);
        add_column(s, i,
                   (double[3]){c * ss_cos(side_turn * (k % SIDES)),
                               c * ss_sin(side_turn * (k % SIDES)), ss_sin(up)},
                   bound);
    }
    add_column(s, i, no, bound); /* the slack */
}

static void add_cone(seat *s, int32_t i)
{
    const ss_row_block *b     = block_of(s, i);
    int32_t             sides = b->dim == 1 || b->mu == 0 ? 1 : b->dim == 2 ? 2 : SIDES;
    for (int32_t k = 0; k < sides; k++) {
        double mu = sides > 1 ? b->mu : 0;
        double t  = sides == 2 ? (k == 0 ? mu : -mu) : mu * ss_cos(side_turn * k);
        add_column(s, i, (double[3]){1, t, sides == 2 ? 0 : mu * ss_sin(side_turn * k)}, -1);
    }
}

static void gather_columns(seat *s)
{
    int32_t bound = 0;
    s->columns    = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        bool disk = block_of(s, i)->kind == SS_BLOCK_DISK;
        if (s->may[i] && disk) {
            add_disk(s, i, bound);
        } else if (s->may[i]) {
            add_cone(s, i);
        }
        bound += disk;
    }
}

/* Impulses of the columns, those that are known, and what joints bear of them and of the load. */
static void gather_reactions(seat *s)
{
    double *f = s->left; /* no longer needed */
    for (int32_t i = 0; i < s->bodies; i++) {
        f[i] = -s->load[i];
    }
    memcpy(s->r, s->known, (size_t)s->isl->row_count * sizeof *s->r);
    for (int32_t i = 0, row = 0, k = 0; i < s->isl->block_count; row += block_of(s, i++)->dim) {
        const ss_row_block *b = block_of(s, i);
        for (; k < s->columns && s->block[k] == i; k++) {
            for (int32_t c = 0; c < b->dim && c < 3; c++) {
                s->r[row + c] += s->x[k] * s->edge[k][c];
            }
        }
        for (int32_t c = 0; c < b->dim && s->may[i] && s->allowed.rank > 0; c++) {
            add_row(s, b, b->row + c, -s->r[row + c], f);
        }
    }
    ss_allowed_reactions(&s->allowed, f, s->r);
}

/* b = -F, and of friction that may bear its bound. */
static double *gather_goal(const seat *s)
{
    double *b = s->left + s->rows + 1;
    for (int32_t i = 0; i < s->bodies; i++) {
        b[i] = -s->pull[i];
    }
    for (int32_t i = 0, bound = s->bodies; i < s->isl->block_count; i++) {
        if (block_of(s, i)->kind == SS_BLOCK_DISK) {
            b[bound++] = s->may[i] ? ss_vector_norm(s->bodies, s->load) : 0;
        }
    }
    b[s->rows] = 0; /* of one more row */
    return b;
}

static bool balances(seat *s, const double *b)
{
    return ss_nnls(s->rows, s->columns, s->A, b, s->x, s->left, s->work, s->iwork) &&
           ss_vector_norm(s->rows, s->left) <= ss_rest_balance * ss_vector_norm(s->bodies, s->load);
}

/*
 * Of the columns, those that the balance with the least sum of impulses needs: one more row asks
 * for the sum to be zero, with little weight. Bodies that press each other in a ring bear nothing
 * in it.
 */
static void choose_columns(seat *s, const double *b)
{
    const int32_t m = s->rows;
    for (int32_t k = s->columns - 1; k >= 0; k--) {
        double *to    = s->A + (ptrdiff_t)k * (m + 1);
        bool    slack = ss_vector_norm(3, s->edge[k]) == 0;
        memmove(to, s->A + (ptrdiff_t)k * m, (size_t)m * sizeof *to);
        to[m] = slack ? 0 : ss_rest_frugal;
    }
    bool    found = ss_nnls(m + 1, s->columns, s->A, b, s->x, s->left, s->work, s->iwork);
    int32_t kept  = 0;
    for (int32_t k = 0; k < s->columns; k++) {
        if (!found || s->x[k] > 0 || block_of(s, s->block[k])->kind == SS_BLOCK_DISK) {
            memmove(s->A + (ptrdiff_t)kept * m, s->A + (ptrdiff_t)k * (m + 1),
                    (size_t)m * sizeof *s->A);
            memmove(s->edge[kept], s->edge[k], sizeof s->edge[0]);
            s->block[kept++] = s->block[k];
        }
    }
    s->columns = kept;
}

/* Reactions r, block by block in the order of the island, that balance the load. */
static bool balance(seat *s)
{
    const double *b = gather_goal(s);
    gather_columns(s);
    bool found = balances(s, b);
    if (found) {
        gather_reactions(s);
    }
    return found;
}

/* .. with little more than it takes. */
static bool balance_frugally(seat *s)
{
    const double *b = gather_goal(s);
    gather_columns(s);
    choose_columns(s, b);
    if (!balances(s, b)) {
        return balance(s);
    }
    gather_reactions(s);
    return true;
}

/* ---- (2) ------------------------------------------------------------------------------------ */

/*
 * Column k of (2), of length 1, with the 1 of the convex combination below it: the load, or a
 * contact or limit that bears. Friction inside a bound that bears r: it does no work, r.J w <= 0,
 * and has no part in the combination.
 */
static void put_direction(const seat *s, int32_t k, int32_t block, const double *r)
{
    int32_t n  = s->bodies;
    double *to = s->A + (ptrdiff_t)k * (n + 1);
    memset(to, 0, ((size_t)n + 1) * sizeof *to);
    const ss_row_block *b    = block < 0 ? NULL : block_of(s, block);
    bool                disk = b != NULL && b->kind == SS_BLOCK_DISK;
    if (b == NULL) {
        memcpy(to, s->load, (size_t)n * sizeof *to);
    } else {
        for (int32_t c = 0; c < (disk ? b->dim : 1); c++) {
            add_row(s, b, b->row + c, disk ? -r[c] : -1, to);
        }
    }
    double whole = ss_vector_norm(n, to);
    ss_allowed_force(&s->allowed, to);
    double length = ss_vector_norm(n, to);
    bool   none   = length <= ss_rest_balance * whole; /* joints leave nothing of it */
    for (int32_t i = 0; i < n; i++) {
        to[i] = none ? 0 : to[i] / length;
    }
    to[n] = !disk;
}

/* What of its impulses counts as nothing. */
static double least_impulse(const ss_row_block *b, double most)
{
    return ss_rest_balance * (b->kind == SS_BLOCK_DISK ? b->bound : most);
}

/* Does the load press every contact that bears? If not, `against`: those with y > 0. */
static bool is_pressed(seat *s, bool *against)
{
    int32_t n = 0, rows = s->bodies;
    double  most = 0;
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += block_of(s, i++)->dim) {
        most = ss_block_one_way(block_of(s, i)) ? ss_max(most, s->r[row]) : most;
    }
    put_direction(s, n++, -1, NULL);
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += block_of(s, i++)->dim) {
        const ss_row_block *b     = block_of(s, i);
        bool                disk  = b->kind == SS_BLOCK_DISK;
        double              bears = disk ? ss_vector_norm(b->dim, s->r + row) : s->r[row];
        if (s->may[i] && bears > least_impulse(b, most)) {
            s->block[n] = i;
            put_direction(s, n++, i, s->r + row);
        }
    }
    double *b = s->left + rows + 1;
    memset(b, 0, (size_t)rows * sizeof *b);
    b[rows] = 1;
    if (!ss_nnls(rows + 1, n, s->A, b, s->x, s->left, s->work, s->iwork)) {
        return false;
    }
    if (ss_vector_norm(rows + 1, s->left) > ss_rest_pressed) {
        return true;
    }
    for (int32_t k = 1; k < n; k++) {
        against[s->block[k]] = s->x[k] > ss_rest_balance;
    }
    return false;
}

/* ---- the island ------------------------------------------------------------------------------ */

static int32_t most_columns(const ss_row_block *b)
{
    if (ss_block_one_way(b)) {
        return b->dim < 3 ? 2 : SIDES;
    }
    return b->kind == SS_BLOCK_DISK ? (b->dim < 3 ? SIDES : BALL) + 1 : 0;
}

/* Room to ask whether rest obeys the laws. */
static ss_status make_room(seat *s)
{
    ss_arena *a = &s->d->scratch;
    size_t    n = (size_t)s->isl->row_count;
    s->bodies   = s->isl->body_count * s->m->dof;
    s->known    = ss_arena_alloc(a, n, sizeof *s->known);
    s->r        = ss_arena_alloc(a, n, sizeof *s->r);
    s->v        = ss_arena_alloc(a, (size_t)s->m->nv, sizeof *s->v);
    s->may      = ss_arena_alloc(a, (size_t)s->isl->block_count, sizeof *s->may);
    return s->known && s->r && s->v && s->may ? SS_OK : SS_ERR_SCRATCH;
}

/* .. and to look for it; *few: it is not too much. What joints allow is found. */
static ss_status make_room_to_look(seat *s, bool *few)
{
    ss_arena *a    = &s->d->scratch;
    int32_t   cols = 1, bounds = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        cols += most_columns(block_of(s, i));
        bounds += block_of(s, i)->kind == SS_BLOCK_DISK;
    }
    s->rows     = s->bodies + bounds;
    size_t rows = (size_t)s->rows + 1, n = (size_t)cols;
    *few = rows * n <= ENTRIES_MAX;
    if (!*few) {
        return SS_OK;
    }
    s->load  = ss_arena_alloc(a, rows, sizeof *s->load);
    s->pull  = ss_arena_alloc(a, rows, sizeof *s->pull);
    s->A     = ss_arena_alloc(a, rows * n, sizeof *s->A);
    s->block = ss_arena_alloc(a, n, sizeof *s->block);
    s->edge  = ss_arena_alloc(a, n, sizeof *s->edge);
    s->x     = ss_arena_alloc(a, n, sizeof *s->x);
    s->left  = ss_arena_alloc(a, 2 * rows, sizeof *s->left);
    s->work  = ss_arena_alloc(a, ss_nnls_work(s->rows + 1, cols), sizeof *s->work);
    s->iwork = ss_arena_alloc(a, 2 * n, sizeof *s->iwork);
    s->tries = s->isl->block_count > FEW_BLOCKS ? TRIES : FEW_TRIES;
    if (!s->load || !s->pull || !s->A || !s->block || !s->edge || !s->x || !s->left || !s->work ||
        !s->iwork) {
        return SS_ERR_SCRATCH;
    }
    return ss_allowed_find(s->m, s->d, s->isl, NULL, &s->allowed);
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
    if (s->tries-- <= 0 || !balance_frugally(s)) {
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

/*
 * No contact, and so one motion (blocks of contacts come first); or one body on one other: what
 * holds it presses it down, and there is nothing to choose from.
 */
static bool is_simple(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    if (isl->block_count == 0) {
        return true;
    }
    const ss_row_block *first = &d->rows.blocks[isl->blocks[0]];
    const ss_row_block *last  = &d->rows.blocks[isl->blocks[isl->block_count - 1]];
    if (first->source != SS_ROWS_CONTACT) {
        return ss_inertia_of(m)->momentum;
    }
    if (isl->body_count != 1 || last->source != SS_ROWS_CONTACT) {
        return false;
    }
    const ss_contact *x = &d->contacts.items[first->index], *y = &d->contacts.items[last->index];
    return x->geom_a == y->geom_a && x->geom_b == y->geom_b;
}

/* The other solution, its fastest point at 1 m/s; or nothing. */
static void tell_other(const seat *s, double speed, bool taken)
{
    ss_motions *told = &s->d->motions;
    if (!told->rested) {
        memset(told->other, 0, (size_t)s->m->nv * sizeof *told->other);
    }
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t at = s->m->bodies[s->isl->bodies[i]].v_start;
        for (int32_t c = 0; c < s->m->dof; c++) {
            told->other[at + c] = taken ? s->v[at + c] / speed : 0;
        }
    }
    told->rested = told->rested || taken;
}

/* From which part of its fall on an island counts as moving: what is solved up to a motion error
   creeps by as much without having another solution. */
static double least_motion(const ss_model *m, const ss_island *isl)
{
    return ss_island_by_motion(m, isl) ? ss_max(ss_rest_moves, isl->solution.enough)
                                       : ss_rest_moves;
}

/* Rest, if it is found and certified. */
static ss_status look_for_rest(seat *s, ss_island *isl, bool *taken)
{
    bool found;
    *taken = false;
    SS_TRY(make_room_to_look(s, &found));
    if (!found) {
        return SS_OK;
    }
    gather_load(s);
    SS_TRY(ss_let_go_idle(&(ss_idle){.m       = s->m,
                                     .d       = s->d,
                                     .isl     = s->isl,
                                     .allowed = &s->allowed,
                                     .fall    = s->fall,
                                     .known   = s->known,
                                     .v       = s->v,
                                     .r       = s->r,
                                     .may     = s->may}));
    SS_TRY(find_rest(s, &found));
    if (found) {
        SS_TRY(take(s, isl, taken));
    }
    if (!*taken && ss_inertia_of(s->m)->balanced && balances_by_preload(s)) {
        s->d->motions.preload = true;
    }
    return SS_OK;
}

/*
 * What held the bodies in the last step holds them still, if it balances the load: these impulses
 * were made, whatever else would have to be pressed by the load.
 */
static ss_status hold_as_before(seat *s, ss_island *isl, bool *taken)
{
    size_t  n      = (size_t)isl->row_count;
    double *solved = ss_arena_alloc(&s->d->scratch, n, sizeof *solved);
    if (solved == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(solved, s->r, n * sizeof *solved);
    for (int32_t i = 0, row = 0; i < isl->block_count; row += block_of(s, i++)->dim) {
        const ss_row_block *b = block_of(s, i);
        memcpy(s->r + row, s->d->rows.impulse + b->row, (size_t)b->dim * sizeof *s->r);
    }
    if (motion_of(s, s->r) <= ss_rest_moves * s->fall) {
        SS_TRY(take(s, isl, taken));
    }
    memcpy(s->r, solved, n * sizeof *solved);
    motion_of(s, s->r);
    return SS_OK;
}

static ss_status rest_island(const ss_model *m, ss_data *d, ss_island *isl)
{
    seat s = {.m = m, .d = d, .isl = isl};
    if (isl->block_count > BLOCKS_MAX || !was_at_rest(&s)) {
        return SS_OK;
    }
    SS_TRY(make_room(&s));
    if (!rest_obeys_laws(&s) || !may_have_several(&s)) {
        return SS_OK;
    }
    ss_cone_of(m)->back(m, &isl->cone.as.cone, isl->solution.z, s.r);
    double speed = motion_of(&s, s.r);
    bool   moves = speed > least_motion(m, isl) * s.fall, taken = false;
    if (ss_inertia_of(m)->momentum && speed > ss_rest_moves * s.fall) {
        SS_TRY(hold_as_before(&s, isl, &taken));
    }
    if (moves && !taken) {
        SS_TRY(look_for_rest(&s, isl, &taken));
    }
    if (moves) { /* otherwise what was told stands */
        tell_other(&s, speed, taken);
    }
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
    finish_load(s);
}

ss_status ss_hold_at_rest(const ss_model *m, ss_data *d, ss_island *isl, double h, bool *held)
{
    seat s   = {.m = m, .d = d, .isl = isl};
    bool few = false;
    *held    = false;
    if (isl->block_count > BLOCKS_MAX || !was_at_rest(&s)) {
        return SS_OK;
    }
    SS_TRY(make_room(&s));
    if (rest_obeys_laws(&s)) {
        SS_TRY(make_room_to_look(&s, &few));
    }
    if (!few) {
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
    d->motions.rested  = d->motions.rested && asked && d->rounds.round > 0;
    d->motions.preload = d->motions.preload && !asked;
    for (int32_t i = 0; asked && i < d->island_count; i++) {
        if (!is_simple(m, d, &d->islands[i])) {
            SS_TRY(rest_island(m, d, &d->islands[i]));
        }
    }
    return SS_OK;
}
