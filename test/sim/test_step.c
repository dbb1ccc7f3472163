/* SPDX-License-Identifier: Apache-2.0 */
/* What a step does when its problem has no solution, and what it says about overlaps. */
#include "sim/balls.h"

/* Closing speed from which the solver below gives up: gravity in a step is a hundred times less. */
static const double too_fast = 1;

typedef struct state {
    ss_solver *inner;
} state;

/* Is there a contact that must part with more than the velocity that forces give it? */
static bool asks_for_a_jump(const ss_cone *p)
{
    for (int32_t i = 0; i < p->nblocks; i++) {
        if (p->q[p->blocks[i].start] < -too_fast) {
            return true;
        }
    }
    return false;
}

/* Another solver, but for problems in which a gap is to be opened: those end in a ray. */
static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    state *own = ss_solver_state(s);
    if (own->inner == NULL) {
        SS_TRY(ss_solver_create_named(ss_solver_context(s), "auto", &own->inner));
    }
    if (!asks_for_a_jump(&p->as.cone)) {
        return ss_solve(own->inner, p, x);
    }
    memset(x->z, 0, (size_t)p->as.cone.n * sizeof *x->z);
    x->outcome = SS_RAY;
    return SS_OK;
}

static void release(ss_solver *s)
{
    ss_solver_destroy(((state *)ss_solver_state(s))->inner);
}

static const ss_solver_class ray_at_overlaps = {.name       = "ray-at-overlaps",
                                                .summary    = "gives up where bodies overlap",
                                                .accepts    = SS_CONE,
                                                .state_size = sizeof(state),
                                                .solve      = solve,
                                                .release    = release};

/* A ball 1 cm deep in the floor, and one that lies beside it. */
static void open_overlap(world *w, const char *solver, ss_gap_kind gap)
{
    open_world(w, 3, solver);
    w->sim.axes.gap        = gap;
    w->sim.axes.integrator = SS_INTEGRATOR_EULER; /* psi/h as printed */
    w->sim.allow_overlap   = true;
    check(w, ss_solver_register(w->ctx, &ray_at_overlaps));
    add_material(w, 0.3, 0);
    add_floor(w);
    add_ball(w, "deep", 0.1, ss_v3(0, 0, 0.09), ss_v3(0, 0, 0), ss_v3(0, 0, 0));
    add_ball(w, "beside", 0.1, ss_v3(1, 0, 0.1), ss_v3(0.5, 0, 0), ss_v3(0, 5, 0));
    start(w);
}

/* The gap is dropped: the step succeeds, says so, and neither ball jumps. */
static void a_ray_drops_the_gaps(void **unused)
{
    (void)unused;
    world w;
    open_overlap(&w, "ray-at-overlaps", SS_GAP_POSITION);
    run(&w, 1e-3, 1);
    const ss_step_report *r = ss_data_report(w.data);
    assert_true(r->gaps_dropped);
    assert_int_equal(r->outcome, SS_SOLVED);
    assert_true(r->residual <= 1e-10);
    assert_string_equal(r->solver, "ray-at-overlaps");
    assert_near(body(&w, 1).velocity.z, 0, 1e-12);
    assert_near(body(&w, 1).position.z, 0.09, 1e-12);
    assert_near(r->penetration, 0.01, 1e-12);
    assert_near(body(&w, 2).velocity.x, 0.5, 1e-12);
    close_world(&w);
}

/* Without the ray the same step opens the gap; with gap: velocity there is nothing to drop. */
static void no_ray_keeps_the_gaps(void **unused)
{
    (void)unused;
    world w;
    open_overlap(&w, "auto", SS_GAP_POSITION);
    run(&w, 1e-3, 1);
    assert_false(ss_data_report(w.data)->gaps_dropped);
    assert_near(body(&w, 1).velocity.z, 10, 1e-9);
    assert_near(body(&w, 1).position.z, 0.1, 1e-12);
    close_world(&w);
    open_overlap(&w, "ray-at-overlaps", SS_GAP_VELOCITY);
    run(&w, 1e-3, 1);
    assert_false(ss_data_report(w.data)->gaps_dropped);
    assert_near(body(&w, 1).velocity.z, 0, 1e-12);
    close_world(&w);
}

/* A ray that dropping gaps does not cure is an error, and the state stays what it was. */
static void a_ray_without_gaps_fails(void **unused)
{
    (void)unused;
    world w;
    open_world(&w, 3, "ray-at-overlaps");
    w.sim.allow_overlap = true;
    check(&w, ss_solver_register(w.ctx, &ray_at_overlaps));
    add_material(&w, 0.3, 0);
    add_floor(&w);
    add_ball(&w, "fast", 0.1, ss_v3(0, 0, 0.09), ss_v3(0, 0, -2), ss_v3(0, 0, 0));
    start(&w);
    assert_int_equal(ss_step(w.model, w.data, 1e-3), SS_ERR_CERTIFICATE);
    assert_true(ss_data_report(w.data)->gaps_dropped);
    assert_int_equal(ss_data_report(w.data)->outcome, SS_RAY);
    assert_near(body(&w, 1).position.z, 0.09, 0);
    assert_near(body(&w, 1).velocity.z, -2, 0);
    assert_near(ss_data_time(w.data), 0, 0);
    close_world(&w);
}

/* Fails every island, the less the heavier its load: two outcomes, of which one is the worse. */
static ss_status solve_badly(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    (void)s;
    bool deep = asks_for_a_jump(&p->as.cone);
    memset(x->z, 0, (size_t)p->as.cone.n * sizeof *x->z);
    /* nearly what carries the ball that lies on the floor */
    x->z[0]    = deep ? 0 : -0.9999 * p->as.cone.q[0] / p->as.cone.W.dense[0];
    x->outcome = deep ? SS_NUMERICAL : SS_LIMIT;
    return SS_OK;
}

static const ss_solver_class fails_each = {.name    = "fails-each",
                                           .summary = "fails every island in its own way",
                                           .accepts = SS_CONE,
                                           .solve   = solve_badly};

/* The step reports how the worst island ended, wherever it is in the list. */
static void worst_island(const char *deep, const char *beside)
{
    world w;
    open_world(&w, 3, "fails-each");
    w.sim.axes.gap        = SS_GAP_POSITION;
    w.sim.axes.integrator = SS_INTEGRATOR_EULER;
    w.sim.allow_overlap   = true;
    check(&w, ss_solver_register(w.ctx, &fails_each));
    add_material(&w, 0, 0);
    add_floor(&w);
    bool first = deep[0] < beside[0];
    add_ball(&w, first ? deep : beside, 0.1, ss_v3(0, 0, first ? 0.09 : 0.1), ss_v3(0, 0, 0),
             ss_v3(0, 0, 0));
    add_ball(&w, first ? beside : deep, 0.1, ss_v3(1, 0, first ? 0.1 : 0.09), ss_v3(0, 0, 0),
             ss_v3(0, 0, 0));
    start(&w);
    assert_int_equal(ss_step(w.model, w.data, 0.05), SS_ERR_CERTIFICATE);
    assert_int_equal(ss_data_report(w.data)->islands, 2);
    assert_int_equal(ss_data_report(w.data)->outcome, SS_NUMERICAL);
    close_world(&w);
}

static void the_worst_island_is_reported(void **unused)
{
    (void)unused;
    worst_island("a deep", "b beside");
    worst_island("b deep", "a beside");
}

/* The same bound in scene files (test_scene_bad.c) and here. */
static void polygons_have_a_bound(void **unused)
{
    (void)unused;
    for (int32_t n = 256; n <= 1024; n += 768) {
        world w;
        open_world(&w, 3, "lemke");
        w.sim.axes.cone            = SS_CONE_POLYGON;
        w.sim.axes.cone_directions = n;
        add_floor(&w);
        assert_int_equal(try_start(&w), n == 256 ? SS_OK : SS_ERR_INPUT);
        close_world(&w);
    }
}

/* An ellipsoid that tumbles on a floor: each step tells the overlap that it leaves. */
static void overlaps_of_curved_bodies_are_told(void **unused)
{
    (void)unused;
    world        w;
    ss_shape_def egg           = {.type = "ellipsoid"};
    egg.params.ellipsoid.radii = ss_v3(0.15, 0.1, 0.07);
    ss_body_def def            = ss_body_def_default();
    def.name                   = "egg";
    def.shape                  = &egg;
    def.mass                   = 1;
    def.position               = ss_v3(0, 0, 0.16);
    def.angular_velocity       = ss_v3(3, 10, 2);
    open_world(&w, 3, NULL);
    w.sim.axes.integrator = SS_INTEGRATOR_MIDPOINT; /* as printed, psi/h would make energy */
    add_material(&w, 0.5, 0);
    add_floor(&w);
    check(&w, ss_scene_add_body(w.scene, &def, NULL));
    start(&w);
    double worst = 0;
    for (int i = 0; i < 200; i++) {
        ss_overlap overlap = {0};
        int32_t    count;
        run(&w, 0.005, 1);
        double told = ss_data_report(w.data)->penetration;
        check(&w, ss_data_overlaps(w.model, w.data, &overlap, 1, &count));
        const ss_step_report *r = ss_data_report(w.data);
        if (r->splits + r->events > 0) { /* the deepest of its parts */
            assert_true(told >= overlap.depth - 1e-12);
        } else {
            assert_near(told, overlap.depth, 1e-12);
        }
        worst = fmax(worst, overlap.depth);
    }
    assert_true(worst > 1e-6 && worst < 1e-3); /* there is something to tell */
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_drops_the_gaps),
        cmocka_unit_test(no_ray_keeps_the_gaps),
        cmocka_unit_test(a_ray_without_gaps_fails),
        cmocka_unit_test(the_worst_island_is_reported),
        cmocka_unit_test(polygons_have_a_bound),
        cmocka_unit_test(overlaps_of_curved_bodies_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
