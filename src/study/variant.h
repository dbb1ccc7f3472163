/* SPDX-License-Identifier: Apache-2.0 */
/* Variants whose scene was made otherwise than by overrides: trials and actions of plans. */
#ifndef SS_STUDY_VARIANT_H
#define SS_STUDY_VARIANT_H

#include "stickslip/series.h"

/* Model and data of v->scene. */
ss_status ss_variant_complete(ss_context *ctx, ss_variant *v);

/* How far from each other the body ends that ends furthest from where the other puts it; which. */
double ss_variants_apart(const ss_variant *a, const ss_variant *b, char *body, size_t size);

#endif
