/* SPDX-License-Identifier: Apache-2.0 */
/* One line per case: cli/verify/<name>.c defines `const ss_verify_case ss_verify_<name>`. */
#ifndef SS_CLI_CASE_LIST_H
#define SS_CLI_CASE_LIST_H

/* clang-format off */
#define SS_VERIFY_CASE_LIST                                                                        \
    SS_VERIFY_CASE(sphere_slide_roll)                                                              \
    SS_VERIFY_CASE(slope)                                                                          \
    SS_VERIFY_CASE(stack)
/* clang-format on */

#endif
