/* SPDX-License-Identifier: Apache-2.0 */
/* The problem of an instant as an LCP that others solve, and the motion of their answer. */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "sim/sim.h"

/* What ss_instant_take will want. */
static ss_status keep_room(const ss_instant *s, const ss_model *m, ss_data *d)
{
    size_t numbers = 3 * (size_t)s->posed.n + 2 * (size_t)s->posed.rows + (size_t)m->nv;
    size_t mark    = ss_arena_mark(&d->scratch);
    void  *room    = ss_arena_alloc(&d->scratch, numbers + 6 * SS_ARENA_ALIGN, sizeof(double));
    ss_arena_release(&d->scratch, mark);
    return room != NULL ? SS_OK : SS_ERR_SCRATCH;
}

static ss_status pose_all(ss_instant *s, const ss_model *m, ss_data *d, ss_instant_form form,
                          ss_problem *lcp, bool *regular)
{
    SS_TRY(ss_instant_gather(m, d, s->resolution, &s->posed_rows));
    SS_TRY(ss_instant_make_room(s, s->posed_rows.contact_count));
    ss_instant_list_contacts(s, m, &s->posed_rows);
    int32_t *together =
        ss_arena_alloc(&d->scratch, (size_t)s->posed_rows.nblocks + 1, sizeof *together);
    if (together == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(together, 0, ((size_t)s->posed_rows.nblocks + 1) * sizeof *together);
    SS_TRY(ss_instant_pose(m, d, &s->posed_rows, together, 0, &s->posed));
    *regular  = true;
    s->by_box = form.box > 0;
    *lcp      = (ss_problem){.type = SS_LCP};
    if (s->by_box) {
        SS_TRY(ss_instant_phantom(d, &s->posed, form.box, form.rho, &s->phantom, regular));
        lcp->as.lcp = s->phantom.lcp;
    } else {
        SS_TRY(ss_instant_reduce(m, d, &s->posed, &s->plain, &lcp->as.lcp));
    }
    return keep_room(s, m, d);
}

ss_status ss_instant_as_lcp(ss_instant *s, const ss_model *m, ss_data *d, ss_instant_form form,
                            ss_problem *lcp, double *used)
{
    SS_TRY(ss_data_given(m, d, lcp));
    const char *why = ss_instant_refuses(m);
    if (why != NULL) {
        return ss_fail(s->ctx, SS_ERR_UNSUPPORTED, "%s", why);
    }
    ss_instant_verdict scratch = ss_instant_undecided();
    bool               regular = true;
    ss_status          status  = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        scratch    = ss_instant_undecided();
        s->verdict = &scratch;
        status     = pose_all(s, m, d, form, lcp, &regular);
    }
    s->verdict = NULL;
    SS_TRY(status);
    if (scratch.striking > 0) {
        return ss_fail(s->ctx, SS_ERR_UNSUPPORTED, "something strikes: an impact comes first");
    }
    if (!regular) {
        return ss_fail(s->ctx, SS_ERR_UNSUPPORTED,
                       "the contacts that stick are redundant: their friction forces cannot be "
                       "told from the accelerations");
    }
    if (used != NULL) {
        *used = s->by_box ? s->phantom.rho : NAN;
    }
    return SS_OK;
}

static ss_status take(ss_instant *s, const ss_model *m, ss_data *d, const double *z)
{
    ss_instant_island isl      = {.p = s->posed};
    int32_t           first    = 0;
    double           *unknowns = ss_arena_alloc(&d->scratch, (size_t)s->posed.n, sizeof *unknowns);
    if (unknowns == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (s->by_box) {
        ss_instant_phantom_back(&s->posed, &s->phantom, z, unknowns);
    } else if (s->plain) {
        memcpy(unknowns, z, (size_t)s->posed.n * sizeof *unknowns);
    } else {
        ss_reduce_polygon_back(&s->posed.cone, &m->polygon, z, unknowns);
    }
    SS_TRY(ss_instant_add_motion(d, &s->posed_rows, &isl, unknowns));
    SS_TRY(ss_instant_put_motion(s, m, d, &s->posed_rows, &isl, &first, 1, 0));
    s->solution_count = 1;
    return SS_OK;
}

ss_status ss_instant_take(ss_instant *s, const ss_model *m, ss_data *d, const double *z)
{
    ss_status status = take(s, m, d, z);
    if (status == SS_ERR_SCRATCH) { /* what was posed is in there: it cannot grow now */
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no room for the forces of this instant");
    }
    return status;
}
