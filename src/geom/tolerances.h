/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of mesh files, and small numbers of shapes: name, meaning, unit, why this value. */
#ifndef SS_GEOM_TOLERANCES_H
#define SS_GEOM_TOLERANCES_H

enum {
    /* Triangles of a mesh. More is a mistake, not a part. Ten times larger: corners are counted by
     * 32 bits no more. */
    SS_MESH_TRIANGLES_MAX = 20000000,
    /* Bytes of a mesh file: 20 million triangles of binary STL. Ten times larger: read into memory,
     * a wrong file name costs 10 GB. */
    SS_MESH_BYTES_MAX = 1 << 30,
    /* Corners of a face in an OBJ file. */
    SS_MESH_CORNERS_MAX = 256,
    /* What the process that reads COLLADA may use, in seconds. Ten times larger: a hostile file
     * holds the scene up for five minutes. */
    SS_MESH_CHILD_SECONDS = 30,
    /* Solid cells before joining, and convex pieces after it, of one part of a mesh. Ten times
     * more: minutes to cut, and thousands of pairs for every body nearby. */
    SS_CELLS_MAX  = 4000,
    SS_PIECES_MAX = 1000,
    /* Triangles inside the hull that are still cut exactly: seconds. Ten times more: hours. */
    SS_EXACT_MAX = 2000,
    /* Triangles from which on the pieces are kept for the next run: cutting takes longer than
     * reading a file. Ten times more: a second for every run. */
    SS_CACHED_FROM = 500,
    /* Planes tried for a cut, and what a cut triangle costs against one that is on the fuller side.
     * Ten times more: fewer pieces, longer search. */
    SS_CUTS_TRIED     = 64,
    SS_PRICE_OF_A_CUT = 8
};
/*
 * .. and bytes of memory: these, which are enough for a million triangles of a file that says one
 * part many times, so many for each byte of the file (assimp's tree of a file of small elements
 * takes 20), and at most the last. Ten times larger: a file of 3 kB whose nodes contain two of the
 * next, 40 deep, takes 5 GB before it is refused.
 */
#define SS_MESH_CHILD_LEAST    (512ull << 20)
#define SS_MESH_CHILD_PER_BYTE 64ull
#define SS_MESH_CHILD_BYTES    (4ull << 30)

/*
 * Component of a unit direction that is rounding: frames and normals have 1e-16 each. Ten times
 * larger: still far below what a body tilts by in a step; ten times smaller: superellipsoids that
 * roll straight on are pushed beside their middle by the rounding of their quaternions.
 */
#define SS_DIRECTION_ROUNDING 1e-13

/* Unit normals closer to parallel than this do not meet; distances below this part of the size are
   0. Ten times larger: wedges of 1e-8 rad have no edge. */
#define SS_PLANES_PARALLEL 1e-9
#define SS_PLANES_ROUNDING 1e-9

/* A hull that adds less than this part of the volume means that the part was convex. Ten times
   larger: dents of a hundred-thousandth are filled. */
#define SS_CONVEX_ENOUGH 1e-6

/* Products that cutting a part of a mesh may take: a minute or some. Ten times more: a scene that
   hangs is not told from one that loads. */
#define SS_CUT_WORK 1e11

/* Cutting a mesh: distances below this part of its size are none; binary STL files have 6e-8 of
   rounding. Ten times larger: grooves of a millionth are filled. */
#define SS_CUT_ROUNDING 2e-7

/* Seams: how far around a point a face is looked at, in units of what cutting leaves. Ten times
   larger: faces narrower than a ten-thousandth of the body are not told apart. */
#define SS_SEAM_AROUND 32

/* Faces look against each other, and may lie on each other, with a cosine below this. Their corners
   decide; any value between -1 and 0 will do. */
#define SS_SEAM_AGAINST (-0.5)

/* Solids: heights below this part of the size are rounding. Ten times larger: points of contact are
   off by as much. */
#define SS_SOLID_ROUNDING 1e-15

/* Solids: surfaces left at distances that differ by less, relative: they touch there, and the first
   has it. Ten times larger: the same but for parts that are nearly tangent. */
#define SS_SOLID_TIE 1e-12

/* Solids: what a step along a crease has to win of what its slope promises. Ten times larger:
 * shorter steps. */
#define SS_CREASE_GAIN 1e-6

/* Facets and traces of solids: heights below this part of the size are on the surface; corners and
   crease points closer than the last are the same. Ten times larger: small features vanish. */
#define SS_ON_FACET   1e-10
#define SS_ON_TRACE   1e-11
#define SS_SAME_PLACE 1e-8

/* An intersection thinner than this part of its parts' size is empty. Ten times larger: foils
 * vanish. */
#define SS_EMPTY 1e-9

/* Accuracy asked of integrals of mass over the meridians, relative; and of ovals, which are not
   analytic where they cross their planes of symmetry. Ten times larger: masses that much less
   exact. */
#define SS_MASS_ACCURACY 1e-13
#define SS_OVAL_ACCURACY 1e-10

/* Where a meridian changes from one surface to another is found to the first, relative; a part
   shorter than the second is none. Ten times larger: no visible effect on masses. */
#define SS_MERIDIAN_ROUNDING 4e-16
#define SS_MERIDIAN_LEAST    1e-15

/* Coordinates and angles of surfaces closer than this are the same. Ten times larger: nothing
 * visible. */
#define SS_SURFACE_SAME 1e-12

/* The step of differences that tell how a surface bends, as part of its size: truncation and
   rounding of one size. And the step, relative, at which Newton's method for an oval's border has
   ended. */
#define SS_BEND_STEP    1e-5
#define SS_OVAL_SETTLED 1e-16

/* Formulas: second derivatives count as positive when they are not below zero by more than this
   part of their trace. Ten times larger: dents of that curvature pass as convex. */
#define SS_CONVEX_ROUNDING 1e-9

/* Formulas: what is added to the second derivatives on the way to the lowest point, as part of
   their trace, where they may vanish. Ten times larger: a step or two more. */
#define SS_DOWNHILL 1e-3

/* Formulas: the angle between direction and normal, in radians, at which a support point is found.
   Ten times larger: it is off by that angle times the radius of curvature. */
#define SS_BODY_TURN 2e-16

/* Formulas: the least that is added to the curvature in the search for a support point, over the
   size; and the least cosine between direction and normal that a step is divided by, relative to
   the sine. Ten times larger: a step or two more. */
#define SS_BODY_SOFT    1e-12
#define SS_FACING_LEAST 0.1

#endif
