/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LCPs in the text of S. Yamanishi's numerical experiments: lines "row<TAB>column<TAB>value" and
 * "q<TAB>index<TAB>value" between log lines that mean nothing. The size is the largest index plus
 * one.
 */
#include <math.h>
#include <string.h>

#include "files/text.h"
#include "problemfile/problem_format.h"
#include "problemfile/triplets.h"

typedef enum line_kind { NOISE, ENTRY, VECTOR } line_kind;

typedef struct line {
    line_kind kind;
    int32_t   i, j; /* VECTOR: j = 0 */
    double    value;
} line;

static bool to_index(ss_word word, int32_t *index)
{
    int32_t x = 0;
    for (size_t k = 0; k < word.length; k++) {
        if (k > 8 || word.start[k] < '0' || word.start[k] > '9') {
            return false;
        }
        x = 10 * x + (word.start[k] - '0');
    }
    *index = x;
    return word.length > 0;
}

/* The three fields between tabs; anything else is noise. */
static line parse_line(ss_word whole)
{
    line    l = {NOISE, 0, 0, 0};
    ss_word field[3];
    size_t  at = 0;
    for (int k = 0; k < 3; k++) {
        size_t start = at;
        while (at < whole.length && whole.start[at] != '\t' && whole.start[at] != '\r') {
            at++;
        }
        field[k] = (ss_word){whole.start + start, at - start};
        at++;
    }
    if (at < whole.length || !ss_word_number(field[2], &l.value) || !isfinite(l.value) ||
        !to_index(field[1], ss_word_is(field[0], "q") ? &l.i : &l.j)) {
        return l;
    }
    if (ss_word_is(field[0], "q")) {
        l.kind = VECTOR;
    } else if (to_index(field[0], &l.i)) {
        l.kind = ENTRY;
    }
    return l;
}

typedef struct counts {
    int32_t entries, vector; /* lines of each kind */
    int32_t largest;         /* index              */
} counts;

static counts count_lines(ss_text t)
{
    counts c = {0, 0, -1};
    while (t.at < t.end) {
        line l = parse_line(ss_text_line(&t));
        if (l.kind == NOISE) {
            continue;
        }
        c.entries += l.kind == ENTRY;
        c.vector += l.kind == VECTOR;
        c.largest = l.i > c.largest ? l.i : c.largest;
        c.largest = l.j > c.largest ? l.j : c.largest;
    }
    return c;
}

static bool sniff(const ss_source *source)
{
    if (source->size == 0 || memchr(source->bytes, '\0', source->size) != NULL) {
        return false;
    }
    ss_text t;
    ss_text_begin(&t, source->ctx, source->name, source->bytes, source->size);
    counts c = count_lines(t);
    return c.entries > 0 && c.vector > 0;
}

static void fill(ss_text *t, ss_triplets *e, double *q)
{
    e->count = 0;
    while (t->at < t->end) {
        line l = parse_line(ss_text_line(t));
        if (l.kind == VECTOR) {
            q[l.i] = l.value;
        } else if (l.kind == ENTRY) {
            e->i[e->count]   = l.i;
            e->j[e->count]   = l.j;
            e->x[e->count++] = l.value;
        }
    }
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    ss_lcp     *lcp = &out->problem.as.lcp;
    ss_triplets e;
    double     *q;
    ss_text     t;
    ss_text_begin(&t, source->ctx, source->name, source->bytes, source->size);
    counts c = count_lines(t);
    if (c.vector == 0 || c.entries == 0) {
        return ss_text_fail(&t, "expected lines 'row<TAB>column<TAB>value' and 'q<TAB>index<TAB>"
                                "value'");
    }
    /* Every row of the problem has at least its q, so the size is bounded by the file. */
    if (c.largest >= c.vector) {
        return ss_text_fail(&t,
                            "index %d occurs, but there are only %d lines 'q<TAB>index<TAB>"
                            "value'",
                            c.largest, c.vector);
    }
    out->problem.type = SS_LCP;
    lcp->n            = c.largest + 1;
    SS_TRY(ss_pool_doubles(pool, (size_t)lcp->n, &q));
    SS_TRY(ss_triplets_alloc(pool, lcp->n, lcp->n, (size_t)c.entries, &e));
    fill(&t, &e, q);
    lcp->q          = q;
    source->reached = source->size;
    return ss_triplets_compress(pool, &e, &lcp->M);
}

const ss_problem_class ss_format_yamanishi = {
    {"yamanishi", "LCP in tab-separated lines between log lines", SS_LCP, 0}, sniff, read, NULL};
