/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of problems: find the format from the content, read, check; or write in a named format.
 * A text may begin like several formats: each that it could be is tried, in the order of the list,
 * and when none can read it, the one that came furthest says what is wrong.
 */
#include "stickslip/problem_file.h"

#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "core/input.h"
#include "problemfile/problem_format.h"
#include "problemfile/problem_format_list.h"
#include "problemfile/tolerances.h"

#define SS_PROBLEM_FORMAT(name) extern const ss_problem_class ss_format_##name;
SS_PROBLEM_FORMAT_LIST
#undef SS_PROBLEM_FORMAT

static const ss_problem_class *const classes[] = {
#define SS_PROBLEM_FORMAT(name) &ss_format_##name,
    SS_PROBLEM_FORMAT_LIST
#undef SS_PROBLEM_FORMAT
};
enum { CLASS_COUNT = (int)(sizeof classes / sizeof classes[0]) };

struct ss_problem_file {
    ss_pool                 pool;
    ss_stored_problem       content;
    const ss_problem_class *cls;
};

int32_t ss_problem_format_count(void)
{
    return CLASS_COUNT;
}

const ss_problem_format *ss_problem_format_at(int32_t index)
{
    return index >= 0 && index < CLASS_COUNT ? &classes[index]->format : NULL;
}

const ss_stored_problem *ss_problem_file_content(const ss_problem_file *file)
{
    return &file->content;
}

const ss_problem_format *ss_problem_file_format(const ss_problem_file *file)
{
    return &file->cls->format;
}

void ss_problem_file_destroy(ss_problem_file *file)
{
    if (file != NULL) {
        ss_context *ctx = file->pool.ctx;
        ss_pool_free(&file->pool);
        ss_free(ctx, file, sizeof *file);
    }
}

/* Decimal points are points here, whatever the program's language: newlocale is per thread. */
static locale_t plain_numbers(locale_t *plain)
{
    *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*plain);
}

static void restore_numbers(locale_t plain, locale_t before)
{
    uselocale(before);
    if (plain != (locale_t)0) {
        freelocale(plain);
    }
}

static ss_status find_class(ss_context *ctx, const char *name, const ss_problem_class **out)
{
    char   known[256] = "";
    size_t length     = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (strcmp(classes[i]->format.name, name) == 0) {
            *out = classes[i];
            return SS_OK;
        }
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "",
                                   classes[i]->format.name);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "there is no problem file format '%s': there are %s", name,
                   known);
}

/* Read as one class and check the problem; what was allocated on failure is given back. */
static ss_status read_as(ss_source *source, const ss_problem_class *cls, ss_problem_file *file)
{
    file->content   = (ss_stored_problem){0};
    file->cls       = cls;
    source->reached = 0;
    SS_TRY(cls->read(source, &file->pool, &file->content));
    ss_status status = ss_problem_check(source->ctx, &file->content.problem);
    if (status != SS_OK) {
        char message[SS_MESSAGE_SIZE];
        snprintf(message, sizeof message, "%s", ss_context_message(source->ctx));
        return ss_fail(source->ctx, status, "%s: %.900s", source->name, message);
    }
    return SS_OK;
}

/* Try every class that the content could be. */
static ss_status read_any(ss_source *source, ss_problem_file *file)
{
    char      message[SS_MESSAGE_SIZE] = "";
    ss_status best                     = SS_OK;
    size_t    furthest                 = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (!classes[i]->sniff(source)) {
            continue;
        }
        ss_status status = read_as(source, classes[i], file);
        if (status == SS_OK || status == SS_ERR_MEMORY) {
            return status;
        }
        ss_pool_free(&file->pool);
        if (best == SS_OK || source->reached > furthest) {
            best     = status;
            furthest = source->reached;
            snprintf(message, sizeof message, "%s", ss_context_message(source->ctx));
        }
    }
    if (best == SS_OK) {
        return ss_fail(source->ctx, SS_ERR_INPUT,
                       "%s:1: this is none of the known problem file formats", source->name);
    }
    return ss_fail(source->ctx, best, "%.1000s", message);
}

ss_status ss_problem_file_parse(ss_context *ctx, const char *name, const void *bytes, size_t size,
                                const char *format, ss_problem_file **out)
{
    const ss_problem_class *cls = NULL;
    *out                        = NULL;
    if (format != NULL) {
        SS_TRY(find_class(ctx, format, &cls));
    }
    ss_problem_file *file = ss_alloc(ctx, 1, sizeof *file);
    if (file == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory to read %s", name);
    }
    file->pool.ctx   = ctx;
    ss_source source = {ctx, name, bytes, size, 0};
    locale_t  plain, before = plain_numbers(&plain);
    ss_status status = cls != NULL ? read_as(&source, cls, file) : read_any(&source, file);
    restore_numbers(plain, before);
    if (status != SS_OK) {
        ss_problem_file_destroy(file);
        return status;
    }
    *out = file;
    return SS_OK;
}

/* The whole of a file in memory. */
typedef struct bytes {
    unsigned char *data;
    size_t         size;
} bytes;

static void unload(ss_context *ctx, bytes *b)
{
    ss_free(ctx, b->data, b->size + 1);
}

static ss_status load(ss_context *ctx, const char *path, bytes *b)
{
    int file;
    SS_TRY(ss_input_open(ctx, path, SS_PROBLEM_BYTES_MAX, &file, &b->size));
    ss_status status = SS_OK;
    b->data          = ss_alloc(ctx, b->size + 1, 1);
    if (b->data == NULL) {
        status = ss_fail(ctx, SS_ERR_MEMORY, "no memory to read %s", path);
    } else if (!ss_input_whole(file, b->data, b->size)) {
        status = ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be read", path);
    }
    close(file);
    return status;
}

ss_status ss_problem_file_read(ss_context *ctx, const char *path, const char *format,
                               ss_problem_file **out)
{
    bytes b          = {0};
    *out             = NULL;
    ss_status status = load(ctx, path, &b);
    if (status == SS_OK) {
        status = ss_problem_file_parse(ctx, path, b.data, b.size, format, out);
    }
    unload(ctx, &b);
    return status;
}

ss_status ss_problem_file_recognise(ss_context *ctx, const char *path,
                                    const ss_problem_format **out)
{
    bytes b          = {0};
    *out             = NULL;
    ss_status status = load(ctx, path, &b);
    ss_source source = {ctx, path, b.data, b.size, 0};
    for (int i = 0; status == SS_OK && *out == NULL && i < CLASS_COUNT; i++) {
        *out = classes[i]->sniff(&source) ? &classes[i]->format : NULL;
    }
    unload(ctx, &b);
    return status;
}

static ss_status refuse_write(ss_context *ctx, const ss_problem_class *cls, ss_problem_type type)
{
    char   can[256] = "";
    size_t length   = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (classes[i]->write != NULL && (classes[i]->format.writes & (unsigned)type)) {
            length += (size_t)snprintf(can + length, sizeof can - length, "%s%s",
                                       length > 0 ? ", " : "", classes[i]->format.name);
        }
    }
    return ss_fail(ctx, SS_ERR_UNSUPPORTED, "%s problems cannot be written as %s: %s can hold them",
                   ss_problem_type_name(type), cls->format.name, can);
}

ss_status ss_problem_file_write(ss_context *ctx, const ss_stored_problem *content, const char *path,
                                const char *format)
{
    const ss_problem_class *cls;
    SS_TRY(find_class(ctx, format, &cls));
    if (cls->write == NULL || !(cls->format.writes & (unsigned)content->problem.type)) {
        return refuse_write(ctx, cls, content->problem.type);
    }
    ss_pool   pool = {ctx, NULL};
    locale_t  plain, before = plain_numbers(&plain);
    ss_status status = cls->write(&pool, content, path);
    restore_numbers(plain, before);
    ss_pool_free(&pool);
    return status;
}

ss_status ss_cone_blocks(ss_pool *pool, int32_t contacts, int32_t dim, const double *mu,
                         int32_t equalities, const ss_block **blocks)
{
    void *memory;
    SS_TRY(ss_pool_objects(pool, (size_t)contacts + (size_t)equalities, sizeof(ss_block), &memory));
    ss_block *block = memory;
    for (int32_t k = 0; k < contacts; k++) {
        block[k] = (ss_block){SS_BLOCK_CONE, k * dim, dim, mu[k], 0};
    }
    for (int32_t k = 0; k < equalities; k++) {
        block[contacts + k] = (ss_block){SS_BLOCK_EQUALITY, contacts * dim + k, 1, 0, 0};
    }
    *blocks = block;
    return SS_OK;
}

ss_status ss_cone_shape(ss_context *ctx, const ss_cone *cone, const char *format,
                        ss_contact_shape *shape)
{
    *shape = (ss_contact_shape){0};
    for (int32_t k = 0; k < cone->nblocks; k++) {
        const ss_block *b      = &cone->blocks[k];
        bool            plain  = b->kind == SS_BLOCK_CONE && shape->equalities == 0;
        bool            joined = shape->contacts == 0 || b->dim == shape->dim;
        if (b->kind == SS_BLOCK_EQUALITY && shape->contacts > 0) {
            shape->equalities += b->dim;
        } else if (plain && joined && (b->dim == 2 || b->dim == 3)) {
            shape->dim = b->dim;
            shape->contacts++;
        } else {
            return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                           "block %d: %s holds cones of 2 or 3 rows, all alike, then equalities; "
                           "write this problem as stickslip",
                           k, format);
        }
    }
    if (cone->axes != NULL || shape->contacts == 0) {
        return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                       "%s cannot hold elliptic friction nor a problem without contacts; write "
                       "this problem as stickslip",
                       format);
    }
    return SS_OK;
}
