/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tiny HTTP server for one report: GET / (the page), /header.json, /blob/N. It listens on the
 * loopback address only, answers only requests that name that address (so that no other web site
 * can reach it through a name of its own), and keeps no connection open.
 */
#ifndef SS_CLI_SERVE_H
#define SS_CLI_SERVE_H

#include "stickslip/report.h"

typedef struct ss_server {
    ss_context *ctx;
    ss_report  *report;
    int         socket, port;
    char        name[2][32]; /* 127.0.0.1:port, localhost:port */
} ss_server;

/* port 0: any free one. */
ss_status ss_server_open(ss_server *s, ss_context *ctx, ss_report *report, int port);
void      ss_server_close(ss_server *s);
/* Answer what is waiting; wait for it at most so long. */
void ss_server_poll(ss_server *s, int milliseconds);

#endif
