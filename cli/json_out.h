/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON: values, escaped and at full precision. What is not finite becomes null. */
#ifndef SS_CLI_JSON_OUT_H
#define SS_CLI_JSON_OUT_H

#include <stdio.h>

void ss_json_string(FILE *out, const char *text);
void ss_json_number(FILE *out, double x);

#endif
