/* The models of a command line: -m NAME=FILE, -m FILE, -m FOLDER. */
#ifndef CLI_MODEL_FILES_H
#define CLI_MODEL_FILES_H

#include "args/args.h"

typedef struct model_file {
    char *name, *path;
} model_file;

typedef struct model_files {
    model_file *file; /* ascending by name, each name and each file once */
    size_t n, room;
} model_files;

/* Reads -m. Returns an exit status after saying what is wrong; free in any case. */
int model_files_read(const args *a, model_files *files);
void model_files_free(model_files *files);
/* Whether all models that --topic NAME=T names are there. Returns DONE or WRONG_USAGE. */
int model_files_check_topics(const args *a, const model_files *files);

#endif
