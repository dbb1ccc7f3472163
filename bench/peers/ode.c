/* SPDX-License-Identifier: Apache-2.0 */
/* ODE: dWorldStep (direct, Dantzig) and dWorldQuickStep (sequential, 20 iterations). */
#include <ode/ode.h>
#include <stdarg.h>
#include <stdint.h>
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
    /* contacts of the step, and the forces that their joints get */
    peer_contact   *found;
    dJointFeedback *force;
    int             found_count, found_room;
} ode_world;

static int number_of(dBodyID id)
{
    return id != NULL ? (int)(intptr_t)dBodyGetData(id) : -1;
}

/* Remembers a contact; its normal points into the first body. The feedback of its joint. */
static dJointFeedback *keep_contact(ode_world *w, const dContactGeom *g, dBodyID a, dBodyID b)
{
    if (w->found_count == w->found_room) {
        return NULL;
    }
    peer_contact *c = &w->found[w->found_count];
    c->a            = number_of(b);
    c->b            = number_of(a);
    c->gap          = -g->depth;
    for (int k = 0; k < 3; k++) {
        c->point[k]  = g->pos[k];
        c->normal[k] = g->normal[k];
    }
    return &w->force[w->found_count++];
}

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
        dJointID joint        = dJointCreateContact(w->world, w->contacts, &found[i]);
        dJointAttach(joint, ba, bb);
        if (w->found != NULL) {
            dJointSetFeedback(joint, keep_contact(w, &found[i].geom, ba, bb));
        }
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
    if (body->quat_wxyz[0] != 0) {
        dBodySetQuaternion(id, body->quat_wxyz);
    }
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
        if (w->bodies[i] != NULL) {
            dBodySetData(w->bodies[i], (void *)(intptr_t)i);
        }
    }
    if (world->many) {
        w->found_room = MOST_CONTACTS * world->body_count;
        w->found      = calloc((size_t)w->found_room, sizeof *w->found);
        w->force      = calloc((size_t)w->found_room, sizeof *w->force);
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
    ode_world *w   = engine;
    w->found_count = 0;
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

/* Forces of feedback act on the joint's first body, which is b. */
static int contacts(void *engine, peer_contact *out, int room)
{
    ode_world *w = engine;
    for (int i = 0; i < w->found_count && i < room; i++) {
        peer_state a, b;
        double     impulse[3];
        out[i] = w->found[i];
        /* without a first body ODE swaps the two */
        const dReal *f = out[i].b >= 0 ? w->force[i].f1 : w->force[i].f2;
        for (int k = 0; k < 3; k++) {
            impulse[k] = w->h * f[k];
        }
        get(engine, out[i].a >= 0 ? out[i].a : 0, &a);
        get(engine, out[i].b >= 0 ? out[i].b : 0, &b);
        peer_contact_frame(&out[i], impulse, out[i].a >= 0 ? &a : NULL, out[i].b >= 0 ? &b : NULL);
    }
    return w->found_count;
}

static void destroy(void *engine)
{
    ode_world *w = engine;
    free(w->found);
    free(w->force);
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
    "ode",   settings, sizeof settings / sizeof *settings, create, push, step, get, NULL,
    destroy, contacts};
