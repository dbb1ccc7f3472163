/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading whitespace-separated text, with messages "file:line: expected WHAT, got 'WORD'". The
 * text need not end in a zero byte.
 */
#ifndef SS_IO_TEXT_H
#define SS_IO_TEXT_H

#include <stdbool.h>

#include "stickslip/base.h"

typedef struct ss_text {
    ss_context *ctx;
    const char *name; /* of the file, for messages */
    const char *begin, *at, *end;
    int32_t     line; /* of `at`, from 1 */
} ss_text;

typedef struct ss_word {
    const char *start;
    size_t      length; /* 0: the text has ended */
} ss_word;

void ss_text_begin(ss_text *t, ss_context *ctx, const char *name, const void *bytes, size_t size);

/* Take the next word. */
ss_word ss_text_word(ss_text *t);
/* True when nothing but white space is left. */
bool ss_text_ended(ss_text *t);
/* Take the rest of the line, without its end. */
ss_word ss_text_line(ss_text *t);

/* Whether a whole word is a number, and which; infinities are numbers, NaN is not. */
bool ss_word_number(ss_word word, double *value);
bool ss_word_is(ss_word word, const char *text);

/* Take a word that must be a finite number, a whole number within limits, or a given word. */
ss_status ss_text_number(ss_text *t, const char *what, double *value);
ss_status ss_text_int(ss_text *t, const char *what, int32_t low, int32_t high, int32_t *value);
ss_status ss_text_expect(ss_text *t, const char *text);
/* Take `count` numbers into `values`. */
ss_status ss_text_numbers(ss_text *t, const char *what, size_t count, double *values);

/*
 * Before memory is asked for: `count` numbers of the file, each at least one character and a
 * space, can only follow when that many characters are left.
 */
ss_status ss_text_room(const ss_text *t, const char *what, double count);

/* SS_ERR_INPUT with the file and the line that was read last. */
ss_status ss_text_fail(const ss_text *t, const char *format, ...) SS_PRINTF(2, 3);

#endif
