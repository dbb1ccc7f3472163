/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Schema (draft 7) from tables of keys, so that editors complete and check scene and study
 * files. A schema accepts every file that the reader accepts; the reader refuses more, because it
 * computes.
 */
#ifndef SS_SCENEFILE_JSON_SCHEMA_H
#define SS_SCENEFILE_JSON_SCHEMA_H

#include "scenefile/schema.h"

typedef struct ss_schema_page {
    void (*write)(void *user, const char *text);
    void *user;
} ss_schema_page;

void ss_schema_say(ss_schema_page *p, const char *format, ...) SS_PRINTF(2, 3);
/* A text in quotes, with what JSON wants escaped. */
void ss_schema_text(ss_schema_page *p, const char *text);
/* {"type": "object", ..}: a map by its table; `type` is the only value of its key `type`, or NULL.
 */
void ss_schema_map(ss_schema_page *p, const ss_key *keys, const char *type);
/* Members of `definitions`: "scene", "shape" and "model" (scene_schema.c). */
void ss_schema_scene(ss_schema_page *p);

#endif
