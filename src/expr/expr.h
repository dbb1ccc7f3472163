/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: numbers written as Lua over named parameters and the time t. The sandbox has
 * mathematics only (the functions of ss_expr_functions by their bare names, or as math.NAME, and
 * pi), a bounded number of instructions and a bounded amount of memory, and no way out of it.
 */
#ifndef SS_CORE_EXPR_H
#define SS_CORE_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "stickslip/base.h"

typedef struct ss_expr_env ss_expr_env;

/* SS_ERR_UNSUPPORTED when this build has no Lua. */
ss_status ss_expr_env_create(ss_context *ctx, ss_expr_env **out);
void      ss_expr_env_destroy(ss_expr_env *env);

/*
 * The same for many scenes one after the other: an environment that was given back is taken again,
 * without parameters, and knows the expressions that it has compiled before. Those whose names were
 * given functions are not kept.
 */
ss_status ss_expr_env_take(ss_context *ctx, ss_expr_env **out);
void      ss_expr_env_give_back(ss_expr_env *env);

/*
 * Parameters that expressions may name. Setting one again replaces it for what is compiled from
 * then on. The name is checked: a word that is neither a function, nor t, nor a word of Lua.
 */
ss_status ss_expr_set_param(ss_expr_env *env, const char *name, double value);
/* The check alone; needs no Lua. */
ss_status ss_expr_check_name(ss_context *ctx, const char *name);

/* Does the text mention the variable t (as a word of its own)? */
bool ss_expr_uses_time(const char *text);

/* The value of a constant expression. The message says what is wrong with it. */
ss_status ss_expr_value(ss_expr_env *env, const char *text, double *out);

/* Compile an expression of t once, evaluate it many times. Handles count from 0. */
ss_status ss_expr_compile(ss_expr_env *env, const char *text, int32_t *handle);
ss_status ss_expr_eval(ss_expr_env *env, int32_t handle, double t, double *out);

/*
 * Where an expression of t jumps or bends: it compares, takes the larger of two numbers, rounds,
 * takes a table of straight lines or steps .. and each time goes on on one side. All these choices
 * together are its side, as one number: between two times of the same side it is as smooth as what
 * it is made of, and where the side changes it may jump or bend. False: it makes no such choice.
 */
bool      ss_expr_has_sides(const ss_expr_env *env, int32_t handle);
ss_status ss_expr_side(ss_expr_env *env, int32_t handle, double t, uint64_t *out);
/* The first time after `from`, and not after `to`, at which the side is another, to rounding;
   infinite: it is the same at both. Sides that are left again in between are not seen. */
ss_status ss_expr_next_side(ss_expr_env *env, int32_t handle, double from, double to, double *out);

/*
 * An expression may also be a function: "function(t, s, state) return -s.ball.x, 0 end". Calling it
 * hands it the time and the state, whose fields are looked up by `reader` as the code asks for
 * them, and takes up to `count` numbers from it; those that it does not return are 0.
 */
typedef enum ss_expr_found { SS_EXPR_FOUND, SS_EXPR_NO_NAME, SS_EXPR_NO_FIELD } ss_expr_found;
typedef ss_expr_found (*ss_expr_reader)(void *user, const char *name, const char *field,
                                        double *out);
/* Is the compiled expression a function? */
ss_status ss_expr_check_function(ss_expr_env *env, int32_t handle);
/*
 * What the function keeps from call to call: the fields of its third argument, which it may read
 * and set. Nothing else survives a call.
 */
typedef struct ss_expr_memory {
    const char *const *names; /* (count) */
    double            *values;
    int32_t            count;
} ss_expr_memory;
ss_status ss_expr_call(ss_expr_env *env, int32_t handle, double t, ss_expr_reader reader,
                       void *user, const ss_expr_memory *memory, double *values, int32_t count);

/*
 * A function of the program's own: NAME(a, b, ..) with numbers. It gives a number, or a truth value
 * when it sets *truth; what it fails with becomes the message of the expression. `fn` and `user`
 * must outlive the environment.
 */
enum { SS_EXPR_ARGUMENTS = 8 };
typedef ss_status (*ss_expr_fn)(void *user, const double *args, int32_t count, double *out,
                                bool *truth);
typedef struct ss_expr_function {
    const char *name;
    ss_expr_fn  fn;
    void       *user;
    int32_t     arguments; /* how many it takes; 0: `fn` counts them itself */
    /* On which side of where it jumps or bends it is called; NULL: it does neither. */
    double (*side)(void *user, const double *args);
} ss_expr_function;
ss_status ss_expr_set_function(ss_expr_env *env, const ss_expr_function *function);

/* The value of a compiled expression that need not be finite; true is 1 and false is 0, and *truth
   (unless NULL) tells whether it was one of them. */
ss_status ss_expr_judge(ss_expr_env *env, int32_t handle, double *out, bool *truth);

/* What expressions can call: names and one line each, for docs; ends with a NULL name. */
typedef struct ss_expr_doc {
    const char *name, *doc;
} ss_expr_doc;
extern const ss_expr_doc ss_expr_functions[];

#endif
