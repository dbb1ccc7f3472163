/* SPDX-License-Identifier: Apache-2.0 */
/* The middle of a step: rows -> problems (ss_formulate), solve them, impulses -> velocities. */
#include "formulate/formulate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/compare.h"
#include "dynamics/stages.h"
#include "problem/reduce.h"

/* Islands with more rows than this are put in global form: W would be large and mostly zero. */
enum { LOCAL_ROWS = 120, LOCAL_ROWS_JOINED = 1000 };

/* Values of the axes, in the order of their enums (scene.h). */
static const ss_inertia_class *const inertia_axis[] = {&ss_inertia_dynamic, &ss_inertia_quasistatic,
                                                       &ss_inertia_damped};
static const ss_cone_class *const    cone_axis[]    = {&ss_cone_quadratic, &ss_cone_polygon};

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

/* Few bodies on many points: there the velocities are the smaller unknowns. */
static bool on_supports(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    return m->simulation.axes.cone == SS_CONE_QUADRATIC && m->joint_rows == 0 &&
           d->rows.blocks[isl->blocks[isl->block_count - 1]].source == SS_ROWS_SUPPORT;
}

/*
 * Joints are eliminated from the local form, which pays for W up to a larger size; projection works
 * with the factor that elimination leaves, so it wants the local form at every size.
 */
static bool wants_global(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    bool joined = false;
    for (int32_t i = 0; m->joint_rows > 0 && i < isl->block_count; i++) {
        joined = joined || d->rows.blocks[isl->blocks[i]].kind == SS_BLOCK_EQUALITY;
    }
    if (joined && m->simulation.axes.joints == SS_JOINTS_PROJECTED) {
        return false;
    }
    return m->simulation.axes.cone == SS_CONE_QUADRATIC &&
           isl->row_count > (joined ? LOCAL_ROWS_JOINED : LOCAL_ROWS);
}

/* The problem of an island, and what of it is handed to the solver. */
static ss_status island_problem(const ss_model *m, ss_data *d, ss_island *isl, double h)
{
    const ss_cone_class *cone = cone_axis[m->simulation.axes.cone];
    isl->by_velocity          = d->prox.direct || on_supports(m, d, isl);
    if (d->prox.direct) {
        SS_TRY(ss_balance_problem(m, d, isl, h));
    } else if (isl->by_velocity || wants_global(m, d, isl)) {
        SS_TRY(ss_global_problem(m, d, isl));
    } else {
        SS_TRY(ss_local_problem(m, d, isl));
    }
    double *r = gather_guess(d, isl);
    if (r == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (m->joint_rows > 0) {
        SS_TRY(ss_eliminate_equalities(m, d, isl));
    }
    SS_TRY(cone->reduce(m, d, isl, &isl->cone.as.cone, r, &isl->reduced, &isl->solution));
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
        double         *v = d->v_now + b->v_start;
        const ss_twist *w = &d->state.twist[i];
        v[0]              = w->v.x;
        v[1]              = w->v.y;
        v[2]              = m->dimension == 3 ? w->v.z : w->w.z;
        if (m->dof == 6) {
            v[3] = w->w.x;
            v[4] = w->w.y;
            v[5] = w->w.z;
        }
    }
}

ss_status ss_formulate(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(inertia_axis[m->simulation.axes.inertia]->assemble(m, d, h));
    gather_velocities(m, d);
    ss_impact_velocities(m, d);
    SS_TRY(ss_find_islands(m, d));
    if (d->impact.phase == SS_PHASE_COMPRESSION) {
        SS_TRY(ss_keep_struck_islands(m, d));
    }
    d->opposed = -1;
    for (int32_t i = 0; i < d->island_count; i++) {
        SS_TRY(island_problem(m, d, &d->islands[i], h));
    }
    return SS_OK;
}

/* Solve the island without its equality rows, put them back, and certify the whole. */
static ss_status solve_eliminated(const ss_model *m, ss_data *d, ss_island *isl)
{
    const ss_cone_class *cone = cone_axis[m->simulation.axes.cone];
    const ss_cone       *bare = &isl->bare.as.cone, *full = &isl->cone.as.cone;
    double              *rc = ss_arena_alloc(&d->scratch, (size_t)bare->n, sizeof *rc);
    double              *r  = ss_arena_alloc(&d->scratch, (size_t)full->n, sizeof *r);
    double *work = ss_arena_alloc(&d->scratch, ss_residual_work(&isl->reduced), sizeof *work);
    if (!rc || !r || !work) {
        return SS_ERR_SCRATCH;
    }
    isl->answer.outcome = SS_SOLVED;
    if (bare->n > 0) {
        SS_TRY(ss_solve(d->solver, &isl->solved, &isl->answer));
        cone->back(m, bare, isl->answer.z, rc);
    }
    ss_reduce_equality_back(full, isl->eliminated, rc, r);
    SS_TRY(cone->forth(m, d, full, r, isl->solution.z));
    ss_solution *x = &isl->solution;
    x->iterations  = isl->answer.iterations;
    x->seconds     = isl->answer.seconds;
    x->residual    = ss_residual(&isl->reduced, x->z, NULL, work);
    x->outcome     = isl->answer.outcome;
    if (x->residual <= m->simulation.tolerance) {
        x->outcome = SS_SOLVED;
    } else if (x->outcome == SS_SOLVED) {
        x->outcome = SS_INACCURATE;
    }
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
        if (isl->eliminated == NULL) {
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
    if (parallel) {
        SS_TRY(solve_in_parallel(d));
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        if (isl->eliminated != NULL) {
            SS_TRY(solve_eliminated(m, d, isl)); /* takes scratch, so one at a time */
        } else if (!parallel) {
            SS_TRY(ss_solve(solver, &isl->reduced, &isl->solution));
        }
    }
    return SS_OK;
}

/* Did a round that posed the balance of forces itself find it? */
static bool balance_found(const ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        if (d->islands[i].solution.outcome != SS_SOLVED) {
            return false;
        }
    }
    return true;
}

/* Impulses and velocities of an island whose problem has both as unknowns. */
static void take_unknowns(const ss_model *m, ss_data *d, const ss_island *isl)
{
    const double *r = isl->solution.z, *v = isl->solution.v;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(d->rows.impulse + b->row, r, (size_t)b->dim * sizeof *r);
        r += b->dim;
    }
    for (int32_t i = 0; i < isl->body_count; i++, v += m->dof) {
        memcpy(d->v_next + m->bodies[isl->bodies[i]].v_start, v, (size_t)m->dof * sizeof *v);
    }
}

/* v += Y'r over `rows` rows, 2 dof apart. */
static inline void add_responses(double *v, const double *r, const double *Y, int32_t rows,
                                 int32_t dof)
{
    double sum[6];
    for (int32_t c = 0; c < dof; c++) {
        sum[c] = v[c];
    }
    for (int32_t k = 0; k < rows; k++, Y += 2 * dof) {
        ss_add_dof(sum, r[k], Y, dof);
    }
    for (int32_t c = 0; c < dof; c++) {
        v[c] = sum[c];
    }
}

/* Add the velocity that the island's impulses give its bodies, and put the impulses in place. */
static void apply_impulses(const ss_model *m, ss_data *d, const ss_island *isl, const double *r)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        double             *p = d->rows.impulse + b->row;
        for (int32_t k = 0; k < b->dim; k++) {
            p[k] = r[k];
        }
        for (size_t side = 0; side < 2; side++) {
            if (b->body[side] >= 0) {
                double       *v = d->v_next + m->bodies[b->body[side]].v_start;
                const double *Y = d->Y + ((size_t)b->row * 2 + side) * (size_t)m->dof;
                if (m->dof == 6) {
                    add_responses(v, r, Y, b->dim, 6);
                } else {
                    add_responses(v, r, Y, b->dim, 3);
                }
            }
        }
        r += b->dim;
    }
}

double ss_row_rate(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                   const double *v)
{
    const double *J = d->rows.J + (size_t)row * 2 * (size_t)m->dof;
    double        u = 0;
    if (b->body[0] >= 0) {
        u += ss_dot_dof(J, v + m->bodies[b->body[0]].v_start, m->dof);
    }
    if (b->body[1] >= 0) {
        u += ss_dot_dof(J + m->dof, v + m->bodies[b->body[1]].v_start, m->dof);
    }
    return u;
}

/* The velocities that a block's rows are rates of, before and after; NULL: no body on that side. */
typedef struct ends {
    const double *before[2], *after[2];
} ends;

/*
 * Velocities of the rows of a block at the end of the step, and the work that its impulses do. The
 * compiler is to know dof.
 */
static inline double measure_block(ss_rows *rows, const ss_row_block *b, const ends *v, int32_t dof)
{
    const double *J    = rows->J + (size_t)b->row * 2 * (size_t)dof;
    double        work = 0;
    for (int32_t row = b->row; row < b->row + b->dim; row++, J += 2 * dof) {
        double drift = rows->drift[row], before = 0, after = 0;
        for (int side = 0; side < 2; side++) {
            if (v->before[side] != NULL) {
                before += ss_dot_dof(J + (ptrdiff_t)side * dof, v->before[side], dof);
                after += ss_dot_dof(J + (ptrdiff_t)side * dof, v->after[side], dof);
            }
        }
        bool slides         = b->source == SS_ROWS_CONTACT && row > b->row;
        rows->velocity[row] = after + (slides ? rows->bias[row] : drift);
        work += 0.5 * rows->impulse[row] * (before + after + 2 * drift);
    }
    return work;
}

/*
 * Relative velocities at the end of the step (without the terms that correct gaps and joints), and
 * the work that the impulses took out of the bodies: -p.(u before + u after) / 2, drift included.
 */
static void measure_rows(const ss_model *m, ss_data *d, double h)
{
    d->work_lost = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        ends                v = {{NULL, NULL}, {NULL, NULL}};
        for (int side = 0; side < 2; side++) {
            if (b->body[side] >= 0) {
                v.before[side] = d->v_now + m->bodies[b->body[side]].v_start;
                v.after[side]  = d->v_next + m->bodies[b->body[side]].v_start;
            }
        }
        double work =
            m->dof == 6 ? measure_block(&d->rows, b, &v, 6) : measure_block(&d->rows, b, &v, 3);
        if (b->source != SS_ROWS_MOTOR) { /* what a motor puts in is not lost either */
            d->work_lost -= work;
        }
        if (m->driven && b->source == SS_ROWS_CONTACT) { /* what drives it puts in is not lost */
            const ss_contact *c = &d->contacts.items[b->index];
            d->work_lost -= d->rows.impulse[b->row] * ss_driven_approach(m, d, c, h);
        }
    }
}

static void move_3d(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    const double *v = d->v_next + b->v_start;
    ss_pose      *p = &d->pose_next[i];
    ss_twist     *w = &d->twist_next[i];
    w->v            = ss_v3(v[0], v[1], v[2]);
    w->w            = b->dof == 6 ? ss_v3(v[3], v[4], v[5]) : ss_v3(0, 0, 0);
    p->p            = ss_axpy(d->state.pose[i].p, h, w->v);
    p->q            = d->state.pose[i].q;
    if (b->dof == 6 && (w->w.x != 0 || w->w.y != 0 || w->w.z != 0)) {
        ss_quat turn = ss_quat_from_rotation(ss_scale(h, w->w));
        p->q         = ss_quat_unit(ss_quat_mul(turn, d->state.pose[i].q));
    }
}

static void move_2d(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    const double *v = d->v_next + b->v_start;
    ss_pose      *p = &d->pose_next[i];
    ss_twist     *w = &d->twist_next[i];
    w->v            = ss_v3(v[0], v[1], 0);
    w->w            = ss_v3(0, 0, b->dof == 3 ? v[2] : 0);
    p->p            = ss_axpy(d->state.pose[i].p, h, w->v);
    p->angle        = d->state.pose[i].angle + h * w->w.z;
}

void ss_move_body(const ss_model *m, ss_data *d, int32_t body, double h)
{
    if (m->dimension == 3) {
        move_3d(&m->bodies[body], d, body, h);
    } else {
        move_2d(&m->bodies[body], d, body, h);
    }
}

/* Kinematic bodies were moved by ss_kinematics. */
static void move_bodies(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            ss_move_body(m, d, i, h);
        }
    }
}

/*
 * Did impulses make a body so much faster than the bound the pairs were found with that it may have
 * met something unseen? Then the bound is raised and the step done again.
 */
static ss_verdict check_speeds(const ss_model *m, ss_data *d, double h)
{
    ss_verdict verdict = SS_DONE;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b) || b->geom_count == 0) {
            continue;
        }
        const ss_twist *w     = &d->twist_next[i];
        double          speed = ss_norm(w->v) + ss_norm(w->w) * b->extent;
        if (h * (speed - d->speed[i]) > 1e-9 * m->length) {
            d->speed_floor[i] = 2 * speed;
            verdict           = SS_AGAIN;
        }
    }
    return verdict;
}

/*
 * The balance fails, perhaps by rounding alone. The rounds leave velocities with the rounding of
 * forces a thousand times as large, which shows in rows in which nothing else happens.
 */
static ss_status mend_balance(const ss_model *m, ss_data *d, ss_island *isl, double h)
{
    SS_TRY(ss_polish_velocities(m, d, isl, h));
    SS_TRY(ss_certify_balance(m, d, isl, h));
    if (isl->solution.residual <= m->simulation.tolerance) {
        return SS_OK;
    }
    return ss_drop_stress(m, d, isl, h);
}

/* d->v_next is what the round found: certify it, move the bodies, measure. */
static ss_status take_velocities(const ss_model *m, ss_data *d, double h, bool settled)
{
    bool balanced = inertia_axis[m->simulation.axes.inertia]->balanced && !d->prox.direct;
    for (int32_t i = 0; balanced && i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        SS_TRY(ss_certify_balance(m, d, isl, h));
        if (settled && !(isl->solution.residual <= m->simulation.tolerance)) {
            SS_TRY(mend_balance(m, d, isl, h));
        }
    }
    move_bodies(m, d, h);
    if (m->joint_count > 0 && m->simulation.axes.joints == SS_JOINTS_PROJECTED) {
        SS_TRY(ss_project_joints(m, d, h));
    }
    measure_rows(m, d, h);
    return SS_OK;
}

/*
 * Velocities of a body that are all rounding of what its impulses took from it become rest: a body
 * at rest then poses the same problem in every step, and last step's impulses solve it as they are.
 */
static void release_rounding(const ss_model *m, ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        int32_t       start = m->bodies[isl->bodies[i]].v_start;
        const double *free  = d->v_free + start;
        double       *v     = d->v_next + start;
        double        arm = ss_body_arm(m, isl->bodies[i]), taken = 0;
        for (int32_t c = 0; c < m->dimension; c++) {
            taken = ss_max(taken, fabs(free[c] - v[c]));
        }
        for (int32_t c = 0; c < m->dof; c++) {
            double speed = fabs(v[c]) * (c < m->dimension ? 1 : arm);
            v[c]         = speed <= 4 * DBL_EPSILON * taken ? 0 : v[c];
        }
    }
}

/* The solutions' impulses and what they make of the velocities. */
static ss_status take_impulses(const ss_model *m, ss_data *d)
{
    const ss_cone_class *cone = cone_axis[m->simulation.axes.cone];
    memcpy(d->v_next, d->v_free, (size_t)m->nv * sizeof *d->v_next);
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        if (isl->by_velocity) {
            take_unknowns(m, d, isl);
            continue;
        }
        double *r = ss_arena_alloc(&d->scratch, (size_t)isl->row_count, sizeof *r);
        if (r == NULL) {
            return SS_ERR_SCRATCH;
        }
        cone->back(m, &isl->cone.as.cone, isl->solution.z, r);
        apply_impulses(m, d, isl, r);
        SS_TRY(ss_refine_velocities(m, d, isl, r));
        release_rounding(m, d, isl);
    }
    return SS_OK;
}

/* Rounds after the velocities have settled, where the balance still fails. */
enum { MORE_ROUNDS = 2 };

/*
 * Velocities that have settled beside the forces of the first rounds need not have done so beside
 * the last ones', which may be none. What a round misses is all that the next one has to solve, so
 * that two more bring it down to rounding.
 */
static bool needs_more(ss_data *d)
{
    return !d->prox.over && !d->prox.direct && !balance_found(d) && d->prox.more++ < MORE_ROUNDS;
}

static bool all_certified(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        if (!(d->islands[i].solution.residual <= m->simulation.tolerance)) {
            return false;
        }
    }
    return true;
}

ss_status ss_recover(const ss_model *m, ss_data *d, double h, ss_verdict *verdict)
{
    if (d->prox.direct && !balance_found(d)) {
        d->prox.direct = false; /* rounds will */
        *verdict       = SS_AGAIN;
        return SS_OK;
    }
    SS_TRY(take_impulses(m, d));
    if (d->impact.phase == SS_PHASE_EXPANSION) {
        ss_add_compression(d);
    }
    const ss_inertia_class *inertia = inertia_axis[m->simulation.axes.inertia];
    *verdict = inertia->settled != NULL && !d->prox.direct ? inertia->settled(m, d, h) : SS_DONE;
    bool stalled = inertia->settled != NULL && !d->prox.direct && d->prox.stalled;
    bool found   = *verdict == SS_DONE && !d->prox.over;
    SS_TRY(take_velocities(m, d, h, found || stalled));
    if (stalled && balance_found(d)) {
        *verdict = SS_DONE;
    }
    if (inertia->balanced && *verdict == SS_DONE && needs_more(d)) {
        *verdict = SS_AGAIN;
    }
    if (d->impact.phase == SS_PHASE_COMPRESSION) {
        *verdict = ss_end_compression(m, d) ? SS_AGAIN : SS_DONE;
        return SS_OK;
    }
    /* Branches before speeds: what a branch that does not hold throws bodies about is no speed. */
    if (*verdict == SS_DONE && !ss_branches_hold(m, d, h)) {
        *verdict        = SS_AGAIN;
        d->impact.phase = SS_PHASE_WHOLE;
        d->prox.begun   = false; /* other contacts: from rest */
        ss_keep_impulses(d, d->tried, &d->tried_count);
        return SS_OK;
    }
    if (!inertia->balanced && !all_certified(m, d)) {
        *verdict = SS_DONE; /* neither more contacts nor other loads make it easier to solve */
        return SS_OK;
    }
    if (check_speeds(m, d, h) == SS_AGAIN) {
        *verdict        = SS_AGAIN;
        d->impact.phase = SS_PHASE_WHOLE; /* contacts may be added: an impact begins anew */
        ss_keep_impulses(d, d->tried, &d->tried_count);
    }
    if (m->joint_loads && !ss_joint_loads_settled(m, d, h)) {
        *verdict = SS_AGAIN;
    }
    return SS_OK;
}

ss_status ss_choose_motion(const ss_model *m, ss_data *d, double h)
{
    bool changed = false;
    d->motion    = SS_MOTION_UNIQUE; /* a matrix leaves no choice */
    d->unheld    = -1;
    if (inertia_axis[m->simulation.axes.inertia]->balanced && !d->prox.over) {
        SS_TRY(ss_judge_motion(m, d, h, &changed));
    }
    d->prox.direct = d->prox.direct && !changed; /* another motion needs a certificate of its own */
    return changed ? take_velocities(m, d, h, false) : SS_OK;
}
