/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze_state.h"

#include <math.h>
#include <string.h>

const char *ss_answer_text(ss_answer answer)
{
    return answer == SS_YES ? "yes" : answer == SS_NO ? "no" : "undecided";
}

bool ss_state_certain(const ss_instant_verdict *v)
{
    return v->exists != SS_NO && v->unique != SS_NO && v->stable != SS_NO && v->p_matrix != SS_NO;
}

const char *ss_state_summary(const ss_instant_verdict *v)
{
    if (v->refused != NULL) {
        return "not applicable";
    }
    if (v->striking > 0) {
        return "impact";
    }
    if (v->contacts == 0 && v->other == 0) {
        return "free";
    }
    if (v->giving > 0) {
        return "contacts that give";
    }
    if (v->exists != SS_YES) {
        return v->exists == SS_NO ? "no solution" : "undecided";
    }
    return v->unique == SS_YES  ? "one solution"
           : v->unique == SS_NO ? "several solutions"
                                : "solved";
}

/* ---- text ---- */

static void print_answer(FILE *out, const char *what, ss_answer answer, const char *yes,
                         const char *no, const char *why)
{
    if (answer == SS_UNDECIDED) {
        fprintf(out, "%-10s %s\n", what, why != NULL ? why : "undecided");
    } else if (answer == SS_NO && why != NULL) {
        fprintf(out, "%-10s %s: %s\n", what, no, why);
    } else {
        fprintf(out, "%-10s %s\n", what, answer == SS_YES ? yes : no);
    }
}

static void print_layers(FILE *out, const ss_instant_verdict *v)
{
    if (v->stable == SS_YES) {
        fprintf(out, "%-10s stable%s\n", "layers",
                v->critical > 0 ? "" : ": whatever stiffness and damping the contacts have");
    } else if (v->stable == SS_NO && isinf(v->critical)) {
        fprintf(out, "%-10s unstable, whatever stiffness and damping the contacts have\n",
                "layers");
    } else {
        fprintf(out, "%-10s %s\n", "layers", v->stable == SS_NO ? "unstable" : v->stable_why);
    }
    if (v->critical > 0 && isfinite(v->critical)) {
        fprintf(out, "%-10s stable for c^2/k > %.6g (k/e, c/sqrt(e) per kg, e -> 0)\n", "",
                v->critical);
    }
}

static void print_painleve(FILE *out, const ss_instant_verdict *v)
{
    if (v->sliding == 0) {
        return;
    }
    fprintf(out, "%-10s %.4g of the frictionless normal response at the worst contact; ",
            "painleve", v->painleve);
    if (isinf(v->mu_border)) {
        fprintf(out, "no friction makes it vanish\n");
    } else if (v->mu_border >= 0) {
        fprintf(out, "the paradox begins %.6g higher in mu\n", v->mu_border);
    } else {
        fprintf(out, "paradox: it began %.6g lower in mu\n", -v->mu_border);
    }
}

/* Is the force of a contact the only one? */
static const char *unique_text(const ss_instant_force *f)
{
    bool normal = f->unique == SS_NO && f->normal_unique == SS_YES;
    return normal ? "normal only" : ss_answer_text(f->unique);
}

static bool same(ss_vec3 a, ss_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool body_roams(const ss_instant *s, int32_t solution, int32_t body)
{
    ss_body_motion low, high;
    ss_instant_range_at(s, solution, body, &low, &high);
    return !same(low.velocity, high.velocity) || !same(low.angular_velocity, high.angular_velocity);
}

/* How far a motion of a continuum reaches. */
static void print_range(FILE *out, const ss_instant *s, int32_t solution, int32_t body)
{
    ss_body_motion low, high;
    ss_instant_range_at(s, solution, body, &low, &high);
    const ss_vec3 *v[] = {&low.velocity, &high.velocity},
                  *w[] = {&low.angular_velocity, &high.angular_velocity};
    if (!body_roams(s, solution, body)) {
        return;
    }
    if (isnan(ss_dot(*v[0], *v[0]) + ss_dot(*w[0], *w[0]))) {
        fprintf(out, "    or otherwise: how far was not found out\n");
        return;
    }
    fprintf(out, "    or otherwise: x %.5g .. %.5g, y %.5g .. %.5g, z %.5g .. %.5g m/s2,\n",
            v[0]->x, v[1]->x, v[0]->y, v[1]->y, v[0]->z, v[1]->z);
    fprintf(out, "                  x %.5g .. %.5g, y %.5g .. %.5g, z %.5g .. %.5g rad/s2\n",
            w[0]->x, w[1]->x, w[0]->y, w[1]->y, w[0]->z, w[1]->z);
}

/* Is it one of a continuum of motions? */
static bool roams(const ss_model *m, const ss_instant *s, int32_t solution)
{
    bool any = false;
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        any = any || body_roams(s, solution, i);
    }
    return any;
}

static void print_solution(FILE *out, const ss_model *m, const ss_instant *s,
                           const ss_instant_verdict *v, int32_t solution)
{
    fprintf(out, "\nsolution %d of %d%s%s\n", (int)solution + 1, (int)v->solutions,
            v->complete ? "" : " that were found",
            roams(m, s, solution) ? ", one of a continuum" : "");
    fprintf(out, "  %-28s %-9s %12s %12s %12s  unique\n", "contact", "it", "normal (N)",
            "friction (N)", "opens (m/s2)");
    for (int32_t i = 0; i < v->contacts; i++) {
        ss_instant_contact c;
        ss_instant_force   f;
        char               pair[64];
        ss_instant_contact_at(s, i, &c);
        ss_instant_force_at(s, solution, i, &f);
        snprintf(pair, sizeof pair, "%s - %s", ss_model_body_name(m, c.body_a),
                 ss_model_body_name(m, c.body_b));
        fprintf(out, "  %-28s %-9s %12.5g %12.5g %12.5g  %s\n", pair, ss_instant_mode_text(f.mode),
                f.force[0], c.rows > 1 ? hypot(f.force[1], c.rows > 2 ? f.force[2] : 0) : 0.0,
                f.acceleration[0], unique_text(&f));
    }
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        ss_body_motion a;
        ss_instant_motion_at(s, solution, i, &a);
        if (ss_dot(a.velocity, a.velocity) + ss_dot(a.angular_velocity, a.angular_velocity) > 0) {
            fprintf(out,
                    "  '%s' accelerates by (%.5g, %.5g, %.5g) m/s2, (%.5g, %.5g, %.5g) rad/s2\n",
                    ss_model_body_name(m, i), a.velocity.x, a.velocity.y, a.velocity.z,
                    a.angular_velocity.x, a.angular_velocity.y, a.angular_velocity.z);
        }
        print_range(out, s, solution, i);
    }
}

static void print_witness(FILE *out, const ss_model *m, const ss_instant *s,
                          const ss_instant_verdict *v)
{
    for (int32_t i = 0; v->pointed == SS_NO && i < v->contacts; i++) {
        ss_instant_contact c;
        double             f[6];
        ss_instant_contact_at(s, i, &c);
        ss_instant_witness_at(s, i, f);
        if (f[0] > 0) {
            fprintf(out, "%-10s %s - %s: normal %.5g N, friction %.5g N\n", "",
                    ss_model_body_name(m, c.body_a), ss_model_body_name(m, c.body_b), f[0],
                    hypot(f[1], f[2]));
        }
    }
}

void ss_state_print(FILE *out, const ss_model *m, const ss_instant *s, const ss_instant_verdict *v,
                    double t)
{
    fprintf(out, "state      before the step at t = %g s: %s\n", t, ss_state_summary(v));
    if (v->refused != NULL) {
        fprintf(out, "           %s\n", v->refused);
        return;
    }
    fprintf(out, "           %d contacts: %d slide, %d stick, %d smooth; %d separate, %d strike",
            (int)v->contacts, (int)v->sliding, (int)v->sticking, (int)v->smooth, (int)v->separating,
            (int)v->striking);
    if (v->giving > 0) {
        fprintf(out, "; %d give: what follows is of the limit of stiff ones", (int)v->giving);
    }
    fprintf(out, "\n");
    if (v->contacts == 0 && v->other == 0) {
        return;
    }
    print_answer(out, "exists", v->exists, "yes: contact forces and accelerations obey the laws",
                 "no", v->exists_why);
    print_answer(out, "unique", v->unique, "yes: no other motion does", "no", v->unique_why);
    if (v->exists == SS_YES) {
        print_answer(out, "", v->forces_unique, "the motion determines the contact forces",
                     v->unique == SS_NO ? "contact forces are not unique"
                                        : "the motion does not determine all contact forces",
                     NULL);
    }
    print_answer(out, "P-matrix", v->p_matrix, "yes: one solution for every load",
                 "no: not for every load one solution", v->p_matrix_why);
    if (v->p_matrix_why == NULL) {
        print_layers(out, v);
    }
    print_painleve(out, v);
    print_answer(out, "cone", v->pointed, "pointed: only zero forces cancel",
                 "not pointed: these forces cancel", NULL);
    print_witness(out, m, s, v);
    for (int32_t i = 0; i < v->solutions; i++) {
        print_solution(out, m, s, v, i);
    }
    fprintf(out, "\n");
}

/* ---- JSON ---- */

static void json_range(ss_json *out, const ss_instant *s, int32_t solution, int32_t body)
{
    ss_body_motion end[2];
    ss_instant_range_at(s, solution, body, &end[0], &end[1]);
    for (int i = 0; i < 2; i++) {
        ss_vec3      v = end[i].velocity, w = end[i].angular_velocity;
        const double x[] = {v.x, v.y, v.z}, y[] = {w.x, w.y, w.z};
        ss_json_reals(out, i == 0 ? "acceleration_low" : "acceleration_high", x, 3);
        ss_json_reals(out, i == 0 ? "angular_acceleration_low" : "angular_acceleration_high", y, 3);
    }
}

static void json_solution(ss_json *out, const ss_model *m, const ss_instant *s,
                          const ss_instant_verdict *v, int32_t solution)
{
    ss_json_open_object(out, NULL);
    ss_json_open_array(out, "contacts");
    for (int32_t i = 0; i < v->contacts; i++) {
        ss_instant_contact c;
        ss_instant_force   f;
        ss_instant_contact_at(s, i, &c);
        ss_instant_force_at(s, solution, i, &f);
        ss_json_open_object(out, NULL);
        ss_json_text(out, "mode", ss_instant_mode_text(f.mode));
        ss_json_reals(out, "force", f.force, c.rows);
        ss_json_reals(out, "acceleration", f.acceleration, c.rows);
        ss_json_text(out, "unique", ss_answer_text(f.unique));
        ss_json_text(out, "normal_unique", ss_answer_text(f.normal_unique));
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
    ss_json_open_object(out, "bodies");
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        ss_body_motion a;
        if (ss_model_body_type(m, i) != SS_BODY_DYNAMIC &&
            ss_model_body_type(m, i) != SS_BODY_PARTICLE) {
            continue;
        }
        ss_instant_motion_at(s, solution, i, &a);
        const double linear[]  = {a.velocity.x, a.velocity.y, a.velocity.z};
        const double angular[] = {a.angular_velocity.x, a.angular_velocity.y, a.angular_velocity.z};
        ss_json_open_object(out, ss_model_body_name(m, i));
        ss_json_reals(out, "acceleration", linear, 3);
        ss_json_reals(out, "angular_acceleration", angular, 3);
        json_range(out, s, solution, i);
        ss_json_close_object(out);
    }
    ss_json_close_object(out);
    ss_json_close_object(out);
}

static void json_contacts(ss_json *out, const ss_model *m, const ss_instant *s,
                          const ss_instant_verdict *v)
{
    ss_json_open_array(out, "contacts");
    for (int32_t i = 0; i < v->contacts; i++) {
        ss_instant_contact c;
        double             witness[6];
        ss_instant_contact_at(s, i, &c);
        ss_instant_witness_at(s, i, witness);
        const double point[]  = {c.point.x, c.point.y, c.point.z};
        const double normal[] = {c.normal.x, c.normal.y, c.normal.z};
        ss_json_open_object(out, NULL);
        ss_json_text(out, "a", ss_model_body_name(m, c.body_a));
        ss_json_text(out, "b", ss_model_body_name(m, c.body_b));
        ss_json_text(out, "mode", ss_instant_mode_text(c.mode));
        ss_json_reals(out, "point", point, 3);
        ss_json_reals(out, "normal", normal, 3);
        ss_json_real(out, "mu", c.mu);
        ss_json_real(out, "painleve", c.painleve);
        ss_json_real(out, "mu_border", c.mu_border);
        ss_json_reals(out, "velocity", c.velocity, c.rows);
        if (v->pointed == SS_NO) {
            ss_json_reals(out, "witness", witness, c.rows);
        }
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

void ss_state_json(ss_json *out, const char *key, const ss_model *m, const ss_instant *s,
                   const ss_instant_verdict *v, double t)
{
    ss_json_open_object(out, key);
    ss_json_real(out, "time", t);
    ss_json_text(out, "summary", ss_state_summary(v));
    ss_json_text(out, "refused", v->refused);
    ss_json_int(out, "sliding", v->sliding);
    ss_json_int(out, "sticking", v->sticking);
    ss_json_int(out, "separating", v->separating);
    ss_json_int(out, "striking", v->striking);
    ss_json_int(out, "giving", v->giving);
    ss_json_text(out, "exists", ss_answer_text(v->exists));
    ss_json_text(out, "exists_why", v->exists_why);
    ss_json_text(out, "unique", ss_answer_text(v->unique));
    ss_json_text(out, "unique_why", v->unique_why);
    ss_json_text(out, "forces_unique", ss_answer_text(v->forces_unique));
    ss_json_bool(out, "complete", v->complete);
    ss_json_text(out, "p_matrix", ss_answer_text(v->p_matrix));
    ss_json_text(out, "p_matrix_why", v->p_matrix_why);
    ss_json_text(out, "stable", ss_answer_text(v->stable));
    ss_json_text(out, "stable_why", v->stable_why);
    ss_json_real(out, "critical_c2_over_k", v->critical);
    ss_json_text(out, "pointed", ss_answer_text(v->pointed));
    ss_json_real(out, "painleve", v->painleve);
    ss_json_real(out, "mu_border", v->mu_border);
    ss_json_real(out, "residual", v->residual);
    json_contacts(out, m, s, v);
    ss_json_open_array(out, "solutions");
    for (int32_t i = 0; i < v->solutions; i++) {
        json_solution(out, m, s, v, i);
    }
    ss_json_close_array(out);
    ss_json_close_object(out);
}
