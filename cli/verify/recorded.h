/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that a case makes by itself, and what identification finds in them. */
#ifndef SS_CLI_VERIFY_RECORDED_H
#define SS_CLI_VERIFY_RECORDED_H

#include <stdint.h>

#include "stickslip/identify.h"
#include "verify/verify.h"

/* Uniform in [0, 1), and normal: splitmix64, the same everywhere. */
double ss_verify_uniform(uint64_t *seed);
double ss_verify_normal(uint64_t *seed);

/* A folder with one recording, path.csv, for studies of one scene. */
typedef struct ss_recorded_folder {
    const char *scene; /* its text */
    char        folder[64], path[128];
} ss_recorded_folder;

ss_status ss_recorded_open(ss_verify *v, const char *scene, ss_recorded_folder *out);
void      ss_recorded_close(const ss_recorded_folder *r);

/* Identifies by the study's text; its scene, whatever it is called, is the folder's. */
ss_status ss_recorded_identify(ss_verify *v, ss_recorded_folder *r, const char *text,
                               ss_identification **out);

#endif
