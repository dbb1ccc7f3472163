/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction by pivoting: each friction ball is replaced by a polygon drawn into it
 * (problem/reduce_polygon.c), and the LCP that comes of it is solved by Lemke's method, which for
 * the copositive matrices of contact ends in a solution or a ray whatever the start (Stewart and
 * Trinkle 1996).
 *
 * With one friction row to a contact (in the plane), or none, the polygon is the ball and the
 * answer is one of the problem itself. In space it has the right contacts open and sliding, mostly,
 * and is where a Newton method starts from that found nothing elsewhere.
 */
#include <string.h>

#include "problem/reduce.h"
#include "solver/cone_methods.h"
#include "solver/delegate.h"

enum { CORNERS = 8, MAX_ROWS = 600 };

/* The LCP is dense: its pivots cost the square of its size. */
bool ss_polygon_start_takes(const ss_cone *p)
{
    if (p->nv > 0 || p->axes != NULL || p->W.dense == NULL || p->n == 0) {
        return false;
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        if (p->blocks[k].kind == SS_BLOCK_EQUALITY) {
            return false;
        }
    }
    double     corner[CORNERS][2];
    ss_polygon polygon = {CORNERS, corner};
    return ss_reduce_polygon_size(p, &polygon) <= MAX_ROWS;
}

int32_t ss_polygon_start_exact(const ss_cone *p)
{
    for (int32_t k = 0; k < p->nblocks; k++) {
        if (p->blocks[k].dim - (p->blocks[k].kind == SS_BLOCK_CONE) > 1) {
            return INT32_MAX;
        }
    }
    double     corner[CORNERS][2];
    ss_polygon polygon = {CORNERS, corner};
    return ss_reduce_polygon_size(p, &polygon);
}

bool ss_polygon_start_run(ss_solver *s, ss_solver *lemke, const ss_cone *p, ss_arena *a,
                          ss_solution *x, ss_status *status)
{
    double     corner[CORNERS][2];
    ss_polygon polygon = {CORNERS, corner};
    ss_problem lcp;
    ss_polygon_corners(CORNERS, corner);
    if (!ss_reduce_polygon(p, &polygon, a, &lcp)) {
        return false;
    }
    ss_solution y = {.z = ss_arena_alloc(a, (size_t)ss_problem_size(&lcp), sizeof *y.z)};
    if (y.z == NULL) {
        return false;
    }
    *status       = ss_solver_delegate_part(s, lemke, &lcp, &y);
    x->iterations = y.iterations;
    x->outcome    = y.outcome == SS_SOLVED || y.outcome == SS_INACCURATE ? SS_LIMIT : y.outcome;
    if (*status == SS_OK && x->outcome == SS_LIMIT) {
        ss_reduce_polygon_back(p, &polygon, y.z, x->z);
    }
    return true;
}
