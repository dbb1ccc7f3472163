/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reactions that outgrow velocities leave them no digits in doubles: whether contacts contradict
 * each other, or reactions of 1e14 merely lack their last digits, cannot be told from residuals.
 * Here it can: Newton's method on the laws, with reactions, velocities, and all that is made of
 * them in twice the working precision (factors in working precision, which is iterative
 * refinement):
 *
 *   open   r = 0                       sticks  u_f = 0
 *   closed u_n = 0                     slips   r_f = L y / |y|,  y = r_f - u_f
 *   momentum  M v - H r - f = 0        L = mu r_n, or the bound of a disk
 *
 * Which of them a contact obeys is what the projection of r - u says at every point, so that a
 * point at which all of them hold is a solution. All is done in units in which W_bb and M_kk are
 * about 1, powers of two, friction scaled to round cones: an error is a velocity, and blocks can be
 * compared whatever their units are.
 *
 * Errors are measured by the data of the row itself; by those of its contact where it has none or
 * is one of friction; where that has none either, by E, the largest of all that hang together. An
 * answer is confirmed where no law is missed by more than SS_CONFIRMED_GIVEN of that, with what
 * twice the precision hides. It is right to rounding where terms explain what is missed
 * (allowance() below), but terms that outgrow E explain no more than others: that is how
 * contradictions hide. An answer that is right as it is, to rounding or by `part` of data, is not
 * refined.
 *
 * A small number on the diagonal keeps rows harmless that depend on each other: where they are
 * consistent it moves no answer. Where it is too small rounding of such rows moves reactions about,
 * and sticking ones beyond their limit: then a larger one is tried.
 */
#include "solver/confirm_cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/twofold.h"
#include "linalg/components.h"
#include "linalg/matrix.h"
#include "problem/reduce.h"
#include "solver/cone_newton.h"
#include "solver/tolerances.h"

/* Steps, and steps that do not halve the error, before it is given up. */
enum { ROUNDS = 60, IDLE_MOST = 12, VECTORS = 14 };

/* What a row is told to be. */
typedef enum mode { OPEN, HOLDS, SLIPS } mode;

typedef struct pairs {
    double *hi, *lo;
} pairs;

typedef struct check {
    const ss_cone        *p;
    const ss_cone_answer *x;
    int32_t               n, nv, size; /* rows, velocities, both                              */
    double               *scale;       /* (size) powers of two                                */
    double               *unit;        /* (size) the same, times the axes of friction         */
    pairs                 y;           /* (size) v and r in these units                       */
    pairs                 plain;       /* (size) and as p has them                            */
    pairs                 w;           /* (size) momentum and u, in these units               */
    double               *F;           /* (size) what is missed                               */
    double               *terms;       /* (size) size of what is added up in w                */
    double               *own;         /* (size) data of the row                              */
    double               *all;         /* (size) E                                            */
    double               *d;           /* (size) direction of slip                            */
    double               *k;           /* (size) L / |y|                                      */
    double               *most;        /* (size) scratch                                      */
    unsigned char        *mode;        /* (size) a mode                                       */
    ss_cone               local;       /* without axes                                        */
    ss_cone               bordered;    /* .. and with momentum as rows                        */
    ss_newton             newton;      /* of these                                            */
    double                alpha;       /* on the diagonal                                     */
    double                products;
} check;

size_t ss_confirm_cone_bytes(const ss_cone *p)
{
    size_t size = (size_t)p->n + (size_t)p->nv;
    return VECTORS * size * sizeof(double) + size;
}

static check check_make(const ss_cone *p, const ss_cone_answer *x, void *room)
{
    check   c  = {.p = p, .x = x, .n = p->n, .nv = p->nv, .size = p->n + p->nv};
    double *at = room, **vectors[VECTORS] = {&c.scale,    &c.unit, &c.y.hi, &c.y.lo, &c.plain.hi,
                                             &c.plain.lo, &c.w.hi, &c.w.lo, &c.F,    &c.terms,
                                             &c.own,      &c.all,  &c.d,    &c.k};
    for (size_t i = 0; i < VECTORS; i++, at += c.size) {
        *vectors[i] = at;
    }
    c.most = c.d; /* before there are directions */
    c.mode = (unsigned char *)at;
    return c;
}

static bool is_contact(const ss_block *b)
{
    return b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
}

/* The first row of friction, its end, and the limit. */
typedef struct friction {
    int32_t    first, end;
    ss_twofold limit;
} friction;

static ss_twofold at(const pairs *x, int32_t i)
{
    return (ss_twofold){x->hi[i], x->lo[i]};
}

static void put(pairs *x, int32_t i, ss_twofold value)
{
    x->hi[i] = value.hi;
    x->lo[i] = value.lo;
}

static friction friction_of(const check *c, const ss_block *b)
{
    int32_t  first = c->nv + b->start, end = first + b->dim;
    friction f = {end, end, {0, 0}};
    if (b->kind == SS_BLOCK_CONE) {
        f.first = first + 1;
        f.limit = c->y.hi[first] > 0 ? ss_twofold_scale(at(&c->y, first), b->mu) : f.limit;
    } else if (b->kind == SS_BLOCK_DISK) {
        f.first = first;
        f.limit = (ss_twofold){b->bound / c->scale[first], 0};
    }
    return f;
}

/* ---- units and data -------------------------------------------------------------------------- */

/* Of rows: powers of two near 1 / sqrt(W_bb), times the axes of friction. */
static void block_units(check *c)
{
    for (int32_t k = 0; k < c->p->nblocks; k++) {
        const ss_block *b    = &c->p->blocks[k];
        double          most = 0;
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            most = fmax(most, c->x->rows.w[i]);
        }
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            bool   turns = b->kind == SS_BLOCK_DISK || (b->kind == SS_BLOCK_CONE && i > b->start);
            double axis  = turns && c->p->axes != NULL ? c->p->axes[i] : 1;
            c->scale[c->nv + i] = ss_balance(most);
            c->unit[c->nv + i]  = ss_balance(most) * axis;
        }
    }
}

/* Of momentum: 1 / sqrt(M_kk), or what brings the reactions in a balance of forces near 1. */
static void body_units(check *c)
{
    double *most = c->most;
    memset(most, 0, (size_t)c->size * sizeof *most);
    for (int32_t i = 0; i < c->n && c->nv > 0; i++) {
        for (int32_t e = ss_column_begin(&c->p->H, i); e < ss_column_end(&c->p->H, i); e++) {
            ss_entry h  = ss_column_entry(&c->p->H, i, e);
            most[h.row] = fmax(most[h.row], fabs(h.value) * c->unit[c->nv + i]);
        }
    }
    for (int32_t k = 0; k < c->nv; k++) {
        double mass = fabs(ss_matrix_diagonal(&c->p->M, k));
        c->scale[k] = c->unit[k] = ss_balance(mass > 0 ? mass : most[k] * most[k]);
    }
}

/* Which rows hang together; leaves in `all` the largest datum of each component. */
static void find_all(check *c, double *label)
{
    const ss_cone *p = c->p;
    ss_components_begin(c->size, label);
    if (c->nv > 0) {
        ss_components_join_matrix(label, &p->M, 0, 0);
        ss_components_join_matrix(label, &p->H, 0, c->nv);
    } else {
        ss_components_join_matrix(label, &p->W, 0, 0);
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        for (int32_t i = 1; i < p->blocks[k].dim; i++) {
            ss_components_join(label, c->nv + p->blocks[k].start, c->nv + p->blocks[k].start + i);
        }
    }
    memset(c->most, 0, (size_t)c->size * sizeof *c->most);
    for (int32_t i = 0; i < c->size; i++) {
        int32_t root  = ss_components_find(label, i);
        c->most[root] = fmax(c->most[root], c->own[i]);
    }
    for (int32_t i = 0; i < c->size; i++) {
        c->all[i] = c->most[ss_components_find(label, i)];
    }
}

/* Rows of friction, and rows of laws without data, take those of their contact. */
static void share_data(check *c, const ss_block *b)
{
    int32_t from = c->nv + b->start;
    double  most = 0;
    for (int32_t i = from; i < from + b->dim; i++) {
        most = fmax(most, c->own[i]);
    }
    for (int32_t i = from; i < from + b->dim; i++) {
        bool law  = b->kind == SS_BLOCK_EQUALITY || (is_contact(b) && i == from);
        c->own[i] = law && c->own[i] > 0 ? c->own[i] : most;
    }
}

/* Data of rows; what is not there is taken from all that hang together. */
static void find_data(check *c)
{
    for (int32_t k = 0; k < c->nv; k++) {
        c->own[k] = c->unit[k] * fabs(c->p->f[k]);
    }
    for (int32_t i = 0; i < c->n; i++) {
        c->own[c->nv + i] = fmax(c->unit[c->nv + i] * fabs(c->p->q[i]),
                                 c->scale[c->nv + i] * fabs(c->x->rows.free[i]));
    }
    find_all(c, c->F);
    for (int32_t k = 0; k < c->p->nblocks; k++) {
        share_data(c, &c->p->blocks[k]);
    }
    for (int32_t i = 0; i < c->size; i++) {
        double least = c->x->rounded ? SS_DATA_SEEN * c->all[i] : 0;
        c->own[i]    = c->own[i] > 0 ? fmax(c->own[i], least) : c->all[i];
    }
}

/* ---- laws ------------------------------------------------------------------------------------ */

/* x += A y (or A'y), y in twice the precision, and the sizes of what is added. */
static void add_product(const ss_matrix *A, bool transposed, const double *hi, const double *lo,
                        double *to, double *rest)
{
    void (*product)(const ss_matrix *, const double *, double *, double *) =
        transposed ? ss_matrix_mul_transposed_add_twofold : ss_matrix_mul_add_twofold;
    product(A, hi, to, rest);
    product(A, lo, to, rest);
}

static void add_sizes(const ss_matrix *A, bool transposed, const double *x, double *size)
{
    for (int32_t j = 0; j < A->cols; j++) {
        bool skipped = !transposed && x[j] == 0;
        for (int32_t e = ss_column_begin(A, j); !skipped && e < ss_column_end(A, j); e++) {
            ss_entry a = ss_column_entry(A, j, e);
            size[transposed ? j : a.row] += fabs(a.value * x[transposed ? a.row : j]);
        }
    }
}

/* w = M v - H r - f, H'v + q or W r + q at `plain`, and its terms. */
static void add_up(check *c)
{
    const ss_cone *p    = c->p;
    int32_t        nv   = c->nv;
    size_t         size = (size_t)c->size;
    const double  *hi = c->plain.hi, *lo = c->plain.lo;
    memset(c->w.lo, 0, size * sizeof *c->w.lo);
    for (int32_t i = 0; i < c->size; i++) {
        c->w.hi[i]  = i < nv ? p->f[i] : p->q[i - nv];
        c->terms[i] = fabs(c->w.hi[i]);
    }
    if (nv == 0) {
        add_product(&p->W, false, hi, lo, c->w.hi, c->w.lo);
        add_sizes(&p->W, false, hi, c->terms);
        return;
    }
    add_product(&p->H, false, hi + nv, lo + nv, c->w.hi, c->w.lo);
    add_sizes(&p->H, false, hi + nv, c->terms);
    for (int32_t k = 0; k < nv; k++) {
        c->w.hi[k] = -c->w.hi[k];
        c->w.lo[k] = -c->w.lo[k];
    }
    add_product(&p->M, false, hi, lo, c->w.hi, c->w.lo);
    add_sizes(&p->M, false, hi, c->terms);
    add_product(&p->H, true, hi, lo, c->w.hi + nv, c->w.lo + nv);
    add_sizes(&p->H, true, hi, c->terms + nv);
}

/* Friction at its rows: sticks within the limit, or slips along y = r - u. */
static void friction_law(check *c, const friction *f)
{
    ss_twofold sum = {0, 0};
    for (int32_t i = f->first; i < f->end; i++) {
        ss_twofold y = ss_twofold_subtract(at(&c->y, i), at(&c->w, i));
        sum          = ss_twofold_add(sum, ss_twofold_product(y, y));
    }
    ss_twofold length = ss_twofold_root(sum);
    ss_twofold beyond = ss_twofold_subtract(length, f->limit);
    bool       slips  = beyond.hi > 0;
    ss_twofold part   = slips ? ss_twofold_quotient(f->limit, length) : (ss_twofold){1, 0};
    for (int32_t i = f->first; i < f->end; i++) {
        ss_twofold r = at(&c->y, i), y = ss_twofold_subtract(r, at(&c->w, i));
        c->mode[i] = slips ? SLIPS : HOLDS;
        c->d[i]    = slips ? y.hi / length.hi : 0;
        c->k[i]    = part.hi;
        c->F[i]    = slips ? ss_twofold_subtract(r, ss_twofold_product(part, y)).hi : c->w.hi[i];
    }
}

static void block_law(check *c, const ss_block *b)
{
    int32_t  from  = c->nv + b->start;
    friction f     = friction_of(c, b);
    bool     opens = is_contact(b) && ss_twofold_subtract(at(&c->y, from), at(&c->w, from)).hi <= 0;
    for (int32_t i = from; i < (opens ? from + b->dim : f.first); i++) {
        c->mode[i] = opens ? OPEN : HOLDS;
        c->F[i]    = opens ? c->y.hi[i] : c->w.hi[i];
    }
    if (!opens && f.first < f.end) {
        friction_law(c, &f);
    }
}

/* F at y, and what it misses. */
static void evaluate(check *c)
{
    for (int32_t i = 0; i < c->size; i++) {
        put(&c->plain, i, ss_twofold_scale(at(&c->y, i), c->unit[i]));
    }
    add_up(c);
    for (int32_t i = 0; i < c->size; i++) {
        put(&c->w, i, ss_twofold_scale(at(&c->w, i), c->unit[i]));
        c->terms[i] = c->terms[i] * c->unit[i] + fabs(c->y.hi[i]);
    }
    for (int32_t k = 0; k < c->nv; k++) {
        c->F[k] = c->w.hi[k];
    }
    for (int32_t k = 0; k < c->p->nblocks; k++) {
        block_law(c, &c->p->blocks[k]);
    }
    c->products += 30 * ss_cone_entries(c->p);
}

/* What counts as right: a part of data, what terms explain, and of rows that depend on each other
   but for rounding what that makes of them. */
typedef enum excuse { DATA, TERMS, DEPENDENCE } excuse;

/*
 * What row i may miss. Terms that outgrow all data explain no more than others. Rounding explains
 * what it does, and of steps, whose data are rounded, what solvers leave, SS_ROW_SEEN of terms,
 * where it is little beside the row's data; so is what rounding of W makes of rows that depend on
 * each other.
 */
static double allowance(const check *c, int32_t i, double part, excuse what)
{
    double terms    = fmin(c->terms[i], SS_EXPLAINED * c->all[i]);
    double rounding = SS_ROW_RIGHT * DBL_EPSILON * terms;
    double left     = c->x->rounded ? fmin(SS_ROW_SEEN * terms, c->own[i] / SS_DOUBTFUL) : 0;
    bool   given    = c->nv > 0 || c->x->sought; /* W, or what it is made of */
    double depends  = given ? 0 : fmin(DBL_EPSILON * c->terms[i], SS_DEPENDS * c->own[i]);
    double data     = part * c->own[i];
    double told     = what == DATA ? data : fmax(data, fmax(rounding, left));
    return what == DEPENDENCE ? fmax(told, depends) : told;
}

/* The largest part of what it may miss that a row misses; NaN counts. */
static double worst(const check *c, double part, excuse what)
{
    double most = 0;
    for (int32_t i = 0; i < c->size; i++) {
        double missed = fabs(c->F[i]) + c->size * DBL_EPSILON * DBL_EPSILON * c->terms[i];
        double share  = missed == 0 ? 0 : missed / allowance(c, i, part, what);
        most          = share <= most ? most : share;
    }
    return most;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/*
 * J dy = -F by the Newton steps of `ac` (cone_newton.h), momentum being rows without a law. Its
 * units are other ones, y = y' / c block by block: J' = A' + B' W' with A' = A / c and B' = c B is
 * J in these. What is open is known by A' = 1 there, so that such rows are multiplied by c. J need
 * only be near; F is what counts.
 */
static bool prepare_steps(check *c, ss_arena *a)
{
    c->local = *c->p;
    return (c->local.axes == NULL || ss_reduce_axes(c->p, a, &c->local)) &&
           (c->nv == 0 || ss_reduce_border(&c->local, a, &c->bordered)) &&
           ss_newton_prepare(&c->newton, c->nv > 0 ? &c->bordered : &c->local, a);
}

/* Rows of friction that slip: dF = dr_f - mu d dr_n - k (I - d d')(dr_f - du_f). */
static void slip_rows(check *c, const ss_block *b, const friction *f, double unit, double *A,
                      double *B)
{
    int32_t from = c->nv + b->start;
    for (int32_t i = f->first; i < f->end; i++) {
        for (int32_t j = f->first; j < f->end; j++) {
            double  across = c->k[i] * ((i == j) - c->d[i] * c->d[j]);
            int32_t at     = (j - from) * b->dim + i - from;
            A[at]          = ((i == j) - across) / unit;
            B[at]          = across * unit;
        }
        if (f->first > from) {
            A[i - from] = -b->mu * c->d[i] / unit;
        }
    }
}

/* A and B of block k of the steps, of rows from `from` on; b: its law, or none. */
static void put_law(check *c, int32_t k, int32_t from, const ss_block *b)
{
    int32_t dim  = b != NULL ? b->dim : 1;
    double  unit = c->scale[from] / c->newton.scale[k];
    double *A = c->newton.A + c->newton.law_at[k], *B = c->newton.B + c->newton.law_at[k];
    memset(A, 0, (size_t)(dim * dim) * sizeof *A);
    memset(B, 0, (size_t)(dim * dim) * sizeof *B);
    for (int32_t i = 0; i < dim; i++) {
        bool open                = b != NULL && c->mode[from + i] == OPEN;
        A[i * (dim + 1)]         = open ? 1 : c->alpha / unit;
        B[i * (dim + 1)]         = open ? 0 : unit;
        c->newton.F[from + i]    = open ? c->F[from + i] * unit : c->F[from + i];
        c->newton.step[from + i] = 0;
    }
    friction f = b != NULL ? friction_of(c, b) : (friction){from, from, {0, 0}};
    if (f.first < f.end && c->mode[f.first] == SLIPS) {
        slip_rows(c, b, &f, unit, A, B);
    }
}

/* y += dy; false: there is no such step. */
static bool move(check *c, ss_confirm_memory *memory, ss_context *ctx, ss_status *status)
{
    bool singular = false;
    for (int32_t k = 0; k < c->nv; k++) {
        put_law(c, k, k, NULL);
    }
    for (int32_t k = 0; k < c->p->nblocks; k++) {
        put_law(c, c->nv + k, c->nv + c->p->blocks[k].start, &c->p->blocks[k]);
    }
    *status = ss_newton_step(&c->newton, ctx, &memory->lu, &singular);
    for (int32_t i = 0; *status == SS_OK && !singular && i < c->size; i++) {
        double unit = c->scale[i] / c->newton.scale[c->newton.block_of[i]];
        put(&c->y, i, ss_twofold_add(at(&c->y, i), (ss_twofold){c->newton.step[i] / unit, 0}));
    }
    bool done = *status == SS_OK && !singular;
    *status   = *status == SS_ERR_UNSUPPORTED ? SS_OK : *status; /* too large for this build */
    return done;
}

/*
 * Newton's method, as long as it goes somewhere: beyond a point that is right to rounding only
 * while steps halve the error.
 */
static ss_status refine(check *c, ss_confirm_memory *memory, ss_context *ctx,
                        ss_confirmation *found)
{
    double    before = INFINITY;
    int       idle   = 0;
    ss_status status = SS_OK;
    for (int round = 0; round < ROUNDS && idle < IDLE_MOST; round++) {
        double error = worst(c, SS_CONFIRMED_GIVEN, DATA);
        if (error <= 1) {
            *found = SS_CONFIRMED_BY_DATA;
            break;
        }
        bool right =
            worst(c, SS_CONFIRMED_GIVEN, DEPENDENCE) <= 1 || worst(c, c->x->part, TERMS) <= 1;
        *found      = right ? SS_RIGHT_TO_ROUNDING : *found;
        bool halved = error < 0.5 * before;
        if (!isfinite(error) || (*found != SS_LEFT_OPEN && !halved) ||
            c->products + c->newton.products > c->x->most || !move(c, memory, ctx, &status)) {
            break;
        }
        idle   = halved ? 0 : idle + 1;
        before = fmin(before, error);
        evaluate(c);
    }
    return status;
}

/* The answer as it is. */
static void begin(check *c)
{
    memset(c->mode, HOLDS, (size_t)c->size);
    for (int32_t i = 0; i < c->size; i++) {
        double value = i < c->nv ? c->x->v[i] : c->x->r[i - c->nv];
        put(&c->y, i, (ss_twofold){value / c->unit[i], 0});
    }
    evaluate(c);
}

/* From the answer on, with each term on the diagonal in turn. */
static ss_status look_near(check *c, ss_confirm_memory *memory, ss_context *ctx,
                           ss_confirmation *found)
{
    static const double alpha[] = SS_CONFIRM_ALPHA;
    for (ss_arena_reset(&memory->arena); !prepare_steps(c, &memory->arena);
         ss_arena_reset(&memory->arena)) {
        SS_TRY(ss_arena_grow(ctx, &memory->arena));
    }
    c->newton.rho      = 1;
    c->newton.patience = c->x->patience;
    for (size_t k = 0; k < sizeof alpha / sizeof *alpha && *found == SS_LEFT_OPEN; k++) {
        c->alpha = alpha[k];
        begin(c);
        SS_TRY(refine(c, memory, ctx, found));
    }
    c->products += c->newton.products;
    return SS_OK;
}

ss_status ss_contacts_confirmed(ss_context *ctx, const ss_cone *p, const ss_cone_answer *x,
                                ss_confirm_memory *memory, void *room, double *products,
                                ss_confirmation *found)
{
    check c = check_make(p, x, room);
    block_units(&c);
    body_units(&c);
    find_data(&c);
    begin(&c);
    bool right = worst(&c, x->part, TERMS) <= 1;
    *found     = worst(&c, x->part, DATA) <= 1 ? SS_CONFIRMED_BY_DATA
                 : right                       ? SS_RIGHT_TO_ROUNDING
                                               : SS_LEFT_OPEN;
    ss_status status =
        *found == SS_LEFT_OPEN && x->most > 0 ? look_near(&c, memory, ctx, found) : SS_OK;
    *products += c.products;
    return status;
}
