/* SPDX-License-Identifier: Apache-2.0 */
/* docs/reference/scene.md, written from the tables that the reader itself uses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenefile/schema.h"
#include "stickslip/scene_file.h"

typedef struct page {
    void (*write)(void *user, const char *text);
    void *user;
} page;

static void say(page *p, const char *format, ...) SS_PRINTF(2, 3);

static void say(page *p, const char *format, ...)
{
    char    text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->write(p->user, text);
}

/* Markdown tables split at bars. */
static void say_cell(page *p, const char *text)
{
    char out[1024], *at = out;
    for (const char *c = text; *c != '\0' && at < out + sizeof out - 3; c++) {
        if (*c == '|') {
            *at++ = '\\';
        }
        *at++ = *c;
    }
    *at = '\0';
    say(p, "%s", out);
}

static const char *form_of(const ss_key *k)
{
    switch (k->type) {
    case SS_KEY_REAL:
    case SS_KEY_ANGLE_QUAT:
        return "number";
    case SS_KEY_INT:
        return "whole number";
    case SS_KEY_BOOL:
    case SS_KEY_NOT:
        return "true, false";
    case SS_KEY_TEXT:
    case SS_KEY_FORMULA:
        return "text";
    case SS_KEY_NAME:
        return "name";
    case SS_KEY_BODY:
        return "name of a body";
    case SS_KEY_MATERIAL:
        return "name of a material";
    case SS_KEY_FILE:
        return "path";
    case SS_KEY_CHOICE:
        return k->choices;
    case SS_KEY_VECTOR:
        return "[x, y, z]; 2D: [x, y]";
    case SS_KEY_SPIN:
        return "[x, y, z]; 2D: number";
    case SS_KEY_QUAT:
        return "[w, x, y, z]";
    case SS_KEY_EULER:
        return "[roll, pitch, yaw]";
    case SS_KEY_AXIS_ANGLE:
        return "[x, y, z, angle]";
    case SS_KEY_DIRECTION:
        return "[x, y, z]";
    case SS_KEY_TIMED:
        return "number or expression of t";
    case SS_KEY_TIMED_VECTOR:
        return "[x, y, z]; 2D: [x, y]; expressions of t";
    case SS_KEY_TIMED_SPIN:
        return "[x, y, z]; 2D: number; expressions of t";
    case SS_KEY_TIMED_QUAT:
        return "[w, x, y, z]; expressions of t";
    case SS_KEY_MAP:
        return "{..}";
    case SS_KEY_CUSTOM:
        break;
    }
    return k->form;
}

static void say_range(page *p, const ss_key *k)
{
    if (k->low == k->high || (isinf(k->low) && isinf(k->high))) {
        return;
    }
    if (isinf(k->high)) {
        say(p, ", %s %g", k->above ? ">" : ">=", k->low);
    } else {
        say(p, ", %g to %g", k->low, k->high);
    }
}

static void say_key(page *p, const ss_key *k)
{
    say(p, "| `%s` | ", k->name);
    say_cell(p, form_of(k));
    say_range(p, k);
    say(p, " | %s | %s | ", k->unit != NULL ? k->unit : "",
        k->required ? "**required**" : (k->initial != NULL ? k->initial : ""));
    say_cell(p, k->doc);
    say(p, "%s |\n", k->dimensions == 2 ? " (2D)" : (k->dimensions == 3 ? " (3D)" : ""));
}

static void say_table(page *p, const char *title, const ss_key *keys)
{
    say(p, "\nKeys of %s:\n\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n",
        title);
    for (const ss_key *k = keys; k->name != NULL; k++) {
        say_key(p, k);
    }
}

static void say_sections(page *p)
{
    for (const ss_section *s = ss_scene_sections; s->name != NULL; s++) {
        say(p, "\n## %s\n\n`%s: %s`: %s.\n", s->name, s->name, s->form, s->doc);
        for (const struct ss_section_table *t = s->tables; t->title != NULL; t++) {
            say_table(p, t->title, t->keys);
        }
    }
}

static const char *field_form(const ss_field *f)
{
    static const char *const forms[] = {
        [SS_FIELD_REAL]       = "number",
        [SS_FIELD_VECTOR]     = "[x, y, z]; 2D: [x, y]",
        [SS_FIELD_QUAT]       = "[w, x, y, z]",
        [SS_FIELD_EULER]      = "[roll, pitch, yaw] (rad)",
        [SS_FIELD_AXIS_ANGLE] = "[x, y, z, angle]",
        [SS_FIELD_DIRECTION]  = "[x, y, z]",
        [SS_FIELD_ANGLE]      = "number (rad)",
        [SS_FIELD_POINTS]     = "[[x, y, z], ..]; 2D: [[x, y], ..]",
        [SS_FIELD_SHAPES]     = "[{shape}, ..]",
        [SS_FIELD_TEXT]       = "text",
        [SS_FIELD_FILE]       = "path, relative to the scene file",
        [SS_FIELD_FORMULA]    = "formula of x, y, z; 2D: of x, y",
    };
    return forms[f->type];
}

static void say_fields(page *p, const ss_field *fields)
{
    say(p, "\n| key | value | default | meaning |\n|---|---|---|---|\n");
    for (const ss_field *f = fields; f != NULL && f->name != NULL; f++) {
        char initial[32] = "";
        if (f->required) {
            snprintf(initial, sizeof initial, "**required**");
        } else if (f->type == SS_FIELD_REAL) {
            snprintf(initial, sizeof initial, "%g", f->initial);
        }
        say(p, "| `%s` | %s | %s | %s%s |\n", f->name, field_form(f), initial, f->doc,
            f->dimensions == 2 ? " (2D)" : (f->dimensions == 3 ? " (3D)" : ""));
    }
}

static void say_shapes(page *p)
{
    say(p, "\n## Shapes\n\n`shape: {type: {key: value, ..}}`. Lengths in metres. Every shape also "
           "takes these keys:\n");
    say_fields(p, ss_shape_common_fields());
    for (int32_t i = 0; i < ss_shape_count(NULL); i++) {
        const ss_shape_class *cls = ss_shape_at(NULL, i);
        say(p, "\n### %s (%s)\n", cls->name,
            cls->dimensions == 5 ? "2D and 3D" : (cls->dimensions == 2 ? "2D" : "3D"));
        if (cls->fields == NULL || cls->fields[0].name == NULL) {
            say(p, "\nNo keys of its own: `%s: {}`.\n", cls->name);
        } else {
            say_fields(p, cls->fields);
        }
    }
}

static void say_axes(page *p)
{
    say(p, "\n## Model axes\n\n`model: {cone: {polygon: 8}, gap: velocity}`; on the command line "
           "`--model cone=polygon:8,gap=velocity`. The first value is the default.\n\n"
           "| axis | value | meaning |\n|---|---|---|\n");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        const ss_axis *axis = ss_axis_at(i);
        for (const ss_axis_value *v = axis->values; v->word != NULL; v++) {
            say(p, "| `%s` | `%s%s` | %s |\n", axis->name, v->word, v->counts ? ": n" : "", v->doc);
        }
    }
}

static void say_functions(page *p)
{
    say(p, "\n## Expressions\n\nAny number may be an expression in Lua syntax, as a text: "
           "`mass: \"2*rho*r^3\"`. It may name `params`, and `t` (the time in seconds) where the "
           "tables above say so. `a and b or c` chooses: `\"t < 1 and 2*t or 2\"`. Functions may "
           "also be written `math.sin`.\n\n| name | what it gives |\n|---|---|\n");
    for (const ss_expr_doc *f = ss_expr_functions; f->name != NULL; f++) {
        say(p, "| `%s` | %s |\n", f->name, f->doc);
    }
}

void ss_scene_reference(void (*write)(void *user, const char *text), void *user)
{
    page p = {write, user};
    say(&p, "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
            "<!-- Made by `stickslip list --scene-reference`; a test compares the two. -->\n"
            "# Scene files\n\n"
            "YAML. SI units, radians, z up (2D: y up), right-handed; quaternions w first. Unknown "
            "keys are errors. `--set PATH=VALUE` changes any value from the command line, for "
            "example `--set bodies.ball.mass=2`, `--set bodies.0.position.2=1.5` or "
            "`--set simulation.model.cone='{polygon: 8}'`.\n");
    say_sections(&p);
    say_shapes(&p);
    say_axes(&p);
    say_functions(&p);
}
