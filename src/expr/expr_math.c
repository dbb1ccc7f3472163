/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/expr_math.h"
#include "core/constants.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "expr/expr_calls.h"

#define UNARY(name, value)                                                                         \
    static int call_##name(lua_State *L)                                                           \
    {                                                                                              \
        double x = luaL_checknumber(L, 1);                                                         \
        lua_pushnumber(L, (value));                                                                \
        return 1;                                                                                  \
    }
UNARY(acos, ss_acos(x))
UNARY(asin, ss_asin(x))
UNARY(cos, ss_cos(x))
UNARY(cosh, ss_cosh(x))
UNARY(deg, x *(180 / SS_PI))
UNARY(exp, ss_exp(x))
UNARY(rad, x *(SS_PI / 180))
UNARY(sin, ss_sin(x))
UNARY(sinh, ss_sinh(x))
UNARY(sqrt, sqrt(x))
UNARY(tan, ss_tan(x))
UNARY(tanh, ss_tanh(x))
#undef UNARY

/* .. which jump or bend: on which side of that x is */
#define SIDED(name, value, side)                                                                   \
    static int call_##name(lua_State *L)                                                           \
    {                                                                                              \
        double x = luaL_checknumber(L, 1);                                                         \
        ss_expr_note_side(L, (side));                                                              \
        lua_pushnumber(L, (value));                                                                \
        return 1;                                                                                  \
    }
SIDED(abs, fabs(x), x < 0)
SIDED(ceil, ceil(x), ceil(x))
SIDED(floor, floor(x), floor(x))
SIDED(sign, (double)((x > 0) - (x < 0)), (x > 0) - (x < 0))
#undef SIDED

#define BINARY(name, value)                                                                        \
    static int call_##name(lua_State *L)                                                           \
    {                                                                                              \
        double x = luaL_checknumber(L, 1), y = luaL_checknumber(L, 2);                             \
        lua_pushnumber(L, (value));                                                                \
        return 1;                                                                                  \
    }
BINARY(hypot, ss_hypot(x, y))
BINARY(power, ss_pow(x, y))
#undef BINARY

static int call_fmod(lua_State *L)
{
    double x = luaL_checknumber(L, 1), y = luaL_checknumber(L, 2);
    ss_expr_note_side(L, trunc(x / y));
    lua_pushnumber(L, fmod(x, y));
    return 1;
}

static int call_atan(lua_State *L)
{
    double y = luaL_checknumber(L, 1), x = luaL_optnumber(L, 2, 1);
    ss_expr_note_side(L, x < 0 && y < 0); /* it jumps at y = 0 there */
    lua_pushnumber(L, ss_atan2(y, x));
    return 1;
}

/* ---- what operators turn into ---------------------------------------------------------------- */

static int call_modulo(lua_State *L)
{
    int whole;
    ss_expr_note_side(L, floor(lua_tonumberx(L, 1, &whole) / lua_tonumberx(L, 2, &whole)));
    lua_settop(L, 2);
    lua_arith(L, LUA_OPMOD);
    return 1;
}

static int call_whole_quotient(lua_State *L)
{
    lua_settop(L, 2);
    lua_arith(L, LUA_OPIDIV);
    ss_expr_note_side(L, lua_tonumber(L, -1));
    return 1;
}

static int compare(lua_State *L, int a, int b, int how, bool wanted)
{
    bool holds = (lua_compare(L, a, b, how) != 0) == wanted;
    ss_expr_note_side(L, holds);
    lua_pushboolean(L, holds);
    return 1;
}

#define COMPARE(name, a, b, how, wanted)                                                           \
    static int call_##name(lua_State *L)                                                           \
    {                                                                                              \
        return compare(L, a, b, how, wanted);                                                      \
    }
COMPARE(less, 1, 2, LUA_OPLT, true)
COMPARE(less_or_equal, 1, 2, LUA_OPLE, true)
COMPARE(more, 2, 1, LUA_OPLT, true)
COMPARE(more_or_equal, 2, 1, LUA_OPLE, true)
COMPARE(equal, 1, 2, LUA_OPEQ, true)
COMPARE(unequal, 1, 2, LUA_OPEQ, false)
#undef COMPARE

const lua_CFunction ss_expr_operator_calls[SS_EXPR_OPERATORS] = {
    call_power, call_modulo,        call_whole_quotient, call_less,    call_less_or_equal,
    call_more,  call_more_or_equal, call_equal,          call_unequal,
};

/* ---- more functions ---------------------------------------------------------------------------
 */

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
    ss_expr_note_side(L, (x > low) + (x > high));
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
    int    passed = 0; /* times before t, the next one included */
    for (int i = 4; i < last && t > t0; i += 2) {
        double t1 = luaL_checknumber(L, i), x1 = luaL_checknumber(L, i + 1);
        if (!(t1 > t0)) {
            return luaL_error(L, "interpolate: its times must grow");
        }
        x  = t < t1 ? x0 + (x1 - x0) * ((t - t0) / (t1 - t0)) : x1;
        t0 = t1;
        x0 = x1;
        passed++;
    }
    ss_expr_note_side(L, passed + (t > t0));
    lua_pushnumber(L, x);
    return 1;
}

static int extreme(lua_State *L, double sign)
{
    double best  = luaL_checknumber(L, 1);
    int    which = 1;
    for (int i = 2; i <= lua_gettop(L); i++) {
        double x = luaL_checknumber(L, i);
        which    = sign * x > sign * best ? i : which;
        best     = which == i ? x : best;
    }
    ss_expr_note_side(L, which);
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

bool ss_expr_may_bend(const char *name, size_t length)
{
    static const char *const bends[] = {"abs",  "atan",        "ceil", "clamp", "floor",
                                        "fmod", "interpolate", "max",  "min",   "sign"};
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
        if (strlen(bends[i]) == length && strncmp(bends[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}
