/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of a command, described once: the table parses them, checks types and ranges, names the
 * nearest option when one is misspelt, and prints --help.
 */
#ifndef SS_CLI_ARGS_H
#define SS_CLI_ARGS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ss_arg_kind {
    SS_ARG_FLAG, /* --json              -> bool             */
    SS_ARG_TEXT, /* --csv FILE          -> const char *     */
    SS_ARG_REAL, /* --step H            -> double           */
    SS_ARG_INT,  /* --threads N         -> int32_t          */
    SS_ARG_LIST  /* --set K=V, repeated -> ss_arg_list      */
} ss_arg_kind;

/* Texts in the order given; they point into argv. */
typedef struct ss_arg_list {
    const char **items;
    int32_t      count;
} ss_arg_list;

typedef struct ss_arg {
    const char *name; /* "--step" */
    ss_arg_kind kind;
    void       *target;
    const char *value;     /* what stands for the value in --help: "H"; NULL for flags */
    double      low, high; /* REAL and INT: low <= value <= high                      */
    const char *doc;
} ss_arg;

#define SS_ARG_END                                                                                 \
    {                                                                                              \
        NULL, SS_ARG_FLAG, NULL, NULL, 0, 0, NULL                                                  \
    }

typedef struct ss_args {
    const char   *command;  /* "run"                                         */
    const char   *operands; /* "SCENE", for --help and messages              */
    int32_t       min_operands, max_operands;
    const char   *description; /* one paragraph for --help                      */
    const ss_arg *table;       /* ends with SS_ARG_END; --help is always there  */
} ss_args;

/*
 * Parses argv[1..]. True: go on, with the operands in `operands`; free both kinds of list with
 * ss_args_release(). False: return *exit_code (0 after --help, 2 after a usage error).
 */
bool ss_args_parse(const ss_args *spec, int argc, char **argv, ss_arg_list *operands,
                   int *exit_code);
void ss_args_release(const ss_args *spec, ss_arg_list *operands);

#endif
