/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An expression over a run, as Lua over its present state. Three things are rewritten:
 *
 *  - 'gear' becomes the number of that text (expressions have no texts of their own);
 *  - time, residual, verdict, .. and the params of the scene become calls, because their values
 *    change;
 *  - what looks at more than one state, max(E), min(E), mean(E), at(T, E), at_rest(T) and what
 * looks at whole periods, period_mean(T, E, FROM) and its like, becomes sampled(k): E is taken out,
 * evaluated at every state, and summed up. max and min of several arguments stay what they are in
 * mathematics.
 */
#ifndef SS_STUDY_WATCH_TEXT_H
#define SS_STUDY_WATCH_TEXT_H

#include "core/pool.h"
#include "stickslip/scene_file.h"

typedef enum ss_sample_kind {
    SS_SAMPLE_MAX,
    SS_SAMPLE_MIN,
    SS_SAMPLE_MEAN,
    SS_SAMPLE_AT,
    SS_SAMPLE_PERIOD,
    SS_SAMPLE_DRIFT,
    SS_SAMPLE_LIMIT,
    SS_SAMPLE_LIMIT_ERROR,
    SS_SAMPLE_REST,
    SS_SAMPLE_KINDS
} ss_sample_kind;

typedef struct ss_sample_text {
    ss_sample_kind kind;
    const char    *expression; /* rewritten; NULL for REST            */
    const char    *time;       /* rewritten: T; NULL where there is none */
    const char    *from;       /* rewritten: FROM of what looks at periods, or NULL */
    int32_t        owner;      /* whose expression it stands in           */
} ss_sample_text;

enum { SS_WATCH_TEXTS = 128, SS_WATCH_SAMPLES = 64 };

/* What all expressions of a study have in common. */
typedef struct ss_watch_book {
    ss_context     *ctx;
    ss_pool        *pool;
    const ss_scene *scene;                 /* whose params are known          */
    const char     *texts[SS_WATCH_TEXTS]; /* in quotes, each once            */
    int32_t         text_count;
    ss_sample_text  samples[SS_WATCH_SAMPLES];
    int32_t         sample_count;
    int32_t         owner; /* of what is being rewritten */
} ss_watch_book;

/* The number of a text, adding it if need be; -1: there are too many. */
int32_t ss_watch_text_number(ss_watch_book *b, const char *text, size_t length);
/* Rewrites `text`; SS_ERR_INPUT with a message for what makes no sense. */
ss_status ss_watch_rewrite(ss_watch_book *b, const char *text, const char **out);

#endif
