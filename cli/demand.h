/* SPDX-License-Identifier: Apache-2.0 */
/* A page that is served on this machine, and further pages, FOLDER/NUMBER, that are computed when
   they are asked for: trials of a study, states of a map. Until Ctrl-C. */
#ifndef SS_CLI_DEMAND_H
#define SS_CLI_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stickslip/stickslip.h"

typedef struct ss_demand {
    const char *page; /* the file that is the first page; it is read and removed */
    const char *folder;
    int64_t     count; /* of further pages */
    /* Writes page `number` into the file `path`. */
    ss_status (*make)(void *user, int64_t number, const char *path);
    void   *user;
    int32_t port; /* 0: any free one */
    bool    no_open;
} ss_demand;

/* A name for a file of its own, in the folder for such files; (size) of `out`. */
ss_status ss_cli_temporary(ss_context *ctx, char *out, size_t size);

/* Prints the address and opens it in the browser; a page that cannot be made is told on standard
   error and to whoever asked. */
ss_status ss_cli_serve_on_demand(ss_context *ctx, const ss_demand *d);

/* Opens an address in the browser of whoever runs the command. */
void ss_cli_open_browser(const char *url);

#endif
