/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one door to every solver: check, solve, certify. No solver decides by itself that it has
 * solved something: the residual of the problem as it was given decides, here, for all of them.
 */
#include "stickslip/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/context.h"
#include "problem/residual.h"
#include "solver/confirm.h"
#include "solver/confirm_cone.h"
#include "solver/delegate.h"
#include "solver/doubt.h"
#include "solver/solver_list.h"
#include "solver/tolerances.h"

#define SS_SOLVER(name) extern const ss_solver_class ss_solver_##name;
SS_SOLVER_LIST
#undef SS_SOLVER

static const ss_solver_class *const built_in[] = {
#define SS_SOLVER(name) &ss_solver_##name,
    SS_SOLVER_LIST
#undef SS_SOLVER
};
enum { BUILT_IN_COUNT = (int)(sizeof built_in / sizeof built_in[0]) };

/* Rows up to which doubts are looked into by a proof, which takes the cube of the rows: where the
   caller has another way (ss_common.brief), and otherwise. */
enum { PROVED_BRIEFLY = 120, PROVED_MOST = 300 };

/* Unknowns, of reactions and velocities, up to which answers of cone problems are refined where the
   caller has another way. Up to ALWAYS it costs little, and is done for less. */
enum { REFINED_ALWAYS = 120, REFINED_BRIEFLY = 300 };

typedef struct buffer {
    unsigned char *raw;
    size_t         size;
} buffer;

struct ss_solver {
    ss_context            *ctx;
    const ss_solver_class *cls;
    ss_common              common;
    void                  *settings;
    void                  *state;
    buffer                 memory;   /* ss_solver_memory */
    buffer                 residual; /* workspace of the certificate */
    buffer                 spare;    /* the result of a warm start while a cold one is tried */
    buffer                 doubt;    /* workspace of a second look */
    ss_confirm_memory      confirm;  /* .. in twice the precision */
    buffer                 near;     /* an answer near that in doubt     */
    ss_solver             *prover;   /* `farkas`, made when first needed */
    ss_solver             *newton;   /* `ac`, likewise                   */
    bool                   suspect;  /* something that was certified wants a second look */
    bool                   judged;   /* x->residual holds the certificate already */
    bool                   partial;  /* what it solves is no answer to anyone: no second look */
    const ss_problem      *refused;  /* the guess of this problem is no answer to it */
    double                 deadline; /* CPU seconds; 0: none */
    double                 worked;   /* products of this solve */
    double                 looked;   /* .. when the clock was last looked at */
    double                 allowed;  /* .. that it may take; 0: any */
};

static const ss_option common_options[] = {
    {"tol", SS_OPTION_REAL, offsetof(ss_common, tol), SS_DEFAULT_TOLERANCE, 0, 1, NULL,
     "largest residual that counts as solved"},
    {"max_iter", SS_OPTION_INT, offsetof(ss_common, max_iter), 0, 0, 1e9, NULL,
     "largest number of iterations; 0 leaves it to the solver"},
    {"time_limit", SS_OPTION_REAL, offsetof(ss_common, time_limit), 0, 0, 1e9, NULL,
     "CPU seconds a solve may take; 0 means no limit"},
    {"timed", SS_OPTION_BOOL, offsetof(ss_common, timed), 0, 0, 1, NULL,
     "measure the CPU time of every solve"},
    SS_OPTION_END};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / SS_NANOSECONDS;
}

const char *ss_outcome_text(ss_outcome outcome)
{
    switch (outcome) {
#define SS_OUTCOME_CASE(code, text)                                                                \
    case code:                                                                                     \
        return text;
        SS_OUTCOME_LIST(SS_OUTCOME_CASE)
#undef SS_OUTCOME_CASE
    }
    return "unknown";
}

ss_status ss_solver_create(ss_context *ctx, const ss_solver_class *cls, ss_solver **out)
{
    *out         = NULL;
    ss_solver *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for solver '%s'", cls->name);
    }
    s->ctx      = ctx;
    s->cls      = cls;
    s->settings = ss_alloc(ctx, 1, cls->settings_size);
    s->state    = ss_alloc(ctx, 1, cls->state_size);
    if (s->settings == NULL || s->state == NULL) {
        ss_solver_destroy(s);
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for solver '%s'", cls->name);
    }
    ss_options_default(common_options, &s->common);
    ss_options_default(cls->options, s->settings);
    *out = s;
    return SS_OK;
}

ss_status ss_solver_create_named(ss_context *ctx, const char *name, ss_solver **out)
{
    const ss_solver_class *cls = ss_solver_find(ctx, name);
    if (cls == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "there is no solver '%s' (see `stickslip list`)", name);
    }
    return ss_solver_create(ctx, cls, out);
}

static void buffer_free(ss_context *ctx, buffer *b)
{
    ss_free(ctx, b->raw, b->size);
    *b = (buffer){0};
}

void ss_solver_destroy(ss_solver *s)
{
    if (s == NULL) {
        return;
    }
    if (s->cls->release != NULL && s->state != NULL) {
        s->cls->release(s);
    }
    buffer_free(s->ctx, &s->memory);
    buffer_free(s->ctx, &s->residual);
    buffer_free(s->ctx, &s->spare);
    buffer_free(s->ctx, &s->doubt);
    ss_confirm_free(s->ctx, &s->confirm);
    buffer_free(s->ctx, &s->near);
    ss_solver_destroy(s->prover);
    ss_solver_destroy(s->newton);
    ss_free(s->ctx, s->settings, s->cls->settings_size);
    ss_free(s->ctx, s->state, s->cls->state_size);
    ss_free(s->ctx, s, sizeof *s);
}

/* Aligned memory of at least `size` bytes, reused while it is large enough. */
static void *buffer_get(ss_context *ctx, buffer *b, size_t size)
{
    enum { ALIGN = 64 };
    if (b->raw == NULL || b->size < size + ALIGN) {
        buffer_free(ctx, b);
        size_t bytes = size + size / 4 + ALIGN;
        b->raw       = ss_alloc(ctx, bytes, 1);
        if (b->raw == NULL) {
            return NULL;
        }
        b->size = bytes;
    }
    return b->raw + (ALIGN - ((uintptr_t)b->raw & (ALIGN - 1)));
}

void *ss_solver_memory(ss_solver *s, size_t size)
{
    return buffer_get(s->ctx, &s->memory, size);
}

ss_status ss_solver_set(ss_solver *s, const char *name, const char *value)
{
    for (const ss_option *o = common_options; o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) {
            return ss_option_set(s->ctx, common_options, &s->common, name, value);
        }
    }
    return ss_option_set(s->ctx, s->cls->options, s->settings, name, value);
}

const ss_option *ss_solver_common_options(void)
{
    return common_options;
}

ss_common *ss_solver_common(ss_solver *s)
{
    return &s->common;
}

ss_context *ss_solver_context(const ss_solver *s)
{
    return s->ctx;
}

const ss_solver_class *ss_solver_class_of(const ss_solver *s)
{
    return s->cls;
}

void *ss_solver_settings(const ss_solver *s)
{
    return s->settings;
}

void *ss_solver_state(const ss_solver *s)
{
    return s->state;
}

bool ss_solver_out_of_time(ss_solver *s)
{
    bool stopped = s->common.stop != NULL && *s->common.stop != 0;
    return stopped || (s->allowed > 0 && s->worked > s->allowed) ||
           (s->deadline > 0 && cpu_seconds() > s->deadline) ||
           (s->common.until > 0 && ss_clock_seconds() > s->common.until);
}

bool ss_solver_out_of_time_now(ss_solver *s, bool regularly)
{
    if (!regularly && s->worked - s->looked < SS_LOOK_AFTER) {
        return false;
    }
    s->looked = s->worked;
    return ss_solver_out_of_time(s);
}

static double seconds_left(void *who)
{
    ss_solver *s    = who;
    double     left = INFINITY;
    if (ss_solver_out_of_time(s)) {
        return 0;
    }
    if (s->deadline > 0) {
        left = s->deadline - cpu_seconds();
    }
    if (s->common.until > 0) {
        left = fmin(left, s->common.until - ss_clock_seconds());
    }
    return left;
}

ss_patience ss_solver_patience(ss_solver *s)
{
    return (ss_patience){.seconds = seconds_left, .who = s};
}

void ss_solver_worked(ss_solver *s, double products)
{
    s->worked += SS_WORK_CALL + products;
}

double ss_solver_work(const ss_solver *s)
{
    return s->worked;
}

void ss_solver_unwork(ss_solver *s, double work)
{
    s->worked = work;
}

/*
 * What was found decides; what the solver says only names the kind of failure. But for a proof: z
 * is what proves it then, and may look like an answer beside large data.
 */
static ss_outcome judge(const ss_solver *s, ss_outcome claimed, const ss_solution *x)
{
    if (claimed == SS_INFEASIBLE && (s->cls->traits & SS_TRAIT_PROVES) != 0) {
        return SS_INFEASIBLE;
    }
    if (ss_good_enough(x, s->common.tol)) {
        return SS_SOLVED;
    }
    return claimed == SS_SOLVED ? SS_INACCURATE : claimed;
}

/* What rows of an answer may miss, as a part of their own data, where nothing explains it. */
static double claimed_part(const ss_solver *s)
{
    return fmax(s->common.tol, SS_DEFAULT_TOLERANCE);
}

/*
 * Does x, a cone problem's, want a second look: for a proof, or, where it claims a residual, since
 * what it misses may be more than data of its rows? Data that are rounded are asked less.
 */
static bool is_suspect(const ss_solver *s, const ss_cone *p, const ss_solution *x,
                       const double *work)
{
    ss_cone_rows rows = ss_residual_cone_rows(p, work);
    if (!ss_good_enough(x, s->common.tol)) {
        return false;
    }
    if (ss_contacts_in_doubt(p, &rows, s->common.rounded, NULL) > 0) {
        return true;
    }
    if (!(x->residual <= s->common.tol)) {
        return false;
    }
    bool small = !s->common.rounded && p->n + p->nv <= REFINED_ALWAYS;
    return ss_momentum_in_doubt(p, work) ||
           (small && ss_contacts_lose_data(p, &rows, x->residual, claimed_part(s)));
}

static ss_status certify(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    double *work = buffer_get(s->ctx, &s->residual, ss_residual_work(p) * sizeof *work);
    if (work == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for the certificate");
    }
    x->motion = x->missed = 0;
    s->worked += ss_problem_entries(p);
    if (p->type == SS_CONE) {
        ss_missed missed = {.enough = x->enough};
        x->residual      = ss_residual_cone_motion(&p->as.cone, x->z, x->v, work, &missed);
        x->motion        = missed.c;
        x->missed        = missed.speed;
        s->suspect       = s->suspect || is_suspect(s, &p->as.cone, x, work);
    } else {
        x->residual  = ss_residual(p, x->z, x->v, work);
        ss_rows rows = {.z = x->z, .w = work, .terms = work + ss_problem_size(p)};
        rows.size    = rows.terms; /* where both are left */
        s->suspect   = x->residual <= s->common.tol &&
                     (p->type == SS_MCP || ss_rows_are_doubtful(p, &rows, s->common.rounded));
    }
    return SS_OK;
}

/*
 * y proves that there is no feasible point, and by more than rounding. Of cone problems `some` asks
 * for a proof by the rows that y marks.
 */
static ss_status look_for_proof(ss_solver *s, const ss_problem *p, double *y, bool some,
                                double *work, bool *proved)
{
    size_t      n = (size_t)ss_problem_size(p), nv = (size_t)ss_problem_size_v(p);
    ss_solution proof = {.z = y, .v = y + n, .warm = some};
    if (s->prover == NULL) {
        SS_TRY(ss_solver_create_named(s->ctx, "farkas", &s->prover));
    }
    if (!some) {
        memset(y, 0, (n + nv) * sizeof *y);
    }
    SS_TRY(ss_solver_delegate(s, s->prover, p, &proof));
    *proved = proof.outcome == SS_INFEASIBLE && ss_proof_weighs(p, y, s->common.rounded, work);
    return SS_OK;
}

/* Is a proof of so many rows worth its time? */
static bool asks_for_proof(const ss_solver *s, int32_t rows)
{
    return rows <= (s->common.brief ? PROVED_BRIEFLY : PROVED_MOST);
}

/* y proves that there is no solution, and is what is handed out in its place. */
static ss_status tell_proof(ss_solver *s, const ss_problem *p, ss_solution *x, const double *y)
{
    x->outcome = SS_INFEASIBLE;
    memcpy(x->z, y, (size_t)ss_problem_size(p) * sizeof *x->z);
    return certify(s, p, x);
}

/* Products that a refinement of an answer may take: many, or as many as finding it. */
static double refined_most(const ss_solver *s)
{
    return fmax(SS_REFINED_MOST, s->worked);
}

/* What is not confirmed may only have wanted more time. */
static ss_outcome unconfirmed(ss_solver *s)
{
    return ss_solver_out_of_time(s) ? SS_LIMIT : SS_INACCURATE;
}

/* Whether an answer exists to more digits than data have is a matter of their rounding. */
static bool is_refined(const ss_solver *s, const ss_problem *p)
{
    int32_t size = ss_problem_size(p) + ss_problem_size_v(p);
    return !s->common.rounded && (!s->common.brief || size <= REFINED_BRIEFLY);
}

/* Workspace of a second look: y of a proof, doubts of it, or a refinement. */
static double *room_for_doubt(ss_solver *s, const ss_problem *p)
{
    size_t refine  = p->type == SS_CONE ? ss_confirm_cone_bytes(&p->as.cone) : ss_confirm_bytes(p);
    size_t y       = (size_t)ss_problem_size(p) + (size_t)ss_problem_size_v(p);
    size_t doubles = (y + ss_doubt_work(p)) * sizeof(double);
    return buffer_get(s->ctx, &s->doubt, doubles > refine ? doubles : refine);
}

static void copy_numbers(double *to, const double *from, int32_t count)
{
    if (count > 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

static ss_status confirm_contacts(ss_solver *s, const ss_problem *p, const ss_solution *x,
                                  bool sought, double *work, ss_confirmation *found)
{
    double *room = buffer_get(s->ctx, &s->residual, ss_residual_work(p) * sizeof *room);
    if (room == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for a second look");
    }
    *found = SS_LEFT_OPEN;
    if (!isfinite(ss_residual_cone(&p->as.cone, x->z, x->v, room))) { /* not of another answer */
        return SS_OK;
    }
    ss_cone_answer answer = {.r        = x->z,
                             .v        = x->v,
                             .rows     = ss_residual_cone_rows(&p->as.cone, room),
                             .rounded  = s->common.rounded,
                             .part     = claimed_part(s),
                             .sought   = sought,
                             .most     = is_refined(s, p) ? refined_most(s) : 0,
                             .patience = ss_solver_patience(s)};
    return ss_contacts_confirmed(s->ctx, &p->as.cone, &answer, &s->confirm, work, &s->worked,
                                 found);
}

/*
 * y: x, brought as near to a solution as Newton's method in doubles does with as much work again.
 * What is refined must begin near: nothing keeps those steps from leading elsewhere.
 */
static ss_status come_nearer(ss_solver *s, const ss_problem *p, const ss_solution *x,
                             ss_solution *y)
{
    double  tol = s->common.tol, allowed = s->allowed;
    int32_t n = ss_problem_size(p), nv = ss_problem_size_v(p);
    double *z = buffer_get(s->ctx, &s->near, ((size_t)n + (size_t)nv) * sizeof *z);
    if (z == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for a second look");
    }
    if (s->newton == NULL) {
        SS_TRY(ss_solver_create_named(s->ctx, "ac", &s->newton));
    }
    *y = (ss_solution){.z = z, .v = z + n, .warm = true};
    copy_numbers(y->z, x->z, n);
    copy_numbers(y->v, x->v, nv);
    double most      = s->worked + fmax(s->worked, SS_NEARER_LEAST);
    s->allowed       = allowed > 0 ? fmin(allowed, most) : most;
    s->common.tol    = DBL_EPSILON;
    ss_status status = ss_solver_delegate_part(s, s->newton, p, y);
    s->common.tol    = tol;
    s->allowed       = allowed;
    return status;
}

/*
 * Is x right by its own data, as it is or refined in twice the precision? Where refinement does not
 * converge, another point is taken that is nearer to a solution, unless the caller has another way.
 */
static ss_status confirm_near(ss_solver *s, const ss_problem *p, ss_solution *x, double *work,
                              ss_confirmation *near)
{
    ss_solution y;
    SS_TRY(confirm_contacts(s, p, x, false, work, near));
    if (*near != SS_LEFT_OPEN || !is_refined(s, p) || s->common.brief || ss_solver_out_of_time(s)) {
        return SS_OK;
    }
    SS_TRY(come_nearer(s, p, x, &y));
    if (!(y.residual < x->residual)) {
        return SS_OK;
    }
    SS_TRY(confirm_contacts(s, p, &y, true, work, near));
    if (*near != SS_LEFT_OPEN) {
        copy_numbers(x->z, y.z, ss_problem_size(p));
        copy_numbers(x->v, y.v, ss_problem_size_v(p));
        SS_TRY(certify(s, p, x));
    }
    return SS_OK;
}

/*
 * x of a cone problem is called solved, and may hide that there is no solution (doubt.c). Where
 * every contact is right by its own data, or that of an answer near, it is solved. Otherwise a
 * proof is asked for: by the rows in doubt, which do not vanish beside others, or, of small
 * problems, by all. Where there is none either, contacts that miss their law by a fair part of
 * their data make the answer inaccurate.
 */
static ss_status look_at_cones(ss_solver *s, const ss_problem *p, ss_solution *x, double *work)
{
    double         *more   = work + ss_problem_size(p) + ss_problem_size_v(p);
    bool            proved = false;
    ss_confirmation near;
    SS_TRY(confirm_near(s, p, x, work, &near));
    if (near == SS_CONFIRMED_BY_DATA) {
        return SS_OK;
    }
    double *room = buffer_get(s->ctx, &s->residual, ss_residual_work(p) * sizeof *room);
    if (room == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for a second look");
    }
    if (!isfinite(ss_residual_cone(&p->as.cone, x->z, x->v, room))) {
        return SS_OK;
    }
    ss_cone_rows rows  = ss_residual_cone_rows(&p->as.cone, room);
    int32_t      count = ss_contacts_in_doubt(&p->as.cone, &rows, s->common.rounded, work);
    if (count > 0 && asks_for_proof(s, count)) {
        SS_TRY(look_for_proof(s, p, work, true, more, &proved));
    }
    bool all = count > 0 || !s->common.rounded; /* or what is in doubt may be momentum */
    if (all && !proved && asks_for_proof(s, p->as.cone.n)) {
        SS_TRY(look_for_proof(s, p, work, false, more, &proved));
    }
    bool claimed = x->residual <= s->common.tol; /* a motion that is good enough claims less */
    if (near == SS_LEFT_OPEN && is_refined(s, p) && claimed) {
        x->outcome = unconfirmed(s);
    }
    return proved ? tell_proof(s, p, x, work) : SS_OK;
}

/*
 * The same of an lcp or mlcp. It is refined in twice the precision: where every row is right by its
 * own data, it is solved. Otherwise a proof is asked for, and where there is none either, rows that
 * are missed by more than rounding make the answer inaccurate.
 */
static ss_status look_at_rows(ss_solver *s, const ss_problem *p, ss_solution *x, double *work)
{
    double      *room   = buffer_get(s->ctx, &s->residual, ss_residual_work(p) * sizeof *room);
    bool         proved = false;
    ss_row_sizes of;
    if (room == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for a second look");
    }
    if (!ss_residual_rows(p, x->z, room, &of)) {
        return SS_OK; /* it overflows: its residual has told */
    }
    ss_rows   rows   = {.z = x->z, .w = of.w, .terms = of.terms, .size = of.size};
    ss_answer answer = {
        .z = x->z, .size = of.size, .most = refined_most(s), .patience = ss_solver_patience(s)};
    ss_confirmation near;
    SS_TRY(ss_answer_confirmed(s->ctx, p, &answer, &s->confirm, work, &s->worked, &near));
    if (near == SS_CONFIRMED_BY_DATA) {
        return SS_OK;
    }
    bool wrong = near == SS_LEFT_OPEN && ss_rows_are_wrong(p, &rows, s->common.rounded);
    if (asks_for_proof(s, ss_problem_size(p))) {
        SS_TRY(look_for_proof(s, p, work, false, work + ss_problem_size(p), &proved));
    }
    x->outcome = wrong ? unconfirmed(s) : x->outcome;
    return proved ? tell_proof(s, p, x, work) : SS_OK;
}

/* Of an mcp F is all that is known: where rounding of F hides data of a row, nothing proves it. */
static ss_status look_at_function(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    double *work = buffer_get(s->ctx, &s->residual, ss_residual_work(p) * sizeof *work);
    if (work == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for a second look");
    }
    x->outcome = ss_residual_loses_data(&p->as.mcp, x->z, work) ? SS_INACCURATE : x->outcome;
    return SS_OK;
}

static ss_status second_look(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    if (p->type == SS_MCP) {
        return look_at_function(s, p, x);
    }
    double *work = room_for_doubt(s, p);
    if (work == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for a second look");
    }
    return p->type == SS_CONE ? look_at_cones(s, p, x, work) : look_at_rows(s, p, x, work);
}

/* Solve and certify, once. */
static ss_status attempt(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    x->residual   = INFINITY;
    x->iterations = 0;
    s->judged     = false;
    s->suspect    = false;
    SS_TRY(s->cls->solve(s, p, x));
    if (x->outcome == SS_NOT_APPLICABLE) {
        return SS_OK;
    }
    if (!s->judged) {
        SS_TRY(certify(s, p, x));
    }
    x->outcome = judge(s, x->outcome, x);
    return s->suspect && x->outcome == SS_SOLVED && !s->partial ? second_look(s, p, x) : SS_OK;
}

/* A guess must not make things worse: where a warm start failed, try a cold one, keep the better.
 */
static ss_status attempt_cold(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    int32_t n = ss_problem_size(p), nv = ss_problem_size_v(p);
    double *spare = buffer_get(s->ctx, &s->spare, ((size_t)n + (size_t)nv) * sizeof *spare);
    if (spare == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for a second start");
    }
    ss_solution warm = *x;
    copy_numbers(spare, x->z, n);
    copy_numbers(spare + n, x->v, nv);
    x->warm          = false;
    ss_status status = attempt(s, p, x);
    x->warm          = true;
    x->iterations += warm.iterations;
    bool final = x->outcome == SS_SOLVED || x->outcome == SS_INFEASIBLE;
    if (status == SS_OK && warm.residual < x->residual && !final) {
        x->outcome  = warm.outcome;
        x->residual = warm.residual;
        x->motion   = warm.motion;
        x->missed   = warm.missed;
        copy_numbers(x->z, spare, n);
        copy_numbers(x->v, spare + n, nv);
    }
    return status;
}

/*
 * A guess that solves the problem to rounding is the answer, whatever the solver: a body at rest
 * costs one residual a step. Solvers of cone problems look for themselves. Most guesses are far
 * off, which a fraction of the certificate tells.
 */
static ss_status judge_guess(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    double  least = SS_WELL_BELOW * s->common.tol;
    double *work  = buffer_get(s->ctx, &s->residual, ss_residual_work(p) * sizeof *work);
    if (work == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for the certificate");
    }
    if (!ss_residual_above(p, x->z, least, work)) {
        SS_TRY(certify(s, p, x));
        x->outcome = x->residual <= least ? SS_SOLVED : x->outcome;
        if (s->suspect && x->outcome == SS_SOLVED && !s->partial) {
            SS_TRY(second_look(s, p, x));
        }
    }
    s->refused = x->outcome == SS_SOLVED ? NULL : p;
    return SS_OK;
}

/* `looked`: whoever asks has looked at the guess already. */
static ss_status start(ss_solver *s, const ss_problem *p, ss_solution *x, bool looked)
{
    s->refused = looked ? p : NULL;
    if (x->warm && !looked && p->type != SS_CONE && p->type != SS_MCP) {
        SS_TRY(judge_guess(s, p, x));
        if (x->outcome == SS_SOLVED || x->outcome == SS_INFEASIBLE) {
            return SS_OK;
        }
    }
    SS_TRY(attempt(s, p, x));
    if (x->outcome == SS_SOLVED || x->outcome == SS_NOT_APPLICABLE || x->outcome == SS_INFEASIBLE) {
        return SS_OK;
    }
    bool guided = x->warm && !s->common.brief && (s->cls->traits & SS_TRAIT_WARM_STARTS) != 0 &&
                  !(x->residual <= s->common.enough);
    return guided && !ss_solver_out_of_time(s) ? attempt_cold(s, p, x) : SS_OK;
}

ss_status ss_solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    x->residual   = INFINITY;
    x->iterations = 0;
    x->seconds    = 0;
    x->work       = 0;
    x->outcome    = SS_NOT_APPLICABLE;
    if (((unsigned)p->type & s->cls->accepts) == 0) {
        return SS_OK;
    }
    bool   clocked = s->common.timed || s->common.time_limit > 0;
    double begin   = clocked ? cpu_seconds() : 0;
    s->deadline    = s->common.time_limit > 0 ? begin + s->common.time_limit : 0;
    s->allowed     = s->common.work_limit;
    s->worked      = 0;
    s->looked      = 0;
    SS_TRY(start(s, p, x, false));
    x->work    = s->worked;
    x->seconds = clocked ? cpu_seconds() - begin : 0;
    return SS_OK;
}

static ss_status delegate(ss_solver *s, ss_solver *child, const ss_problem *p, ss_solution *x,
                          bool partial)
{
    child->partial        = partial;
    child->common.tol     = s->common.tol;
    child->common.enough  = s->common.enough;
    child->common.brief   = s->common.brief;
    child->common.rounded = s->common.rounded;
    child->common.threads = s->common.threads;
    child->common.stop    = s->common.stop;
    child->common.until   = s->common.until;
    child->deadline       = s->deadline;
    child->allowed        = s->allowed;
    child->worked         = s->worked; /* it goes on counting where s is */
    child->looked         = s->worked;
    x->outcome            = SS_NOT_APPLICABLE;
    x->residual           = INFINITY;
    if (((unsigned)p->type & child->cls->accepts) != 0) {
        SS_TRY(start(child, p, x, s->refused == p));
    }
    s->worked  = child->worked;
    s->judged  = true;
    s->suspect = false; /* the child has looked */
    return SS_OK;
}

ss_status ss_solver_delegate(ss_solver *s, ss_solver *child, const ss_problem *p, ss_solution *x)
{
    return delegate(s, child, p, x, s->partial);
}

ss_status ss_solver_delegate_part(ss_solver *s, ss_solver *child, const ss_problem *p,
                                  ss_solution *x)
{
    SS_TRY(delegate(s, child, p, x, true));
    s->judged = false;
    return SS_OK;
}

ss_status ss_solver_certify(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    SS_TRY(certify(s, p, x));
    s->judged = true;
    return SS_OK;
}

void ss_solver_changed(ss_solver *s)
{
    s->judged = false;
}

ss_status ss_solver_register(ss_context *ctx, const ss_solver_class *cls)
{
    if (ss_solver_find(ctx, cls->name) != NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a solver named '%s' exists already", cls->name);
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.solver_count, "solvers"));
    ctx->registry.solvers[ctx->registry.solver_count++] = cls;
    return SS_OK;
}

int32_t ss_solver_count(const ss_context *ctx)
{
    return BUILT_IN_COUNT + ctx->registry.solver_count;
}

const ss_solver_class *ss_solver_at(const ss_context *ctx, int32_t index)
{
    if (index < 0 || index >= ss_solver_count(ctx)) {
        return NULL;
    }
    return index < BUILT_IN_COUNT ? built_in[index] : ctx->registry.solvers[index - BUILT_IN_COUNT];
}

const ss_solver_class *ss_solver_find(const ss_context *ctx, const char *name)
{
    for (int32_t i = 0; i < ss_solver_count(ctx); i++) {
        const ss_solver_class *cls = ss_solver_at(ctx, i);
        if (strcmp(cls->name, name) == 0) {
            return cls;
        }
    }
    return NULL;
}
