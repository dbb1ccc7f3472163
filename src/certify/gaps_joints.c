/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the step left the bodies: true gaps (dynamics/gaps.h) and openings of joints at the trial
 * state. Rows are linear in the step, so a body that turns or passes along a curved surface leaves
 * its path by about
 *
 *   b = h^2 (w_a^2 r_a + w_b^2 r_b + v^2/r) / 2       r: sizes, v: relative speed
 *
 * An overlap (or opening) that is no deeper than before, or no deeper than 2 b and a small part of
 * the smaller body, is what the scheme promises; a deeper one is a fault, and the step is cut: b
 * falls by four with every halving. Bodies are as large as they are long: of thin ones a small part
 * of that may be more than their thickness, and what is so deep in a plate comes out on the other
 * side. What two shapes may overlap by is therefore a part of their thickness as well. And the
 * velocities that joints are left with: a linkage that they held stays on its branch.
 */
#include <math.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"

/* Schemes as printed correct gaps and openings in the next step; but without momentum nothing keeps
   a step from going as far as its linear rows balance, and what is far beyond them is judged. */
static bool is_judged(const ss_model *m)
{
    return !m->as_printed || !ss_inertia_of(m)->momentum;
}

static double body_size(const ss_model *m, int32_t body)
{
    double size = m->shapes[body].size;
    return size > 0 ? size : INFINITY;
}

/* h^2 (w^2 r) of one body. */
static double turned_off(const ss_model *m, const ss_data *d, int32_t body, double h)
{
    ss_vec3 w = d->twist_next[body].w;
    return m->bodies[body].type == SS_BODY_STATIC
               ? 0
               : h * h * ss_turned_way(ss_dot(w, w), m->bodies[body].extent);
}

static ss_vec3 velocity_of(const ss_model *m, const ss_data *d, int32_t body)
{
    return m->bodies[body].type == SS_BODY_STATIC ? ss_v3(0, 0, 0) : d->twist_next[body].v;
}

/* Depth that a step may leave between two bodies that did not overlap before. */
static double allowed_depth(const ss_model *m, const ss_data *d, int32_t a, int32_t b, double h,
                            double size)
{
    ss_vec3 v     = ss_sub(velocity_of(m, d, b), velocity_of(m, d, a));
    double  along = h * h * ss_dot(v, v) / size;
    double  twice = turned_off(m, d, a, h) + turned_off(m, d, b, h) + along;
    return ss_min(twice, SS_OVERLAP_MOST * size) + SS_OVERLAP_NONE * size;
}

/* .. and that two shapes of theirs may overlap by. */
static double allowed_overlap(const ss_model *m, const ss_data *d, const ss_pair *pair, double h,
                              double size)
{
    double left = allowed_depth(m, d, m->geoms[pair->a].body, m->geoms[pair->b].body, h, size);
    return ss_min(left, SS_OVERLAP_THIN * ss_pair_thinness(m, pair));
}

double ss_left_by_step(const ss_model *m, const ss_data *d, int32_t a, int32_t b, double h)
{
    double size = ss_min(body_size(m, a), body_size(m, b));
    return allowed_depth(m, d, a, b, h, isfinite(size) ? size : m->length);
}

/* How deep the pair was when the step began. */
static ss_status depth_before(const ss_model *m, ss_data *d, const ss_pair *pair, double *depth)
{
    ss_frame *frames = ss_arena_alloc(&d->scratch, (size_t)m->ng, sizeof *frames);
    if (frames == NULL) {
        return SS_ERR_SCRATCH;
    }
    ss_place_geoms(m, d->state.pose, frames);
    *depth = -ss_geom_gap(m, frames, pair->a, pair->b, 0, NULL) -
             (m->compliant ? ss_model_gives(m, pair->a, pair->b) : 0);
    return SS_OK;
}

static ss_status judge_pair(const ss_model *m, ss_data *d, const ss_pair *pair, double depth,
                            double h, ss_fault *fault)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    double  size = ss_min(body_size(m, a), body_size(m, b)), before = 0;
    if (!isfinite(size)) {
        return SS_OK; /* points: nothing to be a part of */
    }
    double allowed = allowed_overlap(m, d, pair, h, size);
    allowed        = m->as_printed ? ss_max(allowed, SS_OVERLAP_PRINTED * size) : allowed;
    if (depth <= allowed) {
        return SS_OK;
    }
    SS_TRY(depth_before(m, d, pair, &before));
    allowed = ss_max(allowed, before + SS_OVERLAP_SAME * size);
    if (depth > allowed && (fault->kind == SS_FAULT_NONE || depth > fault->size)) {
        bool soft = m->compliant && ss_model_coreless(m, pair->a, pair->b);
        *fault =
            (ss_fault){soft ? SS_FAULT_CRUSHED : SS_FAULT_OVERLAP, depth, allowed, NULL, {a, b}};
    }
    return SS_OK;
}

ss_status ss_check_gaps(const ss_model *m, ss_data *d, double h, double *deepest, ss_fault *fault)
{
    *deepest = 0;
    if (d->pair_count == 0) {
        return SS_OK;
    }
    size_t    mark   = ss_arena_mark(&d->scratch);
    ss_frame *frames = ss_arena_alloc(&d->scratch, (size_t)m->ng, sizeof *frames);
    if (frames == NULL) {
        return SS_ERR_SCRATCH;
    }
    ss_place_moved(m, d->pose_next, frames);
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair  *p     = &d->pairs[i];
        const ss_frame *fa    = ss_moved_frame(m, d, frames, p->a);
        const ss_frame *fb    = ss_moved_frame(m, d, frames, p->b);
        double          depth = -ss_gap_between(m, p->a, fa, p->b, fb, 0, NULL);
        depth -= m->compliant ? ss_model_gives(m, p->a, p->b) : 0;
        *deepest = ss_max(*deepest, depth);
        if (depth > 0 && is_judged(m)) {
            SS_TRY(judge_pair(m, d, p, depth, h, fault));
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

/* ---- passages ------------------------------------------------------------------------------ */

static double passage_slack(const ss_model *m, const ss_data *d, const ss_pair *pair, double h)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    double  size  = ss_min(body_size(m, a), body_size(m, b));
    double  gives = m->compliant ? ss_model_gives(m, pair->a, pair->b) : 0;
    return gives + (isfinite(size) ? allowed_overlap(m, d, pair, h, size) : 0);
}

void ss_check_passages(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    ss_passage p = ss_find_passage(m, d, h, passage_slack);
    if (p.geom_a >= 0) {
        int32_t a = m->geoms[p.geom_a].body, b = m->geoms[p.geom_b].body;
        *fault = (ss_fault){SS_FAULT_PASSAGE, p.depth, p.time, NULL, {a, b}};
    }
}

/* ---- what was put where joints are open ---------------------------------------------------- */

/* A part of the way from the start of the step to the trial state. */
static void blend(const ss_model *m, const ss_data *d, double part, ss_pose *out)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_pose *p = &d->state.pose[i], *q = &d->pose_next[i];
        out[i] = *q;
        if (!ss_body_moves(&m->bodies[i])) {
            continue;
        }
        double  sign = p->q.w * q->q.w + p->q.x * q->q.x + p->q.y * q->q.y + p->q.z * q->q.z;
        double  a = 1 - part, b = sign < 0 ? -part : part;
        ss_quat turn = {a * p->q.w + b * q->q.w, a * p->q.x + b * q->q.x, a * p->q.y + b * q->q.y,
                        a * p->q.z + b * q->q.z};
        out[i].p     = ss_axpy(ss_scale(a, p->p), part, q->p);
        out[i].q     = ss_quat_unit(turn);
        out[i].angle = a * p->angle + part * q->angle;
    }
}

/* Looks so many that nothing as thick as half of the smallest part is jumped over. */
static int32_t looks_needed(const ss_model *m, const ss_data *d)
{
    enum { LEAST = 4, MOST = 400 };
    double way = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        ss_vec3 moved = ss_sub(d->pose_next[i].p, d->state.pose[i].p);
        way           = ss_max(way, ss_body_moves(&m->bodies[i]) ? ss_norm(moved) : 0);
    }
    return (int32_t)ss_max(LEAST, ss_min(MOST, ceil(4 * way / m->length)));
}

/* Pairs that no step would look at: all that may collide, at one of the looks. */
static ss_status look_at_all(const ss_model *m, ss_data *d, const ss_frame *frames, double part,
                             ss_fault *fault)
{
    for (int32_t i = 0; i < m->ng; i++) {
        for (int32_t k = i + 1; k < m->ng; k++) {
            int32_t a = m->geoms[i].body, b = m->geoms[k].body;
            bool    any = ss_body_moves(&m->bodies[a]) || ss_body_moves(&m->bodies[b]);
            if (!any || !ss_geoms_may_collide(m, i, k)) {
                continue;
            }
            double size = ss_min(body_size(m, a), body_size(m, b)), before = 0;
            double depth = -ss_geom_gap(m, frames, i, k, 0, NULL);
            if (isfinite(size) && depth > SS_OVERLAP_MOST * size) {
                SS_TRY(depth_before(m, d, &(ss_pair){.a = i, .b = k}, &before));
                if (depth > before + SS_OVERLAP_MOST * size) {
                    *fault = (ss_fault){SS_FAULT_PASSAGE, depth, part, NULL, {a, b}};
                    return SS_OK;
                }
            }
        }
    }
    return SS_OK;
}

ss_status ss_check_put(const ss_model *m, ss_data *d, ss_fault *fault)
{
    size_t    mark   = ss_arena_mark(&d->scratch);
    ss_frame *frames = ss_arena_alloc(&d->scratch, (size_t)m->ng + 1, sizeof *frames);
    ss_pose  *poses  = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *poses);
    if (!frames || !poses) {
        return SS_ERR_SCRATCH;
    }
    int32_t looks = looks_needed(m, d);
    for (int32_t k = 1; k <= looks && fault->kind == SS_FAULT_NONE; k++) {
        blend(m, d, (double)k / looks, poses);
        ss_place_geoms(m, poses, frames);
        SS_TRY(look_at_all(m, d, frames, (double)k / looks, fault));
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

/* ---- joints -------------------------------------------------------------------------------- */

static bool is_length(const ss_joint *j, ss_scalar_kind kind)
{
    if (kind == SS_SCALAR_COUPLED) {
        kind = j->coupled[1].form->coordinate[0].kind;
    }
    return kind == SS_SCALAR_POINT || kind == SS_SCALAR_DISTANCE || kind == SS_SCALAR_OFFSET;
}

/* The smaller of the two bodies; of bodies without a shape the arm to the joint. */
static double joint_size(const ss_model *m, const ss_joint *j)
{
    double size = INFINITY;
    for (int side = 0; side < 2; side++) {
        if (j->body[side] >= 0) {
            double shape = m->shapes[j->body[side]].size;
            double arm   = 2 * ss_norm(j->at[side].p);
            bool   none  = arm <= SS_ARM_ROUNDING * m->length;
            size         = ss_min(size, shape > 0 ? shape : none ? INFINITY : arm);
        }
    }
    return isfinite(size) ? size : m->length;
}

/* Angular speeds of the two bodies times the step, squared: what the rows leave open at most. */
static double turned_by(const ss_data *d, const ss_joint *j, double h)
{
    double sum = 0;
    for (int side = 0; side < j->sides; side++) {
        if (j->body[side] >= 0) {
            ss_vec3 w = d->twist_next[j->body[side]].w;
            sum += h * h * ss_dot(w, w);
        }
    }
    return sum;
}

/* The largest opening as a part of the joint's size (angles: of a radian); *metres: at that size,
   so that angles and lengths compare. */
static double opening(const ss_model *m, const ss_data *d, int32_t joint, const ss_pose *poses,
                      double *metres)
{
    const ss_joint      *j     = &m->joints[joint];
    const ss_joint_form *form  = ss_joint_form_of(m, j);
    ss_joint_place       place = ss_joint_place_of(m, d, j, poses);
    double               worst = 0, size = joint_size(m, j);
    for (int32_t i = 0; i < j->held; i++) {
        double value = fabs(ss_scalar_eval(&form->hold[i], &place).value);
        worst        = ss_max(worst, is_length(j, form->hold[i].kind) ? value / size : value);
    }
    *metres = worst * size;
    return worst;
}

void ss_check_joints(const ss_model *m, const ss_data *d, double h, double *worst, ss_fault *fault)
{
    /* then turning leaves nothing open */
    const bool closed = ss_integrator_of(m)->close != NULL || ss_joints_at_end(m);
    *worst            = 0;
    for (int32_t i = 0; i < m->joint_count; i++) {
        double metres, before;
        double open    = opening(m, d, i, d->pose_next, &metres);
        double twice   = closed ? 0 : turned_by(d, &m->joints[i], h);
        double allowed = ss_min(twice, SS_OPENING_MOST) + SS_OPENING_NONE;
        allowed        = m->as_printed && !closed ? ss_max(allowed, SS_LEFT_REACH) : allowed;
        *worst         = ss_max(*worst, metres);
        if (open > allowed && is_judged(m) && fault->kind == SS_FAULT_NONE) {
            double was = opening(m, d, i, d->state.pose, &before);
            if (open > was + SS_OVERLAP_SAME) {
                *fault = (ss_fault){SS_FAULT_JOINT, metres, allowed * metres / open, NULL, {i, -1}};
            }
        }
    }
}
