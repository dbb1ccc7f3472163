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
 * Places do not tell all. Where a force jumps at a time that the step does not have (static
 * friction that gives way, what comes to lie on something), velocities are off by up to h/2 times
 * the jump k of the acceleration, whole step and halves alike, and that grows with the time to the
 * end of the run, t. So does what an impact leaves, u between the velocities of the two. Of a
 * smooth motion k falls with h; where k/h is several times that of the steps before, and k does not
 * fall when h is halved, something happens, and e is not less than
 *
 *   t k h/2    where forces jump: k stays;        t u    where velocities jump: k grows as h falls.
 *
 * What errors of earlier steps become later is the motion's own: a pendulum turned upside down, or
 * a pile, multiplies them, and no choice of steps can promise positions there.
 */
#include "sim/adapt.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "dynamics/stages.h"
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

/* Accelerations jump where k/h is so many times that of the steps before, and where it is not,
   twice one after the other, less than this part of what it was in a step twice as long: of smooth
   motion it is half of that. Where it is more than so many times it, velocities jump. */
static const double JUMPS  = 4;
static const double KEEPS  = 0.7;
static const double STRUCK = 1.5;
enum { FALLS_LEAST = 2 };

/* What velocities differ by may move bodies so many times as far within a step as places may be off
   without a reason to halve it, and be rounding. */
static const double UNSEEN = 256;

/* Differences of velocities that so many times, one after the other, keep this part of what they
   were in a step twice as long do not come from its length: next to a change point velocities are
   known to 1e-5 only. */
static const double STAYS = 0.9;
enum { STAYS_MOST = 3 };

ss_status ss_adapt_open(const ss_model *m, const ss_data *d, double error, double duration,
                        double step, ss_adapt *a)
{
    ss_context *ctx = d->ctx;
    *a              = (ss_adapt){.ctx = ctx, .error = error, .duration = duration, .h = step};
    a->end          = ss_data_time(d) + duration;
    a->set_aside    = 0.5 * error;
    a->poses        = ss_alloc(ctx, (size_t)m->nb, sizeof *a->poses);
    a->twists       = ss_alloc(ctx, 4 * (size_t)m->nb, sizeof *a->twists);
    return (a->poses != NULL && a->twists != NULL) || m->nb == 0
               ? SS_OK
               : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the control of errors");
}

void ss_adapt_close(const ss_model *m, ss_adapt *a)
{
    if (a->poses != NULL) {
        ss_free(a->ctx, a->poses, (size_t)m->nb * sizeof *a->poses);
    }
    if (a->twists != NULL) {
        ss_free(a->ctx, a->twists, 4 * (size_t)m->nb * sizeof *a->twists);
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

/* ---- velocities ------------------------------------------------------------------------------ */

/* By how much points of a body that moves are faster in x/hx than in y/hy. */
static double faster(const ss_model *m, int32_t body, const ss_twist *x, double hx,
                     const ss_twist *y, double hy)
{
    ss_twist by  = ss_twist_mixed(1 / hx, x, -1 / hy, y);
    double   arm = isfinite(m->bodies[body].extent) ? m->bodies[body].extent : 0;
    return ss_body_moves(&m->bodies[body]) ? ss_norm(by.v) + arm * ss_norm(by.w) : 0;
}

/* What a step tried tells about its error. */
typedef struct trial {
    double places; /* how far the two motions are apart at its end          */
    double u;      /* .. and their velocities                               */
    double k;      /* by how much accelerations jump                        */
    double e;      /* the error by places, and by what velocities become    */
    int    falls;  /* so many times k fell as it does where nothing happens  */
    int    stays;  /* so many times u kept what it was in a step twice as long */
} trial;

/* From the half step before to the first of this step's, and from that to the second. */
static void compare_velocities(const ss_model *m, const ss_data *d, const ss_adapt *a, double h,
                               trial *x)
{
    const int32_t nb = m->nb;
    for (int32_t i = 0; i < nb; i++) {
        const ss_twist *whole = a->twists + i, *from = whole + nb, *mid = from + nb;
        const ss_twist *last = mid + nb, *end = &d->state.twist[i];
        ss_twist        first = ss_twist_mixed(1, mid, -1, from);
        ss_twist        next  = ss_twist_mixed(1, end, -1, mid);
        x->u                  = fmax(x->u, faster(m, i, end, 1, whole, 1));
        x->k                  = fmax(x->k, faster(m, i, &next, 0.5 * h, &first, 0.5 * h));
        if (a->goes_on) {
            x->k = fmax(x->k, faster(m, i, &first, 0.5 * h, last, a->before));
        }
    }
}

/* A step is accepted: what it did in its second half is what the next one goes on from. */
static void keep_velocities(const ss_model *m, const ss_data *d, ss_adapt *a, double h, double k)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_twist *mid                 = a->twists + 2 * (ptrdiff_t)m->nb + i;
        a->twists[3 * (ptrdiff_t)m->nb + i] = ss_twist_mixed(1, &d->state.twist[i], -1, mid);
    }
    a->before  = 0.5 * h;
    a->goes_on = true;
    a->bent[0] = a->bent[1];
    a->bent[1] = k / h;
}

/* Does something happen in a step whose places may not show it? */
static bool jumps(const ss_adapt *a, double h, const trial *x)
{
    bool as_before = x->k <= JUMPS * h * fmax(a->bent[0], a->bent[1]);
    return !as_before && x->falls < FALLS_LEAST;
}

/* What velocities are off by then becomes so much by the end of the run. */
static double becomes(const ss_adapt *a, double t, double h, const trial *x, const trial *last)
{
    bool   struck = last->k > 0 && x->k >= STRUCK * last->k;
    double off    = x->stays >= STAYS_MOST ? 0 : x->u;
    return fmax(a->end - t, 0) * (struck ? off : fmax(x->u, 0.5 * h * x->k));
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
static ss_status try_step(const ss_model *m, ss_data *d, ss_adapt *a, double h, trial *x)
{
    const size_t size = (size_t)m->nb * sizeof *a->twists;
    *x                = (trial){0};
    SS_TRY(save(m, d, a));
    memcpy(a->twists + m->nb, d->state.twist, size);
    SS_TRY(take(m, d, a, h));
    if (ss_data_report(d)->splits > 0) {
        x->e = x->places = INFINITY;
        return SS_OK;
    }
    memcpy(a->poses, d->state.pose, (size_t)m->nb * sizeof *a->poses);
    memcpy(a->twists, d->state.twist, size);
    SS_TRY(ss_snapshot_set(m, d, a->saved, a->size));
    SS_TRY(take(m, d, a, 0.5 * h));
    memcpy(a->twists + 2 * (ptrdiff_t)m->nb, d->state.twist, size);
    SS_TRY(take(m, d, a, 0.5 * h));
    x->e = x->places = distance(m, d, a->poses);
    compare_velocities(m, d, a, h, x);
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

/* Places that are off by next to nothing, as what velocities differ by makes of them in this step,
   and not by less in shorter ones, are rounding: next to a change point velocities are known to
   1e-5. */
static bool is_rounding(const ss_adapt *a, double h, const trial *x, const trial *last)
{
    double least = least_of(a);
    return last->places > 0 && fmax(x->places, last->places) <= least &&
           h * x->u <= UNSEEN * least && x->places > SMOOTH_FALL * last->places;
}

/* Is x->e small enough, and at whose expense? `jumps`: something happens. */
static bool accepts(ss_adapt *a, double h, const trial *x, const trial *last, bool jumps)
{
    double e        = x->e;
    bool   in_share = e <= share_of(a, h);
    bool   happens  = (jumps || (last->e > 0 && e > SMOOTH_FALL * last->e)) &&
                   e <= a->set_aside / (FIRST_PART + a->happened);
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
    double left   = step;
    int    halved = 0, parts = 0;
    trial  last = {0}, x;
    a->work     = 0;
    while (left > 0) {
        double h = a->h < left * (1 - SS_STEP_ROUNDING) ? a->h : left, t = ss_data_time(d);
        SS_TRY(try_step(m, d, a, h, &x));
        x.falls   = last.k > 0 && x.k <= KEEPS * last.k ? last.falls + 1 : 0;
        x.stays   = last.u > 0 && x.u >= STAYS * last.u ? last.stays + 1 : 0;
        bool jump = jumps(a, h, &x) && !is_rounding(a, h, &x, &last);
        x.e       = jump ? fmax(x.e, becomes(a, t, h, &x, &last)) : x.e;
        if (accepts(a, h, &x, &last, jump)) {
            bool easy = x.e <= MAY_DOUBLE * fmax(share_of(a, h), least_of(a));
            a->h      = easy && 2 * a->h <= step ? 2 * a->h : a->h;
            left -= h;
            left   = left > SS_PART_ROUNDING * step ? left : 0;
            last   = (trial){0};
            halved = 0;
            a->steps++;
            keep_velocities(m, d, a, h, x.k);
            if (++parts >= PARTS_MOST && left > 0) {
                return fail(d, a, h, x.e, ", and would have to be taken in too many parts");
            }
            continue;
        }
        SS_TRY(ss_snapshot_set(m, d, a->saved, a->size));
        if (++halved > HALVINGS_MAX) {
            return fail(d, a, h, x.e, "");
        }
        last = x;
        a->h = 0.5 * h;
    }
    d->report.work = a->work;
    return SS_OK;
}
