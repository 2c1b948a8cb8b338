// The system calls of a worker (seccomp): a short list is allowed, calls that only an attacker needs end the
// process, and all others fail with EPERM, because libraries try many things that they do not need.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CIsolation.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

enum { most_instructions = 640, x32_bit = 0x40000000 };

struct program {
  struct sock_filter instructions[most_instructions];
  unsigned short count;
};

static void add(struct program *program, struct sock_filter instruction) {
  // One instruction too many makes the program invalid, which the kernel reports.
  if (program->count < most_instructions) program->instructions[program->count] = instruction;
  program->count++;
}

static void load(struct program *program, size_t offset) {
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

// The low half of an argument; the kernel uses only this half if its type is int. Both halves are little-endian.
static void load_argument(struct program *program, int index) {
  load(program, offsetof(struct seccomp_data, args) + (size_t)index * sizeof(uint64_t));
}

static void decide(struct program *program, uint32_t verdict) {
  add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

// The verdict for one call; its number is already loaded.
static void rule(struct program *program, int number, uint32_t verdict) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
  decide(program, verdict);
}

static void rules(struct program *program, const int *numbers, size_t count, uint32_t verdict) {
  for (size_t i = 0; i < count; i++) rule(program, numbers[i], verdict);
}

enum { allowed = SECCOMP_RET_ALLOW, refused = SECCOMP_RET_ERRNO | EPERM, unknown = SECCOMP_RET_ERRNO | ENOSYS };
#define DEADLY SECCOMP_RET_KILL_PROCESS

// The verdict depends on whether an argument has one of these bits.
static void rule_of_bits(struct program *program, int number, int argument, uint32_t bits, uint32_t with,
                         uint32_t without) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
  load_argument(program, argument);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
  decide(program, with);
  decide(program, without);
}

// The verdict depends on whether an argument is one of two values.
static void rule_of_values(struct program *program, int number, int argument, uint32_t first, uint32_t second,
                           uint32_t equal, uint32_t other) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 5));
  load_argument(program, argument);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1));
  decide(program, equal);
  decide(program, other);
}

// clone: only the start of a thread as the C library does it, and no namespace, tracing or other parent with it.
static void rule_of_threads(struct program *program, uint32_t verdict) {
  // The libraries of some systems still pass this one, which has no meaning.
  const uint32_t detached = 0x00400000;
  const uint32_t usual = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS
      | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | detached;
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 5));
  load_argument(program, 0);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~usual, 2, 0));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
  decide(program, verdict);
  decide(program, DEADLY);
}

// mmap: refuses executable memory, and memory that RLIMIT_DATA does not count: shared memory and stacks.
static void rule_of_mapping(struct program *program) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 8));
  load_argument(program, 2);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 5, 0));
  load_argument(program, 3);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_GROWSDOWN, 3, 0));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1));
  // MAP_SHARED_VALIDATE has this bit too.
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 1, 0));
  decide(program, allowed);
  decide(program, refused);
}

static const int always[] = {
    SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_futex, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk,
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_lseek, SYS_close, SYS_fstat, SYS_ppoll,
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_nanosleep, SYS_clock_nanosleep, SYS_getrandom,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_membarrier, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid,
    SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall, SYS_sigaltstack, SYS_exit, SYS_exit_group,
    SYS_set_robust_list, SYS_getrlimit,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

// Finding and reading files. Landlock decides which files are read. Calls that fontconfig, pango and librsvg do without
// are not here.
static const int reading[] = {SYS_getdents64, SYS_fstatfs, SYS_fadvise64};

// Those that Landlock does not cover, which `ozu_answer_questions` answers.
static const int asking[] = {
    SYS_newfstatat, SYS_faccessat,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_stat
    SYS_stat, SYS_lstat, SYS_access,
#endif
};

static const int deadly[] = {
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    SYS_bpf, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_perf_event_open, SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_unshare, SYS_setns, SYS_mount,
    SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    SYS_open_by_handle_at,
#ifdef SYS_fork
    SYS_fork, SYS_vfork, SYS_creat,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
#ifdef SYS_move_mount
    SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick,
#endif
#ifdef SYS_mount_setattr
    SYS_mount_setattr,
#endif
#ifdef SYS_pidfd_send_signal
    SYS_pidfd_send_signal,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void make(struct program *program, bool reads_files, bool starts_threads) {
  uint32_t self = (uint32_t)getpid();
  load(program, offsetof(struct seccomp_data, arch));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
  decide(program, DEADLY);
  load(program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  // The calls of x32 have numbers of their own, but the same architecture value.
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, x32_bit, 0, 1));
  decide(program, DEADLY);
#endif
  rules(program, always, COUNT(always), allowed);
  rule_of_mapping(program);
  rule_of_bits(program, SYS_mprotect, 2, PROT_EXEC, refused, allowed);
  // Only the limits of this process; hard limits cannot be raised.
  rule_of_values(program, SYS_prlimit64, 0, 0, self, allowed, refused);
  // Reading the flags of a descriptor; other commands could send signals to any process.
  rule_of_values(program, SYS_fcntl, 1, F_GETFD, F_GETFL, allowed, refused);
  // For abort and raise; 0 would be the process group.
  rule_of_values(program, SYS_kill, 0, self, self, allowed, DEADLY);
  rule_of_values(program, SYS_tgkill, 0, self, self, allowed, DEADLY);
  // Where threads are counted, `ozu_count_threads` has another filter, and the stricter verdict holds.
  rule_of_threads(program, starts_threads ? allowed : refused);
#ifdef SYS_clone3
  // A pointer leads to its arguments, and a filter cannot follow pointers. The C library then uses clone.
  rule(program, SYS_clone3, unknown);
#endif
  if (starts_threads) {
    rule(program, SYS_eventfd2, allowed);
    rule_of_values(program, SYS_prctl, 0, PR_SET_NAME, PR_GET_NAME, allowed, refused);
  }
  if (reads_files) {
    rules(program, reading, COUNT(reading), allowed);
    rules(program, asking, COUNT(asking), SECCOMP_RET_TRAP);
  }
  // fontconfig tries to write its caches but does not need them, so a worker that reads files survives the attempt.
  // A file that is opened by its path only needs no right to read it.
  const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY) | O_PATH;
  const uint32_t on_writing = reads_files ? (uint32_t)refused : DEADLY, on_reading = reads_files ? allowed : refused;
  rule_of_bits(program, SYS_openat, 2, writing, on_writing, on_reading);
#ifdef SYS_open
  rule_of_bits(program, SYS_open, 1, writing, on_writing, on_reading);
#endif
  rules(program, deadly, COUNT(deadly), DEADLY);
  decide(program, refused);
}

int ozu_filter_system_calls(bool reads_files, bool starts_threads) {
  struct program program = {.count = 0};
  make(&program, reads_files, starts_threads);
  if (program.count > most_instructions) return E2BIG;
  int code = reads_files ? ozu_answer_questions() : 0;
  if (code != 0) return code;
  struct sock_fprog filter = {program.count, program.instructions};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0) return 0;
  return errno;
}

#else

int ozu_filter_system_calls(bool reads_files, bool starts_threads) {
  (void)reads_files, (void)starts_threads;
  return ENOSYS;
}

#endif
#endif
