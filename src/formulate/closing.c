/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What friction may not resist: the closing of gaps that are errors of second order.
 *
 * A contact that was loaded in the last step had the linearised gap 0 at its end; the gap psi that
 * is there now is what curvature added. The bias b = psi/h of the normal rows closes it. A body on
 * several contacts may have no motion that closes the gaps and slides nowhere (a ball in the groove
 * between two spheres: its contact points cannot come closer to each other). The rows of sticking
 * contacts then contradict each other, some contact creeps at a speed of order h, and creep has
 * the friction of full slip: slip proper begins too early and the order of the scheme is lost.
 *
 * Among the motions x that close the gaps, J_n x = -b, one slides least:
 *
 *   min |J_t x|,   J_t x = -(W_tn W_nn^-1 b + S y) for any y,   S = W_tt - W_tn W_nn^-1 W_nt,
 *
 * so the least sliding is the part of g = W_tn W_nn^-1 b that is orthogonal to the range of S. The
 * friction rows get it as their bias: sliding counts from there. Where some motion closes the gaps
 * without sliding (always, for one contact) nothing changes. Contacts that slide anyway bear more
 * of it: contacts are weighted by 1 / (|g| + slip), so that those which stick keep still. Contacts
 * that bore no load in the last step have no gap of second order; they count where their gap is
 * rounding of where things start. (A gap that is plainly open, and that the forces of a step could
 * close, would turn round the friction of what slides beside it.)
 *
 * Nothing here may depend on how the tangents of a contact are turned in its plane. Rows that such
 * a turn mixes (t and o; the two of rolling friction) are a group: they share one scale and one
 * weight, and S is taken apart group by group, along the principal directions of what is left of
 * it.
 *
 * Only bodies with inertia need it. In the damped and quasistatic models velocities have no memory:
 * a gap that is left closes by as much as the forces of the step can close it, jams included.
 */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/closing.h"
#include "formulate/formulate.h"
#include "formulate/tolerances.h"
#include "linalg/rank.h"

/* Rows of the island that take part: normals of loaded contacts and joints, then friction. */
typedef struct part {
    int32_t  nn, nt;
    int32_t *row;   /* (nn + nt) in the island                       */
    int32_t *whole; /* (nn + nt) the same rows in d->rows            */
    int32_t *mate;  /* (nt) the other friction row of its group, or itself */
    double  *slip;  /* (nt) speed at which the contact of the row slides */
    double  *scale; /* (nn + nt) 1 / sqrt of W's diagonal, its mean over a group */
    double  *b;     /* (nn) what closes the gaps, in scaled rows     */
    double  *L;     /* (nn x nn) factor of W_nn                      */
    double  *B;     /* (nt x nn) W_tn L^-T; then (nt x rank): S = B B' */
    double  *S;     /* (nt x nt)                                     */
    double  *g;     /* (nt)                                          */
    double  *work;  /* (2 max(nn, nt))                               */
    int32_t *perm;  /* (nn)                                          */
} part;

/* What closes the gap of a block beside driven bodies that go evenly. */
static double own_bias(const ss_model *m, const ss_data *d, const ss_row_block *blk)
{
    const ss_contact *c = &d->contacts.items[blk->index];
    bool even           = m->driven && ss_contact_is_driven(m, c) && !ss_contact_is_uneven(m, d, c);
    return d->rows.bias[blk->row] - (even ? ss_driven_approach(m, d, c, d->midpoint.h) : 0);
}

/* The smaller of the bodies that touch; the scene's length for points. */
static double contact_size(const ss_model *m, const ss_contact *c)
{
    double a    = m->shapes[m->geoms[c->geom_a].body].size;
    double b    = m->shapes[m->geoms[c->geom_b].body].size;
    double size = fmin(a > 0 ? a : INFINITY, b > 0 ? b : INFINITY);
    return isfinite(size) ? size : m->length;
}

bool ss_closing_takes(const ss_model *m, const ss_data *d, const ss_row_block *blk)
{
    if (blk->source != SS_ROWS_CONTACT || blk->strikes || blk->spring > 0 || blk->left) {
        return false;
    }
    if (d->rows.impulse[blk->row] > 0) {
        return true;
    }
    const ss_contact *c      = &d->contacts.items[blk->index];
    double            pushed = ss_row_forced(m, d, blk, blk->row);
    return fabs(c->gap) <= SS_CLOSING_NEAR * contact_size(m, c) &&
           fabs(own_bias(m, d, blk)) <= fabs(pushed);
}

double ss_closing_error(const ss_model *m, const ss_data *d, const ss_row_block *blk)
{
    return ss_contact_is_uneven(m, d, &d->contacts.items[blk->index]) ? 0 : own_bias(m, d, blk);
}

bool ss_closing_has_work(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    if (isl->block_count < 2 || ss_geometry_of(m)->at_end || !ss_inertia_of(m)->momentum ||
        (d->midpoint.pass > 0 && d->midpoint.smooth[isl->bodies[0]])) {
        return false; /* rows in the middle of the step leave no gaps of second order */
    }
    int32_t rough = 0;
    bool    open  = false;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *blk = &d->rows.blocks[isl->blocks[i]];
        if (blk->source == SS_ROWS_CONTACT) {
            rough += blk->dim > 1;
            open = open || own_bias(m, d, blk) != 0;
        }
    }
    return open && rough > 1;
}

static ss_status allocate(ss_data *d, int32_t rows, part *p)
{
    size_t n  = (size_t)rows;
    p->row    = ss_arena_alloc(&d->scratch, n, sizeof *p->row);
    p->whole  = ss_arena_alloc(&d->scratch, n, sizeof *p->whole);
    p->perm   = ss_arena_alloc(&d->scratch, n, sizeof *p->perm);
    p->mate   = ss_arena_alloc(&d->scratch, n, sizeof *p->mate);
    p->scale  = ss_arena_alloc(&d->scratch, n, sizeof *p->scale);
    p->b      = ss_arena_alloc(&d->scratch, n, sizeof *p->b);
    p->slip   = ss_arena_alloc(&d->scratch, n, sizeof *p->slip);
    p->g      = ss_arena_alloc(&d->scratch, n, sizeof *p->g);
    p->work   = ss_arena_alloc(&d->scratch, 2 * n, sizeof *p->work);
    p->L      = ss_arena_alloc(&d->scratch, n * n, sizeof *p->L);
    p->B      = ss_arena_alloc(&d->scratch, n * n, sizeof *p->B);
    p->S      = ss_arena_alloc(&d->scratch, n * n, sizeof *p->S);
    bool some = p->row && p->whole && p->perm && p->scale && p->b && p->g && p->slip && p->work;
    return some && p->mate && p->L && p->B && p->S ? SS_OK : SS_ERR_SCRATCH;
}

static double diagonal(const ss_cone *cone, int32_t row)
{
    return cone->W.dense[(size_t)row * (size_t)(cone->n + 1)];
}

static void add_row(part *p, int32_t row, int32_t whole, double size)
{
    int32_t at   = p->nn + p->nt;
    p->row[at]   = row;
    p->whole[at] = whole;
    p->scale[at] = size > 0 ? 1 / sqrt(size) : 1;
}

/* Row k of a contact's `dim`, and its group: t with o, torsion alone, rolling about t and o. */
static void add_friction_row(part *p, const ss_cone *cone, int32_t start, int32_t whole, int32_t k,
                             int32_t dim)
{
    bool    paired = dim > 2 && k != 3;
    int32_t other  = !paired ? k : k % 3 == 1 ? k + 1 : k - 1;
    add_row(p, start + k, whole + k,
            0.5 * (diagonal(cone, start + k) + diagonal(cone, start + other)));
    p->mate[p->nt] = p->nt + other - k;
}

double ss_closing_slip(const ss_model *m, const ss_data *d, const ss_row_block *blk)
{
    double sum = 0;
    for (int32_t row = blk->row + 1; row < blk->row + blk->dim; row++) {
        double u = ss_row_rate(m, d, blk, row, d->v_now) + d->rows.drift[row];
        sum += u * u;
    }
    return sqrt(sum);
}

double ss_closing_slide(const ss_model *m, const ss_data *d, const ss_row_block *blk)
{
    double sum = 0;
    for (int32_t row = blk->row + 1;
         row < blk->row + (blk->dim < m->dimension ? blk->dim : m->dimension); row++) {
        double u = d->rows.bias[row] - d->rows.drift[row];
        sum += u * u;
    }
    return sqrt(sum);
}

/* Normal rows first. */
static void gather_rows(const ss_model *m, const ss_data *d, const ss_island *isl,
                        const ss_cone *cone, part *p)
{
    p->nn = p->nt = 0;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *blk   = &d->rows.blocks[isl->blocks[i]];
        int32_t             start = cone->blocks[i].start;
        if (blk->source == SS_ROWS_GIVE) {
            continue;
        }
        int32_t count = blk->kind == SS_BLOCK_EQUALITY ? blk->dim
                        : ss_closing_takes(m, d, blk)  ? 1
                                                       : 0;
        for (int32_t k = 0; k < count; k++) {
            add_row(p, start + k, blk->row + k, diagonal(cone, start + k));
            bool contact = blk->kind != SS_BLOCK_EQUALITY;
            p->b[p->nn]  = contact ? p->scale[p->nn] * ss_closing_error(m, d, blk) : 0;
            p->nn++;
        }
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *blk  = &d->rows.blocks[isl->blocks[i]];
        double              slip = ss_closing_takes(m, d, blk) ? ss_closing_slip(m, d, blk) : 0;
        for (int32_t k = 1; ss_closing_takes(m, d, blk) && k < blk->dim; k++) {
            add_friction_row(p, cone, cone->blocks[i].start, blk->row, k, blk->dim);
            p->slip[p->nt++] = slip;
        }
    }
}

/* W over the rows from, from + 1, ... and to, to + 1, ... of the part, scaled. */
static void copy_scaled(const part *p, const ss_cone *cone, int32_t from, int32_t rows, int32_t to,
                        int32_t cols, double *out)
{
    for (int32_t j = 0; j < cols; j++) {
        const double *column = cone->W.dense + (size_t)p->row[to + j] * (size_t)cone->n;
        for (int32_t i = 0; i < rows; i++) {
            *out++ = p->scale[from + i] * p->scale[to + j] * column[p->row[from + i]];
        }
    }
}

/* g = W_tn W_nn^-1 b and S; normals that depend on others are left out. */
static void eliminate_normals(part *p, const ss_cone *cone)
{
    int32_t nn = p->nn, nt = p->nt;
    copy_scaled(p, cone, 0, nn, 0, nn, p->L);
    int32_t rank = ss_dense_rank_cholesky(nn, p->L, nn, SS_CLOSING_DEPENDENT, p->perm, p->work);
    copy_scaled(p, cone, nn, nt, nn, nt, p->S);
    memset(p->g, 0, (size_t)nt * sizeof *p->g);
    for (int32_t k = 0; k < rank; k++) {
        double *column = p->B + (size_t)k * (size_t)nt;
        int32_t source = p->perm[k];
        double  y      = p->b[source];
        for (int32_t i = 0; i < nt; i++) {
            column[i] =
                p->scale[nn + i] * p->scale[source] *
                cone->W.dense[(size_t)p->row[source] * (size_t)cone->n + (size_t)p->row[nn + i]];
        }
        for (int32_t j = 0; j < k; j++) {
            double l = p->L[(size_t)j * (size_t)nn + (size_t)k];
            y -= l * p->work[j];
            for (int32_t i = 0; i < nt; i++) {
                column[i] -= l * p->B[(size_t)j * (size_t)nt + (size_t)i];
            }
        }
        double pivot = p->L[(size_t)k * (size_t)(nn + 1)];
        p->work[k]   = y / pivot;
        for (int32_t i = 0; i < nt; i++) {
            column[i] /= pivot;
            p->g[i] += column[i] * p->work[k];
        }
        for (int32_t j = 0; j < nt; j++) {
            for (int32_t i = 0; i < nt; i++) {
                p->S[(size_t)j * (size_t)nt + (size_t)i] -= column[i] * column[j];
            }
        }
    }
}

/* Weights in the place of slip speeds; the largest are bounded to keep rounding small. */
static void weigh(part *p)
{
    double most = 0;
    for (int32_t i = 0; i < p->nt; i++) {
        double other = p->mate[i] != i ? p->g[p->mate[i]] : 0;
        most         = fmax(most, ss_hypot(p->g[i], other) / p->scale[p->nn + i]);
    }
    for (int32_t i = 0; i < p->nt; i++) {
        double weight = ss_closing_weight(p->slip[i], most);
        p->slip[i]    = weight / p->scale[p->nn + i];
    }
}

/* The direction in a group along which S is largest: S along it; e over row i and its mate. */
static double principal(const part *p, int32_t i, double e[2])
{
    const size_t  n = (size_t)p->nt;
    const int32_t k = p->mate[i];
    double        a = p->S[(size_t)i * (n + 1)], d = p->S[(size_t)k * (n + 1)];
    double        b = p->S[(size_t)i * n + (size_t)k];
    e[0] = 1, e[1] = 0;
    if (k == i) {
        return a;
    }
    double half = 0.5 * (a - d), radius = ss_hypot(half, b), size = 0.5 * (a + d) + radius;
    double x = half >= 0 ? radius + half : b, y = half >= 0 ? b : radius - half;
    double length = ss_hypot(x, y);
    if (length > 0) {
        e[0] = x / length;
        e[1] = y / length;
    }
    return size;
}

/* S = B B' as far as its pivots are more than rounding; returns how many columns B has. */
static int32_t factor_groups(part *p)
{
    const size_t n    = (size_t)p->nt;
    int32_t      rank = 0;
    for (; rank < p->nt; rank++) {
        double  most = 0, e[2] = {0, 0}, *x = p->B + (size_t)rank * n;
        int32_t at = -1;
        for (int32_t i = 0; i < p->nt; i++) {
            double along[2] = {0, 0}, size = p->mate[i] >= i ? principal(p, i, along) : 0;
            if (size > most) {
                most = size, at = i;
                e[0] = along[0], e[1] = along[1];
            }
        }
        if (!(most > SS_CLOSING_DEPENDENT)) {
            return rank;
        }
        const double *s = p->S + (size_t)at * n, *t = p->S + (size_t)p->mate[at] * n;
        for (size_t i = 0; i < n; i++) {
            x[i] = (e[0] * s[i] + (e[1] != 0 ? e[1] * t[i] : 0)) / sqrt(most);
        }
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                p->S[j * n + i] -= x[i] * x[j];
            }
        }
    }
    return rank;
}

/* g := its part orthogonal to the columns of B, all weighted (Gram-Schmidt). */
static void leave_what_slides(part *p, int32_t rank)
{
    int32_t nt = p->nt;
    for (int32_t i = 0; i < nt; i++) {
        p->g[i] *= p->slip[i];
    }
    for (int32_t k = 0; k < rank; k++) {
        double *x = p->B + (size_t)k * (size_t)nt, length = 0;
        for (int32_t i = 0; i < nt; i++) {
            x[i] *= p->slip[i];
        }
        for (int32_t j = 0; j <= k; j++) {
            const double *y   = p->B + (size_t)j * (size_t)nt;
            double        dot = 0;
            for (int32_t i = 0; i < nt; i++) {
                dot += x[i] * y[i];
            }
            length = dot;
            for (int32_t i = 0; j < k && i < nt; i++) {
                x[i] -= dot * y[i];
            }
        }
        length     = sqrt(length);
        double dot = 0;
        for (int32_t i = 0; i < nt; i++) {
            x[i] /= length;
            dot += x[i] * p->g[i];
        }
        for (int32_t i = 0; i < nt; i++) {
            p->g[i] -= dot * x[i];
        }
    }
}

ss_status ss_let_gaps_close(const ss_model *m, ss_data *d, ss_island *isl, double *q)
{
    if (!ss_closing_has_work(m, d, isl)) {
        return SS_OK;
    }
    part p;
    SS_TRY(allocate(d, isl->row_count, &p));
    gather_rows(m, d, isl, &isl->cone.as.cone, &p);
    eliminate_normals(&p, &isl->cone.as.cone);
    int32_t rank = factor_groups(&p);
    if (rank == p.nt) {
        return SS_OK;
    }
    weigh(&p);
    leave_what_slides(&p, rank);
    for (int32_t i = 0; i < isl->block_count; i++) {
        ss_row_block *blk = &d->rows.blocks[isl->blocks[i]];
        blk->closes       = ss_closing_takes(m, d, blk);
    }
    for (int32_t i = 0; i < p.nt; i++) {
        double slide = p.g[i] / (p.slip[i] * p.scale[p.nn + i]);
        q[p.row[p.nn + i]] += slide;
        d->rows.bias[p.whole[p.nn + i]] += slide;
    }
    return SS_OK;
}
