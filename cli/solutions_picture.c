/* SPDX-License-Identifier: Apache-2.0 */
#include "solutions_picture.h"

#include <math.h>

#include "analyze_state.h"
#include "scene_drawing.h"
#include "stickslip/output.h"

/* Pixels: of a drawing, of a title, of a solution at most, around bodies for arrows and words. */
enum { WIDTH = 800, TITLE = 26, HEIGHT_MOST = 460, ROOM = 100, SHOWN_MOST = 12 };

/* What a contact does in a solution: sticks, slides or starts, leaves; see ss_drawn_force. */
static int state_of(ss_instant_mode mode)
{
    return mode == SS_INSTANT_STICKS ? 1 : mode == SS_INSTANT_LEAVES ? 0 : 2;
}

typedef struct sheet {
    ss_drawing                drawn;
    const ss_model           *m;
    const ss_instant         *s;
    const ss_instant_verdict *v;
    double                    force, acceleration; /* the largest of all solutions */
} sheet;

/* The force on the second body, in the plane. */
static void force_of(const ss_instant_contact *c, const ss_instant_force *f, double *out)
{
    double t = c->rows > 1 ? f->force[1] : 0;
    out[0]   = c->normal.x * f->force[0] + c->t.x * t;
    out[1]   = c->normal.y * f->force[0] + c->t.y * t;
}

static void find_largest(sheet *sh)
{
    for (int32_t k = 0; k < sh->v->solutions; k++) {
        for (int32_t i = 0; i < sh->v->contacts; i++) {
            ss_instant_contact c;
            ss_instant_force   f;
            double             x[2];
            ss_instant_contact_at(sh->s, i, &c);
            ss_instant_force_at(sh->s, k, i, &f);
            force_of(&c, &f, x);
            sh->force = fmax(sh->force, hypot(x[0], x[1]));
        }
        for (int32_t i = 0; i < ss_model_body_count(sh->m); i++) {
            ss_body_motion a;
            ss_instant_motion_at(sh->s, k, i, &a);
            sh->acceleration = fmax(sh->acceleration, hypot(a.velocity.x, a.velocity.y));
        }
    }
}

/* ---- drawing ---- */

static void draw_contacts(const sheet *sh, int32_t solution)
{
    const ss_drawing *p = &sh->drawn;
    for (int32_t i = 0; i < sh->v->contacts; i++) {
        ss_instant_contact c;
        ss_instant_force   f;
        ss_instant_contact_at(sh->s, i, &c);
        ss_instant_force_at(sh->s, solution, i, &f);
        ss_drawn_force drawn = {.point = {c.point.x, c.point.y}, .state = state_of(f.mode)};
        force_of(&c, &f, drawn.force);
        if (sh->force > 0) {
            ss_drawing_force(p, &drawn, SS_DRAWING_ARROW / sh->force);
        }
        fprintf(p->out, "<text x=\"%.2f\" y=\"%.2f\">%s, %.4g N%s</text>\n",
                ss_drawing_x(p, c.point.x) + 8, ss_drawing_y(p, c.point.y) + 16,
                ss_instant_mode_text(f.mode), hypot(drawn.force[0], drawn.force[1]),
                f.unique == SS_NO ? " (not unique)" : "");
    }
}

static void draw_accelerations(const sheet *sh, int32_t solution)
{
    for (int32_t i = 0; sh->acceleration > 0 && i < ss_model_body_count(sh->m); i++) {
        ss_body_motion a;
        const double  *origin = &sh->drawn.position[2 * i];
        ss_instant_motion_at(sh->s, solution, i, &a);
        /* cppcheck-suppress objectIndex ; drawn.position is an array of all bodies */
        ss_drawn_force drawn = {{origin[0], origin[1]}, {a.velocity.x, a.velocity.y}, 3};
        ss_drawing_force(&sh->drawn, &drawn, SS_DRAWING_ARROW / sh->acceleration);
    }
}

static void draw_bodies(const ss_drawing *p)
{
    for (int32_t i = 0; i < ss_model_geom_count(p->model); i++) {
        ss_drawing_shape(p, i);
    }
    for (int32_t i = 0; i < ss_model_body_count(p->model); i++) {
        ss_drawing_joints(p, i);
        ss_drawing_name(p, i);
    }
}

static void draw_solution(const sheet *sh, int32_t solution, int place)
{
    const ss_drawing *p      = &sh->drawn;
    int               height = p->height + TITLE;
    fprintf(p->out, "<svg y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 -%d %d %d\">\n",
            place * height, WIDTH, height, TITLE, WIDTH, height);
    draw_bodies(p);
    if (solution >= 0) {
        draw_accelerations(sh, solution);
        draw_contacts(sh, solution);
    }
    fprintf(p->out, "<rect y=\"-%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>", TITLE, WIDTH,
            TITLE);
    fprintf(p->out, "<text x=\"12\" y=\"-8\">");
    if (solution >= 0) {
        fprintf(p->out, "solution %d of %d%s</text>\n", (int)solution + 1, (int)sh->v->solutions,
                sh->v->complete ? "" : " that were found");
    } else {
        fprintf(p->out, "%s</text>\n", ss_state_summary(sh->v));
    }
    ss_drawing_scales(p, sh->force, sh->force > 0 ? SS_DRAWING_ARROW / sh->force : 0);
    ss_drawing_scale(p, sh->acceleration, SS_DRAWING_ARROW / sh->acceleration, 2, "m/s2", 3);
    fprintf(p->out, "</svg>\n");
}

static void draw(sheet *sh)
{
    int32_t    shown = sh->v->solutions < SHOWN_MOST ? sh->v->solutions : SHOWN_MOST;
    int        rows  = shown > 0 ? shown : 1;
    ss_drawing whole = sh->drawn;
    find_largest(sh);
    whole.height = rows * (sh->drawn.height + TITLE);
    ss_drawing_head(&whole);
    for (int i = 0; i < rows; i++) {
        draw_solution(sh, shown > 0 ? i : -1, i);
    }
    fprintf(sh->drawn.out, "</svg>\n");
}

ss_status ss_solutions_picture_draw(ss_context *ctx, const ss_model *m, const ss_data *d,
                                    const ss_instant *s, const ss_instant_verdict *v, FILE *out)
{
    sheet     sh     = {.m = m, .s = s, .v = v};
    ss_status status = ss_drawing_open_state(&sh.drawn, ctx, m, d, "--picture");
    if (status == SS_OK) {
        sh.drawn.height_most = HEIGHT_MOST;
        sh.drawn.margin      = ROOM;
        sh.drawn.out         = out;
        ss_drawing_add_to_frame(&sh.drawn);
        ss_drawing_fit(&sh.drawn);
        draw(&sh);
    }
    ss_drawing_close(&sh.drawn);
    return status;
}

ss_status ss_solutions_picture_write(ss_context *ctx, const ss_model *m, const ss_data *d,
                                     const ss_instant *s, const ss_instant_verdict *v,
                                     const char *path)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(ctx, path, &file));
    return ss_output_close(file,
                           ss_solutions_picture_draw(ctx, m, d, s, v, ss_output_stream(file)));
}
