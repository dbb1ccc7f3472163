/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peiret et al.: friction limits along k directions of acceleration, with a phantom inertia rho. A
 * unit particle of weight 9.81 on a plane, mu = 0.3, pushed by (fx, fy): its LCP has 1 + 2k
 * unknowns and rank 3 without rho; with rho > 0 it has full rank but at rho = k, and the solution
 * does not depend on it. The limits |e_j.c| <= mu c_n are a polygon around the circle: at (4, 1.5)
 * the friction is (-2.943, -1.5) for k = 2 and 3, more than mu m g.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/instant.h"

enum { MOST = 32 };

/* Rank of a small matrix by elimination with full pivoting. */
static int rank_of(const ss_lcp *p)
{
    double A[MOST][MOST], first = 0;
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            A[i][j] = p->M.dense[i + j * p->M.ld];
        }
    }
    for (int k = 0; k < p->n; k++) {
        int r = k, c = k;
        for (int i = k; i < p->n; i++) {
            for (int j = k; j < p->n; j++) {
                if (fabs(A[i][j]) > fabs(A[r][c])) {
                    r = i;
                    c = j;
                }
            }
        }
        first = k == 0 ? fabs(A[r][c]) : first;
        if (fabs(A[r][c]) <= 1e-10 * first) {
            return k;
        }
        for (int j = 0; j < p->n; j++) {
            double x = A[k][j];
            A[k][j]  = A[r][j];
            A[r][j]  = x;
        }
        for (int i = 0; i < p->n; i++) {
            double x = A[i][k];
            A[i][k]  = A[i][c];
            A[i][c]  = x;
        }
        for (int i = k + 1; i < p->n; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < p->n; j++) {
                A[i][j] -= f * A[k][j];
            }
        }
    }
    return p->n;
}

static ss_status open_particle(ss_verify *v, double mu, double fx, double fy, ss_verify_instant *i)
{
    char text[3][48];
    snprintf(text[0], sizeof text[0], "params.fx=%.17g", fx);
    snprintf(text[1], sizeof text[1], "params.fy=%.17g", fy);
    snprintf(text[2], sizeof text[2], "params.mu=%.17g", mu);
    const char *const overrides[] = {text[0], text[1], text[2], NULL};
    return ss_verify_judge(v, "particle-push", overrides, i);
}

static ss_status ranks(ss_verify *v)
{
    ss_verify_instant i;
    SS_TRY(open_particle(v, 0.3, 4, 1.5, &i));
    ss_status status = SS_OK;
    for (int k = 2; status == SS_OK && k <= 4; k++) {
        const double rho[]  = {0, 0.5, 3.3, k, -1};
        const int    rank[] = {3, 1 + 2 * k, 1 + 2 * k, -1, 1 + 2 * k};
        for (int r = 0; status == SS_OK && r < 5; r++) {
            ss_problem      p;
            double          used;
            ss_instant_form form = {k, rho[r]};
            status = ss_instant_as_lcp(i.instant, i.world.model, i.world.data, form, &p, &used);
            if (status == SS_OK && rank[r] < 0) {
                ss_verify_near(v, 1, rank_of(&p.as.lcp) < 1 + 2 * k, 0,
                               "k = %d, rho = k: the matrix is singular", k);
            } else if (status == SS_OK) {
                ss_verify_near(v, rank[r], rank_of(&p.as.lcp), 0, "k = %d, rho = %g: rank", k,
                               used);
            }
        }
    }
    ss_verify_judged(&i);
    return status;
}

/* Solves the particle's LCP with one solver; *bad counts what is not solved. */
static ss_status solve(ss_verify *v, ss_verify_instant *i, ss_instant_form form, const char *solver,
                       ss_instant_force *f, ss_body_motion *a, int *bad)
{
    ss_problem  p;
    double      z[MOST] = {0};
    ss_solution x       = {.z = z};
    ss_solver  *s       = NULL;
    SS_TRY(ss_instant_as_lcp(i->instant, i->world.model, i->world.data, form, &p, NULL));
    SS_TRY(ss_solver_create_named(ss_verify_context(v), solver, &s));
    ss_status status = ss_solve(s, &p, &x);
    *bad += x.outcome != SS_SOLVED;
    for (int j = 0; j < form.box; j++) {
        *bad += z[1 + j] * z[1 + form.box + j] > 1e-9;
    }
    ss_solver_destroy(s);
    if (status == SS_OK) {
        status = ss_instant_take(i->instant, i->world.model, i->world.data, z);
    }
    *f = ss_verify_force(i, 0, 0);
    *a = ss_verify_acceleration(i, 0, "p");
    return status;
}

static ss_status particle(ss_verify *v, double fx, double fy, int k, const double *expected)
{
    static const double rho[] = {0.5, 3.3, -1};
    ss_verify_instant   i;
    SS_TRY(open_particle(v, 0.3, fx, fy, &i));
    ss_status status = SS_OK;
    for (int r = 0; status == SS_OK && r < 3; r++) {
        ss_instant_force f   = {0};
        ss_body_motion   a   = {0};
        int              bad = 0;
        status               = solve(v, &i, (ss_instant_form){k, rho[r]}, "auto", &f, &a, &bad);
        double off = fmax(fmax(fabs(a.velocity.x - expected[0]), fabs(a.velocity.y - expected[1])),
                          fmax(fabs(f.force[1] - expected[2]), fabs(f.force[2] - expected[3])));
        ss_verify_near(v, 0, off + bad, 1e-6,
                       "push (%g, %g), k = %d, %s: accelerations and friction off by", fx, fy, k,
                       rho[r] < 0 ? "chosen rho"
                       : r == 0   ? "rho 0.5"
                                  : "rho 3.3");
    }
    ss_verify_judged(&i);
    return status;
}

/* Numbers that are the same everywhere. */
static double next(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 33) / 2147483648.0;
}

static ss_status random_ones(ss_verify *v)
{
    static const char *const solvers[] = {"lemke", "pivot", "enumerate", "auto"};
    unsigned long long       seed      = 20;
    int                      bad = 0, differ = 0;
    for (int n = 0; n < 60; n++) {
        double fx = 12 * next(&seed) - 6, fy = 12 * next(&seed) - 6, mu = 0.05 + 0.7 * next(&seed);
        ss_instant_form   form = {2 + (int)(3 * next(&seed)), 0};
        ss_verify_instant i;
        ss_instant_force  f[4];
        ss_body_motion    a;
        form.rho = n % 2 == 0 ? -1 : 0.1 + next(&seed);
        SS_TRY(open_particle(v, mu, fx, fy, &i));
        ss_status status = SS_OK;
        for (int s = 0; status == SS_OK && s < 4; s++) {
            status = solve(v, &i, form, solvers[s], &f[s], &a, &bad);
            differ +=
                s > 0 && hypot(f[s].force[1] - f[0].force[1], f[s].force[2] - f[0].force[2]) > 1e-9;
        }
        ss_verify_judged(&i);
        SS_TRY(status);
    }
    ss_verify_near(v, 0, bad, 0, "60 random pushes: not solved by lemke, pivot, enumerate or auto");
    ss_verify_near(v, 0, differ, 0, "60 random pushes: solvers that differ");
    return SS_OK;
}

/* One step from rest at the impulse level: h times the accelerations. */
static ss_status one_step(ss_verify *v)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "particle-push", NULL, &w));
    ss_status     status = ss_verify_steps(v, &w, 0.01, 1);
    ss_body_state s      = ss_verify_body(&w, "p");
    ss_verify_near(v, 0.01 * 1.057, s.velocity.x, 1e-12, "one step of 0.01 s, k = 4: v_x");
    ss_verify_near(v, 0.01 * 0.280969, s.velocity.y, 1e-8, "one step of 0.01 s, k = 4: v_y");
    ss_verify_close(&w);
    return status;
}

/* In the plane the box is the cone. */
static ss_status in_the_plane(ss_verify *v)
{
    static const char *const cones[2][2] = {{"simulation.model.cone=quadratic", NULL},
                                            {"simulation.model.cone={box: 2}", NULL}};
    double                   apart       = 0;
    ss_verify_world          w[2];
    SS_TRY(ss_verify_open(v, "slope-2d", cones[0], &w[0]));
    ss_status status = ss_verify_open(v, "slope-2d", cones[1], &w[1]);
    for (int i = 0; status == SS_OK && i < 100; i++) {
        for (int k = 0; status == SS_OK && k < 2; k++) {
            status = ss_verify_steps(v, &w[k], 1e-3, 1);
        }
        for (int32_t b = 0; status == SS_OK && b < ss_model_body_count(w[0].model); b++) {
            ss_body_state s[2];
            ss_data_body(w[0].model, w[0].data, b, &s[0]);
            ss_data_body(w[1].model, w[1].data, b, &s[1]);
            apart = fmax(apart, ss_norm(ss_sub(s[0].velocity, s[1].velocity)));
        }
    }
    ss_verify_near(v, 0, apart, 1e-12, "slope in the plane: m/s between box and quadratic cone");
    ss_verify_close(&w[0]);
    ss_verify_close(&w[1]);
    return status;
}

/* A box on four corners that stick: the form does not exist, and says so. */
static ss_status redundant(ss_verify *v)
{
    ss_verify_instant i;
    ss_problem        p;
    SS_TRY(ss_verify_judge(v, "slope", NULL, &i));
    ss_status said = ss_instant_as_lcp(i.instant, i.world.model, i.world.data,
                                       (ss_instant_form){4, -1}, &p, NULL);
    ss_verify_near(v, SS_ERR_UNSUPPORTED, said, 0, "box on four corners: redundant, and said");
    ss_verify_judged(&i);
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    static const double sticks[]  = {0, 0, -2, -0.7};
    static const double slides[]  = {1.057, 0, -2.943, -1.5};
    static const double slides4[] = {1.057, 0.280969, -2.943, -1.219031};
    SS_TRY(ranks(v));
    for (int k = 2; k <= 4; k++) {
        SS_TRY(particle(v, 2, 0.7, k, sticks));
        SS_TRY(particle(v, 4, 1.5, k, k < 4 ? slides : slides4));
    }
    SS_TRY(random_ones(v));
    SS_TRY(one_step(v));
    SS_TRY(in_the_plane(v));
    return redundant(v);
}

const ss_verify_case ss_verify_phantom = {
    .name    = "phantom",
    .source  = "Peiret et al.; computed apart from its equations",
    .summary = "friction over a box of directions with phantom inertia: rank, solutions, solvers",
    .run     = run};
