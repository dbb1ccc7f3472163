/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line per format: src/problemfile/format_<name>.c defines `const ss_problem_class
 * ss_format_<name>`. Where a text could be read as several, the earlier line wins.
 */
#ifndef SS_IO_PROBLEM_FORMAT_LIST_H
#define SS_IO_PROBLEM_FORMAT_LIST_H

#define SS_PROBLEM_FORMAT_LIST                                                                     \
    SS_PROBLEM_FORMAT(stickslip)                                                                   \
    SS_PROBLEM_FORMAT(fclib)                                                                       \
    SS_PROBLEM_FORMAT(npz)                                                                         \
    SS_PROBLEM_FORMAT(siconos_relay)                                                               \
    SS_PROBLEM_FORMAT(siconos_lcp)                                                                 \
    SS_PROBLEM_FORMAT(siconos_mlcp)                                                                \
    SS_PROBLEM_FORMAT(siconos_fc)                                                                  \
    SS_PROBLEM_FORMAT(siconos_gfc)                                                                 \
    SS_PROBLEM_FORMAT(siconos_rolling)                                                             \
    SS_PROBLEM_FORMAT(siconos_gmp)                                                                 \
    SS_PROBLEM_FORMAT(yamanishi)

#endif
