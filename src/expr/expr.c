/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions in a Lua sandbox.
 *
 * The state is made without any of Lua's libraries: no files, processes, modules, text functions,
 * metatables, coroutines or debug interface exist in it. Code sees one read-only table of names,
 * holding mathematics and the scene's parameters. Everything that can fail runs inside a protected
 * call, under an allocator that counts (expr_allowance.h) and a hook that counts instructions.
 *
 * What a call may take depends on the call alone: nothing is collected during it, and it runs in a
 * thread whose stack no earlier call has grown.
 *
 * An expression E over the names a, b, ... becomes
 *
 *     local a <const>, b <const> = a, b
 *     return function(t) return (E) end
 *
 * so that names are looked up once; evaluating is one protected call and allocates nothing.
 */
#include "expr/expr.h"
#include "core/constants.h"

#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "expr/expr_allowance.h"
#include "expr/expr_calls.h"
#include "expr/expr_math.h"
#include "expr/expr_text.h"

enum {
    HOOK_PERIOD = 1000, /* instructions between two looks                      */
    HOOK_LOOKS  = 100,  /* looks before an evaluation is ended: 1e5 operations */
    CHUNKS_MOST = 256,  /* compiled expressions that are kept                  */
    NAMES_SIZE  = SS_EXPR_WORDS_MAX * (SS_EXPR_NAME_MAX + 12),
    SOURCE_SIZE = 2 * NAMES_SIZE + 3 * SS_EXPR_TEXT_MAX + 128
};

#define CHUNK_NAME "expression"

typedef struct param {
    char name[SS_EXPR_NAME_MAX + 1];
} param;

typedef struct expression {
    char *text;     /* for messages              */
    bool  straight; /* runs without the hook     */
    bool  sided;    /* it jumps or bends somewhere */
} expression;

struct ss_expr_env {
    ss_context       *ctx;
    lua_State        *main;
    lua_State        *L;      /* `main`, or the thread that all runs in .. */
    int               thread; /* .. and where the registry keeps it        */
    ss_expr_allowance allowance;
    int               looks_left;
    int               names;    /* registry keys: the table of names behind the read-only one, */
    int               compiled; /* the list of compiled functions,                             */
    int               state;    /* s as controllers see it,                                    */
    int               kept;     /* state, their third argument,                                */
    int               known;    /* the bodies and joints that they asked it for,               */
    int               chunks;   /* and chunks that were compiled, by their source              */
    int               chunk_count;
    bool              has_functions; /* ss_expr_set_function was called */
    bool              sides;         /* sides are being noted           */
    uint64_t          side;          /* .. all of them so far           */
    ss_expr_reader    reader; /* behind s, while a function is being called                  */
    void             *reader_user;
    const ss_expr_memory *memory; /* behind state, likewise */
    param                *params; /* (param_count) what ss_expr_set_param was given              */
    int32_t               param_count, param_room;
    expression           *list; /* (count) what ss_expr_compile was given                      */
    int32_t               count, room;
};

static ss_expr_env *env_of(lua_State *L)
{
    void *user = NULL;
    (void)lua_getallocf(L, &user);
    return user;
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    ss_expr_env *env = user;
    return ss_expr_allowance_resize(&env->allowance, block, old_size, new_size);
}

static void count_instructions(lua_State *L, lua_Debug *unused)
{
    (void)unused;
    if (--env_of(L)->looks_left <= 0) {
        luaL_error(L, "it takes more than %d instructions", HOOK_PERIOD * HOOK_LOOKS);
    }
}

/*
 * Lets the table of short texts grow, so that the allowance sees which block it is: nothing else
 * is resized here.
 */
static void show_text_table(lua_State *L)
{
    ss_expr_allowance *allowance = &env_of(L)->allowance;
    ss_expr_allowance_watch(allowance);
    for (uint16_t i = 0; i < UINT16_MAX && !ss_expr_allowance_saw_texts(allowance); i++) {
        lua_pushlstring(L, (const char *)&i, sizeof i);
        lua_pop(L, 1);
    }
}

/* Protected: the thread that everything runs in from now on. */
static int make_thread(lua_State *L)
{
    ss_expr_env *env = env_of(L);
    if (!ss_expr_allowance_saw_texts(&env->allowance)) {
        show_text_table(L);
    }
    ss_expr_allowance_watch_stack(&env->allowance, true);
    env->L = lua_newthread(L);
    ss_expr_allowance_watch_stack(&env->allowance, false);
    lua_rawseti(L, LUA_REGISTRYINDEX, env->thread);
    return 0;
}

/* What lies on the stack goes with it. */
static ss_status renew_thread(ss_expr_env *env)
{
    lua_State *old = env->L;
    lua_pushcfunction(env->main, make_thread);
    if (lua_pcall(env->main, 0, 0, 0) != LUA_OK) {
        lua_settop(env->main, 0);
        env->L = old;
        lua_settop(old, 0);
        return ss_fail(env->ctx, SS_ERR_MEMORY, "out of memory for expressions");
    }
    lua_xmove(old, env->L, lua_gettop(old));
    return SS_OK;
}

static void collect(ss_expr_env *env)
{
    if (ss_expr_allowance_is_littered(&env->allowance)) {
        lua_gc(env->main, LUA_GCCOLLECT);
        ss_expr_allowance_settle(&env->allowance);
    }
}

static void arm(ss_expr_env *env, const ss_expr_bounds *bounds, bool counted)
{
    ss_expr_allowance_give(&env->allowance, bounds);
    env->looks_left = HOOK_LOOKS;
    if (counted) {
        lua_sethook(env->L, count_instructions, LUA_MASKCOUNT, HOOK_PERIOD);
    } else {
        lua_sethook(env->L, NULL, 0, 0);
    }
}

static void arm_own(ss_expr_env *env)
{
    arm(env, &ss_expr_bounds_own, false);
}

/* What is compiled cannot come near its bounds: it makes no difference what ran before. */
static void arm_compile(ss_expr_env *env)
{
    arm_own(env);
    collect(env);
    arm(env, &ss_expr_bounds_compile, true);
}

/* In straight code nothing repeats, and it makes neither tables nor text. Other code runs as if
   nothing had run before. */
static ss_status arm_call(ss_expr_env *env, bool straight)
{
    if (!straight) {
        arm_own(env);
        collect(env);
        if (ss_expr_allowance_grew(&env->allowance)) {
            SS_TRY(renew_thread(env));
        }
    }
    arm(env, &ss_expr_bounds_call, !straight);
    return SS_OK;
}

/* ---- the read-only table of names ---- */

static bool is_known(const ss_expr_env *env, const char *word, size_t length)
{
    for (const ss_expr_doc *f = ss_expr_functions; f->name != NULL; f++) {
        if (strlen(f->name) == length && strncmp(f->name, word, length) == 0) {
            return true;
        }
    }
    for (int32_t i = 0; i < env->param_count; i++) {
        const char *name = env->params[i].name;
        if (strlen(name) == length && strncmp(name, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* "; did you mean 'x'?" when there is something near `word`. */
static void suggest(const ss_expr_env *env, const char *word, char *out, size_t size)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    int32_t     count = 0;
    for (int32_t i = 0; i < env->param_count && count < NAMES_MAX; i++) {
        names[count++] = env->params[i].name;
    }
    for (const ss_expr_doc *f = ss_expr_functions; f->name != NULL && count < NAMES_MAX; f++) {
        names[count++] = f->name;
    }
    const char *near = ss_nearest_name(word, names, count);
    out[0]           = '\0';
    if (near != NULL) {
        snprintf(out, size, "; did you mean '%s'?", near);
    }
}

/* __index of the table of names: only names that do not exist arrive here. */
static int unknown_name(lua_State *L)
{
    char        hint[SS_EXPR_NAME_MAX + 32];
    const char *word = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    if (strcmp(word, "t") == 0) {
        return luaL_error(L, "the time t has no meaning here");
    }
    suggest(env_of(L), word, hint, sizeof hint);
    return luaL_error(L, "there is no parameter or function '%s'%s", word, hint);
}

static int refuse_assignment(lua_State *L)
{
    return luaL_error(L, "an expression cannot set names");
}

/* Sets {__index = value at the top, __newindex = refuse} as metatable of the table at `table`. */
static void protect(lua_State *L, int table)
{
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_assignment);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, table);
}

/*
 * ---- the state that functions see: s.NAME.FIELD ----
 *
 * s and s.NAME are userdata, which have no fields of their own: nothing can be stored in them, so
 * that what a function gives depends on the time and the state alone.
 */

/* __index of s.NAME, which holds the name. */
static int state_field(lua_State *L)
{
    ss_expr_env *env   = env_of(L);
    double       value = 0;
    const char  *name  = lua_touserdata(L, 1);
    const char  *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    if (env->reader(env->reader_user, name, field, &value) != SS_EXPR_FOUND) {
        return luaL_error(L, "'%s' has no field '%s' here", name, field);
    }
    lua_pushnumber(L, value);
    return 1;
}

static int refuse_state(lua_State *L)
{
    return luaL_error(L, "the state s can be read, not set");
}

/* Gives the userdata at the top its metatable. */
static void set_access(lua_State *L, lua_CFunction read, lua_CFunction write)
{
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, read);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, write);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
}

/* __index of s: what stands for a body or joint, made once and kept; there are no others. */
static int state_name(lua_State *L)
{
    ss_expr_env *env = env_of(L);
    double       unused;
    if (lua_type(L, 2) != LUA_TSTRING) {
        return luaL_error(L, "the state is read as s.NAME.FIELD");
    }
    const char *name = lua_tostring(L, 2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, env->known); /* 3 */
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 3) == LUA_TUSERDATA) {
        return 1;
    }
    if (env->reader(env->reader_user, name, "", &unused) == SS_EXPR_NO_NAME) {
        return luaL_error(L, "there is no body or joint '%s'", name);
    }
    /* It stays for later calls, which would otherwise take less than the first. */
    env->allowance.ours = true;
    size_t size         = strlen(name) + 1;
    memcpy(lua_newuserdatauv(L, size, 0), name, size);
    set_access(L, state_field, refuse_state);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 3);
    env->allowance.ours = false;
    return 1;
}

/* ---- what a function keeps: state.NAME, its third argument ---- */

/* Where the declared number is that the key at place 2 names. */
static double *kept_number(lua_State *L)
{
    const ss_expr_memory *memory = env_of(L)->memory;
    const char           *name   = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    for (int32_t i = 0; memory != NULL && i < memory->count; i++) {
        if (strcmp(memory->names[i], name) == 0) {
            return &memory->values[i];
        }
    }
    luaL_error(L, "the controller declares no state '%s'", name);
    return NULL;
}

static int read_kept(lua_State *L)
{
    lua_pushnumber(L, *kept_number(L));
    return 1;
}

static int set_kept(lua_State *L)
{
    double *to = kept_number(L);
    if (lua_type(L, 3) != LUA_TNUMBER || !isfinite(lua_tonumber(L, 3))) {
        return luaL_error(L, "state.%s must be a finite number", lua_tostring(L, 2));
    }
    *to = lua_tonumber(L, 3);
    return 0;
}

/* Protected set-up: globals = empty table -> names -> unknown_name(). */
static int set_up(lua_State *L)
{
    ss_expr_env *env = env_of(L);
    lua_gc(L, LUA_GCSTOP); /* collect() does it */
    lua_newtable(L);       /* 1: names */
    luaL_setfuncs(L, ss_expr_mathematics, 0);
    for (int i = 0; i < SS_EXPR_OPERATORS; i++) {
        lua_pushcfunction(L, ss_expr_operator_calls[i]);
        lua_setfield(L, -2, ss_expr_operators[i].name);
    }
    lua_pushnumber(L, SS_PI);
    lua_setfield(L, 1, "pi");
    lua_pushcfunction(L, unknown_name);
    protect(L, 1);
    lua_pushvalue(L, 1);
    env->names = luaL_ref(L, LUA_REGISTRYINDEX);

    lua_newtable(L); /* 2: what code sees as its globals */
    lua_pushvalue(L, 1);
    protect(L, 2);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);

    lua_newtable(L);
    env->compiled = luaL_ref(L, LUA_REGISTRYINDEX);

    lua_newtable(L);
    env->chunks = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    env->known = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newuserdatauv(L, 1, 0); /* s */
    set_access(L, state_name, refuse_state);
    env->state = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newuserdatauv(L, 1, 0); /* state */
    set_access(L, read_kept, set_kept);
    env->kept = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushboolean(L, false); /* nil would give no place */
    env->thread = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* Turns the error at the top of the stack into a message, without Lua's "expression:1: ". */
static ss_status fail(ss_expr_env *env, int code, const char *text)
{
    const char *message = lua_type(env->L, -1) == LUA_TSTRING ? lua_tostring(env->L, -1) : "?";
    if (strncmp(message, CHUNK_NAME ":", sizeof CHUNK_NAME) == 0) {
        const char *space = strchr(message, ' ');
        message           = space != NULL ? space + 1 : message;
    }
    ss_fail(env->ctx, SS_ERR_INPUT, "expression '%.200s': %s", text,
            code == LUA_ERRMEM ? ss_expr_allowance_refusal(&env->allowance) : message);
    lua_settop(env->L, 0);
    return SS_ERR_INPUT;
}

ss_status ss_expr_env_create(ss_context *ctx, ss_expr_env **out)
{
    *out             = NULL;
    ss_expr_env *env = ss_alloc(ctx, 1, sizeof *env);
    if (env == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory for expressions");
    }
    env->ctx           = ctx;
    env->allowance.ctx = ctx;
    ss_expr_allowance_give(&env->allowance, &ss_expr_bounds_own);
    env->main = lua_newstate(resize, env);
    env->L    = env->main;
    if (env->main != NULL) {
        lua_pushcfunction(env->main, set_up);
        if (lua_pcall(env->main, 0, 0, 0) == LUA_OK) {
            ss_expr_allowance_settle(&env->allowance);
            *out = env;
            return SS_OK;
        }
    }
    ss_expr_env_destroy(env);
    return ss_fail(ctx, SS_ERR_MEMORY, "out of memory for expressions");
}

static void forget_list(ss_expr_env *env)
{
    for (int32_t i = 0; i < env->count; i++) {
        ss_free(env->ctx, env->list[i].text, strlen(env->list[i].text) + 1);
    }
    env->count = 0;
}

void ss_expr_env_destroy(ss_expr_env *env)
{
    if (env == NULL) {
        return;
    }
    ss_context *ctx = env->ctx;
    if (env->main != NULL) {
        lua_close(env->main);
    }
    forget_list(env);
    ss_free(ctx, env->list, (size_t)env->room * sizeof *env->list);
    ss_free(ctx, env->params, (size_t)env->param_room * sizeof *env->params);
    ss_free(ctx, env, sizeof *env);
}

/* ---- one after the other ---- */

static void destroy_spare(void *spare)
{
    ss_expr_env_destroy(spare);
}

/* Protected: no parameters, no compiled functions; chunks stay. */
static int clear(lua_State *L)
{
    ss_expr_env *env = env_of(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, env->names);
    for (int32_t i = 0; i < env->param_count; i++) {
        lua_pushstring(L, env->params[i].name);
        lua_pushnil(L);
        lua_rawset(L, 1);
    }
    int *const tables[] = {&env->compiled, &env->known};
    for (int i = 0; i < 2; i++) {
        lua_newtable(L);
        lua_rawseti(L, LUA_REGISTRYINDEX, *tables[i]);
    }
    return 0;
}

static bool forget_code(ss_expr_env *env)
{
    arm_own(env);
    lua_pushcfunction(env->L, clear);
    return lua_pcall(env->L, 0, 0, 0) == LUA_OK;
}

ss_status ss_expr_env_take(ss_context *ctx, ss_expr_env **out)
{
    if (ctx->spare == NULL) {
        return ss_expr_env_create(ctx, out);
    }
    *out       = ctx->spare;
    ctx->spare = NULL;
    return SS_OK;
}

void ss_expr_env_give_back(ss_expr_env *env)
{
    if (env == NULL) {
        return;
    }
    if (env->has_functions || env->ctx->spare != NULL || !forget_code(env)) {
        ss_expr_env_destroy(env);
        return;
    }
    forget_list(env);
    env->param_count     = 0;
    env->ctx->spare      = env;
    env->ctx->free_spare = destroy_spare;
}

/* ---- parameters ---- */

static ss_status remember_name(ss_expr_env *env, const char *name)
{
    if (is_known(env, name, strlen(name))) {
        return SS_OK;
    }
    if (env->param_count == env->param_room) {
        int32_t room = env->param_room > 0 ? 2 * env->param_room : 8;
        param  *grown =
            ss_resize(env->ctx, env->params, (size_t)env->param_room * sizeof *env->params,
                      (size_t)room * sizeof *env->params);
        if (grown == NULL) {
            return ss_fail(env->ctx, SS_ERR_MEMORY, "out of memory for parameter '%s'", name);
        }
        env->params     = grown;
        env->param_room = room;
    }
    snprintf(env->params[env->param_count++].name, SS_EXPR_NAME_MAX + 1, "%s", name);
    return SS_OK;
}

/* Arguments: the name as a bare pointer, the value. */
static int store_param(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, env_of(L)->names);
    lua_pushstring(L, lua_touserdata(L, 1));
    lua_pushvalue(L, 2);
    lua_rawset(L, -3);
    return 0;
}

ss_status ss_expr_set_param(ss_expr_env *env, const char *name, double value)
{
    SS_TRY(ss_expr_check_name(env->ctx, name));
    SS_TRY(remember_name(env, name));
    arm_own(env);
    lua_pushcfunction(env->L, store_param);
    lua_pushlightuserdata(env->L, (void *)(uintptr_t)name);
    lua_pushnumber(env->L, value);
    if (lua_pcall(env->L, 2, 0, 0) != LUA_OK) {
        lua_settop(env->L, 0);
        return ss_fail(env->ctx, SS_ERR_MEMORY, "out of memory for parameter '%s'", name);
    }
    return SS_OK;
}

/* ---- compiling ---- */

/* In straight code every name is global, so an unknown one is found before anything runs. */
static ss_status refuse_unknown(const ss_expr_env *env, const ss_expr_text *read, bool with_time)
{
    for (int32_t i = 0; read->straight && i < read->word_count; i++) {
        const ss_expr_word *w    = &read->words[i];
        bool                time = w->length == 1 && *w->start == 't';
        char                word[SS_EXPR_NAME_MAX + 1], hint[SS_EXPR_NAME_MAX + 32];
        if (is_known(env, w->start, (size_t)w->length) || (time && with_time)) {
            continue;
        }
        if (time) {
            return ss_fail(env->ctx, SS_ERR_INPUT, "the time t has no meaning here");
        }
        snprintf(word, sizeof word, "%.*s", (int)w->length, w->start);
        suggest(env, word, hint, sizeof hint);
        return ss_fail(env->ctx, SS_ERR_INPUT, "there is no parameter or function '%s'%s", word,
                       hint);
    }
    return SS_OK;
}

/* Appends "a <const>, b <const>" or "a, b": the known names of the expression. */
static int list_names(const ss_expr_env *env, const ss_expr_text *read, const char *attribute,
                      char *out)
{
    char *at = out;
    for (int32_t i = 0; i < read->word_count; i++) {
        const ss_expr_word *w = &read->words[i];
        if (is_known(env, w->start, (size_t)w->length)) {
            at +=
                sprintf(at, "%s%.*s%s", at > out ? ", " : "", (int)w->length, w->start, attribute);
        }
    }
    *at = '\0';
    return (int)(at - out);
}

/* The Lua source of the function that stands for the expression. */
static void write_source(const ss_expr_env *env, const ss_expr_text *read, bool with_time,
                         char *source)
{
    char  names[NAMES_SIZE];
    char *at = source;
    if (list_names(env, read, " <const>", names) > 0) {
        at += sprintf(at, "local %s = ", names);
        list_names(env, read, "", names);
        at += sprintf(at, "%s\n", names);
    }
    sprintf(at, "return function(%s) return (%s\n) end", with_time ? "t" : "", read->lua);
}

/* Argument: a source as a bare pointer. Gives its chunk, or nil. */
static int find_chunk(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, env_of(L)->chunks);
    lua_pushstring(L, lua_touserdata(L, 1));
    lua_rawget(L, -2);
    return 1;
}

/* Arguments: a source as a bare pointer, its chunk. When there are many, all are forgotten. */
static int store_chunk(lua_State *L)
{
    ss_expr_env *env = env_of(L);
    if (env->chunk_count == CHUNKS_MOST) {
        lua_newtable(L);
        lua_rawseti(L, LUA_REGISTRYINDEX, env->chunks);
        env->chunk_count = 0;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, env->chunks);
    lua_pushstring(L, lua_touserdata(L, 1));
    lua_pushvalue(L, 2);
    lua_rawset(L, -3);
    env->chunk_count++;
    lua_settop(L, 2);
    return 1;
}

/* Pushes the chunk of a source; `alone` is what stands in it. */
static int push_chunk(ss_expr_env *env, const char *source, const char *alone)
{
    lua_State *L = env->L;
    lua_pushcfunction(L, find_chunk);
    lua_pushlightuserdata(L, (void *)(uintptr_t)source);
    int code = lua_pcall(L, 1, 1, 0);
    if (code != LUA_OK || lua_isfunction(L, -1)) {
        return code;
    }
    lua_pop(L, 1);
    /* Alone first: "1) + (2" and "1 end" must not be rescued by what is put around them. */
    code = luaL_loadbufferx(L, alone, strlen(alone), "=" CHUNK_NAME, "t");
    if (code != LUA_OK) {
        return code;
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, store_chunk);
    lua_pushlightuserdata(L, (void *)(uintptr_t)source);
    code = luaL_loadbufferx(L, source, strlen(source), "=" CHUNK_NAME, "t");
    return code == LUA_OK ? lua_pcall(L, 2, 1, 0) : code;
}

/* Does the expression call something that may jump or bend? What programs bring may. */
static bool is_sided(const ss_expr_env *env, const ss_expr_text *read)
{
    bool any = read->compares || env->has_functions;
    for (int32_t i = 0; i < read->word_count; i++) {
        any = any || ss_expr_may_bend(read->words[i].start, (size_t)read->words[i].length);
    }
    return any;
}

/* Pushes the function that `text` stands for. */
static ss_status push_function(ss_expr_env *env, const char *text, bool with_time, bool *straight,
                               bool *sided)
{
    ss_expr_text read;
    char         source[SOURCE_SIZE], alone[sizeof read.lua + 8];
    ss_status    status = ss_expr_read(env->ctx, text, &read);
    if (status == SS_OK) {
        status = refuse_unknown(env, &read, with_time);
    }
    if (status != SS_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", ss_context_message(env->ctx));
        return ss_fail(env->ctx, status, "expression '%.200s': %s", text, message);
    }
    arm_compile(env);
    sprintf(alone, "return %s", read.lua);
    write_source(env, &read, with_time, source);
    int code = push_chunk(env, source, alone);
    if (code == LUA_OK) {
        code = lua_pcall(env->L, 0, 1, 0);
    }
    *straight = read.straight;
    *sided    = is_sided(env, &read);
    return code == LUA_OK ? SS_OK : fail(env, code, text);
}

/* Calls the function on the stack below its arguments and takes one finite number from it. */
static ss_status call(ss_expr_env *env, int arguments, const char *text, double *out)
{
    int code = lua_pcall(env->L, arguments, 1, 0);
    if (code != LUA_OK) {
        return fail(env, code, text);
    }
    int    type  = lua_type(env->L, -1);
    double value = type == LUA_TNUMBER ? lua_tonumber(env->L, -1) : 0;
    lua_settop(env->L, 0);
    if (type != LUA_TNUMBER) {
        return ss_fail(env->ctx, SS_ERR_INPUT, "expression '%.200s': it must give a number, not %s",
                       text, lua_typename(env->L, type));
    }
    if (!isfinite(value)) {
        return ss_fail(env->ctx, SS_ERR_INPUT, "expression '%.200s': its value is not finite",
                       text);
    }
    *out = value;
    return SS_OK;
}

ss_status ss_expr_value(ss_expr_env *env, const char *text, double *out)
{
    bool straight = false, sided;
    SS_TRY(push_function(env, text, false, &straight, &sided));
    SS_TRY(arm_call(env, straight));
    return call(env, 0, text, out);
}

static ss_status make_room(ss_expr_env *env)
{
    if (env->count < env->room) {
        return SS_OK;
    }
    size_t      old = (size_t)env->room, room = old > 0 ? 2 * old : 8;
    expression *list =
        ss_resize(env->ctx, env->list, old * sizeof *env->list, room * sizeof *env->list);
    if (list == NULL) {
        return ss_fail(env->ctx, SS_ERR_MEMORY, "out of memory for expressions");
    }
    env->list = list;
    env->room = (int32_t)room;
    return SS_OK;
}

/* Argument: the compiled function, appended to the list of them. */
static int store_compiled(lua_State *L)
{
    ss_expr_env *env = env_of(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, env->compiled);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, env->count + 1);
    return 0;
}

ss_status ss_expr_compile(ss_expr_env *env, const char *text, int32_t *handle)
{
    bool   straight = false, sided = false;
    size_t size = strlen(text) + 1;
    SS_TRY(make_room(env));
    SS_TRY(push_function(env, text, true, &straight, &sided));
    lua_pushcfunction(env->L, store_compiled);
    lua_insert(env->L, 1);
    char *copy = ss_alloc(env->ctx, size, 1);
    int   code = copy != NULL ? lua_pcall(env->L, 1, 0, 0) : LUA_ERRMEM;
    lua_settop(env->L, 0);
    if (code != LUA_OK) {
        ss_free(env->ctx, copy, size);
        return ss_fail(env->ctx, SS_ERR_MEMORY, "out of memory for expressions");
    }
    memcpy(copy, text, size);
    env->list[env->count] = (expression){copy, straight, sided};
    *handle               = env->count++;
    return SS_OK;
}

ss_status ss_expr_eval(ss_expr_env *env, int32_t handle, double t, double *out)
{
    if (handle < 0 || handle >= env->count) {
        return ss_fail(env->ctx, SS_ERR_ARGUMENT, "there is no expression %d", (int)handle);
    }
    SS_TRY(arm_call(env, env->list[handle].straight));
    lua_rawgeti(env->L, LUA_REGISTRYINDEX, env->compiled);
    lua_rawgeti(env->L, -1, handle + 1);
    lua_pushnumber(env->L, t);
    return call(env, 1, env->list[handle].text, out);
}

void ss_expr_note_side(lua_State *L, double side)
{
    static const uint64_t offset = 0x9e3779b97f4a7c15u, prime = 0x100000001b3u; /* FNV's prime */
    ss_expr_env          *env = env_of(L);
    uint64_t              bits;
    if (!env->sides) {
        return;
    }
    side += 0; /* -0 is 0 */
    memcpy(&bits, &side, sizeof bits);
    env->side = (env->side ^ (bits >> 32) ^ (bits << 5)) * prime + offset;
}

bool ss_expr_has_sides(const ss_expr_env *env, int32_t handle)
{
    return handle >= 0 && handle < env->count && env->list[handle].sided;
}

ss_status ss_expr_side(ss_expr_env *env, int32_t handle, double t, uint64_t *out)
{
    double unused;
    env->side        = 0;
    env->sides       = true;
    ss_status status = ss_expr_eval(env, handle, t, &unused);
    env->sides       = false;
    *out             = env->side;
    return status;
}

ss_status ss_expr_next_side(ss_expr_env *env, int32_t handle, double from, double to, double *out)
{
    uint64_t side, there;
    SS_TRY(ss_expr_side(env, handle, from, &side));
    SS_TRY(ss_expr_side(env, handle, to, &there));
    *out = side == there ? INFINITY : to;
    while (isfinite(*out)) {
        double middle = 0.5 * (from + *out);
        if (!(middle > from && middle < *out)) {
            return SS_OK;
        }
        SS_TRY(ss_expr_side(env, handle, middle, &there));
        from = there == side ? middle : from;
        *out = there == side ? *out : middle;
    }
    return SS_OK;
}

/* Arguments of a call as numbers. */
static int32_t read_arguments(lua_State *L, const char *name, double *args)
{
    int32_t count = lua_gettop(L);
    if (count > SS_EXPR_ARGUMENTS) {
        luaL_error(L, "%s takes at most %d arguments", name, SS_EXPR_ARGUMENTS);
    }
    for (int32_t i = 0; i < count; i++) {
        if (lua_type(L, i + 1) != LUA_TNUMBER) {
            luaL_error(L, "argument %d of %s must be a number or a name in quotes, not %s", i + 1,
                       name, luaL_typename(L, i + 1));
        }
        args[i] = lua_tonumber(L, i + 1);
    }
    return count;
}

/* Upvalue 1: the ss_expr_function. */
static int call_function(lua_State *L)
{
    const ss_expr_function *f = lua_touserdata(L, lua_upvalueindex(1));
    double                  args[SS_EXPR_ARGUMENTS], value = 0;
    bool                    truth = false;
    int32_t                 count = read_arguments(L, f->name, args);
    if (f->arguments > 0 && count != f->arguments) {
        return luaL_error(L, "%s takes %d argument%s, got %d", f->name, (int)f->arguments,
                          f->arguments == 1 ? "" : "s", (int)count);
    }
    if (f->side != NULL) {
        ss_expr_note_side(L, f->side(f->user, args));
    }
    if (f->fn(f->user, args, count, &value, &truth) != SS_OK) {
        return luaL_error(L, "%s", ss_context_message(env_of(L)->ctx));
    }
    if (truth) {
        lua_pushboolean(L, value != 0);
    } else {
        lua_pushnumber(L, value);
    }
    return 1;
}

/* Argument: the ss_expr_function as a bare pointer. */
static int store_function(lua_State *L)
{
    const ss_expr_function *f = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, env_of(L)->names);
    lua_pushstring(L, f->name);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, call_function, 1);
    lua_rawset(L, -3);
    return 0;
}

ss_status ss_expr_set_function(ss_expr_env *env, const ss_expr_function *function)
{
    SS_TRY(remember_name(env, function->name));
    env->has_functions = true;
    arm_own(env);
    lua_pushcfunction(env->L, store_function);
    lua_pushlightuserdata(env->L, (void *)(uintptr_t)function);
    int code = lua_pcall(env->L, 1, 0, 0);
    lua_settop(env->L, 0);
    return code == LUA_OK ? SS_OK
                          : ss_fail(env->ctx, SS_ERR_MEMORY, "out of memory for expressions");
}

ss_status ss_expr_judge(ss_expr_env *env, int32_t handle, double *out, bool *truth)
{
    if (handle < 0 || handle >= env->count) {
        return ss_fail(env->ctx, SS_ERR_ARGUMENT, "there is no expression %d", (int)handle);
    }
    SS_TRY(arm_call(env, env->list[handle].straight));
    lua_rawgeti(env->L, LUA_REGISTRYINDEX, env->compiled);
    lua_rawgeti(env->L, -1, handle + 1);
    int code = lua_pcall(env->L, 0, 1, 0);
    if (code != LUA_OK) {
        return fail(env, code, env->list[handle].text);
    }
    int type = lua_type(env->L, -1);
    *out     = type == LUA_TBOOLEAN ? lua_toboolean(env->L, -1) : lua_tonumber(env->L, -1);
    lua_settop(env->L, 0);
    if (truth != NULL) {
        *truth = type == LUA_TBOOLEAN;
    }
    if (type != LUA_TNUMBER && type != LUA_TBOOLEAN) {
        return ss_fail(env->ctx, SS_ERR_INPUT,
                       "expression '%.200s': it must give a number or true or false, not %s",
                       env->list[handle].text, lua_typename(env->L, type));
    }
    return SS_OK;
}

/* Pushes the function that the compiled expression gives. */
static ss_status push_given_function(ss_expr_env *env, int32_t handle)
{
    if (handle < 0 || handle >= env->count) {
        return ss_fail(env->ctx, SS_ERR_ARGUMENT, "there is no expression %d", (int)handle);
    }
    const char *text = env->list[handle].text;
    SS_TRY(arm_call(env, false));
    lua_rawgeti(env->L, LUA_REGISTRYINDEX, env->compiled);
    lua_rawgeti(env->L, -1, handle + 1);
    lua_pushnumber(env->L, 0);
    int code = lua_pcall(env->L, 1, 1, 0);
    if (code != LUA_OK) {
        return fail(env, code, text);
    }
    if (lua_type(env->L, -1) != LUA_TFUNCTION) {
        lua_settop(env->L, 0);
        return ss_fail(env->ctx, SS_ERR_INPUT,
                       "expression '%.200s': it must be a function(t, s) ... end", text);
    }
    return SS_OK;
}

ss_status ss_expr_check_function(ss_expr_env *env, int32_t handle)
{
    SS_TRY(push_given_function(env, handle));
    lua_settop(env->L, 0);
    return SS_OK;
}

/* Numbers from the top of the stack; what is missing at the end is 0. */
static ss_status take_numbers(ss_expr_env *env, const char *text, double *values, int32_t count)
{
    ss_status status = SS_OK;
    for (int32_t i = 0; i < count && status == SS_OK; i++) {
        int at    = i - count;
        int type  = lua_type(env->L, at);
        values[i] = type == LUA_TNUMBER ? lua_tonumber(env->L, at) : 0;
        if ((type != LUA_TNUMBER && type != LUA_TNIL) || !isfinite(values[i])) {
            status = ss_fail(env->ctx, SS_ERR_INPUT,
                             "expression '%.200s': value %d that it returns is not a finite number",
                             text, (int)i + 1);
        }
    }
    lua_settop(env->L, 0);
    return status;
}

ss_status ss_expr_call(ss_expr_env *env, int32_t handle, double t, ss_expr_reader reader,
                       void *user, const ss_expr_memory *memory, double *values, int32_t count)
{
    SS_TRY(push_given_function(env, handle));
    env->reader      = reader;
    env->reader_user = user;
    env->memory      = memory;
    lua_pushnumber(env->L, t);
    lua_rawgeti(env->L, LUA_REGISTRYINDEX, env->state);
    lua_rawgeti(env->L, LUA_REGISTRYINDEX, env->kept);
    int code = lua_pcall(env->L, 3, count, 0);
    if (code != LUA_OK) {
        return fail(env, code, env->list[handle].text);
    }
    return take_numbers(env, env->list[handle].text, values, count);
}
