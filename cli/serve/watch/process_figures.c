/* Reads memory, CPU time and open files of this process. */
#include "serve/watch/process_figures.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The n-th number (from 0 on) of a file of /proc, behind the last `after`, which is in front of what may be any text.
 */
static double number_of(const char *file, char after, int n) {
    char text[1024];
    FILE *f = fopen(file, "r");
    if (!f) return NAN;
    const size_t length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[length] = 0;
    const char *p = after ? strrchr(text, after) : text;
    if (!p) return NAN;
    if (after) p++;
    for (; n; n--) {
        p += strspn(p, " ");
        p += strcspn(p, " ");
    }
    double x;
    return sscanf(p, "%lf", &x) == 1 ? x : NAN;
}

static double open_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return NAN;
    double n = -1; /* the folder itself is open */
    for (struct dirent *e; (e = readdir(folder));) n += *e->d_name != '.';
    closedir(folder);
    return n;
}

#ifndef CLOCK_BOOTTIME /* nor /proc: the time is not known there */
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

static double start_time(void) {
    struct timespec since_boot, now;
    const double ticks = number_of("/proc/self/stat", ')', 19); /* field 22; the state behind ')' is 3 */
    if (isnan(ticks) || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return NAN;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)(now.tv_sec - since_boot.tv_sec) + 1e-9 * (double)(now.tv_nsec - since_boot.tv_nsec) +
           ticks / (double)sysconf(_SC_CLK_TCK);
}

process_figures process_read(void) {
    const double page = (double)sysconf(_SC_PAGESIZE);
    struct rusage usage;
    struct rlimit files;
    process_figures p = {.virtual_bytes = page * number_of("/proc/self/statm", 0, 0),
                         .resident = page * number_of("/proc/self/statm", 0, 1),
                         .cpu_seconds = NAN,
                         .open_files = open_files(),
                         .most_files = NAN,
                         .started = start_time()};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        p.cpu_seconds = (1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)) /
                        1e6;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        p.most_files = files.rlim_cur == RLIM_INFINITY ? INFINITY : (double)files.rlim_cur;
    return p;
}
