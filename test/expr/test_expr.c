/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: values, messages, and every way out of the sandbox that we could think of. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "counted.h"
#include "expr/expr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#ifdef SS_HAVE_LUA

typedef struct fixture {
    ss_context  *ctx;
    ss_expr_env *env;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx     = ss_context_create(NULL);
    assert_int_equal(ss_expr_env_create(f->ctx, &f->env), SS_OK);
    assert_int_equal(ss_expr_set_param(f->env, "mu", 0.2), SS_OK);
    assert_int_equal(ss_expr_set_param(f->env, "v0", 2), SS_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ss_expr_env_destroy(f->env);
    ss_context_destroy(f->ctx);
    free(f);
    return 0;
}

/* Comparisons, remainders and whole quotients in expressions of t are calls of our own. */
static void operators_that_are_calls(void **state)
{
    static const struct {
        const char *text;
        double      t, value;
    } cases[] = {
        {"t < 1 and 2 or 3", 0.5, 2},
        {"t < 1 and 2 or 3", 1, 3},
        {"t > 1 and t <= 2 and mu or -v0", 2, 0.2},
        {"t > 1 and t <= 2 and mu or -v0", 3, -2},
        {"(t >= 1) and 1 or 0", 1, 1},
        {"t == 1 and 5 or 6", 1, 5},
        {"t ~= 1 and 5 or 6", 1, 6},
        {"not (t < 1) and 1 or 0", 2, 1},
        {"max(t < 1 and 1 or 2, 0) + 1", 2, 3},
        {"t + 1 < 2*t - v0 and 1 or 0", 4, 1},
        {"t^2 < 2^t and t^2 or 2^t", 3, 8},
        {"-t % 3", 1, 2},
        {"2*t % 3 % 2", 4, 0},
        {"t^2 % 3 + 1", 2, 2},
        {"t % -t^2", 2, -2},
        {"1 + 7 // t * t", 2, 7},
        {"7 / 2 // t", 2, 1},
        {"(t % 2 < 1) and 1 or -1", 3.5, -1},
        {"(function() if t < 1 then return 4 end return 5 end)()", 2, 5},
        {"(function() local x <const> = t return x < 1 and 4 or 5 end)()", 2, 5},
    };
    const fixture *f = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int32_t handle;
        double  value = NAN;
        assert_int_equal(ss_expr_compile(f->env, cases[i].text, &handle), SS_OK);
        assert_int_equal(ss_expr_eval(f->env, handle, cases[i].t, &value), SS_OK);
        if (fabs(value - cases[i].value) > 1e-12) {
            fail_msg("%s at %g is %g", cases[i].text, cases[i].t, value);
        }
    }
}

/* When expressions jump or bend between two times, and which of them never do. */
static void sides(void **state)
{
    static const struct {
        const char *text;
        double      from, to, at; /* negative: it has no sides */
    } cases[] = {
        {"sin(t)^2 + exp(-t)/2", 0, 9, -1},
        {"max(0, t - 0.3)", 0, 1, 0.3},
        {"max(0, t - 0.3)", 0.4, 1, INFINITY},
        {"abs(0.3 - t)*t", 0, 1, 0.3},
        {"(t > 0.3 and t < 0.3001) and 1 or 0", 0, 1, 0.3},
        {"(t > 0.3 and t < 0.3001) and 1 or 0", 0.30005, 1, 0.3001},
        {"t % 0.7", 0.5, 1, 0.7},
        {"t // 0.7", 0.5, 1, 0.7},
        {"floor(t/0.7) + ceil(t/0.7)", 0.5, 1, 0.7},
        {"fmod(t, 0.7)", 0.5, 1, 0.7},
        {"clamp(t, 0.2, 0.6)", 0.3, 1, 0.6},
        {"sign(sin(t) - 0.5)", 0, 1, 0.52359877559829887},
        {"interpolate(t, 0, 0, 0.4, 1, 0.8, 0)", 0.1, 0.7, 0.4},
        {"interpolate(t, 0, 0, 0.4, 1, 0.8, 0)", 0.5, 1, 0.8},
        {"min(t, 0.3, 0.5 - t)", 0, 1, 0.25},
        {"(function() if t < 0.3 then return 4 end return 5 end)()", 0, 1, 0.3},
    };
    const fixture *f = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int32_t handle;
        double  at = NAN;
        assert_int_equal(ss_expr_compile(f->env, cases[i].text, &handle), SS_OK);
        assert_true(ss_expr_has_sides(f->env, handle) == (cases[i].at >= 0));
        assert_int_equal(ss_expr_next_side(f->env, handle, cases[i].from, cases[i].to, &at), SS_OK);
        bool none = cases[i].at < 0 || isinf(cases[i].at);
        if (none ? !isinf(at) : !(fabs(at - cases[i].at) < 1e-15)) {
            fail_msg("%s changes its side at %.17g", cases[i].text, at);
        }
    }
}

static void values(void **state)
{
    static const struct {
        const char *text;
        double      value;
    } cases[] = {
        {"mu", 0.2},
        {"2*mu + v0", 2.4},
        {"7/2", 3.5},
        {"7//2", 3},
        {"-2^2", -4},
        {"2^3^2", 512}, /* powers bind to the right */
        {"(2^3)^2", 64},
        {"2^-1", 0.5},
        {"2^-2^0.5*4", 4 * 0.37521422724648174},
        {"1 + v0^3*2 - 4^0.5", 15},
        {"sin(pi/2)^3 + max(1, v0)^2^1", 5},
        {"-(v0 + 1)^2^(1 + 0)", -9},
        {"10000000000 * 10000000000", 1e20}, /* Lua's integers would wrap around */
        {"9223372036854775807 + 1", 9223372036854775808.0},
        {"1e3", 1000},
        {"1.5e-3*2", 0.003},
        {".5", 0.5},
        {"0x10", 16},
        {"sin(pi/2)", 1},
        {"math.sin(math.pi/2)", 1},
        {"max(1, mu, v0)", 2},
        {"min(1, mu, v0)", 0.2},
        {"atan(1, -1)", 3 * 3.14159265358979323846 / 4},
        {"log(8, 2)", 3},
        {"clamp(5, 0, 1)", 1},
        {"interpolate(1.5, 0, 0, 1, 2, 3, 10)", 4},
        {"interpolate(-1, 0, 5, 1, 2)", 5},
        {"interpolate(1, 0, 5, 1, 2)", 2},
        {"interpolate(9, 0, 5, 1, 2)", 2},
        {"sign(-3)", -1},
        {"hypot(3, 4)", 5},
        {"fmod(7, 3)", 1},
        {"deg(rad(30))", 30},
        {"v0 > 1 and 3 or 4", 3},
        {"v0 <= 1 and 3 or 4", 4},
        {"v0 == 2 and 3 or 4", 3},
        {"v0 ~= 2 and 3 or 4", 4},
        {"(function() local s = 0 for i = 1, 10 do s = s + i end return s end)()", 55},
        {" \t 1 \n", 1},
        {"1 - (-2)", 3},
    };
    fixture *f = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double x = 0;
        if (ss_expr_value(f->env, cases[i].text, &x) != SS_OK) {
            fail_msg("%s", ss_context_message(f->ctx));
        }
        if (fabs(x - cases[i].value) > 1e-14 * fabs(cases[i].value)) {
            fail_msg("'%s' is %.17g, expected %.17g", cases[i].text, x, cases[i].value);
        }
    }
}

static void refused_with_a_reason(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "unexpected symbol"},
        {"1 +", "unexpected symbol"},
        {"1 2", "near"},
        {"(1", "')' expected"},
        {"1) + (2", "near ')'"},
        {"1 end return function() return 2", "near 'end'"},
        {"1, 2", "')' expected"},
        {"mue", "did you mean 'mu'?"},
        {"sine(1)", "did you mean 'sin'?"},
        {"zzzzzz", "there is no parameter or function 'zzzzzz'"},
        {"t", "the time t has no meaning here"},
        {"(function() return t end)()", "the time t has no meaning here"},
        {"1/0", "not finite"},
        {"0/0", "not finite"},
        {"sqrt(-1)", "not finite"},
        {"1e999", "not finite"},
        {"1 < 2", "must give a number, not boolean"},
        {"nil", "must give a number, not nil"},
        {"sin", "must give a number, not function"},
        {"{}", "must give a number, not table"},
        {"1--2", "comment"},
        {"'1'", "text in quotes"},
        {"\"1\"", "text in quotes"},
        {"[[1]]", "text in quotes"},
        {"[=[1]=]", "text in quotes"},
        {"1 .. 2", "must give a number, not string"},
        {"mu = 3", "near '='"},
        {"sin()", "number expected"},
        {"1 $ 2", "unexpected character '$'"},
        {"\x1bLua", "unexpected character"},
        {"caf\xc3\xa9", "unexpected character"},
        {"\\", "unexpected character"},
        {"0x", "malformed number"},
        {"1.2.3", "malformed number"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double x = 0;
        if (ss_expr_value(f->env, cases[i].text, &x) != SS_ERR_INPUT) {
            fail_msg("'%s' was accepted as %g", cases[i].text, x);
        }
        if (strstr(ss_context_message(f->ctx), cases[i].says) == NULL) {
            fail_msg("'%s' should say '%s' but says: %s", cases[i].text, cases[i].says,
                     ss_context_message(f->ctx));
        }
    }
}

/* Each must fail: none may reach a file, a process, a module, another expression or the host. */
static const char *const escapes[] = {
    "os.time()",
    "os.execute()",
    "os.exit(1)",
    "os.getenv(mu)",
    "io.open(mu)",
    "io.write(1)",
    "io.popen(mu)",
    "print(1)",
    "require(mu)",
    "package.loaded",
    "package.loadlib(mu, mu)",
    "dofile(mu)",
    "loadfile(mu)",
    "load(mu)()",
    "load(function() return nil end)()",
    "loadstring(mu)()",
    "debug.getregistry()",
    "debug.sethook()",
    "debug.getinfo(1)",
    "getmetatable(mu)",
    "setmetatable({}, {})",
    "rawget(_G, mu)",
    "rawset(_G, mu, 1)",
    "rawequal(1, 1) and 1",
    "_G",
    "_G.sin(1)",
    "_ENV",
    "_ENV.sin(1)",
    "(function() _ENV = {} return 1 end)()",
    "(function() local _ENV = {} return 1 end)()",
    "coroutine.create(sin)",
    "coroutine.wrap(function() return 1 end)()",
    "string.rep(1, 1000000000)",
    "string.format(mu)",
    "string.dump(sin)",
    "(1 .. 1):rep(1000000000)",
    "(1 .. 1).rep",
    "(1 .. 1):gsub(1)",
    "#(1 .. 1):rep(10) + 0",
    "(1 .. 1) + 1",
    "utf8.char(65)",
    "table.concat({})",
    "table.unpack({1})",
    "select(1, 2)",
    "pcall(sin, 1)",
    "xpcall(sin, sin)",
    "error(1)",
    "assert(false)",
    "collectgarbage()",
    "tostring(1)",
    "tonumber(1)",
    "type(1)",
    "next({})",
    "pairs({})",
    "ipairs({})",
    "warn(1)",
    "sin.x",
    "sin:x()",
    "mu.x",
    "math.random()",
    "math.randomseed(1)",
    "math.huge",
    "math",
    "math.os.time()",
    "(function() mu = 1 return mu end)()",
    "(function() sin = cos return sin(0) end)()",
    "(function() sin = nil return 1 end)()",
    "(function() x = 1 return x end)()",
    "(function() local mu <close> = 1 return 1 end)()",
    "goto x",
    "::x:: goto x",
    "return 1",
    "function() return 1 end",
    /* endless work */
    "(function() while true do end end)()",
    "(function() repeat until false end)()",
    "(function() ::a:: goto a end)()",
    "(function() for i = 1, 1e18 do end return 1 end)()",
    "(function() local function f() return f() end return f() end)()",
    "(function() local function f(n) return 1 + f(n + 1) end return f(1) end)()",
    "(function() local function f(a) return f(f(a)) end return f(1) end)()",
    /* endless memory */
    "(function() local x = {} for i = 1, 1e9 do x[i] = {} end return 1 end)()",
    "(function() local s = 1 .. 1 for i = 1, 60 do s = s .. s end return 1 end)()",
    "(function() local s = 1 .. 1 while true do s = s .. s .. s end return 1 end)()",
    "(function() local f = sin while true do local g = f f = function() return g() end end end)()",
    "(function() local t = {} while true do t = {t, t} end end)()",
    "(function() local s = 1 .. 1 for i = 1, 15 do s = s .. s end "
    "while true do local x = s .. 1 end end)()",
    /* metamethods through literals */
    "({__index = sin}).x + 0",
    "({} + 1)",
    "(-{})",
    "({})()",
    "({} < {}) and 1",
    "({} .. {})",
};

static void no_way_out(void **state)
{
    fixture *f     = *state;
    clock_t  start = clock();
    for (size_t i = 0; i < COUNT(escapes); i++) {
        double x = 0;
        if (ss_expr_value(f->env, escapes[i], &x) != SS_ERR_INPUT) {
            fail_msg("'%s' was accepted as %g", escapes[i], x);
        }
        assert_non_null(strstr(ss_context_message(f->ctx), "expression '"));
        /* the sandbox still works, and still means the same */
        assert_int_equal(ss_expr_value(f->env, "sin(0) + mu", &x), SS_OK);
        assert_true(x == 0.2);
    }
#ifdef __SANITIZE_ADDRESS__
    const double limit = 50; /* the interpreter runs some ten times slower under the sanitizer */
#else
    const double limit = 5;
#endif
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < limit);
}

static void deep_and_long_text(void **state)
{
    fixture *f = *state;
    double   x;
    char     text[8192];
    memset(text, '(', sizeof text);
    text[4000] = '\0';
    assert_int_equal(ss_expr_value(f->env, text, &x), SS_ERR_INPUT);
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(ss_expr_value(f->env, text, &x), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(f->ctx), "longer than"));
    for (int i = 0; i < 4095; i++) { /* 1+1+1+... of the greatest length: every digit grows */
        text[i] = i % 2 == 0 ? '1' : '+';
    }
    text[4095] = '\0';
    assert_int_equal(ss_expr_value(f->env, text, &x), SS_OK);
    assert_true(x == 2048);
    char *at = text;
    for (int i = 0; i < 150; i++) {
        at += sprintf(at, "+name%d", i);
    }
    assert_int_equal(ss_expr_value(f->env, text, &x), SS_ERR_INPUT);
}

static void functions_of_time(void **state)
{
    fixture *f = *state;
    int32_t  a, b;
    double   x;
    assert_int_equal(ss_expr_compile(f->env, "-1 + 0.5*t", &a), SS_OK);
    assert_int_equal(ss_expr_compile(f->env, "t < 1 and mu or v0*t", &b), SS_OK);
    assert_int_equal(a, 0);
    assert_int_equal(b, 1);
    assert_int_equal(ss_expr_eval(f->env, a, 4, &x), SS_OK);
    assert_true(x == 1);
    assert_int_equal(ss_expr_eval(f->env, b, 0.5, &x), SS_OK);
    assert_true(x == 0.2);
    assert_int_equal(ss_expr_eval(f->env, b, 3, &x), SS_OK);
    assert_true(x == 6);
    assert_int_equal(ss_expr_compile(f->env, "1/(t - 2)", &a), SS_OK);
    assert_int_equal(ss_expr_eval(f->env, a, 2, &x), SS_ERR_INPUT);
    assert_int_equal(ss_expr_eval(f->env, a, 3, &x), SS_OK);
    assert_int_equal(ss_expr_eval(f->env, 99, 3, &x), SS_ERR_ARGUMENT);
    assert_int_equal(ss_expr_compile(f->env, "q*t", &a), SS_ERR_INPUT);
}

static void names_of_parameters(void **state)
{
    static const char *const bad[] = {"",   "1a",  "a b",  "a-b", "t",           "sin",
                                      "pi", "end", "_ENV", "a.b", "caf\xc3\xa9", "math"};
    fixture                 *f     = *state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (ss_expr_set_param(f->env, bad[i], 1) != SS_ERR_INPUT) {
            fail_msg("'%s' was accepted as a name", bad[i]);
        }
    }
    double x;
    assert_int_equal(ss_expr_set_param(f->env, "mu", 0.7), SS_OK);
    assert_int_equal(ss_expr_value(f->env, "mu", &x), SS_OK);
    assert_true(x == 0.7);
}

/* ---- memory ---- */

static void evaluation_does_not_allocate(void **state)
{
    (void)state;
    counter      c   = {0};
    ss_context  *ctx = counted_context(&c);
    ss_expr_env *env;
    int32_t      h;
    double       x = 0, sum = 0;
    assert_int_equal(ss_expr_env_create(ctx, &env), SS_OK);
    assert_int_equal(ss_expr_set_param(env, "w", 3), SS_OK);
    assert_int_equal(ss_expr_compile(env, "0.1*sin(w*t) + 2*t", &h), SS_OK);
    assert_int_equal(ss_expr_eval(env, h, 0, &x), SS_OK);
    int64_t before = c.requests;
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(ss_expr_eval(env, h, 1e-4 * i, &x), SS_OK);
        sum += x;
    }
    assert_true(sum > 0);
    assert_int_equal(c.requests, before);
    ss_expr_env_destroy(env);
    ss_context_destroy(ctx);
    assert_int_equal(c.bytes, 0);
}

/* With the n-th allocation failing, for every n, calls fail cleanly and nothing leaks. */
static void every_allocation_fails_in_turn(void **state)
{
    (void)state;
    bool done = false;
    for (int64_t n = 2; !done && n < 2000; n++) {
        counter      c   = {.refuse = n};
        ss_context  *ctx = counted_context(&c);
        ss_expr_env *env = NULL;
        int32_t      h;
        double       x;
        ss_status    status = ss_expr_env_create(ctx, &env);
        if (status == SS_OK) {
            status = ss_expr_set_param(env, "w", 3);
        }
        if (status == SS_OK) {
            status = ss_expr_compile(env, "0.1*sin(w*t) + 2*t", &h);
        }
        if (status == SS_OK) {
            status = ss_expr_eval(env, h, 1, &x);
        }
        done = status == SS_OK && !was_refused(&c);
        ss_expr_env_destroy(env);
        ss_context_destroy(ctx);
        assert_int_equal(c.bytes, 0);
    }
    assert_true(done);
}

/* ---- what a call may take ---- */

static ss_expr_found read_nothing(void *user, const char *name, const char *field, double *out)
{
    (void)user;
    (void)name;
    (void)field;
    *out = 0;
    return SS_EXPR_FOUND;
}

/* Functions that take the more the larger t is. */
static const char *const hungry[] = {
    "function(t) local x for i = 1, t do x = {x} end return 0 end",
    "function(t) local x = {} for i = 1, t do x[i] = i end return 0 end",
    "function(t) local a = 1 .. 1 for i = 1, 9 do a = a .. a end "
    "local b for i = 1, t do b = a .. i end return 0 end",
    "function(t) local a = 1 .. 1 for i = 1, t do a = a .. 1 end return 0 end",
    "function(t) local a for i = 1, t do a = {i .. 1, i .. 2} end return 0 end",
    "function(t) local x for i = 1, t do local y = {} x = function() return y end end return 0 end",
    "function(t, s) local function f(n) return n < 1 and s.a.x or 1 + f(n - 1) end "
    "return f(t) end",
    "function(t, s) local function f(n, ...) if n < 1 then return 0 end "
    "return f(n - 1, s.b.x, n .. n, 1, 1, 1, 1, 1, ...) end return f(t) end",
};

static ss_status call_at(ss_expr_env *env, int32_t handle, double t)
{
    double value;
    return ss_expr_call(env, handle, t, read_nothing, NULL, NULL, &value, 1);
}

/* The smallest whole t at which an environment of its own refuses the function. */
static int where_it_ends(const char *function, char *message, size_t size)
{
    int passes = 0, ends = 100000;
    while (ends - passes > 1) {
        int          middle = (passes + ends) / 2;
        ss_context  *ctx    = ss_context_create(NULL);
        ss_expr_env *env;
        int32_t      handle;
        assert_int_equal(ss_expr_env_create(ctx, &env), SS_OK);
        assert_int_equal(ss_expr_compile(env, function, &handle), SS_OK);
        bool ok = call_at(env, handle, middle) == SS_OK;
        snprintf(message, ok ? 0 : size, "%s", ss_context_message(ctx));
        passes = ok ? middle : passes;
        ends   = ok ? ends : middle;
        ss_expr_env_destroy(env);
        ss_context_destroy(ctx);
    }
    return ends;
}

/* Whatever was called before, and whether or not it was refused. */
static void what_a_call_may_take_does_not_depend_on_earlier_ones(void **state)
{
    fixture *f = *state;
    int      ends[COUNT(hungry)];
    int32_t  handles[COUNT(hungry)];
    char     messages[COUNT(hungry)][1024];
    for (size_t i = 0; i < COUNT(hungry); i++) {
        ends[i] = where_it_ends(hungry[i], messages[i], sizeof messages[i]);
        assert_int_equal(ss_expr_compile(f->env, hungry[i], &handles[i]), SS_OK);
    }
    for (size_t k = 0; k < 6 * COUNT(hungry); k++) {
        size_t i = k * 5 % COUNT(hungry);
        for (int t = 0; t < 40; t++) {
            call_at(f->env, handles[(i + (size_t)t) % COUNT(hungry)], 3 * t);
        }
        if (call_at(f->env, handles[i], ends[i] - 1) != SS_OK) {
            fail_msg("%s at %d: %s", hungry[i], ends[i] - 1, ss_context_message(f->ctx));
        }
        if (call_at(f->env, handles[i], ends[i]) != SS_ERR_INPUT) {
            fail_msg("%s at %d passed; alone: %s", hungry[i], ends[i], messages[i]);
        }
        assert_string_equal(ss_context_message(f->ctx), messages[i]);
    }
}

static void what_calls_leave_behind_is_bounded(void **state)
{
    (void)state;
    enum { MEMORY_MOST = 2 << 20 };
    counter      c   = {0};
    ss_context  *ctx = counted_context(&c);
    ss_expr_env *env;
    int32_t      handles[COUNT(hungry)];
    assert_int_equal(ss_expr_env_create(ctx, &env), SS_OK);
    for (size_t i = 0; i < COUNT(hungry); i++) {
        assert_int_equal(ss_expr_compile(env, hungry[i], &handles[i]), SS_OK);
    }
    for (int k = 0; k < 400; k++) {
        call_at(env, handles[k % (int)COUNT(hungry)], 10 * k);
        assert_int_equal(call_at(env, handles[0], 0), SS_OK); /* what collects what was left */
        assert_in_range(c.bytes, 0, MEMORY_MOST);
    }
    ss_expr_env_destroy(env);
    ss_context_destroy(ctx);
    assert_int_equal(c.bytes, 0);
}

#else

static void no_lua_says_so(void **state)
{
    (void)state;
    ss_context  *ctx = ss_context_create(NULL);
    ss_expr_env *env = NULL;
    assert_int_equal(ss_expr_env_create(ctx, &env), SS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(ctx), "no Lua"));
    assert_null(env);
    ss_context_destroy(ctx);
}

#endif

static void time_is_a_word_of_its_own(void **state)
{
    (void)state;
    assert_true(ss_expr_uses_time("t"));
    assert_true(ss_expr_uses_time("2*t+1"));
    assert_true(ss_expr_uses_time("sin(t)"));
    assert_false(ss_expr_uses_time("tan(2)"));
    assert_false(ss_expr_uses_time("_t + t1 + at"));
    assert_false(ss_expr_uses_time("0x1t"));
    assert_false(ss_expr_uses_time(""));
}

#ifdef SS_HAVE_LUA
/* Taken again it is as new: no parameter, no expression; what it compiled follows new values. */
static void one_after_the_other(void **state)
{
    (void)state;
    ss_context  *ctx   = ss_context_create(NULL);
    ss_expr_env *first = NULL, *env = NULL;
    double       value;
    int32_t      handle;
    assert_int_equal(ss_expr_env_take(ctx, &first), SS_OK);
    assert_int_equal(ss_expr_set_param(first, "a", 2), SS_OK);
    assert_int_equal(ss_expr_set_param(first, "b", 3), SS_OK);
    assert_int_equal(ss_expr_value(first, "a*b + 1", &value), SS_OK);
    assert_true(value == 7);
    assert_int_equal(ss_expr_compile(first, "a*t", &handle), SS_OK);
    ss_expr_env_give_back(first);
    assert_int_equal(ss_expr_env_take(ctx, &env), SS_OK);
    assert_ptr_equal(env, first);
    assert_int_equal(ss_expr_eval(env, handle, 1, &value), SS_ERR_ARGUMENT);
    assert_int_equal(ss_expr_value(env, "a*b + 1", &value), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "'a'"));
    assert_int_equal(ss_expr_set_param(env, "b", 10), SS_OK);
    assert_int_equal(ss_expr_set_param(env, "a", -1), SS_OK);
    assert_int_equal(ss_expr_value(env, "a*b + 1", &value), SS_OK);
    assert_true(value == -9);
    assert_int_equal(ss_expr_value(env, "1) + (2", &value), SS_ERR_INPUT);
    for (int i = 0; i < 1000; i++) { /* more than it keeps */
        char text[32];
        snprintf(text, sizeof text, "a + %d", i);
        assert_int_equal(ss_expr_value(env, text, &value), SS_OK);
        assert_true(value == i - 1);
    }
    ss_expr_env_give_back(env);
    ss_context_destroy(ctx);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef SS_HAVE_LUA
        cmocka_unit_test_setup_teardown(values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(operators_that_are_calls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused_with_a_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_way_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_and_long_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_of_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_parameters, set_up, tear_down),
        cmocka_unit_test(evaluation_does_not_allocate),
        cmocka_unit_test_setup_teardown(what_a_call_may_take_does_not_depend_on_earlier_ones,
                                        set_up, tear_down),
        cmocka_unit_test(what_calls_leave_behind_is_bounded),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(every_allocation_fails_in_turn),
#else
        cmocka_unit_test(no_lua_says_so),
#endif
        cmocka_unit_test(time_is_a_word_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
