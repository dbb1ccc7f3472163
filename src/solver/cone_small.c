/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a simulation step. From the guess r (last step's reactions):
 *
 *   1. u = W r + q. If every law holds to rounding already, nothing is to be done.
 *   2. Otherwise the laws at (r, u) say which blocks are open, stick and slip; the equations of
 *      Alart and Curnier are linear for that choice (in slip linearised), and one dense linear
 *      solve gives the next r. Usually the choice is last step's and is right at once.
 *   3. When that does not settle in a few rounds, Gauss-Seidel sweeps choose anew.
 *
 * W is rank-deficient as a rule (four corners of a box: 12 rows, rank 6). A term alpha on the
 * diagonal, tiny against the block's own W_bb, makes the step regular; it acts on the step alone,
 * so that it moves no solution, and the second step is exact to rounding. Where nothing slips the
 * step is linear and symmetric, (W + alpha diag w) dr = -u: L D L', and both steps at once.
 * A problem of one block is solved in closed form (cone_block.c).
 */
#include "solver/cone_small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solver/cone_block.h"
#include "solver/friction_law.h"
#include "solver/tolerances.h"

enum { N = SS_CONE_SMALL, NEWTON_MAX = 12, VAIN_MAX = 2, AIMS_MAX = 2, SWEEPS = 2, ROUNDS = 4 };

typedef enum status { OPEN, STICK, SLIP } status;

typedef struct small {
    const ss_cone *p;
    const double  *W;
    int32_t        n, ld;
    double        *r;
    double         u[N];
    double         F[N];       /* what each law misses, in units of reaction          */
    double         w[N];       /* per block: size of W_bb                             */
    double         inverse[N]; /* per block: 1 / w */
    status         now[N];     /* per block                                           */
    double         z[N];       /* slip: unit direction of r_f - u_f / w, row by row   */
    double         g[N];       /* slip: limit / |r_f - u_f / w|, per block            */
    int32_t        row[N];     /* rows of the linear system                           */
    int32_t        rows;
    double         J[N * N];
    int32_t        pivot[N];
    double         w_row[N]; /* w of the block that a row of the system belongs to    */
    double         over[N];  /* one over the pivots of L D L'                         */
} small;

bool ss_cone_small_takes(const ss_cone *p)
{
    if (p->nv > 0 || p->axes != NULL || p->W.dense == NULL || p->n > N) {
        return false;
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        if (p->blocks[k].dim > SS_BLOCK_EXACT) {
            return false;
        }
    }
    return true;
}

/* u = W r + q for few rows, whose number the compiler is to know. */
static inline void velocities_sized(small *s, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t j = 0; j < n; j++) {
            sum += s->W[i + (ptrdiff_t)j * s->ld] * s->r[j];
        }
        s->u[i] = s->p->q[i] + sum;
    }
}

static void velocities(small *s)
{
    memcpy(s->u, s->p->q, (size_t)s->n * sizeof *s->u);
    ss_matrix_mul_add(&s->p->W, s->r, s->u);
}

/*
 * Friction rows [at, at + m) of block k against the limit L. Returns the squared error in units of
 * reaction. Here and below the compiler is to know the sizes of contacts.
 */
static inline double friction_law(small *s, int32_t k, int32_t at, int32_t m, double L)
{
    ss_friction_point point =
        ss_friction_law(m, s->inverse[k], L, s->r + at, s->u + at, s->z + at, s->F + at);
    s->now[k] = point.sticks ? STICK : SLIP;
    s->g[k]   = point.g;
    return point.error;
}

/* A cone of `dim` rows at (r, u). */
static inline double cone_law(small *s, const ss_block *b, int32_t k, int32_t dim)
{
    int32_t at = b->start;
    double  z = s->r[at] - s->u[at] * s->inverse[k], error = 0;
    if (z > 0) {
        double F = s->F[at] = s->u[at] * s->inverse[k];
        return F * F + friction_law(s, k, at + 1, dim - 1, b->mu * z);
    }
    s->now[k] = OPEN;
    for (int32_t i = at; i < at + dim; i++) {
        s->F[i] = s->r[i];
        error += s->F[i] * s->F[i];
    }
    return error;
}

/* The law of block k at (r, u): status, F. Returns |F|^2. */
static double block_law(small *s, int32_t k)
{
    const ss_block *b   = &s->p->blocks[k];
    int32_t         at  = b->start;
    double          inv = s->inverse[k], error = 0;
    if (b->kind == SS_BLOCK_CONE) {
        return b->dim == 3   ? cone_law(s, b, k, 3)
               : b->dim == 2 ? cone_law(s, b, k, 2)
                             : cone_law(s, b, k, b->dim);
    }
    if (b->kind == SS_BLOCK_DISK) {
        return friction_law(s, k, at, b->dim, b->bound);
    }
    bool open = b->kind == SS_BLOCK_UNILATERAL && s->r[at] - s->u[at] * inv <= 0;
    s->now[k] = open ? OPEN : STICK;
    for (int32_t i = at; i < at + b->dim; i++) {
        s->F[i] = open ? s->r[i] : s->u[i] * inv;
        error += s->F[i] * s->F[i];
    }
    return error;
}

static inline double square_sum(int32_t n, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

/* What is at stake in block k: reactions and free velocities, in units of both. */
static inline double block_stake(const small *s, int32_t k, int32_t dim)
{
    int32_t at = s->p->blocks[k].start;
    return square_sum(dim, s->r + at) * s->w[k] + square_sum(dim, s->p->q + at) * s->inverse[k];
}

/* sqrt(max of w |F|^2) over blocks, relative to what is at stake: 0 when nothing is. */
static double laws(small *s)
{
    double worst = 0, stake = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        int32_t dim   = s->p->blocks[k].dim;
        double  error = block_law(s, k) * s->w[k];
        double  size  = dim == 3 ? block_stake(s, k, 3) : block_stake(s, k, dim);
        worst         = error > worst ? error : worst;
        stake         = size > stake ? size : stake;
    }
    return worst > 0 ? sqrt(worst / stake) : 0;
}

/*
 * A block that is on its friction limit and yet does not slide is an accident of redundant
 * contacts: others hold as well. Aim a little inside the limit, where it sticks without doubt. True
 * when some block was treated so.
 */
static bool loosen(small *s)
{
    const double inside = 0.98, still = SS_SMALL_STILL;
    bool         any = false;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b     = &s->p->blocks[k];
        int32_t         first = b->start + (b->kind == SS_BLOCK_CONE), end = b->start + b->dim;
        double          slide = 0, limit = 0;
        for (int32_t i = first; s->now[k] == SLIP && i < end; i++) {
            slide += s->u[i] * s->u[i];
            limit += s->r[i] * s->r[i];
        }
        if (s->now[k] == SLIP && slide <= still * still * s->w[k] * s->w[k] * limit) {
            for (int32_t i = first; i < end; i++) {
                s->F[i] += (1 - inside) * (s->r[i] - s->F[i]); /* r - F is on the limit */
            }
            s->g[k] *= inside;
            any = true;
        }
    }
    return any;
}

/*
 * Slip rows of block k in the column of J that belongs to row j of W:
 *     dr_f - g (I - z z')(dr_f - du_f / w) - mu z (dr_n - du_n / w)
 */
static void slip_column(const small *s, const ss_block *b, int32_t k, int32_t j,
                        const double *column, double *to)
{
    int32_t first = b->start + (b->kind == SS_BLOCK_CONE), end = b->start + b->dim;
    double  inv = s->inverse[k], along = 0;
    for (int32_t c = first; c < end; c++) {
        along += s->z[c] * ((c == j) - column[c] * inv);
    }
    double across = s->g[k] * along;
    if (first > b->start) {
        *to++ = column[b->start] * inv;
        across -= b->mu * ((b->start == j) - column[b->start] * inv);
    }
    for (int32_t c = first; c < end; c++) {
        double d = (c == j);
        *to++    = d - s->g[k] * (d - column[c] * inv) + s->z[c] * across;
    }
}

/* The rows that are not open. */
static void list_rows(small *s)
{
    s->rows = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b = &s->p->blocks[k];
        for (int32_t i = 0; s->now[k] != OPEN && i < b->dim; i++) {
            s->w_row[s->rows] = s->w[k];
            s->row[s->rows++] = b->start + i;
        }
    }
}

/* J on the rows that are not open. */
static void assemble(small *s)
{
    const ss_block *blocks = s->p->blocks;
    list_rows(s);
    for (int32_t c = 0; c < s->rows; c++) {
        int32_t       j      = s->row[c];
        const double *column = s->W + (size_t)j * (size_t)s->ld;
        double       *to     = s->J + c * s->rows;
        for (int32_t k = 0; k < s->p->nblocks; k++) {
            if (s->now[k] == SLIP) {
                slip_column(s, &blocks[k], k, j, column, to);
            }
            for (int32_t i = 0; s->now[k] == STICK && i < blocks[k].dim; i++) {
                to[i] = column[blocks[k].start + i] * s->inverse[k];
            }
            to += s->now[k] == OPEN ? 0 : blocks[k].dim;
        }
        s->J[c * s->rows + c] += SS_SMALL_ALPHA;
    }
}

/* J = L U, rows exchanged; false when J is singular. */
static bool factor(small *s)
{
    int32_t m = s->rows;
    for (int32_t k = 0; k < m; k++) {
        double *column = s->J + k * m;
        int32_t best   = k;
        for (int32_t i = k + 1; i < m; i++) {
            best = fabs(column[i]) > fabs(column[best]) ? i : best;
        }
        s->pivot[k] = best;
        if (column[best] == 0) {
            return false;
        }
        if (best != k) {
            for (int32_t j = 0; j < m; j++) {
                double t           = s->J[j * m + k];
                s->J[j * m + k]    = s->J[j * m + best];
                s->J[j * m + best] = t;
            }
        }
        double inv = 1 / column[k];
        for (int32_t i = k + 1; i < m; i++) {
            column[i] *= inv;
        }
        for (int32_t j = k + 1; j < m; j++) {
            double *to = s->J + j * m, f = to[k];
            for (int32_t i = k + 1; i < m; i++) {
                to[i] -= column[i] * f;
            }
        }
    }
    return true;
}

static void solve_factored(const small *s, double *x)
{
    int32_t m = s->rows;
    for (int32_t k = 0; k < m; k++) {
        double t       = x[s->pivot[k]];
        x[s->pivot[k]] = x[k];
        x[k]           = t;
    }
    for (int32_t k = 0; k < m; k++) {
        for (int32_t i = k + 1; i < m; i++) {
            x[i] -= s->J[k * m + i] * x[k];
        }
    }
    for (int32_t k = m; k-- > 0;) {
        x[k] /= s->J[k * m + k];
        for (int32_t i = 0; i < k; i++) {
            x[i] -= s->J[k * m + i] * x[k];
        }
    }
}

/*
 * W + alpha diag w on the rows that are not open, lower part, as L D L'; false: not positive.
 * Column by column: sums along rows would wait for the numbers that were stored just before.
 */
static bool factor_sticking(small *s)
{
    list_rows(s);
    int32_t m = s->rows;
    for (int32_t c = 0; c < m; c++) {
        const double *column = s->W + (size_t)s->row[c] * (size_t)s->ld;
        double       *to     = s->J + (ptrdiff_t)c * m;
        for (int32_t e = c; e < m; e++) {
            to[e] = column[s->row[e]];
        }
        to[c] += SS_SMALL_ALPHA * s->w_row[c];
    }
    for (int32_t k = 0; k < m; k++) {
        const double *column = s->J + (ptrdiff_t)k * m;
        if (!(column[k] > 0)) {
            return false;
        }
        s->over[k] = 1 / column[k];
        for (int32_t j = k + 1; j < m; j++) {
            double *restrict to = s->J + (ptrdiff_t)j * m;
            double f            = column[j] * s->over[k];
            for (int32_t i = j; i < m; i++) {
                to[i] -= column[i] * f;
            }
        }
    }
    return true;
}

/* x := (L D L')^-1 x; columns of J are those of L D. */
static void solve_sticking(const small *s, double *x)
{
    int32_t m = s->rows;
    for (int32_t k = 0; k < m; k++) {
        const double *column = s->J + (ptrdiff_t)k * m;
        double        f      = x[k] * s->over[k];
        for (int32_t i = k + 1; i < m; i++) {
            x[i] -= column[i] * f;
        }
    }
    for (int32_t k = m; k-- > 0;) {
        const double *column = s->J + (ptrdiff_t)k * m;
        double        sum    = x[k];
        for (int32_t i = k + 1; i < m; i++) {
            sum -= column[i] * x[i];
        }
        x[k] = sum * s->over[k];
    }
}

/*
 * r on the rows that are not open, such that u = 0 there. After the first step u is alpha diag w
 * times what was added, without rounding of r; the second one starts from that.
 */
static void stick(small *s)
{
    double x[N], again[N];
    for (int32_t i = 0; i < s->rows; i++) {
        x[i] = -s->u[s->row[i]];
    }
    solve_sticking(s, x);
    for (int32_t i = 0; i < s->rows; i++) {
        again[i] = SS_SMALL_ALPHA * s->w_row[i] * x[i];
    }
    solve_sticking(s, again);
    for (int32_t i = 0; i < s->rows; i++) {
        s->r[s->row[i]] += x[i] + again[i];
    }
    velocities(s);
}

/* Open blocks carry nothing; the velocities follow. True when something changed. */
static bool release_open(small *s)
{
    bool changed = false;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b = &s->p->blocks[k];
        for (int32_t i = b->start; s->now[k] == OPEN && i < b->start + b->dim; i++) {
            changed = changed || s->r[i] != 0;
            s->r[i] = 0;
        }
    }
    return changed;
}

/* F on the blocks that are not open, after open ones were released, with the choice kept. */
static void refresh_misses(small *s)
{
    status kept[N];
    memcpy(kept, s->now, (size_t)s->p->nblocks * sizeof *kept);
    velocities(s);
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        if (kept[k] == OPEN) {
            continue;
        }
        const ss_block *b = &s->p->blocks[k];
        block_law(s, k);
        if (s->now[k] == OPEN) { /* keep it closed for this step: it was so before */
            for (int32_t i = b->start; i < b->start + b->dim; i++) {
                s->F[i] = s->u[i] * s->inverse[k];
                s->z[i] = 0;
            }
            s->now[k] = STICK;
        }
    }
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        s->now[k] = kept[k] == OPEN ? OPEN : s->now[k];
    }
}

static bool any_slips(const small *s)
{
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        if (s->now[k] == SLIP) {
            return true;
        }
    }
    return false;
}

/* One Newton step. `symmetric`: W may be taken for so, and no pivots need be searched for. */
static bool step(small *s, bool symmetric)
{
    double x[N];
    if (release_open(s)) {
        refresh_misses(s);
    }
    if (symmetric && !any_slips(s) && factor_sticking(s)) {
        stick(s);
        return true;
    }
    assemble(s);
    if (!factor(s)) {
        return false;
    }
    for (int32_t e = 0; e < s->rows; e++) {
        x[e] = -s->F[s->row[e]];
    }
    solve_factored(s, x);
    for (int32_t e = 0; e < s->rows; e++) {
        s->r[s->row[e]] += x[e];
    }
    velocities(s);
    return true;
}

/* What u = W r + q cannot be better than, in the measure of laws(). */
static double rounding(const small *s)
{
    return 2 * DBL_EPSILON + 0.1 * DBL_EPSILON * s->n;
}

/* Newton steps while they pay; the best r stays. Returns its error. */
static double newton(small *s, double error, int32_t *iterations)
{
    double best[N], least = error;
    bool   symmetric = error < SS_SMALL_NEAR;
    int    vain = 0, aims = 0; /* steps in a row that brought nothing; steps that aimed inside */
    memcpy(best, s->r, (size_t)s->n * sizeof *best);
    for (int k = 0; k < NEWTON_MAX && vain < VAIN_MAX && least > rounding(s); k++) {
        ++*iterations;
        bool aimed = aims < AIMS_MAX && loosen(s);
        aims += aimed;
        if (!step(s, symmetric)) {
            break;
        }
        error       = laws(s);
        bool better = error < least;
        bool useful = error < 0.5 * least || (better && least > SS_SMALL_CLOSE);
        vain        = useful ? 0 : vain + !aimed;
        symmetric   = symmetric && useful;
        if (!better) {
            continue;
        }
        least = error;
        memcpy(best, s->r, (size_t)s->n * sizeof *best);
    }
    memcpy(s->r, best, (size_t)s->n * sizeof *best);
    return least;
}

static void sweep(small *s, double data[][SS_BLOCK_DATA + 4], int32_t count)
{
    velocities(s);
    for (int32_t c = 0; c < count; c++) {
        for (int32_t k = 0; k < s->p->nblocks; k++) {
            const ss_block *b = &s->p->blocks[k];
            double          change[SS_BLOCK_EXACT];
            ss_block_solve(b, data[k], s->u + b->start, s->r + b->start, change);
            for (int32_t j = 0; j < b->dim; j++) {
                const double *column = s->W + (size_t)(b->start + j) * (size_t)s->ld;
                for (int32_t i = 0; change[j] != 0 && i < s->n; i++) {
                    s->u[i] += column[i] * change[j];
                }
            }
        }
    }
}

static void prepare_blocks(const small *s, double data[][SS_BLOCK_DATA + 4])
{
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b = &s->p->blocks[k];
        ss_block_prepare(b, s->W + (size_t)b->start * (size_t)(s->ld + 1), s->ld, data[k]);
    }
}

/* Sweeps and Newton steps in turn, keeping the best, whose error is returned. */
static double alternate(small *s, double error, int32_t *iterations)
{
    double data[N][SS_BLOCK_DATA + 4], best[N];
    prepare_blocks(s, data);
    memcpy(best, s->r, (size_t)s->n * sizeof *best);
    double least = error;
    for (int32_t round = 0; round < ROUNDS && least > rounding(s); round++) {
        sweep(s, data, SWEEPS << round);
        *iterations += SWEEPS << round;
        velocities(s);
        error = newton(s, laws(s), iterations);
        if (error < least) {
            least = error;
            memcpy(best, s->r, (size_t)s->n * sizeof *best);
        }
        if (least < SS_SMALL_CLOSE) {
            break;
        }
    }
    memcpy(s->r, best, (size_t)s->n * sizeof *best);
    return least;
}

/* One block of n rows: closed form, and once more from there, which washes out rounding. */
static inline double solve_single(small *s, int32_t n)
{
    double          data[SS_BLOCK_DATA + 4], change[SS_BLOCK_EXACT], error = INFINITY;
    const ss_block *b = &s->p->blocks[0];
    for (int32_t i = 0; i < n; i++) {
        s->r[i] = 0;
        s->u[i] = s->p->q[i];
    }
    ss_block_prepare(b, s->W, s->ld, data);
    for (int pass = 0; pass < 2 && error > rounding(s); pass++) {
        ss_block_solve(b, data, s->u, s->r, change);
        velocities_sized(s, n);
        error = (b->kind == SS_BLOCK_CONE ? cone_law(s, b, 0, n) : block_law(s, 0)) * s->w[0];
        double stake = block_stake(s, 0, n);
        error        = error > 0 ? sqrt(error / stake) : 0;
    }
    return error;
}

static bool begin(small *s, const ss_cone *p, double *r)
{
    s->p                   = p;
    s->W                   = p->W.dense;
    s->n                   = p->n;
    s->ld                  = p->W.ld;
    s->r                   = r;
    const double *diagonal = s->W;
    for (int32_t k = 0; k < p->nblocks; k++) {
        double w = ss_block_size(&p->blocks[k], diagonal, (size_t)s->ld);
        diagonal += (ptrdiff_t)p->blocks[k].dim * (s->ld + 1);
        if (!(w > 0)) {
            return false;
        }
        s->w[k]       = w;
        s->inverse[k] = 1 / w;
    }
    return true;
}

double ss_cone_small_error(const ss_cone *p, double *r)
{
    small s;
    if (!begin(&s, p, r)) {
        return INFINITY;
    }
    velocities(&s);
    return laws(&s);
}

double ss_cone_small_solve(const ss_cone *p, double *r, bool warm, double enough,
                           int32_t *iterations)
{
    small s; /* large, and every part is written before it is read */
    *iterations = 0;
    if (!begin(&s, p, r)) {
        return INFINITY;
    }
    if (p->nblocks == 1) {
        *iterations = 1;
        return p->n == 3   ? solve_single(&s, 3)
               : p->n == 2 ? solve_single(&s, 2)
                           : solve_single(&s, p->n);
    }
    if (!warm) {
        memset(r, 0, (size_t)p->n * sizeof *r);
        return alternate(&s, INFINITY, iterations);
    }
    velocities(&s);
    double error = newton(&s, laws(&s), iterations);
    return error < fmax(SS_SMALL_CLOSE, enough) ? error : alternate(&s, error, iterations);
}
