/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tables.h"

#include <math.h>

static ss_status bad(ss_context *ctx, const ss_table_def *def, int32_t i, const char *what)
{
    return ss_fail(ctx, SS_ERR_INPUT, "table '%s', point %d: %s", def->name, (int)i + 1, what);
}

ss_status ss_table_def_check(ss_context *ctx, const ss_table_def *def)
{
    if (def->name == NULL || def->x == NULL || def->y == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a table needs a name and points");
    }
    SS_TRY(ss_expr_check_name(ctx, def->name));
    if (def->count < 2) {
        return ss_fail(ctx, SS_ERR_INPUT, "table '%s' needs at least two points, it has %d",
                       def->name, (int)def->count);
    }
    for (int32_t i = 0; i < def->count; i++) {
        if (!isfinite(def->x[i]) || !isfinite(def->y[i])) {
            return bad(ctx, def, i, "it is not finite");
        }
        if (i > 0 && !(def->x[i] > def->x[i - 1])) {
            return bad(ctx, def, i, "its argument must be greater than that of the point before");
        }
    }
    double span = def->x[def->count - 1] - def->x[0];
    if (def->period != 0 && !(def->period > span && isfinite(def->period))) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "table '%s': its period must be greater than %.15g, what its points span; "
                       "got %.15g (the first point comes again after a period)",
                       def->name, span, def->period);
    }
    return SS_OK;
}

/* Points, and with a period the first one again at its end. */
static const double *with_closing(ss_pool *pool, const double *from, int32_t count, bool closed,
                                  double last)
{
    double *to = ss_pool_alloc(pool, (size_t)count + 1, sizeof *to);
    for (int32_t i = 0; to != NULL && i < count; i++) {
        to[i] = from[i];
    }
    if (to != NULL && closed) {
        to[count] = last;
    }
    return to;
}

static bool add_slopes(ss_pool *pool, ss_point_table *t)
{
    double *slope = ss_pool_alloc(pool, (size_t)t->count, sizeof *slope);
    double *work  = ss_pool_alloc(pool, 3 * (size_t)t->count, sizeof *work);
    if (slope == NULL || work == NULL) {
        return false;
    }
    ss_point_table_slopes(t->x, t->y, t->count, t->period > 0, slope, work);
    t->slope = slope;
    return true;
}

static ss_status call(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    (void)count, (void)truth;
    *out = ss_point_table_value(user, args[0]);
    return SS_OK;
}

static double piece(void *user, const double *args)
{
    return ss_point_table_piece(user, args[0]);
}

static void make_callable(ss_table *t)
{
    t->function = (ss_expr_function){
        .name = t->name, .fn = call, .user = &t->points, .arguments = 1, .side = piece};
}

const ss_table *ss_table_make(ss_pool *pool, const ss_table_def *def)
{
    bool      closed = def->period > 0;
    int       ok     = 1;
    ss_table *t      = ss_pool_alloc(pool, 1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    t->name     = ss_pool_text(pool, def->name, &ok);
    t->points   = (ss_point_table){.count  = def->count + closed,
                                   .kind   = (ss_table_kind)def->interpolation,
                                   .period = def->period};
    t->points.x = with_closing(pool, def->x, def->count, closed, def->x[0] + def->period);
    t->points.y = with_closing(pool, def->y, def->count, closed, def->y[0]);
    make_callable(t);
    ok = ok && t->points.x != NULL && t->points.y != NULL;
    ok = ok && (t->points.kind != SS_TABLE_CUBIC || add_slopes(pool, &t->points));
    return ok ? t : NULL;
}

static ss_table *copy_table(ss_pool *pool, const ss_table *from, int *ok)
{
    ss_table *t = ss_pool_copy(pool, from, 1, sizeof *from, ok);
    if (t != NULL) {
        size_t n        = (size_t)t->points.count;
        t->name         = ss_pool_text(pool, from->name, ok);
        t->points.x     = ss_pool_copy(pool, from->points.x, n, sizeof(double), ok);
        t->points.y     = ss_pool_copy(pool, from->points.y, n, sizeof(double), ok);
        t->points.slope = ss_pool_copy(pool, from->points.slope, n, sizeof(double), ok);
        make_callable(t);
    }
    return t;
}

bool ss_tables_copy(ss_pool *pool, const ss_table *const *from, int32_t count,
                    const ss_table ***out)
{
    int ok = 1;
    *out   = ss_pool_copy(pool, from, (size_t)count, sizeof *from, &ok);
    for (int32_t i = 0; ok && i < count; i++) {
        (*out)[i] = copy_table(pool, from[i], &ok);
    }
    return ok != 0;
}

ss_status ss_tables_into(ss_expr_env *env, const ss_table *const *tables, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        SS_TRY(ss_expr_set_function(env, &tables[i]->function));
    }
    return SS_OK;
}
