/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random scenes without momentum, each a pure function of its number: the chains (with a load at
 * their end, up to 100 links' weight), wheels and ragdolls of random_scene.h in a medium, in which
 * they fall by their size in 0.01 to 1 s. One chain or wheel in five is quasistatic: most of those
 * end at once, with the proof that nothing balances. Of the others the hinges of one in three have
 * springs, soft or stiff, with dampers or without.
 */
#ifndef SS_TEST_SLOW_SCENE_H
#define SS_TEST_SLOW_SCENE_H

#include "property/random_scene.h"

/* The text of `from`, with `more` behind every `after`. */
static inline void put_behind(random_scene *s, const random_scene *from, const char *after,
                              const char *more)
{
    const char *at = from->text, *next;
    while ((next = strstr(at, after)) != NULL) {
        next += strlen(after);
        put(s, "%.*s%s", (int)(next - at), at, more);
        at = next;
    }
    put(s, "%s", at);
}

/* Every moving body gets the same damping: that of a part of the scene's size, or of a load. */
static inline void put_in_medium(random_scene *s, const random_scene *from)
{
    static random_scene sprung;
    double              time = spread(s, 0.01, 1), turn = spread(s, 0.01, 1);
    double              mass = s->kind == CHAIN ? 1 : 1000 * pow(s->size, s->dimension);
    double              c = mass * 9.81 * time / s->size, around = turn * c * s->size * s->size;
    char                resists[96] = "", springs[96] = "";
    bool                damped = strcmp(s->inertia, "damped") == 0;
    if (damped) {
        snprintf(resists, sizeof resists, ", damping: [%.17g, %.17g]", c, around);
    }
    if (damped && one_of(s, 3) == 0) {
        double stiffness = mass * 9.81 * s->size * spread(s, 0.03, 300);
        double loses     = one_of(s, 2) == 0 ? 0 : around * spread(s, 0.01, 100);
        snprintf(springs, sizeof springs, " stiffness: %.17g, damping: %.17g,", stiffness, loses);
    }
    sprung.length = 0;
    put_behind(&sprung, from, "type: revolute,", springs);
    put_behind(s, &sprung, "type: dynamic", resists);
}

static inline void make_slow(random_scene *s, uint64_t number)
{
    static const scene_kind kinds[]    = {CHAIN, WHEEL, RAGDOLL};
    static const double     friction[] = {0, 0.5, 1};
    static random_scene     bodies;
    s->seed        = 0x510B0000u + number;
    s->length      = 0;
    s->kind        = kinds[one_of(s, 3)];
    s->dimension   = 2 + one_of(s, 2);
    s->size        = spread(s, 1e-3, 1);
    s->step        = spread(s, 1e-3, 3e-2);
    s->mu          = friction[one_of(s, 3)];
    s->restitution = 0;
    s->steps       = 80;
    bool balance   = one_of(s, 5) == 0 && s->kind != RAGDOLL;
    s->inertia     = balance ? "quasistatic" : "damped";
    s->driven      = false;
    bodies         = *s;
    switch (s->kind) {
    case WHEEL:
        put_wheel(&bodies);
        break;
    case RAGDOLL:
        put_ragdoll(&bodies);
        break;
    default:
        put_chain(&bodies);
    }
    s->seed = bodies.seed;
    put(s, "name: random slow %s %llu\ndimension: %d\n", kind_name[s->kind],
        (unsigned long long)number, s->dimension);
    put(s, "materials: {default: {friction: %g}}\nbodies:\n", s->mu);
    put_in_medium(s, &bodies);
    put(s, "simulation: {step: %.17g, duration: %.17g, model: {inertia: %s}}\n", s->step,
        s->step * s->steps, s->inertia);
}

#endif
