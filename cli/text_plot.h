/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curves over time in a terminal. It is a recorder, so that `run` fills it like any other: the
 * speed of each of the first few moving bodies.
 */
#ifndef SS_CLI_TEXT_PLOT_H
#define SS_CLI_TEXT_PLOT_H

#include "stickslip/record.h"

extern const ss_recorder_class ss_recorder_text_plot;

/* Prints what was recorded; nothing when nothing moved or there was no step. */
void ss_text_plot_print(const ss_recorder *r);

#endif
