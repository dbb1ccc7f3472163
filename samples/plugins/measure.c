/* SPDX-License-Identifier: Apache-2.0 */
/* A measure of studies: the way that the last body of the scene has come, along its path. */
#include <stickslip/plugin.h>

typedef struct state {
    ss_vec3 last;
    double  way;
} state;

static ss_status where(const ss_model *m, const ss_data *d, ss_vec3 *out)
{
    ss_body_state b;
    SS_TRY(ss_data_body(m, d, ss_model_body_count(m) - 1, &b));
    *out = b.position;
    return SS_OK;
}

static ss_status begin(void *memory, void *user, const ss_model *m, const ss_data *d)
{
    state *s = memory;
    (void)user;
    return where(m, d, &s->last);
}

static ss_status step(void *memory, void *user, const ss_model *m, const ss_data *d)
{
    state  *s = memory;
    ss_vec3 now;
    (void)user;
    SS_TRY(where(m, d, &now));
    s->way += ss_norm(ss_sub(now, s->last));
    s->last = now;
    return SS_OK;
}

static ss_status end(void *memory, void *user, const ss_model *m, const ss_data *d,
                     const ss_run_result *result, double *value)
{
    (void)user, (void)m, (void)d, (void)result;
    *value = ((const state *)memory)->way;
    return SS_OK;
}

static const ss_measure_class way = {
    .name = "way", .state_size = sizeof(state), .begin = begin, .step = step, .end = end};

static const ss_measure_class *const measures[] = {&way, NULL};

SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "way", "length of the path of a body", .measures = measures};
