/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mass properties of a solid from rays: with x = r A v, v on the unit sphere, r(v) where the ray
 * leaves the solid, and A the spread,
 *   int x^i y^j z^k dV = det A int_sphere (A v)^(ijk) r^(3+i+j+k) / (3+i+j+k) dv,
 * in the plane with 2 for 3. Along a meridian r is smooth between the places where it changes
 * surfaces; these are found by bisection. Along each such part, and over the meridians, the rule of
 * Gauss and Kronrod (7, 15) is applied and halves the intervals that are not accurate yet; creases
 * that touch a meridian are where they become short.
 */
#include "core/constants.h"
#include "core/elementary.h"
#include "geom/mass.h"
#include "geom/solid.h"
#include "geom/tolerances.h"

enum { MOMENTS = 10, MAX_DEPTH = 20, LABELS = 48 };

/* 1, x, y, z, xx, yy, zz, xy, yz, zx */
typedef struct sums {
    double m[MOMENTS];
} sums;

static void accumulate(sums *to, double w, const sums *s)
{
    for (int i = 0; i < MOMENTS; i++) {
        to->m[i] += w * s->m[i];
    }
}

/* The integrand in direction v. */
static sums along_ray(const ss_solid *s, ss_vec3 v, double weight)
{
    ss_vec3 u = ss_mul(&s->spread, v);
    int32_t unused;
    ss_vec3 x = ss_solid_exit(s, u, &unused);
    double  r = ss_norm(x) / ss_norm(u), k = weight * (s->dimension == 2 ? r * r : r * r * r);
    double  n = s->dimension, first = k / (n + 1), second = k / (n + 2);
    sums    out = {{k / n, first * x.x, first * x.y, first * x.z, second * x.x * x.x,
                    second * x.y * x.y, second * x.z * x.z, second * x.x * x.y, second * x.y * x.z,
                    second * x.z * x.x}};
    return out;
}

/* ---- integrals over an interval -------------------------------------------------------------- */

/* Kronrod's 15 points: nodes and weights of the half, and Gauss's weights for every other one. */
static const double kronrod_x[8] = {
    0.99145537112081264, 0.94910791234275852, 0.86486442335976907, 0.74153118559939444,
    0.58608723546769113, 0.40584515137739717, 0.20778495500789847, 0};
static const double kronrod_w[8] = {0.022935322010529225, 0.063092092629978553, 0.10479001032225018,
                                    0.14065325971552592,  0.16900472663926790,  0.19035057806478541,
                                    0.20443294007529889,  0.20948214108472783};
static const double gauss_w[4]   = {0.12948496616886969, 0.27970539148927667, 0.38183005050511894,
                                    0.41795918367346939};

typedef struct integral {
    const ss_solid *s;
    sums (*f)(const struct integral *of, double t);
    double phi;      /* the meridian, where the integral is along it */
    sums   scale;    /* a solid of this extent                       */
    double accuracy; /* relative to it                               */
} integral;

/* The integral over low .. high, and the difference of the two rules. */
static sums panel(const integral *of, double low, double high, sums *difference)
{
    double mid = 0.5 * (low + high), half = 0.5 * (high - low);
    sums   fine = {{0}}, coarse = {{0}};
    for (int i = 0; i < 8; i++) {
        for (int side = -1; side <= (i == 7 ? -1 : 1); side += 2) {
            sums f = of->f(of, mid + side * half * kronrod_x[i]);
            accumulate(&fine, half * kronrod_w[i], &f);
            accumulate(&coarse, i % 2 == 1 ? half * gauss_w[i / 2] : 0, &f);
        }
    }
    *difference = fine;
    accumulate(difference, -1, &coarse);
    return fine;
}

static bool is_accurate(const integral *of, const sums *difference)
{
    double far = 0;
    for (int i = 0; i < MOMENTS; i++) {
        far = fmax(far, fabs(difference->m[i]) / of->scale.m[i]);
    }
    return far <= of->accuracy;
}

static sums over(const integral *of, double low, double high, int depth)
{
    sums difference, all = panel(of, low, high, &difference);
    if (depth == 0 || is_accurate(of, &difference)) {
        return all;
    }
    double mid = 0.5 * (low + high);
    all        = over(of, low, mid, depth - 1);
    sums upper = over(of, mid, high, depth - 1);
    accumulate(&all, 1, &upper);
    return all;
}

/* ---- along a meridian ------------------------------------------------------------------------ */

static ss_vec3 direction(double theta, double phi)
{
    return ss_v3(ss_sin(theta) * ss_cos(phi), ss_sin(theta) * ss_sin(phi), ss_cos(theta));
}

static sums on_meridian(const integral *of, double theta)
{
    return along_ray(of->s, direction(theta, of->phi), ss_sin(theta));
}

/* Which smooth piece of which surface the ray leaves through. */
static int32_t piece_at(const integral *of, double theta)
{
    int32_t surface;
    ss_vec3 x = ss_solid_exit(of->s, ss_mul(&of->s->spread, direction(theta, of->phi)), &surface);
    return 8 * surface + ss_surface_piece(&of->s->surfaces[surface], x);
}

/* The smooth parts of low .. high, which leave through pieces a and b at the ends. */
static void split_part(const integral *of, double low, double high, int32_t a, int32_t b, sums *out)
{
    double from = low, to = high;
    while (a != b && to - from > SS_MERIDIAN_ROUNDING * (1 + to)) {
        double mid = 0.5 * (from + to);
        if (mid <= from || mid >= to) {
            break;
        }
        *(piece_at(of, mid) == a ? &from : &to) = mid;
    }
    sums part = over(of, low, a == b ? high : from, MAX_DEPTH);
    accumulate(out, 1, &part);
    if (a != b && to < high && to - low > SS_MERIDIAN_LEAST) {
        int32_t next = piece_at(of, to);
        split_part(of, to, high, next == a ? b : next, b, out);
    }
}

/* Runs that leave through one piece, in parts of at most a quarter of the meridian. */
static sums meridian(const integral *whole, double phi)
{
    const ss_solid *s   = whole->s;
    integral        of  = {s, on_meridian, phi, whole->scale, 0.1 * whole->accuracy};
    sums            out = {{0}};
    if (s->dimension == 2) {
        return along_ray(s, ss_v3(ss_cos(phi), ss_sin(phi), 0), 1);
    }
    int32_t a   = piece_at(&of, 0);
    double  low = 0;
    for (int i = 1; i <= LABELS; i++) {
        double  high = SS_PI * i / LABELS;
        int32_t b    = piece_at(&of, high);
        if (a != b || i % (LABELS / 4) == 0) {
            split_part(&of, low, high, a, b, &out);
            low = high;
            a   = b;
        }
    }
    return out;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Lengths along x, y, z that the solid has, and a volume, as sums to compare with. */
static sums scale_of(const ss_solid *s)
{
    const double *A = s->spread.m;
    ss_vec3       e = {ss_norm(ss_v3(A[0], A[1], A[2])), ss_norm(ss_v3(A[3], A[4], A[5])),
                 s->dimension == 2 ? 1 : ss_norm(ss_v3(A[6], A[7], A[8]))};
    return (sums){
        {1, e.x, e.y, e.z, e.x * e.x, e.y * e.y, e.z * e.z, e.x * e.y, e.y * e.z, e.z * e.x}};
}

/* The meridian through x; the spread is lower triangular. */
static double meridian_of(const ss_solid *s, ss_vec3 x)
{
    const double *A = s->spread.m;
    double        p = x.x / A[0], q = (x.y - A[3] * p) / A[4], phi = ss_atan2(q, p);
    return phi < 0 ? phi + 2 * SS_PI : phi;
}

enum { MAX_BREAKS = 256 };

/* Meridians at which the integral over them is not smooth, in order. */
typedef struct breaks {
    double  phi[MAX_BREAKS];
    int32_t count;
} breaks;

static void add_break(breaks *b, double phi)
{
    if (b->count < MAX_BREAKS) {
        int32_t at = b->count++;
        for (; at > 0 && b->phi[at - 1] > phi; at--) {
            b->phi[at] = b->phi[at - 1];
        }
        b->phi[at] = phi;
    }
}

/* How fast the crease turns about the pole at the point of it nearest to x, up to a factor > 0. */
static double turning(const ss_solid *s, const ss_crease *c, ss_vec3 *x)
{
    const int32_t both[2] = {c->a, c->b};
    const double *A       = s->spread.m;
    ss_vec3       na, nb;
    ss_solid_onto(s, both, 2, x);
    ss_surface_height(&s->surfaces[c->a], *x, &na);
    ss_surface_height(&s->surfaces[c->b], *x, &nb);
    ss_vec3 t = ss_cross(na, nb);
    double  p = x->x / A[0], q = (x->y - A[3] * p) / A[4];
    double  tp = t.x / A[0], tq = (t.y - A[3] * tp) / A[4];
    return p * tq - q * tp;
}

/* Between x and y, neighbours on a crease, it may touch a meridian: there it turns back. */
static void break_between(const ss_solid *s, const ss_crease *c, ss_vec3 x, ss_vec3 y, breaks *b)
{
    enum { HALVINGS = 40 };
    double sign = turning(s, c, &x), low = 0, high = 1;
    if (!(sign * turning(s, c, &y) < 0)) {
        return;
    }
    ss_vec3 z = x;
    for (int i = 0; i < HALVINGS; i++) {
        double mid                                     = 0.5 * (low + high);
        z                                              = ss_axpy(ss_scale(1 - mid, x), mid, y);
        *(turning(s, c, &z) * sign > 0 ? &low : &high) = mid;
    }
    add_break(b, meridian_of(s, z));
}

/* The quarters of a turn, the corners, and the meridians that a crease touches. */
static void find_breaks(const ss_solid *s, breaks *b)
{
    b->count = 0;
    for (int i = 0; i < 5; i++) {
        add_break(b, 0.5 * SS_PI * i);
    }
    for (int32_t i = 0; i < s->corner_count; i++) {
        add_break(b, meridian_of(s, s->corners[i]));
    }
    for (int32_t i = 0; i < s->crease_count; i++) {
        const ss_crease *c = &s->creases[i];
        const ss_vec3   *x = s->crease_points + c->first;
        for (int32_t k = 0; k < c->count && !c->straight;
             k++) { /* and from the last to the first */
            break_between(s, c, x[k], x[k + 1 < c->count ? k + 1 : 0], b);
        }
    }
}

/*
 * Over the meridians low .. high. Where a crease touches a meridian the integrand is like the power
 * 3/2 of the distance from there; with phi = mid + half u (3 - u^2)/2 it is smooth in u.
 */
typedef struct stretch {
    integral of; /* must be first: the integrand gets this */
    double   mid, half;
} stretch;

static sums stretched(const integral *of, double u)
{
    const stretch *s   = (const stretch *)(const void *)of;
    sums           out = {{0}}, f = meridian(of, s->mid + s->half * u * (3 - u * u) / 2);
    accumulate(&out, s->half * 1.5 * (1 - u * u), &f);
    return out;
}

static double det_of(const ss_solid *s)
{
    const double *A = s->spread.m;
    return A[0] * A[4] * (s->dimension == 2 ? 1 : A[8]);
}

/* Mass properties from the sums of the integrand over all v. */
static ss_mass mass_of(const ss_solid *s, const sums *all)
{
    double        det = det_of(s), V = det * all->m[0];
    const double *m  = all->m;
    ss_vec3       c  = ss_scale(1 / m[0], ss_v3(m[1], m[2], m[3]));
    double        xx = det * m[4] - V * c.x * c.x, yy = det * m[5] - V * c.y * c.y,
           zz = det * m[6] - V * c.z * c.z, xy = det * m[7] - V * c.x * c.y,
           yz = det * m[8] - V * c.y * c.z, zx = det * m[9] - V * c.z * c.x;
    return (ss_mass){V, c, {{yy + zz, -xy, -zx, -xy, zz + xx, -yz, -zx, -yz, xx + yy}}};
}

static double accuracy_for(const ss_solid *s)
{
    for (int32_t i = 0; i < s->curved_count; i++) {
        if (s->surfaces[i].kind == SS_SURFACE_OVAL || s->surfaces[i].kind == SS_SURFACE_FORMULA) {
            return SS_OVAL_ACCURACY;
        }
    }
    return SS_MASS_ACCURACY;
}

void ss_solid_mass(ss_solid *s)
{
    breaks b;
    sums   all = {{0}};
    find_breaks(s, &b);
    for (int32_t i = 0; i + 1 < b.count; i++) {
        double  low = b.phi[i], high = b.phi[i + 1];
        stretch now = {{.s = s, .f = stretched, .scale = scale_of(s), .accuracy = accuracy_for(s)},
                       0.5 * (low + high),
                       0.5 * (high - low)};
        if (high > low) {
            sums part = over(&now.of, -1, 1, MAX_DEPTH);
            accumulate(&all, 1, &part);
        }
    }
    s->mass = mass_of(s, &all);
}

/* ---- a first look ---------------------------------------------------------------------------- */

/* The same integrals by few rays. */
static sums roughly(const ss_solid *s)
{
    enum { ROWS = 24, COLUMNS = 48 };
    sums all = {{0}};
    for (int c = 0; c < COLUMNS; c++) {
        double phi = 2 * SS_PI * (c + 0.5) / COLUMNS;
        for (int r = 0; r < ROWS; r++) {
            double  theta = SS_PI * (r + 0.5) / ROWS;
            bool    flat  = s->dimension == 2;
            ss_vec3 v     = flat ? ss_v3(ss_cos(phi), ss_sin(phi), 0) : direction(theta, phi);
            sums    f     = along_ray(s, v, flat ? 1.0 / ROWS : ss_sin(theta) * SS_PI / ROWS);
            accumulate(&all, 2 * SS_PI / COLUMNS, &f);
        }
    }
    return all;
}

/* Cholesky factor of the second moments; of an ellipsoid: its half axes. */
static void spread_from(ss_solid *s, const ss_mass *m)
{
    const double *I  = m->inertia.m;
    double        k  = (s->dimension == 2 ? 4 : 5) / m->volume;
    double        xx = 0.5 * k * (I[4] + I[8] - I[0]), yy = 0.5 * k * (I[8] + I[0] - I[4]),
           zz = 0.5 * k * (I[0] + I[4] - I[8]);
    double xy = -k * I[1], yz = -k * I[5], zx = -k * I[2];
    double a = sqrt(xx), b = xy / a, c = sqrt(yy - b * b), d = zx / a, e = (yz - b * d) / c;
    double f  = s->dimension == 2 ? 1 : sqrt(zz - d * d - e * e);
    s->spread = (ss_mat3){{a, 0, 0, b, c, 0, d, e, f}};
}

bool ss_solid_centre(ss_solid *s, ss_surface *surfaces, ss_vec3 *centre)
{
    enum { ROUNDS = 8 };
    for (int i = 0; i < ROUNDS; i++) {
        sums    all = roughly(s);
        ss_mass m   = mass_of(s, &all);
        spread_from(s, &m);
        for (int32_t k = 0; k < s->surface_count; k++) {
            ss_surface_move_origin(&surfaces[k], m.centre);
        }
        *centre = ss_add(*centre, m.centre);
        if (!(m.volume > 0) || !isfinite(det_of(s)) || !(det_of(s) > 0)) {
            return false;
        }
    }
    const double *A = s->spread.m;
    s->size         = 2 * fmax(A[0], fmax(ss_norm(ss_v3(A[3], A[4], 0)),
                                  s->dimension == 2 ? 0 : ss_norm(ss_v3(A[6], A[7], A[8]))));
    return true;
}
