/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inertia: quasistatic. Forces balance at the end of every step (thesis 3.4, (3.28), (3.41)):
 *
 *   0 = h F + J'p        with the contact laws in u = J v+ + bias
 *
 * There is no matrix in front of v+, so nothing but contact holds a body, and the motion need not
 * be unique. The step is solved by the proximal point method (Rockafellar 1976): round k solves
 *
 *   e M (v_k - v_{k-1}) = h F + J'p,     v_0 = 0,
 *
 * which has the form of the dynamic step, until v_k stops changing; then the left side is zero and
 * the forces balance. From v_0 = 0 the iteration goes nearly to the solution of least motion in the
 * mass metric; motion.c goes the rest of the way where there are many. Bodies that nothing
 * can hold run away from round to round, and the step fails: there is no equilibrium.
 *
 * Where the last step's motion is a good guess none of this is needed: the first round poses the
 * balance of forces as it is and solves it by Newton's method in velocities (solver/velocity.c),
 * which finds the solution if it is the only one nearby and otherwise leaves it to the rounds.
 *
 * e weighs the proximal term against the forces: a thousandth of them at the speeds of the step.
 */
#include <math.h>
#include <string.h>

#include "formulate/formulate.h"

static const double prox_weight = 1e-3;

/* After so many rounds the term is in the way: polygons may have many motions nearly as good. */
enum { LONG = 15 };

/*
 * Forces are known to a solver's target, 1e-12 of them, and e M dv carries their error into the
 * velocities a thousandfold: below this part of the speeds a motion is noise.
 */
static const double rest = 1e-10;

static double largest_force(const ss_model *m, const ss_data *d, double h)
{
    double force = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            force = fmax(force, h * ss_norm(d->applied[i].force));
        }
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        force                 = fmax(force, b->kind == SS_BLOCK_DISK && b->dim > 1 ? b->bound : 0);
        force = fmax(force, b->kind == SS_BLOCK_CONE ? fabs(d->rows.impulse[b->row]) : 0);
    }
    return force;
}

/* How fast things move: what drives them, and how fast they were. */
static double largest_speed(const ss_model *m, const ss_data *d, double h)
{
    double speed = 1e-6 * m->length / h;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (b->type == SS_BODY_KINEMATIC) {
            speed = fmax(speed, ss_norm(ss_sub(d->frame[i].p, d->frame_was[i].p)) / h);
        }
        speed =
            fmax(speed, ss_norm(d->state.twist[i].v) + b->extent * ss_norm(d->state.twist[i].w));
        speed = fmax(speed, ss_norm(b->surface_velocity));
    }
    return speed;
}

static double heaviest(const ss_model *m)
{
    double mass = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        mass = fmax(mass, m->bodies[i].mass);
    }
    return mass;
}

static void scale_matrix(const ss_mat3 *from, double factor, ss_mat3 *to)
{
    for (int k = 0; k < 9; k++) {
        to->m[k] = factor * from->m[k];
    }
}

static void body_matrix(const ss_model *m, ss_data *d, int32_t i, double e)
{
    const ss_body  *b       = &m->bodies[i];
    ss_body_matrix *A       = &d->matrix[i];
    ss_mat3         inverse = b->inv_inertia;
    if (!b->round) {
        ss_mat3 RI = ss_mat3_mul(&d->frame[i].R, &b->inv_inertia);
        ss_mat3 Rt = ss_mat3_transpose(&d->frame[i].R);
        inverse    = ss_mat3_mul(&RI, &Rt);
    }
    A->linear     = e * b->mass;
    A->inv_linear = b->inv_mass / e;
    scale_matrix(&d->inertia[i], e, &A->angular);
    scale_matrix(&inverse, 1 / e, &A->inv_angular);
}

/* v_free = v_{k-1} + (e M)^-1 h F */
static void free_velocity(const ss_model *m, ss_data *d, int32_t i, double h)
{
    const ss_body        *b       = &m->bodies[i];
    const ss_body_matrix *A       = &d->matrix[i];
    const ss_wrench      *w       = &d->applied[i];
    const double         *before  = d->prox.v + b->v_start;
    double               *v       = d->v_free + b->v_start;
    ss_vec3               turn    = ss_mul(&A->inv_angular, w->torque);
    const double          full[6] = {w->force.x, w->force.y, w->force.z, turn.x, turn.y, turn.z};
    for (int32_t c = 0; c < m->dof; c++) {
        bool   linear = c < m->dimension;
        double rate   = linear ? A->inv_linear * full[c] : full[m->dof == 6 ? c : 5];
        v[c]          = before[c] + (linear || b->dof == m->dof ? h * rate : 0);
    }
}

/* Bodies that touch nothing rest. */
static ss_status assemble_balance(const ss_model *m, ss_data *d)
{
    memset(d->v_free, 0, (size_t)m->nv * sizeof *d->v_free);
    return SS_OK;
}

static ss_status assemble(const ss_model *m, ss_data *d, double h)
{
    if (d->round == 0) {
        d->prox.direct   = d->balancer != NULL;
        d->prox.begun    = false;
        d->prox.restless = -1;
        d->prox.over     = false;
        d->prox.weight = d->prox.speed = 0;
        memset(d->prox.load, 0, (size_t)m->nb * sizeof *d->prox.load);
    }
    if (d->prox.direct) {
        return assemble_balance(m, d);
    }
    if (!d->prox.begun) {
        d->prox.begun   = true;
        d->prox.change  = INFINITY;
        d->prox.steady  = 0;
        d->prox.work    = 0;
        d->prox.stalled = false;
        double force = largest_force(m, d, h), speed = largest_speed(m, d, h);
        memset(d->prox.v, 0, (size_t)m->nv * sizeof *d->prox.v);
        memset(d->prox.load, 0, (size_t)m->nb * sizeof *d->prox.load);
        d->prox.more   = 0;
        d->prox.speed  = speed;
        d->prox.weight = force > 0 ? prox_weight * force / (heaviest(m) * speed) : 1;
    }
    if (d->round > 0 && d->round % LONG == 0 && d->round <= 3 * LONG) {
        d->prox.weight *= 0.1;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            body_matrix(m, d, i, d->prox.weight);
            free_velocity(m, d, i, h);
        }
    }
    return SS_OK;
}

/* The largest of these velocities (or changes of velocity) at any point of a body. */
static double size_of(const ss_model *m, const ss_body *b, const double *v)
{
    double arm = b->extent > 0 ? b->extent : m->length, size = 0;
    for (int32_t c = 0; c < m->dof; c++) {
        size = fmax(size, fabs(v[c]) * (c < m->dimension ? 1 : arm));
    }
    return size;
}

/* How much a body's velocity changed in this round; what is all rounding becomes rest. */
static double change_of(const ss_model *m, ss_data *d, const ss_body *b)
{
    double  change[6], arm = b->extent > 0 ? b->extent : m->length;
    double *v = d->v_next + b->v_start, *before = d->prox.v + b->v_start;
    if (size_of(m, b, v) <= rest * d->prox.speed) {
        memset(v, 0, (size_t)m->dof * sizeof *v);
    }
    for (int32_t c = 0; c < m->dof; c++) {
        double size = fabs(v[c]) * (c < m->dimension ? 1 : arm);
        v[c]        = size <= 1e-12 * d->prox.speed ? 0 : v[c]; /* a coordinate alone in a row */
        change[c]   = v[c] - before[c];
        before[c]   = v[c];
    }
    return size_of(m, b, change);
}

/* What moves no faster than its noise is at rest; the certificate has the last word. */
static void rest_noise(const ss_model *m, ss_data *d)
{
    const double few = 4;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        double        *v = d->v_next + b->v_start;
        if (ss_body_moves(b) && size_of(m, b, v) <= few * d->prox.change) {
            memset(v, 0, (size_t)m->dof * sizeof *v);
        }
    }
}

/*
 * How the rounds go on. Each takes the forces from the last to a solver's target at best, which is
 * seen as a small change that falls no further; and a change that stays the same is a force that
 * nothing balances.
 */
static void compare_rounds(const ss_model *m, ss_data *d, double left, int32_t body)
{
    const double noise = 1e-6, same = 1e-6;
    bool         small = left <= noise * d->prox.speed;
    bool         again = body == d->prox.restless && fabs(left - d->prox.change) <= same * left;
    d->prox.stalled    = small && left > 0.5 * d->prox.change;
    d->prox.steady     = again ? d->prox.steady + 1 : 0;
    d->prox.change     = left;
    d->prox.restless   = small ? -1 : body;
    if (d->prox.stalled) {
        rest_noise(m, d);
    }
}

/*
 * Does a body that changes by the same in every round leave everything behind in this step? Then
 * it meets nothing that could hold it.
 */
static bool runs_away(const ss_model *m, const ss_data *d, double h)
{
    enum { SURE = 20 };
    if (d->prox.steady < SURE || d->prox.restless < 0) {
        return false;
    }
    const ss_body *b     = &m->bodies[d->prox.restless];
    double         reach = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        double apart = ss_norm(ss_sub(d->frame[i].p, d->frame[d->prox.restless].p));
        reach        = fmax(reach, apart + m->bodies[i].extent + b->extent);
    }
    return h * size_of(m, b, d->v_next + b->v_start) > reach;
}

/*
 * Have the rounds taken together what a solver may take for one problem? They then go from one
 * problem that is hardly solved to the next, and the balance they look for is not there.
 */
static bool used_up(ss_data *d)
{
    const double iterations = 1e5, small = 1000;
    double       rows = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        d->prox.work += (double)isl->solution.iterations * isl->row_count;
        rows += isl->row_count;
    }
    return d->prox.work > iterations * fmax(rows, small);
}

/* Has the velocity stopped changing, so that what is left of e M (v_k - v_{k-1}) is rounding? */
static ss_verdict settled(const ss_model *m, ss_data *d, double h)
{
    double  left = 0;
    int32_t body = -1;
    for (int32_t i = 0; i < m->nb; i++) {
        double change = ss_body_moves(&m->bodies[i]) ? change_of(m, d, &m->bodies[i]) : 0;
        body          = change > left ? i : body;
        left          = fmax(left, change);
    }
    compare_rounds(m, d, left, body);
    /* e M dv against the forces is a thousandth of dv against the speeds. */
    bool still = prox_weight * left <= 1e-13 * d->prox.speed, spent = used_up(d);
    d->prox.over = !still && (spent || runs_away(m, d, h));
    return still || d->prox.over ? SS_DONE : SS_AGAIN;
}

const ss_inertia_class ss_inertia_quasistatic = {
    .name = "quasistatic", .assemble = assemble, .settled = settled, .balanced = true};
