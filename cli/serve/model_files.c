/* Reads the models of a command line. */
#include "serve/model_files.h"

#include "args/paths.h"
#include "output/message.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAME = 64 };

static int is_name(const char *text, size_t n) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return n && n <= MOST_NAME && strspn(text, letters) >= n && text[0] != '.';
}

static int add(const args *a, model_files *files, const char *name, size_t n, const char *path) {
    if (!is_name(name, n))
        return wrong_usage(
            a->command->name,
            "-m %s: the model's name is to have 1 to %d letters, digits, '.', '_' and '-'; give one with "
            "-m NAME=FILE",
            path, MOST_NAME);
    if (files->n == files->room) {
        const size_t room = files->room ? 2 * files->room : 8;
        model_file *more = realloc(files->file, room * sizeof *more);
        if (!more) return out_of_memory();
        files->file = more;
        files->room = room;
    }
    const model_file made = {strndup(name, n), strdup(path)};
    files->file[files->n++] = made;
    return made.name && made.path ? DONE : out_of_memory();
}

/* The length of a file's name without its folder and its ending; *name is where it begins. */
static size_t stem(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    const char *dot = strrchr(*name, '.');
    return dot && dot != *name ? (size_t)(dot - *name) : strlen(*name);
}

static int is_model_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (strcmp(dot, ".model") == 0 || strcmp(dot, ".sluice") == 0);
}

static int add_folder(const args *a, model_files *files, const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return complain("%s: %s", folder, strerror(errno)), FAILED;
    const size_t before = files->n;
    int rc = DONE;
    for (const struct dirent *e; !rc && (e = readdir(dir));) {
        if (!is_model_name(e->d_name)) continue;
        char *path = malloc(strlen(folder) + strlen(e->d_name) + 2);
        if (!path) {
            rc = out_of_memory();
            break;
        }
        sprintf(path, "%s/%s", folder, e->d_name);
        const char *name;
        const size_t n = stem(path, &name);
        rc = add(a, files, name, n, path);
        free(path);
    }
    closedir(dir);
    if (!rc && files->n == before)
        rc = wrong_usage(a->command->name, "-m %s: the folder has no files that end in .model or .sluice", folder);
    return rc;
}

static int add_given(const args *a, model_files *files, const char *given) {
    struct stat s;
    const char *equals = strchr(given, '='), *name;
    if (equals && is_name(given, (size_t)(equals - given))) {
        if (!equals[1]) return wrong_usage(a->command->name, "-m %s: which file?", given);
        if (stat(equals + 1, &s) == 0 && S_ISDIR(s.st_mode))
            return wrong_usage(a->command->name, "-m %s: a folder has no name of its own; give -m %s", given,
                               equals + 1);
        return add(a, files, given, (size_t)(equals - given), equals + 1);
    }
    if (stat(given, &s) == 0 && S_ISDIR(s.st_mode)) return add_folder(a, files, given);
    const size_t n = stem(given, &name);
    return add(a, files, name, n, given);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const model_file *)a)->name, ((const model_file *)b)->name);
}

static int check_distinct(const args *a, const model_files *files) {
    for (size_t i = 0; i < files->n; i++) {
        const model_file *f = &files->file[i];
        if (i && strcmp(f[-1].name, f->name) == 0)
            return wrong_usage(a->command->name, "-m: two models are called %s: %s and %s", f->name, f[-1].path,
                               f->path);
        for (size_t k = 0; k < i; k++)
            if (same_file(files->file[k].path, f->path))
                return wrong_usage(a->command->name, "-m: %s and %s are one file, %s", files->file[k].name, f->name,
                                   f->path);
    }
    return DONE;
}

int model_files_read(const args *a, model_files *files) {
    *files = (model_files){0};
    const char **given = calloc(a->n_given + 1, sizeof *given);
    if (!given) return out_of_memory();
    const size_t n = args_values(a, "model", given);
    int rc = n ? DONE : wrong_usage(a->command->name, "which model? give it with -m NAME=FILE");
    for (size_t i = 0; i < n && !rc; i++) rc = add_given(a, files, given[i]);
    free(given);
    if (rc) return rc;
    qsort(files->file, files->n, sizeof *files->file, by_name);
    return check_distinct(a, files);
}

void model_files_free(model_files *files) {
    for (size_t i = 0; i < files->n; i++) {
        free(files->file[i].name);
        free(files->file[i].path);
    }
    free(files->file);
    *files = (model_files){0};
}

int model_files_check_topics(const args *a, const model_files *files) {
    const char **given = calloc(a->n_given + 1, sizeof *given);
    if (!given) return out_of_memory();
    const size_t n = args_values(a, "topic", given);
    int rc = DONE;
    for (size_t i = 0; i < n && !rc; i++) {
        const char *equals = strchr(given[i], '=');
        size_t k = 0;
        while (equals && k < files->n &&
               (strlen(files->file[k].name) != (size_t)(equals - given[i]) ||
                memcmp(files->file[k].name, given[i], (size_t)(equals - given[i])) != 0))
            k++;
        if (equals && k == files->n)
            rc = wrong_usage(a->command->name, "--topic %s: no model is called so; it is NAME=TOPIC", given[i]);
    }
    if (!rc && !n && args_has(a, "kafka"))
        rc = wrong_usage(a->command->name, "--kafka: which topic? give it with --topic T");
    free(given);
    return rc;
}
