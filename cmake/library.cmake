# SPDX-License-Identifier: Apache-2.0
set(objects)
foreach(folder IN LISTS SS_FOLDERS)
  list(APPEND objects $<TARGET_OBJECTS:ss_${folder}>)
endforeach()

# The static library is what the command and the tests use; the shared one is what is installed.
add_library(stickslip_static STATIC ${objects})
target_include_directories(stickslip_static PUBLIC ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(stickslip_static PUBLIC ss_optional PkgConfig::YAML m)
if(SS_SANITIZE)
  target_link_options(stickslip_static PUBLIC -fsanitize=${SS_SANITIZE})
endif()

# Its target is not called `stickslip`: that is the file of the command, which a build tool would make instead.
add_library(stickslip_shared SHARED ${objects})
add_library(stickslip::stickslip ALIAS stickslip_shared)
set_target_properties(stickslip_shared PROPERTIES OUTPUT_NAME stickslip EXPORT_NAME stickslip VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(stickslip_shared PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(stickslip_shared PRIVATE $<BUILD_INTERFACE:ss_optional>
                      $<BUILD_INTERFACE:PkgConfig::YAML> m)

include(CMakePackageConfigHelpers)
# Relative to itself, so that `make install PREFIX=...` and packages may put it anywhere.
file(RELATIVE_PATH SS_PC_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/stickslip.pc.in ${CMAKE_BINARY_DIR}/stickslip.pc @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/stickslipConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(TARGETS stickslip_shared EXPORT stickslipConfig)
install(EXPORT stickslipConfig NAMESPACE stickslip:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/stickslip DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/stickslipConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)
install(FILES ${CMAKE_BINARY_DIR}/stickslip.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
