/* SPDX-License-Identifier: Apache-2.0 */
/*
 * URDF (wiki.ros.org/urdf/XML): a tree of links. The frame of a link is that of the joint to its
 * parent; the joint turns about, or moves along, an axis of that frame. A joint that mimics another
 * is coupled with it; transmissions and sensors are noted.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/euler_angles.h"
#include "import/xml.h"

static ss_vec3 vector(ss_robot *r, const xmlNode *node, const char *name, ss_vec3 otherwise)
{
    double x[3];
    return ss_xml_numbers(ss_xml_attribute(r, node, name), x, 3) == 3 ? ss_v3(x[0], x[1], x[2])
                                                                      : otherwise;
}

static double number(ss_robot *r, const xmlNode *node, const char *name, double otherwise)
{
    return ss_xml_number(ss_xml_attribute(r, node, name), otherwise);
}

/* <origin xyz rpy> of an element. */
static ss_place origin(ss_robot *r, const xmlNode *node)
{
    const xmlNode *o = ss_xml_child(node, "origin");
    ss_vec3 p = vector(r, o, "xyz", ss_v3(0, 0, 0)), rpy = vector(r, o, "rpy", ss_v3(0, 0, 0));
    return (ss_place){p, ss_quat_from_euler(rpy.x, rpy.y, rpy.z)};
}

/* package://name/meshes/a.stl: looked for beside the file, as it cannot be known where packages
 * are. */
static const char *mesh_file(ss_robot *r, const char *name)
{
    const char *at = strstr(name, "://");
    if (at == NULL) {
        return name;
    }
    if (strncmp(name, "file://", 7) == 0) {
        return at + 3;
    }
    const char *slash = strchr(at + 3, '/');
    ss_robot_note(r, "mesh %s: looked for as %s, from the scene's folder", name,
                  slash != NULL ? slash + 1 : at + 3);
    return slash != NULL ? slash + 1 : at + 3;
}

static bool read_shape(ss_robot *r, const xmlNode *geometry, ss_part *p)
{
    const xmlNode *n;
    p->scale = ss_v3(1, 1, 1);
    if ((n = ss_xml_child(geometry, "box")) != NULL) {
        p->shape = SS_PART_BOX;
        return ss_xml_numbers(ss_xml_attribute(r, n, "size"), p->size, 3) == 3;
    }
    if ((n = ss_xml_child(geometry, "sphere")) != NULL) {
        p->shape   = SS_PART_SPHERE;
        p->size[0] = number(r, n, "radius", 0);
        return true;
    }
    n = ss_xml_child(geometry, "cylinder");
    n = n != NULL ? n : ss_xml_child(geometry, "capsule");
    if (n != NULL) {
        p->shape   = ss_xml_is(n, "capsule") ? SS_PART_CAPSULE : SS_PART_CYLINDER;
        p->size[0] = number(r, n, "radius", 0);
        p->size[1] = number(r, n, "length", 0);
        return true;
    }
    if ((n = ss_xml_child(geometry, "mesh")) != NULL &&
        ss_xml_attribute(r, n, "filename") != NULL) {
        p->shape = SS_PART_MESH;
        p->file  = mesh_file(r, ss_xml_attribute(r, n, "filename"));
        p->scale = vector(r, n, "scale", p->scale);
        if (p->scale.x != p->scale.y || p->scale.x != p->scale.z) {
            ss_robot_note(r, "mesh %s: scaled by %g, %g, %g along its axes; %g is taken for all",
                          p->file, p->scale.x, p->scale.y, p->scale.z, p->scale.x);
        }
        return true;
    }
    return false;
}

static void read_inertial(ss_robot *r, const xmlNode *link, ss_part_body *b)
{
    const xmlNode *n = ss_xml_child(link, "inertial"), *i = ss_xml_child(n, "inertia");
    if (n == NULL) {
        return;
    }
    double  xx = number(r, i, "ixx", 0), yy = number(r, i, "iyy", 0), zz = number(r, i, "izz", 0);
    double  xy = number(r, i, "ixy", 0), xz = number(r, i, "ixz", 0), yz = number(r, i, "iyz", 0);
    ss_mass m   = {.mass    = number(r, ss_xml_child(n, "mass"), "value", 0),
                   .inertia = {{xx, xy, xz, xy, yy, yz, xz, yz, zz}}};
    b->mass     = ss_mass_add((ss_mass){0}, m, origin(r, n));
    b->has_mass = m.mass > 0;
}

static void read_link(ss_robot *r, const xmlNode *link, int32_t body)
{
    int visual = 0, touching = 0;
    read_inertial(r, link, &r->bodies[body]);
    for (const xmlNode *n = ss_xml_first(link); n != NULL; n = ss_xml_after(n)) {
        ss_part p = {.body = body, .at = origin(r, n), .friction = -1, .touches = true};
        if (ss_xml_is(n, "collision")) {
            touching++;
            if (!read_shape(r, ss_xml_child(n, "geometry"), &p)) {
                ss_robot_note(r, "link '%s': a collision shape of a kind that is not known",
                              r->bodies[body].name);
            } else {
                ss_robot_add_part(r, &p);
            }
        } else if (ss_xml_is(n, "visual")) {
            visual++;
        } else if (!ss_xml_is(n, "inertial")) {
            ss_robot_note(r, "link '%s': <%s>", r->bodies[body].name, (const char *)n->name);
        }
    }
    if (visual > 0 && touching == 0) {
        ss_robot_note(r, "link '%s' has shapes to be seen alone: nothing touches it",
                      r->bodies[body].name);
    }
}

static ss_place motion(const char *type, ss_vec3 axis, double value)
{
    ss_place out = ss_place_none();
    if (strcmp(type, "prismatic") == 0) {
        out.p = ss_scale(value, axis);
    } else {
        out.q = ss_quat_from_rotation(ss_scale(value, axis));
    }
    return out;
}

static void note_extras(ss_robot *r, const xmlNode *joint)
{
    const xmlNode *limit = ss_xml_child(joint, "limit");
    if (number(r, limit, "effort", 0) > 0 || number(r, limit, "velocity", 0) > 0) {
        ss_robot_note(r, "limits of effort and velocity belong to drives, which a scene gives its "
                         "joints (`motor`)");
    }
    for (const char *const *n = (const char *const[]){"safety_controller", "calibration", NULL};
         *n != NULL; n++) {
        if (ss_xml_child(joint, *n) != NULL) {
            ss_robot_note(r, "<%s> of joints", *n);
        }
    }
}

/* A joint that mimics starts where the other one has it. */
static void read_mimic(ss_robot *r, const xmlNode *joint, ss_part_joint *j)
{
    const xmlNode *mimic = ss_xml_child(joint, "mimic");
    if (mimic != NULL && ss_xml_attribute(r, mimic, "joint") != NULL) {
        j->leads = ss_xml_attribute(r, mimic, "joint");
        j->ratio = number(r, mimic, "multiplier", 1);
        j->value = j->ratio * ss_robot_set_value(r, j->leads, 0) + number(r, mimic, "offset", 0);
    }
}

static void read_joint(ss_robot *r, const xmlNode *joint, int32_t parent, int32_t child)
{
    static const char *const types[][2] = {{"revolute", "revolute"},
                                           {"continuous", "revolute"},
                                           {"prismatic", "prismatic"},
                                           {"planar", "planar"}};
    const char              *type       = ss_xml_attribute(r, joint, "type"),
               *name                    = ss_xml_attribute(r, joint, "name");
    ss_part_body  *b                    = &r->bodies[child];
    const xmlNode *limit                = ss_xml_child(joint, "limit"),
                  *dynamics             = ss_xml_child(joint, "dynamics");
    name                                = name != NULL ? name : b->name;
    if (type == NULL || strcmp(type, "fixed") == 0) {
        return;
    }
    b->fixed = false;
    if (strcmp(type, "floating") == 0) {
        b->loose = true;
        return;
    }
    ss_part_joint j = {
        .name = name, .body = {parent, child}, .lower = -INFINITY, .upper = INFINITY};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        j.type = strcmp(type, types[i][0]) == 0 ? types[i][1] : j.type;
    }
    if (j.type == NULL) {
        ss_robot_note(r, "joint '%s': type '%s' is not known; the link is fixed", name, type);
        b->fixed = true;
        return;
    }
    ss_vec3 axis = ss_unit(vector(r, ss_xml_child(joint, "axis"), "xyz", ss_v3(1, 0, 0)));
    read_mimic(r, joint, &j);
    j.value  = ss_robot_set_value(r, name, j.value);
    b->at    = ss_place_mul(b->at, motion(j.type, axis, j.value));
    j.anchor = b->at.p;
    j.axis   = ss_turned(b->at.q, axis);
    if (strcmp(type, "revolute") == 0 || strcmp(type, "prismatic") == 0) {
        j.lower = number(r, limit, "lower", limit != NULL ? 0 : -INFINITY);
        j.upper = number(r, limit, "upper", limit != NULL ? 0 : INFINITY);
    }
    j.damping  = number(r, dynamics, "damping", 0);
    j.friction = number(r, dynamics, "friction", 0);
    note_extras(r, joint);
    ss_robot_add_joint(r, &j);
    if (j.leads != NULL) {
        ss_robot_couple(r, name, j.leads, j.ratio);
    }
}

static const char *link_of(ss_robot *r, const xmlNode *joint, const char *which)
{
    return ss_xml_attribute(r, ss_xml_child(joint, which), "link");
}

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* The joint whose child a link is; NULL: the root. */
static const xmlNode *joint_to(ss_robot *r, const xmlNode *root, const char *link)
{
    for (const xmlNode *j = ss_xml_child(root, "joint"); j != NULL; j = ss_xml_next(j, "joint")) {
        if (same(link_of(r, j, "child"), link)) {
            return j;
        }
    }
    return NULL;
}

/* Links in the order in which their parents are known; each round places those next to the last
 * ones. */
static ss_status read_tree(ss_robot *r, const xmlNode *root)
{
    int32_t links = 0, before = -1;
    for (const xmlNode *l = ss_xml_child(root, "link"); l != NULL; l = ss_xml_next(l, "link")) {
        links++;
    }
    while (r->body_count < links && r->body_count != before) {
        before = r->body_count;
        for (const xmlNode *l = ss_xml_child(root, "link"); l != NULL; l = ss_xml_next(l, "link")) {
            const char    *name  = ss_xml_attribute(r, l, "name");
            const xmlNode *joint = joint_to(r, root, name);
            int32_t parent = joint != NULL ? ss_robot_find(r, link_of(r, joint, "parent")) : -1;
            if (name == NULL || ss_robot_find(r, name) >= 0 || (joint != NULL && parent < 0)) {
                continue;
            }
            ss_place at   = joint != NULL ? ss_place_mul(r->bodies[parent].at, origin(r, joint))
                                          : ss_place_none();
            int32_t  body = ss_robot_add_body(r, name, parent, at);
            if (body < 0) {
                return ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path);
            }
            r->bodies[body].loose = joint == NULL && r->free_base;
            if (joint != NULL) {
                read_joint(r, joint, parent, body);
            }
            read_link(r, l, body);
        }
    }
    return r->body_count == links ? SS_OK
                                  : ss_fail(r->ctx, SS_ERR_INPUT,
                                            "%s: %d of %d links hang on no root: joints form a "
                                            "circle or name links that are not there",
                                            r->path, (int)(links - r->body_count), (int)links);
}

ss_status ss_import_urdf(ss_robot *r, xmlNode *root)
{
    r->name = ss_xml_attribute(r, root, "name");
    for (const xmlNode *n = ss_xml_first(root); n != NULL; n = ss_xml_after(n)) {
        if (n->ns != NULL && n->ns->prefix != NULL &&
            strcmp((const char *)n->ns->prefix, "xacro") == 0) {
            return ss_fail(r->ctx, SS_ERR_INPUT,
                           "%s:%ld: this is xacro, a program that makes URDF: run `xacro %s > "
                           "robot.urdf` first",
                           r->path, xmlGetLineNo(n), r->path);
        }
        if (!ss_xml_is(n, "link") && !ss_xml_is(n, "joint") && !ss_xml_is(n, "material")) {
            ss_robot_note(r, "<%s>", (const char *)n->name);
        }
    }
    if (ss_xml_child(root, "link") == NULL) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: a robot without links", r->path);
    }
    ss_robot_note(r, "URDF says nothing about friction: the scene's default is 0.5; links of the "
                     "robot do not touch each other (`group`)");
    return read_tree(r, root);
}
