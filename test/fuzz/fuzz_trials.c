/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies inside the file of a study, as --resume, --merge and `view` read it: the input says
 * what is wrong with its texts and its table (missing, linked elsewhere, of another type, rank or
 * length, stored in another file) and which bytes the rows have. All else is as a sweep writes it,
 * so that the fuzzer works on our reader and not on HDF5's.
 */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "stickslip/study.h"

static const char scene[] =
    "dimension: 2\nparams: {mu: 0.5}\n"
    "bodies: [{name: part, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}}]\n"
    "simulation: {step: 0.01, duration: 0.1}\n";
static const char study_text[] =
    "study: sweep\nscene: a\nseed: 1\ntrials: 3\nvary: {params.mu: {uniform: [0, 1]}}\n"
    "measure: {far: \"x('part')\"}\n";
static const char *const names[] = {"format", "version", "study", "scene", "columns", "trials"};
enum { NAMES = 6, ROWS = 3, BYTES_MAX = 1 << 16 };
enum { FINE, MISSING, SOFT_LINK, OUTER_LINK, MANY, VARIABLE, OTHER_TYPE, OUTER_STORE, KINDS };

typedef struct input {
    const uint8_t *at, *end;
} input;

static uint8_t take(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user, (void)name;
    *text   = scene;
    *length = sizeof scene - 1;
    return true;
}

/* The type, and the space of as many items as the fault says. */
static void put_wrong(hid_t file, const char *name, int kind, uint8_t many)
{
    hid_t   old = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(old);
    hid_t   list    = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[2] = {many % 9u, 2};
    H5Dclose(old);
    H5Ldelete(file, name, H5P_DEFAULT);
    if (kind == VARIABLE) {
        H5Tclose(type);
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
    } else if (kind == OTHER_TYPE) {
        H5Tclose(type);
        type = H5Tcopy(many % 2 ? H5T_IEEE_F64LE : H5T_STD_U8LE);
    } else if (kind == OUTER_STORE) {
        H5Pset_external(list, "/etc/passwd", 0, H5F_UNLIMITED);
    }
    hid_t space = kind == MANY || strcmp(name, "trials") == 0
                      ? H5Screate_simple(1 + many % 2, dims, NULL)
                      : H5Screate(H5S_SCALAR);
    hid_t set   = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Pclose(list);
    H5Tclose(type);
}

static void spoil(hid_t file, const char *name, int kind, uint8_t many)
{
    if (kind == MISSING || kind == SOFT_LINK || kind == OUTER_LINK) {
        H5Ldelete(file, name, H5P_DEFAULT);
    }
    if (kind == SOFT_LINK) {
        H5Lcreate_soft("/columns", file, name, H5P_DEFAULT, H5P_DEFAULT);
    } else if (kind == OUTER_LINK) {
        H5Lcreate_external("/etc/passwd", "x", file, name, H5P_DEFAULT, H5P_DEFAULT);
    } else if (kind > OUTER_LINK) {
        put_wrong(file, name, kind, many);
    }
}

/* Other bytes in rows of the table, where it is one. */
static void put_bytes(hid_t file, input *in)
{
    static unsigned char rows[BYTES_MAX];
    hid_t                set  = H5Dopen2(file, "trials", H5P_DEFAULT);
    hid_t                type = set >= 0 ? H5Dget_type(set) : -1;
    size_t               size = type >= 0 ? H5Tget_size(type) : 0;
    if (size > 16 && ROWS * size <= BYTES_MAX && H5Dget_storage_size(set) == ROWS * size &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0) {
        while (in->at < in->end) {
            size_t at                = take(in) | (size_t)take(in) << 8;
            rows[at % (ROWS * size)] = take(in);
        }
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (set >= 0) {
        H5Dclose(set);
    }
}

/* True: something of it is a link, or stored elsewhere. */
static bool spoil_file(const char *path, input *in)
{
    bool  outside = false;
    hid_t file    = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) {
        abort();
    }
    for (uint8_t left = take(in) % 4u; left > 0; left--) {
        const char *name = names[take(in) % NAMES];
        int         kind = take(in) % KINDS;
        uint8_t     many = take(in);
        if (H5Lexists(file, name, H5P_DEFAULT) > 0 &&
            H5Oexists_by_name(file, name, H5P_DEFAULT) > 0) {
            spoil(file, name, kind, many);
            outside = outside || (strcmp(name, "columns") != 0 &&
                                  (kind == SOFT_LINK || kind == OUTER_LINK || kind == OUTER_STORE));
        }
    }
    if (H5Lexists(file, "trials", H5P_DEFAULT) > 0) {
        put_bytes(file, in);
    }
    H5Fclose(file);
    return outside;
}

static void read_back(ss_context *ctx, const ss_study *s, const char *path, bool outside)
{
    ss_trials *t = NULL;
    if (ss_trials_create(ctx, s, &t) != SS_OK) {
        abort();
    }
    ss_status status = ss_trials_read(t, path);
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    if (status == SS_OK && outside) {
        abort(); /* what is not in the file is not read, let alone written */
    }
    ss_estimate e = ss_trials_estimate(t, 0, -1);
    if (status == SS_OK && (e.count < 0 || e.count > ROWS)) {
        abort();
    }
    ss_trials_destroy(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input        in    = {data, data + size};
    ss_context  *ctx   = ss_context_create(NULL);
    ss_study    *study = NULL;
    ss_trials   *t     = NULL;
    ss_study_def def   = {.find_scene = find};
    char         path[64];
    snprintf(path, sizeof path, "fuzz_trials.%ld.h5", (long)getpid());
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (ss_study_load_text(ctx, study_text, sizeof study_text - 1, "a.yaml", &def, &study) !=
            SS_OK ||
        ss_trials_create(ctx, study, &t) != SS_OK || ss_trials_write(t, path) != SS_OK) {
        abort();
    }
    bool outside = spoil_file(path, &in);
    read_back(ctx, study, path, outside);
    unlink(path);
    ss_trials_destroy(t);
    ss_study_destroy(study);
    ss_context_destroy(ctx);
    return 0;
}
