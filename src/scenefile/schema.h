/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema: every key of a scene file is one row of a table that says its name, what it holds,
 * its range, its unit, its meaning and where the value goes. The same rows decode files and
 * overrides, suggest the right spelling, and make docs/reference/scene.md.
 */
#ifndef SS_IO_SCHEMA_H
#define SS_IO_SCHEMA_H

#include "expr/expr.h"
#include "scenefile/node.h"
#include "stickslip/scene.h"

/* What stands in the file            -> what is stored at the row's offset */
typedef enum ss_key_type {
    SS_KEY_REAL,         /* a number                -> double                              */
    SS_KEY_INT,          /* a whole number          -> int32_t                             */
    SS_KEY_BOOL,         /* true, false             -> bool                                */
    SS_KEY_NOT,          /* true, false             -> bool, the other way round           */
    SS_KEY_TEXT,         /* text                    -> const char *                        */
    SS_KEY_FORMULA,      /* a formula of x, y, z    -> const char *, params as numbers     */
    SS_KEY_NAME,         /* a new name              -> const char *                        */
    SS_KEY_BODY,         /* the name of a body      -> const char *                        */
    SS_KEY_MATERIAL,     /* the name of a material  -> const char *                        */
    SS_KEY_FILE,         /* a path, relative to the scene file -> const char *             */
    SS_KEY_CHOICE,       /* one of `choices`        -> its index, as an enum               */
    SS_KEY_VECTOR,       /* 3 numbers (2D: 2)       -> ss_vec3                             */
    SS_KEY_SPIN,         /* 3 numbers (2D: 1, about z) -> ss_vec3                          */
    SS_KEY_QUAT,         /* 4 numbers, w first      -> ss_quat                             */
    SS_KEY_ANGLE_QUAT,   /* a number                -> ss_quat, the rotation about z       */
    SS_KEY_EULER,        /* roll, pitch, yaw        -> ss_quat                             */
    SS_KEY_AXIS_ANGLE,   /* an axis and an angle    -> ss_quat                             */
    SS_KEY_DIRECTION,    /* where z points          -> ss_quat                             */
    SS_KEY_TIMED,        /* a number or expression of t    -> ss_value                     */
    SS_KEY_TIMED_VECTOR, /* 3 (2D: 2) of those             -> ss_value[3]                  */
    SS_KEY_TIMED_SPIN,   /* 3 of those (2D: 1, about z)    -> ss_value[3]                  */
    SS_KEY_TIMED_QUAT,   /* 4 of those                     -> ss_value[4]                  */
    SS_KEY_MAP,          /* a map, by the table `keys`     -> a struct                     */
    SS_KEY_CUSTOM        /* whatever `decode` makes of it                                  */
} ss_key_type;

typedef struct ss_decoder ss_decoder;
typedef struct ss_set     ss_set;
typedef struct ss_key     ss_key;

struct ss_key {
    const char   *name;
    ss_key_type   type;
    int           dimensions; /* 2 or 3: exists there alone; 0 or 5: in both              */
    bool          required;
    size_t        offset;    /* of the value in the target struct                        */
    size_t        flag;      /* offset of a bool that becomes true; 0: none              */
    double        low, high; /* of each number; low == high: any                         */
    bool          above;     /* low itself is not allowed                                */
    const char   *choices;   /* "a|b|c"                                                  */
    const ss_key *keys;      /* MAP: its table                                           */
    ss_status (*decode)(ss_decoder *d, const ss_key *key, ss_node *node, void *target);
    const char *unit;    /* "kg"; NULL: none                                         */
    const char *form;    /* CUSTOM: what to write, for the reference                 */
    const char *schema;  /* CUSTOM: members of its JSON Schema; NULL: by form or keys */
    const char *initial; /* default, for the reference; NULL: none                   */
    const char *doc;
};

/* Rows of a table in one line each. */
#define SS_KEY_ROW(name_, type_, struct_, member_, ...)                                            \
    {                                                                                              \
        .name = name_, .type = type_, .offset = offsetof(struct_, member_), __VA_ARGS__            \
    }
#define SS_KEY_END                                                                                 \
    {                                                                                              \
        .name = NULL                                                                               \
    }
#define SS_POSITIVE     .low = 0, .high = INFINITY, .above = true
#define SS_NOT_NEGATIVE .low = 0, .high = INFINITY

/* Names that other parts of the file refer to, sorted. */
typedef struct ss_name_list {
    const char **names;
    int32_t      count;
} ss_name_list;

struct ss_decoder {
    ss_context   *ctx;
    ss_pool      *pool;
    ss_scene     *scene;
    ss_node      *root;
    ss_expr_env  *env; /* made when the first expression turns up                         */
    int           dimension;
    const char   *directory; /* of the scene file, with a slash at the end; "" for the current */
    ss_name_list  bodies, materials;
    const ss_set *late;      /* what to set once pieces are written out                         */
    char          what[128]; /* "body 'cube': ", put in front of messages                       */
};

/* Settings of what a plug-in brings (scene_plugin.c): checked here, kept as texts. */
struct ss_setting_list;
ss_status ss_decode_settings(ss_decoder *d, ss_node *node, const struct ss_setting_list *kind,
                             const ss_setting **out, int32_t *count);
/* Plug-ins that a scene names: loaded already, or loaded now if that is allowed. */
ss_status ss_load_scene_plugins(ss_context *ctx, const ss_node *root, const char *directory);

/* A formula of x, y, z in which other names have become numbers (scene_formula.c). */
ss_status ss_decode_formula(ss_decoder *d, const char *label, ss_node *node, const char **out);
/* Is what the formula describes a body? The message has the place of `node`. */
ss_status ss_check_formula_shape(ss_decoder *d, const ss_node *node, const ss_shape_def *def);

/* The three ways to write a rotation without a quaternion (orientation.c). */
ss_status ss_decode_orientation(ss_decoder *d, const ss_key *key, ss_node *node, ss_quat *out);

/* Fails with "file:line:column: body 'cube': message". */
ss_status ss_decode_fail(ss_decoder *d, const ss_node *node, const char *format, ...)
    SS_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* as ss_fail (stickslip/base.h) */
#define ss_decode_fail(...) ((void)ss_decode_fail(__VA_ARGS__), SS_ERR_INPUT)
#endif
/* What a call said that failed, at the place of `node`; memory that ran out has no place. */
ss_status ss_decode_failed(ss_decoder *d, const ss_node *node, ss_status status);
#ifdef __clang_analyzer__
#define ss_decode_failed(d, node, status) ((void)ss_decode_failed(d, node, status), (status))
#endif

ss_status ss_decode_no_memory(ss_decoder *d);
#ifdef __clang_analyzer__
#define ss_decode_no_memory(d) ((void)ss_decode_no_memory(d), SS_ERR_MEMORY)
#endif

/* Decodes a map by a table into `target`, whose defaults are already there. */
ss_status ss_decode_map(ss_decoder *d, const ss_key *table, ss_node *map, void *target);

/* Pieces for CUSTOM rows. `label` names the value in messages. */
ss_status ss_decode_number(ss_decoder *d, const char *label, ss_node *node, double *out);
ss_status ss_decode_timed(ss_decoder *d, const char *label, ss_node *node, ss_value *out);
ss_status ss_decode_numbers(ss_decoder *d, const char *label, ss_node *node, int32_t count,
                            double *out);
ss_status ss_decode_text(ss_decoder *d, const char *label, ss_node *node, const char **out);
ss_status ss_decode_expect(ss_decoder *d, const char *label, const ss_node *node,
                           ss_node_kind kind);
ss_status ss_decode_range(ss_decoder *d, const ss_key *key, const char *label, const ss_node *node,
                          double value);
/* The place of a word in "a|b|c"; the message names the nearest. */
ss_status ss_decode_choice(ss_decoder *d, const char *label, const ss_node *node,
                           const char *choices, int *out);
/* An empty list with room for so many; sorting it once it is full; looking a name up. */
ss_status ss_name_list_make(ss_decoder *d, ss_name_list *list, int32_t room);
void      ss_name_list_sort(ss_name_list *list);
bool      ss_name_list_has(const ss_name_list *list, const char *name);
/* "there is no body 'bal'; did you mean 'ball'?" */
ss_status ss_decode_unknown_name(ss_decoder *d, const ss_node *node, const char *noun,
                                 const char *word, const ss_name_list *list);
#ifdef __clang_analyzer__
#define ss_decode_unknown_name(...) ((void)ss_decode_unknown_name(__VA_ARGS__), SS_ERR_INPUT)
#endif

/* "file:line:column" of a node, kept in the pool, for what is found out after reading. */
const char *ss_decode_place(ss_decoder *d, const ss_node *node);

/* Makes d->env when the first expression turns up. */
ss_status ss_decode_need_env(ss_decoder *d, const ss_node *node);

/* A parameter for the expressions that follow. */
ss_status ss_decode_param(ss_decoder *d, const char *param, double value);

/* Shapes (scene_shape.c): `shape: {sphere: {radius: 1}}`. */
ss_status ss_decode_shape(ss_decoder *d, const ss_key *key, ss_node *node, void *target);
/* Tables of keys with a title: a section has several where its entries have types. */
struct ss_section_table {
    const char   *title;
    const ss_key *keys;
};

/* Materials and their pairs (scene_material.c). */
extern const ss_key ss_material_keys[], ss_pair_keys[], ss_friction_keys[], ss_friction_map_keys[];
ss_status           ss_decode_materials(ss_decoder *d, ss_node *node);

/* Bodies (scene_body.c). */
extern const ss_key ss_body_keys[], ss_motion_keys[];
ss_status           ss_decode_body(ss_decoder *d, ss_node *entry);

/* Tables, and motions that were recorded (scene_table.c). */
extern const ss_key ss_table_keys[];
ss_status           ss_decode_tables(ss_decoder *d, ss_node *node);

/* Forces (scene_force.c): one table for each type. */
extern const struct ss_section_table ss_force_tables[];
ss_status                            ss_decode_force(ss_decoder *d, ss_node *entry);
/* Two names of bodies, `world` among them -> const char *[2] at the row's offset. */
ss_status ss_decode_two_bodies(ss_decoder *d, const ss_key *key, ss_node *node, void *target);

/* Supports and damping of bodies (scene_support.c). */
extern const ss_key ss_support_keys[], ss_support_friction_keys[];
extern const ss_key ss_compliance_keys[];
ss_status ss_decode_support(ss_decoder *d, const ss_key *key, ss_node *node, void *target);
ss_status ss_decode_damping(ss_decoder *d, const ss_key *key, ss_node *node, void *target);
/* Joints (scene_joint.c). */
extern const ss_key ss_joint_keys[], ss_motor_keys[];
ss_status           ss_decode_joint(ss_decoder *d, ss_node *entry);
/* Model axes (axes.c): `model: {cone: {polygon: 4}}`. */
ss_status ss_decode_axes(ss_decoder *d, const ss_key *key, ss_node *node, void *target);

/* The sections of a scene file, in the order in which they are decoded; ends with a NULL name. */
typedef struct ss_section {
    const char *name;
    const char *noun; /* of one entry, for messages and the reference; NULL: no entries */
    /* The tables of its entries: several where entries have types; NULL name ends. */
    const struct ss_section_table *tables;
    ss_status (*decode)(ss_decoder *d, ss_node *node); /* node == NULL: not in the file */
    const char *form;                                  /* what to write                 */
    const char *doc;
} ss_section;
extern const ss_section ss_scene_sections[];

#endif
