/* SPDX-License-Identifier: Apache-2.0 */
/* Step sizes chosen by an estimate of the error (adapt.c). */
#ifndef SS_SIM_ADAPT_H
#define SS_SIM_ADAPT_H

#include "model/model.h"

typedef struct ss_adapt {
    ss_context *ctx;
    double      error, duration;
    double      h;         /* of the next step                                    */
    double      set_aside; /* of the error, for impacts that are still to come    */
    double      happened;  /* impacts that took of it                             */
    double      estimate;  /* of what was accepted so far, added up               */
    int64_t     steps;     /* accepted, each of two halves                        */
    double      work;      /* of all of them, tried or accepted                   */
    double      end;       /* of the run: what velocities are off by counts until then */
    double      bent[2];   /* jumps of accelerations over h, of the last two steps accepted */
    bool        goes_on;   /* there is a step before this one                     */
    ss_pose    *poses;     /* (nb) after one step                                 */
    ss_twist   *twists;    /* (4 nb) velocities: after one step, before it, in its middle; and by
                              how much they changed in the half step before it    */
    double before;         /* .. that half step                                   */
    void  *saved;          /* snapshot before it                                  */
    size_t size, room;
} ss_adapt;

ss_status ss_adapt_open(const ss_model *m, const ss_data *d, double error, double duration,
                        double step, ss_adapt *a);
void      ss_adapt_close(const ss_model *m, ss_adapt *a);

/* Forward by `step`, in as many steps as it takes. */
ss_status ss_adapt_step(const ss_model *m, ss_data *d, ss_adapt *a, double step);

#endif
