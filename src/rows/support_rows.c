/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Support points -> rows: at each point of a body that lies on a surface, two friction rows inside
 * a disk whose radius is known beforehand, mu N h (thesis (3.25), (3.26)):
 *
 *   u = (vx - w ry, vy + w rx) - velocity of the surface there,   |p| <= mu N h,   p maximises -u.p
 *
 * Where the surface has a grain, the bound is an ellipse with axes e1, e2 of the surface and
 * coefficients mu, k mu along them. The rows are then along e1 and e2, the second multiplied by k,
 * so that its impulse is p_2/k and its velocity k u_2, and the ellipse is a disk again:
 *
 *   |(p_1, p_2/k)| <= mu N h,    maximum dissipation: the impulse opposes (u_1, k^2 u_2), not u
 *
 * A point with a torsion l is a patch: a third row, l times the spin w against the surface, has the
 * impulse m/l of a moment m about the point, and all three lie in one ball:
 *
 *   |(p_1, p_2/k, m/l)| <= mu N h,    maximum dissipation over (u_1, k u_2, l w)
 *
 * Every ellipsoid of forces and moments is that of one such point (docs/theory/support.md).
 *
 * On a surface that accelerates across the plane by a, and turns out of it with (ax, ay), the
 * normal forces of three points follow from (3.23), seen from the centre of mass in world axes:
 *
 *   [ 1 1 1; y1 y2 y3; -x1 -x2 -x3 ] N = [ m (g + ac) + L;  (I (ax, ay))_x + L yL;  (I (ax, ay))_y
 * - L xL ]
 *
 * ac is the acceleration of the surface under the centre of mass; forces given for more points grow
 * with it alike. They are those of the middle of the step: means over it, to second order. What
 * forces above the surface add is derived in support_tilt.c.
 */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "force/force.h"
#include "linalg/mat3.h"
#include "rows/support_tilt.h"
#include "rows/tolerances.h"

/* What a supported body must be carried with: force across, moments about x and y. */
static ss_vec3 wanted_load(const ss_model *m, const ss_data *d, const ss_support_lift *l,
                           const double a[3])
{
    const ss_body *b = &m->bodies[l->body];
    const ss_mat3 *R = &d->frame[l->body].R;
    ss_vec3 pivot    = l->ground >= 0 ? ss_met_frame(m, d, l->ground, l->body)->p : ss_v3(0, 0, 0);
    ss_vec3 from     = ss_sub(d->frame[l->body].p, pivot);
    ss_vec3 L        = ss_mul(R, l->load_point);
    ss_vec3 turn     = ss_tmul(R, ss_v3(a[1], a[2], 0));
    ss_vec3 moment   = ss_mul(R, ss_v3(l->inertia[0] * turn.x, l->inertia[1] * turn.y, 0));
    double  across   = a[0] + a[1] * from.y - a[2] * from.x;
    return ss_v3(b->mass * (l->gravity + across) + l->load, moment.x + l->load * L.y,
                 moment.y - l->load * L.x);
}

static ss_status lifts_off(const ss_model *m, const ss_data *d, const ss_support_lift *l, double t)
{
    return ss_fail(d->ctx, SS_ERR_INPUT,
                   "body '%s': support: at t = %g the surface would have to pull at a point to "
                   "keep the body on it; what lifts off needs a 3D scene",
                   m->bodies[l->body].name, t);
}

static ss_status tripod_forces(const ss_model *m, ss_data *d, const ss_support_lift *l,
                               const double a[3], double t)
{
    const ss_support_point *s = &m->supports[l->first];
    ss_vec3                 r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = ss_mul(&d->frame[l->body].R, s[i].point);
    }
    ss_mat3 A    = {{1, 1, 1, r[0].y, r[1].y, r[2].y, -r[0].x, -r[1].x, -r[2].x}};
    ss_vec3 load = wanted_load(m, d, l, a);
    double *out  = &d->support_force[l->first];
    if (l->tilts) {
        ss_tilt_tripod(d, l, &A, load, out);
        return SS_OK;
    }
    ss_vec3 N = ss_mat3_solve(&A, load);
    out[0] = N.x, out[1] = N.y, out[2] = N.z;
    for (int i = 0; i < 3; i++) {
        if (!(out[i] >= -SS_SUPPORT_PULL * fabs(load.x)) || !(load.x >= 0)) {
            return lifts_off(m, d, l, t);
        }
        out[i] = fmax(out[i], 0);
    }
    return SS_OK;
}

static ss_status lifted_forces(const ss_model *m, ss_data *d, const ss_support_lift *l, double t)
{
    double a[3];
    for (int k = 0; k < 3; k++) {
        SS_TRY(ss_timed_value(d, &l->lift[k], t, &a[k]));
    }
    if (l->count == 3) {
        return tripod_forces(m, d, l, a, t);
    }
    if (l->count == 1) {
        double load                = wanted_load(m, d, l, a).x;
        d->support_force[l->first] = load;
        return load >= 0 ? SS_OK : lifts_off(m, d, l, t);
    }
    double share = a[0] != 0 ? 1 + a[0] / l->gravity : 1;
    if (!(share >= 0)) {
        return lifts_off(m, d, l, t);
    }
    for (int32_t i = l->first; i < l->first + l->count; i++) {
        d->support_force[i] = share * m->supports[i].normal_force;
    }
    if (l->tilts) {
        ss_tilt_given(m, d, l);
    }
    return SS_OK;
}

static ss_status find_forces(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->support_count; i++) {
        d->support_force[i] = m->supports[i].normal_force;
    }
    d->tips = -1;
    for (int32_t i = 0; i < m->lift_count; i++) {
        SS_TRY(lifted_forces(m, d, &m->lifts[i], d->state.t + 0.5 * h));
    }
    return SS_OK;
}

/* Does the body go with the surface, as far as the last certificate could tell? At an instant that
   is not asked: what moves there is known, and its rates are wanted. */
static bool goes_with(const ss_data *d, double slip, double speed)
{
    return !d->at_instant && slip <= SS_SUPPORT_GOES * speed;
}

/*
 * Velocity of the surface under a point. A point that goes with it goes with it exactly: what is
 * left is a difference of large numbers, which would have to be solved, and certified, for its own
 * sake.
 */
static ss_vec3 ground_velocity(const ss_model *m, const ss_data *d, const ss_support_point *s,
                               ss_vec3 arm, double h)
{
    if (s->ground < 0) {
        return ss_v3(0, 0, 0);
    }
    const ss_twist *now = &d->state.twist[s->body];
    ss_vec3         ground =
        ss_surface_drift(m, d, s->ground, s->body, ss_add(d->frame[s->body].p, arm), h);
    ss_vec3 point = ss_add(now->v, ss_cross(now->w, arm));
    return goes_with(d, ss_norm(ss_sub(point, ground)), ss_norm(ground)) ? point : ground;
}

/* .. by how it turned over the step. */
static double mean_spin(const ss_data *d, int32_t ground, double h)
{
    const double *was = d->frame_was[ground].R.m, *is = d->frame[ground].R.m;
    double        sine = is[3] * was[0] - is[0] * was[3], cosine = is[0] * was[0] + is[3] * was[3];
    return ss_atan2(sine, cosine) / h;
}

/* Spin of the surface, mean over the step; with what goes with it, as above. */
static double ground_spin(const ss_model *m, const ss_data *d, const ss_support_point *s, double h)
{
    if (s->ground < 0 || m->bodies[s->ground].type != SS_BODY_KINEMATIC) {
        return 0;
    }
    const ss_twist *known = d->at_instant ? d->twist_next : d->at_impact;
    double          spin  = known != NULL ? known[s->ground].w.z : mean_spin(d, s->ground, h);
    double          now   = d->state.twist[s->body].w.z;
    return goes_with(d, fabs(now - spin), fabs(spin)) ? now : spin;
}

void ss_support_axes(const ss_model *m, const ss_data *d, int32_t support, ss_vec3 e[2])
{
    const ss_support_point *s = &m->supports[support];
    e[0]                      = ss_v3(1, 0, 0);
    if (s->across != 1) {
        int32_t whose = s->turns ? s->body : s->ground;
        e[0] = whose >= 0 ? ss_mul(&ss_met_frame(m, d, whose, s->body)->R, s->axis) : s->axis;
    }
    e[1] = ss_v3(-e[0].y, e[0].x, 0);
}

static void support_row(const ss_model *m, ss_data *d, double h, int32_t i, int32_t row)
{
    const ss_support_point *s     = &m->supports[i];
    ss_vec3                 arm   = ss_mul(&d->frame[s->body].R, s->point);
    ss_vec3                 drift = ground_velocity(m, d, s, arm, h);
    double                 *J     = ss_row_side(m, &d->rows, row, 0);
    ss_vec3                 e[2];
    ss_support_axes(m, d, i, e);
    e[1] = ss_scale(s->across, e[1]);
    memset(J, 0, (s->torsion > 0 ? 6 : 4) * (size_t)m->dof * sizeof *J);
    J += m->dof; /* the columns of body b */
    for (int k = 0; k < 2; k++, J += 2 * m->dof) {
        J[0]                  = e[k].x;
        J[1]                  = e[k].y;
        J[2]                  = arm.x * e[k].y - arm.y * e[k].x;
        d->rows.bias[row + k] = d->rows.drift[row + k] = -(e[k].x * drift.x + e[k].y * drift.y);
    }
    if (s->torsion > 0) {
        J[2]                  = s->torsion;
        d->rows.bias[row + 2] = d->rows.drift[row + 2] = -s->torsion * ground_spin(m, d, s, h);
    }
}

/* mu of a point where friction varies with place. */
static ss_status friction_there(const ss_model *m, const ss_data *d, const ss_support_point *s,
                                double *mu)
{
    *mu = s->mu;
    if (s->place == NULL) {
        return SS_OK;
    }
    ss_vec3 at = ss_to_world(&d->frame[s->body], s->point);
    if (s->ground >= 0 && !s->place->world) {
        const ss_frame *ground = ss_met_frame(m, d, s->ground, s->body);
        at                     = ss_add(ss_to_body(ground, at), m->bodies[s->ground].com);
    }
    double value = ss_friction_at(s->place, at);
    *mu *= value;
    return value >= 0 && isfinite(value)
               ? SS_OK
               : ss_fail(d->ctx, SS_ERR_INPUT,
                         "t = %g: friction must be >= 0, got %g at (%.6g, %.6g) under body '%s'",
                         d->state.t, value, at.x, at.y, m->bodies[s->body].name);
}

ss_status ss_support_rows(const ss_model *m, ss_data *d, double h, int32_t block, int32_t row)
{
    SS_TRY(find_forces(m, d, h));
    for (int32_t i = 0; i < m->support_count; i++, block++) {
        const ss_support_point *s    = &m->supports[i];
        int32_t                 rows = s->torsion > 0 ? 3 : 2;
        SS_TRY(friction_there(m, d, s, &d->support_mu[i]));
        d->rows.blocks[block] = (ss_row_block){.kind   = SS_BLOCK_DISK,
                                               .row    = row,
                                               .dim    = rows,
                                               .bound  = h * d->support_mu[i] * d->support_force[i],
                                               .sides  = 2,
                                               .body   = {-1, s->body},
                                               .source = SS_ROWS_SUPPORT,
                                               .index  = i,
                                               .key = 0x5355505000000000u + (uint64_t)(uint32_t)i};
        support_row(m, d, h, i, row);
        row += rows;
    }
    return SS_OK;
}
