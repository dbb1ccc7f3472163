# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.c -DPAGE=page.html -P embed_page.cmake: a page as an array of bytes; HEADER, TYPE and
# NAME say which variable holds it, the page of reports unless they are given.
if(NOT DEFINED NAME)
  set(HEADER report/viewer_page.h)
  set(TYPE ss_viewer_page)
  set(NAME ss_viewer_page_built)
endif()
file(READ ${PAGE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Made by cmake/embed_page.cmake. */\n#include \"${HEADER}\"\n\n"
     "static const unsigned char text[] = {\n${bytes}0};\n\n"
     "const ${TYPE} ${NAME} = {(const char *)text, sizeof text - 1};\n")
