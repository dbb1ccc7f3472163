/* SPDX-License-Identifier: Apache-2.0 */
/* What a study file says about a design: objective, constraints, method. */
#include "study/design_parts.h"

#include <string.h>

#include "model/tolerances.h"
#include "scenefile/schema.h"
#include "study/optimise.h"
#include "study/period_scene.h"
#include "study/tolerances.h"

static ss_status compile(ss_design *d, const ss_node *node, const char *text, int32_t *handle)
{
    ss_status status = ss_expr_compile(d->env, text, handle);
    return ss_node_place(d->ctx, node, status);
}

static ss_status read_objective(ss_design *d, ss_decoder *decoder)
{
    ss_node *node = d->study->objective;
    if (node == NULL) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s: a design needs an `objective`", d->study->path);
    }
    bool one = node->kind == SS_NODE_MAP && node->count == 1;
    if (!one ||
        (strcmp(node->first->key, "minimise") != 0 && strcmp(node->first->key, "maximise") != 0)) {
        return ss_decode_fail(decoder, node,
                              "objective must be {minimise: expression} or {maximise: expression}");
    }
    const char *text = NULL;
    d->maximise      = strcmp(node->first->key, "maximise") == 0;
    SS_TRY(ss_decode_text(decoder, "objective", node->first, &text));
    return compile(d, node->first, text, &d->objective);
}

/* "a >= b": what must be >= 0 is a - b. */
static ss_status read_constraint(ss_design *d, ss_decoder *decoder, ss_node *node)
{
    const char *text = NULL;
    char        left[1024];
    SS_TRY(ss_decode_text(decoder, "a constraint", node, &text));
    const char *more = strstr(text, ">="), *less = strstr(text, "<=");
    const char *at = more != NULL ? more : less;
    if (at == NULL || (more != NULL && less != NULL) || strlen(text) > 900) {
        return ss_decode_fail(decoder, node,
                              "a constraint must be `expression >= expression` or `<=`");
    }
    if (d->constraint_count == SS_DESIGN_CONSTRAINTS) {
        return ss_decode_fail(decoder, node, "more than %d constraints", SS_DESIGN_CONSTRAINTS);
    }
    ss_design_constraint *c = &d->constraints[d->constraint_count++];
    *c                      = (ss_design_constraint){.text = text, .sign = more != NULL ? 1 : -1};
    snprintf(left, sizeof left, "%.*s", (int)(at - text), text);
    SS_TRY(compile(d, node, left, &c->left));
    return compile(d, node, at + 2, &c->right);
}

/* Names of two measures. */
static ss_status decode_drift(ss_decoder *decoder, const ss_key *key, ss_node *node, void *target)
{
    ss_design_method *m     = target;
    const ss_study   *s     = m->study;
    int               count = 0;
    SS_TRY(ss_decode_expect(decoder, key->name, node, SS_NODE_LIST));
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next, count++) {
        int32_t found = -1;
        for (int32_t i = 0; entry->kind == SS_NODE_SCALAR && i < s->measure_count; i++) {
            found = strcmp(s->measures[i].name, entry->text) == 0 ? i : found;
        }
        if (found < 0 || count > 1) {
            return ss_decode_fail(decoder, entry, "drift takes the names of two measures");
        }
        m->drift[count] = found;
    }
    return SS_OK;
}

static ss_status read_mpec(ss_design *d, ss_decoder *decoder)
{
    const ss_node *node = d->study->method;
    d->algorithm        = SS_DESIGN_MPEC;
    if (d->method.drift[1] < 0) {
        return ss_decode_fail(
            decoder, node,
            "algorithm mpec needs `drift: [measure, measure]`: the velocity along "
            "x and y that is asked for");
    }
    if (d->study->cycle == NULL) {
        return ss_decode_fail(decoder, node, "algorithm mpec needs a `cycle`");
    }
    return d->study->choice_count <= SS_PERIOD_CHOICES && d->study->rung_count == 1
               ? SS_OK
               : ss_decode_fail(decoder, node, "algorithm mpec takes up to %d choices and no rungs",
                                SS_PERIOD_CHOICES);
}

static ss_status read_method(ss_design *d, ss_decoder *decoder)
{
    static const ss_key keys[] = {
        SS_KEY_ROW("algorithm", SS_KEY_TEXT, ss_design_method, algorithm, .initial = "cobyla"),
        SS_KEY_ROW("evaluations", SS_KEY_INT, ss_design_method, evaluations, .low = 1, .high = 1e6),
        SS_KEY_ROW("restarts", SS_KEY_INT, ss_design_method, restarts, .low = 0, .high = 1e4),
        SS_KEY_ROW("tolerance", SS_KEY_REAL, ss_design_method, tolerance, .low = 0, .high = 1),
        SS_KEY_ROW("drift", SS_KEY_CUSTOM, ss_design_method, drift, .decode = decode_drift,
                   .form = "[measure, measure]"),
        SS_KEY_ROW("touching", SS_KEY_BOOL, ss_design_method, touching, .initial = "false"),
        SS_KEY_END};
    const ss_node *node = d->study->method;
    d->method           = (ss_design_method){.study       = d->study,
                                             .algorithm   = ss_algorithms[0].name,
                                             .evaluations = 200,
                                             .tolerance   = SS_SEARCH_TOLERANCE,
                                             .drift       = {-1, -1}};
    if (node != NULL) {
        SS_TRY(ss_decode_expect(decoder, "method", node, SS_NODE_MAP));
        SS_TRY(ss_decode_map(decoder, keys, d->study->method, &d->method));
    }
    const char *names[32];
    int32_t     count = 0;
    if (strcmp(d->method.algorithm, "random") == 0) {
        d->algorithm = SS_DESIGN_RANDOM;
        return SS_OK;
    }
    if (strcmp(d->method.algorithm, "mpec") == 0) {
        return read_mpec(d, decoder);
    }
    for (; ss_algorithms[count].name != NULL; count++) {
        names[count] = ss_algorithms[count].name;
        if (strcmp(names[count], d->method.algorithm) == 0) {
            d->algorithm = count;
            bool fits    = d->constraint_count == 0 || ss_algorithms[count].takes_constraints;
            return fits ? SS_OK
                        : ss_decode_fail(decoder, node,
                                         "%s takes no constraints: use cobyla or isres",
                                         names[count]);
        }
    }
    bool known        = count > 0; /* is there an optimiser? */
    names[count++]    = "random";
    names[count++]    = "mpec";
    ss_name_list list = {names, count};
    return known && node != NULL
               ? ss_decode_unknown_name(decoder, node, "algorithm", d->method.algorithm, &list)
               : SS_OK; /* no optimiser: ss_optimise says so */
}

ss_status ss_design_read(ss_design *d)
{
    const ss_study *s       = d->study;
    ss_decoder      decoder = {.ctx = d->ctx, .pool = &d->pool, .dimension = s->dimension};
    if (s->kind != SS_STUDY_DESIGN) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s: this study is no `design`", s->path);
    }
    if (s->choice_count < 1 || s->choice_count > SS_DESIGN_CHOICES) {
        return ss_fail(d->ctx, SS_ERR_INPUT,
                       "%s: a design chooses 1 to %d values: give them `bounds` in `vary`", s->path,
                       SS_DESIGN_CHOICES);
    }
    for (int32_t i = 0; i < s->variable_count; i++) {
        if (s->variables[i].kind == SS_VARY_BOUNDS) {
            d->choices[s->variables[i].choice] = &s->variables[i];
        }
    }
    SS_TRY(ss_design_add_statistics(d));
    SS_TRY(read_objective(d, &decoder));
    if (s->constraints != NULL) {
        SS_TRY(ss_decode_expect(&decoder, "constraints", s->constraints, SS_NODE_LIST));
        for (ss_node *one = s->constraints->first; one != NULL; one = one->next) {
            SS_TRY(read_constraint(d, &decoder, one));
        }
    }
    return read_method(d, &decoder);
}

void ss_design_reference(void (*write)(void *user, const char *text), void *user)
{
    char line[512];
    write(user, "\n## Designs\n\n"
                "`objective` and `constraints` of a `design` are expressions over statistics of "
                "measures, whose names stand without quotes:\n\n| write | meaning |\n|---|---|\n");
    ss_design_statistics_reference(write, user);
    write(user,
          "\n`method` has `algorithm` (default cobyla), `evaluations` of each search (200), "
          "`restarts` from random starts (0), `tolerance` as a share of the bounds (" SS_TEXT(
              SS_SEARCH_TOLERANCE) ").\n\n"
                                   "| algorithm | what it is | constraints |\n|---|---|---|\n");
    for (const ss_algorithm *a = ss_algorithms; a->name != NULL; a++) {
        snprintf(line, sizeof line, "| `%s` | %s | %s |\n", a->name, a->doc,
                 a->takes_constraints ? "yes" : "no");
        write(user, line);
    }
    write(user,
          "| `random` | candidates drawn evenly from the bounds, the first at the start | yes |\n"
          "| `mpec` | a boundary-value program (Ipopt): states and forces of one period of the "
          "study's `cycle` are unknowns beside the choices, `drift: [measure, measure]` names the "
          "velocity along x and y that is asked for, `touching: true` keeps contact; a particle on "
          "a face of a driven body in 3D | judged afterwards |\n\n"
          "`rungs` lists models from cheap to expensive: `{name, set: {path: value, ..}}` each. A "
          "candidate "
          "that does not keep the constraints on one is not tried on the next; objective and "
          "constraints are those of the last it was tried on. A rung may ask for geometry alone, "
          "in 2D with gravity along -y: `{name, geometric: {body, x: [low, high], y: [low, high], "
          "cells: [32, 64, 48], to: {x: [low, high], y: [..], angle: [..]}}}`: is there, for every "
          "trial, any way of the body's frame from its start to `to` that never rises "
          "(`any_way: true`: any way), among the static polygons, boxes, discs and half-planes? "
          "Configurations are sampled in `cells` of x, y and angle; a no is certain.\n");
}
