/* SPDX-License-Identifier: Apache-2.0 */
/* XML as the importers read it: no network, no document types, no entities. */
#ifndef SS_IMPORT_XML_H
#define SS_IMPORT_XML_H

#include <libxml/tree.h>

#include "import/robot.h"

/* Parses a file of the robot; free it with xmlFreeDoc(). */
ss_status ss_xml_read(ss_robot *r, const char *path, xmlDocPtr *out);

bool     ss_xml_is(const xmlNode *node, const char *name);
xmlNode *ss_xml_child(const xmlNode *node, const char *name); /* the first; NULL: none */
xmlNode *ss_xml_next(const xmlNode *node, const char *name);  /* sibling after it      */
/* Elements of any name: for (n = ss_xml_first(e); n; n = ss_xml_after(n)). */
xmlNode *ss_xml_first(const xmlNode *node);
xmlNode *ss_xml_after(const xmlNode *node);

/* Texts live in the robot's pool; NULL: not there. */
const char *ss_xml_attribute(ss_robot *r, const xmlNode *node, const char *name);
const char *ss_xml_text(ss_robot *r, const xmlNode *node);
/* Numbers of a text into `out`; how many there were, at most `most`. */
int    ss_xml_numbers(const char *text, double *out, int most);
double ss_xml_number(const char *text, double otherwise);

/* The readers of the formats: from the root element. */
ss_status ss_import_urdf(ss_robot *r, xmlNode *root);
ss_status ss_import_mjcf(ss_robot *r, xmlNode *root);
ss_status ss_import_sdf(ss_robot *r, xmlNode *root);

#endif
