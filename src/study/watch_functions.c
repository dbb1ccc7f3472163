/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What expressions over a run can ask about its present state: bodies, contacts, joints, energy,
 * verdicts. Names of bodies and joints reach a function as numbers (watch_text.h).
 */
#include "study/watch_parts.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "model/model.h"
#include "study/seen_from.h"

/* ---- names ---- */

static ss_status text_of(ss_watch *w, double number, const char **out, int32_t *index)
{
    if (!(number >= 0) || number >= w->book.text_count || number != floor(number)) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "it takes names in quotes, such as 'ball'");
    }
    *index = (int32_t)number;
    *out   = w->book.texts[*index];
    return SS_OK;
}

static ss_status body_of(ss_watch *w, double number, int32_t *body)
{
    const char *name  = NULL;
    int32_t     index = 0;
    SS_TRY(text_of(w, number, &name, &index));
    *body = w->body[index];
    return *body >= 0
               ? SS_OK
               : ss_fail(w->ctx, SS_ERR_INPUT, "there is no body '%.60s' in the scene", name);
}

static ss_status two_bodies(ss_watch *w, const double *args, int32_t count, int32_t body[2])
{
    if (count != 2) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "it takes two bodies");
    }
    SS_TRY(body_of(w, args[0], &body[0]));
    return body_of(w, args[1], &body[1]);
}

/* ---- the state of a body ---- */

typedef enum field {
    X,
    Y,
    Z,
    ANGLE,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    QW,
    QX,
    QY,
    QZ,
    SPEED,
    HEADING,
    FIELDS
} field;

static double turned_by(const ss_watch *w, const ss_body_state *s)
{
    const ss_quat *q = &s->quat_wxyz;
    return w->m->dimension == 2
               ? s->angle
               : 2 * ss_atan2(sqrt(q->x * q->x + q->y * q->y + q->z * q->z), fabs(q->w));
}

static ss_status read_field(ss_watch *w, field f, const double *args, int32_t count, double *out)
{
    ss_body_state s;
    int32_t       body = -1, frame = -1;
    if (count != 1 && count != 2) {
        return ss_fail(w->ctx, SS_ERR_INPUT,
                       "it takes a body, and another one in whose frame it is seen if need be");
    }
    SS_TRY(body_of(w, args[0], &body));
    if (count == 2) {
        SS_TRY(body_of(w, args[1], &frame));
        SS_TRY(ss_seen_from(w->m, w->d, body, frame, &s));
    } else {
        SS_TRY(ss_data_body(w->m, w->d, body, &s));
    }
    const double values[FIELDS] = {s.position.x,         s.position.y,
                                   s.position.z,         turned_by(w, &s),
                                   s.velocity.x,         s.velocity.y,
                                   s.velocity.z,         s.angular_velocity.x,
                                   s.angular_velocity.y, s.angular_velocity.z,
                                   s.quat_wxyz.w,        s.quat_wxyz.x,
                                   s.quat_wxyz.y,        s.quat_wxyz.z,
                                   ss_norm(s.velocity),  ss_heading(w->m->dimension, &s)};
    *out                        = values[f];
    return SS_OK;
}

#define FIELD_FUNCTION(name, f)                                                                    \
    static ss_status name(void *user, const double *args, int32_t count, double *out, bool *truth) \
    {                                                                                              \
        (void)truth;                                                                               \
        return read_field(user, f, args, count, out);                                              \
    }
FIELD_FUNCTION(fn_x, X)
FIELD_FUNCTION(fn_y, Y)
FIELD_FUNCTION(fn_z, Z)
FIELD_FUNCTION(fn_angle, ANGLE)
FIELD_FUNCTION(fn_vx, VX)
FIELD_FUNCTION(fn_vy, VY)
FIELD_FUNCTION(fn_vz, VZ)
FIELD_FUNCTION(fn_wx, WX)
FIELD_FUNCTION(fn_wy, WY)
FIELD_FUNCTION(fn_wz, WZ)
FIELD_FUNCTION(fn_qw, QW)
FIELD_FUNCTION(fn_qx, QX)
FIELD_FUNCTION(fn_qy, QY)
FIELD_FUNCTION(fn_qz, QZ)
FIELD_FUNCTION(fn_speed, SPEED)
FIELD_FUNCTION(fn_heading, HEADING)

/* ---- contacts ---- */

/* What the contacts between two bodies did in the last step. */
typedef struct between {
    ss_vec3 force;
    int32_t closed, slipping;
} between;

static ss_status look_between(ss_watch *w, const double *args, int32_t count, between *out)
{
    int32_t body[2];
    double  h = ss_data_report(w->d)->step;
    *out      = (between){0};
    SS_TRY(two_bodies(w, args, count, body));
    for (int32_t i = 0; i < ss_data_contact_count(w->d); i++) {
        ss_contact_info c;
        SS_TRY(ss_data_contact(w->m, w->d, i, &c));
        bool straight = c.body_a == body[0] && c.body_b == body[1];
        bool turned   = c.body_a == body[1] && c.body_b == body[0];
        if ((!straight && !turned) || c.state == SS_CONTACT_OPEN) {
            continue;
        }
        ss_vec3 p  = ss_add(ss_scale(c.impulse[0], c.normal),
                            ss_add(ss_scale(c.impulse[1], c.t), ss_scale(c.impulse[2], c.o)));
        out->force = ss_add(out->force, ss_scale((straight ? 1 : -1) / h, p));
        out->closed++;
        out->slipping += c.state == SS_CONTACT_SLIP;
    }
    return SS_OK;
}

static ss_status fn_touches(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    *truth = true;
    SS_TRY(look_between(user, args, count, &found));
    *out = found.closed > 0;
    return SS_OK;
}

static ss_status fn_slips(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    *truth = true;
    SS_TRY(look_between(user, args, count, &found));
    *out = found.slipping > 0;
    return SS_OK;
}

static ss_status fn_sticks(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    *truth = true;
    SS_TRY(look_between(user, args, count, &found));
    *out = found.closed > 0 && found.slipping == 0;
    return SS_OK;
}

static ss_status fn_apart(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    *truth = true;
    SS_TRY(look_between(user, args, count, &found));
    *out = found.closed == 0;
    return SS_OK;
}

static ss_status fn_force(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    (void)truth;
    SS_TRY(look_between(user, args, count, &found));
    *out = ss_norm(found.force);
    return SS_OK;
}

/* ---- the rest of the state ---- */

static ss_status no_arguments(ss_watch *w, int32_t count)
{
    return count == 0 ? SS_OK : ss_fail(w->ctx, SS_ERR_INPUT, "it takes no arguments");
}

static ss_status fn_time(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    *out = ss_watch_time(w);
    return no_arguments(w, count);
}

static ss_status fn_residual(void *user, const double *args, int32_t count, double *out,
                             bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    *out = w->residual;
    return no_arguments(w, count);
}

/* ---- the cycle of the study ---- */

static ss_status fn_cycle_found(void *user, const double *args, int32_t count, double *out,
                                bool *truth)
{
    ss_watch *w = user;
    (void)args;
    *truth = true;
    *out   = w->cycle != NULL && w->cycle->found;
    return no_arguments(w, count);
}

static ss_status fn_cycle_periods(void *user, const double *args, int32_t count, double *out,
                                  bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    *out = w->cycle != NULL ? w->cycle->tried : NAN;
    return no_arguments(w, count);
}

static ss_status fn_cycle_error(void *user, const double *args, int32_t count, double *out,
                                bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    *out = w->cycle != NULL ? w->cycle->error : NAN;
    return no_arguments(w, count);
}

static ss_status fn_cycle_speed(void *user, const double *args, int32_t count, double *out,
                                bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    *out = w->cycle != NULL ? w->cycle->speed : NAN;
    return no_arguments(w, count);
}

static ss_status fn_contacts(void *user, const double *args, int32_t count, double *out,
                             bool *truth)
{
    ss_watch *w = user;
    between   found;
    (void)truth;
    if (count == 0) {
        *out = ss_data_report(w->d)->contacts;
        return SS_OK;
    }
    SS_TRY(look_between(w, args, count, &found));
    *out = found.closed;
    return SS_OK;
}

static ss_status fn_energy(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    ss_energy e = ss_data_energy(w->m, w->d);
    *out        = e.kinetic + e.potential;
    return no_arguments(w, count);
}

/* Texts as numbers: equal texts are equal numbers. */
static ss_status give_text(ss_watch *w, const char *text, int32_t count, double *out)
{
    *out = ss_watch_text_number(&w->book, text, strlen(text));
    return no_arguments(w, count);
}

static ss_status fn_verdict(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w,
                     w->verdict == SS_TRIAL_PENDING ? "running" : ss_trial_status_text(w->verdict),
                     count, out);
}

static ss_status fn_hold(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w, ss_hold_text(ss_data_report(w->d)->hold), count, out);
}

static ss_status fn_motion(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w, ss_motion_verdict_text(ss_data_report(w->d)->motion), count, out);
}

static ss_status fn_unique(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w, ss_ruling_text(ss_data_report(w->d)->verdict.unique), count, out);
}

static ss_status fn_stable(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w, ss_ruling_text(ss_data_report(w->d)->verdict.stable), count, out);
}

static ss_status fn_joint(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch     *w     = user;
    const char   *name  = NULL;
    int32_t       index = 0;
    ss_joint_info info;
    (void)truth;
    if (count != 1) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "it takes a joint");
    }
    SS_TRY(text_of(w, args[0], &name, &index));
    if (w->joint[index] < 0) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "there is no joint '%.60s' in the scene", name);
    }
    SS_TRY(ss_data_joint(w->m, w->d, w->joint[index], &info));
    *out = info.value[0];
    return SS_OK;
}

static ss_status fn_param(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)truth;
    *out = ss_scene_param_value(w->scene, count == 1 ? (int32_t)args[0] : -1);
    return SS_OK;
}

static ss_status fn_sampled(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    if (count != 1 || !(args[0] >= 0) || args[0] >= w->book.sample_count) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "'sampled' is no function of expressions");
    }
    const ss_sample *s        = &w->samples[(int32_t)args[0]];
    bool             averaged = s->kind == SS_SAMPLE_MEAN || ss_sample_is_periodic(s->kind);
    *out                      = ss_sample_value(s);
    *truth                    = s->kind == SS_SAMPLE_REST || (s->truth && !averaged);
    if (*truth && isnan(*out)) {
        *out = 0; /* not reached is not true */
    }
    return SS_OK;
}

/* ---- which there are ---- */

const ss_watch_doc ss_watch_docs[] = {
    {"x", "x(BODY), x(BODY, IN)", "position of the body frame; IN: as seen from that body's frame"},
    {"y", "y(BODY), y(BODY, IN)", "the same along y"},
    {"z", "z(BODY), z(BODY, IN)", "the same along z"},
    {"angle", "angle(BODY)", "2D: its angle, all turns counted; 3D: how far it is turned"},
    {"heading", "heading(BODY)", "3D: the angle by which it is turned about z; 2D: its angle"},
    {"vx", "vx(BODY), vy, vz", "velocity of the body frame's origin"},
    {"wx", "wx(BODY), wy, wz", "angular velocity; 2D: wz"},
    {"qw", "qw(BODY), qx, qy, qz", "orientation as a quaternion"},
    {"speed", "speed(BODY)",
     "size of the velocity; this and all above take IN as a second body, too"},
    {"touches", "touches(A, B)", "does a contact between the two carry a force?"},
    {"slips", "slips(A, B)", "does one of them slide?"},
    {"sticks", "sticks(A, B)", "do they touch, and does nothing slide?"},
    {"apart", "apart(A, B)", "does no contact between the two carry a force?"},
    {"force", "force(A, B)", "size of the force between the two, newtons, mean of the step"},
    {"contacts", "contacts, contacts(A, B)",
     "how many contacts; between the two: that carry force"},
    {"joint", "joint(NAME)", "coordinate of a joint"},
    {"energy", "energy", "kinetic and potential energy of everything"},
    {"at_rest", "at_rest(SECONDS)", "has nothing moved for so long?"},
    {"time", "time", "seconds since the start"},
    {"residual", "residual", "the worst certificate so far"},
    {"verdict", "verdict", "'running', at the end 'done' or 'stopped'"},
    {"hold", "hold", "'free', 'jammed', 'wedged', .. as the last step found the contacts"},
    {"motion", "motion", "'unique', 'not unique', 'undecided': the motion of the last step"},
    {"unique", "unique",
     "'yes', 'no', 'undecided', 'not applicable': was the motion from the state "
     "before the last step the only one? (`simulation: {verdicts: true}`)"},
    {"stable", "stable", "likewise: are the contacts that bear forces stable?"},
    {"max", "max(EXPR), min(EXPR)", "the largest, the smallest over the run"},
    {"mean", "mean(EXPR)", "the mean over the run, over time"},
    {"at", "at(T, EXPR)", "the value at time T; NaN when the run ends before"},
    {"period_mean", "period_mean(T, EXPR), period_mean(T, EXPR, FROM)",
     "the mean over the whole periods of T seconds that fit into the run, from FROM on; of "
     "sticks, slips, apart: the share of time"},
    {"drift", "drift(T, EXPR), drift(T, EXPR, FROM)",
     "the mean rate at which EXPR rises over these periods"},
    {"asymptotic", "asymptotic(T, EXPR), asymptotic(T, EXPR, FROM)",
     "the rate that EXPR settles to, extrapolated from the last three periods (Aitken)"},
    {"asymptotic_error", "asymptotic_error(T, EXPR), ..",
     "its convergence: by how much the last two extrapolations differ"},
    {"cycle_found", "cycle_found", "`cycle`: does a period repeat itself?"},
    {"cycle_error", "cycle_error", "`cycle`: how well, as a share of the speeds in it"},
    {"cycle_periods", "cycle_periods", "`cycle`: periods that it took to find it"},
    {"cycle_speed", "cycle_speed", "`cycle`: the largest speed in a period, as seen from IN"},
    {NULL, NULL, NULL},
};

static const struct {
    const char *name;
    ss_expr_fn  fn;
} known[] = {
    {"x", fn_x},
    {"y", fn_y},
    {"z", fn_z},
    {"angle", fn_angle},
    {"vx", fn_vx},
    {"vy", fn_vy},
    {"vz", fn_vz},
    {"wx", fn_wx},
    {"wy", fn_wy},
    {"wz", fn_wz},
    {"qw", fn_qw},
    {"qx", fn_qx},
    {"qy", fn_qy},
    {"qz", fn_qz},
    {"speed", fn_speed},
    {"heading", fn_heading},
    {"cycle_found", fn_cycle_found},
    {"cycle_periods", fn_cycle_periods},
    {"cycle_error", fn_cycle_error},
    {"cycle_speed", fn_cycle_speed},
    {"touches", fn_touches},
    {"slips", fn_slips},
    {"sticks", fn_sticks},
    {"apart", fn_apart},
    {"force", fn_force},
    {"time", fn_time},
    {"residual", fn_residual},
    {"hold", fn_hold},
    {"motion", fn_motion},
    {"unique", fn_unique},
    {"stable", fn_stable},
    {"energy", fn_energy},
    {"contacts", fn_contacts},
    {"joint", fn_joint},
    {"param", fn_param},
    {"sampled", fn_sampled},
    {"verdict", fn_verdict},
};

ss_status ss_watch_add_functions(ss_watch *w)
{
    enum { COUNT = (int)(sizeof known / sizeof known[0]) };
    ss_expr_function *functions = ss_pool_alloc(&w->pool, COUNT, sizeof *functions);
    if (functions == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int i = 0; i < COUNT; i++) {
        functions[i] = (ss_expr_function){.name = known[i].name, .fn = known[i].fn, .user = w};
        SS_TRY(ss_expr_set_function(w->env, &functions[i]));
    }
    return SS_OK;
}
