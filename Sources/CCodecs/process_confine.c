// The limits of a process that decodes for another one.

#ifdef __linux__

#define _GNU_SOURCE

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "CCodecs.h"

enum {
  // Fonts are opened one at a time; libraries are loaded already.
  open_file_count = 32,
  // Address space that is reserved and never written: arenas of malloc, libraries and fonts that are mapped.
  reserved_byte_count = 512 << 20,
};

static bool set_limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  struct rlimit old;
  if (getrlimit(resource, &old) != 0) return false;
  // A limit that is stricter already stays.
  if (hard > old.rlim_max) hard = old.rlim_max;
  if (soft > hard) soft = hard;
  return setrlimit(resource, &(struct rlimit){soft, hard}) == 0;
}

// The address space and the writable memory of this process in bytes.
static bool read_usage(uint64_t *address_space, uint64_t *data) {
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL) return false;
  unsigned long long pages = 0, data_pages = 0;
  int count = fscanf(file, "%llu %*u %*u %*u %*u %llu", &pages, &data_pages);
  fclose(file);
  if (count != 2) return false;
  uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
  *address_space = pages * page_size;
  *data = data_pages * page_size;
  return true;
}

bool ozu_process_confine(int parent, uint64_t cpu_seconds, uint64_t memory_byte_count) {
  // First the signal, then the question, so that a parent that dies in between is noticed.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent) return false;
  // Neither a core dump nor a crash handler of the system, which RLIMIT_CORE does not stop.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  // fontconfig writes a cache where it may. With this it is told that it cannot, instead of being killed.
  if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || chdir("/") != 0) return false;
  // What the parent has open is none of its business.
  if (close_range(STDERR_FILENO + 1, ~0U, 0) != 0) return false;
  uint64_t address_space, data;
  if (!read_usage(&address_space, &data)) return false;
  // The soft limit of time sends a signal that can be told from others; the hard one cannot be ignored.
  return set_limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1)
      && set_limit(RLIMIT_DATA, data + memory_byte_count, data + memory_byte_count)
      && set_limit(RLIMIT_AS, address_space + memory_byte_count + reserved_byte_count, RLIM_INFINITY)
      && set_limit(RLIMIT_FSIZE, 0, 0) && set_limit(RLIMIT_CORE, 0, 0)
      && set_limit(RLIMIT_NOFILE, open_file_count, open_file_count);
}

#endif
