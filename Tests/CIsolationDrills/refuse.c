// A system that refuses what workers confine themselves with.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "CIsolationDrills.h"

int ozu_refuse(bool seccomp, bool landlock) {
  const struct sock_filter instructions[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, seccomp ? SYS_seccomp : ~0U, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, landlock ? SYS_landlock_create_ruleset : ~0U, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  const struct sock_fprog program = {
      sizeof instructions / sizeof instructions[0], (struct sock_filter *)instructions};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

#endif
