# SPDX-License-Identifier: Apache-2.0
# The folders of src/, in dependency order: a file includes only from its own and earlier folders
# (tools/check_includes.sh enforces it).
set(SS_FOLDERS core expr linalg problem solver geom collide model joint force compile
               dynamics rows formulate corner inertia impact balance recover midpoint implicit compliant rounds analysis certify sim
               instant hybrid
               files plugin problemfile scenefile runfile report nlp study identify import)

set(SS_WARNINGS -Wall -Wextra -Wpedantic -Wvla -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
if(SS_WERROR)
  list(APPEND SS_WARNINGS -Werror)
endif()

add_library(ss_flags INTERFACE)
# Same input, same bits: no contraction of a*b+c, on any compiler or level.
# Nobody looks at errno or at floating-point traps, so square roots and choices need no branches.
target_compile_options(ss_flags INTERFACE ${SS_WARNINGS} -ffp-contract=off -fno-math-errno
                                          -fno-trapping-math)
# Loops over a contact's three rows are faster plain than behind the checks of a vectorised loop.
# (clang-tidy, which reads the commands of other compilers too, does not know the flag: `make lint`.)
include(CheckCCompilerFlag)
check_c_compiler_flag(-fvect-cost-model=very-cheap SS_HAS_VECT_COST_MODEL)
if(SS_HAS_VECT_COST_MODEL)
  target_compile_options(ss_flags INTERFACE -fvect-cost-model=very-cheap)
endif()
target_compile_definitions(ss_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(ss_flags INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(ss_flags INTERFACE ss_optional)
# What stages leave to each other is checked (src/sim/borders.h) where speed does not matter.
if(SS_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(ss_flags INTERFACE SS_CHECKED)
endif()
if(SS_SANITIZE)
  target_compile_options(ss_flags INTERFACE -fsanitize=${SS_SANITIZE} -fno-sanitize-recover=all
                                            -fno-omit-frame-pointer)
  target_link_options(ss_flags INTERFACE -fsanitize=${SS_SANITIZE})
endif()

# ss_folder(a.c b.c ...): the object library of the current folder.
function(ss_folder)
  get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  add_library(ss_${name} OBJECT ${ARGN})
  target_link_libraries(ss_${name} PRIVATE ss_flags)
endfunction()
