/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long run of random LCPs against `enumerate` (see solver/lcp_agreement.h), by our own solvers
 * and by the `siconos` plug-in in a build with -DSS_WITH_SICONOS=ON.
 * usage: soak_lcp [CASES] [FIRST]
 * Exit code 0 when nobody contradicts anybody and auto misses nothing.
 */
#include <stdlib.h>

#include "solver/lcp_agreement.h"

int main(int argc, char **argv)
{
    uint64_t    count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    uint64_t    first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    agreement   a;
    ss_context *ctx = ss_context_create(NULL);
    if (ctx == NULL || !agreement_make(&a, ctx)) {
        fprintf(stderr, "soak_lcp: %s\n", ctx != NULL ? ss_context_message(ctx) : "no memory");
        return 2;
    }
    if (!agreement_add(&a, ctx, "siconos")) {
        fprintf(stderr, "soak_lcp: this build has no siconos plug-in, its part is SKIPPED\n");
    }
    for (uint64_t k = first; k < first + count; k++) {
        agreement_case(&a, k, stdout);
    }
    agreement_report(&a, stdout);
    bool good = a.contradictions == 0 && a.missed == 0;
    agreement_free(&a);
    ss_context_destroy(ctx);
    return good ? 0 : 1;
}
