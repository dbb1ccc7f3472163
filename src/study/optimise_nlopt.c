/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NLopt asks for the objective and for each constraint in calls of their own, at the same point:
 * the last point's values are kept, so that trials are computed once.
 */
#include <nlopt.h>
#include <string.h>

#include "study/optimise.h"

enum { N_MAX = 64, CONSTRAINTS_MAX = 32 };

const ss_algorithm ss_algorithms[] = {
    {"cobyla", "linear models in a trust region (Powell): the default", true},
    {"nelder-mead", "a simplex that walks downhill", false},
    {"subplex", "simplices in subspaces, for many variables and noise (Rowan)", false},
    {"bobyqa", "quadratic models in a trust region (Powell), for smooth objectives", false},
    {"crs", "controlled random search: looks everywhere (Price)", false},
    {"isres", "evolution with ranking: looks everywhere, takes constraints (Runarsson, Yao)", true},
    {"direct", "divides the box, no random numbers: looks everywhere (Jones)", false},
    {"esch", "evolution: looks everywhere (Santos)", false},
    {NULL, NULL, false},
};

static const nlopt_algorithm codes[] = {NLOPT_LN_COBYLA,   NLOPT_LN_NELDERMEAD, NLOPT_LN_SBPLX,
                                        NLOPT_LN_BOBYQA,   NLOPT_GN_CRS2_LM,    NLOPT_GN_ISRES,
                                        NLOPT_GN_DIRECT_L, NLOPT_GN_ESCH};

typedef struct search {
    const ss_optimise_def *def;
    nlopt_opt              opt;
    bool                   known;
    double                 x[N_MAX], objective, g[CONSTRAINTS_MAX];
} search;

typedef struct one_constraint {
    search *search;
    int32_t index;
} one_constraint;

static void look(search *s, unsigned n, const double *x)
{
    if (s->known && memcmp(s->x, x, n * sizeof *x) == 0) {
        return;
    }
    if (s->def->evaluate(s->def->user, x, &s->objective, s->g) != 0) {
        nlopt_force_stop(s->opt);
    }
    memcpy(s->x, x, n * sizeof *x);
    s->known = true;
}

static double objective(unsigned n, const double *x, double *gradient, void *user)
{
    search *s = user;
    (void)gradient;
    look(s, n, x);
    return s->objective;
}

static double constraint(unsigned n, const double *x, double *gradient, void *user)
{
    one_constraint *c = user;
    (void)gradient;
    look(c->search, n, x);
    return c->search->g[c->index];
}

ss_status ss_optimise(ss_context *ctx, const ss_optimise_def *def)
{
    double         tolerance[N_MAX], x[N_MAX], best = 0;
    one_constraint each[CONSTRAINTS_MAX];
    if (def->n < 1 || def->n > N_MAX || def->constraints > CONSTRAINTS_MAX) {
        return ss_fail(ctx, SS_ERR_INPUT, "a design has 1 to %d variables and up to %d constraints",
                       N_MAX, CONSTRAINTS_MAX);
    }
    search s = {.def = def, .opt = nlopt_create(codes[def->algorithm], (unsigned)def->n)};
    if (s.opt == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < def->n; i++) {
        tolerance[i] = def->tolerance * (def->high[i] - def->low[i]);
        x[i]         = def->start[i];
    }
    nlopt_srand((unsigned long)def->seed);
    nlopt_set_min_objective(s.opt, objective, &s);
    nlopt_set_lower_bounds(s.opt, def->low);
    nlopt_set_upper_bounds(s.opt, def->high);
    nlopt_set_maxeval(s.opt, def->evaluations);
    nlopt_set_xtol_abs(s.opt, tolerance);
    for (int32_t i = 0; i < def->constraints; i++) {
        each[i] = (one_constraint){&s, i};
        nlopt_add_inequality_constraint(s.opt, constraint, &each[i], 0);
    }
    nlopt_result result = nlopt_optimize(s.opt, x, &best);
    nlopt_destroy(s.opt);
    /* stopping early, at the limit, or where rounding ends progress are all ways to end */
    bool ended = result > 0 || result == NLOPT_FORCED_STOP || result == NLOPT_ROUNDOFF_LIMITED;
    return ended ? SS_OK
                 : ss_fail(ctx, SS_ERR_NUMERICAL, "NLopt's %s gave up (code %d)",
                           ss_algorithms[def->algorithm].name, (int)result);
}
