/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vector y of positions, velocities and works, and its derivative. With the modes given, the
 * unknowns z of an island (instant_problem.c) obey linear equations: what slides has a_n = 0, what
 * sticks a = 0, so that W z + q = 0. Where contacts are redundant these have many solutions, of
 * which load_shares.c finds the one that is meant; where it finds none, the least is taken, and
 * what it shows is asked of the complementarity problem (hybrid_watch.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "instant/tolerances.h"
#include "sim/sim.h"

/* ---- y ---- */

static void put3(double *y, ss_vec3 x)
{
    y[0] = x.x;
    y[1] = x.y;
    y[2] = x.z;
}

void ss_hybrid_read(const ss_model *m, const ss_data *d, double *y)
{
    for (int32_t i = 0; i < m->nb; i++, y += SS_Y_BODY) {
        const ss_pose *p = &d->state.pose[i];
        put3(y + SS_Y_P, p->p);
        y[SS_Y_Q]     = m->dimension == 3 ? p->q.w : p->angle;
        y[SS_Y_Q + 1] = m->dimension == 3 ? p->q.x : 0;
        y[SS_Y_Q + 2] = m->dimension == 3 ? p->q.y : 0;
        y[SS_Y_Q + 3] = m->dimension == 3 ? p->q.z : 0;
        put3(y + SS_Y_V, d->state.twist[i].v);
        put3(y + SS_Y_W, d->state.twist[i].w);
    }
    memset(y, 0, SS_Y_WORKS * sizeof *y);
}

void ss_hybrid_write(const ss_model *m, ss_data *d, double t, const double *y)
{
    d->state.t = t;
    for (int32_t i = 0; i < m->nb; i++, y += SS_Y_BODY) {
        ss_pose *p = &d->state.pose[i];
        if (!ss_body_moves(&m->bodies[i])) {
            continue;
        }
        p->p = ss_v3(y[SS_Y_P], y[SS_Y_P + 1], y[SS_Y_P + 2]);
        if (m->dimension == 3) {
            p->q = ss_quat_unit((ss_quat){y[SS_Y_Q], y[SS_Y_Q + 1], y[SS_Y_Q + 2], y[SS_Y_Q + 3]});
        } else {
            p->angle = y[SS_Y_Q];
        }
        d->state.twist[i].v = ss_v3(y[SS_Y_V], y[SS_Y_V + 1], y[SS_Y_V + 2]);
        d->state.twist[i].w = ss_v3(y[SS_Y_W], y[SS_Y_W + 1], y[SS_Y_W + 2]);
    }
}

/* q' = (0, w) q / 2; the velocities' own derivatives are a. */
static void rates_of_bodies(const ss_model *m, const double *y, const double *a, double *dy)
{
    for (int32_t i = 0; i < m->nb; i++, y += SS_Y_BODY, dy += SS_Y_BODY) {
        memset(dy, 0, SS_Y_BODY * sizeof *dy);
        if (!ss_body_moves(&m->bodies[i])) {
            continue;
        }
        ss_twist rate = ss_twist_from_vector(m, m->bodies[i].dof, a + m->bodies[i].v_start);
        memcpy(dy + SS_Y_P, y + SS_Y_V, 3 * sizeof *dy);
        dy[SS_Y_Q] = y[SS_Y_W + 2];
        if (m->dimension == 3) {
            ss_quat w      = {0, y[SS_Y_W], y[SS_Y_W + 1], y[SS_Y_W + 2]};
            ss_quat q      = {y[SS_Y_Q], y[SS_Y_Q + 1], y[SS_Y_Q + 2], y[SS_Y_Q + 3]};
            ss_quat x      = ss_quat_mul(w, q);
            dy[SS_Y_Q]     = 0.5 * x.w;
            dy[SS_Y_Q + 1] = 0.5 * x.x;
            dy[SS_Y_Q + 2] = 0.5 * x.y;
            dy[SS_Y_Q + 3] = 0.5 * x.z;
        }
        put3(dy + SS_Y_V, rate.v);
        put3(dy + SS_Y_W, rate.w);
    }
}

/* ---- linear equations ---- */

/*
 * Gram and Schmidt over the rows of A, the longest that is left first, each made orthogonal twice:
 * with orthonormal q_k and the lower triangle L of A's chosen rows, x = sum y_k q_k, L y = -q.
 * Rows are scaled to length one, so that what depends on others shows.
 */
/* Rows to length one; b = -q alike. */
static void scale_rows(int32_t n, double *A, const double *q, double *b, double *left)
{
    for (int32_t i = 0; i < n; i++) {
        double size = 0;
        for (int32_t j = 0; j < n; j++) {
            size += A[i + (size_t)j * (size_t)n] * A[i + (size_t)j * (size_t)n];
        }
        size = sqrt(size);
        for (int32_t j = 0; size > 0 && j < n; j++) {
            A[i + (size_t)j * (size_t)n] /= size;
        }
        b[i]    = size > 0 ? -q[i] / size : 0;
        left[i] = size > 0 ? 1 : 0;
    }
}

/* `row` (n) := what is left of it outside the basis, and of its right-hand side; its length. */
static double leave_basis(int32_t n, const double *Q, int32_t rank, const double *y, double *row,
                          double *rest)
{
    double size = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < rank; k++) {
            double dot = 0;
            for (int32_t j = 0; j < n; j++) {
                dot += row[j] * Q[j + (size_t)k * (size_t)n];
            }
            *rest -= dot * y[k];
            for (int32_t j = 0; j < n; j++) {
                row[j] -= dot * Q[j + (size_t)k * (size_t)n];
            }
        }
    }
    for (int32_t j = 0; j < n; j++) {
        size += row[j] * row[j];
    }
    return sqrt(size);
}

/* left[i] (lengths of what is left of the rows) without their part along the new q. */
static void shorten(int32_t n, const double *A, const double *q, double *left)
{
    for (int32_t i = 0; i < n; i++) {
        double dot = 0;
        for (int32_t j = 0; j < n; j++) {
            dot += A[i + (size_t)j * (size_t)n] * q[j];
        }
        left[i] = left[i] < 0 ? left[i] : sqrt(fmax(left[i] * left[i] - dot * dot, 0));
    }
}

int32_t ss_least_norm(int32_t n, double *A, const double *q, double *x, double *work)
{
    double *Q = work, *y = Q + (size_t)n * (size_t)n, *b = y + n, *left = b + n, *row = left + n;
    int32_t rank = 0;
    memset(x, 0, (size_t)n * sizeof *x);
    scale_rows(n, A, q, b, left);
    for (; rank < n; rank++) {
        int32_t best = -1;
        for (int32_t i = 0; i < n; i++) {
            best = left[i] >= 0 && (best < 0 || left[i] > left[best]) ? i : best;
        }
        for (int32_t j = 0; j < n; j++) {
            row[j] = A[best + (size_t)j * (size_t)n];
        }
        double rest = b[best], size = leave_basis(n, Q, rank, y, row, &rest);
        left[best] = -1; /* taken */
        if (!(size > SS_INSTANT_BORDER)) {
            break;
        }
        double *next = Q + (size_t)rank * (size_t)n;
        y[rank]      = rest / size;
        for (int32_t j = 0; j < n; j++) {
            next[j] = row[j] / size;
            x[j] += y[rank] * next[j];
        }
        shorten(n, A, next, left);
    }
    return rank;
}

/* ---- works ---- */

/* What a row adds to the works, per second. */
static void row_works(const ss_model *m, const ss_data *d, const ss_instant_rows *r,
                      const ss_instant_block *b, const double *force, double *works)
{
    for (int32_t k = 0; k < b->dim; k++) {
        int32_t row = b->row + k;
        double  u = r->u[row], moved = 0;
        bool    rubs = b->kind == SS_BLOCK_DISK || (b->kind == SS_BLOCK_CONE && k > 0);
        for (int side = 0; side < b->sides; side++) {
            double v[6];
            if (b->body[side] >= 0) {
                ss_twist_to_vector(m, &d->state.twist[b->body[side]], v);
                moved += ss_dot_dof(ss_row_side(m, &d->rows, row, side), v, m->dof);
            }
        }
        if (b->source == SS_ROWS_MOTOR) {
            works[SS_Y_DRIVEN] += force[k] * moved;
            continue;
        }
        works[SS_Y_DRIVEN] -= force[k] * (u - moved);
        works[SS_Y_LOST] -= rubs ? force[k] * u : 0;
        works[SS_Y_PASSIVE] += rubs ? 0 : force[k] * u; /* none, to rounding */
    }
}

static double power(const ss_wrench *f, const ss_twist *w)
{
    return ss_dot(f->force, w->v) + ss_dot(f->torque, w->w);
}

/* Forces from outside; springs, dampers and drag. a_free has all of them. */
static void body_works(const ss_model *m, const ss_data *d, const ss_instant_rows *r, double *works)
{
    works[SS_Y_PASSIVE] += r->damped_by_drives;
    works[SS_Y_DRIVEN] -= r->damped_by_drives;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (b->type == SS_BODY_KINEMATIC) {
            ss_wrench own = {ss_sub(d->applied[i].force, d->active[i].force),
                             ss_sub(d->applied[i].torque, d->active[i].torque)};
            own.force     = ss_axpy(own.force, -b->mass, m->gravity);
            double work   = power(&own, &d->twist_next[i]);
            works[SS_Y_PASSIVE] += work;
            works[SS_Y_DRIVEN] -= work;
        }
        if (!ss_body_moves(b)) {
            continue;
        }
        const ss_twist *w   = &d->state.twist[i];
        ss_twist        a   = ss_twist_from_vector(m, b->dof, r->a_free + b->v_start);
        double          all = b->mass * ss_dot(a.v, w->v);
        if (b->dof == m->dof) { /* the gyroscopic torque does no work */
            ss_vec3 turn =
                m->dimension == 3 ? ss_mul(&d->inertia[i], a.w) : ss_scale(b->inertia.m[8], a.w);
            all += ss_dot(turn, w->w);
        }
        double active  = power(&d->active[i], w);
        double gravity = b->mass * ss_dot(m->gravity, w->v);
        works[SS_Y_APPLIED] += active;
        works[SS_Y_PASSIVE] += all - active - gravity;
    }
}

/* ---- all islands ---- */

/* How well z solves the complementarity problem, unless it is any of many. */
static ss_status certify(ss_data *d, const ss_instant_problem *p, const double *z, bool loose,
                         ss_solved *out)
{
    ss_problem problem = {.type = SS_CONE, .as.cone = p->cone};
    double    *work    = ss_arena_alloc(&d->scratch, ss_residual_work(&problem) + 1, sizeof *work);
    if (work == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (!loose && p->n > 0) {
        out->residual = fmax(out->residual, ss_residual(&problem, z, NULL, work));
    }
    return SS_OK;
}

/* Friction that sticks and changes no acceleration, since joints hold what it would hold: what it
   does is known from the complementarity problem alone (hybrid_watch.c). */
static bool is_idle(const ss_instant_rows *r, const ss_instant_problem *p, int32_t block)
{
    const ss_instant_block *b = &r->blocks[p->which[block]];
    for (int32_t j = 0; b->kind == SS_BLOCK_DISK && j < p->n; j++) {
        if (p->block[j] == block && p->cone.W.dense[(size_t)j * (size_t)(p->n + 1)] == 0) {
            return true;
        }
    }
    return false;
}

/* Rows that must not accelerate, over the size of what adds up in them; idle friction that does. */
static void closure(const ss_instant_rows *r, const ss_instant_problem *p, const double *force,
                    const double *a, ss_solved *out)
{
    double worst = 0, size = 0;
    for (int32_t x = 0; x < p->nblocks; x++) {
        const ss_instant_block *b = &r->blocks[p->which[x]];
        int32_t rows = b->kind == SS_BLOCK_CONE && b->mode != SS_INSTANT_STICKS ? 1 : b->dim;
        rows         = b->kind == SS_BLOCK_DISK && b->mode != SS_INSTANT_STICKS ? 0 : rows;
        bool idle    = is_idle(r, p, x);
        for (int32_t k = 0; k < rows; k++) {
            int32_t at = p->first[x] + k;
            double  w = p->W[at + (size_t)at * (size_t)p->rows], turns = r->k[b->row + k];
            worst = fmax(worst, idle ? 0 : fabs(a[at])); /* q = J a_free + k, may be nothing */
            size  = fmax(size, fabs(p->q[at] - turns) + fabs(turns) + fabs(w * force[at]));
        }
        out->idle[p->which[x]] = idle;
    }
    out->residual = fmax(out->residual, size > 0 ? worst / size : 0);
}

/* How near what slides is to Painleve's border: the part that friction leaves of the acceleration
   by which a normal force opens its own contact. */
static double slope_of(const ss_instant_rows *r, const ss_instant_problem *p)
{
    double least = 1;
    for (int32_t j = 0; j < p->n; j++) {
        const ss_instant_block *b   = &r->blocks[p->which[p->block[j]]];
        double                  all = p->cone.W.dense[j + (size_t)j * (size_t)p->cone.W.ld];
        if (b->source == SS_ROWS_CONTACT && b->mode == SS_INSTANT_SLIDES && p->smooth[j] > 0) {
            least = fmin(least, all / p->smooth[j]);
        }
    }
    return least;
}

static ss_status solve_island(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                              const int32_t *island_of, int32_t island, ss_solved *out)
{
    ss_instant_problem p;
    SS_TRY(ss_instant_pose(m, d, r, island_of, island, &p));
    d->hybrid->grip  = fmin(d->hybrid->grip, p.grip);
    d->hybrid->slope = fmin(d->hybrid->slope, slope_of(r, &p));
    size_t  n = (size_t)p.n, rows = (size_t)p.rows;
    double *z    = ss_arena_alloc(&d->scratch, n + 1, sizeof *z);
    double *A    = ss_arena_alloc(&d->scratch, n * n + 1, sizeof *A);
    double *work = ss_arena_alloc(&d->scratch, n * n + 6 * n + 1, sizeof *work);
    double *c    = ss_arena_alloc(&d->scratch, 2 * rows + 1, sizeof *c);
    if (!z || !A || !work || !c) {
        return SS_ERR_SCRATCH;
    }
    if (n > 0) {
        memcpy(A, p.cone.W.dense, n * n * sizeof *A);
    }
    bool   loose = ss_least_norm(p.n, A, p.cone.q, z, work) < p.n;
    double size  = 0;
    ss_instant_forces(r, &p, z, c);
    bool shared = false;
    if (loose) {
        SS_TRY(ss_hybrid_share(d, r, &p, c, &shared));
    }
    ss_instant_accelerations(&p, c, c + rows);
    ss_instant_push(m, d, r, &p, c, out->a);
    closure(r, &p, c, c + rows, out);
    for (int32_t j = 0; j < p.n; j++) {
        z[j] = c[p.row[j]];
    }
    SS_TRY(certify(d, &p, z, loose && !shared, out));
    for (size_t i = 0; i < rows; i++) {
        size = fmax(size, fabs(c[i]));
    }
    for (int32_t x = 0; x < p.nblocks; x++) {
        const ss_instant_block *b = &r->blocks[p.which[x]];
        out->loose[p.which[x]]    = loose;
        out->size[p.which[x]]     = size;
        memcpy(out->force + b->row, c + p.first[x], (size_t)b->dim * sizeof *c);
    }
    return SS_OK;
}

static ss_status solve_all(const ss_model *m, ss_data *d, const ss_instant_rows *r, ss_solved *out)
{
    int32_t  count;
    size_t   nblocks   = (size_t)r->nblocks + 1;
    int32_t *island_of = ss_arena_alloc(&d->scratch, nblocks, sizeof *island_of);
    out->a             = ss_arena_alloc(&d->scratch, (size_t)m->nv + 1, sizeof *out->a);
    out->force         = ss_arena_alloc(&d->scratch, (size_t)d->rows.nrows + 1, sizeof *out->force);
    out->loose         = ss_arena_alloc(&d->scratch, nblocks, sizeof *out->loose);
    out->idle          = ss_arena_alloc(&d->scratch, nblocks, sizeof *out->idle);
    out->size          = ss_arena_alloc(&d->scratch, nblocks, sizeof *out->size);
    out->residual      = 0;
    if (!island_of || !out->a || !out->force || !out->loose || !out->idle || !out->size) {
        return SS_ERR_SCRATCH;
    }
    memcpy(out->a, r->a_free, (size_t)m->nv * sizeof *out->a);
    memset(out->force, 0, ((size_t)d->rows.nrows + 1) * sizeof *out->force);
    memset(out->loose, 0, nblocks * sizeof *out->loose);
    memset(out->idle, 0, nblocks * sizeof *out->idle);
    SS_TRY(ss_instant_islands(m, d, r, island_of, &count));
    for (int32_t i = 0; i < count; i++) {
        SS_TRY(solve_island(m, d, r, island_of, i, out));
    }
    return SS_OK;
}

ss_status ss_hybrid_solve(const ss_model *m, ss_data *d, ss_instant_rows *r, ss_solved *out)
{
    bool agree = false;
    for (int32_t times = 1; !agree; times++) {
        size_t mark = ss_arena_mark(&d->scratch);
        SS_TRY(solve_all(m, d, r, out));
        SS_TRY(ss_hybrid_loads_agree(m, d, r, out->force, times, &agree));
        if (!agree) {
            ss_arena_release(&d->scratch, mark);
        }
    }
    return SS_OK;
}

static bool all_finite(const double *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

static void keep_slips(ss_hybrid *h, const ss_instant_rows *r)
{
    for (int32_t i = 0; i < r->nblocks; i++) {
        ss_mode_entry *x = ss_hybrid_mode(h, r->blocks[i].key);
        if (x != NULL && r->blocks[i].mode == SS_INSTANT_SLIDES) {
            memcpy(x->slip, r->blocks[i].slip, sizeof x->slip);
            x->t = r->blocks[i].t;
        }
    }
}

/* The first of the modes that no block has. */
static uint64_t find_lost(const ss_data *d)
{
    const ss_hybrid *h = d->hybrid;
    for (int32_t i = 0; i < h->mode_count; i++) {
        bool found = false;
        for (int32_t k = 0; !found && k < d->rows.nblocks; k++) {
            found = d->rows.blocks[k].key == h->modes[i].key;
        }
        if (!found) {
            return h->modes[i].key;
        }
    }
    return 0;
}

static ss_status flow_once(const ss_model *m, ss_data *d, const double *y, double *dy,
                           ss_flow *flow)
{
    ss_hybrid       *h     = d->hybrid;
    ss_instant_given given = {.modes = h->modes, .count = h->mode_count, .rates = true};
    ss_instant_rows  r;
    ss_solved        x;
    SS_TRY(ss_instant_gather_as(m, d, &given, &r));
    SS_TRY(ss_hybrid_solve(m, d, &r, &x));
    SS_TRY(ss_hybrid_direct(m, d, &r, &x));
    double *works = dy + (size_t)SS_Y_BODY * (size_t)m->nb;
    rates_of_bodies(m, y, x.a, dy);
    memset(works, 0, SS_Y_WORKS * sizeof *works);
    body_works(m, d, &r, works);
    for (int32_t i = 0; i < r.nblocks; i++) {
        row_works(m, d, &r, &r.blocks[i], x.force + r.blocks[i].row, works);
    }
    flow->residual = x.residual;
    flow->lost     = given.missing > 0;
    flow->lost_key = flow->lost ? find_lost(d) : 0;
    flow->finite   = all_finite(dy, h->ny);
    if (flow->finite && !flow->lost) {
        SS_TRY(ss_hybrid_watch(m, d, &r, &x, &flow->near, &flow->happens));
        ss_hybrid_watch_bounce(m, d, &r, x.a, &flow->bounce);
    }
    if (h->keeps_slips) {
        keep_slips(h, &r);
    }
    memcpy(d->rows.impulse, x.force, (size_t)d->rows.nrows * sizeof *x.force);
    memcpy(d->rows.velocity, r.u, (size_t)d->rows.nrows * sizeof *r.u);
    return SS_OK;
}

ss_status ss_hybrid_flow(const ss_model *m, ss_data *d, double t, const double *y, double *dy,
                         ss_flow *flow)
{
    ss_status    status = SS_ERR_SCRATCH;
    const double before = d->effort.searched;
    ss_hybrid_write(m, d, t, y);
    d->hybrid->evaluations++;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        *flow  = (ss_flow){.happens = {.kind = -1}};
        status = flow_once(m, d, y, dy, flow);
    }
    d->hybrid->searched += d->effort.searched - before;
    return status;
}
