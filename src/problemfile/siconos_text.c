/* SPDX-License-Identifier: Apache-2.0 */
#include "problemfile/siconos_text.h"

#include <errno.h>
#include <string.h>

#include "problemfile/triplets.h"

enum { DENSE = 0, BLOCKS = 1, SPARSE = 2 };
enum { TRIPLET = 1, COLUMNS = 2, ROWS = 3, HALF_TRIPLET = 4 };

/* A dimension is also the length of a vector of the same file, so it cannot exceed the text. */
static ss_status read_dimension(ss_text *t, const char *what, int32_t low, int32_t *out)
{
    SS_TRY(ss_text_int(t, what, low, INT32_MAX, out));
    size_t size = (size_t)(t->end - t->begin);
    if ((size_t)*out > size) {
        return ss_text_fail(t, "%s is %d, more than a file of %zu characters can hold", what, *out,
                            size);
    }
    return SS_OK;
}

static ss_status read_dense(ss_text *t, ss_pool *pool, const char *what, ss_matrix *m)
{
    int32_t rows, cols;
    double *values;
    SS_TRY(ss_text_int(t, "the number of rows once more", m->rows, m->rows, &rows));
    SS_TRY(ss_text_int(t, "the number of columns once more", m->cols, m->cols, &cols));
    SS_TRY(ss_text_room(t, what, (double)rows * cols));
    SS_TRY(ss_pool_doubles(pool, (size_t)rows * (size_t)cols, &values));
    SS_TRY(ss_text_numbers(t, what, (size_t)rows * (size_t)cols, values));
    *m = ss_matrix_dense(rows, cols, values);
    return SS_OK;
}

/* The layout of a block matrix. */
typedef struct blocks {
    int32_t  count, nrow, ncol;
    int32_t *row_end, *col_end; /* (nrow), (ncol)                     */
    int32_t *start;             /* (nrow + 1) first block of each row */
    int32_t *column;            /* (count) block column of each block */
} blocks;

/* Ascending numbers, from at least `low` to exactly `last`. */
static ss_status read_ends(ss_text *t, ss_pool *pool, const char *what, int32_t count, int32_t last,
                           int32_t **out)
{
    SS_TRY(ss_text_room(t, what, count));
    SS_TRY(ss_pool_ints(pool, (size_t)count, out));
    int32_t low = 0;
    for (int32_t i = 0; i < count; i++) {
        SS_TRY(ss_text_int(t, what, i + 1 == count ? last : low, last, &(*out)[i]));
        low = (*out)[i];
    }
    return SS_OK;
}

static ss_status read_layout(ss_text *t, ss_pool *pool, const ss_matrix *m, blocks *b)
{
    int32_t filled1, filled2;
    SS_TRY(read_dimension(t, "the number of blocks", 0, &b->count));
    SS_TRY(read_dimension(t, "the number of block rows", 1, &b->nrow));
    SS_TRY(read_dimension(t, "the number of block columns", 1, &b->ncol));
    SS_TRY(read_ends(t, pool, "the end of a block row", b->nrow, m->rows, &b->row_end));
    SS_TRY(read_ends(t, pool, "the end of a block column", b->ncol, m->cols, &b->col_end));
    SS_TRY(ss_text_int(t, "the number of row starts", b->nrow + 1, b->nrow + 1, &filled1));
    SS_TRY(ss_text_int(t, "the number of block columns listed", b->count, b->count, &filled2));
    SS_TRY(read_ends(t, pool, "the first block of a row", filled1, b->count, &b->start));
    SS_TRY(ss_text_room(t, "the list of block columns", filled2));
    SS_TRY(ss_pool_ints(pool, (size_t)filled2, &b->column));
    for (int32_t k = 0; k < filled2; k++) {
        SS_TRY(ss_text_int(t, "a block column", 0, b->ncol - 1, &b->column[k]));
    }
    return SS_OK;
}

static int32_t block_size(const int32_t *ends, int32_t k)
{
    return ends[k] - (k > 0 ? ends[k - 1] : 0);
}

/* The number of entries of all blocks, as a double: nothing is allocated before it is checked. */
static double block_entries(const blocks *b)
{
    double total = 0;
    for (int32_t r = 0; r < b->nrow; r++) {
        for (int32_t k = b->start[r]; k < b->start[r + 1]; k++) {
            total += (double)block_size(b->row_end, r) * block_size(b->col_end, b->column[k]);
        }
    }
    return total;
}

static ss_status read_block(ss_text *t, const blocks *b, int32_t r, int32_t k, ss_triplets *e)
{
    int32_t number;
    SS_TRY(ss_text_int(t, "the number of the block", k, k, &number));
    int32_t row = r > 0 ? b->row_end[r - 1] : 0, rows = block_size(b->row_end, r);
    int32_t c   = b->column[k];
    int32_t col = c > 0 ? b->col_end[c - 1] : 0, cols = block_size(b->col_end, c);
    for (int32_t j = 0; j < cols; j++) {
        for (int32_t i = 0; i < rows; i++) {
            SS_TRY(ss_text_number(t, "an entry of the block", &e->x[e->count]));
            e->i[e->count]   = row + i;
            e->j[e->count++] = col + j;
        }
    }
    return SS_OK;
}

static ss_status read_blocks(ss_text *t, ss_pool *pool, const char *what, ss_matrix *m)
{
    blocks      b;
    ss_triplets e = {0};
    SS_TRY(read_layout(t, pool, m, &b));
    if (b.start[0] != 0) {
        return ss_text_fail(t, "expected the first block of the first row to be 0, got %d",
                            b.start[0]);
    }
    double total = block_entries(&b);
    SS_TRY(ss_text_room(t, what, total));
    SS_TRY(ss_triplets_alloc(pool, m->rows, m->cols, (size_t)total, &e));
    e.count = 0;
    for (int32_t r = 0; r < b.nrow; r++) {
        for (int32_t k = b.start[r]; k < b.start[r + 1]; k++) {
            SS_TRY(read_block(t, &b, r, k, &e));
        }
    }
    return ss_triplets_compress(pool, &e, m);
}

/* The number after `label` in a line, or -1. */
static double labelled(ss_word line, const char *label)
{
    size_t length = strlen(label);
    double value  = -1;
    for (size_t at = 0; at + length < line.length; at++) {
        if (memcmp(line.start + at, label, length) != 0) {
            continue;
        }
        ss_text tail;
        ss_text_begin(&tail, NULL, "", line.start + at + length, line.length - at - length);
        ss_word word = ss_text_word(&tail);
        if (word.length > 0 && word.start[word.length - 1] == ',') {
            word.length--;
        }
        return ss_word_number(word, &value) ? value : -1;
    }
    return -1;
}

/* The banner and the header line "... nnz: N ...". */
static ss_status read_sparse_header(ss_text *t, ss_pool *pool, const char *what, ss_matrix *m,
                                    ss_triplets *e)
{
    ss_text_line(t); /* rest of the line of `origin` */
    ss_text_line(t); /* banner                       */
    double nnz = labelled(ss_text_line(t), "nnz:");
    if (nnz < 0) {
        t->line--;
        return ss_text_fail(t, "expected a line '%d-by-%d, nzmax: ... nnz: ...' before %s", m->rows,
                            m->cols, what);
    }
    SS_TRY(ss_text_room(t, what, nnz));
    return ss_triplets_alloc(pool, m->rows, m->cols, (size_t)nnz, e);
}

static ss_status read_triplets(ss_text *t, ss_triplets *e)
{
    for (int32_t k = 0; k < e->count; k++) {
        SS_TRY(ss_text_int(t, "the row of an entry", 0, e->rows - 1, &e->i[k]));
        SS_TRY(ss_text_int(t, "the column of an entry", 0, e->cols - 1, &e->j[k]));
        SS_TRY(ss_text_expect(t, ":"));
        SS_TRY(ss_text_number(t, "the value of an entry", &e->x[k]));
    }
    return SS_OK;
}

/* "col J : locations A to B" and then B - A + 1 lines "I : VALUE". */
static ss_status read_column(ss_text *t, int32_t column, ss_triplets *e, int32_t *next)
{
    int32_t number, last;
    SS_TRY(ss_text_expect(t, "col"));
    SS_TRY(ss_text_int(t, "the number of the column", column, column, &number));
    SS_TRY(ss_text_expect(t, ":"));
    SS_TRY(ss_text_expect(t, "locations"));
    SS_TRY(ss_text_int(t, "the first location of the column", *next, *next, &number));
    SS_TRY(ss_text_expect(t, "to"));
    SS_TRY(ss_text_int(t, "the last location of the column", *next - 1, e->count - 1, &last));
    for (; *next <= last; (*next)++) {
        e->j[*next] = column;
        SS_TRY(ss_text_int(t, "the row of an entry", 0, e->rows - 1, &e->i[*next]));
        SS_TRY(ss_text_expect(t, ":"));
        SS_TRY(ss_text_number(t, "the value of an entry", &e->x[*next]));
    }
    return SS_OK;
}

static ss_status read_columns(ss_text *t, ss_triplets *e)
{
    int32_t next = 0;
    for (int32_t j = 0; j < e->cols; j++) {
        SS_TRY(read_column(t, j, e, &next));
    }
    e->count = next;
    return SS_OK;
}

/* Rows are printed as if they were columns of the transpose. */
static ss_status read_rows(ss_text *t, ss_triplets *e)
{
    ss_triplets transposed = {e->cols, e->rows, e->count, e->j, e->i, e->x};
    SS_TRY(read_columns(t, &transposed));
    e->count = transposed.count;
    return SS_OK;
}

static ss_status read_sparse(ss_text *t, ss_pool *pool, const char *what, ss_matrix *m)
{
    int32_t     origin;
    ss_triplets e = {0};
    SS_TRY(ss_text_int(t, "the kind of sparse storage", TRIPLET, HALF_TRIPLET, &origin));
    SS_TRY(read_sparse_header(t, pool, what, m, &e));
    if (origin == COLUMNS) {
        SS_TRY(read_columns(t, &e));
    } else if (origin == ROWS) {
        SS_TRY(read_rows(t, &e));
    } else {
        SS_TRY(read_triplets(t, &e));
    }
    if (origin == HALF_TRIPLET && m->rows == m->cols) {
        SS_TRY(ss_triplets_mirror(pool, &e));
    }
    return ss_triplets_compress(pool, &e, m);
}

ss_status ss_nm_read(ss_text *t, ss_pool *pool, const char *what, ss_matrix *out)
{
    int32_t storage;
    *out = (ss_matrix){0};
    SS_TRY(ss_text_int(t, "the storage of a matrix", DENSE, SPARSE, &storage));
    SS_TRY(read_dimension(t, "the number of rows", 1, &out->rows));
    SS_TRY(read_dimension(t, "the number of columns", 1, &out->cols));
    switch (storage) {
    case DENSE:
        return read_dense(t, pool, what, out);
    case BLOCKS:
        return read_blocks(t, pool, what, out);
    default:
        return read_sparse(t, pool, what, out);
    }
}

ss_status ss_nm_read_sized(ss_text *t, ss_pool *pool, const char *what, int32_t rows, int32_t cols,
                           ss_matrix *out)
{
    ss_text start = *t;
    SS_TRY(ss_nm_read(t, pool, what, out));
    if (out->rows != rows || out->cols != cols) {
        *t = start;
        return ss_text_fail(t, "expected %s to be %d by %d, got %d by %d", what, rows, cols,
                            out->rows, out->cols);
    }
    return SS_OK;
}

ss_status ss_siconos_vector(ss_text *t, ss_pool *pool, const char *what, int32_t count,
                            const double **out)
{
    double *values;
    SS_TRY(ss_text_room(t, what, count));
    SS_TRY(ss_pool_doubles(pool, (size_t)count, &values));
    *out = values;
    return ss_text_numbers(t, what, (size_t)count, values);
}

ss_status ss_siconos_end(ss_text *t)
{
    ss_text_word(t);
    if (!ss_text_ended(t)) {
        return ss_text_fail(t, "expected the end of the file after the friction coefficients");
    }
    return SS_OK;
}

void ss_siconos_peek(const ss_source *source, int32_t count, int32_t *words)
{
    ss_text t;
    ss_text_begin(&t, source->ctx, source->name, source->bytes, source->size);
    for (int32_t k = 0; k < count; k++) {
        double value;
        words[k] = -1;
        if (ss_word_number(ss_text_word(&t), &value) && value >= 0 && value <= INT32_MAX &&
            value == (int32_t)value) {
            words[k] = (int32_t)value;
        }
    }
}

bool ss_siconos_is_square(const ss_source *source)
{
    int32_t w[4]; /* n, storage, rows, cols */
    ss_siconos_peek(source, 4, w);
    return w[0] > 0 && w[1] >= 0 && w[1] <= 2 && w[2] == w[0] && w[3] == w[0];
}

ss_status ss_siconos_read(ss_source *source, ss_pool *pool,
                          ss_status (*read_text)(ss_text *t, ss_pool *pool, ss_problem *p),
                          ss_problem *out)
{
    ss_text t;
    ss_text_begin(&t, source->ctx, source->name, source->bytes, source->size);
    ss_status status = read_text(&t, pool, out);
    source->reached  = (size_t)(t.at - t.begin);
    return status;
}

/* Triplets with all digits, where Siconos itself prints six. */
static void write_sparse(FILE *f, const ss_matrix *m)
{
    size_t nnz = ss_matrix_entries(m);
    fprintf(f, "%d\n%d\n%d\n%d\n", SPARSE, m->rows, m->cols, TRIPLET);
    fprintf(f, "written by stickslip %s\n", ss_version());
    fprintf(f, "triplet: %d-by-%d, nzmax: %zu nnz: %zu\n", m->rows, m->cols, nnz, nnz);
    for (int32_t j = 0; j < m->cols; j++) {
        for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
            fprintf(f, "    %d %d : %.17g\n", m->rowind[k], j, m->values[k]);
        }
    }
}

void ss_nm_write(FILE *f, const ss_matrix *m)
{
    if (m->dense == NULL) {
        write_sparse(f, m);
        return;
    }
    fprintf(f, "%d\n%d\n%d\n%d %d\n", DENSE, m->rows, m->cols, m->rows, m->cols);
    for (int32_t j = 0; j < m->cols; j++) {
        ss_siconos_numbers(f, m->rows, m->dense + (size_t)j * (size_t)m->ld);
    }
}

void ss_siconos_numbers(FILE *f, int32_t count, const double *x)
{
    for (int32_t i = 0; i < count; i++) {
        fprintf(f, "%s%.17g", i > 0 ? " " : "", x[i]);
    }
    fputc('\n', f);
}

void ss_siconos_frictions(FILE *f, int32_t count, const ss_block *contacts)
{
    for (int32_t k = 0; k < count; k++) {
        fprintf(f, "%.17g\n", contacts[k].mu);
    }
}
