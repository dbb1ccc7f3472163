/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"
#include "stickslip/import.h"

ss_status ss_import_read(ss_context *ctx, const char *path, const ss_import_def *def,
                         ss_import **out)
{
    (void)def;
    *out = NULL;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "%s: this build of stickslip has no libxml2, which reads it", path);
}

const char *ss_import_scene(const ss_import *i)
{
    (void)i;
    return "";
}

const char *ss_import_format(const ss_import *i)
{
    (void)i;
    return "";
}

int32_t ss_import_note_count(const ss_import *i)
{
    (void)i;
    return 0;
}

const char *ss_import_note(const ss_import *i, int32_t index)
{
    (void)i;
    (void)index;
    return NULL;
}

void ss_import_destroy(ss_import *i)
{
    (void)i;
}
