#include <stdlib.h>
#include <string.h>

void ssp_bodies(const ssp_view *v)
{
    int32_t count = ss_model_body_count(v->model);
    for (int32_t i = 0; i < count; i++) {
        ss_body_state s;
        ss_data_body(v->model, v->data, i, &s);
        memcpy(v->position + 3 * (size_t)i, &s.position, sizeof s.position);
        memcpy(v->quaternion + 4 * (size_t)i, &s.quat_wxyz, sizeof s.quat_wxyz);
        memcpy(v->velocity + 3 * (size_t)i, &s.velocity, sizeof s.velocity);
        memcpy(v->angular_velocity + 3 * (size_t)i, &s.angular_velocity, sizeof s.angular_velocity);
        v->angle[i] = s.angle;
    }
}

ss_status ssp_steps(const ssp_view *v, int64_t count, double h)
{
    ss_status status = SS_OK;
    for (int64_t i = 0; i < count && status == SS_OK; i++) {
        status = ss_step(v->model, v->data, h);
    }
    ssp_bodies(v);
    return status;
}

void ssp_contacts(const ss_model *m, const ss_data *d, ss_contact_info *out, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        ss_data_contact(m, d, i, &out[i]);
    }
}

void ssp_joints(const ss_model *m, const ss_data *d, ss_joint_info *out, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        ss_data_joint(m, d, i, &out[i]);
    }
}

/* ---- runs ---------------------------------------------------------------------------------- */

ssp_rows *ssp_rows_create(void)
{
    return calloc(1, sizeof(ssp_rows));
}

void ssp_rows_destroy(ssp_rows *r)
{
    if (r != NULL) {
        void *const columns[] = {r->t,          r->position, r->velocity, r->angular_velocity,
                                 r->quaternion, r->angle,    r->kinetic,  r->potential,
                                 r->dissipated, r->residual, r->contacts};
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            free(columns[i]);
        }
        free(r);
    }
}

static int grow_column(void **column, int64_t rows, size_t row_size)
{
    void *fresh = realloc(*column, (size_t)rows * (row_size > 0 ? row_size : 1));
    if (fresh != NULL) {
        *column = fresh;
    }
    return fresh != NULL;
}

#define GROW(field, width)                                                                         \
    {                                                                                              \
        void *column = r->field;                                                                   \
        ok           = grow_column(&column, rows, (size_t)(width) * sizeof *r->field) && ok;       \
        r->field     = column;                                                                     \
    }

static int make_rows(ssp_rows *r)
{
    if (r->states < r->capacity) {
        return 1;
    }
    int64_t rows = 2 * r->capacity + 64;
    int     nb = r->bodies, ok = 1;
    GROW(t, 1)
    GROW(position, 3 * nb)
    GROW(velocity, 3 * nb)
    GROW(angular_velocity, 3 * nb)
    GROW(quaternion, 4 * nb)
    GROW(angle, nb)
    GROW(kinetic, 1)
    GROW(potential, 1)
    GROW(dissipated, 1)
    GROW(residual, 1)
    GROW(contacts, 1)
    r->capacity = ok ? rows : r->capacity;
    return ok;
}

static ssp_rows *rows_of(ss_recorder *recorder)
{
    return *(ssp_rows **)ss_recorder_state(recorder);
}

static ss_status rows_open(ss_recorder *recorder, const ss_run_info *info)
{
    rows_of(recorder)->bodies = ss_model_body_count(info->model);
    return SS_OK;
}

static ss_status rows_append(ss_recorder *recorder, const ss_model *m, const ss_data *d)
{
    ssp_rows *r = rows_of(recorder);
    if (!make_rows(r)) {
        return ss_fail(ss_recorder_context(recorder), SS_ERR_MEMORY, "no memory for %lld states",
                       (long long)r->states);
    }
    size_t    at = (size_t)r->states, nb = (size_t)r->bodies;
    ss_energy e       = ss_data_energy(m, d);
    r->t[at]          = ss_data_time(d);
    r->kinetic[at]    = e.kinetic;
    r->potential[at]  = e.potential;
    r->dissipated[at] = e.dissipated;
    r->residual[at]   = at > 0 ? ss_data_report(d)->residual : 0;
    r->contacts[at]   = at > 0 ? ss_data_contact_count(d) : 0;
    ssp_bodies(&(ssp_view){.model            = m,
                           .data             = (ss_data *)d,
                           .position         = r->position + 3 * nb * at,
                           .quaternion       = r->quaternion + 4 * nb * at,
                           .angle            = r->angle + nb * at,
                           .velocity         = r->velocity + 3 * nb * at,
                           .angular_velocity = r->angular_velocity + 3 * nb * at});
    r->states++;
    return SS_OK;
}

static ss_status rows_close(ss_recorder *recorder, const ss_run_result *result)
{
    (void)recorder;
    (void)result;
    return SS_OK;
}

static void rows_discard(ss_recorder *recorder)
{
    (void)recorder; /* the rows so far stay readable */
}

static const ss_recorder_class rows_recorder = {.name       = "rows",
                                                .summary    = "arrays in memory",
                                                .state_size = sizeof(ssp_rows *),
                                                .open       = rows_open,
                                                .append     = rows_append,
                                                .close      = rows_close,
                                                .discard    = rows_discard};

ss_status ssp_recorder(ss_context *ctx, ssp_rows *rows, ss_recorder **out)
{
    ss_status status = ss_recorder_create_class(ctx, &rows_recorder, "(memory)", out);
    if (status == SS_OK) {
        *(ssp_rows **)ss_recorder_state(*out) = rows;
    }
    return status;
}
