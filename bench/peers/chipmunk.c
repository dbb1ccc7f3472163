/* SPDX-License-Identifier: Apache-2.0 */
/* Chipmunk, in two dimensions. */
#include <chipmunk/chipmunk.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

typedef struct chipmunk_world {
    cpSpace  *space;
    cpBody  **bodies;
    cpShape **shapes;
    int       count;
    double    h;
} chipmunk_world;

static cpBody *make_body(cpSpace *space, const peer_body *body)
{
    cpBody *id = cpSpaceAddBody(space, cpBodyNew(body->mass, body->inertia));
    cpBodySetPosition(id, cpv(body->position[0], body->position[1]));
    cpBodySetVelocity(id, cpv(body->velocity[0], body->velocity[1]));
    cpBodySetAngularVelocity(id, body->spin[2]);
    return id;
}

/* A half plane becomes a segment, long enough for every scene. */
static cpShape *make_shape(cpBody *id, const peer_body *body)
{
    const double *s = body->size;
    switch (body->shape) {
    case PEER_PLANE: {
        cpVect at = cpv(body->offset * s[0], body->offset * s[1]), along = cpv(-s[1], s[0]);
        return cpSegmentShapeNew(id, cpvadd(at, cpvmult(along, 1e3)),
                                 cpvadd(at, cpvmult(along, -1e3)), 0);
    }
    case PEER_SPHERE:
        return cpCircleShapeNew(id, s[0], cpvzero);
    default:
        return cpBoxShapeNew(id, s[0], s[1], 0);
    }
}

static void *create(const peer_world *world, int setting)
{
    chipmunk_world *w = calloc(1, sizeof *w);
    (void)setting;
    w->space  = cpSpaceNew();
    w->bodies = calloc((size_t)world->body_count, sizeof(cpBody *));
    w->shapes = calloc((size_t)world->body_count, sizeof(cpShape *));
    w->count  = world->body_count;
    w->h      = world->h;
    cpSpaceSetGravity(w->space, cpv(world->gravity[0], world->gravity[1]));
    for (int i = 0; i < w->count; i++) {
        const peer_body *body  = &world->bodies[i];
        bool             fixed = body->mass == 0;
        w->bodies[i]           = fixed ? cpSpaceGetStaticBody(w->space) : make_body(w->space, body);
        w->shapes[i]           = cpSpaceAddShape(w->space, make_shape(w->bodies[i], body));
        /* coefficients of two shapes are multiplied */
        cpShapeSetFriction(w->shapes[i], fixed ? 1 : world->mu);
    }
    return w;
}

static void push(void *engine, int body, const double force[3])
{
    chipmunk_world *w = engine;
    cpBodySetForce(w->bodies[body], cpv(force[0], force[1]));
}

static bool step(void *engine)
{
    chipmunk_world *w = engine;
    cpSpaceStep(w->space, w->h);
    return true;
}

static void get(void *engine, int body, peer_state *out)
{
    chipmunk_world *w = engine;
    cpVect          p = cpBodyGetPosition(w->bodies[body]), v = cpBodyGetVelocity(w->bodies[body]);
    double          half = 0.5 * cpBodyGetAngle(w->bodies[body]);
    *out                 = (peer_state){{p.x, p.y, 0},
                                        {cpfcos(half), 0, 0, cpfsin(half)},
                                        {v.x, v.y, 0},
                                        {0, 0, cpBodyGetAngularVelocity(w->bodies[body])}};
}

static void destroy(void *engine)
{
    chipmunk_world *w      = engine;
    cpBody         *ground = cpSpaceGetStaticBody(w->space);
    for (int i = 0; i < w->count; i++) {
        cpSpaceRemoveShape(w->space, w->shapes[i]);
        cpShapeFree(w->shapes[i]);
        if (w->bodies[i] != ground) {
            cpSpaceRemoveBody(w->space, w->bodies[i]);
            cpBodyFree(w->bodies[i]);
        }
    }
    cpSpaceFree(w->space);
    free(w->bodies);
    free(w->shapes);
    free(w);
}

static const peer_setting settings[] = {{"default", PEER_CAN_2D}};

const peer_engine peer_engine_here = {"chipmunk", settings, 1,    create, push,
                                      step,       get,      NULL, destroy};
