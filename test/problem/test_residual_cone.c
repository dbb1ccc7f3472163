/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of cone problems: zero at solutions, and not small at anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "solver/planted_cone.h"

static double work[8 * PLANTED_ROWS + 8 * PLANTED_DOFS];

static double residual(const ss_problem *p, const double *r, const double *v)
{
    assert_true(ss_residual_work(p) <= sizeof work / sizeof *work);
    return ss_residual(p, r, v, work);
}

static void planted_solutions_pass(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        planted p;
        planted_mixed(&p, seed, 40);
        ss_problem local = planted_local(&p), global = planted_global(&p);
        assert_true(residual(&local, p.r, NULL) < 1e-14);
        assert_true(residual(&global, p.r, p.v) < 1e-14);
    }
}

/* Every row of r, spoilt by a part in a hundred, is seen: W has full rank here. */
static void spoilt_reactions_fail(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        planted p;
        planted_mixed(&p, seed, 60);
        ss_problem local = planted_local(&p), global = planted_global(&p);
        for (int32_t i = 0; i < p.n; i++) {
            double keep = p.r[i];
            p.r[i] += 0.01;
            assert_true(residual(&local, p.r, NULL) > 1e-5);
            assert_true(residual(&global, p.r, p.v) > 1e-5);
            p.r[i] = keep;
        }
    }
}

static void spoilt_velocities_fail(void **state)
{
    (void)state;
    planted p;
    planted_mixed(&p, 3, 40);
    ss_problem global = planted_global(&p);
    for (int32_t k = 0; k < p.nv; k++) {
        double keep = p.v[k];
        p.v[k] += 0.01;
        assert_true(residual(&global, p.r, p.v) > 1e-5);
        p.v[k] = keep;
    }
}

/* One contact whose W is the identity: u = r + q. */
static double one_contact(double mu, const double q[3], const double r[3])
{
    static const double eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ss_block            block  = {SS_BLOCK_CONE, 0, 3, mu, 0};
    ss_problem          p      = {.type = SS_CONE};
    p.as.cone                  = (ss_cone){.n       = 3,
                                           .nblocks = 1,
                                           .blocks  = &block,
                                           .q       = q,
                                           .W       = {.rows = 3, .cols = 3, .dense = eye, .ld = 3}};
    return residual(&p, r, NULL);
}

static void each_violation_is_seen(void **state)
{
    (void)state;
    const double rest[3] = {-1, 0.2, 0}, slide[3] = {-1, 2, 0}, leave[3] = {1, 0.5, 0};
    assert_true(one_contact(0.5, rest, (double[]){1, -0.2, 0}) < 1e-15);
    assert_true(one_contact(0.5, slide, (double[]){1, -0.5, 0}) < 1e-15);
    assert_true(one_contact(0.5, leave, (double[]){0, 0, 0}) == 0);

    assert_true(one_contact(0.5, rest, (double[]){0.9, -0.2, 0}) > 1e-2);   /* penetrates      */
    assert_true(one_contact(0.5, rest, (double[]){1.1, -0.2, 0}) > 1e-2);   /* pushes, leaving */
    assert_true(one_contact(0.5, rest, (double[]){1, -0.1, 0}) > 1e-2);     /* creeps          */
    assert_true(one_contact(0.5, slide, (double[]){1, -0.6, 0}) > 1e-2);    /* outside cone    */
    assert_true(one_contact(0.5, slide, (double[]){1, 0.5, 0}) > 1e-1);     /* drives          */
    assert_true(one_contact(0.5, slide, (double[]){1, -0.4, -0.3}) > 1e-2); /* wrong direction */
    assert_true(one_contact(0.5, leave, (double[]){-1e-3, 0, 0}) > 1e-4);   /* pulls           */
    assert_true(one_contact(0.5, slide, (double[]){0, 0, 0}) > 1e-1);       /* does nothing    */
    assert_true(one_contact(0, (double[]){1, 0, 0}, (double[]){-1, 0, 0}) >
                1e-1); /* pulls, mu = 0 */
}

/* The same problem in other units has the same residual. */
static void units_do_not_matter(void **state)
{
    (void)state;
    const double reaction_unit[] = {1, 1e-9, 1e9, 1e-3}, velocity_unit[] = {1, 1e-6, 1e3, 1e9};
    double       first = 0;
    for (int k = 0; k < 4; k++) {
        planted p;
        planted_contacts(&p, 7, 4, 3, 0.6, 9);
        p.r[1] *= 1.001;
        for (int32_t i = 0; i < p.n; i++) {
            p.r[i] *= reaction_unit[k];
            p.q[i] *= velocity_unit[k];
            for (int32_t j = 0; j < p.n; j++) {
                p.W[i * p.n + j] *= velocity_unit[k] / reaction_unit[k];
            }
        }
        ss_problem local = planted_local(&p);
        double     here  = residual(&local, p.r, NULL);
        first            = k == 0 ? here : first;
        assert_true(here > 1e-6 && fabs(here / first - 1) < 1e-9);
    }
}

/* A light contact beside a heavy one is not overlooked. */
static void light_contacts_count(void **state)
{
    (void)state;
    const double W[36]     = {[0] = 1e-6, [7] = 1e-6, [14] = 1e-6, [21] = 1, [28] = 1, [35] = 1};
    const double q[6]      = {-1, 0, 0, -1, 0, 0};
    ss_block     blocks[2] = {{SS_BLOCK_CONE, 0, 3, 0.5, 0}, {SS_BLOCK_CONE, 3, 3, 0.5, 0}};
    ss_problem   p         = {.type = SS_CONE};
    p.as.cone              = (ss_cone){.n       = 6,
                                       .nblocks = 2,
                                       .blocks  = blocks,
                                       .q       = q,
                                       .W       = {.rows = 6, .cols = 6, .dense = W, .ld = 6}};
    assert_true(residual(&p, (double[]){1e6, 0, 0, 1, 0, 0}, NULL) < 1e-15);
    assert_true(residual(&p, (double[]){1e6, 0, 0, 1.01, 0, 0}, NULL) > 1e-3);
}

/* |r - P(r - u~)| / max(|q|, |r|, |u|), the measure used by other collections. */
static double customary(const planted *p, const double *r)
{
    double e = 0, R = 0, U = 0, Q = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        double  u[3], z[3];
        int32_t at = p->blocks[k].start;
        for (int32_t i = 0; i < 3; i++) {
            u[i] = p->q[at + i];
            for (int32_t j = 0; j < p->n; j++) {
                u[i] += p->W[j * p->n + at + i] * r[j];
            }
            z[i] = r[at + i] - u[i];
            R += r[at + i] * r[at + i];
            U += u[i] * u[i];
            Q += p->q[at + i] * p->q[at + i];
        }
        double mu = p->blocks[k].mu, slip = hypot(u[1], u[2]), length = hypot(z[1], z[2]);
        z[0] -= mu * slip;
        double t = length <= mu * z[0]    ? z[0]
                   : mu * length <= -z[0] ? 0
                                          : (z[0] + mu * length) / (1 + mu * mu);
        double c = length > mu * t ? mu * t / length : 1;
        e += pow(r[at] - t, 2) + pow(r[at + 1] - c * z[1], 2) + pow(r[at + 2] - c * z[2], 2);
    }
    return sqrt(e) / sqrt(fmax(Q, fmax(R, U)));
}

static void never_kinder_than_the_customary_measure(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        planted p;
        planted_contacts(&p, seed, 5, 3, 0.4, seed % 2 ? 8 : 20);
        double scale = pow(10, (double)(seed % 13) - 6), error = pow(10, -(double)(seed % 7));
        for (int32_t i = 0; i < p.n; i++) {
            p.r[i] = scale * (p.r[i] + error * planted_random(&p));
            p.q[i] *= seed % 3 ? 1 : scale;
        }
        ss_problem local = planted_local(&p);
        assert_true(residual(&local, p.r, NULL) >= customary(&p, p.r) * (1 - 1e-12));
    }
}

/* With r = a r', u = u' / a the ellipsoid is a ball: the residuals agree. */
static void axes_scale_away(void **state)
{
    (void)state;
    planted p;
    planted_mixed(&p, 11, 40);
    p.r[0] += 0.01;
    ss_problem balls = planted_local(&p);
    double     round = residual(&balls, p.r, NULL);
    for (int32_t k = 0; k < p.nblocks; k++) {
        const ss_block *b = &p.blocks[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            bool normal = b->kind == SS_BLOCK_EQUALITY || b->kind == SS_BLOCK_UNILATERAL ||
                          (b->kind == SS_BLOCK_CONE && i == b->start);
            p.axes[i] = 1.5 + planted_random(&p);
            double a  = normal ? 1 : p.axes[i];
            p.r[i] *= a;
            p.q[i] /= a;
            for (int32_t j = 0; j < p.n; j++) {
                p.W[j * p.n + i] /= a;
                p.W[i * p.n + j] /= a;
            }
        }
    }
    ss_problem ellipsoids   = planted_local(&p);
    ellipsoids.as.cone.axes = p.axes;
    assert_true(round > 1e-6);
    assert_true(fabs(residual(&ellipsoids, p.r, NULL) / round - 1) < 1e-9);
}

static void nonfinite_is_infinite(void **state)
{
    (void)state;
    planted p;
    planted_mixed(&p, 5, 40);
    ss_problem global = planted_global(&p), local = planted_local(&p);
    double     keep = p.r[3];
    p.r[3]          = NAN;
    assert_true(isinf(residual(&local, p.r, NULL)));
    p.r[3] = INFINITY;
    assert_true(isinf(residual(&global, p.r, p.v)));
    p.r[3] = keep;
    p.v[7] = NAN;
    assert_true(isinf(residual(&global, p.r, p.v)));
}

/*
 * A body between two walls that close: u_1 + u_2 = -2 whatever r is. Reactions so large that they
 * swallow the closing speed, in both forms, alone and beside contacts with far larger data.
 */
static void squeezed_bodies_are_not_solved(void **state)
{
    (void)state;
    const double H[6] = {1, 0, 0, -1, 0, 0}, M = 1, zero = 0;
    const double q[6]      = {-1, 0, 0, -1, 0, 0};
    double       W[36]     = {0};
    ss_block     blocks[2] = {{SS_BLOCK_CONE, 0, 3, 0.3, 0}, {SS_BLOCK_CONE, 3, 3, 0.3, 0}};
    for (int i = 0; i < 36; i++) {
        W[i] = H[i / 6] * H[i % 6];
    }
    ss_problem local = {.type = SS_CONE}, global = {.type = SS_CONE};
    local.as.cone     = (ss_cone){.n = 6, .nblocks = 2, .blocks = blocks, .q = q};
    global.as.cone    = local.as.cone;
    local.as.cone.W   = (ss_matrix){.rows = 6, .cols = 6, .dense = W, .ld = 6};
    global.as.cone.nv = 1;
    global.as.cone.f  = &zero;
    global.as.cone.M  = (ss_matrix){.rows = 1, .cols = 1, .dense = &M, .ld = 1};
    global.as.cone.H  = (ss_matrix){.rows = 1, .cols = 6, .dense = H, .ld = 1};
    for (double size = 1; size < 1e30; size *= 10) {
        const double r[6] = {size, 0, 0, size, 0, 0};
        assert_true(residual(&local, r, NULL) > 1e-3);
        assert_true(residual(&global, r, &zero) > 1e-3);
        const double v = 1; /* M v = H r + f to rounding, u_1 = 0, u_2 = -2 */
        assert_true(residual(&global, r, &v) > 1e-3);
    }
}

static void squeezed_beside_large_data(void **state)
{
    (void)state;
    const double q[3] = {-1, -1, -1e9};
    const double W[9] = {1, -1, 0, -1, 1, 0, 0, 0, 1};
    ss_block     blocks[3];
    for (int32_t i = 0; i < 3; i++) {
        blocks[i] = (ss_block){SS_BLOCK_UNILATERAL, i, 1, 0, 0};
    }
    ss_problem p = {.type = SS_CONE};
    p.as.cone    = (ss_cone){.n = 3, .nblocks = 3, .blocks = blocks, .q = q};
    p.as.cone.W  = (ss_matrix){.rows = 3, .cols = 3, .dense = W, .ld = 3};
    for (double size = 1; size < 1e20; size *= 10) {
        assert_true(residual(&p, (double[]){size, size, 1e9}, NULL) > 1e-3);
    }
}

/* A heavy body on a light one: reactions 1e6 times what the light one's speed explains, and right.
 */
static void heavy_on_light_passes(void **state)
{
    (void)state;
    const double m = 1048576, g = 0.01;
    const double W[4] = {1 + 1 / m, -1, -1, 1}, q[2] = {0, -g}; /* heavy on light, light on floor */
    const double r[2]      = {m * g, m * g + g};
    ss_block     blocks[2] = {{SS_BLOCK_UNILATERAL, 0, 1, 0, 0}, {SS_BLOCK_UNILATERAL, 1, 1, 0, 0}};
    ss_problem   p         = {.type = SS_CONE};
    p.as.cone              = (ss_cone){.n = 2, .nblocks = 2, .blocks = blocks, .q = q};
    p.as.cone.W            = (ss_matrix){.rows = 2, .cols = 2, .dense = W, .ld = 2};
    assert_true(residual(&p, r, NULL) < 1e-9);
}

/* Two balls one on the other: reactions that carry a part e too little leave a motion error. */
static void motion_error_is_a_velocity(void **state)
{
    (void)state;
    const double   fall = 0.05; /* g h */
    const double   W[4] = {1, -1, -1, 2}, q[2] = {-fall, 0};
    const ss_block blocks[2] = {{SS_BLOCK_UNILATERAL, 0, 1, 0, 0},
                                {SS_BLOCK_UNILATERAL, 1, 1, 0, 0}};
    ss_problem     p         = {.type = SS_CONE};
    p.as.cone                = (ss_cone){.n       = 2,
                                         .nblocks = 2,
                                         .blocks  = blocks,
                                         .q       = q,
                                         .speed   = fall,
                                         .W       = {.rows = 2, .cols = 2, .dense = W, .ld = 2}};
    double r[2]              = {2 * fall, fall};
    assert_true(ss_motion_error(&p, r, NULL, work) < 1e-14);
    for (double e = 1e-1; e > 1e-9; e *= 0.1) {
        r[0] = (2 - e) * fall; /* u_0 = -e g h, u_1 = e g h with a reaction of g h */
        assert_true(fabs(ss_motion_error(&p, r, NULL, work) - e) < 1e-12);
    }
    /* without forces what must be stopped is the scale: a hundredth of it counts as 1 */
    r[0]            = 1.9 * fall;
    p.as.cone.speed = 0;
    assert_true(fabs(ss_motion_error(&p, r, NULL, work) - 0.1 * 100) < 1e-12);
    p.as.cone.speed = 1e-3 * fall;
    assert_true(fabs(ss_motion_error(&p, r, NULL, work) - 0.1 * 100) < 1e-12);
    /* a row that turns counts by what it moves at its lever */
    const double lever[2] = {0.5, 0.5};
    p.as.cone.speed       = fall;
    p.as.cone.lever       = lever;
    assert_true(fabs(ss_motion_error(&p, r, NULL, work) - 0.05) < 1e-12);
}

/* Reactions so large that they swallow the velocities do not pass for a right motion. */
static void motion_error_sees_what_rounding_hides(void **state)
{
    (void)state;
    const double   W[4] = {1, -1, -1, 1}, q[2] = {-1, -1};
    const ss_block blocks[2] = {{SS_BLOCK_UNILATERAL, 0, 1, 0, 0},
                                {SS_BLOCK_UNILATERAL, 1, 1, 0, 0}};
    ss_problem     p         = {.type = SS_CONE};
    p.as.cone                = (ss_cone){.n       = 2,
                                         .nblocks = 2,
                                         .blocks  = blocks,
                                         .q       = q,
                                         .speed   = 1,
                                         .W       = {.rows = 2, .cols = 2, .dense = W, .ld = 2}};
    for (double size = 1; size < 1e25; size *= 10) {
        double r[2] = {size, size};
        assert_true(ss_motion_error(&p, r, NULL, work) > 0.5);
    }
}

/* Velocities that are not those of the reactions have no motion error at all. */
static void motion_error_asks_for_momentum(void **state)
{
    (void)state;
    planted p;
    planted_mixed(&p, 3, 40);
    ss_problem global    = planted_global(&p);
    global.as.cone.speed = 1;
    assert_true(ss_motion_error(&global, p.r, p.v, work) < 1e-12);
    p.v[0] *= 1 + 1e-6;
    assert_true(isinf(ss_motion_error(&global, p.r, p.v, work)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_solutions_pass),
        cmocka_unit_test(spoilt_reactions_fail),
        cmocka_unit_test(spoilt_velocities_fail),
        cmocka_unit_test(each_violation_is_seen),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(light_contacts_count),
        cmocka_unit_test(never_kinder_than_the_customary_measure),
        cmocka_unit_test(axes_scale_away),
        cmocka_unit_test(nonfinite_is_infinite),
        cmocka_unit_test(squeezed_bodies_are_not_solved),
        cmocka_unit_test(squeezed_beside_large_data),
        cmocka_unit_test(heavy_on_light_passes),
        cmocka_unit_test(motion_error_is_a_velocity),
        cmocka_unit_test(motion_error_sees_what_rounding_hides),
        cmocka_unit_test(motion_error_asks_for_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
