/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading an expression before Lua sees it. Four things are done here:
 *
 *  - whole numbers get a ".0", because Lua's 64-bit integers wrap around silently
 *    (1e10 * 1e10 written with digits would be negative) and mathematics does not;
 *  - text, comments and bytes outside ASCII are refused: an expression is a number;
 *  - math.sin and sin are the same thing;
 *  - the names in it are listed, so that they can be bound once instead of looked up every time,
 *    and so that "straight" expressions, in which nothing can repeat, run without the
 *    instruction counter.
 */
#include "expr/expr_text.h"

#include <ctype.h>
#include <string.h>

#include "expr/expr.h"
#include "expr/expr_calls.h"

typedef struct reader {
    ss_context   *ctx;
    const char   *text, *at;
    ss_expr_text *out;
    size_t        length; /* of out->lua */
} reader;

static const char *const reserved[] = {"and",   "break", "do",       "else",  "elseif", "end",
                                       "false", "for",   "function", "goto",  "if",     "in",
                                       "local", "nil",   "not",      "or",    "repeat", "return",
                                       "then",  "true",  "until",    "while", "_ENV"};

/* The words of Lua that belong into plain arithmetic. */
static const char *const plain[] = {"and", "or", "not", "true", "false", "nil"};

static bool same(const char *word, const char *start, size_t length)
{
    return strlen(word) == length && strncmp(word, start, length) == 0;
}

static bool is_one_of(const char *const *list, size_t count, const char *start, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (same(list[i], start, length)) {
            return true;
        }
    }
    return false;
}

bool ss_expr_is_reserved(const char *word, size_t length)
{
    return is_one_of(reserved, sizeof reserved / sizeof reserved[0], word, length);
}

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (is_word(at[n])) {
        n++;
    }
    return n;
}

/* The length of Lua's number at `at`; *whole: digits only. */
static size_t number_length(const char *at, bool *whole)
{
    size_t n   = 0;
    bool   hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    *whole     = !hex;
    for (;; n++) {
        char c    = at[n];
        bool sign = n > 0 && (c == '+' || c == '-') &&
                    (hex ? strchr("pP", at[n - 1]) != NULL : strchr("eE", at[n - 1]) != NULL);
        if (!is_word(c) && c != '.' && !sign) {
            return n;
        }
        if (!isdigit((unsigned char)c)) {
            *whole = false;
        }
    }
}

static void put(reader *r, const char *text, size_t length)
{
    memcpy(r->out->lua + r->length, text, length);
    r->length += length;
    r->out->lua[r->length] = '\0';
}

static ss_status add_word(reader *r, const char *start, size_t length)
{
    ss_expr_text *out = r->out;
    for (int32_t i = 0; i < out->word_count; i++) {
        if ((size_t)out->words[i].length == length &&
            strncmp(out->words[i].start, start, length) == 0) {
            return SS_OK;
        }
    }
    if (length > SS_EXPR_NAME_MAX) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "a name in it is longer than %d characters",
                       SS_EXPR_NAME_MAX);
    }
    if (out->word_count == SS_EXPR_WORDS_MAX) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "it has more than %d names", SS_EXPR_WORDS_MAX);
    }
    out->words[out->word_count].start    = start;
    out->words[out->word_count++].length = (int32_t)length;
    return SS_OK;
}

static ss_status read_word(reader *r)
{
    size_t n = word_length(r->at);
    /* math.sin -> sin */
    if (same("math", r->at, n) && r->at[n] == '.' && is_word_start(r->at[n + 1])) {
        r->at += n + 1;
        n = word_length(r->at);
    }
    if (same("_ENV", r->at, n)) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "it must not use _ENV");
    }
    if (!ss_expr_is_reserved(r->at, n)) {
        SS_TRY(add_word(r, r->at, n));
    } else if (!is_one_of(plain, sizeof plain / sizeof plain[0], r->at, n)) {
        r->out->straight = false;
    }
    put(r, r->at, n);
    r->at += n;
    return SS_OK;
}

static void read_number(reader *r)
{
    bool   whole;
    size_t n = number_length(r->at, &whole);
    put(r, r->at, n);
    if (whole) {
        put(r, ".0", 2);
    }
    r->at += n;
}

static ss_status read_sign(reader *r)
{
    const char *at = r->at;
    if (at[0] == '-' && at[1] == '-') {
        return ss_fail(r->ctx, SS_ERR_INPUT,
                       "'--' starts a comment in Lua; for minus minus write - (-x)");
    }
    if (at[0] == '"' || at[0] == '\'' || (at[0] == '[' && (at[1] == '[' || at[1] == '='))) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "it must not contain text in quotes");
    }
    if (strchr(" \t\r\n+-*/%^()<>=~,;{}[].:#&|", at[0]) == NULL) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "unexpected character '%c'",
                       isprint((unsigned char)at[0]) ? at[0] : '?');
    }
    /* A lone '=' assigns; braces, brackets, dots and colons reach into tables. */
    bool comparison = at[0] == '=' && (at[1] == '=' || (at > r->text && strchr("=<>~", at[-1])));
    if (strchr("=;{}[].:#", at[0]) != NULL && !comparison) {
        r->out->straight = false;
    }
    put(r, at, 1);
    r->at++;
    return SS_OK;
}

/* Functions of the state are called once a step, whatever they compare. */
static bool is_function(const char *text)
{
    text += strspn(text, " \t\r\n");
    return same("function", text, word_length(text));
}

ss_status ss_expr_read(ss_context *ctx, const char *text, ss_expr_text *out)
{
    reader r        = {ctx, text, text, out, 0};
    out->lua[0]     = '\0';
    out->word_count = 0;
    out->straight   = true;
    if (strlen(text) > SS_EXPR_TEXT_MAX) {
        return ss_fail(ctx, SS_ERR_INPUT, "it is longer than %d characters", SS_EXPR_TEXT_MAX);
    }
    while (*r.at != '\0') {
        bool number =
            isdigit((unsigned char)*r.at) || (*r.at == '.' && isdigit((unsigned char)r.at[1]));
        if (number) {
            read_number(&r);
        } else if (is_word_start(*r.at)) {
            SS_TRY(read_word(&r));
        } else {
            SS_TRY(read_sign(&r));
        }
    }
    bool timed = ss_expr_uses_time(text) && !is_function(text);
    if (!ss_expr_calls(out->lua, sizeof out->lua, timed, &out->compares)) {
        return ss_fail(ctx, SS_ERR_INPUT, "it has too many operators for its length");
    }
    return SS_OK;
}

bool ss_expr_uses_time(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        bool whole;
        if (isdigit((unsigned char)*at)) {
            at += number_length(at, &whole);
        } else if (is_word_start(*at)) {
            size_t n = word_length(at);
            if (n == 1 && *at == 't') {
                return true;
            }
            at += n;
        } else {
            at++;
        }
    }
    return false;
}

ss_status ss_expr_check_name(ss_context *ctx, const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > SS_EXPR_NAME_MAX || !is_word_start(name[0]) || word_length(name) != n) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "a name must be a word of at most %d letters, digits and '_', got '%.70s'",
                       SS_EXPR_NAME_MAX, name);
    }
    if (ss_expr_is_reserved(name, n)) {
        return ss_fail(ctx, SS_ERR_INPUT, "'%s' is a word of Lua and cannot be a name", name);
    }
    if (same("t", name, n)) {
        return ss_fail(ctx, SS_ERR_INPUT, "'t' is the time and cannot be a name");
    }
    for (const ss_expr_doc *f = ss_expr_functions; f->name != NULL; f++) {
        if (strcmp(f->name, name) == 0) {
            return ss_fail(ctx, SS_ERR_INPUT, "'%s' is %s and cannot be a name", name, f->doc);
        }
    }
    if (strcmp(name, "math") == 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "'math' holds Lua's functions and cannot be a name");
    }
    return SS_OK;
}

const ss_expr_doc ss_expr_functions[] = {
    {"abs", "the absolute value"},
    {"acos", "the arc cosine"},
    {"asin", "the arc sine"},
    {"atan", "the arc tangent of y, or of y/x in the right quadrant: atan(y, x)"},
    {"ceil", "the next whole number upwards"},
    {"clamp", "x kept between two bounds: clamp(x, low, high)"},
    {"cos", "the cosine"},
    {"cosh", "the hyperbolic cosine"},
    {"deg", "radians in degrees"},
    {"exp", "the exponential"},
    {"floor", "the next whole number downwards"},
    {"fmod", "the remainder of x/y with the sign of x: fmod(x, y)"},
    {"hypot", "the length of (x, y): hypot(x, y)"},
    {"interpolate", "straight lines through points, constant before and after: "
                    "interpolate(t, t0, x0, t1, x1, ..)"},
    {"log", "the natural logarithm, or the one to a base: log(x, base)"},
    {"max", "the largest of its arguments"},
    {"min", "the smallest of its arguments"},
    {"pi", "the number 3.14159..."},
    {"rad", "degrees in radians"},
    {"sign", "-1, 0 or 1"},
    {"sin", "the sine"},
    {"sinh", "the hyperbolic sine"},
    {"sqrt", "the square root"},
    {"tan", "the tangent"},
    {"tanh", "the hyperbolic tangent"},
    {NULL, NULL},
};
