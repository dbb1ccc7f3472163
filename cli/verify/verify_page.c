/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/verify_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/output.h"

struct ss_verify_page {
    ss_context     *ctx;
    ss_output_file *file;
    FILE           *rows, *figures; /* of the case that runs, in memory */
    char           *row_text, *figure_text;
    size_t          row_size, figure_size;
};

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"generator\" content=\"stickslip\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
    "<title>stickslip verify</title>\n<style>\n"
    "body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1080px; padding: "
    "16px 20px 60px; color: #1a1a1a; background: #fff; }\n"
    "h1 { font-size: 22px; } h2 { font-size: 17px; margin: 30px 0 2px; }\n"
    ".source { color: #555; margin: 0 0 8px; }\n"
    "table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }\n"
    "th, td { text-align: right; padding: 3px 8px; border-bottom: 1px solid #eee; font-size: 13px; "
    "}\n"
    "th:first-child, td:first-child { text-align: left; }\n"
    ".off { background: #fde8e4; font-weight: 600; }\n"
    "img { max-width: 100%; display: block; margin: 8px 0; }\n"
    "</style>\n</head>\n<body>\n<h1>Published numbers, reproduced</h1>\n";

static ss_status no_memory(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the page of the cases");
}

/* What is collected of a case, forgotten. */
static void drop_case(ss_verify_page *p)
{
    if (p->rows != NULL) {
        fclose(p->rows);
    }
    if (p->figures != NULL) {
        fclose(p->figures);
    }
    free(p->row_text);
    free(p->figure_text);
    p->rows = p->figures = NULL;
    p->row_text = p->figure_text = NULL;
}

static bool begin_case(ss_verify_page *p)
{
    p->rows    = open_memstream(&p->row_text, &p->row_size);
    p->figures = open_memstream(&p->figure_text, &p->figure_size);
    return p->rows != NULL && p->figures != NULL;
}

ss_status ss_verify_page_open(ss_context *ctx, const char *path, ss_verify_page **out)
{
    *out = NULL;
    if (path == NULL) {
        return SS_OK;
    }
    ss_verify_page *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return no_memory(ctx);
    }
    p->ctx           = ctx;
    ss_status status = begin_case(p) ? ss_output_open(ctx, path, &p->file) : no_memory(ctx);
    if (status != SS_OK) {
        drop_case(p);
        free(p);
        return status;
    }
    fputs(head, ss_output_stream(p->file));
    *out = p;
    return SS_OK;
}

void ss_verify_page_quantity(ss_verify_page *p, const ss_verify_quantity *q)
{
    if (p == NULL || p->rows == NULL) {
        return;
    }
    fprintf(p->rows, "<tr%s><td>", q->pass ? "" : " class=\"off\"");
    ss_output_markup(p->rows, q->name);
    fprintf(p->rows, "</td><td>%.9g</td><td>%.9g</td><td>%.1g</td><td>%s</td></tr>\n", q->value,
            q->expected, q->tolerance, q->pass ? "ok" : "off");
}

void ss_verify_page_figure(ss_verify_page *p, const char *svg)
{
    if (p == NULL || p->figures == NULL) {
        return;
    }
    /* As a picture of its own, so that its style is that of nothing else. */
    fputs("<img alt=\"\" src=\"data:image/svg+xml;charset=utf-8,", p->figures);
    for (; *svg != '\0'; svg++) {
        if (strchr("%#<>\"&'\n", *svg) != NULL) {
            fprintf(p->figures, "%%%02X", (unsigned)*svg);
        } else {
            fputc(*svg, p->figures);
        }
    }
    fputs("\">\n", p->figures);
}

void ss_verify_page_case(ss_verify_page *p, const ss_verify_case *c)
{
    if (p == NULL || p->rows == NULL || p->figures == NULL) {
        return;
    }
    FILE *out = ss_output_stream(p->file);
    fflush(p->rows);
    fflush(p->figures);
    fprintf(out, "<h2 id=\"%s\">%s: ", c->name, c->name);
    ss_output_markup(out, c->summary);
    fputs("</h2>\n<p class=\"source\">", out);
    ss_output_markup(out, c->source);
    fprintf(out,
            "</p>\n%s<table>\n<tr><th>quantity</th><th>value</th><th>expected</th>"
            "<th>tolerance</th><th></th></tr>\n%s</table>\n",
            p->figure_text, p->row_text);
    drop_case(p);
    begin_case(p);
}

ss_status ss_verify_page_close(ss_verify_page *p, int checked, int failed, ss_status so_far)
{
    if (p == NULL) {
        return so_far;
    }
    if (so_far == SS_OK && (p->rows == NULL || p->figures == NULL)) {
        so_far = no_memory(p->ctx);
    }
    fprintf(ss_output_stream(p->file), "<p>%d quantities, %d off.</p>\n</body>\n</html>\n", checked,
            failed);
    so_far = ss_output_close(p->file, so_far);
    drop_case(p);
    free(p);
    return so_far;
}
