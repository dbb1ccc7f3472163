/* SPDX-License-Identifier: Apache-2.0 */
#include "core/late_library.h"

#include <dlfcn.h>
#include <string.h>

/* The loader says why in words alone: the file is there, and could not be mapped or read in. */
static bool wanted_memory(const char *why)
{
    return why != NULL && (strstr(why, "failed to map") != NULL || strstr(why, "allocate") != NULL);
}

/* ISO C has no cast from an object pointer to a function; POSIX says they have one representation.
 */
static bool find(const ss_late_library *l, const ss_late_function *f)
{
    void *symbol = dlsym(l->handle, f->name);
    memcpy(f->into, &symbol, sizeof symbol);
    return symbol != NULL;
}

bool ss_late_library_open(ss_late_library *l, const char *const *names,
                          const ss_late_function *functions)
{
    *l = (ss_late_library){NULL, false};
    for (int i = 0; l->handle == NULL && names[i] != NULL; i++) {
        l->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (l->handle == NULL && wanted_memory(dlerror())) {
            l->short_memory = true;
        }
    }
    bool whole = l->handle != NULL;
    for (int i = 0; whole && functions[i].name != NULL; i++) {
        whole = find(l, &functions[i]);
    }
    return whole;
}

ss_status ss_late_library_missing(ss_context *ctx, const ss_late_library *l, const char *what)
{
    return l->short_memory ? ss_fail(ctx, SS_ERR_MEMORY, "no memory for %s", what)
                           : ss_fail(ctx, SS_ERR_UNSUPPORTED, "%s is not installed", what);
}
