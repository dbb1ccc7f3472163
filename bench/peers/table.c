/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the CSV lines of the peers' programs and prints the table of what is to be reached, as
 * Markdown: for each row the goal, our value, whether it is reached, and every engine's best
 * setting. usage: peer_table FILE [--speed]      (--speed: only the rows of time per step, with
 * ratios)
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 32, MOST_LINES = 20000 };

typedef struct line {
    char   scene[WORD], engine[WORD], setting[WORD], metric[WORD];
    double h, apart, value;
} line;

typedef enum goal_kind {
    BELOW,     /* value <= goal                                                  */
    NEAR,      /* |value - goal| <= 5e-4: four digits printed by the reference   */
    HALF,      /* at most half of the fastest peer                               */
    HUNDREDTH, /* at most a hundredth of the fastest exact peer                  */
    SHOWN      /* no goal of its own                                             */
} goal_kind;

typedef struct row {
    const char *title, *scene;
    double      h;
    const char *metric;
    goal_kind   kind;
    double      goal;
} row;

static const char *const OURS = "stickslip";

/* clang-format off */
static const row rows[] = {
    {"sphere slides, then rolls, h = 0.12: velocity error (m/s)", "s1", 0.12, "velocity_error", BELOW, 1e-13},
    {"the same, h = 0.01", "s1", 0.01, "velocity_error", BELOW, 1e-13},
    {"the same, h = 0.001", "s1", 0.001, "velocity_error", BELOW, 1e-13},
    {"at 17° to the axes, h = 0.01: direction error while sliding (°)", "s1b", 0.01, "direction_error_deg", BELOW, 1e-12},
    {"the same, h = 0.001", "s1b", 0.001, "direction_error_deg", BELOW, 1e-12},
    {"rolling, 10 s: energy drift (relative)", "s2", 0.01, "energy_drift", BELOW, 1e-14},
    {"slope 0.01 rad below the friction angle, h = 0.01: creep in 10 s (m)", "s3-below", 0.01, "creep_m", BELOW, 1e-14},
    {"the same, h = 0.001", "s3-below", 0.001, "creep_m", BELOW, 1e-14},
    {"slope 0.01 rad above, h = 0.01: speed error (m/s)", "s3-above", 0.01, "speed_error", BELOW, 1e-13},
    {"the same, h = 0.001", "s3-above", 0.001, "speed_error", BELOW, 1e-13},
    {"sphere on two spheres to 3 s, h = 0.01: velocity error (m/s)", "s4", 0.01, "velocity_error", BELOW, 0.006},
    {"the same, h = 0.001", "s4", 0.001, "velocity_error", BELOW, 0.0006},
    {"ten boxes, 5 s: drift (m)", "s5", 0.01, "drift_m", BELOW, 1e-12},
    {"the same: sag (m)", "s5", 0.01, "sag_m", BELOW, 1e-12},
    {"1000 kg on 1 kg: drift (m)", "s5m-1e3", 0.01, "drift_m", BELOW, 1e-12},
    {"the same: sag (m)", "s5m-1e3", 0.01, "sag_m", BELOW, 1e-12},
    {"1e6 kg on 1 kg: drift (m)", "s5m-1e6", 0.01, "drift_m", BELOW, 1e-12},
    {"the same: sag (m)", "s5m-1e6", 0.01, "sag_m", BELOW, 1e-12},
    {"three starts (touching, 1e-9 apart, 1e-9 overlapping), sphere: spread of the ends (m)", "s1", 0.01, "spread_of_starts_m", BELOW, 1e-8},
    {"three starts, box on a slope", "s3-above", 0.01, "spread_of_starts_m", BELOW, 1e-8},
    {"three starts, sphere on two spheres", "s4", 0.01, "spread_of_starts_m", BELOW, 1e-8},
    {"three starts, ten boxes", "s5", 0.01, "spread_of_starts_m", BELOW, 1e-8},
    {"three starts, 1000 kg on 1 kg", "s5m-1e3", 0.01, "spread_of_starts_m", BELOW, 1e-8},
    {"Painlevé's rod, μ = 1.5: energy just after the first step in contact (J)", "s10-1.5", 0.001, "energy_after_one_step", NEAR, 11.150},
    {"the same, energy at 0.1 s (J)", "s10-1.5", 0.001, "energy_at_end", NEAR, 11.150},
    {"double pendulum: joint drift (m)", "s6", 0.001, "joint_drift_m", BELOW, 1e-9},
    {"the same: energy drift (relative)", "s6", 0.001, "energy_drift", BELOW, 2e-3},
    {"chain of 20 rods: joint drift (m)", "s9", 0.001, "joint_drift_m", BELOW, 1e-9},
    {"the same: energy drift (relative)", "s9", 0.001, "energy_drift", BELOW, 2e-3},
    {"sphere on a plane: CPU a step (µs)", "s8", 1e-4, "us_per_step", HALF, 0},
    {"box on a plane: CPU a step (µs)", "s8box", 1e-4, "us_per_step", HALF, 0},
    {"disc on a half plane, 2D: CPU a step (µs)", "s8disc-2d", 1e-4, "us_per_step", HALF, 0},
    {"box on a half plane, 2D: CPU a step (µs)", "s8box-2d", 1e-4, "us_per_step", HALF, 0},
    {"box on a shaken plate: CPU a step (µs)", "s8plate", 1e-4, "us_per_step", HALF, 0},
    {"the same: velocity error (m/s)", "s8plate", 1e-4, "velocity_error", BELOW, 1e-9},
    {"100 spheres poured: CPU a step (ms)", "s7-100", 0.005, "ms_per_step", HUNDREDTH, 0},
    {"the same: penetration (m)", "s7-100", 0.005, "penetration_m", BELOW, 5e-5},
    {"the same: worst certificate", "s7-100", 0.005, "residual", BELOW, 1e-6},
    {"1000 spheres: CPU a step (ms)", "s7-1000", 0.005, "ms_per_step", HUNDREDTH, 0},
    {"the same: penetration (m)", "s7-1000", 0.005, "penetration_m", BELOW, 5e-5},
    {"the same: worst certificate", "s7-1000", 0.005, "residual", BELOW, 1e-6},
};
/* clang-format on */

/* Settings that solve each step exactly: what the pile's goal is measured against. */
static bool is_exact(const line *l)
{
    return strcmp(l->setting, "direct") == 0 || strcmp(l->setting, "mlcp") == 0 ||
           strcmp(l->engine, "siconos") == 0 || strcmp(l->engine, "dart") == 0;
}

static bool is_time(const row *r)
{
    return strstr(r->metric, "_per_step") != NULL;
}

static int read_lines(const char *name, line *lines)
{
    FILE *file  = fopen(name, "r");
    int   count = 0;
    char  buffer[256];
    if (file == NULL) {
        fprintf(stderr, "peer_table: cannot read %s\n", name);
        return -1;
    }
    while (count < MOST_LINES && fgets(buffer, sizeof buffer, file) != NULL) {
        line *l = &lines[count];
        count += sscanf(buffer, "%31[^,],%31[^,],%31[^,],%lf,%lf,%31[^,],%lf", l->scene, l->engine,
                        l->setting, &l->h, &l->apart, l->metric, &l->value) == 7;
    }
    fclose(file);
    return count;
}

static bool belongs(const line *l, const row *r)
{
    return l->apart == 0 && fabs(l->h - r->h) < 1e-9 && strcmp(l->scene, r->scene) == 0 &&
           strcmp(l->metric, r->metric) == 0;
}

/* How good a value is for this row: smaller is better. */
static double badness(const row *r, double value)
{
    double bad = r->kind == NEAR ? fabs(value - r->goal) : value;
    return isnan(bad) ? INFINITY : bad;
}

typedef bool (*line_filter)(const line *l, const char *engine);

static bool of_engine(const line *l, const char *engine)
{
    return strcmp(l->engine, engine) == 0;
}

static bool of_peer(const line *l, const char *engine)
{
    return strcmp(l->engine, engine) != 0;
}

static bool of_exact_peer(const line *l, const char *engine)
{
    return of_peer(l, engine) && is_exact(l);
}

static const line *best(const line *lines, int count, const row *r, line_filter filter,
                        const char *engine)
{
    const line *found = NULL;
    for (int i = 0; i < count; i++) {
        if (belongs(&lines[i], r) && filter(&lines[i], engine) &&
            (found == NULL || badness(r, lines[i].value) < badness(r, found->value))) {
            found = &lines[i];
        }
    }
    return found;
}

/* The goal as a number; NAN when there is nothing to compare with. */
static double goal_of(const line *lines, int count, const row *r)
{
    const line *peer = NULL;
    switch (r->kind) {
    case HALF:
        peer = best(lines, count, r, of_peer, OURS);
        return peer != NULL ? 0.5 * peer->value : NAN;
    case HUNDREDTH:
        peer = best(lines, count, r, of_exact_peer, OURS);
        return peer != NULL ? 0.01 * peer->value : NAN;
    case SHOWN:
        return NAN;
    default:
        return r->goal;
    }
}

static const char *verdict(const row *r, double goal, const line *ours)
{
    if (ours == NULL) {
        return "no value";
    }
    if (isnan(goal)) {
        return "–";
    }
    double worst = r->kind == NEAR ? 5e-4 : goal;
    return badness(r, ours->value) <= worst ? "yes" : "**no**";
}

static void print_value(const row *r, const line *l)
{
    printf(r->kind == NEAR ? "%.4f (%s)"
           : is_time(r)    ? "%.4g (%s)"
                           : "%.1e (%s)",
           l->value, l->setting);
}

/* Every engine once, in the order in which the file names them. */
static void print_peers(const line *lines, int count, const row *r)
{
    bool first = true;
    for (int i = 0; i < count; i++) {
        if (!belongs(&lines[i], r) || of_engine(&lines[i], OURS)) {
            continue;
        }
        bool seen = false;
        for (int j = 0; j < i && !seen; j++) {
            seen = belongs(&lines[j], r) && of_engine(&lines[j], lines[i].engine);
        }
        if (!seen) {
            printf("%s%s ", first ? "" : ", ", lines[i].engine);
            print_value(r, best(lines, count, r, of_engine, lines[i].engine));
            first = false;
        }
    }
}

static void print_row(const line *lines, int count, const row *r)
{
    const line *ours = best(lines, count, r, of_engine, OURS);
    double      goal = goal_of(lines, count, r);
    printf("| %s | ", r->title);
    if (isnan(goal)) {
        printf("–");
    } else {
        printf(r->kind == NEAR ? "%.3f" : is_time(r) ? "%.3g" : "%.0e", goal);
    }
    printf(" | ");
    if (ours != NULL) {
        print_value(r, ours);
    } else {
        printf("–");
    }
    printf(" | %s | ", verdict(r, goal, ours));
    print_peers(lines, count, r);
    printf(" |\n");
}

/* One line a scene and setting of ours, with the ratio to each peer's best. */
static void print_speed(const line *lines, int count, const row *r)
{
    for (int i = 0; i < count; i++) {
        const line *l = &lines[i];
        if (!belongs(l, r) || !of_engine(l, OURS)) {
            continue;
        }
        line one  = *l;
        bool seen = false;
        for (int j = 0; j < count; j++) {
            if (belongs(&lines[j], r) && of_engine(&lines[j], OURS) &&
                strcmp(lines[j].setting, l->setting) == 0) {
                seen      = seen || j < i;
                one.value = fmin(one.value, lines[j].value);
            }
        }
        const line *peer = best(lines, count, r, of_peer, OURS);
        if (seen) {
            continue;
        }
        printf("| %s | %s | %.3f |", r->title, one.setting, one.value);
        if (peer != NULL) {
            printf(" %s %s %.3f | %.2f |\n", peer->engine, peer->setting, peer->value,
                   one.value / peer->value);
        } else {
            printf(" – | – |\n");
        }
    }
}

int main(int argc, char **argv)
{
    line *lines = malloc(MOST_LINES * sizeof *lines);
    int   count = argc > 1 && lines != NULL ? read_lines(argv[1], lines) : -1;
    bool  speed = argc > 2 && strcmp(argv[2], "--speed") == 0;
    if (count < 0) {
        fprintf(stderr, "usage: peer_table FILE [--speed]\n");
        free(lines);
        return 2;
    }
    printf(speed ? "| scene | model | stickslip | fastest peer | ratio |\n|---|---|---|---|---|\n"
                 : "| scene and measure | goal | stickslip | reached | peers, best setting each |\n"
                   "|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (speed && is_time(&rows[i])) {
            print_speed(lines, count, &rows[i]);
        } else if (!speed) {
            print_row(lines, count, &rows[i]);
        }
    }
    free(lines);
    return 0;
}
