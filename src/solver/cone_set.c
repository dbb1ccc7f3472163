/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/cone_set.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/rank.h"
#include "solver/friction_law.h"
#include "solver/tolerances.h"

/* Rows beyond which factors cost more than steps; Newton steps of a set, and of a descent; sets
   that follow each other in a circle. */
enum { ROWS_MOST = 120, STEPS = 16, DESCENT = 30, CIRCLE = 4 };

enum { OPEN = SS_SET_OPEN, STICK = SS_SET_STICK, SLIP = SS_SET_SLIP, CREEP = SS_SET_CREEP };

bool ss_cone_set_takes(const ss_cone *p)
{
    return p->nv == 0 && p->axes == NULL && p->W.dense != NULL && p->n <= ROWS_MOST;
}

bool ss_cone_set_make(ss_cone_set *s, const ss_cone *p, ss_arena *a)
{
    size_t n = (size_t)p->n, square = n * n, most = n + (size_t)p->nblocks;
    *s             = (ss_cone_set){.p = p, .n = p->n};
    double  *all   = ss_arena_alloc(a, 2 * square + most * most + 9 * most, sizeof *all);
    int32_t *whole = ss_arena_alloc(a, 6 * most, sizeof *whole);
    s->mode        = ss_arena_alloc(a, (size_t)p->nblocks, sizeof *s->mode);
    if (all == NULL || whole == NULL || s->mode == NULL) {
        return false;
    }
    memset(s->mode, OPEN, (size_t)p->nblocks * sizeof *s->mode);
    s->W = all, s->C = all + square, s->J = all + 2 * square;
    double **vectors[] = {&s->q, &s->unit, &s->r, &s->u, &s->F, &s->z, &s->step, &s->left, &s->s};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = all + 2 * square + most * most + i * most;
    }
    int32_t **lists[] = {&s->pivot, &s->perm, &s->row, &s->held, &s->creep, &s->extra};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = whole + i * most;
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        s->s[k] = 1;
    }
    return true;
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool find_units(ss_cone_set *s)
{
    const ss_cone *p = s->p;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b    = &p->blocks[k];
        size_t          ld   = (size_t)p->W.ld;
        double          w    = ss_block_size(b, p->W.dense + (size_t)b->start * (ld + 1), ld);
        double          root = sqrt(w);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            s->unit[i] = root;
        }
        if (!(w > 0)) {
            return false;
        }
    }
    return true;
}

static double length(const double *x, int32_t m)
{
    double sum = 0;
    for (int32_t i = 0; i < m; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

void ss_cone_set_velocities(ss_cone_set *s)
{
    for (int32_t i = 0; i < s->n; i++) {
        s->u[i] = s->q[i] + s->e * s->r[i];
    }
    for (int32_t j = 0; j < s->n; j++) {
        const double *column = s->W + (ptrdiff_t)j * s->n;
        for (int32_t i = 0; s->r[j] != 0 && i < s->n; i++) {
            s->u[i] += column[i] * s->r[j];
        }
    }
}

bool ss_cone_set_begin(ss_cone_set *s, const double *r)
{
    if (!find_units(s)) {
        return false;
    }
    const ss_matrix *W       = &s->p->W;
    double          *inverse = s->step;
    for (int32_t j = 0; j < s->n; j++) {
        inverse[j] = 1 / s->unit[j];
    }
    for (int32_t j = 0; j < s->n; j++) {
        for (int32_t i = 0; i < s->n; i++) {
            s->W[i + (ptrdiff_t)j * s->n] =
                W->dense[i + (ptrdiff_t)j * W->ld] * (inverse[i] * inverse[j]);
        }
        s->q[j] = s->p->q[j] / s->unit[j];
        s->r[j] = r[j] * s->unit[j];
    }
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b = &s->p->blocks[k];
        s->stake          = fmax(s->stake, length(s->q + b->start, b->dim));
        s->stake          = fmax(s->stake, length(s->r + b->start, b->dim));
    }
    ss_cone_set_velocities(s);
    return true;
}

/* ---- what each block does -------------------------------------------------------------------- */

static bool pushes(const ss_block *b)
{
    return b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
}

/* Rows of friction: their first, how many, the limit, and how it grows with the normal impulse. */
typedef struct friction {
    int32_t block, first, m;
    double  mu, limit;
} friction;

static friction friction_of(const ss_cone_set *s, int32_t k)
{
    const ss_block *b = &s->p->blocks[k];
    if (b->kind == SS_BLOCK_CONE) {
        double mu = s->r[b->start] > 0 ? b->mu : 0;
        return (friction){k, b->start + 1, b->dim - 1, mu, mu * s->r[b->start]};
    }
    if (b->kind == SS_BLOCK_DISK) {
        return (friction){k, b->start, b->dim, 0, b->bound * s->unit[b->start]};
    }
    return (friction){k, b->start, 0, 0, 0};
}

/* Does block k slide in a direction that is known? */
static bool is_known(const ss_cone_set *s, int32_t k)
{
    return s->slides.known != NULL && s->slides.known[k];
}

/* |y|, with z = y / |y|; y = 0: z = 0. Of a slip that is known, infinite: nothing turns it. */
static double slip_direction(ss_cone_set *s, const friction *f)
{
    double size = 0;
    if (is_known(s, f->block)) {
        for (int32_t i = f->first; i < f->first + f->m; i++) {
            s->z[i] = -s->slides.slip[i];
        }
        return INFINITY;
    }
    for (int32_t i = f->first; i < f->first + f->m; i++) {
        s->z[i] = s->r[i] - s->u[i];
    }
    size = length(s->z + f->first, f->m);
    for (int32_t i = f->first; size > 0 && i < f->first + f->m; i++) {
        s->z[i] /= size;
    }
    return size;
}

/* What bears and what touches without bearing are closed: the rule shares the load among both. */
static unsigned char first_mode(ss_cone_set *s, int32_t k)
{
    const ss_block *b = &s->p->blocks[k];
    friction        f = friction_of(s, k);
    if (pushes(b) && s->r[b->start] - s->u[b->start] <= 0 &&
        fabs(s->u[b->start]) > SS_SHARE_TOUCHES * s->stake) {
        return OPEN;
    }
    if (is_known(s, k)) {
        return SLIP;
    }
    bool slips = f.m > 0 && slip_direction(s, &f) > f.limit &&
                 length(s->u + f.first, f.m) > SS_SHARE_TOUCHES * s->stake;
    if (!slips && f.limit > 0 && length(s->r + f.first, f.m) >= SS_SHARE_SLIDES * f.limit) {
        return CREEP;
    }
    return slips ? SLIP : STICK;
}

/* How far the mode of a block is from its law, > 0, and which one would hold. */
typedef struct breach {
    double        by;
    unsigned char then;
} breach;

static breach breach_of(ss_cone_set *s, int32_t k)
{
    const ss_block *b = &s->p->blocks[k];
    friction        f = friction_of(s, k);
    if (s->mode[k] == OPEN) {
        return (breach){-s->u[b->start], f.m > 0 ? SLIP : STICK};
    }
    if (pushes(b) && s->r[b->start] < -SS_SHARE_NONE * s->stake) {
        return (breach){-s->r[b->start], OPEN};
    }
    if (pushes(b) && s->u[b->start] > SS_SHARE_TOUCHES * s->stake) {
        return (breach){s->u[b->start], OPEN}; /* a row that others make but for a gap of its own */
    }
    if (f.m == 0) {
        return (breach){0, STICK};
    }
    if (s->mode[k] == CREEP) {
        return (breach){(1 - s->s[k]) * f.limit, STICK};
    }
    return s->mode[k] == STICK
               ? (breach){length(s->r + f.first, f.m) - f.limit, s->creeps ? CREEP : SLIP}
               : (breach){f.limit - slip_direction(s, &f), STICK};
}

/* The worst blocks change; all that are equally bad do, lest their order matter. True: some did. */
static bool change_modes(ss_cone_set *s)
{
    double worst = SS_SHARE_NONE * s->stake;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        worst = fmax(worst, breach_of(s, k).by);
    }
    bool any = false;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        breach          x = breach_of(s, k);
        const ss_block *b = &s->p->blocks[k];
        if (x.by <= SS_SHARE_NONE * s->stake || x.by < SS_SHARE_EQUAL * worst) {
            continue;
        }
        any        = true;
        s->mode[k] = x.then;
        s->s[k]    = 1;
        for (int32_t i = b->start; x.then == OPEN && i < b->start + b->dim; i++) {
            s->r[i] = 0;
        }
    }
    if (any) {
        ss_cone_set_velocities(s);
    }
    return any;
}

/* ---- which rows depend on others ------------------------------------------------------------- */

static void list_rows(ss_cone_set *s)
{
    s->rows = s->helds = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b = &s->p->blocks[k];
        friction        f = friction_of(s, k);
        for (int32_t i = b->start; s->mode[k] != OPEN && i < b->start + b->dim; i++) {
            if (s->mode[k] != SLIP || i < f.first) {
                s->held[s->helds++] = s->rows;
            }
            s->creep[s->rows] = s->mode[k] == CREEP && i >= f.first ? k : -1;
            s->row[s->rows++] = i;
        }
    }
    s->unknowns = s->rows;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        s->extra[k] = s->mode[k] == CREEP ? s->unknowns++ : -1;
    }
}

/* C = L L' of W_EE, as far as its rows are independent. */
static void factor_held(ss_cone_set *s)
{
    int32_t m = s->helds;
    for (int32_t j = 0; j < m; j++) {
        const double *column = s->W + (ptrdiff_t)s->row[s->held[j]] * s->n;
        for (int32_t i = 0; i < m; i++) {
            s->C[i + (ptrdiff_t)j * m] = column[s->row[s->held[i]]];
        }
    }
    s->rank = ss_dense_rank_cholesky(m, s->C, m, SS_SHARE_RANK, s->perm, s->left);
    s->products += (double)m * s->rank * s->rank / 2;
}

/* ---- Newton's method ------------------------------------------------------------------------- */

static double *entry(ss_cone_set *s, int32_t row, int32_t column)
{
    return s->J + row + (ptrdiff_t)column * s->unknowns;
}

/* Row `to` of J gets x times the row of W + e I at that place of the list. */
static void add_row(ss_cone_set *s, int32_t to, int32_t place, double x)
{
    const double *column = s->W + (ptrdiff_t)s->row[place] * s->n; /* W is symmetric */
    double       *J      = s->J + to;
    *entry(s, to, place) += x * s->e;
    for (int32_t c = 0; c < s->rows; c++, J += s->unknowns) {
        *J += x * column[s->row[c]];
    }
}

/* dF = dr_f - mu z dr_n - g (I - z z')(dr_f - du_f); `at`: place of the block's first row. */
static void add_slip(ss_cone_set *s, int32_t k, int32_t at)
{
    friction f    = friction_of(s, k);
    double   size = slip_direction(s, &f), g = size > 0 ? f.limit / size : 0;
    int32_t  place = at + (f.first - s->p->blocks[k].start);
    for (int32_t i = 0; i < f.m; i++) {
        double zi       = s->z[f.first + i];
        s->F[place + i] = s->r[f.first + i] - f.limit * zi;
        for (int32_t j = 0; j < f.m; j++) {
            double across = g * ((i == j) - zi * s->z[f.first + j]);
            *entry(s, place + i, place + j) += (i == j) - across;
            add_row(s, place + i, place + j, across);
        }
        if (f.mu > 0) {
            *entry(s, place + i, at) -= f.mu * zi;
        }
    }
}

/* |r_f| - mu r_n of what creeps. */
static void add_creep(ss_cone_set *s, int32_t k, int32_t at)
{
    const ss_block *b     = &s->p->blocks[k];
    friction        f     = friction_of(s, k);
    int32_t         place = at + (f.first - b->start), to = s->extra[k];
    double          size = length(s->r + f.first, f.m);
    for (int32_t i = 0; i < f.m; i++) {
        *entry(s, to, place + i) = size > 0 ? s->r[f.first + i] / size : 1;
    }
    if (f.mu > 0) {
        *entry(s, to, at) = -f.mu;
    }
    s->F[to] = size - f.limit;
}

/* What the impulse of a row of E counts for in a share: s times where its block creeps. */
static double counts(const ss_cone_set *s, int32_t place)
{
    return s->creep[place] < 0 ? 1 : s->s[s->creep[place]];
}

/* The part x of a row of E in row `to`. */
static double add_part(ss_cone_set *s, int32_t to, int32_t place, double x)
{
    double r = s->r[s->row[place]], d = counts(s, place);
    *entry(s, to, place) = x * d;
    if (s->creep[place] >= 0) {
        *entry(s, to, s->extra[s->creep[place]]) += x * r;
    }
    return x * d * r;
}

/*
 * l'W over e in row `to`, and l'W r', of which l = (-x, 1) leaves nothing but rounding where others
 * make the row. Of one that they make only nearly, to d, its square is no pivot, but d itself is a
 * velocity that what slips gives it.
 */
static double add_cross(ss_cone_set *s, int32_t to, const double *x)
{
    double own = 0;
    for (int32_t c = 0; c < s->rows; c++) {
        const double *column = s->W + (ptrdiff_t)s->row[c] * s->n;
        double        cross  = column[s->row[to]];
        for (int32_t k = 0; k < s->rank; k++) {
            cross -= x[k] * column[s->row[s->held[s->perm[k]]]];
        }
        if (fabs(cross) > SS_PATH_CROSS) {
            *entry(s, to, c) += cross / s->e;
            own += cross * s->r[s->row[c]];
        }
    }
    s->products += (double)s->rows * s->rank;
    return own;
}

/*
 * Row `held[perm[j]]`, which others make, becomes l'r' = 0: l' = (-x', 1), L11'x = L21'. Where
 * contacts give, l'u' = l'q' + l'W r' + e l'r', without the rounding of W over e.
 */
static void add_share(ss_cone_set *s, int32_t j)
{
    int32_t m = s->helds, to = s->held[s->perm[j]];
    for (int32_t c = 0; c < s->unknowns; c++) {
        *entry(s, to, c) = 0;
    }
    double *x = s->step;
    for (int32_t k = s->rank; k-- > 0;) {
        double sum = s->C[j + (ptrdiff_t)k * m];
        for (int32_t i = k + 1; i < s->rank; i++) {
            sum -= s->C[i + (ptrdiff_t)k * m] * x[i];
        }
        x[k] = sum / s->C[k + (ptrdiff_t)k * m];
    }
    double miss = add_part(s, to, to, 1), own = s->q[s->row[to]];
    for (int32_t k = 0; k < s->rank; k++) {
        int32_t place = s->held[s->perm[k]];
        miss += add_part(s, to, place, -x[k]);
        own -= x[k] * s->q[s->row[place]];
    }
    own += s->e > 0 ? add_cross(s, to, x) : 0;
    bool part = s->e > 0 && fabs(own) > SS_PATH_OWN * s->stake;
    s->parts  = s->parts || part;
    s->F[to]  = miss + (part ? own / s->e : 0);
}

static void assemble(ss_cone_set *s)
{
    memset(s->J, 0, (size_t)s->unknowns * (size_t)s->unknowns * sizeof *s->J);
    int32_t at = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b = &s->p->blocks[k];
        if (s->mode[k] == SLIP) {
            add_slip(s, k, at);
        } else if (s->mode[k] == CREEP) {
            add_creep(s, k, at);
        }
        at += s->mode[k] == OPEN ? 0 : b->dim;
    }
    for (int32_t j = 0; j < s->rank; j++) {
        int32_t to = s->held[s->perm[j]];
        s->F[to]   = s->u[s->row[to]];
        add_row(s, to, to, 1);
    }
    for (int32_t j = s->rank; j < s->helds; j++) {
        add_share(s, j);
    }
}

/* One step; its size, or INFINITY where there is none. */
static double newton_step(ss_cone_set *s)
{
    assemble(s);
    s->steps++;
    s->miss = 0;
    for (int32_t i = 0; i < s->unknowns; i++) {
        s->miss = fmax(s->miss, fabs(s->F[i]));
    }
    int32_t m = s->unknowns;
    s->products += ss_dense_lu_products(m) + (double)m * m;
    if (!ss_dense_lu(m, s->J, m, s->pivot)) {
        return INFINITY;
    }
    memcpy(s->step, s->F, (size_t)m * sizeof *s->step);
    ss_dense_lu_solve(m, s->J, m, s->pivot, s->step);
    double most = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        s->s[k] -= s->mode[k] == CREEP ? s->step[s->extra[k]] : 0;
    }
    for (int32_t i = 0; i < s->rows; i++) {
        s->r[s->row[i]] -= s->step[i];
        most = fmax(most, fabs(s->step[i]));
    }
    ss_cone_set_velocities(s);
    return most;
}

/* True: the equations of the set hold to rounding. */
static bool solve_set(ss_cone_set *s)
{
    double before = 0;
    for (int k = 0; k < STEPS; k++) {
        double moved = newton_step(s), size = s->stake;
        if (!(moved <= SS_SHARE_AWAY * s->stake)) {
            return false;
        }
        for (int32_t i = 0; i < s->rows; i++) {
            size = fmax(size, fabs(s->r[s->row[i]])); /* other answers may be larger */
        }
        double shrinks =
            k > 0 ? moved / before : 1; /* quadratically: the next step is by its square smaller */
        bool still = k > 0 && shrinks >= 0.5 && s->miss <= SS_SHARE_STEP * size;
        if (moved * shrinks <= SS_SHARE_STEP * size || still) {
            return true;
        }
        before = moved;
    }
    return false;
}

/* ---- contacts that give ---------------------------------------------------------------------- */

/* The modes that r' and u' tell; what opens lets go. True: others than before. */
static bool tell_modes(ss_cone_set *s)
{
    bool other = false, lets_go = false;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b     = &s->p->blocks[k];
        friction        f     = friction_of(s, k);
        bool            opens = pushes(b) && s->r[b->start] - s->u[b->start] <= 0;
        bool            slips = f.m > 0 && slip_direction(s, &f) > f.limit;
        unsigned char   mode  = opens ? OPEN : slips ? SLIP : STICK;
        other                 = other || mode != s->mode[k];
        s->mode[k]            = mode;
        for (int32_t i = b->start; opens && i < b->start + b->dim; i++) {
            lets_go = lets_go || s->r[i] != 0;
            s->r[i] = 0;
        }
    }
    if (lets_go) {
        ss_cone_set_velocities(s);
    }
    return other;
}

/* Is a step as long as one of the last few? Then sets follow each other in a circle. */
static bool comes_again(double moved, double before[CIRCLE], int k)
{
    bool again = false;
    for (int i = 0; i < CIRCLE && i < k; i++) {
        again = again || fabs(moved - before[i]) <= SS_PATH_SAME * moved;
    }
    before[k % CIRCLE] = moved;
    return again;
}

bool ss_cone_set_descend(ss_cone_set *s)
{
    double before[CIRCLE];
    for (int k = 0; k < DESCENT; k++) {
        bool other = tell_modes(s);
        list_rows(s);
        factor_held(s);
        double moved = newton_step(s);
        if (!isfinite(moved) || (comes_again(moved, before, k) && other)) {
            return false;
        }
        if (!other && moved <= (SS_SHARE_PATH + SS_SHARE_STEP / s->e) * s->stake) {
            return !tell_modes(s);
        }
    }
    return false;
}

double ss_cone_set_slide(const ss_cone_set *s, int32_t k)
{
    friction f    = friction_of(s, k);
    double   size = length(s->r + f.first, f.m);
    return s->mode[k] != SLIP || !(size > 0) ? 0
           : is_known(s, k)                  ? INFINITY
                                             : length(s->u + f.first, f.m) / size;
}

/* ---- the answer of a set --------------------------------------------------------------------- */

bool ss_cone_set_choose(ss_cone_set *s)
{
    bool slips = false;
    s->other   = false;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        unsigned char mode = first_mode(s, k);
        s->other           = s->other || mode != s->mode[k];
        s->mode[k]         = mode;
        s->s[k]            = 1;
        slips              = slips || mode == SLIP;
    }
    return slips;
}

bool ss_cone_set_is_open(ss_cone_set *s)
{
    list_rows(s);
    factor_held(s);
    return s->rank < s->helds;
}

bool ss_cone_set_settle(ss_cone_set *s, int sets)
{
    for (int k = 0; k < sets; k++) {
        list_rows(s);
        factor_held(s);
        if (!solve_set(s)) {
            return false; /* rounding would choose the next set */
        }
        if (!change_modes(s)) {
            return true;
        }
    }
    return false;
}

bool ss_cone_set_holds(const ss_cone_set *s)
{
    for (int32_t j = 0; j < s->helds; j++) {
        if (!(fabs(s->u[s->row[s->held[j]]]) <= SS_SHARE_TOUCHES * s->stake)) {
            return false;
        }
    }
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        friction f   = friction_of(s, k);
        double   dot = 0;
        for (int32_t i = f.first; s->mode[k] == SLIP && i < f.first + f.m; i++) {
            dot += s->r[i] * s->u[i];
        }
        if (s->mode[k] == CREEP && !(s->s[k] <= SS_SHARE_CREEP)) {
            return false; /* nothing holds it */
        }
        bool chosen = s->mode[k] == SLIP && !is_known(s, k);
        if (chosen && f.limit > 0 && !(dot < -SS_SHARE_NONE * s->stake * f.limit)) {
            return false;
        }
    }
    return true;
}
