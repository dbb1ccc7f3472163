/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* flock, lstat; NOLINT(bugprone-reserved-identifier) */
#include "files/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/input.h"

enum { LETTERS = 6, TRIES = 100, MARK_SIZE = 64 };
static const char lock_mark[] = "stickslip holds this name while a run writes to it\n";

static ss_status io_error(const ss_part *p, const char *path)
{
    return ss_fail(p->ctx, SS_ERR_IO, "%s: %s", path, strerror(errno));
}

int ss_part_create(const char *name)
{
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Letters that nobody can guess; without a source of chance they are only unlikely. */
static void random_letters(char *out)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char     bytes[LETTERS];
    struct timespec   t;
    int               source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (source < 0 || read(source, bytes, sizeof bytes) != (ssize_t)sizeof bytes) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        unsigned long long x = (unsigned long long)t.tv_nsec ^ (unsigned long long)getpid() << 20;
        for (int i = 0; i < LETTERS; i++, x = x * 6364136223846793005u + 1442695040888963407u) {
            bytes[i] = (unsigned char)(x >> 40);
        }
    }
    if (source >= 0) {
        close(source);
    }
    for (int i = 0; i < LETTERS; i++) {
        out[i] = digits[bytes[i] % (sizeof digits - 1)];
    }
    out[LETTERS] = '\0';
}

static const char *joined(ss_part *p, const char *letters, const char *ending)
{
    size_t size = strlen(p->name) + LETTERS + 16;
    char  *text = ss_pool_alloc(&p->pool, size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%s%s%s", p->name, letters[0] != '\0' ? "." : "", letters, ending);
    }
    return text;
}

ss_status ss_part_test(ss_context *ctx, const char *path)
{
    struct stat info;
    if (path[0] == '\0') {
        return ss_fail(ctx, SS_ERR_INPUT, "the name of a file to write is empty");
    }
    if (lstat(path, &info) != 0) {
        return SS_OK; /* it is not there yet, or opening it will tell */
    }
    if (S_ISLNK(info.st_mode)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s: is a link: what it leads to is not touched (give its own name)", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return ss_fail(
            ctx, SS_ERR_INPUT,
            "%s: is not a file (but a folder, a device or a pipe): it cannot be replaced", path);
    }
    return ss_input_is_kept(ctx, path)
               ? ss_fail(ctx, SS_ERR_INPUT, "%s: is a file that is read: it would be lost", path)
               : SS_OK;
}

static ss_status name_files(ss_part *p, const char *path)
{
    int ok       = 1;
    p->name      = ss_pool_text(&p->pool, path, &ok);
    p->lock_name = ok ? joined(p, "", ".lock") : NULL;
    return p->lock_name != NULL ? SS_OK : ss_fail(p->ctx, SS_ERR_MEMORY, "%s: no memory", path);
}

/* Is the name still that of the file that was locked? Its owner may have removed it meanwhile. */
static bool still_named(int file, const char *name)
{
    struct stat here, there;
    return fstat(file, &here) == 0 && lstat(name, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

/* Does the lock file belong to us: is it empty, or does it hold our mark? */
static bool is_ours(int file)
{
    char    text[MARK_SIZE] = {0};
    ssize_t size            = pread(file, text, sizeof text - 1, 0);
    return size == 0 || (size > 0 && strcmp(text, lock_mark) == 0);
}

/* Not ours to remove. */
static void let_go(ss_part *p)
{
    close(p->lock);
    p->lock = -1;
}

static ss_status in_the_way(const ss_part *p)
{
    return ss_fail(p->ctx, SS_ERR_INPUT, "%s: is in the way, and not a lock of stickslip",
                   p->lock_name);
}

/* Did the name of the lock not open because it is that of a link, a folder or a device? */
static bool is_no_file(int error)
{
    return error == ELOOP || error == EISDIR || error == ENXIO;
}

static ss_status take_lock(ss_part *p)
{
    for (int tries = 0; tries < TRIES; tries++) {
        struct stat info;
        int         mode = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
        p->lock          = open(p->lock_name, mode, 0666);
        if (p->lock < 0) {
            return is_no_file(errno) ? in_the_way(p)
                                     : ss_fail(p->ctx, SS_ERR_IO, "%s: cannot be written: %s",
                                               p->name, strerror(errno));
        }
        if (fstat(p->lock, &info) != 0 || !S_ISREG(info.st_mode) || !is_ours(p->lock)) {
            let_go(p);
            return in_the_way(p);
        }
        if (flock(p->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            let_go(p);
            return ss_fail(p->ctx, SS_ERR_INPUT, "%s: another run is writing to it", p->name);
        }
        if (still_named(p->lock, p->lock_name)) {
            ssize_t written = pwrite(p->lock, lock_mark, sizeof lock_mark - 1, 0);
            return written == (ssize_t)sizeof lock_mark - 1 ? SS_OK : io_error(p, p->lock_name);
        }
        let_go(p);
    }
    return ss_fail(p->ctx, SS_ERR_IO, "%s: could not be locked", p->name);
}

static ss_status make_part(ss_part *p)
{
    for (int tries = 0; tries < TRIES; tries++) {
        char letters[LETTERS + 1];
        random_letters(letters);
        p->part  = joined(p, letters, ".part");
        p->spare = joined(p, letters, ".spare");
        p->swap  = joined(p, letters, ".swap");
        if (p->part == NULL || p->spare == NULL || p->swap == NULL) {
            p->part = NULL;
            return ss_fail(p->ctx, SS_ERR_MEMORY, "%s: no memory", p->name);
        }
        int file = ss_part_create(p->part);
        if (file >= 0) {
            close(file);
            return SS_OK;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    const char *part = p->part;
    p->part          = NULL;
    return io_error(p, part);
}

ss_status ss_part_lock(ss_part *p, ss_context *ctx, const char *path)
{
    *p               = (ss_part){.ctx = ctx, .pool = {.ctx = ctx}, .lock = -1};
    ss_status status = ss_part_test(ctx, path);
    if (status == SS_OK) {
        status = name_files(p, path);
    }
    if (status == SS_OK) {
        status = take_lock(p);
    }
    if (status != SS_OK) {
        ss_part_release(p, true);
    }
    return status;
}

ss_status ss_part_open(ss_part *p, ss_context *ctx, const char *path)
{
    SS_TRY(ss_part_lock(p, ctx, path));
    ss_status status = make_part(p);
    if (status != SS_OK) {
        ss_part_release(p, true);
    }
    return status;
}

ss_status ss_part_room(const ss_part *p, size_t bytes)
{
    int file = open(p->part, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
        return io_error(p, p->part);
    }
    int why = posix_fallocate(file, 0, (off_t)bytes);
    close(file);
    if (why == ENOSPC || why == EFBIG || why == EDQUOT || why == EIO) {
        errno = why;
        return io_error(p, p->name);
    }
    return SS_OK;
}

static bool sync_path(const char *path)
{
    int  file = open(path, O_RDONLY | O_CLOEXEC);
    bool ok   = file >= 0 && fsync(file) == 0;
    if (file >= 0) {
        close(file);
    }
    return ok;
}

/* The folder remembers the new name; where folders cannot be synced there is nothing to do. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        strcpy(folder, ".");
    } else {
        slash[slash == folder] = '\0';
    }
    (void)sync_path(folder);
}

ss_status ss_part_finish(ss_part *p)
{
    if (!sync_path(p->part) || rename(p->part, p->name) != 0) {
        return io_error(p, p->part);
    }
    sync_folder(p->name);
    p->part = NULL;
    return SS_OK;
}

void ss_part_release(ss_part *p, bool remove_part)
{
    if (p->ctx == NULL) {
        return;
    }
    if (remove_part && p->part != NULL) {
        unlink(p->part);
    }
    if (p->lock >= 0) {
        if (p->lock_name != NULL && is_ours(p->lock)) {
            unlink(p->lock_name);
        }
        close(p->lock);
    }
    ss_pool_free(&p->pool);
    *p = (ss_part){.lock = -1};
}
