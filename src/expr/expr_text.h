/* SPDX-License-Identifier: Apache-2.0 */
/* What can be said about an expression by reading it: its words, and the Lua it stands for. */
#ifndef SS_CORE_EXPR_TEXT_H
#define SS_CORE_EXPR_TEXT_H

#include <stdbool.h>

#include "stickslip/base.h"

enum {
    SS_EXPR_TEXT_MAX  = 4096, /* characters in an expression        */
    SS_EXPR_NAME_MAX  = 63,   /* characters in a name               */
    SS_EXPR_WORDS_MAX = 100   /* different names in one expression  */
};

typedef struct ss_expr_word {
    const char *start;
    int32_t     length;
} ss_expr_word;

/* An expression taken apart. `lua` is what Lua is given. */
typedef struct ss_expr_text {
    /* Every second character may be a digit that grows by ".0"; powers take a name and brackets. */
    char         lua[3 * SS_EXPR_TEXT_MAX];
    ss_expr_word words[SS_EXPR_WORDS_MAX]; /* the different names in it, without Lua's own words */
    int32_t      word_count;
    bool         straight; /* arithmetic and calls only: nothing in it can repeat */
    bool         compares; /* an expression of t with comparisons or whole quotients */
} ss_expr_text;

/* Reads `text`; SS_ERR_INPUT with a message for what no expression may contain. */
ss_status ss_expr_read(ss_context *ctx, const char *text, ss_expr_text *out);

/* Is this one of Lua's reserved words? */
bool ss_expr_is_reserved(const char *word, size_t length);

#endif
