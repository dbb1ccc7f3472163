/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tiny HTTP server for one report: GET / (the page), /header.json, /blob/N. It listens on the
 * loopback address only, answers only requests that name that address (so that no other web site
 * can reach it through a name of its own), and keeps no connection open.
 *
 * It is a thread of its own that serves what was published last: a client that is slow, or sends
 * nothing, holds up neither the other clients nor the simulation, and a long step holds up nobody.
 * The thread never touches the report; ss_server_publish(), called where the report is changed,
 * hands it copies.
 */
#ifndef SS_CLI_SERVE_H
#define SS_CLI_SERVE_H

#include <stdbool.h>

#include "stickslip/report.h"

typedef struct ss_server ss_server;

/* port 0: any free one. */
/* What the path of a page may have, with the end of the text. */
enum { SS_SERVER_PATH = 64 };

ss_status   ss_server_open(ss_context *ctx, ss_report *report, int port, ss_server **out);
void        ss_server_close(ss_server *s);
const char *ss_server_name(const ss_server *s); /* 127.0.0.1:PORT */

/* Has a client asked for the header since it was published last? */
bool ss_server_wanted(ss_server *s);
/* Hand over what the report holds now. */
ss_status ss_server_publish(ss_server *s);
/* From now on serve another report: pages that show the one before are told (the header X-Run of
   header.json has another number) and load anew. */
void ss_server_renew(ss_server *s, ss_report *report);

/*
 * The other way to serve: no report but whole pages, by their paths. A page that is not there is
 * waited for: ss_server_asked() tells its path to whoever computes, who answers with one of the
 * other two. Of pages that were put only the last ones are kept, besides "/".
 */
ss_status ss_server_open_pages(ss_context *ctx, int port, ss_server **out);
bool      ss_server_asked(ss_server *s, char path[SS_SERVER_PATH]);
bool      ss_server_put(ss_server *s, const char *path, const void *bytes, size_t size);
void      ss_server_refuse(ss_server *s, const char *path);

#endif
