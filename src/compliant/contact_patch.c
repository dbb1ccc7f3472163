/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contact: patch. Where a face or an edge lies on a surface, the contact is a patch that is
 * discretised into springs and dampers between the rigid bodies (the SPK model, thesis 2.4.4), each
 * a contact of its own with its share of the pair's stiffness, deflection and friction:
 *
 *   sum K_i = K,     K_i = K (area around it)/(area of the patch)
 *
 * A polyhedron over a plane has springs all over, at fixed places (body_springs.c). Elsewhere the
 * outline of the patch are corners that the narrow phase finds; those of one face or edge, the one
 * that lies flattest, on planes whether they touch or not (dynamics/meet.c asks for them). An edge
 * is cut into n pieces, a face into the triangles between its middle and its sides and each of them
 * into n^2 alike; springs stand at the corners of these pieces, with half of an edge's piece, a
 * third of a triangle. Gaps are linear over a flat patch, so those of the springs are exact. They
 * are known by the names of the corners; what they store is handed over as the outline changes
 * (hand_over.c). A single point (something round) stays one spring.
 *
 * Springs are coupled by the bodies that they join; with `spread`, directly with each other, too
 * (layer.c).
 */
#include <math.h>
#include <string.h>

#include "compliant/compliant.h"
#include "compliant/layer.h"
#include "compliant/tolerances.h"
#include "core/compare.h"
#include "core/elementary.h"
#include "dynamics/stages.h"

extern const ss_contact_class ss_contact_compliant;

enum { OUTLINE = 64 };

/* Contacts of one pair with one normal: those of its flattest face or edge. */
typedef struct patch {
    ss_contact corner[OUTLINE];
    int32_t    count;
    uint32_t   name_a, name_b;
    double reach; /* springs further away have nothing to do in the step; INFINITY: with layers */
} patch;

/* A node: spring number `number` (0: a corner, under its own name) and its share. */
typedef struct node {
    ss_contact contact;
    double     share;
    uint32_t   number;
} node;

ss_vec3 ss_patch_point(const ss_contact *c)
{
    return ss_axpy(c->point_a, c->gap, c->normal);
}

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

static void push(ss_data *d, ss_contact c)
{
    if (d->contacts.count < d->contacts.capacity) {
        d->contacts.items[d->contacts.count] = c;
    }
    d->contacts.count++;
}

static void push_node(ss_data *d, const patch *p, const node *x)
{
    const uint32_t spread = 2654435761u; /* numbers of springs become names far from each other */
    ss_contact     c      = x->contact;
    c.share               = x->share;
    c.drifts              = true;
    c.feature_b ^= x->number * spread;
    if (c.gap <= p->reach) {
        push(d, c);
    }
}

/* An edge: n pieces, a spring at each end of them. */
static void fill_edge(ss_data *d, patch *p, int32_t n, double spread)
{
    double length = ss_norm(ss_sub(ss_patch_point(&p->corner[1]), ss_patch_point(&p->corner[0])));
    if (spread > 0 && length > 0) {
        ss_layer_of_edge(d, d->contacts.count, n, length, spread);
    }
    for (int32_t i = 0; i <= n; i++) {
        double s = (double)i / n, weight[2] = {1 - s, s};
        bool   end = i == 0 || i == n;
        node   x   = {end ? p->corner[i / n] : mixture(p, p->corner, weight, 2), 1.0 / n,
                  end ? 0 : (uint32_t)i};
        x.share *= end ? 0.5 : 1;
        push_node(d, p, &x);
    }
}

static double triangle_area(ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    return 0.5 * ss_norm(ss_cross(ss_sub(b, a), ss_sub(c, a)));
}

/*
 * Nodes of a face: the middle; the spokes from there to the corners, n nodes each; and those within
 * the triangle between spokes s and s + 1, at i n-ths of the way along the one and j n-ths along
 * the other.
 */
typedef struct face {
    const patch *p;
    ss_contact   middle;
    int32_t      n;
    node        *nodes;
} face;

static int32_t node_at(const face *f, int32_t s, int32_t i, int32_t j)
{
    const int32_t n = f->n, count = f->p->count;
    if (i == 0 && j == 0) {
        return 0;
    }
    if (j == 0 || i == 0) {
        int32_t spoke = j == 0 ? s : (s + 1) % count;
        return 1 + spoke * n + i + j - 1;
    }
    return 1 + count * n + s * (n * (n - 1) / 2) + (i - 1) * n - i * (i - 1) / 2 + j - 1;
}

static void place_node(const face *f, int32_t s, int32_t i, int32_t j)
{
    int32_t          at = node_at(f, s, i, j);
    double           u = (double)i / f->n, v = (double)j / f->n;
    const double     weight[3] = {1 - u - v, u, v};
    const ss_contact x[3]      = {f->middle, f->p->corner[s], f->p->corner[(s + 1) % f->p->count]};
    bool             corner    = i == f->n;
    f->nodes[at].contact       = corner ? f->p->corner[s] : mixture(f->p, x, weight, 3);
    f->nodes[at].number        = corner ? 0 : (uint32_t)at + 1;
}

/* A triangle with these nodes: its area, and what it couples. */
static void add_triangle(ss_data *d, const face *f, const int32_t at[3], double part, double whole,
                         double spread)
{
    int32_t first = d->contacts.count; /* the nodes become contacts from there on */
    ss_vec3 x[3];
    for (int k = 0; k < 3; k++) {
        f->nodes[at[k]].share += part / 3;
        x[k] = ss_patch_point(&f->nodes[at[k]].contact);
    }
    if (spread > 0 && whole > 0) {
        const int32_t contact[3] = {first + at[0], first + at[1], first + at[2]};
        ss_layer_triangle(d, contact, x, spread * spread / whole);
    }
}

static void fill_triangles(ss_data *d, const face *f, int32_t s, double part, double whole,
                           double spread)
{
    for (int32_t i = 0; i < f->n; i++) {
        for (int32_t j = 0; i + j < f->n; j++) {
            const int32_t up[3] = {node_at(f, s, i, j), node_at(f, s, i + 1, j),
                                   node_at(f, s, i, j + 1)};
            add_triangle(d, f, up, part, whole, spread);
            if (i + j + 1 < f->n) {
                const int32_t down[3] = {up[1], node_at(f, s, i + 1, j + 1), up[2]};
                add_triangle(d, f, down, part, whole, spread);
            }
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

static ss_status fill_face(const ss_model *m, ss_data *d, patch *p, int32_t n, double spread)
{
    double equal[OUTLINE] = {0}, whole = 0;
    for (int32_t i = 0; i < p->count; i++) {
        equal[i] = 1.0 / p->count;
    }
    face    f     = {p, mixture(p, p->corner, equal, p->count), n, NULL};
    int32_t count = 1 + p->count * n + p->count * (n * (n - 1) / 2);
    f.nodes       = ss_arena_alloc(&d->scratch, (size_t)count, sizeof *f.nodes);
    if (f.nodes == NULL) {
        return SS_ERR_SCRATCH;
    }
    sort_outline(m, p, f.middle.point_a);
    memset(f.nodes, 0, (size_t)count * sizeof *f.nodes);
    ss_vec3 middle = ss_patch_point(&f.middle), corner[OUTLINE + 1];
    for (int32_t s = 0; s <= p->count; s++) {
        corner[s] = ss_patch_point(&p->corner[s % p->count]);
    }
    for (int32_t s = 0; s < p->count; s++) {
        whole += triangle_area(middle, corner[s], corner[s + 1]);
        for (int32_t i = 0; i <= n; i++) {
            for (int32_t j = 0; i + j <= n && j < n; j++) { /* the last of j is the next's first */
                place_node(&f, s, i, j);
            }
        }
    }
    ss_layer_open(d, d->contacts.count, spread > 0 && whole > 0 ? count : 0);
    for (int32_t s = 0; s < p->count; s++) {
        double area = triangle_area(middle, corner[s], corner[s + 1]);
        double part = (whole > 0 ? area / whole : equal[s]) / (n * n);
        fill_triangles(d, &f, s, part, whole, spread);
    }
    ss_layer_close(d);
    for (int32_t i = 0; i < count; i++) {
        push_node(d, p, &f.nodes[i]);
    }
    return SS_OK;
}

/* ---- outlines ------------------------------------------------------------------------------ */

static bool on_patch(const ss_contact *x, const ss_contact *y)
{
    return x->geom_a == y->geom_a && x->geom_b == y->geom_b && x->branch == y->branch &&
           ss_dot(x->normal, y->normal) > 1 - SS_PATCH_FLAT;
}

/* The contact that another one from `from` on, over which distance it rises, is reached flattest.
 */
static int32_t flattest_from(const ss_contact *x, int32_t count, int32_t from)
{
    int32_t best  = -1;
    double  least = INFINITY;
    for (int32_t i = 0; i < count; i++) {
        double apart = ss_norm(ss_sub(ss_patch_point(&x[i]), ss_patch_point(&x[from])));
        double slope = (x[i].gap - x[from].gap) / apart;
        if (i != from && apart > 0 && slope < least) {
            least = slope;
            best  = i;
        }
    }
    return best;
}

/* The normal of the flattest plane through two contacts and a third; zero: all are on a line. */
static ss_vec3 flattest_plane(const ss_contact *x, int32_t count, int32_t i, int32_t j)
{
    ss_vec3 p = ss_patch_point(&x[i]), side = ss_sub(ss_patch_point(&x[j]), p),
            best = ss_v3(0, 0, 0);
    double most  = SS_PATCH_STEEP;
    for (int32_t k = 0; k < count; k++) {
        ss_vec3 to = ss_sub(ss_patch_point(&x[k]), p), n = ss_cross(side, to);
        double  area = ss_norm(n), lies = area > 0 ? fabs(ss_dot(n, x[i].normal)) / area : 0;
        if (area > SS_PATCH_THIN * ss_norm(side) * ss_norm(to) && lies > most) {
            most = lies;
            best = ss_scale(1 / area, n);
        }
    }
    return best;
}

/* Of the contacts of one pair with one normal, those of the face or edge that lies flattest. */
static void choose_outline(const ss_model *m, const ss_contact *x, int32_t count, patch *p)
{
    int32_t low = 0;
    for (int32_t i = 1; i < count; i++) {
        low = x[i].gap < x[low].gap ? i : low;
    }
    int32_t next = flattest_from(x, count, low);
    ss_vec3 n =
        m->dimension == 3 && next >= 0 ? flattest_plane(x, count, low, next) : ss_v3(0, 0, 0);
    bool flat = ss_dot(n, n) > 0;
    p->count  = 0;
    for (int32_t i = 0; i < count && p->count < OUTLINE; i++) {
        ss_vec3 to = ss_sub(ss_patch_point(&x[i]), ss_patch_point(&x[low]));
        double  size =
            next >= 0 ? ss_norm(ss_sub(ss_patch_point(&x[next]), ss_patch_point(&x[low]))) : 0;
        bool on = flat ? fabs(ss_dot(to, n)) <= SS_PATCH_LEVEL * ss_max(size, ss_norm(to))
                       : i == low || i == next;
        if (on) {
            p->corner[p->count++] = x[i];
        }
    }
    if (p->count == 2 && ss_contact_key(&p->corner[1]) < ss_contact_key(&p->corner[0])) {
        ss_contact swap = p->corner[0];
        p->corner[0]    = p->corner[1];
        p->corner[1]    = swap;
    }
    p->name_a = p->name_b = 0;
    for (int32_t i = 0; i < p->count; i++) {
        p->name_a += p->corner[i].feature_a * 2246822519u + 1;
        p->name_b += p->corner[i].feature_b * 3266489917u + 1;
    }
}

static ss_status fill(const ss_model *m, ss_data *d, patch *p, const ss_compliance *gives)
{
    if (p->count == 1) {
        push(d, p->corner[0]);
    } else if (p->count == 2) {
        fill_edge(d, p, gives->springs > 1 ? gives->springs : 2, gives->spread);
    } else if (p->count > 2) {
        return fill_face(m, d, p, gives->springs, gives->spread);
    }
    return SS_OK;
}

/* How far the bodies of a contact can come towards each other in the step. */
static double reach_of(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    double fast =
        h > 0 ? d->speed[m->geoms[c->geom_a].body] + d->speed[m->geoms[c->geom_b].body] : 0;
    return h * fast;
}

static ss_status refine(const ss_model *m, ss_data *d, double h)
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
    ss_layers_begin(d);
    for (int32_t i = 0; i < count; i = end) {
        const ss_compliance *gives = ss_model_law(m, &all[i])->gives;
        for (end = i + 1; end < count && on_patch(&all[i], &all[end]); end++) {
        }
        for (int32_t k = i; gives == NULL && k < end; k++) {
            push(d, all[k]);
        }
        if (gives != NULL && ss_has_body_springs(m, all[i].geom_a, all[i].geom_b, gives)) {
            SS_TRY(ss_body_springs(m, d, &all[i], reach_of(m, d, &all[i], h), gives->springs));
        } else if (gives != NULL) {
            choose_outline(m, all + i, end - i, p);
            p->reach = gives->spread > 0 ? INFINITY : reach_of(m, d, &all[i], h);
            SS_TRY(fill(m, d, p, gives));
        }
    }
    bool fits = d->contacts.count <= d->contacts.capacity && ss_layers_fit(d);
    return fits ? SS_OK : SS_ERR_SCRATCH;
}

static const char *refuses(const ss_scene *scene)
{
    return ss_contact_compliant.refuses(scene);
}

const ss_contact_class ss_contact_patch = {
    .name = "patch", .gives = true, .refine = refine, .refuses = refuses};
