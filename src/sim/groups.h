/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of bodies that take a step by themselves (groups.c); take_groups.c says in which order. */
#ifndef SS_SIM_GROUPS_H
#define SS_SIM_GROUPS_H

#include "model/data.h"

/* A step, of which it is not known yet whether it is taken by groups. Not where controllers look at
   all bodies, nor by what deflections and supports tie together. */
void ss_begin_apart(ss_data *d);
/* Before the first group. Bodies are in the groups of d->apart.group. */
ss_status ss_begin_groups(ss_data *d);
/* A group, SS_APART_REST too: from the start of the step on d->model is about its bodies alone, and
   when they have taken it, what they left is kept. */
bool      ss_group_is_empty(const ss_data *d, int32_t group);
ss_status ss_begin_group(ss_data *d, int32_t group);
ss_status ss_end_group(ss_data *d, double h);
/* Groups whose bodies turned out so fast that they could have met are one from now on: *met. */
ss_status ss_join_groups(ss_data *d, double h, bool *met);
/* All bodies as the groups left them, with the model of all of them. */
ss_status ss_end_groups(ss_data *d, double h);

#endif
