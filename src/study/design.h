/* SPDX-License-Identifier: Apache-2.0 */
/* Designs: see design.c. */
#ifndef SS_STUDY_DESIGN_H
#define SS_STUDY_DESIGN_H

#include "study/study.h"

/* What study files say about designs, for the reference. */
void ss_design_reference(void (*write)(void *user, const char *text), void *user);

#endif
