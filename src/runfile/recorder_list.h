/* SPDX-License-Identifier: Apache-2.0 */
/* One line per recorder: src/runfile/record_<name>.c defines ss_recorder_class ss_recorder_<name>.
 */
#ifndef SS_IO_RECORDER_LIST_H
#define SS_IO_RECORDER_LIST_H

#ifdef SS_HAVE_HDF5
#define SS_RECORDER_WITH_HDF5 SS_RECORDER(hdf5)
#else
#define SS_RECORDER_WITH_HDF5
#endif
#ifdef SS_HAVE_ZLIB
#define SS_RECORDER_WITH_ZLIB SS_RECORDER(report)
#else
#define SS_RECORDER_WITH_ZLIB
#endif

/* clang-format off */
#define SS_RECORDER_LIST                                                                           \
    SS_RECORDER(csv)                                                                               \
    SS_RECORDER(joints)                                                                            \
    SS_RECORDER(contacts)                                                                          \
    SS_RECORDER_WITH_HDF5                                                                          \
    SS_RECORDER_WITH_ZLIB
/* clang-format on */

#endif
