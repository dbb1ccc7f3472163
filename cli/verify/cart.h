/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block on a belt, from which something hangs, and which a smooth pusher catches up with: its
 * stick-slip motion as ordinary differential equations with events, integrated apart from the
 * library. With x the first coordinate of q (the block's place), F the belt's friction, P the push
 * and T the dry friction along coordinate `dry`,
 *
 *   M(q) a = f(q, v) + e_x (F + P) + e_dry T,      N = n0 + n.a      (the floor's force)
 *
 *   belt    slip: F = s mu N, s = sign(belt - v_x)     stick: a_x = 0, |F| <= mu N
 *   pusher  away: P = 0, x >= place of the pusher      pushed: a_x = 0, P >= 0
 *   dry     slip: T = -sign(v_dry) bound               stick: a_dry = 0, |T| <= bound
 *
 * Belt and pusher have constant speeds. Between events: the classical Runge-Kutta method; events
 * are found by halving the step in which one lies. The pusher meets the block without rebound.
 */
#ifndef SS_CLI_VERIFY_CART_H
#define SS_CLI_VERIFY_CART_H

#include <stdbool.h>

enum { SS_CART_MOST = 5 };

/* The equations at one state. M is n x n, row-major. */
typedef struct ss_cart_terms {
    double M[SS_CART_MOST * SS_CART_MOST], f[SS_CART_MOST];
    double n0, n[SS_CART_MOST];
} ss_cart_terms;

typedef struct ss_cart {
    int coordinates;
    void (*terms)(const struct ss_cart *c, const double *q, const double *v, ss_cart_terms *out);
    double mass, rod, length, bob; /* for `terms`: of the block, a rod, its length, a particle */
    double gravity, mu, belt;
    double pusher, pusher_speed; /* the block is touched at x = pusher + pusher_speed t */
    int    dry;                  /* coordinate with dry friction, -1: none              */
    double dry_bound;
} ss_cart;

/* What happened on the way. */
typedef struct ss_cart_events {
    int    sticks, slips; /* of the block on the belt, after the start          */
    int    caught, left;  /* by the pusher                                      */
    double least_floor;   /* of the floor's forces and impulses; must be > 0    */
} ss_cart_events;

/* From q, v at t = 0, in steps of `duration / steps` and shorter ones at events. */
ss_cart_events ss_cart_run(const ss_cart *c, double *q, double *v, double duration, int steps);

#endif
