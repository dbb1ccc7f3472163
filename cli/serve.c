/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { REQUEST_SIZE = 8192, PATIENCE_SECONDS = 2 };

ss_status ss_server_open(ss_server *s, ss_context *ctx, ss_report *report, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t          size    = sizeof address;
    int                again   = 1;
    address.sin_addr.s_addr    = htonl(INADDR_LOOPBACK);
    *s = (ss_server){.ctx = ctx, .report = report, .socket = socket(AF_INET, SOCK_STREAM, 0)};
    signal(SIGPIPE, SIG_IGN);
    setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    if (s->socket < 0 || bind(s->socket, (struct sockaddr *)&address, size) != 0 ||
        listen(s->socket, 16) != 0 ||
        getsockname(s->socket, (struct sockaddr *)&address, &size) != 0) {
        return ss_fail(ctx, SS_ERR_IO, "port %d of 127.0.0.1: %s", port, strerror(errno));
    }
    s->port = ntohs(address.sin_port);
    snprintf(s->name[0], sizeof s->name[0], "127.0.0.1:%d", s->port);
    snprintf(s->name[1], sizeof s->name[1], "localhost:%d", s->port);
    return SS_OK;
}

void ss_server_close(ss_server *s)
{
    if (s->socket >= 0) {
        close(s->socket);
    }
    s->socket = -1;
}

static void send_all(int client, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = write(client, bytes, size);
        if (sent <= 0) {
            return; /* the reader went away */
        }
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void answer(int client, const char *status, const char *type, const void *body, size_t size)
{
    char head[256];
    int  n = snprintf(head, sizeof head,
                      "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                       "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
                      status, type, size);
    send_all(client, head, (size_t)n);
    send_all(client, body, size);
}

static void refuse(int client, const char *status)
{
    answer(client, status, "text/plain", status, strlen(status));
}

static void answer_page(ss_server *s, int client)
{
    const char *text;
    size_t      size;
    if (ss_report_page(s->ctx, &text, &size) == SS_OK) {
        answer(client, "200 OK", "text/html; charset=utf-8", text, size);
    } else {
        refuse(client, "500 This build has no page");
    }
}

static void answer_header(ss_server *s, int client)
{
    const char *json;
    size_t      size;
    if (ss_report_refresh(s->report) == SS_OK &&
        ss_report_header(s->report, &json, &size) == SS_OK) {
        answer(client, "200 OK", "application/json", json, size);
    } else {
        refuse(client, "503 No data yet");
    }
}

static void answer_blob(ss_server *s, int client, const char *number)
{
    const void *bytes;
    size_t      size;
    if (ss_report_blob(s->report, (int32_t)strtol(number, NULL, 10), &bytes, &size) == SS_OK) {
        answer(client, "200 OK", "application/octet-stream", bytes, size);
    } else {
        refuse(client, "404 No such block");
    }
}

/* Does the request name this server as its host? */
static bool names_us(const ss_server *s, const char *request)
{
    const char *host = strstr(request, "\r\nHost: ");
    if (host == NULL) {
        host = strstr(request, "\r\nhost: ");
    }
    for (int i = 0; host != NULL && i < 2; i++) {
        size_t length = strlen(s->name[i]);
        if (strncmp(host + 8, s->name[i], length) == 0 && host[8 + length] == '\r') {
            return true;
        }
    }
    return false;
}

static void respond(ss_server *s, int client, char *request)
{
    if (strncmp(request, "GET ", 4) != 0) {
        refuse(client, "405 Only GET");
    } else if (!names_us(s, request)) {
        refuse(client, "403 Wrong host");
    } else if (strncmp(request + 4, "/ ", 2) == 0) {
        answer_page(s, client);
    } else if (strncmp(request + 4, "/header.json ", 13) == 0) {
        answer_header(s, client);
    } else if (strncmp(request + 4, "/blob/", 6) == 0) {
        answer_blob(s, client, request + 10);
    } else {
        refuse(client, "404 Not here");
    }
}

/* Reads the request up to its empty line. */
static void serve(ss_server *s, int client)
{
    char           request[REQUEST_SIZE];
    size_t         size     = 0;
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    for (;;) {
        ssize_t got = read(client, request + size, sizeof request - 1 - size);
        if (got <= 0) {
            return;
        }
        size += (size_t)got;
        request[size] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL) {
            respond(s, client, request);
            return;
        }
        if (size + 1 == sizeof request) {
            refuse(client, "431 Too long");
            return;
        }
    }
}

void ss_server_poll(ss_server *s, int milliseconds)
{
    struct pollfd wait = {.fd = s->socket, .events = POLLIN};
    while (poll(&wait, 1, milliseconds) > 0) {
        int client = accept(s->socket, NULL, NULL);
        if (client >= 0) {
            serve(s, client);
            close(client);
        }
        milliseconds = 0;
    }
}
