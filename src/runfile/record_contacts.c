/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts as CSV: one row for each contact of each step. Columns: t (at the end of the step), the
 * two bodies, the features that meet (geoms and features: an identity that lasts across steps),
 * open, stick or slip, the point, the normal from a to b, the gap at the start of the step and the
 * friction coefficient; then the forces on b, mean of the step (normal, along t and o = normal x t,
 * and the torques of torsion and rolling), and the velocity at which it slips along t and o. In 2D
 * without z, o, torsion and rolling.
 */
#include "files/text_table.h"

static void write_header(FILE *f, bool flat)
{
    fputs("t,a,b,geom_a,feature_a,geom_b,feature_b,state", f);
    fputs(flat ? ",x,y,nx,ny,tx,ty,gap,mu,normal,friction_t,slip_t\n"
               : ",x,y,z,nx,ny,nz,tx,ty,tz,gap,mu,normal,friction_t,friction_o,torsion,rolling_t,"
                 "rolling_o,slip_t,slip_o\n",
          f);
}

static void write_vector(FILE *f, ss_vec3 v, bool flat)
{
    const double x[] = {v.x, v.y, v.z};
    ss_table_reals(f, x, flat ? 2 : 3);
}

static void write_contact(FILE *f, const ss_model *m, const ss_data *d, int32_t contact)
{
    static const char *const states[] = {"open", "stick", "slip"};
    bool                     flat     = ss_model_dimension(m) == 2;
    double                   h        = ss_data_report(d)->step, force[6];
    ss_contact_info          c;
    ss_data_contact(m, d, contact, &c);
    fprintf(f, "%.17g,%s,%s,%d,%u,%d,%u,%s", ss_data_time(d), ss_model_body_name(m, c.body_a),
            ss_model_body_name(m, c.body_b), (int)c.geom_a, (unsigned)c.feature_a, (int)c.geom_b,
            (unsigned)c.feature_b, states[c.state]);
    write_vector(f, c.point, flat);
    write_vector(f, c.normal, flat);
    write_vector(f, c.t, flat);
    ss_table_reals(f, &c.gap, 1);
    ss_table_reals(f, &c.mu, 1);
    for (int i = 0; i < 6; i++) {
        force[i] = i < c.impulse_count ? c.impulse[i] / h : 0;
    }
    ss_table_reals(f, force, flat ? 2 : 6);
    ss_table_reals(f, c.velocity + 1, flat ? 1 : 2);
    fputs("\n", f);
}

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    const ss_text_table *t = ss_recorder_state(r);
    SS_TRY(ss_table_open(r));
    write_header(t->file, ss_model_dimension(info->model) == 2);
    return ss_table_check(r);
}

/* The start has no step, and no contacts. */
static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    const ss_text_table *t = ss_recorder_state(r);
    for (int32_t i = 0; i < ss_data_contact_count(d); i++) {
        write_contact(t->file, m, d, i);
    }
    return ss_table_check(r);
}

const ss_recorder_class ss_recorder_contacts = {
    "contacts",
    "forces, gaps and slip of contacts, one row for each in each step",
    sizeof(ss_text_table),
    open,
    append,
    ss_table_close,
    ss_table_discard};
