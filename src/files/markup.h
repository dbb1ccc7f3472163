/* SPDX-License-Identifier: Apache-2.0 */
/* Texts from files within XML and HTML. */
#ifndef SS_FILES_MARKUP_H
#define SS_FILES_MARKUP_H

#include "files/buffer.h"

/*
 * A text: marks are escaped, and what no XML may hold (control characters but tabs and ends of
 * lines, bytes that are no UTF-8) is shown as U+FFFD. NULL: nothing. ss_output_markup() writes the
 * same to a file.
 */
void ss_buffer_markup(ss_buffer *b, const char *text);

#endif
