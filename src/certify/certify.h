/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second certificate: the motion. The first judges the problem that was posed (problem/
 * residual.c); this one judges what came of it, at the end of every step and apart from whatever
 * solved it: from the state before, the trial state after, the rows and their impulses alone.
 * docs/theory/motion-certificate.md derives it.
 */
#ifndef SS_CERTIFY_CERTIFY_H
#define SS_CERTIFY_CERTIFY_H

#include <math.h>

#include "certify/rates.h"
#include "model/data.h"

/* What is wrong with a motion, and where. */
typedef struct ss_fault {
    enum {
        SS_FAULT_NONE,
        SS_FAULT_ENERGY,
        SS_FAULT_OVERLAP,
        SS_FAULT_CRUSHED, /* surfaces without a core that gave by half of a body */
        SS_FAULT_HOVER,   /* an impulse between two that end the step apart */
        SS_FAULT_FALLS,   /* quasistatic: a body goes further than anything takes it */
        SS_FAULT_PASSAGE,
        SS_FAULT_JOINT,
        SS_FAULT_SPEED,
        SS_FAULT_MOMENTUM,
        SS_FAULT_TURN,
        SS_FAULT_WHOLE,  /* the angular momentum of bodies that nothing outside acts on */
        SS_FAULT_BRANCH, /* joints do not hold the velocities of a linkage that they held before */
        SS_FAULT_LAW,    /* the velocities of a contact are not those that its law was solved for */
        SS_FAULT_SLIDE,  /* .. nor counted from where they may be                                 */
        SS_FAULT_WEDGED  /* impulses beyond what momenta and forces explain */
    } kind;
    double      size, allowed; /* joules, metres (or radians) */
    const char *line;          /* energy: which line of the ledger; branches: what turns them */
    int32_t     index[2];      /* the bodies, or the joint            */
} ss_fault;

/*
 * The energies of a step that took `h` and leads to the trial state (d->pose_next, d->v_next),
 * line by line. What is rounding goes to the rates; friction: with what friction could move.
 */
void ss_ledger_of_step(const ss_model *m, ss_data *d, double h, bool friction, ss_rates *rates,
                       ss_ledger *out, ss_fault *fault);

/* What the contacts of an island gave (instead of took) where laws of impact acted, else 0. */
typedef struct ss_impact_gain {
    double energy, slack; /* slack: what rounding may give */
} ss_impact_gain;

/* Of all islands (island_count). */
ss_status ss_impact_gains(const ss_model *m, ss_data *d, double h, ss_impact_gain *gain);

/* What of it they give without any restitution (sim/rebound.c): not the impact's doing. */
double ss_rebound_base(const ss_data *d, int32_t island);

/*
 * May the step make what it makes, given what the run made so far (gain.c)? Models with momentum.
 * The numbers go to d->ledger.
 */
void ss_check_gain(const ss_model *m, ss_data *d, double h, const ss_rates *rates, ss_fault *fault);

/*
 * Is the error of the time-stepping itself, of both signs, what the scheme allows
 * (scheme.c)?
 */
void ss_check_scheme(const ss_model *m, ss_data *d, double h, const ss_rates *rates,
                     ss_fault *fault);

/* Do linkages go on along the branch of motions that they come by (branch.c)? */
ss_status ss_check_branches(const ss_model *m, ss_data *d, const ss_rates *rates, ss_fault *fault);

/* Energy by which an island may be wrong that is solved to a motion error. */
static inline double ss_unsure_of(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double sum = 0;
    for (int32_t i = 0; !ss_island_exact(m, isl) && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            sum += fabs(d->rows.impulse[row]) * isl->solution.missed;
        }
    }
    return sum;
}

/* Of one spring, damper or contact that gives (elastic.c), in a step. */
typedef struct ss_elastic {
    double made;   /* joules that it fed in, or that the scheme lost there */
    double stored; /* change of what is stored in it                       */
    double work;   /* on bodies, driven ones included                      */
    bool   loses;  /* it may dissipate                                     */
} ss_elastic;

/* Rows of a controller: the user's own force, stiff or not, is put in. */
bool ss_is_control(const ss_model *m, const ss_row_block *b);

/* b: a block of rows that give; y (nv): the velocity that bodies were moved by. */
ss_elastic ss_elastic_of(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                         const double *y);

/* Work of a spring or damper that is no contact on bodies that move by y. */
double ss_elastic_work(const ss_model *m, const ss_data *d, double h, const ss_row_block *b,
                       const double *y);

/* Energy of contacts that give and are gone in this step: lost, or taken over by new ones. */
typedef struct ss_handed {
    double lost, taken;
    double put;   /* in overlaps that bodies were put into */
    double share; /* of what is in the new ones */
} ss_handed;

ss_handed ss_handed_over(const ss_data *d);

/* Contacts that give: deflections are at least how far the pair overlaps at the trial state. */
ss_status ss_true_deflections(const ss_model *m, ss_data *d);

/* Are velocities and turns of bodies explained by forces and impulses (momentum.c)? */
ss_status ss_check_momentum(const ss_model *m, ss_data *d, double h, const ss_rates *rates,
                            ss_fault *fault);

/* Do islands that nothing holds keep their angular momentum (turns.c)? Sums go to d->ledger. */
void ss_check_turns(const ss_model *m, ss_data *d, double h, ss_fault *fault);

/* Do contacts obey their laws with the velocities of the trial state (laws.c)? */
void ss_check_laws(const ss_model *m, const ss_data *d, double h, ss_rates *rates, ss_fault *fault);

/* Do driven bodies wedge others, with impulses beyond what a residual can judge (wedge.c)? */
ss_status ss_check_wedges(const ss_model *m, ss_data *d, double h, ss_fault *fault);

static inline void ss_ledger_add(ss_ledger *sum, const ss_ledger *x)
{
    sum->dissipated += x->dissipated;
    sum->applied += x->applied;
    sum->driven += x->driven;
    sum->restitution += x->restitution;
    sum->corrections += x->corrections;
    sum->integration += x->integration;
    sum->turnover += x->turnover;
    sum->made   = sum->made + x->net > 0 ? sum->made + x->net : 0;
    sum->raised = sum->raised + x->raised_net > 0 ? sum->raised + x->raised_net : 0;
    sum->risen  = sum->risen + x->integration > 0 ? sum->risen + x->integration : 0;
    sum->net += x->net;
    sum->raised_net += x->raised_net;
    sum->strayed += x->strayed;
    sum->swung += x->swung;
    sum->exchanged += x->exchanged;
    sum->in_play = sum->in_play > x->in_play ? sum->in_play : x->in_play;
    sum->turn_off += x->turn_off;
    sum->turn_exchanged += x->turn_exchanged;
    sum->turn_in_play = sum->turn_in_play > x->turn_in_play ? sum->turn_in_play : x->turn_in_play;
}

/* True gaps at the trial state: the deepest overlap, and whether the step may leave it. */
ss_status ss_check_gaps(const ss_model *m, ss_data *d, double h, double *deepest, ss_fault *fault);

/*
 * geometry: implicit promises more: at the trial state no gap is negative, and a pair that pushes
 * has none at all. True gaps, of all pairs that could meet.
 */
ss_status ss_check_end_gaps(const ss_model *m, ss_data *d, ss_fault *fault);

/* What rows that are linear in the step may leave between two bodies, overlap or gap: second order,
   and a small part of the smaller body. */
double ss_left_by_step(const ss_model *m, const ss_data *d, int32_t a, int32_t b, double h);

/* Models without momentum: are contacts that bear a load closed at the end of the step (reach.c)?
 */
ss_status ss_check_loaded_gaps(const ss_model *m, ss_data *d, double h, ss_fault *fault);

/* Quasistatic: do bodies go no further than what is driven takes them (reach.c)? */
void ss_check_reach(const ss_model *m, const ss_data *d, double h, ss_fault *fault);

/* Did something pass through something else on its way to the trial state (dynamics/passage.h)? */
void ss_check_passages(const ss_model *m, ss_data *d, double h, ss_fault *fault);

/* Joints that bodies were put into open are closed at once, however far: is anything in the way? */
ss_status ss_check_put(const ss_model *m, ss_data *d, ss_fault *fault);

/* How far the worst joint is open at the trial state, and whether the step may leave it so. */
void ss_check_joints(const ss_model *m, const ss_data *d, double h, double *worst, ss_fault *fault);

/* All of it: d->report and d->ledger get what was measured. */
ss_status ss_certify_motion(const ss_model *m, ss_data *d, double h, ss_fault *fault);

/* The certificate as a message in the context; returns SS_ERR_CERTIFICATE. */
ss_status ss_fail_motion(const ss_model *m, ss_data *d, const ss_fault *fault);

/* Energies of the springs of joints when the bodies have these poses. */
double ss_joint_energy(const ss_model *m, const ss_data *d, const ss_pose *poses);

#endif
