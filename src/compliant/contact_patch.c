/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contact: patch. Where a face or an edge lies on a surface, the contact is a patch that is
 * discretised into springs and dampers between the rigid bodies (the SPK model, thesis 2.4.4), each
 * a contact of its own with its share of the pair's stiffness, deflection and friction:
 *
 *   sum K_i = K,     K_i = K (area of its cell)/(area of the patch)
 *
 * The outline of the patch are the contacts that the narrow phase finds: two points, an edge, is
 * cut into n equal pieces with a spring in the middle of each; more points, a face, into the
 * triangles between its middle and its sides, and each of them into n^2 alike, with a spring in the
 * middle of each. Gaps are linear over a flat patch, so those of the springs are exact. Springs
 * keep their place in the body, as the corners that the outline is made of do: their identity
 * follows from those. A single point (something round) stays one spring.
 *
 * Springs are coupled by the bodies that they join, not with each other.
 */
#include <math.h>
#include <string.h>

#include "compliant/compliant.h"
#include "compliant/tolerances.h"
#include "core/elementary.h"
#include "dynamics/stages.h"

extern const ss_contact_class ss_contact_compliant;

enum { OUTLINE = 64 };

/* Contacts of one pair with one normal. */
typedef struct patch {
    ss_contact corner[OUTLINE];
    int32_t    count;
    uint32_t   name_a, name_b;
    int32_t    next; /* number of the next spring */
} patch;

static ss_contact mixture(const patch *p, const ss_contact *x, const double *weight, int32_t count)
{
    ss_contact c = x[0];
    c.point_a = c.point_b = ss_v3(0, 0, 0);
    c.gap                 = 0;
    for (int32_t i = 0; i < count; i++) {
        c.point_a = ss_axpy(c.point_a, weight[i], x[i].point_a);
        c.point_b = ss_axpy(c.point_b, weight[i], x[i].point_b);
        c.gap += weight[i] * x[i].gap;
    }
    c.feature_a = p->name_a;
    c.feature_b = p->name_b;
    return c;
}

static void push(ss_data *d, patch *p, ss_contact c, double share)
{
    const uint32_t spread = 2654435761u; /* numbers of springs become names far from each other */
    c.share               = share;
    c.feature_b ^= (uint32_t)(++p->next) * spread;
    if (d->contacts.count < d->contacts.capacity) {
        d->contacts.items[d->contacts.count] = c;
    }
    d->contacts.count++;
}

/* An edge: n springs, each in the middle of its piece. */
static void fill_edge(ss_data *d, patch *p, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double s = (i + 0.5) / n, weight[2] = {1 - s, s};
        push(d, p, mixture(p, p->corner, weight, 2), 1.0 / n);
    }
}

static double triangle_area(ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    return 0.5 * ss_norm(ss_cross(ss_sub(b, a), ss_sub(c, a)));
}

/* A triangle of the face: n^2 equal cells, a spring in the middle of each. */
static void fill_triangle(ss_data *d, patch *p, const ss_contact *x, int32_t n, double share)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < 2 * (n - i) - 1; j++) { /* upright and hanging ones in turn */
            double u         = (i + (j % 2 == 0 ? 1.0 / 3 : 2.0 / 3)) / n;
            double v         = ((double)(j / 2) + (j % 2 == 0 ? 1.0 / 3 : 2.0 / 3)) / n;
            double weight[3] = {1 - u - v, u, v};
            push(d, p, mixture(p, x, weight, 3), share / (n * n));
        }
    }
}

static double angle_of(const ss_contact *c, ss_vec3 middle, ss_vec3 t, ss_vec3 o)
{
    ss_vec3 r = ss_sub(c->point_a, middle);
    return ss_atan2(ss_dot(r, o), ss_dot(r, t));
}

/* Corners around the middle, the one with the least name first. */
static void sort_outline(const ss_model *m, patch *p, ss_vec3 middle)
{
    ss_vec3 t, o;
    ss_contact_frame(m, &p->corner[0], &t, &o);
    for (int32_t i = 1; i < p->count; i++) {
        for (int32_t k = i; k > 0 && angle_of(&p->corner[k], middle, t, o) <
                                         angle_of(&p->corner[k - 1], middle, t, o);
             k--) {
            ss_contact swap  = p->corner[k];
            p->corner[k]     = p->corner[k - 1];
            p->corner[k - 1] = swap;
        }
    }
    int32_t first = 0;
    for (int32_t i = 1; i < p->count; i++) {
        uint64_t a = ss_contact_key(&p->corner[i]), b = ss_contact_key(&p->corner[first]);
        first = a < b ? i : first;
    }
    for (; first > 0; first--) {
        ss_contact front = p->corner[0];
        memmove(p->corner, p->corner + 1, (size_t)(p->count - 1) * sizeof *p->corner);
        p->corner[p->count - 1] = front;
    }
}

static void fill_face(const ss_model *m, ss_data *d, patch *p, int32_t n)
{
    double equal[OUTLINE], whole = 0;
    for (int32_t i = 0; i < p->count; i++) {
        equal[i] = 1.0 / p->count;
    }
    ss_contact middle = mixture(p, p->corner, equal, p->count);
    sort_outline(m, p, middle.point_a);
    for (int32_t i = 0; i < p->count; i++) {
        whole += triangle_area(middle.point_a, p->corner[i].point_a,
                               p->corner[(i + 1) % p->count].point_a);
    }
    for (int32_t i = 0; i < p->count; i++) {
        const ss_contact x[3] = {middle, p->corner[i], p->corner[(i + 1) % p->count]};
        double           area = triangle_area(x[0].point_a, x[1].point_a, x[2].point_a);
        fill_triangle(d, p, x, n, whole > 0 ? area / whole : equal[i]);
    }
}

static bool on_patch(const ss_contact *x, const ss_contact *y)
{
    return x->geom_a == y->geom_a && x->geom_b == y->geom_b && x->branch == y->branch &&
           ss_dot(x->normal, y->normal) > 1 - SS_PATCH_FLAT;
}

/* Of the contacts from `first` on, those of one patch; *end: where the next ones begin. */
static void gather(const ss_contact *all, int32_t first, int32_t count, patch *p, int32_t *end)
{
    int32_t i = first;
    p->count  = 0;
    p->name_a = p->name_b = p->next = 0;
    for (; i < count && p->count < OUTLINE && on_patch(&all[first], &all[i]); i++) {
        p->corner[p->count++] = all[i];
        p->name_a += all[i].feature_a * 2246822519u + 1;
        p->name_b += all[i].feature_b * 3266489917u + 1;
    }
    *end = i;
}

static ss_status refine(const ss_model *m, ss_data *d)
{
    int32_t     count = d->contacts.count, end = 0;
    ss_contact *all = ss_arena_alloc(&d->scratch, (size_t)count + 1, sizeof *all);
    patch      *p   = ss_arena_alloc(&d->scratch, 1, sizeof *p);
    if (all == NULL || p == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (count > 0) {
        memcpy(all, d->contacts.items, (size_t)count * sizeof *all);
    }
    d->contacts.count = 0;
    for (int32_t i = 0; i < count; i = end) {
        const ss_compliance *gives = ss_model_law(m, &all[i])->gives;
        gather(all, i, count, p, &end);
        if (gives == NULL || p->count == 1) {
            for (int32_t k = 0; k < p->count; k++) {
                push(d, p, p->corner[k], 0);
                if (d->contacts.count <= d->contacts.capacity) {
                    d->contacts.items[d->contacts.count - 1] = p->corner[k]; /* as it is */
                }
            }
        } else if (p->count == 2) {
            fill_edge(d, p, gives->springs > 1 ? gives->springs : 2); /* one would let it tip */
        } else {
            fill_face(m, d, p, gives->springs);
        }
    }
    return d->contacts.count <= d->contacts.capacity ? SS_OK : SS_ERR_SCRATCH;
}

static const char *refuses(const ss_scene *scene)
{
    return ss_contact_compliant.refuses(scene);
}

const ss_contact_class ss_contact_patch = {
    .name = "patch", .gives = true, .refine = refine, .refuses = refuses};
