/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text at all as a controller that keeps a state, called step after step while the time, what
 * it reads and what it keeps change. Every call gives finite numbers or is refused in words, and
 * the same as in an environment in which nothing ran before: that is what a run that goes on from a
 * snapshot has.
 */
#include <math.h>
#include <string.h>

#include "expr/expr.h"
#include "fuzz.h"

enum { CALLS = 6, KEPT = 3, VALUES = 3, MESSAGE = 512 };

static const char *const kept_names[KEPT] = {"sum", "last", "on"};

typedef struct call {
    ss_status status;
    double    values[VALUES], kept[KEPT];
    char      message[MESSAGE];
} call;

/* Numbers of all sizes, by the step. */
static ss_expr_found read_state(void *user, const char *name, const char *field, double *out)
{
    static const double sizes[CALLS] = {0, 0.5, -3, 1e-300, 1e300, -0.0};
    const int          *step         = user;
    *out                             = sizes[*step] * (field[0] == 'v' ? -2 : 1);
    if (strcmp(name, "ball") != 0 && strcmp(name, "arm") != 0) {
        return SS_EXPR_NO_NAME;
    }
    return strlen(field) <= 2 ? SS_EXPR_FOUND : SS_EXPR_NO_FIELD;
}

static bool finite_numbers(const double *x, int count)
{
    bool all = true;
    for (int i = 0; i < count; i++) {
        all = all && isfinite(x[i]);
    }
    return all;
}

static void call_at(ss_context *ctx, ss_expr_env *env, int32_t handle, int step, const double *kept,
                    call *out)
{
    static const double times[CALLS] = {0, 0.001, 0.002, 1, 1e9, 0.001};
    *out                             = (call){.status = SS_OK};
    memcpy(out->kept, kept, sizeof out->kept);
    ss_expr_memory memory = {kept_names, out->kept, KEPT};
    out->status =
        ss_expr_call(env, handle, times[step], read_state, &step, &memory, out->values, VALUES);
    if (!finite_numbers(out->kept, KEPT)) {
        abort();
    }
    if (out->status == SS_OK) {
        if (!finite_numbers(out->values, VALUES)) {
            abort();
        }
        return;
    }
    memset(out->values, 0, sizeof out->values);
    strncpy(out->message, ss_context_message(ctx), MESSAGE - 1);
    if (out->message[0] == '\0') {
        abort(); /* an error nobody explains */
    }
}

static bool make(const char *text, ss_context **ctx, ss_expr_env **env, int32_t *handle)
{
    *ctx = ss_context_create(NULL);
    return ss_expr_env_create(*ctx, env) == SS_OK && ss_expr_set_param(*env, "gain", 20) == SS_OK &&
           ss_expr_compile(*env, text, handle) == SS_OK &&
           ss_expr_check_function(*env, *handle) == SS_OK;
}

/* The call of one step in an environment of its own. */
static void hold_against(const char *text, int step, const double *kept, const call *expected)
{
    ss_context  *ctx;
    ss_expr_env *env = NULL;
    int32_t      handle;
    call         alone;
    if (!make(text, &ctx, &env, &handle)) {
        abort(); /* it was a function before */
    }
    call_at(ctx, env, handle, step, kept, &alone);
    if (alone.status != expected->status || strcmp(alone.message, expected->message) != 0 ||
        memcmp(alone.values, expected->values, sizeof alone.values) != 0 ||
        memcmp(alone.kept, expected->kept, sizeof alone.kept) != 0) {
        abort();
    }
    ss_expr_env_destroy(env);
    ss_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context  *ctx;
    ss_expr_env *env  = NULL;
    char        *text = malloc(size + 1);
    int32_t      handle;
    double       kept[KEPT] = {0, 1, -1};
    memcpy(text, data, size);
    text[size] = '\0';
    bool ok    = make(text, &ctx, &env, &handle);
    for (int step = 0; ok && step < CALLS; step++) {
        call now;
        call_at(ctx, env, handle, step, kept, &now);
        hold_against(text, step, kept, &now);
        memcpy(kept, now.kept, sizeof kept);
    }
    free(text);
    ss_expr_env_destroy(env);
    ss_context_destroy(ctx);
    return 0;
}
