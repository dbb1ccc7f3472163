/* SPDX-License-Identifier: Apache-2.0 */
/* What MuJoCo makes of a file, as JSON: masses, frames, anchors and axes. usage: mujoco_says FILE
 * [JOINT=VALUE]... */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void numbers(const char *key, const mjtNum *x, int n)
{
    printf(", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        printf("%s%.17g", i > 0 ? ", " : "", x[i]);
    }
    printf("]");
}

int main(int argc, char **argv)
{
    char     error[1000] = "";
    mjModel *m           = argc > 1 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
    if (m == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData *d = mj_makeData(m);
    for (int i = 2; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        *equals      = '\0';
        int j        = mj_name2id(m, mjOBJ_JOINT, argv[i]);
        if (j >= 0) {
            d->qpos[m->jnt_qposadr[j]] += atof(equals + 1);
        }
    }
    mj_kinematics(m, d);
    mj_comPos(m, d);
    printf("{\"bodies\": [");
    for (int i = 1; i < m->nbody; i++) {
        const char *name = mj_id2name(m, mjOBJ_BODY, i);
        printf("%s{\"name\": \"%s\", \"mass\": %.17g, \"weld\": %d", i > 1 ? ", " : "",
               name != NULL ? name : "", m->body_mass[i], m->body_weldid[i]);
        numbers("position", d->xpos + 3 * i, 3);
        numbers("quat", d->xquat + 4 * i, 4);
        numbers("com", d->xipos + 3 * i, 3);
        numbers("axes", d->ximat + 9 * i, 9);
        numbers("inertia", m->body_inertia + 3 * i, 3);
        printf("}");
    }
    printf("], \"joints\": [");
    for (int j = 0, count = 0; j < m->njnt; j++) {
        const char *name = mj_id2name(m, mjOBJ_JOINT, j);
        if (m->jnt_type[j] == mjJNT_FREE || name == NULL) {
            continue;
        }
        printf("%s{\"name\": \"%s\", \"type\": %d", count++ > 0 ? ", " : "", name, m->jnt_type[j]);
        numbers("anchor", d->xanchor + 3 * j, 3);
        numbers("axis", d->xaxis + 3 * j, 3);
        printf("}");
    }
    printf("]}\n");
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
