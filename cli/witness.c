/* SPDX-License-Identifier: Apache-2.0 */
#include "witness.h"

#include <stdlib.h>

/* Slower than this, where the fastest point moves at 1 m/s, is not told. */
static const double still = 1e-6;

/* One for each body, to be freed; NULL: there is no proof, or no memory. */
static ss_body_motion *motions_of(const ss_model *m, const ss_data *d, double *power)
{
    ss_body_motion *w = calloc((size_t)ss_model_body_count(m) + 1, sizeof *w);
    if (w != NULL && ss_nothing_balances(m, d, w, power) == SS_BALANCE_OPEN) {
        free(w);
        return NULL;
    }
    return w;
}

/* Rounding is told as zero. */
static double told(double x)
{
    return x > still || x < -still ? x : 0;
}

static bool moves(const ss_body_motion *w)
{
    double square =
        ss_dot(w->velocity, w->velocity) + ss_dot(w->angular_velocity, w->angular_velocity);
    return square > still * still;
}

void ss_witness_json(ss_json *out, const ss_model *m, const ss_data *d)
{
    double          power;
    ss_body_motion *w = motions_of(m, d, &power);
    if (w == NULL) {
        return;
    }
    ss_json_open_object(out, "witness");
    ss_json_text(out, "balance", ss_balance_text(ss_nothing_balances(m, d, NULL, NULL)));
    ss_json_real(out, "power", power);
    ss_json_open_object(out, "bodies");
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        ss_vec3 v = w[i].velocity, r = w[i].angular_velocity;
        bool    flat = ss_model_dimension(m) == 2;
        if (moves(&w[i])) {
            ss_json_open_object(out, ss_model_body_name(m, i));
            ss_json_reals(out, "velocity", (double[]){told(v.x), told(v.y), told(v.z)},
                          flat ? 2 : 3);
            if (flat) {
                ss_json_real(out, "angular_velocity", told(r.z));
            } else {
                ss_json_reals(out, "angular_velocity", (double[]){told(r.x), told(r.y), told(r.z)},
                              3);
            }
            ss_json_close_object(out);
        }
    }
    ss_json_close_object(out);
    ss_json_close_object(out);
    free(w);
}

void ss_witness_print(FILE *out, const ss_model *m, const ss_data *d)
{
    double          power;
    ss_body_motion *w = motions_of(m, d, &power);
    if (w == NULL) {
        return;
    }
    bool here = ss_nothing_balances(m, d, NULL, NULL) == SS_BALANCE_NOT_HERE;
    fprintf(out,
            "witness    the forces do work (%.3g W) in this motion, and nothing%s opposes it:\n",
            power, here ? " that touches" : "");
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        ss_vec3 v = w[i].velocity, r = w[i].angular_velocity;
        if (moves(&w[i])) {
            fprintf(out,
                    "           '%s' goes by (%.3g, %.3g, %.3g), turning by (%.3g, %.3g, %.3g)\n",
                    ss_model_body_name(m, i), told(v.x), told(v.y), told(v.z), told(r.x), told(r.y),
                    told(r.z));
        }
    }
    free(w);
}
