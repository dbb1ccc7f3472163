/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that expressions may call. */
#ifndef SS_CORE_EXPR_MATH_H
#define SS_CORE_EXPR_MATH_H

#include <lauxlib.h>
#include <lua.h>

/* Ends with a NULL name. */
extern const luaL_Reg ss_expr_mathematics[];

/* x^y, which expressions are given in place of Lua's own (expr_power.h). */
int ss_expr_power(lua_State *L);

#endif
