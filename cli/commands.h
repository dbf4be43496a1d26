/* The commands, each in its own file. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args/args.h"

extern const command train_command, predict_command, test_command, inspect_command, learners_command, synth_command,
    convert_command, select_command, tune_command, sweep_command;

#endif
