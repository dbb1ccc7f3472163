/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The motion that rest is weighed against (idle.c): how the load begins to move an island from
 * rest. A step with friction may have several solutions, and which one a solver finds is chance; of
 * this motion there is one. Friction follows the load in passes k = 0, 1, ..: its bounds are those
 * of the normal impulses of the pass before, none in the first,
 *
 *   min |v - v_free|^2/2, measured by A, + sum g |J_t v|   over J_n v >= 0, J_e v = 0,
 *   g = mu p_n of pass k - 1; of friction in joints, motors and supports the bound that it has,
 *
 * which is strictly convex (Tresca's friction; with g = mu p_n of the same pass it is Coulomb's).
 * So that impulses are unique as well, every contact gives a little,
 *
 *   J_n v = -c p_n where it bears,   c = SS_RIVAL_GIVES J_n A^-1 J_n':
 *
 * contacts share what the load presses, and none is pressed by others alone. The dual of all this
 * is a problem of least squares with nonnegative variables: with A = L L',
 *
 *   min |L^-1 (F + J'p)|^2 + sum c p_n^2   over p_n >= 0, |p_t| <= g.
 *
 * A contact that touches, bears nothing and does not open, in every pass, is idle; passes end where
 * none is.
 */
#include "balance/rival.h"

#include <math.h>
#include <string.h>

#include "balance/tolerances.h"
#include "core/compare.h"
#include "linalg/dense.h"
#include "linalg/nnls.h"
#include "linalg/vector.h"

enum { PASSES = 3, DOF_MOST = 6 };

/* What the pass before found of a column. */
typedef struct pass_found {
    int32_t block;
    double  edge[4], x;
} pass_found;

/* One pass: columns of the least-squares problem. */
typedef struct pass {
    ss_seat *s;
    double  *L;     /* (body_count x dof x dof) factors of A                                  */
    double  *bound; /* (block_count) of friction                                              */
    double  *heavy; /* (block_count) weight of the bound                                      */
    int32_t  rows;  /* bodies, one for what each block gives, one for each bound              */
    int32_t *at;    /* (block_count) row of its bound                                         */
    double  *A;     /* (rows x columns)                                                       */
    double  *b, *x, *left, *work;
    int32_t *iwork;
    int32_t *block;    /* (columns) */
    double (*edge)[4]; /* (columns) impulses of the first rows of the block                   */
    int32_t     columns;
    pass_found *found; /* (columns) of the pass before                                 */
} pass;

double ss_rival_still(const ss_seat *s)
{
    return SS_RIVAL_STILL * s->fall;
}

bool ss_rival_spares(const ss_seat *s, const ss_rival *x, int32_t i, double p)
{
    const ss_row_block *b = ss_seat_block(s, i);
    return p * ss_block_push(s->m, s->d, b) <= SS_RIVAL_STILL * x->most ||
           p * ss_row_response(s->m, s->d, b, b->row) <= ss_rival_still(s);
}

/* ---- least squares --------------------------------------------------------------------------- */

/* Factors of A of each body, in coordinates of one unit. */
static bool factor_bodies(const pass *a)
{
    const ss_seat *s = a->s;
    int32_t        n = s->m->dof;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        double *L    = a->L + (ptrdiff_t)i * n * n;
        int32_t body = s->isl->bodies[i];
        memset(L, 0, (size_t)(n * n) * sizeof *L);
        for (int32_t k = 0; k < n; k++) {
            double e[DOF_MOST] = {0}, column[DOF_MOST];
            e[k]               = 1;
            ss_seat_momentum(s, body, e, column);
            for (int32_t c = k; c < n; c++) {
                bool has     = c < s->m->bodies[body].dof;
                L[c + k * n] = has ? column[c] / (ss_coordinate_scale(s->m, body, c) *
                                                  ss_coordinate_scale(s->m, body, k))
                                   : c == k;
            }
        }
        if (!ss_dense_cholesky(n, L, n)) {
            return false;
        }
    }
    return true;
}

/* f := L^-1 f of a force of which joints leave what does work in allowed motions. */
static void weigh(const pass *a, double *f)
{
    const ss_seat *s = a->s;
    int32_t        n = s->m->dof;
    ss_allowed_force(&s->allowed, f);
    for (int32_t i = 0; i < s->isl->body_count; i++, f += n) {
        const double *L = a->L + (ptrdiff_t)i * n * n;
        for (int32_t k = 0; k < n; k++) {
            f[k] /= L[k + k * n];
            for (int32_t c = k + 1; c < n; c++) {
                f[c] -= L[c + k * n] * f[k];
            }
        }
    }
}

static double *new_column(pass *a, int32_t i, const double edge[4])
{
    double *column = a->A + (ptrdiff_t)a->columns * a->rows;
    memset(column, 0, (size_t)a->rows * sizeof *column);
    a->block[a->columns] = i;
    memcpy(a->edge[a->columns], edge, sizeof a->edge[0]);
    a->columns++;
    return column;
}

/* Friction of block i along `edge`; all zero: the slack of its bound. */
static void add_friction(pass *a, int32_t i, const double edge[4])
{
    const ss_seat      *s      = a->s;
    const ss_row_block *b      = ss_seat_block(s, i);
    double             *column = new_column(a, i, edge);
    for (int32_t c = 0; c < b->dim && c < 4; c++) {
        if (edge[c] != 0) {
            ss_add_scaled_row(s->m, s->d, b, b->row + c, edge[c], column);
        }
    }
    weigh(a, column);
    column[a->at[i]] = a->heavy[i];
}

/* The normal row of a contact or limit. */
static void add_normal(pass *a, int32_t i)
{
    const ss_seat      *s      = a->s;
    const ss_row_block *b      = ss_seat_block(s, i);
    double             *column = new_column(a, i, (double[4]){1});
    ss_add_scaled_row(s->m, s->d, b, b->row, 1, column);
    weigh(a, column);
    column[s->bodies + i] = sqrt(SS_RIVAL_GIVES * ss_row_response(s->m, s->d, b, b->row));
}

/* All of a block that may bear: its normal row, friction inside its bound. */
static void add_block(pass *a, int32_t i)
{
    const ss_row_block *b     = ss_seat_block(a->s, i);
    int32_t             first = ss_block_one_way(b), dim = b->dim - first;
    double              edge[SS_BALL_EDGES][3];
    if (first) {
        add_normal(a, i);
    }
    if (dim <= 0 || !(a->bound[i] > 0)) {
        return;
    }
    int32_t count = ss_disk_edges(first && dim > 2 ? 2 : dim, edge); /* sliding alone */
    for (int32_t k = 0; k < count; k++) {
        double to[4] = {0};
        memcpy(to + first, edge[k], sizeof edge[k]);
        add_friction(a, i, to);
    }
    add_friction(a, i, (double[4]){0});
}

/* Minus the load; and bounds, heavy beside what friction does. */
static void gather_goal(pass *a)
{
    const ss_seat *s = a->s;
    a->rows          = s->bodies + s->isl->block_count;
    memset(a->b, 0, (size_t)a->rows * sizeof *a->b);
    for (int32_t i = 0; i < s->bodies; i++) {
        a->b[i] = -s->load[i];
    }
    weigh(a, a->b);
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = ss_seat_block(s, i);
        if (s->may[i] && a->bound[i] > 0) {
            int32_t row    = b->row + ss_block_one_way(b);
            a->heavy[i]    = SS_RIVAL_BOUND * sqrt(ss_row_response(s->m, s->d, b, row));
            a->at[i]       = a->rows++;
            a->b[a->at[i]] = a->heavy[i] * a->bound[i];
        }
    }
}

/* What is missed of the bounds goes to the goal: a few rounds, and they hold. */
static bool solve_rounds(pass *a)
{
    enum { ROUNDS = 3 };
    const ss_seat *s    = a->s;
    bool           more = true;
    for (int round = 0; round < ROUNDS && more; round++) {
        if (!ss_seat_least_squares(a->s, a->rows, a->columns, a->A, a->b, a->x, a->left, a->work,
                                   a->iwork)) {
            return false;
        }
        more = false;
        for (int32_t i = 0; i < s->isl->block_count; i++) {
            if (s->may[i] && a->bound[i] > 0) { /* left: the goal, as it is by now, minus A x */
                double goal = a->heavy[i] * a->bound[i];
                double made = a->b[a->at[i]] - a->left[a->at[i]];
                a->b[a->at[i]] += goal - made;
                more = true;
            }
        }
    }
    return true;
}

/* What the pass before found, and where it is in this one. */
static void keep_found(const pass *a)
{
    for (int32_t k = 0; k < a->columns; k++) {
        a->found[k] = (pass_found){.block = a->block[k], .x = a->x[k]};
        memcpy(a->found[k].edge, a->edge[k], sizeof a->edge[k]);
    }
}

static void begin_from_found(const pass *a, int32_t count)
{
    for (int32_t k = 0, first = 0; k < a->columns; k++) {
        for (; first < count && a->found[first].block < a->block[k]; first++) {
        }
        a->x[k] = 0;
        for (int32_t i = first; i < count && a->found[i].block == a->block[k]; i++) {
            /* Bit for bit: NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
            bool same = memcmp(a->found[i].edge, a->edge[k], sizeof a->edge[k]) == 0;
            a->x[k]   = same ? a->found[i].x : a->x[k];
        }
    }
}

/* p of all rows, those that are known among them. */
static bool solve(pass *a, double *p)
{
    const ss_seat *s     = a->s;
    int32_t        count = a->columns;
    keep_found(a);
    gather_goal(a);
    a->columns = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        if (s->may[i]) {
            add_block(a, i);
        }
    }
    begin_from_found(a, count);
    if (!solve_rounds(a)) {
        return false;
    }
    memcpy(p, s->known, (size_t)s->isl->row_count * sizeof *p);
    for (int32_t i = 0, row = 0, k = 0; i < s->isl->block_count;
         row += ss_seat_block(s, i++)->dim) {
        for (; k < a->columns && a->block[k] == i; k++) {
            for (int32_t c = 0; c < ss_seat_block(s, i)->dim && c < 4; c++) {
                p[row + c] += a->x[k] * a->edge[k][c];
            }
        }
    }
    return true;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* The motion that impulses p make of the load. */
static void move(const ss_seat *s, ss_rival *out)
{
    for (int32_t i = 0; i < s->bodies; i++) {
        int32_t body = s->isl->bodies[i / s->m->dof], c = i % s->m->dof;
        bool    has = c < s->m->bodies[body].dof;
        double  v   = has ? s->d->v_free[s->m->bodies[body].v_start + c] : 0;
        out->x[i]   = v * ss_coordinate_scale(s->m, body, c);
    }
    for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = ss_seat_block(s, i);
        for (int32_t c = 0; c < b->dim; c++, row++) {
            if (out->p[row] != 0) {
                ss_add_scaled_response(s->m, s->d, b, b->row + c, out->p[row], out->x);
            }
        }
    }
    ss_allowed_motion(&s->allowed, out->x);
    for (int32_t i = 0; i < s->bodies; i++) {
        int32_t body = s->isl->bodies[i / s->m->dof], c = i % s->m->dof;
        if (c < s->m->bodies[body].dof) {
            out->v[s->m->bodies[body].v_start + c] = out->x[i] / ss_coordinate_scale(s->m, body, c);
        }
    }
}

/* What bears in this pass, and which contacts it leaves idle that all before it did. False: none is
   left, and further passes have nothing to say. */
static bool look(const ss_seat *s, ss_rival *out)
{
    bool any   = false;
    out->most  = 0;
    out->bears = false;
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += ss_seat_block(s, i++)->dim) {
        const ss_row_block *b = ss_seat_block(s, i);
        if (ss_block_one_way(b)) {
            out->most = ss_max(out->most, out->p[row] * ss_block_push(s->m, s->d, b));
        }
    }
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += ss_seat_block(s, i++)->dim) {
        const ss_row_block *b = ss_seat_block(s, i);
        if (ss_block_one_way(b) && s->may[i]) {
            bool spared  = ss_rival_spares(s, out, i, out->p[row]);
            bool opens   = ss_row_rate(s->m, s->d, b, b->row, out->v) > ss_rival_still(s);
            out->idle[i] = out->idle[i] && spared && !opens;
            out->bears   = out->bears || !spared;
            any          = any || out->idle[i];
        }
    }
    return any || !out->bears;
}

/* Friction of what bears, for the next pass. */
static void next_bounds(const pass *a, const ss_rival *x)
{
    for (int32_t i = 0, row = 0; i < a->s->isl->block_count; row += ss_seat_block(a->s, i++)->dim) {
        const ss_row_block *b = ss_seat_block(a->s, i);
        if (b->kind == SS_BLOCK_CONE) {
            a->bound[i] = ss_rival_spares(a->s, x, i, x->p[row]) ? 0 : b->mu * x->p[row];
        }
    }
}

/* Its normal row, directions of friction (add_block()) and the slack. */
static int32_t most_columns(const ss_row_block *b)
{
    int32_t first = ss_block_one_way(b), dim = b->dim - first;
    if (!first && b->kind != SS_BLOCK_DISK) {
        return 0;
    }
    int32_t ways = dim == 1 ? 2 : dim == 2 || first ? SS_DISK_SIDES : SS_BALL_EDGES;
    return first + (dim > 0 ? ways + 1 : 0);
}

static ss_status make_room(pass *a, ss_rival *out)
{
    ss_seat  *s     = a->s;
    ss_arena *arena = &s->d->scratch;
    size_t    n = (size_t)s->isl->block_count, cols = 1, dof = (size_t)s->m->dof;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        cols += s->may[i] ? (size_t)most_columns(ss_seat_block(s, i)) : 0;
    }
    a->rows     = s->bodies + 2 * s->isl->block_count;
    size_t rows = (size_t)a->rows;
    *out        = (ss_rival){
               .v    = ss_arena_alloc(arena, (size_t)s->m->nv, sizeof *out->v),
               .x    = ss_arena_alloc(arena, (size_t)s->bodies, sizeof *out->x),
               .p    = ss_arena_alloc(arena, (size_t)s->isl->row_count, sizeof *out->p),
               .idle = ss_arena_alloc(arena, n, sizeof *out->idle),
               .kept = ss_arena_alloc(arena, n, sizeof *out->kept),
    };
    a->L     = ss_arena_alloc(arena, (size_t)s->isl->body_count * dof * dof, sizeof *a->L);
    a->bound = ss_arena_alloc(arena, 2 * n, sizeof *a->bound);
    a->A     = ss_arena_alloc(arena, rows * cols, sizeof *a->A);
    a->b     = ss_arena_alloc(arena, 2 * rows, sizeof *a->b);
    a->x     = ss_arena_alloc(arena, cols, sizeof *a->x);
    a->work  = ss_arena_alloc(arena, ss_nnls_work(a->rows, (int32_t)cols), sizeof *a->work);
    a->iwork = ss_arena_alloc(arena, 2 * cols, sizeof *a->iwork);
    a->block = ss_arena_alloc(arena, cols, sizeof *a->block);
    a->edge  = ss_arena_alloc(arena, cols, sizeof *a->edge);
    a->at    = ss_arena_alloc(arena, n, sizeof *a->at);
    a->found = ss_arena_alloc(arena, cols, sizeof *a->found);
    bool has = out->v && out->x && out->p && out->idle && out->kept && a->L && a->bound && a->A &&
               a->b && a->x && a->work && a->iwork && a->block && a->edge && a->found && a->at;
    a->left  = has ? a->b + rows : NULL;
    a->heavy = has ? a->bound + n : NULL;
    return has ? SS_OK : SS_ERR_SCRATCH;
}

ss_status ss_rival_find(ss_seat *s, ss_rival *out)
{
    pass a = {.s = s};
    SS_TRY(make_room(&a, out));
    memset(out->v, 0, (size_t)s->m->nv * sizeof *out->v);
    memset(out->p, 0, (size_t)s->isl->row_count * sizeof *out->p);
    memset(out->kept, 0, (size_t)s->isl->block_count * sizeof *out->kept);
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = ss_seat_block(s, i);
        out->idle[i]          = s->may[i] && ss_block_one_way(b);
        a.bound[i]            = b->kind == SS_BLOCK_DISK ? b->bound : 0;
        a.heavy[i]            = 0;
    }
    bool solved = factor_bodies(&a), more = true;
    for (int k = 0; k < PASSES && solved && more; k++) {
        solved = solve(&a, out->p);
        move(s, out);
        more = look(s, out);
        next_bounds(&a, out);
    }
    if (!solved) { /* nothing can be said: none is idle, and all that opens may bear */
        memset(out->idle, 0, (size_t)s->isl->block_count * sizeof *out->idle);
        out->bears = true;
    }
    return SS_OK;
}
