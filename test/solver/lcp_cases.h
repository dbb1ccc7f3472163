/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random linear complementarity problems of known kind, for tests of solvers. Everything follows
 * from one seed. Matrices are dense, column-major, n x n.
 */
#ifndef SS_TEST_LCP_CASES_H
#define SS_TEST_LCP_CASES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/problem.h"

enum { LCP_CASE_MAX = 64 };

typedef struct lcp_case {
    int32_t n;
    double  M[LCP_CASE_MAX * LCP_CASE_MAX];
    double  q[LCP_CASE_MAX];
    double  z[LCP_CASE_MAX]; /* a solution, where one was planted */
    int     solvable;        /* 1: planted or guaranteed; 0: certainly not; -1: unknown */
    int     definite;        /* 1: symmetric positive definite, so that every method applies */
} lcp_case;

/* xorshift64*: small, good enough, the same everywhere. */
static inline uint64_t lcp_case_next(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 2685821657736338717u;
}

static inline double lcp_case_uniform(uint64_t *seed)
{
    return (double)(lcp_case_next(seed) >> 11) / 9007199254740992.0;
}

static inline double lcp_case_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * lcp_case_uniform(seed);
}

static inline ss_problem lcp_case_problem(const lcp_case *p)
{
    ss_problem out = {.type = SS_LCP};
    out.as.lcp     = (ss_lcp){
            .n = p->n, .M = {.rows = p->n, .cols = p->n, .dense = p->M, .ld = p->n}, .q = p->q};
    return out;
}

/* q such that a random z (a share `zeros` of it zero, `degenerate` of the pairs both zero) solves.
 */
static inline void lcp_case_solution(lcp_case *p, uint64_t *seed, double zeros, double degenerate)
{
    double w[LCP_CASE_MAX];
    for (int32_t i = 0; i < p->n; i++) {
        double pick = lcp_case_uniform(seed);
        int    both = lcp_case_uniform(seed) < degenerate;
        p->z[i]     = pick < zeros || both ? 0 : lcp_case_between(seed, 0.1, 2);
        w[i]        = p->z[i] > 0 || both ? 0 : lcp_case_between(seed, 0.1, 2);
    }
    for (int32_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (int32_t j = 0; j < p->n; j++) {
            sum += p->M[j * p->n + i] * p->z[j];
        }
        p->q[i] = w[i] - sum;
    }
    p->solvable = 1;
}

/* M = A A' of rank r, plus a skew part and a diagonal. */
static inline void lcp_case_psd(lcp_case *p, uint64_t *seed, int32_t rank, double skew,
                                double shift)
{
    double A[LCP_CASE_MAX * LCP_CASE_MAX] = {0};
    for (int32_t k = 0; k < p->n * rank; k++) {
        A[k] = lcp_case_between(seed, -1, 1);
    }
    for (int32_t i = 0; i < p->n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0, s = skew * lcp_case_between(seed, -1, 1);
            for (int32_t k = 0; k < rank; k++) {
                sum += A[k * p->n + i] * A[k * p->n + j];
            }
            p->M[j * p->n + i] = sum + (i == j ? shift : s);
            p->M[i * p->n + j] = sum + (i == j ? shift : -s);
        }
    }
}

static inline void lcp_case_random_q(lcp_case *p, uint64_t *seed)
{
    for (int32_t i = 0; i < p->n; i++) {
        p->q[i] = lcp_case_between(seed, -1, 1);
    }
}

/* Units of every z and every w multiplied by powers of ten up to 10^+-decades. */
static inline void lcp_case_rescale(lcp_case *p, uint64_t *seed, double decades)
{
    for (int32_t i = 0; i < p->n; i++) {
        double row = pow(10, lcp_case_between(seed, -decades, decades));
        double col = pow(10, lcp_case_between(seed, -decades, decades));
        p->q[i] *= row;
        p->z[i] /= col;
        for (int32_t j = 0; j < p->n; j++) {
            p->M[j * p->n + i] *= row;
            p->M[i * p->n + j] *= col;
        }
    }
    p->definite = 0;
}

/* Symmetric positive definite, a planted solution. */
static inline void lcp_case_definite(lcp_case *p, uint64_t *seed, int32_t n)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    lcp_case_psd(p, seed, n, 0, 0.5);
    lcp_case_solution(p, seed, 0.5, 0);
    p->definite = 1;
}

/* A P matrix that is not symmetric, a planted solution. */
static inline void lcp_case_p_matrix(lcp_case *p, uint64_t *seed, int32_t n)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    lcp_case_psd(p, seed, n, 2, 0.2);
    lcp_case_solution(p, seed, 0.5, 0);
}

/* Positive semidefinite of half rank; planted, some pairs degenerate. */
static inline void lcp_case_semidefinite(lcp_case *p, uint64_t *seed, int32_t n, double degenerate)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    lcp_case_psd(p, seed, (n + 1) / 2, 0, 0);
    lcp_case_solution(p, seed, 0.5, degenerate);
}

/* Positive semidefinite with any q: perhaps without a solution. */
static inline void lcp_case_semidefinite_any(lcp_case *p, uint64_t *seed, int32_t n)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    lcp_case_psd(p, seed, (n + 1) / 2, 1, 0);
    lcp_case_random_q(p, seed);
    p->solvable = -1;
}

/* Strictly copositive (all entries positive): solvable for every q. */
static inline void lcp_case_copositive(lcp_case *p, uint64_t *seed, int32_t n)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    for (int32_t k = 0; k < n * n; k++) {
        p->M[k] = lcp_case_between(seed, 0.05, 2);
    }
    lcp_case_random_q(p, seed);
    p->solvable = 1;
}

/* No structure at all: perhaps solvable. */
static inline void lcp_case_any(lcp_case *p, uint64_t *seed, int32_t n)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    for (int32_t k = 0; k < n * n; k++) {
        p->M[k] = lcp_case_uniform(seed) < 0.4 ? 0 : lcp_case_between(seed, -1, 1);
    }
    lcp_case_random_q(p, seed);
    p->solvable = -1;
}

/* Small integers: many exact ties and singular blocks. */
static inline void lcp_case_integers(lcp_case *p, uint64_t *seed, int32_t n)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    for (int32_t k = 0; k < n * n; k++) {
        p->M[k] = (double)(lcp_case_next(seed) % 5) - 2;
    }
    for (int32_t i = 0; i < n; i++) {
        p->q[i] = (double)(lcp_case_next(seed) % 5) - 2;
    }
    p->solvable = -1;
}

/*
 * Stewart-Trinkle pyramids of a random contact graph: `bodies` bodies of 3 degrees of freedom in
 * the plane, `contacts` contacts between two of them or one and the ground, two friction directions
 * each. z = (normal, friction, slip speed),  M = [W_nn W_nf 0; W_fn W_ff E; mu -E' 0]:
 * copositive-plus on the rows that matter, and solvable whenever the gaps allow it (q_n >= -speed
 * of approach).
 */
static inline void lcp_case_contacts(lcp_case *p, uint64_t *seed, int32_t bodies, int32_t contacts)
{
    enum { DOF_MAX = 24 };
    double  J[LCP_CASE_MAX * DOF_MAX] = {0}, v[DOF_MAX], inverse[DOF_MAX];
    int32_t n = 4 * contacts, dof = 3 * bodies, rows = 3 * contacts;
    memset(p, 0, sizeof *p);
    p->n = n;
    for (int32_t d = 0; d < dof; d++) {
        v[d]       = lcp_case_between(seed, -1, 1);
        inverse[d] = 1 / lcp_case_between(seed, 0.2, 3);
    }
    for (int32_t c = 0; c < contacts; c++) {
        int32_t a     = (int32_t)(lcp_case_next(seed) % (uint64_t)bodies);
        int32_t b     = (int32_t)(lcp_case_next(seed) % (uint64_t)(bodies + 1));
        double  angle = lcp_case_between(seed, 0, 6.28318), nx = cos(angle), ny = sin(angle);
        for (int32_t side = 0; side < 2; side++) {
            int32_t body = side == 0 ? a : b;
            double  sign = side == 0 ? 1 : -1, rx = lcp_case_between(seed, -1, 1),
                   ry = lcp_case_between(seed, -1, 1);
            if (body == bodies || (side == 1 && a == b)) {
                continue; /* the ground */
            }
            double normal[3]  = {sign * nx, sign * ny, sign * (rx * ny - ry * nx)};
            double tangent[3] = {-sign * ny, sign * nx, sign * (rx * nx + ry * ny)};
            for (int32_t d = 0; d < 3; d++) {
                J[c * DOF_MAX + 3 * body + d]                      = normal[d];
                J[(contacts + 2 * c) * DOF_MAX + 3 * body + d]     = tangent[d];
                J[(contacts + 2 * c + 1) * DOF_MAX + 3 * body + d] = -tangent[d];
            }
        }
    }
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < rows; j++) {
            for (int32_t d = 0; d < dof; d++) {
                p->M[j * n + i] += J[i * DOF_MAX + d] * inverse[d] * J[j * DOF_MAX + d];
            }
        }
        for (int32_t d = 0; d < dof; d++) {
            p->q[i] += J[i * DOF_MAX + d] * v[d];
        }
    }
    for (int32_t c = 0; c < contacts; c++) {
        int32_t slip       = rows + c;
        p->M[c * n + slip] = lcp_case_between(seed, 0, 1);
        for (int32_t k = 0; k < 2; k++) {
            int32_t f          = contacts + 2 * c + k;
            p->M[slip * n + f] = 1;
            p->M[f * n + slip] = -1;
        }
    }
    p->solvable = 1; /* no gaps: Anitescu and Potra 1997 */
}

#endif
