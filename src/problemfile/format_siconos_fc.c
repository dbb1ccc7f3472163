/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Siconos text, friction contact: d nc, matrix W, q, mu, with u = W r + q and the rows of a contact
 * in the order (n, t) or (n, t1, t2). A single flag may follow.
 */
#include "problemfile/siconos_text.h"
#include "stickslip/output.h"

static bool sniff(const ss_source *source)
{
    int32_t w[5]; /* d, nc, storage, rows, cols */
    ss_siconos_peek(source, 5, w);
    return (w[0] == 2 || w[0] == 3) && w[1] > 0 && w[2] >= 0 && w[2] <= 2 && w[3] == w[4] &&
           w[3] / w[0] == w[1] && w[3] % w[0] == 0;
}

static ss_status read_text(ss_text *t, ss_pool *pool, ss_problem *p)
{
    ss_cone      *cone = &p->as.cone;
    int32_t       dim, contacts;
    const double *mu;
    p->type = SS_CONE;
    SS_TRY(ss_text_int(t, "the number of rows a contact", 2, 3, &dim));
    SS_TRY(ss_text_int(t, "the number of contacts", 1, INT32_MAX / 3, &contacts));
    cone->n = dim * contacts;
    SS_TRY(ss_nm_read_sized(t, pool, "the matrix W", cone->n, cone->n, &cone->W));
    SS_TRY(ss_siconos_vector(t, pool, "the vector q", cone->n, &cone->q));
    SS_TRY(ss_siconos_vector(t, pool, "the friction coefficients", contacts, &mu));
    SS_TRY(ss_siconos_end(t));
    cone->nblocks = contacts;
    return ss_cone_blocks(pool, contacts, dim, mu, 0, &cone->blocks);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    return ss_siconos_read(source, pool, read_text, &out->problem);
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    const ss_cone   *cone = &content->problem.as.cone;
    ss_contact_shape shape;
    ss_output_file  *out;
    SS_TRY(ss_cone_shape(pool->ctx, cone, "siconos-fc", &shape));
    if (cone->nv > 0 || shape.equalities > 0) {
        return ss_fail(pool->ctx, SS_ERR_UNSUPPORTED,
                       "siconos-fc holds friction problems in the local form without equality "
                       "rows: write this one as %s",
                       shape.equalities > 0 ? "fclib or stickslip" : "siconos-gfc");
    }
    SS_TRY(ss_output_open(pool->ctx, path, &out));
    FILE *f = ss_output_stream(out);
    fprintf(f, "%d\n%d\n", shape.dim, shape.contacts);
    ss_nm_write(f, &cone->W);
    ss_siconos_numbers(f, cone->n, cone->q);
    ss_siconos_frictions(f, shape.contacts, cone->blocks);
    return ss_output_close(out, SS_OK);
}

const ss_problem_class ss_format_siconos_fc = {
    {"siconos-fc", "Siconos text: friction contact, local form", SS_CONE, SS_CONE},
    sniff,
    read,
    write};
