/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The picture, in pixels. */
enum { WIDTH = 860, HEIGHT = 480, LEFT = 70, RIGHT = 210, TOP = 50, BOTTOM = 60 };
static const double plot_width  = WIDTH - LEFT - RIGHT;
static const double plot_height = HEIGHT - TOP - BOTTOM;

/* Colours that stay apart for colour-blind readers (Okabe and Ito), and dashes for the rest. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};
enum { COLOURS = (int)(sizeof colours / sizeof colours[0]) };

static const char *dash(size_t solver)
{
    return solver < COLOURS ? "" : " stroke-dasharray=\"7 4\"";
}

/* Times below a tick of the clock are equal, not infinitely better. */
static double ratio(double seconds, double best)
{
    const double tick = 1e-7;
    return fmax(seconds, tick) / fmax(best, tick);
}

static double best_time(const ss_profile *p, size_t problem)
{
    double best = INFINITY;
    for (size_t s = 0; s < p->solvers; s++) {
        double t = p->seconds[problem * p->solvers + s];
        best     = t >= 0 ? fmin(best, t) : best;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* log2 of the ratios of one solver, ascending; returns how many problems it solved. */
static size_t log_ratios(const ss_profile *p, size_t solver, double *out)
{
    size_t count = 0;
    for (size_t k = 0; k < p->problems; k++) {
        double t = p->seconds[k * p->solvers + solver];
        if (t >= 0) {
            out[count++] = log2(ratio(t, best_time(p, k)));
        }
    }
    qsort(out, count, sizeof *out, ascending);
    return count;
}

/* The right end of the axis, a whole power of two. */
static double axis_end(const ss_profile *p, double *scratch)
{
    double end = 1;
    for (size_t s = 0; s < p->solvers; s++) {
        size_t count = log_ratios(p, s, scratch);
        end          = count > 0 ? fmax(end, scratch[count - 1]) : end;
    }
    return ceil(end + 0.05);
}

static double x_of(double log_ratio, double end)
{
    return LEFT + plot_width * log_ratio / end;
}

static double y_of(double share)
{
    return TOP + plot_height * (1 - share);
}

static void put_text(FILE *f, double x, double y, const char *anchor, int size, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"#222222\">",
            x, y, anchor, size);
    for (; *text != '\0'; text++) {
        const char *safe = *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : NULL;
        if (safe != NULL) {
            fputs(safe, f);
        } else {
            fputc(*text, f);
        }
    }
    fputs("</text>\n", f);
}

static void put_line(FILE *f, double x1, double y1, double x2, double y2, const char *colour)
{
    fprintf(f, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
}

/* At most about ten labels, whatever the range. */
static void put_axes(FILE *f, double end)
{
    char   label[32];
    double step = ceil(end / 10);
    for (double e = 0; e <= end; e += step) {
        put_line(f, x_of(e, end), y_of(0), x_of(e, end), y_of(1), "#dddddd");
        snprintf(label, sizeof label, "%g", exp2(e));
        put_text(f, x_of(e, end), y_of(0) + 20, "middle", 12, label);
    }
    for (int k = 0; k <= 5; k++) {
        put_line(f, x_of(0, end), y_of(k / 5.0), x_of(end, end), y_of(k / 5.0), "#dddddd");
        snprintf(label, sizeof label, "%d %%", 20 * k);
        put_text(f, LEFT - 8, y_of(k / 5.0) + 4, "end", 12, label);
    }
    put_line(f, x_of(0, end), y_of(0), x_of(end, end), y_of(0), "#222222");
    put_line(f, x_of(0, end), y_of(0), x_of(0, end), y_of(1), "#222222");
    put_text(f, LEFT + plot_width / 2, HEIGHT - 18, "middle", 13,
             "at most this many times slower than the fastest solver");
}

/* A step at every ratio; the last share goes on to the right edge. */
static void put_curve(FILE *f, const ss_profile *p, size_t solver, double end, double *ratios)
{
    size_t count = log_ratios(p, solver, ratios);
    fprintf(f, "<path d=\"M%.1f %.1f", x_of(0, end), y_of(0));
    for (size_t k = 0; k < count; k++) {
        double share = (double)(k + 1) / (double)p->problems;
        fprintf(f, "H%.1fV%.1f", x_of(ratios[k], end), y_of(share));
    }
    fprintf(f, "H%.1f\" stroke=\"%s\" stroke-width=\"2.2\"%s/>\n", x_of(end, end),
            colours[solver % COLOURS], dash(solver));
    char   label[96];
    double x = LEFT + plot_width + 18, y = TOP + 14 + 24.0 * (double)solver;
    fprintf(f, "<path d=\"M%.1f %.1fh28\" stroke=\"%s\" stroke-width=\"2.2\"%s/>\n", x, y,
            colours[solver % COLOURS], dash(solver));
    snprintf(label, sizeof label, "%.40s (%zu of %zu)", p->names[solver], count, p->problems);
    put_text(f, x + 36, y + 4, "start", 13, label);
}

static void put_picture(FILE *f, const ss_profile *p, double *scratch)
{
    char   title[96];
    double end = axis_end(p, scratch);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<g fill=\"none\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    snprintf(title, sizeof title, "Share of %zu problem%s solved", p->problems,
             p->problems == 1 ? "" : "s");
    put_text(f, LEFT, 30, "start", 16, title);
    put_axes(f, end);
    for (size_t s = 0; s < p->solvers; s++) {
        put_curve(f, p, s, end, scratch);
    }
    fputs("</g>\n</svg>\n", f);
}

bool ss_profile_write(const ss_profile *p, const char *path)
{
    double *scratch = malloc((p->problems + 1) * sizeof *scratch);
    FILE   *f       = scratch != NULL ? fopen(path, "w") : NULL;
    if (f == NULL) {
        free(scratch);
        return false;
    }
    put_picture(f, p, scratch);
    free(scratch);
    bool failed = ferror(f) != 0;
    return fclose(f) == 0 && !failed;
}
