/* SPDX-License-Identifier: Apache-2.0 */
#include "json_out.h"

#include <math.h>

void ss_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(out, "\\u%04x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

void ss_json_number(FILE *out, double x)
{
    if (isfinite(x)) {
        fprintf(out, "%.17g", x);
    } else {
        fputs("null", out);
    }
}
