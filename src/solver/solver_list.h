/* SPDX-License-Identifier: Apache-2.0 */
/* One line per solver: src/solver/<name>.c defines `const ss_solver_class ss_solver_<name>`. */
#ifndef SS_SOLVER_LIST_H
#define SS_SOLVER_LIST_H

/* The optional plug-ins of this build. */
#ifdef SS_HAVE_SICONOS
#define SS_SOLVER_SICONOS SS_SOLVER(siconos)
#else
#define SS_SOLVER_SICONOS
#endif

#define SS_SOLVER_LIST                                                                             \
    SS_SOLVER(auto)                                                                                \
    SS_SOLVER(lemke)                                                                               \
    SS_SOLVER(pivot)                                                                               \
    SS_SOLVER(pgs)                                                                                 \
    SS_SOLVER(enumerate)                                                                           \
    SS_SOLVER(newton)                                                                              \
    SS_SOLVER(nsgs)                                                                                \
    SS_SOLVER(ac)                                                                                  \
    SS_SOLVER(admm)                                                                                \
    SS_SOLVER(contact)                                                                             \
    SS_SOLVER(inplane)                                                                             \
    SS_SOLVER(working)                                                                             \
    SS_SOLVER(splitting)                                                                           \
    SS_SOLVER(farkas)                                                                              \
    SS_SOLVER(howson)                                                                              \
    SS_SOLVER(schur)                                                                               \
    SS_SOLVER_SICONOS

#endif
