/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of Lua that become calls of our own functions. */
#ifndef SS_EXPR_CALLS_H
#define SS_EXPR_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The names that operators turn into, in the order of ss_expr_operators: a ^ b is _pow(a, b). Lua
 * would call the C library's pow, whose last bits depend on the processor. Comparisons and whole
 * quotients are where an expression of time may jump or bend, which those who ask for its side
 * (ss_expr_side) want to know.
 */
typedef enum ss_expr_operator {
    SS_EXPR_POWER,
    SS_EXPR_MODULO,
    SS_EXPR_WHOLE_QUOTIENT,
    SS_EXPR_LESS,
    SS_EXPR_LESS_OR_EQUAL,
    SS_EXPR_MORE,
    SS_EXPR_MORE_OR_EQUAL,
    SS_EXPR_EQUAL,
    SS_EXPR_UNEQUAL,
    SS_EXPR_OPERATORS
} ss_expr_operator;

typedef struct ss_expr_call_name {
    const char *sign, *name;
} ss_expr_call_name;
extern const ss_expr_call_name ss_expr_operators[SS_EXPR_OPERATORS];

/*
 * `lua` with every a ^ b replaced by _pow(a, b), and with `all` the other operators too, in place;
 * `size` is that of the buffer. A text that is no Lua stays as it is (Lua will say why). False when
 * it does not fit. *switches: there are comparisons or whole quotients in it.
 */
bool ss_expr_calls(char *lua, size_t size, bool all, bool *switches);

#endif
