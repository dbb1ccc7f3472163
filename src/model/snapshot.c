/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: a mark, of what they are and of which parts the model has, then the size of each part
 * of the state (state.h) and the part itself. */
#include <math.h>
#include <string.h>

#include "model/data.h"

static const uint64_t MAGIC = 0x32304e5350414e53u; /* says what it is, and its version */

size_t ss_snapshot_size(const ss_model *m, const ss_data *d)
{
    if (ss_data_given(m, d, d) != SS_OK) {
        return 0;
    }
    size_t size = sizeof MAGIC;
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        size += sizeof(uint64_t) + ss_state_part_bytes(ss_state_parts[i], m, d);
    }
    return size;
}

ss_status ss_snapshot_get(const ss_model *m, const ss_data *d, void *snapshot)
{
    SS_TRY(ss_data_given(m, d, snapshot));
    unsigned char *at   = snapshot;
    uint64_t       mark = MAGIC ^ m->parts;
    memcpy(at, &mark, sizeof mark);
    at += sizeof mark;
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        uint64_t bytes = ss_state_part_bytes(ss_state_parts[i], m, d);
        memcpy(at, &bytes, sizeof bytes);
        at = ss_state_part_get(ss_state_parts[i], m, d, at + sizeof bytes);
    }
    return SS_OK;
}

static bool all_finite(const unsigned char *at, uint64_t bytes)
{
    double x;
    for (uint64_t i = 0; i + sizeof x <= bytes; i += sizeof x) {
        memcpy(&x, at + i, sizeof x);
        if (!isfinite(x)) {
            return false;
        }
    }
    return true;
}

/* Takes the next `bytes` of what is left; false: there are not that many. */
static bool take(const unsigned char **at, size_t *left, void *to, size_t bytes)
{
    if (*left < bytes) {
        return false;
    }
    memcpy(to, *at, bytes);
    *at += bytes;
    *left -= bytes;
    return true;
}

/* Has it the parts of this model, each of its size, and nothing else? */
static bool fits(const ss_model *m, const ss_data *d, const unsigned char *at, size_t left)
{
    uint64_t magic = 0, bytes = 0;
    if (!take(&at, &left, &magic, sizeof magic) || magic != (MAGIC ^ m->parts)) {
        return false;
    }
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        const ss_state_part *part = ss_state_parts[i];
        if (!take(&at, &left, &bytes, sizeof bytes) || bytes > left ||
            (part->resize == NULL && bytes != ss_state_part_bytes(part, m, d)) ||
            (part->in_vector && !all_finite(at, bytes))) {
            return false;
        }
        at += bytes;
        left -= (size_t)bytes;
    }
    return left == 0;
}

static ss_status make_room(ss_data *d, const unsigned char *at)
{
    uint64_t bytes;
    for (int i = 0; ss_state_parts[i] != NULL; i++, at += bytes) {
        memcpy(&bytes, at, sizeof bytes);
        at += sizeof bytes;
        if (ss_state_parts[i]->resize != NULL) {
            SS_TRY(ss_state_parts[i]->resize(d, (size_t)bytes));
        }
    }
    return SS_OK;
}

ss_status ss_snapshot_set(const ss_model *m, ss_data *d, const void *snapshot, size_t size)
{
    SS_TRY(ss_data_given(m, d, snapshot));
    const unsigned char *at = snapshot;
    if (!fits(m, d, at, size)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "this is no snapshot of this model");
    }
    SS_TRY(make_room(d, at + sizeof MAGIC));
    at += sizeof MAGIC;
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        at = ss_state_part_set(ss_state_parts[i], m, d, at + sizeof(uint64_t));
    }
    return SS_OK;
}
