/* SPDX-License-Identifier: Apache-2.0 */
#include "stickslip/import.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "import/xml.h"

struct ss_import {
    ss_robot    robot;
    ss_buffer   scene;
    const char *format;
};

static const struct {
    const char *root, *format;
    ss_status (*read)(ss_robot *r, xmlNode *root);
} formats[] = {{"robot", "URDF", ss_import_urdf},
               {"mujoco", "MJCF", ss_import_mjcf},
               {"sdf", "SDF", ss_import_sdf}};

/* Meshes are named from the file's folder; a scene may be written elsewhere. */
static ss_status place_meshes(ss_robot *r)
{
    char       *whole  = realpath(r->path, NULL);
    const char *slash  = whole != NULL ? strrchr(whole, '/') : NULL;
    ss_status   status = SS_OK;
    for (int32_t i = 0; i < r->part_count && slash != NULL && status == SS_OK; i++) {
        const char *file = r->parts[i].file;
        if (file == NULL || file[0] == '/') {
            continue;
        }
        size_t folder = (size_t)(slash - whole) + 1;
        char  *path   = ss_pool_alloc(&r->pool, folder + strlen(file) + 1, 1);
        if (path == NULL) {
            status = ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->path);
            break;
        }
        memcpy(path, whole, folder);
        memcpy(path + folder, file, strlen(file) + 1);
        r->parts[i].file = path;
    }
    free(whole);
    return status;
}

static ss_status read_document(ss_import *i, xmlDocPtr doc)
{
    ss_robot *r    = &i->robot;
    xmlNode  *root = xmlDocGetRootElement(doc);
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        if (ss_xml_is(root, formats[k].root)) {
            i->format = formats[k].format;
            SS_TRY(formats[k].read(r, root));
            SS_TRY(ss_robot_check_set(r));
            SS_TRY(ss_robot_merge(r));
            SS_TRY(place_meshes(r));
            return ss_robot_write(r, &i->scene);
        }
    }
    return ss_fail(
        r->ctx, SS_ERR_INPUT,
        "%s: its root element is <%s>; <robot> (URDF), <mujoco> (MJCF) and <sdf> (SDF) are read",
        r->path, root != NULL ? (const char *)root->name : "");
}

ss_status ss_import_read(ss_context *ctx, const char *path, const ss_import_def *def,
                         ss_import **out)
{
    xmlDocPtr doc = NULL;
    if (ctx == NULL || path == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT,
                       "an import needs a context, a path and a place for it");
    }
    *out         = NULL;
    ss_import *i = ss_alloc(ctx, 1, sizeof *i);
    if (i == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    i->robot = (ss_robot){.ctx = ctx, .pool = {.ctx = ctx}, .path = path, .gravity = {0, 0, -9.81}};
    ss_buffer_start(&i->scene, ctx);
    if (def != NULL) {
        i->robot.set_names  = (const char **)def->joints;
        i->robot.set_values = def->values;
        i->robot.set_count  = def->joint_count;
        i->robot.free_base  = def->free_base;
    }
    ss_status status = ss_xml_read(&i->robot, path, &doc);
    if (status == SS_OK) {
        status = read_document(i, doc);
        xmlFreeDoc(doc);
    }
    if (status != SS_OK) {
        ss_import_destroy(i);
        return status;
    }
    ss_buffer_add(&i->scene, "", 1); /* a text ends in a zero */
    *out = i;
    return ss_buffer_status(&i->scene);
}

const char *ss_import_scene(const ss_import *i)
{
    return i->scene.bytes;
}

const char *ss_import_format(const ss_import *i)
{
    return i->format;
}

int32_t ss_import_note_count(const ss_import *i)
{
    return i->robot.note_count;
}

const char *ss_import_note(const ss_import *i, int32_t index)
{
    return index >= 0 && index < i->robot.note_count ? i->robot.notes[index] : NULL;
}

void ss_import_destroy(ss_import *i)
{
    if (i != NULL) {
        ss_context *ctx = i->robot.ctx;
        ss_buffer_release(&i->scene);
        ss_pool_free(&i->robot.pool);
        ss_free(ctx, i, sizeof *i);
    }
}
