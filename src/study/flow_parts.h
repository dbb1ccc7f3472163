/* SPDX-License-Identifier: Apache-2.0 */
/* What a flow is made of (flow.h): its points (flow.c), lines (flow_lines.c), pictures. */
#ifndef SS_STUDY_FLOW_PARTS_H
#define SS_STUDY_FLOW_PARTS_H

#include "files/buffer.h"
#include "stickslip/flow.h"

enum { SS_FLOW_POINTS = 64, SS_FLOW_LINES = 96, SS_FLOW_LINE_NODES = 241 };
/* Seeds of lines are visited in strides of this prime: each once, spread over the grid. */
enum { SS_FLOW_STRIDE = 7919 };

typedef struct ss_flow_line {
    int32_t count;
    double  xy[SS_FLOW_LINE_NODES][2];
} ss_flow_line;

struct ss_flow {
    ss_context    *ctx;
    int32_t        nx, ny;
    double        *x, *y, *u, *v;
    double         fastest; /* the largest speed */
    ss_flow_linear whole;
    ss_flow_point  points[SS_FLOW_POINTS];
    int32_t        point_count;
    ss_flow_line  *lines; /* (line_count) of SS_FLOW_LINES */
    int32_t        line_count;
};

/* Streamlines that keep a distance from each other (flow_lines.c). */
void ss_flow_draw_lines(ss_flow *f);
/* The field as JSON, for the report. */
void ss_flow_put(ss_buffer *b, const ss_flow *f, const char *name);

#endif
