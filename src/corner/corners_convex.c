/* SPDX-License-Identifier: Apache-2.0 */
/* corners: convex. Every face in reach holds, extended beyond its edges. For comparison. */
#include "model/axes.h"

const ss_corners_class ss_corners_convex = {.name = "convex", .together = true};
