/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are there twice, found by sorting: lists may be as long as a file can be. */
#ifndef SS_CORE_DOUBLES_H
#define SS_CORE_DOUBLES_H

#include "stickslip/base.h"

/*
 * The first of `count` names that one before it has, too; -1: all differ. Names are `stride` bytes
 * apart, from `names` on (a member of the structs of an array); those that are NULL count as none.
 */
ss_status ss_first_double(ss_context *ctx, const char *const *names, size_t stride, int32_t count,
                          int32_t *out);

#endif
