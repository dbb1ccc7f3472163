/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/certify.h"

#include <math.h>

#include "model/axes.h"

/* Not a number, or so large that its energy is not: nothing can be said of such a motion. */
static void check_speeds(const ss_model *m, const ss_data *d, const ss_rates *rates,
                         ss_fault *fault)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i]) && !isfinite(rates->after[i])) {
            *fault = (ss_fault){SS_FAULT_SPEED, ss_norm(d->twist_next[i].v), 0, NULL, {i, -1}};
            return;
        }
    }
}

/* Energies, line by line, and whether the step may make what it makes. */
static void check_energies(const ss_model *m, ss_data *d, double h, bool friction, ss_rates *rates,
                           ss_fault *fault)
{
    ss_ledger_of_step(m, d, h, friction, rates, &d->ledger, fault);
    ss_check_gain(m, d, h, rates, fault);
    ss_check_scheme(m, d, h, rates, fault);
}

/* Energies and momenta. What friction could move only makes rounding larger: it is asked for where
   energies do not do without. */
static ss_status check_balances(const ss_model *m, ss_data *d, double h, ss_rates *rates,
                                ss_fault *fault)
{
    const ss_fault before = *fault;
    check_energies(m, d, h, false, rates, fault);
    if (fault->kind == SS_FAULT_ENERGY) {
        *fault = before;
        SS_TRY(ss_rates_of_step(m, d, h, rates)); /* with empty books */
        check_energies(m, d, h, true, rates, fault);
    }
    if (m->joint_rows > 0) {
        SS_TRY(ss_check_branches(m, d, rates, fault));
    }
    SS_TRY(ss_check_momentum(m, d, h, rates, fault));
    ss_check_turns(m, d, h, fault);
    ss_check_laws(m, d, h, rates, fault);
    return SS_OK;
}

/* What is asked for of velocities and impulses; .. */
static ss_status check_rates(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    size_t   mark = ss_arena_mark(&d->scratch);
    ss_rates rates;
    SS_TRY(ss_rates_of_step(m, d, h, &rates));
    check_speeds(m, d, &rates, fault);
    if (m->compliant && fault->kind == SS_FAULT_NONE) {
        SS_TRY(ss_true_deflections(m, d));
    }
    SS_TRY(check_balances(m, d, h, &rates, fault));
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

/* .. and of places. */
ss_status ss_certify_motion(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    *fault = (ss_fault){SS_FAULT_NONE, 0, 0, NULL, {-1, -1}};
    SS_TRY(check_rates(m, d, h, fault));
    if (fault->kind == SS_FAULT_NONE && m->driven) {
        SS_TRY(ss_check_wedges(m, d, h, fault));
    }
    SS_TRY(ss_check_gaps(m, d, h, &d->report.penetration, fault));
    if (fault->kind == SS_FAULT_NONE && ss_geometry_of(m)->at_end) {
        SS_TRY(ss_check_end_gaps(m, d, fault));
    }
    if (fault->kind == SS_FAULT_NONE && ss_inertia_of(m)->balanced) {
        ss_check_reach(m, d, h, fault);
    }
    if (fault->kind == SS_FAULT_NONE && !ss_inertia_of(m)->momentum && !ss_geometry_of(m)->at_end) {
        SS_TRY(ss_check_loaded_gaps(m, d, h, fault));
    }
    if (fault->kind == SS_FAULT_NONE && !m->as_printed && m->bounded > 1) {
        ss_check_passages(m, d, h, fault);
    }
    if (fault->kind == SS_FAULT_NONE && d->shift.put) {
        SS_TRY(ss_check_put(m, d, fault));
    }
    ss_check_joints(m, d, h, &d->report.joint_error, fault);
    return SS_OK;
}
