/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is there any way through? The configurations (x, y, angle) of a body among bodies that do not
 * move are divided into cells. A cell is closed when no configuration in it can be free:
 *
 *   let B(p, r) be a disc inside the body, and s(c) the signed distance from its centre, with the
 *   body at the middle of the cell, to the solids. Within the cell the centre moves by at most
 *   rho = |(dx, dy)| / 2 + |p| dangle / 2. If s(c) + rho < r, the disc overlaps a solid everywhere
 *   in the cell.
 *
 * Every way through leads through neighbouring cells that are not closed; so if none of those leads
 * from the start to the goal (falling from level to level of y, or anywhere if `any_way`), there is
 * no way, and the design is bad whatever friction and impacts do. Distances are exact or too large,
 * discs exact or too small, and shapes that are neither polygons, boxes, discs nor half-planes are
 * left out: all of that opens cells, none closes one.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/elementary.h"
#include "model/data.h"
#include "study/rungs.h"
#include "study/tolerances.h"
#include "study/trial.h"

static const double pi = 3.14159265358979323846;

/* ---- distances ---- */

static ss_vec3 to_local(const ss_frame *f, ss_vec3 p)
{
    return ss_tmul(&f->R, ss_sub(p, f->p));
}

static double segment_distance(ss_vec3 p, ss_vec3 a, ss_vec3 b)
{
    ss_vec3 d = ss_sub(b, a);
    double  t = ss_dot(ss_sub(p, a), d) / fmax(ss_dot(d, d), DBL_MIN);
    return ss_norm(ss_sub(p, ss_axpy(a, fmin(fmax(t, 0), 1), d)));
}

/* Signed distance to a convex polygon. */
static double polygon_distance(const ss_polyhedron *k, ss_vec3 p)
{
    double inside = -INFINITY, outside = INFINITY;
    for (int32_t i = 0; i < k->face_count; i++) {
        inside = fmax(inside, ss_dot(k->normals[i], p) - k->offsets[i]);
    }
    if (inside <= 0) {
        return inside;
    }
    for (int32_t i = 0; i < k->vertex_count; i++) {
        outside = fmin(outside,
                       segment_distance(p, k->vertices[i], k->vertices[(i + 1) % k->vertex_count]));
    }
    return outside;
}

/* Of a point in shape coordinates; INFINITY: the shape is not known here. */
static double shape_distance(const ss_geom *g, ss_vec3 p)
{
    if (g->poly != NULL) {
        return g->poly->vertex_count > 2 ? polygon_distance(g->poly, p) : INFINITY;
    }
    if (strcmp(g->cls->name, "disc") == 0) {
        return ss_norm(p) - g->params.sphere.radius;
    }
    if (strcmp(g->cls->name, "halfplane") == 0) {
        ss_vec3 n = ss_unit(g->params.plane.normal);
        return ss_dot(n, p) - g->params.plane.offset / ss_norm(g->params.plane.normal);
    }
    return INFINITY;
}

/* ---- discs inside the body ---- */

enum { GRID = 9, DISCS_MAX = 1024, DISCS_KEPT = 64, SOLIDS_MAX = 256 };

typedef struct disc {
    ss_vec3 at; /* in the body frame */
    double  radius;
} disc;

/* A disc of the body turned: where its centre is, and how far off solids must be. */
typedef struct turned {
    double x, y, needs;
} turned;

typedef struct search {
    ss_context         *ctx;
    const ss_geometric *g;
    const ss_model     *m;
    int32_t             body;
    disc                discs[DISCS_MAX];
    int32_t             disc_count;
    const ss_geom      *solids[SOLIDS_MAX];
    ss_frame            frames[SOLIDS_MAX];
    uint64_t            device; /* that cells and field are of */
    int32_t             solid_count;
    double              step[3]; /* of x, y, angle              */
    double             *field;   /* distances on nodes of a grid */
    int32_t             nodes[2];
    double              node_step[2], node_first[2];
    turned             *turned; /* (cells[2] x DISCS_KEPT) */
    signed char        *cells;  /* 0 unknown, 1 open, 2 closed, 3 reached */
    int32_t            *stack;  /* cells to go on from                     */
} search;

/* The largest disc about a point of the body, known by its convex pieces. */
static double depth_at(const search *s, ss_vec3 p)
{
    const ss_body *b     = &s->m->bodies[s->body];
    double         depth = 0;
    for (int32_t i = b->geom_first; i < b->geom_first + b->geom_count; i++) {
        const ss_geom *g = &s->m->geoms[i];
        depth            = fmax(depth, -shape_distance(g, to_local(&g->local, p)));
    }
    return depth;
}

static void thin_out(search *s)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < s->disc_count; i++) {
        int32_t largest = i;
        for (int32_t j = i + 1; j < s->disc_count; j++) {
            largest = s->discs[j].radius > s->discs[largest].radius ? j : largest;
        }
        disc next         = s->discs[largest];
        s->discs[largest] = s->discs[i];
        s->discs[i]       = next;
        bool adds         = true;
        for (int32_t j = 0; j < kept && adds; j++) {
            adds = ss_norm(ss_sub(s->discs[j].at, next.at)) > SS_DISC_CROWDED * s->discs[j].radius;
        }
        if (adds && kept < DISCS_KEPT) {
            s->discs[i]      = s->discs[kept];
            s->discs[kept++] = next;
        }
    }
    s->disc_count = kept;
}

/* p: in the frame of the centre of mass, as shapes are placed. */
static void add_disc(search *s, ss_vec3 p)
{
    double r = depth_at(s, p);
    if (r > 0 && s->disc_count < DISCS_MAX) {
        s->discs[s->disc_count++] = (disc){ss_add(p, s->m->bodies[s->body].com), r};
    }
}

static void fill_with_discs(search *s)
{
    const ss_body *b = &s->m->bodies[s->body];
    s->disc_count    = 0;
    for (int32_t i = b->geom_first; i < b->geom_first + b->geom_count; i++) {
        const ss_geom *g = &s->m->geoms[i];
        ss_aabb        box;
        if (g->cls->bounds == NULL || !isfinite(g->radius)) {
            continue;
        }
        g->cls->bounds(g, &g->local, &box);
        for (int32_t k = 0; k < GRID * GRID; k++) {
            int32_t row = k / GRID;
            double  u = (k % GRID + 0.5) / GRID, v = row + 0.5;
            add_disc(s, ss_v3(box.low.x + u * (box.high.x - box.low.x),
                              box.low.y + v / GRID * (box.high.y - box.low.y), 0));
        }
    }
    thin_out(s);
}

/* ---- the field of distances ---- */

static double distance_at(const search *s, ss_vec3 p)
{
    double least = INFINITY;
    for (int32_t i = 0; i < s->solid_count; i++) {
        least = fmin(least, shape_distance(s->solids[i], to_local(&s->frames[i], p)));
    }
    return least;
}

/* Distances do not grow faster than ways: that of the nearest node, half a diagonal added. Nodes
   are computed when they are first asked for (NaN: not yet). */
static double field_at(const search *s, double x, double y)
{
    int32_t i    = (int32_t)((x - s->node_first[0]) / s->node_step[0] + 0.5);
    int32_t j    = (int32_t)((y - s->node_first[1]) / s->node_step[1] + 0.5);
    double *node = &s->field[(ptrdiff_t)j * s->nodes[0] + i];
    if (isnan(*node)) {
        ss_vec3 p = ss_v3(s->node_first[0] + i * s->node_step[0],
                          s->node_first[1] + j * s->node_step[1], 0);
        *node     = distance_at(s, p) + 0.5 * hypot(s->node_step[0], s->node_step[1]);
    }
    return *node;
}

/* Where the discs are at the angles of the cells, and how far a solid must stay away. */
static ss_status turn_discs(search *s)
{
    double half = 0.5 * ss_hypot(s->step[0], s->step[1]);
    for (int32_t k = 0; k < s->g->cells[2]; k++) {
        double angle = -pi + (k + 0.5) * s->step[2], c = ss_cos(angle), n = ss_sin(angle);
        for (int32_t b = 0; b < s->disc_count; b++) {
            const disc *q   = &s->discs[b];
            double      rho = half + 0.5 * ss_norm(q->at) * s->step[2];
            s->turned[(ptrdiff_t)k * DISCS_KEPT + b] =
                (turned){c * q->at.x - n * q->at.y, n * q->at.x + c * q->at.y, q->radius - rho};
        }
    }
    return SS_OK;
}

static ss_status make_field(search *s)
{
    double reach = 0;
    for (int32_t i = 0; i < s->disc_count; i++) {
        reach = fmax(reach, ss_norm(s->discs[i].at));
    }
    for (int k = 0; k < 2; k++) {
        const double *range = k == 0 ? s->g->x : s->g->y;
        s->node_step[k]     = 0.5 * s->step[k];
        s->node_first[k]    = range[0] - reach;
        s->nodes[k] = 2 + (int32_t)ceil((range[1] - range[0] + 2 * reach) / s->node_step[k]);
    }
    size_t count = (size_t)s->nodes[0] * (size_t)s->nodes[1];
    s->field     = ss_alloc(s->ctx, count, sizeof *s->field);
    if (s->field == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        s->field[i] = NAN;
    }
    return turn_discs(s);
}

/* ---- cells ---- */

static int32_t cell_of(const search *s, int32_t i, int32_t j, int32_t k)
{
    return (j * s->g->cells[0] + i) * s->g->cells[2] + k;
}

/* May a configuration in it be free? j counts from the top. */
static bool is_open(search *s, int32_t i, int32_t j, int32_t k)
{
    signed char *known = &s->cells[cell_of(s, i, j, k)];
    if (*known == 0) {
        double x = s->g->x[0] + (i + 0.5) * s->step[0], y = s->g->y[1] - (j + 0.5) * s->step[1];
        *known = 1;
        for (int32_t b = 0; b < s->disc_count && *known == 1; b++) {
            const turned *q = &s->turned[(ptrdiff_t)k * DISCS_KEPT + b];
            if (field_at(s, x + q->x, y + q->y) < q->needs) {
                *known = 2;
            }
        }
    }
    return *known != 2;
}

static bool meets(double low, double high, const double to[2])
{
    return high >= to[0] && low <= to[1];
}

/* Angles count modulo a turn. */
static bool angle_meets(double low, double high, const double to[2])
{
    if (!isfinite(to[0])) {
        return true;
    }
    for (int turn = -1; turn <= 1; turn++) {
        double by = 2 * pi * (turn + round(to[0] / (2 * pi)));
        if (meets(low + by, high + by, to)) {
            return true;
        }
    }
    return false;
}

static bool is_goal(const search *s, int32_t i, int32_t j, int32_t k)
{
    double x = s->g->x[0] + i * s->step[0], y = s->g->y[1] - (j + 1) * s->step[1];
    double angle = -pi + k * s->step[2];
    return meets(x, x + s->step[0], s->g->to_x) && meets(y, y + s->step[1], s->g->to_y) &&
           angle_meets(angle, angle + s->step[2], s->g->to_angle);
}

/* ---- the way ---- */

/* Neighbours that can be reached: of the same level, and of the next below (or of both). */
static void go_on(search *s, int32_t from, int32_t *top)
{
    int32_t nx = s->g->cells[0], ny = s->g->cells[1], na = s->g->cells[2];
    int32_t k = from % na, i = from / na % nx, j = from / na / nx;
    for (int32_t dj = s->g->any_way ? -1 : 0; dj <= 1; dj++) {
        for (int32_t n = 0; n < 9; n++) {
            int32_t a = i + n % 3 - 1, b = j + dj, c = (k + n / 3 - 1 + na) % na;
            if (a < 0 || a >= nx || b < 0 || b >= ny || s->cells[cell_of(s, a, b, c)] == 3 ||
                !is_open(s, a, b, c)) {
                continue;
            }
            s->cells[cell_of(s, a, b, c)] = 3;
            s->stack[(*top)++]            = cell_of(s, a, b, c);
        }
    }
}

static bool follow(search *s, int32_t start)
{
    int32_t top     = 0;
    s->cells[start] = 3;
    s->stack[top++] = start;
    while (top > 0) {
        int32_t at = s->stack[--top], nx = s->g->cells[0], na = s->g->cells[2];
        if (is_goal(s, at / na % nx, at / na / nx, at % na)) {
            return true;
        }
        go_on(s, at, &top);
    }
    return false;
}

static int32_t place(double value, double low, double step, int32_t count)
{
    double at = floor((value - low) / step);
    return at < 0 || at >= count ? -1 : (int32_t)at;
}

static ss_status find_way(search *s, const ss_data *d, bool *out)
{
    ss_body_state at;
    SS_TRY(ss_data_body(s->m, d, s->body, &at));
    double  angle = remainder(at.angle, 2 * pi);
    int32_t i     = place(at.position.x, s->g->x[0], s->step[0], s->g->cells[0]);
    int32_t j     = place(-at.position.y, -s->g->y[1], s->step[1], s->g->cells[1]);
    int32_t k     = place(angle, -pi, s->step[2], s->g->cells[2]);
    if (i < 0 || j < 0) {
        return ss_fail(s->ctx, SS_ERR_INPUT,
                       "geometric: body '%.60s' starts at (%g, %g), outside of x and y", s->g->body,
                       at.position.x, at.position.y);
    }
    *out = follow(s, cell_of(s, i, j, k < 0 ? s->g->cells[2] - 1 : k));
    return SS_OK;
}

static void find_solids(search *s, const ss_data *d)
{
    s->solid_count = 0;
    for (int32_t i = 0; i < ss_model_geom_count(s->m) && s->solid_count < SOLIDS_MAX; i++) {
        const ss_geom *g = &s->m->geoms[i];
        if (s->m->bodies[g->body].type == SS_BODY_STATIC) {
            s->frames[s->solid_count]   = d->geom_frame[i];
            s->solids[s->solid_count++] = g;
        }
    }
}

/* ---- trials of one design mostly differ in where the body starts ---- */

/* FNV-1a over all that decides which cells are open. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * 1099511628211u;
    }
    return hash;
}

static uint64_t device_of(const search *s)
{
    uint64_t hash = mix(14695981039346656037u, s->discs, (size_t)s->disc_count * sizeof(disc));
    for (int32_t i = 0; i < s->solid_count; i++) {
        const ss_geom *g = s->solids[i];
        hash             = mix(hash, &s->frames[i], sizeof s->frames[i]);
        if (g->poly != NULL) {
            hash = mix(hash, g->poly->vertices,
                       (size_t)g->poly->vertex_count * sizeof *g->poly->vertices);
        } else {
            hash = mix(hash, g->params.room, sizeof g->params.room);
        }
    }
    return hash;
}

static size_t cell_count(const ss_geometric *g)
{
    return (size_t)g->cells[0] * (size_t)g->cells[1] * (size_t)g->cells[2];
}

static size_t field_size(const search *s)
{
    return (size_t)s->nodes[0] * (size_t)s->nodes[1] * sizeof *s->field;
}

/* Cells as they are before the search; what is known of the same device stays known. */
static ss_status prepare(search *s)
{
    size_t   count  = cell_count(s->g);
    uint64_t device = device_of(s);
    if (s->field != NULL && device == s->device) {
        for (size_t i = 0; i < count; i++) {
            s->cells[i] = s->cells[i] == 3 ? 1 : s->cells[i];
        }
        return SS_OK;
    }
    if (s->field != NULL) {
        ss_free(s->ctx, s->field, field_size(s));
        s->field = NULL;
    }
    s->device = device;
    memset(s->cells, 0, count);
    return make_field(s);
}

static ss_status start_search(ss_context *ctx, const ss_geometric *g, search **out)
{
    search *s = ss_alloc(ctx, 1, sizeof *s);
    *out      = s;
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    s->ctx     = ctx;
    s->g       = g;
    s->step[0] = (g->x[1] - g->x[0]) / g->cells[0];
    s->step[1] = (g->y[1] - g->y[0]) / g->cells[1];
    s->step[2] = 2 * pi / g->cells[2];
    s->cells   = ss_alloc(ctx, cell_count(g), sizeof *s->cells);
    s->stack   = ss_alloc(ctx, cell_count(g), sizeof *s->stack);
    s->turned  = ss_alloc(ctx, (size_t)g->cells[2] * DISCS_KEPT, sizeof *s->turned);
    return s->cells != NULL && s->stack != NULL && s->turned != NULL
               ? SS_OK
               : ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
}

static void end_search(search *s)
{
    if (s == NULL) {
        return;
    }
    ss_context *ctx = s->ctx;
    if (s->field != NULL) {
        ss_free(ctx, s->field, field_size(s));
    }
    ss_free(ctx, s->cells, cell_count(s->g) * sizeof *s->cells);
    ss_free(ctx, s->stack, cell_count(s->g) * sizeof *s->stack);
    ss_free(ctx, s->turned, (size_t)s->g->cells[2] * DISCS_KEPT * sizeof *s->turned);
    ss_free(ctx, s, sizeof *s);
}

static ss_status search_in(search *s, const ss_model *m, const ss_data *d, bool *out)
{
    s->m    = m;
    s->body = ss_model_find_body(m, s->g->body).index1 - 1;
    if (s->body < 0) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "geometric: there is no body '%.60s'", s->g->body);
    }
    if (m->gravity.x != 0 || m->gravity.y > 0) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "geometric: gravity must point along -y");
    }
    find_solids(s, d);
    fill_with_discs(s);
    SS_TRY(prepare(s));
    return find_way(s, d, out);
}

static ss_status one_trial(search *s, const ss_study *study, int64_t trial, double *inputs,
                           bool *out)
{
    ss_scene *scene = NULL;
    ss_model *m     = NULL;
    ss_data  *d     = NULL;
    *out            = false;
    ss_study_draw(study, trial, inputs);
    ss_status status = ss_study_make_scene(s->ctx, study, trial, inputs, false, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(s->ctx, scene, &m);
    }
    if (status == SS_OK) {
        status = ss_data_create(s->ctx, m, &d);
    }
    bool stands = status == SS_OK; /* a scene that cannot start is a bad design, not an error */
    if (stands) {
        status = search_in(s, m, d, out);
    }
    ss_data_destroy(d);
    ss_model_destroy(m);
    ss_scene_destroy(scene);
    return stands || ss_trial_ends_everything(status) ? status : SS_OK;
}

ss_status ss_geometric_trials(ss_context *ctx, const ss_study *study, const ss_geometric *g,
                              bool *ways)
{
    search   *s      = NULL;
    size_t    room   = (size_t)study->input_count + 1;
    double   *inputs = ss_alloc(ctx, room, sizeof *inputs);
    ss_status status =
        inputs != NULL ? start_search(ctx, g, &s) : ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; status == SS_OK && i < ss_study_trials(study); i++) {
        status = one_trial(s, study, i, inputs, &ways[i]);
    }
    end_search(s);
    if (inputs != NULL) {
        ss_free(ctx, inputs, room * sizeof *inputs);
    }
    return status;
}
