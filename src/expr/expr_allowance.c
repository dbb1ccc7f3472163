/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/expr_allowance.h"

#include <lua.h>
#include <stdint.h>

#include "core/context.h"

enum {
    KIB          = 1024,
    SMALL_BLOCK  = 96,        /* bytes; the longest of Lua's short texts takes 65     */
    GARBAGE_MOST = 512 * KIB, /* bytes that lie about before they are collected       */
    CALL_BYTES   = 4096 * KIB,
    CALL_BLOCK   = 256 * KIB,
    CALL_TEXT    = 64 * KIB, /* an instruction reads all of a text: this bounds its time */
};

const ss_expr_bounds ss_expr_bounds_own     = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
const ss_expr_bounds ss_expr_bounds_compile = {(size_t)32 * KIB * KIB, SIZE_MAX, SIZE_MAX};
const ss_expr_bounds ss_expr_bounds_call    = {CALL_BYTES, CALL_BLOCK, CALL_TEXT};

void ss_expr_allowance_give(ss_expr_allowance *a, const ss_expr_bounds *bounds)
{
    a->left    = *bounds;
    a->ours    = false;
    a->refusal = "it takes too much memory";
}

/* For a new block Lua tells in place of its old size what it is for; 0: a part of an object. */
static bool is_shared(const void *block, size_t kind, size_t size)
{
    return block == NULL && size <= SMALL_BLOCK && (kind == LUA_TSTRING || kind == 0);
}

static bool is_refused(ss_expr_allowance *a, const void *block, size_t kind, size_t size)
{
    if (block == NULL && kind == LUA_TSTRING && size > a->left.text) {
        a->refusal = "a text in it is longer than 64 KiB";
        return true;
    }
    return size > a->left.block || size > a->left.bytes;
}

static void *move(ss_expr_allowance *a, void *block, size_t old_size, size_t new_size)
{
    void *p = ss_resize(a->ctx, block, old_size, new_size);
    if (p != NULL) {
        a->used = a->used - old_size + new_size;
    }
    return p;
}

static void *move_texts(ss_expr_allowance *a, void *block, size_t old_size, size_t new_size)
{
    void *p     = move(a, block, old_size, new_size);
    a->texts    = p != NULL ? p : block;
    a->watching = false;
    return p;
}

/* A block that is no object may be a stack: Lua resizes them, or makes new ones. */
static void note_stack(ss_expr_allowance *a, size_t size)
{
    if (a->stacking) {
        a->stack = size > a->stack ? size : a->stack;
    } else {
        a->grew = a->grew || size > a->stack;
    }
}

static void *grow(ss_expr_allowance *a, void *block, size_t old_size, size_t new_size)
{
    bool counted = !a->ours && !is_shared(block, old_size, new_size);
    if (counted && is_refused(a, block, old_size, new_size)) {
        return NULL;
    }
    void *p = move(a, block, block != NULL ? old_size : 0, new_size);
    if (p != NULL && counted) {
        a->left.bytes -= new_size;
    }
    if (p != NULL && (block != NULL || old_size == 0)) {
        note_stack(a, new_size);
    }
    return p;
}

void *ss_expr_allowance_resize(ss_expr_allowance *a, void *block, size_t old_size, size_t new_size)
{
    if (new_size == 0) {
        size_t old = block != NULL ? old_size : 0;
        ss_free(a->ctx, block, old);
        a->used -= old;
        return NULL;
    }
    if (block != NULL && (a->watching || block == a->texts)) {
        return move_texts(a, block, old_size, new_size);
    }
    return block == NULL || new_size > old_size ? grow(a, block, old_size, new_size)
                                                : move(a, block, old_size, new_size);
}

void ss_expr_allowance_watch(ss_expr_allowance *a)
{
    a->watching = true;
}

bool ss_expr_allowance_saw_texts(const ss_expr_allowance *a)
{
    return a->texts != NULL;
}

bool ss_expr_allowance_is_littered(const ss_expr_allowance *a)
{
    return a->used > 2 * a->settled + GARBAGE_MOST;
}

void ss_expr_allowance_settle(ss_expr_allowance *a)
{
    a->settled = a->used;
}

void ss_expr_allowance_watch_stack(ss_expr_allowance *a, bool begin)
{
    a->stack    = begin ? 0 : a->stack;
    a->stacking = begin;
    a->grew     = false;
}

bool ss_expr_allowance_grew(const ss_expr_allowance *a)
{
    return a->grew;
}

const char *ss_expr_allowance_refusal(const ss_expr_allowance *a)
{
    return a->refusal;
}
