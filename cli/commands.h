/* The commands, each in its own file. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args/args.h"

extern const command train_command, predict_command, test_command, inspect_command, learners_command, synth_command,
    convert_command, select_command, tune_command, sweep_command, serve_command, merge_command, diff_command,
    export_command, import_command, completion_command, check_command;

#endif
