/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the geometry share. */
#ifndef SS_TEST_GEOM_H
#define SS_TEST_GEOM_H

#include <stdio.h>

#include "collide/collide_test.h"
#include "geom/mass.h"

/* Build a shape that must be refused, with a message that holds `word`. */
static inline void assert_refused(const ss_shape_def *def, int dimension, ss_status status,
                                  const char *word)
{
    ss_context *ctx = ss_context_create(NULL);
    ss_geom_set set;
    ss_status   got = ss_geom_build(ctx, def, dimension, &set);
    if (got != status || strstr(ss_context_message(ctx), word) == NULL) {
        fail_msg("'%s': status %d, message \"%s\", expected %d and \"%s\"", def->type, (int)got,
                 ss_context_message(ctx), (int)status, word);
    }
    ss_context_destroy(ctx);
}

static inline void assert_mass(const ss_mass *m, double volume, ss_vec3 centre, double xx,
                               double yy, double zz, double tolerance)
{
    assert_near(m->volume, volume, tolerance);
    assert_vec_near(m->centre, centre, tolerance);
    assert_near(m->inertia.m[0], xx, tolerance);
    assert_near(m->inertia.m[4], yy, tolerance);
    assert_near(m->inertia.m[8], zz, tolerance);
}

#endif
