/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts as what is compared: when, and where. The first row of a recording tells when, and from
 * where, the body was let go; each further row is an impact, in order.
 *
 * In a run an impact is a step from (p, v) to (p', v') of h seconds whose change of velocity
 * differs by more than `least` from that of the last step without one. Within it the body goes on
 * as it came and then as it leaves; with n along the jump
 *
 *   p + v s = p' - v' (h - s)   along n:   s = n.(p' - p - h v') / n.(v - v'),  0 <= s <= h.
 *
 * Steps at the level of accelerations locate impacts within steps, and so does s. Steps of impulses
 * turn the velocity round at their start: s = 0, and times are told to a step. Jumps in steps that
 * follow each other are one impact (corners of a body that land in turn).
 *
 * The k-th impact of the run stands for the k-th row; where there are fewer, the end of the run
 * does, so that values with which it has too few are worse the further they are from one more.
 */
#include "identify/impacts.h"

#include <math.h>
#include <string.h>

#include "identify/tolerances.h"

typedef struct search {
    const ss_identify_worker *w;
    int32_t                   body;   /* in ss_identify.bodies */
    int32_t                   step;   /* looked at next */
    ss_vec3                   smooth; /* acceleration of the last step without an impact */
    bool                      known;  /* there was one */
} search;

static const ss_body_state *state_of(const search *s, int32_t step)
{
    return &s->w->states[(ptrdiff_t)step * s->w->p->body_count + s->body];
}

/* The change of velocity in a step beyond what forces make. */
static ss_vec3 jump_of(const search *s, int32_t step)
{
    double  h  = s->w->t[step + 1] - s->w->t[step];
    ss_vec3 dv = ss_sub(state_of(s, step + 1)->velocity, state_of(s, step)->velocity);
    return s->known ? ss_axpy(dv, -h, s->smooth) : dv;
}

static void note_smooth(search *s, int32_t step)
{
    double  h  = s->w->t[step + 1] - s->w->t[step];
    ss_vec3 dv = ss_sub(state_of(s, step + 1)->velocity, state_of(s, step)->velocity);
    s->smooth  = ss_scale(1 / h, dv);
    s->known   = true;
}

/* When it happens in the step, and the body's state there, from how it came. */
static ss_met place_in_step(const search *s, int32_t step, ss_vec3 jump)
{
    const ss_body_state *a = state_of(s, step), *b = state_of(s, step + 1);
    double               h      = s->w->t[step + 1] - s->w->t[step];
    ss_vec3              n      = ss_scale(1 / ss_norm(jump), jump);
    ss_vec3              beyond = ss_axpy(ss_sub(b->position, a->position), -h, b->velocity);
    double               closes = ss_dot(n, ss_sub(a->velocity, b->velocity));
    double               at     = closes != 0 ? fmin(fmax(ss_dot(n, beyond) / closes, 0), h) : 0;
    ss_met               out    = {.t = s->w->t[step] - s->w->t[0] + at, .state = *a};
    ss_vec3              turn   = ss_scale(at, a->angular_velocity);
    out.state.position          = ss_axpy(a->position, at, a->velocity);
    out.state.angle             = a->angle + turn.z;
    out.state.quat_wxyz         = ss_quat_mul(ss_quat_from_rotation(turn), a->quat_wxyz);
    return out;
}

/* The next impact; false: there is none before the end, which is told instead. */
static bool find_next(search *s, double least, ss_met *out)
{
    for (; s->step + 1 < s->w->count; s->step++) {
        ss_vec3 jump = jump_of(s, s->step);
        if (ss_norm(jump) <= least) {
            note_smooth(s, s->step);
            continue;
        }
        *out = place_in_step(s, s->step, jump);
        for (s->step++; s->step + 1 < s->w->count && ss_norm(jump_of(s, s->step)) > least;) {
            s->step++;
        }
        return true;
    }
    int32_t last = s->w->count - 1;
    *out         = (ss_met){s->w->t[last] - s->w->t[0], *state_of(s, last)};
    return false;
}

int32_t ss_impacts_count(const ss_identify_worker *w)
{
    search  s     = {.w = w, .body = w->p->columns[0].body};
    int32_t count = 0;
    ss_met  one;
    while (find_next(&s, w->p->least_impact, &one)) {
        count++;
    }
    return count;
}

void ss_impact_residuals(const ss_identify_worker *w, int32_t trial, const double *theta,
                         double *shown, double *residuals)
{
    const ss_identify *p     = w->p;
    const ss_recorded *r     = &p->trials[trial];
    int32_t            width = p->column_count + 1;
    search             s     = {.w = w, .body = p->columns[0].body};
    memset(residuals, 0, (size_t)r->rows * sizeof *residuals);
    for (int32_t k = 1; k < r->count; k++) {
        double *row = residuals + (ptrdiff_t)(k - 1) * width;
        ss_met  at;
        find_next(&s, p->least_impact, &at);
        if (r->t[k] <= w->until) {
            row[0] = (r->t[k] - at.t - ss_identify_delay(p, trial, theta)) / p->sigma_time;
            ss_identify_differ(p, trial, theta, k, &at.state, shown, row + 1);
        }
    }
}

void ss_impacts_count_rows(const ss_identify *p, ss_recorded *r)
{
    r->rows    = (r->count - 1) * (p->column_count + 1);
    r->present = r->count - 1;
    for (int32_t i = p->column_count; i < r->count * p->column_count; i++) {
        r->present += !isnan(r->y[i]) && p->columns[i % p->column_count].quantity != SS_Q_QW;
    }
}

ss_status ss_impacts_check(ss_decoder *d, const ss_identify *p, const ss_node *at)
{
    if (p->body_count != 1) {
        return ss_decode_fail(d, at, "loss over impacts is of one body: columns and starts name %d",
                              (int)p->body_count);
    }
    for (int32_t c = 0; c < p->column_count; c++) {
        ss_unit_kind u = ss_quantity_unit(p->columns[c].quantity);
        if (u == SS_UNIT_SPEED || u == SS_UNIT_SPIN) {
            return ss_decode_fail(d, at,
                                  "loss over impacts compares places, not velocities, which jump "
                                  "there: '%s'",
                                  p->columns[c].name);
        }
    }
    if (p->ensemble.runs > 0) {
        return ss_decode_fail(d, at, "loss over impacts takes no `scatter`");
    }
    for (int32_t k = 0; k < p->trial_count; k++) {
        if (p->trials[k].count < 2) {
            return ss_decode_fail(d, at,
                                  "recording '%s' has no impact: its first row tells when it was "
                                  "let go, every further one an impact",
                                  p->trials[k].name);
        }
    }
    return SS_OK;
}
