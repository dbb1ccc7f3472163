/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/components.h"

#include <stdbool.h>

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

/* Rows of a dense column: those that hang together with the root already are not looked at. */
static void join_dense(double *label, const double *at, int32_t rows, int32_t root)
{
    double known = root;
    for (int32_t i = 0; i < rows; i++) {
        if (label[i] != known && at[i] != 0) {
            ss_components_join(label, i, root);
            root  = ss_components_find(label, root);
            known = root;
        }
    }
}

/* Do all nodes point to the first? Then nothing is left to join. */
static bool all_joined(const double *label, int32_t count)
{
    int32_t i = count - 1;
    while (i >= 0 && label[i] == 0) {
        i--;
    }
    return i < 0;
}

void ss_components_join_matrix(double *label, const ss_matrix *A, int32_t row0, int32_t col0)
{
    bool square = A->dense != NULL && row0 == 0 && col0 == 0 && A->rows == A->cols;
    for (int32_t j = 0; j < A->cols && !(square && all_joined(label, A->rows)); j++) {
        int32_t root = ss_components_find(label, col0 + j);
        if (square) {
            join_dense(label, A->dense + (size_t)j * (size_t)A->ld, A->rows, root);
            continue;
        }
        const double *dense = A->dense != NULL ? A->dense + (size_t)j * (size_t)A->ld : NULL;
        int32_t       first = dense != NULL ? 0 : A->colptr[j];
        int32_t       end   = dense != NULL ? A->rows : A->colptr[j + 1];
        for (int32_t k = first; k < end; k++) {
            int32_t row = row0 + (dense != NULL ? k : A->rowind[k]);
            if ((dense != NULL ? dense[k] : A->values[k]) != 0 && (int32_t)label[row] != root) {
                ss_components_join(label, row, root);
                root = ss_components_find(label, root);
            }
        }
    }
}
