/* Signals. SIGINT, SIGTERM and SIGHUP end the program with status 128 + signal: at once, or in an orderly way where a
 * command asks for that. Those that the program was started to ignore, as by nohup, stay ignored. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include "sluice.h"

/* Called once, by main. */
void signals_start(void);

/* From now on the first of these signals is noted (stop_signal) and ends the wait for input; the next one ends the
 * program at once. */
void signals_stop_orderly(void);
/* Whether that holds; 0: the first one ends the program at once, too. Returns what held before. For the main thread: in
 * others, beside which the program does something else, nothing changes. */
int signals_set_orderly(int wanted);
/* The signal that was noted; 0: none. Commands look at it while they work. */
int stop_signal(void);
/* "SIGTERM" */
const char *signal_name(int signal);
/* The exit status that goes with the signal that was noted. */
int stop_status(void);
/* The signal that was noted is so no longer, so that what is left of the work can be finished; returns it. The next one
 * ends the program at once. */
int signals_finish(void);

/* From now on SIGUSR1 and, where `seconds` is not 0, an alarm every `seconds` seconds ask for a checkpoint, which is
 * not to wait for input. */
void signals_ask_for_saves(uint64_t seconds);
/* From now on SIGHUP and SIGUSR1 ask for a checkpoint: for a program that runs as a service. */
void signals_hangup_saves(void);
/* SIGUSR1, SIGALRM or SIGHUP where a checkpoint was asked for since the last call; otherwise 0. */
int save_signal(void);

/* Whether there is a signal that was noted, or one that asks for a checkpoint. */
int signal_waits(void);

/* The reader whose wait a signal ends. NULL, to be set before it is closed: none. */
void signals_interrupt(sluice_reader *reader);

/* A signal that would end the program at once waits between these two calls, so that no half-written temporary file is
 * left behind. */
void signals_hold(void);
void signals_release(void);

#endif
