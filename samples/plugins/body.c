/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two kinds of bodies: `shuttle`, a kinematic one that runs to and fro between its start and
 * `stroke` along x (a triangle in time, no library function whose last bits differ between
 * machines), and `swimmer`, a dynamic one that the medium resists by drag |v| v.
 */
#include <math.h>
#include <stickslip/plugin.h>

/* ---- shuttle ---- */

typedef struct shuttle {
    double stroke, period;
    double x, y, z;
} shuttle;

static const ss_option shuttle_options[] = {
    {"stroke", SS_OPTION_REAL, offsetof(shuttle, stroke), 1, -1e6, 1e6, NULL, "m, along x"},
    {"period", SS_OPTION_REAL, offsetof(shuttle, period), 1, 1e-9, 1e9, NULL, "s, there and back"},
    {"x", SS_OPTION_REAL, offsetof(shuttle, x), 0, -1e9, 1e9, NULL, "where it starts, m"},
    {"y", SS_OPTION_REAL, offsetof(shuttle, y), 0, -1e9, 1e9, NULL, "m"},
    {"z", SS_OPTION_REAL, offsetof(shuttle, z), 0, -1e9, 1e9, NULL, "m"},
    SS_OPTION_END};

static int place(void *user, double t, double *values, int32_t count)
{
    const shuttle *s = user;
    double part = t / s->period - floor(t / s->period), way = part < 0.5 ? 2 * part : 2 - 2 * part;
    for (int32_t i = 0; i < count; i++) {
        values[i] = 0;
    }
    values[0] = s->x + s->stroke * way;
    values[1] = s->y;
    values[2] = s->z;
    if (count == 7) {
        values[3] = 1; /* quaternion, w first */
    }
    return 0;
}

/* ---- swimmer ---- */

typedef struct swimmer {
    double drag;
} swimmer;

static const ss_option swimmer_options[] = {
    {"drag", SS_OPTION_REAL, offsetof(swimmer, drag), 1, 0, 1e9, NULL, "N s^2/m^2"}, SS_OPTION_END};

static int resist(const void *user, const ss_force_view *now, ss_load load[2])
{
    ss_vec3 v     = now->body[0].velocity;
    load[0].force = ss_scale(-((const swimmer *)user)->drag * ss_norm(v), v);
    return 0;
}

static const ss_body_kind kinds[] = {{.name          = "shuttle",
                                      .summary       = "runs to and fro along x",
                                      .type          = SS_BODY_KINEMATIC,
                                      .options       = shuttle_options,
                                      .settings_size = sizeof(shuttle),
                                      .place         = place},
                                     {.name          = "swimmer",
                                      .summary       = "resisted by drag |v| v",
                                      .type          = SS_BODY_DYNAMIC,
                                      .options       = swimmer_options,
                                      .settings_size = sizeof(swimmer),
                                      .load          = resist}};

static const ss_body_kind *const bodies[] = {&kinds[0], &kinds[1], NULL};

SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "movers", "a shuttle and a swimmer", .bodies = bodies};
