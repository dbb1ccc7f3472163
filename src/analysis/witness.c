/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without momentum, contact forces must balance the load: 0 = L + W'p + D'q, p in the friction
 * cones K, q within known bounds (what joints bear is taken out, contact_cone.c). They cannot
 * exactly if there is a motion x with
 *
 *   x.(L + D'q) > 0 for every q,   x.W'p >= 0 for every p in K          (Farkas' lemma for cones)
 *
 * the load does work, and no contact force opposes it. All contacts of the step are asked first,
 * not only those that touch: a step that may still reach what holds the bodies has no such motion.
 * If there is none, those that touch are: then the bodies have to go, and the step did not find
 * where.
 *
 * It is the way from the cone to the load: with edges g of the cones and points z of the load,
 *
 *   min |sum a_i g_i + sum c_j z_j|^2 + (1 - sum c_j)^2     over a, c >= 0
 *
 * has at its minimum, with x = sum a_i g_i + sum c_j z_j and s = sum c_j,
 *
 *   x.g_i >= 0,   x.z_j >= 1 - s,   and  |x|^2 = s (1 - s),
 *
 * so that x.z_j >= |x|^2 / s > 0 unless x = 0, where the load is balanced. Round cones have edges
 * without end: those that do most against x are added until none does anything.
 */
#include "analysis/witness.h"

#include <math.h>
#include <string.h>

#include "analysis/contact_cone.h"
#include "analysis/tolerances.h"
#include "dynamics/coordinates.h"
#include "linalg/nnls.h"
#include "linalg/vector.h"
#include "model/axes.h"
#include "rows/contact_state.h"

/* Rounds of adding edges, and entries of the least squares up to which it is asked. */
enum { ROUNDS = 24, ENTRIES_MAX = 4000000 };

typedef struct search {
    const ss_contact_cone *c;
    int32_t                n, rows; /* coordinates of the island, and one more          */
    int32_t                columns, most;
    double                *A; /* (rows x columns)                                 */
    double                *b, *a, *left, *work;
    int32_t               *iwork;
    double                *x; /* (n) the motion, rotations times the body's arm   */
} search;

static ss_status make_room(search *s, ss_arena *a, bool *few)
{
    s->n        = s->c->sum.n;
    s->rows     = s->n + 1;
    s->most     = (s->c->sum.count + 1) * ROUNDS;
    size_t rows = (size_t)s->rows, most = (size_t)s->most;
    *few = rows * most <= ENTRIES_MAX;
    if (!*few) {
        return SS_OK;
    }
    s->A     = ss_arena_alloc(a, rows * most, sizeof *s->A);
    s->b     = ss_arena_alloc(a, rows, sizeof *s->b);
    s->a     = ss_arena_alloc(a, most, sizeof *s->a);
    s->left  = ss_arena_alloc(a, rows, sizeof *s->left);
    s->work  = ss_arena_alloc(a, ss_nnls_work(s->rows, s->most), sizeof *s->work);
    s->iwork = ss_arena_alloc(a, 2 * most, sizeof *s->iwork);
    s->x     = ss_arena_alloc(a, (size_t)s->n, sizeof *s->x);
    if (!s->A || !s->b || !s->a || !s->left || !s->work || !s->iwork || !s->x) {
        return SS_ERR_SCRATCH;
    }
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    memset(s->b, 0, rows * sizeof *s->b);
    s->b[s->n] = 1;
    return SS_OK;
}

/* A place for one more column; NULL: there is none. */
static double *add_column(search *s)
{
    return s->columns < s->most ? s->A + (ptrdiff_t)s->rows * s->columns++ : NULL;
}

static bool add_edge(search *s, const ss_cone_piece *p, const double *friction)
{
    double *to = add_column(s);
    if (to != NULL) {
        memcpy(to, p->W, (size_t)s->n * sizeof *to);
        to[s->n] = 0;
        for (int32_t k = 1; k < p->dim; k++) {
            ss_vector_add(s->n, to, friction[k - 1], p->W + (ptrdiff_t)k * s->n);
        }
    }
    return to != NULL;
}

/* Edges of the cones that do negative work in the motion; at rest (`all`) one of each. */
static bool add_edges(search *s, double least, bool all)
{
    bool any = false;
    for (int32_t i = 0; i < s->c->sum.count; i++) {
        const ss_cone_piece *p           = &s->c->pieces[i];
        double               friction[6] = {0};
        double               work        = ss_cone_lowest(p, s->n, s->x, friction);
        if (all || (p->dim > 1 && work < -least)) {
            any = add_edge(s, p, friction) || any;
        }
    }
    return any;
}

/* The load with the bounded friction that does most against the motion. */
static bool add_load(search *s, double least)
{
    double *to = s->columns < s->most ? s->A + (ptrdiff_t)s->rows * s->columns : NULL;
    if (to == NULL || ss_load_lowest(&s->c->set, s->n, s->x, to) >= s->left[s->n] - least) {
        return false;
    }
    to[s->n] = 1;
    s->columns++;
    return true;
}

/* The motion x of the last search; false: the load is balanced, or it was not found. */
static bool nearest(search *s)
{
    double size = 0;
    bool   more = true;
    for (int round = 0; round < ROUNDS && more; round++) {
        if (!ss_nnls(s->rows, s->columns, s->A, s->b, s->a, s->left, s->work, s->iwork)) {
            return false;
        }
        for (int32_t i = 0; i < s->n; i++) {
            s->x[i] = -s->left[i];
        }
        size = ss_vector_norm(s->n, s->x);
        if (size <= SS_BALANCED) {
            return false;
        }
        more = add_edges(s, SS_WITNESS_ROUNDING * size, false);
        more = add_load(s, SS_WITNESS_ROUNDING * size) || more;
    }
    return true;
}

/* Everything in parts of the load. */
static void scale_load(ss_contact_cone *c)
{
    for (int32_t i = 0; i < c->sum.n; i++) {
        c->load[i] /= c->loaded;
    }
    for (int32_t i = 0; i < c->set.count; i++) {
        c->disk_bound[i] /= c->loaded;
    }
}

/* x of the island's bodies as velocities, the fastest point at 1 m/s; others are at rest. */
static void put_motion(const ss_model *m, ss_data *d, const ss_island *isl, const double *x)
{
    double *w = d->witness.w, fastest = 0;
    memset(w, 0, (size_t)m->nv * sizeof *w);
    for (int32_t i = 0; i < isl->body_count; i++) {
        int32_t body = isl->bodies[i];
        double *to   = w + m->bodies[body].v_start;
        for (int32_t k = 0; k < m->bodies[body].dof; k++) {
            to[k] = x[i * m->dof + k] / ss_coordinate_scale(m, body, k);
        }
        fastest = fmax(fastest, ss_speed_of(m, body, to));
    }
    for (int32_t i = 0; i < m->nv; i++) {
        w[i] /= fastest;
    }
}

static ss_status search_island(const ss_model *m, ss_data *d, const ss_island *isl, ss_moment when,
                               bool *found)
{
    ss_contact_cone c;
    bool            few;
    SS_TRY(ss_contact_cone_gather(m, d, isl, when, &d->scratch, &c));
    search s = {.c = &c};
    if (!(c.loaded > 0)) {
        return SS_OK;
    }
    scale_load(&c);
    SS_TRY(make_room(&s, &d->scratch, &few));
    if (few) {
        s.left[s.n] = INFINITY; /* the load itself is the first point */
        add_load(&s, 0);
        add_edges(&s, 0, true);
        *found = nearest(&s);
    }
    if (*found) {
        put_motion(m, d, isl, s.x);
    }
    return SS_OK;
}

/* A body that nothing touches goes where it is pushed. */
static void follow_force(const ss_model *m, ss_data *d, int32_t body)
{
    ss_island alone = {.body_count = 1, .bodies = &body};
    double    f[6]  = {0};
    ss_wrench_to_vector(m, &d->applied[body], 1, f);
    for (int32_t k = 0; k < m->dof; k++) {
        f[k] /= ss_coordinate_scale(m, body, k);
    }
    put_motion(m, d, &alone, f);
}

/* ---- the proof is checked with the rows and forces themselves -------------------------------- */

static double power_on(const ss_model *m, const ss_data *d, int32_t body, const double *w)
{
    double f[6] = {0};
    ss_wrench_to_vector(m, &d->applied[body], 1, f);
    return ss_vector_dot(m->bodies[body].dof, f, w + m->bodies[body].v_start);
}

/* How fast the block moves in each of its rows, and how hard a unit force of its first pushes. */
static double rates_of(const ss_model *m, const ss_data *d, const ss_row_block *b, const double *w,
                       double u[6])
{
    double push = 0;
    for (int32_t k = 0; k < b->dim; k++) {
        const double *J = ss_row_side(m, &d->rows, b->row + k, 0);
        u[k]            = 0;
        for (int side = 0; side < b->sides; side++, J += m->dof) {
            for (int32_t c = 0; b->body[side] >= 0 && c < m->bodies[b->body[side]].dof; c++) {
                u[k] += J[c] * w[m->bodies[b->body[side]].v_start + c];
                double g = fabs(J[c]) / ss_coordinate_scale(m, b->body[side], c);
                push     = fmax(push, g);
            }
        }
    }
    return push;
}

/* The most that friction within a unit bound can do against the rates u. */
static double resistance(const ss_model *m, const double *u, int32_t count, bool bounded)
{
    double most = ss_vector_norm(count, u);
    if (!ss_cone_of(m)->flat || bounded) {
        return most;
    }
    most = 0;
    for (int32_t j = 0; count >= 2 && j < m->polygon.count; j++) {
        most = fmax(most, -ss_vector_dot(2, u, m->polygon.corner[j]));
    }
    for (int32_t k = count >= 2 ? 2 : 0; k < count; k++) {
        most = fmax(most, fabs(u[k]));
    }
    return most;
}

/* What a force of the block that pushes with 1 N can do against w: 0 of one that only helps. */
static double opposition(const ss_model *m, const ss_data *d, const ss_row_block *b,
                         const double *w)
{
    double u[6] = {0}, push = rates_of(m, d, b, w, u);
    if (!(push > 0) || b->kind == SS_BLOCK_DISK) {
        return 0;
    }
    if (b->kind == SS_BLOCK_EQUALITY) {
        return ss_vector_norm(b->dim, u) / push;
    }
    double friction = b->dim > 1 ? b->mu * resistance(m, u + 1, b->dim - 1, false) : 0;
    return fmax(0, friction - u[0]) / push;
}

/* Contacts that are apart oppose nothing where bodies are. */
static bool is_apart(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return b->source == SS_ROWS_CONTACT && !ss_gap_closed(m, d->contacts.items[b->index].gap);
}

bool ss_witness_holds(const ss_model *m, const ss_data *d, const double *w,
                      ss_balance_verdict verdict, double *power)
{
    double load = 0, worst = 0, gain = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            const ss_wrench *F = &d->applied[i];
            load += ss_norm(F->force) + ss_norm(F->torque) / ss_body_arm(m, i);
            gain += power_on(m, d, i, w);
        }
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        double              u[6];
        if (verdict == SS_BALANCE_NOWHERE || !is_apart(m, d, b)) {
            worst = fmax(worst, opposition(m, d, b, w));
        }
        if (b->kind == SS_BLOCK_DISK) {
            rates_of(m, d, b, w, u);
            gain -= b->bound / d->part * resistance(m, u, b->dim, true);
        }
    }
    *power = gain;
    return isfinite(gain) && gain > 0 && SS_WITNESS_FORCES * load * worst <= gain;
}

/* Is the motion a proof? If so, it is told of the body that the load does most work on. */
static void judge(const ss_model *m, ss_data *d, ss_balance_verdict verdict)
{
    double most = 0;
    if (!ss_witness_holds(m, d, d->witness.w, verdict, &d->witness.power)) {
        return;
    }
    d->witness.verdict = verdict;
    for (int32_t i = 0; i < m->nb; i++) {
        double power = ss_body_moves(&m->bodies[i]) ? power_on(m, d, i, d->witness.w) : 0;
        if (power > most) {
            most            = power;
            d->witness.body = i;
        }
    }
}

static ss_status search_all(const ss_model *m, ss_data *d, ss_moment when,
                            ss_balance_verdict verdict)
{
    for (int32_t i = 0; i < d->island_count && d->witness.verdict == SS_BALANCE_OPEN; i++) {
        size_t mark  = ss_arena_mark(&d->scratch);
        bool   found = false;
        SS_TRY(search_island(m, d, &d->islands[i], when, &found));
        ss_arena_release(&d->scratch, mark);
        if (found) {
            judge(m, d, verdict);
        }
    }
    return SS_OK;
}

ss_status ss_find_witness(const ss_model *m, ss_data *d)
{
    d->witness.verdict = SS_BALANCE_OPEN;
    if (d->motions.unheld >= 0) {
        follow_force(m, d, d->motions.unheld);
        judge(m, d, SS_BALANCE_NOWHERE);
    }
    SS_TRY(search_all(m, d, SS_IN_REACH, SS_BALANCE_NOWHERE));
    return search_all(m, d, SS_AT_START, SS_BALANCE_NOT_HERE);
}
