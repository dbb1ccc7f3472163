# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.c -DPAGE=page.html -P embed_page.cmake: a page as an array of bytes; HEADER, TYPE and
# NAME say which variable holds it, the page of reports unless they are given.
#
# SS-SCRIPT-HASH and SS-STYLE-HASH in the Content-Security-Policy of the page become the hashes of its one
# script and its one style sheet, so that a browser runs nothing else that may get into it. Pages that it
# opens from its own data inherit its policy: -DOPENS=other.html adds what that page allows itself.
if(NOT DEFINED NAME)
  set(HEADER report/viewer_page.h)
  set(TYPE ss_viewer_page)
  set(NAME ss_viewer_page_built)
endif()

# Three hexadecimal digits are two signs of base64; of 256 bits the last digit is a sign and a half.
function(base64_of_sha256 hex out)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 3)
    string(SUBSTRING ${hex} ${at} 3 part)
    math(EXPR high "0x${part} >> 6")
    math(EXPR low "0x${part} & 63")
    string(SUBSTRING ${digits} ${high} 1 first)
    string(SUBSTRING ${digits} ${low} 1 second)
    string(APPEND text ${first}${second})
  endforeach()
  string(SUBSTRING ${hex} 63 1 part)
  math(EXPR last "0x${part} << 2")
  string(SUBSTRING ${digits} ${last} 1 first)
  set(${out} "${text}${first}=" PARENT_SCOPE)
endfunction()

# What stands between the first `open` and the next `close` behind it, as 'sha256-..'.
function(hash_between open close out)
  string(FIND "${page}" "${open}" from)
  string(LENGTH "${open}" length)
  math(EXPR from "${from} + ${length}")
  string(SUBSTRING "${page}" ${from} -1 rest)
  string(FIND "${rest}" "${close}" length)
  string(SUBSTRING "${rest}" 0 ${length} body)
  string(SHA256 hex "${body}")
  base64_of_sha256(${hex} text)
  set(${out} "'sha256-${text}'" PARENT_SCOPE)
endfunction()

# The hashes that a page's policy names behind `directive`.
function(allowed_in file directive out)
  file(READ ${file} other LIMIT 4096)
  string(REGEX MATCH "${directive}( 'sha256-[^']*')+" found "${other}")
  string(REPLACE "${directive}" "" found "${found}")
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

file(READ ${PAGE} hex HEX)
string(HEX "SS-SCRIPT-HASH" mark)
if(hex MATCHES "${mark}")
  file(READ ${PAGE} page)
  hash_between("<script>" "</script>" script)
  hash_between("<style>" "</style>" style)
  if(OPENS)
    allowed_in(${OPENS} script-src scripts)
    allowed_in(${OPENS} style-src styles)
  endif()
  string(REPLACE "SS-SCRIPT-HASH" "${script}${scripts}" page "${page}")
  string(REPLACE "SS-STYLE-HASH" "${style}${styles}" page "${page}")
  string(HEX "${page}" hex)
endif()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Made by cmake/embed_page.cmake. */\n#include \"${HEADER}\"\n\n"
     "static const unsigned char text[] = {\n${bytes}0};\n\n"
     "const ${TYPE} ${NAME} = {(const char *)text, sizeof text - 1};\n")
