/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a boundary-value program, written down once as jets (period_program.c has the
 * formulas), and the numbers of the scenes that they are made of, with their derivatives by the
 * choices: differences of second order.
 */
#include <math.h>
#include <string.h>

#include "study/period_parts.h"
#include "study/tolerances.h"

int32_t ss_period_state(const ss_period_program *p, int32_t place, int32_t step)
{
    return p->first[place] + SS_PERIOD_STATE * step;
}

int32_t ss_period_touch(const ss_period_program *p, int32_t place, int32_t step)
{
    return p->first[place] + SS_PERIOD_STATE * (p->scenes[place].steps + 1) +
           SS_PERIOD_TOUCH * (step - 1);
}

int32_t ss_period_drift(const ss_period_program *p, int32_t place)
{
    return ss_period_touch(p, place, p->scenes[place].steps + 1);
}

/* ---- numbers of the scenes and their derivatives by the choices ---- */

static ss_status numbers_at(ss_period_program *p, int32_t place, const double *unit, double *out)
{
    double u[SS_PERIOD_CHOICES];
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        u[i] = p->def->low[i] + unit[i] * (p->def->high[i] - p->def->low[i]);
    }
    return ss_period_numbers(&p->scenes[place], u, out);
}

double *ss_period_number(const ss_period_program *p, int32_t place, size_t which)
{
    return p->numbers[place] + which * (size_t)p->scenes[place].count;
}

static ss_status nudge(ss_period_program *p, int32_t place, int32_t i, double by, int32_t j,
                       double *out)
{
    memcpy(p->nudged, p->known, (size_t)ss_period_choices(p) * sizeof *p->nudged);
    p->nudged[i] += by;
    if (j >= 0) {
        p->nudged[j] += by;
    }
    return numbers_at(p, place, p->nudged, out);
}

/* f_i and f_ii from values at 0 and +-d. */
static ss_status differ_along(ss_period_program *p, int32_t place, int32_t i)
{
    const double *f = ss_period_number(p, place, 0), d = SS_PERIOD_NUDGE;
    double       *one = ss_period_number(p, place, 1 + (size_t)i);
    double       *two = ss_period_number(p, place, ss_jet_place(ss_period_choices(p), i, i));
    SS_TRY(nudge(p, place, i, d, -1, p->plus));
    SS_TRY(nudge(p, place, i, -d, -1, p->minus));
    for (int32_t k = 0; k < p->scenes[place].count; k++) {
        one[k] = (p->plus[k] - p->minus[k]) / (2 * d);
        two[k] = (p->plus[k] + p->minus[k] - 2 * f[k]) / (d * d);
    }
    return SS_OK;
}

/* f_ij from f(d, d) = f + d (f_i + f_j) + d^2 (f_ii + f_jj + 2 f_ij) / 2. */
static ss_status differ_across(ss_period_program *p, int32_t place, int32_t i, int32_t j)
{
    const double *f = ss_period_number(p, place, 0), d = SS_PERIOD_NUDGE;
    const double *fi = ss_period_number(p, place, 1 + (size_t)i);
    const double *fj = ss_period_number(p, place, 1 + (size_t)j);
    const double *ii = ss_period_number(p, place, ss_jet_place(ss_period_choices(p), i, i));
    const double *jj = ss_period_number(p, place, ss_jet_place(ss_period_choices(p), j, j));
    double       *ij = ss_period_number(p, place, ss_jet_place(ss_period_choices(p), i, j));
    SS_TRY(nudge(p, place, i, d, j, p->plus));
    for (int32_t k = 0; k < p->scenes[place].count; k++) {
        ij[k] = (p->plus[k] - f[k] - d * (fi[k] + fj[k])) / (d * d) - 0.5 * (ii[k] + jj[k]);
    }
    return SS_OK;
}

/* Frames, with their derivatives, from the place that has the same. */
static void share_numbers(ss_period_program *p, int32_t place)
{
    size_t from = SS_PERIOD_FRAMES, rest = (size_t)p->scenes[place].count - from;
    for (size_t k = 0; k < ss_jet_size(ss_period_choices(p)); k++) {
        memcpy(ss_period_number(p, place, k) + from,
               ss_period_number(p, p->leader[place], k) + from, rest * sizeof(double));
    }
}

/*
 * Places whose frames are the same, to the bit, at two candidates that have nothing in common, and
 * whose other numbers do not follow from the candidate, need not be asked again and again.
 */
ss_status ss_period_leaders(ss_period_program *p)
{
    double point[2][SS_PERIOD_CHOICES];
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        point[0][i] = fmod(0.5 * sqrt(2. + i), 1);
        point[1][i] = fmod(0.7 * sqrt(3. + i), 1);
    }
    for (int32_t place = 0; place < p->places; place++) {
        size_t from = SS_PERIOD_FRAMES, rest = (size_t)p->scenes[place].count - from;
        bool   same = place > 0 && p->scenes[place].count == p->scenes[0].count;
        for (int e = 0; e < 2; e++) {
            double *own = ss_period_number(p, place, (size_t)e);
            SS_TRY(numbers_at(p, place, point[e], own));
            same = same && memcmp(own + from, p->leads + rest * (size_t)e, rest * sizeof *own) == 0;
            if (place == 0) {
                memcpy(p->leads + rest * (size_t)e, own + from, rest * sizeof *own);
            }
        }
        same = same && memcmp(ss_period_number(p, place, 0), ss_period_number(p, place, 1),
                              from * sizeof(double)) == 0;
        p->leader[place] = same ? 0 : place;
        for (size_t k = 1; same && k < ss_jet_size(ss_period_choices(p)); k++) {
            memset(ss_period_number(p, place, k), 0, from * sizeof(double));
        }
    }
    return SS_OK;
}

/* Values (order 0), first and second derivatives (2) at the choices of x. */
ss_status ss_period_learn(ss_period_program *p, const double *x, int32_t order)
{
    bool same = p->order >= 0 && memcmp(p->known, x, (size_t)ss_period_choices(p) * sizeof *x) == 0;
    if (same && p->order >= order) {
        return SS_OK;
    }
    if (p->def->interrupt != NULL && *p->def->interrupt != 0) {
        return SS_ERR_INTERRUPTED;
    }
    memcpy(p->known, x, (size_t)ss_period_choices(p) * sizeof *x);
    p->order = -1;
    for (int32_t place = 0; place < p->places; place++) {
        if (p->leader[place] < place) {
            share_numbers(p, place);
            continue;
        }
        if (!same) {
            SS_TRY(numbers_at(p, place, x, ss_period_number(p, place, 0)));
        }
        for (int32_t i = 0; order > 0 && i < ss_period_choices(p); i++) {
            SS_TRY(differ_along(p, place, i));
            for (int32_t j = 0; j < i; j++) {
                SS_TRY(differ_across(p, place, i, j));
            }
        }
    }
    p->order = order;
    return SS_OK;
}

/* A number of a scene as a jet; the choices are the last of its variables. */
static double *number(ss_period_program *p, int32_t place, int32_t k)
{
    int32_t n = p->jets.n, u = ss_period_choices(p), from = n - u;
    double *jet = ss_jet_constant(&p->jets, ss_period_number(p, place, 0)[k]);
    for (int32_t i = 0; p->order > 0 && i < u; i++) {
        jet[1 + from + i] = ss_period_number(p, place, 1 + (size_t)i)[k];
        for (int32_t j = 0; p->jets.second && j <= i; j++) {
            jet[ss_jet_place(n, from + i, from + j)] =
                ss_period_number(p, place, ss_jet_place(u, i, j))[k];
        }
    }
    return jet;
}

static void vector(ss_period_program *p, int32_t place, int32_t k, double *out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = number(p, place, k + i);
    }
}

typedef struct frame {
    double *c[3], *e[2][3], *n[3];
} frame;

static frame frame_at(ss_period_program *p, int32_t place, int32_t step)
{
    frame   f = {0};
    int32_t k = SS_PERIOD_FRAMES + SS_PERIOD_FRAME * step;
    vector(p, place, k, f.c);
    vector(p, place, k + 3, f.e[0]);
    vector(p, place, k + 6, f.e[1]);
    vector(p, place, k + 9, f.n);
    return f;
}

/* e.(q - c) */
static double *along(ss_period_program *p, double *const e[3], double *const q[3],
                     double *const c[3])
{
    double *r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = ss_jet_add(&p->jets, q[i], -1, c[i]);
    }
    return ss_jet_dot(&p->jets, e, r);
}

/* ---- rows ---- */

static void variables(ss_period_program *p, const double *x, const int32_t *cols, int32_t count,
                      double **out)
{
    for (int32_t i = 0; i < count; i++) {
        out[i] = ss_jet_variable(&p->jets, i, x[cols[i]]);
    }
}

/* Rows 3 to 5: momentum. */
static void momentum_rows(ss_period_program *p, int32_t place, const frame *f, double *const *z,
                          double *out[SS_PERIOD_ROWS])
{
    ss_jets       *s    = &p->jets;
    double *const *t    = z + 2 * SS_PERIOD_STATE;
    double         h    = 1. / p->scenes[place].steps, *pull[3], *push[2];
    double        *most = ss_jet_product(s, number(p, place, SS_PERIOD_MU), t[SS_PERIOD_FORCE]);
    vector(p, place, SS_PERIOD_PULL, pull);
    for (int k = 0; k < 2; k++) {
        push[k] = ss_jet_product(s, most, t[SS_PERIOD_DIRECTION + k]);
    }
    for (int i = 0; i < 3; i++) {
        double *sum = ss_jet_add(s, z[9 + i], -1, z[3 + i]);
        sum         = ss_jet_add(s, sum, -h, pull[i]);
        sum         = ss_jet_add(s, sum, -h, ss_jet_product(s, f->n[i], t[SS_PERIOD_FORCE]));
        sum         = ss_jet_add(s, sum, h, ss_jet_product(s, f->e[0][i], push[0]));
        out[3 + i]  = ss_jet_add(s, sum, h, ss_jet_product(s, f->e[1][i], push[1]));
    }
}

/* Rows 7, 8: slip over the point of the plate that the particle was above. */
static void slip_rows(ss_period_program *p, int32_t place, const frame *f, const frame *was,
                      double *const *z, double *out[SS_PERIOD_ROWS])
{
    ss_jets       *s = &p->jets;
    double *const *t = z + 2 * SS_PERIOD_STATE;
    double         h = 1. / p->scenes[place].steps, *y[2], *v[3];
    double        *o = ss_jet_constant(s, p->scenes[place].offset);
    y[0]             = along(p, f->e[0], z, f->c);
    y[1]             = along(p, f->e[1], z, f->c);
    for (int i = 0; i < 3; i++) {
        double *point = ss_jet_add(s, was->c[i], 1, ss_jet_product(s, was->e[0][i], y[0]));
        point         = ss_jet_add(s, point, 1, ss_jet_product(s, was->e[1][i], y[1]));
        point         = ss_jet_add(s, point, 1, ss_jet_product(s, was->n[i], o));
        v[i]          = ss_jet_add(s, z[9 + i], -1 / h, ss_jet_add(s, z[i], -1, point));
    }
    for (int k = 0; k < 2; k++) {
        double *slides = ss_jet_product(s, t[SS_PERIOD_SLIDE], t[SS_PERIOD_DIRECTION + k]);
        out[7 + k]     = ss_jet_add(s, ss_jet_dot(s, f->e[k], v), -1, slides);
    }
}

int32_t ss_period_step_columns(const ss_period_program *p, int32_t place, int32_t step,
                               int32_t *cols)
{
    for (int32_t i = 0; i < 2 * SS_PERIOD_STATE; i++) {
        cols[i] = ss_period_state(p, place, step - 1) + i;
    }
    for (int32_t i = 0; i < SS_PERIOD_TOUCH; i++) {
        cols[2 * SS_PERIOD_STATE + i] = ss_period_touch(p, place, step) + i;
    }
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        cols[SS_PERIOD_LOCAL + i] = i;
    }
    return SS_PERIOD_LOCAL + ss_period_choices(p);
}

void ss_period_step_rows(ss_period_program *p, int32_t place, int32_t step, const double *x,
                         double *out[SS_PERIOD_ROWS])
{
    int32_t cols[SS_PERIOD_LOCAL + SS_PERIOD_CHOICES];
    double *z[SS_PERIOD_LOCAL + SS_PERIOD_CHOICES], *const *t = z + 2 * SS_PERIOD_STATE;
    ss_jets *s = &p->jets;
    double   h = 1. / p->scenes[place].steps;
    s->used    = 0;
    s->n       = ss_period_step_columns(p, place, step, cols);
    variables(p, x, cols, s->n, z);
    frame f = frame_at(p, place, step), was = frame_at(p, place, step - 1);
    for (int i = 0; i < 3; i++) {
        out[i] = ss_jet_add(s, ss_jet_add(s, z[6 + i], -1, z[i]), -h, z[9 + i]);
    }
    momentum_rows(p, place, &f, z, out);
    double *o = ss_jet_constant(s, p->scenes[place].offset);
    out[6] = ss_jet_add(s, ss_jet_add(s, t[SS_PERIOD_OPEN], -1, along(p, f.n, z + 6, f.c)), 1, o);
    slip_rows(p, place, &f, &was, z, out);
    out[9] = ss_jet_add(s, t[SS_PERIOD_SLACK], 1,
                        ss_jet_product(s, t[SS_PERIOD_DIRECTION], t[SS_PERIOD_DIRECTION]));
    out[9] = ss_jet_add(s, out[9], 1,
                        ss_jet_product(s, t[SS_PERIOD_DIRECTION + 1], t[SS_PERIOD_DIRECTION + 1]));
    out[9] = ss_jet_add(s, out[9], -1, ss_jet_constant(s, 1));
}

int32_t ss_period_end_columns(const ss_period_program *p, int32_t place, int32_t *cols)
{
    for (int32_t i = 0; i < SS_PERIOD_STATE; i++) {
        cols[i]                   = ss_period_state(p, place, 0) + i;
        cols[SS_PERIOD_STATE + i] = ss_period_state(p, place, p->scenes[place].steps) + i;
    }
    cols[2 * SS_PERIOD_STATE]     = ss_period_drift(p, place);
    cols[2 * SS_PERIOD_STATE + 1] = ss_period_drift(p, place) + 1;
    for (int32_t i = 0; i < ss_period_choices(p); i++) {
        cols[2 * SS_PERIOD_STATE + 2 + i] = i;
    }
    return 2 * SS_PERIOD_STATE + 2 + ss_period_choices(p);
}

/* Where it begins, and how it comes back. */
void ss_period_end_rows(ss_period_program *p, int32_t place, const double *x,
                        double *out[SS_PERIOD_ROWS])
{
    int32_t  cols[SS_PERIOD_LOCAL + SS_PERIOD_CHOICES];
    double  *z[SS_PERIOD_LOCAL + SS_PERIOD_CHOICES] = {0}, *w = NULL;
    ss_jets *s = &p->jets;
    s->used    = 0;
    s->n       = ss_period_end_columns(p, place, cols);
    variables(p, x, cols, s->n, z);
    frame f = frame_at(p, place, 0), g = frame_at(p, place, p->scenes[place].steps);
    for (int k = 0; k < 3; k++) {
        double *const *e = k < 2 ? f.e[k] : f.n, *const *then = k < 2 ? g.e[k] : g.n;
        double *begins = along(p, e, z, f.c), *ends = along(p, then, z + SS_PERIOD_STATE, g.c);
        out[2 + k] = ss_jet_add(s, ends, -1, begins);
        if (k < 2) {
            w          = z[2 * SS_PERIOD_STATE + k];
            out[k]     = ss_jet_add(s, begins, -1, number(p, place, SS_PERIOD_PLACE + k));
            out[2 + k] = ss_jet_add(s, out[2 + k], -1, w);
        }
        out[5 + k] = ss_jet_add(s, ss_jet_dot(s, then, z + SS_PERIOD_STATE + 3), -1,
                                ss_jet_dot(s, e, z + 3));
    }
}
