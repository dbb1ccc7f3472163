/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a linkage go on along the branch of motions that it comes by? Where its rows lose rank (a
 * change point: it is stretched, or flat) two branches cross, with the tangents A and B. They are
 * the two roots of n'(dJ/dq v) v = 0 among the v with J v = 0, n being the combination of rows
 * that vanishes: n'J.
 *
 * A step from -a A past that point has, besides the right one, an end on the other branch that
 * obeys all of its equations (docs/theory/joints.md): phi = 0 there, and impulses n'J~ p of the
 * middle do no work. No energy tells. But the velocities are turned by these impulses from A to
 * B, whatever the length of the step, while along one branch that falls with it. So where the least
 * pivot of the held rows falls on the way to the middle of the step, as it does where a change
 * point is within it, what the velocity changes by along n'J~ is judged,
 *
 *   |n'J~ (v' - v)| <= e |v|_M |M^-1 J~'n|_M,
 *
 * and what is taken out when joints are closed at the end, which is of second order along a branch:
 *
 *   |dv|_M <= e |v|_M + s |J v|,     |u|^2 = u'(J M^-1 J')^-1 u,
 *
 * the last with the v and J that the step begins with: a part s = SS_PROJECTED_SHARE of what opened
 * joints at the end of the step before is left there, comes back however short this step is, and
 * is more than e |v|_M where a swing has come to rest since. (Of chains without a loop, whose rows
 * never lose rank. Next to a change point it may be that a linkage is on neither branch.)
 *
 * Where links are not quite as long as they would have to be, the branches do not cross: next to
 * the point each turns into the other, and what comes along A leaves along B. A step that is long
 * beside that goes straight on, from one branch to one that nothing leads to. n'J turns round on
 * the way. Such steps are cut until they are short (SS_POINT_NEAR), or the linkage has turned;
 * what goes straight on then is as good as ideal.
 *
 * Joints that held the velocities of a linkage when a smooth step began hold them when it ends
 * (closed_left). Steps that miss one of these are cut.
 *
 * A linkage that begins to move at the point has no n'J to hold it there. Where forces alone lead
 * it along neither branch, reactions bring it back to one, at every length of the step:
 *
 *   |n'J~ (v' - v_free)| <= e' |v'|_M |M^-1 J~'n|_M,       v_free: what forces alone make of v.
 *
 * Motions along both obey the laws there. Nothing but rounding would choose, so the run ends by
 * name.
 */
#include <math.h>
#include <string.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "joint/joint.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"
#include "model/axes.h"
#include "problem/reduce.h"

typedef struct linkage {
    const ss_model  *m;
    ss_data         *d;
    const ss_rates  *rates;
    const ss_island *isl;
} linkage;

static bool holds(const ss_row_block *b)
{
    return b->source == SS_ROWS_JOINT && b->kind == SS_BLOCK_EQUALITY;
}

/* The largest velocity of a joint when the step began, and the largest terms that cancel in one. */
static double missed_at_start(const linkage *a, double *most)
{
    double  missed = 0;
    int32_t cursor = 0;
    *most          = 0;
    for (int32_t i = 0; i < a->isl->block_count; i++) {
        const ss_row_block *b     = &a->d->rows.blocks[a->isl->blocks[i]];
        const ss_row_start *start = ss_block_start(a->d, b, &cursor);
        for (int32_t k = 0; holds(b) && start != NULL && k < b->dim && k < 6; k++) {
            *most  = fmax(*most, ss_row_terms(a->m, a->d, b, b->row + k, a->d->v_now));
            *most  = fmax(*most, ss_row_terms(a->m, a->d, b, b->row + k, a->d->v_next));
            missed = fmax(missed, fabs(start->rate[k] + start->drift[k]));
        }
    }
    return missed;
}

/* |J v| of the joints when the step began, in the metric of (J M^-1 J')^-1. */
static ss_status size_at_start(const linkage *a, double *size)
{
    const ss_eliminated *e = a->isl->eliminated;
    *size                  = 0;
    if (e == NULL) {
        return SS_OK;
    }
    double *u = ss_arena_alloc(&a->d->scratch, 2 * (size_t)e->ne, sizeof *u);
    int32_t i = 0, cursor = 0;
    if (u == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *x = u + e->ne;
    for (int32_t n = 0; n < a->isl->block_count; n++) {
        const ss_row_block *b     = &a->d->rows.blocks[a->isl->blocks[n]];
        const ss_row_start *start = ss_block_start(a->d, b, &cursor);
        for (int32_t k = 0; b->kind == SS_BLOCK_EQUALITY && k < b->dim; k++, i++) {
            bool known = holds(b) && start != NULL && k < 6;
            u[i] = x[i] = known ? start->rate[k] + start->drift[k] : 0;
        }
    }
    ss_eliminated_solve(e, x);
    double square = 0;
    for (i = 0; i < e->ne; i++) {
        square += u[i] * x[i];
    }
    *size = sqrt(fmax(square, 0));
    return SS_OK;
}

/* Do all bodies of the island move smoothly, and nothing but joints act between them? */
static bool is_linkage(const ss_data *d, const ss_island *isl)
{
    for (int32_t k = 0; k < isl->body_count; k++) {
        if (!d->midpoint.smooth[isl->bodies[k]]) {
            return false;
        }
    }
    for (int32_t k = 0; k < isl->block_count; k++) {
        const ss_row_block *b         = &d->rows.blocks[isl->blocks[k]];
        bool                one_sided = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
        if (one_sided && d->rows.impulse[b->row] != 0) {
            return false;
        }
    }
    return true;
}

/* |v|_M of energies of bodies before or after the step. */
static double speed_of(const linkage *a, const double *energy)
{
    double sum = 0;
    for (int32_t k = 0; k < a->isl->body_count; k++) {
        sum += energy[a->isl->bodies[k]];
    }
    return sqrt(2 * sum);
}

/* .. of what is at rest: what openings that are rounding make of it in a step, and what is below
   the energies that change hands. */
static double rounding_of(const linkage *a)
{
    double mass = 0;
    for (int32_t k = 0; k < a->isl->body_count; k++) {
        mass += a->m->bodies[a->isl->bodies[k]].mass;
    }
    return sqrt(2 * SS_ENERGY_SLACK * a->d->ledger.turnover) +
           SS_OPENING_ROUNDING * a->m->length / a->d->midpoint.h * sqrt(mass);
}

/* How v' differs from `from` along the combination of rows that depends on others most. */
static ss_status turned_along_weakest(const linkage *a, const double *from, double *turned)
{
    const ss_eliminated *e = a->isl->eliminated;
    double              *n = ss_arena_alloc(&a->d->scratch, (size_t)e->ne, sizeof *n);
    if (n == NULL) {
        return SS_ERR_SCRATCH;
    }
    double  pivot = ss_eliminated_weakest(e, n), sum = 0;
    int32_t i = 0;
    for (int32_t k = 0; k < a->isl->block_count; k++) {
        const ss_row_block *b = &a->d->rows.blocks[a->isl->blocks[k]];
        for (int32_t row = b->row; b->kind == SS_BLOCK_EQUALITY && row < b->row + b->dim; row++) {
            double by = ss_row_rate(a->m, a->d, b, row, a->d->v_next) -
                        ss_row_rate(a->m, a->d, b, row, from);
            sum += n[i] * e->scale[i] * by;
            i++;
        }
    }
    *turned = pivot > 0 ? fabs(sum) / sqrt(pivot) : 0;
    return SS_OK;
}

/* y := A^-1 J~'n of the combination n, (nv). */
static void respond(const linkage *a, const double *n, double *y)
{
    int32_t i = 0;
    memset(y, 0, (size_t)a->m->nv * sizeof *y);
    for (int32_t k = 0; k < a->isl->block_count; k++) {
        const ss_row_block *b = &a->d->rows.blocks[a->isl->blocks[k]];
        for (int32_t row = b->row; b->kind == SS_BLOCK_EQUALITY && row < b->row + b->dim; row++) {
            const double *Y = ss_response_side(a->m, a->d, row, 0);
            for (int side = 0; side < b->sides; side++, Y += a->m->dof) {
                if (b->body[side] >= 0) {
                    ss_add_dof(y + a->m->bodies[b->body[side]].v_start,
                               n[i] * a->isl->eliminated->scale[i], Y, a->m->dof);
                }
            }
            i++;
        }
    }
}

/* The rate of a held scalar, where bodies are as `pose` says, by velocities v (nv). */
static double rate_at(const linkage *a, const ss_row_block *b, int32_t k, const ss_pose *pose,
                      const double *v)
{
    const ss_joint      *j     = &a->m->joints[b->index];
    const ss_joint_form *form  = ss_joint_form_of(a->m, j);
    ss_joint_place       place = ss_joint_place_of(a->m, a->d, j, pose);
    bool                 held  = b->source == SS_ROWS_JOINT;
    ss_scalar_row x   = ss_scalar_eval(held ? &form->hold[k] : &form->coordinate[b->part], &place);
    double        sum = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            ss_wrench      of   = ss_scalar_side(&x, side);
            const ss_body *body = &a->m->bodies[b->body[side]];
            ss_twist       t    = ss_twist_from_vector(a->m, body->dof, v + body->v_start);
            sum += ss_dot(of.force, t.v) + ss_dot(of.torque, t.w);
        }
    }
    return sum;
}

/* n'J(q) y of the rows at a place. */
static double weakest_at(const linkage *a, const double *n, const ss_pose *pose, const double *y)
{
    double  sum = 0;
    int32_t i   = 0;
    for (int32_t k = 0; k < a->isl->block_count; k++) {
        const ss_row_block *b = &a->d->rows.blocks[a->isl->blocks[k]];
        for (int32_t c = 0; b->kind == SS_BLOCK_EQUALITY && c < b->dim; c++, i++) {
            if (b->source != SS_ROWS_GIVE) {
                sum += n[i] * a->isl->eliminated->scale[i] * rate_at(a, b, c, pose, y);
            }
        }
    }
    return sum;
}

/*
 * How far apart the start and the end of the step are, if they lie on both sides of a point where
 * the rows lose rank: w(q) = n'J(q) is zero there and turns round, w(q0).w(q1) < 0. What it has
 * along w of the middle tells; n and M^-1 w of the middle do, because what they miss of those of q
 * is of first order in both. In units of the distance, as pivots are squares of it. 0: they do not.
 */
static ss_status passed_point(const linkage *a, double *apart)
{
    const ss_eliminated *e = a->isl->eliminated;
    double              *n = ss_arena_alloc(&a->d->scratch, (size_t)e->ne, sizeof *n);
    double              *y = ss_arena_alloc(&a->d->scratch, (size_t)a->m->nv, sizeof *y);
    *apart                 = 0;
    if (n == NULL || y == NULL) {
        return SS_ERR_SCRATCH;
    }
    double pivot = ss_eliminated_weakest(e, n);
    if (!(pivot > 0)) {
        return SS_OK;
    }
    respond(a, n, y);
    double start = weakest_at(a, n, a->d->state.pose, y) / sqrt(pivot);
    double end   = weakest_at(a, n, a->d->pose_next, y) / sqrt(pivot);
    *apart       = fmin(start, end) < -SS_POINT_ROUNDING ? fabs(start) + fabs(end) : 0;
    return SS_OK;
}

static ss_fault branch_fault(const linkage *a, const char *by, double size, double allowed)
{
    return (ss_fault){SS_FAULT_BRANCH, size, allowed, by, {a->isl->bodies[0], -1}};
}

/* Velocities of joints that closing left, of those that they held before. */
static void judge_left(const linkage *a, double missed, double most, ss_fault *fault)
{
    if (missed <= SS_JOINTS_HELD * most && a->isl->closed_left > SS_JOINTS_LEFT * most) {
        *fault = branch_fault(a, "joints do not hold", a->isl->closed_left / most, SS_JOINTS_LEFT);
    }
}

/* A linkage that begins to move at a change point: do forces lead it along a branch? */
static ss_status judge_begin(const linkage *a, double none, ss_fault *fault)
{
    double before = speed_of(a, a->rates->before), after = speed_of(a, a->rates->after), turned;
    if (before > SS_FORK_SLOW * after) {
        return SS_OK;
    }
    SS_TRY(turned_along_weakest(a, a->d->v_free, &turned));
    if (turned > SS_FORK_ACROSS * after + none) {
        *fault = branch_fault(a, "it begins to move there, and joints turn", turned / after,
                              SS_FORK_ACROSS);
        a->d->cut.why.forked = true;
    }
    return SS_OK;
}

static ss_status judge_turn(const linkage *a, double speed, double none, ss_fault *fault)
{
    const ss_spread *spread = &a->d->midpoint.spread[a->isl->bodies[0]];
    double           turned = 0;
    if (a->isl->eliminated == NULL) {
        return SS_OK;
    }
    if (spread->leaves) {
        return judge_begin(a, none, fault);
    }
    if (spread->falls < SS_PIVOT_FALLS) {
        SS_TRY(turned_along_weakest(a, a->d->v_now, &turned));
    }
    if (turned > SS_BRANCH_TURN * speed + none) {
        *fault = branch_fault(a, "joints turn", turned / speed, SS_BRANCH_TURN);
    }
    if (fault->kind == SS_FAULT_NONE && !a->d->cut.part.smallest &&
        spread->least < SS_POINT_REACH) {
        double apart;
        SS_TRY(passed_point(a, &apart));
        if (apart > SS_POINT_NEAR) {
            *fault = branch_fault(a, "it passes that by", apart, SS_POINT_NEAR);
        }
    }
    return SS_OK;
}

static int32_t root_of(const int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        i = parent[i];
    }
    return i;
}

/* Do its joints make a loop, with what does not move as one more body? */
static ss_status find_loop(const linkage *a, bool *loop)
{
    int32_t  ground = a->m->nb;
    int32_t *parent = ss_arena_alloc(&a->d->scratch, (size_t)ground + 1, sizeof *parent);
    *loop           = true;
    if (parent == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i <= ground; i++) {
        parent[i] = i;
    }
    for (int32_t k = 0; k < a->isl->block_count; k++) {
        const ss_row_block *b = &a->d->rows.blocks[a->isl->blocks[k]];
        if (!holds(b)) {
            continue;
        }
        int32_t one   = root_of(parent, b->body[0] >= 0 ? b->body[0] : ground);
        int32_t other = root_of(parent, b->body[1] >= 0 ? b->body[1] : ground);
        if (b->sides > 2 || one == other) {
            return SS_OK;
        }
        parent[one] = other;
    }
    *loop = false;
    return SS_OK;
}

static ss_status judge_taken(const linkage *a, double speed, double none, ss_fault *fault)
{
    double taken = sqrt(2 * a->isl->closed_most), begun = 0;
    bool   loop = true;
    if (taken > SS_BRANCH_TAKEN * speed + none) {
        SS_TRY(find_loop(a, &loop));
    }
    if (!loop) {
        SS_TRY(size_at_start(a, &begun));
    }
    double allowed = SS_BRANCH_TAKEN * speed + SS_PROJECTED_SHARE * begun;
    if (taken > allowed + none) {
        *fault = branch_fault(a, "joints take", taken / speed, allowed / speed);
    }
    return SS_OK;
}

static ss_status judge(const linkage *a, ss_fault *fault)
{
    double most, missed = missed_at_start(a, &most), none = rounding_of(a);
    double speed = fmax(speed_of(a, a->rates->before), speed_of(a, a->rates->after));
    if (ss_goes_nowhere(a->m, most)) {
        return SS_OK;
    }
    judge_left(a, missed, most, fault);
    if (fault->kind != SS_FAULT_NONE || missed > SS_BRANCH_TAKEN * most) {
        return SS_OK; /* what begins with velocities that contradict its joints is jerked */
    }
    SS_TRY(judge_turn(a, speed, none, fault));
    return fault->kind == SS_FAULT_NONE ? judge_taken(a, speed, none, fault) : SS_OK;
}

ss_status ss_check_branches(const ss_model *m, ss_data *d, const ss_rates *rates, ss_fault *fault)
{
    if (fault->kind != SS_FAULT_NONE || !ss_inertia_of(m)->momentum ||
        !ss_integrator_of(m)->second) {
        return SS_OK;
    }
    size_t mark = ss_arena_mark(&d->scratch);
    for (int32_t i = 0; i < d->island_count && fault->kind == SS_FAULT_NONE; i++) {
        linkage a = {.m = m, .d = d, .rates = rates, .isl = &d->islands[i]};
        if (a.isl->body_count > 0 && is_linkage(d, a.isl)) {
            SS_TRY(judge(&a, fault));
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
