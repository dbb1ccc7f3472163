/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forces above the surface. Contacts push a supported body at the height p with F in all, friction
 * of the surface acts at its bottom with T, and everything else (weight along the plane, springs,
 * joints, inertia) at the centre of mass, at the height z. A body that does not tilt has no angular
 * acceleration about an axis along the plane, so that about the centre of mass, with points r_i,
 *
 *   sum N_i r_i = (p - z) F - z T            and, at rest or quasistatic, T = -F:   = p F
 *
 * beside what (3.23) asks for: the weight goes forward. F and T are unknowns of the same step, so
 * it is done in rounds, each with the forces of the round before (rounds/reason_tilts.c).
 *
 * A point that would have to pull carries nothing. The body would tip about the other two, but what
 * pushes it holds it down by friction across the plane, by Q at the centre c of the pushes:
 *
 *   N_j + N_k = W + Q,     N_j r_j + N_k r_k = .. + Q c,      |Q| <= sum mu p_n of the contacts.
 *
 * Beyond that bound it tips. Q takes its share of the contacts' friction cones; along the plane
 * they are left as they are, which is right as long as Q is small against the bound.
 *
 * Given forces N_i of more points are those of a layer that gives in proportion to them: they
 * become N_i (1 + b (r_i - r0)), r0 their centre, with b such that the sum is right. Here every
 * point must press.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "rows/support_tilt.h"
#include "rows/tolerances.h"

enum { FULL_ROUNDS = 20 }; /* then by halves */

static const ss_tilt *trial_of(const ss_data *d, const ss_support_lift *l)
{
    return &d->trial_tilt[l - d->model->lifts];
}

static bool press(const double N[3])
{
    return N[0] >= 0 && N[1] >= 0 && N[2] >= 0;
}

/* Without point i, held down at the centre of the pushes. False: it tips. */
static bool hold_down(const ss_tilt *tilt, const ss_mat3 *A, ss_vec3 load, int i, double N[3])
{
    ss_mat3 B  = *A;
    B.m[i]     = -1;
    B.m[3 + i] = -tilt->centre.y;
    B.m[6 + i] = tilt->centre.x;
    ss_vec3 x  = ss_mat3_solve(&B, load);
    N[0] = x.x, N[1] = x.y, N[2] = x.z;
    bool held = fabs(N[i]) <= tilt->grip;
    N[i]      = 0;
    return held && press(N);
}

/* What is neither held nor standing: forces that press, for a round that comes to something else.
 */
static void stand_somehow(double weight, double N[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        N[k] = isfinite(N[k]) ? fmax(N[k], 0) : 0;
        sum += N[k];
    }
    for (int k = 0; k < 3; k++) {
        N[k] *= sum > 0 ? fmax(weight, 0) / sum : 0;
    }
}

void ss_tilt_tripod(ss_data *d, const ss_support_lift *l, const ss_mat3 *A, ss_vec3 load,
                    double N[3])
{
    const ss_tilt *tilt  = trial_of(d, l);
    ss_vec3        whole = ss_add(load, ss_v3(0, tilt->moment.y, -tilt->moment.x));
    ss_vec3        x     = ss_mat3_solve(A, whole);
    int            least = x.y < x.x ? 1 : 0;
    N[0] = x.x, N[1] = x.y, N[2] = x.z;
    least = N[2] < N[least] ? 2 : least;
    if (N[least] >= 0) {
        return;
    }
    double held[3] = {0};
    if (hold_down(tilt, A, whole, least, held)) {
        N[0] = held[0], N[1] = held[1], N[2] = held[2];
        return;
    }
    if (!(N[least] >= -SS_SUPPORT_PULL * fabs(load.x)) || !(load.x >= 0)) {
        d->tips = l->body;
    }
    stand_somehow(load.x, N);
}

/* Sums of forces about their centre, in world axes. */
typedef struct second_moments {
    double  force;
    ss_vec3 centre;
    double  xx, xy, yy;
} second_moments;

static ss_vec3 arm_of(const ss_model *m, const ss_data *d, const ss_support_lift *l, int32_t i)
{
    return ss_mul(&d->frame[l->body].R, m->supports[i].point);
}

static second_moments moments_of(const ss_model *m, const ss_data *d, const ss_support_lift *l)
{
    second_moments s = {.force = 0};
    for (int32_t i = l->first; i < l->first + l->count; i++) {
        s.force += d->support_force[i];
        s.centre = ss_axpy(s.centre, d->support_force[i], arm_of(m, d, l, i));
    }
    s.centre = ss_scale(s.force > 0 ? 1 / s.force : 0, s.centre);
    for (int32_t i = l->first; i < l->first + l->count; i++) {
        ss_vec3 r = ss_sub(arm_of(m, d, l, i), s.centre);
        s.xx += d->support_force[i] * r.x * r.x;
        s.xy += d->support_force[i] * r.x * r.y;
        s.yy += d->support_force[i] * r.y * r.y;
    }
    return s;
}

void ss_tilt_given(const ss_model *m, ss_data *d, const ss_support_lift *l)
{
    ss_vec3        want = trial_of(d, l)->moment;
    second_moments s    = moments_of(m, d, l);
    double         det  = s.xx * s.yy - s.xy * s.xy;
    double         bx   = (s.yy * want.x - s.xy * want.y) / det;
    double         by   = (s.xx * want.y - s.xy * want.x) / det;
    if (want.x == 0 && want.y == 0) {
        return;
    }
    for (int32_t i = l->first; i < l->first + l->count; i++) {
        ss_vec3 r     = ss_sub(arm_of(m, d, l, i), s.centre);
        double  share = 1 + bx * r.x + by * r.y;
        d->tips       = share >= 0 ? d->tips : l->body;
        d->support_force[i] *= share >= 0 ? share : 0;
    }
}

/* ---- what a round came to ---- */

/* Force of a contact on its body b, along the plane. */
static ss_vec3 push_of(const ss_model *m, const ss_data *d, int32_t contact, double h)
{
    const ss_contact   *c = &d->contacts.items[contact];
    const ss_row_block *b = &d->rows.blocks[contact];
    const double       *p = d->rows.impulse + b->row;
    ss_vec3             t, o, sum = ss_scale(p[0] / h, c->normal);
    ss_contact_frame(m, c, &t, &o);
    return b->dim > 1 ? ss_axpy(sum, p[1] / h * ss_model_law(m, c)->axes[0], t) : sum;
}

typedef struct pushes {
    ss_vec3 force, centre; /* centre: times the sum of normal forces */
    double  normal, grip;
} pushes;

static void add_contacts(const ss_model *m, const ss_data *d, int32_t body, double h, pushes *sum)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_contact *c = &d->contacts.items[i];
        bool              a = m->geoms[c->geom_a].body == body;
        if (!a && m->geoms[c->geom_b].body != body) {
            continue;
        }
        double normal = fmax(d->rows.impulse[d->rows.blocks[i].row] / h, 0);
        sum->force    = ss_axpy(sum->force, a ? -1 : 1, push_of(m, d, i, h));
        sum->centre =
            ss_axpy(sum->centre, normal, ss_sub(a ? c->point_a : c->point_b, d->frame[body].p));
        sum->normal += normal;
        sum->grip += d->rows.blocks[i].mu * normal;
    }
}

/* Friction of the surface on a body. */
static ss_vec3 friction_below(const ss_model *m, const ss_data *d, const ss_support_lift *l,
                              double h)
{
    ss_vec3 sum = ss_v3(0, 0, 0);
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        ss_vec3             e[2];
        if (b->source != SS_ROWS_SUPPORT || b->body[1] != l->body) {
            continue;
        }
        ss_support_axes(m, d, b->index, e);
        sum = ss_axpy(sum, d->rows.impulse[b->row] / h, e[0]);
        sum = ss_axpy(sum, d->rows.impulse[b->row + 1] / h * m->supports[b->index].across, e[1]);
    }
    return sum;
}

static ss_tilt tilt_of(const ss_model *m, const ss_data *d, const ss_support_lift *l, double h)
{
    pushes sum = {.normal = 0};
    add_contacts(m, d, l->body, h, &sum);
    ss_vec3 below = friction_below(m, d, l, h);
    return (ss_tilt){.moment = ss_axpy(ss_scale(l->push_height - l->mass_height, sum.force),
                                       -l->mass_height, below),
                     .centre = ss_scale(sum.normal > 0 ? 1 / sum.normal : 0, sum.centre),
                     .grip   = sum.grip};
}

/* As part of the moment that the weight could balance. */
static bool agree(const ss_tilt *a, const ss_tilt *b, double weight, double reach, double part)
{
    return ss_norm(ss_sub(a->moment, b->moment)) <= part * weight * reach &&
           ss_norm(ss_sub(a->centre, b->centre)) * fmin(a->grip, b->grip) <=
               part * weight * reach &&
           fabs(a->grip - b->grip) <= part * (weight + a->grip + b->grip);
}

/* Between two trials: rounds that go to and fro meet in the middle. */
static ss_tilt between(const ss_tilt *a, const ss_tilt *b)
{
    return (ss_tilt){.moment = ss_scale(0.5, ss_add(a->moment, b->moment)),
                     .centre = ss_scale(0.5, ss_add(a->centre, b->centre)),
                     .grip   = 0.5 * (a->grip + b->grip)};
}

bool ss_tilts_settled(const ss_model *m, ss_data *d, double h)
{
    bool   settled = true;
    double part    = fmax(SS_LOAD_AGREES, m->simulation.target);
    for (int32_t i = 0; i < m->lift_count; i++) {
        const ss_support_lift *l = &m->lifts[i];
        if (!l->tilts) {
            continue;
        }
        double  weight = m->bodies[l->body].mass * l->gravity + l->load;
        ss_tilt now = tilt_of(m, d, l, h), *was = &d->trial_tilt[i];
        settled          = settled && agree(&now, was, weight, l->reach, part);
        d->trial_tilt[i] = d->rounds.round < FULL_ROUNDS ? now : between(&now, was);
    }
    return settled;
}
