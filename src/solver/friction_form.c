/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/friction_form.h"

bool ss_next_entry(const ss_matrix *M, int32_t j, ss_cursor *c)
{
    if (M->dense != NULL) {
        const double *column = M->dense + (size_t)j * (size_t)M->ld;
        while (c->k < M->rows && column[c->k] == 0) {
            c->k++;
        }
        if (c->k == M->rows) {
            return false;
        }
        c->row   = c->k;
        c->value = column[c->k++];
        return true;
    }
    while (M->colptr[j] + c->k < M->colptr[j + 1]) {
        int32_t at = M->colptr[j] + c->k++;
        c->row     = M->rowind[at];
        c->value   = M->values[at];
        if (c->value != 0) {
            return true;
        }
    }
    return false;
}

/* Entry (i, j). */
static double entry(const ss_matrix *M, int32_t i, int32_t j)
{
    if (M->dense != NULL) {
        return M->dense[(size_t)j * (size_t)M->ld + (size_t)i];
    }
    ss_cursor c = {0};
    while (ss_next_entry(M, j, &c)) {
        if (c.row >= i) {
            return c.row == i ? c.value : 0;
        }
    }
    return 0;
}

/*
 * Columns >= 0 with a zero diagonal may be slip speeds, if they bound something of what they slow
 * down. A contact that can move nothing (both bodies are fixed to each other) has no entry in the
 * column of its normal impulse but the bound of its friction, and none in its row.
 */
static bool looks_like_slip(const ss_matrix *M, int32_t j, const unsigned char *roles)
{
    ss_cursor c      = {0};
    bool      bounds = false;
    if (roles[j] == SS_ROLE_FREE) {
        return false;
    }
    while (ss_next_entry(M, j, &c)) {
        if (c.row == j || c.value < 0 || roles[c.row] == SS_ROLE_FREE) {
            return false;
        }
        bounds = bounds || entry(M, j, c.row) != 0;
    }
    return bounds;
}

/* Gives whether any unknown looks like a slip speed. */
static bool find_roles(const ss_matrix *M, const unsigned char *free, unsigned char *roles)
{
    for (int32_t i = 0; i < M->cols; i++) {
        roles[i] = free != NULL && free[i] ? SS_ROLE_FREE : SS_ROLE_NORMAL;
    }
    bool slips = false;
    for (int32_t j = 0; j < M->cols; j++) {
        bool slip = looks_like_slip(M, j, roles);
        roles[j]  = slip ? SS_ROLE_SLIP : roles[j];
        slips     = slips || slip;
    }
    for (int32_t j = 0; slips && j < M->cols; j++) {
        ss_cursor c = {0};
        while (roles[j] == SS_ROLE_SLIP && ss_next_entry(M, j, &c)) {
            roles[c.row] = roles[c.row] == SS_ROLE_SLIP ? SS_ROLE_SLIP : SS_ROLE_FRICTION;
        }
    }
    return slips;
}

/* Rows of slip speeds bound friction impulses (-F, where E has entries) by normal ones (U >= 0). */
static bool has_form(const ss_matrix *M, const unsigned char *roles)
{
    for (int32_t j = 0; j < M->cols; j++) {
        ss_cursor c        = {0};
        int32_t   bounding = 0;
        while (ss_next_entry(M, j, &c)) {
            if (roles[c.row] != SS_ROLE_SLIP) {
                continue;
            }
            bool limit = roles[j] == SS_ROLE_FRICTION && c.value < 0 && entry(M, j, c.row) != 0;
            bounding += limit;
            if (!limit && !(roles[j] == SS_ROLE_NORMAL && c.value > 0)) {
                return false;
            }
        }
        if (roles[j] == SS_ROLE_FRICTION && bounding == 0) {
            return false;
        }
    }
    return true;
}

bool ss_friction_form(const ss_matrix *M, const unsigned char *free, unsigned char *roles)
{
    return find_roles(M, free, roles) && has_form(M, roles);
}
