/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV: one row a state, first the start, then the end of every step. Columns: t; for each body
 * NAME.x .y .z .qw .qx .qy .qz .vx .vy .vz .wx .wy .wz (2D: .x .y .angle .vx .vy .w); then energy
 * (kinetic + potential), residual and contacts of the step. Numbers read back bit for bit.
 */
#include "files/text_table.h"

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

static void write_body(FILE *f, const ss_model *m, const ss_data *d, int32_t body)
{
    ss_body_state s;
    ss_data_body(m, d, body, &s);
    if (ss_model_dimension(m) == 2) {
        double x[] = {s.position.x, s.position.y, s.angle,
                      s.velocity.x, s.velocity.y, s.angular_velocity.z};
        ss_table_reals(f, x, 6);
    } else {
        double x[] = {s.position.x,        s.position.y,         s.position.z,
                      s.quat_wxyz.w,       s.quat_wxyz.x,        s.quat_wxyz.y,
                      s.quat_wxyz.z,       s.velocity.x,         s.velocity.y,
                      s.velocity.z,        s.angular_velocity.x, s.angular_velocity.y,
                      s.angular_velocity.z};
        ss_table_reals(f, x, 13);
    }
}

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    const ss_text_table *t = ss_recorder_state(r);
    SS_TRY(ss_table_open(r));
    write_header(t->file, info->model);
    return ss_table_check(r);
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    const ss_text_table  *t      = ss_recorder_state(r);
    const ss_step_report *report = ss_data_report(d);
    ss_energy             energy = ss_data_energy(m, d);
    fprintf(t->file, "%.17g", ss_data_time(d));
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        write_body(t->file, m, d, i);
    }
    fprintf(t->file, ",%.17g,%.17g,%d\n", energy.kinetic + energy.potential, report->residual,
            (int)report->contacts);
    return ss_table_check(r);
}

const ss_recorder_class ss_recorder_csv = {"csv",
                                           "one row a step, for spreadsheets and plots",
                                           sizeof(ss_text_table),
                                           open,
                                           append,
                                           ss_table_close,
                                           ss_table_discard};
