/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scene file may leave to the reader to write out: pieces that repeat, pieces with a name
 * and parameters, pieces of other files, vectors and texts with a name. All of it is done on the
 * tree of nodes, before anything is decoded, so that the rest of the reader knows nothing of it:
 *
 *   include    {file: arm.yaml, prefix: left_, with: {length: 0.2}}: bodies, joints, forces,
 *              materials and templates of another file, whose params are its parameters
 *   templates  {NAME: {with: {length: 0.1}, ..keys..}}, used by {use: NAME, with: {..}, ..keys..}
 *              in any map; keys beside `use` win
 *   repeat     {count: 12, as: i} (or a list of those: the first turns slowest) in an entry of any
 *              list
 *
 * A parameter stands for its value wherever an expression names it; in names and other texts its
 * value replaces {parameter}, or {any expression of it}.
 */
#ifndef SS_SCENEFILE_EXPAND_H
#define SS_SCENEFILE_EXPAND_H

#include "scenefile/schema.h"

/* A name and what it stands for: a number or an expression, a list, or {text: ..}. */
typedef struct ss_binding ss_binding;
struct ss_binding {
    const char       *name;
    const ss_node    *value;
    const ss_binding *outer; /* looked up next */
};

enum {
    SS_INCLUDE_DEPTH_MAX = 8,       /* files in files in files ..                   */
    SS_INCLUDES_MAX      = 10000,   /* files that are included, each time counted   */
    SS_USE_DEPTH_MAX     = 16,      /* templates in templates ..                    */
    SS_REPEAT_MAX        = 1000000, /* copies that one `repeat` may ask for         */
    SS_REPEAT_NEST_MAX   = 4        /* indices of one entry                         */
};

/* Other files, before params are known. `origin` of the root says which file this is. */
ss_status ss_scene_include(ss_decoder *d);

/* `use` and `repeat` everywhere below the root, once params are known. */
ss_status ss_scene_expand(ss_decoder *d);

/* ---- pieces ---- */

/*
 * Names of `scope` replaced by what they stand for, in all of `node`. Braces with names that are
 * not known yet (an index, say) stay as they are; the last time, that is an error.
 */
typedef enum ss_when { SS_NOT_YET, SS_LAST_TIME } ss_when;
ss_status ss_node_substitute(ss_decoder *d, ss_node *node, const ss_binding *scope, ss_when when);

/* Params that are vectors or texts, as bindings; *scope grows by them. */
ss_status ss_param_bindings(ss_decoder *d, const ss_node *params, const ss_binding **scope);

/* How many nodes a tree has: what multiplies itself must come to an end. */
int64_t ss_node_count(const ss_node *node);

/* Is this param a plain number, for the expressions themselves? */
bool ss_param_is_number(const ss_node *param);

#endif
