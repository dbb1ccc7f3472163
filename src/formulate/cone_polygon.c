/* SPDX-License-Identifier: Apache-2.0 */
/* cone: polygon. The island's cone problem with its friction balls cut down to polygons. */
#include "problem/reduce.h"

#include <string.h>

#include "formulate/formulate.h"
#include "linalg/matrix.h"

static ss_status forth(const ss_model *m, ss_data *d, const ss_cone *cone, const double *r,
                       double *z)
{
    double *u = ss_arena_alloc(&d->scratch, (size_t)cone->n, sizeof *u);
    if (u == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(u, cone->q, (size_t)cone->n * sizeof *u);
    ss_matrix_mul_add(&cone->W, r, u);
    ss_reduce_polygon_forth(cone, &m->polygon, r, u, z);
    return SS_OK;
}

/* corners: complementarity. The island's pairs of which all branches were taken. */
static ss_status add_corners(const ss_model *m, ss_data *d, const ss_island *isl,
                             const ss_cone *cone, ss_problem *out, ss_solution *x)
{
    int32_t          count;
    ss_corner_group *groups;
    SS_TRY(ss_corner_groups(m, d, isl, cone, &groups, &count));
    if (count == 0) {
        return SS_OK;
    }
    ss_lcp  whole;
    bool    ok = ss_reduce_corners(&out->as.lcp, groups, count, &d->scratch, &whole);
    double *z  = ss_arena_alloc(&d->scratch, (size_t)(ok ? whole.n : 0), sizeof *z);
    if (!ok || z == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(z, 0, (size_t)whole.n * sizeof *z);
    x->z        = z;
    x->warm     = false;
    out->as.lcp = whole;
    return SS_OK;
}

static ss_status reduce(const ss_model *m, ss_data *d, const ss_island *isl, const ss_cone *cone,
                        const double *r, ss_problem *out, ss_solution *x)
{
    x->z    = ss_arena_alloc(&d->scratch, (size_t)ss_reduce_polygon_size(cone, &m->polygon),
                             sizeof *x->z);
    x->warm = true;
    if (!ss_reduce_polygon(cone, &m->polygon, &d->scratch, out) || x->z == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(forth(m, d, cone, r, x->z));
    return ss_corners_of(m)->posed ? add_corners(m, d, isl, cone, out, x) : SS_OK;
}

static void back(const ss_model *m, const ss_cone *cone, const double *z, double *r)
{
    ss_reduce_polygon_back(cone, &m->polygon, z, r);
}

const ss_cone_class ss_cone_polygon = {.name   = "polygon",
                                       .flat   = true,
                                       .poses  = SS_LCP,
                                       .reduce = reduce,
                                       .forth  = forth,
                                       .back   = back};

static const char *box_refuses(const ss_scene *scene)
{
    return ss_inertia_axis[scene->simulation.axes.inertia]->balanced
               ? "cone: box is a law of accelerations and of the velocities they make; balances of "
                 "forces (inertia: quasistatic) want cone: quadratic or {polygon: n}"
               : NULL;
}

/*
 * cone: box. Friction within |e_j.r_f| <= mu r_n along k directions, slip u_f = sum_j e_j s_j with
 * s_j of one sign at a limit only (Peiret et al., (1)-(3)): maximum dissipation over a polygon of
 * 2k sides drawn around the circle. By its corners it is a polygon like the other; the form of the
 * paper, with a phantom inertia, is that of accelerations (instant/phantom.c).
 */
const ss_cone_class ss_cone_box = {.name    = "box",
                                   .flat    = true,
                                   .around  = true,
                                   .refuses = box_refuses,
                                   .poses   = SS_LCP,
                                   .reduce  = reduce,
                                   .forth   = forth,
                                   .back    = back};
