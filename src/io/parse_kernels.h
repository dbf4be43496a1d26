/* The kernels of the parsers: functions of which there is one version for each kind of processor (base/cpu.h). All
 * versions give the same results. */
#ifndef SL_PARSE_KERNELS_H
#define SL_PARSE_KERNELS_H

#include "base/cpu.h"
#include "io/bin/bin_ids.h"
#include "io/libsvm/fields.h"
#include "io/libsvm/separators.h"
#include "io/marks/marks.h"
#include "io/text/letters.h"
#include "io/url/url_bytes.h"

typedef struct sl_parse_kernels {
    sl_cpu cpu;
    sl_find_separators *find;
    sl_convert_fields *convert; /* NULL: fields are converted one by one */
    sl_convert_values *values;  /* likewise */
    sl_sum_ids *sum_ids;
    sl_get_numbers *get_numbers;
    sl_find_letters *letters; /* NULL: text is cut a character at a time */
    sl_read_url *read_url;
    sl_find_marks *marks;
    sl_find_quotes *quotes; /* NULL: quotes are found one by one */
} sl_parse_kernels;

/* The kernels for a kind of processor; NULL where this build has none or the machine cannot run them. Those for
 * SL_CPU_PORTABLE always exist. */
const sl_parse_kernels *sl_parse_kernels_for(sl_cpu cpu);

/* Those that sl_cpu_kernels() names. */
const sl_parse_kernels *sl_parse_kernels_chosen(void);

#endif
