/* SPDX-License-Identifier: Apache-2.0 */
/* The middle of a step: rows -> problems (ss_formulate) -> solutions (ss_solve_islands). */
#include "formulate/formulate.h"

#include <math.h>
#include <string.h>

#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/compare.h"
#include "formulate/tolerances.h"
#include "problem/reduce.h"
#include "problem/residual.h"

/* Guess of the island's impulses, gathered in the order of its rows. */
static double *gather_guess(ss_data *d, const ss_island *isl)
{
    double *r = ss_arena_alloc(&d->scratch, (size_t)isl->row_count, sizeof *r);
    int32_t k = 0;
    for (int32_t i = 0; r != NULL && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        const double       *p = d->rows.impulse + b->row;
        for (int32_t c = 0; c < b->dim; c++) {
            r[k++] = p[c];
        }
    }
    return r;
}

/* Has it rows that give? The global form has none. */
static bool gives(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; (m->compliant || m->give_rows > 0) && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->source == SS_ROWS_GIVE || b->spring > 0) {
            return true;
        }
    }
    return false;
}

/* Few bodies on many points: there the velocities are the smaller unknowns. */
static bool on_supports(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    return !ss_cone_of(m)->flat && m->joint_rows == 0 &&
           d->rows.blocks[isl->blocks[isl->block_count - 1]].source == SS_ROWS_SUPPORT &&
           !gives(m, d, isl);
}

/*
 * Steps that a motion error lets fail, as bodies sink into each other a little in each until it is
 * too much, are solved exactly in their smallest parts; up to this many rows, beyond which that
 * would not end.
 */
enum { EXACT_ROWS_MOST = 3000 };

static bool is_exact_now(const ss_data *d, const ss_island *isl)
{
    return d->cut.part.exactly && isl->row_count <= EXACT_ROWS_MOST;
}

/*
 * Where a motion error is enough, sweeps end sooner than Newton's method from this many rows on:
 * boxes on boxes have more rows than velocities, and their local form takes long.
 */
enum { SWEPT_ROWS = 24 };

/*
 * Joints are eliminated from the local form, which pays for W up to a larger size; projection works
 * with the factor that elimination leaves, so it wants the local form at every size.
 */
static bool wants_global(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    bool joined = false;
    bool wide   = false;
    for (int32_t i = 0; m->joint_rows > 0 && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        joined                = joined || b->kind == SS_BLOCK_EQUALITY;
        wide                  = wide || b->sides > 2;
    }
    if (wide || gives(m, d, isl)) { /* solvers of piles have no wide rows */
        return false;
    }
    if (joined && ss_joints_of(m)->close != NULL) {
        return false;
    }
    int32_t most = joined ? d->local_rows_joined : d->local_rows;
    if (m->simulation.accuracy == SS_ACCURACY_MOTION && !is_exact_now(d, isl)) {
        int32_t swept = joined ? SS_LOCAL_ROWS : SWEPT_ROWS;
        most          = swept < most ? swept : most;
    }
    return !ss_cone_of(m)->flat && isl->row_count > most;
}

double ss_motion_enough(const ss_model *m, const ss_data *d, const ss_island *isl, bool global)
{
    const ss_simulation_def *s     = &m->simulation;
    bool                     large = global && isl->row_count > SS_LOCAL_ROWS && !isl->by_velocity;
    if (!ss_inertia_of(m)->momentum || ss_cone_of(m)->flat || s->accuracy == SS_ACCURACY_EXACT ||
        is_exact_now(d, isl)) {
        return 0;
    }
    return large || s->accuracy == SS_ACCURACY_MOTION ? s->motion : 0;
}

/* The largest change of velocity that forces make in the step: what motion errors are parts of. */
static double forced_speed(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double most = 0, change[6];
    for (int32_t i = 0; i < isl->body_count; i++) {
        int32_t at = m->bodies[isl->bodies[i]].v_start;
        for (int32_t c = 0; c < m->dof; c++) {
            change[c] = d->v_free[at + c] - d->v_now[at + c];
        }
        double speed = ss_speed_of(m, isl->bodies[i], change);
        most         = speed > most ? speed : most;
    }
    return most;
}

/*
 * What carries the island: the one body that all contacts with bodies that do not move freely are
 * with, if it is driven; -1: the world.
 */
static int32_t carrier_of(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    int32_t carrier = -1;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->source != SS_ROWS_CONTACT) {
            return -1;
        }
        const ss_contact *c       = &d->contacts.items[b->index];
        const int32_t     pair[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
        for (int side = 0; side < 2; side++) {
            const ss_body *body = &m->bodies[pair[side]];
            if (ss_body_moves(body) || pair[side] == carrier) {
                continue;
            }
            if (carrier >= 0 || body->type != SS_BODY_KINEMATIC) {
                return -1;
            }
            carrier = pair[side];
        }
    }
    return carrier;
}

/* The velocity that a body has beside what carries it in this step, as coordinates. */
static void velocity_beside(const ss_model *m, const ss_data *d, int32_t carrier, int32_t body,
                            double *v)
{
    ss_twist own = d->state.twist[body];
    if (carrier >= 0) {
        const ss_twist *t   = &d->twist_next[carrier];
        ss_vec3         arm = ss_sub(d->state.pose[body].p, d->state.pose[carrier].p);
        own.v               = ss_sub(own.v, ss_add(t->v, ss_cross(t->w, arm)));
        own.w               = ss_sub(own.w, t->w);
    }
    ss_twist_to_vector(m, &own, v);
}

/* How fast the bodies of an island are beside what carries it, in the mean square. */
static double motion_of(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double  mass = 0, motion = 0, v[6];
    int32_t carrier = carrier_of(m, d, isl);
    for (int32_t i = 0; i < isl->body_count; i++) {
        double weight = m->bodies[isl->bodies[i]].mass;
        velocity_beside(m, d, carrier, isl->bodies[i], v);
        double speed = ss_speed_of(m, isl->bodies[i], v);
        mass += weight;
        motion += weight * speed * speed;
    }
    return mass > 0 ? sqrt(motion / mass) : 0;
}

/*
 * How exact the island is to be, beyond what is enough. Where it is nearly at rest, taken as a
 * whole, contacts that each miss their laws by a little let a wall sway by ten times as much at its
 * top: what they leave is asked to be less. Where it stands, it is to be exact.
 */
static void ask_for_more(const ss_model *m, const ss_data *d, const ss_island *isl, ss_solution *x)
{
    double moves = x->enough > 0 ? motion_of(m, d, isl) : INFINITY;
    double quiet = SS_PILE_QUIET * isl->cone.as.cone.speed;
    double more  = moves <= quiet ? fmin(d->closer, SS_PILE_CLOSER) : d->closer;
    x->better    = more < 1 ? more * x->enough : 0;
    x->stands    = moves <= SS_PILE_STANDS * isl->cone.as.cone.speed;
}

/* Does row k of the block turn bodies and move none? Then the smaller one's size, otherwise 1. */
static double lever_of(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t k)
{
    double moves = 0, arm = INFINITY;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            const double *J = ss_row_side(m, &d->rows, b->row + k, side);
            for (int32_t c = 0; c < m->dimension; c++) {
                moves += fabs(J[c]);
            }
            arm = fmin(arm, ss_body_arm(m, b->body[side]));
        }
    }
    return moves > 0 || b->source == SS_ROWS_CONTACT ? 1 : arm;
}

/* What the motion error of the island is measured by, and whether it is enough. */
static ss_status measure_by(const ss_model *m, ss_data *d, ss_island *isl)
{
    ss_cone *p = &isl->cone.as.cone;
    p->speed   = forced_speed(m, d, isl);
    p->lever   = NULL;
    if (m->joint_rows > 0) {
        double *lever = ss_arena_alloc(&d->scratch, (size_t)p->n, sizeof *lever);
        if (lever == NULL) {
            return SS_ERR_SCRATCH;
        }
        for (int32_t i = 0; i < isl->block_count; i++) {
            const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
            for (int32_t k = 0; k < b->dim; k++) {
                lever[p->blocks[i].start + k] = lever_of(m, d, b, k);
            }
        }
        p->lever = lever;
    }
    return SS_OK;
}

/* The problem of an island, and what of it is handed to the solver. */
static ss_status island_problem(const ss_model *m, ss_data *d, ss_island *isl, double h)
{
    const ss_cone_class *cone = ss_cone_of(m);
    isl->by_velocity          = d->prox.direct || on_supports(m, d, isl);
    if (d->prox.direct) {
        SS_TRY(ss_balance_problem(m, d, isl, h));
    } else if (isl->by_velocity || wants_global(m, d, isl)) {
        SS_TRY(ss_global_problem(m, d, isl));
    } else {
        SS_TRY(ss_local_problem(m, d, isl));
    }
    SS_TRY(measure_by(m, d, isl));
    double *r = gather_guess(d, isl);
    if (r == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (m->joint_rows + m->give_rows > 0) {
        SS_TRY(ss_eliminate_equalities(m, d, isl));
    }
    SS_TRY(cone->reduce(m, d, isl, &isl->cone.as.cone, r, &isl->reduced, &isl->solution));
    isl->solution.enough = ss_motion_enough(m, d, isl, isl->cone.as.cone.nv > 0);
    isl->solution.polish = m->simulation.accuracy == SS_ACCURACY_AUTO;
    ask_for_more(m, d, isl, &isl->solution);
    if (isl->eliminated == NULL) {
        return SS_OK;
    }
    for (int32_t i = 0; i < isl->bare.as.cone.n; i++) {
        r[i] = r[isl->eliminated->other[i]]; /* ascending: nothing is overwritten too early */
    }
    return cone->reduce(m, d, isl, &isl->bare.as.cone, r, &isl->solved, &isl->answer);
}

static void gather_velocities(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        ss_twist_to_vector(m, &d->state.twist[i], d->v_now + b->v_start);
    }
}

/* What sleeps stays at rest. */
static void rest_sleepers(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; m->simulation.sleep && i < m->nb; i++) {
        if (d->asleep[i] != 0) {
            memset(d->v_free + m->bodies[i].v_start, 0, (size_t)m->dof * sizeof *d->v_free);
        }
    }
}

ss_status ss_formulate(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(ss_inertia_of(m)->assemble(m, d, h));
    gather_velocities(m, d);
    SS_ROUNDS(free_velocities, m, d, h);
    rest_sleepers(m, d);
    SS_TRY(ss_find_islands(m, d));
    SS_ROUNDS(islands, m, d, h);
    d->opposed = -1;
    for (int32_t i = 0; i < d->island_count; i++) {
        SS_TRY(island_problem(m, d, &d->islands[i], h));
    }
    return SS_OK;
}

/* The answer without equality rows, with these put back, and certified as a whole. */
ss_status ss_put_equalities_back(const ss_model *m, ss_data *d, ss_island *isl)
{
    const ss_cone_class *cone = ss_cone_of(m);
    const ss_cone       *bare = &isl->bare.as.cone, *full = &isl->cone.as.cone;
    double              *rc = ss_arena_alloc(&d->scratch, (size_t)bare->n, sizeof *rc);
    double              *r  = ss_arena_alloc(&d->scratch, (size_t)full->n, sizeof *r);
    double *work = ss_arena_alloc(&d->scratch, ss_residual_work(&isl->reduced), sizeof *work);
    if (!rc || !r || !work) {
        return SS_ERR_SCRATCH;
    }
    if (bare->n > 0) {
        cone->back(m, bare, isl->answer.z, rc);
    }
    ss_reduce_equality_back(full, isl->eliminated, rc, r);
    SS_TRY(cone->forth(m, d, full, r, isl->solution.z));
    ss_solution *x = &isl->solution;
    x->motion = x->missed = 0;
    if (isl->reduced.type == SS_CONE) {
        ss_missed missed = {.enough = x->enough};
        x->residual = ss_residual_cone_motion(&isl->reduced.as.cone, x->z, NULL, work, &missed);
        x->motion   = missed.c;
        x->missed   = missed.speed;
    } else {
        x->residual = ss_residual(&isl->reduced, x->z, NULL, work);
    }
    x->outcome = isl->answer.outcome;
    if (x->residual <= m->simulation.tolerance) {
        x->outcome = SS_SOLVED;
    } else if (x->outcome == SS_SOLVED) {
        x->outcome = SS_INACCURATE;
    }
    return SS_OK;
}

/* Solve the island without its equality rows. */
static ss_status try_eliminated(const ss_model *m, ss_data *d, ss_island *isl)
{
    isl->answer.outcome = SS_SOLVED;
    isl->answer.work    = 0;
    if (isl->bare.as.cone.n > 0) {
        SS_TRY(ss_solve(d->solver, &isl->solved, &isl->answer));
    }
    isl->solution.iterations = isl->answer.iterations;
    isl->solution.seconds    = isl->answer.seconds;
    isl->solution.work       = isl->answer.work;
    return ss_put_equalities_back(m, d, isl);
}

/*
 * Reactions of the last step that cancel each other may be so large beside those of this one that
 * their rounding is all there is, once the equality rows are put back: then it starts from none.
 */
static ss_status solve_eliminated(const ss_model *m, ss_data *d, ss_island *isl)
{
    SS_TRY(try_eliminated(m, d, isl));
    if (isl->solution.outcome == SS_INACCURATE && isl->answer.warm) {
        int32_t spent    = isl->solution.iterations;
        double  work     = isl->solution.work;
        isl->answer.warm = false;
        SS_TRY(try_eliminated(m, d, isl));
        isl->solution.iterations += spent;
        isl->solution.work += work;
    }
    return SS_OK;
}

/* Do all bodies of the island go on without impulses: no row would close, none would slip? */
static bool goes_freely(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double fastest = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        const double *v   = d->v_free + m->bodies[isl->bodies[i]].v_start;
        double        arm = ss_body_arm(m, isl->bodies[i]);
        for (int32_t c = 0; c < m->bodies[isl->bodies[i]].dof; c++) {
            fastest = ss_max(fastest, fabs(v[c]) * (c < m->dimension ? 1 : arm));
        }
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b      = &d->rows.blocks[isl->blocks[i]];
        bool                closes = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
        for (int32_t k = 0; k < (closes ? 1 : b->dim); k++) {
            double bias  = d->rows.bias[b->row + k];
            double u     = ss_row_rate(m, d, b, b->row + k, d->v_free) + bias;
            double noise = ss_velocity_rounding * ss_max(fastest, fabs(bias));
            if (closes ? !(u > noise) : fabs(u) > noise) {
                return false;
            }
        }
    }
    return true;
}

/*
 * On supports no solver sees at once that nothing has to be done: no impulses, if that is
 * certified. What slips on a moving surface by rounding alone would be a problem of rounding. Takes
 * scratch.
 */
static ss_status try_nothing(const ss_model *m, ss_data *d, ss_island *isl)
{
    ss_solution *x = &isl->solution;
    isl->free      = false;
    if (!isl->by_velocity || d->prox.direct || isl->eliminated != NULL || x->v == NULL ||
        !ss_inertia_of(m)->momentum || !goes_freely(m, d, isl)) {
        return SS_OK;
    }
    size_t  mark = ss_arena_mark(&d->scratch);
    double *work = ss_arena_alloc(&d->scratch, ss_residual_work(&isl->reduced), sizeof *work);
    if (work == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(x->z, 0, (size_t)ss_problem_size(&isl->reduced) * sizeof *x->z);
    for (int32_t i = 0; i < isl->body_count; i++) {
        memcpy(x->v + (ptrdiff_t)i * m->dof, d->v_free + m->bodies[isl->bodies[i]].v_start,
               (size_t)m->dof * sizeof *x->v);
    }
    x->residual   = ss_residual(&isl->reduced, x->z, x->v, work);
    x->iterations = 0;
    x->seconds    = 0;
    x->work       = 0;
    x->outcome    = SS_SOLVED;
    isl->free     = x->residual <= m->simulation.target;
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

/* The solver of the thread that asks. */
static ss_solver *own_solver(const ss_data *d)
{
#ifdef SS_HAVE_OPENMP
    int thread = omp_get_thread_num();
    return thread == 0 ? d->solver : d->workers[thread - 1].solver;
#else
    return d->solver;
#endif
}

/* Large piles are swept by all threads together (solver/pile_sweep.c), one after the other. */
static bool wants_all_threads(const ss_island *isl)
{
    enum { MANY_ROWS = 3000 };
    return isl->row_count >= MANY_ROWS;
}

/*
 * Islands do not know of each other and solvers keep nothing but workspace from one problem to the
 * next, so any thread may solve any island and the bits are the same.
 */
static ss_status solve_in_parallel(ss_data *d)
{
    int failed = SS_OK;
#ifdef SS_HAVE_OPENMP
#pragma omp parallel for num_threads(d->threads) schedule(dynamic, 1)
#endif
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        if (isl->eliminated == NULL && !isl->free && !wants_all_threads(isl)) {
            ss_status status = ss_solve(own_solver(d), &isl->reduced, &isl->solution);
            if (status != SS_OK) {
#ifdef SS_HAVE_OPENMP
#pragma omp atomic write
#endif
                failed = status;
            }
        }
    }
    return failed == SS_OK
               ? SS_OK
               : ss_fail(d->ctx, (ss_status)failed, "a thread had no memory for its solver");
}

ss_status ss_solve_islands(const ss_model *m, ss_data *d)
{
    bool       parallel = d->threads > 1 && d->island_count > 1 && !d->prox.direct;
    ss_solver *solver   = d->prox.direct ? d->balancer : d->solver;
    if (d->impact.phase != SS_PHASE_EXPANSION) {
        d->motions.several = false;
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        SS_TRY(try_nothing(m, d, &d->islands[i]));
    }
    if (parallel) {
        SS_TRY(solve_in_parallel(d));
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        if (isl->eliminated != NULL) {
            SS_TRY(solve_eliminated(m, d, isl)); /* takes scratch, so one at a time */
        } else if (!isl->free && (!parallel || wants_all_threads(isl))) {
            ss_solver_common(solver)->threads = wants_all_threads(isl) ? d->threads : 1;
            SS_TRY(ss_solve(solver, &isl->reduced, &isl->solution));
            ss_solver_common(solver)->threads = 1;
        }
        d->effort.products += isl->solution.work;
        SS_TRY(ss_take_least_impact(m, d, isl));
    }
    return SS_OK;
}
