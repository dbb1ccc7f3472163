/* SPDX-License-Identifier: Apache-2.0 */
/* The middle of a step: rows -> problems (ss_formulate), solve them, impulses -> velocities. */
#include "formulate/formulate.h"

#include <math.h>
#include <string.h>

/* Islands with more rows than this are put in global form: W would be large and mostly zero. */
enum { LOCAL_ROWS = 120 };

/* Values of the axes, in the order of their enums (scene.h). */
static const ss_inertia_class *const inertia_axis[] = {&ss_inertia_dynamic};
static const ss_cone_class *const    cone_axis[]    = {&ss_cone_quadratic, &ss_cone_polygon};

/* Guess of the island's impulses, gathered in the order of its rows. */
static double *gather_guess(ss_data *d, const ss_island *isl)
{
    double *r = ss_arena_alloc(&d->scratch, (size_t)isl->row_count, sizeof *r);
    int32_t k = 0;
    for (int32_t i = 0; r != NULL && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(r + k, d->rows.impulse + b->row, (size_t)b->dim * sizeof *r);
        k += b->dim;
    }
    return r;
}

ss_status ss_formulate(const ss_model *m, ss_data *d, double h)
{
    const ss_axes       *axes = &m->simulation.axes;
    const ss_cone_class *cone = cone_axis[axes->cone];
    SS_TRY(inertia_axis[axes->inertia]->assemble(m, d, h));
    SS_TRY(ss_find_islands(m, d));
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl    = &d->islands[i];
        bool       sparse = axes->cone == SS_CONE_QUADRATIC && isl->row_count > LOCAL_ROWS;
        SS_TRY(sparse ? ss_global_problem(m, d, isl) : ss_local_problem(m, d, isl));
        const double *r = gather_guess(d, isl);
        if (r == NULL) {
            return SS_ERR_SCRATCH;
        }
        SS_TRY(cone->reduce(m, d, isl, r));
    }
    return SS_OK;
}

ss_status ss_solve_islands(const ss_model *m, ss_data *d)
{
    (void)m;
    for (int32_t i = 0; i < d->island_count; i++) {
        SS_TRY(ss_solve(d->solver, &d->islands[i].reduced, &d->islands[i].solution));
    }
    return SS_OK;
}

/* Add the velocity that the island's impulses give its bodies, and put the impulses in place. */
static void apply_impulses(const ss_model *m, ss_data *d, const ss_island *isl, const double *r)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(d->rows.impulse + b->row, r, (size_t)b->dim * sizeof *r);
        for (int side = 0; side < 2; side++) {
            if (b->body[side] < 0) {
                continue;
            }
            double       *v = d->v_next + m->bodies[b->body[side]].v_start;
            const double *Y = d->Y + ((size_t)b->row * 2 + (size_t)side) * (size_t)m->dof;
            for (int32_t k = 0; k < b->dim; k++, Y += 2 * m->dof) {
                ss_add_dof(v, r[k], Y, m->dof);
            }
        }
        r += b->dim;
    }
}

static double row_velocity(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
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

static void gather_velocities(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        double         *v      = d->v_now + b->v_start;
        const ss_twist *w      = &d->twist[i];
        const double    all[6] = {w->v.x, w->v.y, m->dimension == 3 ? w->v.z : w->w.z,
                                  w->w.x, w->w.y, w->w.z};
        memcpy(v, all, (size_t)b->dof * sizeof *v);
    }
}

/*
 * Relative velocities at the end of the step (the normal one without the stabilising gap term), and
 * the work that the impulses took out of the bodies: -p.(u before + u after) / 2, drift included.
 */
static void measure_rows(const ss_model *m, ss_data *d)
{
    d->work_lost = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t k = 0; k < b->dim; k++) {
            int32_t row           = b->row + k;
            bool    normal        = k == 0 && b->source == SS_ROWS_CONTACT;
            double  drift         = normal ? 0 : d->rows.bias[row];
            double  before        = row_velocity(m, d, b, row, d->v_now) + drift;
            d->rows.velocity[row] = row_velocity(m, d, b, row, d->v_next) + drift;
            d->work_lost -= 0.5 * d->rows.impulse[row] * (before + d->rows.velocity[row]);
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
    p->p            = ss_axpy(d->pose[i].p, h, w->v);
    p->q            = d->pose[i].q;
    if (b->dof == 6) {
        ss_quat turn = ss_quat_from_rotation(ss_scale(h, w->w));
        p->q         = ss_quat_unit(ss_quat_mul(turn, d->pose[i].q));
    }
}

static void move_2d(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    const double *v = d->v_next + b->v_start;
    ss_pose      *p = &d->pose_next[i];
    ss_twist     *w = &d->twist_next[i];
    w->v            = ss_v3(v[0], v[1], 0);
    w->w            = ss_v3(0, 0, b->dof == 3 ? v[2] : 0);
    p->p            = ss_axpy(d->pose[i].p, h, w->v);
    p->angle        = d->pose[i].angle + h * w->w.z;
}

/* Displacement of a kinematic body over the step, as a velocity. */
static void kinematic_twist(const ss_model *m, ss_data *d, int32_t i, double h)
{
    const ss_pose *from = &d->pose[i], *to = &d->pose_next[i];
    d->twist_next[i].v = ss_scale(1 / h, ss_sub(to->p, from->p));
    if (m->dimension == 2) {
        d->twist_next[i].w = ss_v3(0, 0, (to->angle - from->angle) / h);
        return;
    }
    ss_quat back       = {from->q.w, -from->q.x, -from->q.y, -from->q.z};
    d->twist_next[i].w = ss_scale(1 / h, ss_quat_to_rotation(ss_quat_mul(to->q, back)));
}

static void move_bodies(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (b->type == SS_BODY_KINEMATIC) {
            kinematic_twist(m, d, i, h);
        } else if (ss_body_moves(b)) {
            if (m->dimension == 3) {
                move_3d(b, d, i, h);
            } else {
                move_2d(b, d, i, h);
            }
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

ss_status ss_recover(const ss_model *m, ss_data *d, double h, ss_verdict *verdict)
{
    const ss_cone_class *cone = cone_axis[m->simulation.axes.cone];
    memcpy(d->v_next, d->v_free, (size_t)m->nv * sizeof *d->v_next);
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        double    *r   = ss_arena_alloc(&d->scratch, (size_t)isl->row_count, sizeof *r);
        if (r == NULL) {
            return SS_ERR_SCRATCH;
        }
        cone->recover(m, d, isl, r);
        apply_impulses(m, d, isl, r);
    }
    gather_velocities(m, d);
    measure_rows(m, d);
    move_bodies(m, d, h);
    *verdict = check_speeds(m, d, h);
    return SS_OK;
}
