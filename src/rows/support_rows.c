/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Support points -> rows: at each point of a body that lies on a surface, two friction rows inside
 * a disk whose radius is known beforehand, mu N h (thesis (3.25), (3.26)):
 *
 *   u = (vx - w ry, vy + w rx),   |p| <= mu N h,   p maximises -u.p
 */
#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"

void ss_support_rows(const ss_model *m, ss_data *d, double h, int32_t block, int32_t row)
{
    for (int32_t i = 0; i < m->support_count; i++, block++, row += 2) {
        const ss_support_point *s   = &m->supports[i];
        ss_row_block           *blk = &d->rows.blocks[block];
        ss_vec3                 arm = ss_mul(&d->frame[s->body].R, s->point);
        *blk                        = (ss_row_block){.kind   = SS_BLOCK_DISK,
                                                     .row    = row,
                                                     .dim    = 2,
                                                     .bound  = h * s->mu * s->normal_force,
                                                     .body   = {-1, s->body},
                                                     .source = SS_ROWS_SUPPORT,
                                                     .index  = i,
                                                     .key    = 0x5355505000000000u + (uint64_t)(uint32_t)i};
        double *J                   = ss_row_side(m, &d->rows, row, 0);
        memset(J, 0, 4 * (size_t)m->dof * sizeof *J);
        J += m->dof; /* the columns of body b */
        J[0] = 1;
        J[2] = -arm.y;
        J += 2 * m->dof;
        J[1]              = 1;
        J[2]              = arm.x;
        d->rows.bias[row] = d->rows.bias[row + 1] = 0;
        d->rows.drift[row] = d->rows.drift[row + 1] = 0;
    }
}
