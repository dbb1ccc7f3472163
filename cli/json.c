/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c == '\n') {
            fputs("\\n", out);
        } else if (*c == '\t') {
            fputs("\\t", out);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(out, "\\u%04x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void put_number(FILE *out, double value)
{
    if (isfinite(value)) {
        fprintf(out, "%.17g", value);
    } else {
        fputs("null", out);
    }
}

static void new_line(ss_json *j)
{
    if (!j->compact) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
}

/* Comma, line and key before a value. */
static void before_value(ss_json *j, const char *key)
{
    if (j->depth > 0) {
        bool *used = &j->used[j->depth - 1];
        if (*used) {
            fputc(',', j->out);
        }
        if (j->inline_[j->depth - 1]) {
            fputs(*used ? " " : "", j->out);
        } else {
            new_line(j);
        }
        *used = true;
    }
    if (key != NULL) {
        put_string(j->out, key);
        fputs(j->compact ? ":" : ": ", j->out);
    }
}

static void open_level(ss_json *j, const char *key, char bracket, bool one_line)
{
    before_value(j, key);
    fputc(bracket, j->out);
    assert(j->depth < SS_JSON_DEPTH);
    j->used[j->depth]    = false;
    j->inline_[j->depth] = one_line || j->compact;
    j->depth++;
}

static void close_level(ss_json *j, char bracket)
{
    assert(j->depth > 0);
    j->depth--;
    if (j->used[j->depth] && !j->inline_[j->depth]) {
        new_line(j);
    }
    fputc(bracket, j->out);
}

ss_json ss_json_start(FILE *out, bool compact)
{
    ss_json j = {.out = out, .compact = compact};
    return j;
}

void ss_json_end(ss_json *j)
{
    assert(j->depth == 0);
    fputc('\n', j->out);
}

void ss_json_open_object(ss_json *j, const char *key)
{
    open_level(j, key, '{', false);
}

void ss_json_close_object(ss_json *j)
{
    close_level(j, '}');
}

void ss_json_open_array(ss_json *j, const char *key)
{
    open_level(j, key, '[', false);
}

void ss_json_close_array(ss_json *j)
{
    close_level(j, ']');
}

void ss_json_text(ss_json *j, const char *key, const char *value)
{
    before_value(j, key);
    if (value != NULL) {
        put_string(j->out, value);
    } else {
        fputs("null", j->out);
    }
}

void ss_json_real(ss_json *j, const char *key, double value)
{
    before_value(j, key);
    put_number(j->out, value);
}

void ss_json_int(ss_json *j, const char *key, int64_t value)
{
    before_value(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void ss_json_bool(ss_json *j, const char *key, bool value)
{
    before_value(j, key);
    fputs(value ? "true" : "false", j->out);
}

void ss_json_reals(ss_json *j, const char *key, const double *values, int count)
{
    open_level(j, key, '[', true);
    for (int i = 0; i < count; i++) {
        ss_json_real(j, NULL, values[i]);
    }
    close_level(j, ']');
}
