/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The design of a periodic motion as a boundary-value problem (thesis, Definition 5): all states
 * and forces of one period, at every place of the study, and the numbers u of the motion are
 * unknowns of one program,
 *
 *   min over u, v   sum over places |w - w_asked|^2 / |w_asked|^2
 *   (u, v) in Z:    u within its bounds;
 *                   the particle begins at its place, and after a period has drifted by T w,
 *                   with the height and the velocity that it began with, as seen from the plate;
 *   v solves MCP:   the steps of the period.
 *
 * A step is Stewart and Trinkle's with the plate where it will be at its end (thesis 5.1.2,
 * (2.77)): with c its origin, e_x, e_y axes of its face and n the normal, all at the end, and
 * (..)_0 at the start of the step,
 *
 *   q+ = q + h v+
 *   v+ = v + h (a + n l - mu l (e_x d_x + e_y d_y))
 *   0 <= l     _|_  g = n.(q+ - c) - o                                          >= 0
 *   e_k.(v+ - (q - p_0)/h) = sigma d_k,   p_0 = (c + e_x y_x + e_y y_y + n o)_0,  y_k = e_k.(q - c)
 *   0 <= sigma _|_  s = 1 - d_x^2 - d_y^2                                        >= 0
 *
 * d is the direction of slip, or less than one long where it sticks; sigma the speed of slip.
 * Written so, friction has regular derivatives in flight too, where (mu l)^2 - |f|^2 has none. g
 * and s are variables, so that all pairs are of variables (nlp/mpec.c). Rows are jets (jet.h); how
 * the plate's frames follow from u is known by differences of the scene's motion.
 *
 * It begins at the period that the engine settles to with the u it is given. What it finds is run
 * by the engine: positions must be those of the program, and the measures of the study tell how
 * good it is.
 */
#include "study/period_parts.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "nlp/nlp.h"
#include "study/tolerances.h"

static ss_status no_memory(const ss_period_program *p)
{
    return ss_fail(p->ctx, SS_ERR_MEMORY, "no memory for a program of %d variables", p->n);
}

/* ---- which derivatives there are ---- */

static ss_status find_pattern(ss_period_program *p, ss_period_pattern *k, double *const *rows,
                              int32_t count)
{
    int32_t n = p->jets.n;
    k->rows   = count;
    k->locals = n;
    k->first  = ss_pool_alloc(&p->pool, (size_t)count * (size_t)n, sizeof *k->first);
    k->second = ss_pool_alloc(&p->pool, ss_jet_size(n), sizeof *k->second);
    if (k->first == NULL || k->second == NULL) {
        return no_memory(p);
    }
    for (int32_t r = 0; r < count; r++) {
        for (int32_t i = 0; i < n; i++) {
            k->first[r * n + i] = rows[r][1 + i] != 0;
        }
        for (size_t i = 0; i < ss_jet_size(n) - 1 - (size_t)n; i++) {
            k->second[i] = k->second[i] || rows[r][1 + n + (ptrdiff_t)i] != 0;
        }
    }
    return SS_OK;
}

/* Every choice may move every number, whatever it does where the search begins. */
static void fill_numbers(ss_period_program *p, int32_t place)
{
    size_t all = ss_jet_size(ss_period_choices(p)) * (size_t)p->scenes[place].count;
    for (size_t i = 0; i < all; i++) {
        p->numbers[place][i] = 1 + (double)(i % 7) / 8;
    }
}

static ss_status find_patterns(ss_period_program *p)
{
    double *rows[SS_PERIOD_ROWS];
    for (int32_t i = 0; i < p->n; i++) {
        p->x[i] = 0.5 + (double)(i % 11) / 16;
    }
    fill_numbers(p, 0);
    p->order       = 2;
    p->jets.second = true;
    ss_period_step_rows(p, 0, 1, p->x, rows);
    SS_TRY(find_pattern(p, &p->step, rows, SS_PERIOD_STEP_ROWS));
    ss_period_end_rows(p, 0, p->x, rows);
    SS_TRY(find_pattern(p, &p->ends, rows, SS_PERIOD_END_ROWS));
    p->order = -1;
    return SS_OK;
}

static void count_pattern(const ss_period_pattern *k, int32_t times, int32_t *first,
                          int32_t *second)
{
    int32_t n = k->locals;
    for (int32_t i = 0; i < k->rows * n; i++) {
        *first += k->first[i] ? times : 0;
    }
    for (int32_t i = 0; i < n * (n + 1) / 2; i++) {
        *second += k->second[i] ? times : 0;
    }
}

static void place_pattern(ss_period_program *p, const ss_period_pattern *k, const int32_t *cols,
                          int32_t row)
{
    for (int32_t r = 0; r < k->rows; r++) {
        for (int32_t i = 0; i < k->locals; i++) {
            if (k->first[r * k->locals + i]) {
                p->jrow[p->jcount]   = row + r;
                p->jcol[p->jcount++] = cols[i];
            }
        }
    }
    for (int32_t i = 0, at = 0; i < k->locals; i++) {
        for (int32_t j = 0; j <= i; j++, at++) {
            if (k->second[at]) {
                p->hrow[p->hcount]   = cols[i] > cols[j] ? cols[i] : cols[j];
                p->hcol[p->hcount++] = cols[i] > cols[j] ? cols[j] : cols[i];
            }
        }
    }
}

static ss_status write_pattern(ss_period_program *p)
{
    int32_t cols[SS_PERIOD_LOCAL + SS_PERIOD_CHOICES], e = 0,
                                                       b = ss_period_choices(p) + 2 * p->places;
    int32_t row = 0, steps = 0;
    for (int32_t place = 0; place < p->places; place++) {
        steps += p->scenes[place].steps;
    }
    count_pattern(&p->step, steps, &e, &b);
    count_pattern(&p->ends, p->places, &e, &b);
    p->jrow = ss_pool_alloc(&p->pool, (size_t)e, sizeof *p->jrow);
    p->jcol = ss_pool_alloc(&p->pool, (size_t)e, sizeof *p->jcol);
    p->hrow = ss_pool_alloc(&p->pool, (size_t)b, sizeof *p->hrow);
    p->hcol = ss_pool_alloc(&p->pool, (size_t)b, sizeof *p->hcol);
    if (p->jrow == NULL || p->jcol == NULL || p->hrow == NULL || p->hcol == NULL) {
        return no_memory(p);
    }
    for (int32_t i = 0; i < ss_period_choices(p) + 2 * p->places; i++) { /* of the objective */
        int32_t at         = i - ss_period_choices(p);
        p->hrow[p->hcount] = at < 0 ? i : ss_period_drift(p, at / 2) + at % 2;
        p->hcol[p->hcount] = p->hrow[p->hcount];
        p->hcount++;
    }
    for (int32_t place = 0; place < p->places; place++) {
        for (int32_t step = 1; step <= p->scenes[place].steps; step++, row += SS_PERIOD_STEP_ROWS) {
            ss_period_step_columns(p, place, step, cols);
            place_pattern(p, &p->step, cols, row);
        }
        ss_period_end_columns(p, place, cols);
        place_pattern(p, &p->ends, cols, row);
        row += SS_PERIOD_END_ROWS;
    }
    return SS_OK;
}

/* ---- the functions of the program ---- */

/* Calls `use` with every group of rows at x. */
typedef void use_rows(ss_period_program *p, const ss_period_pattern *k, int32_t row,
                      double *const *rows, void *out);

static int each_group(ss_period_program *p, const double *x, int32_t order, use_rows *use,
                      void *out)
{
    double *rows[SS_PERIOD_ROWS];
    int32_t row = 0;
    p->status   = ss_period_learn(p, x, order > 0 ? 2 : 0);
    if (p->status != SS_OK) {
        return 1;
    }
    p->jets.second = order > 1;
    for (int32_t place = 0; place < p->places; place++) {
        for (int32_t step = 1; step <= p->scenes[place].steps; step++, row += SS_PERIOD_STEP_ROWS) {
            ss_period_step_rows(p, place, step, x, rows);
            use(p, &p->step, row, rows, out);
        }
        ss_period_end_rows(p, place, x, rows);
        use(p, &p->ends, row, rows, out);
        row += SS_PERIOD_END_ROWS;
    }
    return 0;
}

static void use_values(ss_period_program *p, const ss_period_pattern *k, int32_t row,
                       double *const *rows, void *out)
{
    double *g = out;
    (void)p;
    for (int32_t r = 0; r < k->rows; r++) {
        g[row + r] = rows[r][0];
    }
}

static void use_first(ss_period_program *p, const ss_period_pattern *k, int32_t row,
                      double *const *rows, void *out)
{
    double **values = out;
    (void)p;
    (void)row;
    for (int32_t r = 0; r < k->rows; r++) {
        for (int32_t i = 0; i < k->locals; i++) {
            if (k->first[r * k->locals + i]) {
                *(*values)++ = rows[r][1 + i];
            }
        }
    }
}

typedef struct bend {
    const double *lambda;
    double       *values;
} bend;

static void use_second(ss_period_program *p, const ss_period_pattern *k, int32_t row,
                       double *const *rows, void *out)
{
    bend   *b = out;
    int32_t n = k->locals;
    (void)p;
    for (int32_t i = 0; i < n * (n + 1) / 2; i++) {
        double sum = 0;
        for (int32_t r = 0; k->second[i] && r < k->rows; r++) {
            sum += b->lambda[row + r] * rows[r][1 + n + i];
        }
        if (k->second[i]) {
            *b->values++ = sum;
        }
    }
}

static int objective(void *user, const double *x, double *f)
{
    const ss_period_program *p = user;
    *f                         = 0;
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        *f += SS_PERIOD_NEAR * (x[i] - p->start[i]) * (x[i] - p->start[i]);
    }
    for (int32_t place = 0; place < p->places; place++) {
        for (int k = 0; k < 2; k++) {
            double off = x[ss_period_drift(p, place) + k] - p->scenes[place].ask[k];
            *f += p->weight[place] * off * off;
        }
    }
    return 0;
}

static int gradient(void *user, const double *x, double *df)
{
    const ss_period_program *p = user;
    memset(df, 0, (size_t)p->n * sizeof *df);
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        df[i] = 2 * SS_PERIOD_NEAR * (x[i] - p->start[i]);
    }
    for (int32_t place = 0; place < p->places; place++) {
        for (int k = 0; k < 2; k++) {
            int32_t at = ss_period_drift(p, place) + k;
            df[at]     = 2 * p->weight[place] * (x[at] - p->scenes[place].ask[k]);
        }
    }
    return 0;
}

static int constraints(void *user, const double *x, double *g)
{
    return each_group(user, x, 0, use_values, g);
}

static int jacobian(void *user, const double *x, double *values)
{
    return each_group(user, x, 1, use_first, &values);
}

static int hessian(void *user, const double *x, double factor, const double *lambda, double *values)
{
    ss_period_program *p = user;
    bend               b = {lambda, values};
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        *b.values++ = 2 * factor * SS_PERIOD_NEAR;
    }
    for (int32_t place = 0; place < p->places; place++) {
        *b.values++ = 2 * factor * p->weight[place];
        *b.values++ = 2 * factor * p->weight[place];
    }
    return each_group(p, x, 2, use_second, &b);
}

/* ---- the program ---- */

static ss_status lay_out(ss_period_program *p, ss_watch *w)
{
    p->places  = (int32_t)ss_study_trials(p->study);
    p->scenes  = ss_pool_alloc(&p->pool, (size_t)p->places, sizeof *p->scenes);
    p->first   = ss_pool_alloc(&p->pool, (size_t)p->places, sizeof *p->first);
    p->leader  = ss_pool_alloc(&p->pool, (size_t)p->places, sizeof *p->leader);
    p->numbers = ss_pool_alloc(&p->pool, (size_t)p->places, sizeof *p->numbers);
    p->weight  = ss_pool_alloc(&p->pool, (size_t)p->places, sizeof *p->weight);
    p->n       = ss_period_choices(p);
    if (p->scenes == NULL || p->first == NULL || p->numbers == NULL || p->weight == NULL ||
        p->leader == NULL) {
        return no_memory(p);
    }
    size_t most = 0;
    for (int32_t k = 0; k < p->places; k++) {
        ss_period_scene *s = &p->scenes[k];
        SS_TRY(ss_period_scene_make(p->ctx, &p->pool, p->study, w, k, p->def->drift, s));
        p->first[k] = p->n;
        p->n        = ss_period_drift(p, k) + 2;
        p->m += SS_PERIOD_STEP_ROWS * s->steps + SS_PERIOD_END_ROWS;
        p->pairs += 2 * s->steps;
        p->numbers[k] = ss_pool_alloc(
            &p->pool, ss_jet_size(ss_period_choices(p)) * (size_t)s->count, sizeof **p->numbers);
        most = (size_t)s->count > most ? (size_t)s->count : most;
        if (p->numbers[k] == NULL) {
            return no_memory(p);
        }
    }
    p->plus  = ss_pool_alloc(&p->pool, most, sizeof *p->plus);
    p->minus = ss_pool_alloc(&p->pool, most, sizeof *p->minus);
    p->leads = ss_pool_alloc(&p->pool, 2 * most, sizeof *p->leads);
    return p->plus != NULL && p->minus != NULL && p->leads != NULL ? SS_OK : no_memory(p);
}

static ss_status allocate(ss_period_program *p)
{
    size_t n = (size_t)p->n, pairs = (size_t)p->pairs;
    p->x            = ss_pool_alloc(&p->pool, n, sizeof *p->x);
    p->x_low        = ss_pool_alloc(&p->pool, n, sizeof *p->x_low);
    p->x_high       = ss_pool_alloc(&p->pool, n, sizeof *p->x_high);
    p->zero         = ss_pool_alloc(&p->pool, (size_t)p->m, sizeof *p->zero);
    p->pair         = ss_pool_alloc(&p->pool, pairs, sizeof *p->pair);
    p->pair_scale   = ss_pool_alloc(&p->pool, pairs, sizeof *p->pair_scale);
    p->known        = ss_pool_alloc(&p->pool, SS_PERIOD_CHOICES, sizeof *p->known);
    p->nudged       = ss_pool_alloc(&p->pool, SS_PERIOD_CHOICES, sizeof *p->nudged);
    p->jets.room    = SS_PERIOD_JETS * ss_jet_size(SS_PERIOD_LOCAL + ss_period_choices(p));
    p->jets.numbers = ss_pool_alloc(&p->pool, p->jets.room, sizeof *p->jets.numbers);
    bool ok         = p->x != NULL && p->x_low != NULL && p->x_high != NULL && p->zero != NULL &&
              p->pair != NULL && p->pair_scale != NULL && p->known != NULL && p->nudged != NULL &&
              p->jets.numbers != NULL;
    return ok ? SS_OK : no_memory(p);
}

/* Bounds, pairs, and what a miss of each place weighs: its square as a share of what is asked. */
static void write_bounds(ss_period_program *p)
{
    double asked = 0;
    for (int32_t i = 0; i < p->n; i++) {
        p->x_low[i]  = i < ss_period_choices(p) ? 0 : -INFINITY;
        p->x_high[i] = i < ss_period_choices(p) ? 1 : INFINITY;
    }
    for (int32_t place = 0; place < p->places; place++) {
        const double *ask = p->scenes[place].ask;
        p->weight[place]  = ask[0] * ask[0] + ask[1] * ask[1];
        asked             = fmax(asked, p->weight[place]);
    }
    p->pairs = 0;
    for (int32_t place = 0; place < p->places; place++) {
        double own       = p->weight[place] > 0 ? p->weight[place] : asked;
        p->weight[place] = 1 / (p->places * (own > 0 ? own : 1));
        for (int32_t step = 1; step <= p->scenes[place].steps; step++) {
            int32_t at = ss_period_touch(p, place, step);
            for (int32_t i = SS_PERIOD_FORCE; i <= SS_PERIOD_SLACK; i++) {
                p->x_low[at + i] = 0;
            }
            p->x_high[at + SS_PERIOD_OPEN] = p->def->touching ? 0 : INFINITY;
            p->pair[p->pairs][0]           = at + SS_PERIOD_FORCE;
            p->pair[p->pairs][1]           = at + SS_PERIOD_OPEN;
            p->pair_scale[p->pairs++]      = SS_PERIOD_GAP;
            p->pair[p->pairs][0]           = at + SS_PERIOD_SLIDE;
            p->pair[p->pairs][1]           = at + SS_PERIOD_SLACK;
            p->pair_scale[p->pairs++]      = SS_PERIOD_SLIP;
        }
    }
}

/* ---- where it begins: the period that the engine settles to ---- */

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Forces from what momentum lacks; slip as the rows have it where sigma is zero. */
static void guess_touch(ss_period_program *p, int32_t place, int32_t step)
{
    double       *t = p->x + ss_period_touch(p, place, step), *rows[SS_PERIOD_ROWS], lack[3];
    const double *f =
        ss_period_number(p, place, 0) + SS_PERIOD_FRAMES + (ptrdiff_t)SS_PERIOD_FRAME * step;
    double h = 1. / p->scenes[place].steps, mu = ss_period_number(p, place, 0)[SS_PERIOD_MU];
    memset(t, 0, SS_PERIOD_TOUCH * sizeof *t);
    ss_period_step_rows(p, place, step, p->x, rows);
    for (int i = 0; i < 3; i++) {
        lack[i] = rows[3 + i][0] / h;
    }
    double slip[2] = {rows[7][0], rows[8][0]}, speed = ss_hypot(slip[0], slip[1]);
    t[SS_PERIOD_OPEN]  = fmax(0, -rows[6][0]);
    t[SS_PERIOD_FORCE] = fmax(0, dot3(f + 9, lack));
    t[SS_PERIOD_SLIDE] = speed;
    for (int k = 0; k < 2; k++) {
        double holds               = mu * t[SS_PERIOD_FORCE] > 0
                                         ? -dot3(f + 3 + 3 * k, lack) / (mu * t[SS_PERIOD_FORCE])
                                         : 0;
        t[SS_PERIOD_DIRECTION + k] = speed > SS_PERIOD_SLIDES ? slip[k] / speed : holds;
    }
    t[SS_PERIOD_SLACK] = fmax(0, 1 - t[SS_PERIOD_DIRECTION] * t[SS_PERIOD_DIRECTION] -
                                     t[SS_PERIOD_DIRECTION + 1] * t[SS_PERIOD_DIRECTION + 1]);
}

static ss_status guess(ss_period_program *p, const double *u)
{
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        p->x[i] = p->start[i] = (u[i] - p->def->low[i]) / (p->def->high[i] - p->def->low[i]);
    }
    SS_TRY(ss_period_learn(p, p->x, 0));
    p->jets.second = false;
    for (int32_t place = 0; place < p->places; place++) {
        const ss_period_scene *s = &p->scenes[place];
        double                *rows[SS_PERIOD_ROWS];
        for (int32_t i = 0; i <= s->steps; i++) {
            double *at = p->x + ss_period_state(p, place, i);
            memcpy(at, s->q + (ptrdiff_t)3 * i, 3 * sizeof *at);
            memcpy(at + 3, s->v + (ptrdiff_t)3 * i, 3 * sizeof *at);
        }
        for (int32_t step = 1; step <= s->steps; step++) {
            guess_touch(p, place, step);
        }
        double *w = p->x + ss_period_drift(p, place);
        w[0] = w[1] = 0;
        ss_period_end_rows(p, place, p->x, rows);
        w[0] = rows[2][0];
        w[1] = rows[3][0];
    }
    return SS_OK;
}

/* ---- solving it ---- */

static ss_status compare(ss_period_program *p, const double *u, double *apart)
{
    *apart = 0;
    for (int32_t place = 0; place < p->places; place++) {
        ss_period_scene *s   = &p->scenes[place];
        double           one = 0;
        for (int32_t i = 0; i <= s->steps; i++) {
            memcpy(s->q + (ptrdiff_t)3 * i, p->x + ss_period_state(p, place, i), 3 * sizeof *s->q);
        }
        SS_TRY(ss_period_apart(s, u, s->q, p->x + ss_period_state(p, place, 0) + 3, &one));
        *apart = fmax(*apart, one);
    }
    return SS_OK;
}

static ss_status solve(ss_period_program *p, ss_watch *w, double *u, ss_design_program *out)
{
    ss_nlp_result found;
    SS_TRY(lay_out(p, w));
    SS_TRY(allocate(p));
    write_bounds(p);
    SS_TRY(find_patterns(p));
    SS_TRY(write_pattern(p));
    SS_TRY(ss_period_leaders(p));
    SS_TRY(guess(p, u));
    ss_nlp         nlp     = {.n              = p->n,
                              .m              = p->m,
                              .x_low          = p->x_low,
                              .x_high         = p->x_high,
                              .g_low          = p->zero,
                              .g_high         = p->zero,
                              .jacobian_count = p->jcount,
                              .jacobian_row   = p->jrow,
                              .jacobian_col   = p->jcol,
                              .hessian_count  = p->hcount,
                              .hessian_row    = p->hrow,
                              .hessian_col    = p->hcol,
                              .objective      = objective,
                              .gradient       = gradient,
                              .constraints    = constraints,
                              .jacobian       = jacobian,
                              .hessian        = hessian,
                              .user           = p,
                              .pair_count     = p->pairs,
                              .pairs          = (const int32_t(*)[2])p->pair,
                              .pair_scale     = p->pair_scale};
    ss_nlp_options options = {
        .near = true, .first_relaxed = SS_PERIOD_RELAXED, .interrupt = p->def->interrupt};
    ss_status status = ss_nlp_solve(p->ctx, &nlp, &options, p->x, &found);
    SS_TRY(p->status != SS_OK ? p->status : status);
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        u[i] = p->def->low[i] + p->x[i] * (p->def->high[i] - p->def->low[i]);
    }
    *out = (ss_design_program){.posed           = true,
                               .solved          = found.outcome == SS_SOLVED,
                               .variables       = p->n,
                               .equations       = p->m,
                               .pairs           = p->pairs,
                               .iterations      = found.iterations,
                               .objective       = found.objective,
                               .infeasibility   = found.infeasibility,
                               .complementarity = found.complementarity};
    return compare(p, u, &out->apart);
}

ss_status ss_period_solve(ss_context *ctx, const ss_study *study, const ss_period_def *def,
                          double *x, ss_design_program *out)
{
    ss_watch         *w = NULL;
    ss_period_program p = {
        .ctx = ctx, .study = study, .def = def, .pool = {.ctx = ctx}, .order = -1};
    SS_TRY(ss_watch_create(ctx, study, &w));
    ss_status status = solve(&p, w, x, out);
    ss_watch_destroy(w);
    ss_pool_free(&p.pool);
    return status;
}
