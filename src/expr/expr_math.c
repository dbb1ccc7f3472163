/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/expr_math.h"
#include "core/constants.h"

#include <math.h>

#include "core/elementary.h"

#define UNARY(name, value)                                                                         \
    static int call_##name(lua_State *L)                                                           \
    {                                                                                              \
        double x = luaL_checknumber(L, 1);                                                         \
        lua_pushnumber(L, (value));                                                                \
        return 1;                                                                                  \
    }
UNARY(abs, fabs(x))
UNARY(acos, ss_acos(x))
UNARY(asin, ss_asin(x))
UNARY(ceil, ceil(x))
UNARY(cos, ss_cos(x))
UNARY(cosh, ss_cosh(x))
UNARY(deg, x *(180 / SS_PI))
UNARY(exp, ss_exp(x))
UNARY(floor, floor(x))
UNARY(rad, x *(SS_PI / 180))
UNARY(sign, (double)((x > 0) - (x < 0)))
UNARY(sin, ss_sin(x))
UNARY(sinh, ss_sinh(x))
UNARY(sqrt, sqrt(x))
UNARY(tan, ss_tan(x))
UNARY(tanh, ss_tanh(x))
#undef UNARY

#define BINARY(name, value)                                                                        \
    static int call_##name(lua_State *L)                                                           \
    {                                                                                              \
        double x = luaL_checknumber(L, 1), y = luaL_checknumber(L, 2);                             \
        lua_pushnumber(L, (value));                                                                \
        return 1;                                                                                  \
    }
BINARY(fmod, fmod(x, y))
BINARY(hypot, ss_hypot(x, y))
BINARY(power, ss_pow(x, y))
#undef BINARY

int ss_expr_power(lua_State *L)
{
    return call_power(L);
}

static int call_atan(lua_State *L)
{
    double y = luaL_checknumber(L, 1), x = luaL_optnumber(L, 2, 1);
    lua_pushnumber(L, ss_atan2(y, x));
    return 1;
}

static int call_log(lua_State *L)
{
    double x = luaL_checknumber(L, 1);
    if (lua_isnoneornil(L, 2)) {
        lua_pushnumber(L, ss_ln(x));
    } else {
        lua_pushnumber(L, ss_ln(x) / ss_ln(luaL_checknumber(L, 2)));
    }
    return 1;
}

static int call_clamp(lua_State *L)
{
    double x = luaL_checknumber(L, 1), low = luaL_checknumber(L, 2), high = luaL_checknumber(L, 3);
    lua_pushnumber(L, fmin(fmax(x, low), high));
    return 1;
}

/* interpolate(t, t0, x0, t1, x1, ..): straight between the points, constant before and after. */
static int call_interpolate(lua_State *L)
{
    int    last = lua_gettop(L);
    double t    = luaL_checknumber(L, 1);
    if (last < 3 || last % 2 == 0) {
        return luaL_error(L, "interpolate(t, t0, x0, t1, x1, ..) takes t and pairs");
    }
    double t0 = luaL_checknumber(L, 2), x0 = luaL_checknumber(L, 3), x = x0;
    for (int i = 4; i < last && t > t0; i += 2) {
        double t1 = luaL_checknumber(L, i), x1 = luaL_checknumber(L, i + 1);
        if (!(t1 > t0)) {
            return luaL_error(L, "interpolate: its times must grow");
        }
        x  = t < t1 ? x0 + (x1 - x0) * ((t - t0) / (t1 - t0)) : x1;
        t0 = t1;
        x0 = x1;
    }
    lua_pushnumber(L, x);
    return 1;
}

static int extreme(lua_State *L, double sign)
{
    double best = luaL_checknumber(L, 1);
    for (int i = 2; i <= lua_gettop(L); i++) {
        double x = luaL_checknumber(L, i);
        best     = sign * x > sign * best ? x : best;
    }
    lua_pushnumber(L, best);
    return 1;
}

static int call_max(lua_State *L)
{
    return extreme(L, 1);
}

static int call_min(lua_State *L)
{
    return extreme(L, -1);
}

const luaL_Reg ss_expr_mathematics[] = {
    {"abs", call_abs},     {"acos", call_acos},
    {"asin", call_asin},   {"atan", call_atan},
    {"ceil", call_ceil},   {"clamp", call_clamp},
    {"cos", call_cos},     {"cosh", call_cosh},
    {"deg", call_deg},     {"exp", call_exp},
    {"floor", call_floor}, {"fmod", call_fmod},
    {"hypot", call_hypot}, {"interpolate", call_interpolate},
    {"log", call_log},     {"max", call_max},
    {"min", call_min},     {"rad", call_rad},
    {"sign", call_sign},   {"sin", call_sin},
    {"sinh", call_sinh},   {"sqrt", call_sqrt},
    {"tan", call_tan},     {"tanh", call_tanh},
    {NULL, NULL},
};
