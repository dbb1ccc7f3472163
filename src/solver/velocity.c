/* SPDX-License-Identifier: Apache-2.0 */
/*
 * velocity: Newton's method for friction problems in global form with few velocities and a mass
 * matrix that may be zero: planar bodies on supports, quasistatic or not.
 *
 *   M v = H r + f,   u = H'v + q,   and the law of every block between r and u.
 *
 * Everything is counted in units of velocity and of reaction that are the sizes of both at the
 * guess. The laws are the equations of Alart and Curnier; for the choice open, stick or slip that
 * they make at (r, u) the step (dv, dr) is linear:
 *
 *   open      dr = -r
 *   closed    H_j'dv + a dr_j = -u_j        normals, equality rows, rows of blocks that stick
 *   slip      dr_f = -k P H_f'dv + mu z dr_n + c        k = g / (1 - g),  P = I - z z'
 *
 * with z the unit vector along y = r_f - u_f, L the friction limit and g = L / |y|. (Where the
 * laws hold, k = L / |u_f|: what turns of the slip do to a friction force of given size.) Slip is
 * eliminated, so that the system has the size of v and the closed rows, however many points slide:
 *
 *   (M + sum k H_f P H_f') dv - sum (H_j + mu H_f z) dr_j = -e + sum H_f c - sum_open H r
 *
 * Where the guess is too far away the friction laws are smoothed first,
 *
 *   r_f = L z,   z = -u_f / l,   l^2 = |u_f|^2 + s^2        k = L / l,  c = 0,
 *
 * with s from V down to a small part of it: from a viscous problem, which is easy, to the true one.
 *
 * Where many disks stick, most get no rows of their own: a dr = -(u + du) is eliminated as slip is.
 * e = M v - H r - f. The tiny term a makes redundant rows that stick regular; it acts on the step
 * alone. A velocity that nothing determines leaves the matrix singular, and the method says so
 * instead of choosing one. P. Alart, A. Curnier, CMAME 92 (1991) 353.
 *
 * cone_small.c has the same laws where W is at hand: there u is divided by W's diagonal, which does
 * not exist for M = 0; here the units are such that nothing is left to divide by.
 */
#include "solver/velocity.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solver/friction_law.h"
#include "solver/tolerances.h"

enum {
    NV         = 12,
    N          = 192,
    ROOM       = 48,
    STEPS      = 15,
    VAIN       = 2,
    EASY_STEPS = 8,
    STAGES     = 9,
    HALVINGS   = 7,
    HOLDING    = 8
};

typedef enum status { OPEN, STICK, SLIP } status;

typedef struct work {
    const ss_cone *p;
    int32_t        n, nv;
    double         V, R;      /* units of velocity and of reaction: powers of two         */
    double         scale[NV]; /* v_i is counted in V scale_i: H has entries of order one  */
    /* in these units: */
    double  M[NV * NV], H[NV * N], f[NV], q[N], bound[N], r[N], v[NV];
    double  u[N], du[N], e[NV];
    double  F[N];             /* what each law misses, in units of reaction */
    double  z[N];             /* slip: unit direction                       */
    double  turn[N], over[N]; /* slip, per block: k and 1 / (1 - g)         */
    status  now[N];
    int32_t row[ROOM], rows; /* closed rows: unknowns after dv */
    double  A[ROOM * ROOM], x[ROOM];
} work;

bool ss_velocity_takes(const ss_cone *p)
{
    return p->nv > 0 && p->nv <= NV && p->n <= N && p->axes == NULL;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- the laws ------------------------------------------------------------------------------ */

static void velocities(work *k, int32_t nv)
{
    memcpy(k->u, k->q, (size_t)k->n * sizeof *k->u);
    for (int32_t j = 0; j < k->n; j++) {
        for (int32_t i = 0; i < nv; i++) {
            k->u[j] += k->H[j * nv + i] * k->v[i];
        }
    }
}

/* |r_j|; of a friction row the length of the friction force, whose direction is known to rounding.
 */
static void reaction_sizes(const work *k, double *size)
{
    for (int32_t number = 0; number < k->p->nblocks; number++) {
        const ss_block *b     = &k->p->blocks[number];
        int32_t         first = b->start + (b->kind == SS_BLOCK_CONE), end = b->start + b->dim;
        bool            turns = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_DISK;
        double          sum   = 0;
        for (int32_t j = b->start; j < end; j++) {
            size[j] = fabs(k->r[j]);
            sum += j >= first ? k->r[j] * k->r[j] : 0;
        }
        for (int32_t j = first; turns && j < end; j++) {
            size[j] = sqrt(sum);
        }
    }
}

/* e = M v - H r - f; returns its largest entry, relative to the terms that were added up in it. */
static double imbalance(work *k, int32_t nv)
{
    double terms[NV], size[N] = {0}, worst = 0;
    reaction_sizes(k, size);
    for (int32_t i = 0; i < nv; i++) {
        k->e[i]  = -k->f[i];
        terms[i] = fabs(k->f[i]);
    }
    for (int32_t j = 0; j < nv; j++) {
        for (int32_t i = 0; i < nv; i++) {
            double x = k->M[j * nv + i] * k->v[j];
            k->e[i] += x;
            terms[i] += fabs(x);
        }
    }
    for (int32_t j = 0; j < k->n; j++) {
        for (int32_t i = 0; i < nv; i++) {
            k->e[i] -= k->H[j * nv + i] * k->r[j];
            terms[i] += fabs(k->H[j * nv + i]) * size[j];
        }
    }
    for (int32_t i = 0; i < nv; i++) {
        worst = larger(worst, terms[i] > 0 ? fabs(k->e[i]) / terms[i] : 0);
    }
    return worst;
}

/* Friction rows of block b against the limit L. Returns |F|^2. */
static double friction_law(work *k, int32_t b, int32_t first, int32_t end, double L)
{
    ss_friction_point point =
        ss_friction_law(end - first, 1, L, k->r + first, k->u + first, k->z + first, k->F + first);
    k->now[b]  = point.sticks ? STICK : SLIP;
    k->over[b] = point.sticks ? 1 : point.length / (point.length - L);
    k->turn[b] = point.sticks ? 0 : point.g * k->over[b];
    return point.error;
}

static double block_law(work *k, int32_t number)
{
    const ss_block *b  = &k->p->blocks[number];
    int32_t         at = b->start, end = b->start + b->dim;
    double          error = 0;
    if (b->kind == SS_BLOCK_DISK) {
        return friction_law(k, number, at, end, k->bound[number]);
    }
    double z       = k->r[at] - k->u[at];
    bool   open    = z <= 0 && b->kind != SS_BLOCK_EQUALITY;
    k->now[number] = open ? OPEN : STICK;
    if (b->kind == SS_BLOCK_CONE && !open) {
        k->F[at] = k->u[at];
        return k->F[at] * k->F[at] + friction_law(k, number, at + 1, end, b->mu * z);
    }
    for (int32_t i = at; i < end; i++) {
        k->F[i] = open ? k->r[i] : k->u[i];
        error += k->F[i] * k->F[i];
    }
    return error;
}

/* The largest miss of any law and of the balance, relative to R. */
static double miss(work *k, int32_t nv)
{
    double worst = 0;
    velocities(k, nv);
    for (int32_t b = 0; b < k->p->nblocks; b++) {
        worst = larger(worst, block_law(k, b));
    }
    return larger(sqrt(worst), imbalance(k, nv));
}

/* ---- the step ------------------------------------------------------------------------------ */

static int32_t first_friction(const ss_block *b)
{
    return b->start + (b->kind == SS_BLOCK_CONE);
}

/* A disk that sticks without rows of its own: a dr = -(u + du). */
static void hold(work *k, int32_t number)
{
    const ss_block *b = &k->p->blocks[number];
    k->now[number]    = SLIP;
    k->turn[number]   = 1 / SS_VELOCITY_TINY;
    k->over[number]   = 1 / SS_VELOCITY_TINY;
    for (int32_t i = b->start; i < b->start + b->dim; i++) {
        k->z[i] = 0;
    }
}

/* The rows that are unknowns beside dv. False: no room. */
static bool choose_rows(work *k, int32_t nv)
{
    k->rows = 0;
    for (int32_t n = 0; n < k->p->nblocks; n++) {
        const ss_block *b = &k->p->blocks[n];
        if (k->now[n] == STICK && b->kind == SS_BLOCK_DISK && k->rows >= HOLDING) {
            hold(k, n);
        }
        int32_t count =
            k->now[n] == OPEN ? 0 : (k->now[n] == STICK ? b->dim : first_friction(b) - b->start);
        if (nv + k->rows + count > ROOM) {
            return false;
        }
        for (int32_t i = 0; i < count; i++) {
            k->row[k->rows++] = b->start + i;
        }
    }
    return true;
}

/* What a slipping block adds to the matrix of dv and to its right side. */
static void add_slip(work *k, int32_t nv, int32_t number, int32_t size)
{
    const ss_block *b     = &k->p->blocks[number];
    int32_t         first = first_friction(b), end = b->start + b->dim;
    double          turn = k->turn[number], along = 0, t[NV] = {0}; /* t = H_f z */
    for (int32_t j = first; j < end; j++) {
        along += k->z[j] * k->F[j];
        for (int32_t i = 0; i < nv; i++) {
            t[i] += k->H[j * nv + i] * k->z[j];
        }
    }
    double lift = first > b->start ? b->mu * k->u[b->start] : 0;
    for (int32_t j = first; j < end; j++) {
        const double *H = k->H + j * nv;
        double        c = k->z[j] * (lift - along) - (k->F[j] - k->z[j] * along) * k->over[number];
        for (int32_t i = 0; i < nv; i++) {
            double h = turn * (H[i] - t[i] * k->z[j]);
            k->x[i] += H[i] * c;
            for (int32_t l = 0; l < nv; l++) {
                k->A[l * size + i] += h * H[l];
            }
        }
    }
}

/* Column of dr_j: -(H_j, with the friction that follows a normal) above, a on its own row. */
static void put_column(work *k, int32_t nv, int32_t c, int32_t number, int32_t size)
{
    const ss_block *b  = &k->p->blocks[number];
    int32_t         j  = k->row[c];
    double         *to = k->A + (ptrdiff_t)(nv + c) * size;
    for (int32_t i = 0; i < nv; i++) {
        to[i] = -k->H[j * nv + i];
    }
    if (k->now[number] == SLIP) {
        for (int32_t f = first_friction(b); f < b->start + b->dim; f++) {
            for (int32_t i = 0; i < nv; i++) {
                to[i] -= b->mu * k->H[f * nv + i] * k->z[f];
            }
        }
    }
    for (int32_t i = 0; i < nv; i++) {
        k->A[i * size + nv + c] = k->H[j * nv + i];
    }
    to[nv + c]   = SS_VELOCITY_TINY;
    k->x[nv + c] = -k->u[j];
}

static void assemble(work *k, int32_t nv, int32_t size)
{
    memset(k->A, 0, (size_t)size * (size_t)size * sizeof *k->A);
    for (int32_t i = 0; i < nv; i++) {
        k->x[i] = -k->e[i];
        for (int32_t j = 0; j < nv; j++) {
            k->A[j * size + i] = k->M[j * nv + i];
        }
    }
    int32_t c = 0;
    for (int32_t n = 0; n < k->p->nblocks; n++) {
        const ss_block *b = &k->p->blocks[n];
        if (k->now[n] == SLIP) {
            add_slip(k, nv, n, size);
        }
        for (int32_t j = b->start; k->now[n] == OPEN && j < b->start + b->dim; j++) {
            for (int32_t i = 0; i < nv; i++) {
                k->x[i] -= k->H[j * nv + i] * k->r[j];
            }
        }
        for (; c < k->rows && k->row[c] < b->start + b->dim; c++) {
            put_column(k, nv, c, n, size);
        }
    }
}

static void exchange(double *a, double *b)
{
    double t = *a;
    *a       = *b;
    *b       = t;
}

/* A x = b by elimination with row exchanges, in place. False: singular to rounding. */
static bool eliminate(double *A, double *x, int32_t size)
{
    const double least = SS_VELOCITY_PIVOT;
    for (int32_t k = 0; k < size; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < size; i++) {
            best = fabs(A[k * size + i]) > fabs(A[k * size + best]) ? i : best;
        }
        if (!(fabs(A[k * size + best]) > least)) {
            return false;
        }
        for (int32_t j = k; best != k && j < size; j++) {
            exchange(&A[j * size + k], &A[j * size + best]);
        }
        exchange(&x[k], &x[best]);
        double inverse = 1 / A[k * size + k];
        for (int32_t i = k + 1; i < size; i++) {
            double f = A[k * size + i] * inverse;
            x[i] -= f * x[k];
            for (int32_t j = k + 1; f != 0 && j < size; j++) {
                A[j * size + i] -= f * A[j * size + k];
            }
        }
    }
    for (int32_t k = size; k-- > 0;) {
        x[k] /= A[k * size + k];
        for (int32_t i = 0; i < k; i++) {
            x[i] -= A[k * size + i] * x[k];
        }
    }
    return true;
}

/* dr_f = -k P H_f'dv + mu z dr_n + c of a slipping block; dn: change of its normal reaction. */
static void turn_friction(work *k, int32_t nv, int32_t number, const double *dv, double dn)
{
    const ss_block *b     = &k->p->blocks[number];
    int32_t         first = first_friction(b), end = b->start + b->dim;
    double          turn = k->turn[number], along = 0, miss_along = 0, *du = k->du;
    for (int32_t j = first; j < end; j++) {
        du[j] = 0;
        for (int32_t i = 0; i < nv; i++) {
            du[j] += k->H[j * nv + i] * dv[i];
        }
        along += k->z[j] * du[j];
        miss_along += k->z[j] * k->F[j];
    }
    double lift = first > b->start ? b->mu * (k->u[b->start] + dn) : 0;
    for (int32_t j = first; j < end; j++) {
        k->r[j] += k->z[j] * (lift - miss_along) -
                   (k->F[j] - k->z[j] * miss_along) * k->over[number] -
                   turn * (du[j] - k->z[j] * along);
    }
}

/* Take a part of the step. */
static void apply(work *k, int32_t nv, double part)
{
    double  dv[NV];
    int32_t c = 0;
    for (int32_t i = 0; i < nv; i++) {
        dv[i] = part * k->x[i];
        k->v[i] += dv[i];
    }
    for (int32_t n = 0; n < k->p->nblocks; n++) {
        const ss_block *b      = &k->p->blocks[n];
        double          normal = 0;
        for (int32_t j = b->start; k->now[n] == OPEN && j < b->start + b->dim; j++) {
            k->r[j] = 0;
        }
        for (; c < k->rows && k->row[c] < b->start + b->dim; c++) {
            double dr = part * k->x[nv + c];
            normal    = k->row[c] == b->start ? dr : normal;
            k->r[k->row[c]] += dr;
        }
        if (k->now[n] == SLIP) {
            turn_friction(k, nv, n, dv, normal);
        }
    }
}

/* x = (dv, dr of the closed rows), in V and R. False: singular, or no room. */
static bool solve_step(work *k, int32_t nv)
{
    if (!choose_rows(k, nv)) {
        return false;
    }
    int32_t size = nv + k->rows;
    assemble(k, nv, size);
    return eliminate(k->A, k->x, size);
}

/* ---- the method ---------------------------------------------------------------------------- */

/* The power of two at or below x: units that cost no digit. */
static double unit(double x)
{
    return x > 0 && isfinite(x) ? ldexp(1, ilogb(x)) : 1;
}

/* Units, from the guess (r, v). False: nothing to measure by, or a velocity that no row sees. */
static bool find_units(work *k, const double *r, const double *v)
{
    const ss_cone *p    = k->p;
    double         load = 0;
    k->V = k->R = 0;
    for (int32_t i = 0; i < k->nv; i++) {
        double arm = 0, mass = k->M[i * k->nv + i];
        for (int32_t j = 0; j < k->n; j++) {
            arm = larger(arm, fabs(k->H[j * k->nv + i]));
        }
        if (!(arm > 0)) {
            return false;
        }
        k->scale[i] = 1 / unit(arm);
        load        = larger(load, fabs(p->f[i]) * k->scale[i]);
        k->V        = larger(k->V, mass > 0 ? fabs(p->f[i]) / mass * arm : 0);
    }
    for (int32_t j = 0; j < k->n; j++) {
        double u = p->q[j];
        for (int32_t i = 0; i < k->nv; i++) {
            u += k->H[j * k->nv + i] * v[i];
        }
        k->V = larger(k->V, larger(fabs(u), fabs(p->q[j])));
        k->R = larger(k->R, fabs(r[j]));
    }
    for (int32_t b = 0; b < p->nblocks; b++) {
        k->R = larger(k->R, p->blocks[b].kind == SS_BLOCK_DISK ? p->blocks[b].bound : 0);
    }
    k->R      = k->R > 0 ? k->R : load;
    bool some = k->R > 0 && isfinite(k->R) && isfinite(k->V);
    k->V      = unit(k->V); /* all at rest: any speed will do */
    k->R      = unit(k->R);
    return some;
}

/* The problem and the guess in these units. */
static void scale_problem(work *k, const double *r, const double *v)
{
    const ss_cone *p     = k->p;
    double         per_V = 1 / k->V, per_R = 1 / k->R;
    for (int32_t i = 0; i < k->nv; i++) {
        k->f[i] = p->f[i] * k->scale[i] * per_R;
        k->v[i] = v[i] / k->scale[i] * per_V;
        for (int32_t j = 0; j < k->nv; j++) {
            k->M[j * k->nv + i] *= k->scale[i] * k->scale[j] * k->V * per_R;
        }
    }
    for (int32_t j = 0; j < k->n; j++) {
        k->q[j] = p->q[j] * per_V;
        k->r[j] = r[j] * per_R;
        for (int32_t i = 0; i < k->nv; i++) {
            k->H[j * k->nv + i] *= k->scale[i];
        }
    }
    for (int32_t b = 0; b < p->nblocks; b++) {
        k->bound[b] = p->blocks[b].bound * per_R;
    }
}

/*
 * A velocity that is all rounding of what it was made of is rest; left in, it would be the next
 * step's motion.
 */
static void release_rounding(work *k)
{
    const double few = 4 * DBL_EPSILON;
    for (int32_t i = 0; i < k->nv; i++) {
        double made_of = fabs(k->f[i]);
        for (int32_t j = 0; j < k->n; j++) {
            made_of += fabs(k->H[j * k->nv + i] * k->r[j]);
        }
        if (fabs(k->v[i]) <= few && fabs(k->M[i * k->nv + i] * k->v[i]) <= few * made_of) {
            k->v[i] = 0;
        }
    }
}

/* Newton steps while they pay; the best point stays. Returns its error. */
static double newton(work *k, int32_t nv, int32_t *iterations)
{
    double best[N + NV], least = INFINITY;
    int    vain = 0;
    for (int i = 0; vain < VAIN && i < STEPS; i++) {
        double error = miss(k, nv);
        vain         = error < 0.5 * least || least > SS_VELOCITY_FAR ? 0 : vain + 1;
        if (error < least) {
            least = error;
            memcpy(best, k->r, (size_t)k->n * sizeof *best);
            memcpy(best + k->n, k->v, (size_t)nv * sizeof *best);
        }
        if (least <= SS_VELOCITY_EXACT || !solve_step(k, nv)) {
            break;
        }
        apply(k, nv, 1);
        ++*iterations;
    }
    if (isfinite(least)) {
        memcpy(k->r, best, (size_t)k->n * sizeof *best);
        memcpy(k->v, best + k->n, (size_t)nv * sizeof *best);
    }
    return least;
}

/* The smoothed law of the friction rows of a block: all of them slip. */
static void smooth_law(work *k, int32_t number, double s)
{
    const ss_block *b     = &k->p->blocks[number];
    int32_t         first = first_friction(b), end = b->start + b->dim;
    double          limit  = b->kind == SS_BLOCK_DISK ? k->bound[number] : b->mu * k->r[b->start];
    double          length = s * s;
    for (int32_t i = first; i < end; i++) {
        length += k->u[i] * k->u[i];
    }
    length          = sqrt(length);
    k->now[number]  = SLIP;
    k->turn[number] = limit / length;
    k->over[number] = 1;
    for (int32_t i = first; i < end; i++) {
        k->z[i] = -k->u[i] / length;
        k->r[i] = limit * k->z[i];
        k->F[i] = 0;
    }
}

/* The laws with friction smoothed by s; returns what they and the balance miss. */
static double smooth_miss(work *k, int32_t nv, double s)
{
    double worst = 0;
    velocities(k, nv);
    for (int32_t b = 0; b < k->p->nblocks; b++) {
        const ss_block *block = &k->p->blocks[b];
        if (block->kind != SS_BLOCK_DISK) {
            block_law(k, b);
            worst = larger(worst, fabs(k->F[block->start]));
        }
        if (block->kind == SS_BLOCK_DISK || (block->kind == SS_BLOCK_CONE && k->now[b] != OPEN)) {
            smooth_law(k, b, s);
        }
    }
    return larger(worst, imbalance(k, nv));
}

/* A step on the smoothed laws, as long as makes them miss less. False: there is none. */
static bool smooth_step(work *k, int32_t nv, double s, double *error)
{
    double start[N + NV];
    memcpy(start, k->r, (size_t)k->n * sizeof *start);
    memcpy(start + k->n, k->v, (size_t)nv * sizeof *start);
    if (!solve_step(k, nv)) {
        return false;
    }
    double part = 1;
    for (int halved = 0; halved < HALVINGS; halved++, part *= 0.5) {
        apply(k, nv, part);
        double now = smooth_miss(k, nv, s);
        if (now < *error) {
            *error = now;
            return true;
        }
        memcpy(k->r, start, (size_t)k->n * sizeof *start);
        memcpy(k->v, start + k->n, (size_t)nv * sizeof *start);
        smooth_miss(k, nv, s);
    }
    return false;
}

/* From a viscous problem to nearly the true one. */
static void approach(work *k, int32_t nv, int32_t *iterations)
{
    const double shrink = 0.2, last = SS_VELOCITY_FAR;
    double       s = 1;
    for (int stage = 0; stage < STAGES; stage++, s *= shrink) {
        double error = smooth_miss(k, nv, s);
        for (int i = 0; i < EASY_STEPS && error > last && smooth_step(k, nv, s, &error); i++) {
            ++*iterations;
        }
    }
}

static double run(work *k, int32_t nv, int32_t *iterations)
{
    double error = newton(k, nv, iterations);
    if (!(error <= SS_VELOCITY_NEAR)) {
        approach(k, nv, iterations);
        error = newton(k, nv, iterations);
    }
    return error;
}

double ss_velocity_run(const ss_cone *p, double *r, double *v, int32_t *iterations)
{
    work k; /* large, and every part is written before it is read */
    k.p = p, k.n = p->n, k.nv = p->nv;
    ss_matrix_to_dense(&p->M, k.M, p->nv);
    ss_matrix_to_dense(&p->H, k.H, p->nv);
    *iterations = 0;
    if (!find_units(&k, r, v)) {
        return INFINITY;
    }
    scale_problem(&k, r, v);
    /* one planar body is the common case, and compilers unroll its three coordinates */
    double error = k.nv == 3 ? run(&k, 3, iterations) : run(&k, k.nv, iterations);
    release_rounding(&k);
    for (int32_t j = 0; j < k.n; j++) {
        r[j] = k.r[j] * k.R;
    }
    for (int32_t i = 0; i < k.nv; i++) {
        v[i] = k.v[i] * k.V * k.scale[i];
    }
    return error;
}

/* ---- as a solver --------------------------------------------------------------------------- */

static ss_status solve(ss_solver *s, const ss_problem *problem, ss_solution *x)
{
    const ss_cone *p = &problem->as.cone;
    if (!ss_velocity_takes(p)) {
        x->outcome = SS_NOT_APPLICABLE;
        return SS_OK;
    }
    if (!x->warm) {
        memset(x->z, 0, (size_t)p->n * sizeof *x->z);
        memset(x->v, 0, (size_t)p->nv * sizeof *x->v);
    }
    double error = ss_velocity_run(p, x->z, x->v, &x->iterations);
    x->outcome   = error <= ss_solver_common(s)->tol ? SS_SOLVED : SS_LIMIT;
    return SS_OK;
}

const ss_solver_class ss_solver_velocity = {
    .name    = "velocity",
    .summary = "Newton in velocities: few bodies on many points, mass matrix zero or not",
    .accepts = SS_CONE,
    .traits  = SS_TRAIT_WARM_STARTS,
    .solve   = solve,
};
