/* SPDX-License-Identifier: Apache-2.0 */
#include "args_help.h"

#include <stdio.h>
#include <string.h>

#include "stickslip/base.h"

/* ---- --help ---- */

static void help_text(const ss_args *spec)
{
    printf("usage: stickslip %s %s%s[OPTIONS]\n\n%s\n\n", spec->command, spec->operands,
           spec->operands[0] != '\0' ? " " : "", spec->description);
    for (const ss_arg *a = spec->table; a->name != NULL; a++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", a->name, a->value != NULL ? " " : "",
                 a->value != NULL ? a->value : "");
        printf("  %-24s %s\n", left, a->doc);
    }
    printf("  %-24s %s\n", "--help", "this text");
}

/* ---- manual pages (roff) ---- */

/* Backslashes and hyphens escaped; a line must not begin with a point or a quote. */
static void roff(const char *text)
{
    bool start = true;
    for (const char *c = text; *c != '\0'; c++) {
        if (start && (*c == '.' || *c == '\'')) {
            fputs("\\&", stdout);
        }
        if (*c == '\\') {
            fputs("\\e", stdout);
        } else if (*c == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(*c);
        }
        start = *c == '\n';
    }
}

static void roff_header(const char *page, const char *summary)
{
    printf(".\\\" Made from the command's own option table.\n.TH \"");
    roff(page);
    printf("\" 1 \"\" \"stickslip %s\" \"User Commands\"\n.SH NAME\n", ss_version());
    roff(page);
    printf(" \\- ");
    roff(summary);
    printf("\n");
}

static void roff_exit_codes(void)
{
    printf(".SH \"EXIT STATUS\"\n"
           "0 done; 1 the answer is no; 2 bad input or usage; 3 the certificate of a step failed; "
           "4 out of resources.\n");
}

static void help_man(const ss_args *spec)
{
    char page[64], summary[160];
    snprintf(page, sizeof page, "stickslip-%s", spec->command);
    size_t length = strcspn(spec->description, ".");
    snprintf(summary, sizeof summary, "%.*s", (int)(length < 150 ? length : 150),
             spec->description);
    for (char *c = summary; *c != '\0'; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    roff_header(page, summary);
    printf(".SH SYNOPSIS\n.B stickslip %s\n", spec->command);
    if (spec->operands[0] != '\0') {
        printf(".I ");
        roff(spec->operands);
        printf("\n");
    }
    printf("[OPTIONS]\n.SH DESCRIPTION\n");
    roff(spec->description);
    printf("\n.SH OPTIONS\n");
    for (const ss_arg *a = spec->table; a->name != NULL; a++) {
        printf(".TP\n\\fB");
        roff(a->name);
        printf("\\fR");
        if (a->value != NULL) {
            printf(" \\fI");
            roff(a->value);
            printf("\\fR");
        }
        printf("\n");
        roff(a->doc);
        printf("\n");
    }
    roff_exit_codes();
    printf(".SH \"SEE ALSO\"\n.BR stickslip (1)\n");
}

void ss_help_man(const ss_command *const *commands, int count)
{
    roff_header("stickslip", "mechanisms whose parts touch, slide, stick, jam and let go");
    printf(".SH SYNOPSIS\n.B stickslip\n.I COMMAND\n[ARGUMENTS]\n.SH COMMANDS\n");
    for (int i = 0; i < count; i++) {
        printf(".TP\n.BR stickslip\\-%s (1)\n", commands[i]->name);
        roff(commands[i]->summary);
        printf("\n");
    }
    roff_exit_codes();
}

/* ---- completion ---- */

static void help_bash(const ss_args *spec)
{
    for (const ss_arg *a = spec->table; a->name != NULL; a++) {
        printf("%s ", a->name);
    }
    printf("--help");
}

/* Inside '..': shells end the text at a quote; zsh also reads brackets, colons and backslashes. */
static void quoted(const char *text, const char *escaped)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            fputs("'\\''", stdout);
        } else if (strchr(escaped, *c) != NULL) {
            printf("\\%c", *c);
        } else {
            putchar(*c == '\n' ? ' ' : *c);
        }
    }
}

static void help_zsh(const ss_args *spec)
{
    for (const ss_arg *a = spec->table; a->name != NULL; a++) {
        printf(" \\\n        '%s%s[", a->kind == SS_ARG_LIST ? "*" : "", a->name);
        quoted(a->doc, "[]:\\");
        printf("]");
        if (a->value != NULL) {
            printf(":");
            quoted(a->value, "[]:\\");
            printf(":_files");
        }
        printf("'");
    }
    printf(" \\\n        '*:file:_files'");
}

static void help_fish(const ss_args *spec)
{
    for (const ss_arg *a = spec->table; a->name != NULL; a++) {
        bool is_long = strncmp(a->name, "--", 2) == 0;
        printf("complete -c stickslip -n '__fish_seen_subcommand_from %s' -%c %s%s -d '",
               spec->command, is_long ? 'l' : 's', a->name + (is_long ? 2 : 1),
               a->value != NULL ? " -r" : "");
        quoted(a->doc, "\\");
        printf("'\n");
    }
}

/* A command prints its own part: its table is built where its variables are. */
static void part(const ss_command *command, const char *form)
{
    char  word[32], name[32];
    char *argv[] = {name, word, NULL};
    snprintf(name, sizeof name, "%s", command->name);
    snprintf(word, sizeof word, "--help=%s", form);
    command->run(2, argv);
}

static void completion_bash(const ss_command *const *commands, int count)
{
    printf("# bash completion for stickslip; made by 'stickslip list --completion bash'\n"
           "_stickslip() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        options=\"");
    for (int i = 0; i < count; i++) {
        printf("%s ", commands[i]->name);
    }
    printf("--help --version\"\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < count; i++) {
        printf("    %s) options=\"", commands[i]->name);
        part(commands[i], "bash");
        printf("\" ;;\n");
    }
    printf("    esac\n"
           "    case $word in\n"
           "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\") ;;\n"
           "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
           "    esac\n"
           "}\n"
           "complete -o filenames -F _stickslip stickslip\n");
}

static void completion_zsh(const ss_command *const *commands, int count)
{
    printf("#compdef stickslip\n# made by 'stickslip list --completion zsh'\n"
           "_stickslip() {\n    local -a commands\n    commands=(\n");
    for (int i = 0; i < count; i++) {
        printf("        '%s:", commands[i]->name);
        quoted(commands[i]->summary, ":\\");
        printf("'\n");
    }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
           "        return\n    fi\n    local command=$words[2]\n    shift words\n"
           "    (( CURRENT-- ))\n    case $command in\n");
    for (int i = 0; i < count; i++) {
        printf("    %s) _arguments", commands[i]->name);
        part(commands[i], "zsh");
        printf(" ;;\n");
    }
    printf("    esac\n}\n_stickslip \"$@\"\n");
}

static void completion_fish(const ss_command *const *commands, int count)
{
    printf("# made by 'stickslip list --completion fish'\n");
    for (int i = 0; i < count; i++) {
        printf("complete -c stickslip -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        quoted(commands[i]->summary, "\\");
        printf("'\n");
        part(commands[i], "fish");
    }
}

int ss_help_completion(const ss_command *const *commands, int count, const char *shell)
{
    if (strcmp(shell, "bash") == 0) {
        completion_bash(commands, count);
    } else if (strcmp(shell, "zsh") == 0) {
        completion_zsh(commands, count);
    } else if (strcmp(shell, "fish") == 0) {
        completion_fish(commands, count);
    } else {
        return ss_cli_usage("list", "--completion knows bash, zsh and fish, not '%s'", shell);
    }
    return SS_EXIT_DONE;
}

/* ---- which of them ---- */

bool ss_args_asks_for_help(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 ||
           strncmp(word, "--help=", 7) == 0;
}

int ss_args_help(const ss_args *spec, const char *word)
{
    static const struct {
        const char *name;
        void (*print)(const ss_args *spec);
    } forms[] = {{"man", help_man}, {"bash", help_bash}, {"zsh", help_zsh}, {"fish", help_fish}};
    const char *form = strchr(word, '=');
    if (form == NULL) {
        help_text(spec);
        return SS_EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(form + 1, forms[i].name) == 0) {
            forms[i].print(spec);
            return SS_EXIT_DONE;
        }
    }
    return ss_cli_usage(spec->command, "--help=%s: there is man, bash, zsh and fish", form + 1);
}
