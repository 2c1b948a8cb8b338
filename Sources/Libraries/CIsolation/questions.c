// Answers a worker's questions about files (stat, access) as the system answers an attempt to open them.
//
// Landlock covers opening and not these calls, so a worker that reads fonts could see the size, the dates and the owner
// of every file. The filter turns each into SIGSYS. The handler opens the file, which Landlock allows for the files that the
// worker may read alone, and asks about what it opened. A library that was taken over may remove the handler: the calls do
// not work without it. That a file exists can be seen by the error of opening it, except in the root folder of root.c.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "CIsolation.h"

// Raw calls, which leave errno alone.
static long call(long number, long first, long second, long third) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(first), "S"(second), "d"(third)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = first, x1 __asm__("x1") = second, x2 __asm__("x2") = third;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#else
  (void)number, (void)first, (void)second, (void)third;
  return -ENOSYS;
#endif
}

// The status of a file goes to `status`; NULL if only the access is asked for.
static long answer(long folder, const char *path, long status) {
  long file = call(SYS_openat, folder, (long)path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return file;
  long result = status == 0 ? 0 : call(SYS_fstat, file, status, 0);
  call(SYS_close, file, 0, 0);
  return result;
}

static void handle(int signal, siginfo_t *info, void *context) {
  (void)signal;
#if defined(__x86_64__)
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const long first = registers[REG_RDI], second = registers[REG_RSI], third = registers[REG_RDX];
  greg_t *result = &registers[REG_RAX];
#elif defined(__aarch64__)
  unsigned long long *registers = ((ucontext_t *)context)->uc_mcontext.regs, *result = registers;
  const long first = (long)registers[0], second = (long)registers[1], third = (long)registers[2];
#else
  long first = 0, second = 0, third = 0, unused, *result = &unused;
  (void)context;
#endif
  switch (info->si_syscall) {
#ifdef SYS_stat
  case SYS_stat:
  case SYS_lstat: *result = answer(AT_FDCWD, (const char *)first, second); break;
  case SYS_access: *result = answer(AT_FDCWD, (const char *)first, 0); break;
#endif
  case SYS_newfstatat: {
    // An empty name is the descriptor itself: the C library's fstat.
    const char *path = (const char *)second;
    *result = path[0] == 0 ? call(SYS_fstat, first, third, 0) : answer(first, path, third);
    break;
  }
  case SYS_faccessat:
#ifdef SYS_faccessat2
  case SYS_faccessat2:
#endif
    *result = answer(first, (const char *)second, 0);
    break;
  default: *result = -EPERM;
  }
}

int ozu_answer_questions(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER};
  action.sa_sigaction = handle;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGSYS, &action, NULL) == 0 ? 0 : errno;
}

#endif
