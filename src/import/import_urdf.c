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

/* A link on its way into the tree. */
typedef struct urdf_link {
    const xmlNode *node, *joint; /* joint: the one whose child it is; NULL: a root */
    const char    *name;
    int32_t        parent;      /* index of a link; -1: a root */
    int32_t        round;       /* in which it is placed; UNKNOWN, or UNREACHED from any root */
    int32_t        order, next; /* of a round: the next link that is placed in it */
} urdf_link;

enum { UNKNOWN = -1, UNREACHED = -2, ON_THE_WAY = -3 };

typedef struct tree {
    urdf_link    *links;
    int32_t       count, rounds;
    ss_name_index names;
} tree;

static ss_status no_memory(const ss_robot *r)
{
    return ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path);
}

/* The first of each name; links without one hang on nothing. */
static ss_status list_links(ss_robot *r, const xmlNode *root, tree *t)
{
    for (const xmlNode *l = ss_xml_child(root, "link"); l != NULL; l = ss_xml_next(l, "link")) {
        t->count++;
    }
    t->links = ss_pool_alloc(&r->pool, (size_t)t->count, sizeof *t->links);
    if (t->links == NULL) {
        return no_memory(r);
    }
    int32_t i = 0;
    for (const xmlNode *l = ss_xml_child(root, "link"); l != NULL; l = ss_xml_next(l, "link")) {
        const char *name = ss_xml_attribute(r, l, "name");
        bool        own  = name != NULL && ss_name_find(&t->names, name) < 0;
        t->links[i] =
            (urdf_link){.node = l, .name = name, .parent = -1, .round = own ? UNKNOWN : UNREACHED};
        if (own && !ss_name_add(&t->names, &r->pool, name, i)) {
            return no_memory(r);
        }
        i++;
    }
    return SS_OK;
}

/* Of several joints to one link the first counts. */
static void hang_links(ss_robot *r, const xmlNode *root, tree *t)
{
    for (const xmlNode *j = ss_xml_child(root, "joint"); j != NULL; j = ss_xml_next(j, "joint")) {
        int32_t child = ss_name_find(&t->names, link_of(r, j, "child"));
        if (child >= 0 && t->links[child].joint == NULL) {
            urdf_link *l = &t->links[child];
            l->joint     = j;
            l->parent    = ss_name_find(&t->names, link_of(r, j, "parent"));
            l->round     = l->parent < 0 ? UNREACHED : l->round;
        }
    }
}

/*
 * Links are placed in rounds, in the order of the file, each once its parent is: in the round of
 * its parent if that stands before it, otherwise in the next. The way to the root is gone up to a
 * link whose round is known, and back; `order` keeps where it came from.
 */
static void find_round(tree *t, int32_t from)
{
    int32_t at = from, below = -1;
    while (t->links[at].round == UNKNOWN && t->links[at].parent >= 0) {
        t->links[at].round = ON_THE_WAY;
        t->links[at].order = below;
        below              = at;
        at                 = t->links[at].parent;
    }
    if (t->links[at].round == UNKNOWN) {
        t->links[at].round = 0; /* a root */
    }
    int32_t round = t->links[at].round == ON_THE_WAY ? UNREACHED : t->links[at].round;
    for (int32_t k = below; k >= 0; at = k, k = t->links[k].order) {
        round             = round >= 0 && at > k ? round + 1 : round;
        t->links[k].round = round;
        t->rounds         = round >= t->rounds ? round + 1 : t->rounds;
    }
}

/* Indices of the links that are placed, in that order. */
static int32_t *in_order(ss_robot *r, tree *t, int32_t *placed)
{
    t->rounds = 1;
    for (int32_t i = 0; i < t->count; i++) {
        if (t->links[i].round == UNKNOWN) {
            find_round(t, i);
        }
    }
    int32_t *first = ss_pool_alloc(&r->pool, (size_t)t->rounds, sizeof *first);
    int32_t *out   = ss_pool_alloc(&r->pool, (size_t)t->count, sizeof *out);
    if (first == NULL || out == NULL) {
        return NULL;
    }
    memset(first, -1, (size_t)t->rounds * sizeof *first);
    for (int32_t i = t->count - 1; i >= 0; i--) {
        urdf_link *l = &t->links[i];
        if (l->round >= 0) {
            l->next         = first[l->round];
            first[l->round] = i;
        }
    }
    *placed = 0;
    for (int32_t k = 0; k < t->rounds; k++) {
        for (int32_t i = first[k]; i >= 0; i = t->links[i].next) {
            out[(*placed)++] = i;
        }
    }
    return out;
}

static ss_status place_link(ss_robot *r, const urdf_link *l)
{
    const xmlNode *joint  = l->joint;
    int32_t        parent = joint != NULL ? ss_robot_find(r, link_of(r, joint, "parent")) : -1;
    ss_place       at =
        joint != NULL ? ss_place_mul(r->bodies[parent].at, origin(r, joint)) : ss_place_none();
    int32_t body = ss_robot_add_body(r, l->name, parent, at);
    if (body < 0) {
        return no_memory(r);
    }
    r->bodies[body].loose = joint == NULL && r->free_base;
    if (joint != NULL) {
        read_joint(r, joint, parent, body);
    }
    read_link(r, l->node, body);
    return SS_OK;
}

static ss_status read_tree(ss_robot *r, const xmlNode *root)
{
    tree    t      = {0};
    int32_t placed = 0;
    SS_TRY(list_links(r, root, &t));
    hang_links(r, root, &t);
    const int32_t *order = in_order(r, &t, &placed);
    if (order == NULL) {
        return no_memory(r);
    }
    for (int32_t i = 0; i < placed; i++) {
        SS_TRY(place_link(r, &t.links[order[i]]));
    }
    return placed == t.count ? SS_OK
                             : ss_fail(r->ctx, SS_ERR_INPUT,
                                       "%s: %d of %d links hang on no root: joints form a circle "
                                       "or name links that are not there",
                                       r->path, (int)(t.count - placed), (int)t.count);
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
