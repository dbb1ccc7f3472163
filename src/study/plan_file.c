/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: making, judging, writing and reading them. The search itself is plan.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/constants.h"
#include "core/context.h"
#include "core/input.h"
#include "stickslip/output.h"
#include "study/plan_search.h"
#include "study/trials.h"

/* ---- making one ---- */

static ss_status read_method(ss_plan *p)
{
    static const ss_key keys[] = {
        SS_KEY_ROW("samples", SS_KEY_INT, ss_plan_method, samples, .low = 1, .high = 1e6),
        SS_KEY_ROW("width", SS_KEY_INT, ss_plan_method, width, .low = 1, .high = 1e5),
        SS_KEY_ROW("refine", SS_KEY_INT, ss_plan_method, refine, .low = 1, .high = 1e5),
        SS_KEY_ROW("steps", SS_KEY_INT, ss_plan_method, steps, .low = 0, .high = 1e4), SS_KEY_END};
    ss_decoder d = {.ctx = p->ctx, .pool = &p->scratch, .dimension = p->study->dimension};
    p->method    = (ss_plan_method){200, 12, 4, 15};
    if (p->study->method == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(&d, "method", p->study->method, SS_NODE_MAP));
    return ss_decode_map(&d, keys, p->study->method, &p->method);
}

static int32_t thread_count(const ss_plan_def *def)
{
#ifdef SS_HAVE_OPENMP
    int32_t wanted = def->threads > 0 ? def->threads : omp_get_max_threads();
    return wanted < SS_THREADS_MAX ? wanted : SS_THREADS_MAX;
#else
    (void)def;
    return 1;
#endif
}

static ss_status start_workers(ss_plan *p)
{
    int32_t count = thread_count(p->def);
    p->workers    = ss_alloc(p->ctx, (size_t)count, sizeof *p->workers);
    if (p->workers == NULL) {
        return ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
    }
    p->worker_count = count;
    for (int32_t i = 0; i < count; i++) {
        ss_status status = ss_plan_worker_start(p->ctx, p->study, &p->workers[i]);
        if (status != SS_OK) {
            return ss_fail(p->ctx, status, "out of memory");
        }
        p->workers[i].interrupt = p->def->interrupt;
    }
    return SS_OK;
}

static void end_workers(ss_plan *p)
{
    for (int32_t i = 0; p->workers != NULL && i < p->worker_count; i++) {
        ss_plan_worker_end(&p->workers[i]);
    }
    ss_free(p->ctx, p->workers, (size_t)p->worker_count * sizeof *p->workers);
    p->workers = NULL;
}

/* ---- judging ---- */

static bool reaches(const ss_plan *p, const ss_plan_node *n, int32_t run)
{
    for (int32_t g = 0; g < p->study->goal_count; g++) {
        if (!(fabs(ss_plan_error_of(p, n, run, g)) <= 1)) {
            return false;
        }
    }
    return true;
}

/* The plan as it stands, its numbers fixed, in all runs on the last rung. */
static ss_status judge(ss_plan *p, ss_plan_node *n)
{
    int32_t last = p->study->rung_count - 1;
    p->fixed     = true;
    p->judging   = true;
    SS_TRY(ss_plan_root(p, last, n));
    return ss_plan_follow_all(p, &n, 1, last, 0);
}

static ss_status make(ss_context *ctx, const ss_study *s, const ss_plan_def *def, ss_plan **out)
{
    ss_plan *p = ss_alloc(ctx, 1, sizeof *p);
    if (p == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    *p      = (ss_plan){.ctx = ctx, .study = s, .def = def, .scratch = {.ctx = ctx}};
    p->runs = ss_plan_runs(s);
    *out    = p;
    p->best = ss_plan_node_new(p);
    if (p->best == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    p->best->worst = INFINITY;
    SS_TRY(read_method(p));
    return start_workers(p);
}

/* Trials that the search did not see: other random numbers, drawn one by one. */
static ss_status check_fresh(ss_plan *p)
{
    ss_study          view  = *p->study;
    ss_plan          *fresh = NULL;
    const ss_plan_def def   = {.threads = p->def->threads, .interrupt = p->def->interrupt};
    if (p->study->check == 0 || p->study->variable_count == 0) {
        return SS_OK;
    }
    view.seed        = p->study->seed + 1;
    view.trials      = p->study->check;
    view.sampling    = SS_SAMPLING_RANDOM;
    ss_status status = make(p->ctx, &view, &def, &fresh);
    if (status == SS_OK) {
        memcpy(fresh->best->steps, p->best->steps, sizeof fresh->best->steps);
        fresh->best->length = p->best->length;
        status              = judge(fresh, fresh->best);
    }
    for (int32_t i = 1; status == SS_OK && i < fresh->runs; i++) {
        p->checked++;
        p->good += reaches(fresh, fresh->best, i);
    }
    if (fresh != NULL) {
        end_workers(fresh);
    }
    ss_plan_destroy(fresh);
    return status;
}

static ss_status check_kind(ss_context *ctx, const ss_study *s, const ss_plan_def *def,
                            ss_plan **out)
{
    if (ctx == NULL || s == NULL || def == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a plan needs a context, a study and a definition");
    }
    *out = NULL;
    return s->kind == SS_STUDY_PLAN
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT, "%s: this study is no `plan`", s->path);
}

static ss_status finish(ss_plan *p, ss_status status, ss_plan **out)
{
    if (p != NULL) {
        end_workers(p);
        p->def = NULL;
    }
    if (status != SS_OK) {
        ss_plan_destroy(p);
        return status;
    }
    *out = p;
    return SS_OK;
}

ss_status ss_study_plan(ss_context *ctx, const ss_study *s, const ss_plan_def *def, ss_plan **out)
{
    ss_plan *p = NULL;
    SS_TRY(check_kind(ctx, s, def, out));
    ss_status status = make(ctx, s, def, &p);
    if (status == SS_OK) {
        status = ss_plan_journal_open(p);
    }
    if (status == SS_OK) {
        status = ss_plan_search(p);
        ss_plan_journal_close(p);
    }
    if (status == SS_OK && p->best->length == 0) {
        status =
            ss_fail(ctx, SS_ERR_INPUT, "%s: every sequence of actions that was tried failed: %s",
                    s->path, ss_context_message(p->workers[0].ctx));
    }
    if (status == SS_OK) {
        status = judge(p, p->best);
    }
    if (status == SS_OK) {
        status = check_fresh(p);
    }
    return finish(p, status, out);
}

void ss_plan_destroy(ss_plan *p)
{
    if (p != NULL) {
        ss_context *ctx = p->ctx;
        ss_plan_node_free(p, p->best);
        ss_pool_free(&p->scratch);
        ss_free(ctx, p, sizeof *p);
    }
}

/* ---- files ---- */

static const char header[] = "step,action,number,value\n";

ss_status ss_plan_write(const ss_plan *p, const char *path)
{
    if (p == NULL || path == NULL) {
        return SS_ERR_ARGUMENT;
    }
    ss_output_file *out;
    SS_TRY(ss_output_open(p->ctx, path, &out));
    FILE *f = ss_output_stream(out);
    fputs(header, f);
    for (int32_t k = 0; k < ss_plan_length(p); k++) {
        for (int32_t i = 0; i < ss_plan_number_count(p, k); i++) {
            fprintf(f, "%d,%s,%s,%.17g\n", (int)k + 1, ss_plan_action(p, k),
                    ss_plan_number_name(p, k, i), ss_plan_number(p, k, i));
        }
    }
    return ss_output_close(out, SS_OK);
}

static int32_t find_action(const ss_study *s, const char *name)
{
    for (int32_t i = 0; i < s->action_count; i++) {
        if (strcmp(s->actions[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The place of a number among those of an action; NULL: it has none of that name. */
static double *find_number(const ss_study *s, ss_plan_step *step, const char *name)
{
    const ss_action *a = &s->actions[step->action];
    for (int32_t i = 0; i < a->choice_count; i++) {
        if (strcmp(a->choices[i].path, name) == 0) {
            return &step->x[i];
        }
    }
    for (int32_t i = 0; i < a->set_count; i++) {
        if (strcmp(s->measures[a->set_first + i].name, name) == 0) {
            return &step->set[i];
        }
    }
    return NULL;
}

static ss_status read_line(ss_plan *p, const char *path, int line, char *text)
{
    char    action[256], number[256], rest[64];
    int     step  = 0;
    double  value = 0;
    double *place = NULL;
    if (sscanf(text, "%d,%255[^,],%255[^,],%63s", &step, action, number, rest) == 4) {
        char *end = NULL;
        value     = strtod(rest, &end);
        int32_t a = *end == '\0' && isfinite(value) ? find_action(p->study, action) : -1;
        if (a >= 0 && step >= 1 && step <= SS_PLAN_LENGTH &&
            (step == p->best->length || step == p->best->length + 1)) {
            p->best->length                 = step;
            p->best->steps[step - 1].action = a;
            place = find_number(p->study, &p->best->steps[step - 1], number);
        }
    }
    if (place == NULL) {
        return ss_fail(p->ctx, SS_ERR_INPUT, "%s:%d: this is no number of a plan of this study",
                       path, line);
    }
    *place = value;
    return SS_OK;
}

/* Every number that a step needs must be there: NaN marks what is missing. */
static ss_status read_lines(ss_plan *p, const char *path, FILE *f)
{
    char line[1024];
    int  count = 1;
    if (fgets(line, sizeof line, f) == NULL || strcmp(line, header) != 0) {
        return ss_fail(p->ctx, SS_ERR_INPUT, "%s: it is no plan: its first line must be %s", path,
                       header);
    }
    for (int32_t k = 0; k < SS_PLAN_LENGTH; k++) {
        for (int32_t i = 0; i < SS_PLAN_CHOICES; i++) {
            p->best->steps[k].x[i] = p->best->steps[k].set[i] = NAN;
        }
    }
    while (fgets(line, sizeof line, f) != NULL) {
        SS_TRY(read_line(p, path, ++count, line));
    }
    for (int32_t k = 0; k < p->best->length; k++) {
        for (int32_t i = 0; i < ss_plan_number_count(p, k); i++) {
            if (isnan(ss_plan_number(p, k, i))) {
                return ss_fail(p->ctx, SS_ERR_INPUT, "%s: step %d has no %s", path, (int)k + 1,
                               ss_plan_number_name(p, k, i));
            }
        }
    }
    return p->best->length > 0 ? SS_OK
                               : ss_fail(p->ctx, SS_ERR_INPUT, "%s: the plan is empty", path);
}

ss_status ss_study_plan_read(ss_context *ctx, const ss_study *s, const char *path,
                             const ss_plan_def *def, ss_plan **out)
{
    ss_plan *p = NULL;
    SS_TRY(check_kind(ctx, s, def, out));
    FILE *f = NULL;
    SS_TRY(ss_input_stream(ctx, path, SS_INPUT_ANY_SIZE, &f));
    ss_status status = make(ctx, s, def, &p);
    if (status == SS_OK) {
        status = read_lines(p, path, f);
    }
    fclose(f);
    if (status == SS_OK) {
        status = judge(p, p->best);
    }
    if (status == SS_OK) {
        status = check_fresh(p);
    }
    return finish(p, status, out);
}

/* ---- what it says ---- */

bool ss_plan_found(const ss_plan *p)
{
    return p != NULL && p->best->length > 0 && p->best->worst <= 1;
}

int32_t ss_plan_length(const ss_plan *p)
{
    return p != NULL ? p->best->length : 0;
}

static const ss_action *action_at(const ss_plan *p, int32_t step)
{
    return step >= 0 && step < ss_plan_length(p) ? &p->study->actions[p->best->steps[step].action]
                                                 : NULL;
}

const char *ss_plan_action(const ss_plan *p, int32_t step)
{
    const ss_action *a = action_at(p, step);
    return a != NULL ? a->name : NULL;
}

int32_t ss_plan_number_count(const ss_plan *p, int32_t step)
{
    const ss_action *a = action_at(p, step);
    return a != NULL ? a->choice_count + a->set_count : 0;
}

const char *ss_plan_number_name(const ss_plan *p, int32_t step, int32_t number)
{
    if (number < 0 || number >= ss_plan_number_count(p, step)) {
        return NULL;
    }
    const ss_action *a = action_at(p, step);
    return number < a->choice_count
               ? a->choices[number].path
               : p->study->measures[a->set_first + number - a->choice_count].name;
}

double ss_plan_number(const ss_plan *p, int32_t step, int32_t number)
{
    if (number < 0 || number >= ss_plan_number_count(p, step)) {
        return NAN;
    }
    const ss_action    *a = action_at(p, step);
    const ss_plan_step *x = &p->best->steps[step];
    return number < a->choice_count ? x->x[number] : x->set[number - a->choice_count];
}

int64_t ss_plan_simulated(const ss_plan *p)
{
    return p != NULL ? p->simulated : 0;
}

int32_t ss_plan_run_count(const ss_plan *p)
{
    return p != NULL ? p->runs : 0;
}

int32_t ss_plan_goal_count(const ss_plan *p)
{
    return p != NULL ? p->study->goal_count : 0;
}

const char *ss_plan_goal_name(const ss_plan *p, int32_t goal)
{
    return goal >= 0 && goal < ss_plan_goal_count(p)
               ? p->study->measures[p->study->goals[goal].measure].name
               : NULL;
}

double ss_plan_error(const ss_plan *p, int32_t run, int32_t goal)
{
    if (run < 0 || run >= ss_plan_run_count(p) || goal < 0 || goal >= ss_plan_goal_count(p)) {
        return NAN;
    }
    double e = ss_plan_error_of(p, p->best, run, goal);
    return isfinite(e) ? e : NAN;
}

ss_estimate ss_plan_check(const ss_plan *p)
{
    return ss_estimate_share(p != NULL ? p->good : 0, p != NULL ? p->checked : 0);
}
