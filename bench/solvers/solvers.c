/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solvers against each other on collected problems: ours beside Siconos', in one run, on one
 * machine, by CPU time. Prints its progress, and writes the tables to a Markdown page and every
 * single result to a CSV file.
 *
 *   bench_solvers PROBLEMS OUT.md OUT.csv [SECONDS_PER_SOLVE] [GROUP] [alone]
 *
 * GROUP is part of a key below, "" for all; `alone` leaves Siconos out. A run that was interrupted
 * goes on from what OUT.csv holds (record.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "contest.h"
#include "problem_set.h"
#include "record.h"
#include "stickslip/solver.h"

enum { CONTESTANTS_MAX = 16, TOLERANCES_MAX = 2, FOLDERS_MAX = 4, ANY_DIM = 0 };

/* Problems that share a table, and what is asked of them. */
typedef struct group {
    const char     *key; /* for the command line */
    const char     *title;
    const char     *goal;
    ss_problem_type type;
    int32_t         dim;                    /* cone: rows of the first block      */
    int32_t         min_blocks, max_blocks; /* cone: contacts                     */
    double          goal_ratio;             /* of auto's time to the best peer's  */
    enum {
        AS_GIVEN,
        ALL_REDUCED,    /* global forms come as local ones, to everybody */
        GLOBAL_REDUCED, /* .. and other problems do not take part        */
    } form;
    const char *folders[FOLDERS_MAX];
    const char *peers[CONTESTANTS_MAX];
    double      tolerances[TOLERANCES_MAX];
} group;

static const group groups[] = {
    {"lcp-siconos",
     "LCP, siconos_lcp",
     "all that have a solution; time at most 0.5",
     SS_LCP,
     0,
     0,
     0,
     0.5,
     AS_GIVEN,
     {"siconos_lcp"},
     {"LEMKE"},
     {1e-12}},
    {"lcp-derived",
     "LCP, derived_lcp",
     "all that have a solution; time at most 0.5",
     SS_LCP,
     0,
     0,
     0,
     0.5,
     AS_GIVEN,
     {"derived_lcp"},
     {"LEMKE"},
     {1e-12}},
    {"lcp-yamanishi",
     "LCP, yamanishi_lcp",
     "all; time at most 0.5, n >= 256 at most 0.2",
     SS_LCP,
     0,
     0,
     0,
     0.5,
     AS_GIVEN,
     {"yamanishi_lcp"},
     {"LEMKE"},
     {1e-12}},
    {"mlcp", "MLCP", "all", SS_MLCP, 0, 0, 0, 1, AS_GIVEN, {"siconos_mlcp"}, {"MLCP_FB"}, {1e-8}},
    {"fc3d-small",
     "FC3D, up to 33 contacts",
     "all at 1e-12; time at most 0.5 on every problem",
     SS_CONE,
     3,
     1,
     33,
     0.5,
     AS_GIVEN,
     {"siconos_fc3d", "fclib_hdf5", "siconos_gfc", "contactbench_npz"},
     {"NSGS", "NSN_AC", "NSN_FB", "ADMM", "PROX", "EG"},
     {1e-8, 1e-12}},
    {"fc3d-large",
     "FC3D, more than 33 contacts",
     "all; time at most 1 in geometric mean",
     SS_CONE,
     3,
     34,
     1 << 30,
     1,
     AS_GIVEN,
     {"siconos_fc3d", "fclib_hdf5", "siconos_gfc", "contactbench_npz"},
     {"NSGS", "NSN_AC", "NSN_FB", "ADMM", "PROX", "EG"},
     {1e-8, 1e-12}},
    {"fc3d-reduced",
     "FC3D, global forms reduced to the local one beforehand",
     "none set",
     SS_CONE,
     3,
     1,
     1 << 30,
     1,
     GLOBAL_REDUCED,
     {"fclib_hdf5", "siconos_gfc"},
     {"NSGS", "NSN_AC", "NSN_FB", "ADMM", "PROX", "EG"},
     {1e-12}},
    {"fc2d",
     "FC2D",
     "none set",
     SS_CONE,
     2,
     1,
     1 << 30,
     1,
     ALL_REDUCED,
     {"siconos_fc2d", "siconos_gfc"},
     {"NSGS_2D", "CPG_2D", "LEMKE_2D"},
     {1e-8}},
    {"rolling",
     "Rolling friction, ours alone (as two cones on one normal force)",
     "all",
     SS_CONE,
     ANY_DIM,
     1,
     1 << 30,
     1,
     AS_GIVEN,
     {"siconos_rolling"},
     {NULL},
     {1e-8, 1e-12}},
    {"gmp",
     "Equalities, complementary rows and contacts together, ours alone",
     "all",
     SS_CONE,
     ANY_DIM,
     1,
     1 << 30,
     1,
     AS_GIVEN,
     {"siconos_gmp"},
     {NULL},
     {1e-8, 1e-12}},
};
enum { GROUPS = (int)(sizeof groups / sizeof groups[0]) };

/* One group on its problems. results[(tolerance * problems + problem) * contestants + who]. */
typedef struct table {
    const group *g;
    problem_set  set;
    contestant   who[CONTESTANTS_MAX];
    size_t       count, peers; /* contestants; of them Siconos', which come first */
    size_t       tolerances;
    result      *results;
} table;

static const result *result_of(const table *t, size_t tolerance, size_t problem, size_t who)
{
    return &t->results[(tolerance * t->set.count + problem) * t->count + who];
}

/* ---- running ---- */

static bool belongs(const group *g, const ss_problem *p)
{
    if (p->type != g->type) {
        return false;
    }
    const ss_cone *c = &p->as.cone;
    return p->type != SS_CONE || ((g->dim == ANY_DIM || c->blocks[0].dim == g->dim) &&
                                  c->nblocks >= g->min_blocks && c->nblocks <= g->max_blocks);
}

static void collect(table *t, ss_context *ctx, const char *root)
{
    for (int f = 0; f < FOLDERS_MAX && t->g->folders[f] != NULL; f++) {
        problem_set_add(&t->set, ctx, root, t->g->folders[f]);
    }
    size_t kept = 0;
    for (size_t i = 0; i < t->set.count; i++) {
        bench_problem *item   = &t->set.items[i];
        bool           global = item->given.type == SS_CONE && item->given.as.cone.nv > 0;
        if (belongs(t->g, &item->problem) && (global || t->g->form != GLOBAL_REDUCED)) {
            item->given          = t->g->form == AS_GIVEN ? item->given : item->problem;
            t->set.items[kept++] = *item;
        }
    }
    t->set.count = kept;
}

/* Siconos' solvers, then auto, then the rest of ours. */
static void enter(table *t, ss_context *ctx, bool alone)
{
    for (int k = 0; siconos_present() && !alone && t->g->peers[k] != NULL; k++) {
        t->who[t->count++] = (contestant){t->g->peers[k], true};
    }
    t->peers = t->count;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < ss_solver_count(ctx); i++) {
            const ss_solver_class *cls       = ss_solver_at(ctx, i);
            bool                   automatic = strcmp(cls->name, "auto") == 0;
            bool skip = strcmp(cls->name, "siconos") == 0 || strcmp(cls->name, "enumerate") == 0 ||
                        strcmp(cls->name, "farkas") == 0; /* proves, and solves nothing */
            if (automatic == (pass == 0) && !skip && (cls->accepts & (unsigned)t->g->type) &&
                t->count < CONTESTANTS_MAX) {
                t->who[t->count++] = (contestant){cls->name, false};
            }
        }
    }
    while (t->tolerances < TOLERANCES_MAX && t->g->tolerances[t->tolerances] > 0) {
        t->tolerances++;
    }
}

/* Who ran out of time or crashed at a loose tolerance is not asked for a tighter one. */
static bool hopeless(const table *t, size_t tolerance, size_t problem, size_t who)
{
    if (tolerance == 0) {
        return false;
    }
    verdict v = result_of(t, tolerance - 1, problem, who)->verdict;
    return v == V_TIMEOUT || v == V_CRASH;
}

static void run_problem(table *t, size_t tolerance, size_t problem, double cap, record *done)
{
    const bench_problem *p   = &t->set.items[problem];
    double               tol = t->g->tolerances[tolerance];
    for (size_t k = 0; k < t->count; k++) {
        result *r = &t->results[(tolerance * t->set.count + problem) * t->count + k];
        entry   e = {t->g->key, p->name, ss_problem_size(&p->problem), tol, &t->who[k]};
        if (record_find(done, &e, r)) {
            continue;
        }
        if (hopeless(t, tolerance, problem, k)) {
            *r = *result_of(t, tolerance - 1, problem, k);
        } else {
            *r = contest(&t->who[k], &p->problem, &p->given, tol, cap);
        }
        record_add(done, &e, r);
    }
}

static void run_table(table *t, double cap, record *done)
{
    t->results = calloc(t->tolerances * t->set.count * t->count + 1, sizeof *t->results);
    for (size_t e = 0; e < t->tolerances; e++) {
        for (size_t i = 0; i < t->set.count; i++) {
            fprintf(stderr, "\r\033[K%s at %g: %zu of %zu, %s", t->g->key, t->g->tolerances[e],
                    i + 1, t->set.count, t->set.items[i].name);
            run_problem(t, e, i, cap, done);
        }
    }
    fputs("\r\033[K", stderr);
}

/* ---- tables ---- */

/* The fastest of the contestants [from, to) on a problem, or -1. */
static long fastest(const table *t, size_t tolerance, size_t problem, size_t from, size_t to)
{
    long best = -1;
    for (size_t k = from; k < to; k++) {
        const result *r = result_of(t, tolerance, problem, k);
        if (r->verdict == V_SOLVED &&
            (best < 0 || r->seconds < result_of(t, tolerance, problem, (size_t)best)->seconds)) {
            best = (long)k;
        }
    }
    return best;
}

static void put_seconds(FILE *f, double s)
{
    if (!isfinite(s)) {
        fputs("-", f);
    } else if (s < 1e-3) {
        fprintf(f, "%.3g µs", 1e6 * s);
    } else if (s < 1) {
        fprintf(f, "%.3g ms", 1e3 * s);
    } else {
        fprintf(f, "%.3g s", s);
    }
}

static const char *shown_name(const table *t, size_t k, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s", t->who[k].siconos ? "Siconos " : "", t->who[k].name);
    return buffer;
}

static void put_contestants(FILE *f, const table *t, size_t e)
{
    char name[64];
    fprintf(f,
            "| at %g | solved | geometric mean of its solved | called solved but is not |\n"
            "|---|---|---|---|\n",
            t->g->tolerances[e]);
    for (size_t k = 0; k < t->count; k++) {
        size_t solved = 0, wrong = 0;
        double sum = 0;
        for (size_t i = 0; i < t->set.count; i++) {
            const result *r = result_of(t, e, i, k);
            solved += r->verdict == V_SOLVED;
            wrong += r->verdict == V_WRONG;
            sum += r->verdict == V_SOLVED ? log(r->seconds) : 0;
        }
        fprintf(f, "| %s | %zu/%zu | ", shown_name(t, k, name, sizeof name), solved, t->set.count);
        put_seconds(f, solved > 0 ? exp(sum / (double)solved) : INFINITY);
        fprintf(f, " | %zu |\n", wrong);
    }
    fputc('\n', f);
}

/* auto against the fastest peer of each problem, over problems that both solved. */
typedef struct duel {
    size_t common, above; /* problems; of them those above the goal's ratio */
    double mean, worst, large_worst;
    size_t worst_problem;
} duel;

static duel fight(const table *t, size_t e)
{
    duel   d   = {0};
    double sum = 0;
    for (size_t i = 0; i < t->set.count; i++) {
        long          peer = fastest(t, e, i, 0, t->peers);
        const result *ours = result_of(t, e, i, t->peers);
        if (peer < 0 || ours->verdict != V_SOLVED) {
            continue;
        }
        double ratio = ours->seconds / result_of(t, e, i, (size_t)peer)->seconds;
        sum += log(ratio);
        d.common++;
        d.above += ratio > t->g->goal_ratio;
        if (ss_problem_size(&t->set.items[i].problem) >= 256) {
            d.large_worst = fmax(d.large_worst, ratio);
        }
        if (ratio > d.worst) {
            d.worst         = ratio;
            d.worst_problem = i;
        }
    }
    d.mean = d.common > 0 ? exp(sum / (double)d.common) : NAN;
    return d;
}

static void put_duel(FILE *f, const table *t, size_t e)
{
    if (t->peers == 0 || t->peers == t->count) {
        return;
    }
    duel   d    = fight(t, e);
    size_t ours = 0, peers = 0;
    for (size_t i = 0; i < t->set.count; i++) {
        ours += result_of(t, e, i, t->peers)->verdict == V_SOLVED;
        peers += fastest(t, e, i, 0, t->peers) >= 0;
    }
    fprintf(f, "**%s at %g**: solved %zu of %zu; all of Siconos together %zu. ",
            t->who[t->peers].name, t->g->tolerances[e], ours, t->set.count, peers);
    if (d.common > 0) {
        fprintf(f,
                "Time over Siconos' best per problem, %zu common: geometric mean %.3g, worst "
                "%.3g (%s), above %g on %zu",
                d.common, d.mean, d.worst, t->set.items[d.worst_problem].name, t->g->goal_ratio,
                d.above);
        if (d.large_worst > 0) {
            fprintf(f, "; worst for n >= 256 %.3g", d.large_worst);
        }
        fputs(".", f);
    }
    fputs("\n\n", f);
}

static void put_rows(FILE *f, const table *t, size_t e)
{
    char name[64];
    fprintf(f,
            "<details><summary>every problem at %g</summary>\n\n"
            "| problem | n | best of Siconos | | %s | outcome | residual | ratio | best of the "
            "others of ours | |\n|---|---|---|---|---|---|---|---|---|---|\n",
            t->g->tolerances[e], t->peers < t->count ? t->who[t->peers].name : "-");
    for (size_t i = 0; i < t->set.count && t->peers < t->count; i++) {
        long          peer  = fastest(t, e, i, 0, t->peers);
        long          other = fastest(t, e, i, t->peers + 1, t->count);
        const result *ours  = result_of(t, e, i, t->peers);
        bool          both  = peer >= 0 && ours->verdict == V_SOLVED;
        fprintf(f, "| %s | %d | %s | ", t->set.items[i].name,
                ss_problem_size(&t->set.items[i].problem),
                peer >= 0 ? shown_name(t, (size_t)peer, name, sizeof name) : "none");
        put_seconds(f, peer >= 0 ? result_of(t, e, i, (size_t)peer)->seconds : INFINITY);
        fputs(" | ", f);
        put_seconds(f, ours->seconds);
        fprintf(f, " | %s%s | %.1e | ", ours->verdict == V_SOLVED ? "" : "**not solved** ",
                ours->verdict == V_ABSENT || ours->verdict == V_CRASH ? "-"
                : !isfinite(ours->residual)                           ? "out of time"
                                            : ss_outcome_text((ss_outcome)ours->outcome),
                ours->residual);
        if (both) {
            fprintf(f, "%.3g", ours->seconds / result_of(t, e, i, (size_t)peer)->seconds);
        }
        fprintf(f, " | %s | ", other >= 0 ? t->who[other].name : "none");
        put_seconds(f, other >= 0 ? result_of(t, e, i, (size_t)other)->seconds : INFINITY);
        fputs(" |\n", f);
    }
    fputs("\n</details>\n\n", f);
}

static void put_table(FILE *f, const table *t)
{
    fprintf(f, "## %s\n\nTo reach: %s.\n\n", t->g->title, t->g->goal);
    for (size_t e = 0; e < t->tolerances; e++) {
        put_duel(f, t, e);
        put_contestants(f, t, e);
        put_rows(f, t, e);
    }
    fflush(f);
}

static void put_processor(FILE *f)
{
    char  line[256];
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info != NULL && fgets(line, sizeof line, info) != NULL) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            fprintf(f, "%.*s, ", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
            break;
        }
    }
    if (info != NULL) {
        fclose(info);
    }
}

static void put_head(FILE *f, double cap)
{
    struct utsname machine;
    char           date[32];
    time_t         now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    uname(&machine);
    fprintf(f, "# Solvers, ours beside Siconos'\n\nMade by `make bench-solvers` on %s (", date);
    put_processor(f);
    fprintf(f, "%s), one thread, at most %g s a solve%s.\n\n", machine.machine, cap,
            siconos_present() ? "" : "; **Siconos is not installed here: ours alone**");
    fputs("Time is the CPU time of a solve from a cold start, the shortest of up to 15 (0.3 s "
          "altogether). Ours\nincludes the certificate; Siconos' conversion of the matrix is left "
          "out. *Solved* is decided for everybody by\nthe same independent measure, the norm of "
          "the natural map over |q| (lcp, mlcp) or over max(|q|, |r|, |u|)\n(friction). Global "
          "friction problems are solved by ours as they are; Siconos' solvers get them by its own "
          "reduction to\nthe local form, which is part of their time (of small problems nearly "
          "all of it: a table below compares the\nlocal forms alone), and answers are judged in "
          "it. Those in the plane come in local form to everybody: Siconos'\nreduction crashes "
          "on them. A solver "
          "that ran out of time or crashed at one tolerance is not asked for a tighter one "
          "(RockPile_tob1 takes `auto` three to four seconds). "
          "Differences below "
          "1.3 times are noise.\n\n",
          f);
}

static void run_group(const group *g, ss_context *ctx, const char *root, double cap, bool alone,
                      FILE *md, record *done)
{
    table t = {.g = g};
    collect(&t, ctx, root);
    enter(&t, ctx, alone);
    if (t.set.count == 0) {
        fprintf(stderr, "%s: no problems below %s\n", g->key, root);
        return;
    }
    run_table(&t, cap, done);
    put_table(md, &t);
    put_duel(stdout, &t, t.tolerances - 1);
    fflush(stdout);
    for (size_t i = 0; i < t.set.count; i++) {
        ss_problem_file_destroy(t.set.items[i].file);
    }
    free(t.set.items);
    free(t.results);
}

int main(int argc, char **argv)
{
    ss_context *ctx = ss_context_create(NULL);
    if (argc < 4 || ctx == NULL) {
        fprintf(stderr, "usage: bench_solvers PROBLEMS OUT.md OUT.csv [SECONDS] [GROUP] [alone]\n");
        return 2;
    }
    double      cap   = argc > 4 ? atof(argv[4]) : 5;
    const char *only  = argc > 5 ? argv[5] : "";
    FILE       *md    = fopen(argv[2], "w");
    record     *done  = record_open(argv[3], cap);
    problem_set probe = {0};
    if (md == NULL || done == NULL) {
        fprintf(stderr, "bench_solvers: cannot write %s or %s\n", argv[2], argv[3]);
        return 2;
    }
    if (!problem_set_add(&probe, ctx, argv[1], ".")) {
        fprintf(stderr, "bench_solvers: SKIPPED: there are no problems at %s\n", argv[1]);
        return 1;
    }
    put_head(md, cap);
    for (int g = 0; g < GROUPS; g++) {
        if (strstr(groups[g].key, only) != NULL) {
            run_group(&groups[g], ctx, argv[1], cap, argc > 6, md, done);
        }
    }
    fclose(md);
    record_close(done);
    ss_context_destroy(ctx);
    return 0;
}
