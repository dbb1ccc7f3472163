/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which branches of a pair can matter within the step.
 *
 * The narrow phase gives every direction f whose separation s_f can reach zero, s_f >= -reach.
 * That is necessary, and as long as the reach is small beside the bodies nearly sufficient. It is
 * not when they are fast: with a reach of half their size the far side qualifies, and a solution
 * that ends beyond it separates the two although it went through them.
 *
 * What moves stays in free space. It leaves the half-space of a direction g that separates the two
 * at the start only where it is in that of f as well: through {s_g >= 0} and {s_f >= 0}. With
 * n_f.n_g = c and a = -s_f > 0, the nearest point of both half-spaces is
 *
 *   at a                                              if s_g + a c >= 0 (straight along n_f)
 *   at sqrt((a^2 + s_g^2 + 2 a s_g c) / (1 - c^2))    otherwise (the corner of the two planes)
 *
 * away, and f matters only if that is within the reach of one of the g. Planes that look against
 * each other have no corner: the far side of a plate never qualifies. Nor does what is further than
 * the larger body's radius: from the middle of a face of a round body that is all that looks the
 * other way (the corner with a face turned by t is R tan(t/2) away), and motions so large are no
 * straight lines any more.
 *
 * Bodies that overlap: the branch that is violated least takes the place of g, as if it were at
 * zero.
 */
#include <math.h>

#include "corner/branches.h"
#include "dynamics/passage.h"

enum { ROOM = 64 };

/* A branch at the start of the step. */
typedef struct start {
    ss_vec3 normal;
    double  separation;
} start;

static start start_of(const ss_model *m, const ss_data *d, const ss_contact *c, ss_branch b,
                      double h)
{
    start s = {c[b.first].normal, INFINITY};
    for (int32_t i = b.first; i < b.end; i++) {
        s.separation = fmin(s.separation, ss_contact_apart(m, d, &c[i], h));
    }
    double flush = ss_flush_depth(m, &d->corners, &c[b.first]);
    s.separation += fmin(flush, fmax(-s.separation, 0));
    return s;
}

/* How far it is to where both separate, from where g does. */
static double way_to_both(const start *f, const start *g)
{
    double a = -f->separation, s = fmax(g->separation, 0), c = ss_dot(f->normal, g->normal);
    if (s + a * c >= 0) {
        return a;
    }
    double sine = 1 - c * c;
    return sine > 0 ? sqrt(fmax(a * a + s * s + 2 * a * s * c, 0) / sine) : INFINITY;
}

static double larger_radius(const ss_model *m, const ss_contact *c)
{
    return fmax(m->geoms[c->geom_a].radius, m->geoms[c->geom_b].radius);
}

static double reach_of(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    double  tiny = ss_corner_rounding * ss_pair_size(m, c);
    return fmin(h * ss_approach_bound(m, d, a, b), larger_radius(m, c)) + tiny;
}

int32_t ss_keep_reachable(const ss_model *m, const ss_data *d, ss_contact *c, int32_t count,
                          double h)
{
    start   s[ROOM];
    double  tiny = ss_corner_rounding * ss_pair_size(m, c), reach = reach_of(m, d, c, h);
    double  most = -INFINITY;
    int32_t n = 0, kept = 0;
    for (int32_t i = 0; i < count && n < ROOM; n++) {
        ss_branch b = ss_branch_at(c, count, i);
        s[n]        = start_of(m, d, c, b, h);
        most        = fmax(most, s[n].separation);
        i           = b.end;
    }
    double apart = fmin(most, 0) - tiny; /* what separates them, or is violated least */
    for (int32_t i = 0, f = 0; i < count; f++) {
        ss_branch b    = ss_branch_at(c, count, i);
        bool      stay = f >= n || s[f].separation >= apart;
        for (int32_t g = 0; g < n && !stay; g++) {
            stay = s[g].separation >= apart && way_to_both(&s[f], &s[g]) <= reach;
        }
        for (; i < b.end; i++) {
            c[kept] = c[i];
            kept += stay;
        }
    }
    return kept;
}
