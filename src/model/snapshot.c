/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots: a header, the state vector, loads of joints, pushes, and the impulses of the last step
 * in the order of their blocks, because the search for a warm start begins where the last one
 * ended.
 */
#include <string.h>

#include "model/data.h"

typedef struct header {
    uint64_t magic;
    int32_t  state, joints, bodies, warm;
    double   warm_step;
} header;

static const uint64_t MAGIC = 0x31304e5350414e53u; /* says what it is, and its version */

static size_t size_of(const header *h)
{
    return sizeof *h + (size_t)h->state * sizeof(double) + (size_t)h->joints * sizeof(double) +
           (size_t)h->bodies * sizeof(ss_wrench) + (size_t)h->warm * sizeof(ss_warm_entry);
}

static header header_of(const ss_model *m, const ss_data *d)
{
    header h = {MAGIC, ss_state_size(m),    m->joint_count,
                m->nb, d->state.warm_count, d->state.warm_step};
    return h;
}

size_t ss_snapshot_size(const ss_model *m, const ss_data *d)
{
    if (ss_data_given(m, d, d) != SS_OK) {
        return 0;
    }
    header h = header_of(m, d);
    return size_of(&h);
}

static unsigned char *put(unsigned char *at, const void *from, size_t size)
{
    memcpy(at, from, size);
    return at + size;
}

static const unsigned char *take(const unsigned char *at, void *to, size_t size)
{
    memcpy(to, at, size);
    return at + size;
}

ss_status ss_snapshot_get(const ss_model *m, const ss_data *d, void *snapshot)
{
    SS_TRY(ss_data_given(m, d, snapshot));
    header         h  = header_of(m, d);
    unsigned char *at = put(snapshot, &h, sizeof h);
    SS_TRY(ss_state_get(m, d, (double *)(void *)at));
    at += (size_t)h.state * sizeof(double);
    at = put(at, d->state.joint_load, (size_t)h.joints * sizeof *d->state.joint_load);
    at = put(at, d->state.push, (size_t)h.bodies * sizeof *d->state.push);
    if (h.warm > 0) {
        put(at, d->state.warm, (size_t)h.warm * sizeof *d->state.warm);
    }
    return SS_OK;
}

static ss_status make_room(ss_data *d, int32_t count)
{
    if (count <= d->state.warm_capacity) {
        return SS_OK;
    }
    ss_warm_entry *fresh =
        ss_resize(d->ctx, d->state.warm, (size_t)d->state.warm_capacity * sizeof *fresh,
                  (size_t)count * sizeof *fresh);
    if (fresh == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for a snapshot");
    }
    d->state.warm          = fresh;
    d->state.warm_capacity = count;
    return SS_OK;
}

ss_status ss_snapshot_set(const ss_model *m, ss_data *d, const void *snapshot, size_t size)
{
    SS_TRY(ss_data_given(m, d, snapshot));
    header now = header_of(m, d), h = {0};
    if (size >= sizeof h) {
        memcpy(&h, snapshot, sizeof h);
    }
    if (h.magic != MAGIC || h.state != now.state || h.joints != now.joints ||
        h.bodies != now.bodies || h.warm < 0 || size != size_of(&h)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "this is no snapshot of this model");
    }
    SS_TRY(make_room(d, h.warm));
    const unsigned char *at = (const unsigned char *)snapshot + sizeof h;
    SS_TRY(ss_state_set(m, d, (const double *)(const void *)at));
    at += (size_t)h.state * sizeof(double);
    at = take(at, d->state.joint_load, (size_t)h.joints * sizeof *d->state.joint_load);
    at = take(at, d->state.push, (size_t)h.bodies * sizeof *d->state.push);
    if (h.warm > 0) {
        take(at, d->state.warm, (size_t)h.warm * sizeof *d->state.warm);
    }
    d->state.warm_count = h.warm;
    d->state.warm_step  = h.warm_step;
    return SS_OK;
}
