/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of pieces: names in expressions are replaced by what they stand for, in parentheses;
 * in texts (names, references, files) {expression} is replaced by its value. The replacement is
 * textual, so that an expression of time that a parameter is part of can still be compiled later,
 * when the parameter is forgotten.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenefile/expand.h"

/* Keys whose values are words, not expressions. */
static const char *const text_keys[] = {"name", "type",  "material", "file",   "body",  "bodies",
                                        "use",  "joint", "between",  "solver", "joints"};

static bool is_text_key(const char *key)
{
    for (size_t i = 0; key != NULL && i < sizeof text_keys / sizeof *text_keys; i++) {
        if (strcmp(text_keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- what a name stands for ---- */

static const ss_node *text_value(const ss_node *value)
{
    const ss_node *text = value->kind == SS_NODE_MAP ? ss_node_find(value, "text") : NULL;
    return text != NULL && text->kind == SS_NODE_SCALAR ? text : NULL;
}

static const ss_binding *look_up(const ss_binding *scope, const char *word, size_t length)
{
    for (; scope != NULL; scope = scope->outer) {
        if (strlen(scope->name) == length && strncmp(scope->name, word, length) == 0) {
            return scope;
        }
    }
    return NULL;
}

bool ss_param_is_number(const ss_node *param)
{
    return param->kind == SS_NODE_SCALAR;
}

ss_status ss_param_bindings(ss_decoder *d, const ss_node *params, const ss_binding **scope)
{
    for (const ss_node *p = params->first; p != NULL; p = p->next) {
        if (ss_param_is_number(p)) {
            continue;
        }
        if (p->kind == SS_NODE_MAP && (text_value(p) == NULL || p->count != 1)) {
            return ss_decode_fail(d, p,
                                  "param '%.60s' must be a number, a list of numbers or "
                                  "{text: ..}",
                                  p->key);
        }
        ss_binding *b = ss_pool_alloc(d->pool, 1, sizeof *b);
        if (b == NULL) {
            return ss_decode_no_memory(d);
        }
        *b     = (ss_binding){p->key, p, *scope};
        *scope = b;
    }
    return SS_OK;
}

/* ---- a text that grows ---- */

typedef struct writer {
    char  *text;
    size_t length, room;
} writer;

static ss_status put(ss_decoder *d, writer *w, const char *text, size_t length)
{
    if (w->text == NULL || w->length + length + 1 > w->room) {
        size_t room  = 2 * (w->length + length) + 64;
        char  *fresh = ss_pool_alloc(d->pool, room, 1);
        if (fresh == NULL) {
            return ss_decode_no_memory(d);
        }
        memcpy(fresh, w->text != NULL ? w->text : "", w->length);
        w->text = fresh;
        w->room = room;
    }
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
    return SS_OK;
}

static ss_status put_text(ss_decoder *d, writer *w, const char *text)
{
    return put(d, w, text, strlen(text));
}

/* ---- expressions ---- */

/* Entry of a vector that `at`, just behind its name, asks for (.x, .y, .z, [1], ..); NULL: none. */
static const ss_node *vector_entry(const ss_node *list, const char *at, size_t *used)
{
    int place = 0;
    *used     = 0;
    if (at[0] == '.' && at[1] >= 'x' && at[1] <= 'z' && !isalnum((unsigned char)at[2])) {
        place = at[1] - 'x' + 1;
        *used = 2;
    } else if (at[0] == '[' && sscanf(at, "[%d]", &place) == 1) {
        const char *end = strchr(at, ']');
        *used           = end != NULL ? (size_t)(end - at) + 1 : 0;
    }
    const ss_node *entry = *used > 0 && place > 0 ? list->first : NULL;
    for (int i = 1; entry != NULL && i < place; i++) {
        entry = entry->next;
    }
    return entry != NULL && entry->kind == SS_NODE_SCALAR ? entry : NULL;
}

/* All numbers of a vector, for an index that is an expression: sizes[i + 1]. */
static ss_status put_vector(ss_decoder *d, writer *w, const ss_node *list)
{
    SS_TRY(put_text(d, w, "({"));
    for (const ss_node *entry = list->first; entry != NULL; entry = entry->next) {
        SS_TRY(put_text(d, w, "("));
        SS_TRY(put_text(d, w, entry->text));
        SS_TRY(put_text(d, w, entry->next != NULL ? ")," : ")"));
    }
    return put_text(d, w, "})");
}

/* [..] with something else in it than a number. */
static bool is_computed_index(const char *at)
{
    int    place;
    char   end = '\0';
    size_t any = at[0] == '[' ? strcspn(at, "]") : 0;
    return any > 1 && at[any] == ']' && (sscanf(at, "[%d%c", &place, &end) != 2 || end != ']');
}

static bool all_scalars(const ss_node *list)
{
    const ss_node *entry = list->first;
    while (entry != NULL && entry->kind == SS_NODE_SCALAR) {
        entry = entry->next;
    }
    return entry == NULL;
}

static ss_status put_value(ss_decoder *d, const ss_node *place, writer *w, const ss_binding *b,
                           const char *behind, size_t *used)
{
    const ss_node *value = b->value;
    *used                = 0;
    if (value->kind == SS_NODE_LIST && is_computed_index(behind) && all_scalars(value)) {
        return put_vector(d, w, value); /* what is in the brackets is rewritten with the rest */
    }
    if (value->kind == SS_NODE_LIST) {
        value = vector_entry(value, behind, used);
        if (value == NULL) {
            return ss_decode_fail(d, place,
                                  "'%.60s' is a list of %d: an expression takes one of "
                                  "its numbers, %s.x, %s[1] or %s[i + 1]",
                                  b->name, (int)b->value->count, b->name, b->name, b->name);
        }
    } else if (value->kind == SS_NODE_MAP) {
        return ss_decode_fail(d, place,
                              "'%.60s' is a text: it can stand in names as {%.60s}, not "
                              "in expressions",
                              b->name, b->name);
    }
    SS_TRY(put_text(d, w, "("));
    SS_TRY(put_text(d, w, value->text));
    return put_text(d, w, ")");
}

/* Skips a text in quotes. */
static const char *past_quotes(const char *at)
{
    const char quote = *at++;
    while (*at != '\0' && *at != quote) {
        at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    }
    return *at == quote ? at + 1 : at;
}

/* `text` up to `end` with the names of `scope` replaced. */
static ss_status rewrite(ss_decoder *d, const ss_node *place, const char *text, const char *end,
                         const ss_binding *scope, writer *w)
{
    const char *at = text;
    while (at < end) {
        const char *from = at;
        if (*at == '"' || *at == '\'') {
            at = past_quotes(at);
            SS_TRY(put(d, w, from, (size_t)(at - from)));
            continue;
        }
        bool word = isalpha((unsigned char)*at) || *at == '_';
        if (!word) {
            bool digits = isdigit((unsigned char)*at);
            at++;
            while (digits && at < end && (isalnum((unsigned char)*at) || *at == '.')) {
                at++; /* 1e3: its e is no name */
            }
            SS_TRY(put(d, w, from, (size_t)(at - from)));
            continue;
        }
        while (at < end && (isalnum((unsigned char)*at) || *at == '_')) {
            at++;
        }
        bool              field = from > text && from[-1] == '.';
        const ss_binding *b     = field ? NULL : look_up(scope, from, (size_t)(at - from));
        size_t            used  = 0;
        if (b == NULL) {
            SS_TRY(put(d, w, from, (size_t)(at - from)));
        } else {
            SS_TRY(put_value(d, place, w, b, at, &used));
        }
        at += used;
    }
    return SS_OK;
}

/* ---- texts ---- */

/* The value of {expression}, as a person would write it. */
static ss_status put_braces(ss_decoder *d, const ss_node *place, const char *from, const char *end,
                            const ss_binding *scope, ss_when when, writer *w)
{
    const ss_binding *b = look_up(scope, from, (size_t)(end - from));
    if (b != NULL && text_value(b->value) != NULL) {
        return put_text(d, w, text_value(b->value)->text);
    }
    writer expression = {0};
    SS_TRY(rewrite(d, place, from, end, scope, &expression));
    double number;
    char   digits[40];
    SS_TRY(ss_decode_need_env(d, place));
    bool known =
        expression.text != NULL && ss_expr_value(d->env, expression.text, &number) == SS_OK;
    if (!known && when == SS_LAST_TIME) {
        char why[256];
        snprintf(why, sizeof why, "%s", ss_context_message(d->ctx));
        return ss_decode_fail(d, place, "what stands in braces must be an expression: %s",
                              expression.text != NULL ? why : "there is nothing in them");
    }
    if (!known) {
        SS_TRY(put_text(d, w, "{")); /* a name in it is not known yet: an index, say */
        SS_TRY(put(d, w, expression.text != NULL ? expression.text : "", expression.length));
        return put_text(d, w, "}");
    }
    snprintf(digits, sizeof digits, "%.15g", number);
    return put_text(d, w, digits);
}

static ss_status rewrite_text(ss_decoder *d, const ss_node *place, const ss_binding *scope,
                              ss_when when, writer *w)
{
    const char *at = place->text;
    for (;;) {
        const char *open = strchr(at, '{'), *close = open != NULL ? strchr(open, '}') : NULL;
        if (close == NULL) {
            return put_text(d, w, at);
        }
        SS_TRY(put(d, w, at, (size_t)(open - at)));
        SS_TRY(put_braces(d, place, open + 1, close, scope, when, w));
        at = close + 1;
    }
}

/* ---- nodes ---- */

/* A whole value that is the name of a list becomes that list. */
static ss_status become_list(ss_decoder *d, ss_node *node, const ss_node *list)
{
    ss_node *copy = ss_node_copy(d->pool, list);
    if (copy == NULL) {
        return ss_decode_no_memory(d);
    }
    copy->key  = node->key;
    copy->next = node->next;
    *node      = *copy;
    return SS_OK;
}

static ss_status substitute_scalar(ss_decoder *d, ss_node *node, const ss_binding *scope,
                                   ss_when when, bool text)
{
    writer w = {0};
    if (text) {
        if (strchr(node->text, '{') == NULL) {
            return SS_OK;
        }
        SS_TRY(rewrite_text(d, node, scope, when, &w));
    } else if (scope == NULL) {
        return SS_OK;
    } else {
        const ss_binding *b = look_up(scope, node->text, strlen(node->text));
        if (b != NULL && b->value->kind == SS_NODE_LIST) {
            return become_list(d, node, b->value);
        }
        SS_TRY(rewrite(d, node, node->text, node->text + strlen(node->text), scope, &w));
    }
    node->text = w.text != NULL ? w.text : "";
    return SS_OK;
}

static ss_status substitute(ss_decoder *d, ss_node *node, const ss_binding *scope, ss_when when,
                            bool text)
{
    text = text || is_text_key(node->key);
    if (node->kind == SS_NODE_SCALAR) {
        return substitute_scalar(d, node, scope, when, text);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(substitute(d, entry, scope, when, text && node->kind == SS_NODE_LIST));
    }
    return SS_OK;
}

ss_status ss_node_substitute(ss_decoder *d, ss_node *node, const ss_binding *scope, ss_when when)
{
    return substitute(d, node, scope, when, false);
}
