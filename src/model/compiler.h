/* SPDX-License-Identifier: Apache-2.0 */
/* What a plug-in may ask of the compiler while its definition is turned into its compiled form. */
#ifndef SS_MODEL_COMPILER_H
#define SS_MODEL_COMPILER_H

#include "core/name_index.h"
#include "model/model.h"

typedef struct ss_compiler {
    ss_context     *ctx;
    const ss_scene *scene;
    ss_model       *model;
    ss_expr_env    *env;    /* made when the first expression turns up                      */
    const char     *where;  /* "file:line:column" of what is being compiled, or NULL        */
    ss_name_index   bodies; /* by name; made when the first is looked for                  */
} ss_compiler;

/* A number or expression of t; `where` opens the message when the expression is wrong. */
ss_status ss_compile_timed(ss_compiler *c, const ss_value *value, const char *where, ss_timed *out);

/* A Lua function of time and state; *out is its index among the model's expressions. */
ss_status ss_compile_function(ss_compiler *c, const char *text, const char *where, int32_t *out);

/* Index of the body of that name; `where` opens the message when there is none. */
ss_status ss_compile_body_named(ss_compiler *c, const char *name, const char *where, int32_t *out);

#endif
