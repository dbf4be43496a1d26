/* The ways to take common rows apart. Which one runs depends on the processor; what comes out does not. */
#ifndef SL_TEXT_KERNELS_H
#define SL_TEXT_KERNELS_H

#include "io/libsvm/fields.h"
#include "io/libsvm/separators.h"

typedef struct sl_text_kernel {
    const char *name;
    sl_find_separators *find;
    sl_convert_fields *convert; /* NULL: fields are converted one by one */
    sl_convert_values *values;  /* likewise */
    bool (*runs_here)(void);
} sl_text_kernel;

/* From the plainest to the fastest, ended by an empty entry. The first one runs everywhere. */
extern const sl_text_kernel sl_text_kernels[];

/* The fastest one that runs here. */
const sl_text_kernel *sl_text_kernel_best(void);

#endif
