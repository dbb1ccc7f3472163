/* SPDX-License-Identifier: Apache-2.0 */
/* Siconos text, LCP: n, matrix M, q. Any text may follow. */
#include "io/siconos_text.h"

static bool sniff(const ss_source *source)
{
    int32_t w[4]; /* n, storage, rows, cols */
    ss_siconos_peek(source, 4, w);
    return w[0] > 0 && w[1] >= 0 && w[1] <= 2 && w[2] == w[0] && w[3] == w[0];
}

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
    ss_text t;
    ss_text_begin(&t, source->ctx, source->name, source->bytes, source->size);
    ss_status status = read_text(&t, pool, &out->problem);
    source->reached  = (size_t)(t.at - t.begin);
    return status;
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    const ss_lcp *lcp = &content->problem.as.lcp;
    FILE         *f;
    SS_TRY(ss_siconos_create(pool->ctx, path, &f));
    fprintf(f, "%d\n", lcp->n);
    ss_nm_write(f, &lcp->M);
    ss_siconos_numbers(f, lcp->n, lcp->q);
    return ss_siconos_close(pool->ctx, path, f);
}

const ss_problem_class ss_format_siconos_lcp = {
    {"siconos-lcp", "Siconos text: LCP", SS_LCP, SS_LCP}, sniff, read, write};
