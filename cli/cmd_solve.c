/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip solve`: problem files in, certified outcomes out; every file with every solver. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "cli.h"
#include "file_list.h"
#include "json.h"
#include "outputs.h"
#include "plugin_args.h"
#include "profile_svg.h"
#include "progress.h"
#include "stickslip/output.h"
#include "stickslip/problem_file.h"
#include "stickslip/solver.h"

static const char description[] =
    "Solves complementarity and friction problems. The format of a file is found from its\n"
    "content; of a folder, every problem file in it is solved. Each outcome is certified by the\n"
    "residual of the problem as given, never by the solver's own word.\n"
    "Exit codes: 0 every file was solved by one of the solvers; 1 one was not; 2 bad input\n"
    "(the other files are solved all the same).";

enum { SOLVERS_MAX = 16 };

typedef struct job {
    ss_context *ctx;
    /* as given */
    const char *solvers_text, *solution, *format, *profile, *write, *to;
    double      tol, time_limit;
    int32_t     repeat;
    bool        json, quiet, warm, list_options;
    ss_arg_list sets;
    /* made from it */
    char         solver_names[256]; /* cut into pieces */
    const char  *solvers[SOLVERS_MAX];
    size_t       solver_count;
    ss_file_list files;
    double      *seconds; /* (files x solvers), -1: not solved */
    int          file_width, solver_width;
    ss_progress  progress;
    bool         headed; /* the table's head is printed */
    int          code;   /* exit code so far                  */
} job;

/* Bad input outweighs an unsolved problem, a lack of resources outweighs both. */
static void note_code(job *j, int code)
{
    j->code = code > j->code ? code : j->code;
}

static void fail(job *j, ss_status status)
{
    note_code(j, ss_cli_fail(j->ctx, status));
}

/* ---- solvers and their options ---- */

static bool table_has(const ss_option *table, const char *name)
{
    for (; table != NULL && table->name != NULL; table++) {
        if (strcmp(table->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* One "option=value" or "solver.option=value"; `used` tells whether it was meant for this one. */
static ss_status set_option(job *j, ss_solver *s, const char *text, bool *used)
{
    const ss_solver_class *cls = ss_solver_class_of(s);
    char                   name[64];
    const char            *equals = strchr(text, '=');
    size_t                 length = equals != NULL ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= sizeof name) {
        return ss_fail(j->ctx, SS_ERR_INPUT, "--set wants option=value, got '%s'", text);
    }
    memcpy(name, text, length);
    name[length]       = '\0';
    const char *option = strchr(name, '.');
    if (option != NULL) {
        bool mine = (size_t)(option - name) == strlen(cls->name) &&
                    strncmp(name, cls->name, strlen(cls->name)) == 0;
        if (!mine) {
            return SS_OK;
        }
    }
    option = option != NULL ? option + 1 : name;
    if (!table_has(ss_solver_common_options(), option) && !table_has(cls->options, option)) {
        return SS_OK;
    }
    *used = true;
    return ss_solver_set(s, option, equals + 1);
}

static ss_status set_real(ss_solver *s, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return ss_solver_set(s, name, text);
}

/* A solver with everything set as the command line says; `used` (one a --set) may be NULL. */
static ss_status make_solver(job *j, const char *name, bool *used, ss_solver **out)
{
    SS_TRY(ss_solver_create_named(j->ctx, name, out));
    ss_solver_common(*out)->timed = true;
    ss_status status              = SS_OK;
    if (j->tol >= 0) {
        status = set_real(*out, "tol", j->tol);
    }
    if (status == SS_OK && j->time_limit > 0) {
        status = set_real(*out, "time_limit", j->time_limit);
    }
    for (int k = 0; status == SS_OK && k < j->sets.count; k++) {
        bool ignored;
        status = set_option(j, *out, j->sets.items[k], used != NULL ? &used[k] : &ignored);
    }
    if (status != SS_OK) {
        ss_solver_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* Every solver can be made, and every --set is meant for at least one: before any work is done. */
static ss_status check_solvers(job *j)
{
    bool *used = ss_alloc(j->ctx, (size_t)j->sets.count + 1, sizeof *used);
    if (used == NULL) {
        return ss_fail(j->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_status status = SS_OK;
    for (size_t s = 0; status == SS_OK && s < j->solver_count; s++) {
        ss_solver *solver = NULL;
        status            = make_solver(j, j->solvers[s], used, &solver);
        ss_solver_destroy(solver);
    }
    for (int k = 0; status == SS_OK && k < j->sets.count; k++) {
        if (!used[k]) {
            status = ss_fail(j->ctx, SS_ERR_INPUT,
                             "--set %s: none of the solvers in use has that option "
                             "(see 'stickslip solve --list-options')",
                             j->sets.items[k]);
        }
    }
    ss_free(j->ctx, used, ((size_t)j->sets.count + 1) * sizeof *used);
    return status;
}

/* "a,b,c" into names. */
static int split_solvers(job *j)
{
    int length = snprintf(j->solver_names, sizeof j->solver_names, "%s", j->solvers_text);
    if (length < 0 || (size_t)length >= sizeof j->solver_names) {
        return ss_cli_usage("solve", "--solver: the list of names is too long");
    }
    char *at = j->solver_names;
    while (at != NULL) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        if (*at == '\0' || j->solver_count == SOLVERS_MAX) {
            return ss_cli_usage("solve", "--solver wants one to %d names, as in 'lemke,newton'",
                                SOLVERS_MAX);
        }
        j->solvers[j->solver_count++] = at;
        at                            = comma != NULL ? comma + 1 : NULL;
    }
    return -1;
}

static void print_option(const char *solver, const ss_option *o)
{
    char name[64], range[96];
    snprintf(name, sizeof name, "%s%s%s", solver, solver[0] != '\0' ? "." : "", o->name);
    if (o->type == SS_OPTION_CHOICE) {
        snprintf(range, sizeof range, "%s", o->choices);
    } else if (o->type == SS_OPTION_BOOL) {
        snprintf(range, sizeof range, "true|false, default %s", o->initial != 0 ? "true" : "false");
    } else {
        snprintf(range, sizeof range, "%g to %g, default %g", o->low, o->high, o->initial);
    }
    printf("  %-24s %s (%s)\n", name, o->doc, range);
}

static int list_options(const job *j)
{
    printf("every solver:\n");
    for (const ss_option *o = ss_solver_common_options(); o->name != NULL; o++) {
        print_option("", o);
    }
    for (int32_t i = 0; i < ss_solver_count(j->ctx); i++) {
        const ss_solver_class *cls = ss_solver_at(j->ctx, i);
        if (cls->options == NULL || cls->options->name == NULL) {
            continue;
        }
        printf("%s:\n", cls->name);
        for (const ss_option *o = cls->options; o->name != NULL; o++) {
            print_option(cls->name, o);
        }
    }
    return SS_EXIT_DONE;
}

/* ---- rows of output ---- */

/* Above the first row only. */
static void print_head(job *j)
{
    if (!j->json && !j->headed) {
        j->headed = true;
        printf("%-*s  %-4s  %6s  %-*s  %-14s  %9s  %10s  %9s\n", j->file_width, "file", "type", "n",
               j->solver_width, "solver", "status", "residual", "iterations", "seconds");
    }
}

static void print_json(const char *file, const ss_problem *p, const char *solver,
                       const ss_solution *x)
{
    ss_json json = ss_json_start(stdout, true);
    ss_json_open_object(&json, NULL);
    ss_json_text(&json, "file", file);
    ss_json_text(&json, "type", ss_problem_type_name(p->type));
    ss_json_int(&json, "n", ss_problem_size(p));
    ss_json_text(&json, "solver", solver);
    ss_json_text(&json, "status", ss_outcome_text(x->outcome));
    ss_json_real(&json, "residual", x->residual);
    ss_json_int(&json, "iterations", x->iterations);
    ss_json_real(&json, "seconds", x->seconds);
    ss_json_close_object(&json);
    ss_json_end(&json);
}

static void print_row(job *j, const char *file, const ss_problem *p, const char *solver,
                      const ss_solution *x)
{
    ss_progress_wipe(&j->progress);
    if (j->json) {
        print_json(file, p, solver, x);
    } else {
        print_head(j);
        char residual[32] = "-";
        if (isfinite(x->residual)) {
            snprintf(residual, sizeof residual, "%.1e", x->residual);
        }
        printf("%-*s  %-4s  %6d  %-*s  %-14s  %9s  %10d  %9.2e\n", j->file_width, file,
               ss_problem_type_name(p->type), ss_problem_size(p), j->solver_width, solver,
               ss_outcome_text(x->outcome), residual, x->iterations, x->seconds);
    }
    fflush(stdout);
}

/* ---- answers in files ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* One file and one solver: OUT itself; otherwise OUT/NAME.txt or OUT/NAME.SOLVER.txt. */
static bool solution_is_folder(const job *j)
{
    return j->files.count > 1 || j->solver_count > 1;
}

static void solution_path(const job *j, const char *file, const char *solver, char *path,
                          size_t size)
{
    if (!solution_is_folder(j)) {
        snprintf(path, size, "%s", j->solution);
    } else if (j->solver_count == 1) {
        snprintf(path, size, "%s/%s.txt", j->solution, base_name(file));
    } else {
        snprintf(path, size, "%s/%s.%s.txt", j->solution, base_name(file), solver);
    }
}

/* The numbers in the order of the problem's own file, one a line, with all digits. */
static ss_status write_solution(job *j, const char *path, const ss_stored_problem *content,
                                const double *z)
{
    ss_output_file *out;
    SS_TRY(ss_output_open(j->ctx, path, &out));
    int32_t n = ss_problem_size(&content->problem);
    for (int32_t i = 0; i < n; i++) {
        fprintf(ss_output_stream(out), "%.17g\n",
                z[content->order != NULL ? content->order[i] : i]);
    }
    return ss_output_close(out, SS_OK);
}

static void keep_solution(job *j, const char *file, const char *solver,
                          const ss_stored_problem *content, const ss_solution *x)
{
    char path[4096];
    bool usable = x->outcome == SS_SOLVED || x->outcome == SS_INACCURATE || x->outcome == SS_LIMIT;
    solution_path(j, file, solver, path, sizeof path);
    if (!usable || !isfinite(x->residual)) {
        fprintf(stderr, "stickslip solve: %s: no solution to write: %s\n", file,
                ss_outcome_text(x->outcome));
        return;
    }
    if (x->outcome != SS_SOLVED) {
        fprintf(stderr, "stickslip solve: %s: not solved; %s gets the best point found\n", file,
                path);
    }
    ss_status status = write_solution(j, path, content, x->z);
    if (status != SS_OK) {
        fail(j, status);
    }
}

/* With several answers OUT is a folder, and no two files may claim the same name in it. */
static int prepare_solutions(const job *j)
{
    if (j->solution == NULL || !solution_is_folder(j)) {
        return -1;
    }
    if (mkdir(j->solution, 0777) != 0 && errno != EEXIST) {
        return ss_cli_usage("solve", "--solution %s: several answers need a folder: %s",
                            j->solution, strerror(errno));
    }
    struct stat info;
    if (stat(j->solution, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return ss_cli_usage("solve", "--solution %s: several answers need a folder, not a file",
                            j->solution);
    }
    for (size_t a = 0; a < j->files.count; a++) {
        for (size_t b = 0; b < a; b++) {
            const char *name = base_name(j->files.entries[a].path);
            if (strcmp(name, base_name(j->files.entries[b].path)) == 0) {
                return ss_cli_usage("solve",
                                    "--solution: two files are called %s; solve them "
                                    "one by one",
                                    name);
            }
        }
    }
    return -1;
}

/* ---- solving ---- */

/* The best time of `repeat` solves, each from the same start. */
static ss_status solve_once(job *j, ss_solver *s, const ss_stored_problem *content, ss_solution *x)
{
    const ss_problem *p = &content->problem;
    size_t            n = (size_t)ss_problem_size(p), nv = (size_t)ss_problem_size_v(p);
    double            best = INFINITY;
    for (int32_t k = 0; k < j->repeat; k++) {
        x->warm = j->warm && content->guess_z != NULL && (nv == 0 || content->guess_v != NULL);
        if (x->warm) {
            memcpy(x->z, content->guess_z, n * sizeof *x->z);
            memcpy(x->v, content->guess_v != NULL ? content->guess_v : x->v, nv * sizeof *x->v);
        }
        SS_TRY(ss_solve(s, p, x));
        best = fmin(best, x->seconds);
    }
    x->seconds = best;
    return SS_OK;
}

/* One file with one solver: a row, and perhaps a solution file. True when it was solved. */
static bool solve_with(job *j, size_t file, size_t which, const ss_stored_problem *content,
                       ss_solution *x)
{
    const char *path = j->files.entries[file].path, *name = j->solvers[which];
    ss_solver  *solver;
    ss_progress_update(&j->progress, (int64_t)(file * j->solver_count + which),
                       (int64_t)(j->files.count * j->solver_count), -1);
    ss_status status = make_solver(j, name, NULL, &solver);
    if (status == SS_OK) {
        status = solve_once(j, solver, content, x);
        ss_solver_destroy(solver);
    }
    if (status != SS_OK) {
        ss_progress_wipe(&j->progress);
        fail(j, status);
        return false;
    }
    print_row(j, path, &content->problem, name, x);
    if (j->solution != NULL) {
        keep_solution(j, path, name, content, x);
    }
    j->seconds[file * j->solver_count + which] = x->outcome == SS_SOLVED ? x->seconds : -1;
    return x->outcome == SS_SOLVED;
}

/* Convert: the problem as it is, with the solution when one was found. */
static void convert(job *j, const ss_stored_problem *content, const ss_solution *solved)
{
    ss_stored_problem copy = *content;
    if (solved != NULL) {
        copy.z = solved->z;
        copy.v = ss_problem_size_v(&content->problem) > 0 ? solved->v : NULL;
    }
    ss_status status = ss_problem_file_write(j->ctx, &copy, j->write, j->to);
    if (status != SS_OK) {
        fail(j, status);
    }
}

static void solve_content(job *j, size_t file, const ss_stored_problem *content)
{
    size_t      n      = (size_t)ss_problem_size(&content->problem);
    size_t      v      = (size_t)ss_problem_size_v(&content->problem);
    ss_solution x      = {.z = ss_alloc(j->ctx, n, sizeof(double)),
                          .v = ss_alloc(j->ctx, v, sizeof(double))};
    bool        solved = false;
    if (x.z != NULL && x.v != NULL) {
        for (size_t s = 0; s < j->solver_count; s++) {
            solved = solve_with(j, file, s, content, &x) || solved;
        }
        note_code(j, j->solver_count == 0 || solved ? SS_EXIT_DONE : SS_EXIT_NO);
        if (j->write != NULL) {
            convert(j, content, solved && j->solver_count == 1 ? &x : NULL);
        }
    } else {
        fail(j, ss_fail(j->ctx, SS_ERR_MEMORY, "%s: out of memory", j->files.entries[file].path));
    }
    ss_free(j->ctx, x.z, n * sizeof(double));
    ss_free(j->ctx, x.v, v * sizeof(double));
}

static void solve_file(job *j, size_t file)
{
    ss_problem_file *f;
    ss_status status = ss_problem_file_read(j->ctx, j->files.entries[file].path, j->format, &f);
    if (status != SS_OK) {
        ss_progress_wipe(&j->progress);
        fail(j, status);
        return;
    }
    solve_content(j, file, ss_problem_file_content(f));
    ss_problem_file_destroy(f);
}

/* ---- the command ---- */

/* Of a folder's files only problem files count: notes and figures may lie beside them. */
static void drop_other_files(job *j)
{
    size_t kept = 0, dropped = 0;
    for (size_t i = 0; i < j->files.count; i++) {
        ss_file_entry            entry  = j->files.entries[i];
        const ss_problem_format *format = NULL;
        if (entry.found && j->format == NULL &&
            ss_problem_file_recognise(j->ctx, entry.path, &format) == SS_OK && format == NULL) {
            free(entry.path);
            dropped++;
        } else {
            j->files.entries[kept++] = entry;
        }
    }
    j->files.count = kept;
    if (dropped > 0 && !j->quiet) {
        fprintf(stderr, "stickslip solve: left out %zu file%s that hold%s no problem\n", dropped,
                dropped == 1 ? "" : "s", dropped == 1 ? "s" : "");
    }
}

static int collect_files(job *j, const ss_arg_list *names)
{
    for (int i = 0; i < names->count; i++) {
        if (!ss_file_list_add(&j->files, names->items[i])) {
            return ss_cli_usage("solve", "%s: %s", names->items[i], strerror(errno));
        }
    }
    drop_other_files(j);
    if (j->files.count == 0) {
        return ss_cli_usage("solve", "there is no problem file to solve");
    }
    for (size_t i = 0; i < j->files.count; i++) {
        int length    = (int)strlen(j->files.entries[i].path);
        j->file_width = length > j->file_width ? length : j->file_width;
    }
    j->solver_width = 6;
    for (size_t s = 0; s < j->solver_count; s++) {
        int length      = (int)strlen(j->solvers[s]);
        j->solver_width = length > j->solver_width ? length : j->solver_width;
    }
    return -1;
}

static int check_usage(job *j, const ss_arg_list *names)
{
    if (names->count == 0) {
        return ss_cli_usage("solve", "name at least one problem file or folder");
    }
    if (j->write == NULL && strcmp(j->to, "stickslip") != 0) {
        return ss_cli_usage("solve", "--to FORMAT goes with --write OUT");
    }
    if (j->solvers_text == NULL && j->write != NULL) {
        return -1; /* convert only: no solver at all */
    }
    if (j->solvers_text == NULL) {
        j->solvers_text = "auto";
    }
    return split_solvers(j);
}

static void write_profile(job *j)
{
    ss_profile profile = {j->files.count, j->solver_count, j->solvers, j->seconds};
    ss_status  status  = ss_profile_write(j->ctx, &profile, j->profile);
    if (status != SS_OK) {
        fail(j, status);
    }
}

static void solve_all(job *j)
{
    size_t cells = j->files.count * j->solver_count;
    j->seconds   = ss_alloc(j->ctx, cells, sizeof *j->seconds);
    if (j->seconds == NULL) {
        fail(j, ss_fail(j->ctx, SS_ERR_MEMORY, "out of memory"));
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        j->seconds[i] = -1;
    }
    for (size_t i = 0; i < j->files.count; i++) {
        solve_file(j, i);
    }
    ss_progress_wipe(&j->progress);
    if (j->profile != NULL) {
        write_profile(j);
    }
    ss_free(j->ctx, j->seconds, cells * sizeof *j->seconds);
}

static int prepare(job *j, const ss_arg_list *names)
{
    int code = check_usage(j, names);
    if (code < 0) {
        ss_status status = check_solvers(j);
        code             = status == SS_OK ? -1 : ss_cli_fail(j->ctx, status);
    }
    if (code < 0) {
        code = collect_files(j, names);
    }
    if (code < 0 && j->write != NULL && j->files.count != 1) {
        code = ss_cli_usage("solve", "--write converts one file at a time");
    }
    return code < 0 ? prepare_solutions(j) : code;
}

static int solve_named(job *j, const ss_arg_list *names)
{
    if (j->list_options) {
        return list_options(j);
    }
    int code = prepare(j, names);
    if (code >= 0) {
        return code;
    }
    j->progress = ss_progress_start("solves", j->quiet);
    solve_all(j);
    return j->code;
}

static int run_job(job *j, int argc, char **argv)
{
    const ss_arg table[] = {
        {"--solver", SS_ARG_TEXT, &j->solvers_text, "S[,S...]", 0, 0,
         "solvers to use, see 'stickslip list' (default: auto)"},
        {"--tol", SS_ARG_REAL, &j->tol, "E", 0, 1, "largest residual that counts as solved"},
        {"--time-limit", SS_ARG_REAL, &j->time_limit, "S", 0, 1e9, "CPU seconds for each solve"},
        {"--set", SS_ARG_LIST, &j->sets, "OPTION=VALUE", 0, 0, "set an option of the solvers"},
        {"--list-options", SS_ARG_FLAG, &j->list_options, NULL, 0, 0,
         "print the options for --set"},
        {"--json", SS_ARG_FLAG, &j->json, NULL, 0, 0,
         "one JSON object a line instead of the table"},
        {"--solution", SS_ARG_TEXT, &j->solution, "OUT", 0, 0,
         "write z, or the reactions in the file's own order, one number\n"
         "                           a line; OUT is a folder for several files or solvers"},
        {"--format", SS_ARG_TEXT, &j->format, "F", 0, 0, "read every file in this format"},
        {"--warm", SS_ARG_FLAG, &j->warm, NULL, 0, 0,
         "start from the guess in the file, if it has one"},
        {"--repeat", SS_ARG_INT, &j->repeat, "N", 1, 1e6,
         "solve N times and report the shortest time"},
        {"--profile", SS_ARG_TEXT, &j->profile, "OUT.svg", 0, 0, "draw a performance profile"},
        {"--write", SS_ARG_TEXT, &j->write, "OUT", 0, 0,
         "convert the file; solves it too when --solver is given"},
        {"--to", SS_ARG_TEXT, &j->to, "F", 0, 0, "format of --write (default: stickslip)"},
        {"--quiet", SS_ARG_FLAG, &j->quiet, NULL, 0, 0, "no notes and no progress line"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec = {"solve", "FILE|DIR...", 0, INT32_MAX, description, table};
    ss_arg_list   names;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &names, &code)) {
        return code;
    }
    j->ctx                    = ss_cli_context(true);
    const ss_output outputs[] = {{"--solution", j->solution, ""},
                                 {"--profile", j->profile, ".svg"},
                                 {"--write", j->write, ""}};
    if (j->ctx == NULL) {
        ss_args_release(&spec, &names);
        return SS_EXIT_RESOURCES;
    }
    bool good = ss_cli_outputs("solve", names.items, names.count, outputs, 3);
    code      = good ? solve_named(j, &names) : SS_EXIT_USAGE;
    ss_args_release(&spec, &names);
    return code;
}

static int run(int argc, char **argv)
{
    job j    = {.tol = -1, .repeat = 1, .to = "stickslip"};
    int code = run_job(&j, argc, argv);
    ss_file_list_free(&j.files);
    ss_context_destroy(j.ctx);
    return code;
}

const ss_command ss_command_solve = {"solve", "solve problem files and certify the answers", run};
