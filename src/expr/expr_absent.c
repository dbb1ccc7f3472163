/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions in builds without Lua: there are none, and this says so. */
#include "expr/expr.h"

static ss_status no_lua(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "this build has no Lua, so it can read numbers but no expressions (build with "
                   "-DSS_WITH_LUA=ON)");
}

ss_status ss_expr_env_create(ss_context *ctx, ss_expr_env **out)
{
    *out = NULL;
    return no_lua(ctx);
}

/* Without an environment nothing below can be reached; the calls exist so that callers need not
   know how the library was built. */
void ss_expr_env_destroy(ss_expr_env *env)
{
    (void)env;
}

ss_status ss_expr_set_param(ss_expr_env *env, const char *name, double value)
{
    (void)env, (void)name, (void)value;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_env_take(ss_context *ctx, ss_expr_env **out)
{
    return ss_expr_env_create(ctx, out);
}

void ss_expr_env_give_back(ss_expr_env *env)
{
    (void)env;
}

ss_status ss_expr_value(ss_expr_env *env, const char *text, double *out)
{
    (void)env, (void)text, (void)out;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_compile(ss_expr_env *env, const char *text, int32_t *handle)
{
    (void)env, (void)text, (void)handle;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_eval(ss_expr_env *env, int32_t handle, double t, double *out)
{
    (void)env, (void)handle, (void)t, (void)out;
    return SS_ERR_UNSUPPORTED;
}

bool ss_expr_has_sides(const ss_expr_env *env, int32_t handle)
{
    (void)env, (void)handle;
    return false;
}

ss_status ss_expr_side(ss_expr_env *env, int32_t handle, double t, uint64_t *out)
{
    (void)env, (void)handle, (void)t, (void)out;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_next_side(ss_expr_env *env, int32_t handle, double from, double to, double *out)
{
    (void)env, (void)handle, (void)from, (void)to, (void)out;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_check_function(ss_expr_env *env, int32_t handle)
{
    (void)env, (void)handle;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_call(ss_expr_env *env, int32_t handle, double t, ss_expr_reader reader,
                       void *user, const ss_expr_memory *memory, double *values, int32_t count)
{
    (void)env, (void)handle, (void)t, (void)reader, (void)user, (void)memory;
    (void)values, (void)count;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_set_function(ss_expr_env *env, const ss_expr_function *function)
{
    (void)env, (void)function;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_expr_judge(ss_expr_env *env, int32_t handle, double *out, bool *truth)
{
    (void)env, (void)handle, (void)out, (void)truth;
    return SS_ERR_UNSUPPORTED;
}
