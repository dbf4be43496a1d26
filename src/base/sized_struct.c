/* Reads and fills structs that begin with their own size. */
#include "base/sized_struct.h"

#include <string.h>

#include "base/error.h"

enum { MAX_SIZE = 4096 }; /* no version has a struct as large: a larger size was never set */

static size_t size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

sluice_status sl_sized_check(const void *to, const char *name, sluice_error *err) {
    size_t size = size_of(to);
    if (size > MAX_SIZE)
        return sl_fail(err, SLUICE_E_USAGE, "%s with a size of %zu bytes: write {.size = sizeof s}", name, size);
    if (size >= sizeof size) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_USAGE, "%s without its size: write {.size = sizeof s}", name);
}

sluice_status sl_sized_read(void *own, size_t size, const void *given, const char *name, sluice_error *err) {
    if (!given) return SLUICE_OK;
    sluice_status status = sl_sized_check(given, name, err);
    if (status != SLUICE_OK) return status;
    size_t has = size_of(given);
    for (size_t i = size; i < has; i++)
        if (((const unsigned char *)given)[i])
            return sl_fail(err, SLUICE_E_UNSUPPORTED, "%s asks for something that sluice %s does not have", name,
                           sluice_version());
    memcpy(own, given, has < size ? has : size);
    memcpy(own, &size, sizeof size);
    return SLUICE_OK;
}

void sl_sized_write(void *to, const void *own, size_t size) {
    size_t room = size_of(to), n = room < size ? room : size;
    memcpy((char *)to + sizeof room, (const char *)own + sizeof room, n - sizeof room);
    if (room > size) memset((char *)to + size, 0, room - size);
}
