/* SPDX-License-Identifier: Apache-2.0 */
/* Settings structs described by a table: defaults, and setting one field from text. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/solver.h"

static void store(const ss_option *o, void *settings, double value)
{
    void *field = (char *)settings + o->offset;
    switch (o->type) {
    case SS_OPTION_REAL:
        *(double *)field = value;
        break;
    case SS_OPTION_INT:
    case SS_OPTION_CHOICE:
        *(int32_t *)field = (int32_t)value;
        break;
    case SS_OPTION_BOOL:
        *(bool *)field = value != 0;
        break;
    }
}

void ss_options_default(const ss_option *table, void *settings)
{
    for (const ss_option *o = table; o != NULL && o->name != NULL; o++) {
        store(o, settings, o->initial);
    }
}

/* The place of `word` in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *word)
{
    size_t len = strlen(word);
    int    i   = 0;
    for (const char *c = choices; c != NULL; i++) {
        const char *end = strchr(c, '|');
        size_t      n   = end != NULL ? (size_t)(end - c) : strlen(c);
        if (n == len && strncmp(c, word, n) == 0) {
            return i;
        }
        c = end != NULL ? end + 1 : NULL;
    }
    return -1;
}

static ss_status set_number(ss_context *ctx, const ss_option *o, void *settings, const char *text)
{
    char *end = NULL;
    errno     = 0;
    double x  = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x)) {
        return ss_fail(ctx, SS_ERR_INPUT, "option '%s' must be a number, got '%s'", o->name, text);
    }
    if (o->type == SS_OPTION_INT && x != floor(x)) {
        return ss_fail(ctx, SS_ERR_INPUT, "option '%s' must be a whole number, got '%s'", o->name,
                       text);
    }
    if (x < o->low || x > o->high) {
        return ss_fail(ctx, SS_ERR_INPUT, "option '%s' must lie between %g and %g, got %s", o->name,
                       o->low, o->high, text);
    }
    store(o, settings, x);
    return SS_OK;
}

static ss_status set_bool(ss_context *ctx, const ss_option *o, void *settings, const char *text)
{
    bool yes = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;
    bool no  = strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || strcmp(text, "0") == 0;
    if (!yes && !no) {
        return ss_fail(ctx, SS_ERR_INPUT, "option '%s' must be true or false, got '%s'", o->name,
                       text);
    }
    store(o, settings, yes);
    return SS_OK;
}

static ss_status set_choice(ss_context *ctx, const ss_option *o, void *settings, const char *text)
{
    int i = choice_index(o->choices, text);
    if (i < 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "option '%s' must be one of %s, got '%s'", o->name,
                       o->choices, text);
    }
    store(o, settings, i);
    return SS_OK;
}

ss_status ss_option_set(ss_context *ctx, const ss_option *table, void *settings, const char *name,
                        const char *value)
{
    for (const ss_option *o = table; o != NULL && o->name != NULL; o++) {
        if (strcmp(o->name, name) != 0) {
            continue;
        }
        switch (o->type) {
        case SS_OPTION_BOOL:
            return set_bool(ctx, o, settings, value);
        case SS_OPTION_CHOICE:
            return set_choice(ctx, o, settings, value);
        case SS_OPTION_REAL:
        case SS_OPTION_INT:
            return set_number(ctx, o, settings, value);
        }
    }
    return ss_fail(ctx, SS_ERR_INPUT, "there is no option '%s'", name);
}
