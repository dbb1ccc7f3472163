/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV: one row a state, first the start, then the end of every step. Columns: t; for each body
 * NAME.x .y .z .qw .qx .qy .qz .vx .vy .vz .wx .wy .wz (2D: .x .y .angle .vx .vy .w); then energy
 * (kinetic + potential), residual and contacts of the step. Numbers read back bit for bit.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stickslip/record.h"

typedef struct csv {
    FILE *file;
    bool  created; /* this run made the file, so it may remove it */
} csv;

static ss_status write_failed(ss_recorder *r)
{
    return ss_fail(ss_recorder_context(r), SS_ERR_IO, "%s: cannot be written: %s",
                   ss_recorder_path(r), strerror(errno));
}

static void write_header(FILE *f, const ss_model *m)
{
    static const char *const names3[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                         "vx", "vy", "vz", "wx", "wy", "wz"};
    static const char *const names2[] = {"x", "y", "angle", "vx", "vy", "w"};
    bool                     flat     = ss_model_dimension(m) == 2;
    size_t count = flat ? sizeof names2 / sizeof names2[0] : sizeof names3 / sizeof names3[0];
    fputs("t", f);
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        for (size_t k = 0; k < count; k++) {
            fprintf(f, ",%s.%s", ss_model_body_name(m, i), flat ? names2[k] : names3[k]);
        }
    }
    fputs(",energy,residual,contacts\n", f);
}

static void write_numbers(FILE *f, const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(f, ",%.17g", x[i]);
    }
}

static void write_body(FILE *f, const ss_model *m, const ss_data *d, int32_t body)
{
    ss_body_state s;
    ss_data_body(m, d, body, &s);
    if (ss_model_dimension(m) == 2) {
        double x[] = {s.position.x, s.position.y, s.angle,
                      s.velocity.x, s.velocity.y, s.angular_velocity.z};
        write_numbers(f, x, 6);
    } else {
        double x[] = {s.position.x,        s.position.y,         s.position.z,
                      s.quat_wxyz.w,       s.quat_wxyz.x,        s.quat_wxyz.y,
                      s.quat_wxyz.z,       s.velocity.x,         s.velocity.y,
                      s.velocity.z,        s.angular_velocity.x, s.angular_velocity.y,
                      s.angular_velocity.z};
        write_numbers(f, x, 13);
    }
}

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    csv        *c = ss_recorder_state(r);
    struct stat before;
    bool        regular = stat(ss_recorder_path(r), &before) != 0 || S_ISREG(before.st_mode);
    c->file             = fopen(ss_recorder_path(r), "w");
    if (c->file == NULL) {
        return write_failed(r);
    }
    c->created = regular;
    write_header(c->file, info->model);
    return ferror(c->file) ? write_failed(r) : SS_OK;
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    csv                  *c      = ss_recorder_state(r);
    const ss_step_report *report = ss_data_report(d);
    ss_energy             energy = ss_data_energy(m, d);
    fprintf(c->file, "%.17g", ss_data_time(d));
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        write_body(c->file, m, d, i);
    }
    fprintf(c->file, ",%.17g,%.17g,%d\n", energy.kinetic + energy.potential, report->residual,
            (int)report->contacts);
    return ferror(c->file) ? write_failed(r) : SS_OK;
}

static void discard(ss_recorder *r)
{
    csv *c = ss_recorder_state(r);
    if (c->file != NULL) {
        fclose(c->file);
        c->file = NULL;
    }
    if (c->created) {
        unlink(ss_recorder_path(r));
        c->created = false;
    }
}

static ss_status close_file(ss_recorder *r, const ss_run_result *result)
{
    csv *c = ss_recorder_state(r);
    (void)result;
    bool failed = fflush(c->file) != 0 || ferror(c->file);
    failed      = fclose(c->file) != 0 || failed;
    c->file     = NULL;
    if (failed) {
        ss_status status = write_failed(r);
        discard(r);
        return status;
    }
    return SS_OK;
}

const ss_recorder_class ss_recorder_csv = {
    "csv",  "one row a step, for spreadsheets and plots", sizeof(csv), open, append, close_file,
    discard};
