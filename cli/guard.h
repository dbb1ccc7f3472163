/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HDF5's reader does not survive every damaged file. A command that is given an HDF5 file therefore
 * does its work in a child process; when that crashes, the parent says which file did it.
 */
#ifndef SS_CLI_GUARD_H
#define SS_CLI_GUARD_H

#include <stdbool.h>

#include "cli.h"

/* Does the file begin as HDF5 files do? */
bool ss_cli_is_hdf5(const char *path);

/* Runs the command; in a child process when one of its arguments is an HDF5 file. */
int ss_cli_guarded(const ss_command *command, int argc, char **argv);

#endif
