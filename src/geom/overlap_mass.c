/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mass of a union whose parts P_1 .. P_n overlap. What several parts have in common counts
 * once, by inclusion and exclusion of every moment m of the mass:
 *
 *   m(P_1 u .. u P_n) = sum_i m(P_i) - sum_(i<j) m(P_i n P_j) + sum_(i<j<k) m(P_i n P_j n P_k) - ..
 *
 * A part is made of convex pieces that do not overlap each other, so each term is a sum over
 * choices of one piece of each part, and what pieces have in common is convex (intersection.c).
 */
#include <string.h>

#include "geom/geom.h"
#include "geom/mass.h"
#include "geom/surface.h"

/* Pieces in one place, and places looked at. More is a mistake, or a heap instead of a body. */
enum { MOST_PIECES = 12, MOST_PLACES = 20000 };

typedef struct search {
    ss_geom_set   *set;
    ss_aabb       *boxes; /* (piece_count) of the pieces */
    const ss_geom *chosen[MOST_PIECES];
    int32_t        count;  /* of these */
    int32_t        places; /* looked at so far */
} search;

static ss_status refuse(const search *s, const char *why)
{
    return ss_fail(s->set->ctx, SS_ERR_INPUT,
                   "shape 'union': the mass of what its parts have in common cannot be found: %s; "
                   "expected parts that overlap less, or mass, com and inertia of the body",
                   why);
}

static double overlap(double low, double high, double other_low, double other_high)
{
    return fmin(high, other_high) - fmax(low, other_low);
}

static bool boxes_overlap(const search *s, const ss_aabb *a, const ss_aabb *b)
{
    return overlap(a->low.x, a->high.x, b->low.x, b->high.x) > 0 &&
           overlap(a->low.y, a->high.y, b->low.y, b->high.y) > 0 &&
           (s->set->dimension == 2 || overlap(a->low.z, a->high.z, b->low.z, b->high.z) > 0);
}

static ss_aabb common_box(const ss_aabb *a, const ss_aabb *b)
{
    return (ss_aabb){
        ss_v3(fmax(a->low.x, b->low.x), fmax(a->low.y, b->low.y), fmax(a->low.z, b->low.z)),
        ss_v3(fmin(a->high.x, b->high.x), fmin(a->high.y, b->high.y), fmin(a->high.z, b->high.z))};
}

/* What the chosen pieces have in common, added or taken out. */
static ss_status count_place(search *s, bool *any)
{
    ss_mass   common;
    ss_status done = ss_mass_common(s->set->ctx, s->set->dimension, s->chosen, s->count, &common);
    if (done == SS_ERR_INPUT) {
        char why[256];
        strncpy(why, ss_context_message(s->set->ctx), sizeof why - 1);
        why[sizeof why - 1] = 0;
        return refuse(s, why);
    }
    SS_TRY(done);
    *any = common.volume > 0;
    if (*any) {
        ss_mass less = ss_mass_negative(&common);
        ss_mass_accumulate(&s->set->mass, s->count % 2 == 0 ? &less : &common);
    }
    return SS_OK;
}

static bool has_inside(const ss_geom *g)
{
    return isfinite(g->radius) && ss_surface_count_of(g) > 0;
}

/* One more piece, of a later part than that of piece `last`, to those in `box`. */
static ss_status choose_next(search *s, int32_t last, const ss_aabb *box)
{
    const ss_geom_piece *pieces = s->set->pieces;
    for (int32_t i = last + 1; i < s->set->piece_count; i++) {
        if (pieces[i].whole == pieces[last].whole || !has_inside(&pieces[i].geom) ||
            !boxes_overlap(s, box, &s->boxes[i])) {
            continue;
        }
        if (s->count == MOST_PIECES || s->places == MOST_PLACES) {
            return refuse(s, "too many of them do");
        }
        ss_aabb smaller       = common_box(box, &s->boxes[i]);
        bool    any           = false;
        s->chosen[s->count++] = &pieces[i].geom;
        s->places++;
        SS_TRY(count_place(s, &any));
        if (any) {
            SS_TRY(choose_next(s, i, &smaller));
        }
        s->count--;
    }
    return SS_OK;
}

ss_status ss_geom_overlaps_once(ss_geom_set *set)
{
    search s = {.set = set};
    if (set->piece_count < 2 || set->mass.volume == 0) {
        return SS_OK;
    }
    s.boxes = ss_geom_memory(set, (size_t)set->piece_count, sizeof *s.boxes);
    if (s.boxes == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the parts of a union");
    }
    for (int32_t i = 0; i < set->piece_count; i++) {
        const ss_geom *g = &set->pieces[i].geom;
        g->cls->bounds(g, &g->local, &s.boxes[i]);
    }
    for (int32_t i = 0; i < set->piece_count; i++) {
        if (has_inside(&set->pieces[i].geom)) {
            s.chosen[0] = &set->pieces[i].geom;
            s.count     = 1;
            SS_TRY(choose_next(&s, i, &s.boxes[i]));
        }
    }
    return SS_OK;
}
