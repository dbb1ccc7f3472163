/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a formula must satisfy to be a body, and its measures.
 *
 * Inside: the lowest of the points of a grid over the bounds, from there downhill by Newton's
 * method; f must be < 0 there. Along rays from there in all directions (2D: 96, 3D: 600):
 *
 *   f > 0 where the ray leaves the bounds, and the furthest points along the axes lie within them;
 *   f and its first two derivatives are finite, and the second ones positive semidefinite (to 1e-9
 * of their trace) at 1/2, 3/4 and 1 of the way to the surface and at 1/3, 2/3 and 1 of the way on
 * to the bounds.
 *
 * For a convex f that is exact but for what lies between the rays. Volume, centre and inertia are
 * integrals over rays (solid_mass.c) to 1e-9 and better.
 */
#include <string.h>

#include "core/constants.h"
#include "core/elementary.h"
#include "geom/formula_body.h"
#include "geom/solid.h"
#include "geom/tolerances.h"

enum { GRID = 9 };

static ss_status complain(ss_context *ctx, const ss_formula_body *b, ss_vec3 x, const char *what)
{
    ss_vec3 at = ss_add(x, b->origin);
    if (b->dimension == 2) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape 'implicit': %s at (%.6g, %.6g)", what, at.x, at.y);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "shape 'implicit': %s at (%.6g, %.6g, %.6g)", what, at.x,
                   at.y, at.z);
}

static ss_status read_bounds(ss_context *ctx, const ss_shape_def *def, ss_formula_body *b)
{
    bool two = def->point_count == 2 && def->points != NULL;
    if (two) {
        ss_vec3 l = def->points[0], h = def->points[1];
        two = h.x > l.x && h.y > l.y && (b->dimension == 2 || h.z > l.z);
    }
    if (!two) {
        return ss_fail(
            ctx, SS_ERR_INPUT,
            "shape 'implicit': bounds must be two corners of a box, the lower one first");
    }
    b->low  = def->points[0];
    b->high = def->points[1];
    b->size = ss_norm(ss_sub(b->high, b->low));
    return SS_OK;
}

static ss_vec3 lowest_of_grid(const ss_formula_body *b)
{
    ss_vec3 best = ss_scale(0.5, ss_add(b->low, b->high)), across = ss_sub(b->high, b->low);
    double  least = INFINITY;
    int     deep  = b->dimension == 2 ? 1 : GRID;
    for (int i = 0; i < GRID * GRID * deep; i++) {
        int     row = i / GRID, layer = row / GRID;
        ss_vec3 k = ss_v3((i % GRID + 0.5) / GRID, (row % GRID + 0.5) / GRID, (layer + 0.5) / GRID);
        ss_vec3 x =
            ss_v3(b->low.x + k.x * across.x, b->low.y + k.y * across.y, b->low.z + k.z * across.z);
        double v = ss_body_at(b, x, 0).v;
        if (v < least) {
            least = v;
            best  = x;
        }
    }
    return best;
}

/* Newton's step downhill, with a little of the trace on the diagonal; by elimination. */
static ss_vec3 downhill(const ss_formula_body *b, const ss_jet *j)
{
    const double *h       = j->h;
    int           n       = b->dimension == 2 ? 2 : 3;
    double        more    = SS_DOWNHILL * (fabs(h[0]) + fabs(h[1]) + fabs(h[2]));
    double        A[3][4] = {
               {h[0], h[3], h[5], -j->g[0]}, {h[3], h[1], h[4], -j->g[1]}, {h[5], h[4], h[2], -j->g[2]}};
    double x[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        A[i][i] += more;
    }
    for (int i = 0; i < n; i++) {
        for (int r = i + 1; r < n; r++) {
            double k = A[r][i] / A[i][i];
            for (int c = i; c < 4; c++) {
                A[r][c] -= k * A[i][c];
            }
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double left = A[i][3];
        for (int c = i + 1; c < n; c++) {
            left -= A[i][c] * x[c];
        }
        x[i] = left / A[i][i];
    }
    return ss_v3(x[0], x[1], x[2]);
}

/* Towards the lowest point of f. */
static ss_vec3 descend(const ss_formula_body *b, ss_vec3 x)
{
    enum { MAX_STEPS = 60, MAX_HALVINGS = 40 };
    for (int i = 0; i < MAX_STEPS; i++) {
        ss_jet  j      = ss_body_at(b, x, 2);
        ss_vec3 step   = downhill(b, &j);
        bool    better = false;
        for (int k = 0; k < MAX_HALVINGS && !better; k++, step = ss_scale(0.5, step)) {
            ss_vec3 next = ss_add(x, step);
            better       = ss_body_at(b, next, 0).v < j.v;
            x            = better ? next : x;
        }
        if (!better) {
            break;
        }
    }
    return x;
}

static ss_status find_inside(ss_context *ctx, ss_formula_body *b)
{
    ss_vec3 x = lowest_of_grid(b), down = descend(b, x);
    double  least  = ss_body_at(b, down, 0).v;
    bool    within = down.x > b->low.x && down.x < b->high.x && down.y > b->low.y &&
                  down.y < b->high.y &&
                  (b->dimension == 2 || (down.z > b->low.z && down.z < b->high.z));
    if (within && least < 0) {
        x = down;
    }
    if (!(ss_body_at(b, x, 0).v < 0)) {
        return complain(ctx, b, x, "f is nowhere < 0 within the bounds; it is least");
    }
    b->origin = ss_add(b->origin, x);
    b->low    = ss_sub(b->low, x);
    b->high   = ss_sub(b->high, x);
    return SS_OK;
}

/* Direction number i of the rays, not unit. */
static ss_vec3 ray(const ss_formula_body *b, int32_t i)
{
    if (b->dimension == 2) {
        double t = 2 * SS_PI * i / SS_BODY_AROUND;
        return ss_mul(&b->spread, ss_v3(ss_cos(t), ss_sin(t), 0));
    }
    int32_t n = SS_BODY_GRID, face = i / (n * n), r = i % (n * n), row = r / n;
    double  u = ss_tan(0.25 * SS_PI * ((2 * (r % n) + 1.0) / n - 1));
    double  v = ss_tan(0.25 * SS_PI * ((2 * row + 1.0) / n - 1)), s = face % 2 == 0 ? 1 : -1;
    ss_vec3 e = face < 2 ? ss_v3(s, u, v) : face < 4 ? ss_v3(u, s, v) : ss_v3(u, v, s);
    return ss_mul(&b->spread, ss_unit(e));
}

static int32_t rays(const ss_formula_body *b)
{
    return b->dimension == 2 ? SS_BODY_AROUND : SS_BODY_POINTS;
}

/* Are the second derivatives positive semidefinite? All principal minors are. */
static bool is_convex(const ss_formula_body *b, const ss_jet *j)
{
    const double *h    = j->h;
    double        more = SS_CONVEX_ROUNDING * (fabs(h[0]) + fabs(h[1]) + fabs(h[2]));
    double        a = h[0] + more, c = h[1] + more, e = h[2] + more;
    double        ac = a * c - h[3] * h[3], ce = c * e - h[4] * h[4], ea = e * a - h[5] * h[5];
    if (b->dimension == 2) {
        return a >= 0 && c >= 0 && ac >= 0;
    }
    double det = a * ce - h[3] * (h[3] * e - h[4] * h[5]) + h[5] * (h[3] * h[4] - c * h[5]);
    return a >= 0 && c >= 0 && e >= 0 && ac >= 0 && ce >= 0 && ea >= 0 &&
           det >= -more * more * more;
}

static bool is_finite(const ss_jet *j)
{
    double sum = fabs(j->v);
    for (int i = 0; i < 6; i++) {
        sum += fabs(j->h[i]) + (i < 3 ? fabs(j->g[i]) : 0);
    }
    return isfinite(sum);
}

static ss_status check_point(ss_context *ctx, const ss_formula_body *b, ss_vec3 x)
{
    ss_jet j = ss_body_at(b, x, 2);
    if (!is_finite(&j)) {
        return complain(ctx, b, x, "f or a derivative up to the second is not finite");
    }
    if (!is_convex(b, &j)) {
        return complain(ctx, b, x, "f is not convex: its second derivatives are not positive");
    }
    return SS_OK;
}

/* f on the way out along u, to the border of the bounds. */
static ss_status check_ray(ss_context *ctx, const ss_formula_body *b, ss_vec3 u)
{
    static const double inside[3] = {0.5, 0.75, 1};
    const double        low[3] = {b->low.x, b->low.y, b->low.z}, e[3] = {u.x, u.y, u.z};
    const double        high[3] = {b->high.x, b->high.y, b->high.z};
    double              border  = INFINITY;
    for (int i = 0; i < (b->dimension == 2 ? 2 : 3); i++) {
        border = e[i] != 0 ? fmin(border, (e[i] > 0 ? high[i] : low[i]) / e[i]) : border;
    }
    ss_vec3 end = ss_scale(border, u);
    if (!(ss_body_at(b, end, 0).v > 0)) {
        return complain(ctx, b, end, "the body reaches the border of its bounds");
    }
    ss_vec3 o = {0, 0, 0};
    double  k = ss_body_exit(b, o, u);
    if (!(k > 0) || !(k <= border)) {
        return complain(ctx, b, end, "f is not convex: a ray does not find the surface on its way");
    }
    for (int i = 0; i < 3; i++) {
        SS_TRY(check_point(ctx, b, ss_scale(inside[i] * k, u)));
        SS_TRY(check_point(ctx, b, ss_scale(k + (border - k) * (i + 1) / 3, u)));
    }
    return SS_OK;
}

static ss_status check_rays(ss_context *ctx, const ss_formula_body *b)
{
    for (int32_t i = 0; i < rays(b); i++) {
        SS_TRY(check_ray(ctx, b, ray(b, i)));
    }
    return SS_OK;
}

/* Moves the origin to near the centre of mass, and integrates. */
static ss_status measure(ss_context *ctx, ss_formula_body *b)
{
    ss_geom    shape   = {.cls = &ss_shape_implicit, .params = {.formula_body = b}};
    ss_frame   at      = {{0, 0, 0}, ss_mat3_identity()};
    ss_surface surface = {.kind = SS_SURFACE_FORMULA, .at = at, .shape = shape};
    ss_solid   solid   = {.dimension     = b->dimension,
                          .size          = b->size,
                          .surfaces      = &surface,
                          .surface_count = 1,
                          .curved_count  = 1,
                          .spread        = ss_mat3_identity()};
    ss_vec3    centre  = {0, 0, 0};
    if (!ss_solid_centre(&solid, &surface, &centre)) {
        return complain(ctx, b, centre, "the body is too thin");
    }
    b->origin    = ss_add(b->origin, centre);
    b->low       = ss_sub(b->low, centre);
    b->high      = ss_sub(b->high, centre);
    b->spread    = solid.spread;
    b->size      = solid.size;
    surface.at.p = ss_v3(0, 0, 0);
    ss_solid_mass(&solid);
    b->mass = solid.mass;
    return SS_OK;
}

static void keep_points(ss_formula_body *b)
{
    ss_vec3 o      = {0, 0, 0};
    b->point_count = rays(b);
    for (int32_t i = 0; i < b->point_count; i++) {
        ss_vec3 u   = ray(b, i);
        b->point[i] = ss_scale(ss_body_exit(b, o, u), u);
    }
}

/* The furthest points along the axes: within the bounds, or f leaves them between the rays. */
static ss_status check_extent(ss_context *ctx, ss_formula_body *b)
{
    double far[3] = {0, 0, 0};
    for (int i = 0; i < 2 * b->dimension; i++) {
        double  s = i % 2 == 0 ? 1 : -1;
        ss_vec3 d = ss_v3(i / 2 == 0 ? s : 0, i / 2 == 1 ? s : 0, i / 2 == 2 ? s : 0);
        ss_vec3 x = ss_body_support(b, d), l = ss_sub(x, b->low), h = ss_sub(b->high, x);
        bool    within =
            l.x > 0 && l.y > 0 && h.x > 0 && h.y > 0 && (b->dimension == 2 || (l.z > 0 && h.z > 0));
        if (!within) {
            return complain(ctx, b, x, "the body reaches the border of its bounds");
        }
        far[i / 2] = fmax(far[i / 2], ss_dot(d, x));
    }
    b->radius = ss_norm(ss_v3(far[0], far[1], far[2]));
    return SS_OK;
}

ss_status ss_formula_body_make(ss_context *ctx, const ss_shape_def *def, int dimension,
                               ss_formula_body *out)
{
    memset(out, 0, sizeof *out);
    out->dimension = dimension;
    out->spread    = ss_mat3_identity();
    ss_status read = ss_formula_read(ctx, def->params.formula, dimension, &out->f);
    if (read != SS_OK) {
        char why[256];
        strncpy(why, ss_context_message(ctx), sizeof why - 1);
        why[sizeof why - 1] = '\0';
        return ss_fail(ctx, read, "shape 'implicit': f: %s", why);
    }
    SS_TRY(read_bounds(ctx, def, out));
    SS_TRY(find_inside(ctx, out));
    SS_TRY(check_rays(ctx, out));
    SS_TRY(measure(ctx, out));
    SS_TRY(check_rays(ctx, out));
    keep_points(out);
    return check_extent(ctx, out);
}
