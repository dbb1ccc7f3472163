/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a trial. Trial t belongs to cell t / n, where n is the number of trials of a cell,
 * and is its sample t mod n. Cells count through the grids, lists and tables, the last of the file
 * fastest. Every random coordinate u in (0, 1) is a function of (seed, trial, variable, number):
 *
 *   random   Philox at that counter;
 *   latin    (stratum + Philox) / n, the strata of a cell permuted anew for each coordinate;
 *   sobol    a point of Sobol's sequence, scrambled anew for each cell and coordinate;
 *   saltelli a point of that sequence in twice as many dimensions, which is two samples A and B:
 *            trials come in rows, with A, with B, and with one variable of B and the others of A
 *            (sobol_indices.c).
 *
 * Distributions are made from u by their quantile functions, so that stratified u give stratified
 * values. Correlated normals are x = mean + deviation (L z), z independent, L L' the correlation.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/constants.h"
#include "core/elementary.h"
#include "study/philox.h"
#include "study/quantile.h"
#include "study/sobol.h"
#include "study/study.h"

/* Counters of one variable that have other uses than its uniform numbers. */
enum {
    PERMUTATION     = 0x10000,
    SCRAMBLE        = 0x20000,
    SECOND          = 0x8000,
    TRIPOD          = 0x30000,
    TRIPOD_ATTEMPTS = 1000
};

static uint32_t word(const ss_study *s, uint64_t trial, uint32_t variable, uint32_t index)
{
    const uint32_t counter[4] = {(uint32_t)trial, (uint32_t)(trial >> 32), variable, index};
    return ss_philox_block(counter, s->seed).x[0];
}

/* Where a variable of a trial of a row comes from. */
typedef struct row_source {
    uint32_t row;    /* of the cell */
    bool     second; /* from B */
} row_source;

static row_source source_of(const ss_study *s, const ss_variable *v, int64_t trial)
{
    int32_t k = (int32_t)(trial % s->trials), size = s->random_count + 2, place = k % size;
    return (row_source){.row    = (uint32_t)(k / size),
                        .second = place == 1 || place == 2 + v->random};
}

/* The trial whose random numbers a variable takes: in rows one of A's or of B's. */
static int64_t drawn_for(const ss_study *s, const ss_variable *v, int64_t trial)
{
    if (s->sampling != SS_SAMPLING_SALTELLI) {
        return trial;
    }
    row_source from = source_of(s, v, trial);
    return trial - trial % s->trials + 2 * (int64_t)from.row + from.second;
}

static uint32_t row_point(const ss_study *s, const ss_variable *v, int64_t trial, int32_t j)
{
    row_source from      = source_of(s, v, trial);
    int32_t    dimension = v->coordinate + j + (from.second ? s->coordinate_count : 0);
    uint32_t   scramble  = SCRAMBLE + (uint32_t)j + (from.second ? SECOND : 0);
    return ss_sobol(from.row, dimension, word(s, (uint64_t)(trial / s->trials), v->name, scramble));
}

static double coordinate(const ss_study *s, const ss_variable *v, int64_t trial, int32_t j)
{
    uint32_t n = (uint32_t)s->trials, k = (uint32_t)(trial % s->trials);
    uint64_t cell = (uint64_t)(trial / s->trials);
    double   pair[2];
    ss_philox_uniform(s->seed, (uint64_t)drawn_for(s, v, trial), v->name, (uint32_t)j / 2, pair);
    double u = pair[j % 2];
    switch (s->sampling) {
    case SS_SAMPLING_RANDOM:
        break;
    case SS_SAMPLING_LATIN:
        u = (ss_permute(k, n, word(s, cell, v->name, PERMUTATION + (uint32_t)j)) + u) / n;
        break;
    case SS_SAMPLING_SOBOL:
        u = (ss_sobol(k, v->coordinate + j, word(s, cell, v->name, SCRAMBLE + (uint32_t)j)) + u) *
            0x1p-32;
        break;
    case SS_SAMPLING_SALTELLI:
        u = (row_point(s, v, trial, j) + u) * 0x1p-32;
        break;
    }
    return fmin(fmax(u, 0x1p-54), 1 - 0x1p-53);
}

/* ---- one variable ---- */

static double standard_normal(const ss_study *s, const ss_variable *v, int64_t trial)
{
    if (v->correlated < 0) {
        return ss_normal_quantile(coordinate(s, v, trial, 0));
    }
    double        z   = 0;
    const double *row = s->correlation + (ptrdiff_t)v->correlated * s->correlated_count;
    for (int32_t i = 0; i < s->variable_count; i++) {
        const ss_variable *other = &s->variables[i];
        if (other->correlated >= 0 && other->correlated <= v->correlated) {
            z += row[other->correlated] * ss_normal_quantile(coordinate(s, other, trial, 0));
        }
    }
    return z;
}

/* A unit vector (Archimedes: z is uniform), times a length. */
static void direction(const ss_study *s, const ss_variable *v, int64_t trial, double *out)
{
    double turn = 2 * SS_PI * coordinate(s, v, trial, 0);
    double z    = s->dimension == 3 ? 2 * coordinate(s, v, trial, 1) - 1 : 0;
    double r    = sqrt(1 - z * z);
    out[0]      = v->high * r * ss_cos(turn);
    out[1]      = v->high * r * ss_sin(turn);
    if (s->dimension == 3) {
        out[2] = v->high * z;
    }
}

/* Shoemake, "Uniform random rotations", Graphics Gems III; in the plane an angle. */
static void rotation(const ss_study *s, const ss_variable *v, int64_t trial, double *out)
{
    double u = coordinate(s, v, trial, 0);
    if (s->dimension == 2) {
        out[0] = SS_PI * (2 * u - 1);
        return;
    }
    double a = 2 * SS_PI * coordinate(s, v, trial, 1), b = 2 * SS_PI * coordinate(s, v, trial, 2);
    out[0] = sqrt(u) * ss_cos(b);
    out[1] = sqrt(1 - u) * ss_sin(a);
    out[2] = sqrt(1 - u) * ss_cos(a);
    out[3] = sqrt(u) * ss_sin(b);
}

static double cross(const double *a, const double *b)
{
    return a[0] * b[1] - a[1] * b[0];
}

/* Three points of a disc with its centre inside the triangle, so that each carries some load. */
static void tripod(const ss_study *s, const ss_variable *v, int64_t trial, double *out)
{
    trial = drawn_for(s, v, trial);
    for (uint32_t attempt = 0; attempt < TRIPOD_ATTEMPTS; attempt++) {
        double p[3][2];
        for (uint32_t i = 0; i < 3; i++) {
            double u[2];
            ss_philox_uniform(s->seed, (uint64_t)trial, v->name, TRIPOD + 3 * attempt + i, u);
            double r = v->high * sqrt(u[0]);
            p[i][0]  = r * ss_cos(2 * SS_PI * u[1]);
            p[i][1]  = r * ss_sin(2 * SS_PI * u[1]);
        }
        double a = cross(p[0], p[1]), b = cross(p[1], p[2]), c = cross(p[2], p[0]);
        if ((a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0)) {
            for (int i = 0; i < 6; i++) {
                out[i] = p[i / 2][i % 2] + v->centre[i % 2];
            }
            return;
        }
    }
}

static void copy_leaves(const ss_variable *v, int64_t index, double *out)
{
    memcpy(out, v->leaves + (ptrdiff_t)index * v->input_count,
           (size_t)v->input_count * sizeof *out);
}

static double grid_value(const ss_variable *v, int64_t index)
{
    return index == v->count - 1 && v->count > 1
               ? v->high
               : v->low + (v->high - v->low) * (double)index / fmax(1, (double)(v->count - 1));
}

static int64_t chosen(const ss_study *s, const ss_variable *v, int64_t trial)
{
    double n = (double)v->count;
    return (int64_t)fmin(n * coordinate(s, v, trial, 0), n - 1);
}

static void draw(const ss_study *s, const ss_variable *v, int64_t trial, int64_t index, double *out)
{
    switch (v->kind) {
    case SS_VARY_GRID:
        out[0] = grid_value(v, index);
        break;
    case SS_VARY_LIST:
    case SS_VARY_TABLE:
        copy_leaves(v, index, out);
        break;
    case SS_VARY_UNIFORM:
        out[0] = v->low + (v->high - v->low) * coordinate(s, v, trial, 0);
        break;
    case SS_VARY_NORMAL:
        out[0] = v->low + v->high * standard_normal(s, v, trial);
        break;
    case SS_VARY_LOGNORMAL:
        out[0] = ss_exp(v->low + v->high * standard_normal(s, v, trial));
        break;
    case SS_VARY_CHOICE:
        copy_leaves(v, chosen(s, v, trial), out);
        break;
    case SS_VARY_DIRECTION:
        direction(s, v, trial, out);
        break;
    case SS_VARY_ROTATION:
        rotation(s, v, trial, out);
        break;
    case SS_VARY_SUPPORT:
        tripod(s, v, trial, out);
        break;
    case SS_VARY_BOUNDS:
        out[0] = s->candidate != NULL ? s->candidate[v->choice] : v->start;
        break;
    }
}

bool ss_variable_makes_cells(const ss_variable *v)
{
    return v->kind == SS_VARY_GRID || v->kind == SS_VARY_LIST || v->kind == SS_VARY_TABLE;
}

void ss_study_draw(const ss_study *s, int64_t trial, double *inputs)
{
    int64_t cell = trial / s->trials;
    for (int32_t i = s->variable_count - 1; i >= 0; i--) {
        const ss_variable *v     = &s->variables[i];
        int64_t            index = 0;
        if (ss_variable_makes_cells(v)) {
            index = cell % v->count;
            cell /= v->count;
        }
        draw(s, v, trial, index, inputs + v->input);
    }
}

int64_t ss_study_entry(const ss_study *s, const ss_variable *wanted, int64_t trial)
{
    int64_t cell = trial / s->trials, index = 0;
    if (wanted->kind == SS_VARY_CHOICE) {
        return chosen(s, wanted, trial);
    }
    for (const ss_variable *v = s->variables + s->variable_count; v-- > wanted;) {
        if (ss_variable_makes_cells(v)) {
            index = cell % v->count;
            cell /= v->count;
        }
    }
    return index;
}

bool ss_cholesky(double *A, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (int32_t k = 0; k < j; k++) {
                sum -= A[i * n + k] * A[j * n + k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
        for (int32_t j = i + 1; j < n; j++) {
            A[i * n + j] = 0;
        }
    }
    return true;
}
