/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger of a step. With w = (v + v+)/2 (models without momentum: w = v+) the change of
 * kinetic energy is exactly
 *
 *   dT = (v+ - v)'M w,        M (v+ - v) = h F + J'p + r
 *
 * where r is what the scheme adds to Newton's law: the gyroscopic impulse, drag, terms of implicit
 * integration. Each term becomes a line, and each line is computed by itself:
 *
 *   p.(J w)   of a block of rows with the relative velocity u = J w + drift:
 *     friction    dissipated  -p.u                      drift: belts and driven bodies: driven
 *     normal      dissipated  -p.u, impact loss         psi/h < 0 as printed: corrections -p psi/2h
 *     joint       corrections -p phi/2h as printed; the rest, of order h^2, is integration
 *     motor       driven, as is what motors and driven bodies do when joints are closed
 *   h F.w         gravity and springs: dV - (their work) = integration; dampers: dissipated;
 *                 pushes, constant forces, controllers: applied
 *   r.w           drag: dissipated; the rest integration
 *
 * What the contacts of an island give together (instead of take) is the work of its laws of impact
 * (restitution) where something strikes and they would not give it without (sim/rebound.c), and of
 * order h^2 elsewhere: integration, as is what an explicit damper gives. So dissipated never falls,
 * and what adds energy has a line of its own.
 */
#include <math.h>
#include <string.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "force/force.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"

/*
 * Turnover: the sum of all energies that change hands in the step, and of those that could: the
 * kinetic energy, and what the forces would make of bodies at rest. Rounding is a part of that, and
 * of what friction could move, which is asked for where the turnover alone does not do.
 */

/* The step, and what has been summed up so far. */
typedef struct account {
    const ss_model *m;
    ss_data        *d;
    double          h;
    bool            momentum;
    bool            at_end;   /* biases hold no corrections, but what linearises gaps at the end */
    bool            closes;   /* likewise of joints, which are closed in position               */
    ss_rates       *rates;    /* w, which works are measured with, and velocities of rows       */
    bool            friction; /* what it could move is asked for, too                         */
    ss_book        *books;    /* of the rates                                                 */
    ss_ledger      *sum;      /* line by line                                                 */
    double          law_gain; /* the most that a law of friction gave */
    double          could;    /* energy that friction could move      */
    double          given;    /* work of springs and dampers that are rows */
    double          unsure; /* work that motion errors can do: what contacts miss times impulses */
} account;

static void turn_over(account *a, double energy)
{
    a->sum->turnover += fabs(energy);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* J w of a row. */
static double rate(const account *a, int32_t row)
{
    return ss_rate_of(a->rates->mean, row);
}

/* J v+ of a row. */
static double end_rate(const account *a, int32_t row)
{
    return ss_rate_of(a->rates->end, row);
}

/* What printed stabilisation adds to a velocity, halved as w takes it: its share of p.u. */
static double printed_share(const account *a, double correction)
{
    return a->momentum ? 0.5 * correction : correction;
}

/* The part of a unilateral row's bias that pushes an overlap apart. */
static double overlap_push(double bias, double carried)
{
    return ss_min(bias - carried, 0);
}

/* The normal row of a contact, or a limit of a joint: relative velocity u = J w + carried. */
static void add_unilateral(account *a, const ss_row_block *b, double carried)
{
    const ss_rows *r     = &a->d->rows;
    double         p     = r->impulse[b->row];
    double         work  = p * (rate(a, b->row) + carried);
    bool           limit = b->source == SS_ROWS_LOWER || b->source == SS_ROWS_UPPER;
    bool   none = b->strikes || a->at_end || (limit && a->closes) || ss_block_in_middle(a->d, b);
    double push = none ? 0 : printed_share(a, overlap_push(r->bias[b->row], carried));
    a->sum->driven -= p * carried;
    a->sum->corrections -= p * push;
    a->books[b->island].lost -= work + p * push;
    a->books[b->island].hit -= work + p * push;
    turn_over(a, work);
    turn_over(a, p * carried);
    if (b->strikes) { /* what an impact returns: where that is all it took, its work is rounding */
        double after = ss_after_impact(a->m, a->d, b, b->row, a->h); /* what flight takes of it */
        turn_over(a, p * (end_rate(a, b->row) + carried - after));
    }
}

/* The impulse of friction by the weight that a support bears when nothing else presses it. */
static double by_weight(const account *a, const ss_row_block *b)
{
    const ss_support_point *s = b->source == SS_ROWS_SUPPORT ? &a->m->supports[b->index] : NULL;
    return s != NULL ? a->h * s->mu * s->normal_force : 0;
}

/*
 * Energy that friction could move: of bodies at rest, by the largest impulse it may have, but no
 * more than that impulse does at the speeds that there are, or that weights would give by friction.
 * (Wedged bodies press each other with impulses of any size, whose square would make any energy
 * look small.)
 */
static double friction_in_play(const account *a, const ss_row_block *b, int32_t row)
{
    const ss_speed *speed   = ss_speeds_of(a->m, a->d, a->h, a->rates);
    double          inverse = 0, fastest = 0;
    double          most = ss_max(fabs(a->d->rows.impulse[row]), b->bound);
    for (int side = 0; side < b->sides; side++) {
        int32_t i = b->body[side];
        if (i >= 0) {
            const double *J = ss_row_side(a->m, &a->d->rows, row, side);
            ss_twist      t = ss_twist_from_vector(a->m, a->m->dof, J);
            inverse += a->m->bodies[i].inv_mass * ss_dot(t.v, t.v);
            inverse += ss_dot(t.w, ss_turned_by(a->m, a->d, i, t.w));
            fastest += ss_norm(t.v) * speed[i].move + ss_norm(t.w) * speed[i].turn;
        }
    }
    return most * ss_min(most * inverse, fastest + by_weight(a, b) * inverse);
}

/* What friction did before slip ended within the step (midpoint/reversals.c). */
static double rubbed_before(const account *a, int32_t row)
{
    return a->d->midpoint.rubbed != NULL ? a->d->midpoint.rubbed[row] : 0;
}

/* Rows of friction: u = J w + drift; the law itself speaks of the velocity at the end. */
static void add_friction(account *a, const ss_row_block *b, int32_t first)
{
    const ss_rows *r   = &a->d->rows;
    double         law = 0, size = 0, driven = 0, lost = 0;
    for (int32_t row = b->row + first; row < b->row + b->dim; row++) {
        double p = r->impulse[row], drift = p * r->drift[row];
        double work = p * rate(a, row) + drift;
        double end  = (p - rubbed_before(a, row)) * (end_rate(a, row) + r->bias[row]);
        driven -= drift;
        lost -= work;
        law += end;
        size += fabs(work) + fabs(drift) + fabs(end);
    }
    for (int32_t row = b->row + first; a->friction && row < b->row + b->dim; row++) {
        a->could += friction_in_play(a, b, row);
    }
    if (a->momentum && a->d->impact.phase == SS_PHASE_WHOLE) { /* phases of an impact differ */
        a->law_gain = ss_max(a->law_gain, law);
    }
    a->sum->driven += driven;
    a->sum->turnover += size;
    a->books[b->island].lost += lost;
}

/* What a row that is closed at the end of the step was open by at its start. */
static double opening_before(const account *a, const ss_row_block *b, int32_t k)
{
    const ss_joint *j     = &a->m->joints[b->index];
    ss_joint_place  place = ss_joint_place_of(a->m, a->d, j, a->d->state.pose);
    return ss_scalar_eval(&ss_joint_form_of(a->m, j)->hold[k], &place).value;
}

/* Rows that hold a joint together: ideal, so what they do is the scheme's doing, unless they take
   velocities out of bodies that they do not let them have. That is an impact. */
static void add_held(account *a, const ss_row_block *b)
{
    const ss_rows *r     = &a->d->rows;
    const bool     jerks = ss_block_jerked(a->d, b);
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        double p = r->impulse[row], drift = r->drift[row];
        double work = p * (ss_held_rate_of(a->rates->mean, b, row) + drift);
        double push = 0;
        if (ss_joints_at_end(a->m)) {
            push = opening_before(a, b, row - b->row) / a->h;
        } else if (!a->closes && !a->at_end) {
            push = printed_share(a, r->bias[row] - drift);
        }
        a->sum->driven -= p * drift;
        a->sum->corrections -= p * push;
        if (jerks) {
            a->books[b->island].jerked -= work + p * push;
        } else {
            a->sum->integration += work + p * push;
        }
        turn_over(a, work);
        turn_over(a, p * drift);
    }
}

/*
 * A motor works over the way that bodies go: a step of first order goes it with the velocities of
 * its end, and kinetic energy knows of the mean ones. What they differ by is the scheme's doing,
 * with what gravity does over the same way -(v+ - v)'M(v+ - v)/2. Schemes as printed keep their
 * mean velocities: their lines are not judged.
 */
static void add_motor(account *a, const ss_row_block *b)
{
    double mean = 0;
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        double work = a->d->rows.impulse[row] * rate(a, row);
        mean += work;
        turn_over(a, work);
    }
    double gone = a->m->as_printed ? mean : ss_block_work(a->rates, b);
    a->sum->driven += gone;
    a->sum->integration += mean - gone;
}

/*
 * A contact that gives: what its impulses take from the bodies is stored, or lost by its dampers
 * and by slip; the rest is the scheme's doing. What it stored is all lost when it is let go, and
 * what its core takes is.
 */
static void add_spring(account *a, const ss_row_block *b)
{
    const ss_rows   *r    = &a->d->rows;
    const ss_spring *s    = &a->d->springs.items[b->spring - 1];
    double           work = 0, slip = 0, law = 0, give[3] = {0};
    double           carried =
        a->m->driven ? ss_driven_approach(a->m, a->d, &a->d->contacts.items[b->index], a->h) : 0;
    ss_deflection_rates(a->d, b, give);
    for (int32_t i = 0; i < b->dim; i++) {
        double p = r->impulse[b->row + i], drift = i == 0 ? carried : r->drift[b->row + i];
        double one = p * (rate(a, b->row + i) + drift);
        a->sum->driven -= p * drift;
        work += one;
        turn_over(a, one);
        turn_over(a, p * drift);
        if (i > 0) {
            double u = end_rate(a, b->row + i) + r->bias[b->row + i];
            u += i < s->dim ? give[i] : 0;
            law += p * u;
            slip -= p * r->velocity[b->row + i];
            a->sum->turnover += fabs(p * u);
        }
    }
    double lost = -work - s->change, known = ss_max(slip, 0) + s->damped;
    bool   all = s->core || !(r->impulse[b->row] > 0);
    known      = all || known > lost ? ss_max(lost, 0) : known;
    if (b->strikes) { /* the core's impact: an island's impacts are counted together */
        a->books[b->island].lost += known;
        a->books[b->island].hit += known;
    } else {
        a->sum->dissipated += known;
    }
    a->sum->integration -= lost - known;
    a->law_gain = ss_max(a->law_gain, law);
    turn_over(a, s->change);
    turn_over(a, s->energy);
}

/* Deflections that the state has and no contact of this step takes on are let go; those that bodies
   were put into were asked for. */
static void add_forgotten(account *a)
{
    ss_handed handed = ss_handed_over(a->d);
    a->sum->dissipated += handed.lost;
    a->sum->corrections += handed.put;
    a->sum->integration -= handed.taken + handed.put;
}

static void add_block(account *a, const ss_row_block *b)
{
    const ss_model *m = a->m;
    const ss_data  *d = a->d;
    switch (b->source) {
    case SS_ROWS_CONTACT:
        if (b->spring > 0) {
            add_spring(a, b);
            break;
        }
        if (a->rates->acts[b - d->rows.blocks]) {
            add_unilateral(a, b, ss_carried_at_impact(m, d, b, a->h));
            add_friction(a, b, 1);
        }
        break;
    case SS_ROWS_LOWER:
    case SS_ROWS_UPPER:
        add_unilateral(a, b, d->rows.drift[b->row]);
        break;
    case SS_ROWS_FRICTION:
    case SS_ROWS_SUPPORT:
    case SS_ROWS_REBOUND:
        add_friction(a, b, 0);
        break;
    case SS_ROWS_JOINT:
        add_held(a, b);
        break;
    case SS_ROWS_MOTOR:
        add_motor(a, b);
        break;
    case SS_ROWS_GIVE: /* springs, dampers and controllers, taken implicitly */
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            double work = d->rows.impulse[row] * (rate(a, row) + d->rows.drift[row]);
            *(ss_is_control(m, b) ? &a->sum->applied : &a->given) += work;
            a->sum->driven -= d->rows.impulse[row] * d->rows.drift[row];
        }
        break;
    }
}

/* Did an impact law act in the island? */
static bool struck(const ss_data *d, int32_t island)
{
    for (int32_t i = 0; i < d->contacts.count && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_CONTACT && b->island == island && b->strikes) {
            return true;
        }
    }
    return false;
}

double ss_rebound_base(const ss_data *d, int32_t island)
{
    const ss_island *isl  = &d->islands[island];
    double           base = 0;
    for (int32_t k = 0; k < isl->body_count; k++) {
        const ss_rebound *x = &d->rebound[isl->bodies[k]];
        base                = ss_max(base, x->factor > 0 ? x->base : INFINITY);
    }
    return base;
}

/* What only takes energy goes to `dissipated`; where it seems to give, the scheme did. */
static void add_loss(account *a, double lost)
{
    if (lost >= 0) {
        a->sum->dissipated += lost;
    } else {
        a->sum->integration -= lost;
    }
}

static void add_rows(account *a)
{
    const ss_data *d = a->d;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        add_block(a, &d->rows.blocks[i]);
    }
    if (a->m->compliant) {
        add_forgotten(a);
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        double drives = d->islands[i].closed_by_drives;
        a->unsure += ss_unsure_of(a->m, d, &d->islands[i]);
        a->sum->driven += drives;
        a->sum->integration -= drives;
        turn_over(a, drives);
        a->sum->corrections += d->islands[i].turned_back;
        a->sum->integration -= d->islands[i].turned_back;
        double lost = a->books[i].lost + a->books[i].jerked; /* an impact of joints is one of all */
        if (lost >= 0) {
            a->sum->dissipated += lost;
        } else {
            double own = struck(d, i) ? ss_max(-lost - ss_rebound_base(d, i), 0) : 0;
            a->sum->restitution += own;
            a->sum->integration -= lost + own;
        }
    }
}

/* ---- bodies -------------------------------------------------------------------------------- */

static double power(const ss_wrench *f, const ss_twist *t)
{
    return ss_dot(f->force, t->v) + ss_dot(f->torque, t->w);
}

/* (v+ - v)'M w of one body. */
static double momentum_work(const account *a, int32_t i, const ss_twist *end, const ss_twist *w)
{
    const ss_body  *b   = &a->m->bodies[i];
    const ss_twist *now = &a->d->state.twist[i];
    double          sum = b->mass * ss_dot(ss_sub(end->v, now->v), w->v);
    if (b->dof == a->m->dof) {
        sum += ss_dot(ss_spin_of(a->m, a->d, i, ss_sub(end->w, now->w)), w->w);
    }
    return sum;
}

/* Corrections changed the velocities of its island (recover/whole_turn.c). */
static bool is_turned_back(const account *a, int32_t i)
{
    int32_t book = a->rates->book[i];
    return book < a->d->island_count && a->d->islands[book].turned_most > 0;
}

/*
 * What the end of the step has of kinetic energy beyond the work of momentum: the inertia in world
 * axes turns with the body, smooth steps have v+ in the axes of the start (midpoint/midpoint.h),
 * joints are closed by a projection that takes some (midpoint/close_joints.c), angular momentum
 * that corrections took is given back, and w of an impact at its time is that of the impact.
 */
static double turning_work(const account *a, int32_t i, double momentum_work)
{
    const ss_model *m    = a->m;
    const ss_body  *b    = &m->bodies[i];
    bool            same = b->round && !b->tied && m->joint_count == 0 && !is_turned_back(a, i) &&
                !a->d->midpoint.flight[i].is;
    return same || !a->momentum ? 0 : a->rates->after[i] - a->rates->before[i] - momentum_work;
}

/* Energy that a body has, or that the forces of the step would give it. */
static double energy_in_play(const account *a, int32_t i, const ss_twist *end)
{
    const ss_body *b = &a->m->bodies[i];
    ss_vec3        f = a->d->applied[i].force, t = a->d->applied[i].torque;
    double         pushed = b->inv_mass * ss_dot(f, f);
    if (t.x != 0 || t.y != 0 || t.z != 0) {
        pushed += ss_dot(t, ss_turned_by(a->m, a->d, i, t));
    }
    return a->rates->before[i] + 0.5 * b->mass * ss_dot(end->v, end->v) +
           0.5 * a->h * a->h * pushed;
}

/* Forces on one moving body, and what the scheme adds to Newton's law (r). */
static void add_body(account *a, int32_t i, double *passive)
{
    const ss_model *m      = a->m;
    const ss_data  *d      = a->d;
    const ss_body  *b      = &m->bodies[i];
    ss_twist        w      = ss_twist_from_vector(m, b->dof, a->rates->w + b->v_start);
    ss_twist        end    = ss_twist_from_vector(m, b->dof, d->v_next + b->v_start);
    const bool      smooth = d->midpoint.smooth[i]; /* w is y */
    double gravity = smooth ? a->rates->weighed[i] : a->h * b->mass * ss_dot(m->gravity, w.v);
    double active  = a->h * power(&d->active[i], &w);
    double all     = smooth ? a->rates->forced[i] : a->h * power(&d->applied[i], &w);
    double moved   = a->momentum ? momentum_work(a, i, &end, &w) : 0;
    double r       = moved - all - a->rates->done[i];
    a->sum->applied += active;
    *passive += all - gravity - active;
    a->sum->integration += gravity - a->rates->fallen[i] + turning_work(a, i, moved);
    const bool drags    = ss_body_drags(b) || !a->momentum;
    a->rates->turned[i] = drags ? 0 : r;
    if (drags) {
        add_loss(a, -r); /* h E v+ */
    } else {
        a->sum->integration += r;
    }
    turn_over(a, energy_in_play(a, i, &end));
    turn_over(a, gravity);
    turn_over(a, active);
    turn_over(a, all - gravity - active);
}

/* What dampers and springs do to driven bodies is done to the drive. */
static void add_driven_body(account *a, int32_t i, double *passive)
{
    const ss_data  *d   = a->d;
    const ss_wrench f   = {ss_sub(d->applied[i].force, d->active[i].force),
                           ss_sub(d->applied[i].torque, d->active[i].torque)};
    ss_wrench       own = f;
    own.force           = ss_axpy(own.force, -a->m->bodies[i].mass, a->m->gravity);
    double work         = a->h * power(&own, &d->twist_next[i]);
    *passive += work;
    a->sum->driven -= work;
}

/* ---- springs ------------------------------------------------------------------------------- */

double ss_joint_energy(const ss_model *m, const ss_data *d, const ss_pose *poses)
{
    double e = 0;
    for (int32_t i = 0; m->joint_springs && i < m->joint_count; i++) {
        const ss_joint      *j     = &m->joints[i];
        const ss_joint_form *form  = ss_joint_form_of(m, j);
        ss_joint_place       place = ss_joint_place_of(m, d, j, poses);
        for (int32_t k = 0; k < form->coordinates; k++) {
            double now  = ss_scalar_eval(&form->coordinate[k], &place).value;
            double last = d->state.joint_value[(ptrdiff_t)SS_JOINT_COORDINATES * i + k];
            double stretch =
                ss_scalar_unwrapped(&form->coordinate[k], now, last) - j->coordinate[k].rest;
            e += 0.5 * j->coordinate[k].stiffness * stretch * stretch;
        }
    }
    return e;
}

static double spring_energy(const ss_model *m, const ss_data *d, const ss_pose *poses)
{
    double e = ss_joint_energy(m, d, poses);
    for (int32_t i = 0; i < m->force_count; i++) {
        if (m->forces[i].cls->energy != NULL) {
            e += m->forces[i].cls->energy(m, poses, &m->forces[i]);
        }
    }
    return e;
}

/*
 * Element by element: what it stores and does to the bodies, both with w. passive: work of all
 * springs and dampers on all bodies, driven ones included; what is left of it and of the stored
 * energy when all elements are counted is that of springs between driven bodies.
 */
static void add_springs(account *a, double passive)
{
    const ss_data *d = a->d;
    double         rest =
        passive + spring_energy(a->m, d, d->shift.moved) - spring_energy(a->m, d, d->state.pose);
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source != SS_ROWS_GIVE || ss_is_control(a->m, b)) {
            continue;
        }
        ss_elastic e = ss_elastic_of(a->m, d, a->h, b, a->rates->w);
        rest -= e.stored + e.work;
        if (e.loses) {
            add_loss(a, -(e.stored + e.work));
        } else {
            a->sum->integration += e.stored + e.work;
        }
        turn_over(a, e.work);
    }
    a->sum->integration += rest;
    a->rates->sprung = rest;
}

/* ---- corrections in position --------------------------------------------------------------- */

static void add_shifts(account *a)
{
    const ss_model *m = a->m;
    const ss_data  *d = a->d;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            ss_vec3 shift = ss_sub(d->pose_next[i].p, d->shift.moved[i].p);
            a->sum->corrections -= m->bodies[i].mass * ss_dot(m->gravity, shift);
        }
    }
    a->sum->corrections += spring_energy(m, d, d->pose_next) - spring_energy(m, d, d->shift.moved);
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* What a block does with w beyond what it does with the velocity that moved the bodies. */
static double half_of_block(const account *a, const ss_row_block *b)
{
    double sum = 0;
    if (b->source == SS_ROWS_GIVE) {
        return ss_elastic_work(a->m, a->d, a->h, b, a->rates->w) -
               ss_elastic_work(a->m, a->d, a->h, b, a->d->v_next);
    }
    for (int32_t row = b->row; b->source == SS_ROWS_JOINT && row < b->row + b->dim; row++) {
        double more =
            ss_held_rate_of(a->rates->mean, b, row) - ss_held_rate_of(a->rates->end, b, row);
        sum += a->d->rows.impulse[row] * more;
    }
    return sum;
}

static void halve_rows(account *a)
{
    const ss_data *d = a->d;
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b    = &d->rows.blocks[i];
        int32_t             body = ss_block_mover(b);
        if (body >= 0 && !d->midpoint.smooth[body] && !ss_block_jerked(d, b)) {
            a->books[b->island].halved += half_of_block(a, b);
        }
    }
}

/*
 * A body that moves by v+ (and not by w) falls by h v+. Where an impulse of contact changes its
 * velocity, w says that gravity worked over half of what the body would have fallen, and the same
 * amount more was lost by the impact. Likewise the gyroscopic impulse, which does no work with the
 * velocity of the free turn, does some with a w that half of the impact is in, and so do joints
 * and springs (stiff ones between parts that strike: as much as the impact). That is no energy that
 * came from anywhere: what an island's impacts took is counted without it.
 */
static void take_halves_back(account *a)
{
    const ss_model *m = a->m;
    const ss_data  *d = a->d;
    if (a->momentum) {
        halve_rows(a);
    }
    for (int32_t i = 0; a->momentum && i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        ss_book         *of  = &a->books[i];
        for (int32_t k = 0; k < isl->body_count; k++) {
            int32_t        body = isl->bodies[k];
            const ss_body *b    = &m->bodies[body];
            if (!d->midpoint.smooth[body] && !d->midpoint.flight[body].is) {
                ss_twist w  = ss_twist_from_vector(m, b->dof, a->rates->w + b->v_start);
                ss_vec3  dx = ss_sub(d->shift.moved[body].p, d->state.pose[body].p);
                of->halved += b->mass * ss_dot(m->gravity, ss_axpy(ss_scale(-1, dx), a->h, w.v));
                of->halved += a->rates->turned[body];
            }
        }
        double jerked = ss_max(of->jerked, 0);
        double both   = ss_min(of->halved, jerked + ss_min(of->hit, of->lost));
        a->sum->dissipated -= ss_max(both, 0);
        a->sum->integration -= ss_max(both, 0);
    }
}

/* Models without momentum have no kinetic energy to account for: its change is the scheme's. */
static double kinetic_change(const account *a)
{
    const ss_model *m   = a->m;
    double          sum = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            ss_twist now  = a->d->state.twist[i];
            ss_twist end  = ss_twist_from_vector(m, b->dof, a->d->v_next + b->v_start);
            ss_twist mean = {ss_scale(0.5, ss_add(now.v, end.v)),
                             ss_scale(0.5, ss_add(now.w, end.w))};
            sum += momentum_work(a, i, &end, &mean);
        }
    }
    return sum;
}

static void add_bodies(account *a)
{
    const ss_model *m       = a->m;
    double          passive = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            add_body(a, i, &passive);
        } else if (m->bodies[i].type == SS_BODY_KINEMATIC) {
            add_driven_body(a, i, &passive);
        }
    }
    if (m->force_count > 0 || m->joint_springs) {
        add_springs(a, passive + a->given);
    }
}

static double rounding_of(const account *a)
{
    return SS_ENERGY_SLACK * (a->sum->turnover + a->could);
}

/* Lines that can only take energy, and those that may add none. */
static void judge(const account *a, ss_fault *fault)
{
    double slack = rounding_of(a) + a->unsure; /* what may seem to be given */
    if (a->law_gain > slack) {
        *fault = (ss_fault){SS_FAULT_ENERGY, a->law_gain, slack, "friction", {-1, -1}};
    } else if (a->sum->restitution > slack) {
        *fault = (ss_fault){SS_FAULT_ENERGY, a->sum->restitution, slack, "restitution", {-1, -1}};
    }
}

void ss_ledger_of_step(const ss_model *m, ss_data *d, double h, bool friction, ss_rates *rates,
                       ss_ledger *out, ss_fault *fault)
{
    account a     = {.m        = m,
                     .d        = d,
                     .h        = h,
                     .rates    = rates,
                     .books    = rates->books,
                     .sum      = out,
                     .friction = friction,
                     .momentum = ss_inertia_of(m)->momentum,
                     .at_end   = ss_geometry_of(m)->at_end,
                     .closes   = ss_integrator_of(m)->close != NULL || ss_joints_at_end(m)};
    *out          = (ss_ledger){0};
    rates->sprung = rates->kinetic = 0;
    add_rows(&a);
    add_bodies(&a);
    take_halves_back(&a);
    if (d->shift.any) {
        add_shifts(&a);
    }
    if (!a.momentum) {
        rates->kinetic = kinetic_change(&a);
        a.sum->integration += rates->kinetic;
    }
    judge(&a, fault);
    rates->rounding = rounding_of(&a);
    rates->unsure   = a.unsure;
}

ss_status ss_impact_gains(const ss_model *m, ss_data *d, double h, ss_impact_gain *gain)
{
    size_t    mark = ss_arena_mark(&d->scratch);
    ss_rates  rates;
    ss_ledger sum = {0};
    account   a   = {.m = m, .d = d, .h = h, .rates = &rates, .momentum = true, .friction = true};
    SS_TRY(ss_rates_of_step(m, d, h, &rates));
    a.books = rates.books;
    a.sum   = &sum;
    add_rows(&a);
    const double slack = rounding_of(&a) + a.unsure;
    for (int32_t i = 0; i < d->island_count; i++) {
        gain[i] = (ss_impact_gain){.energy = struck(d, i) ? -a.books[i].lost : 0, .slack = slack};
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
