/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Designs under uncertainty. A candidate x gives values to the variables with bounds; its trials
 * are those of the study, with the same random numbers for every candidate (common random numbers:
 * differences between candidates are differences of designs, not of luck). Statistics over the
 * trials make the objective f(x) and the constraints g_i(x) <= 0; a method without derivatives
 * searches, several times from other starts if asked.
 *
 * With rungs (models from cheap to dear) a candidate that does not keep the constraints on one is
 * not tried on the next. That saves time and loses nothing where a cheap model fails only what the
 * dear one fails too; `naive` tries every candidate on every rung and counts what would have been
 * lost.
 *
 * Everything is deterministic, so that a search is resumed by doing it again: candidates that the
 * journal has are looked up instead of computed.
 */
#include "study/design.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "expr/expr.h"
#include "model/tolerances.h"
#include "scenefile/schema.h"
#include "study/optimise.h"
#include "study/philox.h"
#include "study/rungs.h"
#include "study/tolerances.h"
#include "study/trials.h"

enum { CHOICES_MAX = 64, CONSTRAINTS_MAX = 32, RANDOM = -1 };

typedef struct method_def {
    const char *algorithm;
    int32_t     evaluations, restarts;
    double      tolerance;
} method_def;

typedef struct constraint {
    const char *text;
    int32_t     left, right; /* handles */
    double      sign;        /* of what must be >= 0 */
} constraint;

typedef struct entry {
    ss_candidate c;
    double       x[CHOICES_MAX], g[CONSTRAINTS_MAX]; /* g >= 0 is kept */
} entry;

struct ss_design {
    ss_context          *ctx;
    ss_pool              pool;
    const ss_study      *study;
    const ss_design_def *def;  /* while it searches */
    ss_study             view; /* the study with the present candidate */
    ss_expr_env         *env;
    method_def           method;
    int32_t              algorithm, objective;
    bool                 maximise;
    constraint           constraints[CONSTRAINTS_MAX];
    int32_t              constraint_count;
    const ss_variable   *choices[CHOICES_MAX];
    ss_trials           *trials, *best_trials;
    entry               *entries;
    int32_t              count, room;
    ss_rung_use         *use; /* (rung_count) */
    int32_t              best, restart, known_count;
    entry               *known; /* from the journal */
    FILE                *journal;
    uint64_t             fingerprint;
    ss_status            status;
};

/* ---- statistics over the trials of a candidate ---- */

static ss_status measure_of(const ss_design *d, const double *args, int32_t count, int32_t wanted,
                            int32_t *out)
{
    double m = count > 0 ? args[0] : -1;
    if (count != wanted || !(m >= 0) || m >= d->study->measure_count || m != floor(m)) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "it takes the name of a measure%s",
                       wanted == 2 ? " and a number" : "");
    }
    *out = (int32_t)m;
    return SS_OK;
}

static ss_status estimate(ss_design *d, const double *args, int32_t count, ss_estimate *e)
{
    int32_t m = 0;
    SS_TRY(measure_of(d, args, count, 1, &m));
    *e = ss_trials_estimate(d->trials, m, -1);
    return SS_OK;
}

#define STATISTIC(name, field)                                                                     \
    static ss_status name(void *user, const double *args, int32_t count, double *out, bool *truth) \
    {                                                                                              \
        ss_estimate e;                                                                             \
        (void)truth;                                                                               \
        SS_TRY(estimate(user, args, count, &e));                                                   \
        *out = e.field;                                                                            \
        return SS_OK;                                                                              \
    }
STATISTIC(fn_mean, mean)
STATISTIC(fn_low, low)
STATISTIC(fn_high, high)
STATISTIC(fn_least, least)
STATISTIC(fn_most, most)
STATISTIC(fn_deviation, deviation)

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between neighbours in order: the definition that most programs take (type 7). */
static ss_status fn_quantile(void *user, const double *args, int32_t count, double *out,
                             bool *truth)
{
    ss_design *d = user;
    int32_t    m = 0, n = 0;
    (void)truth;
    SS_TRY(measure_of(d, args, count, 2, &m));
    double *x = ss_alloc(d->ctx, (size_t)d->trials->count, sizeof *x);
    if (x == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < d->trials->count; i++) {
        double value = d->trials->measures[i * d->study->measure_count + m];
        if (!isnan(value)) {
            x[n++] = value;
        }
    }
    qsort(x, (size_t)n, sizeof *x, ascending);
    double at = fmin(fmax(args[1], 0), 1) * (n - 1);
    *out      = n == 0 ? NAN : x[(int32_t)at];
    if (n > 0 && (int32_t)at + 1 < n) {
        *out += (at - floor(at)) * (x[(int32_t)at + 1] - x[(int32_t)at]);
    }
    ss_free(d->ctx, x, (size_t)d->trials->count * sizeof *x);
    return SS_OK;
}

static ss_status fn_failed(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_design *d = user;
    (void)args, (void)truth;
    *out = (double)d->trials->of_status[SS_TRIAL_FAILED] / (double)d->trials->count;
    return count == 0 ? SS_OK : ss_fail(d->ctx, SS_ERR_INPUT, "it takes no arguments");
}

typedef struct statistic {
    const char *name;
    ss_expr_fn  fn;
    const char *form, *doc;
} statistic;

static const statistic statistics[] = {
    {"mean", fn_mean, "mean(M), probability(M)", "over all trials of the candidate"},
    {"probability", fn_mean, NULL, NULL},
    {"low", fn_low, "low(M), high(M)",
     "ends of the 95 % interval of the mean or probability: \"surely at least\", \"surely at "
     "most\""},
    {"high", fn_high, NULL, NULL},
    {"least", fn_least, "least(M), most(M)", "the worst case, whichever it is"},
    {"most", fn_most, NULL, NULL},
    {"quantile", fn_quantile, "quantile(M, 0.9)", "nine of ten trials lie below it"},
    {"deviation", fn_deviation, "deviation(M)", "standard deviation"},
    {"failed", fn_failed, "failed()", "share of trials that failed"},
};

/* ---- reading ---- */

static ss_status compile(ss_design *d, const ss_node *node, const char *text, int32_t *handle)
{
    ss_status status = ss_expr_compile(d->env, text, handle);
    return ss_node_place(d->ctx, node, status);
}

static ss_status prepare_names(ss_design *d)
{
    enum { COUNT = (int)(sizeof statistics / sizeof statistics[0]) };
    ss_expr_function *functions = ss_pool_alloc(&d->pool, COUNT, sizeof *functions);
    if (functions == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_expr_env_create(d->ctx, &d->env));
    for (int i = 0; i < COUNT; i++) {
        functions[i] = (ss_expr_function){statistics[i].name, statistics[i].fn, d, 0};
        SS_TRY(ss_expr_set_function(d->env, &functions[i]));
    }
    for (int32_t i = 0; i < d->study->measure_count; i++) {
        /* names that are no words cannot be used in expressions, which is no mistake yet */
        (void)ss_expr_set_param(d->env, d->study->measures[i].name, i);
    }
    return SS_OK;
}

static ss_status read_objective(ss_design *d, ss_decoder *decoder)
{
    ss_node *node = d->study->objective;
    if (node == NULL) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s: a design needs an `objective`", d->study->path);
    }
    bool one = node->kind == SS_NODE_MAP && node->count == 1;
    if (!one ||
        (strcmp(node->first->key, "minimise") != 0 && strcmp(node->first->key, "maximise") != 0)) {
        return ss_decode_fail(decoder, node,
                              "objective must be {minimise: expression} or {maximise: expression}");
    }
    const char *text = NULL;
    d->maximise      = strcmp(node->first->key, "maximise") == 0;
    SS_TRY(ss_decode_text(decoder, "objective", node->first, &text));
    return compile(d, node->first, text, &d->objective);
}

/* "a >= b": what must be >= 0 is a - b. */
static ss_status read_constraint(ss_design *d, ss_decoder *decoder, ss_node *node)
{
    const char *text = NULL;
    char        left[1024];
    SS_TRY(ss_decode_text(decoder, "a constraint", node, &text));
    const char *more = strstr(text, ">="), *less = strstr(text, "<=");
    const char *at = more != NULL ? more : less;
    if (at == NULL || (more != NULL && less != NULL) || strlen(text) > 900) {
        return ss_decode_fail(decoder, node,
                              "a constraint must be `expression >= expression` or `<=`");
    }
    if (d->constraint_count == CONSTRAINTS_MAX) {
        return ss_decode_fail(decoder, node, "more than %d constraints", CONSTRAINTS_MAX);
    }
    constraint *c = &d->constraints[d->constraint_count++];
    *c            = (constraint){.text = text, .sign = more != NULL ? 1 : -1};
    snprintf(left, sizeof left, "%.*s", (int)(at - text), text);
    SS_TRY(compile(d, node, left, &c->left));
    return compile(d, node, at + 2, &c->right);
}

static ss_status read_method(ss_design *d, ss_decoder *decoder)
{
    static const ss_key keys[] = {
        SS_KEY_ROW("algorithm", SS_KEY_TEXT, method_def, algorithm, .initial = "cobyla"),
        SS_KEY_ROW("evaluations", SS_KEY_INT, method_def, evaluations, .low = 1, .high = 1e6),
        SS_KEY_ROW("restarts", SS_KEY_INT, method_def, restarts, .low = 0, .high = 1e4),
        SS_KEY_ROW("tolerance", SS_KEY_REAL, method_def, tolerance, .low = 0, .high = 1),
        SS_KEY_END};
    const ss_node *node = d->study->method;
    d->method           = (method_def){ss_algorithms[0].name, 200, 0, SS_SEARCH_TOLERANCE};
    if (node != NULL) {
        SS_TRY(ss_decode_expect(decoder, "method", node, SS_NODE_MAP));
        SS_TRY(ss_decode_map(decoder, keys, d->study->method, &d->method));
    }
    const char *names[32];
    int32_t     count = 0;
    if (strcmp(d->method.algorithm, "random") == 0) {
        d->algorithm = RANDOM;
        return SS_OK;
    }
    for (; ss_algorithms[count].name != NULL; count++) {
        names[count] = ss_algorithms[count].name;
        if (strcmp(names[count], d->method.algorithm) == 0) {
            d->algorithm = count;
            bool fits    = d->constraint_count == 0 || ss_algorithms[count].takes_constraints;
            return fits ? SS_OK
                        : ss_decode_fail(decoder, node,
                                         "%s takes no constraints: use cobyla or isres",
                                         names[count]);
        }
    }
    ss_name_list list = {names, count};
    return count > 0 && node != NULL
               ? ss_decode_unknown_name(decoder, node, "algorithm", d->method.algorithm, &list)
               : SS_OK; /* no optimiser: ss_optimise says so */
}

static ss_status prepare(ss_design *d)
{
    const ss_study *s       = d->study;
    ss_decoder      decoder = {.ctx = d->ctx, .pool = &d->pool, .dimension = s->dimension};
    if (s->kind != SS_STUDY_DESIGN) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s: this study is no `design`", s->path);
    }
    if (s->choice_count < 1 || s->choice_count > CHOICES_MAX) {
        return ss_fail(d->ctx, SS_ERR_INPUT,
                       "%s: a design chooses 1 to %d values: give them `bounds` in `vary`", s->path,
                       CHOICES_MAX);
    }
    for (int32_t i = 0; i < s->variable_count; i++) {
        if (s->variables[i].kind == SS_VARY_BOUNDS) {
            d->choices[s->variables[i].choice] = &s->variables[i];
        }
    }
    SS_TRY(prepare_names(d));
    SS_TRY(read_objective(d, &decoder));
    if (s->constraints != NULL) {
        SS_TRY(ss_decode_expect(&decoder, "constraints", s->constraints, SS_NODE_LIST));
        for (ss_node *one = s->constraints->first; one != NULL; one = one->next) {
            SS_TRY(read_constraint(d, &decoder, one));
        }
    }
    return read_method(d, &decoder);
}

/* ---- the journal ---- */

/* FNV-1a over everything that the numbers of a journal follow from. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * 1099511628211u;
    }
    return hash;
}

static uint64_t fingerprint_of(const ss_study *s)
{
    const char *scene = ss_scene_text(s->first_scene);
    uint64_t    hash  = mix(14695981039346656037u, s->resolved, strlen(s->resolved));
    hash              = mix(hash, ss_version(), strlen(ss_version()));
    hash              = scene != NULL ? mix(hash, scene, strlen(scene)) : hash;
    for (int32_t i = 0; i < s->variable_count; i++) {
        const ss_variable *v = &s->variables[i];
        if (v->leaves != NULL) {
            hash =
                mix(hash, v->leaves, (size_t)v->count * (size_t)v->input_count * sizeof *v->leaves);
        }
    }
    return hash;
}

static void write_names(ss_design *d, FILE *f)
{
    fputs("candidate,restart", f);
    for (int32_t i = 0; i < d->study->choice_count; i++) {
        fprintf(f, ",%s", d->choices[i]->path);
    }
    fputs(",objective", f);
    for (int32_t i = 0; i < d->constraint_count; i++) {
        fprintf(f, ",margin%d", (int)i + 1);
    }
    fputs(",failed,rung,study\n", f);
}

static void write_entry(const ss_design *d, FILE *f, const entry *e)
{
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
    fflush(f);
}

/* One line of the journal; false: it is not of this study, or cut short. */
static bool read_entry(const ss_design *d, char *line, entry *e)
{
    int32_t wanted = 2 + d->study->choice_count + 1 + d->constraint_count + 2, count = 0;
    double  x[2 + CHOICES_MAX + 1 + CONSTRAINTS_MAX + 2];
    char   *at = line;
    while (count < wanted) {
        char *end  = NULL;
        x[count++] = strtod(at, &end);
        if (end == at || *end != ',') {
            return false;
        }
        at = end + 1;
    }
    if (strtoull(at, NULL, 16) != d->fingerprint) {
        return false;
    }
    *e = (entry){.c = {.restart = (int32_t)x[1],
                       .failed  = (int64_t)x[count - 2],
                       .rung    = (int32_t)x[count - 1]}};
    memcpy(e->x, x + 2, (size_t)d->study->choice_count * sizeof *x);
    e->c.objective = x[2 + d->study->choice_count];
    memcpy(e->g, x + 3 + d->study->choice_count, (size_t)d->constraint_count * sizeof *x);
    return true;
}

static ss_status read_journal(ss_design *d, FILE *f)
{
    char  line[8192], first[8192] = "", expected[8192] = "";
    FILE *memory = fmemopen(expected, sizeof expected, "w");
    if (memory != NULL) {
        write_names(d, memory);
        fclose(memory);
    }
    if (fgets(first, sizeof first, f) == NULL || strcmp(first, expected) != 0) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s: it is the journal of another study",
                       d->def->journal);
    }
    while (fgets(line, sizeof line, f) != NULL) {
        entry e;
        if (!read_entry(d, line, &e) && strchr(line, '\n') != NULL) {
            return ss_fail(d->ctx, SS_ERR_INPUT,
                           "%s: it is the journal of another study (or of this one before it was "
                           "changed)",
                           d->def->journal);
        }
        if (strchr(line, '\n') == NULL) {
            break; /* the search was killed while it wrote */
        }
        entry *more = ss_resize(d->ctx, d->known, (size_t)d->known_count * sizeof e,
                                ((size_t)d->known_count + 1) * sizeof e);
        if (more == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
        }
        d->known                   = more;
        d->known[d->known_count++] = e;
    }
    return SS_OK;
}

static ss_status open_journal(ss_design *d)
{
    const char *path = d->def->journal;
    d->fingerprint   = fingerprint_of(d->study);
    if (path == NULL) {
        return SS_OK;
    }
    FILE *old = d->def->resume ? fopen(path, "r") : NULL;
    if (old != NULL) {
        ss_status status = read_journal(d, old);
        fclose(old);
        SS_TRY(status);
    }
    /* written anew from the start: the search meets its known candidates again, in order */
    d->journal = fopen(path, "w");
    if (d->journal == NULL) {
        return ss_fail(d->ctx, SS_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    write_names(d, d->journal);
    for (int32_t i = 0; i < d->known_count; i++) {
        d->known[i].c.number = i;
        write_entry(d, d->journal, &d->known[i]);
    }
    return SS_OK;
}

/* ---- candidates ---- */

static const entry *look_up(const ss_design *d, const entry *list, int32_t count, const double *x)
{
    for (int32_t i = 0; i < count; i++) {
        if (memcmp(list[i].x, x, (size_t)d->study->choice_count * sizeof *x) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

/* A candidate of which nothing can be told is the worst there is, and keeps no constraint. */
static const double hopeless = 1e30;

static ss_status judge(ss_design *d, entry *e)
{
    e->c.failed = d->trials->of_status[SS_TRIAL_FAILED];
    SS_TRY(ss_expr_judge(d->env, d->objective, &e->c.objective, NULL));
    for (int32_t i = 0; i < d->constraint_count; i++) {
        const constraint *c     = &d->constraints[i];
        double            right = 0;
        SS_TRY(ss_expr_judge(d->env, c->left, &e->g[i], NULL));
        SS_TRY(ss_expr_judge(d->env, c->right, &right, NULL));
        e->g[i] = c->sign * (e->g[i] - right);
        if (isnan(e->g[i])) {
            e->g[i] = -hopeless;
        }
    }
    return SS_OK;
}

/* A candidate without a way through for every trial: how far from that, in place of the numbers. */
static ss_status ask_geometry(ss_design *d, const ss_rung *r, entry *e, bool *passed)
{
    int64_t found = 0, trials = ss_study_trials(&d->view);
    bool   *ways = ss_alloc(d->ctx, (size_t)trials, sizeof *ways);
    if (ways == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_status status = ss_geometric_trials(d->ctx, &d->view, r->geometric, ways);
    for (int64_t i = 0; i < trials; i++) {
        found += ways[i];
    }
    ss_free(d->ctx, ways, (size_t)trials * sizeof *ways);
    SS_TRY(status);
    *passed        = found == trials;
    e->c.objective = NAN;
    e->c.failed    = 0;
    for (int32_t i = 0; i < d->constraint_count; i++) {
        e->g[i] = (double)(found - trials) / (double)trials;
    }
    return SS_OK;
}

static double worst_margin(const ss_design *d, const entry *e)
{
    double worst = INFINITY;
    for (int32_t i = 0; i < d->constraint_count; i++) {
        worst = fmin(worst, e->g[i]);
    }
    return worst;
}

static ss_status run_trials(ss_design *d, entry *e, bool *passed)
{
    ss_sweep_def def = {.threads = d->def->threads, .interrupt = d->def->interrupt};
    ss_trials_destroy(d->trials);
    d->trials        = NULL;
    ss_status status = ss_study_sweep(d->ctx, &d->view, &def, &d->trials);
    SS_TRY(status == SS_OK ? judge(d, e) : status);
    *passed = isfinite(e->c.objective) && worst_margin(d, e) >= 0;
    return SS_OK;
}

/* A candidate on one rung. */
static ss_status climb(ss_design *d, entry *e, int32_t rung, bool *passed)
{
    const ss_rung *r    = &d->study->rungs[rung];
    double         from = ss_clock_computing();
    d->view             = *d->study;
    d->view.candidate   = e->x;
    d->view.extra       = r->values;
    d->view.extra_count = r->count;
    SS_TRY(r->geometric != NULL ? ask_geometry(d, r, e, passed) : run_trials(d, e, passed));
    d->use[rung].candidates++;
    d->use[rung].passed += *passed;
    d->use[rung].seconds += ss_clock_computing() - from;
    e->c.rung = rung;
    return SS_OK;
}

static ss_status compute(ss_design *d, entry *e)
{
    int32_t last = d->study->rung_count - 1, failed = -1;
    bool    passed = true;
    for (int32_t r = 0; r <= last && (passed || d->def->naive); r++) {
        SS_TRY(climb(d, e, r, &passed));
        if (!passed && failed < 0) {
            failed = r;
        }
    }
    if (failed >= 0 && passed) { /* naive: what the rungs would have lost */
        d->use[failed].lost++;
    }
    return SS_OK;
}

static double cost(const ss_design *d, const entry *e)
{
    double f = d->maximise ? -e->c.objective : e->c.objective;
    return isfinite(f) ? f : hopeless;
}

/* Feasible beats infeasible; then the objective; among infeasible ones the higher rung, then the
   smaller violation. */
static bool better(const ss_design *d, const entry *a, const entry *b)
{
    if (a->c.feasible != b->c.feasible) {
        return a->c.feasible;
    }
    if (a->c.rung != b->c.rung) {
        return a->c.rung > b->c.rung;
    }
    return a->c.feasible ? cost(d, a) < cost(d, b) : worst_margin(d, a) > worst_margin(d, b);
}

static ss_status remember(ss_design *d, const entry *e)
{
    if (d->count == d->room) {
        int32_t room = d->room > 0 ? 2 * d->room : 64;
        entry  *more = ss_resize(d->ctx, d->entries, (size_t)d->room * sizeof *more,
                                 (size_t)room * sizeof *more);
        if (more == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
        }
        d->entries = more;
        d->room    = room;
    }
    d->entries[d->count] = *e;
    if (d->best < 0 || better(d, e, &d->entries[d->best])) {
        d->best = d->count;
    }
    d->count++;
    return SS_OK;
}

static ss_candidate shown(const entry *e)
{
    ss_candidate c = e->c;
    c.x            = e->x;
    c.constraints  = e->g;
    return c;
}

static ss_status try_candidate(ss_design *d, const double *x, entry *e)
{
    const entry *tried = look_up(d, d->entries, d->count, x);
    const entry *known = look_up(d, d->known, d->known_count, x);
    if (tried != NULL) { /* methods come back to points, which are no new candidates */
        *e = *tried;
        return SS_OK;
    }
    *e = (entry){.c = {.number = d->count, .restart = d->restart}};
    memcpy(e->x, x, (size_t)d->study->choice_count * sizeof *x);
    if (known != NULL) {
        *e           = *known;
        e->c.known   = true;
        e->c.number  = d->count;
        e->c.restart = d->restart;
    } else {
        SS_TRY(compute(d, e));
    }
    e->c.feasible = e->c.rung == d->study->rung_count - 1 && isfinite(e->c.objective) &&
                    worst_margin(d, e) >= 0;
    if (known == NULL && d->journal != NULL) {
        write_entry(d, d->journal, e);
    }
    return remember(d, e);
}

static int evaluate(void *user, const double *x, double *objective, double *g)
{
    ss_design *d = user;
    entry      e;
    d->status = try_candidate(d, x, &e);
    if (d->status != SS_OK) {
        return 1;
    }
    *objective = cost(d, &e);
    for (int32_t i = 0; i < d->constraint_count; i++) {
        g[i] = -e.g[i];
    }
    if (d->def->progress != NULL) {
        ss_candidate last = shown(&e), best = shown(&d->entries[d->best]);
        d->def->progress(d->def->progress_user, &last, &best);
    }
    return 0;
}

/* ---- the search ---- */

/* Candidates drawn evenly from the bounds, the first at the start. */
static ss_status search_at_random(ss_design *d, const ss_optimise_def *def, int32_t restart)
{
    double x[CHOICES_MAX], objective = 0, g[CONSTRAINTS_MAX];
    memcpy(x, def->start, (size_t)def->n * sizeof *x);
    for (int32_t k = 0; k < def->evaluations; k++) {
        for (int32_t i = 0; i < def->n && k > 0; i++) {
            double   u[2];
            uint64_t number = ((uint64_t)restart << 32) + (uint64_t)k;
            ss_philox_uniform(d->study->seed, number, d->choices[i]->name, 1, u);
            x[i] = def->low[i] + u[0] * (def->high[i] - def->low[i]);
        }
        if (evaluate(d, x, &objective, g) != 0) {
            return d->status;
        }
    }
    return SS_OK;
}

static ss_status search_once(ss_design *d, int32_t restart)
{
    int32_t n = d->study->choice_count;
    double  low[CHOICES_MAX], high[CHOICES_MAX], start[CHOICES_MAX];
    for (int32_t i = 0; i < n; i++) {
        double u[2];
        ss_philox_uniform(d->study->seed, (uint64_t)restart, d->choices[i]->name, 0, u);
        low[i]   = d->choices[i]->low;
        high[i]  = d->choices[i]->high;
        start[i] = restart == 0 ? d->choices[i]->start : low[i] + u[0] * (high[i] - low[i]);
    }
    ss_optimise_def def = {.algorithm   = d->algorithm,
                           .n           = n,
                           .constraints = d->constraint_count,
                           .low         = low,
                           .high        = high,
                           .start       = start,
                           .evaluations = d->method.evaluations,
                           .tolerance   = d->method.tolerance,
                           .seed        = d->study->seed + (uint64_t)restart + 1,
                           .evaluate    = evaluate,
                           .user        = d};
    d->restart          = restart;
    ss_status status =
        d->algorithm == RANDOM ? search_at_random(d, &def, restart) : ss_optimise(d->ctx, &def);
    return d->status != SS_OK ? d->status : status;
}

/* The best design's trials once more, for whoever asks about them. */
static ss_status finish(ss_design *d)
{
    entry   e      = d->entries[d->best];
    bool    passed = false;
    int32_t rung   = e.c.rung;
    while (d->study->rungs[rung].geometric != NULL) {
        rung++; /* there must be trials to look at */
    }
    ss_rung_use kept = d->use[rung]; /* a second look is no candidate */
    SS_TRY(climb(d, &e, rung, &passed));
    d->use[rung]   = kept;
    d->best_trials = d->trials;
    d->trials      = NULL;
    return SS_OK;
}

static ss_status search(ss_design *d)
{
    d->use = ss_pool_alloc(&d->pool, (size_t)d->study->rung_count, sizeof *d->use);
    if (d->use == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(prepare(d));
    SS_TRY(open_journal(d));
    for (int32_t k = 0; k <= d->method.restarts; k++) {
        SS_TRY(search_once(d, k));
    }
    return finish(d);
}

ss_status ss_study_design(ss_context *ctx, const ss_study *s, const ss_design_def *def,
                          ss_design **out)
{
    if (ctx == NULL || s == NULL || def == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a design needs a context, a study and a definition");
    }
    ss_design *d = ss_alloc(ctx, 1, sizeof *d);
    *out         = NULL;
    if (d == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    d->ctx           = ctx;
    d->pool.ctx      = ctx;
    d->study         = s;
    d->def           = def;
    d->best          = -1;
    ss_status status = search(d);
    if (d->journal != NULL && fclose(d->journal) != 0 && status == SS_OK) {
        status = ss_fail(ctx, SS_ERR_IO, "%s: could not be written", def->journal);
    }
    d->journal = NULL;
    d->def     = NULL;
    if (status != SS_OK) {
        ss_design_destroy(d);
        return status;
    }
    *out = d;
    return SS_OK;
}

void ss_design_destroy(ss_design *d)
{
    if (d == NULL) {
        return;
    }
    ss_context *ctx = d->ctx;
    ss_trials_destroy(d->trials);
    ss_trials_destroy(d->best_trials);
    ss_expr_env_destroy(d->env);
    ss_free(ctx, d->entries, (size_t)d->room * sizeof *d->entries);
    ss_free(ctx, d->known, (size_t)d->known_count * sizeof *d->known);
    ss_pool_free(&d->pool);
    ss_free(ctx, d, sizeof *d);
}

bool ss_design_best(const ss_design *d, ss_candidate *out)
{
    if (d == NULL || out == NULL || d->best < 0) {
        return false;
    }
    *out = shown(&d->entries[d->best]);
    return out->feasible;
}

int32_t ss_design_count(const ss_design *d)
{
    return d != NULL ? d->count : 0;
}

int32_t ss_design_choice_count(const ss_design *d)
{
    return d != NULL ? d->study->choice_count : 0;
}

const char *ss_design_choice_name(const ss_design *d, int32_t choice)
{
    return choice >= 0 && choice < ss_design_choice_count(d) ? d->choices[choice]->path : NULL;
}

int32_t ss_design_constraint_count(const ss_design *d)
{
    return d != NULL ? d->constraint_count : 0;
}

const char *ss_design_constraint_text(const ss_design *d, int32_t index)
{
    return index >= 0 && index < ss_design_constraint_count(d) ? d->constraints[index].text : NULL;
}

int32_t ss_design_rung_count(const ss_design *d)
{
    return d != NULL ? d->study->rung_count : 0;
}

ss_rung_use ss_design_rung(const ss_design *d, int32_t rung)
{
    ss_rung_use none = {0};
    if (rung < 0 || rung >= ss_design_rung_count(d)) {
        return none;
    }
    none      = d->use[rung];
    none.name = d->study->rungs[rung].name;
    return none;
}

const ss_trials *ss_design_trials(const ss_design *d)
{
    return d != NULL ? d->best_trials : NULL;
}

void ss_design_reference(void (*write)(void *user, const char *text), void *user)
{
    char line[512];
    write(user, "\n## Designs\n\n"
                "`objective` and `constraints` of a `design` are expressions over statistics of "
                "measures, whose names stand without quotes:\n\n| write | meaning |\n|---|---|\n");
    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++) {
        if (statistics[i].form != NULL) {
            snprintf(line, sizeof line, "| `%s` | %s |\n", statistics[i].form, statistics[i].doc);
            write(user, line);
        }
    }
    write(user,
          "\n`method` has `algorithm` (default cobyla), `evaluations` of each search (200), "
          "`restarts` from random starts (0), `tolerance` as a share of the bounds (" SS_TEXT(
              SS_SEARCH_TOLERANCE) ").\n\n"
                                   "| algorithm | what it is | constraints |\n|---|---|---|\n");
    for (const ss_algorithm *a = ss_algorithms; a->name != NULL; a++) {
        snprintf(line, sizeof line, "| `%s` | %s | %s |\n", a->name, a->doc,
                 a->takes_constraints ? "yes" : "no");
        write(user, line);
    }
    write(user,
          "| `random` | candidates drawn evenly from the bounds, the first at the start | yes |\n\n"
          "`rungs` lists models from cheap to dear: `{name, set: {path: value, ..}}` each. A "
          "candidate "
          "that does not keep the constraints on one is not tried on the next; objective and "
          "constraints are those of the last it was tried on. A rung may ask for geometry alone, "
          "in 2D with gravity along -y: `{name, geometric: {body, x: [low, high], y: [low, high], "
          "cells: [32, 64, 48], to: {x: [low, high], y: [..], angle: [..]}}}`: is there, for every "
          "trial, any way of the body's frame from its start to `to` that never rises "
          "(`any_way: true`: any way), among the static polygons, boxes, discs and half-planes? "
          "Configurations are sampled in `cells` of x, y and angle; a no is certain.\n");
}
