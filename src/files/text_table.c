/* SPDX-License-Identifier: Apache-2.0 */
#include "files/text_table.h"

ss_status ss_table_open(ss_recorder *r)
{
    ss_text_table *t = ss_recorder_state(r);
    SS_TRY(ss_output_open(ss_recorder_context(r), ss_recorder_path(r), &t->out));
    t->file = ss_output_stream(t->out);
    return SS_OK;
}

ss_status ss_table_check(ss_recorder *r)
{
    const ss_text_table *t = ss_recorder_state(r);
    return ss_output_check(t->out);
}

void ss_table_discard(ss_recorder *r)
{
    ss_text_table *t = ss_recorder_state(r);
    (void)ss_output_close_table(t->out, SS_ERR_IO);
    *t = (ss_text_table){0};
}

ss_status ss_table_close(ss_recorder *r, const ss_run_result *result)
{
    ss_text_table *t = ss_recorder_state(r);
    (void)result;
    ss_output_file *out = t->out;
    *t                  = (ss_text_table){0};
    return ss_output_close_table(out, SS_OK);
}

void ss_table_reals(FILE *f, const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(f, ",%.17g", x[i]);
    }
}
