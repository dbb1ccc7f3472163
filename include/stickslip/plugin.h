/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plug-ins: shared objects that bring solvers, shapes, pairs of shapes, forces, kinds of bodies,
 * values of model axes, measures and recorders, and tables of the same things in a program itself.
 *
 * A plug-in exports one table, SS_PLUGIN_TABLE, that begins with SS_PLUGIN_HEADER and lists its
 * classes. It is compiled against these headers, and need not be linked with the
 * library: what it calls is found in the program that loads it.
 *
 * What a plug-in registers hangs on the context that loaded it (and on those that the library makes
 * of it for threads), nowhere else. Its functions are called from several threads at the same time,
 * each with data of its own, and keep nothing between calls but what they are handed.
 *
 * docs/howto/write-a-plugin.md goes through one of each kind.
 */
#ifndef STICKSLIP_PLUGIN_H
#define STICKSLIP_PLUGIN_H

#include "stickslip/record.h"
#include "stickslip/scene.h"
#include "stickslip/shape.h"
#include "stickslip/solver.h"
#include "stickslip/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pairs of shapes ---- */

struct ss_contact_list; /* where the contacts of a pair go */

/* A contact: two points, one on each surface, the unit normal from a to b, and the gap
   normal.(point_b - point_a). The features are numbers that stay the same from step to step as
   long as the same parts of the surfaces touch. */
SS_API void ss_contact_add(struct ss_contact_list *out, uint32_t feature_a, uint32_t feature_b,
                           ss_vec3 point_a, ss_vec3 point_b, ss_vec3 normal, double gap);

/* How two shapes meet. It goes before the library's own routine for the same shapes. */
typedef struct ss_pair_class {
    const char *a, *b; /* names of the shapes, built-in or of a plug-in */
    int         dimension;
    /* All contacts with a gap of at most `reach`. fa, fb: frames of the shapes in the world. */
    void (*contacts)(const ss_geom *a, const ss_frame *fa, const ss_geom *b, const ss_frame *fb,
                     double reach, struct ss_contact_list *out);
    /* The true gap: distance, or minus the least penetration; *normal: unit, from a to b. Any lower
       bound will do once it exceeds `enough`. */
    double (*gap)(const ss_geom *a, const ss_frame *fa, const ss_geom *b, const ss_frame *fb,
                  double enough, ss_vec3 *normal);
} ss_pair_class;

SS_API ss_status ss_pair_register(ss_context *ctx, const ss_pair_class *cls);

/* ---- forces and kinds of bodies ---- */

/* Where the bodies are for which a force is wanted. The world is at rest at its origin. */
typedef struct ss_force_view {
    double  t;         /* in the middle of the step                                    */
    int32_t dimension; /* 2: z of lengths and x, y of what is angular are zero         */
    struct {
        ss_frame frame;            /* of the body, as the scene has it                 */
        ss_vec3  centre;           /* of mass                                          */
        ss_vec3  velocity;         /* of the centre of mass, going into the step       */
        ss_vec3  angular_velocity; /* world axes                                       */
        double   mass;             /* 0: it is not moved by forces                     */
    } body[2];                     /* `body`, or the two `bodies`                      */
} ss_force_view;

/* A force at the centre of mass and a torque, world axes. */
typedef struct ss_load {
    ss_vec3 force, torque;
} ss_load;

/* `forces: [{type: NAME, body: .., settings: {..}}]` */
typedef struct ss_force_kind {
    const char      *name;
    const char      *summary;       /* one line for `stickslip list`                       */
    int32_t          bodies;        /* 1: it acts on `body`; 2: on `bodies`, one may be `world` */
    const ss_option *options;       /* what `settings` may hold, or NULL                   */
    size_t           settings_size; /* of the struct that they describe                    */
    /* What the options' ranges cannot say: SS_ERR_INPUT with a message. NULL: nothing. */
    ss_status (*check)(ss_context *ctx, const void *settings);
    /* Loads on the bodies, zero when it is called. Nonzero stops the step. */
    int (*apply)(const void *settings, const ss_force_view *now, ss_load load[2]);
} ss_force_kind;

SS_API ss_status ss_force_register(ss_context *ctx, const ss_force_kind *kind);

/*
 * `bodies: [{type: NAME, settings: {..}}]`: a body of one of the library's types that brings its
 * own motion or its own load. A kinematic one has `place` (as ss_time_fn: x, y, z, then the angle
 * in 2D or the quaternion w, x, y, z); a dynamic one or a particle has `load`.
 */
typedef struct ss_body_kind {
    const char      *name;
    const char      *summary;
    ss_body_type     type; /* what it is to the rest of the library */
    const ss_option *options;
    size_t           settings_size;
    ss_status (*check)(ss_context *ctx, const void *settings);
    int (*place)(void *settings, double t, double *values, int32_t count);
    int (*load)(const void *settings, const ss_force_view *now, ss_load load[2]);
} ss_body_kind;

SS_API ss_status           ss_body_kind_register(ss_context *ctx, const ss_body_kind *kind);
SS_API const ss_body_kind *ss_body_kind_find(const ss_context *ctx, const char *name);

/* ---- values of model axes ---- */

/*
 * A word for the axis `gap` or `joints`, with a function of its own; in all else it is as the
 * built-in value `like`, whose refusals and certificates it has too (docs/decisions/ says why not
 * the other axes).
 */
typedef struct ss_axis_kind {
    const char *axis;    /* "gap" or "joints"                                              */
    const char *name;    /* the word                                                       */
    const char *summary; /* what it means, in one line                                     */
    const char *like;    /* "position", "velocity"; "stabilised", "projected", "baumgarte" */
    /* gap: what a step sees of the gap of a contact: it moves no further along the normal. */
    double (*seen)(double gap);
    /* joints: the bias of a held row whose opening is phi and opens at `rate`. */
    double (*bias)(double phi, double rate, double h);
} ss_axis_kind;

SS_API ss_status           ss_axis_register(ss_context *ctx, const ss_axis_kind *kind);
SS_API const ss_axis_kind *ss_axis_kind_find(const ss_context *ctx, const char *axis,
                                             const char *name);

/* ---- measures and recorders, which have headers of their own ---- */

/* For study files: `measure: {name: {plugin: NAME}}`. Called with `user` NULL. */
SS_API ss_status               ss_measure_register(ss_context *ctx, const ss_measure_class *cls);
SS_API const ss_measure_class *ss_measure_find(const ss_context *ctx, const char *name);

/* ---- the table ---- */

enum { SS_PLUGIN_ABI = 1 }; /* grows when structs keep their size but not their meaning */

/* Structs whose size a plug-in and the library have to agree on. */
#define SS_PLUGIN_STRUCT_LIST(X)                                                                   \
    X(ss_option)                                                                                   \
    X(ss_field)                                                                                    \
    X(ss_problem)                                                                                  \
    X(ss_solution)                                                                                 \
    X(ss_common)                                                                                   \
    X(ss_solver_class)                                                                             \
    X(ss_shape_def)                                                                                \
    X(ss_geom)                                                                                     \
    X(ss_shape_class)                                                                              \
    X(ss_pair_class)                                                                               \
    X(ss_force_view)                                                                               \
    X(ss_force_kind)                                                                               \
    X(ss_body_kind)                                                                                \
    X(ss_axis_kind)                                                                                \
    X(ss_body_state)                                                                               \
    X(ss_step_report)                                                                              \
    X(ss_run_info)                                                                                 \
    X(ss_run_result)                                                                               \
    X(ss_measure_class)                                                                            \
    X(ss_recorder_class)

enum {
#define SS_PLUGIN_STRUCT_COUNT(name) +1
    SS_PLUGIN_STRUCTS = 0 SS_PLUGIN_STRUCT_LIST(SS_PLUGIN_STRUCT_COUNT)
#undef SS_PLUGIN_STRUCT_COUNT
};

/* Lists end with NULL; a list that is NULL is empty. */
typedef struct ss_plugin {
    uint32_t                        abi;     /* SS_PLUGIN_ABI, of the headers it was built with */
    uint32_t                        structs; /* SS_PLUGIN_STRUCTS                               */
    uint32_t                        sizes[SS_PLUGIN_STRUCTS];
    const char                     *library; /* "0.1": version of those headers                 */
    const char                     *name;    /* what it is called, one word                     */
    const char                     *summary; /* one line for `stickslip list`                   */
    const ss_solver_class *const   *solvers;
    const ss_shape_class *const    *shapes;
    const ss_pair_class *const     *pairs;
    const ss_force_kind *const     *forces;
    const ss_body_kind *const      *bodies;
    const ss_axis_kind *const      *axes;
    const ss_measure_class *const  *measures;
    const ss_recorder_class *const *recorders;
} ss_plugin;

#define SS_PLUGIN_TEXT_(x)   #x
#define SS_PLUGIN_TEXT(x)    SS_PLUGIN_TEXT_(x)
#define SS_PLUGIN_SIZE(name) (uint32_t)sizeof(name),

/* The table of a plug-in, and its first members: SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "name", ..};
 */
#ifdef __cplusplus
#define SS_PLUGIN_EXTERN extern "C"
#else
#define SS_PLUGIN_EXTERN extern
#endif
#define SS_PLUGIN_TABLE                                                                            \
    SS_PLUGIN_EXTERN SS_API const ss_plugin ss_plugin_table;                                       \
    const ss_plugin                         ss_plugin_table
#define SS_PLUGIN_HEADER                                                                           \
    SS_PLUGIN_ABI, SS_PLUGIN_STRUCTS, {SS_PLUGIN_STRUCT_LIST(SS_PLUGIN_SIZE)},                     \
        SS_PLUGIN_TEXT(SS_VERSION_MAJOR) "." SS_PLUGIN_TEXT(SS_VERSION_MINOR)

/*
 * Loads a shared object and registers what its table lists. One that does not fit this library, or
 * names something that exists, is refused with the reason (SS_ERR_INPUT), and nothing of it stays.
 * Loading one again does nothing. It is let go when the context is destroyed.
 */
SS_API ss_status ss_context_load_plugin(ss_context *ctx, const char *path);
/* The same with a table that the program has; it has to live as long as the context. */
SS_API ss_status ss_context_add_plugin(ss_context *ctx, const ss_plugin *plugin);
/*
 * A scene may name plug-ins that it needs (`plugins: [my.so]`). They are programs: unless this is
 * allowed, a scene whose plug-ins are not loaded already is refused. Not allowed at first.
 */
SS_API void             ss_context_allow_plugins(ss_context *ctx, int allow);
SS_API int32_t          ss_context_plugin_count(const ss_context *ctx);
SS_API const ss_plugin *ss_context_plugin(const ss_context *ctx, int32_t index);

#ifdef __cplusplus
}
#endif
#endif
