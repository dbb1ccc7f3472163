/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double first_look = 1.0; /* seconds before the bar appears */
static const double refresh    = 0.1;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ss_progress ss_progress_start(const char *unit, bool quiet)
{
    ss_progress p = {.unit = unit, .enabled = !quiet && isatty(STDERR_FILENO)};
    if (p.enabled) {
        p.started = now();
        p.last    = p.started + first_look - refresh;
    }
    return p;
}

static void print_time_left(double seconds)
{
    if (seconds < 100) {
        fprintf(stderr, "%.0f s left", seconds);
    } else if (seconds < 6000) {
        fprintf(stderr, "%.0f min left", seconds / 60);
    } else {
        fprintf(stderr, "%.1f h left", seconds / 3600);
    }
}

static void draw(const ss_progress *p, int64_t done, int64_t total, double residual, double t)
{
    enum { WIDTH = 24 };
    char   bar[WIDTH + 1];
    double part = total > 0 ? (double)done / (double)total : 0;
    int    full = (int)(part * WIDTH);
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(full < WIDTH ? full : WIDTH));
    bar[WIDTH]  = '\0';
    double rate = (double)(done - p->before) / (t - p->started);
    fprintf(stderr, "\r[%s] %3.0f %%  %.3g %s/s  ", bar, 100 * part, rate, p->unit);
    print_time_left(rate > 0 ? (double)(total - done) / rate : 0);
    if (residual >= 0) {
        fprintf(stderr, "  residual %.1e", residual);
    }
    fprintf(stderr, "%s%s\033[K", p->note[0] != '\0' ? "  " : "", p->note);
    fflush(stderr);
}

void ss_progress_update(ss_progress *p, int64_t done, int64_t total, double residual)
{
    if (!p->enabled || done < p->next_look) {
        return;
    }
    double t = now();
    if (t - p->last < refresh) {
        return;
    }
    /* Read the clock about twenty times between two pictures, whatever a unit of work costs. */
    int64_t per_picture = (int64_t)((double)done / (t - p->started) * refresh / 20);
    p->next_look        = done + per_picture;
    p->last             = t;
    p->shown            = true;
    draw(p, done, total, residual, t);
}

void ss_progress_wipe(ss_progress *p)
{
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->shown = false;
}

void ss_progress_end(ss_progress *p)
{
    ss_progress_wipe(p);
    p->enabled = false;
}

static volatile sig_atomic_t interrupted; /* a signal handler can reach nothing else */

static struct timespec first_signal;

/* Signals so soon after the first are the same one: `timeout` and shells tell the process and its
   group. */
static const double SAME_SIGNAL = 0.2; /* s */

static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!interrupted) {
        first_signal = now;
        interrupted  = 1;
        return;
    }
    double since = (double)(now.tv_sec - first_signal.tv_sec) +
                   1e-9 * (double)(now.tv_nsec - first_signal.tv_nsec);
    if (since > SAME_SIGNAL) { /* a second Ctrl-C ends the process at once */
        signal(number, SIG_DFL);
        raise(number);
    }
}

const volatile sig_atomic_t *ss_cli_catch_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}
