/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the importers make of a file, before it becomes a scene: bodies with their place in the
 * world, joints between them, shapes in them. The readers of the formats fill it (import_urdf.c,
 * import_mjcf.c, import_sdf.c); robot.c merges bodies that cannot move against each other and adds
 * up their inertia; import_write.c writes the scene.
 *
 * Everything lives in one pool. What a format says and a scene cannot is noted, never dropped
 * silently.
 */
#ifndef SS_IMPORT_ROBOT_H
#define SS_IMPORT_ROBOT_H

#include <stdbool.h>

#include "core/name_index.h"
#include "core/pool.h"
#include "files/buffer.h"
#include "stickslip/math3.h"

typedef struct ss_place {
    ss_vec3 p;
    ss_quat q;
} ss_place; /* from own to parent coordinates: x -> p + q x */

static inline ss_place ss_place_none(void)
{
    return (ss_place){{0, 0, 0}, {1, 0, 0, 0}};
}
ss_place ss_place_mul(ss_place a, ss_place b);
ss_place ss_place_inverse(ss_place a);
ss_vec3  ss_place_point(ss_place a, ss_vec3 x);
ss_vec3  ss_turned(ss_quat q, ss_vec3 x);

typedef struct ss_mass {
    double  mass;
    ss_vec3 com;
    ss_mat3 inertia; /* about the centre of mass, axes of the body */
} ss_mass;

typedef enum ss_part_shape {
    SS_PART_BOX,
    SS_PART_SPHERE,
    SS_PART_CYLINDER,
    SS_PART_CAPSULE,
    SS_PART_ELLIPSOID,
    SS_PART_PLANE,
    SS_PART_MESH
} ss_part_shape;

typedef struct ss_part {
    ss_part_shape shape;
    double      size[3]; /* box: edges; sphere: r; cylinder, capsule: r, length; ellipsoid: radii */
    ss_vec3     scale;   /* mesh */
    const char *file;    /* mesh */
    ss_place    at;      /* in the body */
    double      friction; /* < 0: not given */
    int32_t     body;
    bool        touches; /* takes part in contacts */
} ss_part;

typedef struct ss_part_body {
    const char *name;
    int32_t     parent; /* -1: the world */
    ss_place    at;     /* in the world */
    ss_mass     mass;
    bool        has_mass; /* given, or made from shapes */
    bool        fixed;    /* to its parent: has no joint */
    bool        loose;    /* moves freely in the world */
    int32_t     root;     /* after merging: the body that it became part of, or itself */
    int32_t     group;    /* see ss_robot_group(); 0: none */
    double      density;  /* its shapes' where mass must come from a mesh; 0: none */
} ss_part_body;

typedef struct ss_part_joint {
    const char *name;
    const char *type; /* as scenes call it */
    int32_t     body[2];
    ss_vec3     anchor, axis, axis2; /* in the world */
    bool        has_axis2;
    double      lower, upper; /* infinite: none */
    double      damping, friction, stiffness, rest, max_force, max_speed;
    double      value; /* where it is now, from where limits are counted */
    const char *leads; /* the joint that it follows, NULL: none */
    double      ratio; /* .. by this times its way */
} ss_part_joint;

typedef struct ss_robot {
    ss_context    *ctx;
    ss_pool        pool;
    const char    *path, *name;
    ss_part_body  *bodies;
    ss_part_joint *joints;
    ss_part       *parts;
    const char   **notes;
    ss_name_index  body_names, joint_names, note_texts;
    int32_t       *groups;   /* of a body's group: the one that it became part of, or itself */
    int32_t       *in_body;  /* after merging, of each part: the next of its body; -1: none */
    int32_t       *first_in; /* .. of each body: its first part; -1: none                   */
    int32_t        group_room;
    size_t         bytes;    /* of all files that were read */
    int32_t        included; /* how many of them were included */
    int32_t body_count, body_room, joint_count, joint_room, part_count, part_room, note_count,
        note_room;
    ss_vec3       gravity;
    double        step;         /* 0: not given */
    bool          self_contact; /* bodies of the robot touch each other */
    const char  **set_names;    /* joints that are not at zero */
    const double *set_values;
    int32_t       set_count;
    bool          free_base; /* URDF: the first link is not held */
    bool          no_memory;
} ss_robot;

int32_t ss_robot_add_body(ss_robot *r, const char *name, int32_t parent, ss_place at);
int32_t ss_robot_add_joint(ss_robot *r, const ss_part_joint *j);
void    ss_robot_add_part(ss_robot *r, const ss_part *p);
int32_t ss_robot_find(const ss_robot *r, const char *name); /* -1: no such body */
/* "joint 'x': ..": something is not carried over, or only nearly. */
void ss_robot_note(ss_robot *r, const char *format, ...) SS_PRINTF(2, 3);
/* The value that the user gives a joint, or `otherwise`. */
double ss_robot_set_value(const ss_robot *r, const char *joint, double otherwise);
/* Every joint that a value was given for is there. */
ss_status ss_robot_check_set(const ss_robot *r);
/* The joint `follower` moves by `ratio` times what `leader` does. */
void ss_robot_couple(ss_robot *r, const char *follower, const char *leader, double ratio);

/* Two bodies, and all that are so with either, do not touch each other. */
void ss_robot_keep_apart(ss_robot *r, int32_t a, int32_t b);
/* The group of a body, one number for all of them; 0: none. */
int32_t ss_robot_group(const ss_robot *r, int32_t body);

/* Mass of a primitive of a density: about its own centre, in its own axes. */
ss_mass ss_part_mass(const ss_part *p, double density);
/* The sum of two, the second placed in the body of the first. */
ss_mass ss_mass_add(ss_mass a, ss_mass b, ss_place at);

/* Bodies without a joint become part of what they are fixed to. */
ss_status ss_robot_merge(ss_robot *r);
/* The joint that another follows; NULL: they cannot be coupled, and why. */
const ss_part_joint *ss_robot_leader(const ss_robot *r, const ss_part_joint *j, const char **why);
/* The scene as YAML. */
ss_status ss_robot_write(ss_robot *r, ss_buffer *out);

#endif
