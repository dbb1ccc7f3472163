/* SPDX-License-Identifier: Apache-2.0 */
#include "identify/filter.h"

#include <math.h>
#include <string.h>
#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "identify/tolerances.h"
#include "study/quantile.h"

ss_moment *ss_history_add(ss_history *h, int32_t trial, int32_t sample, int32_t kept)
{
    size_t n = (size_t)h->unknowns.count;
    if (h->count == h->room) {
        int32_t    room = h->room > 0 ? 2 * h->room : 64;
        ss_moment *more = ss_pool_alloc(h->pool, (size_t)room, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        if (h->count > 0) {
            memcpy(more, h->moments, (size_t)h->count * sizeof *more);
        }
        h->moments = more;
        h->room    = room;
    }
    ss_moment *m = &h->moments[h->count];
    *m           = (ss_moment){.trial     = trial,
                               .t         = h->unknowns.p->trials[trial].t[sample],
                               .last      = sample,
                               .effective = NAN,
                               .kept      = kept,
                               .value     = ss_pool_alloc(h->pool, 4 * n + 1, sizeof *m->value),
                               .cloud     = ss_pool_alloc(h->pool, (size_t)kept * n + 1, sizeof *m->cloud)};
    if (m->value == NULL || m->cloud == NULL) {
        return NULL;
    }
    m->deviation = m->value + n;
    m->low       = m->deviation + n;
    m->high      = m->low + n;
    h->count++;
    return m;
}

ss_identify_worker *ss_fitter_worker(const ss_fitter *f)
{
#ifdef SS_HAVE_OPENMP
    return &f->workers[omp_get_thread_num()];
#else
    return &f->workers[0];
#endif
}

void ss_certain_normal(const ss_fitter *f, int32_t parameter, double value, double deviation,
                       ss_certainty *out)
{
    double low = f->low[parameter], high = f->high[parameter], width = high - low;
    double half     = ss_normal_quantile((1 + f->p->confidence.level) / 2) * deviation;
    bool   open_low = value - half <= low, open_high = value + half >= high;
    bool   nothing = deviation >= SS_SPREAD_UNKNOWN * width / sqrt(12);
    *out           = (ss_certainty){.deviation      = nothing ? INFINITY : deviation,
                                    .low            = fmax(value - half, low),
                                    .high           = fmin(value + half, high),
                                    .bootstrap_low  = NAN,
                                    .bootstrap_high = NAN,
                                    .determined     = nothing || (open_low && open_high) ? SS_DETERMINED_NOT
                                                      : open_low  ? SS_DETERMINED_ABOVE
                                                      : open_high ? SS_DETERMINED_BELOW
                                                                  : SS_DETERMINED_BOTH,
                                    .at_bound       = value - low <= SS_AT_BOUND * width ||
                                                high - value <= SS_AT_BOUND * width};
}
