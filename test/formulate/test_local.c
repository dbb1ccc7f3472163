/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Islands and their local problems on random small worlds: whichever of the ways through islands.c
 * and local.c a step takes (one body among fixed ones, one side of a body, the general one), the
 * result is what the definitions say, W = J A^-1 J' and q = J v_free + bias, recomputed here in the
 * plainest form; and a body moves the same to the last bit with and without others far away.
 */
#include "model/data.h"
#include "random.h"
#include "world.h"

/* Uniform in [-1, 1). */
static double draw(uint64_t *seed)
{
    return random_between(seed, -1, 1);
}

static void begin(world *w, int dimension)
{
    open_world(w, dimension, "auto");
    ss_scene_set_gravity(w->scene, dimension == 3 ? ss_v3(0, 0, -9.81) : ss_v3(0, -9.81, 0));
    add_material(w, 0.4, 0);
}

static ss_vec3 up(const world *w, double x, double y, double height)
{
    return w->dimension == 3 ? ss_v3(x, y, height) : ss_v3(x, height, 0);
}

/* A box of height 0.4, or a ball of radius 0.2, that stands at (x, y, height) and moves a little.
 */
static void add_part(world *w, uint64_t *seed, const char *name, bool ball, ss_body_type type,
                     double x, double height)
{
    bool         flat  = w->dimension == 2;
    ss_shape_def shape = {.type = ball ? (flat ? "disc" : "sphere") : "box"};
    if (ball) {
        shape.params.sphere.radius = 0.2;
    } else {
        shape.params.box.size = flat ? ss_v3(1, 0.4, 0) : ss_v3(1, 0.8, 0.4);
    }
    ss_body_def def = ss_body_def_default();
    def.name        = name;
    def.type        = type;
    def.shape       = &shape;
    def.position    = up(w, x, 0, height);
    if (type == SS_BODY_DYNAMIC) {
        double vx = draw(seed), vy = draw(seed);
        def.mass             = 1.5 + draw(seed);
        def.velocity         = up(w, vx, vy, 0);
        def.angular_velocity = flat ? ss_v3(0, 0, 0.1 * draw(seed)) : ss_v3(0, 0, draw(seed));
    }
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

/* ---- what the definitions say ---------------------------------------------------------------- */

/* A^-1 j for one body without damping, in world axes. */
static void respond(const ss_model *m, const ss_data *d, int32_t body, const double *j, double *y)
{
    const ss_body *b = &m->bodies[body];
    for (int32_t c = 0; c < m->dimension; c++) {
        y[c] = j[c] / b->mass;
    }
    if (m->dimension == 2) {
        y[2] = b->inv_inertia.m[8] * j[2];
        return;
    }
    const ss_mat3 *R = &d->frame[body].R;
    ss_vec3        w = ss_mul(R, ss_mul(&b->inv_inertia, ss_tmul(R, ss_v3(j[3], j[4], j[5]))));
    y[3]             = w.x;
    y[4]             = w.y;
    y[5]             = w.z;
}

static double coupling(const ss_model *m, const ss_data *d, const ss_row_block *x, int32_t row_x,
                       const ss_row_block *y, int32_t row_y)
{
    double sum = 0;
    for (int sx = 0; sx < 2; sx++) {
        for (int sy = 0; sy < 2; sy++) {
            if (x->body[sx] < 0 || x->body[sx] != y->body[sy]) {
                continue;
            }
            double        response[6] = {0};
            const double *jx          = d->rows.J + (ptrdiff_t)(2 * row_x + sx) * m->dof;
            respond(m, d, y->body[sy], d->rows.J + (ptrdiff_t)(2 * row_y + sy) * m->dof, response);
            for (int32_t c = 0; c < m->dof; c++) {
                sum += jx[c] * response[c];
            }
        }
    }
    return sum;
}

static double free_rate(const ss_model *m, const ss_data *d, const ss_row_block *x, int32_t row)
{
    double sum = d->rows.bias[row];
    for (int side = 0; side < 2; side++) {
        for (int32_t c = 0; x->body[side] >= 0 && c < m->dof; c++) {
            sum += d->rows.J[(ptrdiff_t)(2 * row + side) * m->dof + c] *
                   d->v_free[m->bodies[x->body[side]].v_start + c];
        }
    }
    return sum;
}

static void check_problem(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    const ss_cone *p = &isl->cone.as.cone;
    assert_non_null(p->W.dense);
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *x = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < x->dim; k++) {
            int32_t at_x = p->blocks[i].start + k;
            assert_near(p->q[at_x], free_rate(m, d, x, x->row + k), 1e-13);
            for (int32_t j = 0; j < isl->block_count; j++) {
                const ss_row_block *y = &d->rows.blocks[isl->blocks[j]];
                for (int32_t l = 0; l < y->dim; l++) {
                    int32_t at_y = p->blocks[j].start + l;
                    double  w    = p->W.dense[at_x + (ptrdiff_t)at_y * p->W.ld];
                    assert_near(w, coupling(m, d, x, x->row + k, y, y->row + l), 1e-13);
                    assert_true(w == p->W.dense[at_y + (ptrdiff_t)at_x * p->W.ld]);
                }
            }
        }
    }
}

/* Bodies take the smallest number among those they touch until nothing changes. */
static void label_bodies(const ss_model *m, const ss_data *d, int32_t *label)
{
    for (int32_t i = 0; i < m->nb; i++) {
        label[i] = i;
    }
    for (int32_t pass = 0; pass < m->nb; pass++) {
        for (int32_t i = 0; i < d->rows.nblocks; i++) {
            const int32_t *body = d->rows.blocks[i].body;
            if (body[0] >= 0 && body[1] >= 0) {
                int32_t least  = label[body[0]] < label[body[1]] ? label[body[0]] : label[body[1]];
                label[body[0]] = label[body[1]] = least;
            }
        }
    }
}

static int32_t body_of(const ss_row_block *b)
{
    return b->body[0] >= 0 ? b->body[0] : b->body[1];
}

static void check_islands(const ss_model *m, const ss_data *d)
{
    int32_t label[16], blocks = 0;
    assert_true(m->nb <= 16);
    label_bodies(m, d, label);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        for (int32_t j = 0; j < d->rows.nblocks; j++) {
            const ss_row_block *x = &d->rows.blocks[i], *y = &d->rows.blocks[j];
            assert_true((label[body_of(x)] == label[body_of(y)]) == (x->island == y->island));
        }
    }
    for (int32_t k = 0; k < d->island_count; k++) {
        const ss_island *isl  = &d->islands[k];
        int32_t          rows = 0;
        for (int32_t i = 0; i < isl->block_count; i++) {
            assert_int_equal(d->rows.blocks[isl->blocks[i]].island, k);
            rows += d->rows.blocks[isl->blocks[i]].dim;
        }
        for (int32_t i = 0; i < isl->body_count; i++) {
            assert_int_equal(label[isl->bodies[i]],
                             label[body_of(&d->rows.blocks[isl->blocks[0]])]);
            assert_int_equal(d->local[isl->bodies[i]], i);
        }
        assert_int_equal(rows, isl->row_count);
        blocks += isl->block_count;
    }
    assert_int_equal(blocks, d->rows.nblocks);
}

/* ---- worlds ---------------------------------------------------------------------------------- */

/* Up to five parts on the floor, on a fixed box that comes before or after them, or on each other.
 */
static void random_world(world *w, int dimension, uint64_t *seed)
{
    begin(w, dimension);
    int  count   = 1 + (int)(2 * (draw(seed) + 1));
    bool stacked = draw(seed) > 0;
    bool table   = draw(seed) > 0;
    bool last    = draw(seed) > 0;
    add_floor(w);
    if (table && !last) {
        add_part(w, seed, "table", false, SS_BODY_STATIC, 0, 0.2);
    }
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "part%d", i);
        bool   first  = i == 0;
        double height = (first && table ? 0.6 : 0.2) + (stacked && i == 1 ? 0.4 + 0.4 * table : 0);
        bool   ball   = !(stacked && first) && draw(seed) > 0;
        double x      = first || (stacked && i == 1) ? 0.1 * draw(seed) : 2.5 * i;
        add_part(w, seed, name, ball, SS_BODY_DYNAMIC, x, height);
    }
    if (table && last) {
        add_part(w, seed, "table", false, SS_BODY_STATIC, 0, 0.2);
    }
    start(w);
}

static void check_random_worlds(int dimension)
{
    int32_t  lone = 0, several = 0, shared = 0;
    uint64_t seed = 1;
    for (int world_number = 0; world_number < 60; world_number++) {
        world w;
        random_world(&w, dimension, &seed);
        for (int i = 0; i < 20; i++) {
            run(&w, 0.005, 1);
            check_islands(w.model, w.data);
            for (int32_t k = 0; k < w.data->island_count; k++) {
                check_problem(w.model, w.data, &w.data->islands[k]);
                shared += w.data->islands[k].body_count > 1;
            }
            lone += w.data->island_count == 1;
            several += w.data->island_count > 1;
        }
        close_world(&w);
    }
    assert_true(lone > 100 && several > 100 && shared > 100); /* every way was taken */
}

static void local_problems_are_what_they_are_defined_as(void **state)
{
    (void)state;
    check_random_worlds(3);
    check_random_worlds(2);
}

static void add_company(world *w, int dimension, bool ball, uint64_t seed, bool company)
{
    begin(w, dimension);
    add_floor(w);
    add_part(w, &seed, "part", ball, SS_BODY_DYNAMIC, 0, 0.2);
    if (company) {
        add_part(w, &seed, "other", !ball, SS_BODY_DYNAMIC, 50, 0.2);
    }
    start(w);
}

/* The states of a part by itself and with another one far away, step by step. */
static void check_company(int dimension, bool ball, uint64_t seed)
{
    world alone, both;
    add_company(&alone, dimension, ball, seed, false);
    add_company(&both, dimension, ball, seed, true);
    for (int i = 0; i < 200; i++) {
        run(&alone, 0.005, 1);
        run(&both, 0.005, 1);
        ss_body_state x = body(&alone, 1), y = body(&both, 1);
        assert_memory_equal(&x.position, &y.position, sizeof x.position);
        assert_memory_equal(&x.velocity, &y.velocity, sizeof x.velocity);
        assert_memory_equal(&x.angular_velocity, &y.angular_velocity, sizeof x.angular_velocity);
    }
    close_world(&alone);
    close_world(&both);
}

static void company_far_away_changes_no_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        check_company(3, seed % 2 == 0, seed);
        check_company(2, seed % 2 == 0, seed);
    }
}

/* A box that slides on a fixed one, listed before or after it: the contact's other side. */
static ss_body_state slid(bool table_first, uint64_t seed)
{
    world w;
    begin(&w, 3);
    if (table_first) {
        add_part(&w, &seed, "table", false, SS_BODY_STATIC, 0, 0.2);
    }
    add_part(&w, &seed, "part", false, SS_BODY_DYNAMIC, 0, 0.6);
    if (!table_first) {
        add_part(&w, &seed, "table", false, SS_BODY_STATIC, 0, 0.2);
    }
    start(&w);
    run(&w, 0.002, 50);
    ss_body_state x = body_named(&w, "part");
    close_world(&w);
    return x;
}

static void sides_of_a_contact_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        ss_body_state x = slid(true, seed), y = slid(false, seed);
        assert_near(ss_norm(ss_sub(x.velocity, y.velocity)), 0, 1e-12);
        assert_near(ss_norm(ss_sub(x.angular_velocity, y.angular_velocity)), 0, 1e-12);
        assert_near(ss_norm(ss_sub(x.position, y.position)), 0, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_problems_are_what_they_are_defined_as),
        cmocka_unit_test(company_far_away_changes_no_bit),
        cmocka_unit_test(sides_of_a_contact_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
