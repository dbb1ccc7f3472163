/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of states as a picture: three panels, each cell in the colour of its verdict. Cells of one
 * colour in a row are one rectangle, and borders between colours are drawn as lines. Every
 * rectangle tells its values and verdict when the pointer rests on it.
 */
#include <math.h>
#include <stdio.h>

#include "state_map.h"
#include "stickslip/output.h"

enum { PANEL = 300, LEFT = 60, TOP = 40, GAP = 70, BOTTOM = 150, PANELS = SS_STATE_PANELS };

static int solutions_kind(const void *cell)
{
    const ss_state_cell      *c = cell;
    const ss_instant_verdict *v = &c->verdict;
    if (c->status != SS_OK || v->refused != NULL || v->exists == SS_UNDECIDED) {
        return v->striking > 0 ? 4 : -1;
    }
    return v->contacts == 0 ? 3 : v->exists == SS_NO ? 1 : v->unique == SS_NO ? 2 : 0;
}

static int p_kind(const void *cell)
{
    const ss_state_cell *c = cell;
    return c->status != SS_OK || c->verdict.p_matrix == SS_UNDECIDED ? -1
           : c->verdict.p_matrix == SS_YES                           ? 0
                                                                     : 1;
}

static int layer_kind(const void *cell)
{
    const ss_state_cell *c        = cell;
    static const double  border[] = {0.1, 0.25, 0.5, 1, 2};
    double               need     = c->verdict.critical;
    int                  kind     = 1;
    if (c->status != SS_OK || isnan(need)) {
        return -1;
    }
    if (need == 0 || isinf(need)) {
        return need == 0 ? 0 : 7;
    }
    while (kind <= 5 && need > border[kind - 1]) {
        kind++;
    }
    return kind;
}

static int forces_kind(const void *cell)
{
    const ss_state_cell *c = cell;
    return c->status != SS_OK || c->verdict.forces_unique == SS_UNDECIDED ? -1
           : c->verdict.forces_unique == SS_YES                           ? 0
                                                                          : 1;
}

static int pointed_kind(const void *cell)
{
    const ss_state_cell *c = cell;
    return c->status != SS_OK || c->verdict.pointed == SS_UNDECIDED ? -1
           : c->verdict.pointed == SS_YES                           ? 0
                                                                    : 1;
}

static double painleve_of(const void *cell)
{
    const ss_state_cell *c = cell;
    return c->status != SS_OK || c->verdict.sliding == 0 ? NAN : c->verdict.painleve;
}

static double border_of(const void *cell)
{
    const ss_state_cell *c = cell;
    return c->status != SS_OK || c->verdict.sliding == 0 ? NAN : c->verdict.mu_border;
}

const ss_map_column ss_state_columns[SS_STATE_COLUMNS] = {
    {.title  = "solutions",
     .kind   = solutions_kind,
     .legend = {{"#d9ead3", "one solution"},
                {"#cc4125", "none"},
                {"#f6b26b", "several"},
                {"#ffffff", "nothing touches"},
                {"#b4a7d6", "impact"}}},
    {.title  = "P-matrix: one solution for every load",
     .kind   = p_kind,
     .legend = {{"#d9ead3", "yes"}, {"#e06666", "no"}}},
    {.title  = "stability of contact",
     .kind   = layer_kind,
     .legend = {{"#d9ead3", "stable for every c^2/k"},
                {"#fff2cc", "for c^2/k > 0.1 or less"},
                {"#ffe599", "> 0.25"},
                {"#ffd966", "> 0.5"},
                {"#f1c232", "> 1"},
                {"#bf9000", "> 2"},
                {"#7f6000", "more"},
                {"#cc4125", "never stable"}}},
    {.title  = "contact forces",
     .kind   = forces_kind,
     .legend = {{"#d9ead3", "unique"}, {"#f6b26b", "not unique"}}},
    {.title  = "friction cone",
     .kind   = pointed_kind,
     .legend = {{"#d9ead3", "pointed"}, {"#e06666", "not pointed: forces can cancel"}}},
    {.title = "painleve: normal response over that without friction", .number = painleve_of},
    {.title = "how far in mu the paradox is", .number = border_of},
};

typedef struct frame {
    double x, y, w, h; /* of the panel; of a cell */
    double dx, dy;
    int    nx, ny;
} frame;

/* One row of cells, from left to right, equal ones together. */
static void draw_row(FILE *out, const ss_state_map *m, const ss_map_column *p, const frame *f,
                     int row)
{
    for (int i = 0; i < f->nx;) {
        const ss_state_cell *c    = &m->cells[row * f->nx + i];
        int                  kind = p->kind(c), end = i;
        while (end < f->nx && p->kind(&m->cells[row * f->nx + end]) == kind) {
            end++;
        }
        const ss_state_cell *last = &m->cells[row * f->nx + end - 1];
        fprintf(out, "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='%s'><title>",
                f->x + i * f->dx, f->y + f->h - (row + 1) * f->dy, (end - i) * f->dx, f->dy + 0.2,
                kind >= 0 ? p->legend[kind].colour : "#eeeeee");
        ss_output_markup(out, kind >= 0 ? p->legend[kind].text : "not applicable");
        fprintf(out, "\n%s %g to %g", m->axes[0].path, c->value[0], last->value[0]);
        if (m->axis_count > 1) {
            fprintf(out, "\n%s %g", m->axes[1].path, c->value[1]);
        }
        fprintf(out, "</title></rect>\n");
        i = end;
    }
}

/* Lines between cells of different kinds. */
static void draw_borders(FILE *out, const ss_state_map *m, const ss_map_column *p, const frame *f)
{
    fprintf(out, "<path fill='none' stroke='#333' stroke-width='0.8' d='");
    for (int j = 0; j < f->ny; j++) {
        for (int i = 0; i < f->nx; i++) {
            int    kind = p->kind(&m->cells[j * f->nx + i]);
            double x = f->x + i * f->dx, y = f->y + f->h - j * f->dy;
            if (i > 0 && p->kind(&m->cells[j * f->nx + i - 1]) != kind) {
                fprintf(out, "M%.2f %.2fV%.2f", x, y, y - f->dy);
            }
            if (j > 0 && p->kind(&m->cells[(j - 1) * f->nx + i]) != kind) {
                fprintf(out, "M%.2f %.2fH%.2f", x, y, x + f->dx);
            }
        }
    }
    fprintf(out, "'/>\n");
}

static void draw_axes(FILE *out, const ss_state_map *m, const frame *f)
{
    fprintf(out, "<rect x='%g' y='%g' width='%g' height='%g' fill='none' stroke='#000'/>\n", f->x,
            f->y, f->w, f->h);
    for (int k = 0; k <= 4; k++) {
        const ss_map_axis *x = &m->axes[0], *y = &m->axes[1];
        double             u = k / 4.0;
        fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>%.4g</text>\n", f->x + u * f->w,
                f->y + f->h + 14, x->low + u * (x->high - x->low));
        if (m->axis_count > 1) {
            fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='end'>%.4g</text>\n", f->x - 4,
                    f->y + f->h - u * f->h + 4, y->low + u * (y->high - y->low));
        }
    }
    fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>", f->x + f->w / 2,
            f->y + f->h + 30);
    ss_output_markup(out, m->axes[0].path);
    fprintf(out, "</text>\n");
    if (m->axis_count > 1) {
        fprintf(out, "<text transform='translate(%.1f %.1f) rotate(-90)' text-anchor='middle'>",
                f->x - 40, f->y + f->h / 2);
        ss_output_markup(out, m->axes[1].path);
        fprintf(out, "</text>\n");
    }
}

static void draw_legend(FILE *out, const ss_map_column *p, const frame *f)
{
    double y = f->y + f->h + 46;
    for (int k = 0; k < SS_MAP_KINDS && p->legend[k].text != NULL; k++, y += 13) {
        fprintf(out, "<rect x='%g' y='%g' width='10' height='10' fill='%s' stroke='#333'/>", f->x,
                y - 9, p->legend[k].colour);
        fprintf(out, "<text x='%g' y='%g'>", f->x + 15, y);
        ss_output_markup(out, p->legend[k].text);
        fprintf(out, "</text>\n");
    }
}

static void draw_panel(FILE *out, const ss_state_map *m, const ss_map_column *p, int index)
{
    frame f = {.x  = LEFT + index * (PANEL + GAP),
               .y  = TOP,
               .w  = PANEL,
               .h  = PANEL,
               .nx = m->axes[0].count,
               .ny = m->axis_count > 1 ? m->axes[1].count : 1};
    f.dx    = f.w / f.nx;
    f.dy    = f.h / f.ny;
    fprintf(out, "<text x='%g' y='%g' text-anchor='middle' font-weight='bold'>%s</text>\n",
            f.x + f.w / 2, f.y - 12, p->title);
    for (int row = 0; row < f.ny; row++) {
        draw_row(out, m, p, &f, row);
    }
    draw_borders(out, m, p, &f);
    draw_axes(out, m, &f);
    draw_legend(out, p, &f);
}

/* Has any cell a verdict that the panel shows? */
static bool speaks(const ss_state_map *m, const ss_map_column *p)
{
    for (int32_t i = 0; i < m->count; i++) {
        if (p->kind(&m->cells[i]) >= 0) {
            return true;
        }
    }
    return false;
}

ss_status ss_state_map_svg(ss_context *ctx, const ss_state_map *map, const char *path)
{
    int             shown = 0;
    ss_output_file *file;
    SS_TRY(ss_output_open(ctx, path, &file));
    FILE *out = ss_output_stream(file);
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' "
            "font-size='10'>\n<rect width='100%%' height='100%%' fill='#fff'/>\n",
            LEFT + PANELS * (PANEL + GAP), TOP + PANEL + BOTTOM);
    for (int i = 0; i < PANELS; i++) {
        if (speaks(map, &ss_state_columns[i])) {
            draw_panel(out, map, &ss_state_columns[i], shown++);
        }
    }
    fprintf(out, "</svg>\n");
    return ss_output_close(file, SS_OK);
}
