/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/components.h"

void ss_components_begin(int32_t n, double *label)
{
    for (int32_t i = 0; i < n; i++) {
        label[i] = i;
    }
}

int32_t ss_components_find(double *label, int32_t node)
{
    int32_t up = (int32_t)label[node];
    while (up != node) {
        label[node] = label[up];
        node        = up;
        up          = (int32_t)label[node];
    }
    return node;
}

void ss_components_join(double *label, int32_t a, int32_t b)
{
    int32_t x = ss_components_find(label, a), y = ss_components_find(label, b);
    if (x < y) {
        label[y] = x;
    } else {
        label[x] = y;
    }
}

void ss_components_join_matrix(double *label, const ss_matrix *A, int32_t row0, int32_t col0)
{
    for (int32_t j = 0; j < A->cols; j++) {
        const double *dense = A->dense != NULL ? A->dense + (size_t)j * (size_t)A->ld : NULL;
        int32_t       first = dense != NULL ? 0 : A->colptr[j];
        int32_t       end   = dense != NULL ? A->rows : A->colptr[j + 1];
        int32_t       root  = ss_components_find(label, col0 + j);
        for (int32_t k = first; k < end; k++) {
            int32_t row = row0 + (dense != NULL ? k : A->rowind[k]);
            if ((dense != NULL ? dense[k] : A->values[k]) != 0 && (int32_t)label[row] != root) {
                ss_components_join(label, row, root);
                root = ss_components_find(label, root);
            }
        }
    }
}
