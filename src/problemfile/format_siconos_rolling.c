/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Siconos text, rolling friction: 5 nc, matrix W, q, mu, mu_r, with u = W r + q and the rows of a
 * contact in the order (n, t1, t2, m1, m2). Read as cones (rolling.h). A single flag may follow.
 */
#include "problemfile/rolling.h"
#include "problemfile/siconos_text.h"

static bool sniff(const ss_source *source)
{
    int32_t w[5]; /* d, nc, storage, rows, cols */
    ss_siconos_peek(source, 5, w);
    return w[0] == SS_ROLLING_ROWS && w[1] > 0 && w[2] >= 0 && w[2] <= 2 && w[3] == w[4] &&
           w[3] / SS_ROLLING_ROWS == w[1] && w[3] % SS_ROLLING_ROWS == 0;
}

static ss_status read_text(ss_text *t, ss_pool *pool, ss_stored_problem *out)
{
    int32_t       dim, contacts;
    ss_matrix     W;
    const double *q, *mu, *mu_r;
    SS_TRY(ss_text_int(t, "the number of rows a contact", SS_ROLLING_ROWS, SS_ROLLING_ROWS, &dim));
    SS_TRY(ss_text_int(t, "the number of contacts", 1, INT32_MAX / SS_ROLLING_OURS, &contacts));
    int32_t n = contacts * SS_ROLLING_ROWS;
    SS_TRY(ss_nm_read_sized(t, pool, "the matrix W", n, n, &W));
    SS_TRY(ss_siconos_vector(t, pool, "the vector q", n, &q));
    SS_TRY(ss_siconos_vector(t, pool, "the friction coefficients", contacts, &mu));
    SS_TRY(ss_siconos_vector(t, pool, "the rolling friction coefficients", contacts, &mu_r));
    SS_TRY(ss_siconos_end(t));
    return ss_rolling_expand(pool, contacts, &W, q, mu, mu_r, out);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    ss_text t;
    ss_text_begin(&t, source->ctx, source->name, source->bytes, source->size);
    ss_status status = read_text(&t, pool, out);
    source->reached  = (size_t)(t.at - t.begin);
    return status;
}

const ss_problem_class ss_format_siconos_rolling = {
    {"siconos-rolling", "Siconos text: friction contact with rolling friction, local form", SS_CONE,
     0},
    sniff,
    read,
    NULL};
