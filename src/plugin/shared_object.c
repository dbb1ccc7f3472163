/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared objects by dlopen. What a plug-in calls of this library has to be found by the loader: in
 * the command it is (its symbols are exported); where this library was itself opened by a program
 * that keeps its symbols to itself (Python does), they are made visible first.
 */
#define _GNU_SOURCE /* dladdr */
#include "plugin/shared_object.h"

#include <dlfcn.h>
#include <stddef.h>

/* Opens the object that holds this function once more, for all to see. */
static void show_own_symbols(void)
{
    static const char anchor = 0; /* an address in this object */
    Dl_info           own;
    if (dladdr(&anchor, &own) != 0 && own.dli_fname != NULL) {
        void *self = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
        if (self != NULL) {
            dlclose(self); /* visible it stays as long as it is loaded */
        }
    }
}

void *ss_shared_object_open(const char *path, const char **why)
{
    show_own_symbols();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *why          = library == NULL ? dlerror() : NULL;
    if (library == NULL && *why == NULL) {
        *why = "the system does not say why";
    }
    return library;
}

const void *ss_shared_object_find(void *library, const char *symbol)
{
    return dlsym(library, symbol);
}

void ss_shared_object_close(void *library)
{
    dlclose(library);
}
