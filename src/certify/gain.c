/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Energy that nothing put in, island by island, from the states before and after and from what acts
 * on them. With y the velocity that bodies were moved by (v+, or the mean where they move
 * smoothly), an island makes
 *
 *   g = dT - m g.dx  - h F.y  - p.(J y) of motors, springs and dampers  - (what drives put in)
 *       + e of springs, dampers and contacts that give
 *
 * with e what such an element stores and gives beyond what was put into it (elastic.c), less what
 * impacts take, which is in dT. Where it moves smoothly friction pays for nothing either: what it
 * takes from the island is taken out of dT too. What overlaps of the start of the run give where
 * psi/h pushes them apart as printed was asked for, and is told as `corrections`.
 *
 * With x the energies that changed hands in the step (per body: kinetic, potential), X their sum
 * over the run so far, T the most kinetic energy that a step began with and G the rise of the sum
 * of all g since it was lowest,
 *
 *   G + g <= s (X + x + T)            s = SS_GAIN_MOST
 *
 * (SS_GAIN_PRINTED for schemes as printed) holds after every step, because each may make
 *
 *   g <= max(s x, min(s (x + T), (s (X + x + T) - G)/4)):
 *
 * its own share, or a quarter of what is left, but no more than s of all that is there. In one step
 * no island pays for another, and what impacts took in a step is no credit for later ones. A step
 * that makes more is cut: what is of order h^2 a step falls by two over the parts with each
 * halving, and so does what impacts make.
 *
 * dx is what velocities lead to. With what moving overlaps of steps apart raises bodies by (dx to
 * where they end) the same holds for s = SS_RAISED_MOST, with sums of its own: what falls and is
 * put back in every step, because a contact was missed, gains speed and loses no height.
 *
 * In g impacts pay for what the scheme makes in their island and step: a stiff spring that a step
 * stretches across its line while its body strikes makes none by that. The line `integration` of
 * the ledger, which has impacts apart, is therefore judged as well, with the same s and with the
 * rise of that line in place of G. (Not of schemes as printed: they are of first order, so that the
 * line of a step that begins at rest is as large as all that changes hands in it.)
 *
 * Models without momentum have no dT, and the medium and friction only take. So the energy of an
 * island may not rise at all but for what was put in, g <= 0: what springs store beyond the work
 * that they did on bodies counts too, and no step pays for another. A step that goes past the
 * balance of loaded joints or of stiff springs, and back, makes energy so each time. What closing
 * joints gives that steps left open is bounded apart, because friction and the medium may take it
 * in the same step. Both with s = SS_GAIN_PRINTED, of all that changed hands in the run. Overlaps
 * are taken out as printed, and bounded by their depth (gaps_joints.c).
 *
 * In a medium a step that goes half way past the balance is as bad as one that goes all the way and
 * ends as high as it began. Beside a spring of stiffness k one of E has dV + D = (h k/E) D/2 with D
 * what the medium takes: 0 in the motion itself, D/2 where the step ends at the balance, D where it
 * ends as far behind it. So the line `integration` may be D/2 besides.
 *
 * What a smooth step puts into velocities that its joints do not have is lost: closing joints takes
 * it out, then and in the steps that follow (midpoint/close_joints.c),
 *
 *   l = u1'G u1/2 - u0'G u0/2,   u = J v of the joints, at the end before closing and at the start,
 *                                G = (J M^-1 J')^-1,
 *
 * so that the sum of all l is what was taken and what is still there. It is of third order over a
 * run, and not small where the step is long beside the motion: a load that pulls a chain of light
 * links straight turns round within microseconds. The same bound holds, s = SS_STRAYED_MOST, with
 * what changed hands of islands as wholes, since links that whip pass on many times what is there.
 * The smallest parts are not judged: they lose what they lose, and the line `integration` tells.
 */
#include <math.h>
#include <string.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"

typedef struct making {
    const ss_model *m;
    ss_data        *d;
    double          h;
    const ss_rates *rates;
    bool            momentum;
    ss_book        *books; /* of the rates */
    ss_ledger      *sum;
} making;

/* dT - m g.dx - h F.y of one body, F without gravity. */
static double made_by_body(making *a, int32_t i)
{
    double   before = a->rates->before[i], after = a->rates->after[i];
    double   fallen = a->rates->fallen[i];
    double   input  = a->rates->forced[i] - a->rates->weighed[i];
    double   change = a->momentum ? after - before : 0;
    ss_book *of     = &a->books[a->rates->book[i]];
    a->sum->in_play += a->momentum ? before : 0;
    a->sum->exchanged += fabs(change) + fabs(fallen) + fabs(input);
    of->grown += change;
    of->fallen += fallen;
    of->pushed += input;
    return change - fallen - input;
}

/* Drives put in -p.drift; friction of smooth motion takes p.(J y + drift). */
static double made_by_friction(const making *a, const ss_row_block *b, int32_t first)
{
    double put_in = 0, work = 0;
    for (int32_t row = b->row + first; row < b->row + b->dim; row++) {
        double drift = a->d->rows.impulse[row] * a->d->rows.drift[row];
        put_in -= drift;
        work += a->rates->work[row] + drift;
    }
    a->books[b->island].rubbed += ss_block_smooth(a->d, b) ? work : 0;
    return -put_in;
}

/* The same of a normal row that is driven by `carried`, and of overlaps that a run began with. */
static double made_by_normal(const making *a, const ss_row_block *b, double carried)
{
    const ss_data *d    = a->d;
    double         p    = d->rows.impulse[b->row];
    double         push = ss_min(d->rows.bias[b->row] - carried, 0);
    bool           as_was =
        a->m->as_printed && !b->strikes && (!a->momentum || -push * a->h <= d->overlap_at_start);
    return p * carried + (as_was ? p * push : 0);
}

/* Springs, dampers, contacts that give: what they are given back by the scheme. */
static double made_by_element(const making *a, const ss_row_block *b)
{
    ss_elastic e = ss_elastic_of(a->m, a->d, a->h, b, a->rates->y);
    a->sum->exchanged += fabs(e.stored);
    return e.made - ss_block_work(a->rates, b);
}

static double made_by_block(const making *a, const ss_row_block *b)
{
    const ss_data *d   = a->d;
    double         sum = 0;
    switch (b->source) {
    case SS_ROWS_CONTACT:
        if (b->spring > 0) {
            return made_by_element(a, b);
        }
        if (!a->rates->acts[b - d->rows.blocks]) {
            return 0;
        }
        sum = ss_carried_at_impact(a->m, d, b, a->h);
        return made_by_normal(a, b, sum) + made_by_friction(a, b, 1);
    case SS_ROWS_LOWER:
    case SS_ROWS_UPPER:
        return made_by_normal(a, b, d->rows.drift[b->row]);
    case SS_ROWS_FRICTION:
    case SS_ROWS_SUPPORT:
    case SS_ROWS_REBOUND:
        return made_by_friction(a, b, 0);
    case SS_ROWS_JOINT:
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            sum += d->rows.impulse[row] * d->rows.drift[row];
        }
        return sum;
    case SS_ROWS_GIVE:
        if (!ss_is_control(a->m, b)) {
            return made_by_element(a, b);
        }
        break;
    case SS_ROWS_MOTOR:
        break;
    }
    return -ss_block_work(a->rates, b);
}

static void find_made(making *a)
{
    const ss_model *m = a->m;
    ss_data        *d = a->d;
    for (int32_t i = 0; i < d->island_count; i++) {
        a->books[i].made -= d->islands[i].closed_by_drives + d->islands[i].turned_back;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            a->books[a->rates->book[i]].made += made_by_body(a, i);
        }
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b  = &d->rows.blocks[i];
        ss_book            *of = &a->books[b->island];
        of->made += made_by_block(a, b);
        of->strikes = of->strikes || (b->kind != SS_BLOCK_EQUALITY && !ss_block_smooth(a->d, b) &&
                                      ss_block_pushes(d, b));
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        a->books[i].made -= ss_min(a->books[i].rubbed, 0);
    }
}

/* Losses of the scheme count where nothing strikes: there they come and go. */
static void add_up(const making *a, double *made, double *net)
{
    *made = *net = 0;
    for (int32_t i = 0; i < a->rates->book_count; i++) {
        const ss_book *of = &a->books[i];
        *made += ss_max(of->made, 0);
        *net += of->strikes ? ss_max(of->made, 0) : of->made;
    }
}

/* Is a body driven otherwise than evenly? What goes evenly is at rest in a frame of its own. */
static bool any_uneven(const making *a)
{
    for (int32_t i = 0; a->m->driven && i < a->m->nb; i++) {
        if (a->m->bodies[i].type == SS_BODY_KINEMATIC && !ss_goes_evenly(a->d, i)) {
            return true;
        }
    }
    return false;
}

/* Do overlaps that are moved apart come of steps alone? Those of the start were asked for, and
   those that driven bodies make are the work of drives. */
static bool are_own_overlaps(const making *a)
{
    bool asked = a->d->overlap_at_start > SS_OVERLAP_ROUNDING * a->m->length || a->d->shift.put;
    return !a->m->as_printed && !any_uneven(a) && !asked;
}

/* Moving bodies apart raises their potential energy. */
static void add_raised(making *a)
{
    const ss_data *d = a->d;
    for (int32_t i = 0; i < a->m->nb; i++) {
        const ss_body *b = &a->m->bodies[i];
        if (ss_body_moves(b)) {
            ss_vec3 shift = ss_sub(d->pose_next[i].p, d->shift.moved[i].p);
            a->books[a->rates->book[i]].made -= b->mass * ss_dot(a->m->gravity, shift);
        }
    }
}

/* Kinetic energy that forces would give bodies from rest: what is in play where all of them rest.
 */
static double given_from_rest(const making *a)
{
    double sum = 0;
    for (int32_t i = 0; i < a->m->nb; i++) {
        const ss_body *b = &a->m->bodies[i];
        if (ss_body_moves(b)) {
            const ss_wrench *on   = &a->d->applied[i];
            double           turn = ss_norm(on->torque) / ss_body_arm(a->m, i);
            double           p    = a->h * ss_max(ss_norm(on->force), turn);
            sum += 0.5 * p * p / b->mass;
        }
    }
    return sum;
}

/*
 * What rounding may seem to make: a part of the turnover, which is large where parts are wedged and
 * nothing moves by what wedges them, but beyond rounding of its terms no more than the scheme may
 * make over the run.
 */
static double slack_of(const making *a, const ss_ledger *run)
{
    double rounding = a->rates->rounding;
    double all      = run->exchanged + a->sum->exchanged + ss_max(run->in_play, a->sum->in_play);
    if (rounding > SS_GAIN_MOST * all) {
        double most = SS_TERMS_ROUNDING * rounding + SS_GAIN_MOST * (all + given_from_rest(a));
        rounding    = ss_min(rounding, most);
    }
    return rounding + a->rates->unsure;
}

/* What a step made, and the run before it; and which part of what changes hands that may be. */
typedef struct claim {
    const char *line;
    double      made, before, part;
    bool        saved; /* without momentum nothing is in play but what changed hands before */
} claim;

/* Of what changes hands in the step, and did in the run before it. Never negative. */
static double share_of(const claim *x, double step, double run, double in_play)
{
    double most = step + in_play;
    double rest = SS_GAIN_OF_REST * (x->part * (run + most) - x->before);
    double cap  = x->saved ? INFINITY : x->part * most;
    return ss_max(x->part * step, ss_min(rest, cap));
}

static double share_of_run(const ss_ledger *run, const ss_ledger *step, const claim *x)
{
    return share_of(x, step->exchanged, run->exchanged, ss_max(run->in_play, step->in_play));
}

static void judge(const ss_data *d, claim x, double slack, ss_fault *fault)
{
    if (fault->kind != SS_FAULT_NONE || x.made <= slack) {
        return;
    }
    double allowed = share_of_run(&d->state.ledger, &d->ledger, &x) + slack;
    if (!(x.made <= allowed)) {
        *fault = (ss_fault){SS_FAULT_ENERGY, x.made, allowed, x.line, {-1, -1}};
    }
}

/* What joints give as they close what steps left open; what was put there open was asked for. */
static double given_by_closing(const making *a)
{
    const ss_data *d   = a->d;
    double         sum = 0;
    for (int32_t i = d->contacts.count; !d->shift.put && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t k = b->row; b->source == SS_ROWS_JOINT && k < b->row + b->dim; k++) {
            sum -= d->rows.impulse[k] * (d->rows.bias[k] - d->rows.drift[k]);
        }
    }
    return sum;
}

/* What forces would do if nothing held bodies back: velocities are solved to a part of that. */
static double loads_at_work(const making *a)
{
    const ss_model *m   = a->m;
    const ss_data  *d   = a->d;
    double          sum = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            double load = ss_norm(d->applied[i].force);
            load += ss_norm(d->applied[i].torque) / ss_body_arm(m, i);
            sum += a->h * load * ss_inertia_of(m)->speed_bound(m, d, i, a->h);
        }
    }
    return sum;
}

static void check_descent(making *a, ss_fault *fault)
{
    const ss_model  *m    = a->m;
    ss_ledger       *step = a->sum;
    const ss_ledger *run  = &a->d->state.ledger;
    double           net  = a->rates->sprung;
    bool             late = !ss_joints_at_end(m) && !ss_geometry_of(m)->at_end;
    find_made(a);
    for (int32_t i = 0; i < a->rates->book_count; i++) {
        step->made += ss_max(a->books[i].made, 0);
        net += a->books[i].made;
    }
    step->made = step->net = ss_max(step->made, net);
    step->raised = step->raised_net = late ? ss_max(given_by_closing(a), 0) : 0;
    double slack                    = slack_of(a, run) + SS_ENERGY_SLACK * loads_at_work(a);
    judge(a->d, (claim){"the scheme", step->made, run->made, SS_GAIN_PRINTED, true}, slack, fault);
    double past = step->integration - a->rates->kinetic - SS_DESCENT_MOST * step->dissipated;
    if (ss_inertia_of(m)->medium) {
        judge(a->d, (claim){"going past a balance", past, 0, SS_GAIN_PRINTED, true}, slack, fault);
    }
    judge(a->d, (claim){"closing joints", step->raised, run->raised, SS_GAIN_PRINTED, true}, slack,
          fault);
}

/* What joints will take, and what changed hands of islands as wholes: what their bodies pass on to
   each other comes back. */
static void find_strayed(const making *a)
{
    const ss_data *d = a->d;
    a->sum->strayed = a->sum->swung = 0;
    for (int32_t i = 0; i < a->rates->book_count; i++) {
        const ss_book *of = &a->books[i];
        a->sum->swung += fabs(of->grown) + fabs(of->fallen) + fabs(of->pushed);
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        a->sum->strayed += d->islands[i].strayed;
    }
}

/* Of what can still be cut. The smallest parts are taken as they are: what they lose is told. */
static void judge_strayed(const making *a, double slack, ss_fault *fault)
{
    const ss_ledger *run = &a->d->state.ledger, *step = a->sum;
    claim            x    = {"opening joints", step->strayed, run->strayed, SS_STRAYED_MOST, false};
    double           play = ss_max(run->in_play, step->in_play);
    double           most = share_of(&x, step->swung, run->swung, play) + slack;
    if (fault->kind == SS_FAULT_NONE && !a->d->cut.part.smallest && !a->d->cut.part.exactly &&
        step->strayed > most) {
        *fault = (ss_fault){SS_FAULT_ENERGY, -step->strayed, most, x.line, {-1, -1}};
    }
}

/*
 * What lifts bodies by less than SS_RAISED_LEAST of their sizes in a run: a body that starts a hair
 * above a floor sinks by a part of that as it lands, which is all that changes hands.
 */
static double least_lift(const making *a)
{
    double sum = 0;
    for (int32_t i = 0; i < a->m->nb; i++) {
        double size = a->m->shapes[i].size;
        if (ss_body_moves(&a->m->bodies[i]) && isfinite(size)) {
            sum += a->m->bodies[i].mass * size;
        }
    }
    return SS_RAISED_LEAST * ss_norm(a->m->gravity) * sum;
}

static void judge_raised(const making *a, double slack, ss_fault *fault)
{
    const ss_ledger *run = &a->d->state.ledger, *step = a->sum;
    if (step->raised > slack) {
        slack += ss_max(least_lift(a) - run->raised, 0);
    }
    judge(a->d, (claim){"moving overlaps apart", step->raised, run->raised, SS_RAISED_MOST, false},
          slack, fault);
}

void ss_check_gain(const ss_model *m, ss_data *d, double h, const ss_rates *rates, ss_fault *fault)
{
    ss_ledger *step = &d->ledger;
    making     a    = {.m = m, .d = d, .h = h, .rates = rates, .books = rates->books, .sum = step};
    a.momentum      = ss_inertia_of(m)->momentum;
    d->pushed_hard  = false;
    if (!a.momentum) {
        check_descent(&a, fault);
        return;
    }
    find_made(&a);
    add_up(&a, &step->made, &step->net);
    if (are_own_overlaps(&a)) {
        step->raised     = step->made;
        step->raised_net = step->net;
        if (d->shift.any) {
            add_raised(&a);
            add_up(&a, &step->raised, &step->raised_net);
        }
    }
    const ss_ledger *run   = &d->state.ledger;
    double           slack = slack_of(&a, run);
    double           part  = m->as_printed ? SS_GAIN_PRINTED : SS_GAIN_MOST;
    const char      *line  = m->as_printed ? "psi/h or phi/h as printed" : "the scheme";
    judge(d, (claim){line, step->made, run->made, part, false}, slack, fault);
    d->pushed_hard = m->as_printed && fault->line == line;
    judge_raised(&a, slack, fault);
    if (!m->as_printed) {
        judge(d, (claim){"integration", step->integration, run->risen, part, false}, slack, fault);
        find_strayed(&a);
        if (step->strayed > slack) {
            judge_strayed(&a, slack, fault);
        }
    }
}
