/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of what is read from files that nobody vouches for: name, meaning, why this value. */
#ifndef SS_FILES_TOLERANCES_H
#define SS_FILES_TOLERANCES_H

enum {
    /*
     * Bytes that one stored byte can become: what deflate reaches at most (258 bytes for two bits).
     * An array that claims more than the bytes of its file can hold is refused before memory is
     * asked for. Ten times larger: a file of 1 MB could ask for 10 GB.
     */
    SS_LARGEST_EXPANSION = 1032,
    /*
     * Bytes of memory that HDF5 may take for itself between two of our questions whether there is
     * some: its tables when it is first called (3 MB), the buffers of a file and of an array (1 MB
     * each), a conversion (1 MB). Ten times larger: good files would be refused where `ulimit -v`
     * leaves 80 MB; ten times smaller: HDF5 crashes, or calls them damaged.
     */
    SS_HDF5_OWN_BYTES = 8 << 20,
    /*
     * Objects in objects in a JSON text; ours nest 4 deep. The reader calls itself once for each:
     * ten times larger would still be safe with a stack of 1 MB, but serve nobody.
     */
    SS_JSON_DEPTH = 64
};

#endif
