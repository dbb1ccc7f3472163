/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A four-bar linkage in 3D: ground 4, crank 1, coupler 3, rocker 3, four parallel axes, so that the
 * plane is held three times over. The rocker's angle follows from the crank's: |BC| = |CD| = 3 puts
 * C on the bisector of B and D.
 */
#include <math.h>

#include "verify/verify.h"

static double rocker_angle(double crank)
{
    double x = 4 - cos(crank), y = sin(crank); /* B seen from D: (-x, y) */
    return 3.14159265358979323846 - atan2(y, x) - acos(sqrt(x * x + y * y) / 6);
}

static ss_status run(ss_verify *v)
{
    ss_verify_world w;
    double          worst = 0, open = 0;
    ss_joint_info   crank = {0}, rocker = {0};
    SS_TRY(ss_verify_open(v, "four-bar", NULL, &w));
    ss_status status = SS_OK;
    for (int i = 0; status == SS_OK && i < 4000; i++) {
        status = ss_verify_steps(v, &w, 1e-3, 1);
        ss_data_joint(w.model, w.data, ss_model_find_joint(w.model, "A"), &crank);
        ss_data_joint(w.model, w.data, ss_model_find_joint(w.model, "D"), &rocker);
        double exact = rocker_angle(crank.value[0]) - rocker_angle(0);
        worst        = fmax(worst, fabs(rocker.value[0] - exact));
        open         = fmax(open, ss_data_report(w.data)->joint_error);
    }
    if (status == SS_OK) {
        ss_verify_near(v, 8, crank.value[0], 1e-9, "angle of the crank at 4 s");
        ss_verify_near(v, 0, worst, 1e-9, "angle of the rocker against the closed formula");
        ss_verify_near(v, 0, open, 1e-9, "opening of the joints");
        ss_verify_near(v, 0, rocker.unique, 0, "the reactions are unique (no: redundant axes)");
    }
    ss_verify_close(&w);
    return status;
}

const ss_verify_case ss_verify_four_bar = {
    .name    = "four-bar",
    .source  = "closed formula",
    .summary = "driven four-bar linkage in 3D: closure, rocker angle, redundant joints",
    .run     = run};
