/* The page that shows live what the server does. */
#include "serve/watch/dashboard.h"

#include "page/page.h"
#include "serve/serving.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#if SLUICE_HAVE_MICROHTTPD
extern const unsigned char dashboard_page[]; /* dashboard.html; cmake/embed.cmake */
extern const size_t dashboard_page_n;

enum { NONCE_BYTES = 16, NONCE_TEXT = 2 * NONCE_BYTES + 1 };

/* Scripts and styles run where they have this number, which no other page can know. */
static int make_nonce(char text[NONCE_TEXT]) {
    unsigned char bytes[NONCE_BYTES];
    if (getentropy(bytes, sizeof bytes) != 0) return 0;
    for (size_t i = 0; i < NONCE_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return 1;
}

static void put_styles(text_buffer *t) {
    for (size_t i = 0; page_style(i); i++) text_put(t, page_style(i));
}

/* {{nonce}} and {{styles}} stand for what they say. */
static void put_page(text_buffer *t, const char *nonce) {
    const char *p = (const char *)dashboard_page, *end = p + dashboard_page_n;
    for (const char *mark; (mark = memmem(p, (size_t)(end - p), "{{", 2)); p = mark) {
        text_add(t, p, (size_t)(mark - p));
        const char *stop = memmem(mark, (size_t)(end - mark), "}}", 2);
        if (!stop) break;
        if (memcmp(mark, "{{nonce", 7) == 0)
            text_put(t, nonce);
        else
            put_styles(t);
        mark = stop + 2;
    }
    text_add(t, p, (size_t)(end - p));
}

void handle_page(void *context, http_request *r) {
    char nonce[NONCE_TEXT], policy[400];
    (void)context;
    if (!make_nonce(nonce)) {
        http_refuse(r, 503, "no random numbers");
        return;
    }
    put_page(&r->answer, nonce);
    snprintf(policy, sizeof policy,
             "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; connect-src 'self'; img-src data:; "
             "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             nonce, nonce);
    http_add_header(r, "Content-Security-Policy", policy);
    http_add_header(r, "Referrer-Policy", "no-referrer");
    if (r->answer.failed)
        http_refuse(r, 503, "no memory");
    else
        http_answer(r, 200, "text/html; charset=utf-8");
}
#endif
