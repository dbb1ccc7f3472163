/* SPDX-License-Identifier: Apache-2.0 */
#include "runfile/run_values.h"

#include <float.h>
#include <string.h>

#include "stickslip/sim.h"

enum {
    FLAGS_MOST  = 31,  /* all of them together               */
    ANSWER_MOST = 4,   /* not applicable                     */
    NO_SOLVER   = 255, /* nothing was solved                 */
    NOT_KNOWN   = -1   /* how many motions or contacts       */
};

/* From the least to the most, both included; neither is infinite. */
typedef struct range {
    ss_run_field_id id;
    double          least, most;
} range;

static const range ranges[] = {
    {SS_RUN_H, 0, DBL_MAX},
    {SS_RUN_BRIDGED, 0, DBL_MAX},
    {SS_RUN_WORK, 0, DBL_MAX},
    {SS_RUN_STAGE, 0, DBL_MAX},
    {SS_RUN_BY_MOTION, 0, INT32_MAX},
    {SS_RUN_SPLITS, 0, INT32_MAX},
    {SS_RUN_CONTACTS, 0, INT32_MAX},
    {SS_RUN_FIRST, 0, INT32_MAX},
    {SS_RUN_STICK, 0, INT32_MAX},
    {SS_RUN_SLIP, 0, INT32_MAX},
    {SS_RUN_ITERATIONS, 0, INT32_MAX},
    {SS_RUN_ISLANDS, 0, INT32_MAX},
    {SS_RUN_ROWS, 0, INT32_MAX},
    {SS_RUN_MOTION, 0, SS_MOTION_UNDECIDED},
    {SS_RUN_HOLD, 0, SS_HOLD_COUNT - 1},
    {SS_RUN_FLAGS, 0, FLAGS_MOST},
    {SS_RUN_UNIQUE, 0, ANSWER_MOST},
    {SS_RUN_FORCES_UNIQUE, 0, ANSWER_MOST},
    {SS_RUN_STABLE, 0, ANSWER_MOST},
    {SS_RUN_SOLUTIONS, NOT_KNOWN, INT32_MAX},
    {SS_RUN_ACTIVE, NOT_KNOWN, INT32_MAX},
    {SS_RUN_POSITION, -DBL_MAX, DBL_MAX},
    {SS_RUN_QUAT, -DBL_MAX, DBL_MAX},
    {SS_RUN_ANGLE, -DBL_MAX, DBL_MAX},
    {SS_RUN_VELOCITY, -DBL_MAX, DBL_MAX},
    {SS_RUN_SPIN, -DBL_MAX, DBL_MAX},
    {SS_RUN_STATE, SS_CONTACT_OPEN, SS_CONTACT_SLIP},
    {SS_RUN_BRANCH, 0, 2},
    {SS_RUN_POINT, -DBL_MAX, DBL_MAX},
    {SS_RUN_NORMAL, -DBL_MAX, DBL_MAX},
    {SS_RUN_TANGENT, -DBL_MAX, DBL_MAX},
};

/* False: any number. */
static bool find_range(const ss_run_field *field, const ss_run_names *names, range *out)
{
    ss_run_field_id id = (ss_run_field_id)(field - ss_run_fields);
    if (id == SS_RUN_OUTCOME || id == SS_RUN_SOLVER) {
        int32_t count = id == SS_RUN_OUTCOME ? names->outcomes : names->solvers;
        *out          = (range){id, 0, (double)count - 1};
        return true;
    }
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (ranges[i].id == id) {
            *out = ranges[i];
            return true;
        }
    }
    return false;
}

static double number_at(ss_run_type type, const unsigned char *numbers, int64_t i)
{
    if (type == SS_RUN_F64) {
        double real;
        memcpy(&real, numbers + (size_t)i * sizeof real, sizeof real);
        return real;
    }
    if (type == SS_RUN_I32) {
        int32_t whole;
        memcpy(&whole, numbers + (size_t)i * sizeof whole, sizeof whole);
        return whole;
    }
    return numbers[i];
}

int64_t ss_run_first_wrong(const ss_run_field *field, const ss_run_names *names,
                           const void *numbers, bool native, int64_t count, double *value)
{
    range       r    = {SS_RUN_FIELD_COUNT, 0, 0};
    ss_run_type type = native ? field->type : SS_RUN_F64;
    if (!find_range(field, names, &r)) {
        return -1;
    }
    for (int64_t i = 0; i < count; i++) {
        *value    = number_at(type, numbers, i);
        bool none = r.id == SS_RUN_SOLVER && *value == NO_SOLVER;
        if (!(*value >= r.least && *value <= r.most) && !none) {
            return i;
        }
    }
    return -1;
}
