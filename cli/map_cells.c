/* SPDX-License-Identifier: Apache-2.0 */
/* Journals are not trusted: a line with an answer that is none, or a status that no cell has, is no
 * cell. */
#include "map_cells.h"

#include <stdio.h>

/* Cells are kept when they were judged, or when a step on the way failed its certificate. */
static bool is_status(int word)
{
    return word == SS_OK || word == SS_ERR_CERTIFICATE;
}

static bool is_answer(int word)
{
    return word >= 0 && word <= SS_UNDECIDED;
}

/* ---- of steps ---- */

static void write_step(FILE *out, const void *from)
{
    const ss_step_cell *c = from;
    fprintf(out, "%d %d %d %d %d %d %d %d %d %.17g", (int)c->status, (int)c->hold.contacts,
            c->hold.at_rest, (int)c->hold.pointed, (int)c->hold.held, (int)c->hold.hold,
            (int)c->motion, (int)c->sliding.contacts, (int)c->sliding.p_matrix, c->sliding.lowest);
    for (int k = 0; k < SS_HOLD_COUNT; k++) {
        fprintf(out, " %lld", (long long)c->steps[k]);
    }
}

static bool read_step(const char *words, void *to)
{
    ss_step_cell *c = to;
    int           w[9], used = 0;
    double        lowest;
    long long     steps[SS_HOLD_COUNT];
    if (sscanf(words, "%d %d %d %d %d %d %d %d %d %lf%n", &w[0], &w[1], &w[2], &w[3], &w[4], &w[5],
               &w[6], &w[7], &w[8], &lowest, &used) != 10 ||
        sscanf(words + used, "%lld %lld %lld %lld %lld", &steps[0], &steps[1], &steps[2], &steps[3],
               &steps[4]) != SS_HOLD_COUNT) {
        return false;
    }
    bool fits = is_status(w[0]) && is_answer(w[3]) && is_answer(w[4]) && w[5] >= 0 &&
                w[5] < SS_HOLD_COUNT && w[6] >= 0 && w[6] <= SS_MOTION_UNDECIDED && is_answer(w[8]);
    if (!fits) {
        return false;
    }
    c->status  = (ss_status)w[0];
    c->hold    = (ss_hold_verdict){.contacts = w[1],
                                   .at_rest  = w[2] != 0,
                                   .pointed  = (ss_answer)w[3],
                                   .held     = (ss_answer)w[4],
                                   .hold     = (ss_hold)w[5]};
    c->motion  = (ss_motion_verdict)w[6];
    c->sliding = (ss_sliding_verdict){w[7], (ss_answer)w[8], lowest};
    for (int k = 0; k < SS_HOLD_COUNT; k++) {
        c->steps[k] = steps[k];
    }
    return true;
}

const ss_journal_class ss_journal_of_steps = {"steps", sizeof(ss_step_cell), write_step, read_step};

/* ---- of states ---- */

/* Texts that say why are not asked for in maps; what they tell apart is kept. */
static void write_state(FILE *out, const void *from)
{
    const ss_state_cell      *c = from;
    const ss_instant_verdict *v = &c->verdict;
    fprintf(out, "%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %.17g %.17g %.17g", (int)c->status,
            v->refused != NULL, (int)v->contacts, (int)v->sliding, (int)v->other, (int)v->striking,
            (int)v->exists, (int)v->unique, (int)v->forces_unique, (int)v->solutions,
            (int)v->p_matrix, (int)v->stable, (int)v->pointed, (int)v->sticking, v->complete,
            v->critical, v->painleve, v->mu_border);
}

static bool read_state(const char *words, void *to)
{
    enum { WORDS = 15 };
    ss_state_cell *c = to;
    int            w[WORDS], used = 0, more = 0;
    double         critical, painleve, border;
    for (int i = 0; i < WORDS; i++, used += more) {
        if (sscanf(words + used, "%d%n", &w[i], &more) != 1) {
            return false;
        }
    }
    if (sscanf(words + used, "%lf %lf %lf", &critical, &painleve, &border) != 3) {
        return false;
    }
    bool fits = is_status(w[0]) && is_answer(w[6]) && is_answer(w[7]) && is_answer(w[8]) &&
                is_answer(w[10]) && is_answer(w[11]) && is_answer(w[12]);
    if (!fits) {
        return false;
    }
    c->status  = (ss_status)w[0];
    c->verdict = (ss_instant_verdict){.refused       = w[1] != 0 ? "" : NULL,
                                      .contacts      = w[2],
                                      .sliding       = w[3],
                                      .other         = w[4],
                                      .striking      = w[5],
                                      .exists        = (ss_answer)w[6],
                                      .unique        = (ss_answer)w[7],
                                      .forces_unique = (ss_answer)w[8],
                                      .solutions     = w[9],
                                      .p_matrix      = (ss_answer)w[10],
                                      .stable        = (ss_answer)w[11],
                                      .pointed       = (ss_answer)w[12],
                                      .sticking      = w[13],
                                      .complete      = w[14] != 0,
                                      .critical      = critical,
                                      .painleve      = painleve,
                                      .mu_border     = border};
    return true;
}

const ss_journal_class ss_journal_of_states = {"states", sizeof(ss_state_cell), write_state,
                                               read_state};
