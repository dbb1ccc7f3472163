/* SPDX-License-Identifier: Apache-2.0 */
#include "scene_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/output.h"
#include "stickslip/scene_file.h"
#include "stickslip/sim.h"

/* The picture, in pixels: its width, the room around the bodies, the longest arrow. */
enum { WIDTH = 800, HEIGHT_LEAST = 200, HEIGHT_MOST = 1200, MARGIN = 40, ARROW = 90 };
/* Sides of the outline of a curved shape. */
enum { OUTLINE = 96 };
static const double pi = 3.14159265358979323846;

/* The colours of the page: bodies in turn, what stands still, what is moved; stick, slip. */
static const char *const body_colours[]  = {"#6f9bc4", "#e3b75b", "#7bb598", "#d18b73",
                                            "#a794c2", "#93a3ad", "#d7a4b4", "#84bccb"};
static const char *const state_colours[] = {"#8b877e", "#009E73", "#D55E00"};
enum { BODY_COLOURS = (int)(sizeof body_colours / sizeof *body_colours) };

typedef struct picture {
    ss_context  *ctx;
    ss_run_file *file;
    ss_scene    *scene;
    ss_model    *model;
    int64_t      state;
    double      *position, *angle; /* of the bodies: (2 nb), (nb) */
    double       low[2], high[2];  /* metres */
    double       scale;            /* pixels a metre */
    int          height;
    FILE        *out;
} picture;

/* ---- the state ------------------------------------------------------------------------------- */

static ss_status no_memory(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the picture");
}

static ss_status find_state(picture *p, double t)
{
    int64_t count = ss_run_file_states(p->file);
    double *times = malloc((size_t)count * sizeof *times);
    if (times == NULL) {
        return no_memory(p->ctx);
    }
    ss_status done = ss_run_file_read(p->file, "steps/t", 0, count, times);
    for (int64_t i = 1; done == SS_OK && i < count; i++) {
        p->state = fabs(times[i] - t) < fabs(times[p->state] - t) ? i : p->state;
    }
    free(times);
    return done;
}

static ss_status load(picture *p, double t)
{
    const char *text = ss_run_file_resolved(p->file), *name = ss_run_file_scene_path(p->file);
    size_t      bodies = (size_t)ss_run_file_body_count(p->file);
    SS_TRY(ss_scene_load_text(p->ctx, text, strlen(text), name[0] != '\0' ? name : "scene", NULL, 0,
                              &p->scene));
    SS_TRY(ss_model_compile(p->ctx, p->scene, &p->model));
    if ((size_t)ss_model_body_count(p->model) != bodies) {
        return ss_fail(p->ctx, SS_ERR_INPUT, "the scene in the run file has other bodies");
    }
    p->position = malloc((2 * bodies + 1) * sizeof *p->position);
    p->angle    = malloc((bodies + 1) * sizeof *p->angle);
    if (p->position == NULL || p->angle == NULL) {
        return no_memory(p->ctx);
    }
    SS_TRY(find_state(p, t));
    SS_TRY(ss_run_file_read(p->file, "bodies/position", p->state, 1, p->position));
    return ss_run_file_read(p->file, "bodies/angle", p->state, 1, p->angle);
}

/* ---- outlines -------------------------------------------------------------------------------- */

static void to_world(const picture *p, int32_t geom, ss_vec3 x, double *at)
{
    ss_frame local = ss_model_geom_placement(p->model, geom);
    int32_t  body  = ss_model_geom(p->model, geom)->body;
    ss_vec3  y     = ss_to_world(&local, x);
    double   c = cos(p->angle[body]), s = sin(p->angle[body]);
    at[0] = p->position[2 * body] + c * y.x - s * y.y;
    at[1] = p->position[2 * body + 1] + s * y.x + c * y.y;
}

static bool is_unbounded(const ss_geom *g)
{
    return g->poly == NULL && g->cls->support == NULL;
}

static int32_t corner_count(const ss_geom *g)
{
    return g->poly != NULL ? g->poly->vertex_count : OUTLINE;
}

static ss_vec3 corner(const ss_geom *g, int32_t i)
{
    if (g->poly != NULL) {
        return g->poly->vertices[i];
    }
    double angle = 2 * pi * i / OUTLINE;
    return g->cls->support(g, ss_v3(cos(angle), sin(angle), 0));
}

static void widen(picture *p, const double *at)
{
    for (int k = 0; k < 2; k++) {
        p->low[k]  = fmin(p->low[k], at[k]);
        p->high[k] = fmax(p->high[k], at[k]);
    }
}

/* The frame of the picture: all bounded shapes, at least 2 to 1 and at most 2 to 3. */
static void fit(picture *p)
{
    double at[2];
    for (int k = 0; k < 2; k++) {
        p->low[k]  = INFINITY;
        p->high[k] = -INFINITY;
    }
    for (int32_t i = 0; i < ss_model_geom_count(p->model); i++) {
        const ss_geom *g = ss_model_geom(p->model, i);
        for (int32_t k = 0; !is_unbounded(g) && k < corner_count(g); k++) {
            to_world(p, i, corner(g, k), at);
            widen(p, at);
        }
    }
    if (!(p->high[0] >= p->low[0])) {
        p->low[0] = p->low[1] = -1;
        p->high[0] = p->high[1] = 1;
    }
    double wide = p->high[0] - p->low[0], tall = p->high[1] - p->low[1];
    double least = fmax(1e-9, 0.1 * fmax(wide, tall));
    wide         = fmax(wide, least);
    tall         = fmax(tall, least);
    p->scale     = fmin((WIDTH - 2 * MARGIN) / wide, (HEIGHT_MOST - 2 * MARGIN) / tall);
    p->height    = (int)fmax(HEIGHT_LEAST, tall * p->scale + 2 * MARGIN);
}

static double px(const picture *p, double x)
{
    return 0.5 * WIDTH + p->scale * (x - 0.5 * (p->low[0] + p->high[0]));
}

static double py(const picture *p, double y)
{
    return 0.5 * p->height - p->scale * (y - 0.5 * (p->low[1] + p->high[1]));
}

/* ---- drawing --------------------------------------------------------------------------------- */

static const char *colour_of(const picture *p, int32_t body)
{
    switch (ss_model_body_type(p->model, body)) {
    case SS_BODY_STATIC:
        return "#c9c4b8";
    case SS_BODY_KINEMATIC:
        return "#a8b0b6";
    default:
        return body_colours[body % BODY_COLOURS];
    }
}

/* A half-plane, as a strip along its border that ends outside the picture. */
static void draw_ground(const picture *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    ss_vec3        n = ss_unit(g->params.plane.normal), along = ss_v3(-n.y, n.x, 0);
    ss_vec3        border = ss_scale(g->params.plane.offset, n);
    double         far    = 4 * (WIDTH + p->height) / p->scale + ss_norm(border);
    fprintf(p->out, "<path d=\"");
    for (int i = 0; i < 4; i++) {
        double  side = i == 0 || i == 3 ? -far : far, down = i < 2 ? 0 : -far, at[2];
        ss_vec3 x = ss_axpy(ss_axpy(border, side, along), down, n);
        to_world(p, geom, x, at);
        fprintf(p->out, "%c%.2f %.2f", i == 0 ? 'M' : 'L', px(p, at[0]), py(p, at[1]));
    }
    fprintf(p->out, "Z\" class=\"body\" fill=\"%s\"/>\n", colour_of(p, g->body));
}

/* A point, or a set of points: a dot each. */
static void draw_dots(const picture *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    for (int32_t i = 0; i < (g->poly != NULL ? corner_count(g) : 1); i++) {
        double at[2];
        to_world(p, geom, corner(g, i), at);
        fprintf(p->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" class=\"body\" fill=\"%s\"/>\n",
                px(p, at[0]), py(p, at[1]), colour_of(p, g->body));
    }
}

static void draw_shape(const picture *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    if (is_unbounded(g)) {
        draw_ground(p, geom);
        return;
    }
    if (g->thin == 0 || corner_count(g) < 3) {
        draw_dots(p, geom);
        return;
    }
    fprintf(p->out, "<path d=\"");
    for (int32_t i = 0; i < corner_count(g); i++) {
        double at[2];
        to_world(p, geom, corner(g, i), at);
        fprintf(p->out, "%c%.2f %.2f", i == 0 ? 'M' : 'L', px(p, at[0]), py(p, at[1]));
    }
    fprintf(p->out, "Z\" class=\"body\" fill=\"%s\"/>\n", colour_of(p, g->body));
}

/* How a round body is turned: a line from the middle to its rim. */
static void draw_spoke(const picture *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    double         from[2], to[2];
    if (g->poly != NULL || is_unbounded(g) || g->thin == 0) {
        return;
    }
    to_world(p, geom, ss_v3(0, 0, 0), from);
    to_world(p, geom, corner(g, 0), to);
    fprintf(p->out, "<path d=\"M%.2f %.2fL%.2f %.2f\" class=\"spoke\"/>\n", px(p, from[0]),
            py(p, from[1]), px(p, to[0]), py(p, to[1]));
}

static void put_text(const picture *p, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<' || *c == '&') {
            fputs(*c == '<' ? "&lt;" : "&amp;", p->out);
        } else if ((unsigned char)*c >= ' ') {
            fputc(*c, p->out);
        }
    }
}

/* The name of every body that moves by forces, at its origin. */
static void draw_names(const picture *p)
{
    for (int32_t i = 0; i < ss_model_body_count(p->model); i++) {
        ss_body_type type = ss_model_body_type(p->model, i);
        if (type == SS_BODY_DYNAMIC || type == SS_BODY_PARTICLE) {
            fprintf(p->out, "<text x=\"%.2f\" y=\"%.2f\">", px(p, p->position[2 * i]) + 5,
                    py(p, p->position[2 * i + 1]) - 5);
            put_text(p, ss_model_body_name(p->model, i));
            fprintf(p->out, "</text>\n");
        }
    }
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef struct contact {
    double point[3], normal[3], tangent[3], impulse[6], state;
} contact;

static ss_status read_contact(picture *p, int64_t row, contact *c)
{
    SS_TRY(ss_run_file_read(p->file, "contacts/point", row, 1, c->point));
    SS_TRY(ss_run_file_read(p->file, "contacts/normal", row, 1, c->normal));
    SS_TRY(ss_run_file_read(p->file, "contacts/tangent", row, 1, c->tangent));
    SS_TRY(ss_run_file_read(p->file, "contacts/impulse", row, 1, c->impulse));
    return ss_run_file_read(p->file, "contacts/state", row, 1, &c->state);
}

static void force_of(const contact *c, double h, double *f)
{
    for (int k = 0; k < 2; k++) {
        f[k] = (c->normal[k] * c->impulse[0] + c->tangent[k] * c->impulse[1]) / h;
    }
}

/* From its foot, the head a small triangle. */
static void draw_arrow(const picture *p, const double *foot, const double *f, double pixels,
                       const char *colour)
{
    double size = hypot(f[0], f[1]), length = size * pixels;
    if (!(length > 1)) {
        return;
    }
    double u[2] = {f[0] / size, -f[1] / size}, x = px(p, foot[0]), y = py(p, foot[1]);
    double head = fmin(8, 0.5 * length), tx = x + u[0] * length, ty = y + u[1] * length;
    fprintf(p->out,
            "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\" class=\"force\"/>"
            "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fZ\" fill=\"%s\"/>\n",
            x, y, tx - u[0] * head, ty - u[1] * head, colour, tx, ty,
            tx - u[0] * head - u[1] * head * 0.4, ty - u[1] * head + u[0] * head * 0.4,
            tx - u[0] * head + u[1] * head * 0.4, ty - u[1] * head - u[0] * head * 0.4, colour);
}

/* 1, 2 or 5 times a power of ten, at most x. */
static double round_below(double x)
{
    double ten = pow(10, floor(log10(x))), digit = x / ten;
    return ten * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static void draw_scale(const picture *p, double value, double pixels, int place, const char *unit,
                       const char *colour)
{
    int y = p->height - 12 - 18 * place;
    fprintf(p->out,
            "<path d=\"M12 %dh%.2fm0 -4v8m-%.2f -8v8\" stroke=\"%s\" class=\"force\"/>"
            "<text x=\"%.2f\" y=\"%d\">%g %s</text>\n",
            y, value * pixels, value * pixels, colour, 18 + value * pixels, y + 4, value, unit);
}

/* The forces on the second body of each contact, the longest ARROW pixels long. */
static ss_status draw_contacts(picture *p)
{
    double  first, count, h, largest = 0;
    contact c;
    SS_TRY(ss_run_file_read(p->file, "steps/first_contact", p->state, 1, &first));
    SS_TRY(ss_run_file_read(p->file, "steps/contacts", p->state, 1, &count));
    SS_TRY(ss_run_file_read(p->file, "steps/h", p->state, 1, &h));
    for (int pass = 0; pass < 2 && h > 0; pass++) {
        for (int64_t i = 0; i < (int64_t)count; i++) {
            double f[2];
            SS_TRY(read_contact(p, (int64_t)first + i, &c));
            force_of(&c, h, f);
            if (pass == 0) {
                largest = fmax(largest, hypot(f[0], f[1]));
            } else {
                int state = c.state >= 1 && c.state <= 2 ? (int)c.state : 0;
                draw_arrow(p, c.point, f, ARROW / largest, state_colours[state]);
            }
        }
    }
    if (largest > 0) {
        draw_scale(p, round_below(largest), ARROW / largest, 1, "N (green sticks, orange slips)",
                   "#444");
    }
    return SS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static ss_status draw(picture *p)
{
    double t;
    SS_TRY(ss_run_file_read(p->file, "steps/t", p->state, 1, &t));
    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<style>text{font:12px sans-serif;fill:#222}"
            ".body{stroke:#2b2d30;stroke-linejoin:round}.spoke{stroke:#2b2d30;opacity:.5}"
            ".force{fill:none;stroke-width:2}</style>\n",
            WIDTH, p->height, WIDTH, p->height);
    for (int32_t i = 0; i < ss_model_geom_count(p->model); i++) {
        draw_shape(p, i);
        draw_spoke(p, i);
    }
    draw_names(p);
    SS_TRY(draw_contacts(p));
    double metres = round_below(0.25 * WIDTH / p->scale);
    draw_scale(p, metres, p->scale, 0, "m", "#444");
    fprintf(p->out, "<text x=\"%d\" y=\"18\" text-anchor=\"end\">t = %.6g s</text>\n</svg>\n",
            WIDTH - 12, t);
    return SS_OK;
}

static ss_status draw_into(picture *p, const char *path)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(p->ctx, path, &file));
    p->out = ss_output_stream(file);
    return ss_output_close(file, draw(p));
}

ss_status ss_scene_picture_write(ss_context *ctx, ss_run_file *file, double t, const char *path)
{
    picture p = {.ctx = ctx, .file = file};
    if (ss_run_file_dimension(file) != 2) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "--picture draws scenes in the plane, and this one is in space: use --png");
    }
    ss_status done = load(&p, t);
    if (done == SS_OK) {
        fit(&p);
        done = draw_into(&p, path);
    }
    free(p.position);
    free(p.angle);
    ss_model_destroy(p.model);
    ss_scene_destroy(p.scene);
    return done;
}
