/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streamlines: dx/ds = v/|v|, by the classical Runge-Kutta method in steps of a quarter of a cell,
 * forwards and backwards from a seed, until the line leaves the grid, comes to rest, closes, or
 * comes near another. Seeds are the nodes, in an order that spreads them; a seed near a line is
 * left out. What is near is kept in a raster of half a cell.
 */
#include <math.h>
#include <string.h>

#include "study/flow_parts.h"
#include "study/tolerances.h"

typedef struct raster {
    int32_t nx, ny;
    char   *taken;
} raster;

static bool direction(const ss_flow *f, const double at[2], double cell, double out[2])
{
    double v[2];
    if (!ss_flow_velocity(f, at, v)) {
        return false;
    }
    double size = sqrt(v[0] * v[0] + v[1] * v[1]);
    if (size <= SS_FLOW_RESTS * f->fastest) {
        return false;
    }
    out[0] = cell * v[0] / size;
    out[1] = cell * v[1] / size;
    return true;
}

/* One step of length h (cells); false: the line ends. */
static bool advance(const ss_flow *f, double at[2], double h, double cell)
{
    double k[4][2], p[2];
    for (int stage = 0; stage < 4; stage++) {
        double share = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
        for (int c = 0; c < 2; c++) {
            p[c] = at[c] + (stage > 0 ? share * k[stage - 1][c] : 0);
        }
        if (!direction(f, p, cell, k[stage])) {
            return false;
        }
    }
    for (int c = 0; c < 2; c++) {
        at[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    return true;
}

static char *place(const ss_flow *f, const raster *r, const double at[2])
{
    double a      = (at[0] - f->x[0]) / (f->x[f->nx - 1] - f->x[0]) * (r->nx - 1);
    double b      = (at[1] - f->y[0]) / (f->y[f->ny - 1] - f->y[0]) * (r->ny - 1);
    bool   inside = a >= 0 && b >= 0 && a <= r->nx - 1 && b <= r->ny - 1;
    return inside ? &r->taken[(size_t)lround(b) * (size_t)r->nx + (size_t)lround(a)] : NULL;
}

/* Marks: 0 free, 1 taken by another line, 2 by this one. */
static int32_t follow(const ss_flow *f, raster *r, const double seed[2], double h, double cell,
                      double (*xy)[2], int32_t room)
{
    double  at[2] = {seed[0], seed[1]};
    int32_t count = 0;
    while (count < room && advance(f, at, h, cell)) {
        char *mark = place(f, r, at);
        bool  closed =
            count > 8 && fabs(at[0] - seed[0]) < 0.2 * cell && fabs(at[1] - seed[1]) < 0.2 * cell;
        if (mark == NULL || *mark == 1 || closed) {
            break;
        }
        *mark        = 2;
        xy[count][0] = at[0];
        xy[count][1] = at[1];
        count++;
    }
    return count;
}

static void add_line(ss_flow *f, raster *r, const double seed[2], double cell)
{
    enum { HALF = (SS_FLOW_LINE_NODES - 1) / 2 };
    double        back[HALF][2];
    ss_flow_line *line  = &f->lines[f->line_count];
    int32_t       count = follow(f, r, seed, -0.25, cell, back, HALF);
    for (int32_t i = 0; i < count; i++) {
        memcpy(line->xy[i], back[count - 1 - i], sizeof back[0]);
    }
    memcpy(line->xy[count], seed, sizeof line->xy[0]);
    line->count = count + 1;
    line->count += follow(f, r, seed, 0.25, cell, line->xy + line->count, HALF);
    for (size_t i = 0; i < (size_t)r->nx * (size_t)r->ny; i++) {
        r->taken[i] = r->taken[i] != 0;
    }
    f->line_count += line->count > 4; /* shorter ones only clutter */
}

void ss_flow_draw_lines(ss_flow *f)
{
    raster r = {.nx = f->nx > 33 ? 33 : f->nx, .ny = f->ny > 33 ? 33 : f->ny};
    r.taken  = ss_alloc(f->ctx, (size_t)r.nx * (size_t)r.ny, 1);
    if (r.taken == NULL) {
        return; /* a picture without lines */
    }
    double cell =
        sqrt((f->x[f->nx - 1] - f->x[0]) / (r.nx - 1) * (f->y[f->ny - 1] - f->y[0]) / (r.ny - 1));
    int32_t total = r.nx * r.ny;
    for (int32_t k = 0; k < total && f->line_count < SS_FLOW_LINES; k++) {
        int64_t at = (int64_t)k * SS_FLOW_STRIDE % total, row = at / r.nx;
        double  seed[2] = {f->x[0] + (f->x[f->nx - 1] - f->x[0]) * (double)(at % r.nx) / (r.nx - 1),
                           f->y[0] + (f->y[f->ny - 1] - f->y[0]) * (double)row / (r.ny - 1)};
        char   *mark    = place(f, &r, seed);
        if (mark != NULL && *mark == 0) {
            add_line(f, &r, seed, cell);
        }
    }
    ss_free(f->ctx, r.taken, (size_t)r.nx * (size_t)r.ny);
}
