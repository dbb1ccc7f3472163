/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theorem 1 of thesis 3.4.5 as a second route to the answer of a quasistatic step, on random
 * scenes. For the normal impulses that the step found, its velocities must be a global minimum of
 *
 *   -h F.v + sum_i b_i g(u_fi(v))   over  u_n(v) >= 0,  u_e(v) = 0           (3.45), (3.51)
 *
 * with g(u) = max_j -d_j.u over the corners of the polygon (Model-DLC: a linear program), or the
 * norm (Model-DQC: linear programs with more and more tangents, whose value is a bound from below).
 * Conversely the normal impulses must be multipliers of u_n >= 0 there: 0 <= p_n _|_ u_n >= 0, and
 * p_f = -b times a subgradient of g with h F + J'p = 0.
 *
 * And the verdict on uniqueness, against how far each coordinate can go among the minima.
 */
#include "analysis/lp.h"
#include "model/data.h"
#include "random.h"
#include "world.h"

enum { COLS_MAX = 64, ROWS_MAX = 1200, TANGENTS = 60 };

/* min c.x over A x >= low (<= high); columns: v, then one s per friction block. */
typedef struct program {
    const ss_model *m;
    const ss_data  *d;
    int32_t         cols, rows, nv;
    double         *A; /* (ROWS_MAX x COLS_MAX) row-major while it grows */
    double          low[ROWS_MAX], high[ROWS_MAX], c[COLS_MAX];
    double          speed; /* |v| at most ten times this much: so that there is a minimum */
} program;

static double table[ROWS_MAX * COLS_MAX], columns[ROWS_MAX * COLS_MAX];

static int32_t friction_first(const ss_row_block *b)
{
    return b->kind == SS_BLOCK_CONE ? 1 : b->kind == SS_BLOCK_DISK ? 0 : b->dim;
}

static double friction_bound(const program *P, const ss_row_block *b)
{
    double bound = b->kind == SS_BLOCK_CONE ? b->mu * P->d->rows.impulse[b->row] : b->bound;
    return b->dim > friction_first(b) ? bound : 0;
}

/* scale times row `row` of J, in the program's row; gives scale times the bias. */
static double add_row(program *P, const ss_row_block *b, int32_t row, double scale, double *to)
{
    const ss_model *m = P->m;
    for (int side = 0; side < 2; side++) {
        const double *J = P->d->rows.J + ((size_t)row * 2 + (size_t)side) * (size_t)m->dof;
        for (int32_t c = 0; b->body[side] >= 0 && c < m->dof; c++) {
            to[m->bodies[b->body[side]].v_start + c] += scale * J[c];
        }
    }
    return scale * P->d->rows.bias[row];
}

static double *new_row(program *P, double low, double high)
{
    assert_true(P->rows < ROWS_MAX);
    double *row = P->A + (ptrdiff_t)P->rows * COLS_MAX;
    memset(row, 0, COLS_MAX * sizeof *row);
    P->low[P->rows]  = low;
    P->high[P->rows] = high;
    P->rows++;
    return row;
}

/* s + d.u >= 0 for the friction block with slack column `s`. */
static void add_tangent(program *P, const ss_row_block *b, int32_t s, const double *d)
{
    double *row = new_row(P, 0, INFINITY), bias = 0;
    int32_t first = friction_first(b);
    for (int32_t k = first; k < b->dim; k++) {
        bias += add_row(P, b, b->row + k, d[k - first], row);
    }
    row[s]              = 1;
    P->low[P->rows - 1] = -bias;
}

/* The corners of the polygon; for the quadratic cone the first tangents. */
static void add_corners(program *P, const ss_row_block *b, int32_t s)
{
    int32_t n = b->dim - friction_first(b);
    if (n == 1) {
        const double plus = 1, minus = -1;
        add_tangent(P, b, s, &plus);
        add_tangent(P, b, s, &minus);
        return;
    }
    assert_int_equal(n, 2);
    for (int32_t j = 0; j < P->m->polygon.count; j++) {
        add_tangent(P, b, s, P->m->polygon.corner[j]);
    }
}

static void build(program *P)
{
    const ss_model *m = P->m;
    P->nv             = m->nv;
    P->cols           = m->nv;
    P->rows           = 0;
    P->A              = table;
    memset(P->c, 0, sizeof P->c);
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_wrench *w = &P->d->applied[i];
        if (ss_body_moves(&m->bodies[i])) {
            double *c = P->c + m->bodies[i].v_start, h = P->d->report.step;
            double  F[6] = {w->force.x,  w->force.y,  m->dimension == 3 ? w->force.z : w->torque.z,
                            w->torque.x, w->torque.y, w->torque.z};
            for (int32_t k = 0; k < m->bodies[i].dof; k++) {
                c[k] = -h * F[k];
            }
        }
    }
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        for (int32_t k = 0; b->kind == SS_BLOCK_EQUALITY && k < b->dim; k++) {
            double bias         = add_row(P, b, b->row + k, 1, new_row(P, 0, 0));
            P->low[P->rows - 1] = P->high[P->rows - 1] = -bias;
        }
        if (b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL) {
            double bias         = add_row(P, b, b->row, 1, new_row(P, 0, INFINITY));
            P->low[P->rows - 1] = -bias;
        }
        double bound = friction_bound(P, b);
        if (bound > 0) {
            assert_true(P->cols < COLS_MAX);
            P->c[P->cols] = bound;
            add_corners(P, b, P->cols++);
        }
    }
}

/* Of a column: the speeds of the step; rotations over the size of the parts. */
static double unit(const program *P, int32_t j)
{
    bool turns = j < P->nv && j % P->m->dof >= P->m->dimension;
    return turns ? P->speed / 0.02 : P->speed;
}

/* Minimum over the program; x (cols). `c` NULL: its own objective. */
static double minimise(const program *P, const double *c, double *x)
{
    double low[COLS_MAX], high[COLS_MAX], cost[COLS_MAX], value = 0, most = 0;
    ss_lp *lp = NULL;
    for (int32_t j = 0; j < P->cols; j++) { /* an LP solver's tolerances are absolute */
        cost[j] = (c != NULL ? c[j] : P->c[j]) * unit(P, j);
        most    = fmax(most, fabs(cost[j]));
    }
    for (int32_t j = 0; most > 0 && j < P->cols; j++) {
        cost[j] /= most;
    }
    for (int32_t j = 0; j < P->cols; j++) {
        low[j]  = j < P->nv ? -10 : 0;
        high[j] = j < P->nv ? 10 : 1000;
        for (int32_t i = 0; i < P->rows; i++) {
            columns[i + (ptrdiff_t)j * P->rows] = P->A[(ptrdiff_t)i * COLS_MAX + j] * unit(P, j);
        }
    }
    assert_int_equal(
        ss_lp_create(P->d->ctx, P->rows, P->cols, columns, P->low, P->high, low, high, &lp), SS_OK);
    assert_int_equal(ss_lp_minimise(lp, cost, &value, x), SS_LP_OPTIMAL);
    ss_lp_destroy(lp);
    for (int32_t j = 0; j < P->cols; j++) {
        x[j] *= unit(P, j);
    }
    return value * most;
}

/* Velocities u of a block's rows at v. */
static void velocities(const program *P, const ss_row_block *b, const double *v, double *u)
{
    for (int32_t k = 0; k < b->dim; k++) {
        double row[COLS_MAX] = {0};
        u[k]                 = add_row((program *)P, b, b->row + k, 1, row);
        for (int32_t j = 0; j < P->nv; j++) {
            u[k] += row[j] * v[j];
        }
    }
}

static double gauge(const program *P, const ss_row_block *b, const double *u)
{
    int32_t first = friction_first(b), n = b->dim - first;
    double  most = 0, square = 0;
    for (int32_t k = first; k < b->dim; k++) {
        square += u[k] * u[k];
    }
    if (n < 2 || P->m->simulation.axes.cone == SS_CONE_QUADRATIC) {
        return sqrt(square);
    }
    for (int32_t j = 0; j < P->m->polygon.count; j++) {
        const double *d = P->m->polygon.corner[j];
        most            = fmax(most, -d[0] * u[first] - d[1] * u[first + 1]);
    }
    return most;
}

static double objective(const program *P, const double *v)
{
    double sum = 0;
    for (int32_t j = 0; j < P->nv; j++) {
        sum += P->c[j] * v[j];
    }
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        double              u[6], bound = friction_bound(P, b);
        if (bound > 0) {
            velocities(P, b, v, u);
            sum += bound * gauge(P, b, u);
        }
    }
    return sum;
}

/* Quadratic cone: tangents at the program's own point, until its value is the objective's. */
static double bound_from_below(program *P, double *x)
{
    double value = minimise(P, NULL, x);
    bool   round = P->m->simulation.axes.cone == SS_CONE_QUADRATIC;
    for (int turn = 0; round && turn < TANGENTS && P->rows + 8 < ROWS_MAX; turn++) {
        if (objective(P, x) - value <= 1e-12 * (fabs(value) + 1e-6)) {
            break;
        }
        int32_t s = P->nv;
        for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
            const ss_row_block *b = &P->d->rows.blocks[i];
            double              u[6], d[2];
            int32_t             first = friction_first(b);
            if (!(friction_bound(P, b) > 0)) {
                continue;
            }
            velocities(P, b, x, u);
            double speed = gauge(P, b, u);
            if (b->dim - first == 2 && speed > 0) {
                d[0] = -u[first] / speed;
                d[1] = -u[first + 1] / speed;
                add_tangent(P, b, s, d);
            }
            s++;
        }
        value = minimise(P, NULL, x);
    }
    return value;
}

/* Normal impulses are multipliers: 0 <= p _|_ u >= 0, p_f = -b times a subgradient, h F + J'p = 0.
 */
static void check_multipliers(const program *P, const double *v, double force, double speed)
{
    double sum[COLS_MAX];
    for (int32_t j = 0; j < P->nv; j++) {
        sum[j] = -P->c[j];
    }
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        const double       *p = P->d->rows.impulse + b->row;
        double              u[6], work = 0, bound = friction_bound(P, b);
        velocities(P, b, v, u);
        for (int32_t k = 0; k < b->dim; k++) {
            add_row((program *)P, b, b->row + k, p[k], sum);
        }
        if (b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL) {
            assert_true(p[0] >= -1e-9 * force && u[0] >= -1e-9 * speed);
            assert_true(fmin(p[0] / force, u[0] / speed) <= 1e-8);
        }
        for (int32_t k = friction_first(b); k < b->dim; k++) {
            work -= p[k] * u[k];
        }
        /* p_f in b times the friction set, and -p_f.u = b g(u): a subgradient */
        assert_near(work, bound * gauge(P, b, u), 1e-8 * force * speed);
    }
    for (int32_t j = 0; j < P->nv; j++) {
        assert_near(sum[j], 0, 1e-8 * force);
    }
}

/* How far the coordinates can go among the minima, in their units, at most. */
static double widest(program *P, double value, double slack)
{
    double  most = 0, x[COLS_MAX], c[COLS_MAX] = {0};
    double *row = new_row(P, -INFINITY, INFINITY), size = 0;
    for (int32_t j = 0; j < P->cols; j++) {
        size = fmax(size, fabs(P->c[j]));
    }
    for (int32_t j = 0; size > 0 && j < P->cols; j++) {
        row[j] = P->c[j] / size;
    }
    P->high[P->rows - 1] = size > 0 ? (value + slack) / size : INFINITY;
    for (int32_t j = 0; j < P->nv; j++) {
        c[j]        = 1;
        double low  = minimise(P, c, x);
        c[j]        = -1;
        double high = -minimise(P, c, x);
        c[j]        = 0;
        most        = fmax(most, (high - low) / unit(P, j));
    }
    return most;
}

/* A row of discs, some on supports, some not, pushed from the left; friction or none. */
static void random_scene(uint64_t *seed, const char *cone, char *text, size_t size)
{
    double mu = random_between(seed, 0, 1) < 0.3 ? 0 : 0.1 + 0.4 * random_between(seed, 0, 1),
           x  = 0;
    int count = 1 + (int)(3 * random_between(seed, 0, 1)), n;
    n         = snprintf(text, size,
                         "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: %g}}\n"
                                 "bodies:\n"
                                 "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.02}}, "
                                 "position: [-0.0401, %g], velocity: [%g, %g]}\n",
                         mu, 0.01 * random_between(seed, 0, 1), 0.05 + 0.1 * random_between(seed, 0, 1),
                         0.1 * random_between(seed, 0, 1) - 0.05);
    for (int i = 0; i < count; i++) {
        n += snprintf(text + n, size - (size_t)n,
                      "  - {name: part%d, type: dynamic, mass: %g, shape: {disc: {radius: 0.02}}, "
                      "position: [%.17g, %g]",
                      i, 0.1 + random_between(seed, 0, 1), x, 0.004 * random_between(seed, 0, 1));
        if (random_between(seed, 0, 1) < 0.7) {
            n += snprintf(text + n, size - (size_t)n,
                          ", support: {points: [[0.015, 0.005], [-0.012, 0.01], [0.002, -0.015]], "
                          "friction: %g}",
                          0.1 + 0.4 * random_between(seed, 0, 1));
        }
        n += snprintf(text + n, size - (size_t)n, "}\n");
        x += 0.0405 + 0.002 * random_between(seed, 0, 1);
    }
    if (count > 1 && random_between(seed, 0, 1) < 0.4) {
        n += snprintf(text + n, size - (size_t)n,
                      "joints:\n  - {name: hinge, type: revolute, bodies: [part0, part1], "
                      "anchor: [0.02, 0]}\n");
    }
    n += snprintf(text + n, size - (size_t)n,
                  "simulation: {step: 0.01, duration: 1, "
                  "model: {inertia: quasistatic, cone: %s}}\n",
                  cone);
    assert_true(n > 0 && (size_t)n < size);
}

typedef struct tally {
    int steps, unique, not_unique, undecided, ranges;
} tally;

/* The LP solver knows the objective to 1e-7 of its largest cost: are the others far above that? */
static bool even_costs(const program *P)
{
    double least = INFINITY, most = 0;
    for (int32_t j = P->nv; j < P->cols; j++) {
        least = fmin(least, P->c[j]);
        most  = fmax(most, P->c[j]);
    }
    return least > 1e-2 * most;
}

/* A little along the direction that was told, nothing is violated and the objective is the same. */
static void check_direction(const program *P, double ours, double scale)
{
    const double *way = P->d->motions.other;
    double        v[COLS_MAX], size = 0;
    for (int32_t j = 0; j < P->nv; j++) {
        v[j] = P->d->v_next[j] + 1e-8 * P->speed * way[j];
        size = fmax(size, fabs(way[j]));
    }
    assert_true(size > 1e-3);
    assert_near(objective(P, v), ours, 1e-13 * scale);
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        double              u[6];
        velocities(P, b, v, u);
        for (int32_t k = 0; b->kind == SS_BLOCK_EQUALITY && k < b->dim; k++) {
            assert_near(u[k], 0, 1e-10 * P->speed);
        }
        if (b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL) {
            assert_true(u[0] >= -1e-10 * P->speed);
        }
    }
}

static void check_step(const ss_model *m, const ss_data *d, tally *t)
{
    static program P;
    double         x[COLS_MAX], force = 0, speed = 0.05; /* the finger is no slower */
    P = (program){.m = m, .d = d};
    for (int32_t i = 0; i < d->rows.nrows; i++) {
        force = fmax(force, fabs(d->rows.impulse[i]));
        speed = fmax(speed, fabs(d->rows.bias[i]));
    }
    for (int32_t j = 0; j < m->nv; j++) {
        speed = fmax(speed, fabs(d->v_next[j]));
    }
    force = fmax(force, 1e-6 * speed); /* parts of about 1 kg: below, nothing pushes */
    build(&P);
    P.speed      = speed;
    double ours  = objective(&P, d->v_next);
    double least = bound_from_below(&P, x), scale = force * speed;
    check_multipliers(&P, d->v_next, force, speed);
    assert_near(ours, least, 1e-6 * scale); /* a global minimum */
    t->steps++;
    ss_motion_verdict verdict = d->report.motion;
    t->unique += verdict == SS_MOTION_UNIQUE;
    t->not_unique += verdict == SS_MOTION_NOT_UNIQUE;
    t->undecided += verdict == SS_MOTION_UNDECIDED;
    if (m->simulation.axes.cone == SS_CONE_POLYGON && verdict == SS_MOTION_UNIQUE &&
        even_costs(&P)) {
        double range = widest(&P, least, 1e-9 * scale);
        if (range > 1e-4) {
            fail_msg("unique, but the program finds a range of %g of the speeds", range);
        }
        t->ranges++;
    }
    if (verdict == SS_MOTION_NOT_UNIQUE) {
        check_direction(&P, ours, scale);
    }
}

static void random_scenes(const char *cone, uint64_t seed, int scenes, tally *t)
{
    for (int i = 0; i < scenes; i++) {
        char  text[4096];
        world w;
        random_scene(&seed, cone, text, sizeof text);
        ss_status status = try_text(&w, text);
        for (int k = 0; status == SS_OK && k < 8; k++) {
            status = ss_step(w.model, w.data, 0.01);
            if (status == SS_OK) {
                check_step(w.model, w.data, t);
            }
        }
        if (status != SS_OK) {
            fail_msg("scene %d: %s\n%s", i, ss_context_message(w.ctx), text);
        }
        close_world(&w);
    }
}

static void check_tally(const tally *t)
{
    print_message("%d steps: %d unique, %d not, %d undecided\n", t->steps, t->unique, t->not_unique,
                  t->undecided);
    assert_true(t->unique > t->steps / 10 && t->not_unique > t->steps / 10);
    assert_true(t->undecided < t->steps / 20);
}

static void polygon_program(void **state)
{
    (void)state;
    tally t = {0, 0, 0, 0, 0};
    random_scenes("{polygon: 6}", 11, 20, &t);
    check_tally(&t);
    assert_true(t.ranges > t.steps / 10);
}

static void quadratic_program(void **state)
{
    (void)state;
    tally t = {0, 0, 0, 0, 0};
    random_scenes("quadratic", 12, 16, &t);
    check_tally(&t);
}

/* Discs in a row, of which the last alone has a support. */
static void chain_scene(uint64_t *seed, char *text, size_t size)
{
    int    count = 2 + (int)(3 * random_between(seed, 0, 1));
    double x     = 0;
    int    n     = snprintf(text, size,
                            "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: %g}}\n"
                                   "bodies:\n"
                                   "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.02}}, "
                                   "position: [-0.0401, %g], velocity: [%g, %g]}\n",
                            random_between(seed, 0.1, 0.5), random_between(seed, 0, 0.01),
                            random_between(seed, 0.05, 0.15), random_between(seed, -0.05, 0.05));
    for (int i = 0; i < count; i++) {
        n += snprintf(text + n, size - (size_t)n,
                      "  - {name: part%d, type: dynamic, mass: %g, shape: {disc: {radius: 0.02}}, "
                      "position: [%.17g, %g]%s}\n",
                      i, random_between(seed, 0.1, 1.1), x, random_between(seed, 0, 0.004),
                      i + 1 < count ? ""
                                    : ", support: {points: [[0.015, 0.005], [-0.012, 0.01], "
                                      "[0.002, -0.015]], friction: 0.3}");
        x += random_between(seed, 0.0405, 0.0425);
    }
    n += snprintf(text + n, size - (size_t)n,
                  "simulation: {step: 0.01, duration: 1, model: {inertia: quasistatic}}\n");
    assert_true(n > 0 && (size_t)n < size);
}

/*
 * The discs in between give way to the side, and no force is left. What the rounds of a step end
 * with is then rounding of forces that acted in the first ones: nothing that a certificate could
 * be proportional to, and yet each of these steps has a solution.
 */
static void chains_without_forces(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int      idle = 0;
    for (int i = 0; i < 40; i++) {
        char  text[4096];
        world w;
        chain_scene(&seed, text, sizeof text);
        ss_status status = try_text(&w, text);
        for (int k = 0; status == SS_OK && k < 12; k++) {
            double most = 0;
            status      = ss_step(w.model, w.data, 0.01);
            for (int32_t r = 0; status == SS_OK && r < w.data->rows.nrows; r++) {
                most = fmax(most, fabs(w.data->rows.impulse[r]));
            }
            idle += status == SS_OK && w.data->contacts.count > 1 && most == 0;
        }
        if (status != SS_OK) {
            fail_msg("chain %d: %s\n%s", i, ss_context_message(w.ctx), text);
        }
        close_world(&w);
    }
    print_message("%d steps in which contacts touch and nothing pushes\n", idle);
    assert_true(idle > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(polygon_program),
                                       cmocka_unit_test(quadratic_program),
                                       cmocka_unit_test(chains_without_forces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
