/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stiff forces, linearly implicit (thesis 3.1). Along a direction with rate J v + d (d: that of
 * driven bodies) a spring of stiffness k has, at the start of the step, the force f = -k s, which
 * is among the applied ones. What its motion within the step adds, and all that a damper does, is
 * the impulse p of a row that gives:
 *
 *   euler     p = -h (k h J v' + c (J v' + d))
 *             J v' + C p + C h c d = 0,                          C = 1 / (h^2 k + h c)
 *   midpoint  f is that of the middle, by the velocities v_k of the pass before:
 *             p = -h (k (h/4) J (v' - v_k) + c (t J v' + (1 - t) J v + d))
 *             J v' + C p + C (h c ((1 - t) J v + d) - (h^2 k/4) J v_k) = 0,
 *                                                                C = 1 / (h^2 k/4 + h c t)
 *   medium    f is that of q_k = q + h v_k, where the round before led (implicit/joints_at_end.h)
 *             p = -h (k h J (v' - v_k) + c (J v' + d))
 *             J v' + C p + C (h c d - h^2 k J v_k) = 0,          C = 1 / (h^2 k + h c)
 *   controllers that declare k and c, whose force at the start holds all of it:
 *   euler     J v' + C p - C h c J v = 0
 *   midpoint  J v' + C p + C (h^2 k/4 - h c t) J v = 0
 *
 * As M + h C + h^2 K, it is stable for every h and any stiffness and damping; written as rows, it
 * leaves the matrix of each body to itself. C stands on the diagonal of W. t = 1/2 is the
 * trapezoidal rule, of second order; where a damper stops its bodies within the step (z = h c W >
 * 2) t = 1 - 1/z, so that they stop and do not swing back.
 *
 * A spring between two points has a row along it and others across it, with the stiffness
 * T/L of its tension T (if it pulls) and the damping, if that is the same in all directions. In a
 * step of first order that stiffness is a force across the line where the two are: it changes their
 * angular momentum, by h^2 T v a step, and is left out wherever the step is stable without it.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "force/between.h"
#include "joint/joint.h"
#include "model/axes.h"
#include "rows/tolerances.h"

/* Where the next row goes. */
typedef struct writer {
    const ss_model *m;
    ss_data        *d;
    double          h;
    int32_t         block, row;
    bool            middle;   /* this block's bodies are in the middle of the step */
    bool            held;     /* the force is that of the start of the step, damping and all */
    ss_twist        drift[2]; /* of the two bodies, as far as they are driven            */
} writer;

static uint64_t block_key(int32_t index, int32_t part)
{
    uint64_t x = ((uint64_t)(uint32_t)index << 16) | (uint64_t)part;
    return ~((x ^ 0x67697665u) * 0xC2B2AE3D27D4EB4Fu);
}

static ss_row_block *open_block(writer *w, const int32_t *bodies, int32_t index, int32_t part,
                                int32_t dim)
{
    const ss_data *d = w->d;
    ss_row_block  *b = &w->d->rows.blocks[w->block++];
    *b               = (ss_row_block){.kind   = SS_BLOCK_EQUALITY,
                                      .row    = w->row,
                                      .dim    = dim,
                                      .sides  = 2,
                                      .source = SS_ROWS_GIVE,
                                      .index  = index,
                                      .part   = part,
                                      .key    = block_key(index, part)};
    w->middle        = d->midpoint.pass > 0;
    for (int side = 0; side < 2; side++) {
        bool moves     = bodies[side] >= 0 && ss_body_moves(&w->m->bodies[bodies[side]]);
        b->body[side]  = moves ? bodies[side] : -1;
        w->middle      = w->middle && !(moves && !d->midpoint.smooth[bodies[side]]);
        bool driven    = bodies[side] >= 0 && w->m->bodies[bodies[side]].type == SS_BODY_KINEMATIC;
        w->drift[side] = driven ? d->twist_next[bodies[side]] : (ss_twist){{0, 0, 0}, {0, 0, 0}};
    }
    return b;
}

/* J v over the two bodies, with the velocities v or those of the state. */
static double rate(const writer *w, const ss_row_block *b, const double *J, const double *v)
{
    double u = 0;
    for (int side = 0; side < 2; side++, J += w->m->dof) {
        if (b->body[side] < 0) {
            continue;
        }
        const ss_twist *t      = &w->d->state.twist[b->body[side]];
        const bool      flat   = w->m->dimension == 2;
        const double    now[6] = {t->v.x, t->v.y, flat ? t->w.z : t->v.z, t->w.x, t->w.y, t->w.z};
        u += ss_dot_dof(J, v != NULL ? v + w->m->bodies[b->body[side]].v_start : now, w->m->dof);
    }
    return u;
}

/* J M^-1 J' of the row. */
static double mobility(const writer *w, const ss_row_block *b, const double *J)
{
    double sum = 0;
    for (int side = 0; side < 2; side++, J += w->m->dof) {
        if (b->body[side] < 0) {
            continue;
        }
        const ss_body *body = &w->m->bodies[b->body[side]];
        const ss_mat3 *B    = &w->d->inv_inertia[b->body[side]];
        if (w->m->dimension == 2) {
            sum += body->inv_mass * (J[0] * J[0] + J[1] * J[1]) + B->m[8] * J[2] * J[2];
            continue;
        }
        ss_vec3 turn = ss_v3(J[3], J[4], J[5]);
        sum += body->inv_mass * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2]);
        sum += ss_dot(turn, ss_mul(B, turn));
    }
    return sum;
}

/* C and the bias of a row with stiffness k and damping c; d: rate of driven bodies. */
static void bias_row(const writer *w, const ss_row_block *b, int32_t row, double k, double c,
                     double d)
{
    ss_rows      *r   = &w->d->rows;
    const double *J   = ss_row_side(w->m, r, row, 0);
    double        now = rate(w, b, J, NULL), hc = w->h * c, hhk = w->h * w->h * k;
    if (!w->middle) {
        r->give[row] = 1 / (hhk + hc);
        r->bias[row] = r->give[row] * hc * (w->held ? -now : d);
        if (w->d->ending.pass > 0 && !w->held) {
            r->bias[row] -= r->give[row] * hhk * rate(w, b, J, w->d->ending.v);
        }
        return;
    }
    double z = hc * mobility(w, b, J), theta = z > 2 ? 1 - 1 / z : 0.5;
    r->give[row] = 1 / (0.25 * hhk + theta * hc);
    if (w->held) {
        r->bias[row] = r->give[row] * (0.25 * hhk - theta * hc) * now;
        return;
    }
    double last  = rate(w, b, J, w->d->midpoint.v);
    r->bias[row] = r->give[row] * (hc * ((1 - theta) * now + d) - 0.25 * hhk * last);
}

static void put_sides(const writer *w, const ss_row_block *b, const ss_scalar_row *along, double *J)
{
    const int32_t dof = w->m->dof;
    for (int side = 0; side < 2; side++) {
        double  sign = side == 0 ? -1 : 1, *to = J + side * dof;
        ss_vec3 turn = side == 0 ? along->angular_a : along->angular_b;
        ss_vec3 move = side == 0 ? along->linear_a : along->linear_b;
        if (b->body[side] < 0) {
            continue;
        }
        bool turns = w->m->bodies[b->body[side]].dof == dof;
        to[0]      = sign * move.x;
        to[1]      = sign * move.y;
        to[2]      = w->m->dimension == 3 ? sign * move.z : turns ? sign * turn.z : 0;
        if (dof == 6 && turns) {
            to[3] = sign * turn.x;
            to[4] = sign * turn.y;
            to[5] = sign * turn.z;
        }
    }
}

/*
 * A step of first order keeps the angular momentum of two bodies if what acts between them points
 * along their spring where the step begins: L1 - L0 = sum x0 x p. So the stiffness across it, by
 * which its direction turns within the step, is left to the next step wherever that is stable.
 */
static double stiffness_across(const writer *w, const ss_row_block *b, const ss_scalar_row *across,
                               double k)
{
    double J[12] = {0};
    if (!ss_integrator_of(w->m)->second || w->middle) {
        return k;
    }
    put_sides(w, b, across, J);
    return w->h * w->h * k * mobility(w, b, J) <= SS_ACROSS_LEFT ? 0 : k;
}

/* The row `along` of the open block, with stiffness k and damping c. */
static void put_row(writer *w, const ss_row_block *b, ss_scalar_row along, double k, double c)
{
    const int32_t dof = w->m->dof, row = w->row++;
    ss_rows      *r = &w->d->rows;
    double       *J = ss_row_side(w->m, r, row, 0);
    memset(J, 0, 2 * (size_t)dof * sizeof *J);
    r->drift[row] = r->bias[row] = 0;
    r->give[row]                 = 1;
    if (!(k > 0) && !(c > 0)) {
        return; /* nothing acts along it: 0 + p = 0 */
    }
    put_sides(w, b, &along, J);
    r->drift[row] = ss_scalar_rate(&along, &w->drift[0], &w->drift[1]);
    bias_row(w, b, row, k, c, r->drift[row]);
}

/* Two directions across e. */
static void across(ss_vec3 e, int dimension, ss_vec3 *t, ss_vec3 *o)
{
    ss_vec3 least = fabs(e.x) < 0.9 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0);
    *t = dimension == 2 ? ss_v3(-e.y, e.x, 0) : ss_unit(ss_axpy(least, -ss_dot(least, e), e));
    *o = ss_cross(e, *t);
}

/* A controller on a body, along the world's axes, or on a joint, along its first coordinate. */
static void controller_block(writer *w, int32_t index)
{
    const ss_force     *f    = &w->m->forces[index];
    const ss_row_block *b    = open_block(w, f->body, index, 0, f->give_rows);
    const ss_vec3       e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    w->held                  = true;
    if (f->joint >= 0) {
        const ss_joint *j     = &w->m->joints[f->joint];
        ss_joint_place  place = ss_joint_place_now(w->m, w->d, j);
        ss_scalar_row   s     = ss_scalar_eval(&ss_joint_form_of(w->m, j)->coordinate[0], &place);
        put_row(w, b, s, f->stiffness, f->damping);
    }
    for (int32_t i = 0; f->joint < 0 && i < f->give_rows; i++) {
        put_row(w, b, (ss_scalar_row){.linear_a = ss_neg(e[i]), .linear_b = ss_neg(e[i])},
                f->stiffness, f->damping);
    }
    w->held = false;
}

static void force_block(writer *w, int32_t index)
{
    const ss_force     *f    = &w->m->forces[index];
    const ss_row_block *b    = open_block(w, f->body, index, 0, f->give_rows);
    ss_between          x    = ss_between_now(w->m, w->d, f);
    double              L    = ss_norm(x.apart);
    ss_vec3             e[3] = {L > 0 ? ss_scale(1 / L, x.apart) : ss_v3(1, 0, 0)};
    double              pull = L > 0 ? f->stiffness * (L - f->rest_length) / L : 0;
    across(e[0], w->m->dimension, &e[1], &e[2]);
    for (int32_t i = 0; i < f->give_rows; i++) {
        double        c     = i == 0 || !f->axial ? f->damping : 0;
        ss_scalar_row along = {.linear_a  = e[i],
                               .linear_b  = e[i],
                               .angular_a = ss_cross(x.arm[0], e[i]),
                               .angular_b = ss_cross(x.arm[1], e[i])};
        double        k     = i == 0 ? f->stiffness : stiffness_across(w, b, &along, fmax(pull, 0));
        put_row(w, b, along, k, c);
    }
}

static void joint_blocks(writer *w, int32_t index)
{
    const ss_joint      *j     = &w->m->joints[index];
    const ss_joint_form *form  = ss_joint_form_of(w->m, j);
    ss_joint_place       place = ss_joint_place_now(w->m, w->d, j);
    for (int32_t i = 0; i < form->coordinates; i++) {
        const ss_joint_coordinate *x = &j->coordinate[i];
        if (!(x->stiffness > 0) && !(x->damping > 0)) {
            continue;
        }
        ss_scalar_row       s = ss_scalar_eval(&form->coordinate[i], &place);
        const ss_row_block *b = open_block(w, j->body, index, 1 + i, 1);
        put_row(w, b, s, x->stiffness, x->damping);
    }
}

void ss_give_rows(const ss_model *m, ss_data *d, double h, int32_t block, int32_t row)
{
    writer w = {.m = m, .d = d, .h = h, .block = block, .row = row};
    for (int32_t i = 0; i < m->force_count; i++) {
        if (m->forces[i].give_rows > 0 && m->forces[i].cls->is_control) {
            controller_block(&w, i);
        } else if (m->forces[i].give_rows > 0) {
            force_block(&w, i);
        }
    }
    for (int32_t i = 0; m->joint_springs && i < m->joint_count; i++) {
        if (m->joints[i].gives) {
            joint_blocks(&w, i);
        }
    }
}
