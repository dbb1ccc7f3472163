/* SPDX-License-Identifier: Apache-2.0 */
/* Siconos text, LCP: n, matrix M, q. Any text may follow. */
#include "problemfile/siconos_text.h"
#include "stickslip/output.h"

static ss_status read_text(ss_text *t, ss_pool *pool, ss_problem *p)
{
    ss_lcp *lcp = &p->as.lcp;
    p->type     = SS_LCP;
    SS_TRY(ss_text_int(t, "the size n of an LCP", 1, INT32_MAX, &lcp->n));
    SS_TRY(ss_nm_read_sized(t, pool, "the matrix M", lcp->n, lcp->n, &lcp->M));
    return ss_siconos_vector(t, pool, "the vector q", lcp->n, &lcp->q);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    return ss_siconos_read(source, pool, read_text, &out->problem);
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    const ss_lcp   *lcp = &content->problem.as.lcp;
    ss_output_file *out;
    SS_TRY(ss_output_open(pool->ctx, path, &out));
    FILE *f = ss_output_stream(out);
    fprintf(f, "%d\n", lcp->n);
    ss_nm_write(f, &lcp->M);
    ss_siconos_numbers(f, lcp->n, lcp->q);
    return ss_output_close(out, SS_OK);
}

const ss_problem_class ss_format_siconos_lcp = {
    {"siconos-lcp", "Siconos text: LCP", SS_LCP, SS_LCP}, ss_siconos_is_square, read, write};
