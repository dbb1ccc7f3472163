/* SPDX-License-Identifier: Apache-2.0 */
/* One line per force: src/force/<name>.c defines `const ss_force_class ss_force_<name>`. */
#ifndef SS_FORCE_LIST_H
#define SS_FORCE_LIST_H

#define SS_FORCE_LIST                                                                              \
    SS_FORCE(constant)                                                                             \
    SS_FORCE(spring)                                                                               \
    SS_FORCE(damper)                                                                               \
    SS_FORCE(controller)

#endif
