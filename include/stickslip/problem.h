/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Complementarity problems as plain structs. They know nothing of bodies: they can be written,
 * read, checked and solved with no physics loaded. Every pointer is borrowed: a problem owns
 * nothing, and nobody who is handed one may write to it.
 *
 *   lcp    w = M z + q,        0 <= z  _|_  w >= 0
 *   mlcp   w = M z + q,        w_i = 0 where z_i is free, 0 <= z_i _|_ w_i >= 0 elsewhere;
 *          the free block may be singular
 *   mcp    l <= z <= u,        F_i(z) >= 0 where z_i = l_i, <= 0 where z_i = u_i, = 0 between
 *   cone   u = W r + q                                   (local form)
 *          M v = H r + f,  u = H'v + q                   (global form; M may be zero or singular)
 *          with one law per block of rows, see ss_block
 */
#ifndef STICKSLIP_PROBLEM_H
#define STICKSLIP_PROBLEM_H

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix: dense column-major when `dense` is set, otherwise compressed columns. */
typedef struct ss_matrix {
    int32_t        rows, cols;
    const double  *dense;  /* (ld x cols) column-major, or NULL                        */
    int32_t        ld;     /* leading dimension of `dense`, >= rows                    */
    const int32_t *colptr; /* (cols + 1) start of each column in rowind and values     */
    const int32_t *rowind; /* (nnz) 0-based, ascending within a column, no duplicates  */
    const double  *values; /* (nnz)                                                    */
} ss_matrix;

typedef struct ss_lcp {
    int32_t       n;
    ss_matrix     M; /* (n x n), any sign, not assumed symmetric */
    const double *q; /* (n)                                      */
} ss_lcp;

typedef struct ss_mlcp {
    int32_t              n;
    ss_matrix            M;    /* (n x n)                                            */
    const double        *q;    /* (n)                                                */
    const unsigned char *free; /* (n) 1: z_i free and w_i = 0; 0: complementary pair */
} ss_mlcp;

typedef struct ss_mcp {
    int32_t       n;
    const double *lower; /* (n) -INFINITY allowed */
    const double *upper; /* (n) +INFINITY allowed */
    /* F(z) into `value` (n). Nonzero: z lies outside the domain of F. */
    int (*function)(void *user, const double *z, double *value);
    /* dF_i/dz_j into `values`, in the order of the fixed pattern below. */
    int (*jacobian)(void *user, const double *z, double *values);
    const int32_t *colptr; /* (n + 1) pattern of the Jacobian, compressed columns */
    const int32_t *rowind; /* (colptr[n])                                         */
    void          *user;
} ss_mcp;

/* The law that one block of rows of a cone problem obeys. r: reaction, u: relative velocity. */
typedef enum ss_block_kind {
    SS_BLOCK_EQUALITY,   /* u = 0, r free                                                     */
    SS_BLOCK_UNILATERAL, /* 0 <= r _|_ u >= 0, one row                                        */
    SS_BLOCK_CONE,       /* row 0 unilateral (normal); the others Coulomb friction:
                            |r_f| <= mu r_n, and r_f maximises -u_f.r_f over that ball        */
    SS_BLOCK_DISK        /* friction with a fixed bound: |r| <= bound, r maximises -u.r       */
} ss_block_kind;

typedef struct ss_block {
    ss_block_kind kind;
    int32_t       start; /* first row                                                        */
    int32_t       dim;   /* rows; cones: 2 in 2D, 3 in 3D, 4 with torsional friction, 6 with
                            torsional and rolling friction; disks: 1 and up                   */
    double mu;           /* cones: friction coefficient >= 0                                  */
    double bound;        /* disks: largest |r| >= 0                                           */
} ss_block;

typedef struct ss_cone {
    int32_t         n; /* rows: length of r, u and q                                    */
    int32_t         nblocks;
    const ss_block *blocks; /* (nblocks) ascending, covering every row exactly once          */
    const double   *q;      /* (n)                                                           */
    /* Semi-axes of the friction ellipsoid: |r_f / axes| <= mu r_n (or bound), row by row;
       entries of other rows are ignored. NULL: all 1. */
    const double *axes; /* (n) or NULL                                                   */
    ss_matrix     W;    /* local form: (n x n), perhaps slightly nonsymmetric; nv == 0   */
    int32_t       nv;   /* global form: length of v; 0 in the local form                 */
    ss_matrix     M;    /* global form: (nv x nv)                                        */
    ss_matrix     H;    /* global form: (nv x n)                                         */
    const double *f;    /* global form: (nv)                                             */
    /* What the motion error is measured by (docs/theory/residuals.md). */
    double        speed; /* velocity scale, m/s; 0: what reactions must change           */
    const double *lever; /* (n) what makes a row's velocity one of a point: 1 for rows in m/s, a
                            length for rows in rad/s; NULL: all 1                        */
} ss_cone;

typedef enum ss_problem_type { SS_LCP = 1, SS_MLCP = 2, SS_MCP = 4, SS_CONE = 8 } ss_problem_type;

typedef struct ss_problem {
    ss_problem_type type;
    union {
        ss_lcp  lcp;
        ss_mlcp mlcp;
        ss_mcp  mcp;
        ss_cone cone;
    } as;
} ss_problem;

/* "lcp", "mlcp", "mcp", "cone". */
SS_API const char *ss_problem_type_name(ss_problem_type type);

/* Length of the solution vector z (r for cones). */
SS_API int32_t ss_problem_size(const ss_problem *p);

/* Length of the second vector, v of the global cone form; otherwise 0. */
SS_API int32_t ss_problem_size_v(const ss_problem *p);

/* Sizes, pattern, finiteness, block cover, signs of mu and bounds; SS_ERR_INPUT says which. */
SS_API ss_status ss_problem_check(ss_context *ctx, const ss_problem *p);

/*
 * The certificate: how far (z, v) is from solving p, computed from p alone. Dimensionless: each
 * row is measured against the size of the terms that were added up in it (docs/theory/residuals.md
 * has the definition for each type), so that micrometres and metres, grams and tonnes give the
 * same number. 0 means exact; INFINITY when something is not finite.
 * v is used by the global cone form and ignored (may be NULL) otherwise.
 * `work` holds at least ss_residual_work(p) doubles.
 */
SS_API double ss_residual(const ss_problem *p, const double *z, const double *v, double *work);
/*
 * The motion error c of a cone problem, computed from p alone like the residual: every block obeys
 * its law after a change of its velocity by at most c times the velocity scale (p->as.cone.speed).
 * INFINITY when momentum is not right to rounding; NAN for problems of other types.
 */
SS_API double ss_motion_error(const ss_problem *p, const double *z, const double *v, double *work);
SS_API size_t ss_residual_work(const ss_problem *p);

/*
 * Compare the Jacobian of an mcp with central differences of its function at z. *worst is the
 * largest difference, relative to the larger of both and of what the differences can resolve; *row
 * and *col say where (an entry outside the pattern counts as 0). About 1e-6 and less is agreement.
 * SS_ERR_INPUT when F or its Jacobian cannot be evaluated there.
 */
SS_API ss_status ss_mcp_check_jacobian(ss_context *ctx, const ss_mcp *p, const double *z,
                                       double *worst, int32_t *row, int32_t *col);

#ifdef __cplusplus
}
#endif
#endif
