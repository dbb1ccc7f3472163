/* SPDX-License-Identifier: Apache-2.0 */
/*
 * COLLADA by assimp's C interface. Its reader believes what a file says: indices outside their
 * lists, nodes that contain themselves, strides of 2^31. So it runs in a child process with limits
 * on memory and time, which sends the corners back through a pipe; when it crashes or hangs, the
 * file is refused and nothing else happens.
 */
#include "core/clock.h"
#include "geom/mesh_soup.h"
#include "geom/tolerances.h"

#ifdef SS_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- in the child ---- */

/* Nine numbers; NaN says that all triangles have been sent. */
static bool send_numbers(int to, const double x[9])
{
    const char *at = (const char *)x;
    for (size_t left = 9 * sizeof x[0]; left > 0;) {
        ssize_t n = write(to, at, left);
        if (n <= 0) {
            return false;
        }
        at += n;
        left -= (size_t)n;
    }
    return true;
}

static bool send_triangle(int to, const struct aiMesh *mesh, const struct aiFace *face)
{
    double x[9];
    for (unsigned i = 0; i < 3; i++) {
        if (face->mIndices[i] >= mesh->mNumVertices) {
            return false;
        }
        const struct aiVector3D *v = &mesh->mVertices[face->mIndices[i]];
        if (!isfinite(v->x) || !isfinite(v->y) || !isfinite(v->z)) {
            return false;
        }
        x[3 * i]     = (double)v->x;
        x[3 * i + 1] = (double)v->y;
        x[3 * i + 2] = (double)v->z;
    }
    return send_numbers(to, x);
}

static bool send_scene(int to, const struct aiScene *scene)
{
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            if (mesh->mFaces[f].mNumIndices == 3 && !send_triangle(to, mesh, &mesh->mFaces[f])) {
                return false;
            }
        }
    }
    const double end[9] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    return send_numbers(to, end);
}

static void limit(int what, rlim_t value)
{
    struct rlimit most = {value, value};
    setrlimit(what, &most);
}

/* Coordinates as they stand in the file: assimp would turn the z axis of COLLADA files to y. */
static const struct aiScene *import(const char *path)
{
    unsigned                flags = aiProcess_Triangulate | aiProcess_PreTransformVertices;
    struct aiPropertyStore *store = aiCreatePropertyStore();
    if (store == NULL) {
        return NULL;
    }
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    const struct aiScene *scene = aiImportFileExWithProperties(path, flags, NULL, store);
    aiReleasePropertyStore(store);
    return scene;
}

/* Sanitizers need terabytes of addresses. */
#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Bytes of addresses that the process has already, its parent's; 0: not known. */
static rlim_t addresses_taken(void)
{
    unsigned long pages = 0;
    FILE         *f     = fopen("/proc/self/statm", "r");
    if (f != NULL && fscanf(f, "%lu", &pages) != 1) {
        pages = 0;
    }
    if (f != NULL) {
        fclose(f);
    }
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (rlim_t)pages * (rlim_t)size : 0;
}

static rlim_t bytes_for(const char *path)
{
    struct stat info;
    rlim_t      bytes = SS_MESH_CHILD_LEAST;
    if (stat(path, &info) == 0 && info.st_size > 0) {
        bytes += SS_MESH_CHILD_PER_BYTE * (rlim_t)info.st_size;
    }
    return bytes < SS_MESH_CHILD_BYTES ? bytes : SS_MESH_CHILD_BYTES;
}

/* Nothing of the parent's is put in order here: the process ends with _exit(). */
static void be_the_child(int to, const char *path)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO); /* what a crash would print is no message of ours */
        dup2(nowhere, STDOUT_FILENO);
    }
    signal(SIGPIPE, SIG_DFL);
    if (!SANITIZED) {
        limit(RLIMIT_AS, addresses_taken() + bytes_for(path));
    }
    limit(RLIMIT_CPU, SS_MESH_CHILD_SECONDS);
    limit(RLIMIT_CORE, 0);
    const struct aiScene *scene = import(path);
    _exit(scene != NULL && send_scene(to, scene) ? 0 : 1);
}

/* ---- in the parent ---- */

/* Bytes from the child; 0 at its end or when time is up. */
static ssize_t receive(int from, void *to, size_t size, double until)
{
    for (;;) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        double        left = until - ss_clock_seconds();
        int           some = left > 0 ? poll(&wait, 1, (int)(1e3 * left) + 1) : 0;
        if (some < 0 && errno == EINTR) {
            continue;
        }
        return some > 0 ? read(from, to, size) : 0;
    }
}

/* The triangles, up to the mark that ends them. */
static ss_status collect(ss_soup *s, int from)
{
    double  until = ss_clock_seconds() + SS_MESH_CHILD_SECONDS;
    double  x[9];
    size_t  have = 0;
    ssize_t n;
    while ((n = receive(from, (char *)x + have, sizeof x - have, until)) > 0) {
        have += (size_t)n;
        if (have < sizeof x) {
            continue;
        }
        if (isnan(x[0])) {
            return SS_OK;
        }
        SS_TRY(ss_soup_add(s, ss_v3(x[0], x[1], x[2]), ss_v3(x[3], x[4], x[5]),
                           ss_v3(x[6], x[7], x[8])));
        have = 0;
    }
    return ss_fail(s->ctx, SS_ERR_INPUT,
                   "%s: damaged, not COLLADA, or larger than it can be: it cannot be read",
                   s->name);
}

ss_status ss_mesh_dae(ss_soup *s, const char *path)
{
    int ends[2], how;
    if (pipe(ends) != 0) {
        return ss_fail(s->ctx, SS_ERR_IO, "%s: %s", s->name, strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_the_child(ends[1], path);
    }
    close(ends[1]);
    ss_status status = child > 0 ? collect(s, ends[0])
                                 : ss_fail(s->ctx, SS_ERR_IO, "%s: no process to read it in: %s",
                                           s->name, strerror(errno));
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL); /* it has sent everything, or its time is up */
        while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
        }
    }
    return status;
}

#else

ss_status ss_mesh_dae(ss_soup *s, const char *path)
{
    return ss_fail(s->ctx, SS_ERR_UNSUPPORTED,
                   "%s: COLLADA needs a build with assimp (SS_WITH_ASSIMP=ON); STL and OBJ do not",
                   path);
}

#endif
