/* The state of one feature. A learner lists its members, of type F32, F64 or U32, each with the least value that is
 * possible (a model file that says otherwise is refused):
 *
 *     #define STATE(MEMBER) MEMBER(F64, w, SL_ANY) MEMBER(F64, G, 0)
 *     SL_FEATURE(STATE)
 *
 * Made of it:
 *   feature   the struct as one model stores it, and the table `fields` of its members
 *   reg       the same in registers: what a rule works with
 *   MEMBER_BIT(name), for sets of members
 *   load, store and, for lanes, choose (the lanes where a mask holds from one, the others from another)
 *   stage     many features, each member an array
 * In a sweep each member is an array of all lanes, one member after the other. */
#ifndef SL_FEATURE_H
#define SL_FEATURE_H

#include "algo/shared/num.h"
#include "learner/learner.h"

#define SL_ANY (-INFINITY)

#define SL_STORED_F32 float
#define SL_STORED_F64 double
#define SL_STORED_U32 uint32_t
#define SL_REG_F32 num
#define SL_REG_F64 num
#define SL_REG_U32 count

#define SL_MEMBER_STORED(type, name, least) SL_STORED_##type name;
#define SL_MEMBER_REG(type, name, least) SL_REG_##type name;
#define SL_MEMBER_PLACE(type, name, least) PLACE_OF_##name,
#define MEMBER_BIT(name) (1u << PLACE_OF_##name)
#define SL_MEMBER_FIELD(type, name, least) {#name, SL_##type, offsetof(feature, name), least},

#if SL_WIDTH == 1

#define SL_LOAD_F32 (double)
#define SL_LOAD_F64
#define SL_LOAD_U32
#define SL_MEMBER_LOAD(type, name, least) r.name = SL_LOAD_##type f->name;
#define SL_MEMBER_STORE(type, name, least)                                                                             \
    if (members & MEMBER_BIT(name)) f->name = (SL_STORED_##type)r.name;
#define SL_MEMBER_STAGE(type, name, least) SL_STORED_##type name[64];
#define SL_MEMBER_IN(type, name, least) g->name[i] = f->name;
#define SL_MEMBER_OUT(type, name, least)                                                                               \
    if (members & MEMBER_BIT(name)) f->name = g->name[i];
#define SL_MEMBER_GET(type, name, least) r.name = SL_LOAD_##type g->name[i];
#define SL_MEMBER_PUT(type, name, least)                                                                               \
    if (members & MEMBER_BIT(name)) g->name[i] = (SL_STORED_##type)r.name;

/* clang-format off */
#define SL_FEATURE_OF(EACH)                                                                                            \
    RULE reg load(const feature *f) { reg r; EACH(SL_MEMBER_LOAD) return r; }                                          \
    RULE void store(feature *f, reg r, unsigned members) { EACH(SL_MEMBER_STORE) }                                     \
    typedef struct stage { EACH(SL_MEMBER_STAGE) } stage;                                                              \
    RULE void stage_in(stage *g, size_t i, const feature *f) { EACH(SL_MEMBER_IN) }                                    \
    RULE void stage_out(const stage *g, size_t i, feature *f, unsigned members) { EACH(SL_MEMBER_OUT) }                \
    RULE reg stage_get(const stage *g, size_t i) { reg r; EACH(SL_MEMBER_GET) return r; }                              \
    RULE void stage_put(stage *g, size_t i, reg r, unsigned members) { EACH(SL_MEMBER_PUT) }
/* clang-format on */

#else

RULE num load_F32(const char *at) { return widened(*(const f32s_at *)(const void *)at); }
RULE num load_F64(const char *at) { return *(const num_at *)(const void *)at; }
RULE count load_U32(const char *at) { return *(const count_at *)(const void *)at; }
RULE void store_F32(char *at, num v) { *(f32s_at *)(void *)at = narrowed(v); }
RULE void store_F64(char *at, num v) { *(num_at *)(void *)at = v; }
RULE void store_U32(char *at, count v) { *(count_at *)(void *)at = v; }
RULE num choose_F32(mask m, num yes, num no) { return where(m, yes, no); }
RULE num choose_F64(mask m, num yes, num no) { return where(m, yes, no); }
RULE count choose_U32(mask m, count yes, count no) {
    count narrow = __builtin_convertvector(m, count);
    return (yes & narrow) | (no & ~narrow);
}

#define SL_MEMBER_LOAD(type, name, least)                                                                              \
    r.name = load_##type(at + v * SL_WIDTH * sizeof(SL_STORED_##type));                                                \
    at += lanes * sizeof(SL_STORED_##type);
#define SL_MEMBER_STORE(type, name, least)                                                                             \
    if (members & MEMBER_BIT(name)) store_##type(at + v * SL_WIDTH * sizeof(SL_STORED_##type), r.name);                \
    at += lanes * sizeof(SL_STORED_##type);
#define SL_MEMBER_CHOOSE(type, name, least) r.name = choose_##type(m, yes.name, no.name);

/* clang-format off */
#define SL_FEATURE_OF(EACH)                                                                                            \
    RULE reg load_lanes(const char *at, size_t lanes, size_t v) { reg r; EACH(SL_MEMBER_LOAD) return r; }              \
    RULE void store_lanes(char *at, reg r, unsigned members, size_t lanes, size_t v) { EACH(SL_MEMBER_STORE) }         \
    RULE reg choose(mask m, reg yes, reg no) { reg r; EACH(SL_MEMBER_CHOOSE) return r; }
/* clang-format on */

#endif

#define SL_FEATURE(EACH)                                                                                               \
    typedef struct feature {                                                                                           \
        EACH(SL_MEMBER_STORED)                                                                                         \
    } feature;                                                                                                         \
    typedef struct reg {                                                                                               \
        EACH(SL_MEMBER_REG)                                                                                            \
    } reg;                                                                                                             \
    enum { EACH(SL_MEMBER_PLACE) };                                                                                    \
    static const sl_field fields[] __attribute__((unused)) = {EACH(SL_MEMBER_FIELD)};                                  \
    SL_FEATURE_OF(EACH)

#endif
