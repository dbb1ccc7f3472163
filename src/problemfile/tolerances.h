/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of problem files: name, meaning, unit, why this value. */
#ifndef SS_PROBLEMFILE_TOLERANCES_H
#define SS_PROBLEMFILE_TOLERANCES_H

enum {
    /* Bytes of one array of an archive or an HDF5 file, unpacked: a dense matrix of 8192 rows. Ten
     * times larger: half a megabyte of a hostile archive takes 5 GB. Text files have no such limit,
     * because they cannot be larger than they are. */
    SS_PROBLEM_ARRAY_MAX = 512 << 20
};

#endif
