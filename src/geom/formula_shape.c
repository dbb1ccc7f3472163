/* SPDX-License-Identifier: Apache-2.0 */
/* `implicit`: a convex body f <= 0 by a formula, `{f: "x^4 + y^4 - 1", bounds: [[..], [..]]}`. */
#include "geom/field_table.h"
#include "geom/formula_body.h"

static const ss_field fields[] = {
    {"f", SS_FIELD_FORMULA, 5, true, false, SS_PARAM(formula), 0, 0, 0, 0,
     "the body is where this formula of x, y (and z) is <= 0: convex and twice differentiable"},
    {"bounds", SS_FIELD_POINTS, 5, true, false, offsetof(ss_shape_def, points),
     offsetof(ss_shape_def, point_count), 0, -INFINITY, INFINITY,
     "two corners of a box that holds the body, the lower one first"},
    SS_FIELD_END};

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    ss_formula_body *body = ss_geom_memory(set, 1, sizeof *body);
    if (body == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a shape by a formula");
    }
    SS_TRY(ss_formula_body_make(set->ctx, def, set->dimension, body));
    ss_shape_params params = {.formula_body = body};
    ss_frame        middle = {body->origin, ss_mat3_identity()}, placed = ss_frame_mul(at, &middle);
    return ss_geom_add(set, &ss_shape_implicit, &params, &placed, NULL);
}

static ss_vec3 support(const ss_geom *g, ss_vec3 d)
{
    return ss_body_support(g->params.formula_body, d);
}

static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    ss_support_bounds(g, g->params.formula_body->dimension, f, out);
}

static double radius(const ss_geom *g)
{
    return g->params.formula_body->radius;
}

static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    (void)dimension;
    *out = g->params.formula_body->mass;
}

const ss_shape_class ss_shape_implicit = {.name       = "implicit",
                                          .dimensions = 5,
                                          .fields     = fields,
                                          .build      = build,
                                          .bounds     = bounds,
                                          .support    = support,
                                          .radius     = radius,
                                          .mass       = mass};
