/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies on a face lies on the face beside it that is flush with it.
 *
 * Steps leave overlaps: what has landed is turned by rounding, and a corner of it is 1e-10 below
 * the face it lies on. On a floor of flush tiles that corner is as deep below the next tile's face
 * while it is still on its way to it, so that of the directions that separate it from that tile
 * only the one of the tile's side wall does, and a body that slides over the seam would be caught
 * there as by a wall. By what a body overlaps one shape along a normal, it may overlap another
 * along the same normal and still count as apart from it: the depth is an error of steps (or of
 * where the body was put), and no step in the floor.
 */
#include <math.h>

#include "corner/branches.h"

static bool same_normal(ss_vec3 x, ss_vec3 y)
{
    return ss_norm(ss_sub(x, y)) <= SS_FLUSH_TURN;
}

/* The depth of one overlap, if it is one of the same body along the same normal; else 0. */
static double shared_depth(const ss_flush *f, const int32_t body[2], ss_vec3 normal)
{
    for (int side = 0; side < 2; side++) {
        for (int other = 0; other < 2; other++) {
            ss_vec3 n = side == other ? f->normal : ss_neg(f->normal);
            if (body[side] == f->body[other] && same_normal(n, normal)) {
                return f->depth;
            }
        }
    }
    return 0;
}

double ss_flush_depth(const ss_model *m, const ss_corners *k, const ss_contact *c)
{
    const int32_t body[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    double        most    = 0;
    for (int32_t i = 0; i < k->flush_count; i++) {
        const ss_flush *f     = &k->flush[i];
        bool            other = f->geom_a != c->geom_a || f->geom_b != c->geom_b;
        most                  = other ? fmax(most, shared_depth(f, body, c->normal)) : most;
    }
    return most;
}

static void note(const ss_model *m, ss_corners *k, const ss_contact *c, double depth)
{
    k->flush[k->flush_count++] =
        (ss_flush){.geom_a = c->geom_a,
                   .geom_b = c->geom_b,
                   .body   = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body},
                   .normal = c->normal,
                   .depth  = depth};
}

bool ss_note_flush(const ss_model *m, ss_data *d)
{
    ss_corners       *k = &d->corners;
    const ss_contact *c = d->contacts.items;
    const int32_t     n = d->contacts.count;
    k->flush_count      = 0;
    k->flush            = ss_arena_alloc(&d->scratch, (size_t)n + 1, sizeof *k->flush);
    for (int32_t i = 0; k->flush != NULL && i < n;) {
        int32_t end = c[i].branch == 0 ? i + 1 : ss_pair_end(c, n, i), at = i;
        double  gap = c[i].branch == 0 ? c[i].gap : ss_widest_gap(m, c + i, end - i, &at);
        if (gap < 0 && isfinite(gap)) {
            note(m, k, &c[c[i].branch == 0 ? i : i + at], -gap);
        }
        i = end;
    }
    return k->flush != NULL;
}
