/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip analyze`: what the rigid model says about itself at a state of a scene. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze_map.h"
#include "analyze_state.h"
#include "cli.h"
#include "json.h"
#include "outputs.h"
#include "plugin_args.h"
#include "scene_args.h"
#include "solutions_picture.h"
#include "state_map.h"
#include "stickslip/analysis.h"
#include "stickslip/run_file.h"
#include "witness.h"

static const char description[] =
    "Runs a scene to a time and judges the state there, before the next step: are there contact\n"
    "forces that obey the laws, one set or several (all are listed), is contact stable, how far "
    "is\n"
    "Painleve's paradox. Then takes the step and asks about it: what overlapped at the start,\n"
    "whether contacts jam or wedge the bodies (with the forces that prove it), whether its "
    "contact\n"
    "forces are unique (and the range of those that are not), which joints are redundant. Exit "
    "code\n"
    "1 when there is no solution, when motion, forces or reactions are not unique, or when "
    "contact\n"
    "is unstable. --along judges the states of a whole run. With --map the verdicts of many "
    "scenes,\n"
    "over one or two of their values.";

enum { OVERLAPS_MAX = 256 };

typedef struct job {
    ss_scene_args      scene_args;
    double             at;
    bool               json, quiet;
    ss_context        *ctx;
    ss_scene          *scene;
    ss_model          *model;
    ss_data           *data;
    ss_overlap         overlaps[OVERLAPS_MAX];
    int32_t            overlap_count;
    ss_force_range    *ranges; /* one per contact */
    int32_t            contacts;
    ss_sliding_verdict sliding;
    ss_motion_verdict  motion;
    bool               rested;    /* rest was taken, of several motions */
    ss_body_motion    *direction; /* one per body */
    ss_hold_verdict    hold;
    double (*witness)[6]; /* of the verdict, one per contact */
    ss_solvable_verdict solvable;
    ss_instant         *instant;
    ss_instant_verdict  state; /* before the step */
    double              state_time;
    bool                failed; /* the step had no certified answer */
    char                why[256];
    bool                along;
    const char         *from;   /* file of the state; NULL: the scene is run to it */
    double              layers; /* c^2/k, NAN: not given */
    ss_arg_list         map;
    int32_t             states, port;
    bool                view, no_open;
    const char         *csv, *svg, *page, *resume, *picture;
    int32_t             threads;
} job;

static ss_status open_scene(job *j, const char *name)
{
    SS_TRY(ss_cli_load_scene(j->ctx, name, &j->scene_args, &j->scene));
    SS_TRY(ss_model_compile(j->ctx, j->scene, &j->model));
    SS_TRY(ss_data_create(j->ctx, j->model, &j->data));
    SS_TRY(ss_data_overlaps(j->model, j->data, j->overlaps, OVERLAPS_MAX, &j->overlap_count));
    SS_TRY(ss_instant_create(j->ctx, j->model, &j->instant));
    ss_instant_set_layers(j->instant, j->layers);
    return SS_OK;
}

/* A state beyond the run is nothing that it would meet, and may be a billion steps away. */
static ss_status check_time(ss_context *ctx, const ss_model *m, double at)
{
    const ss_simulation_def *s   = ss_model_simulation(m);
    double                   end = s->start + s->duration;
    return !(at > end + 0.5 * s->step)
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT,
                         "--at %g: the run ends at t = %.10g s (give --duration to go on)", at,
                         end);
}

/* The state, and the step from it. */
static ss_status look_before(job *j)
{
    double h = ss_model_simulation(j->model)->step;
    if (j->from != NULL) {
        SS_TRY(ss_state_load(j->model, j->data, j->from, j->at));
        SS_TRY(ss_data_overlaps(j->model, j->data, j->overlaps, OVERLAPS_MAX, &j->overlap_count));
    }
    if (j->from == NULL) {
        SS_TRY(check_time(j->ctx, j->model, j->at));
    }
    while (j->from == NULL && ss_data_time(j->data) < j->at - 0.5 * h) {
        SS_TRY(ss_step(j->model, j->data, h));
    }
    j->state_time = ss_data_time(j->data);
    bool begins   = j->state_time <= ss_model_simulation(j->model)->start;
    ss_instant_set_resolution(j->instant, begins ? 0 : 2 * h);
    SS_TRY(ss_instant_judge(j->instant, j->model, j->data, &j->state));
    if (j->picture != NULL) {
        SS_TRY(ss_solutions_picture_write(j->ctx, j->model, j->data, j->instant, &j->state,
                                          j->picture));
    }
    ss_status status = ss_step(j->model, j->data, h);
    j->failed        = status == SS_ERR_CERTIFICATE;
    if (j->failed) {
        snprintf(j->why, sizeof j->why, "%s", ss_context_message(j->ctx));
        return SS_OK;
    }
    return status;
}

static ss_status look_after(job *j)
{
    j->contacts  = ss_data_contact_count(j->data);
    j->ranges    = calloc((size_t)j->contacts + 1, sizeof *j->ranges);
    j->direction = calloc((size_t)ss_model_body_count(j->model) + 1, sizeof *j->direction);
    j->witness   = calloc((size_t)j->contacts + 1, sizeof *j->witness);
    if (j->ranges == NULL || j->direction == NULL || j->witness == NULL) {
        return ss_fail(j->ctx, SS_ERR_MEMORY, "no memory for %d contacts", (int)j->contacts);
    }
    j->rested = ss_motion_unique(j->model, j->data, NULL) == SS_MOTION_NOT_UNIQUE;
    SS_TRY(ss_analyze_motion(j->model, j->data, &j->motion, j->direction));
    SS_TRY(ss_analyze_hold(j->model, j->data, &j->hold, j->witness, j->contacts));
    SS_TRY(ss_analyze_solvable(j->model, j->data, &j->solvable));
    SS_TRY(ss_analyze_forces(j->model, j->data, j->ranges, j->contacts));
    return ss_analyze_sliding(j->model, j->data, &j->sliding);
}

static ss_status analyze(job *j, const char *name)
{
    SS_TRY(open_scene(j, name));
    SS_TRY(look_before(j));
    return j->failed ? SS_OK : look_after(j);
}

static bool all_unique(const job *j)
{
    for (int32_t i = 0; i < j->contacts; i++) {
        if (!j->ranges[i].unique) {
            return false;
        }
    }
    return true;
}

static bool joint_unique(const job *j, int32_t joint)
{
    ss_joint_info info;
    ss_data_joint(j->model, j->data, joint, &info);
    return info.unique;
}

static int32_t redundant_joints(const job *j)
{
    int32_t count = 0;
    for (int32_t i = 0; i < ss_model_joint_count(j->model); i++) {
        count += !joint_unique(j, i);
    }
    return count;
}

static const char *state_text(ss_contact_state state)
{
    return state == SS_CONTACT_OPEN ? "open" : state == SS_CONTACT_STICK ? "stick" : "slip";
}

static void json_contacts(ss_json *out, const job *j)
{
    double h = ss_data_report(j->data)->step;
    ss_json_open_array(out, "contacts");
    for (int32_t i = 0; i < j->contacts; i++) {
        const ss_force_range *r = &j->ranges[i];
        ss_contact_info       c;
        double                low[6], high[6], force[6];
        ss_data_contact(j->model, j->data, i, &c);
        for (int k = 0; k < r->count; k++) {
            low[k]   = r->low[k] / h;
            high[k]  = r->high[k] / h;
            force[k] = c.impulse[k] / h;
        }
        ss_json_open_object(out, NULL);
        ss_json_text(out, "a", ss_model_body_name(j->model, c.body_a));
        ss_json_text(out, "b", ss_model_body_name(j->model, c.body_b));
        ss_json_text(out, "state", state_text(c.state));
        ss_json_bool(out, "unique", r->unique);
        ss_json_bool(out, "normal_unique", r->normal_unique);
        ss_json_reals(out, "force", force, r->count);
        ss_json_reals(out, "low", low, r->count);
        ss_json_reals(out, "high", high, r->count);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

/* Where the bodies could go besides. */
static void json_motion(ss_json *out, const job *j)
{
    ss_json_open_object(out, "motion");
    ss_json_text(out, "verdict", ss_motion_verdict_text(j->motion));
    ss_json_open_object(out, "direction");
    for (int32_t i = 0; i < ss_model_body_count(j->model); i++) {
        ss_vec3 v = j->direction[i].velocity, w = j->direction[i].angular_velocity;
        double  linear[] = {v.x, v.y, v.z}, angular[] = {w.x, w.y, w.z};
        if (ss_dot(v, v) + ss_dot(w, w) > 0) {
            ss_json_open_object(out, ss_model_body_name(j->model, i));
            ss_json_reals(out, "velocity", linear, 3);
            ss_json_reals(out, "angular_velocity", angular, 3);
            ss_json_close_object(out);
        }
    }
    ss_json_close_object(out);
    ss_json_close_object(out);
}

/* Does a contact take part in the witness of wedging or jamming? */
static bool takes_part(const job *j, int32_t contact)
{
    return j->witness[contact][0] > 0;
}

static void json_hold(ss_json *out, const job *j)
{
    ss_json_open_object(out, "hold");
    ss_json_text(out, "verdict", ss_hold_text(j->hold.hold));
    ss_json_int(out, "contacts", j->hold.contacts);
    ss_json_bool(out, "at_rest", j->hold.at_rest);
    ss_json_text(out, "pointed", ss_answer_text(j->hold.pointed));
    ss_json_text(out, "held", ss_answer_text(j->hold.held));
    ss_json_text(out, "copositive", ss_answer_text(j->solvable.copositive));
    ss_json_text(out, "solvable", ss_answer_text(j->solvable.solvable));
    ss_json_open_array(out, "witness");
    for (int32_t i = 0; i < j->contacts; i++) {
        if (takes_part(j, i)) {
            ss_json_open_object(out, NULL);
            ss_json_int(out, "contact", i);
            ss_json_reals(out, "force", j->witness[i], j->ranges[i].count);
            ss_json_close_object(out);
        }
    }
    ss_json_close_array(out);
    ss_json_close_object(out);
}

static void print_json(const job *j)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "scene", ss_scene_name(j->scene));
    ss_json_real(&out, "time", ss_data_time(j->data));
    ss_state_json(&out, "state", j->model, j->instant, &j->state, j->state_time);
    ss_json_bool(&out, "step_failed", j->failed);
    if (j->failed) {
        ss_json_text(&out, "step_why", j->why);
        ss_witness_json(&out, j->model, j->data);
        ss_json_close_object(&out);
        ss_json_end(&out);
        return;
    }
    ss_json_real(&out, "residual", ss_data_report(j->data)->residual);
    ss_json_int(&out, "overlaps", j->overlap_count);
    json_motion(&out, j);
    json_hold(&out, j);
    ss_json_bool(&out, "forces_unique", all_unique(j));
    ss_json_open_object(&out, "sliding");
    ss_json_int(&out, "contacts", j->sliding.contacts);
    ss_json_text(&out, "p_matrix", ss_answer_text(j->sliding.p_matrix));
    ss_json_real(&out, "lowest_diagonal", j->sliding.lowest);
    ss_json_close_object(&out);
    ss_json_open_array(&out, "redundant_joints");
    for (int32_t i = 0; i < ss_model_joint_count(j->model); i++) {
        if (!joint_unique(j, i)) {
            ss_json_text(&out, NULL, ss_model_joint_name(j->model, i));
        }
    }
    ss_json_close_array(&out);
    json_contacts(&out, j);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

static void print_contacts(const job *j)
{
    double h = ss_data_report(j->data)->step;
    printf("\n%-28s %-6s %12s %12s %12s  unique\n", "contact", "state", "normal (N)", "at least",
           "at most");
    for (int32_t i = 0; i < j->contacts; i++) {
        const ss_force_range *r = &j->ranges[i];
        ss_contact_info       c;
        char                  pair[64];
        ss_data_contact(j->model, j->data, i, &c);
        snprintf(pair, sizeof pair, "%s - %s", ss_model_body_name(j->model, c.body_a),
                 ss_model_body_name(j->model, c.body_b));
        printf("%-28s %-6s %12.5g %12.5g %12.5g  %s\n", pair, state_text(c.state), c.impulse[0] / h,
               r->low[0] / h, r->high[0] / h,
               r->unique          ? "yes"
               : r->normal_unique ? "normal only"
                                  : "no");
    }
}

static void print_motion(const job *j)
{
    static const char *const words[] = {
        "unique: no other motion balances with these normal forces",
        "not unique: others balance with the same forces, and the least was taken",
        "cannot be told to be unique: something is too near to zero"};
    bool several = j->motion == SS_MOTION_NOT_UNIQUE;
    bool dynamic = ss_model_has_momentum(j->model);
    printf("motion     %s\n",
           several && j->rested && dynamic
               ? "not unique: rest was taken, and with other forces another motion solves the step"
           : several && !j->rested
               ? "not unique: the contacts can share the load otherwise, and then it is another"
               : words[j->motion]);
    for (int32_t i = 0; i < ss_model_body_count(j->model); i++) {
        ss_vec3 v = j->direction[i].velocity, w = j->direction[i].angular_velocity;
        if (ss_dot(v, v) + ss_dot(w, w) > 0) {
            printf(
                "           '%s' could go by (%.3g, %.3g, %.3g), turning by (%.3g, %.3g, %.3g)\n",
                ss_model_body_name(j->model, i), v.x, v.y, v.z, w.x, w.y, w.z);
        }
    }
}

/* Which forces prove the verdict. */
static void print_witness(const job *j)
{
    for (int32_t i = 0; i < j->contacts; i++) {
        const double   *f = j->witness[i];
        ss_contact_info c;
        ss_data_contact(j->model, j->data, i, &c);
        if (takes_part(j, i)) {
            printf("           %s - %s at (%.5g, %.5g, %.5g): normal %.5g N, friction %.5g N\n",
                   ss_model_body_name(j->model, c.body_a), ss_model_body_name(j->model, c.body_b),
                   c.point.x, c.point.y, c.point.z, f[0], hypot(f[1], f[2]));
        }
    }
}

static void print_hold(const job *j)
{
    static const char *const words[SS_HOLD_COUNT] = {
        "nothing touches", "friction cone pointed, and something moves or nothing pushes",
        "cannot be told: too near to the border of being pointed",
        "jammed: friction cone pointed, at rest, these forces balance the load",
        "wedged: friction cone not pointed, these forces cancel"};
    printf("contacts   %s\n", words[j->hold.hold]);
    print_witness(j);
    if (j->hold.contacts > 0) {
        printf("solvable   %s: copositive %s, pointed %s\n",
               j->solvable.solvable == SS_YES ? "whatever the gaps" : "not certain",
               ss_answer_text(j->solvable.copositive), ss_answer_text(j->solvable.pointed));
    }
}

static void print_joints(const job *j)
{
    int32_t count = ss_model_joint_count(j->model), redundant = redundant_joints(j);
    if (count > 0 && redundant == 0) {
        printf("joints     independent: every reaction is determined\n");
    }
    if (redundant > 0) {
        const char *between = "";
        printf("joints     redundant: only sums of the reactions of ");
        for (int32_t i = 0; i < count; i++) {
            if (!joint_unique(j, i)) {
                printf("%s'%s'", between, ss_model_joint_name(j->model, i));
                between = ", ";
            }
        }
        printf(" are determined\n");
    }
}

static void print_text(const job *j)
{
    printf("scene      %s\n", ss_scene_name(j->scene));
    ss_state_print(stdout, j->model, j->instant, &j->state, j->state_time);
    if (j->failed) {
        printf("step       has no certified answer: %s\n", j->why);
        ss_witness_print(stdout, j->model, j->data);
        return;
    }
    printf("step       that ends at t = %g s\n", ss_data_time(j->data));
    printf("certified  residual %.1e\n", ss_data_report(j->data)->residual);
    for (int32_t i = 0; i < j->overlap_count && i < OVERLAPS_MAX; i++) {
        const ss_overlap *o = &j->overlaps[i];
        if (o->depth > 1e-9 * o->size) {
            printf("overlap    %s and %s by %.3g m at the start\n",
                   ss_model_body_name(j->model, o->body_a), ss_model_body_name(j->model, o->body_b),
                   o->depth);
        }
    }
    print_motion(j);
    print_hold(j);
    printf("forces     %s\n", all_unique(j) ? "unique: the motion determines every contact force"
                                            : "not unique: many sets of contact forces give this "
                                              "motion");
    print_joints(j);
    if (j->sliding.contacts == 0) {
        printf("sliding    no contact slides\n");
    } else {
        printf("sliding    %d contact%s; P-matrix: %s; lowest diagonal %.4g of the frictionless "
               "one%s\n",
               (int)j->sliding.contacts, j->sliding.contacts == 1 ? "" : "s",
               ss_answer_text(j->sliding.p_matrix), j->sliding.lowest,
               j->sliding.lowest <= 0 ? " (Painleve's paradox)" : "");
    }
    if (j->contacts > 0) {
        print_contacts(j);
    }
}

static void release(job *j)
{
    free(j->ranges);
    free(j->direction);
    free(j->witness);
    ss_instant_destroy(j->instant);
    ss_data_destroy(j->data);
    ss_model_destroy(j->model);
    ss_scene_destroy(j->scene);
    ss_context_destroy(j->ctx);
}

static int finish(const job *j, ss_status status)
{
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    if (j->json) {
        print_json(j);
    } else if (!j->quiet) {
        print_text(j);
    }
    bool certain = !j->failed && ss_state_certain(&j->state) && j->motion == SS_MOTION_UNIQUE &&
                   all_unique(j) && redundant_joints(j) == 0 &&
                   (j->sliding.contacts == 0 || j->sliding.p_matrix == SS_YES);
    return certain ? SS_EXIT_DONE : SS_EXIT_NO;
}

/* ---- along a run ---- */

/* Steps in a row of which the same is said. */
typedef struct stretch {
    double             from, to;
    ss_instant_verdict verdict;
    int                sliding, sticking;
} stretch;

static bool same_verdict(const ss_instant_verdict *a, const ss_instant_verdict *b)
{
    return strcmp(ss_state_summary(a), ss_state_summary(b)) == 0 && a->p_matrix == b->p_matrix &&
           a->stable == b->stable && a->forces_unique == b->forces_unique &&
           a->sliding == b->sliding && a->sticking == b->sticking;
}

static void print_stretch(const stretch *s, ss_json *out)
{
    const ss_instant_verdict *v = &s->verdict;
    if (out != NULL) {
        ss_json_open_object(out, NULL);
        ss_json_real(out, "from", s->from);
        ss_json_real(out, "to", s->to);
        ss_json_text(out, "state", ss_state_summary(v));
        ss_json_int(out, "sliding", v->sliding);
        ss_json_int(out, "sticking", v->sticking);
        ss_json_text(out, "unique", ss_answer_text(v->unique));
        ss_json_text(out, "forces_unique", ss_answer_text(v->forces_unique));
        ss_json_text(out, "p_matrix", ss_answer_text(v->p_matrix));
        ss_json_text(out, "stable", ss_answer_text(v->stable));
        ss_json_real(out, "mu_border", v->mu_border);
        ss_json_close_object(out);
        return;
    }
    printf("%12.6g %12.6g  %-18s %7d %7d  %-10s %-10s %-10s\n", s->from, s->to, ss_state_summary(v),
           (int)v->sliding, (int)v->sticking, ss_answer_text(v->forces_unique),
           v->p_matrix_why != NULL ? "-" : ss_answer_text(v->p_matrix),
           v->p_matrix_why != NULL ? "-" : ss_answer_text(v->stable));
}

static ss_status judge_along(job *j, bool *certain)
{
    double    h    = ss_model_simulation(j->model)->step;
    double    end  = ss_model_simulation(j->model)->duration;
    ss_json   json = ss_json_start(stdout, false), *out = j->json ? &json : NULL;
    stretch   now    = {.from = 0};
    bool      begun  = false;
    ss_status status = SS_OK;
    if (out != NULL) {
        ss_json_open_array(out, NULL);
    } else if (!j->quiet) {
        printf("%12s %12s  %-18s %7s %7s  %-10s %-10s %-10s\n", "from (s)", "to (s)", "state",
               "sliding", "stick", "forces", "P-matrix", "stable");
    }
    for (*certain = true; status == SS_OK && ss_data_time(j->data) < end - 0.5 * h;) {
        ss_instant_verdict v;
        double             t = ss_data_time(j->data);
        ss_instant_set_resolution(j->instant, t > 0 ? 2 * h : 0);
        status = ss_instant_judge(j->instant, j->model, j->data, &v);
        if (begun && status == SS_OK && !same_verdict(&v, &now.verdict) && !j->quiet) {
            print_stretch(&now, out);
        }
        if (status == SS_OK) {
            now =
                begun && same_verdict(&v, &now.verdict) ? now : (stretch){.from = t, .verdict = v};
            begun    = true;
            *certain = *certain && ss_state_certain(&v);
            status   = ss_step(j->model, j->data, h);
            now.to   = ss_data_time(j->data);
        }
    }
    if (begun && !j->quiet) {
        print_stretch(&now, out);
    }
    if (out != NULL) {
        ss_json_close_array(out);
        ss_json_end(out);
    }
    return status;
}

static int run_along(job *j, const char *name)
{
    bool      certain = true;
    ss_status status  = open_scene(j, name);
    if (status == SS_OK) {
        status = judge_along(j, &certain);
    }
    return status != SS_OK ? ss_cli_fail(j->ctx, status) : certain ? SS_EXIT_DONE : SS_EXIT_NO;
}

/* Of a scene with momentum states are judged, otherwise steps. */
static ss_status draw_map_of(const job *j, ss_map_args *args)
{
    ss_variant v;
    ss_status  status   = ss_variant_make(j->ctx, args->source, NULL, 0, &v);
    bool       momentum = ss_model_has_momentum(v.model);
    args->resolved      = status == SS_OK ? ss_scene_resolved(v.scene) : NULL;
    if (status == SS_OK) {
        status = check_time(j->ctx, v.model, args->at);
    }
    if (status == SS_OK) {
        status = momentum      ? ss_state_map_run(j->ctx, args)
                 : !args->view ? ss_analyze_map(j->ctx, args)
                               : ss_fail(j->ctx, SS_ERR_INPUT,
                                         "--view opens states, which scenes without momentum have "
                                         "none of; --report makes a page of their steps");
    }
    ss_variant_release(&v);
    return status;
}

static int draw_map(const job *j, const char *scene)
{
    ss_scene_source *source = NULL;
    ss_status        status = ss_cli_scene_source(j->ctx, scene, &j->scene_args, &source);
    ss_map_args      args   = {.scene      = scene,
                               .source     = source,
                               .axes       = &j->map,
                               .at         = isnan(j->at) ? 0 : j->at,
                               .layers     = j->layers,
                               .threads    = j->threads,
                               .csv        = j->csv,
                               .svg        = j->svg,
                               .page       = j->page,
                               .resume     = j->resume,
                               .scene_args = &j->scene_args,
                               .states     = j->states,
                               .view       = j->view,
                               .no_open    = j->no_open,
                               .port       = j->port,
                               .json       = j->json,
                               .quiet      = j->quiet};
    if (status == SS_OK) {
        status = draw_map_of(j, &args);
    }
    ss_scene_source_destroy(source);
    return status == SS_OK ? SS_EXIT_DONE : ss_cli_fail(j->ctx, status);
}

static bool outputs_fit(const job *j, const char *scene)
{
    const char *const inputs[]  = {scene, j->from};
    const ss_output   outputs[] = {{"--csv", j->csv, ".csv"},
                                   {"--svg", j->svg, ".svg"},
                                   {"--report", j->page, ".html"},
                                   {"--picture", j->picture, ".svg"},
                                   {"--resume", j->resume, ""}};
    bool of_a_map = j->csv != NULL || j->svg != NULL || j->page != NULL || j->resume != NULL;
    if (!ss_cli_outputs("analyze", inputs, j->from != NULL ? 2 : 1, outputs,
                        (int32_t)(sizeof outputs / sizeof outputs[0]))) {
        return false;
    }
    if (j->picture != NULL && (j->map.count > 0 || j->along)) {
        (void)ss_cli_usage("analyze", "--picture is of one state, not of a --map or --along");
        return false;
    }
    if (j->from != NULL && (j->map.count > 0 || j->along)) {
        (void)ss_cli_usage("analyze", "--state is one state, not a --map or --along");
        return false;
    }
    if (j->view && j->map.count == 0) {
        (void)ss_cli_usage("analyze", "--view is for a --map");
        return false;
    }
    if (of_a_map && j->map.count == 0) {
        (void)ss_cli_usage("analyze", "--csv, --svg, --report and --resume are for a --map");
        return false;
    }
    return true;
}

static int run(int argc, char **argv)
{
    job          j       = {.scene_args = ss_scene_args_default(),
                            .at         = NAN,
                            .layers     = NAN,
                            .states     = 900,
                            .threads    = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    const ss_arg table[] = {
        SS_SCENE_ARGS(&j.scene_args),
        {"--at", SS_ARG_REAL, &j.at, "T", 0, 1e300, "time of the state in seconds (0: the start)"},
        {"--state", SS_ARG_TEXT, &j.from, "FILE", 0, 0,
         "the state of a run file (its last, or that at --at), or of what run --json prints"},
        {"--map", SS_ARG_LIST, &j.map, "PATH=LOW:HIGH:COUNT", 0, 0,
         "verdicts over a value of the scene; twice: over two"},
        {"--along", SS_ARG_FLAG, &j.along, NULL, 0, 0, "judge the states of the whole run"},
        {"--layers", SS_ARG_REAL, &j.layers, "C2K", 0, 1e300,
         "c^2/k of the contacts, for their stability"},
        {"--picture", SS_ARG_TEXT, &j.picture, "FILE", 0, 0,
         "all solutions of the state with their forces, as SVG (in the plane)"},
        {"--csv", SS_ARG_TEXT, &j.csv, "FILE", 0, 0, "the map as a table"},
        {"--svg", SS_ARG_TEXT, &j.svg, "FILE", 0, 0, "the map as a picture (with momentum)"},
        {"--report", SS_ARG_TEXT, &j.page, "FILE", 0, 0,
         "the map as a page: a click opens a state"},
        {"--states", SS_ARG_INT, &j.states, "N", 0, 1000000,
         "states that the page holds, spread over the map (900)"},
        {"--view", SS_ARG_FLAG, &j.view, NULL, 0, 0,
         "show the map in the browser; a click computes and opens that state"},
        {"--port", SS_ARG_INT, &j.port, "N", 0, 65535, "of --view; 0: any free one"},
        {"--no-open", SS_ARG_FLAG, &j.no_open, NULL, 0, 0,
         "with --view: print the address, open no browser"},
        {"--resume", SS_ARG_TEXT, &j.resume, "FILE", 0, 0,
         "keep the map's cells there; go on from those it has"},
        {"--threads", SS_ARG_INT, &j.threads, "N", 1, 4096,
         "of a map; default: as many as there are"},
        {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0, "results as JSON"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "nothing but errors"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec = {"analyze", "SCENE", 1, 1, description, table};
    ss_arg_list   operands;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    if (!outputs_fit(&j, operands.items[0])) {
        ss_args_release(&spec, &operands);
        return SS_EXIT_USAGE;
    }
    j.ctx = ss_cli_context(j.quiet);
    if (j.ctx == NULL) {
        code = SS_EXIT_RESOURCES;
    } else {
        const char *scene = operands.items[0];
        code              = j.map.count > 0 ? draw_map(&j, scene)
                            : j.along       ? run_along(&j, scene)
                                            : finish(&j, analyze(&j, scene));
        release(&j);
    }
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_analyze = {"analyze", "is there one answer, and what of it is certain",
                                       run};
