/* Handles signals: the handler sets flags and ends the wait for input, commands do the rest. */
#include "run/signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_STOP_SIGNALS = sizeof stop_signals / sizeof *stop_signals };

static pthread_t main_thread;
static atomic_int orderly, stop, finishing, save, hangup_saves; /* lock-free, and therefore for signal handlers too */
static sluice_reader *_Atomic reading;
static struct timespec stopped_at;
static sigset_t held, before_hold;

/* `timeout` and others send one signal to the process and to its group, so that it comes twice: what comes this soon
 * after the first is no second wish. */
static const double one_wish_seconds = 0.1;

static int repeats_first(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double passed = (double)(now.tv_sec - stopped_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - stopped_at.tv_nsec);
    return passed < one_wish_seconds;
}

static void take_stop(int number) {
    if (!orderly) _exit(128 + number);
    if (stop || finishing) {
        if (repeats_first()) return;
        _exit(128 + number);
    }
    clock_gettime(CLOCK_MONOTONIC, &stopped_at);
    stop = number;
    if (reading) sluice_reader_cancel(reading);
}

static void on_signal(int number) {
    int before = errno;
    if (!pthread_equal(pthread_self(), main_thread)) { /* threads of batch learners take signals too */
        pthread_kill(main_thread, number);
    } else if (number == SIGUSR1 || number == SIGALRM || (number == SIGHUP && hangup_saves)) {
        save = number;
        if (reading) sluice_reader_wake(reading);
    } else {
        take_stop(number);
    }
    errno = before;
}

/* `or_ignored`: even where the program was started to ignore the signal. */
static void handle(int number, int or_ignored) {
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask); /* one at a time */
    if (sigaction(number, NULL, &old) == 0 && (or_ignored || old.sa_handler != SIG_IGN))
        sigaction(number, &action, NULL);
}

void signals_start(void) {
    main_thread = pthread_self();
#ifdef __SANITIZE_THREAD__
    /* gcc 12's loses a signal that comes in a thread's first call that may block: be it this one */
    poll(NULL, 0, 0);
#endif
    sigemptyset(&held);
    for (size_t i = 0; i < N_STOP_SIGNALS; i++) {
        handle(stop_signals[i], 0);
        sigaddset(&held, stop_signals[i]);
    }
}

void signals_stop_orderly(void) { orderly = 1; }

int signals_set_orderly(int wanted) {
    return pthread_equal(pthread_self(), main_thread) ? atomic_exchange(&orderly, wanted) : orderly;
}

int stop_signal(void) { return stop; }

int stop_status(void) { return 128 + (stop ? stop : finishing); }

int signals_finish(void) {
    finishing = stop; /* before the other one becomes 0: between the two a signal is the second one */
    stop = 0;
    return finishing;
}

const char *signal_name(int signal) {
    switch (signal) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return "a signal";
    }
}

void signals_ask_for_saves(uint64_t seconds) {
    handle(SIGUSR1, 0);
    if (!seconds) return;
    handle(SIGALRM, 1);
    struct itimerval often = {.it_interval.tv_sec = (time_t)seconds, .it_value.tv_sec = (time_t)seconds};
    setitimer(ITIMER_REAL, &often, NULL);
}

void signals_hangup_saves(void) {
    hangup_saves = 1;
    handle(SIGUSR1, 0);
}

int save_signal(void) { return save ? atomic_exchange(&save, 0) : 0; }

int signal_waits(void) { return stop || save; }

void signals_interrupt(sluice_reader *reader) {
    reading = reader;
    if (reader && stop) sluice_reader_cancel(reader); /* it came before */
}

void signals_hold(void) { pthread_sigmask(SIG_BLOCK, &held, &before_hold); }

void signals_release(void) { pthread_sigmask(SIG_SETMASK, &before_hold, NULL); }
