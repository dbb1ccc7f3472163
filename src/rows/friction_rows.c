/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coefficient of a contact where friction varies with place (model/friction_place.h). Each
 * surface is asked at its own touching point, in its own frame; two of them combine by the
 * geometric mean, what is said of a pair counts as it is.
 */
#include <math.h>

#include "dynamics/stages.h"

static ss_status no_friction(const ss_data *d, int32_t body, ss_vec3 p, double value)
{
    return ss_fail(d->ctx, SS_ERR_INPUT,
                   "t = %g: friction must be >= 0, got %g at (%.6g, %.6g, %.6g) of body '%s'",
                   d->state.t, value, p.x, p.y, p.z, d->model->bodies[body].name);
}

ss_status ss_place_friction(const ss_model *m, const ss_data *d, const ss_contact *c,
                            const ss_pair_law *law, ss_row_block *b)
{
    const int32_t geom[2]  = {c->geom_a, c->geom_b};
    const ss_vec3 point[2] = {c->point_a, c->point_b};
    double        product  = 1;
    for (int side = 0; side < 2; side++) {
        const ss_friction_place *place = law->place[side];
        if (place == NULL) {
            continue;
        }
        int32_t body  = m->geoms[geom[side]].body;
        ss_vec3 local = ss_add(ss_to_body(&d->frame[body], point[side]), m->bodies[body].com);
        ss_vec3 p     = place->world ? point[side] : local;
        double  value = ss_friction_at(place, p);
        if (!(value >= 0) || !isfinite(value)) {
            return no_friction(d, body, p, value);
        }
        product *= value;
    }
    b->mu *= law->place_is_pair ? product : sqrt(product);
    return SS_OK;
}
