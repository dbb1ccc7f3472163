/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the state, the state as a vector of numbers, and its hash. */
#include "model/state.h"

#include <math.h>
#include <string.h>

#include "model/data.h"

/* ---- the parts of every model ---- */

static int clock_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    (void)m;
    const ss_state *s = &d->state;
    out[0]            = (ss_span){(void *)&s->t, sizeof s->t};
    out[1]            = (ss_span){(void *)&s->ledger, sizeof s->ledger};
    return 2;
}

static int bodies_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    const ss_state *s = &d->state;
    out[0]            = (ss_span){s->pose, (size_t)m->nb * sizeof *s->pose};
    out[1]            = (ss_span){s->twist, (size_t)m->nb * sizeof *s->twist};
    return 2;
}

static int joints_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    size_t n = (size_t)m->joint_count * SS_JOINT_COORDINATES;
    out[0]   = (ss_span){d->state.joint_value, n * sizeof *d->state.joint_value};
    return 1;
}

static size_t late_joints(const ss_model *m)
{
    return m->joint_loads ? (size_t)m->joint_count : 0;
}

static int loads_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    out[0] = (ss_span){d->state.joint_load, (size_t)m->joint_count * sizeof *d->state.joint_load};
    out[1] = (ss_span){d->state.joint_late, late_joints(m) * sizeof *d->state.joint_late};
    return 2;
}

static void forget_loads(const ss_model *m, ss_data *d)
{
    memset(d->state.joint_load, 0, (size_t)m->joint_count * sizeof *d->state.joint_load);
    memset(d->state.joint_late, 0, late_joints(m) * sizeof *d->state.joint_late);
}

static int pushes_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    out[0] = (ss_span){d->state.push, (size_t)m->nb * sizeof *d->state.push};
    return 1;
}

static int memory_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    out[0] = (ss_span){d->state.memory, (size_t)m->memory_count * sizeof *d->state.memory};
    return 1;
}

static size_t sleepers(const ss_model *m)
{
    return m->simulation.sleep ? (size_t)m->nb : 0;
}

static int sleep_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    const ss_state *s = &d->state;
    out[0]            = (ss_span){s->quiet, sleepers(m) * sizeof *s->quiet};
    out[1]            = (ss_span){s->asleep, sleepers(m) * sizeof *s->asleep};
    return 2;
}

/* A state vector does not tell who sleeps: all are awake. */
static void forget_sleep(const ss_model *m, ss_data *d)
{
    if (m->simulation.sleep) {
        memset(d->state.quiet, 0, sleepers(m) * sizeof *d->state.quiet);
        memset(d->state.asleep, 0, sleepers(m) * sizeof *d->state.asleep);
    }
}

/* In the order of their blocks, because the search for a guess begins where the last one ended. */
static int guess_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    (void)m;
    const ss_state *s = &d->state;
    out[0]            = (ss_span){(void *)&s->warm_step, sizeof s->warm_step};
    out[1]            = (ss_span){s->warm, (size_t)s->warm_count * sizeof *s->warm};
    return 2;
}

static ss_status resize_guess(ss_data *d, size_t bytes)
{
    ss_state *s      = &d->state;
    size_t    head   = sizeof s->warm_step;
    size_t    list   = bytes >= head ? bytes - head : 1;
    size_t    wanted = list / sizeof *s->warm;
    if (list % sizeof *s->warm != 0 || wanted > INT32_MAX) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "this is no snapshot of this model");
    }
    if (wanted > (size_t)s->warm_capacity) {
        ss_warm_entry *fresh =
            ss_resize(d->ctx, s->warm, (size_t)s->warm_capacity * sizeof *fresh, list);
        if (fresh == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for a snapshot");
        }
        s->warm          = fresh;
        s->warm_capacity = (int32_t)wanted;
    }
    s->warm_count = (int32_t)wanted;
    return SS_OK;
}

static int deflections_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    (void)m;
    const ss_state *s = &d->state;
    out[0] = (ss_span){s->deflection, (size_t)s->deflection_count * sizeof *s->deflection};
    return 1;
}

static ss_status resize_deflections(ss_data *d, size_t bytes)
{
    ss_state *s      = &d->state;
    size_t    wanted = bytes / sizeof *s->deflection;
    if (bytes % sizeof *s->deflection != 0 || wanted > INT32_MAX) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "this is no snapshot of this model");
    }
    if (wanted > (size_t)s->deflection_capacity) {
        ss_deflection *fresh =
            ss_resize(d->ctx, s->deflection, (size_t)s->deflection_capacity * sizeof *fresh, bytes);
        if (fresh == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for a snapshot");
        }
        s->deflection          = fresh;
        s->deflection_capacity = (int32_t)wanted;
    }
    s->deflection_count = (int32_t)wanted;
    return SS_OK;
}

/* A state vector has none: contacts then start with the deflection that their overlap tells. */
static void forget_deflections(const ss_model *m, ss_data *d)
{
    (void)m;
    d->state.deflection_count = 0;
}

static int modes_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    (void)m;
    out[0] = (ss_span){d->state.mode, (size_t)d->state.mode_count * sizeof *d->state.mode};
    return 1;
}

static ss_status resize_modes(ss_data *d, size_t bytes)
{
    ss_state *s      = &d->state;
    size_t    wanted = bytes / sizeof *s->mode;
    if (bytes % sizeof *s->mode != 0 || wanted > INT32_MAX) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "this is no snapshot of this model");
    }
    if (wanted > (size_t)s->mode_capacity) {
        ss_mode_entry *fresh =
            ss_resize(d->ctx, s->mode, (size_t)s->mode_capacity * sizeof *fresh, bytes);
        if (fresh == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for a snapshot");
        }
        s->mode          = fresh;
        s->mode_capacity = (int32_t)wanted;
    }
    s->mode_count = (int32_t)wanted;
    return SS_OK;
}

/* A state vector has none: they are found anew from positions and velocities. */
static void forget_modes(const ss_model *m, ss_data *d)
{
    (void)m;
    d->state.mode_count = 0;
}

static int sticking_spans(const ss_model *m, const ss_data *d, ss_span *out)
{
    (void)m;
    const ss_state *s = &d->state;
    out[0]            = (ss_span){s->sticking, (size_t)s->sticking_count * sizeof *s->sticking};
    return 1;
}

static ss_status resize_sticking(ss_data *d, size_t bytes)
{
    ss_state *s      = &d->state;
    size_t    wanted = bytes / sizeof *s->sticking;
    if (bytes % sizeof *s->sticking != 0 || wanted > INT32_MAX) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "this is no snapshot of this model");
    }
    if (wanted > (size_t)s->sticking_capacity) {
        ss_sticking_entry *fresh =
            ss_resize(d->ctx, s->sticking, (size_t)s->sticking_capacity * sizeof *fresh, bytes);
        if (fresh == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for a snapshot");
        }
        s->sticking          = fresh;
        s->sticking_capacity = (int32_t)wanted;
    }
    s->sticking_count = (int32_t)wanted;
    return SS_OK;
}

/* A state vector has none: what has no slip sticks. */
static void forget_sticking(const ss_model *m, ss_data *d)
{
    (void)m;
    d->state.sticking_count = 0;
}

/* A guess from another state would make the result depend on the past. */
static void forget_guess(const ss_model *m, ss_data *d)
{
    (void)m;
    d->state.warm_count = 0;
}

const ss_state_part ss_state_part_clock = {
    .name = "clock", .spans = clock_spans, .in_vector = true};
const ss_state_part ss_state_part_bodies = {
    .name = "bodies", .spans = bodies_spans, .in_vector = true};
const ss_state_part ss_state_part_joints = {
    .name = "joints", .spans = joints_spans, .in_vector = true};
const ss_state_part ss_state_part_loads = {
    .name = "loads", .spans = loads_spans, .forget = forget_loads};
const ss_state_part ss_state_part_pushes = {.name = "pushes", .spans = pushes_spans};
const ss_state_part ss_state_part_memory = {
    .name = "memory", .spans = memory_spans, .in_vector = true};
const ss_state_part ss_state_part_deflections = {.name   = "deflections",
                                                 .spans  = deflections_spans,
                                                 .resize = resize_deflections,
                                                 .forget = forget_deflections};
const ss_state_part ss_state_part_sleep       = {
          .name = "sleep", .spans = sleep_spans, .forget = forget_sleep};
const ss_state_part ss_state_part_sticking = {.name   = "sticking",
                                              .spans  = sticking_spans,
                                              .resize = resize_sticking,
                                              .forget = forget_sticking};
const ss_state_part ss_state_part_modes    = {
       .name = "modes", .spans = modes_spans, .resize = resize_modes, .forget = forget_modes};
const ss_state_part ss_state_part_guess = {
    .name = "guess", .spans = guess_spans, .resize = resize_guess, .forget = forget_guess};

/* ---- all parts ---- */

#define SS_STATE_PART(name) &ss_state_part_##name,
const ss_state_part *const ss_state_parts[] = {
#include "model/state_list.h"
    NULL};
#undef SS_STATE_PART

size_t ss_state_part_bytes(const ss_state_part *part, const ss_model *m, const ss_data *d)
{
    ss_span span[SS_SPANS_MAX] = {{0}};
    size_t  bytes              = 0;
    int     count              = part->spans(m, d, span);
    for (int i = 0; i < count; i++) {
        bytes += span[i].bytes;
    }
    return bytes;
}

unsigned char *ss_state_part_get(const ss_state_part *part, const ss_model *m, const ss_data *d,
                                 unsigned char *to)
{
    ss_span span[SS_SPANS_MAX] = {{0}};
    int     count              = part->spans(m, d, span);
    for (int i = 0; i < count; i++) {
        if (span[i].bytes > 0) {
            memcpy(to, span[i].at, span[i].bytes);
        }
        to += span[i].bytes;
    }
    return to;
}

const unsigned char *ss_state_part_set(const ss_state_part *part, const ss_model *m, ss_data *d,
                                       const unsigned char *from)
{
    ss_span span[SS_SPANS_MAX] = {{0}};
    int     count              = part->spans(m, d, span);
    for (int i = 0; i < count; i++) {
        if (span[i].bytes > 0) {
            memcpy(span[i].at, from, span[i].bytes);
        }
        from += span[i].bytes;
    }
    return from;
}

/* ---- the state vector ---- */

int32_t ss_state_size(const ss_model *m)
{
    if (m == NULL) {
        return 0;
    }
    const ss_data none  = {.model = m}; /* spans of numbers have the same size in all data */
    size_t        bytes = 0;
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        bytes +=
            ss_state_parts[i]->in_vector ? ss_state_part_bytes(ss_state_parts[i], m, &none) : 0;
    }
    return (int32_t)(bytes / sizeof(double));
}

ss_status ss_state_get(const ss_model *m, const ss_data *d, double *state)
{
    SS_TRY(ss_data_given(m, d, state));
    unsigned char *at = (unsigned char *)state;
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        if (ss_state_parts[i]->in_vector) {
            at = ss_state_part_get(ss_state_parts[i], m, d, at);
        }
    }
    return SS_OK;
}

ss_status ss_state_set(const ss_model *m, ss_data *d, const double *state)
{
    SS_TRY(ss_data_given(m, d, state));
    for (int32_t i = 0; i < ss_state_size(m); i++) {
        if (!isfinite(state[i])) {
            return ss_fail(d->ctx, SS_ERR_ARGUMENT, "a number of the state is not finite");
        }
    }
    const unsigned char *at = (const unsigned char *)state;
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        const ss_state_part *part = ss_state_parts[i];
        if (part->in_vector) {
            at = ss_state_part_set(part, m, d, at);
        } else if (part->forget != NULL) {
            part->forget(m, d);
        }
    }
    d->placed = true;
    d->thrown = false; /* what a step left, perhaps */
    return SS_OK;
}

/* ---- the hash: FNV-1a over the bits of all parts ---- */

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * 1099511628211u;
    }
    return hash;
}

uint64_t ss_state_hash(const ss_model *m, const ss_data *d)
{
    uint64_t hash = 14695981039346656037u;
    if (ss_data_given(m, d, d) != SS_OK) {
        return 0;
    }
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        ss_span span[SS_SPANS_MAX] = {{0}};
        int     count              = ss_state_parts[i]->spans(m, d, span);
        for (int k = 0; k < count; k++) {
            hash = hash_bytes(hash, span[k].at, span[k].bytes);
        }
    }
    return hash;
}
