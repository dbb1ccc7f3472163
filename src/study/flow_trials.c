/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a study: measures over two of the variables that make cells. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/flow_trials.h"
#include "study/trials.h"

typedef struct axis {
    int32_t number, input;
    int64_t size, stride; /* cells from one value to the next */
} axis;

static axis axis_at(const ss_study *s, int32_t number)
{
    axis a = {number, ss_study_axis_input(s, number), ss_study_axis_size(s, number), 1};
    for (int32_t i = number + 1; i < ss_study_axis_count(s); i++) {
        a.stride *= ss_study_axis_size(s, i);
    }
    return a;
}

int64_t ss_trials_flow_count(const ss_trials *t)
{
    const ss_study *s = t != NULL ? t->study : NULL;
    if (s == NULL || s->field == NULL) {
        return 0;
    }
    return s->cells / (axis_at(s, s->field->axis[0]).size * axis_at(s, s->field->axis[1]).size);
}

/* The first cell of a field: the values of all other axes are digits of its number. */
static int64_t first_cell(const ss_study *s, int64_t flow)
{
    int64_t cell = 0;
    for (int32_t i = ss_study_axis_count(s) - 1; i >= 0; i--) {
        axis a = axis_at(s, i);
        if (i != s->field->axis[0] && i != s->field->axis[1]) {
            cell += flow % a.size * a.stride;
            flow /= a.size;
        }
    }
    return cell;
}

typedef struct grid {
    double *x, *y, *u, *v;
} grid;

static void fill(const ss_trials *t, int64_t flow, const axis a[2], double *inputs, grid *g)
{
    const ss_study *s = t->study;
    for (int64_t j = 0; j < a[1].size; j++) {
        for (int64_t i = 0; i < a[0].size; i++) {
            int64_t cell = first_cell(s, flow) + i * a[0].stride + j * a[1].stride;
            ss_study_draw(s, cell * s->trials, inputs);
            g->x[i]                 = inputs[a[0].input];
            g->y[j]                 = inputs[a[1].input];
            g->u[j * a[0].size + i] = ss_trials_estimate(t, s->field->measure[0], cell).mean;
            g->v[j * a[0].size + i] = ss_trials_estimate(t, s->field->measure[1], cell).mean;
        }
    }
}

ss_status ss_trials_flow(const ss_trials *t, int64_t flow, ss_flow **out)
{
    ss_context *ctx = t->ctx;
    *out            = NULL;
    if (flow < 0 || flow >= ss_trials_flow_count(t)) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "the study has no field %lld", (long long)flow);
    }
    const ss_study *s    = t->study;
    axis            a[2] = {axis_at(s, s->field->axis[0]), axis_at(s, s->field->axis[1])};
    size_t          nx = (size_t)a[0].size, ny = (size_t)a[1].size;
    size_t          room   = (size_t)s->input_count + nx + ny + 2 * nx * ny;
    double         *memory = ss_alloc(ctx, room, sizeof *memory);
    if (memory == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    grid g;
    g.x = memory + s->input_count;
    g.y = g.x + nx;
    g.u = g.y + ny;
    g.v = g.u + nx * ny;
    fill(t, flow, a, memory, &g);
    ss_status status = ss_flow_create(ctx, (int32_t)nx, (int32_t)ny, g.x, g.y, g.u, g.v, out);
    ss_free(ctx, memory, room * sizeof *memory);
    return status;
}

void ss_trials_flow_name(const ss_trials *t, int64_t flow, char *out, size_t size)
{
    const ss_study *s    = t->study;
    size_t          used = 0;
    if (size == 0) {
        return;
    }
    out[0] = '\0';
    if (flow < 0 || flow >= ss_trials_flow_count(t)) {
        return;
    }
    double *inputs = ss_alloc(t->ctx, (size_t)s->input_count + 1, sizeof *inputs);
    if (inputs == NULL) {
        return;
    }
    ss_study_draw(s, first_cell(s, flow) * s->trials, inputs);
    for (int32_t i = 0; i < ss_study_axis_count(s) && used < size; i++) {
        int32_t     input = ss_study_axis_input(s, i);
        const char *text  = ss_study_input_text(s, input, inputs[input]);
        if (i == s->field->axis[0] || i == s->field->axis[1]) {
            continue;
        }
        used += (size_t)(text != NULL ? snprintf(out + used, size - used, "%s%s = %s",
                                                 used > 0 ? ", " : "", s->inputs[input].path, text)
                                      : snprintf(out + used, size - used, "%s%s = %.6g",
                                                 used > 0 ? ", " : "", s->inputs[input].path,
                                                 inputs[input]));
    }
    ss_free(t->ctx, inputs, ((size_t)s->input_count + 1) * sizeof *inputs);
}

/* ---- reading ---- */

static ss_status keep_pair(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    bool two = node->count == 2 && node->first->kind == SS_NODE_SCALAR &&
               node->last->kind == SS_NODE_SCALAR;
    if (!two) {
        return ss_decode_fail(d, node, "%s takes two names", key->name);
    }
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

const ss_key ss_field_keys[] = {
    SS_KEY_ROW("at", SS_KEY_CUSTOM, ss_field_def, at, .decode = keep_pair, .required = true,
               .form = "[PATH, PATH]",
               .doc =
                   "the two varied values (grids, or lists of rising numbers) that are the place"),
    SS_KEY_ROW("velocity", SS_KEY_CUSTOM, ss_field_def, velocity, .decode = keep_pair,
               .required = true, .form = "[MEASURE, MEASURE]",
               .doc = "the two measures that are the velocity there"),
    SS_KEY_END};

static ss_status find_axis(ss_decoder *d, const ss_study *s, const ss_node *name, int32_t *out)
{
    for (int32_t i = 0; i < ss_study_axis_count(s); i++) {
        int32_t         input = ss_study_axis_input(s, i);
        const ss_input *in    = &s->inputs[input];
        if (strcmp(in->path, name->text) == 0 && in->levels == NULL) {
            if (ss_study_axis_size(s, i) < 2) {
                return ss_decode_fail(d, name, "'%s' has one value: a field needs two or more",
                                      name->text);
            }
            *out = i;
            return SS_OK;
        }
    }
    return ss_decode_fail(d, name, "'%s' is no number that varies by a grid or a list", name->text);
}

static ss_status find_measure(ss_decoder *d, const ss_study *s, const ss_node *name, int32_t *out)
{
    for (int32_t i = 0; i < s->measure_count; i++) {
        if (strcmp(s->measures[i].name, name->text) == 0) {
            *out = i;
            return SS_OK;
        }
    }
    return ss_decode_fail(d, name, "there is no measure '%s'", name->text);
}

ss_status ss_field_decode(ss_decoder *d, ss_study *s, ss_node *node)
{
    ss_field_def *f = ss_pool_alloc(d->pool, 1, sizeof *f);
    if (f == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    *f = (ss_field_def){0};
    SS_TRY(ss_decode_expect(d, "field", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_field_keys, node, f));
    SS_TRY(find_axis(d, s, f->at->first, &f->axis[0]));
    SS_TRY(find_axis(d, s, f->at->last, &f->axis[1]));
    SS_TRY(find_measure(d, s, f->velocity->first, &f->measure[0]));
    SS_TRY(find_measure(d, s, f->velocity->last, &f->measure[1]));
    if (f->axis[0] == f->axis[1]) {
        return ss_decode_fail(d, f->at, "the two places of a field must differ");
    }
    s->field = f;
    return SS_OK;
}
