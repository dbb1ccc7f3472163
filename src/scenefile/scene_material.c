/* SPDX-License-Identifier: Apache-2.0 */
/* Materials in scene files, and what pairs of them do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenefile/scene_friction.h"

static ss_status decode_ellipsoid(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    double *axes = (double *)(void *)((char *)target + key->offset);
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count < 1 || node->count > 4) {
        return ss_decode_fail(d, node, "ellipsoid must have 1 to 4 axes, got %d", (int)node->count);
    }
    axes[1] = 1; /* where it is left out, as in 2D */
    SS_TRY(ss_decode_numbers(d, key->name, node, node->count, axes));
    for (int i = 0; i < 4; i++) {
        if (i < 2 ? !(axes[i] > 0) : !(axes[i] >= 0)) {
            return ss_decode_fail(d, node, "ellipsoid[%d] must be %s 0, got %g", i,
                                  i < 2 ? ">" : ">=", axes[i]);
        }
    }
    return SS_OK;
}

static ss_status decode_between(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_pair_def *pair = target;
    int          i    = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count != 2) {
        return ss_decode_fail(d, node, "between must name two materials, got %d", (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        SS_TRY(ss_decode_text(d, key->name, entry, &pair->between[i]));
        if (!ss_name_list_has(&d->materials, pair->between[i])) {
            return ss_decode_unknown_name(d, entry, "material", pair->between[i], &d->materials);
        }
    }
    return SS_OK;
}

/* A number k: k times the identity; [normal, tangential]; or a matrix, row by row. */
static ss_status decode_tensor(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    double *K    = (double *)(void *)((char *)target + key->offset), two[2];
    int32_t size = node->count, i = 0;
    if (node->kind == SS_NODE_LIST && size > 0 && node->first->kind == SS_NODE_LIST) {
        if (size != 2 && size != 3) {
            return ss_decode_fail(d, node, "%s must have 3 rows (2D: 2), got %d", key->name,
                                  (int)size);
        }
        for (ss_node *row = node->first; row != NULL; row = row->next, i++) {
            SS_TRY(ss_decode_numbers(d, key->name, row, size, K + (ptrdiff_t)3 * i));
        }
        return SS_OK;
    }
    if (node->kind == SS_NODE_LIST) {
        SS_TRY(ss_decode_numbers(d, key->name, node, 2, two));
    } else {
        SS_TRY(ss_decode_number(d, key->name, node, &two[0]));
        two[1] = two[0];
    }
    K[0] = two[0];
    K[4] = K[8] = two[1];
    return SS_OK;
}

const ss_key ss_compliance_keys[] = {
    SS_KEY_ROW("stiffness", SS_KEY_CUSTOM, ss_compliance_def, stiffness, .decode = decode_tensor,
               .required = true, .form = "number, [normal, tangential] or matrix over n, t, o",
               .unit = "N/m", .doc = "force over deflection; a number counts in all directions"),
    SS_KEY_ROW("damping", SS_KEY_CUSTOM, ss_compliance_def, damping, .decode = decode_tensor,
               .form = "number, [normal, tangential] or matrix over n, t, o", .unit = "N s/m",
               .initial = "0", .doc = "force over rate of deflection"),
    SS_KEY_ROW("max_deflection", SS_KEY_REAL, ss_compliance_def, max_deflection, SS_POSITIVE,
               .unit = "m", .initial = "none",
               .doc = "deflection along the normal from where the contact is rigid"),
    SS_KEY_ROW("exponent", SS_KEY_REAL, ss_compliance_def, exponent, .low = 1, .high = 4,
               .initial = "1", .doc = "of the normal force, k x^exponent (Hertz: 1.5)"),
    SS_KEY_ROW("springs", SS_KEY_REAL, ss_compliance_def, springs, .low = 1, .high = 16,
               .initial = "4",
               .doc     = "contact: patch: how many along a side of a patch (an edge: at least 2)"),
    SS_KEY_ROW("spread", SS_KEY_REAL, ss_compliance_def, spread, SS_NOT_NEGATIVE, .unit = "m",
               .initial = "0",
               .doc     = "contact: patch: how far a pressed spring pulls its neighbours down"),
    SS_KEY_END};

static ss_status decode_compliance(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_MAP));
    ss_compliance_def *def = (ss_compliance_def *)(void *)((char *)target + key->offset);
    SS_TRY(ss_decode_map(d, ss_compliance_keys, node, def));
    if (!(def->stiffness[0] > 0)) {
        return ss_decode_fail(d, node, "compliance: stiffness must be > 0, got %g",
                              def->stiffness[0]);
    }
    return SS_OK;
}

static ss_status decode_material_friction(ss_decoder *d, const ss_key *key, ss_node *node,
                                          void *target)
{
    (void)key;
    ss_material_def *def = target;
    return ss_decode_friction(d, node,
                              &(ss_friction_target){&def->friction, &def->sliding, &def->place});
}

static ss_status decode_pair_friction(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)key;
    ss_pair_def *def = target;
    return ss_decode_friction(d, node,
                              &(ss_friction_target){&def->friction, &def->sliding, &def->place});
}

const ss_key ss_material_keys[] = {
    SS_KEY_ROW("friction", SS_KEY_CUSTOM, ss_material_def, friction,
               .decode = decode_material_friction, .keys = ss_friction_keys,
               .schema = SS_FRICTION_SCHEMA, .form = SS_FRICTION_FORM, .initial = "0.5",
               .doc = "Coulomb's coefficient, >= 0"),
    SS_KEY_ROW("restitution", SS_KEY_REAL, ss_material_def, restitution, .low = 0, .high = 1,
               .initial = "0", .doc = "speed after an impact over speed before it"),
    SS_KEY_ROW("impact", SS_KEY_CHOICE, ss_material_def, impact, .choices = "any|newton|poisson",
               .initial = "any",
               .doc = "restitution of speeds (newton) or of impulses (poisson; wins over newton); "
                      "any: what the other material says, else newton"),
    SS_KEY_ROW("ellipsoid", SS_KEY_CUSTOM, ss_material_def, ellipsoid, .decode = decode_ellipsoid,
               .form = "[e_t, e_o, e_r, e_roll]", .initial = "[1, 1, 0, 0]",
               .doc = "axes of the friction ellipsoid over mu p_n: along t and o, torsion and "
                      "rolling in metres; the last ones may be left out"),
    SS_KEY_ROW("compliance", SS_KEY_CUSTOM, ss_material_def, compliance,
               .decode = decode_compliance, .keys = ss_compliance_keys,
               .form = "{stiffness, damping, ..}", .initial = "rigid",
               .doc = "how its surface gives, with contact: compliant"),
    SS_KEY_END};

const ss_key ss_pair_keys[] = {
    SS_KEY_ROW("between", SS_KEY_CUSTOM, ss_pair_def, between, .required = true,
               .decode = decode_between, .form = "[material, material]",
               .doc = "the two materials; the same one twice is allowed"),
    SS_KEY_ROW("friction", SS_KEY_CUSTOM, ss_pair_def, friction, .decode = decode_pair_friction,
               .keys = ss_friction_keys, .schema = SS_FRICTION_SCHEMA, .form = SS_FRICTION_FORM,
               .initial = "geometric mean", .doc = "Coulomb's coefficient between the two, >= 0"),
    SS_KEY_ROW("restitution", SS_KEY_REAL, ss_pair_def, restitution, .low = 0, .high = 1,
               .initial = "maximum", .doc = "restitution between the two"),
    SS_KEY_ROW("impact", SS_KEY_CHOICE, ss_pair_def, impact, .choices = "any|newton|poisson",
               .initial = "any", .doc = "law of impact; any: what the two materials say"),
    SS_KEY_ROW("friction_direction", SS_KEY_VECTOR, ss_pair_def, friction_direction,
               .doc = "first friction direction, in the world, projected on the contact plane"),
    SS_KEY_ROW("ellipsoid", SS_KEY_CUSTOM, ss_pair_def, ellipsoid, .decode = decode_ellipsoid,
               .form    = "[e_t, e_o, e_r, e_roll]",
               .initial = "e_t, e_o: geometric mean, e_r, e_roll: maximum",
               .doc     = "axes of the friction ellipsoid between the two"),
    SS_KEY_ROW("compliance", SS_KEY_CUSTOM, ss_pair_def, compliance, .decode = decode_compliance,
               .keys = ss_compliance_keys, .form = "{stiffness, damping, ..}",
               .initial = "the two in series", .doc = "how a contact of the two gives"),
    SS_KEY_END};

static ss_status decode_pairs(ss_decoder *d, ss_node *list)
{
    snprintf(d->what, sizeof d->what, "materials: ");
    SS_TRY(ss_decode_expect(d, "pairs", list, SS_NODE_LIST));
    for (ss_node *entry = list->first; entry != NULL; entry = entry->next) {
        ss_pair_def pair = {.friction = -1, .restitution = -1};
        snprintf(d->what, sizeof d->what, "material pair: ");
        SS_TRY(ss_decode_expect(d, "an entry of pairs", entry, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, ss_pair_keys, entry, &pair));
        SS_TRY(ss_scene_add_pair(d->scene, &pair));
    }
    return SS_OK;
}

static ss_status decode_material(ss_decoder *d, ss_node *entry)
{
    ss_material_def def = {.name = entry->key, .friction = 0.5};
    snprintf(d->what, sizeof d->what, "material '%.60s': ", entry->key);
    SS_TRY(ss_decode_expect(d, "a material", entry, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_material_keys, entry, &def));
    return ss_scene_add_material(d->scene, &def);
}

ss_status ss_decode_materials(ss_decoder *d, ss_node *node)
{
    int32_t room = node != NULL && node->kind == SS_NODE_MAP ? node->count : 0;
    SS_TRY(ss_name_list_make(d, &d->materials, room + 1));
    d->materials.names[d->materials.count++] = "default";
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "materials", node, SS_NODE_MAP));
    if (node->count > SS_NODE_MATERIALS_MAX) {
        return ss_decode_fail(d, node, "there are more than %d materials", SS_NODE_MATERIALS_MAX);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        if (strcmp(entry->key, "pairs") == 0) {
            continue;
        }
        SS_TRY(decode_material(d, entry));
        if (strcmp(entry->key, "default") != 0) {
            d->materials.names[d->materials.count++] = entry->key;
        }
    }
    ss_name_list_sort(&d->materials);
    ss_node *pairs = ss_node_find(node, "pairs");
    return pairs != NULL ? decode_pairs(d, pairs) : SS_OK;
}
