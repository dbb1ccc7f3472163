/* SPDX-License-Identifier: Apache-2.0 */
#include "core/doubles.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct named {
    const char *name;
    int32_t     index;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int          order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

ss_status ss_first_double(ss_context *ctx, const char *const *names, size_t stride, int32_t count,
                          int32_t *out)
{
    int32_t n    = 0;
    named  *list = ss_alloc(ctx, (size_t)count, sizeof *list);
    *out         = -1;
    if (count > 0 && list == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d names", count);
    }
    for (int32_t i = 0; i < count; i++) {
        const char *const *at = (const void *)((const char *)names + (size_t)i * stride);
        if (*at != NULL) {
            list[n++] = (named){*at, i};
        }
    }
    if (n > 1) {
        qsort(list, (size_t)n, sizeof *list, by_name);
    }
    for (int32_t i = 1; i < n; i++) {
        bool again = strcmp(list[i - 1].name, list[i].name) == 0;
        if (again && (*out < 0 || list[i].index < *out)) {
            *out = list[i].index;
        }
    }
    ss_free(ctx, list, (size_t)count * sizeof *list);
    return SS_OK;
}
