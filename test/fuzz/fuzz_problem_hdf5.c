/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies inside an HDF5 problem file: the input says which arrays of the two layouts exist, of
 * what type and length, with what numbers; they are put into a sound HDF5 file in memory, which is
 * then read. So the fuzzer works on our readers and not on HDF5's.
 */
#include <hdf5.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

static const char *const paths[] = {"stickslip_problem/version",
                                    "stickslip_problem/M/rows",
                                    "stickslip_problem/M/cols",
                                    "stickslip_problem/M/dense",
                                    "stickslip_problem/M/colptr",
                                    "stickslip_problem/M/rowind",
                                    "stickslip_problem/M/values",
                                    "stickslip_problem/H/rows",
                                    "stickslip_problem/H/cols",
                                    "stickslip_problem/H/dense",
                                    "stickslip_problem/W/rows",
                                    "stickslip_problem/W/cols",
                                    "stickslip_problem/W/dense",
                                    "stickslip_problem/q",
                                    "stickslip_problem/f",
                                    "stickslip_problem/free",
                                    "stickslip_problem/lower",
                                    "stickslip_problem/upper",
                                    "stickslip_problem/axes",
                                    "stickslip_problem/blocks/kind",
                                    "stickslip_problem/blocks/dim",
                                    "stickslip_problem/blocks/mu",
                                    "stickslip_problem/blocks/bound",
                                    "stickslip_problem/solution/z",
                                    "fclib_local/spacedim",
                                    "fclib_local/W/m",
                                    "fclib_local/W/n",
                                    "fclib_local/W/nz",
                                    "fclib_local/W/p",
                                    "fclib_local/W/i",
                                    "fclib_local/W/x",
                                    "fclib_local/V/m",
                                    "fclib_local/V/n",
                                    "fclib_local/V/nz",
                                    "fclib_local/V/p",
                                    "fclib_local/V/i",
                                    "fclib_local/V/x",
                                    "fclib_local/R/m",
                                    "fclib_local/R/n",
                                    "fclib_local/R/nz",
                                    "fclib_local/R/p",
                                    "fclib_local/R/i",
                                    "fclib_local/R/x",
                                    "fclib_local/vectors/q",
                                    "fclib_local/vectors/s",
                                    "fclib_local/vectors/mu",
                                    "fclib_global/spacedim",
                                    "fclib_global/M/m",
                                    "fclib_global/M/n",
                                    "fclib_global/M/nz",
                                    "fclib_global/M/p",
                                    "fclib_global/M/i",
                                    "fclib_global/M/x",
                                    "fclib_global/H/m",
                                    "fclib_global/H/n",
                                    "fclib_global/H/nz",
                                    "fclib_global/H/p",
                                    "fclib_global/H/i",
                                    "fclib_global/H/x",
                                    "fclib_global/vectors/f",
                                    "fclib_global/vectors/w",
                                    "fclib_global/vectors/mu",
                                    "solution/r",
                                    "solution/v",
                                    "guesses/1/r"};
enum { PATHS = (int)(sizeof paths / sizeof paths[0]), LONGEST = 40 };

typedef struct input {
    const uint8_t *at, *end;
} input;

static uint8_t take(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void put(hid_t file, const char *path, hid_t type, hsize_t count, const void *data)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set   = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0) {
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Pclose(links);
}

/* Small numbers mostly, now and then one that is far out. */
static double value_of(uint8_t byte)
{
    return byte < 200 ? (double)(byte % 16) - 2 : byte < 230 ? 1e9 * byte : -1e9 * byte;
}

static void put_array(hid_t file, const char *path, input *in)
{
    uint8_t kind  = take(in);
    size_t  count = take(in) % LONGEST;
    double  reals[LONGEST];
    int32_t ints[LONGEST];
    for (size_t k = 0; k < count; k++) {
        reals[k] = value_of(take(in));
        ints[k]  = (int32_t)(reals[k] > 2e9 ? 2e9 : reals[k] < -2e9 ? -2e9 : reals[k]);
    }
    if (kind % 4 == 1) {
        put(file, path, H5T_NATIVE_INT32, count, ints);
    } else if (kind % 4 == 2) {
        put(file, path, H5T_NATIVE_DOUBLE, count, reals);
    } else if (kind % 4 == 3) {
        put(file, path, H5T_C_S1, count, reals);
    }
}

static void put_type(hid_t file, uint8_t byte)
{
    static const char *const types[] = {"lcp", "mlcp", "mcp", "cone", "x"};
    const char              *name    = types[byte % 5];
    hid_t                    type    = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(name) + (byte > 128));
    put(file, "stickslip_problem/type", type, 1, name);
    H5Tclose(type);
}

/* A file that lives in memory only. */
static hid_t new_file(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 4096, 0);
    hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static void parse_image(hid_t file)
{
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t size  = H5Fget_file_image(file, NULL, 0);
    void   *image = size > 0 ? malloc((size_t)size) : NULL;
    if (image != NULL && H5Fget_file_image(file, image, (size_t)size) == size) {
        ss_context      *ctx = ss_context_create(NULL);
        ss_problem_file *parsed;
        if (ss_problem_file_parse(ctx, "fuzz", image, (size_t)size, NULL, &parsed) == SS_OK) {
            fuzz_use(ss_problem_file_content(parsed));
        }
        ss_problem_file_destroy(parsed);
        ss_context_destroy(ctx);
    }
    free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in   = {data, data + size};
    hid_t file = new_file();
    if (file < 0) {
        return 0;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    put_type(file, take(&in));
    while (in.at < in.end) {
        put_array(file, paths[take(&in) % PATHS], &in);
    }
    parse_image(file);
    H5Fclose(file);
    return 0;
}
