/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mass properties at unit density.
 *
 * A solid bounded by triangles is the signed sum of tetrahedra (o, a, b, c): with edge vectors a,
 * b, c from a reference point o, volume d/6 and second moments int x x' dV = d/120 (a a' + b b' + c
 * c' + s s'),   s = a + b + c,   d = det[a b c], and a polygon the signed sum of triangles (o, a,
 * b): area d/2, int x x' dA = d/24 (a a' + b b' + s s'),           s = a + b,       d = a x b. Both
 * follow from the moments of the unit simplex. o is the first vertex, so that bodies far from the
 * origin lose no digits.
 */
#include "geom/mass.h"

typedef struct moments {
    double  volume;
    ss_vec3 first;
    double  xx, yy, zz, xy, yz, zx;
} moments;

static void add_outer(moments *m, double w, ss_vec3 a)
{
    m->xx += w * a.x * a.x;
    m->yy += w * a.y * a.y;
    m->zz += w * a.z * a.z;
    m->xy += w * a.x * a.y;
    m->yz += w * a.y * a.z;
    m->zx += w * a.z * a.x;
}

static void add_tetrahedron(moments *m, ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    double  d = ss_dot(a, ss_cross(b, c));
    ss_vec3 s = ss_add(a, ss_add(b, c));
    m->volume += d / 6;
    m->first = ss_axpy(m->first, d / 24, s);
    add_outer(m, d / 120, a);
    add_outer(m, d / 120, b);
    add_outer(m, d / 120, c);
    add_outer(m, d / 120, s);
}

static void add_triangle_2d(moments *m, ss_vec3 a, ss_vec3 b)
{
    double  d = a.x * b.y - a.y * b.x;
    ss_vec3 s = ss_add(a, b);
    m->volume += d / 2;
    m->first = ss_axpy(m->first, d / 6, s);
    add_outer(m, d / 24, a);
    add_outer(m, d / 24, b);
    add_outer(m, d / 24, s);
}

/* Inertia about the centre of mass, and the centre in the coordinates in which o was given. */
static ss_mass finish(const moments *m, ss_vec3 o)
{
    ss_mass out = {0, {0, 0, 0}, {{0}}};
    if (!(m->volume > 0)) {
        return out;
    }
    ss_vec3 c  = ss_scale(1 / m->volume, m->first);
    double  xx = m->xx - m->volume * c.x * c.x, yy = m->yy - m->volume * c.y * c.y,
           zz = m->zz - m->volume * c.z * c.z, xy = m->xy - m->volume * c.x * c.y,
           yz = m->yz - m->volume * c.y * c.z, zx = m->zx - m->volume * c.z * c.x;
    ss_mat3 I   = {{yy + zz, -xy, -zx, -xy, zz + xx, -yz, -zx, -yz, xx + yy}};
    out.volume  = m->volume;
    out.centre  = ss_add(o, c);
    out.inertia = I;
    return out;
}

ss_mass ss_mass_centred(double volume, double ixx, double iyy, double izz)
{
    ss_mass m = {volume, {0, 0, 0}, ss_mat3_diagonal(ixx, iyy, izz)};
    return m;
}

ss_mass ss_mass_placed(const ss_mass *m, const ss_frame *at)
{
    ss_mat3 Rt = ss_mat3_transpose(&at->R), RI = ss_mat3_mul(&at->R, &m->inertia);
    ss_mass out = {m->volume, ss_to_world(at, m->centre), ss_mat3_mul(&RI, &Rt)};
    return out;
}

/* inertia of a point mass m at r: m (r.r 1 - r r') */
static void add_point_inertia(ss_mat3 *I, double m, ss_vec3 r)
{
    double rr = ss_dot(r, r);
    I->m[0] += m * (rr - r.x * r.x);
    I->m[4] += m * (rr - r.y * r.y);
    I->m[8] += m * (rr - r.z * r.z);
    I->m[1] -= m * r.x * r.y;
    I->m[3] -= m * r.x * r.y;
    I->m[2] -= m * r.x * r.z;
    I->m[6] -= m * r.x * r.z;
    I->m[5] -= m * r.y * r.z;
    I->m[7] -= m * r.y * r.z;
}

void ss_mass_accumulate(ss_mass *total, const ss_mass *part)
{
    double volume = total->volume + part->volume;
    if (part->volume == 0) {
        return;
    }
    /* one point mass of m1 m2 / (m1 + m2) at the distance of the centres: Steiner for both */
    ss_vec3 between = ss_sub(part->centre, total->centre);
    if (total->volume != 0) {
        add_point_inertia(&total->inertia, total->volume * part->volume / volume, between);
    }
    for (int i = 0; i < 9; i++) {
        total->inertia.m[i] += part->inertia.m[i];
    }
    total->centre = ss_axpy(total->centre, part->volume / volume, between);
    total->volume = volume;
}

ss_mass ss_mass_negative(const ss_mass *m)
{
    ss_mass out = {-m->volume, m->centre, m->inertia};
    for (int i = 0; i < 9; i++) {
        out.inertia.m[i] = -out.inertia.m[i];
    }
    return out;
}

ss_mass ss_mass_triangles(const ss_vec3 *vertices, const int32_t *triangles, int32_t count)
{
    moments m = {0};
    ss_vec3 o = count > 0 ? vertices[triangles[0]] : ss_v3(0, 0, 0);
    for (int32_t t = 0; t < count; t++) {
        const int32_t *v = triangles + 3 * t;
        add_tetrahedron(&m, ss_sub(vertices[v[0]], o), ss_sub(vertices[v[1]], o),
                        ss_sub(vertices[v[2]], o));
    }
    return finish(&m, o);
}

ss_mass ss_mass_polyhedron(const ss_polyhedron *p, int dimension)
{
    moments m = {0};
    ss_vec3 o = p->vertices[0];
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t *v = p->face_vertices + p->face_start[f];
        int32_t        n = p->face_start[f + 1] - p->face_start[f];
        ss_vec3        a = ss_sub(p->vertices[v[0]], o), b = ss_sub(p->vertices[v[1]], o);
        if (dimension == 2) {
            add_triangle_2d(&m, a, b);
        }
        for (int32_t i = 2; i < n; i++) {
            ss_vec3 c = ss_sub(p->vertices[v[i]], o);
            add_tetrahedron(&m, a, b, c);
            b = c;
        }
    }
    return finish(&m, o);
}
