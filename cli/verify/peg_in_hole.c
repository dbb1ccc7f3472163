/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peg of 20 mm in a hole of 20.2 mm, pushed slowly (Gavrea (3.1)), against the two-point
 * conditions of Whitney in their exact planar form (docs/theory/wedging-jamming.md). The peg leans
 * by an angle t; C is the mouth of the hole that its side touches, B its corner that touches the
 * other wall, l the depth of B:
 *
 *   hole cos t - l sin t = width                   both touch
 *   wedging:  atan(l/hole) + t <= atan mu          the line BC lies in both friction cones
 *   jamming:  -F in cone(a+, a-, b+, b-)           edges of the two friction cones
 *
 * The second is decided here by solving for three of the four edges at a time: none of the
 * library's code is used.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/verify.h"

enum { CELLS = 21 };

typedef enum outcome { INSERTS, JAMS, WEDGES, MOVES, OUTCOMES } outcome;

static const double width = 0.02, hole = 0.0202, length = 0.06, mu = 0.3;

/* Depth of the corner B when the peg touches both sides. */
static double touching_depth(double tilt)
{
    return (hole * cos(tilt) - width) / sin(tilt);
}

static bool can_wedge(double tilt)
{
    return atan(touching_depth(tilt) / hole) + tilt <= atan(mu);
}

typedef struct wrench {
    double x, y, turn; /* about the middle of the hole's mouth */
} wrench;

static wrench force_at(double px, double py, double fx, double fy)
{
    return (wrench){fx, fy, px * fy - py * fx};
}

static double det(wrench a, wrench b, wrench c)
{
    return a.x * (b.y * c.turn - b.turn * c.y) - a.y * (b.x * c.turn - b.turn * c.x) +
           a.turn * (b.x * c.y - b.y * c.x);
}

/* Is w a sum of nonnegative multiples of the four edges? Three of them are always enough. */
static bool in_cone(const wrench edge[4], wrench w)
{
    for (int out = 0; out < 4; out++) {
        wrench e[3];
        for (int k = 0, n = 0; k < 4; k++) {
            if (k != out) {
                e[n++] = edge[k];
            }
        }
        double all = det(e[0], e[1], e[2]);
        if (all != 0 && det(w, e[1], e[2]) / all >= 0 && det(e[0], w, e[2]) / all >= 0 &&
            det(e[0], e[1], w) / all >= 0) {
            return true;
        }
    }
    return false;
}

/* What pushes: a unit force, `direction` from straight down, and a moment about the tip. */
typedef struct load {
    double direction, moment;
} load;

static wrench load_on(load f, double tip_x, double tip_y, double side)
{
    double fx = -side * sin(f.direction), fy = -cos(f.direction);
    wrench w = force_at(tip_x, tip_y, fx, fy);
    w.turn += side * 0.5 * f.moment * width * cos(f.direction);
    return w;
}

/* The edges of two friction cones: up and down at the upper contact, up and down at the lower. */
typedef struct pair {
    wrench edge[4];
    wrench pushed;   /* by the load                                */
    wrench straight; /* by a force straight down through the tip   */
} pair;

/* A peg that leans to the right and touches both sides. side = -1: its mirror image. */
static pair leaning(double tilt, load f, double side)
{
    double l = touching_depth(tilt), c = cos(tilt), s = sin(tilt), r = 0.5 * hole;
    double x = -r + 0.5 * width * c, y = -l - 0.5 * width * s;
    return (pair){{force_at(r, 0, -c + mu * s, s + mu * c), force_at(r, 0, -c - mu * s, s - mu * c),
                   force_at(-r, -l, 1, mu), force_at(-r, -l, 1, -mu)},
                  load_on(f, x, y, side),
                  load_on((load){0}, x, y, 1)};
}

/* A peg flat against the wall on its left, from its tip to the mouth. side = -1: on its right. */
static pair flat(double depth, load f, double side)
{
    double r = 0.5 * hole, x = -r + 0.5 * width;
    return (pair){{force_at(-r, 0, 1, mu), force_at(-r, 0, 1, -mu), force_at(-r, -depth, 1, mu),
                   force_at(-r, -depth, 1, -mu)},
                  load_on(f, x, -depth, side),
                  load_on((load){0}, x, -depth, 1)};
}

/* Can the contacts balance the load? */
static bool held(pair p)
{
    return in_cone(p.edge, (wrench){-p.pushed.x, -p.pushed.y, -p.pushed.turn});
}

/*
 * Can it slide down, friction pointing up at both contacts? The load must lie on that side of the
 * plane of these two forces on which a force straight down lies (Whitney's lines).
 */
static bool slides(pair p)
{
    return det(p.edge[0], p.edge[2], p.pushed) * det(p.edge[0], p.edge[2], p.straight) > 0;
}

/* What may happen, a bit each. Both jamming and insertion: rest and motion are both solutions. */
static unsigned derived(double tilt, load f)
{
    if (can_wedge(tilt)) {
        return 1u << WEDGES;
    }
    double   depth    = touching_depth(tilt);
    pair     state[4] = {leaning(tilt, f, 1), leaning(tilt, f, -1), flat(depth, f, 1),
                         flat(depth, f, -1)};
    unsigned jams = 0, inserts = 1u << INSERTS;
    for (int k = 0; k < 4; k++) {
        jams |= held(state[k]) ? 1u << JAMS : 0;
        inserts &= slides(state[k]) ? 1u << INSERTS : 0;
    }
    return jams | inserts;
}

/* ---- what happens ---- */

typedef struct trial {
    outcome what;
    double  tilt; /* of the peg at the end */
    int     steps;
    int     slipped;    /* steps in which it goes on although the exact condition holds it      */
    bool    unbalanced; /* it ends at rest where the exact condition finds no balance           */
} trial;

/* Where the peg's middle is, and how far it leans to the right, in the plane or in space. */
typedef struct place {
    double x, height, lean;
} place;

static place look(const ss_verify_world *w)
{
    ss_body_state s = ss_verify_body(w, "peg");
    if (ss_model_dimension(w->model) == 2) {
        return (place){s.position.x, s.position.y, -s.angle};
    }
    return (place){s.position.x, s.position.z, 2 * asin(s.quat_wxyz.y)};
}

/* Distances that are none: the step's own resolution of positions. */
static const double touching = 1e-8, upright = 1e-6;

/*
 * Does the peg touch in two points, and which forces can they bear? Mirrored so that it leans to
 * the right, its lower left corner B is at the left wall, and its right side at the mouth's edge C.
 */
static bool two_points(place at, load f, pair *out)
{
    double side = at.lean < 0 ? -1 : 1, tilt = fabs(at.lean), x = side * at.x;
    double c = cos(tilt), s = sin(tilt), r = 0.5 * hole;
    double bx = x - 0.5 * width * c - 0.5 * length * s;
    double by = at.height + 0.5 * width * s - 0.5 * length * c;
    if (tilt < upright) { /* flat against the nearer wall, if it touches one */
        side = at.x < 0 ? 1 : -1;
        *out = flat(-by, f, side);
        return fabs(fabs(at.x) - (r - 0.5 * width)) < touching;
    }
    double to_edge = (r - x) * c + at.height * s - 0.5 * width; /* of C from the right side */
    *out           = leaning(tilt, f, side);
    return fabs(bx + r) < touching && fabs(to_edge) < touching;
}

/* Steps in which the force alone would move the peg by half a millimetre, until it is wedged, at
   rest, 45 mm deep, or out of steps. */
static ss_status push(ss_verify *v, ss_verify_world *w, load f, int most, trial *out)
{
    const double h   = 0.01;
    place        was = look(w);
    for (out->steps = 1; out->steps <= most; out->steps++) {
        SS_TRY(ss_verify_steps(v, w, h, 1));
        ss_hold hold = ss_data_report(w->data)->hold;
        place   now  = look(w);
        bool    deep = now.height < 0.5 * length - 0.045;
        pair    p;
        bool    two = two_points(was, f, &p), moved = was.height - now.height > touching;
        out->slipped += two && moved && held(p) && !slides(p);
        out->tilt = fabs(now.lean);
        if (hold == SS_HOLD_WEDGED || hold == SS_HOLD_JAMMED || deep) {
            out->what       = deep ? INSERTS : hold == SS_HOLD_WEDGED ? WEDGES : JAMS;
            out->unbalanced = out->what == JAMS && !(two_points(now, f, &p) && held(p));
            return SS_OK;
        }
        was = now;
    }
    out->what = MOVES;
    return SS_OK;
}

static ss_status try_peg(ss_verify *v, const char *scene, double tilt, load f, int most, trial *out)
{
    char text[3][64];
    snprintf(text[0], sizeof text[0], "params.tilt=%.17g", tilt);
    snprintf(text[1], sizeof text[1], "params.direction=%.17g", f.direction);
    snprintf(text[2], sizeof text[2], "params.moment=%.17g", f.moment);
    const char     *overrides[] = {text[0], text[1], text[2], NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status status = push(v, &w, f, most, out);
    ss_verify_close(&w);
    return status;
}

/* ---- maps ---- */

typedef struct map {
    const char *name, *scene;
    int         cells; /* along each axis, at most CELLS */
    double      low[2], high[2];
    void (*cell)(double x, double y, double *tilt, load *f);
    unsigned expected[CELLS][CELLS];
    outcome  found[CELLS][CELLS];
    int      unbalanced; /* cells at rest where the exact condition says that it cannot be      */
    int      slipped;    /* cells in which it goes on where the exact condition holds it        */
} map;

/* Tilt and load at a point of the map, in cells. */
static void at_cell(const map *m, double i, double j, double *tilt, load *f)
{
    double x = m->low[0] + (m->high[0] - m->low[0]) * i / (m->cells - 1);
    double y = m->low[1] + (m->high[1] - m->low[1]) * j / (m->cells - 1);
    m->cell(x, y, tilt, f);
}

static ss_status fill(ss_verify *v, map *m)
{
    for (int i = 0; i < m->cells; i++) {
        for (int j = 0; j < m->cells; j++) {
            double tilt;
            load   f;
            trial  t = {.what = INSERTS};
            at_cell(m, i, j, &tilt, &f);
            m->expected[i][j] = derived(tilt, f);
            SS_TRY(try_peg(v, m->scene, tilt, f, 20000, &t));
            m->found[i][j] = t.what;
            m->unbalanced += t.unbalanced;
            m->slipped += t.slipped > 0;
        }
    }
    return SS_OK;
}

/* Does what is derived change within a cell of this one? */
static bool on_border(const map *m, int i, int j)
{
    enum { FINE = 8 };
    for (int a = -FINE; a <= FINE; a++) {
        for (int b = -FINE; b <= FINE; b++) {
            double tilt;
            load   f;
            at_cell(m, i + (double)a / FINE, j + (double)b / FINE, &tilt, &f);
            if (derived(tilt, f) != m->expected[i][j]) {
                return true;
            }
        }
    }
    return false;
}

static ss_status compare(ss_verify *v, map *m)
{
    int wrong = 0, borders = 0, later = 0, count[OUTCOMES] = {0};
    SS_TRY(fill(v, m));
    for (int i = 0; i < m->cells; i++) {
        for (int j = 0; j < m->cells; j++) {
            bool differs = !(m->expected[i][j] >> m->found[i][j] & 1u), border = on_border(m, i, j);
            borders += border;
            wrong += differs && !border;
            later += differs && border;
            count[m->found[i][j]]++;
        }
    }
    ss_verify_near(v, 0, wrong, 0, "%s: cells with another verdict, borders left out", m->name);
    ss_verify_near(
        v, 0, m->unbalanced, 0,
        "%s: cells at rest where no forces balance, of all (%d at borders, %d decided on "
        "the way)",
        m->name, borders, later);
    ss_verify_near(v, 0, m->slipped, 0, "%s: cells that go on where the contacts hold", m->name);
    int least = m->cells * m->cells / 11;
    ss_verify_near(v, 1, count[INSERTS] >= least && count[JAMS] >= least, 0,
                   "%s: both insertion and jamming happen (%d inserted, %d jammed, %d wedged)",
                   m->name, count[INSERTS], count[JAMS], count[WEDGES]);
    return SS_OK;
}

static void tilt_and_direction(double x, double y, double *tilt, load *f)
{
    *tilt = x;
    *f    = (load){.direction = y};
}

/* The jamming diagram: sideways force over downward force, moment over half the width times it. */
static void force_and_moment(double x, double y, double *tilt, load *f)
{
    *tilt = 0.02;
    *f    = (load){.direction = atan(-x), .moment = y};
}

static ss_status maps(ss_verify *v)
{
    map planar  = {.name  = "tilt and direction",
                   .scene = "peg-in-hole",
                   .cells = 21,
                   .low   = {0.008, -1.5},
                   .high  = {0.05, 1.5},
                   .cell  = tilt_and_direction};
    map diagram = {.name  = "jamming diagram",
                   .scene = "peg-in-hole",
                   .cells = 21,
                   .low   = {-5, -6},
                   .high  = {5, 6},
                   .cell  = force_and_moment};
    map space   = planar;
    space.name  = "in space, tilt and direction";
    space.scene = "peg-in-hole-3d";
    space.cells = 9;
    SS_TRY(compare(v, &planar));
    SS_TRY(compare(v, &diagram));
    return compare(v, &space);
}

/* ---- thresholds ---- */

/* The value between low and high at which the verdict of the first step changes to `what`. */
static ss_status bisect(ss_verify *v, const map *m, double fixed, outcome what, double *low,
                        double *high)
{
    for (int k = 0; k < 30; k++) {
        double middle = 0.5 * (*low + *high), tilt;
        load   f;
        trial  t = {.what = INSERTS};
        m->cell(what == WEDGES ? middle : fixed, what == WEDGES ? fixed : middle, &tilt, &f);
        SS_TRY(try_peg(v, m->scene, tilt, f, 1, &t));
        *(t.what == what ? high : low) = middle;
    }
    return SS_OK;
}

/* Where wedging begins, and where jamming does: derived to rounding, and by Whitney's formulas. */
static ss_status thresholds(ss_verify *v, const char *scene, const char *where)
{
    const map m   = {.scene = scene, .cell = tilt_and_direction};
    double    low = 0.02, high = 0.05, exact[2] = {0.02, 0.05};
    SS_TRY(bisect(v, &m, 1.2, WEDGES, &low, &high));
    for (int k = 0; k < 60; k++) {
        double middle                    = 0.5 * (exact[0] + exact[1]);
        exact[can_wedge(middle) ? 1 : 0] = middle;
    }
    ss_verify_near(v, exact[1], high, 1e-9, "%s: tilt at which the peg wedges (rad)", where);
    ss_verify_near(v, mu - (1 + mu * mu) * high, touching_depth(high) / hole, 1e-3,
                   "%s: depth over width there; Whitney's mu, less what a small tilt takes", where);

    const double tilt = 0.01, lambda = touching_depth(tilt) / (width * mu);
    double       jam[2] = {0.5, 1.5};
    low                 = 0.5;
    high                = 1.5;
    SS_TRY(bisect(v, &m, tilt, JAMS, &low, &high));
    for (int k = 0; k < 60; k++) {
        double middle                                          = 0.5 * (jam[0] + jam[1]);
        jam[held(leaning(tilt, (load){middle, 0}, 1)) ? 1 : 0] = middle;
    }
    ss_verify_near(v, jam[1], high, 2e-5, "%s: direction of force at which it jams (rad)", where);
    ss_verify_near(v, lambda / (mu * (1 + lambda)), tan(high), 0.05,
                   "%s: sideways over downward force there; Whitney, for small tilts", where);
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(thresholds(v, "peg-in-hole", "in the plane"));
    SS_TRY(thresholds(v, "peg-in-hole-3d", "in space"));
    return maps(v);
}

const ss_verify_case ss_verify_peg_in_hole = {
    .name    = "peg-in-hole",
    .source  = "Gavrea (3.1); Whitney's two-point conditions, exact",
    .summary = "a peg slides in, jams or wedges, over maps of tilt, direction and moment",
    .run     = run};
