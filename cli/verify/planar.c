/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/planar.h"

#include <math.h>
#include <string.h>

int32_t ss_planar_problem_size(const ss_verify_world *w)
{
    int32_t size = 0;
    for (int32_t i = 0; i < ss_model_body_count(w->model); i++) {
        ss_body_type type = ss_model_body_type(w->model, i);
        size += type == SS_BODY_DYNAMIC ? 3 : type == SS_BODY_PARTICLE ? 2 : 0;
    }
    return size + ss_data_report(w->data)->rows; /* those of springs stand for forces */
}

/* Accelerations of x, theta1, theta2: M(q) a = f(q, v), by elimination. */
static void accelerations(const ss_lagrange *p, const double *y, double *a)
{
    double m = p->mass, L = p->length, g = p->gravity;
    double s1 = sin(y[1]), c1 = cos(y[1]), s2 = sin(y[2]), c2 = cos(y[2]);
    double sd = sin(y[1] - y[2]), cd = cos(y[1] - y[2]), w1 = y[4] * y[4], w2 = y[5] * y[5];
    double M[3][4] = {
        {p->cart + 2 * m, 1.5 * m * L * c1, 0.5 * m * L * c2,
         1.5 * m * L * s1 * w1 + 0.5 * m * L * s2 * w2},
        {1.5 * m * L * c1, m * L * L * 4 / 3, 0.5 * m * L * L * cd,
         -1.5 * m * g * L * s1 - 0.5 * m * L * L * sd * w2},
        {0.5 * m * L * c2, 0.5 * m * L * L * cd, m * L * L / 3,
         -0.5 * m * g * L * s2 + 0.5 * m * L * L * sd * w1},
    };
    if (!(p->cart > 0)) { /* a fixed point: x'' = 0 */
        M[0][0] = 1;
        M[0][1] = M[0][2] = M[0][3] = M[1][0] = M[2][0] = 0;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = k + 1; i < 3; i++) {
            double f = M[i][k] / M[k][k];
            for (int j = k; j < 4; j++) {
                M[i][j] -= f * M[k][j];
            }
        }
    }
    for (int k = 2; k >= 0; k--) {
        a[k] = M[k][3];
        for (int j = k + 1; j < 3; j++) {
            a[k] -= M[k][j] * a[j];
        }
        a[k] /= M[k][k];
    }
}

static void slope_at(const ss_lagrange *p, const double *y, double *dy)
{
    memcpy(dy, y + 3, 3 * sizeof *dy);
    accelerations(p, y, dy + 3);
}

void ss_lagrange_run(const ss_lagrange *p, double y[6], double duration, int steps)
{
    double h = duration / steps, k[4][6], z[6];
    for (int n = 0; n < steps; n++) {
        static const double reach[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 6; i++) {
                z[i] = y[i] + (s > 0 ? reach[s] * h * k[s - 1][i] : 0);
            }
            slope_at(p, z, k[s]);
        }
        for (int i = 0; i < 6; i++) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

int32_t ss_planar_positions(const ss_verify_world *w, double *out, int32_t room)
{
    int32_t count = 0;
    for (int32_t i = 0; i < ss_model_body_count(w->model) && count + 3 <= room; i++) {
        ss_body_type type = ss_model_body_type(w->model, i);
        if (type == SS_BODY_DYNAMIC || type == SS_BODY_PARTICLE) {
            ss_body_state s;
            ss_data_body(w->model, w->data, i, &s);
            out[count++] = s.position.x;
            out[count++] = s.position.y;
            out[count++] = s.angle;
        }
    }
    return count;
}

enum { MOST = 32 };

static ss_status positions_at(ss_verify *v, const char *scene, const char *const *overrides,
                              double duration, double h, double *out, int32_t *count)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, (int64_t)llround(duration / h));
    *count           = status == SS_OK ? ss_planar_positions(&w, out, MOST) : 0;
    ss_verify_close(&w);
    return status;
}

static double distance(const double *a, const double *b, int32_t n)
{
    double worst = 0;
    for (int32_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

ss_status ss_planar_order(ss_verify *v, const char *scene, const char *const *overrides,
                          double duration, double h)
{
    double  reference[MOST] = {0}, at[MOST] = {0}, error[3];
    int32_t n;
    SS_TRY(positions_at(v, scene, overrides, duration, h / 64, reference, &n));
    for (int i = 0; i < 3; i++) {
        SS_TRY(positions_at(v, scene, overrides, duration, h / (1 << i), at, &n));
        error[i] = distance(at, reference, n);
    }
    /* The reference has an error itself: of order 1 they are in the ratio 1 - 1/64 to 1/4 - 1/64.
     */
    double order = log2(error[0] / error[2]) / log2(63.0 / 15.0);
    ss_verify_near(v, 1, order, 0.15, "order of the positions at t = %g s, h = %g to %g", duration,
                   h, h / 4);
    ss_verify_near(v, 0, error[2], 5e-3, "largest error of a position at h = %g", h / 4);
    return SS_OK;
}

ss_status ss_planar_size(ss_verify *v, const char *scene, const char *const *overrides, double h,
                         int32_t expected)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, 1);
    if (status == SS_OK) {
        ss_verify_near(v, expected, ss_planar_problem_size(&w), 0,
                       "size of the mixed complementarity problem");
    }
    ss_verify_close(&w);
    return status;
}
