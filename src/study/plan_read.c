/* SPDX-License-Identifier: Apache-2.0 */
/* What study files say about plans. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/philox.h"
#include "study/plan.h"

enum { ACTIONS_MAX = 64 };

typedef struct action_def {
    ss_node *choose, *set;
} action_def;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

static const ss_key action_keys[] = {
    SS_KEY_ROW("choose", SS_KEY_CUSTOM, action_def, choose, .decode = keep_node),
    SS_KEY_ROW("set", SS_KEY_CUSTOM, action_def, set, .decode = keep_node), SS_KEY_END};

/* ---- what an action chooses ---- */

static ss_status read_bounds(ss_decoder *d, ss_node *node, ss_variable *v)
{
    double x[2];
    SS_TRY(ss_decode_numbers(d, "bounds", node, 2, x));
    v->kind = SS_VARY_BOUNDS;
    v->low  = x[0];
    v->high = x[1];
    return x[0] < x[1] ? SS_OK
                       : ss_decode_fail(d, node, "bounds: %g must lie below %g", x[0], x[1]);
}

static ss_status read_choice(ss_decoder *d, ss_node *node, ss_variable *v)
{
    SS_TRY(ss_decode_expect(d, "choice", node, SS_NODE_LIST));
    v->kind   = SS_VARY_CHOICE;
    v->count  = node->count;
    v->leaves = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *v->leaves);
    if (v->leaves == NULL) {
        return ss_decode_no_memory(d);
    }
    if (node->count < 1) {
        return ss_decode_fail(d, node, "there is nothing to choose from");
    }
    return ss_decode_numbers(d, "choice", node, node->count, v->leaves);
}

static ss_status read_chosen(ss_decoder *d, ss_node *node, ss_action *a)
{
    if (a->choice_count == SS_PLAN_CHOICES) {
        return ss_decode_fail(d, node, "an action chooses at most %d numbers", SS_PLAN_CHOICES);
    }
    ss_variable *v = &a->choices[a->choice_count++];
    *v       = (ss_variable){.path = node->key, .node = node, .name = ss_philox_name(node->key)};
    bool one = node->kind == SS_NODE_MAP && node->count == 1;
    if (one && strcmp(node->first->key, "bounds") == 0) {
        return read_bounds(d, node->first, v);
    }
    if (one && strcmp(node->first->key, "choice") == 0) {
        return read_choice(d, node->first, v);
    }
    return ss_decode_fail(d, node,
                          "an action chooses between {bounds: [low, high]} or from "
                          "{choice: [a, b, ..]} of numbers");
}

/* ---- what follows from where things are ---- */

static ss_status read_set(ss_decoder *d, ss_study *s, ss_node *node, ss_action *a)
{
    ss_measure m = {.name = node->key, .node = node};
    if (a->set_count == SS_PLAN_SETS) {
        return ss_decode_fail(d, node, "an action sets at most %d numbers", SS_PLAN_SETS);
    }
    if (s->measure_count == SS_STUDY_MEASURES) {
        return ss_decode_fail(d, node, "a study has at most %d measures, those of `set` included",
                              SS_STUDY_MEASURES);
    }
    SS_TRY(ss_decode_text(d, "its expression", node, &m.text));
    s->measures[s->measure_count++] = m;
    a->set_count++;
    return SS_OK;
}

static ss_status read_action(ss_decoder *d, ss_study *s, ss_node *node, ss_action *a)
{
    action_def def = {0};
    snprintf(d->what, sizeof d->what, "action '%.60s': ", node->key);
    SS_TRY(ss_decode_expect(d, "an action", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, action_keys, node, &def));
    *a         = (ss_action){.name = node->key, .set_first = s->measure_count};
    a->choices = ss_pool_alloc(d->pool, SS_PLAN_CHOICES, sizeof *a->choices);
    if (a->choices == NULL) {
        return ss_decode_no_memory(d);
    }
    if (def.choose != NULL) {
        SS_TRY(ss_decode_expect(d, "choose", def.choose, SS_NODE_MAP));
        for (ss_node *entry = def.choose->first; entry != NULL; entry = entry->next) {
            SS_TRY(read_chosen(d, entry, a));
        }
    }
    if (def.set != NULL) {
        SS_TRY(ss_decode_expect(d, "set", def.set, SS_NODE_MAP));
        for (ss_node *entry = def.set->first; entry != NULL; entry = entry->next) {
            SS_TRY(read_set(d, s, entry, a));
        }
    }
    d->what[0] = '\0';
    return SS_OK;
}

static ss_status read_actions(ss_decoder *d, ss_study *s, ss_node *node)
{
    if (node == NULL) {
        return ss_decode_fail(d, d->root, "a plan needs `actions`");
    }
    SS_TRY(ss_decode_expect(d, "actions", node, SS_NODE_MAP));
    if (node->count < 1 || node->count > ACTIONS_MAX) {
        return ss_decode_fail(d, node, "a plan has 1 to %d kinds of actions", ACTIONS_MAX);
    }
    s->actions = ss_pool_alloc(d->pool, (size_t)node->count, sizeof *s->actions);
    if (s->actions == NULL) {
        return ss_decode_no_memory(d);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(read_action(d, s, entry, &s->actions[s->action_count++]));
    }
    return SS_OK;
}

/* ---- goal, bodies, length ---- */

static ss_status read_goal(ss_decoder *d, ss_study *s, ss_node *node)
{
    const char *names[SS_STUDY_MEASURES];
    double      tolerance = 0;
    for (int32_t i = 0; i < s->told; i++) {
        names[i] = s->measures[i].name;
        if (strcmp(names[i], node->key) == 0) {
            SS_TRY(ss_decode_number(d, "goal", node, &tolerance));
            s->goals[s->goal_count++] = (ss_goal){i, tolerance};
            return tolerance > 0
                       ? SS_OK
                       : ss_decode_fail(d, node, "'%s' must come within a number > 0 of zero",
                                        node->key);
        }
    }
    ss_name_list list = {names, s->told};
    return ss_decode_unknown_name(d, node, "measure", node->key, &list);
}

static ss_status read_goals(ss_decoder *d, ss_study *s, ss_node *node)
{
    if (node == NULL || node->kind != SS_NODE_MAP || node->count < 1) {
        return ss_decode_fail(d, node != NULL ? node : d->root,
                              "a plan needs a `goal`: {measure: how near to zero, ..}");
    }
    s->goals = ss_pool_alloc(d->pool, (size_t)node->count, sizeof *s->goals);
    if (s->goals == NULL) {
        return ss_decode_no_memory(d);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(read_goal(d, s, entry));
    }
    return SS_OK;
}

static ss_status read_carry(ss_decoder *d, ss_study *s, ss_node *node)
{
    if (node == NULL) {
        return ss_decode_fail(d, d->root,
                              "a plan must say which bodies `carry` on from action to action");
    }
    SS_TRY(ss_decode_expect(d, "carry", node, SS_NODE_LIST));
    s->carry = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *s->carry);
    if (s->carry == NULL) {
        return ss_decode_no_memory(d);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(ss_decode_text(d, "carry", entry, &s->carry[s->carry_count++]));
    }
    return SS_OK;
}

static ss_status read_length(ss_decoder *d, ss_study *s, ss_node *node)
{
    double x[2] = {1, 1};
    if (node != NULL && node->kind == SS_NODE_LIST) {
        SS_TRY(ss_decode_numbers(d, "length", node, 2, x));
    } else if (node != NULL) {
        SS_TRY(ss_decode_number(d, "length", node, &x[0]));
        x[1] = x[0];
    }
    if (!(x[0] >= 1) || !(x[1] >= x[0]) || x[1] > SS_PLAN_LENGTH || x[0] != floor(x[0]) ||
        x[1] != floor(x[1])) {
        return ss_decode_fail(d, node, "length is a whole number from 1 to %d, or [least, most]",
                              SS_PLAN_LENGTH);
    }
    s->length[0] = (int32_t)x[0];
    s->length[1] = (int32_t)x[1];
    return SS_OK;
}

ss_status ss_plan_decode(ss_decoder *d, ss_study *s, const ss_plan_keys *keys)
{
    s->told = s->measure_count;
    SS_TRY(read_goals(d, s, keys->goal));
    SS_TRY(read_actions(d, s, keys->actions));
    SS_TRY(read_carry(d, s, keys->carry));
    return read_length(d, s, keys->length);
}

void ss_plan_reference(void (*write)(void *user, const char *text), void *user)
{
    write(user,
          "\n## Plans\n\n"
          "`actions` of a `plan` maps names to what can be done, one after another. An action is a "
          "run of the scene, from its start to its `duration` (or to `stop`), with\n\n"
          "| key | value | meaning |\n|---|---|---|\n"
          "| `choose` | {path: {bounds: [low, high]}, path: {choice: [a, b, ..]}} | numbers of "
          "the scene that the plan chooses |\n"
          "| `set` | {path: expression, ..} | numbers of the scene that follow from where things "
          "are before the action, in the run without uncertainty: a plan does not look, so all "
          "trials get the same |\n\n"
          "`goal` maps measures to how near to zero they must come in the run without uncertainty "
          "and in every trial. `method` has `samples` (200) actions that are tried at each "
          "length, `width` (12) beginnings that are kept for the next, `refine` (4) of them that "
          "Newton's method improves, and its `steps` (15). Where there are `rungs`, beginnings are "
          "tried on the first and improved on each in turn.\n");
}
