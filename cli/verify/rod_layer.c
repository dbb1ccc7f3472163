/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dupont and Yamajako 1997, (31)-(35): contacts that slide on walls of stiffness k/eps and damping
 * c/sqrt(eps). With d = a + ib an eigenvalue of D (rod_map.c), deviations of the deflections from
 * balance obey, in the fast time t/sqrt(eps),
 *
 *   s^2 + d (c s + k) = 0,     stable where  a c^2 (a^2 + b^2) > b^2 k,
 *
 * and the motion tends to that of rigid walls as sqrt(eps).
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

/* The larger real part of the two roots s, and its imaginary part. */
static double complex leading_root(double a, double b, double c, double k)
{
    double complex d = a + b * I, half = -0.5 * d * c, root = csqrt(half * half - d * k);
    return creal(half + root) > creal(half - root) ? half + root : half - root;
}

/* Deviation of the first wall's force from 1 N. */
static double deviation(const ss_verify_world *w, double h)
{
    for (int32_t i = 0; i < ss_data_contact_count(w->data); i++) {
        ss_contact_info c;
        ss_data_contact(w->model, w->data, i, &c);
        if (fabs(c.normal.x) < 0.1) {
            return c.impulse[0] / h - 1;
        }
    }
    return NAN;
}

enum { STEPS = 1500, FIRST = 800, APART = 15 };

/*
 * One decaying or growing oscillation obeys e(t + 2 T) = A e(t + T) - B e(t), B = exp(2 rate T): A
 * and B by least squares.
 */
static double growth(const double *e, double T)
{
    double pp = 0, pq = 0, qq = 0, pr = 0, qr = 0;
    for (int i = FIRST; i + 2 * APART < STEPS; i++) {
        double p = e[i + APART], q = -e[i], r = e[i + 2 * APART];
        pp += p * p;
        pq += p * q;
        qq += q * q;
        pr += p * r;
        qr += q * r;
    }
    double B = (pp * qr - pq * pr) / (pp * qq - pq * pq);
    return log(B) / (2 * T);
}

static ss_status swing(ss_verify *v, double at, double a, double b, double part)
{
    const double eps = 1e-6, h = 0.02 * sqrt(eps);
    double       critical = b * b / (a * (a * a + b * b)), c = sqrt(part * critical), e[STEPS];
    char         text[3][48];
    snprintf(text[0], sizeof text[0], "params.x=%.17g", at);
    snprintf(text[1], sizeof text[1], "params.y=%.17g", at);
    snprintf(text[2], sizeof text[2], "params.c=%.17g", c);
    const char *const overrides[] = {text[0], text[1], text[2], NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "rod-layer", overrides, &w));
    ss_status status = SS_OK;
    for (int i = 0; status == SS_OK && i < STEPS; i++) {
        status = ss_verify_steps(v, &w, h, 1);
        e[i]   = deviation(&w, h);
    }
    ss_verify_close(&w);
    SS_TRY(status);
    double expected = creal(leading_root(a, b, c, 1)), found = growth(e, 0.02 * APART);
    ss_verify_near(v, expected, found, 0.003, "(%g, %g), c^2/k %g of critical: rate of %s", at, at,
                   part, part < 1 ? "growth" : "decay");
    ss_verify_near(v, part<1, found> 0, 0, "(%g, %g), c^2/k %g of critical: %s", at, at, part,
                   part < 1 ? "grows" : "decays");
    return SS_OK;
}

/* The largest difference of velocities between walls that give and rigid ones. */
static ss_status distance_to_rigid(ss_verify *v, double eps, double *most)
{
    char text[48];
    snprintf(text, sizeof text, "params.eps=%.17g", eps);
    const char *const soft[] = {
        text, "params.c=1", "params.deep=0", "params.kick=0", "params.extra=0.2", NULL};
    const char *const hard[] = {text,
                                "params.c=1",
                                "params.deep=0",
                                "params.kick=0",
                                "params.extra=0.2",
                                "simulation.model.contact=rigid",
                                NULL};
    const double      h      = 0.02 * sqrt(eps);
    ss_verify_world   a, b;
    SS_TRY(ss_verify_open(v, "rod-layer", soft, &a));
    ss_status status = ss_verify_open(v, "rod-layer", hard, &b);
    if (status != SS_OK) {
        ss_verify_close(&a);
        return status;
    }
    *most = 0;
    for (int64_t i = 0; status == SS_OK && i < llround(0.1 / h); i++) {
        status          = ss_verify_steps(v, &a, h, 1);
        status          = status == SS_OK ? ss_verify_steps(v, &b, h, 1) : status;
        ss_body_state x = ss_verify_body(&a, "rod"), y = ss_verify_body(&b, "rod");
        *most = fmax(*most, ss_norm(ss_sub(x.velocity, y.velocity)));
    }
    ss_verify_close(&a);
    ss_verify_close(&b);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const struct {
        double at, a, b;
    } points[] = {{0.5, 1.91634, 0.49300}, {1, 1.72179, 1.38661}};
    double far[3];
    for (int i = 0; i < 2; i++) {
        SS_TRY(swing(v, points[i].at, points[i].a, points[i].b, 0.6));
        SS_TRY(swing(v, points[i].at, points[i].a, points[i].b, 1.6));
    }
    for (int i = 0; i < 3; i++) {
        SS_TRY(distance_to_rigid(v, 4e-4 / pow(4, i), &far[i]));
    }
    ss_verify_near(v, 0.5, log(far[0] / far[1]) / log(4), 0.05,
                   "rigid limit: order in eps, 4e-4 to 1e-4");
    ss_verify_near(v, 0.5, log(far[1] / far[2]) / log(4), 0.05,
                   "rigid limit: order in eps, 1e-4 to 2.5e-5");
    return SS_OK;
}

const ss_verify_case ss_verify_rod_layer = {
    .name    = "rod-layer",
    .source  = "Dupont and Yamajako 1997, (31)-(35)",
    .summary = "sliding contacts that give: oscillations grow or decay by c^2/k; the rigid limit",
    .run     = run};
