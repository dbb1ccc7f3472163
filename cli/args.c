/* SPDX-License-Identifier: Apache-2.0 */
#include "args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args_help.h"
#include "cli.h"

enum { OPTION_COUNT_MAX = 64 };

static const ss_arg *find(const ss_args *spec, const char *name, size_t length)
{
    for (const ss_arg *a = spec->table; a->name != NULL; a++) {
        if (strlen(a->name) == length && strncmp(a->name, name, length) == 0) {
            return a;
        }
    }
    return NULL;
}

static bool unknown_option(const ss_args *spec, const char *name, int length)
{
    const char *names[OPTION_COUNT_MAX];
    int32_t     count = 0;
    char        word[64];
    for (const ss_arg *a = spec->table; a->name != NULL && count < OPTION_COUNT_MAX; a++) {
        names[count++] = a->name;
    }
    snprintf(word, sizeof word, "%.*s", length, name);
    const char *near = ss_nearest_name(word, names, count);
    if (near != NULL) {
        ss_cli_usage(spec->command, "there is no option '%s'; did you mean '%s'?", word, near);
    } else {
        ss_cli_usage(spec->command, "there is no option '%s'", word);
    }
    return false;
}

static bool append(ss_arg_list *list, const char *text)
{
    const char **items =
        realloc((void *)list->items, ((size_t)list->count + 1) * sizeof *list->items);
    if (items == NULL) {
        fprintf(stderr, "stickslip: out of memory\n");
        return false;
    }
    list->items                = items;
    list->items[list->count++] = text;
    return true;
}

static bool store_number(const ss_args *spec, const ss_arg *a, const char *text)
{
    char *end = NULL;
    errno     = 0;
    double x  = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x)) {
        ss_cli_usage(spec->command, "%s needs a number, got '%s'", a->name, text);
        return false;
    }
    if (a->kind == SS_ARG_INT && x != floor(x)) {
        ss_cli_usage(spec->command, "%s needs a whole number, got '%s'", a->name, text);
        return false;
    }
    if (x < a->low || x > a->high) {
        ss_cli_usage(spec->command, "%s must lie between %g and %g, got %s", a->name, a->low,
                     a->high, text);
        return false;
    }
    if (a->kind == SS_ARG_INT) {
        *(int32_t *)a->target = (int32_t)x;
    } else {
        *(double *)a->target = x;
    }
    return true;
}

static bool store(const ss_args *spec, const ss_arg *a, const char *text)
{
    switch (a->kind) {
    case SS_ARG_FLAG:
        *(bool *)a->target = true;
        return true;
    case SS_ARG_TEXT:
        *(const char **)a->target = text;
        return true;
    case SS_ARG_LIST:
        return append(a->target, text);
    case SS_ARG_REAL:
    case SS_ARG_INT:
        break;
    }
    return store_number(spec, a, text);
}

/* Parses the option at argv[*i]; moves *i to the last word it used. */
static bool parse_option(const ss_args *spec, int argc, char **argv, int *i)
{
    const char   *word   = argv[*i];
    const char   *equals = strchr(word, '=');
    size_t        length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const ss_arg *a      = find(spec, word, length);
    if (a == NULL) {
        return unknown_option(spec, word, (int)(length < 63 ? length : 63));
    }
    if (a->kind == SS_ARG_FLAG) {
        if (equals != NULL) {
            ss_cli_usage(spec->command, "%s takes no value", a->name);
            return false;
        }
        return store(spec, a, NULL);
    }
    if (equals != NULL) {
        return store(spec, a, equals + 1);
    }
    if (*i + 1 >= argc) {
        ss_cli_usage(spec->command, "%s needs a value: %s %s", a->name, a->name, a->value);
        return false;
    }
    *i += 1;
    return store(spec, a, argv[*i]);
}

static bool check_operands(const ss_args *spec, const ss_arg_list *operands)
{
    if (operands->count < spec->min_operands) {
        ss_cli_usage(spec->command, "%s is missing", spec->operands);
        return false;
    }
    if (operands->count > spec->max_operands) {
        ss_cli_usage(spec->command, "unexpected argument '%s'",
                     operands->items[spec->max_operands]);
        return false;
    }
    return true;
}

bool ss_args_parse(const ss_args *spec, int argc, char **argv, ss_arg_list *operands,
                   int *exit_code)
{
    bool ok         = true;
    bool only_files = false;
    *operands       = (ss_arg_list){NULL, 0};
    *exit_code      = SS_EXIT_USAGE;
    for (int i = 1; i < argc && ok; i++) {
        bool option = !only_files && argv[i][0] == '-' && argv[i][1] != '\0';
        if (option && ss_args_asks_for_help(argv[i])) {
            *exit_code = ss_args_help(spec, argv[i]);
            ok         = false;
        } else if (option && strcmp(argv[i], "--") == 0) {
            only_files = true;
        } else if (option) {
            ok = parse_option(spec, argc, argv, &i);
        } else {
            ok = append(operands, argv[i]);
        }
    }
    ok = ok && check_operands(spec, operands);
    if (!ok) {
        ss_args_release(spec, operands);
    }
    return ok;
}

static void release_list(ss_arg_list *list)
{
    free((void *)list->items);
    *list = (ss_arg_list){NULL, 0};
}

void ss_args_release(const ss_args *spec, ss_arg_list *operands)
{
    release_list(operands);
    for (const ss_arg *a = spec->table; a->name != NULL; a++) {
        if (a->kind == SS_ARG_LIST) {
            release_list(a->target);
        }
    }
}
