/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All solutions of a small  w = M z + q,  0 <= z _|_ w >= 0,  or the proof that there is none.
 *
 * A tree of linear programs. Its root is {z >= 0, w >= 0}; each level adds z_i = 0 or w_i = 0 for
 * one pair. A node whose program is infeasible is cut off: a row of its dictionary, x_r = b_r + sum
 * T_rj x_j with b_r < 0 and T_rj <= 0 for every variable that may be positive, is the proof. A leaf
 * is one polyhedron of the solution set; linear programs again give a point of its relative
 * interior and its dimension. If every branch is cut off, the problem has no solution.
 *
 * A mixed problem is searched as the LCP in which a free z_i is the difference of two unknowns and
 * its row w_i = 0 stands for w_i >= 0 and -w_i >= 0: the same solutions, the same proof.
 *
 * Feasibility is regained by the dual simplex method with a zero objective, least-index after a
 * while so that it cannot cycle. Where a decision hangs on numbers that might be rounding, the
 * search goes on but claims no proof.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/twofold.h"
#include "linalg/matrix.h"
#include "solver/dictionary.h"
#include "solver/tolerances.h"
#include "stickslip/lcp.h"

typedef struct settings {
    bool    all;
    int32_t max_n;
} settings;

/* What the last solve found. */
typedef struct state {
    int32_t        n, count, capacity;
    bool           complete;
    size_t         bytes;
    ss_lcp_piece  *pieces;  /* (capacity)                    */
    double        *z;       /* (capacity x n)                */
    unsigned char *support; /* (capacity x n)                */
} state;

/* One level of the tree: a dictionary and the variables that are held at zero. */
typedef struct level {
    ss_dictionary  t;
    unsigned char *held;     /* (2n+1) */
    int32_t        pair;     /* the pair that is decided below */
    int32_t        branches; /* how many of the two have been taken */
} level;

typedef struct search {
    ss_solver    *s;
    const ss_lcp *p;
    int32_t       n;
    bool          all, doubtful, stopped, solved;
    int64_t       nodes;
    level        *levels; /* (n + 2); the last is scratch for measuring a leaf */
    double       *x;      /* (2n+1) a point, in scaled units */
    double       *z;      /* (n) the first solution           */
} search;

enum { MOST = 60 };     /* unknowns that the option max_n may allow                  */
enum { PATIENCE = 50 }; /* pivots per row before the least-index rule takes over    */

static double value_of(const ss_dictionary *t, int32_t variable)
{
    return t->place[variable] >= 0 ? t->b[t->place[variable]] : 0;
}

/* Entry (row, i) of the inverse of the basis: the multiplier of row i of w - M z = q. */
static double multiplier(const ss_dictionary *t, int32_t row, int32_t i)
{
    int32_t at = t->place[t->n + i];
    if (at >= 0) {
        return at == row ? 1 : 0;
    }
    return -ss_dictionary_column(t, -1 - at)[row];
}

/* |multiplier| times |M| over the rows of column `variable`, and the share of row `part` in it. */
static double terms_of(const search *f, const ss_dictionary *t, int32_t row, int32_t variable,
                       int32_t part, double *share)
{
    double sum = 0;
    memset(f->x, 0, (size_t)t->n * sizeof *f->x);
    ss_matrix_add_column(&f->p->M, variable, t->col_scale[variable], f->x);
    for (int32_t i = 0; i < t->n; i++) {
        double term = fabs(multiplier(t, row, i) * f->x[i] * t->row_scale[i]);
        *share      = i == part ? term : *share;
        sum += term;
    }
    return sum;
}

/*
 * What row `row` of the inverse misses in column k of the basis B, [row == k] - y.B_k, to twice the
 * digits, and the size of its terms. B_k is a column of the identity (w, exact) or of -M (z).
 */
static double missed(const search *f, const ss_dictionary *t, int32_t row, int32_t k, double *size)
{
    int32_t variable = t->basic[k];
    double  high = row == k ? 1 : 0, low = 0;
    *size = 0;
    if (variable >= t->n) {
        return 0;
    }
    memset(f->x, 0, (size_t)t->n * sizeof *f->x);
    ss_matrix_add_column(&f->p->M, variable, t->col_scale[variable], f->x);
    for (int32_t i = 0; i < t->n; i++) {
        ss_twofold term = ss_two_product(multiplier(t, row, i), f->x[i] * t->row_scale[i]);
        ss_twofold sum  = ss_two_sum(high, term.hi);
        high            = sum.hi;
        low += sum.lo + term.lo;
        *size += fabs(term.hi);
    }
    return high + low;
}

static double largest_multiplier(const ss_dictionary *t, int32_t row)
{
    double most = 0;
    for (int32_t i = 0; i < t->n; i++) {
        most = fmax(most, fabs(multiplier(t, row, i)));
    }
    return most;
}

/* Multiplier (row, i) after one step of refinement, y + (e - y B) B^-1; what changes of M in its
   last digits, and rounding of B^-1, would make of it. */
static double refined(const search *f, const ss_dictionary *t, int32_t row, int32_t i,
                      double *change)
{
    double sum = multiplier(t, row, i);
    *change    = 0;
    for (int32_t k = 0; k < t->n; k++) {
        double other = multiplier(t, k, i), size;
        if (other != 0) {
            double miss = missed(f, t, row, k, &size);
            sum += miss * other;
            *change += DBL_EPSILON * (size * fabs(other) + fabs(miss) * largest_multiplier(t, k));
        }
    }
    return sum;
}

/*
 * Is entry (row, col) a zero of the problem's structure? Refinement leaves nothing of it (what is
 * small and real is left as it is), and no change of M in its last digits would make it what it is.
 */
static bool vanishes_refined(const search *f, const ss_dictionary *t, int32_t row, int32_t col)
{
    int32_t n = t->n, variable = t->nonbasic[col];
    double  entry = fabs(ss_dictionary_column(t, col)[row]), sum = 0, change = 0;
    if (variable >= 2 * n) {
        return false;
    }
    if (variable >= n) {
        sum = refined(f, t, row, variable - n, &change);
    }
    for (int32_t i = 0; i < n && variable < n; i++) {
        double part, y = refined(f, t, row, i, &part);
        memset(f->x, 0, (size_t)n * sizeof *f->x);
        ss_matrix_add_column(&f->p->M, variable, t->col_scale[variable], f->x);
        double m = f->x[i] * t->row_scale[i];
        sum += y * m;
        change += (part + DBL_EPSILON * fabs(y)) * fabs(m);
    }
    return fabs(sum) <= 64 * DBL_EPSILON * entry + change && change <= SS_ENUMERATE_REFINED * entry;
}

/*
 * Could entry (row, col) be a zero that rounding has spoilt? Small by itself says nothing where
 * units differ much. The entry of a z is a sum of multipliers times entries of M: rounding is what
 * is small against the terms. The entry of a w is a multiplier itself: rounding is what hardly
 * changes any of these sums. Where sums consist of such entries alone, refinement tells.
 */
static bool seems_rounding(const search *f, const ss_dictionary *t, int32_t row, int32_t col)
{
    int32_t n = t->n, variable = t->nonbasic[col];
    double  share = 0, entry = fabs(ss_dictionary_column(t, col)[row]);
    if (variable < n) {
        return entry <= 64 * DBL_EPSILON * terms_of(f, t, row, variable, 0, &share);
    }
    double sum = 0, own = 0;
    for (int32_t i = 0; i < n; i++) {
        double term = fabs(multiplier(t, row, i) * f->p->q[i] * t->row_scale[i]);
        own         = i == variable - n ? term : own;
        sum += term;
    }
    bool small = own <= 64 * DBL_EPSILON * sum;
    for (int32_t j = 0; j < n && small; j++) {
        sum   = terms_of(f, t, row, j, variable - n, &share);
        small = share <= 64 * DBL_EPSILON * sum;
    }
    return small;
}

static bool is_rounding(const search *f, const ss_dictionary *t, int32_t row, int32_t col)
{
    return seems_rounding(f, t, row, col) || vanishes_refined(f, t, row, col);
}

/* The constant of a row is certainly negative: not just what is left of terms that cancel. */
static bool surely_negative(const search *f, const ss_dictionary *t, int32_t row)
{
    double sum = 0;
    for (int32_t i = 0; i < t->n; i++) {
        sum += fabs(multiplier(t, row, i) * f->p->q[i] * t->row_scale[i]);
    }
    return t->b[row] < -SS_ENUMERATE_SURE * sum;
}

/* A column whose variable may become positive. */
static bool may_move(const level *l, int32_t col)
{
    return !l->held[l->t.nonbasic[col]];
}

static void pivot(search *f, ss_dictionary *t, int32_t row, int32_t col)
{
    ss_dictionary_pivot(t, row, col);
    ss_solver_worked(f->s, ss_dictionary_products(t));
}

/*
 * Hold a variable at zero. A basic one is exchanged against the largest entry of its row; where
 * there is none the row is constant, and the node dies unless the constant is zero.
 */
static bool hold(search *f, level *l, int32_t variable)
{
    ss_dictionary *t   = &l->t;
    int32_t        row = t->place[variable], best = -1;
    double         most = SS_ENUMERATE_ZERO;
    l->held[variable]   = 1;
    if (row < 0) {
        return true;
    }
    for (int32_t j = 0; j <= t->n; j++) {
        double size = fabs(ss_dictionary_column(t, j)[row]);
        if (may_move(l, j) && size > most) {
            most = size;
            best = j;
        }
    }
    if (best >= 0) {
        pivot(f, t, row, best);
        return true;
    }
    for (int32_t j = 0; j <= t->n; j++) {
        double size = fabs(ss_dictionary_column(t, j)[row]);
        f->doubtful |= may_move(l, j) && size > 0 && !is_rounding(f, t, row, j);
    }
    double share = fabs(t->b[row]) / (t->size[row] + fabs(t->b[row]) + DBL_MIN);
    f->doubtful |= share > SS_ENUMERATE_ZERO && share < SS_ENUMERATE_SURE;
    return share <= SS_ENUMERATE_ZERO;
}

/* The most negative row, or the one with the least variable; -1 when there is none. */
static int32_t leaving_row(const level *l, bool least_index)
{
    const ss_dictionary *t    = &l->t;
    int32_t              best = -1;
    for (int32_t i = 0; i < t->n; i++) {
        if (l->held[t->basic[i]] || t->b[i] >= -SS_ENUMERATE_ZERO * t->size[i]) {
            continue;
        }
        if (best < 0 || (least_index ? t->basic[i] < t->basic[best] : t->b[i] < t->b[best])) {
            best = i;
        }
    }
    return best;
}

/* A positive entry that is small and yet not rounding; -1: none, which is the proof. */
static int32_t small_entry(search *f, const level *l, int32_t row)
{
    const ss_dictionary *t    = &l->t;
    int32_t              best = -1;
    double               most = 0;
    for (int32_t j = 0; j <= t->n; j++) {
        double entry = ss_dictionary_column(t, j)[row];
        if (may_move(l, j) && entry > most && !is_rounding(f, t, row, j)) {
            most = entry;
            best = j;
        }
    }
    f->doubtful |= best < 0 && !surely_negative(f, t, row);
    return best;
}

/* The column that raises the row: the largest entry or the least variable; -1: none, a proof. */
static int32_t entering_col(search *f, const level *l, int32_t row, bool least_index)
{
    const ss_dictionary *t       = &l->t;
    int32_t              best    = -1;
    double               at_best = 0;
    for (int32_t j = 0; j <= t->n; j++) {
        double entry = ss_dictionary_column(t, j)[row];
        if (!may_move(l, j)) {
            continue;
        }
        if (entry > SS_ENUMERATE_ZERO &&
            (best < 0 || (least_index ? t->nonbasic[j] < t->nonbasic[best] : entry > at_best))) {
            best    = j;
            at_best = entry;
        }
    }
    return best >= 0 ? best : small_entry(f, l, row);
}

/* Dual simplex with a zero objective: true when the node is feasible. */
static bool make_feasible(search *f, level *l)
{
    int32_t patience = PATIENCE * (l->t.n + 1);
    for (int32_t k = 0; k < 20 * patience; k++) {
        int32_t row = leaving_row(l, k > patience);
        if (row < 0) {
            return true;
        }
        int32_t col = entering_col(f, l, row, k > patience);
        if (col < 0) {
            return false;
        }
        pivot(f, &l->t, row, col);
    }
    f->doubtful = true;
    return false;
}

/* The pair that violates complementarity most at the vertex, or -1. */
static int32_t violated_pair(const level *l)
{
    const ss_dictionary *t    = &l->t;
    int32_t              best = -1;
    double               most = 0;
    for (int32_t i = 0; i < t->n; i++) {
        int32_t rz = t->place[i], rw = t->place[t->n + i];
        if (rz < 0 || rw < 0 || l->held[i] || l->held[t->n + i]) {
            continue;
        }
        bool positive = t->b[rz] > SS_ENUMERATE_ZERO * t->size[rz] &&
                        t->b[rw] > SS_ENUMERATE_ZERO * t->size[rw];
        double least = fmin(t->b[rz], t->b[rw]);
        if (positive && least > most) {
            most = least;
            best = i;
        }
    }
    return best;
}

static int32_t undecided_pair(const level *l)
{
    for (int32_t i = 0; i < l->t.n; i++) {
        if (!l->held[i] && !l->held[l->t.n + i]) {
            return i;
        }
    }
    return -1;
}

static void add_point(const level *l, double *x)
{
    for (int32_t i = 0; i < l->t.n; i++) {
        x[l->t.basic[i]] += fmax(0, l->t.b[i]);
    }
}

/* Ratio test of the primal simplex method, least index among ties; -1 when unbounded. */
static int32_t blocking_row(const level *l, int32_t col)
{
    const ss_dictionary *t     = &l->t;
    const double        *at    = ss_dictionary_column(t, col);
    int32_t              best  = -1;
    double               theta = INFINITY;
    for (int32_t i = 0; i < t->n; i++) {
        if (l->held[t->basic[i]] || at[i] > -SS_ENUMERATE_ZERO) {
            continue;
        }
        double ratio = fmax(0, t->b[i]) / -at[i];
        if (ratio < theta || (ratio == theta && t->basic[i] < t->basic[best])) {
            theta = ratio;
            best  = i;
        }
    }
    return best;
}

/* The least variable that raises a basic variable, or -1 at its maximum. */
static int32_t raising_col(const level *l, int32_t row)
{
    const ss_dictionary *t    = &l->t;
    int32_t              best = -1;
    for (int32_t j = 0; j <= t->n; j++) {
        if (may_move(l, j) && ss_dictionary_column(t, j)[row] > SS_ENUMERATE_ZERO &&
            (best < 0 || t->nonbasic[j] < t->nonbasic[best])) {
            best = j;
        }
    }
    return best;
}

/*
 * Move to where a variable is largest (primal simplex, least index), adding the point, or the ray
 * along which it grows forever, to x. False when it is a ray.
 */
static bool maximise(search *f, level *l, int32_t variable)
{
    ss_dictionary *t = &l->t;
    for (int32_t k = 0; k < 20 * PATIENCE * (t->n + 1); k++) {
        int32_t row = t->place[variable];
        int32_t col = row < 0 ? -1 - row : raising_col(l, row);
        if (col < 0) {
            add_point(l, f->x);
            return true;
        }
        int32_t out = blocking_row(l, col);
        if (out < 0) {
            const double *at = ss_dictionary_column(t, col);
            for (int32_t i = 0; i < t->n; i++) {
                f->x[t->basic[i]] += at[i] > SS_ENUMERATE_ZERO ? at[i] : 0;
            }
            f->x[t->nonbasic[col]] += 1;
            add_point(l, f->x);
            return false;
        }
        pivot(f, t, out, col);
    }
    f->doubtful = true;
    return true;
}

/*
 * The piece of a leaf: every variable that can be positive is made so; those that cannot are held.
 * What may move is then the dimension. Leaves a point of the relative interior in x.
 */
static void measure_leaf(search *f, const level *leaf, ss_lcp_piece *piece)
{
    int32_t n = f->n, points = 1;
    level  *l = &f->levels[n + 1];
    ss_dictionary_copy(&l->t, &leaf->t);
    memcpy(l->held, leaf->held, 2 * (size_t)n + 1);
    memset(f->x, 0, (2 * (size_t)n + 1) * sizeof *f->x);
    add_point(l, f->x);
    piece->bounded   = true;
    piece->dimension = 0;
    for (int32_t j = 0; j <= n; j++) {
        piece->dimension += may_move(l, j);
    }
    for (int32_t v = 0; v < 2 * n && piece->dimension > 0; v++) {
        if (l->held[v]) {
            continue;
        }
        piece->bounded &= maximise(f, l, v);
        points++;
        if (f->x[v] <= SS_ENUMERATE_ZERO * (1 + l->t.magnitude)) {
            hold(f, l, v);
        }
    }
    piece->dimension = 0;
    for (int32_t j = 0; j <= n; j++) {
        piece->dimension += may_move(l, j);
    }
    for (int32_t v = 0; v < 2 * n; v++) {
        f->x[v] /= points;
    }
}

/* Is the point x of scaled units in the piece? */
static bool contains(const search *f, const ss_dictionary *t, const ss_lcp_piece *piece,
                     const double *x)
{
    bool inside = true;
    for (int32_t i = 0; i < f->n; i++) {
        double off = piece->support[i] ? x[f->n + i] : x[i];
        inside     = inside && off <= SS_ENUMERATE_INSIDE * (t->magnitude + fabs(off));
    }
    return inside;
}

/* z and w of a stored piece, in scaled units. */
static void scaled_point(const search *f, const ss_dictionary *t, const double *z, double *x)
{
    for (int32_t i = 0; i < f->n; i++) {
        x[i]        = z[i] / t->col_scale[i];
        x[f->n + i] = f->p->q[i];
    }
    ss_matrix_mul_add(&f->p->M, z, x + f->n);
    for (int32_t i = 0; i < f->n; i++) {
        x[f->n + i] *= t->row_scale[i];
    }
}

/* Bytes of one piece of n unknowns. */
static size_t piece_bytes(int32_t n)
{
    return sizeof(ss_lcp_piece) + (size_t)n * (sizeof(double) + 1);
}

/* As many pieces of n unknowns as a block has room for: pieces, then points, then supports. */
static void lay_out(state *st, void *block, size_t bytes, int32_t n)
{
    size_t count = bytes / piece_bytes(n);
    st->n        = n;
    st->bytes    = bytes;
    st->capacity = (int32_t)count;
    st->pieces   = block;
    st->z        = block != NULL ? (double *)(st->pieces + count) : NULL;
    st->support  = block != NULL ? (unsigned char *)(st->z + count * (size_t)n) : NULL;
}

static ss_status grow(ss_solver *s, state *st)
{
    ss_context *ctx      = ss_solver_context(s);
    int32_t     capacity = st->capacity > 0 ? 2 * st->capacity : 16;
    size_t      bytes = (size_t)capacity * piece_bytes(st->n), n = (size_t)st->n;
    state       old   = *st;
    void       *block = ss_alloc(ctx, bytes, 1);
    if (block == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "enumerate: no memory for %d solutions", (int)capacity);
    }
    lay_out(st, block, bytes, st->n);
    for (int32_t i = 0; i < old.count; i++) {
        st->pieces[i]         = old.pieces[i];
        st->pieces[i].z       = st->z + (size_t)i * n;
        st->pieces[i].support = st->support + (size_t)i * n;
        memcpy(st->z + (size_t)i * n, old.pieces[i].z, n * sizeof *st->z);
        memcpy(st->support + (size_t)i * n, old.pieces[i].support, n);
    }
    ss_free(ctx, old.pieces, old.bytes);
    return SS_OK;
}

/* The next free piece, with its z and support in place. */
static ss_status next_piece(ss_solver *s, state *st, ss_lcp_piece **piece)
{
    if (st->count == st->capacity) {
        SS_TRY(grow(s, st));
    }
    size_t at         = (size_t)st->count * (size_t)st->n;
    *piece            = &st->pieces[st->count];
    (*piece)->z       = st->z + at;
    (*piece)->support = st->support + at;
    return SS_OK;
}

/* Remove the stored pieces that lie inside the new one; they come before it. */
static void drop_covered(search *f, state *st, const ss_dictionary *t, ss_lcp_piece *fresh)
{
    int32_t kept = 0;
    size_t  n    = (size_t)f->n;
    for (int32_t i = 0; i < st->count; i++) {
        scaled_point(f, t, st->pieces[i].z, f->x);
        if (contains(f, t, fresh, f->x)) {
            continue;
        }
        memmove(st->z + (size_t)kept * n, st->pieces[i].z, n * sizeof *st->z);
        memmove(st->support + (size_t)kept * n, st->pieces[i].support, n);
        st->pieces[kept].dimension = st->pieces[i].dimension;
        st->pieces[kept].bounded   = st->pieces[i].bounded;
        kept++;
    }
    if (kept < st->count) {
        memmove(st->z + (size_t)kept * n, fresh->z, n * sizeof *st->z);
        memmove(st->support + (size_t)kept * n, fresh->support, n);
        st->pieces[kept] = (ss_lcp_piece){.z         = st->z + (size_t)kept * n,
                                          .support   = st->support + (size_t)kept * n,
                                          .dimension = fresh->dimension,
                                          .bounded   = fresh->bounded};
        for (int32_t i = 0; i < kept; i++) {
            st->pieces[i].z       = st->z + (size_t)i * n;
            st->pieces[i].support = st->support + (size_t)i * n;
        }
    }
    st->count = kept + 1;
}

/* z of a dictionary: refined where its basis is complementary, as it stands otherwise. */
static void read_solution(const search *f, const level *l, const double *x, double *z)
{
    const ss_dictionary *t             = &l->t;
    bool                 complementary = true;
    for (int32_t i = 0; i < f->n; i++) {
        z[i]          = x[i] * t->col_scale[i];
        complementary = complementary && (t->place[i] >= 0) != (t->place[f->n + i] >= 0);
    }
    if (complementary) {
        ss_dictionary_solution(t, f->p, z);
    }
}

/* Keep the piece of a leaf, unless it lies inside one that is known already. */
static ss_status keep_leaf(search *f, const level *leaf)
{
    state        *st = ss_solver_state(f->s);
    ss_lcp_piece *piece;
    SS_TRY(next_piece(f->s, st, &piece));
    measure_leaf(f, leaf, piece);
    for (int32_t i = 0; i < st->count; i++) {
        if (contains(f, &leaf->t, &st->pieces[i], f->x)) {
            return SS_OK;
        }
    }
    size_t at = (size_t)st->count * (size_t)f->n;
    for (int32_t i = 0; i < f->n; i++) {
        st->support[at + (size_t)i] = leaf->held[f->n + i];
    }
    if (piece->dimension == 0) {
        read_solution(f, leaf, f->x, st->z + at);
    } else {
        for (int32_t i = 0; i < f->n; i++) {
            st->z[at + (size_t)i] = f->x[i] * leaf->t.col_scale[i];
        }
    }
    drop_covered(f, st, &leaf->t, piece);
    return SS_OK;
}

/* A solution at the vertex of this node. */
static void take_vertex(search *f, const level *l)
{
    for (int32_t i = 0; i < f->n; i++) {
        f->x[i] = fmax(0, value_of(&l->t, i));
    }
    read_solution(f, l, f->x, f->z);
    f->solved = true;
}

/* Feasible: is it a solution, and which pair comes next? pair = -1 ends the branch. */
static ss_status visit(search *f, level *l)
{
    l->branches = 0;
    l->pair     = violated_pair(l);
    if (l->pair >= 0) {
        return SS_OK;
    }
    if (!f->solved) {
        take_vertex(f, l);
    }
    l->pair = f->all ? undecided_pair(l) : -1;
    return f->all && l->pair < 0 ? keep_leaf(f, l) : SS_OK;
}

/* Open the next branch of level d in level d + 1; true when it is feasible. */
static bool descend(search *f, int32_t d)
{
    level  *from = &f->levels[d], *to = &f->levels[d + 1];
    int32_t held = from->branches == 0 ? from->pair : from->pair + f->n;
    from->branches++;
    ss_dictionary_copy(&to->t, &from->t);
    memcpy(to->held, from->held, 2 * (size_t)f->n + 1);
    f->nodes++;
    return hold(f, to, held) && make_feasible(f, to);
}

/* Depth first through the tree. */
static ss_status run(search *f)
{
    int32_t d = 0;
    if (!make_feasible(f, &f->levels[0])) {
        return SS_OK;
    }
    SS_TRY(visit(f, &f->levels[0]));
    while (d >= 0) {
        level *l = &f->levels[d];
        if ((f->solved && !f->all) || l->pair < 0 || l->branches == 2) {
            d--;
            continue;
        }
        int32_t most = ss_solver_common(f->s)->max_iter;
        if ((most > 0 && f->nodes >= most) ||
            ((f->nodes & 63) == 63 && ss_solver_out_of_time(f->s))) {
            f->stopped = true;
            return SS_OK;
        }
        if (descend(f, d)) {
            d++;
            SS_TRY(visit(f, &f->levels[d]));
        }
    }
    return SS_OK;
}

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* All levels from one block of memory. */
static ss_status search_make(search *f)
{
    size_t n = (size_t)f->n, held = aligned(2 * n + 1), levels = aligned((n + 2) * sizeof(level));
    size_t each           = aligned(ss_dictionary_bytes(f->n)) + held;
    size_t point          = aligned((2 * n + 1) * sizeof(double));
    unsigned char *memory = ss_solver_memory(f->s, levels + point + (n + 2) * each);
    if (memory == NULL) {
        return ss_fail(ss_solver_context(f->s), SS_ERR_MEMORY,
                       "enumerate: no memory for %d unknowns", (int)f->n);
    }
    f->levels = (level *)memory;
    f->x      = (double *)(memory + levels);
    for (size_t k = 0; k < n + 2; k++) {
        unsigned char *at = memory + levels + point + k * each;
        f->levels[k]      = (level){.held = at, .t = ss_dictionary_make(f->n, at + held)};
    }
    level *root = &f->levels[0];
    memset(root->held, 0, 2 * n + 1);
    root->held[2 * n] = 1; /* there is no covering variable here */
    ss_dictionary_start(&root->t, f->p, 0, NULL);
    return SS_OK;
}

/* The outcome of a finished search. */
static ss_outcome conclude(const search *f)
{
    if (f->solved) {
        return SS_SOLVED;
    }
    if (f->stopped) {
        return SS_LIMIT;
    }
    return f->doubtful ? SS_NUMERICAL : SS_INFEASIBLE;
}

/* A mixed problem without free unknowns: indices n.. are the negative parts of the free ones. */
typedef struct split {
    double  M[MOST * MOST], q[MOST], z[MOST];
    int32_t of[MOST]; /* the unknown that each belongs to */
    ss_lcp  lcp;
} split;

/* False: more than `most` unknowns. */
static bool split_free(const ss_mlcp *p, int32_t most, split *out)
{
    int32_t n = 0;
    for (int part = 0; part < 2; part++) {
        for (int32_t i = 0; i < p->n; i++) {
            if (part == 0 || p->free[i]) {
                if (n == most || n == MOST) {
                    return false;
                }
                out->of[n++] = i;
            }
        }
    }
    double dense[MOST * MOST];
    ss_matrix_to_dense(&p->M, dense, p->n);
    for (int32_t j = 0; j < n; j++) {
        double sign = j < p->n ? 1 : -1;
        out->q[j]   = sign * p->q[out->of[j]];
        for (int32_t i = 0; i < n; i++) {
            double a          = dense[out->of[j] * p->n + out->of[i]];
            out->M[j * n + i] = (i < p->n ? 1 : -1) * sign * a;
        }
    }
    out->lcp = (ss_lcp){n, {.rows = n, .cols = n, .dense = out->M, .ld = n}, out->q};
    return true;
}

static ss_status solve_mixed(ss_solver *s, const ss_mlcp *p, ss_solution *x)
{
    const settings *set = ss_solver_settings(s);
    split           parts;
    memset(x->z, 0, (size_t)p->n * sizeof *x->z);
    if (p->n > MOST || !split_free(p, set->max_n, &parts)) {
        x->outcome = SS_NOT_APPLICABLE;
        return SS_OK;
    }
    search f = {.s = s, .p = &parts.lcp, .n = parts.lcp.n, .z = parts.z};
    memset(parts.z, 0, sizeof parts.z);
    SS_TRY(search_make(&f));
    SS_TRY(run(&f));
    for (int32_t i = 0; i < f.n; i++) {
        x->z[parts.of[i]] += i < p->n ? parts.z[i] : -parts.z[i];
    }
    x->outcome    = conclude(&f);
    x->iterations = f.nodes < INT32_MAX ? (int32_t)f.nodes : INT32_MAX;
    return SS_OK;
}

static ss_status solve(ss_solver *s, const ss_problem *problem, ss_solution *x)
{
    if (problem->type == SS_MLCP) {
        return solve_mixed(s, &problem->as.mlcp, x);
    }
    const settings *set = ss_solver_settings(s);
    state          *st  = ss_solver_state(s);
    search          f   = {.s = s, .p = &problem->as.lcp, .n = problem->as.lcp.n, .z = x->z};
    f.all               = set->all;
    if (f.n > set->max_n) {
        x->outcome = SS_NOT_APPLICABLE;
        return SS_OK;
    }
    if (st->n != f.n) {
        lay_out(st, st->pieces, st->bytes, f.n);
    }
    st->count    = 0;
    st->complete = false;
    memset(x->z, 0, (size_t)f.n * sizeof *x->z);
    SS_TRY(search_make(&f));
    SS_TRY(run(&f));
    st->complete  = !f.stopped && !f.doubtful && f.all;
    x->outcome    = conclude(&f);
    x->iterations = f.nodes < INT32_MAX ? (int32_t)f.nodes : INT32_MAX;
    return SS_OK;
}

static void release(ss_solver *s)
{
    state *st = ss_solver_state(s);
    ss_free(ss_solver_context(s), st->pieces, st->bytes);
}

static const ss_option options[] = {
    {"all", SS_OPTION_BOOL, offsetof(settings, all), 0, 0, 1, NULL,
     "find the whole solution set instead of one solution"},
    {"max_n", SS_OPTION_INT, offsetof(settings, max_n), 20, 0, MOST, NULL,
     "problems with more unknowns are refused: the work may double with each"},
    SS_OPTION_END};

const ss_solver_class ss_solver_enumerate = {
    .name    = "enumerate",
    .summary = "all solutions of a small LCP (one of an MLCP), or the proof that there is none",
    .accepts = SS_LCP | SS_MLCP,
    .traits  = SS_TRAIT_EXACT | SS_TRAIT_PROVES,
    .options = options,
    .settings_size = sizeof(settings),
    .state_size    = sizeof(state),
    .solve         = solve,
    .release       = release,
};

static const state *state_of(const ss_solver *s)
{
    return ss_solver_class_of(s) == &ss_solver_enumerate ? ss_solver_state(s) : NULL;
}

int32_t ss_enumerate_count(const ss_solver *s)
{
    return state_of(s) != NULL ? state_of(s)->count : 0;
}

const ss_lcp_piece *ss_enumerate_piece(const ss_solver *s, int32_t index)
{
    return index >= 0 && index < ss_enumerate_count(s) ? &state_of(s)->pieces[index] : NULL;
}

bool ss_enumerate_complete(const ss_solver *s)
{
    return state_of(s) != NULL && state_of(s)->complete;
}
