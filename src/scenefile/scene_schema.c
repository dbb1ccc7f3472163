/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the JSON Schema that is about scene files, written from the tables that the reader
 * itself uses. */
#include <math.h>
#include <string.h>

#include "scenefile/json_schema.h"
#include "stickslip/scene_file.h"

/* Sections without tables. One that is not here may hold anything. */
static const char *section_schema(const char *name)
{
    static const char *const known[][2] = {
        {"dimension", "\"enum\": [2, 3]"},
        {"name", "\"type\": [\"string\", \"number\"]"},
        {"include", "\"type\": [\"object\", \"array\"]"},
        {"params", "\"type\": \"object\""},
        {"templates", "\"type\": \"object\""},
        {"gravity", "\"type\": [\"array\", \"string\"], \"minItems\": 2, \"maxItems\": 3"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i][0], name) == 0) {
            return known[i][1];
        }
    }
    return "\"minProperties\": 0";
}

static void say_field(ss_schema_page *p, const ss_field *f)
{
    static const char *const types[] = {
        [SS_FIELD_REAL]   = "\"type\": [\"number\", \"string\"]",
        [SS_FIELD_VECTOR] = "\"type\": [\"array\", \"string\"], \"minItems\": 2, \"maxItems\": 3",
        [SS_FIELD_QUAT]   = "\"type\": [\"array\", \"string\"], \"minItems\": 4, \"maxItems\": 4",
        [SS_FIELD_EULER]  = "\"type\": [\"array\", \"string\"], \"minItems\": 3, \"maxItems\": 3",
        [SS_FIELD_AXIS_ANGLE] =
            "\"type\": [\"array\", \"string\"], \"minItems\": 4, \"maxItems\": 4",
        [SS_FIELD_DIRECTION] =
            "\"type\": [\"array\", \"string\"], \"minItems\": 3, \"maxItems\": 3",
        [SS_FIELD_ANGLE]   = "\"type\": [\"number\", \"string\"]",
        [SS_FIELD_POINTS]  = "\"type\": \"array\"",
        [SS_FIELD_SHAPES]  = "\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/shape\"}",
        [SS_FIELD_TEXT]    = "\"type\": [\"string\", \"number\"]",
        [SS_FIELD_FILE]    = "\"type\": \"string\"",
        [SS_FIELD_FORMULA] = "\"type\": [\"string\", \"number\"]",
    };
    ss_schema_say(p, "\"%s\": {\"description\": ", f->name);
    ss_schema_text(p, f->doc);
    ss_schema_say(p, ", %s", types[f->type]);
    if (f->type == SS_FIELD_REAL && f->low != f->high && isfinite(f->low)) {
        ss_schema_say(p, ", \"exclusiveMinimum\": %.17g", f->low);
    }
    ss_schema_say(p, "},\n");
}

static bool takes_list(const ss_shape_class *cls)
{
    bool list = false;
    for (const ss_field *f = cls->fields; f != NULL && f->name != NULL; f++) {
        list = list || f->main;
    }
    return list;
}

static void say_class(ss_schema_page *p, const ss_shape_class *cls)
{
    ss_schema_say(p, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    for (const ss_field *f = ss_shape_common_fields(); f != NULL && f->name != NULL; f++) {
        say_field(p, f);
    }
    for (const ss_field *f = cls->fields; f != NULL && f->name != NULL; f++) {
        say_field(p, f);
    }
    ss_schema_say(p, "\"use\": {\"type\": \"string\"}, \"with\": {\"type\": \"object\"}, "
                     "\"repeat\": {\"type\": [\"object\", \"array\"]}}}");
    if (takes_list(cls)) {
        ss_schema_say(p, ", {\"type\": \"array\"}");
    }
}

/* Shapes of one name, which 2D and 3D may have both. */
static void say_classes(ss_schema_page *p, const char *name)
{
    const char *comma = "";
    ss_schema_say(p, "\"%s\": {\"anyOf\": [", name);
    for (int32_t i = 0; i < ss_shape_count(NULL); i++) {
        if (strcmp(ss_shape_at(NULL, i)->name, name) == 0) {
            ss_schema_say(p, "%s", comma);
            say_class(p, ss_shape_at(NULL, i));
            comma = ", ";
        }
    }
    ss_schema_say(p, "]},\n");
}

static void say_shape(ss_schema_page *p)
{
    ss_schema_say(p, "\"shape\": {\"type\": \"object\", \"additionalProperties\": false, "
                     "\"minProperties\": 1, \"properties\": {\n");
    for (int32_t i = 0; i < ss_shape_count(NULL); i++) {
        bool seen = false;
        for (int32_t j = 0; j < i; j++) {
            seen = seen || strcmp(ss_shape_at(NULL, j)->name, ss_shape_at(NULL, i)->name) == 0;
        }
        if (!seen) {
            say_classes(p, ss_shape_at(NULL, i)->name);
        }
    }
    ss_schema_say(p, "\"use\": {\"type\": \"string\"}, \"with\": {\"type\": \"object\"}, "
                     "\"repeat\": {\"type\": [\"object\", \"array\"]}}}");
}

static void say_axis(ss_schema_page *p, const ss_axis *axis)
{
    const char *comma = "";
    ss_schema_say(p, "\"%s\": {\"description\": ", axis->name);
    ss_schema_text(p, axis->doc);
    ss_schema_say(p, ", \"anyOf\": [");
    for (const ss_axis_value *v = axis->values; v->word != NULL; v++, comma = ", ") {
        if (v->counts) {
            ss_schema_say(p,
                          "%s{\"type\": \"object\", \"additionalProperties\": false, "
                          "\"required\": [\"%s\"], \"properties\": {\"%s\": {\"type\": "
                          "[\"integer\", \"string\"]}}}",
                          comma, v->word, v->word);
        } else {
            ss_schema_say(p, "%s{\"const\": \"%s\"}", comma, v->word);
        }
    }
    ss_schema_say(p, "]}");
}

static void say_model(ss_schema_page *p)
{
    ss_schema_say(p, ",\n\"model\": {\"type\": \"object\", \"additionalProperties\": false, "
                     "\"properties\": {\n");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        say_axis(p, ss_axis_at(i));
        ss_schema_say(p, ",\n");
    }
    ss_schema_say(p, "\"use\": {\"type\": \"string\"}, \"with\": {\"type\": \"object\"}}}\n");
}

/* Entries of one type each, of several types, or by their names. */
static void say_entries(ss_schema_page *p, const ss_section *s)
{
    bool typed = s->tables == ss_force_tables;
    if (strcmp(s->name, "materials") == 0) {
        ss_schema_say(p, "\"type\": \"object\", \"properties\": {\"pairs\": {\"type\": \"array\", "
                         "\"items\": ");
        ss_schema_map(p, ss_pair_keys, NULL);
        ss_schema_say(p, "}}, \"additionalProperties\": ");
        ss_schema_map(p, ss_material_keys, NULL);
        return;
    }
    if (strcmp(s->name, "tables") == 0) {
        ss_schema_say(p, "\"type\": \"object\", \"additionalProperties\": ");
        ss_schema_map(p, ss_table_keys, NULL);
        return;
    }
    ss_schema_say(p, "\"type\": \"array\", \"items\": {\"anyOf\": [");
    for (const struct ss_section_table *t = s->tables; t->title != NULL; t++) {
        if (t == s->tables || typed) { /* further tables of others are of their maps */
            ss_schema_say(p, "%s", t == s->tables ? "" : ", ");
            ss_schema_map(p, t->keys, typed ? t->title : NULL);
        }
    }
    ss_schema_say(p, "]}");
}

static void say_section(ss_schema_page *p, const ss_section *s)
{
    ss_schema_say(p, "\"%s\": {\"description\": ", s->name);
    ss_schema_text(p, s->doc);
    ss_schema_say(p, ", ");
    if (s->noun != NULL) {
        say_entries(p, s);
    } else if (s->tables->title != NULL) {
        ss_schema_say(p, "\"allOf\": [");
        ss_schema_map(p, s->tables->keys, NULL);
        ss_schema_say(p, "]");
    } else {
        ss_schema_say(p, "%s", section_schema(s->name));
    }
    ss_schema_say(p, "}");
}

void ss_schema_scene(ss_schema_page *p)
{
    ss_schema_say(p, "\"scene\": {\"type\": \"object\", \"additionalProperties\": false,\n"
                     "\"properties\": {\n");
    for (const ss_section *s = ss_scene_sections; s->name != NULL; s++) {
        say_section(p, s);
        ss_schema_say(p, "%s\n", s[1].name != NULL ? "," : "");
    }
    ss_schema_say(p, "},\n\"anyOf\": [{\"required\": [\"bodies\"]}, {\"required\": "
                     "[\"include\"]}]},\n");
    say_shape(p);
    say_model(p);
}
