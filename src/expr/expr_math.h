/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that expressions may call. */
#ifndef SS_CORE_EXPR_MATH_H
#define SS_CORE_EXPR_MATH_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

/* Ends with a NULL name. */
extern const luaL_Reg ss_expr_mathematics[];

/* What operators turn into (expr_calls.h), in the order of ss_expr_operators. */
extern const lua_CFunction ss_expr_operator_calls[];

/* May a function of this name jump or bend within its arguments? */
bool ss_expr_may_bend(const char *name, size_t length);

/* On which side of where it jumps or bends a function was called (expr.c; ss_expr_side). */
void ss_expr_note_side(lua_State *L, double side);

#endif
