/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip new`: a scene to start from. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "embedded.h"
#include "stickslip/base.h"

static const char description[] =
    "Writes a scene to start from: NAME.yaml, a small scene of a ball on a floor with every "
    "section\n"
    "explained, or a copy of a built-in scene. An existing file is left as it is.";

static const char template_text[] =
    "# Run it: stickslip run %s --report run.html     Every key: stickslip list --scene-reference\n"
    "name: %s\n"
    "params: {mu: 0.3, speed: 1.5}   # numbers that any \"expression\" below may name; --set "
    "params.mu=0.5\n"
    "gravity: [0, 0, -9.81]\n"
    "materials:\n"
    "  default: {friction: \"mu\", restitution: 0}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - name: ball\n"
    "    type: dynamic               # static, kinematic (moves as it is told), dynamic, particle\n"
    "    mass: 1                     # kg; or density\n"
    "    shape: {sphere: {radius: 0.1}}\n"
    "    position: [0, 0, 0.1]       # m; z is up\n"
    "    velocity: [\"speed\", 0, 0]   # m/s\n"
    "  - {name: box, type: dynamic, mass: 0.5, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: "
    "[0.6, 0, 0.1]}\n"
    "simulation: {step: 0.005, duration: 1}\n";

static const ss_embedded *built_in(const char *name)
{
    const char *bare = strncmp(name, "builtin:", 8) == 0 ? name + 8 : name;
    for (const ss_embedded *e = ss_embedded_scenes; e->name != NULL; e++) {
        if (strcmp(e->name, bare) == 0) {
            return e;
        }
    }
    return NULL;
}

static int no_scene(const char *name)
{
    const char *names[256];
    int32_t     count = 0;
    for (const ss_embedded *e = ss_embedded_scenes; e->name != NULL && count < 256; e++) {
        names[count++] = e->name;
    }
    const char *near = ss_nearest_name(name, names, count);
    return ss_cli_usage("new", "there is no built-in scene '%s'%s%s%s", name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

static int write_scene(const char *name, const char *from)
{
    char               path[1024];
    const ss_embedded *copy   = from != NULL ? built_in(from) : NULL;
    size_t             length = strlen(name);
    bool               ended  = length > 5 && strcmp(name + length - 5, ".yaml") == 0;
    snprintf(path, sizeof path, "%s%s", name, ended ? "" : ".yaml");
    if (from != NULL && copy == NULL) {
        return no_scene(from);
    }
    FILE *file = fopen(path, "wx");
    if (file == NULL && errno == EEXIST) {
        return ss_cli_usage("new", "%s is there already", path);
    }
    bool good = file != NULL;
    if (good && copy != NULL) {
        good = fwrite(copy->text, 1, copy->length, file) == copy->length;
    } else if (good) {
        const char *slash = strrchr(name, '/'), *stem = slash != NULL ? slash + 1 : name;
        char        title[256];
        snprintf(title, sizeof title, "%.*s", (int)(strlen(stem) - (ended ? 5 : 0)), stem);
        good = fprintf(file, template_text, path, title) > 0;
    }
    good = (file == NULL || fclose(file) == 0) && good;
    if (!good) {
        fprintf(stderr, "stickslip: %s: %s\n", path, strerror(errno));
        return SS_EXIT_RESOURCES;
    }
    printf("wrote %s\n", path);
    return SS_EXIT_DONE;
}

static int run(int argc, char **argv)
{
    const char   *from    = NULL;
    const ss_arg  table[] = {{"--from", SS_ARG_TEXT, &from, "SCENE", 0, 0,
                              "a built-in scene to copy (`stickslip list` names them)"},
                             SS_ARG_END};
    const ss_args spec    = {"new", "NAME", 1, 1, description, table};
    ss_arg_list   operands;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    code = write_scene(operands.items[0], from);
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_new = {"new", "a scene to start from", run};
