/* SPDX-License-Identifier: Apache-2.0 */
#include "study/vary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenefile/table_csv.h"
#include "study/philox.h"
#include "study/sobol.h"

/* Most cells, values of a list, columns of inputs that a study may have. */
static const double cells_max = 1e8;
enum { INPUTS_MAX = 512 };

const ss_vary_doc ss_vary_kinds[] = {
    {"grid", "[low, high, count]", "equally spaced numbers, both ends included"},
    {"list", "[a, b, ..]", "these values, of whatever kind the scene takes there"},
    {"table", "FILE.csv",
     "a row for each cell; the first line names the scene values of the columns, so that the key "
     "in "
     "`vary` is free"},
    {"uniform", "[low, high]", "any number between the two, equally likely"},
    {"normal", "[mean, deviation]", "normally distributed"},
    {"lognormal", "[mean, deviation]", "a number whose natural logarithm is normal with these"},
    {"choice", "[a, b, ..]", "one of these values, equally likely"},
    {"direction", "LENGTH",
     "a vector of this length in any direction, equally likely: 3 numbers, 2D: 2"},
    {"rotation", "{}", "any orientation, equally likely: `quat_wxyz`; 2D: an `angle`"},
    {"support", "{radius, centre: [x, y]}",
     "three points of a disc for `support: points`, with its centre (default [0, 0]) within the "
     "triangle"},
    {"bounds", "[low, high] or [low, high, start]",
     "what a design chooses, between the two; the search starts in the middle unless told"},
    {NULL, NULL, NULL},
};

static ss_status no_memory(ss_decoder *d)
{
    return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
}

/* ---- columns of inputs ---- */

static ss_status add_input(ss_decoder *d, ss_study *s, ss_variable *v, const char *path)
{
    int ok = 1;
    if (s->input_count == INPUTS_MAX) {
        return ss_decode_fail(d, v->node, "more than %d values vary", INPUTS_MAX);
    }
    for (int32_t i = 0; i < s->input_count; i++) {
        if (strcmp(s->inputs[i].path, path) == 0) {
            return ss_decode_fail(d, v->node, "'%s' varies twice", path);
        }
    }
    s->inputs[s->input_count] = (ss_input){.path = ss_pool_text(d->pool, path, &ok)};
    s->input_count++;
    v->input_count++;
    return ok ? SS_OK : no_memory(d);
}

/* path.0, path.1, .. for the entries of a vector. */
static ss_status add_numbered(ss_decoder *d, ss_study *s, ss_variable *v, int32_t count)
{
    char path[384];
    for (int32_t i = 0; i < count; i++) {
        if (v->kind == SS_VARY_SUPPORT) {
            snprintf(path, sizeof path, "%.300s.%d.%d", v->path, (int)i / 2, (int)i % 2);
        } else {
            snprintf(path, sizeof path, "%.300s.%d", v->path, (int)i);
        }
        SS_TRY(add_input(d, s, v, path));
    }
    return SS_OK;
}

/* Scalars of a value with their paths; `texts` (room for all) takes them when not NULL. */
static ss_status flatten(ss_decoder *d, ss_study *s, ss_variable *v, const ss_node *node,
                         const char *path, const ss_node **leaves, int32_t *count)
{
    int32_t i = 0;
    char    inner[384];
    if (node->kind == SS_NODE_SCALAR) {
        if (*count == SS_STUDY_LEAVES_MAX) {
            return ss_decode_fail(d, node, "this value has more than %d numbers",
                                  SS_STUDY_LEAVES_MAX);
        }
        leaves[(*count)++] = node;
        return s != NULL ? add_input(d, s, v, path) : SS_OK;
    }
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        if (entry->key != NULL) {
            snprintf(inner, sizeof inner, "%.250s.%.100s", path, entry->key);
        } else {
            snprintf(inner, sizeof inner, "%.300s.%d", path, (int)i);
        }
        SS_TRY(flatten(d, s, v, entry, inner, leaves, count));
    }
    return SS_OK;
}

/* Is the scalar a plain number? Then it is its own value, else a text that is counted. */
static bool plain_number(const char *text, double *out)
{
    char *end = NULL;
    *out      = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

/* The column `column` of all entries: numbers, or numbers of texts. */
static ss_status fill_column(ss_decoder *d, ss_study *s, ss_variable *v, const ss_node **leaves,
                             int32_t column)
{
    ss_input *input   = &s->inputs[v->input + column];
    bool      numbers = true;
    int32_t   n       = v->input_count;
    for (int64_t i = 0; i < v->count; i++) {
        numbers = plain_number(leaves[i * n + column]->text, &v->leaves[i * n + column]) && numbers;
    }
    if (numbers) {
        return SS_OK;
    }
    const char **levels = ss_pool_alloc(d->pool, (size_t)v->count, sizeof *levels);
    if (levels == NULL) {
        return no_memory(d);
    }
    for (int64_t i = 0; i < v->count; i++) {
        levels[i]                 = leaves[i * n + column]->text;
        v->leaves[i * n + column] = (double)i;
    }
    input->levels      = levels;
    input->level_count = (int32_t)v->count;
    return SS_OK;
}

static ss_status fill_columns(ss_decoder *d, ss_study *s, ss_variable *v, const ss_node **leaves)
{
    v->leaves =
        ss_pool_alloc(d->pool, (size_t)v->count * (size_t)v->input_count + 1, sizeof *v->leaves);
    if (v->leaves == NULL) {
        return no_memory(d);
    }
    for (int32_t c = 0; c < v->input_count; c++) {
        SS_TRY(fill_column(d, s, v, leaves, c));
    }
    return SS_OK;
}

/* ---- kinds ---- */

/* A list of so many numbers, whatever the dimension of the scene. */
static ss_status numbers_of(ss_decoder *d, const char *label, const char *form, ss_node *node,
                            int32_t count, double *x)
{
    if (node->kind != SS_NODE_LIST || node->count != count) {
        return ss_decode_fail(d, node, "%s must be %s", label, form);
    }
    return ss_decode_numbers(d, label, node, count, x);
}

static ss_status finite_pair(ss_decoder *d, const char *label, ss_node *node, ss_variable *v)
{
    double x[2];
    SS_TRY(numbers_of(d, label, "two numbers, [a, b]", node, 2, x));
    v->low  = x[0];
    v->high = x[1];
    return SS_OK;
}

static ss_status decode_grid(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    double x[3];
    SS_TRY(numbers_of(d, "grid", "[low, high, count]", node, 3, x));
    if (x[2] != floor(x[2]) || x[2] < 1 || x[2] > cells_max) {
        return ss_decode_fail(d, node, "the count of a grid must be a whole number from 1, got %g",
                              x[2]);
    }
    if (x[2] == 1 && x[0] != x[1]) {
        return ss_decode_fail(d, node, "a grid of one value cannot have two ends");
    }
    v->low   = x[0];
    v->high  = x[1];
    v->count = (int64_t)x[2];
    return add_input(d, s, v, v->path);
}

static ss_status decode_uniform(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    SS_TRY(finite_pair(d, "uniform", node, v));
    if (!(v->low <= v->high)) {
        return ss_decode_fail(d, node, "uniform: %g must not lie above %g", v->low, v->high);
    }
    v->coordinate_count = 1;
    return add_input(d, s, v, v->path);
}

static ss_status decode_normal(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    SS_TRY(finite_pair(d, "normal", node, v));
    if (!(v->high >= 0)) {
        return ss_decode_fail(d, node, "the deviation must be >= 0, got %g", v->high);
    }
    v->coordinate_count = 1;
    return add_input(d, s, v, v->path);
}

/* The entries of a list or choice, all of one form. */
static ss_status decode_entries(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    const ss_node *one[SS_STUDY_LEAVES_MAX], **all = NULL;
    int32_t        width = 0;
    int64_t        i     = 0;
    SS_TRY(ss_decode_expect(d, ss_vary_kinds[v->kind].name, node, SS_NODE_LIST));
    if (node->count == 0) {
        return ss_decode_fail(d, node, "there is nothing in this list");
    }
    v->count  = node->count;
    v->values = ss_pool_alloc(d->pool, (size_t)v->count, sizeof *v->values);
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        int32_t count = 0;
        SS_TRY(flatten(d, i == 0 ? s : NULL, v, entry, v->path, one, &count));
        if (i == 0) {
            width = count;
            all   = ss_pool_alloc(d->pool, (size_t)v->count * (size_t)width + 1, sizeof *all);
        }
        if (v->values == NULL || all == NULL) {
            return no_memory(d);
        }
        if (count != width) {
            return ss_decode_fail(d, entry, "this value has %d numbers, the first has %d",
                                  (int)count, (int)width);
        }
        v->values[i] = entry;
        memcpy((void *)(all + i * width), (const void *)one, (size_t)width * sizeof *all);
    }
    v->coordinate_count = v->kind == SS_VARY_CHOICE ? 1 : 0;
    return fill_columns(d, s, v, all);
}

static ss_status decode_table(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    ss_csv      csv;
    const char *file = NULL;
    SS_TRY(ss_decode_text(d, "table", node, &file));
    SS_TRY(ss_csv_read(d, node, file, &csv));
    for (int32_t c = 0; c < csv.columns; c++) {
        SS_TRY(add_input(d, s, v, csv.names[c]));
    }
    v->count  = csv.rows;
    v->values = csv.cells;
    return fill_columns(d, s, v, csv.cells);
}

static ss_status decode_direction(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    v->high = 1;
    if (node->kind == SS_NODE_SCALAR) {
        SS_TRY(ss_decode_number(d, "direction", node, &v->high));
    } else if (node->kind != SS_NODE_MAP || node->count > 0) {
        return ss_decode_fail(d, node, "direction must be a length, as in {direction: 2}");
    }
    v->coordinate_count = s->dimension - 1;
    return add_numbered(d, s, v, s->dimension);
}

static ss_status decode_rotation(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    bool yes = node->kind == SS_NODE_SCALAR && strcmp(node->text, "true") == 0;
    if (!yes && (node->kind != SS_NODE_MAP || node->count > 0)) {
        return ss_decode_fail(d, node, "rotation takes nothing: {rotation: {}}");
    }
    v->coordinate_count = s->dimension == 3 ? 3 : 1;
    return s->dimension == 3 ? add_numbered(d, s, v, 4) : add_input(d, s, v, v->path);
}

typedef struct support_def {
    double   radius;
    ss_node *centre;
} support_def;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

static ss_status decode_support(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    static const ss_key keys[] = {
        SS_KEY_ROW("radius", SS_KEY_REAL, support_def, radius, SS_POSITIVE, .required = true),
        SS_KEY_ROW("centre", SS_KEY_CUSTOM, support_def, centre, .decode = keep_node), SS_KEY_END};
    support_def def = {0};
    SS_TRY(ss_decode_expect(d, "support", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, keys, node, &def));
    if (s->dimension != 2) {
        return ss_decode_fail(d, node, "supports exist only in 2D scenes");
    }
    if (def.centre != NULL) {
        SS_TRY(ss_decode_numbers(d, "centre", def.centre, 2, v->centre));
    }
    v->high = def.radius;
    return add_numbered(d, s, v, 6);
}

static ss_status decode_bounds(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node)
{
    double x[3];
    SS_TRY(ss_decode_expect(d, "bounds", node, SS_NODE_LIST));
    SS_TRY(ss_decode_numbers(d, "bounds", node, node->count == 3 ? 3 : 2, x));
    if (s->kind != SS_STUDY_DESIGN) {
        return ss_decode_fail(
            d, node,
            "bounds belong into a study of kind `design`, or into the `choose` of an action");
    }
    if (!(x[0] < x[1])) {
        return ss_decode_fail(d, node, "bounds: %g must lie below %g", x[0], x[1]);
    }
    v->low    = x[0];
    v->high   = x[1];
    v->start  = node->count == 3 ? x[2] : 0.5 * (x[0] + x[1]);
    v->choice = s->choice_count++;
    if (v->start < v->low || v->start > v->high) {
        return ss_decode_fail(d, node, "bounds: the start %g lies outside", v->start);
    }
    return add_input(d, s, v, v->path);
}

typedef ss_status (*kind_decoder)(ss_decoder *d, ss_study *s, ss_variable *v, ss_node *node);
static const kind_decoder decoders[] = {
    decode_grid,    decode_entries,   decode_table,    decode_uniform, decode_normal, decode_normal,
    decode_entries, decode_direction, decode_rotation, decode_support, decode_bounds};

/* ---- the whole ---- */

static ss_status find_kind(ss_decoder *d, const ss_node *spec, ss_vary_kind *out)
{
    const char *names[32];
    int32_t     count = 0;
    for (; ss_vary_kinds[count].name != NULL; count++) {
        names[count] = ss_vary_kinds[count].name;
        if (strcmp(names[count], spec->key) == 0) {
            *out = (ss_vary_kind)count;
            return SS_OK;
        }
    }
    ss_name_list list = {names, count};
    return ss_decode_unknown_name(d, spec, "way to vary", spec->key, &list);
}

static ss_status decode_variable(ss_decoder *d, ss_study *s, ss_node *node, ss_variable *v)
{
    snprintf(d->what, sizeof d->what, "vary '%.80s': ", node->key);
    if (node->key[0] == '\0' || strlen(node->key) > 200) {
        return ss_decode_fail(d, node, "a path must have 1 to 200 characters");
    }
    if (node->kind != SS_NODE_MAP || node->count != 1) {
        return ss_decode_fail(d, node,
                              "it must say one way in which the value varies, such as "
                              "{uniform: [0.2, 0.4]} or {grid: [0, 1, 11]}");
    }
    *v            = (ss_variable){.path       = node->key,
                                  .node       = node,
                                  .name       = ss_philox_name(node->key),
                                  .input      = s->input_count,
                                  .coordinate = s->coordinate_count,
                                  .correlated = -1,
                                  .random     = -1};
    ss_node *spec = node->first;
    SS_TRY(find_kind(d, spec, &v->kind));
    SS_TRY(decoders[v->kind](d, s, v, spec));
    s->coordinate_count += v->coordinate_count;
    if (!ss_variable_makes_cells(v) && v->kind != SS_VARY_BOUNDS) {
        v->random = s->random_count++;
    }
    if (ss_variable_makes_cells(v)) {
        if ((double)s->cells * (double)v->count * s->trials > cells_max) {
            return ss_decode_fail(d, node, "that makes more than %g trials", cells_max);
        }
        s->cells *= v->count;
    }
    return SS_OK;
}

/* Rows of w + 2 trials (sobol_indices.c), whole ones. */
static ss_status check_rows(ss_decoder *d, const ss_study *s, const ss_node *node)
{
    int size = (int)s->random_count + 2;
    if (s->kind != SS_STUDY_SWEEP) {
        return ss_decode_fail(d, node, "sampling: saltelli belongs to studies of kind `sweep`");
    }
    if (s->random_count == 0) {
        return ss_decode_fail(d, node, "sampling: saltelli: no value is random");
    }
    if (s->trials % size != 0 || s->trials < 2 * size) {
        return ss_decode_fail(d, node,
                              "sampling: saltelli takes rows of %d trials (2, and 1 for each of "
                              "%d random values): trials must be a multiple of %d, such as %d, "
                              "not %d",
                              size, size - 2, size, 100 * size, (int)s->trials);
    }
    return SS_OK;
}

static ss_status check_sampling(ss_decoder *d, const ss_study *s, const ss_node *node)
{
    bool    rows = s->sampling == SS_SAMPLING_SALTELLI;
    int32_t used = rows ? 2 * s->coordinate_count : s->coordinate_count;
    if ((s->sampling == SS_SAMPLING_SOBOL || rows) && used > SS_SOBOL_DIMENSIONS) {
        return ss_decode_fail(d, node,
                              "sampling: %s takes at most %d random numbers a trial, here are "
                              "%d; use latin",
                              rows ? "saltelli" : "sobol", SS_SOBOL_DIMENSIONS / (rows ? 2 : 1),
                              (int)s->coordinate_count);
    }
    return rows ? check_rows(d, s, node) : SS_OK;
}

ss_status ss_vary_decode(ss_decoder *d, ss_study *s, ss_node *node)
{
    s->cells     = 1;
    s->inputs    = ss_pool_alloc(d->pool, INPUTS_MAX, sizeof *s->inputs);
    int32_t room = node != NULL ? node->count : 0;
    s->variables = ss_pool_alloc(d->pool, (size_t)room + 1, sizeof *s->variables);
    if (s->inputs == NULL || s->variables == NULL) {
        return no_memory(d);
    }
    if (node == NULL) {
        return check_sampling(d, s, d->root);
    }
    SS_TRY(ss_decode_expect(d, "vary", node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(decode_variable(d, s, entry, &s->variables[s->variable_count]));
        s->variable_count++;
    }
    d->what[0] = '\0';
    return check_sampling(d, s, node);
}

/* ---- correlation ---- */

typedef struct correlation_def {
    ss_node *between;
    double   value;
} correlation_def;

static ss_status find_normal(ss_decoder *d, ss_study *s, ss_node *node, ss_variable **out)
{
    const char *path = NULL;
    SS_TRY(ss_decode_text(d, "between", node, &path));
    for (int32_t i = 0; i < s->variable_count; i++) {
        ss_variable *v = &s->variables[i];
        if (strcmp(v->path, path) != 0) {
            continue;
        }
        if (v->kind != SS_VARY_NORMAL && v->kind != SS_VARY_LOGNORMAL) {
            return ss_decode_fail(d, node, "'%.80s' is not normal: only normals can be correlated",
                                  path);
        }
        *out = v;
        return SS_OK;
    }
    return ss_decode_fail(d, node, "'%.80s' does not vary", path);
}

static ss_status decode_pair(ss_decoder *d, ss_study *s, ss_node *node, double *A, int32_t n)
{
    static const ss_key keys[] = {SS_KEY_ROW("between", SS_KEY_CUSTOM, correlation_def, between,
                                             .decode = keep_node, .required = true),
                                  SS_KEY_ROW("value", SS_KEY_REAL, correlation_def, value,
                                             .low = -1, .high = 1, .required = true),
                                  SS_KEY_END};
    correlation_def     def    = {0};
    ss_variable        *a = NULL, *b = NULL;
    SS_TRY(ss_decode_expect(d, "an entry of correlation", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, keys, node, &def));
    SS_TRY(ss_decode_expect(d, "between", def.between, SS_NODE_LIST));
    if (def.between->count != 2) {
        return ss_decode_fail(d, def.between, "between must name two values that vary");
    }
    SS_TRY(find_normal(d, s, def.between->first, &a));
    SS_TRY(find_normal(d, s, def.between->last, &b));
    if (a == b) {
        return ss_decode_fail(d, def.between, "a value is correlated with itself");
    }
    A[a->correlated * n + b->correlated] = A[b->correlated * n + a->correlated] = def.value;
    return SS_OK;
}

ss_status ss_correlation_decode(ss_decoder *d, ss_study *s, ss_node *node)
{
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "correlation", node, SS_NODE_LIST));
    if (s->sampling == SS_SAMPLING_SALTELLI) {
        return ss_decode_fail(d, node,
                              "sampling: saltelli: indices are those of independent values, which "
                              "correlated ones are not");
    }
    for (int32_t i = 0; i < s->variable_count; i++) {
        ss_variable *v = &s->variables[i];
        if (v->kind == SS_VARY_NORMAL || v->kind == SS_VARY_LOGNORMAL) {
            v->correlated = s->correlated_count++;
        }
    }
    int32_t n      = s->correlated_count;
    s->correlation = ss_pool_alloc(d->pool, (size_t)n * (size_t)n + 1, sizeof *s->correlation);
    if (s->correlation == NULL) {
        return no_memory(d);
    }
    for (int32_t i = 0; i < n; i++) {
        s->correlation[i * n + i] = 1;
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(decode_pair(d, s, entry, s->correlation, n));
    }
    if (!ss_cholesky(s->correlation, n)) {
        return ss_decode_fail(d, node,
                              "no numbers can have these correlations: their matrix is not "
                              "positive definite");
    }
    return SS_OK;
}
