/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes at all as URDF, MJCF or SDF: a scene that is read again, or refused in words. What XML
 * is, is libxml2's to know; a document type or an entity is never taken.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "stickslip/import.h"
#include "stickslip/scene_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/stickslip-fuzz-XXXXXX";
    int  file   = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size) {
        abort();
    }
    close(file);
    ss_context         *ctx    = ss_context_create(NULL);
    ss_import          *got    = NULL;
    const ss_import_def def    = {0};
    ss_scene           *scene  = NULL;
    ss_status           status = ss_import_read(ctx, path, &def, &got);
    if (status == SS_OK) { /* perhaps too large or too small for a scene, which is then said */
        const char *text = ss_import_scene(got);
        status = ss_scene_load_text(ctx, text, strlen(text), "imported.yaml", NULL, 0, &scene);
    }
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_scene_destroy(scene);
    ss_import_destroy(got);
    ss_context_destroy(ctx);
    unlink(path);
    return 0;
}
