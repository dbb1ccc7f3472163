/* SPDX-License-Identifier: Apache-2.0 */
/* Powers written with ^ become calls of our own function. */
#ifndef SS_EXPR_POWER_H
#define SS_EXPR_POWER_H

#include <stdbool.h>
#include <stddef.h>

/* The name that a ^ b turns into: SS_EXPR_POWER(a, b). */
#define SS_EXPR_POWER "_pow"

/*
 * `lua` with every a ^ b replaced by _pow(a, b), in place; `size` is that of the buffer. Lua would
 * call the C library's pow, whose last bits depend on the processor. A text that is no Lua stays
 * as it is (Lua will say why). False when it does not fit.
 */
bool ss_expr_powers(char *lua, size_t size);

#endif
