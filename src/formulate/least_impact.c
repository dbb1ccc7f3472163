/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of several outcomes of an impact, the least. Where bodies touch in several places, Coulomb's law
 * may let an impact end in more than one way: a corner that lies on the floor while its body is
 * struck elsewhere may stick, slide or part. Which of them a solver finds is chance: it hangs on
 * where it starts, on the order of bodies and on the step. So of small islands all are looked for,
 * and the one is taken that changes the velocities least,
 *
 *   least  |v+ - v_free|_M^2 = p.(W p),
 *
 * Gauss' principle, by which forces of an instant are chosen too (hybrid/modes.c). It does not
 * depend on frames, on the order of bodies or on the step, and knows nothing of how the bodies move
 * together. Joints change nothing of it: what they add to the square is the same in all outcomes.
 *
 * In the plane the problem is an LCP, of which `enumerate` finds all solutions. In space polygons
 * are drawn into the friction circles; each of its solutions is where the solver starts from, and
 * what it comes to counts if it is certified. The work is bounded by a count.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "formulate/tolerances.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "problem/reduce.h"
#include "stickslip/lcp.h"

/*
 * Unknowns of LCPs whose solutions are all looked for: in the part of an impact, in which few
 * contacts are near; and in whole steps, most of which are taken in parts when something strikes.
 * Products that one search may take; what it has found by then counts.
 */
enum { UNKNOWNS = 24, UNKNOWNS_WHOLE = 12, WORK = 500000 };
#define UNKNOWNS_TEXT "24"

/* Corners of the polygons in space: the least that push in all directions. */
enum { CORNERS = 4 };

typedef struct outcomes {
    const ss_model *m;
    ss_data        *d;
    ss_island      *isl;
    const ss_cone  *p;     /* the island's problem without rows that hold joints   */
    double         *taken; /* (n) reactions of the least so far                    */
    double         *r;     /* (n) of the one that is looked at                     */
    double         *z;     /* of what the solver is given                          */
    double         *Wr;    /* (n) */
    double         *work;  /* of residuals                                         */
    double          least; /* taken.(W taken)                                      */
    double         *other; /* (n) one that was not taken, if there is              */
    bool            several, changed;
} outcomes;

/* ---- is there an impact, and is it small enough? ---- */

/* Does it close faster than the forces of two steps make it, and would it without an impulse? */
static bool is_struck(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    if (b->source != SS_ROWS_CONTACT ||
        !(ss_row_rate(m, d, b, b->row, d->v_free) + d->rows.bias[b->row] < 0)) {
        return false;
    }
    double now = ss_row_rate(m, d, b, b->row, d->v_now) + b->carried;
    return b->strikes || -now > 2 * ss_row_forced_each(m, d, b, b->row);
}

bool ss_island_struck(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    bool any = false;
    for (int32_t i = 0; i < isl->block_count && !any; i++) {
        any = is_struck(m, d, &d->rows.blocks[isl->blocks[i]]);
    }
    return any;
}

static const ss_polygon *polygon_of(const ss_model *m, double corner[CORNERS][2], ss_polygon *own)
{
    if (ss_cone_of(m)->flat) {
        return &m->polygon;
    }
    ss_polygon_corners(CORNERS, corner);
    *own = (ss_polygon){CORNERS, corner};
    return own;
}

/* Is the question worth asking: one block alone has one answer, and friction makes several. */
static bool is_open(const outcomes *o)
{
    const ss_cone *p     = o->p;
    bool           rough = false, fits = p->nv == 0 && p->axes == NULL && p->W.dense != NULL;
    for (int32_t k = 0; k < p->nblocks; k++) {
        rough = rough || (p->blocks[k].kind == SS_BLOCK_CONE && p->blocks[k].mu > 0);
        fits  = fits && p->blocks[k].kind != SS_BLOCK_EQUALITY;
    }
    double     corner[CORNERS][2];
    ss_polygon own;
    bool       now  = o->d->cut.event.strikes || o->d->at_impact != NULL;
    int32_t    most = now ? UNKNOWNS : UNKNOWNS_WHOLE;
    return fits && rough && p->nblocks > 1 && p->n <= most &&
           ss_reduce_polygon_size(p, polygon_of(o->m, corner, &own)) <= most;
}

/* ---- all outcomes ---- */

static const ss_problem *given(const outcomes *o)
{
    return o->isl->eliminated != NULL ? &o->isl->solved : &o->isl->reduced;
}

static double square_of(const outcomes *o, const double *r)
{
    memset(o->Wr, 0, (size_t)o->p->n * sizeof *o->Wr);
    ss_matrix_mul_add(&o->p->W, r, o->Wr);
    return ss_vector_dot(o->p->n, r, o->Wr);
}

/* o->r as it is, or what the solver makes of it, if that is certified. */
static ss_status certify(outcomes *o, bool *solves)
{
    const ss_cone_class *cone = ss_cone_of(o->m);
    const double         most = o->m->simulation.tolerance;
    SS_TRY(cone->forth(o->m, o->d, o->p, o->r, o->z));
    *solves = ss_residual(given(o), o->z, NULL, o->work) <= most;
    if (!*solves && cone->poses == SS_CONE) {
        ss_solution x = {.z = o->z, .warm = true};
        SS_TRY(ss_solve(o->d->solver, given(o), &x));
        o->d->effort.products += x.work;
        *solves = x.residual <= most;
        cone->back(o->m, o->p, o->z, o->r);
    }
    return SS_OK;
}

/* Is it another motion than the one that is taken? */
static bool is_another(outcomes *o, double *difference)
{
    for (int32_t i = 0; i < o->p->n; i++) {
        difference[i] = o->r[i] - o->taken[i];
    }
    return square_of(o, difference) > SS_OUTCOME_SAME * SS_OUTCOME_SAME * o->least;
}

static ss_status look_at(outcomes *o)
{
    bool   solves;
    size_t n = (size_t)o->p->n;
    SS_TRY(certify(o, &solves));
    if (!solves || !is_another(o, o->z)) {
        return SS_OK;
    }
    double square = square_of(o, o->r);
    bool   less   = square < (1 - SS_OUTCOME_SAME) * o->least;
    memcpy(o->other, less ? o->taken : o->r, n * sizeof *o->other);
    if (less) {
        memcpy(o->taken, o->r, n * sizeof *o->taken);
        o->least = square;
    }
    o->several = true;
    o->changed = o->changed || less;
    return SS_OK;
}

static ss_status make_search(ss_data *d)
{
    if (d->every != NULL) {
        return SS_OK;
    }
    SS_TRY(ss_solver_create_named(d->ctx, "enumerate", &d->every));
    ss_solver_common(d->every)->rounded    = true;
    ss_solver_common(d->every)->work_limit = WORK;
    SS_TRY(ss_solver_set(d->every, "max_n", UNKNOWNS_TEXT));
    return ss_solver_set(d->every, "all", "true");
}

static ss_status look_at_all(outcomes *o)
{
    ss_data          *d = o->d;
    double            corner[CORNERS][2];
    ss_polygon        own;
    const ss_polygon *polygon = polygon_of(o->m, corner, &own);
    ss_problem        lcp;
    SS_TRY(make_search(d));
    if (!ss_reduce_polygon(o->p, polygon, &d->scratch, &lcp)) {
        return SS_ERR_SCRATCH;
    }
    ss_solution x = {.z = ss_arena_alloc(&d->scratch, (size_t)lcp.as.lcp.n, sizeof *x.z)};
    if (x.z == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_solve(d->every, &lcp, &x));
    d->effort.products += x.work;
    int32_t count = ss_enumerate_count(d->every);
    for (int32_t i = 0; i < count; i++) {
        ss_reduce_polygon_back(o->p, polygon, ss_enumerate_piece(d->every, i)->z, o->r);
        SS_TRY(look_at(o));
    }
    return SS_OK;
}

/* ---- what is told ---- */

/* Reactions of all rows of the island. */
static void with_joints(const outcomes *o, const double *some, double *all)
{
    if (o->isl->eliminated != NULL) {
        ss_reduce_equality_back(&o->isl->cone.as.cone, o->isl->eliminated, some, all);
    } else {
        memcpy(all, some, (size_t)o->p->n * sizeof *all);
    }
}

/* v += sum_k Y_k p_k of the island's rows, times sign. */
static void add_velocities(const outcomes *o, const double *p, double sign, double *v)
{
    const ss_model *m = o->m;
    for (int32_t i = 0, k = 0; i < o->isl->block_count; i++) {
        const ss_row_block *b = &o->d->rows.blocks[o->isl->blocks[i]];
        for (int32_t c = 0; c < b->dim; c++, k++) {
            for (int side = 0; side < b->sides; side++) {
                if (b->body[side] >= 0) {
                    ss_add_dof(v + m->bodies[b->body[side]].v_start, sign * p[k],
                               ss_response_side(m, o->d, b->row + c, 0) + (ptrdiff_t)side * m->dof,
                               m->dof);
                }
            }
        }
    }
}

/* How the other outcome differs from the one that is taken, its fastest point at 1 m/s. */
static ss_status tell_other(const outcomes *o)
{
    const ss_model *m = o->m;
    double         *v = o->d->motions.other, fastest = 0;
    double         *all = ss_arena_alloc(&o->d->scratch, (size_t)o->isl->row_count, sizeof *all);
    if (all == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(v, 0, (size_t)m->nv * sizeof *v);
    with_joints(o, o->other, all);
    add_velocities(o, all, 1, v);
    with_joints(o, o->taken, all);
    add_velocities(o, all, -1, v);
    for (int32_t i = 0; i < o->isl->body_count; i++) {
        int32_t body = o->isl->bodies[i];
        fastest      = fmax(fastest, ss_speed_of(m, body, v + m->bodies[body].v_start));
    }
    for (int32_t k = 0; fastest > 0 && k < m->nv; k++) {
        v[k] /= fastest;
    }
    o->d->motions.several = true;
    return SS_OK;
}

/* ---- an island ---- */

static ss_status take(outcomes *o)
{
    ss_solution *x = o->isl->eliminated != NULL ? &o->isl->answer : &o->isl->solution;
    SS_TRY(ss_cone_of(o->m)->forth(o->m, o->d, o->p, o->taken, x->z));
    x->outcome = SS_SOLVED;
    if (o->isl->eliminated != NULL) {
        return ss_put_equalities_back(o->m, o->d, o->isl);
    }
    x->residual = ss_residual(&o->isl->reduced, x->z, NULL, o->work);
    x->motion = x->missed = 0;
    return SS_OK;
}

static ss_status make_room(outcomes *o)
{
    ss_arena *a = &o->d->scratch;
    size_t    n = (size_t)o->p->n;
    o->taken    = ss_arena_alloc(a, n, sizeof *o->taken);
    o->r        = ss_arena_alloc(a, n, sizeof *o->r);
    o->Wr       = ss_arena_alloc(a, n, sizeof *o->Wr);
    o->other    = ss_arena_alloc(a, n, sizeof *o->other);
    o->z        = ss_arena_alloc(a, (size_t)ss_problem_size(given(o)) + n, sizeof *o->z);
    o->work     = ss_arena_alloc(a, ss_residual_work(given(o)) + ss_residual_work(&o->isl->reduced),
                                 sizeof *o->work);
    bool fits   = o->taken && o->r && o->Wr && o->other && o->z && o->work;
    return fits ? SS_OK : SS_ERR_SCRATCH;
}

static ss_status choose(outcomes *o)
{
    const ss_island   *isl = o->isl;
    const ss_solution *x   = isl->eliminated != NULL ? &isl->answer : &isl->solution;
    SS_TRY(make_room(o));
    ss_cone_of(o->m)->back(o->m, o->p, x->z, o->taken);
    o->least = square_of(o, o->taken);
    SS_TRY(look_at_all(o));
    if (o->changed) {
        SS_TRY(take(o));
    }
    return o->several ? tell_other(o) : SS_OK;
}

ss_status ss_take_least_impact(const ss_model *m, ss_data *d, ss_island *isl)
{
    outcomes o = {.m = m, .d = d, .isl = isl};
    o.p        = isl->eliminated != NULL ? &isl->bare.as.cone : &isl->cone.as.cone;
    bool asked = ss_inertia_of(m)->momentum && !ss_corners_of(m)->posed && !ss_cone_of(m)->around;
    if (!asked || m->compliant || !ss_island_exact(m, isl) || !is_open(&o) ||
        !ss_island_struck(m, d, isl)) {
        return SS_OK;
    }
    size_t    mark   = ss_arena_mark(&d->scratch);
    ss_status status = choose(&o);
    ss_arena_release(&d->scratch, mark);
    return status;
}
