/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of boxes, a few in each leaf, split at the median of the centres along the longest side
 * and laid out in preorder: the left child of node i is i + 1, the right child comes after the left
 * subtree, and what is not entered is skipped by the size of its subtree, so that a query needs no
 * stack. Between steps the tree is only refitted; it is built anew when queries have become much
 * more expensive than after the last build. The pairs do not depend on the tree: they are every
 * overlapping pair, sorted. Boxes without end (planes) stay outside the tree and meet all others.
 * A query costs about log n, so a step about n log n (bench/bench_piles.c).
 */
#include "collide/broadphase.h"

#include <stdbool.h>
#include <string.h>

/* Up to this many boxes, comparing all with all is faster than any tree. */
enum { FEW = 24 };

/* Boxes of a leaf, at most: fewer, and a query visits more nodes; more, and it looks at more boxes
   that are far away. */
enum { LEAF = 4 };

typedef struct node {
    ss_aabb box;
    int32_t first, count; /* its boxes are order[first ..]; up to LEAF: this is a leaf */
    int32_t highest;      /* index of a box in it                                      */
    int32_t size;         /* nodes of its subtree, itself included                     */
} node;

struct ss_broadphase {
    ss_context *ctx;
    int32_t     box_count;
    node       *nodes;     /* (2 box_count)                                     */
    int32_t    *order;     /* (box_count) bounded boxes in the order of leaves  */
    int32_t    *unbounded; /* (box_count)                                       */
    int32_t     bounded_count, unbounded_count;
    int64_t     visits, visits_fresh; /* nodes seen by the last step, by the step after a build */
    bool        built;
    /* few boxes: the pairs that the filter lets through, when it was asked */
    ss_pair        candidates[FEW * (FEW - 1) / 2];
    int32_t        candidate_count; /* -1: nobody was asked yet */
    ss_pair_filter asked;
    const void    *asked_user;
};

typedef struct sink {
    const ss_aabb *boxes;
    ss_pair_filter filter;
    const void    *user;
    ss_pair       *pairs;
    int32_t        capacity, count;
} sink;

ss_status ss_broadphase_create(ss_context *ctx, int32_t box_count, ss_broadphase **out)
{
    size_t         n  = (size_t)box_count;
    ss_broadphase *bp = ss_alloc(ctx, 1, sizeof *bp);
    *out              = NULL;
    if (bp != NULL) {
        bp->ctx             = ctx;
        bp->box_count       = box_count;
        bp->candidate_count = -1;
        bp->nodes           = ss_alloc(ctx, 2 * n, sizeof *bp->nodes);
        bp->order           = ss_alloc(ctx, n, sizeof *bp->order);
        bp->unbounded       = ss_alloc(ctx, n, sizeof *bp->unbounded);
    }
    if (bp == NULL || bp->nodes == NULL || bp->order == NULL || bp->unbounded == NULL) {
        ss_broadphase_destroy(bp);
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a broad phase of %d boxes", box_count);
    }
    *out = bp;
    return SS_OK;
}

void ss_broadphase_destroy(ss_broadphase *bp)
{
    if (bp == NULL) {
        return;
    }
    size_t n = (size_t)bp->box_count;
    ss_free(bp->ctx, bp->nodes, 2 * n * sizeof *bp->nodes);
    ss_free(bp->ctx, bp->order, n * sizeof *bp->order);
    ss_free(bp->ctx, bp->unbounded, n * sizeof *bp->unbounded);
    ss_free(bp->ctx, bp, sizeof *bp);
}

static inline bool overlap(const ss_aabb *a, const ss_aabb *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Boxes of the tree are finite numbers. */
static inline double lower(double a, double b)
{
    return a < b ? a : b;
}

static inline double upper(double a, double b)
{
    return a > b ? a : b;
}

static inline ss_aabb merged(const ss_aabb *a, const ss_aabb *b)
{
    ss_aabb c = {
        {lower(a->low.x, b->low.x), lower(a->low.y, b->low.y), lower(a->low.z, b->low.z)},
        {upper(a->high.x, b->high.x), upper(a->high.y, b->high.y), upper(a->high.z, b->high.z)}};
    return c;
}

static inline void put(sink *s, int32_t a, int32_t b)
{
    if (s->count < s->capacity) {
        s->pairs[s->count] = (ss_pair){a, b};
    }
    s->count++;
}

static void report(sink *s, int32_t a, int32_t b)
{
    if (s->filter == NULL || s->filter(s->user, a, b)) {
        put(s, a, b);
    }
}

/* The pairs of one box came in the order of the tree: sort them by the second index. */
static void sort_pairs(sink *s, int32_t from)
{
    int32_t end = s->count < s->capacity ? s->count : s->capacity;
    for (int32_t i = from + 1; i < end; i++) {
        ss_pair p = s->pairs[i];
        int32_t j = i;
        for (; j > from && s->pairs[j - 1].b > p.b; j--) {
            s->pairs[j] = s->pairs[j - 1];
        }
        s->pairs[j] = p;
    }
}

static void ask_filter(ss_broadphase *bp, const sink *s)
{
    bp->asked           = s->filter;
    bp->asked_user      = s->user;
    bp->candidate_count = 0;
    for (int32_t a = 0; a < bp->box_count; a++) {
        for (int32_t b = a + 1; b < bp->box_count; b++) {
            if (s->filter == NULL || s->filter(s->user, a, b)) {
                bp->candidates[bp->candidate_count++] = (ss_pair){a, b};
            }
        }
    }
}

static void all_pairs(ss_broadphase *bp, sink *s)
{
    if (bp->candidate_count < 0 || bp->asked != s->filter || bp->asked_user != s->user) {
        ask_filter(bp, s);
    }
    for (int32_t i = 0; i < bp->candidate_count; i++) {
        const ss_pair *p = &bp->candidates[i];
        if (overlap(&s->boxes[p->a], &s->boxes[p->b])) {
            put(s, p->a, p->b);
        }
    }
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* Twice the centre along an axis: only the order matters. */
static double centre(const ss_aabb *boxes, int32_t i, int axis)
{
    ss_vec3 sum = ss_add(boxes[i].low, boxes[i].high);
    return axis == 0 ? sum.x : axis == 1 ? sum.y : sum.z;
}

static int longest_axis(const ss_aabb *boxes, const int32_t *order, int32_t count)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            double c = centre(boxes, order[i], k);
            low[k]   = fmin(low[k], c);
            high[k]  = fmax(high[k], c);
        }
    }
    double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* Reorder so that the `mid` lowest centres come first (Hoare's selection). */
static void split(const ss_aabb *boxes, int32_t *order, int32_t count, int32_t mid, int axis)
{
    int32_t low = 0, high = count - 1;
    while (low < high) {
        double  pivot = centre(boxes, order[low + (high - low) / 2], axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (centre(boxes, order[i], axis) < pivot) {
                i++;
            }
            while (centre(boxes, order[j], axis) > pivot) {
                j--;
            }
            if (i <= j) {
                int32_t swapped = order[i];
                order[i++]      = order[j];
                order[j--]      = swapped;
            }
        }
        if (mid <= j) {
            high = j;
        } else if (mid >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* The subtree of order[first ..]; returns how many nodes it has. */
static int32_t build(node *at, const ss_aabb *boxes, int32_t *order, int32_t first, int32_t count)
{
    *at = (node){.first = first, .count = count, .size = 1, .highest = order[first]};
    if (count <= LEAF) {
        for (int32_t i = 1; i < count; i++) {
            at->highest = order[first + i] > at->highest ? order[first + i] : at->highest;
        }
        return 1;
    }
    int32_t left = count / 2;
    split(boxes, order + first, count, left, longest_axis(boxes, order + first, count));
    at->size += build(at + at->size, boxes, order, first, left);
    node *right = at + at->size;
    at->size += build(right, boxes, order, first + left, count - left);
    at->highest = at[1].highest > right->highest ? at[1].highest : right->highest;
    return at->size;
}

static void refit(const ss_broadphase *bp, const ss_aabb *boxes)
{
    for (int32_t i = bp->bounded_count > 0 ? bp->nodes[0].size - 1 : -1; i >= 0; i--) {
        node          *at    = &bp->nodes[i];
        const int32_t *order = bp->order + at->first;
        if (at->count > LEAF) {
            at->box = merged(&at[1].box, &at[1 + at[1].size].box);
            continue;
        }
        at->box = boxes[order[0]];
        for (int32_t k = 1; k < at->count; k++) {
            at->box = merged(&at->box, &boxes[order[k]]);
        }
    }
}

static bool is_bounded(const ss_aabb *b)
{
    return isfinite(b->low.x) && isfinite(b->low.y) && isfinite(b->low.z) && isfinite(b->high.x) &&
           isfinite(b->high.y) && isfinite(b->high.z);
}

/* Does the tree still hold exactly the bounded boxes? */
static bool same_leaves(const ss_broadphase *bp, const ss_aabb *boxes)
{
    int32_t unbounded = 0;
    for (int32_t i = 0; i < bp->box_count; i++) {
        if (!is_bounded(&boxes[i])) {
            if (unbounded == bp->unbounded_count || bp->unbounded[unbounded++] != i) {
                return false;
            }
        }
    }
    return unbounded == bp->unbounded_count;
}

static void prepare(ss_broadphase *bp, const ss_aabb *boxes)
{
    bool stale = !bp->built || bp->visits > 2 * bp->visits_fresh || !same_leaves(bp, boxes);
    if (stale) {
        bp->bounded_count = bp->unbounded_count = 0;
        for (int32_t i = 0; i < bp->box_count; i++) {
            if (is_bounded(&boxes[i])) {
                bp->order[bp->bounded_count++] = i;
            } else {
                bp->unbounded[bp->unbounded_count++] = i;
            }
        }
        if (bp->bounded_count > 0) {
            (void)build(bp->nodes, boxes, bp->order, 0, bp->bounded_count);
        }
        bp->built        = true;
        bp->visits_fresh = 0;
    }
    refit(bp, boxes);
}

/* Boxes of a leaf with an index above a that overlap box a. */
static void look_at_leaf(const ss_broadphase *bp, sink *s, int32_t a, const node *at)
{
    const int32_t *order = bp->order + at->first;
    for (int32_t k = 0; k < at->count; k++) {
        if (order[k] > a && overlap(&s->boxes[a], &s->boxes[order[k]])) {
            report(s, a, order[k]);
        }
    }
}

/* Boxes of the tree with an index above a that overlap box a; returns how many nodes were seen. */
static int64_t query(const ss_broadphase *bp, sink *s, int32_t a)
{
    const ss_aabb *box = &s->boxes[a];
    int32_t        end = bp->bounded_count > 0 ? bp->nodes[0].size : 0, i = 0;
    int64_t        visits = 0;
    while (i < end) {
        const node *at = &bp->nodes[i];
        visits++;
        if (at->highest <= a || !overlap(box, &at->box)) { /* pairs are found by their lower box */
            i += at->size;
            continue;
        }
        if (at->count <= LEAF) {
            look_at_leaf(bp, s, a, at);
        }
        i++;
    }
    return visits;
}

static void tree_pairs(ss_broadphase *bp, sink *s)
{
    prepare(bp, s->boxes);
    bp->visits = 0;
    for (int32_t a = 0; a < bp->box_count; a++) {
        int32_t first = s->count;
        bp->visits += query(bp, s, a);
        for (int32_t i = 0; i < bp->unbounded_count; i++) {
            int32_t b = bp->unbounded[i];
            if (b > a && overlap(&s->boxes[a], &s->boxes[b])) {
                report(s, a, b);
            }
        }
        sort_pairs(s, first);
    }
    if (bp->visits_fresh == 0) {
        bp->visits_fresh = bp->visits;
    }
}

ss_status ss_broadphase_pairs(ss_broadphase *bp, const ss_aabb *boxes, ss_pair_filter filter,
                              const void *user, ss_pair *pairs, int32_t capacity, int32_t *count)
{
    sink s = {boxes, filter, user, pairs, capacity, 0};
    if (bp->box_count <= FEW) {
        all_pairs(bp, &s);
    } else {
        tree_pairs(bp, &s);
    }
    *count = s.count;
    return SS_OK;
}
