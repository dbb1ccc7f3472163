/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trials a second of one study (studies/box-toss.yaml): by the library's own loop as a user would
 * write it in C (scene, model, data, steps), by ss_study_sweep() on one thread and on all, and by
 * MuJoCo's rollout of the same throws with the same steps, where it is installed.
 *
 *   bench_study SOURCE_DIRECTORY [trials]
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stickslip/stickslip.h"

#ifdef SS_BENCH_MUJOCO
#include <mujoco/mujoco.h>
#endif

enum { INPUTS = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *read_file(const char *directory, const char *name, size_t *length)
{
    char  path[1024];
    char *text = calloc(1, 65536);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    if (f == NULL || text == NULL) {
        fprintf(stderr, "bench_study: %s cannot be read\n", path);
        exit(2);
    }
    *length = fread(text, 1, 65535, f);
    fclose(f);
    return text;
}

static bool find_scene(void *user, const char *name, const char **text, size_t *length)
{
    static char  *scene = NULL;
    static size_t size  = 0;
    (void)name;
    if (scene == NULL) {
        scene = read_file(user, "scenes/box-toss.yaml", &size);
    }
    *text   = scene;
    *length = size;
    return true;
}

static void must(ss_context *ctx, ss_status status)
{
    if (status != SS_OK) {
        fprintf(stderr, "bench_study: %s\n", ss_context_message(ctx));
        exit(2);
    }
}

/* What a user would write: one trial after the other. */
static double own_loop(ss_context *ctx, const ss_study *s, int64_t trials)
{
    double started = now(), sum = 0;
    for (int64_t i = 0; i < trials; i++) {
        ss_scene     *scene = NULL;
        ss_model     *m     = NULL;
        ss_data      *d     = NULL;
        ss_body_state b;
        must(ctx, ss_study_scene(ctx, s, i, &scene));
        must(ctx, ss_model_compile(ctx, scene, &m));
        must(ctx, ss_data_create(ctx, m, &d));
        const ss_simulation_def *sim   = ss_model_simulation(m);
        int64_t                  steps = llround(sim->duration / sim->step);
        for (int64_t k = 0; k < steps; k++) {
            must(ctx, ss_step(m, d, sim->step));
        }
        must(ctx, ss_data_body(m, d, 1, &b));
        sum += hypot(b.position.x, b.position.y);
        ss_data_destroy(d);
        ss_model_destroy(m);
        ss_scene_destroy(scene);
    }
    double rate = (double)trials / (now() - started);
    printf("library's own loop     %8.1f trials/s   mean distance %.4f m\n", rate,
           sum / (double)trials);
    return rate;
}

static double sweep(ss_context *ctx, const ss_study *s, int32_t threads, const char *name)
{
    ss_sweep_def def     = {.threads = threads};
    ss_trials   *trials  = NULL;
    double       started = now();
    must(ctx, ss_study_sweep(ctx, s, &def, &trials));
    double rate = (double)ss_study_trials(s) / (now() - started);
    printf("%-22s %8.1f trials/s   mean distance %.4f m\n", name, rate,
           ss_trials_estimate(trials, 0, -1).mean);
    ss_trials_destroy(trials);
    return rate;
}

#ifdef SS_BENCH_MUJOCO
static const char mujoco_scene[] =
    "<mujoco><option timestep='0.002' cone='elliptic' solver='Newton'/><worldbody>"
    "<geom name='floor' type='plane' size='0 0 1'/>"
    "<body pos='0 0 0.15'><freejoint/><geom name='box' type='box' size='0.05 0.05 0.05' mass='1'/>"
    "</body></worldbody></mujoco>";

static void mujoco_rollout(const ss_study *s, int64_t trials)
{
    char  error[512] = "", path[] = "/tmp/bench_study_XXXXXX";
    int   file = mkstemp(path);
    FILE *f    = file >= 0 ? fdopen(file, "w") : NULL;
    if (f == NULL) {
        return;
    }
    fputs(mujoco_scene, f);
    fclose(f);
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    mjData *d = m != NULL ? mj_makeData(m) : NULL;
    if (d == NULL) {
        printf("MuJoCo rollout         %s\n", error);
        return;
    }
    double started = now(), sum = 0;
    for (int64_t i = 0; i < trials; i++) {
        double x[INPUTS];
        if (ss_study_sample(s, i, x) != SS_OK) {
            break;
        }
        mj_resetData(m, d);
        d->qvel[0] = x[0];
        d->qvel[2] = 0.5;
        d->qvel[3] = 1;
        d->qvel[4] = x[1];
        d->qvel[5] = 2;
        for (int g = 0; g < m->ngeom; g++) {
            m->geom_friction[3 * g] = x[2];
        }
        for (int k = 0; k < 500; k++) {
            mj_step(m, d);
        }
        sum += hypot(d->qpos[0], d->qpos[1]);
    }
    printf("MuJoCo rollout         %8.1f trials/s   mean distance %.4f m\n",
           (double)trials / (now() - started), sum / (double)trials);
    mj_deleteData(d);
    mj_deleteModel(m);
}
#endif

int main(int argc, char **argv)
{
    char        set[64];
    const char *overrides[1] = {set};
    size_t      length       = 0;
    ss_study   *s            = NULL;
    ss_context *ctx          = ss_context_create(NULL);
    if (argc < 2 || ctx == NULL) {
        fprintf(stderr, "usage: bench_study SOURCE_DIRECTORY [trials]\n");
        return 2;
    }
    snprintf(set, sizeof set, "trials=%d", argc > 2 ? atoi(argv[2]) : 200);
    ss_study_def def  = {.overrides      = overrides,
                         .override_count = 1,
                         .find_scene     = find_scene,
                         .find_user      = argv[1]};
    char        *text = read_file(argv[1], "studies/box-toss.yaml", &length);
    must(ctx, ss_study_load_text(ctx, text, length, "box-toss.yaml", &def, &s));
    int64_t trials = ss_study_trials(s);
    own_loop(ctx, s, trials / 4 + 1); /* warm up */
    double own = own_loop(ctx, s, trials), one = sweep(ctx, s, 1, "sweep, one thread");
    sweep(ctx, s, 0, "sweep, all threads");
#ifdef SS_BENCH_MUJOCO
    mujoco_rollout(s, trials);
#endif
    printf("sweep over own loop    %8.3f\n", one / own);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
    free(text);
    return 0;
}
