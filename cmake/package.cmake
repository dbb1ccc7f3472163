# SPDX-License-Identifier: Apache-2.0
# What is installed beside the library and the command, and the Debian package (`make deb`). Manual
# pages and completion scripts come from the command's own option tables.
file(STRINGS cli/command_list.h lines REGEX "SS_COMMAND\\([a-z]+\\)")
set(SS_MAN ${CMAKE_BINARY_DIR}/man)
set(pages)
function(ss_made output) # a file that the command prints
  add_custom_command(OUTPUT ${output} COMMAND stickslip_command ${ARGN} > ${output}
                     DEPENDS stickslip_command VERBATIM)
endfunction()
file(MAKE_DIRECTORY ${SS_MAN})
ss_made(${SS_MAN}/stickslip.1 --help=man)
list(APPEND pages ${SS_MAN}/stickslip.1)
foreach(line IN LISTS lines)
  string(REGEX MATCH "SS_COMMAND\\(([a-z]+)\\)" found "${line}")
  ss_made(${SS_MAN}/stickslip-${CMAKE_MATCH_1}.1 ${CMAKE_MATCH_1} --help=man)
  list(APPEND pages ${SS_MAN}/stickslip-${CMAKE_MATCH_1}.1)
endforeach()
foreach(shell IN ITEMS bash zsh fish)
  ss_made(${SS_MAN}/completion.${shell} list --completion ${shell})
endforeach()
set(completion ${SS_MAN}/completion.bash ${SS_MAN}/completion.zsh ${SS_MAN}/completion.fish)
ss_made(${SS_MAN}/stickslip.schema.json list --schema)
add_custom_target(stickslip_manual ALL DEPENDS ${pages} ${completion} ${SS_MAN}/stickslip.schema.json)

install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${SS_MAN}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME stickslip)
install(FILES ${SS_MAN}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
        RENAME _stickslip)
install(FILES ${SS_MAN}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        RENAME stickslip.fish)
install(FILES ${SS_MAN}/stickslip.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_NAME stickslip)
set(CPACK_PACKAGE_CONTACT "The stickslip developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
