/* The table of all that can be asked of a server. */
#include "serve/serving.h"

const http_route serve_routes[] = {
    {"POST", "/predict", HTTP_PREDICT, "predict", handle_predict,
     "model, format, proba, json, explain, top-classes, id, remember"},
    {"POST", "/learn", HTTP_LEARN, "learn", handle_learn, "model, format, json, id"},
    {"POST", "/label", HTTP_LEARN, "label", handle_label, "model"},
    {"GET", "/v2", HTTP_OPEN, "server", handle_server},
    {"GET", "/v2/health/live", HTTP_OPEN, "live", handle_live},
    {"GET", "/v2/health/ready", HTTP_OPEN, "ready", handle_ready},
    {"GET", "/v2/models", HTTP_OPEN, "models", handle_models},
    {"GET", "/v2/models/{}", HTTP_OPEN, "model", handle_model},
    {"GET", "/v2/models/{}/ready", HTTP_OPEN, "model_ready", handle_model_ready},
    {"POST", "/v2/models/{}/infer", HTTP_PREDICT, "infer", handle_infer},
    {"GET", "/v2/models/{}/versions/{}", HTTP_OPEN, "model", handle_model},
    {"GET", "/v2/models/{}/versions/{}/ready", HTTP_OPEN, "model_ready", handle_model_ready},
    {"POST", "/v2/models/{}/versions/{}/infer", HTTP_PREDICT, "infer", handle_infer},
    {"POST", "/v2/models/{}/learn", HTTP_LEARN, "model_learn", handle_model_learn},
    {"POST", "/v2/models/{}/label", HTTP_LEARN, "model_label", handle_model_label},
    {"POST", "/v2/models/{}/save", HTTP_LEARN, "save", handle_save},
    {"POST", "/v2/models/{}/reload", HTTP_LEARN, "reload", handle_reload},
    {"POST", "/v2/models/{}/rollback", HTTP_LEARN, "rollback", handle_rollback},
    {"GET", "/metrics", HTTP_PREDICT, "metrics", handle_metrics},
    {"GET", "/events", HTTP_PREDICT, "events", handle_events},
#if SLUICE_HAVE_MICROHTTPD                        /* what is embedded, where there is a server */
    {"GET", "/", HTTP_OPEN, "page", handle_page}, /* has no figures: it asks for a token, for its events */
    {"GET", "/openapi.json", HTTP_OPEN, "openapi", handle_openapi},
#endif
    {NULL, NULL, HTTP_OPEN, NULL, NULL},
};
