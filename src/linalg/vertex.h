/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of polyhedra. Dense. */
#ifndef SS_LINALG_VERTEX_H
#define SS_LINALG_VERTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From a point x of the polyhedron  E x = e,  x_j >= 0 where j is not free,  to one of its
 * vertices: a solution of which no more entries are positive than E has independent columns, and
 * these follow from E and e alone. The largest entries of x are kept as far as that goes.
 *
 * T (m x (n + 1)), column-major, holds E with rows and columns of about one size, and e; it is
 * overwritten. `basis` (m) and `order` (n) are scratch. `products` counts what was multiplied.
 * False: over(user) said so.
 */
bool ss_vertex(int32_t m, int32_t n, double *T, const unsigned char *free, double *x,
               int32_t *basis, int32_t *order, double *products, bool (*over)(void *user),
               void *user);

#endif
