/* Runs a command and writes its seconds, peak resident kilobytes and exit status to a file.
 *
 *     launch RESULT COMMAND [ARGUMENT...]
 *
 * This is a separate small program because the peak of a child includes the pages of the process that forked it: if
 * Python started the command, every child would seem at least as large as Python. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    double start = now();
    pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child) return 2;
    double seconds = now() - start;
    FILE *out = fopen(argv[1], "w");
    if (!out) return 2;
    fprintf(out, "%.9f %ld %d\n", seconds, usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return fclose(out) ? 2 : 0;
}
