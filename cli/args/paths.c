/* Checks the files of a command line before any work is done. */
#include "args/paths.h"

#include "output/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_dash(const char *path) { return strcmp(path, "-") == 0; }

static int stat_input(const char *path, struct stat *s) {
    return (is_dash(path) ? fstat(STDIN_FILENO, s) : stat(path, s)) == 0;
}

static int is_pipe(const struct stat *s) { return S_ISFIFO(s->st_mode) || S_ISSOCK(s->st_mode); }

int reads_stdin(const char *const *paths, size_t n) {
    if (n == 0) return 1;
    for (size_t i = 0; i < n; i++)
        if (is_dash(paths[i])) return 1;
    return 0;
}

int reads_once(const char *const *paths, size_t n) {
    if (reads_stdin(paths, n)) return 1;
    for (size_t i = 0; i < n; i++) {
        struct stat s;
        if (stat(paths[i], &s) == 0 && is_pipe(&s)) return 1;
    }
    return 0;
}

static int same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
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

int same_file(const char *a, const char *b) {
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

/* ---- the files of a run ------------------------------------------------------------------------------------------ */

typedef struct run_file {
    const file_option *as;
    const char *path;
    char option[64]; /* as messages call it: "-o", "--test"; "": it is an input without an option */
} run_file;

static void spell_option(const args *a, const char *name, char text[64]) {
    const option_info *o = a->command->options;
    while (o->name && strcmp(o->name, name) != 0) o++;
    if (o->letter)
        snprintf(text, 64, "-%c", o->letter);
    else
        snprintf(text, 64, "--%s", name);
}

/* All files of the command line, to be freed; NULL where memory is short. */
static run_file *list_files(const args *a, size_t *n) {
    size_t most = a->n_inputs + 1;
    for (const file_option *f = a->command->files; f && f->option; f++) most++;
    run_file *list = calloc(most, sizeof *list);
    *n = 0;
    for (const file_option *f = a->command->files; list && f && f->option; f++) {
        if (*f->option) {
            const char *path = args_has(a, f->option) ? args_value(a, f->option) : f->otherwise;
            if (!path || (args_has(a, f->option) && f->is_other && f->is_other(path))) continue;
            list[*n] = (run_file){.as = f, .path = path};
            spell_option(a, f->option, list[(*n)++].option);
        } else {
            for (size_t i = 0; i < a->n_inputs; i++) list[(*n)++] = (run_file){.as = f, .path = a->inputs[i]};
            if (!a->n_inputs && f->role == READS_DATA) list[(*n)++] = (run_file){.as = f, .path = "-"};
        }
    }
    return list;
}

/* What is read from the path: "-" is standard input for data, and a name like any other for models. */
static int stat_read(const run_file *f, struct stat *s) {
    return f->as->role == READS_DATA ? stat_input(f->path, s) : stat(f->path, s) == 0;
}

static int goes_to_stdout(const char *path) {
    struct stat s, out;
    if (is_dash(path)) return 1;
    return stat(path, &s) == 0 && fstat(STDOUT_FILENO, &out) == 0 && (S_ISREG(s.st_mode) || S_ISFIFO(s.st_mode)) &&
           same_inode(&s, &out);
}

static int replaces(const run_file *output, const run_file *read) {
    struct stat out, in;
    if (is_dash(output->path) || stat(output->path, &out) != 0) return 0;
    return S_ISREG(out.st_mode) && stat_read(read, &in) && same_inode(&out, &in); /* /dev/null may be both */
}

static int may_replace(const file_option *output, const file_option *read) {
    return output->may_replace && strcmp(output->may_replace, read->option) == 0;
}

static int check_output_and_read(const args *a, const run_file *output, const run_file *read) {
    if (may_replace(output->as, read->as) || !replaces(output, read)) return DONE;
    if (*read->option)
        return wrong_usage(a->command->name, "%s %s: the %s would replace the %s file; name another file",
                           output->option, output->path, output->as->what, read->option);
    return wrong_usage(a->command->name, "%s %s: the %s would replace an input; name another file", output->option,
                       output->path, output->as->what);
}

static int check_outputs(const args *a, const run_file *one, const run_file *other) {
    int both_stdout = goes_to_stdout(one->path) && goes_to_stdout(other->path);
    if (!both_stdout && (is_dash(one->path) || is_dash(other->path) || !same_file(one->path, other->path))) return DONE;
    if (both_stdout)
        return wrong_usage(a->command->name, "%s %s: standard output already takes the %s; give %s FILE", other->option,
                           other->path, one->as->what, one->option);
    return wrong_usage(a->command->name, "%s %s: %s names the same file; name another", other->option, other->path,
                       one->option);
}

/* Two that read one pipe would share it out between them. */
static int check_reads(const args *a, const run_file *one, const run_file *other) {
    struct stat x, y;
    if (one->as->role != READS_DATA || other->as->role != READS_DATA) return DONE;
    int one_pipe = stat_read(one, &x) && stat_read(other, &y) && is_pipe(&x) && same_inode(&x, &y);
    if (!one_pipe && !(is_dash(one->path) && is_dash(other->path))) return DONE;
    if (*one->option)
        return wrong_usage(a->command->name, "%s and %s cannot both read %s", one->option, other->option,
                           is_dash(other->path) ? "standard input" : other->path);
    return wrong_usage(a->command->name, "%s %s: it is already the input to learn from", other->option,
                       is_dash(other->path) ? "-: standard input" : other->path);
}

/* Results that are appended to a file that is read: `>> a`. */
static int check_stdout(const args *a, const run_file *read) {
    struct stat in, out;
    if (read->as->role == WRITES || fstat(STDOUT_FILENO, &out) != 0 || !S_ISREG(out.st_mode)) return DONE;
    if (!stat_read(read, &in) || !same_inode(&in, &out)) return DONE;
    return wrong_usage(a->command->name, "standard output goes to %s, which is read; send it elsewhere",
                       is_dash(read->path) ? "the file that is standard input" : read->path);
}

static int check_pair(const args *a, const run_file *one, const run_file *other) {
    if (one->as->role == WRITES && other->as->role == WRITES) return check_outputs(a, one, other);
    if (one->as->role == WRITES) return check_output_and_read(a, one, other);
    if (other->as->role == WRITES) return check_output_and_read(a, other, one);
    return check_reads(a, one, other);
}

/* The first bytes of every model file, and of every one that is saved compressed (docs/model-format.md). */
static const char model_head[] = "sluice\x1a\n", packed_head[] = "\x50\x2a\x4d\x18\x08\0\0\0sluice\x1a\n";

static int is_model(const char *path) {
    struct stat s;
    char head[sizeof packed_head - 1] = "";
    if (is_dash(path) || stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return 0;
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    int found = (n >= sizeof model_head - 1 && memcmp(head, model_head, sizeof model_head - 1) == 0) ||
                (n == sizeof head && memcmp(head, packed_head, sizeof head) == 0);
    if (file) fclose(file);
    return found;
}

static int check_no_stdout(const args *a, const run_file *f) {
    if (f->as->role != WRITES || f->as->may_be_stdout || !goes_to_stdout(f->path)) return DONE;
    return wrong_usage(a->command->name, "%s %s: standard output is for the results; name a file", f->option, f->path);
}

/* A model is replaced by a model alone: it may be the work of weeks, and a slip of the keyboard would end it. */
static int check_no_model(const args *a, const run_file *f) {
    if (f->as->role != WRITES || strcmp(f->as->what, "model") == 0 || !is_model(f->path)) return DONE;
    return wrong_usage(a->command->name, "%s %s: the %s would replace a model; remove it first, or name another file",
                       f->option, f->path, f->as->what);
}

int check_files(const args *a) {
    size_t n;
    run_file *list = list_files(a, &n);
    if (!list) return out_of_memory();
    int rc = DONE;
    for (size_t i = 0; i < n && !rc; i++) {
        rc = check_no_stdout(a, &list[i]);
        if (!rc) rc = check_stdout(a, &list[i]);
        /* those without an option come first, may be many, and are not compared with each other */
        for (size_t k = 0; k < i && *list[i].option && !rc; k++) rc = check_pair(a, &list[k], &list[i]);
    }
    for (size_t i = 0; i < n && !rc; i++) rc = check_no_model(a, &list[i]);
    free(list);
    return rc;
}

void note_learned_too(const args *a, const char *option, const char *file) {
    struct stat s, in;
    if (!file || stat(file, &s) != 0 || !S_ISREG(s.st_mode)) return;
    int found = a->n_inputs == 0 && stat_input("-", &in) && same_inode(&s, &in);
    for (size_t i = 0; i < a->n_inputs && !found; i++) found = stat_input(a->inputs[i], &in) && same_inode(&s, &in);
    if (found) note("%s %s is learned from too: its figures are too good", option, file);
}

/* ---- whether they can be used ------------------------------------------------------------------------------------ */

static int refuse(const char *path, const char *what) {
    complain("%s: %s: %s", path, what, strerror(errno));
    return FAILED;
}

static int check_later_input(const char *path) {
    struct stat s;
    if (is_dash(path)) return DONE;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        errno = EISDIR;
    else if (access(path, R_OK) == 0)
        return DONE;
    return refuse(path, "cannot be opened");
}

static int check_later_output(const char *path) {
    struct stat s;
    int exists = stat(path, &s) == 0;
    if (is_dash(path)) return DONE;
    if (!exists && (errno == EIO || errno == EACCES || errno == ENOMEM)) return refuse(path, "cannot write");
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

int check_files_usable(const args *a) {
    size_t n;
    run_file *list = list_files(a, &n);
    if (!list) return out_of_memory();
    int rc = DONE;
    for (size_t i = 0; i < n && !rc; i++) {
        if (list[i].as->role == READS_DATA && *list[i].option) rc = check_later_input(list[i].path);
        if (list[i].as->role == WRITES && !list[i].as->opened_at_once) rc = check_later_output(list[i].path);
    }
    free(list);
    return rc;
}
