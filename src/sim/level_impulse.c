/* SPDX-License-Identifier: Apache-2.0 */
/* level: impulse. Time-stepping: the stages of one step (step.c). */
#include "model/axes.h"

const ss_level_class ss_level_impulse = {.name = "impulse"};
