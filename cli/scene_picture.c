/* SPDX-License-Identifier: Apache-2.0 */
#include "scene_picture.h"

#include <math.h>

#include "scene_drawing.h"
#include "stickslip/output.h"

/* The longest arrow is SS_DRAWING_ARROW pixels long. */
static ss_status draw_contacts(ss_drawing *p)
{
    int64_t        first, count;
    double         h, largest = 0;
    ss_drawn_force f;
    SS_TRY(ss_drawing_contacts(p, &first, &count, &h));
    for (int64_t i = 0; i < count; i++) {
        SS_TRY(ss_drawing_contact(p, first + i, h, &f));
        largest = fmax(largest, hypot(f.force[0], f.force[1]));
    }
    for (int64_t i = 0; i < count; i++) {
        SS_TRY(ss_drawing_contact(p, first + i, h, &f));
        ss_drawing_force(p, &f, SS_DRAWING_ARROW / largest);
    }
    ss_drawing_scales(p, largest, SS_DRAWING_ARROW / largest);
    return SS_OK;
}

static ss_status draw(ss_drawing *p)
{
    double t;
    SS_TRY(ss_run_file_read(p->file, "steps/t", p->state, 1, &t));
    ss_drawing_head(p);
    for (int32_t i = 0; i < ss_model_geom_count(p->model); i++) {
        ss_drawing_shape(p, i);
    }
    for (int32_t i = 0; i < ss_model_body_count(p->model); i++) {
        ss_drawing_joints(p, i);
        ss_drawing_name(p, i);
    }
    SS_TRY(draw_contacts(p));
    fprintf(p->out, "<text x=\"788\" y=\"18\" text-anchor=\"end\">t = %.6g s</text>\n</svg>\n", t);
    return SS_OK;
}

static ss_status draw_into(ss_drawing *p, const char *path)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(p->ctx, path, &file));
    p->out = ss_output_stream(file);
    return ss_output_close(file, draw(p));
}

ss_status ss_scene_picture_write(ss_context *ctx, ss_run_file *file, double t, const char *path)
{
    ss_drawing p;
    ss_status  done = ss_drawing_open(&p, ctx, file, "--picture");
    if (done == SS_OK) {
        done = ss_drawing_go_to(&p, t);
    }
    if (done == SS_OK) {
        ss_drawing_add_to_frame(&p);
        ss_drawing_fit(&p);
        done = draw_into(&p, path);
    }
    ss_drawing_close(&p);
    return done;
}
