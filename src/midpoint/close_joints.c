/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joints at the end of the step. With J, M of the end,
 *
 *   positions   phi(q) = 0:    q := q - M^-1 J'l,   J M^-1 J'l = phi,   Newton's method
 *   velocities  J v = 0:       v := v - M^-1 J'm,   J M^-1 J'm = J v
 *
 * with less than whole steps where these do not halve what is open: a chain that is nearly straight
 * is made shorter by turning links, by far in the linear problem.
 *
 * The second is the projection in M's metric: it takes |J v|^2/2 in the metric of J M^-1 J' out of
 * the kinetic energy, third order over a run. Without it a velocity that opens a joint would come
 * back with the other sign in the next step, forever; to make it die out it is enough to take half
 * of it, which a smooth step does. That takes a third of the energy that all of it would. A part of
 * a step that ends at an impact takes all: times the impulses of the impact, what is left would be
 * energy that joints make or take.
 *
 * (J M^-1 J' + S) l = .., S = s diag(J M^-1 J') for rows of contacts, and zero for all others: what
 * lies on the floor and pulls at a rope is not pushed through the floor when the rope is closed,
 * and a link that leans on something stays there while others swing from it. Loaded contacts have
 * rows that keep their velocity (of those that slide, the normal alone), but they give way, by s,
 * where there is no other way to close a joint.
 *
 * Motors that keep a velocity have rows here too, so that the projection leaves it as it is.
 *
 * A limit or a contact that keeps a velocity c it has (one that has just been struck, or closes a
 * gap) is no projection onto J v = 0 any more: with the impulse -x it gives -x c, which is energy
 * if it pulls at what approaches. So where the rows give more than they take,
 *
 *   -x.c + (x.S c)/2 > 0,     J M^-1 J'x = S c,    S: the shares that are taken out,
 *
 * those that give lose their rows: what they let happen the next step stops, as an impact.
 *
 * Limits (limits.c) that bear a load or have been passed have rows, with phi = min(gap, 0). Of the
 * velocity along one that stays closed all is taken out, so that the next step does not begin with
 * what looks like an impact; one that has just been struck keeps its own, which the next step
 * stops.
 *
 * Where a step begins open (bodies were put there: a rope that is too long at the start of the
 * run), closing is a correction: d->shift knows where the velocities alone lead, and limits are
 * closed to where they begin, phi = gap, since Newton's method may overshoot far.
 *
 * The system is that of the last round but for what turned since: conjugate gradients with the
 * factor of that round as the preconditioner need a few products.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "joint/joint.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"
#include "problem/reduce.h"
#include "rows/contact_state.h"

enum { MOST_PRODUCTS = 200, MOST_STEPS = 10, MOST_CLOSED = 20 };

/* The held rows of an island at the trial state. */
typedef struct system {
    const ss_model      *m;
    ss_data             *d;
    ss_island           *isl;
    const ss_eliminated *factor;   /* NULL: none */
    int32_t n, equal, limit_count; /* all rows: those of the factor, limits, contacts */
    int32_t sides;                 /* bodies that a row may act on: 2, or 4           */
    double *J;                     /* (n x sides dof)                                 */
    const ss_row_block **limits;   /* (limit_count)                                   */
    bool                *passed;   /* (limit_count) at the start of the step          */
    bool                 put;      /* bodies were put where joints are open           */
    int32_t (*body)[SS_ROW_SIDES]; /* (n) moving bodies of a row, -1: none           */
    int32_t *mate;                 /* (n) a friction row's other one of two, or itself */
    double  *value;                /* (n) phi; zero for motors                      */
    double  *share;                /* (n) of a velocity along it that is taken out  */
    double  *drift;                /* (n) rate by driven bodies alone               */
    double  *begun;                /* (n) of joints, J v + drift the step began with */
    double  *closing;              /* (n) J v + drift before the projection         */
    double  *diagonal;             /* (n) of J M^-1 J'                               */
    double  *inverse;              /* (nb x 9) of the island's bodies: I^-1, world axes */
    double  *r, *z, *s, *Ws, *x;   /* (n) */
    double  *y;                    /* (nv) */
    ss_pose *place; /* (nb) of the island's bodies before a step of Newton's method */
    ss_vec3 *turn;  /* (nb) their w */
} system;

/* A limit that bears a load, or has been passed by more than rounding. */
static bool limit_acts(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    if (!ss_is_limit(b)) {
        return false;
    }
    return d->rows.impulse[b->row] > 0 ||
           ss_limit_at(m, d, b, d->pose_next).value < -SS_OPENING_ROUNDING * m->length;
}

/* Rows of a contact that keep their velocity: all of one that sticks, the normal of one that
 * slides. */
static int32_t kept_rows(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    if (b->source != SS_ROWS_CONTACT || b->spring > 0 || !(d->rows.impulse[b->row] > 0)) {
        return 0;
    }
    return ss_at_limit(m, b, d->rows.impulse + b->row) ? 1 : b->dim;
}

static bool is_smooth(const system *s)
{
    return s->d->midpoint.smooth[s->isl->bodies[0]];
}

/*
 * Do contacts have rows? Where something happens and no limit acts they have none: what a step of
 * first order opens of joints is of its order, and closing it against all that touches would move
 * bodies far.
 */
static bool contacts_hold(const system *s)
{
    return s->limit_count > 0 || (s->equal > 0 && is_smooth(s));
}

static void count_rows(system *s)
{
    int32_t kept = 0;
    s->equal = s->limit_count = 0;
    s->sides                  = 2;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        s->equal += b->kind == SS_BLOCK_EQUALITY ? b->dim : 0;
        s->sides = b->sides > s->sides ? b->sides : s->sides;
        s->limit_count += limit_acts(s->m, s->d, b);
        kept += kept_rows(s->m, s->d, b);
    }
    s->n = s->equal + s->limit_count + (contacts_hold(s) ? kept : 0);
}

static bool allocate(system *s)
{
    ss_arena *a        = &s->d->scratch;
    size_t    n        = (size_t)s->n;
    s->J               = ss_arena_alloc(a, n * (size_t)s->sides * (size_t)s->m->dof, sizeof *s->J);
    s->body            = ss_arena_alloc(a, n, sizeof *s->body);
    s->mate            = ss_arena_alloc(a, n, sizeof *s->mate);
    s->limits          = ss_arena_alloc(a, (size_t)s->limit_count + 1, sizeof *s->limits);
    s->passed          = ss_arena_alloc(a, (size_t)s->limit_count + 1, sizeof *s->passed);
    double **numbers[] = {&s->value, &s->share, &s->drift, &s->begun, &s->closing, &s->diagonal,
                          &s->r,     &s->z,     &s->s,     &s->Ws,    &s->x};
    bool     ok        = s->J && s->body && s->mate && s->limits && s->passed;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = ss_arena_alloc(a, n, sizeof(double));
        ok          = ok && *numbers[i] != NULL;
    }
    s->inverse = ss_arena_alloc(a, 9 * (size_t)s->m->nb, sizeof *s->inverse);
    s->y       = ss_arena_alloc(a, (size_t)s->m->nv, sizeof *s->y);
    s->place   = ss_arena_alloc(a, (size_t)s->isl->body_count, sizeof *s->place);
    s->turn    = ss_arena_alloc(a, (size_t)s->isl->body_count, sizeof *s->turn);
    for (int32_t i = 0; s->mate != NULL && i < s->n; i++) {
        s->mate[i] = i;
    }
    return ok && s->inverse && s->y && s->place && s->turn;
}

/* M^-1 of the island's bodies where they are at the end. */
static void invert_masses(system *s)
{
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        int32_t        i = s->isl->bodies[k];
        const ss_body *b = &s->m->bodies[i];
        ss_mat3        B = b->inv_inertia;
        if (s->m->dimension == 3 && !b->round) {
            ss_mat3 R = ss_mat3_from_quat(s->d->pose_next[i].q), Rt = ss_mat3_transpose(&R);
            ss_mat3 RB = ss_mat3_mul(&R, &B);
            B          = ss_mat3_mul(&RB, &Rt);
        }
        memcpy(s->inverse + 9 * (ptrdiff_t)i, B.m, sizeof B.m);
    }
}

/* y = M^-1 x of one body. */
static void weigh(const system *s, int32_t i, const double *x, double *y)
{
    const ss_body *b = &s->m->bodies[i];
    const double  *B = s->inverse + 9 * (ptrdiff_t)i;
    if (s->m->dimension == 2) {
        y[0] = b->inv_mass * x[0];
        y[1] = b->inv_mass * x[1];
        y[2] = b->dof == 3 ? B[8] * x[2] : 0;
        return;
    }
    for (int k = 0; k < 3; k++) {
        y[k]     = b->inv_mass * x[k];
        y[3 + k] = b->dof == 6 ? B[3 * k] * x[3] + B[3 * k + 1] * x[4] + B[3 * k + 2] * x[5] : 0;
    }
}

static ss_twist end_twist(const system *s, int32_t body)
{
    ss_twist none = {{0, 0, 0}, {0, 0, 0}};
    if (body < 0 || s->m->bodies[body].type != SS_BODY_KINEMATIC) {
        return none;
    }
    /* The mean over this step and over one after it; where its velocity jumps, over this step. */
    const ss_twist *now = &s->d->twist_next[body], *next = &s->d->midpoint.next[body];
    if (!s->d->midpoint.smooth[s->isl->bodies[0]]) {
        return *now;
    }
    return (ss_twist){ss_axpy(ss_scale(0.5, now->v), 0.5, next->v),
                      ss_axpy(ss_scale(0.5, now->w), 0.5, next->w)};
}

/* The rate of a held scalar or coordinate by driven bodies alone. */
static double driven_rate(const system *s, const ss_joint *j, const ss_joint_place *place,
                          const ss_scalar_row *x)
{
    if (j->coupled[0].joint == NULL) {
        ss_twist a = end_twist(s, j->body[0]), b = end_twist(s, j->body[1]);
        return ss_scalar_rate(x, &a, &b);
    }
    ss_twist twist[2][2];
    for (int k = 0; k < 4; k++) {
        twist[k / 2][k % 2] = end_twist(s, j->coupled[k / 2].joint->body[k % 2]);
    }
    return ss_coupled_rate(place, (const ss_twist(*)[2])twist);
}

/* Where a row is, cleared. */
static double *no_row(const system *s, int32_t row)
{
    size_t  width = (size_t)s->sides * (size_t)s->m->dof;
    double *J     = s->J + (size_t)row * width;
    memset(J, 0, width * sizeof *J);
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        s->body[row][side] = -1;
    }
    return J;
}

static void put_row(system *s, int32_t row, const ss_row_block *b, const ss_scalar_row *x)
{
    double *J        = no_row(s, row), y[6];
    s->diagonal[row] = 0;
    for (int side = 0; side < b->sides; side++, J += s->m->dof) {
        s->body[row][side] = b->body[side];
        if (b->body[side] < 0) {
            continue;
        }
        ss_wrench    of     = ss_scalar_side(x, side);
        bool         turns  = s->m->bodies[b->body[side]].dof == s->m->dof;
        const double all[6] = {of.force.x,  of.force.y,  of.force.z,
                               of.torque.x, of.torque.y, of.torque.z};
        for (int32_t k = 0; k < s->m->dof; k++) {
            int from = s->m->dimension == 2 && k == 2 ? 5 : k;
            J[k]     = from < 3 || turns ? all[from] : 0;
        }
        weigh(s, b->body[side], J, y);
        s->diagonal[row] += ss_dot_dof(J, y, s->m->dof);
    }
}

/* Rows that give hold nothing; they are here because the factor has them. */
static int32_t leave_out(system *s, int32_t row, int32_t dim)
{
    for (int32_t k = 0; k < dim; k++, row++) {
        no_row(s, row);
        s->value[row] = s->drift[row] = s->share[row] = 0;
        s->diagonal[row]                              = 1;
    }
    return row;
}

/* The limits that act, and which of them keep no velocity: they stay closed. */
static void find_limits(system *s)
{
    int32_t row = s->equal;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        if (limit_acts(s->m, s->d, b)) {
            double gap                = ss_limit_at(s->m, s->d, b, s->d->state.pose).value;
            bool   loaded             = s->d->rows.impulse[b->row] > 0;
            bool   stays              = is_smooth(s) || ss_gap_closed(s->m, gap);
            s->share[row]             = loaded && stays ? 1 : 0;
            s->limits[row - s->equal] = b;
            s->passed[row - s->equal] = gap < -SS_STARTS_OPEN * s->m->length;
            row++;
        }
    }
}

/* Do its joints begin the step open, or limits passed? */
static bool begins_open(const system *s)
{
    const double most  = SS_STARTS_OPEN * s->m->length;
    const bool   fresh = s->d->placed || s->d->state.t == s->m->simulation.start;
    for (int32_t i = 0; fresh && i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        if (ss_is_limit(b) && ss_limit_at(s->m, s->d, b, s->d->state.pose).value < -most) {
            return true;
        }
        for (int32_t k = 0; b->source == SS_ROWS_JOINT && k < b->dim; k++) {
            const ss_joint *j     = &s->m->joints[b->index];
            ss_joint_place  place = ss_joint_place_of(s->m, s->d, j, s->d->state.pose);
            if (fabs(ss_scalar_eval(&ss_joint_form_of(s->m, j)->hold[k], &place).value) > most) {
                return true;
            }
        }
    }
    return false;
}

/* .. at the trial state. Returns the deepest that one has been passed. */
static double fill_limits(system *s)
{
    double worst = 0;
    for (int32_t row = s->equal; row < s->equal + s->limit_count; row++) {
        const ss_row_block *b     = s->limits[row - s->equal];
        const ss_joint     *j     = &s->m->joints[b->index];
        ss_joint_place      place = ss_joint_place_of(s->m, s->d, j, s->d->pose_next);
        ss_scalar_row       x     = ss_limit_at(s->m, s->d, b, s->d->pose_next);
        put_row(s, row, b, &x);
        s->drift[row] = driven_rate(s, j, &place, &x);
        s->value[row] = s->put && s->passed[row - s->equal] ? x.value : fmin(x.value, 0);
        worst         = fmax(worst, fabs(s->value[row]));
    }
    return worst;
}

/* How fast driven bodies alone open a contact. */
static double driven_approach(const system *s, const ss_row_block *b)
{
    const ss_contact *c = &s->d->contacts.items[b->index];
    return s->m->driven ? ss_driven_approach(s->m, s->d, c, s->d->midpoint.h) : 0;
}

/*
 * Row k of a contact that keeps all its rows: two that a turn of its axes mixes (slip; rolling)
 * give alike and let go together, lest the motion depend on the axes.
 */
static void pair_rows(system *s, int32_t row, int32_t k)
{
    if (s->m->dimension == 3 && k % 3 == 2) {
        s->mate[row]     = row - 1;
        s->mate[row - 1] = row;
        s->diagonal[row] = s->diagonal[row - 1] = 0.5 * (s->diagonal[row] + s->diagonal[row - 1]);
    }
}

/* Rows of contacts, as the step had them. */
static void fill_kept(system *s)
{
    const ss_rows *rows = &s->d->rows;
    int32_t        row = s->equal + s->limit_count, dof = s->m->dof;
    for (int32_t i = 0; contacts_hold(s) && i < s->isl->block_count; i++) {
        const ss_row_block *b = &rows->blocks[s->isl->blocks[i]];
        for (int32_t k = 0; k < kept_rows(s->m, s->d, b); k++, row++) {
            double *J = no_row(s, row), y[6] = {0};
            memcpy(J, ss_row_side(s->m, rows, b->row + k, 0), 2 * (size_t)dof * sizeof *J);
            s->value[row] = s->share[row] = s->diagonal[row] = 0;
            s->drift[row] = k > 0 ? rows->drift[b->row + k] : driven_approach(s, b);
            for (int side = 0; side < 2; side++, J += dof) {
                s->body[row][side] = b->body[side];
                if (b->body[side] >= 0) {
                    weigh(s, b->body[side], J, y);
                    s->diagonal[row] += ss_dot_dof(J, y, dof);
                }
            }
            pair_rows(s, row, k);
        }
    }
}

/* The velocities of joints that a smooth step began with. */
static void find_begun(system *s)
{
    int32_t row = 0, cursor = 0;
    memset(s->begun, 0, (size_t)s->n * sizeof *s->begun);
    for (int32_t i = 0; is_smooth(s) && i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        if (b->kind != SS_BLOCK_EQUALITY) {
            continue;
        }
        const ss_row_start *x =
            b->source == SS_ROWS_JOINT ? ss_block_start(s->d, b, &cursor) : NULL;
        for (int32_t k = 0; x != NULL && k < b->dim && k < 6; k++) {
            s->begun[row + k] = x->rate[k] + x->drift[k];
        }
        row += b->dim;
    }
}

/* Rows and values at the trial state. Returns the largest |phi|. */
static double fill(system *s)
{
    invert_masses(s);
    fill_kept(s);
    bool    halves = is_smooth(s) && !s->d->cut.event.flight;
    double  worst = fill_limits(s), share = halves ? SS_PROJECTED_SHARE : 1;
    int32_t row = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        if (b->kind != SS_BLOCK_EQUALITY) {
            continue;
        }
        if (b->source == SS_ROWS_GIVE) {
            row = leave_out(s, row, b->dim);
            continue;
        }
        const ss_joint      *j     = &s->m->joints[b->index];
        const ss_joint_form *form  = ss_joint_form_of(s->m, j);
        ss_joint_place       place = ss_joint_place_of(s->m, s->d, j, s->d->pose_next);
        bool                 held  = b->source == SS_ROWS_JOINT;
        for (int32_t k = 0; k < b->dim; k++, row++) {
            ss_scalar_row x =
                ss_scalar_eval(held ? &form->hold[k] : &form->coordinate[b->part], &place);
            put_row(s, row, b, &x);
            s->drift[row] = driven_rate(s, j, &place, &x);
            s->share[row] = held ? share : 0;
            s->value[row] = held ? x.value : 0;
            worst         = fmax(worst, fabs(s->value[row]));
        }
    }
    return worst;
}

static const double *row_side(const system *s, int32_t row, int side)
{
    return s->J + ((size_t)row * (size_t)s->sides + (size_t)side) * (size_t)s->m->dof;
}

/* y = M^-1 J'x over the island's bodies. */
static void spread(const system *s, const double *x)
{
    int32_t dof = s->m->dof;
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        memset(s->y + s->m->bodies[s->isl->bodies[k]].v_start, 0, (size_t)dof * sizeof *s->y);
    }
    for (int32_t i = 0; i < s->n; i++) {
        for (int side = 0; side < s->sides; side++) {
            if (s->body[i][side] >= 0) {
                ss_add_dof(s->y + s->m->bodies[s->body[i][side]].v_start, x[i],
                           row_side(s, i, side), dof);
            }
        }
    }
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        int32_t i = s->isl->bodies[k];
        double  y[6], *at = s->y + s->m->bodies[i].v_start;
        weigh(s, i, at, y);
        memcpy(at, y, (size_t)dof * sizeof *at);
    }
}

/* J v of a row, v over all bodies. */
static double rate(const system *s, int32_t i, const double *v)
{
    double u = 0;
    for (int side = 0; side < s->sides; side++) {
        if (s->body[i][side] >= 0) {
            u += ss_dot_dof(row_side(s, i, side), v + s->m->bodies[s->body[i][side]].v_start,
                            s->m->dof);
        }
    }
    return u;
}

static void precondition(const system *s)
{
    int32_t first = 0;
    if (s->factor != NULL) {
        memcpy(s->z, s->r, (size_t)s->equal * sizeof *s->z);
        ss_eliminated_solve(s->factor, s->z);
        first = s->equal;
    }
    for (int32_t i = first; i < s->n; i++) {
        s->z[i] = s->diagonal[i] > 0 ? s->r[i] / s->diagonal[i] : 0;
    }
}

static double dot(const system *s, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* What s'W s would be if no rows depended on others. */
static double unrelated(const system *s)
{
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        sum += s->diagonal[i] * s->s[i] * s->s[i];
    }
    return sum;
}

/* x: J M^-1 J'x = r. Leaves M^-1 J'x in y. */
static void solve(system *s)
{
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    precondition(s);
    memcpy(s->s, s->z, (size_t)s->n * sizeof *s->s);
    double rz = dot(s, s->r, s->z), first = rz;
    for (int k = 0; k < MOST_PRODUCTS && rz > SS_CLOSED * SS_CLOSED * first; k++) {
        spread(s, s->s);
        for (int32_t i = 0; i < s->n; i++) {
            bool gives = i >= s->equal + s->limit_count;
            s->Ws[i] = rate(s, i, s->y) + (gives ? SS_CONTACT_GIVES * s->diagonal[i] * s->s[i] : 0);
        }
        double curve = dot(s, s->s, s->Ws);
        if (!(curve > SS_CLOSED_DEPENDENT * unrelated(s))) {
            break;
        }
        for (int32_t i = 0; i < s->n; i++) {
            s->x[i] += rz / curve * s->s[i];
            s->r[i] -= rz / curve * s->Ws[i];
        }
        precondition(s);
        double next = dot(s, s->r, s->z);
        for (int32_t i = 0; i < s->n; i++) {
            s->s[i] = s->z[i] + next / rz * s->s[i];
        }
        rz = next;
    }
    spread(s, s->x);
}

/* By a `part` of y, back. */
static void move(const system *s, double part)
{
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        int32_t       i = s->isl->bodies[k];
        const double *y = s->y + s->m->bodies[i].v_start;
        ss_pose      *p = &s->d->pose_next[i];
        if (s->m->dimension == 2) {
            p->p = ss_sub(p->p, ss_v3(part * y[0], part * y[1], 0));
            p->angle -= part * y[2];
            continue;
        }
        p->p = ss_sub(p->p, ss_v3(part * y[0], part * y[1], part * y[2]));
        ss_turn_in_place(&s->m->bodies[i], ss_v3(-part * y[3], -part * y[4], -part * y[5]), p,
                         &s->d->twist_next[i]);
    }
}

static void keep_places(const system *s)
{
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        int32_t i   = s->isl->bodies[k];
        s->place[k] = s->d->pose_next[i];
        s->turn[k]  = s->d->twist_next[i].w;
    }
}

static void put_back(const system *s)
{
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        int32_t i             = s->isl->bodies[k];
        s->d->pose_next[i]    = s->place[k];
        s->d->twist_next[i].w = s->turn[k];
    }
}

/* Openings of all rows as one number, each over what a unit impulse does to it. */
static double all_open(const system *s)
{
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        sum += s->diagonal[i] > 0 ? s->value[i] * s->value[i] / s->diagonal[i] : 0;
    }
    return sum;
}

/*
 * A whole step of Newton's method did not halve the largest opening. Chains that are nearly
 * straight are made shorter by turning links, and by far where they are straighter: there the
 * openings are not linear in the step. So as much of it is taken as lowers them all together.
 * Returns what is open then.
 */
static double take_less(system *s, double was, double worst)
{
    double part = 1;
    while (part > SS_CLOSED_LEAST && !(all_open(s) < (1 - SS_CLOSED_FALL * part) * was)) {
        part *= 0.5;
        put_back(s);
        move(s, part);
        worst = fill(s);
    }
    return worst;
}

/* Next to a change point, at a distance e, an opening d is a way d/e along the other branch: what
   is rounding elsewhere is closed there as far as it goes. */
static void close_positions(system *s)
{
    const bool   point    = s->factor != NULL && ss_eliminated_is_weak(s->factor);
    const double rounding = point ? 0 : SS_OPENING_ROUNDING * s->m->length;
    double       worst    = fill(s);
    for (int k = 0; k < MOST_CLOSED && worst > rounding; k++) {
        double last = worst, was = all_open(s);
        memcpy(s->r, s->value, (size_t)s->n * sizeof *s->r);
        solve(s);
        keep_places(s);
        move(s, 1);
        worst = fill(s);
        if (worst < 0.5 * last) {
            continue;
        }
        if (last <= SS_STARTS_OPEN * s->m->length) {
            return; /* no more than rounding can be had */
        }
        worst = take_less(s, was, worst);
    }
}

/* The velocity becomes that of the trial state, less y. */
static void take_out(const system *s)
{
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        int32_t       i    = s->isl->bodies[k];
        const double *y    = s->y + s->m->bodies[i].v_start;
        ss_twist     *t    = &s->d->twist_next[i];
        bool          flat = s->m->dimension == 2;
        t->v               = ss_sub(t->v, ss_v3(y[0], y[1], flat ? 0 : y[2]));
        t->w               = ss_sub(t->w, flat ? ss_v3(0, 0, y[2]) : ss_v3(y[3], y[4], y[5]));
    }
}

/* x: what takes out of each row its share. */
static void project(system *s)
{
    for (int32_t i = 0; i < s->n; i++) {
        s->r[i] = s->share[i] > 0 ? s->share[i] * s->closing[i] : 0;
    }
    solve(s);
}

/* What a row gives the bodies when x is taken out: -x times the mean of its two velocities. */
static double given_by(const system *s, int32_t i)
{
    return -s->x[i] * (1 - 0.5 * s->share[i]) * s->closing[i];
}

/* The rows that hold, together; 0: it is rounding. Motors give what they are asked for. */
static double given(const system *s)
{
    double sum = 0, size = 0;
    for (int32_t i = 0; i < s->n; i++) {
        if (i >= s->equal || s->share[i] > 0) {
            sum += given_by(s, i);
            size += fabs(given_by(s, i));
        }
    }
    return sum > SS_GIVEN_ROUNDING * size ? sum : 0;
}

static void let_go(system *s, int32_t i)
{
    leave_out(s, i, 1);
    s->closing[i] = 0;
}

/* The same of a row and the one that goes with it. */
static double given_by_both(const system *s, int32_t i)
{
    return given_by(s, i) + (s->mate[i] != i ? given_by(s, s->mate[i]) : 0);
}

/* The limits and contacts that give most lose their rows; `all`: whatever they give. */
static void let_givers_go(system *s, bool all)
{
    double most = 0;
    for (int32_t i = s->equal; i < s->n; i++) {
        most = fmax(most, s->share[i] == 0 ? given_by_both(s, i) : 0);
    }
    for (int32_t i = s->equal; i < s->n; i++) {
        int32_t mate = s->mate[i];
        if (mate >= i && s->share[i] == 0 && (all || given_by_both(s, i) > SS_GIVES_MOST * most)) {
            let_go(s, i);
            let_go(s, mate);
        }
    }
}

/* Out of all rows that hold all is taken: a projection onto J v + drift = 0, which takes energy. */
static void take_all_out(system *s)
{
    for (int32_t i = 0; i < s->n; i++) {
        s->share[i] = s->share[i] > 0 ? 1 : 0;
    }
}

/* What driven bodies put in (-p.drift with p = -x), and motors, whose velocity J v stays. */
static double put_in_by_drives(const system *s)
{
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        bool motor = i < s->equal && s->share[i] == 0;
        sum += motor ? -s->x[i] * (s->closing[i] - s->drift[i]) : s->x[i] * s->drift[i];
    }
    return sum;
}

/* y'M y/2 of the y that is taken out, M y = J'x, and what limits and contacts that keep their
   velocity take. */
static double most_taken_out(const system *s)
{
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        bool kept = i >= s->equal && s->share[i] == 0;
        sum += 0.5 * s->x[i] * rate(s, i, s->y) + (kept ? fmax(-given_by(s, i), 0) : 0);
    }
    return sum;
}

/* u'(J M^-1 J')^-1 u/2 of velocities u of the joints, with the factor of the last round. */
static double energy_of(const system *s, const double *u)
{
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        s->r[i] = i < s->equal && s->share[i] > 0 ? u[i] : 0;
    }
    precondition(s);
    for (int32_t i = 0; i < s->equal; i++) {
        sum += 0.5 * s->r[i] * s->z[i];
    }
    return sum;
}

/*
 * What a smooth step put into velocities that joints do not have: closing takes it, now and in the
 * steps that follow. Where something happens it is the impact's.
 */
static double strayed(const system *s)
{
    return is_smooth(s) ? energy_of(s, s->closing) - energy_of(s, s->begun) : 0;
}

/* The largest velocity that closing was to take out of a joint and could not. */
static double left_open(const system *s)
{
    double most = 0;
    for (int32_t i = 0; i < s->equal; i++) {
        double left = s->share[i] * s->closing[i] - rate(s, i, s->y);
        most        = fmax(most, s->share[i] > 0 ? fabs(left) : 0);
    }
    return most;
}

/* The impulses, for who asks what joints and motors bear. */
static void keep_impulses(const system *s)
{
    int32_t row = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
        for (int32_t k = 0; b->kind == SS_BLOCK_EQUALITY && k < b->dim; k++, row++) {
            s->d->rows.closing[b->row + k] = -s->x[row];
        }
    }
}

static void close_velocities(system *s, double *v)
{
    for (int32_t k = 0; k < s->isl->body_count; k++) {
        int32_t i = s->isl->bodies[k];
        ss_twist_to_vector(s->m, &s->d->twist_next[i], v + s->m->bodies[i].v_start);
    }
    for (int32_t i = 0; i < s->n; i++) {
        s->closing[i] = rate(s, i, v) + s->drift[i];
    }
    find_begun(s);
    project(s);
    for (int k = 0; k < MOST_STEPS && given(s) > 0; k++) {
        let_givers_go(s, k + 2 >= MOST_STEPS);
        if (k + 1 == MOST_STEPS) {
            take_all_out(s);
        }
        project(s);
    }
    s->isl->closed_by_drives = put_in_by_drives(s);
    s->isl->closed_most      = most_taken_out(s);
    s->isl->closed_left      = left_open(s);
    s->isl->strayed          = strayed(s);
    keep_impulses(s);
    take_out(s);
}

static ss_status close_islands(const ss_model *m, ss_data *d, bool velocities)
{
    for (int32_t i = 0; m->joint_rows > 0 && i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        system     s   = {.m = m, .d = d, .isl = isl, .factor = isl->eliminated};
        count_rows(&s);
        if (s.n == 0) {
            continue;
        }
        size_t  mark = ss_arena_mark(&d->scratch);
        double *v    = ss_arena_alloc(&d->scratch, (size_t)m->nv, sizeof *v);
        if (v == NULL || !allocate(&s)) {
            return SS_ERR_SCRATCH;
        }
        find_limits(&s);
        s.put = begins_open(&s);
        if (s.put) {
            ss_keep_bare_poses(m, d);
            d->shift.put = true;
        }
        close_positions(&s);
        if (velocities) {
            close_velocities(&s, v);
        }
        ss_arena_release(&d->scratch, mark);
    }
    return SS_OK;
}

ss_status ss_close_joints(const ss_model *m, ss_data *d)
{
    return close_islands(m, d, true);
}

ss_status ss_close_joints_again(const ss_model *m, ss_data *d)
{
    return close_islands(m, d, false);
}
