/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

bool ss_cli_is_hdf5(const char *path)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char              start[sizeof signature];
    struct stat                info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    int  file = open(path, O_RDONLY | O_CLOEXEC);
    bool yes  = file >= 0 && read(file, start, sizeof start) == (ssize_t)sizeof start &&
               memcmp(start, signature, sizeof start) == 0;
    if (file >= 0) {
        close(file);
    }
    return yes;
}

static const char *hdf5_among(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (ss_cli_is_hdf5(argv[i])) {
            return argv[i];
        }
    }
    return NULL;
}

static volatile sig_atomic_t child;

static void pass_on(int signal_number)
{
    if (child > 0) {
        kill((pid_t)child, signal_number);
    }
}

/* Ctrl-C and `kill` are the child's to answer. */
static int wait_for_child(const char *file)
{
    int              how = 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = pass_on;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (waitpid((pid_t)child, &how, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(how)) {
        return WEXITSTATUS(how);
    }
    int number = WTERMSIG(how);
    if (number == SIGSEGV || number == SIGBUS || number == SIGABRT || number == SIGFPE ||
        number == SIGILL) {
        fprintf(stderr, "stickslip: %s: damaged: HDF5's reader crashed on it\n", file);
        return SS_EXIT_USAGE;
    }
    fprintf(stderr, "stickslip: ended by signal %d\n", number);
    return SS_EXIT_RESOURCES;
}

int ss_cli_guarded(const ss_command *command, int argc, char **argv)
{
    const char *file = hdf5_among(argc, argv);
    fflush(NULL);
    pid_t parent = getpid();
    child        = file != NULL ? (sig_atomic_t)fork() : 0;
    if (file == NULL) {
        return command->run(argc, argv);
    }
    if (child < 0) {
        fprintf(stderr, "stickslip: no process to read %s in: %s\n", file, strerror(errno));
        return SS_EXIT_RESOURCES;
    }
    if (child > 0) {
        return wait_for_child(file);
    }
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody would be left to end it */
#endif
    return getppid() == parent ? command->run(argc, argv) : SS_EXIT_RESOURCES;
}
