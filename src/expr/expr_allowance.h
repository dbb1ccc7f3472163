/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an evaluation may take of memory, and through it of time: the bytes that it asks Lua's
 * allocator for in all are counted, whether or not they would be garbage soon.
 *
 * The count depends on the call alone. What earlier calls may have left behind for it is not
 * counted: short texts, of which Lua keeps one copy each, the table of them, and the blocks as
 * small as those in which Lua remembers who called whom. An instruction asks for no more than a
 * few of them, so that the bound on instructions bounds these too.
 */
#ifndef SS_EXPR_ALLOWANCE_H
#define SS_EXPR_ALLOWANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "stickslip/base.h"

typedef struct ss_expr_bounds {
    size_t bytes; /* in all                   */
    size_t block; /* .. at once               */
    size_t text;  /* .. at once, for one text */
} ss_expr_bounds;

extern const ss_expr_bounds ss_expr_bounds_own;     /* what the sandbox does for itself   */
extern const ss_expr_bounds ss_expr_bounds_compile; /* more than the longest text takes   */
extern const ss_expr_bounds ss_expr_bounds_call;    /* what one evaluation may take       */

/* All 0 but ctx at the start. */
typedef struct ss_expr_allowance {
    ss_context    *ctx;
    size_t         used;    /* bytes that Lua holds                   */
    size_t         settled; /* .. and held when nothing was garbage   */
    ss_expr_bounds left;
    bool           ours;     /* what is asked for now is not the call's   */
    size_t         stack;    /* bytes of that of a new thread                   */
    bool           stacking; /* one is being made                               */
    bool           grew;     /* a block that may be a stack is larger than that */
    bool           watching; /* the next block that is resized is `texts`       */
    const void    *texts;    /* Lua's table of short texts                */
    const char    *refusal;
} ss_expr_allowance;

void ss_expr_allowance_give(ss_expr_allowance *a, const ss_expr_bounds *bounds);

/* For lua_newstate(). */
void *ss_expr_allowance_resize(ss_expr_allowance *a, void *block, size_t old_size, size_t new_size);

/* The next block that is resized is the table of short texts. Has there been one? */
void ss_expr_allowance_watch(ss_expr_allowance *a);
bool ss_expr_allowance_saw_texts(const ss_expr_allowance *a);

/* Is it time to collect garbage? */
bool ss_expr_allowance_is_littered(const ss_expr_allowance *a);
/* It was collected. */
void ss_expr_allowance_settle(ss_expr_allowance *a);

/* Before and after a thread is made: its stack is the largest block that is no object. */
void ss_expr_allowance_watch_stack(ss_expr_allowance *a, bool begin);
/* May the stack have grown since? */
bool ss_expr_allowance_grew(const ss_expr_allowance *a);

/* Why memory was refused last. */
const char *ss_expr_allowance_refusal(const ss_expr_allowance *a);

#endif
