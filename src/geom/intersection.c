/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The intersection of convex shapes. Each part is the inside of one or more surfaces; the whole is
 * what lies inside all of them.
 *
 * When all are flat it is the polyhedron  n_i.x <= o_i:  its vertices are the points where three
 * (2D: two) planes meet and no other cuts them off; the hull of these is the shape. With curved
 * surfaces it is a solid of its own (solid.h), unless what is left of it is one of its parts or has
 * flat faces only.
 */
#include "geom/field_table.h"
#include "geom/formula_body.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/solid.h"
#include "geom/tolerances.h"

static const ss_field fields[] = {
    SS_PARTS_FIELD(
        "convex shapes, each with its own position and orientation; one of them bounded"),
    SS_FIELD_END};

/* All triples of planes are tried. */
enum { MAX_FACES = 200 };

typedef struct half_spaces {
    ss_vec3 normal[MAX_FACES + 1]; /* and one more for the plane of a 2D drawing */
    double  offset[MAX_FACES + 1];
    int32_t count;
    double  size; /* of the largest bounded part */
} half_spaces;

/* What the parts are, while they are looked at. */
typedef struct part_list {
    ss_surface *surfaces;
    int32_t     count;
    double      largest;  /* radius of the largest bounded part             */
    double      smallest; /* radius of the smallest, and where its origin is */
    ss_vec3     at;
} part_list;

/* ---- parts ----------------------------------------------------------------------------------- */

static ss_status refuse(ss_geom_set *set, const ss_shape_def *part, int32_t number, const char *why)
{
    return ss_fail(set->ctx, SS_ERR_INPUT, "shape 'intersection': part %d, '%s', %s", number + 1,
                   part->type, why);
}

/* A mesh is replaced by its hull for contact; an intersection with the hull would be another body.
 */
static bool is_convex(const ss_geom_set *part, int dimension)
{
    const ss_geom *g = &part->geoms[0];
    if (part->count != 1) {
        return false;
    }
    if (g->poly == NULL || dimension == 2) {
        return true;
    }
    return ss_mass_polyhedron(g->poly, 3).volume <= part->mass.volume * (1 + SS_CONVEX_ENOUGH);
}

/* What a part's formula became outlives the part. */
static ss_status keep_formulas(ss_geom_set *set, ss_surface *surfaces, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (surfaces[i].kind != SS_SURFACE_FORMULA) {
            continue;
        }
        ss_formula_body *copy = ss_geom_memory(set, 1, sizeof *copy);
        if (copy == NULL) {
            return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
        }
        *copy                                 = *surfaces[i].shape.params.formula_body;
        surfaces[i].shape.params.formula_body = copy;
    }
    return SS_OK;
}

static ss_status add_surfaces(ss_geom_set *set, part_list *list, const ss_geom *g, int32_t number)
{
    int32_t count = ss_surface_count_of(g);
    if (list->count + count > MAX_FACES) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "shape 'intersection': its parts have more than %d faces together",
                       MAX_FACES);
    }
    ss_surface_of(g, set->dimension, number, list->surfaces + list->count);
    SS_TRY(keep_formulas(set, list->surfaces + list->count, count));
    list->count += count;
    if (isfinite(g->radius)) {
        list->largest = fmax(list->largest, g->radius);
        if (g->radius < list->smallest) {
            list->smallest = g->radius;
            list->at       = g->local.p;
        }
    }
    return SS_OK;
}

/* A part in a set of its own, as deep as it stands: cycles end. */
static ss_status add_part(ss_geom_set *set, part_list *list, const ss_shape_def *def,
                          int32_t number)
{
    ss_geom_set part   = {.ctx = set->ctx, .dimension = set->dimension, .depth = set->depth};
    ss_frame    origin = {{0, 0, 0}, ss_mat3_identity()};
    ss_status   done   = ss_geom_add_shape(&part, def, &origin);
    if (done == SS_OK && !is_convex(&part, set->dimension)) {
        done = refuse(set, def, number, "is not convex");
    } else if (done == SS_OK && ss_surface_count_of(&part.geoms[0]) == 0) {
        done = refuse(set, def, number, "has no inside");
    } else if (done == SS_OK) {
        done = add_surfaces(set, list, &part.geoms[0], number);
    }
    ss_geom_free(&part);
    return done;
}

/* ---- flat faces only ------------------------------------------------------------------------- */

static void add_plane(half_spaces *h, const ss_surface *s)
{
    h->normal[h->count]   = s->normal;
    h->offset[h->count++] = s->offset;
}

/* The point where three planes meet; false when they are SS_PLANES_PARALLEL to a common line. */
static bool meeting_point(const half_spaces *h, int32_t i, int32_t j, int32_t k, ss_vec3 *x)
{
    ss_vec3 jk  = ss_cross(h->normal[j], h->normal[k]);
    double  det = ss_dot(h->normal[i], jk);
    if (fabs(det) <= SS_PLANES_PARALLEL) {
        return false;
    }
    ss_vec3 ki = ss_cross(h->normal[k], h->normal[i]), ij = ss_cross(h->normal[i], h->normal[j]);
    *x = ss_scale(1 / det,
                  ss_axpy(ss_axpy(ss_scale(h->offset[i], jk), h->offset[j], ki), h->offset[k], ij));
    return true;
}

static bool inside(const half_spaces *h, ss_vec3 x)
{
    for (int32_t i = 0; i < h->count; i++) {
        if (ss_dot(h->normal[i], x) > h->offset[i] + SS_PLANES_ROUNDING * h->size) {
            return false;
        }
    }
    return true;
}

typedef struct cloud {
    ss_vec3 *points;
    int32_t  count, capacity;
} cloud;

static ss_status add_point(ss_geom_set *set, cloud *c, ss_vec3 x, double tiny)
{
    for (int32_t i = 0; i < c->count; i++) {
        if (ss_norm(ss_sub(c->points[i], x)) <= tiny) {
            return SS_OK;
        }
    }
    if (c->count == c->capacity) {
        int32_t  wanted = c->capacity == 0 ? 64 : 2 * c->capacity;
        ss_vec3 *more   = ss_geom_memory(set, (size_t)wanted, sizeof *more);
        if (more == NULL) {
            return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
        }
        for (int32_t i = 0; i < c->count; i++) {
            more[i] = c->points[i];
        }
        c->points   = more;
        c->capacity = wanted;
    }
    c->points[c->count++] = x;
    return SS_OK;
}

/* In 2D the third plane is that of the drawing. */
static ss_status find_vertices(ss_geom_set *set, half_spaces *h, cloud *c)
{
    bool    flat = set->dimension == 2;
    int32_t n    = h->count;
    if (flat) {
        h->normal[n] = ss_v3(0, 0, 1);
        h->offset[n] = 0;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = i + 1; j < n; j++) {
            for (int32_t k = flat ? n : j + 1; k < (flat ? n + 1 : n); k++) {
                ss_vec3 x;
                if (meeting_point(h, i, j, k, &x) && inside(h, x)) {
                    SS_TRY(add_point(set, c, x, 2 * SS_PLANES_ROUNDING * h->size));
                }
            }
        }
    }
    return SS_OK;
}

static ss_status build_polyhedron(ss_geom_set *set, const part_list *list, const ss_shape_def *def,
                                  const ss_frame *at)
{
    half_spaces         *h = ss_geom_memory(set, 1, sizeof *h);
    cloud                c = {0};
    const ss_polyhedron *poly;
    const char          *what = "shape 'intersection' (do its parts overlap?)";
    if (h == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    h->size = list->largest;
    for (int32_t i = 0; i < list->count; i++) {
        add_plane(h, &list->surfaces[i]);
    }
    SS_TRY(find_vertices(set, h, &c));
    if (set->dimension == 2) {
        SS_TRY(ss_hull_build_2d(set, c.points, c.count, what, &poly));
        return ss_geom_add(set, &ss_shape_polygon, &def->params, at, poly);
    }
    SS_TRY(ss_hull_build(set, c.points, c.count, what, &poly));
    return ss_geom_add(set, &ss_shape_convex, &def->params, at, poly);
}

/* ---- curved faces ---------------------------------------------------------------------------- */

/* Planes that are left when the curved surfaces have turned out to cut nothing off. */
static ss_status build_rest(ss_geom_set *set, const part_list *all, const ss_solid_result *r,
                            const ss_shape_def *def, const ss_frame *at)
{
    part_list flat = {.largest = all->largest, .surfaces = all->surfaces};
    for (int32_t i = 0; i < r->solid->surface_count; i++) {
        flat.surfaces[flat.count] = r->solid->surfaces[i];
        ss_surface_move_origin(&flat.surfaces[flat.count++], ss_neg(r->centre));
    }
    return build_polyhedron(set, &flat, def, at);
}

/* A solid that several parts bound. */
static ss_status build_bounded(ss_geom_set *set, const part_list *list, const ss_solid_result *r,
                               const ss_shape_def *def, const ss_frame *at)
{
    if (r->solid->curved_count == 0) {
        return build_rest(set, list, r, def, at);
    }
    ss_frame        middle = {r->centre, ss_mat3_identity()}, placed = ss_frame_mul(at, &middle);
    ss_shape_params params = {.solid = r->solid};
    return ss_geom_add(set, &ss_shape_intersection, &params, &placed, NULL);
}

static ss_status build_solid(ss_geom_set *set, const part_list *list, const ss_shape_def *def,
                             const ss_frame *at)
{
    ss_solid_result r;
    SS_TRY(ss_solid_make(set, list->surfaces, list->count, list->at, list->smallest, &r));
    if (r.only_part >= 0) { /* the others cut nothing off */
        ss_shape_def only = def->parts[r.only_part];
        only.material     = NULL;
        return ss_geom_add_shape(set, &only, at);
    }
    return build_bounded(set, list, &r, def, at);
}

static bool has_curves(const part_list *list)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (list->surfaces[i].kind != SS_SURFACE_PLANE) {
            return true;
        }
    }
    return false;
}

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    part_list list = {.smallest = INFINITY,
                      .surfaces = ss_geom_memory(set, MAX_FACES, sizeof *list.surfaces)};
    if (list.surfaces == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    for (int32_t i = 0; i < def->part_count; i++) {
        SS_TRY(add_part(set, &list, &def->parts[i], i));
    }
    if (list.largest == 0) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "shape 'intersection': at least one part must be bounded");
    }
    return has_curves(&list) ? build_solid(set, &list, def, at)
                             : build_polyhedron(set, &list, def, at);
}

/* ---- what parts of a union have in common ---------------------------------------------------- */

static ss_status build_common(ss_geom_set *set, const part_list *list, const ss_geom *const *geoms)
{
    const ss_shape_def none   = {0};
    const ss_frame     origin = {{0, 0, 0}, ss_mat3_identity()};
    ss_solid_result    r;
    if (!has_curves(list)) {
        return build_polyhedron(set, list, &none, &origin);
    }
    SS_TRY(ss_solid_make(set, list->surfaces, list->count, list->at, list->smallest, &r));
    if (r.only_part >= 0) {
        const ss_geom *g = geoms[r.only_part];
        return ss_geom_add(set, g->cls, &g->params, &g->local, g->poly);
    }
    return build_bounded(set, list, &r, &none, &origin);
}

/*
 * Solids with edges too short to be traced have a mass all the same, whoever bounds them. What is
 * too thin has none.
 */
static ss_status weigh_untraced(ss_geom_set *set, part_list *list, const ss_geom *const *geoms,
                                int32_t count)
{
    ss_solid_result r;
    list->count = 0;
    for (int32_t i = 0; i < count; i++) {
        SS_TRY(add_surfaces(set, list, geoms[i], i));
    }
    ss_status done = ss_solid_begin(set, list->surfaces, list->count, list->at, list->smallest, &r);
    if (done != SS_OK) {
        return done == SS_ERR_INPUT ? SS_OK : done;
    }
    ss_solid_mass(r.solid);
    ss_frame middle = {r.centre, ss_mat3_identity()};
    set->mass       = ss_mass_placed(&r.solid->mass, &middle);
    return SS_OK;
}

static bool is_empty(const part_list *list, int dimension)
{
    const ss_solid s = {
        .dimension = dimension, .surfaces = list->surfaces, .surface_count = list->count};
    ss_vec3 inside;
    return !ss_solid_find_inside(&s, list->at, list->smallest, &inside);
}

ss_status ss_mass_common(ss_context *ctx, int dimension, const ss_geom *const *geoms, int32_t count,
                         ss_mass *out)
{
    ss_geom_set set  = {.ctx = ctx, .dimension = dimension};
    part_list   list = {.smallest = INFINITY,
                        .surfaces = ss_geom_memory(&set, MAX_FACES, sizeof *list.surfaces)};
    ss_status   done = SS_OK;
    if (list.surfaces == NULL) {
        done = ss_fail(ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    for (int32_t i = 0; done == SS_OK && i < count; i++) {
        done = add_surfaces(&set, &list, geoms[i], i);
    }
    if (done == SS_OK && !is_empty(&list, dimension)) {
        done = build_common(&set, &list, geoms);
        if (done == SS_ERR_INPUT && has_curves(&list)) {
            done = weigh_untraced(&set, &list, geoms, count);
        }
    }
    *out = set.mass;
    ss_geom_free(&set);
    return done;
}

/* ---- the class: solids with curved faces ----------------------------------------------------- */

static ss_vec3 support(const ss_geom *g, ss_vec3 d)
{
    return ss_solid_support(g->params.solid, d).x;
}

static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    ss_support_bounds(g, g->params.solid->dimension, f, out);
}

static double radius(const ss_geom *g)
{
    return g->params.solid->radius;
}

static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    (void)dimension;
    *out = g->params.solid->mass;
}

const ss_shape_class ss_shape_intersection = {.name       = "intersection",
                                              .dimensions = 5,
                                              .fields     = fields,
                                              .build      = build,
                                              .bounds     = bounds,
                                              .support    = support,
                                              .radius     = radius,
                                              .mass       = mass};
