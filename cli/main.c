/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args_help.h"
#include "cli.h"
#include "colour.h"
#include "command_list.h"
#include "guard.h"
#include "plugin_args.h"
#include "stickslip/output.h"

#define SS_COMMAND(name) extern const ss_command ss_command_##name;
SS_COMMAND_LIST
#undef SS_COMMAND

static const ss_command *const commands[] = {
#define SS_COMMAND(name) &ss_command_##name,
    SS_COMMAND_LIST
#undef SS_COMMAND
};
enum { COMMAND_COUNT = (int)(sizeof commands / sizeof commands[0]) };

const ss_command *const *ss_cli_commands(int *count)
{
    *count = COMMAND_COUNT;
    return commands;
}

int ss_cli_exit_code(ss_status status)
{
    switch (status) {
    case SS_OK:
        return SS_EXIT_DONE;
    case SS_ERR_CERTIFICATE:
    case SS_ERR_NUMERICAL:
        return SS_EXIT_CERTIFICATE;
    case SS_ERR_MEMORY:
    case SS_ERR_SCRATCH:
    case SS_ERR_INTERRUPTED:
    case SS_ERR_INTERNAL:
    case SS_ERR_IO:
        return SS_EXIT_RESOURCES;
    case SS_ERR_ARGUMENT:
    case SS_ERR_INPUT:
    case SS_ERR_UNSUPPORTED:
        break;
    }
    return SS_EXIT_USAGE;
}

static void print_log(void *user, ss_log_level level, const char *message)
{
    (void)user;
    if (level == SS_LOG_WARNING) {
        fprintf(stderr, "stickslip: warning: %s\n", message);
    } else if (level == SS_LOG_NOTICE) {
        fprintf(stderr, "stickslip: %s\n", message);
    }
}

ss_context *ss_cli_context(bool quiet)
{
    ss_context *ctx = ss_context_create(NULL);
    if (ctx == NULL) {
        fprintf(stderr, "stickslip: out of memory\n");
        return NULL;
    }
    if (!quiet) {
        ss_context_set_log(ctx, print_log, NULL);
    }
    ss_status status = ss_context_keep_inputs(ctx);
    if (status == SS_OK) {
        status = ss_cli_load_plugins(ctx);
    }
    if (status != SS_OK) { /* nothing has begun that would have to be ended */
        int code = ss_cli_fail(ctx, status);
        ss_context_destroy(ctx);
        exit(code);
    }
    return ctx;
}

int ss_cli_fail(const ss_context *ctx, ss_status status)
{
    const char *message = ss_context_message(ctx);
    ss_cli_coloured(stderr, SS_BAD, "stickslip:");
    fprintf(stderr, " %s\n", message[0] != '\0' ? message : ss_status_text(status));
    return ss_cli_exit_code(status);
}

const char *ss_cli_seconds(double seconds, char *text, size_t size)
{
    static const struct {
        double      below, unit;
        const char *name;
    } units[] = {
        {1e-6, 1e-9, "ns"}, {1e-3, 1e-6, "us"}, {1, 1e-3, "ms"}, {120, 1, "s"}, {7200, 60, "min"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (seconds < units[i].below) {
            snprintf(text, size, "%.3g %s", seconds / units[i].unit, units[i].name);
            return text;
        }
    }
    snprintf(text, size, "%.3g h", seconds / 3600);
    return text;
}

int ss_cli_usage(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "stickslip %s: ", command);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\nTry 'stickslip %s --help'.\n", command);
    va_end(args);
    return SS_EXIT_USAGE;
}

static void print_help(FILE *out)
{
    fprintf(out,
            "stickslip %s: mechanisms whose parts touch, slide, stick, jam and let go\n\n"
            "usage: stickslip COMMAND [ARGUMENTS]\n\n",
            ss_version());
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "\n'stickslip COMMAND --help' tells more.\n"
                 "Exit codes: 0 done; 1 the answer is no; 2 bad input or usage;\n"
                 "            3 a step's certificate failed; 4 out of resources.\n");
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
    }
    const char *near = ss_nearest_name(name, names, COMMAND_COUNT);
    fprintf(stderr, "stickslip: there is no command '%s'%s%s%s (see 'stickslip --help')\n", name,
            near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
            near != NULL ? "'?" : "");
    return SS_EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return SS_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return SS_EXIT_DONE;
    }
    if (strcmp(argv[1], "--help=man") == 0) {
        ss_help_man(commands, COMMAND_COUNT);
        return SS_EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("stickslip %s\n", ss_version());
        return SS_EXIT_DONE;
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i]->name) == 0) {
            return ss_cli_guarded(commands[i], argc - 1, argv + 1);
        }
    }
    return unknown_command(argv[1]);
}

/* Everything that was printed must have arrived: `stickslip list > /dev/full` is a failure. */
static int with_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fprintf(stderr, "stickslip: standard output cannot be written: %s\n", strerror(errno));
    return SS_EXIT_RESOURCES;
}

int main(int argc, char **argv)
{
    /*
     * Libraries that draw in OpenBLAS are opened late; it starts a thread per core for matrices of
     * a few dozen rows, which costs more than it brings, and under a small `ulimit -v` such a
     * thread waits for its memory for ever. Islands and trials are what runs side by side.
     */
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk */
    return with_output(dispatch(argc, argv));
}
