/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of report/: name, meaning, why this value, what if it were ten times larger.
 * Without units: relative to what is compared. */
#ifndef SS_REPORT_TOLERANCES_H
#define SS_REPORT_TOLERANCES_H

/* Plots: the least half height of the axis of a constant, numbers so small that they have no range,
   and how far beside a mark, in steps, still is on it. Ten times larger: nothing that is seen. */
#define SS_PLOT_LEAST   1e-12
#define SS_PLOT_NOTHING 1e-300
#define SS_PLOT_ON_MARK 1e-9

#endif
