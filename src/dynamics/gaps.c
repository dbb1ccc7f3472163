/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamics/gaps.h"

#include <math.h>

#include "dynamics/stages.h"

void ss_place_geoms(const ss_model *m, const ss_pose *poses, ss_frame *frames)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b    = &m->bodies[i];
        const ss_frame body = ss_pose_frame(m, &poses[i]);
        for (int32_t g = b->geom_first; g < b->geom_first + b->geom_count; g++) {
            frames[g] = m->geoms[g].centred ? body : ss_frame_mul(&body, &m->geoms[g].local);
        }
    }
}

double ss_gap_between(const ss_model *m, int32_t a, const ss_frame *fa, int32_t b,
                      const ss_frame *fb, double enough, ss_vec3 *normal)
{
    const ss_pair_entry *entry =
        &m->pair_fn[m->geom_class[a] * m->geom_class_count + m->geom_class[b]];
    const ss_geom *ga = &m->geoms[a], *gb = &m->geoms[b];
    ss_vec3        between = ss_sub(fb->p, fa->p), n = {0, 0, 0};
    double         far = ss_norm(between), apart = far - ga->radius - gb->radius;
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
