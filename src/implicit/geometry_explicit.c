/* SPDX-License-Identifier: Apache-2.0 */
/* geometry: explicit. Gaps are linearised at the start of the step (Stewart and Trinkle 1996). */
#include "model/axes.h"

const ss_geometry_class ss_geometry_explicit = {.name = "explicit"};
