/* SPDX-License-Identifier: Apache-2.0 */
/* One line per joint: src/joint/<name>.c defines `const ss_joint_class ss_joint_<name>`. */
#ifndef SS_JOINT_LIST_H
#define SS_JOINT_LIST_H

#define SS_JOINT_LIST                                                                              \
    SS_JOINT(revolute)                                                                             \
    SS_JOINT(prismatic)                                                                            \
    SS_JOINT(cylindrical)                                                                          \
    SS_JOINT(universal)                                                                            \
    SS_JOINT(spherical)                                                                            \
    SS_JOINT(planar)                                                                               \
    SS_JOINT(fixed)                                                                                \
    SS_JOINT(distance)                                                                             \
    SS_JOINT(coupling)

#endif
