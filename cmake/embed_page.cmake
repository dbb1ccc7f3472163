# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.c -DPAGE=page.html -P embed_page.cmake: the page of reports as an array of bytes.
file(READ ${PAGE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Made by cmake/embed_page.cmake. */\n#include \"report/viewer_page.h\"\n\n"
     "static const unsigned char text[] = {\n${bytes}0};\n\n"
     "const ss_viewer_page ss_viewer_page_built = {(const char *)text, sizeof text - 1};\n")
