/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "contest.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "natural_map.h"
#include "stickslip/solver.h"

static const double repeat_budget = 0.3; /* seconds for repeating quick solves */

double cpu_seconds(void)
{
    /* Of the thread: under a limit of CPU time the process's clock moves in ticks of the kernel. */
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What reading the clock twice costs, which on the smallest problems is a third of a solve. */
static double clock_cost(void)
{
    double cost = INFINITY;
    for (int k = 0; k < 50; k++) {
        double start = cpu_seconds();
        cost         = fmin(cost, cpu_seconds() - start);
    }
    return cost;
}

void note_call(answer *a, double seconds, bool claimed)
{
    if (a->calls == 0) {
        a->clock = clock_cost();
    }
    seconds    = fmax(seconds - a->clock, 1e-8);
    a->seconds = a->calls == 0 ? seconds : fmin(a->seconds, seconds);
    a->claimed = claimed;
    a->calls++;
}

bool enough_calls(const answer *a, double started)
{
    return a->calls >= CALLS_MAX || (a->calls > 0 && cpu_seconds() - started > repeat_budget);
}

void solve_ours(const contestant *c, const ss_problem *p, double tol, double cap, answer *a)
{
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *solver;
    double      started = cpu_seconds();
    if (ctx == NULL || ss_solver_create_named(ctx, c->name, &solver) != SS_OK) {
        return;
    }
    ss_solver_common(solver)->tol = tol;
    double *v                     = calloc((size_t)ss_problem_size_v(p) + 1, sizeof *v);
    while (v != NULL && !enough_calls(a, started)) {
        /* The child's own limit is enough for what is known to be quick. */
        bool        quick                    = a->calls > 0 && a->seconds < 1e-3;
        ss_solution x                        = {.z = a->z, .v = v};
        ss_solver_common(solver)->time_limit = quick ? 0 : cap;
        double start                         = cpu_seconds();
        if (ss_solve(solver, p, &x) != SS_OK || x.outcome == SS_NOT_APPLICABLE) {
            return;
        }
        a->outcome = (int)x.outcome;
        note_call(a, cpu_seconds() - start, x.outcome == SS_SOLVED);
    }
}

/* Siconos prints as it pleases: the child has nothing to say on the screen. */
static void silence(void)
{
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

static void run_child(const contestant *c, const ss_problem *p, const ss_problem *given, double tol,
                      double cap, answer *a)
{
    rlim_t        seconds = (rlim_t)ceil(cap + repeat_budget);
    struct rlimit limit   = {seconds, seconds + 1};
    struct rlimit no_core = {0, 0};
    silence();
    setrlimit(RLIMIT_CPU, &limit);
    setrlimit(RLIMIT_CORE, &no_core);
    alarm((unsigned)(40 * cap + 60)); /* a child that waits uses no CPU time; others may be busy */
    if (c->siconos) {
        solve_siconos(c, p, given, tol, a);
    } else {
        solve_ours(c, given, tol, cap, a);
    }
    _exit(0);
}

/* Ours must also say that it is solved; of Siconos only the answer counts. */
static verdict judge(const answer *a, int status, double residual, double tol, double cap,
                     bool siconos)
{
    if (a->calls == 0 && WIFSIGNALED(status)) {
        return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM ? V_TIMEOUT : V_CRASH;
    }
    if (a->calls == 0) {
        return V_ABSENT;
    }
    if (residual <= tol && (siconos || a->claimed)) {
        return V_SOLVED;
    }
    if (a->claimed) {
        return V_WRONG;
    }
    return a->seconds >= cap ? V_TIMEOUT : V_FAILED;
}

result contest(const contestant *c, const ss_problem *p, const ss_problem *given, double tol,
               double cap)
{
    size_t  size = sizeof(answer) + (size_t)ss_problem_size(p) * sizeof(double);
    answer *a    = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    result  r    = {V_ABSENT, INFINITY, INFINITY, 0};
    if (a == MAP_FAILED || (c->siconos && !siconos_present())) {
        return r;
    }
    pid_t child = fork();
    if (child == 0) {
        run_child(c, p, given, tol, cap, a);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child) {
        r.residual = a->calls > 0 ? natural_residual(p, a->z) : INFINITY;
        r.verdict  = judge(a, status, r.residual, tol, cap, c->siconos);
        r.seconds  = a->calls > 0 ? a->seconds : INFINITY;
        r.outcome  = a->outcome;
    }
    munmap(a, size);
    return r;
}
