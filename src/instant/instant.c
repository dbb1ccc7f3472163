/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be said of a state before a step.
 *
 * Existence and uniqueness. Contacts that slide (or are smooth) alone make an LCP a = D z + q with
 * Dupont's matrix D; if it is a P-matrix there is one solution for every load (Theorem 3.1). Small
 * problems are searched through: every solution is found, or it is proved that there is none. In
 * space the cones of sticking contacts are polygons in that search. A motion is counted once; where
 * the forces of one motion form a continuum, they are said not to be unique, contact by contact:
 * with z inside the continuum, its directions dz have dz_i = 0 where z_i = 0 and (M dz)_i = 0 where
 * w_i = 0, and a force f.z is unique if f depends on those rows.
 *
 * Painleve: D_ii = n - mu f of a sliding contact vanishes at mu = n/f.
 */
#include "stickslip/instant.h"

#include <math.h>
#include <string.h>

#include "analysis/pointed.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "instant/instant_problem.h"
#include "instant/tolerances.h"
#include "linalg/basis.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/axes.h"
#include "sim/sim.h"
#include "stickslip/lcp.h"

enum { MOTIONS_MAX = 64, LAYERS_MAX = 24, COORDINATES_MAX = 240 };

struct ss_instant {
    ss_context         *ctx;
    ss_solver          *all, *any; /* enumerate, auto */
    double              layers, resolution;
    int32_t             most;
    ss_instant_verdict *verdict; /* that is being made */
    int32_t             nb, contact_count, solution_count;
    ss_instant_contact *contacts;
    ss_instant_force   *forces;  /* (MOTIONS_MAX x contact_count) */
    ss_body_motion     *motions; /* (MOTIONS_MAX x nb)            */
    double (*witness)[6];
    int32_t contact_room;
    double  D[LAYERS_MAX * LAYERS_MAX];
    int32_t layer_count;
    /* the LCP that was asked for; in the scratch of the data */
    ss_instant_rows    posed_rows;
    ss_instant_problem posed;
    ss_phantom         phantom;
    bool               by_box, plain;
};

const char *ss_instant_mode_text(ss_instant_mode mode)
{
#define SS_INSTANT_TEXT(code, text) [code] = text,
    static const char *const texts[]       = {SS_INSTANT_MODE_LIST(SS_INSTANT_TEXT)};
#undef SS_INSTANT_TEXT
    return (unsigned)mode < sizeof texts / sizeof texts[0] ? texts[mode] : "?";
}

/* ---- the object ---- */

ss_status ss_instant_create(ss_context *ctx, const ss_model *m, ss_instant **out)
{
    ss_instant *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the analysis of an instant");
    }
    s->ctx           = ctx;
    s->layers        = NAN;
    s->most          = 24;
    s->nb            = m->nb;
    s->motions       = ss_alloc(ctx, (size_t)MOTIONS_MAX * (size_t)m->nb + 1, sizeof *s->motions);
    ss_status status = ss_solver_create_named(ctx, "enumerate", &s->all);
    if (status == SS_OK) {
        status = ss_solver_create_named(ctx, "auto", &s->any);
    }
    if (status == SS_OK) {
        status = ss_solver_set(s->all, "all", "true");
    }
    if (status == SS_OK && s->motions == NULL) {
        status = ss_fail(ctx, SS_ERR_MEMORY, "no memory for the analysis of an instant");
    }
    if (status != SS_OK) {
        ss_instant_destroy(s);
        return status;
    }
    *out = s;
    return SS_OK;
}

static void free_contacts(ss_instant *s)
{
    size_t n = (size_t)s->contact_room;
    ss_free(s->ctx, s->contacts, n * sizeof *s->contacts);
    ss_free(s->ctx, s->forces, n * MOTIONS_MAX * sizeof *s->forces);
    ss_free(s->ctx, s->witness, n * sizeof *s->witness);
    s->contacts     = NULL;
    s->forces       = NULL;
    s->witness      = NULL;
    s->contact_room = 0;
}

void ss_instant_destroy(ss_instant *s)
{
    if (s == NULL) {
        return;
    }
    free_contacts(s);
    ss_free(s->ctx, s->motions, ((size_t)MOTIONS_MAX * (size_t)s->nb + 1) * sizeof *s->motions);
    ss_solver_destroy(s->all);
    ss_solver_destroy(s->any);
    ss_free(s->ctx, s, sizeof *s);
}

void ss_instant_set_layers(ss_instant *s, double c2_over_k)
{
    s->layers = c2_over_k;
}

void ss_instant_set_resolution(ss_instant *s, double seconds)
{
    s->resolution = seconds;
}

void ss_instant_set_enumerate(ss_instant *s, int32_t unknowns)
{
    s->most = unknowns;
}

static ss_status make_room(ss_instant *s, int32_t contacts)
{
    if (contacts <= s->contact_room) {
        return SS_OK;
    }
    free_contacts(s);
    size_t n    = (size_t)contacts + 8;
    s->contacts = ss_alloc(s->ctx, n, sizeof *s->contacts);
    s->forces   = ss_alloc(s->ctx, n * MOTIONS_MAX, sizeof *s->forces);
    s->witness  = ss_alloc(s->ctx, n, sizeof *s->witness);
    if (!s->contacts || !s->forces || !s->witness) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", (int)contacts);
    }
    s->contact_room = (int32_t)n;
    return SS_OK;
}

/* ---- contacts ---- */

static void list_contacts(ss_instant *s, const ss_model *m, const ss_instant_rows *r)
{
    ss_instant_verdict *v = s->verdict;
    s->contact_count      = 0;
    v->separating         = r->separating;
    for (int32_t i = 0; i < r->nblocks; i++) {
        const ss_instant_block *b = &r->blocks[i];
        v->striking += b->mode == SS_INSTANT_STRIKES;
        v->other += b->source != SS_ROWS_CONTACT && b->kind != SS_BLOCK_EQUALITY;
        if (b->source != SS_ROWS_CONTACT) {
            continue;
        }
        const ss_contact   *c   = &r->contacts[b->index];
        ss_instant_contact *out = &s->contacts[s->contact_count++];
        *out                    = (ss_instant_contact){.body_a    = m->geoms[c->geom_a].body,
                                                       .body_b    = m->geoms[c->geom_b].body,
                                                       .normal    = c->normal,
                                                       .mu        = b->mu,
                                                       .rows      = b->dim,
                                                       .mode      = b->mode,
                                                       .painleve  = 1,
                                                       .mu_border = INFINITY};
        out->point              = ss_scale(0.5, ss_add(c->point_a, c->point_b));
        ss_contact_frame(m, c, &out->t, &out->o);
        for (int32_t k = 0; k < b->dim; k++) {
            double axis      = k > 0 ? ss_model_law(m, c)->axes[k - 1] : 1;
            out->velocity[k] = r->u[b->row + k] / axis;
        }
        v->sliding += b->mode == SS_INSTANT_SLIDES;
        v->sticking += b->mode == SS_INSTANT_STICKS;
        v->smooth += b->mode == SS_INSTANT_SMOOTH;
    }
    v->contacts = s->contact_count;
}

/* The place of a contact's block among the listed ones: contacts come first. */
static bool is_contact(const ss_instant_rows *r, int32_t block)
{
    return r->blocks[block].source == SS_ROWS_CONTACT;
}

/* ---- Painleve, P-matrix, layers ---- */

/* N_ii of a sliding contact with and without its friction, joints holding. */
static void painleve(ss_instant *s, const ss_instant_rows *r, const ss_instant_problem *p)
{
    for (int32_t j = 0; j < p->n; j++) {
        int32_t                 at = p->which[p->block[j]];
        const ss_instant_block *b  = &r->blocks[at];
        if (!is_contact(r, at) || b->mode != SS_INSTANT_SLIDES) {
            continue;
        }
        /* The column of the contact is n - mu f: with mu = 0 it is that of its normal row alone. */
        double              all   = p->cone.W.dense[j + (size_t)j * (size_t)p->cone.W.ld];
        double              plain = p->smooth[j];
        double              drag  = b->mu > 0 ? (plain - all) / b->mu : 0;
        ss_instant_contact *c     = &s->contacts[at];
        c->painleve               = plain > 0 ? all / plain : 1;
        c->mu_border              = drag > SS_INSTANT_BORDER * plain ? plain / drag : INFINITY;
        s->verdict->painleve      = fmin(s->verdict->painleve, c->painleve);
        if (c->mu_border - c->mu < s->verdict->mu_border) {
            s->verdict->mu_border = c->mu_border - c->mu;
        }
    }
}

/* Does the island consist of unilateral unknowns alone? Then its matrix is Dupont's. */
static bool nothing_sticks(const ss_instant_problem *p)
{
    for (int32_t i = 0; i < p->cone.nblocks; i++) {
        if (p->cone.blocks[i].kind != SS_BLOCK_UNILATERAL) {
            return false;
        }
    }
    return true;
}

static ss_answer both(ss_answer a, ss_answer b)
{
    return a == SS_NO || b == SS_NO ? SS_NO : a == SS_YES && b == SS_YES ? SS_YES : SS_UNDECIDED;
}

/* Block-diagonal over the islands. */
static void add_layers(ss_instant *s, const ss_instant_problem *p)
{
    int32_t n = s->layer_count, all = n + p->n;
    if (all > LAYERS_MAX) {
        s->layer_count = LAYERS_MAX + 1;
        return;
    }
    double D[LAYERS_MAX * LAYERS_MAX] = {0};
    for (int32_t j = 0; j < all; j++) {
        for (int32_t i = 0; i < all; i++) {
            bool old = i < n && j < n, new = i >= n &&j >= n;
            D[i + j * all] = old ? s->D[i + j * n]
                             : new
                                 ? p->cone.W.dense[(i - n) + (size_t)(j - n) * (size_t)p->cone.W.ld]
                                 : 0;
        }
    }
    memcpy(s->D, D, sizeof D);
    s->layer_count = all;
}

static ss_status judge_layers(ss_instant *s)
{
    ss_instant_verdict *v = s->verdict;
    if (v->sticking > 0 || v->other > 0) {
        v->p_matrix_why = v->stable_why = "not applicable: some contacts or joints stick";
        return SS_OK;
    }
    if (s->layer_count == 0) {
        v->p_matrix_why = v->stable_why = "not applicable: nothing touches";
        return SS_OK;
    }
    if (s->layer_count > LAYERS_MAX) {
        v->p_matrix_why = v->stable_why = "not applicable: too many contacts";
        return SS_OK;
    }
    SS_TRY(ss_pmatrix(s->ctx, s->D, s->layer_count, &v->p_matrix));
    SS_TRY(ss_layer_stability(s->ctx, s->D, s->layer_count, &v->critical, NULL));
    if (v->critical == 0) {
        v->stable = SS_YES;
    } else if (isinf(v->critical)) {
        v->stable = SS_NO;
    } else if (!isnan(s->layers)) {
        v->stable = s->layers > v->critical ? SS_YES : SS_NO;
    } else {
        v->stable_why = "it depends on c^2/k of the contacts";
    }
    return SS_OK;
}

/* ---- solutions of an island ---- */

/* One of them: unknowns, and which of them a continuum leaves alone. */
typedef struct motion {
    double *z;     /* (n)                            */
    double *force; /* (rows)                         */
    double *a;     /* (rows) accelerations           */
    bool   *fixed; /* (n) unknowns that are unique   */
} motion;

typedef struct island {
    ss_instant_problem p;
    motion             motions[MOTIONS_MAX];
    int32_t            count;
    bool               complete, varies; /* varies: some forces are not unique */
    ss_answer          exists;
    double             residual;
} island;

static ss_status add_motion(ss_data *d, const ss_instant_rows *r, island *isl, const double *z)
{
    const ss_instant_problem *p = &isl->p;
    size_t                    n = (size_t)p->n, rows = (size_t)p->rows;
    motion                   *x = &isl->motions[isl->count];
    x->z                        = ss_arena_alloc(&d->scratch, n, sizeof *x->z);
    x->force                    = ss_arena_alloc(&d->scratch, rows, sizeof *x->force);
    x->a                        = ss_arena_alloc(&d->scratch, rows, sizeof *x->a);
    x->fixed                    = ss_arena_alloc(&d->scratch, n, sizeof *x->fixed);
    if (!x->z || !x->force || !x->a || !x->fixed) {
        return SS_ERR_SCRATCH;
    }
    memcpy(x->z, z, n * sizeof *z);
    memset(x->fixed, 1, n * sizeof *x->fixed);
    ss_instant_forces(r, p, z, x->force);
    ss_instant_accelerations(p, x->force, x->a);
    isl->count++;
    return SS_OK;
}

/* Do two of them move alike? Rows span all that contacts do to the bodies. */
static bool same_motion(const island *isl, const motion *x, const motion *y)
{
    double apart = 0, size = 0;
    for (int32_t i = 0; i < isl->p.rows; i++) {
        apart = fmax(apart, fabs(x->a[i] - y->a[i]));
        size  = fmax(size, fabs(isl->p.q[i]) + fabs(x->a[i]) + fabs(y->a[i]));
    }
    return apart <= SS_INSTANT_SAME * size;
}

static void note_differences(island *isl, motion *kept, const motion *other)
{
    double size = 0;
    for (int32_t i = 0; i < isl->p.n; i++) {
        size = fmax(size, fabs(kept->z[i]) + fabs(other->z[i]));
    }
    for (int32_t i = 0; i < isl->p.n; i++) {
        bool same      = fabs(kept->z[i] - other->z[i]) <= SS_INSTANT_SAME * size;
        kept->fixed[i] = kept->fixed[i] && other->fixed[i] && same;
        isl->varies    = isl->varies || !kept->fixed[i];
    }
}

/*
 * Rank of the rows of A (rows x cols, row-major, destroyed) by elimination with full pivoting.
 */
static int32_t rank_of(double *A, int32_t rows, int32_t cols)
{
    double largest = 0;
    for (int32_t k = 0; k < rows && k < cols; k++) {
        int32_t r = k, c = k;
        for (int32_t i = k; i < rows; i++) {
            for (int32_t j = k; j < cols; j++) {
                if (fabs(A[i * cols + j]) > fabs(A[r * cols + c])) {
                    r = i;
                    c = j;
                }
            }
        }
        double pivot = fabs(A[r * cols + c]);
        largest      = k == 0 ? pivot : largest;
        if (pivot <= SS_INSTANT_BORDER * largest || pivot == 0) {
            return k;
        }
        for (int32_t j = 0; j < cols; j++) {
            double x        = A[k * cols + j];
            A[k * cols + j] = A[r * cols + j];
            A[r * cols + j] = x;
        }
        for (int32_t i = 0; i < rows; i++) {
            double x        = A[i * cols + k];
            A[i * cols + k] = A[i * cols + c];
            A[i * cols + c] = x;
        }
        for (int32_t i = k + 1; i < rows; i++) {
            double f = A[i * cols + k] / A[k * cols + k];
            for (int32_t j = k; j < cols; j++) {
                A[i * cols + j] -= f * A[k * cols + j];
            }
        }
    }
    return rows < cols ? rows : cols;
}

/* Which unknowns of the cone problem does the continuum around z leave alone? */
static ss_status find_fixed(ss_data *d, const ss_model *m, const ss_lcp *lcp, const double *z,
                            bool plain, island *isl, motion *x)
{
    int32_t  n = lcp->n, rows = 0, cols = 0;
    size_t   room = (size_t)n * (size_t)(n + 1);
    double  *A    = ss_arena_alloc(&d->scratch, 2 * room + 3 * (size_t)n, sizeof *A);
    int32_t *col  = ss_arena_alloc(&d->scratch, (size_t)n, sizeof *col);
    if (A == NULL || col == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *B = A + room, *w = B + room, *e = w + n, *r = e + n;
    double  zs = 0, ws = 0;
    memcpy(w, lcp->q, (size_t)n * sizeof *w);
    ss_matrix_mul_add(&lcp->M, z, w);
    for (int32_t i = 0; i < n; i++) {
        zs = fmax(zs, z[i]);
        ws = fmax(ws, fabs(w[i]) + fabs(lcp->q[i]));
    }
    for (int32_t i = 0; i < n; i++) {
        if (z[i] > SS_INSTANT_SAME * zs) {
            col[cols++] = i;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        if (w[i] <= SS_INSTANT_SAME * ws) {
            for (int32_t j = 0; j < cols; j++) {
                A[rows * cols + j] = lcp->M.dense[i + (size_t)col[j] * (size_t)lcp->M.ld];
            }
            rows++;
        }
    }
    memcpy(B, A, (size_t)rows * (size_t)cols * sizeof *B);
    int32_t rank = rank_of(B, rows, cols);
    for (int32_t k = 0; k < isl->p.n && rank < cols; k++) {
        memcpy(B, A, (size_t)rows * (size_t)cols * sizeof *B);
        for (int32_t j = 0; j < cols; j++) { /* row k of the map from z to the unknowns */
            memset(e, 0, (size_t)n * sizeof *e);
            e[col[j]] = 1;
            if (plain) {
                B[rows * cols + j] = e[k];
            } else {
                ss_reduce_polygon_back(&isl->p.cone, &m->polygon, e, r);
                B[rows * cols + j] = r[k];
            }
        }
        x->fixed[k] = rank_of(B, rows + 1, cols) == rank;
        isl->varies = isl->varies || !x->fixed[k];
    }
    return SS_OK;
}

/* The island's LCP; `plain`: its unknowns are those of the cone problem. */
static ss_status reduce(const ss_model *m, ss_data *d, const ss_instant_problem *p, bool *plain,
                        ss_lcp *out)
{
    ss_problem reduced;
    *plain = nothing_sticks(p);
    if (*plain) {
        *out = (ss_lcp){.n = p->n, .M = p->cone.W, .q = p->cone.q};
        return SS_OK;
    }
    if (!ss_reduce_polygon(&p->cone, &m->polygon, &d->scratch, &reduced)) {
        return SS_ERR_SCRATCH;
    }
    *out = reduced.as.lcp;
    return SS_OK;
}

static ss_status take_pieces(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r,
                             const ss_lcp *lcp, bool plain, island *isl)
{
    double *unknowns = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof *unknowns);
    if (unknowns == NULL) {
        return SS_ERR_SCRATCH;
    }
    int32_t pieces = ss_enumerate_count(s->all);
    for (int32_t i = 0; i < pieces; i++) {
        const ss_lcp_piece *piece = ss_enumerate_piece(s->all, i);
        if (isl->count == MOTIONS_MAX) {
            isl->complete = false;
            break;
        }
        if (plain) {
            memcpy(unknowns, piece->z, (size_t)isl->p.n * sizeof *unknowns);
        } else {
            ss_reduce_polygon_back(&isl->p.cone, &m->polygon, piece->z, unknowns);
        }
        SS_TRY(add_motion(d, r, isl, unknowns));
        motion *x = &isl->motions[isl->count - 1];
        if (piece->dimension > 0) {
            SS_TRY(find_fixed(d, m, lcp, piece->z, plain, isl, x));
        }
        for (int32_t k = 0; k + 1 < isl->count; k++) {
            if (same_motion(isl, &isl->motions[k], x)) {
                note_differences(isl, &isl->motions[k], x);
                isl->count--;
                break;
            }
        }
    }
    return SS_OK;
}

static ss_status search(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r,
                        island *isl)
{
    ss_lcp lcp;
    bool   plain;
    SS_TRY(reduce(m, d, &isl->p, &plain, &lcp));
    if (lcp.n > s->most) {
        return SS_OK;
    }
    ss_problem  problem = {.type = SS_LCP, .as.lcp = lcp};
    ss_solution x       = {.z = ss_arena_alloc(&d->scratch, (size_t)lcp.n, sizeof(double))};
    if (x.z == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_solve(s->all, &problem, &x));
    isl->complete = ss_enumerate_complete(s->all);
    if (x.outcome == SS_SOLVED) {
        isl->exists   = SS_YES;
        isl->residual = x.residual;
        return take_pieces(s, m, d, r, &lcp, plain, isl);
    }
    isl->exists = x.outcome == SS_INFEASIBLE && isl->complete ? SS_NO : SS_UNDECIDED;
    return SS_OK;
}

/* One solution, where there are too many unknowns to look for all. */
static ss_status solve_one(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r,
                           island *isl)
{
    ss_problem  problem = {.type = SS_CONE, .as.cone = isl->p.cone};
    ss_solution x       = {.z = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof(double))};
    bool        plain   = false;
    if (x.z == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (ss_cone_of(m)->flat || nothing_sticks(&isl->p)) {
        ss_lcp lcp;
        SS_TRY(reduce(m, d, &isl->p, &plain, &lcp));
        problem = (ss_problem){.type = SS_LCP, .as.lcp = lcp};
        x.z     = ss_arena_alloc(&d->scratch, (size_t)lcp.n, sizeof(double));
        if (x.z == NULL) {
            return SS_ERR_SCRATCH;
        }
    }
    SS_TRY(ss_solve(s->any, &problem, &x));
    if (x.outcome == SS_INFEASIBLE) {
        isl->exists = SS_NO;
    }
    if (!(x.residual <= SS_INSTANT_CERTIFIED)) {
        return SS_OK;
    }
    isl->exists      = SS_YES;
    isl->residual    = x.residual;
    double *unknowns = x.z;
    if (problem.type == SS_LCP && !plain) {
        unknowns = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof *unknowns);
        if (unknowns == NULL) {
            return SS_ERR_SCRATCH;
        }
        ss_reduce_polygon_back(&isl->p.cone, &m->polygon, x.z, unknowns);
    }
    return add_motion(d, r, isl, unknowns);
}

static ss_status judge_island(ss_instant *s, const ss_model *m, ss_data *d,
                              const ss_instant_rows *r, island *isl)
{
    ss_answer p = SS_UNDECIDED;
    isl->exists = SS_UNDECIDED;
    if (isl->p.n == 0) {
        isl->exists   = SS_YES;
        isl->complete = true;
        return add_motion(d, r, isl, isl->p.known);
    }
    SS_TRY(search(s, m, d, r, isl));
    if (isl->count == 0 && isl->exists == SS_UNDECIDED) {
        SS_TRY(solve_one(s, m, d, r, isl));
    }
    if (nothing_sticks(&isl->p) && isl->count == 1 && !isl->complete) {
        SS_TRY(ss_pmatrix(s->ctx, isl->p.cone.W.dense, isl->p.n, &p));
        isl->complete = p == SS_YES;
    }
    return SS_OK;
}

/* ---- results ---- */

static ss_instant_mode mode_of(const ss_instant_block *b, const double *force, const double *a,
                               double force_size, double size)
{
    if (!(force[0] > SS_INSTANT_SAME * force_size)) {
        return SS_INSTANT_LEAVES;
    }
    if (b->mode != SS_INSTANT_STICKS) {
        return b->mode;
    }
    double slip = 0;
    for (int32_t k = 1; k < b->dim; k++) {
        slip += a[k] * a[k];
    }
    return sqrt(slip) > SS_INSTANT_SAME * size ? SS_INSTANT_STARTS : SS_INSTANT_STICKS;
}

static void put_contacts(ss_instant *s, const ss_model *m, const ss_instant_rows *r,
                         const island *isl, const motion *x, int32_t solution)
{
    double size = 0, force_size = 0;
    for (int32_t i = 0; i < isl->p.rows; i++) {
        size       = fmax(size, fabs(isl->p.q[i]) + fabs(x->a[i]));
        force_size = fmax(force_size, fabs(x->force[i]));
    }
    for (int32_t i = 0; i < isl->p.nblocks; i++) {
        int32_t                 at = isl->p.which[i], first = isl->p.first[i];
        const ss_instant_block *b = &r->blocks[at];
        if (!is_contact(r, at)) {
            continue;
        }
        ss_instant_force  *f   = &s->forces[solution * s->contact_count + at];
        const ss_pair_law *law = ss_model_law(m, &r->contacts[b->index]);
        *f                     = (ss_instant_force){.unique = true};
        for (int32_t k = 0; k < b->dim; k++) {
            double axis        = k > 0 ? law->axes[k - 1] : 1;
            f->force[k]        = x->force[first + k] * axis;
            f->acceleration[k] = x->a[first + k] / axis;
        }
        f->mode = mode_of(b, x->force + first, x->a + first, force_size, size);
        for (int32_t k = 0; k < isl->p.n; k++) {
            f->unique = f->unique && (isl->p.block[k] != i || x->fixed[k]);
        }
    }
}

static ss_status put_motion(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r,
                            const island *isl, const int32_t *choice, int32_t count,
                            int32_t solution)
{
    double *a = ss_arena_alloc(&d->scratch, (size_t)m->nv, sizeof *a);
    if (a == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(a, r->a_free, (size_t)m->nv * sizeof *a);
    for (int32_t i = 0; i < count; i++) {
        const motion *x = &isl[i].motions[choice[i]];
        ss_instant_push(m, d, r, &isl[i].p, x->force, a);
        put_contacts(s, m, r, &isl[i], x, solution);
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        ss_twist       w = {{0, 0, 0}, {0, 0, 0}};
        if (ss_body_moves(b)) {
            w = ss_twist_from_vector(m, b->dof, a + b->v_start);
        }
        s->motions[solution * m->nb + i] = (ss_body_motion){w.v, w.w};
    }
    return SS_OK;
}

/* All solutions of the whole: one of each island, in every combination. */
static ss_status list_solutions(ss_instant *s, const ss_model *m, ss_data *d,
                                const ss_instant_rows *r, const island *isl, int32_t count)
{
    int32_t *choice = ss_arena_alloc(&d->scratch, (size_t)count + 1, sizeof *choice);
    if (choice == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(choice, 0, ((size_t)count + 1) * sizeof *choice);
    for (s->solution_count = 0; s->solution_count < MOTIONS_MAX;) {
        SS_TRY(put_motion(s, m, d, r, isl, choice, count, s->solution_count));
        s->solution_count++;
        int32_t i = 0;
        while (i < count && ++choice[i] == isl[i].count) {
            choice[i++] = 0;
        }
        if (i == count) {
            return SS_OK;
        }
    }
    s->verdict->complete = false;
    return SS_OK;
}

/* ---- the friction cone ---- */

static void wrench_of(const ss_model *m, const ss_data *d, const ss_instant_block *b, int32_t row,
                      double *out)
{
    memset(out, 0, (size_t)m->nv * sizeof *out);
    for (int side = 0; side < 2; side++) {
        const double *J = ss_row_side(m, &d->rows, row, side);
        for (int32_t c = 0; b->body[side] >= 0 && c < m->dof; c++) {
            out[m->bodies[b->body[side]].v_start + c] =
                J[c] / ss_coordinate_scale(m, b->body[side], c);
        }
    }
}

/* The wrenches of all closed contacts, joints taken out (analysis/contact_cone.c). */
static ss_status judge_cone(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r)
{
    size_t nv = (size_t)m->nv, nc = (size_t)s->contact_count, rows = 0;
    if (m->nv > COORDINATES_MAX || nc == 0) {
        s->verdict->pointed = nc == 0 ? SS_YES : SS_UNDECIDED;
        return SS_OK;
    }
    for (size_t i = 0; i < nc; i++) {
        rows += (size_t)r->blocks[i].dim;
    }
    ss_cone_piece *pieces = ss_arena_alloc(&d->scratch, nc, sizeof *pieces);
    double        *W      = ss_arena_alloc(&d->scratch, rows * nv, sizeof *W);
    double        *joints = ss_arena_alloc(&d->scratch, nv * nv, sizeof *joints);
    double        *work   = ss_arena_alloc(&d->scratch, ss_cone_pointed_work(m->nv), sizeof *work);
    double        *forces = ss_arena_alloc(&d->scratch, 6 * nc + 6, sizeof *forces);
    double        *one    = ss_arena_alloc(&d->scratch, nv, sizeof *one);
    if (!pieces || !W || !joints || !work || !forces || !one) {
        return SS_ERR_SCRATCH;
    }
    int32_t rank = 0;
    for (int32_t i = 0; i < r->nblocks; i++) {
        const ss_instant_block *b = &r->blocks[i];
        for (int32_t k = 0; b->kind == SS_BLOCK_EQUALITY && k < b->dim; k++) {
            wrench_of(m, d, b, b->row + k, one);
            ss_basis_add(m->nv, joints, &rank, one, SS_INSTANT_BORDER * ss_vector_norm(m->nv, one));
        }
    }
    for (size_t i = 0; i < nc; i++) {
        const ss_instant_block *b = &r->blocks[i];
        pieces[i] = (ss_cone_piece){W, b->dim, b->mu, ss_cone_of(m)->flat ? &m->polygon : NULL};
        for (int32_t k = 0; k < b->dim; k++, W += nv) {
            wrench_of(m, d, b, b->row + k, W);
            ss_basis_leave(m->nv, joints, rank, W);
        }
    }
    ss_cone_sum K       = {.n = m->nv, .count = (int32_t)nc, .pieces = pieces};
    s->verdict->pointed = ss_cone_pointed(&K, work, forces, NULL);
    for (size_t i = 0; s->verdict->pointed == SS_NO && i < nc; i++) {
        memcpy(s->witness[i], forces + 6 * i, sizeof s->witness[i]);
    }
    return SS_OK;
}

/* ---- the verdict ---- */

static void sum_up(ss_instant_verdict *v, const island *isl, int32_t count)
{
    bool several = false, varies = false;
    v->exists   = SS_YES;
    v->complete = true;
    for (int32_t i = 0; i < count; i++) {
        v->exists   = both(v->exists, isl[i].exists);
        v->complete = v->complete && isl[i].complete;
        v->residual = fmax(v->residual, isl[i].residual);
        several     = several || isl[i].count > 1;
        varies      = varies || isl[i].varies;
    }
    if (v->exists == SS_NO) {
        v->exists_why = "no contact forces obey the laws: all combinations were tried";
        v->unique     = SS_NO;
        v->unique_why = "there is no solution";
        return;
    }
    if (v->exists == SS_UNDECIDED) {
        v->exists_why = "no solution was found, and their absence is not proved";
        return;
    }
    v->unique        = several ? SS_NO : v->complete ? SS_YES : SS_UNDECIDED;
    v->unique_why    = v->unique == SS_UNDECIDED ? "too many unknowns to look for all" : NULL;
    v->forces_unique = varies ? SS_NO : v->complete ? SS_YES : SS_UNDECIDED;
}

static ss_status judge_islands(ss_instant *s, const ss_model *m, ss_data *d,
                               const ss_instant_rows *r)
{
    int32_t  count;
    int32_t *island_of = ss_arena_alloc(&d->scratch, (size_t)r->nblocks + 1, sizeof *island_of);
    if (island_of == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_instant_islands(m, d, r, island_of, &count));
    island *isl = ss_arena_alloc(&d->scratch, (size_t)count + 1, sizeof *isl);
    if (isl == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(isl, 0, ((size_t)count + 1) * sizeof *isl);
    for (int32_t i = 0; i < count; i++) {
        SS_TRY(ss_instant_pose(m, d, r, island_of, i, &isl[i].p));
        painleve(s, r, &isl[i].p);
        add_layers(s, &isl[i].p);
        SS_TRY(judge_island(s, m, d, r, &isl[i]));
    }
    sum_up(s->verdict, isl, count);
    SS_TRY(judge_layers(s));
    return s->verdict->exists == SS_YES ? list_solutions(s, m, d, r, isl, count) : SS_OK;
}

/* The verdict before anything is known. */
static ss_instant_verdict undecided(void)
{
    return (ss_instant_verdict){.exists        = SS_UNDECIDED,
                                .unique        = SS_UNDECIDED,
                                .forces_unique = SS_UNDECIDED,
                                .p_matrix      = SS_UNDECIDED,
                                .stable        = SS_UNDECIDED,
                                .pointed       = SS_UNDECIDED,
                                .critical      = NAN,
                                .painleve      = 1,
                                .mu_border     = INFINITY};
}

static ss_status judge(ss_instant *s, const ss_model *m, ss_data *d)
{
    ss_instant_rows r;
    *s->verdict       = undecided();
    s->solution_count = s->layer_count = 0;
    SS_TRY(ss_instant_gather(m, d, s->resolution, &r));
    SS_TRY(make_room(s, r.contact_count));
    if (s->contact_room > 0) {
        memset(s->witness, 0, (size_t)s->contact_room * sizeof *s->witness);
    }
    list_contacts(s, m, &r);
    SS_TRY(judge_cone(s, m, d, &r));
    if (s->verdict->striking > 0) {
        s->verdict->exists_why = s->verdict->unique_why = s->verdict->p_matrix_why =
            s->verdict->stable_why = "not applicable: something strikes, an impact comes first";
        return SS_OK;
    }
    SS_TRY(judge_islands(s, m, d, &r));
    s->verdict->solutions = s->solution_count;
    return SS_OK;
}

ss_status ss_instant_judge(ss_instant *s, const ss_model *m, ss_data *d, ss_instant_verdict *out)
{
    SS_TRY(ss_data_given(m, d, out));
    *out             = undecided();
    out->refused     = ss_instant_refuses(m);
    s->contact_count = s->solution_count = s->layer_count = 0;
    if (out->refused != NULL) {
        return SS_OK;
    }
    s->verdict       = out;
    ss_status status = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        status = judge(s, m, d);
    }
    d->rows.nblocks   = 0; /* no step was taken: nothing of it is left to ask about */
    d->contacts.count = 0;
    return status;
}

/* ---- as an LCP ---- */

/* What ss_instant_take will want. */
static ss_status keep_room(const ss_instant *s, const ss_model *m, ss_data *d)
{
    size_t numbers = 3 * (size_t)s->posed.n + 2 * (size_t)s->posed.rows + (size_t)m->nv;
    size_t mark    = ss_arena_mark(&d->scratch);
    void  *room    = ss_arena_alloc(&d->scratch, numbers + 6 * SS_ARENA_ALIGN, sizeof(double));
    ss_arena_release(&d->scratch, mark);
    return room != NULL ? SS_OK : SS_ERR_SCRATCH;
}

static ss_status pose_all(ss_instant *s, const ss_model *m, ss_data *d, ss_instant_form form,
                          ss_problem *lcp, bool *regular)
{
    SS_TRY(ss_instant_gather(m, d, s->resolution, &s->posed_rows));
    SS_TRY(make_room(s, s->posed_rows.contact_count));
    list_contacts(s, m, &s->posed_rows);
    int32_t *together =
        ss_arena_alloc(&d->scratch, (size_t)s->posed_rows.nblocks + 1, sizeof *together);
    if (together == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(together, 0, ((size_t)s->posed_rows.nblocks + 1) * sizeof *together);
    SS_TRY(ss_instant_pose(m, d, &s->posed_rows, together, 0, &s->posed));
    *regular  = true;
    s->by_box = form.box > 0;
    *lcp      = (ss_problem){.type = SS_LCP};
    if (s->by_box) {
        SS_TRY(ss_instant_phantom(d, &s->posed, form.box, form.rho, &s->phantom, regular));
        lcp->as.lcp = s->phantom.lcp;
    } else {
        SS_TRY(reduce(m, d, &s->posed, &s->plain, &lcp->as.lcp));
    }
    return keep_room(s, m, d);
}

ss_status ss_instant_as_lcp(ss_instant *s, const ss_model *m, ss_data *d, ss_instant_form form,
                            ss_problem *lcp, double *used)
{
    SS_TRY(ss_data_given(m, d, lcp));
    const char *why = ss_instant_refuses(m);
    if (why != NULL) {
        return ss_fail(s->ctx, SS_ERR_UNSUPPORTED, "%s", why);
    }
    ss_instant_verdict scratch = undecided();
    bool               regular = true;
    ss_status          status  = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        scratch    = undecided();
        s->verdict = &scratch;
        status     = pose_all(s, m, d, form, lcp, &regular);
    }
    s->verdict = NULL;
    SS_TRY(status);
    if (scratch.striking > 0) {
        return ss_fail(s->ctx, SS_ERR_UNSUPPORTED, "something strikes: an impact comes first");
    }
    if (!regular) {
        return ss_fail(s->ctx, SS_ERR_UNSUPPORTED,
                       "the contacts that stick are redundant: their friction forces cannot be "
                       "told from the accelerations");
    }
    if (used != NULL) {
        *used = s->by_box ? s->phantom.rho : NAN;
    }
    return SS_OK;
}

static ss_status take(ss_instant *s, const ss_model *m, ss_data *d, const double *z)
{
    island  isl      = {.p = s->posed};
    int32_t first    = 0;
    double *unknowns = ss_arena_alloc(&d->scratch, (size_t)s->posed.n, sizeof *unknowns);
    if (unknowns == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (s->by_box) {
        ss_instant_phantom_back(&s->posed, &s->phantom, z, unknowns);
    } else if (s->plain) {
        memcpy(unknowns, z, (size_t)s->posed.n * sizeof *unknowns);
    } else {
        ss_reduce_polygon_back(&s->posed.cone, &m->polygon, z, unknowns);
    }
    SS_TRY(add_motion(d, &s->posed_rows, &isl, unknowns));
    SS_TRY(put_motion(s, m, d, &s->posed_rows, &isl, &first, 1, 0));
    s->solution_count = 1;
    return SS_OK;
}

ss_status ss_instant_take(ss_instant *s, const ss_model *m, ss_data *d, const double *z)
{
    ss_status status = take(s, m, d, z);
    if (status == SS_ERR_SCRATCH) { /* what was posed is in there: it cannot grow now */
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no room for the forces of this instant");
    }
    return status;
}

/* ---- getters ---- */

static ss_status given(const ss_instant *s, int32_t index, int32_t count)
{
    return s != NULL && index >= 0 && index < count ? SS_OK : SS_ERR_ARGUMENT;
}

ss_status ss_instant_contact_at(const ss_instant *s, int32_t contact, ss_instant_contact *out)
{
    SS_TRY(given(s, contact, s != NULL ? s->contact_count : 0));
    *out = s->contacts[contact];
    return SS_OK;
}

ss_status ss_instant_force_at(const ss_instant *s, int32_t solution, int32_t contact,
                              ss_instant_force *out)
{
    SS_TRY(given(s, contact, s != NULL ? s->contact_count : 0));
    SS_TRY(given(s, solution, s->solution_count));
    *out = s->forces[solution * s->contact_count + contact];
    return SS_OK;
}

ss_status ss_instant_motion_at(const ss_instant *s, int32_t solution, int32_t body,
                               ss_body_motion *acceleration)
{
    SS_TRY(given(s, body, s != NULL ? s->nb : 0));
    SS_TRY(given(s, solution, s->solution_count));
    *acceleration = s->motions[solution * s->nb + body];
    return SS_OK;
}

ss_status ss_instant_witness_at(const ss_instant *s, int32_t contact, double force[6])
{
    SS_TRY(given(s, contact, s != NULL ? s->contact_count : 0));
    memcpy(force, s->witness[contact], sizeof s->witness[contact]);
    return SS_OK;
}

const double *ss_instant_matrix(const ss_instant *s, int32_t *n)
{
    *n = s->layer_count <= LAYERS_MAX ? s->layer_count : 0;
    return *n > 0 ? s->D : NULL;
}
