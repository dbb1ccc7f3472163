/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sobol's sequence with the direction numbers of Joe and Kuo (SIAM J. Sci. Comput. 30, 2008, set
 * D(6)), scrambled as Owen proposes, by the hash of Laine and Karras in the form of Burley
 * (J. Comput. Graph. Tech. 9, 2020): bits are turned round, so that each bit is flipped depending
 * on those above it alone. Every scrambled coordinate keeps its stratification.
 *
 * Permutations for Latin hypercubes: Kensler's hash ("Correlated multi-jittered sampling", Pixar
 * 2013), a bijection of the next power of two, walked until it falls below n.
 */
#include "study/sobol.h"

typedef struct primitive {
    uint32_t degree, a, m[7];
} primitive;

/* Dimensions 2 .. 21; the first is van der Corput's. */
static const primitive table[SS_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* v[i] = m[i] 2^(32 - i), with the recurrence of the primitive polynomial. */
static void directions(int32_t dimension, uint32_t v[32])
{
    for (uint32_t i = 0; i < 32; i++) {
        if (dimension == 0) {
            v[i] = 1u << (31 - i);
            continue;
        }
        const primitive *p = &table[dimension - 1];
        if (i < p->degree) {
            v[i] = p->m[i] << (31 - i);
            continue;
        }
        v[i] = v[i - p->degree] ^ (v[i - p->degree] >> p->degree);
        for (uint32_t k = 1; k < p->degree; k++) {
            v[i] ^= ((p->a >> (p->degree - 1 - k)) & 1u) * v[i - k];
        }
    }
}

static uint32_t reverse(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

static uint32_t scramble(uint32_t x, uint32_t seed)
{
    x = reverse(x) + seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reverse(x);
}

uint32_t ss_sobol(uint32_t index, int32_t dimension, uint32_t seed)
{
    uint32_t v[32] = {0}, x = 0;
    directions(dimension, v);
    for (uint32_t i = 0; index != 0; i++, index >>= 1) {
        x ^= (index & 1u) * v[i];
    }
    return scramble(x, seed);
}

uint32_t ss_permute(uint32_t i, uint32_t n, uint32_t key)
{
    uint32_t w = n - 1;
    w |= w >> 1;
    w |= w >> 2;
    w |= w >> 4;
    w |= w >> 8;
    w |= w >> 16;
    do {
        i ^= key;
        i *= 0xe170893du;
        i ^= key >> 16;
        i ^= (i & w) >> 4;
        i ^= key >> 8;
        i *= 0x0929eb3fu;
        i ^= key >> 23;
        i ^= (i & w) >> 1;
        i *= 1u | key >> 27;
        i *= 0x6935fa69u;
        i ^= (i & w) >> 11;
        i *= 0x74dcb303u;
        i ^= (i & w) >> 2;
        i *= 0x9e501cc3u;
        i ^= (i & w) >> 2;
        i *= 0xc860a3dfu;
        i &= w;
        i ^= i >> 5;
    } while (i >= n);
    return (uint32_t)(((uint64_t)i + key) % n);
}
