/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ContactBench: a NumPy archive with G (3nc x 3nc), g (3nc), mus (nc) and perhaps a guess lam0, for
 * u = G r + g with the rows of a contact in the order (t1, t2, n). Our order is (n, t1, t2): rows
 * are moved when the file is read, and ss_stored_problem.order says where from.
 */
#include <stdlib.h>
#include <string.h>

#include "problemfile/triplets.h"
#include "problemfile/zip.h"

/* A NumPy array: numbers after a header that describes them. */
typedef struct array {
    const char          *name;
    ss_zip_member        member;
    const unsigned char *data;    /* once it is unpacked           */
    size_t               offset;  /* of the numbers in the member  */
    size_t               count;   /* numbers                       */
    bool                 single;  /* 4-byte numbers instead of 8  */
    bool                 columns; /* stored column after column  */
} array;

static ss_status bad_array(const ss_source *s, const char *name, const char *what)
{
    return ss_fail(s->ctx, SS_ERR_INPUT, "%s: array '%s': %s", s->name, name, what);
}

/* The text after 'key': in the header dictionary, or NULL. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at             = at != NULL ? strchr(at, ':') : NULL;
    return at != NULL ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* "(12, 12)": the product. */
static bool parse_shape(const char *text, array *a)
{
    if (text == NULL || *text++ != '(') {
        return false;
    }
    a->count = 1;
    while (*text != ')') {
        char              *end;
        unsigned long long n = strtoull(text, &end, 10);
        if (end == text || n == 0 || n > INT32_MAX || a->count > INT32_MAX) {
            return false;
        }
        a->count *= (size_t)n;
        text = end + strspn(end, " ,");
    }
    return true;
}

static ss_status parse_header(const ss_source *s, const char *header, array *a)
{
    const char *descr = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'");
    if (descr == NULL || order == NULL || !parse_shape(value_of(header, "'shape'"), a)) {
        return bad_array(s, a->name, "expected a header with 'descr', 'fortran_order', 'shape'");
    }
    a->single  = strncmp(descr, "'<f4'", 5) == 0;
    a->columns = strncmp(order, "True", 4) == 0;
    if (!a->single && strncmp(descr, "'<f8'", 5) != 0) {
        return bad_array(s, a->name, "expected numbers of type '<f8' or '<f4'");
    }
    return SS_OK;
}

/* "\x93NUMPY", version, length of the header, header, numbers. */
static ss_status parse_array(const ss_source *s, ss_pool *pool, array *a)
{
    enum { FIXED = 10 };
    const ss_zip_member *m = &a->member;
    unsigned char        start[FIXED], *header; /* ends in the zero byte of fresh memory */
    if (m->size < FIXED) {
        return bad_array(s, a->name, "expected a NumPy array of version 1");
    }
    SS_TRY(ss_zip_start(s, m, FIXED, start));
    if (memcmp(start, "\x93NUMPY\x01", 7) != 0) {
        return bad_array(s, a->name, "expected a NumPy array of version 1");
    }
    a->offset = FIXED + ((size_t)start[8] | (size_t)start[9] << 8);
    if (a->offset > m->size) {
        return bad_array(s, a->name, "its header is longer than the array");
    }
    SS_TRY(ss_pool_bytes(pool, a->offset + 1, &header));
    SS_TRY(ss_zip_start(s, m, a->offset, header));
    SS_TRY(parse_header(s, (const char *)header + FIXED, a));
    size_t item = a->single ? 4 : 8, most = (m->size - a->offset) / item;
    return a->count > most ? bad_array(s, a->name, "it is shorter than its shape says")
           : a->count * item < m->size - a->offset
               ? bad_array(s, a->name, "it is longer than its shape says")
               : SS_OK;
}

/* What its header says: nothing is unpacked before all headers agree. */
static ss_status find_array(const ss_source *s, ss_pool *pool, const char *name, array *a)
{
    char member[32];
    *a = (array){.name = name};
    snprintf(member, sizeof member, "%s.npy", name);
    SS_TRY(ss_zip_find(s, member, &a->member));
    return a->member.packed != NULL ? parse_array(s, pool, a) : SS_OK;
}

static ss_status need_array(const ss_source *s, ss_pool *pool, const char *name, size_t count,
                            array *a)
{
    SS_TRY(find_array(s, pool, name, a));
    if (a->member.packed == NULL) {
        return bad_array(s, name, "it is missing; a ContactBench file has G, g and mus");
    }
    if (a->count != count) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s: array '%s': expected %zu numbers, got %zu",
                       s->name, name, count, a->count);
    }
    return SS_OK;
}

static ss_status unpack(const ss_source *s, ss_pool *pool, array *a)
{
    SS_TRY(ss_zip_unpack(s, pool, &a->member, &a->data));
    a->data += a->offset;
    return SS_OK;
}

static double number_at(const array *a, size_t index)
{
    if (a->single) {
        float x;
        memcpy(&x, a->data + 4 * index, sizeof x);
        return x;
    }
    double x;
    memcpy(&x, a->data + 8 * index, sizeof x);
    return x;
}

/* The file's row of our row: (n, t1, t2) from (t1, t2, n). */
static size_t file_row(size_t row)
{
    return row % 3 == 0 ? row + 2 : row - 1;
}

static ss_status reordered_vector(ss_pool *pool, const array *a, const double **out)
{
    double *x;
    SS_TRY(ss_pool_doubles(pool, a->count, &x));
    for (size_t i = 0; i < a->count; i++) {
        x[i] = number_at(a, file_row(i));
    }
    *out = x;
    return SS_OK;
}

static ss_status reordered_matrix(ss_pool *pool, const array *a, size_t n, ss_matrix *out)
{
    double *x;
    SS_TRY(ss_pool_doubles(pool, n * n, &x));
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            size_t r = file_row(i), c = file_row(j);
            x[j * n + i] = number_at(a, a->columns ? c * n + r : r * n + c);
        }
    }
    *out = ss_matrix_dense((int32_t)n, (int32_t)n, x);
    return SS_OK;
}

static ss_status row_order(ss_pool *pool, size_t n, const int32_t **out)
{
    int32_t *order;
    SS_TRY(ss_pool_ints(pool, n, &order));
    for (size_t row = 0; row < n; row++) {
        order[file_row(row)] = (int32_t)row;
    }
    *out = order;
    return SS_OK;
}

static ss_status friction(ss_pool *pool, const array *mus, const ss_block **blocks)
{
    double *mu;
    SS_TRY(ss_pool_doubles(pool, mus->count, &mu));
    for (size_t k = 0; k < mus->count; k++) {
        mu[k] = number_at(mus, k);
    }
    return ss_cone_blocks(pool, (int32_t)mus->count, 3, mu, 0, blocks);
}

static bool sniff(const ss_source *source)
{
    return source->size > 4 && memcmp(source->bytes, "PK\x03\x04", 4) == 0;
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    array    G, g, mus, guess;
    ss_cone *cone = &out->problem.as.cone;
    SS_TRY(find_array(source, pool, "mus", &mus));
    if (mus.member.packed == NULL || mus.count > INT32_MAX / 3) {
        return bad_array(source, "mus", "it is missing; a ContactBench file has G, g and mus");
    }
    size_t n = 3 * mus.count;
    SS_TRY(need_array(source, pool, "G", n * n, &G));
    SS_TRY(need_array(source, pool, "g", n, &g));
    SS_TRY(find_array(source, pool, "lam0", &guess));
    bool         guessed  = guess.member.packed != NULL && guess.count == n;
    array *const arrays[] = {&mus, &g, &G, &guess};
    for (int i = 0; i < (guessed ? 4 : 3); i++) {
        SS_TRY(unpack(source, pool, arrays[i]));
    }
    out->problem.type = SS_CONE;
    cone->n           = (int32_t)n;
    cone->nblocks     = (int32_t)mus.count;
    SS_TRY(reordered_matrix(pool, &G, n, &cone->W));
    SS_TRY(reordered_vector(pool, &g, &cone->q));
    SS_TRY(friction(pool, &mus, &cone->blocks));
    if (guessed) {
        SS_TRY(reordered_vector(pool, &guess, &out->guess_z));
    }
    return row_order(pool, n, &out->order);
}

const ss_problem_class ss_format_npz = {
    {"npz", "ContactBench NumPy archive: friction contact", SS_CONE, 0}, sniff, read, NULL};
