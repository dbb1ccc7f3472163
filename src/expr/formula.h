/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of x, y and z with their derivatives: "x^4 + y^4 - 1". The text is the arithmetic of
 * expressions (expr.h), read once into a list of steps; evaluating it needs neither Lua nor memory.
 *
 * Derivatives are carried along with the value (automatic differentiation, forward): with u a step
 * and w = phi(u),   grad w = phi' grad u,   Hess w = phi' Hess u + phi'' grad u grad u',
 * and for a product  Hess uv = u Hess v + v Hess u + grad u grad v' + grad v grad u'.
 * They are exact but for rounding. A. Griewank, A. Walther, Evaluating Derivatives, 2008.
 */
#ifndef SS_EXPR_FORMULA_H
#define SS_EXPR_FORMULA_H

#include "stickslip/base.h"

enum { SS_FORMULA_STEPS = 256 };

typedef enum ss_formula_op {
    SS_STEP_NUMBER,
    SS_STEP_VARIABLE,
    SS_STEP_ADD,
    SS_STEP_SUBTRACT,
    SS_STEP_MULTIPLY,
    SS_STEP_NEGATE,
    SS_STEP_INVERT,
    SS_STEP_POWER, /* to the constant exponent `number` */
    SS_STEP_ABS,
    SS_STEP_SQRT,
    SS_STEP_EXP,
    SS_STEP_LOG,
    SS_STEP_SIN,
    SS_STEP_COS,
    SS_STEP_TAN,
    SS_STEP_SINH,
    SS_STEP_COSH,
    SS_STEP_TANH
} ss_formula_op;

typedef struct ss_formula_step {
    ss_formula_op op;
    int32_t       a, b;   /* steps before; a variable: which */
    double        number; /* of a number, or an exponent     */
} ss_formula_step;

typedef struct ss_formula {
    ss_formula_step step[SS_FORMULA_STEPS];
    int32_t         count; /* the last step is the value */
} ss_formula;

/* Value, gradient and second derivatives xx, yy, zz, xy, yz, zx. */
typedef struct ss_jet {
    double v, g[3], h[6];
} ss_jet;

/* `variables`: 2 (x, y) or 3. SS_ERR_INPUT with a message that says what is wrong, and where. */
ss_status ss_formula_read(ss_context *ctx, const char *text, int variables, ss_formula *out);

/* order 0: the value alone; 1: with its gradient; 2: with second derivatives. */
ss_jet ss_formula_at(const ss_formula *f, const double x[3], int order);

/* Is this a name that formulas know by themselves: a function, pi, or one of the variables? */
int ss_formula_knows(const char *word, size_t length);

#endif
