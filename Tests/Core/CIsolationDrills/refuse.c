// Makes the system refuse the calls by which workers restrict themselves.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "CIsolationDrills.h"

// The calls that Docker's default profile refuses a container without extra rights, as far as a worker or its
// parent may make them (moby's profiles/seccomp/default.json).
static const int privileged[] = {
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_bpf, SYS_perf_event_open, SYS_keyctl,
    SYS_add_key, SYS_request_key, SYS_userfaultfd, SYS_open_by_handle_at, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
};

// The calls that profiles from before 2021 do not know, and so refuse.
static const int recent[] = {
#ifdef SYS_landlock_create_ruleset
    SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
#endif
#ifdef SYS_close_range
    SYS_close_range,
#endif
#ifdef SYS_pidfd_open
    SYS_pidfd_open,
#endif
#ifdef SYS_clone3
    SYS_clone3,
#endif
};

enum { most_instructions = 128 };

struct program {
  struct sock_filter instructions[most_instructions];
  unsigned short count;
};

static void add(struct program *program, struct sock_filter instruction) {
  if (program->count < most_instructions) program->instructions[program->count++] = instruction;
}

static void refuse(struct program *program, const int *numbers, size_t count, int error) {
  for (size_t i = 0; i < count; i++) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i], 0, 1));
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// clone with a new namespace, which the profile distinguishes from clone for a process or a thread; the flags of
// clone3 are not visible.
static void refuse_namespaces(struct program *program) {
  const uint32_t flags = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
#ifdef SYS_clone3
  const int hidden = SYS_clone3;
  refuse(program, &hidden, 1, ENOSYS);
#endif
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1));
  add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
}

int ozu_refuse(const char *profile) {
  struct program program = {.count = 0};
  add(&program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
  const int seccomp = SYS_seccomp;
  if (strcmp(profile, "seccomp") == 0) {
    refuse(&program, &seccomp, 1, EPERM);
  } else if (strcmp(profile, "landlock") == 0) {
#ifdef SYS_landlock_create_ruleset
    refuse(&program, recent, 1, EPERM);
#endif
  } else if (strcmp(profile, "docker") == 0) {
    refuse(&program, privileged, COUNT(privileged), EPERM);
    refuse_namespaces(&program);
  } else if (strcmp(profile, "old-docker") == 0) {
    refuse(&program, privileged, COUNT(privileged), EPERM);
    refuse(&program, recent, COUNT(recent), EPERM);
  } else {
    return EINVAL;
  }
  add(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const struct sock_fprog filter = {program.count, program.instructions};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : errno;
}

#endif
