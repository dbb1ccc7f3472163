/* SPDX-License-Identifier: Apache-2.0 */
/* Building geoms: recursion through unions, placement, memory, mass and size of the whole. */
#include "geom/geom.h"

#include <string.h>

#include "geom/cover.h"
#include "geom/mass.h"
#include "geom/neighbour.h"
#include "geom/seam.h"
#include "geom/shape.h"

/* Unions inside unions deeper than this are a mistake (or a cycle). */
enum { MAX_DEPTH = 32 };

typedef struct ss_geom_block {
    struct ss_geom_block *next;
    size_t                size; /* of the whole block */
} ss_geom_block;

/* Room in front of what a block holds, so that doubles and pointers stay aligned. */
enum { BLOCK_HEAD = 64 };

void *ss_geom_memory(ss_geom_set *set, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - BLOCK_HEAD) / size) {
        return NULL;
    }
    size_t         bytes = BLOCK_HEAD + count * size;
    ss_geom_block *block = ss_alloc(set->ctx, bytes, 1);
    if (block == NULL) {
        return NULL;
    }
    block->next = set->blocks;
    block->size = bytes;
    set->blocks = block;
    return (char *)block + BLOCK_HEAD;
}

void ss_geom_free(ss_geom_set *set)
{
    while (set->blocks != NULL) {
        ss_geom_block *next = set->blocks->next;
        ss_free(set->ctx, set->blocks, set->blocks->size);
        set->blocks = next;
    }
    memset(set, 0, sizeof *set);
}

/* Twice the room, in new blocks: the old ones stay until the set is freed. */
static ss_status make_room(ss_geom_set *set)
{
    if (set->count < set->capacity) {
        return SS_OK;
    }
    int32_t      wanted    = set->capacity == 0 ? 4 : 2 * set->capacity;
    ss_geom     *geoms     = ss_geom_memory(set, (size_t)wanted, sizeof *geoms);
    const char **materials = ss_geom_memory(set, (size_t)wanted, sizeof *materials);
    if (geoms == NULL || materials == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a shape of %d parts", wanted);
    }
    if (set->count > 0) {
        memcpy(geoms, set->geoms, (size_t)set->count * sizeof *geoms);
        memcpy(materials, set->materials, (size_t)set->count * sizeof *materials);
    }
    set->geoms     = geoms;
    set->materials = materials;
    set->capacity  = wanted;
    return SS_OK;
}

/* Likewise. */
static ss_status add_piece(ss_geom_set *set, const ss_geom *g, int32_t number)
{
    if (set->piece_count == set->piece_capacity) {
        int32_t        wanted = set->piece_capacity == 0 ? 4 : 2 * set->piece_capacity;
        ss_geom_piece *more   = ss_geom_memory(set, (size_t)wanted, sizeof *more);
        if (more == NULL) {
            return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a shape of %d parts", wanted);
        }
        if (set->piece_count > 0) {
            memcpy(more, set->pieces, (size_t)set->piece_count * sizeof *more);
        }
        set->pieces         = more;
        set->piece_capacity = wanted;
    }
    set->pieces[set->piece_count++] = (ss_geom_piece){*g, number, set->whole};
    return SS_OK;
}

static double radius_of(const ss_geom *g)
{
    if (g->cls->radius != NULL) {
        return g->cls->radius(g);
    }
    double far = g->poly != NULL ? 0 : INFINITY;
    for (int32_t i = 0; g->poly != NULL && i < g->poly->vertex_count; i++) {
        far = fmax(far, ss_norm(g->poly->vertices[i]));
    }
    return far;
}

/* Half the width along d, in shape coordinates. */
static double half_width(const ss_geom *g, ss_vec3 d)
{
    ss_vec3 across = ss_sub(g->cls->support(g, d), g->cls->support(g, ss_neg(d)));
    return 0.5 * ss_dot(d, across);
}

/*
 * Half the least width: of polyhedra over the normals of their faces, where it is unless two edges
 * are nearer; of others over the axes and diagonals of the shape, within a factor 2 of the truth.
 */
static double thinness_of(const ss_geom *g, int dimension)
{
    double thin = INFINITY;
    if (g->cls->support == NULL) {
        return thin;
    }
    for (int32_t f = 0; g->poly != NULL && f < g->poly->face_count; f++) {
        thin = fmin(thin, half_width(g, g->poly->normals[f]));
    }
    for (int i = 0; g->poly == NULL && i < 27; i++) {
        ss_vec3 d = ss_v3(i % 3 - 1, i / 3 % 3 - 1, dimension == 3 ? i / 9 - 1 : 0);
        if (ss_dot(d, d) > 0) {
            thin = fmin(thin, half_width(g, ss_unit(d)));
        }
    }
    return thin;
}

ss_status ss_geom_add_massive(ss_geom_set *set, const ss_shape_class *cls,
                              const ss_shape_params *params, const ss_frame *at,
                              const ss_polyhedron *poly, const ss_mass *mass)
{
    SS_TRY(make_room(set));
    ss_geom *g = &set->geoms[set->count];
    memset(g, 0, sizeof *g);
    g->cls    = cls;
    g->params = *params;
    g->local  = *at;
    g->poly   = poly;
    g->radius = radius_of(g);
    g->thin   = thinness_of(g, set->dimension);
    if (mass != NULL) {
        ss_mass placed = ss_mass_placed(mass, at);
        ss_mass_accumulate(&set->mass, &placed);
    }
    set->materials[set->count++] = set->material;
    return add_piece(set, g, set->count - 1);
}

ss_status ss_geom_add_inner(ss_geom_set *set, const ss_polyhedron *poly, const ss_frame *at)
{
    ss_geom g    = {.cls = &ss_shape_polygon, .local = *at, .poly = poly};
    ss_mass mass = ss_mass_polyhedron(poly, set->dimension), placed = ss_mass_placed(&mass, at);
    g.radius = radius_of(&g);
    ss_mass_accumulate(&set->mass, &placed);
    return add_piece(set, &g, -1);
}

ss_status ss_geom_add(ss_geom_set *set, const ss_shape_class *cls, const ss_shape_params *params,
                      const ss_frame *at, const ss_polyhedron *poly)
{
    if (cls->mass == NULL) {
        return ss_geom_add_massive(set, cls, params, at, poly, NULL);
    }
    ss_geom g = {.cls = cls, .params = *params, .poly = poly};
    ss_mass mass;
    cls->mass(&g, set->dimension, &mass);
    return ss_geom_add_massive(set, cls, params, at, poly, &mass);
}

ss_frame ss_shape_placement(const ss_shape_def *def)
{
    ss_frame f = {def->position, ss_mat3_from_quat(ss_quat_unit(def->orientation))};
    return f;
}

static ss_status add_shape(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    const ss_shape_class *cls = ss_shape_find(set->ctx, def->type, set->dimension);
    if (cls == NULL) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "there is no %dD shape '%s' (see `stickslip list`)",
                       set->dimension, def->type != NULL ? def->type : "");
    }
    SS_TRY(ss_shape_check(set->ctx, cls, def, set->dimension));
    ss_frame own = ss_shape_placement(def);
    if (set->dimension == 2) {
        own.p.z = 0;
    }
    ss_frame placed = ss_frame_mul(at, &own);
    set->whole++;
    if (cls->build != NULL) {
        return cls->build(set, def, &placed);
    }
    return ss_geom_add(set, cls, &def->params, &placed, NULL);
}

ss_status ss_geom_add_shape(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    const char *outer = set->material;
    if (set->depth == MAX_DEPTH) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "shapes are nested more than %d deep", MAX_DEPTH);
    }
    set->depth++;
    set->material  = def->material != NULL ? def->material : outer;
    ss_status done = add_shape(set, def, at);
    set->material  = outer;
    set->depth--;
    return done;
}

static double extent(double low, double high)
{
    return isfinite(low) && isfinite(high) ? high - low : 0;
}

/* Longest side of the box around all bounded geoms. */
static double size_of(const ss_geom_set *set)
{
    ss_aabb all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, box;
    for (int32_t i = 0; i < set->count; i++) {
        const ss_geom *g = &set->geoms[i];
        if (!isfinite(g->radius)) {
            continue;
        }
        g->cls->bounds(g, &g->local, &box);
        all.low  = ss_v3(fmin(all.low.x, box.low.x), fmin(all.low.y, box.low.y),
                         fmin(all.low.z, box.low.z));
        all.high = ss_v3(fmax(all.high.x, box.high.x), fmax(all.high.y, box.high.y),
                         fmax(all.high.z, box.high.z));
    }
    return fmax(extent(all.low.x, all.high.x),
                fmax(extent(all.low.y, all.high.y), extent(all.low.z, all.high.z)));
}

/* What pieces of one body have to know of each other. */
static ss_status join_pieces(ss_geom_set *set)
{
    ss_aabb *boxes;
    SS_TRY(ss_boxes_of(set, &boxes));
    SS_TRY(ss_find_seams(set, boxes));
    SS_TRY(ss_find_neighbours(set, boxes));
    return ss_find_covers(set, boxes);
}

ss_status ss_geom_build(ss_context *ctx, const ss_shape_def *def, int dimension, ss_geom_set *out)
{
    ss_frame origin = {{0, 0, 0}, ss_mat3_identity()};
    memset(out, 0, sizeof *out);
    out->ctx       = ctx;
    out->dimension = dimension;
    ss_status done = ss_geom_add_shape(out, def, &origin);
    if (done == SS_OK && out->count == 0) {
        done = ss_fail(ctx, SS_ERR_INPUT, "shape '%s' has no parts", def->type);
    }
    if (done == SS_OK) {
        out->size = size_of(out);
        done      = out->count < 2 ? SS_OK : join_pieces(out);
    }
    if (done != SS_OK) {
        ss_geom_free(out);
    }
    return done;
}

void ss_support_bounds(const ss_geom *g, int dimension, const ss_frame *f, ss_aabb *out)
{
    const double *m    = f->R.m;
    bool          flat = dimension == 2;
    ss_vec3 low  = {-ss_far_along(g, -m[0], -m[1], -m[2]), -ss_far_along(g, -m[3], -m[4], -m[5]),
                   flat ? 0 : -ss_far_along(g, -m[6], -m[7], -m[8])};
    ss_vec3 high = {ss_far_along(g, m[0], m[1], m[2]), ss_far_along(g, m[3], m[4], m[5]),
                    flat ? 0 : ss_far_along(g, m[6], m[7], m[8])};
    out->low     = ss_add(f->p, low);
    out->high    = ss_add(f->p, high);
}
