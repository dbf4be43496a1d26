/* The version of a model that a path names. */
#ifndef CLI_SERVED_VERSION_H
#define CLI_SERVED_VERSION_H

#include "http/http_server.h"
#include "serve/model/served_model.h"

/* The snapshot of now; NULL after refusing, where `version` (NULL: none is named) is another one. */
const snapshot *take_version(served_model *m, http_request *r, const char *version);

#endif
