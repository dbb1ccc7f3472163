# SPDX-License-Identifier: Apache-2.0
# A page of docs/reference must be what `stickslip list ${OPTION}` prints.
execute_process(COMMAND ${COMMAND} list ${OPTION} OUTPUT_VARIABLE made RESULT_VARIABLE code)
file(READ ${PAGE} kept)
if(NOT code EQUAL 0 OR NOT made STREQUAL kept)
  message(FATAL_ERROR "${PAGE} is out of date; run\n"
                      "  ${COMMAND} list ${OPTION} > ${PAGE}")
endif()
