/* SPDX-License-Identifier: Apache-2.0 */
#include "import/robot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/constants.h"
#include "core/context.h"

/* ---- places ---- */

ss_vec3 ss_turned(ss_quat q, ss_vec3 x)
{
    ss_mat3 R = ss_mat3_from_quat(q);
    return ss_mul(&R, x);
}

ss_vec3 ss_place_point(ss_place a, ss_vec3 x)
{
    return ss_add(a.p, ss_turned(a.q, x));
}

ss_place ss_place_mul(ss_place a, ss_place b)
{
    return (ss_place){ss_place_point(a, b.p), ss_quat_unit(ss_quat_mul(a.q, b.q))};
}

ss_place ss_place_inverse(ss_place a)
{
    ss_quat q = {a.q.w, -a.q.x, -a.q.y, -a.q.z};
    return (ss_place){ss_neg(ss_turned(q, a.p)), q};
}

/* ---- lists ---- */

static void *grow(ss_robot *r, void *items, int32_t count, int32_t *room, size_t size)
{
    if (count < *room) {
        return items;
    }
    int32_t more = 2 * *room + 16;
    void   *out  = ss_pool_alloc(&r->pool, (size_t)more, size);
    if (out == NULL) {
        r->no_memory = true;
        return NULL;
    }
    if (count > 0) {
        memcpy(out, items, (size_t)count * size);
    }
    *room = more;
    return out;
}

static const char *copy(ss_robot *r, const char *text)
{
    int         ok  = 1;
    const char *out = ss_pool_text(&r->pool, text, &ok);
    r->no_memory    = r->no_memory || !ok;
    return ok ? out : "";
}

int32_t ss_robot_add_body(ss_robot *r, const char *name, int32_t parent, ss_place at)
{
    void *room = grow(r, r->bodies, r->body_count, &r->body_room, sizeof *r->bodies);
    if (room == NULL) {
        return -1;
    }
    r->bodies                = room;
    r->bodies[r->body_count] = (ss_part_body){
        .name = copy(r, name), .parent = parent, .at = at, .fixed = true, .root = r->body_count};
    return r->body_count++;
}

int32_t ss_robot_add_joint(ss_robot *r, const ss_part_joint *j)
{
    void *room = grow(r, r->joints, r->joint_count, &r->joint_room, sizeof *r->joints);
    if (room == NULL) {
        return -1;
    }
    r->joints                      = room;
    r->joints[r->joint_count]      = *j;
    r->joints[r->joint_count].name = copy(r, j->name);
    return r->joint_count++;
}

void ss_robot_add_part(ss_robot *r, const ss_part *p)
{
    void *room = grow(r, r->parts, r->part_count, &r->part_room, sizeof *r->parts);
    if (room != NULL) {
        r->parts                  = room;
        r->parts[r->part_count++] = *p;
    }
}

void ss_robot_couple(ss_robot *r, const char *follower, const char *leader, double ratio)
{
    for (int32_t i = 0; i < r->joint_count; i++) {
        if (strcmp(r->joints[i].name, follower) == 0) {
            r->joints[i].leads = copy(r, leader);
            r->joints[i].ratio = ratio;
            return;
        }
    }
    ss_robot_note(r, "joint '%s', which follows '%s', is none that moves", follower, leader);
}

int32_t ss_robot_find(const ss_robot *r, const char *name)
{
    for (int32_t i = 0; name != NULL && i < r->body_count; i++) {
        if (strcmp(r->bodies[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void ss_robot_note(ss_robot *r, const char *format, ...)
{
    char    text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int32_t i = 0; i < r->note_count; i++) { /* once is enough */
        if (strcmp(r->notes[i], text) == 0) {
            return;
        }
    }
    void *room = grow(r, (void *)r->notes, r->note_count, &r->note_room, sizeof *r->notes);
    if (room != NULL) {
        r->notes                  = room;
        r->notes[r->note_count++] = copy(r, text);
    }
}

double ss_robot_set_value(const ss_robot *r, const char *joint, double otherwise)
{
    for (int32_t i = 0; joint != NULL && i < r->set_count; i++) {
        if (strcmp(r->set_names[i], joint) == 0) {
            return r->set_values[i];
        }
    }
    return otherwise;
}

void ss_robot_keep_apart(ss_robot *r, int32_t a, int32_t b)
{
    if (a < 0 || b < 0) {
        return;
    }
    int32_t *x = &r->bodies[a].group, *y = &r->bodies[b].group;
    if (*x == 0 && *y == 0) {
        *x = *y = a + 2; /* 1 is the group of a whole robot */
    } else if (*x == 0 || *y == 0) {
        *x = *y = *x > *y ? *x : *y;
    }
    for (int32_t i = 0, old = *y, fresh = *x; old != fresh && i < r->body_count; i++) {
        r->bodies[i].group = r->bodies[i].group == old ? fresh : r->bodies[i].group;
    }
}

/* ---- masses ---- */

/* m/12 (b^2 + c^2) .. and the like: what mechanics says of each. */
ss_mass ss_part_mass(const ss_part *p, double density)
{
    double  a = p->size[0], b = p->size[1], c = p->size[2], m, ball, xx, zz;
    ss_mass out = {0};
    switch (p->shape) {
    case SS_PART_BOX:
        m   = density * a * b * c;
        out = (ss_mass){m,
                        {0, 0, 0},
                        ss_mat3_diagonal(m * (b * b + c * c) / 12, m * (a * a + c * c) / 12,
                                         m * (a * a + b * b) / 12)};
        break;
    case SS_PART_SPHERE:
        m   = density * 4 / 3 * SS_PI * a * a * a;
        xx  = 0.4 * m * a * a;
        out = (ss_mass){m, {0, 0, 0}, ss_mat3_diagonal(xx, xx, xx)};
        break;
    case SS_PART_ELLIPSOID:
        m   = density * 4 / 3 * SS_PI * a * b * c;
        out = (ss_mass){m,
                        {0, 0, 0},
                        ss_mat3_diagonal(m * (b * b + c * c) / 5, m * (a * a + c * c) / 5,
                                         m * (a * a + b * b) / 5)};
        break;
    case SS_PART_CYLINDER:
        m   = density * SS_PI * a * a * b;
        xx  = m * (3 * a * a + b * b) / 12;
        out = (ss_mass){m, {0, 0, 0}, ss_mat3_diagonal(xx, xx, 0.5 * m * a * a)};
        break;
    case SS_PART_CAPSULE: /* a cylinder and two half balls, whose centres are 3 r/8 beyond its ends
                           */
        m    = density * SS_PI * a * a * b;
        ball = density * 4 / 3 * SS_PI * a * a * a;
        zz   = 0.5 * m * a * a + 0.4 * ball * a * a;
        xx   = m * (3 * a * a + b * b) / 12 + ball * (0.4 * a * a + 0.25 * b * b + 0.375 * a * b);
        out  = (ss_mass){m + ball, {0, 0, 0}, ss_mat3_diagonal(xx, xx, zz)};
        break;
    case SS_PART_PLANE:
    case SS_PART_MESH:
        break;
    }
    return out;
}

static ss_mat3 turned_inertia(const ss_mat3 *I, ss_quat q)
{
    ss_mat3 R = ss_mat3_from_quat(q), Rt = ss_mat3_transpose(&R), half = ss_mat3_mul(&R, I);
    return ss_mat3_mul(&half, &Rt);
}

/* m (|d|^2 E - d d'), added to I. */
static void add_steiner(ss_mat3 *I, double m, ss_vec3 d)
{
    double x[3] = {d.x, d.y, d.z}, square = ss_dot(d, d);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            I->m[3 * i + k] += m * ((i == k ? square : 0) - x[i] * x[k]);
        }
    }
}

ss_mass ss_mass_add(ss_mass a, ss_mass b, ss_place at)
{
    ss_vec3 com = ss_place_point(at, b.com);
    ss_mass out = {.mass = a.mass + b.mass};
    if (!(out.mass > 0)) {
        return a;
    }
    out.com      = ss_scale(1 / out.mass, ss_add(ss_scale(a.mass, a.com), ss_scale(b.mass, com)));
    ss_mat3 turn = turned_inertia(&b.inertia, at.q);
    for (int i = 0; i < 9; i++) {
        out.inertia.m[i] = a.inertia.m[i] + turn.m[i];
    }
    add_steiner(&out.inertia, a.mass, ss_sub(a.com, out.com));
    add_steiner(&out.inertia, b.mass, ss_sub(com, out.com));
    return out;
}

/* ---- merging ---- */

static int32_t root_of(const ss_robot *r, int32_t body)
{
    while (body >= 0 && r->bodies[body].fixed && !r->bodies[body].loose) {
        body = r->bodies[body].parent;
    }
    return body;
}

static void move_part(ss_robot *r, ss_part *p)
{
    int32_t root = p->body >= 0 ? r->bodies[p->body].root : -1;
    if (root == p->body) { /* of a body that stays, or of the world */
        return;
    }
    ss_place base = root >= 0 ? r->bodies[root].at : ss_place_none();
    p->at   = ss_place_mul(ss_place_mul(ss_place_inverse(base), r->bodies[p->body].at), p->at);
    p->body = root;
}

static void take_mass(ss_robot *r, int32_t from)
{
    ss_part_body *b = &r->bodies[from];
    if (b->root < 0 || b->root == from || !b->has_mass) {
        return;
    }
    ss_part_body *root = &r->bodies[b->root];
    ss_place      at   = ss_place_mul(ss_place_inverse(root->at), b->at);
    root->mass         = ss_mass_add(root->has_mass ? root->mass : (ss_mass){0}, b->mass, at);
    root->has_mass     = true;
}

ss_status ss_robot_merge(ss_robot *r)
{
    for (int32_t i = 0; i < r->body_count; i++) {
        r->bodies[i].root = root_of(r, i);
        if (r->bodies[i].group != 0) {
            ss_robot_keep_apart(r, r->bodies[i].root, i);
        }
    }
    for (int32_t i = 0; i < r->body_count; i++) {
        take_mass(r, i);
    }
    for (int32_t i = 0; i < r->part_count; i++) {
        move_part(r, &r->parts[i]);
    }
    for (int32_t i = 0; i < r->joint_count; i++) {
        for (int k = 0; k < 2; k++) {
            int32_t *body = &r->joints[i].body[k];
            *body         = *body >= 0 ? r->bodies[*body].root : -1;
        }
    }
    return r->no_memory ? ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path) : SS_OK;
}
