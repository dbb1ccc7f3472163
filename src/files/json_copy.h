/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text from a file that nobody vouches for, on its way into a page: it is checked against
 * the grammar (RFC 8259) and written again so that no text in it can end the element that it will
 * stand in.
 */
#ifndef SS_FILES_JSON_COPY_H
#define SS_FILES_JSON_COPY_H

#include "files/buffer.h"

/* A member of the outermost object whose items are counted; -1: it is not there or not a list. */
typedef struct ss_json_list {
    const char *name;
    int32_t     count;
} ss_json_list;

/* Appends the object to `out`; false when the text is not one JSON object. */
bool ss_json_copy(const char *text, ss_buffer *out, ss_json_list *lists, int32_t list_count);

#endif
