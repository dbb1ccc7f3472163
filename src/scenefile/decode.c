/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding a node by a row of the schema: numbers, expressions, texts, vectors, maps. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenefile/schema.h"
#include "stickslip/scene_file.h"

enum { LABEL_SIZE = 96, KEYS_MAX = 64 };

#undef ss_decode_fail
#undef ss_decode_failed
#undef ss_decode_no_memory
#undef ss_decode_unknown_name

ss_status ss_decode_fail(ss_decoder *d, const ss_node *node, const char *format, ...)
{
    char    message[640];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ss_node_fail(d->ctx, node, SS_ERR_INPUT, "%s%s", d->what, message);
}

ss_status ss_decode_failed(ss_decoder *d, const ss_node *node, ss_status status)
{
    return status == SS_ERR_MEMORY ? status
                                   : ss_decode_fail(d, node, "%s", ss_context_message(d->ctx));
}

ss_status ss_decode_no_memory(ss_decoder *d)
{
    return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
}

ss_status ss_decode_expect(ss_decoder *d, const char *label, const ss_node *node, ss_node_kind kind)
{
    static const char *const nouns[] = {"a single value", "a list: [..]", "a map: {key: value}"};
    char                     found[96];
    if (node->kind == kind) {
        return SS_OK;
    }
    return ss_decode_fail(d, node, "%s must be %s, got %s", label, nouns[kind],
                          ss_node_describe(node, found, sizeof found));
}

/* ---- numbers ---- */

/* Decimal numbers only: words such as nan, inf or 0x10 that strtod() takes are no numbers here. */
static bool is_number(const char *text, double *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    char       *end;
    if (!isdigit((unsigned char)*at) && !(*at == '.' && isdigit((unsigned char)at[1]))) {
        return false;
    }
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        return false;
    }
    *out = strtod(text, &end);
    return *end == '\0';
}

static ss_status finite(ss_decoder *d, const char *label, const ss_node *node, double value)
{
    return isfinite(value) ? SS_OK
                           : ss_decode_fail(d, node, "%s is too large: %s", label, node->text);
}

/* Not a number: an expression, or one of the words people write for "no number". */
static ss_status refuse_words(ss_decoder *d, const char *label, const ss_node *node)
{
    static const char *const words[] = {"",     "~",    "null", "true",  "false", "yes",  "no",
                                        "nan",  ".nan", "inf",  ".inf",  "-.inf", "-inf", "NaN",
                                        ".NaN", ".Inf", "Inf",  "+.inf", "-nan"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            char found[96];
            return ss_decode_fail(d, node, "%s must be a finite number, got %s", label,
                                  ss_node_describe(node, found, sizeof found));
        }
    }
    return SS_OK;
}

ss_status ss_decode_need_env(ss_decoder *d, const ss_node *node)
{
    if (d->env != NULL) {
        return SS_OK;
    }
    ss_status status = ss_expr_env_take(d->ctx, &d->env);
    return ss_node_place(d->ctx, node, status);
}

/* Puts place, owner and label in front of the expression's own message. */
static ss_status bad_expression(ss_decoder *d, const char *label, const ss_node *node)
{
    char message[512];
    snprintf(message, sizeof message, "%s", ss_context_message(d->ctx));
    return ss_decode_fail(d, node, "%s: %s", label, message);
}

ss_status ss_decode_number(ss_decoder *d, const char *label, ss_node *node, double *out)
{
    SS_TRY(ss_decode_expect(d, label, node, SS_NODE_SCALAR));
    if (is_number(node->text, out)) {
        SS_TRY(finite(d, label, node, *out));
    } else {
        SS_TRY(refuse_words(d, label, node));
        SS_TRY(ss_decode_need_env(d, node));
        if (ss_expr_value(d->env, node->text, out) != SS_OK) {
            return bad_expression(d, label, node);
        }
    }
    node->is_number = true;
    node->number    = *out;
    return SS_OK;
}

ss_status ss_decode_timed(ss_decoder *d, const char *label, ss_node *node, ss_value *out)
{
    double  at_start;
    int32_t handle;
    out->expression = NULL;
    SS_TRY(ss_decode_expect(d, label, node, SS_NODE_SCALAR));
    if (!ss_expr_uses_time(node->text)) {
        return ss_decode_number(d, label, node, &out->number);
    }
    SS_TRY(ss_decode_need_env(d, node));
    if (ss_expr_compile(d->env, node->text, &handle) != SS_OK ||
        ss_expr_eval(d->env, handle, 0, &at_start) != SS_OK) {
        return bad_expression(d, label, node);
    }
    out->number     = at_start;
    out->expression = node->text;
    return SS_OK;
}

static void print_number(char *out, size_t size, double value)
{
    snprintf(out, size, "%.15g", value);
}

ss_status ss_decode_range(ss_decoder *d, const ss_key *key, const char *label, const ss_node *node,
                          double value)
{
    char got[32], low[32], high[32];
    bool any = key->low == key->high;
    bool ok  = (key->above ? value > key->low : value >= key->low) && value <= key->high;
    if (any || ok) {
        return SS_OK;
    }
    print_number(got, sizeof got, value);
    print_number(low, sizeof low, key->low);
    print_number(high, sizeof high, key->high);
    if (!isfinite(key->high)) {
        return ss_decode_fail(d, node, "%s must be %s %s, got %s", label,
                              key->above ? ">" : ">=", low, got);
    }
    return ss_decode_fail(d, node, "%s must lie between %s and %s, got %s", label, low, high, got);
}

/* ---- lists of numbers ---- */

static ss_status expect_count(ss_decoder *d, const char *label, const ss_node *node, int32_t count)
{
    SS_TRY(ss_decode_expect(d, label, node, SS_NODE_LIST));
    if (node->count != count) {
        return ss_decode_fail(d, node, "%s must have %d entries%s, got %d", label, (int)count,
                              count == d->dimension ? (d->dimension == 2 ? " in 2D" : " in 3D")
                                                    : "",
                              (int)node->count);
    }
    return SS_OK;
}

static void label_entry(char *out, const char *label, int32_t i)
{
    snprintf(out, LABEL_SIZE, "%s[%d]", label, (int)i);
}

ss_status ss_decode_numbers(ss_decoder *d, const char *label, ss_node *node, int32_t count,
                            double *out)
{
    char    entry_label[LABEL_SIZE];
    int32_t i = 0;
    SS_TRY(expect_count(d, label, node, count));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        label_entry(entry_label, label, i);
        SS_TRY(ss_decode_number(d, entry_label, entry, &out[i]));
    }
    return SS_OK;
}

static ss_status timed_numbers(ss_decoder *d, const char *label, ss_node *node, int32_t count,
                               ss_value *out)
{
    char    entry_label[LABEL_SIZE];
    int32_t i = 0;
    SS_TRY(expect_count(d, label, node, count));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        label_entry(entry_label, label, i);
        SS_TRY(ss_decode_timed(d, entry_label, entry, &out[i]));
    }
    return SS_OK;
}

static ss_status vector(ss_decoder *d, const ss_key *key, ss_node *node, ss_vec3 *out)
{
    double x[3] = {0, 0, 0};
    SS_TRY(ss_decode_numbers(d, key->name, node, d->dimension, x));
    for (int i = 0; i < d->dimension; i++) {
        char label[LABEL_SIZE];
        label_entry(label, key->name, i);
        SS_TRY(ss_decode_range(d, key, label, node, x[i]));
    }
    *out = ss_v3(x[0], x[1], x[2]);
    return SS_OK;
}

/* Rotations: a vector in 3D, one number about z in 2D. */
static ss_status spin(ss_decoder *d, const ss_key *key, ss_node *node, ss_vec3 *out)
{
    *out = ss_v3(0, 0, 0);
    if (d->dimension == 2) {
        return ss_decode_number(d, key->name, node, &out->z);
    }
    return vector(d, key, node, out);
}

static ss_status timed_spin(ss_decoder *d, const ss_key *key, ss_node *node, ss_value *out)
{
    if (d->dimension == 2) {
        return ss_decode_timed(d, key->name, node, &out[2]);
    }
    return timed_numbers(d, key->name, node, 3, out);
}

static ss_status quaternion(ss_decoder *d, const ss_key *key, ss_node *node, ss_quat *out)
{
    double q[4] = {0, 0, 0, 0};
    SS_TRY(ss_decode_numbers(d, key->name, node, 4, q));
    double size = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    if (size == 0) {
        return ss_decode_fail(d, node, "%s must not be all zero", key->name);
    }
    /* scaled first, so that neither tiny nor huge entries are lost when the length is taken */
    ss_quat scaled = {q[0] / size, q[1] / size, q[2] / size, q[3] / size};
    *out           = ss_quat_unit(scaled);
    return SS_OK;
}

static ss_status angle_quaternion(ss_decoder *d, const ss_key *key, ss_node *node, ss_quat *out)
{
    double angle = 0;
    SS_TRY(ss_decode_number(d, key->name, node, &angle));
    *out = ss_quat_from_rotation(ss_v3(0, 0, angle));
    return SS_OK;
}

static ss_status whole(ss_decoder *d, const ss_key *key, ss_node *node, int32_t *out)
{
    double x = 0;
    SS_TRY(ss_decode_number(d, key->name, node, &x));
    if (x != floor(x) || fabs(x) > 2147483647.0) {
        return ss_decode_fail(d, node, "%s must be a whole number, got %s", key->name, node->text);
    }
    SS_TRY(ss_decode_range(d, key, key->name, node, x));
    *out = (int32_t)x;
    return SS_OK;
}

static ss_status real(ss_decoder *d, const ss_key *key, ss_node *node, double *out)
{
    SS_TRY(ss_decode_number(d, key->name, node, out));
    return ss_decode_range(d, key, key->name, node, *out);
}

/* ---- texts ---- */

ss_status ss_decode_text(ss_decoder *d, const char *label, ss_node *node, const char **out)
{
    SS_TRY(ss_decode_expect(d, label, node, SS_NODE_SCALAR));
    if (node->text[0] == '\0' || (node->plain && strcmp(node->text, "~") == 0)) {
        return ss_decode_fail(d, node, "%s must be a text, got nothing", label);
    }
    *out = node->text;
    return SS_OK;
}

/* Names are columns of CSV files and steps of paths, so some characters cannot be in them. */
static ss_status name(ss_decoder *d, const ss_key *key, ss_node *node, const char **out)
{
    SS_TRY(ss_decode_text(d, key->name, node, out));
    for (const char *c = *out; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f || strchr(".,;=\"'[]{}", *c) != NULL) {
            return ss_decode_fail(d, node,
                                  "%s must not contain control characters or any of "
                                  ". , ; = \" ' [ ] { }",
                                  key->name);
        }
    }
    if (strlen(*out) > 63) {
        return ss_decode_fail(d, node, "%s is longer than 63 bytes", key->name);
    }
    return SS_OK;
}

static ss_status file(ss_decoder *d, const ss_key *key, ss_node *node, const char **out)
{
    SS_TRY(ss_decode_text(d, key->name, node, out));
    if (**out == '/') {
        return SS_OK;
    }
    size_t size = strlen(d->directory) + strlen(*out) + 1;
    char  *path = ss_pool_alloc(d->pool, size, 1);
    if (path == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    snprintf(path, size, "%s%s", d->directory, *out);
    *out = path;
    return SS_OK;
}

const char *ss_decode_place(ss_decoder *d, const ss_node *node)
{
    char place[384];
    int  ok = 1;
    if (node->line > 0) {
        snprintf(place, sizeof place, "%s:%d:%d", node->origin, (int)node->line, (int)node->column);
    } else {
        snprintf(place, sizeof place, "%s", node->origin);
    }
    return ss_pool_text(d->pool, place, &ok);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

ss_status ss_name_list_make(ss_decoder *d, ss_name_list *list, int32_t room)
{
    list->names = ss_pool_alloc(d->pool, (size_t)room + 1, sizeof *list->names);
    list->count = 0;
    return list->names != NULL ? SS_OK : ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
}

void ss_name_list_sort(ss_name_list *list)
{
    qsort((void *)list->names, (size_t)list->count, sizeof *list->names, compare_names);
}

bool ss_name_list_has(const ss_name_list *list, const char *word)
{
    return list->count > 0 && bsearch(&word, (const void *)list->names, (size_t)list->count,
                                      sizeof *list->names, compare_names) != NULL;
}

/* "a, b, c"; nothing where there are none, or more than one reads in a message. */
static void list_names(const ss_name_list *list, char *out, size_t size)
{
    size_t used = 0;
    out[0]      = '\0';
    for (int32_t i = 0; i < list->count; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", list->names[i]);
        if (n < 0 || (size_t)n >= size - used) {
            out[0] = '\0';
            return;
        }
        used += (size_t)n;
    }
}

ss_status ss_decode_unknown_name(ss_decoder *d, const ss_node *node, const char *noun,
                                 const char *word, const ss_name_list *list)
{
    const char *near = ss_nearest_name(word, list->names, list->count);
    if (near != NULL) {
        return ss_decode_fail(d, node, "there is no %s '%.60s'; did you mean '%s'?", noun, word,
                              near);
    }
    char known[256];
    list_names(list, known, sizeof known);
    return ss_decode_fail(d, node, "there is no %s '%.60s'%s%s", noun, word,
                          known[0] != '\0' ? ", only " : "", known);
}

static ss_status reference(ss_decoder *d, const ss_key *key, ss_node *node, const char *noun,
                           const ss_name_list *list, const char **out)
{
    SS_TRY(ss_decode_text(d, key->name, node, out));
    if (!ss_name_list_has(list, *out)) {
        return ss_decode_unknown_name(d, node, noun, *out, list);
    }
    return SS_OK;
}

static ss_status yes_or_no(ss_decoder *d, const ss_key *key, ss_node *node, bool *out)
{
    char found[96];
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_SCALAR));
    bool yes = strcmp(node->text, "true") == 0 || strcmp(node->text, "yes") == 0;
    bool no  = strcmp(node->text, "false") == 0 || strcmp(node->text, "no") == 0;
    if (!yes && !no) {
        return ss_decode_fail(d, node, "%s must be true or false, got %s", key->name,
                              ss_node_describe(node, found, sizeof found));
    }
    *out = yes;
    return SS_OK;
}

/* The words of "a|b|c", copied apart. */
static int32_t split_choices(const char *choices, char *copy, size_t size, const char **words)
{
    int32_t count = 0;
    snprintf(copy, size, "%s", choices);
    for (char *at = copy; at != NULL && count < KEYS_MAX;) {
        char *bar      = strchr(at, '|');
        words[count++] = at;
        if (bar != NULL) {
            *bar++ = '\0';
        }
        at = bar;
    }
    return count;
}

ss_status ss_decode_choice(ss_decoder *d, const char *label, const ss_node *node,
                           const char *choices, int *out)
{
    char        copy[512], hint[96] = "";
    const char *words[KEYS_MAX];
    int32_t     count = split_choices(choices, copy, sizeof copy, words);
    SS_TRY(ss_decode_expect(d, label, node, SS_NODE_SCALAR));
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(words[i], node->text) == 0) {
            *out = i;
            return SS_OK;
        }
    }
    const char *near = ss_nearest_name(node->text, words, count);
    if (near != NULL) {
        snprintf(hint, sizeof hint, "; did you mean '%s'?", near);
    }
    return ss_decode_fail(d, node, "%s must be one of %s, got '%.60s'%s", label, choices,
                          node->text, hint);
}

static ss_status choice(ss_decoder *d, const ss_key *key, const ss_node *node, int *out)
{
    return ss_decode_choice(d, key->name, node, key->choices, out);
}

static ss_status yes_or_no_inverted(ss_decoder *d, const ss_key *key, ss_node *node, bool *out)
{
    bool value = false;
    SS_TRY(yes_or_no(d, key, node, &value));
    *out = !value;
    return SS_OK;
}

/* ---- maps ---- */

static ss_status decode_value(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    void *at = (char *)target + key->offset;
    switch (key->type) {
    case SS_KEY_REAL:
        return real(d, key, node, at);
    case SS_KEY_INT:
        return whole(d, key, node, at);
    case SS_KEY_BOOL:
        return yes_or_no(d, key, node, at);
    case SS_KEY_NOT:
        return yes_or_no_inverted(d, key, node, at);
    case SS_KEY_TEXT:
        return ss_decode_text(d, key->name, node, at);
    case SS_KEY_FORMULA:
        return ss_decode_formula(d, key->name, node, at);
    case SS_KEY_NAME:
        return name(d, key, node, at);
    case SS_KEY_BODY:
        return reference(d, key, node, "body", &d->bodies, at);
    case SS_KEY_MATERIAL:
        return reference(d, key, node, "material", &d->materials, at);
    case SS_KEY_FILE:
        return file(d, key, node, at);
    case SS_KEY_CHOICE:
        return choice(d, key, node, at);
    case SS_KEY_VECTOR:
        return vector(d, key, node, at);
    case SS_KEY_SPIN:
        return spin(d, key, node, at);
    case SS_KEY_QUAT:
        return quaternion(d, key, node, at);
    case SS_KEY_ANGLE_QUAT:
        return angle_quaternion(d, key, node, at);
    case SS_KEY_EULER:
    case SS_KEY_AXIS_ANGLE:
    case SS_KEY_DIRECTION:
        return ss_decode_orientation(d, key, node, at);
    case SS_KEY_TIMED:
        return ss_decode_timed(d, key->name, node, at);
    case SS_KEY_TIMED_VECTOR:
        return timed_numbers(d, key->name, node, d->dimension, at);
    case SS_KEY_TIMED_SPIN:
        return timed_spin(d, key, node, at);
    case SS_KEY_TIMED_QUAT:
        return timed_numbers(d, key->name, node, 4, at);
    case SS_KEY_MAP:
        SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_MAP));
        return ss_decode_map(d, key->keys, node, at);
    case SS_KEY_CUSTOM:
        break;
    }
    return key->decode(d, key, node, target);
}

static bool exists_here(const ss_decoder *d, const ss_key *k)
{
    return (k->dimensions != 2 && k->dimensions != 3) || k->dimensions == d->dimension;
}

/* What people write who know other programs, and what to write instead. */
static const struct slip {
    const char *key;  /* that is not there             */
    const char *have; /* a key that is: whose table it is */
    const char *hint;
} slips[] = {
    {"friction", "shape", "friction belongs to a material: materials: {default: {friction: 0.3}}"},
    {"restitution", "shape",
     "restitution belongs to a material: materials: {default: {restitution: 0.5}}"},
    {"mu", "shape", "friction belongs to a material: materials: {default: {friction: 0.3}}"},
    {"height", "length", "it is called length, along z"},
    {"half_size", "size", "it is called size: full edge lengths"},
    {"extents", "size", "it is called size: full edge lengths"},
    {"diameter", "radius", "give the radius"},
    {"rotation", "quat_wxyz", "give quat_wxyz, euler, axis_angle or direction"},
    {"orientation", "quat_wxyz", "give quat_wxyz, euler, axis_angle or direction"},
    {"rpy", "quat_wxyz", "give euler: [roll, pitch, yaw]"},
    {"quaternion", "quat_wxyz", "give quat_wxyz: [w, x, y, z]"},
    {"rotation", "angle", "it is called angle, in radians"},
    {"orientation", "angle", "it is called angle, in radians"},
    {"pos", "position", "it is called position"},
    {"vertices", "points", "they are called points"},
    {"fixed", "type", "say type: static"},
    {"dt", "step", "it is called step"},
    {"timestep", "step", "it is called step"},
    {"parent", "bodies", "give both: bodies: [parent, child]; `world` for something fixed"},
    {"child", "bodies", "give both: bodies: [parent, child]; `world` for something fixed"}};

static const char *usual_slip(const char *key, const char *const *names, int32_t count)
{
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        for (int32_t k = 0; strcmp(slips[i].key, key) == 0 && k < count; k++) {
            if (strcmp(slips[i].have, names[k]) == 0) {
                return slips[i].hint;
            }
        }
    }
    return NULL;
}

static ss_status unknown_key(ss_decoder *d, const ss_key *table, const ss_node *node)
{
    const char *names[KEYS_MAX];
    int32_t     count = 0;
    for (const ss_key *k = table; k->name != NULL && count < KEYS_MAX; k++) {
        if (exists_here(d, k)) {
            names[count++] = k->name;
        }
    }
    const char *hint = usual_slip(node->key, names, count);
    if (hint != NULL) {
        return ss_decode_fail(d, node, "there is no key '%.60s' here: %s", node->key, hint);
    }
    const char *near = ss_nearest_name(node->key, names, count);
    if (near != NULL) {
        return ss_decode_fail(d, node, "there is no key '%.60s' here; did you mean '%s'?",
                              node->key, near);
    }
    return ss_decode_fail(d, node, "there is no key '%.60s' here", node->key);
}

/* Two ways to say one orientation contradict each other. */
static ss_status check_orientation(ss_decoder *d, const ss_key *key, const ss_node *node,
                                   const ss_key **before)
{
    bool orients = key->type == SS_KEY_QUAT || key->type == SS_KEY_EULER ||
                   key->type == SS_KEY_AXIS_ANGLE || key->type == SS_KEY_DIRECTION;
    if (orients && *before != NULL) {
        return ss_decode_fail(d, node, "give %s or %s, not both", (*before)->name, key->name);
    }
    *before = orients ? key : *before;
    return SS_OK;
}

static ss_status find_key(ss_decoder *d, const ss_key *table, const ss_node *node,
                          const ss_key **out)
{
    const ss_key *elsewhere = NULL;
    for (const ss_key *k = table; k->name != NULL; k++) {
        if (strcmp(k->name, node->key) != 0) {
            continue;
        }
        if (exists_here(d, k)) {
            *out = k;
            return SS_OK;
        }
        elsewhere = k;
    }
    if (elsewhere != NULL) {
        return ss_decode_fail(d, node, "the key '%s' exists only in %dD scenes", node->key,
                              elsewhere->dimensions);
    }
    return unknown_key(d, table, node);
}

ss_status ss_decode_map(ss_decoder *d, const ss_key *table, ss_node *map, void *target)
{
    const ss_key *orientation = NULL;
    for (ss_node *entry = map->first; entry != NULL; entry = entry->next) {
        const ss_key *key = NULL;
        SS_TRY(find_key(d, table, entry, &key));
        assert(key != NULL);
        SS_TRY(check_orientation(d, key, entry, &orientation));
        SS_TRY(decode_value(d, key, entry, target));
        if (key->flag != 0) {
            *(bool *)((char *)target + key->flag) = true;
        }
    }
    for (const ss_key *k = table; k->name != NULL; k++) {
        if (k->required && exists_here(d, k) && ss_node_find(map, k->name) == NULL) {
            return ss_decode_fail(d, map, "the key '%s' is missing", k->name);
        }
    }
    return SS_OK;
}

ss_status ss_decode_param(ss_decoder *d, const char *param, double value)
{
    if (ss_scene_param_count(d->scene) >= SS_NODE_PARAMS_MAX) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "there are more than %d params", SS_NODE_PARAMS_MAX);
    }
    /* Without Lua parameters are still read and listed; only expressions need the sandbox. */
    if (d->env == NULL && ss_expr_env_take(d->ctx, &d->env) != SS_OK) {
        SS_TRY(ss_expr_check_name(d->ctx, param));
    } else {
        SS_TRY(ss_expr_set_param(d->env, param, value));
    }
    return ss_scene_set_param(d->scene, param, value);
}
