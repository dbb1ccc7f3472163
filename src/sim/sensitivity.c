/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derivatives of a step x+ = S(x, theta). While the same blocks of rows carry, stick and slide (the
 * active set), S solves equations and no inequalities: by the implicit function theorem it is as
 * smooth as its geometry, and five steps along a direction give its derivative to fourth order,
 *
 *   S' = (8 (S(1) - S(-1)) - (S(2) - S(-2))) / (12 e)        e: the distance between them,
 *
 * with an error of e^4 and of rounding / e. Every one of the five is solved and certified like any
 * other step, and its active set is compared with that of the step itself. Where a side's differs,
 * the five are taken nearer. What differs however near is a kink, as is a derivative that is not
 * the same from both sides: then
 *
 *   S' = (-3 S(0) + 4 S(1) - S(2)) / (2 e)                   e < 0: backward
 *
 * of the side that acts like the step itself. docs/theory/identification.md has the derivation.
 */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "dynamics/coordinates.h"
#include "rows/contact_state.h"
#include "sim/tolerances.h"
#include "stickslip/sensitivity.h"

enum { LEVELS = 4, POINTS = 4 }; /* how near, and the places -2, -1, 1, 2 */
static const int places[POINTS] = {-2, -1, 1, 2};

/* A model with a changed parameter, and data of it. */
typedef struct probe {
    ss_model *m; /* NULL: not made yet */
    ss_data  *d;
} probe;

struct ss_sensitivity {
    ss_context        *ctx;
    const ss_model    *m;
    ss_sensitivity_def def;
    int32_t            size;
    probe              same;   /* of m itself; its model is NULL     */
    probe             *probes; /* (parameters x LEVELS x POINTS)     */
    void              *snapshot;
    size_t             snapshot_room, snapshot_size;
    double            *scale; /* (size) what a change is small against  */
    ss_body_state     *start; /* (nb) of the step                       */
    ss_body_state     *end;   /* (nb)                                   */
    uint64_t           active;
    bool               jerked; /* in the step itself                       */
    double            *ends;   /* (POINTS x size) changes of the end     */
    uint64_t           acts[POINTS];
    bool               stepped[POINTS];
};

int32_t ss_sensitivity_size(const ss_model *m)
{
    return m != NULL ? 2 * m->nv : 0;
}

const char *ss_slope_text(ss_slope slope)
{
    static const char *const texts[] = {"smooth", "forward", "backward", "unknown"};
    return slope >= SS_SLOPE_SMOOTH && slope <= SS_SLOPE_UNKNOWN ? texts[slope] : "unknown";
}

static size_t probe_count(const ss_sensitivity *s)
{
    return (size_t)s->def.parameter_count * LEVELS * POINTS;
}

static ss_status allocate(ss_sensitivity *s)
{
    size_t n = (size_t)s->size, nb = (size_t)s->m->nb;
    s->probes = ss_alloc(s->ctx, probe_count(s) + 1, sizeof *s->probes);
    s->scale  = ss_alloc(s->ctx, n + 1, sizeof *s->scale);
    s->ends   = ss_alloc(s->ctx, POINTS * n + 1, sizeof *s->ends);
    s->start  = ss_alloc(s->ctx, nb + 1, sizeof *s->start);
    s->end    = ss_alloc(s->ctx, nb + 1, sizeof *s->end);
    bool made = s->probes != NULL && s->scale != NULL && s->ends != NULL && s->start != NULL &&
                s->end != NULL;
    return made ? SS_OK : ss_fail(s->ctx, SS_ERR_MEMORY, "out of memory");
}

ss_status ss_sensitivity_create(ss_context *ctx, const ss_model *m, const ss_sensitivity_def *def,
                                ss_sensitivity **out)
{
    if (ctx == NULL || m == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "sensitivities need a context and a model");
    }
    if (def != NULL && def->parameter_count > 0 && (def->model == NULL || def->change == NULL)) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "parameters need `model` and `change`");
    }
    ss_sensitivity *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    *s = (ss_sensitivity){.ctx = ctx, .m = m, .size = ss_sensitivity_size(m)};
    if (def != NULL) {
        s->def = *def;
    }
    ss_status status = allocate(s);
    if (status == SS_OK) {
        status = ss_data_create(ctx, m, &s->same.d);
    }
    if (status != SS_OK) {
        ss_sensitivity_destroy(s);
        return status;
    }
    *out = s;
    return SS_OK;
}

void ss_sensitivity_destroy(ss_sensitivity *s)
{
    if (s == NULL) {
        return;
    }
    size_t n = (size_t)s->size, nb = (size_t)s->m->nb;
    for (size_t i = 0; s->probes != NULL && i < probe_count(s); i++) {
        ss_data_destroy(s->probes[i].d);
        ss_model_destroy(s->probes[i].m);
    }
    ss_data_destroy(s->same.d);
    ss_free(s->ctx, s->probes, (probe_count(s) + 1) * sizeof *s->probes);
    ss_free(s->ctx, s->scale, (n + 1) * sizeof *s->scale);
    ss_free(s->ctx, s->ends, (POINTS * n + 1) * sizeof *s->ends);
    ss_free(s->ctx, s->start, (nb + 1) * sizeof *s->start);
    ss_free(s->ctx, s->end, (nb + 1) * sizeof *s->end);
    ss_free(s->ctx, s->snapshot, s->snapshot_room);
    ss_free(s->ctx, s, sizeof *s);
}

/* ---- the active set ---- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 32);
}

/* What a block does; 0: it does nothing. */
static uint64_t acts_as(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    switch (b->kind) {
    case SS_BLOCK_EQUALITY:
        return 0; /* always there */
    case SS_BLOCK_UNILATERAL:
        return d->rows.impulse[b->row] > 0;
    case SS_BLOCK_CONE:
        return (uint64_t)ss_block_state(m, d, b, d->part);
    case SS_BLOCK_DISK:
        return ss_block_slips(m, d, b, d->part) ? 2 : 1;
    }
    return 0;
}

/* A number for the set of blocks that act and how; the order does not count. */
static uint64_t active_set(const ss_model *m, const ss_data *d)
{
    uint64_t sum = mix((uint64_t)d->report.splits + 1);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b    = &d->rows.blocks[i];
        uint64_t            what = acts_as(m, d, b);
        sum += what != 0 ? mix(b->key * 8 + what) : 0;
    }
    return sum;
}

/* ---- states and their changes ---- */

static void read_bodies(const ss_model *m, const ss_data *d, ss_body_state *out)
{
    for (int32_t i = 0; i < m->nb; i++) {
        (void)ss_data_body(m, d, i, &out[i]);
    }
}

static ss_vec3 vector_at(const double *x)
{
    return ss_v3(x[0], x[1], x[2]);
}

/* A body moved by e times the change x. */
static ss_body_state changed(const ss_model *m, ss_body_state b, const double *x, double e)
{
    if (m->dimension == 2) {
        b.position         = ss_add(b.position, ss_v3(e * x[0], e * x[1], 0));
        b.angle            = b.angle + e * x[2];
        b.velocity         = ss_add(b.velocity, ss_v3(e * x[3], e * x[4], 0));
        b.angular_velocity = ss_add(b.angular_velocity, ss_v3(0, 0, e * x[5]));
        return b;
    }
    ss_quat turn       = ss_quat_from_rotation(ss_scale(e, vector_at(x + 3)));
    b.position         = ss_add(b.position, ss_scale(e, vector_at(x)));
    b.quat_wxyz        = ss_quat_mul(turn, b.quat_wxyz);
    b.velocity         = ss_add(b.velocity, ss_scale(e, vector_at(x + 6)));
    b.angular_velocity = ss_add(b.angular_velocity, ss_scale(e, vector_at(x + 9)));
    return b;
}

static void put_vector(double *x, ss_vec3 v)
{
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

/* What takes `from` to `to`. */
static void change_of(const ss_model *m, const ss_body_state *from, const ss_body_state *to,
                      double *x)
{
    ss_vec3 p = ss_sub(to->position, from->position), v = ss_sub(to->velocity, from->velocity);
    ss_vec3 w = ss_sub(to->angular_velocity, from->angular_velocity);
    if (m->dimension == 2) {
        double all[6] = {p.x, p.y, to->angle - from->angle, v.x, v.y, w.z};
        memcpy(x, all, sizeof all);
        return;
    }
    ss_quat back = from->quat_wxyz;
    back.x       = -back.x;
    back.y       = -back.y;
    back.z       = -back.z;
    put_vector(x, p);
    put_vector(x + 3, ss_quat_to_rotation(ss_quat_mul(to->quat_wxyz, back)));
    put_vector(x + 6, v);
    put_vector(x + 9, w);
}

/* What changes are compared with: sizes, turns of a radian, speeds. */
static void find_scales(ss_sensitivity *s, double h)
{
    const ss_model *m     = s->m;
    double          speed = fmax(ss_norm(m->gravity) * h, SS_PROBE_SLOW * m->length);
    for (int32_t i = 0; i < m->nb; i++) {
        double turning = ss_norm(s->start[i].angular_velocity) * m->length;
        speed          = fmax(speed, fmax(ss_norm(s->start[i].velocity), turning));
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        for (int32_t k = 0; ss_body_moves(b) && k < 2 * m->dof; k++) {
            bool linear = k % m->dof < m->dimension, rate = k >= m->dof;
            s->scale[2 * b->v_start + k] =
                linear ? (rate ? speed : m->length) : (rate ? speed / m->length : 1);
        }
    }
}

/* ---- steps beside the step ---- */

static ss_status take_snapshot(ss_sensitivity *s, const ss_data *d)
{
    size_t size = ss_snapshot_size(s->m, d);
    if (size > s->snapshot_room) {
        void *more = ss_resize(s->ctx, s->snapshot, s->snapshot_room, size);
        if (more == NULL) {
            return ss_fail(s->ctx, SS_ERR_MEMORY, "out of memory");
        }
        s->snapshot      = more;
        s->snapshot_room = size;
    }
    s->snapshot_size = size;
    return ss_snapshot_get(s->m, d, s->snapshot);
}

static ss_status make_probe(ss_sensitivity *s, int32_t parameter, int level, int point, probe **out)
{
    if (parameter < 0) {
        *out = &s->same;
        return SS_OK;
    }
    probe *p = &s->probes[((size_t)parameter * LEVELS + (size_t)level) * POINTS + (size_t)point];
    *out     = p;
    if (p->m == NULL) {
        double change = places[point] * s->def.change[parameter] * ss_pow(SS_PROBE_NEARER, level);
        SS_TRY(s->def.model(s->def.user, s->ctx, parameter, change, &p->m));
        if (p->m->nb != s->m->nb || p->m->nv != s->m->nv) {
            return ss_fail(s->ctx, SS_ERR_INPUT,
                           "a parameter changes how many bodies there are: it has no derivative");
        }
    }
    return p->d == NULL ? ss_data_create(s->ctx, p->m, &p->d) : SS_OK;
}

/* The end of the step from e along the direction, as a change; false: there is no such step. */
static ss_status step_beside(ss_sensitivity *s, const ss_direction *to, int level, int point,
                             double e, double h)
{
    probe *p = NULL;
    SS_TRY(make_probe(s, to->parameter, level, point, &p));
    const ss_model *m = p->m != NULL ? p->m : s->m;
    SS_TRY(ss_snapshot_set(m, p->d, s->snapshot, s->snapshot_size));
    for (int32_t i = 0; to->state != NULL && i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            const double *x = to->state + 2 * (ptrdiff_t)m->bodies[i].v_start;
            ss_body_state b = changed(m, s->start[i], x, places[point] * e);
            SS_TRY(ss_data_set_body(m, p->d, i, &b));
        }
    }
    p->d->beside      = true;
    p->d->thrown      = s->jerked;
    ss_status status  = ss_step(m, p->d, h);
    s->stepped[point] = status == SS_OK;
    if (status != SS_OK) {
        return status == SS_ERR_MEMORY || status == SS_ERR_INTERRUPTED ? status : SS_OK;
    }
    s->acts[point] = active_set(m, p->d);
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            ss_body_state b;
            SS_TRY(ss_data_body(m, p->d, i, &b));
            change_of(m, &s->end[i], &b,
                      s->ends + (ptrdiff_t)point * s->size + 2 * m->bodies[i].v_start);
        }
    }
    return SS_OK;
}

/* Two steps of one side that act alike, and like the step itself if asked. */
static bool side_agrees(const ss_sensitivity *s, int near, int far, bool as_the_step)
{
    return s->stepped[near] && s->stepped[far] && s->acts[near] == s->acts[far] &&
           (!as_the_step || s->acts[near] == s->active);
}

/* The end of the step is the origin of the changes: S(0) is zero. */
static double one_sided(const ss_sensitivity *s, int near, int far, int32_t i, double e)
{
    return (4 * s->ends[(ptrdiff_t)near * s->size + i] - s->ends[(ptrdiff_t)far * s->size + i]) /
           (2 * e);
}

static double central(const ss_sensitivity *s, int32_t i, double e)
{
    const double *x = s->ends + i;
    ptrdiff_t     n = s->size;
    return (8 * (x[2 * n] - x[n]) - (x[3 * n] - x[0])) / (12 * e);
}

/* Is the derivative the same from both sides, as far as rounding and curvature let one tell? */
static bool sides_meet(const ss_sensitivity *s, double e)
{
    for (int32_t i = 0; i < s->size; i++) {
        double ahead = one_sided(s, 2, 3, i, e), behind = one_sided(s, 1, 0, i, -e);
        double large = fmax(fabs(ahead), fabs(behind));
        if (!(fabs(ahead - behind) <=
              SS_PROBE_BEND * large + SS_PROBE_ROUNDING * s->scale[i] / e)) {
            return false;
        }
    }
    return true;
}

static void write_slope(const ss_sensitivity *s, ss_slope slope, double e, double *out)
{
    for (int32_t i = 0; i < s->size; i++) {
        out[i] = slope == SS_SLOPE_SMOOTH     ? central(s, i, e)
                 : slope == SS_SLOPE_FORWARD  ? one_sided(s, 2, 3, i, e)
                 : slope == SS_SLOPE_BACKWARD ? one_sided(s, 1, 0, i, -e)
                                              : NAN;
    }
}

/* What the steps of one level say; SS_SLOPE_UNKNOWN: they are not near enough. */
static ss_slope judge_level(const ss_sensitivity *s, bool nearest, double e)
{
    bool ahead = side_agrees(s, 2, 3, true), behind = side_agrees(s, 1, 0, true);
    if (ahead && behind) {
        return sides_meet(s, e) ? SS_SLOPE_SMOOTH : nearest ? SS_SLOPE_FORWARD : SS_SLOPE_UNKNOWN;
    }
    if (!nearest) {
        return SS_SLOPE_UNKNOWN;
    }
    if (ahead || behind) {
        return ahead ? SS_SLOPE_FORWARD : SS_SLOPE_BACKWARD;
    }
    /* the step itself stands on the kink, and acts like neither side */
    return side_agrees(s, 2, 3, false)   ? SS_SLOPE_FORWARD
           : side_agrees(s, 1, 0, false) ? SS_SLOPE_BACKWARD
                                         : SS_SLOPE_UNKNOWN;
}

/* The distance of steps along a direction: a parameter's change, or a small part of the state. */
static double distance_along(const ss_sensitivity *s, const ss_direction *to)
{
    if (to->parameter >= 0) {
        return s->def.change[to->parameter];
    }
    double longest = 0;
    for (int32_t i = 0; to->state != NULL && i < s->size; i++) {
        longest = fmax(longest, fabs(to->state[i]) / s->scale[i]);
    }
    return longest > 0 ? SS_PROBE_PART / longest : 0;
}

static ss_status differentiate(ss_sensitivity *s, const ss_direction *to, double h, double *out,
                               ss_slope *slope)
{
    double e = distance_along(s, to);
    *slope   = SS_SLOPE_SMOOTH;
    if (e == 0) { /* it goes nowhere */
        memset(out, 0, (size_t)s->size * sizeof *out);
        return SS_OK;
    }
    *slope = SS_SLOPE_UNKNOWN;
    for (int level = 0; level < LEVELS && *slope == SS_SLOPE_UNKNOWN; level++) {
        double near = e * ss_pow(SS_PROBE_NEARER, level);
        for (int point = 0; point < POINTS; point++) {
            SS_TRY(step_beside(s, to, level, point, near, h));
        }
        *slope = judge_level(s, level == LEVELS - 1, near);
        write_slope(s, *slope, near, out);
    }
    return SS_OK;
}

static ss_status check(const ss_sensitivity *s, const ss_data *d, const ss_direction *directions,
                       int32_t count, const double *out)
{
    if (s == NULL || directions == NULL || out == NULL || count < 0) {
        return ss_fail(s != NULL ? s->ctx : NULL, SS_ERR_ARGUMENT,
                       "a step's sensitivity needs directions and a place for derivatives");
    }
    SS_TRY(ss_data_given(s->m, d, d));
    for (int32_t k = 0; k < count; k++) {
        if (directions[k].parameter >= s->def.parameter_count) {
            return ss_fail(s->ctx, SS_ERR_ARGUMENT, "there is no parameter %d, only %d",
                           directions[k].parameter, s->def.parameter_count);
        }
    }
    return SS_OK;
}

ss_status ss_step_sensitivity(ss_sensitivity *s, ss_data *d, double h,
                              const ss_direction *directions, int32_t count, double *out,
                              ss_slope *kind)
{
    SS_TRY(check(s, d, directions, count, out));
    SS_TRY(take_snapshot(s, d));
    read_bodies(s->m, d, s->start);
    find_scales(s, h);
    SS_TRY(ss_step(s->m, d, h));
    read_bodies(s->m, d, s->end);
    s->active        = active_set(s->m, d);
    s->jerked        = d->jerked;
    ss_status status = SS_OK;
    for (int32_t k = 0; status == SS_OK && k < count; k++) {
        ss_slope slope = SS_SLOPE_UNKNOWN;
        status         = differentiate(s, &directions[k], h, out + (ptrdiff_t)k * s->size, &slope);
        if (kind != NULL) {
            kind[k] = slope;
        }
    }
    if (status != SS_OK) {
        (void)ss_snapshot_set(s->m, d, s->snapshot, s->snapshot_size);
    }
    return status;
}
