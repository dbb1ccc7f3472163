/* SPDX-License-Identifier: Apache-2.0 */
/* Plug-ins that do not fit, one for each value of MISFIT; plugins.py knows the message of each. */
#include <stickslip/plugin.h>

static int nothing(const void *settings, const ss_force_view *now, ss_load load[2])
{
    (void)settings, (void)now, (void)load;
    return 0;
}

static double straight(double gap)
{
    return gap;
}

#if MISFIT == 0 /* no table at all */
const int not_a_plugin = 1;
#elif MISFIT == 1  /* of another interface */
SS_PLUGIN_TABLE = {99, SS_PLUGIN_STRUCTS, {0}, "0.1", "other", "other"};
#elif MISFIT == 2  /* more structs */
SS_PLUGIN_TABLE = {SS_PLUGIN_ABI, SS_PLUGIN_STRUCTS + 1, {0}, "0.1", "other", "x"};
#elif MISFIT == 3  /* other sizes */
SS_PLUGIN_TABLE = {SS_PLUGIN_ABI, SS_PLUGIN_STRUCTS, {sizeof(ss_option), 7}, "0.1", "other", "x"};
#elif MISFIT == 4  /* another version */
SS_PLUGIN_TABLE = {SS_PLUGIN_ABI, SS_PLUGIN_STRUCTS, {SS_PLUGIN_STRUCT_LIST(SS_PLUGIN_SIZE)},
                   "9.9",         "other",           "x"};
#elif MISFIT == 5  /* no name */
SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "two words", "x"};
#elif MISFIT == 6  /* a name that is taken, after one that is not */
static const ss_force_kind        fresh    = {.name = "fresh", .bodies = 1, .apply = nothing};
static const ss_force_kind        spring   = {.name = "spring", .bodies = 2, .apply = nothing};
static const ss_force_kind *const forces[] = {&fresh, &spring, NULL};
SS_PLUGIN_TABLE                            = {SS_PLUGIN_HEADER, "taken", "x", .forces = forces};
#elif MISFIT == 7  /* an axis that takes none */
static const ss_axis_kind cone = {
    .axis = "cone", .name = "mine", .like = "polygon", .seen = straight};
static const ss_axis_kind *const axes[] = {&cone, NULL};
SS_PLUGIN_TABLE                         = {SS_PLUGIN_HEADER, "cone", "x", .axes = axes};
#elif MISFIT == 8  /* like nothing */
static const ss_axis_kind gap = {
    .axis = "gap", .name = "mine", .like = "nothing", .seen = straight};
static const ss_axis_kind *const axes[] = {&gap, NULL};
SS_PLUGIN_TABLE                         = {SS_PLUGIN_HEADER, "gap", "x", .axes = axes};
#elif MISFIT == 9  /* a function that nobody has */
extern void ss_that_nobody_has(void);
void (*const wanted)(void) = ss_that_nobody_has;
SS_PLUGIN_TABLE            = {SS_PLUGIN_HEADER, "wants", "x"};
#elif MISFIT == 10 /* a kind of bodies without a function */
static const ss_body_kind        body     = {.name = "empty", .type = SS_BODY_KINEMATIC};
static const ss_body_kind *const bodies[] = {&body, NULL};
SS_PLUGIN_TABLE                           = {SS_PLUGIN_HEADER, "empty", "x", .bodies = bodies};
#elif MISFIT == 11 /* contacts that are none */
static void contacts(const ss_geom *a, const ss_frame *fa, const ss_geom *b, const ss_frame *fb,
                     double reach, struct ss_contact_list *out)
{
    (void)a, (void)b, (void)reach;
    ss_contact_add(out, 1, 1, fa->p, fb->p, ss_v3(0, 0, 2), 0);
}
static double gap(const ss_geom *a, const ss_frame *fa, const ss_geom *b, const ss_frame *fb,
                  double enough, ss_vec3 *normal)
{
    (void)a, (void)b, (void)fa, (void)fb, (void)enough;
    *normal = ss_v3(0, 0, 1);
    return 0;
}
static const ss_pair_class        pair    = {"plane", "sphere", 3, contacts, gap};
static const ss_pair_class *const pairs[] = {&pair, NULL};
SS_PLUGIN_TABLE                           = {SS_PLUGIN_HEADER, "wrong", "x", .pairs = pairs};
#endif

/* Not every one of them uses both. */
const void *const misfit_used[] = {(const void *)nothing, (const void *)straight};
