/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the model's axes (axes.h), in the order in which they are listed to users:
 *
 *   AXIS(name, enum, least number it takes or 0, what it means)      name: word in scenes, and of
 * its class
 *
 * A new value is a file with its class (ss_AXIS_NAME), its enum in stickslip/scene.h and a line
 * here. Whoever includes this defines the macros it wants; the others are empty.
 */
#ifndef SS_INERTIA
#define SS_INERTIA(...)
#endif
#ifndef SS_CONE_AXIS
#define SS_CONE_AXIS(...)
#endif
#ifndef SS_GAP
#define SS_GAP(...)
#endif
#ifndef SS_CORNERS
#define SS_CORNERS(...)
#endif
#ifndef SS_JOINTS
#define SS_JOINTS(...)
#endif
#ifndef SS_GEOMETRY
#define SS_GEOMETRY(...)
#endif
#ifndef SS_CONTACT_AXIS
#define SS_CONTACT_AXIS(...)
#endif
#ifndef SS_LEVEL_AXIS
#define SS_LEVEL_AXIS(...)
#endif
#ifndef SS_INTEGRATOR
#define SS_INTEGRATOR(...)
#endif

/* src/inertia/inertia_NAME.c */
SS_INERTIA(dynamic, SS_INERTIA_DYNAMIC, 0, "the bodies' mass matrix and momentum")
SS_INERTIA(quasistatic, SS_INERTIA_QUASISTATIC, 0, "nothing but forces: they balance at every step")
SS_INERTIA(damped, SS_INERTIA_DAMPED, 0, "a damping matrix and no momentum")

/* src/formulate/cone_NAME.c */
SS_CONE_AXIS(quadratic, SS_CONE_QUADRATIC, 0, "Coulomb's cone as it is")
SS_CONE_AXIS(polygon, SS_CONE_POLYGON, 3, "a cone of n friction directions, inside Coulomb's")
SS_CONE_AXIS(box, SS_CONE_BOX, 2,
             "limits along n directions of slip, each way: a cone of 2n sides around Coulomb's")

/* src/rows/gap_NAME.c */
SS_GAP(position, SS_GAP_POSITION, 0, "the gap at the start of the step counts (Stewart-Trinkle)")
SS_GAP(velocity, SS_GAP_VELOCITY, 0,
       "touching contacts drop it (Anitescu-Potra); a solution exists for surfaces at rest or a "
       "pointed friction cone")

/* src/corner/corners_NAME.c */
SS_CORNERS(exact, SS_CORNERS_EXACT, 0, "what slides past an edge is not held by its extension")
SS_CORNERS(convex, SS_CORNERS_CONVEX, 0,
           "all faces in reach hold, extended beyond their edges; for comparison")
SS_CORNERS(complementarity, SS_CORNERS_COMPLEMENTARITY, 0,
           "as exact, by the thesis' complementarity conditions; polygon cones, no joints")

/* src/rows/joints_NAME.c; projected: src/recover/joints_projected.c */
SS_JOINTS(stabilised, SS_JOINTS_STABILISED, 0, "the opening of a joint is closed in the next step")
SS_JOINTS(projected, SS_JOINTS_PROJECTED, 0, "and the bodies are moved onto the joints at its end")
SS_JOINTS(baumgarte, SS_JOINTS_BAUMGARTE, 0, "it decays within some steps, for comparison")

/* src/implicit/geometry_NAME.c */
SS_GEOMETRY(explicit, SS_GEOMETRY_EXPLICIT, 0,
            "gaps, normals and wrenches at the start of the step")
SS_GEOMETRY(implicit, SS_GEOMETRY_IMPLICIT, 0, "at its end: nothing overlaps there; convex shapes")

/* src/compliant/contact_NAME.c */
SS_CONTACT_AXIS(rigid, SS_CONTACT_RIGID, false, "bodies do not give")
SS_CONTACT_AXIS(compliant, SS_CONTACT_COMPLIANT, false,
                "surfaces give by their materials' compliance, down to a rigid core")
SS_CONTACT_AXIS(patch, SS_CONTACT_PATCH, false,
                "as compliant; where faces or edges meet, by many springs over the patch")

/* src/midpoint/integrator_NAME.c */
SS_INTEGRATOR(midpoint, SS_INTEGRATOR_MIDPOINT, 0,
              "second order where nothing happens, the first-order step where something does")
SS_INTEGRATOR(euler, SS_INTEGRATOR_EULER, 0,
              "velocities at the end of the step move the bodies (Stewart-Trinkle as printed)")

/* src/sim/level_impulse.c, src/hybrid/level_acceleration.c */
SS_LEVEL_AXIS(impulse, SS_LEVEL_IMPULSE, 0, "which impulses take velocities over a step")
SS_LEVEL_AXIS(acceleration, SS_LEVEL_ACCELERATION, 0,
              "which forces act at an instant: integrated between events, impacts by impulses")

#undef SS_INERTIA
#undef SS_CONE_AXIS
#undef SS_GAP
#undef SS_CORNERS
#undef SS_JOINTS
#undef SS_GEOMETRY
#undef SS_CONTACT_AXIS
#undef SS_INTEGRATOR
#undef SS_LEVEL_AXIS
