/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state from a file: a state of a run file, or the bodies that `stickslip run --json` prints.
 * Driven bodies are where their motion has them at the time of the state.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/input.h"
#include "dynamics/stages.h"
#include "files/text.h"
#include "runfile/tolerances.h"
#include "scenefile/node.h"
#include "stickslip/run_file.h"
#include "stickslip/sim.h"

typedef struct reader {
    const ss_model *m;
    ss_data        *d;
    const char     *path;
    bool           *seen; /* (nb) */
} reader;

/* The time of the data, with all that the last step left forgotten. */
static ss_status go_to_time(const reader *r, double t)
{
    ss_context *ctx  = r->d->ctx;
    size_t      size = (size_t)ss_state_size(r->m);
    double     *x    = ss_alloc(ctx, size, sizeof *x);
    if (x == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a state of %zu numbers", size);
    }
    ss_status status = ss_state_get(r->m, r->d, x);
    x[0]             = t; /* the vector begins with it */
    if (status == SS_OK) {
        status = ss_state_set(r->m, r->d, x);
    }
    ss_free(ctx, x, size * sizeof *x);
    for (int32_t i = 0; status == SS_OK && i < r->m->nb; i++) {
        if (r->m->bodies[i].type == SS_BODY_KINEMATIC) {
            status = ss_motion_pose(r->m, r->d, i, t, &r->d->state.pose[i]);
        }
    }
    return status;
}

static ss_status find_body(const reader *r, const char *name, int32_t *body)
{
    *body = ss_model_find_body(r->m, name).index1 - 1;
    if (*body < 0) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: the scene has no body '%.60s'", r->path, name);
    }
    r->seen[*body] = true;
    return SS_OK;
}

static ss_status set_body(const reader *r, int32_t body, const ss_body_state *s)
{
    if (!ss_body_moves(&r->m->bodies[body])) {
        return SS_OK;
    }
    if (ss_data_set_body(r->m, r->d, body, s) != SS_OK) {
        char why[256];
        snprintf(why, sizeof why, "%s", ss_context_message(r->d->ctx));
        return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: %s", r->path, why);
    }
    return SS_OK;
}

static ss_status all_seen(const reader *r)
{
    for (int32_t i = 0; i < r->m->nb; i++) {
        if (!r->seen[i] && ss_body_moves(&r->m->bodies[i])) {
            return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: it has no body '%s'", r->path,
                           r->m->bodies[i].name);
        }
    }
    return SS_OK;
}

/* ---- of a run file ---- */

/* The state recorded at that time; NAN: the last. */
static ss_status find_state(const reader *r, ss_run_file *f, double at, int64_t *state, double *t)
{
    int64_t states = ss_run_file_states(f), low = 0, high = states - 1;
    double  near = SS_STATE_TIME_NEAR * r->m->simulation.step;
    if (states < 1) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: the run has no state", r->path);
    }
    while (!isnan(at) && low < high) { /* the first that is not before */
        int64_t middle = low + (high - low) / 2;
        SS_TRY(ss_run_file_read(f, "steps/t", middle, 1, t));
        low  = *t < at - near ? middle + 1 : low;
        high = *t < at - near ? high : middle;
    }
    *state = isnan(at) ? states - 1 : low;
    SS_TRY(ss_run_file_read(f, "steps/t", *state, 1, t));
    if (!isnan(at) && !(fabs(*t - at) <= near)) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT,
                       "%s: no state was recorded at t = %g s; the nearest after it, or the last, "
                       "is at %.10g s",
                       r->path, at, *t);
    }
    return SS_OK;
}

static ss_status read_rows(const reader *r, ss_run_file *f, int64_t state, double *const at[4])
{
    static const char *const flat[]  = {"bodies/position", "bodies/angle", "bodies/velocity",
                                        "bodies/angular_velocity"};
    static const char *const space[] = {"bodies/position", "bodies/quat_wxyz", "bodies/velocity",
                                        "bodies/angular_velocity"};
    for (int k = 0; k < 4; k++) {
        SS_TRY(ss_run_file_read(f, (r->m->dimension == 3 ? space : flat)[k], state, 1, at[k]));
    }
    return SS_OK;
}

static ss_body_state state_of_row(int dimension, int32_t body, double *const at[4])
{
    const ptrdiff_t i = body;
    ss_body_state   s = {.quat_wxyz = {1, 0, 0, 0}};
    if (dimension == 3) {
        const double *p = at[0] + 3 * i, *q = at[1] + 4 * i, *v = at[2] + 3 * i, *w = at[3] + 3 * i;
        s.position         = ss_v3(p[0], p[1], p[2]);
        s.quat_wxyz        = (ss_quat){q[0], q[1], q[2], q[3]};
        s.velocity         = ss_v3(v[0], v[1], v[2]);
        s.angular_velocity = ss_v3(w[0], w[1], w[2]);
        return s;
    }
    s.position         = ss_v3(at[0][2 * i], at[0][2 * i + 1], 0);
    s.angle            = at[1][i];
    s.velocity         = ss_v3(at[2][2 * i], at[2][2 * i + 1], 0);
    s.angular_velocity = ss_v3(0, 0, at[3][i]);
    return s;
}

static ss_status set_bodies(const reader *r, ss_run_file *f, double *const at[4])
{
    for (int32_t i = 0; i < ss_run_file_body_count(f); i++) {
        int32_t body;
        SS_TRY(find_body(r, ss_run_file_body_name(f, i), &body));
        ss_body_state s = state_of_row(r->m->dimension, i, at);
        SS_TRY(set_body(r, body, &s));
    }
    return all_seen(r);
}

static ss_status from_run(const reader *r, ss_run_file *f, double at)
{
    double  t     = 0;
    int64_t state = 0;
    if (ss_run_file_dimension(f) != r->m->dimension) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: a run in %dD, the scene is in %dD", r->path,
                       ss_run_file_dimension(f), r->m->dimension);
    }
    SS_TRY(find_state(r, f, at, &state, &t));
    SS_TRY(go_to_time(r, t));
    size_t  n = (size_t)ss_run_file_body_count(f) + 1, room = 13 * n;
    double *all = ss_alloc(r->d->ctx, room, sizeof *all);
    if (all == NULL) {
        return ss_fail(r->d->ctx, SS_ERR_MEMORY, "no memory for a state of %zu bodies", n);
    }
    double *const rows[4] = {all, all + 3 * n, all + 7 * n, all + 10 * n};
    ss_status     status  = read_rows(r, f, state, rows);
    if (status == SS_OK) {
        status = set_bodies(r, f, rows);
    }
    ss_free(r->d->ctx, all, room * sizeof *all);
    return status;
}

/* ---- of what `run --json` prints ---- */

static ss_status read_numbers(const reader *r, const ss_node *body, const char *key, int32_t count,
                              double *out)
{
    const ss_node *node = ss_node_find(body, key);
    const ss_node *x    = node != NULL && node->kind == SS_NODE_LIST ? node->first : node;
    bool           fits = node != NULL && node->kind != SS_NODE_MAP &&
                (node->kind == SS_NODE_LIST ? node->count == count : count == 1);
    for (int32_t i = 0; fits && i < count; i++, x = x->next) {
        fits = x->kind == SS_NODE_SCALAR &&
               ss_word_number((ss_word){x->text, strlen(x->text)}, &out[i]) && isfinite(out[i]);
    }
    return fits ? SS_OK
                : ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: body '%.60s': %s must be %d number%s",
                          r->path, body->key, key, (int)count, count == 1 ? "" : "s");
}

static ss_status read_body(const reader *r, const ss_node *node, ss_body_state *s)
{
    const int32_t n    = r->m->dimension;
    double        p[3] = {0}, q[4] = {1, 0, 0, 0}, v[3] = {0}, w[3] = {0};
    if (node->kind != SS_NODE_MAP) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: body '%.60s' must be a map", r->path,
                       node->key);
    }
    SS_TRY(read_numbers(r, node, "position", n, p));
    SS_TRY(read_numbers(r, node, "velocity", n, v));
    SS_TRY(n == 3 ? read_numbers(r, node, "quat_wxyz", 4, q)
                  : read_numbers(r, node, "angle", 1, &s->angle));
    SS_TRY(read_numbers(r, node, "angular_velocity", n == 3 ? 3 : 1, n == 3 ? w : &w[2]));
    s->position         = ss_v3(p[0], p[1], p[2]);
    s->quat_wxyz        = (ss_quat){q[0], q[1], q[2], q[3]};
    s->velocity         = ss_v3(v[0], v[1], v[2]);
    s->angular_velocity = ss_v3(w[0], w[1], w[2]);
    return SS_OK;
}

static ss_status from_tree(const reader *r, const ss_node *root, double at)
{
    bool           map    = root->kind == SS_NODE_MAP;
    const ss_node *bodies = map ? ss_node_find(root, "bodies") : NULL;
    const ss_node *time   = map ? ss_node_find(root, "time") : NULL;
    double         t      = r->m->simulation.start;
    if (bodies == NULL || bodies->kind != SS_NODE_MAP) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT,
                       "%s: a state is a run file, or JSON as `stickslip run --json` prints it, "
                       "with bodies: {NAME: {position, ..}}",
                       r->path);
    }
    if (time != NULL &&
        (time->kind != SS_NODE_SCALAR ||
         !ss_word_number((ss_word){time->text, strlen(time->text)}, &t) || !isfinite(t))) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: time must be a number", r->path);
    }
    if (!isnan(at) && !(fabs(t - at) <= SS_STATE_TIME_NEAR * r->m->simulation.step)) {
        return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s: its only state is at t = %.10g s, not at %g s",
                       r->path, t, at);
    }
    SS_TRY(go_to_time(r, t));
    for (const ss_node *x = bodies->first; x != NULL; x = x->next) {
        int32_t       body;
        ss_body_state s = {.angle = 0};
        SS_TRY(find_body(r, x->key, &body));
        SS_TRY(read_body(r, x, &s));
        SS_TRY(set_body(r, body, &s));
    }
    return all_seen(r);
}

static ss_status from_text(const reader *r, const char *text, size_t length, double at)
{
    ss_pool   pool = {.ctx = r->d->ctx};
    ss_node  *root;
    ss_status status = ss_yaml_parse(r->d->ctx, &pool, text, length, r->path, &root);
    if (status == SS_OK) {
        status = from_tree(r, root, at);
    }
    ss_pool_free(&pool);
    return status;
}

/* ---- either ---- */

static bool begins_as_hdf5(const char *path)
{
    static const unsigned char sign[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char              head[8] = {0};
    FILE                      *in      = fopen(path, "rb");
    size_t                     got     = in != NULL ? fread(head, 1, sizeof head, in) : 0;
    if (in != NULL) {
        fclose(in);
    }
    return got == sizeof head && memcmp(head, sign, sizeof sign) == 0;
}

static ss_status load(const reader *r, double at)
{
    ss_context *ctx    = r->d->ctx;
    char       *text   = NULL;
    size_t      length = 0, room = 0;
    if (begins_as_hdf5(r->path)) {
        ss_run_file *f = NULL;
        SS_TRY(ss_run_file_open(ctx, r->path, &f));
        ss_status status = from_run(r, f, at);
        ss_run_file_close(f);
        return status;
    }
    ss_status status = ss_file_read(ctx, r->path, &text, &length, &room);
    if (status == SS_OK) {
        status = from_text(r, text, length, at);
    }
    ss_free(ctx, text, room);
    return status;
}

ss_status ss_state_load(const ss_model *m, ss_data *d, const char *path, double at)
{
    SS_TRY(ss_data_given(m, d, path));
    size_t n = (size_t)m->nb + 1;
    reader r = {.m = m, .d = d, .path = path, .seen = ss_alloc(d->ctx, n, sizeof(bool))};
    if (r.seen == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for a state of %d bodies", (int)m->nb);
    }
    ss_status status = load(&r, at);
    ss_free(d->ctx, r.seen, n * sizeof(bool));
    d->thrown = false; /* what a step left */
    return status;
}
