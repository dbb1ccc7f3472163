/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contact: exact on small problems, the same answer by every route, no memory in repeated solves,
 * clean failure when memory is short, and never hurt by a bad guess.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "counted.h"
#include "problem/reduce.h"
#include "solver/planted_cone.h"
#include "stickslip/solver.h"

static ss_context *ctx;
static ss_solver  *contact;
static counter     memory;

static int setup(void **state)
{
    (void)state;
    ctx = counted_context(&memory);
    return ctx == NULL || ss_solver_create_named(ctx, "contact", &contact) != SS_OK;
}

static int teardown(void **state)
{
    (void)state;
    ss_solver_destroy(contact);
    ss_context_destroy(ctx);
    return 0;
}

static void solve(const ss_problem *p, double *r, double *v, bool warm)
{
    ss_solution x = {.z = r, .v = v, .warm = warm};
    assert_int_equal(ss_solve(contact, p, &x), SS_OK);
    if (x.outcome != SS_SOLVED) {
        fail_msg("%s, residual %g", ss_outcome_text(x.outcome), x.residual);
    }
}

/* 12 rows of rank 6, as for a box on four corners, and everything else. */
static void small_problems_are_exact(void **state)
{
    (void)state;
    ss_solver_common(contact)->tol = 1e-13;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        planted p;
        if (seed % 2) {
            planted_contacts(&p, seed, 4, 3, 0.3, 6);
        } else {
            planted_mixed(&p, seed, 60);
        }
        double     r[PLANTED_ROWS];
        ss_problem local = planted_local(&p);
        solve(&local, r, NULL, false);
    }
    ss_solver_common(contact)->tol = 1e-10;
}

/* Scales of everything: grams to kilotonnes, micrometres to kilometres. */
static void scale_does_not_matter(void **state)
{
    (void)state;
    for (double mass = 1e-9; mass < 1e10; mass *= 1e3) {
        for (double speed = 1e-9; speed < 1e10; speed *= 1e3) {
            planted p;
            planted_contacts(&p, 5, 5, 3, 0.4, 6);
            for (int32_t i = 0; i < p.n; i++) {
                p.q[i] *= speed;
                for (int32_t j = 0; j < p.n; j++) {
                    p.W[j * p.n + i] /= mass;
                }
            }
            double     r[PLANTED_ROWS];
            ss_problem local = planted_local(&p);
            solve(&local, r, NULL, false);
        }
    }
}

/* In 2D the polygon of two directions is the cone: the LCP has the same answer. */
static void planar_contact_is_an_lcp(void **state)
{
    (void)state;
    ss_solver *lemke = NULL;
    ss_arena   arena = {0};
    double     corner[4][2];
    ss_polygon polygon = {.count = 4, .corner = corner};
    ss_polygon_corners(4, corner);
    assert_int_equal(ss_solver_create_named(ctx, "lemke", &lemke), SS_OK);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        planted p;
        planted_contacts(&p, seed, 6, 2, 0.2, 20);
        double     r[PLANTED_ROWS], s[PLANTED_ROWS], z[4 * PLANTED_ROWS];
        ss_problem local = planted_local(&p), lcp;
        while (!ss_reduce_polygon(&local.as.cone, &polygon, &arena, &lcp)) {
            assert_int_equal(ss_arena_grow(ctx, &arena), SS_OK);
        }
        ss_solution x = {.z = z};
        assert_int_equal(ss_solve(lemke, &lcp, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        ss_reduce_polygon_back(&local.as.cone, &polygon, z, s);
        solve(&local, r, NULL, false);
        for (int32_t i = 0; i < p.n; i++) {
            assert_true(fabs(r[i] - s[i]) < 1e-7);
        }
        ss_arena_reset(&arena);
    }
    ss_arena_free(ctx, &arena);
    ss_solver_destroy(lemke);
}

/* Polygons of more and more directions come nearer and nearer to the cone. */
static void polygons_converge_to_the_cone(void **state)
{
    (void)state;
    ss_solver *lemke = NULL;
    ss_arena   arena = {0};
    assert_int_equal(ss_solver_create_named(ctx, "lemke", &lemke), SS_OK);
    planted p;
    planted_contacts(&p, 8, 3, 3, 0.3, 20);
    double     r[PLANTED_ROWS], s[PLANTED_ROWS], z[3 * 128];
    ss_problem local = planted_local(&p), lcp;
    double     last  = INFINITY;
    solve(&local, r, NULL, false);
    for (int32_t directions = 4; directions <= 64; directions *= 4) {
        double     corner[64][2];
        ss_polygon polygon = {.count = directions, .corner = corner};
        ss_polygon_corners(directions, corner);
        ss_arena_reset(&arena);
        while (!ss_reduce_polygon(&local.as.cone, &polygon, &arena, &lcp)) {
            assert_int_equal(ss_arena_grow(ctx, &arena), SS_OK);
        }
        ss_solution x = {.z = z};
        assert_true(ss_problem_size(&lcp) <= 3 * 128);
        assert_int_equal(ss_solve(lemke, &lcp, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        ss_reduce_polygon_back(&local.as.cone, &polygon, z, s);
        double apart = 0;
        for (int32_t i = 0; i < p.n; i++) {
            apart = fmax(apart, fabs(r[i] - s[i]));
        }
        assert_true(apart < 0.5 * last || apart < 1e-9);
        last = apart;
    }
    assert_true(last < 0.05);
    ss_arena_free(ctx, &arena);
    ss_solver_destroy(lemke);
}

/* The local and the global form have one answer; a guess from one solves the other. */
static void local_is_global(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        planted p;
        planted_mixed(&p, seed, 50);
        double     r[PLANTED_ROWS], s[PLANTED_ROWS], v[PLANTED_DOFS];
        ss_problem local = planted_local(&p), global = planted_global(&p);
        solve(&local, r, NULL, false);
        solve(&global, s, v, false);
        for (int32_t i = 0; i < p.n; i++) {
            assert_true(fabs(r[i] - s[i]) < 1e-6);
        }
        memcpy(s, r, sizeof s);
        solve(&global, s, v, true);
    }
}

/* Whatever the guess is, the problem is solved. */
static void a_bad_guess_does_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        planted p;
        planted_contacts(&p, seed, 6, 3, 0.5, 9);
        double     r[PLANTED_ROWS], size = pow(10, (double)(seed % 25) - 12);
        ss_problem local = planted_local(&p);
        for (int32_t i = 0; i < p.n; i++) {
            r[i] = size * planted_random(&p);
        }
        solve(&local, r, NULL, true);
    }
}

static void repeated_solves_take_no_memory(void **state)
{
    (void)state;
    planted p;
    planted_contacts(&p, 4, 8, 3, 0.4, 12);
    double     r[PLANTED_ROWS], s[PLANTED_ROWS], v[PLANTED_DOFS];
    ss_problem local = planted_local(&p), global = planted_global(&p);
    solve(&local, r, NULL, false);
    solve(&global, s, v, false);
    int64_t before = memory.requests;
    for (int k = 0; k < 100; k++) {
        p.q[k % p.n] *= 1.0001;
        p.f[k % p.nv] *= 1.0001;
        solve(&local, r, NULL, true);
        solve(&global, s, v, true);
    }
    assert_int_equal(memory.requests, before);
}

/* Every request for memory fails in turn: a status comes back, nothing leaks or crashes. */
/* No residual is below the tolerance 0: the flag alone ends each method, and the chain. */
static void a_flag_ends_every_method(void **state)
{
    static const char *const names[] = {"admm", "nsgs", "ac", "contact", "auto"};
    volatile sig_atomic_t    flag    = 1;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ss_solver *s;
        planted    p;
        planted_mixed(&p, 3, 60);
        double      r[PLANTED_ROWS] = {0};
        ss_problem  local           = planted_local(&p);
        ss_solution x               = {.z = r};
        assert_int_equal(ss_solver_create_named(ctx, names[i], &s), SS_OK);
        ss_solver_common(s)->tol  = 0;
        ss_solver_common(s)->stop = &flag;
        assert_int_equal(ss_solve(s, &local, &x), SS_OK);
        assert_int_not_equal(x.outcome, SS_SOLVED);
        assert_in_range(x.iterations, 0, 64);
        ss_solver_destroy(s);
    }
}

static void short_of_memory_is_said(void **state)
{
    (void)state;
    planted p;
    planted_mixed(&p, 6, 40);
    const char *names[] = {"contact", "nsgs", "ac", "admm"};
    for (int k = 0; k < 8; k++) {
        ss_problem problem = k % 2 ? planted_global(&p) : planted_local(&p);
        bool       refused = true;
        for (int64_t n = 1; refused; n++) {
            counter     c   = {.refuse = n};
            ss_context *own = counted_context(&c);
            ss_solver  *s   = NULL;
            double      r[PLANTED_ROWS], v[PLANTED_DOFS];
            ss_solution x = {.z = r, .v = v};
            if (own == NULL) {
                continue;
            }
            ss_status status = ss_solver_create_named(own, names[k / 2], &s);
            status           = status == SS_OK ? ss_solve(s, &problem, &x) : status;
            refused          = was_refused(&c);
            assert_int_equal(status, refused ? SS_ERR_MEMORY : SS_OK);
            ss_solver_destroy(s);
            ss_context_destroy(own);
            assert_int_equal(c.bytes, 0);
            assert_true(n < 100);
        }
    }
}

/* Contacts that all open: r = 0 is the answer, of every solver, and takes no iteration. */
static void open_contacts_take_no_iteration(void **state)
{
    (void)state;
    enum { ROWS = 30 };
    static double W[ROWS * ROWS], q[ROWS], r[ROWS];
    ss_block      blocks[ROWS / 3];
    const char   *names[] = {"contact", "nsgs", "ac", "admm", "auto"};
    for (int32_t i = 0; i < ROWS; i++) {
        W[i * ROWS + i] = 1e3;
        q[i]            = i % 3 == 0 ? 0.1 * i : -1;
        blocks[i / 3]   = (ss_block){SS_BLOCK_CONE, i / 3 * 3, 3, 0.5, 0};
    }
    ss_problem p    = {.type = SS_CONE};
    p.as.cone       = (ss_cone){.n = ROWS, .nblocks = ROWS / 3, .blocks = blocks, .q = q};
    p.as.cone.W     = (ss_matrix){.rows = ROWS, .cols = ROWS, .dense = W, .ld = ROWS};
    ss_context *own = ss_context_create(NULL);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ss_solver  *s;
        ss_solution x = {.z = r};
        memset(r, 1, sizeof r);
        assert_int_equal(ss_solver_create_named(own, names[k], &s), SS_OK);
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_true(x.outcome == SS_SOLVED && x.iterations == 0 && x.residual == 0 && r[0] == 0);
        ss_solver_destroy(s);
    }
    ss_context_destroy(own);
}

/* The same in the global form, with pairs of velocities that M couples, and one block too many for
   a short look: that takes a solver, and the same answer comes out. */
static void open_contacts_of_bodies_take_no_iteration(void **state)
{
    (void)state;
    enum { ROWS = 30 };
    static double M[ROWS * ROWS], H[ROWS * ROWS], q[ROWS], f[ROWS], r[ROWS], v[ROWS];
    ss_block      blocks[ROWS / 3];
    const char   *names[] = {"contact", "nsgs", "ac", "admm", "auto"};
    for (int32_t i = 0; i < ROWS; i++) {
        int32_t pair       = i ^ 1;
        M[i * ROWS + i]    = 3;
        M[i * ROWS + pair] = 1;
        H[i * ROWS + i]    = 2;
        f[i]               = 4; /* v = 1, H'v = 2 */
        q[i]               = i % 3 == 0 ? -2 + 0.1 * i : -3;
        blocks[i / 3]      = (ss_block){SS_BLOCK_CONE, i / 3 * 3, 3, 0.5, 0};
    }
    ss_problem p = {.type = SS_CONE};
    p.as.cone =
        (ss_cone){.n = ROWS, .nblocks = ROWS / 3, .blocks = blocks, .q = q, .nv = ROWS, .f = f};
    p.as.cone.M     = (ss_matrix){.rows = ROWS, .cols = ROWS, .dense = M, .ld = ROWS};
    p.as.cone.H     = (ss_matrix){.rows = ROWS, .cols = ROWS, .dense = H, .ld = ROWS};
    ss_context *own = ss_context_create(NULL);
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) {
        bool        large = k >= sizeof names / sizeof *names;
        ss_solver  *s;
        ss_solution x = {.z = r, .v = v};
        /* corner to corner, too small to matter: all of M is one block */
        M[ROWS - 1] = M[ROWS * (ROWS - 1)] = large ? 1e-30 : 0;
        memset(r, 1, sizeof r);
        memset(v, 1, sizeof v);
        assert_int_equal(ss_solver_create_named(own, names[k % 5], &s), SS_OK);
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        assert_true(large || (x.iterations == 0 && r[0] == 0 && r[5] == 0));
        for (int32_t i = 0; i < ROWS; i++) {
            assert_true(fabs(v[i] - 1) < 1e-9 && fabs(r[i]) < 1e-9);
        }
        ss_solver_destroy(s);
    }
    ss_context_destroy(own);
}

/* Contacts `a` and `b` of three rows face each other, and both close: nothing can be done. */
static void squeeze(planted *p, int32_t a, int32_t b)
{
    int32_t n = p->n;
    for (int32_t k = 0; k < 3; k++) {
        int32_t from = 3 * a + k, to = 3 * b + k;
        for (int32_t j = 0; j < n; j++) {
            p->W[j * n + to] = -p->W[j * n + from];
        }
        for (int32_t i = 0; i < n; i++) {
            p->W[to * n + i] = -p->W[from * n + i];
        }
    }
    p->q[3 * a] = p->q[3 * b] = -1;
}

static ss_solution solve_as(const ss_problem *p, bool brief, double *r)
{
    ss_solution x                    = {.z = r};
    ss_solver_common(contact)->brief = brief;
    assert_int_equal(ss_solve(contact, p, &x), SS_OK);
    ss_solver_common(contact)->brief = false;
    return x;
}

/* Counted, not timed; what is solved at all quickly is solved to the same bits. */
static void brief_solves_give_up_early(void **state)
{
    (void)state;
    enum { BRIEFLY = 2000 };
    double full[PLANTED_ROWS], brief[PLANTED_ROWS];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        planted p;
        planted_contacts(&p, seed, 10, 3, 0.4, 12);
        ss_problem  local = planted_local(&p);
        ss_solution x = solve_as(&local, false, full), y = solve_as(&local, true, brief);
        assert_int_equal(x.outcome, SS_SOLVED);
        assert_int_equal(y.outcome, SS_SOLVED);
        assert_memory_equal(full, brief, (size_t)p.n * sizeof *full);
        squeeze(&p, 3, 7);
        local = planted_local(&p);
        x     = solve_as(&local, false, full);
        y     = solve_as(&local, true, brief);
        assert_int_not_equal(x.outcome, SS_SOLVED);
        assert_int_not_equal(y.outcome, SS_SOLVED);
        assert_true(y.iterations <= BRIEFLY && x.iterations > 2 * y.iterations);
    }
}

/*
 * More rows than velocities, and velocities 1e-10 of what the reactions do: which of the reactions
 * that balance the forces it is, these decide. Sweeps and proximal steps would crawl for 1e10
 * steps.
 */
static void tiny_velocities_decide(void **state)
{
    (void)state;
    int64_t iterations = 0;
    int     solved     = 0;
    enum { SEEDS = 20, MOST = 400 };
    ss_solver_common(contact)->tol = 1e-12;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        planted p;
        double  r[PLANTED_ROWS] = {0};
        planted_contacts(&p, seed, 12, 3, 0.5, 20);
        for (int32_t i = 0; i < p.n; i++) {
            p.q[i] -= (1 - 1e-10) * p.u[i];
        }
        ss_problem  problem = planted_local(&p);
        ss_solution x       = {.z = r};
        assert_int_equal(ss_solve(contact, &problem, &x), SS_OK);
        solved += x.outcome == SS_SOLVED;
        iterations += x.iterations;
    }
    print_message("%d solved, %d iterations\n", solved, (int)iterations);
    assert_int_equal(solved, SEEDS);
    assert_true(iterations <= SEEDS * MOST);
}

/* Bodies that large friction wedges in, in the plane: paths end in rays, and solutions exist. */
static void wedged_contacts_are_solved(void **state)
{
    (void)state;
    static const double friction[] = {1, 3, 10};
    ss_solver          *s;
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    for (uint64_t k = 0; k < 300; k++) {
        static planted p;
        p = (planted){.seed = 1000003 * (k + 1)};
        for (uint64_t i = 0; i < 1 + k % 8; i++) {
            planted_add(&p, SS_BLOCK_CONE, 2, friction[k / 8 % 3], 0);
        }
        planted_finish(&p, 3 * (1 + (int32_t)(k / 24) % 4));
        ss_problem forms[2] = {planted_local(&p), planted_global(&p)};
        for (int form = 0; form < 2; form++) {
            double      r[PLANTED_ROWS] = {0}, v[PLANTED_DOFS] = {0};
            ss_solution x = {.z = r, .v = v};
            assert_int_equal(ss_solve(s, &forms[form], &x), SS_OK);
            assert_int_equal(x.outcome, SS_SOLVED);
        }
    }
    ss_solver_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_contacts_take_no_iteration),
        cmocka_unit_test(open_contacts_of_bodies_take_no_iteration),
        cmocka_unit_test(small_problems_are_exact),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(planar_contact_is_an_lcp),
        cmocka_unit_test(polygons_converge_to_the_cone),
        cmocka_unit_test(local_is_global),
        cmocka_unit_test(a_bad_guess_does_no_harm),
        cmocka_unit_test(repeated_solves_take_no_memory),
        cmocka_unit_test(a_flag_ends_every_method),
        cmocka_unit_test(short_of_memory_is_said),
        cmocka_unit_test(brief_solves_give_up_early),
        cmocka_unit_test(tiny_velocities_decide),
        cmocka_unit_test(wedged_contacts_are_solved),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
