/* Checks the files of a command line before any work is done. */
#include "args/paths.h"

#include "output/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_stdin(const char *path) { return strcmp(path, "-") == 0; }

static int stat_input(const char *path, struct stat *s) {
    return (is_stdin(path) ? fstat(STDIN_FILENO, s) : stat(path, s)) == 0;
}

int reads_stdin(const char *const *paths, size_t n) {
    if (n == 0) return 1;
    for (size_t i = 0; i < n; i++)
        if (is_stdin(paths[i])) return 1;
    return 0;
}

int reads_once(const char *const *paths, size_t n) {
    if (reads_stdin(paths, n)) return 1;
    for (size_t i = 0; i < n; i++) {
        struct stat s;
        if (stat(paths[i], &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))) return 1;
    }
    return 0;
}

static int same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int replaces_input(const char *output, const char *const *inputs, size_t n) {
    static const char *const standard_input[] = {"-"};
    struct stat out, in;
    if (stat(output, &out) != 0 || !S_ISREG(out.st_mode)) return 0; /* /dev/null may be both */
    if (n == 0) return replaces_input(output, standard_input, 1);
    for (size_t i = 0; i < n; i++)
        if (stat_input(inputs[i], &in) && same_inode(&out, &in)) return 1;
    return 0;
}

/* The folder a file is in, to be freed; NULL where memory is short. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int same_output(const char *a, const char *b) {
    struct stat x, y;
    int a_exists = stat(a, &x) == 0, b_exists = stat(b, &y) == 0;
    if (a_exists && b_exists) return S_ISREG(x.st_mode) && same_inode(&x, &y);
    if (a_exists || b_exists || strcmp(name_of(a), name_of(b)) != 0) return 0;
    char *in = folder_of(a), *other = folder_of(b);
    int same = in && other && stat(in, &x) == 0 && stat(other, &y) == 0 && same_inode(&x, &y);
    free(in);
    free(other);
    return same;
}

static int refuse(const char *path, const char *what) {
    complain("%s: %s: %s", path, what, strerror(errno));
    return FAILED;
}

void note_learned_too(const args *a, const char *option, const char *file) {
    if (file && replaces_input(file, a->inputs, a->n_inputs))
        note("%s %s is learned from too: its figures are too good", option, file);
}

int check_later_input(const char *path) {
    struct stat s;
    if (is_stdin(path)) return DONE;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        errno = EISDIR;
    else if (access(path, R_OK) == 0)
        return DONE;
    return refuse(path, "cannot be opened");
}

int is_stdout(const char *path) {
    struct stat s, out;
    if (strcmp(path, "-") == 0) return 1;
    return stat(path, &s) == 0 && fstat(STDOUT_FILENO, &out) == 0 && (S_ISREG(s.st_mode) || S_ISFIFO(s.st_mode)) &&
           s.st_dev == out.st_dev && s.st_ino == out.st_ino;
}

int check_output_apart(const args *a, const char *option, const char *what, const char *output, const char *test) {
    const char *name = a->command->name;
    if (!output) return DONE;
    if (is_stdout(output))
        return wrong_usage(name, "%s %s: standard output is for the results; name a file", option, output);
    if (replaces_input(output, a->inputs, a->n_inputs))
        return wrong_usage(name, "%s %s: the %s would replace an input; name another file", option, output, what);
    return check_output_keeps(a, option, what, output, "--test", test);
}

int check_output_keeps(const args *a, const char *option, const char *what, const char *output, const char *later,
                       const char *file) {
    if (!output || !file || !replaces_input(output, &file, 1)) return DONE;
    return wrong_usage(a->command->name, "%s %s: the %s would replace the %s file; name another file", option, output,
                       what, later);
}

int check_outputs_differ(const args *a, const char *option, const char *output, const char *other_option,
                         const char *other) {
    if (!output || !other || !same_output(output, other)) return DONE;
    return wrong_usage(a->command->name, "%s and %s name the same file", option, other_option);
}

int check_later_apart(const args *a, const char *option, const char *file) {
    if (!file || !reads_stdin(&file, 1) || !reads_stdin(a->inputs, a->n_inputs)) return DONE;
    return wrong_usage(a->command->name, "%s -: standard input is already the input to learn from", option);
}

int check_later_output(const char *path) {
    struct stat s;
    int exists = stat(path, &s) == 0;
    if (!exists && lstat(path, &s) == 0) {
        complain("%s: is a link to a file that does not exist; remove it first", path);
        return FAILED;
    }
    if (exists && S_ISDIR(s.st_mode)) {
        complain("%s: is a directory; give the name of a file", path);
        return FAILED;
    }
    if (exists && !S_ISREG(s.st_mode)) return access(path, W_OK) == 0 ? DONE : refuse(path, "cannot write");
    /* a file is written under another name in the same folder and renamed: the folder must be writable. A link is
     * followed. */
    char *real = exists ? realpath(path, NULL) : NULL, *folder = folder_of(real ? real : path);
    free(real);
    if (!folder) return out_of_memory();
    int rc = access(folder, W_OK | X_OK) == 0 ? DONE : refuse(path, "cannot write into its folder");
    free(folder);
    return rc;
}
