/* SPDX-License-Identifier: Apache-2.0 */
/* Journals: files that are read, cut and written on in place (stickslip/output.h). */
#define _XOPEN_SOURCE 700 /* fdopen, ftruncate; NOLINT(bugprone-reserved-identifier) */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/part_file.h"
#include "stickslip/output.h"

enum { MARK_SIZE = 64 };

static ss_status failed(ss_context *ctx, const char *path)
{
    return ss_fail(ctx, SS_ERR_IO, "%s: the journal cannot be written: %s", path, strerror(errno));
}

/* One that was killed while it wrote its first words is as good as empty. */
static bool begins_with(int file, const char *mark, bool *cut_short)
{
    char    text[MARK_SIZE] = {0};
    size_t  length          = strlen(mark);
    ssize_t have            = pread(file, text, length < sizeof text ? length : sizeof text, 0);
    *cut_short              = have >= 0 && (size_t)have < length;
    return have >= 0 && memcmp(text, mark, (size_t)have) == 0;
}

/* Ours alone, of our kind, and empty where nothing is to be kept. */
static ss_status claim(ss_context *ctx, const char *path, int file, const char *mark, bool keep)
{
    struct stat info;
    bool        cut_short = false;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: is not a file: no journal can be kept in it", path);
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: another run is writing to it", path);
    }
    if (!begins_with(file, mark, &cut_short)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s: is there already and is no such journal: it is left as it is (give "
                       "another name)",
                       path);
    }
    return (keep && !cut_short) || ftruncate(file, 0) == 0 ? SS_OK : failed(ctx, path);
}

ss_status ss_output_journal(ss_context *ctx, const char *path, const char *mark, bool keep,
                            FILE **out)
{
    *out = NULL;
    SS_TRY(ss_part_test(ctx, path));
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0) {
        return failed(ctx, path);
    }
    ss_status status = claim(ctx, path, file, mark, keep);
    if (status == SS_OK) {
        *out   = fdopen(file, "r+b");
        status = *out != NULL ? SS_OK : failed(ctx, path);
    }
    if (status != SS_OK) {
        close(file);
    }
    return status;
}

bool ss_output_journal_cut(FILE *journal, long end)
{
    return fflush(journal) == 0 && ftruncate(fileno(journal), end) == 0 &&
           fseek(journal, end, SEEK_SET) == 0;
}
