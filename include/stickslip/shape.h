/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes: what a scene may give a body, and what the writer of a new shape fills in.
 *
 * A shape lives in its own coordinates and is placed in the body by a frame. To add one: a file in
 * src/geom with an ss_shape_class, a line in src/geom/shape_list.h, and, where the general convex
 * routine is not exact for it, its row in the pair table of src/collide.
 */
#ifndef STICKSLIP_SHAPE_H
#define STICKSLIP_SHAPE_H

#include <stdbool.h>

#include "stickslip/base.h"
#include "stickslip/field.h"
#include "stickslip/math3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of a shape. Which member counts is told by the class; lengths in metres. */
typedef union ss_shape_params {
    struct {
        ss_vec3 normal; /* out of the solid, any length > 0; 2D: z = 0          */
        double  offset; /* the surface is normal.x = offset (normal made unit)  */
    } plane;            /* plane (3D), halfplane (2D)                           */
    struct {
        double radius;
    } sphere; /* sphere (3D), disc (2D) */
    struct {
        ss_vec3 size; /* full edge lengths; 2D: z ignored */
    } box;            /* box (3D and 2D)                  */
    struct {
        double radius, length; /* length: of the cylindrical part, along z */
    } capsule;                 /* capsule, cylinder                        */
    struct {
        ss_vec3 radii;
        double  e1, e2; /* exponents of the superellipsoid, 1 for ellipsoids */
    } ellipsoid;        /* ellipsoid, superellipsoid (3D), superellipse (2D) */
    struct {
        double error;      /* of convex pieces, metres; 0: exact               */
        double work_limit; /* products that cutting into them may take; 0: 1e11 */
    } mesh;
    const char                   *formula; /* implicit: of x, y (and z), as it is described     */
    const struct ss_solid        *solid;   /* intersection with curved parts, after compilation */
    const struct ss_formula_body *formula_body; /* implicit, after compilation           */
    double                        room[8];      /* size of the union; room for shapes to come */
} ss_shape_params;

/* A shape as a scene describes it. Zero is a valid start for every field not needed. */
typedef struct ss_shape_def {
    const char     *type; /* "sphere", "box", ...                                     */
    ss_shape_params params;
    ss_vec3         position;    /* of the shape in the body frame                           */
    ss_quat         orientation; /* all zero means the identity                              */
    const ss_vec3  *points;      /* convex, polygon, points: vertices; implicit: bounds      */
    int32_t         point_count;
    const char     *file;             /* convex, mesh: file to read the vertices from             */
    double          scale;            /* of the file's lengths; 0 means 1                         */
    const struct ss_shape_def *parts; /* union, intersection                                */
    int32_t                    part_count;
    const char *material; /* NULL: the body's                                         */
} ss_shape_def;

/* Mass properties at unit density: volume (2D: area), centre, inertia about the centre. */
typedef struct ss_mass {
    double  volume;
    ss_vec3 centre;
    ss_mat3 inertia; /* 2D: only the zz entry counts */
} ss_mass;

struct ss_shape_class;

/* A face of another piece of the body lies on a face of this one (src/geom/seam.h). */
typedef struct ss_seam {
    int32_t               face;     /* of this piece */
    int32_t               behind;   /* of the other  */
    int32_t               planes;   /* of the other, in the coordinates of this one */
    const ss_vec3        *normals;  /* (planes) */
    const double         *offsets;  /* (planes) */
    const int32_t        *plane;    /* (planes) as ss_polyhedron.plane, of the other */
    double                rounding; /* lengths below this are none */
    const struct ss_seam *next;
} ss_seam;

/* Another piece of the body that has points in common with this one, in its coordinates. */
typedef struct ss_joined {
    int32_t                 planes;
    const ss_vec3          *normals; /* (planes) */
    const double           *offsets; /* (planes) */
    bool                    inner;   /* nothing touches it: all around it are seams */
    const struct ss_joined *next;
} ss_joined;

/* Vertices, faces and edges of a convex polyhedron (3D) or polygon (2D), made at compile time. */
/*
 * Where the surface of a body of several pieces goes on (src/geom/neighbour.h): onward, flush and
 * rising faces of neighbours follow those of the piece in normals, offsets, face_start,
 * face_vertices and face_ids, their corners follow its vertices. All 0: there are none.
 */
typedef struct ss_joined_faces {
    int32_t onward_end, flush_end, rising_end; /* each begins where the one before ends */
    double  rounding;                          /* lengths below it are none             */
} ss_joined_faces;

typedef struct ss_polyhedron {
    int32_t        vertex_count, face_count, edge_count;
    ss_vec3        centre; /* mean of the vertices: inside */
    const ss_vec3 *vertices;
    const ss_vec3 *normals;    /* (face_count) outward unit normals; 2D: of the edges      */
    const double  *offsets;    /* (face_count) normal.x = offset on the face               */
    const int32_t *face_start; /* (face_count + 1) into face_vertices, counter-clockwise   */
    const int32_t *face_vertices;
    const int32_t *edges; /* (4 edge_count) vertex, vertex, face, face; 2D: none           */
    /* A piece of a nonconvex polygon or mesh: numbers in the whole. The faces of a cut are -1;
     * vertex i is written -1 - i in all pieces but the first that has it, which speaks for it.
     * NULL: a whole body, numbered by itself. */
    const int32_t   *vertex_ids, *face_ids;
    const ss_seam   *seams;  /* with other pieces of the body; NULL: none */
    const ss_joined *joined; /* the other pieces of the body that touch it */
    const int32_t   *plane;  /* (face_count) the first face that lies in the plane of each; only of
                                pieces of a body of several, otherwise NULL */
    ss_joined_faces neighbours;
} ss_polyhedron;

/* A flat face of another piece that touches a piece from above, in the coordinates of the piece
   (src/geom/cover.h): a polygon, or without corners a circle about `at`. */
typedef struct ss_cover {
    ss_vec3                normal, at; /* `at` lies in its plane              */
    int32_t                count;      /* of corners, counter-clockwise       */
    const ss_vec3         *corners;
    double                 radius, rounding; /* lengths below this are none   */
    const struct ss_cover *next;
} ss_cover;

/* A shape after compilation: convex or a plane; nonconvex bodies have several. */
typedef struct ss_geom {
    const struct ss_shape_class *cls;
    ss_shape_params              params;
    ss_frame                     local;  /* placement in the body's centre-of-mass frame   */
    const ss_polyhedron         *poly;   /* polyhedral shapes, otherwise NULL              */
    double                       radius; /* of a sphere about local.p that holds it, or INFINITY */
    double          thin;     /* half its least width, about; 0: a point, INFINITY: a plane */
    int32_t         body;     /* index of the body                              */
    int32_t         material; /* index of the material                          */
    bool            centred;  /* local is the identity                          */
    const ss_cover *covers;   /* faces of other pieces of the body, NULL: none  */
} ss_geom;

struct ss_geom_set; /* what a description compiles to (src/geom/geom.h) */

typedef struct ss_shape_class {
    const char     *name;
    int             dimensions; /* 2, 3, or 5 (= 2 + 3) for both                              */
    const ss_field *fields;     /* parameters, for scene files, checks and docs               */
    /* What the fields' ranges cannot say; SS_ERR_INPUT with a message that names the parameter.
     * NULL: nothing. Ranges, and that a required field is there, are checked before. */
    ss_status (*check)(ss_context *ctx, const ss_shape_def *def, int dimension);
    /* Add the geoms (and polyhedra) that the shape, placed at `at` in the body, consists of.
     * NULL: one geom of this class with the parameters as they are. */
    ss_status (*build)(struct ss_geom_set *set, const ss_shape_def *def, const ss_frame *at);
    /* Box in the world of the shape at frame f. NULL: the shape only builds geoms of others. */
    void (*bounds)(const ss_geom *g, const ss_frame *f, ss_aabb *out);
    /* The point of the shape furthest in direction d, both in shape coordinates. NULL: none. */
    ss_vec3 (*support)(const ss_geom *g, ss_vec3 d);
    /* Of a sphere about the shape's origin that holds it. NULL: from the polyhedron, or INFINITY.
     */
    double (*radius)(const ss_geom *g);
    /* Mass properties in shape coordinates. NULL: massless or infinite (plane, point). */
    void (*mass)(const ss_geom *g, int dimension, ss_mass *out);
    /* Of a shape with nearly flat places, where support points jump with the rounding of d: the
     * point of its surface on the ray from its origin along t, and the outward normal there (unit).
     * NULL: support points tell as much. */
    ss_vec3 (*surface)(const ss_geom *g, ss_vec3 t, ss_vec3 *normal);
} ss_shape_class;

/* The shapes: built-in ones first, then those that were registered with the context, whose structs
   have to live as long as it; a context of NULL knows the built-in ones. */
SS_API ss_status             ss_shape_register(ss_context *ctx, const ss_shape_class *cls);
SS_API int32_t               ss_shape_count(const ss_context *ctx);
SS_API const ss_shape_class *ss_shape_at(const ss_context *ctx, int32_t index);
SS_API const ss_shape_class *ss_shape_find(const ss_context *ctx, const char *name, int dimension);
/* Is it one of the library's own? */
SS_API bool ss_shape_built_in(const ss_shape_class *cls);
/* Fields that every shape has besides its own: position, quat_wxyz (3D) or angle (2D), material. */
SS_API const ss_field *ss_shape_common_fields(void);

#ifdef __cplusplus
}
#endif
#endif
