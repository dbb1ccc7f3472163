/* SPDX-License-Identifier: Apache-2.0 */
/* A build without zlib: there are no reports, and every call says so. */
#include "stickslip/report.h"

static ss_status absent(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "this build of stickslip makes no reports: it was built without zlib");
}

ss_status ss_report_create(ss_context *ctx, ss_report **out)
{
    *out = NULL;
    return absent(ctx);
}

void ss_report_destroy(ss_report *r)
{
    (void)r;
}

/* Nobody has a report, so nobody can call these with one. */
ss_status ss_report_recorder(ss_report *r, const char *label, ss_recorder **out)
{
    (void)r;
    (void)label;
    *out = NULL;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_report_label(ss_report *r, const char *label)
{
    (void)r;
    (void)label;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_report_add_file(ss_report *r, const char *path, const char *label, int32_t every)
{
    (void)r;
    (void)path;
    (void)label;
    (void)every;
    return SS_ERR_UNSUPPORTED;
}

int32_t ss_report_run_count(const ss_report *r)
{
    (void)r;
    return 0;
}

ss_status ss_report_measured(ss_report *r, int32_t run, const ss_measured *s)
{
    (void)r;
    (void)run;
    (void)s;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_report_attach(ss_report *r, const char *key, const char *json)
{
    (void)r;
    (void)key;
    (void)json;
    return SS_ERR_UNSUPPORTED;
}

void ss_report_on_progress(ss_report *r, void (*progress)(void *user, int64_t done, int64_t total),
                           void      *user)
{
    (void)r;
    (void)progress;
    (void)user;
}

ss_status ss_report_refresh(ss_report *r)
{
    (void)r;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_report_write(ss_report *r, const char *path)
{
    (void)r;
    (void)path;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_report_page(ss_context *ctx, const char **text, size_t *size)
{
    (void)text;
    (void)size;
    return absent(ctx);
}

ss_status ss_report_header(ss_report *r, const char **json, size_t *size)
{
    (void)r;
    (void)json;
    (void)size;
    return SS_ERR_UNSUPPORTED;
}

int32_t ss_report_blob_count(const ss_report *r)
{
    (void)r;
    return 0;
}

ss_status ss_report_blob(ss_report *r, int32_t index, const void **bytes, size_t *size)
{
    (void)r;
    (void)index;
    (void)bytes;
    (void)size;
    return SS_ERR_UNSUPPORTED;
}

bool ss_report_has_page(void)
{
    return false;
}
