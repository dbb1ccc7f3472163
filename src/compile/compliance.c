/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compliance of materials -> how a contact of two of them gives. Of two surfaces that give the
 * forces are equal and the deflections add up, x = x1 + x2 (thesis 2.4.4):
 *
 *   K^-1 = K1^-1 + K2^-1,      C = K (K1^-1 C1 K1^-1 + K2^-1 C2 K2^-1) K
 *
 * C is exact where both have the same ratio of damping to stiffness, and to first order in the rate
 * elsewhere: x_i = K_i^-1 f - K_i^-1 C_i K_i^-1 df/dt + .. Normal forces k_i x^p:
 *
 *   k = (k1^(-1/p) + k2^(-1/p))^-p,   x_i = s_i x,   s_i = (k/k_i)^(1/p)
 *
 * The one that is down to its core first, at x = d_i/s_i, gives no further; the other goes on
 * alone, down to d1 + d2.
 */
#include <math.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/tolerances.h"
#include "core/elementary.h"
#include "linalg/mat3.h"
#include "model/axes.h"

static bool given(const ss_compliance_def *c)
{
    return c->stiffness[0] != 0 || c->stiffness[4] != 0 || c->stiffness[8] != 0;
}

/* Leading minors of the symmetric matrix, scaled by its diagonal; least: 0 or the smallest. */
static bool is_positive(const double *K, int n, double least)
{
    double a = K[0], b = n > 1 ? K[4] : 1, c = n > 2 ? K[8] : 1;
    double x = n > 1 ? K[1] : 0, y = n > 2 ? K[2] : 0, z = n > 2 ? K[5] : 0;
    double two   = a * b - x * x;
    double three = a * (b * c - z * z) - x * (x * c - z * y) + y * (x * z - b * y);
    return a >= 0 && b >= 0 && c >= 0 && two >= least * a * b && three >= least * a * b * c &&
           b * c - z * z >= least * b * c && a * c - y * y >= least * a * c;
}

static bool is_symmetric(const double *K)
{
    return K[1] == K[3] && K[2] == K[6] && K[5] == K[7];
}

static bool all_finite(const double *K)
{
    double sum = 0;
    for (int i = 0; i < 9; i++) {
        sum += fabs(K[i]);
    }
    return isfinite(sum);
}

/* Springs that pull each other along are linear, and have no core (compliant/layer.c). */
static ss_status check_spread(ss_compiler *c, const char *name, const ss_compliance_def *def)
{
    const double *K = def->stiffness, *C = def->damping;
    if (!(def->spread >= 0) || !isfinite(def->spread)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': compliance: spread must be >= 0, got %g", name, def->spread);
    }
    bool power = def->exponent != 0 && def->exponent != 1;
    bool cross = K[1] != 0 || K[2] != 0 || C[1] != 0 || C[2] != 0;
    if (def->spread > 0 && (power || cross || def->max_deflection > 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': compliance: spread goes with exponent 1, no max_deflection "
                       "and a normal stiffness that is not coupled with the others",
                       name);
    }
    if (def->spread > 0 && ss_inertia_axis[c->scene->simulation.axes.inertia]->balanced) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': compliance: spread does not go with inertia: quasistatic; "
                       "expected inertia: dynamic or damped",
                       name);
    }
    return SS_OK;
}

static ss_status check_def(ss_compiler *c, const char *name, const ss_compliance_def *def)
{
    const double *K = def->stiffness, *C = def->damping;
    const int     n = c->model->dimension;
    bool stiff = all_finite(K) && is_symmetric(K) && K[0] > 0 && K[4] > 0 && (n == 2 || K[8] > 0) &&
                 is_positive(K, n, SS_STIFF_LEAST);
    if (!stiff) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': compliance: stiffness must be > 0 (a matrix: symmetric and "
                       "positive definite)",
                       name);
    }
    if (!all_finite(C) || !is_symmetric(C) || !is_positive(C, n, 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': compliance: damping must be >= 0 (a matrix: symmetric and "
                       "positive semidefinite)",
                       name);
    }
    if (!(def->max_deflection >= 0) || !isfinite(def->max_deflection)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': compliance: max_deflection must be >= 0, got %g", name,
                       def->max_deflection);
    }
    if (def->springs != 0 &&
        !(def->springs >= 1 && def->springs <= 16 && def->springs == floor(def->springs))) {
        return ss_fail(
            c->ctx, SS_ERR_INPUT,
            "material '%s': compliance: springs must be a whole number from 1 to 16, got "
            "%g",
            name, def->springs);
    }
    SS_TRY(check_spread(c, name, def));
    bool power = def->exponent != 0 && def->exponent != 1;
    if (def->exponent != 0 && !(def->exponent >= 1 && def->exponent <= 4)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': compliance: exponent must lie between 1 and 4, got %g", name,
                       def->exponent);
    }
    if (power && (K[1] != 0 || K[2] != 0)) {
        return ss_fail(
            c->ctx, SS_ERR_INPUT,
            "material '%s': compliance: an exponent goes with a normal stiffness that is "
            "not coupled with the others",
            name);
    }
    return SS_OK;
}

static void one_surface(const ss_compliance_def *def, ss_compliance *out)
{
    memcpy(out->K, def->stiffness, sizeof out->K);
    memcpy(out->C, def->damping, sizeof out->C);
    out->exponent       = def->exponent > 0 ? def->exponent : 1;
    out->springs        = def->springs > 0 ? (int)def->springs : 4;
    out->spread         = def->spread;
    out->max_deflection = def->max_deflection > 0 ? def->max_deflection : INFINITY;
    out->turn           = INFINITY;
}

static ss_mat3 matrix_of(const double *K)
{
    ss_mat3 M;
    memcpy(M.m, K, sizeof M.m);
    return M;
}

/* Where the third row and column do not count they are made those of the identity. */
static ss_mat3 stiffness_of(const ss_compliance *x, int dimension)
{
    ss_mat3 K = matrix_of(x->K);
    if (dimension == 2) {
        K.m[2] = K.m[5] = K.m[6] = K.m[7] = 0;
        K.m[8]                            = 1;
    }
    return K;
}

/* s C s' of one surface: what its damping is in the whole. */
static ss_mat3 share_of_damping(const ss_compliance *x, const ss_mat3 *share)
{
    ss_mat3 C = matrix_of(x->C), back = ss_mat3_transpose(share), sC = ss_mat3_mul(&back, &C);
    return ss_mat3_mul(&sC, share);
}

/* Deflection of one surface over that of both. */
static ss_mat3 share_of(const ss_mat3 *inverse, const ss_mat3 *K)
{
    return ss_mat3_mul(inverse, K);
}

static void add_core(const ss_compliance *a, const ss_compliance *b, double share_a, double share_b,
                     ss_compliance *out)
{
    double               at_a = a->max_deflection / share_a, at_b = b->max_deflection / share_b;
    const ss_compliance *down = at_a < at_b ? a : b, *other = at_a < at_b ? b : a;
    out->max_deflection = a->max_deflection + b->max_deflection;
    out->turn           = fmin(at_a, at_b);
    out->stiff2         = other->K[0];
    out->shift          = isfinite(out->turn) ? down->max_deflection : 0;
}

static void in_series(const ss_compliance *a, const ss_compliance *b, int dimension,
                      ss_compliance *out)
{
    ss_mat3 Ka = stiffness_of(a, dimension), Kb = stiffness_of(b, dimension), sum;
    ss_mat3 Ia = ss_mat3_inverse(&Ka), Ib = ss_mat3_inverse(&Kb);
    double  p = a->exponent;
    for (int i = 0; i < 9; i++) {
        sum.m[i] = Ia.m[i] + Ib.m[i];
    }
    ss_mat3 K  = ss_mat3_inverse(&sum);
    ss_mat3 sa = share_of(&Ia, &K), sb = share_of(&Ib, &K);
    if (p != 1) {
        K.m[0]  = ss_pow(ss_pow(a->K[0], -1 / p) + ss_pow(b->K[0], -1 / p), -p);
        sa.m[0] = ss_pow(K.m[0] / a->K[0], 1 / p);
        sb.m[0] = ss_pow(K.m[0] / b->K[0], 1 / p);
    }
    ss_mat3 Ca = share_of_damping(a, &sa), Cb = share_of_damping(b, &sb);
    for (int i = 0; i < 9; i++) {
        out->K[i] = K.m[i];
        out->C[i] = Ca.m[i] + Cb.m[i];
    }
    out->exponent = p;
    out->springs  = a->springs > b->springs ? a->springs : b->springs;
    out->spread   = a->spread;
    add_core(a, b, sa.m[0], sb.m[0], out);
}

static bool has_coupling(const ss_compliance *x)
{
    return x->K[1] != 0 || x->K[2] != 0 || x->K[5] != 0 || x->C[1] != 0 || x->C[2] != 0 ||
           x->C[5] != 0;
}

static ss_status keep(ss_compiler *c, const ss_compliance *x, ss_pair_law *law)
{
    ss_compliance *copy = ss_pool_alloc(&c->model->pool, 1, sizeof *copy);
    if (copy == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for materials");
    }
    *copy               = *x;
    copy->coupled       = has_coupling(x);
    law->gives          = copy;
    law->restitution    = 0; /* what gives returns energy by its deflection */
    c->model->compliant = true;
    return SS_OK;
}

ss_status ss_compile_compliance(ss_compiler *c, const ss_material_def *a, const ss_material_def *b,
                                ss_pair_law *law)
{
    ss_compliance x[2] = {{.exponent = 1}, {.exponent = 1}}, both = {.exponent = 1};
    int           n = 0;
    if (!ss_contact_axis[c->scene->simulation.axes.contact]->gives) {
        return SS_OK;
    }
    const ss_material_def *of[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (given(&of[i]->compliance)) {
            SS_TRY(check_def(c, of[i]->name, &of[i]->compliance));
            one_surface(&of[i]->compliance, &x[n++]);
        }
    }
    if (n == 0) {
        return SS_OK;
    }
    if (n == 2 && x[0].exponent != x[1].exponent) {
        return ss_fail(
            c->ctx, SS_ERR_INPUT,
            "materials '%s' and '%s': two surfaces in series need the same exponent, got "
            "%g and %g (or give the compliance of the pair)",
            a->name, b->name, x[0].exponent, x[1].exponent);
    }
    if (n == 2 && x[0].spread != x[1].spread) {
        return ss_fail(
            c->ctx, SS_ERR_INPUT,
            "materials '%s' and '%s': two surfaces in series need the same spread, got %g and %g "
            "(or give the compliance of the pair)",
            a->name, b->name, x[0].spread, x[1].spread);
    }
    if (n == 2) {
        in_series(&x[0], &x[1], c->model->dimension, &both);
    }
    return keep(c, n == 2 ? &both : &x[0], law);
}

ss_status ss_compile_pair_compliance(ss_compiler *c, const ss_pair_def *def, ss_pair_law *law)
{
    ss_compliance x = {.exponent = 1};
    if (!given(&def->compliance) || !ss_contact_axis[c->scene->simulation.axes.contact]->gives) {
        return SS_OK;
    }
    SS_TRY(check_def(c, def->between[0], &def->compliance));
    one_surface(&def->compliance, &x);
    return keep(c, &x, law);
}
