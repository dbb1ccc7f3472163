/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of a page through a headless Chromium, which is driven over a pipe with the DevTools
 * protocol; videos through ffmpeg. Both are looked for when they are needed.
 */
#ifndef SS_CLI_BROWSER_H
#define SS_CLI_BROWSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "stickslip/base.h"

typedef struct ss_browser {
    ss_context *ctx;
    pid_t       process;
    int         to, from; /* pipes */
    int         last_id;
    char       *message; /* (size) the last answer; what follows it, up to `filled`, is unread */
    size_t      size, filled, room;
    char        session[128];
} ss_browser;

/* Opens a file at a size in pixels and waits until the page is ready. layers: what the replay
   shows, as "points,forces"; view: iso, front, side or top; NULL: as it does by itself. clear: the
   background is left out of pictures. */
typedef struct ss_browser_look {
    const char *layers, *view;
    int         width, height;
    bool        clear;
} ss_browser_look;
ss_status ss_browser_open(ss_browser *b, ss_context *ctx, const char *path,
                          const ss_browser_look *look);
void      ss_browser_close(ss_browser *b);
/* Show time t of the replay. */
ss_status ss_browser_seek(ss_browser *b, double t);
/* A PNG of the page, into memory that the caller frees. */
ss_status ss_browser_picture(ss_browser *b, unsigned char **png, size_t *size);

typedef struct ss_encoder {
    ss_context *ctx;
    const char *path;
    pid_t       process;
    FILE       *input;
} ss_encoder;

/* PNG pictures in, a video file out. */
ss_status ss_encoder_open(ss_encoder *e, ss_context *ctx, const char *path, int rate);
ss_status ss_encoder_add(ss_encoder *e, const unsigned char *png, size_t size);
ss_status ss_encoder_close(ss_encoder *e);

#endif
