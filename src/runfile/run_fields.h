/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run file holds of every step, described once: the recorder, the reader, the report and
 * docs/reference/run-files.md all follow this list.
 *
 * One row per state (the first is the start of the run) or per contact. A row has a fixed number of
 * columns: `flat` of them in 2D, `solid` in 3D, times the number of bodies, joints, forces or
 * points of support.
 */
#ifndef SS_IO_RUN_FIELDS_H
#define SS_IO_RUN_FIELDS_H

#include <stdint.h>

#include "stickslip/sim.h"

typedef enum ss_run_table {
    SS_TABLE_STEPS,
    SS_TABLE_POSE,
    SS_TABLE_VELOCITY,
    SS_TABLE_CONTACTS,
    SS_TABLE_JOINTS,
    SS_TABLE_FORCES,
    SS_TABLE_SUPPORT,
    SS_TABLE_COUNT
} ss_run_table;

typedef enum ss_run_type { SS_RUN_F64, SS_RUN_I32, SS_RUN_U8 } ss_run_type;
typedef enum ss_run_per {
    SS_PER_ROW,
    SS_PER_BODY,
    SS_PER_JOINT,
    SS_PER_FORCE,
    SS_PER_SUPPORT,
    SS_PER_RANGE,
    SS_PER_VERDICT
} ss_run_per;

/* X(ID, table, path, type, per, flat, solid, unit, meaning) */
#define SS_RUN_FIELD_LIST(X)                                                                       \
    X(T, STEPS, "steps/t", F64, ROW, 1, 1, "s", "time of the state")                               \
    X(H, STEPS, "steps/h", F64, ROW, 1, 1, "s",                                                    \
      "length of the step that led to it; 0 at the start")                                         \
    X(KINETIC, STEPS, "steps/kinetic", F64, ROW, 1, 1, "J", "kinetic energy")                      \
    X(POTENTIAL, STEPS, "steps/potential", F64, ROW, 1, 1, "J", "potential energy")                \
    X(DISSIPATED, STEPS, "steps/dissipated", F64, ROW, 1, 1, "J",                                  \
      "taken by friction, impacts, dampers and drag since the start")                              \
    X(APPLIED, STEPS, "steps/applied", F64, ROW, 1, 1, "J",                                        \
      "put in by pushes, constant forces and controllers since the start")                         \
    X(DRIVEN, STEPS, "steps/driven", F64, ROW, 1, 1, "J",                                          \
      "put in by motors, belts and kinematic bodies since the start")                              \
    X(RESTITUTION, STEPS, "steps/restitution", F64, ROW, 1, 1, "J",                                \
      "given by laws of impact beyond what they took, since the start")                            \
    X(CORRECTIONS, STEPS, "steps/corrections", F64, ROW, 1, 1, "J",                                \
      "by moving overlaps and joints back, since the start")                                       \
    X(INTEGRATION, STEPS, "steps/integration", F64, ROW, 1, 1, "J",                                \
      "error of the time-stepping since the start")                                                \
    X(RESIDUAL, STEPS, "steps/residual", F64, ROW, 1, 1, "",                                       \
      "certificate: worst over the islands")                                                       \
    X(MOTION_ERROR, STEPS, "steps/motion_error", F64, ROW, 1, 1, "",                               \
      "largest motion error of an island (1: what forces change in a step)")                       \
    X(BY_MOTION, STEPS, "steps/by_motion", I32, ROW, 1, 1, "",                                     \
      "islands accepted by their motion error; the others are solved exactly")                     \
    X(PENETRATION, STEPS, "steps/penetration", F64, ROW, 1, 1, "m",                                \
      "deepest overlap at the end of the step, true gaps")                                         \
    X(JOINT_ERROR, STEPS, "steps/joint_error", F64, ROW, 1, 1, "m",                                \
      "widest opening of a joint at the end of the step (angles: at its size)")                    \
    X(SPLITS, STEPS, "steps/splits", I32, ROW, 1, 1, "",                                           \
      "parts beyond the first that the step was cut into")                                         \
    X(BRIDGED, STEPS, "steps/bridged", F64, ROW, 1, 1, "s",                                        \
      "level: acceleration: how long of the step the impulse level took over")                     \
    X(CONTACTS, STEPS, "steps/contacts", I32, ROW, 1, 1, "", "contacts of the step")               \
    X(FIRST, STEPS, "steps/first_contact", I32, ROW, 1, 1, "",                                     \
      "row of the step's first contact in the tables of contacts")                                 \
    X(STICK, STEPS, "steps/stick", I32, ROW, 1, 1, "", "contacts that stick")                      \
    X(SLIP, STEPS, "steps/slip", I32, ROW, 1, 1, "", "contacts that slip")                         \
    X(ITERATIONS, STEPS, "steps/iterations", I32, ROW, 1, 1, "", "of the solver, all islands")     \
    X(WORK, STEPS, "steps/work", F64, ROW, 1, 1, "",                                               \
      "iterations of solvers, and one for each problem, times its rows; all attempts")             \
    X(ISLANDS, STEPS, "steps/islands", I32, ROW, 1, 1, "", "independent problems")                 \
    X(ROWS, STEPS, "steps/rows", I32, ROW, 1, 1, "", "unknowns of all problems together")          \
    X(OUTCOME, STEPS, "steps/outcome", U8, ROW, 1, 1, "",                                          \
      "index into `outcomes` of the description")                                                  \
    X(SOLVER, STEPS, "steps/solver", U8, ROW, 1, 1, "", "index into `solvers` of the description") \
    X(MOTION, STEPS, "steps/motion", U8, ROW, 1, 1, "",                                            \
      "0 unique for the normal forces, 1 not unique (the least was taken), 2 undecided")           \
    X(HOLD, STEPS, "steps/hold", U8, ROW, 1, 1, "",                                                \
      "what the contacts do: 0 untested, 1 free, 2 undecided, 3 jammed, 4 wedged")                 \
    X(FLAGS, STEPS, "steps/flags", U8, ROW, 1, 1, "",                                              \
      "1 certificate failed, 2 not unique, 4 it was cut, 8 fall-back, 16 open corner")             \
    X(STAGE, STEPS, "steps/stage_seconds", F64, ROW, SS_STAGE_COUNT, SS_STAGE_COUNT, "s",          \
      "computing time of each of the `stages` of the description; zero when not measured")         \
    X(UNIQUE, STEPS, "steps/unique", U8, VERDICT, 1, 1, "",                                        \
      "is the motion from the state before the step the only one? 1 yes, 2 no, 3 undecided, 4 "    \
      "not applicable; 0 not asked")                                                               \
    X(FORCES_UNIQUE, STEPS, "steps/forces_unique", U8, VERDICT, 1, 1, "",                          \
      "does it determine the contact forces? as unique")                                           \
    X(STABLE, STEPS, "steps/stable", U8, VERDICT, 1, 1, "",                                        \
      "are the contacts that bear forces stable? as unique")                                       \
    X(SOLUTIONS, STEPS, "steps/solutions", I32, VERDICT, 1, 1, "",                                 \
      "motions from the state before the step; -1 not known")                                      \
    X(ACTIVE, STEPS, "steps/active", I32, VERDICT, 1, 1, "",                                       \
      "contacts that bear forces in the one motion; -1 not known")                                 \
    X(POSITION, POSE, "bodies/position", F64, BODY, 2, 3, "m", "origin of the body frame")         \
    X(QUAT, POSE, "bodies/quat_wxyz", F64, BODY, 0, 4, "", "orientation, w first (3D)")            \
    X(ANGLE, POSE, "bodies/angle", F64, BODY, 1, 0, "rad", "orientation, not wrapped (2D)")        \
    X(VELOCITY, VELOCITY, "bodies/velocity", F64, BODY, 2, 3, "m/s", "of the origin")              \
    X(SPIN, VELOCITY, "bodies/angular_velocity", F64, BODY, 1, 3, "rad/s", "world axes")           \
    X(IDENTITY, CONTACTS, "contacts/identity", I32, ROW, 4, 4, "",                                 \
      "geom and feature of a, geom and feature of b: the same contact keeps its identity")         \
    X(STATE, CONTACTS, "contacts/state", U8, ROW, 1, 1, "", "0 separate, 1 stick, 2 slip")         \
    X(BRANCH, CONTACTS, "contacts/branch", U8, ROW, 1, 1, "",                                      \
      "at corners: 1 this branch acts, 2 it was taken and is idle; 0 no corner")                   \
    X(DIRECTION, CONTACTS, "contacts/direction", I32, ROW, 2, 2, "",                               \
      "at corners: features of a and b whose direction was taken; 0 none of that body")            \
    X(POINT, CONTACTS, "contacts/point", F64, ROW, 3, 3, "m", "where they touch")                  \
    X(NORMAL, CONTACTS, "contacts/normal", F64, ROW, 3, 3, "", "from a to b")                      \
    X(TANGENT, CONTACTS, "contacts/tangent", F64, ROW, 3, 3, "", "t; o = normal x t")              \
    X(GAP, CONTACTS, "contacts/gap", F64, ROW, 1, 1, "m", "at the start of the step")              \
    X(MU, CONTACTS, "contacts/mu", F64, ROW, 1, 1, "", "friction coefficient")                     \
    X(IMPULSE, CONTACTS, "contacts/impulse", F64, ROW, 6, 6, "N s",                                \
      "on b: normal, t, o, torsion, rolling about t and o")                                        \
    X(SLIDING, CONTACTS, "contacts/velocity", F64, ROW, 6, 6, "m/s",                               \
      "relative, at the end of the step, in the order of the impulse")                             \
    X(DEFLECTION, CONTACTS, "contacts/deflection", F64, ROW, 3, 3, "m",                            \
      "of contacts that give, at the end of the step: normal, t, o")                               \
    X(RANGE, CONTACTS, "contacts/range", F64, RANGE, 2, 2, "N s",                                  \
      "least and largest normal impulse with the same motion; nan: not known")                     \
    X(JOINT, JOINTS, "joints/force", F64, JOINT, 6, 6, "N, N m",                                   \
      "on the second body, at its anchor, mean of the step: force x, y, z, torque x, y, z")        \
    X(VALUE, JOINTS, "joints/value", F64, JOINT, 3, 3, "m, rad", "coordinates, 0 beyond the last") \
    X(RATE, JOINTS, "joints/rate", F64, JOINT, 3, 3, "m/s, rad/s", "of the coordinates")           \
    X(FRICTION, JOINTS, "joints/friction", F64, JOINT, 3, 3, "N, N m", "along the coordinates")    \
    X(MOTOR, JOINTS, "joints/motor", F64, JOINT, 3, 3, "N, N m", "along the coordinates")          \
    X(LIMIT, JOINTS, "joints/limit", F64, JOINT, 3, 3, "N, N m", "of the limits")                  \
    X(SPRING, JOINTS, "joints/spring", F64, JOINT, 3, 3, "N, N m", "of springs and dampers")       \
    X(FORCE, FORCES, "forces/force", F64, FORCE, 12, 12, "N, N m",                                 \
      "on the first body at its point: force x, y, z, torque x, y, z; the same on the second")     \
    X(SUPPORT, SUPPORT, "support/force", F64, SUPPORT, 3, 3, "N",                                  \
      "friction along x and y, then the normal force, on the body")

typedef enum ss_run_field_id {
#define SS_FIELD_ID(id, table, path, type, per, flat, solid, unit, doc) SS_RUN_##id,
    SS_RUN_FIELD_LIST(SS_FIELD_ID)
#undef SS_FIELD_ID
        SS_RUN_FIELD_COUNT
} ss_run_field_id;

typedef struct ss_run_field {
    const char  *path; /* in the file: "bodies/position"; the report uses what follows the slash */
    ss_run_table table;
    ss_run_type  type;
    ss_run_per   per;
    int32_t      flat, solid;
    const char  *unit, *doc;
} ss_run_field;

extern const ss_run_field ss_run_fields[SS_RUN_FIELD_COUNT];

/* What the widths of the columns depend on. */
typedef struct ss_run_size {
    int     dimension;
    int32_t bodies, joints, forces, supports;
    int32_t ranges;   /* 1: what contacts may carry is recorded too, 0: not */
    int32_t verdicts; /* 1: so are verdicts of the states, 0: not           */
} ss_run_size;

/* Columns of a field; 0: the run does not have it. */
int32_t ss_run_width(const ss_run_field *f, const ss_run_size *size);
int32_t ss_run_type_size(ss_run_type type);

#endif
