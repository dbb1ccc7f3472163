/* SPDX-License-Identifier: Apache-2.0 */
#include "import/xml.h"

#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"

/* Errors go to the caller, not to standard error. */
static void keep_quiet(void *unused, const char *format, ...)
{
    (void)unused;
    (void)format;
}

ss_status ss_xml_read(ss_context *ctx, const char *path, xmlDocPtr *out)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be opened", path);
    }
    fclose(file);
    xmlSetGenericErrorFunc(NULL, keep_quiet);
    *out = xmlReadFile(
        path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
    if (*out == NULL) {
        const xmlError *error = xmlGetLastError();
        char            text[200];
        snprintf(text, sizeof text, "%s",
                 error != NULL && error->message != NULL ? error->message : "not XML");
        text[strcspn(text, "\n")] = '\0';
        return ss_fail(ctx, SS_ERR_INPUT, "%s:%d: %s", path, error != NULL ? error->line : 0, text);
    }
    if ((*out)->intSubset != NULL || (*out)->extSubset != NULL) {
        xmlFreeDoc(*out);
        *out = NULL;
        return ss_fail(ctx, SS_ERR_INPUT, "%s: document types and entities are not read", path);
    }
    return SS_OK;
}

bool ss_xml_is(const xmlNode *node, const char *name)
{
    return node != NULL && node->type == XML_ELEMENT_NODE &&
           strcmp((const char *)node->name, name) == 0;
}

static xmlNode *element_from(xmlNode *node, const char *name)
{
    while (node != NULL &&
           !(node->type == XML_ELEMENT_NODE && (name == NULL || ss_xml_is(node, name)))) {
        node = node->next;
    }
    return node;
}

xmlNode *ss_xml_child(const xmlNode *node, const char *name)
{
    return node != NULL ? element_from(node->children, name) : NULL;
}

xmlNode *ss_xml_next(const xmlNode *node, const char *name)
{
    return element_from(node->next, name);
}

xmlNode *ss_xml_first(const xmlNode *node)
{
    return ss_xml_child(node, NULL);
}

xmlNode *ss_xml_after(const xmlNode *node)
{
    return element_from(node->next, NULL);
}

static const char *taken(ss_robot *r, xmlChar *text)
{
    int         ok  = 1;
    const char *out = text != NULL ? ss_pool_text(&r->pool, (const char *)text, &ok) : NULL;
    r->no_memory    = r->no_memory || !ok;
    xmlFree(text);
    return out;
}

const char *ss_xml_attribute(ss_robot *r, const xmlNode *node, const char *name)
{
    return node != NULL ? taken(r, xmlGetNoNsProp(node, (const xmlChar *)name)) : NULL;
}

const char *ss_xml_text(ss_robot *r, const xmlNode *node)
{
    const char *text = node != NULL ? taken(r, xmlNodeGetContent(node)) : NULL;
    return text != NULL ? text + strspn(text, " \t\r\n") : NULL;
}

int ss_xml_numbers(const char *text, double *out, int most)
{
    int count = 0;
    while (text != NULL && count < most) {
        char  *end = NULL;
        double x   = strtod(text, &end);
        if (end == text) {
            break;
        }
        out[count++] = x;
        text         = end;
    }
    return count;
}

double ss_xml_number(const char *text, double otherwise)
{
    double x;
    return ss_xml_numbers(text, &x, 1) == 1 ? x : otherwise;
}
