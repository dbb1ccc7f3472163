/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The project's own problem file: HDF5, one array for every field of the problem structs, under
 * the group `stickslip_problem` (docs/reference/problem-files.md has the layout). It holds
 * everything that a problem can say, but for callbacks: an mcp is stored when its F is affine.
 */
#include <string.h>

#include "problemfile/affine_mcp.h"
#include "problemfile/hdf5_access.h"
#include "problemfile/triplets.h"

#define ROOT "stickslip_problem"
enum { VERSION = 1 };

static bool sniff(const ss_source *source)
{
    return ss_h5_sniff_path(source, ROOT);
}

/* "stickslip_problem/GROUP/NAME" in the caller's buffer. */
enum { PATH_SIZE = 96 };
static const char *path_of(char *buffer, const char *group, const char *name)
{
    snprintf(buffer, PATH_SIZE, ROOT "/%s/%s", group, name);
    return buffer;
}

/* ---- reading ---- */

/* The file has rows one after the other, as its readers in other languages expect. */
static ss_status read_dense(const ss_h5 *h, ss_pool *pool, const char *group, ss_matrix *m)
{
    char    path[PATH_SIZE];
    double *rows, *columns;
    size_t  nr = (size_t)m->rows, nc = (size_t)m->cols;
    SS_TRY(ss_h5_doubles(h, pool, path_of(path, group, "dense"), nr * nc, &rows));
    SS_TRY(ss_pool_doubles(pool, nr * nc, &columns));
    for (size_t i = 0; i < nr; i++) {
        for (size_t j = 0; j < nc; j++) {
            columns[j * nr + i] = rows[i * nc + j];
        }
    }
    *m = ss_matrix_dense(m->rows, m->cols, columns);
    return SS_OK;
}

/* Column starts ascend from 0 to the number of entries; the rest ss_problem_check looks at. */
static ss_status check_starts(const ss_h5 *h, const char *group, const ss_matrix *m, size_t entries)
{
    bool fine = m->colptr[0] == 0 && (size_t)m->colptr[m->cols] == entries;
    for (int32_t j = 0; fine && j < m->cols; j++) {
        fine = m->colptr[j] <= m->colptr[j + 1];
    }
    if (!fine) {
        return ss_fail(h->ctx, SS_ERR_INPUT,
                       "%s: " ROOT "/%s/colptr: expected column starts that ascend from 0 to %zu",
                       h->name, group, entries);
    }
    return SS_OK;
}

static ss_status read_sparse(const ss_h5 *h, ss_pool *pool, const char *group, ss_matrix *m)
{
    char     path[PATH_SIZE];
    int32_t *colptr, *rowind;
    double  *values;
    size_t   entries;
    SS_TRY(ss_h5_ints(h, pool, path_of(path, group, "colptr"), (size_t)m->cols + 1, &colptr));
    SS_TRY(ss_h5_count(h, path_of(path, group, "values"), &entries));
    m->colptr = colptr;
    SS_TRY(check_starts(h, group, m, entries));
    SS_TRY(ss_h5_ints(h, pool, path_of(path, group, "rowind"), entries, &rowind));
    SS_TRY(ss_h5_doubles(h, pool, path_of(path, group, "values"), entries, &values));
    m->rowind = rowind;
    m->values = values;
    return SS_OK;
}

static ss_status read_matrix(const ss_h5 *h, ss_pool *pool, const char *group, ss_matrix *m)
{
    char path[PATH_SIZE];
    *m = (ss_matrix){0};
    SS_TRY(ss_h5_int(h, path_of(path, group, "rows"), 0, INT32_MAX, &m->rows));
    SS_TRY(ss_h5_int(h, path_of(path, group, "cols"), 0, INT32_MAX - 1, &m->cols));
    if (ss_h5_has(h, path_of(path, group, "dense"))) {
        return read_dense(h, pool, group, m);
    }
    return read_sparse(h, pool, group, m);
}

static ss_status read_vector(const ss_h5 *h, ss_pool *pool, const char *path, int32_t n,
                             const double **out)
{
    double *x;
    SS_TRY(ss_h5_doubles(h, pool, path, (size_t)n, &x));
    *out = x;
    return SS_OK;
}

/* The same for a vector that may be missing. */
static ss_status read_optional(const ss_h5 *h, ss_pool *pool, const char *path, int32_t n,
                               const double **out)
{
    return ss_h5_has(h, path) ? read_vector(h, pool, path, n, out) : SS_OK;
}

static ss_status read_lcp(const ss_h5 *h, ss_pool *pool, ss_problem *p)
{
    p->type = SS_LCP;
    SS_TRY(read_matrix(h, pool, "M", &p->as.lcp.M));
    p->as.lcp.n = p->as.lcp.M.rows;
    return read_vector(h, pool, ROOT "/q", p->as.lcp.n, &p->as.lcp.q);
}

static ss_status read_mlcp(const ss_h5 *h, ss_pool *pool, ss_problem *p)
{
    ss_mlcp       *mlcp = &p->as.mlcp;
    int32_t       *flags;
    unsigned char *free;
    p->type = SS_MLCP;
    SS_TRY(read_matrix(h, pool, "M", &mlcp->M));
    mlcp->n = mlcp->M.rows;
    SS_TRY(ss_h5_ints(h, pool, ROOT "/free", (size_t)mlcp->n, &flags));
    SS_TRY(ss_pool_bytes(pool, (size_t)mlcp->n, &free));
    for (int32_t i = 0; i < mlcp->n; i++) {
        free[i] = flags[i] != 0;
    }
    mlcp->free = free;
    return read_vector(h, pool, ROOT "/q", mlcp->n, &mlcp->q);
}

static ss_status read_mcp(const ss_h5 *h, ss_pool *pool, ss_problem *p)
{
    ss_matrix     M;
    const double *q, *lower, *upper;
    SS_TRY(read_matrix(h, pool, "M", &M));
    if (M.rows != M.cols) {
        return ss_fail(h->ctx, SS_ERR_INPUT, "%s: " ROOT "/M: expected a square matrix", h->name);
    }
    SS_TRY(read_vector(h, pool, ROOT "/q", M.rows, &q));
    SS_TRY(read_vector(h, pool, ROOT "/lower", M.rows, &lower));
    SS_TRY(read_vector(h, pool, ROOT "/upper", M.rows, &upper));
    return ss_affine_mcp(pool, &M, q, lower, upper, p);
}

static ss_status read_blocks(const ss_h5 *h, ss_pool *pool, ss_cone *cone)
{
    size_t   count;
    int32_t *kind, *dim;
    double  *mu, *bound;
    void    *memory;
    SS_TRY(ss_h5_count(h, ROOT "/blocks/kind", &count));
    SS_TRY(ss_h5_ints(h, pool, ROOT "/blocks/kind", count, &kind));
    SS_TRY(ss_h5_ints(h, pool, ROOT "/blocks/dim", count, &dim));
    SS_TRY(ss_h5_doubles(h, pool, ROOT "/blocks/mu", count, &mu));
    SS_TRY(ss_h5_doubles(h, pool, ROOT "/blocks/bound", count, &bound));
    SS_TRY(ss_pool_objects(pool, count, sizeof(ss_block), &memory));
    ss_block *block = memory;
    int32_t   start = 0;
    for (size_t k = 0; k < count; k++) {
        if (kind[k] < SS_BLOCK_EQUALITY || kind[k] > SS_BLOCK_DISK || dim[k] < 1 ||
            dim[k] > cone->n - start) {
            return ss_fail(h->ctx, SS_ERR_INPUT,
                           "%s: " ROOT
                           "/blocks: block %zu has kind %d and %d rows: expected kind 0 "
                           "to 3, and blocks with %d rows together",
                           h->name, k, kind[k], dim[k], cone->n);
        }
        block[k] = (ss_block){(ss_block_kind)kind[k], start, dim[k], mu[k], bound[k]};
        start += dim[k];
    }
    cone->blocks  = block;
    cone->nblocks = (int32_t)count;
    return SS_OK;
}

static ss_status read_cone(const ss_h5 *h, ss_pool *pool, ss_problem *p)
{
    ss_cone *cone = &p->as.cone;
    p->type       = SS_CONE;
    if (ss_h5_has(h, ROOT "/W")) {
        SS_TRY(read_matrix(h, pool, "W", &cone->W));
        cone->n = cone->W.rows;
    } else {
        SS_TRY(read_matrix(h, pool, "M", &cone->M));
        SS_TRY(read_matrix(h, pool, "H", &cone->H));
        cone->n  = cone->H.cols;
        cone->nv = cone->M.rows;
        SS_TRY(read_vector(h, pool, ROOT "/f", cone->nv, &cone->f));
    }
    SS_TRY(read_vector(h, pool, ROOT "/q", cone->n, &cone->q));
    SS_TRY(read_optional(h, pool, ROOT "/axes", cone->n, &cone->axes));
    return read_blocks(h, pool, cone);
}

static ss_status read_problem(const ss_h5 *h, ss_pool *pool, ss_problem *p)
{
    const char *type;
    int32_t     version;
    SS_TRY(ss_h5_int(h, ROOT "/version", 1, VERSION, &version));
    SS_TRY(ss_h5_string(h, pool, ROOT "/type", &type));
    if (type != NULL && strcmp(type, "lcp") == 0) {
        return read_lcp(h, pool, p);
    }
    if (type != NULL && strcmp(type, "mlcp") == 0) {
        return read_mlcp(h, pool, p);
    }
    if (type != NULL && strcmp(type, "mcp") == 0) {
        return read_mcp(h, pool, p);
    }
    if (type != NULL && strcmp(type, "cone") == 0) {
        return read_cone(h, pool, p);
    }
    return ss_fail(h->ctx, SS_ERR_INPUT,
                   "%s: " ROOT "/type: expected lcp, mlcp, mcp or cone, got "
                   "%.20s",
                   h->name, type != NULL ? type : "nothing");
}

static ss_status read_all(const ss_h5 *h, ss_pool *pool, ss_stored_problem *out)
{
    SS_TRY(read_problem(h, pool, &out->problem));
    int32_t n = ss_problem_size(&out->problem), nv = ss_problem_size_v(&out->problem);
    SS_TRY(ss_h5_string(h, pool, ROOT "/title", &out->title));
    SS_TRY(read_optional(h, pool, ROOT "/solution/z", n, &out->z));
    SS_TRY(read_optional(h, pool, ROOT "/solution/v", nv, &out->v));
    SS_TRY(read_optional(h, pool, ROOT "/guess/z", n, &out->guess_z));
    return read_optional(h, pool, ROOT "/guess/v", nv, &out->guess_v);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    return ss_h5_read(source, pool, read_all, out);
}

/* ---- writing ---- */

static ss_status write_dense(const ss_h5 *h, ss_pool *pool, const char *group, const ss_matrix *m)
{
    char    path[PATH_SIZE];
    double *rows;
    size_t  nr = (size_t)m->rows, nc = (size_t)m->cols;
    SS_TRY(ss_pool_doubles(pool, nr * nc, &rows));
    for (size_t i = 0; i < nr; i++) {
        for (size_t j = 0; j < nc; j++) {
            rows[i * nc + j] = m->dense[j * (size_t)m->ld + i];
        }
    }
    return ss_h5_put_table(h, path_of(path, group, "dense"), nr, nc, rows);
}

static ss_status write_matrix(const ss_h5 *h, ss_pool *pool, const char *group, const ss_matrix *m)
{
    char path[PATH_SIZE];
    SS_TRY(ss_h5_put_int(h, path_of(path, group, "rows"), m->rows));
    SS_TRY(ss_h5_put_int(h, path_of(path, group, "cols"), m->cols));
    if (m->dense != NULL) {
        return write_dense(h, pool, group, m);
    }
    size_t         entries = ss_matrix_entries(m);
    const int32_t *rowind  = m->rowind + m->colptr[0];
    SS_TRY(ss_h5_put_ints(h, path_of(path, group, "colptr"), (size_t)m->cols + 1, m->colptr));
    SS_TRY(ss_h5_put_ints(h, path_of(path, group, "rowind"), entries, rowind));
    return ss_h5_put_doubles(h, path_of(path, group, "values"), entries, m->values);
}

static ss_status write_vector(const ss_h5 *h, const char *path, int32_t n, const double *x)
{
    return x != NULL ? ss_h5_put_doubles(h, path, (size_t)n, x) : SS_OK;
}

static ss_status write_mlcp(const ss_h5 *h, ss_pool *pool, const ss_mlcp *mlcp)
{
    int32_t *flags;
    SS_TRY(ss_pool_ints(pool, (size_t)mlcp->n, &flags));
    for (int32_t i = 0; i < mlcp->n; i++) {
        flags[i] = mlcp->free[i] != 0;
    }
    SS_TRY(write_matrix(h, pool, "M", &mlcp->M));
    SS_TRY(ss_h5_put_ints(h, ROOT "/free", (size_t)mlcp->n, flags));
    return write_vector(h, ROOT "/q", mlcp->n, mlcp->q);
}

static ss_status write_mcp(const ss_h5 *h, ss_pool *pool, const ss_mcp *mcp)
{
    const ss_affine *affine = ss_affine_of(mcp);
    if (affine == NULL) {
        return ss_fail(h->ctx, SS_ERR_UNSUPPORTED,
                       "%s: an mcp with callbacks cannot be written, only one with affine F that "
                       "came from a file",
                       h->name);
    }
    SS_TRY(write_matrix(h, pool, "M", &affine->M));
    SS_TRY(write_vector(h, ROOT "/q", mcp->n, affine->q));
    SS_TRY(write_vector(h, ROOT "/lower", mcp->n, mcp->lower));
    return write_vector(h, ROOT "/upper", mcp->n, mcp->upper);
}

static ss_status write_blocks(const ss_h5 *h, ss_pool *pool, const ss_cone *cone)
{
    size_t   count = (size_t)cone->nblocks;
    int32_t *kind, *dim;
    double  *mu, *bound;
    SS_TRY(ss_pool_ints(pool, count, &kind));
    SS_TRY(ss_pool_ints(pool, count, &dim));
    SS_TRY(ss_pool_doubles(pool, count, &mu));
    SS_TRY(ss_pool_doubles(pool, count, &bound));
    for (size_t k = 0; k < count; k++) {
        kind[k]  = (int32_t)cone->blocks[k].kind;
        dim[k]   = cone->blocks[k].dim;
        mu[k]    = cone->blocks[k].mu;
        bound[k] = cone->blocks[k].bound;
    }
    SS_TRY(ss_h5_put_ints(h, ROOT "/blocks/kind", count, kind));
    SS_TRY(ss_h5_put_ints(h, ROOT "/blocks/dim", count, dim));
    SS_TRY(ss_h5_put_doubles(h, ROOT "/blocks/mu", count, mu));
    return ss_h5_put_doubles(h, ROOT "/blocks/bound", count, bound);
}

static ss_status write_cone(const ss_h5 *h, ss_pool *pool, const ss_cone *cone)
{
    if (cone->nv > 0) {
        SS_TRY(write_matrix(h, pool, "M", &cone->M));
        SS_TRY(write_matrix(h, pool, "H", &cone->H));
        SS_TRY(write_vector(h, ROOT "/f", cone->nv, cone->f));
    } else {
        SS_TRY(write_matrix(h, pool, "W", &cone->W));
    }
    SS_TRY(write_vector(h, ROOT "/q", cone->n, cone->q));
    SS_TRY(write_vector(h, ROOT "/axes", cone->n, cone->axes));
    return write_blocks(h, pool, cone);
}

static ss_status write_problem(const ss_h5 *h, ss_pool *pool, const ss_problem *p)
{
    SS_TRY(ss_h5_put_int(h, ROOT "/version", VERSION));
    SS_TRY(ss_h5_put_string(h, ROOT "/type", ss_problem_type_name(p->type)));
    switch (p->type) {
    case SS_LCP:
        SS_TRY(write_matrix(h, pool, "M", &p->as.lcp.M));
        return write_vector(h, ROOT "/q", p->as.lcp.n, p->as.lcp.q);
    case SS_MLCP:
        return write_mlcp(h, pool, &p->as.mlcp);
    case SS_MCP:
        return write_mcp(h, pool, &p->as.mcp);
    case SS_CONE:
        return write_cone(h, pool, &p->as.cone);
    }
    return ss_fail(h->ctx, SS_ERR_INTERNAL, "unknown type of problem");
}

static ss_status write_all(const ss_h5 *h, ss_pool *pool, const ss_stored_problem *content)
{
    int32_t n = ss_problem_size(&content->problem), nv = ss_problem_size_v(&content->problem);
    SS_TRY(write_problem(h, pool, &content->problem));
    if (content->title != NULL) {
        SS_TRY(ss_h5_put_string(h, ROOT "/title", content->title));
    }
    SS_TRY(write_vector(h, ROOT "/solution/z", n, content->z));
    SS_TRY(write_vector(h, ROOT "/solution/v", nv, content->v));
    SS_TRY(write_vector(h, ROOT "/guess/z", n, content->guess_z));
    return write_vector(h, ROOT "/guess/v", nv, content->guess_v);
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    ss_h5 h;
    SS_TRY(ss_h5_create(&h, pool->ctx, path));
    return ss_h5_finish(&h, write_all(&h, pool, content));
}

const ss_problem_class ss_format_stickslip = {{"stickslip", "HDF5 of this project",
                                               SS_LCP | SS_MLCP | SS_MCP | SS_CONE,
                                               SS_LCP | SS_MLCP | SS_MCP | SS_CONE},
                                              sniff,
                                              read,
                                              write};
