/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a motor is told. Where its speed jumps, a run from event to event has times at which it goes
 * on smoothly on either side (ss_motion_window): no difference of it reaches over the jump.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "force/force.h"
#include "rows/tolerances.h"

/*
 * The polynomial through places on this side of an edge. Next to the edge and not on it: a speed
 * that jumps there is on either side of it at that very time.
 */
static ss_status target_continued(const ss_model *m, ss_data *d, const ss_joint_coordinate *x,
                                  double t, double edge, double *out)
{
    enum { NODES = 6 };
    const ss_motion_window *w     = &d->window;
    double                  apart = fmin(m->simulation.step, w->high - w->low);
    double s = (edge == w->high ? -1 : 1) * apart / (NODES + 2), at = (t - edge) / s;
    *out = 0;
    for (int j = 1; j <= NODES; j++) {
        double weight = 1, value;
        for (int k = 1; k <= NODES; k++) {
            weight *= k != j ? (at - k) / (j - k) : 1;
        }
        SS_TRY(ss_timed_value(d, &x->target, edge + s * j, &value));
        *out += weight * value;
    }
    return SS_OK;
}

ss_status ss_motor_target(const ss_model *m, ss_data *d, const ss_joint_coordinate *x, double t,
                          double *out)
{
    const ss_motion_window *w    = &d->window;
    double                  near = SS_MOTOR_EDGE * m->simulation.step;
    if (w->on && x->target.expr >= 0 && (t < w->low + near || t > w->high - near)) {
        return target_continued(m, d, x, t, t < w->low + near ? w->low : w->high, out);
    }
    return ss_timed_value(d, &x->target, t, out);
}
