/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes at all as a COLLADA file: triangles of vertices that exist, or refused in words,
 * whatever becomes of the process that reads it.
 */
#define _POSIX_C_SOURCE 200809L /* getpid; NOLINT(bugprone-reserved-identifier) */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "geom/mesh_file.h"

/* Sanitizers do not let the child have a limit on its memory: nodes that hold two of the next,
   many deep, would take all there is. */
static bool is_large(const uint8_t *data, size_t size)
{
    enum { MOST = 8 };
    static const char word[] = "instance_node";
    size_t            length = sizeof word - 1, many = 0;
    for (size_t i = 0; i + length <= size; i++) {
        many += memcmp(data + i, word, length) == 0 ? 1u : 0u;
    }
    return many > MOST;
}

static bool write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *f  = fopen(path, "wb");
    bool  ok = f != NULL && fwrite(data, 1, size, f) == size;
    return f != NULL && fclose(f) == 0 && ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (is_large(data, size)) {
        return 0;
    }
    snprintf(path, sizeof path, "fuzz-%ld.dae", (long)getpid());
    if (!write_file(path, data, size)) {
        abort();
    }
    ss_context *ctx  = ss_context_create(NULL);
    ss_geom_set set  = {.ctx = ctx, .dimension = 3};
    ss_mesh     mesh = {0};
    if (ss_mesh_read(&set, path, 1, &mesh) == SS_OK) {
        for (int32_t i = 0; i < 3 * mesh.triangle_count; i++) {
            int32_t v = mesh.triangles[i];
            if (v < 0 || v >= mesh.vertex_count || !isfinite(mesh.vertices[v].x)) {
                abort();
            }
        }
    } else if (ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_geom_free(&set);
    ss_context_destroy(ctx);
    remove(path);
    return 0;
}
