/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a motion, in words: who, by how much, and what would be allowed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certify/certify.h"
#include "core/context.h"

typedef struct sentence {
    char text[SS_MESSAGE_SIZE];
} sentence;

#define SAY(...) snprintf(s->text, sizeof s->text, __VA_ARGS__)

/* Three digits, or as many as it takes for what is and what is allowed to read differently. */
static int digits_to_tell(const ss_fault *f)
{
    enum { LEAST = 3, ALL = 17, ROOM = 32 };
    char is[ROOM] = "", allowed[ROOM] = "";
    int  n = LEAST - 1;
    while (n < ALL && strcmp(is, allowed) == 0) {
        n++;
        snprintf(is, sizeof is, "%.*g", n, fabs(f->size));
        snprintf(allowed, sizeof allowed, "%.*g", n, f->allowed);
    }
    return n;
}

/* Faults of two bodies. */
static bool say_of_pair(const ss_fault *f, const char *a, const char *b, sentence *s)
{
    int n = digits_to_tell(f);
    switch (f->kind) {
    case SS_FAULT_OVERLAP:
        SAY("bodies '%s' and '%s' end the step %.*g m inside each other (allowed %.*g m)", a, b, n,
            f->size, n, f->allowed);
        return true;
    case SS_FAULT_CRUSHED:
        SAY("bodies '%s' and '%s' are pressed into each other by half of the smaller one, from "
            "where nobody can tell who pushes whom; expected stiffer surfaces, or a core "
            "(compliance: {max_deflection})",
            a, b);
        return true;
    case SS_FAULT_HOVER:
        SAY("bodies '%s' and '%s' push each other but end the step %.*g m apart (allowed %.*g m)",
            a, b, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_PASSAGE:
        SAY("bodies '%s' and '%s' pass through each other within the step, %.*g m deep after %.*g "
            "of it",
            a, b, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_LAW:
        SAY("the velocities of bodies '%s' and '%s' do not obey the law of their contact: it is "
            "missed by %.*g J (allowed %.*g J)",
            a, b, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_SLIDE:
        SAY("bodies '%s' and '%s' slide along each other at %.*g m/s that friction does not see "
            "(allowed %.*g m/s)",
            a, b, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_WEDGED:
        SAY("bodies '%s' and '%s' are wedged by what is driven: they press each other with %.*g "
            "times the momentum of all that hangs together with them (allowed %.*g)",
            a, b, n, f->size, n, f->allowed);
        return true;
    default:
        return false;
    }
}

/* Faults of one body, and of those that hang together with it. */
static bool say_of_body(const ss_fault *f, const char *a, sentence *s)
{
    int n = digits_to_tell(f);
    switch (f->kind) {
    case SS_FAULT_FALLS:
        SAY("nothing balances the forces on body '%s' %s: it would go %.*g m in one step, however "
            "short (quasistatic; allowed %.*g m)",
            a, f->line, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_SPEED:
        SAY("body '%s' ends the step at %.*g m/s", a, n, f->size);
        return true;
    case SS_FAULT_MOMENTUM:
        SAY("no force and no impulse explains how body '%s' moves: its momentum is off by %.*g of "
            "its size (allowed %.*g)",
            a, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_TURN:
        SAY("no torque explains how body '%s' turns: its angular momentum is off by %.*g of its "
            "size (allowed %.*g)",
            a, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_WHOLE:
        SAY("body '%s' and those that hang together with it change their angular momentum, by %.*g "
            "kg m^2/s, and nothing outside turns them (allowed %.*g)",
            a, n, f->size, n, f->allowed);
        return true;
    case SS_FAULT_BRANCH:
        SAY("the linkage of body '%s' is next to a point where it may go on in several ways: %s "
            "%.*g of its velocities in the step (allowed %.*g)",
            a, f->line, n, f->size, n, f->allowed);
        return true;
    default:
        return false;
    }
}

static void say_of_joint(const ss_fault *f, const ss_joint *j, sentence *s)
{
    int n = digits_to_tell(f);
    SAY("%sjoint '%s' ends the step open by %.*g (allowed %.*g)", j->where, j->name, n, f->size, n,
        f->allowed);
}

static void say_of_energy(const ss_fault *f, sentence *s)
{
    int n = digits_to_tell(f);
    SAY("the motion %s energy: %.*g J by %s (allowed %.*g J)", f->size < 0 ? "loses" : "makes", n,
        fabs(f->size), f->line, n, f->allowed);
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
