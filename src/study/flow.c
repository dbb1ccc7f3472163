/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points of a field that is known on a grid.
 *
 * Where a field vanishes alone, it turns once about itself along a closed path around the point:
 * the index of Poincare, the sum of the angles between successive velocities over 2 pi, is +1, or
 * -1 around a saddle. So cells whose four corners have an index, and cells with a corner at rest,
 * are put together to groups of neighbours; the index along the border of a group's box says
 * whether there is a point in it. Noise makes pairs of points that cancel: a group has one index.
 *
 * Its kind follows from the Jacobian J, by least squares over the box and a node around it:
 *
 *   eigenvalues   real, both < 0: sink; both > 0: source; of two signs (index -1): saddle;
 *                 complex: spiral sink or source (plain where |Im| < SS_FLOW_THIN |Re|); centre
 * where |Re| < SS_FLOW_ROUND |Im|;
 *
 * and the point lies where the fitted field vanishes. The field as a whole is fitted in the same
 * way over all nodes. There one eigenvalue may be small beside the other (line sink, line source),
 * or all of J beside the velocity in the middle (translation).
 */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "study/flow_parts.h"
#include "study/tolerances.h"

const char *ss_flow_kind_text(ss_flow_kind kind)
{
    static const char *const names[] = {"rest",        "translation",   "sink",   "source",
                                        "spiral sink", "spiral source", "centre", "saddle",
                                        "line sink",   "line source",   "shear"};
    bool known = (int)kind >= 0 && (size_t)kind < sizeof names / sizeof names[0];
    return known ? names[kind] : "unknown";
}

/* ---- the grid ---- */

static size_t node(const ss_flow *f, int32_t i, int32_t j)
{
    return (size_t)j * (size_t)f->nx + (size_t)i;
}

static double speed(const ss_flow *f, int32_t i, int32_t j)
{
    size_t k = node(f, i, j);
    return sqrt(f->u[k] * f->u[k] + f->v[k] * f->v[k]);
}

static bool known(const ss_flow *f, int32_t i, int32_t j)
{
    return isfinite(speed(f, i, j));
}

static bool rests(const ss_flow *f, int32_t i, int32_t j)
{
    return speed(f, i, j) <= SS_FLOW_RESTS * f->fastest;
}

/* The place of t among rising numbers: t in [x_i, x_i+1]; -1: outside. */
static int32_t interval(const double *x, int32_t n, double t)
{
    if (!(t >= x[0]) || !(t <= x[n - 1])) {
        return -1;
    }
    int32_t low = 0, high = n - 1;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (x[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

bool ss_flow_velocity(const ss_flow *f, const double at[2], double velocity[2])
{
    int32_t i = interval(f->x, f->nx, at[0]), j = interval(f->y, f->ny, at[1]);
    if (i < 0 || j < 0) {
        return false;
    }
    double a         = (at[0] - f->x[i]) / (f->x[i + 1] - f->x[i]);
    double b         = (at[1] - f->y[j]) / (f->y[j + 1] - f->y[j]);
    size_t k[4]      = {node(f, i, j), node(f, i + 1, j), node(f, i, j + 1), node(f, i + 1, j + 1)};
    double weight[4] = {(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b};
    velocity[0] = velocity[1] = 0;
    for (int c = 0; c < 4; c++) {
        velocity[0] += weight[c] * f->u[k[c]];
        velocity[1] += weight[c] * f->v[k[c]];
    }
    return isfinite(velocity[0]) && isfinite(velocity[1]);
}

/* ---- the linear field that fits best ---- */

typedef struct box {
    int32_t i0, i1, j0, j1; /* nodes, both ends included */
} box;

typedef struct sums {
    double n, x, y, xx, xy, yy, u, v, xu, yu, xv, yv, uu;
} sums;

static sums add_up(const ss_flow *f, const box *b, const double at[2])
{
    sums s = {0};
    for (int32_t j = b->j0; j <= b->j1; j++) {
        for (int32_t i = b->i0; i <= b->i1; i++) {
            if (!known(f, i, j)) {
                continue;
            }
            double x = f->x[i] - at[0], y = f->y[j] - at[1];
            double u = f->u[node(f, i, j)], v = f->v[node(f, i, j)];
            s.n += 1, s.x += x, s.y += y, s.xx += x * x, s.xy += x * y, s.yy += y * y;
            s.u += u, s.v += v, s.xu += x * u, s.yu += y * u, s.xv += x * v, s.yv += y * v;
            s.uu += u * u + v * v;
        }
    }
    return s;
}

/* Normal equations of c0 + c1 x + c2 y, by Cramer's rule about the mean. */
static bool solve_fit(const sums *s, double f, double xf, double yf, double c[3])
{
    double xx = s->xx - s->x * s->x / s->n, yy = s->yy - s->y * s->y / s->n;
    double xy = s->xy - s->x * s->y / s->n, det = xx * yy - xy * xy;
    if (s->n < 3 || !(det > SS_FLOW_FLAT * xx * yy)) {
        return false;
    }
    double a = xf - s->x * f / s->n, b = yf - s->y * f / s->n;
    c[1] = (a * yy - b * xy) / det;
    c[2] = (b * xx - a * xy) / det;
    c[0] = (f - c[1] * s->x - c[2] * s->y) / s->n;
    return true;
}

static double misfit(const ss_flow *f, const box *b, const ss_flow_linear *l, double squares)
{
    double sum = 0;
    for (int32_t j = b->j0; j <= b->j1; j++) {
        for (int32_t i = b->i0; i <= b->i1; i++) {
            if (known(f, i, j)) {
                double x = f->x[i] - l->at[0], y = f->y[j] - l->at[1];
                double u =
                    f->u[node(f, i, j)] - l->velocity[0] - l->jacobian[0] * x - l->jacobian[1] * y;
                double v =
                    f->v[node(f, i, j)] - l->velocity[1] - l->jacobian[2] * x - l->jacobian[3] * y;
                sum += u * u + v * v;
            }
        }
    }
    return squares > 0 ? sqrt(sum / squares) : 0;
}

static void find_eigenvalues(ss_flow_linear *l)
{
    const double *J    = l->jacobian;
    double        half = 0.5 * (J[0] + J[3]), det = J[0] * J[3] - J[1] * J[2];
    double        root = half * half - det;
    l->rate[0]         = half + (root > 0 ? sqrt(root) : 0);
    l->rate[1]         = half - (root > 0 ? sqrt(root) : 0);
    l->turn            = root < 0 ? copysign(sqrt(-root), J[2] - J[1]) : 0;
}

static bool fit(const ss_flow *f, const box *b, const double at[2], ss_flow_linear *out)
{
    double c[3], d[3];
    sums   s = add_up(f, b, at);
    *out     = (ss_flow_linear){.at = {at[0], at[1]}};
    if (!solve_fit(&s, s.u, s.xu, s.yu, c) || !solve_fit(&s, s.v, s.xv, s.yv, d)) {
        return false;
    }
    out->velocity[0] = c[0], out->velocity[1] = d[0];
    out->jacobian[0] = c[1], out->jacobian[1] = c[2];
    out->jacobian[2] = d[1], out->jacobian[3] = d[2];
    out->misfit = misfit(f, b, out, s.uu);
    find_eigenvalues(out);
    return true;
}

/* ---- names ---- */

static ss_flow_kind name_turning(double rate, double turn)
{
    if (fabs(rate) < SS_FLOW_ROUND * fabs(turn)) {
        return SS_FLOW_CENTRE;
    }
    if (fabs(turn) < SS_FLOW_THIN * fabs(rate)) {
        return rate < 0 ? SS_FLOW_SINK : SS_FLOW_SOURCE;
    }
    return rate < 0 ? SS_FLOW_SPIRAL_SINK : SS_FLOW_SPIRAL_SOURCE;
}

static ss_flow_kind name_point(const ss_flow_linear *l, int32_t index)
{
    if (index < 0) {
        return SS_FLOW_SADDLE;
    }
    if (l->turn != 0) {
        return name_turning(l->rate[0], l->turn);
    }
    return l->rate[0] + l->rate[1] < 0 ? SS_FLOW_SINK : SS_FLOW_SOURCE;
}

static ss_flow_kind name_whole(const ss_flow *f, const ss_flow_linear *l)
{
    const double *J     = l->jacobian;
    double        reach = 0.25 * (f->x[f->nx - 1] - f->x[0] + f->y[f->ny - 1] - f->y[0]);
    double size  = sqrt(0.5 * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2] + J[3] * J[3])) * reach;
    double moves = sqrt(l->velocity[0] * l->velocity[0] + l->velocity[1] * l->velocity[1]);
    double large = fmax(fabs(l->rate[0]), fabs(l->rate[1]));
    double small = fmin(fabs(l->rate[0]), fabs(l->rate[1]));
    if (f->fastest == 0) {
        return SS_FLOW_REST;
    }
    if (moves > size) {
        return SS_FLOW_TRANSLATION;
    }
    if (l->turn != 0) {
        return name_turning(l->rate[0], l->turn);
    }
    if (large * reach < SS_FLOW_THIN * size) {
        return SS_FLOW_SHEAR;
    }
    if (small < SS_FLOW_THIN * large) {
        return l->rate[0] + l->rate[1] < 0 ? SS_FLOW_LINE_SINK : SS_FLOW_LINE_SOURCE;
    }
    return l->rate[0] * l->rate[1] < 0 ? SS_FLOW_SADDLE : name_point(l, 1);
}

/* ---- the index ---- */

static const double whole_turn = 6.283185307179586;

/* From one node to the next; NaN where one of them has no direction. */
static double turn_between(const ss_flow *f, const int32_t a[2], const int32_t b[2])
{
    size_t p = node(f, a[0], a[1]), q = node(f, b[0], b[1]);
    bool   directed = known(f, a[0], a[1]) && known(f, b[0], b[1]) && !rests(f, a[0], a[1]) &&
                    !rests(f, b[0], b[1]);
    double cross = f->u[p] * f->v[q] - f->v[p] * f->u[q],
           dot   = f->u[p] * f->u[q] + f->v[p] * f->v[q];
    return directed ? ss_atan2(cross, dot) : NAN;
}

/* Along the border of a box, anticlockwise; 0 where the border has nodes without a direction. */
static int32_t index_around(const ss_flow *f, const box *b)
{
    static const int32_t ahead[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double               sum         = 0;
    int32_t              at[2]       = {b->i0, b->j0};
    for (int side = 0; side < 4; side++) {
        int32_t length = side % 2 == 0 ? b->i1 - b->i0 : b->j1 - b->j0;
        for (int32_t k = 0; k < length; k++) {
            int32_t next[2] = {at[0] + ahead[side][0], at[1] + ahead[side][1]};
            sum += turn_between(f, at, next);
            at[0] = next[0];
            at[1] = next[1];
        }
    }
    return isfinite(sum) ? (int32_t)lround(sum / whole_turn) : 0;
}

/* ---- groups of cells ---- */

static bool suspicious(const ss_flow *f, int32_t i, int32_t j)
{
    box  b   = {i, i + 1, j, j + 1};
    bool all = true, resting = false;
    for (int32_t c = 0; c < 4; c++) {
        int32_t p = i + c % 2, q = j + c / 2;
        all     = all && known(f, p, q);
        resting = resting || (known(f, p, q) && rests(f, p, q));
    }
    return all && (resting || index_around(f, &b) != 0);
}

/* Takes a cell and all that is connected to it through marked neighbours out of the marks, into
   the box. `heap` has room for every node. */
static void gather(const ss_flow *f, char *marks, int32_t *heap, int32_t cell, box *b)
{
    int32_t count = 1;
    heap[0]       = cell;
    marks[cell]   = 0;
    while (count > 0) {
        int32_t now = heap[--count], i = now % f->nx, j = now / f->nx;
        b->i0 = i < b->i0 ? i : b->i0;
        b->i1 = i + 1 > b->i1 ? i + 1 : b->i1;
        b->j0 = j < b->j0 ? j : b->j0;
        b->j1 = j + 1 > b->j1 ? j + 1 : b->j1;
        for (int32_t k = 0; k < 9; k++) {
            int32_t p = i + k % 3 - 1, q = j + k / 3 - 1;
            if (p >= 0 && q >= 0 && p < f->nx - 1 && q < f->ny - 1 && marks[node(f, p, q)]) {
                marks[node(f, p, q)] = 0;
                heap[count++]        = (int32_t)node(f, p, q);
            }
        }
    }
}

static int32_t at_least(int32_t a, int32_t low)
{
    return a > low ? a : low;
}

static int32_t at_most(int32_t a, int32_t high)
{
    return a < high ? a : high;
}

/* Where the fitted field vanishes, if that is within the box; else its middle. */
static void find_zero(const ss_flow *f, const box *b, ss_flow_linear *l)
{
    const double *J   = l->jacobian;
    double        det = J[0] * J[3] - J[1] * J[2];
    double        x   = l->at[0] - (J[3] * l->velocity[0] - J[1] * l->velocity[1]) / det;
    double        y   = l->at[1] - (J[0] * l->velocity[1] - J[2] * l->velocity[0]) / det;
    if (x >= f->x[b->i0] && x <= f->x[b->i1] && y >= f->y[b->j0] && y <= f->y[b->j1]) {
        l->at[0]       = x;
        l->at[1]       = y;
        l->velocity[0] = l->velocity[1] = 0;
    }
}

/* Newton's method on the field between the nodes, from where the fitted one vanishes: the fit is
   pulled aside by curvature. What leaves the box is not taken. */
static void polish(const ss_flow *f, const box *b, double at[2])
{
    enum { STEPS = 12 };
    double dx   = SS_FLOW_NUDGE * (f->x[b->i1] - f->x[b->i0]);
    double dy   = SS_FLOW_NUDGE * (f->y[b->j1] - f->y[b->j0]);
    double p[2] = {at[0], at[1]}, v[2], vx[2], vy[2];
    for (int step = 0; step < STEPS; step++) {
        double px[2] = {p[0] + dx, p[1]}, py[2] = {p[0], p[1] + dy};
        if (!ss_flow_velocity(f, p, v) || !ss_flow_velocity(f, px, vx) ||
            !ss_flow_velocity(f, py, vy)) {
            return;
        }
        double J[4] = {(vx[0] - v[0]) / dx, (vy[0] - v[0]) / dy, (vx[1] - v[1]) / dx,
                       (vy[1] - v[1]) / dy};
        double det  = J[0] * J[3] - J[1] * J[2];
        p[0] -= (J[3] * v[0] - J[1] * v[1]) / det;
        p[1] -= (J[0] * v[1] - J[2] * v[0]) / det;
        if (!(p[0] >= f->x[b->i0] && p[0] <= f->x[b->i1] && p[1] >= f->y[b->j0] &&
              p[1] <= f->y[b->j1])) {
            return;
        }
    }
    at[0] = p[0];
    at[1] = p[1];
}

static void add_point(ss_flow *f, const box *b)
{
    ss_flow_point p = {.index = index_around(f, b)};
    box    b1    = {at_least(b->i0 - 1, 0), at_most(b->i1 + 1, f->nx - 1), at_least(b->j0 - 1, 0),
                    at_most(b->j1 + 1, f->ny - 1)};
    double at[2] = {0.5 * (f->x[b->i0] + f->x[b->i1]), 0.5 * (f->y[b->j0] + f->y[b->j1])};
    if (p.index == 0 || f->point_count == SS_FLOW_POINTS || !fit(f, &b1, at, &p.near)) {
        return;
    }
    for (int32_t j = b->j0; j <= b->j1; j++) {
        for (int32_t i = b->i0; i <= b->i1; i++) {
            p.resting += known(f, i, j) && rests(f, i, j);
        }
    }
    find_zero(f, &b1, &p.near);
    if (p.resting == 0) {
        polish(f, &b1, p.near.at);
    }
    p.near.kind                 = name_point(&p.near, p.index);
    f->points[f->point_count++] = p;
}

static void mark_cells(const ss_flow *f, char *marks)
{
    for (int32_t j = 0; j < f->ny - 1; j++) {
        for (int32_t i = 0; i < f->nx - 1; i++) {
            marks[node(f, i, j)] = (char)suspicious(f, i, j);
        }
    }
}

static ss_status find_points(ss_flow *f)
{
    size_t    size  = (size_t)f->nx * (size_t)f->ny;
    char     *marks = ss_alloc(f->ctx, size, 1);
    int32_t  *heap  = ss_alloc(f->ctx, size, sizeof *heap);
    ss_status status =
        marks != NULL && heap != NULL ? SS_OK : ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    if (status == SS_OK) {
        mark_cells(f, marks);
    }
    for (size_t k = 0; status == SS_OK && k < size; k++) {
        box b = {f->nx, 0, f->ny, 0};
        if (marks[k]) {
            gather(f, marks, heap, (int32_t)k, &b);
            add_point(f, &b);
        }
    }
    ss_free(f->ctx, marks, size);
    ss_free(f->ctx, heap, size * sizeof *heap);
    return status;
}

/* ---- making one ---- */

static ss_status check_rising(ss_context *ctx, const double *x, int32_t n, const char *name)
{
    for (int32_t i = 1; i < n; i++) {
        if (!(x[i] > x[i - 1])) {
            return ss_fail(ctx, SS_ERR_ARGUMENT, "%s of a field must rise from node to node", name);
        }
    }
    return SS_OK;
}

static double *copy_of(ss_context *ctx, const double *x, size_t count)
{
    double *copy = ss_alloc(ctx, count, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, x, count * sizeof *copy);
    }
    return copy;
}

static ss_status fill(ss_flow *f)
{
    box    all    = {0, f->nx - 1, 0, f->ny - 1};
    double mid[2] = {0.5 * (f->x[0] + f->x[f->nx - 1]), 0.5 * (f->y[0] + f->y[f->ny - 1])};
    for (int32_t j = 0; j < f->ny; j++) {
        for (int32_t i = 0; i < f->nx; i++) {
            f->fastest = known(f, i, j) ? fmax(f->fastest, speed(f, i, j)) : f->fastest;
        }
    }
    /* velocities that are nothing but rounding of the places they come from */
    double reach = fmax(f->x[f->nx - 1] - f->x[0], f->y[f->ny - 1] - f->y[0]);
    f->fastest   = f->fastest > SS_FLOW_NOTHING * reach ? f->fastest : 0;
    fit(f, &all, mid, &f->whole);
    f->whole.kind = name_whole(f, &f->whole);
    if (f->fastest == 0) {
        return SS_OK;
    }
    SS_TRY(find_points(f));
    ss_flow_draw_lines(f);
    return SS_OK;
}

ss_status ss_flow_create(ss_context *ctx, int32_t nx, int32_t ny, const double *x, const double *y,
                         const double *u, const double *v, ss_flow **out)
{
    *out = NULL;
    if (nx < 2 || ny < 2 || nx > 4096 || ny > 4096) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a field needs a grid of 2 x 2 to 4096 x 4096 nodes");
    }
    SS_TRY(check_rising(ctx, x, nx, "x"));
    SS_TRY(check_rising(ctx, y, ny, "y"));
    ss_flow *f = ss_alloc(ctx, 1, sizeof *f);
    if (f == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    size_t size = (size_t)nx * (size_t)ny;
    *f          = (ss_flow){.ctx = ctx, .nx = nx, .ny = ny};
    f->x        = copy_of(ctx, x, (size_t)nx);
    f->y        = copy_of(ctx, y, (size_t)ny);
    f->u        = copy_of(ctx, u, size);
    f->v        = copy_of(ctx, v, size);
    f->lines    = ss_alloc(ctx, SS_FLOW_LINES, sizeof *f->lines);
    bool all    = f->x != NULL && f->y != NULL && f->u != NULL && f->v != NULL && f->lines != NULL;
    ss_status status = all ? fill(f) : ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    if (status != SS_OK) {
        ss_flow_destroy(f);
        return status;
    }
    *out = f;
    return SS_OK;
}

void ss_flow_destroy(ss_flow *f)
{
    if (f != NULL) {
        size_t size = (size_t)f->nx * (size_t)f->ny;
        ss_free(f->ctx, f->x, (size_t)f->nx * sizeof *f->x);
        ss_free(f->ctx, f->y, (size_t)f->ny * sizeof *f->y);
        ss_free(f->ctx, f->u, size * sizeof *f->u);
        ss_free(f->ctx, f->v, size * sizeof *f->v);
        ss_free(f->ctx, f->lines, SS_FLOW_LINES * sizeof *f->lines);
        ss_free(f->ctx, f, sizeof *f);
    }
}

ss_flow_linear ss_flow_whole(const ss_flow *f)
{
    return f->whole;
}

int32_t ss_flow_point_count(const ss_flow *f)
{
    return f->point_count;
}

ss_flow_point ss_flow_point_at(const ss_flow *f, int32_t point)
{
    static const ss_flow_point none = {0};
    return point >= 0 && point < f->point_count ? f->points[point] : none;
}
