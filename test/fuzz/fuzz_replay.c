/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target without libFuzzer: runs it on the files given, then on their descendants: cuts,
 * flipped bits, numbers replaced, pieces doubled. The same ones every time.
 *
 *   fuzz_x ROUNDS FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LARGEST = 1 << 16 };

static uint64_t seed = 88172645463325252u;

static size_t below(size_t limit)
{
    seed ^= seed << 13; /* xorshift64 */
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed % limit);
}

static size_t mutate(uint8_t *bytes, size_t size)
{
    static const char *const words[] = {"0",          "-1",          "1e308", "nan",
                                        "2147483647", "99999999999", "x"};
    size_t                   at      = below(size);
    switch (below(5)) {
    case 0: /* cut */
        return at;
    case 1: /* flip */
        bytes[at] ^= (uint8_t)(1u << below(8));
        return size;
    case 2: { /* overwrite with a word that means trouble */
        const char *word   = words[below(sizeof words / sizeof words[0])];
        size_t      length = strlen(word) < size - at ? strlen(word) : size - at;
        memcpy(bytes + at, word, length);
        return size;
    }
    case 3: { /* move a piece */
        size_t length = below(size - at) + 1, to = below(size - length + 1);
        memmove(bytes + to, bytes + at, length);
        return size;
    }
    default: { /* double the tail */
        size_t length = size - at < LARGEST - size ? size - at : LARGEST - size;
        memcpy(bytes + size, bytes + at, length);
        return size + length;
    }
    }
}

static void run_file(const char *path, long rounds)
{
    static uint8_t bytes[LARGEST], changed[LARGEST];
    FILE          *f = fopen(path, "rb");
    if (f == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    LLVMFuzzerTestOneInput(bytes, size);
    for (long k = 0; k < rounds && size > 0; k++) {
        size_t length = size;
        memcpy(changed, bytes, size);
        for (size_t step = below(4) + 1; step > 0 && length > 0; step--) {
            length = mutate(changed, length);
        }
        uint8_t *exact = malloc(length + 1); /* its end is where reading too far is caught */
        memcpy(exact, changed, length);
        LLVMFuzzerTestOneInput(exact, length);
        free(exact);
    }
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 0;
    for (int i = 2; i < argc; i++) {
        run_file(argv[i], rounds);
    }
    printf("%d files, %ld descendants each\n", argc - 2, rounds);
    return argc > 2 ? 0 : 1;
}
