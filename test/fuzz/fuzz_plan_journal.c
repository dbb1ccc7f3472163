/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a plan, with any bytes in its batches. A journal as a search writes it is changed
 * at the places that the input says, and the sums that guard its batches are made right again:
 * whoever wants to harm can do that too. The search then goes on from it; what the journal cannot
 * have said is done again.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "stickslip/study.h"

static const char scene[] = "dimension: 2\ngravity: [0, 0]\nparams: {by: 0.3, mu: 0.1}\n"
                            "bodies:\n"
                            "  - {name: part, type: dynamic, mass: 1, shape: {box: {size: [0.2, "
                            "0.1]}}, velocity: [by, 0]}\n"
                            "simulation: {step: 0.05, duration: 0.1}\n";
static const char study_text[] =
    "study: plan\nscene: a\nseed: 4\ncarry: [part]\nvary: {params.mu: {uniform: [0.2, 0.3]}}\n"
    "trials: 2\nactions: {push: {choose: {params.by: {bounds: [0, 1]}}}}\n"
    "measure: {off: \"x('part') - 5\"}\ngoal: {off: 0.1}\nlength: [1, 2]\n"
    "method: {samples: 3, width: 2, refine: 1, steps: 1}\n";
enum { BATCHES = 16, JOURNAL_MAX = 1 << 17 };

typedef struct journal {
    size_t  size, first[BATCHES], last[BATCHES]; /* of what a batch says, without key and sum */
    int     batches;
    uint8_t bytes[JOURNAL_MAX];
} journal;

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user, (void)name;
    *text   = scene;
    *length = sizeof scene - 1;
    return true;
}

static ss_status search(const char *path, bool resume)
{
    ss_context  *ctx   = ss_context_create(NULL);
    ss_study    *study = NULL;
    ss_plan     *plan  = NULL;
    ss_study_def def   = {.find_scene = find};
    ss_plan_def  how   = {.threads = 1, .journal = path, .resume = resume};
    if (ss_study_load_text(ctx, study_text, sizeof study_text - 1, "a.yaml", &def, &study) !=
        SS_OK) {
        abort();
    }
    ss_status status = ss_study_plan(ctx, study, &how, &plan);
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_plan_destroy(plan);
    ss_study_destroy(study);
    ss_context_destroy(ctx);
    return status;
}

/* FNV-1a, as the journal has it. */
static uint64_t mix(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * 1099511628211u;
}
static const uint64_t START = 14695981039346656037u;

/* A batch ends where the sum of what it says follows. */
static bool find_batch(journal *j, size_t from)
{
    uint64_t hash = START, word;
    for (size_t at = from + sizeof word; at + sizeof word <= j->size; at++) {
        memcpy(&word, j->bytes + at, sizeof word);
        if (word == hash && at > from + sizeof word) {
            j->first[j->batches]  = from + sizeof word;
            j->last[j->batches++] = at;
            return true;
        }
        hash = mix(hash, j->bytes[at]);
    }
    return false;
}

static const journal *write_sound(const char *path)
{
    static journal j;
    if (j.size == 0) {
        if (search(path, false) != SS_OK) {
            abort();
        }
        FILE *f = fopen(path, "rb");
        j.size  = f != NULL ? fread(j.bytes, 1, sizeof j.bytes, f) : 0;
        fclose(f);
        size_t at = (size_t)((uint8_t *)memchr(j.bytes, '\n', j.size) - j.bytes) + 1;
        while (j.batches < BATCHES && find_batch(&j, at)) {
            at = j.last[j.batches - 1] + sizeof(uint64_t);
        }
        if (j.batches == 0) {
            abort(); /* the layout of journals is another one: this target has to follow it */
        }
    }
    return &j;
}

static void spoil(journal *j, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        int    b    = data[i] % j->batches;
        size_t from = j->first[b], length = j->last[b] - from;
        j->bytes[from + (data[i + 1] | (size_t)data[i + 2] << 8) % length] = data[i + 3];
    }
    for (int b = 0; b < j->batches; b++) {
        uint64_t hash = START;
        for (size_t at = j->first[b]; at < j->last[b]; at++) {
            hash = mix(hash, j->bytes[at]);
        }
        memcpy(j->bytes + j->last[b], &hash, sizeof hash);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static journal j;
    char           path[64];
    snprintf(path, sizeof path, "fuzz_plan.%ld.journal", (long)getpid());
    j = *write_sound(path);
    spoil(&j, data, size);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(j.bytes, 1, j.size, f) != j.size || fclose(f) != 0) {
        abort();
    }
    (void)search(path, true);
    unlink(path);
    return 0;
}
