/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Velocities that a joint does not let its bodies have: s' = l_b.v_b - l_a.v_a + .. of what it
 * holds is not zero, by more than the terms that cancel in it are known. The scene, or a program,
 * gave them; the joint takes them out in no time, as an impact does that returns nothing.
 */
#include <math.h>

#include "core/compare.h"
#include "dynamics/stages.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

bool ss_velocities_given(const ss_model *m, const ss_data *d)
{
    return d->thrown || (d->state.t == m->simulation.start && !d->beside);
}

/* Couplings have other bodies, and velocities of driven ones are known in a step alone. */
static bool is_asked(const ss_model *m, const ss_joint *j)
{
    return j->coupled[0].joint == NULL && !ss_joint_driven(m, j);
}

static double dot_of_sizes(ss_vec3 a, ss_vec3 b)
{
    return fabs(a.x * b.x) + fabs(a.y * b.y) + fabs(a.z * b.z);
}

/* The velocities of its two bodies; of the world none. */
static void velocities_of(const ss_data *d, const ss_joint *j, ss_twist v[2])
{
    for (int side = 0; side < 2; side++) {
        v[side] = j->body[side] >= 0 ? d->state.twist[j->body[side]] : (ss_twist){0};
    }
}

/* The terms that cancel in the rate of what is held. */
static double terms_of(const ss_scalar_row *row, const ss_twist v[2])
{
    return dot_of_sizes(row->linear_a, v[0].v) + dot_of_sizes(row->linear_b, v[1].v) +
           dot_of_sizes(row->angular_a, v[0].w) + dot_of_sizes(row->angular_b, v[1].w);
}

/*
 * What it may at most be of rounding: all of its bodies' velocities count, since directions along
 * which the joint lets them go have rounding too, and terms that cancel may be nothing else.
 */
static double noise_of(const ss_scalar_row *row, const ss_twist v[2])
{
    return SS_IMPACT_NOISE *
           (ss_norm(row->linear_a) * ss_norm(v[0].v) + ss_norm(row->linear_b) * ss_norm(v[1].v) +
            ss_norm(row->angular_a) * ss_norm(v[0].w) + ss_norm(row->angular_b) * ss_norm(v[1].w));
}

static bool turns_alone(const ss_scalar_row *row)
{
    return ss_norm(row->linear_b) == 0;
}

ss_jerk ss_joint_jerk(const ss_model *m, const ss_data *d, int32_t joint)
{
    const ss_joint      *j     = &m->joints[joint];
    const ss_joint_form *form  = ss_joint_form_of(m, j);
    ss_jerk              worst = {0, 0};
    ss_twist             v[2];
    if (!is_asked(m, j)) {
        return worst;
    }
    ss_joint_place place = ss_joint_place_of(m, d, j, d->state.pose);
    velocities_of(d, j, v);
    for (int32_t k = 0; k < j->held; k++) {
        ss_scalar_row row   = ss_scalar_eval(&form->hold[k], &place);
        double        rate  = fabs(ss_scalar_rate(&row, &v[0], &v[1]));
        double       *most  = turns_alone(&row) ? &worst.turn : &worst.move;
        bool          jerks = rate > SS_JERKED * terms_of(&row, v) && rate > noise_of(&row, v);
        *most               = jerks ? ss_max(*most, rate) : *most;
    }
    return worst;
}

bool ss_joints_jerk(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < m->joint_count && ss_velocities_given(m, d); i++) {
        ss_jerk jerk = ss_joint_jerk(m, d, i);
        if (jerk.move > 0 || jerk.turn > 0) {
            return true;
        }
    }
    return false;
}

bool ss_block_jerked(const ss_data *d, const ss_row_block *b)
{
    int32_t             cursor = 0;
    const ss_row_start *start  = b->source == SS_ROWS_JOINT ? ss_block_start(d, b, &cursor) : NULL;
    return start != NULL && start->jerked;
}
