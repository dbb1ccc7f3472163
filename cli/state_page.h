/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a map of states: states that a click opens, with everything that is said of them and
   a picture of all their solutions. They are part of the page, spread over the map, or computed
   when they are asked for. */
#ifndef SS_CLI_STATE_PAGE_H
#define SS_CLI_STATE_PAGE_H

#include "state_map.h"

ss_status ss_state_page_write(ss_context *ctx, const ss_map_args *args, const ss_state_map *map,
                              const char *path);
/* Until Ctrl-C. */
ss_status ss_state_page_serve(ss_context *ctx, const ss_map_args *args, const ss_state_map *map);

#endif
