/* SPDX-License-Identifier: Apache-2.0 */
/* What a report needs of a run file beyond the public reader. */
#ifndef SS_IO_RUN_FILE_ROWS_H
#define SS_IO_RUN_FILE_ROWS_H

#include "runfile/run_rows.h"
#include "stickslip/run_file.h"

const ss_run_size *ss_run_file_size(const ss_run_file *f);
const char        *ss_run_file_body_type(const ss_run_file *f, int32_t body);
const char        *ss_run_file_scene_name(const ss_run_file *f);
const char        *ss_run_file_generator(const ss_run_file *f); /* version; empty: not told */
/* bodies/mass, (bodies). */
ss_status ss_run_file_masses(const ss_run_file *f, double *out);
/* Do the arrays have the units that they are written with, and from the same version the meanings?
   SS_ERR_INPUT names one that has not. */
ss_status ss_run_file_labels(const ss_run_file *f);
/* Appends the states [first, first + count), whose contacts start at first_contact. */
ss_status ss_run_file_rows(ss_run_file *f, int64_t first, int32_t count, int64_t first_contact,
                           ss_run_rows *rows);

#endif
