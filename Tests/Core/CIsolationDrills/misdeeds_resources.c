// Misdeeds of a decoder that was taken over: crashes, and the use of memory and time.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CIsolationDrills.h"
#include "misdeeds.h"

static int outcome(long result) {
  return result < 0 ? errno : 0;
}

static volatile uint8_t sink;

static int overflow(volatile uint8_t *above) {
  volatile uint8_t frame[4096];
  frame[0] = frame[1] = *above;
  sink = frame[0];
  // Never true, but the compiler cannot know that.
  if (sink == 255) return 0;
  return overflow(frame) + frame[1];
}

static int crash_null(void) { return *(volatile int *)8; }
static int crash_abort(void) { abort(); }
static int crash_trap(void) { __builtin_trap(); }
static int crash_stack(void) {
  volatile uint8_t first = 0;
  return overflow(&first);
}
static int leave(void) { _exit(3); }

static int out_of_memory(void) {
  static const char words[] = "terminate called after throwing an instance of 'std::bad_alloc'\n";
  (void)!write(STDERR_FILENO, words, sizeof words - 1);
  abort();
}

int ozu_hang(void) {
  while (true) nanosleep(&(struct timespec){1, 0}, NULL);
}

static int spin(void) {
  while (true) sink++;
}

// Less time than the limit of the system allows, which counts in seconds and rounds up.
static int spin_a_while(void) {
  struct timespec start, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 1100);
  return 0;
}

static int allocate(void) {
  const size_t piece = 16 << 20;
  for (size_t total = 0; total < (size_t)8 << 30; total += piece) {
    char *bytes = malloc(piece);
    if (bytes == NULL) return ENOMEM;
    for (size_t i = 0; i < piece; i += 4096) bytes[i] = 1;
  }
  return 0;
}

// Leaves 48 MB free below a piece that is in use: the heap cannot shrink.
static int hoard(void) {
  enum { count = 1 << 15, size = 1500 };
  void **pieces = calloc(count, sizeof *pieces);
  if (pieces == NULL) return ENOMEM;
  for (int i = 0; i < count; i++) pieces[i] = malloc(size);
  bool failed = pieces[count - 1] == NULL;
  for (int i = 0; i < count - 1; i++) free(pieces[i]);
  free(pieces);
  return failed ? ENOMEM : 0;
}

// 8 MB that are mapped, not taken from the heap.
static int use(void) {
  const size_t size = 8 << 20;
  char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return errno;
  for (size_t i = 0; i < size; i += 4096) bytes[i] = 1;
  return outcome(munmap(bytes, size));
}

static int map(int protection, int flags) {
  void *bytes = mmap(NULL, (size_t)8 << 30, protection, flags, -1, 0);
  return bytes == MAP_FAILED ? errno : 0;
}
static int map_shared(void) { return map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS); }
static int map_stack(void) { return map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN); }
static int map_private(void) { return map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS); }

// As far as the limit allows, then 4 GB.
static int raise_memory(void) {
  const __rlimit_resource_t resources[] = {RLIMIT_DATA, RLIMIT_AS};
  for (int i = 0; i < 2; i++) {
    struct rlimit limit;
    if (getrlimit(resources[i], &limit) != 0) return errno;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(resources[i], &limit) != 0) return errno;
  }
  void *bytes = mmap(NULL, (size_t)4 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return bytes == MAP_FAILED ? errno : 0;
}

const struct misdeed ozu_resource_misdeeds[] = {
    {"null", crash_null},
    {"abort", crash_abort},
    {"trap", crash_trap},
    {"stack", crash_stack},
    {"leave", leave},
    {"out-of-memory", out_of_memory},
    {"hang", ozu_hang},
    {"spin", spin},
    {"spin-a-while", spin_a_while},
    {"allocate", allocate},
    {"hoard", hoard},
    {"use", use},
    {"map-shared", map_shared},
    {"map-stack", map_stack},
    {"map-private", map_private},
    {"raise-memory", raise_memory},
    {NULL, NULL},
};

#endif
