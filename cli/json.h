/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small JSON writer: full precision (%.17g), correct escapes, null for what is not finite. `key`
 * is NULL for entries of an array and for the outermost value.
 */
#ifndef SS_CLI_JSON_H
#define SS_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SS_JSON_DEPTH = 16 };

typedef struct ss_json {
    FILE *out;
    bool  compact; /* all on one line */
    int   depth;
    bool  used[SS_JSON_DEPTH];    /* has this level an entry already? */
    bool  inline_[SS_JSON_DEPTH]; /* entries of this level share a line */
} ss_json;

ss_json ss_json_start(FILE *out, bool compact);
void    ss_json_end(ss_json *j); /* a newline after the outermost value */

void ss_json_open_object(ss_json *j, const char *key);
void ss_json_close_object(ss_json *j);
void ss_json_open_array(ss_json *j, const char *key);
void ss_json_close_array(ss_json *j);

void ss_json_text(ss_json *j, const char *key, const char *value); /* NULL: null */
void ss_json_real(ss_json *j, const char *key, double value);
void ss_json_int(ss_json *j, const char *key, int64_t value);
void ss_json_bool(ss_json *j, const char *key, bool value);
/* An array of numbers, on one line. */
void ss_json_reals(ss_json *j, const char *key, const double *values, int count);

#endif
