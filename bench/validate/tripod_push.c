/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tripod_push: a finger pushes a triangular plate that lies on three known points, or on its whole
 * face (Zhou, Paolini, Bagnell, Mason 2016). The tripods leave five numbers open, which are found
 * together by the least mean combined error over all tripods (Nelder and Mead's method): friction
 * of the finger, the height at which it pushes, where the centre of mass is, and how long forces
 * are recorded after places. The last is needed because poses and places of the finger do not fit
 * by half a millimetre or more: the force says when they touch, and the path is shifted along the
 * normal of the edge so that they do. Where the whole face lies on the surface the pressure is open
 * too: the exponent of its law, of -1, -0.5 .. 8, is identified with the other numbers of the
 * tripods.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate.h"

static const char folder[] = "tripod_push";

static const double mass = 1.518, gravity = 9.81;
static const double rho        = 0.0707; /* of the combined error, m                              */
static const double tip_radius = 1e-4; /* median distance of the tip from the outline at the end */
static const double rises      = 0.3; /* N: forces before a touch are below 0.02, after it 2 to 6 */

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
    waypoint   *path; /* of all trials, one after the other: where the finger is taken to be */
    waypoint   *measured;
    double     *touch; /* (count) when the force rises */
    push_trial *trials;
    int         count;
} recorded;

static double cell(const table *t, int row, const char *column)
{
    return table_number(t, row, table_column(t, column));
}

/* When the force passes `rises`, between row i - 1 of the paths and row i. */
static double rise_between(const table *t, int i)
{
    double was = hypot(cell(t, i - 1, "fx"), cell(t, i - 1, "fy"));
    double is  = hypot(cell(t, i, "fx"), cell(t, i, "fy"));
    double s   = (rises - was) / (is - was);
    return cell(t, i - 1, "t") + s * (cell(t, i, "t") - cell(t, i - 1, "t"));
}

static void read_trial(recorded *r, int row, int used)
{
    const table *p = &r->pushes;
    push_trial  *t = &r->trials[row];
    t->start       = (pose){cell(p, row, "x0"), cell(p, row, "y0"), cell(p, row, "th0")};
    t->end         = (pose){cell(p, row, "x1"), cell(p, row, "y1"), cell(p, row, "th1")};
    t->push        = (wrench){cell(p, row, "fx"), cell(p, row, "fy"), cell(p, row, "mz")};
    t->path        = r->path + used;
    r->touch[row]  = NAN;
    const char *id = table_text(p, row, table_column(p, "push"));
    for (int i = 0; i < r->paths.rows; i++) {
        if (strcmp(table_text(&r->paths, i, table_column(&r->paths, "push")), id) != 0) {
            continue;
        }
        bool presses = hypot(cell(&r->paths, i, "fx"), cell(&r->paths, i, "fy")) > rises;
        if (isnan(r->touch[row]) && presses && t->path_count > 0) {
            r->touch[row] = rise_between(&r->paths, i);
        }
        r->measured[used + t->path_count++] =
            (waypoint){cell(&r->paths, i, "t"), cell(&r->paths, i, "px"), cell(&r->paths, i, "py")};
    }
}

static waypoint place_at(const waypoint *path, int count, double t)
{
    int k = 0;
    while (k + 2 < count && t > path[k + 1].t) {
        k++;
    }
    double s = (t - path[k].t) / (path[k + 1].t - path[k].t);
    return (waypoint){t, path[k].x + s * (path[k + 1].x - path[k].x),
                      path[k].y + s * (path[k + 1].y - path[k].y)};
}

/* Distance of a place from the nearest edge's line, outside positive, and the normal of it. */
static double gap_at(const pose *at, const waypoint *tip, ss_vec3 *normal)
{
    double c = cos(at->angle), s = sin(at->angle), dx = tip->x - at->x, dy = tip->y - at->y;
    double x = c * dx + s * dy, y = -s * dx + c * dy, nearest = HUGE_VAL, gap = 0;
    for (int k = 0; k < 3; k++) {
        ss_vec3 a = outline[k], b = outline[(k + 1) % 3];
        double  length = hypot(b.x - a.x, b.y - a.y);
        double  tx = (b.x - a.x) / length, ty = (b.y - a.y) / length;
        double  along = (x - a.x) * tx + (y - a.y) * ty;
        double  out = (x - a.x) * ty - (y - a.y) * tx, beside = fmax(-along, along - length);
        double  distance = hypot(out, fmax(beside, 0));
        if (distance < nearest) {
            nearest = distance;
            gap     = out;
            *normal = ss_v3(c * ty + s * tx, s * ty - c * tx, 0);
        }
    }
    return gap;
}

/* Shifts each path along the normal of the edge that is pushed, so that it touches when it says. */
static void fit_paths(recorded *r, double delay)
{
    for (int i = 0; i < r->count; i++) {
        push_trial *t    = &r->trials[i];
        ptrdiff_t   from = t->path - r->path;
        ss_vec3     n    = {0, 0, 0};
        double      by   = 0;
        if (delay >= 0 && !isnan(r->touch[i])) {
            waypoint tip = place_at(r->measured + from, t->path_count, r->touch[i] - delay);
            by           = tip_radius - gap_at(&t->start, &tip, &n);
        }
        for (ptrdiff_t k = from; k < from + t->path_count; k++) {
            const waypoint *w = &r->measured[k];
            r->path[k]        = (waypoint){w->t, w->x + by * n.x, w->y + by * n.y};
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
    ok          = ok && table_read(&r->paths, where, file);
    r->count    = ok ? r->pushes.rows : 0;
    r->path     = calloc((size_t)r->paths.rows + 1, sizeof *r->path);
    r->measured = calloc((size_t)r->paths.rows + 1, sizeof *r->measured);
    r->touch    = calloc((size_t)r->count + 1, sizeof *r->touch);
    r->trials   = calloc((size_t)r->count + 1, sizeof *r->trials);
    ok = ok && r->path != NULL && r->measured != NULL && r->touch != NULL && r->trials != NULL &&
         r->count <= MOST_TRIALS;
    for (int i = 0, used = 0; ok && i < r->count; i++) {
        read_trial(r, i, used);
        used += r->trials[i].path_count;
        ok = r->trials[i].path_count > 1;
    }
    return ok;
}

static void free_set(recorded *r)
{
    free(r->trials);
    free(r->touch);
    free(r->measured);
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
                                .com           = {p->com_x, p->com_y, 0},
                                .tip_radius    = tip_radius,
                                .tip_friction  = p->tip_friction,
                                .substeps      = substeps,
                                .cone          = cone};
    out->support = (ss_support_def){.points         = set->points,
                                    .point_count    = 3,
                                    .friction       = &set->friction,
                                    .friction_count = 1,
                                    .gravity        = gravity,
                                    .push_height    = p->height};
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
static bool run_set(recorded *r, const support_set *set, const push_parameters *parameters,
                    int first, int stride, int substeps, ss_cone_kind cone, push_result *results,
                    push_error *errors)
{
    static pressure patch;
    push_setup      setup;
    pusher          p;
    fit_paths(r, parameters->delay);
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

/* Sum of combined errors of a set's trials, but for those of a fold. */
static bool add_errors(recorded *r, const support_set *set, const push_parameters *p, int fold,
                       double *sum)
{
    static push_result results[MOST_TRIALS];
    static push_error  errors[MOST_TRIALS];
    for (int f = 0; f < FOLDS; f++) {
        if (f == fold) {
            continue;
        }
        if (!run_set(r, set, p, f, FOLDS, 1, SS_CONE_QUADRATIC, results, errors)) {
            return false;
        }
        for (int i = f; i < r->count; i += FOLDS) {
            *sum += errors[i].combined;
        }
    }
    return true;
}

enum { UNKNOWNS = 5, SEARCH_ROUNDS = 90 };

typedef struct fit {
    recorded *sets; /* (TRIPODS) */
    int       fold; /* left out  */
} fit;

static push_parameters parameters_of(const double *x)
{
    return (push_parameters){
        .tip_friction = x[0], .height = x[1], .com_x = x[2], .com_y = x[3], .delay = x[4]};
}

/* The centre of mass stays within the smallest tripod. */
static bool allowed(const double *x)
{
    return x[0] >= 0.1 && x[0] <= 1.2 && x[1] >= 0 && x[1] < 0.06 && fabs(x[2]) < 3e-3 &&
           fabs(x[3]) < 3e-3 && x[2] + x[3] < 6e-3 && x[4] >= 0 && x[4] < 0.8;
}

static double sum_of_errors(void *user, const double *x)
{
    const fit      *f   = user;
    push_parameters p   = parameters_of(x);
    double          sum = 0;
    bool            ok  = allowed(x);
    for (int s = 0; ok && s < TRIPODS; s++) {
        ok = add_errors(&f->sets[s], &sets[s], &p, f->fold, &sum);
    }
    return ok ? sum : HUGE_VAL;
}

static push_parameters identify_tripods(recorded *all, int fold)
{
    static const double size[UNKNOWNS] = {0.08, 0.008, 7e-4, 7e-4, 0.1};
    double              x[UNKNOWNS]    = {0.5, 0.01, 0, 0, 0.2};
    fit                 f              = {all, fold};
    (void)ss_simplex_minimise(NULL, sum_of_errors, &f, x, size, UNKNOWNS, SEARCH_ROUNDS, NULL);
    fprintf(stderr, "identified tripods, fold %d\n", fold);
    return parameters_of(x);
}

/* The exponent of the pressure under the whole face, the rest as the tripods have it. */
static bool identify_patch(recorded *r, const support_set *set, int fold, push_parameters *best)
{
    static const double exponents[] = {-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    double              least       = HUGE_VAL;
    push_parameters     p           = *best;
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        double sum     = 0;
        p.law.exponent = exponents[k];
        if (!add_errors(r, set, &p, fold, &sum)) {
            return false;
        }
        if (sum < least) {
            least = sum;
            *best = p;
        }
    }
    return true;
}

static const char *group_of(const support_set *set)
{
    return set->patch ? set->name : "tripods";
}

static bool identify(const validation *v)
{
    recorded        all[SETS] = {{.count = 0}};
    push_parameters tripods[FOLDS + 1];
    bool            ok = true;
    for (int s = 0; s < SETS; s++) {
        ok = read_set(&all[s], v->data, sets[s].name) && ok;
    }
    for (int fold = ALL_FOLDS; ok && fold < FOLDS; fold++) {
        tripods[fold + 1] = identify_tripods(all, fold);
        parameters_write(v->identify, folder, group_of(&sets[0]), fold, &tripods[fold + 1]);
    }
    for (int s = TRIPODS; ok && s < SETS; s++) {
        for (int fold = ALL_FOLDS; ok && fold < FOLDS; fold++) {
            push_parameters p = tripods[fold + 1];
            ok                = identify_patch(&all[s], &sets[s], fold, &p);
            parameters_write(v->identify, folder, group_of(&sets[s]), fold, &p);
        }
    }
    for (int s = 0; s < SETS; s++) {
        free_set(&all[s]);
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

typedef struct manner { /* in which trials are run */
    int          substeps;
    ss_cone_kind cone;
    bool         places_alone; /* forces do not tell when the finger touches */
} manner;

/* Scores one set, each fold with the parameters that were found without it. */
static bool score_set(const validation *v, int index, manner how, pool *out)
{
    static push_result results[MOST_TRIALS];
    static push_error  errors[MOST_TRIALS];
    recorded           r;
    bool               ok = read_set(&r, v->data, sets[index].name);
    for (int fold = 0; ok && fold < FOLDS; fold++) {
        push_parameters p;
        ok      = parameters_find(v, folder, group_of(&sets[index]), fold, &p);
        p.delay = how.places_alone ? -1 : p.delay;
        ok      = ok &&
             run_set(&r, &sets[index], &p, fold, FOLDS, how.substeps, how.cone, results, errors);
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
        ok  = score_set(v, s, (manner){1, SS_CONE_QUADRATIC, false}, &one);
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
        ok = score_set(&whole, s, (manner){1, SS_CONE_QUADRATIC, false}, &tripods);
    }
    print_pool("all tripods, numbers identified on all of them", &tripods);
    tripods = (pool){.count = 0};
    for (int s = 0; ok && s < TRIPODS; s++) {
        ok = score_set(v, s, (manner){1, SS_CONE_QUADRATIC, true}, &tripods);
    }
    print_pool("all tripods, places of the finger as recorded", &tripods);
    printf("| reference, one finger friction | | 1.34 | | 1.14 | | | 18 %% | | | | |\n\n");
    return ok;
}

/* Smaller steps, and the other cone: what the numbers owe to the discretisation. */
static bool print_study(const validation *v)
{
    static const struct {
        const char *name;
        manner      how;
        bool        lengthy;
    } rows[] = {{"1 step a sample", {1, SS_CONE_QUADRATIC, false}, false},
                {"10 steps", {10, SS_CONE_QUADRATIC, false}, false},
                {"100 steps", {100, SS_CONE_QUADRATIC, false}, true},
                {"1 step, 8 directions", {1, SS_CONE_POLYGON, false}, true}};
    static pool all;
    bool        ok = true;
    print_score_head("all tripods", " force deg, mean | median | size, median |");
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        all = (pool){.count = 0};
        for (int s = 0; ok && s < TRIPODS && (v->all || !rows[i].lengthy); s++) {
            ok = score_set(v, s, rows[i].how, &all);
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
    printf("## tripod_push\n\nIdentified on all tripods: friction of the finger %.2f, its height "
           "%.1f mm, centre of mass (%.1f, %.1f) mm off the centroid, forces %.2f s after "
           "places.\n\n",
           p.tip_friction, 1e3 * p.height, 1e3 * p.com_x, 1e3 * p.com_y, p.delay);
    return print_sets(v) && print_study(v);
}
