/* SPDX-License-Identifier: Apache-2.0 */
#include "core/late_library.h"

#include <dlfcn.h>
#include <string.h>

/* The loader says why in words alone: the file is there, and could not be mapped or read in. */
static bool wanted_memory(const char *why)
{
    return why != NULL && (strstr(why, "failed to map") != NULL || strstr(why, "allocate") != NULL);
}

bool ss_late_library_open(ss_late_library *l, const char *const *names)
{
    *l = (ss_late_library){NULL, false};
    for (int i = 0; l->handle == NULL && names[i] != NULL; i++) {
        l->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (l->handle == NULL && wanted_memory(dlerror())) {
            l->short_memory = true;
        }
    }
    return l->handle != NULL;
}

/* ISO C has no cast from an object pointer to a function; POSIX says they have one representation.
 */
bool ss_late_library_find(const ss_late_library *l, const char *name, void *function)
{
    void *symbol = dlsym(l->handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

ss_status ss_late_library_missing(ss_context *ctx, const ss_late_library *l, const char *what)
{
    return l->short_memory ? ss_fail(ctx, SS_ERR_MEMORY, "no memory for %s", what)
                           : ss_fail(ctx, SS_ERR_UNSUPPORTED, "%s is not installed", what);
}
