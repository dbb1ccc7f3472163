/* SPDX-License-Identifier: Apache-2.0 */
#include "demand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "progress.h"
#include "serve.h"

void ss_cli_open_browser(const char *url)
{
    fflush(NULL); /* or the child prints what is still in our buffers */
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL ||
            freopen("/dev/null", "w", stderr) == NULL) {
            _exit(127);
        }
        execlp("xdg-open", "xdg-open", url, (char *)NULL);
        _exit(127);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

ss_status ss_cli_temporary(ss_context *ctx, char *out, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(out, size, "%s/stickslip-XXXXXX", folder != NULL ? folder : "/tmp");
    int file = mkstemp(out);
    if (file < 0) {
        return ss_fail(ctx, SS_ERR_IO, "%s: %s", out, strerror(errno));
    }
    close(file);
    return SS_OK;
}

/* The whole file, which is removed; NULL: it cannot be read. */
static char *take_file(const char *path, size_t *size)
{
    FILE *file  = fopen(path, "rb");
    char *bytes = NULL;
    long  end   = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end >= 0) {
        bytes = malloc((size_t)end + 1);
        rewind(file);
        *size = bytes != NULL ? fread(bytes, 1, (size_t)end, file) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    (void)remove(path);
    return bytes;
}

static ss_status put_file(ss_context *ctx, ss_server *s, const char *path, const char *from)
{
    size_t size  = 0;
    char  *bytes = take_file(from, &size);
    if (bytes == NULL) {
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be read", from);
    }
    bool kept = ss_server_put(s, path, bytes, size);
    free(bytes);
    return kept ? SS_OK : ss_fail(ctx, SS_ERR_MEMORY, "no memory for a page");
}

/* "/folder/12" with a number that there is; -1: it is something else. */
static int64_t number_of(const ss_demand *d, const char *path)
{
    size_t length = strlen(d->folder);
    char  *end    = NULL;
    if (path[0] != '/' || strncmp(path + 1, d->folder, length) != 0 || path[1 + length] != '/' ||
        path[2 + length] < '0' || path[2 + length] > '9') {
        return -1;
    }
    long long n = strtoll(path + 2 + length, &end, 10);
    return *end == '\0' && n < d->count ? (int64_t)n : -1;
}

static void answer(ss_context *ctx, const ss_demand *d, ss_server *s, const char *path)
{
    char      file[512];
    int64_t   number = number_of(d, path);
    ss_status status = number >= 0 ? ss_cli_temporary(ctx, file, sizeof file) : SS_ERR_INPUT;
    if (status == SS_OK) {
        status = d->make(d->user, number, file);
        if (status == SS_OK) {
            status = put_file(ctx, s, path, file);
        } else {
            (void)remove(file);
        }
    }
    if (status != SS_OK) {
        if (number >= 0) {
            ss_cli_fail(ctx, status);
        }
        ss_server_refuse(s, path);
    }
}

ss_status ss_cli_serve_on_demand(ss_context *ctx, const ss_demand *d)
{
    const struct timespec        pause     = {.tv_nsec = 20000000};
    const volatile sig_atomic_t *interrupt = ss_cli_catch_interrupt();
    ss_server                   *s         = NULL;
    char                         path[SS_SERVER_PATH];
    ss_status                    status = ss_server_open_pages(ctx, d->port, &s);
    if (status == SS_OK) {
        status = put_file(ctx, s, "/", d->page);
    }
    if (status == SS_OK) {
        char url[64];
        snprintf(url, sizeof url, "http://%s/", ss_server_name(s));
        printf("%s  (Ctrl-C ends)\n", url);
        fflush(stdout);
        if (!d->no_open) {
            ss_cli_open_browser(url);
        }
    }
    while (status == SS_OK && !*interrupt) {
        if (ss_server_asked(s, path)) {
            answer(ctx, d, s, path);
        } else {
            nanosleep(&pause, NULL);
        }
    }
    ss_server_close(s);
    return status;
}
