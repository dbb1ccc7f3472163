/* SPDX-License-Identifier: Apache-2.0 */
/* Points all over the boundary of a solid, whose hull shows it. */
#include "core/constants.h"
#include "core/elementary.h"
#include "geom/solid.h"

enum { ROWS = 16, COLUMNS = 32, AROUND = 96 };

/* 2D: corners and points between them, counter-clockwise. */
static int32_t outline_2d(const ss_solid *s, ss_vec3 *x, int32_t room)
{
    int32_t count = 0, unused;
    for (int32_t i = 0; i < AROUND + s->corner_count && count < room; i++) {
        double  t = 2 * SS_PI * i / AROUND;
        ss_vec3 v =
            i < AROUND ? ss_mul(&s->spread, ss_v3(ss_cos(t), ss_sin(t), 0)) : ss_v3(0, 0, 0);
        ss_vec3 now = i < AROUND ? ss_solid_exit(s, v, &unused) : s->corners[i - AROUND];
        int32_t at  = count++;
        for (; at > 0 && ss_atan2(x[at - 1].y, x[at - 1].x) > ss_atan2(now.y, now.x); at--) {
            x[at] = x[at - 1];
        }
        x[at] = now;
    }
    return count;
}

static int32_t add_points(const ss_vec3 *from, int32_t count, ss_vec3 *x, int32_t used,
                          int32_t room)
{
    for (int32_t i = 0; i < count && used < room; i++) {
        x[used++] = from[i];
    }
    return used;
}

int32_t ss_solid_outline(const ss_solid *s, ss_vec3 *x, int32_t room)
{
    if (s->dimension == 2) {
        return outline_2d(s, x, room);
    }
    int32_t count = add_points(s->corners, s->corner_count, x, 0, room), unused;
    for (int32_t i = 0; i < s->crease_count; i++) {
        count =
            add_points(s->crease_points + s->creases[i].first, s->creases[i].count, x, count, room);
    }
    for (int32_t r = 0; r < ROWS; r++) {
        double theta = SS_PI * (r + 0.5) / ROWS;
        for (int32_t c = 0; c < COLUMNS && count < room; c++) {
            double  phi = 2 * SS_PI * (c + 0.5 * (r % 2)) / COLUMNS;
            ss_vec3 v =
                ss_v3(ss_sin(theta) * ss_cos(phi), ss_sin(theta) * ss_sin(phi), ss_cos(theta));
            x[count++] = ss_solid_exit(s, ss_mul(&s->spread, v), &unused);
        }
    }
    return count;
}
