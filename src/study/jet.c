/* SPDX-License-Identifier: Apache-2.0 */
#include "study/jet.h"

#include <assert.h>
#include <string.h>

static size_t size_of(const ss_jets *s)
{
    return s->second ? ss_jet_size(s->n) : 1 + (size_t)s->n;
}

static double *new_jet(ss_jets *s)
{
    size_t  size = size_of(s);
    double *jet  = s->numbers + s->used;
    assert(s->used + size <= s->room);
    s->used += size;
    return jet;
}

double *ss_jet_constant(ss_jets *s, double value)
{
    double *jet = new_jet(s);
    memset(jet, 0, size_of(s) * sizeof *jet);
    jet[0] = value;
    return jet;
}

double *ss_jet_variable(ss_jets *s, int32_t i, double value)
{
    double *jet = ss_jet_constant(s, value);
    jet[1 + i]  = 1;
    return jet;
}

double *ss_jet_add(ss_jets *s, const double *a, double c, const double *b)
{
    double *jet = new_jet(s);
    for (size_t i = 0; i < size_of(s); i++) {
        jet[i] = a[i] + c * b[i];
    }
    return jet;
}

/* (a b)_ij = a b_ij + b a_ij + a_i b_j + a_j b_i */
double *ss_jet_product(ss_jets *s, const double *a, const double *b)
{
    double *jet = new_jet(s);
    jet[0]      = a[0] * b[0];
    for (size_t i = 1; i < size_of(s); i++) {
        jet[i] = a[0] * b[i] + b[0] * a[i];
    }
    for (int32_t i = 0; s->second && i < s->n; i++) {
        if (a[1 + i] == 0 && b[1 + i] == 0) {
            continue;
        }
        double *row = jet + ss_jet_place(s->n, i, 0);
        for (int32_t j = 0; j <= i; j++) {
            row[j] += a[1 + i] * b[1 + j] + b[1 + i] * a[1 + j];
        }
    }
    return jet;
}

double *ss_jet_dot(ss_jets *s, double *const a[3], double *const b[3])
{
    double *sum = ss_jet_product(s, a[0], b[0]);
    sum         = ss_jet_add(s, sum, 1, ss_jet_product(s, a[1], b[1]));
    return ss_jet_add(s, sum, 1, ss_jet_product(s, a[2], b[2]));
}
