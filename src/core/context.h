/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_CORE_CONTEXT_H
#define SS_CORE_CONTEXT_H

#include "stickslip/base.h"

enum { SS_MESSAGE_SIZE = 1024, SS_REGISTERED_MAX = 32 };

struct ss_solver_class;

struct ss_context {
    ss_allocator allocator;
    ss_log_fn    log_fn;
    void        *log_user;
    char         message[SS_MESSAGE_SIZE];
    /* Solver classes that the program registered, after the built-in ones. */
    const struct ss_solver_class *solvers[SS_REGISTERED_MAX];
    int32_t                       solver_count;
    /* Something that is dear to make and kept for the next who needs it (expr/); or NULL. */
    void *spare;
    void (*free_spare)(void *spare);
};

/* A context with the same allocator and plug-ins, for another thread; NULL: no memory. */
ss_context *ss_context_clone(const ss_context *ctx);

#endif
