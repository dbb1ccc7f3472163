/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in the plane as vector drawings. */
#include "scene_drawing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/output.h"
#include "stickslip/scene_file.h"
#include "stickslip/sim.h"

/* The picture, in pixels: its width, the room around the bodies. */
enum { WIDTH = 800, HEIGHT_LEAST = 200, HEIGHT_MOST = 1200, MARGIN = 40 };
/* Sides of the outline of a curved shape. */
enum { OUTLINE = 96 };
static const double pi = 3.14159265358979323846;

/* The colours of the page: bodies in turn, what stands still, what is moved; stick, slip. */
static const char *const body_colours[]  = {"#6f9bc4", "#e3b75b", "#7bb598", "#d18b73",
                                            "#a794c2", "#93a3ad", "#d7a4b4", "#84bccb"};
static const char *const state_colours[] = {"#8b877e", "#009E73", "#D55E00", "#0072b2"};
enum { BODY_COLOURS = (int)(sizeof body_colours / sizeof *body_colours) };

/* ---- the state ------------------------------------------------------------------------------- */

static ss_status no_memory(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the picture");
}

static ss_status find_state(ss_drawing *p, double t)
{
    int64_t count = ss_run_file_states(p->file);
    double *times = malloc((size_t)count * sizeof *times);
    if (times == NULL) {
        return no_memory(p->ctx);
    }
    ss_status done = ss_run_file_read(p->file, "steps/t", 0, count, times);
    p->state       = 0;
    for (int64_t i = 1; done == SS_OK && i < count; i++) {
        p->state = fabs(times[i] - t) < fabs(times[p->state] - t) ? i : p->state;
    }
    free(times);
    return done;
}

/* Joints hold their bodies where they are at the start. */
static ss_status find_arms(ss_drawing *p, const ss_data *d)
{
    int32_t joints = ss_model_joint_count(p->model);
    p->arms        = malloc((2 * (size_t)joints + 1) * sizeof *p->arms);
    if (p->arms == NULL) {
        return no_memory(p->ctx);
    }
    for (int32_t i = 0; i < joints; i++) {
        ss_joint_info info;
        SS_TRY(ss_data_joint(p->model, d, i, &info));
        const int32_t sides[2] = {info.body_a, info.body_b};
        for (int k = 0; k < 2; k++) {
            ss_body_state b;
            if (sides[k] < 0) {
                continue;
            }
            SS_TRY(ss_data_body(p->model, d, sides[k], &b));
            double x = info.anchor.x - b.position.x, y = info.anchor.y - b.position.y;
            double c = cos(b.angle), s = sin(b.angle);
            p->arms[p->arm_count++] = (ss_drawn_arm){sides[k], {c * x + s * y, c * y - s * x}};
        }
    }
    return SS_OK;
}

static ss_status open_joints(ss_drawing *p)
{
    ss_data  *d      = NULL;
    ss_status status = ss_data_create(p->ctx, p->model, &d);
    if (status == SS_OK) {
        status = find_arms(p, d);
    }
    ss_data_destroy(d);
    return status;
}

static ss_status make_room(ss_drawing *p, size_t bodies)
{
    p->position = malloc((2 * bodies + 1) * sizeof *p->position);
    p->angle    = malloc((bodies + 1) * sizeof *p->angle);
    return p->position != NULL && p->angle != NULL ? SS_OK : no_memory(p->ctx);
}

ss_status ss_drawing_open(ss_drawing *p, ss_context *ctx, ss_run_file *file, const char *option)
{
    const char *text = ss_run_file_resolved(file), *name = ss_run_file_scene_path(file);
    size_t      bodies = (size_t)ss_run_file_body_count(file);
    *p                 = (ss_drawing){
                        .ctx = ctx, .file = file, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    if (ss_run_file_dimension(file) != 2) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s draws scenes in the plane, and this one is in space: use --png", option);
    }
    SS_TRY(ss_scene_load_text(ctx, text, strlen(text), name[0] != '\0' ? name : "scene", NULL, 0,
                              &p->scene));
    SS_TRY(ss_model_compile(ctx, p->scene, &p->own));
    p->model = p->own;
    if ((size_t)ss_model_body_count(p->model) != bodies) {
        return ss_fail(ctx, SS_ERR_INPUT, "the scene in the run file has other bodies");
    }
    SS_TRY(make_room(p, bodies));
    return open_joints(p);
}

ss_status ss_drawing_open_state(ss_drawing *p, ss_context *ctx, const ss_model *m, const ss_data *d,
                                const char *option)
{
    int32_t bodies = ss_model_body_count(m);
    *p             = (ss_drawing){
                    .ctx = ctx, .model = m, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    if (ss_model_dimension(m) != 2) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s draws scenes in the plane, and this one is in space: --json has the "
                       "solutions",
                       option);
    }
    SS_TRY(make_room(p, (size_t)bodies));
    for (int32_t i = 0; i < bodies; i++) {
        ss_body_state b;
        SS_TRY(ss_data_body(m, d, i, &b));
        p->position[2 * i]     = b.position.x;
        p->position[2 * i + 1] = b.position.y;
        p->angle[i]            = b.angle;
    }
    return find_arms(p, d);
}

void ss_drawing_close(ss_drawing *p)
{
    free(p->position);
    free(p->angle);
    free(p->arms);
    ss_model_destroy(p->own);
    ss_scene_destroy(p->scene);
}

ss_status ss_drawing_go_to(ss_drawing *p, double t)
{
    SS_TRY(find_state(p, t));
    SS_TRY(ss_run_file_read(p->file, "bodies/position", p->state, 1, p->position));
    return ss_run_file_read(p->file, "bodies/angle", p->state, 1, p->angle);
}

/* ---- outlines -------------------------------------------------------------------------------- */

/* A point of a body. */
static void body_point(const ss_drawing *p, int32_t body, double x, double y, double *at)
{
    double c = cos(p->angle[body]), s = sin(p->angle[body]);
    at[0] = p->position[2 * body] + c * x - s * y;
    at[1] = p->position[2 * body + 1] + s * x + c * y;
}

static void to_world(const ss_drawing *p, int32_t geom, ss_vec3 x, double *at)
{
    ss_frame local = ss_model_geom_placement(p->model, geom);
    ss_vec3  y     = ss_to_world(&local, x);
    body_point(p, ss_model_geom(p->model, geom)->body, y.x, y.y, at);
}

static bool has_shape(const ss_drawing *p, int32_t body)
{
    for (int32_t i = 0; i < ss_model_geom_count(p->model); i++) {
        if (ss_model_geom(p->model, i)->body == body) {
            return true;
        }
    }
    return false;
}

/* Does a bead stand for the body? Those that only carry supports or that nothing moves have none.
 */
static bool is_bead(const ss_drawing *p, int32_t body)
{
    return ss_model_body_type(p->model, body) != SS_BODY_STATIC && !has_shape(p, body);
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

/* Points are drawn as dots on lines to the origin of their body. */
static bool is_dots(const ss_geom *g)
{
    return !is_unbounded(g) && (g->thin == 0 || corner_count(g) < 3);
}

static bool has_dots(const ss_drawing *p, int32_t body)
{
    bool moved = ss_model_body_type(p->model, body) == SS_BODY_DYNAMIC;
    for (int32_t i = 0; moved && i < ss_model_geom_count(p->model); i++) {
        const ss_geom *g = ss_model_geom(p->model, i);
        if (g->body == body && is_dots(g)) {
            return true;
        }
    }
    return false;
}

static void widen(ss_drawing *p, const double *at)
{
    for (int k = 0; k < 2; k++) {
        p->low[k]  = fmin(p->low[k], at[k]);
        p->high[k] = fmax(p->high[k], at[k]);
    }
}

/* The point of a half-plane's border next to what is in the frame, unless it is far away. */
static void add_ground(ss_drawing *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    if (!is_unbounded(g) || !(p->high[0] >= p->low[0])) {
        return;
    }
    ss_vec3 n = ss_unit(g->params.plane.normal);
    double  foot[2], up[2], middle[2], far;
    to_world(p, geom, ss_scale(g->params.plane.offset, n), foot);
    to_world(p, geom, ss_scale(g->params.plane.offset + 1, n), up);
    for (int k = 0; k < 2; k++) {
        up[k] -= foot[k];
        middle[k] = 0.5 * (p->low[k] + p->high[k]);
    }
    far = up[0] * (middle[0] - foot[0]) + up[1] * (middle[1] - foot[1]);
    if (far > 0 && far < 10 * hypot(p->high[0] - p->low[0], p->high[1] - p->low[1])) {
        const double at[2] = {middle[0] - far * up[0], middle[1] - far * up[1]};
        widen(p, at);
    }
}

void ss_drawing_add_to_frame(ss_drawing *p)
{
    double at[2];
    for (int32_t i = 0; i < ss_model_geom_count(p->model); i++) {
        const ss_geom *g = ss_model_geom(p->model, i);
        for (int32_t k = 0; !is_unbounded(g) && k < corner_count(g); k++) {
            to_world(p, i, corner(g, k), at);
            widen(p, at);
        }
    }
    for (int32_t i = 0; i < ss_model_body_count(p->model); i++) {
        if (is_bead(p, i) || has_dots(p, i)) {
            widen(p, p->position + 2 * i);
        }
    }
    for (int32_t i = 0; i < p->arm_count; i++) {
        body_point(p, p->arms[i].body, p->arms[i].at[0], p->arms[i].at[1], at);
        widen(p, at);
    }
    for (int32_t i = 0; i < ss_model_geom_count(p->model); i++) {
        add_ground(p, i);
    }
}

/* At least 2 to 1 and at most 2 to 3. */
void ss_drawing_fit(ss_drawing *p)
{
    if (!(p->high[0] >= p->low[0])) {
        p->low[0] = p->low[1] = -1;
        p->high[0] = p->high[1] = 1;
    }
    double wide = p->high[0] - p->low[0], tall = p->high[1] - p->low[1];
    double least = fmax(1e-9, 0.1 * fmax(wide, tall));
    wide         = fmax(wide, least);
    tall         = fmax(tall, least);
    int room     = p->margin > 0 ? p->margin : MARGIN;
    int most     = p->height_most > 0 ? p->height_most : HEIGHT_MOST;
    p->scale     = fmin((WIDTH - 2 * room) / wide, (most - 2 * room) / tall);
    p->height    = (int)fmax(HEIGHT_LEAST, tall * p->scale + 2 * room);
}

double ss_drawing_x(const ss_drawing *p, double x)
{
    return -p->origin[0] + 0.5 * WIDTH + p->scale * (x - 0.5 * (p->low[0] + p->high[0]));
}

double ss_drawing_y(const ss_drawing *p, double y)
{
    return -p->origin[1] + 0.5 * p->height - p->scale * (y - 0.5 * (p->low[1] + p->high[1]));
}

/* ---- drawing --------------------------------------------------------------------------------- */

static const char *colour_of(const ss_drawing *p, int32_t body)
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
static void draw_ground(const ss_drawing *p, int32_t geom)
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
        fprintf(p->out, "%c%.2f %.2f", i == 0 ? 'M' : 'L', ss_drawing_x(p, at[0]),
                ss_drawing_y(p, at[1]));
    }
    fprintf(p->out, "Z\" class=\"body\" fill=\"%s\"/>\n", colour_of(p, g->body));
}

/* A point, or a set of points: a dot each. */
static void draw_dots(const ss_drawing *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    for (int32_t i = 0; i < (g->poly != NULL ? corner_count(g) : 1); i++) {
        double at[2];
        to_world(p, geom, corner(g, i), at);
        if (has_dots(p, g->body)) {
            fprintf(p->out, "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\" class=\"force\"/>\n",
                    ss_drawing_x(p, p->position[2 * g->body]),
                    ss_drawing_y(p, p->position[2 * g->body + 1]), ss_drawing_x(p, at[0]),
                    ss_drawing_y(p, at[1]), colour_of(p, g->body));
        }
        fprintf(p->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" class=\"body\" fill=\"%s\"/>\n",
                ss_drawing_x(p, at[0]), ss_drawing_y(p, at[1]), colour_of(p, g->body));
    }
}

static void draw_outline(const ss_drawing *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    if (is_unbounded(g)) {
        draw_ground(p, geom);
        return;
    }
    if (is_dots(g)) {
        draw_dots(p, geom);
        return;
    }
    fprintf(p->out, "<path d=\"");
    for (int32_t i = 0; i < corner_count(g); i++) {
        double at[2];
        to_world(p, geom, corner(g, i), at);
        fprintf(p->out, "%c%.2f %.2f", i == 0 ? 'M' : 'L', ss_drawing_x(p, at[0]),
                ss_drawing_y(p, at[1]));
    }
    fprintf(p->out, "Z\" class=\"body\" fill=\"%s\"/>\n", colour_of(p, g->body));
}

/* How a round body is turned: a line from the middle to its rim. */
static void draw_spoke(const ss_drawing *p, int32_t geom)
{
    const ss_geom *g = ss_model_geom(p->model, geom);
    double         from[2], to[2];
    if (g->poly != NULL || is_unbounded(g) || g->thin == 0) {
        return;
    }
    to_world(p, geom, ss_v3(0, 0, 0), from);
    to_world(p, geom, corner(g, 0), to);
    fprintf(p->out, "<path d=\"M%.2f %.2fL%.2f %.2f\" class=\"spoke\"/>\n",
            ss_drawing_x(p, from[0]), ss_drawing_y(p, from[1]), ss_drawing_x(p, to[0]),
            ss_drawing_y(p, to[1]));
}

void ss_drawing_shape(const ss_drawing *p, int32_t geom)
{
    draw_outline(p, geom);
    draw_spoke(p, geom);
}

void ss_drawing_joints(const ss_drawing *p, int32_t body)
{
    bool   bead = is_bead(p, body);
    double x    = ss_drawing_x(p, p->position[2 * body]),
           y    = ss_drawing_y(p, p->position[2 * body + 1]);
    for (int32_t i = 0; i < p->arm_count; i++) {
        double at[2];
        if (p->arms[i].body != body) {
            continue;
        }
        body_point(p, body, p->arms[i].at[0], p->arms[i].at[1], at);
        double ax = ss_drawing_x(p, at[0]), ay = ss_drawing_y(p, at[1]);
        if (bead) {
            fprintf(p->out, "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\" stroke-width=\"5\"/>\n",
                    x, y, ax, ay, colour_of(p, body));
        }
        fprintf(p->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" class=\"body\" fill=\"#fff\"/>\n",
                ax, ay);
    }
    if (bead) {
        fprintf(p->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"7\" class=\"body\" fill=\"%s\"/>\n", x,
                y, colour_of(p, body));
    }
}

/* Of a body that moves by forces, at its origin. */
void ss_drawing_name(const ss_drawing *p, int32_t body)
{
    ss_body_type type = ss_model_body_type(p->model, body);
    if (type == SS_BODY_DYNAMIC || type == SS_BODY_PARTICLE) {
        fprintf(p->out, "<text x=\"%.2f\" y=\"%.2f\">", ss_drawing_x(p, p->position[2 * body]) + 5,
                ss_drawing_y(p, p->position[2 * body + 1]) - 5);
        ss_output_markup(p->out, ss_model_body_name(p->model, body));
        fprintf(p->out, "</text>\n");
    }
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef struct contact {
    double point[3], normal[3], tangent[3], impulse[6], state;
} contact;

static ss_status read_contact(ss_drawing *p, int64_t row, contact *c)
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

/* From its foot, the head a small triangle; one and a half times the longest is enough. */
void ss_drawing_force(const ss_drawing *p, const ss_drawn_force *drawn, double pixels)
{
    const double *foot = drawn->point, *f = drawn->force;
    const char   *colour = state_colours[drawn->state >= 1 && drawn->state <= 3 ? drawn->state : 0];
    double        size = hypot(f[0], f[1]), length = fmin(size * pixels, 1.5 * SS_DRAWING_ARROW);
    if (!(length > 1)) {
        return;
    }
    double u[2] = {f[0] / size, -f[1] / size}, x = ss_drawing_x(p, foot[0]),
           y    = ss_drawing_y(p, foot[1]);
    double head = fmin(8, 0.5 * length), tx = x + u[0] * length, ty = y + u[1] * length;
    fprintf(p->out,
            "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" class=\"force\"/>"
            "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"%s\"/>\n",
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

static void draw_scale(const ss_drawing *p, double value, double pixels, int place,
                       const char *unit, const char *colour)
{
    int y = p->height - 12 - 18 * place;
    fprintf(p->out,
            "<path d=\"M12 %dh%.2fm0 -4v8m-%.2f -8v8\" stroke=\"%s\" class=\"force\"/>"
            "<text x=\"%.2f\" y=\"%d\">%g %s</text>\n",
            y, value * pixels, value * pixels, colour, 18 + value * pixels, y + 4, value, unit);
}

void ss_drawing_scales(const ss_drawing *p, double largest, double pixels)
{
    draw_scale(p, round_below(0.25 * WIDTH / p->scale), p->scale, 0, "m", "#444");
    if (largest > 0) {
        draw_scale(p, round_below(largest), pixels, 1, "N (green sticks, orange slips)", "#444");
    }
}

void ss_drawing_scale(const ss_drawing *p, double largest, double pixels, int place,
                      const char *unit, int state)
{
    if (largest > 0) {
        draw_scale(p, round_below(largest), pixels, place, unit, state_colours[state]);
    }
}

ss_status ss_drawing_contacts(ss_drawing *p, int64_t *first, int64_t *count, double *h)
{
    double x, n;
    SS_TRY(ss_run_file_read(p->file, "steps/first_contact", p->state, 1, &x));
    SS_TRY(ss_run_file_read(p->file, "steps/contacts", p->state, 1, &n));
    SS_TRY(ss_run_file_read(p->file, "steps/h", p->state, 1, h));
    *first = (int64_t)x;
    *count = *h > 0 ? (int64_t)n : 0;
    return SS_OK;
}

/* The force on the second body of the contact. */
ss_status ss_drawing_contact(ss_drawing *p, int64_t row, double h, ss_drawn_force *f)
{
    contact c;
    SS_TRY(read_contact(p, row, &c));
    force_of(&c, h, f->force);
    f->point[0] = c.point[0];
    f->point[1] = c.point[1];
    f->state    = (int)c.state;
    return SS_OK;
}

void ss_drawing_head(const ss_drawing *p)
{
    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<style>text{font:12px sans-serif;fill:#222}"
            ".body{stroke:#2b2d30;stroke-linejoin:round}.spoke{stroke:#2b2d30;opacity:.5}"
            ".force{fill:none;stroke-width:2}</style>\n",
            WIDTH, p->height, WIDTH, p->height);
}
