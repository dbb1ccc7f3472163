/* SPDX-License-Identifier: Apache-2.0 */
/* The known name nearest to a misspelt one, for messages. */
#include <string.h>

#include "stickslip/base.h"

enum { WORD_MAX = 48 };

static int smallest(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment: insert, delete, replace, swap neighbours, each at cost 1. */
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    int  rows[3][WORD_MAX + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++) {
        above[j] = (int)j;
    }
    for (size_t i = 1; i <= na; i++) {
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int replace = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j]      = smallest(above[j] + 1, row[j - 1] + 1, replace);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
        int *old = before;
        before   = above;
        above    = row;
        row      = old;
    }
    return above[nb];
}

const char *ss_nearest_name(const char *word, const char *const *names, int32_t count)
{
    size_t      length = strlen(word);
    const char *best   = NULL;
    int         least  = length <= 3 ? 1 : (int)(length + 2) / 3; /* further away is no help */
    if (length > WORD_MAX) {
        return NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        size_t n        = strlen(names[i]);
        int    distance = n <= WORD_MAX ? edit_distance(word, length, names[i], n) : WORD_MAX;
        if (distance < least || (best == NULL && distance == least)) {
            least = distance;
            best  = names[i];
        }
    }
    return best;
}
