/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random scenes (random_scene.h) are run step by step and judged from outside, by what a user can
 * see. Of a scene with number N
 *
 *   - no step fails (steps without momentum may end because nothing balances the forces, if they
 *     prove it: ss_nothing_balances()),
 *   - no step hangs: none takes more than 200 times the work of the median of its run, counted
 *     (ss_step_report) and therefore the same on every machine, and what half a second is good for;
 *     nor time that its counted work does not explain,
 *   - no energy appears that nothing put in, and the ledger of energies closes; its line
 *     `integration` rises by no more than a thousandth of the turnover,
 *   - no two bodies overlap by more than 1 % of the smaller one,
 *   - no joint opens.
 *
 * usage: random_scenes [COUNT [FIRST]]   judge scenes FIRST .. FIRST + COUNT - 1
 *        random_scenes --write N         the text of scene N, for `stickslip run`
 *        random_scenes --list FILE       judge the scenes that the file names, one a line
 *        random_scenes --mixed ..        as before, with the scenes of mixed_scene.h
 *        random_scenes --shapes ..       .. of wide_scene.h
 *        random_scenes --slow ..         .. of slow_scene.h
 *        random_scenes --shots ..        .. of shot_scene.h: and nothing passes through the plate
 *        random_scenes .. --except FILE [COUNT [FIRST]]
 *                                        .. without those that the file names, one a line, each
 *                                        with the reason, which is told
 * Exit code 0 when nothing was found.
 *
 * Of mixed scenes (mixed_scene.h) it wants the same, where the model promises it: schemes as
 * printed correct overlaps and joints by momentum, and may end for that reason. Where nothing is
 * fixed, linear momentum stays what it is, and so does angular momentum, to second order in the
 * angle that a body turns by in a step.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "analysis/witness.h"
#include "dynamics/stages.h"
#include "model/data.h"
#include "property/mixed_scene.h"
#include "property/random_scene.h"
#include "property/shot_scene.h"
#include "property/slow_scene.h"
#include "property/wide_scene.h"
#include "stickslip/stickslip.h"

/* What counts as a fault: parts of the smaller body, of a typical body, of the energy in play. */
static const double OVERLAP = 0.01, OPENING = 0.01, GAIN = 0.01;
/* Energy that the scheme may make, as a part of the turnover. */
static const double MADE = 1e-3;
/* What may rise in a step without momentum, by overlaps that are moved apart. */
static const double DESCENT = 1e-2;
/* Rounding of the energies of a run, as a part of them. */
static const double CLOSED = 1e-10;
/* Momentum that nothing changed, as a part of the sizes of all momenta; turns: see above. */
static const double MOMENTUM = 1e-7, TURN = 1e-3;
/* Products (half a second of them) and times the median above which a step hangs. */
static const double SLOW_WORK = 1e9, SLOW_RATIO = 200;
/* Seconds of CPU, and for each product, above which a step does what nothing counts: ten times what
   products take, which is as much more where stages are checked and memory is watched. Where a step
   is stopped. */
#ifdef SS_CHECKED
static const double SLOW_PRODUCT = 2e-7;
#else
static const double SLOW_PRODUCT = 2e-8;
#endif
static const double UNCOUNTED = 2, PATIENCE = 60;

/* Where scenes come from: random_scene.h, mixed_scene.h, .. */
typedef enum family { COMMON, MIXED, WIDE, SLOW, SHOTS, FAMILIES } family;
static const char *const family_option[FAMILIES] = {"", "--mixed", "--shapes", "--slow", "--shots"};

typedef struct judged {
    random_scene scene;
    uint64_t     number;
    family       of;
    int          which; /* kind of mixed or wide scene */
    const char  *axes;  /* its model, NULL: as everybody has it */
    bool         printed;
    ss_vec3      linear, angular;                    /* momenta at the start */
    double       linear_size, angular_size, fastest; /* .. sizes, and what turns fastest */
    ss_context  *ctx;
    ss_scene    *source;
    ss_model    *model;
    ss_data     *data;
    double       work[1024];                                  /* of each step */
    double       turnover, integration_low, integration_rise; /* of the steps so far */
    double       dissipated, energy_start, energy_last, energy_low, energy_scale, potential_last;
    double       above[8]; /* of shots: how far each body is above the middle of the plate */
    char         fault[512];
} judged;

static volatile sig_atomic_t out_of_patience;

static void ring(int signal)
{
    (void)signal;
    out_of_patience = 1;
}

/* CPU time of this process from now on; 0: for ever. */
static void set_patience(double seconds)
{
    struct itimerval t = {{0, 0}, {(time_t)seconds, 0}};
    out_of_patience    = 0;
    setitimer(ITIMER_PROF, &t, NULL);
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void blame(judged *j, const char *format, ...)
{
    if (j->fault[0] != '\0') {
        return; /* the first fault is the one to look at */
    }
    va_list args;
    va_start(args, format);
    vsnprintf(j->fault, sizeof j->fault, format, args);
    va_end(args);
}

/* ---- judging a step ---- */

/* What the scheme made over the run, by the ledger: the most that its line rose. */
static void judge_integration(judged *j)
{
    double most = (j->printed ? 10 : 1) * MADE; /* psi/h and phi/h are of first order */
    if (strcmp(j->scene.inertia, "dynamic") == 0 && j->integration_rise > most * j->turnover) {
        blame(j, "integration made %.3g J, %.3g of the turnover", j->integration_rise,
              j->integration_rise / j->turnover);
    }
}

static void watch_integration(judged *j, double integration)
{
    j->turnover += ss_data_report(j->data)->turnover;
    j->integration_low  = fmin(j->integration_low, integration);
    j->integration_rise = fmax(j->integration_rise, integration - j->integration_low);
}

/* What has no momentum, and is driven by nothing, goes down. (The kinetic energy that is told of it
   takes no part.) */
static void judge_descent(judged *j, int step, double potential)
{
    double rise       = potential - j->potential_last;
    j->potential_last = potential;
    if (j->of == SLOW && rise > DESCENT * (j->energy_scale + j->dissipated)) {
        blame(j, "step %d: rises by %.3g J, %.3g of what is in play", step, rise,
              rise / (j->energy_scale + j->dissipated));
    }
}

static void judge_energy(judged *j, int step)
{
    ss_energy e      = ss_data_energy(j->model, j->data);
    double    now    = e.kinetic + e.potential;
    j->energy_low    = fmin(j->energy_low, now);
    double scale     = fmax(j->energy_scale, j->energy_start - j->energy_low);
    bool   dynamic   = strcmp(j->scene.inertia, "dynamic") == 0 && !j->scene.driven;
    double explained = e.applied + e.driven + e.restitution + e.corrections + e.integration;
    double open      = now - j->energy_start - explained + e.dissipated;
    double sizes = fabs(e.applied) + fabs(e.driven) + e.dissipated; /* a drive may wedge parts */
    if (fabs(open) > CLOSED * (scale + sizes + fabs(now) + fabs(j->energy_start))) {
        blame(j, "step %d: the ledger is open by %.3g J of %.3g J", step, open, scale);
    } else if (e.dissipated < j->dissipated) {
        blame(j, "step %d: dissipated falls by %.3g J", step, j->dissipated - e.dissipated);
    }
    j->dissipated = e.dissipated;
    watch_integration(j, e.integration);
    judge_descent(j, step, e.potential);
    if (!isfinite(now)) {
        blame(j, "step %d: the energy is not finite", step);
    } else if (dynamic && now - j->energy_last > GAIN * scale) {
        blame(j, "step %d: gains %.3g J (%.3g of what is in play) in a step", step,
              now - j->energy_last, (now - j->energy_last) / scale);
    } else if (dynamic && now - j->energy_start > GAIN * scale) {
        blame(j, "step %d: has %.3g J (%.3g of what is in play) more than at the start", step,
              now - j->energy_start, (now - j->energy_start) / scale);
    }
    j->energy_last = now;
}

static void judge_overlaps(judged *j, int step)
{
    enum { MOST = 64 };
    ss_overlap found[MOST];
    int32_t    count = 0;
    if (ss_data_overlaps(j->model, j->data, found, MOST, &count) != SS_OK) {
        blame(j, "step %d: %s", step, ss_context_message(j->ctx));
    }
    for (int32_t i = 0; i < count && i < MOST; i++) {
        const ss_overlap *o = &found[i];
        if (!j->printed && o->depth > OVERLAP * o->size) {
            blame(j, "step %d: '%s' and '%s' overlap by %.3g of the smaller", step,
                  ss_model_body_name(j->model, o->body_a), ss_model_body_name(j->model, o->body_b),
                  o->depth / o->size);
        }
    }
}

static void judge_joints(judged *j, int step)
{
    double open = ss_data_report(j->data)->joint_error;
    if (!j->printed && open > OPENING * j->scene.size) {
        blame(j, "step %d: a joint is open by %.3g of a body", step, open / j->scene.size);
    }
}

/* Momenta of all that moves, about the origin, and the sums of their sizes. */
static void find_momenta(judged *j, ss_vec3 *P, ss_vec3 *L, double *P_size, double *L_size)
{
    const ss_model *m = j->model;
    const ss_data  *d = j->data;
    *P = *L = ss_v3(0, 0, 0);
    *P_size = *L_size = j->fastest = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (b->type < SS_BODY_DYNAMIC) {
            continue;
        }
        ss_mat3 R     = ss_mat3_from_quat(d->state.pose[i].q);
        ss_vec3 w     = d->state.twist[i].w;
        ss_vec3 p     = ss_scale(b->mass, d->state.twist[i].v);
        j->fastest    = fmax(j->fastest, ss_norm(w));
        ss_vec3 own   = j->scene.dimension == 2 ? ss_v3(0, 0, b->inertia.m[8] * w.z)
                                                : ss_mul(&R, ss_mul(&b->inertia, ss_tmul(&R, w)));
        ss_vec3 orbit = ss_cross(d->state.pose[i].p, p);
        *P            = ss_add(*P, p);
        *L            = ss_add(*L, ss_add(own, orbit));
        *P_size += ss_norm(p);
        *L_size += ss_norm(own) + ss_norm(orbit);
    }
}

static void judge_momenta(judged *j, int step)
{
    ss_vec3 P, L;
    double  P_size, L_size;
    if (j->of != MIXED || j->which != 1) {
        return;
    }
    find_momenta(j, &P, &L, &P_size, &L_size);
    double off   = ss_norm(ss_sub(P, j->linear)) / fmax(P_size, j->linear_size);
    double turn  = ss_norm(ss_sub(L, j->angular)) / fmax(L_size, j->angular_size);
    double angle = j->scene.step * j->fastest, most = TURN + angle * angle;
    if (!(off <= MOMENTUM)) {
        blame(j, "step %d: momentum is off by %.3g of all", step, off);
    } else if (!(turn <= most)) {
        blame(j, "step %d: angular momentum is off by %.3g of all", step, turn);
    }
}

/* Where a body is above the plate, in the plate's own axes; true: over it. */
static bool over_plate(const judged *j, int32_t body, double *above)
{
    ss_frame plate = ss_pose_frame(j->model, &j->data->state.pose[0]);
    ss_vec3  x     = ss_to_body(&plate, j->data->state.pose[body].p);
    double   half  = PLATE * j->scene.size;
    *above         = j->scene.dimension == 2 ? x.y : x.z;
    return fabs(x.x) < half && (j->scene.dimension == 2 || hypot(x.x, x.y) < half);
}

/* Nothing that was over the plate is below it, unless it came past its rim. */
static void judge_passages(judged *j, int step)
{
    for (int32_t i = 1; j->of == SHOTS && i < j->model->nb; i++) {
        double above;
        bool   over = over_plate(j, i, &above);
        if (over && step >= 0 && j->above[i] > 0 && above < 0) {
            blame(j, "step %d: '%s' passed through the plate", step,
                  ss_model_body_name(j->model, i));
        }
        j->above[i] = over ? above : 0;
    }
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void judge_work(judged *j, int steps)
{
    double worst = 0;
    int    at    = 0;
    for (int i = 0; i < steps; i++) {
        if (j->work[i] > worst) {
            worst = j->work[i];
            at    = i;
        }
    }
    qsort(j->work, (size_t)steps, sizeof *j->work, by_size);
    double median = steps > 0 ? j->work[steps / 2] : 0;
    if (worst > SLOW_WORK && worst > SLOW_RATIO * median) {
        blame(j, "step %d: takes %.3g products, %.3g times the median", at, worst, worst / median);
    }
}

static void judge_time(judged *j, int step, double seconds)
{
    if (seconds > UNCOUNTED && seconds > SLOW_PRODUCT * j->work[step]) {
        blame(j, "step %d: takes %.3g s of CPU for %.3g products", step, seconds, j->work[step]);
    }
}

/* ---- judging a scene ---- */

/* Kinetic energy, and what falling by the height of the scene would set free. */
static double energy_in_play(judged *j)
{
    double weight = 0;
    for (int32_t i = 0; i < ss_model_body_count(j->model); i++) {
        bool moves = ss_model_body_type(j->model, i) >= SS_BODY_DYNAMIC;
        weight += moves ? ss_model_mass(j->model, i) * 9.81 : 0;
    }
    return ss_data_energy(j->model, j->data).kinetic + 0.1 * weight * j->scene.size;
}

/* Of a step without momentum that failed: is its witness there, and do the forces that a user sees
   do work in it? (Whether contacts oppose it: analysis/witness.c, of the rows of that step.) */
static bool proves_no_balance(const judged *j)
{
    ss_body_motion w[256];
    double         power;
    if (j->model->nb > 256 ||
        ss_nothing_balances(j->model, j->data, w, &power) == SS_BALANCE_OPEN) {
        return false;
    }
    return power > 0 && ss_witness_holds(j->model, j->data, j->data->witness.w,
                                         j->data->witness.verdict, &power);
}

/* A step that ends for a reason of its own: nothing balances the forces, which a motion proves,
   driven bodies wedge parts, or corrections as printed make energy. */
static bool may_end(const judged *j, ss_status status)
{
    const char *message = ss_context_message(j->ctx);
    return status == SS_ERR_CERTIFICATE &&
           ((strstr(message, "nothing balances") != NULL && proves_no_balance(j)) ||
            (j->scene.driven && strstr(message, "wedged") != NULL) ||
            (j->printed && strstr(message, "as printed") != NULL));
}

static void run_scene(judged *j)
{
    ss_energy start = ss_data_energy(j->model, j->data);
    int       step  = 0;
    j->dissipated   = 0;
    j->turnover = j->integration_low = j->integration_rise = 0;
    j->energy_start = j->energy_last = j->energy_low = start.kinetic + start.potential;
    j->energy_scale                                  = energy_in_play(j);
    j->potential_last                                = start.potential;
    find_momenta(j, &j->linear, &j->angular, &j->linear_size, &j->angular_size);
    judge_passages(j, -1);
    ss_data_stop_on(j->data, &out_of_patience);
    for (; step < j->scene.steps && j->fault[0] == '\0'; step++) {
        double began = cpu_now();
        set_patience(PATIENCE);
        ss_status status = ss_step(j->model, j->data, j->scene.step);
        set_patience(0);
        j->work[step] = ss_data_report(j->data)->work;
        judge_time(j, step, cpu_now() - began);
        if (status == SS_ERR_INTERRUPTED) {
            blame(j, "step %d: hangs (over %g s)", step, PATIENCE);
        } else if (status != SS_OK) {
            if (!may_end(j, status)) {
                blame(j, "step %d: %s", step, ss_context_message(j->ctx));
            }
            break;
        }
        judge_energy(j, step);
        judge_momenta(j, step);
        judge_joints(j, step);
        judge_overlaps(j, step);
        judge_passages(j, step);
    }
    judge_work(j, step);
    judge_integration(j);
}

static void ignore(void *user, ss_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static void make(judged *j, uint64_t number)
{
    switch (j->of) {
    case MIXED:
        make_mixed(&j->scene, number, &j->which, &j->axes);
        break;
    case WIDE:
        make_wide(&j->scene, number, &j->which);
        break;
    case SLOW:
        make_slow(&j->scene, number);
        break;
    case SHOTS:
        make_shots(&j->scene, number);
        break;
    default:
        make_scene(&j->scene, number);
        break;
    }
}

static const char *kind_of(const judged *j)
{
    switch (j->of) {
    case MIXED:
        return mixed_name[j->which];
    case WIDE:
        return wide_name[j->which];
    case SHOTS:
        return "shots";
    default:
        return kind_name[j->scene.kind];
    }
}

static void judge_scene(judged *j, uint64_t number)
{
    j->number   = number;
    j->fault[0] = '\0';
    j->source   = NULL;
    j->model    = NULL;
    j->data     = NULL;
    make(j, number);
    j->printed = j->axes != NULL && (strstr(j->axes, "euler") || strstr(j->axes, "gap: velocity"));
    j->ctx     = ss_context_create(NULL);
    ss_context_set_log(j->ctx, ignore, NULL);
    ss_status status = ss_scene_load_text(j->ctx, j->scene.text, j->scene.length, "random.yaml",
                                          NULL, 0, &j->source);
    if (status == SS_OK) {
        status = ss_model_compile(j->ctx, j->source, &j->model);
    }
    if (status == SS_OK) {
        status = ss_data_create(j->ctx, j->model, &j->data);
    }
    if (status == SS_OK) {
        run_scene(j);
    } else if (status == SS_ERR_UNSUPPORTED) {
        printf("%llu SKIPPED: %s\n", (unsigned long long)number, ss_context_message(j->ctx));
    } else {
        blame(j, "start: %s", ss_context_message(j->ctx));
    }
    ss_data_destroy(j->data);
    ss_model_destroy(j->model);
    ss_scene_destroy(j->source);
    ss_context_destroy(j->ctx);
}

/* True: nothing was found. */
static bool report_scene(judged *j, uint64_t number)
{
    double began = cpu_now();
    judge_scene(j, number);
    const random_scene *s = &j->scene;
    if (j->fault[0] != '\0') {
        printf("%llu %s %dD %s size %.2g h %.2g mu %g e %.2g %.1f s: %s\n",
               (unsigned long long)number, kind_of(j), s->dimension,
               j->axes != NULL ? j->axes : s->inertia, s->size, s->step, s->mu, s->restitution,
               cpu_now() - began, j->fault);
        fflush(stdout);
    }
    return j->fault[0] == '\0';
}

/* Scenes with a fault that is known, and why it is left. */
typedef struct exceptions {
    int      count;
    uint64_t number[64];
    char     reason[64][160];
} exceptions;

static bool read_exceptions(const char *path, exceptions *x)
{
    FILE              *file = fopen(path, "r");
    unsigned long long number;
    if (file == NULL) {
        fprintf(stderr, "random_scenes: cannot read %s\n", path);
        return false;
    }
    while (x->count < 64 && fscanf(file, "%llu %159[^\n]", &number, x->reason[x->count]) == 2) {
        x->number[x->count++] = number;
    }
    bool all = feof(file) != 0;
    fclose(file);
    if (!all) {
        fprintf(stderr, "random_scenes: %s: expected lines of a number and a reason\n", path);
    }
    return all;
}

static bool is_excepted(const exceptions *x, uint64_t number)
{
    for (int i = 0; i < x->count; i++) {
        if (x->number[i] == number) {
            printf("%llu left out: %s\n", (unsigned long long)number, x->reason[i]);
            return true;
        }
    }
    return false;
}

static int judge_range(judged *j, uint64_t count, uint64_t first, const exceptions *x)
{
    uint64_t bad = 0, looked = 0;
    for (uint64_t k = first; k < first + count; k++) {
        if (!is_excepted(x, k)) {
            bad += !report_scene(j, k);
            looked++;
        }
    }
    printf("%llu of %llu scenes have a fault\n", (unsigned long long)bad,
           (unsigned long long)looked);
    return bad > 0;
}

static int judge_list(judged *j, const char *path)
{
    FILE              *file = fopen(path, "r");
    unsigned long long number, bad = 0, count = 0;
    if (file == NULL) {
        fprintf(stderr, "random_scenes: cannot read %s\n", path);
        return 2;
    }
    while (fscanf(file, "%llu%*[^\n]", &number) == 1) {
        bad += !report_scene(j, number);
        count++;
    }
    fclose(file);
    printf("%llu of %llu scenes have a fault\n", bad, count);
    return bad > 0 || count == 0;
}

static family family_of(const char *option)
{
    int f = FAMILIES - 1;
    while (f > COMMON && strcmp(option, family_option[f]) != 0) {
        f--;
    }
    return (family)f;
}

int main(int argc, char **argv)
{
    static judged    j;
    struct sigaction action = {.sa_handler = ring};
    sigaction(SIGPROF, &action, NULL);
    j.of = argc > 1 ? family_of(argv[1]) : COMMON;
    if (j.of != COMMON) {
        argc--;
        argv++;
    }
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        make(&j, strtoull(argv[2], NULL, 10));
        fputs(j.scene.text, stdout);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--list") == 0) {
        return judge_list(&j, argv[2]);
    }
    static exceptions known;
    if (argc > 2 && strcmp(argv[1], "--except") == 0) {
        if (!read_exceptions(argv[2], &known)) {
            return 2;
        }
        argc -= 2;
        argv += 2;
    }
    return judge_range(&j, argc > 1 ? strtoull(argv[1], NULL, 10) : 600,
                       argc > 2 ? strtoull(argv[2], NULL, 10) : 0, &known);
}
