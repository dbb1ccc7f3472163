/* SPDX-License-Identifier: Apache-2.0 */
/* stickslip: status codes, the context every object hangs on, and scratch memory. */
#ifndef STICKSLIP_BASE_H
#define STICKSLIP_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SS_API               __attribute__((visibility("default")))
#define SS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SS_API
#define SS_PRINTF(fmt, args)
#endif

#define SS_VERSION_MAJOR 0
#define SS_VERSION_MINOR 1
#define SS_VERSION_PATCH 0

/*
 * How long pointers live, where a function does not say otherwise:
 *
 *   objects (ss_x_create, ss_x_load .. into `out`)   until ss_x_destroy; their context has to live
 *                                                    longer, a model longer than its data
 *   texts and structs that an object gives            as long as the object, unchanged
 *     (ss_model_body_name, ss_scene_simulation ..)
 *   tables and texts of constants                     forever
 *     (ss_shape_at, ss_status_text ..)
 *   what is handed in (names, arrays, definitions)    is copied: it may go when the call returns
 *   classes of plug-ins, `user` pointers              belong to the caller and have to live as long
 *                                                    as the context or object that gets them
 */

/* "0.1.0": the version of the library that is linked, not of the header. */
SS_API const char *ss_version(void);
/* "LUA=yes HDF5=no ...": the optional libraries that this build was made with. */
SS_API const char *ss_build_options(void);

/*
 * Whether a call could do its work. What the mathematics said (solved, ray, infeasible ...) is
 * data and lives in ss_outcome (solver.h), never here.
 */
#define SS_STATUS_LIST(X)                                                                          \
    X(SS_OK, "done")                                                                               \
    X(SS_ERR_ARGUMENT, "a call was made with arguments that make no sense")                        \
    X(SS_ERR_INPUT, "the input (scene, problem, study) is wrong")                                  \
    X(SS_ERR_UNSUPPORTED, "this build or this combination of choices cannot do that")              \
    X(SS_ERR_IO, "a file could not be written")                                                    \
    X(SS_ERR_MEMORY, "out of memory")                                                              \
    X(SS_ERR_SCRATCH, "scratch memory is too small for this step")                                 \
    X(SS_ERR_CERTIFICATE, "a step's certificate failed its tolerance")                             \
    X(SS_ERR_NUMERICAL, "a value that must be finite is not")                                      \
    X(SS_ERR_INTERRUPTED, "interrupted")                                                           \
    X(SS_ERR_INTERNAL, "a mistake inside stickslip: please report it")

typedef enum ss_status {
#define SS_STATUS_ENUM(code, text) code,
    SS_STATUS_LIST(SS_STATUS_ENUM)
#undef SS_STATUS_ENUM
} ss_status;

/* The sentence that belongs to a status; never NULL. */
SS_API const char *ss_status_text(ss_status status);

/* Return early, and really return, when a call fails. */
#define SS_TRY(call)                                                                               \
    do {                                                                                           \
        ss_status ss_try_status_ = (call);                                                         \
        if (ss_try_status_ != SS_OK) {                                                             \
            return ss_try_status_;                                                                 \
        }                                                                                          \
    } while (0)

/*
 * Where memory comes from. resize(user, NULL, 0, n) allocates, resize(user, p, n, 0) frees and
 * returns NULL; NULL for n > 0 means that there is no memory left.
 */
typedef struct ss_allocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
} ss_allocator;

typedef enum ss_log_level { SS_LOG_DEBUG, SS_LOG_INFO, SS_LOG_NOTICE, SS_LOG_WARNING } ss_log_level;

/* Receives every message of the library: it never prints by itself. */
typedef void (*ss_log_fn)(void *user, ss_log_level level, const char *message);

/*
 * The context owns the allocator, the message of the last failure, the log callback and the
 * plug-ins a program registered. One context belongs to one thread at a time; models made from it
 * may be shared (they are constant), and each thread then uses a context of its own for its data.
 */
typedef struct ss_context ss_context;

/* allocator == NULL: malloc and free. Returns NULL when memory is exhausted. */
SS_API ss_context *ss_context_create(const ss_allocator *allocator);
SS_API void        ss_context_destroy(ss_context *ctx);
SS_API void        ss_context_set_log(ss_context *ctx, ss_log_fn fn, void *user);

/* What went wrong last: what, where, what was expected. Empty after a context is made. The text
   lives until the next failure in this context. */
SS_API const char *ss_context_message(const ss_context *ctx);

/* Records a message (replacing the last) and returns `status`: `return ss_fail(ctx, ...);`. */
SS_API ss_status ss_fail(ss_context *ctx, ss_status status, const char *format, ...)
    SS_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* static analysis cannot know that a failure is never SS_OK */
#define ss_fail(ctx, status, ...) ((void)ss_fail(ctx, status, __VA_ARGS__), (status))
#endif

/* Sends a message to the log callback, if there is one. */
SS_API void ss_log(ss_context *ctx, ss_log_level level, const char *format, ...) SS_PRINTF(3, 4);

/* The name nearest to a misspelt word (one of `names`), or NULL when none is near enough to be
   worth suggesting. */
SS_API const char *ss_nearest_name(const char *word, const char *const *names, int32_t count);

/* Memory through the context's allocator, until ss_free. count * size is checked for overflow;
   zeroed. ss_resize: the old block is gone unless it gives NULL. */
SS_API void *ss_alloc(ss_context *ctx, size_t count, size_t size);
SS_API void *ss_resize(ss_context *ctx, void *block, size_t old_size, size_t new_size);
SS_API void  ss_free(ss_context *ctx, void *block, size_t size);

#ifdef __cplusplus
}
#endif
#endif
