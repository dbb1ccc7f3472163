/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run in the plane as a moving picture: an SVG file that any browser plays, and that a page may
 * show as an image. Every body is drawn once, in a group that is moved and turned from frame to
 * frame (animateTransform); the forces of a frame are a group that is shown while it lasts.
 */
#include "scene_film.h"

#include <math.h>
#include <stdlib.h>

#include "scene_drawing.h"
#include "stickslip/output.h"

enum { RATE = 25, FRAMES_MOST = 500 };
static const double degrees = 57.295779513082321;

/* Part of the forces that are no longer than the longest arrow: impacts are few and large. */
static const double usual_share = 0.95;

typedef struct film {
    ss_drawing *p;
    int32_t     frames, bodies;
    double      end, seconds; /* of the run, of the picture */
    double     *at;           /* (frames x bodies x 3) pixels and degrees */
    double      largest;      /* force of the longest arrow */
    bool        forces;
} film;

static ss_status show_frame(film *f, int32_t i)
{
    return ss_drawing_go_to(f->p, f->end * i / (f->frames - 1));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Adds the sizes of the forces of the frame that is shown. */
static ss_status add_sizes(film *f, double **sizes, size_t *count)
{
    int64_t        first, n;
    double         h;
    ss_drawn_force x;
    SS_TRY(ss_drawing_contacts(f->p, &first, &n, &h));
    double *more = realloc(*sizes, (*count + (size_t)n + 1) * sizeof **sizes);
    if (more == NULL) {
        return ss_fail(f->p->ctx, SS_ERR_MEMORY, "no memory for the moving picture");
    }
    *sizes = more;
    for (int64_t k = 0; k < n; k++) {
        SS_TRY(ss_drawing_contact(f->p, first + k, h, &x));
        double size = hypot(x.force[0], x.force[1]);
        if (size > 0) {
            more[(*count)++] = size;
        }
    }
    return SS_OK;
}

/* The frame of the picture and how long a newton is: all frames are looked at. */
static ss_status measure(film *f)
{
    double   *sizes = NULL;
    size_t    count = 0;
    ss_status done  = SS_OK;
    for (int32_t i = 0; i < f->frames && done == SS_OK; i++) {
        done = show_frame(f, i);
        if (done == SS_OK) {
            ss_drawing_add_to_frame(f->p);
            done = f->forces ? add_sizes(f, &sizes, &count) : SS_OK;
        }
    }
    if (done == SS_OK && count > 0) {
        qsort(sizes, count, sizeof *sizes, by_size);
        f->largest = sizes[(size_t)(usual_share * (double)(count - 1))];
    }
    free(sizes);
    ss_drawing_fit(f->p);
    return done;
}

static ss_status note_poses(film *f)
{
    for (int32_t i = 0; i < f->frames; i++) {
        SS_TRY(show_frame(f, i));
        for (int32_t b = 0; b < f->bodies; b++) {
            double *to = f->at + 3 * ((size_t)i * (size_t)f->bodies + (size_t)b);
            to[0]      = ss_drawing_x(f->p, f->p->position[2 * b]);
            to[1]      = ss_drawing_y(f->p, f->p->position[2 * b + 1]);
            to[2]      = -degrees * f->p->angle[b];
        }
    }
    return SS_OK;
}

static void animate(const film *f, int32_t body, bool turn)
{
    fprintf(f->p->out,
            "<animateTransform attributeName=\"transform\" type=\"%s\" dur=\"%.3gs\" "
            "repeatCount=\"indefinite\" values=\"",
            turn ? "rotate" : "translate", f->seconds);
    for (int32_t i = 0; i < f->frames; i++) {
        const double *x = f->at + 3 * ((size_t)i * (size_t)f->bodies + (size_t)body);
        fprintf(f->p->out, i > 0 ? ";" : "");
        if (turn) {
            fprintf(f->p->out, "%.4g", x[2]);
        } else {
            fprintf(f->p->out, "%.1f %.1f", x[0], x[1]);
        }
    }
    fprintf(f->p->out, "\"/>\n");
}

static bool stays(const film *f, int32_t body)
{
    return ss_model_body_type(f->p->model, body) == SS_BODY_STATIC;
}

static void draw_shapes(const film *f, int32_t body)
{
    for (int32_t i = 0; i < ss_model_geom_count(f->p->model); i++) {
        if (ss_model_geom(f->p->model, i)->body == body) {
            ss_drawing_shape(f->p, i);
        }
    }
    ss_drawing_joints(f->p, body);
}

/* Its shapes about its origin, not turned, in a group that moves and one in it that turns. */
static void draw_body(const film *f, int32_t body)
{
    ss_drawing *p = f->p;
    if (stays(f, body)) {
        draw_shapes(f, body);
        return;
    }
    p->origin[0]   = ss_drawing_x(p, p->position[2 * body]);
    p->origin[1]   = ss_drawing_y(p, p->position[2 * body + 1]);
    p->angle[body] = 0;
    fprintf(p->out, "<g>");
    animate(f, body, false);
    fprintf(p->out, "<g>");
    animate(f, body, true);
    draw_shapes(f, body);
    fprintf(p->out, "</g></g>\n");
    p->origin[0] = p->origin[1] = 0;
}

/* The forces of frame i, shown while it lasts. */
static ss_status draw_forces(const film *f, int32_t i)
{
    ss_drawing    *p = f->p;
    int64_t        first, count;
    double         h, from = (double)i / f->frames, to = (double)(i + 1) / f->frames;
    ss_drawn_force x;
    SS_TRY(ss_drawing_contacts(p, &first, &count, &h));
    if (count == 0) {
        return SS_OK;
    }
    fprintf(p->out,
            "<g display=\"none\"><animate attributeName=\"display\" calcMode=\"discrete\" "
            "dur=\"%.3gs\" repeatCount=\"indefinite\" values=\"%s\" keyTimes=\"",
            f->seconds, i > 0 ? "none;inline;none" : "inline;none");
    if (i > 0) {
        fprintf(p->out, "0;%.4g;%.4g\"/>\n", from, to);
    } else {
        fprintf(p->out, "0;%.4g\"/>\n", to);
    }
    for (int64_t k = 0; k < count; k++) {
        SS_TRY(ss_drawing_contact(p, first + k, h, &x));
        ss_drawing_force(p, &x, SS_DRAWING_ARROW / f->largest);
    }
    fprintf(p->out, "</g>\n");
    return SS_OK;
}

static ss_status draw(film *f)
{
    ss_drawing *p = f->p;
    ss_drawing_head(p);
    for (int32_t i = 0; i < f->bodies; i++) {
        draw_body(f, i);
    }
    for (int32_t i = 0; i < f->frames && f->largest > 0; i++) {
        SS_TRY(show_frame(f, i));
        SS_TRY(draw_forces(f, i));
    }
    ss_drawing_scales(p, f->largest, SS_DRAWING_ARROW / f->largest);
    fprintf(p->out, "</svg>\n");
    return SS_OK;
}

static ss_status draw_into(film *f, const char *path)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(f->p->ctx, path, &file));
    f->p->out = ss_output_stream(file);
    return ss_output_close(file, draw(f));
}

static ss_status make(film *f, const char *path)
{
    double frames = fmin(fmax(f->seconds * RATE, 2), FRAMES_MOST);
    f->frames     = (int32_t)frames;
    f->bodies     = ss_model_body_count(f->p->model);
    f->at         = malloc(3 * (size_t)f->frames * (size_t)(f->bodies + 1) * sizeof *f->at);
    if (f->at == NULL) {
        return ss_fail(f->p->ctx, SS_ERR_MEMORY, "no memory for the moving picture");
    }
    SS_TRY(measure(f));
    SS_TRY(note_poses(f));
    return draw_into(f, path);
}

ss_status ss_scene_film_write(ss_context *ctx, ss_run_file *file, const ss_scene_film_def *def,
                              const char *path)
{
    ss_drawing p;
    film f = {.p = &p, .end = def->end, .seconds = def->end / def->speed, .forces = def->forces};
    ss_status done = ss_drawing_open(&p, ctx, file, "--animation");
    if (done == SS_OK) {
        done = make(&f, path);
    }
    free(f.at);
    ss_drawing_close(&p);
    return done;
}
