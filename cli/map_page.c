/* SPDX-License-Identifier: Apache-2.0 */
#include "map_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stickslip/output.h"

static const char data_mark[] = "/*SS-DATA*/";

/* A text within JSON within an inert script element. */
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c < 0x20 || c == '<' || c == '>' || c == '&') {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

/* For a shell; names of files and values have few signs that it would read otherwise. */
static void put_word(char *to, size_t size, const char *word)
{
    size_t used  = strlen(to);
    bool   plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-+=./:,@%") == strlen(word);
    if (plain) {
        snprintf(to + used, size - used, "%s", word);
        return;
    }
    snprintf(to + used, size - used, "'");
    for (; *word != '\0'; word++) {
        used = strlen(to);
        snprintf(to + used, size - used, *word == '\'' ? "'\\''" : "%c", *word);
    }
    used = strlen(to);
    snprintf(to + used, size - used, "'");
}

static void put_option(char *to, size_t size, const char *option, const char *value)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, " %s ", option);
    put_word(to, size, value);
}

/* What was asked for, for one state: values of the axes are put behind it. */
static void put_command(FILE *out, const ss_map_args *args)
{
    char                 text[4096] = "stickslip analyze ", number[32];
    const ss_scene_args *a          = args->scene_args;
    put_word(text, sizeof text, args->scene);
    if (a->model != NULL) {
        put_option(text, sizeof text, "--model", a->model);
    }
    const struct {
        const char *option;
        double      value;
        bool        given;
    } numbers[] = {{"--step", a->step, a->step > 0},
                   {"--duration", a->duration, a->duration > 0},
                   {"--at", args->at, args->at > 0},
                   {"--layers", args->layers, !isnan(args->layers)}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].given) {
            snprintf(number, sizeof number, "%.17g", numbers[i].value);
            put_option(text, sizeof text, numbers[i].option, number);
        }
    }
    for (int32_t i = 0; i < a->set.count; i++) {
        put_option(text, sizeof text, "--set", a->set.items[i]);
    }
    put_text(out, text);
}

static void put_axes(FILE *out, const ss_map_page *page)
{
    fputs("\"axes\":[", out);
    for (int32_t k = 0; k < page->axis_count; k++) {
        const ss_map_axis *a = &page->axes[k];
        fprintf(out, "%s{\"path\":", k > 0 ? "," : "");
        put_text(out, a->path);
        fprintf(out, ",\"low\":%.17g,\"high\":%.17g,\"count\":%d}", a->low, a->high, (int)a->count);
    }
    fputc(']', out);
}

static void put_number(FILE *out, double value)
{
    if (isnan(value)) {
        fputs("null", out);
    } else if (isinf(value)) {
        fputs(value > 0 ? "\"inf\"" : "\"-inf\"", out);
    } else {
        fprintf(out, "%.6g", value);
    }
}

static void put_column(FILE *out, const ss_map_page *page, const ss_map_column *c)
{
    fputs("{\"title\":", out);
    put_text(out, c->title);
    if (c->number == NULL) {
        fputs(",\"legend\":[", out);
        for (int k = 0; k < SS_MAP_KINDS && c->legend[k].text != NULL; k++) {
            fprintf(out, "%s{\"colour\":", k > 0 ? "," : "");
            put_text(out, c->legend[k].colour);
            fputs(",\"text\":", out);
            put_text(out, c->legend[k].text);
            fputc('}', out);
        }
        fputc(']', out);
    }
    fputs(",\"values\":[", out);
    for (int32_t i = 0; i < page->count; i++) {
        const void *cell = (const char *)page->cells + (size_t)i * page->cell_size;
        fputs(i > 0 ? "," : "", out);
        if (c->number == NULL) {
            fprintf(out, "%d", c->kind(cell));
        } else {
            put_number(out, c->number(cell));
        }
    }
    fputs("]}", out);
}

/* {"cell":[text, picture], ..} */
static void put_states(FILE *out, const ss_map_page *page)
{
    bool first = true;
    fprintf(out, ",\"served\":%s,\"states\":{", page->served ? "true" : "false");
    for (int32_t i = 0; page->texts != NULL && i < page->count; i++) {
        if (page->texts[i] == NULL) {
            continue;
        }
        fprintf(out, "%s\"%d\":[", first ? "\n" : ",\n", (int)i);
        put_text(out, page->texts[i]);
        fputc(',', out);
        put_text(out, page->pictures[i] != NULL ? page->pictures[i] : "");
        fputc(']', out);
        first = false;
    }
    fputc('}', out);
}

static void put_data(FILE *out, const ss_map_page *page)
{
    fputs("{\"scene\":", out);
    put_text(out, page->args->scene);
    fputs(",\"command\":", out);
    put_command(out, page->args);
    fputc(',', out);
    put_axes(out, page);
    fputs(",\"columns\":[", out);
    for (int32_t k = 0; k < page->column_count; k++) {
        fputs(k > 0 ? ",\n" : "\n", out);
        put_column(out, page, &page->columns[k]);
    }
    fputs("]", out);
    put_states(out, page);
    fputs("}", out);
}

ss_status ss_map_page_write(ss_context *ctx, const ss_map_page *page, const char *path)
{
    ss_output_file *file;
    const char     *text = ss_map_template_built.text;
    const char     *mark = strstr(text, data_mark);
    SS_TRY(ss_output_open(ctx, path, &file));
    FILE *out = ss_output_stream(file);
    fwrite(text, 1, (size_t)(mark - text), out);
    put_data(out, page);
    fputs(mark + sizeof data_mark - 1, out);
    return ss_output_close(file, SS_OK);
}
