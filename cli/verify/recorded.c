/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double ss_verify_uniform(uint64_t *seed)
{
    uint64_t x = (*seed += 0x9E3779B97F4A7C15u); /* splitmix64 */
    x          = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x          = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

double ss_verify_normal(uint64_t *seed)
{
    const double pi = 3.14159265358979323846;
    double       u = 1 - ss_verify_uniform(seed), w = ss_verify_uniform(seed);
    return sqrt(-2 * log(u)) * cos(2 * pi * w);
}

ss_status ss_recorded_open(ss_verify *v, const char *scene, ss_recorded_folder *out)
{
    out->scene = scene;
    snprintf(out->folder, sizeof out->folder, "/tmp/stickslip-identify-XXXXXX");
    if (mkdtemp(out->folder) == NULL) {
        return ss_fail(ss_verify_context(v), SS_ERR_IO, "%s: cannot be made", out->folder);
    }
    snprintf(out->path, sizeof out->path, "%s/path.csv", out->folder);
    return SS_OK;
}

void ss_recorded_close(const ss_recorded_folder *r)
{
    (void)unlink(r->path);
    (void)rmdir(r->folder);
}

static bool find_scene(void *user, const char *name, const char **text, size_t *length)
{
    const ss_recorded_folder *r = user;
    (void)name;
    *text   = r->scene;
    *length = strlen(r->scene);
    return true;
}

ss_status ss_recorded_identify(ss_verify *v, ss_recorded_folder *r, const char *text,
                               ss_identification **out)
{
    char            name[128];
    ss_study       *study = NULL;
    ss_study_def    def   = {.find_scene = find_scene, .find_user = r};
    ss_identify_def how   = {.threads = 1};
    ss_context     *ctx   = ss_verify_context(v);
    snprintf(name, sizeof name, "%s/study.yaml", r->folder);
    ss_status status = ss_study_load_text(ctx, text, strlen(text), name, &def, &study);
    if (status == SS_OK) {
        status = ss_study_identify(ctx, study, &how, out);
    }
    ss_study_destroy(study);
    return status;
}
