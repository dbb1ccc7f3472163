/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joints that go together. Scenes couple two joints where two bodies move in them, or three and
 * both joints are on one of these, with different axes there (docs/theory/joints.md). Jaws that
 * slide along one line of a palm that moves, or fingers that turn about one axis, need something on
 * the palm to push at: they get a gear there, a body of a thousandth of the follower's mass, across
 * the axis.
 *
 *   lead -> gear by 1/radius,   gear -> follower by ratio x radius      (turning: radius 1)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/robot.h"
#include "import/tolerances.h"

static bool slides(const ss_part_joint *j)
{
    return strcmp(j->type, "prismatic") == 0;
}

static bool has_one_coordinate(const ss_part_joint *j)
{
    return j != NULL && (strcmp(j->type, "revolute") == 0 || slides(j));
}

static const ss_part_joint *joint_named(const ss_robot *r, const char *name)
{
    for (int32_t i = 0; i < r->joint_count; i++) {
        if (strcmp(r->joints[i].name, name) == 0) {
            return &r->joints[i];
        }
    }
    return NULL;
}

/* How many bodies move in two joints. */
static int32_t bodies_in(const ss_part_joint *a, const ss_part_joint *b)
{
    const int32_t body[4] = {a->body[0], a->body[1], b->body[0], b->body[1]};
    int32_t       count   = 0;
    for (int k = 0; k < 4; k++) {
        bool seen = body[k] < 0;
        for (int i = 0; i < k; i++) {
            seen = seen || body[i] == body[k];
        }
        count += !seen;
    }
    return count;
}

/* The body that both joints are on, -1: none. */
static int32_t hub_of(const ss_part_joint *a, const ss_part_joint *b)
{
    for (int k = 0; k < 4; k++) {
        if (a->body[k / 2] >= 0 && a->body[k / 2] == b->body[k % 2]) {
            return a->body[k / 2];
        }
    }
    return -1;
}

/* Do both leave the same motion free? */
static bool one_motion(const ss_part_joint *a, const ss_part_joint *b)
{
    ss_vec3 apart = ss_cross(ss_sub(b->anchor, a->anchor), ss_unit(a->axis));
    bool    along = ss_norm(ss_cross(ss_unit(a->axis), ss_unit(b->axis))) < SS_IMPORT_ONE_AXIS;
    return slides(a) == slides(b) && along && (slides(a) || ss_norm(apart) < SS_IMPORT_ONE_AXIS);
}

static ss_vec3 across(ss_vec3 axis)
{
    ss_vec3 other = fabs(axis.z) < 0.9 ? ss_v3(0, 0, 1) : ss_v3(1, 0, 0);
    return ss_unit(ss_cross(axis, other));
}

/* Of a thousandth of the follower: a disc of that radius, or that part of its largest inertia. */
static void weigh(ss_robot *r, int32_t gear, const ss_part_body *like, double radius, bool turns)
{
    ss_part_body *b       = &r->bodies[gear];
    const double *I       = like->mass.inertia.m;
    double        mass    = SS_IMPORT_BETWEEN * (like->has_mass ? like->mass.mass : SS_IMPORT_MASS);
    double        largest = fmax(I[0], fmax(I[4], I[8]));
    double        inertia = turns && like->has_mass && largest > 0 ? SS_IMPORT_BETWEEN * largest
                                                                   : 0.5 * mass * radius * radius;
    b->mass               = (ss_mass){.mass = mass};
    b->has_mass           = true;
    for (int k = 0; k < 9; k += 4) {
        b->mass.inertia.m[k] = inertia;
    }
}

static void add_gear(ss_robot *r, int32_t follower, int32_t hub)
{
    const ss_part_joint f     = r->joints[follower];
    const int32_t       outer = f.body[0] == hub ? f.body[1] : f.body[0];
    const double        step  = slides(&f) ? SS_IMPORT_RADIUS : 1;
    char                name[256];
    snprintf(name, sizeof name, "%.200s gear", f.name);
    ss_place at  = ss_place_none();
    at.p         = f.anchor;
    int32_t gear = ss_robot_add_body(r, name, hub, at);
    if (gear < 0) {
        return;
    }
    r->bodies[gear].fixed = false;
    weigh(r, gear, &r->bodies[outer], SS_IMPORT_RADIUS, !slides(&f));
    ss_part_joint j = {.name   = name,
                       .type   = "revolute",
                       .body   = {hub, gear},
                       .anchor = f.anchor,
                       .axis   = across(f.axis),
                       .lower  = -INFINITY,
                       .upper  = INFINITY};
    ss_robot_add_joint(r, &j);
    ss_robot_couple(r, name, f.leads, 1 / step);
    ss_robot_couple(r, f.name, name, f.ratio * step);
    ss_robot_note(
        r,
        "joint '%s' follows '%s' along one axis of '%s', which moves: they push at a gear "
        "on it, of a thousandth of what follows",
        f.name, f.leads, r->bodies[hub].name);
}

void ss_robot_add_gears(ss_robot *r)
{
    for (int32_t i = 0, count = r->joint_count; i < count; i++) {
        const ss_part_joint *j    = &r->joints[i];
        const ss_part_joint *lead = j->leads != NULL ? joint_named(r, j->leads) : NULL;
        if (!has_one_coordinate(j) || !has_one_coordinate(lead) || j->ratio == 0 ||
            bodies_in(lead, j) != 3) {
            continue;
        }
        int32_t hub = hub_of(lead, j);
        if (hub >= 0 && one_motion(lead, j)) {
            add_gear(r, i, hub);
        }
    }
}

const ss_part_joint *ss_robot_leader(const ss_robot *r, const ss_part_joint *j, const char **why)
{
    const ss_part_joint *lead  = joint_named(r, j->leads);
    const int32_t        count = lead != NULL ? bodies_in(lead, j) : 0;
    *why                       = lead == NULL ? "that one does not move"
                                 : !has_one_coordinate(j) || !has_one_coordinate(lead)
                                     ? "revolute and prismatic joints can be coupled"
                                 : j->ratio == 0                      ? "its ratio is 0"
                                 : count == 2                         ? NULL
                                 : count == 3 && hub_of(lead, j) >= 0 ? NULL
                                                                      : "the two joints have no body in common";
    return *why == NULL ? lead : NULL;
}
