/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 3.5.3.4 and 4.3.3: success of a grasp of a gear over where the fingers close. The quick
 * case computes some cells of the built-in study `gear-grasp`, the full one (--all) the whole map
 * of 21 x 21 places, with friction in the thesis' medium range and with high friction of the table.
 * The gear and its support are symmetric in x, so the map must be, up to the luck of its trials.
 */
#include <math.h>

#include "study_args.h"
#include "verify/verify.h"

typedef struct map {
    ss_study  *study;
    ss_trials *trials;
    int64_t    columns, rows; /* of x, of y */
} map;

static ss_status compute(ss_verify *v, const char *const *overrides, int32_t count, map *out)
{
    ss_context  *ctx = ss_verify_context(v);
    ss_arg_list  set = {.items = (const char **)overrides, .count = count};
    ss_sweep_def def = {0};
    SS_TRY(ss_cli_load_study(ctx, "builtin:gear-grasp", &set, &out->study));
    SS_TRY(ss_study_sweep(ctx, out->study, &def, &out->trials));
    out->columns = ss_study_axis_size(out->study, 0);
    out->rows    = ss_study_axis_size(out->study, 1);
    return SS_OK;
}

static void drop(map *m)
{
    ss_trials_destroy(m->trials);
    ss_study_destroy(m->study);
}

static ss_estimate success(const map *m, int64_t column, int64_t row)
{
    return ss_trials_estimate(m->trials, 0, column * m->rows + row);
}

/* Share of pairs of mirrored cells whose intervals do not meet. */
static double asymmetry(const map *m)
{
    int64_t off = 0, count = 0;
    for (int64_t i = 0; i < m->columns / 2; i++) {
        for (int64_t j = 0; j < m->rows; j++, count++) {
            ss_estimate a = success(m, i, j), b = success(m, m->columns - 1 - i, j);
            off += a.low > b.high || b.low > a.high;
        }
    }
    return count > 0 ? (double)off / (double)count : 0;
}

/* Where the tips end when the fingers close in the middle, 17 mm below the gear's centre. */
static ss_status check_tips(ss_verify *v)
{
    static const char *const one[]  = {"vary={params.x: {list: [0]}, params.y: {list: [-0.017]}}",
                                       "trials=1"};
    map                      m      = {0};
    ss_status                status = compute(v, one, 2, &m);
    if (status == SS_OK) {
        ss_verify_near(v, -13.74, 1e3 * ss_trials_estimate(m.trials, 1, 0).mean, 0.05,
                       "left tip in the gear's frame, mm");
        ss_verify_near(v, 13.74, 1e3 * ss_trials_estimate(m.trials, 2, 0).mean, 0.05,
                       "right tip in the gear's frame, mm");
    }
    drop(&m);
    return status;
}

static ss_status run_quick(ss_verify *v)
{
    static const char *const some[] = {"vary.params.x={grid: [-0.003, 0.003, 3]}",
                                       "vary.params.y={list: [-0.023, -0.015, -0.011]}",
                                       "trials=3"};
    map                      m      = {0};
    SS_TRY(check_tips(v));
    ss_status status = compute(v, some, 3, &m);
    for (int64_t i = 0; status == SS_OK && i < m.columns; i++) {
        double x = -3 + 3 * (double)i;
        ss_verify_near(v, 0, success(&m, i, 0).mean, 0, "success at x = %g, y = -23 mm", x);
        ss_verify_near(v, 1, success(&m, i, 1).mean, 0, "success at x = %g, y = -15 mm", x);
        ss_verify_near(v, 1, success(&m, i, 2).mean, 0, "success at x = %g, y = -11 mm", x);
    }
    if (status == SS_OK) {
        ss_verify_near(v, 0, (double)ss_trials_count(m.trials, SS_TRIAL_FAILED), 0,
                       "trials that failed");
    }
    drop(&m);
    return status;
}

static ss_status check_map(ss_verify *v, const char *friction, const char *what)
{
    const char *const overrides[] = {friction};
    map               m           = {0};
    ss_status         status      = compute(v, overrides, 1, &m);
    if (status == SS_OK) {
        ss_verify_near(v, 0, asymmetry(&m), 0.05,
                       "share of mirrored cells whose 95 %% intervals do not meet, %s", what);
        ss_verify_near(v, 0, (double)ss_trials_count(m.trials, SS_TRIAL_FAILED), 0,
                       "trials that failed, %s", what);
        ss_verify_near(v, 1, success(&m, m.columns / 2, 12).mean, 0,
                       "success at x = 0, y = -15 mm, %s", what);
        ss_verify_near(v, 0, success(&m, m.columns / 2, 3).mean, 0,
                       "success at x = 0, y = -24 mm, %s", what);
    }
    drop(&m);
    return status;
}

static ss_status run_full(ss_verify *v)
{
    SS_TRY(check_map(v, "vary.params.mu_surface={uniform: [0.33, 0.66]}", "medium and medium"));
    return check_map(v, "vary.params.mu_surface={uniform: [0.66, 0.99]}", "medium and high");
}

const ss_verify_case ss_verify_gear_grasp = {
    .name    = "gear-grasp",
    .source  = "Berard 2009, 3.5.3.4, 4.3.3",
    .summary = "where a grasp of a gear succeeds: some cells of the map",
    .run     = run_quick};

const ss_verify_case ss_verify_gear_grasp_map = {
    .name    = "gear-grasp-map",
    .source  = "Berard 2009, Figs. 4.8, 4.9",
    .summary = "the whole map, 21 x 21 places, 30 trials each, two frictions of the table",
    .slow    = true,
    .run     = run_full};
