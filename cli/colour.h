/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours on a terminal, for words that say how it went. Nothing is coloured where the stream is no
 * terminal, where NO_COLOR is set to anything (no-color.org) or where TERM is dumb; words are never
 * told apart by colour alone.
 */
#ifndef SS_CLI_COLOUR_H
#define SS_CLI_COLOUR_H

#include <stdio.h>

typedef enum ss_colour { SS_GOOD, SS_DOUBTFUL, SS_BAD } ss_colour;

/* Print a word as printf's %s would. */
void ss_cli_coloured(FILE *to, ss_colour colour, const char *word);

#endif
