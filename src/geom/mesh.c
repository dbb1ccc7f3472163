/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solid bounded by a triangle mesh.
 *
 * Mass properties are those of the mesh itself. For contact, each connected part of the mesh that
 * is not convex is cut into convex pieces (decompose.c), exactly or within an error; the log says
 * into how many. A mesh with an open or doubled edge bounds no volume and is refused. Inner
 * surfaces (cavities) take their volume from the mass and do not take part in contact.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geom/decompose.h"
#include "geom/field_table.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/tolerances.h"

static const ss_field fields[] = {
    SS_MESH_FIELDS(true),
    SS_REAL_FIELD("error", mesh.error, 0, -INFINITY, INFINITY,
                  "how far convex pieces may cover the surface of a mesh that is not convex, in "
                  "metres; 0: they are exact"),
    SS_REAL_FIELD("work_limit", mesh.work_limit, 0, -INFINITY, INFINITY,
                  "products of numbers that cutting a part of it into convex pieces may take, "
                  "counted; 0: 1e11, a minute or some"),
    SS_FIELD_END};

static ss_status check(ss_context *ctx, const ss_shape_def *def, int dimension)
{
    (void)dimension;
    if (def->params.mesh.error < 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape 'mesh': error must be >= 0, got %g",
                       def->params.mesh.error);
    }
    if (def->params.mesh.work_limit < 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape 'mesh': work_limit must be >= 0, got %g",
                       def->params.mesh.work_limit);
    }
    return ss_mesh_scale_check(ctx, def);
}

/* ---- closed? ------------------------------------------------------------------------------- */

typedef struct directed {
    int32_t from, to;
} directed;

static int by_ends(const void *a, const void *b)
{
    const directed *x = a, *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

/* Edges that do not have exactly one neighbour running the other way. */
static int32_t count_open(const directed *edges, size_t count)
{
    int32_t open = 0;
    for (size_t i = 0; i < count; i++) {
        directed back    = {edges[i].to, edges[i].from};
        bool     doubled = (i > 0 && by_ends(&edges[i], &edges[i - 1]) == 0) ||
                       (i + 1 < count && by_ends(&edges[i], &edges[i + 1]) == 0);
        open += doubled || bsearch(&back, edges, count, sizeof *edges, by_ends) == NULL;
    }
    return open;
}

static ss_status check_closed(ss_geom_set *set, const ss_mesh *mesh, const char *path)
{
    size_t    count = 3 * (size_t)mesh->triangle_count;
    directed *edges = ss_alloc(set->ctx, count, sizeof *edges);
    if (edges == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "%s: no memory for the mesh", path);
    }
    for (size_t i = 0; i < count; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        edges[i]    = (directed){mesh->triangles[i], mesh->triangles[next]};
    }
    qsort(edges, count, sizeof *edges, by_ends);
    int32_t open = count_open(edges, count);
    ss_free(set->ctx, edges, count * sizeof *edges);
    if (open > 0 || mesh->triangle_count == 0) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "%s: the mesh is not closed: %d of its %zu triangle sides have no "
                       "neighbour, or more than one; use 'convex' for the hull of its vertices",
                       path, open, count);
    }
    return SS_OK;
}

/* ---- connected parts ------------------------------------------------------------------------ */

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i         = parent[i];
    }
    return i;
}

/* parent[v]: after this, the lowest vertex of the part that v belongs to. */
static void find_parts(const ss_mesh *mesh, int32_t *parent)
{
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        parent[v] = v;
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        for (int i = 1; i < 3; i++) {
            int32_t a             = root_of(parent, mesh->triangles[3 * t]),
                    b             = root_of(parent, mesh->triangles[3 * t + i]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        parent[v] = root_of(parent, v);
    }
}

typedef struct part {
    ss_vec3 *vertices;  /* room for all of the mesh */
    int32_t *triangles; /* room for all of the mesh, in the mesh's numbers */
    int32_t  vertex_count, triangle_count;
} part;

static void collect_part(const ss_mesh *mesh, const int32_t *parent, int32_t root, part *out)
{
    out->vertex_count = out->triangle_count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (parent[v] == root) {
            out->vertices[out->vertex_count++] = mesh->vertices[v];
        }
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        if (parent[mesh->triangles[3 * t]] == root) {
            memcpy(out->triangles + 3 * (size_t)out->triangle_count++, mesh->triangles + 3 * t,
                   3 * sizeof *out->triangles);
        }
    }
}

static void say_how_it_is_cut(ss_geom_set *set, const char *path, int32_t number, double volume,
                              const ss_pieces *pieces)
{
    double sum = 0;
    for (int32_t i = 0; i < pieces->count; i++) {
        sum += ss_mass_polyhedron(pieces->items[i], 3).volume;
    }
    ss_log(set->ctx, SS_LOG_INFO,
           "%s: part %d is not convex: for contact it is %d convex pieces, which cover its surface "
           "by at most %.3g m and have %+.2g %% of its volume more (the mass is that of the mesh)",
           path, number, pieces->count, pieces->covered, 100 * (sum / volume - 1));
}

/* The signed volume of a part's triangles about the first vertex. */
static double signed_volume(const ss_vec3 *v, const int32_t *t, int32_t count)
{
    double six = 0;
    for (int32_t i = 0; i < count; i++) {
        ss_vec3 o = v[t[0]];
        six += ss_dot(ss_sub(v[t[3 * i]], o),
                      ss_cross(ss_sub(v[t[3 * i + 1]], o), ss_sub(v[t[3 * i + 2]], o)));
    }
    return six / 6;
}

/* A part of the mesh as convex pieces: its hull, if that is no larger. */
static ss_status make_convex(ss_geom_set *set, const ss_shape_def *def, const ss_mesh *mesh,
                             const part *of, double volume, int32_t number, ss_pieces *out)
{
    const ss_polyhedron **hull = ss_geom_memory(set, 1, sizeof *hull);
    if (hull == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "%s: no memory for the mesh", def->file);
    }
    SS_TRY(ss_hull_build(set, of->vertices, of->vertex_count, def->file, hull));
    if (ss_mass_polyhedron(*hull, 3).volume <= volume * (1 + SS_CONVEX_ENOUGH)) {
        ss_log(set->ctx, SS_LOG_INFO, "%s: part %d is convex: %d vertices, %d faces", def->file,
               number, (*hull)->vertex_count, (*hull)->face_count);
        *out = (ss_pieces){.items = hull, .count = 1};
        return SS_OK;
    }
    ss_mesh    solid = {mesh->vertices, of->triangles, mesh->vertex_count, of->triangle_count};
    ss_cut_ask ask   = {def->params.mesh.error, def->params.mesh.work_limit, def->file};
    SS_TRY(ss_decompose(set, &solid, *hull, &ask, out));
    say_how_it_is_cut(set, def->file, number, volume, out);
    return SS_OK;
}

static ss_status add_parts(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at,
                           const ss_mesh *mesh, int32_t *parent, part *work)
{
    ss_mass        whole = ss_mass_triangles(mesh->vertices, mesh->triangles, mesh->triangle_count);
    const ss_mass *mass  = &whole;
    int32_t        number = 0;
    find_parts(mesh, parent);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (parent[v] != v) {
            continue;
        }
        collect_part(mesh, parent, v, work);
        double volume = signed_volume(mesh->vertices, work->triangles, work->triangle_count);
        if (work->triangle_count == 0 || !(volume > 0)) {
            continue;
        }
        ss_pieces pieces;
        SS_TRY(make_convex(set, def, mesh, work, volume, ++number, &pieces));
        for (int32_t i = 0; i < pieces.count; i++, mass = NULL) { /* the first carries all mass */
            SS_TRY(ss_geom_add_massive(set, &ss_shape_convex, &(ss_shape_params){.room = {0}}, at,
                                       pieces.items[i], mass));
        }
    }
    return SS_OK;
}

/* A mesh whose triangles all look inwards is turned inside out. */
static ss_status make_outward(ss_geom_set *set, ss_mesh *mesh, const char *path)
{
    double volume = signed_volume(mesh->vertices, mesh->triangles, mesh->triangle_count);
    if (volume == 0) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "%s: the mesh bounds no volume", path);
    }
    if (!isfinite(volume)) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "%s: the mesh is too large for numbers", path);
    }
    if (volume < 0) {
        ss_log(set->ctx, SS_LOG_WARNING, "%s: the triangles look inwards; they are turned round",
               path);
        for (int32_t t = 0; t < mesh->triangle_count; t++) {
            int32_t *v = mesh->triangles + 3 * t, swapped = v[1];
            v[1] = v[2];
            v[2] = swapped;
        }
    }
    return SS_OK;
}

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    ss_mesh mesh = {0};
    SS_TRY(ss_mesh_read(set, def->file, def->scale == 0 ? 1 : def->scale, &mesh));
    SS_TRY(check_closed(set, &mesh, def->file));
    SS_TRY(make_outward(set, &mesh, def->file));
    size_t   vertices = (size_t)mesh.vertex_count, sides = 3 * (size_t)mesh.triangle_count;
    int32_t *parent = ss_geom_memory(set, vertices, sizeof *parent);
    part     work   = {.vertices  = ss_geom_memory(set, vertices, sizeof *work.vertices),
                       .triangles = ss_geom_memory(set, sides, sizeof *work.triangles)};
    if (parent == NULL || work.vertices == NULL || work.triangles == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "%s: no memory for the mesh", def->file);
    }
    return add_parts(set, def, at, &mesh, parent, &work);
}

const ss_shape_class ss_shape_mesh = {
    .name = "mesh", .dimensions = 3, .fields = fields, .check = check, .build = build};
