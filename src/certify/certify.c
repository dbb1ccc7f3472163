/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/certify.h"

#include <math.h>

#include "model/axes.h"

/* Not a number, or so large that its square is not: nothing can be said of such a motion. */
static void check_speeds(const ss_model *m, const ss_data *d, ss_fault *fault)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_twist *w = &d->twist_next[i];
        if (ss_body_moves(&m->bodies[i]) && !isfinite(ss_dot(w->v, w->v) + ss_dot(w->w, w->w))) {
            *fault = (ss_fault){SS_FAULT_SPEED, ss_norm(w->v), 0, NULL, {i, -1}};
            return;
        }
    }
}

/* Energies, line by line, and whether the step may make what it makes. */
static ss_status check_energies(const ss_model *m, ss_data *d, double h, bool friction,
                                ss_rates *rates, ss_fault *fault)
{
    SS_TRY(ss_ledger_of_step(m, d, h, friction, rates, &d->ledger, fault));
    SS_TRY(ss_check_gain(m, d, h, rates, fault));
    return ss_check_scheme(m, d, h, rates, fault);
}

/* Energies and momenta. What friction could move only makes rounding larger: it is asked for where
   energies do not do without. */
static ss_status check_balances(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    size_t   mark = ss_arena_mark(&d->scratch);
    ss_rates rates;
    SS_TRY(ss_rates_of_step(m, d, h, &rates));
    const ss_fault before = *fault;
    SS_TRY(check_energies(m, d, h, false, &rates, fault));
    if (fault->kind == SS_FAULT_ENERGY) {
        *fault = before;
        SS_TRY(check_energies(m, d, h, true, &rates, fault));
    }
    SS_TRY(ss_check_branches(m, d, &rates, fault));
    SS_TRY(ss_check_momentum(m, d, h, &rates, fault));
    ss_check_turns(m, d, h, fault);
    ss_check_laws(m, d, h, &rates, fault);
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

ss_status ss_certify_motion(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    *fault = (ss_fault){SS_FAULT_NONE, 0, 0, NULL, {-1, -1}};
    check_speeds(m, d, fault);
    if (m->compliant && fault->kind == SS_FAULT_NONE) {
        SS_TRY(ss_true_deflections(m, d));
    }
    SS_TRY(check_balances(m, d, h, fault));
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
    if (fault->kind == SS_FAULT_NONE && !m->as_printed) {
        ss_check_passages(m, d, h, fault);
    }
    if (fault->kind == SS_FAULT_NONE && d->shift.put) {
        SS_TRY(ss_check_put(m, d, fault));
    }
    ss_check_joints(m, d, h, &d->report.joint_error, fault);
    return SS_OK;
}

ss_status ss_fail_motion(const ss_model *m, ss_data *d, const ss_fault *fault)
{
    const double t = d->state.t;
    switch (fault->kind) {
    case SS_FAULT_NONE:
        return SS_OK;
    case SS_FAULT_ENERGY:
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: the motion %s energy: %.3g J by %s (allowed %.3g J)", t,
                       fault->size < 0 ? "loses" : "makes", fabs(fault->size), fault->line,
                       fault->allowed);
    case SS_FAULT_OVERLAP:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: bodies '%s' and '%s' end the step %.3g m inside each other (allowed "
            "%.3g m)",
            t, m->bodies[fault->index[0]].name, m->bodies[fault->index[1]].name, fault->size,
            fault->allowed);
    case SS_FAULT_CRUSHED:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: bodies '%s' and '%s' are pressed into each other by half of the smaller one, "
            "from where nobody can tell who pushes whom; expected stiffer surfaces, or a core "
            "(compliance: {max_deflection})",
            t, m->bodies[fault->index[0]].name, m->bodies[fault->index[1]].name);
    case SS_FAULT_HOVER:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: bodies '%s' and '%s' push each other but end the step %.3g m apart (allowed "
            "%.3g m)",
            t, m->bodies[fault->index[0]].name, m->bodies[fault->index[1]].name, fault->size,
            fault->allowed);
    case SS_FAULT_FALLS:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: nothing balances the forces on body '%s' within reach of what is driven: it "
            "would go %.3g m in one step, however short (quasistatic; allowed %.3g m)",
            t, m->bodies[fault->index[0]].name, fault->size, fault->allowed);
    case SS_FAULT_PASSAGE:
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: bodies '%s' and '%s' pass through each other within the step, %.3g "
                       "m deep after %.3g of it",
                       t, m->bodies[fault->index[0]].name, m->bodies[fault->index[1]].name,
                       fault->size, fault->allowed);
    case SS_FAULT_JOINT:
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: %sjoint '%s' ends the step open by %.3g (allowed %.3g)", t,
                       m->joints[fault->index[0]].where, m->joints[fault->index[0]].name,
                       fault->size, fault->allowed);
    case SS_FAULT_SPEED:
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE, "t = %g: body '%s' ends the step at %.3g m/s", t,
                       m->bodies[fault->index[0]].name, fault->size);
    case SS_FAULT_MOMENTUM:
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: no force and no impulse explains how body '%s' moves: its momentum "
                       "is off by %.3g of its size (allowed %.3g)",
                       t, m->bodies[fault->index[0]].name, fault->size, fault->allowed);
    case SS_FAULT_TURN:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: no torque explains how body '%s' turns: its angular momentum is off "
            "by %.3g of its size (allowed %.3g)",
            t, m->bodies[fault->index[0]].name, fault->size, fault->allowed);
    case SS_FAULT_WHOLE:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: body '%s' and those that hang together with it change their angular momentum, "
            "by %.3g kg m^2/s, and nothing outside turns them (allowed %.3g)",
            t, m->bodies[fault->index[0]].name, fault->size, fault->allowed);
    case SS_FAULT_BRANCH:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: the linkage of body '%s' is next to a point where it may go on in several "
            "ways: %s %.3g of its velocities in the step (allowed %.3g)",
            t, m->bodies[fault->index[0]].name, fault->line, fault->size, fault->allowed);
    case SS_FAULT_LAW:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: the velocities of bodies '%s' and '%s' do not obey the law of their contact: "
            "it is missed by %.3g J (allowed %.3g J)",
            t, m->bodies[fault->index[0]].name, m->bodies[fault->index[1]].name, fault->size,
            fault->allowed);
    case SS_FAULT_SLIDE:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: bodies '%s' and '%s' slide along each other at %.3g m/s that friction does "
            "not see (allowed %.3g m/s)",
            t, m->bodies[fault->index[0]].name, m->bodies[fault->index[1]].name, fault->size,
            fault->allowed);
    case SS_FAULT_WEDGED:
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: bodies '%s' and '%s' are wedged by what is driven: they press each other with "
            "%.3g times the momentum of all that hangs together with them (allowed %.3g)",
            t, m->bodies[fault->index[0]].name, m->bodies[fault->index[1]].name, fault->size,
            fault->allowed);
    }
    return SS_OK;
}
