# SPDX-License-Identifier: Apache-2.0
# docs/reference/scene.md must be what the tables of the scene reader say.
execute_process(COMMAND ${COMMAND} list --scene-reference OUTPUT_VARIABLE made RESULT_VARIABLE code)
file(READ ${PAGE} kept)
if(NOT code EQUAL 0 OR NOT made STREQUAL kept)
  message(FATAL_ERROR "${PAGE} is out of date; run\n"
                      "  ${COMMAND} list --scene-reference > ${PAGE}")
endif()
