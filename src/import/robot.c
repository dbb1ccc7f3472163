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

static void note_name(ss_robot *r, ss_name_index *x, const char *name, int32_t item)
{
    r->no_memory = !ss_name_add(x, &r->pool, name, item) || r->no_memory;
}

int32_t ss_robot_add_body(ss_robot *r, const char *name, int32_t parent, ss_place at)
{
    void *room = grow(r, r->bodies, r->body_count, &r->body_room, sizeof *r->bodies);
    if (room == NULL) {
        return -1;
    }
    const char *own          = copy(r, name);
    r->bodies                = room;
    r->bodies[r->body_count] = (ss_part_body){
        .name = own, .parent = parent, .at = at, .fixed = true, .root = r->body_count};
    note_name(r, &r->body_names, own, r->body_count);
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
    note_name(r, &r->joint_names, r->joints[r->joint_count].name, r->joint_count);
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
    int32_t i = ss_name_find(&r->joint_names, follower);
    if (i >= 0) {
        r->joints[i].leads = copy(r, leader);
        r->joints[i].ratio = ratio;
        return;
    }
    ss_robot_note(r, "joint '%s', which follows '%s', is none that moves", follower, leader);
}

int32_t ss_robot_find(const ss_robot *r, const char *name)
{
    return ss_name_find(&r->body_names, name);
}

void ss_robot_note(ss_robot *r, const char *format, ...)
{
    char    text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (ss_name_find(&r->note_texts, text) >= 0) {
        return; /* once is enough */
    }
    void *room = grow(r, (void *)r->notes, r->note_count, &r->note_room, sizeof *r->notes);
    if (room != NULL) {
        r->notes                = room;
        r->notes[r->note_count] = copy(r, text);
        note_name(r, &r->note_texts, r->notes[r->note_count], r->note_count);
        r->note_count++;
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

ss_status ss_robot_check_set(const ss_robot *r)
{
    const size_t room  = (size_t)r->joint_count + 1;
    const char **names = ss_alloc(r->ctx, room, sizeof *names);
    ss_status    status =
        names != NULL ? SS_OK : ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path);
    int32_t count = 0;
    for (int32_t k = 0; status == SS_OK && k < r->joint_count; k++) {
        if (r->joints[k].name != NULL) {
            names[count++] = r->joints[k].name;
        }
    }
    for (int32_t i = 0; status == SS_OK && i < r->set_count; i++) {
        bool there = false;
        for (int32_t k = 0; k < count; k++) {
            there = there || strcmp(names[k], r->set_names[i]) == 0;
        }
        if (!there) {
            const char *near = ss_nearest_name(r->set_names[i], names, count);
            status = ss_fail(r->ctx, SS_ERR_INPUT, "%s: there is no joint '%.60s'%s%s%s", r->path,
                             r->set_names[i], near != NULL ? "; did you mean '" : "",
                             near != NULL ? near : "", near != NULL ? "'?" : "");
        }
    }
    ss_free(r->ctx, (void *)names, room * sizeof *names);
    return status;
}

/* Groups that became one are a tree; on the way to its root it is made shallower. */
int32_t ss_robot_group(const ss_robot *r, int32_t body)
{
    int32_t group = r->bodies[body].group;
    while (group != 0 && r->groups[group] != group) {
        r->groups[group] = r->groups[r->groups[group]];
        group            = r->groups[group];
    }
    return group;
}

static bool room_for_group(ss_robot *r, int32_t group)
{
    while (group >= r->group_room) {
        void *more = grow(r, r->groups, r->group_room, &r->group_room, sizeof *r->groups);
        if (more == NULL) {
            return false;
        }
        r->groups = more;
    }
    return true;
}

void ss_robot_keep_apart(ss_robot *r, int32_t a, int32_t b)
{
    if (a < 0 || b < 0) {
        return;
    }
    int32_t x = ss_robot_group(r, a), y = ss_robot_group(r, b);
    if (x == 0 && y == 0) {
        x = y = a + 2; /* 1 is the group of a whole robot */
        if (!room_for_group(r, x)) {
            return;
        }
        r->groups[x] = x;
    }
    r->bodies[a].group = r->bodies[b].group = x > 0 ? x : y;
    if (x > 0 && y > 0) {
        r->groups[y] = x;
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

static bool is_held(const ss_robot *r, int32_t body)
{
    return body >= 0 && r->bodies[body].fixed && !r->bodies[body].loose;
}

/* What each body is part of. Of a chain of bodies that hold each other the way is gone twice: to
 * its end, and to tell all of them. `root` is the body itself until it is known. */
static void find_roots(ss_robot *r)
{
    for (int32_t i = 0; i < r->body_count; i++) {
        int32_t root = i;
        while (is_held(r, root) && r->bodies[root].root == root) {
            root = r->bodies[root].parent;
        }
        root = is_held(r, root) ? r->bodies[root].root : root;
        for (int32_t k = i, next; is_held(r, k) && r->bodies[k].root == k; k = next) {
            next              = r->bodies[k].parent;
            r->bodies[k].root = root;
        }
    }
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

/* The parts of each body, in their order. */
static void list_parts(ss_robot *r)
{
    r->in_body  = ss_pool_alloc(&r->pool, (size_t)r->part_count + 1, sizeof *r->in_body);
    r->first_in = ss_pool_alloc(&r->pool, (size_t)r->body_count + 1, sizeof *r->first_in);
    if (r->in_body == NULL || r->first_in == NULL) {
        r->no_memory = true;
        return;
    }
    memset(r->first_in, -1, (size_t)r->body_count * sizeof *r->first_in);
    for (int32_t i = r->part_count - 1; i >= 0; i--) {
        int32_t body = r->parts[i].body;
        if (body >= 0) {
            r->in_body[i]     = r->first_in[body];
            r->first_in[body] = i;
        }
    }
}

ss_status ss_robot_merge(ss_robot *r)
{
    find_roots(r);
    for (int32_t i = 0; i < r->body_count; i++) {
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
    list_parts(r);
    return r->no_memory ? ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path) : SS_OK;
}
