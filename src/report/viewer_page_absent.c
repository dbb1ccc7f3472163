/* SPDX-License-Identifier: Apache-2.0 */
/* A build without Node.js: reports cannot be made, everything else works. */
#include "report/viewer_page.h"

const ss_viewer_page ss_viewer_page_built = {"", 0};
