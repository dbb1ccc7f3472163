/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of ss_model_compile, in the order in which they run. */
#ifndef SS_COMPILE_COMPILE_H
#define SS_COMPILE_COMPILE_H

#include "model/compiler.h"

ss_status ss_compile_materials(ss_compiler *c);
/* How contacts of two materials give, each by itself or as a pair (contact: compliant). */
ss_status ss_compile_compliance(ss_compiler *c, const ss_material_def *a, const ss_material_def *b,
                                ss_pair_law *law);
ss_status ss_compile_pair_compliance(ss_compiler *c, const ss_pair_def *def, ss_pair_law *law);
/* Friction that varies with place, whose owner messages name; has it any? */
bool      ss_has_place(const ss_friction_place_def *p);
ss_status ss_compile_place(ss_compiler *c, const char *owner, const ss_friction_place_def *p,
                           const ss_friction_place **out);
ss_status ss_compile_bodies(ss_compiler *c); /* shapes, masses, starting state, motion */
/* How a kinematic body moves; its starting state is known. */
ss_status ss_compile_motion(ss_compiler *c, const ss_body_def *def, ss_body *b);
ss_status ss_compile_supports(ss_compiler *c);
/* What the medium resists: E of one body, whose degrees of freedom are known. */
ss_status ss_compile_damping(ss_compiler *c, const ss_body_def *def, ss_body *b);
ss_status ss_compile_pairs(ss_compiler *c);  /* which routine collides which shapes    */
ss_status ss_compile_joints(ss_compiler *c); /* frames, what drives them, who does not collide */
ss_status ss_compile_forces(ss_compiler *c);

/* Index of a material; NULL means "default". `where` opens the message when there is none. */
ss_status ss_compile_material_named(ss_compiler *c, const char *name, const char *where,
                                    int32_t *out);

#endif
