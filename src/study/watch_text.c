/* SPDX-License-Identifier: Apache-2.0 */
#include "study/watch_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "files/buffer.h"

/* Names without arguments whose value changes from state to state. */
static const char *const changing[] = {
    "time",   "residual", "verdict",     "hold",          "motion",      "unique",     "stable",
    "energy", "contacts", "cycle_found", "cycle_periods", "cycle_error", "cycle_speed"};

typedef struct summed {
    const char    *name;
    ss_sample_kind kind;
    int32_t        least, most; /* arguments */
} summed;

static const summed sums[] = {{"max", SS_SAMPLE_MAX, 1, 1},
                              {"min", SS_SAMPLE_MIN, 1, 1},
                              {"mean", SS_SAMPLE_MEAN, 1, 1},
                              {"at", SS_SAMPLE_AT, 2, 2},
                              {"period_mean", SS_SAMPLE_PERIOD, 2, 3},
                              {"drift", SS_SAMPLE_DRIFT, 2, 3},
                              {"asymptotic", SS_SAMPLE_LIMIT, 2, 3},
                              {"asymptotic_error", SS_SAMPLE_LIMIT_ERROR, 2, 3},
                              {"at_rest", SS_SAMPLE_REST, 1, 1}};

typedef struct span {
    const char *start, *end;
} span;

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static ss_status no_memory(const ss_watch_book *b)
{
    return ss_fail(b->ctx, SS_ERR_MEMORY, "out of memory");
}

static char *keep(ss_watch_book *b, const char *start, size_t length)
{
    char *copy = ss_pool_alloc(b->pool, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, start, length);
    }
    return copy;
}

int32_t ss_watch_text_number(ss_watch_book *b, const char *text, size_t length)
{
    for (int32_t i = 0; i < b->text_count; i++) {
        if (strlen(b->texts[i]) == length && strncmp(b->texts[i], text, length) == 0) {
            return i;
        }
    }
    char *copy = b->text_count < SS_WATCH_TEXTS ? keep(b, text, length) : NULL;
    if (copy == NULL) {
        return -1;
    }
    b->texts[b->text_count] = copy;
    return b->text_count++;
}

/* From an opening quote to behind the closing one; NULL: there is none. */
static const char *skip_quotes(const char *at, const char *end)
{
    const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    return close != NULL ? close + 1 : NULL;
}

/* The arguments between the parenthesis at `open` and its partner; *after is behind that. */
static ss_status split(const ss_watch_book *b, const char *open, const char *end, span *args,
                       int32_t room, int32_t *count, const char **after)
{
    int depth = 0;
    *count    = 0;
    args[0]   = (span){open + 1, open + 1};
    for (const char *at = open; at < end; at++) {
        if (*at == '\'' || *at == '"') {
            const char *past = skip_quotes(at, end);
            if (past == NULL) {
                break;
            }
            at = past - 1;
        } else if (strchr("([{", *at) != NULL) {
            depth++;
        } else if (strchr(")]}", *at) != NULL && --depth == 0) {
            args[*count].end = at;
            (*count)++;
            *after = at + 1;
            return SS_OK;
        } else if (*at == ',' && depth == 1) {
            args[*count].end = at;
            if (++*count == room) {
                return ss_fail(b->ctx, SS_ERR_INPUT, "a call in it has too many arguments");
            }
            args[*count].start = at + 1;
        }
    }
    return ss_fail(b->ctx, SS_ERR_INPUT, "a parenthesis or a quote in it is not closed");
}

static ss_status rewrite(ss_watch_book *b, span text, bool sums_allowed, const char **out);

/* max(E) and its like: takes E out; writes sampled(k). */
static ss_status take_out(ss_watch_book *b, const summed *s, const span *args, int32_t count,
                          ss_buffer *out)
{
    ss_sample_text  sample = {.kind = s->kind, .owner = b->owner};
    const ss_status failed = SS_ERR_INPUT;
    bool            timed  = s->least == 2 || s->kind == SS_SAMPLE_REST;
    if (b->sample_count == SS_WATCH_SAMPLES) {
        return ss_fail(b->ctx, failed, "the study has more than %d calls such as max(..), at(..)",
                       SS_WATCH_SAMPLES);
    }
    if (timed && (*args[0].start == '\'' || *args[0].start == '"')) {
        return ss_fail(b->ctx, failed, "%s(..) takes seconds first, not a text", s->name);
    }
    if (timed) {
        SS_TRY(rewrite(b, args[0], false, &sample.time));
    }
    if (s->kind != SS_SAMPLE_REST) {
        SS_TRY(rewrite(b, args[timed ? 1 : 0], false, &sample.expression));
    }
    if (count == 3) {
        SS_TRY(rewrite(b, args[2], false, &sample.from));
    }
    ss_buffer_format(out, "sampled(%d)", (int)b->sample_count);
    b->samples[b->sample_count++] = sample;
    return SS_OK;
}

static const summed *find_sum(span word)
{
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        size_t n = strlen(sums[i].name);
        if (n == (size_t)(word.end - word.start) && strncmp(sums[i].name, word.start, n) == 0) {
            return &sums[i];
        }
    }
    return NULL;
}

/* A word before a parenthesis. *at moves behind what was taken. */
static ss_status rewrite_call(ss_watch_book *b, span word, const char *open, const char *end,
                              bool sums_allowed, const char **at, ss_buffer *out)
{
    enum { ARGS = 16 };
    span          args[ARGS] = {0};
    int32_t       count      = 0;
    const char   *after      = NULL;
    const summed *s          = find_sum(word);
    if (s != NULL) {
        SS_TRY(split(b, open, end, args, ARGS, &count, &after));
        bool plain = s->kind <= SS_SAMPLE_MIN && count > 1;
        if (!plain && !sums_allowed) {
            return ss_fail(b->ctx, SS_ERR_INPUT,
                           "%s(..) cannot stand inside another call that looks at many states",
                           s->name);
        }
        if (!plain && (count < s->least || count > s->most)) {
            return ss_fail(b->ctx, SS_ERR_INPUT, "%s takes %d argument%s, not %d", s->name,
                           (int)s->least, s->least == 1 ? "" : "s", (int)count);
        }
        if (!plain) {
            *at = after;
            return take_out(b, s, args, count, out);
        }
    }
    ss_buffer_add(out, word.start, (size_t)(word.end - word.start));
    return SS_OK;
}

static int32_t find_param(const ss_scene *scene, span word)
{
    for (int32_t i = 0; i < ss_scene_param_count(scene); i++) {
        const char *name = ss_scene_param_name(scene, i);
        size_t      n    = strlen(name);
        if (n == (size_t)(word.end - word.start) && strncmp(name, word.start, n) == 0) {
            return i;
        }
    }
    return -1;
}

static void rewrite_word(const ss_watch_book *b, span word, ss_buffer *out)
{
    size_t  n     = (size_t)(word.end - word.start);
    int32_t param = find_param(b->scene, word);
    if (param >= 0) {
        ss_buffer_format(out, "param(%d)", (int)param);
        return;
    }
    ss_buffer_add(out, word.start, n);
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
        if (strlen(changing[i]) == n && strncmp(changing[i], word.start, n) == 0) {
            ss_buffer_text(out, "()");
        }
    }
}

static ss_status rewrite_quotes(ss_watch_book *b, const char **at, const char *end, ss_buffer *out)
{
    const char *past = skip_quotes(*at, end);
    if (past == NULL) {
        return ss_fail(b->ctx, SS_ERR_INPUT, "a quote in it is not closed");
    }
    int32_t number = ss_watch_text_number(b, *at + 1, (size_t)(past - *at) - 2);
    if (number < 0) {
        return ss_fail(b->ctx, SS_ERR_INPUT, "the study has more than %d names in quotes",
                       SS_WATCH_TEXTS);
    }
    ss_buffer_format(out, "(%d)", (int)number);
    *at = past;
    return SS_OK;
}

static const char *skip_number(const char *at, const char *end)
{
    while (at < end && (is_word(*at) || *at == '.' ||
                        ((*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E')))) {
        at++;
    }
    return at;
}

/* One piece of the expression. */
static ss_status rewrite_piece(ss_watch_book *b, const char **at, const char *end,
                               bool sums_allowed, ss_buffer *out)
{
    const char *from = *at;
    if (*from == '\'' || *from == '"') {
        return rewrite_quotes(b, at, end, out);
    }
    if (isdigit((unsigned char)*from)) {
        *at = skip_number(from, end);
        ss_buffer_add(out, from, (size_t)(*at - from));
        return SS_OK;
    }
    if (!is_word_start(*from)) {
        ss_buffer_add(out, from, 1);
        (*at)++;
        return SS_OK;
    }
    span word = {from, from};
    while (word.end < end && is_word(*word.end)) {
        word.end++;
    }
    const char *open = word.end;
    while (open < end && isspace((unsigned char)*open)) {
        open++;
    }
    *at = word.end;
    if (word.end - word.start == 1 && *word.start == 't' && find_param(b->scene, word) < 0) {
        return ss_fail(b->ctx, SS_ERR_INPUT, "the time is called 'time' here, not 't'");
    }
    if (open < end && *open == '(') {
        return rewrite_call(b, word, open, end, sums_allowed, at, out);
    }
    rewrite_word(b, word, out);
    return SS_OK;
}

static ss_status rewrite(ss_watch_book *b, span text, bool sums_allowed, const char **out)
{
    ss_buffer buffer;
    ss_buffer_start(&buffer, b->ctx);
    ss_status   status = SS_OK;
    const char *at     = text.start;
    while (status == SS_OK && at < text.end) {
        status = rewrite_piece(b, &at, text.end, sums_allowed, &buffer);
    }
    if (status == SS_OK) {
        status = ss_buffer_status(&buffer);
    }
    if (status == SS_OK) {
        *out   = keep(b, buffer.size > 0 ? buffer.bytes : "", buffer.size);
        status = *out != NULL ? SS_OK : no_memory(b);
    }
    ss_buffer_release(&buffer);
    return status;
}

ss_status ss_watch_rewrite(ss_watch_book *b, const char *text, const char **out)
{
    span all = {text, text + strlen(text)};
    return rewrite(b, all, true, out);
}
