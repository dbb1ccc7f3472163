/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all as a mesh file: triangles of vertices that exist, or refused in words. COLLADA
 * is read from a file, in a process of its own: fuzz_dae.c. */
#include <math.h>

#include "fuzz.h"
#include "geom/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *ctx  = ss_context_create(NULL);
    ss_geom_set set  = {.ctx = ctx, .dimension = 3};
    ss_mesh     mesh = {0};
    if (ss_mesh_parse(&set, "fuzz", data, size, 1, &mesh) == SS_OK) {
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
    return 0;
}
