/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamics/gaps.h"

#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/stages.h"
#include "geom/geom.h"

static void place_geoms_of(const ss_model *m, int32_t body, const ss_pose *pose, ss_frame *frames)
{
    const ss_body *b  = &m->bodies[body];
    const ss_frame at = ss_pose_frame(m, pose);
    for (int32_t g = b->geom_first; g < b->geom_first + b->geom_count; g++) {
        if (m->geoms[g].centred) {
            frames[g] = at;
        } else {
            frames[g] = ss_frame_mul(&at, &m->geoms[g].local);
        }
    }
}

void ss_place_geoms(const ss_model *m, const ss_pose *poses, ss_frame *frames)
{
    for (int32_t i = 0; i < m->nb; i++) {
        place_geoms_of(m, i, &poses[i], frames);
    }
}

/* Is a ball about the centre of mass all that it is? How it is turned is the same then. */
static bool is_one_ball(const ss_model *m, const ss_body *b)
{
    const ss_geom *g = &m->geoms[b->geom_first];
    return b->geom_count == 1 && ss_is_ball(g) && g->centred;
}

void ss_place_moved(const ss_model *m, const ss_pose *poses, ss_frame *frames)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (b->type == SS_BODY_STATIC) {
            continue;
        }
        if (is_one_ball(m, b)) {
            frames[b->geom_first] = (ss_frame){.p = poses[i].p, .R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
        } else {
            place_geoms_of(m, i, &poses[i], frames);
        }
    }
}

double ss_gap_between(const ss_model *m, int32_t a, const ss_frame *fa, int32_t b,
                      const ss_frame *fb, double enough, ss_vec3 *normal)
{
    const ss_pair_entry *entry =
        &m->pair_fn[m->geom_class[a] * m->geom_class_count + m->geom_class[b]];
    const ss_geom *ga = &m->geoms[a], *gb = &m->geoms[b];
    const bool     bounded = isfinite(ga->radius) && isfinite(gb->radius);
    ss_vec3        between = ss_sub(fb->p, fa->p), n = {0, 0, 0};
    double         far = bounded ? ss_norm(between) : 0, apart = far - ga->radius - gb->radius;
    double         gap = INFINITY;
    if (entry->gap != NULL && apart > enough) { /* the balls around them are apart */
        gap = apart;
        n   = ss_scale(1 / far, between);
    } else if (entry->gap != NULL) {
        gap = entry->swap ? entry->gap(gb, fb, ga, fa, enough, &n)
                          : entry->gap(ga, fa, gb, fb, enough, &n);
        n   = entry->swap ? ss_neg(n) : n;
    }
    if (normal != NULL) {
        *normal = n;
    }
    return gap;
}

double ss_geom_gap(const ss_model *m, const ss_frame *frames, int32_t a, int32_t b, double enough,
                   ss_vec3 *normal)
{
    return ss_gap_between(m, a, &frames[a], b, &frames[b], enough, normal);
}

/* The branch that separates a pair best, [*first, *end) of its contacts. */
static void widest_branch(const ss_contact *c, int32_t count, int32_t *first, int32_t *end)
{
    double widest = -INFINITY;
    for (int32_t i = 0, next = 0; i < count; i = next) {
        double least = INFINITY;
        for (next = i; next < count && c[next].branch == c[i].branch; next++) {
            least = ss_min(least, c[next].gap);
        }
        if (least > widest) {
            widest = least;
            *first = i;
            *end   = next;
        }
    }
}

int32_t ss_contacts_between(const ss_model *m, int32_t a, const ss_frame *fa, int32_t b,
                            const ss_frame *fb, double reach, ss_contact *contacts, int32_t room)
{
    const ss_pair_entry *entry =
        &m->pair_fn[m->geom_class[a] * m->geom_class_count + m->geom_class[b]];
    int32_t         x = entry->swap ? b : a, y = entry->swap ? a : b; /* as the function has them */
    ss_contact_list list = {.items = contacts, .capacity = room, .geom_a = x, .geom_b = y};
    entry->fn(&m->geoms[x], entry->swap ? fb : fa, &m->geoms[y], entry->swap ? fa : fb, reach,
              &list);
    return list.count < room ? list.count : room;
}

int32_t ss_geom_contacts(const ss_model *m, const ss_frame *frames, int32_t a, int32_t b,
                         ss_contact *contacts)
{
    int32_t first = 0, end = 0;
    int32_t count =
        ss_contacts_between(m, a, &frames[a], b, &frames[b], 0, contacts, SS_PAIR_CONTACTS);
    widest_branch(contacts, count, &first, &end);
    memmove(contacts, contacts + first, (size_t)(end - first) * sizeof *contacts);
    return end - first;
}

static bool same_features(const ss_contact *x, const ss_contact *y)
{
    return x->feature_a == y->feature_a && x->feature_b == y->feature_b;
}

int32_t ss_drop_doubles(ss_contact *c, int32_t count)
{
    int32_t kept = 0, first = 0; /* of the pair */
    for (int32_t i = 0; i < count; i++) {
        bool other = kept > 0 && (c[i].geom_a != c[first].geom_a || c[i].geom_b != c[first].geom_b);
        first      = other ? kept : first;
        int32_t k  = first;
        while (k < kept && !same_features(&c[k], &c[i])) {
            k++;
        }
        if (k == kept || c[i].gap < c[k].gap) {
            c[k] = c[i];
        }
        kept += k == kept;
    }
    return kept;
}
