/* SPDX-License-Identifier: Apache-2.0 */
/* corners: exact. One branch of each pair, searched for in rounds (branches.c). */
#include "model/axes.h"

const ss_corners_class ss_corners_exact = {.name = "exact"};
