/* Signals and progress during long calls. */
#include <time.h>

#include "ext.h"

enum { LOOK_EVERY = 50 * 1000 * 1000, REPORT_EVERY = 100 * 1000 * 1000 }; /* nanoseconds */

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

sl_py_watch sl_py_watch_start(PyObject *progress) {
    return (sl_py_watch){.progress = progress == Py_None ? NULL : progress, .looked = now()};
}

static int report(sl_py_watch *watch, uint64_t time, uint64_t done, uint64_t total) {
    if (!watch->progress || (time - watch->reported < REPORT_EVERY && done < total)) return 0;
    watch->reported = time;
    PyObject *answer =
        PyObject_CallFunction(watch->progress, "KK", (unsigned long long)done, (unsigned long long)total);
    Py_XDECREF(answer);
    return answer ? 0 : -1;
}

int sl_py_watch_look(void *context, uint64_t done, uint64_t total) {
    sl_py_watch *watch = context;
    const uint64_t time = now();
    if (watch->failed) return 1;
    if (time - watch->looked < LOOK_EVERY && !(watch->progress && done == total)) return 0;
    watch->looked = time;
    const PyGILState_STATE state = PyGILState_Ensure();
    watch->failed = PyErr_CheckSignals() != 0 || report(watch, time, done, total) != 0;
    PyGILState_Release(state);
    return watch->failed;
}
