/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the option table of a command says about it: --help for people at a terminal, --help=man for
 * a manual page, and --help=bash, zsh or fish for its part of a completion script.
 */
#ifndef SS_CLI_ARGS_HELP_H
#define SS_CLI_ARGS_HELP_H

#include "args.h"
#include "cli.h"

/* Is this word -h, --help or --help=FORM? */
bool ss_args_asks_for_help(const char *word);
/* Prints it in the form that the word asks for; returns the exit code. */
int ss_args_help(const ss_args *spec, const char *word);

/* The manual page of the whole command, and its completion script: bash, zsh or fish. */
void ss_help_man(const ss_command *const *commands, int count);
int  ss_help_completion(const ss_command *const *commands, int count, const char *shell);

#endif
