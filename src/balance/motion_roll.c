/* SPDX-License-Identifier: Apache-2.0 */
#include "balance/motion_roll.h"

#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/stages.h"

/* A contact that bears a load, alone of its pair: the two can roll on each other. */
static bool is_lone_contact(const ss_data *d, const ss_row_block *b)
{
    const ss_contact_list *all = &d->contacts;
    if (b->source != SS_ROWS_CONTACT || !(d->rows.impulse[b->row] > 0)) {
        return false;
    }
    const ss_contact *c = &all->items[b->index];
    for (int32_t i = ss_max(b->index - 1, 0); i <= b->index + 1 && i < all->count; i++) {
        const ss_contact *o = &all->items[i];
        if (i != b->index && o->geom_a == c->geom_a && o->geom_b == c->geom_b) {
            return false; /* the list is sorted by pairs */
        }
    }
    return true;
}

static ss_vec3 turn_of(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b = &m->bodies[body];
    if (ss_body_moves(b)) {
        return ss_twist_from_vector(m, b->dof, d->v_next + b->v_start).w;
    }
    return b->type == SS_BODY_KINEMATIC ? d->twist_next[body].w : ss_v3(0, 0, 0);
}

/* ---- what rolling does to the balance -------------------------------------------------------- */

/* The contact of the pair at the end of the step that is open least; false: there is none. */
static bool contact_at_end(const ss_model *m, const ss_data *d, const ss_contact *c,
                           ss_contact *out)
{
    enum { ROOM = 16 };
    ss_contact found[ROOM];
    int32_t    geom[2] = {c->geom_a, c->geom_b};
    ss_frame   frame[2];
    for (int side = 0; side < 2; side++) {
        int32_t body = m->geoms[geom[side]].body;
        frame[side]  = d->geom_frame[geom[side]];
        if (ss_body_moves(&m->bodies[body])) {
            ss_frame at = ss_pose_frame(m, &d->pose_next[body]);
            frame[side] = ss_frame_mul(&at, &m->geoms[geom[side]].local);
        }
    }
    double  near = fmin(m->geoms[geom[0]].radius, m->geoms[geom[1]].radius);
    int32_t count =
        ss_contacts_between(m, geom[0], &frame[0], geom[1], &frame[1], near, found, ROOM);
    for (int32_t i = 0; i < count; i++) {
        *out = i == 0 || found[i].gap < out->gap ? found[i] : *out;
    }
    return count > 0;
}

/* Force on the second body. */
static ss_vec3 force_of(const ss_model *m, const ss_data *d, const ss_row_block *b,
                        const ss_contact *c)
{
    const double *p     = d->rows.impulse + b->row;
    ss_vec3       force = ss_scale(p[0], c->normal);
    int           side = b->body[1] >= 0 ? 1 : 0; /* the rows of one that moves have the tangents */
    for (int32_t k = 1; k < b->dim && k < m->dimension; k++) {
        const double *J = ss_row_side(m, &d->rows, b->row + k, side);
        ss_vec3       t = ss_v3(J[0], J[1], m->dimension == 3 ? J[2] : 0);
        force           = ss_axpy(force, (side == 1 ? 1 : -1) * p[k], t);
    }
    return force;
}

static void add_change(const ss_model *m, const ss_data *d, int32_t body, double sign,
                       const ss_vec3 force[2], const ss_vec3 point[2], double *dF)
{
    const ss_body *b    = &m->bodies[body];
    double         f[6] = {0};
    if (!ss_body_moves(b)) {
        return;
    }
    ss_vec3   was = ss_cross(ss_sub(point[0], d->frame[body].p), force[0]);
    ss_vec3   is  = ss_cross(ss_sub(point[1], d->pose_next[body].p), force[1]);
    ss_wrench w   = {ss_sub(force[1], force[0]), ss_sub(is, was)};
    ss_wrench_to_vector(m, &w, sign, f);
    for (int32_t k = 0; k < b->dof; k++) {
        dF[b->v_start + k] += f[k];
    }
}

static void change_of_block(const ss_model *m, const ss_data *d, const ss_row_block *b, double h,
                            double *dF, double *size)
{
    ss_contact end;
    if (!is_lone_contact(d, b)) {
        return;
    }
    const ss_contact *c       = &d->contacts.items[b->index];
    int32_t           body[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    ss_vec3           w       = ss_sub(turn_of(m, d, body[1]), turn_of(m, d, body[0]));
    double            roll    = h * ss_norm(ss_cross(w, c->normal));
    if (!(roll > 0) || !contact_at_end(m, d, c, &end)) {
        return;
    }
    ss_vec3 n        = end.geom_a == c->geom_a ? end.normal : ss_neg(end.normal);
    ss_vec3 was      = force_of(m, d, b, c);
    ss_vec3 force[2] = {was, ss_axpy(was, d->rows.impulse[b->row], ss_sub(n, c->normal))};
    ss_vec3 point[2] = {c->point_a, end.point_a};
    add_change(m, d, body[0], -1, force, point, dF);
    add_change(m, d, body[1], 1, force, point, dF);
    *size += ss_norm(was) * roll;
}

ss_status ss_roll_changes(const ss_model *m, ss_data *d, const ss_island *isl, double h, double *dF,
                          double *size)
{
    memset(dF, 0, (size_t)m->nv * sizeof *dF);
    *size = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        ss_move_body(m, d, isl->bodies[i], h);
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        change_of_block(m, d, &d->rows.blocks[isl->blocks[i]], h, dF, size);
    }
    return SS_OK;
}

/* ---- motions that do not roll ---------------------------------------------------------------- */

/* The turn of the block's bodies against each other about the axis t. */
static void put_turn(const ss_model *m, const ss_data *d, const ss_contact *c, ss_vec3 t,
                     ss_motion_set *out)
{
    ss_motion_row *row     = &out->rows[out->count];
    int32_t        body[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    double         length  = 0;
    *row                   = (ss_motion_row){.body = {-1, -1}, .equal = true};
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        row->body[side] = -1;
    }
    for (int side = 0; side < 2; side++) {
        const ss_body *b    = &m->bodies[body[side]];
        double         sign = side == 0 ? -1 : 1;
        row->value += sign * ss_dot(t, turn_of(m, d, body[side]));
        if (!ss_body_moves(b) || b->dof < m->dof) {
            continue;
        }
        const double axis[3] = {t.x, t.y, t.z};
        row->body[side]      = d->local[body[side]];
        for (int32_t k = m->dimension; k < m->dof; k++) {
            double g = axis[m->dimension == 2 ? 2 : k - 3];
            g /= ss_coordinate_scale(m, body[side], k);
            row->g[6 * side + k] = sign * g;
            length += g * g;
        }
    }
    length = sqrt(length);
    for (int k = 0; length > 0 && k < 6 * SS_ROW_SIDES; k++) {
        row->g[k] /= length;
    }
    row->value = length > 0 ? row->value / length : 0;
    out->count += length > 0;
}

ss_status ss_roll_rows(const ss_model *m, ss_data *d, const ss_island *isl, ss_motion_set *out)
{
    out->count = 0;
    out->rows  = ss_arena_alloc(&d->scratch, 2 * (size_t)isl->block_count + 1, sizeof *out->rows);
    if (out->rows == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (!is_lone_contact(d, b)) {
            continue;
        }
        const ss_contact *c = &d->contacts.items[b->index];
        if (m->dimension == 2) {
            put_turn(m, d, c, ss_v3(0, 0, 1), out);
        } else {
            ss_vec3 n = c->normal, helper = fabs(n.x) < 0.6 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0);
            ss_vec3 t = ss_unit(ss_cross(n, helper));
            put_turn(m, d, c, t, out);
            put_turn(m, d, c, ss_cross(n, t), out);
        }
    }
    return SS_OK;
}
