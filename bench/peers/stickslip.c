/* SPDX-License-Identifier: Apache-2.0 */
/* stickslip itself, through its public interface: exact cones (the default model), and pyramids. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "stickslip/stickslip.h"

enum { QUADRATIC, POLYGON, PROJECTED, MOTION_1, MOTION_2, MOTION_3 };

typedef struct own_world {
    ss_context *ctx;
    ss_scene   *scene;
    ss_model   *model;
    ss_data    *data;
    double      h;
} own_world;

static ss_vec3 vec(const double *v)
{
    return ss_v3(v[0], v[1], v[2]);
}

static bool fine(const own_world *w, ss_status status)
{
    if (status != SS_OK) {
        fprintf(stderr, "stickslip: %s\n", ss_context_message(w->ctx));
    }
    return status == SS_OK;
}

static ss_shape_def make_shape(const peer_world *world, const peer_body *body)
{
    bool         flat  = world->dimension == 2;
    ss_shape_def shape = {.position = vec(body->shape_at)};
    switch (body->shape) {
    case PEER_PLANE:
        shape.type                = flat ? "halfplane" : "plane";
        shape.params.plane.normal = vec(body->size);
        shape.params.plane.offset = body->offset;
        break;
    case PEER_SPHERE:
        shape.type                 = flat ? "disc" : "sphere";
        shape.params.sphere.radius = body->size[0];
        break;
    case PEER_BOX:
        shape.type            = "box";
        shape.params.box.size = vec(body->size);
        break;
    default:
        break;
    }
    return shape;
}

static ss_mat3 make_inertia(const peer_body *body)
{
    const double *i = body->inertia3, s = body->inertia;
    ss_mat3 m = {{i[0] > 0 ? i[0] : s, 0, 0, 0, i[0] > 0 ? i[1] : s, 0, 0, 0, i[0] > 0 ? i[2] : s}};
    return m;
}

static bool add_body(own_world *w, const peer_world *world, int index)
{
    const peer_body *body  = &world->bodies[index];
    ss_shape_def     shape = make_shape(world, body);
    ss_body_def      def   = ss_body_def_default();
    char             name[32];
    snprintf(name, sizeof name, "body%d", index);
    def.name             = name;
    def.type             = body->mass > 0 ? SS_BODY_DYNAMIC : SS_BODY_STATIC;
    def.shape            = shape.type != NULL ? &shape : NULL;
    def.position         = vec(body->position);
    def.velocity         = vec(body->velocity);
    def.angular_velocity = vec(body->spin);
    const double *q      = body->quat_wxyz;
    def.orientation      = (ss_quat){q[0], q[1], q[2], q[3]};
    if (body->mass > 0) {
        def.mass        = body->mass;
        def.inertia_set = true;
        def.inertia     = make_inertia(body);
        def.com_set     = true;
    }
    return fine(w, ss_scene_add_body(w->scene, &def, NULL));
}

static bool add_hinge(own_world *w, const peer_hinge *hinge)
{
    ss_joint_def def = {.type = "revolute"};
    char         name[32], a[32] = "world", b[32];
    snprintf(name, sizeof name, "hinge%d", hinge->b);
    snprintf(b, sizeof b, "body%d", hinge->b);
    if (hinge->a >= 0) {
        snprintf(a, sizeof a, "body%d", hinge->a);
    }
    def.name       = name;
    def.bodies[0]  = a;
    def.bodies[1]  = b;
    def.anchor     = vec(hinge->anchor);
    def.anchor_set = true;
    def.axis       = ss_v3(0, 1, 0);
    return fine(w, ss_scene_add_joint(w->scene, &def));
}

static bool describe(own_world *w, const peer_world *world, int setting)
{
    if (!fine(w, ss_scene_create(w->ctx, world->dimension, &w->scene))) {
        return false;
    }
    ss_simulation_def sim = ss_simulation_def_default();
    if (setting == PROJECTED) {
        sim.axes.joints = SS_JOINTS_PROJECTED;
    }
    if (setting == POLYGON) {
        sim.axes.cone            = SS_CONE_POLYGON;
        sim.axes.cone_directions = 4;
        sim.solver               = "lemke";
    }
    if (setting >= MOTION_1) {
        static const double errors[] = {1e-1, 1e-2, 1e-3};
        sim.accuracy                 = SS_ACCURACY_MOTION;
        sim.motion                   = errors[setting - MOTION_1];
    }
    ss_material_def material = {.name = "default", .friction = world->mu};
    bool            ok       = fine(w, ss_scene_set_simulation(w->scene, &sim)) &&
              fine(w, ss_scene_add_material(w->scene, &material));
    ss_scene_set_gravity(w->scene, vec(world->gravity));
    for (int i = 0; ok && i < world->body_count; i++) {
        ok = add_body(w, world, i);
    }
    for (int i = 0; ok && i < world->hinge_count; i++) {
        ok = add_hinge(w, &world->hinges[i]);
    }
    return ok;
}

static void destroy(void *engine)
{
    own_world *w = engine;
    ss_data_destroy(w->data);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
    ss_context_destroy(w->ctx);
    free(w);
}

static void *create(const peer_world *world, int setting)
{
    own_world *w = calloc(1, sizeof *w);
    w->ctx       = ss_context_create(NULL);
    w->h         = world->h;
    if (!describe(w, world, setting) || !fine(w, ss_model_compile(w->ctx, w->scene, &w->model)) ||
        !fine(w, ss_data_create(w->ctx, w->model, &w->data))) {
        destroy(w);
        return NULL;
    }
    return w;
}

static void push(void *engine, int body, const double force[3])
{
    own_world *w = engine;
    (void)ss_data_push(w->model, w->data, body, vec(force), ss_v3(0, 0, 0));
}

static bool step(void *engine)
{
    own_world *w = engine;
    return fine(w, ss_step(w->model, w->data, w->h));
}

static void put(double *to, ss_vec3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static void get(void *engine, int body, peer_state *out)
{
    own_world    *w = engine;
    ss_body_state x;
    ss_data_body(w->model, w->data, body, &x);
    put(out->position, x.position);
    put(out->velocity, x.velocity);
    put(out->spin, x.angular_velocity);
    out->quat_wxyz[0] = x.quat_wxyz.w;
    out->quat_wxyz[1] = x.quat_wxyz.x;
    out->quat_wxyz[2] = x.quat_wxyz.y;
    out->quat_wxyz[3] = x.quat_wxyz.z;
}

static double residual(void *engine)
{
    own_world *w = engine;
    return ss_data_report(w->data)->residual;
}

static int contacts(void *engine, peer_contact *out, int room)
{
    own_world *w     = engine;
    int32_t    count = ss_data_contact_count(w->data);
    for (int32_t i = 0; i < count && i < room; i++) {
        ss_contact_info c;
        ss_data_contact(w->model, w->data, i, &c);
        out[i].a   = c.body_a;
        out[i].b   = c.body_b;
        out[i].gap = c.gap;
        put(out[i].point, c.point);
        put(out[i].normal, c.normal);
        memcpy(out[i].impulse, c.impulse, sizeof out[i].impulse);
        memcpy(out[i].velocity, c.velocity, sizeof out[i].velocity);
    }
    return count;
}

static const peer_setting settings[] = {
    {"quadratic", PEER_CAN_ALL_3D | PEER_CAN_2D},
    {"polygon4", PEER_CAN_3D | PEER_CAN_2D | PEER_CAN_BOXES},
    {"joints-projected", PEER_CAN_HINGES},
    {"motion-0.1", PEER_CAN_3D | PEER_CAN_PILES | PEER_CAN_BOX_PILES},
    {"motion-0.01", PEER_CAN_3D | PEER_CAN_PILES | PEER_CAN_BOX_PILES},
    {"motion-0.001", PEER_CAN_3D | PEER_CAN_PILES | PEER_CAN_BOX_PILES},
};

const peer_engine peer_engine_here = {"stickslip", settings, sizeof settings / sizeof *settings,
                                      create,      push,     step,
                                      get,         residual, destroy,
                                      contacts,    NULL};
