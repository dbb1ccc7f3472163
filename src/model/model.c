/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a compiled model. */
#include "model/model.h"

#include <string.h>

int ss_model_dimension(const ss_model *m)
{
    return m->dimension;
}

int32_t ss_model_body_count(const ss_model *m)
{
    return m->nb;
}

const char *ss_model_body_name(const ss_model *m, int32_t body)
{
    return m->bodies[body].name;
}

ss_body_type ss_model_body_type(const ss_model *m, int32_t body)
{
    return m->bodies[body].type;
}

ss_body_id ss_model_find_body(const ss_model *m, const char *name)
{
    ss_body_id id = {0};
    for (int32_t i = 0; i < m->nb; i++) {
        if (strcmp(m->bodies[i].name, name) == 0) {
            id.index1 = i + 1;
        }
    }
    return id;
}

const ss_simulation_def *ss_model_simulation(const ss_model *m)
{
    return &m->simulation;
}

double ss_model_mass(const ss_model *m, int32_t body)
{
    return m->bodies[body].mass;
}

int32_t ss_model_geom_count(const ss_model *m)
{
    return m->ng;
}

const ss_geom *ss_model_geom(const ss_model *m, int32_t geom)
{
    return &m->geoms[geom];
}

ss_frame ss_model_geom_placement(const ss_model *m, int32_t geom)
{
    ss_frame f = m->geoms[geom].local;
    f.p        = ss_add(f.p, m->bodies[m->geoms[geom].body].com);
    return f;
}

int32_t ss_model_joint_count(const ss_model *m)
{
    return m->joint_count;
}

const char *ss_model_joint_name(const ss_model *m, int32_t joint)
{
    return m->joints[joint].name;
}

int32_t ss_model_find_joint(const ss_model *m, const char *name)
{
    for (int32_t i = 0; i < m->joint_count; i++) {
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
