/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes from a parsed file with some of its values replaced by nodes: what studies do. */
#ifndef SS_SCENEFILE_SOURCE_H
#define SS_SCENEFILE_SOURCE_H

#include "scenefile/node.h"
#include "stickslip/scene_file.h"

/* A value and where it goes. */
typedef struct ss_scene_value {
    const char    *path; /* as in an override */
    const ss_node *value;
    const char    *origin; /* what messages name as its place */
} ss_scene_value;

/*
 * Like ss_scene_from_source(); the values take the place of what the file says. Without `texts` the
 * scene does not know its text, which takes as long to write as all the rest together.
 */
ss_status ss_scene_from_values(ss_context *ctx, const ss_scene_source *source,
                               const ss_scene_value *values, int32_t count, bool texts,
                               ss_scene **out);

/* ss_scene_from_source() with the same choice. */
ss_status ss_scene_from_overrides(ss_context *ctx, const ss_scene_source *source,
                                  const char *const *overrides, int32_t count, bool texts,
                                  ss_scene **out);

/* A value for all scenes that are made from now on; its texts must outlive the source. */
ss_status ss_scene_source_assign(ss_scene_source *source, const char *path, const ss_node *value);
/* Does the file know the parameter, or may it (by what it includes)? */
bool ss_scene_source_has_param(const ss_scene_source *source, const char *name, size_t length);
/* The dimension that the file gives the scene. */
int ss_scene_source_dimension(const ss_scene_source *source);

#endif
