/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects of the system. */
#ifndef SS_PLUGIN_SHARED_OBJECT_H
#define SS_PLUGIN_SHARED_OBJECT_H

/* NULL, and *why, when it cannot be opened; *why lives until the next call. */
void *ss_shared_object_open(const char *path, const char **why);
/* The address of a symbol that it exports, or NULL. */
const void *ss_shared_object_find(void *library, const char *symbol);
void        ss_shared_object_close(void *library);

#endif
