/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured of bodies over time, to be shown beside a run of them (ss_report_measured). */
#ifndef STICKSLIP_MEASURED_H
#define STICKSLIP_MEASURED_H

#include "stickslip/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_measured ss_measured;

/*
 * Reads a CSV file. `columns` says which column is what, "t=time,box.x=px,box.angle=phi"; NULL: the
 * columns are called t and BODY.COORDINATE, as `stickslip run --csv` writes them, and others are
 * left out. Coordinates are x, y, angle, vx, vy, w (2D), x, y, z, qw, qx, qy, qz, vx, vy, vz, wx,
 * wy, wz (3D). Empty cells and nan were not measured. SS_ERR_INPUT: the message names file and
 * line.
 */
SS_API ss_status ss_measured_read(ss_context *ctx, const ss_model *m, const char *path,
                                  const char *columns, ss_measured **out);

/* The same from memory: times that rise, then one column after the other. Copies; NAN is a gap. */
SS_API ss_status ss_measured_create(ss_context *ctx, int32_t samples, const double *t,
                                    ss_measured **out);
SS_API ss_status ss_measured_add(ss_measured *s, const char *body, const char *coordinate,
                                 const double *values);
SS_API void      ss_measured_destroy(ss_measured *s);

SS_API int32_t ss_measured_samples(const ss_measured *s);
SS_API int32_t ss_measured_columns(const ss_measured *s);

#ifdef __cplusplus
}
#endif
#endif
