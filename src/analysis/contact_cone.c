/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrenches that the closed contacts of an island can exert on its bodies (Gavrea (3.2)),
 *
 *   FC = { J_n'p_n + J_f'p_f + J_e'p_e : |p_f| <= mu p_n },     p_e of joints: any.
 *
 * Joints are taken out by looking only at the part of wrenches that is perpendicular to theirs.
 * Torques are divided by the size of their body, so that all entries have one unit; a change of
 * coordinates does not make a cone pointed.
 */
#include "analysis/contact_cone.h"

#include <math.h>
#include <string.h>

#include "analysis/tolerances.h"
#include "dynamics/coordinates.h"
#include "linalg/basis.h"
#include "linalg/vector.h"
#include "rows/contact_state.h"

/* By a joint or a motor; springs and dampers hold nothing where bodies are, but may in reach. */
static bool is_held(const ss_row_block *b, ss_moment when)
{
    return b->kind == SS_BLOCK_EQUALITY && (b->source != SS_ROWS_GIVE || when == SS_IN_REACH);
}

/* Contacts that touch at that moment, or that bear load; limits of joints that push. */
static bool closed(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_moment when)
{
    if (b->kind != SS_BLOCK_CONE && b->kind != SS_BLOCK_UNILATERAL) {
        return false;
    }
    if (when == SS_IN_REACH) {
        return true;
    }
    if (b->source != SS_ROWS_CONTACT || when == SS_WHERE_LOADED) {
        return d->rows.impulse[b->row] > 0;
    }
    double start = d->contacts.items[b->index].gap;
    return ss_gap_closed(m, when == SS_AT_END ? ss_block_gap(d, b, d->part) : start);
}

ss_cone_size ss_contact_cone_size(const ss_model *m, const ss_data *d, const ss_island *isl,
                                  ss_moment when)
{
    ss_cone_size s = {.n = isl->body_count * m->dof};
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (closed(m, d, b, when)) {
            s.closed++;
            s.rows += b->dim;
            s.which = (s.which ^ (uint64_t)(i + 1)) * 0x100000001B3u;
        }
        s.joint_rows += is_held(b, when) ? b->dim : 0;
        s.disks += b->kind == SS_BLOCK_DISK;
        s.disk_rows += b->kind == SS_BLOCK_DISK ? b->dim : 0;
    }
    return s;
}

/* Row `row` of J as a wrench on the island's bodies. */
static void wrench_of(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                      int32_t n, double *out)
{
    const double *J = ss_row_side(m, &d->rows, row, 0);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int side = 0; side < b->sides; side++, J += m->dof) {
        for (int32_t c = 0; b->body[side] >= 0 && c < m->dof; c++) {
            out[d->local[b->body[side]] * m->dof + c] =
                J[c] / ss_coordinate_scale(m, b->body[side], c);
        }
    }
}

/* What joints do not bear of it. */
static void project_out(const ss_contact_cone *c, double *w)
{
    ss_basis_leave(c->sum.n, c->joints, c->rank, w);
}

/* What joints bear; `work` (n) is a place for one wrench. */
static void gather_joints(const ss_model *m, const ss_data *d, const ss_island *isl, ss_moment when,
                          ss_contact_cone *c, double *work)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; is_held(b, when) && k < b->dim; k++) {
            wrench_of(m, d, b, b->row + k, c->sum.n, work);
            double least = SS_BORNE_PART * ss_vector_norm(c->sum.n, work);
            ss_basis_add(c->sum.n, c->joints, &c->rank, work, least);
        }
    }
}

/* Rows of a block; gives what follows them. */
static double *gather_rows(const ss_model *m, const ss_data *d, const ss_row_block *b,
                           const ss_contact_cone *c, double *W)
{
    for (int32_t k = 0; k < b->dim; k++, W += c->sum.n) {
        wrench_of(m, d, b, b->row + k, c->sum.n, W);
        project_out(c, W);
    }
    return W;
}

static void gather_pieces(const ss_model *m, const ss_data *d, const ss_island *isl, ss_moment when,
                          ss_contact_cone *c)
{
    bool    polygon = ss_cone_of(m)->flat;
    double *W       = c->W;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (closed(m, d, b, when)) {
            c->block[c->sum.count] = isl->blocks[i];
            c->pieces[c->sum.count++] =
                (ss_cone_piece){W, b->dim, b->mu, polygon ? &m->polygon : NULL};
            W = gather_rows(m, d, b, c, W);
        }
    }
    c->set.D = W;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->kind == SS_BLOCK_DISK) {
            c->disk_dim[c->set.count]     = b->dim;
            c->disk_bound[c->set.count++] = b->bound / d->part;
            W                             = gather_rows(m, d, b, c, W);
        }
    }
}

/* What acts on the bodies; what joints bear of it does not count. */
static void gather_load(const ss_model *m, const ss_data *d, const ss_island *isl,
                        ss_contact_cone *c)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        int32_t          body    = isl->bodies[i];
        double           size    = ss_body_arm(m, body);
        const ss_wrench *F       = &d->applied[body];
        const double     full[6] = {F->force.x,
                                    F->force.y,
                                m->dimension == 3 ? F->force.z : F->torque.z / size,
                                    F->torque.x / size,
                                    F->torque.y / size,
                                    F->torque.z / size};
        for (int32_t k = 0; k < m->dof; k++) {
            c->load[i * m->dof + k] = k < m->bodies[body].dof ? full[k] : 0;
        }
    }
    double before = ss_vector_norm(c->sum.n, c->load);
    project_out(c, c->load);
    c->loaded = ss_vector_norm(c->sum.n, c->load);
    if (c->loaded <= SS_BORNE_LOAD * before) {
        c->loaded = 0;
    }
}

ss_status ss_contact_cone_gather(const ss_model *m, const ss_data *d, const ss_island *isl,
                                 ss_moment when, ss_arena *a, ss_contact_cone *out)
{
    ss_cone_size s = ss_contact_cone_size(m, d, isl, when);
    size_t n = (size_t)s.n, rows = (size_t)s.rows + (size_t)s.disk_rows, disks = (size_t)s.disks;
    *out            = (ss_contact_cone){.sum = {.n = s.n}};
    out->pieces     = ss_arena_alloc(a, (size_t)s.closed, sizeof *out->pieces);
    out->block      = ss_arena_alloc(a, (size_t)s.closed, sizeof *out->block);
    out->W          = ss_arena_alloc(a, rows * n, sizeof *out->W);
    out->joints     = ss_arena_alloc(a, s.joint_rows > 0 ? n * n : 0, sizeof *out->joints);
    out->load       = ss_arena_alloc(a, n, sizeof *out->load);
    out->disk_dim   = ss_arena_alloc(a, disks, sizeof *out->disk_dim);
    out->disk_bound = ss_arena_alloc(a, disks, sizeof *out->disk_bound);
    out->work       = ss_arena_alloc(a, ss_cone_pointed_work(s.n), sizeof *out->work);
    if (!out->pieces || !out->block || !out->W || !out->joints || !out->load || !out->disk_dim ||
        !out->disk_bound || !out->work) {
        return SS_ERR_SCRATCH;
    }
    gather_joints(m, d, isl, when, out, out->load);
    gather_pieces(m, d, isl, when, out);
    gather_load(m, d, isl, out);
    out->sum.pieces = out->pieces;
    out->set.dim    = out->disk_dim;
    out->set.bound  = out->disk_bound;
    out->set.L      = out->load;
    return SS_OK;
}
