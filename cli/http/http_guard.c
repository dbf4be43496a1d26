/* Decides who may ask: by token, by the origin of the page that asks, by the name that the server was called. */
#include "http/http_guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_TOKEN = 4096 };

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Cuts white space off both ends. */
static void trim(char *text) {
    size_t n = strlen(text), begin = 0;
    while (n && is_space(text[n - 1])) n--;
    while (begin < n && is_space(text[begin])) begin++;
    memmove(text, text + begin, n - begin);
    text[n - begin] = 0;
}

static int read_token(const char *file, char **token) {
    *token = NULL;
    if (!file) return DONE;
    FILE *f = fopen(file, "rbe");
    if (!f) {
        complain("cannot open the token file %s: %s", file, strerror(errno));
        return FAILED;
    }
    char text[MOST_TOKEN + 2];
    struct stat info;
    const char *wrong = NULL;
    size_t n = 0;
    if (fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode))
        wrong = "is not a regular file";
    else if (info.st_mode & (S_IROTH | S_IWOTH | S_IWGRP))
        wrong = "can be read or written by others: chmod 600 it";
    else {
        n = fread(text, 1, sizeof text - 1, f);
        text[n] = 0;
        if (ferror(f))
            wrong = "cannot be read";
        else if (n > MOST_TOKEN)
            wrong = "has more than 4096 bytes";
        else if (memchr(text, 0, n))
            wrong = "has a NUL in it";
    }
    fclose(f);
    if (!wrong) {
        trim(text);
        if (!*text) wrong = "is empty";
        for (const char *c = text; *c && !wrong; c++)
            if (*c <= ' ' || *c >= 0x7f)
                wrong = "has more than one word in it, or characters that a header cannot have";
    }
    int status = FAILED;
    if (wrong)
        complain("the token file %s %s", file, wrong);
    else if (!(*token = strdup(text)))
        status = out_of_memory();
    else
        status = DONE;
    explicit_bzero(text, sizeof text);
    return status;
}

/* "https://example.com:8443": a scheme, a host, nothing behind. */
static int is_origin(const char *text) {
    const char *host = strstr(text, "://");
    if (!host || host == text) return 0;
    host += 3;
    return *host && !strpbrk(host, "/?#@ \t\r\n,*");
}

int http_guard_open(http_guard *g, const http_settings *settings, const char *host, int loopback) {
    *g = (http_guard){.settings = settings, .host = strdup(host), .loopback = loopback};
    if (!g->host) return out_of_memory();
    for (size_t i = 0; i < settings->n_origins; i++)
        if (!is_origin(settings->origins[i])) {
            complain("%s is not an origin, such as https://example.com: a scheme and a host, nothing behind",
                     settings->origins[i]);
            return WRONG_USAGE;
        }
    const int status = read_token(settings->token_file, &g->token);
    return status != DONE ? status : read_token(settings->predict_token_file, &g->predict_token);
}

static void forget(char **token) {
    if (*token) explicit_bzero(*token, strlen(*token));
    free(*token);
    *token = NULL;
}

void http_guard_close(http_guard *g) {
    forget(&g->token);
    forget(&g->predict_token);
    free(g->host);
    g->host = NULL;
}

/* In a time that tells nothing of where they differ. */
static int same_secret(const char *secret, const char *given, size_t n) {
    const size_t secret_n = strlen(secret);
    unsigned char different = secret_n != n;
    for (size_t i = 0; i < n; i++) different |= (unsigned char)(secret[i % (secret_n + 1)] ^ given[i]);
    return !different;
}

static int six_bits(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* The password of "USER:PASSWORD" in base64, and its length; NULL: there is none. */
static const char *basic_password(const char *encoded, char *to, size_t room, size_t *length) {
    size_t n = 0;
    unsigned bits = 0, have = 0;
    for (; *encoded && *encoded != '='; encoded++) {
        const int six = six_bits(*encoded);
        if (six < 0 || n + 1 >= room) return NULL;
        bits = (bits << 6 | (unsigned)six) & 0xffff;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        to[n++] = (char)(bits >> have & 0xff);
    }
    to[n] = 0;
    const char *colon = memchr(to, ':', n);
    if (!colon) return NULL;
    *length = (size_t)(to + n - colon - 1);
    return colon + 1;
}

/* Whether the caller has the token: as a bearer, or as the password that a browser asks for. */
static int has_token(const char *token, const char *authorization) {
    if (!token || !authorization) return 0;
    const size_t scheme = strcspn(authorization, " ");
    const char *given = authorization + scheme;
    given += strspn(given, " ");
    if (scheme == 6 && !strncasecmp(authorization, "Bearer", 6)) {
        size_t n = strlen(given);
        while (n && is_space(given[n - 1])) n--;
        return same_secret(token, given, n);
    }
    if (scheme == 5 && !strncasecmp(authorization, "Basic", 5)) {
        char text[MOST_TOKEN + 256];
        size_t n = 0;
        const char *password = basic_password(given, text, sizeof text, &n);
        const int same = password && same_secret(token, password, n);
        explicit_bzero(text, sizeof text);
        return same;
    }
    return 0;
}

/* Without its port: its length. */
static size_t host_length(const char *authority) {
    const char *end = *authority == '[' ? strchr(authority, ']') : NULL;
    if (end && (!end[1] || end[1] == ':')) return (size_t)(end + 1 - authority);
    return strcspn(authority, ":");
}

static int is_name(const char *host, size_t n, const char *name) {
    return strlen(name) == n && !strncasecmp(host, name, n);
}

/* Whether a page of another site cannot have made the browser call the server so. Such a page is served under a name of
 * its own, which is then pointed at this machine; it cannot be served under an address, or under localhost. */
static int is_own_name(const http_guard *g, const char *authority) {
    const size_t n = host_length(authority);
    char text[INET6_ADDRSTRLEN + 1];
    unsigned char address[16];
    if (is_name(authority, n, "localhost") || is_name(authority, n, g->host)) return 1;
    const int six = *authority == '[';
    if (n < sizeof text && (!six || (n > 2 && authority[n - 1] == ']'))) {
        memcpy(text, authority + six, n - 2 * (size_t)six);
        text[n - 2 * (size_t)six] = 0;
        if (inet_pton(six ? AF_INET6 : AF_INET, text, address) == 1) return 1;
    }
    for (size_t i = 0; i < g->settings->n_origins; i++)
        if (!strcasecmp(strstr(g->settings->origins[i], "://") + 3, authority)) return 1;
    return 0;
}

unsigned http_guard_page(const http_guard *g, const http_caller *c, const char **why, int *foreign) {
    *foreign = 0;
    if (g->loopback && !g->predict_token && c->host && !is_own_name(g, c->host)) {
        *why = "this server answers under localhost and addresses alone; a proxy should pass on such a Host, or "
               "--origin name "
               "its own";
        return 403;
    }
    if (!c->origin) return 0;
    for (size_t i = 0; i < g->settings->n_origins; i++)
        if (!strcasecmp(c->origin, g->settings->origins[i])) {
            *foreign = 1;
            return 0;
        }
    const char *authority = strstr(c->origin, "://");
    if (authority && c->host && !strcasecmp(authority + 3, c->host)) return 0; /* its own pages */
    *why = "pages of this origin may not ask; --origin allows them to";
    return 403;
}

unsigned http_guard_access(const http_guard *g, const http_caller *c, http_access access, const char **why) {
    if (access == HTTP_OPEN) return 0;
    if (access == HTTP_PREDICT) {
        if (!g->predict_token || has_token(g->predict_token, c->authorization) || has_token(g->token, c->authorization))
            return 0;
        *why = c->authorization ? "wrong token"
                                : "this needs the token of --predict-token-file: Authorization: Bearer TOKEN";
        return 401;
    }
    if (g->token) {
        if (has_token(g->token, c->authorization)) return 0;
        *why = c->authorization ? "wrong token" : "this needs the token of --token-file: Authorization: Bearer TOKEN";
        return 401;
    }
    if (!c->loopback || c->forwarded) {
        *why = "without --token-file this is taken from this machine alone";
        return 403;
    }
    if (c->host && !is_own_name(g, c->host)) {
        *why = "without --token-file this is taken under localhost and addresses alone";
        return 403;
    }
    return 0;
}
