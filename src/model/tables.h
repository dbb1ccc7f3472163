/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a scene: functions given by points, for expressions to call. */
#ifndef SS_MODEL_TABLES_H
#define SS_MODEL_TABLES_H

#include "core/pool.h"
#include "expr/expr.h"
#include "expr/point_table.h"
#include "stickslip/scene.h"

/* One function in a pool: environments keep pointers to it. */
typedef struct ss_table {
    const char      *name;
    ss_point_table   points;
    ss_expr_function function;
} ss_table;

/* Names, order of points, period; the message says what is wrong. */
ss_status ss_table_def_check(ss_context *ctx, const ss_table_def *def);

/* A checked table in the pool; NULL: no memory. */
const ss_table *ss_table_make(ss_pool *pool, const ss_table_def *def);

/* Copies into another pool; false: no memory. */
bool ss_tables_copy(ss_pool *pool, const ss_table *const *from, int32_t count,
                    const ss_table ***out);

/* Makes them known to expressions; they must outlive the environment. */
ss_status ss_tables_into(ss_expr_env *env, const ss_table *const *tables, int32_t count);

#endif
