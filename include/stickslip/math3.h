/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors, quaternions, rotation matrices and frames.
 *
 * World: right-handed, z up (2D: x right, y up, rotations about z). A quaternion is (w, x, y, z),
 * unit, and turns body coordinates into world coordinates; a matrix is row-major and does the same.
 * 2D uses the same types with z = 0 and rotations about z only.
 */
#ifndef STICKSLIP_MATH3_H
#define STICKSLIP_MATH3_H

#include <math.h>

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_vec3 {
    double x, y, z;
} ss_vec3;

typedef struct ss_quat {
    double w, x, y, z;
} ss_quat;

typedef struct ss_mat3 {
    double m[9]; /* row-major */
} ss_mat3;

/* Where something is: its origin and its axes in the world. */
typedef struct ss_frame {
    ss_vec3 p;
    ss_mat3 R;
} ss_frame;

typedef struct ss_aabb {
    ss_vec3 low, high;
} ss_aabb;

static inline ss_vec3 ss_v3(double x, double y, double z)
{
    ss_vec3 v = {x, y, z};
    return v;
}

static inline ss_vec3 ss_add(ss_vec3 a, ss_vec3 b)
{
    return ss_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline ss_vec3 ss_sub(ss_vec3 a, ss_vec3 b)
{
    return ss_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline ss_vec3 ss_neg(ss_vec3 a)
{
    return ss_v3(-a.x, -a.y, -a.z);
}

static inline ss_vec3 ss_scale(double s, ss_vec3 a)
{
    return ss_v3(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
static inline ss_vec3 ss_axpy(ss_vec3 a, double s, ss_vec3 b)
{
    return ss_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double ss_dot(ss_vec3 a, ss_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ss_vec3 ss_cross(ss_vec3 a, ss_vec3 b)
{
    return ss_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double ss_norm(ss_vec3 a)
{
    return sqrt(ss_dot(a, a));
}

/* a / |a|; zero stays zero. */
static inline ss_vec3 ss_unit(ss_vec3 a)
{
    double n = ss_norm(a);
    return n > 0 ? ss_scale(1 / n, a) : a;
}

static inline ss_mat3 ss_mat3_identity(void)
{
    ss_mat3 R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return R;
}

static inline ss_mat3 ss_mat3_diagonal(double x, double y, double z)
{
    ss_mat3 R = {{x, 0, 0, 0, y, 0, 0, 0, z}};
    return R;
}

static inline ss_vec3 ss_mul(const ss_mat3 *R, ss_vec3 a)
{
    const double *m = R->m;
    return ss_v3(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
                 m[6] * a.x + m[7] * a.y + m[8] * a.z);
}

/* R' a: from the world into the body. */
static inline ss_vec3 ss_tmul(const ss_mat3 *R, ss_vec3 a)
{
    const double *m = R->m;
    return ss_v3(m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z,
                 m[2] * a.x + m[5] * a.y + m[8] * a.z);
}

static inline ss_mat3 ss_mat3_mul(const ss_mat3 *A, const ss_mat3 *B)
{
    ss_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[3 * i + j] = A->m[3 * i] * B->m[j] + A->m[3 * i + 1] * B->m[3 + j] +
                             A->m[3 * i + 2] * B->m[6 + j];
        }
    }
    return C;
}

static inline ss_mat3 ss_mat3_transpose(const ss_mat3 *A)
{
    ss_mat3 T = {{A->m[0], A->m[3], A->m[6], A->m[1], A->m[4], A->m[7], A->m[2], A->m[5], A->m[8]}};
    return T;
}

/* The frame of something placed at `local` inside `parent`. */
static inline ss_frame ss_frame_mul(const ss_frame *parent, const ss_frame *local)
{
    ss_frame f;
    f.p = ss_add(parent->p, ss_mul(&parent->R, local->p));
    f.R = ss_mat3_mul(&parent->R, &local->R);
    return f;
}

static inline ss_vec3 ss_to_world(const ss_frame *f, ss_vec3 body_point)
{
    return ss_add(f->p, ss_mul(&f->R, body_point));
}

static inline ss_vec3 ss_to_body(const ss_frame *f, ss_vec3 world_point)
{
    return ss_tmul(&f->R, ss_sub(world_point, f->p));
}

static inline ss_quat ss_quat_identity(void)
{
    ss_quat q = {1, 0, 0, 0};
    return q;
}

static inline ss_quat ss_quat_mul(ss_quat a, ss_quat b)
{
    ss_quat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                 a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}

static inline ss_quat ss_quat_unit(ss_quat q)
{
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(n > 0)) {
        return ss_quat_identity();
    }
    double  s = 1 / n;
    ss_quat u = {s * q.w, s * q.x, s * q.y, s * q.z};
    return u;
}

/* The rotation by |r| about r where |r| is not small; ss_quat_from_rotation takes any r. */
SS_API ss_quat ss_quat_from_turn(ss_vec3 r);

/* The rotation by |r| about r: exp(r~) as a quaternion, to the last bits for small angles too. */
static inline ss_quat ss_quat_from_rotation(ss_vec3 r)
{
    double a2 = ss_dot(r, r), c, s; /* c = cos(a/2), s = sin(a/2)/a */
    if (a2 >= 1e-2) {
        return ss_quat_from_turn(r);
    }
    /* their series: the terms left out are below 1e-16 */
    s         = 0.5 - a2 * (1.0 / 48 - a2 * (1.0 / 3840 - a2 / 645120));
    c         = 1.0 - a2 * (1.0 / 8 - a2 * (1.0 / 384 - a2 * (1.0 / 46080 - a2 / 10321920)));
    ss_quat q = {c, s * r.x, s * r.y, s * r.z};
    return q;
}

/* The rotation vector (axis times angle, angle in [0, pi]) of a unit quaternion. */
SS_API ss_vec3 ss_quat_to_rotation(ss_quat q);

static inline ss_mat3 ss_mat3_from_quat(ss_quat q)
{
    double  w = q.w, x = q.x, y = q.y, z = q.z;
    ss_mat3 R = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                  2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                  2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    return R;
}

/* Rotation about z; the same bits on every processor. */
SS_API ss_mat3 ss_mat3_from_angle(double angle);

#ifdef __cplusplus
}
#endif
#endif
