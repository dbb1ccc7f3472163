/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies inside a run file: the input says how many bodies, joints and states there are and
 * which arrays are not as the layout wants them: missing, of another type or rank, with other
 * dimensions, with other numbers, linked elsewhere. They are put into a sound HDF5 file, which is
 * then read as a report reads it. So the fuzzer works on our reader and not on HDF5's.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "runfile/run_hdf5.h"
#include "stickslip/report.h"
#include "stickslip/run_file.h"

enum { TEXTS = 6, TEXT_SIZE = 256, NUMBERS_MAX = 4096 };
static const char *const text_paths[TEXTS] = {"bodies/name", "bodies/type",    "scene/path",
                                              "scene/text",  "scene/resolved", "description"};

typedef struct input {
    const uint8_t *at, *end;
} input;

static uint8_t take(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* What is wrong with an array. */
typedef struct fault {
    uint8_t kind, which, value;
} fault;
enum { FINE, MISSING, OTHER_TYPE, OTHER_RANK, OTHER_DIMENSION, OTHER_NUMBERS, LINKED, KINDS };

typedef struct plan {
    ss_run_size size;
    hsize_t     states;
    fault       faults[SS_RUN_FIELD_COUNT + TEXTS];
    char        text[TEXT_SIZE]; /* of the description */
} plan;

static void put(hid_t file, const char *path, hid_t type, int rank, const hsize_t *dims,
                const void *data)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t set   = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0) {
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Pclose(links);
}

static void put_link(hid_t file, const char *path, bool outside)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (outside) {
        H5Lcreate_external("/etc/passwd", "x", file, path, links, H5P_DEFAULT);
    } else {
        H5Lcreate_soft("/steps/t", file, path, links, H5P_DEFAULT);
    }
    H5Pclose(links);
}

/* One contact a state: 1, and 0 1 2 .. for their offsets; the rest is zero. */
static void fill(int id, double *x, size_t count, const fault *f)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = id == SS_RUN_CONTACTS ? 1 : id == SS_RUN_FIRST || id == SS_RUN_T ? (double)i : 0;
        if (f->kind == OTHER_NUMBERS && i % 4 == f->which % 4u) {
            x[i] = f->value < 200 ? (double)f->value - 100 : (f->value - 227.0) * 7e7;
        }
    }
}

static void put_field(hid_t file, const plan *p, int id)
{
    static double       x[NUMBERS_MAX];
    const ss_run_field *field   = &ss_run_fields[id];
    const fault        *f       = &p->faults[id];
    hsize_t             dims[4] = {0, 1, 1, 1};
    if (ss_run_width(field, &p->size) == 0 || f->kind == MISSING) {
        return;
    }
    int rank = ss_run_dimensions(field, &p->size, p->states, dims);
    if (f->kind == LINKED) {
        put_link(file, field->path, f->which % 2 == 0);
        return;
    }
    if (f->kind == OTHER_RANK) {
        dims[rank] = 1;
        rank += rank < 3 && f->which % 2 ? 1 : -1;
    } else if (f->kind == OTHER_DIMENSION) {
        dims[f->which % rank] = f->value;
    }
    size_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= (size_t)dims[i];
    }
    if (count > NUMBERS_MAX) {
        return;
    }
    fill(id, x, count, f);
    hid_t type = field->type == SS_RUN_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    if (f->kind == OTHER_TYPE) {
        type = f->which % 2                ? H5T_C_S1
               : type == H5T_NATIVE_DOUBLE ? H5T_NATIVE_INT32
                                           : H5T_IEEE_F64LE;
    }
    int32_t ints[NUMBERS_MAX];
    for (size_t i = 0; i < count; i++) {
        ints[i] = (int32_t)x[i];
    }
    put(file, field->path, type, rank, dims, type == H5T_NATIVE_INT32 ? (void *)ints : (void *)x);
}

static void put_text(hid_t file, const plan *p, int which)
{
    char         padded[8 * TEXT_SIZE] = {0};
    const fault *f                     = &p->faults[SS_RUN_FIELD_COUNT + which];
    hsize_t      n                     = which < 2 ? (hsize_t)p->size.bodies : 1;
    hid_t        type                  = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, f->kind == OTHER_TYPE ? H5T_VARIABLE : which == TEXTS - 1 ? TEXT_SIZE : 8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    memcpy(padded, which == TEXTS - 1 ? p->text : "dynamic", which == TEXTS - 1 ? TEXT_SIZE : 8);
    n = f->kind == OTHER_DIMENSION ? f->value % 8u : n;
    if (f->kind == LINKED) {
        put_link(file, text_paths[which], true);
    } else if (f->kind != MISSING && f->kind != OTHER_TYPE) {
        bool list = (which < 2) != (f->kind == OTHER_RANK);
        put(file, text_paths[which], type, list ? 1 : 0, &n, padded);
    }
    H5Tclose(type);
}

static void put_mark(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static void make_plan(plan *p, input *in)
{
    memset(p, 0, sizeof *p);
    p->size   = (ss_run_size){2 + take(in) % 2, 1 + take(in) % 3, take(in) % 3, take(in) % 3,
                              take(in) % 3,     take(in) % 2,     take(in) % 2};
    p->states = take(in) % 6u;
    for (uint8_t left = take(in) % 8u; left > 0; left--) {
        fault *f = &p->faults[take(in) % (SS_RUN_FIELD_COUNT + TEXTS)];
        f->kind  = take(in) % KINDS;
        f->which = take(in);
        f->value = take(in);
    }
    size_t length = (size_t)(in->end - in->at);
    memcpy(p->text, in->at, length < TEXT_SIZE ? length : TEXT_SIZE);
}

static void read_back(const char *path)
{
    ss_context *ctx = ss_context_create(NULL);
    for (int32_t every = 1; every < 3; every++) {
        ss_report  *report;
        const char *json;
        size_t      size;
        if (ss_report_create(ctx, &report) == SS_OK &&
            ss_report_add_file(report, path, "fuzz", every) == SS_OK &&
            (ss_report_header(report, &json, &size) != SS_OK || strchr(json, '<') != NULL)) {
            abort(); /* what was accepted can be shown, and has no markup in it */
        }
        ss_report_destroy(report);
    }
    ss_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    plan  p;
    char  path[64];
    snprintf(path, sizeof path, "fuzz_run_file.%ld.h5", (long)getpid());
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_plan(&p, &in);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) {
        return 0;
    }
    put_mark(file, "format", SS_RUN_FORMAT);
    put_mark(file, "version", SS_RUN_VERSION);
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        put_field(file, &p, id);
    }
    for (int i = 0; i < TEXTS; i++) {
        put_text(file, &p, i);
    }
    H5Fclose(file);
    read_back(path);
    unlink(path);
    return 0;
}
