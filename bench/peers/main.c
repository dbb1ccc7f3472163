/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the scenes that this program's engine can do; CSV on standard output.
 * usage: peer_ENGINE [--setting NAME] [SCENE...]     (no scene: all of them)
 *        peer_ENGINE --settings                      (their names)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static bool chosen(const char *name, int argc, char **argv, int first)
{
    bool any = first < argc;
    for (int i = first; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return true;
        }
    }
    return !any;
}

static void run_case(const peer_case *c, const char *only)
{
    for (int i = 0; i < peer_engine_here.setting_count; i++) {
        const peer_setting *setting = &peer_engine_here.settings[i];
        bool                wanted  = only == NULL || strcmp(only, setting->name) == 0;
        if (wanted && (setting->can & c->needs) == c->needs) {
            peer_run r = {.scene       = c->name,
                          .engine      = &peer_engine_here,
                          .setting     = i,
                          .late_states = getenv("PEER_LATE")};
            c->run(&r);
        }
    }
}

int main(int argc, char **argv)
{
    const char *only  = NULL;
    int         first = 1;
    if (argc > 1 && strcmp(argv[1], "--settings") == 0) {
        for (int i = 0; i < peer_engine_here.setting_count; i++) {
            puts(peer_engine_here.settings[i].name);
        }
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--setting") == 0) {
        only  = argv[2];
        first = 3;
    }
    for (int i = 0; i < peer_case_count; i++) {
        if (chosen(peer_cases[i].name, argc, argv, first)) {
            run_case(&peer_cases[i], only);
        }
    }
    return 0;
}
