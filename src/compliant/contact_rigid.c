/* SPDX-License-Identifier: Apache-2.0 */
/* contact: rigid. Bodies do not give; the compliance of materials does not count. */
#include "model/axes.h"

const ss_contact_class ss_contact_rigid = {.name = "rigid"};
