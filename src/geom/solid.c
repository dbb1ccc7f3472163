/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Support points of a solid K cut from several convex sets.
 *
 * max d.x over K has its maximum where d = sum of lambda_i n_i over the surfaces that meet there,
 * lambda_i >= 0, at most three of them. So it is
 *   on a patch    the support point of one surface, when that lies in K: no other can do better;
 *   else on a crease, where d is perpendicular to the tangent t of the curve: Newton's method along
 * the curve from the best of its points, with x'' from  n_i.x'' = -bend_i, t.x'' = 0; or at a
 * corner. A facet or a straight crease has its furthest point at its ends, which are on the list
 * already.
 */
#include "geom/solid.h"

#include "core/elementary.h"
#include "geom/mass.h"
#include "geom/tolerances.h"

/* The best point listed of a crease is nearer to its furthest than this part of the size. */
static const double between_points = 0.01;

double ss_solid_height(const ss_solid *s, ss_vec3 x, int32_t without)
{
    double  far = -INFINITY;
    ss_vec3 unused;
    for (int32_t i = 0; i < s->surface_count; i++) {
        if (i != without) {
            far = fmax(far, ss_surface_height(&s->surfaces[i], x, &unused));
        }
    }
    return far;
}

ss_vec3 ss_solid_exit(const ss_solid *s, ss_vec3 u, int32_t *surface)
{
    const double tie  = SS_SOLID_TIE; /* surfaces that touch: the first has it */
    double       near = INFINITY;
    ss_vec3      o    = {0, 0, 0};
    *surface          = 0;
    for (int32_t i = 0; i < s->surface_count; i++) {
        double k = ss_surface_exit(&s->surfaces[i], o, u);
        if (k < near * (1 - tie)) {
            near     = k;
            *surface = i;
        }
    }
    return ss_scale(near, u);
}

bool ss_solid_chord(const ss_solid *s, ss_vec3 x, ss_vec3 e, int32_t without, double t[2])
{
    t[0] = -2 * s->size;
    t[1] = 2 * s->size;
    for (int32_t i = 0; i < s->surface_count; i++) {
        if (i != without && !ss_surface_chord(&s->surfaces[i], x, e, t)) {
            return false;
        }
    }
    return true;
}

/* ---- onto surfaces --------------------------------------------------------------------------- */

/* x with n[i].x = h[i] for up to three unit vectors, the shortest such x. */
static bool shortest(const ss_vec3 n[3], const double h[3], int32_t count, ss_vec3 *x)
{
    const double parallel = SS_PLANES_PARALLEL;
    if (count == 1) {
        *x = ss_scale(h[0], n[0]);
        return true;
    }
    ss_vec3 third = count == 3 ? n[2] : ss_unit(ss_cross(n[0], n[1]));
    double  last  = count == 3 ? h[2] : 0;
    ss_vec3 c0 = ss_cross(n[1], third), c1 = ss_cross(third, n[0]), c2 = ss_cross(n[0], n[1]);
    double  det = ss_dot(n[0], c0);
    if (!(fabs(det) > parallel)) {
        return false;
    }
    *x = ss_scale(1 / det, ss_axpy(ss_axpy(ss_scale(h[0], c0), h[1], c1), last, c2));
    return true;
}

bool ss_solid_onto(const ss_solid *s, const int32_t *surfaces, int32_t count, ss_vec3 *x)
{
    enum { MAX_STEPS = 40 };
    double last = INFINITY;
    for (int i = 0; i < MAX_STEPS; i++) {
        ss_vec3 n[3] = {{0, 0, 0}}, step;
        double  h[3] = {0}, far = 0;
        for (int32_t k = 0; k < count; k++) {
            h[k] = -ss_surface_height(&s->surfaces[surfaces[k]], *x, &n[k]);
            far  = fmax(far, fabs(h[k]));
        }
        /* further steps only turn rounding round */
        if (far <= 0.1 * SS_SOLID_ROUNDING * s->size ||
            (far <= 100 * SS_SOLID_ROUNDING * s->size && far >= last)) {
            return true;
        }
        if (!shortest(n, h, count, &step) || !(ss_norm(step) < s->size)) {
            return false;
        }
        *x   = ss_add(*x, step);
        last = far;
    }
    return last <= 100 * SS_SOLID_ROUNDING * s->size;
}

/* ---- support points -------------------------------------------------------------------------- */

bool ss_solid_patch_support(const ss_solid *s, int32_t surface, ss_vec3 d, ss_vec3 *x)
{
    return ss_surface_support(&s->surfaces[surface], d, x) &&
           ss_solid_height(s, *x, surface) <= SS_SOLID_ROUNDING * s->size;
}

/* A point of the curve, its unit tangent, and d.x' and d.x'' along it. */
typedef struct curve_point {
    ss_vec3 x, t;
    double  slope, bend;
} curve_point;

static bool curve_at(const ss_solid *s, const ss_crease *c, ss_vec3 d, ss_vec3 near,
                     curve_point *out)
{
    const int32_t     both[2] = {c->a, c->b};
    const ss_surface *a = &s->surfaces[c->a], *b = &s->surfaces[c->b];
    ss_vec3           n[3], turn;
    out->x = near;
    if (!ss_solid_onto(s, both, 2, &out->x)) {
        return false;
    }
    ss_surface_height(a, out->x, &n[0]);
    ss_surface_height(b, out->x, &n[1]);
    out->t            = ss_unit(ss_cross(n[0], n[1]));
    const double h[3] = {-ss_surface_bend(a, out->x, out->t, s->size),
                         -ss_surface_bend(b, out->x, out->t, s->size), 0};
    out->slope        = ss_dot(d, out->t);
    out->bend         = shortest(n, h, 2, &turn) ? ss_dot(d, turn) : 0;
    return true;
}

static double newton_step(const ss_solid *s, const curve_point *p)
{
    double most = 0.1 * s->size,
           step = p->bend < 0 ? -p->slope / p->bend : copysign(most, p->slope);
    return fmax(-most, fmin(most, step));
}

/* The furthest point of an ellipse. */
static bool ellipse_support(const ss_crease *c, ss_vec3 d, ss_vec3 *x)
{
    double dp = ss_dot(d, c->p), dq = ss_dot(d, c->q), far = ss_hypot(dp, dq);
    if (far > 0) {
        *x = ss_axpy(ss_axpy(c->c, dp / far, c->p), dq / far, c->q);
    }
    return true;
}

/* From x along the curve to where d.x is largest. */
static bool climb_crease(const ss_solid *s, const ss_crease *c, ss_vec3 d, ss_vec3 *x)
{
    enum { MAX_STEPS = 50, MAX_HALVINGS = 30 };
    curve_point p, q;
    if (c->ellipse) {
        return ellipse_support(c, d, x);
    }
    if (!curve_at(s, c, d, *x, &p)) {
        return false;
    }
    for (int i = 0; i < MAX_STEPS && p.slope != 0; i++) {
        double step   = newton_step(s, &p);
        bool   better = false;
        for (int k = 0; k < MAX_HALVINGS && !better; k++, step *= 0.5) {
            better = curve_at(s, c, d, ss_axpy(p.x, step, p.t), &q) &&
                     (fabs(q.slope) < fabs(p.slope) ||
                      ss_dot(d, q.x) > ss_dot(d, p.x) + SS_CREASE_GAIN * fabs(step * p.slope));
        }
        if (!better || fabs(step) <= 0.1 * SS_SOLID_ROUNDING * s->size) {
            break;
        }
        p = q;
    }
    *x = p.x;
    return true;
}

/* Is point i of the crease at least as far along d as those before and after it? */
static bool is_peak(const ss_solid *s, const ss_crease *c, int32_t i, ss_vec3 d, double *far)
{
    const ss_vec3 *x = s->crease_points + c->first;
    *far             = ss_dot(d, x[i]);
    return (i == 0 || ss_dot(d, x[i - 1]) < *far) &&
           (i + 1 == c->count || ss_dot(d, x[i + 1]) <= *far);
}

/* Climb from every peak that may lead above *far; true: one did. */
static bool climb_peaks(const ss_solid *s, const ss_crease *c, ss_vec3 d, double *far,
                        ss_vec3 *best)
{
    double slack = between_points * s->size * ss_norm(d), listed;
    bool   found = false;
    /* all peaks of an ellipse lead to the same point */
    for (int32_t i = 0; i < c->count && !c->straight && !(c->ellipse && i > 0); i++) {
        ss_vec3 x = s->crease_points[c->first + i];
        if (!c->ellipse && (!is_peak(s, c, i, d, &listed) || listed < *far - slack)) {
            continue;
        }
        if (!climb_crease(s, c, d, &x) ||
            ss_solid_height(s, x, -1) > 100 * SS_SOLID_ROUNDING * s->size) {
            continue; /* past a corner */
        }
        double value = ss_dot(d, x);
        if (value >= *far) {
            *far  = value;
            *best = x;
            found = true;
        }
    }
    return found;
}

bool ss_solid_crease_support(const ss_solid *s, int32_t crease, ss_vec3 d, ss_vec3 *x)
{
    double far = -INFINITY;
    return climb_peaks(s, &s->creases[crease], d, &far, x);
}

bool ss_solid_follow(const ss_solid *s, int32_t crease, ss_vec3 d, ss_vec3 *x)
{
    return climb_crease(s, &s->creases[crease], d, x);
}

int32_t ss_solid_peaks(const ss_solid *s, int32_t crease, ss_vec3 d, double least, ss_vec3 *x,
                       int32_t room)
{
    const ss_crease *c     = &s->creases[crease];
    int32_t          count = 0;
    if (c->ellipse && room > 0) {
        ellipse_support(c, d, &x[0]);
        return ss_dot(d, x[0]) >= least ? 1 : 0;
    }
    for (int32_t i = 0; i < c->count && !c->straight && count < room; i++) {
        double far;
        if (is_peak(s, c, i, d, &far) && far >= least - between_points * s->size * ss_norm(d)) {
            x[count++] = s->crease_points[c->first + i];
        }
    }
    return count;
}

static ss_solid_point best_corner(const ss_solid *s, ss_vec3 d, double *far)
{
    ss_solid_point best = {.feature = SS_SOLID_CORNER, .index = -1};
    *far                = -INFINITY;
    for (int32_t i = 0; i < s->corner_count; i++) {
        double k = ss_dot(d, s->corners[i]);
        if (k > *far) {
            *far       = k;
            best.index = i;
            best.x     = s->corners[i];
        }
    }
    return best;
}

/* The furthest of the points listed: of the solid, whatever a climb finds. */
static void offer_listed(const ss_solid *s, ss_vec3 d, ss_solid_point *best, double *far)
{
    for (int32_t i = 0; i < s->crease_count; i++) {
        const ss_crease *c = &s->creases[i];
        for (int32_t k = 0; !c->straight && k < c->count; k++) {
            ss_vec3 x     = s->crease_points[c->first + k];
            double  value = ss_dot(d, x);
            if (value > *far) {
                *far  = value;
                *best = (ss_solid_point){x, SS_SOLID_CREASE, i};
            }
        }
    }
}

/* The furthest point of all creases and corners. */
static ss_solid_point best_on_edges(const ss_solid *s, ss_vec3 d)
{
    double         far;
    ss_solid_point best = best_corner(s, d, &far);
    offer_listed(s, d, &best, &far);
    for (int32_t i = 0; i < s->crease_count; i++) {
        ss_vec3 x;
        if (climb_peaks(s, &s->creases[i], d, &far, &x)) {
            best = (ss_solid_point){x, SS_SOLID_CREASE, i};
        }
    }
    return best;
}

/* The patch that has the furthest point, or -1. */
static int32_t best_patch(const ss_solid *s, ss_vec3 d, ss_vec3 *x)
{
    for (int32_t i = 0; i < s->curved_count; i++) {
        if (ss_solid_patch_support(s, i, d, x)) {
            return i;
        }
    }
    return -1;
}

ss_solid_point ss_solid_support(const ss_solid *s, ss_vec3 d)
{
    ss_solid_point p = {.feature = SS_SOLID_PATCH};
    p.index          = best_patch(s, d, &p.x);
    return p.index >= 0 ? p : best_on_edges(s, d);
}
