/* Remembers rows under their ids, until their labels come. */
#ifndef CLI_REMEMBERING_H
#define CLI_REMEMBERING_H

#include "serve/serving.h"

/* 0 after refusing: the server has no file for them. */
int can_remember(const serving *s, http_request *r);
/* Under `id`: one row as it is; of several the i-th, from 1, under id/i. "*": each under its own id, which it was read
 * with. */
sluice_status remember_rows(const serving *s, served_model *m, const snapshot *by, const sluice_batch *batch,
                            sluice_name id, sluice_error *err);

#endif
