/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "files/markup.h"
#include "report/tolerances.h"
#include "stickslip/output.h"
#include "stickslip/plot.h"

/* The picture, in pixels. */
enum { WIDTH = 760, HEIGHT = 250, LEFT = 78, RIGHT = 150, TOP = 34, BOTTOM = 44 };
static const double plot_width  = WIDTH - LEFT - RIGHT;
static const double plot_height = HEIGHT - TOP - BOTTOM;

/* Colours that stay apart for colour-blind readers (Okabe and Ito); dashes tell the rest. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#b58900", "#56b4e9", "#444444"};
enum { COLOURS = (int)(sizeof colours / sizeof colours[0]) };

/* One direction of a plot: values (logarithms when log) from low to high, a mark every `step`. */
typedef struct scale {
    double low, high, step;
    bool   log;
} scale;

static double transformed(double value, bool log)
{
    return log ? (value > 0 ? ss_log10(value) : NAN) : value;
}

/* 1, 2 or 5 times a power of ten, so that there are about five marks. */
static double nice_step(double span)
{
    double raw = span / 5, ten = ss_pow(10, floor(ss_log10(raw))), digit = raw / ten;
    return ten * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static scale make_scale(double low, double high, bool log)
{
    if (!(low <= high)) { /* no finite point at all */
        low  = 0;
        high = 1;
    }
    double margin = high > low ? 0.04 * (high - low) : fmax(SS_PLOT_LEAST, 0.5 * fabs(high));
    if (high - low < SS_PLOT_NOTHING && high == 0) {
        margin = 1;
    }
    scale s = {low - margin, high + margin, 1, log};
    s.step  = log ? fmax(1, ceil((s.high - s.low) / 6)) : nice_step(s.high - s.low);
    return s;
}

static void find_range(const ss_plot *p, bool vertical, double *low, double *high)
{
    *low  = DBL_MAX;
    *high = -DBL_MAX;
    for (int32_t c = 0; c < p->curve_count; c++) {
        const ss_curve *curve = &p->curves[c];
        for (size_t i = 0; i < curve->count; i++) {
            double v =
                transformed(vertical ? curve->y[i] : curve->x[i], vertical ? p->log_y : p->log_x);
            if (isfinite(v)) {
                *low  = fmin(*low, v);
                *high = fmax(*high, v);
            }
        }
    }
}

static double at_x(const scale *s, double v)
{
    return LEFT + plot_width * (v - s->low) / (s->high - s->low);
}

static double at_y(const scale *s, double v, double top)
{
    return top + plot_height * (1 - (v - s->low) / (s->high - s->low));
}

static void put_label(ss_buffer *out, double x, double y, const char *style, const char *text)
{
    ss_buffer_format(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    ss_buffer_markup(out, text);
    ss_buffer_text(out, "</text>\n");
}

static void format_mark(char *text, size_t size, const scale *s, double v)
{
    if (s->log) {
        snprintf(text, size, "%g", ss_pow(10, v));
    } else {
        snprintf(text, size, "%.6g", fabs(v) < SS_PLOT_ON_MARK * s->step ? 0 : v);
    }
}

/* The mark after `v`: the next whole one, or 1, 2, 5 of a decade where there are few decades. */
static double next_mark(const scale *s, double v)
{
    if (!s->log || s->high - s->low > 2.5) {
        return s->step * (floor(v / s->step + SS_PLOT_ON_MARK) + 1);
    }
    double decade = floor(v + SS_PLOT_ON_MARK), inside = v - decade;
    return decade + (inside < 0.3 ? ss_log10(2) : inside < 0.69 ? ss_log10(5) : 1);
}

static void put_grid(ss_buffer *out, const scale *x, const scale *y, double top)
{
    char   text[32];
    double v = next_mark(x, x->low);
    while (v <= x->high) {
        ss_buffer_format(out, "<path d=\"M%.1f %.1fV%.1f\" class=\"grid\"/>\n", at_x(x, v), top,
                         top + plot_height);
        format_mark(text, sizeof text, x, v);
        put_label(out, at_x(x, v), top + plot_height + 16, "text-anchor=\"middle\"", text);
        v = next_mark(x, v);
    }
    v = next_mark(y, y->low);
    while (v <= y->high) {
        ss_buffer_format(out, "<path d=\"M%d %.1fH%.1f\" class=\"grid\"/>\n", LEFT, at_y(y, v, top),
                         LEFT + plot_width);
        format_mark(text, sizeof text, y, v);
        put_label(out, LEFT - 8, at_y(y, v, top) + 4, "text-anchor=\"end\"", text);
        v = next_mark(y, v);
    }
}

/* Neighbours closer than a third of a pixel are left out, extremes excepted. */
static bool worth_drawing(double x, double y, double last_x, double last_y)
{
    return fabs(x - last_x) > 0.3 || fabs(y - last_y) > 0.3;
}

static void put_curve(ss_buffer *out, const ss_plot *p, int32_t index, const scale *x,
                      const scale *y, double top)
{
    const ss_curve *c   = &p->curves[index];
    bool            pen = false;
    double          lx = 0, ly = 0;
    ss_buffer_text(out, "<path d=\"");
    for (size_t i = 0; i < c->count; i++) {
        double px = at_x(x, transformed(c->x[i], p->log_x));
        double py = at_y(y, transformed(c->y[i], p->log_y), top);
        if (!isfinite(px) || !isfinite(py)) {
            pen = false;
        } else if (!pen) {
            ss_buffer_format(out, "M%.1f %.1f", px, py);
            pen = true;
        } else if (worth_drawing(px, py, lx, ly) || i + 1 == c->count) {
            ss_buffer_format(out, p->stairs ? "H%.1fV%.1f" : "L%.1f %.1f", px, py);
        } else {
            continue;
        }
        lx = px;
        ly = py;
    }
    ss_buffer_format(out, "\" stroke=\"%s\"%s class=\"curve\"/>\n", colours[index % COLOURS],
                     index < COLOURS ? "" : " stroke-dasharray=\"6 4\"");
}

static void put_legend(ss_buffer *out, const ss_plot *p, double top)
{
    for (int32_t i = 0; i < p->curve_count; i++) {
        double y = top + 8 + 17 * i;
        ss_buffer_format(out, "<path d=\"M%.1f %.1fh16\" stroke=\"%s\"%s class=\"curve\"/>\n",
                         LEFT + plot_width + 14, y, colours[i % COLOURS],
                         i < COLOURS ? "" : " stroke-dasharray=\"6 4\"");
        put_label(out, LEFT + plot_width + 36, y + 4, "", p->curves[i].label);
    }
}

static void put_plot(ss_buffer *out, const ss_plot *p, int32_t index)
{
    double top = TOP + (double)HEIGHT * index, low, high;
    find_range(p, false, &low, &high);
    scale x = make_scale(low, high, p->log_x);
    find_range(p, true, &low, &high);
    scale y = make_scale(low, high, p->log_y);
    put_label(out, LEFT, top - 12, "class=\"title\"", p->title);
    put_grid(out, &x, &y, top);
    for (int32_t i = 0; i < p->curve_count; i++) {
        put_curve(out, p, i, &x, &y, top);
    }
    put_legend(out, p, top);
    put_label(out, LEFT + plot_width / 2, top + plot_height + 34, "text-anchor=\"middle\"",
              p->x_label);
    ss_buffer_format(out, "<g transform=\"translate(16 %.1f) rotate(-90)\">",
                     top + plot_height / 2);
    put_label(out, 0, 0, "text-anchor=\"middle\"", p->y_label);
    ss_buffer_text(out, "</g>\n");
}

ss_status ss_plot_print(ss_context *ctx, const ss_plot *plots, int32_t count, FILE *out)
{
    ss_buffer text;
    ss_buffer_start(&text, ctx);
    ss_buffer_format(&text,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                     "viewBox=\"0 0 %d %d\">\n"
                     "<style>text{font:12px sans-serif;fill:#444}.title{font:14px serif;fill:#111}"
                     ".grid{stroke:#ddd;fill:none}.curve{fill:none;stroke-width:1.6;"
                     "stroke-linejoin:round}</style>\n"
                     "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                     WIDTH, HEIGHT * (int)count, WIDTH, HEIGHT * (int)count);
    for (int32_t i = 0; i < count; i++) {
        put_plot(&text, &plots[i], i);
    }
    ss_buffer_text(&text, "</svg>\n");
    ss_status status = ss_buffer_status(&text);
    if (status == SS_OK) {
        fwrite(text.bytes, 1, text.size, out);
    }
    ss_buffer_release(&text);
    return status;
}

ss_status ss_plot_write(ss_context *ctx, const ss_plot *plots, int32_t count, const char *path)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(ctx, path, &file));
    return ss_output_close(file, ss_plot_print(ctx, plots, count, ss_output_stream(file)));
}
