/* SPDX-License-Identifier: Apache-2.0 */
#include "files/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ss_text_begin(ss_text *t, ss_context *ctx, const char *name, const void *bytes, size_t size)
{
    *t = (ss_text){ctx, name, bytes, bytes, (const char *)bytes + size, 1};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static void skip_space(ss_text *t)
{
    for (; t->at < t->end && is_space(*t->at); t->at++) {
        if (*t->at == '\n') {
            t->line++;
        }
    }
}

ss_word ss_text_word(ss_text *t)
{
    skip_space(t);
    ss_word word = {t->at, 0};
    while (t->at < t->end && !is_space(*t->at)) {
        t->at++;
    }
    word.length = (size_t)(t->at - word.start);
    return word;
}

bool ss_text_ended(ss_text *t)
{
    skip_space(t);
    return t->at == t->end;
}

ss_word ss_text_line(ss_text *t)
{
    ss_word word = {t->at, 0};
    while (t->at < t->end && *t->at != '\n') {
        t->at++;
    }
    word.length = (size_t)(t->at - word.start);
    if (t->at < t->end) {
        t->at++;
        t->line++;
    }
    return word;
}

bool ss_word_number(ss_word word, double *value)
{
    char buffer[64];
    if (word.length == 0 || word.length >= sizeof buffer) {
        return false;
    }
    memcpy(buffer, word.start, word.length);
    buffer[word.length] = '\0';
    char *end           = NULL;
    *value              = strtod(buffer, &end);
    return *end == '\0' && end != buffer && !isnan(*value);
}

bool ss_word_is(ss_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.start, text, word.length) == 0;
}

/* The start of a word as it can be shown to a reader. */
static const char *shown(ss_word word, char *buffer, size_t size)
{
    size_t n = word.length < size - 4 ? word.length : size - 4;
    for (size_t i = 0; i < n; i++) {
        buffer[i] = (char)(isprint((unsigned char)word.start[i]) ? word.start[i] : '?');
    }
    strcpy(buffer + n, n < word.length ? "..." : "");
    return buffer;
}

static ss_status expected(const ss_text *t, const char *what, ss_word got)
{
    char buffer[32];
    if (got.length == 0) {
        return ss_text_fail(t, "expected %s, got the end of the file", what);
    }
    return ss_text_fail(t, "expected %s, got '%s'", what, shown(got, buffer, sizeof buffer));
}

ss_status ss_text_number(ss_text *t, const char *what, double *value)
{
    ss_word word = ss_text_word(t);
    if (!ss_word_number(word, value) || !isfinite(*value)) {
        return expected(t, what, word);
    }
    return SS_OK;
}

ss_status ss_text_int(ss_text *t, const char *what, int32_t low, int32_t high, int32_t *value)
{
    ss_word word = ss_text_word(t);
    double  x    = 0;
    if (!ss_word_number(word, &x) || x != floor(x)) {
        char full[128];
        snprintf(full, sizeof full, "%s (a whole number)", what);
        return expected(t, full, word);
    }
    if (x < low || x > high) {
        char full[128];
        if (high > 100000000) {
            snprintf(full, sizeof full, "%s (at least %d)", what, low);
        } else if (low == high) {
            snprintf(full, sizeof full, "%s (%d)", what, low);
        } else {
            snprintf(full, sizeof full, "%s (%d to %d)", what, low, high);
        }
        return expected(t, full, word);
    }
    *value = (int32_t)x;
    return SS_OK;
}

ss_status ss_text_expect(ss_text *t, const char *text)
{
    ss_word word = ss_text_word(t);
    if (!ss_word_is(word, text)) {
        char full[64];
        snprintf(full, sizeof full, "'%s'", text);
        return expected(t, full, word);
    }
    return SS_OK;
}

ss_status ss_text_numbers(ss_text *t, const char *what, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++) {
        ss_word word = ss_text_word(t);
        if (!ss_word_number(word, &values[i]) || !isfinite(values[i])) {
            char full[128];
            snprintf(full, sizeof full, "number %zu of %zu of %s", i + 1, count, what);
            return expected(t, full, word);
        }
    }
    return SS_OK;
}

ss_status ss_text_room(const ss_text *t, const char *what, double count)
{
    double left = (double)(t->end - t->at);
    if (2 * count > left + 1) {
        return ss_text_fail(t, "%s needs %.0f numbers, but only %.0f characters are left", what,
                            count, left);
    }
    return SS_OK;
}

ss_status ss_text_fail(const ss_text *t, const char *format, ...)
{
    char    message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ss_fail(t->ctx, SS_ERR_INPUT, "%s:%d: %s", t->name, t->line, message);
}
