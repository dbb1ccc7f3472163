/* SPDX-License-Identifier: Apache-2.0 */
#include "args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void print_help(const ss_args *args)
{
    printf("usage: stickslip %s\n\noptions:\n", args->usage);
    for (const ss_arg *a = args->table; a->name != NULL; a++) {
        char head[48];
        snprintf(head, sizeof head, "%s%s%s", a->name, a->value != NULL ? " " : "",
                 a->value != NULL ? a->value : "");
        printf("  %-24s %s\n", head, a->doc);
    }
    printf("  %-24s %s\n", "--help", "print this");
}

static int set_number(const ss_args *args, const ss_arg *a, const char *text)
{
    char  *end;
    double x = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x)) {
        return ss_cli_usage(args->command, "%s must be a number, got '%s'", a->name, text);
    }
    if (a->kind == SS_ARG_REAL) {
        *(double *)a->target = x;
        return -1;
    }
    if (x != floor(x) || fabs(x) > 1e9) {
        return ss_cli_usage(args->command, "%s must be a whole number, got '%s'", a->name, text);
    }
    *(int *)a->target = (int)x;
    return -1;
}

static int set(const ss_args *args, const ss_arg *a, const char *text)
{
    switch (a->kind) {
    case SS_ARG_FLAG:
        *(bool *)a->target = true;
        return -1;
    case SS_ARG_TEXT:
        *(const char **)a->target = text;
        return -1;
    case SS_ARG_LIST: {
        ss_arg_list *list          = a->target;
        list->words[list->count++] = text;
        return -1;
    }
    case SS_ARG_REAL:
    case SS_ARG_INT:
        break;
    }
    return set_number(args, a, text);
}

/* The row of the table for "--name" or "--name=value". */
static const ss_arg *find(const ss_args *args, const char *word)
{
    size_t length = strcspn(word, "=");
    for (const ss_arg *a = args->table; a->name != NULL; a++) {
        if (strlen(a->name) == length && strncmp(a->name, word, length) == 0) {
            return a;
        }
    }
    return NULL;
}

/* One option at argv[*i]; its value may be the next word. */
static int take_option(const ss_args *args, int argc, char **argv, int *i)
{
    const char   *word   = argv[*i];
    const char   *equals = strchr(word, '=');
    const ss_arg *a      = find(args, word);
    if (a == NULL) {
        return ss_cli_usage(args->command, "there is no option '%s'", word);
    }
    if (a->kind == SS_ARG_FLAG) {
        return equals == NULL ? set(args, a, NULL)
                              : ss_cli_usage(args->command, "%s takes no value", a->name);
    }
    if (equals != NULL) {
        return set(args, a, equals + 1);
    }
    if (*i + 1 == argc) {
        return ss_cli_usage(args->command, "%s needs a value: %s %s", a->name, a->name, a->value);
    }
    return set(args, a, argv[++*i]);
}

int ss_args_parse(const ss_args *args, int argc, char **argv, ss_arg_list *rest)
{
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (!options || argv[i][0] != '-' || argv[i][1] == '\0') {
            rest->words[rest->count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(args);
            return SS_EXIT_DONE;
        } else {
            int code = take_option(args, argc, argv, &i);
            if (code >= 0) {
                return code;
            }
        }
    }
    return -1;
}
