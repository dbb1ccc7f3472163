/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joints as CSV: one row a state, as the table of bodies. Columns: t; for each joint the reaction
 * on its second body, at its anchor, mean of the step: NAME.fx .fy .fz .tx .ty .tz (2D: .fx .fy
 * .t), .unique (0: redundant, only sums over several joints are determined) and .error (how far it
 * is open); then for each of its coordinates .value .rate and the forces along it: .friction .motor
 * .limit .spring (of the second coordinate .value2 .rate2 ...).
 */
#include "files/text_table.h"

static void write_names(FILE *f, const ss_model *m, int32_t joint)
{
    static const char *const reaction3[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    static const char *const reaction2[] = {"fx", "fy", "t"};
    static const char *const along[] = {"value", "rate", "friction", "motor", "limit", "spring"};
    const char              *name    = ss_model_joint_name(m, joint);
    bool                     flat    = ss_model_dimension(m) == 2;
    for (int i = 0; i < (flat ? 3 : 6); i++) {
        fprintf(f, ",%s.%s", name, flat ? reaction2[i] : reaction3[i]);
    }
    fprintf(f, ",%s.unique,%s.error", name, name);
    for (int32_t c = 0; c < ss_model_joint_coordinates(m, joint); c++) {
        for (int i = 0; i < 6; i++) {
            fprintf(f, ",%s.%s", name, along[i]);
            if (c > 0) {
                fprintf(f, "%d", (int)c + 1);
            }
        }
    }
}

static void write_joint(FILE *f, const ss_model *m, const ss_data *d, int32_t joint)
{
    ss_joint_info j;
    ss_data_joint(m, d, joint, &j);
    const double solid[] = {j.force.x, j.force.y, j.force.z, j.torque.x, j.torque.y, j.torque.z};
    const double flat[]  = {j.force.x, j.force.y, j.torque.z};
    if (ss_model_dimension(m) == 2) {
        ss_table_reals(f, flat, 3);
    } else {
        ss_table_reals(f, solid, 6);
    }
    fprintf(f, ",%d,%.17g", j.unique ? 1 : 0, j.error);
    for (int32_t c = 0; c < j.coordinates; c++) {
        const double along[] = {j.value[c], j.rate[c],  j.friction[c],
                                j.motor[c], j.limit[c], j.spring[c]};
        ss_table_reals(f, along, 6);
    }
}

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    const ss_text_table *t = ss_recorder_state(r);
    SS_TRY(ss_table_open(r));
    fputs("t", t->file);
    for (int32_t i = 0; i < ss_model_joint_count(info->model); i++) {
        write_names(t->file, info->model, i);
    }
    fputs("\n", t->file);
    return ss_table_check(r);
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    const ss_text_table *t = ss_recorder_state(r);
    fprintf(t->file, "%.17g", ss_data_time(d));
    for (int32_t i = 0; i < ss_model_joint_count(m); i++) {
        write_joint(t->file, m, d, i);
    }
    fputs("\n", t->file);
    return ss_table_check(r);
}

const ss_recorder_class ss_recorder_joints = {
    "joints",
    "reactions, coordinates and motors of joints, one row a step",
    sizeof(ss_text_table),
    open,
    append,
    ss_table_close,
    ss_table_discard};
