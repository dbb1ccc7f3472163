/* SPDX-License-Identifier: Apache-2.0 */
#include "browser.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 60 };

/* The first of some commands that PATH has; NULL when there is none. */
static const char *find_command(const char *const *names, char *found, size_t size)
{
    const char *path = getenv("PATH");
    for (; *names != NULL; names++) {
        for (const char *at = path; at != NULL && *at != '\0';) {
            size_t length = strcspn(at, ":");
            snprintf(found, size, "%.*s/%s", (int)length, at, *names);
            if (access(found, X_OK) == 0) {
                return found;
            }
            at += length + (at[length] == ':');
        }
    }
    return NULL;
}

/* ---- Chromium ---- */

static ss_status no_browser(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "pictures of the replay need Chromium, which is not installed (Debian: apt "
                   "install chromium); --svg draws plots without it");
}

/* In the child: the browser reads commands from descriptor 3 and answers on 4. */
static void become_browser(const char *command, int commands, int answers)
{
    const char *argv[] = {command,
                          "--headless",
                          "--remote-debugging-pipe",
                          "--enable-unsafe-swiftshader",
                          "--use-angle=swiftshader",
                          "--hide-scrollbars",
                          "--no-first-run",
                          "--disable-background-networking",
                          "--disable-sync",
                          "--disable-component-update",
                          geteuid() == 0 ? "--no-sandbox" : "--no-default-browser-check",
                          "about:blank",
                          NULL};
    int in = dup(commands), out = dup(answers); /* above 4, so that dup2 overwrites neither */
    if (in < 0 || out < 0 || dup2(in, 3) < 0 || dup2(out, 4) < 0) {
        _exit(127);
    }
    for (int fd = 5; fd < 64; fd++) {
        close(fd);
    }
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
        _exit(127);
    }
    execv(command, (char *const *)argv);
    _exit(127);
}

static ss_status start_browser(ss_browser *b)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable", NULL};
    char                     found[PATH_MAX];
    const char              *command = find_command(names, found, sizeof found);
    int                      commands[2], answers[2];
    if (command == NULL) {
        return no_browser(b->ctx);
    }
    if (pipe(commands) != 0 || pipe(answers) != 0) {
        return ss_fail(b->ctx, SS_ERR_IO, "a pipe to Chromium: %s", strerror(errno));
    }
    fflush(NULL); /* or the child prints what is still in our buffers */
    b->process = fork();
    if (b->process == 0) {
        become_browser(command, commands[0], answers[1]);
    }
    close(commands[0]);
    close(answers[1]);
    b->to   = commands[1];
    b->from = answers[0];
    return b->process > 0 ? SS_OK : ss_fail(b->ctx, SS_ERR_IO, "fork: %s", strerror(errno));
}

static ss_status lost(ss_browser *b, const char *what)
{
    return ss_fail(b->ctx, SS_ERR_IO, "Chromium %s", what);
}

static ss_status make_room(ss_browser *b)
{
    if (b->filled + (1 << 16) <= b->room) {
        return SS_OK;
    }
    size_t room  = b->room > 0 ? 2 * b->room : 1 << 18;
    char  *fresh = realloc(b->message, room);
    if (fresh == NULL) {
        return ss_fail(b->ctx, SS_ERR_MEMORY, "no memory for an answer of Chromium");
    }
    b->message = fresh;
    b->room    = room;
    return SS_OK;
}

/* The next message, up to its zero byte; what came after it waits behind it. */
static ss_status read_message(ss_browser *b)
{
    size_t used = b->size > 0 ? b->size + 1 : 0, look = 0;
    memmove(b->message, b->message + used, b->filled - used);
    b->filled -= used;
    for (b->size = 0;;) {
        char *end = memchr(b->message + look, '\0', b->filled - look);
        if (end != NULL) {
            b->size = (size_t)(end - b->message);
            return SS_OK;
        }
        look               = b->filled;
        struct pollfd wait = {.fd = b->from, .events = POLLIN};
        SS_TRY(make_room(b));
        if (poll(&wait, 1, 1000 * ANSWER_SECONDS) <= 0) {
            return lost(b, "does not answer");
        }
        ssize_t got = read(b->from, b->message + b->filled, b->room - b->filled);
        if (got <= 0) {
            return lost(b, "ended unexpectedly");
        }
        b->filled += (size_t)got;
    }
}

/* Send a command and wait for its answer; events on the way are passed over. */
static ss_status ask(ss_browser *b, const char *method, const char *params)
{
    char  head[64];
    int   id      = ++b->last_id;
    char *command = malloc(strlen(method) + strlen(params) + sizeof b->session + 128);
    if (command == NULL) {
        return ss_fail(b->ctx, SS_ERR_MEMORY, "no memory for a command to Chromium");
    }
    int length = sprintf(command, "{\"id\":%d,\"method\":\"%s\",\"params\":%s", id, method, params);
    if (b->session[0] != '\0') {
        length += sprintf(command + length, ",\"sessionId\":\"%s\"", b->session);
    }
    length += sprintf(command + length, "}");
    bool sent = write(b->to, command, (size_t)length + 1) == length + 1;
    free(command);
    if (!sent) {
        return lost(b, "took no command");
    }
    snprintf(head, sizeof head, "{\"id\":%d,", id);
    do {
        SS_TRY(read_message(b));
    } while (strncmp(b->message, head, strlen(head)) != 0);
    return strstr(b->message, "\"error\":{") == NULL || strstr(b->message, "\"result\":") != NULL
               ? SS_OK
               : ss_fail(b->ctx, SS_ERR_IO, "Chromium refused %s: %.200s", method, b->message);
}

/* The text of "key":"text" in the last answer; NULL when it is not there. */
static char *text_of(ss_browser *b, const char *key)
{
    char  pattern[64];
    char *at;
    snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    at = strstr(b->message, pattern);
    if (at == NULL) {
        return NULL;
    }
    at += strlen(pattern);
    at[strcspn(at, "\"")] = '\0';
    return at;
}

static ss_status attach(ss_browser *b, const char *url)
{
    char params[2 * PATH_MAX + 64];
    snprintf(params, sizeof params, "{\"url\":\"%s\"}", url);
    SS_TRY(ask(b, "Target.createTarget", params));
    const char *target = text_of(b, "targetId");
    snprintf(params, sizeof params, "{\"targetId\":\"%s\",\"flatten\":true}",
             target != NULL ? target : "");
    SS_TRY(ask(b, "Target.attachToTarget", params));
    const char *session = text_of(b, "sessionId");
    if (session == NULL) {
        return lost(b, "opened no page");
    }
    snprintf(b->session, sizeof b->session, "%s", session);
    return SS_OK;
}

static bool absolute_path(const char *path, char *out, size_t size)
{
    if (path[0] == '/') {
        return (size_t)snprintf(out, size, "%s", path) < size;
    }
    if (getcwd(out, size) == NULL) {
        return false;
    }
    size_t used = strlen(out);
    return (size_t)snprintf(out + used, size - used, "/%s", path) < size - used;
}

/* A path as the address of a file; everything unusual is escaped. */
static void file_address(const char *path, const ss_browser_look *look, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "file://");
    for (; *path != '\0' && n + 4 < size; path++) {
        bool plain = strchr("/-_.~", *path) != NULL || (*path >= '0' && *path <= '9') ||
                     (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z');
        n += (size_t)snprintf(out + n, size - n, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    n += (size_t)snprintf(out + n, size - n, "#shot&theme=light%s", look->clear ? "&clear" : "");
    if (look->layers != NULL && n < size) {
        n += (size_t)snprintf(out + n, size - n, "&layers=%s", look->layers);
    }
    if (look->view != NULL && n < size) {
        snprintf(out + n, size - n, "&view=%s", look->view);
    }
}

static ss_status wait_until_ready(ss_browser *b)
{
    SS_TRY(ask(b, "Runtime.evaluate",
               "{\"expression\":\"new Promise(done=>{const look=()=>window.stickslip?.ready?"
               "done('ready'):document.querySelector('.fatal')?done('failed'):"
               "setTimeout(look,20);look()})\",\"awaitPromise\":true,\"returnByValue\":true}"));
    return strstr(b->message, "\"ready\"") != NULL ? SS_OK : lost(b, "could not show the report");
}

ss_status ss_browser_open(ss_browser *b, ss_context *ctx, const char *path,
                          const ss_browser_look *look)
{
    char full[PATH_MAX], url[2 * PATH_MAX], params[160];
    *b = (ss_browser){.ctx = ctx, .to = -1, .from = -1};
    SS_TRY(make_room(b));
    if (!absolute_path(path, full, sizeof full)) {
        return ss_fail(ctx, SS_ERR_IO, "%s: %s", path, strerror(errno));
    }
    signal(SIGPIPE, SIG_IGN);
    SS_TRY(start_browser(b));
    file_address(full, look, url, sizeof url);
    SS_TRY(attach(b, url));
    snprintf(params, sizeof params,
             "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false}", look->width,
             look->height);
    SS_TRY(ask(b, "Emulation.setDeviceMetricsOverride", params));
    if (look->clear) {
        SS_TRY(ask(b, "Emulation.setDefaultBackgroundColorOverride",
                   "{\"color\":{\"r\":0,\"g\":0,\"b\":0,\"a\":0}}"));
    }
    return wait_until_ready(b);
}

void ss_browser_close(ss_browser *b)
{
    if (b->process > 0) {
        close(b->to);
        close(b->from);
        kill(b->process, SIGTERM);
        waitpid(b->process, NULL, 0);
    }
    free(b->message);
    b->process = 0;
    b->message = NULL;
}

ss_status ss_browser_seek(ss_browser *b, double t)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"expression\":\"window.stickslip.seek(%.17g)\",\"awaitPromise\":true}", t);
    return ask(b, "Runtime.evaluate", params);
}

static int base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static size_t decode_base64(const char *text, unsigned char *out)
{
    size_t   n    = 0;
    unsigned word = 0;
    int      bits = 0;
    for (; *text != '\0'; text++) {
        int digit = base64_digit(*text);
        if (digit < 0) {
            continue;
        }
        word = word << 6 | (unsigned)digit;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[n++] = (unsigned char)(word >> bits);
        }
    }
    return n;
}

ss_status ss_browser_picture(ss_browser *b, unsigned char **png, size_t *size)
{
    SS_TRY(ask(b, "Page.captureScreenshot", "{\"format\":\"png\"}"));
    const char *data = text_of(b, "data");
    if (data == NULL) {
        return lost(b, "gave no picture");
    }
    *png = malloc(strlen(data));
    if (*png == NULL) {
        return ss_fail(b->ctx, SS_ERR_MEMORY, "no memory for a picture");
    }
    *size = decode_base64(data, *png);
    return SS_OK;
}

/* ---- ffmpeg ---- */

ss_status ss_encoder_open(ss_encoder *e, ss_context *ctx, const char *path, int rate)
{
    static const char *const names[] = {"ffmpeg", NULL};
    char                     found[PATH_MAX], rate_text[16];
    const char              *command = find_command(names, found, sizeof found);
    int                      ends[2];
    *e = (ss_encoder){.ctx = ctx, .path = path};
    if (command == NULL) {
        return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                       "videos need ffmpeg, which is not installed (Debian: apt install ffmpeg)");
    }
    if (pipe(ends) != 0) {
        return ss_fail(ctx, SS_ERR_IO, "a pipe to ffmpeg: %s", strerror(errno));
    }
    snprintf(rate_text, sizeof rate_text, "%d", rate);
    fflush(NULL);
    e->process = fork();
    if (e->process == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(command, command, "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate",
              rate_text, "-c:v", "png", "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
              path, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    e->input = fdopen(ends[1], "wb");
    return e->process > 0 && e->input != NULL
               ? SS_OK
               : ss_fail(ctx, SS_ERR_IO, "ffmpeg could not be started");
}

ss_status ss_encoder_add(ss_encoder *e, const unsigned char *png, size_t size)
{
    return fwrite(png, 1, size, e->input) == size
               ? SS_OK
               : ss_fail(e->ctx, SS_ERR_IO, "%s: ffmpeg took no more pictures", e->path);
}

ss_status ss_encoder_close(ss_encoder *e)
{
    int status = 0;
    if (e->input != NULL) {
        fclose(e->input);
    }
    if (e->process > 0) {
        waitpid(e->process, &status, 0);
    }
    e->input   = NULL;
    e->process = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? SS_OK
               : ss_fail(e->ctx, SS_ERR_IO, "%s: ffmpeg failed", e->path);
}
