/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joints: projected. After the step the bodies are moved along the reactions of the joints until
 * the joints are closed (coordinate projection, thesis 2.5.1.1):
 *
 *   phi(q+ + h A^-1 J'l) = 0,     v+ := v+ + A^-1 J'l
 *
 * by Newton's method with the matrix J A^-1 J' of the start of the step, which is at hand as a
 * factor. J is that of the start of the step as well and the velocity moves with the position: the
 * scheme that results, semi-implicit Euler with joints closed at the end of the step, is that of
 * Ryckaert, Ciccotti and Berendsen (1977), which keeps energy to second order. Moving the position
 * alone would brake every rotation at first order.
 */
#include <math.h>
#include <string.h>

#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "joint/joint.h"
#include "problem/reduce.h"
#include "recover/tolerances.h"

enum { MOST_STEPS = 30 };

double ss_joint_error(const ss_model *m, const ss_data *d, int32_t joint, double *phi)
{
    const ss_joint      *j     = &m->joints[joint];
    const ss_joint_form *form  = ss_joint_form_of(m, j);
    ss_joint_place       place = ss_joint_place_of(m, d, j, d->pose_next);
    double               worst = 0;
    for (int32_t i = 0; i < j->held; i++) {
        double value = ss_scalar_eval(&form->hold[i], &place).value;
        worst        = fmax(worst, fabs(value));
        if (phi != NULL) {
            phi[i] = value;
        }
    }
    return worst;
}

void ss_joint_coordinates(const ss_model *m, const ss_data *d, int32_t joint, double *value)
{
    const ss_joint      *j     = &m->joints[joint];
    const ss_joint_form *form  = ss_joint_form_of(m, j);
    ss_joint_place       place = ss_joint_place_of(m, d, j, d->pose_next);
    for (int32_t i = 0; i < form->coordinates; i++) {
        double now = ss_scalar_eval(&form->coordinate[i], &place).value;
        value[i]   = ss_scalar_unwrapped(&form->coordinate[i], now, value[i]);
    }
}

/* phi of the island's joints at the trial state over h, in the order of its equality rows; motors
   keep the velocity they have. Returns the largest |phi|. */
static double gather(const ss_model *m, const ss_data *d, const ss_island *isl, double h, double *b)
{
    double  worst = 0;
    int32_t row   = 0;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *blk = &d->rows.blocks[isl->blocks[i]];
        if (blk->kind != SS_BLOCK_EQUALITY) {
            continue;
        }
        for (int32_t k = 0; k < blk->dim; k++) {
            b[row + k] = 0;
        }
        if (blk->source == SS_ROWS_JOINT) {
            worst = fmax(worst, ss_joint_error(m, d, blk->index, b + row));
        }
        row += blk->dim;
    }
    for (int32_t i = 0; i < row; i++) {
        b[i] /= h;
    }
    return worst;
}

/* v+ := v+ - A^-1 J'l, and the impulses with it */
static void push_back(const ss_model *m, ss_data *d, const ss_island *isl, const double *l)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *blk = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; blk->kind == SS_BLOCK_EQUALITY && k < blk->dim; k++, l++) {
            const double *Y = ss_response_side(m, d, blk->row + k, 0);
            d->rows.impulse[blk->row + k] -= *l;
            for (int side = 0; side < blk->sides; side++) {
                if (blk->body[side] >= 0) {
                    const ss_body *body = &m->bodies[blk->body[side]];
                    for (int32_t c = 0; c < body->dof; c++) {
                        d->v_next[body->v_start + c] -= Y[side * m->dof + c] * *l;
                    }
                }
            }
        }
    }
}

static ss_status project_island(const ss_model *m, ss_data *d, const ss_island *isl, double h)
{
    const ss_eliminated *e = isl->eliminated;
    double              *b = ss_arena_alloc(&d->scratch, (size_t)e->ne, sizeof *b);
    if (b == NULL) {
        return SS_ERR_SCRATCH;
    }
    double error = INFINITY;
    for (int i = 0; i < MOST_STEPS; i++) {
        double now = gather(m, d, isl, h, b);
        if (now <= SS_PROJECTED_CLOSED * m->length ||
            !(now < 0.5 * error || now > SS_PROJECTED_ROUNDING * m->length)) {
            break; /* closed, or as good as rounding lets it be */
        }
        error = now;
        ss_eliminated_solve(e, b);
        push_back(m, d, isl, b);
        for (int32_t k = 0; k < isl->body_count; k++) {
            ss_move_body(m, d, isl->bodies[k], h);
        }
    }
    return SS_OK;
}

static ss_status close(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        if (d->islands[i].eliminated != NULL) {
            SS_TRY(project_island(m, d, &d->islands[i], h));
        }
    }
    return SS_OK;
}

/* A step closes what it finds open, as stabilised joints do. */
static double bias(double phi, double rate, double h)
{
    (void)rate;
    return phi / h;
}

const ss_joints_class ss_joints_projected = {.name = "projected", .bias = bias, .close = close};
