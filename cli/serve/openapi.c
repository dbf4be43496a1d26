/* The description of all that can be asked of a server: GET /openapi.json. */
#include "serve/serving.h"

#include <string.h>

#if SLUICE_HAVE_MICROHTTPD
extern const unsigned char openapi_document[]; /* openapi.json; cmake/embed.cmake */
extern const size_t openapi_document_n;

/* {{version}} stands for the program's. */
void handle_openapi(void *context, http_request *r) {
    static const char mark[] = "{{version}}";
    const char *text = (const char *)openapi_document, *end = text + openapi_document_n;
    const char *at = memmem(text, openapi_document_n, mark, sizeof mark - 1);
    (void)context;
    if (at) {
        text_add(&r->answer, text, (size_t)(at - text));
        text_put(&r->answer, sluice_version());
        text = at + sizeof mark - 1;
    }
    text_add(&r->answer, text, (size_t)(end - text));
    http_answer(r, 200, "application/json");
}
#endif
