/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derivatives of a step: how its end changes with its start and with parameters of the model. A
 * step is smooth as long as the same contacts carry, stick and slide; where that changes it has a
 * kink, and the derivative belongs to one side of it (docs/theory/identification.md).
 *
 * Changes of a state are vectors of ss_sensitivity_size(m) numbers. Every body that moves has, in
 * the order of the scene, in 3D twelve: displacement of the body frame's origin (x, y, z), rotation
 * vector in world axes (3), velocity of that origin (3), angular velocity (3); in 2D six: x, y,
 * angle, vx, vy, w. Those of a particle that are rotations are zero.
 */
#ifndef STICKSLIP_SENSITIVITY_H
#define STICKSLIP_SENSITIVITY_H

#include "stickslip/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

SS_API int32_t ss_sensitivity_size(const ss_model *m);

/* Parameters to differentiate by. Start from {0}: none, only the start of the step. */
typedef struct ss_sensitivity_def {
    int32_t parameter_count;
    /* (parameter_count) a change that is small and still shows: 1e-4 of the value, say. */
    const double *change;
    /* The model with `change` added to a parameter: the same scene compiled anew. */
    ss_status (*model)(void *user, ss_context *ctx, int32_t parameter, double change,
                       ss_model **out);
    void *user;
} ss_sensitivity_def;

typedef struct ss_sensitivity ss_sensitivity;

/* `m` and what `def` points to must outlive it. */
SS_API ss_status ss_sensitivity_create(ss_context *ctx, const ss_model *m,
                                       const ss_sensitivity_def *def, ss_sensitivity **out);
SS_API void      ss_sensitivity_destroy(ss_sensitivity *s);

/* Which way the start and the parameters go. */
typedef struct ss_direction {
    const double *state;     /* (size) change of the start; NULL: none                        */
    int32_t       parameter; /* -1: none; else it changes by 1 for every `state` of the start */
} ss_direction;

typedef enum ss_slope {
    SS_SLOPE_SMOOTH,   /* the same from both sides                                            */
    SS_SLOPE_FORWARD,  /* a kink: the derivative of the side that the direction points to     */
    SS_SLOPE_BACKWARD, /* a kink: that of the other side, on which contacts act as in the step */
    SS_SLOPE_UNKNOWN   /* neither side is smooth near the start: the numbers are NAN          */
} ss_slope;

/* "smooth", "forward", "backward", "unknown" */
SS_API const char *ss_slope_text(ss_slope slope);

/*
 * Takes the step of ss_step(m, d, h), to the same bits, and tells how its end changes per unit of
 * each direction: out (count x size), kind (count) may be NULL. On failure d is unchanged.
 */
SS_API ss_status ss_step_sensitivity(ss_sensitivity *s, ss_data *d, double h,
                                     const ss_direction *directions, int32_t count, double *out,
                                     ss_slope *kind);

#ifdef __cplusplus
}
#endif
#endif
