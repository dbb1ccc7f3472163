/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MuJoCo: as it comes (pyramids, soft constraints), and with what it offers against softness: exact
 * cones, the stiffest time constant it allows (two steps), impedance near one, and its no-slip
 * pass.
 *
 * This version keeps all of a world in one buffer whose size in bytes is an int: the squared number
 * of its rows (12 bytes each: A and its columns) and rows times velocities (24: J and its
 * transpose) must stay below 2^31. A pile gets as many rows as fit; contacts that find no place are
 * dropped with a warning, which ends the attempt.
 */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

enum { DEFAULT, STIFF };

typedef struct mujoco_world {
    mjModel *model;
    mjData  *data;
    int     *body_of; /* MuJoCo's number of a body, 0 for fixed ones */
    int     *index;   /* the other way round, -1 for fixed ones      */
    bool     placed;  /* the kinematics of the state were run        */
} mujoco_world;

/* Why the last attempt failed. */
static const char *trouble = NULL;

static const char *tell_trouble(void)
{
    return trouble;
}

typedef struct text {
    char  *chars;
    size_t used, room;
} text;

static void add(text *t, const char *format, ...)
{
    va_list arguments;
    if (t->room - t->used < 1024) {
        t->room  = 2 * t->room + 4096;
        t->chars = realloc(t->chars, t->room);
    }
    va_start(arguments, format);
    t->used += (size_t)vsnprintf(t->chars + t->used, t->room - t->used, format, arguments);
    va_end(arguments);
}

/* The quaternion that turns z into a plane's normal, as its attribute. */
static void add_turn(text *t, const double *n)
{
    if (n[2] > 0.5) {
        add(t, " quat='1 0 0 0'");
    } else {
        double s = sqrt(0.5);
        add(t, " quat='%.17g %.17g %.17g 0'", s, -s * n[1], s * n[0]);
    }
}

static void add_geom(text *t, const peer_body *body)
{
    const double *s = body->size, *at = body->shape_at;
    switch (body->shape) {
    case PEER_PLANE:
        add(t, "<geom type='plane' size='0 0 1' pos='%.17g %.17g %.17g'", body->offset * s[0],
            body->offset * s[1], body->offset * s[2]);
        add_turn(t, s);
        add(t, "/>\n");
        break;
    case PEER_SPHERE:
        add(t, "<geom type='sphere' size='%.17g' pos='%.17g %.17g %.17g'/>\n", s[0], at[0], at[1],
            at[2]);
        break;
    case PEER_BOX:
        add(t, "<geom type='box' size='%.17g %.17g %.17g'/>\n", s[0] / 2, s[1] / 2, s[2] / 2);
        break;
    default:
        break;
    }
}

static void add_inertia(text *t, const peer_body *body)
{
    const double *i = body->inertia3, one = body->inertia;
    bool          same = i[0] == 0;
    add(t, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", body->mass,
        same ? one : i[0], same ? one : i[1], same ? one : i[2]);
}

static void add_body(text *t, const peer_body *body, int index)
{
    const double *p = body->position;
    if (body->mass == 0 && body->shape == PEER_PLANE) {
        add_geom(t, body);
        return;
    }
    const double *q = body->quat_wxyz;
    add(t, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>\n", index,
        p[0], p[1], p[2], q[0] != 0 ? q[0] : 1, q[1], q[2], q[3]);
    if (body->mass > 0) {
        add(t, "<freejoint/>\n");
        add_inertia(t, body);
    }
    add_geom(t, body);
    add(t, "</body>\n");
}

/* Bodies joined by hinges are nested: MuJoCo works in joint coordinates. */
static void add_rods(text *t, const peer_world *w)
{
    for (int i = 0; i < w->body_count; i++) {
        double  zero[3] = {0}, p[3], a[3];
        double *up      = i > 0 ? w->bodies[i - 1].position : zero;
        for (int k = 0; k < 3; k++) {
            p[k] = w->bodies[i].position[k] - up[k];
            a[k] = w->hinges[i].anchor[k] - w->bodies[i].position[k];
        }
        add(t, "<body name='b%d' pos='%.17g %.17g %.17g'>\n", i, p[0], p[1], p[2]);
        add(t, "<joint type='hinge' axis='0 1 0' pos='%.17g %.17g %.17g'/>\n", a[0], a[1], a[2]);
        add_inertia(t, &w->bodies[i]);
    }
    for (int i = 0; i < w->body_count; i++) {
        add(t, "</body>\n");
    }
}

/* Rows that fit into the buffer; 24 contacts of four rows for each body are wanted. */
static int rows_that_fit(const peer_world *w)
{
    const double most = 2.0e9, a = 12, b = 24 * 6.0 * w->body_count, wanted = 96.0 * w->body_count;
    return (int)fmin(wanted, (sqrt(b * b + 4 * a * most) - b) / (2 * a));
}

static void describe(text *t, const peer_world *w, int setting)
{
    const double *g = w->gravity;
    add(t, "<mujoco><compiler inertiafromgeom='false' boundmass='0' angle='radian'/>\n");
    add(t, "<option timestep='%.17g' gravity='%.17g %.17g %.17g'", w->h, g[0], g[1], g[2]);
    if (setting == STIFF) {
        add(t, " cone='elliptic' impratio='100' tolerance='1e-15' noslip_iterations='20'");
    }
    add(t, "/>\n");
    if (w->many) {
        add(t, "<size nconmax='%d' njmax='%d'/>\n", 24 * w->body_count, rows_that_fit(w));
    }
    add(t, "<default><geom condim='3' friction='%.17g 0 0'", w->mu);
    if (setting == STIFF) {
        add(t, " solref='%.17g 1' solimp='0.9999 0.9999 0.001'", 2 * w->h);
    }
    add(t, "/></default>\n<worldbody>\n");
    if (w->hinge_count > 0) {
        add_rods(t, w);
    } else {
        for (int i = 0; i < w->body_count; i++) {
            add_body(t, &w->bodies[i], i);
        }
    }
    add(t, "</worldbody></mujoco>\n");
}

static mjModel *compile(const peer_world *w, int setting)
{
    static mjVFS files; /* large */
    char         error[1000] = "";
    text         t           = {0};
    describe(&t, w, setting);
    mj_defaultVFS(&files);
    mjModel *model = NULL;
    if (mj_makeEmptyFileVFS(&files, "scene.xml", (int)t.used) >= 0) {
        int file = mj_findFileVFS(&files, "scene.xml");
        memcpy(files.filedata[file], t.chars, t.used);
        model = mj_loadXML("scene.xml", &files, error, sizeof error);
    }
    if (model == NULL) {
        fprintf(stderr, "mujoco: %s\n", error);
    }
    mj_deleteVFS(&files);
    free(t.chars);
    return model;
}

/* Warnings would go to a file in the current folder; the numbers tell. */
static void quiet(const char *message)
{
    (void)message;
}

static void *create(const peer_world *world, int setting)
{
    mju_user_warning = quiet;
    mjModel *model   = compile(world, setting);
    trouble          = "no_room";
    if (model == NULL) {
        return NULL;
    }
    mujoco_world *w = calloc(1, sizeof *w);
    w->model        = model;
    w->data         = mj_makeData(model);
    w->body_of      = calloc((size_t)world->body_count, sizeof *w->body_of);
    for (int i = 0; i < world->body_count; i++) {
        const peer_body *body = &world->bodies[i];
        char             name[32];
        snprintf(name, sizeof name, "b%d", i);
        int id        = mj_name2id(model, mjOBJ_BODY, name);
        w->body_of[i] = id > 0 ? id : 0;
        if (id > 0 && body->mass > 0 && world->hinge_count == 0) {
            double *v = w->data->qvel + model->body_dofadr[id];
            memcpy(v, body->velocity, sizeof body->velocity);
            memcpy(v + 3, body->spin, sizeof body->spin);
            if (body->quat_wxyz[0] != 0) { /* free joints turn in axes of the body */
                double back[4];
                mju_negQuat(back, body->quat_wxyz);
                mju_rotVecQuat(v + 3, body->spin, back);
            }
        }
    }
    w->index = calloc((size_t)model->nbody, sizeof *w->index);
    for (int i = 0; i < model->nbody; i++) {
        w->index[i] = -1;
    }
    for (int i = 0; i < world->body_count; i++) {
        if (w->body_of[i] > 0 && world->bodies[i].mass > 0) {
            w->index[w->body_of[i]] = i;
        }
    }
    return w;
}

static void push(void *engine, int body, const double force[3])
{
    mujoco_world *w = engine;
    memcpy(w->data->xfrc_applied + 6 * w->body_of[body], force, 3 * sizeof(double));
}

static bool step(void *engine)
{
    mujoco_world *w = engine;
    mj_step(w->model, w->data);
    w->placed                    = false;
    const mjWarningStat *warning = w->data->warning;
    /* a state that blew up is reset by MuJoCo, with a warning */
    bool unstable = warning[mjWARN_BADQACC].number + warning[mjWARN_BADQPOS].number > 0;
    bool full     = warning[mjWARN_CONTACTFULL].number + warning[mjWARN_CNSTRFULL].number > 0;
    trouble       = unstable ? "unstable" : "no_room";
    return !unstable && !full;
}

static void get(void *engine, int body, peer_state *out)
{
    mujoco_world *w  = engine;
    int           id = w->body_of[body];
    double        v[6], zero[3] = {0};
    /* positions of bodies lag one step behind the state until the kinematics are run */
    if (!w->placed) {
        mj_kinematics(w->model, w->data);
        mj_comPos(w->model, w->data);
        mj_comVel(w->model, w->data);
        w->placed = true;
    }
    mj_objectVelocity(w->model, w->data, mjOBJ_BODY, id, v, 0);
    memcpy(out->position, id > 0 ? w->data->xpos + 3 * id : zero, sizeof out->position);
    memcpy(out->quat_wxyz, w->data->xquat + 4 * id, sizeof out->quat_wxyz);
    memcpy(out->spin, v, sizeof out->spin);
    memcpy(out->velocity, v + 3, sizeof out->velocity);
}

/* The frame of a contact has the normal, from its first geom to its second, in its first row. */
static int contacts(void *engine, peer_contact *out, int room)
{
    mujoco_world *w = engine;
    for (int i = 0; i < w->data->ncon && i < room; i++) {
        const mjContact *c = &w->data->contact[i];
        double           force[6], impulse[3] = {0};
        peer_state       a, b;
        out[i].a   = w->index[w->model->geom_bodyid[c->geom1]];
        out[i].b   = w->index[w->model->geom_bodyid[c->geom2]];
        out[i].gap = c->dist;
        mj_contactForce(w->model, w->data, i, force);
        for (int k = 0; k < 3; k++) {
            out[i].point[k]  = c->pos[k];
            out[i].normal[k] = c->frame[k];
            for (int row = 0; row < 3; row++) {
                impulse[k] += w->model->opt.timestep * force[row] * c->frame[3 * row + k];
            }
        }
        get(engine, out[i].a >= 0 ? out[i].a : 0, &a);
        get(engine, out[i].b >= 0 ? out[i].b : 0, &b);
        peer_contact_frame(&out[i], impulse, out[i].a >= 0 ? &a : NULL, out[i].b >= 0 ? &b : NULL);
    }
    return w->data->ncon;
}

static void destroy(void *engine)
{
    mujoco_world *w = engine;
    free(w->index);
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    free(w->body_of);
    free(w);
}

static const peer_setting settings[] = {
    {"default", PEER_CAN_ALL_3D},
    {"stiff", PEER_CAN_ALL_3D},
};

const peer_engine peer_engine_here = {"mujoco", settings, 2,       create,   push,        step,
                                      get,      NULL,     destroy, contacts, tell_trouble};
