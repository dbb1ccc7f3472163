/* SPDX-License-Identifier: Apache-2.0 */
/* `support: {points: [[x, y] ..], friction: .., ..}` and `damping` of a body. */
#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "scenefile/scene_friction.h"

/* A number, or a list of numbers. */
static ss_status decode_list(ss_decoder *d, const char *label, ss_node *node, const double **out,
                             int32_t *count)
{
    bool    list = node->kind == SS_NODE_LIST;
    int32_t n    = list ? node->count : 1;
    double *x    = ss_pool_alloc(d->pool, (size_t)n + 1, sizeof *x);
    if (x == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(list ? ss_decode_numbers(d, label, node, n, x) : ss_decode_number(d, label, node, x));
    *out   = x;
    *count = n;
    return SS_OK;
}

static ss_status decode_points(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_support_def *support = target;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    ss_vec3 *points = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *points);
    if (points == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    support->points = points;
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        double x[2];
        SS_TRY(ss_decode_numbers(d, "a point", entry, 2, x));
        points[support->point_count++] = ss_v3(x[0], x[1], 0);
    }
    return SS_OK;
}

/* Friction that has a direction. */
typedef struct elliptic {
    double      x, y, angle;
    const char *frame;
} elliptic;

const ss_key ss_support_friction_keys[] = {
    SS_KEY_ROW("x", SS_KEY_REAL, elliptic, x, SS_POSITIVE, .required = true,
               .doc = "coefficient along the first axis of the ellipse"),
    SS_KEY_ROW("y", SS_KEY_REAL, elliptic, y, SS_POSITIVE, .required = true,
               .doc = "coefficient along the second, a right angle further"),
    SS_KEY_ROW("angle", SS_KEY_REAL, elliptic, angle, .unit = "rad", .initial = "0",
               .doc = "of the first axis, from the x axis of the surface: of the body `on`, which "
                      "may turn, or of the world"),
    SS_KEY_ROW("frame", SS_KEY_TEXT, elliptic, frame, .initial = "surface",
               .form = "surface or body",
               .doc  = "whose the axes are; those of the body turn with it"),
    SS_KEY_END};

static ss_status decode_frame(ss_decoder *d, ss_node *node, const char *frame, bool *turns)
{
    *turns = frame != NULL && strcmp(frame, "body") == 0;
    if (frame != NULL && !*turns && strcmp(frame, "surface") != 0) {
        return ss_decode_fail(d, node, "frame must be surface or body, got '%s'", frame);
    }
    return SS_OK;
}

static ss_status decode_elliptic(ss_decoder *d, ss_node *node, ss_support_def *support)
{
    elliptic e     = {.angle = 0};
    double  *first = ss_pool_alloc(d->pool, 1, sizeof *first);
    if (first == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_decode_map(d, ss_support_friction_keys, node, &e));
    *first                   = e.x;
    support->friction        = first;
    support->friction_count  = 1;
    support->friction_across = e.y;
    support->friction_angle  = e.angle;
    return decode_frame(d, node, e.frame, &support->friction_turns);
}

static ss_status decode_friction(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_support_def *support = target;
    if (ss_friction_is_placed(d, node)) {
        double *one = ss_pool_alloc(d->pool, 1, sizeof *one);
        if (one == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
        }
        support->friction       = one;
        support->friction_count = 1;
        return ss_decode_friction(d, node, &(ss_friction_target){one, NULL, &support->place});
    }
    if (node->kind == SS_NODE_MAP) {
        return decode_elliptic(d, node, support);
    }
    return decode_list(d, key->name, node, &support->friction, &support->friction_count);
}

static ss_status decode_torsion(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_support_def *support = target;
    return decode_list(d, key->name, node, &support->torsion, &support->torsion_count);
}

static ss_status decode_forces(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_support_def *support = target;
    int32_t         count   = 0;
    SS_TRY(decode_list(d, key->name, node, &support->normal_forces, &count));
    if (count != support->point_count) {
        return ss_decode_fail(d, node, "normal_forces must have one entry per point, got %d for %d",
                              (int)count, (int)support->point_count);
    }
    return SS_OK;
}

static ss_status decode_lift(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_support_def *support = target;
    int             i       = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count != 3) {
        return ss_decode_fail(d, node,
                              "lift must have 3 entries (across, about x, about y), got %d",
                              (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(ss_decode_timed(d, key->name, entry, &support->lift[i++]));
    }
    support->lift_set = true;
    return SS_OK;
}

static ss_status decode_across(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_support_def *support = target;
    SS_TRY(ss_decode_numbers(d, key->name, node, 2, support->inertia_across));
    if (!(support->inertia_across[0] > 0) || !(support->inertia_across[1] > 0)) {
        return ss_decode_fail(d, node, "inertia_across must be > 0");
    }
    return SS_OK;
}

const ss_key ss_support_keys[] = {
    SS_KEY_ROW("points", SS_KEY_CUSTOM, ss_support_def, points, .decode = decode_points,
               .required = true, .form = "[[x, y], ..]", .unit = "m",
               .doc =
                   "3 or more, in the body's frame, around the centre of mass; with torsion 1 or "
                   "more"),
    SS_KEY_ROW("friction", SS_KEY_CUSTOM, ss_support_def, friction, .decode = decode_friction,
               .required = true,
               .form =
                   "number, one per point, {x, y, angle, frame}, formula of x, y, or {map: {..}}",
               .keys   = ss_support_friction_keys,
               .schema = "\"type\": [\"number\", \"string\", \"array\", \"object\"]",
               .doc = "coefficient between body and surface; with x and y that along two axes of "
                      "the surface: friction inside an ellipse; formulas and maps: of "
                      "the place on the surface"),
    SS_KEY_ROW("torsion", SS_KEY_CUSTOM, ss_support_def, torsion, .decode = decode_torsion,
               .form = "number, or one per point", .unit = "m", .initial = "0",
               .schema = "\"type\": [\"number\", \"array\"]",
               .doc =
                   "largest moment of a point over its largest friction force: forces and moment "
                   "lie in one ellipsoid; > 0 on fewer than 3 points"),
    SS_KEY_ROW("normal_forces", SS_KEY_CUSTOM, ss_support_def, normal_forces,
               .decode = decode_forces, .form = "[..]", .unit = "N",
               .initial = "1 or 3 points: from equilibrium",
               .doc     = "one per point; needed for 2 points and more than 3"),
    SS_KEY_ROW("gravity", SS_KEY_REAL, ss_support_def, gravity, SS_NOT_NEGATIVE, .unit = "m/s^2",
               .initial = "9.81", .doc = "across the plane"),
    SS_KEY_ROW("load", SS_KEY_REAL, ss_support_def, load, SS_NOT_NEGATIVE, .unit = "N",
               .initial = "0", .doc = "presses down beside the weight"),
    SS_KEY_ROW("load_point", SS_KEY_VECTOR, ss_support_def, load_point, .unit = "m", .initial = "0",
               .doc = "where the load presses, in the body's frame"),
    SS_KEY_ROW("on", SS_KEY_TEXT, ss_support_def, on, .initial = "a surface that is still",
               .form = "name of a body",
               .doc =
                   "the body whose surface it lies on: a belt (static, with surface_velocity) or "
                   "a table that moves (kinematic)"),
    SS_KEY_ROW("lift", SS_KEY_CUSTOM, ss_support_def, lift, .decode = decode_lift,
               .form = "[across, about x, about y]; expressions of t", .unit = "m/s^2, rad/s^2",
               .initial = "0",
               .doc     = "acceleration of the surface across the plane at the origin of `on`, and "
                          "its angular accelerations out of the plane: they change the normal forces"),
    SS_KEY_ROW("inertia_across", SS_KEY_CUSTOM, ss_support_def, inertia_across,
               .decode = decode_across, .form = "[x, y]", .unit = "kg m^2",
               .initial = "half of its inertia",
               .doc     = "of the body about its x and y axes, where the surface turns"),
    SS_KEY_ROW("push_height", SS_KEY_REAL, ss_support_def, push_height, SS_NOT_NEGATIVE,
               .unit = "m", .initial = "0",
               .doc = "above the surface, where contacts push the body: they shift its weight to "
                      "the points in front"),
    SS_KEY_ROW("mass_height", SS_KEY_REAL, ss_support_def, mass_height, SS_NOT_NEGATIVE,
               .unit = "m", .initial = "0",
               .doc = "of the centre of mass above the surface: friction that brakes the body "
                      "shifts its weight as well"),
    SS_KEY_END};

ss_status ss_decode_support(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_body_def    *body    = target;
    ss_support_def *support = ss_pool_alloc(d->pool, 1, sizeof *support);
    if (support == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    support->gravity = 9.81;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_support_keys, node, support));
    if (support->friction_count != 1 && support->friction_count != support->point_count) {
        return ss_decode_fail(d, node, "friction must be one number, or one per point (%d), got %d",
                              (int)support->point_count, (int)support->friction_count);
    }
    if (support->torsion_count > 1 && support->torsion_count != support->point_count) {
        return ss_decode_fail(d, node, "torsion must be one number, or one per point (%d), got %d",
                              (int)support->point_count, (int)support->torsion_count);
    }
    body->support = support;
    return SS_OK;
}

/* A matrix, row by row; or the numbers on its diagonal. */
static ss_status decode_matrix(ss_decoder *d, const char *label, ss_node *node, ss_body_def *body)
{
    int32_t n = node->count, i = 0;
    bool    diagonal = node->first->kind != SS_NODE_LIST;
    double *E        = ss_pool_alloc(d->pool, (size_t)n * (size_t)n, sizeof *E);
    double *numbers  = ss_pool_alloc(d->pool, (size_t)n, sizeof *numbers);
    if (E == NULL || numbers == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    if (diagonal) {
        SS_TRY(ss_decode_numbers(d, label, node, n, numbers));
    }
    for (ss_node *row = node->first; !diagonal && row != NULL; row = row->next, i++) {
        SS_TRY(ss_decode_numbers(d, "a row of damping", row, n, E + (ptrdiff_t)i * n));
    }
    for (i = 0; diagonal && i < n; i++) {
        E[i * n + i] = numbers[i];
    }
    body->damping_matrix = E;
    body->damping_size   = n;
    return SS_OK;
}

ss_status ss_decode_damping(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_body_def *body = target;
    double       E[2] = {0, 0};
    if (node->kind == SS_NODE_LIST && node->count > 0 &&
        (node->count > 2 || node->first->kind == SS_NODE_LIST)) {
        return decode_matrix(d, key->name, node, body);
    }
    if (node->kind == SS_NODE_LIST) {
        SS_TRY(ss_decode_numbers(d, key->name, node, 2, E));
    } else {
        SS_TRY(ss_decode_number(d, key->name, node, &E[0]));
        E[1] = E[0];
    }
    if (!(E[0] >= 0) || !(E[1] >= 0)) {
        return ss_decode_fail(d, node, "damping must be >= 0");
    }
    body->damping_linear  = E[0];
    body->damping_angular = E[1];
    return SS_OK;
}
