/* SPDX-License-Identifier: Apache-2.0 */
/* A force between two bodies: they attract each other by strength/distance^2 (or repel: strength <
 * 0). */
#include <math.h>
#include <stickslip/plugin.h>

typedef struct settings {
    double strength; /* N m^2 */
} settings;

static const ss_option options[] = {{"strength", SS_OPTION_REAL, offsetof(settings, strength), 1,
                                     -1e12, 1e12, NULL, "N m^2; > 0: they attract each other"},
                                    SS_OPTION_END};

static int apply(const void *user, const ss_force_view *now, ss_load load[2])
{
    const settings *s = user;
    ss_vec3         d = ss_sub(now->body[1].centre, now->body[0].centre);
    double          r = ss_norm(d);
    if (r == 0) {
        return 1; /* there is no such force: the step ends with a message */
    }
    load[0].force = ss_scale(s->strength / (r * r * r), d);
    load[1].force = ss_scale(-s->strength / (r * r * r), d);
    return 0;
}

static const ss_force_kind attraction = {.name          = "attraction",
                                         .summary       = "strength/distance^2 between two bodies",
                                         .bodies        = 2,
                                         .options       = options,
                                         .settings_size = sizeof(settings),
                                         .apply         = apply};

static const ss_force_kind *const forces[] = {&attraction, NULL};

SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "attraction", "bodies that attract each other",
                   .forces = forces};
