/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text at all as an expression and as a controller: a finite number, or refused in words; and
 * the same number when it is asked again, because nothing survives a call.
 */
#include <math.h>
#include <string.h>

#include "expr/expr.h"
#include "fuzz.h"

static ss_expr_found read_state(void *user, const char *name, const char *field, double *out)
{
    (void)user;
    *out = 0.5;
    if (strcmp(name, "ball") != 0) {
        return SS_EXPR_NO_NAME;
    }
    return strcmp(field, "x") == 0 ? SS_EXPR_FOUND : SS_EXPR_NO_FIELD;
}

static void call_twice(ss_expr_env *env, int32_t handle)
{
    static const char *const names[] = {"i", "last"};
    double                   a[3] = {0}, b[3] = {0}, k[2] = {1, 2}, l[2] = {1, 2};
    ss_expr_memory           one = {names, k, 2}, other = {names, l, 2};
    ss_status                first = ss_expr_call(env, handle, 0.25, read_state, NULL, &one, a, 3);
    ss_status second = ss_expr_call(env, handle, 0.25, read_state, NULL, &other, b, 3);
    if (first != second || (first == SS_OK && memcmp(a, b, sizeof a) != 0) ||
        memcmp(k, l, sizeof k) != 0 || !isfinite(k[0]) || !isfinite(k[1])) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context  *ctx  = ss_context_create(NULL);
    ss_expr_env *env  = NULL;
    char        *text = malloc(size + 1);
    double       x;
    int32_t      handle;
    memcpy(text, data, size);
    text[size] = '\0';
    if (ss_expr_env_create(ctx, &env) == SS_OK) {
        ss_expr_set_param(env, "mu", 0.3);
        if (ss_expr_value(env, text, &x) == SS_OK && !isfinite(x)) {
            abort();
        }
        if (ss_expr_compile(env, text, &handle) == SS_OK) {
            if (ss_expr_eval(env, handle, 0.5, &x) == SS_OK && !isfinite(x)) {
                abort();
            }
            call_twice(env, handle);
        }
    }
    free(text);
    ss_expr_env_destroy(env);
    ss_context_destroy(ctx);
    return 0;
}
