/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FCLIB: friction problems in HDF5 (V. Acary and others, "FCLIB: a collection of discrete 3D
 * frictional contact problems"). Groups:
 *   fclib_local   u = W r + V l + q,  0 = V'r + R l + s
 *   fclib_global  M v = H r + G l + f,  u = H'v + w,  0 = G'v + b
 * V, R, s and G, b are optional: their rows become equality blocks after the contacts.
 * A matrix has m rows, n columns, nz and arrays p, i, x: nz >= 0 triplets, with rows in i and
 * columns in p; -1 compressed columns; -2 compressed rows. Real files hold surprises:
 *   - nzmax may exceed the arrays: their own length counts;
 *   - a symmetric M may be stored as its upper triangle, unannounced: a mass matrix with entries
 *     above the diagonal and none below is mirrored;
 *   - solution/r may be all zero, a place-holder: it is then not a known solution.
 */
#include <string.h>

#include "linalg/matrix.h"
#include "problemfile/hdf5_access.h"
#include "problemfile/triplets.h"

static bool sniff(const ss_source *source)
{
    return ss_h5_sniff_path(source, "fclib_local") || ss_h5_sniff_path(source, "fclib_global") ||
           ss_h5_sniff_path(source, "fclib_global_rolling") ||
           ss_h5_sniff_path(source, "fclib_rolling");
}

enum { PATH_SIZE = 96 };
static const char *path_of(char *buffer, const char *group, const char *name)
{
    snprintf(buffer, PATH_SIZE, "%s/%s", group, name);
    return buffer;
}

/* ---- reading ---- */

typedef struct raw_matrix {
    int32_t  m, n, nz;
    int32_t *p, *i;
    double  *x;
    size_t   np, ni; /* lengths of p; of i and x */
} raw_matrix;

static ss_status read_raw(const ss_h5 *h, ss_pool *pool, const char *group, raw_matrix *r)
{
    char path[PATH_SIZE];
    SS_TRY(ss_h5_int(h, path_of(path, group, "m"), 1, INT32_MAX - 1, &r->m));
    SS_TRY(ss_h5_int(h, path_of(path, group, "n"), 1, INT32_MAX - 1, &r->n));
    SS_TRY(ss_h5_int(h, path_of(path, group, "nz"), -2, INT32_MAX, &r->nz));
    SS_TRY(ss_h5_count(h, path_of(path, group, "p"), &r->np));
    SS_TRY(ss_h5_ints(h, pool, path, r->np, &r->p));
    SS_TRY(ss_h5_count(h, path_of(path, group, "i"), &r->ni));
    SS_TRY(ss_h5_ints(h, pool, path, r->ni, &r->i));
    return ss_h5_doubles(h, pool, path_of(path, group, "x"), r->ni, &r->x);
}

static ss_status bad_matrix(const ss_h5 *h, const char *group, const char *what)
{
    return ss_fail(h->ctx, SS_ERR_INPUT, "%s: matrix %s: %s", h->name, group, what);
}

/* Compressed storage along `major` lines into triplets. */
static ss_status expand(const ss_h5 *h, const char *group, const raw_matrix *r, int32_t major,
                        int32_t *line, int32_t *across)
{
    for (int32_t k = 0; k < major; k++) {
        if (r->p[k] < 0 || r->p[k] > r->p[k + 1] || (size_t)r->p[k + 1] > r->ni) {
            return bad_matrix(h, group, "expected starts in p that ascend within i and x");
        }
        for (int32_t e = r->p[k]; e < r->p[k + 1]; e++) {
            line[e]   = k;
            across[e] = r->i[e];
        }
    }
    return SS_OK;
}

static ss_status check_range(const ss_h5 *h, const char *group, const ss_triplets *t)
{
    for (int32_t e = 0; e < t->count; e++) {
        if (t->i[e] < 0 || t->i[e] >= t->rows || t->j[e] < 0 || t->j[e] >= t->cols) {
            return bad_matrix(h, group, "expected rows below m and columns below n");
        }
    }
    return SS_OK;
}

static ss_status read_matrix(const ss_h5 *h, ss_pool *pool, const char *group, ss_triplets *t)
{
    raw_matrix r;
    SS_TRY(read_raw(h, pool, group, &r));
    if (r.nz >= 0) {
        if ((size_t)r.nz > r.ni || (size_t)r.nz > r.np) {
            return bad_matrix(h, group, "expected nz entries in i, p and x");
        }
        *t = (ss_triplets){r.m, r.n, r.nz, r.i, r.p, r.x};
        return check_range(h, group, t);
    }
    int32_t major = r.nz == -1 ? r.n : r.m;
    if (r.np != (size_t)major + 1 || r.p[0] != 0 || r.p[major] < 0 || (size_t)r.p[major] > r.ni) {
        return bad_matrix(h, group,
                          "expected one start for each column (nz = -1) or row (nz = -2) "
                          "and one more in p");
    }
    SS_TRY(ss_triplets_alloc(pool, r.m, r.n, (size_t)r.p[major], t));
    SS_TRY(r.nz == -1 ? expand(h, group, &r, major, t->j, t->i)
                      : expand(h, group, &r, major, t->i, t->j));
    memcpy(t->x, r.x, (size_t)t->count * sizeof *t->x);
    return check_range(h, group, t);
}

/* Copy the entries of `part` to (row, col) of `whole`, transposed if asked. */
static void place(ss_triplets *whole, const ss_triplets *part, int32_t row, int32_t col,
                  bool transposed)
{
    for (int32_t e = 0; e < part->count; e++) {
        whole->i[whole->count]   = row + (transposed ? part->j[e] : part->i[e]);
        whole->j[whole->count]   = col + (transposed ? part->i[e] : part->j[e]);
        whole->x[whole->count++] = part->x[e];
    }
}

/* Two vectors of the file, one after the other; the second is absent when `extra` is 0. */
static ss_status read_joined(const ss_h5 *h, ss_pool *pool, const char *first, int32_t n,
                             const char *second, int32_t extra, const double **out)
{
    double *a, *b, *joined;
    SS_TRY(ss_h5_doubles(h, pool, first, (size_t)n, &a));
    *out = a;
    if (extra == 0) {
        return SS_OK;
    }
    SS_TRY(ss_h5_doubles(h, pool, second, (size_t)extra, &b));
    SS_TRY(ss_pool_doubles(pool, (size_t)n + (size_t)extra, &joined));
    memcpy(joined, a, (size_t)n * sizeof *a);
    memcpy(joined + n, b, (size_t)extra * sizeof *b);
    *out = joined;
    return SS_OK;
}

/* W alone, or [W V; V' R]. */
static ss_status read_local_matrix(const ss_h5 *h, ss_pool *pool, ss_cone *cone, int32_t *extra)
{
    ss_triplets W, V, R, all;
    SS_TRY(read_matrix(h, pool, "fclib_local/W", &W));
    *extra = 0;
    if (W.rows != W.cols) {
        return bad_matrix(h, "fclib_local/W", "expected a square matrix");
    }
    if (!ss_h5_has(h, "fclib_local/V")) {
        return ss_triplets_compress(pool, &W, &cone->W);
    }
    SS_TRY(read_matrix(h, pool, "fclib_local/V", &V));
    SS_TRY(read_matrix(h, pool, "fclib_local/R", &R));
    if (V.rows != W.rows || R.rows != V.cols || R.cols != V.cols ||
        V.cols > INT32_MAX - W.rows - 1) {
        return bad_matrix(h, "fclib_local/V", "expected as many rows as W, and columns as R");
    }
    *extra    = V.cols;
    int32_t n = W.rows, size = n + V.cols;
    size_t  room = (size_t)W.count + 2 * (size_t)V.count + (size_t)R.count;
    SS_TRY(ss_triplets_alloc(pool, size, size, room, &all));
    all.count = 0;
    place(&all, &W, 0, 0, false);
    place(&all, &V, 0, n, false);
    place(&all, &V, n, 0, true);
    place(&all, &R, n, n, false);
    return ss_triplets_compress(pool, &all, &cone->W);
}

/* H alone, or [H G]. */
static ss_status read_directions(const ss_h5 *h, ss_pool *pool, ss_cone *cone, int32_t *extra)
{
    ss_triplets H, G, all;
    SS_TRY(read_matrix(h, pool, "fclib_global/H", &H));
    *extra = 0;
    if (!ss_h5_has(h, "fclib_global/G")) {
        return ss_triplets_compress(pool, &H, &cone->H);
    }
    SS_TRY(read_matrix(h, pool, "fclib_global/G", &G));
    if (G.rows != H.rows || G.cols > INT32_MAX - H.cols - 1) {
        return bad_matrix(h, "fclib_global/G", "expected as many rows as H");
    }
    *extra = G.cols;
    SS_TRY(
        ss_triplets_alloc(pool, H.rows, H.cols + G.cols, (size_t)H.count + (size_t)G.count, &all));
    all.count = 0;
    place(&all, &H, 0, 0, false);
    place(&all, &G, 0, H.cols, false);
    return ss_triplets_compress(pool, &all, &cone->H);
}

static ss_status read_mass(const ss_h5 *h, ss_pool *pool, ss_cone *cone)
{
    ss_triplets M;
    SS_TRY(read_matrix(h, pool, "fclib_global/M", &M));
    if (M.rows == M.cols && ss_triplets_upper_only(&M)) {
        ss_log(h->ctx, SS_LOG_INFO, "%s: M has an upper triangle only: taken as symmetric",
               h->name);
        SS_TRY(ss_triplets_mirror(pool, &M));
    }
    cone->nv = M.rows;
    return ss_triplets_compress(pool, &M, &cone->M);
}

/* Blocks from spacedim and mu; `rows` counts contact rows, `extra` equalities. */
static ss_status read_blocks(const ss_h5 *h, ss_pool *pool, const char *group, int32_t rows,
                             int32_t extra, ss_cone *cone)
{
    char    path[PATH_SIZE];
    int32_t dim;
    double *mu;
    SS_TRY(ss_h5_int(h, path_of(path, group, "spacedim"), 2, 3, &dim));
    if (rows % dim != 0) {
        return ss_fail(h->ctx, SS_ERR_INPUT, "%s: %s: expected %d rows a contact, but there are %d",
                       h->name, group, dim, rows);
    }
    SS_TRY(ss_h5_doubles(h, pool, path_of(path, group, "vectors/mu"), (size_t)(rows / dim), &mu));
    cone->n       = rows + extra;
    cone->nblocks = rows / dim + extra;
    return ss_cone_blocks(pool, rows / dim, dim, mu, extra, &cone->blocks);
}

static ss_status read_local(const ss_h5 *h, ss_pool *pool, ss_cone *cone, int32_t *extra)
{
    SS_TRY(read_local_matrix(h, pool, cone, extra));
    int32_t rows = cone->W.rows - *extra;
    SS_TRY(read_joined(h, pool, "fclib_local/vectors/q", rows, "fclib_local/vectors/s", *extra,
                       &cone->q));
    return read_blocks(h, pool, "fclib_local", rows, *extra, cone);
}

static ss_status read_global(const ss_h5 *h, ss_pool *pool, ss_cone *cone, int32_t *extra)
{
    double *f;
    SS_TRY(read_mass(h, pool, cone));
    SS_TRY(read_directions(h, pool, cone, extra));
    int32_t rows = cone->H.cols - *extra;
    SS_TRY(ss_h5_doubles(h, pool, "fclib_global/vectors/f", (size_t)cone->nv, &f));
    cone->f = f;
    SS_TRY(read_joined(h, pool, "fclib_global/vectors/w", rows, "fclib_global/vectors/b", *extra,
                       &cone->q));
    return read_blocks(h, pool, "fclib_global", rows, *extra, cone);
}

static bool any_nonzero(const double *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (x[i] != 0) {
            return true;
        }
    }
    return false;
}

/* r (and l) and v of a solution or guess; all zero means that nobody filled it in. */
static ss_status read_answer(const ss_h5 *h, ss_pool *pool, const char *group, const ss_cone *cone,
                             int32_t extra, const double **z, const double **v)
{
    char    r[PATH_SIZE], l[PATH_SIZE], path[PATH_SIZE];
    double *x;
    path_of(r, group, "r");
    path_of(l, group, "l");
    if (!ss_h5_has(h, r) || (extra > 0 && !ss_h5_has(h, l))) {
        return SS_OK;
    }
    SS_TRY(read_joined(h, pool, r, cone->n - extra, l, extra, z));
    if (!any_nonzero(*z, cone->n)) {
        *z = NULL;
        return SS_OK;
    }
    if (cone->nv > 0 && ss_h5_has(h, path_of(path, group, "v"))) {
        SS_TRY(ss_h5_doubles(h, pool, path, (size_t)cone->nv, &x));
        *v = x;
    }
    return SS_OK;
}

static ss_status read_all(const ss_h5 *h, ss_pool *pool, ss_stored_problem *out)
{
    ss_cone *cone     = &out->problem.as.cone;
    int32_t  extra    = 0;
    bool     local    = ss_h5_has(h, "fclib_local");
    out->problem.type = SS_CONE;
    if (!local && !ss_h5_has(h, "fclib_global")) {
        return ss_fail(h->ctx, SS_ERR_UNSUPPORTED,
                       "%s: expected a group fclib_local or fclib_global; rolling friction with a "
                       "cone of its own cannot be expressed",
                       h->name);
    }
    SS_TRY(local ? read_local(h, pool, cone, &extra) : read_global(h, pool, cone, &extra));
    SS_TRY(ss_h5_string(h, pool, local ? "fclib_local/info/title" : "fclib_global/info/title",
                        &out->title));
    SS_TRY(read_answer(h, pool, "solution", cone, extra, &out->z, &out->v));
    return read_answer(h, pool, "guesses/1", cone, extra, &out->guess_z, &out->guess_v);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    return ss_h5_read(source, pool, read_all, out);
}

/* ---- writing ---- */

/* The part of a matrix from (row, col) on, `rows` x `cols`, as triplets. */
static ss_status cut(ss_pool *pool, const ss_triplets *all, int32_t row, int32_t rows, int32_t col,
                     int32_t cols, ss_triplets *part)
{
    SS_TRY(ss_triplets_alloc(pool, rows, cols, (size_t)all->count, part));
    part->count = 0;
    for (int32_t e = 0; e < all->count; e++) {
        int32_t i = all->i[e] - row, j = all->j[e] - col;
        if (i >= 0 && i < rows && j >= 0 && j < cols) {
            part->i[part->count]   = i;
            part->j[part->count]   = j;
            part->x[part->count++] = all->x[e];
        }
    }
    return SS_OK;
}

static ss_status write_matrix(const ss_h5 *h, const char *group, const ss_triplets *t)
{
    char   path[PATH_SIZE];
    size_t count = (size_t)t->count;
    SS_TRY(ss_h5_put_int(h, path_of(path, group, "m"), t->rows));
    SS_TRY(ss_h5_put_int(h, path_of(path, group, "n"), t->cols));
    SS_TRY(ss_h5_put_int(h, path_of(path, group, "nz"), t->count));
    SS_TRY(ss_h5_put_int(h, path_of(path, group, "nzmax"), t->count));
    SS_TRY(ss_h5_put_ints(h, path_of(path, group, "i"), count, t->i));
    SS_TRY(ss_h5_put_ints(h, path_of(path, group, "p"), count, t->j));
    return ss_h5_put_doubles(h, path_of(path, group, "x"), count, t->x);
}

static ss_status write_part(const ss_h5 *h, ss_pool *pool, const char *group,
                            const ss_triplets *all, int32_t row, int32_t rows, int32_t col,
                            int32_t cols)
{
    ss_triplets part;
    SS_TRY(cut(pool, all, row, rows, col, cols, &part));
    return write_matrix(h, group, &part);
}

static ss_status write_friction(const ss_h5 *h, ss_pool *pool, const char *group,
                                const ss_cone *cone, const ss_contact_shape *shape)
{
    char    path[PATH_SIZE];
    double *mu;
    SS_TRY(ss_pool_doubles(pool, (size_t)shape->contacts, &mu));
    for (int32_t k = 0; k < shape->contacts; k++) {
        mu[k] = cone->blocks[k].mu;
    }
    SS_TRY(ss_h5_put_int(h, path_of(path, group, "spacedim"), shape->dim));
    return ss_h5_put_doubles(h, path_of(path, group, "vectors/mu"), (size_t)shape->contacts, mu);
}

static ss_status write_local(const ss_h5 *h, ss_pool *pool, const ss_cone *cone,
                             const ss_contact_shape *shape)
{
    ss_triplets all;
    int32_t     n = shape->dim * shape->contacts, extra = shape->equalities;
    SS_TRY(ss_triplets_of(pool, &cone->W, &all));
    SS_TRY(write_part(h, pool, "fclib_local/W", &all, 0, n, 0, n));
    SS_TRY(write_friction(h, pool, "fclib_local", cone, shape));
    SS_TRY(ss_h5_put_doubles(h, "fclib_local/vectors/q", (size_t)n, cone->q));
    if (extra == 0) {
        return SS_OK;
    }
    SS_TRY(write_part(h, pool, "fclib_local/V", &all, 0, n, n, extra));
    SS_TRY(write_part(h, pool, "fclib_local/R", &all, n, extra, n, extra));
    return ss_h5_put_doubles(h, "fclib_local/vectors/s", (size_t)extra, cone->q + n);
}

static ss_status write_global(const ss_h5 *h, ss_pool *pool, const ss_cone *cone,
                              const ss_contact_shape *shape)
{
    ss_triplets M, H;
    int32_t     n = shape->dim * shape->contacts, extra = shape->equalities;
    SS_TRY(ss_triplets_of(pool, &cone->M, &M));
    SS_TRY(ss_triplets_of(pool, &cone->H, &H));
    SS_TRY(write_matrix(h, "fclib_global/M", &M));
    SS_TRY(write_part(h, pool, "fclib_global/H", &H, 0, cone->nv, 0, n));
    SS_TRY(write_friction(h, pool, "fclib_global", cone, shape));
    SS_TRY(ss_h5_put_doubles(h, "fclib_global/vectors/f", (size_t)cone->nv, cone->f));
    SS_TRY(ss_h5_put_doubles(h, "fclib_global/vectors/w", (size_t)n, cone->q));
    if (extra == 0) {
        return SS_OK;
    }
    SS_TRY(write_part(h, pool, "fclib_global/G", &H, 0, cone->nv, n, extra));
    return ss_h5_put_doubles(h, "fclib_global/vectors/b", (size_t)extra, cone->q + n);
}

/* FCLIB wants u beside r: u = W r + q, or H'v + q. */
static ss_status write_answer(const ss_h5 *h, ss_pool *pool, const ss_cone *cone,
                              const ss_contact_shape *shape, const double *z, const double *v)
{
    double *u;
    int32_t n = shape->dim * shape->contacts;
    if (z == NULL || (cone->nv > 0 && v == NULL)) {
        return SS_OK;
    }
    SS_TRY(ss_pool_doubles(pool, (size_t)cone->n, &u));
    memcpy(u, cone->q, (size_t)cone->n * sizeof *u);
    if (cone->nv > 0) {
        ss_matrix_mul_transposed_add(&cone->H, v, u);
        SS_TRY(ss_h5_put_doubles(h, "solution/v", (size_t)cone->nv, v));
    } else {
        ss_matrix_mul_add(&cone->W, z, u);
    }
    SS_TRY(ss_h5_put_doubles(h, "solution/u", (size_t)n, u));
    SS_TRY(ss_h5_put_doubles(h, "solution/r", (size_t)n, z));
    if (shape->equalities > 0) {
        return ss_h5_put_doubles(h, "solution/l", (size_t)shape->equalities, z + n);
    }
    return SS_OK;
}

static ss_status write_info(const ss_h5 *h, const char *group, const char *title)
{
    char path[PATH_SIZE];
    SS_TRY(ss_h5_put_string(h, path_of(path, group, "info/title"), title != NULL ? title : ""));
    SS_TRY(ss_h5_put_string(h, path_of(path, group, "info/description"), "written by stickslip"));
    return ss_h5_put_string(h, path_of(path, group, "info/math_info"), "");
}

static ss_status write_all(const ss_h5 *h, ss_pool *pool, const ss_stored_problem *content,
                           const ss_contact_shape *shape)
{
    const ss_cone *cone = &content->problem.as.cone;
    if (cone->nv > 0) {
        SS_TRY(write_global(h, pool, cone, shape));
        SS_TRY(write_info(h, "fclib_global", content->title));
    } else {
        SS_TRY(write_local(h, pool, cone, shape));
        SS_TRY(write_info(h, "fclib_local", content->title));
    }
    return write_answer(h, pool, cone, shape, content->z, content->v);
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    ss_h5            h;
    ss_contact_shape shape;
    SS_TRY(ss_cone_shape(pool->ctx, &content->problem.as.cone, "fclib", &shape));
    SS_TRY(ss_h5_create(&h, pool->ctx, path));
    return ss_h5_finish(&h, write_all(&h, pool, content, &shape));
}

const ss_problem_class ss_format_fclib = {
    {"fclib", "FCLIB HDF5: friction contact, local and global form", SS_CONE, SS_CONE},
    sniff,
    read,
    write};
