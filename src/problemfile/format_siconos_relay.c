/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Siconos text, relay: n, matrix M, q, lower bounds, upper bounds, for -(M z + q) in the normal
 * cone of the box at z: a box-bounded mcp with an affine F. The same as an LCP file followed by 2n
 * numbers, which is how the two are told apart.
 */
#include "problemfile/affine_mcp.h"
#include "problemfile/siconos_text.h"
#include "stickslip/output.h"

static ss_status read_bound(ss_text *t, const char *what, int32_t n, double *bound)
{
    for (int32_t i = 0; i < n; i++) {
        ss_word word = ss_text_word(t);
        if (!ss_word_number(word, &bound[i])) {
            return ss_text_fail(t, "expected %s %d of %d", what, i + 1, n);
        }
    }
    return SS_OK;
}

static ss_status read_bounds(ss_text *t, ss_pool *pool, int32_t n, double **lower, double **upper)
{
    SS_TRY(ss_pool_doubles(pool, (size_t)n, lower));
    SS_TRY(ss_pool_doubles(pool, (size_t)n, upper));
    SS_TRY(read_bound(t, "lower bound", n, *lower));
    SS_TRY(read_bound(t, "upper bound", n, *upper));
    for (int32_t i = 0; i < n; i++) {
        if (!((*lower)[i] <= (*upper)[i])) {
            return ss_text_fail(t, "expected lower bound %d to be at most %g, got %g", i + 1,
                                (*upper)[i], (*lower)[i]);
        }
    }
    return SS_OK;
}

static ss_status read_text(ss_text *t, ss_pool *pool, ss_problem *p)
{
    int32_t       n;
    ss_matrix     M;
    const double *q;
    double       *lower, *upper;
    SS_TRY(ss_text_int(t, "the size n of a relay problem", 1, INT32_MAX, &n));
    SS_TRY(ss_nm_read_sized(t, pool, "the matrix M", n, n, &M));
    SS_TRY(ss_siconos_vector(t, pool, "the vector q", n, &q));
    SS_TRY(read_bounds(t, pool, n, &lower, &upper));
    if (!ss_text_ended(t)) {
        return ss_text_fail(t, "expected the end of the file after the bounds");
    }
    return ss_affine_mcp(pool, &M, q, lower, upper, p);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    return ss_siconos_read(source, pool, read_text, &out->problem);
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    const ss_mcp    *mcp    = &content->problem.as.mcp;
    const ss_affine *affine = ss_affine_of(mcp);
    ss_output_file  *out;
    if (affine == NULL) {
        return ss_fail(pool->ctx, SS_ERR_UNSUPPORTED,
                       "%s: only an mcp with affine F that came from a file can be written", path);
    }
    SS_TRY(ss_output_open(pool->ctx, path, &out));
    FILE *f = ss_output_stream(out);
    fprintf(f, "%d\n", mcp->n);
    ss_nm_write(f, &affine->M);
    ss_siconos_numbers(f, mcp->n, affine->q);
    ss_siconos_numbers(f, mcp->n, mcp->lower);
    ss_siconos_numbers(f, mcp->n, mcp->upper);
    return ss_output_close(out, SS_OK);
}

const ss_problem_class ss_format_siconos_relay = {
    {"siconos-relay", "Siconos text: relay (box-bounded, affine)", SS_MCP, SS_MCP},
    ss_siconos_is_square,
    read,
    write};
