/* SPDX-License-Identifier: Apache-2.0 */
/* One line per case: cli/verify/<name>.c defines `const ss_verify_case ss_verify_<name>`. */
#ifndef SS_CLI_CASE_LIST_H
#define SS_CLI_CASE_LIST_H

/* clang-format off */
#define SS_VERIFY_CASE_LIST                                                                        \
    SS_VERIFY_CASE(sphere_slide_roll)                                                              \
    SS_VERIFY_CASE(slope)                                                                          \
    SS_VERIFY_CASE(pendulum)                                                                       \
    SS_VERIFY_CASE(pendulum_block)                                                                 \
    SS_VERIFY_CASE(pendulum_block_friction)                                                        \
    SS_VERIFY_CASE(pendulum_block_pusher)                                                          \
    SS_VERIFY_CASE(pendulum_block_belt)                                                            \
    SS_VERIFY_CASE(planar_full)                                                                    \
    SS_VERIFY_CASE(two_spheres)                                                                    \
    SS_VERIFY_CASE(four_bar)                                                                       \
    SS_VERIFY_CASE(joint_friction)                                                                 \
    SS_VERIFY_CASE(stick_slip)                                                                     \
    SS_VERIFY_CASE(newtons_cradle)                                                                 \
    SS_VERIFY_CASE(instantaneous)                                                                  \
    SS_VERIFY_CASE(phantom)                                                                        \
    SS_VERIFY_CASE(rod_map)                                                                        \
    SS_VERIFY_CASE(events)                                                                         \
    SS_VERIFY_CASE(painleve_rod)                                                                   \
    SS_VERIFY_CASE(fence_particle)                                                                 \
    SS_VERIFY_CASE(stack)                                                                          \
    SS_VERIFY_CASE(sliding_tripod)                                                                 \
    SS_VERIFY_CASE(identify_particle)                                                              \
    SS_VERIFY_CASE(identify_particles)                                                             \
    SS_VERIFY_CASE(identify_block)                                                                 \
    SS_VERIFY_CASE(gear_grasp)                                                                     \
    SS_VERIFY_CASE(gear_grasp_map)                                                                 \
    SS_VERIFY_CASE(part_feeder)                                                                    \
    SS_VERIFY_CASE(needle_push)                                                                    \
    SS_VERIFY_CASE(peg_in_hole)                                                                    \
    SS_VERIFY_CASE(corner_hole)                                                                    \
    SS_VERIFY_CASE(corner_gripper)                                                                 \
    SS_VERIFY_CASE(gyroscope)                                                                      \
    SS_VERIFY_CASE(double_pendulum)                                                                \
    SS_VERIFY_CASE(stiff)                                                                          \
    SS_VERIFY_CASE(disc_roll)                                                                      \
    SS_VERIFY_CASE(compliant_disc)                                                                 \
    SS_VERIFY_CASE(compliant_block)                                                                \
    SS_VERIFY_CASE(rod_layer)                                                                      \
    SS_VERIFY_CASE(midpoint_limit)                                                                 \
    SS_VERIFY_CASE(plate_asymptotic)                                                               \
    SS_VERIFY_CASE(plate_fields)                                                                   \
    SS_VERIFY_CASE(plate_cones)                                                                    \
    SS_VERIFY_CASE(plate_circle)                                                                   \
    SS_VERIFY_CASE(plate_circle_search)                                                            \
    SS_VERIFY_CASE(plate_program)                                                                  \
    SS_VERIFY_CASE(plate_program_search)                                                           \
    SS_VERIFY_CASE(plate_saddle)                                                                   \
    SS_VERIFY_CASE(plate_saddle_search)                                                            \
    SS_VERIFY_CASE(plate_align)
/* clang-format on */

#endif
