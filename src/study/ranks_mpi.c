/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweeps over processes by MPI. A worker asks (REQUEST), gets a batch of trial numbers (BATCH; an
 * empty one ends it), and sends every row as soon as it is there (ROW), so that a job that is
 * killed has lost nothing that was finished. Batches shrink towards the end: an eighth of what is
 * left, shared among the workers. Only one thread of process 0 calls MPI.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "study/ranks.h"

enum { TAG_REQUEST = 1, TAG_ROW, TAG_FAILED, TAG_BATCH, BATCH_MOST = 64, HEAD = 6 };

/* A row as numbers: trial, status, steps, time, residual, seconds, inputs, measures, message. */
static int row_size(const ss_study *s)
{
    return (HEAD + s->input_count + s->measure_count) * (int)sizeof(double) + SS_TRIAL_MESSAGE;
}

static void pack(const ss_study *s, const ss_trial *t, unsigned char *out)
{
    const double head[HEAD] = {(double)t->trial, (double)t->status, (double)t->steps,
                               t->time,          t->residual,       t->seconds};
    size_t       ni = (size_t)s->input_count * 8, nm = (size_t)s->measure_count * 8;
    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, t->inputs, ni);
    memcpy(out + sizeof head + ni, t->measures, nm);
    memcpy(out + sizeof head + ni + nm, t->message, SS_TRIAL_MESSAGE);
}

/* The arrays of the row stay in the buffer. */
static ss_trial unpack(const ss_study *s, unsigned char *from)
{
    double head[HEAD];
    size_t ni = (size_t)s->input_count * 8, nm = (size_t)s->measure_count * 8;
    memcpy(head, from, sizeof head);
    ss_trial t = {.trial    = (int64_t)head[0],
                  .status   = (ss_trial_status)head[1],
                  .steps    = (int64_t)head[2],
                  .time     = head[3],
                  .residual = head[4],
                  .seconds  = head[5]};
    t.inputs   = (double *)(void *)(from + sizeof head);
    t.measures = (double *)(void *)(from + sizeof head + ni);
    memcpy(t.message, from + sizeof head + ni + nm, SS_TRIAL_MESSAGE);
    t.message[SS_TRIAL_MESSAGE - 1] = '\0';
    return t;
}

static void finalize(void)
{
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) {
        MPI_Finalize();
    }
}

/* Started by mpirun (or by srun with PMI)? Otherwise MPI is left alone: starting it takes time. */
static bool launched(void)
{
    const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (getenv(names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

ss_status ss_ranks_find(ss_context *ctx, ss_ranks *out)
{
    int ready = 0, level = 0, rank = 0, count = 1;
    *out = (ss_ranks){0, 1};
    if (!launched()) {
        return SS_OK;
    }
    MPI_Initialized(&ready);
    if (!ready && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return ss_fail(ctx, SS_ERR_UNSUPPORTED, "MPI cannot be started");
    }
    if (!ready) {
        atexit(finalize);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *out = (ss_ranks){rank, count};
    return SS_OK;
}

/* ---- process 0 ---- */

typedef struct server {
    const ss_study        *study;
    const ss_ranks        *ranks;
    const ss_ranks_master *master;
    unsigned char         *row;
    int32_t                working; /* processes that were not told to end */
} server;

static void answer(server *v, int source)
{
    int64_t batch[BATCH_MOST], share = v->master->left(v->master->user) / (8 * v->ranks->count);
    int32_t room  = (int32_t)(share < 1 ? 1 : share > BATCH_MOST ? BATCH_MOST : share);
    int32_t count = v->master->take(v->master->user, batch, room);
    MPI_Recv(NULL, 0, MPI_BYTE, source, TAG_REQUEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(batch, count, MPI_INT64_T, source, TAG_BATCH, MPI_COMM_WORLD);
    v->working -= count == 0;
}

static void take_row(server *v, int source)
{
    MPI_Recv(v->row, row_size(v->study), MPI_BYTE, source, TAG_ROW, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    ss_trial t = unpack(v->study, v->row);
    v->master->deliver(v->master->user, &t);
}

static void take_failure(server *v, int source)
{
    char text[SS_TRIAL_MESSAGE + 8] = {0};
    int  code                       = 0;
    MPI_Recv(text, SS_TRIAL_MESSAGE, MPI_BYTE, source, TAG_FAILED, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    memcpy(&code, text, sizeof code);
    v->master->fail(v->master->user, (ss_status)code, text + sizeof code);
}

void ss_ranks_serve(const ss_study *s, const ss_ranks *r, const ss_ranks_master *master)
{
    const struct timespec pause = {0, 100000};
    server                v     = {s, r, master, malloc((size_t)row_size(s)), r->count - 1};
    if (v.row == NULL) {
        MPI_Abort(MPI_COMM_WORLD, SS_ERR_MEMORY);
    }
    while (v.row != NULL && v.working > 0) {
        MPI_Status status;
        int        found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
        if (!found) {
            nanosleep(&pause, NULL);
        } else if (status.MPI_TAG == TAG_ROW) {
            take_row(&v, status.MPI_SOURCE);
        } else if (status.MPI_TAG == TAG_FAILED) {
            take_failure(&v, status.MPI_SOURCE);
        } else {
            answer(&v, status.MPI_SOURCE);
        }
    }
    free(v.row);
}

/* ---- the others ---- */

static void send_failure(const ss_context *ctx, ss_status status)
{
    char text[SS_TRIAL_MESSAGE] = {0};
    int  code                   = (int)status;
    memcpy(text, &code, sizeof code);
    strncpy(text + sizeof code, ss_context_message(ctx), sizeof text - sizeof code - 1);
    MPI_Send(text, SS_TRIAL_MESSAGE, MPI_BYTE, 0, TAG_FAILED, MPI_COMM_WORLD);
}

static int32_t ask_for_work(int64_t *batch)
{
    MPI_Status status;
    int        count = 0;
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_REQUEST, MPI_COMM_WORLD);
    MPI_Recv(batch, BATCH_MOST, MPI_INT64_T, 0, TAG_BATCH, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT64_T, &count);
    return count;
}

ss_status ss_ranks_work(ss_context *ctx, const ss_study *s, ss_ranks_compute compute, void *user)
{
    int64_t        batch[BATCH_MOST];
    double        *room = calloc((size_t)(s->input_count + s->measure_count) + 1, sizeof *room);
    unsigned char *row  = malloc((size_t)row_size(s));
    ss_status      status =
        room != NULL && row != NULL ? SS_OK : ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    for (int32_t count = ask_for_work(batch); count > 0; count = ask_for_work(batch)) {
        for (int32_t i = 0; status == SS_OK && i < count; i++) {
            ss_trial t = {.inputs = room, .measures = room + s->input_count};
            status     = compute(user, batch[i], &t);
            if (status == SS_OK) {
                pack(s, &t, row);
                MPI_Send(row, row_size(s), MPI_BYTE, 0, TAG_ROW, MPI_COMM_WORLD);
            } else {
                send_failure(ctx, status);
            }
        }
    }
    free(room);
    free(row);
    return status;
}
