/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of shapes in scene files. Names that a formula does not know by itself are values of the
 * scene (params, the number of a repetition), which are written into it as numbers: what is stored
 * stands for itself.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr_text.h"
#include "expr/formula.h"
#include "geom/geom.h"
#include "scenefile/schema.h"

typedef struct writer {
    ss_decoder *d;
    ss_node    *node;
    const char *label;
    char        text[SS_EXPR_TEXT_MAX + 1];
    size_t      length;
} writer;

static ss_status put(writer *w, const char *text, size_t length)
{
    if (w->length + length > SS_EXPR_TEXT_MAX) {
        return ss_decode_fail(w->d, w->node, "%s is longer than %d characters", w->label,
                              SS_EXPR_TEXT_MAX);
    }
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
    return SS_OK;
}

/* A word of the formula, or the number that it stands for. */
static ss_status put_word(writer *w, const char *word, size_t length)
{
    char   name[SS_EXPR_NAME_MAX + 1], number[40];
    double value;
    if (ss_formula_knows(word, length) || (length == 4 && strncmp(word, "math", 4) == 0) ||
        length > SS_EXPR_NAME_MAX || word[length] == '(') {
        return put(w, word, length);
    }
    memcpy(name, word, length);
    name[length] = '\0';
    if (w->d->env == NULL || ss_expr_value(w->d->env, name, &value) != SS_OK) {
        return put(w, word, length); /* the formula itself will say that it is unknown */
    }
    snprintf(number, sizeof number, "(%.17g)", value);
    return put(w, number, strlen(number));
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') {
        n++;
    }
    return n;
}

/* Digits belong to a number, with its exponent: the e of 1e-3 is no name. */
static size_t number_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '.' ||
           (n > 0 && (at[n] == '-' || at[n] == '+') && (at[n - 1] == 'e' || at[n - 1] == 'E'))) {
        n++;
    }
    return n;
}

static ss_status fill_in(writer *w, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t n = 1;
        if (isdigit((unsigned char)*at) || *at == '.') {
            n = number_length(at);
            SS_TRY(put(w, at, n));
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            n = word_length(at);
            SS_TRY(put_word(w, at, n));
        } else {
            SS_TRY(put(w, at, 1));
        }
        at += n;
    }
    return SS_OK;
}

ss_status ss_decode_formula(ss_decoder *d, const char *label, ss_node *node, const char **out)
{
    writer      w = {.d = d, .node = node, .label = label};
    const char *text;
    int         ok = 1;
    SS_TRY(ss_decode_text(d, label, node, &text));
    SS_TRY(fill_in(&w, text));
    *out = ss_pool_text(d->pool, w.text, &ok);
    return ok ? SS_OK : ss_decode_no_memory(d);
}

ss_status ss_check_formula_shape(ss_decoder *d, const ss_node *node, const ss_shape_def *def)
{
    ss_geom_set set;
    ss_status   status = ss_geom_build(d->ctx, def, d->dimension, &set);
    if (status == SS_OK) {
        ss_geom_free(&set);
        return SS_OK;
    }
    char message[512];
    snprintf(message, sizeof message, "%s", ss_context_message(d->ctx));
    return ss_decode_fail(d, node, "%s", message);
}
