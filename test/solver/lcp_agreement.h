/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random LCPs, solved by several methods that must not contradict each other: used by a short test
 * and by a long soak run.
 */
#ifndef SS_TEST_LCP_AGREEMENT_H
#define SS_TEST_LCP_AGREEMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "solver/lcp_cases.h"
#include "stickslip/solver.h"

typedef enum lcp_kind {
    KIND_DEFINITE,
    KIND_P,
    KIND_SEMIDEFINITE,
    KIND_DEGENERATE,
    KIND_SEMIDEFINITE_ANY,
    KIND_COPOSITIVE,
    KIND_ANY,
    KIND_INTEGERS,
    KIND_CONTACTS,
    KIND_CONTACTS_REDUNDANT,
    KIND_COUNT
} lcp_kind;

static const char *const lcp_kind_names[KIND_COUNT] = {
    "positive definite",   "P matrix",
    "semidefinite",        "degenerate",
    "semidefinite, any q", "strictly copositive",
    "any matrix",          "small integers",
    "contact graph",       "contact graph, redundant"};

static inline void lcp_case_make(lcp_case *c, lcp_kind kind, uint64_t *seed)
{
    int32_t n = 1 + (int32_t)(lcp_case_next(seed) % 9);
    switch (kind) {
    case KIND_DEFINITE:
        lcp_case_definite(c, seed, n);
        break;
    case KIND_P:
        lcp_case_p_matrix(c, seed, n);
        break;
    case KIND_SEMIDEFINITE:
        lcp_case_semidefinite(c, seed, n, 0);
        break;
    case KIND_DEGENERATE:
        lcp_case_semidefinite(c, seed, n, 0.5);
        break;
    case KIND_SEMIDEFINITE_ANY:
        lcp_case_semidefinite_any(c, seed, n);
        break;
    case KIND_COPOSITIVE:
        lcp_case_copositive(c, seed, n);
        break;
    case KIND_ANY:
        lcp_case_any(c, seed, n);
        break;
    case KIND_INTEGERS:
        lcp_case_integers(c, seed, n);
        break;
    case KIND_CONTACTS:
        lcp_case_contacts(c, seed, 3, 1 + n % 3);
        break;
    case KIND_CONTACTS_REDUNDANT:
    case KIND_COUNT:
        lcp_case_contacts(c, seed, 1, 2 + n % 3);
        break;
    }
}

typedef struct agreement {
    ss_solver *judge;      /* enumerate */
    ss_solver *solvers[5]; /* auto first; one place is left for agreement_add */
    int32_t    count;
    int64_t    cases, solvable, unsolvable, undecided;
    int64_t    solved[5];
    int64_t    contradictions; /* solved what has no solution, or "proved" the contrary */
    int64_t    missed;         /* auto did not solve what has a solution */
} agreement;

static inline bool agreement_make(agreement *a, ss_context *ctx)
{
    static const char *const names[] = {"auto", "lemke", "pivot", "newton"};
    *a                               = (agreement){.count = 4};
    bool ok                          = ss_solver_create_named(ctx, "enumerate", &a->judge) == SS_OK;
    for (int32_t k = 0; k < a->count; k++) {
        ok = ok && ss_solver_create_named(ctx, names[k], &a->solvers[k]) == SS_OK;
    }
    return ok;
}

/* One more that is asked, once. */
static inline bool agreement_add(agreement *a, ss_context *ctx, const char *name)
{
    if (ss_solver_create_named(ctx, name, &a->solvers[a->count]) != SS_OK) {
        return false;
    }
    a->count++;
    return true;
}

static inline void agreement_free(agreement *a)
{
    ss_solver_destroy(a->judge);
    for (int32_t k = 0; k < a->count; k++) {
        ss_solver_destroy(a->solvers[k]);
    }
}

/* The natural map against the length of q, in long double: a second, cruder judge. */
static inline double agreement_natural(const lcp_case *c, const double *z)
{
    long double sum = 0, length = 0;
    for (int32_t i = 0; i < c->n; i++) {
        long double w = c->q[i];
        for (int32_t j = 0; j < c->n; j++) {
            w += (long double)c->M[j * c->n + i] * z[j];
        }
        long double least = w < z[i] ? w : z[i];
        sum += least * least;
        length += (long double)c->q[i] * c->q[i];
    }
    return length > 0 ? (double)sqrtl(sum / length) : (double)sqrtl(sum);
}

/*
 * Solve one case with everything. Writes a line about each contradiction to `out`. `scaled` cases
 * are judged by the residual alone: the natural map means nothing there.
 */
static inline void agreement_try(agreement *a, const lcp_case *c, bool scaled, uint64_t seed,
                                 const char *kind, FILE *out)
{
    double      z[LCP_CASE_MAX];
    ss_problem  p      = lcp_case_problem(c);
    ss_solution x      = {.z = z};
    ss_status   status = ss_solve(a->judge, &p, &x);
    bool        has    = c->solvable == 1 || x.outcome == SS_SOLVED;
    bool        hasnt  = x.outcome == SS_INFEASIBLE;
    bool        wrong  = status != SS_OK || (has && hasnt);
    const char *whose  = "enumerate";
    a->cases++;
    a->solvable += has;
    a->unsolvable += hasnt;
    a->undecided += !has && !hasnt;
    for (int32_t k = 0; k < a->count && !wrong; k++) {
        x     = (ss_solution){.z = z};
        whose = ss_solver_class_of(a->solvers[k])->name;
        wrong = ss_solve(a->solvers[k], &p, &x) != SS_OK;
        a->solved[k] += x.outcome == SS_SOLVED;
        wrong = wrong || (x.outcome == SS_SOLVED && hasnt) || (x.outcome == SS_INFEASIBLE && has);
        wrong = wrong || (x.outcome == SS_SOLVED && !scaled && agreement_natural(c, z) > 1e-6);
        if (k == 0 && has && x.outcome != SS_SOLVED) {
            a->missed++;
            fprintf(out, "missed: auto says %s, residual %.1e, on %s, n %d, seed %llu\n",
                    ss_outcome_text(x.outcome), x.residual, kind, (int)c->n,
                    (unsigned long long)seed);
        }
    }
    if (wrong) {
        a->contradictions++;
        fprintf(out,
                "contradiction: %s says %s, residual %.1e, natural %.1e, on %s, n %d, seed %llu\n",
                whose, ss_outcome_text(x.outcome), x.residual, agreement_natural(c, z), kind,
                (int)c->n, (unsigned long long)seed);
    }
}

/* Case number `index` of a run: kind and scaling follow from it. */
static inline void agreement_case(agreement *a, uint64_t index, FILE *out)
{
    static char name[96];
    lcp_case    c;
    lcp_kind    kind   = (lcp_kind)(index % KIND_COUNT);
    bool        scaled = index / KIND_COUNT % 3 == 2;
    uint64_t    seed = (index + 1) * 0x9E3779B97F4A7C15u, start = seed;
    lcp_case_make(&c, kind, &seed);
    if (scaled) {
        lcp_case_rescale(&c, &seed, 12);
    }
    snprintf(name, sizeof name, "%s%s (case %llu)", lcp_kind_names[kind],
             scaled ? ", rescaled" : "", (unsigned long long)index);
    agreement_try(a, &c, scaled, start, name, out);
}

static inline void agreement_report(const agreement *a, FILE *out)
{
    fprintf(out, "%lld cases: %lld solvable, %lld proved unsolvable, %lld undecided\n",
            (long long)a->cases, (long long)a->solvable, (long long)a->unsolvable,
            (long long)a->undecided);
    for (int32_t k = 0; k < a->count; k++) {
        fprintf(out, "  %-8s solved %lld\n", ss_solver_class_of(a->solvers[k])->name,
                (long long)a->solved[k]);
    }
    fprintf(out, "%lld contradictions, %lld missed by auto\n", (long long)a->contradictions,
            (long long)a->missed);
}

#endif
