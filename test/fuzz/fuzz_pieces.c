/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex pieces that were kept from another run: any numbers of pieces and corners, with the hash
 * that belongs to them. They are pieces whose corners are numbers, or as good as none.
 */
#include <glob.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "geom/piece_cache.h"
#include "geom/tolerances.h"

/* As piece_cache.c has it. */
typedef struct head {
    char     mark[8];
    int32_t  count, corners;
    double   covered;
    uint64_t hash;
} head;

static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

static char folder[64], path[512];

static void clean_up(void)
{
    unlink(path);
    rmdir(folder);
}

/* A mesh that is large enough to be kept, and the name of its file. */
static const char *sound_file(ss_geom_set *set, ss_mesh *mesh)
{
    char           pattern[96];
    static ss_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static int32_t triangles[3 * SS_CACHED_FROM];
    static ss_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static int32_t counts[1]  = {4};
    for (int32_t i = 0; i < 3 * SS_CACHED_FROM; i++) {
        triangles[i] = i % 3;
    }
    *mesh = (ss_mesh){.vertices       = vertices,
                      .triangles      = triangles,
                      .vertex_count   = 3,
                      .triangle_count = SS_CACHED_FROM};
    if (path[0] == '\0') {
        glob_t        found = {0};
        ss_piece_list one   = {corners, counts, 1, 0.5};
        snprintf(folder, sizeof folder, "/tmp/stickslip-pieces-XXXXXX");
        if (mkdtemp(folder) == NULL || setenv("STICKSLIP_CACHE", folder, 1) != 0) {
            abort();
        }
        ss_piece_cache_keep(set, mesh, 0.01, &one);
        snprintf(pattern, sizeof pattern, "%s/*.pieces", folder);
        if (glob(pattern, 0, NULL, &found) != 0) {
            abort();
        }
        snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
        globfree(&found);
        atexit(clean_up);
    }
    return path;
}

static void write_pieces(const char *to, const uint8_t *data, size_t size)
{
    head h = {.mark = "pieces1"};
    if (size >= 16) {
        memcpy(&h.count, data, 16); /* count, corners, covered */
        data += 16;
        size -= 16;
    }
    h.hash  = hash_of(data, size);
    FILE *f = fopen(to, "wb");
    if (f == NULL || fwrite(&h, sizeof h, 1, f) != 1 || fwrite(data, 1, size, f) != size ||
        fclose(f) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context   *ctx = ss_context_create(NULL);
    ss_geom_set   set = {.ctx = ctx, .dimension = 3};
    ss_mesh       mesh;
    ss_piece_list list = {0};
    write_pieces(sound_file(&set, &mesh), data, size);
    if (ss_piece_cache_find(&set, &mesh, 0.01, &list)) {
        const ss_vec3 *x = list.corners;
        for (int32_t i = 0; i < list.count; i++) {
            for (int32_t k = 0; k < list.counts[i]; k++, x++) {
                if (!isfinite(x->x) || !isfinite(x->y) || !isfinite(x->z)) {
                    abort();
                }
            }
        }
        if (!(list.covered >= 0)) {
            abort();
        }
    }
    ss_geom_free(&set);
    ss_context_destroy(ctx);
    return 0;
}
