/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbolic part of fronts: which nodes are eliminated together, and who hands on to whom.
 *
 *   order      AMD (Amestoy, Davis, Duff 2004) on the graph of nodes that share an element, its
 *              elimination tree in postorder; in builds without AMD the order of the nodes
 *   structure  s(j) = nodes after j that j is coupled to when its turn comes
 *                   = (neighbours of j and the s of j's children) without what is not after j
 *   fronts     j and j + 1 share a front when j + 1 is j's parent and their structures fit, exactly
 *              or with few zeros
 */
#include <string.h>

#include "linalg/fronts.h"

#if defined(SS_HAVE_AMD)
#include <amd.h>
#endif

/* Zeros that a front may take on for being larger: a share of its entries, counted in nodes. */
static const double ZEROS = 0.05;

typedef struct plan {
    const ss_fronts_shape *shape;
    int32_t               *start, *next; /* graph of nodes                                */
    int32_t               *order;        /* order[k]: node that is the k-th to go         */
    int32_t               *turn;         /* its inverse                                   */
    int32_t               *parent;       /* elimination tree, by turns; -1: a root        */
    int32_t               *size;         /* nodes in each structure                       */
    int32_t              **structure;    /* turns, ascending                              */
    int32_t               *mark, *list;
    int32_t               *front_of; /* front of each turn                            */
} plan;

static bool make_room(plan *w, ss_arena *a)
{
    size_t n     = (size_t)w->shape->nodes;
    w->start     = ss_arena_alloc(a, n + 2, sizeof *w->start);
    w->order     = ss_arena_alloc(a, n, sizeof *w->order);
    w->turn      = ss_arena_alloc(a, n, sizeof *w->turn);
    w->parent    = ss_arena_alloc(a, n, sizeof *w->parent);
    w->size      = ss_arena_alloc(a, n, sizeof *w->size);
    w->structure = ss_arena_alloc(a, n, sizeof *w->structure);
    w->mark      = ss_arena_alloc(a, n, sizeof *w->mark);
    w->list      = ss_arena_alloc(a, n, sizeof *w->list);
    w->front_of  = ss_arena_alloc(a, n, sizeof *w->front_of);
    return w->start && w->order && w->turn && w->parent && w->size && w->structure && w->mark &&
           w->list && w->front_of;
}

/* The graph: neighbours through elements, each once, without the node itself. */
static bool make_graph(plan *w, ss_arena *a)
{
    const ss_fronts_shape *s = w->shape;
    memset(w->start, 0, ((size_t)s->nodes + 2) * sizeof *w->start);
    for (int32_t e = 0; e < s->elements; e++) {
        int32_t count = s->first[e + 1] - s->first[e];
        for (int32_t i = s->first[e]; i < s->first[e + 1]; i++) {
            w->start[s->member[i] + 2] += count - 1;
        }
    }
    for (int32_t k = 0; k < s->nodes; k++) {
        w->start[k + 2] += w->start[k + 1];
    }
    w->next = ss_arena_alloc(a, (size_t)w->start[s->nodes + 1], sizeof *w->next);
    if (w->next == NULL) {
        return false;
    }
    for (int32_t e = 0; e < s->elements; e++) {
        for (int32_t i = s->first[e]; i < s->first[e + 1]; i++) {
            for (int32_t j = s->first[e]; j < s->first[e + 1]; j++) {
                if (i != j) { /* start[k + 1] moves on to its final value */
                    w->next[w->start[s->member[i] + 1]++] = s->member[j];
                }
            }
        }
    }
    return true;
}

#if defined(SS_HAVE_AMD)
bool ss_fronts_available(void)
{
    return true;
}

/* AMD takes neighbours that are listed twice, and sorts. */
static bool find_order(plan *w)
{
    int status = amd_order(w->shape->nodes, w->start, w->next, w->order, NULL, NULL);
    return status == AMD_OK || status == AMD_OK_BUT_JUMBLED;
}
#else
bool ss_fronts_available(void)
{
    return false;
}

static bool find_order(plan *w)
{
    for (int32_t k = 0; k < w->shape->nodes; k++) {
        w->order[k] = k;
    }
    return true;
}
#endif

static void number_turns(plan *w)
{
    for (int32_t k = 0; k < w->shape->nodes; k++) {
        w->turn[w->order[k]] = k;
    }
}

/* Elimination tree (Liu 1990): the first turn after j that j's structure holds. `list`: shortcuts.
 */
static void make_tree(plan *w)
{
    for (int32_t k = 0; k < w->shape->nodes; k++) {
        w->parent[k] = w->list[k] = -1;
        for (int32_t e = w->start[w->order[k]]; e < w->start[w->order[k] + 1]; e++) {
            int32_t j = w->turn[w->next[e]];
            while (j >= 0 && j < k) {
                int32_t up = w->list[j];
                w->list[j] = k;
                if (up < 0) {
                    w->parent[j] = k;
                }
                j = up;
            }
        }
    }
}

/* Postorder: every subtree's turns follow one another, a parent comes right after its last child.
 */
static void postorder(plan *w)
{
    int32_t n = w->shape->nodes, next = 0, *child = w->size, *sibling = w->mark, *stack = w->list,
            *fresh = w->front_of;
    for (int32_t k = 0; k < n; k++) {
        child[k] = -1;
    }
    for (int32_t k = n; k-- > 0;) { /* backwards, so that children come out in order */
        if (w->parent[k] >= 0) {
            sibling[k]          = child[w->parent[k]];
            child[w->parent[k]] = k;
        }
    }
    for (int32_t root = 0; root < n; root++) {
        int32_t depth = 0;
        if (w->parent[root] >= 0) {
            continue;
        }
        stack[depth++] = root;
        while (depth > 0) {
            int32_t k = stack[depth - 1];
            if (child[k] >= 0) {
                stack[depth++] = child[k];
                child[k]       = sibling[child[k]];
            } else {
                fresh[next++] = w->order[k];
                depth--;
            }
        }
    }
    memcpy(w->order, fresh, (size_t)n * sizeof *w->order);
    number_turns(w);
}

static void sort(int32_t *x, int32_t count)
{
    for (int32_t gap = count / 2; gap > 0; gap /= 2) {
        for (int32_t i = gap; i < count; i++) {
            int32_t y = x[i], j = i;
            for (; j >= gap && x[j - gap] > y; j -= gap) {
                x[j] = x[j - gap];
            }
            x[j] = y;
        }
    }
}

/* One more node of structure k, if it is new and comes later. */
static int32_t add_turn(plan *w, int32_t k, int32_t j, int32_t count)
{
    if (j > k && w->mark[j] != k) {
        w->mark[j]       = k;
        w->list[count++] = j;
    }
    return count;
}

/* Structures from the leaves up; a child is merged into its parent's as soon as that is its turn.
 */
static bool make_structures(plan *w, ss_arena *a)
{
    int32_t  n = w->shape->nodes, *child = w->front_of;
    int32_t *sibling = ss_arena_alloc(a, (size_t)n, sizeof *sibling);
    if (sibling == NULL) {
        return false;
    }
    memset(child, -1, (size_t)n * sizeof *child);
    memset(w->mark, -1, (size_t)n * sizeof *w->mark);
    for (int32_t k = 0; k < n; k++) {
        int32_t count = 0;
        for (int32_t e = w->start[w->order[k]]; e < w->start[w->order[k] + 1]; e++) {
            count = add_turn(w, k, w->turn[w->next[e]], count);
        }
        for (int32_t c = child[k]; c >= 0; c = sibling[c]) {
            for (int32_t i = 0; i < w->size[c]; i++) {
                count = add_turn(w, k, w->structure[c][i], count);
            }
        }
        sort(w->list, count);
        w->size[k]      = count;
        w->structure[k] = ss_arena_alloc(a, (size_t)count, sizeof **w->structure);
        if (w->structure[k] == NULL) {
            return false;
        }
        memcpy(w->structure[k], w->list, (size_t)count * sizeof *w->list);
        w->parent[k] = count > 0 ? w->list[0] : -1;
        if (count > 0) {
            sibling[k]        = child[w->list[0]];
            child[w->list[0]] = k;
        }
    }
    return true;
}

/* Whether turn k may join a front that has `own` turns, the last of them k - 1. */
static bool joins(const plan *w, int32_t k, int32_t own)
{
    if (w->parent[k - 1] != k) {
        return false;
    }
    double rows = own + 1.0 + w->size[k], zeros = own * (double)(w->size[k] + 1 - w->size[k - 1]);
    return zeros <= ZEROS * rows * (own + 1);
}

static int32_t coordinates(const plan *w, int32_t turn)
{
    int32_t node = w->order[turn];
    return w->shape->start[node + 1] - w->shape->start[node];
}

/* Front k takes the turns first .. end - 1. */
static void describe_front(plan *w, ss_fronts *f, int32_t first, int32_t end)
{
    ss_front *front = &f->front[f->count];
    *front          = (ss_front){.parent = w->parent[end - 1]};
    for (int32_t k = first; k < end; k++) {
        w->front_of[k] = f->count;
        front->own += coordinates(w, k);
    }
    front->rows = front->own;
    for (int32_t i = 0; i < w->size[end - 1]; i++) {
        front->rows += coordinates(w, w->structure[end - 1][i]);
    }
    w->mark[f->count++] = first; /* its first turn */
}

static bool make_fronts(plan *w, ss_fronts *f, ss_arena *a)
{
    int32_t n = w->shape->nodes, first = 0, total = 0, most = 0;
    f->front = ss_arena_alloc(a, (size_t)n, sizeof *f->front);
    if (f->front == NULL) {
        return false;
    }
    for (int32_t k = 1; k <= n; k++) {
        if (k == n || !joins(w, k, k - first)) {
            describe_front(w, f, first, k);
            first = k;
        }
    }
    for (int32_t k = 0; k < f->count; k++) {
        ss_front *front = &f->front[k];
        front->first    = total;
        front->at       = f->entries;
        front->parent   = front->parent >= 0 ? w->front_of[front->parent] : -1;
        total += front->rows;
        f->entries += (size_t)front->rows * (size_t)front->rows;
        most = front->rows > most ? front->rows : most;
    }
    f->row   = ss_arena_alloc(a, (size_t)total, sizeof *f->row);
    f->place = ss_arena_alloc(a, (size_t)total, sizeof *f->place);
    f->swap  = ss_arena_alloc(a, (size_t)total, sizeof *f->swap);
    f->x     = ss_arena_alloc(a, (size_t)most, sizeof *f->x);
    f->value = ss_arena_alloc(a, f->entries, sizeof *f->value);
    return f->row && f->place && f->swap && f->x && f->value;
}

/* The rows of front k: its own turns', then its structure's. */
static void list_rows(const plan *w, ss_fronts *f, int32_t k)
{
    int32_t first = w->mark[k], end = k + 1 < f->count ? w->mark[k + 1] : w->shape->nodes;
    int32_t to = f->front[k].first, last = end - 1;
    for (int32_t i = first; i < end + w->size[last]; i++) {
        int32_t node = w->order[i < end ? i : w->structure[last][i - end]];
        for (int32_t c = w->shape->start[node]; c < w->shape->start[node + 1]; c++) {
            f->row[to++] = c;
        }
    }
}

/* where[c]: the row of front k that belongs to coordinate c. */
static void place_rows(const ss_fronts *f, int32_t k, int32_t *where)
{
    const ss_front *front = &f->front[k];
    for (int32_t i = 0; i < front->rows; i++) {
        where[f->row[front->first + i]] = i;
    }
}

/* Where children hand on to, and where elements are added. `children`, `elements`: lists by front,
   threaded through `next`. */
static void place_children(ss_fronts *f, int32_t k, const int32_t *head, const int32_t *next,
                           const int32_t *where)
{
    for (int32_t c = head[k]; c >= 0; c = next[c]) {
        const ss_front *child = &f->front[c];
        for (int32_t i = child->own; i < child->rows; i++) {
            f->place[child->first + i] = where[f->row[child->first + i]];
        }
    }
}

static void place_elements(const plan *w, ss_fronts *f, int32_t k, const int32_t *head,
                           const int32_t *next, const int32_t *where)
{
    const ss_fronts_shape *s = w->shape;
    for (int32_t e = head[k]; e >= 0; e = next[e]) {
        for (int32_t i = s->first[e]; i < s->first[e + 1]; i++) {
            f->element_place[i] = where[s->start[s->member[i]]];
        }
    }
}

/* The front in which the first of an element's nodes is eliminated. */
static int32_t front_of_element(const plan *w, int32_t e)
{
    int32_t first = w->shape->nodes;
    for (int32_t i = w->shape->first[e]; i < w->shape->first[e + 1]; i++) {
        int32_t turn = w->turn[w->shape->member[i]];
        first        = turn < first ? turn : first;
    }
    return w->front_of[first];
}

static bool place_all(plan *w, ss_fronts *f, ss_arena *a)
{
    const ss_fronts_shape *s     = w->shape;
    size_t                 count = (size_t)f->count, elements = (size_t)s->elements;
    int32_t               *where = ss_arena_alloc(a, (size_t)s->start[s->nodes], sizeof *where);
    int32_t               *heads = ss_arena_alloc(a, 2 * count, sizeof *heads);
    int32_t               *next  = ss_arena_alloc(a, count + elements, sizeof *next);
    f->element_front             = ss_arena_alloc(a, elements, sizeof *f->element_front);
    f->element_place = ss_arena_alloc(a, (size_t)s->first[s->elements], sizeof *f->element_place);
    if (!where || !heads || !next || !f->element_front || !f->element_place) {
        return false;
    }
    memset(heads, -1, 2 * count * sizeof *heads);
    for (int32_t k = 0; k < f->count; k++) {
        list_rows(w, f, k);
        if (f->front[k].parent >= 0) {
            next[k]                   = heads[f->front[k].parent];
            heads[f->front[k].parent] = k;
        }
    }
    for (int32_t e = 0; e < s->elements; e++) {
        int32_t k                = front_of_element(w, e);
        f->element_front[e]      = k;
        next[count + (size_t)e]  = heads[count + (size_t)k];
        heads[count + (size_t)k] = e;
    }
    for (int32_t k = 0; k < f->count; k++) {
        place_rows(f, k, where);
        place_children(f, k, heads, next, where);
        place_elements(w, f, k, heads + count, next + count, where);
    }
    return true;
}

ss_fronts_result ss_fronts_plan(ss_fronts *f, const ss_fronts_shape *shape, ss_arena *a)
{
    plan w = {.shape = shape};
    *f     = (ss_fronts){0};
    if (!make_room(&w, a) || !make_graph(&w, a)) {
        return SS_FRONTS_SCRATCH;
    }
    if (!find_order(&w)) {
        return SS_FRONTS_REFUSED;
    }
    number_turns(&w);
    make_tree(&w);
    postorder(&w);
    if (!make_structures(&w, a) || !make_fronts(&w, f, a) || !place_all(&w, f, a)) {
        return SS_FRONTS_SCRATCH;
    }
    return SS_FRONTS_READY;
}
