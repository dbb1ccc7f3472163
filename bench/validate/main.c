/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate DATA PARAMETERS            tables on standard output
 * validate DATA PARAMETERS --frozen   every trial with the parameters identified on all of the
 *                                     recorded ones: for trials that were not among them
 * validate DATA PARAMETERS --all      the long studies of the step size too
 * validate DATA PARAMETERS --identify finds what PARAMETERS does not have yet, and writes it anew
 *                      .. --refine    and goes on from what it has, where a search was cut short
 */
#include <stdlib.h>
#include <string.h>

#include "validate.h"

static bool same(const table *t, int row, const char *column, const char *text)
{
    return strcmp(table_text(t, row, table_column(t, column)), text) == 0;
}

static double number(const table *t, int row, const char *column)
{
    return table_number(t, row, table_column(t, column));
}

static void fold_name(int fold, char *name, size_t size)
{
    snprintf(name, size, fold == ALL_FOLDS ? "all" : "%d", fold);
}

bool parameters_known(const validation *v, const char *set, const char *group, int fold,
                      push_parameters *out)
{
    const table *t = &v->parameters;
    char         name[16];
    fold_name(fold, name, sizeof name);
    for (int r = 0; r < t->rows; r++) {
        if (same(t, r, "set", set) && same(t, r, "group", group) && same(t, r, "fold", name)) {
            out->tip_friction = number(t, r, "tip_friction");
            out->law          = (pressure_law){number(t, r, "exponent"), number(t, r, "tilt_x"),
                                               number(t, r, "tilt_y"),   number(t, r, "stretch"),
                                               number(t, r, "shear"),    number(t, r, "reach")};
            out->tip_x        = number(t, r, "tip_x");
            out->tip_y        = number(t, r, "tip_y");
            out->height       = number(t, r, "height");
            out->com_x        = number(t, r, "com_x");
            out->com_y        = number(t, r, "com_y");
            out->delay        = number(t, r, "delay");
            return true;
        }
    }
    return false;
}

bool parameters_find(const validation *v, const char *set, const char *group, int fold,
                     push_parameters *out)
{
    bool known = parameters_known(v, set, group, v->frozen ? ALL_FOLDS : fold, out);
    if (!known) {
        fprintf(stderr, "validate: no parameters for %s, %s, fold %d\n", set, group, fold);
    }
    return known;
}

void parameters_write(FILE *out, const char *set, const char *group, int fold,
                      const push_parameters *p)
{
    char name[16];
    fold_name(fold, name, sizeof name);
    fprintf(out, "%s,%s,%s,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.6f,%.6f,%.5f,%.6f,%.6f,%.4f\n", set,
            group, name, p->tip_friction, p->law.exponent, p->law.tilt_x, p->law.tilt_y,
            p->law.stretch, p->law.shear, p->law.reach, p->tip_x, p->tip_y, p->height, p->com_x,
            p->com_y, p->delay);
    fflush(out);
}

void print_score_head(const char *first, const char *more)
{
    printf(
        "| %s | trials | mm, mean | median | deg, mean | median | combined mm, 95 %% | of motion "
        "| gross |%s\n|---|---|---|---|---|---|---|---|---|",
        first, more);
    for (const char *c = more; *c != '\0'; c++) {
        printf(*c == '|' ? "---|" : "");
    }
    printf("\n");
}

void print_score(const char *name, const push_score *s)
{
    printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f (%.2f .. %.2f) | %.1f %% | %d |", name,
           s->count, s->mean_mm, s->median_mm, s->mean_deg, s->median_deg, s->combined, s->low,
           s->high, 100 * s->share, s->gross);
}

static bool all_sets(const validation *v)
{
    static const struct {
        const char *name;
        bool (*run)(const validation *v);
    } sets[] = {{"tripod_push", validate_tripod_push},
                {"mit_push_endpoints", validate_mit_push},
                {"ppod_plate", validate_ppod_plate},
                {"vibratory_transport", validate_vibratory_transport}};
    bool ok = true, any = false;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (v->only == NULL || strcmp(v->only, sets[i].name) == 0) {
            any = true;
            ok  = sets[i].run(v) && ok;
        }
    }
    if (!any) {
        fprintf(stderr, "validate: there is no set '%s'\n", v->only);
    }
    return ok && any;
}

/* Rows of sets that are left alone stay as they are. */
static void keep_others(const validation *v)
{
    const table *t = &v->parameters;
    for (int r = 0; v->only != NULL && r < t->rows; r++) {
        for (int c = 0; !same(t, r, "set", v->only) && c < t->columns; c++) {
            fprintf(v->identify, "%s%c", table_text(t, r, c), c + 1 < t->columns ? ',' : '\n');
        }
    }
}

static bool identify(validation *v, const char *path)
{
    FILE *before = fopen(path, "r");
    if (before != NULL) {
        fclose(before);
        if (!table_read(&v->parameters, NULL, path)) {
            return false;
        }
    }
    v->identify = fopen(path, "w");
    if (v->identify == NULL) {
        fprintf(stderr, "validate: cannot write %s\n", path);
        return false;
    }
    fprintf(v->identify,
            "set,group,fold,tip_friction,exponent,tilt_x,tilt_y,stretch,shear,reach,tip_x,tip_y,"
            "height,com_x,com_y,delay\n");
    keep_others(v);
    bool ok = all_sets(v);
    return fclose(v->identify) == 0 && ok;
}

int main(int argc, char **argv)
{
    validation v          = {.data = argc > 2 ? argv[1] : NULL};
    bool       identifies = false, ok;
    for (int i = 3; i < argc; i++) {
        v.frozen   = v.frozen || strcmp(argv[i], "--frozen") == 0;
        v.all      = v.all || strcmp(argv[i], "--all") == 0;
        v.refine   = v.refine || strcmp(argv[i], "--refine") == 0;
        identifies = identifies || strcmp(argv[i], "--identify") == 0;
        if (strncmp(argv[i], "--only=", 7) == 0) {
            v.only = argv[i] + 7;
        }
    }
    if (v.data == NULL) {
        fprintf(stderr,
                "usage: validate DATA PARAMETERS [--frozen] [--all] [--identify [--refine]] "
                "[--only=SET]\n");
        return 2;
    }
    if (identifies) {
        ok = identify(&v, argv[2]);
    } else {
        ok = table_read(&v.parameters, NULL, argv[2]) && all_sets(&v);
    }
    table_free(&v.parameters);
    return ok ? 0 : 1;
}
