/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share. The command sees public headers only. */
#ifndef SS_CLI_H
#define SS_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "stickslip/base.h"

/* Exit codes of every command. */
enum {
    SS_EXIT_DONE        = 0, /* done                                    */
    SS_EXIT_NO          = 1, /* the answer is no (a check failed)       */
    SS_EXIT_USAGE       = 2, /* bad input or usage                      */
    SS_EXIT_CERTIFICATE = 3, /* a step's certificate failed             */
    SS_EXIT_RESOURCES   = 4  /* out of memory, disk or time             */
};

/* One command: `stickslip NAME ...`; argv[0] is NAME. Returns the exit code. */
typedef struct ss_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} ss_command;

/* Every command, in the order of --help. */
const ss_command *const *ss_cli_commands(int *count);

/* A context with the plug-ins of the command line, whose warnings go to standard error unless
   `quiet`; NULL after a message. A plug-in that cannot be loaded ends the program, exit code 2. */
ss_context *ss_cli_context(bool quiet);

/* The exit code that belongs to a failed call. */
int ss_cli_exit_code(ss_status status);

/* Print "stickslip: MESSAGE" on standard error and return the exit code for `status`. */
int ss_cli_fail(const ss_context *ctx, ss_status status);

/* A time as people say it: "3.9 ms", "2.1 min". Returns `text`. */
const char *ss_cli_seconds(double seconds, char *text, size_t size);

/* Print a usage error ("stickslip run: ...") on standard error; returns SS_EXIT_USAGE. */
int ss_cli_usage(const char *command, const char *format, ...) SS_PRINTF(2, 3);

#endif
