/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lua's grammar around ^ (reference manual 3.4.8): it binds to the right and tighter than anything,
 * but its right operand may begin with unary operators:
 *
 *     power   = suffixed '^' operand          operand = { '-' | 'not' | '#' | '~' } suffixed [ '^'
 * operand ] suffixed = (Name | '(' .. ')' | number | ..) { '.' Name | ':' Name | '[' .. ']' | '('
 * .. ')' | string | '{' .. '}' }
 *
 * So the left operand is what a walk back over suffixes reaches, and the right one what a walk
 * forth does. Nothing else of a text needs to be understood.
 */
#include "expr/expr_power.h"

#include <ctype.h>
#include <string.h>

#include "expr/expr_text.h"

enum { TOKENS_MAX = 2 * SS_EXPR_TEXT_MAX + 8, FAILED = -1 };

typedef struct tokens {
    const char   *text;
    int           count;
    int           start[TOKENS_MAX];
    int           length[TOKENS_MAX];
    unsigned char opens[TOKENS_MAX];  /* a power begins before this token   */
    unsigned char closes[TOKENS_MAX]; /* so many powers end after this token */
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
        t->opens[t->count]    = 0;
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

/* Mark where powers begin and end; the number of them, or FAILED. */
static int mark(tokens *t)
{
    int powers = 0;
    for (int i = 0; i < t->count; i++) {
        if (!is(t, i, "^")) {
            continue;
        }
        int start = suffixed_start(t, i - 1), end = operand_end(t, i + 1);
        if (start == FAILED || end == FAILED || t->closes[end] == 255 || t->opens[start] == 255) {
            return FAILED;
        }
        t->opens[start]++;
        t->closes[end]++;
        powers++;
    }
    return powers;
}

bool ss_expr_powers(char *lua, size_t size)
{
    tokens t;
    char   copy[TOKENS_MAX];
    if (strchr(lua, '^') == NULL || strlen(lua) >= sizeof copy) {
        return true;
    }
    memcpy(copy, lua, strlen(lua) + 1);
    int powers = split(copy, &t) ? mark(&t) : FAILED;
    if (powers == FAILED) {
        return true;
    }
    if (strlen(copy) + (size_t)powers * (strlen(SS_EXPR_POWER) + 2) >= size) {
        return false;
    }
    char *out  = lua;
    int   from = 0;
    for (int i = 0; i < t.count; i++) {
        memcpy(out, copy + from, (size_t)(t.start[i] - from)); /* what is between tokens */
        out += t.start[i] - from;
        for (int k = 0; k < t.opens[i]; k++) {
            memcpy(out, SS_EXPR_POWER "(", strlen(SS_EXPR_POWER) + 1);
            out += strlen(SS_EXPR_POWER) + 1;
        }
        memcpy(out, copy + t.start[i], (size_t)t.length[i]);
        if (is(&t, i, "^")) {
            *out = ',';
        }
        out += t.length[i];
        for (int k = 0; k < t.closes[i]; k++) {
            *out++ = ')';
        }
        from = t.start[i] + t.length[i];
    }
    strcpy(out, copy + from);
    return true;
}
