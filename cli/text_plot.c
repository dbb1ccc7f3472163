/* SPDX-License-Identifier: Apache-2.0 */
#include "text_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 12, CURVES = 5, NAME_SIZE = 64 };

typedef struct plot {
    double  start, duration;
    int32_t count;
    int32_t body[CURVES];
    char    name[CURVES][NAME_SIZE];
    double  value[CURVES][WIDTH]; /* the last value that fell into the column */
    bool    known[WIDTH];
} plot;

static const char marks[CURVES + 1] = "*o+x#";

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    plot *p     = ss_recorder_state(r);
    p->start    = ss_data_time(info->data);
    p->duration = info->duration;
    for (int32_t i = 0; i < ss_model_body_count(info->model) && p->count < CURVES; i++) {
        if (ss_model_body_type(info->model, i) >= SS_BODY_DYNAMIC) {
            p->body[p->count] = i;
            snprintf(p->name[p->count++], NAME_SIZE, "%s", ss_model_body_name(info->model, i));
        }
    }
    return SS_OK;
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    plot  *p    = ss_recorder_state(r);
    double part = p->duration > 0 ? (ss_data_time(d) - p->start) / p->duration : 0;
    int    x    = (int)(part * (WIDTH - 1) + 0.5);
    x           = x < 0 ? 0 : (x >= WIDTH ? WIDTH - 1 : x);
    p->known[x] = true;
    for (int32_t i = 0; i < p->count; i++) {
        ss_body_state s;
        ss_data_body(m, d, p->body[i], &s);
        p->value[i][x] = ss_norm(s.velocity);
    }
    return SS_OK;
}

static ss_status finish(ss_recorder *r, const ss_run_result *result)
{
    (void)r, (void)result;
    return SS_OK;
}

static void discard(ss_recorder *r)
{
    (void)r;
}

const ss_recorder_class ss_recorder_text_plot = {
    "text-plot", "speeds in the terminal", sizeof(plot), open, append, finish, discard};

static double highest(const plot *p)
{
    double top = 0;
    for (int32_t i = 0; i < p->count; i++) {
        for (int x = 0; x < WIDTH; x++) {
            top = p->known[x] ? fmax(top, p->value[i][x]) : top;
        }
    }
    return top;
}

static void draw(const plot *p, double top, char (*cells)[WIDTH + 1])
{
    for (int y = 0; y < HEIGHT; y++) {
        memset(cells[y], ' ', WIDTH);
        cells[y][WIDTH] = '\0';
    }
    for (int32_t i = p->count - 1; i >= 0; i--) {
        for (int x = 0; x < WIDTH; x++) {
            int y = (int)(p->value[i][x] / top * (HEIGHT - 1) + 0.5);
            if (p->known[x] && y >= 0 && y < HEIGHT) {
                cells[HEIGHT - 1 - y][x] = marks[i];
            }
        }
    }
}

void ss_text_plot_print(const ss_recorder *r)
{
    const plot *p = ss_recorder_state(r);
    char        cells[HEIGHT][WIDTH + 1];
    double      top = highest(p);
    if (!(top > 0) || !(p->duration > 0)) {
        return;
    }
    draw(p, top, cells);
    printf("\nspeed (m/s)   ");
    for (int32_t i = 0; i < p->count; i++) {
        printf("%s%c %s", i > 0 ? "   " : "", marks[i], p->name[i]);
    }
    printf("\n");
    for (int y = 0; y < HEIGHT; y++) {
        double value = top * (HEIGHT - 1 - y) / (HEIGHT - 1);
        if (y % 4 == 0 || y == HEIGHT - 1) {
            printf("%9.3g |%s\n", value, cells[y]);
        } else {
            printf("%9s |%s\n", "", cells[y]);
        }
    }
    char line[WIDTH + 1];
    memset(line, '-', WIDTH);
    line[WIDTH] = '\0';
    printf("%9s +%s\n%11s%-*.4g%.4g s\n", "", line, "", WIDTH - 4, p->start,
           p->start + p->duration);
}
