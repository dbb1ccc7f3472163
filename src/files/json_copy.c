/* SPDX-License-Identifier: Apache-2.0 */
#include "files/json_copy.h"

#include <string.h>

#include "files/tolerances.h"

typedef struct reader {
    const char   *at; /* ends in a zero byte */
    ss_buffer    *out;
    ss_json_list *lists;
    int32_t       list_count;
    int           depth;
} reader;

static void skip_space(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/* Takes a character that must follow. */
static bool take(reader *r, char wanted)
{
    if (*r->at != wanted) {
        return false;
    }
    ss_buffer_add(r->out, r->at++, 1);
    return true;
}

static bool is_hex(char c)
{
    return c != '\0' && strchr("0123456789abcdefABCDEF", c) != NULL;
}

/* What follows a backslash. */
static bool copy_escape(reader *r)
{
    size_t length = 2;
    if (r->at[1] == 'u') {
        for (length = 2; length < 6; length++) {
            if (!is_hex(r->at[length])) {
                return false;
            }
        }
    } else if (r->at[1] == '\0' || strchr("\"\\/bfnrt", r->at[1]) == NULL) {
        return false;
    }
    ss_buffer_add(r->out, r->at, length);
    r->at += length;
    return true;
}

static bool copy_text(reader *r)
{
    if (!take(r, '"')) {
        return false;
    }
    while (*r->at != '"') {
        unsigned char c      = (unsigned char)*r->at;
        size_t        unseen = ss_buffer_unseen(r->out, r->at);
        if (c < 0x20 || (c == '\\' && !copy_escape(r))) {
            return false;
        }
        if (c == '<' || c == '>' || c == '&') {
            ss_buffer_format(r->out, "\\u%04x", (unsigned)c);
            r->at++;
        } else if (unseen > 0) {
            r->at += unseen;
        } else if (c != '\\') {
            ss_buffer_add(r->out, r->at++, 1);
        }
    }
    return take(r, '"');
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

static bool copy_number(reader *r)
{
    const char *end   = r->at + (*r->at == '-');
    size_t      whole = digits(end);
    if (whole == 0 || (*end == '0' && whole > 1)) {
        return false;
    }
    end += whole;
    if (*end == '.') {
        size_t fraction = digits(end + 1);
        end += 1 + fraction;
        if (fraction == 0) {
            return false;
        }
    }
    if (*end == 'e' || *end == 'E') {
        end += 1 + (end[1] == '+' || end[1] == '-');
        if (digits(end) == 0) {
            return false;
        }
        end += digits(end);
    }
    ss_buffer_add(r->out, r->at, (size_t)(end - r->at));
    r->at = end;
    return true;
}

static bool copy_word(reader *r)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(r->at, words[i], length) == 0) {
            ss_buffer_add(r->out, r->at, length);
            r->at += length;
            return true;
        }
    }
    return false;
}

static bool copy_value(reader *r);

/* Items between brackets; `copy_item` takes one. Their number, or -1. */
static int32_t copy_items(reader *r, char open, char close, bool (*copy_item)(reader *r))
{
    int32_t count = 0;
    if (!take(r, open)) {
        return -1;
    }
    skip_space(r);
    while (*r->at != close) {
        if (count > 0 && !take(r, ',')) {
            return -1;
        }
        skip_space(r);
        if (!copy_item(r)) {
            return -1;
        }
        skip_space(r);
        count++;
    }
    return take(r, close) ? count : -1;
}

/* The list of the caller that the key at `start`, with its quotes, names; NULL: none. */
static ss_json_list *listed(const reader *r, const char *start, const char *end)
{
    for (int32_t i = 0; i < r->list_count; i++) {
        size_t length = strlen(r->lists[i].name);
        if ((size_t)(end - start) == length + 2 &&
            memcmp(start + 1, r->lists[i].name, length) == 0) {
            return &r->lists[i];
        }
    }
    return NULL;
}

static bool copy_member(reader *r)
{
    const char *key = r->at;
    if (!copy_text(r)) {
        return false;
    }
    ss_json_list *list = r->depth == 1 ? listed(r, key, r->at) : NULL;
    skip_space(r);
    if (!take(r, ':')) {
        return false;
    }
    skip_space(r);
    if (list == NULL || *r->at != '[') {
        return copy_value(r);
    }
    bool again  = list->count >= 0; /* a second list of the same name */
    list->count = copy_items(r, '[', ']', copy_value);
    return list->count >= 0 && !again;
}

static bool copy_value(reader *r)
{
    bool ok = ++r->depth <= SS_JSON_DEPTH;
    if (ok) {
        switch (*r->at) {
        case '{':
            ok = copy_items(r, '{', '}', copy_member) >= 0;
            break;
        case '[':
            ok = copy_items(r, '[', ']', copy_value) >= 0;
            break;
        case '"':
            ok = copy_text(r);
            break;
        default:
            ok = copy_word(r) || copy_number(r);
        }
    }
    r->depth--;
    return ok;
}

bool ss_json_copy(const char *text, ss_buffer *out, ss_json_list *lists, int32_t list_count)
{
    reader r = {.at = text, .out = out, .lists = lists, .list_count = list_count};
    for (int32_t i = 0; i < list_count; i++) {
        lists[i].count = -1;
    }
    skip_space(&r);
    if (*r.at != '{' || !copy_value(&r)) {
        return false;
    }
    skip_space(&r);
    return *r.at == '\0';
}
