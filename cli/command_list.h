/* SPDX-License-Identifier: Apache-2.0 */
/* One line per command: cli/cmd_<name>.c defines `const ss_command ss_command_<name>`. */
#ifndef SS_COMMAND_LIST_H
#define SS_COMMAND_LIST_H

/* clang-format off */
#define SS_COMMAND_LIST                                                                            \
    SS_COMMAND(run)                                                                                \
    SS_COMMAND(check)                                                                              \
    SS_COMMAND(verify)                                                                             \
    SS_COMMAND(solve)                                                                              \
    SS_COMMAND(report)                                                                             \
    SS_COMMAND(view)                                                                               \
    SS_COMMAND(design)                                                                             \
    SS_COMMAND(plan)                                                                               \
    SS_COMMAND(identify)                                                                           \
    SS_COMMAND(sweep)                                                                              \
    SS_COMMAND(analyze)                                                                            \
    SS_COMMAND(new)                                                                                \
    SS_COMMAND(import)                                                                             \
    SS_COMMAND(list)
/* clang-format on */

#endif
