/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unknowns that outgrow the data of a row a million times leave it no digits in doubles: z = 1e15
 * and w = -1 look the same whether rows contradict each other or z merely lacks its last digits.
 * What tells them apart is the set B of positive (and free) unknowns:
 *
 *   M_BB z_B = -q_B,   z = 0 elsewhere,   w = M z + q
 *
 * is solved by iterative refinement, z and w in twice the working precision and factors in working
 * precision. Where w_B vanishes beside the data of each row by itself (beside rounding of its
 * terms, where it has none), no z_B is negative and no other w is, that is a solution, and z is it,
 * rounded. As in guessed_set.c unknowns that turn negative leave, and the worst row enters, a few
 * times. Rows without data that are only right to rounding of their terms confirm nothing: what
 * contradicts them may be in there.
 *
 * Unknowns whose columns depend on others of the set are held at what they are (contacts that share
 * a load); their rows must come out right by themselves. Contacts that depend on each other but for
 * rounding leave rounding of their terms there: such a point is no solution, but no row of it tells
 * that there is none.
 */
#include "solver/confirm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/twofold.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/tolerances.h"

/* Sets, steps of refinement, and unknowns beyond which factors leave out zeros. */
enum { ROUNDS = 6, STEPS = 12, DENSE_MOST = 1000 };

/* Sets whose elimination takes long enough to look at the clock. */
enum { LONG = 512 };

/* Where an unknown is: at zero, in the set that is solved for, in it but for dependence. */
typedef enum place { OUTSIDE, INSIDE, HELD } place;

typedef struct check {
    const ss_matrix     *M;
    const double        *q;
    const double        *size; /* of rows without data                         */
    const unsigned char *free; /* NULL: none                                   */
    int32_t              n, k;
    double              *hi, *lo;   /* (n) z                                        */
    double              *w, *rest;  /* (n) rows, in twice the precision             */
    double              *allowed;   /* (n) what a row may miss: a part of its data          */
    double              *column;    /* (n)                                          */
    double              *row, *col; /* (n) scales of M_BB                           */
    double              *y;         /* (n)                                          */
    double              *A;         /* (k x k), up to DENSE_MOST                    */
    int32_t             *Ap, *Ai;   /* beyond: the same by compressed columns       */
    double              *Ax;
    int32_t             *index;    /* (n) unknowns of B that are solved for        */
    int32_t             *at;       /* (n) and the rows that they are solved from   */
    int32_t             *pivot;    /* (n)                                          */
    double              *rounding; /* (n) of the terms of a row                    */
    unsigned char       *inside;   /* (n) a place                                  */
    ss_context          *ctx;
    ss_confirm_memory   *memory;
    ss_patience          patience;
    double               products;
} check;

static int32_t most_dense(const ss_problem *p)
{
    int32_t n = ss_problem_size(p);
    return n < DENSE_MOST ? n : DENSE_MOST;
}

size_t ss_confirm_bytes(const ss_problem *p)
{
    size_t n = (size_t)ss_problem_size(p), k = (size_t)most_dense(p);
    return (10 * n + k * k) * sizeof(double) + 3 * n * sizeof(int32_t) + n;
}

static check check_make(const ss_problem *p, void *memory)
{
    check    c         = {.M    = p->type == SS_MLCP ? &p->as.mlcp.M : &p->as.lcp.M,
                          .q    = p->type == SS_MLCP ? p->as.mlcp.q : p->as.lcp.q,
                          .free = p->type == SS_MLCP ? p->as.mlcp.free : NULL,
                          .n    = ss_problem_size(p)};
    size_t   k         = (size_t)most_dense(p);
    double  *at        = memory;
    double **vectors[] = {&c.hi,     &c.lo,  &c.w,   &c.rest, &c.allowed,
                          &c.column, &c.row, &c.col, &c.y,    &c.rounding};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, at += c.n) {
        *vectors[i] = at;
    }
    c.A      = at;
    c.index  = (int32_t *)(at + k * k);
    c.at     = c.index + c.n;
    c.pivot  = c.at + c.n;
    c.inside = (unsigned char *)(c.pivot + c.n);
    return c;
}

static bool is_free(const check *c, int32_t i)
{
    return c->free != NULL && c->free[i];
}

/* M_BB with the largest entry of every row, then column, brought to 1. */
static void gather(check *c)
{
    int32_t k = c->k;
    memset(c->row, 0, (size_t)k * sizeof *c->row);
    for (int32_t j = 0; j < k; j++) {
        double *to = c->A + (size_t)j * (size_t)k;
        memset(c->column, 0, (size_t)c->n * sizeof *c->column);
        ss_matrix_add_column(c->M, c->index[j], 1, c->column);
        for (int32_t i = 0; i < k; i++) {
            to[i]     = c->column[c->at[i]];
            c->row[i] = fmax(c->row[i], fabs(to[i]));
        }
    }
    for (int32_t j = 0; j < k; j++) {
        double *to = c->A + (size_t)j * (size_t)k, most = 0;
        for (int32_t i = 0; i < k; i++) {
            to[i] /= c->row[i] > 0 ? c->row[i] : 1;
            most = fmax(most, fabs(to[i]));
        }
        c->col[j] = most > 0 ? 1 / most : 1;
        for (int32_t i = 0; i < k; i++) {
            to[i] *= c->col[j];
        }
    }
}

/* Column j of M_BB after those before it; rows: where a row of M is in M_BB, -1: it is not. */
static void put_column(check *c, const int32_t *rows, int32_t j)
{
    int32_t to = c->Ap[j], from = c->index[j];
    for (int32_t e = ss_column_begin(c->M, from); e < ss_column_end(c->M, from); e++) {
        ss_entry x = ss_column_entry(c->M, from, e);
        int32_t  i = rows[x.row];
        if (i >= 0 && x.value != 0) {
            c->Ai[to]   = i;
            c->Ax[to++] = x.value;
            c->row[i]   = fmax(c->row[i], fabs(x.value));
        }
    }
    c->Ap[j + 1] = to;
}

static void scale_column(check *c, int32_t j)
{
    double most = 0;
    for (int32_t e = c->Ap[j]; e < c->Ap[j + 1]; e++) {
        c->Ax[e] /= c->row[c->Ai[e]];
        most = fmax(most, fabs(c->Ax[e]));
    }
    c->col[j] = most > 0 ? 1 / most : 1;
    for (int32_t e = c->Ap[j]; e < c->Ap[j + 1]; e++) {
        c->Ax[e] *= c->col[j];
    }
}

/* The same without its zeros; false: the arena is too small. rows (n) is scratch. */
static bool gather_sparse(check *c, int32_t *rows)
{
    ss_arena *a       = &c->memory->arena;
    size_t    entries = 0;
    memset(rows, -1, (size_t)c->n * sizeof *rows);
    memset(c->row, 0, (size_t)c->k * sizeof *c->row);
    for (int32_t j = 0; j < c->k; j++) {
        rows[c->at[j]] = j;
        entries += (size_t)(ss_column_end(c->M, c->index[j]) - ss_column_begin(c->M, c->index[j]));
    }
    ss_arena_reset(a);
    c->Ap = ss_arena_alloc(a, (size_t)c->k + 1, sizeof *c->Ap);
    c->Ai = ss_arena_alloc(a, entries, sizeof *c->Ai);
    c->Ax = ss_arena_alloc(a, entries, sizeof *c->Ax);
    if (!c->Ap || !c->Ai || !c->Ax) {
        return false;
    }
    c->Ap[0] = 0;
    for (int32_t j = 0; j < c->k; j++) {
        put_column(c, rows, j);
    }
    for (int32_t j = 0; j < c->k; j++) {
        scale_column(c, j);
    }
    return true;
}

/* The set B and its rows. */
static void collect(check *c)
{
    c->k = 0;
    for (int32_t i = 0; i < c->n; i++) {
        if (c->inside[i]) {
            c->inside[i]     = INSIDE;
            c->at[c->k]      = i;
            c->index[c->k++] = i;
        }
    }
}

/* The row of the largest entry of column j from row `from` on. */
static int32_t largest_below(const check *c, int32_t j, int32_t from)
{
    const double *column = c->A + (size_t)j * (size_t)c->k;
    int32_t       best   = from;
    for (int32_t i = from; i < c->k; i++) {
        best = fabs(column[i]) > fabs(column[best]) ? i : best;
    }
    return best;
}

static void exchange(int32_t *rows, int32_t i, int32_t j)
{
    int32_t kept = rows[i];
    rows[i]      = rows[j];
    rows[j]      = kept;
}

/* Column j made zero below its pivot, and the same done to all that follow. */
static void eliminate(check *c, int32_t j, int32_t row, int32_t pivot)
{
    int32_t       k    = c->k;
    const double *from = c->A + (size_t)j * (size_t)k;
    for (int32_t l = j; l < k; l++) {
        double *to = c->A + (size_t)l * (size_t)k, kept = to[row];
        to[row]   = to[pivot];
        to[pivot] = kept;
    }
    for (int32_t l = j + 1; l < k; l++) {
        double *to = c->A + (size_t)l * (size_t)k, by = to[row] / from[row];
        for (int32_t i = row + 1; by != 0 && i < k; i++) {
            to[i] -= by * from[i];
        }
    }
}

/* Unknowns whose columns depend on earlier ones are held; as many rows are left out. */
static void hold_dependent(check *c)
{
    int32_t row = 0;
    for (int32_t j = 0; j < c->k && !(c->k >= LONG && ss_patience_ends(&c->patience, 0)); j++) {
        int32_t pivot = row < c->k ? largest_below(c, j, row) : -1;
        if (pivot < 0 || fabs(c->A[(size_t)j * (size_t)c->k + (size_t)pivot]) < SS_PIVOT_ZERO) {
            c->inside[c->index[j]] = HELD;
        } else {
            exchange(c->at, row, pivot);
            eliminate(c, j, row, pivot);
            c->index[row++] = c->index[j];
        }
    }
    c->k = row;
}

static bool factored(check *c)
{
    gather(c);
    c->products += ss_dense_lu_products(c->k) + (double)c->k * c->n;
    if (c->k > 0 && !ss_dense_lu_within(c->k, c->A, c->k, c->pivot, &c->patience)) {
        return false;
    }
    for (int32_t i = 0; i < c->k; i++) {
        if (!(fabs(c->A[(size_t)i * (size_t)(c->k + 1)]) >= SS_PIVOT_ZERO)) {
            return false;
        }
    }
    return true;
}

/* Without zeros nothing that depends on the rest is looked for. */
static ss_status factor_sparse(check *c, bool *done)
{
    ss_confirm_memory *m        = c->memory;
    bool               singular = true;
    while (!gather_sparse(c, c->pivot)) {
        SS_TRY(ss_arena_grow(c->ctx, &m->arena));
    }
    ss_status status = ss_sparse_lu_analyse(c->ctx, &m->lu, c->k, c->Ap, c->Ai);
    if (status == SS_OK) {
        status = ss_sparse_lu_factor(c->ctx, &m->lu, c->Ap, c->Ai, c->Ax, &c->patience, &singular);
        c->products += singular ? c->Ap[c->k] : ss_sparse_lu_products(&m->lu);
    }
    *done = status == SS_OK && !singular;
    return status == SS_ERR_UNSUPPORTED ? SS_OK : status; /* too large for this build */
}

/* Factors of M_BB, without what depends on the rest; *done false: there are none. */
static ss_status factor(check *c, bool *done)
{
    collect(c);
    if (c->k > DENSE_MOST) {
        return factor_sparse(c, done);
    }
    *done = factored(c);
    if (!*done && !c->patience.gave_up) {
        gather(c);
        c->products += ss_dense_lu_products(c->k);
        hold_dependent(c);
        *done = !c->patience.gave_up && factored(c);
    }
    return SS_OK;
}

/* y := M_BB^-1 y */
static void solve(check *c)
{
    if (c->k > DENSE_MOST) {
        ss_sparse_lu_solve(&c->memory->lu, c->y);
    } else {
        ss_dense_lu_solve(c->k, c->A, c->k, c->pivot, c->y);
    }
}

/* w = M z + q; rows without data may miss rounding of their terms, or of what they are made of. */
static void rows(check *c)
{
    size_t n = (size_t)c->n;
    memcpy(c->w, c->q, n * sizeof *c->w);
    memset(c->rest, 0, n * sizeof *c->rest);
    memset(c->rounding, 0, n * sizeof *c->rounding);
    memset(c->y, 0, n * sizeof *c->y);
    ss_matrix_mul_add_sized(c->M, c->hi, c->y, c->rounding);
    ss_matrix_mul_add_twofold(c->M, c->hi, c->w, c->rest);
    ss_matrix_mul_add_twofold(c->M, c->lo, c->w, c->rest);
    for (int32_t i = 0; i < c->n; i++) {
        double size     = c->q[i] != 0 ? c->rounding[i] : fmax(c->rounding[i], c->size[i]);
        double unknown  = c->n * DBL_EPSILON * DBL_EPSILON * size;
        double rounding = SS_ROW_RIGHT * DBL_EPSILON * (size + fabs(c->q[i]));
        double data     = c->q[i] != 0 ? fabs(c->q[i]) : rounding;
        c->rounding[i]  = rounding;
        c->allowed[i]   = fmax(SS_CONFIRMED * data, unknown);
    }
    c->products += 4 * ss_matrix_products(c->M);
}

/* What row i may miss; of those without data rounding of their terms, where that will do. */
static double allowance(const check *c, int32_t i, bool rounding)
{
    return rounding && c->q[i] == 0 ? fmax(c->rounding[i], c->allowed[i]) : c->allowed[i];
}

static double worst_inside(const check *c, bool rounding)
{
    double worst = 0;
    for (int32_t j = 0; j < c->k; j++) {
        int32_t i = c->at[j];
        if (c->w[i] != 0) {
            worst = fmax(worst, fabs(c->w[i]) / allowance(c, i, rounding));
        }
    }
    return worst;
}

/* z_B by refinement; false: it does not converge, not even but for rows without data. */
static bool refine(check *c)
{
    double before = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        rows(c);
        double worst = worst_inside(c, false);
        if (worst <= 1) {
            return true;
        }
        if (!(worst < 0.5 * before)) {
            break;
        }
        before = step == 0 ? INFINITY : worst; /* the first step may leave z far behind */
        for (int32_t j = 0; j < c->k; j++) {
            c->y[j] = -c->w[c->at[j]] / (c->row[j] > 0 ? c->row[j] : 1);
        }
        solve(c);
        for (int32_t j = 0; j < c->k; j++) {
            int32_t    i = c->index[j];
            ss_twofold s = ss_two_sum(c->hi[i], c->y[j] * c->col[j]);
            s            = ss_two_sum_ordered(s.hi, s.lo + c->lo[i]);
            c->hi[i]     = s.hi;
            c->lo[i]     = s.lo;
        }
    }
    return worst_inside(c, true) <= 1;
}

/* Negative unknowns leave, the worst row enters; true: there is none of either. */
static bool settle(check *c)
{
    int32_t enters = -1;
    bool    left   = false;
    double  worst  = 1;
    for (int32_t i = 0; i < c->n; i++) {
        if (c->inside[i] && !is_free(c, i) && c->hi[i] < 0) {
            c->inside[i] = OUTSIDE;
            c->hi[i] = c->lo[i] = 0;
            left                = true;
        } else if (!c->inside[i] && -c->w[i] > worst * allowance(c, i, true)) {
            worst  = -c->w[i] / allowance(c, i, true);
            enters = i;
        }
    }
    if (enters >= 0) {
        c->inside[enters] = INSIDE;
    }
    return enters < 0 && !left;
}

/* What the rows say of z, if no unknown is negative. */
static ss_confirmation told_by_rows(const check *c)
{
    bool data = true, all_but_none = true, rounding = true;
    for (int32_t i = 0; i < c->n; i++) {
        double miss  = c->inside[i] ? fabs(c->w[i]) : -c->w[i];
        data         = data && miss <= c->allowed[i];
        all_but_none = all_but_none && miss <= allowance(c, i, true);
        rounding     = rounding && miss <= c->rounding[i];
        if (c->hi[i] < 0 && !is_free(c, i)) {
            return SS_LEFT_OPEN;
        }
    }
    return data                       ? SS_CONFIRMED_BY_DATA
           : all_but_none || rounding ? SS_RIGHT_TO_ROUNDING
                                      : SS_LEFT_OPEN;
}

ss_status ss_answer_confirmed(ss_context *ctx, const ss_problem *p, const ss_answer *x,
                              ss_confirm_memory *memory, void *room, double *products,
                              ss_confirmation *found)
{
    check c    = check_make(p, room);
    c.ctx      = ctx;
    c.memory   = memory;
    c.patience = x->patience;
    c.size     = x->size;
    *found     = SS_LEFT_OPEN;
    for (int32_t i = 0; i < c.n; i++) {
        c.inside[i] = is_free(&c, i) || x->z[i] > 0 ? INSIDE : OUTSIDE;
        c.hi[i]     = c.inside[i] ? x->z[i] : 0;
        c.lo[i]     = 0;
    }
    for (int round = 0; round < ROUNDS && c.products <= x->most; round++) {
        bool done;
        SS_TRY(factor(&c, &done));
        if (!done || !refine(&c)) {
            break;
        }
        ss_confirmation told = told_by_rows(&c);
        *found               = told != SS_LEFT_OPEN ? told : *found;
        if (told == SS_CONFIRMED_BY_DATA || settle(&c)) {
            break; /* or rows of unknowns that are held */
        }
    }
    *products += c.products;
    return SS_OK;
}

void ss_confirm_free(ss_context *ctx, ss_confirm_memory *memory)
{
    ss_sparse_lu_free(ctx, &memory->lu);
    ss_arena_free(ctx, &memory->arena);
}
