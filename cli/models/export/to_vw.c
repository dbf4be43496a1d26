/* export --to vw: a binary model of Vowpal Wabbit, as --predict_only_model writes it. Ids are their own indices. Names
 * are hashed, with --hash all: by default VW would take names such as 5 and 05 for one. */
#include "models/export/exported.h"

#include "models/export/vw_hash.h"
#include "output/message.h"
#include "output/shown_text.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_BITS = 18, MOST_BITS = 30 };

static uint64_t index_of(const exported_model *e, const exported_feature *f) {
    return e->has_names ? vw_index(f->name) : f->number;
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether all indices still differ when only their low `bits` are kept; `cut` is room for them. */
static int all_differ(const uint64_t *index, uint64_t *cut, size_t n, unsigned bits) {
    for (size_t i = 0; i < n; i++) cut[i] = index[i] & (((uint64_t)1 << bits) - 1);
    qsort(cut, n, sizeof *cut, by_value);
    for (size_t i = 1; i < n; i++)
        if (cut[i] == cut[i - 1]) return 0;
    return 1;
}

/* The fewest bits with which no two features share an index. */
static int choose_bits(exported_model *e) {
    uint64_t *index = malloc(2 * (e->n + 1) * sizeof *index);
    if (!index) return out_of_memory();
    size_t n = 0;
    for (; n < e->n; n++) index[n] = index_of(e, &e->feature[n]);
    if (e->has_constant) index[n++] = VW_CONSTANT;
    for (e->vw_bits = LEAST_BITS; e->vw_bits <= MOST_BITS; e->vw_bits++)
        if (all_differ(index, index + e->n + 1, n, e->vw_bits)) break;
    free(index);
    if (e->vw_bits <= MOST_BITS) return DONE;
    complain("VW would take different features of the model for one: their indices are equal in %d bits", MOST_BITS);
    return FAILED;
}

static int check(exported_model *e) {
    if (e->settings->classes) {
        complain("--to vw is for models of two classes; --to liblinear, c, onnx and json have room for several");
        return FAILED;
    }
    for (size_t i = 0; e->has_names && i < e->n; i++) {
        const sluice_name name = e->feature[i].name;
        if (vw_fits(name)) continue;
        char shown[SLUICE_ESCAPED] = "";
        if (name.n) sluice_escape(name.text, name.n, shown);
        complain("feature %llu, whose name begins with '%s', %s, which VW text cannot have",
                 (unsigned long long)(i + 1), shown,
                 name.n ? "has a blank, colon, bar or line end in its name" : "has no name");
        return FAILED;
    }
    return choose_bits(e);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct vw_header {
    FILE *out;
    uint32_t hash; /* of the fields so far, each hashed with that of those before it */
} vw_header;

static void put_bytes(vw_header *h, const void *bytes, size_t n) {
    fwrite(bytes, 1, n, h->out);
    h->hash = vw_hash_bytes(bytes, n, h->hash);
}

static void put_uint(vw_header *h, uint32_t x) {
    const unsigned char bytes[] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                   (unsigned char)(x >> 24)};
    put_bytes(h, bytes, sizeof bytes);
}

static void put_float(vw_header *h, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_uint(h, bits);
}

/* Its length with the NUL, and the text. */
static void put_text(vw_header *h, const char *text) {
    put_uint(h, (uint32_t)strlen(text) + 1);
    put_bytes(h, text, strlen(text) + 1);
}

static void put_weight(vw_header *h, const exported_model *e, uint64_t index, float weight) {
    put_uint(h, (uint32_t)(index & (((uint64_t)1 << e->vw_bits) - 1)));
    put_float(h, weight);
}

static void write(FILE *out, const exported_model *e) {
    vw_header h = {.out = out};
    put_text(&h, "9.0.0"); /* the version whose layout this is; later ones read it */
    h.hash = 0;
    put_text(&h, "");        /* id */
    put_bytes(&h, "m", 1);   /* it is a model */
    put_float(&h, -FLT_MAX); /* predictions are cut to labels from here */
    put_float(&h, FLT_MAX);  /* to here */
    put_uint(&h, e->vw_bits);
    for (int i = 0; i < 3; i++) put_uint(&h, 0); /* no lda, no n-grams, no skips */
    put_text(&h, e->has_names      ? e->has_constant ? " --hash all" : " --hash all --noconstant"
                 : e->has_constant ? ""
                                   : " --noconstant");
    const uint32_t sum = h.hash;
    put_uint(&h, sizeof sum);
    put_uint(&h, sum);
    put_bytes(&h, "", 1); /* no state to go on learning from */
    for (size_t i = 0; i < e->n; i++)
        put_weight(&h, e, index_of(e, &e->feature[i]), e->weight[e->feature[i].first].weight);
    if (e->has_constant) put_weight(&h, e, VW_CONSTANT, (float)e->constant[0]);
}

const export_format export_vw = {.name = "vw", .what = "a VW model", .check = check, .write = write};
