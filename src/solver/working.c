/* SPDX-License-Identifier: Apache-2.0 */
/*
 * working: frictional LCPs (friction_form.h) by working sets of contacts. Bodies that are fast, or
 * steps that are long, have hundreds of contacts within reach of which a few dozen close: sixty
 * velocities are held by no more than sixty rows. A contact that stays open has p = 0, b = 0 and
 *
 *     s = max(0, -u_b / E)         the slip speed that makes u_b + E s >= 0, since U p - F b = 0,
 *
 * so that nothing but u_p >= 0 has to be asked of it, and it may be left out until that fails:
 *
 *     solve the LCP of the contacts in the set (rows and columns of M), the others open;
 *     where others close, u_p < 0, take those that close fastest into the set, and go on.
 *
 * The same goes for directions of friction. A polygon of 64 corners has 64 of them, and a contact
 * that slides uses one or two: those with b = 0 and u_b + E s >= 0 may be left out until that
 * fails. Contacts with many directions start with a few that go all round and those of the guess,
 * and take in what is missed most.
 *
 * The set only grows, hence an end. It starts with the contacts that press in the guess. What is
 * found solves the whole problem; where the LCP of a set is not solved (nothing promises that it
 * has a solution), and where sets have taken as much work as the whole, that is left to others.
 * Friction with a bound of its own (q_s > 0: joints) is always in the set; p without friction and s
 * without p are contacts like the others.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "linalg/matrix.h"
#include "solver/delegate.h"
#include "solver/friction_form.h"
#include "solver/tolerances.h"

/* Rounds, unless the option max_iter says how many; and the set's share of all unknowns, so many
   in so many, beyond which the whole problem costs no more. */
enum { ROUNDS = 60, SHARE_MOST = 3, SHARE_OF = 4 };

/* Directions up to which a contact has all of them in the set, and how many go round at first. */
enum { DIRECTIONS_FEW = 4, DIRECTIONS_FIRST = 4 };

/* Unknowns of no contact: always in the set. */
enum { KEPT = -1 };

/* What solves the LCP of a set: the first that does. */
typedef struct method {
    const char *solver;
    int32_t     steps; /* 0: as many as it likes */
} method;
static const method methods[] = {{"pivot", 0}, {"lemke", 0}, {"newton", 60}};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct state {
    ss_arena   arena;
    ss_solver *solvers[METHODS]; /* made when first needed */
} state;

typedef struct working {
    const ss_lcp  *p;
    unsigned char *roles;   /* (n) ss_role                                          */
    int32_t       *contact; /* (n) number of the unknown's contact, or KEPT         */
    int32_t        count;   /* of contacts                                          */
    unsigned char *inside;  /* (count) in the set                                   */
    unsigned char *leaves;  /* (n) a direction that its contact leaves out          */
    double        *closing; /* (count) how fast it closes, where it is not in it    */
    double        *missed;  /* (count) by how much the worst of its directions is   */
    int32_t       *place;   /* (2n) where unknown k of the set's LCP stands in p    */
    int32_t        size;    /* .. how many there are                                */
    double        *M;       /* (size x size)                                        */
    double        *q, *z;   /* (n) of the set's LCP                                 */
    double        *best;    /* (n) the answer of the set's LCP before               */
    double        *w, *sum; /* (n) rows of p, and the sizes of their terms          */
} working;

/* ---- contacts -------------------------------------------------------------------------------- */

/* All unknowns of contact `from` become those of contact `to`. */
static void rename_contact(working *s, int32_t from, int32_t to)
{
    for (int32_t i = 0; i < s->p->n; i++) {
        s->contact[i] = s->contact[i] == from ? to : s->contact[i];
    }
}

/* i belongs to contact c; what belongs to two makes them one. */
static void join(working *s, int32_t i, int32_t c, bool *taken)
{
    if (*taken && s->contact[i] != c) {
        rename_contact(s, c, s->contact[i]);
    } else {
        s->contact[i] = c;
    }
    *taken = true;
}

static void name_contacts(working *s)
{
    for (int32_t i = 0; i < s->p->n; i++) {
        s->contact[i] = s->roles[i] == SS_ROLE_SLIP ? s->count++ : KEPT;
    }
    for (int32_t j = 0; j < s->p->n; j++) {
        ss_cursor c     = {0};
        bool      taken = false;
        while (s->roles[j] != SS_ROLE_SLIP && ss_next_entry(&s->p->M, j, &c)) {
            if (s->roles[c.row] == SS_ROLE_SLIP) {
                join(s, j, s->contact[c.row], &taken);
            }
        }
        s->contact[j] = s->roles[j] == SS_ROLE_NORMAL && !taken ? s->count++ : s->contact[j];
    }
    for (int32_t i = 0; i < s->p->n; i++) {
        if (s->roles[i] == SS_ROLE_SLIP && s->p->q[i] != 0 && s->contact[i] != KEPT) {
            rename_contact(s, s->contact[i], KEPT);
        }
    }
}

/* Of contacts with many directions all but a few that go round, and those of the guess. */
static void leave_directions(working *s, const ss_solution *x, int32_t *count, int32_t *seen)
{
    memset(count, 0, (size_t)s->count * sizeof *count);
    memset(seen, 0, (size_t)s->count * sizeof *seen);
    for (int32_t i = 0; i < s->p->n; i++) {
        if (s->roles[i] == SS_ROLE_FRICTION && s->contact[i] != KEPT) {
            count[s->contact[i]]++;
        }
    }
    for (int32_t i = 0; i < s->p->n; i++) {
        s->leaves[i] = 0;
        if (s->roles[i] == SS_ROLE_FRICTION && s->contact[i] != KEPT) {
            int32_t c = s->contact[i], every = count[c] / DIRECTIONS_FIRST;
            bool    first = count[c] <= DIRECTIONS_FEW || seen[c] % every == 0;
            s->leaves[i]  = !first && !(x->warm && x->z[i] > 0);
            seen[c]++;
        }
    }
}

/* The first set: contacts that press. */
static void start_set(working *s, const ss_solution *x)
{
    leave_directions(s, x, s->place, s->place + s->count);
    memset(s->inside, 0, (size_t)s->count);
    for (int32_t i = 0; i < s->p->n && x->warm; i++) {
        if (s->roles[i] == SS_ROLE_NORMAL && s->contact[i] != KEPT && x->z[i] > 0) {
            s->inside[s->contact[i]] = 1;
        }
    }
}

/* ---- the LCP of a set ------------------------------------------------------------------------ */

static bool is_inside(const working *s, int32_t i)
{
    return s->contact[i] == KEPT || (s->inside[s->contact[i]] != 0 && !s->leaves[i]);
}

static void gather(working *s, const double *z)
{
    s->size = 0;
    for (int32_t i = 0; i < s->p->n; i++) {
        if (is_inside(s, i)) {
            s->place[s->size++] = i;
        }
    }
    for (int32_t j = 0; j < s->size; j++) {
        double *to = s->M + (ptrdiff_t)j * s->size;
        memset(s->w, 0, (size_t)s->p->n * sizeof *s->w);
        ss_matrix_add_column(&s->p->M, s->place[j], 1, s->w);
        for (int32_t i = 0; i < s->size; i++) {
            to[i] = s->w[s->place[i]];
        }
        s->q[j] = s->p->q[s->place[j]];
        s->z[j] = z[s->place[j]];
    }
}

static ss_status method_of(ss_solver *s, int k, ss_solver **out)
{
    state *st = ss_solver_state(s);
    if (st->solvers[k] == NULL) {
        SS_TRY(ss_solver_create_named(ss_solver_context(s), methods[k].solver, &st->solvers[k]));
        ss_solver_common(st->solvers[k])->max_iter = methods[k].steps;
    }
    *out = st->solvers[k];
    return SS_OK;
}

/* Solve the LCP of the set from z; x tells how it went. */
static ss_status solve_set(ss_solver *solver, working *s, bool warm, ss_solution *x)
{
    ss_matrix  M       = {.rows = s->size, .cols = s->size, .dense = s->M, .ld = s->size};
    ss_problem problem = {.type = SS_LCP, .as.lcp = {s->size, M, s->q}};
    int32_t    spent   = 0;
    memcpy(s->best, s->z, (size_t)s->size * sizeof *s->z);
    *x = (ss_solution){.z = s->z, .warm = warm, .outcome = SS_SOLVED};
    for (int k = 0; k < METHODS && s->size > 0; k++) {
        ss_solver *child;
        SS_TRY(method_of(solver, k, &child));
        memcpy(s->z, s->best, (size_t)s->size * sizeof *s->z);
        SS_TRY(ss_solver_delegate_part(solver, child, &problem, x));
        spent += x->iterations;
        if (x->outcome == SS_SOLVED || ss_solver_out_of_time(solver)) {
            break;
        }
    }
    x->iterations = spent;
    return SS_OK;
}

/* ---- the others ------------------------------------------------------------------------------ */

/* z of the whole with all others open, and its rows. */
static void spread(working *s, double *z)
{
    memset(z, 0, (size_t)s->p->n * sizeof *z);
    for (int32_t k = 0; k < s->size; k++) {
        z[s->place[k]] = s->z[k];
    }
    for (int32_t i = 0; i < s->p->n; i++) {
        s->w[i]   = s->p->q[i];
        s->sum[i] = fabs(s->p->q[i]);
    }
    ss_matrix_mul_add_sized(&s->p->M, z, s->w, s->sum);
}

/* How fast each of the others closes; gives the fastest. What rounding makes of 0 does not count.
 */
static double find_closing(working *s)
{
    double fastest = 0;
    memset(s->closing, 0, (size_t)s->count * sizeof *s->closing);
    for (int32_t i = 0; i < s->p->n; i++) {
        bool closes = s->roles[i] == SS_ROLE_NORMAL && !is_inside(s, i) &&
                      -s->w[i] > 16 * DBL_EPSILON * s->sum[i];
        if (closes) {
            double *to = &s->closing[s->contact[i]];
            *to        = fmax(*to, -s->w[i]);
            fastest    = fmax(fastest, *to);
        }
    }
    return fastest;
}

static void take_in(working *s, double fastest)
{
    for (int32_t c = 0; c < s->count; c++) {
        if (s->closing[c] >= SS_WORKING_SHARE * fastest) {
            s->inside[c] = 1;
        }
    }
}

/* By how much direction i, which its contact leaves out, is missed. */
static double missed_by(const working *s, int32_t i)
{
    bool asked = s->leaves[i] && s->inside[s->contact[i]] != 0;
    return asked && -s->w[i] > 16 * DBL_EPSILON * s->sum[i] ? -s->w[i] : 0;
}

/* Each contact takes in the directions that are missed most; false: none is. */
static bool take_directions(working *s)
{
    bool any = false;
    memset(s->missed, 0, (size_t)s->count * sizeof *s->missed);
    for (int32_t i = 0; i < s->p->n; i++) {
        if (s->leaves[i]) {
            s->missed[s->contact[i]] = fmax(s->missed[s->contact[i]], missed_by(s, i));
        }
    }
    for (int32_t i = 0; i < s->p->n; i++) {
        double most = s->leaves[i] ? s->missed[s->contact[i]] : 0;
        if (most > 0 && missed_by(s, i) >= SS_WORKING_DIRECTIONS * most) {
            s->leaves[i] = 0;
            any          = true;
        }
    }
    return any;
}

/* Where the LCP of a set is not solved, mostly for rounding of a degenerate one, another may be:
   each contact takes in one in so many of the directions that it leaves out. False: none does. */
static bool widen(working *s)
{
    int32_t left = 0;
    for (int32_t i = 0; i < s->p->n; i++) {
        if (s->leaves[i] && left++ % DIRECTIONS_FIRST == 0) {
            s->leaves[i] = 0;
        }
    }
    return left > 0;
}

/* Slip speeds of contacts that stay open. */
static void slip_open(const working *s, double *z)
{
    for (int32_t j = 0; j < s->p->n; j++) {
        ss_cursor c = {0};
        if (s->roles[j] != SS_ROLE_SLIP || is_inside(s, j)) { /* slip speeds are never left out */
            continue;
        }
        while (ss_next_entry(&s->p->M, j, &c)) {
            z[j] = fmax(z[j], -s->w[c.row] / c.value);
        }
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

static bool make(working *s, ss_arena *a)
{
    size_t n   = (size_t)s->p->n;
    s->roles   = ss_arena_alloc(a, n, sizeof *s->roles);
    s->contact = ss_arena_alloc(a, n, sizeof *s->contact);
    s->inside  = ss_arena_alloc(a, n, sizeof *s->inside);
    s->leaves  = ss_arena_alloc(a, n, sizeof *s->leaves);
    s->closing = ss_arena_alloc(a, n, sizeof *s->closing);
    s->missed  = ss_arena_alloc(a, n, sizeof *s->missed);
    s->place   = ss_arena_alloc(a, 2 * n, sizeof *s->place);
    s->M       = ss_arena_alloc(a, n * n, sizeof *s->M);
    s->q       = ss_arena_alloc(a, n, sizeof *s->q);
    s->z       = ss_arena_alloc(a, n, sizeof *s->z);
    s->best    = ss_arena_alloc(a, n, sizeof *s->best);
    s->w       = ss_arena_alloc(a, n, sizeof *s->w);
    s->sum     = ss_arena_alloc(a, n, sizeof *s->sum);
    return s->roles && s->contact && s->inside && s->leaves && s->closing && s->missed &&
           s->place && s->M && s->q && s->z && s->best && s->w && s->sum;
}

/* Work after which sets have taken what the whole problem does: about one pivot an unknown. */
static double work_of_whole(const ss_solver *solver, const working *s)
{
    double n = s->p->n;
    return ss_solver_work(solver) + n * n * n;
}

static ss_status run(ss_solver *solver, working *s, ss_solution *x)
{
    int32_t limit = ss_solver_common(solver)->max_iter;
    double  most  = work_of_whole(solver, s);
    bool    warm  = x->warm;
    start_set(s, x);
    limit      = limit > 0 ? limit : ROUNDS;
    x->outcome = SS_LIMIT;
    for (int32_t round = 0; round < limit && !ss_solver_out_of_time(solver); round++) {
        ss_solution part;
        gather(s, x->z);
        if (SHARE_OF * s->size > SHARE_MOST * s->p->n || ss_solver_work(solver) > most) {
            break;
        }
        ss_solver_worked(solver, (double)s->size * s->p->n + ss_matrix_products(&s->p->M));
        SS_TRY(solve_set(solver, s, warm, &part));
        x->iterations += part.iterations;
        x->outcome = part.outcome;
        spread(s, x->z);
        if (part.outcome != SS_SOLVED) {
            if (!widen(s)) {
                break;
            }
            warm = false;
            continue;
        }
        double fastest = find_closing(s);
        bool   more    = take_directions(s);
        if (fastest == 0 && !more) {
            slip_open(s, x->z);
            return SS_OK;
        }
        if (fastest > 0) {
            take_in(s, fastest);
        }
        x->outcome = SS_LIMIT;
        warm       = true;
    }
    return SS_OK;
}

/* In scratch memory that grows until it is enough. */
static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    state *st = ss_solver_state(s);
    for (;;) {
        working set = {.p = &p->as.lcp};
        ss_arena_reset(&st->arena);
        if (make(&set, &st->arena)) {
            x->outcome = SS_NOT_APPLICABLE;
            if (!ss_friction_form(&set.p->M, NULL, set.roles)) {
                return SS_OK;
            }
            name_contacts(&set);
            if (!x->warm) {
                memset(x->z, 0, (size_t)set.p->n * sizeof *x->z);
            }
            return run(s, &set, x);
        }
        SS_TRY(ss_arena_grow(ss_solver_context(s), &st->arena));
    }
}

static void release(ss_solver *s)
{
    state *st = ss_solver_state(s);
    for (int k = 0; k < METHODS; k++) {
        ss_solver_destroy(st->solvers[k]);
    }
    ss_arena_free(ss_solver_context(s), &st->arena);
}

const ss_solver_class ss_solver_working = {
    .name    = "working",
    .summary = "frictional LCPs by working sets: open contacts and unused directions are left out",
    .accepts = SS_LCP,
    .traits  = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPECIAL,
    .state_size = sizeof(state),
    .solve      = solve,
    .release    = release,
};
