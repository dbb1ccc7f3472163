/* SPDX-License-Identifier: Apache-2.0 */
/*
 * farkas: the proof that a problem has no feasible point, and so no solution:
 *
 *     w = A x + q,   x_j >= 0 or free,   w_i >= 0 or w_i = 0
 *
 * has none if there is a y (Farkas' lemma) with y_i >= 0 where w_i is not fixed and
 *
 *     (A'y)_j <= 0 where x_j >= 0,    (A'y)_j = 0 where x_j is free,    q'y < 0,
 *
 * since y'w = (A'y)'x + q'y would be negative, and is not. Least squares over x and w find it:
 * where min |A x - w + q| is not zero, y = -(A x - w + q) is one, up to rounding (Lawson and Hanson
 * 1974, chapter 23).
 *
 *     lcp, mlcp     A = M: x = z, rows of free unknowns have w_i = 0
 *     cone, global  A = H': x = v. Unilateral rows and normal rows of cones have w_i = u_i >= 0,
 *                   equalities w_i = u_i = 0, and friction rows are left out
 *     cone, local   A = W with the same rows: x = r, normal reactions >= 0, all others free
 *
 * Friction cones are left out of both. Nothing is lost where W is symmetric and semidefinite: A'y
 * in the polar of the cones, which contain y, means y'W y <= 0, and so W y = 0.
 *
 * Rows and columns that do not hang together are looked at by themselves: a proof for some of them
 * is one for all. A guess names rows that may be in the proof: those in which it is not zero.
 *
 * A proof up to rounding is none: with an equality that is missed by rounding some huge x is
 * feasible. So y is replaced by numbers for which the sums are checked without any rounding
 * (expansions of doubles, Shewchuk 1997): by whole numbers in the same proportions; and where no x
 * is free by a y for columns A_j + delta 1, whose inequalities hold with something to spare. Where
 * many rows depend on each other, least squares blend all proofs that there are: of those y the
 * vertices (linalg/vertex.c) of
 *
 *     y_i >= 0 where w_i is not fixed,   (A'y)_j + s_j = 0,  s_j >= 0 where x_j >= 0, no s_j where
 *     it is free,   q'y = -1
 *
 * speak of few rows, and are whole numbers in proportion where those of few rows are.
 * Problems for which neither holds are left open: outcome not-applicable. With a proof z is y.
 */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/twofold.h"
#include "linalg/components.h"
#include "linalg/matrix.h"
#include "linalg/nnls.h"
#include "linalg/vertex.h"
#include "solver/tolerances.h"
#include "stickslip/solver.h"

enum { MOST = 300, DENOMINATORS = 1000 };

typedef struct state {
    ss_arena arena;
} state;

/* What is asked of a row of w. */
typedef enum demand { NOT_NEGATIVE, ZERO, NOTHING } demand;

/* The problem: w = A x + q or w = A'x + q. */
typedef struct rows {
    const ss_matrix *A;
    const double    *q;
    bool             transposed;
    int32_t          m, n;    /* rows and columns of A, or of A'                    */
    unsigned char   *demands; /* (m)                                                */
    unsigned char   *free;    /* (n) x_j may be negative                            */
    int32_t         *asked;   /* (m) the rows that are asked for something          */
    int32_t          asked_count;
    double          *label;           /* (m + n) which rows, then columns, hang together    */
    int32_t         *order;           /* (m + n) rows and columns, part by part             */
    int32_t         *place;           /* (m + n) of a row or column within its part         */
    int32_t          widest, tallest; /* of parts that are not too large              */
} rows;

/* One part of it that hangs together, dense. */
typedef struct proof {
    int32_t        m, n, columns;
    double        *dense; /* (m x n) A                                  */
    double        *q;     /* (m)                                        */
    unsigned char *fixed; /* (m) w_i = 0                                */
    unsigned char *free;  /* (n)                                        */
    bool           any_free;
    double        *R, *C; /* (m), (n) powers of two that balance A      */
    double        *A;     /* (m x columns) of the least squares         */
    double        *b;     /* (m)                                        */
    double        *x;     /* (columns)                                  */
    double        *left;  /* (m)                                        */
    double        *y;     /* (m) what is checked                        */
    double        *sum;   /* (2 m + 2) an expansion                     */
    double        *T;     /* ((n + 1) x (m + n + 1)) of the vertices    */
    double        *point; /* (m + n) y and s                            */
    unsigned char *sign;  /* (m + n) any: not restricted                */
    int32_t       *basis; /* (n + 1)                                    */
    double        *work;
    int32_t       *iwork;
    ss_solver     *s;
} proof;

/* ---- sums without rounding ------------------------------------------------------------------ */

/* Adds a to an expansion of `count` doubles that do not overlap, the largest last. */
static int32_t grow(double *e, int32_t count, double a)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        ss_twofold s = ss_two_sum(a, e[i]);
        a            = s.hi;
        if (s.lo != 0) {
            e[kept++] = s.lo;
        }
    }
    if (a != 0) {
        e[kept++] = a;
    }
    return kept;
}

/* The sign of sum a_i y_i, exactly; 2: it cannot be told (overflow or underflow). */
static int sign_of(const proof *f, const double *a)
{
    int32_t count = 0;
    for (int32_t i = 0; i < f->m; i++) {
        if (a[i] == 0 || f->y[i] == 0) {
            continue;
        }
        double size = fabs(a[i]) * fabs(f->y[i]);
        if (!(size < SS_EXACT_MOST && size > SS_EXACT_LEAST)) {
            return 2;
        }
        ss_twofold p = ss_two_product(a[i], f->y[i]);
        count        = grow(f->sum, count, p.lo);
        count        = grow(f->sum, count, p.hi);
    }
    return count == 0 ? 0 : f->sum[count - 1] > 0 ? 1 : -1;
}

/* Is y a proof, to the last bit? */
static bool proves(const proof *f)
{
    for (int32_t i = 0; i < f->m; i++) {
        if (!isfinite(f->y[i]) || (f->y[i] < 0 && !f->fixed[i])) {
            return false;
        }
    }
    bool good = sign_of(f, f->q) == -1;
    for (int32_t j = 0; good && j < f->n; j++) {
        int sign = sign_of(f, f->dense + (size_t)j * (size_t)f->m);
        good     = sign == 0 || (sign == -1 && !f->free[j]);
    }
    return good;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void put_column(proof *f, int32_t j, double sign, double tilt)
{
    double *to = f->A + (size_t)f->columns++ * (size_t)f->m;
    for (int32_t i = 0; i < f->m; i++) {
        double a = f->dense[(size_t)j * (size_t)f->m + (size_t)i] * f->R[i] * f->C[j];
        to[i]    = sign * a + tilt;
    }
}

static bool is_out_of_time(void *solver)
{
    return ss_solver_out_of_time(solver);
}

/* y, in balanced rows, from least squares; false: there is a feasible point, or no answer. */
static bool find(proof *f, double tilt)
{
    double size = 0, rest = 0;
    f->columns = 0;
    for (int32_t j = 0; j < f->n; j++) {
        put_column(f, j, 1, tilt);
        if (f->free[j]) {
            put_column(f, j, -1, 0);
        }
    }
    for (int32_t i = 0; i < f->m; i++) {
        f->b[i] = -f->q[i] * f->R[i];
        size += f->b[i] * f->b[i];
        if (!f->fixed[i]) {
            double *to = f->A + (size_t)f->columns++ * (size_t)f->m;
            memset(to, 0, (size_t)f->m * sizeof *to);
            to[i] = -1;
        }
    }
    if (!ss_nnls_until(f->m, f->columns, f->A, f->b, f->x, f->left, f->work, f->iwork,
                       is_out_of_time, f->s)) {
        return false;
    }
    for (int32_t i = 0; i < f->m; i++) {
        rest += f->left[i] * f->left[i];
    }
    return rest > SS_PROOF_NEGATIVE * SS_PROOF_NEGATIVE * size;
}

/* Whole numbers in the proportions of `left`, its rows unbalanced or not; false: there are none. */
static bool round_off(proof *f, bool balanced)
{
    double most = 0;
    for (int32_t i = 0; i < f->m; i++) {
        f->y[i] = f->left[i] * (balanced ? 1 : f->R[i]);
        most    = fmax(most, fabs(f->y[i]));
    }
    for (int32_t d = 1; d <= DENOMINATORS; d++) {
        double off = 0;
        for (int32_t i = 0; i < f->m; i++) {
            double t = d * (f->y[i] / most);
            off      = fmax(off, fabs(t - round(t)));
        }
        if (off <= SS_WHOLE_NUMBER) {
            for (int32_t i = 0; i < f->m; i++) {
                double t = round(d * (f->y[i] / most));
                f->y[i]  = t * (balanced ? f->R[i] : 1);
            }
            return true;
        }
    }
    return false;
}

/* The tableau of the polyhedron of proofs, and the point of it that least squares gave. */
static int32_t set_up_vertices(proof *f)
{
    int32_t n = f->m, m = f->n + 1;
    double  below = 0, most = 0;
    memset(f->T, 0, (size_t)m * (size_t)(f->m + f->n + 1) * sizeof *f->T);
    for (int32_t i = 0; i < f->m; i++) {
        most = fmax(most, fabs(f->q[i] * f->R[i]));
        below -= f->q[i] * f->R[i] * f->left[i];
    }
    for (int32_t i = 0; i < f->m; i++) {
        f->point[i] = f->left[i] * most / below;
        f->sign[i]  = f->fixed[i];
        double *row = f->T + (ptrdiff_t)i * m;
        for (int32_t j = 0; j < f->n; j++) {
            row[j] = f->dense[(size_t)j * (size_t)f->m + (size_t)i] * f->R[i] * f->C[j];
        }
        row[f->n] = f->q[i] * f->R[i] / most;
    }
    for (int32_t j = 0; j < f->n; j++) {
        double slack = 0;
        for (int32_t i = 0; i < f->m; i++) {
            slack -= f->T[(ptrdiff_t)i * m + j] * f->point[i];
        }
        if (!f->free[j]) {
            f->T[(ptrdiff_t)n * m + j] = 1;
            f->point[n]                = fmax(slack, 0);
            f->sign[n++]               = 0;
        }
    }
    f->T[(ptrdiff_t)n * m + f->n] = -1;
    return n;
}

/* y of few rows; false: no time. */
static bool find_vertex(proof *f)
{
    double  products = 0;
    int32_t n        = set_up_vertices(f);
    bool    found = ss_vertex(f->n + 1, n, f->T, f->sign, f->point, f->basis, f->iwork, &products,
                              is_out_of_time, f->s);
    ss_solver_worked(f->s, products);
    memcpy(f->left, f->point, (size_t)f->m * sizeof *f->left);
    return found;
}

/* Whole numbers in the proportions of `left` that prove it. */
static bool whole_numbers_prove(proof *f)
{
    return (round_off(f, false) && proves(f)) || (round_off(f, true) && proves(f));
}

static bool find_proof(proof *f)
{
    if (!find(f, 0)) {
        return false;
    }
    if (whole_numbers_prove(f) || (find_vertex(f) && whole_numbers_prove(f))) {
        return true;
    }
    if (f->any_free || !find(f, SS_PROOF_TILT)) {
        return false;
    }
    for (int32_t i = 0; i < f->m; i++) {
        f->y[i] = f->fixed[i] ? f->left[i] * f->R[i] : fmax(f->left[i], 0) * f->R[i];
    }
    return proves(f);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* One entry after the other of a column of A, in rows that are asked for something. */
typedef struct cursor {
    int32_t k; /* entries that were passed */
    int32_t row, column;
    double  value;
} cursor;

/* Of a dense A the other rows are not looked at: of contacts there are twice as many. */
static bool next_asked(const rows *r, int32_t j, cursor *c)
{
    const ss_matrix *A       = r->A;
    bool             by_rows = A->dense != NULL && !r->transposed;
    int32_t          begin   = by_rows ? 0 : ss_column_begin(A, j),
            end              = by_rows ? r->asked_count : ss_column_end(A, j);
    while (begin + c->k < end) {
        int32_t  k = begin + c->k++;
        ss_entry e = ss_column_entry(A, j, by_rows ? r->asked[k] : k);
        c->row     = r->transposed ? j : e.row;
        c->column  = r->transposed ? e.row : j;
        c->value   = e.value;
        if (e.value != 0 && r->demands[c->row] != NOTHING) {
            return true;
        }
    }
    return false;
}

/* Labels of rows that are asked for something, and of the columns in them. */
static void find_parts(rows *r)
{
    r->asked_count = 0;
    for (int32_t i = 0; i < r->m; i++) {
        if (r->demands[i] != NOTHING) {
            r->asked[r->asked_count++] = i;
        }
    }
    ss_components_begin(r->m + r->n, r->label);
    for (int32_t j = 0; j < r->A->cols; j++) {
        cursor c = {0};
        while (next_asked(r, j, &c)) {
            ss_components_join(r->label, c.row, r->m + c.column);
        }
    }
    for (int32_t i = 0; i < r->m + r->n; i++) {
        r->label[i] = ss_components_find(r->label, i);
    }
}

/* Rows and columns sorted by part (labels are the first row or column of each), and the largest. */
static void sort_parts(rows *r, int32_t *count)
{
    int32_t all = r->m + r->n, at = 0;
    memset(count, 0, (size_t)all * sizeof *count);
    for (int32_t i = 0; i < all; i++) {
        count[(int32_t)r->label[i]]++;
    }
    for (int32_t i = 0; i < all; i++) {
        int32_t here = count[i];
        count[i]     = at;
        at += here;
    }
    for (int32_t i = 0; i < all; i++) {
        r->order[count[(int32_t)r->label[i]]++] = i;
    }
    for (int32_t from = 0, to; from < all; from = to) {
        int32_t tall = 0, wide = 0;
        for (to = from; to < all && r->label[r->order[to]] == r->label[r->order[from]]; to++) {
            r->place[r->order[to]] = r->order[to] < r->m ? tall++ : wide++;
        }
        r->tallest = tall > r->tallest && tall <= MOST && wide <= MOST ? tall : r->tallest;
        r->widest  = wide > r->widest && tall <= MOST && wide <= MOST ? wide : r->widest;
    }
}

/* Does x = 0 serve all rows of a part? Then it cannot prove anything. */
static bool holds_at_zero(const rows *r, const int32_t *part, int32_t count)
{
    for (int32_t k = 0; k < count && part[k] < r->m; k++) {
        int32_t i = part[k];
        if ((r->demands[i] == ZERO && r->q[i] != 0) ||
            (r->demands[i] == NOT_NEGATIVE && r->q[i] < 0)) {
            return false;
        }
    }
    return true;
}

static void take_entries(const rows *r, proof *f, const int32_t *part)
{
    int32_t first = r->transposed ? 0 : f->m, count = r->transposed ? f->m : f->n;
    memset(f->dense, 0, (size_t)f->m * (size_t)f->n * sizeof *f->dense);
    for (int32_t c = first; c < first + count; c++) {
        cursor e = {0};
        while (next_asked(r, r->transposed ? part[c] : part[c] - r->m, &e)) {
            int32_t row = r->place[e.row], column = r->place[r->m + e.column];
            f->dense[(size_t)column * (size_t)f->m + (size_t)row] = e.value;
        }
    }
}

/* The dense copy of a part: its rows come first in the list. */
static void take_part(const rows *r, proof *f, const int32_t *part, int32_t count)
{
    f->m        = 0;
    f->any_free = false;
    while (f->m < count && part[f->m] < r->m) {
        f->q[f->m]     = r->q[part[f->m]];
        f->fixed[f->m] = r->demands[part[f->m]] == ZERO;
        f->m++;
    }
    f->n = count - f->m;
    for (int32_t j = 0; j < f->n; j++) {
        f->free[j] = r->free[part[f->m + j] - r->m];
        f->any_free |= f->free[j];
    }
    take_entries(r, f, part);
    ss_matrix dense = {.rows = f->m, .cols = f->n, .dense = f->dense, .ld = f->m};
    ss_matrix_equilibrate(&dense, f->R, f->C, f->work);
}

/* Looks at one part after the other; z becomes y where one of them has no feasible point. */
static bool prove(ss_solver *s, const rows *r, proof *f, double *z)
{
    int32_t all = r->m + r->n;
    for (int32_t from = 0, to; from < all; from = to) {
        int32_t tall = 0;
        for (to = from; to < all && r->label[r->order[to]] == r->label[r->order[from]]; to++) {
            tall += r->order[to] < r->m;
        }
        const int32_t *part = r->order + from;
        if (tall == 0 || tall > MOST || to - from - tall > MOST ||
            holds_at_zero(r, part, to - from)) {
            continue;
        }
        take_part(r, f, part, to - from);
        bool found = find_proof(f);
        ss_solver_worked(s, (double)f->m * f->m * f->columns); /* least squares, column by column */
        if (found) {
            memset(z, 0, (size_t)r->m * sizeof *z);
            for (int32_t i = 0; i < f->m; i++) {
                z[part[i]] = f->y[i];
            }
            return true;
        }
        if (ss_solver_out_of_time(s)) {
            return false;
        }
    }
    return false;
}

/* ---- what is asked of rows and columns, by type of problem ---------------------------------- */

static rows rows_of(const ss_problem *p)
{
    int32_t n = ss_problem_size(p);
    if (p->type != SS_CONE) {
        bool mixed = p->type == SS_MLCP;
        return (rows){.A = mixed ? &p->as.mlcp.M : &p->as.lcp.M,
                      .q = mixed ? p->as.mlcp.q : p->as.lcp.q,
                      .m = n,
                      .n = n};
    }
    const ss_cone *c = &p->as.cone;
    return c->nv > 0 ? (rows){.A = &c->H, .q = c->q, .transposed = true, .m = n, .n = c->nv}
                     : (rows){.A = &c->W, .q = c->q, .m = n, .n = n};
}

static void ask_of_blocks(rows *r, const ss_cone *c)
{
    memset(r->demands, NOTHING, (size_t)r->m);
    memset(r->free, 1, (size_t)r->n);
    for (int32_t b = 0; b < c->nblocks; b++) {
        const ss_block *k = &c->blocks[b];
        if (k->kind == SS_BLOCK_EQUALITY) {
            memset(r->demands + k->start, ZERO, (size_t)k->dim);
        } else if (k->kind != SS_BLOCK_DISK) {
            r->demands[k->start] = NOT_NEGATIVE;
            r->free[k->start]    = c->nv > 0;
        }
    }
}

static void ask(rows *r, const ss_problem *p)
{
    if (p->type == SS_CONE) {
        ask_of_blocks(r, &p->as.cone);
        return;
    }
    const unsigned char *free = p->type == SS_MLCP ? p->as.mlcp.free : NULL;
    for (int32_t i = 0; i < r->n; i++) {
        r->free[i]    = free != NULL && free[i];
        r->demands[i] = r->free[i] ? ZERO : NOT_NEGATIVE;
    }
}

static bool rows_make(rows *r, ss_arena *a)
{
    size_t m = (size_t)r->m, n = (size_t)r->n;
    r->demands = ss_arena_alloc(a, m, sizeof *r->demands);
    r->free    = ss_arena_alloc(a, n, sizeof *r->free);
    r->label   = ss_arena_alloc(a, m + n, sizeof *r->label);
    r->asked   = ss_arena_alloc(a, m, sizeof *r->asked);
    r->order   = ss_arena_alloc(a, m + n, sizeof *r->order);
    r->place   = ss_arena_alloc(a, m + n, sizeof *r->place);
    return r->demands && r->free && r->asked && r->label && r->order && r->place;
}

static bool proof_make(proof *f, ss_arena *a, size_t m, size_t n)
{
    size_t columns = m + 2 * n;
    f->dense       = ss_arena_alloc(a, m * n, sizeof *f->dense);
    f->q           = ss_arena_alloc(a, m, sizeof *f->q);
    f->fixed       = ss_arena_alloc(a, m, sizeof *f->fixed);
    f->free        = ss_arena_alloc(a, n, sizeof *f->free);
    f->R           = ss_arena_alloc(a, m, sizeof *f->R);
    f->C           = ss_arena_alloc(a, n, sizeof *f->C);
    f->A           = ss_arena_alloc(a, m * columns, sizeof *f->A);
    f->b           = ss_arena_alloc(a, m, sizeof *f->b);
    f->x           = ss_arena_alloc(a, columns, sizeof *f->x);
    f->left        = ss_arena_alloc(a, m, sizeof *f->left);
    f->y           = ss_arena_alloc(a, m, sizeof *f->y);
    f->sum         = ss_arena_alloc(a, 2 * m + 2, sizeof *f->sum);
    f->work =
        ss_arena_alloc(a, ss_nnls_work((int32_t)m, (int32_t)columns) + m + n, sizeof *f->work);
    f->iwork = ss_arena_alloc(a, 2 * columns, sizeof *f->iwork);
    f->T     = ss_arena_alloc(a, (n + 1) * (m + n + 1), sizeof *f->T);
    f->point = ss_arena_alloc(a, m + n, sizeof *f->point);
    f->sign  = ss_arena_alloc(a, m + n, sizeof *f->sign);
    f->basis = ss_arena_alloc(a, n + 1, sizeof *f->basis);
    return f->T && f->point && f->sign && f->basis && f->dense && f->q && f->fixed && f->free &&
           f->R && f->C && f->A && f->b && f->x && f->left && f->y && f->sum && f->work && f->iwork;
}

/* Everything in place, and the parts known; false: it needs a larger arena. */
static bool set_up(rows *r, proof *f, const ss_problem *p, const double *marked, ss_arena *a)
{
    if (!rows_make(r, a)) {
        return false;
    }
    ask(r, p);
    for (int32_t i = 0; marked != NULL && i < r->m; i++) {
        r->demands[i] = marked[i] != 0 ? r->demands[i] : NOTHING;
    }
    find_parts(r);
    size_t   mark  = ss_arena_mark(a);
    int32_t *count = ss_arena_alloc(a, (size_t)r->m + (size_t)r->n, sizeof *count);
    if (count == NULL) {
        return false;
    }
    sort_parts(r, count);
    ss_arena_release(a, mark);
    return proof_make(f, a, (size_t)r->tallest, (size_t)r->widest);
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    state *st  = ss_solver_state(s);
    rows   r   = rows_of(p);
    proof  f   = {.s = s};
    x->outcome = SS_NOT_APPLICABLE;
    if (r.m == 0) {
        return SS_OK;
    }
    ss_arena_reset(&st->arena);
    while (!set_up(&r, &f, p, x->warm ? x->z : NULL, &st->arena)) {
        SS_TRY(ss_arena_grow(ss_solver_context(s), &st->arena));
        ss_arena_reset(&st->arena);
    }
    x->outcome = prove(s, &r, &f, x->z) ? SS_INFEASIBLE : SS_NOT_APPLICABLE;
    return SS_OK;
}

static void release(ss_solver *s)
{
    ss_arena_free(ss_solver_context(s), &((state *)ss_solver_state(s))->arena);
}

const ss_solver_class ss_solver_farkas = {
    .name       = "farkas",
    .summary    = "the proof that there is no feasible point, checked without rounding",
    .accepts    = SS_LCP | SS_MLCP | SS_CONE,
    .traits     = SS_TRAIT_EXACT | SS_TRAIT_PROVES | SS_TRAIT_SPECIAL,
    .state_size = sizeof(state),
    .solve      = solve,
    .release    = release,
};
