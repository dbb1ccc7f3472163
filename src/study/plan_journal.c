/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a search for a plan: what became of every batch of plans that was simulated, in
 * the order of the search. The search does the same things in the same order each time, so that one
 * that goes on (`resume`) takes the batches from the journal instead of simulating them, until it
 * ends, and then simulates and writes on. Each batch is known by a key of what was asked, and
 * guarded by a sum: the last one may have been cut short, and is then done again. A journal of
 * another study or another version of the program is refused. Numbers are in the machine's order.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "files/part_file.h"
#include "study/plan_search.h"
#include "study/study.h"

static const uint64_t START = 14695981039346656037u;

static ss_status cannot(ss_plan *p, const char *what)
{
    return ss_fail(p->ctx, SS_ERR_IO, "%.300s: %s: %s", p->def->journal, what, strerror(errno));
}

/* "stickslip plan 0123456789abcdef\n": of which study it is. */
static void title(const ss_plan *p, char out[40])
{
    snprintf(out, 40, "stickslip plan %016llx\n",
             (unsigned long long)ss_study_fingerprint(p->study));
}

static ss_status start_new(ss_plan *p)
{
    char line[40];
    title(p, line);
    p->journal     = fopen(p->def->journal, "wb");
    p->journal_end = -1;
    if (p->journal == NULL) {
        return cannot(p, "the journal cannot be written");
    }
    fputs(line, p->journal);
    return fflush(p->journal) == 0 ? SS_OK : cannot(p, "the journal cannot be written");
}

ss_status ss_plan_journal_open(ss_plan *p)
{
    char wanted[40], line[40] = "";
    if (p->def->journal == NULL) {
        return p->def->resume
                   ? ss_fail(p->ctx, SS_ERR_ARGUMENT, "a search goes on from a journal: name one")
                   : SS_OK;
    }
    SS_TRY(ss_part_test(p->ctx, p->def->journal));
    p->journal = p->def->resume ? fopen(p->def->journal, "r+b") : NULL;
    if (p->journal == NULL) {
        return start_new(p);
    }
    title(p, wanted);
    if (fgets(line, sizeof line, p->journal) == NULL || strcmp(line, wanted) != 0) {
        fclose(p->journal);
        p->journal = NULL;
        return ss_fail(p->ctx, SS_ERR_INPUT,
                       "%.300s is no journal of this study (or of this version of it): name "
                       "another, or search without --resume",
                       p->def->journal);
    }
    p->journal_end = ftell(p->journal);
    return SS_OK;
}

void ss_plan_journal_close(ss_plan *p)
{
    if (p->journal != NULL) {
        fclose(p->journal);
        p->journal = NULL;
    }
}

uint64_t ss_plan_journal_key(const ss_plan *p, ss_plan_node *const *nodes, int32_t count,
                             int32_t rung, int32_t from)
{
    const int32_t asked[] = {count, rung, from, p->runs};
    uint64_t      hash    = ss_study_mix(START, asked, sizeof asked);
    for (int32_t i = 0; i < count; i++) {
        hash = ss_study_mix(hash, &nodes[i]->length, sizeof nodes[i]->length);
        for (int32_t k = 0; k < nodes[i]->length; k++) { /* `set` follows from them */
            const ss_plan_step *s = &nodes[i]->steps[k];
            hash                  = ss_study_mix(hash, &s->action, sizeof s->action);
            hash                  = ss_study_mix(hash, s->x, sizeof s->x);
        }
    }
    return hash;
}

/* ---- a batch: every part of a node that a simulation changes ---- */

typedef bool (*handle)(void *user, void *bytes, size_t size);

static bool each_part(const ss_plan *p, ss_plan_node *n, handle part, void *user)
{
    size_t bodies   = (size_t)p->study->carry_count * sizeof(ss_body_state);
    size_t measures = (size_t)p->study->measure_count * sizeof(double);
    bool   ok       = part(user, n->steps, (size_t)n->length * sizeof *n->steps) &&
              part(user, &n->size, sizeof n->size) && part(user, &n->worst, sizeof n->worst);
    for (int32_t i = 0; ok && i < p->runs; i++) {
        ss_plan_state *s = &n->states[i];
        ok = part(user, &s->failed, sizeof s->failed) && part(user, s->bodies, bodies) &&
             part(user, s->measures, measures);
    }
    return ok;
}

typedef struct stream {
    FILE    *file;
    uint64_t sum;
} stream;

static bool read_part(void *user, void *bytes, size_t size)
{
    stream *s  = user;
    bool    ok = fread(bytes, 1, size, s->file) == size;
    s->sum     = ok ? ss_study_mix(s->sum, bytes, size) : 0;
    return ok;
}

static bool write_part(void *user, void *bytes, size_t size)
{
    stream *s = user;
    s->sum    = ss_study_mix(s->sum, bytes, size);
    return fwrite(bytes, 1, size, s->file) == size;
}

/* Reads over a batch without touching the nodes: is it whole? */
static bool skip_part(void *user, void *bytes, size_t size)
{
    char room[512];
    (void)bytes;
    for (size_t left = size; left > 0;) {
        size_t now = left < sizeof room ? left : sizeof room;
        if (!read_part(user, room, now)) {
            return false;
        }
        left -= now;
    }
    return true;
}

static bool whole_batch(const ss_plan *p, ss_plan_node *const *nodes, int32_t count, uint64_t key)
{
    stream   s    = {p->journal, START};
    uint64_t word = 0;
    bool     ok   = fread(&word, sizeof word, 1, s.file) == 1 && word == key;
    for (int32_t i = 0; ok && i < count; i++) {
        ok = each_part(p, nodes[i], skip_part, &s);
    }
    return ok && fread(&word, sizeof word, 1, s.file) == 1 && word == s.sum;
}

bool ss_plan_journal_take(ss_plan *p, ss_plan_node **nodes, int32_t count, int32_t rung,
                          int32_t from)
{
    if (p->journal == NULL || p->journal_end < 0) {
        return false;
    }
    uint64_t key = ss_plan_journal_key(p, nodes, count, rung, from), word;
    stream   s   = {p->journal, START};
    fseek(p->journal, p->journal_end, SEEK_SET);
    if (!whole_batch(p, nodes, count, key)) { /* from here on it is written */
        int cut = ftruncate(fileno(p->journal), p->journal_end);
        fseek(p->journal, cut == 0 ? p->journal_end : 0, cut == 0 ? SEEK_SET : SEEK_END);
        p->journal_end = -1;
        return false;
    }
    fseek(p->journal, p->journal_end, SEEK_SET);
    bool ok = fread(&word, sizeof word, 1, p->journal) == 1;
    for (int32_t i = 0; ok && i < count; i++) {
        ok = each_part(p, nodes[i], read_part, &s);
    }
    ok             = ok && fread(&word, sizeof word, 1, p->journal) == 1;
    p->journal_end = ftell(p->journal);
    return ok;
}

ss_status ss_plan_journal_add(ss_plan *p, ss_plan_node *const *nodes, int32_t count, uint64_t key)
{
    if (p->journal == NULL) {
        return SS_OK;
    }
    stream s  = {p->journal, START};
    bool   ok = fwrite(&key, sizeof key, 1, s.file) == 1;
    for (int32_t i = 0; ok && i < count; i++) {
        ok = each_part(p, nodes[i], write_part, &s);
    }
    ok = ok && fwrite(&s.sum, sizeof s.sum, 1, s.file) == 1 && fflush(s.file) == 0;
    return ok ? SS_OK : cannot(p, "the journal cannot be written");
}
