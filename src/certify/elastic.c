/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What springs, dampers and contacts that give feed into the motion. Of one such element, with y
 * the velocity that bodies were moved by,
 *
 *   e = dV + h f.y + p.(J y + drift)
 *
 * is the energy that it has more at the end, and what it did to the bodies: its force f of the
 * start (or the middle) of the step, and the impulse p of what its motion within the step adds. A
 * passive element has e = -(what it dissipates); what is above is made by the scheme: forces that
 * were linear in the step. Without a damper and without slip there is nothing to dissipate, and
 * errors of both signs count, since in smooth motion they come and go; otherwise what the element
 * lost is its own.
 *
 * The deflection of a contact is how far the surfaces overlap (docs/theory/compliant.md), and rows
 * are linear in the step: a body that turns ends it deeper than its contacts were told. What it is
 * deeper is deflection of the next step, and energy; it is measured at the end of the step that
 * made it (ss_true_deflections), so that this step is the one to be cut.
 */
#include <math.h>

#include "certify/certify.h"
#include "compliant/compliant.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "force/force.h"
#include "formulate/formulate.h"
#include "joint/joint.h"

bool ss_is_control(const ss_model *m, const ss_row_block *b)
{
    return b->source == SS_ROWS_GIVE && b->part == 0 && m->forces[b->index].cls->is_control;
}

/* A body's velocity: moving ones by y, driven ones as the step drives them. */
static ss_twist twist_by(const ss_model *m, const ss_data *d, int32_t body, const double *y)
{
    const ss_twist none = {{0, 0, 0}, {0, 0, 0}};
    if (body < 0) {
        return none;
    }
    const ss_body *b = &m->bodies[body];
    if (ss_body_moves(b)) {
        return ss_twist_from_vector(m, b->dof, y + b->v_start);
    }
    return b->type == SS_BODY_KINEMATIC ? d->twist_next[body] : none;
}

static double row_works(const ss_model *m, const ss_data *d, const ss_row_block *b, const double *y)
{
    double sum = 0;
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        sum += d->rows.impulse[row] * (ss_row_rate(m, d, b, row, y) + d->rows.drift[row]);
    }
    return sum;
}

/* e, where only what is above zero counts if the element can lose energy. */
static ss_elastic counted(double change, double work, bool loses)
{
    double e = change + work;
    return (ss_elastic){
        .made = loses ? ss_max(e, 0) : e, .stored = change, .work = work, .loses = loses};
}

/* h f.y + p.(J y + drift) of a spring or damper between two bodies. */
static double force_work(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                         const double *y)
{
    const ss_force *f    = &m->forces[b->index];
    double          work = row_works(m, d, b, y);
    for (int side = 0; side < 2; side++) {
        ss_twist         t = twist_by(m, d, f->body[side], y);
        const ss_wrench *x = &d->acting[2 * b->index + side];
        work += f->body[side] < 0 ? 0 : h * (ss_dot(x->force, t.v) + ss_dot(x->torque, t.w));
    }
    return work;
}

static ss_elastic of_force(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                           const double *y)
{
    const ss_force *f      = &m->forces[b->index];
    double          change = 0;
    if (f->cls->energy != NULL) {
        change = f->cls->energy(m, d->shift.moved, f) - f->cls->energy(m, d->state.pose, f);
    }
    return counted(change, force_work(m, d, h, b, y), f->damping > 0);
}

/* How far the spring of a joint's coordinate is stretched. */
static double stretch(const ss_data *d, const ss_joint_form *form, const ss_joint *j,
                      const ss_row_block *b, double value)
{
    int32_t k    = b->part - 1;
    double  last = d->state.joint_value[(ptrdiff_t)SS_JOINT_COORDINATES * b->index + k];
    return ss_scalar_unwrapped(&form->coordinate[k], value, last) - j->coordinate[k].rest;
}

/* The same of the spring and damper along a joint's coordinate. */
static double joint_work(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                         const double *y)
{
    const ss_joint      *j    = &m->joints[b->index];
    const ss_joint_form *form = ss_joint_form_of(m, j);
    ss_joint_place       now  = ss_joint_place_now(m, d, j);
    ss_scalar_row        row  = ss_scalar_eval(&form->coordinate[b->part - 1], &now);
    ss_twist             ta = twist_by(m, d, j->body[0], y), tb = twist_by(m, d, j->body[1], y);
    double pull = j->coordinate[b->part - 1].stiffness * stretch(d, form, j, b, row.value);
    return row_works(m, d, b, y) - h * pull * ss_scalar_rate(&row, &ta, &tb);
}

static ss_elastic of_joint(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                           const double *y)
{
    const ss_joint            *j      = &m->joints[b->index];
    const ss_joint_form       *form   = ss_joint_form_of(m, j);
    const ss_scalar           *s      = &form->coordinate[b->part - 1];
    const ss_joint_coordinate *x      = &j->coordinate[b->part - 1];
    ss_joint_place             from   = ss_joint_place_of(m, d, j, d->state.pose);
    ss_joint_place             to     = ss_joint_place_of(m, d, j, d->shift.moved);
    double                     before = stretch(d, form, j, b, ss_scalar_eval(s, &from).value);
    double                     after  = stretch(d, form, j, b, ss_scalar_eval(s, &to).value);
    double                     change = 0.5 * x->stiffness * (after * after - before * before);
    return counted(change, joint_work(m, d, h, b, y), x->damping > 0);
}

double ss_elastic_work(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                       const double *y)
{
    return b->part > 0 ? joint_work(m, d, h, b, y) : force_work(m, d, h, b, y);
}

/* It overlaps, and nothing was stored in it. Springs of a layer are counted together. */
static bool is_fresh(const ss_spring *s)
{
    return s->layer < 0 && s->stored == 0 && s->start[0] > 0;
}

/*
 * A contact that goes on at another feature of its shapes (from an edge to the corner at its end)
 * has another identity: what was stored in the one that is gone is in the one that is new.
 */
ss_handed ss_handed_over(const ss_data *d)
{
    double gone = 0, fresh = 0;
    for (int32_t i = 0; i < d->state.deflection_count; i++) {
        gone += d->state.deflection[i].energy;
    }
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->spring > 0) {
            const ss_spring *s = &d->springs.items[b->spring - 1];
            gone -= s->stored;
            fresh += is_fresh(s) ? ss_deflection_energy(s->law, s->start, s->dim) : 0;
        }
    }
    gone        = ss_max(gone, 0);
    double both = ss_min(gone, fresh);
    return (ss_handed){.lost  = gone - both,
                       .taken = both,
                       .put   = d->placed ? fresh - both : 0,
                       .share = fresh > 0 ? both / fresh : 0};
}

static ss_elastic of_contact(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                             const double *y)
{
    const ss_spring *s       = &d->springs.items[b->spring - 1];
    const double    *p       = d->rows.impulse + b->row;
    double           carried = 0, slip = 0, change = s->change;
    if (m->driven) {
        carried = ss_driven_approach(m, d, &d->contacts.items[b->index], h);
    }
    for (int32_t i = 1; i < b->dim; i++) {
        slip -= p[i] * d->rows.velocity[b->row + i];
    }
    if (is_fresh(s)) {
        double had = ss_deflection_energy(s->law, s->start, s->dim);
        change -= had * (d->placed ? 1 : ss_handed_over(d).share);
    }
    bool let_go = s->core || !(p[0] > 0);
    return counted(change, row_works(m, d, b, y) + p[0] * carried,
                   s->layer < 0 && (let_go || slip > 0 || s->damped > 0));
}

ss_elastic ss_elastic_of(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                         const double *y)
{
    if (b->source == SS_ROWS_CONTACT) {
        return of_contact(m, d, h, b, y);
    }
    return b->part > 0 ? of_joint(m, d, h, b, y) : of_force(m, d, h, b, y);
}

/* ---- deflections where the step ended -------------------------------------------------------- */

/* Springs of one pair's contacts, [from, end) of all. */
typedef struct pair_springs {
    int32_t from, end;
    int32_t count;
    bool    patch; /* they are inside of a patch, no deeper than its corners: left as they are */
} pair_springs;

static ss_spring *spring_at(ss_data *d, int32_t contact)
{
    int32_t k = d->rows.blocks[contact].spring;
    return k > 0 ? &d->springs.items[k - 1] : NULL;
}

static pair_springs springs_of_pair(ss_data *d, const ss_pair *p, int32_t from)
{
    pair_springs x = {.from = from, .end = from};
    for (; x.end < d->contacts.count && ss_is_of_pair(&d->contacts.items[x.end], p); x.end++) {
        ss_spring *s     = spring_at(d, x.end);
        double     share = d->contacts.items[x.end].share;
        x.patch          = x.patch || (share > 0 && share < 1);
        x.count += s != NULL;
    }
    return x;
}

static void deepen(ss_spring *s, double depth)
{
    depth = ss_min(depth - s->rest, s->law->max_deflection);
    if (depth > s->end[0]) {
        double more = ss_spring_energy(s->law, depth) - ss_spring_energy(s->law, s->end[0]);
        s->energy += more;
        s->change += more;
        s->end[0] = depth;
    }
}

static const ss_contact *same_features(const ss_spring *s, const ss_contact *now, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        if (ss_contact_key(&now[k]) == s->key) {
            return &now[k];
        }
    }
    return NULL;
}

/* Each contact of a pair is as deep as the same features are where the step ended. Features that
   overlap there and had no contact take over from those that no longer do, with no more than these
   stored (compliant/hand_over.c). */
static void deepen_each(ss_data *d, const pair_springs *x, const ss_contact *now, int32_t count)
{
    for (int32_t i = x->from; i < x->end; i++) {
        ss_spring        *s = spring_at(d, i);
        const ss_contact *c = s != NULL ? same_features(s, now, count) : NULL;
        if (c != NULL) {
            deepen(s, -c->gap);
        }
    }
}

ss_status ss_true_deflections(const ss_model *m, ss_data *d)
{
    size_t      mark   = ss_arena_mark(&d->scratch);
    ss_frame   *frames = ss_arena_alloc(&d->scratch, (size_t)m->ng, sizeof *frames);
    ss_contact *now    = ss_arena_alloc(&d->scratch, SS_PAIR_CONTACTS, sizeof *now);
    int32_t     at     = 0;
    if (frames == NULL || now == NULL) {
        return SS_ERR_SCRATCH;
    }
    ss_place_geoms(m, d->pose_next, frames);
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *p = &d->pairs[i];
        pair_springs   x = springs_of_pair(d, p, at);
        at               = x.end;
        if (x.count == 0 || x.patch) {
            continue;
        }
        if (ss_geom_gap(m, frames, p->a, p->b, 0, NULL) < 0) {
            int32_t count = ss_geom_contacts(m, frames, p->a, p->b, now);
            deepen_each(d, &x, now, ss_drop_doubles(now, count));
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
