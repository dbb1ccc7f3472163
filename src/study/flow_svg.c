/* SPDX-License-Identifier: Apache-2.0 */
/* A field as a picture, and as the JSON that the report draws. */
#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "files/markup.h"
#include "stickslip/output.h"
#include "study/flow_parts.h"

/* The picture, in pixels. */
enum { SIZE = 560, LEFT = 70, TOP = 44, RIGHT = 20, BOTTOM = 52 };

typedef struct view {
    double x0, y0, scale, width, height; /* pixels = scale * metres */
} view;

static view make_view(const ss_flow *f)
{
    double w = f->x[f->nx - 1] - f->x[0], h = f->y[f->ny - 1] - f->y[0];
    double margin = 0.5 * fmax(w / (f->nx - 1), h / (f->ny - 1));
    view   v      = {.x0 = f->x[0] - margin, .y0 = f->y[0] - margin};
    v.scale       = (double)SIZE / (fmax(w, h) + 2 * margin);
    v.width       = v.scale * (w + 2 * margin);
    v.height      = v.scale * (h + 2 * margin);
    return v;
}

static double at_x(const view *v, double x)
{
    return LEFT + v->scale * (x - v->x0);
}

static double at_y(const view *v, double y)
{
    return TOP + v->height - v->scale * (y - v->y0);
}

static void put_lines(ss_buffer *b, const ss_flow *f, const view *v)
{
    ss_buffer_text(b, "<g fill=\"none\" stroke=\"#56b4e9\" stroke-width=\"1\">\n");
    for (int32_t k = 0; k < f->line_count; k++) {
        ss_buffer_text(b, "<polyline points=\"");
        for (int32_t i = 0; i < f->lines[k].count; i++) {
            const double *p = f->lines[k].xy[i];
            ss_buffer_format(b, "%.1f,%.1f ", at_x(v, p[0]), at_y(v, p[1]));
        }
        ss_buffer_text(b, "\"/>\n");
    }
    ss_buffer_text(b, "</g>\n");
}

/* Arrows as long as the root of the speed, so that slow places are seen beside fast ones; what
   rests is a dot. */
static void put_arrows(ss_buffer *b, const ss_flow *f, const view *v)
{
    double cell = v->scale * fmin((f->x[f->nx - 1] - f->x[0]) / (f->nx - 1),
                                  (f->y[f->ny - 1] - f->y[0]) / (f->ny - 1));
    ss_buffer_text(b, "<g stroke=\"#222\" stroke-width=\"1.2\" fill=\"none\">\n");
    for (size_t k = 0; k < (size_t)f->nx * (size_t)f->ny; k++) {
        double x = at_x(v, f->x[k % (size_t)f->nx]), y = at_y(v, f->y[k / (size_t)f->nx]);
        double size = sqrt(f->u[k] * f->u[k] + f->v[k] * f->v[k]);
        if (!isfinite(size)) {
            continue;
        }
        double length = f->fastest > 0 ? 0.9 * cell * sqrt(size / f->fastest) : 0;
        if (length < 1.5) {
            ss_buffer_format(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"0.9\"/>\n", x, y);
            continue;
        }
        double dx = length * f->u[k] / size, dy = -length * f->v[k] / size;
        double tip[2] = {x + 0.5 * dx, y + 0.5 * dy};
        ss_buffer_format(b, "<path d=\"M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n",
                         x - 0.5 * dx, y - 0.5 * dy, tip[0], tip[1], tip[0] - 0.3 * dx - 0.18 * dy,
                         tip[1] - 0.3 * dy + 0.18 * dx, tip[0], tip[1],
                         tip[0] - 0.3 * dx + 0.18 * dy, tip[1] - 0.3 * dy - 0.18 * dx);
    }
    ss_buffer_text(b, "</g>\n");
}

static void put_points(ss_buffer *b, const ss_flow *f, const view *v)
{
    for (int32_t i = 0; i < f->point_count; i++) {
        const ss_flow_linear *p = &f->points[i].near;
        double                x = at_x(v, p->at[0]), y = at_y(v, p->at[1]);
        ss_buffer_format(b,
                         "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"#d55e00\" stroke=\"#fff\" "
                         "stroke-width=\"1.5\"/><text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\" "
                         "stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">%s</text>\n",
                         x, y, x + 10, y - 8, ss_flow_kind_text(p->kind));
    }
}

static double nice_step(double span)
{
    double ten = ss_pow(10, floor(ss_log10(span / 4))), digit = span / 4 / ten;
    return ten * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static void put_axis(ss_buffer *b, const view *v, bool vertical)
{
    double low = vertical ? v->y0 : v->x0, span = (vertical ? v->height : v->width) / v->scale;
    double step  = nice_step(span);
    double first = ceil(low / step);
    int    ticks = 1 + (int)(floor((low + span) / step) - first);
    for (int k = 0; k < ticks; k++) {
        double t     = (first + k) * step;
        double shown = fabs(t) < 0.5 * step ? 0 : t;
        if (vertical) {
            ss_buffer_format(b, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                             LEFT - 8, at_y(v, t) + 4, shown);
        } else {
            ss_buffer_format(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
                             at_x(v, t), TOP + v->height + 18, shown);
        }
    }
}

static void put_picture(ss_buffer *b, const ss_flow *f, const char *title)
{
    view v = make_view(f);
    ss_buffer_format(b,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                     "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
                     "height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"24\" "
                     "font-size=\"15\">",
                     LEFT + v.width + RIGHT, TOP + v.height + BOTTOM, LEFT);
    ss_buffer_markup(b, title);
    ss_buffer_format(
        b,
        "</text>\n<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
        "stroke=\"#999\"/>\n",
        LEFT, TOP, v.width, v.height);
    put_lines(b, f, &v);
    put_arrows(b, f, &v);
    put_points(b, f, &v);
    put_axis(b, &v, false);
    put_axis(b, &v, true);
    ss_buffer_format(b,
                     "<text x=\"%d\" y=\"%.1f\">%s; fastest %.3g m/s; arrows grow with the root of "
                     "the speed</text>\n</svg>\n",
                     LEFT, TOP + v.height + 40, ss_flow_kind_text(f->whole.kind), f->fastest);
}

ss_status ss_flow_svg(const ss_flow *f, const char *title, const char *path)
{
    ss_buffer b;
    ss_buffer_start(&b, f->ctx);
    put_picture(&b, f, title);
    ss_output_file *out    = NULL;
    ss_status       status = ss_buffer_status(&b);
    if (status == SS_OK) {
        status = ss_output_open(f->ctx, path, &out);
    }
    if (status == SS_OK) {
        fwrite(b.bytes, 1, b.size, ss_output_stream(out));
    }
    status = ss_output_close(out, status);
    ss_buffer_release(&b);
    return status;
}

/* ---- JSON ---- */

static void put_numbers(ss_buffer *b, const char *name, const double *x, int32_t count)
{
    ss_buffer_format(b, ",\"%s\":", name);
    ss_buffer_numbers(b, x, count);
}

static void put_linear(ss_buffer *b, const ss_flow_linear *l)
{
    ss_buffer_text(b, "{\"kind\":");
    ss_buffer_quote(b, ss_flow_kind_text(l->kind));
    put_numbers(b, "at", l->at, 2);
    put_numbers(b, "velocity", l->velocity, 2);
    put_numbers(b, "jacobian", l->jacobian, 4);
    put_numbers(b, "rate", l->rate, 2);
    put_numbers(b, "turn", &l->turn, 1);
    ss_buffer_text(b, "}");
}

void ss_flow_put(ss_buffer *b, const ss_flow *f, const char *name)
{
    ss_buffer_text(b, "{\"name\":");
    ss_buffer_quote(b, name);
    put_numbers(b, "x", f->x, f->nx);
    put_numbers(b, "y", f->y, f->ny);
    put_numbers(b, "u", f->u, f->nx * f->ny);
    put_numbers(b, "v", f->v, f->nx * f->ny);
    ss_buffer_text(b, ",\"whole\":");
    put_linear(b, &f->whole);
    ss_buffer_text(b, ",\"points\":[");
    for (int32_t i = 0; i < f->point_count; i++) {
        ss_buffer_text(b, i > 0 ? "," : "");
        put_linear(b, &f->points[i].near);
    }
    ss_buffer_text(b, "],\"lines\":[");
    for (int32_t i = 0; i < f->line_count; i++) {
        ss_buffer_text(b, i > 0 ? "," : "");
        ss_buffer_numbers(b, f->lines[i].xy[0], 2 * f->lines[i].count);
    }
    ss_buffer_text(b, "]}");
}
