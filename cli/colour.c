/* SPDX-License-Identifier: Apache-2.0 */
#include "colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_colour(FILE *to)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(to)) && (none == NULL || none[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

void ss_cli_coloured(FILE *to, ss_colour colour, const char *word)
{
    /* green, yellow, bold red: of the 16 that every terminal has */
    static const char *const codes[] = {"32", "33", "1;31"};
    if (wants_colour(to)) {
        fprintf(to, "\033[%sm%s\033[0m", codes[colour], word);
    } else {
        fputs(word, to);
    }
}
