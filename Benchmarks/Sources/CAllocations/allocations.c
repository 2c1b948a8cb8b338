// The allocation functions of the C library with a counter before them. A program's own `malloc` stands before that of
// the library for all code in the process (ELF), the Swift runtime included, so nothing has to be loaded beforehand.
// While nobody counts it costs a test of one flag. The functions behind are glibc's own, under the names it keeps for
// this: what they return is freed by glibc's `free`.
//
// Only on glibc, and not under sanitizers, which bring allocators of their own.
#include "allocations.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OZU_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(OZU_SANITIZED)

#include <errno.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool is_counting;
static atomic_long allocations;

static inline void note(void) {
  if (__builtin_expect(atomic_load_explicit(&is_counting, memory_order_relaxed), 0))
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *new_block = memalign(alignment, size);
  if (new_block == NULL) return ENOMEM;
  *block = new_block;
  return 0;
}

void ozu_allocations_begin(void) {
  atomic_store(&allocations, 0);
  atomic_store(&is_counting, 1);
}

long ozu_allocations_end(void) {
  atomic_store(&is_counting, 0);
  return atomic_load(&allocations);
}

#else

void ozu_allocations_begin(void) {}

long ozu_allocations_end(void) { return -1; }

#endif
