// A deep stack for the whole process, so that recursive code needs no thread for it.

#ifdef __linux__

#define _GNU_SOURCE

#include <stdint.h>
#include <sys/mman.h>

#include "CIsolation.h"

// A sanitizer supports only stacks that it knows, and musl has no ucontext.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KEEPS_STACK
#endif
#endif
#ifndef __GLIBC__
#define KEEPS_STACK
#endif

#ifdef KEEPS_STACK

void ozu_call_on_deep_stack(void (*function)(void *context, bool is_deep), void *context) { function(context, false); }

void ozu_deep_stack_discard(void) {}

#else

#include <ucontext.h>

// Only pages that are touched take memory. The guard is as large as that of the system's own stack: libraries have
// frames of more than a page, which would step over a guard of one page.
enum { deepest = 64 << 20, least = 16 << 20, guard = 1 << 20, kept = 256 << 10 };

// The stack of the only thread of a helper.
static struct {
  char *bytes;
  void (*function)(void *context, bool is_deep);
  void *context;
} stack;

static void call(void) { stack.function(stack.context, true); }

static size_t map_stack(void) {
  for (size_t size = deepest; size >= least; size /= 2) {
    void *bytes = mmap(NULL, guard + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (bytes == MAP_FAILED) continue;
    stack.bytes = (char *)bytes + guard;
    if (mprotect(stack.bytes, size, PROT_READ | PROT_WRITE) == 0) return size;
    munmap(bytes, guard + size);
  }
  stack.bytes = NULL;
  return 0;
}

void ozu_call_on_deep_stack(void (*function)(void *context, bool is_deep), void *context) {
  static ucontext_t here, there;
  size_t size = map_stack();
  if (size == 0 || getcontext(&there) != 0) {
    function(context, false);
    return;
  }
  stack.function = function;
  stack.context = context;
  there.uc_stack.ss_sp = stack.bytes;
  there.uc_stack.ss_size = size;
  there.uc_link = &here;
  makecontext(&there, call, 0);
  swapcontext(&here, &there);
}

void ozu_deep_stack_discard(void) {
  if (stack.bytes == NULL) return;
  uintptr_t start = (uintptr_t)stack.bytes, end = (uintptr_t)__builtin_frame_address(0) - kept;
  end &= ~(uintptr_t)(kept - 1);
  if (end > start && end - start < deepest) madvise(stack.bytes, end - start, MADV_DONTNEED);
}

#endif
#endif
