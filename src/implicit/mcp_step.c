/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of geometry: implicit as one mixed complementarity problem, thesis (3.82), (3.83) with
 * errata: velocities, nearest points and impulses are unknowns together,
 *
 *   z = (v', and per contact  a1, a2, p_t ..;  l1, l2, p_n, s)
 *
 *   0 = A v' - b - W p                            (b = M v + h F, W at q' = q + h v')
 *   0 = a1 - a2 + l1 grad f(a1)                   a1 on body 1: f <= 0, a2 on body 2: g <= 0
 *   0 = grad f(a1) + l2 grad g(a2)
 *   0 = e_i^2 mu p_n u_i + p_i s                  each direction i of friction
 *   0 <= l1  _|_  -f(a1),   0 <= l2  _|_  -g(a2),   0 <= p_n  _|_  f(a2)
 *   0 <= s   _|_  (mu p_n)^2 - sum (p_i/e_i)^2
 *
 * f and g are heights over the surfaces in metres, with gradients of length 1 there, so that no
 * scaling of an algebraic distance is needed. A plane is body 2 with a2 written in its own
 * coordinates, g(a2) = 0 by itself and l2 free: a disc on a plane has 11 unknowns, a ball on two
 * balls 32, as printed.
 *
 * The Jacobian is by central differences: this is a second route to
 * the answer of the rounds (implicit.c), to compare with, not to hurry.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "geom/surface.h"
#include "implicit/implicit.h"
#include "implicit/tolerances.h"
#include "linalg/dense.h"
#include "stickslip/analysis.h"

enum { MOST_ROWS = 6 };

/* One pair that may touch. */
typedef struct meeting {
    int32_t            body[2];
    ss_surface         surface[2];
    bool               flat; /* the second is a plane */
    ss_vec3            t, o; /* .. and its directions */
    int32_t            rows; /* of friction           */
    const ss_pair_law *law;
    int32_t            at; /* of its first unknown; likewise of its equations */
} meeting;

typedef struct posed {
    const ss_model *m;
    ss_data        *d;
    double          h;
    int32_t         dim, n, count;
    meeting        *pairs;
    ss_frame       *frames;                 /* (nb) at the end, by the velocities in z */
    double          length, speed, impulse; /* sizes of unknowns */
    double         *wide, *tall;            /* (n) size of each, and of its equation */
    double         *shift, *plain;          /* (n) */
    double         *up, *down;              /* (n) */
    double         *z;                      /* (n) a copy to move */
} posed;

static void put(double *to, ss_vec3 x, int32_t dim)
{
    to[0] = x.x;
    to[1] = x.y;
    if (dim == 3) {
        to[2] = x.z;
    }
}

static ss_vec3 get(const double *from, int32_t dim)
{
    return ss_v3(from[0], from[1], dim == 3 ? from[2] : 0);
}

/* Frames of all bodies at the end of the step. */
static void place(posed *p, const double *v)
{
    const ss_model *m = p->m;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        p->frames[i]     = p->d->frame[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        ss_twist w    = ss_twist_from_vector(m, b->dof, v + b->v_start);
        ss_pose  pose = p->d->state.pose[i];
        pose.p        = ss_axpy(pose.p, p->h, w.v);
        pose.angle += p->h * w.w.z;
        if (m->dimension == 3) {
            ss_quat turn = ss_quat_from_rotation(ss_scale(p->h, w.w));
            pose.q       = ss_quat_unit(ss_quat_mul(turn, pose.q));
        }
        p->frames[i] = ss_pose_frame(m, &pose);
    }
}

/* Height of x over the surface of one side, and the gradient there, in the world. */
static double height(const posed *p, const meeting *c, int side, ss_vec3 x, ss_vec3 *grad)
{
    const ss_frame *f = &p->frames[c->body[side]];
    double          y = ss_surface_height(&c->surface[side], ss_to_body(f, x), grad);
    *grad             = ss_mul(&f->R, *grad);
    return y;
}

/* Unknowns of a pair: a1, a2 (a plane: its coordinates), friction, l1, l2, p_n, s. */
static ss_vec3 second_point(const posed *p, const meeting *c, const double *a2)
{
    if (!c->flat) {
        return get(a2, p->dim);
    }
    const ss_frame   *f    = &p->frames[c->body[1]];
    const ss_surface *s    = &c->surface[1];
    ss_vec3           flat = ss_axpy(ss_scale(s->offset, s->normal), a2[0], c->t);
    flat                   = p->dim == 3 ? ss_axpy(flat, a2[1], c->o) : flat;
    return ss_to_world(f, flat);
}

static int32_t second_size(const posed *p, const meeting *c)
{
    return p->dim - (c->flat ? 1 : 0);
}

/* Velocity of a point that moves with a body at the end of the step. */
static ss_vec3 velocity(const posed *p, const double *v, int32_t body, ss_vec3 x)
{
    const ss_body *b = &p->m->bodies[body];
    if (ss_body_moves(b)) {
        ss_twist w = ss_twist_from_vector(p->m, b->dof, v + b->v_start);
        return ss_add(w.v, ss_cross(w.w, ss_sub(x, p->frames[body].p)));
    }
    ss_vec3 drift = b->surface_velocity;
    if (b->type == SS_BODY_KINEMATIC) {
        ss_vec3 was = ss_to_world(&p->d->frame_was[body], ss_to_body(&p->frames[body], x));
        drift       = ss_axpy(drift, 1 / p->h, ss_sub(x, was));
    }
    return drift;
}

static ss_vec3 spin(const posed *p, const double *v, int32_t body)
{
    const ss_body *b = &p->m->bodies[body];
    if (ss_body_moves(b)) {
        return ss_twist_from_vector(p->m, b->dof, v + b->v_start).w;
    }
    return b->type == SS_BODY_KINEMATIC ? p->d->twist_next[body].w : ss_v3(0, 0, 0);
}

/* F -= impulse and moment on one body. */
static void push(const posed *p, double *F, int32_t body, ss_vec3 x, ss_vec3 force, ss_vec3 moment)
{
    const ss_body *b = &p->m->bodies[body];
    if (!ss_body_moves(b)) {
        return;
    }
    double *to     = F + b->v_start;
    ss_vec3 torque = ss_add(moment, ss_cross(ss_sub(x, p->frames[body].p), force));
    to[0] -= force.x;
    to[1] -= force.y;
    if (p->dim == 2) {
        to[2] -= b->dof == 3 ? torque.z : 0;
        return;
    }
    to[2] -= force.z;
    if (b->dof == 6) {
        to[3] -= torque.x;
        to[4] -= torque.y;
        to[5] -= torque.z;
    }
}

/* Directions of friction: t, o, then turns about n, t, o. */
static void directions(const posed *p, const meeting *c, ss_vec3 n, ss_vec3 *e)
{
    ss_contact about = {.geom_a = 0, .normal = n};
    if (p->dim == 2) {
        e[0] = ss_v3(n.y, -n.x, 0);
        return;
    }
    about.geom_a = p->m->bodies[c->body[0]].geom_first;
    about.geom_b = p->m->bodies[c->body[1]].geom_first;
    ss_contact_frame(p->m, &about, &e[0], &e[1]);
    e[2] = n;
    e[3] = e[0];
    e[4] = e[1];
}

/* Equations of one pair, and its part of the balance of momentum. */
static void pair_equations(const posed *p, const meeting *c, const double *z, double *F)
{
    const int32_t dim = p->dim, two = second_size(p, c);
    const double *x = z + c->at, *friction = x + dim + two, *l = friction + c->rows;
    double       *y = F + c->at, mu = c->law->mu, pn = l[2], left = mu * mu * pn * pn;
    ss_vec3       a1 = get(x, dim), a2 = second_point(p, c, x + dim), f, g, f2, e[MOST_ROWS];
    double        on1 = height(p, c, 0, a1, &f), on2 = height(p, c, 1, a2, &g);
    double        gap = height(p, c, 0, a2, &f2);
    put(y, ss_axpy(ss_sub(a1, a2), l[0], f), dim);
    ss_vec3 opposed = ss_axpy(f, l[1], g);
    directions(p, c, f, e);
    double *last = y + dim + two + c->rows; /* the equations of l1, l2, p_n, s */
    if (c->flat) {                          /* l2 is free: the part along the normal decides it */
        const ss_frame *at = &p->frames[c->body[1]];
        y[dim]             = ss_dot(opposed, ss_mul(&at->R, c->t));
        y[dim + two - 1]   = dim == 3 ? ss_dot(opposed, ss_mul(&at->R, c->o)) : y[dim];
    } else {
        put(y + dim, opposed, dim);
    }
    y += dim + two;
    ss_vec3 force = ss_scale(pn, f), moment = {0, 0, 0};
    ss_vec3 slip = ss_sub(velocity(p, z, c->body[1], a2), velocity(p, z, c->body[0], a1));
    ss_vec3 turn = ss_sub(spin(p, z, c->body[1]), spin(p, z, c->body[0]));
    for (int32_t i = 0; i < c->rows; i++) {
        double axis = c->law->axes[i], u = ss_dot(e[i], i < dim - 1 ? slip : turn);
        y[i]   = axis * axis * mu * pn * u + friction[i] * l[3];
        force  = i < dim - 1 ? ss_axpy(force, friction[i], e[i]) : force;
        moment = i < dim - 1 ? moment : ss_axpy(moment, friction[i], e[i]);
        left -= friction[i] * friction[i] / (axis * axis);
    }
    last[0] = -on1;
    last[1] = c->flat ? ss_dot(opposed, g) : -on2;
    last[2] = gap;
    if (c->rows > 0) {
        last[3] = left;
    }
    push(p, F, c->body[1], a2, force, moment);
    push(p, F, c->body[0], a1, ss_neg(force), ss_neg(moment));
}

/* A v' - A v_free of one body. */
static void momentum(const posed *p, int32_t body, const double *v, double *F)
{
    const ss_model       *m    = p->m;
    const ss_body        *b    = &m->bodies[body];
    const ss_body_matrix *A    = &p->d->matrix[body];
    const double         *free = p->d->v_free + b->v_start;
    double                x[6] = {0}, *to = F + b->v_start;
    for (int32_t c = 0; c < m->dof; c++) {
        x[c] = v[b->v_start + c] - free[c];
    }
    for (int32_t c = 0; A->full != NULL && c < m->dof; c++) {
        to[c] = ss_dot_dof(A->full + (ptrdiff_t)c * m->dof, x, m->dof);
    }
    if (A->full != NULL) {
        return;
    }
    ss_vec3 w = ss_mul(&A->angular, m->dof == 3 ? ss_v3(0, 0, x[2]) : ss_v3(x[3], x[4], x[5]));
    to[0]     = A->linear * x[0];
    to[1]     = A->linear * x[1];
    to[2]     = m->dof == 3 ? w.z : A->linear * x[2];
    if (m->dof == 6) {
        to[3] = w.x;
        to[4] = w.y;
        to[5] = w.z;
    }
}

/*
 * Free unknowns are written from a place of their own size away from zero. The certificate measures
 * a row by its terms, and a contact at the origin, at rest, would have none but rounding.
 */
static int function(void *user, const double *shifted, double *F)
{
    posed  *p = user;
    double *z = p->plain;
    memset(F, 0, (size_t)p->n * sizeof *F);
    for (int32_t i = 0; i < p->n; i++) {
        z[i] = shifted[i] - p->shift[i];
    }
    place(p, z);
    for (int32_t i = 0; i < p->m->nb; i++) {
        if (ss_body_moves(&p->m->bodies[i])) {
            momentum(p, i, z, F);
        }
    }
    for (int32_t i = 0; i < p->count; i++) {
        pair_equations(p, &p->pairs[i], z, F);
    }
    return 0;
}

static int jacobian(void *user, const double *z, double *values)
{
    posed *p = user;
    memcpy(p->z, z, (size_t)p->n * sizeof *z);
    for (int32_t j = 0; j < p->n; j++) {
        double step = SS_MCP_DIFFERENCE * fmax(p->wide[j], fabs(z[j]));
        p->z[j]     = z[j] + step;
        function(p, p->z, p->up);
        p->z[j] = z[j] - step;
        function(p, p->z, p->down);
        p->z[j] = z[j];
        for (int32_t i = 0; i < p->n; i++) {
            values[(size_t)j * (size_t)p->n + (size_t)i] = (p->up[i] - p->down[i]) / (2 * step);
        }
    }
    return 0;
}

/* ---- posing it ----------------------------------------------------------------------------- */

static bool is_flat(const ss_surface *s)
{
    return s->kind == SS_SURFACE_PLANE;
}

/* A pair of contact c: the plane second, otherwise in their order. */
static ss_status pose_pair(posed *p, const ss_contact *c, meeting *x)
{
    const ss_model *m       = p->m;
    const ss_geom  *geom[2] = {&m->geoms[c->geom_a], &m->geoms[c->geom_b]};
    if (ss_surface_count_of(geom[0]) != 1 || ss_surface_count_of(geom[1]) != 1) {
        return ss_fail(
            p->d->ctx, SS_ERR_UNSUPPORTED,
            "bodies '%s' and '%s': the complementarity problem is posed for shapes of one "
            "smooth surface (rounds take all)",
            m->bodies[geom[0]->body].name, m->bodies[geom[1]->body].name);
    }
    for (int side = 0; side < 2; side++) {
        x->body[side] = geom[side]->body;
        ss_surface_of(geom[side], m->dimension, 0, &x->surface[side]);
    }
    if (is_flat(&x->surface[0])) {
        meeting was   = *x;
        x->body[0]    = was.body[1];
        x->body[1]    = was.body[0];
        x->surface[0] = was.surface[1];
        x->surface[1] = was.surface[0];
    }
    x->law  = ss_model_law(m, c);
    x->rows = x->law->dim - 1;
    x->flat = is_flat(&x->surface[1]);
    x->at   = p->n;
    if (x->flat) {
        ss_vec3 n = x->surface[1].normal;
        x->t      = p->dim == 2
                        ? ss_v3(n.y, -n.x, 0)
                        : ss_unit(ss_cross(n, fabs(n.x) < 0.9 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0)));
        x->o = ss_cross(n, x->t);
    }
    p->n += p->dim + second_size(p, x) + x->rows + 3 + (x->rows > 0);
    return SS_OK;
}

/* Bounds, sizes, and the start: nearest points where the step starts, no impulses. */
static void start_pair(posed *p, const meeting *c, const ss_contact *from, double *z, double *lower)
{
    const int32_t   dim = p->dim, two = second_size(p, c);
    const ss_frame *f    = &p->d->frame[c->body[1]];
    bool            of_a = p->m->geoms[from->geom_a].body == c->body[0];
    ss_vec3 a1 = of_a ? from->point_a : from->point_b, a2 = of_a ? from->point_b : from->point_a;
    double *x = z + c->at, *low = lower + c->at, *wide = p->wide + c->at;
    put(x, a1, dim);
    if (c->flat) {
        ss_vec3 y = ss_to_body(f, a2);
        x[dim]    = ss_dot(y, c->t);
        if (dim == 3) {
            x[dim + 1] = ss_dot(y, c->o);
        }
    } else {
        put(x + dim, a2, dim);
    }
    int32_t first = dim + two + c->rows, count = 3 + (c->rows > 0);
    for (int32_t i = 0; i < first + count; i++) {
        low[i]  = i < first ? -INFINITY : 0;
        wide[i] = i < dim + two ? p->length : p->impulse;
    }
    low[first + 1]  = c->flat ? -INFINITY : 0; /* l2 */
    x[first]        = fmax(from->gap, 0);
    x[first + 1]    = 1;
    wide[first]     = p->length;
    wide[first + 1] = 1;
    if (c->rows > 0) {
        wide[first + 3]            = p->speed;
        p->tall[c->at + first + 3] = p->impulse * p->impulse;
    }
}

/*
 * Impulses to start from: what would stop the approach of the forces, with the friction that
 * opposes the slip at the start. With none at all the rows of friction say nothing.
 */
static void guess_impulses(const posed *p, const meeting *c, double *z)
{
    const int32_t dim = p->dim, two = second_size(p, c);
    double       *x = z + c->at, *friction = x + dim + two, *l = friction + c->rows, light = 0;
    ss_vec3       a1 = get(x, dim), a2 = second_point(p, c, x + dim), n, e[MOST_ROWS];
    height(p, c, 0, a1, &n);
    directions(p, c, n, e);
    for (int side = 0; side < 2; side++) {
        const ss_body_matrix *A = &p->d->matrix[c->body[side]];
        light += ss_body_moves(&p->m->bodies[c->body[side]]) ? A->inv_linear : 0;
    }
    const double *free = p->d->v_free;
    ss_vec3 coming = ss_sub(velocity(p, free, c->body[1], a2), velocity(p, free, c->body[0], a1));
    ss_vec3 slip   = ss_sub(velocity(p, z, c->body[1], a2), velocity(p, z, c->body[0], a1));
    slip           = ss_axpy(slip, -ss_dot(slip, n), n);
    double speed = ss_norm(slip), approach = -ss_dot(coming, n) - l[0] / p->h;
    l[2] = light > 0 ? fmax(approach, 0) / light : 0;
    if (c->rows > 0 && speed > SS_MCP_DIFFERENCE * p->speed) {
        l[3] = speed;
        for (int32_t i = 0; i < c->rows && i < dim - 1; i++) {
            friction[i] = -c->law->mu * l[2] * ss_dot(e[i], slip) / speed;
        }
    }
}

/* Speeds and impulses of the step. */
static void measure(posed *p)
{
    const ss_model *m     = p->m;
    double          speed = 0, mass = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            const double *v = p->d->v_free + m->bodies[i].v_start;
            speed           = fmax(speed, ss_speed_of(m, i, v));
            mass            = fmax(mass, m->bodies[i].mass);
        }
    }
    p->speed   = speed > 0 ? speed : 1;
    p->impulse = mass > 0 ? mass * p->speed : p->speed;
}

static ss_status make_room(posed *p, double **z, double **lower, double **upper, int32_t **pattern)
{
    ss_arena *a = &p->d->scratch;
    size_t    n = (size_t)p->n;
    *z          = ss_arena_alloc(a, n, sizeof **z);
    *lower      = ss_arena_alloc(a, n, sizeof **lower);
    *upper      = ss_arena_alloc(a, n, sizeof **upper);
    *pattern    = ss_arena_alloc(a, n + 1 + n * n, sizeof **pattern);
    p->wide     = ss_arena_alloc(a, n, sizeof *p->wide);
    p->tall     = ss_arena_alloc(a, n, sizeof *p->tall);
    p->shift    = ss_arena_alloc(a, n, sizeof *p->shift);
    p->plain    = ss_arena_alloc(a, n, sizeof *p->plain);
    p->up       = ss_arena_alloc(a, n, sizeof *p->up);
    p->down     = ss_arena_alloc(a, n, sizeof *p->down);
    p->z        = ss_arena_alloc(a, n, sizeof *p->z);
    bool all = *z && *lower && *upper && *pattern && p->wide && p->tall && p->shift && p->plain &&
               p->up && p->down && p->z;
    return all ? SS_OK : SS_ERR_SCRATCH;
}

static void start(posed *p, double *z, double *lower, double *upper, int32_t *pattern)
{
    const ss_model *m = p->m;
    memset(z, 0, (size_t)p->n * sizeof *z);
    for (int32_t i = 0; i < p->n; i++) {
        lower[i]   = -INFINITY;
        upper[i]   = INFINITY;
        p->wide[i] = p->speed;
        p->tall[i] = p->length;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            ss_twist_to_vector(m, &p->d->state.twist[i], z + m->bodies[i].v_start);
        }
    }
    for (int32_t i = 0; i < p->count; i++) {
        start_pair(p, &p->pairs[i], &p->d->contacts.items[i], z, lower);
    }
    memcpy(p->frames, p->d->frame, (size_t)m->nb * sizeof *p->frames);
    for (int32_t i = 0; i < p->count; i++) {
        guess_impulses(p, &p->pairs[i], z);
    }
    for (int32_t i = 0; i < p->n; i++) {
        p->shift[i] = isfinite(lower[i]) ? 0 : p->wide[i];
        z[i] += p->shift[i];
    }
    int32_t *colptr = pattern, *rowind = pattern + p->n + 1;
    for (int32_t j = 0; j <= p->n; j++) {
        colptr[j] = j * p->n;
    }
    for (int32_t k = 0; k < p->n * p->n; k++) {
        rowind[k] = k % p->n;
    }
}

/* The step's stages up to the contacts, at its start. */
ss_status ss_mcp_look(const ss_model *m, ss_data *d, double h)
{
    ss_arena_reset(&d->scratch);
    memset(d->speed_floor, 0, (size_t)m->nb * sizeof *d->speed_floor);
    memset(d->speed_beside, 0, (size_t)m->nb * sizeof *d->speed_beside);
    SS_TRY(ss_kinematics(m, d, d->state.pose, h));
    SS_TRY(ss_forces(m, d, h));
    SS_TRY(ss_broad(m, d, h));
    SS_TRY(ss_collide(m, d, h));
    return ss_inertia_of(m)->assemble(m, d, h);
}

static void tell_motion(const ss_model *m, const posed *p, const double *z, ss_body_motion *motion)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        motion[i]        = (ss_body_motion){{0, 0, 0}, {0, 0, 0}};
        if (ss_body_moves(b)) {
            ss_twist w                 = ss_twist_from_vector(m, b->dof, z + b->v_start);
            ss_vec3  offset            = ss_mul(&p->frames[i].R, b->com);
            motion[i].velocity         = ss_sub(w.v, ss_cross(w.w, offset));
            motion[i].angular_velocity = w.w;
        }
    }
}

static ss_status pose(posed *p)
{
    ss_data *d = p->d;
    p->n       = p->m->nv;
    p->count   = d->contacts.count;
    p->pairs   = ss_arena_alloc(&d->scratch, (size_t)p->count + 1, sizeof *p->pairs);
    p->frames  = ss_arena_alloc(&d->scratch, (size_t)p->m->nb, sizeof *p->frames);
    if (!p->pairs || !p->frames) {
        return SS_ERR_SCRATCH;
    }
    memset(p->pairs, 0, ((size_t)p->count + 1) * sizeof *p->pairs);
    for (int32_t i = 0; i < p->count; i++) {
        SS_TRY(pose_pair(p, &d->contacts.items[i], &p->pairs[i]));
    }
    return SS_OK;
}

/* The linear system of Newton's method at z, where bounds that F keeps active hold. */
static void active_system(posed *p, const double *lower, const double *z, double *J, double *right)
{
    const size_t n = (size_t)p->n;
    jacobian(p, z, J);
    function(p, z, right);
    for (int32_t i = 0; i < p->n; i++) {
        bool held = z[i] - lower[i] <= right[i] * p->wide[i] / p->tall[i];
        for (int32_t j = 0; held && j < p->n; j++) {
            J[(size_t)j * n + (size_t)i] = i == j;
        }
        right[i] = held ? z[i] - lower[i] : right[i];
    }
}

/*
 * Newton's method with the set of active bounds that the solution tells, as long as it betters the
 * residual: the solver ends where its merit function, in which a touch is degenerate (l1 = 0 and
 * f(a1) = 0), says no more.
 */
static ss_status polish(posed *p, const ss_problem *problem, double *z, double *residual)
{
    enum { STEPS = 8 };
    ss_arena *a     = &p->d->scratch;
    size_t    n     = (size_t)p->n;
    double   *J     = ss_arena_alloc(a, n * n, sizeof *J);
    double   *right = ss_arena_alloc(a, n, sizeof *right);
    double   *next  = ss_arena_alloc(a, n, sizeof *next);
    int32_t  *pivot = ss_arena_alloc(a, n, sizeof *pivot);
    double   *work  = ss_arena_alloc(a, ss_residual_work(problem), sizeof *work);
    if (!J || !right || !next || !pivot || !work) {
        return SS_ERR_SCRATCH;
    }
    *residual = ss_residual(problem, z, NULL, work);
    for (int k = 0; k < STEPS; k++) {
        active_system(p, problem->as.mcp.lower, z, J, right);
        if (!ss_dense_lu(p->n, J, p->n, pivot)) {
            break;
        }
        ss_dense_lu_solve(p->n, J, p->n, pivot, right);
        for (int32_t i = 0; i < p->n; i++) {
            next[i] = z[i] - right[i];
        }
        double after = ss_residual(problem, next, NULL, work);
        if (!(after < *residual)) {
            break;
        }
        memcpy(z, next, n * sizeof *z);
        *residual = after;
    }
    return SS_OK;
}

static ss_status solve(posed *p, ss_mcp_step *out, ss_body_motion *motion)
{
    double     *z, *lower, *upper;
    int32_t    *pattern;
    ss_solver  *solver = NULL;
    ss_problem  problem;
    ss_solution x = {.warm = true};
    SS_TRY(make_room(p, &z, &lower, &upper, &pattern));
    start(p, z, lower, upper, pattern);
    problem.type   = SS_MCP;
    problem.as.mcp = (ss_mcp){.n        = p->n,
                              .lower    = lower,
                              .upper    = upper,
                              .function = function,
                              .jacobian = jacobian,
                              .colptr   = pattern,
                              .rowind   = pattern + p->n + 1,
                              .user     = p};
    x.z            = z;
    SS_TRY(ss_solver_create_named(p->d->ctx, "newton", &solver));
    ss_solver_common(solver)->tol = SS_MCP_TARGET;
    ss_status status              = ss_solve(solver, &problem, &x);
    ss_solver_destroy(solver);
    SS_TRY(status);
    double residual;
    SS_TRY(polish(p, &problem, z, &residual));
    *out = (ss_mcp_step){p->n, p->count, x.outcome, residual, x.iterations};
    if (residual <= SS_MCP_SOLVED) {
        out->outcome = SS_SOLVED;
    }
    function(p, z, p->up); /* leaves the plain unknowns, and frames at the end */
    tell_motion(p->m, p, p->plain, motion);
    return SS_OK;
}

ss_status ss_mcp_solve(const ss_model *m, ss_data *d, double h, ss_body_motion *motion,
                       ss_mcp_step *out)
{
    posed p = {.m = m, .d = d, .h = h, .dim = m->dimension, .length = m->length};
    ss_arena_reset(&d->scratch);
    measure(&p);
    SS_TRY(pose(&p));
    return solve(&p, out, motion);
}
