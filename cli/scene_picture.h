/* SPDX-License-Identifier: Apache-2.0 */
/* A state of a run in the plane as a vector picture: bodies, contacts, forces, a scale. */
#ifndef SS_CLI_SCENE_PICTURE_H
#define SS_CLI_SCENE_PICTURE_H

#include "stickslip/run_file.h"

/*
 * Write the state of the run nearest to time t as SVG. The shapes are those of the scene in the
 * file. SS_ERR_INPUT for a scene in space.
 */
ss_status ss_scene_picture_write(ss_context *ctx, ss_run_file *file, double t, const char *path);

#endif
