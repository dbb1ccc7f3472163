/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh files by assimp's C interface. */
#include <stdlib.h>
#include <string.h>

#include "geom/mesh_file.h"

#ifdef SS_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

/* More than this is a mistake, not a part. */
enum { MAX_TRIANGLES = 20000000 };

static ss_status count_triangles(ss_geom_set *set, const struct aiScene *scene, const char *path,
                                 size_t *triangles)
{
    *triangles = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            *triangles += mesh->mFaces[f].mNumIndices == 3;
        }
    }
    if (*triangles == 0) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "%s: the file holds no triangles", path);
    }
    if (*triangles > MAX_TRIANGLES) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "%s: more than %d triangles", path, MAX_TRIANGLES);
    }
    return SS_OK;
}

/* Every corner of every triangle, in order. */
static ss_status read_corners(ss_geom_set *set, const struct aiScene *scene, const char *path,
                              double scale, ss_vec3 *corners)
{
    size_t n = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            const struct aiFace *face = &mesh->mFaces[f];
            for (unsigned i = 0; face->mNumIndices == 3 && i < 3; i++) {
                const struct aiVector3D *v = &mesh->mVertices[face->mIndices[i]];
                ss_vec3                  x = ss_v3(scale * v->x, scale * v->y, scale * v->z);
                if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z)) {
                    return ss_fail(set->ctx, SS_ERR_INPUT, "%s: a vertex is not finite", path);
                }
                corners[n++] = x;
            }
        }
    }
    return SS_OK;
}

typedef struct corner {
    ss_vec3 x;
    int32_t index;
} corner;

static bool same_place(ss_vec3 a, ss_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static int by_place(const void *a, const void *b)
{
    const corner *p = a, *q = b;
    if (p->x.x != q->x.x) {
        return p->x.x < q->x.x ? -1 : 1;
    }
    if (p->x.y != q->x.y) {
        return p->x.y < q->x.y ? -1 : 1;
    }
    if (p->x.z != q->x.z) {
        return p->x.z < q->x.z ? -1 : 1;
    }
    return (p->index > q->index) - (p->index < q->index);
}

/* Equal corners become one vertex; triangles that have lost a side by it are left out. */
static ss_status weld(ss_geom_set *set, const ss_vec3 *corners, size_t count, ss_mesh *out)
{
    corner  *sorted = ss_alloc(set->ctx, count, sizeof *sorted);
    ss_vec3 *v      = ss_geom_memory(set, count, sizeof *v);
    int32_t *t      = ss_geom_memory(set, count, sizeof *t);
    if (sorted == NULL || v == NULL || t == NULL) {
        ss_free(set->ctx, sorted, count * sizeof *sorted);
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a mesh");
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (corner){corners[i], (int32_t)i};
    }
    qsort(sorted, count, sizeof *sorted, by_place);
    int32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_place(sorted[i].x, sorted[i - 1].x)) {
            v[n++] = sorted[i].x;
        }
        t[sorted[i].index] = n - 1;
    }
    ss_free(set->ctx, sorted, count * sizeof *sorted);
    int32_t kept = 0;
    for (size_t i = 0; i < count; i += 3) {
        if (t[i] != t[i + 1] && t[i + 1] != t[i + 2] && t[i + 2] != t[i]) {
            memmove(t + 3 * (size_t)kept++, t + i, 3 * sizeof *t);
        }
    }
    *out = (ss_mesh){v, t, n, kept};
    return SS_OK;
}

static ss_status read_scene(ss_geom_set *set, const struct aiScene *scene, const char *path,
                            double scale, ss_mesh *out)
{
    size_t triangles;
    SS_TRY(count_triangles(set, scene, path, &triangles));
    ss_vec3 *corners = ss_alloc(set->ctx, 3 * triangles, sizeof *corners);
    if (corners == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "%s: no memory for the mesh", path);
    }
    ss_status done = read_corners(set, scene, path, scale, corners);
    if (done == SS_OK) {
        done = weld(set, corners, 3 * triangles, out);
    }
    ss_free(set->ctx, corners, 3 * triangles * sizeof *corners);
    return done;
}

/* Coordinates as they stand in the file: assimp would turn the z axis of COLLADA files to y. */
static const struct aiScene *import(const char *path)
{
    unsigned                flags = aiProcess_Triangulate | aiProcess_PreTransformVertices;
    struct aiPropertyStore *store = aiCreatePropertyStore();
    if (store == NULL) {
        return NULL;
    }
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    const struct aiScene *scene = aiImportFileExWithProperties(path, flags, NULL, store);
    aiReleasePropertyStore(store);
    return scene;
}

ss_status ss_mesh_read(ss_geom_set *set, const char *path, double scale, ss_mesh *out)
{
    const struct aiScene *scene = import(path);
    if (scene == NULL) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "%s: %s", path, aiGetErrorString());
    }
    ss_status done = read_scene(set, scene, path, scale, out);
    aiReleaseImport(scene);
    return done;
}

#else

ss_status ss_mesh_read(ss_geom_set *set, const char *path, double scale, ss_mesh *out)
{
    (void)scale;
    (void)out;
    return ss_fail(set->ctx, SS_ERR_UNSUPPORTED,
                   "%s: this build has no assimp (configure with SS_WITH_ASSIMP=ON)", path);
}

#endif
