/* SPDX-License-Identifier: Apache-2.0 */
/* Everything a user of the library needs. */
#ifndef STICKSLIP_STICKSLIP_H
#define STICKSLIP_STICKSLIP_H

#include "stickslip/analysis.h"
#include "stickslip/base.h"
#include "stickslip/flow.h"
#include "stickslip/identify.h"
#include "stickslip/import.h"
#include "stickslip/instant.h"
#include "stickslip/math3.h"
#include "stickslip/measured.h"
#include "stickslip/output.h"
#include "stickslip/plot.h"
#include "stickslip/plugin.h"
#include "stickslip/problem.h"
#include "stickslip/problem_file.h"
#include "stickslip/record.h"
#include "stickslip/report.h"
#include "stickslip/run_file.h"
#include "stickslip/scene.h"
#include "stickslip/scene_file.h"
#include "stickslip/sensitivity.h"
#include "stickslip/series.h"
#include "stickslip/shape.h"
#include "stickslip/sim.h"
#include "stickslip/solver.h"
#include "stickslip/study.h"

#endif
