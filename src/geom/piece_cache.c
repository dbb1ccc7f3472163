/* SPDX-License-Identifier: Apache-2.0 */
/* Convex pieces kept in files. */
#include "geom/piece_cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "geom/tolerances.h"

enum { PATH_SIZE = 1024 };

/* Changed whenever the way of cutting changes. */
static const char mark[8] = "pieces1";

typedef struct head {
    char     mark[8];
    int32_t  count, corners; /* pieces, corners of all */
    double   covered;
    uint64_t hash; /* of counts and corners */
} head;

/* FNV-1a (Fowler, Noll and Vo), from a start of one's own. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ b[i]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_mesh(uint64_t hash, const ss_mesh *m, double error)
{
    hash = hash_bytes(hash, &error, sizeof error);
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++) {
        hash = hash_bytes(hash, &m->vertices[m->triangles[i]], sizeof(ss_vec3));
    }
    return hash;
}

/* The folder, made if it is not there; false: none is known. */
static bool find_folder(char *path)
{
    const char *own = getenv("STICKSLIP_CACHE"), *user = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int length       = 0;
    if (own != NULL && own[0] == '/') {
        length = snprintf(path, PATH_SIZE, "%s", own);
    } else if (user != NULL && user[0] == '/') {
        length = snprintf(path, PATH_SIZE, "%s/stickslip", user);
    } else if (home != NULL && home[0] == '/') {
        snprintf(path, PATH_SIZE, "%s/.cache", home);
        mkdir(path, 0700);
        length = snprintf(path, PATH_SIZE, "%s/.cache/stickslip", home);
    }
    if (length <= 0 || length >= PATH_SIZE) {
        return false;
    }
    mkdir(path, 0700);
    return true;
}

static bool name_file(const ss_mesh *mesh, double error, char *folder, char *path)
{
    if (mesh->triangle_count < SS_CACHED_FROM || !find_folder(folder)) {
        return false;
    }
    unsigned long long one   = hash_mesh(0xcbf29ce484222325u, mesh, error),
                       other = hash_mesh(0x9e3779b97f4a7c15u, mesh, error);
    int length = snprintf(path, PATH_SIZE, "%s/%016llx%016llx.pieces", folder, one, other);
    return length > 0 && length < PATH_SIZE;
}

static uint64_t hash_pieces(const int32_t *counts, int32_t count, const ss_vec3 *corners,
                            int32_t all)
{
    uint64_t hash = hash_bytes(0xcbf29ce484222325u, counts, (size_t)count * sizeof *counts);
    return hash_bytes(hash, corners, (size_t)all * sizeof *corners);
}

static bool is_sound(const head *h, const int32_t *counts, const ss_vec3 *corners)
{
    int64_t sum    = 0;
    bool    finite = h->covered >= 0 && isfinite(h->covered);
    for (int32_t i = 0; i < h->count; i++) {
        if (counts[i] < 4) {
            return false;
        }
        sum += counts[i];
    }
    for (int32_t i = 0; i < h->corners; i++) {
        finite =
            finite && isfinite(corners[i].x) && isfinite(corners[i].y) && isfinite(corners[i].z);
    }
    return finite && sum == h->corners &&
           h->hash == hash_pieces(counts, h->count, corners, h->corners);
}

static bool read_pieces(ss_geom_set *set, FILE *f, ss_piece_list *out)
{
    head h;
    if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.mark, mark, sizeof mark) != 0 || h.count < 1 ||
        h.count > SS_PIECES_MAX || h.corners < 4 || h.corners > SS_MESH_TRIANGLES_MAX) {
        return false;
    }
    int32_t *counts  = ss_geom_memory(set, (size_t)h.count, sizeof *counts);
    ss_vec3 *corners = ss_geom_memory(set, (size_t)h.corners, sizeof *corners);
    if (counts == NULL || corners == NULL ||
        fread(counts, sizeof *counts, (size_t)h.count, f) != (size_t)h.count ||
        fread(corners, sizeof *corners, (size_t)h.corners, f) != (size_t)h.corners) {
        return false;
    }
    *out = (ss_piece_list){corners, counts, h.count, h.covered};
    return is_sound(&h, counts, corners);
}

bool ss_piece_cache_find(ss_geom_set *set, const ss_mesh *mesh, double error, ss_piece_list *out)
{
    char  folder[PATH_SIZE], path[PATH_SIZE];
    FILE *f = name_file(mesh, error, folder, path) ? fopen(path, "rb") : NULL;
    if (f == NULL) {
        return false;
    }
    bool found = read_pieces(set, f, out);
    fclose(f);
    return found;
}

static bool write_pieces(FILE *f, const ss_piece_list *p)
{
    head h = {.count = p->count, .covered = p->covered};
    memcpy(h.mark, mark, sizeof mark);
    for (int32_t i = 0; i < p->count; i++) {
        h.corners += p->counts[i];
    }
    h.hash = hash_pieces(p->counts, p->count, p->corners, h.corners);
    return fwrite(&h, sizeof h, 1, f) == 1 &&
           fwrite(p->counts, sizeof *p->counts, (size_t)p->count, f) == (size_t)p->count &&
           fwrite(p->corners, sizeof *p->corners, (size_t)h.corners, f) == (size_t)h.corners;
}

void ss_piece_cache_keep(ss_geom_set *set, const ss_mesh *mesh, double error,
                         const ss_piece_list *pieces)
{
    char folder[PATH_SIZE], path[PATH_SIZE], part[PATH_SIZE + 8];
    if (!name_file(mesh, error, folder, path)) {
        return;
    }
    snprintf(part, sizeof part, "%s.XXXXXX", path);
    int   file = mkstemp(part);
    FILE *f    = file >= 0 ? fdopen(file, "wb") : NULL;
    if (f == NULL) {
        return;
    }
    bool written = write_pieces(f, pieces);
    written      = fclose(f) == 0 && written;
    if (!written || rename(part, path) != 0) {
        remove(part);
    } else {
        ss_log(set->ctx, SS_LOG_INFO, "convex pieces are kept as %s", path);
    }
}
