/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 4.3.1: a feeder for cups with twelve parameters. Random designs are asked for any way
 * through at all first, and run with every start and friction only if there is one (Table 4.1:
 * 3538 s instead of 5000 s, a ratio of 0.71). The same candidates on both rungs must give the same
 * verdicts; the ratio must be below 0.75; the study's first design must survive all trials.
 */
#include "study_args.h"
#include "verify/verify.h"

typedef struct outcome {
    double      seconds, naive; /* of both rungs; of all candidates on the last */
    int32_t     lost, good, candidates;
    bool        best;
    ss_rung_use rung[2];
} outcome;

static void sum_up(const ss_design *d, outcome *out)
{
    ss_candidate best;
    out->best       = ss_design_best(d, &best);
    out->candidates = ss_design_count(d);
    for (int32_t i = 0; i < 2; i++) {
        out->rung[i] = ss_design_rung(d, i);
        out->lost += out->rung[i].lost;
    }
    out->good  = out->rung[1].passed;
    out->naive = out->rung[1].seconds / out->rung[1].candidates * out->candidates;
    /* what the rungs take: every candidate on the first, those that pass it on the second */
    out->seconds =
        out->rung[0].seconds + out->rung[1].seconds / out->rung[1].candidates * out->rung[0].passed;
}

static ss_status search(ss_verify *v, bool naive, outcome *out)
{
    ss_context   *ctx    = ss_verify_context(v);
    ss_arg_list   set    = {0};
    ss_study     *s      = NULL;
    ss_design    *d      = NULL;
    ss_design_def def    = {.naive = naive, .threads = 1};
    ss_status     status = ss_cli_load_study(ctx, "builtin:part-feeder", &set, &s);
    *out                 = (outcome){0};
    if (status == SS_OK) {
        status = ss_study_design(ctx, s, &def, &d);
    }
    if (status == SS_OK) {
        sum_up(d, out);
    }
    ss_design_destroy(d);
    ss_study_destroy(s);
    return status;
}

static ss_status run(ss_verify *v)
{
    outcome naive, rungs;
    SS_TRY(search(v, true, &naive));
    SS_TRY(search(v, false, &rungs));
    ss_verify_near(v, 0, naive.lost, 0, "good designs that the geometric rung loses, of %d",
                   (int)naive.candidates);
    ss_verify_near(v, naive.good, rungs.good, 0,
                   "designs that survive, hierarchical against naive");
    ss_verify_near(v, 1, rungs.best, 0, "a design survives every start and friction");
    ss_verify_near(v, 0.375, naive.seconds / naive.naive, 0.375,
                   "time of the hierarchical search over the naive one (thesis: 0.71)");
    return SS_OK;
}

const ss_verify_case ss_verify_part_feeder = {
    .name    = "part-feeder",
    .source  = "Berard 2009, 4.3.1",
    .summary = "geometry first: the same good designs of a feeder in less time",
    .run     = run};
