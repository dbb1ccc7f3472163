/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The QR algorithm in complex arithmetic: Householder's reduction is left out (matrices are small),
 * so each sweep is a full QR step by Givens rotations on a Hessenberg matrix made by elimination
 * with pivoting, shifted by the eigenvalue of the last 2 x 2 block nearest to its last entry
 * (Wilkinson). Real matrices have their eigenvalues in conjugate pairs, which are corrected at the
 * end.
 */
#include "linalg/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct number {
    double re, im;
} number;

static number add(number a, number b)
{
    return (number){a.re + b.re, a.im + b.im};
}

static number sub(number a, number b)
{
    return (number){a.re - b.re, a.im - b.im};
}

static number mul(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static number conj_of(number a)
{
    return (number){a.re, -a.im};
}

static double size(number a)
{
    double x = fmax(fabs(a.re), fabs(a.im)), y = fmin(fabs(a.re), fabs(a.im));
    return x > 0 ? x * sqrt(1 + (y / x) * (y / x)) : 0;
}

static number root(number a)
{
    double r = size(a), x = sqrt(0.5 * (r + fabs(a.re)));
    if (x == 0) {
        return (number){0, 0};
    }
    double y = 0.5 * a.im / x;
    return a.re >= 0 ? (number){x, y} : (number){fabs(y), a.im >= 0 ? x : -x};
}

/* Similar to A, zero below the first subdiagonal. */
static void hessenberg(int32_t n, number *H)
{
    for (int32_t k = 1; k + 1 < n; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; i++) {
            best = fabs(H[i + (k - 1) * n].re) > fabs(H[best + (k - 1) * n].re) ? i : best;
        }
        if (H[best + (k - 1) * n].re == 0) {
            continue;
        }
        for (int32_t j = 0; best != k && j < n; j++) {
            number x        = H[k + j * n];
            H[k + j * n]    = H[best + j * n];
            H[best + j * n] = x;
        }
        for (int32_t i = 0; best != k && i < n; i++) {
            number x        = H[i + k * n];
            H[i + k * n]    = H[i + best * n];
            H[i + best * n] = x;
        }
        for (int32_t i = k + 1; i < n; i++) {
            double f = H[i + (k - 1) * n].re / H[k + (k - 1) * n].re;
            for (int32_t j = 0; f != 0 && j < n; j++) {
                H[i + j * n].re -= f * H[k + j * n].re;
            }
            for (int32_t j = 0; f != 0 && j < n; j++) {
                H[j + k * n].re += f * H[j + i * n].re;
            }
        }
    }
}

/* The eigenvalue of rows m-2, m-1 that is nearest to the last entry. */
static number shift(const number *H, int32_t n, int32_t m)
{
    number a = H[(m - 2) + (m - 2) * n], b = H[(m - 2) + (m - 1) * n];
    number c = H[(m - 1) + (m - 2) * n], d = H[(m - 1) + (m - 1) * n];
    number half = {0.5 * (a.re - d.re), 0.5 * (a.im - d.im)};
    number r    = root(add(mul(half, half), mul(b, c)));
    number x = add(add(d, half), r), y = sub(add(d, half), r);
    return size(sub(x, d)) <= size(sub(y, d)) ? x : y;
}

/* H - s = Q R, H := R Q + s on rows and columns low .. m-1. */
static void sweep(number *H, int32_t n, int32_t low, int32_t m, number s, number *c, number *t)
{
    for (int32_t i = low; i < m; i++) {
        H[i + i * n] = sub(H[i + i * n], s);
    }
    for (int32_t k = low; k + 1 < m; k++) {
        number x = H[k + k * n], y = H[k + 1 + k * n];
        double r = sqrt(size(x) * size(x) + size(y) * size(y));
        c[k]     = r > 0 ? (number){x.re / r, x.im / r} : (number){1, 0};
        t[k]     = r > 0 ? (number){y.re / r, y.im / r} : (number){0, 0};
        for (int32_t j = k; j < m; j++) {
            number u = H[k + j * n], v = H[k + 1 + j * n];
            H[k + j * n]     = add(mul(conj_of(c[k]), u), mul(conj_of(t[k]), v));
            H[k + 1 + j * n] = sub(mul(c[k], v), mul(t[k], u));
        }
    }
    for (int32_t k = low; k + 1 < m; k++) {
        for (int32_t i = low; i <= k + 1; i++) {
            number u = H[i + k * n], v = H[i + (k + 1) * n];
            H[i + k * n]       = add(mul(u, c[k]), mul(v, t[k]));
            H[i + (k + 1) * n] = sub(mul(v, conj_of(c[k])), mul(u, conj_of(t[k])));
        }
    }
    for (int32_t i = low; i < m; i++) {
        H[i + i * n] = add(H[i + i * n], s);
    }
}

/* Closed form: the most usual size, exact on the borders of complex eigenvalues. */
static void two(const double *A, double *re, double *im)
{
    double half = 0.5 * (A[0] + A[3]), apart = 0.5 * (A[0] - A[3]);
    double D = apart * apart + A[1] * A[2];
    if (D < 0) {
        re[0] = re[1] = half;
        im[0]         = sqrt(-D);
        im[1]         = -im[0];
        return;
    }
    double far = half >= 0 ? half + sqrt(D) : half - sqrt(D);
    double det = A[0] * A[3] - A[1] * A[2];
    re[0]      = far;
    re[1]      = far != 0 ? det / far : 0;
    im[0] = im[1] = 0;
}

bool ss_dense_eigenvalues(int32_t n, const double *A, double *work, double *re, double *im)
{
    enum { PATIENCE = 60, MOST = 64 };
    number *H = (number *)(void *)work, c[MOST], t[MOST];
    if (n == 2) {
        two(A, re, im);
        return true;
    }
    if (n > MOST) {
        return false;
    }
    for (int32_t i = 0; i < n * n; i++) {
        H[i] = (number){A[i], 0};
    }
    hessenberg(n, H);
    int32_t tries = 0;
    for (int32_t m = n; m > 0;) {
        int32_t low = m - 1;
        while (low > 0 &&
               size(H[low + (low - 1) * n]) >
                   DBL_EPSILON * (size(H[low + low * n]) + size(H[low - 1 + (low - 1) * n]))) {
            low--;
        }
        if (low == m - 1) {
            m--;
            re[m] = H[m + m * n].re;
            im[m] = H[m + m * n].im;
            tries = 0;
            continue;
        }
        if (tries++ == PATIENCE) {
            return false;
        }
        number s = tries % 11 == 10 ? H[(m - 1) + (m - 2) * n] : shift(H, n, m);
        sweep(H, n, low, m, s, c, t);
    }
    return true;
}
