# SPDX-License-Identifier: Apache-2.0
# The page of reports, carried by the library: viewer/page.html, which is kept in the repository, so
# that a build needs neither Node.js nor npm. `make page` bundles it anew from viewer/src; a test
# compares the two.
option(SS_WITH_VIEWER "the page of reports" ON)
set(SS_VIEWER_PAGE "" CACHE FILEPATH "a page to carry instead of viewer/page.html")
set(SS_HAVE_VIEWER FALSE)
set(SS_PAGE_HTML ${CMAKE_SOURCE_DIR}/viewer/page.html)
if(SS_VIEWER_PAGE)
  set(SS_PAGE_HTML ${SS_VIEWER_PAGE})
endif()
if(SS_WITH_VIEWER AND SS_HAVE_ZLIB)
  set(SS_HAVE_VIEWER TRUE)
elseif(SS_WITH_VIEWER)
  message(STATUS "no report page: zlib was not found")
endif()

# Those who change the page, and the tests that open it in a browser, use Node.js.
find_program(SS_NODE NAMES node nodejs)
find_program(SS_NPM npm)

# viewer/node_modules as the lock file wants it; nothing is fetched when it is there already.
function(ss_viewer_install result)
  set(lock ${CMAKE_SOURCE_DIR}/viewer/package-lock.json)
  set(installed ${CMAKE_SOURCE_DIR}/viewer/node_modules/.package-lock.json)
  set(${result} TRUE PARENT_SCOPE)
  if(EXISTS ${installed} AND NOT ${lock} IS_NEWER_THAN ${installed})
    return()
  endif()
  set(failed TRUE)
  if(SS_NODE AND SS_NPM)
    message(STATUS "installing the page's libraries into viewer/node_modules")
    execute_process(COMMAND ${SS_NPM} ci --prefer-offline --no-audit --no-fund --ignore-scripts
                    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/viewer
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(failed)
    set(${result} FALSE PARENT_SCOPE)
  else()
    file(TOUCH ${installed})
  endif()
endfunction()

set(SS_HAVE_NODE_MODULES FALSE)
if(SS_BUILD_TESTS AND SS_HAVE_VIEWER)
  ss_viewer_install(SS_HAVE_NODE_MODULES)
  if(NOT SS_HAVE_NODE_MODULES)
    message(STATUS "SKIPPED: tests of the report page need Node.js, npm and viewer/package-lock.json")
  endif()
endif()
