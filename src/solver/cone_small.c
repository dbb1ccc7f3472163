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
 * so that it moves no solution, and the second step is exact to rounding.
 * A problem of one block is solved in closed form (cone_block.c).
 */
#include "solver/cone_small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solver/cone_block.h"

enum { N = SS_CONE_SMALL, NEWTON_MAX = 12, VAIN_MAX = 2, AIMS_MAX = 2, SWEEPS = 2, ROUNDS = 9 };

/* An error that is as good as none: what is left is rounding in nearly redundant rows. */
static const double CLOSE = 5e-13;

typedef enum status { OPEN, STICK, SLIP } status;

typedef struct small {
    const ss_cone *p;
    const double  *W;
    int32_t        n, ld;
    double        *r;
    double         u[N];
    double         F[N];       /* what each law misses, in units of reaction          */
    double         w[N];       /* per block: largest diagonal entry of W_bb           */
    double         inverse[N]; /* per block: 1 / w */
    status         now[N];     /* per block                                           */
    double         z[N];       /* slip: unit direction of r_f - u_f / w, row by row   */
    double         g[N];       /* slip: limit / |r_f - u_f / w|, per block            */
    int32_t        row[N];     /* rows of the linear system                           */
    int32_t        rows;
    double         J[N * N];
    int32_t        pivot[N];
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

static void velocities(small *s)
{
    memcpy(s->u, s->p->q, (size_t)s->n * sizeof *s->u);
    ss_matrix_mul_add(&s->p->W, s->r, s->u);
}

/* Friction rows of a block against the limit L. Returns the squared error in units of reaction. */
static double friction_law(small *s, int32_t k, int32_t first, double L)
{
    const ss_block *b      = &s->p->blocks[k];
    double          length = 0, error = 0, inv = s->inverse[k];
    for (int32_t i = b->start + first; i < b->start + b->dim; i++) {
        s->z[i] = s->r[i] - s->u[i] * inv;
        length += s->z[i] * s->z[i];
    }
    bool stick = length <= L * L;
    s->now[k]  = stick ? STICK : SLIP;
    length     = sqrt(length);
    s->g[k]    = stick ? 1 : L / length;
    for (int32_t i = b->start + first; i < b->start + b->dim; i++) {
        s->F[i] = stick ? s->u[i] * inv : s->r[i] - s->g[k] * s->z[i];
        s->z[i] = stick ? 0 : s->z[i] / length;
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
    if (b->kind == SS_BLOCK_DISK) {
        return friction_law(s, k, 0, b->bound);
    }
    double z    = s->r[at] - s->u[at] * inv;
    bool   open = z <= 0 && b->kind != SS_BLOCK_EQUALITY;
    s->now[k]   = open ? OPEN : STICK;
    if (b->kind == SS_BLOCK_CONE && !open) {
        s->F[at] = s->u[at] * inv;
        return s->F[at] * s->F[at] + friction_law(s, k, 1, b->mu * z);
    }
    for (int32_t i = at; i < at + b->dim; i++) {
        s->F[i] = open ? s->r[i] : s->u[i] * inv;
        error += s->F[i] * s->F[i];
    }
    return error;
}

/* sqrt(max of w |F|^2) over blocks, relative to what is at stake: 0 when nothing is. */
static double laws(small *s)
{
    double worst = 0, stake = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b     = &s->p->blocks[k];
        double          error = block_law(s, k) * s->w[k], size = 0;
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            double x = s->p->q[i];
            size += s->r[i] * s->r[i] * s->w[k] + x * x * s->inverse[k];
        }
        worst = error > worst ? error : worst;
        stake = size > stake ? size : stake;
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
    const double inside = 0.98, still = 1e-6;
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

/* The rows that are not open, and J on them. */
static void assemble(small *s)
{
    const double    alpha  = 1e-8;
    const ss_block *blocks = s->p->blocks;
    s->rows                = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        for (int32_t i = 0; s->now[k] != OPEN && i < blocks[k].dim; i++) {
            s->row[s->rows++] = blocks[k].start + i;
        }
    }
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
        s->J[c * s->rows + c] += alpha;
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

static bool same_linear(const small *s, const status *before)
{
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        if (s->now[k] != before[k] || s->now[k] == SLIP) {
            return false;
        }
    }
    return true;
}

/* One Newton step; `reuse`: the factors at hand are still those of J. */
static bool step(small *s, bool reuse)
{
    double x[N];
    if (release_open(s)) {
        refresh_misses(s);
        reuse = false;
    }
    if (!reuse) {
        assemble(s);
        if (!factor(s)) {
            return false;
        }
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
    status before[N];
    bool   reuse = false;
    int    vain = 0, aims = 0; /* steps in a row that brought nothing; steps that aimed inside */
    memcpy(best, s->r, (size_t)s->n * sizeof *best);
    for (int k = 0; k < NEWTON_MAX && vain < VAIN_MAX && least > rounding(s); k++) {
        memcpy(before, s->now, (size_t)s->p->nblocks * sizeof *before);
        ++*iterations;
        bool aimed = aims < AIMS_MAX && loosen(s);
        aims += aimed;
        if (!step(s, reuse)) {
            break;
        }
        error       = laws(s);
        reuse       = !aimed && same_linear(s, before);
        bool better = error < least;
        bool useful = error < 0.5 * least || (better && least > CLOSE);
        vain        = useful ? 0 : vain + !aimed;
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
        if (least < CLOSE) {
            break;
        }
    }
    memcpy(s->r, best, (size_t)s->n * sizeof *best);
    return least;
}

/* One block: closed form, and once more from there, which washes out rounding. */
static double solve_single(small *s)
{
    double          data[SS_BLOCK_DATA + 4], change[SS_BLOCK_EXACT];
    const ss_block *b = &s->p->blocks[0];
    memset(s->r, 0, (size_t)s->n * sizeof *s->r);
    memcpy(s->u, s->p->q, (size_t)s->n * sizeof *s->u);
    ss_block_prepare(b, s->W, s->ld, data);
    ss_block_solve(b, data, s->u, s->r, change);
    velocities(s);
    double error = laws(s);
    if (error > rounding(s)) {
        ss_block_solve(b, data, s->u, s->r, change);
        velocities(s);
        error = laws(s);
    }
    return error;
}

double ss_cone_small_solve(const ss_cone *p, double *r, bool warm, int32_t *iterations)
{
    small s; /* large, and every part is written before it is read */
    s.p         = p;
    s.W         = p->W.dense;
    s.n         = p->n;
    s.ld        = p->W.ld;
    s.r         = r;
    *iterations = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        s.w[k]            = 0;
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            double d = s.W[(size_t)i * (size_t)(s.ld + 1)];
            s.w[k]   = d > s.w[k] ? d : s.w[k];
        }
        if (!(s.w[k] > 0)) {
            return INFINITY;
        }
        s.inverse[k] = 1 / s.w[k];
    }
    if (p->nblocks == 1) {
        *iterations = 1;
        return solve_single(&s);
    }
    if (!warm) {
        memset(r, 0, (size_t)p->n * sizeof *r);
        return alternate(&s, INFINITY, iterations);
    }
    velocities(&s);
    double error = newton(&s, laws(&s), iterations);
    return error < CLOSE ? error : alternate(&s, error, iterations);
}
