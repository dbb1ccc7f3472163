/* SPDX-License-Identifier: Apache-2.0 */
#include "files/text_table.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ss_status write_failed(ss_recorder *r)
{
    return ss_fail(ss_recorder_context(r), SS_ERR_IO, "%s: cannot be written: %s",
                   ss_recorder_path(r), strerror(errno));
}

ss_status ss_table_open(ss_recorder *r)
{
    ss_text_table *t = ss_recorder_state(r);
    struct stat    before;
    bool           regular = stat(ss_recorder_path(r), &before) != 0 || S_ISREG(before.st_mode);
    t->file                = fopen(ss_recorder_path(r), "w");
    if (t->file == NULL) {
        return write_failed(r);
    }
    t->created = regular;
    return SS_OK;
}

ss_status ss_table_check(ss_recorder *r)
{
    const ss_text_table *t = ss_recorder_state(r);
    return ferror(t->file) ? write_failed(r) : SS_OK;
}

void ss_table_discard(ss_recorder *r)
{
    ss_text_table *t = ss_recorder_state(r);
    if (t->file != NULL) {
        fclose(t->file);
        t->file = NULL;
    }
    if (t->created) {
        unlink(ss_recorder_path(r));
        t->created = false;
    }
}

ss_status ss_table_close(ss_recorder *r, const ss_run_result *result)
{
    ss_text_table *t = ss_recorder_state(r);
    (void)result;
    bool failed = fflush(t->file) != 0 || ferror(t->file);
    failed      = fclose(t->file) != 0 || failed;
    t->file     = NULL;
    if (failed) {
        ss_status status = write_failed(r);
        ss_table_discard(r);
        return status;
    }
    return SS_OK;
}

void ss_table_reals(FILE *f, const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(f, ",%.17g", x[i]);
    }
}
