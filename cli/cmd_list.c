/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip list`: what this build contains. */
#include <stdio.h>

#include "cli.h"
#include "stickslip/solver.h"

static void print_types(unsigned accepts)
{
    static const ss_problem_type types[] = {SS_LCP, SS_MLCP, SS_MCP, SS_CONE};
    const char                  *sep     = "";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (accepts & (unsigned)types[i]) {
            printf("%s%s", sep, ss_problem_type_name(types[i]));
            sep = ", ";
        }
    }
}

static int run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    ss_context *ctx = ss_context_create(NULL);
    if (ctx == NULL) {
        return SS_EXIT_RESOURCES;
    }
    printf("solvers:\n");
    for (int32_t i = 0; i < ss_solver_count(ctx); i++) {
        const ss_solver_class *cls = ss_solver_at(ctx, i);
        printf("  %-10s %s (", cls->name, cls->summary);
        print_types(cls->accepts);
        printf(")\n");
    }
    ss_context_destroy(ctx);
    return SS_EXIT_DONE;
}

const ss_command ss_command_list = {"list", "what this build contains", run};
