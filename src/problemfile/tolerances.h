/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of problem files: name, meaning, unit, why this value. */
#ifndef SS_PROBLEMFILE_TOLERANCES_H
#define SS_PROBLEMFILE_TOLERANCES_H

enum {
    /* Bytes of one array of an archive or an HDF5 file, unpacked: a dense matrix of 8192 rows. Ten
     * times larger: half a megabyte of a hostile archive takes 5 GB. Of text
     * files only the whole is limited: they cannot be larger than they are. */
    SS_PROBLEM_ARRAY_MAX = 512 << 20,
    /* Bytes of a problem file, which is read as a whole: about 50 million numbers as text. Ten
     * times larger: a file of zeros that takes no room on the disk takes 10 GB of memory. */
    SS_PROBLEM_BYTES_MAX = 1 << 30,
    /* Bytes that must be free on the disk before an HDF5 file is made: a small one. Ten times
     * larger: disks that are all but full are refused; smaller: HDF5 fails on its first bytes. */
    SS_PROBLEM_ROOM = 1 << 14
};

#endif
