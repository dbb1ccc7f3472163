/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SDF (sdformat.org/spec): links of a model by their poses in it (or `relative_to` another link),
 * joints by a pose in their child, axes in the frame of the joint. Models are free unless they are
 * static or a joint holds them in the world.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/euler_angles.h"
#include "import/xml.h"

static double number(ss_robot *r, const xmlNode *node, const char *child, double otherwise)
{
    return ss_xml_number(ss_xml_text(r, ss_xml_child(node, child)), otherwise);
}

/* <pose>x y z roll pitch yaw</pose> of an element. */
static ss_place own_pose(ss_robot *r, const xmlNode *node)
{
    double         x[6] = {0, 0, 0, 0, 0, 0};
    const xmlNode *pose = ss_xml_child(node, "pose");
    ss_xml_numbers(ss_xml_text(r, pose), x, 6);
    if (ss_xml_attribute(r, pose, "rotation_format") != NULL ||
        ss_xml_attribute(r, pose, "degrees") != NULL) {
        ss_robot_note(
            r,
            "<pose> with a rotation_format or in degrees is read as roll, pitch, yaw in radians");
    }
    return (ss_place){ss_v3(x[0], x[1], x[2]), ss_quat_from_euler(x[3], x[4], x[5])};
}

/* In the world: relative to the model, or to a link that is known already. */
static ss_place pose_of(ss_robot *r, const xmlNode *node, ss_place otherwise)
{
    const xmlNode *pose = ss_xml_child(node, "pose");
    const char    *to   = ss_xml_attribute(r, pose, "relative_to");
    int32_t        body = ss_robot_find(r, to);
    if (to != NULL && to[0] != '\0' && strcmp(to, "__model__") != 0 && body < 0) {
        ss_robot_note(r, "pose relative_to '%s', which is no link before it: taken in the model",
                      to);
    }
    return ss_place_mul(body >= 0 ? r->bodies[body].at : otherwise, own_pose(r, node));
}

static bool read_shape(ss_robot *r, const xmlNode *geometry, ss_part *p)
{
    const xmlNode *n = ss_xml_first(geometry);
    p->scale         = ss_v3(1, 1, 1);
    if (ss_xml_is(n, "box")) {
        p->shape = SS_PART_BOX;
        return ss_xml_numbers(ss_xml_text(r, ss_xml_child(n, "size")), p->size, 3) == 3;
    }
    if (ss_xml_is(n, "sphere") || ss_xml_is(n, "cylinder") || ss_xml_is(n, "capsule")) {
        p->shape   = ss_xml_is(n, "sphere")    ? SS_PART_SPHERE
                     : ss_xml_is(n, "capsule") ? SS_PART_CAPSULE
                                               : SS_PART_CYLINDER;
        p->size[0] = number(r, n, "radius", 0);
        p->size[1] = number(r, n, "length", 0);
        return true;
    }
    if (ss_xml_is(n, "ellipsoid")) {
        p->shape = SS_PART_ELLIPSOID;
        return ss_xml_numbers(ss_xml_text(r, ss_xml_child(n, "radii")), p->size, 3) == 3;
    }
    if (ss_xml_is(n, "plane")) {
        double z[3] = {0, 0, 1};
        p->shape    = SS_PART_PLANE;
        ss_xml_numbers(ss_xml_text(r, ss_xml_child(n, "normal")), z, 3);
        if (z[2] < 1) {
            ss_robot_note(r, "a plane whose normal is not z");
        }
        return true;
    }
    const char *uri = ss_xml_is(n, "mesh") ? ss_xml_text(r, ss_xml_child(n, "uri")) : NULL;
    if (uri != NULL) {
        const char *at   = strstr(uri, "://");
        double      s[3] = {1, 1, 1};
        ss_xml_numbers(ss_xml_text(r, ss_xml_child(n, "scale")), s, 3);
        p->shape = SS_PART_MESH;
        p->file  = at != NULL ? at + 3 : uri;
        p->scale = ss_v3(s[0], s[1], s[2]);
        if (at != NULL) {
            ss_robot_note(r, "mesh %s: looked for as %s", uri, p->file);
        }
        return true;
    }
    return false;
}

static double friction_of(ss_robot *r, const xmlNode *collision)
{
    const xmlNode *surface  = ss_xml_child(collision, "surface"),
                  *friction = ss_xml_child(surface, "friction");
    const xmlNode *ode      = ss_xml_child(friction, "ode");
    if (surface != NULL &&
        (ss_xml_child(surface, "contact") != NULL || ss_xml_child(surface, "bounce") != NULL)) {
        ss_robot_note(r, "<surface> <contact> and <bounce>");
    }
    return number(r, ode, "mu", 1);
}

static void read_inertial(ss_robot *r, const xmlNode *link, ss_part_body *b)
{
    const xmlNode *n = ss_xml_child(link, "inertial"), *i = ss_xml_child(n, "inertia");
    double  xx = number(r, i, "ixx", 1), yy = number(r, i, "iyy", 1), zz = number(r, i, "izz", 1);
    double  xy = number(r, i, "ixy", 0), xz = number(r, i, "ixz", 0), yz = number(r, i, "iyz", 0);
    ss_mass m   = {.mass    = number(r, n, "mass", 1),
                   .inertia = {{xx, xy, xz, xy, yy, yz, xz, yz, zz}}};
    b->mass     = ss_mass_add((ss_mass){0}, m, n != NULL ? own_pose(r, n) : ss_place_none());
    b->has_mass = m.mass > 0; /* SDF: 1 kg unless it says otherwise */
}

static void read_link(ss_robot *r, const xmlNode *link, int32_t body)
{
    read_inertial(r, link, &r->bodies[body]);
    for (const xmlNode *n = ss_xml_first(link); n != NULL; n = ss_xml_after(n)) {
        ss_part p = {.body = body, .touches = true};
        if (ss_xml_is(n, "collision")) {
            p.at       = own_pose(r, n);
            p.friction = friction_of(r, n);
            if (read_shape(r, ss_xml_child(n, "geometry"), &p)) {
                ss_robot_add_part(r, &p);
            } else {
                ss_robot_note(r, "link '%s': a collision shape of a kind that is not known",
                              r->bodies[body].name);
            }
        } else if (!ss_xml_is(n, "visual") && !ss_xml_is(n, "inertial") && !ss_xml_is(n, "pose")) {
            ss_robot_note(r, "<%s> of links", (const char *)n->name);
        }
    }
}

static ss_vec3 axis_of(ss_robot *r, const xmlNode *axis, ss_place joint, ss_place model)
{
    double         x[3] = {0, 0, 1};
    const xmlNode *xyz  = ss_xml_child(axis, "xyz");
    const char    *in   = ss_xml_attribute(r, xyz, "expressed_in"),
               *old     = ss_xml_text(r, ss_xml_child(axis, "use_parent_model_frame"));
    ss_xml_numbers(ss_xml_text(r, xyz), x, 3);
    int32_t body  = ss_robot_find(r, in);
    bool    there = (in != NULL && strcmp(in, "__model__") == 0) ||
                 (old != NULL && (strncmp(old, "1", 1) == 0 || strncmp(old, "true", 4) == 0));
    ss_quat q = body >= 0 ? r->bodies[body].at.q : there ? model.q : joint.q;
    return ss_turned(q, ss_unit(ss_v3(x[0], x[1], x[2])));
}

static void read_axis(ss_robot *r, const xmlNode *axis, ss_part_joint *j)
{
    const xmlNode *limit = ss_xml_child(axis, "limit"), *dynamics = ss_xml_child(axis, "dynamics");
    double         huge = 1e15;
    j->lower            = number(r, limit, "lower", -INFINITY);
    j->upper            = number(r, limit, "upper", INFINITY);
    j->lower            = j->lower <= -huge ? -INFINITY : j->lower;
    j->upper            = j->upper >= huge ? INFINITY : j->upper;
    j->damping          = number(r, dynamics, "damping", 0);
    j->friction         = number(r, dynamics, "friction", 0);
    j->stiffness        = number(r, dynamics, "spring_stiffness", 0);
    j->rest             = number(r, dynamics, "spring_reference", 0);
    if (ss_xml_child(limit, "effort") != NULL || ss_xml_child(limit, "velocity") != NULL) {
        ss_robot_note(r, "limits of effort and velocity belong to drives, which a scene gives its "
                         "joints (`motor`)");
    }
}

/*
 * <axis> <mimic joint> <multiplier> <offset> <reference>: the joint is at multiplier x (that of the
 * other - reference) + offset. Links are where their poses put them, which is where joints are 0.
 */
static void read_mimic(ss_robot *r, const xmlNode *axis, const ss_part_joint *j)
{
    const xmlNode *mimic = ss_xml_child(axis, "mimic");
    const char    *lead  = ss_xml_attribute(r, mimic, "joint");
    if (lead == NULL) {
        return;
    }
    double times = number(r, mimic, "multiplier", 1);
    double start = number(r, mimic, "offset", 0) - times * number(r, mimic, "reference", 0);
    if (start != 0) {
        ss_robot_note(r,
                      "joint '%s' follows '%s' from where both are: by <offset> and <reference> it "
                      "would start at %g",
                      j->name, lead, start);
    }
    const char *of = ss_xml_attribute(r, mimic, "axis");
    if (of != NULL && strcmp(of, "axis2") == 0) {
        ss_robot_note(r, "joint '%s' follows the second axis of '%s': it moves on its own", j->name,
                      lead);
        return;
    }
    ss_robot_couple(r, j->name, lead, times);
}

static ss_status read_joint(ss_robot *r, const xmlNode *node, ss_place model)
{
    static const char *const types[][2] = {{"revolute", "revolute"},   {"continuous", "revolute"},
                                           {"prismatic", "prismatic"}, {"ball", "spherical"},
                                           {"universal", "universal"}, {"fixed", "fixed"}};
    const char *type = ss_xml_attribute(r, node, "type"), *name = ss_xml_attribute(r, node, "name");
    const char *parent = ss_xml_text(r, ss_xml_child(node, "parent")),
               *child  = ss_xml_text(r, ss_xml_child(node, "child"));
    ss_part_joint j    = {
           .name = name != NULL ? name : "joint", .lower = -INFINITY, .upper = INFINITY};
    j.body[0] = ss_robot_find(r, parent);
    j.body[1] = ss_robot_find(r, child);
    if (j.body[1] < 0 || (j.body[0] < 0 && (parent == NULL || strncmp(parent, "world", 5) != 0))) {
        return ss_fail(r->ctx, SS_ERR_INPUT,
                       "%s:%ld: joint '%s' between '%s' and '%s': there are no such links", r->path,
                       xmlGetLineNo(node), j.name, parent != NULL ? parent : "",
                       child != NULL ? child : "");
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        j.type = type != NULL && strcmp(type, types[i][0]) == 0 ? types[i][1] : j.type;
    }
    if (j.type == NULL) {
        ss_robot_note(r, "joint '%s' of type '%s': its links are not joined", j.name,
                      type != NULL ? type : "");
        return SS_OK;
    }
    const xmlNode *axis = ss_xml_child(node, "axis"), *axis2 = ss_xml_child(node, "axis2");
    ss_place       at = ss_place_mul(r->bodies[j.body[1]].at, own_pose(r, node));
    j.anchor          = at.p;
    j.axis            = axis_of(r, axis, at, model);
    j.axis2           = axis_of(r, axis2, at, model);
    j.has_axis2       = strcmp(j.type, "universal") == 0 && axis2 != NULL;
    if (strcmp(j.type, "revolute") == 0 || strcmp(j.type, "prismatic") == 0) {
        read_axis(r, axis, &j);
    }
    ss_robot_add_joint(r, &j);
    read_mimic(r, axis, &j);
    return SS_OK;
}

static ss_status read_model(ss_robot *r, const xmlNode *model, ss_place around)
{
    const char *still = ss_xml_text(r, ss_xml_child(model, "static"));
    bool fixed  = still != NULL && (strncmp(still, "1", 1) == 0 || strncmp(still, "true", 4) == 0);
    ss_place at = ss_place_mul(around, own_pose(r, model));
    for (const xmlNode *n = ss_xml_first(model); n != NULL; n = ss_xml_after(n)) {
        const char *name = ss_xml_attribute(r, n, "name");
        if (ss_xml_is(n, "link")) {
            char own[200];
            snprintf(own, sizeof own, "%.90s%s%.90s",
                     ss_robot_find(r, name) >= 0 ? ss_xml_attribute(r, model, "name") : "",
                     ss_robot_find(r, name) >= 0 ? "/" : "", name != NULL ? name : "link");
            int32_t body = ss_robot_add_body(r, own, -1, pose_of(r, n, at));
            if (body < 0) {
                return ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path);
            }
            r->bodies[body].fixed = fixed;
            r->bodies[body].loose = !fixed;
            read_link(r, n, body);
        } else if (ss_xml_is(n, "model")) {
            SS_TRY(read_model(r, n, at));
        } else if (!ss_xml_is(n, "joint") && !ss_xml_is(n, "pose") && !ss_xml_is(n, "static")) {
            ss_robot_note(r, "<%s> of models", (const char *)n->name);
        }
    }
    for (const xmlNode *n = ss_xml_child(model, "joint"); n != NULL; n = ss_xml_next(n, "joint")) {
        SS_TRY(read_joint(r, n, at));
    }
    return SS_OK;
}

ss_status ss_import_sdf(ss_robot *r, xmlNode *root)
{
    const xmlNode *world = ss_xml_child(root, "world"), *models = world != NULL ? world : root;
    double         g[3];
    r->name         = ss_xml_attribute(r, ss_xml_child(models, "model"), "name");
    r->self_contact = world != NULL; /* several models: they do touch; links of one may too */
    if (ss_xml_numbers(ss_xml_text(r, ss_xml_child(world, "gravity")), g, 3) == 3) {
        r->gravity = ss_v3(g[0], g[1], g[2]);
    }
    for (const xmlNode *n = ss_xml_first(models); n != NULL; n = ss_xml_after(n)) {
        if (ss_xml_is(n, "model")) {
            SS_TRY(read_model(r, n, ss_place_none()));
        } else if (ss_xml_is(n, "include")) {
            ss_robot_note(r, "<include> %s: nothing is fetched",
                          ss_xml_text(r, ss_xml_child(n, "uri")));
        } else if (!ss_xml_is(n, "gravity")) {
            ss_robot_note(r, "<%s>", (const char *)n->name);
        }
    }
    if (r->set_count > 0) {
        ss_robot_note(r, "SDF gives links their poses: values of joints are not set");
    }
    ss_robot_note(r, "friction of a pair is the geometric mean here, the smaller one in ODE");
    return r->body_count > 0 ? SS_OK
                             : ss_fail(r->ctx, SS_ERR_INPUT, "%s: a file without links", r->path);
}
