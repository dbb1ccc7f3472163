/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the features of a shape: the kind in the high bits, the index in the low ones. */
#ifndef SS_COLLIDE_FEATURE_H
#define SS_COLLIDE_FEATURE_H

#include <stdint.h>

enum {
    SS_FEATURE_SURFACE    = 0, /* a smooth surface: index 0, or which part of it */
    SS_FEATURE_VERTEX     = 1u << 28,
    SS_FEATURE_EDGE       = 2u << 28,
    SS_FEATURE_FACE       = 3u << 28,
    SS_FEATURE_INDEX_MASK = (1u << 28) - 1
};

static inline uint32_t ss_feature(uint32_t kind, int32_t index)
{
    return kind | ((uint32_t)index & (uint32_t)SS_FEATURE_INDEX_MASK);
}

#endif
