/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tripod_push: a finger pushes a triangular plate that lies on three known points, or on its whole
 * face (Zhou, Paolini, Bagnell, Mason 2016). The tripods leave one number open, the friction of the
 * finger: it is the one of 0.20, 0.25 .. 0.80 with the least mean combined error over all tripods.
 * Where the whole face lies on the surface the pressure is open too: the exponent of its law, of
 * -1, -0.5 .. 8, is identified in the same way on each surface, with the friction of the tripods.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate.h"

static const char folder[] = "tripod_push";

static const double mass = 1.518, gravity = 9.81;
static const double rho        = 0.0707; /* of the combined error, m                              */
static const double tip_radius = 1e-4; /* median distance of the tip from the outline at the end */

/* The plate from its centroid, where the poses are. */
static const ss_vec3 outline[3] = {{-0.05, -0.05, 0}, {0.1, -0.05, 0}, {-0.05, 0.1, 0}};

typedef struct support_set {
    const char *name;
    double      friction; /* of the surface, measured by the authors */
    ss_vec3     points[3];
    bool        patch;
} support_set;

#define TRI30                                                                                      \
    {                                                                                              \
        {-0.02, -0.02, 0}, {0.04, -0.02, 0},                                                       \
        {                                                                                          \
            -0.02, 0.04, 0                                                                         \
        }                                                                                          \
    }
#define SKEW                                                                                       \
    {                                                                                              \
        {-0.04, -0.04, 0}, {0.04, -0.02, 0},                                                       \
        {                                                                                          \
            -0.04, 0.08, 0                                                                         \
        }                                                                                          \
    }
#define NEAR_                                                                                      \
    {                                                                                              \
        {-0.02, -0.02, 0}, {0.01333, -0.00667, 0},                                                 \
        {                                                                                          \
            -0.00667, 0.01333, 0                                                                   \
        }                                                                                          \
    }
#define FAR_                                                                                       \
    {                                                                                              \
        {-0.04, -0.04, 0}, {-0.04, 0.08, 0},                                                       \
        {                                                                                          \
            0.08, -0.04, 0                                                                         \
        }                                                                                          \
    }

static const support_set sets[] = {
    {"board_tri30", 0.282, TRI30, false}, {"board_skew", 0.282, SKEW, false},
    {"board_near", 0.282, NEAR_, false},  {"board_far", 0.282, FAR_, false},
    {"wood_tri30", 0.336, TRI30, false},  {"wood_skew", 0.336, SKEW, false},
    {"wood_near", 0.336, NEAR_, false},   {"wood_far", 0.336, FAR_, false},
    {"board_patch", 0.282, TRI30, true},  {"wood_patch", 0.336, TRI30, true},
};
enum {
    SETS         = (int)(sizeof sets / sizeof *sets),
    TRIPODS      = 8,
    MOST_TRIALS  = 100,
    PATCH_POINTS = 40
};

typedef struct recorded {
    table       pushes, paths;
    waypoint   *path; /* of all trials, one after the other */
    push_trial *trials;
    int         count;
} recorded;

static double cell(const table *t, int row, const char *column)
{
    return table_number(t, row, table_column(t, column));
}

static void read_trial(recorded *r, int row, waypoint *path)
{
    const table *p = &r->pushes;
    push_trial  *t = &r->trials[row];
    t->start       = (pose){cell(p, row, "x0"), cell(p, row, "y0"), cell(p, row, "th0")};
    t->end         = (pose){cell(p, row, "x1"), cell(p, row, "y1"), cell(p, row, "th1")};
    t->push        = (wrench){cell(p, row, "fx"), cell(p, row, "fy"), cell(p, row, "mz")};
    t->path        = path;
    const char *id = table_text(p, row, table_column(p, "push"));
    for (int i = 0; i < r->paths.rows; i++) {
        if (strcmp(table_text(&r->paths, i, table_column(&r->paths, "push")), id) == 0) {
            path[t->path_count++] = (waypoint){cell(&r->paths, i, "t"), cell(&r->paths, i, "px"),
                                               cell(&r->paths, i, "py")};
        }
    }
}

static bool read_set(recorded *r, const char *data, const char *name)
{
    char where[1024], file[128];
    snprintf(where, sizeof where, "%s/%s", data, folder);
    *r = (recorded){.count = 0};
    snprintf(file, sizeof file, "%s_pushes.csv", name);
    bool ok = table_read(&r->pushes, where, file);
    snprintf(file, sizeof file, "%s_paths.csv", name);
    ok        = ok && table_read(&r->paths, where, file);
    r->count  = ok ? r->pushes.rows : 0;
    r->path   = calloc((size_t)r->paths.rows + 1, sizeof *r->path);
    r->trials = calloc((size_t)r->count + 1, sizeof *r->trials);
    ok        = ok && r->path != NULL && r->trials != NULL && r->count <= MOST_TRIALS;
    for (int i = 0, used = 0; ok && i < r->count; i++) {
        read_trial(r, i, r->path + used);
        used += r->trials[i].path_count;
        ok = r->trials[i].path_count > 1;
    }
    return ok;
}

static void free_set(recorded *r)
{
    free(r->trials);
    free(r->path);
    table_free(&r->pushes);
    table_free(&r->paths);
}

/* What the plate of a set lies on. `patch` is filled where the whole face does. */
static bool make_setup(const support_set *set, const push_parameters *p, int substeps,
                       ss_cone_kind cone, pressure *patch, push_setup *out)
{
    *out         = (push_setup){.outline       = outline,
                                .outline_count = 3,
                                .mass          = mass,
                                .tip_radius    = tip_radius,
                                .tip_friction  = p->tip_friction,
                                .substeps      = substeps,
                                .cone          = cone};
    out->support = (ss_support_def){.points         = set->points,
                                    .point_count    = 3,
                                    .friction       = &set->friction,
                                    .friction_count = 1,
                                    .gravity        = gravity};
    if (!set->patch) {
        return true;
    }
    bool ok =
        pressure_sample(patch, outline, 3, out->com, mass * gravity, &p->law, rho, PATCH_POINTS);
    out->support.points        = patch->points;
    out->support.point_count   = patch->count;
    out->support.normal_forces = patch->forces;
    return ok;
}

/* Runs the trials first, first + stride .. of a set. */
static bool run_set(const recorded *r, const support_set *set, const push_parameters *parameters,
                    int first, int stride, int substeps, ss_cone_kind cone, push_result *results,
                    push_error *errors)
{
    static pressure patch;
    push_setup      setup;
    pusher          p;
    if (!make_setup(set, parameters, substeps, cone, &patch, &setup) || !pusher_open(&p, &setup)) {
        return false;
    }
    for (int i = first; i < r->count; i += stride) {
        pusher_run(&p, &r->trials[i], &results[i]);
        errors[i] = push_error_of(&r->trials[i], results[i].end, rho);
    }
    pusher_close(&p);
    return true;
}

/* ---- identification ---- */

enum { CHOICES = 13 };

static push_parameters friction_choice(int k, double tip_friction)
{
    (void)tip_friction;
    push_parameters p = {.tip_friction = 0.2 + 0.05 * k};
    return p;
}

static push_parameters pressure_choice(int k, double tip_friction)
{
    static const double exponents[CHOICES] = {-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    push_parameters     p = {.tip_friction = tip_friction, .law = {.exponent = exponents[k]}};
    return p;
}

typedef push_parameters (*choice_fn)(int k, double tip_friction);

/* sum[k][f] += combined errors of the trials of fold f of a set with choice k. */
static bool add_errors(const validation *v, const support_set *set, choice_fn choice,
                       double tip_friction, double sum[CHOICES][FOLDS])
{
    static push_result results[MOST_TRIALS];
    static push_error  errors[MOST_TRIALS];
    recorded           r;
    bool               ok = read_set(&r, v->data, set->name);
    for (int k = 0; ok && k < CHOICES; k++) {
        push_parameters p = choice(k, tip_friction);
        ok                = run_set(&r, set, &p, 0, 1, 1, SS_CONE_QUADRATIC, results, errors);
        for (int i = 0; ok && i < r.count; i++) {
            sum[k][i % FOLDS] += errors[i].combined;
        }
    }
    free_set(&r);
    return ok;
}

/* The best choice for all trials but those of a fold. */
static int best_without(double sum[CHOICES][FOLDS], int fold)
{
    int    best  = 0;
    double least = INFINITY;
    for (int k = 0; k < CHOICES; k++) {
        double total = 0;
        for (int f = 0; f < FOLDS; f++) {
            total += f == fold ? 0 : sum[k][f];
        }
        if (total < least) {
            least = total;
            best  = k;
        }
    }
    return best;
}

static const char *group_of(const support_set *set)
{
    return set->patch ? set->name : "tripods";
}

static bool identify(const validation *v)
{
    double sum[CHOICES][FOLDS] = {{0}}, tip_friction;
    bool   ok                  = true;
    for (int s = 0; ok && s < TRIPODS; s++) {
        ok = add_errors(v, &sets[s], friction_choice, 0, sum);
    }
    for (int fold = ALL_FOLDS; ok && fold < FOLDS; fold++) {
        push_parameters p = friction_choice(best_without(sum, fold), 0);
        parameters_write(v->identify, folder, group_of(&sets[0]), fold, &p);
    }
    tip_friction = friction_choice(best_without(sum, ALL_FOLDS), 0).tip_friction;
    for (int s = TRIPODS; ok && s < SETS; s++) {
        memset(sum, 0, sizeof sum);
        ok = add_errors(v, &sets[s], pressure_choice, tip_friction, sum);
        for (int fold = ALL_FOLDS; ok && fold < FOLDS; fold++) {
            push_parameters p = pressure_choice(best_without(sum, fold), tip_friction);
            parameters_write(v->identify, folder, group_of(&sets[s]), fold, &p);
        }
    }
    return ok;
}

/* ---- scores ---- */

typedef struct pool { /* trials of several sets together */
    push_error errors[MOST_TRIALS * SETS];
    double     force_angle[MOST_TRIALS * SETS], force_ratio[MOST_TRIALS * SETS];
    int        count, failed;
} pool;

/* Angle between two pushes as (fx, fy, mz/rho), degrees; and the ratio of their sizes. */
static void compare_forces(const wrench *a, const wrench *b, double *angle, double *ratio)
{
    double x[3] = {a->fx, a->fy, a->mz / rho}, y[3] = {b->fx, b->fy, b->mz / rho};
    double xy = 0, xx = 0, yy = 0;
    for (int k = 0; k < 3; k++) {
        xy += x[k] * y[k];
        xx += x[k] * x[k];
        yy += y[k] * y[k];
    }
    *angle = acos(fmin(fmax(xy / sqrt(xx * yy), -1), 1)) * 180 / 3.14159265358979323846;
    *ratio = sqrt(xx / yy);
}

/* Scores one set, each fold with the parameters that were found without it. */
static bool score_set(const validation *v, int index, int substeps, ss_cone_kind cone, pool *out)
{
    static push_result results[MOST_TRIALS];
    static push_error  errors[MOST_TRIALS];
    recorded           r;
    bool               ok = read_set(&r, v->data, sets[index].name);
    for (int fold = 0; ok && fold < FOLDS; fold++) {
        push_parameters p;
        ok = parameters_find(v, folder, group_of(&sets[index]), fold, &p) &&
             run_set(&r, &sets[index], &p, fold, FOLDS, substeps, cone, results, errors);
        for (int i = fold; ok && i < r.count; i += FOLDS) {
            int at          = out->count++;
            out->errors[at] = errors[i];
            out->failed += !results[i].ok;
            compare_forces(&results[i].push, &r.trials[i].push, &out->force_angle[at],
                           &out->force_ratio[at]);
        }
    }
    free_set(&r);
    return ok;
}

static void print_pool(const char *name, const pool *p)
{
    push_score s = score_of(p->errors, p->count);
    print_score(name, &s);
    printf(" %.1f | %.1f | %.2f |\n", mean_of(p->force_angle, p->count),
           median_of(p->force_angle, p->count), median_of(p->force_ratio, p->count));
    if (p->failed > 0) {
        printf("\n%d trials of %s ended in a step that failed.\n\n", p->failed, name);
    }
}

static void add_pool(pool *to, const pool *from)
{
    for (int i = 0; i < from->count; i++) {
        to->errors[to->count]        = from->errors[i];
        to->force_angle[to->count]   = from->force_angle[i];
        to->force_ratio[to->count++] = from->force_ratio[i];
    }
    to->failed += from->failed;
}

static bool print_sets(const validation *v)
{
    static pool one, tripods, patches;
    bool        ok = true;
    tripods = patches = (pool){.count = 0};
    print_score_head("set", " force deg, mean | median | size, median |");
    for (int s = 0; ok && s < SETS; s++) {
        one = (pool){.count = 0};
        ok  = score_set(v, s, 1, SS_CONE_QUADRATIC, &one);
        print_pool(sets[s].name, &one);
        add_pool(s < TRIPODS ? &tripods : &patches, &one);
    }
    print_pool("**all tripods**", &tripods);
    print_pool("**both patches**", &patches);
    add_pool(&tripods, &patches);
    print_pool("**all ten sets**", &tripods);
    validation whole = *v;
    whole.frozen     = true;
    tripods          = (pool){.count = 0};
    for (int s = 0; ok && s < TRIPODS; s++) {
        ok = score_set(&whole, s, 1, SS_CONE_QUADRATIC, &tripods);
    }
    print_pool("all tripods, friction identified on all of them", &tripods);
    printf("| reference, one finger friction | | 1.34 | | 1.14 | | | 18 %% | | | | |\n\n");
    return ok;
}

/* Smaller steps, and the other cone: what the numbers owe to the discretisation. */
static bool print_study(const validation *v)
{
    static const struct {
        const char  *name;
        int          substeps;
        ss_cone_kind cone;
        bool         lengthy;
    } rows[] = {{"1 step a sample", 1, SS_CONE_QUADRATIC, false},
                {"10 steps", 10, SS_CONE_QUADRATIC, false},
                {"100 steps", 100, SS_CONE_QUADRATIC, true},
                {"1 step, 8 directions", 1, SS_CONE_POLYGON, true}};
    static pool all;
    bool        ok = true;
    print_score_head("all tripods", " force deg, mean | median | size, median |");
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        all = (pool){.count = 0};
        for (int s = 0; ok && s < TRIPODS && (v->all || !rows[i].lengthy); s++) {
            ok = score_set(v, s, rows[i].substeps, rows[i].cone, &all);
        }
        if (all.count > 0) {
            print_pool(rows[i].name, &all);
        }
    }
    printf("\n");
    return ok;
}

bool validate_tripod_push(const validation *v)
{
    push_parameters p;
    if (v->identify != NULL) {
        return identify(v);
    }
    if (!parameters_find(v, folder, "tripods", ALL_FOLDS, &p)) {
        return false;
    }
    printf("## tripod_push\n\nFriction of the finger, identified on all tripods: %.2f.\n\n",
           p.tip_friction);
    return print_sets(v) && print_study(v);
}
