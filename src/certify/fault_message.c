/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a motion, in words: who, by how much, and what would be allowed. */
#include <math.h>
#include <stdio.h>

#include "certify/certify.h"
#include "core/context.h"

typedef struct sentence {
    char text[SS_MESSAGE_SIZE];
} sentence;

#define SAY(...) snprintf(s->text, sizeof s->text, __VA_ARGS__)

/* Faults of two bodies. */
static bool say_of_pair(const ss_fault *f, const char *a, const char *b, sentence *s)
{
    switch (f->kind) {
    case SS_FAULT_OVERLAP:
        SAY("bodies '%s' and '%s' end the step %.3g m inside each other (allowed %.3g m)", a, b,
            f->size, f->allowed);
        return true;
    case SS_FAULT_CRUSHED:
        SAY("bodies '%s' and '%s' are pressed into each other by half of the smaller one, from "
            "where nobody can tell who pushes whom; expected stiffer surfaces, or a core "
            "(compliance: {max_deflection})",
            a, b);
        return true;
    case SS_FAULT_HOVER:
        SAY("bodies '%s' and '%s' push each other but end the step %.3g m apart (allowed %.3g m)",
            a, b, f->size, f->allowed);
        return true;
    case SS_FAULT_PASSAGE:
        SAY("bodies '%s' and '%s' pass through each other within the step, %.3g m deep after %.3g "
            "of it",
            a, b, f->size, f->allowed);
        return true;
    case SS_FAULT_LAW:
        SAY("the velocities of bodies '%s' and '%s' do not obey the law of their contact: it is "
            "missed by %.3g J (allowed %.3g J)",
            a, b, f->size, f->allowed);
        return true;
    case SS_FAULT_SLIDE:
        SAY("bodies '%s' and '%s' slide along each other at %.3g m/s that friction does not see "
            "(allowed %.3g m/s)",
            a, b, f->size, f->allowed);
        return true;
    case SS_FAULT_WEDGED:
        SAY("bodies '%s' and '%s' are wedged by what is driven: they press each other with %.3g "
            "times the momentum of all that hangs together with them (allowed %.3g)",
            a, b, f->size, f->allowed);
        return true;
    default:
        return false;
    }
}

/* Faults of one body, and of those that hang together with it. */
static bool say_of_body(const ss_fault *f, const char *a, sentence *s)
{
    switch (f->kind) {
    case SS_FAULT_FALLS:
        SAY("nothing balances the forces on body '%s' %s: it would go %.3g m in one step, however "
            "short (quasistatic; allowed %.3g m)",
            a, f->line, f->size, f->allowed);
        return true;
    case SS_FAULT_SPEED:
        SAY("body '%s' ends the step at %.3g m/s", a, f->size);
        return true;
    case SS_FAULT_MOMENTUM:
        SAY("no force and no impulse explains how body '%s' moves: its momentum is off by %.3g of "
            "its size (allowed %.3g)",
            a, f->size, f->allowed);
        return true;
    case SS_FAULT_TURN:
        SAY("no torque explains how body '%s' turns: its angular momentum is off by %.3g of its "
            "size (allowed %.3g)",
            a, f->size, f->allowed);
        return true;
    case SS_FAULT_WHOLE:
        SAY("body '%s' and those that hang together with it change their angular momentum, by %.3g "
            "kg m^2/s, and nothing outside turns them (allowed %.3g)",
            a, f->size, f->allowed);
        return true;
    case SS_FAULT_BRANCH:
        SAY("the linkage of body '%s' is next to a point where it may go on in several ways: %s "
            "%.3g of its velocities in the step (allowed %.3g)",
            a, f->line, f->size, f->allowed);
        return true;
    default:
        return false;
    }
}

static void say_of_joint(const ss_fault *f, const ss_joint *j, sentence *s)
{
    SAY("%sjoint '%s' ends the step open by %.3g (allowed %.3g)", j->where, j->name, f->size,
        f->allowed);
}

static void say_of_energy(const ss_fault *f, sentence *s)
{
    SAY("the motion %s energy: %.3g J by %s (allowed %.3g J)", f->size < 0 ? "loses" : "makes",
        fabs(f->size), f->line, f->allowed);
}

static const char *name_of(const ss_model *m, int32_t body)
{
    return body >= 0 ? m->bodies[body].name : "";
}

ss_status ss_fail_motion(const ss_model *m, ss_data *d, const ss_fault *f)
{
    sentence s = {""};
    if (f->kind == SS_FAULT_NONE) {
        return SS_OK;
    }
    if (f->kind == SS_FAULT_ENERGY) {
        say_of_energy(f, &s);
    } else if (f->kind == SS_FAULT_JOINT) {
        say_of_joint(f, &m->joints[f->index[0]], &s);
    } else if (!say_of_pair(f, name_of(m, f->index[0]), name_of(m, f->index[1]), &s)) {
        say_of_body(f, name_of(m, f->index[0]), &s);
    }
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE, "t = %g: %s", d->state.t, s.text);
}
