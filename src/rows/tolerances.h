/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing where rows are made. */
#ifndef SS_ROWS_TOLERANCES_H
#define SS_ROWS_TOLERANCES_H

/*
 * Approaches slower than this part of what forces change a velocity by in the step are no impacts,
 * whatever the normal. Bodies at rest keep velocities of the size of the certificate's tolerance
 * (1e-9) times that. Ten times larger or smaller: bounces of micrometres per second less or more.
 */
static const double ss_no_push = 1e-6;

/* The same as part of the relative velocity: what slides along a surface does not strike it. */
static const double ss_no_approach = 1e-9;

#endif
