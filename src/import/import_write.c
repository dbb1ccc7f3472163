/* SPDX-License-Identifier: Apache-2.0 */
/* The scene of what was imported, as a person would write it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/robot.h"
#include "import/tolerances.h"

/* Metres that pieces of a mesh may cover its surface: any number larger than the mesh gives its
   hull, which is what the programs that these files are made for use. */
enum { HULL_ERROR = 100 };

static void vector(ss_buffer *out, const char *key, ss_vec3 v)
{
    ss_buffer_format(out, ", %s: [%.17g, %.17g, %.17g]", key, v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

static bool turned(ss_quat q)
{
    return fabs(q.x) > SS_IMPORT_TURN || fabs(q.y) > SS_IMPORT_TURN || fabs(q.z) > SS_IMPORT_TURN;
}

static void place(ss_buffer *out, ss_place at)
{
    if (ss_norm(at.p) > 0) {
        vector(out, "position", at.p);
    }
    if (turned(at.q)) {
        ss_buffer_format(out, ", quat_wxyz: [%.17g, %.17g, %.17g, %.17g]", at.q.w, at.q.x, at.q.y,
                         at.q.z);
    }
}

static void shape(ss_buffer *out, const ss_part *p)
{
    static const char *const names[] = {"box",       "sphere", "cylinder", "capsule",
                                        "ellipsoid", "plane",  "mesh"};
    ss_buffer_format(out, "{%s: {", names[p->shape]);
    switch (p->shape) {
    case SS_PART_BOX:
        ss_buffer_format(out, "size: [%.17g, %.17g, %.17g]", p->size[0], p->size[1], p->size[2]);
        break;
    case SS_PART_SPHERE:
        ss_buffer_format(out, "radius: %.17g", p->size[0]);
        break;
    case SS_PART_CYLINDER:
    case SS_PART_CAPSULE:
        ss_buffer_format(out, "radius: %.17g, length: %.17g", p->size[0], p->size[1]);
        break;
    case SS_PART_ELLIPSOID:
        ss_buffer_format(out, "radii: [%.17g, %.17g, %.17g]", p->size[0], p->size[1], p->size[2]);
        break;
    case SS_PART_PLANE:
        ss_buffer_text(out, "normal: [0, 0, 1]");
        break;
    case SS_PART_MESH:
        ss_buffer_text(out, "file: ");
        ss_buffer_quote(out, p->file);
        if (p->scale.x != 1) {
            ss_buffer_format(out, ", scale: %.17g", p->scale.x);
        }
        ss_buffer_format(out, ", error: %d", HULL_ERROR);
        break;
    }
    place(out, p->at);
    ss_buffer_text(out, "}}");
}

static int32_t parts_of(const ss_robot *r, int32_t body)
{
    int32_t count = 0;
    for (int32_t i = r->first_in[body]; i >= 0; i = r->in_body[i]) {
        count += r->parts[i].touches;
    }
    return count;
}

/* One shape as it is, several as a union. */
static void shapes(ss_robot *r, ss_buffer *out, int32_t body)
{
    int32_t count = parts_of(r, body), seen = 0;
    if (count == 0) {
        return;
    }
    ss_buffer_text(out, count > 1 ? "    shape:\n      union:\n" : "    shape: ");
    for (int32_t i = r->first_in[body]; i >= 0; i = r->in_body[i]) {
        const ss_part *p = &r->parts[i];
        if (!p->touches) {
            continue;
        }
        ss_buffer_text(out, count > 1 ? "        - " : "");
        shape(out, p);
        ss_buffer_text(out, "\n");
        seen++;
    }
}

/* The friction of its first shape that has one: scenes give friction to bodies. */
static double friction_of(ss_robot *r, int32_t body, const char *name)
{
    double friction = -1;
    for (int32_t i = r->first_in[body]; i >= 0; i = r->in_body[i]) {
        const ss_part *p = &r->parts[i];
        if (!p->touches || p->friction < 0) {
            continue;
        }
        if (friction >= 0 && friction != p->friction) {
            ss_robot_note(r, "body '%s': its shapes have different friction; %g is taken for all",
                          name, friction);
            break;
        }
        friction = p->friction;
    }
    return friction;
}

static void material(ss_buffer *out, double friction)
{
    if (friction >= 0) {
        ss_buffer_format(out, "    material: mu_%g\n", friction);
    }
}

static void write_mass(ss_robot *r, ss_buffer *out, ss_part_body *b)
{
    if (!b->has_mass && b->density > 0) {
        ss_buffer_format(out, "    density: %.17g\n", b->density);
        return;
    }
    if (!b->has_mass || !(b->mass.mass > 0)) {
        double m = SS_IMPORT_MASS, i = 0.4 * m * SS_IMPORT_RADIUS * SS_IMPORT_RADIUS;
        ss_robot_note(r, "body '%s' moves and has no mass: it is given %g kg", b->name, m);
        b->mass = (ss_mass){m, {0, 0, 0}, ss_mat3_diagonal(i, i, i)};
    }
    const double *I = b->mass.inertia.m;
    ss_buffer_format(out, "    mass: %.17g\n    com: [%.17g, %.17g, %.17g]\n", b->mass.mass,
                     b->mass.com.x, b->mass.com.y, b->mass.com.z);
    ss_buffer_format(
        out, "    inertia: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]\n",
        I[0], 0.5 * (I[1] + I[3]), 0.5 * (I[2] + I[6]), 0.5 * (I[1] + I[3]), I[4],
        0.5 * (I[5] + I[7]), 0.5 * (I[2] + I[6]), 0.5 * (I[5] + I[7]), I[8]);
}

static void body(ss_robot *r, ss_buffer *out, int32_t index)
{
    ss_part_body *b = &r->bodies[index];
    ss_buffer_text(out, "  - name: ");
    ss_buffer_quote(out, b->name);
    ss_buffer_text(out, "\n    type: dynamic\n");
    write_mass(r, out, b);
    ss_buffer_format(out, "    position: [%.17g, %.17g, %.17g]\n", b->at.p.x, b->at.p.y, b->at.p.z);
    if (turned(b->at.q)) {
        ss_buffer_format(out, "    quat_wxyz: [%.17g, %.17g, %.17g, %.17g]\n", b->at.q.w, b->at.q.x,
                         b->at.q.y, b->at.q.z);
    }
    if (!r->self_contact || b->group != 0) {
        ss_buffer_format(out, "    group: %d\n",
                         r->self_contact ? (int)ss_robot_group(r, index) : 1);
    }
    material(out, friction_of(r, index, b->name));
    shapes(r, out, index);
}

/* What is held by the world. Planes cannot be parts of a union: each is a body of its own. */
static void world(ss_robot *r, ss_buffer *out)
{
    int32_t solid = 0;
    for (int32_t i = 0; i < r->part_count; i++) {
        ss_part *p = &r->parts[i];
        if (p->body >= 0 || !p->touches) {
            continue;
        }
        ss_buffer_format(out, "  - {name: world_%d, type: static%s, shape: ", (int)solid++,
                         r->self_contact ? "" : ", group: 1");
        shape(out, p);
        if (p->friction >= 0) {
            ss_buffer_format(out, ", material: mu_%g", p->friction);
        }
        ss_buffer_text(out, "}\n");
    }
}

static void limits(ss_buffer *out, const ss_part_joint *j)
{
    if (!isfinite(j->lower) && !isfinite(j->upper)) {
        return;
    }
    ss_buffer_text(out, ", limits: [");
    for (int k = 0; k < 2; k++) {
        double x = (k == 0 ? j->lower : j->upper) - j->value;
        ss_buffer_text(out, k == 1 ? ", " : "");
        if (isfinite(x)) {
            ss_buffer_format(out, "%.17g", x);
        } else {
            ss_buffer_text(out, "none");
        }
    }
    ss_buffer_text(out, "]");
}

static void number(ss_buffer *out, const char *key, double x)
{
    if (x != 0) {
        ss_buffer_format(out, ", %s: %.17g", key, x);
    }
}

static void body_name(ss_robot *r, ss_buffer *out, int32_t index)
{
    if (index < 0) {
        ss_buffer_text(out, "world");
    } else {
        ss_buffer_quote(out, r->bodies[index].name);
    }
}

static void joint(ss_robot *r, ss_buffer *out, const ss_part_joint *j)
{
    ss_buffer_text(out, "  - {name: ");
    ss_buffer_quote(out, j->name);
    ss_buffer_format(out, ", type: %s, bodies: [", j->type);
    body_name(r, out, j->body[0]);
    ss_buffer_text(out, ", ");
    body_name(r, out, j->body[1]);
    ss_buffer_text(out, "]");
    vector(out, "anchor", j->anchor);
    if (strcmp(j->type, "spherical") != 0 && strcmp(j->type, "fixed") != 0) {
        vector(out, "axis", j->axis);
    }
    if (j->has_axis2) {
        vector(out, "axis2", j->axis2);
    }
    limits(out, j);
    number(out, "damping", j->damping);
    number(out, "friction", j->friction);
    number(out, "stiffness", j->stiffness);
    if (j->stiffness != 0) {
        ss_buffer_format(out, ", rest: %.17g", j->rest - j->value);
    }
    ss_buffer_text(out, "}\n");
}

static void coupling(ss_robot *r, ss_buffer *out, const ss_part_joint *j)
{
    const char          *why;
    const ss_part_joint *leader = ss_robot_leader(r, j, &why);
    if (leader == NULL) {
        ss_robot_note(r, "joint '%s' follows '%s' (times %g): it moves on its own, because %s",
                      j->name, j->leads, j->ratio, why);
        return;
    }
    ss_buffer_text(out, "  - {name: ");
    char name[256];
    snprintf(name, sizeof name, "%.200s follows", j->name);
    ss_buffer_quote(out, name);
    ss_buffer_text(out, ", type: coupling, joints: [");
    ss_buffer_quote(out, leader->name);
    ss_buffer_text(out, ", ");
    ss_buffer_quote(out, j->name);
    ss_buffer_format(out, "], ratio: %.17g}\n", j->ratio);
}

static void materials(ss_robot *r, ss_buffer *out)
{
    double seen[64];
    int    count = 0;
    for (int32_t i = 0; i < r->part_count; i++) {
        double mu  = r->parts[i].friction;
        bool   old = mu < 0 || !r->parts[i].touches;
        for (int k = 0; k < count; k++) {
            old = old || seen[k] == mu;
        }
        if (!old && count < 64) {
            ss_buffer_format(out, "%s  mu_%g: {friction: %.17g}\n",
                             count == 0 ? "materials:\n" : "", mu, mu);
            seen[count++] = mu;
        }
    }
}

static void notes(const ss_robot *r, ss_buffer *out)
{
    ss_buffer_format(out, "# Imported from %s.\n", r->path);
    for (int32_t i = 0; i < r->note_count; i++) {
        ss_buffer_format(out, "# not as it was: %s\n", r->notes[i]);
    }
}

static ss_status contents(ss_robot *r, ss_buffer *out)
{
    ss_buffer_text(out, "name: ");
    ss_buffer_quote(out, r->name != NULL && r->name[0] != '\0' ? r->name : "imported");
    ss_buffer_format(out, "\ngravity: [%.17g, %.17g, %.17g]\n", r->gravity.x, r->gravity.y,
                     r->gravity.z);
    materials(r, out);
    ss_buffer_text(out, "bodies:\n");
    size_t before = out->size;
    world(r, out);
    for (int32_t i = 0; i < r->body_count; i++) {
        if (r->bodies[i].root == i) {
            body(r, out, i);
        }
    }
    if (out->size == before && ss_buffer_status(out) == SS_OK) {
        return ss_fail(
            r->ctx, SS_ERR_INPUT,
            "%s: nothing in it moves or touches anything: all of it is held by the world "
            "and has no shape that collides",
            r->path);
    }
    if (r->joint_count > 0) {
        ss_buffer_text(out, "joints:\n");
    }
    for (int32_t i = 0; i < r->joint_count; i++) {
        joint(r, out, &r->joints[i]);
    }
    for (int32_t i = 0; i < r->joint_count; i++) {
        if (r->joints[i].leads != NULL) {
            coupling(r, out, &r->joints[i]);
        }
    }
    ss_buffer_format(out, "simulation: {step: %g, duration: 1}\n",
                     r->step > 0 ? r->step : SS_IMPORT_STEP);
    return ss_buffer_status(out);
}

/* Notes are made while the scene is written: they come first in the file, so it is written apart.
 */
ss_status ss_robot_write(ss_robot *r, ss_buffer *out)
{
    ss_buffer scene;
    ss_buffer_start(&scene, r->ctx);
    ss_status status = contents(r, &scene);
    if (status == SS_OK) {
        notes(r, out);
        ss_buffer_add(out, scene.bytes, scene.size);
        status = ss_buffer_status(out);
    }
    ss_buffer_release(&scene);
    return status;
}
