/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a search: every candidate as a line of CSV. Each line carries a fingerprint of the
 * study and the program, so that a journal is taken up again only by the study that wrote it.
 */
#include "stickslip/output.h"
#include "study/design_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char   mark[]        = "candidate,restart";
static const double largest_whole = 9007199254740992; /* 2^53: all below are numbers */

static ss_status cannot_write(const ss_design *d)
{
    return ss_fail(d->ctx, SS_ERR_IO, "%s: the journal cannot be written: %s", d->def->journal,
                   strerror(errno));
}

/* FNV-1a over everything that the numbers of a journal follow from. */
uint64_t ss_study_mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * 1099511628211u;
    }
    return hash;
}

uint64_t ss_study_fingerprint(const ss_study *s)
{
    const char *scene = ss_scene_text(s->first_scene);
    uint64_t    hash  = ss_study_mix(14695981039346656037u, s->resolved, strlen(s->resolved));
    hash              = ss_study_mix(hash, ss_version(), strlen(ss_version()));
    hash              = scene != NULL ? ss_study_mix(hash, scene, strlen(scene)) : hash;
    for (int32_t i = 0; i < s->variable_count; i++) {
        const ss_variable *v = &s->variables[i];
        if (v->leaves != NULL) {
            hash = ss_study_mix(hash, v->leaves,
                                (size_t)v->count * (size_t)v->input_count * sizeof *v->leaves);
        }
    }
    return hash;
}

static void write_names(ss_design *d, FILE *f)
{
    fputs(mark, f);
    for (int32_t i = 0; i < d->study->choice_count; i++) {
        fprintf(f, ",%s", d->choices[i]->path);
    }
    fputs(",objective", f);
    for (int32_t i = 0; i < d->constraint_count; i++) {
        fprintf(f, ",margin%d", (int)i + 1);
    }
    fputs(",failed,rung,study\n", f);
}

ss_status ss_design_journal_add(const ss_design *d, const ss_design_entry *e)
{
    FILE *f = d->journal;
    fprintf(f, "%d,%d", (int)e->c.number, (int)e->c.restart);
    for (int32_t i = 0; i < d->study->choice_count; i++) {
        fprintf(f, ",%.17g", e->x[i]);
    }
    fprintf(f, ",%.17g", e->c.objective);
    for (int32_t i = 0; i < d->constraint_count; i++) {
        fprintf(f, ",%.17g", e->g[i]);
    }
    fprintf(f, ",%lld,%d,%016llx\n", (long long)e->c.failed, (int)e->c.rung,
            (unsigned long long)d->fingerprint);
    return fflush(f) == 0 ? SS_OK : cannot_write(d);
}

/* A whole number of a line. */
static bool is_whole(double x, double most)
{
    return x >= 0 && x <= most && x == floor(x);
}

/* One line of the journal; false: it is not of this study, or cut short. */
static bool read_entry(const ss_design *d, char *line, ss_design_entry *e)
{
    int32_t wanted = 2 + d->study->choice_count + 1 + d->constraint_count + 2, count = 0;
    double  x[2 + SS_DESIGN_CHOICES + 1 + SS_DESIGN_CONSTRAINTS + 2] = {0};
    char   *at                                                       = line;
    while (count < wanted) {
        char *end  = NULL;
        x[count++] = strtod(at, &end);
        if (end == at || *end != ',') {
            return false;
        }
        at = end + 1;
    }
    if (strtoull(at, NULL, 16) != d->fingerprint || !is_whole(x[1], INT32_MAX) ||
        !is_whole(x[count - 2], largest_whole) ||
        !is_whole(x[count - 1], d->study->rung_count - 1)) {
        return false;
    }
    *e = (ss_design_entry){.c = {.restart = (int32_t)x[1],
                                 .failed  = (int64_t)x[count - 2],
                                 .rung    = (int32_t)x[count - 1]}};
    memcpy(e->x, x + 2, (size_t)d->study->choice_count * sizeof *x);
    e->c.objective = x[2 + d->study->choice_count];
    memcpy(e->g, x + 3 + d->study->choice_count, (size_t)d->constraint_count * sizeof *x);
    return true;
}

/* As far as the last whole line, which ends at `end`; 0: there is nothing. */
static ss_status read_journal(ss_design *d, FILE *f, long *end)
{
    char  line[8192], first[8192] = "", expected[8192] = "";
    FILE *memory = fmemopen(expected, sizeof expected, "w");
    if (memory != NULL) {
        write_names(d, memory);
        fclose(memory);
    }
    *end = 0;
    if (fgets(first, sizeof first, f) == NULL) {
        return SS_OK;
    }
    if (strcmp(first, expected) != 0) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s: it is the journal of another study",
                       d->def->journal);
    }
    for (*end = ftell(f); fgets(line, sizeof line, f) != NULL; *end = ftell(f)) {
        ss_design_entry e;
        if (!read_entry(d, line, &e) && strchr(line, '\n') != NULL) {
            return ss_fail(d->ctx, SS_ERR_INPUT,
                           "%s: it is the journal of another study (or of this one before it was "
                           "changed)",
                           d->def->journal);
        }
        if (strchr(line, '\n') == NULL) {
            break; /* the search was killed while it wrote */
        }
        ss_design_entry *more = ss_resize(d->ctx, d->known, (size_t)d->known_count * sizeof e,
                                          ((size_t)d->known_count + 1) * sizeof e);
        if (more == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
        }
        e.c.number                 = d->known_count;
        d->known                   = more;
        d->known[d->known_count++] = e;
    }
    return SS_OK;
}

ss_status ss_design_journal_open(ss_design *d)
{
    const char *path = d->def->journal;
    long        end  = 0;
    d->fingerprint   = ss_study_fingerprint(d->study);
    if (path == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_output_journal(d->ctx, path, mark, d->def->resume, &d->journal));
    SS_TRY(read_journal(d, d->journal, &end));
    if (!ss_output_journal_cut(d->journal, end)) {
        return cannot_write(d);
    }
    if (end == 0) {
        write_names(d, d->journal);
    }
    return fflush(d->journal) == 0 ? SS_OK : cannot_write(d);
}
