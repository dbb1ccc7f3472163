/* SPDX-License-Identifier: Apache-2.0 */
/* integrator: euler. The velocities of the end move the bodies (Stewart and Trinkle 1996). */
#include "model/axes.h"

const ss_integrator_class ss_integrator_euler = {.name = "euler"};
