/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `smooth`: values that belong to neighbouring places (cells of a map of friction) are expected to
 * differ by about `deviation`. To the squares of all recordings it adds
 *
 *   sum over neighbours ((theta_i - theta_j) / deviation)^2
 *
 * as measurements of zero would (Tikhonov; with the noise told, the most likely map before a normal
 * law of differences). What recordings do not reach then follows from its neighbours.
 */
#include "identify/neighbours.h"

#include <math.h>
#include <string.h>

typedef struct smooth_def {
    ss_node *values;
    double   deviation;
} smooth_def;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)(void *)((char *)target + key->offset) = node;
    return SS_OK;
}

static const ss_key smooth_keys[] = {
    SS_KEY_ROW("values", SS_KEY_CUSTOM, smooth_def, values, .decode = keep_node, .required = true),
    SS_KEY_ROW("deviation", SS_KEY_REAL, smooth_def, deviation, SS_POSITIVE, .required = true),
    SS_KEY_END};

/* The free value of a name. */
static ss_status find(ss_decoder *d, const ss_identify *p, const ss_node *node, int32_t *out)
{
    SS_TRY(ss_decode_expect(d, "an entry of smooth: values", node, SS_NODE_SCALAR));
    for (int32_t i = 0; i < p->parameter_count; i++) {
        if (!p->parameters[i].nuisance && p->parameters[i].trial < 0 &&
            strcmp(p->parameters[i].name, node->text) == 0) {
            *out = i;
            return SS_OK;
        }
    }
    return ss_decode_fail(d, node,
                          "smooth: '%.80s' is no value of `free` that counts for all "
                          "recordings",
                          node->text);
}

/* A row of names, side by side; and under the row before, where there is one. */
static ss_status read_row(ss_decoder *d, ss_identify *p, ss_node *row, int32_t columns,
                          int32_t *above)
{
    int32_t c = 0, left = -1;
    SS_TRY(ss_decode_expect(d, "a row of smooth: values", row, SS_NODE_LIST));
    if (row->count != columns) {
        return ss_decode_fail(d, row,
                              "smooth: rows of values must have the same length, got %d "
                              "after %d",
                              (int)row->count, (int)columns);
    }
    for (ss_node *entry = row->first; entry != NULL; entry = entry->next, c++) {
        int32_t i = 0;
        SS_TRY(find(d, p, entry, &i));
        if (left >= 0) {
            p->smooth[p->smooth_count++] = (ss_neighbours){left, i};
        }
        if (above[c] >= 0) {
            p->smooth[p->smooth_count++] = (ss_neighbours){above[c], i};
        }
        left = above[c] = i;
    }
    return SS_OK;
}

ss_status ss_smooth_read(ss_decoder *d, ss_identify *p, ss_node *node)
{
    smooth_def def = {0};
    if (node == NULL || p->excites) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "smooth", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, smooth_keys, node, &def));
    SS_TRY(ss_decode_expect(d, "smooth: values", def.values, SS_NODE_LIST));
    if (p->search.method != SS_METHOD_SIMULATE) {
        return ss_decode_fail(d, node, "smooth works with method simulate, not with %s",
                              p->search.name);
    }
    if (!p->sigma_told) {
        return ss_decode_fail(d, node,
                              "smooth weighs differences against noise, which `noise` must say");
    }
    bool     grid    = def.values->count > 0 && def.values->first->kind == SS_NODE_LIST;
    ss_node *first   = grid ? def.values->first : def.values;
    int32_t  columns = first->count, rows = grid ? def.values->count : 1;
    int32_t *above = ss_pool_alloc(d->pool, (size_t)columns + 1, sizeof *above);
    p->smooth = ss_pool_alloc(d->pool, 2 * (size_t)columns * (size_t)rows + 1, sizeof *p->smooth);
    if (above == NULL || p->smooth == NULL) {
        return ss_decode_no_memory(d);
    }
    for (int32_t c = 0; c < columns; c++) {
        above[c] = -1;
    }
    p->smooth_deviation = def.deviation;
    for (ss_node *row = first; row != NULL; row = grid ? row->next : NULL) {
        SS_TRY(read_row(d, p, row, columns, above));
    }
    return p->smooth_count > 0
               ? SS_OK
               : ss_decode_fail(d, def.values, "smooth: values must name two or more");
}

bool ss_smooth_uses(const ss_identify *p, int32_t parameter)
{
    for (int32_t i = 0; i < p->smooth_count; i++) {
        if (p->smooth[i].a == parameter || p->smooth[i].b == parameter) {
            return true;
        }
    }
    return false;
}

void ss_smooth_residuals(const ss_identify *p, const double *theta, double *r)
{
    for (int32_t i = 0; i < p->smooth_count; i++) {
        r[i] = (theta[p->smooth[i].a] - theta[p->smooth[i].b]) / p->smooth_deviation;
    }
}
