/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of three numbers, apart from the library that is measured. */
#ifndef SS_PEERS_VECTORS_H
#define SS_PEERS_VECTORS_H

static inline double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
