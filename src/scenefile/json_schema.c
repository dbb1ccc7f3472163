/* SPDX-License-Identifier: Apache-2.0 */
#include "scenefile/json_schema.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stickslip/scene_file.h"

/* Any number may be an expression, any vector the name of a parameter. */
#define NUMBER  "{\"type\": [\"number\", \"string\"]}"
#define NUMBERS "\"type\": \"array\", \"items\": " NUMBER

void ss_schema_say(ss_schema_page *p, const char *format, ...)
{
    char    text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->write(p->user, text);
}

void ss_schema_text(ss_schema_page *p, const char *text)
{
    char out[3];
    p->write(p->user, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        snprintf(out, sizeof out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        p->write(p->user, *c == '\n' ? " " : out);
    }
    p->write(p->user, "\"");
}

static void say_range(ss_schema_page *p, const ss_key *k)
{
    if (k->low == k->high) {
        return;
    }
    if (isfinite(k->low)) {
        ss_schema_say(p, ", \"%s\": %.17g", k->above ? "exclusiveMinimum" : "minimum", k->low);
    }
    if (isfinite(k->high)) {
        ss_schema_say(p, ", \"maximum\": %.17g", k->high);
    }
}

/* "a|b|c" or "a, b, c" as ["a", "b", "c"]. */
static void say_words(ss_schema_page *p, const char *words, const char *between)
{
    ss_schema_say(p, "\"enum\": [");
    for (const char *at = words; *at != '\0';) {
        size_t length = strcspn(at, between);
        ss_schema_say(p, "%s\"%.*s\"", at == words ? "" : ", ", (int)length, at);
        at += length;
        at += strspn(at, between);
    }
    ss_schema_say(p, "]");
}

/* Is a form a list of words that may be written, such as "revolute, prismatic"? */
static bool is_word_list(const char *form)
{
    bool commas = false;
    for (const char *c = form; c != NULL && *c != '\0'; c++) {
        bool separator = c[0] == ',' && c[1] == ' ';
        if (!separator && !islower((unsigned char)*c) && *c != '-' && *c != '_') {
            return false;
        }
        commas = commas || separator;
        c += separator ? 1 : 0;
    }
    return commas;
}

static void say_vector(ss_schema_page *p, int low, int high, bool number)
{
    ss_schema_say(p,
                  "\"anyOf\": [{" NUMBERS
                  ", \"minItems\": %d, \"maxItems\": %d}, {\"type\": \"string\"}%s]",
                  low, high, number ? ", {\"type\": \"number\"}" : "");
}

static void say_custom(ss_schema_page *p, const ss_key *k)
{
    if (k->schema != NULL) {
        ss_schema_say(p, "%s", k->schema);
    } else if (k->keys != NULL) {
        ss_schema_say(p, "\"anyOf\": [");
        ss_schema_map(p, k->keys, NULL);
        ss_schema_say(p, ", {\"type\": \"array\", \"items\": {\"type\": \"object\"}}, "
                         "{\"type\": \"string\"}]");
    } else if (is_word_list(k->form)) {
        say_words(p, k->form, ", ");
    } else {
        ss_schema_say(p, "\"type\": [\"number\", \"string\", \"array\", \"object\", \"boolean\"]");
    }
}

static void say_type(ss_schema_page *p, const ss_key *k)
{
    switch (k->type) {
    case SS_KEY_REAL:
    case SS_KEY_ANGLE_QUAT:
    case SS_KEY_TIMED:
        ss_schema_say(p, "\"type\": [\"number\", \"string\"]");
        say_range(p, k);
        return;
    case SS_KEY_INT:
        ss_schema_say(p, "\"type\": [\"integer\", \"string\"]");
        say_range(p, k);
        return;
    case SS_KEY_BOOL:
    case SS_KEY_NOT:
        ss_schema_say(p, "\"type\": \"boolean\"");
        return;
    case SS_KEY_TEXT:
    case SS_KEY_FORMULA:
    case SS_KEY_NAME:
    case SS_KEY_BODY:
    case SS_KEY_MATERIAL:
    case SS_KEY_FILE:
        ss_schema_say(p, "\"type\": [\"string\", \"number\"]");
        return;
    case SS_KEY_CHOICE:
        say_words(p, k->choices, "|");
        return;
    case SS_KEY_VECTOR:
    case SS_KEY_TIMED_VECTOR:
        say_vector(p, 2, 3, false);
        return;
    case SS_KEY_SPIN:
    case SS_KEY_TIMED_SPIN:
        say_vector(p, 3, 3, true);
        return;
    case SS_KEY_EULER:
    case SS_KEY_DIRECTION:
        say_vector(p, 3, 3, false);
        return;
    case SS_KEY_QUAT:
    case SS_KEY_AXIS_ANGLE:
    case SS_KEY_TIMED_QUAT:
        say_vector(p, 4, 4, false);
        return;
    case SS_KEY_MAP:
        ss_schema_say(p, "\"allOf\": [");
        ss_schema_map(p, k->keys, NULL);
        ss_schema_say(p, "]");
        return;
    case SS_KEY_CUSTOM:
        say_custom(p, k);
        return;
    }
}

static void say_key(ss_schema_page *p, const ss_key *k)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", k->doc != NULL ? k->doc : "",
             k->unit != NULL ? " [" : "", k->unit != NULL ? k->unit : "",
             k->unit != NULL ? "]" : "", k->initial != NULL ? "; default: " : "",
             k->initial != NULL ? k->initial : "", k->form != NULL ? "; write: " : "",
             k->form != NULL ? k->form : "");
    ss_schema_text(p, k->name);
    ss_schema_say(p, ": {\"description\": ");
    ss_schema_text(p, text);
    ss_schema_say(p, ", ");
    say_type(p, k);
    ss_schema_say(p, "}");
}

static void say_required(ss_schema_page *p, const ss_key *keys)
{
    int count = 0;
    for (const ss_key *k = keys; k->name != NULL; k++) {
        if (k->required) {
            ss_schema_say(p,
                          count++ == 0 ? ", \"anyOf\": [{\"required\": [\"use\"]}, "
                                         "{\"required\": [\"%s\""
                                       : ", \"%s\"",
                          k->name);
        }
    }
    ss_schema_say(p, "%s", count > 0 ? "]}]" : "");
}

void ss_schema_map(ss_schema_page *p, const ss_key *keys, const char *type)
{
    ss_schema_say(p, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    for (const ss_key *k = keys; k->name != NULL; k++) {
        if (type != NULL && strcmp(k->name, "type") == 0) {
            ss_schema_say(p, "\"type\": {\"const\": \"%s\"}", type);
        } else {
            say_key(p, k);
        }
        ss_schema_say(p, ",\n");
    }
    /* any map may take its keys from a template, any entry of a list may be repeated */
    ss_schema_say(p, "\"use\": {\"type\": \"string\"}, \"with\": {\"type\": \"object\"}, "
                     "\"repeat\": {\"type\": [\"object\", \"array\"]}}");
    say_required(p, keys);
    ss_schema_say(p, "}");
}
