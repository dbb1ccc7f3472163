/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip verify`: runs cases and prints each quantity beside what was expected. */
#include "verify/verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "colour.h"
#include "embedded.h"
#include "json.h"
#include "progress.h"
#include "verify/case_list.h"
#include "verify/verify_page.h"

static const char description[] =
    "Reproduces published numbers and closed solutions. Without CASE every quick case runs.\n"
    "Exit code 1 when a quantity is off, 3 when a step's certificate failed.";

#define SS_VERIFY_CASE(name) extern const ss_verify_case ss_verify_##name;
SS_VERIFY_CASE_LIST
#undef SS_VERIFY_CASE

static const ss_verify_case *const cases[] = {
#define SS_VERIFY_CASE(name) &ss_verify_##name,
    SS_VERIFY_CASE_LIST
#undef SS_VERIFY_CASE
};
enum { CASE_COUNT = (int)(sizeof cases / sizeof cases[0]) };

struct ss_verify {
    ss_context           *ctx;
    const ss_verify_case *now;
    ss_json               json;
    bool                  as_json, verbose, quiet;
    const char           *plots;  /* folder for figures; NULL: none */
    const char           *report; /* file of the page; NULL: none */
    ss_verify_page       *page;
    int                   checked, failed; /* quantities of all cases */
};

int ss_verify_case_count(void)
{
    return CASE_COUNT;
}

const ss_verify_case *ss_verify_case_at(int index)
{
    return index >= 0 && index < CASE_COUNT ? cases[index] : NULL;
}

/* ---- for cases ---- */

ss_context *ss_verify_context(const ss_verify *v)
{
    return v->ctx;
}

static void print_json(ss_verify *v, const char *quantity, double expected, double value,
                       double tolerance, bool pass)
{
    ss_json_open_object(&v->json, NULL);
    ss_json_text(&v->json, "case", v->now->name);
    ss_json_text(&v->json, "source", v->now->source);
    ss_json_text(&v->json, "quantity", quantity);
    ss_json_real(&v->json, "expected", expected);
    ss_json_real(&v->json, "value", value);
    ss_json_real(&v->json, "tolerance", tolerance);
    ss_json_bool(&v->json, "pass", pass);
    ss_json_close_object(&v->json);
}

void ss_verify_near(ss_verify *v, double expected, double value, double tolerance,
                    const char *quantity, ...)
{
    char    text[160];
    va_list args;
    va_start(args, quantity);
    vsnprintf(text, sizeof text, quantity, args);
    va_end(args);
    bool pass = fabs(value - expected) <= tolerance; /* false for what is not a number */
    v->checked++;
    v->failed += !pass;
    ss_verify_page_quantity(v->page, &(ss_verify_quantity){text, expected, value, tolerance, pass});
    if (v->as_json) {
        print_json(v, text, expected, value, tolerance, pass);
    } else if (!v->quiet && (!pass || v->verbose)) {
        printf("  ");
        ss_cli_coloured(stdout, pass ? SS_GOOD : SS_BAD, pass ? "ok  " : "OFF ");
        printf(" %-52s %15.9g  expected %.9g (+- %.1g)\n", text, value, expected, tolerance);
    }
}

static ss_status add_figure(ss_verify *v, const ss_plot *plots, int32_t count)
{
    char  *text = NULL;
    size_t size = 0;
    FILE  *out  = open_memstream(&text, &size);
    if (out == NULL) {
        return ss_fail(v->ctx, SS_ERR_MEMORY, "no memory for a figure");
    }
    ss_status status = ss_plot_print(v->ctx, plots, count, out);
    if (fclose(out) == 0 && status == SS_OK) {
        ss_verify_page_figure(v->page, text);
    }
    free(text);
    return status;
}

ss_status ss_verify_plot(ss_verify *v, const char *name, const ss_plot *plots, int32_t count)
{
    if (v->page != NULL) {
        SS_TRY(add_figure(v, plots, count));
    }
    if (v->plots == NULL) {
        return SS_OK;
    }
    char path[1024];
    snprintf(path, sizeof path, "%.900s/%.100s.svg", v->plots, name);
    return ss_plot_write(v->ctx, plots, count, path);
}

static const ss_embedded *find_scene(const char *name)
{
    const ss_embedded *e = ss_embedded_scenes;
    while (e->name != NULL && strcmp(e->name, name) != 0) {
        e++;
    }
    return e->name != NULL ? e : NULL;
}

ss_status ss_verify_open(ss_verify *v, const char *scene, const char *const *overrides,
                         ss_verify_world *out)
{
    const ss_embedded *e     = find_scene(scene);
    int32_t            count = 0;
    *out                     = (ss_verify_world){NULL, NULL, NULL};
    if (e == NULL) {
        return ss_fail(v->ctx, SS_ERR_INTERNAL, "there is no built-in scene '%s'", scene);
    }
    while (overrides != NULL && overrides[count] != NULL) {
        count++;
    }
    ss_status status =
        ss_scene_load_text(v->ctx, e->text, e->length, scene, overrides, count, &out->scene);
    if (status == SS_OK) {
        status = ss_model_compile(v->ctx, out->scene, &out->model);
    }
    if (status == SS_OK) {
        status = ss_data_create(v->ctx, out->model, &out->data);
    }
    if (status != SS_OK) {
        ss_verify_close(out);
    }
    return status;
}

void ss_verify_close(ss_verify_world *w)
{
    ss_data_destroy(w->data);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
    *w = (ss_verify_world){NULL, NULL, NULL};
}

ss_status ss_verify_steps(ss_verify *v, ss_verify_world *w, double h, int64_t count)
{
    (void)v;
    for (int64_t i = 0; i < count; i++) {
        SS_TRY(ss_step(w->model, w->data, h));
    }
    return SS_OK;
}

ss_status ss_verify_routes(ss_verify *v, ss_verify_world *w, const char *body, double h,
                           int64_t count, double unknowns, double tolerance)
{
    enum { BODIES = 8 };
    ss_body_motion motion[BODIES] = {{{0, 0, 0}, {0, 0, 0}}};
    ss_mcp_step    posed          = {0};
    int32_t        index          = ss_model_find_body(w->model, body).index1 - 1;
    double         most = 0, differ = 0;
    for (int64_t i = 0; i < count && ss_model_body_count(w->model) <= BODIES; i++) {
        SS_TRY(ss_analyze_implicit(w->model, w->data, h, motion, &posed));
        SS_TRY(ss_step(w->model, w->data, h));
        ss_body_state s = ss_verify_body(w, body);
        ss_vec3       x = ss_sub(s.velocity, motion[index].velocity);
        ss_vec3       y = ss_sub(s.angular_velocity, motion[index].angular_velocity);
        most            = posed.unknowns > most ? posed.unknowns : most;
        differ          = fmax(differ, fmax(ss_norm(x), ss_norm(y)));
    }
    ss_verify_near(v, unknowns, most, 0, "unknowns of the complementarity problem (3.82), (3.83)");
    ss_verify_near(v, 0, differ, tolerance, "rounds against that problem, %d steps (m/s, rad/s)",
                   (int)count);
    return SS_OK;
}

ss_body_state ss_verify_body(const ss_verify_world *w, const char *name)
{
    ss_body_state s;
    ss_data_body(w->model, w->data, ss_model_find_body(w->model, name).index1 - 1, &s);
    return s;
}

/* ---- the command ---- */

static const ss_verify_case *find_case(const char *name)
{
    for (int i = 0; i < CASE_COUNT; i++) {
        if (strcmp(cases[i]->name, name) == 0) {
            return cases[i];
        }
    }
    return NULL;
}

static int unknown_case(const char *name)
{
    const char *names[CASE_COUNT];
    for (int i = 0; i < CASE_COUNT; i++) {
        names[i] = cases[i]->name;
    }
    const char *near = ss_nearest_name(name, names, CASE_COUNT);
    if (near != NULL) {
        return ss_cli_usage("verify", "there is no case '%s'; did you mean '%s'?", name, near);
    }
    return ss_cli_usage("verify", "there is no case '%s'", name);
}

static void list_cases(bool as_json)
{
    ss_json json = ss_json_start(stdout, false);
    if (as_json) {
        ss_json_open_array(&json, NULL);
    }
    for (int i = 0; i < CASE_COUNT; i++) {
        const ss_verify_case *c = cases[i];
        if (as_json) {
            ss_json_open_object(&json, NULL);
            ss_json_text(&json, "case", c->name);
            ss_json_text(&json, "source", c->source);
            ss_json_text(&json, "summary", c->summary);
            ss_json_bool(&json, "slow", c->slow);
            ss_json_close_object(&json);
        } else {
            printf("%-20s %s (%s)%s\n", c->name, c->summary, c->source, c->slow ? " [slow]" : "");
        }
    }
    if (as_json) {
        ss_json_close_array(&json);
        ss_json_end(&json);
    }
}

/* Runs one case; the status tells whether it could run, not whether its numbers are right. */
static ss_status run_case(ss_verify *v, const ss_verify_case *c)
{
    int checked = v->checked, failed = v->failed;
    v->now           = c;
    ss_status status = c->run(v);
    if (status == SS_OK && v->checked == checked) {
        status = ss_fail(v->ctx, SS_ERR_INTERNAL, "case '%s' checked nothing", c->name);
    }
    ss_verify_page_case(v->page, c);
    if (!v->as_json && !v->quiet) {
        printf("%-20s %d of %d quantities right%s\n", c->name,
               v->checked - checked - (v->failed - failed), v->checked - checked,
               status == SS_OK ? "" : "; did not finish");
    }
    return status;
}

static int run_cases(ss_verify *v, const ss_arg_list *names, bool all)
{
    int code = SS_EXIT_DONE;
    for (int i = 0; i < (names->count > 0 ? names->count : CASE_COUNT); i++) {
        const ss_verify_case *c = names->count > 0 ? find_case(names->items[i]) : cases[i];
        if (names->count == 0 && c->slow && !all) {
            continue;
        }
        ss_status status = run_case(v, c);
        if (status != SS_OK) {
            int failed = ss_cli_fail(v->ctx, status);
            code       = failed > code ? failed : code;
        }
    }
    return code == SS_EXIT_DONE && v->failed > 0 ? SS_EXIT_NO : code;
}

static int run_all(ss_verify *v, const ss_arg_list *names, bool all)
{
    for (int i = 0; i < names->count; i++) {
        if (find_case(names->items[i]) == NULL) {
            return unknown_case(names->items[i]);
        }
    }
    v->ctx = ss_cli_context(v->quiet);
    if (v->ctx == NULL) {
        return SS_EXIT_RESOURCES;
    }
    ss_status status = ss_verify_page_open(v->ctx, v->report, &v->page);
    if (status != SS_OK) {
        int code = ss_cli_fail(v->ctx, status);
        ss_context_destroy(v->ctx);
        return code;
    }
    v->json = ss_json_start(stdout, false);
    if (v->as_json) {
        ss_json_open_array(&v->json, NULL);
    }
    int code = run_cases(v, names, all);
    if (v->as_json) {
        ss_json_close_array(&v->json);
        ss_json_end(&v->json);
    } else if (!v->quiet) {
        printf("%d quantities, %d off\n", v->checked, v->failed);
    }
    status = ss_verify_page_close(v->page, v->checked, v->failed, SS_OK);
    if (status != SS_OK) {
        code = ss_cli_fail(v->ctx, status);
    }
    ss_context_destroy(v->ctx);
    return code;
}

static int run(int argc, char **argv)
{
    bool         list = false, all = false;
    ss_verify    v       = {0};
    const ss_arg table[] = {
        {"--list", SS_ARG_FLAG, &list, NULL, 0, 0, "name the cases and run none"},
        {"--all", SS_ARG_FLAG, &all, NULL, 0, 0, "the slow cases too"},
        {"--verbose", SS_ARG_FLAG, &v.verbose, NULL, 0, 0, "every quantity, not only wrong ones"},
        {"--plots", SS_ARG_TEXT, &v.plots, "DIR", 0, 0,
         "draw the figures of the cases that have some, as SVG into this folder"},
        {"--report", SS_ARG_TEXT, &v.report, "FILE", 0, 0,
         "a page of all quantities, with these figures"},
        {"--json", SS_ARG_FLAG, &v.as_json, NULL, 0, 0, "one array with an object a quantity"},
        {"--quiet", SS_ARG_FLAG, &v.quiet, NULL, 0, 0, "nothing but errors"},
        SS_ARG_END};
    const ss_args spec = {"verify", "[CASE..]", 0, 1000, description, table};
    ss_arg_list   names;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &names, &code)) {
        return code;
    }
    if (list) {
        list_cases(v.as_json);
        code = SS_EXIT_DONE;
    } else {
        code = run_all(&v, &names, all);
    }
    ss_args_release(&spec, &names);
    return code;
}

const ss_command ss_command_verify = {"verify", "reproduce published numbers", run};
