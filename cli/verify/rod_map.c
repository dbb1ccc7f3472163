/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dupont and Yamajako 1997: the rod between two walls. With x = mu_1 sgn of the first end's slip, y
 * = mu_2 sgn of the second's, theta = pi/2.3, alpha = pi/4, m l^2/J = 3, the numbers below were
 * computed from (37)-(41) by a program written apart.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/instant.h"

typedef struct point {
    double    D[4], eigen[4], critical; /* eigenvalues: a, b of both, the least a first */
    ss_answer p;
} point;

static ss_status look(ss_verify *v, double x, double y, point *out)
{
    char text[2][48];
    snprintf(text[0], sizeof text[0], "params.x=%.17g", x);
    snprintf(text[1], sizeof text[1], "params.y=%.17g", y);
    const char *const overrides[] = {text[0], text[1], NULL};
    ss_verify_instant i;
    int32_t           n;
    SS_TRY(ss_verify_judge(v, "rod-map", overrides, &i));
    const double *D      = ss_instant_matrix(i.instant, &n);
    ss_status     status = SS_OK;
    *out                 = (point){.p = i.verdict.p_matrix, .critical = i.verdict.critical};
    if (n == 2) {
        memcpy(out->D, D, sizeof out->D);
        status = ss_layer_stability(ss_verify_context(v), D, 2, &out->critical, out->eigen);
    }
    if (out->eigen[0] > out->eigen[2]) {
        double a = out->eigen[0], b = out->eigen[1];
        out->eigen[0] = out->eigen[2];
        out->eigen[1] = out->eigen[3];
        out->eigen[2] = a;
        out->eigen[3] = b;
    }
    ss_verify_judged(&i);
    return status;
}

/* What changes sign at a border, along a line of the map. */
typedef double (*quantity)(const point *p);

static double first_diagonal(const point *p)
{
    return p->D[0];
}

static double second_diagonal(const point *p)
{
    return p->D[3];
}

static double determinant(const point *p)
{
    return p->D[0] * p->D[3] - p->D[1] * p->D[2];
}

/* Negative where the eigenvalues are complex. */
static double discriminant(const point *p)
{
    double half = 0.5 * (p->D[0] - p->D[3]);
    return half * half + p->D[1] * p->D[2];
}

static double real_part(const point *p)
{
    return p->eigen[0];
}

static double wanted; /* c^2/k of the border that is looked for */

static double stability(const point *p)
{
    return p->critical - wanted;
}

/* The root between two points of a line by halving. */
static ss_status border(ss_verify *v, quantity f, const double from[2], const double to[2],
                        double *at)
{
    point  p;
    double low = 0, high = 1;
    SS_TRY(look(v, from[0], from[1], &p));
    bool below = f(&p) < 0;
    for (int k = 0; k < 44; k++) {
        double t = 0.5 * (low + high);
        SS_TRY(look(v, from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]), &p));
        *((f(&p) < 0) == below ? &low : &high) = t;
    }
    *at = 0.5 * (low + high);
    return SS_OK;
}

static ss_status along_x(ss_verify *v, quantity f, double y, double from, double to, double *x)
{
    const double a[2] = {from, y}, b[2] = {to, y};
    double       t;
    SS_TRY(border(v, f, a, b, &t));
    *x = from + t * (to - from);
    return SS_OK;
}

static ss_status along_y(ss_verify *v, quantity f, double x, double from, double to, double *y)
{
    const double a[2] = {x, from}, b[2] = {x, to};
    double       t;
    SS_TRY(border(v, f, a, b, &t));
    *y = from + t * (to - from);
    return SS_OK;
}

static ss_status diagonal(ss_verify *v, quantity f, double from, double to, double *at)
{
    const double a[2] = {from, from}, b[2] = {to, to};
    double       t;
    SS_TRY(border(v, f, a, b, &t));
    *at = from + t * (to - from);
    return SS_OK;
}

static ss_status matrix(ss_verify *v)
{
    static const double D[4] = {1.12418, -0.19673, -0.19673, 3.09760};
    point               p;
    SS_TRY(look(v, 0, 0, &p));
    for (int k = 0; k < 4; k++) {
        ss_verify_near(v, D[k], p.D[k], 5e-6, "D(0, 0), entry %d", k + 1);
    }
    ss_verify_near(v, 1.10476, p.eigen[0], 5e-6, "D(0, 0): first eigenvalue");
    ss_verify_near(v, 3.11702, p.eigen[2], 5e-6, "D(0, 0): second eigenvalue");
    ss_verify_near(v, 0, p.critical, 0, "D(0, 0): stable for every c^2/k");
    return SS_OK;
}

static ss_status points(ss_verify *v)
{
    static const struct {
        double    x, y, a, b, a2;
        ss_answer p;
    } list[] = {{0.5, 0.5, 1.9163, 0.4930, 1.9163, SS_YES},
                {1, 1, 1.7218, 1.3866, 1.7218, SS_YES},
                {-1.5, 1, -1.0379, 0, 2.9875, SS_NO}};
    for (int i = 0; i < 3; i++) {
        point p;
        SS_TRY(look(v, list[i].x, list[i].y, &p));
        ss_verify_near(v, list[i].a, p.eigen[0], 5e-5, "(%g, %g): real part", list[i].x, list[i].y);
        ss_verify_near(v, list[i].b, fabs(p.eigen[1]), 5e-5, "(%g, %g): imaginary part", list[i].x,
                       list[i].y);
        ss_verify_near(v, list[i].a2, p.eigen[2], 5e-5, "(%g, %g): second real part", list[i].x,
                       list[i].y);
        ss_verify_near(v, list[i].p, p.p, 0, "(%g, %g): P-matrix", list[i].x, list[i].y);
    }
    const double plain[4] = {-1, -2, 4, 5}; /* (36), column by column */
    double       critical, eigen[4];
    ss_answer    answer;
    SS_TRY(ss_layer_stability(ss_verify_context(v), plain, 2, &critical, eigen));
    SS_TRY(ss_pmatrix(ss_verify_context(v), plain, 2, &answer));
    ss_verify_near(v, 1, fmin(eigen[0], eigen[2]), 1e-12, "(36): first eigenvalue");
    ss_verify_near(v, 3, fmax(eigen[0], eigen[2]), 1e-12, "(36): second eigenvalue");
    ss_verify_near(v, 0, critical, 0, "(36): stable for every c^2/k");
    ss_verify_near(v, SS_NO, answer, 0, "(36): no P-matrix");
    return SS_OK;
}

static ss_status borders(ss_verify *v)
{
    static const double det[][2] = {
        {0, -1.56868}, {0.5, -0.95271}, {1, -0.52952}, {1.5, -0.22086}, {2, 0.01423}};
    static const double complexes[][2] = {{0, 1.2284}, {0.25, 0.6119}, {0.5, 0.3446},
                                          {1, 0.1428}, {1.5, 0.1145},  {2, 0.1604}};
    static const double layers[][2]    = {{0.1, 0.6728}, {0.25, 1.0558}, {0.5, 1.7415}};
    double              at;
    SS_TRY(along_x(v, first_diagonal, 0, -3, 0.01, &at));
    ss_verify_near(v, -1.88116, at, 5e-6, "D_11 = 0 at x");
    SS_TRY(along_y(v, second_diagonal, 0, 0.01, 3, &at));
    ss_verify_near(v, 2.25146, at, 5e-6, "D_22 = 0 at y");
    for (int i = 0; i < 5; i++) {
        SS_TRY(along_x(v, determinant, det[i][0], -1.8, 0.5, &at));
        ss_verify_near(v, det[i][1], at, 5e-6, "det D = 0 at x, for y = %g", det[i][0]);
    }
    for (int i = 0; i < 6; i++) {
        SS_TRY(along_x(v, discriminant, complexes[i][0], 0.02, 1.4, &at));
        ss_verify_near(v, complexes[i][1], at, 6e-5, "complex right of x, for y = %g",
                       complexes[i][0]);
    }
    SS_TRY(diagonal(v, discriminant, 0.02, 1, &at));
    ss_verify_near(v, 0.41512, at, 6e-6, "complex on the diagonal from");
    for (int i = 0; i < 3; i++) {
        wanted = layers[i][0];
        SS_TRY(diagonal(v, stability, 0.45, 3, &at));
        ss_verify_near(v, layers[i][1], at, 6e-5, "c^2/k = %g: stable on the diagonal up to",
                       layers[i][0]);
    }
    for (int i = 0; i < 2; i++) {
        SS_TRY(along_y(v, real_part, 1.0 + i, 1, 6, &at));
        ss_verify_near(v, 3.06857 + 0.43436 * (1.0 + i), at, 2e-5,
                       "a < 0 with complex eigenvalues above y, for x = %d", 1 + i);
    }
    return SS_OK;
}

/* None below 3 on the diagonal. */
static ss_status stable_ones(ss_verify *v)
{
    double most = 0;
    for (int i = 1; i <= 60; i++) {
        point p;
        SS_TRY(look(v, 0.05 * i, 0.05 * i, &p));
        most = fmax(most, p.critical);
    }
    ss_verify_near(v, 1, most < 1, 0,
                   "c^2/k = 1 and 2: stable on the whole diagonal below 3 (%.4f)", most);
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(matrix(v));
    SS_TRY(points(v));
    SS_TRY(borders(v));
    return stable_ones(v);
}

const ss_verify_case ss_verify_rod_map = {
    .name    = "rod-map",
    .source  = "Dupont and Yamajako 1997, (35)-(41), Figs. 2 and 3",
    .summary = "rod between two walls: P-matrix, eigenvalues, borders of stability",
    .run     = run};
