/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faces that touch. The normal rows of a face on a plane have rank three (two in the plane): with
 * three corners held a fourth goes where they let it. What steps leave of its gap, rounding in the
 * end, or what an overlap that is kept tilts the face by (SS_OVERLAP_ROUNDING), would be a gap of
 * its own that nothing ever closes. It would not bear, three would share the load of four, and
 * while something slides or turns that is another motion, chosen by rounding.
 *
 * So a contact that nearly touches and whose normal row others make, of contacts between the same
 * bodies that are nearer, has the gap that they make of it. With J_i, g_i >= 0 rows and gaps of the
 * nearer ones, as rows see them,
 *
 *   J = sum x_i J_i   =>   g = sum x_i g_i,
 *
 * so that one motion closes all of them. g is a linear function on the span of the rows: it is kept
 * by its values on an orthonormal basis. Gaps that no others make are left as they are.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"

/* Contacts of two bodies that are looked at together; of two free bodies, and the most that are
   independent. */
enum { FACE_MOST = 64, COLUMNS = 12, RANK_MOST = 6 };

/* Contacts between the same two bodies, the nearest first; what rows see of them. */
typedef struct face {
    int32_t count, rank;
    int32_t contact[FACE_MOST];
    double  gap[FACE_MOST];
    double  basis[RANK_MOST][COLUMNS];
    double  value[RANK_MOST]; /* of the gap on the basis */
} face;

static double size_of(const ss_model *m, int32_t body)
{
    double size = m->shapes[body].size;
    return size > 0 && isfinite(size) ? size : INFINITY;
}

static bool is_taken(const ss_model *m, const ss_contact *c)
{
    return c->branch == 0 && !c->inner && !c->beside && ss_model_law(m, c)->gives == NULL;
}

/* ---- one row --------------------------------------------------------------------------------- */

/* The columns of one body, turns in units of `size`. */
static void put_columns(const ss_model *m, double *J, int32_t body, double sign, ss_vec3 n,
                        ss_vec3 turn, double size)
{
    const ss_body *b = &m->bodies[body];
    if (!ss_body_moves(b)) {
        return;
    }
    ss_vec3 linear = ss_scale(sign, n), angular = ss_scale(sign / size, turn);
    J[0] = linear.x, J[1] = linear.y, J[2] = linear.z;
    if (b->dof == m->dof) {
        J[3] = angular.x, J[4] = angular.y, J[5] = angular.z;
    }
}

/* Of the bodies of a contact that move the one with the lower index. */
static int32_t lower_of(const ss_model *m, const ss_contact *c)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    bool    of_a = ss_body_moves(&m->bodies[a]), of_b = ss_body_moves(&m->bodies[b]);
    return of_a && (a < b || !of_b) ? a : b;
}

/* .. and the other one; -1: it does not move. */
static int32_t upper_of(const ss_model *m, const ss_contact *c)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    int32_t other = lower_of(m, c) == a ? b : a;
    return ss_body_moves(&m->bodies[other]) ? other : -1;
}

/* The normal row of a contact, the body of lower_of() first. */
static void normal_row(const ss_model *m, const ss_data *d, const ss_contact *c, double *J)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    double  size  = ss_min(size_of(m, a), size_of(m, b));
    ss_vec3 arm_a = ss_sub(c->point_a, ss_met_frame(m, d, a, b)->p);
    ss_vec3 arm_b = ss_sub(c->point_b, ss_met_frame(m, d, b, a)->p);
    ss_vec3 of_a  = ss_sub(ss_cross(arm_a, c->normal), c->roll);
    ss_vec3 of_b  = ss_sub(ss_cross(arm_b, c->normal), c->roll);
    size          = isfinite(size) ? size : m->length;
    memset(J, 0, COLUMNS * sizeof *J);
    int32_t first = lower_of(m, c) == a ? 0 : 6;
    put_columns(m, J + first, a, -1, c->normal, of_a, size);
    put_columns(m, J + 6 - first, b, 1, c->normal, of_b, size);
}

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < COLUMNS; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

/* What the basis has of J is taken out, and what it makes of the gap is returned. */
static double take_out(const face *f, double *J)
{
    double gap = 0;
    for (int32_t k = 0; k < f->rank; k++) {
        double part = dot(J, f->basis[k]);
        gap += part * f->value[k];
        for (int i = 0; i < COLUMNS; i++) {
            J[i] -= part * f->basis[k][i];
        }
    }
    return gap;
}

static void extend(face *f, const double *J, double rest, double gap)
{
    for (int i = 0; i < COLUMNS; i++) {
        f->basis[f->rank][i] = J[i] / rest;
    }
    f->value[f->rank++] = gap / rest;
}

/* ---- a face ---------------------------------------------------------------------------------- */

/* In the order of their gaps; equal ones in that of the list. */
static void insert(face *f, int32_t contact, double gap)
{
    int32_t k = f->count++;
    for (; k > 0 && f->gap[k - 1] > gap; k--) {
        f->gap[k]     = f->gap[k - 1];
        f->contact[k] = f->contact[k - 1];
    }
    f->gap[k]     = gap;
    f->contact[k] = contact;
}

/* Does one of several stand off? The last one does, then. */
static bool is_uneven(const face *f)
{
    return f->count > 1 && f->gap[f->count - 1] > 0;
}

static void level(const ss_model *m, ss_data *d, face *f)
{
    for (int32_t k = 0; k < f->count; k++) {
        ss_contact *c = &d->contacts.items[f->contact[k]];
        double      J[COLUMNS];
        normal_row(m, d, c, J);
        double whole = sqrt(dot(J, J)), made = take_out(f, J);
        made += take_out(f, J); /* what rounding left */
        double rest = sqrt(dot(J, J)), own = ss_max(f->gap[k], 0);
        if (rest > SS_FACE_DEPENDENT * whole && f->rank < RANK_MOST) {
            extend(f, J, rest, own - made);
        } else if (made < own) {
            c->gap -= own - ss_max(made, 0);
        }
    }
}

/* ---- all faces ------------------------------------------------------------------------------- */

typedef struct near_contacts {
    int32_t *first; /* (nb) of a body, -1: none      */
    int32_t *next;  /* (contacts); -1: the last one  */
    double  *gap;   /* (contacts) when the step begins; infinite: it is far */
} near_contacts;

static bool make_room(const ss_model *m, ss_data *d, near_contacts *x)
{
    size_t n = (size_t)d->contacts.count;
    x->first = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *x->first);
    x->next  = ss_arena_alloc(&d->scratch, n, sizeof *x->next);
    x->gap   = ss_arena_alloc(&d->scratch, n, sizeof *x->gap);
    return x->first && x->next && x->gap;
}

/* What rows see of a gap, without what driven bodies do. */
static double start_gap(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    bool driven = m->driven && !ss_in_middle(m, d, c);
    return ss_certain_gap(m, d, c) - (driven ? h * ss_driven_approach(m, d, c, h) : 0);
}

/* True: some nearly touch and do not quite. */
static bool list_near(const ss_model *m, ss_data *d, near_contacts *x, double h)
{
    bool any = false;
    memset(x->first, -1, (size_t)m->nb * sizeof *x->first);
    for (int32_t i = d->contacts.count; i-- > 0;) {
        const ss_contact *c   = &d->contacts.items[i];
        double            gap = start_gap(m, d, c, h);
        bool near = is_taken(m, c) && gap <= SS_FACE_HOVERS * ss_touch(m, c->geom_a, c->geom_b);
        x->gap[i] = near ? gap : INFINITY;
        if (near) {
            int32_t body   = lower_of(m, c);
            x->next[i]     = x->first[body];
            x->first[body] = i;
            any            = any || gap > 0;
        }
    }
    return any;
}

/* The face of contact i and those after it in its list, which leave the list. */
static void take_face(const ss_model *m, const ss_data *d, near_contacts *x, int32_t i, face *f)
{
    int32_t other = upper_of(m, &d->contacts.items[i]);
    f->count = f->rank = 0;
    for (int32_t k = i; k >= 0; k = x->next[k]) {
        if (x->gap[k] < INFINITY && f->count < FACE_MOST &&
            upper_of(m, &d->contacts.items[k]) == other) {
            insert(f, k, x->gap[k]);
            x->gap[k] = INFINITY;
        }
    }
}

ss_status ss_level_faces(const ss_model *m, ss_data *d, double h)
{
    if (m->as_printed || d->contacts.count < 2) {
        return SS_OK;
    }
    near_contacts x;
    face          f;
    size_t        mark = ss_arena_mark(&d->scratch);
    if (!make_room(m, d, &x)) {
        return SS_ERR_SCRATCH;
    }
    bool some = list_near(m, d, &x, h);
    for (int32_t b = 0; some && b < m->nb; b++) {
        for (int32_t i = x.first[b]; i >= 0; i = x.next[i]) {
            if (x.gap[i] < INFINITY) {
                take_face(m, d, &x, i, &f);
                if (is_uneven(&f)) {
                    level(m, d, &f);
                }
            }
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
