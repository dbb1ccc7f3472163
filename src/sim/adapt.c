/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation: {error: E}. Steps by doubling: over the same h once as one step, once as two halves;
 * the halves are kept, and the largest distance e between the two motions, over all points of all
 * bodies, stands for their error. (Of order 2 it is three times that of the halves, of order 1 as
 * large.) With T the duration,
 *
 *   e <= (E/2) h/T         smooth steps: over the run they add up to E/2;
 *   e <= B/2^16, B := B - e    what is too little to be halved for: next to a change point bodies
 *                          are known to 1e-11 m only, and steps however short are off by that;
 *   e <= B/(8 + n), B := B - e   where something happens (an impact is off by h times the change of
 *                          the velocity, however small h): half of E is set aside for these. n have
 *                          been before, so that B falls as 7/(7 + n), and steps with n; with the
 *                          same part for each, hundreds of impacts would leave nothing,
 *
 * otherwise h is halved and the state restored. What happens within a step shows in how e falls:
 * smooth steps of order p have a quarter of it or less at half the step, impacts half.
 *
 * What errors of earlier steps become later is the motion's own: a pendulum turned upside down, or
 * a pile, multiplies them, and no choice of steps can promise positions there.
 */
#include "sim/adapt.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "model/data.h"
#include "sim/tolerances.h"

/* Halvings of the scene's step after which it gives up: h = step / 2^20. */
enum { HALVINGS_MAX = 20 };

/* Steps that one of the scene's may take: where e is noise, each may be halved and doubled again.
 */
enum { PARTS_MOST = 1 << 16 };

/* At half the step smooth errors fall to this part or less (first order: a quarter). */
static const double SMOOTH_FALL = 0.4;

/* What the first impact may take of what is set aside for them: one part of so many. */
static const double FIRST_PART = 8;

/* Where e is this part of what is allowed, the next step may be twice as long: of order 2 it would
   be eight times as large. */
static const double MAY_DOUBLE = 0.1;

ss_status ss_adapt_open(ss_context *ctx, const ss_model *m, double error, double duration,
                        double step, ss_adapt *a)
{
    *a           = (ss_adapt){.ctx = ctx, .error = error, .duration = duration, .h = step};
    a->set_aside = 0.5 * error;
    a->poses     = ss_alloc(ctx, (size_t)m->nb, sizeof *a->poses);
    return a->poses != NULL || m->nb == 0
               ? SS_OK
               : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the control of errors");
}

void ss_adapt_close(const ss_model *m, ss_adapt *a)
{
    if (a->poses != NULL) {
        ss_free(a->ctx, a->poses, (size_t)m->nb * sizeof *a->poses);
    }
    if (a->saved != NULL) {
        ss_free(a->ctx, a->saved, a->room);
    }
    *a = (ss_adapt){0};
}

static ss_status save(const ss_model *m, const ss_data *d, ss_adapt *a)
{
    a->size = ss_snapshot_size(m, d);
    if (a->size > a->room) {
        void *fresh = ss_resize(a->ctx, a->saved, a->room, 2 * a->size);
        if (fresh == NULL) {
            return ss_fail(a->ctx, SS_ERR_MEMORY, "no memory for the control of errors");
        }
        a->saved = fresh;
        a->room  = 2 * a->size;
    }
    return ss_snapshot_get(m, d, a->saved);
}

/* Largest distance of a point of a body from where the other motion has it. */
static double distance(const ss_model *m, const ss_data *d, const ss_pose *other)
{
    double most = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_pose *p    = &d->state.pose[i];
        double         turn = fabs(p->angle - other[i].angle);
        if (m->dimension == 3) {
            ss_quat back = {other[i].q.w, -other[i].q.x, -other[i].q.y, -other[i].q.z};
            turn         = ss_norm(ss_quat_to_rotation(ss_quat_mul(p->q, back)));
        }
        double arm = isfinite(m->bodies[i].extent) ? m->bodies[i].extent : 0;
        most       = fmax(most, ss_norm(ss_sub(p->p, other[i].p)) + turn * arm);
    }
    return most;
}

static ss_status take(const ss_model *m, ss_data *d, ss_adapt *a, double h)
{
    ss_status status = ss_step(m, d, h);
    a->work += d->report.work;
    return status;
}

/*
 * One step of h against two halves; the state is then that of the halves. A step that had to be cut
 * is no step of h: its parts may be the very halves that it is compared with.
 */
static ss_status try_step(const ss_model *m, ss_data *d, ss_adapt *a, double h, double *e)
{
    SS_TRY(save(m, d, a));
    SS_TRY(take(m, d, a, h));
    if (ss_data_report(d)->splits > 0) {
        *e = INFINITY;
        return SS_OK;
    }
    memcpy(a->poses, d->state.pose, (size_t)m->nb * sizeof *a->poses);
    SS_TRY(ss_snapshot_set(m, d, a->saved, a->size));
    SS_TRY(take(m, d, a, 0.5 * h));
    SS_TRY(take(m, d, a, 0.5 * h));
    *e = distance(m, d, a->poses);
    return SS_OK;
}

/* What a smooth step may be off by, at the expense of the time it covers. */
static double share_of(const ss_adapt *a, double h)
{
    return 0.5 * a->error * h / a->duration;
}

/* .. and whatever it covers, at the expense of what is set aside. */
static double least_of(const ss_adapt *a)
{
    return SS_ERROR_LEAST * a->set_aside;
}

/* Is e small enough, and at whose expense? */
static bool accepts(ss_adapt *a, double h, double e, double last)
{
    bool in_share = e <= share_of(a, h);
    bool happens =
        last > 0 && e > SMOOTH_FALL * last && e <= a->set_aside / (FIRST_PART + a->happened);
    bool accepted = in_share || happens || e <= least_of(a);
    a->set_aside -= accepted && !in_share ? e : 0;
    a->happened += accepted && !in_share && happens;
    a->estimate += accepted ? e : 0;
    return accepted;
}

static ss_status fail(const ss_data *d, const ss_adapt *a, double h, double e, const char *why)
{
    return ss_fail(a->ctx, SS_ERR_CERTIFICATE,
                   "t = %g: the error of positions cannot be kept within %g m: a step of %g s is "
                   "off by %g m%s (simulation: error)",
                   ss_data_time(d), a->error, h, e, why);
}

ss_status ss_adapt_step(const ss_model *m, ss_data *d, ss_adapt *a, double step)
{
    double left = step, e, last = 0;
    int    halved = 0, parts = 0;
    a->work = 0;
    while (left > 0) {
        double h = a->h < left * (1 - SS_STEP_ROUNDING) ? a->h : left;
        SS_TRY(try_step(m, d, a, h, &e));
        if (accepts(a, h, e, last)) {
            bool easy = e <= MAY_DOUBLE * fmax(share_of(a, h), least_of(a));
            a->h      = easy && 2 * a->h <= step ? 2 * a->h : a->h;
            left -= h;
            left = left > SS_PART_ROUNDING * step ? left : 0;
            last = halved = 0;
            a->steps++;
            if (++parts >= PARTS_MOST && left > 0) {
                return fail(d, a, h, e, ", and would have to be taken in too many parts");
            }
            continue;
        }
        SS_TRY(ss_snapshot_set(m, d, a->saved, a->size));
        if (++halved > HALVINGS_MAX) {
            return fail(d, a, h, e, "");
        }
        last = e;
        a->h = 0.5 * h;
    }
    d->report.work = a->work;
    return SS_OK;
}
