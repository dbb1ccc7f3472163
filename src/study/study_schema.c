/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schema of scene and study files: a file with the key `study` is a study. */
#include "scenefile/json_schema.h"
#include "stickslip/study.h"
#include "study/study.h"
#include "study/vary.h"

/* What `vary` may say of one value: one of the ways. */
static void say_ways(ss_schema_page *p)
{
    ss_schema_say(p, "\"way\": {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, "
                     "\"additionalProperties\": false, \"properties\": {\n");
    for (const ss_vary_doc *v = ss_vary_kinds; v->name != NULL; v++) {
        ss_schema_say(p, "%s\"%s\": {\"description\": ", v == ss_vary_kinds ? "" : ",\n", v->name);
        ss_schema_text(p, v->doc);
        ss_schema_say(p, "}");
    }
    ss_schema_say(p, "}}");
}

void ss_file_schema(void (*write)(void *user, const char *text), void *user)
{
    ss_schema_page p = {write, user};
    ss_schema_say(&p, "{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                      "\"title\": \"stickslip scenes and studies\",\n"
                      "\"if\": {\"required\": [\"study\"]},\n"
                      "\"then\": {\"$ref\": \"#/definitions/study\"},\n"
                      "\"else\": {\"$ref\": \"#/definitions/scene\"},\n\"definitions\": {\n");
    ss_schema_scene(&p);
    ss_schema_say(&p, ", \"study\": ");
    ss_schema_map(&p, ss_study_keys(), NULL);
    ss_schema_say(&p, ",\n");
    say_ways(&p);
    ss_schema_say(&p, "}}\n");
}
