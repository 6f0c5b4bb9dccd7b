/* alu.c: the operations on registers, as loops over lanes. Compiled once for each instruction set;
 * alu_select.c takes the best that the machine has. */
#include "ptx.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

static inline uint32_t reverse32(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(x);
}

static inline uint64_t extract(uint64_t x, uint32_t at, uint32_t count, uint32_t bits) {
    at &= 255;
    count &= 255;
    uint64_t moved = at < bits ? x >> at : 0;
    return count < 64 ? moved & ((UINT64_C(1) << count) - 1) : moved;
}

/* x is sign-extended to 64 bits; bits past its top repeat the sign. */
static inline int64_t extract_signed(uint64_t x, uint32_t at, uint32_t count, uint32_t bits) {
    at &= 255;
    count &= 255;
    if (count == 0)
        return 0;
    int64_t moved = (int64_t)x >> (at < bits ? at : bits - 1);
    if (count >= 64 || at + count >= bits)
        return moved;
    return (int64_t)((uint64_t)moved << (64 - count)) >> (64 - count);
}

static inline uint64_t insert(uint64_t x, uint64_t into, uint32_t at, uint32_t count,
                              uint32_t bits) {
    at &= 255;
    count &= 255;
    if (at >= bits || count == 0)
        return into;
    uint64_t ones = count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
    return (into & ~(ones << at)) | (x & ones) << at;
}

static inline uint32_t permute(uint32_t x, uint32_t y, uint32_t selector) {
    uint64_t bytes = (uint64_t)y << 32 | x;
    uint32_t out = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t s = selector >> (4 * k) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 255;
        if (s & 8)
            byte = byte & 128 ? 255 : 0;
        out |= byte << (8 * k);
    }
    return out;
}

static inline uint32_t lookup3(uint32_t x, uint32_t y, uint32_t z, uint32_t table) {
    uint32_t out = 0;
    for (uint32_t k = 0; k < 8; k++)
        if (table >> k & 1)
            out |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
    return out;
}

static inline int32_t dot4(int32_t x, int32_t y, int32_t sum) {
    for (int k = 0; k < 4; k++)
        sum += (int8_t)((uint32_t)x >> (8 * k)) * (int8_t)((uint32_t)y >> (8 * k));
    return sum;
}

static inline float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t to_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float least_f32(float x, float y) {
    return y != y || x < y || (x == y && to_bits(x) >> 31) ? x : y;
}

static inline float most_f32(float x, float y) {
    return y != y || x > y || (x == y && to_bits(y) >> 31) ? x : y;
}

static inline double least_f64(double x, double y) {
    return y != y || x < y || (x == y && signbit(x)) ? x : y;
}

static inline double most_f64(double x, double y) {
    return y != y || x > y || (x == y && signbit(y)) ? x : y;
}

static inline double upper_half(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xFFFFFFFF00000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Out-of-range numbers saturate; what NaN gives depends on the types (PTX ISA, cvt). */
static inline double float_clamp(double x, double low, double high) {
    return x >= low ? x <= high ? x : high : x < low ? low : 0;
}

static inline int32_t float_to_s32(double x, size_t from) {
    return x != x ? from == 8 ? INT32_MIN : 0 : (int32_t)float_clamp(x, INT32_MIN, INT32_MAX);
}

static inline uint32_t float_to_u32(double x, size_t from) {
    return x != x ? from == 8 ? 0x80000000u : 0 : (uint32_t)float_clamp(x, 0, UINT32_MAX);
}

static inline int64_t float_to_s64(double x) {
    if (x != x || x < -0x1p63)
        return INT64_MIN;
    return x >= 0x1p63 ? INT64_MAX : (int64_t)x;
}

static inline uint64_t float_to_u64(double x) {
    if (x != x)
        return UINT64_C(1) << 63;
    return x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

static inline uint16_t to_bfloat(float x) {
    uint32_t b = to_bits(x);
    return x != x ? 0x7FFF : (uint16_t)((b + 0x7FFF + (b >> 16 & 1)) >> 16);
}

static inline float to_tf32(float x) {
    return x - x != 0 ? x : from_bits((to_bits(x) + 0x1000) & 0xFFFFE000u);
}

static inline uint16_t to_half(float x) {
    uint32_t b = to_bits(x), sign = b >> 16 & 0x8000;
    float size = from_bits(b & 0x7FFFFFFF);
    if (size != size)
        return 0x7FFF;
    if (size >= 65520.0f)
        return (uint16_t)(sign | 0x7C00);
    if (size < 0x1p-14f)
        return (uint16_t)(sign | (uint32_t)rintf(size * 0x1p24f));
    uint32_t m = to_bits(size) + 0xFFF + (to_bits(size) >> 13 & 1);
    return (uint16_t)(sign | ((m >> 13) - (112u << 10)));
}

static inline float from_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31)
        return from_bits(sign | 0x7F800000 | m << 13);
    if (e == 0)
        return (sign ? -1.0f : 1.0f) * (float)m * 0x1p-24f;
    return from_bits(sign | (e + 112) << 23 | m << 13);
}

#define ROW(T, r) ((T *)(void *)(lanes->rows + (size_t)(r).offset * lanes->stride))

/* A source row is either the result's own row or does not overlap it: iterations are independent. */
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH(...)                                                                                  \
    if (!m) {                                                                                      \
        INDEPENDENT for (int i = lo; i < hi; i++) {                                                \
            __VA_ARGS__;                                                                           \
            d[i] = r;                                                                              \
        }                                                                                          \
    } else {                                                                                       \
        INDEPENDENT for (int i = lo; i < hi; i++) {                                                \
            __VA_ARGS__;                                                                           \
            d[i] = m[i] ? r : d[i];                                                                \
        }                                                                                          \
    }
#define HEAD(key, D)                                                                               \
    static void key(const Insn *in, const Lanes *lanes) {                                          \
        const int lo = lanes->lo, hi = lanes->hi;                                                  \
        const uint32_t *const m = lanes->mask;                                                     \
        D *const d = ROW(D, in->dst);
#define OP1(key, D, A, flops, expr)                                                                \
    HEAD(op_##key, D) const A *const a = ROW(const A, in->source[0]);                              \
    EACH(const A x = a[i]; const D r = (D)(expr))                                                  \
    }
#define OP2(key, D, A, B, flops, expr)                                                             \
    HEAD(op_##key, D) const A *const a = ROW(const A, in->source[0]);                              \
    const B *const b = ROW(const B, in->source[1]);                                                \
    EACH(const A x = a[i]; const B y = b[i]; const D r = (D)(expr))                                \
    }
#define OP3(key, D, A, B, C, flops, expr)                                                          \
    HEAD(op_##key, D) const A *const a = ROW(const A, in->source[0]);                              \
    const B *const b = ROW(const B, in->source[1]);                                                \
    const C *const c = ROW(const C, in->source[2]);                                                \
    EACH(const A x = a[i]; const B y = b[i]; const C z = c[i]; const D r = (D)(expr))              \
    }
#define OP4(key, D, A, B, C, E, flops, expr)                                                       \
    HEAD(op_##key, D) const A *const a = ROW(const A, in->source[0]);                              \
    const B *const b = ROW(const B, in->source[1]);                                                \
    const C *const c = ROW(const C, in->source[2]);                                                \
    const E *const e = ROW(const E, in->source[3]);                                                \
    EACH(const A x = a[i]; const B y = b[i]; const C z = c[i]; const E w = e[i];                   \
         const D r = (D)(expr))                                                                    \
    }
/* The carry row is source[3]; instructions without a third operand have z = x there. */
#define CARRY(key, U, W, BITS, expr)                                                               \
    static void op_##key(const Insn *in, const Lanes *lanes) {                                     \
        U *d = ROW(U, in->dst);                                                                    \
        const U *a = ROW(const U, in->source[0]), *b = ROW(const U, in->source[1]);                \
        const U *t = ROW(const U, in->source[2]);                                                  \
        uint8_t *carry = ROW(uint8_t, in->source[3]);                                              \
        for (int i = lanes->lo; i < lanes->hi; i++) {                                              \
            if (lanes->mask && !lanes->mask[i])                                                    \
                continue;                                                                          \
            const U x = a[i], y = b[i], z = t[i], c = carry[i];                                    \
            (void)z, (void)c;                                                                      \
            const W r = expr;                                                                      \
            d[i] = (U)r;                                                                           \
            carry[i] = (uint8_t)(r >> BITS & 1);                                                   \
        }                                                                                          \
    }
#define NOCARRY(key, U, expr)                                                                      \
    HEAD(op_##key, U) const U *const a = ROW(const U, in->source[0]);                              \
    const U *const b = ROW(const U, in->source[1]), *const t = ROW(const U, in->source[2]);        \
    const uint8_t *const carry = ROW(const uint8_t, in->source[3]);                                \
    EACH(const U x = a[i], y = b[i], z = t[i], c = carry[i]; (void)z; const U r = expr)            \
    }
#include "alu.def"

#define OP1(key, D, A, flops, expr) {#key, op_##key, sizeof(D), {sizeof(A), 0, 0, 0}, flops},
#define OP2(key, D, A, B, flops, expr)                                                             \
    {#key, op_##key, sizeof(D), {sizeof(A), sizeof(B), 0, 0}, flops},
#define OP3(key, D, A, B, C, flops, expr)                                                          \
    {#key, op_##key, sizeof(D), {sizeof(A), sizeof(B), sizeof(C), 0}, flops},
#define OP4(key, D, A, B, C, E, flops, expr)                                                       \
    {#key, op_##key, sizeof(D), {sizeof(A), sizeof(B), sizeof(C), sizeof(E)}, flops},
#define CARRY(key, U, W, BITS, expr)                                                               \
    {#key, op_##key, sizeof(U), {sizeof(U), sizeof(U), sizeof(U), 1}, 0},
#define NOCARRY(key, U, expr) {#key, op_##key, sizeof(U), {sizeof(U), sizeof(U), sizeof(U), 1}, 0},
#define TABLE_NAME(variant) alu_table_##variant
#define TABLE(variant) TABLE_NAME(variant)
extern const AluOp TABLE(SOFT_VARIANT)[];
const AluOp TABLE(SOFT_VARIANT)[] = {
#include "alu.def"
    {NULL, NULL, 0, {0, 0, 0, 0}, 0}};
