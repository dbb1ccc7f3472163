/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/cone_path.h"

#include <math.h>
#include <string.h>

#include "solver/tolerances.h"

/* Parts of the path that are halved; answers that lead past its ends, and Newton's steps beyond
   which none is looked for; sets that are tried last. */
enum { HALVINGS = 6, ROUNDS = 40, ENOUGH = 500, SETS = 8 };

typedef struct path {
    double *q;      /* (n) q' of the problem               */
    double *kept;   /* (n) r' of the last answer               */
    double *slide;  /* (nblocks) slip in parts of friction, there */
    double  e;      /* of the last answer                      */
    double  before; /* .. and of the one with these slides     */
} path;

static bool make(path *x, const ss_cone_set *s, ss_arena *a)
{
    *x = (path){.q     = ss_arena_alloc(a, (size_t)s->n, sizeof(double)),
                .kept  = ss_arena_alloc(a, (size_t)s->n, sizeof(double)),
                .slide = ss_arena_alloc(a, (size_t)s->p->nblocks, sizeof(double))};
    return x->q && x->kept && x->slide;
}

/* The answer for e, from the last one; where there is none it is as before. */
static bool go_to(ss_cone_set *s, path *x, double e)
{
    size_t bytes = (size_t)s->n * sizeof *s->r;
    s->e         = e;
    ss_cone_set_velocities(s);
    if (!ss_cone_set_descend(s)) {
        memcpy(s->r, x->kept, bytes);
        return false;
    }
    memcpy(x->kept, s->r, bytes);
    x->e = e;
    return true;
}

/* The answer for e of contacts that also resist being loaded otherwise than in the last one. */
static bool lean_to(ss_cone_set *s, path *x, double e, double a)
{
    size_t bytes = (size_t)s->n * sizeof *s->r;
    bool   parts = s->parts;
    memcpy(x->q, s->q, bytes);
    for (int32_t i = 0; i < s->n; i++) {
        s->q[i] -= a * x->kept[i];
    }
    s->e = e + a;
    ss_cone_set_velocities(s);
    bool there = ss_cone_set_descend(s);
    memcpy(there ? x->kept : s->r, there ? s->r : x->kept, bytes);
    memcpy(s->q, x->q, bytes);
    s->parts = parts;
    return there;
}

/*
 * Where answers for e do not go on from the last one (a contact that turns from slip to stick jams;
 * or sets lead to each other), the loads move as those of dampers would:
 *
 *   u' = W r' + q' + e r' + a (r' - r'_last),
 *
 * answer by answer. For a large a there is one next to the last one; a is less after each that is
 * found and more where none is, until it does nothing any more beside e.
 */
static bool pass(ss_cone_set *s, path *x, double e)
{
    double a = x->e;
    for (int k = 0; k < ROUNDS && a <= SS_PATH_STIFF && s->steps < ENOUGH; k++) {
        bool there = lean_to(s, x, e, a);
        if (there && a < SS_PATH_FREE * e && go_to(s, x, e)) {
            return true;
        }
        a *= there ? SS_PATH_EASES : 1 / SS_PATH_EASES;
    }
    return false;
}

/* To e by parts that are halved where one is too long, or past where no part leads on. */
static bool walk_to(ss_cone_set *s, path *x, double e)
{
    double aim = e;
    for (int k = 0; k < HALVINGS; k++) {
        bool there = go_to(s, x, aim);
        if (there && aim <= e) {
            return true;
        }
        aim = there ? e : sqrt(x->e * aim);
    }
    return pass(s, x, e);
}

/* Of what slips in the last answer less than before, as e is less, creeps. */
static void tell_creep(ss_cone_set *s, const path *x)
{
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        double slide = ss_cone_set_slide(s, k);
        s->s[k]      = 1;
        if (s->mode[k] == SS_SET_SLIP && isfinite(slide) &&
            slide <= SS_PATH_CREEPS * fmax(x->slide[k], x->before)) {
            s->mode[k] = SS_SET_CREEP;
            s->s[k]    = 1 + slide / x->e;
        }
    }
}

static bool walk(ss_cone_set *s, path *x)
{
    memset(s->r, 0, (size_t)s->n * sizeof *s->r);
    memset(x->kept, 0, (size_t)s->n * sizeof *s->r);
    x->e     = SS_PATH_BEGIN / SS_PATH_PART;
    s->parts = false;
    double e = SS_PATH_BEGIN;
    while (e >= (s->parts ? SS_PATH_LAST : SS_PATH_END)) {
        for (int32_t k = 0; k < s->p->nblocks; k++) {
            x->slide[k] = ss_cone_set_slide(s, k);
        }
        x->before = x->e;
        if (!walk_to(s, x, e)) {
            return false;
        }
        e *= SS_PATH_PART;
    }
    return true;
}

bool ss_cone_path(ss_cone_set *s, ss_arena *a, bool *found)
{
    path x;
    *found = false;
    if (!make(&x, s, a)) {
        return false;
    }
    bool there = walk(s, &x) || x.e <= SS_PATH_NEAR;
    s->e       = 0;
    if (!there) {
        return true;
    }
    tell_creep(s, &x);
    ss_cone_set_velocities(s);
    s->creeps = true;
    *found    = ss_cone_set_settle(s, SETS) && ss_cone_set_holds(s);
    s->creeps = false;
    return true;
}
