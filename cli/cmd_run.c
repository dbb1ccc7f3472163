/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip run`: simulate a scene, print what came out, record it where asked. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "colour.h"
#include "convergence.h"
#include "dump_problem.h"
#include "futures.h"
#include "json.h"
#include "outputs.h"
#include "plugin_args.h"
#include "progress.h"
#include "run_events.h"
#include "scene_args.h"
#include "stickslip/series.h"
#include "text_plot.h"
#include "witness.h"

static const char description[] =
    "Simulates a scene: a YAML file, or builtin:NAME (see 'stickslip list'). Every step is\n"
    "certified by independent code; a step that fails its certificate ends the run with exit\n"
    "code 3 unless the scene's on_failure says otherwise. Ctrl-C leaves valid files.";

enum { RECORD_MAX = 8, RECORDERS_MAX = 7 + RECORD_MAX, COMPARE_MAX = 8 };

typedef struct job {
    ss_scene_args scene_args;
    const char   *csv, *joints, *contacts, *out, *page, *problem;
    const char   *measured, *columns;
    ss_arg_list   record;      /* NAME=FILE */
    ss_arg_list   compare;     /* models */
    const char   *convergence; /* steps, or NULL */
    bool          branch;
    int32_t       branch_most, branch_depth;
    bool          ranges;
    bool          json, quiet;
    int32_t       threads;
    /* made from it */
    ss_context      *ctx;
    ss_scene_source *source; /* parsed once, for all runs */
    ss_scene        *scene;
    ss_model        *model;
    ss_data         *data;
    ss_recorder     *recorders[RECORDERS_MAX];
    int32_t          recorder_count;
    ss_recorder     *plot, *dump;
    ss_progress      progress;
    ss_run_result    result;
    ss_run_events    events;
    ss_report       *report; /* of several runs */
    ss_measured     *seen;
    ss_comparison    comparisons[COMPARE_MAX];
} job;

/* ---- making ---- */

static ss_status add_recorder(job *j, const char *class_name, const char *path)
{
    if (path == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_recorder_create(j->ctx, class_name, path, &j->recorders[j->recorder_count]));
    j->recorder_count++;
    return SS_OK;
}

/* --record NAME=FILE */
static ss_status add_named(job *j, const char *text)
{
    char        name[64];
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0' ||
        (size_t)(equals - text) >= sizeof name) {
        return ss_fail(j->ctx, SS_ERR_INPUT,
                       "--record: expected NAME=FILE with the name of a recorder, got '%s'", text);
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    if (ss_recorder_find(j->ctx, name) == NULL) {
        const char *names[64];
        int32_t     count = 0;
        for (; count < ss_recorder_count(j->ctx) && count < 64; count++) {
            names[count] = ss_recorder_at(j->ctx, count)->name;
        }
        const char *near = ss_nearest_name(name, names, count);
        return ss_fail(j->ctx, SS_ERR_INPUT,
                       "--record: there is no recorder '%s'%s%s%s (see 'stickslip list')", name,
                       near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                       near != NULL ? "'?" : "");
    }
    return add_recorder(j, name, equals + 1);
}

static ss_status add_plot(job *j)
{
    SS_TRY(ss_recorder_create_class(j->ctx, &ss_recorder_text_plot, "",
                                    &j->recorders[j->recorder_count]));
    j->plot = j->recorders[j->recorder_count++];
    return SS_OK;
}

static ss_status add_dump(job *j)
{
    if (j->problem == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_recorder_create_class(j->ctx, &ss_recorder_dump_problem, j->problem,
                                    &j->recorders[j->recorder_count]));
    j->dump = j->recorders[j->recorder_count++];
    return SS_OK;
}

/* One run writes its own page; runs that are compared share one, written when all are done, and so
   does one beside which something measured is shown. */
static ss_status add_page(job *j)
{
    if ((j->compare.count == 0 && j->measured == NULL) || j->page == NULL) {
        return add_recorder(j, "report", j->page);
    }
    const char *label = j->scene_args.model != NULL ? j->scene_args.model
                        : j->compare.count > 0      ? "as in the scene"
                                                    : "run";
    SS_TRY(ss_output_test(j->ctx, j->page));
    SS_TRY(ss_report_create(j->ctx, &j->report));
    SS_TRY(ss_report_recorder(j->report, label, &j->recorders[j->recorder_count]));
    j->recorder_count++;
    return SS_OK;
}

static ss_status make(job *j, const char *scene_name)
{
    ss_variant v;
    /* models that are compared take the place of --model, steps of a series are under it */
    ss_scene_args args = j->scene_args;
    args.model         = j->convergence != NULL ? args.model : NULL;
    SS_TRY(ss_cli_scene_source(j->ctx, scene_name, &args, &j->source));
    ss_status status = ss_variant_make_model(j->ctx, j->source, j->scene_args.model, &v);
    j->scene         = v.scene;
    j->model         = v.model;
    j->data          = v.data;
    SS_TRY(status);
    if (j->measured != NULL) {
        SS_TRY(ss_measured_read(j->ctx, j->model, j->measured, j->columns, &j->seen));
    }
    SS_TRY(add_recorder(j, "csv", j->csv));
    SS_TRY(add_recorder(j, "joints", j->joints));
    SS_TRY(add_recorder(j, "contacts", j->contacts));
    SS_TRY(add_recorder(j, "hdf5", j->out));
    SS_TRY(add_page(j));
    SS_TRY(add_dump(j));
    for (int32_t i = 0; i < j->record.count; i++) {
        SS_TRY(add_named(j, j->record.items[i]));
    }
    return j->json || j->quiet ? SS_OK : add_plot(j);
}

static void release(job *j)
{
    for (int32_t i = 0; i < j->recorder_count; i++) {
        ss_recorder_destroy(j->recorders[i]);
    }
    ss_report_destroy(j->report);
    ss_measured_destroy(j->seen);
    ss_data_destroy(j->data);
    ss_model_destroy(j->model);
    ss_scene_destroy(j->scene);
    ss_scene_source_destroy(j->source);
    ss_context_destroy(j->ctx);
}

static void show_progress(void *user, const ss_run_result *so_far, int64_t total)
{
    ss_progress_update(user, so_far->steps, total, so_far->residual_max);
}

static ss_status collect_events(void *user, const ss_model *m, const ss_data *d, bool *stop)
{
    (void)stop;
    return ss_run_events_add(user, m, d);
}

static ss_status simulate(job *j)
{
    SS_TRY(ss_data_set_threads(j->data, j->threads));
    ss_run_def def     = ss_run_def_default();
    def.recorders      = j->recorders;
    def.recorder_count = j->recorder_count;
    def.scene_name     = ss_scene_name(j->scene);
    def.scene_path     = ss_scene_path(j->scene);
    def.scene_text     = ss_scene_text(j->scene);
    def.resolved       = ss_scene_resolved(j->scene);
    def.timed          = j->out != NULL || j->page != NULL;
    def.ranges         = j->ranges;
    def.interrupt      = ss_cli_catch_interrupt();
    def.progress       = show_progress;
    def.progress_user  = &j->progress;
    def.watch          = collect_events;
    def.watch_user     = &j->events;
    j->progress        = ss_progress_start("steps", j->quiet);
    ss_status status   = ss_run(j->ctx, j->model, j->data, &def, &j->result);
    ss_progress_end(&j->progress);
    return status;
}

/* The other models, each a run of its own. */
static ss_status compare(job *j)
{
    const ss_variant first = {0, j->scene, j->model, j->data};
    ss_run_def       def   = ss_run_def_default();
    def.timed              = true;
    def.interrupt          = ss_cli_catch_interrupt();
    def.progress           = show_progress;
    def.progress_user      = &j->progress;
    for (int32_t i = 0; i < j->compare.count; i++) {
        j->progress      = ss_progress_start("steps", j->quiet);
        ss_status status = ss_series_compare(j->ctx, j->source, j->compare.items[i], &first, &def,
                                             j->report, &j->comparisons[i]);
        ss_progress_end(&j->progress);
        SS_TRY(status);
    }
    return SS_OK;
}

/* Runs that ended early are worth a look, too. */
static bool is_kept(ss_status status)
{
    return status == SS_OK || status == SS_ERR_CERTIFICATE || status == SS_ERR_INTERRUPTED;
}

/* The page of all runs, with what was measured. */
static ss_status write_page(job *j)
{
    if (j->report == NULL) {
        return SS_OK;
    }
    for (int32_t i = 0; j->seen != NULL && i < ss_report_run_count(j->report); i++) {
        SS_TRY(ss_report_measured(j->report, i, j->seen));
    }
    return ss_report_write(j->report, j->page);
}

/* ---- results as JSON ---- */

static void json_comparisons(ss_json *out, const job *j)
{
    if (j->compare.count == 0) {
        return;
    }
    ss_json_open_array(out, "compare");
    for (int32_t i = 0; i < j->compare.count; i++) {
        const ss_comparison *c = &j->comparisons[i];
        if (c->model == NULL) { /* the run itself did not come to its end */
            continue;
        }
        ss_json_open_object(out, NULL);
        ss_json_text(out, "model", c->model);
        ss_json_bool(out, "certified", c->certified);
        ss_json_int(out, "steps", c->result.steps);
        ss_json_real(out, "wall_seconds", c->result.wall_seconds);
        ss_json_real(out, "residual_max", c->result.residual_max);
        ss_json_real(out, "distance", c->distance);
        ss_json_text(out, "body", c->body[0] != '\0' ? c->body : NULL);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

static void json_vector(ss_json *out, const char *key, ss_vec3 v, int dimension)
{
    double x[] = {v.x, v.y, v.z};
    ss_json_reals(out, key, x, dimension);
}

static void json_body(ss_json *out, const job *j, int32_t body)
{
    int           dimension = ss_model_dimension(j->model);
    ss_body_state s;
    ss_data_body(j->model, j->data, body, &s);
    ss_json_open_object(out, ss_model_body_name(j->model, body));
    json_vector(out, "position", s.position, dimension);
    if (dimension == 2) {
        ss_json_real(out, "angle", s.angle);
    } else {
        double q[] = {s.quat_wxyz.w, s.quat_wxyz.x, s.quat_wxyz.y, s.quat_wxyz.z};
        ss_json_reals(out, "quat_wxyz", q, 4);
    }
    json_vector(out, "velocity", s.velocity, dimension);
    if (dimension == 2) {
        ss_json_real(out, "angular_velocity", s.angular_velocity.z);
    } else {
        json_vector(out, "angular_velocity", s.angular_velocity, 3);
    }
    ss_json_close_object(out);
}

static void json_joint(ss_json *out, const job *j, int32_t joint)
{
    ss_joint_info x;
    ss_data_joint(j->model, j->data, joint, &x);
    const struct {
        const char   *key;
        const double *values;
    } along[]     = {{"value", x.value}, {"rate", x.rate},   {"friction", x.friction},
                     {"motor", x.motor}, {"limit", x.limit}, {"spring", x.spring}};
    int dimension = ss_model_dimension(j->model);
    ss_json_open_object(out, ss_model_joint_name(j->model, joint));
    json_vector(out, "force", x.force, dimension);
    if (dimension == 2) {
        ss_json_real(out, "torque", x.torque.z);
    } else {
        json_vector(out, "torque", x.torque, 3);
    }
    ss_json_bool(out, "unique", x.unique);
    ss_json_real(out, "error", x.error);
    for (size_t i = 0; i < sizeof along / sizeof along[0]; i++) {
        ss_json_reals(out, along[i].key, along[i].values, x.coordinates);
    }
    ss_json_close_object(out);
}

static void json_joints(ss_json *out, const job *j)
{
    ss_json_open_object(out, "joints");
    for (int32_t i = 0; i < ss_model_joint_count(j->model); i++) {
        json_joint(out, j, i);
    }
    ss_json_close_object(out);
}

static void json_model(ss_json *out, const ss_axes *axes)
{
    char text[64];
    ss_json_open_object(out, "model");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        const ss_axis *axis = ss_axis_at(i);
        ss_json_text(out, axis->name, ss_axis_text(axis, axes, text, sizeof text));
    }
    ss_json_close_object(out);
}

static void json_energy(ss_json *out, const ss_run_result *r)
{
    ss_json_open_object(out, "energy");
    ss_json_real(out, "initial", r->initial.kinetic + r->initial.potential);
    ss_json_real(out, "final", r->final.kinetic + r->final.potential);
    ss_json_real(out, "kinetic", r->final.kinetic);
    ss_json_real(out, "potential", r->final.potential);
    ss_json_real(out, "dissipated", r->final.dissipated);
    ss_json_real(out, "applied", r->final.applied);
    ss_json_real(out, "driven", r->final.driven);
    ss_json_real(out, "restitution", r->final.restitution);
    ss_json_real(out, "corrections", r->final.corrections);
    ss_json_real(out, "integration", r->final.integration);
    ss_json_close_object(out);
}

/* In how many steps the motion was one of many, and where it could have gone in the first. */
static void json_uniqueness(ss_json *out, const job *j)
{
    const ss_run_result *r = &j->result;
    ss_json_open_object(out, "motion");
    ss_json_int(out, "not_unique", r->not_unique);
    ss_json_int(out, "undecided", r->undecided);
    if (r->free_body >= 0) {
        int dimension = ss_model_dimension(j->model);
        ss_json_real(out, "first", r->not_unique_at);
        ss_json_text(out, "body", ss_model_body_name(j->model, r->free_body));
        json_vector(out, "velocity", r->free_motion.velocity, dimension);
        if (dimension == 2) {
            ss_json_real(out, "angular_velocity", r->free_motion.angular_velocity.z);
        } else {
            json_vector(out, "angular_velocity", r->free_motion.angular_velocity, 3);
        }
    }
    ss_json_close_object(out);
}

/* Steps in which contacts jam or wedge, and when that began. */
static void json_hold(ss_json *out, const job *j)
{
    const ss_run_result *r = &j->result;
    ss_json_open_object(out, "hold");
    for (int k = SS_HOLD_UNTESTED + 1; k < SS_HOLD_COUNT; k++) {
        ss_json_int(out, ss_hold_text((ss_hold)k), r->held[k]);
    }
    if (r->held[SS_HOLD_JAMMED] > 0) {
        ss_json_real(out, "first_jammed", r->held_at[SS_HOLD_JAMMED]);
    }
    if (r->held[SS_HOLD_WEDGED] > 0) {
        ss_json_real(out, "first_wedged", r->held_at[SS_HOLD_WEDGED]);
    }
    ss_json_close_object(out);
}

static void json_rulings(ss_json *out, const char *key, const int64_t *steps, double lost_at)
{
    ss_json_open_object(out, key);
    for (int k = SS_RULING_YES; k < SS_RULING_COUNT; k++) {
        ss_json_int(out, ss_ruling_text((ss_ruling)k), steps[k]);
    }
    ss_json_real(out, "first_no", lost_at);
    ss_json_close_object(out);
}

/* What was said of the states before the steps. */
static void json_verdicts(ss_json *out, const job *j)
{
    const ss_run_result *r = &j->result;
    if (!ss_model_simulation(j->model)->verdicts) {
        return;
    }
    ss_json_open_object(out, "verdicts");
    json_rulings(out, "unique", r->ruled_unique, r->unique_lost_at);
    json_rulings(out, "stable", r->ruled_stable, r->stable_lost_at);
    ss_json_int(out, "active_max", r->active_max);
    ss_json_close_object(out);
}

static const char *status_word(ss_status status)
{
    return status == SS_OK                ? "done"
           : status == SS_ERR_INTERRUPTED ? "interrupted"
                                          : "certificate-failed";
}

static const char *accuracy_word(ss_accuracy accuracy)
{
    static const char *const words[] = {"auto", "exact", "motion"};
    return words[accuracy];
}

/* What was asked for, and how many islands were solved by which measure. */
static void json_accuracy(ss_json *out, const job *j)
{
    const ss_simulation_def *sim = ss_model_simulation(j->model);
    const ss_run_result     *r   = &j->result;
    ss_json_open_object(out, "accuracy");
    ss_json_text(out, "asked", accuracy_word(sim->accuracy));
    ss_json_real(out, "motion", sim->accuracy == SS_ACCURACY_EXACT ? 0 : sim->motion);
    ss_json_int(out, "islands", r->islands);
    ss_json_int(out, "islands_by_motion", r->islands_by_motion);
    ss_json_int(out, "steps_by_motion", r->steps_by_motion);
    ss_json_close_object(out);
}

/* Why the run ended before its time; where nothing balances the forces, with the proof. */
static void json_failure(ss_json *out, const job *j)
{
    if (j->result.status == SS_ERR_CERTIFICATE) {
        ss_json_open_object(out, "failure");
        ss_json_text(out, "message", ss_context_message(j->ctx));
        ss_witness_json(out, j->model, j->data);
        ss_json_close_object(out);
    }
}

static void print_json(const job *j)
{
    const ss_simulation_def *sim = ss_model_simulation(j->model);
    const ss_run_result     *r   = &j->result;
    ss_json                  out = ss_json_start(stdout, false);
    char                     hash[24];
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "scene", ss_scene_name(j->scene));
    ss_json_text(&out, "status", status_word(r->status));
    json_failure(&out, j);
    json_model(&out, &sim->axes);
    ss_json_text(&out, "solver", sim->solver != NULL ? sim->solver : "auto");
    ss_json_real(&out, "step", sim->step);
    ss_json_int(&out, "steps", r->steps);
    ss_json_real(&out, "time", r->time);
    ss_json_real(&out, "wall_seconds", r->wall_seconds);
    ss_json_real(&out, "residual_max", r->residual_max);
    ss_json_real(&out, "motion_error_max", r->motion_error_max);
    json_accuracy(&out, j);
    ss_json_real(&out, "penetration_max", r->penetration_max);
    ss_json_int(&out, "contacts_max", r->contacts_max);
    ss_json_int(&out, "asleep", r->asleep);
    ss_json_real(&out, "joint_error_max", r->joint_error_max);
    ss_json_real(&out, "restitution_factor", r->restitution_factor);
    ss_json_int(&out, "marked", r->marked);
    ss_json_int(&out, "splits", r->splits);
    ss_json_real(&out, "work", r->work);
    ss_json_real(&out, "work_max", r->work_max);
    if (sim->step_budget > 0) {
        ss_json_int(&out, "over_budget", r->over_budget);
    }
    if (ss_run_finds_events(j->model)) {
        ss_json_int(&out, "events", r->events);
        ss_json_real(&out, "bridged", r->bridged);
        ss_run_events_json(&out, &j->events, j->model);
    } else if (sim->advance == SS_ADVANCE_EVENT || r->events > 0) {
        ss_json_int(&out, "events", r->events);
    }
    if (ss_model_simulation(j->model)->error > 0) {
        ss_json_int(&out, "substeps", r->substeps);
        ss_json_real(&out, "error_estimate", r->error_estimate);
    }
    json_uniqueness(&out, j);
    json_hold(&out, j);
    json_verdicts(&out, j);
    snprintf(hash, sizeof hash, "%016" PRIx64, ss_state_hash(j->model, j->data));
    ss_json_text(&out, "state_hash", hash);
    json_energy(&out, r);
    ss_json_open_object(&out, "bodies");
    for (int32_t i = 0; i < ss_model_body_count(j->model); i++) {
        json_body(&out, j, i);
    }
    ss_json_close_object(&out);
    json_joints(&out, j);
    json_comparisons(&out, j);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

/* ---- results for people ---- */

static void print_uniqueness(const job *j)
{
    const ss_run_result *r = &j->result;
    if (r->not_unique > 0) {
        const ss_body_motion *w = &r->free_motion;
        printf("motion     not unique in %" PRId64 " steps, the least was taken; at t = %g s '%s' "
               "could go by (%.3g, %.3g, %.3g), turning by (%.3g, %.3g, %.3g)\n",
               r->not_unique, r->not_unique_at, ss_model_body_name(j->model, r->free_body),
               w->velocity.x, w->velocity.y, w->velocity.z, w->angular_velocity.x,
               w->angular_velocity.y, w->angular_velocity.z);
    }
    if (r->undecided > 0) {
        printf("motion     in %" PRId64 " steps it cannot be told whether it is unique\n",
               r->undecided);
    }
}

static void print_hold(const job *j)
{
    const ss_run_result *r = &j->result;
    if (r->held[SS_HOLD_JAMMED] > 0) {
        printf("jammed     in %" PRId64
               " steps, first at t = %g s: at rest, contacts bear the load\n",
               r->held[SS_HOLD_JAMMED], r->held_at[SS_HOLD_JAMMED]);
    }
    if (r->held[SS_HOLD_WEDGED] > 0) {
        printf("wedged     in %" PRId64
               " steps, first at t = %g s: contacts can press against each "
               "other\n",
               r->held[SS_HOLD_WEDGED], r->held_at[SS_HOLD_WEDGED]);
    }
}

/* "unique yes in 12 steps, no in 3 (first at t = 0.1 s)" */
static void print_rulings(const char *what, const int64_t *steps, double lost_at)
{
    const char *comma = "";
    printf("%-10s ", what);
    for (int k = SS_RULING_YES; k < SS_RULING_COUNT; k++) {
        if (steps[k] > 0) {
            printf("%s%s in %" PRId64 " steps", comma, ss_ruling_text((ss_ruling)k), steps[k]);
            comma = ", ";
        }
        if (k == SS_RULING_NO && steps[k] > 0) {
            printf(" (first at t = %g s)", lost_at);
        }
    }
    printf("\n");
}

static void print_verdicts(const job *j)
{
    const ss_run_result *r = &j->result;
    if (ss_model_simulation(j->model)->verdicts && r->steps > 0) {
        print_rulings("unique", r->ruled_unique, r->unique_lost_at);
        print_rulings("stable", r->ruled_stable, r->stable_lost_at);
        printf("%-10s at most %d contacts bear forces\n", "active", (int)r->active_max);
    }
}

/* What the energy was, is, and why; lines that are nothing beside the others are left out. */
static void print_energy(const ss_run_result *r)
{
    const ss_energy *e = &r->final;
    const struct {
        const char *name;
        double      value;
    } lines[]     = {{"applied", e->applied},
                     {"driven", e->driven},
                     {"restitution", e->restitution},
                     {"corrections", e->corrections},
                     {"integration", e->integration}};
    double before = r->initial.kinetic + r->initial.potential, after = e->kinetic + e->potential;
    double tiny = 1e-9 * (fabs(before) + fabs(after) + fabs(e->dissipated));
    printf("energy     %.6g J -> %.6g J, dissipated %.6g J", before, after, e->dissipated);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (fabs(lines[i].value) > tiny) {
            printf(", %s %.6g J", lines[i].name, lines[i].value);
        }
    }
    printf("\n");
}

/* What the certificates of all steps come to. */
static void print_certified(const ss_run_result *r)
{
    bool        failed = r->status == SS_ERR_CERTIFICATE, kept = r->marked > 0;
    const char *word = failed ? "failed" : kept ? "uncertain" : "certified";
    ss_cli_coloured(stdout, failed ? SS_BAD : kept ? SS_DOUBTFUL : SS_GOOD, word);
    printf("%*s", (int)(11 - strlen(word)), "");
    if (failed) {
        printf("the step from t = %g s; up to there ", r->time);
    }
    printf("worst residual %.1e, deepest overlap %.1e m, at most %d contact%s\n", r->residual_max,
           r->penetration_max, (int)r->contacts_max, r->contacts_max == 1 ? "" : "s");
}

static void print_facts(const job *j)
{
    const ss_simulation_def *sim = ss_model_simulation(j->model);
    const ss_run_result     *r   = &j->result;
    char                     text[64];
    int32_t                  bodies = ss_model_body_count(j->model);
    printf("scene      %s (%dD, %d bod%s)\nmodel      ", ss_scene_name(j->scene),
           ss_model_dimension(j->model), (int)bodies, bodies == 1 ? "y" : "ies");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        const ss_axis *axis = ss_axis_at(i);
        printf("%s%s=%s", i > 0 ? "," : "", axis->name,
               ss_axis_text(axis, &sim->axes, text, sizeof text));
    }
    printf("\nsolver     %s\n", sim->solver != NULL ? sim->solver : "auto");
    char all[32], one[32];
    printf("time       %g s in %" PRId64 " steps of %g s; %s of computing, %s a step\n", r->time,
           r->steps, sim->step, ss_cli_seconds(r->wall_seconds, all, sizeof all),
           ss_cli_seconds(r->steps > 0 ? r->wall_seconds / (double)r->steps : 0, one, sizeof one));
    print_certified(r);
    if (r->islands_by_motion > 0) {
        printf("accuracy   %s: %" PRId64 " of %" PRId64 " islands in %" PRId64 " steps solved to a "
               "motion error of %.1e, the others exactly\n",
               accuracy_word(sim->accuracy), r->islands_by_motion, r->islands, r->steps_by_motion,
               r->motion_error_max);
    }
    if (r->asleep > 0) {
        printf("asleep     %d bodies at the end\n", (int)r->asleep);
    }
    if (r->marked > 0 || r->splits > 0) {
        printf("           %" PRId64 " steps cut", r->splits);
        if (r->marked > 0) {
            printf(", %" PRId64 " kept although uncertified", r->marked);
        }
        printf("\n");
    }
    if (r->over_budget > 0) {
        printf("           %" PRId64 " steps taken as they were when step_budget ran out\n",
               r->over_budget);
    }
    if (ss_run_finds_events(j->model)) {
        ss_run_events_print(&j->events, j->model, r);
    } else if (r->events > 0) {
        printf("           %" PRId64 " impacts at which parts of steps end\n", r->events);
    }
    print_uniqueness(j);
    print_hold(j);
    print_verdicts(j);
    print_energy(r);
}

static void print_bodies(const job *j)
{
    enum { SHOWN = 24 };
    int32_t count = ss_model_body_count(j->model), shown = 0;
    bool    flat = ss_model_dimension(j->model) == 2;
    printf("\n%-16s %11s %11s %11s %11s %11s %11s\n", "body at the end", "x", "y",
           flat ? "angle" : "z", "vx", "vy", flat ? "rate" : "vz");
    for (int32_t i = 0; i < count && shown < SHOWN; i++) {
        ss_body_state s;
        if (ss_model_body_type(j->model, i) == SS_BODY_STATIC) {
            continue;
        }
        ss_data_body(j->model, j->data, i, &s);
        printf("%-16.16s %11.5g %11.5g %11.5g %11.5g %11.5g %11.5g\n",
               ss_model_body_name(j->model, i), s.position.x, s.position.y,
               flat ? s.angle : s.position.z, s.velocity.x, s.velocity.y,
               flat ? s.angular_velocity.z : s.velocity.z);
        shown++;
    }
    if (shown == SHOWN) {
        printf("...\n");
    }
}

/* What a solver leaves on its way to zero is zero to who reads a table; the files have it. */
static double shown(double x)
{
    return fabs(x) < FLT_MIN ? 0 : x;
}

/* Columns of the table of joints that most scenes do not need. */
typedef struct joint_columns {
    bool limit, spring;
} joint_columns;

static joint_columns columns_of_joints(const job *j)
{
    joint_columns c = {false, false};
    for (int32_t i = 0; i < ss_model_joint_count(j->model); i++) {
        ss_joint_info x;
        ss_data_joint(j->model, j->data, i, &x);
        c.limit  = c.limit || (x.coordinates > 0 && shown(x.limit[0]) != 0);
        c.spring = c.spring || (x.coordinates > 0 && shown(x.spring[0]) != 0);
    }
    return c;
}

/* The first coordinate stands for all; the files have the others. */
static void print_joints(const job *j)
{
    enum { SHOWN = 24 };
    int32_t       count = ss_model_joint_count(j->model);
    joint_columns c     = columns_of_joints(j);
    if (count > 0) {
        printf("\n%-16s %11s %11s %11s %11s %11s %11s%s%s\n", "joint at the end", "force (N)",
               "torque (Nm)", "value", "rate", "motor", "friction", c.limit ? "       limit" : "",
               c.spring ? "      spring" : "");
    }
    for (int32_t i = 0; i < count && i < SHOWN; i++) {
        ss_joint_info x;
        ss_data_joint(j->model, j->data, i, &x);
        printf("%-16.16s %11.5g %11.5g", ss_model_joint_name(j->model, i), shown(ss_norm(x.force)),
               shown(ss_norm(x.torque)));
        if (x.coordinates > 0) {
            printf(" %11.5g %11.5g %11.5g %11.5g", shown(x.value[0]), shown(x.rate[0]),
                   shown(x.motor[0]), shown(x.friction[0]));
            if (c.limit) {
                printf(" %11.5g", shown(x.limit[0]));
            }
            if (c.spring) {
                printf(" %11.5g", shown(x.spring[0]));
            }
        }
        printf("%s\n", x.unique ? "" : "  not unique");
    }
    if (count > SHOWN) {
        printf("...\n");
    }
}

static void print_comparisons(const job *j)
{
    if (j->compare.count > 0) {
        printf("\n%-24s %10s %10s %12s  %s\n", "compared with", "steps", "computing", "residual",
               "furthest apart at the end");
    }
    for (int32_t i = 0; i < j->compare.count; i++) {
        const ss_comparison *c = &j->comparisons[i];
        if (c->model == NULL) {
            printf("%-24.24s not run: there is nothing to compare it with\n", j->compare.items[i]);
            continue;
        }
        printf("%-24.24s %10" PRId64 " %8.3g s %12.1e  %.4g m%s%s%s\n", c->model, c->result.steps,
               c->result.wall_seconds, c->result.residual_max, c->distance,
               c->body[0] != '\0' ? ", " : "", c->body,
               c->certified ? "" : " (it ended early: a certificate failed)");
    }
}

static void print_summary(const job *j)
{
    print_facts(j);
    print_bodies(j);
    print_joints(j);
    print_comparisons(j);
    ss_text_plot_print(j->plot);
    for (int32_t i = 0; i < j->recorder_count; i++) {
        if (j->recorders[i] != j->plot && j->recorders[i] != j->dump &&
            ss_recorder_path(j->recorders[i])[0] != '\0') {
            printf("\nwrote %s\n", ss_recorder_path(j->recorders[i]));
        }
    }
    ss_dump_problem_print(j->dump);
    if (j->report != NULL) {
        printf("\nwrote %s\n", j->page);
    }
}

static int report(job *j, ss_status status)
{
    bool kept = is_kept(status);
    if (kept && j->json) {
        print_json(j);
    } else if (kept && !j->quiet) {
        print_summary(j);
    }
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    for (int32_t i = 0; i < j->compare.count; i++) {
        if (!j->comparisons[i].certified) {
            fprintf(stderr, "stickslip: %s: its run ended early: a certificate failed\n",
                    j->comparisons[i].model);
            return SS_EXIT_CERTIFICATE;
        }
    }
    return SS_EXIT_DONE;
}

static int study_steps(job *j)
{
    double  steps[SS_CONVERGENCE_MAX];
    int32_t count;
    if (!ss_convergence_parse(j->convergence, steps, &count)) {
        return ss_cli_usage("run",
                            "--convergence takes 2 to %d steps > 0 separated by commas, got '%s'",
                            SS_CONVERGENCE_MAX, j->convergence);
    }
    ss_status status = ss_convergence_run(j->ctx, j->source, steps, count, j->threads, j->json);
    return status == SS_OK ? SS_EXIT_DONE : ss_cli_fail(j->ctx, status);
}

/* They have no place where there are many runs. */
static bool files_of_one_run(const job *j)
{
    return j->csv != NULL || j->joints != NULL || j->contacts != NULL || j->out != NULL ||
           j->problem != NULL || j->record.count > 0 || j->ranges;
}

static bool branch_stands_alone(const job *j)
{
    return j->compare.count == 0 && j->convergence == NULL && !files_of_one_run(j);
}

/* A table of runs with other steps is all that it makes. */
static bool convergence_stands_alone(const job *j)
{
    return j->compare.count == 0 && j->page == NULL && !files_of_one_run(j);
}

static int follow_futures(job *j, const char *scene_name)
{
    if (!branch_stands_alone(j)) {
        return ss_cli_usage("run", "--branch goes with --report and --json, not with --compare, "
                                   "--convergence, --ranges or files of one run");
    }
    ss_scene_args args      = j->scene_args;
    bool          certified = true;
    args.model              = NULL;
    ss_status status        = ss_cli_scene_source(j->ctx, scene_name, &args, &j->source);
    if (status == SS_OK) {
        ss_futures_args futures = {.scene  = scene_name,
                                   .source = j->source,
                                   .model  = j->scene_args.model,
                                   .most   = j->branch_most,
                                   .depth  = j->branch_depth,
                                   .page   = j->page,
                                   .json   = j->json,
                                   .quiet  = j->quiet};
        status                  = ss_futures_run(j->ctx, &futures, &certified);
    }
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    return certified ? SS_EXIT_DONE : SS_EXIT_CERTIFICATE;
}

static int run_job(job *j, const char *scene_name)
{
    if (j->branch) {
        return follow_futures(j, scene_name);
    }
    if (j->convergence != NULL && !convergence_stands_alone(j)) {
        return ss_cli_usage("run", "--convergence prints a table of its runs (or --json): it goes "
                                   "with no --compare, --report, --ranges or files of one run");
    }
    if (j->record.count > RECORD_MAX) {
        return ss_cli_usage("run", "at most %d files with --record", RECORD_MAX);
    }
    if (j->compare.count > COMPARE_MAX) {
        return ss_cli_usage("run", "at most %d models can be compared", COMPARE_MAX);
    }
    if (j->measured != NULL && j->page == NULL) {
        return ss_cli_usage("run", "--measured is shown in a report: give --report FILE");
    }
    if (j->columns != NULL && j->measured == NULL) {
        return ss_cli_usage("run", "--columns names columns of --measured FILE");
    }
    ss_status status = make(j, scene_name);
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    if (j->convergence != NULL) {
        return study_steps(j);
    }
    status = simulate(j);
    if (status == SS_OK) {
        status = compare(j);
    }
    ss_status written = is_kept(status) ? write_page(j) : SS_OK;
    return report(j, status == SS_OK ? written : status);
}

static bool outputs_fit(const job *j, const char *scene)
{
    enum { FIXED = 6 };
    char        problem[SS_DUMP_PATH];
    const char *inputs[]                    = {scene, j->measured};
    ss_output   outputs[FIXED + RECORD_MAX] = {
          {"--csv", j->csv, ".csv"},           {"--joints", j->joints, ".csv"},
          {"--contacts", j->contacts, ".csv"}, {"--out", j->out, ".h5"},
          {"--report", j->page, ".html"},      {"--dump-problem", NULL, ".h5"}};
    int32_t count = FIXED;
    if (j->problem != NULL) {
        (void)ss_dump_problem_file(j->problem, problem);
        outputs[FIXED - 1].path = problem;
    }
    for (int32_t i = 0; i < j->record.count && i < RECORD_MAX; i++) {
        const char *equals = strchr(j->record.items[i], '=');
        outputs[count++]   = (ss_output){"--record", equals != NULL ? equals + 1 : NULL, ""};
    }
    return ss_cli_outputs("run", inputs, 2, outputs, count);
}

static int run(int argc, char **argv)
{
    job j = {
        .scene_args = ss_scene_args_default(), .threads = 1, .branch_most = 16, .branch_depth = 4};
    const ss_arg table[] = {
        SS_SCENE_ARGS(&j.scene_args),
        {"--csv", SS_ARG_TEXT, &j.csv, "FILE", 0, 0, "bodies, one row a step"},
        {"--joints", SS_ARG_TEXT, &j.joints, "FILE", 0, 0,
         "forces and coordinates of joints (CSV), one row a step"},
        {"--contacts", SS_ARG_TEXT, &j.contacts, "FILE", 0, 0,
         "forces of contacts (CSV), one row for each in each step"},
        {"--out", SS_ARG_TEXT, &j.out, "FILE", 0, 0, "run file (HDF5)"},
        {"--record", SS_ARG_LIST, &j.record, "NAME=FILE", 0, 0,
         "write what a recorder makes of it; 'stickslip list' names them"},
        {"--ranges", SS_ARG_FLAG, &j.ranges, NULL, 0, 0,
         "record what each contact may carry, for free-body diagrams (slow)"},
        {"--report", SS_ARG_TEXT, &j.page, "FILE", 0, 0, "one HTML page with replay and plots"},
        {"--measured", SS_ARG_TEXT, &j.measured, "FILE", 0, 0,
         "show what was measured (CSV) beside the run, in the report"},
        {"--columns", SS_ARG_TEXT, &j.columns, "t=NAME,..", 0, 0,
         "which columns of it are what: BODY.COORDINATE=NAME; default: they are called so"},
        {"--dump-problem", SS_ARG_TEXT, &j.problem, "FILE[@STEP]", 0, 0,
         "the problem of that step, or of one that fails, for 'solve' (HDF5)"},
        {"--compare", SS_ARG_LIST, &j.compare, "MODEL", 0, 0, "run it under this model too"},
        {"--convergence", SS_ARG_TEXT, &j.convergence, "H1,H2,..", 0, 0,
         "errors and order over these steps instead of one run"},
        {"--branch", SS_ARG_FLAG, &j.branch, NULL, 0, 0,
         "follow every motion where several obey the laws (level: acceleration)"},
        {"--branch-most", SS_ARG_INT, &j.branch_most, "N", 1, 4096,
         "at most N futures (16 unless given)"},
        {"--branch-depth", SS_ARG_INT, &j.branch_depth, "N", 1, SS_FUTURE_FORKS,
         "every motion at the first N forks of a future (4 unless given)"},
        {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0, "results as JSON"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "no results, no progress, no warnings"},
        {"--threads", SS_ARG_INT, &j.threads, "N", 1, 4096, "use at most N threads"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec = {"run", "SCENE", 1, 1, description, table};
    ss_arg_list   operands;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    j.ctx = ss_cli_context(j.quiet);
    if (j.ctx == NULL) {
        ss_args_release(&spec, &operands);
        return SS_EXIT_RESOURCES;
    }
    code = outputs_fit(&j, operands.items[0]) ? run_job(&j, operands.items[0]) : SS_EXIT_USAGE;
    release(&j);
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_run = {"run", "simulate a scene", run};
