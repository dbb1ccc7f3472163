/* SPDX-License-Identifier: Apache-2.0 */
/* Making a solid from the surfaces of its parts, step by step. */
#include "geom/mass.h"
#include "geom/solid.h"

/* Curved surfaces first, each once; returns how many are left. */
static int32_t sort_surfaces(ss_surface *surfaces, int32_t count, double size, int32_t *curved)
{
    int32_t kept = 0;
    *curved      = 0;
    for (int32_t i = 0; i < count; i++) {
        ss_surface now  = surfaces[i];
        bool       seen = false;
        for (int32_t k = 0; k < kept && !seen; k++) {
            seen = ss_surface_same(&now, &surfaces[k], size);
        }
        if (seen) {
            continue;
        }
        int32_t at = kept++;
        for (; now.kind != SS_SURFACE_PLANE && at > *curved; at--) {
            surfaces[at] = surfaces[at - 1];
        }
        surfaces[at] = now;
        *curved += now.kind != SS_SURFACE_PLANE;
    }
    return kept;
}

/* The part that all surfaces bound, or -1. */
static int32_t only_part(const ss_solid *s)
{
    for (int32_t i = 1; i < s->surface_count; i++) {
        if (s->surfaces[i].part != s->surfaces[0].part) {
            return -1;
        }
    }
    return s->surfaces[0].part;
}

ss_status ss_solid_begin(ss_geom_set *set, ss_surface *surfaces, int32_t count, ss_vec3 start,
                         double size, ss_solid_result *out)
{
    ss_solid *s = ss_geom_memory(set, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    s->dimension     = set->dimension;
    s->surfaces      = surfaces;
    s->surface_count = sort_surfaces(surfaces, count, size, &s->curved_count);
    s->spread        = ss_mat3_identity();
    s->size          = size;
    if (!ss_solid_find_inside(s, start, size, &out->centre)) {
        return ss_fail(
            set->ctx, SS_ERR_INPUT,
            "shape 'intersection': nothing is inside all of its parts (do they overlap?)");
    }
    for (int32_t i = 0; i < s->surface_count; i++) {
        ss_surface_move_origin(&surfaces[i], out->centre);
    }
    if (!ss_solid_centre(s, surfaces, &out->centre)) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "shape 'intersection': what is inside all of its parts is too thin");
    }
    out->solid     = s;
    out->only_part = -1;
    return SS_OK;
}

ss_status ss_solid_make(ss_geom_set *set, ss_surface *surfaces, int32_t count, ss_vec3 start,
                        double size, ss_solid_result *out)
{
    SS_TRY(ss_solid_begin(set, surfaces, count, start, size, out));
    ss_solid *s = out->solid;
    SS_TRY(ss_solid_trace(set, s));
    out->only_part = only_part(s);
    if (s->curved_count == 0 || out->only_part >= 0) {
        return SS_OK;
    }
    SS_TRY(ss_solid_facets(set, s));
    ss_solid_mass(s);
    return SS_OK;
}
