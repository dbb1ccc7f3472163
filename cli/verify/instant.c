/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/instant.h"

ss_status ss_verify_judge(ss_verify *v, const char *scene, const char *const *overrides,
                          ss_verify_instant *out)
{
    *out = (ss_verify_instant){.instant = NULL};
    SS_TRY(ss_verify_open(v, scene, overrides, &out->world));
    ss_status status = ss_instant_create(ss_verify_context(v), out->world.model, &out->instant);
    if (status == SS_OK) {
        status = ss_instant_judge(out->instant, out->world.model, out->world.data, &out->verdict);
    }
    if (status != SS_OK) {
        ss_verify_judged(out);
    }
    return status;
}

void ss_verify_judged(ss_verify_instant *i)
{
    ss_instant_destroy(i->instant);
    ss_verify_close(&i->world);
    i->instant = NULL;
}

ss_instant_force ss_verify_force(const ss_verify_instant *i, int32_t solution, int32_t contact)
{
    ss_instant_force f = {.mode = SS_INSTANT_SEPARATES};
    ss_instant_force_at(i->instant, solution, contact, &f);
    return f;
}

ss_body_motion ss_verify_acceleration(const ss_verify_instant *i, int32_t solution,
                                      const char *body)
{
    ss_body_motion a = {{0, 0, 0}, {0, 0, 0}};
    ss_instant_motion_at(i->instant, solution, ss_model_find_body(i->world.model, body).index1 - 1,
                         &a);
    return a;
}
