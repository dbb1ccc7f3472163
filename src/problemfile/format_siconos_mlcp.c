/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Siconos text, MLCP: s1 s2 n m (n equalities, m complementarities), then
 *   s1 = 1  where the blocks of rows start, up to n + m; one flag a block (1: complementarity);
 *           matrix M; q
 *   s2 = 1  A(n,n) B(m,m) C(n,m) D(m,n) a(n) b(m), these row after row: M = [A C; D B], q = [a; b]
 * With both, the first is used and the second is read over. Whatever follows is ignored.
 */
#include <string.h>

#include "problemfile/siconos_text.h"
#include "problemfile/triplets.h"
#include "stickslip/output.h"

typedef struct sizes {
    int32_t blocks, parts; /* s1, s2 */
    int32_t n, m;
} sizes;

static bool sniff(const ss_source *source)
{
    int32_t w[5]; /* s1, s2, n, m; with s1 the first block starts at 0 */
    ss_siconos_peek(source, 5, w);
    bool blocks = w[0] == 1 && (w[1] == 0 || w[1] == 1) && w[4] == 0;
    bool parts  = w[0] == 0 && w[1] == 1;
    return (blocks || parts) && w[2] >= 0 && w[3] >= 0;
}

static ss_status read_sizes(ss_text *t, sizes *s)
{
    SS_TRY(ss_text_int(t, "s1, whether blocks follow", 0, 1, &s->blocks));
    SS_TRY(ss_text_int(t, "s2, whether A, B, C, D follow", 0, 1, &s->parts));
    SS_TRY(ss_text_int(t, "the number of equalities", 0, INT32_MAX / 2, &s->n));
    SS_TRY(ss_text_int(t, "the number of complementarities", 0, INT32_MAX / 2, &s->m));
    if (s->blocks + s->parts == 0 || s->n + s->m == 0) {
        return ss_text_fail(t, "expected an MLCP with rows, and s1 or s2 to be 1");
    }
    return ss_text_room(t, "the vector q", s->n + s->m);
}

/* Block starts and flags become one flag a row. */
static ss_status read_free(ss_text *t, ss_pool *pool, int32_t size, unsigned char *free)
{
    int32_t *start, count = 0;
    SS_TRY(ss_pool_ints(pool, (size_t)size + 1, &start));
    SS_TRY(ss_text_int(t, "the start of the first block", 0, 0, &start[0]));
    while (start[count] < size) {
        int32_t low = start[count++] + 1;
        SS_TRY(ss_text_int(t, "the start of the next block", low, size, &start[count]));
    }
    for (int32_t b = 0; b < count; b++) {
        int32_t complementary;
        SS_TRY(ss_text_int(t, "the flag of a block", 0, 1, &complementary));
        memset(free + start[b], !complementary, (size_t)(start[b + 1] - start[b]));
    }
    return SS_OK;
}

static ss_status check_counts(const ss_text *t, const sizes *s, const unsigned char *free)
{
    int32_t count = 0;
    for (int32_t i = 0; i < s->n + s->m; i++) {
        count += free[i];
    }
    if (count != s->n) {
        return ss_text_fail(t, "expected blocks with %d equalities, got %d", s->n, count);
    }
    return SS_OK;
}

static ss_status read_blocks(ss_text *t, ss_pool *pool, const sizes *s, ss_mlcp *mlcp)
{
    unsigned char *free;
    ss_text        start;
    SS_TRY(ss_pool_bytes(pool, (size_t)mlcp->n, &free));
    SS_TRY(read_free(t, pool, mlcp->n, free));
    SS_TRY(check_counts(t, s, free));
    mlcp->free = free;
    start      = *t;
    SS_TRY(ss_nm_read(t, pool, "the matrix M", &mlcp->M));
    if (mlcp->M.rows != mlcp->n || mlcp->M.cols != mlcp->n) {
        *t = start;
        return ss_text_fail(t,
                            "expected a square matrix M of %d rows, got %d by %d (rectangular "
                            "MLCPs cannot be read)",
                            mlcp->n, mlcp->M.rows, mlcp->M.cols);
    }
    return ss_siconos_vector(t, pool, "the vector q", mlcp->n, &mlcp->q);
}

/* A part of M, stored row after row, into place (row, col) of the dense matrix. */
static ss_status read_part(ss_text *t, const char *what, int32_t rows, int32_t cols, double *place,
                           int32_t ld)
{
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < cols; j++) {
            SS_TRY(ss_text_number(t, what, &place[(size_t)j * (size_t)ld + (size_t)i]));
        }
    }
    return SS_OK;
}

static ss_status read_parts(ss_text *t, ss_pool *pool, const sizes *s, ss_mlcp *mlcp)
{
    size_t         n = (size_t)s->n, size = (size_t)mlcp->n;
    double        *M;
    unsigned char *free;
    SS_TRY(ss_text_room(t, "the matrices A, B, C, D", (double)size * (double)size));
    SS_TRY(ss_pool_doubles(pool, size * size, &M));
    SS_TRY(ss_pool_bytes(pool, size, &free));
    memset(free, 1, n);
    SS_TRY(read_part(t, "an entry of A", s->n, s->n, M, mlcp->n));
    SS_TRY(read_part(t, "an entry of B", s->m, s->m, M + n * size + n, mlcp->n));
    SS_TRY(read_part(t, "an entry of C", s->n, s->m, M + n * size, mlcp->n));
    SS_TRY(read_part(t, "an entry of D", s->m, s->n, M + n, mlcp->n));
    mlcp->M    = ss_matrix_dense(mlcp->n, mlcp->n, M);
    mlcp->free = free;
    return ss_siconos_vector(t, pool, "the vectors a and b", mlcp->n, &mlcp->q);
}

static ss_status read_text(ss_text *t, ss_pool *pool, ss_problem *p)
{
    sizes    s;
    ss_mlcp *mlcp = &p->as.mlcp;
    p->type       = SS_MLCP;
    SS_TRY(read_sizes(t, &s));
    mlcp->n = s.n + s.m;
    return s.blocks ? read_blocks(t, pool, &s, mlcp) : read_parts(t, pool, &s, mlcp);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    return ss_siconos_read(source, pool, read_text, &out->problem);
}

/* One block for each run of rows of the same kind. */
static void write_blocks(FILE *f, const ss_mlcp *mlcp)
{
    fprintf(f, "0");
    for (int32_t i = 1; i <= mlcp->n; i++) {
        if (i == mlcp->n || mlcp->free[i] != mlcp->free[i - 1]) {
            fprintf(f, " %d", i);
        }
    }
    fprintf(f, "\n%d", !mlcp->free[0]);
    for (int32_t i = 1; i < mlcp->n; i++) {
        if (mlcp->free[i] != mlcp->free[i - 1]) {
            fprintf(f, " %d", !mlcp->free[i]);
        }
    }
    fputc('\n', f);
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    const ss_mlcp  *mlcp = &content->problem.as.mlcp;
    ss_output_file *out;
    int32_t         equalities = 0;
    for (int32_t i = 0; i < mlcp->n; i++) {
        equalities += mlcp->free[i] != 0;
    }
    SS_TRY(ss_output_open(pool->ctx, path, &out));
    FILE *f = ss_output_stream(out);
    fprintf(f, "1\n0\n%d\n%d\n", equalities, mlcp->n - equalities);
    write_blocks(f, mlcp);
    ss_nm_write(f, &mlcp->M);
    ss_siconos_numbers(f, mlcp->n, mlcp->q);
    return ss_output_close(out, SS_OK);
}

const ss_problem_class ss_format_siconos_mlcp = {
    {"siconos-mlcp", "Siconos text: mixed LCP", SS_MLCP, SS_MLCP}, sniff, read, write};
