/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an identification: what is recorded, what is free, what is noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identify/impacts.h"
#include "identify/neighbours.h"
#include "identify/tolerances.h"
#include "model/scene.h"
#include "study/rungs.h"

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

/* ---- parameters ---- */

typedef struct range_def {
    ss_node *bounds, *start, *axes;
    double   scale;
    int      per; /* of "all|trial" */
} range_def;

static const ss_key range_keys[] = {
    SS_KEY_ROW("bounds", SS_KEY_CUSTOM, range_def, bounds, .decode = keep_node, .required = true),
    SS_KEY_ROW("start", SS_KEY_CUSTOM, range_def, start, .decode = keep_node),
    SS_KEY_ROW("scale", SS_KEY_REAL, range_def, scale, SS_POSITIVE),
    SS_KEY_ROW("per", SS_KEY_CHOICE, range_def, per, .choices = "all|trial"), SS_KEY_END};

static const ss_key offset_keys[] = {
    SS_KEY_ROW("axes", SS_KEY_CUSTOM, range_def, axes, .decode = keep_node),
    SS_KEY_ROW("bounds", SS_KEY_CUSTOM, range_def, bounds, .decode = keep_node, .required = true),
    SS_KEY_ROW("scale", SS_KEY_REAL, range_def, scale, SS_POSITIVE),
    SS_KEY_ROW("per", SS_KEY_CHOICE, range_def, per, .choices = "all|trial"), SS_KEY_END};

enum { PARAMETERS_MAX = 4096 };

static ss_status add_parameter(ss_decoder *d, ss_identify *p, const ss_parameter *one)
{
    if (p->parameter_count == PARAMETERS_MAX) {
        return ss_decode_fail(d, one->node, "more than %d parameters", PARAMETERS_MAX);
    }
    if (p->parameter_count == p->parameter_room) {
        int32_t       room = p->parameter_room > 0 ? 2 * p->parameter_room : 32;
        ss_parameter *more = ss_pool_alloc(&p->pool, (size_t)room, sizeof *more);
        if (more == NULL) {
            return ss_decode_no_memory(d);
        }
        if (p->parameter_count > 0) {
            memcpy(more, p->parameters, (size_t)p->parameter_count * sizeof *more);
        }
        p->parameters     = more;
        p->parameter_room = room;
    }
    p->parameters[p->parameter_count++] = *one;
    return SS_OK;
}

/* "box.vx (hit 3)" */
static const char *name_of(ss_decoder *d, const char *name, const char *trial)
{
    char text[384];
    int  ok = 1;
    snprintf(text, sizeof text, "%.200s (%.150s)", name, trial);
    return ss_pool_text(d->pool, text, &ok);
}

/* One parameter for all trials, or one for each. */
static ss_status add_parameters(ss_decoder *d, ss_identify *p, const ss_parameter *one, bool each)
{
    for (int32_t k = each ? 0 : -1; k < (each ? p->trial_count : 0); k++) {
        ss_parameter mine = *one;
        mine.trial        = k;
        if (each) {
            mine.name = name_of(d, one->name, p->trials[k].name);
        }
        if (mine.name == NULL) {
            return ss_decode_no_memory(d);
        }
        SS_TRY(add_parameter(d, p, &mine));
    }
    return SS_OK;
}

/* Searches step by parts of the scale: beyond the bounds, or below rounding, nothing is found. */
static ss_status check_scale(ss_decoder *d, ss_node *node, const ss_parameter *one)
{
    double width = one->high - one->low;
    if (isfinite(width) && one->scale <= width && one->scale >= SS_SCALE_LEAST * width) {
        return SS_OK;
    }
    return ss_decode_fail(d, node,
                          "scale: from %g of the width of the bounds, %g, up to it: not %g",
                          SS_SCALE_LEAST, width, one->scale);
}

static ss_status read_range(ss_decoder *d, ss_node *node, const range_def *def, double initial,
                            ss_parameter *one)
{
    double  x[3]  = {0, 0, NAN};
    int32_t count = def->bounds->kind == SS_NODE_LIST ? def->bounds->count : 0;
    if (count != 2 && count != 3) {
        return ss_decode_fail(d, def->bounds, "bounds: [low, high] or [low, high, start]");
    }
    SS_TRY(ss_decode_numbers(d, "bounds", def->bounds, count, x));
    if (!(x[0] < x[1])) {
        return ss_decode_fail(d, def->bounds, "bounds: %g must lie below %g", x[0], x[1]);
    }
    if (def->start != NULL) {
        SS_TRY(ss_decode_number(d, "start", def->start, &x[2]));
    }
    bool usual = initial >= x[0] && initial <= x[1]; /* false for NAN */
    one->low   = x[0];
    one->high  = x[1];
    one->start = !isnan(x[2]) ? x[2] : usual ? initial : (x[0] + x[1]) / 2;
    one->scale = def->scale > 0 ? def->scale : x[1] - x[0];
    if (!(one->start >= x[0] && one->start <= x[1])) {
        return ss_decode_fail(d, node, "the start %g lies outside [%g, %g]", one->start, x[0],
                              x[1]);
    }
    return check_scale(d, node, one);
}

static ss_status read_free(ss_decoder *d, ss_identify *p, ss_node *node)
{
    SS_TRY(ss_decode_expect(d, "free", node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        range_def    def = {0};
        ss_parameter one = {.name = entry->key, .path = entry->key, .node = entry};
        snprintf(d->what, sizeof d->what, "free '%.80s': ", entry->key);
        if (strcmp(entry->key, "simulation.step") == 0) {
            return ss_decode_fail(d, entry,
                                  "the step belongs to the runs, not to what was "
                                  "recorded: what it adds is in the intervals");
        }
        SS_TRY(ss_decode_expect(d, entry->key, entry, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, range_keys, entry, &def));
        SS_TRY(read_range(d, entry, &def, NAN, &one));
        one.place = ss_decode_place(d, entry);
        if (one.place == NULL) {
            return ss_decode_no_memory(d);
        }
        SS_TRY(add_parameters(d, p, &one, def.per == 1));
    }
    d->what[0] = '\0';
    return SS_OK;
}

/* ---- nuisance ---- */

typedef struct nuisance_def {
    ss_node *delay, *offset, *length_scale, *angle_bias, *start, *scatter;
    int32_t  samples;
} nuisance_def;

static const ss_key nuisance_keys[] = {
    SS_KEY_ROW("delay", SS_KEY_CUSTOM, nuisance_def, delay, .decode = keep_node),
    SS_KEY_ROW("offset", SS_KEY_CUSTOM, nuisance_def, offset, .decode = keep_node),
    SS_KEY_ROW("length_scale", SS_KEY_CUSTOM, nuisance_def, length_scale, .decode = keep_node),
    SS_KEY_ROW("angle_bias", SS_KEY_CUSTOM, nuisance_def, angle_bias, .decode = keep_node),
    SS_KEY_ROW("start", SS_KEY_CUSTOM, nuisance_def, start, .decode = keep_node),
    SS_KEY_ROW("scatter", SS_KEY_CUSTOM, nuisance_def, scatter, .decode = keep_node),
    SS_KEY_ROW("start_samples", SS_KEY_INT, nuisance_def, samples, .low = 1, .high = 1e6),
    SS_KEY_END};

/* A clock that is further off than a recording lasts leaves nothing of it to compare. */
static ss_status check_delay(ss_decoder *d, const ss_identify *p, const ss_node *node,
                             const ss_parameter *one)
{
    for (int32_t k = 0; k < p->trial_count; k++) {
        const ss_recorded *r     = &p->trials[k];
        double             lasts = r->t[r->count - 1];
        if (one->low < -lasts || one->high > lasts) {
            return ss_decode_fail(d, node, "delay: [%g, %g] s, but %s lasts %g s", one->low,
                                  one->high, r->name, lasts);
        }
    }
    return SS_OK;
}

static ss_status read_simple(ss_decoder *d, ss_identify *p, ss_node *node, ss_parameter_kind kind,
                             double initial)
{
    range_def    def = {0};
    ss_parameter one = {.node = node, .kind = kind, .nuisance = true};
    if (node == NULL) {
        return SS_OK;
    }
    one.name = node->key;
    SS_TRY(ss_decode_expect(d, node->key, node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, range_keys, node, &def));
    SS_TRY(read_range(d, node, &def, initial, &one));
    if (kind == SS_PARAMETER_LENGTH_SCALE && !(one.low > 0)) {
        return ss_decode_fail(d, node, "length_scale: its bounds must be > 0, got %g", one.low);
    }
    if (kind == SS_PARAMETER_DELAY) {
        SS_TRY(check_delay(d, p, node, &one));
    }
    return add_parameters(d, p, &one, def.per == 1);
}

/* Which axes of the frame are off: a bit each. */
static ss_status read_axes(ss_decoder *d, ss_node *axes, uint32_t *bits)
{
    *bits = (1u << d->dimension) - 1;
    if (axes == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "offset: axes", axes, SS_NODE_LIST));
    *bits = 0;
    for (ss_node *e = axes->first; e != NULL; e = e->next) {
        int axis = 0;
        SS_TRY(ss_decode_choice(d, "offset: axes", e, d->dimension == 2 ? "x|y" : "x|y|z", &axis));
        *bits |= 1u << axis;
    }
    return *bits != 0 ? SS_OK : ss_decode_fail(d, axes, "offset: axes: there is none");
}

static ss_status read_offset(ss_decoder *d, ss_identify *p, ss_node *node)
{
    static const char *const names[] = {"offset x", "offset y", "offset z"};
    range_def                def     = {0};
    uint32_t                 asked   = 0;
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "offset", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, offset_keys, node, &def));
    SS_TRY(read_axes(d, def.axes, &asked));
    for (int axis = 0; axis < d->dimension; axis++) {
        ss_parameter one = {.name     = names[axis],
                            .node     = node,
                            .kind     = SS_PARAMETER_OFFSET,
                            .nuisance = true,
                            .axis     = axis};
        SS_TRY(read_range(d, node, &def, 0, &one));
        if ((asked & 1u << axis) != 0) {
            SS_TRY(add_parameters(d, p, &one, def.per == 1));
        }
    }
    return SS_OK;
}

/* ---- starts of trials ---- */

typedef struct start_def {
    ss_node *free, *measured;
} start_def;

static const ss_key start_keys[] = {
    SS_KEY_ROW("free", SS_KEY_CUSTOM, start_def, free, .decode = keep_node),
    SS_KEY_ROW("measured", SS_KEY_CUSTOM, start_def, measured, .decode = keep_node), SS_KEY_END};

static ss_status read_coordinates(ss_decoder *d, ss_node *list, bool rotations, uint32_t *bits)
{
    if (list == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "coordinates", list, SS_NODE_LIST));
    for (ss_node *e = list->first; e != NULL; e = e->next) {
        ss_quantity q    = SS_Q_X;
        const char *word = NULL;
        SS_TRY(ss_decode_text(d, "a coordinate", e, &word));
        if (strcmp(word, "orientation") == 0 && d->dimension == 3 && rotations) {
            q = SS_Q_QW;
        } else {
            SS_TRY(ss_quantity_find(d, e, word, &q));
            if (q >= SS_Q_QW && q <= SS_Q_QZ) {
                return ss_decode_fail(d, e,
                                      "a rotation is taken as measured: measured: "
                                      "[orientation]");
            }
        }
        *bits |= 1u << q;
    }
    return SS_OK;
}

double ss_identify_coordinate(const ss_body_state *b, ss_quantity q)
{
    switch (q) {
    case SS_Q_X:
        return b->position.x;
    case SS_Q_Y:
        return b->position.y;
    case SS_Q_Z:
        return b->position.z;
    case SS_Q_ANGLE:
        return b->angle;
    case SS_Q_VX:
        return b->velocity.x;
    case SS_Q_VY:
        return b->velocity.y;
    case SS_Q_VZ:
        return b->velocity.z;
    case SS_Q_WX:
        return b->angular_velocity.x;
    case SS_Q_WY:
        return b->angular_velocity.y;
    default:
        return b->angular_velocity.z;
    }
}

/* How much a start has to change to be seen: the size of the recording, per its duration. */
static double start_scale(const ss_recorded *r, ss_quantity q)
{
    double time = r->t[r->count - 1];
    switch (ss_quantity_unit(q)) {
    case SS_UNIT_LENGTH:
        return r->extent / 10;
    case SS_UNIT_SPEED:
        return r->extent / time;
    case SS_UNIT_SPIN:
        return 1 / time;
    default:
        return 0.1;
    }
}

static ss_status add_starts(ss_decoder *d, ss_identify *p, const ss_node *node,
                            const ss_start_rule *rule)
{
    for (int q = 0; q < SS_Q_COUNT; q++) {
        char name[192];
        int  ok = 1;
        if ((rule->free & (1u << q)) == 0) {
            continue;
        }
        snprintf(name, sizeof name, "start %.150s.%s", p->bodies[rule->body], ss_quantity_names[q]);
        for (int32_t k = 0; k < p->trial_count; k++) {
            const ss_recorded *r   = &p->trials[k];
            ss_parameter       one = {.name     = name_of(d, name, r->name),
                                      .node     = node,
                                      .kind     = SS_PARAMETER_START,
                                      .nuisance = true,
                                      .trial    = k,
                                      .body     = rule->body,
                                      .quantity = (ss_quantity)q,
                                      .low      = -INFINITY,
                                      .high     = INFINITY,
                                      .start =
                                          ss_identify_coordinate(&r->start[rule->body], (ss_quantity)q),
                                      .scale = start_scale(r, (ss_quantity)q)};
            if (one.name == NULL || !ok) {
                return ss_decode_no_memory(d);
            }
            SS_TRY(add_parameter(d, p, &one));
        }
    }
    return SS_OK;
}

static int32_t recorded_body(const ss_identify *p, const char *name)
{
    for (int32_t i = 0; i < p->body_count; i++) {
        if (strcmp(p->bodies[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Is a coordinate of a start told by a column: itself, or the path that it is the slope of? */
static bool is_told(const ss_identify *p, int32_t body, ss_quantity q)
{
    for (int32_t c = 0; c < p->column_count; c++) {
        ss_quantity has    = p->columns[c].quantity;
        bool        slopes = (q >= SS_Q_VX && q <= SS_Q_VZ && has - SS_Q_X == q - SS_Q_VX) ||
                      (q == SS_Q_W && has == SS_Q_ANGLE) || (q >= SS_Q_WX && has == SS_Q_QW);
        if (p->columns[c].body == body && (has == q || slopes)) {
            return true;
        }
    }
    return false;
}

static ss_status check_measured(ss_decoder *d, const ss_identify *p, const ss_start_rule *rule,
                                const ss_node *at)
{
    for (int q = 0; q < SS_Q_COUNT; q++) {
        if ((rule->measured & 1u << q) != 0 && !is_told(p, rule->body, (ss_quantity)q)) {
            return ss_decode_fail(d, at, "start: measured: no column tells %s of '%s'",
                                  q == SS_Q_QW ? "orientation" : ss_quantity_names[q],
                                  p->bodies[rule->body]);
        }
    }
    return SS_OK;
}

static ss_status read_start(ss_decoder *d, ss_identify *p, ss_node *node)
{
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "start", node, SS_NODE_MAP));
    p->starts = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *p->starts);
    if (p->starts == NULL) {
        return ss_decode_no_memory(d);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        ss_start_rule *rule = &p->starts[p->start_count++];
        start_def      def  = {.free = entry->kind == SS_NODE_LIST ? entry : NULL};
        rule->body          = recorded_body(p, entry->key);
        if (rule->body < 0) {
            return ss_decode_fail(d, entry, "start: nothing of a body '%s' is recorded",
                                  entry->key);
        }
        if (entry->kind == SS_NODE_MAP) {
            SS_TRY(ss_decode_map(d, start_keys, entry, &def));
        } else if (def.free == NULL) {
            return ss_decode_fail(d, entry,
                                  "start: %s: coordinates that are free, [x, vx], or "
                                  "{free: [..], measured: [..]}",
                                  entry->key);
        }
        SS_TRY(read_coordinates(d, def.free, false, &rule->free));
        SS_TRY(read_coordinates(d, def.measured, true, &rule->measured));
        SS_TRY(check_measured(d, p, rule, def.measured));
        rule->measured |= rule->free; /* where the search begins */
        SS_TRY(add_starts(d, p, entry, rule));
    }
    return SS_OK;
}

static const ss_key scatter_keys[] = {
    SS_KEY_ROW("runs", SS_KEY_INT, ss_ensemble_def, runs, .low = 1, .high = 65536,
               .required = true),
    SS_KEY_ROW("position", SS_KEY_REAL, ss_ensemble_def, position, .low = 0, .high = INFINITY),
    SS_KEY_ROW("angle", SS_KEY_REAL, ss_ensemble_def, angle, .low = 0, .high = INFINITY),
    SS_KEY_ROW("velocity", SS_KEY_REAL, ss_ensemble_def, velocity, .low = 0, .high = INFINITY),
    SS_KEY_ROW("spin", SS_KEY_REAL, ss_ensemble_def, spin, .low = 0, .high = INFINITY),
    SS_KEY_END};

static ss_status read_scatter(ss_decoder *d, ss_identify *p, ss_node *node)
{
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "scatter", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, scatter_keys, node, &p->ensemble));
    return p->start_count > 0
               ? SS_OK
               : ss_decode_fail(d, node,
                                "starts scatter that are measured or searched for: `start` must "
                                "say of which bodies");
}

static ss_status read_nuisance(ss_decoder *d, ss_identify *p, ss_node *node)
{
    nuisance_def def = {.samples = 5};
    snprintf(d->what, sizeof d->what, "nuisance: ");
    if (node != NULL) {
        SS_TRY(ss_decode_expect(d, "nuisance", node, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, nuisance_keys, node, &def));
    }
    p->start_samples = def.samples;
    if (!p->excites) {
        SS_TRY(ss_recordings_start(p, def.samples));
    }
    SS_TRY(read_simple(d, p, def.delay, SS_PARAMETER_DELAY, 0));
    SS_TRY(read_offset(d, p, def.offset));
    SS_TRY(read_simple(d, p, def.length_scale, SS_PARAMETER_LENGTH_SCALE, 1));
    SS_TRY(read_simple(d, p, def.angle_bias, SS_PARAMETER_ANGLE_BIAS, 0));
    SS_TRY(read_start(d, p, def.start));
    SS_TRY(read_scatter(d, p, def.scatter));
    d->what[0] = '\0';
    return SS_OK;
}

/* ---- noise and loss ---- */

typedef struct noise_def {
    double position, angle, velocity, spin, bound, time;
    bool   known;
} noise_def;

/* Beyond these squares of residuals leave the range of numbers. */
#define NOISE .low = SS_NOISE_TOLD_LEAST, .high = SS_NOISE_TOLD_MOST

static const ss_key noise_keys[] = {
    SS_KEY_ROW("position", SS_KEY_REAL, noise_def, position, NOISE),
    SS_KEY_ROW("angle", SS_KEY_REAL, noise_def, angle, NOISE),
    SS_KEY_ROW("velocity", SS_KEY_REAL, noise_def, velocity, NOISE),
    SS_KEY_ROW("spin", SS_KEY_REAL, noise_def, spin, NOISE),
    SS_KEY_ROW("bound", SS_KEY_REAL, noise_def, bound, SS_POSITIVE),
    SS_KEY_ROW("time", SS_KEY_REAL, noise_def, time, NOISE),
    SS_KEY_ROW("known", SS_KEY_BOOL, noise_def, known, .doc = "not estimated"),
    SS_KEY_END};

/* How much what is not forced wanders by itself in one second. */
static const ss_key process_keys[] = {
    SS_KEY_ROW("position", SS_KEY_REAL, noise_def, position, .low = 0, .high = INFINITY),
    SS_KEY_ROW("angle", SS_KEY_REAL, noise_def, angle, .low = 0, .high = INFINITY),
    SS_KEY_ROW("velocity", SS_KEY_REAL, noise_def, velocity, .low = 0, .high = INFINITY),
    SS_KEY_ROW("spin", SS_KEY_REAL, noise_def, spin, .low = 0, .high = INFINITY), SS_KEY_END};

typedef struct loss_def {
    int      over;
    double   length, least;
    ss_node *measures;
} loss_def;

static const ss_key loss_keys[] = {
    SS_KEY_ROW("over", SS_KEY_CHOICE, loss_def, over,
               .choices = "path|end|travel|measures|impacts"),
    SS_KEY_ROW("length", SS_KEY_REAL, loss_def, length, SS_POSITIVE),
    SS_KEY_ROW("least", SS_KEY_REAL, loss_def, least, SS_POSITIVE),
    SS_KEY_ROW("measures", SS_KEY_CUSTOM, loss_def, measures, .decode = keep_node), SS_KEY_END};

static ss_status read_noise(ss_decoder *d, ss_identify *p, ss_node *node)
{
    noise_def def = {0};
    if (node != NULL) {
        SS_TRY(ss_decode_expect(d, "noise", node, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, noise_keys, node, &def));
    }
    p->sigma[SS_UNIT_LENGTH] = def.position;
    p->sigma[SS_UNIT_ANGLE]  = def.angle;
    p->sigma[SS_UNIT_SPEED]  = def.velocity;
    p->sigma[SS_UNIT_SPIN]   = def.spin;
    p->sigma_known           = def.known;
    p->bound                 = def.bound;
    p->sigma_time            = def.time;
    return SS_OK;
}

static ss_status read_measures(ss_decoder *d, ss_identify *p, const ss_node *at, ss_node *list)
{
    const ss_study *s = p->study;
    if (list == NULL) {
        return ss_decode_fail(d, at, "loss over measures needs `measures`: a list of names");
    }
    SS_TRY(ss_decode_expect(d, "measures", list, SS_NODE_LIST));
    p->measures = ss_pool_alloc(d->pool, (size_t)list->count + 1, sizeof *p->measures);
    if (p->measures == NULL) {
        return ss_decode_no_memory(d);
    }
    for (ss_node *e = list->first; e != NULL; e = e->next) {
        int32_t found = -1;
        for (int32_t i = 0; i < s->measure_count; i++) {
            found = e->text != NULL && strcmp(s->measures[i].name, e->text) == 0 ? i : found;
        }
        if (found < 0) {
            return ss_decode_fail(d, e, "the study has no measure of this name");
        }
        for (int32_t k = 0; k < p->measure_count; k++) {
            if (p->measures[k] == found) {
                return ss_decode_fail(d, e, "measures: '%s' is there twice, and would count twice",
                                      e->text);
            }
        }
        p->measures[p->measure_count++] = found;
    }
    return SS_OK;
}

static ss_status read_loss(ss_decoder *d, ss_identify *p, ss_node *node)
{
    loss_def def = {0};
    if (node != NULL && node->kind == SS_NODE_SCALAR) {
        SS_TRY(ss_decode_choice(d, "loss", node, "path|end|travel", &def.over));
    } else if (node != NULL) {
        SS_TRY(ss_decode_expect(d, "loss", node, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, loss_keys, node, &def));
    }
    p->loss         = (ss_loss_kind)def.over;
    p->length       = def.length;
    p->least_impact = def.least > 0 ? def.least : SS_LEAST_IMPACT;
    if (def.least > 0 && p->loss != SS_LOSS_IMPACTS) {
        return ss_decode_fail(d, node, "`least` belongs to loss: {over: impacts}");
    }
    if (p->sigma_time > 0 && p->loss != SS_LOSS_IMPACTS) {
        return ss_decode_fail(d, p->study->identify.noise,
                              "noise: time belongs to loss: {over: impacts}");
    }
    return p->loss == SS_LOSS_MEASURES ? read_measures(d, p, node, def.measures) : SS_OK;
}

/* Metres and radians can be added up only when something says how they compare. */
static ss_status complete_noise(ss_decoder *d, ss_identify *p)
{
    bool used[SS_UNIT_NONE] = {false};
    int  kinds = 0, told = 0;
    for (int32_t c = 0; c < p->column_count; c++) {
        ss_unit_kind u                              = ss_quantity_unit(p->columns[c].quantity);
        used[u == SS_UNIT_NONE ? SS_UNIT_ANGLE : u] = true;
    }
    if (p->length > 0 && p->sigma[SS_UNIT_ANGLE] == 0) {
        double position          = p->sigma[SS_UNIT_LENGTH] > 0 ? p->sigma[SS_UNIT_LENGTH] : 1;
        p->sigma[SS_UNIT_LENGTH] = position;
        p->sigma[SS_UNIT_ANGLE]  = position / p->length;
    }
    for (int u = 0; u < SS_UNIT_NONE; u++) {
        kinds += used[u];
        told += used[u] && p->sigma[u] > 0;
    }
    p->sigma_told = told == kinds;
    if (p->loss == SS_LOSS_IMPACTS && (told < kinds || !(p->sigma_time > 0))) {
        return ss_decode_fail(d, p->study->identify.data,
                              "times and places of impacts are compared: `noise` must give the "
                              "deviation of each, {time: 0.001, position: 0.002}");
    }
    if (kinds > 1 && told < kinds && p->loss < SS_LOSS_TRAVEL) {
        return ss_decode_fail(d, p->study->identify.data,
                              "positions, angles and velocities are recorded: `noise` must give "
                              "the deviation of each, or `loss` a length for angles");
    }
    if (p->sigma_known && told < kinds) {
        return ss_decode_fail(d, p->study->identify.noise, "noise that is known has its numbers");
    }
    for (int u = 0; u < SS_UNIT_NONE; u++) {
        p->sigma[u] = p->sigma[u] > 0 ? p->sigma[u] : 1;
    }
    return SS_OK;
}

/* ---- the rest ---- */

typedef struct folds_def {
    int32_t count;
    double  known;
} folds_def;

static const ss_key folds_keys[] = {
    SS_KEY_ROW("count", SS_KEY_INT, folds_def, count, .low = 2, .high = 1e6, .required = true),
    SS_KEY_ROW("known", SS_KEY_REAL, folds_def, known, SS_POSITIVE), SS_KEY_END};

static const ss_key confidence_keys[] = {
    SS_KEY_ROW("level", SS_KEY_REAL, ss_confidence_def, level, .low = 0.5, .high = 0.9999),
    SS_KEY_ROW("bootstrap", SS_KEY_INT, ss_confidence_def, bootstrap, .low = 0, .high = 1e6),
    SS_KEY_ROW("profile", SS_KEY_BOOL, ss_confidence_def, profile, .doc = "likelihood"),
    SS_KEY_ROW("steps", SS_KEY_BOOL, ss_confidence_def, steps, .doc = "what they add"), SS_KEY_END};

static const ss_key method_keys[] = {
    SS_KEY_ROW("name", SS_KEY_TEXT, ss_search_def, name, .doc = "method"),
    SS_KEY_ROW("algorithm", SS_KEY_TEXT, ss_search_def, algorithm, .doc = "of the search"),
    SS_KEY_ROW("evaluations", SS_KEY_INT, ss_search_def, evaluations, .low = 1, .high = 1e8),
    SS_KEY_ROW("iterations", SS_KEY_INT, ss_search_def, iterations, .low = 1, .high = 1e6),
    SS_KEY_ROW("tolerance", SS_KEY_REAL, ss_search_def, tolerance, .low = 0, .high = 0.1,
               .above = true),
    SS_KEY_ROW("samples", SS_KEY_CUSTOM, ss_search_def, filter.samples, .decode = keep_node),
    SS_KEY_ROW("every", SS_KEY_INT, ss_search_def, filter.every, .low = 1, .high = 1e6),
    SS_KEY_ROW("arrival", SS_KEY_CHOICE, ss_search_def, filter.arrival,
               .choices = "state|all|none"),
    SS_KEY_ROW("particles", SS_KEY_INT, ss_search_def, filter.particles, .low = 10, .high = 1e6),
    SS_KEY_ROW("kind", SS_KEY_CHOICE, ss_search_def, filter.kind,
               .choices = "bootstrap|rao-blackwell"),
    SS_KEY_ROW("kernel", SS_KEY_REAL, ss_search_def, filter.kernel, .low = 0, .high = 0.9),
    SS_KEY_ROW("resample", SS_KEY_REAL, ss_search_def, filter.resample, .low = 0, .high = 1),
    SS_KEY_ROW("clouds", SS_KEY_INT, ss_search_def, filter.clouds, .low = 0, .high = 1e5),
    SS_KEY_ROW("drift", SS_KEY_REAL, ss_search_def, filter.drift, .low = 0, .high = 1e3),
    SS_KEY_ROW("process", SS_KEY_CUSTOM, ss_search_def, filter.process, .decode = keep_node),
    SS_KEY_END};

/* Which methods a key belongs to, one bit each. */
static const struct {
    const char *key;
    unsigned    methods;
} method_of_key[] = {{"algorithm", 1u << SS_METHOD_SIMULATE},
                     {"evaluations", 1u << SS_METHOD_SIMULATE},
                     {"samples", 1u << SS_METHOD_WINDOW},
                     {"every", 1u << SS_METHOD_WINDOW},
                     {"arrival", 1u << SS_METHOD_WINDOW},
                     {"particles", 1u << SS_METHOD_PARTICLES},
                     {"kind", 1u << SS_METHOD_PARTICLES},
                     {"kernel", 1u << SS_METHOD_PARTICLES},
                     {"resample", 1u << SS_METHOD_PARTICLES},
                     {"clouds", 1u << SS_METHOD_PARTICLES},
                     {"drift", 1u << SS_METHOD_WINDOW | 1u << SS_METHOD_PARTICLES},
                     {"process", 1u << SS_METHOD_WINDOW | 1u << SS_METHOD_PARTICLES}};

static const char        methods[]      = "simulate|mpec|window|particles|none";
static const char *const method_names[] = {"simulate", "mpec", "window", "particles", "none"};

static ss_status read_folds(ss_decoder *d, ss_identify *p, ss_node *node)
{
    folds_def def = {0};
    if (node == NULL) {
        return SS_OK;
    }
    if (node->kind == SS_NODE_MAP) {
        SS_TRY(ss_decode_map(d, folds_keys, node, &def));
    } else {
        double count = 0;
        SS_TRY(ss_decode_number(d, "folds", node, &count));
        def.count = count >= 2 && count <= 1e6 && count == floor(count) ? (int32_t)count : 0;
    }
    if (p->trial_count < 2) {
        return ss_decode_fail(d, node,
                              "folds leave recordings out: there must be 2 or more of them");
    }
    if (def.count < 2 || def.count > p->trial_count) {
        return ss_decode_fail(d, node, "folds: 2 to %d, the number of recordings",
                              (int)p->trial_count);
    }
    p->folds = def.count;
    p->known = def.known;
    for (int32_t k = 0; k < p->trial_count; k++) {
        const ss_recorded *r = &p->trials[k];
        if (def.known >= r->t[r->count - 1]) {
            return ss_decode_fail(d, node,
                                  "folds: known: %g s, but %s lasts %g s: nothing of it "
                                  "would be predicted",
                                  def.known, r->name, r->t[r->count - 1]);
        }
        p->trials[k].fold = k % def.count;
    }
    return SS_OK;
}

static ss_status check_method_keys(ss_decoder *d, ss_method method, ss_node *node)
{
    for (size_t i = 0; i < sizeof method_of_key / sizeof method_of_key[0]; i++) {
        const ss_node *found = ss_node_find(node, method_of_key[i].key);
        if (found != NULL && (method_of_key[i].methods & 1u << method) == 0) {
            return ss_decode_fail(d, found, "method %s has no `%s`", method_names[method],
                                  method_of_key[i].key);
        }
    }
    return SS_OK;
}

/* "20", or "all" */
static ss_status read_window(ss_decoder *d, ss_filter_def *f)
{
    double count = 20;
    if (f->samples != NULL && f->samples->text != NULL && strcmp(f->samples->text, "all") == 0) {
        f->window = 0;
        return SS_OK;
    }
    if (f->samples != NULL) {
        SS_TRY(ss_decode_number(d, "samples", f->samples, &count));
    }
    if (!(count >= 2 && count <= 1e6 && count == floor(count))) {
        return ss_decode_fail(d, f->samples, "samples: a whole number from 2 on, or all");
    }
    f->window = (int32_t)count;
    return SS_OK;
}

static ss_status read_process(ss_decoder *d, ss_filter_def *f)
{
    noise_def def = {0};
    if (f->process != NULL) {
        SS_TRY(ss_decode_expect(d, "process", f->process, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, process_keys, f->process, &def));
    }
    f->walk[SS_UNIT_LENGTH] = def.position;
    f->walk[SS_UNIT_ANGLE]  = def.angle;
    f->walk[SS_UNIT_SPEED]  = def.velocity;
    f->walk[SS_UNIT_SPIN]   = def.spin;
    return SS_OK;
}

/* Filters weigh samples by their noise, which they are told, and go through each recording once. */
static ss_status check_filter(ss_decoder *d, ss_identify *p, const ss_node *at)
{
    const char *name = method_names[p->search.method];
    if (!p->sigma_told) {
        return ss_decode_fail(d, at, "method %s weighs samples by their noise: `noise` must say it",
                              name);
    }
    for (int32_t i = 0; i < p->parameter_count; i++) {
        if (p->parameters[i].kind == SS_PARAMETER_DELAY) {
            return ss_decode_fail(d, p->parameters[i].node,
                                  "method %s takes samples when they come: a delay is found by "
                                  "method simulate",
                                  name);
        }
    }
    if (p->folds > 0 || p->confidence.bootstrap > 0 || p->search_starts > 1) {
        return ss_decode_fail(d, at, "method %s has no folds, bootstrap or starts", name);
    }
    p->sigma_known        = true;
    p->confidence.profile = false;
    return SS_OK;
}

static ss_status read_method(ss_decoder *d, ss_identify *p, ss_node *node)
{
    int which = 0;
    p->search = (ss_search_def){
        .algorithm   = "gauss-newton",
        .evaluations = 2000,
        .iterations  = 100,
        .tolerance   = SS_STEP_ENOUGH,
        .filter = {.every = 1, .particles = 1000, .kernel = -1, .resample = 0.5, .clouds = 50}};
    if (node != NULL && node->kind == SS_NODE_MAP) {
        SS_TRY(ss_decode_map(d, method_keys, node, &p->search));
        ss_node *name = ss_node_find(node, "name");
        if (name != NULL) {
            SS_TRY(ss_decode_choice(d, "method: name", name, methods, &which));
        }
        SS_TRY(check_method_keys(d, (ss_method)which, node));
    } else if (node != NULL) {
        SS_TRY(ss_decode_choice(d, "method", node, methods, &which));
    }
    p->search.method = (ss_method)which;
    p->search.name   = method_names[which];
    SS_TRY(read_window(d, &p->search.filter));
    SS_TRY(read_process(d, &p->search.filter));
    bool runs = which == SS_METHOD_SIMULATE || which == SS_METHOD_NONE; /* whole ones */
    if (!runs && p->ensemble.runs > 0) {
        return ss_decode_fail(d, node, "starts scatter with methods simulate and none, not with %s",
                              p->search.name);
    }
    if (!runs && p->loss != SS_LOSS_PATH) {
        return ss_decode_fail(d, node, "method %s compares paths: loss: path", p->search.name);
    }
    return which == SS_METHOD_WINDOW || which == SS_METHOD_PARTICLES ? check_filter(d, p, node)
                                                                     : SS_OK;
}

static ss_status read_models(ss_decoder *d, ss_identify *p, ss_node *node)
{
    int32_t count = node != NULL ? node->count : 0;
    p->models     = ss_pool_alloc(d->pool, (size_t)count + 1, sizeof *p->models);
    if (p->models == NULL) {
        return ss_decode_no_memory(d);
    }
    if (node == NULL) {
        p->models[0]   = (ss_rung){.name = "scene"};
        p->model_count = 1;
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "models", node, SS_NODE_LIST));
    snprintf(d->what, sizeof d->what, "models: ");
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(ss_rung_decode(d, entry, &p->models[p->model_count++]));
        SS_TRY(ss_rung_check_name(d, entry, p->models, p->model_count));
    }
    d->what[0] = '\0';
    return count > 0 ? SS_OK : ss_decode_fail(d, node, "models: there is none");
}

static ss_status read_confidence(ss_decoder *d, ss_identify *p, ss_node *node)
{
    p->confidence = (ss_confidence_def){.level = 0.9, .profile = true, .steps = true};
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "confidence", node, SS_NODE_MAP));
    return ss_decode_map(d, confidence_keys, node, &p->confidence);
}

/* A value that is searched for is not said by recordings or models too. */
static ss_status check_said(ss_decoder *d, const ss_parameter *a, const ss_scene_value *values,
                            int32_t count, const char *who, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (a->kind == SS_PARAMETER_VALUE && strcmp(values[i].path, a->path) == 0) {
            return ss_decode_fail(d, a->node, "%s is free, but %s '%s' sets it", a->path, who,
                                  name);
        }
    }
    return SS_OK;
}

static ss_status check_free(ss_decoder *d, const ss_identify *p)
{
    if (p->parameter_count == 0 && p->search.method != SS_METHOD_NONE) {
        return ss_decode_fail(d, p->study->identify.free,
                              "nothing is free: name a value, or say `method: none`");
    }
    if (p->confidence.bootstrap > 0 && p->trial_count < 2) {
        return ss_decode_fail(d, p->study->identify.confidence,
                              "bootstrap draws recordings: there must be 2 or more of them");
    }
    for (int32_t i = 0; i < p->parameter_count; i++) {
        const ss_parameter *a = &p->parameters[i];
        for (int32_t k = 0; k < p->trial_count; k++) {
            const ss_recorded *r = &p->trials[k];
            SS_TRY(check_said(d, a, r->values, r->value_count, "recording", r->name));
        }
        for (int32_t k = 0; k < p->model_count; k++) {
            const ss_rung *m = &p->models[k];
            SS_TRY(check_said(d, a, m->values, m->count, "model", m->name));
        }
    }
    return SS_OK;
}

/* Method none searches for nothing: all values stay where the study starts. */
static void hold_all(ss_identify *p)
{
    if (p->search.method == SS_METHOD_NONE) {
        p->held_count      = p->parameter_count;
        p->parameter_count = 0;
    }
}

/* Residuals of a trial, and how many of them are measured. */
static void count_rows(ss_identify *p)
{
    for (int32_t k = 0; k < p->trial_count; k++) {
        ss_recorded *r = &p->trials[k];
        if (p->loss == SS_LOSS_IMPACTS) {
            ss_impacts_count_rows(p, r);
            continue;
        }
        if (p->loss == SS_LOSS_MEASURES || p->loss == SS_LOSS_TRAVEL) {
            r->rows = r->present = p->loss == SS_LOSS_TRAVEL ? 1 : p->measure_count;
            continue;
        }
        r->rows = r->count * p->column_count;
        for (int32_t i = p->loss == SS_LOSS_END ? r->count - 1 : 0; i < r->count; i++) {
            for (int32_t c = 0; c < p->column_count; c++) {
                bool real = p->columns[c].quantity != SS_Q_QW; /* of four numbers three */
                r->present += real && !isnan(r->y[(ptrdiff_t)i * p->column_count + c]);
            }
        }
    }
}

static ss_status read_all(ss_decoder *d, ss_identify *p, const ss_identify_nodes *n)
{
    if (n->data == NULL || n->free == NULL) {
        return ss_fail(d->ctx, SS_ERR_INPUT,
                       "%s: a study of kind `identify` needs `data` and `free`", p->study->path);
    }
    int32_t bodies = p->study->first_scene->body_count;
    p->bodies      = ss_pool_alloc(d->pool, (size_t)bodies + 1, sizeof *p->bodies);
    if (p->bodies == NULL) {
        return ss_decode_no_memory(d);
    }
    SS_TRY(ss_recordings_read(d, p, n->data));
    if (p->excites) {
        SS_TRY(ss_inputs_read(d, p, n->excite));
    }
    SS_TRY(read_free(d, p, n->free));
    SS_TRY(read_nuisance(d, p, n->nuisance));
    SS_TRY(read_noise(d, p, n->noise));
    SS_TRY(read_loss(d, p, n->loss));
    SS_TRY(complete_noise(d, p));
    if (p->loss == SS_LOSS_IMPACTS) {
        SS_TRY(ss_impacts_check(d, p, n->loss));
    }
    SS_TRY(read_folds(d, p, n->folds));
    SS_TRY(read_confidence(d, p, n->confidence));
    p->search_starts = n->starts > 0 ? n->starts : 1;
    SS_TRY(read_method(d, p, p->study->method));
    SS_TRY(ss_smooth_read(d, p, n->smooth));
    SS_TRY(read_models(d, p, n->models));
    SS_TRY(check_free(d, p));
    hold_all(p);
    count_rows(p);
    return SS_OK;
}

ss_status ss_identify_read(ss_context *ctx, const ss_study *s, bool excites, ss_identify **out)
{
    ss_identify *p = ss_alloc(ctx, 1, sizeof *p);
    *out           = NULL;
    if (p == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    p->ctx       = ctx;
    p->pool.ctx  = ctx;
    p->study     = s;
    p->excites   = excites;
    ss_decoder d = {
        .ctx = ctx, .pool = &p->pool, .dimension = s->dimension, .directory = s->directory};
    ss_status status = read_all(&d, p, &s->identify);
    ss_expr_env_destroy(d.env);
    if (status != SS_OK) {
        ss_identify_free(p);
        return status;
    }
    *out = p;
    return SS_OK;
}

void ss_identify_free(ss_identify *p)
{
    if (p != NULL) {
        ss_context *ctx = p->ctx;
        ss_pool_free(&p->pool);
        ss_free(ctx, p, sizeof *p);
    }
}
