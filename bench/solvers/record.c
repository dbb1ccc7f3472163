/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/solver.h"

enum { LINE = 512 };

struct record {
    FILE *out;
    char (*lines)[LINE]; /* of an interrupted run */
    size_t count;
};

static const char *const words[] = {"solved", "wrong", "failed", "timeout", "crash", "absent"};

/* "group,problem,n,tolerance,solver,": what a line is found by. */
static void key_of(const entry *e, char *out, size_t size)
{
    snprintf(out, size, "%s,%s,%d,%g,%s%s,", e->group, e->problem, e->n, e->tolerance,
             e->who->siconos ? "siconos." : "", e->who->name);
}

/* Lines of an interrupted run into memory; false: there is none, or it is complete. */
static bool take_lines(record *done, const char *path, const char *head)
{
    char  line[LINE];
    FILE *f    = fopen(path, "r");
    bool  same = f != NULL && fgets(line, sizeof line, f) != NULL && strcmp(line, head) == 0;
    while (same && fgets(line, sizeof line, f) != NULL) {
        same        = strcmp(line, "# end\n") != 0;
        void *grown = realloc(done->lines, (done->count + 1) * sizeof *done->lines);
        if (grown != NULL && strchr(line, '\n') != NULL) {
            done->lines = grown;
            memcpy(done->lines[done->count++], line, sizeof line);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return same;
}

record *record_open(const char *path, double cap)
{
    char    head[LINE];
    record *done = calloc(1, sizeof *done);
    if (done == NULL) {
        return NULL;
    }
    snprintf(head, sizeof head,
             "group,problem,n,tolerance,solver,verdict,seconds (at most %g),residual,outcome\n",
             cap);
    done->count = take_lines(done, path, head) ? done->count : 0;
    done->out   = fopen(path, "w");
    if (done->out == NULL) {
        free(done->lines);
        free(done);
        return NULL;
    }
    fputs(head, done->out);
    for (size_t k = 0; k < done->count; k++) {
        fputs(done->lines[k], done->out);
    }
    fflush(done->out);
    if (done->count > 0) {
        fprintf(stderr, "bench_solvers: goes on after %zu results in %s\n", done->count, path);
    }
    return done;
}

static int outcome_named(const char *text)
{
    for (int k = 0; k <= (int)SS_NUMERICAL; k++) {
        const char *name = ss_outcome_text((ss_outcome)k);
        if (strncmp(text, name, strlen(name)) == 0) {
            return k;
        }
    }
    return 0;
}

bool record_find(const record *done, const entry *e, result *out)
{
    char key[LINE], word[16], outcome[32] = "";
    key_of(e, key, sizeof key);
    for (size_t k = 0; k < done->count; k++) {
        if (strncmp(done->lines[k], key, strlen(key)) != 0 ||
            sscanf(done->lines[k] + strlen(key), "%15[^,],%lf,%lf,%31s", word, &out->seconds,
                   &out->residual, outcome) < 3) {
            continue;
        }
        for (int v = 0; v < (int)(sizeof words / sizeof *words); v++) {
            if (strcmp(word, words[v]) == 0) {
                out->verdict = (verdict)v;
                out->outcome = outcome_named(outcome);
                return true;
            }
        }
    }
    return false;
}

void record_add(record *done, const entry *e, const result *r)
{
    char key[LINE];
    key_of(e, key, sizeof key);
    fprintf(done->out, "%s%s,%.3e,%.3e,%s\n", key, words[r->verdict], r->seconds, r->residual,
            e->who->siconos || r->verdict == V_ABSENT ? ""
                                                      : ss_outcome_text((ss_outcome)r->outcome));
    fflush(done->out);
}

void record_close(record *done)
{
    fputs("# end\n", done->out);
    fclose(done->out);
    free(done->lines);
    free(done);
}
