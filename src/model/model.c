/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about a compiled model. A model is shared by threads and has nobody to tell what is
 * wrong, so that questions about no model, or past its end, are answered with "nothing": 0, NULL,
 * NaN, -1.
 */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "model/axes.h"

static bool has_body(const ss_model *m, int32_t body)
{
    return m != NULL && body >= 0 && body < m->nb;
}

static bool has_geom(const ss_model *m, int32_t geom)
{
    return m != NULL && geom >= 0 && geom < m->ng;
}

int ss_model_dimension(const ss_model *m)
{
    return m != NULL ? m->dimension : 0;
}

int32_t ss_model_body_count(const ss_model *m)
{
    return m != NULL ? m->nb : 0;
}

const char *ss_model_body_name(const ss_model *m, int32_t body)
{
    return has_body(m, body) ? m->bodies[body].name : NULL;
}

ss_body_type ss_model_body_type(const ss_model *m, int32_t body)
{
    return has_body(m, body) ? m->bodies[body].type : SS_BODY_STATIC;
}

ss_body_id ss_model_find_body(const ss_model *m, const char *name)
{
    ss_body_id id = {0};
    for (int32_t i = 0; name != NULL && i < ss_model_body_count(m); i++) {
        if (strcmp(m->bodies[i].name, name) == 0) {
            id.index1 = i + 1;
        }
    }
    return id;
}

const ss_simulation_def *ss_model_simulation(const ss_model *m)
{
    return m != NULL ? &m->simulation : NULL;
}

bool ss_model_has_momentum(const ss_model *m)
{
    return m != NULL && ss_inertia_of(m)->momentum;
}

double ss_model_mass(const ss_model *m, int32_t body)
{
    return has_body(m, body) ? m->bodies[body].mass : NAN;
}

int32_t ss_model_geom_count(const ss_model *m)
{
    return m != NULL ? m->ng : 0;
}

const ss_geom *ss_model_geom(const ss_model *m, int32_t geom)
{
    return has_geom(m, geom) ? &m->geoms[geom] : NULL;
}

ss_frame ss_model_geom_placement(const ss_model *m, int32_t geom)
{
    ss_frame f = {.R = ss_mat3_identity()};
    if (has_geom(m, geom)) {
        f   = m->geoms[geom].local;
        f.p = ss_add(f.p, m->bodies[m->geoms[geom].body].com);
    }
    return f;
}

int32_t ss_model_joint_count(const ss_model *m)
{
    return m != NULL ? m->joint_count : 0;
}

const char *ss_model_joint_name(const ss_model *m, int32_t joint)
{
    bool known = joint >= 0 && joint < ss_model_joint_count(m);
    return known ? m->joints[joint].name : NULL;
}

int32_t ss_model_find_joint(const ss_model *m, const char *name)
{
    for (int32_t i = 0; name != NULL && i < ss_model_joint_count(m); i++) {
        if (strcmp(m->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Binary search in the sorted list of joined bodies. */
static bool joined(const ss_model *m, int32_t a, int32_t b)
{
    ss_body_pair wanted = {a < b ? a : b, a < b ? b : a};
    int32_t      low = 0, high = m->joined_count;
    while (low < high) {
        int32_t             mid = low + (high - low) / 2;
        const ss_body_pair *p   = &m->joined[mid];
        if (p->first < wanted.first || (p->first == wanted.first && p->second < wanted.second)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < m->joined_count && m->joined[low].first == wanted.first &&
           m->joined[low].second == wanted.second;
}

bool ss_model_may_collide(const ss_model *m, int32_t body_a, int32_t body_b)
{
    const ss_body *a = &m->bodies[body_a], *b = &m->bodies[body_b];
    if (body_a == body_b || (!ss_body_moves(a) && !ss_body_moves(b))) {
        return false;
    }
    return !a->no_collide && !b->no_collide && (a->group == 0 || a->group != b->group) &&
           !joined(m, body_a, body_b);
}
