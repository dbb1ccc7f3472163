/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data: everything that changes. One owner, one thread. It has three kinds of members:
 *
 * - state: what the simulation is at an instant (state.h). Written by sim/commit.c when a
 *   step is accepted, and by whoever sets or restores a state; no stage writes it.
 * - stages: what the stages of a round hand on to each other, in their order below. Each is written
 *   by the one stage that heads its group and read by all after it.
 * - methods: one struct each, from round to round or from step to step. Written by the files that
 *   its comment names, read by others.
 */
#ifndef SS_MODEL_DATA_H
#define SS_MODEL_DATA_H

#include "collide/broadphase.h"
#include "core/arena.h"
#include "expr/expr.h"
#include "linalg/anderson.h"
#include "model/model.h"
#include "model/rounds.h"
#include "model/rows.h"
#include "model/state.h"

/* Bodies and blocks that depend on each other; each island is a problem of its own. */
typedef struct ss_island {
    int32_t    *blocks; /* (block_count) indices into rows.blocks                 */
    int32_t     block_count;
    int32_t    *bodies; /* (body_count) moving bodies                             */
    int32_t     body_count;
    int32_t     row_count;
    bool        by_velocity; /* velocities are unknowns of the problem and come out of it    */
    bool        free;        /* it is solved by no impulses                                  */
    bool        rests;       /* its solution is rest, to rounding (balance/rest.c)           */
    double     *q, *W;       /* of `cone`, while it is being made (W: local form)          */
    ss_problem  cone;        /* local friction problem, from the rows                     */
    ss_problem  reduced;     /* what is certified: the cone problem or its reduction      */
    ss_solution solution;    /* of `reduced`                                              */
    /* Islands with equality rows: what is handed to the solver has them eliminated. */
    struct ss_eliminated *eliminated; /* NULL: there are none */
    ss_problem            bare;       /* cone problem without them                    */
    ss_problem            solved;     /* its reduction                                */
    ss_solution           answer;     /* of `solved`                                  */
    double closed_by_drives; /* joules that motors and driven bodies put in while joints were closed
                                at the end of the step (midpoint/close_joints.c) */
    double closed_most;      /* the most that this may take: |dv|_M^2/2 of the velocities that it
                                took out, and what was struck */
    double strayed;          /* joules that a smooth step put into velocities that it takes out  */
    double closed_left;      /* the largest velocity of a joint that closing could not take out  */
    /* Islands that nothing outside acts on but known forces (recover/whole_turn.c). */
    bool    loose;
    ss_vec3 turn;        /* angular momentum about its centre of mass that the step is to leave */
    double  turned_back; /* joules that corrections of its turn added, or took                  */
    double  turned_most; /* |dv|_M^2/2 of these corrections                                     */
} ss_island;

/* Islands with more rows than this are large: the global form, and a motion error may do. */
enum { SS_LOCAL_ROWS = 120 };

/* Certified: by its residual, or by its motion error where that is enough. */
static inline bool ss_island_exact(const ss_model *m, const ss_island *isl)
{
    return isl->solution.residual <= m->simulation.tolerance;
}

/* A pile: accepted by its motion error alone. */
static inline bool ss_island_by_motion(const ss_model *m, const ss_island *isl)
{
    const ss_solution *x = &isl->solution;
    return !ss_island_exact(m, isl) && x->enough > 0 && x->motion <= x->enough;
}

static inline bool ss_island_solved(const ss_model *m, const ss_island *isl)
{
    return ss_island_exact(m, isl) || ss_island_by_motion(m, isl);
}

/*
 * The matrix of A v+ = b + G'p for one body: linear and angular part, and their inverses; or, where
 * a damping matrix couples them, the whole of it.
 */
typedef struct ss_body_matrix {
    double  linear, inv_linear; /* times the identity */
    ss_mat3 angular, inv_angular;
    double *full; /* (2 x dof x dof) A, then its inverse, instead; NULL: the parts above */
} ss_body_matrix;

/* A pair of geoms of which more than one branch can matter, and which are taken in this round. */
typedef struct ss_corner {
    int32_t  geom_a, geom_b;
    int32_t  first, count; /* its contacts among `contacts` below             */
    bool     present;      /* it has some in this round                       */
    uint64_t taken[2];     /* names of branches, 0: none                      */
    bool     whole;        /* all are taken: the problem itself decides       */
    uint64_t start;        /* the first choice                                */
    /* how it ended in this round */
    int32_t  island; /* that its contacts are in, -1: it takes none                 */
    bool     fails;  /* it carries an impulse while another branch separates the two */
    uint64_t rival;  /* that other branch                                            */
    double   excess; /* by how much, in parts of the pair's size                     */
    uint64_t was[2]; /* taken in this round, while moves are tried                   */
    bool     was_whole;
    bool     given_up; /* no choice of its island holds: it keeps the first one     */
} ss_corner;

enum { SS_CHOICES_SEEN = 136 }; /* 96 of islands, and in each of 40 rounds one of all pairs */

/* A pair that overlaps along a normal, and how deep (corner/flush.c). */
typedef struct ss_flush {
    int32_t geom_a, geom_b, body[2];
    ss_vec3 normal; /* from a to b */
    double  depth;
} ss_flush;

/* Which branches the rounds of a step take (corner/branches.c, corner/branch_search.c). */
typedef struct ss_corners {
    ss_corner *items; /* (count) from round to round */
    int32_t    count, capacity, wanted;
    uint64_t seen[SS_CHOICES_SEEN]; /* choices of islands, and of all, that did not hold, hashed */
    int32_t  seen_count;
    int32_t  switches; /* rounds that changed a choice                              */
    int32_t  unsolved; /* .. after a problem that no solver solved                  */
    int32_t  open;     /* pairs whose choice did not hold                           */
    double   step;     /* h */
    double   overlap;  /* deepest at the start, of pairs with several branches      */
    int32_t  ties; /* pairs that several branches separate equally, see ss_take_widest_branches */
    /* of this round, in the scratch */
    const ss_contact *contacts;      /* (contact_count) contacts of all branches    */
    int32_t          *at;            /* (contact_count) place among the contacts taken, or -1 */
    int32_t           contact_count; /* 0: no pair has several branches             */
    ss_flush         *flush;         /* (flush_count) pairs that overlap            */
    int32_t           flush_count;
} ss_corners;

/* Which part of an impact a round solves; whole: there is none by Poisson's law. */
typedef enum ss_phase { SS_PHASE_WHOLE, SS_PHASE_COMPRESSION, SS_PHASE_EXPANSION } ss_phase;

/* Rounds of steps without a matrix, from round to round (inertia/inertia_quasistatic.c). */
typedef struct ss_prox {
    double *v;      /* (nv) velocities of the round before                     */
    bool    direct; /* this round poses the balance of forces itself           */
    bool    begun;
    double  weight, speed; /* of the proximal term; speeds of the step         */
    double  change;        /* largest change of a velocity in the last round   */
    int32_t steady;        /* rounds in which that change was the same         */
    int32_t restless;      /* body that changed most, -1: none but by noise    */
    double  work;          /* iterations times rows of all rounds              */
    bool    unsettled;     /* the last round still changed the velocities      */
    bool    over;          /* the rounds ended without a balance               */
    bool    stalled;       /* what changes is noise that falls no further      */
    double *load;          /* (nb) the largest impulse on it in any round so far */
    int32_t more;          /* rounds after v settled, for the balance's sake   */
} ss_prox;

/* Impacts by Poisson's law, from round to round (impact/impact_poisson.c). */
typedef struct ss_impact {
    ss_phase phase;
    ss_rows  rows;    /* of the round that solved the compression; in the scratch, kept there */
    double  *v_known; /* (nv) what the impulses known before the expansion give      */
    double   residual;
    int32_t  iterations;
} ss_impact;

/* Times between which driven motions are as given; beyond them they go on smoothly. */
typedef struct ss_motion_window {
    bool   on;
    double low, high; /* may be infinite */
} ss_motion_window;

/* How far the time is known at which slip ends within a step (midpoint/reversals.c). */
typedef enum ss_reversal {
    SS_REVERSAL_NONE,   /* it does not                                       */
    SS_REVERSAL_ASKED,  /* the pass has friction against the slip of the start */
    SS_REVERSAL_PLACED, /* .. until that time                                */
    SS_REVERSAL_DONE    /* .. with the loads that come of it                  */
} ss_reversal;

/* What a block was like at the start of the step, found again by its key. */
typedef struct ss_row_start {
    uint64_t key;
    int32_t  geom[2];  /* contacts: whose it is; others: -1                                */
    double   rate[6];  /* J v of its rows there                                            */
    double   drift[6]; /* contacts, supports: what moving surfaces add to it there         */
    double   driven;   /* contacts: by how much driven bodies change its closing rate      */
    double   gap;      /* contacts, limits: how far it is open                             */
    double   bends;    /* contacts: what flight adds to that over h, by rows that do not turn  */
    int32_t  axis;     /* contacts: of the world, that the first friction direction lies along */
    ss_vec3  normal;   /* contacts: that of the axes by which rate, drift and along are counted */
    ss_vec3  arm[2];   /* contacts: from the centres of the two bodies to their points     */
    double   way;      /* contacts with driven bodies: of the point on what moves, from the driven
                          body's start to its end                                          */
    bool placed;       /* contacts with driven bodies: the above are those of the start    */
    bool slides;       /* friction: it slips at the start and at the end, the same way     */
    bool braked;       /* .. while forces take more than half of that slip: they, not friction */
    bool closes;       /* limits, points beside the lowest of a rim: by more than the step explains;
                          loaded in its middle, it is an impact                            */
    bool        jerked;    /* joints: their bodies have velocities that it takes out in no time */
    ss_reversal reversal;  /* friction: slip that ends within the step                         */
    double      part;      /* .. after this part of it                                         */
    double      slip;      /* .. how fast it is at the start                                   */
    double      along[6];  /* .. and where to, over its rows                                   */
    double      load;      /* .. normal impulse of the pass before; 1: friction has none       */
    double      mu, bound; /* .. of the block, all of it                                      */
} ss_row_start;

/* How far the held rows of an island are from depending on each other at the start of a step. */
typedef struct ss_spread {
    int32_t rows, rank; /* how many there are, and how many depend on no others             */
    double  least;      /* the least pivot of those, of rows of unit size; 0: there is none */
    double  falls;      /* the least in its middle, of any pass, over that                  */
    bool    leaves;     /* fewer depend on others in its middle                             */
} ss_spread;

/* A body that flies freely in the step but for one impact. */
typedef struct ss_flight {
    bool   is;
    double until; /* the impact, from the start of the step */
} ss_flight;

/* integrator: midpoint, from round to round (midpoint/midpoint.h). */
typedef struct ss_midpoint {
    double     h;           /* the step                                                   */
    int32_t    pass;        /* 0: rows at the start of the step, then in its middle       */
    bool      *smooth;      /* (nb) it moves by its mean velocity; all others by that of the end */
    bool      *turns_after; /* (nb) others: impulses act before it turns (first_turns.c)  */
    bool      *piled;       /* (nb) .. it is solved to a motion error: they do not        */
    ss_flight *flight;      /* (nb) others: flies but for one impact (lone_impacts.c)     */
    ss_spread *spread;      /* (nb) of the held rows of its island                        */
    ss_twist  *next;        /* (nb) driven bodies: mean velocity over a step after it     */
    ss_twist  *from, *to;   /* (nb) .. velocities at the start and at the end of the step */
    bool      *known;       /* (nb) .. these three have been asked for, and were found    */
    ss_frame  *frame;       /* (nb) .. where they are in the middle of the step           */
    ss_frame  *geom_frame;  /* (ng) .. and their shapes                                   */
    bool       converges;   /* joints or springs: passes until the velocities agree       */
    bool       stands;      /* .. others nearly do, and the middle is where it is          */
    bool       runs;        /* a point of contact ran too far for one step: it is cut     */
    bool       late;        /* .. or something strikes at another time than the step has it */
    double     ends;   /* .. or a contact slides past an edge, this long after its start; or 0 */
    double     pushed; /* largest change of a velocity by the forces of the step     */
    double     change; /* of the velocities in the last pass, over their size        */
    double     marked; /* the change some passes ago (midpoint.c)                    */
    double     grown;  /* the most that a joint opens in the step, by the pass before */
    double     unbalanced;   /* what was missing in the balance of momentum of a pass, as a velocity
                                over the largest one; it has been corrected                 */
    ss_pose      *middle;    /* (nb) where bodies are in the middle of the step            */
    ss_pose      *end;       /* (nb) .. and at its end, by the pass before                 */
    ss_twist     *mean;      /* (nb) how they move there                                   */
    double       *v;         /* (nv) velocities of the pass before                         */
    double       *f, *g;     /* (nv) what it changed, and what it came to */
    ss_mat3      *stiffness; /* (nb) what loaded joints add to A by turning with the body  */
    double       *shift;     /* (nrows) J v at the start as seen from the middle; scratch  */
    bool          reverses;  /* slip ends within the step, somewhere (reversals.c)          */
    double       *rubbed;    /* (nrows) impulses of friction until then; NULL: none, scratch */
    double       *kept;      /* (nblocks) part of the bound of friction from then on         */
    ss_row_start *starts;    /* (start_count) */
    int32_t       start_count, start_capacity;
    int32_t       start_most; /* with those of successors (successors.c) */
} ss_midpoint;

/* A contact that gives, from round to round (compliant/compliant.h). */
typedef struct ss_spring {
    uint64_t             key;
    const ss_compliance *law;      /* that of the pair, or its own                             */
    ss_compliance        own;      /* of a spring of a patch: its share of the pair's          */
    int32_t              dim;      /* directions in which it gives: 1, 2 or 3                  */
    double               start[3]; /* deflection at the start of the step: normal, t, o        */
    double               normal;   /* what the state has of it: the same, along the surface ..  */
    ss_vec3              along;    /* .. in the world                                           */
    double               stored;   /* .. and the energy                                         */
    double               rest;     /* overlap at which it begins (compliant/hand_over.c)         */
    double               share;    /* of the stiffness of its patch; 0: it is all of it          */
    int32_t              body[2];  /* of its contact                                            */
    bool                 known;    /* the state has one of its name                             */
    bool                 fresh;    /* the surfaces overlap, and the state has no such spring ..  */
    bool                 handed;   /* .. and it has got what there was for it                    */
    bool                 ready;    /* it has a law                                              */
    double               at;       /* normal deflection at the end that the law is linear about */
    bool                 mean;     /* this round has the law over the step, else that of its end */
    bool                 first;    /* something happens to it: the first-order law              */
    bool                 core;     /* it is down to its core                                   */
    bool                 slides;   /* over the step: friction uses all of its bound            */
    bool                 wrong;    /* about its core: that is what the round found                */
    int32_t              turns;    /* how often it changed to sliding or back in this step        */
    double               G[9], r[3]; /* deflection at the end: G (p - r), core: t and o alone  */
    double               G_rows[9];  /* what it adds to the matrix of its rows                  */
    double               overlap;  /* of the surfaces at the start of the step, core included    */
    double               scale[3]; /* of its rows: 1, and the axes of the friction ellipsoid   */
    double               end[3];   /* deflection at the end of the step, by the last round     */
    double               energy;   /* stored by it                                             */
    double               change;   /* .. in this step                                          */
    double               damped;   /* energy that its dampers took in this step                 */
    int32_t layer, cell; /* compliant/layer.c: its patch, its place there; layer -1: none */
} ss_spring;

/* Two springs of a patch, by their contacts, that pull each other along; weight over the whole's.
 */
typedef struct ss_link {
    int32_t a, b;
    double  weight;
} ss_link;

/* A patch whose springs do so: contacts first .. first + count - 1. */
typedef struct ss_layer {
    int32_t first, count;
    int32_t first_link, link_count;
    double *B; /* (count x count) pressures of springs from their impulses; scratch */
} ss_layer;

/* contact: compliant, from round to round. */
typedef struct ss_springs {
    ss_spring *items; /* (count) */
    int32_t    count, capacity;
    ss_layer  *layers; /* (layer_count) of this round's contacts */
    int32_t    layer_count, layer_capacity;
    ss_link   *links; /* (link_count) */
    int32_t    link_count, link_capacity;
    bool       open_layer; /* the last one is being made */
    int32_t    exchanges;  /* rounds of this step after which cores were entered or left */
} ss_springs;

/* Loads that friction of joints follows, from round to round (rows/joint_loads.c). */
typedef struct ss_joint_loads {
    ss_anderson rounds;
    double     *found, *weight, *room; /* (nj), (nj), and the accelerator's    */
} ss_joint_loads;

/* What loaded joints add to the matrix of a body (implicit/geometric_stiffness.c). */
typedef struct ss_stiffness {
    bool    any, rods;
    ss_mat3 arms, pulled; /* of turning: of all arms, and the part that makes it larger */
    double  rod[36];      /* (dof x dof) of rods and ropes                              */
} ss_stiffness;

/* Joints of models without momentum, from round to round (implicit/joints_at_end.h). */
typedef struct ss_ending {
    int32_t pass;        /* 0: joints as the step begins; 1: likewise, with their stiffness; then
                            those of the trial state                                       */
    ss_frame     *frame; /* (nb) where this round takes joints                             */
    double       *v;     /* (nv) velocities that led there                                 */
    ss_stiffness *stiffness; /* (nb) by the impulses of the last round                         */
} ss_ending;

/* geometry: implicit, from round to round (implicit/implicit.h). */
typedef struct ss_implicit {
    int32_t         pass;   /* 0: geometry of the start of the step, then of the trial state     */
    ss_pose        *at;     /* (nb) the trial state that this round takes geometry from          */
    double         *v;      /* (nv) velocities that led there                                    */
    double          change; /* of the velocities in the last pass, over their size               */
    int32_t         calm;   /* passes that brought no improvement                                */
    double         *v_free; /* (nv) of the start of the step, as the next three                  */
    ss_body_matrix *matrix; /* (nb)                                                              */
    double         *full;   /* as d->full                                                        */
    ss_mat3        *inertia, *inv_inertia; /* (nb)                                               */
} ss_implicit;

/* What a body that turned and moved like this had (certify/rates.c): where a step ends, the next
   one begins, and what is known need not be computed again. */
typedef struct ss_had {
    ss_quat  q;
    ss_twist t;
    double   energy; /* kinetic                                  */
    ss_vec3  spin;   /* its angular momentum, in world axes      */
} ss_had;

/* Part of the restitution that a body's island may use (sim/rebound.c). */
typedef struct ss_rebound {
    double factor;              /* of this trial                          */
    double low, high;           /* known to make no energy, known to make some */
    double gain_low, gain_high; /* what the island made with these, beyond `base`      */
    double gain_none;           /* .. and with none                                    */
    double base;                /* energy that the island's contacts give without any restitution */
} ss_rebound;

/* Contacts of one pair as the narrow phase found them, and what it was asked
 * (dynamics/kept_pairs.c). */
typedef struct ss_kept_pair {
    ss_pair  pair;
    ss_frame frame[2]; /* of pair.a and pair.b                                                   */
    double   reach, beyond;
    int32_t  first, count; /* among the contacts of all pairs                                    */
} ss_kept_pair;

typedef struct ss_kept_contacts {
    ss_kept_pair *pairs;
    int32_t       count, capacity;
    ss_contact   *contacts;
    int32_t       contact_count, contact_capacity;
} ss_kept_contacts;

/* What a step has taken so far. */
typedef struct ss_effort {
    double products;  /* of the attempt at hand: what solvers have counted                      */
    double spent;     /* .. of the attempts before it                                           */
    double size;      /* of the largest problems so far: unknowns times entries of the matrix   */
    double searched;  /* what collision took at instants, which bounds on steps do not ask about  */
    double parts;     /* .. bodies and contacts, the most so far                                */
    bool   closer;    /* it may be cut only to be followed more closely                         */
    bool   exhausted; /* no attempts are left                                                   */
    bool   over;      /* step_budget, or the work allowed, has run out: what there is is taken  */
} ss_effort;

/* The step of which parts are taken one by one (sim/step_parts.c). */
typedef enum ss_step_part {
    SS_PART_NONE, /* no step is under way */
    SS_PART_COLLIDE,
    SS_PART_FORMULATE,
    SS_PART_SOLVE,
    SS_PART_UPDATE
} ss_step_part;

typedef struct ss_parted {
    ss_step_part    done, wanted;
    double          h;
    bool            cut;     /* its first round cannot be: ss_step() takes it in pieces */
    ss_step_verdict verdict; /* of the state at its start */
    /* by which a change of the data between parts is noticed */
    uint64_t hash;
    uint32_t resets;
    int32_t  contacts;
} ss_parted;

/* Pairs of features in reach of each other (sim/active_set.c); made when first asked for. */
typedef struct ss_active {
    ss_broadphase  *broad;
    ss_frame       *frame; /* (ng) of the geoms, now */
    ss_aabb        *boxes; /* (ng) */
    ss_pair        *pairs;
    int32_t         pair_capacity;
    ss_contact_list list;
} ss_active;

/* Pairs of bodies whose impacts a step is asked to have at their time: more at once are a pile. */
enum { SS_LATE_PAIRS = 8 };

/* A state to come back to. */
typedef struct ss_saved {
    void  *state; /* (size bytes) snapshot */
    size_t room, size;
} ss_saved;

/* The part of a step that is being taken (sim/cut.c). */
typedef struct ss_cut_part {
    int32_t depth;    /* how often the step was halved for it                     */
    int32_t eased;    /* .. of that, because points of contact ran too far        */
    bool    smallest; /* it is not cut further                                    */
    bool    exactly;  /* a motion error is not enough: nothing else helped        */
} ss_cut_part;

/* A stretch of a step, which may be all of it (sim/stretches.c). */
typedef struct ss_cut_stretch {
    bool   bends;  /* it ends where an expression of t jumps or bends ..             */
    double until;  /* .. at this time                                                 */
    bool   jumps;  /* it begins where the speed of what is driven jumps               */
    bool   halved; /* it was cut into halves, to an end or not                        */
    bool   uncut;  /* corners were open in its smallest part: it is not cut for them  */
} ss_cut_stretch;

/* What happens within a step, at its time (sim/events.c). */
typedef struct ss_cut_event {
    bool    asked;    /* a step with impacts at another time than theirs fails              */
    bool    apart;    /* it is taken in parts that end where something touches               */
    bool    flight;   /* up to there: pairs that are apart stay so, they have no contacts    */
    bool    strikes;  /* there: what is as near as a touch has no gap, since that takes no time */
    double  next;     /* part of the step after which something new touches                  */
    int32_t touching; /* pairs that touch when that is looked for                            */
    ss_pair late[SS_LATE_PAIRS]; /* (late_count) bodies whose impacts are late, with all pieces */
    int32_t late_count; /* 0: parts end where any two geoms touch, unless there are stops   */
    bool    stops;      /* limits of joints have such impacts too                            */
} ss_cut_event;

/* Why the last attempt ended. */
typedef struct ss_cut_why {
    bool wedged; /* driven bodies wedge others                           */
    bool forked; /* a linkage at rest may begin to move in several ways  */
} ss_cut_why;

/* A step that is being cut into parts. */
typedef struct ss_cut {
    double      start;  /* time of the step                                            */
    double      whole;  /* its length                                                  */
    ss_wrench  *push;   /* (nb) pushes of the whole step                               */
    ss_saved    begin;  /* of the step, or of the stretch of it that is being cut      */
    ss_saved    first;  /* of the step, where it is taken in stretches                 */
    uint64_t   *struck; /* (struck_count) contacts of bodies that were struck in it, idle since */
    int32_t     struck_count, struck_capacity;
    bool        marks; /* a failed certificate is marked, and the step kept           */
    ss_cut_part part;
    ss_cut_stretch stretch;
    ss_cut_event   event;
    ss_cut_why     why;
} ss_cut;

/* What a state remembers of contacts, by their names. */
typedef struct ss_remembered {
    ss_warm_entry     *warm;
    int32_t            warm_count, warm_capacity;
    ss_sticking_entry *sticking;
    int32_t            sticking_count, sticking_capacity;
} ss_remembered;

enum { SS_APART_ALL = -1, SS_APART_REST = 0 };

/* Islands in which something strikes take the step by themselves (sim/groups.c). Which do is found
   by midpoint/late_impacts.c. */
typedef struct ss_apart {
    int32_t *group;  /* (nb) 1, 2 ..: bodies that take it together; 0: all the rest            */
    int32_t  count;  /* of groups, but for the rest                                            */
    int32_t  taking; /* the group at hand; SS_APART_ALL: all bodies take the step             */
    bool     found;  /* groups that were not known when the attempt began                      */
    bool     never;  /* it has been tried                                                      */
    /* sim/groups.c alone */
    const ss_model *whole;    /* the model, while d->model is `part`                             */
    ss_model        part;     /* the same with all bodies but those of the group standing still  */
    ss_body        *bodies;   /* (nb) of `part`                                                   */
    ss_pose        *pose;     /* (nb) when the step began                                         */
    double          was_step; /* h of the step before                                            */
    ss_twist       *twist;    /* (nb) then; of those that have taken it, now                      */
    ss_wrench      *push;     /* (nb) then                                                        */
    double         *reach;    /* (nb) the speed up to which it meets nothing of other groups      */
    double         *fastest;  /* (nb) how fast it was                                             */
    double          t;        /* when the step began                                              */
    ss_saved        begin;    /* .. all of the state                                              */
    ss_remembered   was, now;
} ss_apart;

/* Impulses of the last round of this step: the guess of the next (written by reasons for rounds
   through ss_keep_impulses, forgotten by model/rounds.c when a step begins). */
typedef struct ss_tried {
    ss_warm_entry *items; /* (count) */
    int32_t        count, capacity;
} ss_tried;

/* Corrections in position, apart from momentum (recover/shift.c). */
typedef struct ss_shifted {
    bool           any;   /* bodies were moved on                                         */
    bool           put;   /* .. where joints were open that bodies had been put into       */
    double        *by;    /* (nv) by this, as velocities are stored                       */
    ss_pose       *bare;  /* (nb) where they were before                                  */
    const ss_pose *moved; /* (nb) where the velocities alone lead: `bare`, or pose_next    */
} ss_shifted;

/* What forces above the surface do to a supported body (rows/support_tilt.c). */
typedef struct ss_tilt {
    ss_vec3 moment; /* sum of N r, from the centre of mass, that balances them, N m */
    ss_vec3 centre; /* where contacts push, from the centre of mass                 */
    double  grip;   /* what friction of these contacts can hold, N                  */
} ss_tilt;

/* Other motions that solve the step (balance/rest.c, balance/motion.c, formulate/least_impact.c;
   begun by ss_recover). */
typedef struct ss_motions {
    ss_motion_verdict verdict; /* is v_next the only one?                                       */
    double           *other;   /* (nv) if not: where it may go besides                          */
    bool              rested;  /* rest was taken where the step has another solution too        */
    bool              several; /* of several outcomes of an impact the least was taken          */
    bool              preload; /* rest without momentum has forces, but none that the load makes */
    int32_t           unheld;  /* a body that a force acts on and nothing touches, -1: none     */
    int32_t           moves;   /* first body of a large island that cannot rest, + 1; 0: none   */
} ss_motions;

/* The proof that nothing balances the forces of a step without momentum (analysis/witness.c). */
typedef struct ss_witness {
    ss_balance_verdict verdict;
    int32_t            body;  /* that the load does most work on in it                    */
    double            *w;     /* (nv) velocities, the fastest point at 1 m/s              */
    double             power; /* of the load along them, less what bounded friction takes */
} ss_witness;

/* What a contact with two coefficients of friction is taken for in this round
   (rounds/reason_sticking.c). */
typedef struct ss_sticking_now {
    uint64_t key;
    double   slip[5];   /* at the start of the step, in its rows */
    double   speed;     /* its length */
    double   beyond[5]; /* .. of driven surfaces then, beyond their mean over the step */
    double   sure;      /* least slip that shows: velocities of driven bodies are estimated */
    bool     sticks;
    bool     torn; /* static friction did not hold it in this step */
    bool     late; /* it stuck to a driven body, and is slower or faster than that */
} ss_sticking_now;

typedef struct ss_sticking {
    ss_sticking_now *items;
    int32_t          count, capacity;
} ss_sticking;

/* Contacts whose gaps do not close in this step (rounds/reason_closing.c). */
typedef struct ss_left_open {
    uint64_t *keys; /* (count) in the order of blocks, round by round */
    int32_t   count, capacity;
} ss_left_open;

/* What a block of rows did in all parts of a step together (sim/tell_parts.c). */
typedef struct ss_told_block {
    ss_row_block    block;      /* as it was in the last part that it was there in ..       */
    int32_t         part;       /* .. which is this one                                    */
    bool            unique;     /* its reaction is the only one                            */
    double          impulse[6]; /* sums, in its rows                                       */
    ss_vec3         push, turn; /* contacts: the same as vectors: rows turn from part to part */
    double          closing[6]; /* .. of what closed joints at the ends of parts           */
    ss_wrench       reaction;   /* joints: sum of what holds them                          */
    ss_contact_info last;       /* contacts: as they were in that part                     */
} ss_told_block;

typedef struct ss_told_list {
    ss_told_block *items; /* (count) */
    int32_t        count, capacity;
    int32_t        parts; /* 1 at most: the step was taken whole, and its rows tell all     */
} ss_told_list;

/* What is kept whatever is tried next: stretches that have been taken, and within a stretch groups
   of bodies that have. */
enum { SS_KEEP_STRETCHES, SS_KEEP_GROUPS, SS_KEEP_LEVELS };

typedef struct ss_told {
    ss_told_list now;
    ss_told_list kept[SS_KEEP_LEVELS];
    int32_t      level; /* at which it is kept */
    int32_t     *at; /* (block_count) of the blocks of the last part: their place in `now`, or -1 */
    int32_t     *gone; /* (gone_count) places of contacts that it does not have    */
    int32_t      block_count, gone_count, at_capacity, gone_capacity;
} ss_told;

/* Times of stages, where they are asked for (sim/step.c). */
typedef struct ss_timing {
    bool   on;
    double lap; /* clock at the end of the last stage */
    double seconds[SS_STAGE_COUNT];
} ss_timing;

struct ss_data {
    ss_context     *ctx;
    const ss_model *model;
    ss_pool         pool; /* the arrays below whose size the model tells (data.c) */
    ss_expr_env    *env;  /* compiled expressions, NULL when the model has none */
    ss_arena        scratch;

    ss_state  state;
    ss_rounds rounds; /* rounds/, model/rounds.c */

    /* ---- stages ---- */

    /* ss_forces */
    ss_wrench *applied; /* (nb) */
    ss_wrench *active;  /* (nb) the part of it that pushes, constant forces and controllers make */
    ss_wrench *acting;  /* (2 x forces) what each force adds to its two bodies                   */

    /* ss_make_rows of joints, from round to round (rounds/reason_loads.c) */
    double        *trial_load; /* (nj) force of the constraint that friction bounds assume */
    ss_joint_loads loads;      /* .. and how they are led to agree: rows/joint_loads.c      */

    /* ss_make_rows of supports, likewise (rounds/reason_tilts.c) */
    ss_tilt *trial_tilt; /* (lift_count) what normal forces assume             */
    int32_t  tips;       /* a body that its points and pushers cannot hold; -1: none */

    /* who sleeps in this step: state.asleep, but for those that ss_broad wakes (dynamics/wake.c) */
    int32_t *asleep; /* (nb; sleep: false: 0) */

    /* ss_broad (dynamics/meet.c); speed_floor: rounds/reason_speed.c */
    ss_broadphase   *broad;
    ss_aabb         *boxes; /* (ng) */
    double          *speed; /* (nb) bound on how fast any point of the body may move in the step */
    ss_pair         *pairs;
    int32_t          pair_count, pair_capacity;
    ss_kept_contacts kept[2]; /* of the last round, and of this one: dynamics/kept_pairs.c        */
    double          *speed_floor; /* (nb) raised when a body turned out faster than its bound */
    double          *speed_found; /* (nb) that bound, before it is raised                     */
    double
        *speed_beside; /* (nb) the same as speed_floor, of speeds beside a body that goes evenly */
    double *moved; /* (nb; with momentum: 0) how far a body goes in the step, where bounds are far
                      more: slower                                                       */
    bool slower;   /* nothing counts as over a face that does not come over it by `moved`    */

    double closer; /* part of the motion error that islands are solved to: rounds/reason_gain.c   */

    /* ss_kinematics; going: midpoint/midpoint.c */
    const ss_twist *going; /* (nb) how moving bodies go, for forces: state.twist, or the mean    */
    ss_frame       *frame; /* (nb) centre-of-mass frames; kinematic bodies: at the end of the step,
                              but see ss_met_frame() */
    ss_frame *frame_was; /* (nb) kinematic bodies: at its start                                  */
    bool     *even; /* (nb) kinematic bodies that go straight on: ss_goes_evenly()               */
    ss_mat3  *inertia; /* (nb) world axes                                                      */
    ss_mat3  *inv_inertia; /* (nb) world axes                                                     */
    ss_quat  *turned; /* (nb) orientation (2D: w is the angle) that the above were made for       */
    ss_frame *geom_frame; /* (ng)                                                                 */

    ss_parted parted;
    ss_active near;

    /* ss_collide (corner/branches.c) */
    ss_contact_list contacts;
    ss_corners      corners;

    /* ss_make_rows; impulse: the guess, from ss_recover on the solution; gap: rounds/reason_ray.c
     */
    const struct ss_gap_class *gap; /* the model's, or what the step fell back on */
    ss_rows                    rows;
    double                    *support_mu;    /* (support_count) their friction            */
    double                    *support_force; /* (support_count) normal forces of the step */
    ss_vec3 contact_axes[3]; /* normal, t, o of the last contact that needed new ones */
    int32_t contact_axis;    /* .. and the axis that it was told to take                 */

    /* ss_formulate: matrix and v_free by the inertia axis, Y by local.c, the rest by islands.c */
    ss_body_matrix *matrix; /* (nb)                                                  */
    double         *full;   /* (nb x 2 x dof x dof) where bodies have damping matrices */
    double         *v_free; /* (nv) velocities with no impulses: A^-1 b              */
    double         *v_now;  /* (nv) velocities at the start of the step              */
    double         *Y;      /* (nrows x 2 dof) A^-1 J' of each row, as J is stored   */
    ss_island      *islands;
    int32_t         island_count;
    int32_t        *local; /* (nb) place of a body in its island's list             */
    int32_t opposed; /* a joint that others keep from doing what it must, -1: none (eliminate.c) */
    bool    opposed_by_none; /* .. though nothing there is driven                                */
    /* Islands with more rows are put in global form: W would be large and mostly zero. A matter of
       speed alone: tests set them to 0 and to many and want the same motion. */
    int32_t local_rows, local_rows_joined;

    /* ss_solve_islands; made once (data.c) */
    ss_solver *solver;
    ss_solver *balancer; /* of balances of forces, posed as they are; NULL: rounds alone */
    ss_solver *every;    /* all outcomes of an impact; made when first needed */
    int32_t    threads;
    struct ss_worker {
        ss_context *ctx; /* messages of one thread must not overwrite another's */
        ss_solver  *solver;
    } * workers; /* (threads - 1) beside d->solver */

    /* ss_recover and what follows it in sim/step.c: the trial state */
    double   *v_next;     /* (nv) */
    ss_pose  *pose_next;  /* (nb) */
    ss_twist *twist_next; /* (nb) */

    /* certify/ */
    ss_ledger ledger;      /* of this step                                      */
    bool      pushed_hard; /* corrections as printed made energy in this step   */
    bool      placed;      /* bodies were put where they are since the last step */
    bool      thrown;      /* .. and given velocities, one by one (ss_data_set_body) */
    bool      jerked;      /* joints jerked in this step what was thrown against them */
    bool      beside;      /* a step beside another (sim/sensitivity.c), which jerks if that did */
    double    overlap_at_start; /* the deepest that the run began with (sim/start.c) */

    /* sim/commit.c */
    ss_step_report report;
    /* (memory_count) What controllers kept when they were last asked, and what they keep once the
     * step is over. */
    double *memory_asked, *memory_next;

    /* ---- methods ---- */

    ss_tried     tried;     /* rounds/                       */
    ss_motions   motions;   /* balance/                      */
    ss_witness   witness;   /* analysis/witness.c            */
    ss_shifted   shift;     /* recover/shift.c               */
    ss_prox      prox;      /* inertia/inertia_quasistatic.c */
    ss_impact    impact;    /* impact/impact_poisson.c       */
    ss_rebound  *rebound;   /* (nb) sim/rebound.c            */
    ss_had      *had;       /* (nb) certify/rates.c          */
    ss_midpoint  midpoint;  /* midpoint/                     */
    ss_implicit  implicit;  /* implicit/                     */
    ss_ending    ending;    /* implicit/joints_at_end.h      */
    ss_springs   springs;   /* compliant/                    */
    ss_sticking  sticking;  /* rounds/reason_sticking.c      */
    ss_left_open left_open; /* rounds/reason_closing.c       */
    ss_told      told;      /* sim/tell_parts.c              */
    double       part;      /* length of the last part of the step, whose rows these are */
    /* hybrid/impact.c: (nb) velocities of kinematic bodies at an impact that takes no time; NULL: a
       step of some time */
    const ss_twist    *at_impact;
    bool               at_instant; /* instant/: rows of no time, driven bodies go as twist_next   */
    ss_cut             cut;        /* sim/parts.h                   */
    ss_apart           apart;      /* sim/groups.c                   */
    struct ss_hybrid  *hybrid;     /* hybrid/; NULL: level: impulse */
    ss_motion_window   window;     /* hybrid/kinks.c: in which driven motions are smooth */
    struct ss_instant *judge;      /* sim/verdict.c; NULL: no verdicts are asked for */
    ss_effort          effort;     /* formulate/formulate.c, sim/step.c */
    ss_timing          timing;     /* sim/step.c                    */
};

/* A body where the state has it, as the scene's body frame, with this velocity of its centre. */
void ss_body_with(const ss_model *m, const ss_data *d, int32_t body, const ss_twist *twist,
                  ss_body_state *out);

/* Is the body left out of this step? */
static inline bool ss_sleeps(const ss_data *d, int32_t body)
{
    return d->model->simulation.sleep && d->asleep[body] != 0;
}

/* Do the bodies of a block move smoothly, in the sense of integrator: midpoint? */
static inline bool ss_block_smooth(const ss_data *d, const ss_row_block *b)
{
    return d->midpoint.smooth[ss_block_mover(b)];
}

/* .. and are its rows those of the middle of the step, with no push in their biases, but with what
   turns and what is driven? */
static inline bool ss_block_in_middle(const ss_data *d, const ss_row_block *b)
{
    return d->midpoint.pass > 0 && ss_block_smooth(d, b);
}

/* What went wrong with an expression of the model, with whose it is and when it was. */
ss_status ss_expression_failed(const ss_data *d, int32_t index, double t, ss_status status);

/* Everything but the starting state (sim/start.c puts that in). */
ss_status ss_data_build(ss_context *ctx, const ss_model *m, ss_data **out);

/* For public calls: model and data are there and belong together, and so is `out`. */
ss_status ss_data_given(const ss_model *m, const ss_data *d, const void *out);
/* "there is no contact 7, only 0 to 3" */
ss_status ss_data_in_range(const ss_data *d, const char *noun, int32_t index, int32_t count);

/* What a block did in all parts of the last step; NULL: it was taken whole, and its rows tell. The
   contacts of earlier parts that are gone in the last one (told.c). */
const ss_told_block *ss_told_of(const ss_data *d, const ss_row_block *b);
int32_t              ss_gone_contacts(const ss_data *d);
const ss_told_block *ss_gone_contact(const ss_data *d, int32_t number);
/* What blocks of joints and supports did that the last part does not have. */
const ss_told_block *ss_gone_block(const ss_data *d, int32_t *cursor);

#endif
