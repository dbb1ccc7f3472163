/* SPDX-License-Identifier: Apache-2.0 */
/* The table of shapes, the fields that all of them have, and the check of a description. */
#include "geom/shape.h"

#include <string.h>

#include "core/context.h"
#include "geom/geom.h"

static const ss_shape_class *const shapes[] = {
#define SS_SHAPE(name) &ss_shape_##name,
    SS_SHAPE_LIST
#undef SS_SHAPE
};
enum { SHAPE_COUNT = (int)(sizeof shapes / sizeof shapes[0]) };

int32_t ss_shape_count(const ss_context *ctx)
{
    return SHAPE_COUNT + (ctx != NULL ? ctx->registry.shape_count : 0);
}

const ss_shape_class *ss_shape_at(const ss_context *ctx, int32_t index)
{
    if (index < 0 || index >= ss_shape_count(ctx)) {
        return NULL;
    }
    return index < SHAPE_COUNT ? shapes[index] : ctx->registry.shapes[index - SHAPE_COUNT];
}

bool ss_shape_built_in(const ss_shape_class *cls)
{
    for (int32_t i = 0; i < SHAPE_COUNT; i++) {
        if (shapes[i] == cls) {
            return true;
        }
    }
    return false;
}

/* dimensions is 2, 3 or 5 = 2 + 3 */
static bool lives_in(int dimensions, int dimension)
{
    return dimensions == 5 || dimensions == dimension;
}

const ss_shape_class *ss_shape_find(const ss_context *ctx, const char *name, int dimension)
{
    for (int32_t i = 0; name != NULL && i < ss_shape_count(ctx); i++) {
        const ss_shape_class *cls = ss_shape_at(ctx, i);
        if (lives_in(cls->dimensions, dimension) && strcmp(cls->name, name) == 0) {
            return cls;
        }
    }
    return NULL;
}

/* What the library calls without asking whether it is there. */
static ss_status check_class(ss_context *ctx, const ss_shape_class *cls)
{
    if (cls->name == NULL || cls->name[0] == '\0') {
        return ss_fail(ctx, SS_ERR_INPUT, "a shape has no name");
    }
    if (cls->dimensions != 2 && cls->dimensions != 3 && cls->dimensions != 5) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': dimensions must be 2, 3 or 5, got %d",
                       cls->name, cls->dimensions);
    }
    if (cls->bounds == NULL || cls->support == NULL || cls->radius == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s' needs bounds, support and radius", cls->name);
    }
    return SS_OK;
}

ss_status ss_shape_register(ss_context *ctx, const ss_shape_class *cls)
{
    SS_TRY(check_class(ctx, cls));
    for (int dimension = 2; dimension <= 3; dimension++) {
        if (lives_in(cls->dimensions, dimension) &&
            ss_shape_find(ctx, cls->name, dimension) != NULL) {
            return ss_fail(ctx, SS_ERR_INPUT, "a shape named '%s' exists already", cls->name);
        }
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.shape_count, "shapes"));
    ctx->registry.shapes[ctx->registry.shape_count++] = cls;
    return SS_OK;
}

static const ss_field common_fields[] = {
    {"position", SS_FIELD_VECTOR, 5, false, false, offsetof(ss_shape_def, position), 0, 0,
     -INFINITY, INFINITY, "of the shape's origin in the body frame"},
    {"quat_wxyz", SS_FIELD_QUAT, 3, false, false, offsetof(ss_shape_def, orientation), 0, 0, 0, 0,
     "orientation of the shape in the body frame"},
    {"euler", SS_FIELD_EULER, 3, false, false, offsetof(ss_shape_def, orientation), 0, 0, 0, 0,
     "orientation instead: turned about x by roll, then y by pitch, then z by yaw (fixed axes)"},
    {"axis_angle", SS_FIELD_AXIS_ANGLE, 3, false, false, offsetof(ss_shape_def, orientation), 0, 0,
     0, 0, "orientation instead: turned about an axis"},
    {"direction", SS_FIELD_DIRECTION, 3, false, false, offsetof(ss_shape_def, orientation), 0, 0, 0,
     0, "orientation instead: turned the shortest way until its z axis points there"},
    {"angle", SS_FIELD_ANGLE, 2, false, false, offsetof(ss_shape_def, orientation), 0, 0, 0, 0,
     "orientation of the shape in the body frame"},
    {"material", SS_FIELD_TEXT, 5, false, false, offsetof(ss_shape_def, material), 0, 0, 0, 0,
     "name of a material; otherwise the body's"},
    SS_FIELD_END};

const ss_field *ss_shape_common_fields(void)
{
    return common_fields;
}

static ss_status bad_number(ss_context *ctx, const ss_shape_def *def, const ss_field *f, double got)
{
    if (f->low == -INFINITY && f->high == INFINITY) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': %s must be finite, got %g", def->type,
                       f->name, got);
    }
    if (f->high == INFINITY) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': %s must be > %g and finite, got %g",
                       def->type, f->name, f->low, got);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': %s must be > %g and <= %g, got %g", def->type,
                   f->name, f->low, f->high, got);
}

static ss_status check_numbers(ss_context *ctx, const ss_shape_def *def, const ss_field *f,
                               const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i]) || !(x[i] > f->low) || !(x[i] <= f->high)) {
            return bad_number(ctx, def, f, x[i]);
        }
    }
    return SS_OK;
}

static ss_status check_vector(ss_context *ctx, const ss_shape_def *def, const ss_field *f,
                              ss_vec3 v, int dimension)
{
    const double x[3] = {v.x, v.y, v.z};
    return check_numbers(ctx, def, f, x, dimension == 2 ? 2 : 3);
}

static ss_status check_points(ss_context *ctx, const ss_shape_def *def, const ss_field *f,
                              int dimension)
{
    for (int32_t i = 0; i < def->point_count; i++) {
        SS_TRY(check_vector(ctx, def, f, def->points[i], dimension));
    }
    return SS_OK;
}

/* A list or a text that is required must be there. */
static ss_status check_present(ss_context *ctx, const ss_shape_def *def, const ss_field *f)
{
    const char *base  = (const char *)def;
    bool        list  = f->type == SS_FIELD_POINTS || f->type == SS_FIELD_SHAPES;
    int32_t     count = list ? *(const int32_t *)(const void *)(base + f->count_offset) : 1;
    const void *value = *(const void *const *)(const void *)(base + f->offset);
    if (count < 0 || (count > 0 && list && value == NULL)) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': %s is not a list", def->type, f->name);
    }
    if (f->required && (count == 0 || value == NULL)) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': %s is missing or empty", def->type, f->name);
    }
    return SS_OK;
}

static ss_status check_quat(ss_context *ctx, const ss_shape_def *def, const ss_field *f, ss_quat q)
{
    if (!isfinite(q.w) || !isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z)) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': %s must be finite", def->type, f->name);
    }
    if (f->type == SS_FIELD_ANGLE && (q.x != 0 || q.y != 0)) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': in 2D a shape turns about z only",
                       def->type);
    }
    return SS_OK;
}

static ss_status check_field(ss_context *ctx, const ss_shape_def *def, const ss_field *f,
                             int dimension)
{
    const char *value = (const char *)def + f->offset;
    switch (f->type) {
    case SS_FIELD_REAL:
        if (f->offset == offsetof(ss_shape_def, scale) && def->scale == 0) {
            return SS_OK; /* a program that says nothing of it: 1 */
        }
        return check_numbers(ctx, def, f, (const double *)(const void *)value, 1);
    case SS_FIELD_VECTOR:
        return check_vector(ctx, def, f, *(const ss_vec3 *)(const void *)value, dimension);
    case SS_FIELD_EULER:
    case SS_FIELD_AXIS_ANGLE:
    case SS_FIELD_DIRECTION:
    case SS_FIELD_QUAT:
    case SS_FIELD_ANGLE:
        return check_quat(ctx, def, f, *(const ss_quat *)(const void *)value);
    case SS_FIELD_POINTS:
        SS_TRY(check_present(ctx, def, f));
        return check_points(ctx, def, f, dimension);
    case SS_FIELD_SHAPES:
    case SS_FIELD_TEXT:
    case SS_FIELD_FORMULA:
    case SS_FIELD_FILE:
        return check_present(ctx, def, f);
    }
    return ss_fail(ctx, SS_ERR_INTERNAL, "field '%s' has no known type", f->name);
}

ss_status ss_shape_check(ss_context *ctx, const ss_shape_class *cls, const ss_shape_def *def,
                         int dimension)
{
    const ss_field *tables[] = {cls->fields, common_fields};
    for (int t = 0; t < 2; t++) {
        for (const ss_field *f = tables[t]; f != NULL && f->name != NULL; f++) {
            if (lives_in(f->dimensions, dimension)) {
                SS_TRY(check_field(ctx, def, f, dimension));
            }
        }
    }
    return cls->check != NULL ? cls->check(ctx, def, dimension) : SS_OK;
}
