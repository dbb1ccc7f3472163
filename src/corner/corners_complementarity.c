/* SPDX-License-Identifier: Apache-2.0 */
/* corners: complementarity. Small pairs go into the problem whole, which decides (corner_groups.c).
 */
#include "model/axes.h"

const ss_corners_class ss_corners_complementarity = {.name = "complementarity", .posed = true};
