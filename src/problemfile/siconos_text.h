/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrices ("NM") of Siconos' text files, and what its problem files share. A matrix is
 * `storage rows cols` and then, by storage,
 *   0  dense:  `rows cols` once more and the entries, column after column;
 *   1  blocks: `nblocks nbrow nbcol`, where each block row and column ends, `filled1 filled2`,
 *              row starts, block columns, then for each block its number and its entries,
 *              column after column;
 *   2  sparse: `origin` (1 triplets, 2 columns, 3 rows, 4 half of a symmetric matrix), a banner
 *              line, a header line with the number of entries, and the entries, counted from 0.
 */
#ifndef SS_IO_SICONOS_TEXT_H
#define SS_IO_SICONOS_TEXT_H

#include "files/text.h"
#include "problemfile/problem_format.h"

ss_status ss_nm_read(ss_text *t, ss_pool *pool, const char *what, ss_matrix *out);
ss_status ss_nm_read_sized(ss_text *t, ss_pool *pool, const char *what, int32_t rows, int32_t cols,
                           ss_matrix *out);
void      ss_nm_write(FILE *f, const ss_matrix *m);

/* Take `count` numbers into memory of the pool. */
ss_status ss_siconos_vector(ss_text *t, ss_pool *pool, const char *what, int32_t count,
                            const double **out);
/* After a friction problem: the end, or one flag. Anything more belongs to another format. */
ss_status ss_siconos_end(ss_text *t);

/* Read a whole problem by `read_text`, and tell the source how far it came. */
ss_status ss_siconos_read(ss_source *source, ss_pool *pool,
                          ss_status (*read_text)(ss_text *t, ss_pool *pool, ss_problem *p),
                          ss_problem *out);

/* Look at the first `count` (at most 8) words as whole numbers; -1 for those that are not. */
void ss_siconos_peek(const ss_source *source, int32_t count, int32_t *words);
/* Does it begin with a size and a square matrix of it: an LCP, or a relay problem? */
bool ss_siconos_is_square(const ss_source *source);

/* Writing: numbers with all digits on one line, friction coefficients on one each. */
void ss_siconos_numbers(FILE *f, int32_t count, const double *x);
void ss_siconos_frictions(FILE *f, int32_t count, const ss_block *contacts);

#endif
