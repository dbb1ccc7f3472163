/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of one certified solve of the smallest contact problem there is: a sphere on a plane,
 * Stewart-Trinkle pyramid of four directions, 6 x 6; sliding and sticking in turn.
 * The quickest of many batches counts: the machine may be busy with other things.
 * usage: bench_lcp_small [SOLVER]
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "stickslip/solver.h"

enum { N = 6, ROUNDS = 16000, BATCHES = 100, KINDS = 16 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* z = (normal, four directions, slip speed): unit sphere of unit mass, inertia 0.4, touching. */
static void sphere_matrix(double mu, double *M)
{
    const double dir[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int k = 0; k < N * N; k++) {
        M[k] = 0;
    }
    M[0] = 1;
    M[5] = mu;
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            M[(1 + b) * N + 1 + a] = 3.5 * (dir[a][0] * dir[b][0] + dir[a][1] * dir[b][1]);
        }
        M[(1 + a) * N + 5] = -1;
        M[5 * N + 1 + a]   = 1;
    }
}

static void sphere_vector(int kind, double *q)
{
    double angle = 0.3 + 6.2831853 * kind / KINDS, speed = kind % 4 == 0 ? 0.2 : 2;
    double vx = speed * cos(angle), vy = speed * sin(angle);
    double value[N] = {-1, vx, vy, -vx, -vy, 0};
    for (int i = 0; i < N; i++) {
        q[i] = value[i];
    }
}

int main(int argc, char **argv)
{
    ss_context *ctx    = ss_context_create(NULL);
    ss_solver  *solver = NULL;
    double      M[N * N], q[KINDS][N], z[N];
    if (ctx == NULL ||
        ss_solver_create_named(ctx, argc > 1 ? argv[1] : "lemke", &solver) != SS_OK) {
        fprintf(stderr, "%s\n", ctx != NULL ? ss_context_message(ctx) : "no memory");
        return 2;
    }
    sphere_matrix(0.2, M);
    for (int k = 0; k < KINDS; k++) {
        sphere_vector(k, q[k]);
    }
    int64_t failed = 0, pivots = 0;
    double  worst = 0, best = INFINITY;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = seconds();
        for (int i = 0; i < ROUNDS; i++) {
            ss_problem p = {.type = SS_LCP};
            p.as.lcp     = (ss_lcp){
                    .n = N, .M = {.rows = N, .cols = N, .dense = M, .ld = N}, .q = q[i % KINDS]};
            ss_solution x      = {.z = z};
            ss_status   status = ss_solve(solver, &p, &x);
            failed += status != SS_OK || x.outcome != SS_SOLVED;
            pivots += x.iterations;
            worst = fmax(worst, x.residual);
        }
        best = fmin(best, seconds() - start);
    }
    printf("%.0f ns a solve, %.2f iterations, worst residual %.1e, %lld failed\n",
           1e9 * best / ROUNDS, (double)pivots / ROUNDS / BATCHES, worst, (long long)failed);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
    return failed == 0 ? 0 : 1;
}
