/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_CORE_CONTEXT_H
#define SS_CORE_CONTEXT_H

#include <stdbool.h>

#include "stickslip/base.h"

enum { SS_MESSAGE_SIZE = 1024, SS_REGISTERED_MAX = 32, SS_PLUGIN_FILE = 64 };

struct ss_solver_class;
struct ss_shape_class;
struct ss_pair_class;
struct ss_force_kind;
struct ss_body_kind;
struct ss_axis_kind;
struct ss_measure_class;
struct ss_recorder_class;
struct ss_plugin;

/* What the program and its plug-ins registered, after what is built in (stickslip/plugin.h). */
typedef struct ss_registry {
    const struct ss_solver_class   *solvers[SS_REGISTERED_MAX];
    const struct ss_shape_class    *shapes[SS_REGISTERED_MAX];
    const struct ss_pair_class     *pairs[SS_REGISTERED_MAX];
    const struct ss_force_kind     *forces[SS_REGISTERED_MAX];
    const struct ss_body_kind      *bodies[SS_REGISTERED_MAX];
    const struct ss_axis_kind      *axes[SS_REGISTERED_MAX];
    const struct ss_measure_class  *measures[SS_REGISTERED_MAX];
    const struct ss_recorder_class *recorders[SS_REGISTERED_MAX];
    const struct ss_plugin         *plugins[SS_REGISTERED_MAX];
    char    plugin_files[SS_REGISTERED_MAX][SS_PLUGIN_FILE]; /* without folders; empty: no file */
    int32_t solver_count, shape_count, pair_count, force_count, body_count, axis_count,
        measure_count, recorder_count, plugin_count;
} ss_registry;

struct ss_context {
    ss_allocator allocator;
    ss_log_fn    log_fn;
    void        *log_user;
    char         message[SS_MESSAGE_SIZE];
    ss_registry  registry;
    int          scenes_load_plugins;
    /* Shared objects that this context opened, and who lets go of one. */
    void   *libraries[SS_REGISTERED_MAX];
    int32_t library_count;
    void (*close_library)(void *library);
    /* Something that is dear to make and kept for the next who needs it (expr/); or NULL. */
    void *spare;
    void (*free_spare)(void *spare);
    /* The files that were read (core/input.h); NULL: they are not kept. Clones share them. */
    struct ss_inputs *inputs;
    bool              owns_inputs;
};

/*
 * What comes from files may hold control characters, which could move a terminal's cursor or pose
 * as another message: they are written as \\x1b. `text` is `size` bytes of room.
 */
void ss_escape_controls(char *text, size_t size);

/* The end of a context: lets go of what is its own. */
void ss_inputs_free(ss_context *ctx);

/* Room for one more in a list of the registry; the message names what there are too many of. */
ss_status ss_registry_room(ss_context *ctx, int32_t count, const char *what);

/* A context with the same allocator and plug-ins, for another thread; NULL: no memory. */
ss_context *ss_context_clone(const ss_context *ctx);

#endif
