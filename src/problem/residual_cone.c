/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of a cone problem (docs/theory/residuals.md, section cone).
 *
 * With the friction rows scaled to a round cone (r / axes, u axes) every block obeys
 *     r = P(r - s u~)   for one, and then for every, s > 0,
 * where P projects on the set the block's reaction must lie in, and u~ = (u_n + mu |u_f|, u_f) for
 * cones, u~ = u for the other kinds. F_s = r - P(r - s u~) is the error, in units of reaction.
 *
 *     t_i   = |q_i| + sum_j |W_ij r_j|                     size of the terms added up in row i
 *     T_b   = max t_i,  w_b = max W_ii,  s_b = 1 / w_b     over the rows of block b
 *     V     = max(|q|, |u|),  s = |r| / V                  over the whole problem
 *     residual = max( max_b |F_b,s_b| / max(|r_b|, s_b T_b),  |F_s| / |r| )
 *
 * The first part judges each contact by what is at stake in it, however light it is beside the
 * others. The second part is the largest value, over all units of reaction, that the customary
 * measure |F_1| / max(|q|, |r|, |u|) can take (|F_s| grows with s and |F_s| / s falls), so no
 * choice of units makes that measure larger than this residual.
 *
 * Rounding of reactions reaches every row that is connected with them: a velocity of
 *     4 eps sqrt(W_ii) max_j t_j / sqrt(W_jj)     (j: all rows of the component; a velocity over
 * sqrt(W_ii) has the unit of the square root of an energy) is noise, and a block whose own terms
 * are smaller is not judged by them.
 *
 * A block is *strained* where max(|r_b|, s_b T_b) > 100 s_b sum(|q_i| + |u_i|): its reactions
 * outgrow the velocities they must explain, and r - P(r - s_b u~) may be rounding, as may u itself.
 * Such problems get a closer look in place of the second part (residual_strained.c).
 *
 * In the global form the rows of M v = H r + f are measured by the terms added up in them,
 *     e_k = |M v - H r - f|_k / (|M| |v| + |H| |r| + |f|)_k,
 * where the friction rows of a block count with the length of its friction force: its direction is
 * known to rounding of that length, so that one component may be rounding altogether. And where
 * M_kk is not zero the size of v_k counts as that sum over M_kk: what v_k was made of.
 *
 * The motion error c says the same in velocities (section motion error of that page):
 *     c = max_b max(w_b |F_b,s_b|, 4 eps T_b)
 *         / max(S, max_b |P(-u~ without reactions)| / 100, max_b T_b / 1e9 where r = 0),
 * S being p->speed and rows of turning multiplied by p->lever; what rounding hides counts as error.
 * Where momentum itself is not right to rounding, there is no such number.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/matrix.h"
#include "problem/residual.h"
#include "problem/tolerances.h"

/* The rows of a problem at (r, v), scaled to round cones. */
typedef struct rows {
    const double *r;
    double       *u;    /* (n) velocity                                              */
    double       *term; /* (n) size of the terms in u                                */
    double       *w;    /* (n) diagonal of W, or what M's diagonal gives for it      */
    double       *free; /* (n) velocity without reactions, the q of the local form   */
} rows;

/* |x|^2; two chains of additions run side by side. */
static inline double norm2(int32_t n, const double *x)
{
    double  even = 0, odd = 0;
    int32_t i = 0;
    for (; i + 1 < n; i += 2) {
        even += x[i] * x[i];
        odd += x[i + 1] * x[i + 1];
    }
    return i < n ? even + odd + x[i] * x[i] : even + odd;
}

size_t ss_residual_cone_work(const ss_cone *p)
{
    return 5 * (size_t)p->n + 4 * (size_t)p->nv + ss_residual_strained_work(p);
}

/* Plain comparisons: what is not finite has been sorted out before. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Few rows of a dense W, whose number the compiler is to know. */
static inline void few_rows(const ss_cone *p, const double *r, rows *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const double *w = p->W.dense + i;
        double        q = p->q[i], sum = 0, size = 0;
        x->w[i] = fabs(w[(ptrdiff_t)i * p->W.ld]);
        for (int32_t j = 0; j < n; j++, w += p->W.ld) {
            double term = *w * r[j];
            sum += term;
            size += fabs(term);
        }
        x->u[i]    = q + sum;
        x->term[i] = fabs(q) + size;
        x->free[i] = q;
    }
}

static void local_rows(const ss_cone *p, const double *r, rows *x)
{
    if (p->W.dense != NULL && p->n == 3) {
        few_rows(p, r, x, 3);
        return;
    }
    if (p->W.dense != NULL && p->n == 2) {
        few_rows(p, r, x, 2);
        return;
    }
    const double *restrict q = p->q;
    double *restrict u = x->u, *restrict term = x->term, *restrict free = x->free;
    for (int32_t i = 0; i < p->n; i++) {
        u[i] = free[i] = q[i];
        term[i]        = fabs(q[i]);
    }
    for (int32_t i = 0; i < p->n; i++) {
        x->w[i] = fabs(ss_matrix_diagonal(&p->W, i));
    }
    ss_matrix_mul_add_sized(&p->W, r, u, term);
}

/* For each row |r_i|, for friction rows the length of the block's friction force. */
static void reaction_sizes(const ss_cone *p, const double *r, double *length)
{
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b     = &p->blocks[k];
        int32_t         first = b->start + (b->kind == SS_BLOCK_CONE), end = b->start + b->dim;
        double          sum   = 0;
        bool            turns = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_DISK;
        for (int32_t i = b->start; i < end; i++) {
            length[i] = fabs(r[i]);
            sum += i >= first ? r[i] * r[i] : 0;
        }
        for (int32_t i = first; turns && i < end; i++) {
            length[i] = sqrt(sum);
        }
    }
}

/* One column of H, h: its entries, at: their rows, NULL: 0, 1, 2 .. Sums go on where they were. */
static inline void subtract_column(int32_t count, const double *restrict h,
                                   const int32_t *restrict at, double r, double length,
                                   double *restrict error, double *restrict size,
                                   double *restrict whole)
{
    for (int32_t e = 0; e < count; e++) {
        int32_t k = at != NULL ? at[e] : e;
        double  x = h[e] * r;
        error[k] -= x;
        size[k] += fabs(x);
        whole[k] += fabs(h[e]) * length;
    }
}

/* error -= H r, size += |H| |r| and whole += |H| length. */
static void subtract_reactions(const ss_matrix *H, const double *r, const double *length,
                               double *error, double *size, double *whole)
{
    for (int32_t i = 0; i < H->cols; i++) {
        if (H->dense != NULL) {
            subtract_column(H->rows, H->dense + (size_t)i * (size_t)H->ld, NULL, r[i], length[i],
                            error, size, whole);
        } else {
            int32_t first = H->colptr[i];
            subtract_column(H->colptr[i + 1] - first, H->values + first, H->rowind + first, r[i],
                            length[i], error, size, whole);
        }
    }
}

/*
 * max_k e_k; leaves in `size` what v_k was made of and in `mass` the diagonal of M. `length` (n)
 * and `whole` (nv) are scratch.
 */
static double momentum_error(const ss_cone *p, const double *r, const double *v, double *length,
                             double *error, double *size, double *mass, double *whole)
{
    for (int32_t k = 0; k < p->nv; k++) {
        error[k] = -p->f[k];
        size[k]  = fabs(p->f[k]);
        mass[k]  = fabs(ss_matrix_diagonal(&p->M, k));
        whole[k] = 0;
    }
    reaction_sizes(p, r, length);
    ss_matrix_mul_add_sized(&p->M, v, error, size);
    for (int32_t k = 0; k < p->nv; k++) {
        whole[k] = size[k];
    }
    subtract_reactions(&p->H, r, length, error, size, whole);
    double worst = 0, sum = 0;
    for (int32_t k = 0; k < p->nv; k++) {
        sum += whole[k];
        worst   = whole[k] > 0 ? fmax(worst, fabs(error[k]) / whole[k]) : worst;
        size[k] = mass[k] > 0 ? size[k] / mass[k] : fabs(v[k]);
    }
    return isfinite(sum) ? worst : INFINITY;
}

/* What the rows of a global form are made of: velocities, sizes of their terms, free velocities and
   one over the diagonal of M. All (nv). */
typedef struct bodies {
    const double *restrict v, *restrict size, *restrict free, *restrict per_mass;
} bodies;

/* Row i from its column of H, given as in subtract_column. */
static inline void row_of_column(int32_t count, const double *restrict column,
                                 const int32_t *restrict at, const bodies *of, double q, int32_t i,
                                 rows *x)
{
    double u = q, term = fabs(u), w = 0, without = u;
    for (int32_t e = 0; e < count; e++) {
        int32_t k = at != NULL ? at[e] : e;
        double  h = column[e];
        u += h * of->v[k];
        term += fabs(h) * of->size[k];
        w += h * h * of->per_mass[k];
        without += h * of->free[k];
    }
    x->u[i]    = u;
    x->term[i] = term;
    x->w[i]    = w;
    x->free[i] = without;
}

/* The column of H that belongs to row i, times the velocities and what they were made of. */
static void global_row(const ss_cone *p, int32_t i, const bodies *of, rows *x)
{
    const ss_matrix *H = &p->H;
    if (H->dense != NULL) {
        row_of_column(H->rows, H->dense + (size_t)i * (size_t)H->ld, NULL, of, p->q[i], i, x);
    } else {
        int32_t first = H->colptr[i];
        row_of_column(H->colptr[i + 1] - first, H->values + first, H->rowind + first, of, p->q[i],
                      i, x);
    }
}

static double global_rows(const ss_cone *p, const double *r, const double *v, rows *x, double *work)
{
    size_t  nv   = (size_t)p->nv;
    double *free = work, *size = work + nv, *mass = work + 2 * nv;
    double  error = momentum_error(p, r, v, x->term, work, size, mass, work + 3 * nv);
    for (int32_t k = 0; k < p->nv; k++) {
        mass[k] = mass[k] > 0 ? 1 / mass[k] : 0;
        free[k] = p->f[k] * mass[k];
    }
    const bodies of = {.v = v, .size = size, .free = free, .per_mass = mass};
    for (int32_t i = 0; i < p->n; i++) {
        global_row(p, i, &of, x);
    }
    return error;
}

/* Friction ellipsoids become balls: r / axes, u axes; W scales with both. */
static void round_block(const ss_cone *p, const ss_block *b, double *r, rows *x)
{
    if (b->kind != SS_BLOCK_CONE && b->kind != SS_BLOCK_DISK) {
        return;
    }
    for (int32_t i = b->start + (b->kind == SS_BLOCK_CONE); i < b->start + b->dim; i++) {
        double a = p->axes[i];
        r[i] /= a;
        x->u[i] *= a;
        x->term[i] *= a;
        x->w[i] *= a * a;
        x->free[i] *= a;
    }
}

static void round_axes(const ss_cone *p, double *r, rows *x)
{
    memcpy(r, x->r, (size_t)p->n * sizeof *r);
    for (int32_t k = 0; k < p->nblocks; k++) {
        round_block(p, &p->blocks[k], r, x);
    }
    x->r = r;
}

/* |x - s y|^2 for friction parts. */
static inline double distance2(int32_t m, const double *x, const double *y, double s)
{
    double sum = 0;
    for (int32_t i = 0; i < m; i++) {
        double d = x[i] - s * y[i];
        sum += d * d;
    }
    return sum;
}

/* |r_f - c z / |z| |^2 with z = r_f - s u_f: the friction part lies on the boundary c. */
static inline double boundary_error2(int32_t m, const double *rf, const double *uf, double s,
                                     double c, double length)
{
    double sum = 0;
    for (int32_t i = 0; i < m; i++) {
        double d = rf[i] - c * ((rf[i] - s * uf[i]) / length);
        sum += d * d;
    }
    return sum;
}

/* |F_s|^2 of a cone with m friction rows; the compiler is to know m where it is 1 or 2. */
static inline double cone_error2(double mu, int32_t m, const double *r, const double *u, double s)
{
    const double *rf = r + 1, *uf = u + 1;
    double        slide2 = norm2(m, uf);
    double        zn     = r[0] - s * (u[0] + mu * sqrt(slide2));
    double        length = sqrt(distance2(m, rf, uf, s));
    if (mu * length <= -zn) { /* in the polar cone: P gives 0. First: mu = 0 has zn < 0 here */
        return r[0] * r[0] + norm2(m, rf);
    }
    if (length <= mu * zn) { /* inside: P changes nothing */
        double d = r[0] - zn;
        return d * d + s * s * slide2;
    }
    double t = (zn + mu * length) / (1 + mu * mu);
    double d = r[0] - t;
    return d * d + boundary_error2(m, rf, uf, s, mu * t, length);
}

static double disk_error2(const ss_block *b, const double *r, const double *u, double s,
                          double bound)
{
    double length = sqrt(distance2(b->dim, r, u, s));
    if (length <= bound) {
        return s * s * norm2(b->dim, u);
    }
    return boundary_error2(b->dim, r, u, s, bound, length);
}

/* |F_s|^2 of one block. */
static double block_error2(const ss_block *b, const double *r, const double *u, double s,
                           double bound)
{
    double d = 0;
    switch (b->kind) {
    case SS_BLOCK_EQUALITY:
        return s * s * norm2(b->dim, u);
    case SS_BLOCK_UNILATERAL:
        d = r[0] < s * u[0] ? r[0] : s * u[0];
        return d * d;
    case SS_BLOCK_CONE:
        return b->dim == 3   ? cone_error2(b->mu, 2, r, u, s)
               : b->dim == 2 ? cone_error2(b->mu, 1, r, u, s)
                             : cone_error2(b->mu, b->dim - 1, r, u, s);
    case SS_BLOCK_DISK:
        return disk_error2(b, r, u, s, bound);
    }
    return INFINITY;
}

static inline double largest(int32_t n, const double *x)
{
    double max = 0;
    for (int32_t i = 0; i < n; i++) {
        max = x[i] > max ? x[i] : max;
    }
    return max;
}

/* |F_s| / |r| at s = |r| / V; for r = 0 the limit s -> 0 of |F_s| / (s V). */
static double whole_error(const ss_cone *p, const rows *x, double R, double V)
{
    bool   still = R == 0;
    double s     = still || V == 0 ? 1 : R / V;
    double sum   = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b     = &p->blocks[k];
        double          bound = still && b->bound > 0 ? INFINITY : b->bound;
        sum += block_error2(b, x->r + b->start, x->u + b->start, s, bound);
    }
    return sum == 0 ? 0 : sqrt(sum) / (still ? V : R);
}

/* What the blocks add up to: the worst of them, and a bound on |F_s|^2 of the whole. */
typedef struct verdict {
    double worst, bound2;
    bool   strained; /* some block is */
    double speed;    /* the largest velocity that is missed, with what rounding hides of it */
} verdict;

/* What velocities a block has: the sum of |q_i| and |u_i| over its rows. */
static inline double own_velocity(int32_t dim, const double *q, const double *u)
{
    double sum = 0;
    for (int32_t i = 0; i < dim; i++) {
        sum += fabs(q[i]) + fabs(u[i]);
    }
    return sum;
}

/* One block of the given size by the first measure; s_whole is the s of the second. */
static inline void judge_block(const ss_block *b, int32_t dim, const rows *x, double s_whole,
                               verdict *out)
{
    const double *r = x->r + b->start, *u = x->u + b->start;
    double        w        = largest(dim, x->w + b->start);
    double        s        = w > 0 ? 1 / w : (s_whole > 0 ? s_whole : 1);
    double        e2       = block_error2(b, r, u, s, b->bound);
    double        term     = largest(dim, x->term + b->start);
    double        at_stake = larger(sqrt(norm2(dim, r)), s * term);
    double        explains = s * own_velocity(dim, x->free + b->start, u);
    double        hidden   = SS_REACTION_ROUNDING * term;
    out->strained          = out->strained || at_stake > SS_STRAIN * explains;
    if (e2 > 0) {
        double grow = s_whole > s ? s_whole / s : 1, error = sqrt(e2);
        out->worst = larger(out->worst, error / at_stake);
        out->speed = larger(out->speed, error / s);
        out->bound2 += e2 * grow * grow;
    }
    out->speed = larger(out->speed, hidden);
}

static verdict judge_blocks(const ss_cone *p, const rows *x, double R, double V)
{
    verdict v       = {0};
    double  s_whole = V > 0 ? R / V : 1;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        if (b->dim == 3) {
            judge_block(b, 3, x, s_whole, &v);
        } else if (b->dim == 2) {
            judge_block(b, 2, x, s_whole, &v);
        } else {
            judge_block(b, b->dim, x, s_whole, &v);
        }
    }
    return v;
}

/* Both parts; the second only where it can matter. */
static double blocks_error(const ss_cone *p, const rows *x, double R, double V, const verdict *v)
{
    /* |F_s| <= max(1, s / s_b) |F_s_b|. A bound that is rounding, or below the worst, will do. */
    double bound = R > 0 ? sqrt(v->bound2) / R : INFINITY;
    if (bound <= SS_CONE_ROUNDING || bound <= v->worst) {
        return larger(v->worst, bound);
    }
    return larger(v->worst, whole_error(p, x, R, V));
}

/*
 * The first part without blocks whose error is noise: at most 4 eps s_b sqrt(w_b) E_b, with E_b the
 * largest t_j / sqrt(W_jj) of all rows (`terms` NULL) or of those connected with the block. *noise:
 * some block was left out.
 */
static double loud_blocks(const ss_cone *p, const rows *x, double s_whole, const double *terms,
                          bool *noise)
{
    verdict v   = {0};
    double  all = 0;
    for (int32_t i = 0; terms == NULL && i < p->n; i++) {
        all = x->w[i] > 0 ? larger(all, x->term[i] / sqrt(x->w[i])) : all;
    }
    *noise = false;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        double          w = largest(b->dim, x->w + b->start), E = terms ? terms[b->start] : all;
        double          e2 =
            w > 0 ? block_error2(b, x->r + b->start, x->u + b->start, 1 / w, b->bound) : INFINITY;
        if (sqrt(e2) <= SS_REACTION_ROUNDING * E / sqrt(w)) {
            *noise = true;
        } else {
            judge_block(b, b->dim, x, s_whole, &v);
        }
    }
    return v.worst;
}

/* ---- motion error --------------------------------------------------------------------------- */

/* Velocity that a block of rows with levers misses: a row that turns counts by what it moves. */
static double levered_speed(const ss_cone *p, const ss_block *b, const rows *x)
{
    double   r[SS_CONE_ROWS], u[SS_CONE_ROWS], w[SS_CONE_ROWS], term[SS_CONE_ROWS], worst = 0;
    int32_t  dim  = b->dim < SS_CONE_ROWS ? b->dim : SS_CONE_ROWS;
    ss_block here = *b;
    verdict  v    = {0};
    here.start    = 0;
    here.dim      = dim;
    here.bound    = b->bound / p->lever[b->start];
    for (int32_t i = b->start + dim; i < b->start + b->dim; i++) { /* longer ones: row by row */
        worst = larger(worst, fabs(x->u[i]) * p->lever[i]);
    }
    for (int32_t i = 0; i < dim; i++) {
        double  lever = p->lever[b->start + i];
        int32_t at    = b->start + i;
        r[i]          = x->r[at] / lever;
        u[i]          = x->u[at] * lever;
        w[i]          = x->w[at] * lever * lever;
        term[i]       = x->term[at] * lever;
    }
    const rows scaled = {.r = r, .u = u, .w = w, .term = term, .free = u};
    judge_block(&here, dim, &scaled, 1, &v);
    return larger(worst, v.speed);
}

static double worst_levered(const ss_cone *p, const rows *x)
{
    double worst = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        worst = larger(worst, levered_speed(p, &p->blocks[k], x));
    }
    return worst;
}

/* By how much the motion without reactions misses the laws of contacts: what they must change. */
static double free_speed(const ss_cone *p, const rows *x)
{
    double none[SS_CONE_ROWS] = {0}, worst = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        if (b->dim <= SS_CONE_ROWS && b->kind != SS_BLOCK_DISK) {
            double lever = p->lever != NULL ? p->lever[b->start] : 1;
            double e2    = block_error2(b, none, x->free + b->start, 1, INFINITY);
            worst        = larger(worst, lever * sqrt(e2));
        }
    }
    return worst;
}

/* Without reactions: the largest velocity that those of contacts are differences of. */
static double flight_speed(const ss_cone *p, const rows *x)
{
    double most = 0;
    for (int32_t i = 0; i < p->n; i++) {
        double lever = p->lever != NULL ? p->lever[i] : 1;
        most         = larger(most, x->term[i] * lever);
        if (x->r[i] != 0) {
            return 0;
        }
    }
    return most;
}

/* The velocity that is missed as a part of the scale. */
static double motion_error(const ss_cone *p, const rows *x, double error)
{
    if (error == 0 || error <= SS_MOTION_FINE * p->speed) {
        return error == 0 ? 0 : error / p->speed;
    }
    double scale = larger(p->speed, SS_STRUCK_SHARE * free_speed(p, x));
    scale        = larger(scale, SS_FLIGHT_SHARE * flight_speed(p, x));
    return scale > 0 ? error / scale : INFINITY;
}

double ss_residual_cone(const ss_cone *p, const double *r, const double *v, double *work)
{
    return ss_residual_cone_motion(p, r, v, work, NULL);
}

double ss_residual_cone_motion(const ss_cone *p, const double *r, const double *v, double *work,
                               ss_missed *missed)
{
    size_t n = (size_t)p->n;
    rows   x = {.r = r, .u = work, .term = work + n, .w = work + 2 * n, .free = work + 3 * n};
    double dynamics = 0;
    if (p->nv > 0) {
        dynamics = global_rows(p, r, v, &x, work + 5 * n);
    } else {
        local_rows(p, r, &x);
    }
    if (p->axes != NULL) {
        round_axes(p, work + 4 * n, &x);
    }
    double R = sqrt(norm2(p->n, x.r)), V2 = larger(norm2(p->n, x.free), norm2(p->n, x.u));
    if (!isfinite(R + V2 + dynamics)) {
        if (missed != NULL) {
            missed->speed = missed->c = INFINITY;
        }
        return INFINITY;
    }
    double  V = sqrt(V2), *more = work + 5 * n + 4 * (size_t)p->nv;
    verdict found = judge_blocks(p, &x, R, V);
    if (missed != NULL) {
        missed->speed = p->lever != NULL ? worst_levered(p, &x) : found.speed;
        missed->c =
            dynamics <= SS_MOMENTUM_ROUNDING ? motion_error(p, &x, missed->speed) : INFINITY;
        if (missed->enough > 0 && missed->c <= missed->enough && found.worst > SS_FINE) {
            return larger(dynamics, found.worst);
        }
    }
    ss_strained look = {p, r, v, x.r, x.free, x.w, x.term};
    if (found.worst > SS_FINE) {
        bool   noise;
        double s_whole = V > 0 ? R / V : 1, loud = loud_blocks(p, &x, s_whole, NULL, &noise);
        if (noise && loud < found.worst) {
            found.worst =
                loud_blocks(p, &x, s_whole, ss_residual_component_terms(&look, more), &noise);
        }
    }
    double parts = found.strained ? larger(found.worst, ss_residual_strained(&look, more))
                                  : blocks_error(p, &x, R, V, &found);
    return larger(dynamics, parts);
}

ss_cone_rows ss_residual_cone_rows(const ss_cone *p, const double *work)
{
    size_t n = (size_t)p->n;
    return (ss_cone_rows){.u = work, .term = work + n, .w = work + 2 * n, .free = work + 3 * n};
}

const double *ss_residual_cone_momentum(const ss_cone *p, const double *work)
{
    return work + 5 * (size_t)p->n + 3 * (size_t)p->nv; /* `whole` of global_rows() */
}

double ss_cone_block_error2(const ss_block *b, const double *r, const double *u, double s)
{
    return block_error2(b, r, u, s, b->bound);
}
