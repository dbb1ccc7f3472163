#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The headers' plain comments as Doxygen wants them: above a declaration, or behind a member.
sed -e 's|^\(.*[;,{].*\)/\* \(.*\)|\1/**< \2|' -e 's|^\( *\)/\*\([^*<]\)|\1/**\2|' -e 's|^\( *\)/\*$|\1/**|' "$1"
