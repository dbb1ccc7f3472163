/* SPDX-License-Identifier: Apache-2.0 */
#include "runfile/run_describe.h"

#include <math.h>
#include <string.h>

#include "core/constants.h"
#include "core/elementary.h"
#include "force/force.h"
#include "geom/formula_body.h"
#include "geom/solid.h"
#include "joint/joint.h"
#include "model/axes.h"
#include "model/model.h"
#include "stickslip/field.h"
#include "stickslip/scene_file.h"

static void key(ss_buffer *out, const char *name)
{
    ss_buffer_format(out, ",\"%s\":", name);
}

static void put_text(ss_buffer *out, const char *name, const char *text)
{
    key(out, name);
    ss_buffer_quote(out, text);
}

static void put_vec3(ss_buffer *out, const char *name, ss_vec3 v)
{
    key(out, name);
    ss_buffer_numbers(out, &v.x, 3);
}

/* The unit quaternion of a rotation matrix, from its largest component (Shepperd's choice). */
static ss_quat quat_of(const ss_mat3 *R)
{
    const double *m = R->m;
    double t[4] = {m[0] + m[4] + m[8], m[0] - m[4] - m[8], m[4] - m[0] - m[8], m[8] - m[0] - m[4]};
    int    best = 0;
    for (int i = 1; i < 4; i++) {
        best = t[i] > t[best] ? i : best;
    }
    double  s = sqrt(1 + t[best]);
    ss_quat q[4];
    q[0] = (ss_quat){s * s, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    q[1] = (ss_quat){m[7] - m[5], s * s, m[1] + m[3], m[2] + m[6]};
    q[2] = (ss_quat){m[2] - m[6], m[1] + m[3], s * s, m[5] + m[7]};
    q[3] = (ss_quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], s * s};
    return ss_quat_unit(q[best]);
}

/* The numbers of a shape under the names that scenes give them. */
static void put_params(ss_buffer *out, const ss_geom *g)
{
    const size_t start = offsetof(ss_shape_def, params), end = start + sizeof g->params;
    for (const ss_field *f = g->cls->fields; f != NULL && f->name != NULL; f++) {
        if (f->offset < start || f->offset >= end) {
            continue;
        }
        const char *at = (const char *)&g->params + (f->offset - start);
        if (f->type == SS_FIELD_REAL) {
            key(out, f->name);
            ss_buffer_number(out, *(const double *)(const void *)at);
        } else if (f->type == SS_FIELD_VECTOR) {
            put_vec3(out, f->name, *(const ss_vec3 *)(const void *)at);
        }
    }
}

static void put_vertices(ss_buffer *out, const ss_vec3 *vertices, int32_t count)
{
    key(out, "vertices");
    ss_buffer_text(out, "[");
    for (int32_t i = 0; i < count; i++) {
        ss_buffer_format(out, "%s%.17g,%.17g,%.17g", i > 0 ? "," : "", vertices[i].x, vertices[i].y,
                         vertices[i].z);
    }
    ss_buffer_text(out, "]");
}

static void put_faces(ss_buffer *out, const ss_polyhedron *p)
{
    key(out, "faces");
    ss_buffer_text(out, "[");
    for (int32_t f = 0; f < p->face_count; f++) {
        ss_buffer_text(out, f > 0 ? ",[" : "[");
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
            ss_buffer_format(out, "%s%d", k > p->face_start[f] ? "," : "", p->face_vertices[k]);
        }
        ss_buffer_text(out, "]");
    }
    ss_buffer_text(out, "]");
}

/* What is cut from curved shapes, or given by a formula, is drawn as the hull of points on it. */
static void put_solid(ss_buffer *out, const ss_solid *solid)
{
    ss_vec3 points[SS_SOLID_OUTLINE];
    put_vertices(out, points, ss_solid_outline(solid, points, SS_SOLID_OUTLINE));
}

/* A shape of a plug-in is drawn as the hull of points on it, in directions spread evenly. */
static void put_outline(ss_buffer *out, const ss_geom *g, int dimension)
{
    enum { MOST = 400, AROUND = 96 };
    ss_vec3       points[MOST];
    const int32_t count = dimension == 2 ? AROUND : MOST;
    for (int32_t i = 0; i < count; i++) { /* a spiral from pole to pole */
        double z    = dimension == 2 ? 0 : 1 - (2 * i + 1.0) / count;
        double r    = sqrt(1 - z * z);
        double turn = dimension == 2 ? SS_TURN * i / count : SS_GOLDEN_ANGLE * i;
        points[i]   = g->cls->support(g, ss_v3(r * ss_cos(turn), r * ss_sin(turn), z));
    }
    put_vertices(out, points, count);
}

static void put_geom(ss_buffer *out, const ss_model *m, int32_t index)
{
    const ss_geom *g     = ss_model_geom(m, index);
    ss_frame       frame = ss_model_geom_placement(m, index);
    ss_quat        q     = quat_of(&frame.R);
    ss_buffer_format(out, "%s{\"body\":%d", index > 0 ? "," : "", g->body);
    put_text(out, "type", g->cls->name);
    put_vec3(out, "position", frame.p);
    key(out, "quat");
    ss_buffer_numbers(out, &q.w, 4);
    put_params(out, g);
    if (g->cls == &ss_shape_intersection) {
        put_solid(out, g->params.solid);
    }
    if (g->cls == &ss_shape_implicit) {
        put_vertices(out, g->params.formula_body->point, g->params.formula_body->point_count);
    }
    if (!ss_shape_built_in(g->cls) && g->poly == NULL && isfinite(g->radius)) {
        put_outline(out, g, m->dimension);
    }
    if (g->poly != NULL && strcmp(g->cls->name, "box") != 0) {
        put_vertices(out, g->poly->vertices, g->poly->vertex_count);
        if (m->dimension == 3) {
            put_faces(out, g->poly);
        }
    }
    ss_buffer_text(out, "}");
}

static const char *const body_types[] = {"static", "kinematic", "dynamic", "particle"};

const char *ss_run_body_type(const ss_model *m, int32_t body)
{
    return body_types[ss_model_body_type(m, body)];
}

bool ss_run_is_body_type(const char *text)
{
    bool any = false;
    for (size_t i = 0; i < sizeof body_types / sizeof body_types[0]; i++) {
        any = any || strcmp(text, body_types[i]) == 0;
    }
    return any;
}

/* The points on which a planar body lies, in its frame. */
static void put_support(ss_buffer *out, const ss_model *m, int32_t body)
{
    int count = 0;
    for (int32_t i = 0; i < m->support_count; i++) {
        if (m->supports[i].body == body) {
            ss_vec3 p = ss_add(m->supports[i].point, m->bodies[body].com);
            ss_buffer_text(out, count++ == 0 ? ",\"support\":[" : ",");
            ss_buffer_numbers(out, &p.x, 3);
        }
    }
    ss_buffer_text(out, count > 0 ? "]" : "");
}

static void put_body(ss_buffer *out, const ss_model *m, int32_t index)
{
    const ss_body *b = &m->bodies[index];
    ss_buffer_format(out, "%s{\"name\":", index > 0 ? "," : "");
    ss_buffer_quote(out, b->name);
    put_text(out, "type", ss_run_body_type(m, index));
    key(out, "mass");
    ss_buffer_number(out, b->mass);
    if (ss_norm(b->com) > 0) {
        put_vec3(out, "com", b->com);
    }
    if (ss_norm(b->surface_velocity) > 0) {
        put_vec3(out, "surface_velocity", b->surface_velocity);
    }
    put_support(out, m, index);
    ss_buffer_text(out, "}");
}

/* Anchors and axis in the frames of the bodies; in the world where the joint holds on to that. */
static void put_joint(ss_buffer *out, const ss_model *m, int32_t index)
{
    const ss_joint *j = &m->joints[index];
    ss_vec3         anchor[2];
    for (int i = 0; i < 2; i++) {
        anchor[i] = j->at[i].p;
        if (j->body[i] >= 0) {
            anchor[i] = ss_add(anchor[i], m->bodies[j->body[i]].com);
        }
    }
    const double *R = j->at[0].R.m;
    ss_buffer_format(out, "%s{\"bodies\":[%d,%d]", index > 0 ? "," : "", j->body[0], j->body[1]);
    put_text(out, "name", j->name);
    put_text(out, "type", j->cls->name);
    put_vec3(out, "anchor", anchor[0]);
    put_vec3(out, "anchor_b", anchor[1]);
    put_vec3(out, "axis", ss_v3(R[2], R[5], R[8]));
    ss_buffer_format(out, ",\"coordinates\":%d}", ss_joint_form_of(m, j)->coordinates);
}

/* Its points in the frames of the bodies, as those of joints. */
static void put_force(ss_buffer *out, const ss_model *m, int32_t index)
{
    const ss_force *f    = &m->forces[index];
    const int32_t  *body = f->body;
    ss_buffer_format(out, "%s{\"bodies\":[%d,%d]", index > 0 ? "," : "", body[0], body[1]);
    put_text(out, "name", f->name != NULL ? f->name : "");
    put_text(out, "type", f->plugin.name != NULL ? f->plugin.name : f->cls->name);
    for (int side = 0; side < 2; side++) {
        ss_vec3 point = f->point[side];
        put_vec3(out, side == 0 ? "anchor" : "anchor_b",
                 body[side] >= 0 ? ss_add(point, m->bodies[body[side]].com) : point);
    }
    ss_buffer_text(out, "}");
}

static void put_names(ss_buffer *out, const char *name, const char *const *texts, int32_t count)
{
    key(out, name);
    ss_buffer_text(out, "[");
    for (int32_t i = 0; i < count; i++) {
        ss_buffer_text(out, i > 0 ? "," : "");
        ss_buffer_quote(out, texts[i]);
    }
    ss_buffer_text(out, "]");
}

static void put_solvers(ss_buffer *out, const ss_context *ctx)
{
    const char *names[256];
    int32_t     count = 0;
    for (; count < ss_solver_count(ctx) && count < 255; count++) {
        names[count] = ss_solver_at(ctx, count)->name;
    }
    put_names(out, "solvers", names, count);
}

static void put_outcomes(ss_buffer *out)
{
    static const char *const texts[] = {
#define TEXT(code, text) text,
        SS_OUTCOME_LIST(TEXT)
#undef TEXT
    };
    put_names(out, "outcomes", texts, (int32_t)(sizeof texts / sizeof texts[0]));
}

static void put_stages(ss_buffer *out)
{
    static const char *const texts[] = {
#define TEXT(id, text) text,
        SS_STAGE_LIST(TEXT)
#undef TEXT
    };
    put_names(out, "stages", texts, SS_STAGE_COUNT);
}

static void put_model(ss_buffer *out, const ss_simulation_def *s)
{
    key(out, "model");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        char text[64];
        ss_buffer_text(out, i > 0 ? "," : "{");
        ss_buffer_quote(out, ss_axis_at(i)->name);
        ss_buffer_text(out, ":");
        ss_buffer_quote(out, ss_axis_text(ss_axis_at(i), &s->axes, text, sizeof text));
    }
    ss_buffer_format(out, "},\"cone_directions\":%d",
                     ss_cone_axis[s->axes.cone]->flat ? s->axes.cone_directions : 0);
    put_text(out, "solver", s->solver != NULL ? s->solver : "auto");
    key(out, "tolerance");
    ss_buffer_number(out, s->tolerance);
}

/* What the library was built with: enough to build it again. */
static const char *build_text(void)
{
    return
#if defined(__clang__)
        "clang " __clang_version__
#elif defined(__GNUC__)
        "gcc " __VERSION__
#else
        "another compiler"
#endif
#ifdef SS_HAVE_LUA
        ", Lua"
#endif
#ifdef SS_HAVE_HDF5
        ", HDF5"
#endif
#ifdef SS_HAVE_ZLIB
        ", zlib"
#endif
#ifdef SS_HAVE_KLU
        ", KLU"
#endif
        ;
}

static void put_scene(ss_buffer *out, const ss_run_info *info)
{
    ss_buffer_text(out, "\"scene\":{\"name\":");
    ss_buffer_quote(out, info->scene_name);
    put_text(out, "path", info->scene_path);
    put_text(out, "text", info->scene_text);
    put_text(out, "resolved", info->resolved);
    ss_buffer_text(out, "}");
}

void ss_run_describe_parts(ss_buffer *out, const ss_model *m)
{
    ss_buffer_text(out, "\"bodies\":[");
    for (int32_t i = 0; i < m->nb; i++) {
        put_body(out, m, i);
    }
    ss_buffer_text(out, "],\"geoms\":[");
    for (int32_t i = 0; i < m->ng; i++) {
        put_geom(out, m, i);
    }
    ss_buffer_text(out, "],\"joints\":[");
    for (int32_t i = 0; i < m->joint_count; i++) {
        put_joint(out, m, i);
    }
    ss_buffer_text(out, "],\"forces\":[");
    for (int32_t i = 0; i < m->force_count; i++) {
        put_force(out, m, i);
    }
    ss_buffer_text(out, "]}");
}

void ss_run_describe(ss_buffer *out, ss_context *ctx, const ss_run_info *info)
{
    const ss_model *m = info->model;
    ss_buffer_text(out, "{");
    put_scene(out, info);
    ss_buffer_format(out, ",\"dimension\":%d,\"planned\":%lld", m->dimension,
                     (long long)info->steps);
    put_text(out, "version", ss_version());
    put_text(out, "build", build_text());
    key(out, "step");
    ss_buffer_number(out, info->step);
    put_vec3(out, "gravity", m->gravity);
    put_model(out, &m->simulation);
    put_outcomes(out);
    put_solvers(out, ctx);
    put_stages(out);
    ss_buffer_text(out, ",");
    ss_run_describe_parts(out, m);
}
