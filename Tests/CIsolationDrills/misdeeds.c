// What a decoder that was taken over might do.

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

static int outcome(long result) {
  return result < 0 ? errno : 0;
}

static volatile uint8_t sink;

static int overflow(volatile uint8_t *above) {
  volatile uint8_t frame[4096];
  frame[0] = frame[1] = *above;
  sink = frame[0];
  // Never so, which a compiler cannot know.
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

static int hang(void) {
  while (true) nanosleep(&(struct timespec){1, 0}, NULL);
}

static int spin(void) {
  while (true) sink++;
}

// Less than the limit of the system, which counts in seconds and rounds up, lets pass.
static int spin_a_while(void) {
  struct timespec start, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 1900);
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

// Leaves 48 MB that are free, below a piece that is not: the heap cannot shrink.
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

// As far as it may, then 4 GB.
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

static int map_code(void) {
  void *bytes = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return bytes == MAP_FAILED ? errno : 0;
}

static int make_code(void) {
  void *bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return ENOMEM;
  return outcome(mprotect(bytes, 4096, PROT_READ | PROT_EXEC));
}

static int read_passwords(void) { return outcome(open("/etc/passwd", O_RDONLY)); }
static int read_font(void) { return outcome(open("/etc/fonts/fonts.conf", O_RDONLY)); }
static int look_at_passwords(void) { return outcome(access("/etc/passwd", R_OK)); }
static int write_file(void) {
  int code = outcome(open("/tmp/ozu-misdeed", O_WRONLY | O_CREAT, 0600));
  if (code == 0) unlink("/tmp/ozu-misdeed");
  return code;
}
static int make_folder(void) {
  int code = outcome(mkdir("/tmp/ozu-misdeed-folder", 0700));
  if (code == 0) rmdir("/tmp/ozu-misdeed-folder");
  return code;
}
static int make_memory(void) { return outcome(memfd_create("more", 0)); }
static int make_socket(void) { return outcome(socket(AF_INET, SOCK_STREAM, 0)); }

static int connect_socket(void) {
  struct sockaddr_un address = {AF_UNIX, "/run/dbus/system_bus_socket"};
  return outcome(connect(3, (struct sockaddr *)&address, sizeof address));
}

static int fork_process(void) {
  pid_t process = fork();
  if (process == 0) _exit(0);
  if (process > 0) waitpid(process, NULL, 0);
  return outcome(process);
}

static void *nothing(void *argument) { return argument; }

static int start_thread(void) {
  pthread_t thread;
  int code = pthread_create(&thread, NULL, nothing, NULL);
  return code != 0 ? code : pthread_join(thread, NULL);
}

static int execute(void) {
  char *const arguments[] = {"/bin/true", NULL};
  return outcome(execve(arguments[0], arguments, arguments + 1));
}

static int trace_parent(void) { return outcome(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL)); }
static int signal_parent(void) { return outcome(kill(getppid(), SIGTERM)); }
static int signal_group(void) { return outcome(kill(0, SIGTERM)); }
static int signal_all(void) { return outcome(kill(-1, 0)); }
static int signal_thread(void) { return outcome(syscall(SYS_tgkill, getppid(), getppid(), SIGTERM)); }
static int signal_later(void) { return outcome(fcntl(3, F_SETOWN, getppid())); }

static int limit_parent(void) {
  struct rlimit limit = {1, 1};
  return outcome(prlimit(getppid(), RLIMIT_NOFILE, &limit, NULL));
}

static int raise_limit(void) {
  struct rlimit limit = {16, 1024};
  return outcome(setrlimit(RLIMIT_NOFILE, &limit));
}

static int use_ring(void) { return outcome(syscall(SYS_io_uring_setup, 1, NULL)); }
static int use_old_numbers(void) {
#ifdef __x86_64__
  return outcome(syscall(0x40000000 + SYS_getpid));
#else
  return outcome(kill(0, SIGTERM));
#endif
}

static int shrink_input(void) { return outcome(ftruncate(4, 0)); }
static int shrink_output(void) { return outcome(ftruncate(5, 0)); }
static int grow_output(void) { return outcome(ftruncate(5, (off_t)8 << 30)); }

static int fill_output(void) {
  char bytes[4096] = {0};
  lseek(5, 0, SEEK_END);
  return outcome(write(5, bytes, sizeof bytes));
}

static int seal_output(void) { return outcome(fcntl(5, F_ADD_SEALS, F_SEAL_GROW)); }

static int say(const void *bytes, size_t count) { return outcome(send(3, bytes, count, MSG_NOSIGNAL)); }
static int say_nonsense(void) {
  say("nonsense", 8);
  return hang();
}
static int say_too_much(void) {
  static char bytes[128 << 10];
  say(bytes, sizeof bytes);
  return hang();
}
static int say_nothing(void) {
  say("", 0);
  return hang();
}
static int flood(void) {
  while (true) send(3, "flood", 5, MSG_NOSIGNAL);
}
static int say_good_bye(void) {
  close(3);
  return hang();
}

static int print(void) {
  char line[1024];
  memset(line, 'x', sizeof line);
  for (int i = 0; i < 4096; i++) (void)!write(STDERR_FILENO, line, sizeof line);
  return 0;
}

static const struct misdeed {
  const char *name;
  int (*act)(void);
} misdeeds[] = {
    {"null", crash_null},
    {"abort", crash_abort},
    {"trap", crash_trap},
    {"stack", crash_stack},
    {"leave", leave},
    {"out-of-memory", out_of_memory},
    {"hang", hang},
    {"spin", spin},
    {"spin-a-while", spin_a_while},
    {"allocate", allocate},
    {"hoard", hoard},
    {"use", use},
    {"map-shared", map_shared},
    {"map-stack", map_stack},
    {"map-private", map_private},
    {"raise-memory", raise_memory},
    {"map-code", map_code},
    {"make-code", make_code},
    {"read-passwords", read_passwords},
    {"read-font", read_font},
    {"look-at-passwords", look_at_passwords},
    {"write-file", write_file},
    {"make-folder", make_folder},
    {"make-memory", make_memory},
    {"socket", make_socket},
    {"connect", connect_socket},
    {"fork", fork_process},
    {"thread", start_thread},
    {"execute", execute},
    {"trace-parent", trace_parent},
    {"signal-parent", signal_parent},
    {"signal-group", signal_group},
    {"signal-all", signal_all},
    {"signal-thread", signal_thread},
    {"signal-later", signal_later},
    {"limit-parent", limit_parent},
    {"raise-limit", raise_limit},
    {"ring", use_ring},
    {"x32", use_old_numbers},
    {"shrink-input", shrink_input},
    {"shrink-output", shrink_output},
    {"grow-output", grow_output},
    {"fill-output", fill_output},
    {"seal-output", seal_output},
    {"say-nonsense", say_nonsense},
    {"say-too-much", say_too_much},
    {"say-nothing", say_nothing},
    {"flood", flood},
    {"good-bye", say_good_bye},
    {"print", print},
};

int ozu_misdeed(const char *name) {
  for (size_t i = 0; i < sizeof misdeeds / sizeof misdeeds[0]; i++) {
    if (strcmp(misdeeds[i].name, name) == 0) return misdeeds[i].act();
  }
  return -1;
}

bool ozu_system_confines(void) {
  uint32_t action = SECCOMP_RET_KILL_PROCESS;
  bool filters = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#ifdef SYS_landlock_create_ruleset
  return filters && syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
#else
  (void)filters;
  return false;
#endif
}

#endif
