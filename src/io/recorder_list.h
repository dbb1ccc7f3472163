/* SPDX-License-Identifier: Apache-2.0 */
/* One line per recorder: src/io/record_<name>.c defines ss_recorder_class ss_recorder_<name>. */
#ifndef SS_IO_RECORDER_LIST_H
#define SS_IO_RECORDER_LIST_H

/* clang-format off */
#define SS_RECORDER_LIST                                                                           \
    SS_RECORDER(csv)
/* clang-format on */

#endif
