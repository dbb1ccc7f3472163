/* SPDX-License-Identifier: Apache-2.0 */
#include "runfile/run_rows.h"

#include <math.h>
#include <string.h>

#include "stickslip/analysis.h"

const ss_run_field ss_run_fields[SS_RUN_FIELD_COUNT] = {
#define SS_FIELD_ROW(id, table, path, type, per, flat, solid, unit, doc)                           \
    [SS_RUN_##id] = {path, SS_TABLE_##table, SS_RUN_##type, SS_PER_##per, flat, solid, unit, doc},
    SS_RUN_FIELD_LIST(SS_FIELD_ROW)
#undef SS_FIELD_ROW
};

int32_t ss_run_width(const ss_run_field *f, const ss_run_size *size)
{
    int32_t width = size->dimension == 2 ? f->flat : f->solid;
    switch (f->per) {
    case SS_PER_BODY:
        return width * size->bodies;
    case SS_PER_JOINT:
        return width * size->joints;
    case SS_PER_FORCE:
        return width * size->forces;
    case SS_PER_SUPPORT:
        return width * size->supports;
    case SS_PER_RANGE:
        return width * size->ranges;
    case SS_PER_VERDICT:
        return width * size->verdicts;
    case SS_PER_ROW:
        break;
    }
    return width;
}

int32_t ss_run_type_size(ss_run_type type)
{
    return type == SS_RUN_F64 ? 8 : type == SS_RUN_I32 ? 4 : 1;
}

static size_t row_bytes(const ss_run_rows *r, int id)
{
    const ss_run_field *f = &ss_run_fields[id];
    return (size_t)ss_run_width(f, &r->size) * (size_t)ss_run_type_size(f->type);
}

void ss_run_rows_start(ss_run_rows *r, ss_context *ctx, const ss_run_size *size)
{
    *r = (ss_run_rows){.ctx = ctx, .size = *size};
}

static int32_t room_of(const ss_run_rows *r, int id)
{
    return ss_run_fields[id].table == SS_TABLE_CONTACTS ? r->contact_room : r->step_room;
}

void ss_run_rows_release(ss_run_rows *r)
{
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        ss_free(r->ctx, r->column[id], (size_t)room_of(r, id) * row_bytes(r, id));
        r->column[id] = NULL;
    }
    r->steps = r->contacts = r->step_room = r->contact_room = 0;
}

/* All columns of the contacts, or all others, grow together. */
static ss_status grow(ss_run_rows *r, bool contacts, int32_t *room, int32_t wanted)
{
    if (wanted <= *room) {
        return SS_OK;
    }
    int32_t fresh_room = wanted + wanted / 2 + 16;
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        size_t bytes = row_bytes(r, id);
        if ((ss_run_fields[id].table == SS_TABLE_CONTACTS) != contacts || bytes == 0) {
            continue;
        }
        void *fresh =
            ss_resize(r->ctx, r->column[id], (size_t)*room * bytes, (size_t)fresh_room * bytes);
        if (fresh == NULL) {
            return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory to record %d states", (int)wanted);
        }
        r->column[id] = fresh;
    }
    *room = fresh_room;
    return SS_OK;
}

ss_status ss_run_rows_reserve(ss_run_rows *r, int32_t steps, int32_t contacts)
{
    SS_TRY(grow(r, false, &r->step_room, r->steps + steps));
    return grow(r, true, &r->contact_room, r->contacts + contacts);
}

uint8_t ss_run_solver_index(const ss_context *ctx, const char *name)
{
    for (int32_t i = 0; name != NULL && i < ss_solver_count(ctx); i++) {
        if (strcmp(ss_solver_at(ctx, i)->name, name) == 0) {
            return (uint8_t)i;
        }
    }
    return 255;
}

static void put_vec3(double *to, ss_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void put_contact(ss_run_rows *r, const ss_contact_info *c, int32_t row)
{
    int32_t *identity             = ss_run_ints(r, SS_RUN_IDENTITY) + 4 * (size_t)row;
    identity[0]                   = c->geom_a;
    identity[1]                   = (int32_t)c->feature_a;
    identity[2]                   = c->geom_b;
    identity[3]                   = (int32_t)c->feature_b;
    r->column[SS_RUN_STATE][row]  = (unsigned char)c->state;
    int32_t *direction            = ss_run_ints(r, SS_RUN_DIRECTION) + 2 * (size_t)row;
    direction[0]                  = (int32_t)c->branch_a;
    direction[1]                  = (int32_t)c->branch_b;
    bool at_corner                = c->branch_a != 0 || c->branch_b != 0;
    r->column[SS_RUN_BRANCH][row] = (unsigned char)(!at_corner                    ? 0
                                                    : c->state != SS_CONTACT_OPEN ? 1
                                                                                  : 2);
    put_vec3(ss_run_reals(r, SS_RUN_POINT) + 3 * (size_t)row, c->point);
    put_vec3(ss_run_reals(r, SS_RUN_NORMAL) + 3 * (size_t)row, c->normal);
    put_vec3(ss_run_reals(r, SS_RUN_TANGENT) + 3 * (size_t)row, c->t);
    ss_run_reals(r, SS_RUN_GAP)[row] = c->gap;
    ss_run_reals(r, SS_RUN_MU)[row]  = c->mu;
    memcpy(ss_run_reals(r, SS_RUN_IMPULSE) + 6 * (size_t)row, c->impulse, sizeof c->impulse);
    memcpy(ss_run_reals(r, SS_RUN_DEFLECTION) + 3 * (size_t)row, c->deflection,
           sizeof c->deflection);
    memcpy(ss_run_reals(r, SS_RUN_SLIDING) + 6 * (size_t)row, c->velocity, sizeof c->velocity);
}

/* What the contacts of the step may carry; without an LP solver, or at the start, nobody knows. */
static ss_status collect_ranges(ss_run_rows *r, const ss_model *m, const ss_data *d, int32_t count)
{
    double         *to    = ss_run_reals(r, SS_RUN_RANGE) + 2 * (size_t)r->contacts;
    ss_force_range *range = ss_alloc(r->ctx, (size_t)count + 1, sizeof *range);
    if (range == NULL) {
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for the ranges of %d contacts",
                       (int)count);
    }
    ss_status status = count > 0 ? ss_analyze_forces(m, d, range, count) : SS_OK;
    bool      known  = count > 0 && status == SS_OK;
    for (int32_t i = 0; i < count; i++) {
        to[2 * i]     = known ? range[i].low[0] : NAN;
        to[2 * i + 1] = known ? range[i].high[0] : NAN;
    }
    ss_free(r->ctx, range, ((size_t)count + 1) * sizeof *range);
    return status == SS_ERR_MEMORY ? status : SS_OK;
}

/* The contacts of the step; counts those that stick and slip. */
static void collect_contacts(ss_run_rows *r, const ss_model *m, const ss_data *d, int32_t count)
{
    int32_t by_state[3] = {0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        ss_contact_info c;
        ss_data_contact(m, d, i, &c);
        put_contact(r, &c, r->contacts + i);
        by_state[c.state]++;
    }
    ss_run_ints(r, SS_RUN_FIRST)[r->steps] = (int32_t)(r->first_contact + r->contacts);
    r->contacts += count;
    ss_run_ints(r, SS_RUN_CONTACTS)[r->steps] = count;
    ss_run_ints(r, SS_RUN_STICK)[r->steps]    = by_state[SS_CONTACT_STICK];
    ss_run_ints(r, SS_RUN_SLIP)[r->steps]     = by_state[SS_CONTACT_SLIP];
}

static void collect_body(ss_run_rows *r, const ss_body_state *s, size_t at)
{
    if (r->size.dimension == 2) {
        double *p                         = ss_run_reals(r, SS_RUN_POSITION) + 2 * at;
        double *v                         = ss_run_reals(r, SS_RUN_VELOCITY) + 2 * at;
        p[0]                              = s->position.x;
        p[1]                              = s->position.y;
        v[0]                              = s->velocity.x;
        v[1]                              = s->velocity.y;
        ss_run_reals(r, SS_RUN_ANGLE)[at] = s->angle;
        ss_run_reals(r, SS_RUN_SPIN)[at]  = s->angular_velocity.z;
        return;
    }
    double *q = ss_run_reals(r, SS_RUN_QUAT) + 4 * at;
    q[0]      = s->quat_wxyz.w;
    put_vec3(q + 1, ss_v3(s->quat_wxyz.x, s->quat_wxyz.y, s->quat_wxyz.z));
    put_vec3(ss_run_reals(r, SS_RUN_POSITION) + 3 * at, s->position);
    put_vec3(ss_run_reals(r, SS_RUN_VELOCITY) + 3 * at, s->velocity);
    put_vec3(ss_run_reals(r, SS_RUN_SPIN) + 3 * at, s->angular_velocity);
}

static unsigned flags_of(const ss_step_report *report)
{
    return (report->motion == SS_MOTION_NOT_UNIQUE ? SS_FLAG_NOT_UNIQUE : 0u) |
           (report->marked ? SS_FLAG_MARKED : 0u) | (report->gaps_dropped ? SS_FLAG_FALLBACK : 0u) |
           (report->corners_open > 0 ? SS_FLAG_CORNER : 0u) |
           (report->splits > 0 ? SS_FLAG_SPLIT : 0u);
}

static void collect_scalars(ss_run_rows *r, const ss_model *m, const ss_data *d)
{
    const ss_step_report *report            = ss_data_report(d);
    ss_energy             energy            = ss_data_energy(m, d);
    int32_t               k                 = r->steps;
    ss_run_reals(r, SS_RUN_T)[k]            = ss_data_time(d);
    ss_run_reals(r, SS_RUN_H)[k]            = report->step;
    ss_run_reals(r, SS_RUN_KINETIC)[k]      = energy.kinetic;
    ss_run_reals(r, SS_RUN_POTENTIAL)[k]    = energy.potential;
    ss_run_reals(r, SS_RUN_DISSIPATED)[k]   = energy.dissipated;
    ss_run_reals(r, SS_RUN_APPLIED)[k]      = energy.applied;
    ss_run_reals(r, SS_RUN_DRIVEN)[k]       = energy.driven;
    ss_run_reals(r, SS_RUN_RESTITUTION)[k]  = energy.restitution;
    ss_run_reals(r, SS_RUN_CORRECTIONS)[k]  = energy.corrections;
    ss_run_reals(r, SS_RUN_INTEGRATION)[k]  = energy.integration;
    ss_run_reals(r, SS_RUN_JOINT_ERROR)[k]  = report->joint_error;
    ss_run_ints(r, SS_RUN_SPLITS)[k]        = report->splits;
    ss_run_reals(r, SS_RUN_BRIDGED)[k]      = report->bridged;
    ss_run_reals(r, SS_RUN_RESIDUAL)[k]     = report->residual;
    ss_run_reals(r, SS_RUN_MOTION_ERROR)[k] = report->motion_error;
    ss_run_ints(r, SS_RUN_BY_MOTION)[k]     = report->by_motion;
    ss_run_reals(r, SS_RUN_PENETRATION)[k]  = report->penetration;
    memcpy(ss_run_reals(r, SS_RUN_STAGE) + (size_t)k * SS_STAGE_COUNT, report->stage_seconds,
           sizeof report->stage_seconds);
    ss_run_ints(r, SS_RUN_ITERATIONS)[k] = report->iterations;
    ss_run_reals(r, SS_RUN_WORK)[k]      = report->work;
    ss_run_ints(r, SS_RUN_ISLANDS)[k]    = report->islands;
    ss_run_ints(r, SS_RUN_ROWS)[k]       = report->rows;
    r->column[SS_RUN_OUTCOME][k]         = (unsigned char)report->outcome;
    r->column[SS_RUN_SOLVER][k]          = ss_run_solver_index(r->ctx, report->solver);
    r->column[SS_RUN_MOTION][k]          = (unsigned char)report->motion;
    r->column[SS_RUN_HOLD][k]            = (unsigned char)report->hold;
    r->column[SS_RUN_FLAGS][k]           = (unsigned char)flags_of(report);
}

static void collect_verdict(ss_run_rows *r, const ss_data *d)
{
    const ss_step_verdict *v            = &ss_data_report(d)->verdict;
    int32_t                k            = r->steps;
    bool                   asked        = v->unique != SS_RULING_NONE;
    r->column[SS_RUN_UNIQUE][k]         = (unsigned char)v->unique;
    r->column[SS_RUN_FORCES_UNIQUE][k]  = (unsigned char)v->forces_unique;
    r->column[SS_RUN_STABLE][k]         = (unsigned char)v->stable;
    ss_run_ints(r, SS_RUN_SOLUTIONS)[k] = asked ? v->solutions : -1;
    ss_run_ints(r, SS_RUN_ACTIVE)[k]    = asked ? v->active : -1;
}

static void collect_joint(ss_run_rows *r, const ss_model *m, const ss_data *d, int32_t joint)
{
    ss_joint_info info;
    size_t        at = (size_t)r->steps * (size_t)r->size.joints + (size_t)joint;
    double       *to = ss_run_reals(r, SS_RUN_JOINT) + 6 * at;
    ss_data_joint(m, d, joint, &info);
    put_vec3(to, info.force);
    put_vec3(to + 3, info.torque);
    const struct {
        ss_run_field_id field;
        const double   *values;
    } along[] = {{SS_RUN_VALUE, info.value},       {SS_RUN_RATE, info.rate},
                 {SS_RUN_FRICTION, info.friction}, {SS_RUN_MOTOR, info.motor},
                 {SS_RUN_LIMIT, info.limit},       {SS_RUN_SPRING, info.spring}};
    for (size_t i = 0; i < sizeof along / sizeof along[0]; i++) {
        double *out = ss_run_reals(r, along[i].field) + SS_JOINT_COORDINATES * at;
        for (int32_t k = 0; k < SS_JOINT_COORDINATES; k++) {
            out[k] = k < info.coordinates ? along[i].values[k] : 0;
        }
    }
    if (!info.unique) {
        r->column[SS_RUN_FLAGS][r->steps] |= SS_FLAG_NOT_UNIQUE;
    }
}

static void collect_force(ss_run_rows *r, const ss_model *m, const ss_data *d, int32_t force)
{
    ss_force_info info;
    size_t        at = (size_t)r->steps * (size_t)r->size.forces + (size_t)force;
    double       *to = ss_run_reals(r, SS_RUN_FORCE) + 12 * at;
    ss_data_force(m, d, force, &info);
    for (int side = 0; side < 2; side++, to += 6) {
        put_vec3(to, info.force[side]);
        put_vec3(to + 3, info.torque[side]);
    }
}

static void collect_support(ss_run_rows *r, const ss_model *m, const ss_data *d, int32_t support)
{
    ss_support_info info;
    size_t          at = (size_t)r->steps * (size_t)r->size.supports + (size_t)support;
    ss_data_support(m, d, support, &info);
    put_vec3(ss_run_reals(r, SS_RUN_SUPPORT) + 3 * at,
             ss_v3(info.friction[0], info.friction[1], info.normal_force));
}

ss_run_size ss_run_size_of(const ss_model *m, bool ranges)
{
    ss_run_size size = {.dimension = ss_model_dimension(m),
                        .bodies    = ss_model_body_count(m),
                        .joints    = ss_model_joint_count(m),
                        .forces    = ss_model_force_count(m),
                        .supports  = ss_model_support_count(m),
                        .ranges    = ranges ? 1 : 0,
                        .verdicts  = ss_model_simulation(m)->verdicts ? 1 : 0};
    return size;
}

ss_status ss_run_rows_collect(ss_run_rows *r, const ss_model *m, const ss_data *d)
{
    int32_t contacts = ss_data_contact_count(d);
    if (r->first_contact + r->contacts + contacts > INT32_MAX) {
        return ss_fail(r->ctx, SS_ERR_IO,
                       "a run file holds at most %d contacts: end the run earlier", INT32_MAX);
    }
    SS_TRY(ss_run_rows_reserve(r, 1, contacts));
    if (r->size.ranges > 0) {
        SS_TRY(collect_ranges(r, m, d, contacts));
    }
    collect_contacts(r, m, d, contacts);
    collect_scalars(r, m, d);
    if (r->size.verdicts > 0) {
        collect_verdict(r, d);
    }
    for (int32_t b = 0; b < r->size.bodies; b++) {
        ss_body_state state;
        ss_data_body(m, d, b, &state);
        collect_body(r, &state, (size_t)r->steps * (size_t)r->size.bodies + (size_t)b);
    }
    for (int32_t j = 0; j < r->size.joints; j++) {
        collect_joint(r, m, d, j);
    }
    for (int32_t i = 0; i < r->size.forces; i++) {
        collect_force(r, m, d, i);
    }
    for (int32_t i = 0; i < r->size.supports; i++) {
        collect_support(r, m, d, i);
    }
    r->steps++;
    return SS_OK;
}

int32_t ss_run_rows_contacts_of(const ss_run_rows *r, int32_t steps)
{
    int32_t sum = 0;
    for (int32_t k = 0; k < steps; k++) {
        sum += ss_run_ints(r, SS_RUN_CONTACTS)[k];
    }
    return sum;
}

int32_t ss_run_rows_count(const ss_run_rows *r, ss_run_table table)
{
    return table == SS_TABLE_CONTACTS ? r->contacts : r->steps;
}

void ss_run_rows_drop(ss_run_rows *r, int32_t steps)
{
    int32_t contacts = ss_run_rows_contacts_of(r, steps);
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        bool    flat = ss_run_fields[id].table == SS_TABLE_CONTACTS;
        int32_t gone = flat ? contacts : steps;
        int32_t left = (flat ? r->contacts : r->steps) - gone;
        size_t  row  = row_bytes(r, id);
        if (row > 0 && left > 0) {
            memmove(r->column[id], r->column[id] + (size_t)gone * row, (size_t)left * row);
        }
    }
    r->steps -= steps;
    r->contacts -= contacts;
    r->first_step += steps;
    r->first_contact += contacts;
}
