/* SPDX-License-Identifier: Apache-2.0 */
#include "import/xml.h"

#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "core/input.h"
#include "import/tolerances.h"

/* Errors go to the caller, not to standard error. */
static void keep_quiet(void *unused, const char *format, ...)
{
    (void)unused;
    (void)format;
}

/* The end of a comment, section or instruction that begins at `at`; NULL: a tag begins there. */
static const char *passed(const char *at, const char *end)
{
    static const struct {
        const char *opens, *closes;
    } kinds[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        size_t opens = strlen(kinds[k].opens), closes = strlen(kinds[k].closes);
        if ((size_t)(end - at) < opens || memcmp(at, kinds[k].opens, opens) != 0) {
            continue;
        }
        for (at += opens; at < end; at++) {
            if ((size_t)(end - at) >= closes && memcmp(at, kinds[k].closes, closes) == 0) {
                return at + closes;
            }
        }
        return end;
    }
    return NULL;
}

/* How many attributes a tag has, each with one text in quotes; *at is moved behind it. */
static int32_t count_attributes(const char **at, const char *end)
{
    int32_t count = 0;
    while (*at < end && **at != '>') {
        if (**at == '"' || **at == '\'') {
            const char *close = memchr(*at + 1, **at, (size_t)(end - *at - 1));
            *at               = close != NULL ? close : end - 1;
            count++;
        }
        (*at)++;
    }
    return count;
}

/* Before the parser sees it: libxml2 holds all attributes of an element against each other. */
static ss_status check_attributes(ss_context *ctx, const char *path, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    for (const char *at = bytes; at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL;) {
        const char *after = passed(at, end);
        if (after != NULL) {
            at = after;
        } else if (count_attributes(&at, end) > SS_IMPORT_ATTRIBUTES_MAX) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: an element has more than %d attributes", path,
                           SS_IMPORT_ATTRIBUTES_MAX);
        }
    }
    return SS_OK;
}

static ss_status parse(ss_context *ctx, const char *path, const char *bytes, size_t size,
                       xmlDocPtr *out)
{
    xmlSetGenericErrorFunc(NULL, keep_quiet);
    *out = xmlReadMemory(bytes, (int)size, path, NULL,
                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                             XML_PARSE_NOCDATA);
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

ss_status ss_xml_read(ss_robot *r, const char *path, xmlDocPtr *out)
{
    ss_context *ctx = r->ctx;
    int         file;
    size_t      size;
    *out = NULL;
    SS_TRY(ss_input_open(ctx, path, SS_IMPORT_BYTES_MAX - (int64_t)r->bytes, &file, &size));
    r->bytes += size;
    ss_status status = SS_OK;
    char     *bytes  = ss_alloc(ctx, size + 1, 1);
    if (bytes == NULL) {
        status = ss_fail(ctx, SS_ERR_MEMORY, "%s: no memory for %zu bytes", path, size);
    } else if (!ss_input_whole(file, bytes, size)) {
        status = ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be read", path);
    }
    close(file);
    if (status == SS_OK) {
        status = check_attributes(ctx, path, bytes, size);
    }
    if (status == SS_OK) {
        status = parse(ctx, path, bytes, size, out);
    }
    ss_free(ctx, bytes, size + 1);
    return status;
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
