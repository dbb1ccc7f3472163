/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings that `identify` compares with: any bytes as CSV, or an HDF5 file with the arrays that
 * the input asks for. Read and scored, or refused in words. The first byte says which.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef SS_HAVE_HDF5
#include <hdf5.h>
#endif

#include "fuzz.h"
#include "stickslip/identify.h"

static const char scene[] = "dimension: 2\ngravity: [0, 0]\nparams: {by: 0.3, mu: 0.1}\n"
                            "bodies:\n"
                            "  - {name: part, type: dynamic, mass: 1, shape: {box: {size: [0.2, "
                            "0.1]}}, velocity: [by, 0]}\n"
                            "simulation: {step: 0.05, duration: 0.1}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user, (void)name;
    *text   = scene;
    *length = sizeof scene - 1;
    return true;
}

/* `more`: what the study says of its data besides the file. */
static void identify(const char *path, const char *columns, const char *more)
{
    char               text[512];
    ss_context        *ctx   = ss_context_create(NULL);
    ss_study          *study = NULL;
    ss_identification *id    = NULL;
    ss_study_def       def   = {.find_scene = find};
    ss_identify_def    how   = {.threads = 1};
    snprintf(text, sizeof text,
             "study: identify\nscene: a\nmethod: none\nnoise: {position: 1e-3, angle: 0.1}\nfree: "
             "{params.by: {bounds: [0, 1, 0.3]}}\n"
             "data: {files: [%s], columns: %s%s}\n",
             path, columns, more);
    ss_status status = ss_study_load_text(ctx, text, strlen(text), "./a.yaml", &def, &study);
    if (status == SS_OK) {
        status = ss_study_identify(ctx, study, &how, &id);
    }
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_identification_destroy(id);
    ss_study_destroy(study);
    ss_context_destroy(ctx);
}

static void as_table(const uint8_t *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "fuzz_recording.%ld.csv", (long)getpid());
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
        abort();
    }
    identify(path, "{t: time, part.x: x}", ", units: {time: 0.5}");
    identify(path, "{t: time, part.x: x, part.angle: a}", ", by: run, set: {params.mu: v}");
    unlink(path);
}

#ifdef SS_HAVE_HDF5
enum { NUMBERS = 512 };

/* Type, rank, dimensions, numbers: a byte each; the numbers are what is left. */
static size_t put_array(hid_t file, const char *name, const uint8_t *data, size_t size)
{
    static double x[NUMBERS];
    uint8_t       head[6] = {0};
    size_t        have    = size < sizeof head ? size : sizeof head;
    memcpy(head, data, have);
    hsize_t dims[4] = {head[2] % 8u, head[3] % 4u, head[4] % 4u, 2};
    for (size_t i = 0; i < NUMBERS; i++) {
        uint8_t byte = size > have ? data[have + i % (size - have)] : (uint8_t)i;
        x[i]         = byte == 255   ? 1e308
                       : byte == 254 ? 0.0 / (byte - 254.0)
                                     : 0.01 * (double)i + (byte - 128) * 1e-3;
    }
    static const int ranks[] = {1, 2, 3, 4, 0, 1, 1, 2};
    hid_t            types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,
                                H5T_NATIVE_INT32,  H5T_C_S1,          H5T_NATIVE_DOUBLE};
    int              rank    = ranks[head[1] % 8];
    hid_t            space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t            set =
        H5Dcreate2(file, name, types[head[0] % 6], space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0) {
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
        H5Dclose(set);
    }
    H5Sclose(space);
    return have;
}

static void as_arrays(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {"{t: t, part.x: x}", "{t: t, part.x: \"x[1]\"}",
                                          "{t: \"t[0]\", part.x: \"x[1,2]\"}"};
    char                     path[64];
    snprintf(path, sizeof path, "fuzz_recording.%ld.h5", (long)getpid());
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) {
        abort();
    }
    size_t used = put_array(file, "t", data, size);
    put_array(file, "x", data + used, size - used);
    H5Fclose(file);
    for (int i = 0; i < 3; i++) {
        identify(path, columns[i], "");
    }
    unlink(path);
}
#else
static void as_arrays(const uint8_t *data, size_t size)
{
    (void)data, (void)size;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 'h') {
        as_arrays(data + 1, size - 1);
    } else if (size > 0) {
        as_table(data + 1, size - 1);
    }
    return 0;
}
