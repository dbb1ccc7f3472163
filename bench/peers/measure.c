/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

double peer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void peer_emit(const peer_run *r, const char *metric, double value)
{
    printf("%s,%s,%s,%g,%g,%s,%.6g\n", r->scene, r->engine->name,
           r->engine->settings[r->setting].name, r->h, r->apart, metric, value);
    fflush(stdout);
}

void peer_emit_trouble(const peer_run *r)
{
    const char *why = r->engine->trouble != NULL ? r->engine->trouble() : NULL;
    peer_emit(r, why != NULL ? why : "gave_up", 1);
}

static void judge(peer_run *r, void *world)
{
    if (r->engine->residual != NULL) {
        r->worst_residual = fmax(r->worst_residual, r->engine->residual(world));
    }
}

bool peer_simulate(peer_run *r, const peer_scene *s, peer_observe observe, void *user)
{
    void *world = r->engine->create(&s->world, r->setting);
    if (world == NULL) {
        return false;
    }
    bool ok           = true;
    r->seconds        = 0;
    r->worst_residual = r->engine->residual != NULL ? 0 : NAN;
    if (r->first_push != NULL) {
        r->first_push(r, world, 1);
    }
    for (int step = 1; step <= s->steps && ok; step++) {
        double start = peer_seconds();
        ok           = r->engine->step(world);
        r->seconds += peer_seconds() - start;
        judge(r, world);
        if (ok && observe != NULL) {
            observe(user, r, world, step);
        }
    }
    r->engine->destroy(world);
    if (!ok) {
        peer_emit_trouble(r);
    }
    return ok;
}
