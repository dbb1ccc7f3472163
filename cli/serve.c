/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    REQUEST_SIZE      = 8192,
    CLIENTS_MAX       = 64,
    HEAD_SIZE         = 256,
    TICK_MILLISECONDS = 200,
    PAGES_KEPT        = 32
};
static const double patience_seconds = 10; /* for a request, and between two pieces of an answer */
static const double memory_seconds   = 5;  /* for blocks of an older header */

/* Bytes that clients may still be reading when newer ones are published. */
typedef struct shared {
    int           readers; /* guarded by the server's lock */
    size_t        size;
    unsigned char bytes[];
} shared;

/* A block of the report. One that the report has forgotten is kept for clients who have the header
 * that named it. */
typedef struct block {
    shared *bytes; /* NULL: not there any more */
    double  gone;  /* when the report forgot it; 0: it has it still */
} block;

/* A page that was made on demand. */
typedef struct page {
    char    path[SS_SERVER_PATH]; /* empty: a free place */
    shared *bytes;                /* NULL: there is none */
} page;

typedef struct client {
    int     socket; /* -1: free */
    char    request[REQUEST_SIZE];
    size_t  have;
    char    head[HEAD_SIZE];
    size_t  head_size, sent; /* of head and body together */
    shared *body;
    bool    waiting; /* for the first header */
    double  until;   /* monotonic clock: then it is given up */
} client;

struct ss_server {
    ss_context     *ctx;
    ss_report      *report;
    int             socket, port;
    char            name[2][32]; /* 127.0.0.1:port, localhost:port */
    pthread_t       thread;
    pthread_mutex_t lock; /* of everything that follows, but for the clients */
    bool            running, ending, wanted;
    int             run; /* number of the report, from 1 on; 0: there will be no other */
    shared         *page, *header;
    block          *blobs; /* (blob_count) */
    int32_t         blob_count;
    page            made[PAGES_KEPT];      /* where there is no report                         */
    int             made_next;             /* the place of the next one                        */
    char            asked[SS_SERVER_PATH]; /* a page that is wanted; empty: none          */
    client          clients[CLIENTS_MAX];  /* the thread's alone */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- shared bytes; all under the lock ---- */

static shared *share(const void *bytes, size_t size)
{
    shared *s = malloc(sizeof *s + size);
    if (s != NULL) {
        s->readers = 1;
        s->size    = size;
        memcpy(s->bytes, bytes, size);
    }
    return s;
}

static shared *hold(shared *s)
{
    if (s != NULL) {
        s->readers++;
    }
    return s;
}

static void let_go(shared *s)
{
    if (s != NULL && --s->readers == 0) {
        free(s);
    }
}

/* ---- clients; in the thread ---- */

static void hang_up(ss_server *s, client *c)
{
    close(c->socket);
    pthread_mutex_lock(&s->lock);
    let_go(c->body);
    pthread_mutex_unlock(&s->lock);
    *c = (client){.socket = -1};
}

/* run 0: it is not said. */
static void answer_of_run(client *c, const char *status, const char *type, shared *body, int run)
{
    char number[32] = "";
    if (run > 0) {
        snprintf(number, sizeof number, "X-Run: %d\r\n", run);
    }
    c->body      = body;
    c->head_size = (size_t)snprintf(
        c->head, sizeof c->head,
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\n%sConnection: close\r\n\r\n",
        status, type, body != NULL ? body->size : 0, number);
}

static void answer(client *c, const char *status, const char *type, shared *body)
{
    answer_of_run(c, status, type, body, 0);
}

static void answer_or(client *c, shared *body, const char *type, const char *otherwise)
{
    answer(c, body != NULL ? "200 OK" : otherwise, body != NULL ? type : "text/plain", body);
}

/* The value of the request's first line `Host:`, however its letters are written; NULL: none. */
static const char *host_of(const char *request)
{
    static const char name[] = "host:";
    for (const char *line = strstr(request, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, sizeof name - 1) == 0) {
            line += sizeof name - 1;
            return line + strspn(line, " \t");
        }
    }
    return NULL;
}

/* Does the request name this server as its host? */
static bool names_us(const ss_server *s, const char *request)
{
    const char *host = host_of(request);
    for (int i = 0; host != NULL && i < 2; i++) {
        size_t length = strlen(s->name[i]);
        if (strncmp(host, s->name[i], length) == 0 && host[length] == '\r') {
            return true;
        }
    }
    return false;
}

static shared *blob(ss_server *s, const char *number)
{
    char *end;
    long  index = strtol(number, &end, 10);
    bool  known = end != number && *end == ' ' && index >= 0 && index < s->blob_count;
    return known ? hold(s->blobs[index].bytes) : NULL;
}

/* The path of the request, if it is one that a page may have. */
static bool path_of(const char *request, char out[SS_SERVER_PATH])
{
    size_t length = strcspn(request + 4, " ?");
    if (length == 0 || length >= SS_SERVER_PATH) {
        return false;
    }
    memcpy(out, request + 4, length);
    out[length] = '\0';
    return true;
}

static page *made_page(ss_server *s, const char *path)
{
    for (int i = 0; i < PAGES_KEPT; i++) {
        if (s->made[i].path[0] != '\0' && strcmp(s->made[i].path, path) == 0) {
            return &s->made[i];
        }
    }
    return NULL;
}

/* A page that is there, or one that somebody has to make first. */
static void respond_page(ss_server *s, client *c)
{
    static const char type[] = "text/html; charset=utf-8";
    char              path[SS_SERVER_PATH];
    c->waiting = false;
    if (!path_of(c->request, path)) {
        answer(c, "404 Not here", "text/plain", NULL);
        return;
    }
    const page *p = strcmp(path, "/") == 0 ? NULL : made_page(s, path);
    if (strcmp(path, "/") == 0) {
        answer_or(c, hold(s->page), type, "404 Not here");
    } else if (p != NULL) {
        answer_or(c, hold(p->bytes), type, "404 Not here");
    } else {
        c->waiting = true;
        if (s->asked[0] == '\0') {
            snprintf(s->asked, sizeof s->asked, "%s", path);
        }
    }
}

static void respond(ss_server *s, client *c)
{
    const char *request = c->request, *path = request + 4;
    pthread_mutex_lock(&s->lock);
    if (strncmp(request, "GET ", 4) != 0) {
        answer(c, "405 Only GET", "text/plain", NULL);
    } else if (!names_us(s, request)) {
        answer(c, "403 Wrong host", "text/plain", NULL);
    } else if (s->report == NULL) {
        respond_page(s, c);
    } else if (strncmp(path, "/ ", 2) == 0) {
        answer_or(c, hold(s->page), "text/html; charset=utf-8", "500 This build has no page");
    } else if (strncmp(path, "/header.json ", 13) == 0) {
        s->wanted  = true;
        c->waiting = s->header == NULL;
        if (!c->waiting) {
            answer_of_run(c, "200 OK", "application/json", hold(s->header), s->run);
        }
    } else if (strncmp(path, "/blob/", 6) == 0) {
        answer_or(c, blob(s, path + 6), "application/octet-stream", "404 No such block");
    } else {
        answer(c, "404 Not here", "text/plain", NULL);
    }
    pthread_mutex_unlock(&s->lock);
}

/* What has arrived of the request; answered at its empty line. */
static void receive(ss_server *s, client *c)
{
    ssize_t got = read(c->socket, c->request + c->have, sizeof c->request - 1 - c->have);
    if (got <= 0) {
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            hang_up(s, c);
        }
        return;
    }
    c->have += (size_t)got;
    c->request[c->have] = '\0';
    if (strstr(c->request, "\r\n\r\n") != NULL) {
        respond(s, c);
    } else if (c->have + 1 == sizeof c->request) {
        answer(c, "431 Too long", "text/plain", NULL);
    }
}

/* As much of the answer as the client takes now. */
static void send_some(ss_server *s, client *c)
{
    size_t      total = c->head_size + (c->body != NULL ? c->body->size : 0);
    bool        head  = c->sent < c->head_size;
    const void *from  = head ? (const void *)(c->head + c->sent)
                             : (const void *)(c->body->bytes + (c->sent - c->head_size));
    ssize_t     n     = write(c->socket, from, (head ? c->head_size : total) - c->sent);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    c->sent += n > 0 ? (size_t)n : 0;
    c->until = now() + patience_seconds;
    if (n <= 0 || c->sent == total) {
        hang_up(s, c);
    }
}

/* A place for a new client: a free one, or that of the one who has been silent longest. */
static client *place(ss_server *s)
{
    client *oldest = &s->clients[0];
    for (int i = 0; i < CLIENTS_MAX; i++) {
        if (s->clients[i].socket < 0) {
            return &s->clients[i];
        }
        oldest = s->clients[i].until < oldest->until ? &s->clients[i] : oldest;
    }
    hang_up(s, oldest);
    return oldest;
}

static void welcome(ss_server *s)
{
    int fresh = accept(s->socket, NULL, NULL);
    if (fresh < 0) {
        return;
    }
    client *c = place(s);
    fcntl(fresh, F_SETFL, O_NONBLOCK);
    c->socket = fresh;
    c->until  = now() + patience_seconds;
}

static void look_after(ss_server *s)
{
    struct pollfd wait[CLIENTS_MAX + 1] = {{.fd = s->socket, .events = POLLIN}};
    for (int i = 0; i < CLIENTS_MAX; i++) {
        client *c   = &s->clients[i];
        wait[i + 1] = (struct pollfd){.fd     = c->socket,
                                      .events = (short)(c->head_size > 0 ? POLLOUT : POLLIN)};
    }
    if (poll(wait, CLIENTS_MAX + 1, TICK_MILLISECONDS) < 0) {
        return;
    }
    double t = now();
    for (int i = 0; i < CLIENTS_MAX; i++) {
        client *c = &s->clients[i];
        if (c->socket >= 0 && wait[i + 1].revents != 0) {
            if (c->head_size > 0) {
                send_some(s, c);
            } else {
                receive(s, c);
            }
        } else if (c->socket >= 0 && c->waiting) {
            respond(s, c); /* the simulation may have begun meanwhile */
        } else if (c->socket >= 0 && t > c->until) {
            hang_up(s, c);
        }
    }
    if (wait[0].revents != 0) {
        welcome(s);
    }
}

static bool is_ending(ss_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool ending = s->ending;
    pthread_mutex_unlock(&s->lock);
    return ending;
}

static void *serve(void *user)
{
    ss_server *s = user;
    while (!is_ending(s)) {
        look_after(s);
    }
    return NULL;
}

/* ---- for the others ---- */

/* Signals are for the thread that computes. */
static bool start_thread(ss_server *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->running = pthread_create(&s->thread, NULL, serve, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->running;
}

static ss_status listen_on(ss_server *s, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t          size    = sizeof address;
    int                again   = 1;
    address.sin_addr.s_addr    = htonl(INADDR_LOOPBACK);
    s->socket                  = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    if (s->socket < 0 || bind(s->socket, (struct sockaddr *)&address, size) != 0 ||
        listen(s->socket, CLIENTS_MAX) != 0 ||
        getsockname(s->socket, (struct sockaddr *)&address, &size) != 0) {
        return ss_fail(s->ctx, SS_ERR_IO, "port %d of 127.0.0.1: %s", port, strerror(errno));
    }
    fcntl(s->socket, F_SETFL, O_NONBLOCK);
    s->port = ntohs(address.sin_port);
    snprintf(s->name[0], sizeof s->name[0], "127.0.0.1:%d", s->port);
    snprintf(s->name[1], sizeof s->name[1], "localhost:%d", s->port);
    return SS_OK;
}

static ss_status start(ss_server *s, int port)
{
    SS_TRY(listen_on(s, port));
    return start_thread(s) ? SS_OK
                           : ss_fail(s->ctx, SS_ERR_MEMORY, "there is no thread for the server");
}

static ss_status take_page(ss_server *s)
{
    const char *text;
    size_t      size;
    SS_TRY(ss_report_page(s->ctx, &text, &size));
    s->page = share(text, size);
    return s->page != NULL ? SS_OK : ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for the page");
}

static ss_status create(ss_context *ctx, ss_report *report, ss_server **out)
{
    ss_server *s = calloc(1, sizeof *s);
    *out         = s;
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the server");
    }
    s->ctx    = ctx;
    s->report = report;
    s->socket = -1;
    for (int i = 0; i < CLIENTS_MAX; i++) {
        s->clients[i].socket = -1;
    }
    pthread_mutex_init(&s->lock, NULL);
    signal(SIGPIPE, SIG_IGN);
    return SS_OK;
}

ss_status ss_server_open(ss_context *ctx, ss_report *report, int port, ss_server **out)
{
    SS_TRY(create(ctx, report, out));
    SS_TRY(take_page(*out));
    return start(*out, port);
}

ss_status ss_server_open_pages(ss_context *ctx, int port, ss_server **out)
{
    SS_TRY(create(ctx, NULL, out));
    return start(*out, port);
}

void ss_server_close(ss_server *s)
{
    if (s == NULL) {
        return;
    }
    if (s->running) {
        pthread_mutex_lock(&s->lock);
        s->ending = true;
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    for (int i = 0; i < CLIENTS_MAX; i++) {
        if (s->clients[i].socket >= 0) {
            hang_up(s, &s->clients[i]);
        }
    }
    for (int32_t i = 0; i < s->blob_count; i++) {
        let_go(s->blobs[i].bytes);
    }
    for (int i = 0; i < PAGES_KEPT; i++) {
        let_go(s->made[i].bytes);
    }
    let_go(s->header);
    let_go(s->page);
    free(s->blobs);
    if (s->socket >= 0) {
        close(s->socket);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

const char *ss_server_name(const ss_server *s)
{
    return s->name[0];
}

void ss_server_renew(ss_server *s, ss_report *report)
{
    pthread_mutex_lock(&s->lock);
    s->report = report;
    s->run++;
    for (int32_t i = 0; i < s->blob_count; i++) {
        let_go(s->blobs[i].bytes);
        s->blobs[i] = (block){0};
    }
    let_go(s->header);
    s->header = NULL;
    pthread_mutex_unlock(&s->lock);
}

bool ss_server_wanted(ss_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool wanted = s->wanted || s->header == NULL;
    pthread_mutex_unlock(&s->lock);
    return wanted;
}

static bool make_room(ss_server *s, int32_t count)
{
    if (count <= s->blob_count) {
        return true;
    }
    block *grown = realloc(s->blobs, (size_t)count * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    memset(grown + s->blob_count, 0, (size_t)(count - s->blob_count) * sizeof *grown);
    s->blobs      = grown;
    s->blob_count = count;
    return true;
}

/* Blocks that are new since the last time are copied; those that the report forgot go later. */
static bool take_blobs(ss_server *s)
{
    const void *bytes;
    size_t      size;
    double      t     = now();
    int32_t     count = ss_report_blob_count(s->report);
    if (!make_room(s, count)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        block *b     = &s->blobs[i];
        bool   there = ss_report_blob(s->report, i, &bytes, &size) == SS_OK;
        if (there && b->bytes == NULL) {
            b->bytes = share(bytes, size);
        } else if (!there && b->bytes != NULL) {
            b->gone = b->gone == 0 ? t : b->gone;
            if (t - b->gone > memory_seconds) {
                let_go(b->bytes);
                b->bytes = NULL;
            }
        }
    }
    return true;
}

ss_status ss_server_publish(ss_server *s)
{
    const char *json;
    size_t      size;
    SS_TRY(ss_report_refresh(s->report));
    SS_TRY(ss_report_header(s->report, &json, &size));
    shared *header = share(json, size);
    pthread_mutex_lock(&s->lock);
    bool ok = header != NULL && take_blobs(s);
    if (ok) {
        let_go(s->header);
        s->header = header;
        s->wanted = false;
    } else {
        free(header);
    }
    pthread_mutex_unlock(&s->lock);
    return ok ? SS_OK : ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for the page's data");
}

/* ---- whole pages ---- */

bool ss_server_asked(ss_server *s, char path[SS_SERVER_PATH])
{
    pthread_mutex_lock(&s->lock);
    bool asked = s->asked[0] != '\0';
    memcpy(path, s->asked, sizeof s->asked);
    pthread_mutex_unlock(&s->lock);
    return asked;
}

/* In place of the oldest. */
static void keep(ss_server *s, const char *path, shared *bytes)
{
    page *p = &s->made[s->made_next];
    let_go(p->bytes);
    snprintf(p->path, sizeof p->path, "%s", path);
    p->bytes     = bytes;
    s->made_next = (s->made_next + 1) % PAGES_KEPT;
}

static void put(ss_server *s, const char *path, shared *bytes)
{
    pthread_mutex_lock(&s->lock);
    if (strcmp(path, "/") == 0) {
        let_go(s->page);
        s->page = bytes;
    } else {
        keep(s, path, bytes);
    }
    if (strcmp(s->asked, path) == 0) {
        s->asked[0] = '\0';
    }
    pthread_mutex_unlock(&s->lock);
}

bool ss_server_put(ss_server *s, const char *path, const void *bytes, size_t size)
{
    shared *copy = share(bytes, size);
    if (copy != NULL) {
        put(s, path, copy);
    }
    return copy != NULL;
}

void ss_server_refuse(ss_server *s, const char *path)
{
    put(s, path, NULL);
}
