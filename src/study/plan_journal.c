/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a search for a plan: what became of every batch of plans that was simulated, in
 * the order of the search. The search does the same things in the same order each time, so that one
 * that goes on (`resume`) takes the batches from the journal instead of simulating them, until it
 * ends, and then simulates and writes on. Each batch is known by a key of what was asked, and
 * guarded by a sum: the last one may have been cut short, and is then done again. A journal of
 * another study or another version of the program is refused, and a batch with other actions or
 * chosen numbers than were asked, or states that are no numbers, is done again. Numbers are in the
 * machine's order.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "stickslip/output.h"
#include "study/plan_search.h"
#include "study/study.h"

static const uint64_t START = 14695981039346656037u;

static ss_status cannot(ss_plan *p, const char *what)
{
    return ss_fail(p->ctx, SS_ERR_IO, "%.300s: %s: %s", p->def->journal, what, strerror(errno));
}

static const char mark[] = "stickslip plan ";

/* "stickslip plan 0123456789abcdef\n": of which study it is. */
static void title(const ss_plan *p, char out[40])
{
    snprintf(out, 40, "%s%016llx\n", mark, (unsigned long long)ss_study_fingerprint(p->study));
}

static ss_status start_new(ss_plan *p)
{
    char line[40];
    title(p, line);
    p->journal_end = -1;
    fputs(line, p->journal);
    return fflush(p->journal) == 0 ? SS_OK : cannot(p, "the journal cannot be written");
}

static ss_status open_journal(ss_plan *p)
{
    char wanted[40], line[40] = "";
    SS_TRY(ss_output_journal(p->ctx, p->def->journal, mark, p->def->resume, &p->journal));
    title(p, wanted);
    if (fgets(line, sizeof line, p->journal) == NULL) {
        return start_new(p);
    }
    p->journal_end = ftell(p->journal);
    return strcmp(line, wanted) == 0
               ? SS_OK
               : ss_fail(p->ctx, SS_ERR_INPUT,
                         "%.300s is no journal of this study (or of this version of it): name "
                         "another, or search without --resume",
                         p->def->journal);
}

ss_status ss_plan_journal_open(ss_plan *p)
{
    if (p->def->journal == NULL) {
        return p->def->resume
                   ? ss_fail(p->ctx, SS_ERR_ARGUMENT, "a search goes on from a journal: name one")
                   : SS_OK;
    }
    ss_status status = open_journal(p);
    if (status != SS_OK) {
        ss_plan_journal_close(p);
    }
    return status;
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
        ss_plan_state *s      = &n->states[i];
        unsigned char  failed = s->failed;
        ok = part(user, &failed, 1) && failed <= 1 && part(user, s->bodies, bodies) &&
             part(user, s->measures, measures);
        s->failed = failed != 0;
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

/* What was asked stays as it was: the actions, and the numbers that were chosen. */
static bool same_plan(const ss_plan_node *asked, const ss_plan_node *read)
{
    for (int32_t k = 0; k < asked->length; k++) {
        const ss_plan_step *a = &asked->steps[k], *b = &read->steps[k];
        bool                same = a->action == b->action;
        for (int i = 0; same && i < SS_PLAN_CHOICES; i++) {
            same = a->x[i] == b->x[i];
        }
        if (!same) {
            return false;
        }
    }
    return true;
}

/* Where a run went on, its bodies are somewhere. */
static bool has_places(const ss_plan *p, const ss_plan_node *n)
{
    for (int32_t i = 0; i < p->runs; i++) {
        for (int32_t k = 0; !n->states[i].failed && k < p->study->carry_count; k++) {
            const ss_body_state *b = &n->states[i].bodies[k];
            ss_vec3              x = b->position, v = b->velocity, w = b->angular_velocity;
            ss_quat              q = b->quat_wxyz;
            if (!isfinite(x.x + x.y + x.z + v.x + v.y + v.z + w.x + w.y + w.z + q.w + q.x + q.y +
                          q.z + b->angle)) {
                return false;
            }
        }
    }
    return true;
}

/* Reads a batch into `room`, which is none of the nodes: is it whole, and one that was asked? */
static bool sound_batch(const ss_plan *p, ss_plan_node *const *nodes, int32_t count, uint64_t key,
                        ss_plan_node *room)
{
    stream   s    = {p->journal, START};
    uint64_t word = 0;
    bool     ok   = fread(&word, sizeof word, 1, s.file) == 1 && word == key;
    for (int32_t i = 0; ok && i < count; i++) {
        room->length = nodes[i]->length;
        ok = each_part(p, room, read_part, &s) && same_plan(nodes[i], room) && has_places(p, room);
    }
    return ok && fread(&word, sizeof word, 1, s.file) == 1 && word == s.sum;
}

static bool is_sound(ss_plan *p, ss_plan_node *const *nodes, int32_t count, uint64_t key)
{
    ss_plan_node *room = ss_plan_node_new(p);
    bool          ok   = room != NULL && sound_batch(p, nodes, count, key, room);
    ss_plan_node_free(p, room);
    return ok;
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
    if (!is_sound(p, nodes, count, key)) { /* from here on it is written */
        (void)ss_output_journal_cut(p->journal, p->journal_end);
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
