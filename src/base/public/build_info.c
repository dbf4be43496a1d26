/* The version of the library and how it was built. */
#include "base/system.h"
#include "base/cpu.h"
#include "base/sized_struct.h"

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#define VERSION TEXT(SLUICE_VERSION_MAJOR) "." TEXT(SLUICE_VERSION_MINOR) "." TEXT(SLUICE_VERSION_PATCH)

#if SLUICE_HAVE_ISAL || SLUICE_HAVE_ZLIB
#define GZIP " gzip"
#else
#define GZIP ""
#endif
#if SLUICE_HAVE_ZSTD
#define ZSTD " zstd"
#else
#define ZSTD ""
#endif
#if SLUICE_HAVE_BZIP2
#define BZIP2 " bzip2"
#else
#define BZIP2 ""
#endif
#if SLUICE_HAVE_LZMA
#define XZ " xz"
#else
#define XZ ""
#endif
#ifndef SLUICE_HAVE_OPENBLAS /* as in learner/blas.c */
#define SLUICE_HAVE_OPENBLAS 1
#endif
#if SLUICE_HAVE_OPENBLAS
#define OPENBLAS 1
#else
#define OPENBLAS 0
#endif

const char *sluice_version(void) { return VERSION; }

unsigned sluice_version_number(void) { return SLUICE_VERSION_NUMBER; }

sluice_status sluice_build_info(sluice_build_facts *facts) {
    static const char codecs[] = GZIP ZSTD BZIP2 XZ;
    sluice_status status = sl_sized_check(facts, "sluice_build_facts", NULL);
    if (status != SLUICE_OK) return status;
    const sluice_build_facts all = {
        .version = VERSION,
        .compiler = __VERSION__,
        .kernels = sl_cpu_name(sl_cpu_kernels()),
        .codecs = codecs + (*codecs == ' '), /* without the first space */
        .openblas = OPENBLAS,
    };
    sl_sized_write(facts, &all, sizeof all);
    return SLUICE_OK;
}
