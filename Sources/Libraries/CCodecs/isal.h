// A step after each call of ISA-L. Not visible to Swift.

#ifndef OZU_ISAL_H
#define OZU_ISAL_H

#ifdef __x86_64__
#include <immintrin.h>

// Some functions of ISA-L (2.30: Adler-32 for AVX2) return with values in the upper halves of vector registers. Each SSE
// instruction then keeps the upper half of its result, so it waits for the instruction that wrote the register before: taking
// back filters took more than twice as long.
__attribute__((target("avx"), noinline, unused)) static void ozu_clear_upper_halves(void) { _mm256_zeroupper(); }

static inline void ozu_isal_returned(void) {
  if (__builtin_cpu_supports("avx")) ozu_clear_upper_halves();
}
#else
static inline void ozu_isal_returned(void) {}
#endif

#endif
