/* SPDX-License-Identifier: Apache-2.0 */
/* A build without HDF5: no run file can be opened, so the other calls never get one. */
#include <math.h>

#include "runfile/run_file_rows.h"

ss_status ss_run_file_open(ss_context *ctx, const char *path, ss_run_file **out)
{
    *out = NULL;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "%s: this build of stickslip reads no run files: it was built without HDF5",
                   path);
}

void ss_run_file_close(ss_run_file *f)
{
    (void)f;
}

ss_status ss_run_file_labels(const ss_run_file *f)
{
    (void)f;
    return SS_OK;
}

int64_t ss_run_file_states(const ss_run_file *f)
{
    (void)f;
    return 0;
}

int64_t ss_run_file_contacts(const ss_run_file *f)
{
    (void)f;
    return 0;
}

int ss_run_file_dimension(const ss_run_file *f)
{
    (void)f;
    return 0;
}

int32_t ss_run_file_body_count(const ss_run_file *f)
{
    (void)f;
    return 0;
}

bool ss_run_file_complete(const ss_run_file *f)
{
    (void)f;
    return false;
}

const char *ss_run_file_description(const ss_run_file *f)
{
    (void)f;
    return "{}";
}

const char *ss_run_file_body_name(const ss_run_file *f, int32_t body)
{
    (void)f;
    (void)body;
    return NULL;
}

const char *ss_run_file_scene_path(const ss_run_file *f)
{
    (void)f;
    return "";
}

const char *ss_run_file_scene_text(const ss_run_file *f)
{
    (void)f;
    return "";
}

const char *ss_run_file_resolved(const ss_run_file *f)
{
    (void)f;
    return "";
}

ss_status ss_run_file_masses(const ss_run_file *f, double *out)
{
    (void)f;
    (void)out;
    return SS_ERR_UNSUPPORTED;
}

double ss_run_file_result(const ss_run_file *f, const char *name)
{
    (void)f;
    (void)name;
    return NAN;
}

int32_t ss_run_file_width(const ss_run_file *f, const char *field)
{
    (void)f;
    (void)field;
    return 0;
}

ss_status ss_run_file_read(ss_run_file *f, const char *field, int64_t first, int64_t count,
                           double *out)
{
    (void)f;
    (void)field;
    (void)first;
    (void)count;
    (void)out;
    return SS_ERR_UNSUPPORTED;
}

const ss_run_size *ss_run_file_size(const ss_run_file *f)
{
    (void)f;
    return NULL;
}

const char *ss_run_file_scene_name(const ss_run_file *f)
{
    (void)f;
    return "";
}

const char *ss_run_file_generator(const ss_run_file *f)
{
    (void)f;
    return "";
}

const char *ss_run_file_body_type(const ss_run_file *f, int32_t body)
{
    (void)f;
    (void)body;
    return "static";
}

ss_status ss_run_file_rows(ss_run_file *f, int64_t first, int32_t count, int64_t first_contact,
                           ss_run_rows *rows)
{
    (void)f;
    (void)first;
    (void)count;
    (void)first_contact;
    (void)rows;
    return SS_ERR_UNSUPPORTED;
}
