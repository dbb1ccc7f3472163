/* SPDX-License-Identifier: Apache-2.0 */
#include "runfile/run_figures.h"

#include <string.h>

void ss_run_figures(const ss_run_result *result, ss_run_figure out[SS_RUN_FIGURE_COUNT])
{
    const ss_energy    *first = &result->initial, *last = &result->final;
    const ss_run_figure figures[SS_RUN_FIGURE_COUNT] = {
        {"result/status", (double)result->status, false},
        {"result/stopped", (double)result->stopped, false},
        {"result/steps", (double)result->steps, false},
        {"result/splits", (double)result->splits, false},
        {"result/bridged", result->bridged, false},
        {"result/marked", (double)result->marked, false},
        {"result/time", result->time, false},
        {"result/wall_seconds", result->wall_seconds, true},
        {"result/residual_max", result->residual_max, false},
        {"result/motion_error_max", result->motion_error_max, false},
        {"result/islands", (double)result->islands, false},
        {"result/islands_by_motion", (double)result->islands_by_motion, false},
        {"result/penetration_max", result->penetration_max, false},
        {"result/contacts_max", (double)result->contacts_max, false},
        {"result/iterations", (double)result->iterations, false},
        {"result/energy_initial", first->kinetic + first->potential, false},
        {"result/energy_final", last->kinetic + last->potential, false},
        {"result/dissipated", last->dissipated, false},
        {"result/applied", last->applied, false},
        {"result/driven", last->driven, false},
        {"result/restitution", last->restitution, false},
        {"result/corrections", last->corrections, false},
        {"result/integration", last->integration, false},
        {"result/joint_error_max", result->joint_error_max, false},
    };
    memcpy(out, figures, sizeof figures);
}
