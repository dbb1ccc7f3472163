/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 3.4.6: a particle on a plane between a wall (x = 1) and a fence at
 * x = 0.5 + 0.4 sin t, y = t, without inertia; Model-DQC (quadratic cone) and Model-DLC (a pyramid
 * of four directions). What 3.4.6.1 claims: the plane carries the weight; with friction on the
 * plane the motion is unique, touched by the fence or not, and the particle moves only when the
 * fence reaches it; without friction it is not unique: any place on the plane between fence and
 * wall will do.
 *
 * Besides, in closed form: while the fence (friction e) pushes, the plane's friction (on its
 * limit, against the motion) balances N and e N along the fence. Quadratic cone: the motion is
 * along the force, dy = e dx. Pyramid: the force lies on the edge between two corners, the motion
 * is at right angles to that edge, dy = dx.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static const double mass = 0.1, g = 9.81, start = 0.7, h = 0.01, duration = 7;

/* What a run of the scene showed. */
typedef struct sight {
    double  weight;   /* worst |force of the plane - m g| / (m g)                 */
    double  lifted;   /* largest |z|                                              */
    double  place;    /* worst |x - furthest place of the fence so far (or start)| */
    double  restless; /* largest motion in a step in which the fence does not reach it */
    int32_t pushed;   /* steps in which it does                                   */
    int32_t steps, not_unique, undecided;
    double  upward;   /* largest |z| of the directions told                       */
    double  inward;   /* how far one points into fence or wall, at most           */
    double  shortest; /* length of the shortest direction                         */
    ss_vec3 end;
} sight;

static double plane_force(const ss_verify_world *w)
{
    int32_t plane = ss_model_find_body(w->model, "plane").index1 - 1;
    double  force = 0;
    for (int32_t i = 0; i < ss_data_contact_count(w->data); i++) {
        ss_contact_info c;
        ss_data_contact(w->model, w->data, i, &c);
        force += c.body_a == plane || c.body_b == plane ? c.impulse[0] / h : 0;
    }
    return force;
}

/* The verdict of the step, and whether its direction is one. */
static void note_direction(const ss_verify_world *w, double fence, double x, sight *s)
{
    ss_body_motion    way[4];
    ss_motion_verdict verdict = ss_motion_unique(w->model, w->data, way);
    int32_t           body    = ss_model_find_body(w->model, "particle").index1 - 1;
    ss_vec3           v       = way[body].velocity;
    s->not_unique += verdict == SS_MOTION_NOT_UNIQUE;
    s->undecided += verdict == SS_MOTION_UNDECIDED;
    if (verdict == SS_MOTION_NOT_UNIQUE) {
        s->upward   = fmax(s->upward, fabs(v.z));
        s->shortest = fmin(s->shortest, ss_norm(v));
        s->inward   = fmax(s->inward, x - fence < 1e-9 ? -v.x : x > 1 - 1e-9 ? v.x : 0);
    }
}

static void note_step(const ss_verify_world *w, ss_vec3 before, double *furthest, sight *s)
{
    double  fence = 0.5 + 0.4 * sin(ss_data_time(w->data));
    ss_vec3 at    = ss_verify_body(w, "particle").position;
    bool    reach = fence > before.x;
    *furthest     = fmax(*furthest, fence);
    s->weight     = fmax(s->weight, fabs(plane_force(w) / (mass * g) - 1));
    s->lifted     = fmax(s->lifted, fabs(at.z));
    s->place      = fmax(s->place, fabs(at.x - *furthest));
    s->restless   = reach ? s->restless : fmax(s->restless, ss_norm(ss_sub(at, before)));
    s->pushed += reach;
    s->steps++;
    note_direction(w, fence, at.x, s);
    s->end = at;
}

static ss_status watch(ss_verify *v, const char *cone, const char *mu, const char *inertia,
                       sight *out)
{
    char              model[64], axis[64], friction[64];
    const char *const overrides[] = {model, axis, friction, NULL};
    ss_verify_world   w;
    double            furthest = start;
    snprintf(axis, sizeof axis, "simulation.model.cone=%s", cone);
    snprintf(model, sizeof model, "simulation.model.inertia=%s", inertia);
    snprintf(friction, sizeof friction, "params.mu=%s", mu);
    *out             = (sight){.shortest = INFINITY};
    ss_status status = ss_verify_open(v, "fence-particle", overrides, &w);
    for (int i = 0; status == SS_OK && i < lround(duration / h); i++) {
        ss_vec3 before = ss_verify_body(&w, "particle").position;
        status         = ss_verify_steps(v, &w, h, 1);
        if (status == SS_OK) {
            note_step(&w, before, &furthest, out);
        }
    }
    ss_verify_close(&w);
    return status;
}

static ss_status rough(ss_verify *v, const char *cone, const char *name, double slope)
{
    sight s;
    SS_TRY(watch(v, cone, "0.3", "quasistatic", &s));
    ss_verify_near(v, 0, s.weight, 1e-9, "%s, friction: |plane force / mg - 1|", name);
    ss_verify_near(v, 0, s.lifted, 1e-12, "%s, friction: height over the plane", name);
    ss_verify_near(v, 0, s.not_unique, 0, "%s, friction: steps that are not unique", name);
    ss_verify_near(v, 0, s.undecided, 0, "%s, friction: steps that are undecided", name);
    ss_verify_near(v, 105, s.pushed, 0, "%s, friction: steps in which the fence reaches it", name);
    ss_verify_near(v, 0, s.restless, 0, "%s, friction: motion in the other steps", name);
    ss_verify_near(v, 0, s.place, 1e-12, "%s, friction: x off the furthest place of the fence",
                   name);
    ss_verify_near(v, slope * (s.end.x - start), s.end.y, 1e-10,
                   "%s, friction: carried along the fence", name);
    return SS_OK;
}

static ss_status smooth(ss_verify *v, const char *cone, const char *name)
{
    sight s;
    SS_TRY(watch(v, cone, "0", "quasistatic", &s));
    ss_verify_near(v, 0, s.weight, 1e-9, "%s, no friction: |plane force / mg - 1|", name);
    ss_verify_near(v, s.steps, s.not_unique, 0, "%s, no friction: steps that are not unique", name);
    ss_verify_near(v, 1, s.shortest, 1e-9, "%s, no friction: length of the directions", name);
    ss_verify_near(v, 0, s.upward, 1e-12, "%s, no friction: their height", name);
    ss_verify_near(v, 0, s.inward, 1e-12, "%s, no friction: their part into fence or wall", name);
    ss_verify_near(v, 0, s.place, 1e-12, "%s, no friction: off the least motion", name);
    return SS_OK;
}

/* Any place between fence and wall solves a step: put there, the particle stays. */
static ss_status anywhere(ss_verify *v)
{
    const char *const overrides[] = {"params.mu=0", NULL};
    double            worst       = 0;
    ss_verify_world   w;
    ss_status         status = ss_verify_open(v, "fence-particle", overrides, &w);
    int32_t           body   = ss_model_find_body(w.model, "particle").index1 - 1;
    for (int i = 0; status == SS_OK && i < 20; i++) {
        ss_body_state s = ss_verify_body(&w, "particle");
        s.position      = ss_v3(0.65 + 0.0175 * i, 3 - 0.4 * i, 0);
        status          = ss_data_set_body(w.model, w.data, body, &s);
        if (status == SS_OK) {
            status = ss_verify_steps(v, &w, h, 1);
        }
        ss_vec3 end = ss_verify_body(&w, "particle").position;
        worst       = fmax(worst, ss_norm(ss_sub(end, s.position)));
    }
    ss_verify_near(v, 0, worst, 1e-15, "no friction: motion from any place between");
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    sight s;
    SS_TRY(rough(v, "quadratic", "DQC", 0.2));
    SS_TRY(rough(v, "{polygon: 4}", "DLC", 1));
    SS_TRY(smooth(v, "quadratic", "DQC"));
    SS_TRY(smooth(v, "{polygon: 4}", "DLC"));
    SS_TRY(anywhere(v));
    SS_TRY(watch(v, "quadratic", "0", "dynamic", &s));
    ss_verify_near(v, 0, s.not_unique + s.undecided, 0,
                   "with inertia and no friction: steps that are not unique");
    return SS_OK;
}

const ss_verify_case ss_verify_fence_particle = {
    "fence-particle", "thesis 3.4.6",
    "a fence pushes a particle without inertia: unique with friction, not without", false, run};
