/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MJCF (mujoco.readthedocs.io/en/stable/XMLreference.html): nested bodies, each with any number of
 * joints to the body around it, applied in turn. With x, q the frame of the body and a joint at a,
 * axis u (both in that frame),
 *
 *   hinge by s:   q <- q exp(s u),  x <- x + q_old a - q a        slide by s:   x <- x + s q u
 *
 * Attributes that an element does not have come from the default class it is in. Several joints of
 * one body become several bodies here, with a small part of its mass between them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/constants.h"
#include "core/context.h"
#include "core/elementary.h"
#include "import/tolerances.h"
#include "import/xml.h"

enum { CLASSES_MAX = 256, INCLUDE_DEPTH = 8, JOINTS_MAX = 6, NAME_SIZE = 128 };

typedef struct mjcf_class {
    const char    *name;
    const xmlNode *node;
    int            parent; /* -1: none */
} mjcf_class;

typedef struct reader {
    ss_robot       *r;
    mjcf_class      classes[CLASSES_MAX];
    int             class_count;
    double          angle; /* radians of its unit */
    char            euler[4];
    const char     *mesh_folder;
    bool            masses_from_shapes;
    const xmlNode  *root;
    const xmlNode **meshes; /* of the assets */
    ss_name_index   mesh_names;
    int             unnamed;
} reader;

/* ---- attributes, with defaults ---- */

static int class_of(const reader *m, const char *name)
{
    for (int i = 0; name != NULL && i < m->class_count; i++) {
        if (m->classes[i].name != NULL && strcmp(m->classes[i].name, name) == 0) {
            return i;
        }
    }
    return m->class_count > 0 ? 0 : -1;
}

static const char *attribute(reader *m, const xmlNode *node, const char *around, const char *name)
{
    const char *own   = ss_xml_attribute(m->r, node, name);
    const char *named = ss_xml_attribute(m->r, node, "class");
    for (int c = class_of(m, named != NULL ? named : around); own == NULL && c >= 0;
         c     = m->classes[c].parent) {
        own = ss_xml_attribute(m->r, ss_xml_child(m->classes[c].node, (const char *)node->name),
                               name);
    }
    return own;
}

static void read_classes(reader *m, const xmlNode *node, int parent)
{
    if (m->class_count == CLASSES_MAX) {
        ss_robot_note(m->r, "more than %d default classes", CLASSES_MAX);
        return;
    }
    int         at   = m->class_count++;
    const char *name = ss_xml_attribute(m->r, node, "class");
    m->classes[at]   = (mjcf_class){name != NULL ? name : "main", node, parent};
    for (const xmlNode *n = ss_xml_child(node, "default"); n != NULL;
         n                = ss_xml_next(n, "default")) {
        read_classes(m, n, at);
    }
}

static double number(reader *m, const xmlNode *node, const char *around, const char *name,
                     double otherwise)
{
    return ss_xml_number(attribute(m, node, around, name), otherwise);
}

static ss_vec3 vector(reader *m, const xmlNode *node, const char *around, const char *name,
                      ss_vec3 otherwise)
{
    double x[3];
    return ss_xml_numbers(attribute(m, node, around, name), x, 3) == 3 ? ss_v3(x[0], x[1], x[2])
                                                                       : otherwise;
}

/* ---- orientations ---- */

static ss_quat from_columns(ss_vec3 x, ss_vec3 y, ss_vec3 z)
{
    double t[4] = {1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z,
                   1 - x.x - y.y + z.z};
    int    best = 0;
    for (int i = 1; i < 4; i++) {
        best = t[i] > t[best] ? i : best;
    }
    ss_quat q[4] = {{t[0], y.z - z.y, z.x - x.z, x.y - y.x},
                    {y.z - z.y, t[1], x.y + y.x, z.x + x.z},
                    {z.x - x.z, x.y + y.x, t[2], y.z + z.y},
                    {x.y - y.x, z.x + x.z, y.z + z.y, t[3]}};
    return ss_quat_unit(q[best]);
}

/* The least rotation that takes z to a direction. */
static ss_quat z_to(ss_vec3 d)
{
    ss_vec3 z = ss_unit(d), axis = ss_cross(ss_v3(0, 0, 1), z);
    double  s = ss_norm(axis);
    if (s < SS_IMPORT_SAME) {
        return z.z > 0 ? ss_quat_identity() : (ss_quat){0, 1, 0, 0};
    }
    return ss_quat_from_rotation(ss_scale(ss_atan2(s, z.z) / s, axis));
}

static ss_quat from_euler(const reader *m, const double *angle)
{
    ss_quat q = ss_quat_identity();
    for (int i = 0; i < 3; i++) {
        char    c    = m->euler[i];
        bool    own  = c >= 'x'; /* small letters: about axes that turn along */
        int     axis = own ? c - 'x' : c - 'X';
        ss_quat one  = ss_quat_from_rotation(
             ss_scale(m->angle * angle[i], ss_v3(axis == 0, axis == 1, axis == 2)));
        q = own ? ss_quat_mul(q, one) : ss_quat_mul(one, q);
    }
    return q;
}

static ss_quat orientation(reader *m, const xmlNode *node, const char *around)
{
    double x[6];
    if (ss_xml_numbers(attribute(m, node, around, "quat"), x, 4) == 4) {
        return ss_quat_unit((ss_quat){x[0], x[1], x[2], x[3]});
    }
    if (ss_xml_numbers(attribute(m, node, around, "axisangle"), x, 4) == 4) {
        return ss_quat_from_rotation(ss_scale(m->angle * x[3], ss_unit(ss_v3(x[0], x[1], x[2]))));
    }
    if (ss_xml_numbers(attribute(m, node, around, "euler"), x, 3) == 3) {
        return from_euler(m, x);
    }
    if (ss_xml_numbers(attribute(m, node, around, "xyaxes"), x, 6) == 6) {
        ss_vec3 a = ss_unit(ss_v3(x[0], x[1], x[2])), b = ss_v3(x[3], x[4], x[5]);
        b = ss_unit(ss_axpy(b, -ss_dot(a, b), a));
        return from_columns(a, b, ss_cross(a, b));
    }
    if (ss_xml_numbers(attribute(m, node, around, "zaxis"), x, 3) == 3) {
        return z_to(ss_v3(x[0], x[1], x[2]));
    }
    return ss_quat_identity();
}

/* ---- shapes ---- */

/* A mesh without a name is called as its file, without the ending. */
static const char *mesh_name(reader *m, const xmlNode *n)
{
    const char *own  = ss_xml_attribute(m->r, n, "name");
    const char *file = own == NULL ? ss_xml_attribute(m->r, n, "file") : NULL;
    char       *stem = file != NULL ? ss_pool_alloc(&m->r->pool, strcspn(file, ".") + 1, 1) : NULL;
    if (stem != NULL) {
        memcpy(stem, file, strcspn(file, "."));
    }
    m->r->no_memory = m->r->no_memory || (file != NULL && stem == NULL);
    return own != NULL ? own : stem;
}

static void list_meshes(reader *m)
{
    int32_t count = 0, i = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (const xmlNode *a = ss_xml_child(m->root, "asset"); a != NULL;
             a                = ss_xml_next(a, "asset")) {
            for (const xmlNode *n = ss_xml_child(a, "mesh"); n != NULL;
                 n                = ss_xml_next(n, "mesh")) {
                if (pass == 0) {
                    count++;
                    continue;
                }
                const char *name = mesh_name(m, n);
                m->meshes[i]     = n;
                m->r->no_memory =
                    (name != NULL && !ss_name_add(&m->mesh_names, &m->r->pool, name, i)) ||
                    m->r->no_memory;
                i++;
            }
        }
        m->meshes = pass == 0 ? ss_pool_alloc(&m->r->pool, (size_t)count + 1, sizeof *m->meshes)
                              : m->meshes;
        if (m->meshes == NULL) {
            m->r->no_memory = true;
            return;
        }
    }
}

static const xmlNode *mesh_named(const reader *m, const char *name)
{
    int32_t i = ss_name_find(&m->mesh_names, name);
    return i >= 0 ? m->meshes[i] : NULL;
}

static bool read_mesh(reader *m, const char *name, ss_part *p)
{
    const xmlNode *n    = mesh_named(m, name);
    const char    *file = ss_xml_attribute(m->r, n, "file");
    if (file == NULL) {
        ss_robot_note(m->r, "mesh '%s' has no file: its shape is left out",
                      name != NULL ? name : "");
        return false;
    }
    char   path[1024];
    double s[3] = {1, 1, 1};
    int    ok   = 1;
    snprintf(path, sizeof path, "%s%s%s", m->mesh_folder != NULL ? m->mesh_folder : "",
             m->mesh_folder != NULL ? "/" : "", file);
    ss_xml_numbers(attribute(m, n, NULL, "scale"), s, 3);
    if (s[0] != s[1] || s[0] != s[2]) {
        ss_robot_note(m->r, "mesh '%s': scaled by %g, %g, %g along its axes; %g is taken for all",
                      name, s[0], s[1], s[2], s[0]);
    }
    p->shape = SS_PART_MESH;
    p->scale = ss_v3(s[0], s[1], s[2]);
    p->file  = ss_pool_text(&m->r->pool, path, &ok);
    return ok;
}

/* Half sizes, or the two ends of its axis, as MJCF has them, into ours. */
static void read_size(reader *m, const xmlNode *node, const char *around, ss_part *p)
{
    double size[3] = {0, 0, 0}, ends[6];
    ss_xml_numbers(attribute(m, node, around, "size"), size, 3);
    if (ss_xml_numbers(attribute(m, node, around, "fromto"), ends, 6) == 6 &&
        p->shape != SS_PART_SPHERE) {
        ss_vec3 a = ss_v3(ends[0], ends[1], ends[2]), b = ss_v3(ends[3], ends[4], ends[5]);
        bool    round       = p->shape == SS_PART_CAPSULE || p->shape == SS_PART_CYLINDER;
        p->at.p             = ss_scale(0.5, ss_add(a, b));
        p->at.q             = z_to(ss_sub(a, b)); /* MJCF: from the second end to the first */
        size[round ? 1 : 2] = 0.5 * ss_norm(ss_sub(b, a));
        if (!round && ss_xml_numbers(attribute(m, node, around, "size"), ends, 3) < 2) {
            size[1] = size[0];
        }
    }
    double scale = p->shape == SS_PART_BOX ? 2 : 1;
    for (int i = 0; i < 3; i++) {
        p->size[i] = scale * size[i];
    }
    if (p->shape == SS_PART_CAPSULE || p->shape == SS_PART_CYLINDER) {
        p->size[1] = 2 * size[1];
    }
}

static bool read_geom(reader *m, const xmlNode *node, const char *around, ss_part *p)
{
    static const char *const names[] = {"box",       "sphere", "cylinder", "capsule",
                                        "ellipsoid", "plane",  "mesh"};
    const char              *mesh    = attribute(m, node, around, "mesh"),
               *type                 = attribute(m, node, around, "type");
    double friction                  = 1;
    type                             = type != NULL ? type : mesh != NULL ? "mesh" : "sphere";
    int shape                        = -1;
    for (int i = 0; i < 7; i++) {
        shape = strcmp(type, names[i]) == 0 ? i : shape;
    }
    ss_xml_numbers(attribute(m, node, around, "friction"), &friction, 1);
    *p = (ss_part){
        .at    = {vector(m, node, around, "pos", ss_v3(0, 0, 0)), orientation(m, node, around)},
        .scale = {1, 1, 1}};
    p->friction = number(m, node, around, "condim", 3) < 3 ? 0 : friction;
    p->touches  = number(m, node, around, "contype", 1) != 0 ||
                 number(m, node, around, "conaffinity", 1) != 0;
    if (shape < 0) {
        ss_robot_note(m->r, "shapes of type '%s'", type);
        return false;
    }
    p->shape = (ss_part_shape)shape;
    if (p->shape == SS_PART_MESH) {
        return read_mesh(m, mesh, p);
    }
    read_size(m, node, around, p);
    return true;
}

/* ---- bodies ---- */

/* Its mass where it is given; else that of its shapes. */
static void read_inertial(reader *m, const xmlNode *body, ss_part_body *b)
{
    const xmlNode *n = ss_xml_child(body, "inertial");
    double         d[6];
    if (n == NULL || m->masses_from_shapes) {
        return;
    }
    ss_mass mass = {.mass = number(m, n, NULL, "mass", 0)};
    if (ss_xml_numbers(ss_xml_attribute(m->r, n, "fullinertia"), d, 6) == 6) {
        mass.inertia = (ss_mat3){{d[0], d[3], d[4], d[3], d[1], d[5], d[4], d[5], d[2]}};
    } else if (ss_xml_numbers(ss_xml_attribute(m->r, n, "diaginertia"), d, 3) == 3) {
        mass.inertia = ss_mat3_diagonal(d[0], d[1], d[2]);
    }
    ss_place at = {vector(m, n, NULL, "pos", ss_v3(0, 0, 0)), orientation(m, n, NULL)};
    b->mass     = ss_mass_add((ss_mass){0}, mass, at);
    b->has_mass = true;
}

static void read_geoms(reader *m, const xmlNode *body, const char *around, int32_t index)
{
    bool given = index >= 0 && m->r->bodies[index].has_mass;
    for (const xmlNode *n = ss_xml_child(body, "geom"); n != NULL; n = ss_xml_next(n, "geom")) {
        ss_part p;
        if (!read_geom(m, n, around, &p)) {
            continue;
        }
        double density = number(m, n, around, "density", SS_IMPORT_DENSITY),
               mass    = number(m, n, around, "mass", -1);
        p.body         = index;
        if (index >= 0 && !given && p.shape == SS_PART_MESH && mass < 0) {
            m->r->bodies[index].density = density;
            ss_robot_note(m->r,
                          "body '%s': its mass comes from a mesh, by stickslip's own quadrature",
                          m->r->bodies[index].name);
        } else if (index >= 0 && !given) {
            ss_mass one  = ss_part_mass(&p, mass >= 0 ? 1 : density);
            double  part = mass >= 0 && one.mass > 0 ? mass / one.mass : 1;
            for (int i = 0; i < 9; i++) {
                one.inertia.m[i] *= part;
            }
            one.mass *= part;
            ss_part_body *b = &m->r->bodies[index];
            b->mass         = ss_mass_add(b->has_mass ? b->mass : (ss_mass){0}, one, p.at);
            b->has_mass     = b->has_mass || one.mass > 0;
        }
        if (!p.touches) {
            ss_robot_note(m->r, "shapes without contact (contype = conaffinity = 0) only weigh");
        }
        ss_robot_add_part(m->r, &p);
    }
}

static void read_limits(reader *m, const xmlNode *n, const char *around, const char *type,
                        double unit, ss_part_joint *j)
{
    const char *limited = attribute(m, n, around, "limited");
    double      range[2];
    if (ss_xml_numbers(attribute(m, n, around, "range"), range, 2) == 2 &&
        (limited == NULL || strcmp(limited, "false") != 0) &&
        (limited != NULL || range[0] < range[1])) {
        if (strcmp(type, "ball") == 0) {
            ss_robot_note(m->r, "joint '%s': limits of ball joints", j->name);
        } else {
            j->lower = unit * range[0];
            j->upper = unit * range[1];
        }
    }
}

static void read_springs(reader *m, const xmlNode *n, const char *around, const char *type,
                         double unit, ss_part_joint *j)
{
    j->damping   = number(m, n, around, "damping", 0);
    j->friction  = number(m, n, around, "frictionloss", 0);
    j->stiffness = number(m, n, around, "stiffness", 0);
    j->rest      = unit * number(m, n, around, "springref", 0);
    if (strcmp(type, "ball") == 0 && (j->damping != 0 || j->stiffness != 0)) {
        ss_robot_note(m->r, "joint '%s': damping and stiffness of ball joints", j->name);
        j->damping = j->stiffness = 0;
    }
    if (number(m, n, around, "armature", 0) != 0) {
        ss_robot_note(m->r, "armature: inertia of rotors");
    }
}

/* A joint of a body whose frame is *at so far; moves *at by its value. */
static bool read_joint(reader *m, const xmlNode *n, const char *around, const char *body,
                       ss_place *at, ss_part_joint *j)
{
    static const char *const types[][2] = {
        {"hinge", "revolute"}, {"slide", "prismatic"}, {"ball", "spherical"}};
    const char *type = attribute(m, n, around, "type"), *name = ss_xml_attribute(m->r, n, "name");
    char        made[NAME_SIZE];
    snprintf(made, sizeof made, "%.100s_joint_%d", body, m->unnamed++);
    type = type != NULL ? type : "hinge";
    *j   = (ss_part_joint){.lower = -INFINITY, .upper = INFINITY};
    for (int i = 0; i < 3; i++) {
        j->type = strcmp(type, types[i][0]) == 0 ? types[i][1] : j->type;
    }
    if (j->type == NULL) {
        ss_robot_note(m->r, "joint of body '%s': type '%s' is not known", body, type);
        return false;
    }
    int ok       = 1;
    j->name      = name != NULL ? name : ss_pool_text(&m->r->pool, made, &ok);
    double  unit = strcmp(type, "slide") == 0 ? 1 : m->angle;
    double  ref  = unit * number(m, n, around, "ref", 0);
    ss_vec3 pos  = vector(m, n, around, "pos", ss_v3(0, 0, 0)),
            axis = ss_unit(vector(m, n, around, "axis", ss_v3(0, 0, 1)));
    j->value     = ref + ss_robot_set_value(m->r, j->name, 0);
    j->anchor    = ss_place_point(*at, pos);
    j->axis      = ss_turned(at->q, axis);
    if (strcmp(type, "hinge") == 0) {
        at->q =
            ss_quat_unit(ss_quat_mul(at->q, ss_quat_from_rotation(ss_scale(j->value - ref, axis))));
        at->p = ss_sub(j->anchor, ss_turned(at->q, pos));
    } else if (strcmp(type, "slide") == 0) {
        at->p     = ss_axpy(at->p, j->value - ref, j->axis);
        j->anchor = ss_place_point(*at, pos);
    }
    read_limits(m, n, around, type, unit, j);
    read_springs(m, n, around, type, unit, j);
    return ok;
}

/* A small part of a body that stands between two of its joints. */
static int32_t body_between(reader *m, int32_t parent, int32_t body, const char *joint, ss_place at)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.60s/%.60s", m->r->bodies[body].name, joint);
    int32_t between = ss_robot_add_body(m->r, name, parent, at);
    if (between >= 0) {
        m->r->bodies[between].fixed = false;
        ss_robot_note(m->r,
                      "body '%s' has several joints: %g of its mass stands between them, and what "
                      "it is joined to "
                      "this way does not touch it or each other (`group`)",
                      m->r->bodies[body].name, SS_IMPORT_BETWEEN);
    }
    return between;
}

/* The mass that bodies between the joints of a body are made of is taken from it. */
static void share_mass(ss_robot *r, int32_t body, const int32_t *between, int count)
{
    ss_part_body *b = &r->bodies[body];
    for (int k = 0; k < count && b->has_mass; k++) {
        ss_part_body *s = &r->bodies[between[k]];
        s->mass         = b->mass;
        s->mass.mass *= SS_IMPORT_BETWEEN;
        s->mass.com = ss_v3(0, 0, 0); /* as if it were a cross shaft */
        for (int i = 0; i < 9; i++) {
            s->mass.inertia.m[i] *= SS_IMPORT_BETWEEN;
        }
        s->has_mass = true;
    }
    if (count > 0 && b->has_mass) {
        b->mass.mass *= 1 - count * SS_IMPORT_BETWEEN;
        for (int i = 0; i < 9; i++) {
            b->mass.inertia.m[i] *= 1 - count * SS_IMPORT_BETWEEN;
        }
    }
}

static void note_others(reader *m, const xmlNode *body)
{
    static const char *const known[] = {"body", "geom", "joint", "freejoint", "inertial", NULL};
    for (const xmlNode *n = ss_xml_first(body); n != NULL; n = ss_xml_after(n)) {
        bool read = false;
        for (int i = 0; known[i] != NULL; i++) {
            read = read || ss_xml_is(n, known[i]);
        }
        if (!read) {
            ss_robot_note(m->r, "<%s> of bodies", (const char *)n->name);
        }
    }
}

static ss_status read_body(reader *m, const xmlNode *node, int32_t parent, ss_place around_at,
                           const char *around, int depth);

static ss_status read_bodies(reader *m, const xmlNode *node, int32_t parent, ss_place at,
                             const char *around, int depth)
{
    for (const xmlNode *n = ss_xml_child(node, "body"); n != NULL; n = ss_xml_next(n, "body")) {
        SS_TRY(read_body(m, n, parent, at, around, depth + 1));
    }
    return SS_OK;
}

/* The joints of a body in turn, with a body between each two; *at becomes the place of the body
 * itself. */
static ss_status read_joints(reader *m, const xmlNode *node, const char *around, int32_t parent,
                             int32_t body, ss_place *at, int32_t *between, int *count)
{
    ss_part_joint joints[JOINTS_MAX];
    ss_place      places[JOINTS_MAX];
    int           n_joints = 0;
    bool          loose    = ss_xml_child(node, "freejoint") != NULL;
    for (const xmlNode *n = ss_xml_child(node, "joint"); n != NULL; n = ss_xml_next(n, "joint")) {
        const char *type = attribute(m, n, around, "type");
        if (type != NULL && strcmp(type, "free") == 0) {
            loose = true;
        } else if (n_joints == JOINTS_MAX) {
            return ss_fail(m->r->ctx, SS_ERR_INPUT, "%s: body '%s' has more than %d joints",
                           m->r->path, m->r->bodies[body].name, JOINTS_MAX);
        } else if (read_joint(m, n, around, m->r->bodies[body].name, at, &joints[n_joints])) {
            places[n_joints++] = *at;
        }
    }
    m->r->bodies[body].at    = *at;
    m->r->bodies[body].fixed = n_joints == 0 && !loose;
    m->r->bodies[body].loose = loose;
    *count                   = 0;
    int32_t outer            = parent;
    for (int k = 0; k < n_joints; k++) {
        bool    last = k == n_joints - 1;
        int32_t next = last ? body : body_between(m, parent, body, joints[k].name, places[k]);
        if (next < 0) {
            return ss_fail(m->r->ctx, SS_ERR_MEMORY, "%s: out of memory", m->r->path);
        }
        joints[k].body[0] = parent;
        joints[k].body[1] = next;
        ss_robot_add_joint(m->r, &joints[k]);
        if (!last) {
            between[(*count)++] = next;
        }
        parent = next;
    }
    if (n_joints > 1 &&
        outer >= 0) { /* joined, by way of what is between them: such do not touch */
        ss_robot_keep_apart(m->r, outer, body);
    }
    m->r->bodies[body].parent = parent == body ? m->r->bodies[body].parent : parent;
    return SS_OK;
}

static ss_status read_body(reader *m, const xmlNode *node, int32_t parent, ss_place around_at,
                           const char *around, int depth)
{
    const char *name   = ss_xml_attribute(m->r, node, "name"),
               *class_ = ss_xml_attribute(m->r, node, "childclass");
    char    made[NAME_SIZE];
    int32_t between[JOINTS_MAX];
    int     count = 0;
    snprintf(made, sizeof made, "body_%d", (int)m->r->body_count);
    around = class_ != NULL ? class_ : around;
    if (depth > 1000) {
        return ss_fail(m->r->ctx, SS_ERR_INPUT, "%s: bodies are nested too deeply", m->r->path);
    }
    ss_place at   = ss_place_mul(around_at, (ss_place){vector(m, node, NULL, "pos", ss_v3(0, 0, 0)),
                                                       orientation(m, node, NULL)});
    int32_t  body = ss_robot_add_body(m->r, name != NULL ? name : made, parent, at);
    if (body < 0) {
        return ss_fail(m->r->ctx, SS_ERR_MEMORY, "%s: out of memory", m->r->path);
    }
    SS_TRY(read_joints(m, node, around, parent, body, &at, between, &count));
    read_inertial(m, node, &m->r->bodies[body]);
    read_geoms(m, node, around, body);
    share_mass(m->r, body, between, count);
    note_others(m, node);
    return read_bodies(m, node, body, at, around, depth);
}

/* ---- the rest of the file ---- */

static void read_compiler(reader *m)
{
    m->angle = SS_PI / 180;
    memcpy(m->euler, "xyz", 4);
    for (const xmlNode *n = ss_xml_child(m->root, "compiler"); n != NULL;
         n                = ss_xml_next(n, "compiler")) {
        const char *angle  = ss_xml_attribute(m->r, n, "angle"),
                   *euler  = ss_xml_attribute(m->r, n, "eulerseq");
        const char *folder = ss_xml_attribute(m->r, n, "meshdir"),
                   *mass   = ss_xml_attribute(m->r, n, "inertiafromgeom");
        m->angle       = angle == NULL ? m->angle : strcmp(angle, "radian") == 0 ? 1 : SS_PI / 180;
        m->mesh_folder = folder != NULL ? folder : m->mesh_folder;
        m->masses_from_shapes = mass != NULL ? strcmp(mass, "true") == 0 : m->masses_from_shapes;
        if (euler != NULL && strlen(euler) == 3 && strspn(euler, "xyzXYZ") == 3) {
            memcpy(m->euler, euler, 4);
        }
        for (const char *const *other =
                 (const char *const[]){"settotalmass", "boundmass", "boundinertia",
                                       "balanceinertia", "coordinate", "fitaabb",
                                       "inertiagrouprange", NULL};
             *other != NULL; other++) {
            if (ss_xml_attribute(m->r, n, *other) != NULL) {
                ss_robot_note(m->r, "<compiler %s>", *other);
            }
        }
    }
}

static void read_option(reader *m)
{
    m->r->gravity = ss_v3(0, 0, -9.81);
    m->r->step    = 0.002;
    for (const xmlNode *n = ss_xml_child(m->root, "option"); n != NULL;
         n                = ss_xml_next(n, "option")) {
        m->r->gravity = vector(m, n, NULL, "gravity", m->r->gravity);
        m->r->step    = number(m, n, NULL, "timestep", m->r->step);
        for (const xmlAttr *a = n->properties; a != NULL; a = a->next) {
            if (strcmp((const char *)a->name, "gravity") != 0 &&
                strcmp((const char *)a->name, "timestep") != 0) {
                ss_robot_note(m->r, "<option %s>", (const char *)a->name);
            }
        }
    }
}

/* <joint joint1 joint2 polycoef>: the first goes by the second times the second coefficient. */
static bool couple_joints(reader *m, const xmlNode *n)
{
    const char *follower = ss_xml_attribute(m->r, n, "joint1"),
               *leader   = ss_xml_attribute(m->r, n, "joint2");
    double c[5]          = {0, 1, 0, 0, 0};
    ss_xml_numbers(ss_xml_attribute(m->r, n, "polycoef"), c, 5);
    if (follower == NULL || leader == NULL || c[1] == 0 || c[2] != 0 || c[3] != 0 || c[4] != 0) {
        return false;
    }
    if (c[0] != 0) {
        ss_robot_note(m->r, "joint '%s' follows '%s' from where the two are: without the offset %g",
                      follower, leader, c[0]);
    }
    ss_robot_couple(m->r, follower, leader, c[1]);
    return true;
}

/* Bodies held together at a point or altogether. */
static void read_equality(reader *m, const xmlNode *section)
{
    for (const xmlNode *n = ss_xml_first(section); n != NULL; n = ss_xml_after(n)) {
        bool        point = ss_xml_is(n, "connect");
        const char *one   = ss_xml_attribute(m->r, n, "body1"),
                   *two   = ss_xml_attribute(m->r, n, "body2");
        int32_t a = ss_robot_find(m->r, one), b = ss_robot_find(m->r, two);
        char    made[NAME_SIZE];
        if (ss_xml_is(n, "joint") && couple_joints(m, n)) {
            continue;
        }
        snprintf(made, sizeof made, "equality_%d", m->unnamed++);
        if ((!point && !ss_xml_is(n, "weld")) || a < 0) {
            ss_robot_note(m->r, "<equality> <%s>", (const char *)n->name);
            continue;
        }
        const char   *name = ss_xml_attribute(m->r, n, "name");
        ss_part_joint j    = {.name  = name != NULL ? name : made,
                              .type  = point ? "spherical" : "fixed",
                              .body  = {b, a},
                              .lower = -INFINITY,
                              .upper = INFINITY};
        j.anchor = ss_place_point(m->r->bodies[a].at, vector(m, n, NULL, "anchor", ss_v3(0, 0, 0)));
        ss_robot_add_joint(m->r, &j);
    }
}

static void note_sections(reader *m)
{
    static const char *const read[] = {"compiler", "option",   "worldbody", "default",
                                       "asset",    "equality", NULL};
    for (const xmlNode *n = ss_xml_first(m->root); n != NULL; n = ss_xml_after(n)) {
        bool known = false;
        for (int i = 0; read[i] != NULL; i++) {
            known = known || ss_xml_is(n, read[i]);
        }
        for (const xmlNode *c = ss_xml_first(n); !known && c != NULL; c = ss_xml_after(c)) {
            ss_robot_note(m->r, "<%s> <%s>", (const char *)n->name, (const char *)c->name);
        }
        if (!known && ss_xml_first(n) == NULL) {
            ss_robot_note(m->r, "<%s>", (const char *)n->name);
        }
    }
}

/* Files that include each other many times would become larger than any memory. */
static ss_status count_include(ss_robot *r, const char *path)
{
    return ++r->included <= SS_IMPORT_INCLUDES_MAX
               ? SS_OK
               : ss_fail(r->ctx, SS_ERR_INPUT, "%s: more than %d files are included", path,
                         SS_IMPORT_INCLUDES_MAX);
}

/* <include file>: the children of the other file's root in its place. */
static ss_status splice_includes(ss_robot *r, xmlNode *node, const char *folder, int depth)
{
    for (xmlNode *n = node->children, *next; n != NULL; n = next) {
        next = n->next;
        if (!ss_xml_is(n, "include")) {
            if (n->type == XML_ELEMENT_NODE) {
                SS_TRY(splice_includes(r, n, folder, depth));
            }
            continue;
        }
        const char *file = ss_xml_attribute(r, n, "file");
        char        path[1200];
        xmlDocPtr   doc = NULL;
        snprintf(path, sizeof path, "%s%s", folder, file != NULL ? file : "");
        if (depth == INCLUDE_DEPTH) {
            return ss_fail(r->ctx, SS_ERR_INPUT, "%s: files include each other more than %d deep",
                           r->path, INCLUDE_DEPTH);
        }
        SS_TRY(count_include(r, path));
        SS_TRY(ss_xml_read(r, path, &doc));
        ss_status status = splice_includes(r, xmlDocGetRootElement(doc), folder, depth + 1);
        for (xmlNode *c = xmlDocGetRootElement(doc)->children; status == SS_OK && c != NULL;
             c          = c->next) {
            xmlNode *copy = xmlDocCopyNode(c, node->doc, 1);
            if (copy != NULL) {
                xmlAddPrevSibling(n, copy);
            }
        }
        xmlFreeDoc(doc);
        SS_TRY(status);
        xmlUnlinkNode(n);
        xmlFreeNode(n);
    }
    return SS_OK;
}

ss_status ss_import_mjcf(ss_robot *r, xmlNode *root)
{
    char        folder[1024];
    const char *slash = strrchr(r->path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - r->path + 1) : 0,
             r->path);
    SS_TRY(splice_includes(r, root, folder, 0));
    reader *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path);
    }
    *m              = (reader){.r = r, .root = root};
    r->self_contact = true;
    r->name         = ss_xml_attribute(r, root, "model");
    read_compiler(m);
    read_option(m);
    list_meshes(m);
    for (const xmlNode *n = ss_xml_child(root, "default"); n != NULL;
         n                = ss_xml_next(n, "default")) {
        read_classes(m, n, -1);
    }
    ss_status status = SS_OK;
    for (const xmlNode *w = ss_xml_child(root, "worldbody"); w != NULL && status == SS_OK;
         w                = ss_xml_next(w, "worldbody")) {
        read_geoms(m, w, NULL, -1);
        note_others(m, w);
        status = read_bodies(m, w, -1, ss_place_none(), NULL, 0);
    }
    for (const xmlNode *e = ss_xml_child(root, "equality"); e != NULL && status == SS_OK;
         e                = ss_xml_next(e, "equality")) {
        read_equality(m, e);
    }
    note_sections(m);
    ss_robot_note(r, "contacts are rigid (no solref, solimp, margin); friction of a pair is the "
                     "geometric mean here, the larger one there");
    free(m);
    return status;
}
