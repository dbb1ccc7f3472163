/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts, supports and joints of the last step, and energies, as a user asks for them. */
#include <math.h>

#include "certify/tolerances.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "force/force.h"
#include "joint/joint.h"
#include "model/axes.h"
#include "rows/contact_state.h"
#include "sim/sim.h"
#include "sim/tolerances.h"

int32_t ss_data_contact_count(const ss_data *d)
{
    bool known = d != NULL && d->parted.done == SS_PART_NONE;
    return known ? d->contacts.count + ss_gone_contacts(d) : 0;
}

/* The impulse of a row in the whole step. */
static double told_impulse(const ss_data *d, const ss_row_block *b, int32_t k)
{
    const ss_told_block *of = ss_told_of(d, b);
    return of != NULL ? of->impulse[k] : d->rows.impulse[b->row + k];
}

/* Rows of a friction ellipsoid are scaled (contact_rows.c: scale_rows). */
static double axis_of(const ss_model *m, const ss_contact_info *c, int32_t k)
{
    ss_contact of = {.geom_a = c->geom_a, .geom_b = c->geom_b};
    return k > 0 ? ss_model_law(m, &of)->axes[k - 1] : 1;
}

void ss_contact_of_part(const ss_model *m, const ss_data *d, int32_t contact, ss_contact_info *out)
{
    const ss_contact   *c = &d->contacts.items[contact];
    const ss_row_block *b = &d->rows.blocks[contact];
    *out                  = (ss_contact_info){.body_a    = m->geoms[c->geom_a].body,
                                              .body_b    = m->geoms[c->geom_b].body,
                                              .geom_a    = c->geom_a,
                                              .geom_b    = c->geom_b,
                                              .feature_a = c->feature_a,
                                              .feature_b = c->feature_b,
                                              .normal    = c->normal,
                                              .gap       = c->gap,
                                              .mu        = b->mu,
                                              .branch_a  = (uint32_t)(c->branch >> 32),
                                              .branch_b  = (uint32_t)c->branch};
    out->point            = ss_scale(0.5, ss_add(c->point_a, c->point_b));
    ss_contact_frame(m, c, &out->t, &out->o);
    out->impulse_count = b->dim;
    out->state         = ss_block_state(m, d, b, d->part);
    for (int32_t k = 0; b->spring > 0 && k < 3; k++) {
        out->deflection[k] = d->springs.items[b->spring - 1].end[k];
    }
    for (int32_t k = 0; k < b->dim && k < 6; k++) {
        out->impulse[k]  = d->rows.impulse[b->row + k] * axis_of(m, out, k);
        out->velocity[k] = d->rows.velocity[b->row + k] / axis_of(m, out, k);
    }
}

ss_status ss_data_contact(const ss_model *m, const ss_data *d, int32_t contact,
                          ss_contact_info *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "contact", contact, ss_data_contact_count(d)));
    const ss_told_block *of;
    if (contact < d->contacts.count) {
        ss_contact_of_part(m, d, contact, out);
        of = ss_told_of(d, &d->rows.blocks[contact]);
    } else {
        of   = ss_gone_contact(d, contact - d->contacts.count);
        *out = of->last;
    }
    if (of != NULL) {
        const ss_vec3 axes[3] = {out->normal, out->t, out->o};
        for (int32_t k = 0; k < out->impulse_count && k < 6; k++) {
            out->impulse[k] = ss_dot(k < 3 ? of->push : of->turn, axes[k % 3]);
        }
    }
    return SS_OK;
}

/* State and steps have the mean velocity of a driven body over the last step. */
ss_status ss_data_body(const ss_model *m, const ss_data *d, int32_t body, ss_body_state *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "body", body, m->nb));
    const ss_body *b     = &m->bodies[body];
    ss_twist       twist = d->state.twist[body];
    if (b->type == SS_BODY_KINEMATIC) {
        twist = b->start_twist;
    }
    if (b->type == SS_BODY_KINEMATIC && !b->motion.uniform) {
        SS_TRY(ss_driven_velocity(m, d, body, &twist));
    }
    ss_body_with(m, d, body, &twist, out);
    return SS_OK;
}

static ss_twist twist_now(const ss_data *d, int32_t body)
{
    ss_twist none = {{0, 0, 0}, {0, 0, 0}};
    return body >= 0 ? d->state.twist[body] : none;
}

int32_t ss_model_support_count(const ss_model *m)
{
    return m != NULL ? m->support_count : 0;
}

/* Is there a last step whose rows are there? Between the parts of one they are not yet. */
static bool known(const ss_data *d)
{
    return d->report.step > 0 && d->parted.done == SS_PART_NONE;
}

/* The block that this support point had in the last step; NULL before the first. */
static const ss_row_block *support_block(const ss_data *d, int32_t support)
{
    for (int32_t i = d->contacts.count; known(d) && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_SUPPORT && b->index == support) {
            return b;
        }
    }
    return NULL;
}

ss_status ss_data_support(const ss_model *m, const ss_data *d, int32_t support,
                          ss_support_info *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "support point", support, m->support_count));
    const ss_support_point *s  = &m->supports[support];
    const ss_row_block     *b  = support_block(d, support);
    ss_frame                at = ss_pose_frame(m, &d->state.pose[s->body]);
    ss_vec3                 e[2];
    *out =
        (ss_support_info){.body         = s->body,
                          .point        = ss_to_world(&at, s->point),
                          .normal_force = b != NULL ? d->support_force[support] : s->normal_force,
                          .mu           = b != NULL ? d->support_mu[support] : s->mu,
                          .state        = SS_CONTACT_STICK};
    out->mu_across = out->mu * s->across;
    out->torsion   = s->torsion;
    ss_support_axes(m, d, support, e);
    out->axis[0] = e[0].x;
    out->axis[1] = e[0].y;
    for (int k = 0; b != NULL && k < 2; k++) { /* support_rows.c: the second row has a factor */
        double force = told_impulse(d, b, k) / d->report.step * (k == 1 ? s->across : 1);
        double speed = d->rows.velocity[b->row + k] / (k == 1 ? s->across : 1);
        out->friction[0] += force * e[k].x;
        out->friction[1] += force * e[k].y;
        out->velocity[0] += speed * e[k].x;
        out->velocity[1] += speed * e[k].y;
    }
    if (b != NULL && b->dim > 2) {
        out->moment = s->torsion * told_impulse(d, b, 2) / d->report.step;
    }
    if (b != NULL && ss_block_slips(m, d, b, d->part)) {
        out->state = SS_CONTACT_SLIP;
    }
    return SS_OK;
}

int32_t ss_model_force_count(const ss_model *m)
{
    return m->force_count;
}

const char *ss_model_force_name(const ss_model *m, int32_t force)
{
    return force >= 0 && force < m->force_count ? m->forces[force].name : NULL;
}

ss_status ss_data_force(const ss_model *m, const ss_data *d, int32_t force, ss_force_info *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "force", force, m->force_count));
    const ss_force *f    = &m->forces[force];
    const int32_t  *body = f->body;
    *out                 = (ss_force_info){.body = {body[0], body[1]}};
    for (int side = 0; side < 2; side++) {
        ss_wrench w       = d->report.step > 0 ? d->acting[2 * force + side] : (ss_wrench){0};
        out->point[side]  = f->point[side];
        out->force[side]  = w.force;
        out->torque[side] = w.torque;
        if (body[side] >= 0) {
            out->point[side]  = ss_to_world(&d->frame[body[side]], f->point[side]);
            ss_vec3 arm       = ss_sub(out->point[side], d->frame[body[side]].p);
            out->torque[side] = ss_sub(w.torque, ss_cross(arm, w.force));
        }
    }
    return SS_OK;
}

/* Where the joint is now. */
static void measure_joint(const ss_model *m, const ss_data *d, int32_t joint, ss_joint_info *out)
{
    const ss_joint      *j     = &m->joints[joint];
    const ss_joint_form *form  = ss_joint_form_of(m, j);
    ss_twist             va    = twist_now(d, j->body[0]);
    ss_twist             vb    = twist_now(d, j->body[1]);
    ss_joint_place       place = ss_joint_place_of(m, d, j, d->state.pose);
    for (int32_t i = 0; i < j->held; i++) {
        out->error = fmax(out->error, fabs(ss_scalar_eval(&form->hold[i], &place).value));
    }
    for (int32_t i = 0; i < form->coordinates; i++) {
        const ss_joint_coordinate *x   = &j->coordinate[i];
        ss_scalar_row              row = ss_scalar_eval(&form->coordinate[i], &place);
        out->value[i]  = d->state.joint_value[(ptrdiff_t)SS_JOINT_COORDINATES * joint + i];
        out->rate[i]   = ss_scalar_rate(&row, &va, &vb);
        double pull    = x->stiffness * (x->rest - out->value[i]) - x->damping * out->rate[i];
        out->spring[i] = pull + 0.0; /* not -0 */
    }
}

/* What one block of the joint did in the last step. */
static void joint_block(const ss_model *m, const ss_data *d, const ss_row_block *b,
                        const ss_told_block *of, ss_joint_info *out)
{
    double        h      = d->report.step;
    const double *p      = of != NULL ? of->impulse : d->rows.impulse + b->row;
    double        square = 0;
    ss_wrench     hold;
    switch (b->source) {
    case SS_ROWS_SUPPORT:
    case SS_ROWS_REBOUND:
    case SS_ROWS_GIVE: /* of forces too: with the springs, above */
    case SS_ROWS_CONTACT:
        break;
    case SS_ROWS_JOINT:
        hold        = of != NULL ? of->reaction : ss_joint_reaction(m, d, b);
        out->force  = ss_scale(1 / h, hold.force);
        out->torque = ss_scale(1 / h, hold.torque);
        for (int32_t k = 0; of == NULL && k < b->dim; k++) {
            out->unique = out->unique && !d->rows.loose[b->row + k];
        }
        out->unique = out->unique && (of == NULL || of->unique);
        break;
    case SS_ROWS_FRICTION:
        for (int32_t k = 0; k < b->dim; k++) {
            square += p[k] * p[k];
        }
        out->friction[b->part] = b->dim == 1 ? p[0] / h : sqrt(square) / h;
        break;
    case SS_ROWS_LOWER:
        out->limit[b->part] += p[0] / h;
        break;
    case SS_ROWS_UPPER:
        out->limit[b->part] -= p[0] / h;
        break;
    case SS_ROWS_MOTOR:
        out->motor[b->part] = (p[0] + (of != NULL ? of->closing[0] : d->rows.closing[b->row])) / h;
        break;
    }
}

/* A distance is held by its limits, spring or motor in place of the constraint: what pulls along
   the line between its points is the force in the rope. */
static void add_pull(const ss_joint_form *form, const ss_joint_place *place, ss_joint_info *out)
{
    double pull = out->limit[0] + out->spring[0] + out->motor[0] + out->friction[0];
    if (form->loosened && pull != 0) {
        ss_scalar_row row = ss_scalar_eval(&form->coordinate[0], place);
        out->force        = ss_axpy(out->force, pull, row.linear_b);
    }
}

ss_status ss_data_joint(const ss_model *m, const ss_data *d, int32_t joint, ss_joint_info *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "joint", joint, m->joint_count));
    const ss_joint *j = &m->joints[joint];
    *out              = (ss_joint_info){.body_a = j->body[0], .body_b = j->body[1], .unique = true};
    out->coordinates  = ss_joint_form_of(m, j)->coordinates;
    ss_joint_place place = ss_joint_place_in(j, ss_joint_frames(d), d->state.joint_value);
    out->anchor          = place.b.p;
    measure_joint(m, d, joint, out);
    for (int32_t i = d->contacts.count; known(d) && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->index == joint) {
            joint_block(m, d, b, ss_told_of(d, b), out);
        }
    }
    int32_t              cursor = 0;
    const ss_told_block *gone   = NULL;
    while (known(d) && (gone = ss_gone_block(d, &cursor)) != NULL) {
        if (gone->block.index == joint) {
            joint_block(m, d, &gone->block, gone, out);
        }
    }
    add_pull(ss_joint_form_of(m, j), &place, out);
    return SS_OK;
}

static double kinetic(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_body  *b = &m->bodies[i];
    const ss_twist *w = &d->state.twist[i];
    double          e = 0.5 * b->mass * ss_dot(w->v, w->v);
    if (b->dof == m->dof) {
        ss_vec3 local = w->w;
        if (!b->round) {
            ss_mat3 R = ss_mat3_from_quat(d->state.pose[i].q);
            local     = ss_tmul(&R, w->w);
        }
        e += 0.5 * ss_dot(local, ss_mul(&b->inertia, local));
    }
    return e;
}

/* Springs along the coordinates of joints. */
static double joint_potential(const ss_model *m, const ss_data *d, int32_t i)
{
    double e = 0;
    for (int k = 0; k < ss_model_joint_coordinates(m, i); k++) {
        const ss_joint_coordinate *x = &m->joints[i].coordinate[k];
        double stretch = d->state.joint_value[(ptrdiff_t)SS_JOINT_COORDINATES * i + k] - x->rest;
        e += 0.5 * x->stiffness * stretch * stretch;
    }
    return e;
}

ss_energy ss_data_energy(const ss_model *m, const ss_data *d)
{
    if (ss_data_given(m, d, d) != SS_OK) {
        return (ss_energy){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    }
    const ss_ledger *l = &d->state.ledger;
    ss_energy        e = {.dissipated  = l->dissipated,
                          .applied     = l->applied,
                          .driven      = l->driven,
                          .restitution = l->restitution,
                          .corrections = l->corrections,
                          .integration = l->integration};
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            e.kinetic += kinetic(m, d, i);
            e.potential -= m->bodies[i].mass * ss_dot(m->gravity, d->state.pose[i].p);
        }
    }
    for (int32_t i = 0; i < m->force_count; i++) {
        if (m->forces[i].cls->energy != NULL) {
            e.potential += m->forces[i].cls->energy(m, d->state.pose, &m->forces[i]);
        }
    }
    for (int32_t i = 0; i < d->state.deflection_count; i++) {
        e.potential += d->state.deflection[i].energy; /* of contacts that give */
    }
    for (int32_t i = 0; m->joint_springs && i < m->joint_count; i++) {
        e.potential += joint_potential(m, d, i);
    }
    return e;
}

/*
 * What certified steps lose by themselves is of their order, and a step that is coarse beside what
 * swings in it loses much. Schemes as printed are of first order, and known to.
 */
void ss_warn_of_losses(const ss_model *m, const ss_data *d)
{
    const ss_ledger *l    = &d->state.ledger;
    double           all  = l->in_play + l->dissipated + fabs(l->applied) + fabs(l->driven);
    double           lost = -l->integration;
    bool             much = lost > SS_LOST_BY_STEPS * all && lost > SS_ENERGY_SLACK * l->turnover;
    if (ss_inertia_of(m)->momentum && !m->as_printed && much) {
        ss_log(d->ctx, SS_LOG_WARNING,
               "the time-stepping itself lost %.3g J (line 'integration'), %.2g of what moved, was "
               "dissipated or put in; shorter steps, or simulation: {error: E}, lose less",
               lost, lost / all);
    }
}

const char *ss_motion_verdict_text(ss_motion_verdict verdict)
{
    switch (verdict) {
    case SS_MOTION_UNIQUE:
        return "unique";
    case SS_MOTION_NOT_UNIQUE:
        return "not unique";
    case SS_MOTION_UNDECIDED:
        return "undecided";
    }
    return "?";
}

/* Velocity coordinates as the motion of a body frame, placed as at the start of the step. */
static ss_body_motion motion_of(const ss_model *m, const ss_data *d, int32_t body, const double *v)
{
    const ss_body *b      = &m->bodies[body];
    ss_twist       w      = ss_twist_from_vector(m, b->dof, v);
    ss_vec3        offset = ss_mul(&d->frame[body].R, b->com);
    return (ss_body_motion){ss_sub(w.v, ss_cross(w.w, offset)), w.w};
}

const char *ss_balance_text(ss_balance_verdict verdict)
{
    static const char *const names[] = {"open", "not here", "nowhere"};
    return names[verdict];
}

ss_balance_verdict ss_nothing_balances(const ss_model *m, const ss_data *d, ss_body_motion *witness,
                                       double *power)
{
    if (ss_data_given(m, d, d) != SS_OK) {
        return SS_BALANCE_OPEN;
    }
    bool known = d->witness.verdict != SS_BALANCE_OPEN;
    for (int32_t i = 0; witness != NULL && i < m->nb; i++) {
        witness[i] = (ss_body_motion){{0, 0, 0}, {0, 0, 0}};
        if (known && ss_body_moves(&m->bodies[i])) {
            witness[i] = motion_of(m, d, i, d->witness.w + m->bodies[i].v_start);
        }
    }
    if (power != NULL) {
        *power = known ? d->witness.power : 0;
    }
    return d->witness.verdict;
}

ss_motion_verdict ss_motion_unique(const ss_model *m, const ss_data *d, ss_body_motion *direction)
{
    if (ss_data_given(m, d, d) != SS_OK) {
        return SS_MOTION_UNDECIDED;
    }
    bool known = d->report.motion == SS_MOTION_NOT_UNIQUE;
    for (int32_t i = 0; direction != NULL && i < m->nb; i++) {
        direction[i] = (ss_body_motion){{0, 0, 0}, {0, 0, 0}};
        if (known && ss_body_moves(&m->bodies[i])) {
            direction[i] = motion_of(m, d, i, d->motions.other + m->bodies[i].v_start);
        }
    }
    return d->report.motion;
}
