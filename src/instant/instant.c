/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be said of a state before a step: existence and uniqueness of its motion
 * (instant_motions.c), Painleve and boundary layers (instant_stability.c), the friction cone
 * (instant_cone.c).
 */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "dynamics/stages.h"
#include "sim/sim.h"

const char *ss_instant_mode_text(ss_instant_mode mode)
{
#define SS_INSTANT_TEXT(code, text) [code] = text,
    static const char *const texts[]       = {SS_INSTANT_MODE_LIST(SS_INSTANT_TEXT)};
#undef SS_INSTANT_TEXT
    return (unsigned)mode < sizeof texts / sizeof texts[0] ? texts[mode] : "?";
}

/* ---- the object ---- */

static size_t motion_room(const ss_instant *s)
{
    return (size_t)SS_INSTANT_MOTIONS * (size_t)s->nb + 1;
}

ss_status ss_instant_create(ss_context *ctx, const ss_model *m, ss_instant **out)
{
    ss_instant *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the analysis of an instant");
    }
    s->ctx           = ctx;
    s->layers        = NAN;
    s->most          = 24;
    s->nb            = m->nb;
    s->motions       = ss_alloc(ctx, motion_room(s), sizeof *s->motions);
    s->low           = ss_alloc(ctx, motion_room(s), sizeof *s->low);
    s->high          = ss_alloc(ctx, motion_room(s), sizeof *s->high);
    ss_status status = ss_solver_create_named(ctx, "enumerate", &s->all);
    if (status == SS_OK) {
        status = ss_solver_create_named(ctx, "auto", &s->any);
    }
    if (status == SS_OK) {
        ss_solver_common(s->all)->rounded = ss_solver_common(s->any)->rounded = true;
        status = ss_solver_set(s->all, "all", "true");
    }
    if (status == SS_OK && (!s->motions || !s->low || !s->high)) {
        status = ss_fail(ctx, SS_ERR_MEMORY, "no memory for the analysis of an instant");
    }
    if (status != SS_OK) {
        ss_instant_destroy(s);
        return status;
    }
    *out = s;
    return SS_OK;
}

static void free_contacts(ss_instant *s)
{
    size_t n = (size_t)s->contact_room;
    ss_free(s->ctx, s->contacts, n * sizeof *s->contacts);
    ss_free(s->ctx, s->forces, n * SS_INSTANT_MOTIONS * sizeof *s->forces);
    ss_free(s->ctx, s->witness, n * sizeof *s->witness);
    s->contacts     = NULL;
    s->forces       = NULL;
    s->witness      = NULL;
    s->contact_room = 0;
}

void ss_instant_destroy(ss_instant *s)
{
    if (s == NULL) {
        return;
    }
    free_contacts(s);
    ss_free(s->ctx, s->motions, motion_room(s) * sizeof *s->motions);
    ss_free(s->ctx, s->low, motion_room(s) * sizeof *s->low);
    ss_free(s->ctx, s->high, motion_room(s) * sizeof *s->high);
    ss_solver_destroy(s->all);
    ss_solver_destroy(s->any);
    ss_free(s->ctx, s, sizeof *s);
}

void ss_instant_set_layers(ss_instant *s, double c2_over_k)
{
    s->layers = c2_over_k;
}

void ss_instant_set_resolution(ss_instant *s, double seconds)
{
    s->resolution = seconds;
}

void ss_instant_set_enumerate(ss_instant *s, int32_t unknowns)
{
    s->most = unknowns;
}

void ss_instant_stop_on(ss_instant *s, const volatile sig_atomic_t *flag)
{
    ss_solver_common(s->all)->stop = flag;
    ss_solver_common(s->any)->stop = flag;
}

ss_status ss_instant_make_room(ss_instant *s, int32_t contacts)
{
    if (contacts <= s->contact_room) {
        return SS_OK;
    }
    free_contacts(s);
    size_t n    = (size_t)contacts + 8;
    s->contacts = ss_alloc(s->ctx, n, sizeof *s->contacts);
    s->forces   = ss_alloc(s->ctx, n * SS_INSTANT_MOTIONS, sizeof *s->forces);
    s->witness  = ss_alloc(s->ctx, n, sizeof *s->witness);
    if (!s->contacts || !s->forces || !s->witness) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", (int)contacts);
    }
    s->contact_room = (int32_t)n;
    return SS_OK;
}

static ss_answer both(ss_answer a, ss_answer b)
{
    return a == SS_NO || b == SS_NO ? SS_NO : a == SS_YES && b == SS_YES ? SS_YES : SS_UNDECIDED;
}

/*
 * Where bodies meet corner to corner several directions separate them, each with laws of its own,
 * and the rows are those of one: what was found is a solution, but none is the only one for that,
 * and where none was found another direction may have one.
 */
static void sum_up(ss_instant_verdict *v, const ss_instant_island *isl, int32_t count, int32_t ties)
{
    static const char at_corners[] =
        "undecided: bodies meet corner to corner, and one direction of several "
        "that separate them was looked at";
    static const char shared[] =
        "the contacts can share the load in many ways, each with a motion of its own";
    bool several = false, roams = false, varies = false, searched = true, determined = true;
    v->exists   = SS_YES;
    v->complete = ties == 0;
    for (int32_t i = 0; i < count; i++) {
        v->exists   = both(v->exists, isl[i].exists);
        v->complete = v->complete && isl[i].complete;
        v->residual = fmax(v->residual, isl[i].residual);
        searched    = searched && (isl[i].searched || isl[i].complete);
        several     = several || isl[i].count > 1;
        varies      = varies || isl[i].varies;
        roams       = roams || isl[i].roams;
        determined  = determined && (isl[i].complete || isl[i].determined);
    }
    if (v->exists == SS_NO && ties > 0) {
        v->exists     = SS_UNDECIDED;
        v->exists_why = v->unique_why = at_corners;
        return;
    }
    if (v->exists == SS_NO) {
        v->exists_why = "no contact forces obey the laws: all combinations were tried";
        v->unique     = SS_NO;
        v->unique_why = "there is no solution";
        return;
    }
    if (v->exists == SS_UNDECIDED) {
        v->exists_why = "no solution was found, and their absence is not proved";
        return;
    }
    v->unique        = several || roams ? SS_NO : v->complete ? SS_YES : SS_UNDECIDED;
    v->unique_why    = roams                       ? shared
                       : v->unique != SS_UNDECIDED ? NULL
                       : ties > 0                  ? at_corners
                       : searched ? "others were looked for, but at some borders rounding decides"
                                  : "too many unknowns to look for all";
    v->forces_unique = varies ? SS_NO : determined && ties == 0 ? SS_YES : SS_UNDECIDED;
}

static ss_status judge_islands(ss_instant *s, const ss_model *m, ss_data *d,
                               const ss_instant_rows *r)
{
    int32_t  count;
    int32_t *island_of = ss_arena_alloc(&d->scratch, (size_t)r->nblocks + 1, sizeof *island_of);
    if (island_of == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_instant_islands(m, d, r, island_of, &count));
    ss_instant_island *isl = ss_arena_alloc(&d->scratch, (size_t)count + 1, sizeof *isl);
    if (isl == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(isl, 0, ((size_t)count + 1) * sizeof *isl);
    for (int32_t i = 0; i < count; i++) {
        SS_TRY(ss_instant_pose(m, d, r, island_of, i, &isl[i].p));
        ss_instant_painleve(s, r, &isl[i].p);
        ss_instant_add_layers(s, r, &isl[i].p);
        SS_TRY(ss_instant_judge_island(s, m, d, r, &isl[i]));
    }
    sum_up(s->verdict, isl, count, r->ties);
    SS_TRY(ss_instant_judge_layers(s));
    return s->verdict->exists == SS_YES ? ss_instant_list_solutions(s, m, d, r, isl, count) : SS_OK;
}

/* The verdict before anything is known. */
ss_instant_verdict ss_instant_undecided(void)
{
    return (ss_instant_verdict){.exists        = SS_UNDECIDED,
                                .unique        = SS_UNDECIDED,
                                .forces_unique = SS_UNDECIDED,
                                .p_matrix      = SS_UNDECIDED,
                                .stable        = SS_UNDECIDED,
                                .pointed       = SS_UNDECIDED,
                                .critical      = NAN,
                                .painleve      = 1,
                                .mu_border     = INFINITY};
}

/* The solutions of rigid contacts are not those of contacts that give; what is said of the limit of
   stiff ones stays. */
static void leave_to_springs(ss_instant_verdict *v)
{
    v->limit_exists = v->exists == SS_YES && v->unique != SS_NO;
    v->exists = v->unique = v->forces_unique = SS_UNDECIDED;
    v->exists_why                            = v->unique_why =
        "not applicable: contacts that give have the forces of their deflections";
    v->complete  = false;
    v->solutions = 0;
    v->residual  = 0;
}

static ss_status judge(ss_instant *s, const ss_model *m, ss_data *d)
{
    ss_instant_rows r;
    *s->verdict       = ss_instant_undecided();
    s->solution_count = s->layer_count = 0;
    SS_TRY(ss_instant_gather(m, d, s->resolution, &r));
    SS_TRY(ss_instant_make_room(s, r.contact_count));
    if (s->contact_room > 0) {
        memset(s->witness, 0, (size_t)s->contact_room * sizeof *s->witness);
    }
    ss_instant_list_contacts(s, m, &r);
    SS_TRY(ss_instant_judge_cone(s, m, d, &r));
    if (s->verdict->striking > 0) {
        s->verdict->exists_why = s->verdict->unique_why = s->verdict->p_matrix_why =
            s->verdict->stable_why = "not applicable: something strikes, an impact comes first";
        return SS_OK;
    }
    SS_TRY(judge_islands(s, m, d, &r));
    s->verdict->solutions = s->solution_count;
    if (s->verdict->giving > 0) {
        leave_to_springs(s->verdict);
    }
    return SS_OK;
}

ss_status ss_instant_judge(ss_instant *s, const ss_model *m, ss_data *d, ss_instant_verdict *out)
{
    SS_TRY(ss_data_given(m, d, out));
    *out             = ss_instant_undecided();
    out->refused     = ss_instant_refuses(m);
    s->contact_count = s->solution_count = s->layer_count = 0;
    s->last                                               = *out;
    if (out->refused != NULL) {
        return SS_OK;
    }
    s->verdict       = out;
    s->judging       = true;
    ss_status status = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        status = judge(s, m, d);
    }
    s->judging        = false;
    d->rows.nblocks   = 0; /* no step was taken: nothing of it is left to ask about */
    d->contacts.count = 0;
    s->last           = *out;
    return status;
}

/* ---- getters ---- */

static ss_status given(const ss_instant *s, int32_t index, int32_t count)
{
    return s != NULL && index >= 0 && index < count ? SS_OK : SS_ERR_ARGUMENT;
}

ss_status ss_instant_contact_at(const ss_instant *s, int32_t contact, ss_instant_contact *out)
{
    SS_TRY(given(s, contact, s != NULL ? s->contact_count : 0));
    *out = s->contacts[contact];
    return SS_OK;
}

ss_status ss_instant_force_at(const ss_instant *s, int32_t solution, int32_t contact,
                              ss_instant_force *out)
{
    SS_TRY(given(s, contact, s != NULL ? s->contact_count : 0));
    SS_TRY(given(s, solution, s->solution_count));
    *out = s->forces[solution * s->contact_count + contact];
    return SS_OK;
}

ss_status ss_instant_motion_at(const ss_instant *s, int32_t solution, int32_t body,
                               ss_body_motion *acceleration)
{
    SS_TRY(given(s, body, s != NULL ? s->nb : 0));
    SS_TRY(given(s, solution, s->solution_count));
    *acceleration = s->motions[solution * s->nb + body];
    return SS_OK;
}

ss_status ss_instant_range_at(const ss_instant *s, int32_t solution, int32_t body,
                              ss_body_motion *low, ss_body_motion *high)
{
    SS_TRY(given(s, body, s != NULL ? s->nb : 0));
    SS_TRY(given(s, solution, s->solution_count));
    *low  = s->low[solution * s->nb + body];
    *high = s->high[solution * s->nb + body];
    return SS_OK;
}

ss_status ss_instant_witness_at(const ss_instant *s, int32_t contact, double force[6])
{
    SS_TRY(given(s, contact, s != NULL ? s->contact_count : 0));
    memcpy(force, s->witness[contact], sizeof s->witness[contact]);
    return SS_OK;
}

const double *ss_instant_matrix(const ss_instant *s, int32_t *n)
{
    *n = s->layer_count <= SS_INSTANT_LAYERS ? s->layer_count : 0;
    return *n > 0 ? s->D : NULL;
}
