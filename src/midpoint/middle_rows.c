/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in the middle of the step (midpoint.h). For what a joint holds, with arms r(t) of its ends
 * that turn at the mean velocity from the start of the step to its end:
 *
 *   points     D = p_b - p_a,   D1 - D = h (v_b - v_a + w_b x r^_b - w_a x r^_a)   exactly,
 *              r^ = r_par + sin(a/2)/(a/2) r_perp     the mean of r(t) over the step; a: its turn
 *   distances  |D1| - |D| = e^.(D1 - D),   e^ = (D + D1)/(|D| + |D1|)
 *   guides     e.D along an axis e of body a, which turns by a about its own axis; par, perp: along
 *              that and across it, in the middle, c = cos(a/2), s = sin(a/2)/(a/2), D~ = (D +
 * D1)/2: e1.D1 - e.D = e^.(D1 - D) + h w_a.l      exactly,    e^ = e_par + c e_perp, l = e_perp x
 * (s D~_perp + c D~_par) + e_par x s D_perp others     their gradient in the middle, which is exact
 * to third order
 *
 * Of l only e_perp x s D~_perp does any of that, since the rest is across w_a. With it the row asks
 * nothing of two bodies that move as one, whichever way these turn: a guide between bodies that a
 * weld or a hinge holds too agrees with it, where rows that differ by (1 - c) would contradict.
 *
 * (discrete derivatives: Gonzalez 1996; for joints of rigid bodies: Betsch 2006). The bias is what
 * Newton's method asks for from the velocities v_k of the pass before:
 *
 *   phi(q1) - phi(q) + (h/2) J~ (v' - v_k) = 0      u = J~ v' + 2 (phi(q1) - phi(q))/h - J~ v_k
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "core/elementary.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "joint/joint.h"
#include "linalg/mean_arm.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"
#include "rows/tolerances.h"

static bool is_smooth(const ss_data *d, const ss_row_block *b)
{
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0 && !d->midpoint.smooth[b->body[side]]) {
            return false;
        }
    }
    return true;
}

static ss_vec3 turn_of(const ss_data *d, int32_t body, double h)
{
    return body >= 0 ? ss_scale(h, d->midpoint.mean[body].w) : ss_v3(0, 0, 0);
}

static int32_t point_rows(const ss_joint_form *form)
{
    int32_t n = 0;
    for (int32_t i = 0; i < form->held; i++) {
        n += form->hold[i].kind == SS_SCALAR_POINT;
    }
    return n;
}

/* A joint at the start of the step, in its middle and at its end. */
typedef struct stretch {
    ss_joint_place start, middle, end;
    ss_vec3        arm[2];  /* mean arms of the two ends                            */
    ss_vec3        turn;    /* of body a over the step                              */
    ss_vec3        was, is; /* p_b - p_a at the start and at the end                */
    ss_vec3        goes;    /* .. at the end, as rows have it                       */
    bool           pinned;  /* all of p_b - p_a is held                             */
} stretch;

static ss_vec3 apart(const ss_joint_place *p)
{
    return ss_sub(p->b.p, p->a.p);
}

/* How fast a point at `arm` from the centre of a body goes. */
static ss_vec3 point_rate(const ss_data *d, int32_t body, ss_vec3 arm)
{
    if (body < 0) {
        return ss_v3(0, 0, 0);
    }
    const ss_twist *t = &d->midpoint.mean[body];
    return ss_add(t->v, ss_cross(t->w, arm));
}

/*
 * p_b - p_a at the end by what the velocities do at the start of the step, seen from body a. The
 * first pass has velocities that keep joints closed there, and moves bodies along straight lines:
 * two that turn as one are then apart by h^2, and rows of several joints between them, each with
 * its own part of that, would contradict each other.
 */
static ss_vec3 seen_from_start(const ss_data *d, const ss_joint *j, const stretch *s, double h)
{
    ss_vec3 a    = point_rate(d, j->body[0], ss_sub(s->start.b.p, s->start.centre_a));
    ss_vec3 b    = point_rate(d, j->body[1], ss_sub(s->start.b.p, s->start.centre_b));
    ss_vec3 from = ss_axpy(s->was, h, ss_sub(b, a));
    from         = ss_tmul(&s->start.a.R, from);
    return ss_mul(&s->end.a.R, from);
}

static stretch stretch_of(const ss_model *m, const ss_data *d, const ss_joint *j, double h)
{
    const ss_joint_form *form = ss_joint_form_of(m, j);
    stretch              s;
    s.start  = ss_joint_place_of(m, d, j, d->state.pose);
    s.middle = ss_joint_place_of(m, d, j, d->midpoint.middle);
    s.end    = ss_joint_place_of(m, d, j, d->midpoint.end);
    s.pinned = point_rows(form) == m->dimension;
    s.turn   = turn_of(d, j->body[0], h);
    s.arm[0] = ss_mean_arm(ss_sub(s.middle.a.p, s.middle.centre_a), s.turn);
    s.arm[1] = ss_mean_arm(ss_sub(s.middle.b.p, s.middle.centre_b), turn_of(d, j->body[1], h));
    s.was    = apart(&s.start);
    s.is     = apart(&s.end);
    s.goes   = d->midpoint.pass > 1 || s.pinned ? s.is : seen_from_start(d, j, &s, h);
    return s;
}

/* The row of a guide: e^ and l of the top of this file. */
static void guide(const stretch *s, ss_scalar_row *row)
{
    ss_vec3 e = row->linear_b, axis = ss_scale(1 / ss_norm(s->turn), s->turn);
    double  c     = ss_cos(0.5 * ss_norm(s->turn));
    ss_vec3 mean  = ss_scale(0.5, ss_add(s->was, s->goes));
    ss_vec3 e_par = ss_scale(ss_dot(e, axis), axis), e_perp = ss_sub(e, e_par);
    ss_vec3 along  = ss_scale(ss_dot(mean, axis), axis);
    ss_vec3 across = ss_mean_arm(ss_sub(mean, along), s->turn);
    ss_vec3 lever  = ss_add(ss_cross(e_perp, ss_axpy(across, c, along)),
                            ss_cross(e_par, ss_scale(1 / c, across)));
    row->linear_a = row->linear_b = ss_axpy(e_par, c, e_perp);
    row->angular_a                = ss_sub(ss_cross(s->arm[0], row->linear_a), lever);
    row->angular_b                = ss_cross(s->arm[1], row->linear_b);
}

/* Does body a turn, and by less than an axis may turn in a step that keeps its direction? */
static bool turns_little(const stretch *s)
{
    double a2 = ss_dot(s->turn, s->turn);
    return a2 > 0 && a2 < SS_GUIDE_TURN * SS_GUIDE_TURN;
}

/* (x + y)/(|x| + |y|): times y - x it is |y| - |x|. */
static ss_vec3 mean_direction(ss_vec3 x, ss_vec3 y)
{
    return ss_scale(1 / (ss_norm(x) + ss_norm(y)), ss_add(x, y));
}

/* Discrete derivative of a held scalar; value: by how much it grows over the step. */
static ss_scalar_row discrete_row(const ss_scalar *scalar, const stretch *s)
{
    ss_scalar_row row      = ss_scalar_eval(scalar, &s->middle);
    ss_vec3       grown    = ss_sub(s->is, s->was);
    bool          distance = scalar->kind == SS_SCALAR_OFFSET || scalar->kind == SS_SCALAR_DISTANCE;
    if (distance && ss_norm(s->was) + ss_norm(s->is) > 0) {
        row.linear_a = row.linear_b = mean_direction(s->was, s->goes);
        row.value                   = ss_dot(mean_direction(s->was, s->is), grown);
    } else if (s->pinned && scalar->kind == SS_SCALAR_POINT) {
        row.value = ss_dot(row.linear_b, grown);
    } else {
        double from = ss_scalar_eval(scalar, &s->start).value;
        row.value = ss_scalar_unwrapped(scalar, ss_scalar_eval(scalar, &s->end).value, from) - from;
        if (scalar->kind == SS_SCALAR_POINT && turns_little(s)) {
            guide(s, &row);
        }
        return row;
    }
    row.angular_a = ss_cross(s->arm[0], row.linear_a);
    row.angular_b = ss_cross(s->arm[1], row.linear_b);
    return row;
}

static double sum_of(ss_vec3 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z);
}

/* Growth that is all rounding of the coordinates it was computed from is none. */
static double certain_growth(const ss_scalar_row *row, const stretch *s)
{
    double size = 1; /* rotations: of unit vectors */
    if (sum_of(row->linear_a) + sum_of(row->linear_b) > 0) {
        size = sum_of(s->end.a.p) + sum_of(s->end.b.p) + sum_of(s->end.centre_a) +
               sum_of(s->end.centre_b);
    }
    return fabs(row->value) > SS_GROWTH_ROUNDING * size ? row->value : 0;
}

static void put_row(const ss_model *m, ss_data *d, const ss_row_block *b, int32_t row,
                    const ss_scalar_row *s)
{
    double *J = ss_row_side(m, &d->rows, row, 0);
    for (int side = 0; side < b->sides; side++, J += m->dof) {
        if (b->body[side] < 0) {
            continue;
        }
        ss_wrench of    = ss_scalar_side(s, side);
        bool      turns = m->bodies[b->body[side]].dof == m->dof;
        J[0]            = of.force.x;
        J[1]            = of.force.y;
        if (m->dimension == 2) {
            J[2] = turns ? of.torque.z : 0;
            continue;
        }
        J[2] = of.force.z;
        J[3] = turns ? of.torque.x : 0;
        J[4] = turns ? of.torque.y : 0;
        J[5] = turns ? of.torque.z : 0;
    }
}

/* What driven bodies bring to a row of a joint, by its discrete derivative. */
static double drift_of(const ss_model *m, const ss_data *d, const ss_joint *j,
                       const ss_scalar_row *row)
{
    ss_twist t[2] = {0};
    for (int side = 0; side < 2; side++) {
        int32_t body = j->body[side];
        if (body >= 0 && m->bodies[body].type == SS_BODY_KINEMATIC) {
            t[side] = d->midpoint.mean[body];
        }
    }
    return ss_scalar_rate(row, &t[0], &t[1]);
}

static void joint_block(const ss_model *m, ss_data *d, const ss_row_block *b, double h)
{
    const ss_joint      *j    = &m->joints[b->index];
    const ss_joint_form *form = ss_joint_form_of(m, j);
    stretch              s    = stretch_of(m, d, j, h);
    for (int32_t k = 0; k < b->dim; k++) {
        ss_scalar_row row = discrete_row(&form->hold[k], &s);
        d->midpoint.grown = ss_max(d->midpoint.grown, fabs(row.value));
        put_row(m, d, b, b->row + k, &row);
        if (m->driven && b->sides == 2) {
            d->rows.drift[b->row + k] = drift_of(m, d, j, &row);
        }
        d->rows.bias[b->row + k] =
            2 / h * certain_growth(&row, &s) - ss_row_rate(m, d, b, b->row + k, d->midpoint.v);
        d->midpoint.shift[b->row + k] = 0;
    }
}

/* A limit: the same, from where it was at the start; what it was passed by is closed in position.
 */
static void limit_block(const ss_model *m, ss_data *d, const ss_row_block *b, double gap, double h)
{
    stretch       s      = stretch_of(m, d, &m->joints[b->index], h);
    ss_scalar_row row    = discrete_row(ss_limited_scalar(m, b), &s);
    double        growth = certain_growth(&row, &s);
    double        sign   = b->source == SS_ROWS_LOWER ? 1 : -1;
    row                  = ss_limit_row(m, b, &row);
    put_row(m, d, b, b->row, &row);
    d->rows.drift[b->row] = drift_of(m, d, &m->joints[b->index], &row);
    d->rows.bias[b->row] =
        2 / h * (ss_max(gap, 0) + sign * growth) - ss_row_rate(m, d, b, b->row, d->midpoint.v);
    d->midpoint.shift[b->row] = 0;
}

ss_row_start *ss_start_of(const ss_data *d, uint64_t key, int32_t *cursor)
{
    const ss_midpoint *x = &d->midpoint;
    for (int32_t k = 0; k < x->start_count; k++) {
        int32_t i = *cursor + k < x->start_count ? *cursor + k : *cursor + k - x->start_count;
        if (x->starts[i].key == key) {
            *cursor = i + 1 < x->start_count ? i + 1 : 0;
            return &x->starts[i];
        }
    }
    return NULL;
}

ss_row_start *ss_block_start(const ss_data *d, const ss_row_block *b, int32_t *cursor)
{
    return ss_start_of(d, b->key, cursor);
}

void ss_middle_friction_axes(const ss_model *m, ss_data *d)
{
    int32_t cursor = 0;
    ss_find_successors(m, d);
    for (int32_t i = 0; i < d->contacts.count; i++) {
        ss_contact         *c = &d->contacts.items[i];
        const ss_row_start *start =
            fabs(c->normal.x) < SS_AXIS_SURE ? NULL : ss_start_of(d, ss_contact_key(c), &cursor);
        if (start != NULL) {
            ss_keep_friction_axis(c, start->axis);
        }
    }
}

bool ss_struck_in_middle(const ss_data *d, const ss_row_block *b, int32_t *cursor)
{
    if (!(d->rows.impulse[b->row] > 0)) {
        return false;
    }
    const ss_row_start *start = ss_block_start(d, b, cursor);
    return start != NULL && start->closes;
}

/* Has the block a law of one side in its first row? */
static bool one_sided(const ss_row_block *b)
{
    return b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
}

/* How fast driven bodies open a contact, between its start and its end. */
static double carried_by(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    bool contact = m->driven && b->source == SS_ROWS_CONTACT;
    return contact ? ss_driven_approach(m, d, &d->contacts.items[b->index], h) : 0;
}

/* What is known of the start, along the axes that the contact has in this pass. */
static void carry_start(const ss_model *m, const ss_data *d, const ss_row_block *b,
                        ss_row_start *start)
{
    const ss_contact *c = &d->contacts.items[b->index];
    ss_carry_axes(m, c, start->normal, c->normal, start->rate);
    ss_carry_axes(m, c, start->normal, c->normal, start->drift);
    ss_carry_axes(m, c, start->normal, c->normal, start->along);
    start->normal = c->normal;
}

/* The biases of a block that lasts from the start of the step to its middle. */
static void shift_block(const ss_model *m, ss_data *d, const ss_row_block *b, ss_row_start *start,
                        double h)
{
    double carried = carried_by(m, d, b, h);
    if (b->source == SS_ROWS_CONTACT) {
        carry_start(m, d, b, start);
    }
    for (int32_t k = 0; k < b->dim; k++) {
        int32_t row     = b->row + k;
        double  rate    = ss_row_rate(m, d, b, row, d->v_now);
        bool    first   = k == 0 && one_sided(b);
        double  drift   = first ? carried : d->rows.drift[row];
        double  shift   = rate - start->rate[k < 6 ? k : 5];
        bool    surface = b->source == SS_ROWS_CONTACT;
        shift += start->placed || surface ? drift - start->drift[k < 6 ? k : 5] : 0;
        d->midpoint.shift[row] = shift + (first ? carried : 0); /* which is no drift of the row */
        if (first) {
            double bends      = ss_max(start->bends, b->bends);
            d->rows.bias[row] = carried + shift + ss_max(start->gap, 0) / h + bends;
        } else if (start->slides) {
            d->rows.bias[row] = rate + 2 * drift;
        } else {
            d->rows.bias[row] += shift;
        }
    }
    if (b->source == SS_ROWS_CONTACT) {
        d->contacts.items[b->index].gap = start->gap;
    }
}

/*
 * A contact with a driven body that was out of reach at the start: the driven body then stood at
 * the end of the step, where it is further away. Its gap of the start is where the first half of
 * the step came from, and its law that of the others.
 */
static void fresh_contact(const ss_model *m, ss_data *d, const ss_row_block *b, double h)
{
    ss_contact *c       = &d->contacts.items[b->index];
    double      carried = carried_by(m, d, b, h);
    if (!ss_contact_is_uneven(m, d, c)) { /* it has met what stood where it was */
        d->midpoint.shift[b->row] = carried;
        return;
    }
    double mean = 0.5 * (ss_row_rate(m, d, b, b->row, d->v_now) +
                         ss_row_rate(m, d, b, b->row, d->midpoint.v));
    c->gap -= 0.5 * h * (mean + carried);
    d->midpoint.shift[b->row] = carried;
    d->rows.bias[b->row]      = carried + ss_max(c->gap, 0) / h + b->bends;
}

static void gather(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        ss_twist_to_vector(m, &d->state.twist[i], d->v_now + b->v_start);
    }
}

ss_status ss_middle_rows(const ss_model *m, ss_data *d, double h)
{
    int32_t cursor    = 0;
    d->midpoint.shift = ss_arena_alloc(&d->scratch, (size_t)d->rows.nrows + 1, sizeof(double));
    if (d->midpoint.shift == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(d->midpoint.shift, 0, ((size_t)d->rows.nrows + 1) * sizeof(double));
    d->midpoint.grown = 0;
    gather(m, d);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (!is_smooth(d, b) || b->source == SS_ROWS_GIVE) {
            continue;
        }
        if (b->source == SS_ROWS_JOINT) {
            joint_block(m, d, b, h);
            continue;
        }
        ss_row_start *start = ss_block_start(d, b, &cursor);
        if (start != NULL && ss_is_limit(b)) {
            limit_block(m, d, b, start->gap, h);
        } else if (start != NULL) {
            shift_block(m, d, b, start, h);
        } else if (!b->strikes && b->source == SS_ROWS_CONTACT && m->driven) {
            fresh_contact(m, d, b, h);
        }
    }
    return SS_OK;
}

ss_status ss_note_starts(const ss_model *m, ss_data *d, double h)
{
    ss_midpoint *x = &d->midpoint;
    ss_forget_driven(m, d);
    for (int32_t i = 0; m->driven && i < m->joint_count; i++) {
        ss_ask_driven(m, d, m->joints[i].body[0], h);
        ss_ask_driven(m, d, m->joints[i].body[1], h);
    }
    x->start_most = 2 * d->rows.nblocks;
    if (x->start_most > x->start_capacity) {
        return SS_ERR_SCRATCH;
    }
    gather(m, d);
    x->start_count = d->rows.nblocks;
    x->pushed      = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        for (int32_t c = 0; ss_body_moves(b) && c < b->dof; c++) {
            double by = fabs(d->v_free[b->v_start + c] - d->v_now[b->v_start + c]);
            x->pushed = ss_max(x->pushed, ss_coordinate_scale(m, i, c) * by);
        }
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        ss_row_start       *s = &x->starts[i];
        s->key                = b->key;
        s->geom[0] = s->geom[1] = -1;
        s->slides = s->closes = s->placed = s->jerked = false;
        s->reversal                                   = SS_REVERSAL_NONE;
        s->driven                                     = 0;
        s->gap                                        = d->rows.bias[b->row] * h;
        s->bends                                      = 0;
        if (b->source == SS_ROWS_CONTACT) { /* driven bodies stand at the end of the step */
            s->gap     = d->contacts.items[b->index].gap - h * carried_by(m, d, b, h);
            s->bends   = b->flies ? b->bends : 0;
            s->axis    = ss_friction_axis(&d->contacts.items[b->index]);
            s->normal  = d->contacts.items[b->index].normal;
            s->geom[0] = d->contacts.items[b->index].geom_a;
            s->geom[1] = d->contacts.items[b->index].geom_b;
            ss_note_arms(m, d, &d->contacts.items[b->index], s);
        }
        if (ss_is_limit(b)) {
            double gap = ss_limit_at(m, d, b, d->state.pose).value;
            s->gap     = ss_stop_gap(m, d, b->index, b->part, b->source == SS_ROWS_LOWER, gap, h);
        }
        for (int32_t k = 0; k < b->dim && k < 6; k++) {
            s->rate[k]  = ss_row_rate(m, d, b, b->row + k, d->v_now);
            s->drift[k] = d->rows.drift[b->row + k];
        }
        if (b->source == SS_ROWS_CONTACT && m->driven) {
            s->drift[0] = carried_by(m, d, b, h);
        }
    }
    return SS_OK;
}

/* Largest pull of the joint along the arm, as a stiffness against turning. */
static void add_stiffness(const ss_model *m, ss_data *d, int32_t body, ss_vec3 arm, ss_vec3 pull)
{
    double c = ss_dot(arm, pull), square = ss_dot(arm, arm);
    if (body < 0 || !(c > 0) || m->bodies[body].dof < m->dof) {
        return;
    }
    double *K = d->midpoint.stiffness[body].m;
    K[8] += m->dimension == 2 ? c : c * (1 - arm.z * arm.z / square);
    if (m->dimension == 2) {
        return;
    }
    K[0] += c * (1 - arm.x * arm.x / square);
    K[4] += c * (1 - arm.y * arm.y / square);
    K[1] -= c * arm.x * arm.y / square;
    K[2] -= c * arm.x * arm.z / square;
    K[5] -= c * arm.y * arm.z / square;
    K[3] = K[1];
    K[6] = K[2];
    K[7] = K[5];
}

void ss_middle_stiffness(const ss_model *m, ss_data *d)
{
    if (m->joint_count == 0) {
        return;
    }
    memset(d->midpoint.stiffness, 0, (size_t)m->nb * sizeof *d->midpoint.stiffness);
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source != SS_ROWS_JOINT) {
            continue;
        }
        const ss_joint *j     = &m->joints[b->index];
        ss_joint_place  place = ss_joint_place_in(j, d->frame, d->state.joint_value);
        ss_vec3         pull  = ss_joint_reaction(m, d, b).force;
        add_stiffness(m, d, j->body[0], ss_sub(place.a.p, place.centre_a), ss_neg(pull));
        add_stiffness(m, d, j->body[1], ss_sub(place.b.p, place.centre_b), pull);
    }
}
