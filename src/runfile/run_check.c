/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking a run file: the scene in it is run again, and a recorder holds every state, contact and
 * joint against the file, bit for bit. Computing times alone may differ. What the file says of the
 * bodies has to be the scene's, and the result of a run that ended by itself has to come out again:
 * a run that failed cannot be made to look done, nor one that was cut short.
 */
#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "files/buffer.h"
#include "files/json_copy.h"
#include "runfile/run_describe.h"
#include "runfile/run_figures.h"
#include "runfile/run_file_rows.h"
#include "stickslip/record.h"
#include "stickslip/scene_file.h"

enum { BLOCK_STATES = 64 };

typedef struct comparer {
    ss_run_file  *file;
    ss_run_check *result;
    ss_run_rows   computed; /* one state */
    ss_run_rows   recorded; /* a block of them */
    int32_t       at;       /* state of the block that comes next */
    int32_t       contact;  /* its first contact in the block */
} comparer;

static ss_status others(ss_context *ctx, const char *where)
{
    return ss_fail(ctx, SS_ERR_INPUT, "the scene in the file has other bodies than its %s", where);
}

static bool same_bits(double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

static ss_status check_bodies(const comparer *c, ss_context *ctx, const ss_model *m)
{
    ss_pool pool   = {.ctx = ctx};
    int32_t nb     = ss_model_body_count(m);
    double *masses = ss_pool_alloc(&pool, (size_t)nb, sizeof *masses);
    if (masses == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d bodies", nb);
    }
    ss_status status = ss_run_file_masses(c->file, masses);
    for (int32_t i = 0; status == SS_OK && i < nb; i++) {
        double mass   = ss_model_mass(m, i);
        bool   same   = strcmp(ss_run_file_body_name(c->file, i), ss_model_body_name(m, i)) == 0;
        bool   kind   = strcmp(ss_run_body_type(m, i), ss_run_file_body_type(c->file, i)) == 0;
        bool   agrees = same && kind && same_bits(mass, masses[i]);
        status        = agrees ? SS_OK : others(ctx, "tables");
    }
    ss_pool_free(&pool);
    return status;
}

/* The text of a member of the outermost object that begins at `at`, its end included. Quotes within
 * texts are escaped, so that what is looked for cannot stand in one. */
static const char *member(const char *at, const char *name, const char **value)
{
    const char *found = at != NULL ? strstr(at, name) : NULL;
    const char *text  = found != NULL ? found + strlen(name) : NULL;
    const char *end   = text;
    while (end != NULL && *end != '"' && *end != '\0') {
        end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    }
    *value = text;
    return end;
}

/* What is told before the version, and, by the same version, what follows; the build may differ. */
static bool same_description(const char *ours, const char *theirs)
{
    static const char version[] = ",\"version\":\"", build[] = ",\"build\":\"";
    const char       *v[2] = {NULL, NULL}, *b[2], *end[2], *texts[] = {ours, theirs};
    for (int i = 0; i < 2; i++) {
        end[i] = member(member(texts[i], version, &v[i]), build, &b[i]);
        if (end[i] == NULL || v[i] == NULL) {
            return false;
        }
    }
    bool before = v[0] - ours == v[1] - theirs && memcmp(ours, theirs, (size_t)(v[0] - ours)) == 0;
    bool newer =
        strcspn(v[0], "\"") != strcspn(v[1], "\"") || memcmp(v[0], v[1], strcspn(v[0], "\"")) != 0;
    return before && (newer || strcmp(end[0], end[1]) == 0);
}

/* Is the version that the description names the one that wrote the file? */
static bool same_version(const char *theirs, const char *generator)
{
    const char *text = NULL;
    const char *end  = member(theirs, ",\"version\":\"", &text);
    return end != NULL && (size_t)(end - text) == strlen(generator) &&
           memcmp(text, generator, strlen(generator)) == 0;
}

/* The description ends with the parts of the scene. */
static bool same_parts(const char *ours, const char *theirs)
{
    static const char start[] = ",\"bodies\":[";
    const char       *a = strstr(ours, start), *b = strstr(theirs, start);
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static ss_status check_description(const comparer *c, ss_context *ctx, const ss_run_info *info)
{
    const char *theirs = ss_run_file_description(c->file);
    ss_buffer   raw, ours;
    ss_buffer_start(&raw, ctx);
    ss_buffer_start(&ours, ctx);
    ss_run_describe(&raw, ctx, info);
    ss_status status = ss_buffer_status(&raw);
    if (status == SS_OK && ss_json_copy(raw.bytes, &ours, NULL, 0)) {
        status = ss_buffer_status(&ours);
    }
    if (status == SS_OK && !same_parts(ours.bytes, theirs)) {
        status = others(ctx, "description");
    }
    if (status == SS_OK && !(same_description(ours.bytes, theirs) &&
                             same_version(theirs, ss_run_file_generator(c->file)))) {
        status = ss_fail(ctx, SS_ERR_INPUT, "the file's description is not that of its scene");
    }
    ss_buffer_release(&raw);
    ss_buffer_release(&ours);
    return status;
}

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    comparer          *c    = *(comparer **)ss_recorder_state(r);
    ss_run_size        size = ss_run_size_of(info->model, ss_run_file_size(c->file)->ranges > 0);
    const ss_run_size *have = ss_run_file_size(c->file);
    ss_context        *ctx  = ss_recorder_context(r);
    if (size.dimension != have->dimension || size.bodies != have->bodies ||
        size.joints != have->joints || size.forces != have->forces ||
        size.supports != have->supports) {
        return others(ctx, "tables");
    }
    SS_TRY(check_bodies(c, ctx, info->model));
    SS_TRY(check_description(c, ctx, info));
    ss_run_rows_start(&c->computed, ctx, &size);
    ss_run_rows_start(&c->recorded, ctx, &size);
    c->computed.step = info->step;
    return SS_OK;
}

/* The next block of the file. */
static ss_status refill(comparer *c)
{
    int64_t left = ss_run_file_states(c->file) - c->result->compared;
    ss_run_rows_drop(&c->recorded, c->recorded.steps);
    c->at = c->contact = 0;
    return ss_run_file_rows(c->file, c->result->compared,
                            (int32_t)(left < BLOCK_STATES ? left : BLOCK_STATES),
                            c->recorded.first_contact, &c->recorded);
}

static double value_at(const ss_run_field *f, const unsigned char *bytes)
{
    double  real;
    int32_t whole;
    if (f->type == SS_RUN_F64) {
        memcpy(&real, bytes, sizeof real);
        return real;
    }
    if (f->type == SS_RUN_I32) {
        memcpy(&whole, bytes, sizeof whole);
        return whole;
    }
    return *bytes;
}

/* The first column in which two rows of a field differ; -1: none. */
static int32_t first_difference(const ss_run_field *f, const unsigned char *a,
                                const unsigned char *b, int32_t width)
{
    size_t size = (size_t)ss_run_type_size(f->type);
    for (int32_t i = 0; i < width; i++) {
        if (memcmp(a + (size_t)i * size, b + (size_t)i * size, size) != 0) {
            return i;
        }
    }
    return -1;
}

/* Rows of one field of the state: one, or one for each contact. */
static bool field_differs(comparer *c, int id, int32_t contacts)
{
    const ss_run_field *f     = &ss_run_fields[id];
    bool                flat  = f->table == SS_TABLE_CONTACTS;
    int32_t             width = ss_run_width(f, &c->computed.size);
    size_t              size  = (size_t)ss_run_type_size(f->type);
    int32_t             count = width * (flat ? contacts : 1);
    size_t              from  = (size_t)width * size * (size_t)(flat ? c->contact : c->at);
    if (count == 0) {
        return false;
    }
    const unsigned char *ours = c->computed.column[id], *theirs = c->recorded.column[id] + from;
    int32_t              where = first_difference(f, ours, theirs, count);
    if (where < 0) {
        return false;
    }
    c->result->field    = f->path;
    c->result->column   = where;
    c->result->computed = value_at(f, ours + (size_t)where * size);
    c->result->recorded = value_at(f, theirs + (size_t)where * size);
    return true;
}

static bool state_differs(comparer *c)
{
    int32_t contacts = ss_run_ints(&c->computed, SS_RUN_CONTACTS)[0];
    /* Offsets count from the start of the run; here every state is the first. */
    ss_run_ints(&c->computed, SS_RUN_FIRST)[0] = ss_run_ints(&c->recorded, SS_RUN_FIRST)[c->at];
    if (field_differs(c, SS_RUN_CONTACTS, 0)) {
        return true; /* tables of contacts of another length cannot be held against each other */
    }
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        if (id != SS_RUN_STAGE && field_differs(c, id, contacts)) {
            return true;
        }
    }
    return false;
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    comparer *c = *(comparer **)ss_recorder_state(r);
    if (c->result->compared == ss_run_file_states(c->file)) {
        return SS_ERR_INTERRUPTED; /* the run was ended there */
    }
    if (c->at == c->recorded.steps) {
        SS_TRY(refill(c));
    }
    ss_run_rows_drop(&c->computed, c->computed.steps);
    SS_TRY(ss_run_rows_collect(&c->computed, m, d));
    if (state_differs(c)) {
        c->result->time = ss_data_time(d);
        return SS_ERR_INTERRUPTED;
    }
    c->contact += ss_run_ints(&c->recorded, SS_RUN_CONTACTS)[c->at++];
    c->result->compared++;
    return SS_OK;
}

static void release(ss_recorder *r)
{
    comparer *c = *(comparer **)ss_recorder_state(r);
    if (c->computed.ctx != NULL) {
        ss_run_rows_release(&c->computed);
        ss_run_rows_release(&c->recorded);
    }
}

static ss_status close(ss_recorder *r, const ss_run_result *result)
{
    (void)result;
    release(r);
    return SS_OK;
}

static const ss_recorder_class comparing = {.name       = "check",
                                            .summary    = "holds a run against a file",
                                            .state_size = sizeof(comparer *),
                                            .open       = open,
                                            .append     = append,
                                            .close      = close,
                                            .discard    = release};

/* Did the run end by itself, done or with a step that failed? Others were ended from outside. */
static bool ended_by_itself(const ss_run_file *f)
{
    double status = ss_run_file_result(f, "status"), stopped = ss_run_file_result(f, "stopped");
    return (status == (double)SS_OK || status == (double)SS_ERR_CERTIFICATE) && stopped != 1;
}

static void differ(ss_run_check *out, const char *field, double time, double recorded,
                   double computed)
{
    out->field    = field;
    out->time     = time;
    out->recorded = recorded;
    out->computed = computed;
}

/* After the last state: the figures of the result. `watched`: the file says that what watched the
   run ended it, at its last state as it turned out. */
static void compare_figures(const ss_run_file *f, const ss_run_result *result, bool watched,
                            ss_run_check *out)
{
    ss_run_figure figures[SS_RUN_FIGURE_COUNT];
    ss_run_figures(result, figures);
    for (int i = 0; out->field == NULL && i < SS_RUN_FIGURE_COUNT; i++) {
        double recorded = ss_run_file_result(f, ss_run_figure_name(&figures[i]));
        bool   same     = same_bits(recorded, figures[i].value);
        bool   told     = watched && strcmp(ss_run_figure_name(&figures[i]), "stopped") == 0;
        if (!same && !figures[i].clocked && !told) {
            differ(out, figures[i].path, result->time, recorded, figures[i].value);
        }
    }
}

/*
 * A run that was ended from outside, by the user or by what watched it: its status says so, and it
 * would have gone on. A file without a result is that of a run that was killed.
 */
static void compare_end(const ss_run_file *f, const ss_run_result *result, ss_run_check *out)
{
    double status = ss_run_file_result(f, "status"), stopped = ss_run_file_result(f, "stopped");
    bool   asked   = status == (double)SS_ERR_INTERRUPTED;
    bool   watched = status == (double)SS_OK && stopped == 1;
    bool   itself  = result->status == SS_OK || result->status == SS_ERR_CERTIFICATE;
    if (watched && itself) {
        compare_figures(f, result, true, out);
    } else if (!isnan(status) && !(asked && !itself) && !watched) {
        differ(out, "result/status", result->time, status, (double)result->status);
    }
}

static ss_status run_again(ss_context *ctx, const ss_scene *scene, const ss_run_def *how,
                           comparer *c)
{
    ss_model     *model    = NULL;
    ss_data      *data     = NULL;
    ss_recorder  *recorder = NULL;
    ss_run_result result;
    ss_status     status = ss_model_compile(ctx, scene, &model);
    if (status == SS_OK) {
        status = ss_data_create(ctx, model, &data);
    }
    if (status == SS_OK) {
        status = ss_recorder_create_class(ctx, &comparing, "", &recorder);
    }
    if (status == SS_OK) {
        ss_run_def def                            = *how;
        *(comparer **)ss_recorder_state(recorder) = c;
        def.recorders                             = &recorder;
        def.recorder_count                        = 1;
        def.scene_name                            = ss_run_file_scene_name(c->file);
        def.scene_path                            = ss_run_file_scene_path(c->file);
        def.scene_text                            = ss_run_file_scene_text(c->file);
        def.resolved                              = ss_run_file_resolved(c->file);
        status                                    = ss_run(ctx, model, data, &def, &result);
        bool all = c->result->compared == ss_run_file_states(c->file) && c->result->field == NULL;
        if (all && ended_by_itself(c->file)) {
            compare_figures(c->file, &result, false, c->result);
        } else if (all && (how->interrupt == NULL || *how->interrupt == 0)) {
            compare_end(c->file, &result, c->result);
        }
    }
    ss_recorder_destroy(recorder);
    ss_data_destroy(data);
    ss_model_destroy(model);
    return status;
}

/* Is the text of the scene, as it stands, what was run? */
static ss_status compare_text(ss_context *ctx, const ss_run_file *f, const char *name, bool *same)
{
    const char *text  = ss_run_file_scene_text(f);
    ss_scene   *scene = NULL;
    ss_status status = ss_scene_load_text(ctx, text, strlen(text), name[0] != '\0' ? name : "scene",
                                          NULL, 0, &scene);
    *same = status == SS_OK && strcmp(ss_scene_resolved(scene), ss_run_file_resolved(f)) == 0;
    ss_scene_destroy(scene);
    return status == SS_ERR_MEMORY ? status : SS_OK;
}

/* Runs without a name are those of programs that give none. */
static ss_status compare_name(ss_context *ctx, const ss_run_file *f, const ss_scene *scene)
{
    const char *name = ss_run_file_scene_name(f);
    return name[0] == '\0' || strcmp(name, ss_scene_name(scene)) == 0
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT, "scene/name is not the name of the scene in the file");
}

ss_status ss_run_file_check(ss_context *ctx, ss_run_file *f, const ss_run_def *how,
                            ss_run_check *out)
{
    *out          = (ss_run_check){0};
    comparer    c = {.file = f, .result = out};
    ss_scene   *scene;
    const char *text = ss_run_file_resolved(f), *name = ss_run_file_scene_path(f);
    if (text == NULL || text[0] == '\0') {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "the run was not made from a scene file: it cannot be run "
                       "again");
    }
    SS_TRY(ss_scene_load_text(ctx, text, strlen(text), name[0] != '\0' ? name : "scene", NULL, 0,
                              &scene));
    ss_status status = compare_name(ctx, f, scene);
    if (status == SS_OK) {
        status = ss_run_file_labels(f);
    }
    if (status == SS_OK) {
        status = compare_text(ctx, f, name, &out->text_same);
    }
    if (status == SS_OK) {
        status = run_again(ctx, scene, how, &c);
    }
    ss_scene_destroy(scene);
    bool stopped = how->interrupt != NULL && *how->interrupt != 0;
    bool ended   = out->field != NULL || out->compared == ss_run_file_states(f);
    out->same    = out->field == NULL && out->compared == ss_run_file_states(f);
    out->failed  = ss_run_file_result(f, "status") == (double)SS_ERR_CERTIFICATE;
    if (stopped || (status != SS_OK && status != SS_ERR_CERTIFICATE && !ended)) {
        return status;
    }
    return SS_OK;
}
