/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of models without a matrix. Whatever way a step was solved, what must hold is
 *
 *   0 = h F + J'p,   u = J v + bias (+ G p of what gives),   and the laws of the blocks,
 *
 * a cone problem in global form with M = 0. It is judged as it stands (quadratic cone), or as the
 * mixed LCP with v as free variables that the polygon makes of it: Model-DQC and Model-DLC of the
 * thesis (3.37)-(3.43).
 */
#include <math.h>
#include <string.h>

#include "balance/tolerances.h"
#include "formulate/formulate.h"
#include "linalg/matrix.h"
#include "problem/reduce.h"

double *ss_body_loads(const ss_model *m, ss_data *d, const ss_island *isl, double h)
{
    double *load = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *load);
    for (int32_t i = 0; load != NULL && i < isl->body_count; i++) {
        const ss_wrench *w   = &d->applied[isl->bodies[i]];
        double           arm = ss_body_arm(m, isl->bodies[i]);
        load[isl->bodies[i]] = h * fmax(ss_norm(w->force), ss_norm(w->torque) / arm);
    }
    for (int32_t i = 0; load != NULL && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        double              p = 0;
        for (int32_t k = 0; k < b->dim; k++) {
            p = fmax(p, fabs(d->rows.impulse[b->row + k]) * ss_row_push(m, d, b, k));
        }
        for (int side = 0; side < b->sides; side++) {
            if (b->body[side] >= 0) {
                load[b->body[side]] = fmax(load[b->body[side]], p);
            }
        }
    }
    return load;
}

/*
 * Impulses that are nothing (`part`) beside what acts on the bodies become zero: alone in a row of
 * the balance, they would count as an error of their own size.
 */
static ss_status drop_impulses(const ss_model *m, ss_data *d, const ss_island *isl, double h,
                               double part)
{
    const double *load  = ss_body_loads(m, d, isl, h);
    double        whole = 0;
    for (int32_t i = 0; load != NULL && i < isl->body_count; i++) {
        double *most = &d->prox.load[isl->bodies[i]];
        *most        = fmax(*most, load[isl->bodies[i]]);
        whole        = fmax(whole, *most);
    }
    for (int32_t i = 0; load != NULL && i < isl->block_count; i++) {
        const ss_row_block *b     = &d->rows.blocks[isl->blocks[i]];
        double             *p     = d->rows.impulse + b->row;
        double              least = INFINITY, mass = INFINITY;
        for (int side = 0; side < b->sides; side++) {
            least = b->body[side] >= 0 ? fmin(least, load[b->body[side]]) : least;
            mass  = b->body[side] >= 0 ? fmin(mass, m->bodies[b->body[side]].mass) : mass;
        }
        /* The rounds leave rounding of their own terms, e M v, where no force acts at all. */
        double most = fmax(part * least, SS_ROUND_ROUNDING * d->prox.weight * mass * d->prox.speed);
        /*
         * A round knows forces to 1e-13 of the largest, and what it misses is a force in the next:
         * where bodies end up free, the loads of the first rounds tell what the last forces are
         * worth.
         */
        most       = fmax(most, SS_ROUND_KNOWS * whole);
        bool leans = m->compliant && b->kind == SS_BLOCK_EQUALITY; /* bodies on springs lean: */
        for (int32_t k = 0; !leans && k < b->dim; k++) {           /* small moments are real  */
            bool open = b->kind == SS_BLOCK_CONE && k > 0 && p[0] == 0;
            p[k]      = open || fabs(p[k]) * ss_row_push(m, d, b, k) <= most ? 0 : p[k];
        }
    }
    return load != NULL ? SS_OK : SS_ERR_SCRATCH;
}

/*
 * Rates w = G p of deflections by the impulses that are judged, after the velocities of the bodies.
 * They are counted from w0, |w| with the sign of the bias: the q = bias + w0 of a row is then as
 * large as what is added up in u = J v + w + bias, and cancels where springs are at rest.
 */
static void count_rates(const ss_data *d, const ss_island *isl, const ss_cone *p, int32_t at,
                        double *v)
{
    double *q = (double *)(uintptr_t)p->q, *f = (double *)(uintptr_t)p->f; /* ours: global.c */
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b    = &d->rows.blocks[isl->blocks[i]];
        double              w[6] = {0};
        ss_deflection_rates(d, b, w);
        for (int32_t k = 0; k < b->dim; k++, q++) {
            if (ss_row_gives(d, b, k)) {
                double w0 = copysign(w[k], *q);
                *q += w0;
                v[at] = w[k] - w0;
                f[at] = -d->rows.impulse[b->row + k];
                at++;
            }
        }
    }
}

/* The island's velocities and impulses, in the problem's order. */
static void gather(const ss_model *m, const ss_data *d, const ss_island *isl, double *v, double *r)
{
    for (int32_t i = 0; i < isl->body_count; i++, v += m->dof) {
        memcpy(v, d->v_next + m->bodies[isl->bodies[i]].v_start, (size_t)m->dof * sizeof *v);
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(r, d->rows.impulse + b->row, (size_t)b->dim * sizeof *r);
        r += b->dim;
    }
}

static void put_impulses(ss_data *d, const ss_island *isl, const double *r)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(d->rows.impulse + b->row, r, (size_t)b->dim * sizeof *r);
        r += b->dim;
    }
}

static ss_status judge(ss_data *d, ss_island *isl, const ss_problem *p, double *z, double *v)
{
    double *work = ss_arena_alloc(&d->scratch, ss_residual_work(p), sizeof *work);
    if (work == NULL) {
        return SS_ERR_SCRATCH;
    }
    double residual        = ss_residual(p, z, v, work);
    isl->reduced           = *p;
    isl->solution.z        = z;
    isl->solution.v        = v;
    isl->solution.residual = residual;
    isl->solution.outcome  = SS_SOLVED;
    if (!(residual <= d->model->simulation.tolerance)) {
        isl->solution.outcome = SS_INFEASIBLE; /* nothing holds the bodies */
    }
    return SS_OK;
}

/* The polygon's mixed LCP on (v, p), and its variables from v and the impulses. */
static ss_status judge_polygon(const ss_model *m, ss_data *d, ss_island *isl, const ss_cone *p,
                               const double *v, const double *r)
{
    ss_cone    border;
    ss_problem mlcp;
    if (!ss_reduce_border(p, &d->scratch, &border) ||
        !ss_reduce_polygon(&border, &m->polygon, &d->scratch, &mlcp)) {
        return SS_ERR_SCRATCH;
    }
    size_t  n = (size_t)border.n, nz = (size_t)ss_reduce_polygon_size(&border, &m->polygon);
    double *x = ss_arena_alloc(&d->scratch, n, sizeof *x);
    double *u = ss_arena_alloc(&d->scratch, n, sizeof *u);
    double *z = ss_arena_alloc(&d->scratch, nz, sizeof *z);
    if (!x || !u || !z) {
        return SS_ERR_SCRATCH;
    }
    memcpy(x, v, (size_t)p->nv * sizeof *x);
    memcpy(x + p->nv, r, (size_t)p->n * sizeof *x);
    memcpy(u, border.q, n * sizeof *u);
    ss_matrix_mul_add(&border.W, x, u);
    ss_reduce_polygon_forth(&border, &m->polygon, x, u, z);
    return judge(d, isl, &mlcp, z, NULL);
}

/* What is done to the impulses before they are judged. */
typedef struct mending {
    double drop;    /* those below this part of what acts on the bodies become zero */
    bool   balance; /* the others are made to balance to the last digit             */
} mending;

static ss_status certify(const ss_model *m, ss_data *d, ss_island *isl, double h, mending mend)
{
    SS_TRY(ss_balance_problem(m, d, isl, h));
    const ss_cone *p = &isl->cone.as.cone;
    double        *v = ss_arena_alloc(&d->scratch, (size_t)p->nv, sizeof *v);
    double        *r = ss_arena_alloc(&d->scratch, (size_t)p->n, sizeof *r);
    if (v == NULL || r == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(drop_impulses(m, d, isl, h, mend.drop));
    gather(m, d, isl, v, r);
    if (mend.balance) {
        SS_TRY(ss_rebalance(m, p, isl->body_count * m->dof, &d->scratch, r));
        put_impulses(d, isl, r);
    }
    if (m->compliant) {
        count_rates(d, isl, p, isl->body_count * m->dof, v);
    }
    if (ss_cone_of(m)->flat) {
        return judge_polygon(m, d, isl, p, v, r);
    }
    return judge(d, isl, &isl->cone, r, v);
}

ss_status ss_certify_balance(const ss_model *m, ss_data *d, ss_island *isl, double h)
{
    return certify(m, d, isl, h, (mending){0});
}

ss_status ss_drop_stress(const ss_model *m, ss_data *d, ss_island *isl, double h)
{
    static const mending ways[] = {{SS_STRESS_LEAST, false},
                                   {SS_STRESS_MOST, false},
                                   {SS_STRESS_LEAST, true},
                                   {SS_STRESS_MOST, true}};
    size_t               size   = (size_t)d->rows.nrows * sizeof(double);
    double              *kept   = ss_arena_alloc(&d->scratch, (size_t)d->rows.nrows, sizeof *kept);
    if (kept == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(kept, d->rows.impulse, size);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        SS_TRY(certify(m, d, isl, h, ways[i]));
        if (isl->solution.residual <= m->simulation.tolerance) {
            return SS_OK;
        }
        memcpy(d->rows.impulse, kept, size);
    }
    return ss_certify_balance(m, d, isl, h);
}

bool ss_balance_found(const ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        if (d->islands[i].solution.outcome != SS_SOLVED) {
            return false;
        }
    }
    return true;
}
