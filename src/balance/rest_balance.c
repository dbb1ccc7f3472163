/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impulses that balance the load of an island at rest (rest.c):
 *
 *   p of what may bear in its cone, of friction with a bound within it, r of any sign of the rows
 *   that hold joints, with  J'p + J_e'r = -F                                             (1)
 *
 * What of F and J' joints leave is found first (allowed.h); then p by nonnegative least squares
 * over the edges of the cones (in space of a polygon of 16 sides drawn into each, of balls a
 * polyhedron, and where these are too narrow of the edges that do most against what is left, until
 * it balances or a few were tried), friction within a bound g as far as sum x_k + s = g with a
 * slack s >= 0; then r.
 */
#include <string.h>

#include "balance/seat.h"
#include "balance/tolerances.h"
#include "core/elementary.h"
#include "linalg/nnls.h"
#include "linalg/vector.h"

/* Entries of the largest least-squares problem up to which rest is looked for; balances that are
   tried: of islands with few blocks more. */
enum { ENTRIES_MAX = 8000000, TRIES = 8, FEW_BLOCKS = 24, FEW_TRIES = 48 };

/* Products that may be made to look for rest of one island: less than a second. It is looked for
   once, what it finds holds in the steps after. */
static const double products_max = 2e9;

static bool is_spent(void *user)
{
    ss_seat *s = user;
    s->may_cost -= s->turn;
    return s->may_cost < 0;
}

bool ss_seat_least_squares(ss_seat *s, int32_t rows, int32_t columns, const double *A,
                           const double *b, double *x, double *left, double *work, int32_t *iwork)
{
    s->turn = (double)rows * (columns + 2.0 * rows); /* a look at all, and Gram-Schmidt twice */
    return ss_nnls_from(rows, columns, A, b, x, left, work, iwork, is_spent, s);
}

static int32_t most_columns(const ss_row_block *b)
{
    if (ss_block_one_way(b)) {
        return b->dim < 3 ? 2 : SS_DISK_SIDES + SS_SEAT_STEEPER;
    }
    return b->kind == SS_BLOCK_DISK
               ? (b->dim < 3 ? SS_DISK_SIDES : SS_BALL_EDGES) + 1 + SS_SEAT_STEEPER
               : 0;
}

/* Room to ask whether rest obeys the laws. */
ss_status ss_seat_make_room(ss_seat *s)
{
    ss_arena *a = &s->d->scratch;
    size_t    n = (size_t)s->isl->row_count;
    s->bodies   = s->isl->body_count * s->m->dof;
    s->known    = ss_arena_alloc(a, n, sizeof *s->known);
    s->r        = ss_arena_alloc(a, n, sizeof *s->r);
    s->v        = ss_arena_alloc(a, (size_t)s->m->nv, sizeof *s->v);
    s->may      = ss_arena_alloc(a, (size_t)s->isl->block_count, sizeof *s->may);
    return s->known && s->r && s->v && s->may ? SS_OK : SS_ERR_SCRATCH;
}

/* .. and to look for it; *few: it is not too much. What joints allow is found. */
ss_status ss_seat_make_room_to_look(ss_seat *s, bool *few)
{
    ss_arena *a    = &s->d->scratch;
    int32_t   cols = 1, bounds = 0, holding = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        cols += most_columns(ss_seat_block(s, i));
        bounds += ss_seat_block(s, i)->kind == SS_BLOCK_DISK;
        holding += ss_block_holds(ss_seat_block(s, i)) ? ss_seat_block(s, i)->dim : 0;
    }
    s->rows     = s->bodies + bounds;
    size_t rows = (size_t)s->rows + 1, n = (size_t)cols;
    size_t more = 2 * (size_t)s->isl->block_count; /* of the motion that rest is weighed against */
    *few        = (rows + more) * (n + more) <= ENTRIES_MAX &&
           4.0 * holding * holding * s->bodies <= products_max; /* what joints allow */
    if (!*few) {
        return SS_OK;
    }
    s->load    = ss_arena_alloc(a, rows, sizeof *s->load);
    s->pull    = ss_arena_alloc(a, rows, sizeof *s->pull);
    s->A       = ss_arena_alloc(a, rows * n, sizeof *s->A);
    s->block   = ss_arena_alloc(a, n, sizeof *s->block);
    s->edge    = ss_arena_alloc(a, n, sizeof *s->edge);
    s->x       = ss_arena_alloc(a, n, sizeof *s->x);
    s->left    = ss_arena_alloc(a, 2 * rows, sizeof *s->left);
    s->cuts    = (size_t)s->isl->block_count * SS_SEAT_CUTS * 3;
    s->shut    = ss_arena_alloc(a, s->cuts, sizeof *s->shut);
    s->steep   = ss_arena_alloc(a, (size_t)s->isl->block_count * SS_SEAT_STEEPER, sizeof *s->steep);
    s->steeper = 0;
    s->work    = ss_arena_alloc(a, ss_nnls_work(s->rows + 1, cols), sizeof *s->work);
    s->iwork   = ss_arena_alloc(a, 2 * n, sizeof *s->iwork);
    s->may_cost = products_max;
    s->tries    = s->isl->block_count > FEW_BLOCKS ? TRIES : FEW_TRIES;
    if (!s->load || !s->pull || !s->A || !s->block || !s->edge || !s->x || !s->left || !s->work ||
        !s->iwork || !s->shut || !s->steep) {
        return SS_ERR_SCRATCH;
    }
    memset(s->shut, 0, s->cuts * sizeof *s->shut);
    return ss_allowed_find(s->m, s->d, s->isl, NULL, &s->allowed);
}

/* A column of block i: impulses `edge` of its first rows, within bound number `bound` (-1: none).
 */
static void add_column(ss_seat *s, int32_t i, const double edge[3], int32_t bound)
{
    const ss_row_block *b      = ss_seat_block(s, i);
    double             *column = s->A + (ptrdiff_t)s->columns * s->rows;
    memset(column, 0, (size_t)s->rows * sizeof *column);
    for (int32_t c = 0; c < b->dim && c < 3; c++) {
        if (edge[c] != 0) {
            ss_add_scaled_row(s->m, s->d, b, b->row + c, edge[c], column);
        }
    }
    ss_allowed_force(&s->allowed, column);
    if (bound >= 0) { /* in the units of the load, as the balance is */
        column[s->bodies + bound] = ss_vector_norm(s->bodies, s->load) / b->bound;
    }
    s->block[s->columns] = i;
    memcpy(s->edge[s->columns], edge, sizeof s->edge[0]);
    s->columns++;
}

static const double side_turn =
    6.283185307179586 / SS_DISK_SIDES; /* between two of its directions */

/* .. of friction with a bound, unless it may not push that way. */
static void add_way(ss_seat *s, int32_t i, const double edge[3], int32_t bound)
{
    const double *shut = s->shut + 3 * (ptrdiff_t)i * SS_SEAT_CUTS;
    for (int32_t k = 0; k < SS_SEAT_CUTS; k++, shut += 3) {
        if (ss_vector_dot(3, edge, shut) > 0) {
            return;
        }
    }
    add_column(s, i, edge, bound);
}

int32_t ss_disk_edges(int32_t dim, double edge[SS_BALL_EDGES][3])
{
    int32_t count = 0;
    memset(edge, 0, SS_BALL_EDGES * sizeof edge[0]);
    for (int32_t k = 0; k < 2 && dim != 2; k++) { /* in space: the poles */
        edge[count++][dim == 1 ? 0 : 2] = k == 0 ? 1 : -1;
    }
    for (int32_t k = 0; k < SS_DISK_SIDES && dim == 2; k++) {
        edge[count][0]   = ss_cos(side_turn * k);
        edge[count++][1] = ss_sin(side_turn * k);
    }
    for (int32_t k = 0; k < SS_BALL_RINGS * SS_DISK_SIDES && dim == 3; k++) {
        int    ring = k / SS_DISK_SIDES - SS_BALL_RINGS / 2;
        double up = side_turn * ring, c = ss_cos(up);
        edge[count][0]   = c * ss_cos(side_turn * (k % SS_DISK_SIDES));
        edge[count][1]   = c * ss_sin(side_turn * (k % SS_DISK_SIDES));
        edge[count++][2] = ss_sin(up);
    }
    return count;
}

static void add_disk(ss_seat *s, int32_t i, int32_t bound)
{
    double  edge[SS_BALL_EDGES][3];
    int32_t count = ss_disk_edges(ss_seat_block(s, i)->dim, edge);
    for (int32_t k = 0; k < count; k++) {
        add_way(s, i, edge[k], bound);
    }
    for (int32_t k = 0; k < s->steeper; k++) {
        const double *steep = s->steep[i * SS_SEAT_STEEPER + k];
        if (ss_vector_norm(3, steep) > 0) {
            add_way(s, i, steep, bound);
        }
    }
    add_column(s, i, (double[3]){0}, bound); /* the slack */
}

static void add_cone(ss_seat *s, int32_t i)
{
    const ss_row_block *b     = ss_seat_block(s, i);
    int32_t             sides = b->dim == 1 || b->mu == 0 ? 1 : b->dim == 2 ? 2 : SS_DISK_SIDES;
    for (int32_t k = 0; k < sides; k++) {
        double mu = sides > 1 ? b->mu : 0;
        double t  = sides == 2 ? (k == 0 ? mu : -mu) : mu * ss_cos(side_turn * k);
        add_column(s, i, (double[3]){1, t, sides == 2 ? 0 : mu * ss_sin(side_turn * k)}, -1);
    }
    for (int32_t k = 0; k < s->steeper && sides > 2; k++) {
        const double *steep = s->steep[i * SS_SEAT_STEEPER + k];
        if (steep[0] > 0) {
            add_column(s, i, steep, -1);
        }
    }
}

static void gather_columns(ss_seat *s)
{
    int32_t bound = 0;
    s->columns    = 0;
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        bool disk = ss_seat_block(s, i)->kind == SS_BLOCK_DISK;
        if (s->may[i] && disk) {
            add_disk(s, i, bound);
        } else if (s->may[i]) {
            add_cone(s, i);
        }
        bound += disk;
    }
}

/* Impulses of the columns, those that are known, and what joints bear of them and of the load. */
static void gather_reactions(ss_seat *s)
{
    double *f = s->left; /* no longer needed */
    for (int32_t i = 0; i < s->bodies; i++) {
        f[i] = -s->load[i];
    }
    memcpy(s->r, s->known, (size_t)s->isl->row_count * sizeof *s->r);
    for (int32_t i = 0, row = 0, k = 0; i < s->isl->block_count;
         row += ss_seat_block(s, i++)->dim) {
        const ss_row_block *b = ss_seat_block(s, i);
        for (; k < s->columns && s->block[k] == i; k++) {
            for (int32_t c = 0; c < b->dim && c < 3; c++) {
                s->r[row + c] += s->x[k] * s->edge[k][c];
            }
        }
        for (int32_t c = 0; c < b->dim && s->may[i] && s->allowed.rank > 0; c++) {
            ss_add_scaled_row(s->m, s->d, b, b->row + c, -s->r[row + c], f);
        }
    }
    ss_allowed_reactions(&s->allowed, f, s->r);
}

/* b = -F, and of friction that may bear its bound. */
static double *gather_goal(const ss_seat *s)
{
    double *b = s->left + s->rows + 1;
    for (int32_t i = 0; i < s->bodies; i++) {
        b[i] = -s->pull[i];
    }
    for (int32_t i = 0, bound = s->bodies; i < s->isl->block_count; i++) {
        if (ss_seat_block(s, i)->kind == SS_BLOCK_DISK) {
            b[bound++] = s->may[i] ? ss_vector_norm(s->bodies, s->load) : 0;
        }
    }
    b[s->rows] = 0; /* of one more row */
    return b;
}

/*
 * The edge of the cone or ball of block i, not of the polygon in it, that does most against what is
 * left of the load: friction along what its rows have of that. All zero: there is none.
 */
static void steepest_edge(ss_seat *s, int32_t i, double edge[3])
{
    const ss_row_block *b     = ss_seat_block(s, i);
    int32_t             first = ss_block_one_way(b);
    double             *row   = s->A + (ptrdiff_t)s->columns * s->rows; /* room for one more */
    memset(edge, 0, 3 * sizeof *edge);
    for (int32_t c = first; c < b->dim && c < 3 && b->dim - first > 1; c++) {
        memset(row, 0, (size_t)s->rows * sizeof *row);
        ss_add_scaled_row(s->m, s->d, b, b->row + c, 1, row);
        ss_allowed_force(&s->allowed, row);
        edge[c] = ss_vector_dot(s->bodies, row, s->left);
    }
    double length = ss_vector_norm(3, edge), bound = first ? b->mu : 1;
    for (int32_t c = 0; c < 3 && length > 0; c++) {
        edge[c] *= bound / length;
    }
    edge[0] = first && length > 0 ? 1 : edge[0];
}

/* Where polygons are too narrow: one more edge of each cone. False: there are none to add. */
static bool add_steepest(ss_seat *s)
{
    bool any = false;
    if (s->steeper == SS_SEAT_STEEPER) {
        return false;
    }
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        double *edge = s->steep[i * SS_SEAT_STEEPER + s->steeper];
        memset(edge, 0, sizeof s->steep[0]);
        if (s->may[i] &&
            (ss_block_one_way(ss_seat_block(s, i)) || ss_seat_block(s, i)->kind == SS_BLOCK_DISK)) {
            steepest_edge(s, i, edge);
            any = any || ss_vector_norm(3, edge) > 0;
        }
    }
    s->steeper++;
    return any;
}

static bool balances(ss_seat *s, const double *b)
{
    memset(s->x, 0, (size_t)s->columns * sizeof *s->x);
    return ss_seat_least_squares(s, s->rows, s->columns, s->A, b, s->x, s->left, s->work,
                                 s->iwork) &&
           ss_vector_norm(s->rows, s->left) <= ss_rest_balance * ss_vector_norm(s->bodies, s->load);
}

/*
 * Of the columns, those that the balance with the least sum of impulses needs: one more row asks
 * for the sum to be zero, with little weight. Bodies that press each other in a ring bear nothing
 * in it.
 */
static void choose_columns(ss_seat *s, const double *b)
{
    const int32_t m = s->rows;
    for (int32_t k = s->columns - 1; k >= 0; k--) {
        double *to    = s->A + (ptrdiff_t)k * (m + 1);
        bool    slack = ss_vector_norm(3, s->edge[k]) == 0;
        memmove(to, s->A + (ptrdiff_t)k * m, (size_t)m * sizeof *to);
        const ss_row_block *of = ss_seat_block(s, s->block[k]);
        to[m]                  = slack ? 0 : ss_rest_frugal * ss_block_push(s->m, s->d, of);
    }
    memset(s->x, 0, (size_t)s->columns * sizeof *s->x);
    bool found =
        ss_seat_least_squares(s, m + 1, s->columns, s->A, b, s->x, s->left, s->work, s->iwork);
    int32_t kept = 0;
    for (int32_t k = 0; k < s->columns; k++) {
        if (!found || s->x[k] > 0 || ss_seat_block(s, s->block[k])->kind == SS_BLOCK_DISK) {
            memmove(s->A + (ptrdiff_t)kept * m, s->A + (ptrdiff_t)k * (m + 1),
                    (size_t)m * sizeof *s->A);
            memmove(s->edge[kept], s->edge[k], sizeof s->edge[0]);
            s->block[kept++] = s->block[k];
        }
    }
    s->columns = kept;
}

/* Reactions r, block by block in the order of the island, that balance the load. */
bool ss_seat_balance(ss_seat *s)
{
    bool found = false, more = true;
    for (s->steeper = 0; more && !found; more = !found && add_steepest(s)) {
        const double *b = gather_goal(s);
        gather_columns(s);
        found = balances(s, b);
    }
    if (found) {
        gather_reactions(s);
    }
    return found;
}

/* .. with little more than it takes, by the edges at hand. */
static bool balances_frugally(ss_seat *s)
{
    const double *b = gather_goal(s);
    gather_columns(s);
    choose_columns(s, b);
    bool found = balances(s, b);
    if (found) {
        gather_reactions(s);
    }
    return found;
}

bool ss_seat_balance_frugally(ss_seat *s)
{
    s->steeper = 0;
    if (balances_frugally(s)) {
        return true;
    }
    if (!ss_seat_balance(s)) {
        return false;
    }
    return s->steeper == 0 || balances_frugally(s) || ss_seat_balance(s);
}
