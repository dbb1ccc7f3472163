/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a command: described once in a table that parses them and prints the help. */
#ifndef SS_CLI_ARGS_H
#define SS_CLI_ARGS_H

#include <stdbool.h>

typedef enum ss_arg_kind {
    SS_ARG_FLAG, /* bool          */
    SS_ARG_TEXT, /* const char *  */
    SS_ARG_REAL, /* double        */
    SS_ARG_INT,  /* int           */
    SS_ARG_LIST  /* ss_arg_list: may be given several times */
} ss_arg_kind;

/* Words in the order they were given; they point into argv. */
typedef struct ss_arg_list {
    const char **words; /* room for argc of them */
    int          count;
} ss_arg_list;

typedef struct ss_arg {
    const char *name; /* "--tol"                                    */
    ss_arg_kind kind;
    void       *target;
    const char *value; /* what to call its value in the help, "E"   */
    const char *doc;
} ss_arg;

#define SS_ARG_END                                                                                 \
    {                                                                                              \
        0                                                                                          \
    }

typedef struct ss_args {
    const char   *command; /* "solve"                                          */
    const char   *usage;   /* "solve FILE|DIR... [OPTIONS]\n\nwhat it does..."  */
    const ss_arg *table;   /* ends in SS_ARG_END                               */
} ss_args;

/*
 * Take options (--name VALUE, --name=VALUE) and leave the other words in `rest`; "--" ends the
 * options. Returns -1 to go on, or the exit code: --help was printed, or an error.
 */
int ss_args_parse(const ss_args *args, int argc, char **argv, ss_arg_list *rest);

#endif
