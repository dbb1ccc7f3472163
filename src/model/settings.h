/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of what plug-ins bring: from names and texts to the struct that their options describe.
 */
#ifndef SS_MODEL_SETTINGS_H
#define SS_MODEL_SETTINGS_H

#include "model/compiler.h"
#include "stickslip/solver.h"

typedef struct ss_setting_list {
    const ss_option  *options; /* or NULL */
    size_t            size;    /* of the struct */
    const ss_setting *items;   /* (count) */
    int32_t           count;
    ss_status (*check)(ss_context *ctx, const void *settings); /* or NULL */
} ss_setting_list;

/* Fills `settings`, which has list->size bytes; the message says which setting is wrong. */
ss_status ss_settings_fill(ss_context *ctx, const ss_setting_list *list, void *settings);

/* The same in memory of the model; `where` opens the message. */
ss_status ss_compile_settings(ss_compiler *c, const ss_setting_list *list, const char *where,
                              void **out);

#endif
