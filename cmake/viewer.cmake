# SPDX-License-Identifier: Apache-2.0
# The page of reports (viewer/): bundled by Node.js at build time and carried by the library.
# Without Node.js everything else is built, and `stickslip report` says what is missing; a page that
# was built elsewhere (build/viewer/page.html of any machine) can be given instead.
set(SS_WITH_VIEWER AUTO CACHE STRING "page of reports, built with Node.js and npm (AUTO, ON, OFF)")
set(SS_VIEWER_PAGE "" CACHE FILEPATH "a report page built elsewhere, used instead of building one")
set(SS_HAVE_VIEWER FALSE)
set(SS_PAGE_HTML ${CMAKE_BINARY_DIR}/viewer/page.html)

function(ss_viewer_missing why)
  if(SS_WITH_VIEWER STREQUAL "ON")
    message(FATAL_ERROR "SS_WITH_VIEWER=ON but ${why}")
  endif()
  message(STATUS "no report page: ${why}")
endfunction()

# viewer/node_modules as the lock file wants it; nothing is fetched when it is there already.
function(ss_viewer_install result)
  set(lock ${CMAKE_SOURCE_DIR}/viewer/package-lock.json)
  set(installed ${CMAKE_SOURCE_DIR}/viewer/node_modules/.package-lock.json)
  set(${result} TRUE PARENT_SCOPE)
  if(EXISTS ${installed} AND NOT ${lock} IS_NEWER_THAN ${installed})
    return()
  endif()
  message(STATUS "installing the page's libraries into viewer/node_modules")
  execute_process(COMMAND ${SS_NPM} ci --prefer-offline --no-audit --no-fund --ignore-scripts
                  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/viewer
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${result} FALSE PARENT_SCOPE)
  else()
    file(TOUCH ${installed})
  endif()
endfunction()

if(SS_VIEWER_PAGE)
  set(SS_HAVE_VIEWER TRUE)
  set(SS_PAGE_HTML ${SS_VIEWER_PAGE})
elseif(NOT SS_WITH_VIEWER STREQUAL "OFF")
  find_program(SS_NODE NAMES node nodejs)
  find_program(SS_NPM npm)
  if(NOT SS_HAVE_ZLIB)
    ss_viewer_missing("zlib was not found")
  elseif(SS_NODE AND SS_NPM)
    ss_viewer_install(SS_HAVE_VIEWER)
    if(NOT SS_HAVE_VIEWER)
      ss_viewer_missing("npm could not install viewer/package-lock.json")
    endif()
  else()
    ss_viewer_missing("Node.js and npm were not found")
  endif()
endif()
