/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all as what a client of `view` sends: an answer in HTTP, or the line is closed. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"
#include "serve.h"
#include "stickslip/stickslip.h"

/* -1: this machine has no port left just now, since each is kept for a minute after its use. */
static int connect_to(const ss_server *s)
{
    struct sockaddr_in address  = {.sin_family = AF_INET};
    struct timeval     patience = {.tv_sec = 5};
    int                port     = atoi(strchr(ss_server_name(s), ':') + 1);
    address.sin_port            = htons((uint16_t)port);
    address.sin_addr.s_addr     = htonl(INADDR_LOOPBACK);
    int to                      = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (to >= 0 && connect(to, (struct sockaddr *)&address, sizeof address) == 0) {
        return to;
    }
    if (errno != EADDRNOTAVAIL) {
        abort();
    }
    close(to);
    return -1;
}

static ss_server *server(void)
{
    static ss_server *s;
    if (s == NULL) {
        ss_context *ctx = ss_context_create(NULL);
        if (ss_server_open_pages(ctx, 0, &s) != SS_OK || !ss_server_put(s, "/", "page", 4)) {
            abort();
        }
    }
    return s;
}

/* Pages that are asked for and not there: nobody makes them. */
static void refuse_pages(ss_server *s)
{
    char path[SS_SERVER_PATH];
    while (ss_server_asked(s, path)) {
        ss_server_refuse(s, path);
    }
}

/* The input, with the server's own name where it has an @. */
static void send_input(int to, const ss_server *s, const uint8_t *data, size_t size)
{
    for (size_t from = 0, at; from < size; from = at + 1) {
        const uint8_t *mark = memchr(data + from, '@', size - from);
        at                  = mark != NULL ? (size_t)(mark - data) : size;
        (void)send(to, data + from, at - from, MSG_NOSIGNAL);
        if (mark != NULL) {
            (void)send(to, ss_server_name(s), strlen(ss_server_name(s)), MSG_NOSIGNAL);
        }
    }
    shutdown(to, SHUT_WR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_server *s        = server();
    int        to       = connect_to(s);
    char       text[16] = "", rest[4096];
    if (to < 0) {
        return 0;
    }
    send_input(to, s, data, size);
    refuse_pages(s);
    ssize_t got = recv(to, text, sizeof text - 1, 0);
    if (got > 4 && strncmp(text, "HTTP/1.1 ", (size_t)got < 9 ? (size_t)got : 9) != 0) {
        abort();
    }
    while (got > 0) {
        got = recv(to, rest, sizeof rest, 0);
    }
    close(to);
    return 0;
}
