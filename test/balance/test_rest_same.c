/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether bodies rest is a property of the scene: it does not depend on the step, on the units, on
 * where up is, on left and right, nor on the order in which bodies and joints are listed. Scenes in
 * which rest is one of several solutions, and the solver's own choice is chance.
 */
#include "world.h"

enum { BODIES = 16, JOINTS = 4, TEXT = 6000 };

typedef enum kind { WALL, DISC, BOX, BLADE } kind;

typedef struct part {
    char   name[16];
    kind   kind;
    double x, y, angle, mass;
    double a, b; /* of walls their normal; radius; width and height; length and thickness */
} part;

typedef struct link {
    const char *type;
    int         body[2]; /* -1: the world */
    double      x, y;    /* anchor, or axis */
    double      friction, speed, most, stiffness, rest;
    double      limit; /* to both sides; 0: none */
} link;

typedef struct stage {
    int    bodies, joints;
    part   body[BODIES];
    link   joint[JOINTS];
    double mu, gx, gy, h;
    double pull; /* m/s^2 of the load */
} stage;

static int add(stage *s, kind k, double x, double y, double a, double b)
{
    part *p = &s->body[s->bodies];
    *p      = (part){.kind = k, .x = x, .y = y, .a = a, .b = b, .mass = 1};
    snprintf(p->name, sizeof p->name, "b%d", s->bodies);
    return s->bodies++;
}

static link *join(stage *s, const char *type, int a, int b)
{
    s->joint[s->joints] = (link){.type = type, .body = {a, b}};
    return &s->joint[s->joints++];
}

static stage begin(double mu)
{
    return (stage){.mu = mu, .gy = -9.81, .h = 0.005, .pull = 9.81};
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void add_walls(stage *s, double left, double right)
{
    add(s, WALL, left, 0, 1, 0);
    add(s, WALL, right, 0, -1, 0);
}

/* Four rows of logs, some heavy, two of them guided on each other and held up by a spring. */
static stage logs(void)
{
    static const double mass[] = {0.5, 1, 1, 1, 3, 3, 1, 0.5, 1, 0.5};
    stage               s      = begin(0.8);
    add(&s, WALL, 0, 0, 0, 1);
    for (int row = 0, k = 0; row < 4; row++) {
        for (int i = 0; i < 4 - row; i++, k++) {
            int b = add(&s, DISC, 0.2 * i + 0.1 * row, 0.1 + 0.17320508075688773 * row, 0.1, 0);
            s.body[b].mass = mass[k];
        }
    }
    link *j      = join(&s, "prismatic", 6, 9);
    j->y         = 1;
    j->stiffness = 200;
    j->rest      = 0.001;
    return s;
}

/* Boxes in a row between walls, one on a hinge that its friction and a motor hold. */
static stage row_of_boxes(void)
{
    stage s = begin(0.8);
    add_walls(&s, 0, 1.2);
    for (int i = 0; i < 4; i++) {
        add(&s, BOX, 0.15 + 0.3 * i, i == 3 ? 0.03 : 0, 0.3, 0.8);
    }
    link *j     = join(&s, "revolute", -1, 4);
    j->x        = 0.65;
    j->y        = 0.3;
    j->friction = 0.5;
    j->most     = 4;
    j->limit    = 0.05;
    return s;
}

static stage flat_box(void)
{
    stage s = begin(1);
    add_walls(&s, -0.5, 0.5);
    add(&s, BOX, 0, 0, 1, 0.1);
    return s;
}

/* .. on two hinges, with friction and a motor that holds: nothing is left for the walls to bear. */
static stage hinged_box(void)
{
    stage s = begin(0.8);
    add_walls(&s, 0, 0.5);
    add(&s, BOX, 0.25, 0, 0.5, 0.4);
    s.body[2].mass = 2;
    for (int k = 0; k < 2; k++) {
        link *j     = join(&s, "revolute", -1, 2);
        j->x        = k == 0 ? 0.25 : 0.35;
        j->y        = k == 0 ? 0.3 : 0;
        j->friction = k == 0 ? 5 : 0.5;
        j->most     = k == 0 ? 4 : 0;
    }
    return s;
}

/* A box that merely touches two blocks on the floor, which a rod or a hinge joins. */
static stage between_blocks(bool hinge)
{
    stage s = begin(hinge ? 1.2 : 0.2);
    add(&s, WALL, 0, 0, 0, 1);
    int a = add(&s, BOX, -1, 0.5, 1, 1), b = add(&s, BOX, 1, 0.5, 1, 1);
    add(&s, BOX, 0, 0.5, 1, 0.1);
    s.body[a].mass = s.body[b].mass = 5;
    link *j                         = join(&s, hinge ? "revolute" : "distance", a, b);
    j->y                            = 0.5;
    j->friction                     = hinge ? 0.5 : 0;
    return s;
}

static stage blocks_on_a_rod(void)
{
    return between_blocks(false);
}

static stage blocks_on_a_hinge(void)
{
    return between_blocks(true);
}

/* A flat arch of four boxes: it presses the walls with a hundred times its weight. */
static stage arch_of(double mu)
{
    static const double height[] = {0.0308, 0.0355, 0.0399};
    stage               s        = begin(mu);
    add_walls(&s, 0, 1.2);
    for (int i = 0; i < 4; i++) {
        add(&s, BOX, 0.15 + 0.3 * i, 0, 0.3, 0.1);
    }
    for (int i = 0; i < 3; i++) {
        link *j = join(&s, "revolute", 2 + i, 3 + i);
        j->x    = 0.3 * (i + 1);
        j->y    = height[i];
    }
    s.joint[0].friction = 0.5;
    return s;
}

static stage arch(void)
{
    return arch_of(0.7);
}

static stage slippery_arch(void)
{
    return arch_of(0.3);
}

/* A ladder with the friction m of floor and wall: it stands from tan(a) = (1 - m^2)/(2 m) on. */
static stage ladder_at(double load)
{
    stage  s = begin(0.4);
    double a = atan((1 - 0.16) / 0.8 / load);
    add(&s, WALL, 0, 0, 0, 1);
    add(&s, WALL, 0, 0, 1, 0);
    int b           = add(&s, BLADE, 0.5 * cos(a), 0.5 * sin(a), 1, 0.04);
    s.body[b].angle = acos(-1) - a;
    return s;
}

static stage steep_ladder(void)
{
    return ladder_at(0.97);
}

static stage flat_ladder(void)
{
    return ladder_at(1.03);
}

/* Jaws that press a box: 2 m F = weight is the least. */
static stage jaws_at(double load)
{
    stage s = begin(0.5);
    for (int k = 0; k < 2; k++) {
        add(&s, BOX, k == 0 ? -0.3 : 0.3, 0, 0.2, 0.4);
        link *j  = join(&s, "prismatic", -1, k);
        j->x     = 1;
        j->speed = k == 0 ? 0.1 : -0.1;
        j->most  = 9.81 / load;
    }
    add(&s, BOX, 0, 0.05, 0.4, 0.3);
    return s;
}

static stage firm_jaws(void)
{
    return jaws_at(0.97);
}

static stage loose_jaws(void)
{
    return jaws_at(1.03);
}

/* .. without weight, and a third motor that pulls the box out. */
static stage weightless_jaws_at(double load)
{
    stage s       = jaws_at(1);
    int   box     = s.bodies - 1;
    s.gy          = 0;
    s.body[box].y = 0;
    link *j       = join(&s, "prismatic", -1, box);
    j->y          = 1;
    j->speed      = -0.1;
    j->most       = 9.81 * load;
    return s;
}

static stage firm_weightless_jaws(void)
{
    return weightless_jaws_at(0.97);
}

static stage loose_weightless_jaws(void)
{
    return weightless_jaws_at(1.03);
}

/* ---- the same scene otherwise ---------------------------------------------------------------- */

static void turn(double *x, double *y, double angle)
{
    double c = cos(angle), s = sin(angle), a = *x;
    *x = c * a - s * *y;
    *y = s * a + c * *y;
}

static void turn_stage(stage *s, double angle)
{
    turn(&s->gx, &s->gy, angle);
    for (int i = 0; i < s->bodies; i++) {
        part *p = &s->body[i];
        turn(&p->x, &p->y, angle);
        if (p->kind == WALL) {
            turn(&p->a, &p->b, angle);
        } else {
            p->angle += angle;
        }
    }
    for (int i = 0; i < s->joints; i++) {
        turn(&s->joint[i].x, &s->joint[i].y, angle);
    }
}

static void mirror(stage *s)
{
    s->gx = -s->gx;
    for (int i = 0; i < s->bodies; i++) {
        s->body[i].x     = -s->body[i].x;
        s->body[i].angle = -s->body[i].angle;
        s->body[i].a     = s->body[i].kind == WALL ? -s->body[i].a : s->body[i].a;
    }
    for (int i = 0; i < s->joints; i++) {
        s->joint[i].x = -s->joint[i].x;
        if (strcmp(s->joint[i].type, "revolute") == 0) {
            s->joint[i].speed = -s->joint[i].speed;
        }
    }
}

/* Units of length, mass and time. */
static void rescale(stage *s, double L, double M, double T)
{
    double force = M * L / (T * T);
    s->gx *= L / (T * T);
    s->gy *= L / (T * T);
    s->pull *= L / (T * T);
    s->h *= T;
    for (int i = 0; i < s->bodies; i++) {
        part *p = &s->body[i];
        p->x *= L;
        p->y *= L;
        p->mass *= M;
        p->a *= p->kind == WALL ? 1 : L;
        p->b *= p->kind == WALL ? 1 : L;
    }
    for (int i = 0; i < s->joints; i++) {
        link  *j = &s->joint[i];
        double x = strcmp(j->type, "revolute") == 0 ? 1 : L; /* of what it measures */
        j->x *= strcmp(j->type, "prismatic") == 0 ? 1 : L;
        j->y *= strcmp(j->type, "prismatic") == 0 ? 1 : L;
        j->friction *= force * L / x;
        j->most *= force * L / x;
        j->speed *= x / T;
        j->stiffness *= M / (T * T);
        j->rest *= x;
    }
}

/* The order in which the file lists them: bodies and joints from the back, or from the middle. */
static int listed(int i, int n, int order)
{
    return order == 0 ? i : order == 1 ? n - 1 - i : (i + n / 2) % n;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void put_body(char *text, const part *p)
{
    static const char *const shape[] = {"halfplane: {normal: [%.17g, %.17g]}",
                                        "disc: {radius: %.17g}", "box: {size: [%.17g, %.17g]}"};
    size_t                   n       = strlen(text);
    n += (size_t)snprintf(text + n, TEXT - n, "  - {name: %s, type: %s, position: [%.17g, %.17g]",
                          p->name, p->kind == WALL ? "static" : "dynamic", p->x, p->y);
    if (p->kind != WALL) {
        n += (size_t)snprintf(text + n, TEXT - n, ", angle: %.17g, mass: %.17g", p->angle, p->mass);
    }
    n += (size_t)snprintf(text + n, TEXT - n, ", shape: {");
    if (p->kind == BLADE) {
        n += (size_t)snprintf(text + n, TEXT - n,
                              "polygon: {points: [[%.17g, 0], [0, %.17g], [%.17g, 0], [0, %.17g]]}",
                              -p->a / 2, -p->b / 2, p->a / 2, p->b / 2);
    } else {
        n += (size_t)snprintf(text + n, TEXT - n, shape[p->kind], p->a, p->b);
    }
    snprintf(text + n, TEXT - n, "}}\n");
}

static void put_joint(char *text, const stage *s, int i)
{
    const link *j = &s->joint[i];
    size_t      n = strlen(text);
    n += (size_t)snprintf(text + n, TEXT - n, "  - {name: j%d, type: %s, bodies: [%s, %s]", i,
                          j->type, j->body[0] < 0 ? "world" : s->body[j->body[0]].name,
                          s->body[j->body[1]].name);
    if (strcmp(j->type, "distance") != 0) {
        n += (size_t)snprintf(text + n, TEXT - n, ", %s: [%.17g, %.17g]",
                              strcmp(j->type, "prismatic") == 0 ? "axis" : "anchor", j->x, j->y);
    }
    if (j->friction > 0) {
        n += (size_t)snprintf(text + n, TEXT - n, ", friction: %.17g", j->friction);
    }
    if (j->most > 0) {
        n += (size_t)snprintf(text + n, TEXT - n, ", motor: {velocity: %.17g, max: %.17g}",
                              j->speed, j->most);
    }
    if (j->stiffness > 0) {
        n += (size_t)snprintf(text + n, TEXT - n, ", stiffness: %.17g, rest: %.17g", j->stiffness,
                              j->rest);
    }
    if (j->limit > 0) {
        n += (size_t)snprintf(text + n, TEXT - n, ", limits: [%.17g, %.17g]", -j->limit, j->limit);
    }
    snprintf(text + n, TEXT - n, "}\n");
}

static bool rests(const stage *s, int order, const char *model)
{
    char  text[TEXT];
    world w;
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [%.17g, %.17g]\nmaterials: {default: {friction: %.17g}}\n"
             "simulation: {step: %.17g, duration: 1, model: {%s}}\nbodies:\n",
             s->gx, s->gy, s->mu, s->h, model);
    for (int i = 0; i < s->bodies; i++) {
        put_body(text, &s->body[listed(i, s->bodies, order)]);
    }
    strcat(text, s->joints > 0 ? "joints:\n" : "");
    for (int i = 0; i < s->joints; i++) {
        put_joint(text, s, listed(i, s->joints, order));
    }
    open_text(&w, text);
    ss_status status  = ss_step(w.model, w.data, s->h);
    double    fastest = 0;
    for (int32_t i = 0; i < ss_model_body_count(w.model); i++) {
        fastest = fmax(fastest, ss_norm(body(&w, i).velocity));
    }
    close_world(&w);
    /* without momentum what nothing holds ends by name */
    assert_true(status == SS_OK || (status == SS_ERR_CERTIFICATE && strstr(model, "quasi")));
    return status == SS_OK && fastest < 1e-6 * s->pull * s->h;
}

static void assert_verdict(const char *name, const char *how, const stage *s, int order,
                           const char *model, bool expected)
{
    if (rests(s, order, model) != expected) {
        fail_msg("%s, %s (%s): %s", name, how, model, expected ? "it moves" : "it rests");
    }
}

typedef struct example {
    const char *name;
    stage (*make)(void);
    bool rests;
} example;

static const example examples[] = {
    {"logs", logs, true},
    {"boxes in a row between walls", row_of_boxes, false},
    {"a flat box between walls", flat_box, false},
    {"a box on two hinges between walls", hinged_box, true},
    {"a box between blocks on a rod", blocks_on_a_rod, false},
    {"a box between blocks on a hinge", blocks_on_a_hinge, false},
    {"an arch", arch, true},
    {"a slippery arch", slippery_arch, false},
    {"a steep ladder", steep_ladder, true},
    {"a flat ladder", flat_ladder, false},
    {"firm jaws", firm_jaws, true},
    {"loose jaws", loose_jaws, false},
    {"firm jaws without weight", firm_weightless_jaws, true},
    {"loose jaws without weight", loose_weightless_jaws, false},
};

static const char *const models[] = {"inertia: dynamic", "inertia: dynamic, integrator: euler",
                                     "inertia: quasistatic"};

static void of_the_step(const example *e, const char *model)
{
    for (int k = 0; k < 4; k++) {
        stage s = e->make();
        s.h     = pow(10, -2 - k);
        assert_verdict(e->name, "another step", &s, 0, model, e->rests);
    }
}

static void of_directions(const example *e, const char *model)
{
    static const double angles[] = {0, 0.3, 1.5707963267948966, 2.1};
    for (int k = 0; k < 8; k++) {
        stage s = e->make();
        if (k >= 4) {
            mirror(&s);
        }
        turn_stage(&s, angles[k % 4]);
        assert_verdict(e->name, k >= 4 ? "mirrored and turned" : "turned", &s, 0, model, e->rests);
    }
}

static void of_units(const example *e, const char *model)
{
    static const double units[][3] = {{1e-3, 1e-6, 1}, {1, 1, 100}, {100, 1e5, 1}, {1, 1e-9, 1}};
    for (int k = 0; k < 4; k++) {
        stage s = e->make();
        rescale(&s, units[k][0], units[k][1], units[k][2]);
        assert_verdict(e->name, "in other units", &s, 0, model, e->rests);
    }
}

static void of_the_order(const example *e, const char *model)
{
    for (int order = 1; order <= 2; order++) {
        stage s = e->make();
        assert_verdict(e->name, "in another order", &s, order, model, e->rests);
    }
}

static void verdicts_are_independent(void (*of)(const example *, const char *))
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
            of(&examples[i], models[k]);
        }
    }
}

static void independent_of_the_step(void **state)
{
    (void)state;
    verdicts_are_independent(of_the_step);
}

static void independent_of_directions(void **state)
{
    (void)state;
    verdicts_are_independent(of_directions);
}

static void independent_of_units(void **state)
{
    (void)state;
    verdicts_are_independent(of_units);
}

static void independent_of_the_order(void **state)
{
    (void)state;
    verdicts_are_independent(of_the_order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_of_the_step),
        cmocka_unit_test(independent_of_directions),
        cmocka_unit_test(independent_of_units),
        cmocka_unit_test(independent_of_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
