/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inertia: dynamic. Newton-Euler over a step (Trinkle 2003, (25)):
 *
 *   M v+ = M v + h F + J'p        A = M = diag(m 1, R I R'),   b = M v + h F
 *
 * The gyroscopic torque is taken in the middle of the step, in the body frame,
 *
 *   I (w* - w) + h m x I m = 0,   m = (w + w*)/2,
 *
 * three equations solved for m by Newton's method. The implicit midpoint rule keeps every quadratic
 * invariant of Euler's equations: m.I(w* - w) = 0 is the energy, I m.I(w* - w) = 0 the size of the
 * angular momentum. The explicit torque adds energy; that of the end of the step brakes a free
 * body.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "inertia/tolerances.h"
#include "linalg/mat3.h"

/* Residual of I (w - w0) + h w x I w = 0 and its Jacobian I + h (w~ I - (I w)~). */
static ss_vec3 gyroscopic(const ss_mat3 *I, ss_vec3 w0, ss_vec3 w, double h, ss_mat3 *jacobian)
{
    ss_vec3 Iw = ss_mul(I, w);
    ss_mat3 K  = {{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}};
    ss_mat3 L  = {{0, -Iw.z, Iw.y, Iw.z, 0, -Iw.x, -Iw.y, Iw.x, 0}};
    ss_mat3 KI = ss_mat3_mul(&K, I);
    for (int i = 0; i < 9; i++) {
        jacobian->m[i] = I->m[i] + h * (KI.m[i] - L.m[i]);
    }
    return ss_axpy(ss_mul(I, ss_sub(w, w0)), h, ss_cross(w, Iw));
}

/* Newton's method for the middle of a turn; false: it did not arrive. */
static bool find_middle(const ss_mat3 *I, ss_vec3 w0, double h, ss_vec3 *w)
{
    *w = w0;
    for (int i = 0; i < 20; i++) {
        ss_mat3 jacobian;
        ss_vec3 f  = gyroscopic(I, w0, *w, h / 2, &jacobian);
        ss_vec3 dw = ss_mat3_solve(&jacobian, f);
        *w         = ss_sub(*w, dw);
        if (ss_dot(dw, dw) <= SS_TURN_SETTLED * ss_dot(*w, *w)) {
            return true;
        }
    }
    return false;
}

/* Angular velocity after the free turn of a body over h, in body axes: in parts, if need be. */
static ss_vec3 free_turn(const ss_mat3 *I, ss_vec3 w0, double h)
{
    enum { MOST_HALVINGS = 16 };
    ss_vec3 middle, w = w0;
    int32_t parts = 1, done = 0;
    while (done < parts) {
        if (find_middle(I, w, h / parts, &middle)) {
            w = ss_sub(ss_scale(2, middle), w);
            done++;
        } else if (parts < 1 << MOST_HALVINGS) {
            parts *= 2;
            done *= 2;
        } else {
            return w;
        }
    }
    return w;
}

/* exp(h m) I w - goal with m = (w0 + w)/2, and D: its derivative. */
static ss_vec3 turn_residual(const ss_mat3 *I, ss_vec3 w0, ss_vec3 w, ss_vec3 goal, double h,
                             ss_mat3 *D)
{
    ss_vec3 turn  = ss_scale(0.5 * h, ss_add(w0, w));
    ss_mat3 E     = ss_mat3_from_quat(ss_quat_unit(ss_quat_from_rotation(turn)));
    *D            = ss_mat3_mul(&E, I);
    ss_vec3 L     = ss_mul(D, w);
    ss_mat3 cross = {{0, -L.z, L.y, L.z, 0, -L.x, -L.y, L.x, 0}};
    for (int k = 0; k < 9; k++) {
        D->m[k] -= 0.5 * h * cross.m[k];
    }
    return ss_sub(L, goal);
}

/*
 * integrator: midpoint. The velocity w' at the end, in the axes of the start, of a body that turns
 * by exp(h m), m = (w + w')/2, under the torque T (all in body axes; midpoint/middle_velocities.c):
 *
 *   exp(h m) I w' = I w + h T
 *
 * by Newton's method, in steps that are halved until they bring it nearer; the derivative of the
 * left side is exp(h m) I - (h/2) (exp(h m) I w')~. A body that turns by more than a radian in the
 * step may have no such velocity near, and what comes back does not fulfil the equation then: the
 * certificate of the motion sees it (certify/momentum.c), and the step is cut.
 */
ss_vec3 ss_turn_under(const ss_mat3 *I, ss_vec3 w0, ss_vec3 torque, double h)
{
    enum { STEPS = 60, HALVINGS = 10 };
    ss_mat3 D;
    ss_vec3 goal = ss_axpy(ss_mul(I, w0), h, torque), w = w0;
    ss_vec3 f = turn_residual(I, w0, w, goal, h, &D);
    for (int i = 0; i < STEPS; i++) {
        ss_vec3 step = ss_mat3_solve(&D, f), next = ss_sub(w, step);
        double  far = ss_dot(f, f);
        if (ss_dot(step, step) <= SS_TURN_SETTLED * ss_dot(next, next) ||
            far <= SS_TURN_SETTLED * ss_dot(goal, goal)) {
            return next;
        }
        ss_mat3 D_try = D;
        ss_vec3 f_try = turn_residual(I, w0, next, goal, h, &D_try);
        for (int k = 0; k < HALVINGS && !(ss_dot(f_try, f_try) < far); k++) {
            step  = ss_scale(0.5, step);
            next  = ss_sub(w, step);
            f_try = turn_residual(I, w0, next, goal, h, &D_try);
        }
        if (!(ss_dot(f_try, f_try) < far)) {
            return w; /* rounding, or no way on */
        }
        w = next;
        f = f_try;
        D = D_try;
    }
    return w;
}

static ss_vec3 angular_start(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    ss_vec3 w = d->state.twist[i].w;
    if (b->round || d->model->dimension == 2 || (w.x == 0 && w.y == 0 && w.z == 0)) {
        return w;
    }
    const ss_mat3 *R = &d->frame[i].R;
    return ss_mul(R, free_turn(&b->inertia, ss_tmul(R, w), h));
}

/* With no impulses. */
static ss_vec3 angular_end(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    bool second = ss_integrator_of(d->model)->second;
    if (second && !b->round) {
        const ss_mat3 *R = &d->frame[i].R;
        return ss_mul(R, ss_turn_under(&b->inertia, ss_tmul(R, d->state.twist[i].w),
                                       ss_tmul(R, d->applied[i].torque), h));
    }
    return ss_axpy(angular_start(b, d, i, h), h,
                   ss_mul(&d->matrix[i].inv_angular, d->applied[i].torque));
}

static void put_3d(ss_data *d, const ss_body *b, int32_t i, double h)
{
    double *v = d->v_free + b->v_start;
    ss_vec3 x = ss_axpy(d->state.twist[i].v, h * b->inv_mass, d->applied[i].force);
    v[0]      = x.x;
    v[1]      = x.y;
    v[2]      = x.z;
    if (b->dof == 6) {
        ss_vec3 w = angular_end(b, d, i, h);
        v[3]      = w.x;
        v[4]      = w.y;
        v[5]      = w.z;
    }
}

static void put_2d(ss_data *d, const ss_body *b, int32_t i, double h)
{
    double *v = d->v_free + b->v_start;
    v[0]      = d->state.twist[i].v.x + h * b->inv_mass * d->applied[i].force.x;
    v[1]      = d->state.twist[i].v.y + h * b->inv_mass * d->applied[i].force.y;
    if (b->dof == 3) {
        v[2] = d->state.twist[i].w.z + h * b->inv_inertia.m[8] * d->applied[i].torque.z;
    }
}

static void body_matrix(const ss_body *b, const ss_data *d, int32_t i, ss_body_matrix *A)
{
    A->linear      = b->mass;
    A->inv_linear  = b->inv_mass;
    A->angular     = d->inertia[i];
    A->inv_angular = d->inv_inertia[i];
}

/* Drag: (M + h E) v+ = M v + h F + J'p, with the same E as in the damped model. */
static void add_damping(const ss_model *m, ss_data *d, int32_t i, double h)
{
    const ss_body_matrix *A    = &d->matrix[i];
    const double         *v    = d->v_free + m->bodies[i].v_start;
    bool                  flat = m->dof == 3;
    ss_vec3      L    = ss_mul(&A->angular, flat ? ss_v3(0, 0, v[2]) : ss_v3(v[3], v[4], v[5]));
    const double b[6] = {
        A->linear * v[0], A->linear * v[1], flat ? L.z : A->linear * v[2], L.x, L.y, L.z};
    ss_resist_motion(m, d, i, h, b);
}

static ss_status assemble(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        body_matrix(b, d, i, &d->matrix[i]);
        if (m->dimension == 3) {
            put_3d(d, b, i, h);
        } else {
            put_2d(d, b, i, h);
        }
        if (ss_body_drags(b)) {
            add_damping(m, d, i, h);
        }
    }
    return SS_OK;
}

const ss_inertia_class ss_inertia_dynamic = {
    .name = "dynamic", .assemble = assemble, .speed_bound = ss_speed_by_forces, .momentum = true};
