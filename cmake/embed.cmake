# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.c -DNAME=ss_embedded_scenes "-DFILES=a.yaml;b.yaml" -P embed.cmake: files as arrays of bytes, with their
# names, so that the installed command needs nothing beside it.
set(text "/* Made by cmake/embed.cmake. */\n#include \"embedded.h\"\n\n")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char file_${index}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)file_${index}, sizeof file_${index} - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND text "\nconst ss_embedded ${NAME}[] = {\n${table}    {0, 0, 0},\n};\n")
file(WRITE ${OUT} "${text}")
