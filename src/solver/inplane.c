/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inplane: frictional LCPs (friction_form.h) whose contacts have two directions of friction, d and
 * -d: those of scenes in the plane. There the polygon is the friction ball itself, and
 *
 *     0 <= p  _|_  u_p >= 0,   0 <= b  _|_  (u, -u) + s >= 0,   0 <= s  _|_  mu p - b_1 - b_2 >= 0
 *
 * says the same as Coulomb's law for r = (p, b_1 - b_2), a cone of two rows; with a bound of its
 * own in the place of mu p (joints) it is a disk, and p without friction is a unilateral row. That
 * problem has half of the unknowns and no zero diagonal, and the methods of the chain `contact`
 * mind neither redundant contacts nor ties, which pivoting does. Back:
 *
 *     b_1 = max(0, r_f),  b_2 = max(0, -r_f),  s = |u| where it slips, otherwise 0.
 */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "linalg/matrix.h"
#include "solver/delegate.h"
#include "solver/friction_form.h"

enum { NONE = -1, SEVERAL = -2 };

typedef struct inplane {
    const ss_lcp  *p;
    int32_t        n;      /* of p                                               */
    const double  *M;      /* (n x n) dense                                      */
    int32_t        ld;     /* .. its leading dimension                           */
    unsigned char *roles;  /* (n) ss_role                                        */
    int32_t       *normal; /* (n) of slip speeds: their p, NONE or SEVERAL       */
    int32_t       *along;  /* (n) .. b_1                                         */
    int32_t       *back;   /* (n) .. b_2                                         */
    int32_t       *place;  /* (rows) unknown of p that a row of the cone problem is */
    int32_t        rows, blocks;
    ss_block      *block; /* (n)                                                */
    double        *W, *q; /* of the cone problem                                */
    double        *r;     /* (rows) its reactions                               */
    double        *u;     /* (n) by unknown of p                                */
} inplane;

typedef struct state {
    ss_arena   arena;
    ss_solver *contact; /* made when first needed */
} state;

static double entry(const inplane *s, int32_t i, int32_t j)
{
    return s->M[i + (ptrdiff_t)j * s->ld];
}

/* ---- the form -------------------------------------------------------------------------------- */

/* The normal impulses and the directions that slip speed `j` goes with. */
static bool find_parts(inplane *s, int32_t j)
{
    int32_t count = 0;
    s->normal[j] = s->along[j] = s->back[j] = NONE;
    for (int32_t i = 0; i < s->n; i++) {
        double bounds = entry(s, j, i);
        if (s->roles[i] == SS_ROLE_NORMAL && bounds != 0) {
            s->normal[j] = s->normal[j] == NONE ? i : SEVERAL;
        } else if (bounds != 0 || entry(s, i, j) != 0) {
            if (bounds != -1 || entry(s, i, j) != 1 || count == 2) {
                return false;
            }
            s->along[j] = count == 0 ? i : s->along[j];
            s->back[j]  = i;
            count++;
        }
    }
    bool bound = s->normal[j] == NONE ? s->p->q[j] >= 0 : s->p->q[j] == 0;
    return count == 2 && s->normal[j] != SEVERAL && bound;
}

/* Are the two directions of slip speed j opposite, to the last bit? */
static bool is_opposite(const inplane *s, int32_t j)
{
    int32_t a = s->along[j], b = s->back[j];
    for (int32_t i = 0; i < s->n; i++) {
        if (i != j && (entry(s, i, a) != -entry(s, i, b) || entry(s, a, i) != -entry(s, b, i))) {
            return false;
        }
    }
    return s->p->q[a] == -s->p->q[b];
}

static void add_block(inplane *s, ss_block b)
{
    b.start               = s->rows;
    s->block[s->blocks++] = b;
}

static void add_contact(inplane *s, int32_t j)
{
    int32_t p = s->normal[j];
    if (p == NONE && s->p->q[j] == 0) {
        return; /* no friction at all */
    }
    if (p == NONE) {
        add_block(s, (ss_block){.kind = SS_BLOCK_DISK, .dim = 1, .bound = s->p->q[j]});
    } else {
        add_block(s, (ss_block){.kind = SS_BLOCK_CONE, .dim = 2, .mu = entry(s, j, p)});
        s->place[s->rows++] = p;
        s->roles[p]         = SS_ROLE_FREE; /* it has its block */
    }
    s->place[s->rows++] = s->along[j];
}

/* Blocks and rows of the cone problem; false: p is not of this form. */
static bool find_form(inplane *s)
{
    if (!ss_friction_form(&s->p->M, NULL, s->roles)) {
        return false;
    }
    for (int32_t j = 0; j < s->n; j++) {
        if (s->roles[j] == SS_ROLE_SLIP) {
            if (!find_parts(s, j) || !is_opposite(s, j)) {
                return false;
            }
            add_contact(s, j);
        }
    }
    for (int32_t i = 0; i < s->n; i++) {
        if (s->roles[i] == SS_ROLE_NORMAL) {
            add_block(s, (ss_block){.kind = SS_BLOCK_UNILATERAL, .dim = 1});
            s->place[s->rows++] = i;
        }
    }
    return true;
}

/* ---- there and back -------------------------------------------------------------------------- */

static ss_problem cone_problem(inplane *s)
{
    for (int32_t j = 0; j < s->rows; j++) {
        for (int32_t i = 0; i < s->rows; i++) {
            s->W[i + (ptrdiff_t)j * s->rows] = entry(s, s->place[i], s->place[j]);
        }
        s->q[j] = s->p->q[s->place[j]];
    }
    ss_matrix W = {.rows = s->rows, .cols = s->rows, .dense = s->W, .ld = s->rows};
    return (ss_problem){
        .type    = SS_CONE,
        .as.cone = {.n = s->rows, .nblocks = s->blocks, .blocks = s->block, .q = s->q, .W = W}};
}

/* The reactions of a guess. */
static void guess(inplane *s, const double *z)
{
    memcpy(s->u, z, (size_t)s->n * sizeof *s->u);
    for (int32_t j = 0; j < s->n; j++) {
        if (s->roles[j] == SS_ROLE_SLIP) {
            s->u[s->along[j]] -= z[s->back[j]];
        }
    }
    for (int32_t k = 0; k < s->rows; k++) {
        s->r[k] = s->u[s->place[k]];
    }
}

/* The largest friction impulse that slip speed j goes with. */
static double limit_of(const inplane *s, int32_t j, const double *z)
{
    int32_t p = s->normal[j];
    return p == NONE ? s->p->q[j] : entry(s, j, p) * z[p];
}

/*
 * Either friction sticks, s = 0 for a u of rounding, or it slips, s = |u| with friction at its
 * limit but for rounding: the smaller of the two errors tells which, with what friction lacks
 * counted as the velocity that it would make.
 */
static double slip_speed(const inplane *s, int32_t j, const double *z)
{
    int32_t a     = s->along[j];
    double  lacks = (limit_of(s, j, z) - z[a] - z[s->back[j]]) * entry(s, a, a);
    return fabs(s->u[a]) > lacks ? fabs(s->u[a]) : 0;
}

/* The unknowns of p from r. */
static void give(inplane *s, double *z)
{
    memset(z, 0, (size_t)s->n * sizeof *z);
    for (int32_t k = 0; k < s->rows; k++) {
        z[s->place[k]] = s->r[k];
    }
    for (int32_t j = 0; j < s->n; j++) {
        if (s->roles[j] == SS_ROLE_SLIP) {
            double f       = z[s->along[j]];
            z[s->along[j]] = fmax(0, f);
            z[s->back[j]]  = fmax(0, -f);
        }
    }
    memcpy(s->u, s->p->q, (size_t)s->n * sizeof *s->u);
    ss_matrix_mul_add(&s->p->M, z, s->u);
    for (int32_t j = 0; j < s->n; j++) {
        z[j] = s->roles[j] == SS_ROLE_SLIP ? slip_speed(s, j, z) : z[j];
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

static bool make(inplane *s, ss_arena *a)
{
    size_t n  = (size_t)s->n;
    s->roles  = ss_arena_alloc(a, n, sizeof *s->roles);
    s->normal = ss_arena_alloc(a, n, sizeof *s->normal);
    s->along  = ss_arena_alloc(a, n, sizeof *s->along);
    s->back   = ss_arena_alloc(a, n, sizeof *s->back);
    s->place  = ss_arena_alloc(a, n, sizeof *s->place);
    s->block  = ss_arena_alloc(a, n, sizeof *s->block);
    s->W      = ss_arena_alloc(a, n * n, sizeof *s->W);
    s->q      = ss_arena_alloc(a, n, sizeof *s->q);
    s->r      = ss_arena_alloc(a, n, sizeof *s->r);
    s->u      = ss_arena_alloc(a, n, sizeof *s->u);
    s->M      = s->p->M.dense;
    s->ld     = s->p->M.ld;
    if (s->M == NULL) {
        double *M = ss_arena_alloc(a, n * n, sizeof *M);
        s->M      = M;
        s->ld     = s->n;
        if (M != NULL) {
            ss_matrix_to_dense(&s->p->M, M, s->n);
        }
    }
    return s->roles && s->normal && s->along && s->back && s->place && s->block && s->W && s->q &&
           s->r && s->u && s->M;
}

static ss_status run(ss_solver *solver, inplane *s, ss_solution *x)
{
    state      *st      = ss_solver_state(solver);
    ss_problem  problem = cone_problem(s);
    ss_solution part    = {.z = s->r, .warm = x->warm};
    if (st->contact == NULL) {
        SS_TRY(ss_solver_create_named(ss_solver_context(solver), "contact", &st->contact));
    }
    if (x->warm) {
        guess(s, x->z);
    }
    SS_TRY(ss_solver_delegate_part(solver, st->contact, &problem, &part));
    give(s, x->z);
    x->outcome    = part.outcome;
    x->iterations = part.iterations;
    return SS_OK;
}

/* In scratch memory that grows until it is enough. */
static ss_status solve(ss_solver *solver, const ss_problem *p, ss_solution *x)
{
    state *st = ss_solver_state(solver);
    for (;;) {
        inplane s = {.p = &p->as.lcp, .n = p->as.lcp.n};
        ss_arena_reset(&st->arena);
        if (make(&s, &st->arena)) {
            x->outcome = SS_NOT_APPLICABLE;
            return find_form(&s) ? run(solver, &s, x) : SS_OK;
        }
        SS_TRY(ss_arena_grow(ss_solver_context(solver), &st->arena));
    }
}

static void release(ss_solver *s)
{
    state *st = ss_solver_state(s);
    ss_solver_destroy(st->contact);
    ss_arena_free(ss_solver_context(s), &st->arena);
}

const ss_solver_class ss_solver_inplane = {
    .name       = "inplane",
    .summary    = "frictional LCPs of scenes in the plane, as the cone problems they are",
    .accepts    = SS_LCP,
    .traits     = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPECIAL,
    .state_size = sizeof(state),
    .solve      = solve,
    .release    = release,
};
