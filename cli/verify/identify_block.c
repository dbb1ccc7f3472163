/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 7.6.2: a block on three points slides over a table, pulled by a weight on a string, and a
 * camera above sees where it is and how it is turned. The recording is computed here, by the
 * equations of a sliding tripod and Runge-Kutta, with friction 0.33 and noise of half a millimetre
 * and 5 mrad; the engine does not make it. Then the friction is found
 *
 *   - by least squares over the whole recording,
 *   - in windows of 5, 20 and 50 samples and of all: the longer, the less estimates scatter
 *     (Fig. 7.7), and they scatter by as much as they say,
 *   - by particle filters of both kinds (Fig. 7.6): with all samples they are as sure as least
 *     squares, and agree.
 *
 * Method mpec poses particles before fixed walls, whose friction acts along fixed directions; those
 * of a tripod turn with the block. It refuses the scene.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/recorded.h"
#include "verify/tripod.h"

enum { SAMPLES = 71, SUBSTEPS = 20 };
static const double    rate = 60, noise[3] = {5e-4, 5e-4, 5e-3};
static const ss_tripod block    = {.mass    = 0.5,
                                   .inertia = 8e-4,
                                   .mu      = 0.33,
                                   .gravity = 9.81,
                                   .corner  = {{0.05, -0.04}, {0.01, 0.04}, {-0.06, 0}},
                                   .pull    = 1.75,
                                   .hook    = {0.05, 0.01}};
static const double    start[6] = {0, 0, 0, 0.05, 0.02, 0.4};

static const char scene[] =
    "dimension: 2\ngravity: [0, 0]\nparams: {mu: 0.2}\n"
    "bodies:\n"
    "  - {name: block, type: dynamic, mass: 0.5, inertia: 8e-4, shape: {box: {size: [0.14, "
    "0.1]}},\n"
    "     support: {points: [[0.05, -0.04], [0.01, 0.04], [-0.06, 0]], friction: mu, gravity: "
    "9.81}}\n"
    "forces: [{name: string, type: constant, body: block, force: [1.75, 0], point: [0.05, 0.01]}]\n"
    "simulation: {step: 0.0083333333333334, duration: 2}\n";

static const char study[] =
    "study: identify\nscene: block\nseed: 11\n"
    "data: {files: [path.csv], columns: {t: t, block.x: x, block.y: y, block.angle: a}}\n"
    "free: {params.mu: {bounds: [0, 1, 0.2]}}\n"
    "nuisance: {start: {block: [x, y, angle, vx, vy, w]}}\n"
    "noise: {position: 5e-4, angle: 5e-3, known: true}\n";

/* ---- the recording ---- */

static ss_status record(ss_verify *v, const char *path, uint64_t seed)
{
    double y[6];
    FILE  *file = fopen(path, "w");
    if (file == NULL) {
        return ss_fail(ss_verify_context(v), SS_ERR_IO, "%s: cannot be written", path);
    }
    memcpy(y, start, sizeof y);
    fprintf(file, "t,x,y,a\n");
    for (int i = 0; i < SAMPLES; i++) {
        fprintf(file, "%.17g", i / rate);
        for (int k = 0; k < 3; k++) {
            fprintf(file, ",%.17g", y[k] + noise[k] * ss_verify_normal(&seed));
        }
        fprintf(file, "\n");
        ss_tripod_run(&block, 1 / rate, SUBSTEPS, y);
    }
    return fclose(file) == 0 ? SS_OK : SS_ERR_IO;
}

/* ---- what is found ---- */

static ss_status find(ss_verify *v, ss_recorded_folder *at, const char *method,
                      ss_identification **out)
{
    char text[1024];
    snprintf(text, sizeof text, "%smethod: %s\n", study, method);
    return ss_recorded_identify(v, at, text, out);
}

/* How far estimates over time are from the truth. */
typedef struct scatter {
    double spread; /* root mean square                              */
    double ratio;  /* the same, of each over the deviation it tells */
    double mean;
    int    moments;
} scatter;

/* Of moments with `samples` samples, from `after` seconds on. */
static scatter scatter_of(const ss_identification *id, int samples, double after)
{
    scatter s = {0};
    for (int32_t k = 0; k < ss_identification_moment_count(id, 0); k++) {
        ss_identified_moment m;
        ss_identification_moment(id, 0, k, &m);
        if ((samples == 0 || m.samples == samples) && m.t >= after) {
            double e = m.value[0] - block.mu, z = e / m.deviation[0];
            s.spread += e * e;
            s.ratio += z * z;
            s.mean += m.value[0];
            s.moments++;
        }
    }
    s.spread = sqrt(s.spread / s.moments);
    s.ratio  = sqrt(s.ratio / s.moments);
    s.mean /= s.moments;
    return s;
}

static ss_status whole(ss_verify *v, ss_recorded_folder *at, ss_identified *out)
{
    ss_identification *id     = NULL;
    ss_status          status = find(v, at, "simulate", &id);
    if (status == SS_OK) {
        ss_identification_get(id, 0, 0, out);
        ss_verify_near(v, block.mu, out->value, 3 * out->deviation, "all samples: friction");
        ss_verify_near(v, 0, out->deviation, 5e-3, "all samples: its deviation");
    }
    ss_identification_destroy(id);
    return status;
}

static ss_status windows(ss_verify *v, ss_recorded_folder *at, const ss_identified *all)
{
    static const int sizes[] = {5, 20, 50};
    double           before  = INFINITY;
    for (int i = 0; i < 3; i++) {
        char               method[80];
        ss_identification *id = NULL;
        snprintf(method, sizeof method, "{name: window, samples: %d, every: 7}", sizes[i]);
        SS_TRY(find(v, at, method, &id));
        scatter s = scatter_of(id, sizes[i], 0);
        ss_verify_near(v, 0, s.spread / before, i == 0 ? 1 : 0.7,
                       "windows of %d: scatter (%.2g) over that of shorter ones", sizes[i],
                       s.spread);
        if (i > 0) { /* windows of 5 know so little that bounds cut their estimates off; those of
                        one recording share samples, so that they are off together */
            ss_verify_near(v, 1.1, s.ratio, 0.9, "windows of %d: scatter over deviation", sizes[i]);
        }
        before = s.spread;
        ss_identification_destroy(id);
    }
    ss_identification *id = NULL;
    ss_identified      a;
    SS_TRY(find(v, at, "{name: window, samples: all, every: 25}", &id));
    ss_identification_get(id, 0, 0, &a);
    ss_verify_near(v, all->value, a.value, 0.3 * all->deviation, "window of all: friction");
    ss_identification_destroy(id);
    return SS_OK;
}

static ss_status filter(ss_verify *v, ss_recorded_folder *at, const char *kind, int particles,
                        const ss_identified *all)
{
    char               method[80];
    ss_identification *id = NULL;
    ss_identified      a;
    double             share = 0;
    snprintf(method, sizeof method, "{name: particles, kind: %s, particles: %d}", kind, particles);
    SS_TRY(find(v, at, method, &id));
    ss_identification_get(id, 0, 0, &a);
    for (int32_t k = 0; k < ss_identification_moment_count(id, 0); k++) {
        ss_identified_moment m;
        ss_identification_moment(id, 0, k, &m);
        share += m.effective / particles / ss_identification_moment_count(id, 0);
    }
    scatter late = scatter_of(id, 0, 0.7);
    ss_verify_near(v, all->value, a.value, 1.5 * all->deviation, "%s: friction at the end", kind);
    ss_verify_near(v, 1, a.deviation / all->deviation, 0.6, "%s: deviation over that of all", kind);
    ss_verify_near(v, block.mu, late.mean, 0.02, "%s: friction, mean after 0.7 s", kind);
    ss_verify_near(v, 1, share, 0.7, "%s: effective particles, mean share", kind);
    ss_identification_destroy(id);
    return SS_OK;
}

static ss_status program(ss_verify *v, ss_recorded_folder *at)
{
    ss_identification *id     = NULL;
    ss_status          status = find(v, at, "mpec", &id);
    bool refused = status == SS_ERR_INPUT || status == SS_ERR_UNSUPPORTED; /* .. without Ipopt */
    ss_verify_near(v, 1, refused, 0, "mpec: refused");
    ss_identification_destroy(id);
    return refused || status == SS_OK ? SS_OK : status;
}

static ss_status run(ss_verify *v)
{
    ss_recorded_folder at;
    ss_identified      all = {0};
    SS_TRY(ss_recorded_open(v, scene, &at));
    ss_status status = record(v, at.path, 1);
    if (status == SS_OK) {
        status = whole(v, &at, &all);
    }
    if (status == SS_OK) {
        status = windows(v, &at, &all);
    }
    if (status == SS_OK) {
        status = filter(v, &at, "bootstrap", 400, &all);
    }
    if (status == SS_OK) {
        status = filter(v, &at, "rao-blackwell", 40, &all);
    }
    if (status == SS_OK) {
        status = program(v, &at);
    }
    ss_recorded_close(&at);
    return status;
}

const ss_verify_case ss_verify_identify_block = {
    "identify-block", "thesis 7.6.2, Figs. 7.6 and 7.7",
    "friction of a pulled block: windows and particle filters", false, run};
