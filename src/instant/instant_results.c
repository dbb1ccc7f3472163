/* SPDX-License-Identifier: Apache-2.0 */
/* What the analysis of an instant hands out: contacts, forces and motions of its solutions. */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "instant/tolerances.h"

void ss_instant_list_contacts(ss_instant *s, const ss_model *m, const ss_instant_rows *r)
{
    ss_instant_verdict *v = s->verdict;
    s->contact_count      = 0;
    v->separating         = r->separating;
    for (int32_t i = 0; i < r->nblocks; i++) {
        const ss_instant_block *b = &r->blocks[i];
        v->striking += b->mode == SS_INSTANT_STRIKES;
        v->other += b->source != SS_ROWS_CONTACT && b->kind != SS_BLOCK_EQUALITY;
        if (b->source != SS_ROWS_CONTACT) {
            continue;
        }
        const ss_contact   *c   = &r->contacts[b->index];
        ss_instant_contact *out = &s->contacts[s->contact_count++];
        *out                    = (ss_instant_contact){.body_a    = m->geoms[c->geom_a].body,
                                                       .body_b    = m->geoms[c->geom_b].body,
                                                       .normal    = c->normal,
                                                       .mu        = b->mu,
                                                       .rows      = b->dim,
                                                       .mode      = b->mode,
                                                       .painleve  = 1,
                                                       .mu_border = INFINITY};
        out->point              = ss_scale(0.5, ss_add(c->point_a, c->point_b));
        ss_contact_frame(m, c, &out->t, &out->o);
        for (int32_t k = 0; k < b->dim; k++) {
            double axis      = k > 0 ? ss_model_law(m, c)->axes[k - 1] : 1;
            out->velocity[k] = r->u[b->row + k] / axis;
        }
        v->giving += ss_model_law(m, c)->gives != NULL;
        v->sliding += b->mode == SS_INSTANT_SLIDES;
        v->sticking += b->mode == SS_INSTANT_STICKS;
        v->smooth += b->mode == SS_INSTANT_SMOOTH;
    }
    v->contacts = s->contact_count;
}

bool ss_instant_is_contact(const ss_instant_rows *r, int32_t block)
{
    return r->blocks[block].source == SS_ROWS_CONTACT;
}

static ss_instant_mode mode_of(const ss_instant_block *b, const double *force, const double *a,
                               double force_size, double size)
{
    if (!(force[0] > SS_INSTANT_SAME * force_size)) {
        return SS_INSTANT_LEAVES;
    }
    if (b->mode != SS_INSTANT_STICKS) {
        return b->mode;
    }
    double slip = 0;
    for (int32_t k = 1; k < b->dim; k++) {
        slip += a[k] * a[k];
    }
    return sqrt(slip) > SS_INSTANT_SAME * size ? SS_INSTANT_STARTS : SS_INSTANT_STICKS;
}

static ss_answer both(ss_answer a, ss_answer b)
{
    return a == SS_NO || b == SS_NO ? SS_NO : a == SS_YES && b == SS_YES ? SS_YES : SS_UNDECIDED;
}

static void put_contacts(ss_instant *s, const ss_model *m, const ss_instant_rows *r,
                         const ss_instant_island *isl, const ss_instant_motion *x, int32_t solution)
{
    double size = 0, force_size = 0;
    for (int32_t i = 0; i < isl->p.rows; i++) {
        size       = fmax(size, fabs(isl->p.q[i]) + fabs(x->a[i]));
        force_size = fmax(force_size, fabs(x->force[i]));
    }
    for (int32_t i = 0; i < isl->p.nblocks; i++) {
        int32_t                 at = isl->p.which[i], first = isl->p.first[i];
        const ss_instant_block *b = &r->blocks[at];
        if (!ss_instant_is_contact(r, at)) {
            continue;
        }
        ss_instant_force  *f   = &s->forces[solution * s->contact_count + at];
        const ss_pair_law *law = ss_model_law(m, &r->contacts[b->index]);
        *f                     = (ss_instant_force){.unique = SS_YES, .normal_unique = SS_YES};
        for (int32_t k = 0; k < b->dim; k++) {
            double axis        = k > 0 ? law->axes[k - 1] : 1;
            f->force[k]        = x->force[first + k] * axis;
            f->acceleration[k] = x->a[first + k] / axis;
        }
        f->mode = mode_of(b, x->force + first, x->a + first, force_size, size);
        for (int32_t k = 0; k < isl->p.n; k++) {
            if (isl->p.block[k] == i) {
                f->unique        = both(f->unique, x->fixed[k]);
                f->normal_unique = isl->p.row[k] == first ? x->fixed[k] : f->normal_unique;
            }
        }
    }
}

/* Bodies belong to one island each: what others have here is none. */
static void add_reach(int32_t nv, const ss_instant_motion *x, double *low, double *high)
{
    for (int32_t k = 0; x->low != NULL && k < nv; k++) {
        low[k] += x->low[k];
        high[k] += x->high[k];
    }
}

static ss_body_motion motion_of(const ss_model *m, const ss_body *b, const double *x)
{
    ss_twist w = ss_twist_from_vector(m, b->dof, x);
    return (ss_body_motion){w.v, w.w};
}

static ss_body_motion beside(const ss_body_motion *a, ss_body_motion by)
{
    return (ss_body_motion){ss_add(a->velocity, by.velocity),
                            ss_add(a->angular_velocity, by.angular_velocity)};
}

ss_status ss_instant_put_motion(ss_instant *s, const ss_model *m, ss_data *d,
                                const ss_instant_rows *r, const ss_instant_island *isl,
                                const int32_t *choice, int32_t count, int32_t solution)
{
    size_t  nv = (size_t)m->nv;
    double *a  = ss_arena_alloc(&d->scratch, 3 * nv + 1, sizeof *a);
    if (a == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *low = a + nv, *high = low + nv;
    memcpy(a, r->a_free, nv * sizeof *a);
    memset(low, 0, 2 * nv * sizeof *low);
    for (int32_t i = 0; i < count; i++) {
        const ss_instant_motion *x = &isl[i].motions[choice[i]];
        ss_instant_push(m, d, r, &isl[i].p, x->force, a);
        put_contacts(s, m, r, &isl[i], x, solution);
        add_reach(m->nv, x, low, high);
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b  = &m->bodies[i];
        int32_t        at = solution * m->nb + i;
        s->motions[at] = s->low[at] = s->high[at] = (ss_body_motion){{0, 0, 0}, {0, 0, 0}};
        if (ss_body_moves(b)) {
            s->motions[at] = motion_of(m, b, a + b->v_start);
            s->low[at]     = beside(&s->motions[at], motion_of(m, b, low + b->v_start));
            s->high[at]    = beside(&s->motions[at], motion_of(m, b, high + b->v_start));
        }
    }
    return SS_OK;
}

ss_status ss_instant_list_solutions(ss_instant *s, const ss_model *m, ss_data *d,
                                    const ss_instant_rows *r, const ss_instant_island *isl,
                                    int32_t count)
{
    int32_t *choice = ss_arena_alloc(&d->scratch, (size_t)count + 1, sizeof *choice);
    if (choice == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(choice, 0, ((size_t)count + 1) * sizeof *choice);
    for (s->solution_count = 0; s->solution_count < SS_INSTANT_MOTIONS;) {
        SS_TRY(ss_instant_put_motion(s, m, d, r, isl, choice, count, s->solution_count));
        s->solution_count++;
        int32_t i = 0;
        while (i < count && ++choice[i] == isl[i].count) {
            choice[i++] = 0;
        }
        if (i == count) {
            return SS_OK;
        }
    }
    s->verdict->complete = false;
    return SS_OK;
}
