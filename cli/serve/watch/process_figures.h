/* What the kernel says of this process. */
#ifndef CLI_PROCESS_FIGURES_H
#define CLI_PROCESS_FIGURES_H

typedef struct process_figures {
    double resident, virtual_bytes; /* memory; NaN where it cannot be had, as below */
    double cpu_seconds;             /* of all threads, user and system */
    double open_files, most_files;
    double started; /* seconds since 1970 */
} process_figures;

process_figures process_read(void);

#endif
