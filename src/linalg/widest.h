/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SS_WIDEST before a function that is one loop over arrays: the program then holds it twice, for
 * processors with and without 256-bit vectors, and picks one when it starts. The results are the
 * same bits, for products and sums are never contracted (see cmake/folders.cmake).
 */
#ifndef SS_LINALG_WIDEST_H
#define SS_LINALG_WIDEST_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SS_WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define SS_WIDEST
#endif

#endif
