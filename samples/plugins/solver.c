/* SPDX-License-Identifier: Apache-2.0 */
/* A solver as a plug-in: the class is that of samples/out_of_tree_solver, the table is all there is
 * to it. */
#include <stickslip/plugin.h>

#include "../out_of_tree_solver/damped_jacobi.h"

static const ss_solver_class *const solvers[] = {&damped_jacobi, NULL};

SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "jacobi", "damped projected Jacobi for LCPs",
                   .solvers = solvers};
