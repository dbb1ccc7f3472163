/* SPDX-License-Identifier: Apache-2.0 */
/* ODE: dWorldStep (direct, Dantzig) and dWorldQuickStep (sequential, 20 iterations). */
#include <ode/ode.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

enum { DIRECT, QUICK, QUICK_200, MOST_CONTACTS = 16 };

typedef struct ode_world {
    dWorldID      world;
    dSpaceID      space;
    dJointGroupID contacts;
    dBodyID      *bodies;
    double        h, mu;
    int           setting, body_count;
} ode_world;

static void near(void *user, dGeomID a, dGeomID b)
{
    ode_world *w  = user;
    dBodyID    ba = dGeomGetBody(a), bb = dGeomGetBody(b);
    dContact   found[MOST_CONTACTS];
    if (ba == NULL && bb == NULL) {
        return;
    }
    int count = dCollide(a, b, MOST_CONTACTS, &found[0].geom, sizeof *found);
    for (int i = 0; i < count; i++) {
        memset(&found[i].surface, 0, sizeof found[i].surface);
        found[i].surface.mode = dContactApprox1;
        found[i].surface.mu   = w->mu;
        dJointAttach(dJointCreateContact(w->world, w->contacts, &found[i]), ba, bb);
    }
}

static dGeomID make_geom(ode_world *w, const peer_body *body)
{
    const double *s = body->size;
    switch (body->shape) {
    case PEER_PLANE:
        return dCreatePlane(w->space, s[0], s[1], s[2], body->offset);
    case PEER_SPHERE:
        return dCreateSphere(w->space, s[0]);
    case PEER_BOX:
        return dCreateBox(w->space, s[0], s[1], s[2]);
    default:
        return NULL;
    }
}

static dBodyID make_body(ode_world *w, const peer_body *body)
{
    dBodyID       id = dBodyCreate(w->world);
    const double *p = body->position, *v = body->velocity, *s = body->spin, *i = body->inertia3;
    dMass         mass;
    bool          same = i[0] == 0;
    dMassSetParameters(&mass, body->mass, 0, 0, 0, same ? body->inertia : i[0],
                       same ? body->inertia : i[1], same ? body->inertia : i[2], 0, 0, 0);
    dBodySetMass(id, &mass);
    dBodySetPosition(id, p[0], p[1], p[2]);
    dBodySetLinearVel(id, v[0], v[1], v[2]);
    dBodySetAngularVel(id, s[0], s[1], s[2]);
    return id;
}

static void place_geom(dGeomID geom, dBodyID id, const peer_body *body)
{
    const double *at = body->shape_at, *p = body->position;
    if (geom == NULL) {
        return;
    }
    if (id == NULL) {
        if (body->shape != PEER_PLANE) {
            dGeomSetPosition(geom, p[0], p[1], p[2]);
        }
        return;
    }
    dGeomSetBody(geom, id);
    if (at[0] != 0 || at[1] != 0 || at[2] != 0) {
        dGeomSetOffsetPosition(geom, at[0], at[1], at[2]);
    }
}

static void make_hinge(ode_world *w, const peer_hinge *hinge)
{
    dJointID joint = dJointCreateHinge(w->world, NULL);
    dJointAttach(joint, w->bodies[hinge->b], hinge->a < 0 ? NULL : w->bodies[hinge->a]);
    dJointSetHingeAnchor(joint, hinge->anchor[0], hinge->anchor[1], hinge->anchor[2]);
    dJointSetHingeAxis(joint, 0, 1, 0);
}

/* Its solver complains on every step of the hard scenes; the numbers tell. */
static void quiet(int number, const char *format, va_list arguments)
{
    (void)number, (void)format, (void)arguments;
}

static void *create(const peer_world *world, int setting)
{
    ode_world *w = calloc(1, sizeof *w);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dSetMessageHandler(quiet);
    w->world      = dWorldCreate();
    w->space      = world->many ? dHashSpaceCreate(NULL) : dSimpleSpaceCreate(NULL);
    w->contacts   = dJointGroupCreate(0);
    w->bodies     = calloc((size_t)world->body_count, sizeof *w->bodies);
    w->h          = world->h;
    w->mu         = world->mu;
    w->setting    = setting;
    w->body_count = world->body_count;
    dWorldSetGravity(w->world, world->gravity[0], world->gravity[1], world->gravity[2]);
    if (setting == QUICK_200) {
        dWorldSetQuickStepNumIterations(w->world, 200);
    }
    for (int i = 0; i < world->body_count; i++) {
        const peer_body *body = &world->bodies[i];
        w->bodies[i]          = body->mass > 0 ? make_body(w, body) : NULL;
        place_geom(make_geom(w, body), w->bodies[i], body);
    }
    for (int i = 0; i < world->hinge_count; i++) {
        make_hinge(w, &world->hinges[i]);
    }
    return w;
}

static void push(void *engine, int body, const double force[3])
{
    ode_world *w = engine;
    dBodyAddForce(w->bodies[body], force[0], force[1], force[2]);
}

static bool step(void *engine)
{
    ode_world *w = engine;
    dSpaceCollide(w->space, w, near);
    int ok = w->setting == DIRECT ? dWorldStep(w->world, w->h) : dWorldQuickStep(w->world, w->h);
    dJointGroupEmpty(w->contacts);
    return ok != 0;
}

static void copy(double *to, const dReal *from, int count)
{
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

static void get(void *engine, int body, peer_state *out)
{
    ode_world *w = engine;
    memset(out, 0, sizeof *out);
    if (w->bodies[body] != NULL) {
        copy(out->position, dBodyGetPosition(w->bodies[body]), 3);
        copy(out->quat_wxyz, dBodyGetQuaternion(w->bodies[body]), 4);
        copy(out->velocity, dBodyGetLinearVel(w->bodies[body]), 3);
        copy(out->spin, dBodyGetAngularVel(w->bodies[body]), 3);
    }
}

static void destroy(void *engine)
{
    ode_world *w = engine;
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    dCloseODE();
    free(w->bodies);
    free(w);
}

static const peer_setting settings[] = {
    {"direct", (PEER_CAN_ALL_3D | PEER_EXACT)},
    {"quickstep", PEER_CAN_ALL_3D},
    {"quickstep-200", PEER_CAN_ALL_3D},
};

const peer_engine peer_engine_here = {
    "ode", settings, sizeof settings / sizeof *settings, create, push, step, get, NULL, destroy};
