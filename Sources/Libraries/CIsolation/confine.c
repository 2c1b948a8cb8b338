// Restricts a worker: limits, Landlock and the filter of system calls, in this order.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CIsolation.h"

enum {
  // How many descriptors may be open beside those that a worker is given; fonts are opened one at a time.
  open_file_count = 16,
  // Above the numbers that descriptors get, and no higher: the limit on descriptors may be low.
  spare_descriptor = OZU_WORKER_SUPERVISION + 1,
};

// Address space that is reserved and never written: the arenas of malloc take 64 to 128 MB for each thread.
static const uint64_t reserved_byte_count = 64 << 20;
static const uint64_t reserved_for_threads_byte_count = 1 << 30;
// In nanoseconds. The memory of a worker is measured after requests that took longer than `short_time`, and after
// `most_unmeasured` requests that did not.
static const uint64_t second = 1000000000, short_time = 100000;
enum { most_unmeasured = 15 };
// Address space for the segments, in a limit that is never raised again.
static const uint64_t segments_byte_count = (uint64_t)4 << 30;
// The most that malloc keeps between requests, and how much more resident memory than at the start is allowed
// before the stack frees its unused pages.
static const uint64_t kept_byte_count = 64 << 20;
static const uint64_t kept_resident_byte_count = 16 << 20;

int ozu_worker_take_descriptors(int library_output, int socket, int input, int output, int supervision) {
  const int numbers[] = {
      STDERR_FILENO, OZU_WORKER_SOCKET, OZU_WORKER_INPUT, OZU_WORKER_OUTPUT, OZU_WORKER_SUPERVISION};
  int sources[] = {library_output, socket, input, output, supervision};
  int count = supervision < 0 ? 4 : 5;
  for (int i = 0; i < count; i++) {
    sources[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, spare_descriptor);
    if (sources[i] < 0) return -errno;
  }
  for (int i = 0; i < count; i++) {
    if (dup2(sources[i], numbers[i]) < 0) return -errno;
  }
  // A direct system call: the C library of some systems has no function for it.
  int first = numbers[count - 1] + 1;
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return 0;
  for (int descriptor = first; descriptor < 1024; descriptor++) close(descriptor);
  return 0;
}

static int set_limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  struct rlimit old;
  if (getrlimit(resource, &old) != 0) return errno;
  // A limit that is already stricter is kept.
  if (hard > old.rlim_max) hard = old.rlim_max;
  if (soft > hard) soft = hard;
  return setrlimit(resource, &(struct rlimit){soft, hard}) == 0 ? 0 : errno;
}

// Reads the address space, the writable memory and the resident memory of this process in bytes. If the system does
// not report them, the values are larger than they can be.
static void read_usage(struct ozu_confined *confined) {
  confined->address_space = confined->data = confined->resident = 1 << 30;
  if (confined->usage_descriptor < 0) return;
  char text[256];
  ssize_t count = pread(confined->usage_descriptor, text, sizeof text, 0);
  // Seven numbers of pages, of which these are the first, the sixth and the second. Read for each request, so
  // without sscanf.
  enum { number_count = 6 };
  uint64_t numbers[number_count] = {0};
  int ended = 0;
  for (ssize_t i = 0; i < count && ended < number_count; i++) {
    if (text[i] >= '0' && text[i] <= '9')
      numbers[ended] = numbers[ended] * 10 + (uint64_t)(text[i] - '0');
    else
      ended++;
  }
  if (ended < number_count) return;
  uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
  confined->address_space = numbers[0] * page_size;
  confined->resident = numbers[1] * page_size;
  confined->data = numbers[5] * page_size;
}

// A limit of a caller may be any number.
static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

__attribute__((unused)) static int limit_resources(uint64_t address_space, uint64_t data) {
  int code = set_limit(RLIMIT_NOFILE, open_file_count, open_file_count);
  if (code == 0) code = set_limit(RLIMIT_CORE, 0, 0);
  // No byte may be written to any file, even if neither Landlock nor the filter is active. The limit also holds for
  // shared memory: so the asking process makes it longer (`ozu_segment_resize`), and a worker cannot fill the
  // memory of the system with it.
  if (code == 0) code = set_limit(RLIMIT_FSIZE, 0, 0);
  if (code == 0) code = set_limit(RLIMIT_DATA, data, data);
  if (code == 0) code = set_limit(RLIMIT_AS, address_space, address_space);
  return code;
}

// Without capabilities, no hard limit can be raised and no namespace be made, also by an administrator.
__attribute__((unused)) static int drop_capabilities(void) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  return syscall(SYS_capset, &head, none) == 0 ? 0 : errno;
}

// A sanitizer needs memory, files and system calls that a restricted worker does not have: in such builds workers
// are not restricted.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

int ozu_confine(const struct ozu_confinement *wanted, struct ozu_confined *result) {
  *result = (struct ozu_confined){0};
  // First the signal, then the check, so that a parent that dies in between is noticed.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != wanted->parent) return -ESRCH;
  // No core dump, and no crash handler of the system, which RLIMIT_CORE does not stop.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  // Libraries that write to a file get an error instead of being killed.
  signal(SIGXFSZ, SIG_IGN);
  if (chdir("/") != 0) return -errno;
  // Stays open, because the file cannot be opened afterwards.
  result->usage_descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  read_usage(result);
  result->first_data = result->data;
  result->first_resident = result->resident;
#ifdef SANITIZED
  result->limits_error = result->capabilities_error = result->root_error = ENOTSUP;
  result->filter_error = result->landlock_error = result->threads_error = ENOTSUP;
  if (wanted->starts_threads) close(OZU_WORKER_SUPERVISION);
  return 0;
#else
  if (wanted->reads_files) result->root_error = ozu_enter_own_root(wanted);
  int code = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
  if (wanted->starts_threads) {
    result->threads_error = code != 0 ? code : ozu_count_threads(OZU_WORKER_SUPERVISION);
    close(OZU_WORKER_SUPERVISION);
  }
  uint64_t reserved = reserved_for_threads_byte_count + segments_byte_count;
  uint64_t data = sum(result->data, wanted->memory_byte_count);
  result->limits_error =
      limit_resources(sum(result->address_space + reserved, sum(wanted->memory_byte_count, wanted->memory_byte_count)), data);
  result->landlock_error = code != 0 ? code : ozu_restrict_files(wanted, &result->landlock_version);
  result->capabilities_error = drop_capabilities();
  result->filter_error = code != 0 ? code : ozu_filter_system_calls(wanted->reads_files, wanted->starts_threads);
  return 0;
#endif
}

static int set_soft_limit(__rlimit_resource_t resource, uint64_t value) {
  struct rlimit limit;
  // A direct system call, which the filter always allows: the C library uses prlimit, whose arguments the filter
  // has to check. It is called each time, because a library that was taken over may have raised the limit.
  if (syscall(SYS_getrlimit, resource, &limit) != 0) return -errno;
  if (value > limit.rlim_max) value = limit.rlim_max;
  if (limit.rlim_cur == value) return 0;
  limit.rlim_cur = value;
  return setrlimit(resource, &limit) == 0 ? 0 : -errno;
}

static uint64_t whole_seconds(uint64_t time) { return (time + second - 1) / second; }

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

void ozu_begin_request(struct ozu_confined *confined) { confined->start = nanoseconds(CLOCK_MONOTONIC); }

int ozu_limit_memory(const struct ozu_confined *base, uint64_t memory_byte_count, uint64_t shared_byte_count,
                     bool starts_threads) {
  if (base->limits_error != 0) return 0;
  uint64_t reserved = starts_threads ? reserved_for_threads_byte_count : reserved_byte_count;
  // Memory that earlier requests have freed, but that malloc cannot return to the system, is not counted for this
  // one.
  int code = set_soft_limit(RLIMIT_DATA, sum(base->data, memory_byte_count));
  if (code != 0) return code;
  // The limit above is the exact one. This one covers memory that it does not count.
  return set_soft_limit(RLIMIT_AS, sum(base->address_space + shared_byte_count + reserved, memory_byte_count));
}

int ozu_allow_shared(uint64_t byte_count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0) return -errno;
  return limit.rlim_cur == RLIM_INFINITY ? 0 : set_soft_limit(RLIMIT_AS, limit.rlim_cur + byte_count);
}

void ozu_end_request(struct ozu_confined *confined) {
  // Short requests leave little behind, and a system call costs as much as they do.
  bool was_short = nanoseconds(CLOCK_MONOTONIC) - confined->start < short_time;
  if (was_short && confined->unmeasured_count++ < most_unmeasured) return;
  confined->unmeasured_count = 0;
  read_usage(confined);
  // The whole stack counts as writable memory, whether it is used or not.
  if (confined->resident > confined->first_resident + kept_resident_byte_count) ozu_deep_stack_discard();
  if (confined->data <= confined->first_data + kept_byte_count) return;
  malloc_trim(0);
  read_usage(confined);
}

int ozu_limit_cpu_time(struct ozu_confined *confined, uint64_t seconds, bool starts_threads) {
  // The limit counts in seconds. One thread cannot have used more time than has passed since the last measurement;
  // most of the time it is still in the same second, and the system's clock is not read.
  uint64_t most = confined->used_time + (confined->start - confined->used_time_start);
  bool is_known = !starts_threads && confined->used_time_start != 0
      && whole_seconds(most) == whole_seconds(confined->used_time);
  if (!is_known) {
    confined->used_time = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    confined->used_time_start = confined->start;
  }
  return set_soft_limit(RLIMIT_CPU, whole_seconds(confined->used_time) + seconds);
}

#endif
