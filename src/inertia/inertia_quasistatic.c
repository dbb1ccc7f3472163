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
 * When they have settled is in rounds/reason_proximal.c. Where the last step's motion is a good
 * guess none of this is needed: rounds/reason_direct.c.
 *
 * e weighs the proximal term against the forces: a thousandth of them at the speeds of the step.
 */
#include <math.h>
#include <string.h>

#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "inertia/proximal.h"

/* After so many rounds the term is in the way: polygons may have many motions nearly as good. */
enum { LONG = 15 };

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
    double speed = SS_PROX_LEAST_SPEED * m->length / h;
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

/* The least impulse over rate of deflection of a contact that gives. */
static double softest_spring(const ss_data *d)
{
    double least = INFINITY;
    for (int32_t i = 0; i < d->springs.count; i++) {
        double G = d->springs.items[i].G_rows[0];
        least    = G > 0 ? fmin(least, 1 / G) : least;
    }
    return least;
}

/* From rest. */
static void begin_rounds(const ss_model *m, ss_data *d, double h)
{
    double force = largest_force(m, d, h), speed = largest_speed(m, d, h);
    memset(d->prox.v, 0, (size_t)m->nv * sizeof *d->prox.v);
    memset(d->prox.load, 0, (size_t)m->nb * sizeof *d->prox.load);
    d->prox.begun   = true;
    d->prox.change  = INFINITY;
    d->prox.steady  = 0;
    d->prox.work    = 0;
    d->prox.stalled = false;
    d->prox.more    = 0;
    d->prox.speed   = speed;
    d->prox.weight  = force > 0 ? SS_PROX_WEIGHT * force / (heaviest(m) * speed) : 1;
    if (m->compliant) {
        double most    = SS_PROX_YIELDS * softest_spring(d) / heaviest(m);
        d->prox.weight = fmin(SS_PROX_SPRINGS * d->prox.weight, fmax(most, d->prox.weight));
    }
}

static ss_status assemble(const ss_model *m, ss_data *d, double h)
{
    if (d->prox.direct) {
        return assemble_balance(m, d);
    }
    if (!d->prox.begun) {
        begin_rounds(m, d, h);
    }
    int32_t round = d->rounds.round;
    if (round > 0 && round % LONG == 0 && round <= 3 * LONG) {
        d->prox.weight *= SS_PROX_LESS;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            body_matrix(m, d, i, d->prox.weight);
            free_velocity(m, d, i, h);
        }
    }
    return SS_OK;
}

/* Has an island come to rest, to rounding? */
static bool rests(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    bool all = true;
    for (int32_t i = 0; i < isl->body_count; i++) {
        const double *v = d->v_next + m->bodies[isl->bodies[i]].v_start;
        all             = all && ss_speed_of(m, isl->bodies[i], v) <= SS_PROX_REST * d->prox.speed;
    }
    return all;
}

/*
 * Of contacts that share the load in many ways a round may use all, some with a millionth of the
 * load at the border of their cones, which rounding of the load takes beyond.
 */
static ss_status mend_rest(const ss_model *m, ss_data *d, ss_island *isl, double h)
{
    bool held = false;
    if (rests(m, d, isl)) {
        SS_TRY(ss_hold_at_rest(m, d, isl, h, &held));
    }
    return held ? ss_certify_balance(m, d, isl, h) : SS_OK;
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
    SS_TRY(ss_drop_stress(m, d, isl, h));
    return isl->solution.residual <= m->simulation.tolerance ? SS_OK : mend_rest(m, d, isl, h);
}

/* Each island by the balance of forces; where the velocities have settled, what fails is mended. */
static ss_status certify(const ss_model *m, ss_data *d, double h, bool settled)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        SS_TRY(ss_certify_balance(m, d, isl, h));
        if (settled && !(isl->solution.residual <= m->simulation.tolerance)) {
            SS_TRY(mend_balance(m, d, isl, h));
        }
    }
    return SS_OK;
}

static ss_status velocities(const ss_model *m, ss_data *d, double h)
{
    if (d->prox.direct) {
        return SS_OK; /* it has posed what is certified */
    }
    ss_proximal_compare(m, d, h);
    bool found = !d->prox.unsettled && !d->prox.over;
    return certify(m, d, h, found || d->prox.stalled);
}

static ss_status choose(const ss_model *m, ss_data *d, double h, bool *changed)
{
    if (d->prox.over) {
        return SS_OK;
    }
    SS_TRY(ss_judge_motion(m, d, h, changed));
    if (!*changed) {
        return SS_OK;
    }
    d->prox.direct = false; /* another motion needs a certificate of its own */
    return certify(m, d, h, false);
}

const ss_inertia_class ss_inertia_quasistatic = {.name        = "quasistatic",
                                                 .assemble    = assemble,
                                                 .velocities  = velocities,
                                                 .choose      = choose,
                                                 .speed_bound = ss_speed_by_forces,
                                                 .balanced    = true};
