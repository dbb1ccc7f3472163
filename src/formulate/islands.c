/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Islands: bodies that reach each other through blocks. Union-find over the moving bodies; islands
 * and their members are numbered in the order of the blocks, so the result depends on the scene
 * alone.
 */
#include "formulate/formulate.h"

static int32_t root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i         = parent[i];
    }
    return i;
}

static void join(const ss_data *d, int32_t *parent)
{
    for (int32_t i = 0; i < d->model->nb; i++) {
        parent[i] = i;
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int side = 1; side < b->sides; side++) {
            if (b->body[0] >= 0 && b->body[side] >= 0) {
                int32_t x = root(parent, b->body[0]), y = root(parent, b->body[side]);
                parent[x > y ? x : y] = x > y ? y : x;
            }
        }
    }
}

/* Number the islands, count their blocks and rows; label[root] is the island of that root. */
static int32_t number(ss_data *d, int32_t *parent, int32_t *label)
{
    int32_t count = 0;
    for (int32_t i = 0; i < d->model->nb; i++) {
        label[i] = -1;
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_row_block *b = &d->rows.blocks[i];
        int32_t       r = root(parent, ss_block_mover(b));
        if (label[r] < 0) {
            label[r] = count++;
        }
        b->island = label[r];
    }
    return count;
}

/* What later stages do not write before they read. The problems are large, so they are left. */
static void begin_island(ss_island *isl)
{
    isl->block_count = isl->body_count = isl->row_count = 0;
    isl->by_velocity                                    = false;
    isl->eliminated                                     = NULL;
    isl->closed_by_drives = isl->closed_most = 0;
    isl->closed_left = isl->strayed = 0;
    isl->turned_back = isl->turned_most = 0;
    isl->loose                          = false;
    isl->solution = isl->answer = (ss_solution){0};
}

static void count_members(ss_data *d, int32_t *parent, const int32_t *label)
{
    for (int32_t k = 0; k < d->island_count; k++) {
        begin_island(&d->islands[k]);
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_island *isl = &d->islands[d->rows.blocks[i].island];
        isl->block_count++;
        isl->row_count += d->rows.blocks[i].dim;
    }
    for (int32_t i = 0; i < d->model->nb; i++) {
        if (ss_body_moves(&d->model->bodies[i]) && label[root(parent, i)] >= 0) {
            d->islands[label[root(parent, i)]].body_count++;
        }
    }
}

static void fill_members(ss_data *d, int32_t *parent, const int32_t *label, int32_t *blocks,
                         int32_t *bodies)
{
    for (int32_t k = 0; k < d->island_count; k++) {
        ss_island *isl = &d->islands[k];
        isl->blocks    = blocks;
        isl->bodies    = bodies;
        blocks += isl->block_count;
        bodies += isl->body_count;
        isl->block_count = isl->body_count = 0;
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_island *isl                  = &d->islands[d->rows.blocks[i].island];
        isl->blocks[isl->block_count++] = i;
    }
    for (int32_t i = 0; i < d->model->nb; i++) {
        if (ss_body_moves(&d->model->bodies[i]) && label[root(parent, i)] >= 0) {
            ss_island *isl                 = &d->islands[label[root(parent, i)]];
            d->local[i]                    = isl->body_count;
            isl->bodies[isl->body_count++] = i;
        }
    }
}

/* The moving body on which every block acts, and no other; -1: there are several. */
static int32_t lone_body(const ss_data *d)
{
    int32_t lone = ss_block_mover(&d->rows.blocks[0]);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (ss_block_mover(b) != lone || (b->body[0] >= 0 && b->body[1] >= 0)) {
            return -1;
        }
    }
    return lone;
}

/* One body among fixed ones: the island is all there is. */
static ss_status lone_island(ss_data *d, int32_t body)
{
    size_t     nblocks = (size_t)d->rows.nblocks;
    ss_island *isl     = ss_arena_alloc(&d->scratch, 1, sizeof *isl);
    int32_t   *list    = ss_arena_alloc(&d->scratch, nblocks + 1, sizeof *list);
    if (!isl || !list) {
        return SS_ERR_SCRATCH;
    }
    begin_island(isl);
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_row_block *b = &d->rows.blocks[i];
        b->island       = 0;
        list[i]         = i;
    }
    list[nblocks]    = body;
    isl->blocks      = list;
    isl->block_count = d->rows.nblocks;
    isl->row_count   = d->rows.nrows;
    isl->bodies      = list + nblocks;
    isl->body_count  = 1;
    d->local[body]   = 0;
    d->islands       = isl;
    d->island_count  = 1;
    return SS_OK;
}

ss_status ss_find_islands(const ss_model *m, ss_data *d)
{
    d->island_count = 0;
    if (d->rows.nblocks == 0) {
        return SS_OK;
    }
    int32_t lone = lone_body(d);
    if (lone >= 0) {
        return lone_island(d, lone);
    }
    int32_t *parent = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *parent);
    int32_t *label  = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *label);
    int32_t *blocks = ss_arena_alloc(&d->scratch, (size_t)d->rows.nblocks, sizeof *blocks);
    int32_t *bodies = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *bodies);
    if (!parent || !label || !blocks || !bodies) {
        return SS_ERR_SCRATCH;
    }
    join(d, parent);
    d->island_count = number(d, parent, label);
    d->islands      = ss_arena_alloc(&d->scratch, (size_t)d->island_count, sizeof *d->islands);
    if (d->islands == NULL) {
        return SS_ERR_SCRATCH;
    }
    count_members(d, parent, label);
    fill_members(d, parent, label, blocks, bodies);
    return SS_OK;
}
