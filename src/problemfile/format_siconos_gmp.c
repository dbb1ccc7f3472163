/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Siconos text, generic mechanical problem: a matrix W in blocks, q, and for each block row what it
 * is: 0 (its rows are complementary), 2 (equalities) or 4 and mu (a contact in 3D). The other types
 * of Siconos have data that its files do not hold.
 */
#include "problemfile/siconos_text.h"

enum { BLOCKS = 1, COMPLEMENTARY = 0, EQUALITY = 2, CONTACT = 4, CONTACT_ROWS = 3 };

static bool sniff(const ss_source *source)
{
    int32_t w[6]; /* storage, rows, cols, blocks, block rows, block columns */
    ss_siconos_peek(source, 6, w);
    return w[0] == BLOCKS && w[1] > 0 && w[1] == w[2] && w[3] > 0 && w[4] > 0 && w[4] == w[5] &&
           w[4] <= w[1];
}

/* Where block rows end: read ahead, since a matrix once read knows nothing of it. */
static ss_status block_ends(const ss_text *at, ss_pool *pool, int32_t *count, int32_t **ends)
{
    ss_text ahead = *at;
    int32_t skipped, last = 0;
    for (int k = 0; k < 4; k++) {
        SS_TRY(ss_text_int(&ahead, "the size of a matrix in blocks", 1, INT32_MAX, &skipped));
    }
    SS_TRY(ss_text_int(&ahead, "the number of block rows", 1, INT32_MAX, count));
    SS_TRY(ss_text_int(&ahead, "the number of block columns", *count, *count, &skipped));
    SS_TRY(ss_text_room(&ahead, "the ends of the block rows", *count));
    SS_TRY(ss_pool_ints(pool, (size_t)*count, ends));
    for (int32_t k = 0; k < *count; k++) {
        SS_TRY(ss_text_int(&ahead, "the end of a block row", last + 1, INT32_MAX, &(*ends)[k]));
        last = (*ends)[k];
    }
    return SS_OK;
}

/* One block row: a block of ours, or one for each of its rows. */
static ss_status read_law(ss_text *t, int32_t start, int32_t dim, ss_block *blocks, int32_t *count)
{
    int32_t type;
    double  mu;
    SS_TRY(ss_text_int(t, "the type of a block", 0, INT32_MAX, &type));
    if (type == EQUALITY) {
        blocks[(*count)++] = (ss_block){SS_BLOCK_EQUALITY, start, dim, 0, 0};
        return SS_OK;
    }
    if (type == COMPLEMENTARY) {
        for (int32_t i = 0; i < dim; i++) {
            blocks[(*count)++] = (ss_block){SS_BLOCK_UNILATERAL, start + i, 1, 0, 0};
        }
        return SS_OK;
    }
    if (type != CONTACT) {
        return ss_text_fail(t,
                            "expected a block of type 0 (complementary), 2 (equality) or 4 "
                            "(contact in 3D), got %d, whose data such a file does not hold",
                            type);
    }
    if (dim != CONTACT_ROWS) {
        return ss_text_fail(t, "expected 3 rows in a contact, got %d", dim);
    }
    SS_TRY(ss_text_number(t, "a friction coefficient", &mu));
    blocks[(*count)++] = (ss_block){SS_BLOCK_CONE, start, dim, mu, 0};
    return SS_OK;
}

static ss_status read_text(ss_text *t, ss_pool *pool, ss_problem *p)
{
    ss_cone *cone = &p->as.cone;
    int32_t  count, *ends;
    void    *memory;
    p->type = SS_CONE;
    SS_TRY(block_ends(t, pool, &count, &ends));
    cone->n = ends[count - 1];
    SS_TRY(ss_nm_read_sized(t, pool, "the matrix W", cone->n, cone->n, &cone->W));
    SS_TRY(ss_siconos_vector(t, pool, "the vector q", cone->n, &cone->q));
    SS_TRY(ss_pool_objects(pool, (size_t)cone->n, sizeof(ss_block), &memory));
    for (int32_t k = 0; k < count; k++) {
        int32_t start = k > 0 ? ends[k - 1] : 0;
        SS_TRY(read_law(t, start, ends[k] - start, memory, &cone->nblocks));
    }
    cone->blocks = memory;
    return ss_text_ended(t) ? SS_OK : ss_text_fail(t, "expected the end of the file");
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    return ss_siconos_read(source, pool, read_text, &out->problem);
}

const ss_problem_class ss_format_siconos_gmp = {
    {"siconos-gmp", "Siconos text: equalities, complementary rows and contacts, local form",
     SS_CONE, 0},
    sniff,
    read,
    NULL};
