/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Robots and machines of other programs as scenes: URDF, MJCF and SDF. Nothing is fetched from a
 * network, document types and entities are refused. What a file says and a scene cannot is listed,
 * in the scene and to the caller.
 */
#ifndef STICKSLIP_IMPORT_H
#define STICKSLIP_IMPORT_H

#include <stdbool.h>

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_import_def {
    const char *const
                 *joints; /* (joint_count) names of joints that are not at zero (MJCF: at `ref`) */
    const double *values; /* m or rad                                                            */
    int32_t       joint_count;
    bool          free_base; /* URDF: the first link is not held by the world                    */
} ss_import_def;

typedef struct ss_import ss_import;

/* Reads a file; its kind is told by its root element. SS_ERR_UNSUPPORTED where this build has no
 * libxml2. */
SS_API ss_status   ss_import_read(ss_context *ctx, const char *path, const ss_import_def *def,
                                  ss_import **out);
SS_API const char *ss_import_scene(const ss_import *i);  /* YAML */
SS_API const char *ss_import_format(const ss_import *i); /* "URDF", "MJCF" or "SDF" */
/* What is not carried over, or only nearly, one sentence each. */
SS_API int32_t     ss_import_note_count(const ss_import *i);
SS_API const char *ss_import_note(const ss_import *i, int32_t index);
SS_API void        ss_import_destroy(ss_import *i);

#ifdef __cplusplus
}
#endif
#endif
