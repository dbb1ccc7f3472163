/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mit_push_endpoints: straight pushes of 11 steel parts on two surfaces by a round tip (Yu, Bauza,
 * Fazeli, Rodriguez 2016). What presses where under a part is not known: for each part on each
 * surface the six numbers of a pressure law and the friction of the tip are identified together,
 * by the least mean combined error with Nelder and Mead's method, from a uniform pressure; with
 * them how far the frames of tip and part are off each other, which the recordings show where the
 * tip touches.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate.h"

static const char   folder[]   = "mit_push_endpoints";
static const double tip_radius = 0.00475, gravity = 9.81;
static const double farthest_off     = 0.005; /* of frames from each other */
static const double surface_friction = 0.2;   /* scales forces; it does not change the motion */

typedef struct part {
    const char *name;
    double      mass;
    ss_vec3     com; /* in the frame of outline and poses */
} part;

static const part parts[] = {
    {"rect1", 0.8374, {0, 0, 0}},
    {"rect2", 1.045, {0, 0, 0}},
    {"rect3", 1.2508, {0, 0, 0}},
    {"tri1", 0.8028, {0.00303, 0.00306, 0}},
    {"tri2", 0.9826, {-0.00542, 0.00309, 0}},
    {"tri3", 1.1326, {-0.01388, 0.00319, 0}},
    {"ellip1", 0.8937, {0, 0, 0}},
    {"ellip2", 1.1104, {0, 0, 0}},
    {"ellip3", 1.3338, {0, 0, 0}},
    {"hex", 0.9827, {0, 0, 0}},
    {"butter", 1.1974, {0, 0, 0}},
};
static const char *const surfaces[] = {"abs", "plywood"};
enum { PARTS = (int)(sizeof parts / sizeof *parts), SURFACES = 2, GROUPS = PARTS * SURFACES };
enum { MOST_TRIALS = 400, MOST_VERTICES = 80, THINNED = 50, POINTS = 20, STEPS = 20, UNKNOWNS = 9 };

/* Simplexes one after the other, each about what the last found: at first of few trials and steps,
   at last of those that are scored. What is found for all trials begins with what half of them
   found, in the last stage; so does --refine with what the file has. */
typedef struct stage {
    int    trials, steps, rounds;
    double size; /* of the simplex */
} stage;

static const stage stages[] = {{60, 8, 110, 1}, {100, 10, 60, 0.5}, {200, STEPS, 30, 0.25}};
enum { STAGES = (int)(sizeof stages / sizeof *stages) };

/* One part on one surface. */
typedef struct group {
    char        name[32];
    const part *part;
    ss_vec3     outline[MOST_VERTICES];
    int32_t     vertices;
    bool        hollow; /* it is not convex */
    double      rho;    /* mean distance of the vertices */
    int         count;
    push_trial  trials[MOST_TRIALS];
    waypoint    paths[MOST_TRIALS][2];
    pose        fitted[MOST_TRIALS]; /* end poses of the authors' fitted ellipsoid */
} group;

typedef struct files {
    table pushes, shapes, fitted;
} files;

/* ---- reading ---- */

static bool is(const table *t, int row, const char *column, const char *text)
{
    return strcmp(table_text(t, row, table_column(t, column)), text) == 0;
}

static double cell(const table *t, int row, const char *column)
{
    return table_number(t, row, table_column(t, column));
}

/* Has the outline corners that turn both ways? */
static bool is_hollow(const group *g)
{
    bool left = false, right = false;
    for (int32_t i = 0; i < g->vertices; i++) {
        const ss_vec3 *a = &g->outline[i], *b = &g->outline[(i + 1) % g->vertices],
                      *c = &g->outline[(i + 2) % g->vertices];
        double turn      = (b->x - a->x) * (c->y - b->y) - (b->y - a->y) * (c->x - b->x);
        left             = left || turn > 0;
        right            = right || turn < 0;
    }
    return left && right;
}

/* Outlines of more vertices than fit are thinned evenly to THINNED. */
static void read_outline(const table *shapes, group *g)
{
    int total = 0, seen = 0;
    for (int r = 0; r < shapes->rows; r++) {
        total += is(shapes, r, "shape", g->part->name);
    }
    int every = total > MOST_VERTICES ? (total + THINNED - 1) / THINNED : 1;
    for (int r = 0; r < shapes->rows; r++) {
        if (is(shapes, r, "shape", g->part->name) && seen++ % every == 0) {
            ss_vec3 x                 = {cell(shapes, r, "x"), cell(shapes, r, "y"), 0};
            g->outline[g->vertices++] = x;
            g->rho += ss_norm(ss_sub(x, g->part->com));
        }
    }
    g->rho /= g->vertices;
    g->hollow = is_hollow(g);
}

static void read_trials(const files *f, const char *surface, group *g)
{
    const table *p = &f->pushes;
    for (int r = 0; r < p->rows && g->count < MOST_TRIALS; r++) {
        if (!is(p, r, "surface", surface) || !is(p, r, "shape", g->part->name)) {
            continue;
        }
        int         i  = g->count++;
        push_trial *t  = &g->trials[i];
        g->paths[i][0] = (waypoint){0, cell(p, r, "tx0"), cell(p, r, "ty0")};
        g->paths[i][1] = (waypoint){5, cell(p, r, "tx1"), cell(p, r, "ty1")};
        t->start       = (pose){cell(p, r, "x0"), cell(p, r, "y0"), cell(p, r, "th0")};
        t->end         = (pose){cell(p, r, "x1"), cell(p, r, "y1"), cell(p, r, "th1")};
        t->path        = g->paths[i];
        t->path_count  = 2;
        g->fitted[i]   = t->end;
        if (r < f->fitted.rows && is(&f->fitted, r, "shape", g->part->name)) {
            g->fitted[i] = (pose){cell(&f->fitted, r, "x1sim"), cell(&f->fitted, r, "y1sim"),
                                  cell(&f->fitted, r, "th1sim")};
        }
    }
}

static bool read_files(files *f, const char *data)
{
    char where[1024];
    snprintf(where, sizeof where, "%s/%s", data, folder);
    *f = (files){.pushes = {0}};
    return table_read(&f->pushes, where, "pushes.csv") &&
           table_read(&f->shapes, where, "shapes.csv") &&
           table_read(&f->fitted, where, "baseline_quadratic_fit.csv");
}

static group *read_groups(const char *data)
{
    files  f;
    bool   ok     = read_files(&f, data);
    group *groups = ok ? calloc(GROUPS, sizeof *groups) : NULL;
    for (int i = 0; groups != NULL && i < GROUPS; i++) {
        const char *surface = surfaces[i / PARTS];
        groups[i].part      = &parts[i % PARTS];
        snprintf(groups[i].name, sizeof groups[i].name, "%s %s", surface, groups[i].part->name);
        read_outline(&f.shapes, &groups[i]);
        read_trials(&f, surface, &groups[i]);
    }
    table_free(&f.pushes);
    table_free(&f.shapes);
    table_free(&f.fitted);
    return groups;
}

/* ---- simulation ---- */

/* Which trials of a group are run: trial i, for a fold; at most so many. */
typedef bool (*trial_filter)(const group *g, int i, int fold, int most);

static bool in_fold(const group *g, int i, int fold, int most)
{
    (void)g;
    (void)most;
    return i % FOLDS == fold;
}

/* Outside the fold, and every n-th of those where there are more than `most`. */
static bool trains(const group *g, int i, int fold, int most)
{
    int outside = fold == ALL_FOLDS ? g->count : g->count * (FOLDS - 1) / FOLDS;
    int every   = (outside + most - 1) / most;
    return i % FOLDS != fold && i / FOLDS % every == 0;
}

/* From the outline's nearest point to x, both in the part's frame. */
static ss_vec3 from_outline(const group *g, ss_vec3 x)
{
    ss_vec3 best = {HUGE_VAL, 0, 0};
    for (int32_t i = 0, j = g->vertices - 1; i < g->vertices; j = i++) {
        ss_vec3 along = ss_sub(g->outline[i], g->outline[j]), to = ss_sub(x, g->outline[j]);
        double  s    = fmin(fmax(ss_dot(to, along) / ss_dot(along, along), 0), 1);
        ss_vec3 from = ss_axpy(to, -s, along);
        best         = ss_norm(from) < ss_norm(best) ? from : best;
    }
    return best;
}

/* A start in the tip is a measurement that is off: the part is moved out of it. */
static void clear_start(const group *g, push_trial *t)
{
    pose  *at = &t->start;
    double c = cos(at->angle), s = sin(at->angle), dx = t->path[0].x - at->x,
           dy    = t->path[0].y - at->y;
    ss_vec3 from = from_outline(g, ss_v3(c * dx + s * dy, -s * dx + c * dy, 0));
    double  far = ss_norm(from), deep = tip_radius - far;
    if (deep > 0 && far > 0) {
        at->x -= deep / far * (c * from.x - s * from.y);
        at->y -= deep / far * (s * from.x + c * from.y);
    }
}

/* The end that is predicted: the measured start, and the motion of a run; false: it failed. */
static bool predict(const group *g, const push_parameters *p, pusher *world, const push_trial *t,
                    pose *end)
{
    push_trial  one     = *t;
    waypoint    path[2] = {t->path[0], t->path[1]};
    push_result result;
    for (int k = 0; k < 2; k++) {
        path[k].x += p->tip_x;
        path[k].y += p->tip_y;
    }
    one.path = path;
    clear_start(g, &one);
    pusher_run(world, &one, &result);
    *end = (pose){t->start.x + result.end.x - one.start.x, t->start.y + result.end.y - one.start.y,
                  t->start.angle + result.end.angle - one.start.angle};
    return result.ok;
}

/* Errors of those trials in their places; false when the setup is refused, or (at most `failing`) a
   search need not go on because runs fail. */
static bool run_group(const group *g, const push_parameters *p, int steps, trial_filter wanted,
                      int fold, int most, int failing, push_error *errors)
{
    pressure   pressed;
    push_setup setup = {.outline       = g->outline,
                        .outline_count = g->vertices,
                        .mass          = g->part->mass,
                        .com           = g->part->com,
                        .tip_radius    = tip_radius,
                        .tip_friction  = p->tip_friction,
                        .substeps      = steps};
    pusher     world;
    if (!pressure_sample(&pressed, g->outline, g->vertices, g->part->com, g->part->mass * gravity,
                         &p->law, g->rho, POINTS)) {
        return false;
    }
    setup.support = (ss_support_def){.points         = pressed.points,
                                     .point_count    = pressed.count,
                                     .friction       = &surface_friction,
                                     .friction_count = 1,
                                     .normal_forces  = pressed.forces,
                                     .gravity        = gravity};
    if (!pusher_open(&world, &setup)) {
        return false;
    }
    for (int i = 0; i < g->count && failing >= 0; i++) {
        pose end;
        if (wanted(g, i, fold, most)) {
            failing -= !predict(g, p, &world, &g->trials[i], &end);
            errors[i] = push_error_of(&g->trials[i], end, g->rho);
        }
    }
    pusher_close(&world);
    return failing >= 0;
}

/* ---- identification ---- */

typedef struct fit {
    const group *g;
    int          fold; /* left out */
    const stage *stage;
    push_error  *errors;
} fit;

static push_parameters parameters_of(const double *x)
{
    return (push_parameters){.tip_friction = x[0],
                             .law          = {x[1], x[2], x[3], x[4], x[5], x[6]},
                             .tip_x        = x[7],
                             .tip_y        = x[8]};
}

static bool allowed(const double *x)
{
    bool ok = x[0] >= 0.01 && x[0] <= 0.6 && x[1] > -1.5 && x[1] < 12;
    for (int k = 2; k < 6; k++) {
        ok = ok && fabs(x[k]) < 12;
    }
    return ok && fabs(x[6]) < 1 && hypot(x[7], x[8]) < farthest_off;
}

/* A tip that goes further than its radius in a step is inside a convex piece of a hollow part
   before it is pushed out, and may be pushed out where two pieces meet: no solution of such a step
   is found, and much is spent until solvers give up. Hollow parts are pushed with the steps that
   are scored. */
static int steps_of(const fit *f)
{
    return f->g->hollow ? STEPS : f->stage->steps;
}

static double mean_error(void *user, const double *x)
{
    const fit      *f = user;
    push_parameters p = parameters_of(x);
    if (!allowed(x) ||
        !run_group(f->g, &p, steps_of(f), trains, f->fold, f->stage->trials, 0, f->errors)) {
        return HUGE_VAL;
    }
    double sum   = 0;
    int    count = 0;
    for (int i = 0; i < f->g->count; i++) {
        if (trains(f->g, i, f->fold, f->stage->trials)) {
            sum += f->errors[i].combined;
            count++;
        }
    }
    return sum / count;
}

/* From uniform pressure through all stages; or (known) the last of them about what was found
 * before.
 */
static push_parameters identify_one(const group *g, int fold, const push_parameters *known)
{
    static const double first[UNKNOWNS] = {0.05, 1, 0.5, 0.5, 1, 1, 0.15, 4e-4, 4e-4};
    double              x[UNKNOWNS]     = {0.2}, size[UNKNOWNS];
    fit                 f = {.g = g, .fold = fold, .errors = calloc(MOST_TRIALS, sizeof *f.errors)};
    if (known != NULL) {
        const double found[UNKNOWNS] = {known->tip_friction, known->law.exponent, known->law.tilt_x,
                                        known->law.tilt_y,   known->law.stretch,  known->law.shear,
                                        known->law.reach,    known->tip_x,        known->tip_y};
        memcpy(x, found, sizeof x);
    }
    for (int s = known != NULL ? STAGES - 1 : 0; f.errors != NULL && s < STAGES; s++) {
        for (int k = 0; k < UNKNOWNS; k++) {
            size[k] = stages[s].size * first[k];
        }
        f.stage = &stages[s];
        (void)ss_simplex_minimise(NULL, mean_error, &f, x, size, UNKNOWNS, stages[s].rounds, NULL);
    }
    free(f.errors);
    return parameters_of(x);
}

/* One part on one surface: each half without the other, then all trials. */
static void identify_group(const validation *v, const group *g, push_parameters found[FOLDS + 1])
{
    static const int order[FOLDS + 1] = {0, 1, ALL_FOLDS};
    for (int k = 0; k <= FOLDS; k++) {
        push_parameters from;
        bool            known = parameters_known(v, folder, g->name, order[k], &from);
        if (known && !v->refine) {
            found[k] = from;
            continue;
        }
        const push_parameters *begin = known ? &from : order[k] == ALL_FOLDS ? &found[0] : NULL;
        found[k]                     = identify_one(g, order[k], begin);
        fprintf(stderr, "identified %s, fold %d\n", g->name, order[k]);
    }
}

/* What is known of all groups; rows are written in their order, as soon as those before are there,
   so that an interrupted search goes on where it was. */
typedef struct findings {
    push_parameters found[GROUPS][FOLDS + 1];
    bool            done[GROUPS];
    int             written;
} findings;

static void write_ready(const validation *v, const group *groups, findings *all)
{
    for (; all->written < GROUPS && all->done[all->written]; all->written++) {
        for (int k = 0; k <= FOLDS; k++) {
            parameters_write(v->identify, folder, groups[all->written].name,
                             k < FOLDS ? k : ALL_FOLDS, &all->found[all->written][k]);
        }
    }
}

static void identify(const validation *v, const group *groups)
{
    static findings all;
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < GROUPS; i++) {
        identify_group(v, &groups[i], all.found[i]);
#pragma omp critical
        {
            all.done[i] = true;
            write_ready(v, groups, &all);
        }
    }
}

/* ---- scores ---- */

typedef struct pool {
    push_error ours[MOST_TRIALS * PARTS], fitted[MOST_TRIALS * PARTS];
    int        count;
} pool;

static bool score_group(const validation *v, const group *g, int steps, pool *out)
{
    static push_error errors[MOST_TRIALS];
    bool              ok = true;
    for (int fold = 0; ok && fold < FOLDS; fold++) {
        push_parameters p;
        ok = parameters_find(v, folder, g->name, fold, &p) &&
             run_group(g, &p, steps, in_fold, fold, g->count, g->count, errors);
    }
    for (int i = 0; ok && i < g->count; i++) {
        out->ours[out->count]     = errors[i];
        out->fitted[out->count++] = push_error_of(&g->trials[i], g->fitted[i], g->rho);
    }
    return ok;
}

static void print_pool(const char *name, const pool *p)
{
    push_score ours   = score_of(p->ours, p->count);
    push_score fitted = score_of(p->fitted, p->count);
    print_score(name, &ours);
    printf(" %.2f | %.2f | %.2f |\n", fitted.mean_mm, fitted.mean_deg, fitted.combined);
}

static void add_pool(pool *to, const pool *from)
{
    memcpy(to->ours + to->count, from->ours, (size_t)from->count * sizeof *from->ours);
    memcpy(to->fitted + to->count, from->fitted, (size_t)from->count * sizeof *from->fitted);
    to->count += from->count;
}

static bool print_surface(const validation *v, const group *groups, int surface)
{
    static const char *const quartic[] = {"| quartic limit surface | | 2.7 | | 3.5 |",
                                          "| quartic limit surface | | 3.0 | | 3.2 |"};
    static pool              one, whole;
    char                     name[64];
    bool                     ok = true;
    whole.count                 = 0;
    print_score_head("part", " fitted ellipsoid, mm | deg | combined |");
    for (int i = 0; ok && i < PARTS; i++) {
        const group *g = &groups[surface * PARTS + i];
        one.count      = 0;
        ok             = score_group(v, g, STEPS, &one);
        print_pool(g->name, &one);
        add_pool(&whole, &one);
    }
    snprintf(name, sizeof name, "**all on %s**", surfaces[surface]);
    print_pool(name, &whole);
    printf("%s | | | | | | |\n\n", quartic[surface]);
    return ok;
}

static bool print_study(const validation *v, const group *groups)
{
    static const int steps[] = {10, 20, 100};
    static pool      all;
    bool             ok = true;
    print_score_head("abs, steps a push", " fitted ellipsoid, mm | deg | combined |");
    for (int k = 0; ok && k < 3; k++) {
        char name[16];
        all.count = 0;
        for (int i = 0; ok && i < PARTS; i++) {
            ok = score_group(v, &groups[i], steps[k], &all);
        }
        snprintf(name, sizeof name, "%d", steps[k]);
        print_pool(name, &all);
    }
    printf("\n");
    return ok;
}

bool validate_mit_push(const validation *v)
{
    group *groups = read_groups(v->data);
    bool   ok     = groups != NULL;
    if (ok && v->identify != NULL) {
        identify(v, groups);
    } else if (ok) {
        printf("## mit_push_endpoints\n\n");
        for (int s = 0; ok && s < SURFACES; s++) {
            ok = print_surface(v, groups, s);
        }
        ok = ok && (!v->all || print_study(v, groups));
    }
    free(groups);
    return ok;
}
