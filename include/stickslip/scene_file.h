/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scene files: YAML into a scene. Unknown keys, wrong types, numbers out of range and references to
 * nothing are errors whose message begins with file:line:column. docs/reference/scene.md lists
 * every key; ss_scene_reference() writes it.
 */
#ifndef STICKSLIP_SCENE_FILE_H
#define STICKSLIP_SCENE_FILE_H

#include "stickslip/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads a scene file. `overrides` (count may be 0) are PATH=VALUE texts, applied in order before
 * anything is decoded: "bodies.ball.mass=2", "params.mu=0.3", "simulation.model.cone={polygon: 8}".
 */
SS_API ss_status ss_scene_load(ss_context *ctx, const char *path, const char *const *overrides,
                               int32_t count, ss_scene **out);

/* The same from memory; `name` takes the place of the file name in messages. */
SS_API ss_status ss_scene_load_text(ss_context *ctx, const char *text, size_t length,
                                    const char *name, const char *const *overrides, int32_t count,
                                    ss_scene **out);

/*
 * A file that was parsed and is not decoded yet: many scenes can be made from it, each with
 * overrides of its own, without reading the file again. Constant after the last
 * ss_scene_source_override(): threads may share it, each with a context of its own. Scenes do not
 * need it once they are made.
 */
typedef struct ss_scene_source ss_scene_source;

SS_API ss_status ss_scene_source_load(ss_context *ctx, const char *path, ss_scene_source **out);
SS_API ss_status ss_scene_source_text(ss_context *ctx, const char *text, size_t length,
                                      const char *name, ss_scene_source **out);
/* An override for all scenes that are made from now on. */
SS_API ss_status ss_scene_source_override(ss_scene_source *source, const char *override);
SS_API ss_status ss_scene_from_source(ss_context *ctx, const ss_scene_source *source,
                                      const char *const *overrides, int32_t count, ss_scene **out);
SS_API void      ss_scene_source_destroy(ss_scene_source *source);

/* Where a scene came from. NULL for scenes made by calls. All texts live as long as the scene. */
SS_API const char *ss_scene_path(const ss_scene *scene);
SS_API const char *ss_scene_text(const ss_scene *scene); /* as it was read */
/* After overrides, with every expression that does not depend on t replaced by its value. */
SS_API const char *ss_scene_resolved(const ss_scene *scene);

/* The scene's params, in the order in which they were set. */
SS_API int32_t     ss_scene_param_count(const ss_scene *scene);
SS_API const char *ss_scene_param_name(const ss_scene *scene, int32_t index);
SS_API double      ss_scene_param_value(const ss_scene *scene, int32_t index);

/* The axes of a model: what each is called and which words it takes. */
typedef struct ss_axis_value {
    const char *word;   /* "polygon"                                               */
    int         value;  /* of the enum in ss_axes                                  */
    int32_t     counts; /* least number it takes (`polygon: 8`, on the command line polygon:8); 0:
                           it takes none */
    const char *doc;
} ss_axis_value;

typedef struct ss_axis {
    const char          *name;         /* "cone"                                  */
    const ss_axis_value *values;       /* default first; ends with a NULL word    */
    size_t               offset;       /* of the enum in ss_axes                  */
    size_t               count_offset; /* of the number, an int32_t               */
    int32_t              low, high;    /* range of the number                     */
    const char          *doc;
} ss_axis;

SS_API int32_t        ss_axis_count(void);
SS_API const ss_axis *ss_axis_at(int32_t index);
/* "polygon:8": what `axes` says about an axis, as on the command line. Returns `buffer`. */
SS_API const char *ss_axis_text(const ss_axis *axis, const ss_axes *axes, char *buffer,
                                size_t size);
/* "cone=polygon:8,gap=velocity" as overrides, one for each axis; *count at most `room`. */
SS_API ss_status ss_axes_to_overrides(ss_context *ctx, const char *text, char (*overrides)[128],
                                      int32_t room, int32_t *count);

/* Writes the reference of scene files (Markdown) piece by piece. */
SS_API void ss_scene_reference(void (*write)(void *user, const char *text), void *user);

#ifdef __cplusplus
}
#endif
#endif
