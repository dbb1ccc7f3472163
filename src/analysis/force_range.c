/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which impulses does the motion determine? Every p with the same effect on the bodies,
 *
 *   J'p = J'p*,
 *
 * that obeys the same laws as the solution p* with the same velocities u:
 *
 *   contact open (u_n > 0)       p = 0
 *   contact sliding              p_n >= 0, p_f = -mu p_n u_f / |u_f|
 *   contact sticking             p_n >= 0, |p_f| <= mu p_n          (inscribed polygon)
 *   disk sliding / sticking      p fixed / |p| <= bound             (inscribed polygon)
 *   equality rows                p free
 *   contact that gives           p fixed: the force of its deflection
 *
 * is as good as p*. These are linear constraints, so each impulse's range is two linear programs.
 */
#include <math.h>
#include <string.h>

#include "analysis/lp.h"
#include "analysis/tolerances.h"
#include "core/constants.h"
#include "core/elementary.h"
#include "dynamics/coordinates.h"
#include "rows/contact_state.h"
#include "stickslip/analysis.h"

enum { CORNERS = 32 };

typedef struct program {
    const ss_model *m;
    const ss_data  *d;
    int32_t         rows, cols;
    double         *A; /* (rows x cols) column-major */
    double         *row_low, *row_high, *low, *high;
    double          scale; /* impulses are divided by it */
} program;

static bool slides(const program *P, const ss_row_block *b)
{
    return b->spring == 0 && ss_block_slips(P->m, P->d, b, P->d->part);
}

static bool polygon_needed(const program *P, const ss_row_block *b)
{
    int32_t rows = b->dim - ss_friction_start(b);
    return rows >= 1 && b->spring == 0 && !slides(P, b);
}

static int32_t corner_count(const ss_row_block *b)
{
    return b->dim - ss_friction_start(b) == 1 ? 2 : CORNERS;
}

static int32_t count_rows(const program *P)
{
    int32_t rows = P->m->nv;
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        if (polygon_needed(P, b)) {
            rows += corner_count(b);
        } else if (slides(P, b)) {
            rows += b->dim - ss_friction_start(b);
        }
    }
    return rows;
}

/* J'p = J'p*, each row divided by its largest entry. */
static void balance_rows(program *P)
{
    const ss_model *m = P->m;
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        for (int32_t k = 0; k < b->dim; k++) {
            const double *J = ss_row_side(m, &P->d->rows, b->row + k, 0);
            for (int side = 0; side < b->sides; side++) {
                for (int32_t c = 0; b->body[side] >= 0 && c < m->dof; c++) {
                    int32_t row = m->bodies[b->body[side]].v_start + c;
                    P->A[row + (ptrdiff_t)(b->row + k) * P->rows] = J[side * m->dof + c];
                }
            }
        }
    }
    for (int32_t r = 0; r < m->nv; r++) {
        double largest = 0, sum = 0;
        for (int32_t c = 0; c < P->cols; c++) {
            largest = fmax(largest, fabs(P->A[r + (ptrdiff_t)c * P->rows]));
        }
        for (int32_t c = 0; largest > 0 && c < P->cols; c++) {
            P->A[r + (ptrdiff_t)c * P->rows] /= largest;
            sum += P->A[r + (ptrdiff_t)c * P->rows] * P->d->rows.impulse[c] / P->scale;
        }
        P->row_low[r] = P->row_high[r] = sum;
    }
}

/* Where the friction of the solution points, from the first of its two rows. */
static double friction_angle(const program *P, int32_t first)
{
    double t = P->d->rows.impulse[first], o = P->d->rows.impulse[first + 1];
    return t != 0 || o != 0 ? ss_atan2(o, t) : 0;
}

/*
 * Rows of the polygon |p_f| <= bound, from row `at` on; gives the next free row. It is turned so
 * that one of its corners lies on the friction of the solution: friction at its limit, which any
 * other polygon may cut off and leave nothing possible, is a point of it.
 */
static int32_t polygon_rows(program *P, const ss_row_block *b, int32_t at)
{
    int32_t first = b->row + ss_friction_start(b), n = corner_count(b);
    double  edge = n == 2 ? 1 : ss_cos(SS_TURN / (2 * n));
    double  turn = n == 2 ? 0 : friction_angle(P, first) + SS_TURN / (2 * n);
    for (int32_t j = 0; j < n; j++, at++) {
        double angle                          = turn + SS_TURN * j / n;
        P->A[at + (ptrdiff_t)first * P->rows] = n == 2 ? (j == 0 ? 1 : -1) : ss_cos(angle);
        if (n > 2) {
            P->A[at + (ptrdiff_t)(first + 1) * P->rows] = ss_sin(angle);
        }
        P->row_low[at] = -INFINITY;
        if (b->kind == SS_BLOCK_CONE) {
            P->A[at + (ptrdiff_t)b->row * P->rows] = -b->mu * edge;
            P->row_high[at]                        = 0;
        } else {
            P->row_high[at] = b->bound * edge / P->scale;
        }
    }
    return at;
}

/*
 * A sliding cone's friction follows its normal impulse; a sliding disk's is what it is. In the
 * direction that it has in the solution: slip of a step in its middle is not told as exactly, and
 * another direction would leave nothing possible.
 */
static int32_t sliding_rows(program *P, const ss_row_block *b, int32_t at)
{
    int32_t       first = ss_friction_start(b);
    const double *p = P->d->rows.impulse + b->row, *u = P->d->rows.velocity + b->row;
    double        speed = ss_friction_norm(b, u);
    for (int32_t k = first; k < b->dim; k++, at++) {
        P->A[at + (ptrdiff_t)(b->row + k) * P->rows] = 1;
        P->row_low[at] = P->row_high[at] = 0;
        if (b->kind == SS_BLOCK_CONE) {
            P->A[at + (ptrdiff_t)b->row * P->rows] = p[0] > 0 ? -p[k] / p[0] : b->mu * u[k] / speed;
        } else {
            P->row_low[at] = P->row_high[at] = p[k] / P->scale;
        }
    }
    return at;
}

/* Normal impulses push only, and only where the contact is closed at the end of the step. */
static void normal_bounds(program *P, const ss_row_block *b)
{
    bool contact    = b->source == SS_ROWS_CONTACT;
    bool closed     = !contact || ss_gap_closed(P->m, ss_block_gap(P->d, b, P->d->part));
    P->low[b->row]  = 0;
    P->high[b->row] = closed ? INFINITY : 0;
}

static void fill(program *P)
{
    int32_t at = P->m->nv;
    balance_rows(P);
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        for (int32_t k = 0; k < b->dim; k++) {
            double p            = P->d->rows.impulse[b->row + k] / P->scale;
            P->low[b->row + k]  = b->spring > 0 ? p : -INFINITY;
            P->high[b->row + k] = b->spring > 0 ? p : INFINITY;
        }
        if (b->spring > 0) {
            continue;
        }
        if (b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL) {
            normal_bounds(P, b);
        }
        if (polygon_needed(P, b)) {
            at = polygon_rows(P, b, at);
        } else if (slides(P, b)) {
            at = sliding_rows(P, b, at);
        }
    }
}

static void range_of(program *P, ss_lp *lp, double *c, int32_t row, double *low, double *high)
{
    double value = 0, p = P->d->rows.impulse[row];
    c[row] = 1;
    *low   = ss_lp_minimise(lp, c, &value, NULL) == SS_LP_OPTIMAL ? value * P->scale : -INFINITY;
    c[row] = -1;
    *high  = ss_lp_minimise(lp, c, &value, NULL) == SS_LP_OPTIMAL ? 0 - value * P->scale : INFINITY;
    c[row] = 0;
    /* The solution itself is always possible: the polygon may have cut it off. */
    *low  = fmin(*low, p);
    *high = fmax(*high, p);
}

static void ranges(program *P, ss_lp *lp, double *c, ss_force_range *out, int32_t capacity)
{
    for (int32_t i = 0; i < P->d->rows.nblocks; i++) {
        const ss_row_block *b = &P->d->rows.blocks[i];
        if (b->source != SS_ROWS_CONTACT || b->index >= capacity) {
            continue;
        }
        ss_force_range *r = &out[b->index];
        *r                = (ss_force_range){
                           .contact = b->index, .count = b->dim, .unique = true, .normal_unique = true};
        for (int32_t k = 0; k < b->dim && k < 6; k++) {
            range_of(P, lp, c, b->row + k, &r->low[k], &r->high[k]);
            r->low[k] = k == 0 ? fmax(r->low[k], 0) : r->low[k]; /* not -0.000..., by rounding */
            bool one  = r->high[k] - r->low[k] <= SS_ONE_FORCE * P->scale;
            r->unique = r->unique && one;
            r->normal_unique = r->normal_unique && (k > 0 || one);
        }
    }
}

/* Of a step that was taken in parts, the last is what is asked about; the others have what they
   have. */
static void add_parts(const ss_data *d, ss_force_range *out, int32_t capacity)
{
    int32_t count = d->contacts.count, gone = ss_gone_contacts(d);
    for (int32_t i = 0; i < count && i < capacity; i++) {
        const ss_row_block  *b  = &d->rows.blocks[i];
        const ss_told_block *of = ss_told_of(d, b);
        for (int32_t k = 0; of != NULL && k < b->dim && k < 6; k++) {
            double before = of->impulse[k] - d->rows.impulse[b->row + k];
            out[i].low[k] += before;
            out[i].high[k] += before;
        }
    }
    for (int32_t i = count; i < count + gone && i < capacity; i++) {
        const ss_told_block *of = ss_gone_contact(d, i - count);
        out[i] = (ss_force_range){.contact = i, .count = of->last.impulse_count, .unique = true};
        for (int32_t k = 0; k < of->last.impulse_count && k < 6; k++) {
            out[i].low[k] = out[i].high[k] = of->impulse[k];
        }
    }
}

ss_status ss_analyze_forces(const ss_model *m, const ss_data *d, ss_force_range *out,
                            int32_t capacity)
{
    program P = {.m = m, .d = d, .cols = d->rows.nrows};
    for (int32_t i = 0; i < d->rows.nrows; i++) {
        P.scale = fmax(P.scale, fabs(d->rows.impulse[i]));
    }
    if (P.cols == 0 || P.scale == 0) {
        for (int32_t i = 0; i < capacity && i < d->contacts.count; i++) {
            out[i] =
                (ss_force_range){.contact = i, .count = 1, .unique = true, .normal_unique = true};
        }
        add_parts(d, out, capacity);
        return SS_OK;
    }
    P.rows       = count_rows(&P);
    size_t sizes = (size_t)P.rows * (size_t)P.cols + 2 * (size_t)P.rows + 3 * (size_t)P.cols;
    P.A          = ss_alloc(d->ctx, sizes, sizeof *P.A);
    if (P.A == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the analysis of %d contacts",
                       d->contacts.count);
    }
    P.row_low  = P.A + (size_t)P.rows * (size_t)P.cols;
    P.row_high = P.row_low + P.rows;
    P.low      = P.row_high + P.rows;
    P.high     = P.low + P.cols;
    double *c  = P.high + P.cols;
    ss_lp  *lp = NULL;
    fill(&P);
    ss_status status =
        ss_lp_create(d->ctx, P.rows, P.cols, P.A, P.row_low, P.row_high, P.low, P.high, &lp);
    if (status == SS_OK) {
        ranges(&P, lp, c, out, capacity);
        add_parts(d, out, capacity);
    }
    ss_lp_destroy(lp);
    ss_free(d->ctx, P.A, sizes * sizeof *P.A);
    return status;
}
