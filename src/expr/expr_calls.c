/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lua's grammar around operators (reference manual 3.4.8). ^ binds to the right and tighter than
 * anything, but its right operand may begin with unary operators:
 *
 *     power   = suffixed '^' operand          operand = { '-' | 'not' | '#' | '~' } suffixed [ '^'
 * operand ] suffixed = (Name | '(' .. ')' | number | ..) { '.' Name | ':' Name | '[' .. ']' | '('
 * .. ')' | string | '{' .. '}' }
 *
 * So the left operand is what a walk back over suffixes reaches, and the right one what a walk
 * forth does. % and // bind to the left, as * and / do: their left operand is all of the product
 * before them. Comparisons bind less than all but `and` and `or`: their operands reach as far as
 * the next of these, or a comma, or a bracket that is not theirs. Nothing else of a text needs to
 * be understood.
 */
#include "expr/expr_calls.h"

#include <ctype.h>
#include <string.h>

#include "expr/expr_text.h"

enum { TOKENS_MAX = 2 * SS_EXPR_TEXT_MAX + 8, FAILED = -1, NESTED_MOST = 255 };

const ss_expr_call_name ss_expr_operators[SS_EXPR_OPERATORS] = {
    {"^", "_pow"}, {"%", "_mod"}, {"//", "_div"}, {"<", "_lt"},  {"<=", "_le"},
    {">", "_gt"},  {">=", "_ge"}, {"==", "_eq"},  {"~=", "_ne"},
};

typedef struct tokens {
    const char   *text;
    int           count;
    int           start[TOKENS_MAX];
    int           length[TOKENS_MAX];
    unsigned char powers[TOKENS_MAX];   /* so many powers begin before this token              */
    short         of[TOKENS_MAX];       /* the operator of the last remainder or whole quotient that
                                           begins before it; -1: none does                     */
    short         compared[TOKENS_MAX]; /* the operator of the comparison; -1: there is none   */
    short         before[TOKENS_MAX];   /* of an operator: the one that begins where it does   */
    unsigned char closes[TOKENS_MAX];   /* so many calls end after this token                  */
} tokens;

/* ---- tokens --------------------------------------------------------------------------------- */

/* The end of a long bracket [[ .. ]] or [=[ .. ]=] at `at`; NULL: there is none. */
static const char *long_bracket(const char *at)
{
    int level = 0;
    at++;
    while (*at == '=') {
        level++;
        at++;
    }
    if (*at != '[') {
        return NULL;
    }
    while ((at = strchr(at, ']')) != NULL) {
        int equals = 0;
        at++;
        while (*at == '=') {
            equals++;
            at++;
        }
        if (*at == ']' && equals == level) {
            return at + 1;
        }
    }
    return NULL;
}

static const char *quoted(const char *at)
{
    char quote = *at++;
    while (*at != '\0' && *at != quote) {
        at += *at == '\\' && at[1] != '\0' ? 2 : 1;
    }
    return *at == quote ? at + 1 : NULL;
}

static const char *number(const char *at)
{
    bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    while (isalnum((unsigned char)*at) || *at == '.') {
        char lower = (char)tolower((unsigned char)*at++);
        bool power = hex ? lower == 'p' : lower == 'e';
        at += power && (*at == '+' || *at == '-');
    }
    return at;
}

static const char *blank(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n\f\v");
        if (at[0] != '-' || at[1] != '-') {
            return at;
        }
        const char *end = at[2] == '[' ? long_bracket(at + 2) : NULL;
        at              = end != NULL ? end : at + strcspn(at, "\n");
    }
}

/* The end of the token at `at`; NULL: it has none. */
static const char *token_end(const char *at)
{
    static const char *const wide[] = {"...", "..", "==", "~=", "<=", ">=", "<<", ">>", "//", "::"};
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)*at) || *at == '_') {
            at++;
        }
        return at;
    }
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        return number(at);
    }
    if (*at == '"' || *at == '\'') {
        return quoted(at);
    }
    if (*at == '[' && (at[1] == '[' || at[1] == '=') && long_bracket(at) != NULL) {
        return long_bracket(at);
    }
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (strncmp(at, wide[i], strlen(wide[i])) == 0) {
            return at + strlen(wide[i]);
        }
    }
    return at + 1;
}

static bool split(const char *text, tokens *t)
{
    t->text  = text;
    t->count = 0;
    for (const char *at = blank(text); *at != '\0'; at = blank(at)) {
        const char *end = token_end(at);
        if (end == NULL || t->count == TOKENS_MAX) {
            return false;
        }
        t->start[t->count]    = (int)(at - text);
        t->length[t->count]   = (int)(end - at);
        t->powers[t->count]   = 0;
        t->of[t->count]       = -1;
        t->compared[t->count] = -1;
        t->before[t->count]   = -1;
        t->closes[t->count++] = 0;
        at                    = end;
    }
    return true;
}

static bool is(const tokens *t, int i, const char *what)
{
    return i >= 0 && i < t->count && (size_t)t->length[i] == strlen(what) &&
           strncmp(t->text + t->start[i], what, strlen(what)) == 0;
}

static bool is_name(const tokens *t, int i)
{
    const char *at = t->text + (i >= 0 && i < t->count ? t->start[i] : 0);
    return i >= 0 && i < t->count && (isalpha((unsigned char)*at) || *at == '_') &&
           !ss_expr_is_reserved(at, (size_t)t->length[i]);
}

static bool is_string(const tokens *t, int i)
{
    return i >= 0 && i < t->count &&
           (strchr("\"'", t->text[t->start[i]]) != NULL ||
            (t->text[t->start[i]] == '[' && t->length[i] > 1));
}

static bool is_number(const tokens *t, int i)
{
    return i >= 0 && i < t->count &&
           (isdigit((unsigned char)t->text[t->start[i]]) ||
            (t->text[t->start[i]] == '.' && t->length[i] > 1 &&
             isdigit((unsigned char)t->text[t->start[i] + 1])));
}

/* ---- operands ------------------------------------------------------------------------------- */

static bool opens(const tokens *t, int i)
{
    return is(t, i, "(") || is(t, i, "[") || is(t, i, "{");
}

static bool closes(const tokens *t, int i)
{
    return is(t, i, ")") || is(t, i, "]") || is(t, i, "}");
}

/* The bracket that belongs to the one at i. */
static int partner(const tokens *t, int i)
{
    int step = opens(t, i) ? 1 : -1, depth = 0;
    for (; i >= 0 && i < t->count; i += step) {
        depth += opens(t, i) - closes(t, i);
        if (depth == 0) {
            return i;
        }
    }
    return FAILED;
}

/* Where the suffixed expression that ends at i begins. */
static int suffixed_start(const tokens *t, int i)
{
    for (;;) {
        bool name = is_name(t, i), string = is_string(t, i);
        if (closes(t, i)) {
            i = partner(t, i);
        } else if (!name && !string) {
            return is_number(t, i) ? i : FAILED;
        }
        if (i == FAILED) {
            return FAILED;
        }
        if (name && (is(t, i - 1, ".") || is(t, i - 1, ":"))) {
            i -= 2;
        } else if (!name && (is_name(t, i - 1) || closes(t, i - 1) || is_string(t, i - 1))) {
            i--; /* arguments or an index of what is before */
        } else {
            return i;
        }
    }
}

/* Where the suffixed expression that begins at i ends. */
static int suffixed_end(const tokens *t, int i)
{
    if (is_number(t, i)) {
        return i;
    }
    int end = is(t, i, "(") || is(t, i, "{")     ? partner(t, i)
              : is_name(t, i) || is_string(t, i) ? i
                                                 : FAILED;
    while (end != FAILED) {
        if ((is(t, end + 1, ".") || is(t, end + 1, ":")) && is_name(t, end + 2)) {
            end += 2;
        } else if (opens(t, end + 1)) {
            end = partner(t, end + 1);
        } else if (is_string(t, end + 1)) {
            end++;
        } else {
            return end;
        }
    }
    return FAILED;
}

/* Where the right operand of a power ends, which begins at i. */
static int operand_end(const tokens *t, int i)
{
    for (;;) {
        while (is(t, i, "-") || is(t, i, "not") || is(t, i, "#") || is(t, i, "~")) {
            i++;
        }
        int end = suffixed_end(t, i);
        if (end == FAILED || !is(t, end + 1, "^")) {
            return end;
        }
        i = end + 2;
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static ss_expr_operator operator_at(const tokens *t, int i)
{
    int k = 0;
    while (k < SS_EXPR_OPERATORS && !is(t, i, ss_expr_operators[k].sign)) {
        k++;
    }
    return (ss_expr_operator)k;
}

/* Words that stand within an operand: all others of Lua end it. */
static bool is_value(const tokens *t, int i)
{
    return is(t, i, "not") || is(t, i, "nil") || is(t, i, "true") || is(t, i, "false");
}

/* Does the token before or after an operand of a comparison not belong to it? */
static bool ends_operand(const tokens *t, int i)
{
    const char *at   = t->text + t->start[i];
    bool        word = isalpha((unsigned char)*at) && ss_expr_is_reserved(at, (size_t)t->length[i]);
    bool compare     = operator_at(t, i) >= SS_EXPR_LESS && operator_at(t, i) < SS_EXPR_OPERATORS;
    return (word && !is_value(t, i)) || compare || is(t, i, ",") || is(t, i, ";") || is(t, i, "=");
}

/* The first token of the operand of a comparison that ends at i, or, going forth, its last. */
static int compared_end(const tokens *t, int i, int step)
{
    int  last = FAILED;
    bool back = step < 0;
    while (i >= 0 && i < t->count && !ends_operand(t, i)) {
        if (back ? opens(t, i) : closes(t, i)) {
            break;
        }
        i    = (back ? closes(t, i) : opens(t, i)) ? partner(t, i) : i;
        last = i;
        if (i == FAILED) {
            return FAILED;
        }
        i += step;
    }
    return last;
}

/* Is the sign at i one of a single operand? */
static bool is_unary(const tokens *t, int i)
{
    bool sign   = is(t, i, "-") || is(t, i, "#") || is(t, i, "~") || is(t, i, "not");
    bool behind = i > 0 && (is_name(t, i - 1) || is_number(t, i - 1) || is_string(t, i - 1) ||
                            closes(t, i - 1) || is(t, i - 1, "nil") || is(t, i - 1, "true") ||
                            is(t, i - 1, "false"));
    return sign && !behind;
}

/* The first token of the product that ends at i. */
static int product_start(const tokens *t, int i)
{
    for (;;) {
        int start = suffixed_start(t, i);
        while (start > 0 && is_unary(t, start - 1)) {
            start--;
        }
        bool goes_on =
            start > 0 && (is(t, start - 1, "*") || is(t, start - 1, "/") || is(t, start - 1, "%") ||
                          is(t, start - 1, "//") || is(t, start - 1, "^"));
        if (start == FAILED || !goes_on) {
            return start;
        }
        i = start - 2;
    }
}

static bool mark_comparison(tokens *t, int i)
{
    int start = compared_end(t, i - 1, -1), end = compared_end(t, i + 1, 1);
    if (start == FAILED || end == FAILED || t->compared[start] >= 0 ||
        t->closes[end] == NESTED_MOST) {
        return false;
    }
    t->compared[start] = (short)i;
    t->closes[end]++;
    return true;
}

/* Several that begin with the same token: the last of them is the outermost call. */
static bool mark_product(tokens *t, int i)
{
    int start = product_start(t, i - 1), end = operand_end(t, i + 1);
    if (start == FAILED || end == FAILED || t->closes[end] == NESTED_MOST) {
        return false;
    }
    t->before[i] = t->of[start];
    t->of[start] = (short)i;
    t->closes[end]++;
    return true;
}

static bool mark_power(tokens *t, int i)
{
    int start = suffixed_start(t, i - 1), end = operand_end(t, i + 1);
    if (start == FAILED || end == FAILED || t->closes[end] == NESTED_MOST ||
        t->powers[start] == NESTED_MOST) {
        return false;
    }
    t->powers[start]++;
    t->closes[end]++;
    return true;
}

/* Marks where calls begin and end; the number of them, or FAILED. */
static int mark(tokens *t, bool all, bool *switches)
{
    int calls = 0;
    for (int i = 0; i < t->count; i++) {
        ss_expr_operator k = operator_at(t, i);
        if (k == SS_EXPR_OPERATORS || (k != SS_EXPR_POWER && !all)) {
            continue;
        }
        bool marked = k == SS_EXPR_POWER  ? mark_power(t, i)
                      : k >= SS_EXPR_LESS ? mark_comparison(t, i)
                                          : mark_product(t, i);
        if (!marked) {
            return FAILED;
        }
        *switches = *switches || k != SS_EXPR_POWER;
        calls++;
    }
    return calls;
}

static char *put_call(char *out, ss_expr_operator k)
{
    size_t n = strlen(ss_expr_operators[k].name);
    memcpy(out, ss_expr_operators[k].name, n);
    out[n] = '(';
    return out + n + 1;
}

/* The outermost first. */
static char *put_calls(const tokens *t, int i, char *out)
{
    if (t->compared[i] >= 0) {
        out = put_call(out, operator_at(t, t->compared[i]));
    }
    for (int k = t->of[i]; k >= 0; k = t->before[k]) {
        out = put_call(out, operator_at(t, k));
    }
    for (int k = 0; k < t->powers[i]; k++) {
        out = put_call(out, SS_EXPR_POWER);
    }
    return out;
}

/* An operator becomes the comma between the two arguments. */
static char *put_token(const tokens *t, int i, bool all, char *out)
{
    ss_expr_operator k = operator_at(t, i);
    if (k == SS_EXPR_POWER || (all && k != SS_EXPR_OPERATORS)) {
        *out++ = ',';
        return out;
    }
    memcpy(out, t->text + t->start[i], (size_t)t->length[i]);
    return out + t->length[i];
}

bool ss_expr_calls(char *lua, size_t size, bool all, bool *switches)
{
    tokens t = {0};
    char   copy[TOKENS_MAX];
    *switches = false;
    if (strpbrk(lua, all ? "^%/<>=~" : "^") == NULL || strlen(lua) >= sizeof copy) {
        return true;
    }
    memcpy(copy, lua, strlen(lua) + 1);
    int calls = split(copy, &t) ? mark(&t, all, switches) : FAILED;
    if (calls == FAILED) {
        *switches = false;
        return !all || ss_expr_calls(lua, size, false, switches);
    }
    if (strlen(copy) + (size_t)calls * (strlen(ss_expr_operators[0].name) + 2) >= size) {
        return false;
    }
    char *out  = lua;
    int   from = 0;
    for (int i = 0; i < t.count; i++) {
        memcpy(out, copy + from, (size_t)(t.start[i] - from)); /* what is between tokens */
        out = put_calls(&t, i, out + (t.start[i] - from));
        out = put_token(&t, i, all, out);
        for (int k = 0; k < t.closes[i]; k++) {
            *out++ = ')';
        }
        from = t.start[i] + t.length[i];
    }
    strcpy(out, copy + from);
    return true;
}
