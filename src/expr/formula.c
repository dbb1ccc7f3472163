/* SPDX-License-Identifier: Apache-2.0 */
/* Reading formulas: Lua's arithmetic by recursive descent, constants folded on the way. */
#include "expr/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/constants.h"
#include "expr/expr_text.h"

enum { MAX_DEPTH = 64 };

typedef struct parser {
    ss_context *ctx;
    const char *text, *at;
    int         variables, depth;
    ss_formula *out;
} parser;

static const struct {
    const char   *name;
    ss_formula_op op;
} functions[] = {
    {"abs", SS_STEP_ABS},   {"sqrt", SS_STEP_SQRT}, {"exp", SS_STEP_EXP}, {"log", SS_STEP_LOG},
    {"sin", SS_STEP_SIN},   {"cos", SS_STEP_COS},   {"tan", SS_STEP_TAN}, {"sinh", SS_STEP_SINH},
    {"cosh", SS_STEP_COSH}, {"tanh", SS_STEP_TANH},
};
enum { FUNCTIONS = (int)(sizeof functions / sizeof functions[0]) };

static bool same(const char *word, const char *start, size_t length)
{
    return strlen(word) == length && strncmp(word, start, length) == 0;
}

static int function_of(const char *start, size_t length)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        if (same(functions[i].name, start, length)) {
            return i;
        }
    }
    return -1;
}

int ss_formula_knows(const char *word, size_t length)
{
    bool variable = length == 1 && word[0] >= 'x' && word[0] <= 'z';
    return variable || same("pi", word, length) || same("hypot", word, length) ||
           function_of(word, length) >= 0;
}

static ss_status fail_at(const parser *p, const char *what)
{
    return ss_fail(p->ctx, SS_ERR_INPUT, "%s at \"%.20s\"", what,
                   *p->at != '\0' ? p->at : "the end");
}

static bool is_number(const parser *p, int32_t step)
{
    return p->out->step[step].op == SS_STEP_NUMBER;
}

/* Appends a step; one of numbers alone becomes a number. */
static ss_status emit(parser *p, ss_formula_op op, int32_t a, int32_t b, double number,
                      int32_t *out)
{
    ss_formula *f = p->out;
    if (f->count == SS_FORMULA_STEPS) {
        return ss_fail(p->ctx, SS_ERR_INPUT, "it has more than %d steps", SS_FORMULA_STEPS);
    }
    f->step[f->count] = (ss_formula_step){op, a, b, number};
    *out              = f->count++;
    bool leaf         = op == SS_STEP_NUMBER || op == SS_STEP_VARIABLE;
    bool binary       = op == SS_STEP_ADD || op == SS_STEP_SUBTRACT || op == SS_STEP_MULTIPLY;
    if (!leaf && is_number(p, a) && (!binary || is_number(p, b))) {
        const double nowhere[3] = {0, 0, 0};
        double       value      = ss_formula_at(f, nowhere, 0).v;
        f->step[*out]           = (ss_formula_step){SS_STEP_NUMBER, 0, 0, value};
    }
    return SS_OK;
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') {
        p->at++;
    }
}

static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (*p->at != c) {
        return false;
    }
    p->at++;
    return true;
}

static ss_status sum(parser *p, int32_t *out);
static ss_status unary(parser *p, int32_t *out);

static ss_status argument(parser *p, int32_t *out)
{
    SS_TRY(sum(p, out));
    return SS_OK;
}

/* sqrt(a^2 + b^2) */
static ss_status hypotenuse(parser *p, int32_t *out)
{
    int32_t a, b;
    SS_TRY(argument(p, &a));
    if (!take(p, ',')) {
        return fail_at(p, "hypot takes two numbers");
    }
    SS_TRY(argument(p, &b));
    SS_TRY(emit(p, SS_STEP_POWER, a, 0, 2, &a));
    SS_TRY(emit(p, SS_STEP_POWER, b, 0, 2, &b));
    SS_TRY(emit(p, SS_STEP_ADD, a, b, 0, out));
    return emit(p, SS_STEP_SQRT, *out, 0, 0, out);
}

static ss_status call(parser *p, const char *start, size_t length, int32_t *out)
{
    int which = function_of(start, length);
    if (which < 0 && !same("hypot", start, length)) {
        return ss_fail(p->ctx, SS_ERR_INPUT,
                       "'%.*s' is no function of formulas, which must be smooth: expected abs, "
                       "sqrt, exp, log, sin, cos, tan, sinh, cosh, tanh or hypot",
                       (int)length, start);
    }
    if (which < 0) {
        SS_TRY(hypotenuse(p, out));
    } else {
        SS_TRY(argument(p, out));
        SS_TRY(emit(p, functions[which].op, *out, 0, 0, out));
    }
    return take(p, ')') ? SS_OK : fail_at(p, "expected )");
}

static ss_status word(parser *p, int32_t *out)
{
    const char *start  = p->at;
    size_t      length = 0;
    while (isalnum((unsigned char)start[length]) || start[length] == '_') {
        length++;
    }
    p->at += length;
    if (same("math", start, length) && *p->at == '.') {
        p->at++;
        return word(p, out);
    }
    if (take(p, '(')) {
        return call(p, start, length, out);
    }
    if (same("pi", start, length)) {
        return emit(p, SS_STEP_NUMBER, 0, 0, SS_PI, out);
    }
    if (length == 1 && *start >= 'x' && *start < 'x' + p->variables) {
        return emit(p, SS_STEP_VARIABLE, *start - 'x', 0, 0, out);
    }
    return ss_fail(p->ctx, SS_ERR_INPUT,
                   "'%.*s' is unknown: expected %s or a parameter of the scene", (int)length, start,
                   p->variables == 2 ? "x, y" : "x, y, z");
}

static ss_status primary(parser *p, int32_t *out)
{
    skip_blanks(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        char  *end;
        double value = strtod(p->at, &end);
        if (end == p->at || !isfinite(value)) {
            return fail_at(p, "expected a number");
        }
        p->at = end;
        return emit(p, SS_STEP_NUMBER, 0, 0, value, out);
    }
    if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        return word(p, out);
    }
    if (!take(p, '(')) {
        return fail_at(p, "expected a number, a name or (");
    }
    SS_TRY(sum(p, out));
    return take(p, ')') ? SS_OK : fail_at(p, "expected )");
}

/* a^b: b constant, or exp(b log a). It binds to the right, and more than a sign before it. */
static ss_status power(parser *p, int32_t *out)
{
    int32_t exponent;
    SS_TRY(primary(p, out));
    if (!take(p, '^')) {
        return SS_OK;
    }
    SS_TRY(unary(p, &exponent));
    if (is_number(p, exponent)) {
        return emit(p, SS_STEP_POWER, *out, 0, p->out->step[exponent].number, out);
    }
    SS_TRY(emit(p, SS_STEP_LOG, *out, 0, 0, out));
    SS_TRY(emit(p, SS_STEP_MULTIPLY, *out, exponent, 0, out));
    return emit(p, SS_STEP_EXP, *out, 0, 0, out);
}

static ss_status unary(parser *p, int32_t *out)
{
    if (++p->depth > MAX_DEPTH) {
        return ss_fail(p->ctx, SS_ERR_INPUT, "it is nested too deeply");
    }
    if (take(p, '-')) {
        SS_TRY(unary(p, out));
        SS_TRY(emit(p, SS_STEP_NEGATE, *out, 0, 0, out));
    } else {
        SS_TRY(power(p, out));
    }
    p->depth--;
    return SS_OK;
}

static ss_status product(parser *p, int32_t *out)
{
    SS_TRY(unary(p, out));
    for (;;) {
        bool times = take(p, '*');
        if (!times && !take(p, '/')) {
            return SS_OK;
        }
        int32_t b;
        SS_TRY(unary(p, &b));
        if (!times) {
            SS_TRY(emit(p, SS_STEP_INVERT, b, 0, 0, &b));
        }
        SS_TRY(emit(p, SS_STEP_MULTIPLY, *out, b, 0, out));
    }
}

static ss_status sum(parser *p, int32_t *out)
{
    SS_TRY(product(p, out));
    for (;;) {
        bool plus = take(p, '+');
        if (!plus && !take(p, '-')) {
            return SS_OK;
        }
        int32_t b;
        SS_TRY(product(p, &b));
        SS_TRY(emit(p, plus ? SS_STEP_ADD : SS_STEP_SUBTRACT, *out, b, 0, out));
    }
}

ss_status ss_formula_read(ss_context *ctx, const char *text, int variables, ss_formula *out)
{
    parser  p = {.ctx = ctx, .text = text, .at = text, .variables = variables, .out = out};
    int32_t last;
    out->count = 0;
    if (strlen(text) > SS_EXPR_TEXT_MAX) {
        return ss_fail(ctx, SS_ERR_INPUT, "it is longer than %d characters", SS_EXPR_TEXT_MAX);
    }
    SS_TRY(sum(&p, &last));
    skip_blanks(&p);
    return *p.at == '\0' ? SS_OK : fail_at(&p, "expected an operator");
}
